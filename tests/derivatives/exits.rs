//! `break`, `continue` and `return`, each taken after no, one, two and three iterations, and not at all.

use std::collections::BTreeMap;

use chainrule::prelude::*;

use crate::check::{map_table, table};

const X: [f64; 4] = [0.7, 1.9, 0.4, 1.3];

fn x(n: usize) -> Vec<f64> {
    X[..n].to_vec()
}

#[differentiable]
fn break_first(x: f64, n: usize) -> f64 {
    let mut z = x;
    for i in 0..5 {
        if i == n {
            break;
        }
        z = z * x + 1.0;
    }
    z
}

#[differentiable]
fn break_last(x: f64, n: usize) -> f64 {
    let mut z = x;
    for i in 0..3 {
        z = z * x + 1.0;
        if i == n {
            break;
        }
    }
    z * x
}

#[differentiable]
fn break_in_the_middle(x: f64, n: usize) -> f64 {
    let mut z = x;
    for i in 0..3 {
        z *= x;
        if i == n {
            z += 10.0 * x;
            break;
        }
        z = z.sin();
    }
    z
}

/// `break` on what an active value has become.
#[differentiable]
fn break_on_a_value(x: f64, #[constant] limit: f64) -> f64 {
    let mut z = x;
    for _ in 0..100 {
        z = z * 1.5 + x * x;
        if z > limit {
            break;
        }
    }
    z
}

#[differentiable]
fn skipped(x: &[f64], n: usize) -> f64 {
    let mut z = 1.0;
    for i in 0..x.len() {
        if i == n {
            continue;
        }
        z *= x[i] + 0.5 * z;
    }
    z
}

#[differentiable]
fn skipped_after_an_update(x: &[f64]) -> f64 {
    let mut z = 1.0;
    for i in 0..x.len() {
        z += x[i] * z;
        if x[i] > 1.0 {
            z *= x[0];
            continue;
        }
        z = z * z;
    }
    z
}

#[differentiable]
fn skip_or_leave(x: &[f64], skip: usize, leave: usize) -> f64 {
    let mut z = 1.0;
    for i in 0..x.len() {
        if i == skip {
            continue;
        }
        if i == leave {
            break;
        }
        z = z * x[i] + x[i].sin();
    }
    z
}

#[differentiable]
fn loop_with_value(x: f64, n: usize) -> f64 {
    let (mut z, mut i) = (x, 0);
    let y = loop {
        if i == n {
            break z * x;
        }
        z = z * z + 0.1;
        i += 1;
    };
    y + z
}

#[differentiable]
fn loop_with_two_values(x: f64, n: usize, #[constant] limit: f64) -> f64 {
    let (mut z, mut i) = (x, 0);
    loop {
        if z > limit {
            break z * z;
        }
        z = z * 1.3 + 0.1 * x;
        if i >= n {
            break z.exp();
        }
        i += 1;
    }
}

#[differentiable]
fn while_with_exits(x: f64, n: usize) -> f64 {
    let (mut z, mut i) = (x, 0);
    while i < 10 {
        i += 1;
        if i % 2 == 0 {
            continue;
        }
        if i > n {
            break;
        }
        z = z * x + i as f64;
    }
    z
}

#[differentiable]
fn labelled_break(x: &[f64], at: usize) -> f64 {
    let mut z = 1.0;
    'outer: for i in 0..x.len() {
        for j in 0..x.len() {
            if i * x.len() + j == at {
                break 'outer;
            }
            z = z * x[j] + x[i];
        }
        z *= x[i];
    }
    z
}

#[differentiable]
fn labelled_continue(x: &[f64], at: usize) -> f64 {
    let mut z = 1.0;
    'outer: for i in 0..x.len() {
        z += x[i];
        for j in 0..x.len() {
            if i * x.len() + j == at {
                continue 'outer;
            }
            z = z * x[j] + x[i];
        }
        z *= x[i];
    }
    z
}

#[differentiable]
fn labelled_loop(x: f64, n: usize) -> f64 {
    let mut z = x;
    let mut i = 0;
    let y = 'search: loop {
        i += 1;
        loop {
            z = z * x + 0.2;
            if i == n {
                break 'search z * x;
            }
            if z > -1.0 {
                break;
            }
        }
        if i > 4 {
            break x;
        }
    };
    y * z
}

#[differentiable]
fn labelled_block(x: f64, n: usize) -> f64 {
    let y = 'block: {
        let a = x * x;
        if n == 0 {
            break 'block a;
        }
        let b = a * x;
        if n == 1 {
            break 'block b.sin();
        }
        a * b
    };
    y * x
}

#[differentiable]
fn early_return(x: f64, n: usize) -> f64 {
    if n == 0 {
        return x * x;
    }
    let y = x.exp();
    if n == 1 {
        return y * x;
    }
    y * y
}

/// The loop is not entered where the function has returned before.
#[differentiable]
fn return_before_a_loop(x: f64, n: usize, early: bool) -> f64 {
    let mut z = x * x;
    if early {
        return z * x;
    }
    for _ in 0..n {
        z = z * x + x.sin();
    }
    z
}

#[differentiable]
fn return_in_a_loop(x: &[f64], at: usize) -> f64 {
    let mut z = 1.0;
    for i in 0..x.len() {
        z *= x[i];
        if i == at {
            return z * x[0];
        }
        z += 0.5;
    }
    z * z
}

#[differentiable]
fn return_in_nested_loops(x: &[f64], at: usize) -> f64 {
    let mut z = 1.0;
    for i in 0..x.len() {
        for j in 0..=i {
            if i * 10 + j == at {
                return z * x[j] + x[i];
            }
            z = z * x[i] + x[j] * x[j];
        }
        if i * 10 + 9 == at {
            return z.sin();
        }
        z *= 0.5;
    }
    z
}

#[differentiable]
fn return_in_while(x: f64, n: usize, #[constant] limit: f64) -> f64 {
    let mut z = x;
    let mut i = 0;
    while i < n {
        z = z * 1.3 + x;
        if z > limit {
            return z * z * x;
        }
        i += 1;
    }
    z
}

#[differentiable]
fn return_in_match(x: f64, n: usize) -> f64 {
    let y = match n {
        0 => return x,
        1 => x * x,
        2 => {
            if x > 1.0 {
                return x.exp();
            }
            x.sin()
        }
        _ => return 2.0,
    };
    y * y
}

#[differentiable]
fn return_in_every_arm(x: f64) -> f64 {
    if x > 1.0 {
        return x * x;
    } else {
        return x * 3.0;
    }
}

#[differentiable]
fn return_at_the_end(x: f64) -> f64 {
    let y = x * x;
    return y * x;
}

#[differentiable]
fn everything(x: &[f64], skip: usize, leave: usize, back: usize) -> f64 {
    let mut z = 1.0;
    'outer: for i in 0..x.len() {
        let mut k = 0;
        loop {
            k += 1;
            if k == skip {
                continue 'outer;
            }
            if i + k == leave {
                break 'outer;
            }
            if i * k == back {
                return z * x[0];
            }
            z = z * x[i] + x[k % x.len()];
            if k > 2 {
                break;
            }
        }
        z = z * z * 0.1;
    }
    z
}

/// Recursion that ends by `return`.
#[differentiable]
fn power(x: f64, n: u32) -> f64 {
    if n == 0 {
        return 1.0;
    }
    let half: f64 = power(x, n / 2);
    if n % 2 == 0 {
        return half * half;
    }
    half * half * x
}

#[differentiable]
fn return_of_a_pair(x: f64, n: usize) -> (f64, f64) {
    for i in 0..3 {
        if i == n {
            return (x * x, x);
        }
    }
    (x, x.sin())
}

#[differentiable]
fn return_with_memory(x: &mut [f64], at: usize) -> f64 {
    let n = x.len();
    for i in 0..n {
        if i == at {
            return x[i] * x[0];
        }
        x[i] = x[i] * x[n - 1];
    }
    x[n - 1]
}

mod limits {
    pub(super) const ROUNDS: u32 = 4;
}

/// A loop whose counter has a type that only rustc knows.
#[differentiable]
fn break_of_unknown_counter(x: f64, at: u32) -> f64 {
    let mut s = x;
    for k in 1..=limits::ROUNDS {
        if k > at {
            break;
        }
        s += x * s * k as f64;
    }
    s
}

#[differentiable]
fn found_by_unknown_counter(x: f64, at: u32) -> f64 {
    let found =
        (1..=limits::ROUNDS).find_map(|k| if k > at { Some(x * x * k as f64) } else { None });
    found.unwrap_or(x)
}

/// An error without `Clone`.
#[derive(Debug, PartialEq)]
struct NotFound;

/// A result that comes out of a loop, after an early return.
#[differentiable]
fn root_within(m: f64, #[constant] trips: i32) -> Result<f64, NotFound> {
    if !(0.0..10.0).contains(&m) {
        return Err(NotFound);
    }
    let mut x = m;
    for n in 0..5 {
        x = x * 0.5 + m * m;
        if n == trips {
            return Ok(x);
        }
    }
    Err(NotFound)
}

#[differentiable]
fn root_or_square(m: f64, #[constant] trips: i32) -> f64 {
    root_within(m, trips).unwrap_or(m * m)
}

#[differentiable]
fn list_within(x: f64, #[constant] trips: usize) -> Result<Vec<f64>, NotFound> {
    if x.is_sign_negative() {
        return Err(NotFound);
    }
    let mut list = vec![x];
    for k in 0..3 {
        if k == trips {
            return Ok(list);
        }
        list.push(list[k] * x);
    }
    Err(NotFound)
}

#[differentiable]
fn list_or_nothing(x: f64, #[constant] trips: usize) -> f64 {
    match list_within(x, trips) {
        Ok(list) => list.iter().map(|v| v * v).sum(),
        Err(_) => x,
    }
}

#[differentiable]
fn sum_of(list: Vec<f64>) -> f64 {
    list.iter().sum()
}

/// A list that one branch changes and moves, and the other one changes and keeps.
#[differentiable]
fn moved_in_one_branch(x: f64, #[constant] moves: bool) -> f64 {
    let mut list = vec![x, 2.0 * x];
    let y = if moves {
        list.push(x * x);
        sum_of(list)
    } else {
        let product = list[0] * list[1];
        list.push(x);
        product
    };
    y * x
}

static KNOTS: [f64; 3] = [1.0, 2.0, 3.0];

/// Loops with exits over what the compiler doesn't know the type of, and closures that nothing calls in them.
#[differentiable]
fn over_a_static(x: f64, #[constant] limit: f64) -> f64 {
    let mut n = 0;
    for knot in KNOTS.iter() {
        let _unused = |t: f64| (*knot).cos() * t;
        n += 1;
        if *knot > limit {
            break;
        }
    }
    x * x * f64::from(n)
}

#[differentiable]
fn out_of_two_loops(x: f64, #[constant] limit: f64) -> f64 {
    let mut n = 0;
    let mut power = x;
    'outer: for i in 0..3 {
        for knot in KNOTS.iter() {
            n += 1;
            if *knot > limit && i > 0 {
                break 'outer;
            }
        }
        power *= x;
    }
    power * f64::from(n)
}

#[differentiable]
fn over_a_constant_map(x: f64, #[constant] map: &BTreeMap<usize, f64>) -> f64 {
    let mut n = 0;
    for (_, knot) in map.iter() {
        if *knot > 1.5 {
            return x * x * f64::from(n);
        }
        n += 1;
    }
    x * f64::from(n)
}

fn knots(n: usize) -> BTreeMap<usize, f64> {
    (0..n).map(|k| (k, k as f64)).collect()
}

table! {
    over_a_static: for n in 0..5, (0.7, const f64::from(n) - 0.5);
    out_of_two_loops: for n in 0..5, (0.7, const f64::from(n) - 0.5);
    over_a_constant_map: for n in 0..5, (0.7, const &knots(n));
    root_or_square: for n in 0..6, (0.7, const n), (-0.7, const n);
    list_or_nothing: for n in 0..4, (0.7, const n), (-0.7, const n);
    moved_in_one_branch: (0.7, const true), (0.7, const false);
    break_of_unknown_counter: for at in 0..6, (0.7, const at);
    found_by_unknown_counter: for at in 0..6, (0.7, const at);
    break_first: for n in 0..6, (0.7, const n);
    break_last: for n in 0..4, (0.7, const n);
    break_in_the_middle: for n in 0..4, (0.7, const n);
    break_on_a_value: for limit in [0.1, 2.0, 3.5, 5.5], (0.7, const limit);
    skipped: for n in 0..4, (&x(3), const n), (&x(n), const 0);
    skipped_after_an_update: for n in 0..5, (&x(n));
    skip_or_leave: for n in 0..4, (&x(3), const n, const 2), (&x(3), const 1, const n), (&x(n), const 9, const 9);
    loop_with_value: for n in 0..4, (0.7, const n);
    loop_with_two_values: for n in 0..4, (0.7, const n, const 1.15), (0.7, const n, const 0.1);
    while_with_exits: for n in 0..6, (0.7, const n);
    labelled_break: for at in 0..6, (&x(2), const at);
    labelled_continue: for at in 0..6, (&x(2), const at);
    labelled_loop: for n in 1..7, (0.7, const n);
    labelled_block: for n in 0..3, (0.7, const n);
    early_return: for n in 0..3, (0.7, const n);
    return_before_a_loop: for n in 0..4, (0.7, const n, const true), (0.7, const n, const false);
    return_in_a_loop: for at in 0..5, (&x(3), const at), (&x(1), const at);
    return_in_nested_loops: for at in [0, 9, 10, 11, 19, 20, 22, 29, 99], (&x(3), const at);
    return_in_while: for n in 0..4, (0.7, const n, const 2.5), (0.7, const n, const 0.1);
    return_in_match: for n in 0..4, (0.7, const n), (1.9, const n);
    return_in_every_arm: (0.7) => [3.0], (1.9) => [3.8];
    return_at_the_end: (0.7);
    everything: for n in 0..5, (&x(3), const n, const 9, const 9), (&x(3), const 9, const n, const 9), (&x(3), const 9, const 9, const n);
    power: for n in 0..9, (0.7, const n);
    return_with_memory: for at in 0..4, (&mut x(3), const at);
}

map_table! {
    return_of_a_pair: for n in 0..4, (0.7, const n);
}

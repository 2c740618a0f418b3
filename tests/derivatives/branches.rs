//! `if`, `match`, and what they decide on.

use chainrule::prelude::*;

use crate::check::{map_table, table};

#[differentiable]
fn relu_like(x: f64) -> f64 {
    if x > 0.0 { x * x } else { 0.1 * x }
}

#[differentiable]
fn without_else(x: f64, y: f64) -> f64 {
    let mut z = x * y;
    if x < y {
        z = z * z + x;
    }
    z
}

#[differentiable]
fn else_if(x: f64) -> f64 {
    if x < -1.0 {
        -x
    } else if x < 1.0 {
        x * x * x
    } else if x < 2.0 {
        let y = x * 2.0;
        y * y
    } else {
        3.0
    }
}

#[differentiable]
fn nested(x: f64, y: f64) -> f64 {
    let mut z = x;
    if x > 0.0 {
        z *= y;
        if y > 0.0 {
            z *= z;
        } else {
            z -= x * x;
        }
        z += y;
    } else if y > 0.0 {
        z = y.exp();
    }
    z * x
}

#[differentiable]
fn assigns_several(x: f64, y: f64) -> f64 {
    let (mut a, mut b) = (x, y);
    if x > y {
        a = a * b;
        b = b + a;
    } else {
        (a, b) = (b, a * a);
    }
    a * b
}

/// The condition reads what the branch then overwrites: it is stored, not evaluated again.
#[differentiable]
fn condition_overwritten(x: f64) -> f64 {
    let mut z = x;
    if z > 0.5 {
        z = -z * x;
    }
    if z > 0.5 {
        z = z * 100.0;
    }
    z * z
}

#[differentiable]
fn condition_in_memory_overwritten(x: &[f64]) -> f64 {
    let mut v = x.to_vec();
    for i in 0..v.len() {
        if v[i] > 0.5 {
            v[i] = -v[i] * v[i];
        } else {
            v[i] = 3.0 * v[i];
        }
    }
    let mut total = 0.0;
    for i in 0..v.len() {
        total += v[i] * x[i];
    }
    total
}

#[differentiable]
fn stored_condition(x: f64, y: f64) -> f64 {
    let inside = x * x + y * y < 1.0;
    let z = if inside { x * y } else { x + y };
    if !inside { z * z } else { z }
}

#[differentiable]
fn logic(x: f64, y: f64, flag: bool) -> f64 {
    let mut z = x;
    if x > 0.0 && y > 0.0 {
        z += y * y;
    }
    if x < 0.0 || (flag && y < 0.0) {
        z *= y;
    }
    if flag ^ (x > 1.0) { z * z } else { z }
}

/// The right side of `&&` would index out of bounds where the left one is false.
#[differentiable]
fn short_circuit(x: &[f64], i: usize) -> f64 {
    if i < x.len() && x[i] > 0.0 {
        x[i] * x[i]
    } else {
        0.5
    }
}

#[differentiable]
fn match_integer(x: f64, n: i32) -> f64 {
    match n {
        0 => 1.0,
        1 => x,
        2 | 3 => x * x,
        4..=6 => {
            let y = x * 2.0;
            y * y * x
        }
        -1 => 1.0 / x,
        i32::MIN..=-2 => x.sin(),
        _ => x.exp(),
    }
}

#[differentiable]
fn match_guard(x: f64, n: usize) -> f64 {
    match n {
        0 => x,
        k if k % 2 == 0 => x * x * (k as f64),
        k if x > 1.0 => x * (k as f64),
        k @ 1..=3 => x.sin() * (k as f64),
        _ => x.cos(),
    }
}

#[differentiable]
fn match_bool(x: f64, y: f64) -> f64 {
    match x < y {
        true => x * y,
        false => x / y,
    }
}

#[differentiable]
fn match_tuple(x: f64, a: bool, n: u8) -> f64 {
    match (a, n) {
        (true, 0) => x,
        (true, 1..=9) => x * x,
        (false, 0) => -x,
        (_, 10) => x.exp(),
        (false, _) => x.sin(),
        (true, _) => 7.0,
    }
}

#[differentiable]
fn match_statement(x: f64, n: usize) -> f64 {
    let mut z = x;
    match n {
        0 => {}
        1 => z *= x,
        2 => {
            z += 1.0;
            z *= z;
        }
        _ => z = 2.0,
    }
    z * x
}

#[differentiable]
fn match_in_loop(x: &[f64]) -> f64 {
    let mut total = 1.0;
    for i in 0..x.len() {
        total = match i % 3 {
            0 => total * x[i],
            1 => total + x[i] * x[i],
            _ => total - x[i].sin(),
        };
    }
    total
}

/// Loops in both arms.
#[differentiable]
fn loops_in_arms(x: f64, n: usize) -> f64 {
    let mut z = x;
    if n % 2 == 0 {
        for _ in 0..n {
            z *= x;
        }
    } else {
        let mut k = 0;
        while k < n {
            z = z * z + x;
            k += 1;
        }
    }
    z
}

#[differentiable]
fn branch_in_loop(x: f64, n: usize) -> f64 {
    let mut z = x;
    for i in 0..n {
        if z > 1.0 {
            z *= 0.5 * x;
        } else if i % 2 == 0 {
            z += x;
        } else {
            z = z * z;
        }
    }
    z
}

#[differentiable]
fn inactive_value(x: f64, n: usize) -> f64 {
    let weight = if n > 2 { 2.0 } else { 0.5 };
    let label = if n == 0 { "none" } else { "some" };
    x * x * weight + label.len() as f64
}

/// The side that isn't taken has an infinite derivative.
#[differentiable]
fn guarded_root(x: f64) -> f64 {
    if x > 0.0 { x.sqrt() } else { x * 3.0 }
}

/// A test of a value is a branch: at zero the derivative is that of the constant.
#[differentiable]
fn value_test(x: f64) -> f64 {
    if x == 0.0 { 0.0 } else { x }
}

#[differentiable]
fn pair_of_branch(x: f64, y: f64) -> f64 {
    let (a, b) = if x > y { (x * y, y) } else { (y, x * x) };
    a * b
}

#[differentiable]
fn branch_result(x: f64, y: f64) -> (f64, f64) {
    if x > y { (x, y * x) } else { (y * y, x) }
}

#[differentiable]
fn diverging_arm(x: f64, n: usize) -> f64 {
    let y = match n {
        0 => x * x,
        1 => x.exp(),
        _ => panic!("no such function: {n}"),
    };
    y * x
}

table! {
    relu_like: (0.7) => [1.4], (-0.7) => [0.1];
    without_else: (0.7, 1.9), (1.9, 0.7);
    else_if: (-2.0) => [-1.0], (0.5) => [0.75], (1.5) => [12.0], (2.5) => [0.0];
    nested: (0.7, 1.9), (0.7, -1.9), (-0.7, 1.9), (-0.7, -1.9);
    assigns_several: (0.7, 1.9), (1.9, 0.7);
    condition_overwritten: (0.8), (0.3), (-1.7);
    condition_in_memory_overwritten: (&[0.8, 0.3, -1.7]), (&[]);
    stored_condition: (0.5, 0.3), (1.5, 0.3);
    logic: (0.7, 1.9, const true), (0.7, 1.9, const false), (-0.7, 1.9, const true), (1.7, -1.9, const true);
    short_circuit: (&[0.7, -0.4], const 0) => [1.4, 0.0], (&[0.7, -0.4], const 1) => [0.0, 0.0], (&[0.7, -0.4], const 2);
    match_integer: for n in -3..8, (0.7, const n);
    match_guard: for n in 0..6, (0.7, const n), (1.7, const n);
    match_bool: (0.7, 1.9), (1.9, 0.7);
    match_tuple: for n in [0, 1, 9, 10, 11], (0.7, const true, const n), (0.7, const false, const n);
    match_statement: for n in 0..4, (0.7, const n);
    match_in_loop: for n in 0..5, (&[0.7, 1.9, -0.4, 0.9, 1.1][..n].to_vec());
    loops_in_arms: for n in 0..5, (0.7, const n);
    branch_in_loop: for n in 0..5, (0.7, const n), (1.6, const n);
    inactive_value: (0.7, const 0) => [0.7], (0.7, const 3) => [2.8];
    guarded_root: (0.7), (-0.7) => [3.0];
    value_test: (0.7) => [1.0];
    pair_of_branch: (0.7, 1.9), (1.9, 0.7);
    diverging_arm: (0.7, const 0) => [3.0 * 0.7 * 0.7], (0.7, const 1);
}

map_table! {
    branch_result: (0.7, 1.9), (1.9, 0.7);
}

#[test]
fn value_test_at_zero() {
    assert_eq!(value_test::gradient(0.0), 0.0);
    assert_eq!(value_test::derivative(0.0), 0.0);
}

#[test]
fn infinite_partial_of_the_other_side_does_not_leak() {
    assert_eq!(guarded_root::gradient(0.0), 3.0);
    assert_eq!(guarded_root::derivative(0.0), 3.0);
    assert_eq!(guarded_root::hvp(0.0, 1.0), 0.0);
}

#[test]
#[should_panic(expected = "no such function: 2")]
fn panics_stay() {
    diverging_arm::gradient(0.7, 2);
}

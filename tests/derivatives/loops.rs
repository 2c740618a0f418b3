//! Loops, each at no, one, two and three iterations.

use chainrule::prelude::*;

use crate::check::{Jet, assert_close, map_table, table};

const X: [f64; 4] = [0.7, 1.9, -0.4, 1.3];
const Y: [f64; 4] = [1.1, -0.6, 0.8, 0.3];

fn x(n: usize) -> Vec<f64> {
    X[..n].to_vec()
}

fn y(n: usize) -> Vec<f64> {
    Y[..n].to_vec()
}

#[differentiable]
fn sum(x: &[f64]) -> f64 {
    let mut total = 0.0;
    for i in 0..x.len() {
        total += x[i];
    }
    total
}

#[differentiable]
fn sum_of_squares(x: &[f64]) -> f64 {
    let mut total = 0.0;
    for v in x {
        total += v * v;
    }
    total
}

#[differentiable]
fn product(x: &[f64]) -> f64 {
    let mut p = 1.0;
    for i in 0..x.len() {
        p *= x[i];
    }
    p
}

#[differentiable]
fn dot(x: &[f64], y: &[f64]) -> f64 {
    let mut total = 0.0;
    for (a, b) in x.iter().zip(y) {
        total += a * b;
    }
    total
}

#[differentiable]
fn power(x: f64, n: usize) -> f64 {
    let mut p = 1.0;
    for _ in 0..n {
        p *= x;
    }
    p
}

#[differentiable]
fn nonlinear_recurrence(x: f64, a: f64, n: usize) -> f64 {
    let mut z = x;
    for _ in 0..n {
        z = a * z * (1.0 - z);
    }
    z
}

#[differentiable]
fn transcendental_recurrence(x: f64, a: f64, n: usize) -> f64 {
    let mut z = x;
    for _ in 0..n {
        z = (a * z).sin() + z.exp() / (1.0 + z * z);
    }
    z
}

#[differentiable]
fn swap(x: f64, y: f64, n: usize) -> f64 {
    let (mut a, mut b) = (x, y);
    for _ in 0..n {
        (a, b) = (b, a);
        a *= 1.5;
    }
    a * a * b
}

#[differentiable]
fn rotation(x: f64, y: f64, z: f64, n: usize) -> f64 {
    let (mut a, mut b, mut c) = (x, y, z);
    for _ in 0..n {
        let t = a;
        a = b;
        b = c;
        c = t * a;
    }
    a + b * b + c * c * c
}

#[differentiable]
fn fibonacci(x: f64, y: f64, n: usize) -> f64 {
    let (mut a, mut b) = (x, y);
    for _ in 0..n {
        (a, b) = (b, a * b);
    }
    b
}

/// The divisor changes from iteration to iteration.
#[differentiable]
fn changing_divisor(x: f64, y: f64, n: usize) -> f64 {
    let (mut z, mut d) = (x, y);
    for _ in 0..n {
        z = z / d;
        d = d + z * x;
    }
    z
}

#[differentiable]
fn changing_factor(x: f64, n: usize) -> f64 {
    let (mut z, mut k) = (x, 1.0);
    for i in 0..n {
        z *= k;
        k = k * 0.5 + x * (i as f64);
    }
    z * k
}

#[differentiable]
fn newton(a: f64, n: usize) -> f64 {
    let mut r = 1.0;
    for _ in 0..n {
        r = 0.5 * (r + a / r);
    }
    r
}

#[differentiable]
fn local_of_an_iteration(x: &[f64]) -> f64 {
    let mut total = 0.0;
    for i in 0..x.len() {
        let mut local = x[i];
        local *= local;
        let other;
        if i % 2 == 0 {
            other = local * x[0];
        } else {
            other = local + 1.0;
        }
        total += local * other;
    }
    total
}

#[differentiable]
fn array_of_an_iteration(x: &[f64]) -> f64 {
    let mut total = 0.0;
    for i in 0..x.len() {
        let mut local = [0.0; 2];
        local[0] += x[i] * x[i];
        local[1] += local[0] * x[0];
        total += local[0] * local[1];
    }
    total
}

#[differentiable]
fn nested(x: &[f64], y: &[f64]) -> f64 {
    let mut total = 0.0;
    for i in 0..x.len() {
        let mut row = 1.0;
        for j in 0..y.len() {
            row = row * x[i] + y[j] * row;
        }
        total += row * row;
    }
    total
}

#[differentiable]
fn triangle(x: &[f64]) -> f64 {
    let mut total = 0.0;
    for i in 0..x.len() {
        for j in 0..i {
            total += (x[i] - x[j]).powi(2) * x[j];
        }
        for j in i..x.len() {
            total -= x[i] * x[j];
        }
    }
    total
}

#[differentiable]
fn three_deep(x: &[f64], n: usize) -> f64 {
    let mut z = 1.0;
    for i in 0..x.len() {
        for _ in 0..n {
            let mut w = x[i];
            for k in 0..i {
                w = w * x[k] + 0.1;
            }
            z = z * w + w;
        }
    }
    z
}

#[differentiable]
fn one_after_the_other(x: &[f64]) -> f64 {
    let mut s = 0.0;
    for v in x.iter() {
        s += v * v;
    }
    let mut p = s;
    for v in x.iter() {
        p = p * v + s;
    }
    p
}

#[differentiable]
fn inclusive(x: f64, n: usize) -> f64 {
    let mut z = x;
    for i in 1..=n {
        z = z * x + i as f64;
    }
    z
}

#[differentiable]
fn reversed(x: &[f64]) -> f64 {
    let mut z = 0.5;
    for i in (0..x.len()).rev() {
        z = z * x[i] + x[i] * x[i];
    }
    z
}

#[differentiable]
fn stepped(x: f64, n: usize) -> f64 {
    let mut z = x;
    for i in (1..n).step_by(2) {
        z = z * x + i as f64;
    }
    for i in (0..n).step_by(3).rev() {
        z = z * x - i as f64;
    }
    for i in (0..=n).rev().step_by(2) {
        z += x * (i as f64);
    }
    z
}

#[differentiable]
fn bounds_from_variables(x: &[f64], from: usize, to: usize) -> f64 {
    let mut z = 1.0;
    let (mut lo, hi) = (from, to.min(x.len()));
    for i in lo..hi {
        lo += 1;
        z *= x[i] * (lo as f64);
    }
    z
}

#[differentiable]
fn signed_range(x: f64, n: i32) -> f64 {
    let mut z = x;
    for i in -1..n - 1 {
        z = z * x + f64::from(i);
    }
    z
}

#[differentiable]
fn horner(x: f64, c: &[f64]) -> f64 {
    let mut y = 0.0;
    for c in c.iter().rev() {
        y = y * x + c;
    }
    y
}

#[differentiable]
fn enumerated(x: &[f64]) -> f64 {
    let mut z = 0.0;
    for (i, v) in x.iter().enumerate() {
        z += v.powi(2) * (i as f64) * x[0];
    }
    z
}

#[differentiable]
fn zipped_and_enumerated(x: &[f64], y: &[f64]) -> f64 {
    let mut z = 1.0;
    for (i, (a, b)) in x.iter().zip(y.iter()).enumerate() {
        z = z * a + b * (i as f64 + 1.0);
    }
    z
}

#[differentiable]
fn copied_elements(x: &[f64]) -> f64 {
    let mut z = 0.0;
    for v in x.iter().copied() {
        z += v.sin() * z + v;
    }
    for &v in x {
        z *= v;
    }
    z
}

#[differentiable]
fn windows(x: &[f64]) -> f64 {
    let mut z = 0.0;
    for w in x.windows(2) {
        z += (w[1] - w[0] * w[0]).powi(2) + z * w[0];
    }
    z
}

#[differentiable]
fn chunks(x: &[f64]) -> f64 {
    let mut z = 1.0;
    for c in x.chunks(2) {
        let mut s = 0.0;
        for v in c {
            s += v * z;
        }
        z = s * c[0];
    }
    for c in x.chunks_exact(2) {
        z += c[0] * c[1];
    }
    z
}

#[differentiable]
fn array_elements(x: [f64; 3]) -> f64 {
    let mut z = 1.0;
    for v in x {
        z = z * v + v * v;
    }
    for v in &x {
        z += v * z;
    }
    z
}

#[differentiable]
fn elements_by_mut(x: &[f64], k: f64) -> f64 {
    let mut v = x.to_vec();
    for e in v.iter_mut() {
        *e *= *e * k;
    }
    for e in &mut v {
        *e += k;
    }
    let mut z = 1.0;
    for e in &v {
        z *= e;
    }
    z
}

#[differentiable]
fn while_counting(x: f64, n: usize) -> f64 {
    let (mut z, mut i) = (x, 0);
    while i < n {
        z = z * x + z.sin();
        i += 1;
    }
    z
}

/// The number of iterations depends on an active value.
#[differentiable]
fn while_active(x: f64, #[constant] limit: f64) -> f64 {
    let mut z = x;
    while z < limit {
        z = z * z + 0.5 * x;
    }
    z * x
}

#[differentiable]
fn while_in_for(x: &[f64]) -> f64 {
    let mut total = 0.0;
    for i in 0..x.len() {
        let (mut z, mut k) = (x[i], i);
        while k > 0 {
            k -= 1;
            z = z * x[k] + total;
        }
        total += z * z;
    }
    total
}

/// Nothing in the loop is active, but its result scales an active value.
#[differentiable]
fn inactive_loop(x: f64, n: usize) -> f64 {
    let mut k = 1.0;
    let mut steps = 0;
    for i in 0..n {
        k *= 0.5 + i as f64;
        steps += i;
    }
    x * x * k + x * (steps as f64)
}

/// The loop-carried value becomes active only in the second iteration.
#[differentiable]
fn active_late(x: f64, n: usize) -> f64 {
    let (mut a, mut b, mut c) = (1.0, 2.0, x);
    for _ in 0..n {
        a = b * 1.5;
        b = c * c;
        c = c * 0.5 + a;
    }
    a * a + b
}

#[differentiable]
fn overwritten_by_a_constant(x: f64, n: usize) -> f64 {
    let mut z = x;
    for i in 0..n {
        if i == 1 {
            z = 0.25;
        }
        z = z * x + z;
    }
    z
}

/// Bounds and conditions from active values: nothing flows through them.
#[differentiable]
fn conditions_only(x: f64, n: usize) -> f64 {
    let mut count = 0;
    let mut z = x;
    for i in 0..n {
        if z > 0.5 {
            count += 1;
        }
        z -= 0.3;
        z *= 1.0 + i as f64 * 0.1;
    }
    x * (count as f64)
}

#[differentiable]
fn single(x: &[f32], k: f32) -> f32 {
    let mut z = k;
    for i in 0..x.len() {
        z = z * x[i] + k.sin();
    }
    z
}

#[differentiable]
fn running(x: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; x.len()];
    let mut z = 1.0;
    for i in 0..x.len() {
        z = z * x[i] + 0.5;
        out[i] = z * z;
    }
    out
}

/// A carried value that nothing reads after the loop, but every iteration.
#[differentiable]
fn carried_and_dropped(x: &[f64]) -> f64 {
    let mut power = x[0];
    let mut sum = 0.0;
    for k in 0..x.len() {
        power = power * x[k];
        sum += power;
    }
    sum
}

#[differentiable]
fn carried_and_dropped_in_a_loop(x: f64) -> f64 {
    let mut power = x;
    let mut sum = 0.0;
    while power > 0.01 {
        sum += power;
        power = power * power;
    }
    sum
}

table! {
    carried_and_dropped: (&[0.5, 0.8, 0.35]), (&[0.5]);
    carried_and_dropped_in_a_loop: (0.8), (0.001);
    sum: for n in 0..4, (&x(n)) => vec![1.0; n];
    sum_of_squares: for n in 0..4, (&x(n)) => X[..n].iter().map(|x| 2.0 * x).collect::<Vec<_>>();
    product: for n in 0..4, (&x(n));
    dot: for n in 0..4, (&x(n), &y(n)), (&x(n), &y(3));
    power: for n in 0..4, (0.7, const n), (0.0, const n);
    nonlinear_recurrence: for n in 0..4, (0.3, 2.9, const n);
    transcendental_recurrence: for n in 0..4, (0.3, 0.9, const n);
    swap: for n in 0..4, (0.7, 1.9, const n);
    rotation: for n in 0..4, (0.7, 1.9, -0.4, const n);
    fibonacci: for n in 0..4, (0.7, 1.9, const n);
    changing_divisor: for n in 0..4, (0.7, 1.9, const n);
    changing_factor: for n in 0..4, (0.7, const n);
    newton: for n in 0..6, (1.9, const n);
    local_of_an_iteration: for n in 0..4, (&x(n));
    array_of_an_iteration: for n in 0..4, (&x(n));
    nested: for n in 0..4, (&x(n), &y(2)), (&x(2), &y(n));
    triangle: for n in 0..4, (&x(n));
    three_deep: for n in 0..4, (&x(n), const 2), (&x(2), const n);
    one_after_the_other: for n in 0..4, (&x(n));
    inclusive: for n in 0..4, (0.7, const n);
    reversed: for n in 0..4, (&x(n));
    stepped: for n in 0..8, (0.7, const n);
    bounds_from_variables: for n in 0..5, (&x(3), const 1, const n);
    signed_range: for n in -1..4, (0.7, const n);
    horner: for n in 0..4, (0.7, &x(n));
    enumerated: for n in 0..4, (&x(n));
    zipped_and_enumerated: for n in 0..4, (&x(n), &y(n)), (&x(3), &y(n));
    copied_elements: for n in 0..4, (&x(n));
    windows: for n in 0..5, (&x(n));
    chunks: for n in 0..5, (&x(n));
    array_elements: ([0.7, 1.9, -0.4]);
    elements_by_mut: for n in 0..4, (&x(n), 1.1);
    while_counting: for n in 0..4, (0.7, const n);
    while_active: for limit in [0.1, 0.8, 0.9, 5.0], (0.7, const limit);
    while_in_for: for n in 0..4, (&x(n));
    inactive_loop: for n in 0..4, (0.7, const n);
    active_late: for n in 0..5, (0.7, const n);
    overwritten_by_a_constant: for n in 0..4, (0.7, const n);
    conditions_only: for n in 0..4, (1.2, const n);
    single: for n in 0..4, (&X[..n].iter().map(|x| *x as f32).collect::<Vec<_>>(), 0.7);
}

map_table! {
    running: for n in 0..4, (&x(n));
}

/// Long enough that an error of any one iteration would show.
#[test]
fn many_iterations() {
    let (x, a) = (0.3, 2.9);
    for n in [10, 100] {
        let mut want = Jet::variable(x);
        for _ in 0..n {
            want = Jet::from(a) * want * (Jet::from(1.0) - want);
        }
        assert_close(&[nonlinear_recurrence::gradient(x, a, n).0], &[want.1]);
        assert_close(&[nonlinear_recurrence::jvp(x, a, n, 1.0, 0.0).1], &[want.1]);
        assert_close(&[nonlinear_recurrence::hvp(x, a, n, 1.0, 0.0).0], &[want.2]);
    }
}

/// Sized up front, unless the number of iterations is out of reach.
#[test]
fn sum_of_many() {
    let x: Vec<f64> = (0..10_000).map(f64::from).collect();
    assert_eq!(
        sum_of_squares::gradient(&x),
        x.iter().map(|x| 2.0 * x).collect::<Vec<_>>()
    );
}

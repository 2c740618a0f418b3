//! Second derivatives: Hessians with closed forms, through calls, loops, branches and memory.

use chainrule::prelude::*;

use crate::check::{Jet, assert_close, check, table};

const X: [f64; 4] = [0.7, 1.9, -0.4, 1.3];

fn x(n: usize) -> Vec<f64> {
    X[..n].to_vec()
}

#[differentiable]
fn rosenbrock(x: &[f64]) -> f64 {
    let mut total = 0.0;
    for i in 1..x.len() {
        let a = x[i] - x[i - 1] * x[i - 1];
        let b = 1.0 - x[i - 1];
        total += 100.0 * a * a + b * b;
    }
    total
}

#[differentiable]
fn cubic(x: &[f64]) -> f64 {
    x[0] * x[0] * x[0] + 2.0 * x[0] * x[1] * x[1]
}

#[differentiable]
#[inline(never)]
fn quadratic(x: &[f64], #[constant] a: &[f64]) -> f64 {
    let n = x.len();
    let mut total = 0.0;
    for i in 0..n {
        for j in 0..n {
            total += 0.5 * x[i] * a[i * n + j] * x[j];
        }
    }
    total
}

#[differentiable]
fn product(x: &[f64]) -> f64 {
    let mut p = 1.0;
    for v in x {
        p *= v;
    }
    p
}

#[differentiable]
#[inline(never)]
fn inner(x: f64, y: f64) -> f64 {
    (x * y).sin() + x / y
}

#[differentiable]
#[inline(never)]
fn middle(x: f64, y: f64) -> f64 {
    let a: f64 = inner(x, y);
    let b: f64 = inner(a, x);
    a * b
}

/// Calls, two deep.
#[differentiable]
fn outer(x: f64, y: f64) -> f64 {
    middle(x * x, y) * middle(y, x)
}

#[differentiable]
#[inline(never)]
fn scaled_by(v: &mut [f64], k: f64) -> f64 {
    let mut s = 0.0;
    for i in 0..v.len() {
        v[i] *= k * v[i];
        s += v[i];
    }
    s
}

#[differentiable]
fn through_memory(x: &[f64], k: f64, n: usize) -> f64 {
    let mut v = x.to_vec();
    let mut total = 0.0;
    for _ in 0..n {
        let s: f64 = scaled_by(&mut v, k);
        total += s * s * v[0];
    }
    total
}

#[differentiable]
fn with_exits(x: &[f64], limit: usize) -> f64 {
    let mut z = 1.0;
    for i in 0..x.len() {
        if i == limit {
            return z * x[i] * x[i];
        }
        z *= x[i].exp();
    }
    z * x[0]
}

/// Returns before a loop that would push residuals.
#[differentiable]
fn returns_early(x: f64, n: usize, early: bool) -> f64 {
    if early {
        return x * x * x;
    }
    let mut z = x;
    let mut i = 0;
    while i < n {
        z = z.sin() * x;
        i += 1;
    }
    z
}

#[differentiable]
fn max_of_products(x: f64, y: f64) -> f64 {
    (x * y).max(x + y) * (x - y).min(x * x).abs()
}

#[differentiable]
fn max_inside(x: &[f64]) -> f64 {
    let mut top = x[0] * x[1];
    for i in 0..x.len() {
        top = top.max(x[i] * x[i] * x[i]);
    }
    top * x[0]
}

#[differentiable]
fn mixed_mutation(state: &mut [f64], k: f64, n: usize) -> f64 {
    for i in 0..n {
        let j = (i + 1) % state.len();
        state[i % 3] = state[j] * k + state[i % 3].sin();
        state.swap(0, j);
    }
    state[0] * state[1] + state[2] * state[2]
}

#[differentiable]
fn solver(a: f64, n: usize) -> f64 {
    let mut z = 1.5;
    for _ in 0..n {
        z -= (z * z * z - a) / (3.0 * z * z);
    }
    z
}

#[differentiable]
fn iterated(x: f64, n: usize) -> f64 {
    let mut z = x;
    for _ in 0..n {
        z = (z * x).sin() + (z * 0.1).exp() / (z * z + 1.0).sqrt();
    }
    z
}

#[differentiable]
fn linear(x: &[f64]) -> f64 {
    let mut s = 3.0;
    for v in x {
        s += 2.0 * v;
    }
    s
}

#[differentiable]
#[inline(never)]
fn recursive(x: f64, n: usize) -> f64 {
    if n == 0 {
        return x.sin();
    }
    let rest: f64 = recursive(x * 1.1, n - 1);
    rest * x + rest * rest
}

#[differentiable]
fn in_single(x: &[f32]) -> f32 {
    let mut p = 1.0;
    for v in x {
        p *= v.sin();
    }
    p
}

table! {
    rosenbrock: for n in 0..5, (&x(n));
    cubic: (&x(2));
    product: for n in 0..5, (&x(n));
    outer: (0.7, 1.9);
    through_memory: for n in 0..4, (&x(2), 0.6, const n), (&x(n + 1), 0.6, const 1);
    with_exits: for limit in 0..4, (&x(3), const limit);
    returns_early: for n in 0..4, (0.7, const n, const true), (0.7, const n, const false);
    max_of_products: (0.7, 1.9), (1.9, 0.7), (3.7, 2.2);
    max_inside: (&x(4)), (&x(2));
    mixed_mutation: for n in 0..5, (&mut x(3), 0.8, const n);
    solver: for n in 0..5, (1.9, const n);
    recursive: for n in 0..4, (0.7, const n);
    in_single: for n in 0..4, (&[0.7, 1.9, -0.4][..n].iter().map(|x| *x as f32).collect::<Vec<_>>());
}

#[test]
fn hessian_of_rosenbrock() {
    for n in 0..5 {
        let x = x(n);
        let h = rosenbrock::hessian(&x);
        assert_eq!((h.nrows(), h.ncols()), (n, n));
        let mut want = vec![0.0; n * n];
        for i in 1..n {
            let (p, q) = (i - 1, i);
            want[p * n + p] += 1200.0 * x[p] * x[p] - 400.0 * x[q] + 2.0;
            want[p * n + q] -= 400.0 * x[p];
            want[q * n + p] -= 400.0 * x[p];
            want[q * n + q] += 200.0;
        }
        assert_close(h.as_slice(), &want);
    }
}

#[test]
fn hessian_of_a_quadratic_form_is_its_matrix() {
    let a = [2.0, -1.0, 0.5, -1.0, 3.0, 0.25, 0.5, 0.25, 1.5];
    let h = quadratic::hessian(&x(3), &a);
    assert_close(h.as_slice(), &a);
    assert_close(
        &quadratic::hvp(&x(3), &a, &[1.0, 0.0, -2.0]),
        &[1.0, -1.5, -2.5],
    );
    check!(quadratic(&x(3), const &a));
}

#[test]
fn hessian_of_a_linear_function_is_zero() {
    for n in 0..4 {
        assert_eq!(linear::hessian(&x(n)).as_slice(), vec![0.0; n * n]);
        assert_eq!(linear::hvp(&x(n), &x(n)), vec![0.0; n]);
    }
}

#[test]
fn against_truncated_taylor_series() {
    for n in [0, 1, 2, 3, 20] {
        let x = Jet::variable(0.7);
        let mut z = x;
        for _ in 0..n {
            let root = (z * z + Jet::from(1.0)).sqrt();
            z = (z * x).sin() + (z * Jet::from(0.1)).exp() / root;
        }
        assert_close(&[iterated::derivative(0.7, n)], &[z.1]);
        let got = iterated::hvp(0.7, n, 1.0);
        assert!(
            (got - z.2).abs() <= 1e-11 * z.2.abs().max(1.0),
            "{got} is not {}",
            z.2
        );
    }
}

/// The product is linear in the direction.
#[test]
fn zero_direction() {
    assert_eq!(rosenbrock::hvp(&x(3), &[0.0; 3]), [0.0; 3]);
    assert_eq!(outer::hvp(0.7, 1.9, 0.0, 0.0), (0.0, 0.0));
}

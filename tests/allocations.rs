//! What runs must not allocate where nothing has to be stored: gradients of sums into buffers of the caller's.

#![allow(
    clippy::needless_range_loop,
    reason = "loops are of the kinds that are to be differentiated"
)]

use std::hint::black_box;

use allocation_counter::measure;
use chainrule::prelude::*;

#[differentiable]
fn sum(x: &[f64]) -> f64 {
    let mut total = 0.0;
    for v in x {
        total += v;
    }
    total
}

#[differentiable]
fn sum_of_sines(x: &[f64]) -> f64 {
    let mut total = 0.0;
    for i in 0..x.len() {
        total += x[i].sin();
    }
    total
}

#[differentiable]
fn map_sin_cos_exp(x: &[f64]) -> f64 {
    let mut total = 0.0;
    for v in x {
        total += v.sin() * v.cos().exp();
    }
    total
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
fn branches(x: &[f64]) -> f64 {
    let mut total = 0.0;
    for v in x {
        if *v > 0.0 {
            total += v * v;
        } else {
            total -= v.exp();
        }
    }
    total
}

#[differentiable]
fn nll(w: &[f64], #[constant] x: &[f64], #[constant] y: &[f64]) -> f64 {
    let d = w.len();
    let mut total = 0.0;
    for i in 0..y.len() {
        let row = &x[i * d..(i + 1) * d];
        let mut z = 0.0;
        for j in 0..d {
            z += w[j] * row[j];
        }
        total += z.exp().ln_1p() - y[i] * z;
    }
    total
}

/// Elements of one list or the other are read again.
#[differentiable]
fn chosen(x: &[f64], #[constant] y: &[f64]) -> f64 {
    let mut total = 0.0;
    for i in 0..10 {
        let row = if i % 2 == 0 { x } else { y };
        let mut z = 0.0;
        for j in 0..row.len() {
            z += x[j] * row[j];
        }
        total += z * z * z;
    }
    total
}

#[differentiable]
fn two_parameters(x: &[f64], k: f64) -> f64 {
    let mut total = 0.0;
    for v in x {
        total += (v * k).sin();
    }
    total * k
}

#[differentiable]
fn scalar(x: f64, y: f64) -> f64 {
    (x * y).sin() * x.exp() + if x > y { x } else { y * y }
}

#[differentiable]
fn fixed(x: [f64; 4]) -> f64 {
    x[0] * x[1] + x[2].sin() * x[3]
}

fn points() -> Vec<f64> {
    (0..1000).map(|i| f64::from(i % 17) * 0.1 - 0.7).collect()
}

/// The number of allocations of a call, and what it returns.
fn allocations(f: impl FnOnce() -> f64) -> (u64, f64) {
    let mut value = f64::NAN;
    let count = measure(|| value = f()).count_total;
    (count, value)
}

#[test]
fn the_counter_counts() {
    assert_eq!(measure(|| drop(black_box(vec![1.0; 10]))).count_total, 1);
    assert_eq!(
        allocations(|| black_box(sum::gradient(&black_box(points())[..10]))[0]).0,
        2
    );
}

#[test]
fn gradients_of_sums_allocate_nothing() {
    type Function = fn(&[f64]) -> f64;
    type Into = fn(&[f64], &mut [f64]) -> f64;
    let functions: [(&str, Function, Into); 5] = [
        ("sum", sum, sum::value_and_gradient_into),
        (
            "sum_of_sines",
            sum_of_sines,
            sum_of_sines::value_and_gradient_into,
        ),
        (
            "map_sin_cos_exp",
            map_sin_cos_exp,
            map_sin_cos_exp::value_and_gradient_into,
        ),
        (
            "rosenbrock",
            rosenbrock,
            rosenbrock::value_and_gradient_into,
        ),
        ("branches", branches, branches::value_and_gradient_into),
    ];
    let x = points();
    let mut x_bar = vec![0.0; x.len()];
    for (name, f, into) in functions {
        assert_eq!(
            (name, allocations(|| into(&x, &mut x_bar))),
            (name, (0, f(&x)))
        );
    }
}

#[test]
fn other_parameters_allocate_nothing() {
    let x = points();
    let (mut x_bar, mut k_bar) = (vec![0.0; x.len()], 0.0);
    let got =
        allocations(|| two_parameters::value_and_gradient_into(&x, 0.3, &mut x_bar, &mut k_bar));
    assert_eq!(got, (0, two_parameters(&x, 0.3)));
    let y = vec![1.0; 100];
    let mut w_bar = vec![0.0; 10];
    let got = allocations(|| nll::value_and_gradient_into(&x[..10], &x, &y, &mut w_bar));
    assert_eq!(got, (0, nll(&x[..10], &x, &y)));
    let got = allocations(|| chosen::value_and_gradient_into(&x[..10], &y[..9], &mut w_bar));
    assert_eq!(got, (0, chosen(&x[..10], &y[..9])));
    let (mut x_bar, mut y_bar) = (0.0, 0.0);
    assert_eq!(
        allocations(|| scalar::value_and_gradient_into(0.7, 1.9, &mut x_bar, &mut y_bar)),
        (0, scalar(0.7, 1.9))
    );
    let mut x_bar = [0.0; 4];
    let point = [0.7, 1.9, -0.4, 1.3];
    assert_eq!(
        allocations(|| fixed::value_and_gradient_into(point, &mut x_bar)),
        (0, fixed(point))
    );
}

/// The other drivers, where their results need no memory.
#[test]
fn scalar_rules_allocate_nothing() {
    assert_eq!(allocations(|| scalar::gradient(0.7, 1.9).0).0, 0);
    assert_eq!(allocations(|| scalar::hvp(0.7, 1.9, 1.0, 0.0).0).0, 0);
    assert_eq!(allocations(|| scalar::jvp(0.7, 1.9, 1.0, 0.0).1).0, 0);
    assert_eq!(allocations(|| scalar::rrule(0.7, 1.9).1(1.0).0).0, 0);
    assert_eq!(
        allocations(|| fixed::gradient([0.7, 1.9, -0.4, 1.3])[0]).0,
        0
    );
    let (x, x_dot) = (points(), points());
    assert_eq!(allocations(|| sum_of_sines::frule(Dual(&x, &x_dot)).1).0, 0);
    assert_eq!(
        allocations(|| nll::frule(Dual(&x[..10], &x_dot[..10]), &x, &x[..100]).1).0,
        0
    );
}

/// Inside of loops nothing is allocated for an iteration: at most, an array is doubled from time to time.
#[test]
fn iterations_allocate_nothing() {
    #[differentiable]
    fn product(x: &[f64]) -> f64 {
        let mut p = 1.0;
        for v in x {
            p = p * v.sin() + v;
        }
        p
    }

    #[differentiable]
    fn nested(x: &[f64], n: usize) -> f64 {
        let mut z = 1.0;
        for i in 0..n {
            let mut w = x[i];
            for k in 0..10 {
                w = w.sin() + x[k];
            }
            z *= w.cos();
        }
        z
    }

    let x = points();
    let mut x_bar = vec![0.0; x.len()];
    let few = allocations(|| product::value_and_gradient_into(&x[..100], &mut x_bar[..100])).0;
    let many = allocations(|| product::value_and_gradient_into(&x, &mut x_bar)).0;
    assert_eq!(few, many);
    let few = allocations(|| nested::value_and_gradient_into(&x, 8, &mut x_bar)).0;
    let many = allocations(|| nested::value_and_gradient_into(&x, 512, &mut x_bar)).0;
    let doublings = 6;
    assert!(
        many <= few + 2 * doublings,
        "{few} allocations have become {many}"
    );
}

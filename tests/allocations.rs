//! Gradients that have nothing to store don't allocate: those of sums, into buffers of the caller's.

#![allow(
    clippy::needless_range_loop,
    reason = "loops are of the kinds that are to be differentiated"
)]

use std::hint::black_box;

use allocation_counter::measure;
use chainrule::prelude::*;
use chainrule::{Matrix, workspace};

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
    let x = points();
    let mut x_bar = vec![0.0; x.len()];
    // A new workspace makes room to keep buffers as well.
    let mut first = |f: &mut dyn FnMut(&mut [f64]) -> f64| {
        workspace::release();
        allocations(|| f(&mut x_bar)).0
    };
    let few = first(&mut |x_bar| product::value_and_gradient_into(&x[..100], &mut x_bar[..100]));
    let many = first(&mut |x_bar| product::value_and_gradient_into(&x, x_bar));
    assert_eq!(few, many);
    let few = first(&mut |x_bar| nested::value_and_gradient_into(&x, 8, x_bar));
    let many = first(&mut |x_bar| nested::value_and_gradient_into(&x, 512, x_bar));
    let doublings = 6;
    assert!(
        many <= few + 2 * doublings,
        "{few} allocations have become {many}"
    );
}

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

/// Only the run tells how often the loop runs.
#[differentiable]
fn limited(x: &[f64]) -> f64 {
    let mut p = 1.0;
    let mut i = 0;
    while p.abs() < 1e9 && i < x.len() {
        p = p * x[i].sin() + x[i];
        i += 1;
    }
    p
}

#[differentiable]
#[inline(never)]
fn step(w: f64, x: &[f64]) -> f64 {
    let mut p = w;
    for v in x {
        p = p.sin() + v;
    }
    p
}

/// A pullback for each trip.
#[differentiable]
fn stepped(x: &[f64], n: usize) -> f64 {
    let mut w = 0.3;
    for _ in 0..n {
        w = step(w, x);
    }
    w
}

/// The callee works in place, in rows of a list of rows.
#[differentiable]
#[inline(never)]
fn smooth(row: &mut [f64], k: f64) {
    for i in 1..row.len() {
        row[i] = row[i - 1].sin() * row[i] * k;
    }
}

#[differentiable]
fn rows(a: &[Vec<f64>], k: f64) -> f64 {
    let mut b = a.to_vec();
    for i in 0..b.len() {
        smooth(&mut b[i], k);
    }
    let mut s = 0.0;
    for row in &b {
        for v in row {
            s += v * v;
        }
    }
    s
}

#[differentiable]
fn local_rows(x: &[f64]) -> f64 {
    let n = 8;
    let mut a = vec![vec![0.0; n]; n];
    for i in 0..n {
        for j in 0..n {
            a[i][j] = x[i] * x[j];
        }
    }
    for i in 1..n {
        for j in 0..n {
            a[i][j] *= a[i - 1][j].sin();
        }
    }
    let mut s = 0.0;
    for i in 0..n {
        s += a[i][i];
    }
    s
}

/// Buffers of the function, and of each trip.
#[differentiable]
fn scratch(x: &[f64], n: usize) -> f64 {
    let mut z = vec![1.0; x.len()];
    for k in 0..n {
        let mut y = vec![0.0; x.len()];
        for i in 0..x.len() {
            y[i] = (x[i] * z[i]).sin();
        }
        for i in 1..x.len() {
            y[i] *= y[i - 1] + 1.0;
        }
        z[k % x.len()] = y[x.len() - 1] + y[k % x.len()];
    }
    z[0] * z[1]
}

#[differentiable]
fn chained(x: &[f64]) -> f64 {
    let y: Vec<f64> = x.iter().map(|v| v.sin()).collect();
    let most = y.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let small: Vec<f64> = y.iter().filter(|v| **v < 0.5).map(|v| v * v).collect();
    let total: f64 = small.iter().sum();
    y.iter().map(|v| (v - most).exp()).sum::<f64>().ln() + most * total
}

#[differentiable]
fn grown(x: &[f64]) -> f64 {
    let mut y = Vec::new();
    let mut z = Vec::with_capacity(3);
    for v in x {
        if *v > 0.0 {
            y.push(v * v);
        } else {
            z.push(v.cos());
        }
    }
    let mut p = 1.0;
    for v in &y {
        p = p * v.sin() + v;
    }
    p * z[0]
}

#[differentiable]
fn recursive(x: &[f64], depth: usize) -> f64 {
    if depth == 0 {
        return x[0];
    }
    let mut p = 1.0;
    for v in x {
        p = p * v.sin() + v;
    }
    p.sin() * recursive(x, depth - 1)
}

#[differentiable]
fn generic<T: Real>(x: &[T]) -> T {
    let mut y = vec![T::zero(); x.len()];
    let mut p = T::one();
    for i in 0..x.len() {
        y[i] = p * x[i];
        p = p * x[i].sin() + y[i];
    }
    p
}

#[differentiable]
fn matrix(a: &Matrix, x: &[f64]) -> f64 {
    let mut y = x.to_vec();
    for _ in 0..3 {
        let mut z = vec![0.0; y.len()];
        for i in 0..y.len() {
            for j in 0..y.len() {
                z[i] += a[(i, j)] * y[j];
            }
        }
        for i in 0..y.len() {
            y[i] = z[i].tanh();
        }
    }
    y[0]
}

/// A function as an argument that isn't known here.
#[differentiable]
#[inline(never)]
fn summed(f: impl Fn(f64, f64) -> f64, x: &[f64]) -> f64 {
    let mut s = 1.0;
    for v in x {
        s = f(s, *v);
    }
    s
}

#[differentiable]
fn with_closure(x: &[f64], k: f64) -> f64 {
    summed(|s, v| (s * k).sin() + v, x)
}

/// Once it has run, a gradient into buffers of the caller's allocates nothing.
#[test]
fn further_calls_allocate_nothing() {
    let x = &points()[..100];
    let (mut x_bar, mut k_bar) = (vec![0.0; 100], 0.0);
    let a = vec![x.to_vec(); 10];
    let mut a_bar = a.clone();
    let m = Matrix::from_vec(20, 20, (0..400).map(|i| f64::from(i % 23) * 0.01).collect());
    let mut m_bar = m.clone();
    let mut steady = |name: &str, f: &mut dyn FnMut(&mut [f64]) -> f64| {
        // Lists that grow, and tapes of nests, find memory that is large enough after some calls.
        for _ in 0..3 {
            f(&mut x_bar);
        }
        let (count, value) = allocations(|| f(&mut x_bar));
        assert!(value.is_finite());
        assert_eq!((name, count), (name, 0));
    };
    steady("product", &mut |x_bar| {
        product::value_and_gradient_into(x, x_bar)
    });
    steady("nested", &mut |x_bar| {
        nested::value_and_gradient_into(x, 80, x_bar)
    });
    steady("limited", &mut |x_bar| {
        limited::value_and_gradient_into(x, x_bar)
    });
    steady("stepped", &mut |x_bar| {
        stepped::value_and_gradient_into(x, 20, x_bar)
    });
    steady("rows", &mut |_| {
        rows::value_and_gradient_into(&a, 1.1, &mut a_bar, &mut k_bar)
    });
    steady("local_rows", &mut |x_bar| {
        local_rows::value_and_gradient_into(x, x_bar)
    });
    steady("scratch", &mut |x_bar| {
        scratch::value_and_gradient_into(x, 10, x_bar)
    });
    steady("chained", &mut |x_bar| {
        chained::value_and_gradient_into(x, x_bar)
    });
    steady("grown", &mut |x_bar| {
        grown::value_and_gradient_into(x, x_bar)
    });
    steady("recursive", &mut |x_bar| {
        recursive::value_and_gradient_into(x, 10, x_bar)
    });
    steady("generic", &mut |x_bar| {
        generic::value_and_gradient_into(x, x_bar)
    });
    steady("matrix", &mut |x_bar| {
        matrix::value_and_gradient_into(&m, &x[..20], &mut m_bar, &mut x_bar[..20])
    });
    steady("with_closure", &mut |x_bar| {
        with_closure::value_and_gradient_into(x, 0.7, x_bar, &mut k_bar)
    });
    // The split rule, and its pullback.
    steady("pullback", &mut |x_bar| {
        let (value, pullback) = scratch::rrule(x, 10);
        pullback(1.0, CoDual(x, x_bar));
        value
    });
}

/// The other drivers allocate what they return.
#[test]
fn drivers_allocate_their_results() {
    let x = &points()[..50];
    let count = |results: u64, f: &mut dyn FnMut()| {
        for _ in 0..3 {
            f();
        }
        assert_eq!(measure(f).count_total, results);
    };
    count(1, &mut || drop(scratch::gradient(x, 10)));
    count(1, &mut || drop(scratch::vjp(x, 10, 1.0)));
    count(0, &mut || {
        scratch::jvp(x, 10, x);
    });
    count(2, &mut || drop(scratch::value_gradient_and_hvp(x, 10, x)));
}

#[differentiable]
fn pendulum(angle: f64, length: f64, #[constant] steps: usize) -> f64 {
    let (mut angle, mut speed) = (angle, 0.0);
    #[checkpoint(100)]
    for _ in 0..steps {
        speed -= 0.001 / length * angle.sin();
        angle += 0.001 * speed;
    }
    angle
}

#[differentiable]
fn pendulum_with_residuals(angle: f64, length: f64, #[constant] steps: usize) -> f64 {
    let (mut angle, mut speed) = (angle, 0.0);
    for _ in 0..steps {
        speed -= 0.001 / length * angle.sin();
        angle += 0.001 * speed;
    }
    angle
}

#[differentiable]
fn heat(start: &[f64], k: f64, #[constant] steps: usize, #[constant] states: usize) -> f64 {
    let mut u = start.to_vec();
    let m = u.len();
    #[checkpoint(states)]
    for _ in 0..steps {
        for j in 1..m - 1 {
            u[j] += k * (u[j + 1] - 2.0 * u[j] + u[j - 1]).sin();
        }
    }
    u[m / 2]
}

/// A hundred states of two numbers, and their positions, for a million steps.
#[test]
fn loops_with_checkpoints_keep_few_states() {
    let steps = if cfg!(debug_assertions) {
        20_000
    } else {
        1_000_000
    };
    let most = 100 * 3 * 8 + 200;
    let (mut few, mut all) = ((0.0, 0.0), (0.0, 0.0));
    workspace::release();
    let measured = measure(|| {
        pendulum::value_and_gradient_into(0.5, 9.81, steps, &mut few.0, &mut few.1);
    });
    assert!(measured.bytes_max < most, "{} bytes", measured.bytes_max);
    workspace::release();
    let measured = measure(|| {
        pendulum_with_residuals::value_and_gradient_into(0.5, 9.81, steps, &mut all.0, &mut all.1);
    });
    assert!(measured.bytes_max >= 16 * steps as u64);
    assert_eq!(few, all);
    workspace::release();
    let measured = measure(|| _ = black_box(pendulum::vjp(0.5, 9.81, steps, 1.0)));
    assert!(measured.bytes_max < most, "{} bytes", measured.bytes_max);
    workspace::release();
    let measured = measure(|| _ = black_box(pendulum::hvp(0.5, 9.81, steps, 1.0, 0.0)));
    assert!(
        measured.bytes_max < most + 1600,
        "{} bytes",
        measured.bytes_max
    );
}

/// The states are lists, and so are the residuals of one step.
#[test]
fn states_that_are_lists() {
    let start: Vec<f64> = (0..100).map(|k| f64::from(k).sin()).collect();
    for (steps, states) in [(200, 5), (800, 5), (200, 20)] {
        workspace::release();
        let measured = measure(|| drop(black_box(heat::gradient(&start, 0.1, steps, states))));
        let most = (states as u64 + 10) * 800 + 2000;
        assert!(measured.bytes_max < most, "{} bytes", measured.bytes_max);
    }
}

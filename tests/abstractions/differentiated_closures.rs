//! Closures that are differentiated where they stand, against closed forms, differences, and functions with the same bodies.

use chainrule::prelude::*;
use chainrule::{closure, derivative};

use crate::check::assert_close;

#[differentiable]
#[inline(never)]
fn square(x: f64) -> f64 {
    x * x
}

struct Model {
    weights: Vec<f64>,
    degree: i32,
}

#[test]
fn of_a_number() {
    let k = 3.0;
    let f = closure!(|t: f64| (k * t).sin() * t);
    let t = 0.7;
    assert_eq!(f.call(t), (k * t).sin() * t);
    let slope = (k * t).sin() + k * t * (k * t).cos();
    assert_close(
        &[
            f.derivative(t),
            f.gradient(t),
            f.jvp(t, 1.0).1,
            f.vjp(t, 1.0).1,
        ],
        &[slope; 4],
    );
    let curvature = 2.0 * k * (k * t).cos() - k * k * t * (k * t).sin();
    assert_close(&[f.second_derivative(t), f.hvp(t, 1.0)], &[curvature; 2]);
}

#[test]
fn in_one_line() {
    assert_eq!(derivative!(|t: f64| t * t * t; 2.0), 12.0);
    let (mut x, target) = (1.0, 2.0);
    for _ in 0..6 {
        x -= (x * x - target) / derivative!(|t: f64| t * t - target; x);
    }
    assert!((x - f64::sqrt(2.0)).abs() < 1e-15);
    assert_eq!(derivative!(|t: f64, n: i32| t.powi(n); 2.0, 3), 12.0);
    assert_eq!(derivative!(|t: f32| -> f32 { t * t }; 3.0), 6.0);
}

/// Captured lists, fields, references, lengths and exponents are constants, and still there afterwards.
#[test]
fn captures() {
    let model = Model {
        weights: vec![0.5, 2.0, -1.0],
        degree: 3,
    };
    let (table, n) = ([[1.0, 2.0], [3.0, 4.0]], 2);
    let offset = &model.weights[1];
    let f = closure!(|x: &[f64], a: f64| {
        let mut total = a * offset;
        for i in 0..x.len() {
            if i < n {
                total += table[i][1] * x[i];
            }
            total += model.weights[i] * x[i].powi(model.degree) * a;
        }
        total.exp() + square(a)
    });
    let by_hand = |x: &[f64], a: f64| {
        let mut total = a * 2.0;
        for i in 0..x.len() {
            total += if i < 2 {
                2.0 * (i + 1) as f64 * x[i]
            } else {
                0.0
            };
            total += model.weights[i] * x[i].powi(3) * a;
        }
        total.exp() + a * a
    };
    let (x, a) = ([0.3, -0.2, 0.6], 0.4);
    assert_close(&[f.call(&x, a)], &[by_hand(&x, a)]);
    let (value, (x_bar, a_bar)) = f.value_and_gradient(&x, a);
    assert_eq!(value, f.call(&x, a));
    let h = 1e-6;
    for i in 0..3 {
        let moved = |by: f64| {
            let mut x = x;
            x[i] += by;
            by_hand(&x, a)
        };
        assert!((x_bar[i] - (moved(h) - moved(-h)) / (2.0 * h)).abs() < 1e-8);
    }
    let difference = (by_hand(&x, a + h) - by_hand(&x, a - h)) / (2.0 * h);
    assert!((a_bar - difference).abs() < 1e-8);
    assert_eq!((table.len(), model.weights.len()), (2, 3));
    // Second order against differences of first order, and by both ways.
    let ((hxx, hxa), (hax, haa)) = f.hessian(&x, a);
    let up = f.gradient(&x, a + h);
    let down = f.gradient(&x, a - h);
    for i in 0..3 {
        assert!((hxa[(i, 0)] - (up.0[i] - down.0[i]) / (2.0 * h)).abs() < 1e-6);
        assert!((hxa[(i, 0)] - hax[(0, i)]).abs() < 1e-12);
        for j in 0..3 {
            assert!((hxx[(i, j)] - hxx[(j, i)]).abs() < 1e-12);
        }
    }
    assert!((haa[(0, 0)] - (up.1 - down.1) / (2.0 * h)).abs() < 1e-6);
    let (dx, da) = ([1.0, -2.0, 0.5], 0.3);
    let along = f.jvp(&x, a, &dx, da).1;
    assert_close(&[along], &[x_bar.inner(&dx.to_vec()) + a_bar * da]);
}

use chainrule::Tangent;

#[derive(Differentiable, Clone, Debug, PartialEq)]
struct Spring {
    stiffness: f64,
    length: f64,
}

/// Of structs, constants and `&mut`, with several results.
#[test]
fn signatures() {
    let load = 2.0;
    let spring = Spring {
        stiffness: 3.0,
        length: 0.5,
    };
    let energy = closure!(|spring: &Spring, #[constant] scale: f64| {
        0.5 * spring.stiffness * spring.length * spring.length * scale - load * spring.length
    });
    assert_eq!(
        energy.gradient(&spring, 2.0),
        SpringTangent {
            stiffness: 0.25,
            length: 1.0
        }
    );
    let moved = closure!(|x: &[f64; 2], n: usize| -> Vec<f64> {
        let mut y = vec![0.0; n];
        for i in 0..n {
            y[i] = x[i % 2] * x[0] * load;
        }
        y
    });
    assert_eq!(
        moved.jacobian(&[1.0, 3.0], 3).into_vec(),
        [4.0, 0.0, 6.0, 2.0, 4.0, 0.0]
    );
    let (value, cotangent) = moved.vjp(&[1.0, 3.0], 2, vec![1.0, 10.0]);
    assert_eq!((value, cotangent), (vec![2.0, 6.0], [64.0, 20.0]));
    let mut buffer = [0.0; 2];
    assert_eq!(moved.jacobian_into(&[1.0, 3.0], 1, &mut buffer), [2.0]);
    assert_eq!(buffer, [4.0, 0.0]);
    let step = closure!(|state: &mut [f64], h: f64| {
        state[0] += h * state[1] * load;
        state[0] * state[0]
    });
    let mut state = [1.0, 2.0];
    assert_eq!(
        step.value_and_gradient(&mut state, 0.5),
        (9.0, (vec![6.0, 6.0], 24.0))
    );
    assert_eq!(state, [1.0, 2.0]);
}

/// A captured variable that both levels write: each closure has its own, and the inner derivative is a constant of the outer one.
#[test]
fn no_perturbation_is_confused() {
    let x = 4.0;
    let inner = derivative!(|y: f64| x * y; 1.0);
    let outer = derivative!(|x: f64| x * inner; 4.0);
    assert_eq!((inner, outer), (4.0, 4.0));
}

/// Sums and early exits, as everywhere else.
#[test]
fn bodies() {
    let limit = 2.0;
    let f = closure!(|x: &[f64]| {
        let mut total = 0.0;
        for v in x {
            if total > limit {
                break;
            }
            total += v * v;
        }
        total
            + x.iter()
                .zip(x.iter().skip(1))
                .map(|(a, b)| a * b)
                .sum::<f64>()
    });
    assert_eq!(f.gradient(&[1.0, 2.0, 3.0]), [2.0 + 2.0, 4.0 + 4.0, 2.0]);
}

#[differentiable]
fn weighed(weights: &[f64], t: f64) -> f64 {
    weights[0] * t + weights[1] * t * t
}

#[differentiable]
fn twice(f: impl Fn(f64) -> f64, t: f64) -> f64 {
    f(f(t))
}

#[differentiable]
fn cube(t: f64) -> f64 {
    t * t * t
}

/// Captured variables as arguments of calls, and functions by their paths.
#[test]
fn captured_arguments() {
    let weights = vec![2.0, 3.0];
    let weights: &[f64] = &weights;
    let f = closure!(|t: f64| {
        let sum = weighed(weights, t);
        sum * sum
    });
    assert_eq!(f.derivative(1.0), 2.0 * 5.0 * 8.0);
    let g = closure!(|t: f64| twice(self::cube, t) + twice(|s| s * weights[0], t));
    assert_eq!(g.derivative(1.0), 9.0 + 4.0);
}

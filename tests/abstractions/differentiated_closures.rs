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

#[derive(Clone, Differentiable)]
struct Beam {
    loads: Vec<f64>,
    span: f64,
}

#[differentiable]
impl Beam {
    fn moment(&self, t: f64) -> f64 {
        self.span * t * t * self.loads[0]
    }
}

/// Rules read a captured variable where it stands, and never move it: as a receiver, behind `&`, in loops with and without exits, in chains and matches.
#[test]
fn captured_places() {
    let beam = Beam {
        loads: vec![1.0, 2.0],
        span: 3.0,
    };
    let list = vec![1.0, 2.0];
    let rows = vec![list.clone(); 2];
    let maybe = Some(vec![5.0]);
    let t = 2.0;
    let at = [
        (closure!(|t: f64| beam.moment(t)).derivative(t), 12.0),
        (
            closure!(|t: f64| beam.clone().moment(t)).derivative(t),
            12.0,
        ),
        (
            derivative!(|t: f64| { let all = &beam.loads; all[0] * t * all.len() as f64 }; t),
            2.0,
        ),
        (
            derivative!(|t: f64| { let b = &beam; b.loads[1] * t * t }; t),
            8.0,
        ),
        (
            derivative!(|t: f64| { let mut s = 0.0; for e in &list { s += *e * t; } s }; t),
            3.0,
        ),
        (
            derivative!(|t: f64| {
                let mut s = 0.0;
                for e in list.iter() {
                    s += *e * t;
                    if s > 1.0 { break; }
                }
                s
            }; t),
            1.0,
        ),
        (
            derivative!(|t: f64| {
                let mut s = 0.0;
                for (i, e) in list.iter().enumerate() {
                    s += *e * t;
                    if i == 1 { return s * t; }
                }
                s
            }; t),
            12.0,
        ),
        (
            derivative!(|t: f64| { let mut s = 0.0; for r in &rows { for e in r { s += e * t; } } s }; t),
            6.0,
        ),
        (
            derivative!(|t: f64| list.iter().zip(&beam.loads).map(|(e, w)| e * t * w).sum::<f64>(); t),
            5.0,
        ),
        (
            derivative!(|t: f64| match &maybe { Some(w) => w[0] * t, None => t }; t),
            5.0,
        ),
        (
            derivative!(|t: f64| if let Some(w) = &maybe { w[0] * t * t } else { t }; t),
            20.0,
        ),
        (
            derivative!(|t: f64| { let mut own = list.clone(); own[0] = t * t; own[0] * own[1] }; t),
            8.0,
        ),
    ];
    for (k, (found, expected)) in at.into_iter().enumerate() {
        assert_eq!(found, expected, "{k}");
    }
    assert_eq!(closure!(|t: f64| beam.moment(t)).second_derivative(t), 6.0);
    assert_eq!((list.len(), rows.len(), maybe.is_some()), (2, 2, true));
}

/// A method's receiver can be captured, too.
impl Beam {
    fn steepest(&self, t: f64) -> f64 {
        derivative!(|t: f64| self.moment(t) + self.loads.iter().map(|l| l * t).sum::<f64>(); t)
    }
}

#[test]
fn captured_self() {
    let beam = Beam {
        loads: vec![1.0, 2.0],
        span: 3.0,
    };
    assert_eq!(beam.steepest(2.0), 12.0 + 3.0);
}

/// A `move` closure's rules own clones of what they capture: it outlives the originals, and goes to other threads.
#[test]
fn owned_captures() {
    let made: Vec<_> = (1..3)
        .map(|k| {
            let scale = f64::from(k);
            let weights = vec![scale, 2.0 * scale];
            closure!(move |x: &[f64]| x.iter().zip(&weights).map(|(x, w)| x * x * w * scale).sum())
        })
        .collect();
    let found: Vec<_> = made.iter().map(|f| f.gradient(&[1.0, 3.0])).collect();
    assert_eq!(found, [[2.0, 12.0], [8.0, 48.0]]);
    let threads = made
        .into_iter()
        .map(|f| std::thread::spawn(move || f.value_and_gradient(&[1.0, 3.0])));
    let values: Vec<_> = threads.map(|thread| thread.join().unwrap().0).collect();
    assert_eq!(values, [1.0 + 18.0, 4.0 + 72.0]);
}

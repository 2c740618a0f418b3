//! Parallel iterators of `rayon`.

use chainrule::prelude::*;
use rayon::prelude::*;

use crate::check::{check, check_map, flat};

// ---- Sums. ---------------------------------------------------------------------------------------------------------

#[differentiable]
fn squares(mu: f64, w: &[f64], #[constant] data: &[f64]) -> f64 {
    data.par_iter()
        .zip(w.par_iter())
        .map(|(y, w)| w * (y - mu) * (y - mu))
        .sum_in_order()
}

#[differentiable]
fn of_chunks(x: &[f64]) -> f64 {
    let scale = x[0] * 2.0;
    let parts = x
        .par_chunks(3)
        .map(|part| part.iter().product::<f64>() * scale)
        .sum_in_order();
    parts
        + x.par_chunks_exact(4)
            .map(|part| part[0] * part[3])
            .sum_in_order()
}

#[differentiable]
fn of_positions(x: &[f64]) -> f64 {
    let n = x.len();
    (0..n - 1)
        .into_par_iter()
        .map(|i| (x[i + 1] - x[i] * x[i]).powi(2))
        .sum_in_order()
        + x.par_iter()
            .enumerate()
            .map(|(i, x)| i as f64 * x.sin())
            .sum_in_order()
}

#[differentiable]
fn of_some(x: &[f64], limit: f64) -> f64 {
    x.par_iter()
        .with_min_len(2)
        .copied()
        .filter(|x| *x > 0.5)
        .map(|x| x * x * limit)
        .sum()
}

#[differentiable]
fn counted(x: &[f64]) -> f64 {
    let positive = x.par_iter().filter(|x| **x > 0.0).count();
    let total: usize = x.par_iter().map(|x| usize::from(*x < 1.0)).sum();
    x.par_iter().map(|x| x * x * positive as f64).sum_in_order() / total as f64
}

#[test]
fn sums() {
    check!(counted(&[0.5, 1.5, -0.3, 0.8]));
    let data = [0.3, 1.7, -0.4, 2.2, 0.9];
    check!(squares(0.4, &[1.0, 0.5, 2.0, 0.7, 1.1], const &data));
    check!(of_chunks(&[0.5, 1.5, -0.3, 0.8, 1.1, 0.6, 0.2]));
    check!(of_positions(&[0.5, 1.5, -0.3, 0.8]));
    // Two numbers are left, whose sum is the same in both orders.
    check!(of_some(&[0.25, 1.5, 0.45, 0.125, 2.0], 1.5));
}

// ---- Loops that write. ---------------------------------------------------------------------------------------------

#[differentiable]
fn smoothed(x: &[f64], rate: f64) -> f64 {
    let mut y = vec![0.0; x.len()];
    y.par_iter_mut()
        .zip(x.par_iter())
        .for_each(|(y, x)| *y = (x * rate).sin() * x);
    y.par_iter_mut()
        .enumerate()
        .for_each(|(i, y)| *y *= *y + i as f64);
    let mut s = 0.0;
    for v in &y {
        s += v * rate;
    }
    s
}

#[differentiable]
fn rows(m: &mut [f64], w: &[f64]) {
    m.par_chunks_mut(3).zip(w).for_each(|(row, w)| {
        let total: f64 = row.iter().sum();
        for v in row.iter_mut() {
            *v = *v * w / total;
        }
    });
}

/// A sum over what it writes.
#[differentiable]
fn updated(x: &mut [f64], w: &[f64], #[constant] count: &mut [f64]) -> f64 {
    let first = x
        .par_iter_mut()
        .zip(w)
        .map(|(x, w)| {
            *x *= w * *x;
            x.sin()
        })
        .sum_in_order();
    let second = count
        .par_iter_mut()
        .zip(x.par_iter())
        .map(|(count, x)| {
            *count += 1.0;
            x * x * *count
        })
        .sum_in_order();
    first * second + x[0] * count[0]
}

/// `y += a x`, of a matrix by rows.
#[differentiable]
fn product(a: &[f64], x: &[f64], y: &mut [f64]) {
    let n = x.len();
    y.par_iter_mut().zip(a.par_chunks(n)).for_each(|(y, row)| {
        *y += row.iter().zip(x).map(|(a, x)| a * x).sum::<f64>();
    });
}

#[test]
fn written_lists() {
    check!(smoothed(&[0.5, 1.5, -0.3, 0.8, 1.1], 0.7));
    check_map!(rows(
        &mut [0.5, 1.5, 0.3, 0.8, 1.1, 0.6, 0.2],
        &[0.3, 0.9, 1.4]
    ));
    let counts = &mut [1.0, 2.0, 0.5];
    check!(updated(&mut [0.5, 1.5, 0.3], &[0.7, 0.9, 1.4], const &mut counts.clone()));
    check_map!(product(
        &[0.5, 1.5, -0.3, 0.8, 1.1, 0.6],
        &[0.3, 0.9],
        &mut [1.0, 2.0, 3.0]
    ));
}

// ---- Lists that are made. ------------------------------------------------------------------------------------------

#[differentiable]
fn residuals(theta: &[f64], #[constant] t: &[f64], y: &[f64]) -> Vec<f64> {
    t.par_iter()
        .zip(y)
        .map(|(t, y)| theta[0] * (-theta[1] * t).exp() - y)
        .collect()
}

#[differentiable]
fn of_pairs(x: &[f64]) -> f64 {
    let pairs: Vec<[f64; 2]> = (0..x.len())
        .into_par_iter()
        .map(|i| [x[i], x[i] * x[(i + 1) % x.len()]])
        .collect();
    let mut s = 0.0;
    for [a, b] in &pairs {
        s += a.sin() * b;
    }
    s
}

#[test]
fn made_lists() {
    check_map!(residuals(&[1.3, 0.4], const &[0.0, 0.5, 1.0, 1.5], &[1.0, 0.8, 0.9, 0.2]));
    check!(of_pairs(&[0.5, 1.5, -0.3, 0.8, 1.1]));
}

// ---- What chains use. ----------------------------------------------------------------------------------------------

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct Point {
    x: f64,
    y: f64,
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Model {
    center: Point,
    weights: Vec<f64>,
    #[constant]
    power: i32,
}

flat!(Point { x: f64, y: f64 });
flat!(PointTangent { x: f64, y: f64 });
flat!(Model { center: Point, weights: Vec<f64> });
flat!(ModelTangent { center: PointTangent, weights: Vec<f64> });

#[differentiable]
impl Model {
    fn term(&self, p: &Point) -> f64 {
        (p.x - self.center.x).powi(self.power) + (p.y - self.center.y).powi(2)
    }

    fn energy(&self, points: &[Point]) -> f64 {
        points
            .par_iter()
            .zip(self.weights.par_iter())
            .map(|(p, w)| w * self.term(p))
            .sum_in_order()
    }
}

#[differentiable]
fn of_model(model: &Model, points: &[Point]) -> f64 {
    let shift = [0.3, model.center.x];
    let energy = model.energy(points);
    energy
        + points
            .par_iter()
            .map(|p| {
                let q = Point {
                    x: p.x + shift[0],
                    y: p.y * shift[1],
                };
                model.term(&q)
            })
            .sum_in_order()
}

#[differentiable]
fn generic<T: Real, const N: usize>(a: &[T; N], x: &[T]) -> T {
    x.par_iter()
        .map(|x| {
            let mut y = T::ZERO;
            for a in a {
                y = y * *x + *a;
            }
            y
        })
        .sum_in_order()
}

#[differentiable]
fn of_floats(x: &[f64]) -> f64 {
    generic::<f64, 3>(&[x[0], 1.0, x[1]], x)
}

#[differentiable]
fn nested(x: &[f64], rows: &[Vec<f64>]) -> f64 {
    rows.par_iter()
        .map(|row| {
            row.par_iter()
                .zip(x)
                .map(|(a, x)| a * x * x)
                .sum_in_order()
                .sin()
        })
        .sum_in_order()
}

/// A helper that is called where it isn't known that it runs in parallel.
#[differentiable]
fn helper(x: &[f64], k: f64) -> f64 {
    x.par_iter().map(|x| (k * x).cos()).sum_in_order()
}

#[differentiable]
fn calls(x: &[f64]) -> f64 {
    let mut s = 0.0;
    for i in 0..3 {
        s += helper(x, i as f64 * 0.5) * x[i];
    }
    s
}

#[test]
fn used_values() {
    let model = Model {
        center: Point { x: 0.2, y: -0.4 },
        weights: vec![1.0, 2.5, 0.3],
        power: 2,
    };
    let points = [
        Point { x: 1.0, y: 0.5 },
        Point { x: -0.7, y: 0.9 },
        Point { x: 0.1, y: 2.0 },
    ];
    check!(of_model(&model, &points));
    check!(of_floats(&[0.5, 1.5, -0.3, 0.8]));
    check!(nested(
        &[0.5, 1.5],
        &vec![vec![0.3, 0.1], vec![0.7, -0.2], vec![1.1, 0.4]]
    ));
    check!(calls(&[0.5, 1.5, -0.3]));
}

// ---- Two at once. --------------------------------------------------------------------------------------------------

#[differentiable]
fn both(x: &[f64], k: f64) -> f64 {
    let (a, b) = rayon::join(
        || helper(x, k),
        || {
            let mut s = 1.0;
            for v in x {
                s *= v + k;
            }
            [s, s * k]
        },
    );
    a * b[0] + b[1]
}

#[differentiable]
fn recursive(x: &[f64]) -> f64 {
    if x.len() < 2 {
        return x.iter().map(|x| x * x * x).sum();
    }
    let (left, right) = x.split_at(x.len() / 2);
    let (a, b) = rayon::join(|| recursive(left), || recursive(right));
    a + b.sin()
}

#[test]
fn joined() {
    check!(both(&[0.5, 1.5, -0.3], 0.7));
    check!(recursive(&[0.5, 1.5, -0.3, 0.2, 0.8]));
}

// ---- Where chains stand. -------------------------------------------------------------------------------------------

/// A state that steps of a loop overwrite.
#[differentiable]
fn heat(start: &[f64], rate: f64, steps: usize) -> f64 {
    let n = start.len();
    let mut u = start.to_vec();
    for step in 0..steps {
        let old = u.clone();
        let factor = rate / (1.0 + step as f64);
        u.par_iter_mut().enumerate().for_each(|(i, u)| {
            if i > 0 && i + 1 < n {
                *u = old[i] + factor * (old[i - 1] - 2.0 * old[i] + old[i + 1]);
            }
        });
    }
    u.par_iter().map(|u| u * u).sum_in_order()
}

/// In place, with a branch and an early return.
#[differentiable]
fn in_branches(x: &[f64], k: f64) -> Result<f64, String> {
    if x.is_empty() {
        return Err("nothing".to_string());
    }
    let mut scale = k;
    let first = if k > 0.5 {
        x.par_iter().map(|x| x * scale).sum_in_order()
    } else {
        0.0
    };
    scale += first;
    let second = x
        .par_iter()
        .map(|x| {
            assert!(scale.is_finite());
            let k = x * scale;
            k.sin()
        })
        .sum_in_order();
    Ok(second * scale)
}

/// A name that means something else in the chain, and one that means a constant elsewhere.
#[differentiable]
fn of_names(#[constant] data: &[f64], x: &[f64]) -> f64 {
    let first = data.par_iter().map(|x| x * 2.0).sum_in_order();
    let data: Vec<f64> = x.iter().map(|x| x * x).collect();
    first * data.par_iter().zip(x).map(|(x, y)| x * y).sum_in_order()
}

/// The longer list isn't read to its end.
#[differentiable]
fn of_lengths(x: &[f64], y: &[f64]) -> f64 {
    let a = x
        .par_iter()
        .zip(y.par_iter())
        .map(|(x, y)| x * y)
        .sum_in_order();
    let b = y.par_iter().zip(x).map(|(y, x)| x - y * y).sum_in_order();
    a * b
}

/// Chains of constants may be anything.
#[differentiable]
fn of_constants(#[constant] data: &[f64], x: &[f64]) -> f64 {
    let largest = data.par_iter().copied().reduce(|| 0.0, f64::max);
    let mut s = 0.0;
    for v in x {
        s += v * v * largest;
    }
    s
}

/// What is written to a constant list isn't differentiated.
#[differentiable]
fn of_scratch(#[constant] out: &mut [f64], #[constant] t: &[f64], x: &[f64]) -> f64 {
    out.par_iter_mut()
        .zip(t)
        .for_each(|(out, t)| *out = t * 3.0);
    let mut sum = 0.0;
    for (out, x) in out.iter().zip(x) {
        sum += out * x * x;
    }
    sum
}

#[differentiable]
fn of_singles(x: &[f32], k: f32) -> f32 {
    const HALF: f32 = 0.5;
    use std::f32::consts::PI;
    x.par_iter()
        .map(|x| (x * k * PI).sin() * HALF)
        .sum_in_order()
}

#[differentiable]
fn of_fields(models: &[Model], #[constant] pairs: &[(usize, usize)], x: &[f64]) -> f64 {
    let total: f64 = pairs
        .par_iter()
        .filter_map(|&(i, j)| {
            if i < j {
                Some(x[i] * x[j] * models[0].weights[i])
            } else {
                None
            }
        })
        .sum();
    total
        + models[1]
            .weights
            .par_iter()
            .map(|w| w * w * models[0].center.x)
            .sum::<f64>()
}

#[test]
fn places() {
    check!(heat(&[0.5, 1.5, -0.3, 0.2, 0.8], 0.2, const 4));
    for k in [0.3, 0.8] {
        let x = [0.5, 1.5, -0.3];
        let (value, (x_bar, k_bar)) = in_branches::value_and_gradient(&x, k).unwrap();
        assert_eq!(value, in_branches(&x, k).unwrap());
        let h = 1e-6;
        let along = |x: &[f64], k: f64| in_branches(x, k).unwrap();
        let k_difference = (along(&x, k + h) - along(&x, k - h)) / (2.0 * h);
        let x_difference =
            (along(&[0.5 + h, 1.5, -0.3], k) - along(&[0.5 - h, 1.5, -0.3], k)) / (2.0 * h);
        assert!(
            (k_bar - k_difference).abs() < 1e-8,
            "{k_bar} {k_difference}"
        );
        assert!(
            (x_bar[0] - x_difference).abs() < 1e-8,
            "{x_bar:?} {x_difference}"
        );
    }
    assert!(in_branches::gradient(&[], 0.3).is_err());
    check!(of_names(const &[0.3, 0.9], &[0.5, 1.5, -0.3]));
    check!(of_constants(const &[0.3, 0.9], &[0.5, 1.5, -0.3]));
    check!(of_lengths(&[0.5, 1.5, -0.3], &[0.3, 0.9]));
    check!(of_scratch(const &mut [1.0, 2.0], const &[0.3, 0.9], &[0.5, 1.5]));
    let (value, (_, k_bar)) = of_singles::value_and_gradient(&[0.5, 1.5, -0.25], 0.75);
    let angles = [0.5, 1.5, -0.25].map(|x: f32| x * std::f32::consts::PI);
    assert_eq!(value, of_singles(&[0.5, 1.5, -0.25], 0.75));
    let closed: f32 = angles.iter().map(|a| 0.5 * a * (0.75 * a).cos()).sum();
    assert!((k_bar - closed).abs() < 1e-5, "{k_bar} {closed}");
    let model = |k: f64| Model {
        center: Point {
            x: 0.5 * k,
            y: -0.4,
        },
        weights: vec![1.0, 2.5 * k],
        power: 2,
    };
    check!(of_fields(&vec![model(1.0), model(2.0)], const &[(0, 1), (1, 0), (0, 0), (0, 2)], &[0.5, 1.5, -0.25]));
}

// ---- Threads. ------------------------------------------------------------------------------------------------------

/// Value, gradient, Hessian and the results of other drivers, as bits.
fn bits(threads: usize) -> Vec<u64> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .unwrap();
    pool.install(|| {
        let x: Vec<f64> = (0..2000).map(|k| (k as f64 * 0.37).sin()).collect();
        let w: Vec<f64> = (0..2000).map(|k| (k as f64 * 0.11).cos()).collect();
        let mut all = Vec::new();
        let (value, (mu_bar, w_bar)) = squares::value_and_gradient(0.4, &w, &x);
        all.extend([value, mu_bar]);
        all.extend(w_bar);
        let (value, gradient) = of_lengths::value_and_gradient(&x, &w);
        all.push(value);
        all.extend(gradient.0);
        all.extend(gradient.1);
        let (x_dot, k_dot) = helper::hvp(&x, 0.3, &w, 1.0);
        all.extend(x_dot);
        all.push(k_dot);
        let (value, dot) = heat::jvp(&x, 0.2, 3, &w, 1.0);
        all.extend([value, dot]);
        let (values, (theta_bar, y_bar)) = residuals::vjp(&[1.3, 0.4], &x, &w, w.clone());
        all.extend(values);
        all.extend(theta_bar);
        all.extend(y_bar);
        all.iter().map(|x| x.to_bits()).collect()
    })
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let one = bits(1);
    for threads in [2, 3, 8] {
        assert_eq!(bits(threads), one, "{threads} threads");
    }
}

/// The sum of rayon, whose order is its own, has the same derivative.
#[differentiable]
fn of_rayon(x: &[f64]) -> f64 {
    x.par_iter().map(|x| x.sin() * x).sum()
}

#[differentiable]
fn in_order(x: &[f64]) -> f64 {
    x.iter().map(|x| x.sin() * x).sum()
}

#[test]
fn a_sum_of_rayon() {
    let x: Vec<f64> = (0..5000).map(|k| (k as f64 * 0.37).sin()).collect();
    let (value, gradient) = of_rayon::value_and_gradient(&x);
    assert!((value - of_rayon(&x)).abs() < 1e-10 * value.abs());
    assert_eq!(gradient, in_order::gradient(&x));
}

#[differentiable]
fn panicking(x: &[f64]) -> f64 {
    x.par_iter()
        .map(|x| {
            assert!(*x < 100.0, "too large");
            x * x
        })
        .sum_in_order()
}

#[test]
fn a_panic_in_a_block_is_the_caller_s() {
    let x: Vec<f64> = (0..300).map(f64::from).collect();
    assert!(std::panic::catch_unwind(|| panicking::gradient(&x)).is_err());
    assert_eq!(panicking::gradient(&x[..3]), [0.0, 2.0, 4.0]);
}

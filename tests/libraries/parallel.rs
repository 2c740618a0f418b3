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

#[test]
fn sums() {
    let data = [0.3, 1.7, -0.4, 2.2, 0.9];
    check!(squares(0.4, &[1.0, 0.5, 2.0, 0.7, 1.1], const &data));
    check!(of_chunks(&[0.5, 1.5, -0.3, 0.8, 1.1, 0.6, 0.2]));
    check!(of_positions(&[0.5, 1.5, -0.3, 0.8]));
    // Four of these numbers have short sums.
    check!(of_some(&[0.25, 1.5, 0.75, 0.125, 2.0], 1.5));
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

//! `ba`: bundle adjustment, the errors of all observations and their sparse Jacobian.

use super::{check, no_function, read, run};
use crate::protocol::Outcome;
use crate::runs::Limits;
use chainrule::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::array;

/// How many columns a row of an observation has.
const ROW: usize = 15;

/// The vector product.
#[differentiable]
pub fn cross(a: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

/// The inner product.
#[differentiable]
pub fn dot(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// `v`, turned about the axis `r` by the angle that is `r`'s length.
#[differentiable]
pub fn rotate(r: &[f64; 3], v: &[f64; 3]) -> [f64; 3] {
    let t2 = dot(r, r);
    if t2 == 0.0 {
        let rv = cross(r, v);
        return array::from_fn(|i| v[i] + rv[i]);
    }
    let theta = t2.sqrt();
    let (sin, cos) = theta.sin_cos();
    let a = r.map(|r| r / theta);
    let av = cross(&a, v);
    let tmp = dot(&a, v) * (1.0 - cos);
    array::from_fn(|i| v[i] * cos + av[i] * sin + a[i] * tmp)
}

/// Where a camera sees a point, less where it was seen, times a weight. A camera is its rotation, centre, focal length, principal
/// point, and radial distortion.
#[differentiable]
pub fn residual(cam: &[f64; 11], x: &[f64; 3], w: f64, #[constant] feat: &[f64; 2]) -> [f64; 2] {
    let r = [cam[0], cam[1], cam[2]];
    let v = [x[0] - cam[3], x[1] - cam[4], x[2] - cam[5]];
    let p = rotate(&r, &v);
    let q = [p[0] / p[2], p[1] / p[2]];
    let s = q[0] * q[0] + q[1] * q[1];
    let distortion = 1.0 + cam[9] * s + cam[10] * s * s;
    array::from_fn(|i| w * (q[i] * distortion * cam[6] + cam[7 + i] - feat[i]))
}

/// The error of a weight.
#[differentiable]
pub fn weight_error(w: f64) -> f64 {
    1.0 - w * w
}

/// Cameras, points, and which camera sees which point.
pub struct Problem {
    cams: Vec<[f64; 11]>,
    points: Vec<[f64; 3]>,
    w: Vec<f64>,
    feats: Vec<[f64; 2]>,
    observations: Vec<(usize, usize)>,
}

/// A matrix in compressed rows.
#[derive(Default)]
pub struct Sparse {
    rows: Vec<usize>,
    cols: Vec<usize>,
    vals: Vec<f64>,
}

impl Sparse {
    fn push(&mut self, cols: &[usize], vals: &[f64]) {
        self.cols.extend_from_slice(cols);
        self.vals.extend_from_slice(vals);
        self.rows.push(self.vals.len());
    }
}

impl Problem {
    fn objective(&self, errors: &mut [[f64; 2]], weight_errors: &mut [f64]) {
        for (i, &(c, x)) in self.observations.iter().enumerate() {
            errors[i] = residual(&self.cams[c], &self.points[x], self.w[i], &self.feats[i]);
            weight_errors[i] = weight_error(self.w[i]);
        }
    }

    /// The Jacobian: two rows for each observation, then one for each weight.
    fn jacobian(&self) -> Sparse {
        let (n, m, o) = (self.cams.len(), self.points.len(), self.observations.len());
        let mut jacobian = Sparse {
            rows: Vec::with_capacity(3 * o + 1),
            cols: Vec::with_capacity((2 * ROW + 1) * o),
            vals: Vec::with_capacity((2 * ROW + 1) * o),
        };
        jacobian.rows.push(0);
        for (i, &(c, x)) in self.observations.iter().enumerate() {
            let (cam, point, w) = (&self.cams[c], &self.points[x], self.w[i]);
            let columns: [usize; ROW] = array::from_fn(|j| match j {
                0..11 => 11 * c + j,
                11..14 => 11 * n + 3 * x + j - 11,
                _ => 11 * n + 3 * m + i,
            });
            for seed in [[1.0, 0.0], [0.0, 1.0]] {
                let (_, (cam_bar, point_bar, w_bar)) =
                    residual::vjp(cam, point, w, &self.feats[i], seed);
                let row: [f64; ROW] = array::from_fn(|j| match j {
                    0..11 => cam_bar[j],
                    11..14 => point_bar[j - 11],
                    _ => w_bar,
                });
                jacobian.push(&columns, &row);
            }
        }
        for (i, &w) in self.w.iter().enumerate() {
            jacobian.push(&[11 * n + 3 * m + i], &[weight_error::derivative(w)]);
        }
        jacobian
    }
}

#[derive(Deserialize)]
struct Input {
    n: usize,
    m: usize,
    p: usize,
    cam: [f64; 11],
    x: [f64; 3],
    w: f64,
    feat: [f64; 2],
    #[serde(flatten)]
    limits: Limits,
}

#[derive(Serialize)]
struct Objective {
    reproj_error: ReprojectionErrors,
    w_err: WeightErrors,
}

#[derive(Serialize)]
struct ReprojectionErrors {
    elements: [f64; 2],
    repeated: usize,
}

#[derive(Serialize)]
struct WeightErrors {
    element: f64,
    repeated: usize,
}

#[derive(Serialize)]
struct Excerpt {
    rows: Vec<usize>,
    cols: Vec<usize>,
    vals: Vec<f64>,
}

/// The first 30, and the last one.
fn excerpt<T: Copy>(all: &[T]) -> Vec<T> {
    all.iter().take(30).chain(all.last()).copied().collect()
}

/// Answers `objective` and `jacobian`.
///
/// # Errors
///
/// What is wrong with the request.
pub fn evaluate(function: &str, input: Value) -> Result<Outcome, String> {
    let input: Input = read(input)?;
    let (n, m, p) = (input.n, input.m, input.p);
    check(n > 0 && m > 0 && p > 0, "`n`, `m` and `p` must not be 0")?;
    let problem = Problem {
        cams: vec![input.cam; n],
        points: vec![input.x; m],
        w: vec![input.w; p],
        feats: vec![input.feat; p],
        observations: (0..p).map(|i| (i % n, i % m)).collect(),
    };
    match function {
        "objective" => run(
            input.limits,
            (vec![[0.0; 2]; p], vec![0.0; p]),
            |(errors, weight_errors)| problem.objective(errors, weight_errors),
            |(errors, weight_errors)| Objective {
                reproj_error: ReprojectionErrors {
                    elements: errors[0],
                    repeated: p,
                },
                w_err: WeightErrors {
                    element: weight_errors[0],
                    repeated: p,
                },
            },
        ),
        "jacobian" => run(
            input.limits,
            Sparse::default(),
            |jacobian| *jacobian = problem.jacobian(),
            |jacobian| Excerpt {
                rows: excerpt(&jacobian.rows),
                cols: excerpt(&jacobian.cols),
                vals: excerpt(&jacobian.vals),
            },
        ),
        _ => no_function(function),
    }
}

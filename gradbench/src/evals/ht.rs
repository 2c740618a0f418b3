//! `ht`: hand tracking, the distances of a bent hand from measured points and their dense, tall Jacobian.

use super::{check, no_function, read, run};
use crate::protocol::Outcome;
use crate::runs::Limits;
use chainrule::prelude::*;
use serde::Deserialize;
use serde_json::Value;

/// The number of parameters of a pose.
pub const THETA: usize = 26;
/// How many angles and vectors precede those of the bones.
const GLOBAL: usize = 3;
/// Below this length an axis of rotation has no direction.
const NO_AXIS: f64 = 1e-4;

type Mat3 = [[f64; 3]; 3];
type Mat4 = [[f64; 4]; 4];

/// A hand: a tree of bones, and the vertices of its skin.
#[derive(Clone, Debug, Deserialize)]
pub struct Model {
    parents: Vec<i64>,
    base_relatives: Vec<Mat4>,
    inverse_base_absolutes: Vec<Mat4>,
    base_positions: Vec<[f64; 4]>,
    weights: Vec<Vec<f64>>,
    triangles: Vec<[usize; 3]>,
    is_mirrored: bool,
}

/// A hand, and points that were measured on it.
#[derive(Clone, Debug, Deserialize)]
pub struct Data {
    model: Model,
    correspondences: Vec<usize>,
    points: Vec<[f64; 3]>,
}

/// The product of two matrices.
#[differentiable]
pub fn product3(a: &Mat3, b: &Mat3) -> [[f64; 3]; 3] {
    let mut c = [[0.0; 3]; 3];
    for i in 0..3 {
        for j in 0..3 {
            for k in 0..3 {
                c[i][j] += a[i][k] * b[k][j];
            }
        }
    }
    c
}

/// The product of two matrices.
#[differentiable]
pub fn product4(a: &Mat4, b: &Mat4) -> [[f64; 4]; 4] {
    let mut c = [[0.0; 4]; 4];
    for i in 0..4 {
        for j in 0..4 {
            for k in 0..4 {
                c[i][j] += a[i][k] * b[k][j];
            }
        }
    }
    c
}

/// Rotations about x, then y, then z.
#[differentiable]
pub fn euler_angles(x: f64, z: f64, y: f64) -> [[f64; 3]; 3] {
    let (sx, cx) = x.sin_cos();
    let (sy, cy) = y.sin_cos();
    let (sz, cz) = z.sin_cos();
    let rx = [[1.0, 0.0, 0.0], [0.0, cx, -sx], [0.0, sx, cx]];
    let ry = [[cy, 0.0, sy], [0.0, 1.0, 0.0], [-sy, 0.0, cy]];
    let rz = [[cz, -sz, 0.0], [sz, cz, 0.0], [0.0, 0.0, 1.0]];
    product3(&product3(&rz, &ry), &rx)
}

/// The rotation about `a` by the angle that is its length.
#[differentiable]
pub fn angle_axis(a: &[f64; 3]) -> [[f64; 3]; 3] {
    let norm = (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]).sqrt();
    if norm < NO_AXIS {
        return [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    }
    let (x, y, z) = (a[0] / norm, a[1] / norm, a[2] / norm);
    let (s, c) = norm.sin_cos();
    let u = 1.0 - c;
    [
        [x * x * u + c, x * y * u - z * s, x * z * u + y * s],
        [x * y * u + z * s, y * y * u + c, y * z * u - x * s],
        [x * z * u - y * s, z * y * u + x * s, z * z * u + c],
    ]
}

/// Angles of each bone, after the global rotation, scale and translation.
#[differentiable]
pub fn pose_params(theta: &[f64], bones: usize) -> Vec<[f64; 3]> {
    let mut pose = vec![[0.0; 3]; bones + GLOBAL];
    for i in 0..3 {
        pose[0][i] = theta[i];
        pose[1][i] = 1.0;
        pose[2][i] = theta[3 + i];
    }
    for finger in 0..5 {
        let (t, c) = (6 + 4 * finger, 5 + 4 * finger);
        pose[c][0] = theta[t];
        pose[c][1] = theta[t + 1];
        pose[c + 1][0] = theta[t + 2];
        pose[c + 2][0] = theta[t + 3];
    }
    pose
}

/// What moves each bone from where it rests to where it is.
#[differentiable]
pub fn bone_transforms(#[constant] model: &Model, pose: &[[f64; 3]]) -> Vec<[[f64; 4]; 4]> {
    let bones = model.parents.len();
    let mut absolutes: Vec<[[f64; 4]; 4]> = Vec::with_capacity(bones);
    for b in 0..bones {
        let r: [[f64; 3]; 3] = euler_angles(
            pose[b + GLOBAL][0],
            pose[b + GLOBAL][1],
            pose[b + GLOBAL][2],
        );
        let mut turn = [[0.0; 4]; 4];
        for i in 0..3 {
            for j in 0..3 {
                turn[i][j] = r[i][j];
            }
        }
        turn[3][3] = 1.0;
        let relative: [[f64; 4]; 4] = product4(&model.base_relatives[b], &turn);
        if let Ok(parent) = usize::try_from(model.parents[b]) {
            let absolute: [[f64; 4]; 4] = product4(&absolutes[parent], &relative);
            absolutes.push(absolute);
        } else {
            absolutes.push(relative);
        }
    }
    let mut transforms: Vec<[[f64; 4]; 4]> = Vec::with_capacity(bones);
    for b in 0..bones {
        let transform: [[f64; 4]; 4] = product4(&absolutes[b], &model.inverse_base_absolutes[b]);
        transforms.push(transform);
    }
    transforms
}

/// Where the vertices are.
#[differentiable]
pub fn positions(theta: &[f64], #[constant] model: &Model) -> Vec<[f64; 3]> {
    let pose: Vec<[f64; 3]> = pose_params(theta, model.parents.len());
    let transforms: Vec<[[f64; 4]; 4]> = bone_transforms(model, &pose);
    let mut global: [[f64; 3]; 3] = angle_axis(&pose[0]);
    for i in 0..3 {
        for j in 0..3 {
            global[i][j] *= pose[1][j];
        }
    }
    let sign = if model.is_mirrored { -1.0 } else { 1.0 };
    let mut positions = vec![[0.0; 3]; model.base_positions.len()];
    for v in 0..positions.len() {
        let base: &[f64; 4] = &model.base_positions[v];
        let weights: &[f64] = &model.weights[v];
        let mut p = [0.0; 3];
        for b in 0..transforms.len() {
            for i in 0..3 {
                let mut moved = 0.0;
                for j in 0..4 {
                    moved += transforms[b][i][j] * base[j];
                }
                p[i] += weights[b] * moved;
            }
        }
        p[0] *= sign;
        for i in 0..3 {
            positions[v][i] = pose[2][i];
            for j in 0..3 {
                positions[v][i] += global[i][j] * p[j];
            }
        }
    }
    positions
}

/// The differences between the measured points and the hand. `us` has two coordinates in its triangle for each point, or
/// is empty: then each point belongs to a vertex.
#[differentiable]
pub fn objective(theta: &[f64], us: &[f64], #[constant] data: &Data) -> Vec<f64> {
    let at: Vec<[f64; 3]> = positions(theta, &data.model);
    let n = data.points.len();
    let mut errors = vec![0.0; 3 * n];
    for k in 0..n {
        let point: &[f64; 3] = &data.points[k];
        let c: usize = data.correspondences[k];
        if us.is_empty() {
            for i in 0..3 {
                errors[3 * k + i] = point[i] - at[c][i];
            }
        } else {
            let corners: &[usize; 3] = &data.model.triangles[c];
            let (u, v) = (us[2 * k], us[2 * k + 1]);
            for i in 0..3 {
                let seen = u * at[corners[0]][i]
                    + v * at[corners[1]][i]
                    + (1.0 - u - v) * at[corners[2]][i];
                errors[3 * k + i] = point[i] - seen;
            }
        }
    }
    errors
}

/// The same of a hand whose points stay where they are on it.
#[differentiable]
pub fn by_pose(theta: &[f64], #[constant] us: &[f64], #[constant] data: &Data) -> Vec<f64> {
    objective(theta, us, data)
}

/// The Jacobian: the columns of `us`, of which a row sees its own point's alone, then those of `theta`.
fn jacobian(theta: &[f64], us: &[f64], data: &Data, rows: &mut [Vec<f64>]) {
    let own = if us.is_empty() { 0 } else { 2 };
    let (theta_dot, mut us_dot) = (vec![0.0; theta.len()], vec![0.0; us.len()]);
    for column in 0..own {
        us_dot.fill(0.0);
        us_dot
            .iter_mut()
            .skip(column)
            .step_by(2)
            .for_each(|u| *u = 1.0);
        let (_, errors_dot) = objective::jvp(theta, us, data, &theta_dot, &us_dot);
        for (row, dot) in rows.iter_mut().zip(errors_dot) {
            row[column] = dot;
        }
    }
    let by_pose = by_pose::jacobian(theta, us, data);
    for (i, row) in rows.iter_mut().enumerate() {
        row[own..].copy_from_slice(by_pose.row(i));
    }
}

#[derive(Deserialize)]
struct Input {
    theta: Vec<f64>,
    us: Vec<[f64; 2]>,
    data: Data,
    #[serde(flatten)]
    limits: Limits,
}

impl Input {
    fn check(&self) -> Result<(), String> {
        let (data, model) = (&self.data, &self.data.model);
        let (bones, vertices, n) = (
            model.parents.len(),
            model.base_positions.len(),
            data.points.len(),
        );
        check(self.theta.len() == THETA, "`theta` must have 26 numbers")?;
        check(bones >= 22, "there must be 22 bones")?;
        check(
            model.base_relatives.len() == bones && model.inverse_base_absolutes.len() == bones,
            "there must be a matrix for each bone",
        )?;
        let before = |(b, parent): (usize, &i64)| {
            *parent == -1 || usize::try_from(*parent).is_ok_and(|p| p < b)
        };
        check(
            model.parents.iter().enumerate().all(before),
            "a bone's parent must come before it, or be -1",
        )?;
        check(
            model.weights.len() == vertices && model.weights.iter().all(|w| w.len() == bones),
            "there must be a weight for each vertex and bone",
        )?;
        check(
            data.correspondences.len() == n && (self.us.is_empty() || self.us.len() == n),
            "`correspondences` and `us` must have as many entries as `points`",
        )?;
        let (limit, name) = if self.us.is_empty() {
            (vertices, "vertex")
        } else {
            (model.triangles.len(), "triangle")
        };
        check(
            data.correspondences.iter().all(|c| *c < limit),
            &format!("`correspondences` names a {name} that isn't there"),
        )?;
        let corners = |triangle: &[usize; 3]| triangle.iter().all(|v| *v < vertices);
        check(
            model.triangles.iter().all(corners),
            "`triangles` names a vertex that isn't there",
        )
    }
}

/// Answers `objective` and `jacobian`.
///
/// # Errors
///
/// What is wrong with the request.
pub fn evaluate(function: &str, input: Value) -> Result<Outcome, String> {
    let input: Input = read(input)?;
    input.check()?;
    let us = input.us.as_flattened();
    let (theta, data) = (&input.theta, &input.data);
    match function {
        "objective" => run(
            input.limits,
            Vec::new(),
            |errors| *errors = objective(theta, us, data),
            |errors| errors,
        ),
        "jacobian" => {
            let columns = theta.len() + if us.is_empty() { 0 } else { 2 };
            run(
                input.limits,
                vec![vec![0.0; columns]; 3 * data.points.len()],
                |rows| jacobian(theta, us, data, rows),
                |rows| rows,
            )
        }
        _ => no_function(function),
    }
}

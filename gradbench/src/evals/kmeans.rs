//! `kmeans`: the cost of centroids, and Newton's direction with the diagonal of the Hessian.

use super::{check, flat, no_function, read, rows, run};
use crate::protocol::Outcome;
use crate::runs::Limits;
use chainrule::prelude::*;
use serde::Deserialize;
use serde_json::Value;

/// The sum of the squared distances of `points` to their nearest centroid; all have `d` coordinates.
#[differentiable]
pub fn cost(#[constant] points: &[f64], centroids: &[f64], d: usize) -> f64 {
    points
        .chunks_exact(d)
        .map(|p| {
            centroids
                .chunks_exact(d)
                .map(|c| squared_distance(p, c))
                .fold(f64::INFINITY, f64::min)
        })
        .sum()
}

/// The squared distance of two points.
#[differentiable]
pub fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

#[derive(Deserialize)]
struct Input {
    points: Vec<Vec<f64>>,
    centroids: Vec<Vec<f64>>,
    #[serde(flatten)]
    limits: Limits,
}

/// What the runs write: the gradient, and the direction.
struct State {
    gradient: Vec<f64>,
    direction: Vec<f64>,
}

/// Answers `cost` and `dir`.
///
/// The Hessian is diagonal, so that its product with a vector of ones is its diagonal.
///
/// # Errors
///
/// What is wrong with the request.
pub fn evaluate(function: &str, input: Value) -> Result<Outcome, String> {
    let input: Input = read(input)?;
    let d = input.points.first().map_or(0, Vec::len);
    check(
        d > 0 && !input.centroids.is_empty(),
        "there must be points and centroids",
    )?;
    let points = flat(&input.points, d, "points")?;
    let centroids = flat(&input.centroids, d, "centroids")?;
    let k = input.centroids.len();
    match function {
        "cost" => run(
            input.limits,
            0.0,
            |y| *y = cost(&points, &centroids, d),
            |y| y,
        ),
        "dir" => {
            let ones = vec![1.0; centroids.len()];
            let state = State {
                gradient: vec![0.0; centroids.len()],
                direction: Vec::new(),
            };
            run(
                input.limits,
                state,
                |state| {
                    cost::value_and_gradient_into(&points, &centroids, d, &mut state.gradient);
                    state.direction = cost::hvp(&points, &centroids, d, &ones);
                    for (direction, gradient) in state.direction.iter_mut().zip(&state.gradient) {
                        *direction = gradient / *direction;
                    }
                },
                |state| {
                    let all = rows(&state.direction, k);
                    all.into_iter().map(<[f64]>::to_vec).collect::<Vec<_>>()
                },
            )
        }
        _ => no_function(function),
    }
}

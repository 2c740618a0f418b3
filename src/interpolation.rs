//! Interpolation between the values at nodes: by straight lines, and by natural cubic splines.
//!
//! All functions are differentiable, to second order, by the point, by the nodes and by the values. So a table of values may be what a
//! fit looks for. The nodes increase, there are at least two, and as many values.
//!
//! ```
//! use chainrule::interpolation::natural_cubic_at;
//! use chainrule::prelude::*;
//!
//! /// The sum of squares for a curve that is given by its values at three nodes.
//! #[differentiable]
//! fn misfit(values: &[f64], #[constant] x: &[f64], #[constant] y: &[f64]) -> f64 {
//!     let fitted: Vec<f64> = natural_cubic_at(x, &[0.0, 1.0, 2.0], values);
//!     let mut total = 0.0;
//!     for i in 0..y.len() {
//!         total += (fitted[i] - y[i]) * (fitted[i] - y[i]);
//!     }
//!     total
//! }
//!
//! let (x, y) = ([0.0, 0.5, 1.0, 2.0], [0.0, 0.3, 1.0, 4.0]);
//! let (value, gradient) = misfit::value_and_gradient(&[0.0, 1.0, 4.0], &x, &y);
//! // At 0.5 the spline has 0.3125, and its derivatives by the values are 0.40625, 0.6875 and -0.09375.
//! assert!((value - 0.0125 * 0.0125).abs() < 1e-15);
//! assert!((gradient[0] - 0.025 * 0.40625).abs() < 1e-15);
//! ```
//!
//! # Outside of the nodes
//!
//! The curves go on as straight lines: the first and the last piece of [`linear`](fn@linear), and the tangents at the ends of a natural
//! spline, which has no curvature there.

use alloc::vec::Vec;

use crate::differentiable;

/// The value at `x` of the line through the values at the two nodes next to `x`.
///
/// At a node, where the line has a kink, the derivatives are those of the piece on the right.
///
/// # Panics
/// If there are less than two nodes, or not as many values, or if the nodes next to `x` don't increase.
///
/// ```
/// use chainrule::interpolation::linear;
///
/// let (nodes, values) = ([0.0, 1.0, 3.0], [1.0, 2.0, -2.0]);
/// assert_eq!(linear(2.5, &nodes, &values), -1.0);
/// let (x_bar, nodes_bar, values_bar) = linear::gradient(2.5, &nodes, &values);
/// assert_eq!((x_bar, values_bar), (-2.0, vec![0.0, 0.25, 0.75]));
/// assert_eq!(nodes_bar, [0.0, 0.5, 1.5]);
/// ```
#[differentiable]
pub fn linear(x: f64, nodes: &[f64], values: &[f64]) -> f64 {
    assert_eq!(nodes.len(), values.len(), "the number of values");
    assert!(nodes.len() > 1, "at least two nodes");
    let before = nodes.partition_point(|node| *node <= x);
    let i = before.clamp(1, nodes.len() - 1) - 1;
    let width = nodes[i + 1] - nodes[i];
    assert!(width > 0.0, "the nodes increase, from {i} to {}", i + 1);
    let left = (nodes[i + 1] - x) / width;
    let right = (x - nodes[i]) / width;
    left * values[i] + right * values[i + 1]
}

/// [`linear`](fn@linear) at each `x`.
///
/// # Panics
/// If there are less than two nodes, or not as many values, or if the nodes don't increase.
#[differentiable]
pub fn linear_at(x: &[f64], nodes: &[f64], values: &[f64]) -> Vec<f64> {
    check_nodes(nodes);
    let mut y = alloc::vec![0.0; x.len()];
    for i in 0..x.len() {
        let value: f64 = linear(x[i], nodes, values);
        y[i] = value;
    }
    y
}

/// The value at `x` of the natural cubic spline through the values at the nodes: twice continuously differentiable, with the second derivative
/// zero at both ends.
///
/// For many points call [`natural_cubic_at`](fn@natural_cubic_at), which computes the spline once.
///
/// # Panics
/// If there are less than two nodes, or not as many values, or if the nodes don't increase.
///
/// ```
/// use chainrule::interpolation::natural_cubic;
///
/// let (nodes, values) = ([0.0, 1.0, 2.0], [0.0, 1.0, 4.0]);
/// assert_eq!(natural_cubic(0.5, &nodes, &values), 0.3125);
/// // A straight line beyond the nodes, with the slope 7/2.
/// assert_eq!(natural_cubic(3.0, &nodes, &values), 7.5);
/// ```
#[differentiable]
pub fn natural_cubic(x: f64, nodes: &[f64], values: &[f64]) -> f64 {
    let curvatures: Vec<f64> = natural_curvatures(nodes, values);
    cubic(x, nodes, values, &curvatures)
}

/// [`natural_cubic`](fn@natural_cubic) at each `x`.
///
/// # Panics
/// If there are less than two nodes, or not as many values, or if the nodes don't increase.
#[differentiable]
pub fn natural_cubic_at(x: &[f64], nodes: &[f64], values: &[f64]) -> Vec<f64> {
    let curvatures: Vec<f64> = natural_curvatures(nodes, values);
    let mut y = alloc::vec![0.0; x.len()];
    for i in 0..x.len() {
        let value: f64 = cubic(x[i], nodes, values, &curvatures);
        y[i] = value;
    }
    y
}

/// The second derivatives at the nodes of the natural cubic spline through the values, for [`cubic`](fn@cubic).
///
/// # Panics
/// If there are less than two nodes, or not as many values, or if the nodes don't increase.
///
/// ```
/// use chainrule::interpolation::natural_curvatures;
///
/// assert_eq!(natural_curvatures(&[0.0, 1.0, 2.0], &[0.0, 1.0, 4.0]), [0.0, 3.0, 0.0]);
/// ```
///
/// # Source
/// C. de Boor, A Practical Guide to Splines (2001), chapter IV; the tridiagonal system by elimination.
#[differentiable]
pub fn natural_curvatures(nodes: &[f64], values: &[f64]) -> Vec<f64> {
    assert_eq!(nodes.len(), values.len(), "the number of values");
    check_nodes(nodes);
    let n = nodes.len();
    let mut curvatures = alloc::vec![0.0; n];
    let mut factors = alloc::vec![0.0; n];
    for i in 1..n - 1 {
        let left = nodes[i] - nodes[i - 1];
        let right = nodes[i + 1] - nodes[i];
        let bend = (values[i + 1] - values[i]) / right - (values[i] - values[i - 1]) / left;
        let pivot = 2.0 * (left + right) - left * factors[i - 1];
        factors[i] = right / pivot;
        curvatures[i] = (6.0 * bend - left * curvatures[i - 1]) / pivot;
    }
    for i in (1..n - 1).rev() {
        curvatures[i] -= factors[i] * curvatures[i + 1];
    }
    curvatures
}

/// The value at `x` of the cubic spline with these values and second derivatives at the nodes, which
/// [`natural_curvatures`](fn@natural_curvatures) computes. Beyond the nodes it goes on as a straight line.
///
/// # Panics
/// If there are less than two nodes, or not as many values or second derivatives, or if the nodes next to `x` don't increase.
#[differentiable]
pub fn cubic(x: f64, nodes: &[f64], values: &[f64], curvatures: &[f64]) -> f64 {
    assert_eq!(nodes.len(), values.len(), "the number of values");
    assert_eq!(nodes.len(), curvatures.len(), "the number of curvatures");
    assert!(nodes.len() > 1, "at least two nodes");
    let before = nodes.partition_point(|node| *node <= x);
    let i = before.clamp(1, nodes.len() - 1) - 1;
    let width = nodes[i + 1] - nodes[i];
    assert!(width > 0.0, "the nodes increase, from {i} to {}", i + 1);
    let left = (nodes[i + 1] - x) / width;
    let right = (x - nodes[i]) / width;
    let line = left * values[i] + right * values[i + 1];
    let square = width * width / 6.0;
    if before == 0 {
        // The tangent at the first node: there left is 1, and right 0.
        return line - right * (2.0 * curvatures[i] + curvatures[i + 1]) * square;
    }
    if right > 1.0 {
        return line - left * (curvatures[i] + 2.0 * curvatures[i + 1]) * square;
    }
    let from_left = (left * left * left - left) * curvatures[i];
    let from_right = (right * right * right - right) * curvatures[i + 1];
    line + (from_left + from_right) * square
}

/// There are at least two nodes, and they increase.
fn check_nodes(nodes: &[f64]) {
    assert!(nodes.len() > 1, "at least two nodes");
    for i in 1..nodes.len() {
        assert!(
            nodes[i - 1] < nodes[i],
            "the nodes increase, from {} to {i}",
            i - 1
        );
    }
}

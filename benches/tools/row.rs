//! A function with its derivatives by each tool.

use crate::timing::{interleaved, median};
use std::time::Duration;

/// How often each row is measured; odd, so that there is a middle.
const RUNS: usize = 5;
/// How long the calls of one tool are timed at a stretch.
const SLICE: Duration = Duration::from_millis(2);

/// The columns of the table.
pub(crate) const TOOLS: [&str; 5] = [
    "chainrule",
    "echidna",
    "echidna, recorded once",
    "num-dual",
    "central differences",
];

/// All derivatives of the function, as a list.
type Derivatives = Box<dyn Fn() -> Vec<f64>>;

pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) value: Box<dyn Fn() -> f64>,
    /// In the order of `TOOLS`. A tool that takes too long for a table has none.
    pub(crate) derivatives: [Option<Derivatives>; TOOLS.len()],
    /// How far differences may be from derivatives, in units of the largest one.
    pub(crate) differences: f64,
}

/// Seconds for each call.
pub(crate) struct Times {
    pub(crate) value: f64,
    pub(crate) derivatives: [Option<f64>; TOOLS.len()],
}

impl Row {
    /// Compares all tools with the first one.
    ///
    /// # Panics
    ///
    /// When two tools disagree.
    pub(crate) fn check(&self) {
        let [first, others @ ..] = &self.derivatives;
        let first = first.as_ref().expect("chainrule has all rows")();
        let largest = first.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
        for (tool, other) in TOOLS[1..].iter().zip(others) {
            let Some(other) = other else { continue };
            let other = other();
            let is_exact = *tool != "central differences";
            let tolerance = if is_exact { 1e-10 } else { self.differences };
            assert_eq!(first.len(), other.len(), "{}, {tool}", self.name);
            for (i, (a, b)) in first.iter().zip(&other).enumerate() {
                assert!(
                    (a - b).abs() <= tolerance * largest,
                    "{}: derivative {i} is {a}, by {tool} {b}",
                    self.name
                );
            }
        }
    }

    pub(crate) fn measure(&self) -> Times {
        let tools: [Option<usize>; TOOLS.len() + 1] =
            std::array::from_fn(|column| column.checked_sub(1));
        let runs: Vec<[f64; TOOLS.len() + 1]> = (0..RUNS)
            .map(|_| {
                interleaved(SLICE, tools, |tool| match tool {
                    None => (self.value)(),
                    Some(tool) => self.derivatives[tool].as_ref().map_or(0.0, |run| run()[0]),
                })
            })
            .collect();
        let middle = |column: usize| {
            let mut times: Vec<f64> = runs.iter().map(|run| run[column]).collect();
            median(&mut times)
        };
        Times {
            value: middle(0),
            derivatives: std::array::from_fn(|tool| {
                self.derivatives[tool].as_ref().map(|_| middle(tool + 1))
            }),
        }
    }
}

/// The gradient by differences of values at both sides.
pub(crate) fn differences(f: impl Fn(&[f64]) -> f64, x: &[f64]) -> Vec<f64> {
    let slope = |(left, right, width)| (right - left) / width;
    both_sides(f, x).map(slope).collect()
}

/// The Jacobian, row by row, by differences of values at both sides.
pub(crate) fn differences_of_all(f: impl Fn(&[f64]) -> Vec<f64>, x: &[f64]) -> Vec<f64> {
    let sides: Vec<_> = both_sides(f, x).collect();
    let slope = |row: usize| {
        sides
            .iter()
            .map(move |(left, right, width)| (right[row] - left[row]) / width)
    };
    (0..sides[0].0.len()).flat_map(slope).collect()
}

/// For each argument: the function at both sides of it, and how far these are apart.
fn both_sides<R>(f: impl Fn(&[f64]) -> R, x: &[f64]) -> impl Iterator<Item = (R, R, f64)> {
    let mut x = x.to_vec();
    (0..x.len()).map(move |i| {
        let (middle, h) = (x[i], f64::EPSILON.cbrt() * (1.0 + x[i].abs()));
        x[i] = middle - h;
        let left = f(&x);
        x[i] = middle + h;
        let right = f(&x);
        x[i] = middle;
        (left, right, 2.0 * h)
    })
}

/// The Hessian by differences of values at four points.
pub(crate) fn second_differences(f: impl Fn(&[f64]) -> f64, x: &[f64]) -> Vec<f64> {
    let n = x.len();
    let h = f64::EPSILON.powf(0.25);
    let at = |i: usize, di: f64, j: usize, dj: f64| {
        let mut x = x.to_vec();
        x[i] += di;
        x[j] += dj;
        f(&x)
    };
    let mut hessian = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..=i {
            let second = (at(i, h, j, h) - at(i, h, j, -h) - at(i, -h, j, h) + at(i, -h, j, -h))
                / (4.0 * h * h);
            hessian[i * n + j] = second;
            hessian[j * n + i] = second;
        }
    }
    hessian
}

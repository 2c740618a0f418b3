//! Sparse Jacobians and Hessians: patterns, passes, entries, and the check that a pattern still holds.

use alloc::vec::Vec;

use chainrule::prelude::*;
use chainrule::sparse::{HessianPlan, JacobianPlan, Pattern, PatternChanged};

/// A chain with an arrow: each term has two neighbours, and the first unknown is in all.
#[differentiable]
pub fn chain(x: &[f64]) -> f64 {
    let mut total = 0.0;
    for i in 1..x.len() {
        let d = x[i] - x[i - 1] * x[i - 1];
        total += d * d + 0.25 * x[0] * x[i];
    }
    total
}

/// Differences of neighbours.
#[differentiable]
pub fn differences(x: &[f64]) -> Vec<f64> {
    let mut y = Vec::new();
    for i in 1..x.len() {
        y.push(x[i] * x[i] / (1.0 + x[i - 1] * x[i - 1]));
    }
    y
}

/// The terms of a row may change with the point, which a plan has to see.
#[differentiable]
pub fn switched(x: &[f64], #[constant] far: bool) -> Vec<f64> {
    let mut y = Vec::new();
    for i in 0..x.len() {
        y.push(
            x[i] * x[i]
                + if far {
                    1e-9 * x[(i + 3) % x.len()]
                } else {
                    0.0
                },
        );
    }
    y
}

/// What a plan of the Hessian has: passes, and the entries column by column.
///
/// # Panics
/// If the pattern doesn't hold.
pub fn hessian(x: &[f64]) -> (Vec<usize>, Vec<f64>) {
    let pattern = Pattern::along(x.len(), |v| chain::hvp(x, v));
    let plan = HessianPlan::new(&pattern);
    let hessian = plan.hessian(|v| chain::hvp(x, v)).expect("the same point");
    let mut counts = alloc::vec![plan.passes(), pattern.count()];
    counts.extend(hessian.pattern().row_indices());
    (counts, hessian.values().to_vec())
}

/// The same of the Jacobian.
///
/// # Panics
/// If the pattern doesn't hold.
pub fn jacobian(x: &[f64]) -> (Vec<usize>, Vec<f64>) {
    let pattern = Pattern::along(x.len(), |v| differences::jvp(x, v).1);
    let plan = JacobianPlan::new(&pattern);
    let jacobian = plan
        .jacobian(|v| differences::jvp(x, v).1)
        .expect("the same point");
    let mut counts = alloc::vec![plan.passes(), pattern.count()];
    counts.extend(jacobian.pattern().row_indices());
    (counts, jacobian.values().to_vec())
}

/// The row in which a plan sees a new entry, which depends on the hash of the values: the direction follows from it.
///
/// # Panics
/// If the plan sees none.
pub fn changed(x: &[f64]) -> usize {
    let along = |far| move |v: &[f64]| switched::jvp(x, far, v).1;
    let plan = JacobianPlan::new(&Pattern::along(x.len(), along(false)));
    match plan.jacobian(along(true)) {
        Err(PatternChanged::Entry { row }) => row,
        other => panic!("the plan must see the new entries: {other:?}"),
    }
}

//! All rows of the benchmarks. A row is a function that returns a [`Case`]; its primal is a differentiable
//! function and its hand-written adjoint stands below it.

mod maps;
mod rosenbrock;
mod sums;

use crate::harness::case::Case;

/// The rows of all groups.
pub(crate) fn all() -> Vec<Case> {
    let mut cases = sums::cases();
    cases.extend(maps::cases());
    cases.extend(rosenbrock::cases());
    cases
}

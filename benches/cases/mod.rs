//! All rows of the benchmarks. A row is a function that returns a [`Case`]; its primal is a differentiable
//! function and its hand-written adjoint stands below it.

pub mod maps;
pub mod rosenbrock;
pub mod sums;

use crate::harness::case::Case;

/// The rows of all groups.
pub fn all() -> Vec<Case> {
    let mut cases = sums::cases();
    cases.extend(maps::cases());
    cases.extend(rosenbrock::cases());
    cases
}

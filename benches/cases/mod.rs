//! All rows of the benchmarks. A row is a function that returns a [`Case`]; its primal is a differentiable
//! function and its hand-written adjoint stands below it.

pub mod ba;
pub mod block;
pub mod closure;
pub mod det;
pub mod gmm;
pub mod gp;
pub mod kmeans;
pub mod kron;
pub mod llsq;
pub mod lse;
pub mod maps;
pub mod matmul;
pub mod ode;
pub mod rosenbrock;
pub mod sums;

use crate::harness::case::Case;

/// The rows of all groups.
pub fn all() -> Vec<Case> {
    let mut cases = sums::cases();
    cases.extend(maps::cases());
    cases.extend(rosenbrock::cases());
    let groups: [fn() -> Vec<Case>; 12] = [
        ba::cases,
        matmul::cases,
        gp::cases,
        kron::cases,
        block::cases,
        gmm::cases,
        kmeans::cases,
        lse::cases,
        llsq::cases,
        det::cases,
        ode::cases,
        closure::cases,
    ];
    cases.extend(groups.iter().flat_map(|cases| cases()));
    cases
}

//! What the benchmarks share: the rows and the ways to measure them.

pub(crate) mod case;
pub(crate) mod input;
pub(crate) mod ratios;
#[path = "../../examples/support/timing.rs"]
pub(crate) mod timing;

//! What the benchmarks share: the rows and the ways to measure them.

pub mod case;
pub mod group;
pub mod input;
pub mod ratios;
#[path = "../../examples/support/timing.rs"]
mod timing;

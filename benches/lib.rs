//! What the benchmarks share: the rows, and the ways to measure them.

// Indices, as in the definitions of the rows.
#![allow(clippy::needless_range_loop)]

pub mod cases;
pub mod harness;

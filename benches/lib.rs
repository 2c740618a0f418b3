//! What the benchmarks share: the rows, and the ways to measure them.

// Indices, as in the definitions of the rows.
#![allow(clippy::needless_range_loop)]
// Sizes are small, adjoints take as many arguments as there are shadows, and `i + 1` is a length.
#![allow(
    clippy::cast_precision_loss,
    clippy::range_plus_one,
    clippy::too_many_arguments
)]

pub mod cases;
pub mod harness;

//! Whole programs, primitives, drivers, and derivatives of higher order: each function here is compared with independent references, in every
//! mode.

#![forbid(unsafe_code)]
#![allow(
    clippy::all,
    clippy::pedantic,
    reason = "the functions under test are written as users may write them"
)]

use chainrule as ad;

#[path = "../derivatives/check/mod.rs"]
#[warn(clippy::all)]
#[allow(
    dead_code,
    unused_imports,
    unused_macros,
    reason = "each of the test binaries uses a part"
)]
mod check;

mod as_written;
#[cfg(feature = "special")]
mod distributions;
mod drivers;
mod explained;
mod flat;
mod interpolation;
mod matrices;
mod mixed;
mod nested;
mod primitives;
mod programs;
mod published;
mod scalars;
mod second_order;
mod several_directions;
mod sparse;
#[cfg(feature = "special")]
mod special;
mod traps;
mod traps_mutation;

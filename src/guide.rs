//! Chapters on one subject each, with examples that run.
//!
//! For a new user, in this order:
//!
//! 1. [`first_gradient`]: from `cargo new` to a checked gradient and a minimum.
//! 2. [`first_errors`]: the most frequent errors, and what to write instead.
//! 3. [`how_it_works`]: the code that the macro generates.
//! 4. [`structs`]: parameters in structs, steps along a gradient, flat views for optimisers.
//! 5. [`higher_order`]: Jacobians, Hessians, sparse matrices, derivatives of derivatives.
//! 6. [`cost`]: compile time, run time, memory, allocations.
//!
//! For reference:
//!
//! - [`language`]: all supported constructs, in tables.
//! - [`tangent_types`]: the tangents of structs, enums, trait objects and types of std.
//! - [`coming_from`]: idioms of JAX, Enzyme and num-dual, and their translation.
//! - [`speed`]: why a gradient is slow, and how to find out.
//! - [`primitives`]: functions with derivative rules by hand; roots, fixed points and minima.
#![cfg_attr(
    feature = "std",
    doc = "- [`foreign_types`]: types of crates without derivatives."
)]
#![cfg_attr(
    feature = "std",
    doc = "- [`testing`]: tests of rules against finite differences."
)]
//! - [`checking`]: drivers that check themselves at each call.
//! - [`targets`]: WebAssembly, microcontrollers, big-endian machines, and what differs there.
//! - [`glossary`]: the terms of the guide.
//!
//! For libraries, each with the feature of that name:
//!
//! - `arrays`: arrays of `ndarray`.
//! - `matrices`: matrices of `nalgebra` and `faer`.
//! - `complex`: complex numbers of `num-complex`.
//! - `solvers`: minimising with `argmin`, least squares, sampling with `nuts-rs`, and differential equations with `diffsol`.
//! - `distributions`: log posteriors, with the feature `special`.
//! - `many_cores`: parallel iterators of `rayon`.
//! - `many_machines`: data that is spread over the processes of an MPI program.

#[doc = include_str!("guide/first_gradient.md")]
pub mod first_gradient {}

#[doc = include_str!("guide/first_errors.md")]
pub mod first_errors {}

#[doc = "How the macro turns a function into its derivatives."]
#[doc = ""]
#[doc = include_str!("guide/how_it_works.svg")]
#[doc = include_str!("guide/how_it_works.md")]
pub mod how_it_works {}

#[doc = include_str!("guide/structs.md")]
pub mod structs {}

#[doc = include_str!("guide/tangent_types.md")]
pub mod tangent_types {}

#[doc = include_str!("guide/higher_order.md")]
pub mod higher_order {}

#[doc = include_str!("guide/cost.md")]
pub mod cost {}

#[doc = include_str!("guide/language.md")]
pub mod language {}

#[doc = include_str!("guide/coming_from.md")]
pub mod coming_from {}

#[doc = include_str!("guide/speed.md")]
pub mod speed {}

#[doc = include_str!("guide/primitives.md")]
pub mod primitives {}

#[cfg(feature = "std")]
#[doc = include_str!("guide/foreign_types.md")]
pub mod foreign_types {}

#[cfg(feature = "std")]
#[doc = include_str!("guide/testing.md")]
pub mod testing {}

#[doc = include_str!("guide/checking.md")]
pub mod checking {}

#[doc = include_str!("guide/targets.md")]
pub mod targets {}

#[doc = include_str!("guide/glossary.md")]
pub mod glossary {}

#[cfg(feature = "ndarray")]
#[doc = include_str!("guide/arrays.md")]
pub mod arrays {}

#[cfg(feature = "nalgebra")]
#[doc = include_str!("guide/matrices.md")]
pub mod matrices {}

#[cfg(feature = "num-complex")]
#[doc = include_str!("guide/complex.md")]
pub mod complex {}

#[cfg(feature = "argmin")]
#[doc = include_str!("guide/solvers.md")]
pub mod solvers {}

#[cfg(feature = "special")]
#[doc = include_str!("guide/distributions.md")]
pub mod distributions {}

#[cfg(feature = "rayon")]
#[doc = include_str!("guide/many_cores.md")]
pub mod many_cores {}

#[cfg(feature = "mpi")]
#[doc = include_str!("guide/many_machines.md")]
pub mod many_machines {}

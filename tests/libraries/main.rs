//! Types of other crates, behind features: each rule is compared with independent references, in every mode.

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

#[cfg(all(feature = "nalgebra", feature = "ndarray"))]
mod both;
#[cfg(feature = "num-complex")]
mod complex_numbers;
#[cfg(feature = "faer")]
mod faer_factorisations;
#[cfg(feature = "faer")]
mod faer_matrices;
#[cfg(feature = "ndarray")]
mod lists_elsewhere;
#[cfg(feature = "nalgebra")]
mod nalgebra_decompositions;
#[cfg(feature = "nalgebra")]
mod nalgebra_factorisations;
#[cfg(feature = "nalgebra")]
mod nalgebra_geometry;
#[cfg(feature = "nalgebra")]
mod nalgebra_matrices;
#[cfg(feature = "nalgebra")]
mod nalgebra_methods;
#[cfg(feature = "nalgebra")]
mod nalgebra_models;
#[cfg(feature = "nalgebra")]
mod nalgebra_singular_values;
#[cfg(feature = "nalgebra")]
mod nalgebra_spectra;
#[cfg(feature = "nalgebra")]
mod nalgebra_statistics;
#[cfg(feature = "nalgebra")]
mod nalgebra_updates;
#[cfg(feature = "nalgebra")]
mod nalgebra_views;
#[cfg(feature = "ndarray")]
mod ndarray_arrays;
#[cfg(feature = "ndarray")]
mod ndarray_elementwise;
#[cfg(feature = "ndarray")]
mod ndarray_fields;
#[cfg(feature = "ndarray")]
mod ndarray_kernels;
#[cfg(feature = "ndarray")]
mod ndarray_makers;
#[cfg(feature = "ndarray")]
mod ndarray_models;
#[cfg(feature = "ndarray")]
mod ndarray_views;
#[cfg(feature = "rayon")]
mod parallel;

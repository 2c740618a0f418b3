//! Tangents and rules of the types of other crates, each behind a feature of that crate's name.
//!
//! A library's module implements [`Differentiable`](crate::Differentiable) for its types, says how they are indexed, and has the rules of
//! their operators. The rules of their methods are a trait, as those of floats are: generated code imports [`rules`] and finds them by
//! method resolution, as it finds the methods that `#[differentiable]` makes of a user's own method.

#[cfg(feature = "faer")]
pub mod faer;
#[cfg(any(feature = "faer", feature = "nalgebra", feature = "num-complex"))]
mod forms;
#[cfg(feature = "nalgebra")]
pub mod nalgebra;
#[cfg(feature = "ndarray")]
pub mod ndarray;
#[cfg(feature = "num-complex")]
pub mod num_complex;
#[cfg(any(feature = "faer", feature = "nalgebra", feature = "num-complex"))]
mod pairing;

/// The traits with rules of methods.
pub mod rules {
    #[cfg(feature = "faer")]
    pub use super::faer::{
        ColMakerRules as _, DeterminantRules as _, FactorRules as _, LinearRules as _,
        MatMakerRules as _, MatRules as _, NumberRules as _, RowMakerRules as _,
        SpectrumRules as _, TransposeRules as _,
    };
    #[cfg(feature = "nalgebra")]
    pub use super::nalgebra::{NalgebraRules as _, TransposeRules as _};
    #[cfg(feature = "ndarray")]
    pub use super::ndarray::{
        ArrayDotRules as _, ArrayFunctionRules as _, ArrayMakerRules as _, ArrayMapRules as _,
        ArrayRules as _, ArrayUpdateRules as _, ArrayUpdates as _, ArrayViews as _,
        MatrixMakerRules as _, MatrixRules as _, MatrixViews as _, MomentRules as _,
        NumberFunctionRules as _, ShapeRules as _, VectorMakerRules as _, VectorRules as _,
    };
    #[cfg(feature = "num-complex")]
    pub use super::num_complex::{ComplexMakerRules as _, ComplexRules as _};
}

//! Automatic differentiation by compile-time code generation, on stable Rust.
#![no_std]

pub use ad_macros::{Differentiable, differentiable};
pub use ad_runtime::{CoDual, Differentiable, Dual, Matrix, NoTangent, Scalar, Tangent, stop_gradient};

/// What most programs need: `use chainrule::prelude::*`.
pub mod prelude {
    pub use crate::{CoDual, Differentiable, Dual, NoTangent, differentiable, stop_gradient};
}

#[doc(hidden)]
pub use ad_runtime::__private;

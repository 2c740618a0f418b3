//! `num-complex`: complex numbers of `f32` and `f64`, which are their own tangents, with the parts as components.
//!
//! The inner product of tangents is that of the plane, so that the cotangent of `z = x + iy` is `x_bar + i y_bar`: of a holomorphic function `f`
//! it is the incoming one times the conjugate of `f'`.

mod makers;
mod methods;
mod operators;
mod types;

pub use makers::ComplexMakerRules;
pub use methods::ComplexRules;

use crate::Real;

/// `f32` and `f64`.
pub trait Element: Real + ::num_traits::Float {}
impl<A: Real + ::num_traits::Float> Element for A {}

//! Chapters on one subject each, with examples that run.

#[cfg(feature = "ndarray")]
#[doc = include_str!("guide/arrays.md")]
pub mod arrays {}

#[doc = include_str!("guide/checking.md")]
pub mod checking {}

#[cfg(feature = "num-complex")]
#[doc = include_str!("guide/complex.md")]
pub mod complex {}

#[doc = include_str!("guide/first_errors.md")]
pub mod first_errors {}

#[cfg(feature = "std")]
#[doc = include_str!("guide/foreign_types.md")]
pub mod foreign_types {}

#[doc = include_str!("guide/higher_order.md")]
pub mod higher_order {}

#[doc = include_str!("guide/language.md")]
pub mod language {}

#[cfg(feature = "nalgebra")]
#[doc = include_str!("guide/matrices.md")]
pub mod matrices {}

#[doc = include_str!("guide/primitives.md")]
pub mod primitives {}

#[cfg(feature = "argmin")]
#[doc = include_str!("guide/solvers.md")]
pub mod solvers {}

#[doc = include_str!("guide/speed.md")]
pub mod speed {}

#[doc = include_str!("guide/tangent_types.md")]
pub mod tangent_types {}

#[cfg(feature = "std")]
#[doc = include_str!("guide/testing.md")]
pub mod testing {}

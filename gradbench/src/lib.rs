//! The functions of `GradBench`, the field's comparison of tools for automatic differentiation, with chainrule's derivatives, and
//! the protocol in which `GradBench` asks for them.
//!
//! Each eval is a module of [`evals`]: a function as a Rust programmer writes it, marked `#[differentiable]`, its input as it
//! stands in a request, and which driver answers which request. The definitions follow the evals' own descriptions.

// Indices, as in the definitions; sizes are small.
#![allow(clippy::needless_range_loop, clippy::cast_precision_loss)]
// The definitions have that many parameters, and drivers a buffer for each.
#![allow(clippy::too_many_arguments)]

pub mod evals;
pub mod protocol;
pub mod runs;

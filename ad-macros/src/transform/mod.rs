//! Transforms, IR to IR. They compose: forward mode accepts what reverse mode makes.

mod forward;
mod partials;
mod receivers;
mod reverse;
mod seq;

pub(crate) use forward::forward;
pub(crate) use partials::{FUNCTIONS, is_piecewise_constant};
pub(crate) use receivers::place_receivers;
pub(crate) use reverse::{Shape, reverse};

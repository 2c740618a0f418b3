//! Transforms, IR to IR. They compose: forward mode accepts the output of reverse mode.

mod borrowed;
mod exits;
mod forward;
mod moves;
mod partials;
mod preserved_receivers;
mod receivers;
mod reference_arguments;
mod reverse;
mod seq;
mod wide;

pub(crate) use borrowed::share_borrowed;
pub(crate) use exits::clone_at_exits;
pub(crate) use forward::forward;
pub(crate) use moves::replace_moved_vecs;
pub(crate) use partials::{Partial, is_piecewise_constant, partial};
pub(crate) use receivers::{has_unsettled_receivers, place_receivers, settle_receivers};
pub(crate) use reference_arguments::clone_reference_arguments;
pub(crate) use reverse::{Shape, is_sum, reverse};
pub(crate) use seq::Seq;
pub(crate) use wide::{Wide, wide, with_unit_seed};

#[cfg(test)]
mod tests;

//! Analyses: side tables over the IR, which no analysis changes.

mod activity;
mod affine;
mod alike;
mod bounds;
mod checkpoints;
mod clones;
mod constants;
mod coverage;
mod dependence;
mod indices;
mod linear;
mod liveness;
mod structure;
mod written;

pub(crate) use activity::{Activity, activity, varied};
pub(crate) use affine::{Affine, Offset};
pub(crate) use alike::Alike;
pub(crate) use bounds::Bounds;
pub(crate) use checkpoints::reject_checkpoints;
pub(crate) use clones::reject_unequal_clones;
pub(crate) use constants::{constant_slots, reject_lost};
pub(crate) use coverage::{Known, List, Touch};
pub(crate) use dependence::Dependences;
pub(crate) use indices::Indices;
pub(crate) use liveness::{declared, each_with_later_reads, each_with_later_uses};
pub(crate) use structure::{
    Change, all_declared, changes, each_use_in, has_fixed_shape, own_written_slots, relocates,
    uses_in, written_slots,
};
pub(crate) use written::Written;

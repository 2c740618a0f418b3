//! The functions, methods and types of `callee`, in the edition of 2021.

#![allow(
    clippy::cast_precision_loss,
    clippy::needless_pass_by_value,
    clippy::needless_range_loop,
    reason = "parameters and loops are of the kinds that are to be differentiated"
)]

#[path = "../../callee/src/functions.rs"]
mod functions;

pub use functions::*;

//! Functions, methods and types with rules, of each kind that a caller must cope with.

#![allow(
    clippy::cast_precision_loss,
    clippy::needless_pass_by_value,
    clippy::needless_range_loop,
    reason = "parameters and loops are of the kinds that are to be differentiated"
)]

mod functions;
mod overloads;

pub use functions::*;
pub use overloads::*;

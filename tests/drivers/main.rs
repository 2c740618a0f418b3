//! Drivers: the shapes that they check, and where they report a wrong one.

#![allow(
    clippy::cast_precision_loss,
    clippy::needless_pass_by_value,
    clippy::needless_range_loop,
    clippy::type_complexity,
    reason = "functions are of the kinds that are to be differentiated"
)]

mod checked;
mod fallible;
mod fallible_jacobians;
mod panics;
mod shapes;

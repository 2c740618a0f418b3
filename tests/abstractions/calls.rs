//! Calls of other differentiable functions.

mod forms;
mod kinds;

/// The callees, as a module of the same crate.
#[allow(unreachable_pub, reason = "it is a crate's as well")]
#[path = "../crates/callee/src/functions.rs"]
mod callees;

//! Calls of other differentiable functions.

mod kinds;
mod forms;

/// The callees, as a module of the same crate.
#[path = "../crates/callee/src/functions.rs"]
mod callees;

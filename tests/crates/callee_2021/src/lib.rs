//! The functions, methods and types of `callee`, in the edition of 2021.

#[path = "../../callee/src/functions.rs"]
mod functions;

pub use functions::*;

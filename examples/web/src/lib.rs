//! A small model, its fit by gradients of chainrule, and the functions of both that a page in the browser calls.

mod arithmetic;
pub mod bridge;
pub mod data;
pub mod fit;
pub mod model;
mod solve;

pub use arithmetic::arithmetic;

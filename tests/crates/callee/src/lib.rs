//! Functions, methods and types with rules, of each kind that a caller must cope with.

mod functions;

pub use functions::*;

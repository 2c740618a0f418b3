//! Differentiable functions in surroundings that shadow whatever generated code might lean on: no prelude, a renamed
//! dependency, warnings as errors, and names of all kinds taken.
#![no_implicit_prelude]
#![forbid(unsafe_code)]
#![deny(warnings)]
#![deny(missing_docs)]

pub mod generics;
pub mod items;
pub mod macros;
pub mod objects;
pub mod parameters;
pub mod structs;
pub mod tangents;

//! `Differentiable` and `Tangent` for the types of `core` and `alloc`, one family per file.

mod inactive;
mod pointers;
mod ranges;
mod scalars;
mod slices;
mod sums;
mod tuples;

//! Tangent types, and tests of rules.

mod passing;
mod tangents;
mod threads;
mod wrong;

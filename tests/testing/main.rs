//! Tangent types, and tests of rules.

mod passing;
mod wrong;

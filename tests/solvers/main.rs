//! Solvers of other crates, behind features, that call functions and their derivatives through the types of `chainrule`.

#[cfg(feature = "nuts-rs")]
mod nuts;

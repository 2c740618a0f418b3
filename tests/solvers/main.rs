//! Solvers of other crates, behind features, that call functions and their derivatives through the types of `chainrule`.

#[cfg(feature = "levenberg-marquardt")]
mod levenberg_marquardt;
#[cfg(feature = "nuts-rs")]
mod nuts;

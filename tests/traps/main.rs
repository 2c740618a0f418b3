//! Traps: code whose derivative is easily wrong without an error. Each function is compared with independent references, in every mode.

#![forbid(unsafe_code)]
#![allow(
    clippy::all,
    clippy::pedantic,
    reason = "the functions under test are written as users may write them"
)]

use chainrule as ad;

#[path = "../derivatives/check/mod.rs"]
#[warn(clippy::all)]
#[allow(
    dead_code,
    unused_imports,
    unused_macros,
    reason = "each of the test binaries uses a part"
)]
mod check;

mod aliases;
mod carries;
mod drops;
mod inactive;
mod kinks;
mod macros;
mod names;
mod ranges;
mod unwinding;

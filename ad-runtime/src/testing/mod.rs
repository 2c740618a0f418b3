//! Tests of rules: [`Report`], and the implementation of the macros `check_rules!` and `examine_rules!`.

mod arguments;
mod call;
mod differences;
mod examine;
mod judge;
mod laws;
mod report;
mod subject;

use arguments::Arguments;
use subject::{Held, Rules};

use crate::Differentiable;

pub use laws::check_tangents;
pub use report::{Finding, Outcome, Report};

/// Items that the macros need.
#[doc(hidden)]
pub mod private {
    pub use super::call::{Missing, Prepend, call, modes, try_call};
    pub use super::check;
    pub use super::subject::Rules;
}

/// Checks the rules of a function at one point.
#[doc(hidden)]
pub fn check<A: Arguments, R: Differentiable>(
    function: &str,
    seed: u64,
    names: &[&str],
    arguments: A,
    rules: Rules<'_, A, R>,
) -> Report {
    let subject = Held::new(rules, arguments, names);
    let (findings, comparisons) = examine::examine(&subject, seed);
    Report::new(function, seed, comparisons, findings)
}

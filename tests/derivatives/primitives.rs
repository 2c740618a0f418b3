//! Functions whose rules are written by hand.

mod partials;
mod zero_derivative;

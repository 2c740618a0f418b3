//! A module that is a file.

use chainrule::prelude::*;

#[differentiable]
#[inline(never)]
pub(super) fn ln_gamma(x: f64) -> f64 {
    (x - 0.5) * x.ln() - x
}

#[differentiable]
pub(crate) fn gamma(x: f64) -> f64 {
    ln_gamma(x).exp()
}

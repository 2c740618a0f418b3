//! A module and a function of one name, both of which the module around has: the rules stand in the module.

use chainrule::prelude::*;

use crate::check::check;

mod gamma;
mod special;

pub(crate) use gamma::gamma;
use special::norm;

#[differentiable]
#[inline(never)]
fn through_files(x: f64) -> f64 {
    gamma(x) * gamma::ln_gamma(x)
}

#[differentiable]
#[inline(never)]
fn through_a_module(x: &[f64]) -> f64 {
    special::beta(x[0], x[1], 3) * norm(x) + special::r#where(x[0]) + special::sum(x)
}

#[test]
fn rules_in_modules() {
    check!(gamma(1.3));
    check!(through_files(1.3));
    check!(through_a_module(&vec![0.7, 1.9]));
    assert_eq!(norm::gradient::<f64>(&[0.0, 4.0]), [0.0, 1.0]);
    assert_eq!(norm::gradient::<f32>(&[0.0, 4.0]), [0.0, 1.0]);
    assert_eq!(special::inner(), 4.0);
}

#[test]
fn what_the_module_has_itself_stays() {
    assert_eq!(special::own(), 5.0);
}

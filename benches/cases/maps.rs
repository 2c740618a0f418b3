//! A function of each element, into a fresh buffer.

use crate::harness::case::Case;
use crate::harness::input::normal;
use chainrule::prelude::*;

/// The rows of this group.
pub fn cases() -> Vec<Case> {
    vec![naive_map_sin_cos_exp()]
}

fn naive_map_sin_cos_exp() -> Case {
    Case::new(
        "naive_map_sin_cos_exp",
        normal(100),
        vec![0.0; 100],
        |x| map_sin_cos_exp(x),
        |x, x_bar| map_sin_cos_exp::value_and_gradient_into(x, x_bar),
        |x, x_bar| {
            let mut total = 0.0;
            for (x, x_bar) in x.iter().zip(x_bar) {
                let exp = x.exp();
                let (sin_exp, cos_exp) = exp.sin_cos();
                let (sin, cos) = cos_exp.sin_cos();
                total += sin;
                *x_bar = -cos * sin_exp * exp;
            }
            total
        },
    )
}

#[differentiable]
fn map_sin_cos_exp(x: &[f64]) -> f64 {
    let n = x.len();
    let mut y = vec![0.0; n];
    for i in 0..n {
        y[i] = x[i].exp().cos().sin();
    }
    let mut total = 0.0;
    for i in 0..n {
        total += y[i];
    }
    total
}

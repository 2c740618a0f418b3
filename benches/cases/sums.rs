//! Sums of terms, one after another.

use crate::harness::case::Case;
use crate::harness::input::normal;
use chainrule::prelude::*;

/// The rows of this group.
pub fn cases() -> Vec<Case> {
    vec![sum_1000(), sum_sin_1000()]
}

fn sum_1000() -> Case {
    Case::new(
        "_sum_1000",
        normal(1000),
        vec![0.0; 1000],
        |x| sum(x),
        |x, x_bar| sum::value_and_gradient_into(x, x_bar),
        |x, x_bar| {
            let mut total = 0.0;
            for (x, x_bar) in x.iter().zip(x_bar) {
                total += x;
                *x_bar = 1.0;
            }
            total
        },
    )
}

#[differentiable]
fn sum(x: &[f64]) -> f64 {
    let mut total = 0.0;
    for i in 0..x.len() {
        total += x[i];
    }
    total
}

fn sum_sin_1000() -> Case {
    Case::new(
        "_sum_sin_1000",
        normal(1000),
        vec![0.0; 1000],
        |x| sum_sin(x),
        |x, x_bar| sum_sin::value_and_gradient_into(x, x_bar),
        |x, x_bar| {
            let mut total = 0.0;
            for (x, x_bar) in x.iter().zip(x_bar) {
                let (sin, cos) = x.sin_cos();
                total += sin;
                *x_bar = cos;
            }
            total
        },
    )
}

#[differentiable]
fn sum_sin(x: &[f64]) -> f64 {
    let mut total = 0.0;
    for i in 0..x.len() {
        total += x[i].sin();
    }
    total
}

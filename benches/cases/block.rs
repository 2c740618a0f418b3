//! Four hundred products, one after another.

use crate::harness::case::Case;
use chainrule::prelude::*;

/// The rows of this group.
pub fn cases() -> Vec<Case> {
    vec![Case::new(
        "large_single_block",
        vec![1.1, 0.999],
        vec![0.0; 2],
        |x| block(x),
        |x, x_bar| block::value_and_gradient_into(x, x_bar),
        |x, x_bar| by_hand(x, x_bar),
    )]
}

const STEPS: usize = 400;

#[differentiable]
fn block(x: &[f64]) -> f64 {
    let mut r = x[0];
    for _ in 0..STEPS {
        r *= x[1];
    }
    r
}

/// The chain of cotangents needs none of the values, so that it runs beside the chain of values: two chains of
/// products, of which each hides the other's latency. Their products are added in lanes.
fn by_hand(x: &[f64], x_bar: &mut [f64]) -> f64 {
    let (mut kept, mut bars) = ([0.0; STEPS], [0.0; STEPS]);
    let factor = x[1];
    let (mut r, mut r_bar) = (x[0], 1.0);
    for k in 0..STEPS {
        kept[k] = r;
        r *= factor;
        bars[k] = r_bar;
        r_bar *= factor;
    }
    let mut lanes = [0.0; 8];
    for (kept, bars) in kept
        .as_chunks::<8>()
        .0
        .iter()
        .zip(bars.as_chunks::<8>().0.iter().rev())
    {
        for l in 0..8 {
            lanes[l] += bars[7 - l] * kept[l];
        }
    }
    x_bar[0] = r_bar;
    x_bar[1] = lanes.iter().sum();
    r
}

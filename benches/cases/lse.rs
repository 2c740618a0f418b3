//! Log of the sum of exponentials, with the maximum subtracted (`GradBench`: lse).

use crate::harness::case::Case;
use crate::harness::input::Random;
use gradbench::evals::lse::logsumexp;

/// The rows of this group.
pub fn cases() -> Vec<Case> {
    vec![
        Case::new(
            "lse",
            Random::new(31337).uniforms(20_000),
            vec![0.0; 20_000],
            |x| logsumexp(x),
            |x, x_bar| logsumexp::value_and_gradient_into(x, x_bar),
            |x, x_bar| by_hand(x, x_bar),
        )
        // What the maximum gets is one minus a sum that is one.
        .cancelling(1.0),
    ]
}

/// The residual stands where the cotangent will; what comes out of `max_bar` is summed in lanes.
fn by_hand(x: &[f64], x_bar: &mut [f64]) -> f64 {
    const W: usize = 4;
    let (mut max, mut at) = (f64::NEG_INFINITY, usize::MAX);
    for (i, &v) in x.iter().enumerate() {
        if v > max {
            (max, at) = (v, i);
        }
    }
    let mut sum = 0.0;
    for (v, e) in x.iter().zip(x_bar.iter_mut()) {
        *e = (v - max).exp();
        sum += *e;
    }
    let sum_bar = 1.0 / sum;
    let mut lanes = [0.0; W];
    let (chunks, rest) = x_bar.as_chunks_mut::<W>();
    for chunk in chunks {
        for i in 0..W {
            chunk[i] *= sum_bar;
            lanes[i] += chunk[i];
        }
    }
    let mut max_bar = 1.0 - ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3]));
    for e in rest {
        *e *= sum_bar;
        max_bar -= *e;
    }
    if at != usize::MAX {
        x_bar[at] += max_bar;
    }
    sum.ln() + max
}

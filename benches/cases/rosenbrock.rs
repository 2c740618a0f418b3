//! Rosenbrock's function: each element occurs in two terms, and a term costs a few operations only.

use crate::harness::case::Case;
use crate::harness::input::normal;
use chainrule::prelude::*;

/// The rows of this group.
pub fn cases() -> Vec<Case> {
    vec![
        rosenbrock_of("rosenbrock_10", 10),
        rosenbrock_of("rosenbrock_100", 100),
        rosenbrock_of("rosenbrock_1000", 1000),
    ]
}

fn rosenbrock_of(name: &'static str, n: usize) -> Case {
    Case::new(
        name,
        normal(n),
        vec![0.0; n],
        |x| rosenbrock(x),
        |x, x_bar| rosenbrock::value_and_gradient_into(x, x_bar),
        |x, x_bar| {
            let mut total = 0.0;
            // What the term before adds to the component that the next term begins with.
            let mut carried = 0.0;
            for (x, x_bar) in x.windows(2).zip(x_bar.iter_mut()) {
                let (a, b) = (x[1] - x[0] * x[0], 1.0 - x[0]);
                total += 100.0 * a * a + b * b;
                *x_bar = carried - 400.0 * a * x[0] - 2.0 * b;
                carried = 200.0 * a;
            }
            if let Some(last) = x_bar.last_mut() {
                *last = carried;
            }
            total
        },
    )
}

#[differentiable]
fn rosenbrock(x: &[f64]) -> f64 {
    let mut total = 0.0;
    for i in 1..x.len() {
        let a = x[i] - x[i - 1] * x[i - 1];
        let b = 1.0 - x[i - 1];
        total += 100.0 * a * a + b * b;
    }
    total
}

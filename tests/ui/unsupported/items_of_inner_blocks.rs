//! Rules have the items of all blocks at their top.

use chainrule::prelude::*;

const K: f64 = 2.0;

mod factors {
    pub const SMALL: f64 = 0.5;
    pub const K: f64 = 4.0;
}

#[differentiable]
fn of_a_block(x: f64) -> f64 {
    let first = K * x;
    let second = {
        const K: f64 = 4.0;
        K * x
    };
    first * second
}

#[differentiable]
fn of_an_arm(x: f64) -> f64 {
    let first = if x > 0.0 {
        use factors::K;
        K * x
    } else {
        x
    };
    first * K
}

#[differentiable]
fn of_a_loop(x: f64) -> f64 {
    let mut sum = 0.0;
    for _ in 0..3 {
        use factors::*;
        sum += SMALL * x;
    }
    sum * K
}

fn main() {}

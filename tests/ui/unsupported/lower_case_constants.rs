//! In patterns, constants and variants are told from bindings by their capital: rustc checks that the other names are bindings.

use chainrule::prelude::*;

#[allow(non_upper_case_globals)]
const zero: usize = 0;

#[differentiable]
fn by_position(x: &[f64]) -> f64 {
    let mut sum = 0.0;
    for (i, v) in x.iter().enumerate() {
        sum += match i {
            zero => v * 3.0,
            _ => v * v,
        };
    }
    sum
}

#[allow(non_camel_case_types)]
#[derive(Clone, Copy)]
enum direction {
    up,
    down(usize),
}

#[differentiable]
fn by_variant(x: f64, #[constant] d: direction) -> f64 {
    use direction::*;
    match d {
        up => x,
        down(k) if k > 2 => x * x,
        _ => x * x * x,
    }
}

#[differentiable]
fn by_local_constant(x: f64, k: usize) -> f64 {
    #[allow(non_upper_case_globals)]
    const two: usize = 2;
    if matches!(k, two) { x } else { x * x }
}

fn main() {}

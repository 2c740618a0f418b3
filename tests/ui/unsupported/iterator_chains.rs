use chainrule::prelude::*;

#[differentiable]
fn cycled(x: &[f64]) -> f64 {
    x.iter().filter(|v| **v > 0.0).cycle().take(7).sum()
}

#[differentiable]
fn both_filtered(x: &[f64], y: &[f64]) -> f64 {
    x.iter().filter(|v| **v > 0.0).zip(y.iter().skip_while(|v| **v > 0.0)).map(|(a, b)| a * b).sum()
}

#[differentiable]
fn to_another_container(x: &[f64]) -> f64 {
    let all: std::collections::LinkedList<f64> = x.iter().map(|v| v * v).collect();
    all.len() as f64 * x[0]
}

fn main() {
    cycled::gradient(&[1.0]);
    both_filtered::gradient(&[1.0], &[1.0]);
    to_another_container::gradient(&[1.0]);
}

use chainrule::prelude::*;

#[differentiable]
fn skip(x: &[f64], n: usize) -> &[f64] {
    if n == 0 { x } else { skip(&x[1..], n - 1) }
}

#[differentiable]
fn heavier<'a>(x: &'a [f64], y: &'a [f64], #[constant] weights: &[f64]) -> &'a [f64] {
    if weights[0] > weights[1] { x } else { y }
}

fn main() {
    let _ = skip(&[1.0], 1);
    let _ = heavier(&[1.0], &[1.0], &[0.5, 0.1]);
}

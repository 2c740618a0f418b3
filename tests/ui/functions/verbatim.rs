use chainrule::prelude::*;

#[differentiable]
fn f(g: impl Fn(f64) -> f64, x: f64) -> f64 {
    println!("{}", g(x));
    g(x)
}

#[differentiable]
fn h(x: f64) -> f64 {
    let g = |t: f64| t * x;
    let pair = (g, 1.0);
    x * pair.1
}

fn main() {}

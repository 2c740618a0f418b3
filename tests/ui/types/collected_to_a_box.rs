use chainrule::prelude::*;

#[derive(Differentiable)]
struct Rule {
    pairs: Box<[(f64, f64)]>,
}

#[differentiable]
fn f(x: f64, n: usize) -> Rule {
    Rule {
        pairs: (0..n).rev().map(|k| (x * k as f64, x)).collect(),
    }
}

fn main() {
    f(1.0, 2);
}

use chainrule::prelude::*;

#[differentiable]
fn f(x: &[&f64], o: Option<&f64>, #[constant] c: Option<&f64>) -> f64 {
    x.len() as f64
}

fn main() {}

use chainrule::differentiable;

fn term(v: f64) -> Option<f64> {
    (v > 0.0).then(|| v.ln())
}

#[differentiable]
fn total(x: &[f64]) -> f64 {
    let total = x.iter().map(|v| term(*v)).sum();
    match total {
        Some(t) => t,
        None => 0.0,
    }
}

fn main() {}

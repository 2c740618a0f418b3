use chainrule::prelude::*;

/// What stands in another module has a type that only rustc knows.
mod numbers {
    use super::*;

    #[differentiable]
    pub fn g(x: f64) -> f64 {
        x * x
    }
}

#[differentiable]
fn f(x: f64) -> f64 {
    let y = numbers::g(x);
    let n = y as usize;
    x * n as f64
}

fn main() {
    f::gradient(1.0);
}

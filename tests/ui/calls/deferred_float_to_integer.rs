use chainrule::prelude::*;

/// The configuration may change the module, so that only rustc knows the types in it.
#[cfg(all())]
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

use chainrule::prelude::*;

#[differentiable]
trait Loss {
    fn rho(&self, r: f64) -> f64;
    fn scaled(#[constant] &self, r: f64, #[constant] scale: f64) -> f64;
}

#[derive(Debug)]
struct Huber {
    delta: f64,
}

#[differentiable]
impl Loss for Huber {
    fn rho(#[constant] &self, r: f64) -> f64 {
        r * self.delta
    }

    fn scaled(#[constant] &self, r: f64, scale: f64) -> f64 {
        r * scale
    }
}

#[differentiable]
trait Kernel<T: Real> {
    fn at(&self, a: T, b: T) -> T;
}

#[derive(Debug, Differentiable)]
struct Linear;

#[differentiable]
impl Kernel<f64> for Linear {
    fn at(&self, a: f64, #[constant] b: f64) -> f64 {
        a * b
    }
}

fn main() {}

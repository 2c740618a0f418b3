use chainrule::prelude::*;

#[differentiable]
fn constant(x: f64, #[constant] f: impl Fn(f64) -> f64) -> f64 {
    f(x)
}

#[differentiable]
fn boxed(x: f64, f: Box<dyn Fn(f64) -> f64>) -> f64 {
    f(x)
}

#[differentiable]
fn table(x: f64, f: &[fn(f64) -> f64]) -> f64 {
    f[0](x)
}

#[differentiable]
fn of_functions(x: f64, f: impl Fn(fn(f64) -> f64) -> f64) -> f64 {
    f(f64::sin) * x
}

#[differentiable]
fn reference(x: &[f64], f: impl Fn(&[f64]) -> &f64) -> f64 {
    *f(x)
}

#[differentiable]
fn returned(a: f64) -> impl Fn(f64) -> f64 {
    move |x| a * x
}

fn main() {}

use chainrule::prelude::*;

#[differentiable(recursiv)]
fn f(x: f64, #[constant] n: usize) -> f64 {
    x.powi(n as i32)
}

struct Line(f64);

impl Line {
    #[differentiable(recursiv)]
    fn at(#[constant] &self, x: f64) -> f64 {
        self.0 * x
    }
}

struct Twice;

#[differentiable(recursiv)]
impl Twice {
    fn of(#[constant] &self, x: f64) -> f64 {
        2.0 * x
    }
}

#[differentiable]
fn calls(x: f64) -> f64 {
    f(x, 2)
}

fn main() {
    calls::gradient(1.0);
    Line(2.0).at_gradient(1.0);
}

use chainrule::prelude::*;

trait Cut {
    fn cut(self) -> i64;
    fn doubled(&mut self) -> f64;
}

impl Cut for f64 {
    fn cut(self) -> i64 {
        self as i64
    }

    fn doubled(&mut self) -> f64 {
        *self *= 2.0;
        *self
    }
}

#[differentiable]
fn f(x: f64) -> f64 {
    x.cut() as f64 * x
}

#[differentiable]
fn g(x: f64) -> f64 {
    let mut y = x;
    y.doubled() * y
}

fn main() {
    f::gradient(1.0);
    g::gradient(1.0);
}

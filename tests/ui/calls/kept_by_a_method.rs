use chainrule::prelude::*;
use std::cell::Cell;

#[differentiable]
fn through_a_cell(x: f64) -> f64 {
    let c = Cell::new(1.0);
    c.set(2.0 * x);
    c.get() * x
}

#[derive(Differentiable)]
struct Sum(f64);

impl Sum {
    fn put(&mut self, x: f64) {
        self.0 += x;
    }
}

#[differentiable]
fn through_a_method(x: f64) -> f64 {
    let mut s = Sum(1.0);
    s.put(x);
    s.0 * x
}

fn main() {
    through_a_cell::gradient(1.0);
    through_a_method::gradient(1.0);
}

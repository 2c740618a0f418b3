use chainrule::prelude::*;
use std::cell::Cell;

#[differentiable]
fn through_a_cell(x: f64) -> f64 {
    let c = Cell::new(1.0);
    c.set(2.0 * x);
    c.get() * x
}

fn main() {
    through_a_cell::gradient(1.0);
}

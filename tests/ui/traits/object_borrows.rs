use chainrule::prelude::*;

#[differentiable(dyn)]
trait Curve {
    fn at(&self, x: f64) -> f64;
}

#[derive(Differentiable)]
struct Table<'a> {
    values: &'a [f64],
}

#[differentiable]
impl<'a> Curve for Table<'a> {
    fn at(&self, x: f64) -> f64 {
        self.values[0] * x
    }
}

fn main() {}

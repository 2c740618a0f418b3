use chainrule::prelude::*;

#[differentiable]
fn twice(f: &mut dyn FnMut(f64) -> f64, x: f64) -> f64 {
    f(x) + f(x)
}

#[differentiable]
fn moved(f: impl FnMut(f64) -> f64, x: f64) -> f64 {
    twice(&mut { f }, x)
}

fn main() {}

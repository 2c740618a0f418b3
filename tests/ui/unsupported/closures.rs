use chainrule::prelude::*;

struct Held<F>(F);

#[differentiable]
fn in_a_struct(x: f64, a: f64) -> f64 {
    let held = Held(|y: f64| y * a);
    (held.0)(x)
}

#[differentiable]
fn in_an_array(x: f64, a: f64) -> f64 {
    let all = [Box::new(f64::sin)];
    all[0](x) * a
}

fn main() {
    in_a_struct::gradient(1.0, 2.0);
    in_an_array::gradient(1.0, 2.0);
}

use chainrule::prelude::*;

#[differentiable]
fn boxed(x: f64, a: f64) -> f64 {
    let f: Box<dyn Fn(f64) -> f64> = Box::new(|y| y * a);
    f(x)
}

#[differentiable]
fn returned(x: f64, a: f64) -> f64 {
    let scaled_by = |k: f64| move |y: f64| y * k;
    let f = scaled_by(a);
    f(x)
}

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
    boxed::gradient(1.0, 2.0);
    returned::gradient(1.0, 2.0);
    in_a_struct::gradient(1.0, 2.0);
    in_an_array::gradient(1.0, 2.0);
}

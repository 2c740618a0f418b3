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

/// The variable is in scope where the closure is written only.
#[differentiable]
fn of_a_pattern(x: Option<f64>, k: f64) -> f64 {
    let f: Box<dyn Fn(f64) -> f64> = match x {
        Some(k) => Box::new(move |t| t * k),
        None => Box::new(|t| t),
    };
    f(2.0) * k
}

/// The closure owns what the variable held.
#[differentiable]
fn that_owns(k: usize, a: f64) -> f64 {
    let mut c = a;
    let f: Box<dyn Fn(f64) -> f64> = if k == 0 {
        Box::new(move |t| t * c)
    } else {
        Box::new(|t| t)
    };
    c *= 3.0;
    f(2.0) * c
}

fn main() {
    in_a_struct::gradient(1.0, 2.0);
    in_an_array::gradient(1.0, 2.0);
}

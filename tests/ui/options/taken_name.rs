use chainrule::prelude::*;

mod erf {
    pub fn of(x: f64) -> f64 {
        x
    }
}

#[differentiable]
fn erf(x: f64) -> f64 {
    erf::of(x)
}

#[allow(non_camel_case_types)]
struct gamma {
    x: f64,
}

#[differentiable(rules = gamma_rules)]
fn gamma(x: f64) -> f64 {
    x * x
}

/// Its rules would stand for the type wherever the module writes `f32`.
#[differentiable]
fn f32(x: f32) -> f32 {
    2.0 * x
}

fn main() {
    f32(1.0);
    erf(gamma { x: 1.0 }.x) + gamma_rules::gradient(1.0);
}

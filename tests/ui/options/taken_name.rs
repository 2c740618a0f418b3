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

fn main() {
    erf(gamma { x: 1.0 }.x) + gamma_rules::gradient(1.0);
}

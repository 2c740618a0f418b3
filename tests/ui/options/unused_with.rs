use chainrule::prelude::*;

mod special {
    pub fn square(x: f64) -> f64 {
        x * x
    }
}

#[primitive(partials(x = 2.0 * x))]
fn square(x: f64) -> f64 {
    special::square(x)
}

#[differentiable(with(special::sqare = square))]
fn f(x: f64) -> f64 {
    square(x)
}

fn main() {
    f::gradient(1.0);
}

//! A trait's method that Rust finds before the type's own: the rules of the caller would inline another one than the primal calls.

use chainrule::prelude::*;

#[derive(Clone, Copy, Debug, Differentiable)]
struct Spring {
    stiffness: f64,
}

#[differentiable]
impl Spring {
    fn twice(&self) -> f64 {
        2.0 * self.stiffness
    }
}

trait Twice {
    fn twice(self) -> f64;
}

impl Twice for Spring {
    fn twice(self) -> f64 {
        200.0 * self.stiffness
    }
}

#[differentiable]
fn by_name(x: f64) -> f64 {
    let spring = Spring { stiffness: x };
    spring.twice() * x
}

fn main() {
    by_name(1.0);
}

//! An operator that would lose the derivative of all that it is applied to.

use chainrule::prelude::*;

#[derive(Clone, Copy, Differentiable)]
struct Force(f64);

#[differentiable]
impl std::ops::Neg for Force {
    type Output = Force;

    fn neg(#[constant] self) -> Force {
        Force(-self.0)
    }
}

#[differentiable]
impl std::ops::Not for &Force {
    type Output = Force;

    fn not(#[constant] self) -> Force {
        Force(1.0 - self.0)
    }
}

fn main() {}

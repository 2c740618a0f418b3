use chainrule::prelude::*;
use std::ops::{Not, Shl};

#[derive(Differentiable)]
struct Pair(f64, f64);

#[differentiable]
impl Shl<f64> for Pair {
    type Output = Pair;

    fn shl(self, k: f64) -> Pair {
        Pair(self.0 * k, self.1)
    }
}

impl Not for Pair {
    type Output = Pair;

    fn not(self) -> Pair {
        Pair(self.1, self.0)
    }
}

#[differentiable]
fn exchanged(x: f64) -> f64 {
    let pair = !Pair(x, x * x);
    pair.0
}

fn main() {
    exchanged(1.0);
}

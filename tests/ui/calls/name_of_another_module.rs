mod samples {
    use chainrule::prelude::*;

    const STEP: f64 = 0.5;

    fn weight(x: f64) -> f64 {
        x * x
    }

    #[differentiable]
    pub fn scaled(x: &[f64]) -> impl Iterator<Item = f64> + '_ {
        x.iter().map(|v| v * STEP)
    }

    #[differentiable]
    pub fn weighted(x: &[f64]) -> impl Iterator<Item = f64> + '_ {
        x.iter().map(|v| weight(*v))
    }
}

use chainrule::prelude::*;
use samples::weighted;

#[differentiable]
fn total(x: &[f64]) -> f64 {
    samples::scaled(x).sum()
}

struct Model;

#[differentiable]
impl Model {
    fn total(#[constant] &self, x: &[f64]) -> f64 {
        weighted(x).sum()
    }
}

fn main() {}

use chainrule::prelude::*;

#[derive(Clone, Differentiable)]
struct Grid(f64);

impl Grid {
    fn apply(&self, f: impl Fn(f64) -> f64) -> f64 {
        f(self.0)
    }
}

#[differentiable]
fn f(grid: &Grid, x: f64) -> f64 {
    grid.apply(|t: f64| t * x)
}

fn main() {
    f::gradient(&Grid(1.0), 1.0);
}

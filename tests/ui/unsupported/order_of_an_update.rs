use chainrule::prelude::*;

struct Rng(u64);

impl Rng {
    fn draw(&mut self) -> f64 {
        self.0 += 1;
        self.0 as f64
    }

    fn index(&mut self) -> usize {
        self.0 += 1;
        self.0 as usize % 2
    }
}

/// The configuration may change the module, so that only rustc knows the types in it.
#[cfg(all())]
mod lists {
    use super::*;

    #[differentiable]
    pub fn halves(x: &[f64]) -> Vec<f64> {
        vec![x[0] / 2.0, x[1] / 2.0]
    }
}

#[differentiable]
fn scattered(x: &[f64]) -> f64 {
    let mut rng = stop_gradient(Rng(0));
    let mut bins = lists::halves(x);
    bins[rng.index()] += rng.draw() * x[0];
    bins[0]
}

fn main() {}

use chainrule::prelude::*;

#[derive(Differentiable)]
struct Account(f64);

impl Account {
    fn add_scaled(&self, rate: f64) -> f64 {
        self.0 * rate
    }
}

fn main() {}

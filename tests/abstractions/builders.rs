//! Structs that are built by methods which take them and give them back.

use chainrule::prelude::*;

use crate::check::check;

#[derive(Clone, Debug, Differentiable)]
struct Descent {
    rate: f64,
    decay: f64,
    #[constant]
    name: String,
}

// Each setter has the name of its parameter.
#[differentiable]
impl Descent {
    fn new(#[constant] name: impl Into<String>) -> Self {
        Self {
            rate: 1.0,
            decay: 0.0,
            name: name.into(),
        }
    }
    fn rate(mut self, rate: f64) -> Self {
        self.rate = rate;
        self
    }
    fn decay(self, decay: f64) -> Self {
        Self { decay, ..self }
    }
    fn run(&self, run: f64) -> f64 {
        (run - self.rate * (self.decay * run).exp()) * self.name.len() as f64
    }
    fn scale(scale: f64, run: &[f64]) -> f64 {
        scale * run[0]
    }
}

#[differentiable]
fn built(rate: f64, decay: f64) -> f64 {
    let start = Descent::new("plain").rate(rate).decay(decay * rate);
    start.run(rate) * Descent::scale(rate, &[decay])
}

#[test]
fn setters_named_as_their_parameters() {
    check!(built(0.7, -1.2));
}

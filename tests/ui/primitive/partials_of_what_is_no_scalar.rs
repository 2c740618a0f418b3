use chainrule::prelude::*;

#[primitive(partials(x = 1.0))]
fn slice(x: &[f64]) -> f64 {
    x[0]
}

#[primitive(partials(x = 1.0))]
fn vector(x: f64) -> Vec<f64> {
    vec![x]
}

#[primitive(partials(x = 1.0))]
fn nothing(x: f64) {
    println!("{x}");
}

struct Model {
    a: f64,
}

impl Model {
    #[primitive(partials(x = self.a))]
    fn scaled(&self, x: f64) -> f64 {
        self.a * x
    }
}

#[primitive(zero_derivative)]
fn written(x: &mut [f64]) {
    x[0] = 1.0;
}

fn main() {}

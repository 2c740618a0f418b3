use chainrule::prelude::*;

#[derive(Clone, Differentiable)]
struct Pair {
    a: f64,
    b: f64,
}

#[differentiable]
impl Pair {
    fn scale(&mut self, k: f64) -> &mut Self {
        self.a *= k;
        self.b *= k;
        self
    }
}

fn main() {}

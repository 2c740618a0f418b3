use chainrule::prelude::*;

#[derive(Clone, Differentiable)]
struct Squares {
    of: Vec<f64>,
}

#[differentiable]
impl Squares {
    fn all(&self) -> impl Iterator<Item = f64> + '_ {
        self.of.iter().map(|a| a * a)
    }
}

fn main() {
    let _ = Squares { of: vec![1.0] }.all();
}

use chainrule::prelude::*;

#[derive(Clone, Differentiable)]
struct Squares<T> {
    of: Vec<T>,
}

#[differentiable]
impl<T: Real> Squares<T> {
    fn all(&self) -> impl Iterator<Item = T> + '_ {
        self.of.iter().map(|a| *a * *a)
    }
}

fn main() {
    let _ = Squares { of: vec![1.0] }.all();
}

use chainrule::prelude::*;
mod other {
    pub struct W(pub f64);
    impl W {
        pub fn scaled(&self, x: f64) -> f64 {
            self.0 * x
        }
    }
}
#[differentiable]
fn f(#[constant] w: &other::W, x: f64) -> f64 {
    w.scaled(x) * x
}
fn main() {
    println!("{:?}", f(&other::W(1.0), 1.0));
}

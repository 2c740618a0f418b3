use chainrule::prelude::*;
/// Whether a macro implements a trait isn't known: rustc says that it doesn't.
macro_rules! tangent {
    ($name:ident) => {};
}
struct P(f64);
tangent!(P);
#[differentiable]
fn f(x: f64) -> f64 {
    let p = P(2.0);
    x * p.0
}
#[derive(Differentiable)]
struct Q {
    p: P,
}
fn main() {
    f::gradient(1.0);
}

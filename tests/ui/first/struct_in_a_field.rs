use chainrule::prelude::*;
#[derive(Clone)]
struct P {
    a: f64,
    b: f64,
}
#[derive(Clone, Differentiable)]
struct Q {
    p: P,
    k: f64,
}
#[differentiable]
fn f(q: &Q, x: f64) -> f64 {
    q.p.a * x + q.k
}
fn main() {
    println!(
        "{}",
        f(
            &Q {
                p: P { a: 1.0, b: 2.0 },
                k: 1.0
            },
            1.0
        )
    );
}

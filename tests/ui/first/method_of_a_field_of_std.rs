use chainrule::prelude::*;
use std::time::Duration;
#[derive(Clone, Differentiable)]
struct Q {
    d: Duration,
    k: f64,
}
#[differentiable]
fn f(q: &Q, x: f64) -> f64 {
    q.d.as_secs_f64() * x * q.k
}
fn main() {
    println!(
        "{}",
        f(
            &Q {
                d: Duration::from_secs(1),
                k: 1.0
            },
            1.0
        )
    );
}

use chainrule::prelude::*;
use std::time::Duration;
#[differentiable]
fn f(d: Duration, x: f64) -> f64 {
    d.as_secs_f64() * x
}
fn main() {
    println!("{}", f(Duration::from_secs(1), 1.0));
}

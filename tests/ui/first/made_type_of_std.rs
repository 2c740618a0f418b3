use chainrule::prelude::*;
use std::time::Duration;
#[differentiable]
fn f(x: f64) -> Duration {
    Duration::from_secs_f64(x)
}
fn main() {
    println!("{:?}", f(1.0));
}

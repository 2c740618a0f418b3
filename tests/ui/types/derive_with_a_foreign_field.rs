use chainrule::prelude::*;

struct Clock;

#[derive(Differentiable)]
struct Params {
    scale: f64,
    clock: Clock,
}

fn main() {}

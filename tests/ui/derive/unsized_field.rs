use chainrule::prelude::*;

#[derive(Differentiable)]
struct Tail {
    first: f64,
    rest: [f64],
}

fn main() {}

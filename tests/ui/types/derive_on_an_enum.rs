use chainrule::prelude::*;

#[derive(Differentiable)]
enum Shape {
    Square(f64),
}

#[derive(Differentiable)]
union Bits {
    float: f64,
    int: u64,
}

fn main() {}

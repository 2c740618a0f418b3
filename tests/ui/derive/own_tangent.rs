use chainrule::prelude::*;

#[derive(Clone, Debug, PartialEq, Differentiable)]
#[tangent(Self)]
struct Counted {
    x: f64,
    n: usize,
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
#[tangent(Self)]
struct Marked {
    x: f64,
    #[constant]
    n: usize,
}

#[derive(Differentiable)]
#[tangent(Self)]
struct Bare {
    x: f64,
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
#[tangent(Self, name = Other)]
struct Named {
    x: f64,
}

fn main() {}

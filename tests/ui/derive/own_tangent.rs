use chainrule::prelude::*;

#[derive(Clone, Debug, PartialEq, Differentiable)]
#[tangent(Self, name = Other)]
struct Named {
    x: f64,
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
#[tangent(Self)]
enum Marked {
    Number(f64, #[constant] std::marker::PhantomData<f64>),
}

fn main() {}

use chainrule::prelude::*;

#[derive(Differentiable)]
struct Model {
    weight: f64,
    #[constan]
    name: String,
}

#[derive(Differentiable)]
#[tangent(nam = Change)]
struct Account(f64);

#[derive(Differentiable)]
#[constant]
struct Fixed(f64);

fn main() {}

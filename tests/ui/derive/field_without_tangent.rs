use chainrule::prelude::*;

#[derive(Clone)]
struct Cache;

#[derive(Clone, Differentiable)]
struct Model {
    weight: f64,
    cache: Cache,
}

#[derive(Clone, Differentiable)]
enum Layer {
    Dense(Vec<f64>),
    Cached(Cache),
}

fn main() {}

//! An active value for a `#[constant]` field of a struct that the file declares.

use chainrule::prelude::*;

#[derive(Differentiable, Clone)]
struct Params {
    a: f64,
    #[constant]
    k: f64,
}

#[differentiable]
fn literal(x: f64) -> f64 {
    let p = Params { k: 2.0 * x, a: 1.0 };
    p.a * p.k
}

#[differentiable]
fn update(p: &Params, x: f64) -> f64 {
    let q = Params { k: x, ..p.clone() };
    q.a * q.k
}

#[differentiable]
fn field(p: &mut Params, x: f64) -> f64 {
    p.k = x;
    p.a * p.k
}

/// Constants stay constants.
#[differentiable]
fn right(p: &mut Params, x: f64) -> f64 {
    *p = Params { a: x, k: 2.0 * p.k };
    p.k = p.k + 1.0;
    p.a * p.k
}

fn main() {}

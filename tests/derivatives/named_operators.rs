//! Operators called by the names of their methods.

use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Rem, Sub};

use chainrule::prelude::*;

use crate::check::table;

#[differentiable]
fn methods(x: f64, k: f64) -> f64 {
    x.mul(k).add(x.neg()).sub(2.0).div(k).rem(3.0)
}

#[differentiable]
fn of_items(x: &[f64], k: f64) -> f64 {
    let scaled: f64 = x.iter().map(|a| a.mul(k)).sum();
    scaled + x.iter().fold(1.0, |a, b| a.mul(b))
}

#[differentiable]
fn by_path(x: &[f64], k: f64) -> f64 {
    let product = x.iter().copied().fold(1.0, Mul::mul);
    Add::add(product, std::ops::Mul::mul(k, x[0])) - Neg::neg(k)
}

#[differentiable]
fn assigning(x: f64, k: f64) -> f64 {
    let mut s = x;
    let mut v = [x, k];
    for _ in 0..3 {
        s.add_assign(k);
        s.mul_assign(x);
        v[0].mul_assign(s);
    }
    s * v[0] * v[1]
}

#[differentiable]
fn generic<T: Real>(x: T, k: T) -> T {
    x.mul(k).add(x)
}

#[differentiable]
fn of_a_generic(x: f64) -> f64 {
    generic(x, 3.0) * generic(x, x)
}

table! {
    methods: (0.7, 1.3);
    of_items: (&vec![0.7, 1.3], 0.4), (&vec![], 0.4);
    by_path: (&vec![0.7, 1.3], 0.4);
    assigning: (0.7, 1.3);
    of_a_generic: (0.7);
}

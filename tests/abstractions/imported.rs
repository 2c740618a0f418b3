//! Functions of std by the names that the module imports.

use std::array::from_fn;
use std::convert::identity;
use std::hint::black_box;
use std::iter::{once, repeat, repeat_n, successors, zip};
use std::mem::{self, replace as exchange, swap, take};

use chainrule::prelude::*;

use crate::check::table;

#[differentiable]
fn places(x: f64, y: &[f64]) -> f64 {
    let (mut a, mut b) = (x * x, y[0]);
    swap(&mut a, &mut b);
    let old = exchange(&mut a, x.sin());
    let mut list = y.to_vec();
    let taken = take(&mut list);
    list.push(a * old);
    mem::swap(&mut list[0], &mut b);
    list[0] * taken[1] + b
}

#[differentiable]
fn iterators(x: f64, y: &[f64]) -> f64 {
    let a: f64 = zip(y, once(&x)).map(|(a, b)| a * b).sum();
    let b: f64 = repeat(x).take(3).product();
    let c: f64 = repeat_n(y[0], 2).sum();
    let d: f64 = successors(Some(x), |v| (*v < 9.0).then(|| v * 1.5)).sum();
    a * b + c * d
}

#[differentiable]
fn arrays(x: f64, y: &[f64]) -> f64 {
    let a: [f64; 3] = from_fn(|i| y[0] * x.powi(i as i32));
    let b = from_fn::<f64, 2, _>(|i| a[i] * a[i + 1]);
    b.iter().map(|v| identity(*v)).sum::<f64>() * black_box(x)
}

#[derive(Clone, Debug, Differentiable)]
struct Model;

#[differentiable]
impl Model {
    fn method(&self, x: f64, y: f64) -> f64 {
        let (mut a, mut b) = (x * y, y.sin());
        swap(&mut a, &mut b);
        a * x + b * b
    }
}

impl Model {
    #[differentiable]
    #[inline(never)]
    fn single(&self, x: f64, y: f64) -> f64 {
        let mut a = x * y;
        exchange(&mut a, y) * x + a
    }
}

#[differentiable]
fn methods(x: f64, y: f64) -> f64 {
    Model.method(x, y) + Model.single(x, y)
}

/// The body's own come first.
#[differentiable]
fn shadowed(x: f64, y: f64) -> f64 {
    use std::mem::replace as once;
    let take = |a: f64| a * y;
    let mut a = x;
    once(&mut a, take(y)) * a
}

mod own {
    use super::{differentiable, swapped::swap};

    #[differentiable]
    #[inline(never)]
    pub(super) fn other(x: f64, y: f64) -> f64 {
        swap(x, y) * x
    }
}

mod swapped {
    use super::differentiable;

    #[differentiable]
    #[inline(never)]
    pub(super) fn swap(x: f64, y: f64) -> f64 {
        x * y * y
    }
}

#[differentiable]
fn others(x: f64, y: f64) -> f64 {
    own::other(x, y)
}

table! {
    places: (0.7, &[1.3, 0.4]);
    iterators: (1.7, &[1.3, 0.4]), (0.2, &[0.9]);
    arrays: (0.7, &[1.3]);
    methods: (0.7, 1.3);
    shadowed: (0.7, 1.3);
    others: (0.7, 1.3);
}

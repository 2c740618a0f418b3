//! Views of arrays as parameters of primitives.

use chainrule::prelude::*;
use ndarray::{Array1, ArrayView1};

#[primitive(frule = forward, rrule = reverse)]
fn total(x: ArrayView1<'_, f64>) -> f64 {
    x.sum()
}

fn forward(x: Dual<ArrayView1<'_, f64>, Array1<f64>>) -> Dual<f64, f64> {
    Dual(x.0.sum(), x.1.sum())
}

fn reverse(x: ArrayView1<'_, f64>) -> (f64, impl FnOnce(f64) -> Array1<f64>) {
    (x.sum(), move |y| Array1::from_elem(x.len(), y))
}

fn main() {}

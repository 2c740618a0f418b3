//! Statistics, distances and angles in plain Rust, whose derivatives the library's own macro makes.
//!
//! They take the elements of matrices as slices. The value that programs see is the library's.

#![allow(clippy::cast_precision_loss, reason = "means divide by it")]

use alloc::vec::Vec;

use crate::{Real, differentiable};

/// The mean of squared deviations.
#[differentiable]
pub(super) fn variance<A: Real>(x: &[A]) -> A {
    let n = x.len();
    if n == 0 {
        return A::ZERO;
    }
    let count = A::from_f64(n as f64);
    let mut sum = A::ZERO;
    for x in x {
        sum += *x;
    }
    let mean = sum / count;
    let mut squares = A::ZERO;
    for x in x {
        squares += (*x - mean) * (*x - mean);
    }
    squares / count
}

/// The largest absolute value: the first of those that are as large.
#[differentiable]
pub(super) fn amax<A: Real>(x: &[A]) -> A {
    let mut best = A::ZERO;
    for x in x {
        if x.abs() > best {
            best = x.abs();
        }
    }
    best
}

/// The smallest absolute value: the first of those that are as small.
#[differentiable]
pub(super) fn amin<A: Real>(x: &[A]) -> A {
    if x.is_empty() {
        return A::ZERO;
    }
    let mut best = x[0].abs();
    for x in x {
        if x.abs() < best {
            best = x.abs();
        }
    }
    best
}

/// The product of all elements.
#[differentiable]
pub(super) fn product<A: Real>(x: &[A]) -> A {
    let mut product = A::ONE;
    for x in x {
        product *= *x;
    }
    product
}

/// The sum of products of corresponding elements, along a path that the caller has.
#[differentiable]
fn inner<A: Real>(x: &[A], z: &[A]) -> A {
    let mut sum = A::ZERO;
    for k in 0..x.len() {
        sum += x[k] * z[k];
    }
    sum
}

/// The root of a sum of squares, which counts as constant at zero.
#[differentiable]
fn root<A: Real>(square: A) -> A {
    if square == A::ZERO {
        A::ZERO
    } else {
        square.sqrt()
    }
}

/// The norm of a difference.
#[differentiable]
pub(super) fn distance<A: Real>(x: &[A], z: &[A]) -> A {
    let mut sum = A::ZERO;
    for k in 0..x.len() {
        sum += (x[k] - z[k]) * (x[k] - z[k]);
    }
    root(sum)
}

/// The angle between two vectors. Where they are parallel it has no derivative, which counts as zero.
#[differentiable]
pub(super) fn angle<A: Real>(x: &[A], z: &[A]) -> A {
    let (n, m) = (root(inner(x, x)), root(inner(z, z)));
    if n == A::ZERO || m == A::ZERO {
        return A::ZERO;
    }
    let cosine = inner(x, z) / (n * m);
    if cosine >= A::ONE {
        A::ZERO
    } else if cosine <= -A::ONE {
        A::PI()
    } else {
        cosine.acos()
    }
}

/// The absolute values.
#[differentiable]
pub(super) fn abs<A: Real>(x: &[A]) -> Vec<A> {
    let mut y = Vec::new();
    for x in x {
        y.push(x.abs());
    }
    y
}

/// `(1 - t) x + t z`.
#[differentiable]
pub(super) fn lerp<A: Real>(x: &[A], z: &[A], t: A) -> Vec<A> {
    let mut y = Vec::new();
    for k in 0..x.len() {
        y.push(x[k] * (A::ONE - t) + z[k] * t);
    }
    y
}

/// `x + t`.
#[differentiable]
pub(super) fn add_number<A: Real>(x: &[A], t: A) -> Vec<A> {
    let mut y = Vec::new();
    for x in x {
        y.push(*x + t);
    }
    y
}

/// `x / t`.
#[differentiable]
pub(super) fn divided<A: Real>(x: &[A], t: A) -> Vec<A> {
    let mut y = Vec::new();
    for x in x {
        y.push(*x / t);
    }
    y
}

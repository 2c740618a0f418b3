//! Loops over slices, branches, scratch buffers, closures and both float types, with operations that IEEE 754 defines to the bit.

use alloc::vec;
use alloc::vec::Vec;

use chainrule::prelude::*;

/// Rosenbrock's function, whose carried sum the rules compute in lanes.
#[differentiable]
pub fn rosenbrock(x: &[f64]) -> f64 {
    let mut total = 0.0;
    for i in 0..x.len() - 1 {
        let (slope, offset) = (x[i + 1] - x[i] * x[i], 1.0 - x[i]);
        total += 100.0 * slope * slope + offset * offset;
    }
    total
}

/// The energy of a row of springs with a stencil of three points.
#[differentiable]
pub fn stencil(u: &[f64], stiffness: f64) -> f64 {
    u.windows(3)
        .map(|w| {
            let bend = w[0] - 2.0 * w[1] + w[2];
            0.5 * stiffness * bend * bend / (1.0 + w[1] * w[1]).sqrt()
        })
        .sum()
}

/// Two layers with a rectifier between them. The weights stand row by row.
#[differentiable]
pub fn layers(weights: &[f64], x: &[f64], #[constant] width: usize) -> f64 {
    let mut hidden = vec![0.0; width];
    for i in 0..width {
        for j in 0..x.len() {
            hidden[i] += weights[i * x.len() + j] * x[j];
        }
        if hidden[i] < 0.0 {
            hidden[i] *= 0.125;
        }
    }
    let mut y = 0.0;
    for i in 0..width {
        y += hidden[i] * weights[width * x.len() + i];
    }
    y * y / 3.0
}

/// Newton's iteration for the square root of the mean, whose trips depend on the values.
#[differentiable]
pub fn iterated(x: &[f64]) -> f64 {
    let mut mean = 0.0;
    for v in x {
        mean += v * v;
    }
    mean /= x.len() as f64;
    let mut root = mean;
    while (root * root - mean) * (root * root - mean) > 1e-24 {
        root = 0.5 * (root + mean / root);
    }
    root
}

/// A polynomial by Horner's rule. Each step is one fused operation.
#[differentiable]
pub fn fused(coefficients: &[f64], x: f64) -> f64 {
    let mut y = 0.0_f64;
    for c in coefficients.iter().rev() {
        y = y.mul_add(x, *c);
    }
    y
}

/// The same polynomial by a product and a sum, which round one after the other.
#[differentiable]
pub fn not_fused(coefficients: &[f64], x: f64) -> f64 {
    let mut y = 0.0_f64;
    for c in coefficients.iter().rev() {
        y = y * x + *c;
    }
    y
}

/// A sum in single precision of products that are rounded there, and its square in double precision.
///
/// The sum is moved before it is squared: QEMU 7.2 computes the instruction of s390x for products of two `f32` as `f64` (MDEB) wrongly.
#[differentiable]
pub fn mixed(a: &[f32], b: &[f64]) -> f64 {
    let mut sum = 0.0_f32;
    for i in 0..a.len() {
        sum += a[i] * b[i] as f32;
    }
    let sum = f64::from(sum) + 0.1;
    sum * sum + a[0] as f64 / b[0]
}

/// A quotient of single precision.
#[differentiable]
pub fn single(x: &[f32], k: f32) -> f32 {
    let mut total = 0.0;
    for v in x {
        total += (v * v + k).sqrt() / (1.0 + v * k);
    }
    total
}

/// The parts of a number: the remainder, the sign, the rounded value.
#[differentiable]
pub fn pieces(x: f64, y: f64) -> f64 {
    let rest = x % y;
    let sides = x.max(y) * x.min(0.5) + (x - y).abs();
    let parts = x.floor() + y.ceil() * x.trunc() + (x * y).round();
    rest * sides + parts * y + x.copysign(y) * x.clamp(-1.0, 2.0) + y.recip().signum()
}

/// Cholesky's factorisation in place, and the product of the diagonal.
#[differentiable]
pub fn cholesky(a: &[f64], #[constant] n: usize) -> f64 {
    let mut l = a.to_vec();
    for j in 0..n {
        for k in 0..j {
            for i in j..n {
                l[i * n + j] -= l[i * n + k] * l[j * n + k];
            }
        }
        let pivot = l[j * n + j].sqrt();
        for i in j..n {
            l[i * n + j] /= pivot;
        }
    }
    let mut product = 1.0;
    for j in 0..n {
        product *= l[j * n + j];
    }
    product
}

/// Sums with a closure that captures, applied through a parameter.
#[differentiable]
pub fn captured(x: &[f64], k: f64) -> f64 {
    let scaled = |v: f64| k * v * v - v / (k + 2.0);
    total_of(scaled, x) + scaled(x[0])
}

#[differentiable]
fn total_of(f: impl Fn(f64) -> f64, x: &[f64]) -> f64 {
    x.iter().map(|v| f(*v)).sum()
}

/// A list that grows by what a branch decides, and its alternating sum.
#[differentiable]
pub fn grown(x: &[f64]) -> f64 {
    let mut kept: Vec<f64> = Vec::new();
    for v in x {
        if *v > 0.0 {
            kept.push(v * v);
        } else {
            kept.push(3.0 * v);
            kept.push(v / 7.0);
        }
    }
    while kept.len() > 5 {
        let last = kept.pop().unwrap_or(0.0);
        kept[0] += last * kept[1];
    }
    let mut y = 0.0;
    for (i, v) in kept.iter().enumerate() {
        y += if i % 2 == 0 { v * v } else { -v * kept[0] };
    }
    y
}

/// A large product and a small one: infinities and numbers below the normal ones are the same everywhere, too.
#[differentiable]
pub fn extreme(x: f64, y: f64) -> f64 {
    let tiny = x * 1e-200 * y * 1e-115;
    tiny * 0.75 + y / (x * 1e305) * 1e-5
}

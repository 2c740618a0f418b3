//! Short functions, which callers in other modules inline if all names in them mean the same there.

use std::f64::consts::PI;

use chainrule::prelude::*;

use super::vectors::V;

pub(crate) type Fallible<T> = Result<T, Failed>;

#[derive(Debug)]
pub(crate) struct Failed;

/// The caller has a constant of this name, too.
const LOCAL: f64 = 1.5;

fn hidden(x: f64) -> f64 {
    x
}

#[differentiable]
pub(crate) fn square(x: f64) -> f64 {
    x * x
}

#[differentiable]
pub(crate) fn cube(x: f64) -> f64 {
    x * square(x)
}

#[differentiable]
pub(crate) fn with_a_constant(x: f64) -> f64 {
    x * LOCAL + square(x)
}

#[differentiable]
pub(crate) fn with_a_function(x: f64) -> f64 {
    x * hidden(2.0)
}

#[differentiable]
pub(crate) fn turned(x: f64) -> f64 {
    x * PI
}

#[differentiable]
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

#[differentiable]
pub(crate) fn axpy(a: f64, x: &[f64], y: &mut [f64]) {
    for i in 0..x.len() {
        y[i] += a * x[i];
    }
}

#[differentiable]
pub(crate) fn length(v: V) -> f64 {
    v.x * v.x + v.dot(v)
}

#[differentiable]
pub(crate) fn row(a: &[f64], i: usize, n: usize) -> &[f64] {
    &a[i * n..(i + 1) * n]
}

#[differentiable]
pub(crate) fn line(a: f64, b: f64) -> impl Fn(f64) -> f64 {
    move |x| a * x + b
}

#[differentiable]
pub(crate) fn squares(x: &[f64]) -> impl Iterator<Item = f64> + '_ {
    x.iter().step_by(2).map(|v| v * v)
}

/// Paths that begin with `std` mean the same in all modules.
#[differentiable]
pub(crate) fn from_one(x: &[f64]) -> impl Iterator<Item = f64> + '_ {
    std::iter::once(std::f64::consts::LN_2).chain(x.iter().copied())
}

#[differentiable]
pub(crate) fn doubled(x: impl Iterator<Item = f64>) -> f64 {
    x.map(|v| v * 2.0).sum()
}

#[differentiable]
pub(crate) fn generic<T: Real>(x: T, y: T) -> T {
    x * y + x.sin()
}

#[differentiable]
pub(crate) trait Kernel {
    fn at(&self, x: f64) -> f64;
}

#[derive(Clone, Debug, Differentiable)]
pub(crate) struct Gauss {
    pub s: f64,
}

#[differentiable]
impl Kernel for Gauss {
    fn at(&self, x: f64) -> f64 {
        (-x * x / self.s).exp()
    }
}

#[derive(Clone, Copy, Debug, Differentiable)]
pub(crate) struct Degrees {
    pub d: f64,
}

#[differentiable]
impl From<f64> for Degrees {
    fn from(d: f64) -> Degrees {
        Degrees { d }
    }
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
pub(crate) struct Trajectory {
    pub t: Vec<f64>,
    pub y: Vec<Vec<f64>>,
}

#[differentiable]
impl Trajectory {
    pub(crate) fn end(&self) -> f64 {
        self.t[self.t.len() - 1]
    }
}

#[differentiable]
pub(crate) fn trajectory<K: Kernel>(k: &K, n: usize, x: &[f64]) -> Fallible<Trajectory> {
    if n == 0 {
        return Err(Failed);
    }
    let mut path = Trajectory {
        t: vec![],
        y: vec![],
    };
    for i in 0..n {
        path.t.push(k.at(x[i]));
        path.y.push(x.to_vec());
    }
    Ok(path)
}

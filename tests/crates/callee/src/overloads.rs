//! A trait, a type with operators, and a generic function, for use in other crates.

use core::ops::{Add, Mul};

use chainrule::prelude::*;

/// What changes a number, behind an object.
#[differentiable(dyn)]
pub trait Layer {
    /// Its output.
    fn apply(&self, x: f64) -> f64;
}

/// A layer that multiplies.
#[derive(Clone, Debug, PartialEq, Differentiable)]
pub struct Gain(pub f64);

#[differentiable]
impl Layer for Gain {
    fn apply(&self, x: f64) -> f64 {
        self.0 * x
    }
}

/// The output of all layers.
#[differentiable]
pub fn network(layers: &[Box<dyn Layer>], x: f64) -> f64 {
    let mut y = x;
    for layer in layers {
        y = layer.apply(y);
    }
    y
}

/// A covariance function.
#[differentiable]
pub trait Kernel {
    /// The covariance at a distance.
    fn covariance(&self, distance: f64) -> f64;

    /// The sum over all pairs of points.
    fn total(&self, points: &[f64]) -> f64 {
        let mut sum = 0.0;
        for i in 0..points.len() {
            for j in 0..i {
                sum += self.covariance(points[i] - points[j]);
            }
        }
        sum
    }
}

/// The squared exponential.
#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
pub struct Gaussian {
    /// How far it reaches.
    pub length: f64,
}

#[differentiable]
impl Kernel for Gaussian {
    fn covariance(&self, distance: f64) -> f64 {
        let d: f64 = distance / self.length;
        (-0.5 * d * d).exp()
    }
}

/// A number with an imaginary part.
#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
pub struct Complex<T> {
    /// The real part.
    pub re: T,
    /// The imaginary part.
    pub im: T,
}

#[differentiable]
impl<T: Real> Add for Complex<T> {
    type Output = Complex<T>;

    fn add(self, o: Complex<T>) -> Complex<T> {
        Complex {
            re: self.re + o.re,
            im: self.im + o.im,
        }
    }
}

#[differentiable]
impl<T: Real> Mul for Complex<T> {
    type Output = Complex<T>;

    fn mul(self, o: Complex<T>) -> Complex<T> {
        Complex {
            re: self.re * o.re - self.im * o.im,
            im: self.re * o.im + self.im * o.re,
        }
    }
}

/// The sum of the squares.
#[differentiable]
pub fn squares<T: Real>(x: &[T]) -> T {
    let mut sum = T::zero();
    for i in 0..x.len() {
        sum += x[i] * x[i];
    }
    sum
}

//! Numbers of `num-complex`: operators, parts, methods, sums, lists, functions that make them.

use chainrule::prelude::*;
use num_complex::{Complex, Complex32, Complex64};

use crate::check::{Flat, check, map_table, table};

impl<A: Flat> Flat for Complex<A> {
    const ROUNDOFF: f64 = A::ROUNDOFF;

    fn map(&mut self, f: &mut dyn FnMut(f64) -> f64) {
        self.re.map(f);
        self.im.map(f);
    }
}

fn z() -> Complex64 {
    Complex::new(0.7, -1.2)
}

fn w() -> Complex64 {
    Complex::new(-0.4, 0.9)
}

#[differentiable]
fn operators(z: Complex64, w: Complex64, k: f64) -> Complex64 {
    let mut s = z * w + z / w - w * k + k / z - k * w;
    s += z;
    s *= w;
    s -= k;
    s /= z;
    -s / k + k - (k - w) + (k + z)
}

#[differentiable]
fn by_reference(z: &Complex64, w: &Complex64) -> Complex64 {
    let s = z * w - *z / w;
    &s + z * 2.0
}

#[differentiable]
fn parts(z: Complex64) -> f64 {
    let mut w = z;
    w.re *= z.im;
    w.im = w.re.sin();
    w.re * w.im + z.re
}

#[differentiable]
fn made(x: f64, y: f64) -> f64 {
    let z = Complex::new(x, y * x);
    let w = Complex64::from_polar(x, y) + Complex::cis(x * y);
    let u = Complex { re: y, im: x };
    (z * w * u).norm_sqr() + Complex64::i().im * x
}

#[differentiable]
fn from_numbers(x: f64, y: f64) -> f64 {
    let z = Complex64::from(x * y) + Complex64::from(2.0);
    let u: Complex64 = (x * x).into();
    let w = Complex::from(y) * z + Complex::new(0.0, x) * u;
    (z * w).norm()
}

#[differentiable]
fn sizes(z: Complex64, w: Complex64) -> f64 {
    z.norm() * w.norm_sqr() + (z * w).arg() * w.conj().norm()
}

#[differentiable]
fn exponentials(z: Complex64) -> Complex64 {
    z.exp() * z.ln() + z.sqrt() - z.inv()
}

#[differentiable]
fn circular(z: Complex64) -> Complex64 {
    z.sin() * z.cos() + z.tan()
}

#[differentiable]
fn hyperbolic(z: Complex64) -> Complex64 {
    z.sinh() - z.cosh() * z.tanh() * z
}

#[differentiable]
fn powers(z: Complex64, n: i32) -> Complex64 {
    z.powi(n) * z.powi(3) + z.powi(-n).conj()
}

/// The impulse response of a filter at one frequency.
#[differentiable]
fn response(coefficients: &[f64], frequency: f64) -> f64 {
    let step = Complex::new(0.0, -frequency).exp();
    let mut phase = Complex::new(1.0, 0.0);
    let mut sum = Complex::new(0.0, 0.0);
    for c in coefficients {
        sum += phase * *c;
        phase *= step;
    }
    sum.norm_sqr()
}

/// A discrete Fourier transform as it is defined.
#[differentiable]
fn transform(x: &[Complex64]) -> Vec<Complex64> {
    let n = x.len();
    let mut all = vec![Complex::new(0.0, 0.0); n];
    for k in 0..n {
        for j in 0..n {
            let angle = -2.0 * core::f64::consts::PI * (k * j) as f64 / n as f64;
            all[k] += x[j] * Complex::new(angle.cos(), angle.sin());
        }
    }
    all
}

#[derive(Clone, Copy, Debug, Differentiable, PartialEq)]
struct Impedance {
    z: Complex64,
    gain: f64,
}

#[differentiable]
fn in_struct(z: Complex64, w: Complex64, gain: f64) -> f64 {
    let (a, b) = (Impedance { z, gain }, Impedance { z: w, gain: 0.5 });
    let parallel = a.z * b.z / (a.z + b.z);
    (parallel * a.gain).norm() + b.z.im
}

#[differentiable]
fn single(z: Complex32, k: f32) -> f32 {
    (z * k + k).norm_sqr()
}

table! {
    parts: (z());
    made: (0.7, 1.3);
    from_numbers: (0.7, 1.3);
    sizes: (z(), w());
    response: (&[0.5, 0.25, -0.125], 0.7);
    in_struct: (z(), w(), 1.5);
    single: (Complex::new(0.7, -0.4), 1.5);
}
map_table! {
    operators: (z(), w(), 0.7);
    by_reference: (&z(), &w());
    exponentials: (z()), (w());
    circular: (z());
    hyperbolic: (z());
    powers: for n in [-2, 0, 1, 2, 5], (z(), const n);
    transform: (&[z(), w(), z() * w()]);
}

#[test]
fn gradients_are_numbers() {
    let gradient: Complex64 = size::gradient(Complex::new(3.0, 4.0));
    assert!((gradient - Complex::new(0.6, 0.8)).norm() < 1e-15);
    assert_eq!(
        size::gradient(Complex::new(0.0, 0.0)),
        Complex::new(0.0, 0.0)
    );
}

#[differentiable]
fn size(z: Complex64) -> f64 {
    z.norm()
}

/// Zero cotangents stay zero, whatever they are divided by.
#[test]
fn zeros_are_strong() {
    assert_eq!(
        unused_quotient::gradient(z(), Complex::new(0.0, 0.0), 0.0).0,
        Complex::new(0.0, 0.0)
    );
}

#[differentiable]
fn unused_quotient(z: Complex64, w: Complex64, k: f64) -> f64 {
    let s = z / w;
    if k > 0.0 { s.re } else { k }
}

#[differentiable]
fn totals(x: &[f64]) -> f64 {
    let z: Vec<Complex64> = x.iter().map(|x| Complex64::new(*x, x * x)).collect();
    let squares: Complex64 = z.iter().map(|z| z * z).sum();
    let all = z.iter().product::<Complex64>();
    let sum: Complex64 = z.iter().sum();
    squares.re * squares.im + all.norm_sqr() + sum.re * sum.im
}

#[test]
fn sums_and_products() {
    check!(totals(&[0.3, 0.7, 1.1]));
    assert_eq!(totals::value_and_gradient(&[]), (1.0, vec![]));
}

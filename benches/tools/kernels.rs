//! The functions, three times each: as ordinary Rust, generic over echidna's numbers, and generic over those of num-dual.

use crate::row::{Row, differences, differences_of_all, second_differences};
use chainrule::prelude::*;
use echidna::Scalar;
use nalgebra::{DVector, SVector};
use num_dual::DualNum;
use rows::harness::input::Random;
use std::cell::RefCell;

pub(crate) fn all() -> Vec<Row> {
    vec![
        gradient_of_rosenbrock::<10>("Rosenbrock, 10"),
        gradient_of_rosenbrock::<100>("Rosenbrock, 100"),
        gradient_of_long_rosenbrock("Rosenbrock, 1000"),
        gradient_of_logistic("logistic regression, 200 observations, 9 parameters"),
        gradient_of_mixture("Gaussian mixture, 200 observations, 15 parameters"),
        gradient_of_predators("Lotka-Volterra, 500 steps of Runge-Kutta, 6 parameters"),
        jacobian_of_decay("Jacobian of an exponential fit, 100 residuals, 4 parameters"),
        hessian_of_rosenbrock("Hessian of Rosenbrock, 20"),
        hessian_of_mixture("Hessian of the Gaussian mixture, 15 parameters"),
    ]
}

/// A row for the gradient of a function of `N` parameters and of constant lists.
macro_rules! gradient_row {
    ($name:expr, $n:expr, $f:ident / $scalar:ident / $dual:ident, $x:expr, [$($data:expr),*]) => {{
        let x: Vec<f64> = $x;
        let (for_value, ours, tape, dual, by_differences) =
            (x.clone(), x.clone(), x.clone(), x.clone(), x.clone());
        let recorded = RefCell::new(echidna::record(|x| $scalar(x $(, $data)*), &x).0);
        Row {
            name: $name,
            value: Box::new(move || $f(&for_value $(, $data)*)),
            derivatives: [
                Some(Box::new(move || $f::gradient(&ours $(, $data)*))),
                Some(Box::new(move || echidna::grad(|x| $scalar(x $(, $data)*), &tape))),
                Some(Box::new(move || recorded.borrow_mut().gradient(&x))),
                Some(Box::new(move || {
                    let x = SVector::<f64, { $n }>::from_column_slice(&dual);
                    let (_, gradient) = num_dual::gradient(|x| $dual(x.as_slice() $(, $data)*), &x);
                    gradient.as_slice().to_vec()
                })),
                Some(Box::new(move || differences(|x| $f(x $(, $data)*), &by_differences))),
            ],
            differences: 1e-7,
        }
    }};
}

/// A list that the closures of a row share, for as long as the program runs.
fn kept(list: Vec<f64>) -> &'static [f64] {
    Vec::leak(list)
}

#[differentiable]
fn rosenbrock(x: &[f64]) -> f64 {
    let mut sum = 0.0;
    for i in 1..x.len() {
        let step = x[i] - x[i - 1] * x[i - 1];
        let rest = 1.0 - x[i - 1];
        sum += 100.0 * step * step + rest * rest;
    }
    sum
}

fn rosenbrock_scalar<T: Scalar<Float = f64>>(x: &[T]) -> T {
    let mut sum = T::zero();
    for i in 1..x.len() {
        let step = x[i] - x[i - 1] * x[i - 1];
        let rest = T::one() - x[i - 1];
        sum = sum + T::from_f(100.0) * step * step + rest * rest;
    }
    sum
}

fn rosenbrock_dual<D: DualNum<Primitive = f64>>(x: &[D]) -> D {
    let mut sum = D::from(0.0);
    for i in 1..x.len() {
        let step = x[i].clone() - x[i - 1].clone() * &x[i - 1];
        let rest = -x[i - 1].clone() + 1.0;
        sum += step.clone() * step * 100.0 + rest.clone() * rest;
    }
    sum
}

fn near_one(n: usize) -> Vec<f64> {
    let uniforms = Random::new(5).uniforms(n);
    uniforms.into_iter().map(|u| 0.5 + u).collect()
}

fn gradient_of_rosenbrock<const N: usize>(name: &'static str) -> Row {
    gradient_row!(
        name,
        N,
        rosenbrock / rosenbrock_scalar / rosenbrock_dual,
        near_one(N),
        []
    )
}

/// Numbers with a list of a thousand derivatives are on the heap.
fn gradient_of_long_rosenbrock(name: &'static str) -> Row {
    let x = near_one(1000);
    let start = DVector::from_column_slice(&x);
    let mut row = gradient_row!(
        name,
        1,
        rosenbrock / rosenbrock_scalar / rosenbrock_dual,
        x,
        []
    );
    row.derivatives[3] = Some(Box::new(move || {
        let (_, gradient) = num_dual::gradient(|x| rosenbrock_dual(x.as_slice()), &start);
        gradient.as_slice().to_vec()
    }));
    row
}

/// The negative log likelihood; the last parameter is the intercept.
#[differentiable]
fn logistic(w: &[f64], #[constant] x: &[f64], #[constant] y: &[f64]) -> f64 {
    let d = w.len() - 1;
    let mut sum = 0.0;
    for i in 0..y.len() {
        let mut z = w[d];
        for j in 0..d {
            z += w[j] * x[i * d + j];
        }
        sum += z.exp().ln_1p() - y[i] * z;
    }
    sum
}

fn logistic_scalar<T: Scalar<Float = f64>>(w: &[T], x: &[f64], y: &[f64]) -> T {
    let d = w.len() - 1;
    let mut sum = T::zero();
    for i in 0..y.len() {
        let mut z = w[d];
        for j in 0..d {
            z = z + w[j] * T::from_f(x[i * d + j]);
        }
        sum = sum + z.exp().ln_1p() - T::from_f(y[i]) * z;
    }
    sum
}

fn logistic_dual<D: DualNum<Primitive = f64>>(w: &[D], x: &[f64], y: &[f64]) -> D {
    let d = w.len() - 1;
    let mut sum = D::from(0.0);
    for i in 0..y.len() {
        let mut z = w[d].clone();
        for j in 0..d {
            z += w[j].clone() * x[i * d + j];
        }
        sum += z.exp().ln_1p() - z * y[i];
    }
    sum
}

fn gradient_of_logistic(name: &'static str) -> Row {
    let mut random = Random::new(8);
    let x = kept(random.normals(200 * 8));
    let y = kept(random.uniforms(200).iter().map(|u| u.round()).collect());
    let w = random.normals(9);
    gradient_row!(
        name,
        9,
        logistic / logistic_scalar / logistic_dual,
        w,
        [x, y]
    )
}

/// The log likelihood of a mixture of normal distributions: logarithms of weights, means, logarithms of deviations.
#[differentiable]
fn mixture(p: &[f64], #[constant] x: &[f64]) -> f64 {
    let k = p.len() / 3;
    let mut weights = 0.0;
    for j in 0..k {
        weights += p[j].exp();
    }
    let mut sum = 0.0;
    for i in 0..x.len() {
        let mut density = 0.0;
        for j in 0..k {
            let z = (x[i] - p[k + j]) * (-p[2 * k + j]).exp();
            density += (p[j] - p[2 * k + j] - 0.5 * z * z).exp();
        }
        sum += density.ln() - weights.ln();
    }
    sum
}

fn mixture_scalar<T: Scalar<Float = f64>>(p: &[T], x: &[f64]) -> T {
    let k = p.len() / 3;
    let mut weights = T::zero();
    for j in 0..k {
        weights = weights + p[j].exp();
    }
    let mut sum = T::zero();
    for i in 0..x.len() {
        let mut density = T::zero();
        for j in 0..k {
            let z = (T::from_f(x[i]) - p[k + j]) * (-p[2 * k + j]).exp();
            density = density + (p[j] - p[2 * k + j] - T::from_f(0.5) * z * z).exp();
        }
        sum = sum + density.ln() - weights.ln();
    }
    sum
}

fn mixture_dual<D: DualNum<Primitive = f64>>(p: &[D], x: &[f64]) -> D {
    let k = p.len() / 3;
    let mut weights = D::from(0.0);
    for j in 0..k {
        weights += p[j].exp();
    }
    let mut sum = D::from(0.0);
    for i in 0..x.len() {
        let mut density = D::from(0.0);
        for j in 0..k {
            let z = (-p[k + j].clone() + x[i]) * (-p[2 * k + j].clone()).exp();
            density += (p[j].clone() - &p[2 * k + j] - z.clone() * z * 0.5).exp();
        }
        sum += density.ln() - weights.ln();
    }
    sum
}

fn mixture_input() -> (Vec<f64>, &'static [f64]) {
    let mut random = Random::new(3);
    let x = random.normals(200).iter().map(|x| 2.0 * x).collect();
    let p = random.normals(15).iter().map(|p| 0.5 * p).collect();
    (p, kept(x))
}

fn gradient_of_mixture(name: &'static str) -> Row {
    let (p, x) = mixture_input();
    gradient_row!(name, 15, mixture / mixture_scalar / mixture_dual, p, [x])
}

/// Squares of the distances from data, at each of 500 steps. The last two parameters are the start.
#[differentiable]
fn predators(p: &[f64], #[constant] data: &[f64]) -> f64 {
    let rates = |u: f64, v: f64| (p[0] * u - p[1] * u * v, p[2] * u * v - p[3] * v);
    let h = 0.02;
    let (mut u, mut v) = (p[4], p[5]);
    let mut sum = 0.0;
    for i in 0..data.len() {
        let (a, b) = rates(u, v);
        let (c, d) = rates(u + 0.5 * h * a, v + 0.5 * h * b);
        let (e, f) = rates(u + 0.5 * h * c, v + 0.5 * h * d);
        let (g, k) = rates(u + h * e, v + h * f);
        u += h / 6.0 * (a + 2.0 * c + 2.0 * e + g);
        v += h / 6.0 * (b + 2.0 * d + 2.0 * f + k);
        sum += (u - data[i]) * (u - data[i]);
    }
    sum
}

fn predators_scalar<T: Scalar<Float = f64>>(p: &[T], data: &[f64]) -> T {
    let rates = |u: T, v: T| (p[0] * u - p[1] * u * v, p[2] * u * v - p[3] * v);
    let (h, half, sixth) = (T::from_f(0.02), T::from_f(0.01), T::from_f(0.02 / 6.0));
    let two = T::from_f(2.0);
    let (mut u, mut v) = (p[4], p[5]);
    let mut sum = T::zero();
    for i in 0..data.len() {
        let (a, b) = rates(u, v);
        let (c, d) = rates(u + half * a, v + half * b);
        let (e, f) = rates(u + half * c, v + half * d);
        let (g, k) = rates(u + h * e, v + h * f);
        u = u + sixth * (a + two * c + two * e + g);
        v = v + sixth * (b + two * d + two * f + k);
        let residual = u - T::from_f(data[i]);
        sum = sum + residual * residual;
    }
    sum
}

fn predators_dual<D: DualNum<Primitive = f64>>(p: &[D], data: &[f64]) -> D {
    let rates = |u: D, v: D| {
        let both = u.clone() * &v;
        (u * &p[0] - both.clone() * &p[1], both * &p[2] - v * &p[3])
    };
    let h = 0.02;
    let (mut u, mut v) = (p[4].clone(), p[5].clone());
    let mut sum = D::from(0.0);
    for i in 0..data.len() {
        let (a, b) = rates(u.clone(), v.clone());
        let (c, d) = rates(
            u.clone() + a.clone() * (0.5 * h),
            v.clone() + b.clone() * (0.5 * h),
        );
        let (e, f) = rates(
            u.clone() + c.clone() * (0.5 * h),
            v.clone() + d.clone() * (0.5 * h),
        );
        let (g, k) = rates(u.clone() + e.clone() * h, v.clone() + f.clone() * h);
        u += (a + c * 2.0 + e * 2.0 + g) * (h / 6.0);
        v += (b + d * 2.0 + f * 2.0 + k) * (h / 6.0);
        let residual = u.clone() - data[i];
        sum += residual.clone() * residual;
    }
    sum
}

fn gradient_of_predators(name: &'static str) -> Row {
    let data = kept(Random::new(2).uniforms(500));
    let p = vec![1.1, 0.4, 0.1, 0.4, 2.0, 1.5];
    gradient_row!(
        name,
        6,
        predators / predators_scalar / predators_dual,
        p,
        [data]
    )
}

#[differentiable]
fn decay(p: &[f64], #[constant] t: &[f64], #[constant] y: &[f64]) -> Vec<f64> {
    let mut residuals = vec![0.0; t.len()];
    for i in 0..t.len() {
        residuals[i] = p[0] * (-p[1] * t[i]).exp() + p[2] * (-p[3] * t[i]).exp() - y[i];
    }
    residuals
}

fn decay_scalar<T: Scalar<Float = f64>>(p: &[T], t: &[f64], y: &[f64]) -> Vec<T> {
    let residual = |i: usize| {
        let t = T::from_f(t[i]);
        p[0] * (-p[1] * t).exp() + p[2] * (-p[3] * t).exp() - T::from_f(y[i])
    };
    (0..t.len()).map(residual).collect()
}

fn decay_dual<D: DualNum<Primitive = f64>>(p: &[D], t: &[f64], y: &[f64]) -> SVector<D, 100> {
    SVector::from_fn(|i, _| {
        p[0].clone() * (-p[1].clone() * t[i]).exp() + p[2].clone() * (-p[3].clone() * t[i]).exp()
            - y[i]
    })
}

fn jacobian_of_decay(name: &'static str) -> Row {
    let mut random = Random::new(4);
    let t: Vec<f64> = (0..100).map(|i| 0.05 * f64::from(i)).collect();
    let (t, y) = (kept(t), kept(random.uniforms(100)));
    let p = [1.0, 0.3, 0.5, 1.2];
    let recorded = RefCell::new(echidna::record_multi(|p| decay_scalar(p, t, y), &p).0);
    Row {
        name,
        value: Box::new(move || decay(&p, t, y)[0]),
        derivatives: [
            Some(Box::new(move || {
                decay::jacobian(&p, t, y).as_slice().to_vec()
            })),
            Some(Box::new(move || {
                echidna::jacobian(|p| decay_scalar(p, t, y), &p).1.concat()
            })),
            Some(Box::new(move || {
                recorded.borrow_mut().jacobian(&p).concat()
            })),
            Some(Box::new(move || {
                let p = SVector::from(p);
                let (_, jacobian) = num_dual::jacobian(|p| decay_dual(p.as_slice(), t, y), &p);
                jacobian.transpose().as_slice().to_vec()
            })),
            Some(Box::new(move || differences_of_all(|p| decay(p, t, y), &p))),
        ],
        differences: 1e-7,
    }
}

/// A row for the Hessian of a function of `N` parameters and of constant lists.
macro_rules! hessian_row {
    ($name:expr, $n:expr, $f:ident / $scalar:ident / $dual:ident, $x:expr, [$($data:expr),*]) => {{
        let x: [f64; $n] = $x;
        let recorded = echidna::record(|x| $scalar(x $(, $data)*), &x).0;
        Row {
            name: $name,
            value: Box::new(move || $f(&x $(, $data)*)),
            derivatives: [
                Some(Box::new(move || $f::hessian(&x $(, $data)*).as_slice().to_vec())),
                Some(Box::new(move || echidna::hessian(|x| $scalar(x $(, $data)*), &x).2.concat())),
                Some(Box::new(move || recorded.hessian(&x).2.concat())),
                Some(Box::new(move || {
                    let (_, _, hessian) = num_dual::hessian(|x| $dual(x.as_slice() $(, $data)*), &SVector::from(x));
                    hessian.as_slice().to_vec()
                })),
                Some(Box::new(move || second_differences(|x| $f(x $(, $data)*), &x))),
            ],
            differences: 1e-4,
        }
    }};
}

fn hessian_of_rosenbrock(name: &'static str) -> Row {
    let x = near_one(20).try_into().expect("twenty numbers");
    hessian_row!(
        name,
        20,
        rosenbrock / rosenbrock_scalar / rosenbrock_dual,
        x,
        []
    )
}

fn hessian_of_mixture(name: &'static str) -> Row {
    let (p, x) = mixture_input();
    let p = p.try_into().expect("fifteen numbers");
    hessian_row!(name, 15, mixture / mixture_scalar / mixture_dual, p, [x])
}

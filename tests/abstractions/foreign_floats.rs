//! Functions, methods and operators over all types that are `Float` of `num-traits`. Their rules ask for `Real`, the primal doesn't.

use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul};

use chainrule::prelude::*;
use num_traits::{Float, FloatConst, FromPrimitive, NumAssign};

use crate::check::{check, check_map, flat, irregular};

/// Of no differentiated value: it needs no rules.
fn counted<T: Float>(n: usize) -> T {
    T::from(n).unwrap_or_else(T::nan)
}

#[differentiable]
fn norm<T: Float>(x: &[T]) -> T {
    let mut sum = T::zero();
    for &x in x {
        sum = sum + x * x;
    }
    (sum + T::one()).sqrt() * T::from(2.0).unwrap() / counted::<T>(x.len() + 1)
}

#[test]
fn a_norm_in_both_precisions() {
    check!(norm(&irregular(4, 1.0)));
    check!(norm(&[0.25f32, -1.5, 0.75]));
    assert_eq!(norm::gradient::<f64>(&[0.0]), [0.0]);
}

#[differentiable]
fn mean<T>(x: &[T], n: usize) -> T
where
    T: Float + FromPrimitive + NumAssign + Sum,
{
    let mut total: T = x.iter().map(|&x| x * x.exp()).sum();
    total += T::from_usize(n).unwrap() + T::from_i64(-3).unwrap();
    total /= T::from(x.len()).expect("a length is a number");
    if total.is_nan() || total.is_sign_negative() || !total.is_finite() {
        return T::nan();
    }
    total * T::from_f64(0.5).unwrap() + T::min_positive_value() + T::neg_zero()
}

#[test]
fn numbers_are_made_in_all_ways() {
    check!(mean(&[0.3, 0.9, 0.4], const 4));
    check!(mean(&[0.25f32, 1.5, 0.75], const 4));
    assert!(mean(&[-0.3], 0).is_nan());
}

#[differentiable]
fn circle<T: Float + FloatConst>(r: T, k: f64) -> T {
    let double = r.to_f64().unwrap() * k;
    T::PI() * r.powi(2) + T::from(double).unwrap() * T::TAU() + T::from(r).unwrap().sin()
}

#[test]
fn numbers_are_converted() {
    use std::f64::consts::{PI, TAU};
    let (r, k) = (1.7, 0.6);
    check!(circle(r, k)).assert_gradient(&[2.0 * PI * r + k * TAU + r.cos(), r * TAU]);
    let single = circle::gradient(1.5f32, 0.6);
    let double = circle::gradient(1.5f64, 0.6);
    assert!((f64::from(single.0) - double.0).abs() < 1e-5);
    assert!((single.1 - double.1).abs() < 1e-5);
}

/// Rounded once, as `as` does it.
#[differentiable]
fn rounded<T: Float>(x: T, n: u64) -> T {
    x * T::from(n).unwrap()
}

#[test]
fn integers_are_rounded_once() {
    let n = (1 << 60) + (1 << 36) + 1;
    assert_eq!(rounded::gradient(1.0f32, n), n as f32);
    assert_eq!(rounded::value_and_gradient(1.0f32, n).0, rounded(1.0f32, n));
    assert_eq!(rounded::gradient(1.0f64, n), n as f64);
}

#[differentiable]
fn control<F: Float>(x: F, w: F, table: &[F], n: usize) -> F {
    let mut most = F::neg_infinity();
    for &entry in table {
        if entry > most {
            most = entry;
        }
    }
    let mut y = F::max(F::min((x * w).sin(), most), F::epsilon());
    for k in 0..n {
        y = y * (x + F::from(k).unwrap()).exp2() - F::from(-0.25f32).unwrap();
        if y.abs() > F::from(1000).unwrap() || y >= F::max_value() {
            break;
        }
        let position = stop_gradient(y * F::zero()).to_usize().unwrap_or(1) + k;
        y = y / Float::sqrt(F::one() + F::one()) + table[position % table.len()];
    }
    y.atan2(w).hypot(x) - y.signum()
}

#[test]
fn control_flow_and_constants() {
    for (x, w, n) in [(0.3, 1.1, 3), (1.1, 0.9, 2), (2.0, 0.4, 9), (0.3, 1.1, 0)] {
        check!(control(x, w, &irregular(3, 0.2), const n));
    }
}

#[differentiable]
fn split<T: Float + AddAssign + Sum>(mut p: [T; 3], k: T) -> T {
    let (left, right) = p.split_at_mut(1);
    right[5 % right.len()] += left[left.len() - 1].atan() * k;
    left[0] += right[1] * k;
    p[0] * p[2] + p.iter().copied().sum::<T>() + p.iter().fold(T::zero(), |a, b| a + b.powi(2))
}

#[test]
fn lists_are_written_to() {
    check!(split([0.3, 0.7, -0.4], 1.3));
}

#[differentiable]
fn applied<T: Float>(f: impl Fn(T) -> T, x: T) -> T {
    f(x * x) + x
}

#[differentiable]
fn applying<T: Float>(x: T, k: T) -> T {
    applied(|y| y * k + x, x)
}

#[test]
fn functions_are_arguments() {
    check!(applying(0.8, 1.3));
}

/// Constants are computed with the methods of `Real`: their names are those of `Float`, too.
#[differentiable]
fn weighted<F: Float + Sum>(x: F, #[constant] weights: &[F]) -> F {
    let size: F = weights.iter().map(|v| v.powi(2)).sum();
    let most = weights.iter().fold(F::neg_infinity(), |a, b| a.max(*b));
    let large = weights.iter().filter(|v| v.abs() > F::one()).count();
    let scale = F::from(1e-3).unwrap().sqrt() * F::epsilon().ln();
    x.sin() * size.sqrt() * most + x * x * F::from(large).unwrap() * scale
}

#[test]
fn constants_are_computed() {
    check!(weighted(0.8, const &[1.5, -2.0, 0.3]));
}

#[differentiable]
fn checked<F: Float>(x: F, k: F) -> Option<F> {
    if x <= F::zero() || !k.is_finite() {
        return None;
    }
    Some(x.ln() * k + x.max(k).min(F::from(10)?))
}

#[test]
fn results_may_be_absent() {
    let (value, gradient) = checked::value_and_gradient(2.0, 3.0).unwrap();
    assert_eq!(value, checked(2.0, 3.0).unwrap());
    assert_eq!(gradient, (1.5, 2.0_f64.ln() + 1.0));
    assert!(checked::gradient(-2.0, 3.0).is_none());
}

#[derive(Clone, Debug, Differentiable)]
struct Poly<T> {
    coef: Vec<T>,
}
flat!(Poly<f64> { coef: Vec<f64> });

#[differentiable]
impl<T: Float + Sum> Poly<T> {
    fn eval(&self, x: T) -> T {
        let mut sum = T::zero();
        for &c in self.coef.iter().rev() {
            sum = sum * x + c;
        }
        sum + self.penalty(x)
    }

    fn penalty(&self, x: T) -> T {
        let size = self.coef.iter().map(|c| c.powi(2)).sum::<T>();
        size * T::from(1e-3).unwrap() * x.abs()
    }
}

#[differentiable]
fn loss<T: Float + Sum>(p: &Poly<T>, x: &[T], #[constant] y: &[T]) -> T {
    let squares = x.iter().zip(y).map(|(&x, &y)| (p.eval(x) - y).powi(2));
    let sum = squares.fold(T::zero(), |a, b| a + b);
    sum / T::from(x.len()).unwrap() + norm(x)
}

#[test]
fn methods_of_an_impl_over_floats() {
    let p = Poly {
        coef: vec![0.4, -0.8, 0.3],
    };
    let y = [0.2, -0.4];
    check!(loss(&p, &[0.7, -1.2], const &y));
}

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct Pair<T> {
    x: T,
    y: T,
}
flat!(Pair<f64> { x: f64, y: f64 });

#[differentiable]
impl<T: Float> Add for Pair<T> {
    type Output = Pair<T>;

    fn add(self, other: Self) -> Pair<T> {
        Pair {
            x: self.x + other.x,
            y: self.y + other.y,
        }
    }
}

#[differentiable]
impl<T> Mul<T> for Pair<T>
where
    T: Float,
{
    type Output = Pair<T>;

    fn mul(self, k: T) -> Pair<T> {
        Pair {
            x: self.x * k,
            y: self.y * k,
        }
    }
}

impl<T: Float> Pair<T> {
    #[differentiable]
    fn length(self) -> T {
        (self.x * self.x + self.y * self.y).sqrt()
    }

    #[differentiable]
    fn bent(#[constant] &self, by: T) -> T {
        (self.x * by).sin() * self.y.exp() + T::from(3).unwrap() * by
    }
}

#[differentiable]
fn scaled<T: Float>(a: Pair<T>, b: Pair<T>, k: T) -> T {
    (a * k + b).length() + b.length() * a.length()
}

#[differentiable]
fn doubled<T: Float>(a: Pair<T>) -> Pair<T> {
    a * (T::one() + T::one()) + a * a.x
}

#[test]
fn operators_and_single_methods() {
    let (a, b) = (Pair { x: 0.3, y: -0.8 }, Pair { x: 1.2, y: 0.4 });
    check!(scaled(a, b, 1.6));
    check_map!(doubled(a));
    let by = 0.7_f64;
    let slope = (0.3 * by).cos() * 0.3 * (-0.8_f64).exp() + 3.0;
    approx::assert_relative_eq!(a.bent_gradient(by), slope, max_relative = 1e-14);
}

#[differentiable]
trait Layer<T: Float> {
    fn apply(&self, x: T) -> T;

    fn twice(&self, x: T) -> T {
        self.apply(self.apply(x)) + T::one()
    }
}

#[differentiable]
impl Layer<f64> for Pair<f64> {
    fn apply(&self, x: f64) -> f64 {
        (self.x * x + self.y).tanh()
    }
}

#[differentiable]
fn network<T: Float, L: Layer<T>>(layer: &L, x: T) -> T {
    layer.twice(x) * T::from(1.5).unwrap()
}

#[test]
fn traits_over_floats() {
    check!(network(&Pair { x: 0.3, y: -0.8 }, 0.9));
}

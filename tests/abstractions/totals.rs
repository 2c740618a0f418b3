//! `sum()` and `product()` of values of the user's own types, whose `impl` of `Sum` and `Product` has rules.

use std::iter::{Product, Sum};
use std::ops::{Add, Mul};

use chainrule::prelude::*;

use crate::check::{check, table};

const X: [f64; 4] = [0.8, 0.3, -0.5, 1.2];

#[derive(Clone, Copy, Debug, Default, PartialEq, Differentiable)]
struct Point {
    x: f64,
    y: f64,
}

#[differentiable]
impl Add for Point {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Point {
            x: self.x + other.x,
            y: self.y + other.y,
        }
    }
}

#[differentiable]
impl Mul<f64> for Point {
    type Output = Self;

    fn mul(self, k: f64) -> Self {
        Point {
            x: self.x * k,
            y: self.y * k,
        }
    }
}

#[differentiable]
impl Sum for Point {
    fn sum<I: Iterator<Item = Point>>(iter: I) -> Self {
        iter.fold(Point::default(), |a, b| a + b)
    }
}

/// Not the same as that of values: which one is called can be seen.
#[differentiable]
impl<'a> Sum<&'a Point> for Point {
    fn sum<I>(points: I) -> Point
    where
        I: Iterator<Item = &'a Point>,
    {
        let mut total = Point { x: 1.0, y: 2.0 };
        for point in points {
            total.x += 2.0 * point.x;
            total.y += point.x * point.y;
        }
        total
    }
}

/// A complex number.
#[derive(Clone, Debug, Differentiable)]
struct Complex(f64, f64);

#[differentiable]
impl Product<Complex> for Complex {
    fn product<I: Iterator<Item = Self>>(mut items: I) -> Self {
        let Some(first) = items.next() else {
            return Complex(1.0, 0.0);
        };
        items.fold(first, |a, b| {
            Complex(a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)
        })
    }
}

#[differentiable]
fn points(x: &[f64]) -> Vec<Point> {
    x.windows(2).map(|w| Point { x: w[0], y: w[1] }).collect()
}

#[differentiable]
fn of_values(x: &[f64], k: f64) -> f64 {
    let total: Point = points(x).into_iter().map(|p| p * k).sum();
    total.x * total.y
}

#[differentiable]
fn of_references(x: &[f64], k: f64) -> f64 {
    let points = points(x);
    let total: Point = points.iter().sum();
    let copied: Point = points.iter().copied().sum();
    total.x * k + total.y * copied.x - copied.y
}

#[differentiable]
fn of_chains(x: &[f64], k: f64) -> f64 {
    let points = points(x);
    let kept = points.iter().filter(|p| p.x > 0.0).map(|p| *p * k);
    let more = x
        .iter()
        .enumerate()
        .map(|(i, x)| Point { x: *x, y: i as f64 });
    let total = kept.chain(more.take(3)).sum::<Point>();
    let nested: f64 = (0..3)
        .map(|i| {
            let inner: Point = points.iter().skip(i).map(|p| *p * p.y).sum();
            inner.x * inner.y
        })
        .sum();
    total.x * total.y + nested
}

#[differentiable]
fn of_nothing(x: &[f64], k: f64) -> f64 {
    let none: Point = points(&x[..1]).into_iter().sum();
    let none_by_reference: Point = points(&x[..1]).iter().sum();
    (none.x + none_by_reference.y) * k
}

#[differentiable]
fn product(x: &[f64], k: f64) -> f64 {
    let all: Complex = x.iter().map(|x| Complex(*x, k)).product();
    let empty: Complex = x[4..].iter().map(|x| Complex(*x, k)).product();
    all.0 * k + all.1 * empty.0
}

#[differentiable]
fn of_constants(x: &[f64], k: f64) -> f64 {
    let constants = stop_gradient(vec![Point { x: 1.0, y: 2.0 }, Point { x: 3.0, y: 4.0 }]);
    let total: Point = constants.iter().copied().sum();
    let mut points = points(x);
    points.push(total * k);
    let centre: Point = points
        .iter()
        .map(|p| *p * (1.0 / points.len() as f64))
        .sum();
    centre.x * centre.y
}

#[derive(Clone, Debug, Differentiable)]
struct Polygon {
    corners: Vec<Point>,
}

#[differentiable]
impl Polygon {
    fn centre(&self) -> Point {
        self.corners.iter().copied().sum::<Point>() * (1.0 / self.corners.len() as f64)
    }
}

#[differentiable]
impl Point {
    fn middle(points: &[Self]) -> Self {
        points.iter().copied().sum::<Self>() * (1.0 / points.len() as f64)
    }

    fn weighted(self, points: &[Point], k: f64) -> Point {
        let total: Self = points.iter().map(|p| *p * (k * self.x)).sum();
        total + self
    }
}

#[differentiable]
fn in_the_type(x: &[f64], k: f64) -> f64 {
    let points = points(x);
    let middle = Point::middle(&points);
    let weighted = middle.weighted(&points, k);
    weighted.x * weighted.y + middle.x
}

#[differentiable]
fn in_a_method(x: &[f64], k: f64) -> f64 {
    let polygon = Polygon { corners: points(x) };
    let centre = polygon.centre();
    (centre.x - k).powi(2) + (centre.y + k).powi(2)
}

table! {
    of_values: (&X, 0.7);
    of_references: (&X, 0.7);
    of_chains: (&X, 0.7);
    of_nothing: (&X, 0.7);
    product: (&X, 0.7);
    of_constants: (&X, 0.7);
    in_the_type: (&X, 0.7);
    in_a_method: (&X, 0.7);
}

#[test]
fn each_implementation_is_the_right_one() {
    // of_references = (1 + 2 Σ x) k + (2 + Σ x y) Σ x - Σ y
    let (sum_x, sum_y, sum_xy) = (0.6, 1.0, 0.24 - 0.15 - 0.6);
    let value = (1.0 + 2.0 * sum_x) * 0.7 + (2.0 + sum_xy) * sum_x - sum_y;
    approx::assert_relative_eq!(of_references(&X, 0.7), value, max_relative = 1e-14);
    let (gradient, k) = of_references::gradient(&X, 0.7);
    let first = 2.0 * 0.7 + X[1] * sum_x + 2.0 + sum_xy;
    approx::assert_relative_eq!(gradient[0], first, max_relative = 1e-14);
    approx::assert_relative_eq!(k, 1.0 + 2.0 * sum_x, max_relative = 1e-14);
    check!(of_references(&X, 0.7));
}

use chainrule::prelude::*;

#[derive(Clone, Copy, Debug, Default, Differentiable)]
struct Point {
    a: f64,
    b: f64,
}

#[differentiable]
impl Point {
    fn new(a: f64, b: f64) -> Point {
        Point { a, b }
    }
}

#[derive(Clone, Debug, Differentiable)]
struct Path {
    points: Vec<Point>,
}

#[differentiable]
impl std::ops::Add for Point {
    type Output = Point;

    fn add(self, other: Point) -> Point {
        Point::new(self.a + other.a, self.b + other.b)
    }
}

impl std::iter::Sum for Point {
    fn sum<I: Iterator<Item = Point>>(points: I) -> Point {
        points.fold(Point::default(), |p, q| p + q)
    }
}

#[differentiable]
fn total(x: &[f64]) -> f64 {
    let points: Vec<Point> = x.iter().map(|a| Point::new(*a, 1.0)).collect();
    let sum: Point = points.iter().copied().sum();
    sum.a * sum.b
}

#[differentiable]
fn no_length(x: &[f64]) -> f64 {
    let [a, b] = std::array::from_fn(|k| x[k] * x[k]);
    a * b
}

#[differentiable]
fn references(path: &Path) -> f64 {
    let numbered: Vec<(usize, &Point)> = path.points.iter().enumerate().collect();
    numbered[0].1.a
}

#[differentiable]
fn beside_an_option(x: &[f64]) -> f64 {
    let first = Some(x[0]);
    first.iter().zip(x).map(|(a, b)| a * b).sum()
}

#[differentiable]
fn product(x: [f64; 2]) -> f64 {
    x[0] * x[1]
}

#[differentiable]
fn slices(x: &[f64]) -> f64 {
    let a = product(x[..2].try_into().unwrap());
    let b = [&x[..1], &x[1..]].concat();
    a * b[1]
}

/// The attribute is on another implementation than the one that is called.
#[derive(Clone, Copy, Debug, Default, Differentiable)]
struct Length(f64);

#[differentiable]
impl std::iter::Sum for Length {
    fn sum<I: Iterator<Item = Length>>(lengths: I) -> Length {
        lengths.fold(Length(0.0), |a, b| Length(a.0 + b.0))
    }
}

impl std::iter::Sum<f64> for Length {
    fn sum<I: Iterator<Item = f64>>(lengths: I) -> Length {
        Length(lengths.sum())
    }
}

#[differentiable]
fn length(x: &[f64]) -> f64 {
    let length: Length = x.iter().copied().sum();
    length.0
}

fn main() {
    length::gradient(&[1.0]);
    total::gradient(&[1.0]);
    no_length::gradient(&[1.0]);
    beside_an_option::gradient(&[1.0]);
    slices::gradient(&[1.0]);
}

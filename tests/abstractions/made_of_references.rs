//! Values with lifetimes that functions make of their arguments.

use chainrule::prelude::*;

use crate::check::check;

/// Data that is borrowed, without a tangent.
struct Data<'a> {
    xs: &'a [f64],
    ys: &'a [f64],
}

impl<'a> Data<'a> {
    fn new(xs: &'a [f64], ys: &'a [f64]) -> Self {
        Data { xs, ys }
    }

    fn len(&self) -> usize {
        self.xs.len()
    }
}

#[derive(Clone, Debug)]
struct Table<'a> {
    xs: &'a [f64],
    ys: &'a [f64],
}

/// A model that keeps the data that it is fitted to.
#[derive(Clone, Debug, Differentiable)]
struct Fit<'a> {
    #[constant]
    data: Table<'a>,
    a: f64,
    b: f64,
}

#[differentiable]
impl<'a> Fit<'a> {
    fn new(#[constant] xs: &'a [f64], #[constant] ys: &'a [f64], a: f64, b: f64) -> Self {
        let data = Table { xs, ys };
        Fit { data, a, b }
    }

    /// Its result says the type with its lifetime.
    fn scaled(#[constant] data: &'a Table<'a>, by: f64) -> Fit<'a> {
        Fit {
            data: data.clone(),
            a: by,
            b: by * by,
        }
    }
}

/// The lifetime has no name.
#[differentiable]
impl Fit<'_> {
    fn predict(&self, x: f64) -> f64 {
        self.a * x + self.b * x * x
    }

    fn loss(&self) -> f64 {
        let mut sum = 0.0;
        for i in 0..self.data.xs.len() {
            let r = self.predict(self.data.xs[i]) - self.data.ys[i];
            sum += r * r;
        }
        sum
    }
}

#[differentiable]
fn fitted(#[constant] xs: &[f64], #[constant] ys: &[f64], a: f64, b: f64) -> f64 {
    Fit::new(xs, ys, a, b).loss()
}

#[differentiable]
fn fitted_by_a_literal(#[constant] xs: &[f64], #[constant] ys: &[f64], a: f64, b: f64) -> f64 {
    let fit = Fit {
        data: Table { xs, ys },
        a,
        b,
    };
    fit.loss() + a
}

#[differentiable]
fn fitted_by_one(#[constant] data: &Table, a: f64) -> f64 {
    Fit::scaled(data, a).loss()
}

#[differentiable]
fn residuals(#[constant] data: &Data, a: f64) -> f64 {
    let mut sum = 0.0;
    for i in 0..data.len() {
        sum += (a * data.xs[i] - data.ys[i]).powi(2);
    }
    sum
}

/// A value with lifetimes is made of the arguments, by a function and by a literal.
#[differentiable]
fn of_arguments(#[constant] xs: &[f64], #[constant] ys: &[f64], a: f64) -> f64 {
    let data = Data::new(xs, ys);
    let swapped = Data { xs: ys, ys: xs };
    residuals(&data, a) + residuals(&swapped, a * a)
}

#[test]
fn values_with_lifetimes_are_made() {
    let (xs, ys) = ([1.0, 3.0, -0.5], [1.0, 2.0, 0.25]);
    check!(fitted(const &xs, const &ys, 2.0, 0.5));
    check!(fitted_by_a_literal(const &xs, const &ys, 2.0, 0.5));
    check!(of_arguments(const &xs, const &ys, 0.75));
    let table = Table { xs: &xs, ys: &ys };
    check!(fitted_by_one(const &table, 1.25));
    let r = |x: f64, y: f64| 2.0 * x + 0.5 * x * x - y;
    let all = || xs.iter().zip(&ys);
    let slope: f64 = all().map(|(x, y)| 2.0 * r(*x, *y) * x).sum();
    let curvature: f64 = all().map(|(x, y)| 2.0 * r(*x, *y) * x * x).sum();
    let (a_bar, b_bar) = fitted::gradient(&xs, &ys, 2.0, 0.5);
    approx::assert_relative_eq!(a_bar, slope, max_relative = 1e-14);
    approx::assert_relative_eq!(b_bar, curvature, max_relative = 1e-14);
}

#[derive(Clone)]
struct Subject {
    dose: Vec<f64>,
}

#[differentiable]
fn log_density(b: f64, #[constant] subject: &Subject) -> f64 {
    match subject.dose.first() {
        Some(dose) => (b * dose).sin(),
        None => b,
    }
}

#[differentiable]
fn of_references(b: f64, #[constant] subjects: &[Subject]) -> f64 {
    let order: Vec<&Subject> = subjects.iter().filter(|s| s.dose[0] > 0.0).collect();
    let mut total = 0.0;
    for subject in &order {
        total += log_density(b, subject);
    }
    total
}

#[test]
fn references_to_references() {
    let subjects = [0.5, -1.0, 0.75].map(|dose| Subject { dose: vec![dose] });
    check!(of_references(0.7, const &subjects[..]));
}

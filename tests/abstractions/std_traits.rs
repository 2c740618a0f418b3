//! Traits of std on types of one's own: rules of their methods are the type's.

use chainrule::prelude::*;
use chainrule::testing::check_rules;

/// Terms of a geometric series.
#[derive(Clone, Debug, Differentiable, PartialEq)]
struct Terms {
    at: f64,
    ratio: f64,
    #[constant]
    left: usize,
}

#[differentiable]
impl Iterator for Terms {
    type Item = f64;

    fn next(&mut self) -> Option<Self::Item> {
        if self.left == 0 {
            return None;
        }
        self.left -= 1;
        let term = self.at;
        self.at *= self.ratio;
        Some(term)
    }
}

#[differentiable]
fn squares(first: f64, ratio: f64) -> f64 {
    let mut terms = Terms {
        at: first,
        ratio,
        left: 4,
    };
    let mut sum = 0.0;
    while let Some(term) = terms.next() {
        sum += term * term;
    }
    sum + terms.at
}

#[test]
fn an_iterator_is_stepped_by_hand() {
    let (first, ratio) = (0.6_f64, 0.8_f64);
    check_rules!(squares, first, ratio);
    let r = ratio * ratio;
    let (by_first, by_ratio) = squares::gradient(first, ratio);
    let sum = 1.0 + r + r * r + r * r * r;
    let slope = 2.0 * ratio * (1.0 + 2.0 * r + 3.0 * r * r);
    approx::assert_relative_eq!(
        by_first,
        2.0 * first * sum + ratio.powi(4),
        max_relative = 1e-14
    );
    approx::assert_relative_eq!(
        by_ratio,
        first * first * slope + 4.0 * first * ratio.powi(3),
        max_relative = 1e-14
    );
}

#[derive(Clone, Debug, Differentiable, PartialEq)]
struct Spring {
    stiffness: f64,
    lengths: Vec<f64>,
}

#[differentiable]
impl Default for Spring {
    fn default() -> Self {
        Spring {
            stiffness: 2.0,
            lengths: vec![1.0],
        }
    }
}

#[differentiable]
fn energy(x: f64) -> f64 {
    let mut spring = Spring::default();
    spring.lengths.push(x);
    let stiff = Spring {
        stiffness: x,
        ..Default::default()
    };
    let stretch = spring.lengths[1] - stiff.lengths[0];
    0.5 * (spring.stiffness + stiff.stiffness) * stretch * stretch
}

#[test]
fn defaults_are_made_inside() {
    check_rules!(energy, 1.7);
    let x = 1.7_f64;
    let slope = 0.5 * (x - 1.0) * (x - 1.0) + (2.0 + x) * (x - 1.0);
    approx::assert_relative_eq!(energy::gradient(x), slope, max_relative = 1e-14);
}

/// Its parameter is inferred.
#[derive(Clone, Copy, Debug, Differentiable)]
struct Samples<const N: usize> {
    values: [f64; N],
}

impl<const N: usize> Default for Samples<N> {
    fn default() -> Self {
        Samples { values: [0.0; N] }
    }
}

#[differentiable]
fn doubled<const N: usize>(x: &[f64; N]) -> Samples<N> {
    let mut out = Samples::default();
    for (out, x) in out.values.iter_mut().zip(x) {
        *out = 2.0 * x;
    }
    out
}

#[differentiable]
fn product_of_doubled(x: &[f64; 2]) -> f64 {
    doubled(x).values.iter().product()
}

#[test]
fn parameters_of_defaults_are_inferred() {
    check_rules!(product_of_doubled, &[0.7, 1.3]);
    assert_eq!(product_of_doubled::gradient(&[0.5, 2.0]), [8.0, 2.0]);
}

/// Parameters of a model, made of a point that an optimiser hands over.
#[derive(Clone, Debug, Differentiable)]
struct Params {
    rate: f64,
    all: Vec<f64>,
}

#[differentiable]
impl From<&[f64; 3]> for Params {
    fn from([rate, rest @ ..]: &[f64; 3]) -> Self {
        Params {
            rate: rate.exp(),
            all: rest.iter().map(|x| x * rate).collect(),
        }
    }
}

#[differentiable]
fn made(x: &[f64; 3]) -> f64 {
    let params = Params::from(x);
    params.rate * params.all[0] + params.all[1] * params.all[1]
}

#[test]
fn a_struct_is_made_of_an_array() {
    let x = [0.3_f64, 1.2, -0.7];
    check_rules!(made, &x);
    let [a, b, c] = x;
    let expected = [
        a.exp() * b * (1.0 + a) + 2.0 * a * c * c,
        a.exp() * a,
        2.0 * a * a * c,
    ];
    for (got, expected) in made::gradient(&x).iter().zip(expected) {
        approx::assert_relative_eq!(*got, expected, max_relative = 1e-14);
    }
}

#[derive(Clone, Debug, Differentiable)]
struct Celsius(f64);

#[derive(Clone, Debug, Differentiable)]
struct Kelvin(f64);

#[differentiable]
impl From<f64> for Celsius {
    fn from(degrees: f64) -> Self {
        Celsius(degrees)
    }
}

#[differentiable]
impl From<Celsius> for Kelvin {
    fn from(Celsius(degrees): Celsius) -> Self {
        Kelvin(degrees + 273.15)
    }
}

#[differentiable]
fn converted(c: Celsius) -> Kelvin {
    c.into()
}

#[differentiable]
fn squared(k: Kelvin) -> f64 {
    k.0 * k.0
}

/// `into` where a `let`, a result or a parameter has the type.
#[differentiable]
fn radiated(x: f64, all: &[f64; 3]) -> f64 {
    let celsius: Celsius = x.into();
    let kelvin: Kelvin = Celsius::from(x * x).into();
    let params: Params = all.into();
    converted(celsius).0 * kelvin.0 + squared(Celsius(x).into()) + params.rate
}

#[test]
fn values_are_made_by_into() {
    check_rules!(radiated, 1.5, &[0.3_f64, 1.2, -0.7]);
    let (x, x2) = (1.5 + 273.15, 1.5 * 1.5 + 273.15);
    let (x_bar, all_bar) = radiated::gradient(1.5, &[0.3, 1.2, -0.7]);
    approx::assert_relative_eq!(x_bar, x2 + x * 3.0 + 2.0 * x, max_relative = 1e-14);
    approx::assert_relative_eq!(all_bar[0], 0.3_f64.exp(), max_relative = 1e-14);
}

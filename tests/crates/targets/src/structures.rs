//! Structs, enums, trait objects, generic functions, recursion, maps of constants, `Option` and `Result`.

use alloc::boxed::Box;
use alloc::collections::{BTreeMap, VecDeque};
use alloc::vec::Vec;

use chainrule::Real;
use chainrule::prelude::*;

/// A spring between two points of a line.
#[derive(Clone, Debug, Differentiable)]
pub struct Spring {
    /// The force for each unit of length.
    pub stiffness: f64,
    /// The length at rest.
    pub length: f64,
    /// The points.
    pub ends: (usize, usize),
}

#[differentiable]
impl Spring {
    /// The energy at these positions.
    pub fn energy(&self, x: &[f64]) -> f64 {
        let stretch = x[self.ends.1] - x[self.ends.0] - self.length;
        0.5 * self.stiffness * stretch * stretch
    }
}

/// The energy of several springs.
#[differentiable]
pub fn springs(all: &[Spring], x: &[f64]) -> f64 {
    let mut total = 0.0;
    for spring in all {
        total += spring.energy(x);
    }
    total
}

/// A plane figure.
#[derive(Clone, Debug, Differentiable)]
pub enum Figure {
    /// With this radius.
    Circle(f64),
    /// With these sides.
    Rectangle {
        /// From left to right.
        width: f64,
        /// From bottom to top.
        height: f64,
    },
    /// Several times another one.
    Copies(Box<Figure>, u32),
}

/// The area, where a circle has the area of its octagon.
#[differentiable]
pub fn area(figure: &Figure) -> f64 {
    match figure {
        Figure::Circle(radius) => 2.0 * 2.0_f64.sqrt() * radius * radius,
        Figure::Rectangle { width, height } if *width < 0.0 => -width * height,
        Figure::Rectangle { width, height } => width * height,
        Figure::Copies(figure, count) => f64::from(*count) * area(figure),
    }
}

/// The areas of a list of figures, weighted by the later ones.
#[differentiable]
pub fn areas(figures: &[Figure], scale: f64) -> f64 {
    let mut total = 1.0;
    for figure in figures {
        total = total * scale + area(figure);
    }
    total
}

/// The squared norm with a weight, in either precision.
#[differentiable]
pub fn norm<T: Real>(x: &[T], weight: T) -> T {
    let mut total = T::zero();
    for v in x {
        total += weight * *v * *v;
    }
    (total + T::from_f64(0.5)).sqrt()
}

/// A law of forces.
#[differentiable(dyn)]
pub trait Potential {
    /// The energy at a distance.
    fn at(&self, r: f64) -> f64;
}

/// Proportional to the square of the distance.
#[derive(Clone, Debug, Differentiable)]
pub struct Harmonic {
    /// The factor.
    pub k: f64,
}

/// Proportional to the inverse of the distance.
#[derive(Clone, Debug, Differentiable)]
pub struct Inverse {
    /// The factor.
    pub charge: f64,
    /// Added to the distance.
    pub softening: f64,
}

#[differentiable]
impl Potential for Harmonic {
    fn at(&self, r: f64) -> f64 {
        self.k * r * r
    }
}

#[differentiable]
impl Potential for Inverse {
    fn at(&self, r: f64) -> f64 {
        self.charge / (r + self.softening)
    }
}

/// Laws that are chosen while the function runs.
#[differentiable]
pub fn laws(k: f64, charge: f64, r: &[f64]) -> f64 {
    let mut total = 0.0;
    for (i, r) in r.iter().enumerate() {
        let law: Box<dyn Potential> = if i % 2 == 0 {
            Box::new(Harmonic { k })
        } else {
            Box::new(Inverse {
                charge,
                softening: 0.25,
            })
        };
        total += law.at(*r);
    }
    total
}

/// Prices from a map, by position.
#[differentiable]
pub fn prices(x: &[f64], #[constant] table: &BTreeMap<usize, f64>) -> f64 {
    let mut total = 0.0;
    for i in 0..x.len() {
        let price = match table.get(&i) {
            Some(price) => *price,
            None => 0.375,
        };
        total += price * x[i] * x[(i + 1) % x.len()];
    }
    total
}

/// The mean of what is between the bounds, or the missing number.
#[differentiable]
pub fn bounded(x: &[f64], bound: f64) -> Option<f64> {
    let kept: Vec<f64> = x
        .iter()
        .filter(|v| v.abs() < bound)
        .map(|v| v * bound)
        .collect();
    let first = kept.first()?;
    let sum: f64 = kept.iter().sum();
    Some(sum / kept.len() as f64 + first * first)
}

/// A product by halves, whose depth is that of the list.
#[differentiable]
pub fn halves(x: &[f64]) -> f64 {
    if x.len() == 1 {
        return x[0];
    }
    let middle = x.len() / 2;
    halves(&x[..middle]) * halves(&x[middle..]) + 0.1 * x[0]
}

/// A moving mean of the last three numbers.
#[differentiable]
pub fn queue(x: &[f64]) -> f64 {
    let mut last: VecDeque<f64> = VecDeque::new();
    let mut total = 0.0;
    for v in x {
        last.push_back(v * v);
        if last.len() > 3 {
            last.pop_front();
        }
        let mut sum = 0.0;
        for w in &last {
            sum += w;
        }
        total += v * sum / last.len() as f64;
    }
    total
}

/// The energy of a spring, whose force the next function asks for.
#[differentiable(nested, order = 3)]
pub fn potential(x: &[f64], k: f64) -> f64 {
    let mut total = 0.0;
    for i in 1..x.len() {
        let d = x[i] - x[i - 1];
        total += k * d * d * d;
    }
    total
}

/// The squared forces, by a gradient in the function.
#[differentiable]
pub fn forces(x: &[f64], k: f64) -> f64 {
    let (force, _) = potential::gradient(x, k);
    let mut total = 0.0;
    for f in &force {
        total += f * f;
    }
    total
}

/// A double well. It has no rules of third order, which must be no error as long as nobody uses them, also where this library is optimised.
#[differentiable(nested)]
pub fn well(x: f64, depth: f64) -> f64 {
    x * x * x * x - depth * x * x
}

/// A point after some steps of descent.
#[differentiable]
pub fn descended(x: f64, depth: f64, #[constant] steps: usize) -> f64 {
    let mut x = x;
    for _ in 0..steps {
        let (slope, _) = well::gradient(x, depth);
        x -= 0.0625 * slope;
    }
    x
}

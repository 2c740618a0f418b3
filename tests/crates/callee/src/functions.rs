//! One function for each kind of parameter. This file is compiled in two crates, of two editions, and as a module of the
//! tests.

use chainrule::prelude::*;

/// A float behind an alias.
pub type Weight = f64;
/// An integer behind an alias.
pub type Count = usize;
/// A vector behind an alias.
pub type Values = Vec<f64>;

/// A type that is `Copy`.
#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
pub struct Pair {
    /// The first value.
    pub a: f64,
    /// The second value.
    pub b: f64,
}

/// A type that is moved.
#[derive(Clone, Debug, PartialEq, Differentiable)]
pub struct Curve {
    /// The values that it goes through.
    pub points: Vec<f64>,
    /// The factor of all values.
    pub scale: f64,
    /// An integer, which has no tangent.
    pub degree: usize,
}

/// Values of types that a caller sees only as fields.
#[derive(Clone, Debug, PartialEq, Differentiable)]
pub struct Holder {
    /// A float.
    pub value: f64,
    /// Several floats.
    pub values: Vec<f64>,
    /// An integer.
    pub count: usize,
    /// A type that is `Copy`.
    pub pair: Pair,
    /// A type that is moved.
    pub curve: Curve,
}

/// A `Holder` to start from.
pub fn holder() -> Holder {
    Holder {
        value: 0.7,
        values: vec![0.3, -0.8, 1.1],
        count: 3,
        pair: Pair { a: 1.3, b: -0.4 },
        curve: Curve {
            points: vec![0.9, -0.6],
            scale: 1.7,
            degree: 2,
        },
    }
}

/// A float.
#[differentiable]
pub fn make(x: f64, y: f64) -> f64 {
    x * y + x
}

/// A float behind an alias.
#[differentiable]
pub fn make_weight(x: Weight, y: Weight) -> Weight {
    x * y - y
}

/// An integer.
#[differentiable]
pub fn make_count(n: usize) -> Count {
    n + 1
}

/// Three floats.
#[differentiable]
pub fn make_values(x: f64, y: f64) -> Vec<f64> {
    vec![x, x * y, y]
}

/// A value of a type that is `Copy`.
#[differentiable]
pub fn make_pair(x: f64, y: f64) -> Pair {
    Pair { a: x * y, b: x + y }
}

/// A value of a type that is moved.
#[differentiable]
pub fn make_curve(x: f64, y: f64) -> Curve {
    let points = vec![x * x, y];
    Curve {
        points,
        scale: x,
        degree: 2,
    }
}

/// By value, `Copy`.
#[differentiable]
pub fn owned(x: f64) -> f64 {
    x.sin() * x
}

/// By value, a struct that is `Copy`.
#[differentiable]
pub fn owned_pair(p: Pair) -> f64 {
    p.a * p.b + p.b
}

/// By value, moved.
#[differentiable]
pub fn moved(v: Vec<f64>) -> f64 {
    let mut total = 1.0;
    for i in 0..v.len() {
        total = total * v[i] + v[i];
    }
    total
}

/// By value, a struct that is moved.
#[differentiable]
pub fn moved_curve(c: Curve) -> f64 {
    let mut total = c.scale;
    for i in 0..c.points.len() {
        total += c.points[i] * c.scale;
    }
    total * c.degree as f64
}

/// By shared reference.
#[differentiable]
pub fn by_ref(x: &[f64]) -> f64 {
    let mut total = 0.0;
    for v in x {
        total += v * v;
    }
    total.sqrt()
}

/// By shared reference to a float.
#[differentiable]
pub fn by_ref_float(x: &f64) -> f64 {
    *x * x.exp()
}

/// By shared reference to a struct.
#[differentiable]
pub fn by_ref_curve(c: &Curve) -> f64 {
    let mut total = 1.0;
    for i in 0..c.points.len() {
        total *= c.points[i] + c.scale;
    }
    total
}

/// By mutable reference.
#[differentiable]
pub fn by_mut(x: &mut [f64]) -> f64 {
    for i in 1..x.len() {
        x[i] *= x[i - 1];
    }
    x[0] * x[0]
}

/// By mutable reference to a float.
#[differentiable]
pub fn by_mut_float(x: &mut f64) {
    *x *= *x;
}

/// By mutable reference to a struct.
#[differentiable]
pub fn by_mut_curve(c: &mut Curve) -> f64 {
    let old = c.scale;
    c.scale *= old;
    c.points[0] += old;
    old
}

/// A constant by value.
#[differentiable]
pub fn constant(x: f64, #[constant] w: f64) -> f64 {
    x * x * w
}

/// A constant by reference.
#[differentiable]
pub fn constant_ref(x: f64, #[constant] w: &[f64]) -> f64 {
    let mut total = 0.0;
    for w in w {
        total += x * x * w;
    }
    total
}

/// A constant by mutable reference.
#[differentiable]
pub fn constant_mut(x: f64, #[constant] calls: &mut usize) -> f64 {
    *calls += 1;
    x * x * (*calls as f64)
}

/// Integers.
#[differentiable]
pub fn integer(x: f64, n: usize) -> f64 {
    let mut y = x;
    for _ in 0..n {
        y *= x;
    }
    y
}

/// Types behind aliases.
#[differentiable]
pub fn alias(x: Weight, n: Count, v: &Values) -> Weight {
    let mut y = x * n as f64;
    for i in 0..v.len() {
        y *= v[i];
    }
    y
}

/// All kinds at once, in no particular order.
#[differentiable]
pub fn mixed(
    #[constant] w: &[f64],
    n: usize,
    x: f64,
    v: &[f64],
    out: &mut [f64],
    moved: Vec<f64>,
) -> f64 {
    let mut total = x;
    for i in 0..n {
        out[i] += v[i] * w[i];
        total *= out[i] + moved[i];
    }
    total
}

#[differentiable]
impl Curve {
    /// Takes the receiver.
    pub fn consumed(self, k: f64) -> f64 {
        self.points[0] * k + self.scale * self.points[1]
    }

    /// Reads the receiver.
    pub fn value(&self, k: f64) -> f64 {
        let mut total = 0.0;
        for i in 0..self.points.len() {
            total = total * k + self.points[i];
        }
        total * self.scale
    }

    /// Changes the receiver.
    pub fn step(&mut self, k: f64) -> f64 {
        self.scale *= k;
        for p in &mut self.points {
            *p += self.scale;
        }
        self.scale * self.points[0]
    }

    /// Doesn't differentiate the receiver.
    pub fn constant_receiver(#[constant] &self, k: f64) -> f64 {
        self.scale * k * k
    }

    /// Has no receiver.
    pub fn straight(x: f64) -> Curve {
        Curve {
            points: vec![x, x * x],
            scale: x,
            degree: 1,
        }
    }
}

#[differentiable]
impl Pair {
    /// Takes a receiver that is `Copy`.
    pub fn product(self, k: f64) -> f64 {
        self.a * self.b * k
    }

    /// Changes the receiver.
    pub fn turn(&mut self, k: f64) {
        let a = self.a;
        self.a = self.b * k;
        self.b = a;
    }
}

/// The logarithm of one plus the exponential function, without overflow.
#[primitive(partials(x = 1.0 / (1.0 + (-x).exp())))]
pub fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

/// The trapezoidal rule.
#[differentiable]
pub fn integrated<F: Fn(f64) -> f64>(f: F, a: f64, b: f64, n: usize) -> f64 {
    let h = (b - a) / n as f64;
    let mut sum = 0.5 * (f(a) + f(b));
    for i in 1..n {
        sum += f(a + h * i as f64);
    }
    sum * h
}

/// A function that may be passed on.
#[differentiable]
pub fn squared(x: f64) -> f64 {
    x * x
}

/// Both, in one crate.
#[differentiable]
pub fn area(a: f64, b: f64) -> f64 {
    integrated(|t| a * t, 0.0, b, 3) + integrated(squared, a, b, 2)
}

//! Drivers inside of differentiated functions: numbers with one more derivative than those of [`crate::oracle`].

use std::cmp::Ordering;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub};

use crate::oracle::D;

/// The numbers of functions that are differentiated inside of others.
pub trait Number:
    Copy
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
{
    /// A constant.
    fn c(x: f64) -> Self;
    /// The sine.
    #[must_use]
    fn sin(self) -> Self;
    /// The cosine.
    #[must_use]
    fn cos(self) -> Self;
    /// The hyperbolic tangent.
    #[must_use]
    fn tanh(self) -> Self;
    /// The exponential function.
    #[must_use]
    fn exp(self) -> Self;
}

impl Number for D {
    fn c(x: f64) -> Self {
        Self::c(x)
    }
    fn sin(self) -> Self {
        self.sin()
    }
    fn cos(self) -> Self {
        self.cos()
    }
    fn tanh(self) -> Self {
        self.tanh()
    }
    fn exp(self) -> Self {
        self.exp()
    }
}

/// A number with a derivative, both with derivatives of their own (dual numbers: Clifford 1873).
#[derive(Clone, Copy, Debug)]
pub struct Dual<T> {
    x: T,
    dot: T,
}

impl<T: PartialEq> PartialEq for Dual<T> {
    fn eq(&self, o: &Self) -> bool {
        self.x == o.x
    }
}

impl<T: PartialOrd> PartialOrd for Dual<T> {
    fn partial_cmp(&self, o: &Self) -> Option<Ordering> {
        self.x.partial_cmp(&o.x)
    }
}

impl<T: Number> Add for Dual<T> {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self {
            x: self.x + o.x,
            dot: self.dot + o.dot,
        }
    }
}

impl<T: Number> Sub for Dual<T> {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        Self {
            x: self.x - o.x,
            dot: self.dot - o.dot,
        }
    }
}

impl<T: Number> Mul for Dual<T> {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        Self {
            x: self.x * o.x,
            dot: self.dot * o.x + self.x * o.dot,
        }
    }
}

impl<T: Number> Div for Dual<T> {
    type Output = Self;
    fn div(self, o: Self) -> Self {
        Self {
            x: self.x / o.x,
            dot: (self.dot * o.x - self.x * o.dot) / (o.x * o.x),
        }
    }
}

impl<T: Number> Neg for Dual<T> {
    type Output = Self;
    fn neg(self) -> Self {
        Self {
            x: -self.x,
            dot: -self.dot,
        }
    }
}

impl<T: Number> AddAssign for Dual<T> {
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}

impl<T: Number> Number for Dual<T> {
    fn c(x: f64) -> Self {
        Self {
            x: T::c(x),
            dot: T::c(0.0),
        }
    }
    fn sin(self) -> Self {
        Self {
            x: self.x.sin(),
            dot: self.dot * self.x.cos(),
        }
    }
    fn cos(self) -> Self {
        Self {
            x: self.x.cos(),
            dot: -(self.dot * self.x.sin()),
        }
    }
    fn tanh(self) -> Self {
        let t = self.x.tanh();
        Self {
            x: t,
            dot: self.dot * (T::c(1.0) - t * t),
        }
    }
    fn exp(self) -> Self {
        let e = self.x.exp();
        Self {
            x: e,
            dot: self.dot * e,
        }
    }
}

fn along<T: Number>(x: T, dot: f64) -> Dual<T> {
    Dual { x, dot: T::c(dot) }
}

/// `f::gradient`
pub fn gradient(f: impl Fn(Dual<D>, Dual<D>) -> Dual<D>) -> impl Fn(D, D) -> (D, D) {
    move |a, b| {
        let by_a = f(along(a, 1.0), along(b, 0.0));
        let by_b = f(along(a, 0.0), along(b, 1.0));
        (by_a.dot, by_b.dot)
    }
}

/// `f::value_and_gradient`
pub fn value_and_gradient(
    f: impl Fn(D, D) -> D,
    g: impl Fn(Dual<D>, Dual<D>) -> Dual<D>,
) -> impl Fn(D, D) -> (D, (D, D)) {
    let gradient = gradient(g);
    move |a, b| (f(a, b), gradient(a, b))
}

/// `f::jvp`
pub fn jvp(
    f: impl Fn(D, D) -> D,
    g: impl Fn(Dual<D>, Dual<D>) -> Dual<D>,
) -> impl Fn(D, D, D, D) -> (D, D) {
    move |a, b, u, v| {
        let by_direction = g(Dual { x: a, dot: u }, Dual { x: b, dot: v });
        (f(a, b), by_direction.dot)
    }
}

//! [`Jet`]: a value with its first and second derivative along a line, for closed forms.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// Taylor coefficients of order 0, 1 and 2 (the latter as a second derivative).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Jet(pub(crate) f64, pub(crate) f64, pub(crate) f64);

impl Jet {
    /// The variable itself.
    pub(crate) fn variable(x: f64) -> Self {
        Jet(x, 1.0, 0.0)
    }

    /// A function with its first two derivatives at `self.0`, by the chain rule.
    pub(crate) fn chain(self, y: f64, first: f64, second: f64) -> Self {
        Jet(y, first * self.1, second * self.1 * self.1 + first * self.2)
    }

    pub(crate) fn sin(self) -> Self {
        let (s, c) = self.0.sin_cos();
        self.chain(s, c, -s)
    }

    pub(crate) fn exp(self) -> Self {
        let y = self.0.exp();
        self.chain(y, y, y)
    }

    pub(crate) fn sqrt(self) -> Self {
        let y = self.0.sqrt();
        self.chain(y, 0.5 / y, -0.25 / (y * self.0))
    }

    pub(crate) fn recip(self) -> Self {
        let y = self.0.recip();
        self.chain(y, -y * y, 2.0 * y * y * y)
    }
}

impl From<f64> for Jet {
    fn from(x: f64) -> Self {
        Jet(x, 0.0, 0.0)
    }
}

impl Add for Jet {
    type Output = Jet;

    fn add(self, b: Jet) -> Jet {
        Jet(self.0 + b.0, self.1 + b.1, self.2 + b.2)
    }
}

impl Neg for Jet {
    type Output = Jet;

    fn neg(self) -> Jet {
        Jet(-self.0, -self.1, -self.2)
    }
}

impl Sub for Jet {
    type Output = Jet;

    fn sub(self, b: Jet) -> Jet {
        self + -b
    }
}

impl Mul for Jet {
    type Output = Jet;

    fn mul(self, b: Jet) -> Jet {
        Jet(
            self.0 * b.0,
            self.1 * b.0 + self.0 * b.1,
            self.2 * b.0 + 2.0 * self.1 * b.1 + self.0 * b.2,
        )
    }
}

impl Div for Jet {
    type Output = Jet;

    #[allow(clippy::suspicious_arithmetic_impl, reason = "it is a product")]
    fn div(self, b: Jet) -> Jet {
        self * b.recip()
    }
}

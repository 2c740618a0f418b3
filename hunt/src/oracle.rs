//! [`D`]: numbers that carry two first derivatives and the mixed second one (hyper-dual numbers: Fike and Alonso 2011,
//! "The development of hyper-dual numbers for exact second-derivative calculations").
//!
//! A program that is evaluated with them gives its derivatives to rounding. They share nothing with the compiler or its
//! rules. The value of each operation is what `f64` gives, bit for bit. [`gap`] says how close the evaluation came to a
//! kink or a branch that could have gone the other way.

use std::cell::{Cell, RefCell};
use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::iter::{Product, Sum};
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

thread_local! {
    static GAP: Cell<f64> = const { Cell::new(f64::INFINITY) };
    static BROKEN: Cell<Option<&'static str>> = const { Cell::new(None) };
    static USED: RefCell<BTreeSet<&'static str>> = const { RefCell::new(BTreeSet::new()) };
}

/// What `f` gives when the derivatives of one operation are wrong on purpose, by a thousandth.
pub fn broken<R>(operation: &'static str, f: impl FnOnce() -> R) -> R {
    BROKEN.set(Some(operation));
    let result = f();
    BROKEN.set(None);
    result
}

/// The operations that had an argument with a derivative since the last call.
pub fn take_used() -> BTreeSet<&'static str> {
    USED.take()
}

/// What the derivatives of an operation are multiplied by; notes that it is used.
fn factor(operation: &'static str, active: bool) -> f64 {
    if active {
        USED.with_borrow_mut(|used| used.insert(operation));
    }
    if BROKEN.get() == Some(operation) {
        1.001
    } else {
        1.0
    }
}

/// The smallest distance to a kink since [`reset_gap`].
pub fn gap() -> f64 {
    GAP.get()
}

/// Forgets the kinks that were seen.
pub fn reset_gap() {
    GAP.set(f64::INFINITY);
}

/// A number with derivatives along two directions.
#[derive(Clone, Copy, Debug, Default)]
pub struct D {
    /// The value.
    pub x: f64,
    /// The derivative along the first direction.
    pub u: f64,
    /// The derivative along the second direction.
    pub v: f64,
    /// The derivative along both.
    pub uv: f64,
}

impl D {
    /// A constant.
    pub const fn c(x: f64) -> Self {
        Self {
            x,
            u: 0.0,
            v: 0.0,
            uv: 0.0,
        }
    }

    /// What has value `f`, first derivative `d` and second derivative `dd` at this.
    fn map(self, name: &'static str, f: f64, d: f64, dd: f64) -> Self {
        let factor = factor(name, self.is_active());
        let (d, dd) = (factor * d, factor * dd);
        Self {
            x: f,
            u: d * self.u,
            v: d * self.v,
            uv: d * self.uv + dd * self.u * self.v,
        }
    }

    /// What has these partials at this and `y`: `[f, f_x, f_y, f_xx, f_xy, f_yy]`.
    fn map2(self, name: &'static str, y: Self, [f, partials @ ..]: [f64; 6]) -> Self {
        let factor = factor(name, self.is_active() || y.is_active());
        let [fx, fy, fxx, fxy, fyy] = partials.map(|p| factor * p);
        Self {
            x: f,
            u: fx * self.u + fy * y.u,
            v: fx * self.v + fy * y.v,
            uv: fx * self.uv
                + fy * y.uv
                + fxx * self.u * self.v
                + fxy * (self.u * y.v + self.v * y.u)
                + fyy * y.u * y.v,
        }
    }

    fn is_active(self) -> bool {
        self.u != 0.0 || self.v != 0.0
    }

    /// Notes that a decision depends on the difference of the two.
    fn decide(self, other: Self) {
        if self.u != other.u || self.v != other.v {
            let gap = (self.x - other.x).abs() / (1.0 + self.x.abs());
            GAP.set(GAP.get().min(gap));
        }
    }

    /// A constant of the same value.
    #[must_use]
    pub const fn stop(self) -> Self {
        Self::c(self.x)
    }
}

/// `chainrule::stop_gradient`.
pub const fn stop_gradient(x: D) -> D {
    x.stop()
}

macro_rules! unary {
    ($($name:ident |$x:ident, $f:ident| $d:expr, $dd:expr;)*) => {
        impl D {
            $(
                #[doc = concat!("`f64::", stringify!($name), "`.")]
                #[must_use]
                #[allow(unused_variables, reason = "not every derivative needs the argument and the result")]
                pub fn $name(self) -> Self {
                    let $x = self.x;
                    let $f = $x.$name();
                    self.map(stringify!($name), $f, $d, $dd)
                }
            )*
        }
    };
}

unary! {
    sin |x, f| x.cos(), -f;
    cos |x, f| -x.sin(), -f;
    tan |x, f| 1.0 + f * f, 2.0 * f * (1.0 + f * f);
    tanh |x, f| 1.0 - f * f, -2.0 * f * (1.0 - f * f);
    sinh |x, f| x.cosh(), f;
    cosh |x, f| x.sinh(), f;
    exp |x, f| f, f;
    exp2 |x, f| f * std::f64::consts::LN_2, f * std::f64::consts::LN_2 * std::f64::consts::LN_2;
    exp_m1 |x, f| x.exp(), x.exp();
    ln |x, f| 1.0 / x, -1.0 / (x * x);
    ln_1p |x, f| 1.0 / (1.0 + x), -1.0 / ((1.0 + x) * (1.0 + x));
    sqrt |x, f| 0.5 / f, -0.25 / (f * x);
    cbrt |x, f| 1.0 / (3.0 * f * f), -2.0 / (9.0 * f * f * x);
    recip |x, f| -f * f, 2.0 * f * f * f;
    atan |x, f| 1.0 / (1.0 + x * x), -2.0 * x / ((1.0 + x * x) * (1.0 + x * x));
    asinh |x, f| 1.0 / (1.0 + x * x).sqrt(), -x / ((1.0 + x * x) * (1.0 + x * x).sqrt());
    to_radians |x, f| std::f64::consts::PI / 180.0, 0.0;
}

impl D {
    /// `f64::abs`.
    #[must_use]
    pub fn abs(self) -> Self {
        self.decide(Self::c(0.0));
        self.map("abs", self.x.abs(), self.x.signum(), 0.0)
    }

    /// `f64::signum`.
    #[must_use]
    pub fn signum(self) -> Self {
        self.decide(Self::c(0.0));
        Self::c(self.x.signum())
    }

    /// `f64::floor`.
    #[must_use]
    pub fn floor(self) -> Self {
        self.decide(Self {
            x: self.x.round(),
            ..Self::c(0.0)
        });
        Self::c(self.x.floor())
    }

    /// `f64::max`.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        self.decide(other);
        if other.x > self.x { other } else { self }
    }

    /// `f64::min`.
    #[must_use]
    pub fn min(self, other: Self) -> Self {
        self.decide(other);
        if other.x < self.x { other } else { self }
    }

    /// `f64::clamp`.
    #[must_use]
    pub fn clamp(self, low: Self, high: Self) -> Self {
        self.decide(low);
        self.decide(high);
        if self.x < low.x {
            low
        } else if self.x > high.x {
            high
        } else {
            self
        }
    }

    /// `f64::powi`.
    #[must_use]
    pub fn powi(self, n: i32) -> Self {
        let k = f64::from(n);
        let power = |m: i32| if n > m { self.x.powi(n - 1 - m) } else { 0.0 };
        self.map(
            "powi",
            self.x.powi(n),
            k * power(0),
            k * (k - 1.0) * power(1),
        )
    }

    /// `f64::powf`, of positive numbers.
    #[must_use]
    pub fn powf(self, y: Self) -> Self {
        let (a, b) = (self.x, y.x);
        let f = a.powf(b);
        let ln = a.ln();
        self.map2(
            "powf",
            y,
            [
                f,
                b * f / a,
                f * ln,
                b * (b - 1.0) * f / (a * a),
                f / a * (1.0 + b * ln),
                f * ln * ln,
            ],
        )
    }

    /// `f64::hypot`.
    #[must_use]
    pub fn hypot(self, y: Self) -> Self {
        let (a, b) = (self.x, y.x);
        let f = a.hypot(b);
        let cube = f * f * f;
        self.map2(
            "hypot",
            y,
            [f, a / f, b / f, b * b / cube, -a * b / cube, a * a / cube],
        )
    }

    /// `f64::atan2`.
    #[must_use]
    pub fn atan2(self, x: Self) -> Self {
        let (a, b) = (self.x, x.x);
        let r = a * a + b * b;
        self.map2(
            "atan2",
            x,
            [
                a.atan2(b),
                b / r,
                -a / r,
                -2.0 * a * b / (r * r),
                (a * a - b * b) / (r * r),
                2.0 * a * b / (r * r),
            ],
        )
    }

    /// `f64::mul_add`.
    #[must_use]
    pub fn mul_add(self, a: Self, b: Self) -> Self {
        Self {
            x: self.x.mul_add(a.x, b.x),
            ..self * a + b
        }
    }

    /// `f64::sin_cos`.
    #[must_use]
    pub fn sin_cos(self) -> (Self, Self) {
        (self.sin(), self.cos())
    }

    /// `f64::total_cmp`.
    pub fn total_cmp(&self, other: &Self) -> Ordering {
        self.decide(*other);
        self.x.total_cmp(&other.x)
    }

    /// `f64::is_finite`.
    pub const fn is_finite(self) -> bool {
        self.x.is_finite()
    }
}

impl PartialEq for D {
    fn eq(&self, other: &Self) -> bool {
        self.decide(*other);
        self.x == other.x
    }
}

impl PartialOrd for D {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.decide(*other);
        self.x.partial_cmp(&other.x)
    }
}

impl Neg for D {
    type Output = Self;
    fn neg(self) -> Self {
        Self {
            x: -self.x,
            u: -self.u,
            v: -self.v,
            uv: -self.uv,
        }
    }
}

impl Neg for &D {
    type Output = D;
    fn neg(self) -> D {
        -*self
    }
}

fn add(a: D, b: D) -> D {
    D {
        x: a.x + b.x,
        u: a.u + b.u,
        v: a.v + b.v,
        uv: a.uv + b.uv,
    }
}

fn sub(a: D, b: D) -> D {
    D {
        x: a.x - b.x,
        u: a.u - b.u,
        v: a.v - b.v,
        uv: a.uv - b.uv,
    }
}

fn mul(a: D, b: D) -> D {
    a.map2("mul", b, [a.x * b.x, b.x, a.x, 0.0, 1.0, 0.0])
}

fn div(a: D, b: D) -> D {
    let q = a.x / b.x;
    a.map2(
        "div",
        b,
        [
            q,
            1.0 / b.x,
            -q / b.x,
            0.0,
            -1.0 / (b.x * b.x),
            2.0 * q / (b.x * b.x),
        ],
    )
}

macro_rules! operators {
    ($($Op:ident $op:ident $Assign:ident $assign:ident;)*) => {$(
        impl $Op for D {
            type Output = D;
            fn $op(self, other: D) -> D {
                $op(self, other)
            }
        }
        impl $Op<&D> for D {
            type Output = D;
            fn $op(self, other: &D) -> D {
                $op(self, *other)
            }
        }
        impl $Op<D> for &D {
            type Output = D;
            fn $op(self, other: D) -> D {
                $op(*self, other)
            }
        }
        impl $Op<&D> for &D {
            type Output = D;
            fn $op(self, other: &D) -> D {
                $op(*self, *other)
            }
        }
        impl $Assign for D {
            fn $assign(&mut self, other: D) {
                *self = $op(*self, other);
            }
        }
        impl $Assign<&D> for D {
            fn $assign(&mut self, other: &D) {
                *self = $op(*self, *other);
            }
        }
    )*};
}

operators! {
    Add add AddAssign add_assign;
    Sub sub SubAssign sub_assign;
    Mul mul MulAssign mul_assign;
    Div div DivAssign div_assign;
}

// The sum of nothing is -0.0, as that of std's floats.
impl Sum for D {
    fn sum<I: Iterator<Item = D>>(items: I) -> D {
        items.fold(D::c(-0.0), add)
    }
}

impl<'a> Sum<&'a D> for D {
    fn sum<I: Iterator<Item = &'a D>>(items: I) -> D {
        items.copied().sum()
    }
}

impl Product for D {
    fn product<I: Iterator<Item = D>>(items: I) -> D {
        items.fold(D::c(1.0), mul)
    }
}

impl<'a> Product<&'a D> for D {
    fn product<I: Iterator<Item = &'a D>>(items: I) -> D {
        items.copied().product()
    }
}

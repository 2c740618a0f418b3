//! Divided differences of a function of a number, which lose no digits where points are close to each other.
//!
//! The quotient `f[p, q] = (f(q) - f(p))/(q - p)` cancels at close points. There the mean of the derivative between them, which is the same number, is
//! computed by Gauss's rule. The quotient has a bound of its rounding error: the mean is taken where it is more accurate than that, and the two
//! agree. Where they don't, `f` isn't smooth between the points, and the quotient is right.

/// A function of a number with its first and second derivative, for [`spectral_map`](fn@super::spectral_map),
/// [`spectral_sum`](fn@super::spectral_sum) and [`singular_value_sum`](fn@super::singular_value_sum).
///
/// A tuple of three closures is one. The derivatives of a differentiable function may come from its drivers:
///
/// ```
/// use chainrule::nalgebra::{ScalarFunction, spectral_map};
/// use chainrule::prelude::*;
/// use nalgebra::DMatrix;
///
/// #[differentiable]
/// fn softplus(x: f64) -> f64 {
///     x.exp().ln_1p()
/// }
///
/// struct Softplus;
///
/// impl ScalarFunction for Softplus {
///     fn value(&self, x: f64) -> f64 {
///         softplus(x)
///     }
///
///     fn derivative(&self, x: f64) -> f64 {
///         softplus::derivative(x)
///     }
///
///     fn second_derivative(&self, x: f64) -> f64 {
///         softplus::hvp(x, 1.0)
///     }
/// }
///
/// #[differentiable]
/// fn first_entry(a: &DMatrix<f64>) -> f64 {
///     spectral_map(a, &Softplus).unwrap()[(0, 0)]
/// }
///
/// let gradient = first_entry::gradient(&DMatrix::zeros(2, 2));
/// assert!((gradient - DMatrix::from_row_slice(2, 2, &[0.5, 0.0, 0.0, 0.0])).amax() < 1e-15);
/// ```
pub trait ScalarFunction {
    /// `f(x)`
    fn value(&self, x: f64) -> f64;
    /// `f'(x)`
    fn derivative(&self, x: f64) -> f64;
    /// `f''(x)`
    fn second_derivative(&self, x: f64) -> f64;
}

impl<F, G, H> ScalarFunction for (F, G, H)
where
    F: Fn(f64) -> f64,
    G: Fn(f64) -> f64,
    H: Fn(f64) -> f64,
{
    fn value(&self, x: f64) -> f64 {
        (self.0)(x)
    }

    fn derivative(&self, x: f64) -> f64 {
        (self.1)(x)
    }

    fn second_derivative(&self, x: f64) -> f64 {
        (self.2)(x)
    }
}

/// A number and a bound of its rounding error.
#[derive(Clone, Copy)]
pub(super) struct Rounded {
    pub(super) value: f64,
    error: f64,
}

impl Rounded {
    /// The value of a function at `x`, whose rounding counts as well.
    fn at(x: f64, value: f64, slope: f64) -> Rounded {
        let error = 2.0 * f64::EPSILON * (value.abs() + (x * slope).abs());
        Rounded { value, error }
    }
}

/// How far from a quotient's bound an integral may be that is the same number: functions may be less accurate than
/// [`Rounded::at`] takes them for.
const SLACK: f64 = 65_536.0;

/// Nodes and weights of Gauss's rules on `-1..1`, without those that follow by symmetry.
type Rule = [(f64, f64)];
const COARSE: &Rule = &[
    (0.238_619_186_083_196_9, 0.467_913_934_572_691_05),
    (0.661_209_386_466_264_5, 0.360_761_573_048_138_6),
    (0.932_469_514_203_152, 0.171_324_492_379_170_35),
];
const FINE: &Rule = &[
    (0.148_874_338_981_631_2, 0.295_524_224_714_752_87),
    (0.433_395_394_129_247_2, 0.269_266_719_309_996_35),
    (0.679_409_568_299_024_4, 0.219_086_362_515_982_04),
    (0.865_063_366_688_984_5, 0.149_451_349_150_580_6),
    (0.973_906_528_517_171_7, 0.066_671_344_308_688_14),
];

/// The integral of a function over `0..1`.
fn integral(rule: &Rule, f: impl Fn(f64) -> f64) -> f64 {
    let both = |(x, weight): &(f64, f64)| weight / 2.0 * (f((1.0 - x) / 2.0) + f((1.0 + x) / 2.0));
    rule.iter().map(both).sum()
}

/// `(y - x)/gap`, by the integral over `0..1` of `f` that is equal to it where `f` is smooth.
fn quotient(x: Rounded, y: Rounded, gap: f64, f: impl Fn(f64) -> f64) -> Rounded {
    let value = (y.value - x.value) / gap;
    let error = (x.error + y.error) / gap.abs() + f64::EPSILON * value.abs();
    let [coarse, fine] = [COARSE, FINE].map(|rule| integral(rule, &f));
    let difference = (fine - coarse).abs();
    if difference <= error && (fine - value).abs() <= SLACK * error {
        let error = difference + 4.0 * f64::EPSILON * fine.abs();
        return Rounded { value: fine, error };
    }
    Rounded { value, error }
}

/// `f[p, q]`, which is `f'(p)` where the points are equal.
pub(super) fn divided(
    f: impl Fn(f64) -> f64,
    slope: impl Fn(f64) -> f64,
    p: f64,
    q: f64,
) -> Rounded {
    let [at_p, at_q] = [p, q].map(|x| Rounded::at(x, f(x), slope(x)));
    if p == q {
        return Rounded {
            value: slope(p),
            error: 2.0 * f64::EPSILON * slope(p).abs(),
        };
    }
    quotient(at_p, at_q, q - p, |t| slope(p + t * (q - p)))
}

/// `f[p, q, q] = (f'(q) - f[p, q])/(q - p)`, which is half of `f''(p)` where the points are equal. It is the mean of `t f''` at `p + t (q - p)`.
pub(super) fn divided_twice(f: &dyn ScalarFunction, p: f64, q: f64) -> f64 {
    if p == q {
        return f.second_derivative(p) / 2.0;
    }
    let secant = divided(|x| f.value(x), |x| f.derivative(x), p, q);
    let tangent = Rounded::at(q, f.derivative(q), f.second_derivative(q));
    let curvature = |t| t * f.second_derivative(p + t * (q - p));
    quotient(secant, tangent, q - p, curvature).value
}

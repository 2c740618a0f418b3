//! The derivatives of ln Γ.

use core::f64::consts::PI;

#[cfg(not(feature = "std"))]
use crate::Real;
use crate::primitive;

/// The digamma function ψ(x), the derivative of ln Γ(x); NaN at negative integers, -∞ at 0 and ∞ at -0.
///
/// Its derivative is the [`trigamma`](fn@trigamma) function.
///
/// ```
/// use chainrule::special::digamma;
///
/// assert!((digamma(1.0) + 0.577_215_664_901_532_9).abs() < 1e-15);
/// ```
///
/// # Source
/// DLMF 5.5.2, 5.5.4 and 5.11.2.
#[primitive(partials(x = trigamma(x)))]
pub fn digamma(x: f64) -> f64 {
    if x == 0.0 {
        return -x.recip();
    }
    if x < 0.0 {
        let fraction = x - x.floor();
        return if fraction == 0.0 {
            f64::NAN
        } else {
            positive_digamma(1.0 - x) - PI / (PI * fraction).tan()
        };
    }
    positive_digamma(x)
}

/// The trigamma function ψ'(x), the derivative of [`digamma`](fn@digamma); ∞ at 0 and at negative integers.
///
/// Its derivative is [`polygamma`](fn@polygamma)`(2, x)`.
///
/// ```
/// use chainrule::special::trigamma;
///
/// assert!((trigamma(1.0) - core::f64::consts::PI.powi(2) / 6.0).abs() < 1e-15);
/// ```
#[primitive(partials(x = polygamma(2, x)))]
pub fn trigamma(x: f64) -> f64 {
    polygamma(1, x)
}

/// The polygamma function ψ⁽ⁿ⁾(x), the n-th derivative of [`digamma`](fn@digamma).
///
/// At 0 and at negative integers it is ∞ for odd n, and NaN for even n > 0. Its derivative is `polygamma(n + 1, x)`.
///
/// ```
/// use chainrule::special::polygamma;
///
/// assert!((polygamma(2, 1.0) + 2.404_113_806_319_188_6).abs() < 1e-14);
/// ```
///
/// # Source
/// DLMF 5.15.1, and for x < 0 the same sum, folded: its terms beyond the pole next to x are those of a sum that starts on the
/// other side.
#[primitive(partials(x = polygamma(n + 1, x)))]
pub fn polygamma(n: u32, x: f64) -> f64 {
    if n == 0 {
        return digamma(x);
    }
    let s = f64::from(n) + 1.0;
    let odd = n % 2 == 1;
    let sum = if x > 0.0 {
        zeta(s, x)
    } else {
        let fraction = x - x.floor();
        if fraction == 0.0 {
            return if odd { f64::INFINITY } else { f64::NAN };
        }
        let folded = zeta(s, 1.0 - fraction) - zeta(s, 1.0 - x);
        zeta(s, fraction) + if odd { folded } else { -folded }
    };
    let factorial = libm::tgamma(s);
    if odd {
        factorial * sum
    } else {
        -factorial * sum
    }
}

/// The Bernoulli numbers B₂, B₄, ...
const BERNOULLI: [f64; 10] = [
    1.0 / 6.0,
    -1.0 / 30.0,
    1.0 / 42.0,
    -1.0 / 30.0,
    5.0 / 66.0,
    -691.0 / 2730.0,
    7.0 / 6.0,
    -3617.0 / 510.0,
    43_867.0 / 798.0,
    -174_611.0 / 330.0,
];

/// ψ(x) for x > 0: the recurrence up to where the asymptotic series is exact to rounding.
fn positive_digamma(x: f64) -> f64 {
    let (mut z, mut below) = (x, 0.0);
    while z < 10.0 {
        below += z.recip();
        z += 1.0;
    }
    let square = (z * z).recip();
    let (mut power, mut index, mut series) = (1.0, 0.0, 0.0);
    for b in BERNOULLI {
        power *= square;
        index += 2.0;
        series += b * power / index;
    }
    z.ln() - 0.5 / z - series - below
}

/// The Hurwitz zeta function, the sum of (x + k)⁻ˢ over all k ≥ 0, for s ≥ 2 and x > 0.
///
/// # Source
/// DLMF 25.11.5, the Euler-Maclaurin formula.
fn zeta(s: f64, x: f64) -> f64 {
    let (mut z, mut sum) = (x, 0.0);
    while z < s + 10.0 {
        sum += z.powf(-s);
        z += 1.0;
    }
    let power = z.powf(-s);
    let square = (z * z).recip();
    // s (s + 1) ... (s + 2k - 2) / (2k)! z^(-s - 2k + 1)
    let mut factor = power * s / (2.0 * z);
    let mut index = 2.0;
    sum += z.powf(1.0 - s) / (s - 1.0) + 0.5 * power;
    for b in BERNOULLI {
        sum += b * factor;
        factor *= (s + index - 1.0) * (s + index) / ((index + 1.0) * (index + 2.0)) * square;
        index += 2.0;
    }
    sum
}

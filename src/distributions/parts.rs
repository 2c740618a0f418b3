//! Parts that several densities have in common, precise where the formulas as they stand in books cancel or overflow.

#[cfg(not(feature = "std"))]
use crate::Real;
use crate::functions::xlogy;
use crate::primitive;
use crate::special::{digamma, ln_beta, ln_gamma};

/// Half the logarithm of 2π.
pub(super) const HALF_LN_2_PI: f64 = 0.918_938_533_204_672_7;

/// ln π.
pub(super) const LN_PI: f64 = 1.144_729_885_849_400_2;

/// From here on the series of [`stirling`] is exact to rounding.
pub(super) const LARGE: f64 = 10.0;

/// The logarithm of a parameter, which is NaN unless the parameter is positive.
#[primitive(partials(x = 1.0 / x))]
pub(super) fn ln_positive(x: f64) -> f64 {
    if x > 0.0 { x.ln() } else { f64::NAN }
}

/// The logarithm of a density outside of its support: -∞, or NaN if the parameters aren't valid.
pub(super) fn outside(parameters_are_valid: bool) -> f64 {
    if parameters_are_valid {
        f64::NEG_INFINITY
    } else {
        f64::NAN
    }
}

/// Returns `true` if a number of the slice is below this one. NaN isn't.
#[primitive(zero_derivative)]
pub(super) fn any_below(x: &[f64], bound: f64) -> bool {
    x.iter().any(|v| *v < bound)
}

/// Returns `true` if a number of the slice is at most this one. NaN isn't.
#[primitive(zero_derivative)]
pub(super) fn any_at_most(x: &[f64], bound: f64) -> bool {
    x.iter().any(|v| *v <= bound)
}

/// Returns `true` if a number of the slice is above this one. NaN isn't.
#[primitive(zero_derivative)]
pub(super) fn any_above(x: &[f64], bound: f64) -> bool {
    x.iter().any(|v| *v > bound)
}

/// Returns `true` if a number of the slice is at least this one. NaN isn't.
#[primitive(zero_derivative)]
pub(super) fn any_at_least(x: &[f64], bound: f64) -> bool {
    x.iter().any(|v| *v >= bound)
}

/// A count as a float.
#[allow(
    clippy::cast_precision_loss,
    reason = "beyond 2^53 counts are rounded, by less than a part in 10^15"
)]
pub(super) fn float(count: u64) -> f64 {
    count as f64
}

/// ln(1 + r²), without squares of large numbers.
///
/// The partial is 2r/(1 + r²).
#[primitive(partials(
    r = if r.abs() > 1.0 { 2.0 / (r + 1.0 / r) } else { 2.0 * r / (1.0 + r * r) },
))]
pub(super) fn ln_1p_square(r: f64) -> f64 {
    let size = r.abs();
    if size > 1e8 {
        2.0 * size.ln()
    } else {
        (r * r).ln_1p()
    }
}

/// ln(x/y) for positive numbers, with all digits for neighbours, and without their quotient where it overflows.
///
/// The partials are 1/x and -1/y.
#[primitive(partials(x = 1.0 / x, y = -1.0 / y))]
pub(super) fn ln_ratio(x: f64, y: f64) -> f64 {
    let change = (x - y) / y;
    if change.abs() < 0.5 {
        return change.ln_1p();
    }
    let ratio = x / y;
    if ratio > f64::MIN_POSITIVE && ratio < f64::INFINITY {
        ratio.ln()
    } else {
        x.ln() - y.ln()
    }
}

/// ln(1 + u) - u, with all digits for small u.
///
/// # Source
/// With r = u/(2 + u) the logarithm is 2 artanh r (DLMF 4.6.1), and 2r - u = -ru.
pub(super) fn ln_1p_less(u: f64) -> f64 {
    if u.abs() > 0.5 {
        return u.ln_1p() - u;
    }
    let r = u / (2.0 + u);
    let square = r * r;
    let mut sum = 0.0;
    for j in (1..=17).rev() {
        sum = square * (sum + 1.0 / f64::from(2 * j + 1));
    }
    r * (2.0 * sum - u)
}

/// ln(1 + u) - u/(1 + u), for u ≥ 0.
///
/// The partial is u/(1 + u)².
#[primitive(partials(u = u / (1.0 + u) / (1.0 + u)))]
pub(super) fn ln_1p_excess(u: f64) -> f64 {
    if u > 0.5 {
        u.ln_1p() - u / (1.0 + u)
    } else {
        ln_1p_less(u) + u * u / (1.0 + u)
    }
}

/// k ln(k/m) + m - k, for k > 0 and m ≥ 0: zero for equal numbers, and positive otherwise.
///
/// # Source
/// C. Loader, Fast and accurate computation of binomial probabilities (2000), where it is called bd₀.
fn deviance(k: f64, m: f64) -> f64 {
    let change = (m - k) / k;
    if change.abs() < 0.5 {
        -k * ln_1p_less(change)
    } else if m == f64::INFINITY {
        m
    } else {
        (m - k) - k * ln_ratio(m, k)
    }
}

/// The n-th derivative of the remainder of Stirling's formula (x - 1/2) ln x - x + ln(2π)/2 for ln Γ(x), for x ≥ 10.
///
/// # Source
/// DLMF 5.11.1.
#[primitive(partials(x = stirling(n + 1, x)))]
pub(super) fn stirling(n: u32, x: f64) -> f64 {
    const TERMS: [f64; 8] = [
        1.0 / 12.0,
        -1.0 / 360.0,
        1.0 / 1260.0,
        -1.0 / 1680.0,
        1.0 / 1188.0,
        -691.0 / 360_360.0,
        1.0 / 156.0,
        -3617.0 / 122_400.0,
    ];
    let square = (x * x).recip();
    let (mut power, mut exponent, mut sum) = (x.recip(), 1.0, 0.0);
    for term in TERMS {
        let mut factor = term * power;
        for order in 0..n {
            factor *= -(exponent + f64::from(order)) / x;
        }
        sum += factor;
        power *= square;
        exponent += 2.0;
    }
    sum
}

/// The part of the logarithm of a gamma density that depends on x: (a - 1) ln m - m with the mean number of events m = rate x, and
/// that minus its maximum over m where the shape is large.
///
/// The partials are (a - 1 - m)/x, ln m less that of the maximum, and (a - 1 - m)/rate.
#[primitive(partials(
    x = if rate * x == f64::INFINITY {
        -rate
    } else if x == 0.0 {
        quotient(shape - 1.0, x) - rate
    } else {
        (shape - 1.0 - rate * x) / x
    },
    shape = if shape - 1.0 < LARGE {
        ln_ratio(x, 1.0 / rate)
    } else {
        ln_ratio(x, (shape - 1.0) / rate)
    },
    rate = if rate * x == f64::INFINITY { -x } else { (shape - 1.0 - rate * x) / rate },
))]
pub(super) fn gamma_part(x: f64, shape: f64, rate: f64) -> f64 {
    let (k, mean) = (shape - 1.0, rate * x);
    if mean == f64::INFINITY {
        f64::NEG_INFINITY
    } else if mean < f64::MIN_POSITIVE && x > 0.0 {
        let ln_mean = x.ln() + rate.ln();
        if k < LARGE {
            weighted(k, ln_mean) - mean
        } else {
            less_maximum(k, mean, ln_mean)
        }
    } else if k < LARGE {
        xlogy(k, mean) - mean
    } else {
        -deviance(k, mean)
    }
}

/// w ln(x/y), and 0 where the weight w is 0, whatever x is (but NaN).
///
/// The partials are ln(x/y), w/x and -w/y.
#[primitive(partials(
    w = ln_ratio(x, y),
    x = quotient(w, x),
    y = -w / y,
))]
pub(super) fn weighted_ln_ratio(w: f64, x: f64, y: f64) -> f64 {
    weighted(w, ln_ratio(x, y))
}

/// The rest of it: -ln Γ(a), plus the maximum that [`gamma_part`] leaves out.
#[primitive(partials(
    shape = if shape - 1.0 < LARGE {
        -digamma(shape)
    } else {
        -0.5 / (shape - 1.0) - stirling(1, shape - 1.0)
    },
))]
pub(super) fn gamma_constant(shape: f64) -> f64 {
    if shape - 1.0 >= LARGE {
        let k = shape - 1.0;
        -HALF_LN_2_PI - 0.5 * k.ln() - stirling(0, k)
    } else if shape > 0.0 {
        -ln_gamma(shape)
    } else {
        f64::NAN
    }
}

/// The logarithm of the binomial coefficient of k + m over k, less that of nⁿ/(kᵏ mᵐ) with n = k + m, for large k and m.
fn large_binomial(k: f64, m: f64) -> f64 {
    let n = k + m;
    0.5 * (n / k / m).ln() - HALF_LN_2_PI + stirling(0, n) - stirling(0, k) - stirling(0, m)
}

/// Its partial by k, for which m isn't needed.
#[crate::differentiable]
fn large_binomial_slope(k: f64, n: f64) -> f64 {
    0.5 / n - 0.5 / k + stirling(1, n) - stirling(1, k)
}

/// The logarithm of the probability of k of k + m events, each of which has the probability p, and q = 1 - p.
pub(super) fn binomial(k: f64, m: f64, [p, q]: [f64; 2], [ln_p, ln_q]: [f64; 2]) -> f64 {
    if k.min(m) >= LARGE {
        let n = k + m;
        return large_binomial(k, m) - deviance(k, n * p) - deviance(m, n * q);
    }
    let (first, second) = (weighted(k, ln_p), weighted(m, ln_q));
    if k == 0.0 || m == 0.0 {
        first + second
    } else {
        first + second - ln_beta(k + 1.0, m + 1.0) - (k + m).ln_1p()
    }
}

/// A product that is zero if the weight is.
pub(super) fn weighted(weight: f64, x: f64) -> f64 {
    if weight == 0.0 && !x.is_nan() {
        0.0
    } else {
        weight * x
    }
}

/// ψ(x + step) - ψ(x), with all digits for large x.
///
/// # Source
/// DLMF 5.11.2 by [`stirling`].
#[crate::differentiable]
pub(super) fn digamma_step(x: f64, step: f64) -> f64 {
    let y = x + step;
    if x < LARGE {
        return digamma(y) - digamma(x);
    }
    ln_ratio(y, x) - 0.5 / y + 0.5 / x + stirling(1, y) - stirling(1, x)
}

/// The part of the logarithm of a beta density that depends on x: (a - 1) ln x + (b - 1) ln(1 - x), and that minus its
/// maximum over x where both shapes are large.
///
/// The partials are ln x and ln(1 - x), less those of the maximum, and (a - 1)/x - (b - 1)/(1 - x).
#[primitive(partials(
    x = quotient(a - 1.0, x) - quotient(b - 1.0, 1.0 - x),
    a = if a.min(b) - 1.0 < LARGE { x.ln() } else { ln_ratio((a + b - 2.0) * x, a - 1.0) },
    b = if a.min(b) - 1.0 < LARGE { (-x).ln_1p() } else { ln_ratio((a + b - 2.0) * (1.0 - x), b - 1.0) },
))]
pub(super) fn beta_part(x: f64, a: f64, b: f64) -> f64 {
    let (k, m) = (a - 1.0, b - 1.0);
    if k.min(m) >= LARGE {
        let n = k + m;
        -deviance(k, n * x) - deviance(m, n * (1.0 - x))
    } else {
        xlogy(k, x) + crate::functions::xlog1py(m, -x)
    }
}

/// a/b, and 0 for 0/0.
///
/// The partials are 1/b, which may be infinite, and -a/b².
#[primitive(partials(a = 1.0 / b, b = -quotient(a, b * b)))]
fn quotient(a: f64, b: f64) -> f64 {
    if a == 0.0 && b == 0.0 { 0.0 } else { a / b }
}

/// The rest of it: -ln B(a, b), plus the maximum that [`beta_part`] leaves out.
#[primitive(partials(
    a = if a.min(b) - 1.0 < LARGE {
        digamma_step(a, b)
    } else {
        large_binomial_slope(a - 1.0, a + b - 2.0) + 1.0 / (a + b - 1.0)
    },
    b = if a.min(b) - 1.0 < LARGE {
        digamma_step(b, a)
    } else {
        large_binomial_slope(b - 1.0, a + b - 2.0) + 1.0 / (a + b - 1.0)
    },
))]
pub(super) fn beta_constant(a: f64, b: f64) -> f64 {
    if a.min(b) - 1.0 >= LARGE {
        large_binomial(a - 1.0, b - 1.0) + (a + b - 1.0).ln()
    } else if a > 0.0 && b > 0.0 {
        -ln_beta(a, b)
    } else {
        f64::NAN
    }
}

/// The part of the logarithm of an inverse gamma density that depends on x, as [`gamma_part`]: that for the mean scale/x, plus
/// the logarithm of the change of scale (scale/x)².
///
/// The partials are (mean - shape - 1)/x, those of [`gamma_part`], and (shape + 1 - mean)/scale.
#[primitive(partials(
    x = (scale / x - shape - 1.0) / x,
    shape = if shape - 1.0 < LARGE { ln_ratio(scale, x) } else { ln_ratio(scale, x * (shape - 1.0)) },
    scale = (shape + 1.0 - scale / x) / scale,
))]
pub(super) fn inverse_gamma_part(x: f64, shape: f64, scale: f64) -> f64 {
    let mean = scale / x;
    if mean == f64::INFINITY || x == f64::INFINITY {
        return f64::NEG_INFINITY;
    }
    let ln_mean = ln_ratio(scale, x);
    if shape - 1.0 < LARGE {
        (shape + 1.0) * ln_mean - mean
    } else {
        2.0 * ln_mean + less_maximum(shape - 1.0, mean, ln_mean)
    }
}

/// [`gamma_part`] for the shape k + 1, by the logarithm of the mean.
pub(super) fn log_rate_part(k: f64, ln_mean: f64) -> f64 {
    let mean = ln_mean.exp();
    if mean == f64::INFINITY {
        f64::NEG_INFINITY
    } else if k < LARGE {
        weighted(k, ln_mean) - mean
    } else {
        less_maximum(k, mean, ln_mean)
    }
}

/// k ln m - m, less its maximum k ln k - k.
fn less_maximum(k: f64, mean: f64, ln_mean: f64) -> f64 {
    if mean > 0.5 * k && mean < 2.0 * k {
        -deviance(k, mean)
    } else {
        (k - mean) + k * (ln_mean - k.ln())
    }
}

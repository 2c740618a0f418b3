//! Rules for functions of a crate that knows nothing of derivatives: a function of one's own that calls it carries the rules,
//! and callers say so.

use std::f64::consts::{FRAC_2_SQRT_PI, PI};

use chainrule::prelude::*;

use crate::check::{assert_close, table};

#[primitive(partials(x = FRAC_2_SQRT_PI * (-x * x).exp()))]
fn erf(x: f64) -> f64 {
    libm::erf(x)
}

mod bessel {
    use chainrule::prelude::*;

    /// J₀' = -J₁
    #[primitive(partials(x = -j1(x)))]
    pub(super) fn j0(x: f64) -> f64 {
        libm::j0(x)
    }

    /// J₁' = J₀ - J₁/x
    #[primitive(result = y, partials(x = if x == 0.0 { 0.5 } else { j0(x) - y / x }))]
    pub(super) fn j1(x: f64) -> f64 {
        libm::j1(x)
    }
}

/// The wrapper is called.
#[differentiable]
fn normal_cdf(x: f64, sigma: f64) -> f64 {
    0.5 * (1.0 + erf(x / (sigma * 2.0_f64.sqrt())))
}

/// The function itself is called, and its rules are the wrapper's.
#[differentiable(with(libm::erf = erf, libm::j0 = bessel::j0))]
fn product(x: f64) -> f64 {
    let mut total = 0.0;
    for k in 1..4 {
        total += libm::erf(x * k as f64) * libm::j0(x);
    }
    total
}

table! {
    erf: (0.4) => [FRAC_2_SQRT_PI * (-0.16_f64).exp()];
    normal_cdf: (0.3, 1.4);
    product: (0.6), (-1.9);
}

mod bessel_functions {
    use super::bessel::{j0, j1};

    crate::check::table! {
        j0: (0.7), (3.1) => [-libm::j1(3.1)];
        j1: (0.7), (3.1);
    }
}

#[test]
fn densities() {
    let (x, sigma) = (0.3, 1.4_f64);
    let density = (-0.5 * (x / sigma).powi(2)).exp() / (sigma * (2.0 * PI).sqrt());
    assert_close(&[normal_cdf::gradient(x, sigma).0], &[density]);
    assert_close(
        &[normal_cdf::hvp(x, sigma, 1.0, 0.0).0],
        &[-density * x / sigma.powi(2)],
    );
}

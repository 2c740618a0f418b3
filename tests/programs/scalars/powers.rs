//! `powf` and `powi` at zero, at negative bases and at exponents where a factor vanishes.

use chainrule::prelude::*;

const INF: f64 = f64::INFINITY;

#[differentiable]
#[inline(never)]
fn same(x: f64) -> f64 {
    x
}

#[differentiable]
#[inline(never)]
fn powf(x: f64, a: f64) -> f64 {
    x.powf(a)
}

#[differentiable]
fn deferred_powf(x: f64, a: f64) -> f64 {
    same(x).powf(a)
}

#[differentiable]
fn powf_of_constant(#[constant] x: f64, a: f64) -> f64 {
    x.powf(a)
}

#[differentiable]
fn constant_powf(x: f64, #[constant] a: f64) -> f64 {
    x.powf(a)
}

#[differentiable]
#[inline(never)]
fn powi(x: f64, n: i32) -> f64 {
    x.powi(n)
}

#[differentiable]
fn deferred_powi(x: f64, n: i32) -> f64 {
    same(x).powi(n)
}

#[test]
fn zero_to_a_power() {
    for (a, dx) in [
        (3.0, 0.0),
        (2.0, 0.0),
        (1.5, 0.0),
        (1.0, 1.0),
        (0.5, INF),
        (0.0, 0.0),
        (-1.0, -INF),
    ] {
        for x in [0.0, -0.0] {
            for gradient in [powf::gradient, deferred_powf::gradient] {
                assert_eq!(gradient(x, a).0, dx, "{x}^{a}");
            }
            assert_eq!(powf::jvp(x, a, 1.0, 0.0).1, dx, "{x}^{a}");
            assert_eq!(constant_powf::gradient(x, a), dx, "{x}^{a}");
            assert_eq!(constant_powf::derivative(x, a), dx, "{x}^{a}");
        }
        let da = if a > 0.0 { 0.0 } else { -INF };
        assert_eq!(powf::gradient(0.0, a).1, da, "0^{a} by the exponent");
        assert_eq!(powf::jvp(0.0, a, 0.0, 1.0).1, da, "0^{a} by the exponent");
        assert_eq!(
            powf_of_constant::gradient(0.0, a),
            da,
            "0^{a} by the exponent"
        );
    }
}

#[test]
fn second_derivatives_of_powers_at_zero() {
    for (a, want) in [
        (4.0, 0.0),
        (3.0, 0.0),
        (2.5, 0.0),
        (2.0, 2.0),
        (1.5, INF),
        (1.0, 0.0),
        (0.0, 0.0),
    ] {
        for x in [0.0, -0.0] {
            assert_eq!(powf::hvp(x, a, 1.0, 0.0).0, want, "{x}^{a}");
            assert_eq!(deferred_powf::hvp(x, a, 1.0, 0.0).0, want, "{x}^{a}");
            assert_eq!(constant_powf::hvp(x, a, 1.0), want, "{x}^{a}");
        }
    }
    for (n, want) in [(0, 0.0), (1, 0.0), (2, 2.0), (3, 0.0), (4, 0.0)] {
        assert_eq!(powi::hvp(0.0, n, 1.0), want, "0^{n}");
        assert_eq!(deferred_powi::hvp(0.0, n, 1.0), want, "0^{n}");
    }
}

#[test]
fn integer_powers_at_zero() {
    for (n, want) in [(0, 0.0), (1, 1.0), (2, 0.0), (3, 0.0), (-1, -INF)] {
        assert_eq!(powi::gradient(0.0, n), want, "0^{n}");
        assert_eq!(powi::derivative(0.0, n), want, "0^{n}");
        assert_eq!(deferred_powi::gradient(0.0, n), want, "0^{n}");
    }
}

#[test]
fn any_integer_is_an_exponent() {
    for n in [i32::MIN, i32::MIN + 1, i32::MAX] {
        assert_eq!(powi::gradient(1.0, n), f64::from(n));
        assert_eq!(powi::derivative(1.0, n), f64::from(n));
        assert_eq!(deferred_powi::gradient(1.0, n), f64::from(n));
    }
}

#[test]
fn negative_bases() {
    // By the base as for any whole exponent, by the exponent there is no derivative.
    let (dx, da) = powf::gradient(-2.0, 3.0);
    assert_eq!(dx, 12.0);
    assert!(da.is_nan());
    assert!(powf_of_constant::gradient(-2.0, 3.0).is_nan());
    assert_eq!(constant_powf::gradient(-2.0, 3.0), 12.0);
    assert_eq!(constant_powf::hvp(-2.0, 3.0, 1.0), -12.0);
    assert_eq!(powf::jvp(-2.0, 3.0, 1.0, 0.0).1, 12.0);
    assert_eq!(powf::hvp(-2.0, 3.0, 1.0, 0.0).0, -12.0);
    assert!(constant_powf::gradient(-2.0, 2.5).is_nan());
}

/// At a = 0 the derivative by x vanishes, but its derivative by a does not: it is 1/x.
#[test]
fn mixed_derivatives_where_the_exponent_vanishes() {
    for hvp in [powf::hvp, deferred_powf::hvp] {
        let ln = 2.5_f64.ln();
        let (xa, aa) = hvp(2.5, 0.0, 0.0, 1.0);
        assert!(
            (xa - 0.4).abs() < 1e-15 && (aa - ln * ln).abs() < 1e-15,
            "{xa} {aa}"
        );
        let (xx, ax) = hvp(2.5, 0.0, 1.0, 0.0);
        assert!(xx == 0.0 && (ax - 0.4).abs() < 1e-15, "{xx} {ax}");
        // x^(a-1) (1 + a ln x) at a = 1 is 1 + ln x, and x^a ln x vanishes at x = 0 for a > 1.
        assert_eq!(hvp(1.0, 1.0, 0.0, 1.0), (1.0, 0.0));
        assert_eq!(hvp(0.0, 2.0, 0.0, 1.0), (0.0, 0.0));
    }
}

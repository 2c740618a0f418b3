//! The rules of the methods of floats, against differences, and at kinks, ends of domains, zeros, infinities and NaN.
#![cfg(feature = "std")]

use ad_runtime::__private::probe::FloatRules as _;
use ad_runtime::{Dual, Scalar};
use proptest::prelude::*;

const INF: f64 = f64::INFINITY;

/// Richardson's central difference.
fn difference(f: impl Fn(f64) -> f64, x: f64) -> f64 {
    let h = 1e-3 * x.abs().max(0.1);
    let d = |h: f64| (f(x + h) - f(x - h)) / (2.0 * h);
    let (a, b, c) = (d(h), d(h / 2.0), d(h / 4.0));
    let (e, f) = ((4.0 * b - a) / 3.0, (4.0 * c - b) / 3.0);
    (16.0 * f - e) / 15.0
}

#[track_caller]
fn close(a: f64, b: f64, what: &str) {
    assert!(
        (a - b).abs() <= 1e-7 * (1.0 + b.abs()),
        "{what}: {a} is not {b}"
    );
}

/// All four rules of a method of one argument.
macro_rules! one {
    ($($method:ident $frule:ident $rrule:ident $rrule_frule:ident at $($x:expr),*;)*) => {$(
        #[test]
        fn $method() {
            $(
                let x: f64 = $x;
                let p = difference(|x| x.$method(), x);
                let Dual(y, y_dot) = x.$frule(1.5);
                assert_eq!(y, x.$method());
                close(y_dot, 1.5 * p, "frule");
                let (y, pullback) = x.$rrule();
                assert_eq!(y, x.$method());
                close(pullback(-0.7, ()).0, -0.7 * p, "rrule");
                let (y, pullback) = x.$rrule_frule(1.5);
                assert_eq!(y, x.$frule(1.5));
                let (Dual(x_bar, x_bar_dot),) = pullback(Dual(-0.7, 0.3), ());
                assert_eq!(x_bar, x.$rrule().1(-0.7, ()).0);
                let q = difference(|x| x.$rrule().1(1.0, ()).0, x);
                close(x_bar_dot, 0.3 * p - 0.7 * 1.5 * q, "rrule_frule");
                // Both precisions.
                let single = f32::from_f64(x).$rrule().1(1.0, ()).0;
                assert!((f64::from(single) - p).abs() <= 2e-5 * (1.0 + p.abs()));
            )*
        }
    )*};
}
one! {
    abs __abs_frule __abs_rrule __abs_rrule_frule at -1.3, 0.4;
    acos __acos_frule __acos_rrule __acos_rrule_frule at -0.8, 0.0, 0.3, 0.6;
    acosh __acosh_frule __acosh_rrule __acosh_rrule_frule at 1.5, 30.0;
    asin __asin_frule __asin_rrule __asin_rrule_frule at -0.8, 0.0, 0.3, 0.6;
    asinh __asinh_frule __asinh_rrule __asinh_rrule_frule at -3.0, 0.0, 0.6;
    atan __atan_frule __atan_rrule __atan_rrule_frule at -3.0, 0.0, 0.6;
    atanh __atanh_frule __atanh_rrule __atanh_rrule_frule at -0.8, 0.0, 0.3, 0.6;
    cbrt __cbrt_frule __cbrt_rrule __cbrt_rrule_frule at -8.0, 0.7;
    ceil __ceil_frule __ceil_rrule __ceil_rrule_frule at -1.3, 0.4;
    cos __cos_frule __cos_rrule __cos_rrule_frule at -3.0, 0.0, 0.6;
    cosh __cosh_frule __cosh_rrule __cosh_rrule_frule at -3.0, 0.0, 0.6;
    exp __exp_frule __exp_rrule __exp_rrule_frule at -3.0, 0.0, 2.6;
    exp2 __exp2_frule __exp2_rrule __exp2_rrule_frule at -3.0, 0.0, 2.6;
    exp_m1 __exp_m1_frule __exp_m1_rrule __exp_m1_rrule_frule at -3.0, 0.0, 2.6;
    floor __floor_frule __floor_rrule __floor_rrule_frule at -1.3, 0.4;
    fract __fract_frule __fract_rrule __fract_rrule_frule at -1.3, 0.4;
    ln __ln_frule __ln_rrule __ln_rrule_frule at 0.3, 1.0, 20.0;
    ln_1p __ln_1p_frule __ln_1p_rrule __ln_1p_rrule_frule at -0.3, 0.0, 20.0;
    log2 __log2_frule __log2_rrule __log2_rrule_frule at 0.3, 1.0, 20.0;
    log10 __log10_frule __log10_rrule __log10_rrule_frule at 0.3, 1.0, 20.0;
    recip __recip_frule __recip_rrule __recip_rrule_frule at -1.3, 0.4;
    round __round_frule __round_rrule __round_rrule_frule at -1.3, 0.4;
    round_ties_even __round_ties_even_frule __round_ties_even_rrule __round_ties_even_rrule_frule at -1.3, 0.4;
    signum __signum_frule __signum_rrule __signum_rrule_frule at -1.3, 0.4;
    sin __sin_frule __sin_rrule __sin_rrule_frule at -3.0, 0.0, 0.6;
    sinh __sinh_frule __sinh_rrule __sinh_rrule_frule at -3.0, 0.0, 0.6;
    sqrt __sqrt_frule __sqrt_rrule __sqrt_rrule_frule at 0.3, 1.0, 20.0;
    tan __tan_frule __tan_rrule __tan_rrule_frule at -1.0, 0.0, 0.6;
    tanh __tanh_frule __tanh_rrule __tanh_rrule_frule at -3.0, 0.0, 1e-3, 0.6;
    to_degrees __to_degrees_frule __to_degrees_rrule __to_degrees_rrule_frule at -1.3, 0.4;
    to_radians __to_radians_frule __to_radians_rrule __to_radians_rrule_frule at -1.3, 0.4;
    trunc __trunc_frule __trunc_rrule __trunc_rrule_frule at -1.3, 0.4;
}

/// All four rules of a method of two floats.
macro_rules! two {
    ($($method:ident $frule:ident $rrule:ident $rrule_frule:ident at $(($x:expr, $a:expr)),*;)*) => {$(
        #[test]
        fn $method() {
            $(
                let (x, a): (f64, f64) = ($x, $a);
                let p = difference(|x| x.$method(a), x);
                let q = difference(|a| x.$method(a), a);
                let Dual(y, y_dot) = x.$frule(1.5, Dual(a, -0.4));
                assert_eq!(y, x.$method(a));
                close(y_dot, 1.5 * p - 0.4 * q, "frule");
                let (y, pullback) = x.$rrule(a);
                assert_eq!(y, x.$method(a));
                let (x_bar, a_bar) = pullback(-0.7, (), ());
                close(x_bar, -0.7 * p, "rrule");
                close(a_bar, -0.7 * q, "rrule");
                let (y, pullback) = x.$rrule_frule(1.5, Dual(a, -0.4));
                assert_eq!(y, x.$frule(1.5, Dual(a, -0.4)));
                let (x_bar2, a_bar2) = pullback(Dual(-0.7, 0.3), (), ());
                assert_eq!((x_bar2.0, a_bar2.0), (x_bar, a_bar));
                let along = |e: f64| {
                    let (x_bar, a_bar) = (x + 1.5 * e).$rrule(a - 0.4 * e).1(-0.7 + 0.3 * e, (), ());
                    [x_bar, a_bar]
                };
                close(x_bar2.1, difference(|e| along(e)[0], 0.0), "rrule_frule");
                close(a_bar2.1, difference(|e| along(e)[1], 0.0), "rrule_frule");
            )*
        }
    )*};
}
two! {
    atan2 __atan2_frule __atan2_rrule __atan2_rrule_frule at (0.3, 0.8), (-0.3, 0.8), (0.3, -0.8), (-2.0, -0.8);
    copysign __copysign_frule __copysign_rrule __copysign_rrule_frule at (0.3, 0.8), (-0.3, 0.8), (0.3, -0.8);
    div_euclid __div_euclid_frule __div_euclid_rrule __div_euclid_rrule_frule at (3.3, 0.8), (-3.3, 0.8);
    hypot __hypot_frule __hypot_rrule __hypot_rrule_frule at (0.3, 0.8), (-2.0, 0.8);
    log __log_frule __log_rrule __log_rrule_frule at (0.3, 2.0), (5.0, 0.4);
    max __max_frule __max_rrule __max_rrule_frule at (0.3, 0.8), (0.8, 0.3);
    min __min_frule __min_rrule __min_rrule_frule at (0.3, 0.8), (0.8, 0.3);
    powf __powf_frule __powf_rrule __powf_rrule_frule at (0.3, 0.8), (2.0, -1.5), (1.2, 0.0), (1.2, 1.0);
    rem_euclid __rem_euclid_frule __rem_euclid_rrule __rem_euclid_rrule_frule at (3.3, 0.8), (-3.3, 0.8), (3.3, -0.8);
}

#[test]
fn powi_of_all_signs() {
    for x in [-1.5, 0.4, 2.0] {
        for n in [-3, -1, 0, 1, 2, 3, 7] {
            let p = difference(|x: f64| x.powi(n), x);
            assert_eq!(x.__powi_frule(1.0, n).0, x.powi(n));
            close(x.__powi_frule(1.5, n).1, 1.5 * p, "frule");
            let (x_bar, ()) = x.__powi_rrule(n).1(2.0, (), ());
            close(x_bar, 2.0 * p, "rrule");
            let (y, pullback) = x.__powi_rrule_frule(1.5, n);
            assert_eq!(y, x.__powi_frule(1.5, n));
            let (Dual(x_bar2, x_bar_dot), ()) = pullback(Dual(2.0, 0.3), (), ());
            assert_eq!(x_bar2, x_bar);
            let q = difference(|x: f64| x.__powi_rrule(n).1(1.0, (), ()).0, x);
            close(x_bar_dot, 0.3 * p + 2.0 * 1.5 * q, "rrule_frule");
        }
    }
}

#[test]
fn mul_add_and_clamp() {
    let (x, a, b) = (1.3_f64, -0.4, 2.0);
    assert_eq!(
        x.__mul_add_frule(2.0, Dual(a, 3.0), Dual(b, 5.0)),
        Dual(x.mul_add(a, b), 2.0 * a + 3.0 * x + 5.0)
    );
    assert_eq!(
        x.__mul_add_rrule(a, b).1(2.0, (), (), ()),
        (2.0 * a, 2.0 * x, 2.0)
    );
    let (_, pullback) = x.__mul_add_rrule_frule(2.0, Dual(a, 3.0), Dual(b, 5.0));
    let bars = pullback(Dual(2.0, 0.5), (), (), ());
    assert_eq!(
        bars,
        (
            Dual(2.0 * a, 0.5 * a + 6.0),
            Dual(2.0 * x, 0.5 * x + 4.0),
            Dual(2.0, 0.5)
        )
    );

    for (x, want) in [
        (0.5, (1.0, 0.0, 0.0)),
        (-0.5, (0.0, 1.0, 0.0)),
        (1.5, (0.0, 0.0, 1.0)),
    ] {
        let x: f64 = x;
        assert_eq!(x.__clamp_rrule(0.0, 1.0).1(1.0, (), (), ()), want);
        let Dual(_, y_dot) = x.__clamp_frule(1.0, Dual(0.0, 10.0), Dual(1.0, 100.0));
        assert_eq!(y_dot, want.0 + 10.0 * want.1 + 100.0 * want.2);
        let (y, pullback) = x.__clamp_rrule_frule(1.0, Dual(0.0, 10.0), Dual(1.0, 100.0));
        assert_eq!(y.1, y_dot);
        let bars = pullback(Dual(2.0, 3.0), (), (), ());
        let pair = |p| Dual(2.0 * p, 3.0 * p);
        assert_eq!(bars, (pair(want.0), pair(want.1), pair(want.2)));
    }
}

#[test]
fn sin_cos_is_a_pair() {
    let x = 0.7_f64;
    let (sin, cos) = x.sin_cos();
    assert_eq!(
        x.__sin_cos_frule(2.0),
        Dual((sin, cos), (2.0 * cos, -2.0 * sin))
    );
    assert_eq!(
        x.__sin_cos_rrule().1((3.0, 5.0), ()),
        (3.0 * cos - 5.0 * sin,)
    );
    let (_, pullback) = x.__sin_cos_rrule_frule(2.0);
    let (Dual(x_bar, x_bar_dot),) = pullback(Dual((3.0, 5.0), (0.1, 0.2)), ());
    assert_eq!(x_bar, 3.0 * cos - 5.0 * sin);
    close(
        x_bar_dot,
        0.1 * cos - 0.2 * sin + 2.0 * (-3.0 * sin - 5.0 * cos),
        "rrule_frule",
    );
}

/// The partials of a method at a point: `partials!(x.powf(2.0))`.
macro_rules! at {
    ($x:expr, $rrule:ident) => {
        $x.$rrule().1(1.0, ()).0
    };
    ($x:expr, $rrule:ident, $a:expr) => {
        $x.$rrule($a).1(1.0, (), ())
    };
    ($x:expr, $rrule:ident, $a:expr, $b:expr) => {
        $x.$rrule($a, $b).1(1.0, (), (), ())
    };
}

#[test]
fn kinks_have_one_of_their_sides() {
    assert_eq!(
        [at!(0.0_f64, __abs_rrule), at!(-0.0_f64, __abs_rrule)],
        [0.0, 0.0]
    );
    assert_eq!(at!(1.0_f64, __max_rrule, 1.0), (1.0, 0.0));
    assert_eq!(at!(1.0_f64, __min_rrule, 1.0), (1.0, 0.0));
    assert_eq!(at!(0.0_f64, __max_rrule, 0.0).0, 1.0); // relu, written `x.max(0.0)`
    assert_eq!(at!(0.0_f64, __max_rrule, -0.0), (1.0, 0.0));
    assert_eq!(at!(f64::NAN, __max_rrule, 1.0), (0.0, 1.0));
    assert_eq!(at!(1.0_f64, __max_rrule, f64::NAN), (1.0, 0.0));
    assert_eq!(at!(f64::NAN, __min_rrule, 1.0), (0.0, 1.0));
    assert_eq!(at!(1.0_f64, __min_rrule, f64::NAN), (1.0, 0.0));
    for x in [0.0_f64, 1.0, f64::NAN] {
        assert_eq!(at!(x, __clamp_rrule, 0.0, 1.0), (1.0, 0.0, 0.0));
    }
}

#[test]
fn copysign_goes_by_the_sign_bits() {
    for (x, s, want) in [
        (2.0, 3.0, 1.0),
        (-2.0, 3.0, -1.0),
        (2.0, -3.0, -1.0),
        (-2.0, -3.0, 1.0),
        (2.0, 0.0, 1.0),
        (2.0, -0.0, -1.0),
        (-2.0, 0.0, -1.0),
        (0.0, -1.0, 0.0),
        (-0.0, 1.0, 0.0),
        (2.0, f64::NAN.copysign(-1.0), -1.0),
    ] {
        let (x, s): (f64, f64) = (x, s);
        assert_eq!(
            at!(x, __copysign_rrule, s),
            (want, 0.0),
            "copysign({x}, {s})"
        );
    }
}

#[test]
fn jumps_have_the_derivative_beside_them() {
    assert_eq!(at!(2.0_f64, __fract_rrule), 1.0);
    assert_eq!(at!(2.0_f64, __floor_rrule), 0.0);
    assert_eq!(at!(0.0_f64, __signum_rrule), 0.0);
    assert_eq!(at!(6.0_f64, __rem_euclid_rrule, 2.0), (1.0, -3.0));
    assert_eq!(at!(-6.0_f64, __rem_euclid_rrule, 2.0), (1.0, 3.0));
    assert_eq!(at!(6.0_f64, __div_euclid_rrule, 2.0), (0.0, 0.0));
}

#[test]
fn powf_at_zero() {
    for (a, dx) in [
        (3.0, 0.0),
        (2.0, 0.0),
        (1.5, 0.0),
        (1.0, 1.0),
        (0.5, INF),
        (0.0, 0.0),
        (-1.0, -INF),
    ] {
        for x in [0.0_f64, -0.0] {
            assert_eq!(at!(x, __powf_rrule, a).0, dx, "({x})^{a}");
        }
        let da = at!(0.0_f64, __powf_rrule, a).1;
        assert_eq!(
            da,
            if a > 0.0 { 0.0 } else { -INF },
            "0^{a} by the exponent"
        );
    }
    // Again and again: the third derivative of x³ is 6, at 0 too, and those after it are 0.
    let second = |x: f64, a: f64| {
        x.__powf_rrule_frule(1.0, Dual(a, 0.0)).1(Dual(1.0, 0.0), (), ())
            .0
            .1
    };
    assert_eq!(
        [
            second(0.0, 3.0),
            second(0.0, 2.0),
            second(0.0, 1.0),
            second(0.0, 0.0)
        ],
        [0.0, 2.0, 0.0, 0.0]
    );
}

#[test]
fn powf_below_zero_has_no_derivative_by_the_exponent() {
    let (dx, da) = at!(-2.0_f64, __powf_rrule, 3.0);
    assert_eq!(dx, 12.0);
    assert!(da.is_nan());
    // Which an exponent without a tangent doesn't notice.
    assert_eq!(
        (-2.0_f64).__powf_frule(1.0, Dual(3.0, 0.0)),
        Dual(-8.0, 12.0)
    );
    let (Dual(x_bar, x_bar_dot), _) =
        (-2.0_f64).__powf_rrule_frule(1.0, Dual(3.0, 0.0)).1(Dual(1.0, 0.0), (), ());
    assert_eq!((x_bar, x_bar_dot), (12.0, -12.0));
}

#[test]
fn powi_at_zero() {
    let p = |n: i32| at!(0.0_f64, __powi_rrule, n).0;
    assert_eq!([p(0), p(1), p(2), p(3), p(-1)], [0.0, 1.0, 0.0, 0.0, -INF]);
    let second = |n: i32| {
        0.0_f64.__powi_rrule_frule(1.0, n).1(Dual(1.0, 0.0), (), ())
            .0
            .1
    };
    assert_eq!(
        [second(0), second(1), second(2), second(3)],
        [0.0, 0.0, 2.0, 0.0]
    );
    assert_eq!(at!(0.5_f64, __powi_rrule, i32::MIN).0, -INF);
}

#[test]
fn zero_times_an_infinite_partial_is_zero() {
    macro_rules! strong {
        ($($x:expr => $frule:ident $rrule:ident $rrule_frule:ident $partial:expr;)*) => {$(
            let x: f64 = $x;
            assert_eq!(at!(x, $rrule), $partial, stringify!($rrule));
            assert_eq!(x.$frule(0.0).1, 0.0, stringify!($frule));
            assert_eq!(x.$rrule().1(0.0, ()).0, 0.0, stringify!($rrule));
            let (Dual(_, y_dot), pullback) = x.$rrule_frule(0.0);
            assert_eq!((y_dot, pullback(Dual(0.0, 0.0), ())), (0.0, (Dual(0.0, 0.0),)), stringify!($rrule_frule));
        )*};
    }
    strong! {
        0.0 => __sqrt_frule __sqrt_rrule __sqrt_rrule_frule INF;
        0.0 => __cbrt_frule __cbrt_rrule __cbrt_rrule_frule INF;
        0.0 => __ln_frule __ln_rrule __ln_rrule_frule INF;
        0.0 => __log2_frule __log2_rrule __log2_rrule_frule INF;
        0.0 => __log10_frule __log10_rrule __log10_rrule_frule INF;
        -1.0 => __ln_1p_frule __ln_1p_rrule __ln_1p_rrule_frule INF;
        1.0 => __asin_frule __asin_rrule __asin_rrule_frule INF;
        1.0 => __acos_frule __acos_rrule __acos_rrule_frule -INF;
        1.0 => __acosh_frule __acosh_rrule __acosh_rrule_frule INF;
        1.0 => __atanh_frule __atanh_rrule __atanh_rrule_frule INF;
        0.0 => __recip_frule __recip_rrule __recip_rrule_frule -INF;
    }
    let (a, b) = at!(0.0_f64, __hypot_rrule, 0.0);
    assert!(a.is_nan() && b.is_nan());
    assert_eq!(0.0_f64.__hypot_rrule(0.0).1(0.0, (), ()), (0.0, 0.0));
    assert_eq!(0.0_f64.__hypot_frule(0.0, Dual(0.0, 0.0)), Dual(0.0, 0.0));
    assert_eq!(0.0_f64.__atan2_rrule(0.0).1(0.0, (), ()), (0.0, 0.0));
    assert_eq!(0.0_f64.__powf_rrule(-1.0).1(0.0, (), ()), (0.0, 0.0));
    assert_eq!(0.0_f64.__log_rrule(2.0).1(0.0, (), ()), (0.0, 0.0));
}

#[test]
fn what_was_not_selected_gets_nothing() {
    for bad in [INF, f64::NAN] {
        assert_eq!(2.0_f64.__max_rrule(1.0).1(bad, (), ()).1, 0.0);
        assert_eq!(2.0_f64.__max_frule(1.0, Dual(1.0, bad)).1, 1.0);
        assert_eq!(
            0.5_f64.__clamp_frule(1.0, Dual(0.0, bad), Dual(1.0, bad)).1,
            1.0
        );
        assert_eq!(0.5_f64.__copysign_frule(1.0, Dual(-1.0, bad)).1, -1.0);
        assert_eq!(0.5_f64.__floor_frule(bad).1, 0.0);
    }
}

#[test]
fn large_and_small_arguments_keep_their_digits() {
    // 1 - tanh² is 0 from 19 on.
    close(
        at!(20.0_f64, __tanh_rrule) / (4.0 * (-40.0_f64).exp()),
        1.0,
        "tanh'",
    );
    close(
        at!(-40.0_f64, __exp_m1_rrule) / (-40.0_f64).exp(),
        1.0,
        "exp_m1'",
    );
    let (a, b) = at!(3e200_f64, __hypot_rrule, 4e200);
    close(a, 0.6, "hypot");
    close(b, 0.8, "hypot");
    let (a, b) = at!(3e200_f64, __atan2_rrule, 4e200);
    close(a / 1.6e-201, 1.0, "atan2 by y");
    close(b / -1.2e-201, 1.0, "atan2 by x");
    close(at!(1e200_f64, __asinh_rrule) / 1e-200, 1.0, "asinh'");
    close(at!(1e200_f64, __acosh_rrule) / 1e-200, 1.0, "acosh'");
    assert_eq!(at!(1e200_f64, __atan_rrule), 0.0);
    assert_eq!(at!(1000.0_f64, __tanh_rrule), 0.0);
    let x = 1.0 - f64::EPSILON / 2.0;
    close(
        at!(x, __asin_rrule) / (2.0 * (1.0 - x)).sqrt().recip(),
        1.0,
        "asin'",
    );
    // tanh'' = -2 tanh tanh' near 0.
    let second = 1e-10_f64.__tanh_rrule_frule(1.0).1(Dual(1.0, 0.0), ()).0.1;
    close(second / -2e-10, 1.0, "tanh''");
}

#[test]
fn digits_stay_near_the_ends_of_domains_and_before_one_is_negligible() {
    // 1 - x² = d (2 - d), and d = 1 - x has no rounding.
    let x: f64 = 0.999_999_999;
    let d = 1.0 - x;
    let square = d * (2.0 - d);
    let same = |a: f64, b: f64| assert!((a - b).abs() <= 1e-15 * b.abs(), "{a} is not {b}");
    same(x.__atanh_rrule().1(1.0, ()).0, 1.0 / square);
    same(x.__asin_rrule().1(1.0, ()).0, 1.0 / square.sqrt());
    same(x.__acos_rrule().1(1.0, ()).0, -1.0 / square.sqrt());
    // 1 changes digits of 1 + x².
    let x: f64 = 2e5;
    same(x.__atan_rrule().1(1.0, ()).0, 1.0 / (1.0 + 4e10));
    same(
        x.__asinh_rrule().1(1.0, ()).0,
        1.0 / (1.0 + 4e10_f64).sqrt(),
    );
}

#[test]
fn nan_stays_nan() {
    let nan = f64::NAN;
    assert!(at!(nan, __abs_rrule).is_nan());
    assert!(at!(nan, __sqrt_rrule).is_nan());
    assert!(at!(nan, __tanh_rrule).is_nan());
    assert!(at!(-1.0_f64, __sqrt_rrule).is_nan());
    assert!(at!(2.0_f64, __asin_rrule).is_nan());
    assert!(at!(0.5_f64, __acosh_rrule).is_nan());
}

#[test]
#[should_panic(expected = "min > max")]
fn clamp_panics_as_the_primal() {
    let _ = 0.5_f64.__clamp_rrule(1.0, 0.0);
}

/// Equal, or both NaN.
fn same(a: f64, b: f64) -> bool {
    a == b || a.is_nan() && b.is_nan()
}

/// For arguments of any kind: the value is the primal's, forward and reverse mode have the same partials, and a zero
/// tangent and a zero cotangent give zero wherever the product is strong or the partial finite.
macro_rules! any_arguments {
    (
        one: [$($one:ident $frule1:ident $rrule1:ident $rrule_frule1:ident,)*]
        two: [$($two:ident $frule2:ident $rrule2:ident $rrule_frule2:ident,)*]
    ) => {
        proptest! {
            #[test]
            fn modes_agree_for_any_arguments(x in any_float(), a in any_float()) {
                $(
                    let name = stringify!($one);
                    let Dual(y, p) = x.$frule1(1.0);
                    prop_assert!(same(y, x.$one()), "{name}({x})");
                    prop_assert!(same(x.$rrule1().0, y), "{name}({x})");
                    prop_assert!(same(x.$rrule1().1(1.0, ()).0, p), "{name}'({x})");
                    let (Dual(y_2, y_dot), pullback) = x.$rrule_frule1(1.0);
                    prop_assert!(same(y_2, y) && same(y_dot, p), "{name}({x})");
                    prop_assert!(same(pullback(Dual(1.0, 0.0), ()).0.0, p), "{name}'({x})");
                )*
                $(
                    let name = stringify!($two);
                    let (y, pullback) = x.$rrule2(a);
                    prop_assert!(same(y, x.$two(a)), "{name}({x}, {a})");
                    let (p, q) = pullback(1.0, (), ());
                    prop_assert!(same(x.$frule2(1.0, Dual(a, 0.0)).1, p) || !q.is_finite(), "{name}({x}, {a}) by x");
                    prop_assert!(same(x.$frule2(0.0, Dual(a, 1.0)).1, q) || !p.is_finite(), "{name}({x}, {a}) by a");
                    let (y_2, pullback) = x.$rrule_frule2(1.0, Dual(a, 1.0));
                    prop_assert!(same(y_2.0, y) && same(y_2.1, x.$frule2(1.0, Dual(a, 1.0)).1), "{name}({x}, {a})");
                    let (p_2, q_2) = pullback(Dual(1.0, 0.0), (), ());
                    prop_assert!(same(p_2.0, p) && same(q_2.0, q), "{name}({x}, {a})");
                )*
            }
        }
    };
}
any_arguments! {
    one: [
    abs __abs_frule __abs_rrule __abs_rrule_frule,
    acos __acos_frule __acos_rrule __acos_rrule_frule,
    acosh __acosh_frule __acosh_rrule __acosh_rrule_frule,
    asin __asin_frule __asin_rrule __asin_rrule_frule,
    asinh __asinh_frule __asinh_rrule __asinh_rrule_frule,
    atan __atan_frule __atan_rrule __atan_rrule_frule,
    atanh __atanh_frule __atanh_rrule __atanh_rrule_frule,
    cbrt __cbrt_frule __cbrt_rrule __cbrt_rrule_frule,
    ceil __ceil_frule __ceil_rrule __ceil_rrule_frule,
    cos __cos_frule __cos_rrule __cos_rrule_frule,
    cosh __cosh_frule __cosh_rrule __cosh_rrule_frule,
    exp __exp_frule __exp_rrule __exp_rrule_frule,
    exp2 __exp2_frule __exp2_rrule __exp2_rrule_frule,
    exp_m1 __exp_m1_frule __exp_m1_rrule __exp_m1_rrule_frule,
    floor __floor_frule __floor_rrule __floor_rrule_frule,
    fract __fract_frule __fract_rrule __fract_rrule_frule,
    ln __ln_frule __ln_rrule __ln_rrule_frule,
    ln_1p __ln_1p_frule __ln_1p_rrule __ln_1p_rrule_frule,
    log2 __log2_frule __log2_rrule __log2_rrule_frule,
    log10 __log10_frule __log10_rrule __log10_rrule_frule,
    recip __recip_frule __recip_rrule __recip_rrule_frule,
    round __round_frule __round_rrule __round_rrule_frule,
    round_ties_even __round_ties_even_frule __round_ties_even_rrule __round_ties_even_rrule_frule,
    signum __signum_frule __signum_rrule __signum_rrule_frule,
    sin __sin_frule __sin_rrule __sin_rrule_frule,
    sinh __sinh_frule __sinh_rrule __sinh_rrule_frule,
    sqrt __sqrt_frule __sqrt_rrule __sqrt_rrule_frule,
    tan __tan_frule __tan_rrule __tan_rrule_frule,
    tanh __tanh_frule __tanh_rrule __tanh_rrule_frule,
    to_degrees __to_degrees_frule __to_degrees_rrule __to_degrees_rrule_frule,
    to_radians __to_radians_frule __to_radians_rrule __to_radians_rrule_frule,
    trunc __trunc_frule __trunc_rrule __trunc_rrule_frule,
    ]
    two: [
    atan2 __atan2_frule __atan2_rrule __atan2_rrule_frule,
    copysign __copysign_frule __copysign_rrule __copysign_rrule_frule,
    div_euclid __div_euclid_frule __div_euclid_rrule __div_euclid_rrule_frule,
    hypot __hypot_frule __hypot_rrule __hypot_rrule_frule,
    log __log_frule __log_rrule __log_rrule_frule,
    max __max_frule __max_rrule __max_rrule_frule,
    min __min_frule __min_rrule __min_rrule_frule,
    powf __powf_frule __powf_rrule __powf_rrule_frule,
    rem_euclid __rem_euclid_frule __rem_euclid_rrule __rem_euclid_rrule_frule,
    ]
}

/// Ordinary numbers, whole ones, and everything else that a float can be.
fn any_float() -> impl Strategy<Value = f64> {
    prop_oneof![
        -3.0..3.0_f64,
        (-4_i8..=4).prop_map(f64::from),
        prop_oneof![
            Just(0.0),
            Just(-0.0),
            Just(INF),
            Just(-INF),
            Just(f64::NAN),
            Just(f64::MIN_POSITIVE / 4.0)
        ],
        any::<f64>(),
    ]
}

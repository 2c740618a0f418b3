//! Every function of `f32` and `f64`, at the points of a table, with the closed forms of its derivatives.

use crate::check::{Jet, assert_close, check};

/// For each function of one argument: points, first and second derivative.
macro_rules! unary {
    ($($name:ident at [$($point:expr),*], |$x:ident| $first:expr, $second:expr;)*) => {
        mod double {
            use chainrule::prelude::*;
            $(
                #[differentiable]
                pub(super) fn $name(x: f64) -> f64 {
                    x.$name()
                }
            )*
        }

        mod single {
            use chainrule::prelude::*;
            $(
                #[differentiable]
                pub(super) fn $name(x: f32) -> f32 {
                    x.$name()
                }
            )*
        }

        mod path {
            use chainrule::prelude::*;
            $(
                #[differentiable]
                pub(super) fn $name(x: f64) -> f64 {
                    2.0 * f64::$name(x * x)
                }
            )*
        }

        mod one_argument {
            use super::*;
            $(
                #[test]
                fn $name() {
                    for $x in [$($point),*] {
                        let $x: f64 = $x;
                        let (first, second): (f64, f64) = ($first, $second);
                        let checked = check!(double::$name($x));
                        assert_close(checked.gradient(), &[first]);
                        assert_close(&[double::$name::derivative($x)], &[first]);
                        assert_near(checked.hessian[0][0], second, 1e-10);
                        in_single(double::$name::derivative, single::$name::gradient, $x);
                        check!(single::$name($x as f32));
                    }
                }
            )*

            mod by_path {
                use super::*;
                $(
                    #[test]
                    fn $name() {
                        for $x in [$($point),*] {
                            let x = f64::abs($x).sqrt();
                            let square = Jet::variable(x) * Jet::variable(x);
                            let $x: f64 = square.0;
                            let (first, second): (f64, f64) = ($first, $second);
                            let want = Jet::from(2.0) * square.chain(0.0, first, second);
                            assert_near(path::$name::gradient(x), want.1, 1e-12);
                            assert_near(path::$name::hvp(x, 1.0), want.2, 1e-10);
                        }
                    }
                )*
            }
        }
    };
}

fn assert_near(got: f64, want: f64, relative: f64) {
    assert!(
        (got - want).abs() <= relative * want.abs().max(1.0),
        "got {got:e}, expected {want:e}"
    );
}

/// The derivative in `f32` is that in `f64`, rounded.
#[expect(
    clippy::cast_possible_truncation,
    reason = "that is how the argument comes to be an `f32`"
)]
fn in_single(want: fn(f64) -> f64, got: fn(f32) -> f32, x: f64) {
    let x = x as f32;
    assert_near(f64::from(got(x)), want(f64::from(x)), 2e-6);
}

const LN_2: f64 = std::f64::consts::LN_2;
const LN_10: f64 = std::f64::consts::LN_10;

unary! {
    sqrt at [0.25, 2.0, 900.0], |x| 0.5 / x.sqrt(), -0.25 / (x * x.sqrt());
    cbrt at [0.4, 2.0, -3.0], |x| 1.0 / (3.0 * x.cbrt() * x.cbrt()), -2.0 / (9.0 * x * x.cbrt() * x.cbrt());
    exp at [-3.0, 0.0, 2.5], |x| x.exp(), x.exp();
    exp2 at [-3.0, 0.0, 2.5], |x| LN_2 * x.exp2(), LN_2 * LN_2 * x.exp2();
    exp_m1 at [-30.0, 0.0, 2.5], |x| x.exp(), x.exp();
    ln at [0.4, 1.0, 900.0], |x| 1.0 / x, -1.0 / (x * x);
    ln_1p at [-0.4, 0.0, 900.0], |x| 1.0 / (1.0 + x), -1.0 / ((1.0 + x) * (1.0 + x));
    log2 at [0.4, 1.0, 900.0], |x| 1.0 / (LN_2 * x), -1.0 / (LN_2 * x * x);
    log10 at [0.4, 1.0, 900.0], |x| 1.0 / (LN_10 * x), -1.0 / (LN_10 * x * x);
    sin at [-3.0, 0.0, 1.2], |x| x.cos(), -x.sin();
    cos at [-3.0, 0.0, 1.2], |x| -x.sin(), -x.cos();
    tan at [-0.7, 0.0, 1.2], |x| 1.0 / (x.cos() * x.cos()), 2.0 * x.sin() / x.cos().powi(3);
    asin at [-0.7, 0.0, 0.9], |x| 1.0 / (1.0 - x * x).sqrt(), x / (1.0 - x * x).powf(1.5);
    acos at [-0.7, 0.0, 0.9], |x| -1.0 / (1.0 - x * x).sqrt(), -x / (1.0 - x * x).powf(1.5);
    atan at [-0.7, 0.0, 3.0], |x| 1.0 / (1.0 + x * x), -2.0 * x / (1.0 + x * x).powi(2);
    sinh at [-0.7, 0.0, 3.0], |x| x.cosh(), x.sinh();
    cosh at [-0.7, 0.0, 3.0], |x| x.sinh(), x.cosh();
    tanh at [-0.7, 0.0, 3.0], |x| 1.0 / x.cosh().powi(2), -2.0 * x.tanh() / x.cosh().powi(2);
    asinh at [-0.7, 0.0, 3.0], |x| 1.0 / (1.0 + x * x).sqrt(), -x / (1.0 + x * x).powf(1.5);
    acosh at [1.3, 2.0, 30.0], |x| 1.0 / (x * x - 1.0).sqrt(), -x / (x * x - 1.0).powf(1.5);
    atanh at [-0.7, 0.0, 0.5], |x| 1.0 / (1.0 - x * x), 2.0 * x / (1.0 - x * x).powi(2);
    abs at [-0.7, 2.0], |x| x.signum(), 0.0 * x;
    recip at [-0.7, 2.0], |x| -1.0 / (x * x), 2.0 / (x * x * x);
    fract at [-0.7, 2.3], |x| 1.0 + 0.0 * x, 0.0 * x;
    to_degrees at [-0.7, 2.0], |x| (1.0 + 0.0 * x).to_degrees(), 0.0 * x;
    to_radians at [-0.7, 2.0], |x| (1.0 + 0.0 * x).to_radians(), 0.0 * x;
    floor at [-0.7, 2.3], |x| 0.0 * x, 0.0 * x;
    ceil at [-0.7, 2.3], |x| 0.0 * x, 0.0 * x;
    round at [-0.7, 2.3], |x| 0.0 * x, 0.0 * x;
    trunc at [-0.7, 2.3], |x| 0.0 * x, 0.0 * x;
    signum at [-0.7, 2.3], |x| 0.0 * x, 0.0 * x;
}

/// For each function of several floats: points, and the closed form of the gradient.
macro_rules! several {
    ($($name:ident($($param:ident),*) $body:expr, at [$(($($value:expr),*)),*], $gradient:expr;)*) => {
        mod several_double {
            use chainrule::prelude::*;
            $(
                #[differentiable]
                pub(super) fn $name($($param: f64),*) -> f64 {
                    $body
                }
            )*
        }

        mod several_single {
            use chainrule::prelude::*;
            $(
                #[differentiable]
                pub(super) fn $name($($param: f32),*) -> f32 {
                    $body
                }
            )*
        }

        mod several_arguments {
            use super::*;
            $(
                #[test]
                fn $name() {
                    let want = |$($param: f64),*| $gradient;
                    $({
                        let checked = check!(several_double::$name($($value),*));
                        assert_close(checked.gradient(), &want($($value),*));
                        let checked = check!(several_single::$name($($value),*));
                        for (got, want) in checked.gradient().iter().zip(want($($value),*)) {
                            assert_near(*got, want, 4e-6);
                        }
                    })*
                }
            )*
        }
    };
}

several! {
    powf(x, a) x.powf(a), at [(0.7, 1.9), (2.5, -0.6), (3.0, 2.0)],
        [a * x.powf(a - 1.0), x.powf(a) * x.ln()];
    log(x, b) x.log(b), at [(0.7, 1.9), (2.5, 10.0)],
        [1.0 / (x * b.ln()), -x.ln() / (b * b.ln() * b.ln())];
    atan2(y, x) y.atan2(x), at [(0.7, 1.9), (-2.5, 0.3), (0.2, -1.0), (-0.2, -1.0)],
        [x / (x * x + y * y), -y / (x * x + y * y)];
    hypot(x, y) x.hypot(y), at [(0.7, 1.9), (-2.5, 0.3)],
        [x / x.hypot(y), y / x.hypot(y)];
    mul_add(x, y, z) x.mul_add(y, z), at [(0.7, 1.9, -0.4)], [y, x, 1.0 + 0.0 * z];
    max(x, y) x.max(y), at [(0.7, 1.9), (1.9, 0.7)], if x > y { [1.0, 0.0] } else { [0.0, 1.0] };
    min(x, y) x.min(y), at [(0.7, 1.9), (1.9, 0.7)], if x < y { [1.0, 0.0] } else { [0.0, 1.0] };
    clamp(x, a, b) x.clamp(a, b), at [(0.7, -1.0, 1.9), (-2.0, -1.0, 1.9), (2.5, -1.0, 1.9)],
        if x < a { [0.0, 1.0, 0.0] } else if x > b { [0.0, 0.0, 1.0] } else { [1.0, 0.0, 0.0] };
    copysign(x, s) x.copysign(s), at [(0.7, 1.9), (0.7, -1.9), (-0.7, 1.9), (-0.7, -1.9)],
        [x.signum() * s.signum(), 0.0];
    remainder(x, y) x % y, at [(5.3, 2.2), (-5.3, 2.2), (5.3, -2.2)], [1.0, -(x / y).trunc()];
    rem_euclid(x, y) x.rem_euclid(y), at [(5.3, 2.2), (-5.3, 2.2), (5.3, -2.2)], [1.0, -x.div_euclid(y)];
    div_euclid(x, y) x.div_euclid(y), at [(5.3, 2.2)], [0.0 * x, 0.0 * y];
    powi_0(x) x.powi(0), at [(0.7), (0.0)], [0.0 * x];
    powi_1(x) x.powi(1), at [(0.7), (0.0)], [1.0 + 0.0 * x];
    powi_2(x) x.powi(2), at [(0.7), (-0.4), (0.0)], [2.0 * x];
    powi_3(x) x.powi(3), at [(0.7), (-0.4), (0.0)], [3.0 * x * x];
    powi_7(x) x.powi(7), at [(0.7), (-0.4)], [7.0 * x.powi(6)];
    powi_minus_1(x) x.powi(-1), at [(0.7), (-0.4)], [-1.0 / (x * x)];
    powi_minus_2(x) x.powi(-2), at [(0.7), (-0.4)], [-2.0 / (x * x * x)];
    powf_of_a_number(x) x.powf(2.5), at [(0.7), (3.0)], [2.5 * x.powf(1.5)];
}

/// What doesn't fit the tables: integer parameters, pairs, constant arguments, receivers of every kind.
mod forms {
    use chainrule::prelude::*;

    use crate::check::{map_table, table};

    #[differentiable]
    #[inline(never)]
    fn powi(x: f64, n: i32) -> f64 {
        x.powi(n)
    }

    #[differentiable]
    fn powi_of_a_sum(x: f64, n: i32) -> f64 {
        (x + 1.0).powi(n - 1) * f64::powi(x, 2 * n)
    }

    #[differentiable]
    #[inline(never)]
    fn sin_cos(x: f64) -> f64 {
        let (s, c) = x.sin_cos();
        s * s * c
    }

    #[differentiable]
    fn sin_cos_pair(x: f64) -> (f64, f64) {
        (x * x).sin_cos()
    }

    #[differentiable]
    fn sin_and_cos_of_one_argument(x: f64) -> f64 {
        let a = x * x;
        a.sin() * a.cos() + a.sin()
    }

    #[differentiable]
    fn number_to_the_power(x: f64) -> f64 {
        2.0_f64.powf(x) + 3f64.powf(2.0 * x)
    }

    #[differentiable]
    fn constant_exponent(x: f64, #[constant] a: f64) -> f64 {
        x.powf(a)
    }

    #[differentiable]
    fn constant_base(a: f64, #[constant] x: f64) -> f64 {
        x.powf(a)
    }

    #[differentiable]
    fn inactive_functions(x: f64, #[constant] k: f64) -> f64 {
        k.sin() * x + k.exp().sqrt() + k.max(1.0) * x * x
    }

    #[differentiable]
    fn receivers(x: f64, y: f64) -> f64 {
        (x * y).sin() + (-x).exp() + { x + y }.cos() + (if x < y { x } else { y }).sqrt()
    }

    #[differentiable]
    #[inline(never)]
    fn chain(x: f64) -> f64 {
        x.sin().exp().sqrt().ln_1p().tanh().powi(3).mul_add(2.0, x)
    }

    #[differentiable]
    fn paths(x: f64, y: f64) -> f64 {
        f64::max(x, y) * f64::sin(x) + f64::powf(x, y) - f64::hypot(x, y).abs()
            + f64::atan2(x, y)
            + f64::powi(y, 3)
    }

    #[differentiable]
    fn max_with_a_number(x: f64) -> f64 {
        x.max(0.0) * x.min(3.0) + 0.0_f64.max(x)
    }

    #[differentiable]
    fn elements(x: &[f64]) -> f64 {
        x[0].sin() * x[1].powi(2) + x[0].max(x[1]) + (x[0] * x[1]).exp()
    }

    #[differentiable]
    fn by_reference(x: &f64) -> f64 {
        x.sin() * *x + x.powi(2)
    }

    /// Comparisons and tests of active values decide, and have no derivative.
    #[differentiable]
    fn tests(x: f64, y: f64) -> f64 {
        if x.is_nan() || !y.is_finite() {
            0.0
        } else if x.total_cmp(&y).is_lt() {
            x * x
        } else if x.is_sign_negative() {
            y * y
        } else {
            x * y
        }
    }

    #[differentiable]
    fn bits(x: f64) -> f64 {
        let even = x.to_bits() % 2 == 0;
        if even { x * x } else { x * x * x }
    }

    #[differentiable]
    fn rounded(x: f64) -> f64 {
        let whole = x.floor();
        (x - whole) * whole * x
    }

    #[differentiable]
    fn periodic(x: f64) -> f64 {
        let t = x.rem_euclid(1.5);
        t * t
    }

    #[differentiable]
    fn logistic(x: f64) -> f64 {
        1.0 / (1.0 + (-x).exp())
    }

    #[differentiable]
    fn softplus(x: f64) -> f64 {
        x.max(0.0) + (-x.abs()).exp().ln_1p()
    }

    table! {
        powi: for n in -4..6, (0.7, const n) => [f64::from(n) * 0.7_f64.powi(n - 1)], (-1.9, const n);
        powi_of_a_sum: for n in 0..3, (0.7, const n);
        sin_cos: (0.7);
        sin_and_cos_of_one_argument: (0.7);
        number_to_the_power: (0.7);
        constant_exponent: (0.7, const 1.9) => [1.9 * 0.7_f64.powf(0.9)];
        constant_base: (0.7, const 1.9) => [1.9_f64.powf(0.7) * 1.9_f64.ln()];
        inactive_functions: (0.7, const 1.9) => [1.9_f64.sin() + 2.0 * 1.9 * 0.7];
        receivers: (0.7, 1.9);
        chain: (0.7);
        paths: (0.7, 1.9), (1.9, 0.7);
        max_with_a_number: (0.7), (-0.7) , (3.7);
        elements: (&[0.7, 1.9]);
        by_reference: (&0.7);
        tests: (0.7, 1.9) => [1.4, 0.0], (1.9, 0.7) => [0.7, 1.9], (-0.4, -0.7) => [0.0, -1.4];
        bits: (0.5) => [1.0];
        rounded: (2.3) => [2.0 * (2.3 - 2.0) + 2.0 * 2.3], (-0.4);
        periodic: (2.3) => [2.0 * (2.3 - 1.5)], (-0.4);
        logistic: (0.7), (-3.0), (0.0) => [0.25];
        softplus: (0.7), (-3.0);
    }

    map_table! {
        sin_cos_pair: (0.7);
    }
}

/// At kinks, and where a partial is infinite: the values that are documented.
mod kinks {
    use chainrule::prelude::*;

    #[differentiable]
    #[inline(never)]
    fn abs(x: f64) -> f64 {
        x.abs()
    }

    #[differentiable]
    #[inline(never)]
    fn max(x: f64, y: f64) -> f64 {
        x.max(y)
    }

    #[differentiable]
    #[inline(never)]
    fn clamp(x: f64) -> f64 {
        x.clamp(-1.0, 1.0)
    }

    #[differentiable]
    fn relu(x: f64) -> f64 {
        if x > 0.0 { x } else { 0.0 }
    }

    /// The root has an infinite derivative at zero, and its cotangent is zero.
    #[differentiable]
    fn root_times_zero(x: f64, y: f64) -> f64 {
        x.sqrt() * y
    }

    #[differentiable]
    fn norm(x: f64, y: f64) -> f64 {
        x.hypot(y)
    }

    #[differentiable]
    #[inline(never)]
    fn powf(x: f64, #[constant] a: f64) -> f64 {
        x.powf(a)
    }

    #[test]
    fn abs_has_derivative_zero_at_zero() {
        assert_eq!((abs::gradient(0.0), abs::derivative(0.0)), (0.0, 0.0));
        assert_eq!((abs::gradient(-0.0), abs::derivative(-0.0)), (0.0, 0.0));
    }

    #[test]
    fn a_tie_goes_to_one_argument() {
        let (x_bar, y_bar) = max::gradient(0.7, 0.7);
        assert_eq!(x_bar + y_bar, 1.0);
        assert!(x_bar == 1.0 || y_bar == 1.0);
        assert_eq!(max::jvp(0.7, 0.7, 1.0, 0.0).1, x_bar);
        assert_eq!(max::gradient(f64::NAN, 0.7), (0.0, 1.0));
        assert_eq!(max::gradient(0.7, f64::NAN), (1.0, 0.0));
    }

    #[test]
    fn clamp_and_relu() {
        assert_eq!(clamp::gradient(1.0), clamp::derivative(1.0));
        assert_eq!(clamp::gradient(-1.0), clamp::derivative(-1.0));
        assert_eq!((relu::gradient(0.0), relu::derivative(0.0)), (0.0, 0.0));
    }

    #[test]
    fn zero_cotangents_and_tangents_are_strong() {
        assert_eq!(root_times_zero::gradient(0.0, 0.0), (0.0, 0.0));
        assert_eq!(root_times_zero::jvp(0.0, 3.0, 0.0, 1.0).1, 0.0);
        let Dual(_, y_dot) = norm::frule(Dual(0.0, 0.0), Dual(0.0, 0.0));
        assert_eq!(y_dot, 0.0);
        let (_, (x_bar, y_bar)) = norm::vjp(0.0, 0.0, 0.0);
        assert_eq!((x_bar, y_bar), (0.0, 0.0));
    }

    #[test]
    fn powers_at_zero() {
        for (a, want) in [
            (2.0, 0.0),
            (1.0, 1.0),
            (0.0, 0.0),
            (1.5, 0.0),
            (0.5, f64::INFINITY),
            (-1.0, f64::NEG_INFINITY),
        ] {
            assert_eq!((a, powf::gradient(0.0, a)), (a, want));
            assert_eq!((a, powf::derivative(0.0, a)), (a, want));
        }
    }
}

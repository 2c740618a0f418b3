//! Where textbook formulas lose digits or overflow, and at kinks: values to full precision.

/// Equal up to a few units in the last place of the argument's type.
fn precise(got: f64, want: f64, roundoff: f64) -> bool {
    got == want || (got - want).abs() <= 16.0 * roundoff * want.abs()
}

/// For each function: arguments, with the first and the second derivative there.
macro_rules! precise {
    ($($name:ident { $($x:expr => $first:expr, $second:expr;)+ })*) => {
        mod to_full_precision {
            $(
                #[test]
                fn $name() {
                    use chainrule::prelude::*;

                    #[differentiable]
                    #[inline(never)]
                    fn same(x: f64) -> f64 {
                        x
                    }

                    #[differentiable]
                    #[inline(never)]
                    fn known(x: f64) -> f64 {
                        x.$name()
                    }

                    #[differentiable]
                    #[inline(never)]
                    fn deferred(x: f64) -> f64 {
                        same(x).$name()
                    }

                    $(
                        for got in [known::gradient($x), known::derivative($x), deferred::gradient($x)] {
                            assert!(super::precise(got, $first, f64::EPSILON), "{:e}: {got:e}", $x);
                        }
                        for got in [known::hvp($x, 1.0), deferred::hvp($x, 1.0)] {
                            assert!(super::precise(got, $second, f64::EPSILON), "{:e}: {got:e}", $x);
                        }
                    )+
                }
            )*
        }
    };
}

/// `1 - 2⁻⁵³`, the largest number below one.
const BELOW_ONE: f64 = 1.0 - f64::EPSILON / 2.0;

// Differences in 400 digits, with mpmath 1.3.
precise! {
    tanh {
        20.0 => 1.699_341_702_116_635_6e-17, -3.398_683_404_233_271e-17;
        -20.0 => 1.699_341_702_116_635_6e-17, 3.398_683_404_233_271e-17;
        300.0 => 1.060_158_621_201_724_3e-260, -2.120_317_242_403_448_6e-260;
        1e-10 => 1.0, -2e-10;
        1000.0 => 0.0, 0.0;
        f64::NEG_INFINITY => 0.0, 0.0;
    }
    exp_m1 {
        -40.0 => 4.248_354_255_291_589e-18, 4.248_354_255_291_589e-18;
        1e-12 => 1.000_000_000_001, 1.000_000_000_001;
    }
    asin {
        super::BELOW_ONE => 67_108_864.000_000_002, 3.022_314_549_036_573e23;
        1e-9 => 1.0, 1e-9;
        1.0 => f64::INFINITY, f64::INFINITY;
        -1.0 => f64::INFINITY, f64::NEG_INFINITY;
    }
    acos {
        -super::BELOW_ONE => -67_108_864.000_000_002, 3.022_314_549_036_573e23;
    }
    atanh {
        super::BELOW_ONE => 4_503_599_627_370_496.3, 4.056_481_920_730_334e31;
        1e-9 => 1.0, 2e-9;
    }
    acosh {
        1.0 + 2.0_f64.powi(-40) => 741_455.200_189_296_67, -4.076_193_070_417_421_3e17;
        1e200 => 1e-200, 0.0;
        1.0 => f64::INFINITY, f64::NEG_INFINITY;
        f64::INFINITY => 0.0, 0.0;
    }
    asinh {
        1e200 => 1e-200, 0.0;
        -1e-9 => 1.0, 1e-9;
        3e10 => 3.333_333_333_333_333_3e-11, -1.111_111_111_111_111_1e-21;
        f64::INFINITY => 0.0, 0.0;
    }
    atan {
        1e100 => 1e-200, -2e-300;
        1e-9 => 1.0, -2e-9;
        f64::NEG_INFINITY => 0.0, 0.0;
    }
    cbrt {
        -1e-99 => 3.333_333_333_333_333_3e65, 2.222_222_222_222_222_2e164;
        0.0 => f64::INFINITY, f64::NEG_INFINITY;
        -0.0 => f64::INFINITY, f64::INFINITY;
    }
    sqrt {
        1e-100 => 5e49, -2.5e149;
        0.0 => f64::INFINITY, f64::NEG_INFINITY;
        f64::INFINITY => 0.0, 0.0;
    }
    tan {
        std::f64::consts::FRAC_PI_2 => 2.667_093_788_113_571_2e32, 8.711_389_406_220_653e48;
    }
    ln {
        0.0 => f64::INFINITY, f64::NEG_INFINITY;
        f64::INFINITY => 0.0, 0.0;
    }
    ln_1p {
        -super::BELOW_ONE => 9_007_199_254_740_992.0, -8.112_963_841_460_668e31;
        1e-12 => 0.999_999_999_999, -0.999_999_999_998;
    }
    cosh {
        -700.0 => -5.071_160_273_675_022_5e303, 5.071_160_273_675_022_5e303;
    }
    recip {
        0.0 => f64::NEG_INFINITY, f64::INFINITY;
    }
    abs {
        0.0 => 0.0, 0.0;
        -0.0 => 0.0, 0.0;
        f64::NEG_INFINITY => -1.0, 0.0;
    }
    fract {
        2.0 => 1.0, 0.0;
    }
}

/// In `f32` the thresholds are others.
mod single {
    use chainrule::prelude::*;

    use super::precise;

    macro_rules! as_in_double {
        ($($name:ident: $($x:expr),*;)*) => {$(
            #[test]
            #[expect(clippy::cast_possible_truncation, reason = "the reference is rounded to `f32`")]
            fn $name() {
                #[differentiable]
                #[inline(never)]
                fn same(x: f32) -> f32 {
                    x
                }

                #[differentiable]
                #[inline(never)]
                fn known(x: f32) -> f32 {
                    x.$name()
                }

                #[differentiable]
                #[inline(never)]
                fn deferred(x: f32) -> f32 {
                    same(x).$name()
                }

                #[differentiable]
                fn double(x: f64) -> f64 {
                    x.$name()
                }

                for x in [$($x),*] {
                    let x: f32 = x;
                    let [first, second] = [double::gradient(x.into()), double::hvp(x.into(), 1.0)];
                    for (got, want) in [
                        (known::gradient(x), first),
                        (known::derivative(x), first),
                        (deferred::gradient(x), first),
                        (known::hvp(x, 1.0), second),
                        (deferred::hvp(x, 1.0), second),
                    ] {
                        let near = precise(got.into(), want, f32::EPSILON.into());
                        // Beside what has no digits left in `f32`.
                        assert!(near || got == want as f32 || want.abs() < 1e-36, "{x:e}: {got:e}, {want:e}");
                    }
                }
            }
        )*};
    }
    as_in_double! {
        tanh: 9.0, -30.0, 59.0, 61.0, 100.0, 1e-4, f32::INFINITY;
        atan: 1e10, -1e18, 1e-4, f32::INFINITY;
        asinh: 1e4, 1e6, 1e30, 1e-4, f32::NEG_INFINITY;
        acosh: 1.000_001, 1e30, f32::INFINITY;
        asin: 1.0 - f32::EPSILON, 1e-4;
        atanh: 1.0 - f32::EPSILON, 1e-4;
        exp: 80.0, -80.0;
        exp_m1: -20.0, 1e-6;
        sqrt: 1e-20, 1e30;
        cbrt: 1e-10, -1e10;
    }
}

mod of_two_arguments {
    use chainrule::prelude::*;

    #[differentiable]
    #[inline(never)]
    fn hypot(x: f64, y: f64) -> f64 {
        x.hypot(y)
    }

    #[differentiable]
    #[inline(never)]
    fn atan2(y: f64, x: f64) -> f64 {
        y.atan2(x)
    }

    #[differentiable]
    fn remainder(x: f64, y: f64) -> f64 {
        x % y
    }

    #[differentiable]
    #[inline(never)]
    fn rem_euclid(x: f64, y: f64) -> f64 {
        x.rem_euclid(y)
    }

    #[differentiable]
    #[inline(never)]
    fn max(x: f64, y: f64) -> f64 {
        x.max(y)
    }

    #[differentiable]
    #[inline(never)]
    fn min(x: f64, y: f64) -> f64 {
        x.min(y)
    }

    #[differentiable]
    #[inline(never)]
    fn clamp(x: f64, low: f64, high: f64) -> f64 {
        x.clamp(low, high)
    }

    #[differentiable]
    #[inline(never)]
    fn copysign(x: f64, s: f64) -> f64 {
        x.copysign(s)
    }

    fn close((p, q): (f64, f64), (r, s): (f64, f64)) {
        assert!(
            (p - r).abs() <= 1e-15 * r.abs() && (q - s).abs() <= 1e-15 * s.abs(),
            "{p:e} {q:e}, {r:e} {s:e}"
        );
    }

    #[test]
    fn no_overflow_of_squares() {
        for scale in [1e200, 1e-200] {
            close(hypot::gradient(3.0 * scale, 4.0 * scale), (0.6, 0.8));
            let (c, s) = (0.8 / (5.0 * scale), -0.6 / (5.0 * scale));
            close(atan2::gradient(3.0 * scale, 4.0 * scale), (c, s));
            let (xx, xy) = hypot::hvp(3.0 * scale, 4.0 * scale, 1.0, 0.0);
            let size = 5.0 * scale;
            assert!((xx * size - 0.64).abs() < 1e-14 && (xy * size + 0.48).abs() < 1e-14);
        }
    }

    #[test]
    fn remainders_at_multiples() {
        assert_eq!(remainder::gradient(6.0, 2.0), (1.0, -3.0));
        assert_eq!(remainder::gradient(-6.0, 2.0), (1.0, 3.0));
        assert_eq!(rem_euclid::gradient(6.0, 2.0), (1.0, -3.0));
        assert_eq!(rem_euclid::gradient(-6.0, 2.0), (1.0, 3.0));
        // 1/0.1 rounds to 10, but the remainder is that of the quotient 9.
        assert_eq!(remainder::gradient(1.0, 0.1), (1.0, -9.0));
        assert_eq!(rem_euclid::gradient(1.0, 0.1), (1.0, -9.0));
        assert_eq!(remainder::hvp(6.0, 2.0, 1.0, 1.0), (0.0, 0.0));
    }

    #[test]
    fn ties_go_to_the_first() {
        for f in [max::gradient, min::gradient] {
            assert_eq!(f(2.0, 2.0), (1.0, 0.0));
            assert_eq!(f(f64::NAN, 2.0), (0.0, 1.0));
            assert_eq!(f(2.0, f64::NAN), (1.0, 0.0));
        }
        assert_eq!(clamp::gradient(0.0, 0.0, 1.0), (1.0, 0.0, 0.0));
        assert_eq!(clamp::gradient(1.0, 0.0, 1.0), (1.0, 0.0, 0.0));
        assert_eq!(clamp::gradient(-1.0, 0.0, 1.0), (0.0, 1.0, 0.0));
        assert_eq!(clamp::gradient(2.0, 0.0, 1.0), (0.0, 0.0, 1.0));
    }

    #[test]
    fn copysign_goes_by_the_sign_bits() {
        let minus_nan = f64::NAN.copysign(-1.0);
        for (x, s, want) in [
            (-2.0, 3.0, -1.0),
            (2.0, -0.0, -1.0),
            (-2.0, 0.0, -1.0),
            (0.0, -1.0, 0.0),
            (-0.0, 1.0, 0.0),
            (2.0, f64::NAN.copysign(1.0), 1.0),
            (2.0, minus_nan, -1.0),
        ] {
            assert_eq!(copysign::gradient(x, s), (want, 0.0), "{x}, {s}");
            assert_eq!(copysign::jvp(x, s, 1.0, 1.0).1, want, "{x}, {s}");
        }
    }
}

/// What is composed of functions that overflow, or that have a kink.
mod composed {
    use chainrule::prelude::*;

    /// Mooncake#794: the root has an infinite derivative, and nobody wants its value.
    #[differentiable]
    fn unused(x: f64) -> f64 {
        let b = (x - 1.0).abs().sqrt();
        let _ = b;
        x * x
    }

    #[differentiable]
    fn not_selected(x: f64) -> f64 {
        x.ln().max(-2.0) + x.sqrt().min(-1.0) + x.exp().clamp(0.0, 3.0)
    }

    #[differentiable]
    fn logistic(x: f64) -> f64 {
        1.0 / (1.0 + (-x).exp())
    }

    #[differentiable]
    fn softplus(x: f64) -> f64 {
        x.max(0.0) + (-x.abs()).exp().ln_1p()
    }

    #[differentiable]
    #[inline(never)]
    fn norm(x: &[f64]) -> f64 {
        let mut s = 0.0;
        for v in x {
            s += v * v;
        }
        s.sqrt()
    }

    #[differentiable]
    fn weighted_norm(x: &[f64], w: f64) -> f64 {
        w * norm(x)
    }

    #[differentiable]
    fn value_test(x: f64) -> f64 {
        if x == 0.0 { 0.0 } else { x }
    }

    #[test]
    fn nothing_leaks() {
        assert_eq!(unused::gradient(1.0), 2.0);
        assert_eq!(unused::derivative(1.0), 2.0);
        assert_eq!(unused::hvp(1.0, 1.0), 2.0);
        assert_eq!(not_selected::gradient(0.0), 1.0);
        assert_eq!(not_selected::derivative(0.0), 1.0);
        assert_eq!(not_selected::gradient(800.0), 1.0 / 800.0);
        assert_eq!(not_selected::hvp(800.0, 1.0), -1.0 / 640_000.0);
        assert_eq!(weighted_norm::gradient(&[0.0, 0.0], 0.0).0, [0.0, 0.0]);
    }

    #[test]
    fn saturation_is_flat() {
        for x in [-1000.0, 1000.0, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(logistic::gradient(x), 0.0, "{x}");
        }
        assert_eq!(logistic::gradient(0.0), 0.25);
        assert_eq!(softplus::gradient(1000.0), 1.0);
        assert_eq!(softplus::gradient(-1000.0), 0.0);
    }

    /// As written: the branch that was taken is constant.
    #[test]
    fn a_test_for_a_value_is_a_branch() {
        assert_eq!(value_test::gradient(0.0), 0.0);
        assert_eq!(value_test::derivative(0.0), 0.0);
    }
}

/// Functions by their paths.
mod paths {
    use chainrule::prelude::*;

    use crate::check::table;

    #[differentiable]
    fn of_the_type(x: f64, y: f64) -> f64 {
        f64::sin(x) * f64::max(x, y) + f64::powi(x, 3) - f64::mul_add(x, y, f64::exp(y))
    }

    #[differentiable]
    fn in_brackets(x: f64, y: f64) -> f64 {
        <f64>::sin(x) * <f64>::max(x, y) + <f64>::powi(x, 3) - <f64>::mul_add(x, y, <f64>::exp(y))
    }

    #[differentiable]
    fn from_the_root(x: f64, y: f64) -> f64 {
        core::primitive::f64::hypot(x, y) + std::primitive::f64::cos(x)
    }

    #[differentiable]
    fn constants(x: f64) -> f64 {
        x * f64::EPSILON
            + <f64>::MIN_POSITIVE.sqrt() * x
            + std::f64::consts::PI * x.min(f64::MAX).max(f64::NEG_INFINITY)
    }

    #[differentiable]
    fn tests(x: f64, y: f64) -> f64 {
        if f64::is_nan(x) || f64::total_cmp(&x, &y).is_gt() || f64::to_bits(x) == 0 {
            x * y
        } else {
            f64::floor(y) * x
        }
    }

    table! {
        of_the_type: (0.7, 1.9), (1.9, 0.7);
        in_brackets: (0.7, 1.9), (1.9, 0.7);
        from_the_root: (0.7, 1.9);
        constants: (0.7);
        tests: (0.7, 1.9) => [1.0, 0.0], (1.9, 0.7) => [0.7, 1.9];
    }
}

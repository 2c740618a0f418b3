//! What holds for every function and every argument, whatever the partial is:
//! - forward and reverse mode agree, and so do known and deferred types;
//! - a zero tangent gives a zero tangent, a zero cotangent a zero cotangent, in both orders.

/// Arguments of any kind.
const ANY: [f64; 22] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    2.0,
    -3.0,
    0.5,
    -0.7,
    2.3,
    6.0,
    1e-310,
    1e-200,
    1e200,
    -1e200,
    18.7,
    360.0,
    -720.0,
    1000.0,
    f64::MAX,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];

/// Equal up to a few roundings, or both NaN.
fn agree(a: f64, b: f64) -> bool {
    a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= 1e-13 * b.abs() || tiny(a) && tiny(b)
}

/// The same for matrices, where an error that is small beside the largest entry is small.
fn near(a: [(f64, f64); 2], b: [(f64, f64); 2]) -> bool {
    let entries = |[(p, q), (r, s)]: [(f64, f64); 2]| [p, q, r, s];
    let error = 1e-13
        * entries(b)
            .iter()
            .fold(0.0, |most, entry| entry.abs().max(most));
    let mut pairs = entries(a).into_iter().zip(entries(b));
    pairs.all(|(a, b)| agree(a, b) || (a - b).abs() <= error)
}

/// Whether squares stay in range.
fn moderate(x: f64) -> bool {
    x == 0.0 || (1e-100..1e300).contains(&x.abs())
}

/// Rounded to few digits, or to none.
fn tiny(a: f64) -> bool {
    a.abs() < 1e-300
}

macro_rules! one_argument {
    ($($name:ident($x:ident) $known:expr, $deferred:expr;)*) => {$(
        mod $name {
            use chainrule::prelude::*;

            use super::{ANY, agree};

            #[differentiable]
            #[inline(never)]
            fn same(x: f64) -> f64 {
                x
            }

            #[differentiable]
            #[inline(never)]
            fn known($x: f64) -> f64 {
                $known
            }

            #[differentiable]
            #[inline(never)]
            fn deferred(x: f64) -> f64 {
                let $x = same(x);
                $deferred
            }

            #[differentiable]
            #[inline(never)]
            fn weighted(w: f64, x: f64) -> f64 {
                w * known(x)
            }

            #[test]
            fn of_any_argument() {
                for x in ANY {
                    let (first, second) = (known::derivative(x), known::hvp(x, 1.0));
                    assert!(agree(known::gradient(x), first), "{x}: {first} {}", known::gradient(x));
                    assert!(agree(known::jvp(x, 1.0).1, first), "{x}: {first}");
                    assert!(agree(deferred::derivative(x), first), "{x}: {first} {}", deferred::derivative(x));
                    assert!(agree(deferred::gradient(x), first), "{x}: {first} {}", deferred::gradient(x));
                    assert!(agree(deferred::hvp(x, 1.0), second), "{x}: {second} {}", deferred::hvp(x, 1.0));

                    assert_eq!(known::jvp(x, 0.0).1, 0.0, "jvp({x})");
                    assert_eq!(deferred::jvp(x, 0.0).1, 0.0, "jvp({x})");
                    assert_eq!(known::rrule(x).1(0.0), 0.0, "rrule({x})");
                    assert_eq!(known::vjp(x, 0.0).1, 0.0, "vjp({x})");
                    assert_eq!(deferred::vjp(x, 0.0).1, 0.0, "vjp({x})");
                    assert!(known::hvp(x, 0.0) == 0.0 || known(x).is_nan(), "hvp({x})");
                    assert_eq!(deferred::hvp(x, 0.0), 0.0, "hvp({x})");
                    assert_eq!(weighted::gradient(0.0, x).1, 0.0, "weighted({x})");
                    assert_eq!(weighted::hvp(0.0, x, 0.0, 1.0).1, 0.0, "weighted({x})");
                }
            }
        }
    )*};
}

macro_rules! methods {
    ($($name:ident)*) => {
        one_argument! {
            $($name(x) x.$name(), x.$name();)*
        }
    };
}
methods! {
    sqrt cbrt exp exp2 exp_m1 ln ln_1p log2 log10 sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh
    abs signum recip fract to_degrees to_radians floor ceil round round_ties_even trunc
}
one_argument! {
    powi_0(x) x.powi(0), x.powi(0);
    powi_1(x) x.powi(1), x.powi(1);
    powi_2(x) x.powi(2), x.powi(2);
    powi_3(x) x.powi(3), x.powi(3);
    powi_4(x) x.powi(4), x.powi(4);
    powi_minus_1(x) x.powi(-1), x.powi(-1);
    powi_minus_2(x) x.powi(-2), x.powi(-2);
    powf_2(x) x.powf(2.0), x.powf(2.0);
    powf_3(x) x.powf(3.0), x.powf(3.0);
    powf_half(x) x.powf(0.5), x.powf(0.5);
    powf_of_number(x) 3.0_f64.powf(x), f64::powf(3.0, x);
    sin_of_pair(x) x.sin_cos().0, x.sin_cos().0;
    cos_of_pair(x) x.sin_cos().1, x.sin_cos().1;
    max_number(x) x.max(0.5), x.max(0.5);
    number_min(x) 0.5_f64.min(x), f64::min(0.5, x);
    clamp(x) x.clamp(-1.0, 1.0), x.clamp(-1.0, 1.0);
    rem_euclid_number(x) x.rem_euclid(2.0), x.rem_euclid(2.0);
    log_base_3(x) x.log(3.0), x.log(3.0);
    atan2_1(x) x.atan2(1.0), x.atan2(1.0);
    copysign_of_number(x) x.copysign(-1.0), x.copysign(-1.0);
}

macro_rules! two_arguments {
    ($($name:ident)*) => {$(
        mod $name {
            use chainrule::prelude::*;

            use super::{ANY, agree, moderate, near};

            #[differentiable]
            #[inline(never)]
            fn same(x: f64) -> f64 {
                x
            }

            #[differentiable]
            #[inline(never)]
            fn known(x: f64, a: f64) -> f64 {
                x.$name(a)
            }

            #[differentiable]
            #[inline(never)]
            fn deferred(x: f64, a: f64) -> f64 {
                same(x).$name(a)
            }

            #[differentiable]
            #[inline(never)]
            fn weighted(w: f64, x: f64, a: f64) -> f64 {
                w * known(x, a)
            }

            #[test]
            fn of_any_arguments() {
                for x in ANY {
                    for a in ANY {
                        let both = |(p, q): (f64, f64), (r, s)| agree(p, r) && agree(q, s);
                        let at = format!("{x:e}, {a:e}");
                        let first = known::gradient(x, a);
                        let forward = (known::jvp(x, a, 1.0, 0.0).1, known::jvp(x, a, 0.0, 1.0).1);
                        assert!(both(forward, first), "{at}: {forward:?} {first:?}");
                        let other = deferred::gradient(x, a);
                        assert!(both(other, first), "{at}: {other:?} {first:?}");

                        assert_eq!(known::jvp(x, a, 0.0, 0.0).1, 0.0, "jvp({at})");
                        assert_eq!(deferred::jvp(x, a, 0.0, 0.0).1, 0.0, "jvp({at})");
                        assert_eq!(known::rrule(x, a).1(0.0), (0.0, 0.0), "rrule({at})");
                        assert_eq!(deferred::vjp(x, a, 0.0).1, (0.0, 0.0), "vjp({at})");
                        assert_eq!(deferred::hvp(x, a, 0.0, 0.0), (0.0, 0.0), "hvp({at})");
                        let (_, x_bar, a_bar) = weighted::gradient(0.0, x, a);
                        assert_eq!((x_bar, a_bar), (0.0, 0.0), "weighted({at})");
                        // Where a partial is infinite or NaN, or about to be, there is no second derivative to agree on.
                        if forward.0.is_finite() && forward.1.is_finite() && moderate(x) && moderate(a) {
                            let units = [(1.0, 0.0), (0.0, 1.0)];
                            let known = units.map(|(u, v)| known::hvp(x, a, u, v));
                            let deferred = units.map(|(u, v)| deferred::hvp(x, a, u, v));
                            assert!(near(deferred, known), "{at}: deferred {deferred:?}, known {known:?}");
                            assert_eq!(known::hvp(x, a, 0.0, 0.0), (0.0, 0.0), "hvp({at})");
                        }
                    }
                }
            }
        }
    )*};
}
two_arguments! { powf log atan2 hypot copysign max min rem_euclid div_euclid }

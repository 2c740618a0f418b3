//! Kinks, ends of domains, NaN and infinity: each mode gives the derivative that `chainrule::conventions` documents.

use chainrule::prelude::*;

/// Equal as numbers, or both NaN.
#[track_caller]
fn same(what: &str, got: &[f64], want: &[f64]) {
    let equal = |(a, b): (&f64, &f64)| a == b || a.is_nan() && b.is_nan();
    assert!(
        got.len() == want.len() && got.iter().zip(want).all(equal),
        "{what}: {got:?}, not {want:?}"
    );
}

/// The value and the gradient of a function of one number, in every mode.
macro_rules! kink {
    ($f:ident($x:expr) => $want:expr) => {{
        let (x, want): (f64, f64) = ($x, $want);
        let what = format!("{}({x:?})", stringify!($f));
        let y = $f(x);
        let Dual(y0, y_dot) = $f::frule(Dual(x, 1.0));
        same(&format!("{what}, frule"), &[y0, y_dot], &[y, want]);
        let (y1, pullback) = $f::rrule(x);
        same(&format!("{what}, rrule"), &[y1, pullback(1.0)], &[y, want]);
        let (y2, x_bar) = $f::value_and_gradient(x);
        same(&format!("{what}, combined"), &[y2, x_bar], &[y, want]);
        // Nothing flows where nothing is asked for.
        let Dual(_, still) = $f::frule(Dual(x, 0.0));
        let (_, pullback) = $f::rrule(x);
        same(
            &format!("{what}, zeros"),
            &[still, pullback(0.0)],
            &[0.0, 0.0],
        );
        assert_eq!(
            [y0.to_bits(), y1.to_bits(), y2.to_bits()],
            [y.to_bits(); 3],
            "{what}"
        );
    }};
    ($f:ident($x:expr, $y:expr) => $want_x:expr, $want_y:expr) => {{
        let (x, y, want): (f64, f64, [f64; 2]) = ($x, $y, [$want_x, $want_y]);
        let what = format!("{}({x:?}, {y:?})", stringify!($f));
        let z = $f(x, y);
        let Dual(z0, by_x) = $f::frule(Dual(x, 1.0), Dual(y, 0.0));
        let Dual(_, by_y) = $f::frule(Dual(x, 0.0), Dual(y, 1.0));
        same(
            &format!("{what}, frule"),
            &[z0, by_x, by_y],
            &[z, want[0], want[1]],
        );
        let (z1, pullback) = $f::rrule(x, y);
        let bars = pullback(1.0);
        same(
            &format!("{what}, rrule"),
            &[z1, bars.0, bars.1],
            &[z, want[0], want[1]],
        );
        let (z2, bars) = $f::value_and_gradient(x, y);
        same(
            &format!("{what}, combined"),
            &[z2, bars.0, bars.1],
            &[z, want[0], want[1]],
        );
        let Dual(_, still) = $f::frule(Dual(x, 0.0), Dual(y, 0.0));
        let (_, pullback) = $f::rrule(x, y);
        let bars = pullback(0.0);
        same(
            &format!("{what}, zeros"),
            &[still, bars.0, bars.1],
            &[0.0, 0.0, 0.0],
        );
        assert_eq!(
            [z0.to_bits(), z1.to_bits(), z2.to_bits()],
            [z.to_bits(); 3],
            "{what}"
        );
    }};
}

/// The second derivative, along the variable and as the tangent of `frule`'s own rule in `hessian`.
macro_rules! second {
    ($f:ident($x:expr) => $want:expr) => {{
        let x: f64 = $x;
        same(
            &format!("{}({x:?}), hvp", stringify!($f)),
            &[$f::hvp(x, 1.0)],
            &[$want],
        );
        same(
            &format!("{}({x:?}), hvp of zero", stringify!($f)),
            &[$f::hvp(x, 0.0)],
            &[0.0],
        );
    }};
    ($f:ident($x:expr, $y:expr) => [$xx:expr, $xy:expr, $yy:expr]) => {{
        let (x, y): (f64, f64) = ($x, $y);
        let (a, b) = ($f::hvp(x, y, 1.0, 0.0), $f::hvp(x, y, 0.0, 1.0));
        same(
            &format!("{}({x:?}, {y:?}), hvp", stringify!($f)),
            &[a.0, a.1, b.0, b.1],
            &[$xx, $xy, $xy, $yy],
        );
    }};
}

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

#[differentiable]
fn abs(x: f64) -> f64 {
    x.abs()
}
#[differentiable]
fn max(x: f64, y: f64) -> f64 {
    x.max(y)
}
#[differentiable]
fn min(x: f64, y: f64) -> f64 {
    x.min(y)
}
#[differentiable]
fn relu(x: f64) -> f64 {
    x.max(0.0)
}
#[differentiable]
fn relu_turned(x: f64) -> f64 {
    0.0_f64.max(x)
}
#[differentiable]
fn clamp(x: f64) -> f64 {
    x.clamp(-1.0, 1.0)
}
#[differentiable]
fn clamp_by_calls(x: f64, y: f64) -> f64 {
    x.clamp(y, y + 2.0)
}
#[differentiable]
fn sqrt(x: f64) -> f64 {
    x.sqrt()
}
#[differentiable]
fn cbrt(x: f64) -> f64 {
    x.cbrt()
}
#[differentiable]
fn powf(x: f64, y: f64) -> f64 {
    x.powf(y)
}
#[differentiable]
fn power(x: f64, #[constant] a: f64) -> f64 {
    x.powf(a)
}
#[differentiable]
fn power_of_constant(#[constant] x: f64, a: f64) -> f64 {
    x.powf(a)
}
#[differentiable]
fn powi(x: f64, n: i32) -> f64 {
    x.powi(n)
}
#[differentiable]
fn atan2(x: f64, y: f64) -> f64 {
    x.atan2(y)
}
#[differentiable]
fn hypot(x: f64, y: f64) -> f64 {
    x.hypot(y)
}
#[differentiable]
fn remainder(x: f64, y: f64) -> f64 {
    x % y
}
#[differentiable]
fn rem_euclid(x: f64, y: f64) -> f64 {
    x.rem_euclid(y)
}
#[differentiable]
fn signum(x: f64) -> f64 {
    x.signum() * x
}
#[differentiable]
fn steps(x: f64) -> f64 {
    x.floor() + x.ceil() + x.round() + x.trunc()
}
#[differentiable]
fn fract(x: f64) -> f64 {
    x.fract()
}
#[differentiable]
fn copysign(x: f64, y: f64) -> f64 {
    x.copysign(y)
}
#[differentiable]
fn ln(x: f64) -> f64 {
    x.ln()
}
#[differentiable]
fn acosh(x: f64) -> f64 {
    x.acosh()
}
#[differentiable]
fn asin(x: f64) -> f64 {
    x.asin()
}
#[differentiable]
fn atanh(x: f64) -> f64 {
    x.atanh()
}
#[differentiable]
fn recip(x: f64) -> f64 {
    x.recip()
}
#[differentiable]
fn quotient(x: f64, y: f64) -> f64 {
    x / y
}
#[differentiable]
fn tanh(x: f64) -> f64 {
    x.tanh()
}
#[differentiable]
fn sinc(x: f64) -> f64 {
    if x == 0.0 { 1.0 } else { x.sin() / x }
}
#[differentiable]
fn guarded_quotient(x: f64, y: f64) -> f64 {
    let q = x / y;
    if q.is_finite() { q } else { x }
}
#[differentiable]
fn guarded_root(x: f64) -> f64 {
    let r = x.sqrt();
    let l = x.ln();
    if x > 0.0 { r + l } else { 2.0 * x }
}
#[differentiable]
fn unused_root(x: f64) -> f64 {
    let _b = (x - 1.0).abs().sqrt();
    x * x
}
#[differentiable]
fn weighted(x: f64, w: f64) -> f64 {
    w * x.sqrt() + w * x.cbrt() + w * x.hypot(0.0)
}
#[differentiable]
fn selected_of_list(x: f64, y: f64) -> f64 {
    let list = [x / y, x.sqrt(), x.ln(), x + y];
    let mut best = INF;
    for v in list {
        if v.is_finite() && v < best {
            best = v;
        }
    }
    best
}
#[differentiable]
fn folded_max(x: f64, y: f64) -> f64 {
    [x, y, x].iter().copied().fold(f64::NEG_INFINITY, f64::max)
}
#[differentiable]
fn folded_min(x: f64, y: f64) -> f64 {
    [x, y, y].into_iter().fold(f64::INFINITY, |a, b| a.min(b))
}
#[differentiable]
fn by_comparison(x: f64, y: f64) -> f64 {
    [x, y].into_iter().max_by(|a, b| a.total_cmp(b)).unwrap()
}
#[differentiable]
fn rooted_loop(x: f64, y: f64) -> f64 {
    let mut s = 0.0;
    for k in 0..3 {
        let r = (x * k as f64).sqrt();
        if k > 0 {
            s += r;
        }
        s += (y * k as f64).abs();
    }
    s
}
#[differentiable]
fn norm_guarded(x: f64, y: f64) -> f64 {
    let n = (x * x + y * y).sqrt();
    if n > 1e-12 { x / n } else { x }
}
#[differentiable]
fn logistic_switch(x: f64) -> f64 {
    if x >= 0.0 {
        1.0 / (1.0 + (-x).exp())
    } else {
        let e = x.exp();
        e / (1.0 + e)
    }
}
#[differentiable]
fn div_euclid(x: f64, y: f64) -> f64 {
    x.div_euclid(y) * x
}
#[differentiable]
fn log_base(x: f64, y: f64) -> f64 {
    x.log(y)
}

#[test]
fn kinks_of_abs_max_min_clamp() {
    for (x, want) in [
        (0.0, 0.0),
        (-0.0, 0.0),
        (2.0, 1.0),
        (-2.0, -1.0),
        (INF, 1.0),
        (-INF, -1.0),
    ] {
        kink!(abs(x) => want);
        second!(abs(x) => 0.0);
    }
    kink!(max(1.0, 1.0) => 1.0, 0.0);
    kink!(min(1.0, 1.0) => 1.0, 0.0);
    kink!(max(0.0, -0.0) => 1.0, 0.0);
    kink!(max(-0.0, 0.0) => 1.0, 0.0);
    kink!(min(0.0, -0.0) => 1.0, 0.0);
    kink!(max(NAN, 2.0) => 0.0, 1.0);
    kink!(max(2.0, NAN) => 1.0, 0.0);
    kink!(min(NAN, 2.0) => 0.0, 1.0);
    kink!(min(2.0, NAN) => 1.0, 0.0);
    kink!(max(INF, INF) => 1.0, 0.0);
    kink!(max(-INF, 3.0) => 0.0, 1.0);
    second!(max(1.0, 1.0) => [0.0, 0.0, 0.0]);
    kink!(relu(0.0) => 1.0);
    kink!(relu_turned(0.0) => 0.0);
    for (x, want) in [
        (1.0, 1.0),
        (-1.0, 1.0),
        (1.5, 0.0),
        (-1.5, 0.0),
        (0.3, 1.0),
        (INF, 0.0),
    ] {
        kink!(clamp(x) => want);
        second!(clamp(x) => 0.0);
    }
    kink!(clamp_by_calls(1.0, 1.0) => 1.0, 0.0);
    kink!(clamp_by_calls(3.0, 1.0) => 1.0, 0.0);
    kink!(clamp_by_calls(4.0, 1.0) => 0.0, 1.0);
    kink!(clamp_by_calls(0.0, 1.0) => 0.0, 1.0);
}

#[test]
fn kinks_of_roots_and_logarithms() {
    kink!(sqrt(0.0) => INF);
    kink!(cbrt(0.0) => INF);
    kink!(cbrt(-8.0) => 1.0 / 12.0);
    kink!(ln(0.0) => INF);
    kink!(acosh(1.0) => INF);
    kink!(asin(1.0) => INF);
    kink!(asin(-1.0) => INF);
    kink!(atanh(1.0) => INF);
    kink!(recip(0.0) => -INF);
    kink!(sqrt(INF) => 0.0);
    kink!(ln(INF) => 0.0);
    kink!(recip(INF) => 0.0);
    kink!(sqrt(-1.0) => NAN);
    kink!(tanh(1000.0) => 0.0);
    kink!(tanh(-1000.0) => 0.0);
    second!(tanh(1000.0) => 0.0);
    second!(tanh(0.0) => 0.0);
    second!(sqrt(INF) => 0.0);
    second!(sqrt(0.0) => -INF);
    second!(ln(0.0) => -INF);
    kink!(log_base(1.0, 2.0) => 1.0 / 2.0_f64.ln(), 0.0);
}

#[test]
fn kinks_of_powers() {
    for (a, want) in [
        (2.0, 0.0),
        (1.5, 0.0),
        (1.0, 1.0),
        (0.5, INF),
        (0.0, 0.0),
        (-1.0, -INF),
        (-0.5, -INF),
        (3.0, 0.0),
        (-2.0, -INF),
    ] {
        let Dual(_, y_dot) = power::frule(Dual(0.0, 1.0), a);
        let (_, pullback) = power::rrule(0.0, a);
        let what = format!("0 to the {a:?}");
        same(
            &what,
            &[y_dot, pullback(1.0), power::gradient(0.0, a)],
            &[want; 3],
        );
    }
    kink!(powf(0.0, 2.0) => 0.0, 0.0);
    kink!(powf(0.0, 1.0) => 1.0, 0.0);
    kink!(powf(0.0, 0.5) => INF, 0.0);
    kink!(powf(0.0, 1.5) => 0.0, 0.0);
    kink!(powf(0.0, 0.0) => 0.0, -INF);
    kink!(powf(-2.0, 3.0) => 12.0, NAN);
    kink!(powf(1.0, 0.0) => 0.0, 0.0);
    kink!(powf(INF, 1.0) => 1.0, INF);
    for (a, want) in [
        (2.0, 2.0),
        (3.0, 0.0),
        (1.0, 0.0),
        (0.0, 0.0),
        (2.5, 0.0),
        (1.5, INF),
    ] {
        same(
            &format!("0 to the {a:?}, second"),
            &[power::hvp(0.0, a, 1.0)],
            &[want],
        );
    }
    for (x, a, want) in [
        (0.0, 2.0, 0.0),
        (0.0, 0.5, 0.0),
        (1.0, 3.0, 0.0),
        (-2.0, 2.0, NAN),
    ] {
        let Dual(_, y_dot) = power_of_constant::frule(x, Dual(a, 1.0));
        let (_, pullback) = power_of_constant::rrule(x, a);
        let what = format!("{x:?} to the {a:?}, by the exponent");
        same(
            &what,
            &[y_dot, pullback(1.0), power_of_constant::gradient(x, a)],
            &[want; 3],
        );
    }
    same(
        "(-2)^2",
        &[power::gradient(-2.0, 2.0), power::hvp(-2.0, 2.0, 1.0)],
        &[-4.0, 2.0],
    );
}

#[test]
fn kinks_of_integer_powers() {
    for (x, n, want) in [
        (0.0, 0, 0.0),
        (0.0, 1, 1.0),
        (0.0, 2, 0.0),
        (0.0, 3, 0.0),
        (0.0, -1, -INF),
        (-0.0, 2, 0.0),
        (-0.0, 1, 1.0),
        (NAN, 0, 0.0),
        (INF, 0, 0.0),
        (INF, 1, 1.0),
        (-2.0, 3, 12.0),
        (2.0, -1, -0.25),
    ] {
        let Dual(y0, y_dot) = powi::frule(Dual(x, 1.0), n);
        let (y1, pullback) = powi::rrule(x, n);
        let (y2, x_bar) = powi::value_and_gradient(x, n);
        let what = format!("powi({x:?}, {n})");
        same(&what, &[y0, y1, y2], &[x.powi(n); 3]);
        same(&what, &[y_dot, pullback(1.0), x_bar], &[want; 3]);
    }
    for (n, want) in [(0, 0.0), (1, 0.0), (2, 2.0), (3, 0.0), (4, 0.0)] {
        same(
            &format!("powi(0, {n})''"),
            &[powi::hvp(0.0, n, 1.0)],
            &[want],
        );
    }
}

#[test]
fn kinks_of_two_arguments() {
    kink!(atan2(0.0, 0.0) => NAN, NAN);
    kink!(hypot(0.0, 0.0) => NAN, NAN);
    kink!(hypot(0.0, 2.0) => 0.0, 1.0);
    let r = 3e200_f64.hypot(4e200);
    kink!(hypot(3e200, 4e200) => 3e200 / r, 4e200 / r);
    kink!(atan2(0.0, -1.0) => -1.0, 0.0);
    kink!(atan2(1.0, 0.0) => 0.0, -1.0);
    kink!(remainder(6.0, 2.0) => 1.0, -3.0);
    kink!(remainder(-6.0, 2.0) => 1.0, 3.0);
    kink!(remainder(7.0, -2.0) => 1.0, 3.0);
    kink!(rem_euclid(-7.0, 2.0) => 1.0, 4.0);
    kink!(rem_euclid(6.0, 2.0) => 1.0, -3.0);
    kink!(rem_euclid(-7.0, -2.0) => 1.0, -4.0);
    kink!(div_euclid(-7.0, 2.0) => -4.0, 0.0);
    kink!(copysign(2.0, -0.0) => -1.0, 0.0);
    kink!(copysign(-2.0, -1.0) => 1.0, 0.0);
    kink!(copysign(0.0, -1.0) => 0.0, 0.0);
    kink!(copysign(-2.0, 0.0) => -1.0, 0.0);
    kink!(quotient(1.0, 0.0) => INF, -INF);
    kink!(quotient(1.0, INF) => 0.0, 0.0);
    second!(remainder(6.0, 2.0) => [0.0, 0.0, 0.0]);
    second!(copysign(2.0, -1.0) => [0.0, 0.0, 0.0]);
}

#[test]
fn jumps() {
    for x in [0.0, -0.0, 1.0, -1.0, 2.5, INF] {
        kink!(steps(x) => 0.0);
        second!(steps(x) => 0.0);
    }
    kink!(signum(0.0) => 1.0);
    kink!(signum(-0.0) => -1.0);
    kink!(signum(-3.0) => -1.0);
    for x in [0.0, 1.0, -2.0, 0.25] {
        kink!(fract(x) => 1.0);
    }
}

/// A value that a branch discards leaves nothing behind.
#[test]
fn discarded() {
    kink!(guarded_quotient(1.0, 0.0) => 1.0, 0.0);
    kink!(guarded_quotient(0.0, 0.0) => 1.0, 0.0);
    kink!(guarded_root(0.0) => 2.0);
    kink!(guarded_root(-1.0) => 2.0);
    kink!(unused_root(1.0) => 2.0);
    kink!(selected_of_list(0.0, 0.0) => INF, 0.0);
    kink!(selected_of_list(-1.0, 0.0) => 1.0, 1.0);
    kink!(selected_of_list(-1.0, 0.5) => -0.0 + 2.0, 4.0);
    kink!(rooted_loop(4.0, 0.0) => 0.25 + 0.25 * 2.0_f64.sqrt(), 0.0);
    kink!(norm_guarded(0.0, 0.0) => 1.0, 0.0);
    kink!(sinc(0.0) => 0.0);
    kink!(logistic_switch(0.0) => 0.25);
    second!(guarded_quotient(1.0, 0.0) => [0.0, 0.0, 0.0]);
    second!(guarded_root(0.0) => 0.0);
    second!(guarded_root(-1.0) => 0.0);
    second!(unused_root(1.0) => 2.0);
    second!(norm_guarded(0.0, 0.0) => [0.0, 0.0, 0.0]);
    second!(logistic_switch(0.0) => 0.0);
}

/// A root whose weight is zero has no influence on the way back. On the way forward its tangent is infinite, and `*` is arithmetic.
#[test]
fn weights_that_are_zero() {
    assert_eq!(weighted::gradient(0.0, 0.0), (0.0, 0.0));
    let (_, pullback) = weighted::rrule(0.0, 0.0);
    assert_eq!(pullback(1.0), (0.0, 0.0));
    assert!(weighted::jvp(0.0, 0.0, 1.0, 0.0).1.is_nan());
    assert_eq!(weighted::jvp(0.0, 0.0, 0.0, 1.0).1, 0.0);
}

/// Ties in lists go to one element, in each mode the same.
#[test]
fn ties_in_lists() {
    kink!(folded_max(1.0, 1.0) => 1.0, 0.0);
    kink!(folded_max(NAN, 1.0) => 0.0, 1.0);
    kink!(folded_min(1.0, 1.0) => 1.0, 0.0);
    kink!(by_comparison(1.0, 1.0) => 0.0, 1.0);
    kink!(by_comparison(0.0, -0.0) => 1.0, 0.0);
    second!(folded_max(1.0, 1.0) => [0.0, 0.0, 0.0]);
}

/// In single precision, and by trait methods, the partials are the same.
#[differentiable]
fn generic_kinks<T: Real>(x: T, y: T) -> T {
    x.abs() + x.max(y) + y.sqrt() * x + (x - y).abs()
}

#[test]
fn generic() {
    for (x, y) in [(0.0, 1.0), (1.0, 1.0), (-1.0, 0.0)] {
        let wide = generic_kinks::gradient(x, y);
        let Dual(_, by_x) = generic_kinks::frule(Dual(x, 1.0), Dual(y, 0.0));
        let Dual(_, by_y) = generic_kinks::frule(Dual(x, 0.0), Dual(y, 1.0));
        same("generic", &[by_x, by_y], &[wide.0, wide.1]);
        let single = generic_kinks::gradient(x as f32, y as f32);
        same(
            "generic, single",
            &[single.0 as f64, single.1 as f64],
            &[wide.0, wide.1],
        );
    }
    assert_eq!(generic_kinks::gradient(0.0, 0.0), (1.0, 0.0));
    assert_eq!(generic_kinks::gradient(-1.0, 0.0), (-2.0, -INF + 0.0));
}

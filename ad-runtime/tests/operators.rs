//! Operators and casts on deferred operands: they infer like the primal, and their four rules agree.

use ad_runtime::__private::ops::{
    AddOp, BinaryRules, CastRules, DivOp, MulOp, NegOp, RemOp, SubOp, UnaryRules, inactive,
    inactive_value,
};
use ad_runtime::__private::rem_quotient;
use ad_runtime::{Dual, NoTangent};

fn close(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-9 * (1.0 + b.abs()), "{a} is not {b}");
}

/// `frule`, `rrule` and `rrule_frule` agree with the partials and with each other; second derivatives by differences.
fn check<Op>(
    a: f64,
    b: f64,
    primal: impl Fn(f64, f64) -> f64,
    partials: impl Fn(f64, f64) -> (f64, f64),
) where
    f64: BinaryRules<Op, f64, Output = f64>,
{
    let (p, q) = partials(a, b);
    assert_eq!(<f64 as BinaryRules<Op, f64>>::primal(a, b), primal(a, b));
    let Dual(y, y_dot) = <f64 as BinaryRules<Op, f64>>::frule(Dual(a, 2.0), Dual(b, -3.0));
    assert_eq!(y, primal(a, b));
    close(y_dot, 2.0 * p - 3.0 * q);
    let (y, pullback) = <f64 as BinaryRules<Op, f64>>::rrule(a, b);
    assert_eq!(y, primal(a, b));
    let (a_bar, b_bar) = pullback(0.7);
    close(a_bar, 0.7 * p);
    close(b_bar, 0.7 * q);
    let (Dual(y, y_dot2), pullback) =
        <f64 as BinaryRules<Op, f64>>::rrule_frule(Dual(a, 2.0), Dual(b, -3.0));
    assert_eq!((y, y_dot2), (primal(a, b), y_dot));
    let (Dual(a_bar2, a_bar_dot), Dual(b_bar2, b_bar_dot)) = pullback(Dual(0.7, 0.3));
    close(a_bar2, a_bar);
    close(b_bar2, b_bar);
    let at = |e: f64| {
        let (p, q) = partials(a + 2.0 * e, b - 3.0 * e);
        ((0.7 + 0.3 * e) * p, (0.7 + 0.3 * e) * q)
    };
    let h = 1e-6;
    let (plus, minus) = (at(h), at(-h));
    assert!((a_bar_dot - (plus.0 - minus.0) / (2.0 * h)).abs() < 1e-5);
    assert!((b_bar_dot - (plus.1 - minus.1) / (2.0 * h)).abs() < 1e-5);
}

#[test]
fn float_operators_have_their_partials() {
    for (a, b) in [(1.3, -0.7), (-2.1, 0.4), (5.5, 2.0)] {
        check::<AddOp>(a, b, |a, b| a + b, |_, _| (1.0, 1.0));
        check::<SubOp>(a, b, |a, b| a - b, |_, _| (1.0, -1.0));
        check::<MulOp>(a, b, |a, b| a * b, |a, b| (b, a));
        check::<DivOp>(a, b, |a, b| a / b, |a, b| (1.0 / b, -a / (b * b)));
        check::<RemOp>(a, b, |a, b| a % b, |a, b| (1.0, -(a / b).trunc()));
    }
}

#[test]
fn literals_infer_as_in_the_primal() {
    let x = 3.0_f32;
    let (y, pullback) = <_ as BinaryRules<MulOp, _>>::rrule(2.0, x);
    assert_eq!((y, pullback(1.0)), (6.0_f32, (3.0, 2.0)));
    let (n, _) = <_ as BinaryRules<AddOp, _>>::rrule(1, 2_u8);
    assert_eq!(n, 3_u8);
    let Dual(y, y_dot) = <_ as BinaryRules<MulOp, _>>::frule(inactive(2.0), Dual(x, 1.0));
    assert_eq!((y, y_dot), (6.0, 2.0));
}

#[test]
fn references_are_operands_with_owned_cotangents() {
    let mut v = [2.0, 5.0];
    let (y, pullback) = <&f64 as BinaryRules<MulOp, f64>>::rrule(&v[0], 3.0);
    v[0] = 9.0; // the pullback holds no borrow
    assert_eq!((y, pullback(1.0)), (6.0, (3.0, 2.0)));
    let (y, pullback) = <_ as BinaryRules<SubOp, _>>::rrule(&v[0], &v[1]);
    assert_eq!((y, pullback(2.0)), (4.0, (2.0, -2.0)));
    let (y, pullback) = <_ as UnaryRules<NegOp>>::rrule(&v[1]);
    assert_eq!((y, pullback(2.0)), (-5.0, -2.0));
}

#[test]
fn remainders_are_those_of_their_piece() {
    let (y, pullback) = <f64 as BinaryRules<RemOp, f64>>::rrule(6.0, 2.0);
    assert_eq!((y, pullback(1.0)), (0.0, (1.0, -3.0)));
    let (y, pullback) = <f64 as BinaryRules<RemOp, f64>>::rrule(-7.5, 2.0);
    assert_eq!((y, pullback(1.0)), (-1.5, (1.0, 3.0)));
    // The `f64` next to 0.1 is above it: the division rounds to 10, but the remainder is almost 0.1.
    assert_eq!(
        (1.0 / 0.1, 1.0 % 0.1 > 0.09, rem_quotient(1.0, 0.1)),
        (10.0, true, 9.0)
    );
    assert_eq!(rem_quotient(1e300_f64, 1e-3), 1e300 / 1e-3);
    assert_eq!(rem_quotient(5.0_f64, f64::INFINITY), 0.0);
    assert!(rem_quotient(5.0_f64, 0.0).is_nan());
    assert_eq!(rem_quotient(6.0_f32, 2.0), 3.0);
}

#[test]
fn integers_have_no_cotangents() {
    let (y, pullback) = <_ as BinaryRules<RemOp, _>>::rrule(7_usize, 4_usize);
    assert_eq!((y, pullback(NoTangent)), (3, (NoTangent, NoTangent)));
    let (y, _) = <_ as UnaryRules<NegOp>>::rrule(7_i8);
    assert_eq!(y, -7);
    let Dual(y, NoTangent) =
        <_ as BinaryRules<AddOp, _>>::frule(Dual(&1_u8, NoTangent), inactive(2));
    assert_eq!(y, 3);
}

#[test]
fn casts_take_tangents_along() {
    let Dual(y, y_dot) = <f64 as CastRules<f32>>::cast_frule(Dual(0.1, 0.2));
    assert_eq!((y, y_dot), (0.1_f32, 0.2_f32));
    let (y, pullback) = <f32 as CastRules<f64>>::cast_rrule(0.5);
    assert_eq!((y, pullback(0.25)), (0.5_f64, 0.25_f32));
    let (y, pullback) = <usize as CastRules<f64>>::cast_rrule(3);
    assert_eq!((y, pullback(0.25)), (3.0, NoTangent));
    let (Dual(y, y_dot), pullback) = <i8 as CastRules<f32>>::cast_rrule_frule(Dual(-3, NoTangent));
    assert_eq!(
        (y, y_dot, pullback(Dual(1.0, 2.0))),
        (-3.0, 0.0, Dual(NoTangent, NoTangent))
    );
    assert_eq!(<bool as CastRules<u8>>::cast(true), 1);
    assert_eq!(<u8 as CastRules<char>>::cast(b'a'), 'a');
    assert_eq!(<i64 as CastRules<u8>>::cast(257), 1);
}

#[test]
fn values_without_tangents_pass_the_assertion() {
    inactive_value(&3);
    inactive_value("text");
    inactive_value(&[(1, true); 3][..]);
    inactive_value(&Some(vec!['a']));
}

#[test]
fn pullbacks_keep_no_more_than_they_read() {
    fn size<T>(_: &T) -> usize {
        size_of::<T>()
    }
    let (_, add) = <f64 as BinaryRules<AddOp, f64>>::rrule(1.0, 2.0);
    let (_, sub) = <f64 as BinaryRules<SubOp, f64>>::rrule(1.0, 2.0);
    let (_, mul) = <f64 as BinaryRules<MulOp, f64>>::rrule(1.0, 2.0);
    let (_, div) = <f64 as BinaryRules<DivOp, f64>>::rrule(1.0, 2.0);
    let (_, rem) = <f64 as BinaryRules<RemOp, f64>>::rrule(1.0, 2.0);
    assert_eq!(
        [size(&add), size(&sub), size(&mul), size(&div), size(&rem)],
        [0, 0, 16, 16, 8]
    );
}

//! The operators of `f32` and `f64`.
//!
//! Products are plain but with the partials of `/` and `%`, which are infinite or NaN where the divisor is zero: a zero tangent or
//! cotangent times these is zero. A pullback keeps the operands of its formula: nothing for a sum, both factors of a
//! product, the divisor and the quotient of a division.

use super::{
    AddOp, BinaryRules, DivOp, MulOp, NegOp, RemOp, SubOp, UnaryRules, Varies, by_reference,
};
use crate::scalar::{strong_div, strong_mul};
use crate::{Dual, Scalar};

/// `a * b` for duals.
#[inline(always)]
fn times<T: Scalar>(a: Dual<T, T>, b: Dual<T, T>) -> Dual<T, T> {
    Dual(a.0 * b.0, a.1 * b.0 + a.0 * b.1)
}

/// `a / b` for duals, strong in both tangents.
#[inline(always)]
fn over<T: Scalar>(a: Dual<T, T>, b: Dual<T, T>) -> Dual<T, T> {
    let y = a.0 / b.0;
    Dual(y, strong_div(a.1 - strong_mul(b.1, y), b.0))
}

/// [`strong_mul`] for duals, strong in the cotangent `a` and in its tangent.
#[inline(always)]
fn strong_times<T: Scalar>(a: Dual<T, T>, b: Dual<T, T>) -> Dual<T, T> {
    Dual(
        strong_mul(a.0, b.0),
        strong_mul(a.1, b.0) + strong_mul(a.0, b.1),
    )
}

/// [`strong_div`] for duals, strong in the cotangent `a` and in its tangent.
#[inline(always)]
fn strong_over<T: Scalar>(a: Dual<T, T>, b: Dual<T, T>) -> Dual<T, T> {
    let y = strong_div(a.0, b.0);
    Dual(y, strong_div(a.1 - strong_mul(y, b.1), b.0))
}

#[inline(always)]
fn negative<T: Scalar>(a: Dual<T, T>) -> Dual<T, T> {
    Dual(-a.0, -a.1)
}

/// The whole number `q` in `a % b = a - q b`: the quotient, rounded towards zero.
///
/// It is taken from the remainder, which is exact, and so agrees with it where `a / b` rounds up to a whole number.
#[inline]
pub fn rem_quotient<T: Scalar>(a: T, b: T) -> T {
    let q = ((a - a % b) / b).to_f64();
    let half = if q < 0.0 { -0.5 } else { 0.5 };
    // Beyond 2^52 every f64 is a whole number (and NaN stays NaN).
    if -4_503_599_627_370_496.0 < q && q < 4_503_599_627_370_496.0 {
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_precision_loss,
            reason = "bounded above"
        )]
        let whole = (q + half) as i64 as f64;
        T::from_f64(whole)
    } else {
        T::from_f64(q)
    }
}

macro_rules! binary {
    (
        $op:ident($t:ty): |$a:ident, $b:ident| $primal:expr;
        frule |$da:ident, $db:ident| $frule:expr;
        rrule |$y:ident| [$($setup:stmt)?] |$y_bar:ident| $rrule:expr;
        rrule_frule |$dy:ident| [$($dual_setup:stmt)?] |$dy_bar:ident| $rrule_frule:expr
    ) => {
        #[diagnostic::do_not_recommend]
        impl BinaryRules<$op, $t> for $t {
            type Output = $t;
            type Operands = (Varies, Varies);

            #[inline(always)]
            fn primal($a: $t, $b: $t) -> $t {
                $primal
            }

            #[inline(always)]
            fn frule($da: Dual<$t, $t>, $db: Dual<$t, $t>) -> Dual<$t, $t> {
                $frule
            }

            #[inline(always)]
            #[allow(unused_variables)]
            fn rrule($a: $t, $b: $t) -> ($t, impl FnOnce($t) -> ($t, $t) + use<>) {
                let $y = $primal;
                $($setup)?
                ($y, move |$y_bar| $rrule)
            }

            #[inline(always)]
            #[allow(unused_variables)]
            fn rrule_frule(
                $da: Dual<$t, $t>,
                $db: Dual<$t, $t>,
            ) -> (Dual<$t, $t>, impl FnOnce(Dual<$t, $t>) -> (Dual<$t, $t>, Dual<$t, $t>) + use<>) {
                let $dy = $frule;
                $($dual_setup)?
                ($dy, move |$dy_bar| $rrule_frule)
            }
        }
    };
}

macro_rules! float {
    ($($t:ty)*) => {$(
        // y = a + b; a_bar = y_bar, b_bar = y_bar.
        binary! {
            AddOp($t): |a, b| a + b;
            frule |a, b| Dual(a.0 + b.0, a.1 + b.1);
            rrule |y| [] |y_bar| (y_bar, y_bar);
            rrule_frule |y| [] |y_bar| (y_bar, y_bar)
        }
        // y = a - b; a_bar = y_bar, b_bar = -y_bar.
        binary! {
            SubOp($t): |a, b| a - b;
            frule |a, b| Dual(a.0 - b.0, a.1 - b.1);
            rrule |y| [] |y_bar| (y_bar, -y_bar);
            rrule_frule |y| [] |y_bar| (y_bar, negative(y_bar))
        }
        // y = a b; a_bar = y_bar b, b_bar = y_bar a.
        binary! {
            MulOp($t): |a, b| a * b;
            frule |a, b| times(a, b);
            rrule |y| [] |y_bar| (y_bar * b, y_bar * a);
            rrule_frule |y| [] |y_bar| (times(y_bar, b), times(y_bar, a))
        }
        // y = a / b; a_bar = y_bar / b, b_bar = -a_bar y.
        binary! {
            DivOp($t): |a, b| a / b;
            frule |a, b| over(a, b);
            rrule |y| [] |y_bar| {
                let a_bar = strong_div(y_bar, b);
                (a_bar, -strong_mul(a_bar, y))
            };
            rrule_frule |y| [] |y_bar| {
                let a_bar = strong_over(y_bar, b);
                (a_bar, negative(strong_times(a_bar, y)))
            }
        }
        // y = a - q b with q = trunc(a / b), constant between the jumps; a_bar = y_bar, b_bar = -q y_bar.
        // At a multiple the partials are those of the piece that the quotient belongs to: 1 and -3 for 6 % 2.
        binary! {
            RemOp($t): |a, b| a % b;
            frule |a, b| Dual(a.0 % b.0, a.1 - strong_mul(b.1, rem_quotient(a.0, b.0)));
            rrule |y| [let q = rem_quotient(a, b)] |y_bar| (y_bar, -strong_mul(y_bar, q));
            rrule_frule |y| [let q = rem_quotient(a.0, b.0)] |y_bar| (y_bar, Dual(-strong_mul(y_bar.0, q), -strong_mul(y_bar.1, q)))
        }
        by_reference!($t, $t: AddOp SubOp MulOp DivOp RemOp);

        // y = -a; a_bar = -y_bar.
        #[diagnostic::do_not_recommend]
        impl UnaryRules<NegOp> for $t {
            type Output = $t;

            #[inline(always)]
            fn primal(a: $t) -> $t {
                -a
            }

            #[inline(always)]
            fn frule(a: Dual<$t, $t>) -> Dual<$t, $t> {
                negative(a)
            }

            #[inline(always)]
            fn rrule(a: $t) -> ($t, impl FnOnce($t) -> $t + use<>) {
                (-a, |y_bar: $t| -y_bar)
            }

            #[inline(always)]
            fn rrule_frule(a: Dual<$t, $t>) -> (Dual<$t, $t>, impl FnOnce(Dual<$t, $t>) -> Dual<$t, $t> + use<>) {
                (negative(a), negative)
            }
        }
        by_reference!(@unary NegOp $t, $t);
    )*};
}
float!(f32 f64);

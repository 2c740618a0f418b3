//! Each kind of parameter, given a value whose type is known, one that comes from a call, and one that is a field; with the
//! callee in a module, in another crate, and in one of another edition. [`check!`](crate::check::check) goes through
//! `frule`, `rrule`, `value_and_gradient` and `hvp`.

/// Defines the callers of one row and their tests.
macro_rules! callers {
    ($($kind:ident {
        known |$x:ident, $y:ident| $known:tt
        call |$x_2:ident, $y_2:ident| $call:tt
        field |$h:ident, $y_3:ident| $field:tt
    })*) => {
        $crate::check::flat!(callee::Pair { a: f64, b: f64 });
        $crate::check::flat!(callee::Curve { points: Vec<f64>, scale: f64 });
        $crate::check::flat!(callee::Holder {
            value: f64, values: Vec<f64>, pair: callee::Pair, curve: callee::Curve
        });
        $(
            mod $kind {
                use super::callee;
                use chainrule::prelude::*;

                #[differentiable]
                #[inline(never)]
                fn known($x: f64, $y: f64) -> f64 $known

                #[differentiable]
                #[inline(never)]
                fn call($x_2: f64, $y_2: f64) -> f64 $call

                #[differentiable]
                #[inline(never)]
                fn field($h: &callee::Holder, $y_3: f64) -> f64 $field

                mod values {
                    use super::callee;
                    use crate::check::check;

                    #[test]
                    fn known() {
                        check!(super::known(0.7, 1.9));
                    }

                    #[test]
                    fn call() {
                        check!(super::call(0.7, 1.9));
                    }

                    #[test]
                    fn field() {
                        check!(super::field(&callee::holder(), 1.9));
                    }
                }
            }
        )*
    };
}

/// All rows, with the callee in each place.
macro_rules! table {
    ($($rows:tt)*) => {
        mod sibling {
            use crate::calls::callees as callee;
            callers!($($rows)*);
        }

        mod second_crate {
            use ::callee;
            callers!($($rows)*);
        }

        mod edition_2021 {
            use ::callee_2021 as callee;
            callers!($($rows)*);
        }
    };
}

table! {
    owned {
        known |x, y| { callee::owned(x * y) * y }
        call |x, y| { let z = callee::make(x, y); callee::owned(z) * z }
        field |h, y| { callee::owned(h.value) * h.pair.a * y }
    }
    owned_pair {
        known |x, y| { let p = callee::Pair { a: x, b: x * y }; callee::owned_pair(p) * y }
        call |x, y| { let p = callee::make_pair(x, y); callee::owned_pair(p) * p.a }
        field |h, y| { callee::owned_pair(h.pair) * y + h.pair.b }
    }
    moved {
        known |x, y| { callee::moved(vec![x, y, x * y]) * x }
        call |x, y| { let v = callee::make_values(x, y); callee::moved(v) * y }
        field |h, y| { callee::moved(h.values.clone()) * y * h.values[0] }
    }
    moved_curve {
        known |x, y| { let c = callee::Curve { points: vec![x, y], scale: x * y, degree: 3 }; callee::moved_curve(c) * x }
        call |x, y| { let c = callee::make_curve(x, y); let s: f64 = c.scale; callee::moved_curve(c) * s }
        field |h, y| { callee::moved_curve(h.curve.clone()) * y }
    }
    by_ref {
        known |x, y| { let v = [x, y, x * y]; callee::by_ref(&v) * callee::by_ref(&v[1..]) }
        call |x, y| { let v = callee::make_values(x, y); callee::by_ref(&v) * v[1] }
        field |h, y| { callee::by_ref(&h.values) * y * callee::by_ref(&h.curve.points) }
    }
    by_ref_float {
        known |x, y| { let z = x * y; callee::by_ref_float(&z) * z }
        call |x, y| { let z = callee::make(x, y); callee::by_ref_float(&z) * z }
        field |h, y| { callee::by_ref_float(&h.value) * y * callee::by_ref_float(&h.values[1]) }
    }
    by_ref_curve {
        known |x, y| {
            let c = callee::Curve { points: vec![x, y], scale: x * y, degree: 3 };
            callee::by_ref_curve(&c) * c.scale
        }
        call |x, y| { let c = callee::make_curve(x, y); callee::by_ref_curve(&c) * c.points[0] }
        field |h, y| { callee::by_ref_curve(&h.curve) * y }
    }
    by_mut {
        known |x, y| { let mut v = [x, y, x * y]; callee::by_mut(&mut v) * v[2] }
        call |x, y| { let mut v = callee::make_values(x, y); let z = callee::by_mut(&mut v); z * v[2] + callee::by_mut(&mut v[1..]) }
        field |h, y| { let mut c = h.curve.clone(); callee::by_mut(&mut c.points) * y * c.points[1] }
    }
    by_mut_float {
        known |x, y| { let mut z = x * y; callee::by_mut_float(&mut z); z * y }
        call |x, y| { let mut z = callee::make(x, y); callee::by_mut_float(&mut z); z * z }
        field |h, y| { let mut z = h.value; callee::by_mut_float(&mut z); z * y }
    }
    by_mut_curve {
        known |x, y| {
            let mut c = callee::Curve { points: vec![x, y], scale: x * y, degree: 3 };
            callee::by_mut_curve(&mut c) * c.points[0] * c.scale
        }
        call |x, y| { let mut c = callee::make_curve(x, y); callee::by_mut_curve(&mut c) * c.scale }
        field |h, y| { let mut c = h.curve.clone(); callee::by_mut_curve(&mut c) * c.points[0] * y }
    }
    constant {
        known |x, y| { callee::constant(x * y, 1.5) * y }
        call |x, y| { let z = callee::make(x, y); callee::constant(z, 1.5) * z }
        field |h, y| { callee::constant(h.value, 1.5) * y }
    }
    constant_ref {
        known |x, y| { callee::constant_ref(x, &[0.3, -0.8]) * y }
        call |x, y| { let z = callee::make(x, y); callee::constant_ref(z, &[0.3, -0.8]) * z }
        field |h, y| { let w = vec![0.3, -0.8]; callee::constant_ref(h.value, &w) * y }
    }
    constant_mut {
        known |x, y| { let mut calls = 0; callee::constant_mut(x, &mut calls) + callee::constant_mut(y, &mut calls) }
        call |x, y| { let mut calls = 0; let z = callee::make(x, y); callee::constant_mut(z, &mut calls) * calls as f64 }
        field |h, y| { let mut calls = 0; callee::constant_mut(h.value, &mut calls) * y }
    }
    integer {
        known |x, y| { callee::integer(x * y, 2) + callee::integer(x, 0) }
        call |x, y| { let n = callee::make_count(1); callee::integer(x * y, n) * callee::integer(callee::make(x, y), n) }
        field |h, y| { callee::integer(h.value * y, h.count) * callee::integer(y, h.curve.degree) }
    }
    alias {
        known |x, y| { let v = vec![x, y]; callee::alias(x * y, 2, &v) }
        call |x, y| {
            let z = callee::make_weight(x, y);
            callee::alias(z, callee::make_count(1), &callee::make_values(x, y)) * z
        }
        field |h, y| { callee::alias(h.value, h.count, &h.values) * y }
    }
    mixed {
        known |x, y| {
            let (v, mut out) = ([x, y], [y, 1.0]);
            callee::mixed(&[0.3, -0.8], 2, x * y, &v, &mut out, vec![x, y]) * out[0]
        }
        call |x, y| {
            let (v, mut out) = (callee::make_values(x, y), callee::make_values(y, x));
            let m = callee::make_values(x, x);
            callee::mixed(&[0.3, -0.8], callee::make_count(1), callee::make(x, y), &v, &mut out, m) * out[0]
        }
        field |h, y| {
            let mut out = h.curve.points.clone();
            callee::mixed(&[0.3, -0.8], h.curve.degree, h.value, &h.values, &mut out, h.values.clone()) * out[0] * y
        }
    }
    receiver_by_value {
        known |x, y| { let c = callee::Curve { points: vec![x, y], scale: x * y, degree: 3 }; c.consumed(y) * x }
        call |x, y| { let c = callee::make_curve(x, y); c.consumed(y) * x }
        field |h, y| { h.curve.clone().consumed(y) * h.value }
    }
    receiver_by_value_copied {
        known |x, y| { let p = callee::Pair { a: x, b: x * y }; p.product(y) * p.a }
        call |x, y| { let p = callee::make_pair(x, y); p.product(y) * p.a }
        field |h, y| { h.pair.product(y) * h.pair.a }
    }
    receiver_by_ref {
        known |x, y| {
            let c = callee::Curve { points: vec![x, y], scale: x * y, degree: 3 };
            c.value(y) * c.value(c.scale)
        }
        call |x, y| { let c = callee::make_curve(x, y); c.value(y) * c.value(c.scale) }
        field |h, y| { h.curve.value(y) * h.curve.value(h.value) }
    }
    receiver_by_mut {
        known |x, y| {
            let mut c = callee::Curve { points: vec![x, y], scale: x * y, degree: 3 };
            c.step(y) * c.scale + c.step(x)
        }
        call |x, y| { let mut c = callee::make_curve(x, y); c.step(y) * c.scale + c.step(x) }
        field |h, y| { let mut p = h.pair; p.turn(y); p.turn(h.value); p.a * p.b }
    }
    receiver_constant {
        known |x, y| {
            let c = callee::Curve { points: vec![0.3], scale: 1.5, degree: 3 };
            c.constant_receiver(x * y) * y
        }
        call |x, y| { let c = callee::make_curve(1.5, 0.3); c.constant_receiver(x) * y }
        field |h, y| { let c = callee::Curve::straight(1.5); c.constant_receiver(h.value) * y }
    }
    associated {
        known |x, y| { let c = callee::Curve::straight(x * y); c.value(y) }
        call |x, y| { let c = callee::Curve::straight(callee::make(x, y)); c.value(x) }
        field |h, y| { h.curve.value(y) * callee::Curve::straight(h.value).scale }
    }
}

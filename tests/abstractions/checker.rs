//! The checker itself: rules that are wrong in one place are caught there.

use std::cell::Cell;

use crate::ad::{CoDual, Dual};
use crate::check::check;

/// What is wrong.
#[derive(Clone, Copy, PartialEq)]
enum Fault {
    None,
    FruleValue,
    FrulePartial,
    FruleWithoutDirection,
    FruleState,
    RruleValue,
    RrulePartial,
    RruleOverwrites,
    RruleKeepsCotangent,
    RruleLeavesState,
    RruleRemembers,
    JvpPartial,
    JvpLeavesState,
    VjpPartial,
    Value,
    GradientPartial,
    GradientLeavesState,
    IntoAdds,
    HvpPartial,
    HvpLeavesState,
}

thread_local! {
    static FAULT: Cell<Fault> = const { Cell::new(Fault::None) };
    static USES: Cell<u32> = const { Cell::new(0) };
}

fn is(fault: Fault) -> bool {
    FAULT.get() == fault
}

/// 1, or a little more.
fn slip(fault: Fault) -> f64 {
    if is(fault) { 1.0 + 1e-6 } else { 1.0 }
}

fn subject(x: &[f64], s: f64, v: &mut [f64]) -> f64 {
    let y = s * (x[0] * x[0] * x[0] + v[0] * v[0]);
    v[0] *= x[0];
    y
}

/// The rules of `subject`, by hand.
#[allow(non_camel_case_types)]
enum subject {}

impl subject {
    fn frule(
        Dual(x, x_dot): Dual<&[f64], &[f64]>,
        Dual(s, s_dot): Dual<f64, f64>,
        Dual(v, v_dot): Dual<&mut [f64], &mut [f64]>,
    ) -> Dual<f64, f64> {
        let (sum, v_0) = (x[0] * x[0] * x[0] + v[0] * v[0], v[0]);
        let sum_dot =
            3.0 * x[0] * x[0] * x_dot[0] * slip(Fault::FrulePartial) + 2.0 * v[0] * v_dot[0];
        v[0] *= x[0];
        v_dot[0] = v_dot[0] * x[0] + v_0 * x_dot[0] * slip(Fault::FruleState);
        let offset = if is(Fault::FruleWithoutDirection) && x_dot[0] + s_dot + v_dot[0] == 0.0 {
            1e-9
        } else {
            0.0
        };
        Dual(
            s * sum * slip(Fault::FruleValue),
            s_dot * sum + s * sum_dot + offset,
        )
    }

    fn rrule(
        x: &[f64],
        s: f64,
        v: &mut [f64],
    ) -> (
        f64,
        impl FnOnce(f64, CoDual<&[f64], &mut [f64]>, CoDual<&mut [f64], &mut [f64]>) -> f64 + use<>,
    ) {
        let v_0 = v[0];
        let y = subject(x, s, v) * slip(Fault::RruleValue);
        let pullback =
            move |y_bar: f64,
                  CoDual(x, x_bar): CoDual<&[f64], &mut [f64]>,
                  CoDual(v, v_bar): CoDual<&mut [f64], &mut [f64]>| {
                if !is(Fault::RruleLeavesState) {
                    v[0] = v_0;
                }
                if is(Fault::RruleOverwrites) {
                    x_bar[0] = 0.0;
                }
                x_bar[0] +=
                    y_bar * s * 3.0 * x[0] * x[0] * slip(Fault::RrulePartial) + v_bar[0] * v_0;
                let kept = if is(Fault::RruleKeepsCotangent) {
                    v_bar[0]
                } else {
                    0.0
                };
                v_bar[0] = v_bar[0] * x[0] + y_bar * s * 2.0 * v_0 + kept;
                USES.set(USES.get() + 1);
                if is(Fault::RruleRemembers) {
                    x_bar[0] += 1e-15 * f64::from(USES.get());
                }
                y_bar * (x[0] * x[0] * x[0] + v_0 * v_0)
            };
        (y, pullback)
    }

    fn jvp(
        x: &[f64],
        s: f64,
        v: &mut [f64],
        x_dot: &[f64],
        s_dot: f64,
        v_dot: &mut [f64],
    ) -> (f64, f64) {
        let v_0 = v[0];
        let Dual(y, y_dot) = subject::frule(Dual(x, x_dot), Dual(s, s_dot), Dual(v, v_dot));
        if !is(Fault::JvpLeavesState) {
            v[0] = v_0;
        }
        (y, y_dot * slip(Fault::JvpPartial))
    }

    fn vjp(x: &[f64], s: f64, v: &mut [f64], y_bar: f64) -> (f64, (Vec<f64>, f64, Vec<f64>)) {
        let (mut x_bar, mut v_bar) = (vec![0.0], vec![0.0]);
        let (y, pullback) = subject::rrule(x, s, v);
        let s_bar = pullback(y_bar, CoDual(x, &mut x_bar), CoDual(v, &mut v_bar));
        (y, (x_bar, s_bar * slip(Fault::VjpPartial), v_bar))
    }

    fn value_and_gradient(x: &[f64], s: f64, v: &mut [f64]) -> (f64, (Vec<f64>, f64, Vec<f64>)) {
        let v_0 = v[0];
        let (y, (x_bar, s_bar, v_bar)) = subject::vjp(x, s, v, 1.0);
        v[0] = if is(Fault::GradientLeavesState) {
            v_0 * x[0]
        } else {
            v_0
        };
        (
            y * slip(Fault::Value),
            (x_bar, s_bar * slip(Fault::GradientPartial), v_bar),
        )
    }

    fn gradient(x: &[f64], s: f64, v: &mut [f64]) -> (Vec<f64>, f64, Vec<f64>) {
        subject::value_and_gradient(x, s, v).1
    }

    fn value_and_gradient_into(
        x: &[f64],
        s: f64,
        v: &mut [f64],
        x_bar: &mut [f64],
        s_bar: &mut f64,
        v_bar: &mut [f64],
    ) -> f64 {
        let (y, gradient) = subject::value_and_gradient(x, s, v);
        x_bar[0] = gradient.0[0] + if is(Fault::IntoAdds) { x_bar[0] } else { 0.0 };
        *s_bar = gradient.1;
        v_bar[0] = gradient.2[0];
        y
    }

    fn hvp(
        x: &[f64],
        s: f64,
        v: &mut [f64],
        x_dot: &[f64],
        s_dot: f64,
        v_dot: &mut [f64],
    ) -> (Vec<f64>, f64, Vec<f64>) {
        let (a, c) = (x_dot[0], v_dot[0]);
        let result = (
            vec![6.0 * s * x[0] * a + 3.0 * x[0] * x[0] * s_dot * slip(Fault::HvpPartial)],
            3.0 * x[0] * x[0] * a + 2.0 * v[0] * c,
            vec![2.0 * v[0] * s_dot + 2.0 * s * c],
        );
        if is(Fault::HvpLeavesState) {
            v[0] *= x[0];
        }
        result
    }
}

fn run(fault: Fault) {
    FAULT.set(fault);
    check!(subject(&[0.7], 1.3, &mut [0.4]));
}

#[test]
fn right_rules_pass() {
    run(Fault::None);
}

macro_rules! caught {
    ($($name:ident: $fault:ident, $message:literal;)*) => {$(
        #[test]
        #[should_panic(expected = $message)]
        fn $name() {
            run(Fault::$fault);
        }
    )*};
}

caught! {
    frule_value: FruleValue, "frule: the value";
    frule_partial: FrulePartial, "frule with respect to input 0";
    frule_state: FruleState, "frule with respect to input 0";
    frule_without_direction: FruleWithoutDirection, "frule in no direction";
    rrule_value: RruleValue, "rrule: the value";
    rrule_partial: RrulePartial, "rrule of output 0 against frule";
    rrule_overwrites: RruleOverwrites, "rrule, cotangent of input 0";
    rrule_keeps_cotangent: RruleKeepsCotangent, "rrule of output 1 against frule";
    rrule_leaves_state: RruleLeavesState, "rrule: the arguments after the pullback";
    rrule_remembers: RruleRemembers, "rrule, used again";
    jvp_partial: JvpPartial, "jvp against frule";
    jvp_leaves_state: JvpLeavesState, "jvp: the arguments";
    vjp_partial: VjpPartial, "vjp against frule";
    value: Value, "value_and_gradient: the value";
    gradient_partial: GradientPartial, "value_and_gradient against frule";
    gradient_leaves_state: GradientLeavesState, "value_and_gradient: the arguments";
    into_adds: IntoAdds, "value_and_gradient_into: the buffers";
    hvp_partial: HvpPartial, "hvp in direction 1";
    hvp_leaves_state: HvpLeavesState, "hvp: the arguments";
}

/// A kink at the point: the differences depend on the step.
mod kink {
    use crate::ad::Dual;

    pub(super) fn f(x: f64) -> f64 {
        x.max(0.001)
    }

    #[allow(non_camel_case_types)]
    pub(super) enum f {}

    impl f {
        pub(super) fn frule(Dual(x, x_dot): Dual<f64, f64>) -> Dual<f64, f64> {
            Dual(f(x), x_dot)
        }

        pub(super) fn rrule(x: f64) -> (f64, impl FnOnce(f64) -> f64) {
            (f(x), |y_bar| y_bar)
        }

        pub(super) fn jvp(x: f64, x_dot: f64) -> (f64, f64) {
            (f(x), x_dot)
        }

        pub(super) fn vjp(x: f64, y_bar: f64) -> (f64, f64) {
            (f(x), y_bar)
        }
    }
}

#[test]
#[should_panic(expected = "inconclusive")]
fn kinks_are_inconclusive() {
    crate::check::check_map!(kink::f(0.0015));
}

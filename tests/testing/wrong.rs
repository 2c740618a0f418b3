//! Rules that are wrong in one place are caught, and the report names the place.

use chainrule::__private::mode::{Mut, Owned, Ref, by_mut, by_ref, owned};
use chainrule::testing::{Outcome, Report, examine_rules};
use chainrule::{CoDual, Dual};

/// What is wrong.
#[derive(Clone, Copy, PartialEq)]
enum Fault {
    Nothing,
    Value,
    Sign,
    Factor,
    MissingTerm,
    SmallComponent,
    Overwrites,
    NotRestored,
    Stale,
    Remembers,
    SecondUse,
    OneIteration,
    SecondOrder,
    SecondOrderAsymmetric,
    SecondOrderOverwrites,
}

/// The product of all entries but one.
fn without(x: &[f64], i: usize) -> f64 {
    (0..x.len()).filter(|j| *j != i).map(|j| x[j]).product()
}

/// The product of all entries but two.
fn without_both(x: &[f64], i: usize, k: usize) -> f64 {
    (0..x.len())
        .filter(|j| *j != i && *j != k)
        .map(|j| x[j])
        .product()
}

/// A function with rules written by hand, in the form of the attribute's, and one fault.
macro_rules! subject {
    ($name:ident, $fault:expr) => {
        #[allow(
            non_camel_case_types,
            clippy::type_complexity,
            clippy::unnecessary_wraps
        )]
        mod $name {
            use super::*;
            use std::cell::Cell;

            const FAULT: Fault = $fault;

            thread_local! {
                static KEPT: Cell<f64> = const { Cell::new(0.0) };
                static USES: Cell<f64> = const { Cell::new(0.0) };
            }

            fn is(fault: Fault) -> bool {
                FAULT == fault
            }

            pub(crate) fn subject(x: &[f64], s: f64, state: &mut [f64]) -> f64 {
                let y = s * x.iter().product::<f64>() + state[0] * state[0];
                state[0] *= x[0];
                y
            }

            pub(crate) enum subject {}

            impl subject {
                pub(crate) fn __modes() -> (Ref<[f64]>, Owned<f64>, Mut<[f64]>) {
                    (by_ref(), owned(), by_mut())
                }

                pub(crate) fn frule(
                    Dual(x, x_dot): Dual<&[f64], &[f64]>,
                    Dual(s, s_dot): Dual<f64, f64>,
                    Dual(v, v_dot): Dual<&mut [f64], &mut [f64]>,
                ) -> Dual<f64, f64> {
                    let product: f64 = x.iter().product();
                    let mut product_dot: f64 = (0..x.len()).map(|i| x_dot[i] * without(x, i)).sum();
                    if is(Fault::Factor) {
                        product_dot *= 2.0;
                    }
                    if is(Fault::SmallComponent) {
                        product_dot += 1e-6 * x_dot[2];
                    }
                    let sign = if is(Fault::Sign) { -1.0 } else { 1.0 };
                    let (v_0, v_0_dot) = (v[0], v_dot[0]);
                    let y = subject(x, s, v);
                    v_dot[0] = v_0_dot * x[0] + v_0 * x_dot[0];
                    let y = if is(Fault::Value) {
                        y * (1.0 + f64::EPSILON)
                    } else {
                        y
                    };
                    Dual(
                        y,
                        sign * s_dot * product + s * product_dot + 2.0 * v_0 * v_0_dot,
                    )
                }

                pub(crate) fn __rrule(
                    x: &[f64],
                    s: f64,
                    v: &mut [f64],
                ) -> (
                    f64,
                    impl FnOnce(
                        f64,
                        CoDual<&[f64], &mut [f64]>,
                        (),
                        CoDual<&mut [f64], &mut [f64]>,
                    ) -> ((), f64, ())
                    + use<>,
                ) {
                    let v_0 = v[0];
                    KEPT.set(v_0);
                    let y = subject(x, s, v);
                    let pullback =
                        move |y_bar: f64,
                              CoDual(x, x_bar): CoDual<&[f64], &mut [f64]>,
                              (): (),
                              CoDual(v, v_bar): CoDual<&mut [f64], &mut [f64]>| {
                            let v_0 = if is(Fault::Remembers) {
                                KEPT.get()
                            } else {
                                v_0
                            };
                            let read = if is(Fault::Stale) { v[0] } else { v_0 };
                            if !is(Fault::NotRestored) {
                                v[0] = v_0;
                            }
                            if is(Fault::Overwrites) {
                                x_bar.fill(0.0);
                            }
                            for i in 0..x.len() {
                                let others = if is(Fault::OneIteration) {
                                    x[..i].iter().product()
                                } else {
                                    without(x, i)
                                };
                                let small = if is(Fault::SmallComponent) && i == 2 {
                                    1e-6
                                } else {
                                    0.0
                                };
                                let factor = if is(Fault::Factor) { 2.0 } else { 1.0 };
                                x_bar[i] += y_bar * s * (factor * others + small);
                            }
                            if !is(Fault::MissingTerm) {
                                x_bar[0] += v_bar[0] * v_0;
                            }
                            v_bar[0] = v_bar[0] * x[0] + y_bar * 2.0 * read;
                            USES.set(USES.get() + 1.0);
                            let drift = if is(Fault::SecondUse) {
                                1e-13 * USES.get()
                            } else {
                                0.0
                            };
                            let sign = if is(Fault::Sign) { -1.0 } else { 1.0 };
                            ((), sign * y_bar * x.iter().product::<f64>() + drift, ())
                        };
                    (y, pullback)
                }

                pub(crate) fn __rrule_frule<'a>(
                    x: Dual<&'a [f64], &'a [f64]>,
                    s: Dual<f64, f64>,
                    Dual(v, v_dot): Dual<&'a mut [f64], &'a mut [f64]>,
                ) -> (
                    Dual<f64, f64>,
                    impl FnOnce(
                        Dual<f64, f64>,
                        CoDual<Dual<&[f64], &[f64]>, Dual<&mut [f64], &mut [f64]>>,
                        (),
                        CoDual<Dual<&mut [f64], &mut [f64]>, Dual<&mut [f64], &mut [f64]>>,
                    ) -> ((), Dual<f64, f64>, ())
                    + use<>,
                ) {
                    let (v_0, v_0_dot) = (v[0], v_dot[0]);
                    let y = subject::frule(x, s, Dual(v, v_dot));
                    let Dual(s, s_dot) = s;
                    let pullback = move |Dual(y_bar, y_bar_dot): Dual<f64, f64>,
                                         CoDual(Dual(x, x_dot), Dual(x_bar, x_bar_dot)): CoDual<
                        Dual<&[f64], &[f64]>,
                        Dual<&mut [f64], &mut [f64]>,
                    >,
                                         (): (),
                                         CoDual(Dual(v, v_dot), Dual(v_bar, v_bar_dot)): CoDual<
                        Dual<&mut [f64], &mut [f64]>,
                        Dual<&mut [f64], &mut [f64]>,
                    >| {
                        (v[0], v_dot[0]) = (v_0, v_0_dot);
                        let n = x.len();
                        if is(Fault::SecondOrderOverwrites) {
                            x_bar_dot.fill(0.0);
                        }
                        for i in 0..n {
                            let others = without(x, i);
                            let terms = (0..n)
                                .filter(|k| *k != i)
                                .map(|k| x_dot[k] * without_both(x, i, k));
                            let mut others_dot: f64 = terms.sum();
                            if is(Fault::SecondOrder) {
                                others_dot = 0.0;
                            }
                            if is(Fault::SecondOrderAsymmetric) && i == 0 {
                                others_dot += 1e-7 * x_dot[1];
                            }
                            x_bar[i] += y_bar * s * others;
                            x_bar_dot[i] += y_bar_dot * s * others
                                + y_bar * s_dot * others
                                + y_bar * s * others_dot;
                        }
                        x_bar[0] += v_bar[0] * v_0;
                        x_bar_dot[0] += v_bar_dot[0] * v_0 + v_bar[0] * v_0_dot;
                        let (bar, bar_dot) = (v_bar[0], v_bar_dot[0]);
                        v_bar[0] = bar * x[0] + y_bar * 2.0 * v_0;
                        v_bar_dot[0] = bar_dot * x[0]
                            + bar * x_dot[0]
                            + 2.0 * (y_bar_dot * v_0 + y_bar * v_0_dot);
                        let product: f64 = x.iter().product();
                        let product_dot: f64 = (0..n).map(|i| x_dot[i] * without(x, i)).sum();
                        (
                            (),
                            Dual(y_bar * product, y_bar_dot * product + y_bar * product_dot),
                            (),
                        )
                    };
                    (y, pullback)
                }
            }
        }
    };
}

/// One test for each fault, with what the report says.
macro_rules! caught {
    ($($name:ident: $fault:ident, $second:tt, [$($says:expr),*];)*) => {$(
        mod $name {
            use super::*;

            subject!(rules, Fault::$fault);
            use rules::subject;

            #[test]
            fn is_caught() {
                let x = [1.5, -0.75, 0.5];
                let report = caught!(@ $second x);
                println!("{report}");
                assert_eq!(report.outcome(), Outcome::Failed, "{report}");
                $(assert!(report.to_string().contains($says), "{report}");)*
            }
        }
    )*};
    (@ first $x:ident) => {
        examine_rules!(subject, &$x, 1.25, &mut [0.75]; order = 1)
    };
    (@ second $x:ident) => {
        examine_rules!(subject, &$x, 1.25, &mut [0.75])
    };
}

caught! {
    a_value: Value, first, ["the forward rule, the result: its value is not that of the function, bit for bit"];
    a_sign: Sign, first, ["the forward rule, the result, with respect to `argument 2`: it differs from differences"];
    a_factor: Factor, first, ["the forward rule, the result, with respect to `x[0]`", "`x[1]`", "`x[2]`"];
    a_missing_term: MissingTerm, first, ["the reverse rule, with respect to `x[0]`: it differs from the forward rule"];
    a_small_component: SmallComponent, first, ["the forward rule, the result, with respect to `x[2]`: it differs from differences"];
    an_overwritten_shadow: Overwrites, first, ["with respect to `x[0]`: its shadow is overwritten, where it should be added to"];
    an_argument_that_is_not_restored: NotRestored, first, ["with respect to `argument 3[0]`: the argument is not restored"];
    a_stale_residual: Stale, first, ["the reverse rule, with respect to `argument 3[0]`: it differs from the forward rule"];
    a_residual_outside_of_the_pullback: Remembers, first, ["another use between its two halves changes the result"];
    a_second_use: SecondUse, first, ["with respect to `argument 2`: a second use gives something else"];
    right_at_one_iteration_only: OneIteration, first, ["the reverse rule, with respect to `x[1]`: it differs from the forward rule"];
    second_order: SecondOrder, second, ["the reverse rule of second order, the cotangent of `x[0]`, with respect to `x[1]`: it differs from differences"];
    an_asymmetry: SecondOrderAsymmetric, second, ["the cotangent of `x[0]`, with respect to `x[1]`: it isn't symmetric"];
    an_overwritten_shadow_in_second_order: SecondOrderOverwrites, second, ["the reverse rule of second order, with respect to `x[0]`: the tangent of its cotangent"];
}

mod right {
    use super::*;

    subject!(rules, Fault::Nothing);
    use rules::subject;

    #[test]
    fn passes() {
        let x = [1.5, -0.75, 0.5];
        let report = examine_rules!(subject, &x, 1.25, &mut [0.75]);
        assert_eq!(report.outcome(), Outcome::Passed, "{report}");
        assert!(report.comparisons() > 100, "{report}");
    }
}

/// Right in the one iteration that this point has.
mod one_iteration {
    use super::*;

    subject!(rules, Fault::OneIteration);
    use rules::subject;

    #[test]
    fn needs_a_point_with_more() {
        let outcome = |report: Report| report.outcome();
        assert_eq!(
            outcome(examine_rules!(subject, &[1.5], 1.25, &mut [0.75]; order = 1)),
            Outcome::Passed
        );
        assert_eq!(
            outcome(examine_rules!(subject, &[1.5, 2.0], 1.25, &mut [0.75]; order = 1)),
            Outcome::Failed
        );
    }
}

/// Rules of functions of one number, from both derivatives.
macro_rules! of_one_number {
    ($name:ident, |$x:ident| $f:expr, forward $forward:expr, reverse $reverse:expr) => {
        #[allow(non_camel_case_types, clippy::neg_multiply)]
        mod $name {
            use super::*;

            pub(crate) fn f($x: f64) -> f64 {
                $f
            }

            pub(crate) enum f {}

            impl f {
                pub(crate) fn __modes() -> (Owned<f64>,) {
                    (owned(),)
                }

                pub(crate) fn frule(Dual($x, x_dot): Dual<f64, f64>) -> Dual<f64, f64> {
                    Dual(f($x), $forward * x_dot)
                }

                pub(crate) fn __rrule($x: f64) -> (f64, impl FnOnce(f64, ()) -> (f64,)) {
                    (f($x), move |y_bar, ()| ($reverse * y_bar,))
                }
            }
        }
    };
}
of_one_number!(outside, |x| x.abs(), forward 1.5, reverse 1.5);
of_one_number!(inside, |x| x.abs(), forward 0.5, reverse 0.5);
of_one_number!(apart, |x| x.abs(), forward 1.0, reverse -1.0);
of_one_number!(saturated, |x| (1e3 * x).tanh(), forward 1e3 / (1e3 * x).cosh().powi(2), reverse 1e3 / (1e3 * x).cosh().powi(2));
of_one_number!(rounded, |x| x.round(), forward 0.0, reverse 0.0);
of_one_number!(straight_through, |x| x.round(), forward 1.0, reverse 1.0);
of_one_number!(step, |x| if x >= 1.0 { 1.0 } else { 0.0 }, forward 0.0, reverse 0.0);
of_one_number!(root, |x| x.sqrt(), forward 0.5 / x.sqrt(), reverse 0.5 / x.sqrt());
of_one_number!(asserting, |x| { assert!(x >= 2.0); x }, forward 1.0, reverse 1.0);
of_one_number!(end_of_domain, |x| x * x.sqrt(), forward 1.5 * x.sqrt(), reverse 1.5 * x.sqrt());
of_one_number!(wrong_at_the_end, |x| x * x.sqrt() + x, forward 2.0, reverse 2.0);
of_one_number!(wrong_by_little, |x| x.exp(), forward x.exp() * (1.0 + 1e-7), reverse x.exp() * (1.0 + 1e-7));
of_one_number!(wrong_zero, |x| 1e-6 * x, forward 0.0, reverse 0.0);
of_one_number!(wrong_constant, |x| 0.0 * x + 3.0, forward 1e-3, reverse 1e-3);

/// The outcome of a check in first order.
macro_rules! outcome {
    ($module:ident, $x:expr) => {{
        let report = examine_rules!($module::f, $x; order = 1);
        println!("{report}");
        report.outcome()
    }};
}

#[test]
fn at_a_kink_the_derivative_lies_between_the_one_sided_ones() {
    assert_eq!(outcome!(inside, 0.0), Outcome::Passed);
    assert_eq!(outcome!(outside, 0.0), Outcome::Failed);
    assert_eq!(outcome!(apart, 0.0), Outcome::Failed);
    let report = examine_rules!(outside::f, 0.0; order = 1).to_string();
    assert!(
        report.contains("there is a kink, and it isn't between the one-sided differences"),
        "{report}"
    );
}

#[test]
fn saturated_functions_are_inconclusive() {
    for x in [0.3, 5.0, -5.0] {
        assert_eq!(outcome!(saturated, x), Outcome::Inconclusive, "{x}");
    }
    assert_eq!(outcome!(saturated, 1e-3), Outcome::Passed);
    for x in [0.3, 17.2, 1e4 + 0.1] {
        assert_eq!(outcome!(rounded, x), Outcome::Inconclusive, "{x}");
    }
    assert_eq!(outcome!(straight_through, 0.3), Outcome::Failed);
}

#[test]
fn jumps_and_ends_are_inconclusive() {
    assert_eq!(outcome!(step, 1.0), Outcome::Inconclusive);
    assert_eq!(outcome!(root, 0.0), Outcome::Inconclusive);
    assert_eq!(outcome!(root, 1e-7), Outcome::Passed);
}

#[test]
fn at_the_end_of_a_domain_one_side_is_enough() {
    assert_eq!(outcome!(asserting, 2.0), Outcome::Passed);
    assert_eq!(outcome!(wrong_at_the_end, 0.0), Outcome::Failed);
    assert_ne!(outcome!(end_of_domain, 0.0), Outcome::Failed);
}

#[test]
fn small_errors_are_caught() {
    for x in [-3.0, 0.5, 12.0] {
        assert_eq!(outcome!(wrong_by_little, x), Outcome::Failed, "{x}");
    }
    assert_eq!(outcome!(wrong_zero, 1.0), Outcome::Failed);
    assert_eq!(outcome!(wrong_constant, 1.0), Outcome::Failed);
}

#[chainrule::primitive(partials(x = y + 1.0, y = x))]
fn product(x: f64, y: f64) -> f64 {
    x * y
}

#[test]
fn a_wrong_partial_of_a_primitive() {
    let report = examine_rules!(product, 2.0, 3.0);
    assert_eq!(report.outcome(), Outcome::Failed, "{report}");
    assert!(
        report
            .to_string()
            .contains("with respect to `argument 1`: it differs from differences"),
        "{report}"
    );
}

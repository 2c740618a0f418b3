//! The rules of all functions, against finite differences and each other. That targets agree says nothing of whether they are right.
#![allow(
    clippy::cast_lossless,
    clippy::cast_precision_loss,
    reason = "integers of all types are cast alike"
)]

use std::collections::BTreeMap;

use chainrule::prelude::*;
use chainrule::testing::check_rules;
use targets::structures::{Figure, Spring};
use targets::{Exactness, arithmetic, elementary, entries, integers, plans, steps, structures};

const X: [f64; 6] = [0.3, -1.2, 0.7, 2.1, -0.4, 1.1];

#[test]
fn loops() {
    check_rules!(arithmetic::rosenbrock, &X);
    check_rules!(arithmetic::stencil, &X, 1.7);
    check_rules!(
        arithmetic::layers,
        &[0.3, -1.1, 0.7, 0.2, 1.3, -0.6, 0.9, 0.5, -0.8],
        &[0.4, 1.2],
        3
    );
    check_rules!(arithmetic::iterated, &X);
    check_rules!(arithmetic::fused, &X, 0.77);
    check_rules!(arithmetic::not_fused, &X, 0.77);
    check_rules!(arithmetic::mixed, &[0.3_f32, -1.7, 2.2], &[0.7, 1.3, -0.2]);
    check_rules!(arithmetic::single, &[0.3_f32, 1.7, 2.2], 0.6);
    check_rules!(arithmetic::pieces, 7.3, 2.1);
    check_rules!(arithmetic::cholesky, &[4.0, 0.5, 0.5, 3.0], 2);
    check_rules!(arithmetic::captured, &X, 0.7);
    check_rules!(arithmetic::grown, &X);
}

#[test]
fn structures_and_generics() {
    let spring = |ends| Spring {
        stiffness: 1.3,
        length: 0.9,
        ends,
    };
    let springs = [spring((0, 1)), spring((4, 2))];
    check_rules!(structures::springs, &springs, &X);
    let rectangle = Figure::Rectangle {
        width: -1.1,
        height: 0.3,
    };
    let figures = [
        Figure::Circle(0.7),
        rectangle.clone(),
        Figure::Copies(Box::new(rectangle), 3),
    ];
    check_rules!(structures::areas, &figures, 1.3);
    check_rules!(structures::norm::<f64>, &X, 0.4);
    check_rules!(structures::laws, 0.7, 1.9, &[0.3, 1.1, 0.8]);
    let table: BTreeMap<usize, f64> = [(0, 0.5), (3, 1.5)].into();
    check_rules!(structures::prices, &X, &table);
    check_rules!(structures::halves, &X);
    check_rules!(structures::queue, &X);
    check_rules!(structures::forces, &X, 0.45);
    // Of first order only.
    let (value, (x_bar, depth_bar)) = structures::descended::value_and_gradient(0.4, 1.3, 12);
    assert_eq!(value, structures::descended(0.4, 1.3, 12));
    let slope = |f: &dyn Fn(f64) -> f64| (f(1e-6) - f(-1e-6)) / 2e-6;
    let by_x = slope(&|h| structures::descended(0.4 + h, 1.3, 12));
    let by_depth = slope(&|h| structures::descended(0.4, 1.3 + h, 12));
    assert!((x_bar - by_x).abs() < 1e-8 && (depth_bar - by_depth).abs() < 1e-8);
}

/// `f` of an `Option` has drivers that return one.
#[test]
fn optional_results() {
    let (value, (x_bar, bound_bar)) = structures::bounded::value_and_gradient(&X, 1.0).unwrap();
    assert_eq!(Some(value), structures::bounded(&X, 1.0));
    // Of what is kept, 0.3, 0.7 and -0.4, the mean times the bound, and the square of the first one times the bound's.
    assert!((bound_bar - (0.6 / 3.0 + 2.0 * 0.09)).abs() < 1e-15);
    assert!((x_bar[0] - (1.0 / 3.0 + 0.6)).abs() < 1e-15);
    assert_eq!((x_bar[1], x_bar[5]), (0.0, 0.0));
    assert_eq!(structures::bounded::gradient(&X, 0.01), None);
}

#[test]
fn integrators() {
    check_rules!(steps::lotka_volterra, &[1.1, 0.4, 0.1, 0.4], 9);
    check_rules!(steps::map, 0.3, 3.1, 5_000_000_000, 9);
    check_rules!(steps::heat, &X, 0.2, 7);
    check_rules!(steps::swapped, &X, 0.01, 5);
}

#[test]
fn integer_arithmetic() {
    check_rules!(integers::scattered, &X, 42, 20);
    check_rules!(integers::positions, &X);
    check_rules!(integers::counted, 0.3, 3);
    check_rules!(integers::bits, &X, 0x0b5a_93c7);
    for (first, end) in [(0, 4), (5_000_000_000, 5_000_000_004), (7, 2)] {
        check_rules!(integers::ranges, &X, first, end);
    }
}

/// Ranges of each type beside a list: by value, by reference, from the end, with the last one.
macro_rules! ranges_of {
    ($($t:ident)*) => {$(
        mod $t {
            use chainrule::prelude::*;

            #[differentiable]
            pub(super) fn beside(x: &[f64], #[constant] lo: $t, #[constant] hi: $t) -> f64 {
                let mut total = 0.0;
                for (k, v) in (lo..hi).zip(x) {
                    total += (k % 7) as f64 * v * v;
                }
                for (v, k) in x.iter().zip((lo..hi).rev()) {
                    total += (k % 5) as f64 * v;
                }
                let weighted = x.iter().zip(lo..=hi).map(|(v, k)| v * (k % 3) as f64);
                total * weighted.sum::<f64>()
            }
        }
    )*};
}
ranges_of! { u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize }

#[test]
fn ranges_of_all_types() {
    macro_rules! check {
        ($($t:ident)*) => {$(
            let (lo, hi) = ($t::MAX / 2 - 3, $t::MAX / 2 + 7);
            let expected = {
                let first: f64 = (lo..hi).zip(X).map(|(k, v)| (k % 7) as f64 * v * v).sum();
                let second: f64 = (lo..hi).rev().zip(X).map(|(k, v)| (k % 5) as f64 * v).sum();
                let third: f64 = (lo..=hi).zip(X).map(|(k, v)| (k % 3) as f64 * v).sum();
                (first + second) * third
            };
            let (value, _) = $t::beside::value_and_gradient(&X, lo, hi);
            assert!((value - expected).abs() < 1e-12, "{value} {expected}");
            check_rules!($t::beside, &X, lo, hi);
            check_rules!($t::beside, &X, lo, lo + 2);
            check_rules!($t::beside, &X, hi, lo);
            check_rules!($t::beside, &X, $t::MIN, $t::MIN + 3);
        )*};
    }
    check! { u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize }
}

#[differentiable]
fn beside_wide(x: &[f64], #[constant] narrow: (i8, i8), #[constant] wide: (isize, isize)) -> f64 {
    let mut total = 0.0;
    for (k, v) in (narrow.0..narrow.1).zip(x) {
        total += k as f64 * v * v;
    }
    for (v, k) in x.iter().zip(wide.0..=wide.1) {
        total += (k % 7) as f64 * v;
    }
    total
}

/// Their differences don't fit the types, but a `usize`.
#[test]
fn wide_ranges() {
    let wide = (isize::MIN, isize::MAX - 1);
    check_rules!(beside_wide, &X, (i8::MIN, i8::MAX), wide);
}

/// A `usize` of 32 bits can't hold the difference of many numbers that others can.
#[test]
#[should_panic(expected = "a range of more numbers than a `usize` holds")]
fn a_range_that_is_too_long_is_a_panic() {
    u128::beside::gradient(&X, 0, 1 << usize::BITS);
}

#[test]
fn sparse_plans() {
    check_rules!(plans::chain, &X);
    check_rules!(plans::differences, &X);
    let dense = plans::chain::hessian(&X);
    let (counts, values) = plans::hessian(&X);
    let mut found = values.iter();
    let mut rows = counts[2..].iter();
    for j in 0..X.len() {
        for i in (0..X.len()).filter(|i| dense[(*i, j)] != 0.0) {
            assert_eq!(
                (rows.next(), found.next()),
                (Some(&i), Some(&dense[(i, j)]))
            );
        }
    }
    assert_eq!(found.next(), None);
    assert!(plans::changed(&X) < X.len());
}

#[test]
fn elementary_functions() {
    for x in [0.3, 2.7] {
        check_rules!(elementary::sin, x);
        check_rules!(elementary::cos, x);
        check_rules!(elementary::tan, x);
        check_rules!(elementary::atan, x);
        check_rules!(elementary::exp, x);
        check_rules!(elementary::exp_m1, x);
        check_rules!(elementary::ln, x);
        check_rules!(elementary::ln_1p, x);
        check_rules!(elementary::log10, x);
        check_rules!(elementary::tanh, x);
        check_rules!(elementary::sinh, x);
        check_rules!(elementary::cbrt, x);
        check_rules!(elementary::powi, x);
        check_rules!(elementary::powf, x);
        check_rules!(elementary::hypot, x);
        check_rules!(elementary::atan2, x);
    }
    check_rules!(
        elementary::regression,
        &[0.3, -0.7],
        &[0.2, 1.1, -0.4, 0.9],
        &[1.0, 0.0]
    );
    check_rules!(elementary::pendulum, 0.7, 9.81, 12);
    check_rules!(elementary::mixture, &[0.1, 0.8, 1.9, 0.6], &[0.3, 1.7]);
}

/// Were a product and a sum contracted to one operation, the numbers would be others: those of the polynomial that is written so.
#[test]
fn a_contraction_would_be_seen() {
    let entries = entries();
    let numbers = |name: &str| {
        let entry = entries.iter().find(|entry| entry.name == name).unwrap();
        assert_eq!(entry.exactness, Exactness::Exact);
        entry.numbers.clone()
    };
    let (fused, not_fused) = (numbers("mul_add"), numbers("no-contraction"));
    assert_eq!(fused.len(), not_fused.len());
    assert_ne!(fused[0], not_fused[0]);
    let other = fused.iter().zip(&not_fused).filter(|(a, b)| a != b).count();
    assert!(other > 5, "{other}");
}

#[test]
fn a_report_is_read_as_it_was_written() {
    let entries = entries();
    assert!(entries.len() > 40);
    let numbers = entries.iter().flat_map(|entry| &entry.numbers);
    assert!(numbers.clone().count() > 3000 && !numbers.into_iter().any(|v| v.is_nan()));
    let text = targets::report(&entries);
    let again = targets::parse(&text).unwrap();
    assert_eq!(targets::report(&again), text);
    assert_eq!(
        targets::parse("rosenbrock exact 12 x").unwrap_err(),
        "rosenbrock exact 12 x"
    );
    assert!(targets::parse("rosenbrock near 12").is_err());
}

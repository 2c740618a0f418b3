//! Ranges that contain their end, up to the greatest number there is.

use std::panic::catch_unwind;

use crate::check::check;
use chainrule::prelude::*;

#[differentiable]
fn wrapped(x: &[f64], lo: usize, hi: usize) -> f64 {
    let mut sum = 0.0;
    for i in lo..=hi {
        sum += x[i % x.len()] * x[i % x.len()];
    }
    sum
}

#[differentiable]
fn last_two(x: &[f64], hi: usize) -> f64 {
    let mut sum = 0.0;
    for i in (0..=hi).rev().take(2) {
        sum += x[i % x.len()] * x[i % x.len()];
    }
    sum
}

/// Heron's method, with any number of steps.
#[differentiable]
fn root(x: f64, most: usize) -> f64 {
    let mut y = x;
    for _ in 1..=most {
        let next = 0.5 * (y + x / y);
        let is_close = (next - y).abs() < 1e-12;
        y = next;
        if is_close {
            break;
        }
    }
    y
}

#[differentiable]
fn root_by_while(x: f64, most: usize) -> f64 {
    let (mut y, mut i) = (x, 1);
    while i <= most {
        let next = 0.5 * (y + x / y);
        let is_close = (next - y).abs() < 1e-12;
        y = next;
        if is_close {
            break;
        }
        i += 1;
    }
    y
}

#[differentiable]
fn series(x: f64, c: &[f64], order: usize) -> f64 {
    let mut sum = 0.0;
    for c in c {
        let mut term = *c;
        for k in 1..=order {
            term *= x / k as f64;
        }
        sum += term;
    }
    sum
}

#[differentiable]
fn up_to_the_last(x: &[f64], rows: &[usize]) -> f64 {
    let mut sum = 0.0;
    for n in rows {
        for i in 0..=n - 1 {
            sum += x[i] * x[i] * x[0];
        }
    }
    sum
}

/// Without a use of the counter, an empty range is not seen by an index out of bounds.
#[differentiable]
fn power(x: f64, n: usize) -> f64 {
    let mut product = 1.0;
    for _ in 0..=n - 1 {
        product *= x;
    }
    product
}

#[test]
fn ends_of_ranges() {
    check!(wrapped(&[0.5, 2.0], const 0, const 4));
    check!(last_two(&[0.5, 2.0, 0.7], const 4));
    for most in [3, usize::MAX] {
        check!(root(2.0, const most));
        check!(root_by_while(2.0, const most));
    }
    check!(series(0.7, &[1.0, 2.0], const 3));
    check!(up_to_the_last(&[0.5, 2.0, 0.7], const &[3, 1, 2]));
    check!(power(0.7, const 3));
    assert_eq!(series::gradient(0.7, &[], usize::MAX - 1).0, 0.0);
}

/// A loop that gets to the greatest number is refused when it runs, in every build.
#[test]
fn the_greatest_number() {
    let (lo, hi) = (usize::MAX - 1, usize::MAX);
    assert_eq!(wrapped(&[0.5, 2.0], lo, hi), 4.25);
    assert!(catch_unwind(|| wrapped::gradient(&[0.5, 2.0], lo, hi)).is_err());
    assert!(catch_unwind(|| last_two::gradient(&[0.5, 2.0], hi)).is_err());
    // `0 - 1` is refused in a debug build, and is the greatest number in a release build.
    assert!(catch_unwind(|| power::gradient(0.7, 0)).is_err());
    assert!(catch_unwind(|| power::jvp(0.7, 0, 1.0)).is_err());
}

/// Inclusive ranges up to the last number of their type.
mod greatest {
    use chainrule::prelude::*;
    use chainrule::testing::check_rules;

    #[differentiable]
    fn zipped(x: &[f64]) -> f64 {
        let mut s = 0.0;
        for (a, v) in (250..=255u8).zip(x) {
            s += a as f64 * v * v;
        }
        for (a, v) in (250..=255u8).rev().zip(x) {
            s += a as f64 * v;
        }
        for (a, v) in (3..=2u8).rev().zip(x) {
            s += a as f64 * v;
        }
        s
    }

    #[differentiable]
    fn numbered(x: &[f64]) -> f64 {
        let mut s = x[0];
        for (k, i) in (0..=255u8).enumerate() {
            if k > 250 {
                s = s * 0.5 + x[k - 251] * (i as f64 - 250.0);
            }
        }
        for i in (0..=255u8).skip(250) {
            s += x[(i - 250) as usize] * s * 0.1;
        }
        s
    }

    #[differentiable]
    fn collected(x: &[f64]) -> f64 {
        let v: Vec<f64> = (0..=255u8).map(|i| x[i as usize % 6]).collect();
        x[0] * v[255]
    }

    #[test]
    fn have_all_their_numbers() {
        let x = [1.3, 0.5, -0.8, 0.3, 0.9, -0.4];
        check_rules!(zipped, &x);
        check_rules!(numbered, &x);
        check_rules!(collected, &x);
    }
}

//! Functions that `macro_rules` makes: arguments that are one operand, and variables of one name that are different.

use chainrule::prelude::*;
use chainrule::testing::check_rules;

/// The same function twice, with and without rules: `arguments!(plain)` and `arguments!(rules, differentiable)`.
macro_rules! twice {
    ($make:ident: $plain:ident, $rules:ident, $($arguments:tt)*) => {
        $make!($plain, allow(unused_labels), $($arguments)*);
        $make!($rules, differentiable, $($arguments)*);
    };
}

macro_rules! operands {
    ($name:ident, $attribute:meta, $sum:expr, $negative:expr, $choice:expr, $ty:ty, $last:expr) => {
        #[$attribute]
        #[doc = "Its arguments are operands."]
        fn $name(x: &[f64]) -> f64 {
            let y: $ty = &x[1..];
            let mut s = if !$choice { x[0] } else { y[0] };
            s += x[0] * $sum + $negative.powi(2) * x[1];
            s *= $negative.abs().ln() - $sum as f64 / 2.0;
            let list = vec![x[0] * $sum, x[1] - $negative];
            for k in 0..$last - 1 {
                s += list[k % 2] * k as f64;
            }
            if x[0] * $sum > $negative {
                s *= x[0] * $sum;
            }
            s
        }
    };
}

twice!(operands: operands_plain, operands, 2.0 + 1.0, -2.0f64, 1 > 2 || 3 > 4, &[f64], 2 + 3);

macro_rules! swapped {
    ($name:ident, $attribute:meta, $v:ident, $w:ident) => {
        #[$attribute]
        fn $name(x: &[f64]) -> f64 {
            let $v = x[0];
            let t = x[1] * 2.0;
            let mut s = t * $v;
            for $w in x {
                let u = 2.0 * s * $v;
                s += u * $w * t;
            }
            let both = |$w: f64| {
                let u = $w * t;
                u * $w
            };
            s * both($v)
        }
    };
}

twice!(swapped: swapped_plain, swapped, t, u);

#[derive(Differentiable)]
struct Pair {
    t: f64,
    u: f64,
}

macro_rules! fields {
    ($name:ident, $attribute:meta, $t:ident, $u:ident) => {
        #[$attribute]
        fn $name(x: &[f64]) -> f64 {
            let $t = 3.0;
            let t = x[0];
            let $u = 0.5;
            let u = x[1];
            let pair = Pair { t: t * $u, u };
            let scale = pair.t * pair.u;
            let Pair { t, u } = Pair { t: 2.0, u: $t };
            scale * t + u * $t * $u * x[2]
        }
    };
}

twice!(fields: fields_plain, fields, t, u);

macro_rules! labels {
    ($name:ident, $attribute:meta, $outer:lifetime) => {
        #[$attribute]
        fn $name(x: &[f64]) -> f64 {
            let mut s = 0.0;
            $outer: for i in 0..6 {
                'a: for j in 0..6 {
                    s += x[i] * x[j];
                    if j > i {
                        continue $outer;
                    }
                    if x[j] > 1.0 {
                        break 'a;
                    }
                }
                s *= 0.9;
            }
            s
        }
    };
}

twice!(labels: labels_plain, labels, 'a);

macro_rules! texts {
    ($name:ident, $t:ident) => {
        #[differentiable]
        fn $name(x: f64) -> f64 {
            let $t = 3.0;
            let t = x * x;
            let text = format!("{t:.1} {{t}} {}", $t);
            assert!(t > 0.0, "{t}");
            t * $t * text.len() as f64
        }
    };
}

texts!(texts, t);

#[test]
fn arguments_of_macros_are_operands() {
    for x in [[0.7, 1.9, 1.1], [-0.4, 0.3, 2.0]] {
        assert_eq!(operands(&x).to_bits(), operands_plain(&x).to_bits());
        check_rules!(operands, &x);
    }
}

#[test]
fn variables_of_macros_are_told_apart() {
    for x in [[0.7, 1.9, 1.1], [-0.4, 0.3, 2.0]] {
        assert_eq!(swapped(&x).to_bits(), swapped_plain(&x).to_bits());
        check_rules!(swapped, &x);
        assert_eq!(fields(&x).to_bits(), fields_plain(&x).to_bits());
        check_rules!(fields, &x);
    }
}

#[test]
fn labels_of_macros_are_told_apart() {
    let x = [0.7, 1.9, 1.1, 2.3, 0.4, 1.6];
    assert_eq!(labels(&x).to_bits(), labels_plain(&x).to_bits());
    check_rules!(labels, &x);
}

#[test]
fn variables_in_format_strings_are_those_of_their_macro() {
    check_rules!(texts, 0.6);
    assert_eq!(texts(2.0), 4.0 * 3.0 * "4.0 {t} 3".len() as f64);
}

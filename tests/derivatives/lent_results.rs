//! Functions of the same module that give references, iterators and closures: their bodies stand for their calls.

use chainrule::prelude::*;

use crate::check::table;

#[differentiable]
fn tail(list: &[f64]) -> &[f64] {
    assert!(!list.is_empty(), "nothing has no tail");
    &list[1..]
}

#[differentiable]
fn tails(x: &[f64]) -> f64 {
    let mut sum = 0.0;
    for v in tail(x) {
        sum += v * x[0];
    }
    let rest = tail(tail(x));
    sum * rest[0] + tail(x).iter().map(|v| v * v).sum::<f64>()
}

#[differentiable]
fn tails_by_hand(x: &[f64]) -> f64 {
    let sum = (x[1] + x[2]) * x[0];
    sum * x[2] + x[1] * x[1] + x[2] * x[2]
}

#[differentiable]
fn longer<'a>(a: &'a [f64], b: &'a [f64]) -> &'a [f64] {
    if a.len() >= b.len() { a } else { b }
}

/// One of several rows, chosen by what is in them.
#[differentiable]
fn largest(rows: &[Vec<f64>]) -> &[f64] {
    let mut best = &rows[0];
    for row in rows {
        let square = |row: &[f64]| row.iter().map(|v| v * v).sum::<f64>();
        if square(row) > square(best) {
            best = row;
        }
    }
    best
}

#[differentiable]
fn chosen(x: &[f64], y: &[f64]) -> f64 {
    let rows = vec![x.to_vec(), y.to_vec()];
    let product: f64 = largest(&rows).iter().product();
    product * longer(x, y)[1]
}

/// Parameters of types are those of the call.
#[differentiable]
fn at<T>(list: &[T], k: usize) -> &T {
    &list[k]
}

#[differentiable]
fn halves(list: &[f64]) -> (&[f64], &[f64]) {
    let middle = list.len() / 2;
    (&list[..middle], &list[middle..])
}

#[differentiable]
fn cell(list: &mut [f64], k: usize) -> &mut f64 {
    &mut list[k]
}

#[differentiable]
fn parts(x: &[f64], k: f64) -> f64 {
    let mut own = x.to_vec();
    *cell(&mut own, 1) *= k;
    let first = cell(&mut own, 0);
    *first += k;
    *first *= 2.0;
    let (left, right) = halves(&own);
    left.iter().zip(right).map(|(a, b)| a * b).sum::<f64>() * at(&own, 2)
}

#[differentiable]
fn parts_by_hand(x: &[f64], k: f64) -> f64 {
    let own = [2.0 * (x[0] + k), x[1] * k, x[2], x[3]];
    (own[0] * own[2] + own[1] * own[3]) * own[2]
}

#[differentiable]
fn above(list: &[f64], limit: f64) -> Option<&f64> {
    list.iter().find(|v| **v > limit)
}

#[differentiable]
fn searched(x: &[f64], k: f64) -> f64 {
    let high = match above(x, 0.6) {
        Some(v) => v * k,
        None => k,
    };
    if let Some(v) = above(x, 9.0) {
        return *v;
    }
    high * high
}

#[differentiable]
fn pairs<'a>(x: &'a [f64], y: &'a [f64]) -> impl Iterator<Item = (f64, f64)> + 'a {
    let scale = x[0];
    x.iter().zip(y).map(move |(a, b)| (*a * scale, *b))
}

#[differentiable]
fn paired(x: &[f64], y: &[f64]) -> f64 {
    let mut sum = 0.0;
    for (a, b) in pairs(x, y) {
        sum += a * b;
    }
    let crossed = pairs(y, x);
    sum + crossed.map(|(a, b)| a - b * b).sum::<f64>()
}

#[differentiable]
fn paired_by_hand(x: &[f64], y: &[f64]) -> f64 {
    let sum: f64 = x.iter().zip(y).map(|(a, b)| a * x[0] * b).sum();
    let crossed = y.iter().zip(x).map(|(a, b)| a * y[0] - b * b);
    sum + crossed.sum::<f64>()
}

#[differentiable]
fn polynomial(c: &[f64]) -> impl Fn(f64) -> f64 + '_ {
    let n = c.len() as f64;
    move |x| c.iter().rev().fold(0.0, |sum, c| sum * x + c) / n
}

#[differentiable]
fn line(a: f64, b: f64) -> Box<dyn Fn(f64) -> f64> {
    Box::new(move |x| a * x + b)
}

#[differentiable]
fn twice(f: impl Fn(f64) -> f64, x: f64) -> f64 {
    f(f(x))
}

#[differentiable]
fn called(c: &[f64], x: f64) -> f64 {
    let p = polynomial(c);
    let l = line(x, c[0]);
    let scaled = |k: f64| move |t: f64| t * k + x;
    let mapped: f64 = c.iter().copied().map(scaled(x)).sum();
    p(x) * l(p(2.0 * x)) + twice(line(c[1], x), x) + mapped
}

#[differentiable]
fn called_by_hand(c: &[f64], x: f64) -> f64 {
    let p = |x: f64| (c[0] + c[1] * x + c[2] * x * x) / 3.0;
    let twice = c[1] * (c[1] * x + x) + x;
    p(x) * (x * p(2.0 * x) + c[0]) + twice + (c[0] + c[1] + c[2]) * x + 3.0 * x
}

/// Names of the caller's are not those of the body.
#[differentiable]
fn shadowed(list: f64, k: f64) -> f64 {
    let x = [list, k, list * k];
    let v = 2.0;
    tail(&x)[0] * v + at(&x, 2) * list
}

table! {
    tails: (&[0.5, 0.7, -0.2]);
    chosen: (&[0.5, 0.7], &[0.9, 1.2, 0.3]), (&[1.5, 0.7], &[0.9, 0.2]);
    parts: (&[0.5, 0.7, 0.3, 0.9], 1.3);
    searched: (&[0.5, 0.7, 0.8], 1.3), (&[0.1, 0.2], 1.3), (&[0.1, 9.5], 1.3);
    paired: (&[0.5, 0.7], &[0.2, 0.4]);
    called: (&[0.5, 0.7, 0.2], 0.6);
    shadowed: (0.6, 1.2);
}

/// The same without such functions: values and gradients are those of the formulas.
macro_rules! same {
    ($($name:ident, $by_hand:ident: $($args:expr),*;)*) => {$(
        #[test]
        fn $name() {
            approx::assert_relative_eq!(super::$name($($args),*), super::$by_hand($($args),*), max_relative = 1e-14);
            let (_, gradient) = super::$name::value_and_gradient($($args),*);
            let (_, expected) = super::$by_hand::value_and_gradient($($args),*);
            approx::assert_relative_eq!(&flat(&gradient)[..], &flat(&expected)[..], max_relative = 1e-13);
        }
    )*};
}

mod by_formula {
    use chainrule::Tangent;

    fn flat<T: Tangent>(gradient: &T) -> Vec<f64> {
        let mut all = Vec::new();
        gradient.entries(&mut |entry| all.push(entry));
        all
    }

    same! {
        tails, tails_by_hand: &[0.5, 0.7, -0.2];
        parts, parts_by_hand: &[0.5, 0.7, 0.3, 0.9], 1.3;
        paired, paired_by_hand: &[0.5, 0.7], &[0.2, 0.4];
        called, called_by_hand: &[0.5, 0.7, 0.2], 0.6;
    }
}

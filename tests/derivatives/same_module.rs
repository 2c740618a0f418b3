//! What stands beside a function in its module: aliases of types, constants, functions of known signatures.

use chainrule::prelude::*;

use crate::check::table;

type Point = [f64; 3];
type Pair = [Point; 2];
const STEPS: usize = 3;

#[differentiable]
fn size(t: f64) -> f64 {
    if t > 0.0 { t } else { -t }
}

/// A function without rules.
fn order(n: usize) -> (Vec<usize>, usize) {
    ((0..n).rev().collect(), n)
}

#[differentiable]
fn cross(a: &Point, b: &Point) -> Point {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

#[differentiable]
fn dot(a: &Point, b: &Point) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[differentiable]
fn volume(a: &Point, b: &Point, c: &Point) -> f64 {
    let normal = cross(a, b);
    let pair: Pair = [normal, *c];
    dot(&pair[0], &pair[1]) + normal[2]
}

fn volume_by_hand(a: &Point, b: &Point, c: &Point) -> f64 {
    let n = [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ];
    n[0] * c[0] + n[1] * c[1] + n[2] * c[2] + n[2]
}

#[differentiable]
fn powers(x: f64) -> f64 {
    let mut r = 1.0;
    for _ in 0..STEPS {
        r *= size(x);
    }
    r
}

/// What the body declares hides what stands beside it.
#[differentiable]
fn hidden(x: f64) -> f64 {
    const STEPS: usize = 2;
    fn size(t: f64) -> f64 {
        2.0 * t.signum()
    }
    let mut r = 1.0;
    for _ in 0..STEPS {
        r *= x * size(-1.0);
    }
    r
}

/// Memory that is written, and has no derivative.
#[differentiable]
fn walk(x: &[f64], order: &mut Vec<usize>, left: usize) -> f64 {
    if left == 0 {
        return 1.0;
    }
    let at = order[left - 1];
    order[left - 1] = 0;
    let product = x[at] * walk(x, order, left - 1) + x[0];
    order[left - 1] = at;
    product
}

#[differentiable]
fn walked(x: &[f64]) -> f64 {
    let (mut list, n) = order(x.len());
    walk(x, &mut list, n)
}

fn walked_by_hand(x: &[f64]) -> f64 {
    let n = x.len();
    let mut product = 1.0;
    for left in 1..=n {
        product = x[n - left] * product + x[0];
    }
    product
}

/// Literals take the parameters' types.
#[differentiable]
fn scale(v: &mut [f32], by: f32) {
    for v in v {
        *v *= by;
    }
}

#[differentiable]
fn scaled(x: f32) -> f32 {
    let mut v = vec![1.0, 2.0];
    v[0] = x;
    scale(&mut v, 3.0);
    v[0] * v[1]
}

#[test]
fn literals_have_the_types_of_parameters() {
    assert_eq!(scaled(2.0), 36.0);
    assert_eq!(scaled::gradient(2.0), 18.0);
    assert_eq!(scaled::jvp(2.0, 1.0), (36.0, 18.0));
}

fn point(k: usize) -> Point {
    [[0.3, -1.2, 0.7], [1.1, 0.4, -0.6], [-0.2, 0.9, 1.5]][k]
}

#[test]
fn by_hand() {
    let (a, b, c) = (point(0), point(1), point(2));
    assert_eq!(volume(&a, &b, &c), volume_by_hand(&a, &b, &c));
    let x = [0.5, -1.5, 2.0];
    assert_eq!(walked(&x), walked_by_hand(&x));
}

type Day = u32;
type Rate = f64;
type Row = [f64];
type Window = (Day, Rate);

#[derive(Clone, Debug, Differentiable)]
struct Plan {
    rate: Rate,
    until: Day,
}

type Schedule = Plan;

#[differentiable]
fn scheduled(rate: Rate, until: Day) -> Schedule {
    Schedule {
        rate: rate * rate,
        until,
    }
}

#[differentiable]
fn parity(x: Rate, day: Day) -> Day {
    if x > 1.0 { day % 2 } else { 1 }
}

#[differentiable]
fn by_days(row: &Row, #[constant] window: Window, days: Day) -> Rate {
    let mut total = 0.0;
    for day in window.0..days {
        let x = row[day as usize % row.len()];
        let plan = scheduled(x, day);
        total += if day > 2 { plan.rate } else { x.sin() } * window.1;
        total += x * (plan.until + parity(x, day)) as f64;
    }
    total
}

table! {
    volume: (&point(0), &point(1), &point(2));
    powers: (1.5) => [6.75], (-0.5) => [-0.75];
    hidden: (1.5) => [12.0], (-0.5) => [-4.0];
    by_days: for days in 0..6, (&[0.5, -1.5, 2.0], const (0, 0.7), const days);
    walked: (&[0.5, -1.5, 2.0]), (&[1.3]), (&[]);
}

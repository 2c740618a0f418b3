//! `as` between numbers; constants, statics, associated constants.

use std::f64::consts;

use chainrule::prelude::*;

use crate::check::{check_map, table};

const RATE: f64 = 0.25;
const TABLE: [f64; 3] = [1.0, 0.5, 0.25];
const COUNT: usize = 3;
static OFFSET: f64 = 1.5;
static NAMES: [&str; 2] = ["a", "bcd"];

struct Settings;

impl Settings {
    const SCALE: f64 = 2.5;
    const STEPS: usize = 2;
}

#[differentiable]
fn widened(x: f32) -> f64 {
    let y = x as f64;
    y * y * 3.0
}

#[differentiable]
fn narrowed(x: f64) -> f32 {
    let y = x as f32;
    y * y
}

#[differentiable]
fn there_and_back(x: f64, y: f32) -> f64 {
    let z = (x * x) as f32 * y;
    f64::from(z) + z as f64 * x
}

#[differentiable]
fn mixed(x: &[f32], k: f64) -> f64 {
    let mut total = 0.0;
    for i in 0..x.len() {
        total += x[i] as f64 * k;
    }
    total * total
}

#[differentiable]
fn integers(x: f64, n: usize, m: i32, k: u8) -> f64 {
    x * n as f64 + x * x * m as f64 / f64::from(k) + (n as i32 * m) as f64 * x
}

#[differentiable]
fn integer_arithmetic(x: f64, n: usize) -> f64 {
    let half = (n / 2) as u32;
    let rest = n % 2;
    let shifted = (n << 2) & 0b1110 | 1;
    x * half as f64 + x * x * (rest + shifted) as f64
}

#[differentiable]
fn inactive_to_integer(x: f64, #[constant] k: f64) -> f64 {
    let n = k as usize;
    let mut z = 1.0;
    for _ in 0..n {
        z *= x;
    }
    z
}

/// The index comes from an active value, and is marked as having no derivative.
#[differentiable]
fn stopped_to_integer(x: f64) -> f64 {
    let i = stop_gradient(x * 2.0) as usize;
    TABLE[i % 3] * x * x
}

#[differentiable]
fn stopped(x: f64) -> f64 {
    x * stop_gradient(x * x) + stop_gradient(x)
}

#[differentiable]
fn boolean(x: f64, flag: bool) -> f64 {
    x * x * f64::from(u8::from(flag)) + x * (flag as u8 as f64)
}

#[differentiable]
fn constants(x: f64) -> f64 {
    RATE * x * x + OFFSET * x + TABLE[1] * x + consts::PI * x
}

#[differentiable]
fn core_constants(x: f64) -> f64 {
    core::f64::consts::E.powf(x) + std::f64::consts::SQRT_2 * x + f64::EPSILON * x + f64::MAX.min(x)
}

#[differentiable]
fn constants_as_bounds(x: f64) -> f64 {
    let mut z = 1.0;
    for i in 0..COUNT {
        z = z * x + TABLE[i];
    }
    for _ in 0..Settings::STEPS {
        z *= Settings::SCALE * x;
    }
    z
}

#[differentiable]
fn constants_inside(x: f64) -> f64 {
    const LOCAL: f64 = 0.75;
    static INNER: [f64; 2] = [0.1, 0.2];
    let k = const { 3.0 * 2.0 };
    LOCAL * x * x + INNER[1] * x + k * x
}

#[differentiable]
fn constant_array_copied(x: f64) -> f64 {
    let mut t = TABLE;
    t[1] *= x;
    t[0] * x + t[1] * t[2]
}

#[differentiable]
fn text(x: f64, i: usize) -> f64 {
    x * NAMES[i].len() as f64
}

#[differentiable]
fn constant_array_size(x: f64) -> f64 {
    let mut a = [0.0; COUNT];
    for i in 0..COUNT {
        a[i] = x * (i as f64);
    }
    a[1] * a[2]
}

const COEFFICIENTS: [f64; 4] = [0.5, 2.0, -1.0, 0.25];

#[differentiable]
fn polynomial(x: f64, #[constant] c: &[f64]) -> f64 {
    c.iter().rev().fold(0.0, |sum, c| sum * x + c)
}
#[differentiable]
fn parts_of_constants(x: f64) -> f64 {
    const INNER: [f64; 3] = [1.0, 2.0, 3.0];
    let head = &COEFFICIENTS[..2];
    let mut sum = 0.0;
    for (k, c) in [x, x * x].iter().zip(&INNER[1..]) {
        sum += k.sin() * c;
    }
    let tail = INNER[1..].iter().map(|c| c * x).product::<f64>();
    sum + tail + polynomial(x, &COEFFICIENTS[1..]) * polynomial(x, head)
}

/// What is a step already has no derivative that a cast could lose.
#[differentiable]
fn looked_up(table: &[f64], x: f64) -> f64 {
    let cell = x.floor() as usize;
    let part = x - x.floor();
    table[cell] * (1.0 - part) + table[cell + 1] * part * part
}

#[differentiable]
fn steps_by_name(table: &[f64], x: f64) -> f64 {
    let cell = x.floor();
    let k = cell as i32 as usize & 3;
    let mut n = (x * 2.0).round() as u8;
    n += 1;
    let part = x - cell;
    table[k] * part * part * f64::from(n)
}

#[derive(Clone, Debug, Differentiable)]
struct Point {
    x: f64,
}

#[differentiable]
fn step_of_a_field(x: f64, table: &[f64]) -> f64 {
    let p = Point { x: x * x };
    at(&p, table) * x
}

#[differentiable]
fn at(p: &Point, table: &[f64]) -> f64 {
    let cell = p.x.floor() as usize;
    let part = p.x - cell as f64;
    table[cell] * part * part + p.x.ceil() * part
}

#[differentiable]
fn step_that_grows(x: f64, n: usize) -> f64 {
    let mut y = x.trunc();
    for _ in 0..n {
        y += x * y;
    }
    y * x.signum()
}

table! {
    looked_up: (&vec![0.7, 0.4, 1.2, 3.1], 1.3);
    steps_by_name: (&vec![0.7, 0.4, 1.2, 3.1], 1.3);
    step_of_a_field: (1.3, &vec![0.7, 0.4, 1.2, 3.1]);
    step_that_grows: for n in 0..4, (1.3, const n);
    integers: (0.7, const 3, const -2, const 4) => [3.0 + 2.0 * 0.7 * -0.5 - 6.0];
    integer_arithmetic: for n in 0..5, (0.7, const n);
    inactive_to_integer: (0.7, const 0.9) => [0.0], (0.7, const 2.9) => [1.4];
    boolean: (0.7, const true) => [2.4], (0.7, const false) => [0.0];
    constants: (0.7) => [0.5 * 0.7 + 2.0 + consts::PI];
    core_constants: (0.7);
    constants_as_bounds: (0.7);
    constants_inside: (0.7) => [1.5 * 0.7 + 0.2 + 6.0];
    parts_of_constants: (0.7);
    constant_array_copied: (0.7) => [1.125];
    text: (0.7, const 0) => [1.0], (0.7, const 1) => [3.0];
    constant_array_size: (0.7) => [2.8];
    widened: (0.7);
    narrowed: (0.7);
    there_and_back: (0.7, 1.9);
    mixed: for n in 0..4, (&[0.7, 1.9, -0.4][..n].to_vec(), 1.3);
}

#[test]
fn stopped_values_have_no_derivative() {
    assert_eq!(
        stopped::value_and_gradient(0.7),
        (0.7 * (0.7 * 0.7) + 0.7, 0.7 * 0.7)
    );
    assert_eq!(stopped::derivative(0.7), 0.7 * 0.7);
    assert_eq!(stopped::hvp(0.7, 1.0), 0.0);
    check_map!(stopped_to_integer(0.7));
    assert_eq!(stopped_to_integer::gradient(0.7), 2.0 * 0.5 * 0.7);
}

/// The gradient in `f32` of a function that returns `f32`.
#[test]
fn narrowed_gradient() {
    assert_eq!(narrowed::gradient(0.75), 1.5);
    assert_eq!(widened::gradient(0.75), 4.5);
}

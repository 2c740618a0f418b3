//! What is not differentiated: kept as it is, run once, and available to the reverse half as it was when it was used.

use std::collections::HashMap;

use chainrule::prelude::*;

use crate::check::{map_table, table};

const X: [f64; 4] = [0.7, 1.9, -0.4, 1.3];
const TABLE: [f64; 3] = [1.5, -0.5, 0.25];

fn x(n: usize) -> Vec<f64> {
    X[..n].to_vec()
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Square,
    Sine,
    Both,
}

struct Settings {
    rates: Vec<f64>,
    kind: Kind,
    name: String,
    steps: usize,
}

impl Settings {
    fn rate(&self, i: usize) -> f64 {
        self.rates[i] * 2.0
    }
}

fn settings(kind: Kind, steps: usize) -> Settings {
    Settings {
        rates: vec![0.3, -0.8, 1.1],
        kind,
        name: "abc".to_owned(),
        steps,
    }
}

/// The indices are overwritten after their use.
#[differentiable]
fn indices_overwritten(x: &[f64], n: usize) -> f64 {
    let mut order = vec![2, 0, 1];
    let mut z = 1.0;
    for i in 0..n {
        z = z * x[order[i % 3]] + x[order[0]];
        order.swap(0, i % 3);
        order[i % 3] = (order[i % 3] + 1) % 3;
    }
    z
}

/// The weights are not active, and change from iteration to iteration.
#[differentiable]
fn weights_overwritten(x: &[f64], n: usize) -> f64 {
    let mut weights = [0.5, 1.5];
    let mut z = 0.0;
    for i in 0..n {
        z += x[i] * x[i] * weights[i % 2];
        weights[i % 2] *= 3.0;
        weights[(i + 1) % 2] = weights[i % 2] - 0.1;
    }
    z
}

#[differentiable]
fn flags_overwritten(x: &[f64], n: usize) -> f64 {
    let mut seen = vec![false; 3];
    let mut z = 1.0;
    for i in 0..n {
        let k = (i * i) % 3;
        if seen[k] {
            z *= x[k];
        } else {
            seen[k] = true;
            z += x[k] * x[k];
        }
    }
    z
}

#[differentiable]
#[inline(never)]
fn constant_buffer(x: f64, #[constant] w: &mut [f64], n: usize) -> f64 {
    let mut z = x;
    for i in 0..n {
        z = z * w[0] + x * x;
        w[0] = w[0] * 0.5 + w[1];
        w[1] -= i as f64;
    }
    z
}

#[differentiable]
fn cursor(x: &[f64], n: usize) -> f64 {
    let mut at = 0;
    let mut jump = 1;
    let mut z = 1.0;
    for _ in 0..n {
        z *= x[at] + 0.5;
        at = (at + jump) % x.len();
        jump += 1;
    }
    z
}

/// Evaluated again in the reverse half, these would underflow or divide by zero.
#[differentiable]
fn integers_in_branches(x: &[f64], n: usize) -> f64 {
    let mut z = 1.0;
    for i in 0..n {
        if i > 0 {
            let j = i - 1;
            z = z * x[j] + x[i] * (6 / i) as f64;
        } else {
            z += x[i];
        }
        let k = if i > 1 { i - 2 } else { 0 };
        z *= x[k];
    }
    if n == 0 {
        return z;
    }
    let last = n - 1;
    z * x[last]
}

#[differentiable]
fn descending(x: &[f64]) -> f64 {
    let mut i = x.len();
    let mut z = 1.0;
    while i > 0 {
        i -= 1;
        z = z * x[i] + x[i];
    }
    z
}

#[differentiable]
fn wrapping(x: &[f64], n: u32) -> f64 {
    let mut state = 12_345_u32;
    let mut z = 1.0;
    for _ in 0..n {
        state = state.wrapping_mul(1_103_515_245).wrapping_add(12_345);
        let k = (state >> 16) as usize % x.len();
        z = z * x[k] + 0.5;
    }
    z
}

/// The bound is read once, at the start.
#[differentiable]
fn bound_changed(x: f64, n: usize) -> f64 {
    let mut hi = n;
    let mut z = x;
    for i in 0..hi {
        hi = i;
        z *= x;
    }
    z * hi as f64 + x
}

#[differentiable]
fn settings_by_reference(x: &[f64], #[constant] s: &Settings) -> f64 {
    let mut z = 0.0;
    for i in 0..s.steps {
        let v = match s.kind {
            Kind::Square => x[i] * x[i],
            Kind::Sine => x[i].sin(),
            Kind::Both => x[i] * x[i].sin(),
        };
        z += v * s.rates[i] + s.rate(i) * x[i];
    }
    for r in &s.rates {
        z += x[0] * r;
    }
    if s.kind == Kind::Both && !s.name.is_empty() {
        z *= s.name.len() as f64;
    }
    z
}

#[differentiable]
fn enum_by_value(x: f64, #[constant] kind: Kind) -> f64 {
    match kind {
        Kind::Square => x * x,
        Kind::Sine if x > 5.0 => x,
        Kind::Sine => x.sin(),
        Kind::Both => x * x + x.sin(),
    }
}

#[differentiable]
fn hash_maps(x: f64, n: u32) -> f64 {
    let mut counts: HashMap<String, f64> = HashMap::new();
    for i in 0..n {
        *counts.entry(format!("{}", i % 2)).or_insert(0.0) += 1.0;
    }
    let odd = counts.get("1").copied().unwrap_or(0.5);
    x * x * odd + x * counts.len() as f64
}

#[differentiable]
fn text(x: f64, word: &str, letter: char) -> f64 {
    let upper = word.to_uppercase();
    let count = upper.chars().filter(|c| *c == letter).count();
    let weight = match word {
        "" => 0.5,
        "one" => 1.0,
        _ => 2.0,
    };
    let kind = match letter {
        'A'..='M' => 1.5,
        _ => 3.0,
    };
    x * weight + x * x * count as f64 * kind
}

#[differentiable]
fn inactive_chains(x: f64, n: usize) -> f64 {
    let sum: usize = (0..n).map(|i| i * i).sum();
    let double = |k: usize| 2 * k;
    let largest = [1.5, 0.5].iter().copied().fold(0.0_f64, f64::max);
    x * sum as f64 + x * x * double(n) as f64 * largest
}

#[differentiable]
fn options(x: f64, n: usize) -> f64 {
    let first = TABLE.first().copied().unwrap();
    let found = TABLE.iter().position(|t| *t < 0.0).unwrap_or(n);
    let parsed: f64 = "2.5".parse().unwrap();
    x * first + x * x * found as f64 * parsed
}

#[differentiable]
fn table_by_reference(x: f64, n: usize) -> f64 {
    let table = &TABLE;
    let mut z = x;
    for t in table {
        z = z * x + t;
    }
    z * table[n % 3]
}

#[differentiable]
fn nested_function(x: f64, n: usize) -> f64 {
    fn triangle(n: usize) -> usize {
        n * (n + 1) / 2
    }
    const SCALE: f64 = 0.5;
    let t = triangle(n);
    x * x * t as f64 * SCALE
}

#[differentiable]
#[inline(never)]
fn noted(x: f64, #[constant] log: &mut Vec<f64>) -> f64 {
    log.push(2.0);
    x * x
}

/// A constant that is written to goes on to a callee, beside something active.
#[differentiable]
fn passed_on(x: f64, #[constant] log: &mut Vec<f64>) -> f64 {
    let y: f64 = noted(x, log);
    y * noted(x * y, log)
}

#[differentiable]
fn unit_result(x: &mut [f64], log: &mut Vec<String>) {
    log.push(format!("{}", x.len()));
    for v in x.iter_mut() {
        *v *= *v;
        log.push("squared".to_owned());
    }
}

/// Two variables of one name, of which the user's code mentions both.
#[differentiable]
fn shadowed(x: &[f64], text: &str) -> f64 {
    let mut text = text.chars();
    let mut total = x[1];
    while let Some(c) = text.next() {
        total *= if c == 'a' { x[0] } else { total.sin() };
    }
    total
}

table! {
    shadowed: (&x(2), const &*"abba"), (&x(2), const &*"");
    indices_overwritten: for n in 0..6, (&x(3), const n);
    weights_overwritten: for n in 0..5, (&x(4), const n);
    flags_overwritten: for n in 0..5, (&x(3), const n);
    cursor: for n in 0..5, (&x(3), const n);
    integers_in_branches: for n in 0..5, (&x(4), const n);
    descending: for n in 0..4, (&x(n));
    wrapping: for n in 0..5, (&x(3), const n);
    bound_changed: for n in 0..4, (0.7, const n);
    settings_by_reference:
        (&x(3), const &settings(Kind::Square, 3)), (&x(3), const &settings(Kind::Sine, 2)),
        (&x(3), const &settings(Kind::Both, 0)), (&x(3), const &settings(Kind::Both, 1));
    enum_by_value: (0.7, const Kind::Square) => [1.4], (0.7, const Kind::Sine), (0.7, const Kind::Both);
    hash_maps: for n in 0..4, (0.7, const n);
    text: (0.7, const &*"", const 'A'), (0.7, const &*"one", const 'O'), (0.7, const &*"banana", const 'A');
    inactive_chains: for n in 0..4, (0.7, const n);
    options: (0.7, const 3) => [1.5 + 1.4 * 2.5];
    table_by_reference: for n in 0..3, (0.7, const n);
    nested_function: for n in 0..4, (0.7, const n);
    passed_on: (0.7, const &mut Vec::new());
}

map_table! {
    unit_result: (&mut x(2), const &mut Vec::new());
}

/// The buffer goes on from call to call, so that differences can't be the reference.
#[test]
fn constant_buffer_as_it_was() {
    let (x, start) = (0.7, [0.9, 1.1]);
    let at = |x: f64, n: usize| constant_buffer(x, &mut start.clone(), n);
    for n in 0..5 {
        let h = 1e-5;
        let want = (at(x + h, n) - at(x - h, n)) / (2.0 * h);
        let mut after = start;
        constant_buffer(x, &mut after, n);
        let mut w = start;
        let (y, x_bar) = constant_buffer::value_and_gradient(x, &mut w, n);
        assert_eq!((y, w), (at(x, n), after));
        assert!((x_bar - want).abs() < 1e-8, "{x_bar} is not {want}");
        let mut w = start;
        let (_, pullback) = constant_buffer::rrule(x, &mut w, n);
        w = [100.0, 100.0];
        assert!((pullback(1.0) - x_bar).abs() < 1e-12);
        assert_eq!(w, [100.0, 100.0]);
        let mut w = start;
        assert!((constant_buffer::frule(Dual(x, 1.0), &mut w, n).1 - x_bar).abs() < 1e-12);
        assert_eq!(w, after);
    }
}

//! Lists that loops push to: those that have their length from the start, and those that grow.

use chainrule::prelude::*;

use crate::check::{irregular, map_table, table};

#[differentiable]
fn squares(x: &[f64]) -> f64 {
    let mut t = Vec::new();
    for i in 0..x.len() {
        t.push(x[i] * x[i]);
    }
    let mut s = 0.0;
    for i in 0..t.len() {
        s += t[i] * t[i] * x[0];
    }
    s
}

/// Reads the elements that are there, by index, from the end, and all.
#[differentiable]
fn reads(x: &[f64]) -> f64 {
    let mut t = Vec::with_capacity(x.len());
    t.push(x[0].sin());
    t.push(x[1] * x[0]);
    for i in 2..x.len() {
        let last = t[t.len() - 1];
        let sum: f64 = t.iter().sum();
        t.push(x[i] * t[i - 1] + t[i - 2] * last + sum.sin() + t.last().unwrap() * t[0]);
    }
    t.push(x[0] * 3.0);
    t.iter().enumerate().map(|(k, t)| t * k as f64).sum()
}

/// Several for each trip, at counters that don't begin at zero.
#[differentiable]
fn several(x: &[f64]) -> f64 {
    let mut t = vec![0.5 * x[0]];
    for i in 1..x.len() {
        t.push(x[i] * x[i - 1]);
        let k = t.len();
        t.push(t[k - 1] * x[i]);
    }
    t.windows(2).map(|w| w[1] * w[0]).sum()
}

#[differentiable]
fn nest(x: &[f64]) -> f64 {
    let n = x.len();
    let mut t = vec![x[0]];
    for i in 0..n {
        for j in 1..n - 1 {
            t.push(x[i] * x[j].cos());
        }
    }
    let mut s = 0.0;
    for (k, v) in t.iter().enumerate() {
        s += v * v * (k % 3) as f64;
    }
    s
}

#[differentiable]
fn triangle(x: &[f64]) -> f64 {
    let mut t = Vec::new();
    for i in 0..x.len() {
        for j in 0..i {
            t.push(x[i] * x[j]);
        }
    }
    t.iter().map(|v| v * v).sum()
}

#[differentiable]
fn only_some(x: &[f64]) -> f64 {
    let mut t = Vec::new();
    for v in x {
        if *v > 0.0 {
            t.push(v * v);
        }
    }
    t.iter().zip(x).map(|(t, x)| t * x.sin()).sum()
}

/// Stops in the middle.
#[differentiable]
fn stops(x: &[f64]) -> f64 {
    let mut t = vec![x[0]];
    for i in 1..x.len() {
        if t[i - 1] > 3.0 {
            break;
        }
        t.push(t[i - 1] + x[i] * x[i]);
    }
    t[t.len() - 1] * t.len() as f64
}

/// No trips: the list has what was there before.
#[differentiable]
fn none(x: &[f64]) -> f64 {
    let mut t = vec![x[0], x[1]];
    for i in 7..x.len() {
        t.push(x[i]);
    }
    for i in x.len()..2 {
        t.push(x[i]);
    }
    t[0] * t[t.len() - 1]
}

#[differentiable]
fn pairs(x: &[f64]) -> f64 {
    let mut t: Vec<(f64, f64)> = vec![];
    for v in x {
        t.push((v.sin(), v * v));
    }
    t.iter().map(|(a, b)| a * b).sum()
}

/// In each trip of a loop, and returned.
#[differentiable]
fn rows(x: &[f64], n: usize) -> Vec<f64> {
    let mut means = Vec::new();
    for row in x.chunks_exact(n) {
        let mut squares = Vec::with_capacity(n);
        for v in row {
            squares.push(v * v);
        }
        means.push(squares.iter().sum::<f64>() / n as f64);
    }
    means
}

#[differentiable]
fn of_rows(x: &[f64]) -> f64 {
    rows(x, 2).iter().map(|m| m.sqrt()).sum()
}

/// Written and read after it has grown.
#[differentiable]
fn written_later(x: &[f64]) -> f64 {
    let mut t = Vec::new();
    for v in x {
        t.push(*v);
    }
    for i in 1..t.len() {
        t[i] = t[i] * t[i - 1];
    }
    t.push(t[0] * 2.0);
    let last = t.pop().unwrap();
    last * t[t.len() - 1]
}

struct Prior;

impl Prior {
    fn new() -> Vec<f64> {
        vec![5.0, 2.0]
    }

    fn with_capacity(n: usize) -> Vec<f64> {
        vec![3.0; n]
    }
}

/// Functions named like those that make empty lists.
#[differentiable]
fn begun_by_others(x: &[f64]) -> f64 {
    let mut t: Vec<f64> = Prior::new();
    let mut u: Vec<f64> = Prior::with_capacity(2);
    for v in x {
        t.push(*v);
        u.push(v * v);
    }
    t[0] * t[t.len() - 1] * t.len() as f64 + u[1] * u[2] * u.len() as f64
}

#[differentiable]
fn overflowing_capacity(x: &[f64]) -> f64 {
    let mut t = Vec::with_capacity(x.len() - 1);
    for i in 1..x.len() {
        t.push(x[i] - x[i - 1]);
    }
    t.iter().map(|v| v * v).sum()
}

/// Rules panic where the function does.
#[test]
#[should_panic]
fn the_capacity_is_computed() {
    overflowing_capacity::gradient(&[]);
}

table! {
    overflowing_capacity: (&irregular(4, 0.3));
    begun_by_others: (&irregular(3, 0.3));
    squares: (&irregular(5, 0.3)), (&irregular(1, 0.3));
    reads: (&irregular(5, 0.3)), (&irregular(2, 0.3));
    several: (&irregular(5, 0.3)), (&irregular(1, 0.3));
    nest: (&irregular(5, 0.3)), (&irregular(1, 0.3));
    triangle: (&irregular(5, 0.3)), (&[]);
    only_some: (&irregular(5, 0.3));
    stops: (&irregular(5, 0.3)), (&[0.5, 1.2, 1.3, 1.4, 1.5]);
    none: (&irregular(5, 0.3));
    pairs: (&irregular(5, 0.3)), (&[]);
    of_rows: (&irregular(5, 0.3));
    written_later: (&irregular(5, 0.3));
}

map_table! {
    rows: (&irregular(5, 0.3), const 2), (&irregular(2, 0.3), const 3);
}

//! `Option`s that get a value if they have none: `get_or_insert`, `get_or_insert_with`, `insert`; and `take_if`.

use chainrule::prelude::*;

use crate::check::table;

const X: [f64; 3] = [1.3, 0.5, 0.8];

#[differentiable]
fn read_at_once(x: &[f64], n: usize) -> f64 {
    let mut o: Option<f64> = if n == 0 { None } else { Some(x[1]) };
    let a = *o.get_or_insert(x[0] * x[0]);
    let b = *o.get_or_insert_with(|| x[2].sin());
    a * x[2] + b + o.unwrap() * x[1]
}

#[differentiable]
fn written_through(x: &[f64], n: usize) -> f64 {
    let mut o: Option<f64> = None;
    for i in 0..n {
        let by = x[i];
        *o.get_or_insert(1.0) *= by.sin() + 1.0;
        let value = 2.0;
        *o.get_or_insert(value) += value * by;
    }
    if n > 1 {
        *o.get_or_insert_with(|| x[0]) = x[1] * x[2];
    }
    o.unwrap_or(x[0])
}

#[differentiable]
fn by_name(x: &[f64], n: usize) -> f64 {
    let mut best: Option<(usize, f64)> = None;
    for i in 0..n {
        let found = best.get_or_insert((i, x[i]));
        if x[i].sin() > found.1 {
            *found = (i, x[i].sin());
        }
    }
    let (i, v) = best.unwrap_or((0, x[2]));
    v * x[i]
}

#[differentiable]
fn of_elements(x: &[f64], n: usize) -> f64 {
    let mut memo: Vec<Option<f64>> = vec![None; 2];
    let mut total = 1.0;
    for i in 0..n {
        total += *memo[i % 2].get_or_insert_with(|| x[i % 3].sin() * total);
    }
    total
}

#[derive(Clone, Debug, Differentiable)]
struct Cached {
    values: Option<Vec<f64>>,
    k: f64,
}

#[differentiable]
impl Cached {
    fn first(&mut self, x: f64) -> f64 {
        let k = self.k;
        let values = self.values.get_or_insert_with(|| vec![x.sin(), k * x]);
        values[0] * values[1] + values.len() as f64
    }

    fn add(&mut self, x: f64) {
        self.values.get_or_insert_with(Vec::new).push(x);
    }
}

#[differentiable]
fn of_fields(x: &[f64], n: usize) -> f64 {
    let mut cached = Cached {
        values: None,
        k: x[0],
    };
    let mut total = 1.0;
    for i in 0..n {
        total *= cached.first(x[i]);
        cached.add(total);
    }
    if let Some(values) = &cached.values {
        for v in values {
            total += v * x[2];
        }
    }
    total
}

#[differentiable]
fn inserted(x: &[f64], n: usize) -> f64 {
    let mut o = None;
    let _ = o.insert(x[0]);
    if n > 0 {
        *o.insert(x[1] * x[1]) *= x[0];
    }
    let last = o.insert(o.unwrap() * x[2]);
    *last += x[1];
    o.unwrap_or(0.0)
}

#[differentiable]
fn taken_if(x: &[f64], n: usize) -> f64 {
    let mut o = Some(x[0]);
    let mut total = x[1];
    while let Some(v) = o.take_if(|v| *v < n as f64) {
        total += v * total;
        o = Some(v * 2.0);
    }
    total * o.unwrap_or(x[2])
}

/// Positions are filled in, too.
#[differentiable]
fn inactive(x: &[f64], n: usize) -> f64 {
    let mut first: Option<usize> = None;
    let mut all: Option<Vec<usize>> = None;
    for i in 0..n {
        first.get_or_insert(i + 1);
        all.get_or_insert_with(Vec::new).push(i);
    }
    let taken = first.take_if(|i| *i > 0);
    all.map_or(0.0, |all| x[all[0]]) * x[taken.unwrap_or(2)] + x[0]
}

table! {
    read_at_once: for n in 0..2, (&X, const n);
    written_through: for n in 0..4, (&X, const n);
    by_name: for n in 0..4, (&X, const n);
    of_elements: for n in 0..5, (&X, const n);
    of_fields: for n in 0..4, (&X, const n);
    inserted: for n in 0..2, (&X, const n);
    taken_if: for n in [0, 1, 2, 6], (&X, const n);
    inactive: for n in 0..3, (&X, const n);
}

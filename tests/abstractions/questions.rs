//! `?` in closures, whose results nothing is written of; lists that are extended by what calls give.

use chainrule::prelude::*;

use crate::check::{flat, table};

#[differentiable]
#[inline(never)]
fn root(x: f64) -> Option<f64> {
    if x >= 0.0 { Some(x.sqrt()) } else { None }
}

#[differentiable]
fn in_a_local_closure(x: f64, y: f64) -> f64 {
    let scaled = |a: f64| {
        let b = root(a)?;
        Some(b * y)
    };
    scaled(x).unwrap_or(y) + scaled(y).unwrap_or(1.0)
}

#[differentiable]
fn called_at_once(x: f64, y: f64) -> f64 {
    let product = (|| {
        let a = root(x)?;
        let b = root(y)?;
        if a > 3.0 { None } else { Some(a * b) }
    })();
    product.unwrap_or(x * y)
}

#[differentiable]
#[inline(never)]
fn in_chains(x: &[f64]) -> Option<f64> {
    let roots = x.iter().map(|&a| {
        let b = root(a)?;
        Some(b * 2.0)
    });
    let roots = roots.collect::<Option<Vec<f64>>>()?;
    Some(roots.iter().sum())
}

#[differentiable]
#[inline(never)]
fn with_errors(x: &[f64]) -> Result<f64, String> {
    let roots: Result<Vec<f64>, String> = x
        .iter()
        .map(|&a| {
            let b = root(a).ok_or("negative".to_string())?;
            Ok(b * 2.0)
        })
        .collect();
    let roots = roots?;
    Ok(roots.iter().product())
}

#[differentiable]
fn of_lists(x: &[f64]) -> f64 {
    in_chains(x).unwrap_or(x[0]) * with_errors(x).unwrap_or(3.0 * x[0])
}

#[differentiable]
fn in_and_then(x: f64, y: f64) -> f64 {
    let first: Option<f64> = root(x);
    let both = first.and_then(|a| {
        let b = root(a)?;
        Some(b + root(y)?)
    });
    both.unwrap_or(y)
}

#[derive(Clone, Debug, Differentiable)]
struct Model {
    a: f64,
}
flat!(Model { a: f64 });

#[differentiable]
impl Model {
    fn points(&self, x: f64) -> Vec<f64> {
        vec![x * self.a, x]
    }

    fn all(&self, x: f64) -> Vec<f64> {
        let mut all = self.points(x);
        all.extend(self.points(2.0 * x));
        all
    }
}

#[differentiable]
#[inline(never)]
fn powers(x: f64) -> Vec<f64> {
    vec![x, x * x]
}

#[differentiable]
#[inline(never)]
fn pair(x: f64) -> [f64; 2] {
    [x, x * x]
}

#[differentiable]
#[inline(never)]
fn rows(x: f64) -> Vec<Vec<f64>> {
    vec![vec![x, 1.0], vec![2.0, x * x]]
}

#[differentiable]
fn extended(x: f64, k: f64) -> f64 {
    let mut v = Vec::new();
    v.extend(powers(x));
    v.extend(pair(k));
    v.extend(&powers(k));
    v.extend_from_slice(&powers(x * k));
    v.extend([x, k]);
    v.extend(vec![x; 3]);
    v.iter().enumerate().map(|(i, a)| a * i as f64).sum()
}

#[differentiable]
fn extended_by_methods(model: &Model, x: f64) -> f64 {
    let mut v = vec![];
    for k in 0..3 {
        v.extend(model.all(x * k as f64));
    }
    let mut w = Vec::with_capacity(4);
    w.extend(v.drain(1..));
    w.extend(v.clone());
    w.extend(v.split_off(0));
    w.extend_from_slice(&model.points(x));
    w.iter().sum::<f64>() + w[0] * w[1] * w[5]
}

#[differentiable]
fn extended_by_rows(x: f64) -> f64 {
    let mut v: Vec<Vec<f64>> = Vec::new();
    v.extend(rows(x));
    v[0][0] * v[1][1]
}

#[derive(Clone, Copy, Differentiable)]
struct Pair {
    a: f64,
    b: f64,
}

#[differentiable]
impl Pair {
    fn positive(self) -> Result<Pair, String> {
        if self.a > 0.0 {
            Ok(self)
        } else {
            Err("negative".to_string())
        }
    }
}

#[differentiable]
#[inline(never)]
fn checked_literal(x: f64) -> Result<f64, String> {
    let pair = Pair { a: x, b: x * x }.positive()?;
    Ok(pair.a * pair.b)
}

#[differentiable]
fn of_a_literal(x: f64) -> f64 {
    checked_literal(x).unwrap_or(2.0 * x)
}

table! {
    of_a_literal: (0.7), (-0.7);
    in_a_local_closure: (0.7, 1.3), (-0.7, 1.3), (0.7, -1.3);
    called_at_once: (0.7, 1.3), (-0.7, 1.3), (0.7, -1.3), (16.0, 1.3);
    of_lists: (&vec![0.7, 1.3]), (&vec![0.7, -1.3]);
    in_and_then: (0.7, 1.3), (-0.7, 1.3), (0.7, -1.3);
    extended: (0.7, 1.3);
    extended_by_methods: (&Model { a: 0.4 }, 0.7);
    extended_by_rows: (0.7);
}

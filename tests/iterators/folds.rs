//! Folds that end early, and what exact chunks leave over.

use chainrule::prelude::*;

use crate::check::table;

const X: [f64; 5] = [0.8, 0.1, 0.4, 1.5, 0.6];

fn x(n: usize) -> Vec<f64> {
    X[..n].to_vec()
}

#[differentiable]
fn product_of_small(x: &[f64]) -> f64 {
    let product = x
        .iter()
        .try_fold(1.0, |p, v| if *v < 1.0 { Some(p * v) } else { None });
    product.unwrap_or(x[0] * x[0])
}
#[differentiable]
fn lists_and_captures(x: &[f64]) -> f64 {
    let mut calls = 0;
    let weighted = x
        .iter()
        .enumerate()
        .try_fold(Vec::new(), |mut list: Vec<f64>, (k, v)| {
            calls += 1;
            if *v > 1.0 {
                return None;
            }
            list.push(v * k as f64 * x[0]);
            Some(list)
        });
    match weighted {
        Some(list) => list.iter().sum::<f64>() + calls as f64,
        None => x[0] * calls as f64,
    }
}
#[differentiable]
fn roots(x: &[f64], most: f64) -> Result<f64, String> {
    let sum = x.iter().map(|v| v * v).try_fold(0.0, |s, v| {
        if v > most {
            return Err(format!("more than {}", 2));
        }
        Ok(s + v.sqrt())
    })?;
    Ok(sum * sum)
}
#[differentiable]
fn roots_or(x: &[f64], #[constant] most: f64) -> f64 {
    roots(x, most).unwrap_or(x.len() as f64)
}
#[differentiable]
fn pairs(x: &[f64]) -> f64 {
    let (s, p) = x
        .windows(2)
        .try_fold((0.0, 1.0), |(s, p), w| {
            let d = w[1] - w[0];
            if d > 1.0 { None } else { Some((s + d, p * d)) }
        })
        .unwrap_or((0.3, 0.5));
    s * p
}

#[differentiable]
fn root(v: f64) -> Result<f64, String> {
    if v > 1.0 {
        return Err("large".to_string());
    }
    Ok(v.sqrt())
}
#[differentiable]
fn all_roots(x: &[f64]) -> Result<Vec<f64>, String> {
    x.iter().map(|v| root(*v)).collect()
}
#[differentiable]
fn all_or_none(x: &[f64]) -> f64 {
    let logs: Option<Vec<f64>> = x
        .iter()
        .enumerate()
        .filter(|(k, _)| *k != 1)
        .map(|(k, v)| {
            if *v > 1.2 {
                None
            } else {
                Some(v.ln() * k as f64)
            }
        })
        .collect();
    let squares = x
        .iter()
        .map(|v| if *v < 0.0 { Err(0) } else { Ok(v * v) })
        .collect::<Result<Vec<_>, i32>>();
    let roots = match all_roots(x) {
        Ok(roots) => roots.iter().sum::<f64>(),
        Err(message) => message.len() as f64 * x[0],
    };
    let logs = logs.map_or(0.5, |logs| logs.iter().sum());
    roots * logs + squares.unwrap().iter().product::<f64>()
}
#[differentiable]
fn roots_in_a_row(x: &[f64]) -> Result<f64, String> {
    let roots: Vec<f64> = x.iter().map(|v| root(*v)).collect::<Result<_, _>>()?;
    Ok(roots.iter().product())
}
#[differentiable]
fn roots_in_a_row_or(x: &[f64]) -> f64 {
    roots_in_a_row(x).unwrap_or(x.len() as f64)
}

#[differentiable]
fn found_by_position(x: &[f64]) -> f64 {
    let first = x.iter().position(|v| *v > 0.7);
    let last = x.iter().rposition(|v| *v < 0.5);
    first.map_or(0.5, |k| x[k] * x[k]) * last.map(|k| x[k].sin()).unwrap_or(1.0)
}

#[differentiable]
fn left_over(x: &[f64]) -> f64 {
    let mut chunks = x.chunks_exact(2);
    let mut sums = [0.0; 2];
    for pair in chunks.by_ref() {
        for (sum, v) in sums.iter_mut().zip(pair) {
            *sum += v * v;
        }
    }
    let mut tail = 0.0;
    for (k, v) in chunks.remainder().iter().enumerate() {
        tail += v * v * (k + 2) as f64;
    }
    let size = 3;
    let triples = x.chunks_exact(size);
    let rest = triples.remainder();
    let products: f64 = triples.map(|c| c.iter().product::<f64>()).sum();
    sums[0] * sums[1] + tail + products * rest.len() as f64 + rest.iter().sum::<f64>()
}
#[differentiable]
fn methods_of_slices_by_path(x: &[f64]) -> f64 {
    let rows: Vec<Vec<f64>> = x.chunks(2).map(<[f64]>::to_vec).collect();
    let longest = rows.iter().map(|row| <[f64]>::len(row)).max().unwrap_or(0);
    rows.iter().filter_map(|row| row.first()).sum::<f64>() * longest as f64
}

table! {
    product_of_small: for n in 1..6, (&x(n));
    lists_and_captures: for n in 1..6, (&x(n));
    roots_or: for n in 0..6, (&x(n), const 1.0);
    all_or_none: for n in 1..6, (&x(n));
    roots_in_a_row_or: for n in 0..6, (&x(n));
    found_by_position: for n in 0..6, (&x(n));
    pairs: for n in 0..6, (&x(n));
    left_over: for n in 0..6, (&x(n));
    methods_of_slices_by_path: for n in 0..6, (&x(n));
}

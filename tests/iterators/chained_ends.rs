//! Iterators that end early, in front of another one: what ends the first doesn't end the second.

use chainrule::prelude::*;

use crate::check::table;

#[differentiable]
fn taken_while(x: &[f64]) -> f64 {
    let first = x.iter().take_while(|v| **v < 2.0);
    first
        .chain(x.iter().skip_while(|v| **v < 1.0))
        .map(|v| v * v + 1.0)
        .product()
}

#[differentiable]
fn mapped_while(x: &[f64], y: &[f64]) -> f64 {
    x.iter()
        .map_while(|v| if *v > 0.0 { Some(v.sqrt()) } else { None })
        .chain(y.iter().map(|v| v * x[0]))
        .sum()
}

#[differentiable]
fn scanned(x: &[f64], y: &[f64]) -> f64 {
    x.iter()
        .scan(0.0, |sum, v| {
            *sum += v;
            if *sum < 2.0 { Some(*sum * v) } else { None }
        })
        .chain(y.iter().copied())
        .fold(1.0, |a, b| a * x[0] + b)
}

/// `take` of what isn't counted.
#[differentiable]
fn taken(x: &[f64], y: &[f64], n: usize) -> f64 {
    let positive = x.iter().filter(|v| **v > 0.0);
    positive.take(n).chain(y).map(|v| v.sin()).sum()
}

#[differentiable]
fn given(x: f64, y: &[f64]) -> f64 {
    let mut v = x;
    let powers = std::iter::from_fn(|| {
        v *= x;
        if v < 4.0 { Some(v) } else { None }
    });
    powers.chain(y.iter().copied()).sum::<f64>() * x
}

#[differentiable]
fn followed(x: f64, y: &[f64]) -> f64 {
    let powers = std::iter::successors(Some(x), |v| if *v < 4.0 { Some(v * x) } else { None });
    powers.chain(y.iter().map(|v| v * v)).sum()
}

/// Three, and an end of the whole.
#[differentiable]
fn three(x: &[f64], y: &[f64], n: usize) -> f64 {
    x.iter()
        .take_while(|v| **v < 1.0)
        .chain(y.iter().take_while(|v| **v < 3.0))
        .chain(x.iter().filter(|v| **v > 0.0).take(2))
        .enumerate()
        .take(n)
        .map(|(k, v)| v * v * (k + 1) as f64)
        .sum()
}

/// The search ends the whole, wherever it is.
#[differentiable]
fn found(x: &[f64], y: &[f64]) -> f64 {
    match x
        .iter()
        .take_while(|v| **v < 2.0)
        .chain(y)
        .find(|v| **v > 1.0)
    {
        Some(v) => v * v * x[0],
        None => x[0],
    }
}

/// What is made of the last item that is taken comes as a whole.
#[differentiable]
fn taken_and_spread(x: &[f64], n: usize) -> f64 {
    x.iter()
        .filter(|v| **v > 0.0)
        .take(n)
        .flat_map(|v| [*v, v * v, v * x[0]])
        .sum()
}

/// Limits in front of and behind what spreads.
#[differentiable]
fn taken_twice(x: &[f64], n: usize, m: usize) -> f64 {
    x.iter()
        .filter(|v| **v > 0.0)
        .take(n)
        .flat_map(|v| x.iter().map(move |u| u * v))
        .filter(|v| *v > -1.0)
        .take(m)
        .fold(0.0, |sum, v| sum * 0.5 + v)
}

/// Both sides know their items by position only where they are put together.
#[differentiable]
fn chained_pairs(x: &[f64], y: &[f64]) -> f64 {
    let starts = std::iter::once(0.5).chain(x.iter().copied());
    let ends = x.iter().copied().chain([3.0, x.len() as f64]);
    starts
        .zip(ends)
        .zip(y)
        .map(|((start, end), rate)| rate.exp() * (end - start * start))
        .sum()
}

#[differentiable]
fn filtered_then_known(x: &[f64], y: &[f64]) -> f64 {
    let mut sum = 0.0;
    for (i, (a, b)) in x.iter().filter(|v| **v > 0.0).zip(y).enumerate() {
        sum = sum * b + a * a * i as f64;
    }
    sum
}

#[differentiable]
fn known_then_filtered(x: &[f64], y: &[f64]) -> f64 {
    y.iter()
        .zip(x.iter().filter(|v| **v > 0.0))
        .map(|(b, a)| a * a * b)
        .sum()
}

/// The scan has no end.
#[differentiable]
fn with_an_endless_scan(x: &[f64], k: f64) -> f64 {
    let powers = (0..).scan(1.0, |power, i| {
        *power *= k + i as f64;
        Some(*power)
    });
    x.iter().zip(powers).map(|(a, b)| a * b).sum()
}

#[differentiable]
fn written_beside_a_filter(x: &[f64], y: &mut [f64]) -> f64 {
    for (to, from) in y.iter_mut().zip(x.iter().filter(|v| **v > 0.0)) {
        *to = from * *to;
    }
    for (from, to) in x.iter().skip_while(|v| **v > 0.6).zip(y.iter_mut().rev()) {
        *to += from * from;
    }
    y.iter().rev().fold(x[0], |sum, v| sum * v + v)
}

/// The end of the pairs doesn't end what follows.
#[differentiable]
fn pairs_then_more(x: &[f64], y: &[f64]) -> f64 {
    let pairs = x.iter().filter(|v| **v > 0.0).zip(y).map(|(a, b)| a * b);
    pairs
        .chain(x.iter().map(|v| v * v))
        .fold(1.0, |s, v| s * v + v)
}

#[differentiable]
fn pairs_in_each(x: &[f64], y: &[f64]) -> f64 {
    y.iter()
        .flat_map(|b| {
            let positive = x.iter().filter(|v| **v > 0.0);
            positive.zip(y).map(move |(a, c)| a * b * c)
        })
        .fold(0.3, |s, v| s * 0.7 + v)
}

table! {
    chained_pairs: for n in 0..4, (&[0.5, -1.5, 0.3], &vec![0.4, 0.7, -0.2, 0.1, 0.9][..n].to_vec()), (&[0.5][..0].to_vec(), &[0.4, 0.7]);
    filtered_then_known: for n in 0..4, (&[0.5, -1.5, 0.3, 2.5], &vec![0.4, 0.7, -0.2, 0.1][..n].to_vec());
    known_then_filtered: for n in 0..4, (&[0.5, -1.5, 0.3, 2.5], &vec![0.4, 0.7, -0.2, 0.1][..n].to_vec());
    with_an_endless_scan: for n in 0..4, (&vec![0.5, -1.5, 0.3, 2.5][..n].to_vec(), 0.7);
    written_beside_a_filter: for n in 0..5, (&[0.5, -1.5, 0.3, 2.5], &mut vec![0.4, 0.7, -0.2, 0.1][..n].to_vec());
    pairs_then_more: for n in 0..4, (&[0.5, -1.5, 0.3, 2.5], &vec![0.4, 0.7, -0.2, 0.1][..n].to_vec());
    pairs_in_each: for n in 0..4, (&[0.5, -1.5, 0.3, 2.5], &vec![0.4, 0.7, -0.2, 0.1][..n].to_vec());
    taken_and_spread: for n in 0..4, (&[0.5, -1.5, 0.3, 2.5], const n);
    taken_twice: for m in 0..7, (&[0.5, -1.5, 0.3, 2.5], const 2, const m);
    taken_while: (&[0.5, 1.5, -0.3, 2.5, 0.9]), (&[2.5, 0.5]), (&[0.5]);
    mapped_while: (&[0.5, 1.5, -0.3, 2.5], &[0.4, 0.7]), (&[0.5], &[0.4]);
    scanned: (&[0.5, 1.4, 1.3, 0.1], &[0.4, 0.7]), (&[0.5], &[0.4]);
    taken: for n in 0..4, (&[0.5, -1.5, 0.3, 2.5], &[0.4, 0.7], const n);
    given: (1.3, &[0.4, 0.7]), (2.3, &[0.4]);
    followed: (1.3, &[0.4, 0.7]), (5.3, &[0.4]);
    three: for n in 0..8, (&[0.5, 0.7, 1.3, 0.2], &[0.4, 2.7, 3.5, 0.1], const n);
    found: (&[0.5, 1.5], &[4.0]), (&[0.5, 2.5], &[0.3, 4.0]), (&[0.5, 2.5], &[0.3]);
}

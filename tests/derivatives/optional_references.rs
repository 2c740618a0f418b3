//! References that may not be there: parts of lists by `get(a..b)`, `Some(&x)`, and variables that hold one or none.

use chainrule::prelude::*;

use crate::check::table;

fn x(n: usize) -> Vec<f64> {
    [0.8, 0.3, -1.1, 0.6][..n].to_vec()
}

#[derive(Clone, Debug, Differentiable)]
struct Pair {
    a: f64,
    b: f64,
}

#[differentiable]
fn pairs(x: &[f64]) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for k in 0..x.len() {
        pairs.push(Pair {
            a: x[k],
            b: x[0] * x[k] + 0.5,
        });
    }
    pairs
}

#[differentiable]
fn part(x: &[f64]) -> f64 {
    if let Some(w) = x.get(0..2) {
        w[0] * w[1]
    } else {
        1.5
    }
}

#[differentiable]
fn parts(x: &[f64]) -> f64 {
    let mut s = 0.0;
    let mut k = 0;
    while let Some(w) = x.get(k..=k + 1) {
        s += w[0] * w[1] - s * w[0];
        k += 1;
    }
    let Some(rest) = x.get(k..) else { return s };
    s + rest.len() as f64
}

#[differentiable]
fn part_or_none(x: &[f64]) -> Option<f64> {
    let w = x.get(1..3)?;
    Some(w[0] * w[1] * x[0])
}

#[differentiable]
fn part_or(x: &[f64], k: usize) -> f64 {
    let w = x.get(1..k).unwrap_or(&[]);
    let q: &[f64] = x.get(k..).unwrap_or_default();
    let e = x.get(k).unwrap_or(&2.0);
    let s = x
        .get(..k)
        .map(|w| w.iter().sum::<f64>())
        .unwrap_or(x[0] * 3.0);
    w.iter().sum::<f64>() * x[0]
        + q.iter().map(|v| v * v).sum::<f64>() * e * s
        + part_or_none(x).unwrap_or(x[0])
}

#[differentiable]
fn part_mut(x: &[f64], k: usize) -> f64 {
    let mut v = x.to_vec();
    if let Some(e) = v.get_mut(k) {
        *e *= x[0];
    }
    if let Some(w) = v.get_mut(k..k + 2) {
        w[1] += w[0] * w[0];
    }
    v.iter().map(|v| v * v * v).sum()
}

#[differentiable]
fn one_or_none(x: &[f64], k: usize) -> f64 {
    let a = vec![x[0], 1.0];
    let r = if k > 0 { Some(&a) } else { None };
    let q = if k > 1 { x.last() } else { x.first() };
    let z = if k == 1 { x.get(9) } else { x.last() };
    let t = match r {
        Some(r) => r[0] * r[1],
        None => x[1],
    };
    t * q.unwrap() * q.copied().unwrap_or(1.0) + z.copied().unwrap_or(x[0])
}

#[differentiable]
fn one_or_none_mut(x: &[f64], k: usize) -> f64 {
    let (mut a, mut b, mut c) = (vec![x[0], 1.0], vec![x[1], 1.0], 1.0);
    {
        let m = if k > 0 { Some(&mut a) } else { None };
        if let Some(m) = m {
            m[0] *= x[1];
        }
        let mut o = None;
        if k > 1 {
            o = Some(&mut b);
        }
        if let Some(o) = o {
            o[1] = x[0];
        }
        if let Some(r) = Some(&mut c) {
            *r = x[0];
        }
    }
    a[0] * b[1] * b[0] + c
}

#[differentiable]
fn best(x: &[f64], k: usize) -> f64 {
    let pairs = pairs(x);
    let pairs = &pairs[..];
    let mut best: Option<&Pair> = None;
    let mut before = None;
    let mut s = 0.0;
    for p in &pairs[k..] {
        let better = match best {
            Some(b) => p.a * p.b > b.a * b.b,
            None => true,
        };
        if better {
            best = Some(p);
        }
        if let Some(q) = before {
            let q: &Pair = q;
            s += q.a * p.b;
        }
        before = if p.a > 0.5 { Some(p) } else { None };
    }
    let last = match before {
        Some(b) => b.a * b.a,
        None => x[0],
    };
    best.map(|p| p.a * p.b).unwrap_or(x[0]) + s * last
}

#[differentiable]
fn first_beyond(x: &[f64], limit: i32) -> Option<f64> {
    let mut found = None;
    for v in x {
        if *v > f64::from(limit) * 0.25 {
            found = Some(v);
            break;
        }
    }
    let v = found?;
    Some(v * v * x[0])
}

#[differentiable]
fn beyond(x: &[f64], limit: i32) -> f64 {
    first_beyond(x, limit).unwrap_or(x[0])
}

#[differentiable]
fn carried(x: &[f64], n: usize) -> f64 {
    let mut left = x.get(..n);
    let mut s = 0.0;
    while let Some(v) = left {
        s += v.iter().map(|v| v * v).sum::<f64>();
        left = if v.is_empty() { None } else { v.get(1..) };
    }
    let mut at: Option<&[f64]> = None;
    for _ in 0..n {
        at = match at {
            None => Some(x),
            Some(r) if r.len() > 1 => Some(&r[1..]),
            Some(_) => None,
        };
    }
    s + at.map_or(x[1], |r| r[0] * r.len() as f64) * at.unwrap_or(&[2.0])[0]
}

#[differentiable]
fn kept(x: &[f64]) -> f64 {
    let most = x.iter().max_by(|a, b| a.total_cmp(b)).unwrap();
    let least = x.iter().min_by(|a, b| a.partial_cmp(b).unwrap());
    most * most + least.unwrap() * x[0]
}

/// Constant references to numbers, which patterns take out of what holds them.
#[differentiable]
fn constant_references(
    x: &[f64],
    #[constant] scale: Option<&f64>,
    #[constant] pair: Option<(&f64, usize)>,
    #[constant] list: Option<&[f64]>,
) -> f64 {
    let scaled = match scale {
        Some(s) if *s > 0.0 => x[0] * x[0] * s,
        Some(&s) => x[0].sin() * s,
        None => x[0].exp(),
    };
    let mut sum = x[1];
    if let Some((s, k)) = pair {
        for _ in 0..3 {
            sum = sum * x[k] * s + s.sqrt();
        }
    }
    match list {
        Some(list) => scaled * x.iter().zip(list).map(|(a, b)| a * a * b).sum::<f64>() + sum,
        None => scaled * sum,
    }
}

table! {
    constant_references: (&x(2), const Some(&1.5), const Some((&0.7, 1)), const Some(&[0.3, 0.4][..])),
        (&x(2), const Some(&-1.5), const None, const None), (&x(2), const None, const Some((&0.7, 0)), const None);
    part: for n in 0..4, (&x(n));
    parts: for n in 0..5, (&x(n));
    part_or: for k in 0..6, (&x(4), const k), (&x(2), const k);
    part_mut: for k in 0..5, (&x(4), const k);
    one_or_none: for k in 0..3, (&x(3), const k);
    one_or_none_mut: for k in 0..3, (&x(3), const k);
    best: for k in 0..5, (&x(4), const k);
    beyond: for limit in -5..5, (&x(4), const limit);
    carried: for n in 0..6, (&x(4), const n);
    kept: for n in 1..5, (&x(n));
}

#[test]
#[should_panic(expected = "called `Option::unwrap()` on a `None` value")]
fn what_is_not_there_is_not_unwrapped() {
    #[differentiable]
    fn f(x: &[f64], k: usize) -> f64 {
        let a = if k == 0 { Some(&x[0]) } else { None };
        *a.unwrap()
    }
    f::gradient(&x(2), 1);
}

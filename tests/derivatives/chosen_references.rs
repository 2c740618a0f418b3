//! References that control flow chooses: `if c { &a } else { &b }`, by `match`, by assignment, one and several at once.

use chainrule::prelude::*;

use crate::check::{flat, table};

fn points() -> Vec<Vec<f64>> {
    vec![
        vec![0.8, 0.3, -1.1],
        vec![0.2, 0.9, 0.4],
        vec![-0.5, 1.4, 0.7],
    ]
}

fn with_flags() -> impl Iterator<Item = (Vec<f64>, bool)> {
    let both = |x: Vec<f64>| [(x.clone(), false), (x, true)];
    points().into_iter().flat_map(both)
}

fn with_counts() -> impl Iterator<Item = (Vec<f64>, usize)> {
    let all = |x: Vec<f64>| (0..4).map(move |n| (x.clone(), n));
    points().into_iter().flat_map(all)
}

#[derive(Clone, Debug, Differentiable)]
struct Line {
    slope: f64,
    at: [f64; 2],
    list: Vec<f64>,
}

flat!(Line { slope: f64, at: [f64; 2], list: Vec<f64> });

#[differentiable]
impl Line {
    fn cost(&self) -> f64 {
        self.slope * self.at[0] + self.list[1]
    }

    fn scale(&mut self, by: f64) {
        self.slope *= by;
        self.at[1] += self.slope * by;
    }
}

#[differentiable]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[differentiable]
fn step(from: &[f64], to: &mut [f64], by: f64) {
    for i in 0..from.len() {
        to[i] = from[i] * by + from[(i + 1) % from.len()].sin();
    }
}

#[differentiable]
fn one_of_two(x: &[f64]) -> f64 {
    let a = vec![x[0], x[1] * 2.0];
    let b = vec![x[1], x[0] * x[1]];
    let r = if x[0] > x[1] { &a } else { &b };
    r[0] * r[1] + a[1] * r[0] * b[0]
}

#[differentiable]
fn rows(x: &[f64], n: usize) -> f64 {
    let y = vec![x[1] * x[0], 3.0 * x[1]];
    let mut s = 0.0;
    for i in 0..n {
        let row: &[f64] = if i % 2 == 0 { &x[..2] } else { &y };
        for v in row {
            s += v * v * (i + 1) as f64;
        }
        s *= row[1] * row.len() as f64;
    }
    s
}

#[differentiable]
fn layers(x: &[f64], n: usize) -> f64 {
    let (w0, w1) = ([x[0], 1.0, x[2]], [x[1], x[0] * 2.0, 0.1]);
    let last = [x[0] * x[1], x[0], x[2] * x[2]];
    let mut s = 0.0;
    for layer in 0..n {
        let w = match layer {
            0 => &w0,
            1 => &w1,
            _ => &last,
        };
        s = dot(w, x) * (layer + 1) as f64 - s * w[1];
    }
    s
}

/// Both lead to the same list, and overlap.
#[differentiable]
fn overlapping(x: &[f64], c: bool) -> f64 {
    let r = if c { &x[..2] } else { &x[1..] };
    let all = if c { x } else { r };
    let mut s = 0.0;
    for (a, b) in r.iter().zip(all) {
        s += a * b * x[0];
    }
    s
}

#[differentiable]
fn nested(x: &[f64], n: usize) -> f64 {
    let (a, b, c) = (vec![x[0], 1.0], vec![x[1], 2.0], [x[0] * x[1], x[1]]);
    let r: &[f64] = if n > 0 {
        if n > 1 { &a } else { &b[..] }
    } else {
        &c
    };
    let q = if n > 1 { r } else { &a };
    r[0] * q[1] + r[1] * q[0] * r[0]
}

#[differentiable]
fn of_an_argument(x: &[f64], c: bool) -> f64 {
    let a = vec![x[0], x[1] * 2.0, 1.0];
    dot(if c { &a } else { x }, x) * a[0]
}

#[differentiable]
fn constants(x: &[f64], c: bool) -> f64 {
    let a = vec![x[0] * x[1], x[1]];
    let r: &[f64] = if c { &a } else { &[] };
    let q: &[f64] = if c { &[1.0, -2.0] } else { &a };
    r.iter().sum::<f64>() * x[0] + q[0] * q[1]
}

#[differentiable]
fn objects(x: &[f64]) -> f64 {
    let line = |k: usize| Line {
        slope: x[k],
        at: [x[1], x[0]],
        list: x.to_vec(),
    };
    let (mut a, mut b) = (line(0), line(2));
    let m = if a.cost() < b.cost() { &mut a } else { &mut b };
    m.scale(x[0]);
    m.at[0] += x[1];
    m.list.push(x[0] * m.slope);
    let best = if a.cost() > 0.1 { &a } else { &b };
    let at = if a.slope > x[0] { &a.at } else { &best.at };
    best.cost() * at[1] + b.list[b.list.len() - 1] * a.slope + a.at[0]
}

#[differentiable]
fn numbers(x: f64, y: f64, first: bool) -> f64 {
    let (mut a, mut b) = (x, y);
    let place = if first { &mut a } else { &mut b };
    *place *= 2.0 * x;
    let least = if a < b { &a } else { &b };
    a * b + *least * x
}

#[differentiable]
fn written(x: &[f64], swap: bool) -> f64 {
    let mut u = vec![x[0], 1.0];
    let mut v = vec![2.0, x[1]];
    {
        let m = if swap { &mut u } else { &mut v };
        m[0] += x[1] * x[0];
        m[1] *= m[0];
        m.push(x[0]);
    }
    u[0] * v[0] + u[1] * v[1] + v.len() as f64 * u[u.len() - 1]
}

/// What nothing active was in before.
#[differentiable]
fn written_first(x: &[f64], c: bool) -> f64 {
    let (mut u, mut v) = (vec![0.0; 2], vec![1.0; 2]);
    {
        let (a, b) = (&mut u, &mut v);
        let mut m = a;
        if c {
            m = b;
        }
        m[0] = x[0] * x[1];
        m[1] += 2.0;
    }
    u[0] * u[1] + v[0] * v[1] * x[1]
}

/// What is written decides what is written next.
#[differentiable]
fn the_greater(x: &[f64], n: usize) -> f64 {
    let mut a = vec![x[0], 1.0];
    let mut b = vec![x[1], 2.0];
    for k in 0..n {
        let m = if a[0] > b[0] { &mut a } else { &mut b };
        m[0] = m[0] * 0.7 * m[1];
        m[1] += x[k % 3];
    }
    a[0] * b[1] + a[1] + b[0]
}

#[differentiable]
fn double_buffer(x: &[f64], n: usize) -> f64 {
    let mut a = x.to_vec();
    let mut b = vec![0.0; x.len()];
    for k in 0..n {
        let (from, to) = if k % 2 == 0 {
            (&a, &mut b)
        } else {
            (&b, &mut a)
        };
        step(from, to, x[0]);
    }
    let last = if n % 2 == 0 { &a } else { &b };
    last[0] * last[1]
}

#[differentiable]
fn exchanged(x: &[f64], n: usize) -> f64 {
    let mut a = x.to_vec();
    let mut b = vec![0.0; x.len()];
    let (mut from, mut to) = (&mut a, &mut b);
    for _ in 0..n {
        step(from, to, x[0]);
        std::mem::swap(&mut from, &mut to);
    }
    from[0] * from[1]
}

#[differentiable]
fn exchanged_by_a_tuple(x: &[f64], n: usize) -> f64 {
    let (mut a, mut b) = (&x[..1], &x[1..]);
    let mut s = 0.0;
    for k in 0..n {
        s += a[0] * b[0].sin() * (k + 1) as f64 + a[0];
        (a, b) = (b, a);
    }
    s
}

/// The best of a list, by a reference that a loop carries.
#[differentiable]
fn best_of(x: &[f64]) -> f64 {
    let rows = vec![
        vec![x[0], x[1]],
        vec![x[1] * x[1], 2.0 * x[2]],
        vec![x[0] * x[1], x[0]],
    ];
    let start = vec![1.0, x[0]];
    let (mut best, mut before) = (&rows[0], &start);
    let mut s = 0.0;
    for row in &rows {
        if row[0] * row[1] < best[0] * best[1] {
            best = row;
        }
        s += row[0] * before[1];
        before = row;
    }
    s * before[0] + best[0] * best[1].sin()
}

#[differentiable]
fn found(x: &[f64], limit: i32) -> f64 {
    let rows = vec![vec![x[1], x[0] * x[0]], vec![x[0], 3.0]];
    let limit = f64::from(limit) * 0.1;
    let mut first = &rows[1];
    for row in rows.iter() {
        if row[1] > limit {
            first = row;
            break;
        }
    }
    let mut k = 0;
    let again = loop {
        if rows[k][1] > limit || k == 1 {
            break &rows[k];
        }
        k += 1;
    };
    first[0] * again[1] * again[0]
}

#[differentiable]
fn or_return(x: &[f64], k: usize) -> f64 {
    let a = vec![x[0], x[1] * x[1]];
    let rows = vec![vec![x[1], x[0] * x[0]], vec![x[0], 3.0]];
    let row = if let Some(row) = rows.get(k) {
        row
    } else {
        return x[0] * x[1];
    };
    let r = match k {
        0 => &a[..],
        1 if row[0] > 0.0 => &x[..1],
        _ => return x[0] * 2.0,
    };
    r[0] * row[1] * r.len() as f64 + r.iter().sum::<f64>() * a[1]
}

#[differentiable]
fn assigned_late(x: &[f64], n: usize) -> f64 {
    let (a, b) = ([x[0], x[1]], [x[1] * x[0], 2.0]);
    let r;
    if n > 2 {
        r = &a;
    } else {
        r = &b;
    }
    r[0] * r[1]
}

/// Code that stays as it is, copies, and chains.
#[differentiable]
fn used_otherwise(x: &[f64], c: bool) -> f64 {
    let (a, b) = (vec![x[0], 1.0], vec![x[1], 2.0]);
    let r = if c { &a } else { &b };
    assert!(r.len() == 2, "{r:?}");
    let most = r.iter().cloned().fold(f64::MIN, f64::max);
    let squares: Vec<f64> = r.iter().map(|v| v * v).collect();
    let mut copy = if c { &b } else { &a }.clone();
    copy[0] *= x[2];
    most * squares[0] + r.iter().sum::<f64>() * r.last().unwrap() + copy[0] * copy[1]
}

#[differentiable]
fn of_a_struct(line: &Line, x: &[f64], k: usize) -> f64 {
    let mut s = 0.0;
    for l in 0..k {
        let w = match l {
            0 => &line.at[..],
            1 => &line.list[1..],
            _ => &line.list,
        };
        s = s * line.slope + dot(w, x).sin();
    }
    s
}

fn line() -> Line {
    Line {
        slope: 0.3,
        at: [0.2, 0.7],
        list: vec![0.1, -0.4, 0.8],
    }
}

table! {
    one_of_two: for x in points(), (&x);
    objects: for x in points(), (&x);
    best_of: for x in points(), (&x);
    overlapping: for p in with_flags(), (&p.0, const p.1);
    of_an_argument: for p in with_flags(), (&p.0, const p.1);
    constants: for p in with_flags(), (&p.0, const p.1);
    numbers: for p in with_flags(), (p.0[0], p.0[1], const p.1);
    written: for p in with_flags(), (&p.0, const p.1);
    written_first: for p in with_flags(), (&p.0, const p.1);
    used_otherwise: for p in with_flags(), (&p.0, const p.1);
    rows: for p in with_counts(), (&p.0, const p.1);
    layers: for p in with_counts(), (&p.0, const p.1);
    nested: for p in with_counts(), (&p.0, const p.1);
    the_greater: for p in with_counts(), (&p.0, const p.1);
    double_buffer: for p in with_counts(), (&p.0, const p.1);
    exchanged: for p in with_counts(), (&p.0, const p.1);
    exchanged_by_a_tuple: for p in with_counts(), (&p.0, const p.1);
    or_return: for p in with_counts(), (&p.0, const p.1);
    assigned_late: for p in with_counts(), (&p.0, const p.1);
    of_a_struct: for p in with_counts(), (&line(), &p.0, const p.1);
    found: for limit in [-20, 1, 20, 200], (&points()[0].clone(), const limit);
}

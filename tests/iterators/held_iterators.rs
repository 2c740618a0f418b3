//! Iterators that variables hold. All that they are made of is evaluated where they are made, whatever changes before they are used.

use chainrule::prelude::*;

use crate::check::{irregular, table};

fn x(n: usize) -> Vec<f64> {
    irregular(n, 0.7)
}

fn indices() -> Vec<Vec<usize>> {
    vec![vec![0, 1], vec![1, 2, 3]]
}

#[differentiable]
fn numbers(x: f64) -> f64 {
    let mut a = x;
    let it = [a * 2.0, a].into_iter().take(1);
    a = a * a * a;
    let mut s = 0.0;
    for i in it {
        s += i;
    }
    s + a
}

#[differentiable]
fn mapped_numbers(v: &[f64]) -> f64 {
    let mut a = v.to_vec();
    let it = [a[0] * 2.0, a[0]].into_iter().map(|t| t * t);
    a[0] = 5.0;
    let mut s = a[0];
    for i in it {
        s += i;
    }
    s
}

#[differentiable]
fn moved_captures(x: f64) -> f64 {
    let mut k = 2;
    let mut f = 3.0;
    let it = (0..k).map(move |t| t as f64 * f * x);
    k = 5;
    f = 7.0;
    let mut s = f;
    for i in it {
        s += i;
    }
    s + k as f64
}

#[differentiable]
fn cloned_list(x: f64) -> f64 {
    let mut a = vec![x, x * x];
    let it = a.clone().into_iter().skip(1);
    a[1] = 0.0;
    a.push(3.0);
    let mut s = a[1];
    for i in it {
        s += i;
    }
    s
}

#[differentiable]
fn limits_of_steps(x: f64) -> f64 {
    let mut a = vec![x, x * x];
    let n = 1;
    let it = vec![a[n], a[0]].into_iter().rev().take(n);
    let n = 2;
    a.clear();
    let mut s = 0.0;
    for i in it {
        s += i * n as f64;
    }
    s
}

#[differentiable]
fn row(v: &[f64]) -> f64 {
    let rows = [[v[0], v[1]], [v[2], v[3]]];
    let mut k = 0;
    let it = rows[k].iter();
    k += 1;
    let mut s = 0.0;
    for i in it {
        s += i * i;
    }
    s * k as f64
}

#[differentiable]
fn part(v: &[f64]) -> f64 {
    let mut a = 1;
    let it = v[a..a + 2].iter().map(|t| t * t);
    a = 0;
    let s: f64 = it.sum();
    s + a as f64
}

#[differentiable]
fn steps(v: &[f64]) -> f64 {
    let mut k = 2;
    let it = (0..4).step_by(k);
    k = 1;
    let mut s = 0.0;
    for i in it {
        s += v[i] * v[i];
    }
    s + k as f64
}

#[differentiable]
fn chunks(v: &[f64]) -> f64 {
    let mut k = 2;
    let it = v.chunks(k).map(|c| c[0] * c[0]);
    k = 1;
    let s: f64 = it.sum();
    s + k as f64
}

#[differentiable]
fn zipped_and_repeated(v: &[f64]) -> f64 {
    let mut k = 2;
    let mut w = v[0];
    let it = v.iter().zip(v[k..].iter()).map(|(a, b)| a * b);
    let r = std::iter::repeat(w).take(k);
    let o = std::iter::once(w * 2.0);
    k = 1;
    w = 9.0;
    let s: f64 = it.sum();
    let mut p = 0.0;
    for i in r {
        p += i;
    }
    for i in o {
        p += i;
    }
    s + k as f64 + p + w
}

#[differentiable]
fn written_row(v: &[f64]) -> f64 {
    let mut rows = vec![v.to_vec(), vec![v[1]; 2]];
    let mut k = 0;
    let mut it = rows[k].iter_mut();
    k += 1;
    *it.next().unwrap() *= 3.0;
    for x in it {
        *x *= 2.0;
    }
    rows[k][0] * rows[0][0] + rows[0][1] * rows[0][1]
}

#[differentiable]
fn stepped(v: &[f64]) -> f64 {
    let mut a = v[0];
    let t = (a, a * a);
    let mut it = [t.0, a].into_iter();
    a = 100.0;
    let x = it.next().unwrap();
    let y = it.next().unwrap();
    x * y + a
}

#[differentiable]
fn constant_row(v: &[f64], #[constant] indices: &[Vec<usize>]) -> f64 {
    let mut k = 0;
    let it = indices[k].iter();
    k += 1;
    let mut s = 0.0;
    for i in it {
        s += v[*i] * v[*i];
    }
    s * k as f64
}

#[differentiable]
fn filtered_constants(v: &[f64], #[constant] indices: &[Vec<usize>]) -> f64 {
    let mut k = 0;
    let it = indices[k].iter().filter(|c| **c > 0).map(|c| c * 1);
    k += 1;
    let mut s = 0.0;
    for i in it {
        s += v[i] * v[i];
    }
    s * k as f64
}

#[differentiable]
fn constant_numbers(v: &[f64], #[constant] indices: &[Vec<usize>]) -> f64 {
    let mut a = 1;
    let it = [a, a + 1].into_iter();
    a = 0;
    let t = vec![indices[a].len(), a].into_iter();
    a = 3;
    let mut s = 0.0;
    for i in it {
        s += v[i] * v[i];
    }
    for i in t {
        s += v[i] * i as f64;
    }
    s * a as f64
}

#[differentiable]
fn text(v: &[f64]) -> f64 {
    let text = "0 1 2 3";
    let mut k = 2;
    let it = text[k..].split(' ');
    k = 0;
    let mut s = 0.0;
    for i in it {
        let i: usize = i.parse().unwrap();
        s += v[i] * v[i];
    }
    let cs = text[k + 2..].chars();
    k = 7;
    for c in cs {
        if c == '1' {
            s += v[0];
        }
    }
    s * (k + 1) as f64
}

#[differentiable]
fn skipped_rows(v: &[f64], #[constant] indices: &[Vec<usize>]) -> f64 {
    let mut k = 1;
    let it = indices.iter().skip(k).flat_map(|c| c.iter());
    let w = indices[k].windows(k + 1);
    k = 0;
    let mut s = 0.0;
    for i in it {
        s += v[*i] * v[*i];
    }
    for i in w {
        s += v[i[0]] * v[i[1]];
    }
    s * (k + 1) as f64
}

#[differentiable]
fn replaced(v: &[f64]) -> f64 {
    let mut a = v.to_vec();
    let n = a.len();
    a.splice(n - 1..n, [a[0] * 2.0, a[0] * 0.5].into_iter().take(1));
    a[0]
}

#[differentiable]
fn product(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// A variable holds the range of a part.
#[differentiable]
fn part_by_a_range(x: &[f64], n: usize) -> f64 {
    let mut y = x.to_vec();
    let mut s = 0.0;
    for k in 0..x.len() / n {
        let at = k * n..(k + 1) * n;
        s += product(&x[at.clone()], &y[at.clone()]);
        y[at][0] *= 2.0;
    }
    let (mut lo, hi) = (1, x.len() - 1);
    let inner = lo..hi;
    let closed = 0..=lo;
    lo = 0;
    for v in &mut y[inner.clone()] {
        *v *= x[lo];
    }
    y[inner.clone()].swap(0, 1);
    s += y[closed].iter().sum::<f64>() * x[lo];
    for i in inner {
        s += y[i] * i as f64;
    }
    s
}

#[differentiable]
fn given_range(x: &[f64], #[constant] r: std::ops::Range<usize>) -> f64 {
    let mut s = x[r.clone()].iter().sum::<f64>() * x[r.start];
    for (i, v) in r.clone().zip(x) {
        s += v * x[i];
    }
    for k in r.clone().rev() {
        s += x[k].sin();
    }
    if r.contains(&1) {
        s *= 2.0;
    }
    x[r.clone()].iter().product::<f64>() + s * r.len() as f64
}

#[differentiable]
fn open_ranges(x: &[f64], #[constant] n: usize) -> f64 {
    let mut y = x.to_vec();
    let (from, to) = (1.., ..n);
    let until = ..n;
    let rest = 1..;
    for v in &mut y[rest.clone()] {
        *v *= x[0];
    }
    let part = &x[until];
    y[rest].iter().product::<f64>()
        + part.iter().map(|v| v * v).sum::<f64>()
        + x[from][to].len() as f64
}

#[differentiable]
fn changing_range(x: &[f64]) -> f64 {
    let mut r = 0..2;
    let mut s = x[r.clone()].iter().sum::<f64>();
    r = r.start + 1..3;
    s *= x[r].iter().sum::<f64>();
    s
}

#[differentiable]
fn lists_of_ranges(x: &[f64], #[constant] given: &[std::ops::Range<usize>]) -> f64 {
    let (parts, n) = ([0..2, 1..4], x.len());
    let mut bounds = vec![];
    for k in 0..2 {
        bounds.push(k..n - k);
    }
    let mut s = 0.0;
    for r in parts {
        s += x[r].iter().sum::<f64>().powi(2);
    }
    for r in given {
        s *= x[r.clone()].iter().sum::<f64>();
    }
    for b in &bounds {
        s += x[b.clone()].iter().map(|v| v * v).sum::<f64>() * b.end as f64;
    }
    for b in bounds {
        for i in b {
            s += x[i].sin();
        }
    }
    s
}

#[differentiable]
fn start_beside_part(x: &[f64], #[constant] i: usize) -> f64 {
    let r = i..x.len();
    x[r.start] * x[r.clone()].iter().sum::<f64>() + x[r.end - 1]
}

table! {
    given_range: (&x(4), const 1..3), (&x(4), const 2..2);
    open_ranges: for n in 1..3, (&x(4), const n);
    changing_range: (&x(4));
    lists_of_ranges: (&x(4), const &[0..2, 1..3]);
    start_beside_part: (&x(4), const 2);
    part_by_a_range: for n in 1..4, (&x(6), const n);
    numbers: (0.7);
    moved_captures: (0.7);
    cloned_list: (0.7);
    limits_of_steps: (0.7);
    mapped_numbers: (&x(1));
    replaced: for n in 1..4, (&x(n));
    row: (&x(4));
    part: (&x(4));
    steps: (&x(4));
    chunks: (&x(4));
    zipped_and_repeated: (&x(4));
    written_row: (&x(4));
    stepped: (&x(4));
    constant_row: (&x(4), const &indices());
    filtered_constants: (&x(4), const &indices());
    constant_numbers: (&x(4), const &indices());
    text: (&x(4));
    skipped_rows: (&x(4), const &indices());
}

//! Places: halves and chunks in assignments and as arguments.

use chainrule::prelude::*;

use crate::check::{map_table, table};

const X: [f64; 6] = [0.7, 1.9, -0.4, 1.3, 0.6, -1.1];

fn x(n: usize) -> Vec<f64> {
    X[..n].to_vec()
}

fn rows(n: usize) -> Vec<Vec<f64>> {
    (0..n).map(|i| X[i..i + 3].to_vec()).collect()
}

#[differentiable]
fn scale(v: &mut [f64], k: f64) {
    for i in 0..v.len() {
        v[i] *= k;
    }
}

#[differentiable]
fn multiply(a: &mut [f64], b: &[f64]) -> f64 {
    let mut s = 0.0;
    for i in 0..a.len().min(b.len()) {
        a[i] *= b[i];
        s += a[i];
    }
    s
}

#[differentiable]
fn exchange(a: &mut [f64], b: &mut [f64]) -> f64 {
    let mut s = 0.0;
    for i in 0..a.len().min(b.len()) {
        let t = a[i];
        a[i] *= b[i];
        b[i] += t;
        s += a[i] * b[i];
    }
    s
}

#[differentiable]
fn halves_written(x: &mut [f64], k: usize) -> f64 {
    let (a, b) = x.split_at_mut(k);
    a[0] *= b[0];
    b[0] += a[0] * a[k - 1];
    x[0] * x[k]
}

#[differentiable]
fn halves_passed(x: &mut [f64], k: usize) -> f64 {
    let (a, b) = x.split_at_mut(k);
    let s = exchange(a, b);
    s * multiply(b, &a[..1])
}

#[differentiable]
fn halves_in_a_loop(x: &[f64]) -> f64 {
    let mut v = x.to_vec();
    let mut s = 0.0;
    for k in 1..x.len() {
        let (a, b) = v.split_at_mut(k);
        s += exchange(a, b);
        a[0] += s;
    }
    s * v[0]
}

#[differentiable]
fn quarters(x: &mut [f64]) -> f64 {
    let (a, b) = x.split_at_mut(3);
    let (c, d) = a.split_at_mut(2);
    let (e, f) = c.split_at_mut(1);
    exchange(e, f) + exchange(d, b) * multiply(e, d)
}

#[differentiable]
fn rows_of_halves(m: &mut [Vec<f64>]) -> f64 {
    let (a, b) = m.split_at_mut(1);
    let s = exchange(&mut a[0], &mut b[0]);
    core::mem::swap(&mut a[0], &mut b[1]);
    core::mem::swap(&mut b[0][0], &mut a[0][1]);
    s * m[0][0] * m[2][1]
}

#[differentiable]
fn ranges_of_two_buffers(x: &[f64]) -> f64 {
    let mut v = x.to_vec();
    let w = x.to_vec();
    let s = multiply(&mut v[..2], &w[2..]);
    s * v[0]
}

#[derive(Clone, Differentiable)]
struct Two {
    a: Vec<f64>,
    b: Vec<f64>,
}

#[differentiable]
fn fields(x: &[f64]) -> f64 {
    let mut s = Two {
        a: x.to_vec(),
        b: vec![x[0]],
    };
    s.a.append(&mut s.b);
    s.b.push(x[1]);
    s.a.extend_from_slice(&s.b);
    let t = exchange(&mut s.a, &mut s.b);
    let (p, q): (f64, f64) = (s.a[s.a.len() - 1], s.b[0]);
    p * q * t
}

#[differentiable]
fn chunks_passed(x: &mut [f64], n: usize) {
    for chunk in x.chunks_exact_mut(n) {
        let k = chunk[0];
        scale(chunk, k);
    }
    for chunk in x.chunks_mut(n) {
        let last = chunk.len() - 1;
        chunk[0] += chunk[last] * chunk[0];
    }
}

table! {
    halves_written: for n in 1..4, (&mut x(4), const n);
    halves_passed: for n in 1..4, (&mut x(4), const n);
    halves_in_a_loop: for n in 1..5, (&x(n));
    quarters: (&mut x(5));
    rows_of_halves: (&mut rows(3));
    ranges_of_two_buffers: (&x(4));
    fields: (&x(3));
}

map_table! {
    chunks_passed: for n in 1..4, (&mut x(5), const n);
}

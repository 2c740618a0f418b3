//! `[&a, &b]`: what loops run over, and what an index chooses from.

use chainrule::prelude::*;

use crate::check::table;

fn x() -> Vec<f64> {
    vec![0.8, 0.3, -1.1]
}

#[differentiable]
fn shared(x: &[f64]) -> f64 {
    let (a, b) = (vec![x[0], 1.0], vec![x[1], 2.0]);
    let mut s = 0.0;
    for v in [&a, &b] {
        s += v[0] * v[1] * s.cos();
    }
    for v in [x, &[1.0, -2.0], &a[..]] {
        s = s * v[0] + v[1];
    }
    s + a[0]
}

#[differentiable]
fn mutable(x: &[f64]) -> f64 {
    let (mut a, mut b) = (x[0], 2.0);
    for r in [&mut a, &mut b] {
        *r *= x[1] + *r;
    }
    let (mut u, mut v) = (vec![0.0; 2], x.to_vec());
    for (k, m) in [&mut u, &mut v].into_iter().enumerate() {
        m[k] += a;
        m.push(b);
    }
    a * b * x[1] + u[0] * v[1] + u[2] * v[3]
}

#[differentiable]
fn bound(x: &[f64], k: usize) -> f64 {
    let (a, b) = (vec![x[0], 1.0], vec![x[1], 2.0]);
    let all = [&a[..], x, &b];
    let mut s = all[k][0] * x[0] + all[1][k];
    for row in all {
        s += row[0] * row[1];
    }
    for (i, row) in all.iter().enumerate() {
        for (p, q) in row.iter().zip(all[(i + 1) % 3]) {
            s = s * p + q;
        }
    }
    for (row, w) in all.iter().zip([1.0, 2.0, 3.0]) {
        s += row[0] * w;
    }
    s * all[k].len() as f64 + all.iter().map(|r| r[0] * r[0]).sum::<f64>()
}

#[differentiable]
fn numbers(x: &[f64], k: usize) -> f64 {
    let (a, b) = (x[0] * x[1], x[1]);
    let all = [&a, &b];
    let squares: f64 = all.iter().map(|v| **v * **v).sum();
    squares * all[k]
}

#[differentiable]
fn written_at(x: &[f64], k: usize) -> f64 {
    let (mut a, mut b) = (vec![1.0, x[0]], vec![2.0, 3.0]);
    {
        let all = [&mut a, &mut b];
        all[k][1] *= x[1];
        *all[0] = vec![x[2], x[0]];
        all[k][0] += x[0];
    }
    a[0] * a[1] + b[0] * b[1]
}

table! {
    shared: (&x());
    mutable: (&x());
    bound: for k in 0..3, (&x(), const k);
    numbers: for k in 0..2, (&x(), const k);
    written_at: for k in 0..2, (&x(), const k);
}

#[test]
#[should_panic(expected = "index out of bounds: the len is 2 but the index is 2")]
fn indices_are_checked() {
    #[differentiable]
    fn f(x: &[f64], k: usize) -> f64 {
        let all = [&x[..1], &x[1..]];
        all[k][0]
    }
    f::gradient(&x(), 2);
}

//! Methods that change the order of elements.

use chainrule::prelude::*;

use crate::check::{map_table, table};

const X: [f64; 5] = [0.7, 1.9, -0.4, 1.3, 0.6];

fn x(n: usize) -> Vec<f64> {
    X[..n].to_vec()
}

/// A weight for each position, so that the order matters.
#[differentiable]
fn weigh(v: &[f64]) -> f64 {
    let mut s = 0.0;
    for i in 0..v.len() {
        s += v[i] * v[i] * (i + 1) as f64;
    }
    s
}

#[differentiable]
fn reversed(x: &mut [f64]) -> f64 {
    x.reverse();
    weigh(x)
}

#[differentiable]
fn rotated(x: &[f64], k: usize) -> f64 {
    let mut v = x.to_vec();
    v.rotate_left(k);
    v[0] *= 3.0;
    v[1..].rotate_right(1);
    weigh(&v)
}

#[differentiable]
fn swapped_rows(x: &[f64]) -> f64 {
    let mut m = vec![vec![x[0], x[1]], vec![x[2], x[3]]];
    m.swap(0, 1);
    m[0][0] *= m[1][1];
    let mut a = [[x[0], x[1]], [x[2], x[3]]];
    a.swap(1, 0);
    weigh(&m[0]) * weigh(&a[1])
}

#[differentiable]
fn sorted(x: &[f64]) -> f64 {
    let mut v = x.to_vec();
    v.sort_by(|a, b| a.total_cmp(b));
    weigh(&v)
}

#[differentiable]
fn sorted_in_place(x: &mut [f64]) {
    x.sort_unstable_by(|a, b| b.partial_cmp(a).unwrap());
    for i in 1..x.len() {
        x[i] *= x[i - 1];
    }
}

#[differentiable]
fn sorted_by_function(x: &[f64]) -> f64 {
    let mut v = x.to_vec();
    v[1..].sort_by(f64::total_cmp);
    weigh(&v)
}

#[derive(Clone, Copy, Differentiable)]
struct Item {
    #[constant]
    key: i32,
    value: f64,
}

#[differentiable]
fn sorted_by_key(x: &[f64]) -> f64 {
    let mut items = vec![];
    for i in 0..x.len() {
        items.push(Item {
            key: (3 * i as i32) % 4,
            value: x[i],
        });
    }
    items.sort_by_key(|item| item.key);
    let mut s = 0.0;
    for i in 0..x.len() {
        let value: f64 = items[i].value;
        s = s * 0.5 + value * value;
    }
    s
}

#[differentiable]
fn median_of_pairs(x: &[f64]) -> f64 {
    let mut v = Vec::new();
    for i in 0..x.len() {
        for j in 0..i {
            v.push((x[i] + x[j]) * 0.5 * x[j]);
        }
    }
    v.sort_by(|a, b| a.partial_cmp(b).unwrap());
    v[v.len() / 2] * v[0]
}

#[differentiable]
fn sorted_in_a_loop(x: &[f64], n: usize) -> f64 {
    let mut v = x.to_vec();
    for k in 0..n {
        v.sort_by(|a, b| a.total_cmp(b));
        v[k] = v[k + 1] * v[0] + 2.0;
    }
    weigh(&v)
}

#[differentiable]
fn copied_within(x: &mut [f64], to: usize) -> f64 {
    x.copy_within(0..3, to);
    x[to] *= x[0];
    x.copy_within(..=1, 1);
    weigh(x)
}

#[differentiable]
fn bubble(x: &mut [f64]) {
    for i in 1..x.len() {
        let mut j = i;
        while j > 0 && x[j - 1] > x[j] {
            x.swap(j - 1, j);
            j -= 1;
        }
    }
}

table! {
    reversed: for n in 0..5, (&mut x(n));
    rotated: for n in 0..4, (&x(4), const n);
    swapped_rows: (&x(4));
    sorted: for n in 0..6, (&x(n));
    sorted_by_function: for n in 1..6, (&x(n));
    sorted_by_key: for n in 0..6, (&x(n));
    median_of_pairs: for n in 2..5, (&x(n));
    sorted_in_a_loop: for n in 0..4, (&x(5), const n);
    copied_within: for n in 0..3, (&mut x(5), const n);
}

map_table! {
    sorted_in_place: for n in 0..5, (&mut x(n));
    bubble: for n in 0..5, (&mut x(n));
}

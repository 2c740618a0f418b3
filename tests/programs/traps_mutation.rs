//! Mutation and sharing: what has broken other systems, at zero to three iterations where there are loops.

use chainrule::prelude::*;

use crate::check::{map_table, table};

const X: [f64; 5] = [0.7, 1.9, -0.4, 1.3, 0.6];

fn x(n: usize) -> Vec<f64> {
    X[..n].to_vec()
}

// 15. In-place recurrences, swaps, sorts; outputs and shadows that hold something already.

#[differentiable]
fn prefix_sums(a: &mut [f64]) {
    for i in 1..a.len() {
        a[i] += a[i - 1];
    }
}

#[differentiable]
fn swaps_and_sort(x: &mut [f64], n: usize) -> f64 {
    let mut s = 0.0;
    for i in 0..n {
        x.swap(i, i + 1);
        x.sort_by(|a, b| b.total_cmp(a));
        s += x[i] * x[0];
    }
    s
}

#[differentiable]
fn accumulated_output(out: &mut [f64], x: &[f64]) {
    for i in 0..x.len() {
        out[i] += x[i] * x[i];
        out[0] += out[i];
    }
}

// 16. Overwriting zeroes the old slot's cotangent.

#[differentiable]
fn overwritten(x: &mut Vec<f64>, k: f64, n: usize) -> f64 {
    let mut s = 0.0;
    for i in 0..n {
        s += x[i] * x[i];
        x[i] = k;
        s *= x[i];
        *x = vec![s, k, x[n]];
        x.resize(n + 1, k);
    }
    s
}

// 17. The same thing twice; a reference bound inside of a loop.

#[differentiable]
#[inline(never)]
fn dot(x: &[f64], y: &[f64]) -> f64 {
    let mut s = 0.0;
    for i in 0..x.len().min(y.len()) {
        s += x[i] * y[i];
    }
    s
}

#[differentiable]
fn same_twice(x: &[f64]) -> f64 {
    let v = x.to_vec();
    dot(x, x) * dot(&v, &v[1..]) + dot(&v[..2], &v[..2])
}

#[differentiable]
fn bound_in_a_loop(x: &[f64], n: usize) -> f64 {
    let mut v = x.to_vec();
    for i in 0..n {
        let r = &mut v[i];
        *r *= *r;
        let all = &v[..];
        let s = dot(all, x);
        v.push(s);
    }
    v[v.len() - 1] * v[0]
}

// 18. A callee that writes, and whose result nobody uses.

#[differentiable]
#[inline(never)]
fn double_and_sum(x: &mut Vec<f64>) -> f64 {
    let mut s = 0.0;
    for i in 0..x.len() {
        x[i] *= 2.0 + s;
        s += x[i];
    }
    x.push(s);
    s
}

#[differentiable]
fn result_unused(x: &[f64], n: usize) -> f64 {
    let mut v = x.to_vec();
    for _ in 0..n {
        double_and_sum(&mut v);
        let _ = double_and_sum(&mut v);
        v.pop();
    }
    v[0] * v[v.len() - 1]
}

// 19. Scratch buffers are active for as long as they hold something active.

#[differentiable]
fn through_scratch(x: &[f64], n: usize) -> f64 {
    let mut scratch = vec![0.0; x.len()];
    let mut s = 0.0;
    for i in 0..n {
        for j in 0..x.len() {
            scratch[j] = x[j] * x[i];
        }
        scratch.reverse();
        s += dot(&scratch, x);
        scratch.fill(0.0);
    }
    s
}

#[differentiable]
fn scratch_of_the_caller(x: &[f64], scratch: &mut [f64]) -> f64 {
    scratch.copy_from_slice(x);
    scratch.rotate_left(1);
    dot(scratch, x)
}

// 20. Overlapping and strided views.

#[differentiable]
fn overlapping(x: &[f64]) -> f64 {
    let mut s = 0.0;
    for w in x.windows(2) {
        s += w[0] * w[1] * w[1];
    }
    let (a, b) = (&x[..x.len() - 1], &x[1..]);
    for i in (0..a.len()).step_by(2) {
        s += a[i] * b[i];
    }
    s
}

// 21. Push, pop, grow, shrink.

#[differentiable]
fn grown_and_shrunk(x: &[f64], n: usize) -> f64 {
    let mut v = vec![1.0];
    for i in 0..n {
        v.push(x[i] * v[i]);
        v.insert(0, x[i]);
        let last: f64 = v.pop().unwrap();
        v[0] *= last;
        v.resize(i + 2, last);
        v.truncate(i + 2);
    }
    dot(&v, &v)
}

// 22. Stale cotangents on reuse.

#[differentiable]
fn reused(x: &[f64], n: usize) -> f64 {
    let mut buffer = Vec::new();
    let mut s = 1.0;
    for i in 0..n {
        buffer.clear();
        buffer.push(x[i]);
        buffer.push(s);
        s *= buffer[0] + buffer[1];
        let mut other = core::mem::take(&mut buffer);
        other[0] = s;
        buffer = other;
    }
    s + buffer.len() as f64
}

// 23. An argument that is returned, or a part of it, or twice.

#[differentiable]
fn unchanged(x: Vec<f64>) -> Vec<f64> {
    x
}

#[differentiable]
fn part(mut x: Vec<f64>) -> Vec<f64> {
    x.split_off(1)
}

#[differentiable]
fn twice(x: Vec<f64>) -> (Vec<f64>, Vec<f64>) {
    (x.clone(), x)
}

#[differentiable]
fn returned_and_written(x: &mut Vec<f64>) -> Vec<f64> {
    let y = x.clone();
    x.push(y[0] * y[1]);
    y
}

table! {
    swaps_and_sort: for n in 0..4, (&mut x(4), const n);
    overwritten: for n in 0..4, (&mut x(4), 0.8, const n);
    same_twice: (&x(4));
    bound_in_a_loop: for n in 0..4, (&x(4), const n);
    result_unused: for n in 0..4, (&x(3), const n);
    through_scratch: for n in 0..4, (&x(4), const n);
    scratch_of_the_caller: (&x(4), &mut x(4));
    overlapping: for n in 1..5, (&x(n));
    grown_and_shrunk: for n in 0..4, (&x(4), const n);
    reused: for n in 0..4, (&x(4), const n);
}

map_table! {
    prefix_sums: for n in 0..4, (&mut x(n));
    accumulated_output: for n in 0..4, (&mut x(5), &x(n));
    unchanged: for n in 0..3, (x(n));
    part: for n in 1..4, (x(n));
    twice: (x(3));
    returned_and_written: (&mut x(3));
}

//! Buffers that change places: `mem::swap`, `take`, `replace`, moves, and what is written to after a rule has kept it.

use chainrule::prelude::*;

use crate::check::{map_table, table};

const X: [f64; 5] = [0.7, 1.9, -0.4, 1.3, 0.6];

fn x(n: usize) -> Vec<f64> {
    X[..n].to_vec()
}

#[differentiable]
fn scale(v: &mut [f64], k: f64) {
    for i in 0..v.len() {
        v[i] *= k;
    }
}

#[differentiable]
fn double_buffer(x: &[f64], n: usize) -> f64 {
    let mut a = x.to_vec();
    let mut b = vec![0.0; x.len()];
    for _ in 0..n {
        for i in 0..a.len() {
            b[i] = a[i] * a[(i + 1) % a.len()];
        }
        core::mem::swap(&mut a, &mut b);
    }
    a[0] * a[1] + b[0]
}

#[differentiable]
fn double_buffer_in_place(a: &mut Vec<f64>, b: &mut Vec<f64>, n: usize) {
    for _ in 0..n {
        b.clear();
        for i in 1..a.len() {
            b.push(a[i] * a[i - 1]);
        }
        std::mem::swap(a, b);
    }
}

#[differentiable]
fn ping_pong(x: &[f64], n: usize) -> f64 {
    let mut buffers = [x.to_vec(), vec![0.0; x.len()]];
    for k in 0..n {
        let (from, to) = (k % 2, 1 - k % 2);
        for i in 0..x.len() {
            buffers[to][i] = buffers[from][i] * buffers[from][0];
        }
    }
    buffers[n % 2][1] * x[0]
}

#[differentiable]
fn swapped_with_calls(x: &[f64]) -> f64 {
    let mut a = x.to_vec();
    let mut b = vec![2.0, 3.0];
    scale(&mut a, x[0]);
    std::mem::swap(&mut a, &mut b);
    scale(&mut a, x[1]);
    scale(&mut b, x[2]);
    a[0] * b[1]
}

#[differentiable]
fn replaced_with_calls(x: &[f64], n: usize) -> f64 {
    let mut a = x.to_vec();
    let mut s = 0.5;
    for i in 0..n {
        let mut b = std::mem::replace(&mut a, vec![x[i]; i + 1]);
        b[0] *= x[1];
        s += b[0] * a[i];
        scale(&mut a, s);
    }
    s + a[0]
}

#[differentiable]
fn taken(x: &[f64]) -> f64 {
    let mut a = x.to_vec();
    let mut b = std::mem::take(&mut a);
    a.push(b[0]);
    scale(&mut b, a[0]);
    a[0] * b[1]
}

#[differentiable]
fn moved_and_assigned(x: &[f64], n: usize) -> f64 {
    let mut v = x.to_vec();
    for i in 0..n {
        let mut w = v;
        w[0] *= w[i + 1];
        v = w;
        v.push(v[0] * v[i]);
    }
    v[0] * v[v.len() - 1]
}

#[differentiable]
fn moved_around(x: &[f64]) -> Vec<f64> {
    let v = x.to_vec();
    let mut w = v;
    w[0] *= w[1];
    let v = w;
    let mut u = v.clone();
    u[1] = v[0];
    w = u;
    w
}

#[differentiable]
fn reassigned(x: &[f64], n: usize) -> f64 {
    let mut v = vec![1.0];
    for i in 0..n {
        let mut w = vec![0.0; i + 2];
        for j in 0..v.len() {
            w[j] = v[j] * x[j];
        }
        v = w;
        v[i + 1] = x[i];
    }
    let mut s = 0.0;
    for a in &v {
        s += a * a;
    }
    s
}

#[differentiable]
fn measured_between_changes(x: &[f64], n: usize) -> f64 {
    let mut v = x.to_vec();
    let mut s = 1.0;
    for _ in 0..n {
        for j in 0..v.len() {
            s *= v[j] + 0.5;
        }
        let mut w = v.clone();
        w.push(s);
        v = w;
    }
    s + v[v.len() - 1]
}

#[differentiable]
fn scratch(x: &[f64], n: usize) -> f64 {
    let mut buffer = vec![0.0; x.len()];
    let mut s = 0.0;
    for i in 0..n {
        buffer.copy_from_slice(x);
        scale(&mut buffer, x[i]);
        s += buffer[0] * buffer[i];
    }
    s
}

#[derive(Clone, Default, Differentiable)]
struct State {
    buffer: Vec<f64>,
    other: Vec<f64>,
    t: f64,
}

#[differentiable]
fn advance(state: &mut State) {
    let y: f64 = state.buffer[0] * state.t;
    state.buffer.push(y);
    state.t += y;
    core::mem::swap(&mut state.buffer, &mut state.other);
}

#[differentiable]
fn fields(x: &[f64], n: usize) -> f64 {
    let mut state = State {
        buffer: x.to_vec(),
        other: vec![x[0]],
        t: x[1],
    };
    for _ in 0..n {
        advance(&mut state);
    }
    let mut b = std::mem::take(&mut state.buffer);
    b.push(b[0] * state.t);
    state.buffer = b;
    let (first, last): (f64, f64) = (state.other[0], state.buffer[state.buffer.len() - 1]);
    first * last
}

#[differentiable]
fn at(x: &[f64], #[constant] index: &[usize]) -> f64 {
    x[index[0]] * x[index[0]]
}

/// The index that the pullback needs has been overwritten when it runs.
#[differentiable]
fn index_overwritten(x: &[f64]) -> f64 {
    let mut index = vec![0];
    let mut s = 0.0;
    for i in 0..x.len() {
        index[0] = i;
        s += at(x, &index) * x[0];
    }
    s
}

#[derive(Clone, Differentiable)]
struct Table {
    k: f64,
}

impl Table {
    #[differentiable]
    fn at(&self, x: f64) -> f64 {
        self.k * x * x
    }
}

#[differentiable]
fn table_overwritten(x: &[f64]) -> f64 {
    let mut table = Table { k: 1.0 };
    let mut s = 0.0;
    for i in 0..x.len() {
        table.k = (i + 2) as f64;
        s += table.at(x[i]) * x[0];
    }
    s
}

table! {
    double_buffer: for n in 0..4, (&x(4), const n);
    ping_pong: for n in 0..4, (&x(3), const n);
    swapped_with_calls: (&x(3));
    replaced_with_calls: for n in 0..4, (&x(4), const n);
    taken: (&x(3));
    moved_and_assigned: for n in 0..4, (&x(4), const n);
    reassigned: for n in 0..4, (&x(4), const n);
    measured_between_changes: for n in 0..4, (&x(2), const n);
    scratch: for n in 0..4, (&x(4), const n);
    fields: for n in 0..4, (&x(3), const n);
    index_overwritten: for n in 0..4, (&x(n));
    table_overwritten: for n in 0..4, (&x(n));
}

map_table! {
    double_buffer_in_place: for n in 0..4, (&mut x(5), &mut x(2), const n);
    moved_around: (&x(3));
}

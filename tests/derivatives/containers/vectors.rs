//! `Vec`: the methods that change its length, in locals, parameters and fields, in loops and branches.

use chainrule::prelude::*;

use crate::check::{map_table, table};

const X: [f64; 5] = [0.7, 1.9, -0.4, 1.3, 0.6];

fn x(n: usize) -> Vec<f64> {
    X[..n].to_vec()
}

fn rows(n: usize) -> Vec<Vec<f64>> {
    (0..n).map(|i| X[i..i + 2].to_vec()).collect()
}

#[differentiable]
fn pushed(x: &[f64], k: f64) -> f64 {
    let mut v = Vec::new();
    for i in 0..x.len() {
        v.push(x[i] * k);
    }
    let mut s = k;
    for a in &v {
        s = s * a + k;
    }
    s
}

#[differentiable]
fn returned(x: &[f64], k: f64) -> Vec<f64> {
    let mut out = Vec::with_capacity(x.len());
    for a in x {
        out.push(a * a * k);
    }
    out
}

#[differentiable]
fn pushed_in_branches(x: &[f64]) -> f64 {
    let mut v = vec![1.0];
    for i in 0..x.len() {
        if x[i] > 0.0 {
            v.push(x[i] * v[i % v.len()]);
        } else {
            v.clear();
            v.push(x[i]);
        }
    }
    let mut s = 1.0;
    for a in &v {
        s *= a;
    }
    s
}

#[differentiable]
fn popped(x: &[f64]) -> f64 {
    let mut v = x.to_vec();
    let mut s = 1.0;
    while v.len() > 1 {
        let a: f64 = v.pop().unwrap();
        s *= a;
        v[0] += s;
    }
    for a in &v {
        s *= a;
    }
    s
}

#[differentiable]
fn stack(x: &[f64]) -> f64 {
    let mut stack = vec![1.0];
    for i in 0..x.len() {
        if x[i] > 0.0 {
            stack.push(x[i]);
        } else {
            let a: f64 = stack.pop().unwrap();
            let n = stack.len() as f64;
            stack.push(a * x[i] + n);
        }
    }
    let mut s = 0.0;
    for a in &stack {
        s += a * a;
    }
    s
}

#[differentiable]
fn extended(x: &[f64], k: f64) -> f64 {
    let mut v = vec![k];
    let w = x.to_vec();
    v.extend_from_slice(x);
    v.extend(&w);
    v.extend(w);
    v.extend([k, k * k]);
    let mut s = 1.0;
    for a in &v {
        s = s * a + k;
    }
    s
}

#[differentiable]
fn extended_by_itself(x: &[f64]) -> f64 {
    let mut v = x.to_vec();
    let w = v.clone();
    v.extend_from_slice(&w[..w.len() / 2]);
    v[0] *= 2.0;
    let mut s = 0.0;
    for a in &v {
        s += a * a * a;
    }
    s
}

#[differentiable]
fn appended(x: &[f64], k: f64) -> f64 {
    let mut v = vec![k];
    let mut w = x.to_vec();
    v.append(&mut w);
    w.push(v[0] * k);
    v.append(&mut w);
    let mut s = w.len() as f64;
    for a in &v {
        s = s * k + a * a;
    }
    s
}

#[differentiable]
fn resized(x: &[f64], n: usize, k: f64) -> f64 {
    let mut v = x.to_vec();
    v.resize(n, k * k);
    v.push(k);
    v[0] *= 2.0;
    let mut s = 0.0;
    for a in &v {
        s += a * a * k;
    }
    s
}

#[differentiable]
fn truncated(x: &[f64], n: usize) -> f64 {
    let mut v = x.to_vec();
    v[0] *= v[x.len() - 1];
    v.truncate(n);
    let mut s = x[0];
    for a in &v {
        s *= a;
    }
    s
}

#[differentiable]
fn inserted(x: &[f64], at: usize) -> f64 {
    let mut v = x.to_vec();
    v.insert(at, x[0] * x[1]);
    v[at] *= v[0];
    let mut s = 0.0;
    for i in 0..v.len() {
        s += v[i] * v[i] * (i + 1) as f64;
    }
    s
}

#[differentiable]
fn removed(x: &[f64], at: usize) -> f64 {
    let mut v = x.to_vec();
    let a = v.remove(at);
    let b = v.swap_remove(at % 2);
    v[0] *= a;
    let mut s = b;
    for i in 0..v.len() {
        s += v[i] * v[i] * (i + 1) as f64;
    }
    s * a
}

#[differentiable]
fn split_off(x: &[f64], at: usize) -> f64 {
    let mut v = x.to_vec();
    let mut w = v.split_off(at);
    w.push(2.0);
    let mut s = w[0];
    for a in &v {
        s *= a * w[0];
    }
    s
}

#[differentiable]
fn reserved(x: &[f64]) -> f64 {
    let mut v = Vec::new();
    v.reserve(x.len());
    v.push(x[0] * x[1]);
    v.shrink_to_fit();
    v[0] * v[0]
}

#[differentiable]
fn local_in_a_loop(x: &[f64]) -> f64 {
    let mut s = 1.0;
    for i in 0..x.len() {
        let mut v = Vec::new();
        for j in 0..=i {
            v.push(x[j] * x[i] + s);
        }
        v.push(s);
        let n = v.len();
        s += v[0] * v[n - 1] + v[i];
    }
    s
}

#[differentiable]
fn until_long_enough(x: &[f64], n: usize) -> f64 {
    let mut v = vec![x[0]];
    while v.len() < n {
        let last = v.len() - 1;
        let y = v[last] * x[last % x.len()] + x[1];
        v.push(y);
    }
    v[v.len() - 1] * v[v.len() / 2]
}

#[differentiable]
fn left_early(x: &[f64]) -> Vec<f64> {
    let mut v = vec![];
    for i in 0..x.len() {
        if x[i] < 0.0 {
            break;
        }
        v.push(x[i] * x[0]);
        if v.len() == 3 {
            break;
        }
    }
    v
}

#[differentiable]
fn matrix_of_rows(x: &[f64], n: usize) -> f64 {
    let mut m = Vec::new();
    for i in 0..n {
        let mut row = Vec::new();
        for j in 0..n {
            row.push(x[(i + 2 * j) % x.len()] * x[i]);
        }
        m.push(row);
    }
    let mut s = x[0];
    for i in 0..n {
        m[i][0] += s;
        for j in 0..n {
            s += m[i][j] * m[j][i];
        }
    }
    s
}

#[differentiable]
fn ragged(x: &[f64]) -> f64 {
    let mut m = vec![Vec::new(), Vec::new()];
    for i in 0..x.len() {
        m[i % 2].push(x[i] * x[0]);
    }
    let row = &mut m[1];
    row[0] *= row[1];
    row.push(x[0]);
    let last: Vec<f64> = m.pop().unwrap();
    m[0][0] * last[2] * last[0]
}

// ---- Parameters: what comes out has another length than what went in. ---------------------------------------------

#[differentiable]
fn grow(v: &mut Vec<f64>, k: f64) {
    let n = v.len();
    for i in 0..n {
        let t = v[i] * k;
        v.push(t);
    }
}

#[differentiable]
fn shrink(v: &mut Vec<f64>, k: f64) -> f64 {
    let mut s = k;
    for _ in 0..v.len() / 2 {
        let a: f64 = v.pop().unwrap();
        s += a * v[0];
        v[0] *= k;
    }
    s
}

#[differentiable]
fn pushed_to(v: &mut Vec<f64>, k: f64) -> f64 {
    v.push(k * v[0]);
    let mut s = 0.0;
    for a in v.iter() {
        s += a * a;
    }
    s
}

#[differentiable]
fn replaced(v: &mut Vec<f64>, k: f64) -> f64 {
    let old = v[0];
    *v = vec![k; 3];
    v.push(old);
    v[0] * v[3]
}

#[differentiable]
fn rows_pushed_to(m: &mut [Vec<f64>], k: f64) -> f64 {
    let mut s = k;
    for row in m.iter_mut() {
        row.push(k * k);
        s += row[0] * row[1];
    }
    s
}

#[differentiable]
fn row_appended(m: &mut Vec<Vec<f64>>, row: Vec<f64>) {
    m.push(row);
    let first = m[1][0];
    m[0].push(first);
}

#[differentiable]
fn grown_by_calls(x: &[f64], k: f64) -> f64 {
    let mut v = x.to_vec();
    grow(&mut v, k);
    let s = shrink(&mut v, k);
    grow(&mut v, s);
    v[v.len() - 1] * v[0]
}

#[differentiable]
fn owned(mut v: Vec<f64>, k: f64) -> Vec<f64> {
    v.push(k);
    v.remove(0);
    v
}

// ---- Fields, and elements with fields. ----------------------------------------------------------------------------

#[derive(Clone, Copy, Default, Differentiable)]
struct Point {
    x: f64,
    y: f64,
}

#[derive(Clone, Default, Differentiable)]
struct Trace {
    points: Vec<Point>,
    times: Vec<f64>,
    t: f64,
}

#[differentiable]
fn step(trace: &mut Trace, k: f64) {
    let last: Point = trace.points[trace.points.len() - 1];
    trace.t += k;
    trace.times.push(trace.t * last.x);
    trace.points.push(Point {
        x: last.x + k * last.y,
        y: last.y - k * last.x,
    });
}

#[differentiable]
fn traced(x: f64, y: f64, k: f64, n: usize) -> f64 {
    let mut trace = Trace::default();
    trace.points.push(Point { x, y });
    for _ in 0..n {
        step(&mut trace, k);
    }
    let mut s = k;
    for i in 0..n {
        trace.points[i].x += trace.times[i];
        let p: f64 = trace.points[i].x * trace.points[i].y;
        s += p * p;
    }
    s
}

#[differentiable]
fn points(x: &[f64]) -> f64 {
    let mut v = Vec::new();
    for i in 1..x.len() {
        v.push(Point {
            x: x[i],
            y: x[i - 1],
        });
    }
    let mut s = x[0];
    for p in v.iter_mut() {
        p.x *= p.y + s;
        s += p.x;
    }
    s
}

table! {
    pushed: for n in 0..4, (&x(n), 0.8);
    pushed_in_branches: for n in 0..6, (&x(n));
    popped: for n in 0..5, (&x(n));
    stack: for n in 0..6, (&x(n));
    extended: for n in 0..4, (&x(n), 0.8);
    extended_by_itself: for n in 1..5, (&x(n));
    appended: for n in 0..4, (&x(n), 0.8);
    resized: for n in 0..5, (&x(3), const n, 0.8);
    truncated: for n in 0..5, (&x(3), const n);
    inserted: for n in 0..4, (&x(3), const n);
    removed: for n in 0..3, (&x(4), const n);
    split_off: for n in 0..4, (&x(4), const n);
    reserved: (&x(2));
    local_in_a_loop: for n in 0..4, (&x(n));
    until_long_enough: for n in 0..5, (&x(3), const n);
    matrix_of_rows: for n in 0..4, (&x(4), const n);
    ragged: (&x(5));
    pushed_to: for n in 1..4, (&mut x(n), 0.8);
    shrink: for n in 0..5, (&mut x(n), 0.8);
    replaced: for n in 1..3, (&mut x(n), 0.8);
    rows_pushed_to: for n in 0..3, (&mut rows(n), 0.8);
    grown_by_calls: for n in 1..4, (&x(n), 0.8);
    traced: for n in 0..4, (0.3, 0.8, 0.2, const n);
    points: for n in 1..4, (&x(n));
}

map_table! {
    returned: for n in 0..4, (&x(n), 0.8);
    left_early: for n in 0..6, (&x(n));
    grow: for n in 0..4, (&mut x(n), 0.8);
    row_appended: (&mut rows(2), x(2));
    owned: for n in 0..3, (x(n), 0.8);
}

#[test]
fn a_shadow_of_the_initial_length_is_refused() {
    let mut v = vec![1.0, 2.0];
    let ((), pullback) = grow::rrule(&mut v, 2.0);
    assert_eq!(v, [1.0, 2.0, 2.0, 4.0]);
    let refused = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        pullback(NoTangent, chainrule::CoDual(&mut v, &mut vec![0.0; 2]));
    }));
    let message = *refused.unwrap_err().downcast::<String>().unwrap();
    assert!(
        message.contains("length 2") && message.contains('4'),
        "{message}"
    );
}

#[test]
fn the_shadow_is_given_back_with_the_initial_length() {
    let mut v = vec![1.0, 2.0];
    let ((), pullback) = grow::rrule(&mut v, 3.0);
    let mut v_bar = vec![1.0, 10.0, 100.0, 1000.0];
    let k_bar = pullback(NoTangent, chainrule::CoDual(&mut v, &mut v_bar));
    assert_eq!(
        (v, v_bar, k_bar),
        (vec![1.0, 2.0], vec![301.0, 3010.0], 2100.0)
    );
}

//! Writes: `&mut` arguments and their restoration, values that are overwritten between their use and the reverse pass,
//! scratch buffers, swaps and sorts.

use chainrule::prelude::*;

use crate::check::{map_table, table};

const X: [f64; 4] = [0.7, 1.9, -0.4, 1.3];
const Y: [f64; 4] = [1.1, -0.6, 0.8, 0.3];

fn x(n: usize) -> Vec<f64> {
    X[..n].to_vec()
}

fn y(n: usize) -> Vec<f64> {
    Y[..n].to_vec()
}

#[differentiable]
fn scale(x: &mut [f64], k: f64) {
    for i in 0..x.len() {
        x[i] *= k;
    }
}

#[differentiable]
fn square(x: &mut [f64]) {
    for v in x.iter_mut() {
        *v = *v * *v;
    }
}

#[differentiable]
fn overwrite(x: &mut [f64], k: f64) {
    for v in x {
        *v = k * k;
    }
}

#[differentiable]
fn prefix_sums(a: &mut [f64]) {
    for i in 1..a.len() {
        a[i] += a[i - 1];
    }
}

#[differentiable]
fn prefix_products(a: &mut [f64], k: f64) -> f64 {
    for i in 1..a.len() {
        a[i] *= a[i - 1] + k;
    }
    if a.len() > 0 {
        a[a.len() - 1] * a[0]
    } else {
        k
    }
}

#[differentiable]
fn add_into(out: &mut [f64], x: &[f64], k: f64) {
    for i in 0..out.len() {
        out[i] += k * x[i].sin();
    }
}

#[differentiable]
fn store_into(out: &mut [f64], x: &[f64]) {
    for i in 0..out.len() {
        out[i] = x[i] * x[0];
    }
}

#[differentiable]
fn scalar_argument(s: &mut f64, k: f64) -> f64 {
    let before = *s * k;
    *s = before * *s;
    *s += k;
    before * *s
}

#[differentiable]
fn array_argument(a: &mut [f64; 3], k: f64) -> f64 {
    a[0] = a[1] * k;
    a[2] -= a[0] * a[2];
    a[1] = 0.5;
    a[0] * a[1] + a[2]
}

#[differentiable]
fn vec_argument(v: &mut Vec<f64>, k: f64) -> f64 {
    let n = v.len();
    for i in 0..n {
        v[i] = v[i] * k + v[n - 1 - i];
    }
    v[0]
}

#[differentiable]
fn tuple_argument(t: &mut (f64, f64)) {
    t.0 = t.0 * t.1;
    t.1 += t.0;
}

#[differentiable]
fn matrix_argument(m: &mut [[f64; 2]; 2], k: f64) {
    for i in 0..2 {
        for j in 0..2 {
            m[i][j] = m[j][i] * k + m[i][j];
        }
    }
}

#[differentiable]
fn two_buffers(a: &mut [f64], b: &mut [f64]) -> f64 {
    let mut total = 0.0;
    for i in 0..a.len() {
        let t = a[i];
        a[i] = b[i] * t;
        b[i] = a[i] + t;
        total += a[i] * b[i];
    }
    total
}

#[differentiable]
fn constant_buffer(x: &[f64], #[constant] counts: &mut [usize]) -> f64 {
    let mut total = 0.0;
    for i in 0..x.len() {
        counts[i] += 1;
        total += x[i] * x[i] * (counts[i] as f64);
    }
    total
}

/// What a branch condition read is overwritten.
#[differentiable]
fn clip_in_place(x: &mut [f64], top: f64) {
    for i in 0..x.len() {
        if x[i] > top {
            x[i] = top * top;
        } else {
            x[i] = x[i] * x[i] * x[i];
        }
    }
}

#[differentiable]
fn overwritten_local(x: f64, n: usize) -> f64 {
    let mut a = [x, x * x];
    let mut z = 0.0;
    for _ in 0..n {
        z += a[0] * a[1];
        a[0] = a[1] * 0.5;
        a[1] = z.sin();
    }
    z * a[0]
}

/// A buffer is used again and again, and filled from constants and from active values.
#[differentiable]
fn scratch(x: &[f64], n: usize) -> f64 {
    let mut buffer = vec![0.0; x.len()];
    let mut total = 0.0;
    for k in 0..n {
        for i in 0..x.len() {
            buffer[i] = if i == k { 1.0 } else { x[i] * x[k] + buffer[i] };
        }
        for i in 0..x.len() {
            total += buffer[i] * buffer[i];
        }
    }
    total
}

#[differentiable]
fn scratch_argument(x: &[f64], buffer: &mut [f64]) -> f64 {
    for i in 0..x.len() {
        buffer[i] = x[i] * x[i];
    }
    let mut total = 0.0;
    for i in 0..x.len() {
        total += buffer[i].sin();
    }
    total
}

#[differentiable]
fn swap_elements(x: &mut [f64], i: usize, j: usize) -> f64 {
    x[i] *= 2.0;
    x.swap(i, j);
    x[i] * x[i] * x[j]
}

#[differentiable]
fn reverse_in_place(x: &mut [f64]) {
    let n = x.len();
    for i in 0..n / 2 {
        x.swap(i, n - 1 - i);
        x[i] *= x[n - 1 - i];
    }
}

#[differentiable]
fn sort_in_place(x: &mut [f64]) -> f64 {
    let n = x.len();
    for i in 0..n {
        for j in 1..n - i {
            if x[j - 1] > x[j] {
                let t = x[j];
                x[j] = x[j - 1];
                x[j - 1] = t;
            }
        }
    }
    let mut z = 0.0;
    for i in 0..n {
        z = z * x[i] + x[i] * (i as f64 + 1.0);
    }
    z
}

#[differentiable]
fn insertion_sort(x: &mut [f64]) {
    for i in 1..x.len() {
        let v = x[i];
        let mut j = i;
        while j > 0 && x[j - 1] > v {
            x[j] = x[j - 1];
            j -= 1;
        }
        x[j] = v * v;
    }
}

#[differentiable]
fn copy_and_fill(x: &[f64], out: &mut [f64], k: f64) -> f64 {
    out.copy_from_slice(x);
    let first = out[0] * out[1];
    out.fill(k);
    out[1] *= first;
    out[0] * out[1]
}

#[differentiable]
fn swap_variables(x: f64, y: f64, n: usize) -> f64 {
    let (mut a, mut b) = (x, y);
    for _ in 0..n {
        core::mem::swap(&mut a, &mut b);
        a *= b;
    }
    let old = std::mem::replace(&mut b, a * x);
    let taken = std::mem::take(&mut a);
    old * b + taken * taken + a
}

#[differentiable]
fn swap_arrays(x: &[f64; 2], n: usize) -> f64 {
    let (mut a, mut b) = (*x, [1.0, 0.5]);
    for _ in 0..n {
        a[0] = a[1] * b[0];
        core::mem::swap(&mut a, &mut b);
    }
    a[0] * b[1] + a[1] * b[0]
}

#[differentiable]
fn references_in_a_loop(x: &mut [f64], k: f64) {
    for i in 0..x.len() {
        let place = &mut x[i];
        *place *= k;
        *place += 1.0;
    }
}

#[differentiable]
fn shared_reference_in_a_loop(x: &[[f64; 2]]) -> f64 {
    let mut z = 1.0;
    for i in 0..x.len() {
        let row = &x[i];
        z = z * row[0] + row[1];
    }
    z
}

#[differentiable]
fn reference_to_a_local(x: f64, y: f64) -> f64 {
    let mut a = x * y;
    let r = &mut a;
    *r *= *r;
    *r += x;
    let s = &a;
    *s * y
}

#[differentiable]
fn overlapping_reads(x: &[f64]) -> f64 {
    let n = x.len();
    let (front, back) = (&x[..n - 1], &x[1..]);
    let mut z = 0.0;
    for i in 0..n - 1 {
        z += front[i] * back[i];
    }
    z
}

#[differentiable]
fn strided(x: &mut [f64], step: usize) -> f64 {
    let mut z = 1.0;
    let mut i = 0;
    while i < x.len() {
        z *= x[i];
        x[i] = z;
        i += step;
    }
    z
}

#[differentiable]
fn split(x: &mut [f64], at: usize) -> f64 {
    let (a, b) = x.split_at_mut(at);
    a[0] *= b[0];
    b[0] += a[0];
    a[0] * b[0]
}

#[differentiable]
fn chunks(x: &mut [f64]) {
    for c in x.chunks_mut(2) {
        c[0] *= c[0];
        for i in 1..c.len() {
            c[i] += c[i - 1];
        }
    }
}

#[differentiable]
fn part(x: &mut [f64], lo: usize, hi: usize, k: f64) -> f64 {
    let part = &mut x[lo..hi];
    let mut z = 0.0;
    for i in 0..part.len() {
        part[i] *= k;
        z += part[i];
    }
    z * x[0]
}

/// An index that is overwritten after its use.
#[differentiable]
fn moving_index(x: &mut [f64], n: usize) -> f64 {
    let mut i = 0;
    let mut z = 1.0;
    for _ in 0..n {
        x[i] *= z;
        z += x[i];
        i = (i + 2) % x.len();
    }
    z
}

#[differentiable]
fn index_of_an_index(x: &mut [f64], order: &[usize]) -> f64 {
    let mut z = 1.0;
    for i in 0..order.len() {
        x[order[i]] *= z + 0.5;
        z = x[order[i]];
    }
    z
}

/// The callee writes, and its result isn't used.
#[differentiable]
fn result_unused(x: &mut [f64], k: f64) -> f64 {
    prefix_products(x, k);
    let _ = prefix_products(x, k * k);
    let mut total = 0.0;
    for v in x.iter() {
        total += v * v;
    }
    total
}

#[differentiable]
fn local_passed_to_a_callee(x: &[f64], k: f64) -> f64 {
    let mut v = x.to_vec();
    scale(&mut v, k);
    let mut total = 0.0;
    for i in 0..v.len() {
        total += v[i] * x[i];
    }
    square(&mut v);
    scale(&mut v[1..], total);
    for i in 0..v.len() {
        total += v[i];
    }
    total
}

#[differentiable]
fn steps(state: &mut [f64], rates: &[f64], h: f64, n: usize) {
    for _ in 0..n {
        let (a, b) = (state[0], state[1]);
        state[0] += h * (rates[0] * a - rates[1] * a * b);
        state[1] += h * (rates[1] * a * b - rates[0] * b);
    }
}

table! {
    common_names: (&[0.7, 1.9, -0.4], 0.3);
    prefix_products: for n in 0..5, (&mut x(n), 0.3);
    scalar_argument: (&mut 0.7, 1.9);
    array_argument: (&mut [0.7, 1.9, -0.4], 1.3);
    vec_argument: for n in 1..4, (&mut x(n), 1.3);
    two_buffers: for n in 0..4, (&mut x(n), &mut y(n));
    overwritten_local: for n in 0..4, (0.7, const n);
    scratch: for n in 0..4, (&x(3), const n), (&x(n), const n);
    scratch_argument: for n in 0..4, (&x(n), &mut y(n)), (&x(n), &mut y(4));
    swap_elements: (&mut x(3), const 0, const 2), (&mut x(3), const 1, const 1);
    sort_in_place: for n in 0..5, (&mut x(n));
    copy_and_fill: for n in 2..4, (&x(n), &mut y(n), 0.3);
    swap_variables: for n in 0..4, (0.7, 1.9, const n);
    swap_arrays: for n in 0..4, (&[0.7, 1.9], const n);
    shared_reference_in_a_loop: (&vec![[0.7, 1.9], [-0.4, 1.3]]), (&Vec::<[f64; 2]>::new());
    reference_to_a_local: (0.7, 1.9);
    overlapping_reads: for n in 1..5, (&x(n));
    strided: for step in 1..5, (&mut x(4), const step);
    split: (&mut x(4), const 2), (&mut x(2), const 1);
    part: (&mut x(4), const 1, const 3, 0.3), (&mut x(4), const 0, const 4, 0.3), (&mut x(4), const 2, const 2, 0.3);
    moving_index: for n in 0..5, (&mut x(3), const n);
    index_of_an_index: (&mut x(3), const &[2, 0, 2, 2, 1]), (&mut x(3), const &[]);
    result_unused: for n in 0..4, (&mut x(n), 0.3);
    local_passed_to_a_callee: for n in 1..4, (&x(n), 0.3);
}

map_table! {
    scale: for n in 0..4, (&mut x(n), 0.3);
    square: for n in 0..4, (&mut x(n));
    overwrite: for n in 0..4, (&mut x(n), 0.3);
    prefix_sums: for n in 0..5, (&mut x(n));
    add_into: for n in 0..4, (&mut y(n), &x(n), 0.3);
    store_into: for n in 0..4, (&mut y(n), &x(n));
    tuple_argument: (&mut (0.7, 1.9));
    matrix_argument: (&mut [[0.7, 1.9], [-0.4, 1.3]], 0.3);
    clip_in_place: (&mut x(4), 0.9);
    reverse_in_place: for n in 0..5, (&mut x(n));
    insertion_sort: for n in 0..5, (&mut x(n));
    references_in_a_loop: for n in 0..4, (&mut x(n), 0.3);
    chunks: for n in 0..5, (&mut x(n));
    steps: for n in 0..4, (&mut x(2), &y(2), 0.1, const n);
}

/// A constant `&mut` argument is the caller's business: it is neither restored nor handed to the pullback.
#[test]
fn constant_buffers_keep_what_was_written() {
    let (x, mut counts) = ([0.7, 1.9], [0, 1]);
    let (y, x_bar) = constant_buffer::value_and_gradient(&x, &mut counts);
    assert_eq!(y, 0.7 * 0.7 + 1.9 * 1.9 * 2.0);
    assert_eq!(x_bar, [1.4, 2.0 * 1.9 * 2.0]);
    assert_eq!(counts, [1, 2]);
    let (_, pullback) = constant_buffer::rrule(&x, &mut counts);
    assert_eq!(counts, [2, 3]);
    counts = [100, 100];
    let mut x_bar = [1.0, 1.0];
    pullback(1.0, CoDual(&x, &mut x_bar));
    assert_eq!(x_bar, [1.0 + 1.4 * 2.0, 1.0 + 2.0 * 1.9 * 3.0]);
    assert_eq!(counts, [100, 100]);
    let Dual(_, y_dot) = constant_buffer::frule(Dual(&x, &[1.0, 0.0]), &mut counts);
    assert_eq!(y_dot, 1.4 * 101.0);
}

/// The memory may be used for something else between the two halves, and is then given back as it was.
#[test]
fn memory_is_written_between_the_halves() {
    let mut a = [0.7, 1.9, -0.4];
    let (_, pullback) = prefix_products::rrule(&mut a, 0.3);
    let after = a;
    a = [f64::NAN; 3];
    assert!(a[0].is_nan());
    a = after;
    let mut a_bar = [0.0; 3];
    let k_bar = pullback(1.0, CoDual(&mut a, &mut a_bar));
    assert_eq!(a, [0.7, 1.9, -0.4]);
    let want = prefix_products::gradient(&mut a, 0.3);
    assert_eq!((a_bar.to_vec(), k_bar), want);
}

/// Variables with the names that emitted code has for what it looks into.
#[differentiable]
fn common_names(sorted: &[f64], s: f64) -> f64 {
    let mut sorted = sorted.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let mut taken = vec![s, sorted[0]];
    let list = std::mem::take(&mut taken);
    let mut deque = std::collections::VecDeque::from(list);
    if let Some(front) = deque.front_mut() {
        *front *= s;
    }
    let total: f64 = deque.iter().sum();
    total * sorted[1] + taken.len() as f64
}

//! Methods of lists whose arguments read the list itself, in loops that reuse it.

use chainrule::prelude::*;

use crate::check::table;

const X: [f64; 5] = [1.3, 0.5, -0.8, 0.3, 0.9];

#[differentiable]
fn resized_by_own_value(x: &[f64]) -> f64 {
    let mut v = x.to_vec();
    v.resize(v.len() + 2, v[1] * v[0]);
    v.resize(v.len() - 3, v[0]);
    v.resize(v.len() + 1, v[v.len() - 1] * v[2]);
    let mut s = 0.0;
    for i in 0..v.len() {
        s += v[i] * v[i] * (i as f64 + 1.0);
    }
    s
}

#[differentiable]
fn resized_with(x: &[f64]) -> f64 {
    let mut v = x.to_vec();
    let mut next = x[0];
    v.resize_with(8, || {
        next = next * x[1];
        next
    });
    v[5] * v[6] * v[7] * v[0] + next
}

#[differentiable]
fn retained(x: &[f64]) -> f64 {
    let mut v = x.to_vec();
    let mut seen = 1.0;
    v.retain_mut(|e| {
        seen = seen * 0.5 + *e;
        *e = *e * seen;
        *e > 0.0
    });
    let mut s = seen;
    for (i, e) in v.iter().enumerate() {
        s += e * e * (i as f64 + 1.0);
    }
    s
}

#[differentiable]
fn drained_onto_itself(x: &[f64], n: usize) -> f64 {
    let mut v = x.to_vec();
    for _ in 0..n {
        let front: Vec<f64> = v.drain(..2).collect();
        let last = v[v.len() - 1];
        v.push(front[0] * last);
        v.push(front[1] + v[0]);
    }
    let mut s = 0.0;
    for i in 0..v.len() {
        s += v[i].sin() * (1.0 + i as f64);
    }
    s
}

#[differentiable]
fn split_and_joined(x: &[f64], n: usize) -> f64 {
    let mut v = x.to_vec();
    for k in 0..n {
        let mut tail = v.split_off(1 + k % 3);
        tail[0] *= v[0];
        v[0] += tail[tail.len() - 1];
        tail.extend_from_slice(&v);
        v = tail;
    }
    v[0] * v[1] + v[2] * v[3] * v[4]
}

#[differentiable]
fn swap_removed(x: &[f64]) -> f64 {
    let mut v = x.to_vec();
    let mut s = 1.0;
    let mut i = 0;
    while v.len() > 1 {
        let at = i % v.len();
        let gone = v.swap_remove(at);
        let n = v.len();
        v[n - 1] = v[n - 1] * gone + v[0];
        s = s + gone * v[0];
        i += 2;
    }
    s * v[0]
}

#[differentiable]
fn rotated(x: &[f64], n: usize) -> f64 {
    let mut v = x.to_vec();
    for k in 0..n {
        v.rotate_left(k % 3);
        v[0] = v[0] * v[1];
        v[1..4].rotate_right(1);
        v[2] += v[0].sin();
        v.rotate_right(1);
    }
    v[0] * v[1] + v[2] * v[3] - v[4]
}

#[differentiable]
fn chunks(x: &[f64]) -> f64 {
    let mut v = x.to_vec();
    let mut carry = 1.0;
    for c in v.chunks_exact_mut(2) {
        let t = c[0];
        c[0] = c[1] * carry;
        c[1] = t + c[0];
        carry = carry * c[1];
    }
    for c in v.chunks_mut(3).rev() {
        c[1] *= c[0];
    }
    let mut s = carry;
    for (i, e) in v.iter().enumerate() {
        s += e * e * (1.0 + i as f64);
    }
    s
}

#[differentiable]
fn copied_within(x: &[f64], n: usize) -> f64 {
    let mut v = x.to_vec();
    for k in 0..n {
        v.copy_within(1..4, k % 3);
        v[4] = v[4] * v[0] + v[3];
        v.copy_within(..2, 2);
        v[0] = v[0].sin() + v[3];
    }
    v[0] * v[1] + v[2] * v[3] - v[4] * v[4]
}

#[differentiable]
fn filled(x: &[f64]) -> f64 {
    let mut v = x.to_vec();
    let mut a = v[0];
    let b = v[2];
    for i in 1..5 {
        a = a * b + v[i];
        v[i] = a;
    }
    let k = v[4];
    v[3..].fill(k * a);
    let first = v[1];
    let product = first * v[0];
    v[2..4].fill(product);
    v[0] * v[1] + v[2] * v[3] * v[4] + a
}

#[differentiable]
fn inserted(x: &[f64], n: usize) -> f64 {
    let mut v = x.to_vec();
    for k in 0..n {
        let at = k % v.len();
        v.insert(at, v[at] * v[v.len() - 1]);
        let gone = v.remove(v.len() / 2);
        let last = v.len() - 1;
        v[last] += gone * gone;
    }
    v.iter()
        .enumerate()
        .map(|(i, e)| e * (1.0 + i as f64))
        .sum()
}

#[differentiable]
fn pushed_own(x: &[f64], n: usize) -> f64 {
    let mut v = x.to_vec();
    for k in 0..n {
        v.push(v[k] * v[v.len() - 1]);
    }
    v.iter().map(|e| e.sin()).sum()
}

#[differentiable]
fn truncated(x: &[f64], n: usize) -> f64 {
    let mut v = x.to_vec();
    let mut s = 0.0;
    for k in 0..n {
        v.truncate(5 - k);
        s += v[v.len() - 1] * v[0];
        v[0] = s;
    }
    v.clear();
    v.push(s);
    v.push(s * x[0]);
    v[0] * v[1]
}

#[differentiable]
fn swapped_lists(x: &[f64], n: usize) -> f64 {
    let mut a = x.to_vec();
    let mut b = vec![0.0; 5];
    for k in 0..n {
        for i in 0..5 {
            b[i] = a[(i + 1) % 5] * a[i] + k as f64 * 0.1;
        }
        std::mem::swap(&mut a, &mut b);
    }
    a[0] + a[1] * b[2]
}

#[differentiable]
fn taken_list(x: &[f64], n: usize) -> f64 {
    let mut a = x.to_vec();
    for _ in 0..n {
        let old = std::mem::take(&mut a);
        for i in 0..old.len() {
            a.push(old[i] * old[old.len() - 1 - i]);
        }
    }
    a[0] + a[1] * a[2]
}

#[differentiable]
fn appended_self_copy(x: &[f64], n: usize) -> f64 {
    let mut a = vec![x[0], x[1]];
    for _ in 0..n {
        let mut c = a.clone();
        c[0] *= a[a.len() - 1];
        a.append(&mut c);
        c.push(a[0]);
        a[1] += c[0];
    }
    a.iter().map(|v| v * v).sum()
}

#[differentiable]
fn extended_from_within(x: &[f64]) -> f64 {
    let mut a = x.to_vec();
    a.extend_from_within(1..3);
    a[1] *= a[5];
    a.extend_from_within(..);
    a[8] * a[6] + a[13] * a[12]
}

#[differentiable]
fn deduped(x: &[f64]) -> f64 {
    let mut a = vec![x[0], x[0], x[1], x[2], x[2], x[0]];
    a.dedup();
    let mut s = 0.0;
    for (i, v) in a.iter().enumerate() {
        s += v * v * (i as f64 + 1.0);
    }
    s
}

#[differentiable]
fn reversed_parts(x: &[f64], n: usize) -> f64 {
    let mut v = x.to_vec();
    for k in 0..n {
        v[k % 2..4].reverse();
        v[0] *= v[3];
        let (l, r) = v.split_at_mut(2);
        std::mem::swap(&mut l[0], &mut r[1]);
        l[1] += r[2];
    }
    v[0] + v[1] * v[2] + v[3] * v[4]
}

#[differentiable]
fn copied_parts(x: &[f64], n: usize) -> f64 {
    let mut v = x.to_vec();
    for _ in 0..n {
        let (l, r) = v.split_at_mut(2);
        r[..2].copy_from_slice(l);
        l[0] = r[2] * r[1];
        l.clone_from_slice(&r[1..3]);
        r[0] = l[1] * l[0];
    }
    v[0] + v[1] * v[2] + v[3] * v[4]
}

#[differentiable]
fn sorted_in_loop(x: &[f64], n: usize) -> f64 {
    let mut v = x.to_vec();
    for k in 0..n {
        v.sort_by(|a, b| a.partial_cmp(b).unwrap());
        v[k] = v[k] * v[4] + 0.7;
    }
    v[0] + 2.0 * v[1] * v[2] + v[3] * v[4]
}

#[differentiable]
fn replaced(x: &[f64], n: usize) -> f64 {
    let mut v = x.to_vec();
    let mut s = 1.0;
    for k in 0..n {
        let other = v[(k + 2) % 5] * s;
        let old = std::mem::replace(&mut v[k % 5], other);
        s = s * old + v[k % 5];
    }
    s + v[0] * v[1]
}

#[differentiable]
fn popped(x: &[f64], n: usize) -> f64 {
    let mut v = x.to_vec();
    let mut s = 0.0;
    for _ in 0..n {
        if let Some(top) = v.pop() {
            if let Some(next) = v.last_mut() {
                *next = *next * top;
                s += *next;
            } else {
                s *= top;
            }
        }
    }
    s
}

#[differentiable]
fn windows_and_writes(x: &[f64], n: usize) -> f64 {
    let mut v = x.to_vec();
    for _ in 0..n {
        let w: Vec<f64> = v.windows(2).map(|w| w[0] * w[1]).collect();
        v[..4].copy_from_slice(&w);
        v[4] = v.iter().sum::<f64>() * v[4];
    }
    v[0] * v[4] + v[1] - v[3]
}

#[differentiable]
fn in_argument(v: &mut Vec<f64>, n: usize) -> f64 {
    let mut s = 0.0;
    for k in 0..n {
        let gone = v.remove(k % v.len());
        s += gone * v[0];
        v.push(s * gone);
        v.rotate_left(1);
        v[1] *= v[2];
    }
    s
}

#[differentiable]
fn slice_argument(v: &mut [f64], n: usize) -> f64 {
    let mut s = 0.0;
    for k in 0..n {
        v.rotate_left(2);
        v.copy_within(0..2, 3);
        v[2] = v[0] * v[4] + v[2];
        v[k % 5] *= v[(k + 1) % 5];
        s += v[k % 5] * s + v[1];
        v.swap(k % 5, 4);
    }
    s
}

#[differentiable]
fn drained_ranges(x: &[f64], n: usize) -> f64 {
    let mut v: Vec<f64> = x.iter().chain(x.iter()).map(|v| v * 1.5).collect();
    let mut s = 1.0;
    for k in 0..n {
        for e in v.drain(k..k + 2) {
            s = s * e + 0.25;
        }
        v[k] *= s;
    }
    s + v.iter().map(|v| v * v).sum::<f64>()
}

#[differentiable]
fn selected_by_index(x: &[f64], n: usize) -> f64 {
    let mut v = x.to_vec();
    let mut at = vec![0usize, 3, 1, 4, 2];
    let mut s = 0.0;
    for k in 0..n {
        at.swap(k % 5, 2);
        let (i, j) = (at[0], at[k % 5]);
        v[i] = v[i] * v[j];
        s += v[at[2]] * v[i];
        at.rotate_left(1);
    }
    s
}

table! {
    resized_by_own_value: (&X);
    resized_with: (&X);
    retained: (&X);
    drained_onto_itself: for n in 0..5, (&X, const n);
    split_and_joined: for n in 0..5, (&X, const n);
    swap_removed: (&X);
    rotated: for n in 0..5, (&X, const n);
    chunks: (&X);
    copied_within: for n in 0..5, (&X, const n);
    filled: (&X);
    inserted: for n in 0..6, (&X, const n);
    pushed_own: for n in 0..5, (&X, const n);
    truncated: for n in 0..4, (&X, const n);
    swapped_lists: for n in 0..4, (&X, const n);
    taken_list: for n in 0..4, (&X, const n);
    appended_self_copy: for n in 0..4, (&X, const n);
    extended_from_within: (&X);
    deduped: (&X);
    reversed_parts: for n in 0..5, (&X, const n);
    copied_parts: for n in 0..4, (&X, const n);
    sorted_in_loop: for n in 0..4, (&X, const n);
    replaced: for n in 0..7, (&X, const n);
    popped: for n in 0..6, (&X, const n);
    windows_and_writes: for n in 0..4, (&X, const n);
    in_argument: for n in 0..5, (&mut X.to_vec(), const n);
    slice_argument: for n in 0..5, (&mut X, const n);
    drained_ranges: for n in 0..4, (&X, const n);
    selected_by_index: for n in 0..7, (&X, const n);
}

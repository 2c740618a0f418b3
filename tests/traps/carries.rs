//! Integers that are carried round loops, and exits out of nests that write.

use chainrule::prelude::*;

use crate::check::{map_table, table};

const X: [f64; 6] = [1.3, 0.5, -0.8, 0.3, 0.9, -0.4];

/// The index goes on over the outer loop.
#[differentiable]
fn packed_lower(x: &[f64], n: usize) -> f64 {
    let mut k = 0;
    let mut s = 0.0;
    for i in 0..n {
        for j in 0..=i {
            s += x[k] * x[k] * (i as f64 + 2.0 * j as f64 + 1.0);
            k += 1;
        }
    }
    s * x[k - 1]
}

/// The index is written and read at the same place.
#[differentiable]
fn packed_written(x: &[f64], n: usize) -> f64 {
    let mut l = vec![0.0; n * (n + 1) / 2];
    let mut k = 0;
    for i in 0..n {
        let row = k;
        for j in 0..i {
            l[k] = x[j] * x[i] + l[row + j / 2];
            k += 1;
        }
        l[k] = x[i].exp();
        k += 1;
    }
    let mut s = 0.0;
    let mut k = l.len();
    while k > 0 {
        k -= 1;
        s = s * 0.5 + l[k] * l[k];
    }
    s
}

/// Counted only where a condition holds.
#[differentiable]
fn compacted(x: &[f64]) -> f64 {
    let mut y = vec![0.0; x.len()];
    let mut k = 0;
    for i in 0..x.len() {
        if x[i] > 0.0 {
            y[k] = x[i] * x[i];
            k += 1;
        } else if k > 0 {
            y[k - 1] *= x[i];
        }
    }
    let mut s = 0.0;
    for i in 0..k {
        s += y[i] * (i as f64 + 1.0);
    }
    s
}

/// Reset in the outer loop.
#[differentiable]
fn reset(x: &[f64], n: usize) -> f64 {
    let mut k = 0;
    let mut s = 1.0;
    for i in 0..n {
        if i % 2 == 0 {
            k = 0;
        }
        for _ in 0..2 {
            s = s * x[k % 6].cos() + x[(k + i) % 6];
            k += 1 + i % 2;
        }
        s *= x[k % 6];
    }
    s
}

#[differentiable]
fn merged(x: &[f64], y: &[f64]) -> f64 {
    let (mut i, mut j) = (0, 0);
    let mut s = 1.0;
    while i < x.len() && j < y.len() {
        if x[i] < y[j] {
            s = s * 0.5 + x[i] * y[j];
            i += 1;
        } else {
            s = s * y[j] - x[i];
            j += 1;
        }
    }
    while i < x.len() {
        s += x[i] * s;
        i += 1;
    }
    while j < y.len() {
        s -= y[j] * y[j];
        j += 1;
    }
    s
}

/// Two indices that approach each other and write.
#[differentiable]
fn from_both_ends(x: &[f64]) -> f64 {
    let mut v = x.to_vec();
    let (mut lo, mut hi) = (0usize, v.len() - 1);
    while lo < hi {
        let t = v[lo] * v[hi];
        v[lo] = v[hi] + t;
        v[hi] = t * t;
        lo += 1;
        if t > 0.0 {
            hi -= 1;
        }
    }
    v[0] + v[1] * v[2] - v[3] * v[4] + v[5]
}

#[differentiable]
fn strided_down(x: &[f64], n: usize) -> f64 {
    let mut v = x.to_vec();
    for i in (0..n).rev() {
        for j in (i..6).step_by(2) {
            v[j] = v[j] * v[i] + 0.1 * j as f64;
        }
    }
    v[0] * v[1] + v[2] * v[3] + v[4] * v[5]
}

#[differentiable]
fn offset_of_offset(x: &[f64], n: usize) -> f64 {
    let mut s = 0.0;
    let mut base = 0;
    for i in 0..n {
        let mut at = base;
        for j in 0..n - i {
            s += x[at % 6] * x[(at + j) % 6];
            at += j + 1;
        }
        base += n - i;
    }
    s
}

#[differentiable]
fn wrapping_ring(x: &[f64], n: usize) -> f64 {
    let mut ring = [0.0; 3];
    let mut head = 0usize;
    let mut s = 0.0;
    for k in 0..n {
        ring[head] = x[k % 6] * ring[(head + 2) % 3] + x[(k + 1) % 6];
        s += ring[(head + 1) % 3] * ring[head];
        head = if head == 2 { 0 } else { head + 1 };
    }
    s
}

/// A float counts, too.
#[differentiable]
fn float_and_integer(x: &[f64], n: usize) -> f64 {
    let mut t = 0.5;
    let mut i = 0;
    let mut s = 0.0;
    while t < n as f64 {
        s += x[i] * t * t;
        t += if x[i] > 0.0 { x[i] } else { 0.75 };
        i = (i + 1) % 6;
    }
    s * t
}

#[differentiable]
fn negative_counter(x: &[f64], n: usize) -> f64 {
    let mut i = n as i32 - 1;
    let mut s = 1.0;
    while i >= 0 {
        let mut j = -i;
        while j < 1 {
            s = s * 0.9 + x[(i + j) as usize] * x[(-j) as usize];
            j += 1;
        }
        i -= 1;
    }
    s
}

#[differentiable]
fn found(x: &[f64], #[constant] limit: f64) -> f64 {
    let mut v = x.to_vec();
    let mut at = usize::MAX;
    'outer: for i in 0..v.len() {
        for j in 0..v.len() {
            v[j] = v[j] * 0.5 + v[i];
            if v[j] > limit {
                at = j;
                break 'outer;
            }
            if j > i {
                continue 'outer;
            }
            v[i] *= 1.1;
        }
        v[i] -= v[0];
    }
    if at == usize::MAX {
        v[0] * v[1]
    } else {
        v[at] * v[at] * v[5] + v[0]
    }
}

#[differentiable]
fn returned(v: &mut [f64], #[constant] limit: f64) -> f64 {
    let mut s = 1.0;
    for i in 0..v.len() {
        for j in 0..i {
            v[i] += v[j] * s;
            if v[i] > limit {
                v[0] *= v[i];
                return s * v[0];
            }
            s = s * 0.8 + v[j];
        }
        v[i] *= s;
    }
    s + v[1]
}

#[differentiable]
fn questioned(v: &mut [f64], n: usize) -> Option<f64> {
    let mut s = 0.5;
    for k in 0..n {
        let i = k % v.len();
        v[i] *= s + 1.0;
        let w = v.get(k + 2)?;
        s = s * w + v[i];
        v[0] += s;
    }
    Some(s * v[1])
}

#[differentiable]
fn check_root(x: f64) -> Result<f64, String> {
    if x < 0.0 {
        Err("negative".to_owned())
    } else {
        Ok(x.sqrt())
    }
}

#[differentiable]
fn tried(v: &mut [f64]) -> Result<f64, String> {
    let mut s = 1.0;
    for i in 1..v.len() {
        v[i] = v[i] * s + v[i - 1];
        s = s * check_root(v[i] + 1.0)?;
        v[0] *= s;
    }
    Ok(s + v[2])
}

/// The value of a labelled block and of a loop.
#[differentiable]
fn labelled_values(x: &[f64], n: usize) -> f64 {
    let mut v = x.to_vec();
    let mut k = 0;
    let a = 'all: loop {
        v[k % 6] *= v[(k + 1) % 6];
        k += 1;
        let b = 'block: {
            if k > n {
                break 'block v[0];
            }
            v[1] += 0.3;
            if v[1] > 1.0 {
                break 'all v[1] * v[0];
            }
            v[2]
        };
        v[3] += b;
        if k > n {
            break b * v[3];
        }
    };
    a + v[4] * v[5]
}

#[differentiable]
fn continued_outer(x: &[f64], n: usize) -> f64 {
    let mut v = x.to_vec();
    let mut s = 1.0;
    'a: for i in 0..n {
        'b: for j in 0..n {
            for k in 0..n {
                s = s * 0.7 + v[(i + j + k) % 6];
                v[k] = v[k] * s;
                if k == j {
                    continue 'b;
                }
                if s < -1.0 {
                    continue 'a;
                }
                if s > 3.0 {
                    break 'b;
                }
            }
            v[j] += 1.0;
        }
        v[i] *= v[5];
    }
    s + v[0] + v[1] * v[2]
}

/// The inner bound is what the outer loop carries.
#[differentiable]
fn growing_bound(x: &[f64], n: usize) -> f64 {
    let mut m = 1;
    let mut s = 0.3;
    for i in 0..n {
        let before = s;
        for j in 0..m {
            s = s * x[j % 6] + x[i % 6];
        }
        if s > before {
            m += 2
        } else {
            m = m.saturating_sub(1)
        }
    }
    s
}

/// A counter that the loop's own condition changes.
#[differentiable]
fn pre_incremented(x: &[f64]) -> f64 {
    let mut i = 0;
    let mut s = 1.0;
    while {
        i += 1;
        i < x.len()
    } {
        s = s * x[i - 1] + x[i];
        if x[i] < 0.0 {
            i += 1;
        }
    }
    s * x[i - 1 - (i - 1) / 6]
}

/// Powers of two as strides, as in an FFT.
#[differentiable]
fn butterflies(x: &[f64]) -> f64 {
    let mut v = vec![x[0], x[1], x[2], x[3], x[4], x[5], x[0] * x[1], x[2]];
    let mut len = 1;
    while len < 8 {
        let mut i = 0;
        while i < 8 {
            for k in 0..len {
                let (a, b) = (v[i + k], v[i + k + len]);
                v[i + k] = a + b * 0.5;
                v[i + k + len] = a * b;
            }
            i += 2 * len;
        }
        len *= 2;
    }
    v.iter()
        .enumerate()
        .map(|(i, v)| v * (i as f64 + 1.0))
        .sum()
}

/// The last index that a condition took.
#[differentiable]
fn argmax_then_used(x: &[f64], n: usize) -> f64 {
    let mut v = x.to_vec();
    let mut s = 0.0;
    for _ in 0..n {
        let mut best = 0;
        for i in 1..6 {
            if v[i] > v[best] {
                best = i;
            }
        }
        s += v[best] * v[(best + 1) % 6];
        v[best] = v[best] * v[best] * 0.1;
    }
    s
}

#[differentiable]
fn shrinking(x: &[f64]) -> f64 {
    let mut rest = x;
    let mut s = 1.0;
    while rest.len() > 1 {
        s = s * rest[0] + rest[rest.len() - 1];
        rest = if s > 0.0 {
            &rest[1..]
        } else {
            &rest[..rest.len() - 1]
        };
    }
    s * rest[0]
}

table! {
    packed_lower: for n in 1..4, (&X, const n);
    packed_written: for n in 0..5, (&X, const n);
    compacted: (&X), (&[-0.3, 0.2, -0.4, -0.6, 0.2, 0.9]);
    reset: for n in 0..5, (&X, const n);
    merged: (&[0.1, 0.5, 0.9, 1.3], &[0.2, 0.3, 1.1]), (&[0.1], &[0.05, 0.06]), (&X, &[0.0; 0]);
    from_both_ends: (&X), (&[0.5, 0.6, 0.7, 0.8, 0.9, 1.1]), (&[0.5, -0.6, 0.7, 0.8, -0.9, 1.1]);
    strided_down: for n in 0..6, (&X, const n);
    offset_of_offset: for n in 0..5, (&X, const n);
    wrapping_ring: for n in 0..8, (&X, const n);
    float_and_integer: for n in 0..4, (&X, const n);
    negative_counter: for n in 0..5, (&X, const n);
    found: (&X, const 1.4), (&X, const 0.9), (&X, const 99.0);
    returned: (&mut X, const 1.6), (&mut X, const 0.4), (&mut X, const 99.0);
    labelled_values: for n in 0..6, (&X, const n);
    continued_outer: for n in 0..5, (&X, const n);
    growing_bound: for n in 0..6, (&X, const n);
    pre_incremented: (&X), (&[0.2; 6]);
    butterflies: (&X);
    argmax_then_used: for n in 0..5, (&X, const n);
    shrinking: (&X), (&[0.4, -2.0, 0.3, 0.2]);
}
map_table! {
    questioned: for n in 0..7, (&mut X, const n);
    tried: (&mut X), (&mut [0.3, 0.4, 0.5, -9.0]);
}

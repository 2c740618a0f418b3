//! Two products of matrices, each written in place by a function, and a rectifier between them.

use crate::harness::case::Case;
use crate::harness::input::Random;
use chainrule::prelude::*;

/// The rows of this group.
pub fn cases() -> Vec<Case> {
    let (n, h, b) = (128, 256, 70);
    let mut random = Random::new(1);
    let mut normals = |size: usize| random.normals(size);
    vec![Case::new(
        "simple_mlp",
        (
            normals(n * h),
            normals(h * n),
            normals(n * b),
            normals(n * b),
        ),
        (
            vec![0.0; n * h],
            vec![0.0; h * n],
            vec![0.0; n * b],
            vec![0.0; n * b],
        ),
        |(w2, w1, x, y)| simple_mlp(w2, w1, x, y),
        |(w2, w1, x, y), (w2_bar, w1_bar, x_bar, y_bar)| {
            simple_mlp::value_and_gradient_into(w2, w1, x, y, w2_bar, w1_bar, x_bar, y_bar)
        },
        |(w2, w1, x, y), (w2_bar, w1_bar, x_bar, y_bar)| {
            by_hand(w2, w1, x, y, w2_bar, w1_bar, x_bar, y_bar)
        },
    )]
}

#[differentiable]
fn matmul(c: &mut [f64], a: &[f64], b: &[f64], n: usize, k: usize, m: usize) {
    for i in 0..n {
        let row = &mut c[i * m..(i + 1) * m];
        row.fill(0.0);
        for l in 0..k {
            let s = a[i * k + l];
            let other = &b[l * m..(l + 1) * m];
            for j in 0..m {
                row[j] += s * other[j];
            }
        }
    }
}

/// sum of (Y - W2 relu(W1 X))^2; W2 128 x 256, W1 256 x 128, X and Y 128 x 70.
#[differentiable]
fn simple_mlp(w2: &[f64], w1: &[f64], x: &[f64], y: &[f64]) -> f64 {
    let (n, h, b) = (128, 256, 70);
    let mut hidden = vec![0.0; h * b];
    matmul(&mut hidden, w1, x, h, n, b);
    for v in &mut hidden {
        *v = v.max(0.0);
    }
    let mut out = vec![0.0; n * b];
    matmul(&mut out, w2, &hidden, n, h, b);
    let mut s = 0.0;
    for i in 0..out.len() {
        let e = y[i] - out[i];
        s += e * e;
    }
    s
}

/// The loops of the pullback alone: for a caller to whom neither `c` nor its cotangent is of use afterwards (`c` is a
/// local buffer that nobody reads again).
///
/// Four runs of the outer loop at once: what they add to `b_bar` is loaded and stored once.
fn matmul_reverse(
    c_bar: &[f64],
    a: &[f64],
    a_bar: &mut [f64],
    b: &[f64],
    b_bar: &mut [f64],
    n: usize,
    k: usize,
    m: usize,
) {
    const R: usize = 4;
    let mut i = 0;
    while i + R <= n {
        let row: [&[f64]; R] = std::array::from_fn(|r| &c_bar[(i + r) * m..(i + r + 1) * m]);
        for l in 0..k {
            let s: [f64; R] = std::array::from_fn(|r| a[(i + r) * k + l]);
            let s_bar = reverse_four(
                row,
                &b[l * m..(l + 1) * m],
                &mut b_bar[l * m..(l + 1) * m],
                s,
            );
            for r in 0..R {
                a_bar[(i + r) * k + l] += s_bar[r];
            }
        }
        i += R;
    }
    matmul_reverse_lanes(
        &c_bar[i * m..],
        &a[i * k..],
        &mut a_bar[i * k..],
        b,
        b_bar,
        n - i,
        k,
        m,
    );
}

#[inline]
fn reverse_four(row: [&[f64]; 4], other: &[f64], other_bar: &mut [f64], s: [f64; 4]) -> [f64; 4] {
    const W: usize = 2;
    let [(t0, r0), (t1, r1), (t2, r2), (t3, r3)] = row.map(|row| row.as_chunks::<W>());
    let (other, other_rest) = other.as_chunks::<W>();
    let (other_bar, other_bar_rest) = other_bar.as_chunks_mut::<W>();
    let mut lanes = [[0.0; W]; 4];
    for (((((t0, t1), t2), t3), o), o_bar) in
        t0.iter().zip(t1).zip(t2).zip(t3).zip(other).zip(other_bar)
    {
        let (o, mut sum) = (*o, *o_bar);
        for (r, t) in [*t0, *t1, *t2, *t3].iter().enumerate() {
            for j in 0..W {
                lanes[r][j] += t[j] * o[j];
                sum[j] += s[r] * t[j];
            }
        }
        *o_bar = sum;
    }
    let mut s_bar = [0.0; 4];
    for r in 0..4 {
        s_bar[r] = pair(&lanes[r]);
    }
    for j in 0..other_rest.len() {
        for (s_bar, rest) in s_bar.iter_mut().zip([r0, r1, r2, r3]) {
            *s_bar += rest[j] * other_rest[j];
        }
        other_bar_rest[j] += (s[0] * r0[j] + s[1] * r1[j]) + (s[2] * r2[j] + s[3] * r3[j]);
    }
    s_bar
}

/// Apart, so that the lanes of one sum stand beside each other: inlined, LLVM packs the same lane of two sums instead.
fn pair(lanes: &[f64; 2]) -> f64 {
    lanes[0] + lanes[1]
}

fn sum(lanes: [f64; 4]) -> f64 {
    (lanes[0] + lanes[1]) + (lanes[2] + lanes[3])
}

/// The cotangent of `s` is a sum over the inner loop. In which order cotangents are added is the emitter's choice: here
/// in four lanes, so that it can be vectorised without leave to reassociate.
fn matmul_reverse_lanes(
    c_bar: &[f64],
    a: &[f64],
    a_bar: &mut [f64],
    b: &[f64],
    b_bar: &mut [f64],
    n: usize,
    k: usize,
    m: usize,
) {
    const W: usize = 4;
    for i in 0..n {
        let row_bar = &c_bar[i * m..(i + 1) * m];
        for l in 0..k {
            let s = a[i * k + l];
            let (row_bar, row_rest) = row_bar.as_chunks::<W>();
            let (other, other_rest) = b[l * m..(l + 1) * m].as_chunks::<W>();
            let (other_bar, other_bar_rest) = b_bar[l * m..(l + 1) * m].as_chunks_mut::<W>();
            let mut lanes = [0.0; W];
            for ((t, o), o_bar) in row_bar.iter().zip(other).zip(other_bar) {
                for j in 0..W {
                    lanes[j] += t[j] * o[j];
                    o_bar[j] += s * t[j];
                }
            }
            let mut s_bar = sum(lanes);
            for ((t, o), o_bar) in row_rest.iter().zip(other_rest).zip(other_bar_rest) {
                s_bar += t * o;
                *o_bar += s * t;
            }
            a_bar[i * k + l] += s_bar;
        }
    }
}

/// Combined rule. `hidden` and `out` are local and have no reader after the reverse half, so that no call saves them.
/// `relu` keeps nothing: the buffer, which nobody writes again, says which side won. The cotangent of `out` is known in
/// the loop that sums, and takes the place of `out`, which is dead from there on.
#[inline]
fn by_hand(
    w2: &[f64],
    w1: &[f64],
    x: &[f64],
    y: &[f64],
    w2_bar: &mut [f64],
    w1_bar: &mut [f64],
    x_bar: &mut [f64],
    y_bar: &mut [f64],
) -> f64 {
    let (n, h, b) = (128, 256, 70);
    let mut hidden = vec![0.0; h * b];
    matmul(&mut hidden, w1, x, h, n, b);
    for v in &mut hidden {
        *v = v.max(0.0);
    }
    let mut out = vec![0.0; n * b];
    matmul(&mut out, w2, &hidden, n, h, b);
    let mut s = 0.0;
    for ((out, y), y_bar) in out.iter_mut().zip(y).zip(y_bar.iter_mut()) {
        let e = y - *out;
        s += e * e;
        *y_bar = 2.0 * e;
        *out = -2.0 * e;
    }
    w2_bar.fill(0.0);
    let mut hidden_bar = vec![0.0; h * b];
    matmul_reverse(&out, w2, w2_bar, &hidden, &mut hidden_bar, n, h, b);
    for (v, v_bar) in hidden.iter().zip(&mut hidden_bar) {
        if *v <= 0.0 {
            *v_bar = 0.0;
        }
    }
    w1_bar.fill(0.0);
    x_bar.fill(0.0);
    matmul_reverse(&hidden_bar, w1, w1_bar, x, x_bar, h, n, b);
    s
}

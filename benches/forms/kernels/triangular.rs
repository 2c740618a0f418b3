//! Forward substitution with a triangular matrix, then the square of the solution: `y = inv(L) b`, `y' y`.

use crate::Kernel;
use chainrule::prelude::*;
use rows::harness::case::{Gradient, Hand, With};
use rows::harness::input::Random;

const N: usize = 64;

/// A gradient by a matrix stored by columns.
struct ByColumns(Vec<f64>, Vec<f64>);

impl Gradient for ByColumns {
    fn fill(&mut self, value: f64) {
        self.0.fill(value);
        self.1.fill(value);
    }

    fn append_to(&self, components: &mut Vec<f64>) {
        components.extend((0..N * N).map(|k| self.0[k % N * N + k / N]));
        self.1.append_to(components);
    }

    fn ends(&self) -> u64 {
        Gradient::ends(&self.0) ^ Gradient::ends(&self.1)
    }
}

pub(crate) fn kernel() -> Kernel {
    let mut random = Random::new(9);
    let mut l: Vec<f64> = random.normals(N * N).iter().map(|l| 0.1 * l).collect();
    for i in 0..N {
        l[i * N + i] = 1.0 + l[i * N + i].abs();
    }
    let b = random.normals(N);
    let columns_of_l: Vec<f64> = (0..N * N).map(|k| l[k % N * N + k / N]).collect();
    let rows: Vec<Vec<f64>> = l.chunks_exact(N).map(<[f64]>::to_vec).collect();
    let input = (l, b.clone());
    let zeros = (vec![0.0; N * N], vec![0.0; N]);
    let hand = Hand::new(
        input.clone(),
        With {
            gradient: zeros.clone(),
            scratch: (vec![0.0; N], vec![0.0; N]),
        },
        |(l, b), bar| {
            let (l_bar, b_bar) = &mut bar.gradient;
            by_hand(l, b, l_bar, b_bar, &mut bar.scratch.0, &mut bar.scratch.1)
        },
    );
    macro_rules! forms {
        ($($form:ident)*) => {
            vec![$(hand.form(
                stringify!($form),
                input.clone(),
                zeros.clone(),
                |(l, b)| $form(l, b),
                |(l, b), (l_bar, b_bar)| $form::value_and_gradient_into(l, b, l_bar, b_bar),
            )),*]
        };
    }
    let mut forms = forms! { row_by_row in_place helper_in_place slices iterators };
    forms.push(hand.form(
        "columns",
        (columns_of_l, b.clone()),
        ByColumns(zeros.0.clone(), zeros.1.clone()),
        |(l, b)| columns(l, b),
        |(l, b), bar| columns::value_and_gradient_into(l, b, &mut bar.0, &mut bar.1),
    ));
    forms.push(hand.form(
        "vec_of_vec",
        (rows, b),
        (vec![vec![0.0; N]; N], vec![0.0; N]),
        |(l, b)| vec_of_vec(l, b),
        |(l, b), (l_bar, b_bar)| vec_of_vec::value_and_gradient_into(l, b, l_bar, b_bar),
    ));
    Kernel::new("triangular", forms)
}

/// The cotangent of `b` solves the transposed system; that of a row is assigned.
fn by_hand(
    l: &[f64],
    b: &[f64],
    l_bar: &mut [f64],
    b_bar: &mut [f64],
    y: &mut [f64],
    d: &mut [f64],
) -> f64 {
    let mut total = 0.0;
    for (i, row) in l.chunks_exact(N).enumerate() {
        let (known, z) = row[..i].as_chunks::<4>();
        let (solved, w) = y[..i].as_chunks::<4>();
        let mut lanes = [0.0; 4];
        for (l, y) in known.iter().zip(solved) {
            for j in 0..4 {
                lanes[j] += l[j] * y[j];
            }
        }
        let mut s = b[i] - ((lanes[0] + lanes[2]) + (lanes[1] + lanes[3]));
        for (l, y) in z.iter().zip(w) {
            s -= l * y;
        }
        d[i] = 1.0 / row[i];
        y[i] = s * d[i];
        total += y[i] * y[i];
    }
    for (b_bar, y) in b_bar.iter_mut().zip(&*y) {
        *b_bar = 2.0 * y;
    }
    let rows = l.chunks_exact(N).zip(l_bar.chunks_exact_mut(N));
    for (i, (row, row_bar)) in rows.enumerate().rev() {
        let t = b_bar[i] * d[i];
        b_bar[i] = t;
        let (row_bar, right) = row_bar.split_at_mut(i + 1);
        for (row_bar, y) in row_bar.iter_mut().zip(&*y) {
            *row_bar = -t * y;
        }
        for (b_bar, l) in b_bar[..i].iter_mut().zip(row) {
            *b_bar -= t * l;
        }
        right.fill(0.0);
    }
    total
}

#[differentiable]
fn row_by_row(l: &[f64], b: &[f64]) -> f64 {
    let n = b.len();
    let mut y = vec![0.0; n];
    for i in 0..n {
        let mut s = b[i];
        for j in 0..i {
            s -= l[i * n + j] * y[j];
        }
        y[i] = s / l[i * n + i];
    }
    let mut total = 0.0;
    for i in 0..n {
        total += y[i] * y[i];
    }
    total
}

#[differentiable]
fn in_place(l: &[f64], b: &[f64]) -> f64 {
    let n = b.len();
    let mut y = b.to_vec();
    for i in 0..n {
        for j in 0..i {
            y[i] -= l[i * n + j] * y[j];
        }
        y[i] /= l[i * n + i];
    }
    y.iter().map(|y| y * y).sum()
}

#[differentiable]
fn solve(l: &[f64], y: &mut [f64]) {
    let n = y.len();
    for i in 0..n {
        let mut s = y[i];
        for j in 0..i {
            s -= l[i * n + j] * y[j];
        }
        y[i] = s / l[i * n + i];
    }
}

#[differentiable]
fn helper_in_place(l: &[f64], b: &[f64]) -> f64 {
    let mut y = b.to_vec();
    solve(l, &mut y);
    let mut total = 0.0;
    for v in &y {
        total += v * v;
    }
    total
}

#[differentiable]
fn slices(l: &[f64], b: &[f64]) -> f64 {
    let n = b.len();
    let mut y = vec![0.0; n];
    let mut total = 0.0;
    for i in 0..n {
        let row = &l[i * n..(i + 1) * n];
        let (solved, rest) = y.split_at_mut(i);
        let mut s = b[i];
        for (l, y) in row.iter().zip(solved.iter()) {
            s -= l * y;
        }
        rest[0] = s / row[i];
        total += rest[0] * rest[0];
    }
    total
}

#[differentiable]
fn iterators(l: &[f64], b: &[f64]) -> f64 {
    let n = b.len();
    let mut y: Vec<f64> = Vec::with_capacity(n);
    for (i, (row, b)) in l.chunks_exact(n).zip(b).enumerate() {
        let dot: f64 = row.iter().zip(&y).map(|(l, y)| l * y).sum();
        y.push((b - dot) / row[i]);
    }
    y.iter().map(|y| y * y).sum()
}

#[differentiable]
fn columns(l: &[f64], b: &[f64]) -> f64 {
    let n = b.len();
    let mut y = b.to_vec();
    let mut total = 0.0;
    for j in 0..n {
        y[j] /= l[j * n + j];
        for i in j + 1..n {
            y[i] -= l[j * n + i] * y[j];
        }
        total += y[j] * y[j];
    }
    total
}

#[differentiable]
fn vec_of_vec(l: &[Vec<f64>], b: &[f64]) -> f64 {
    let n = b.len();
    let mut y = vec![0.0; n];
    for i in 0..n {
        let mut s = b[i];
        for j in 0..i {
            s -= l[i][j] * y[j];
        }
        y[i] = s / l[i][i];
    }
    let mut total = 0.0;
    for i in 0..n {
        total += y[i] * y[i];
    }
    total
}

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
            scratch: vec![0.0; N],
        },
        |(l, b), bar| {
            let (l_bar, b_bar) = &mut bar.gradient;
            by_hand(l, b, l_bar, b_bar, &mut bar.scratch)
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
    Kernel::new(forms)
}

/// The cotangent of `b` solves the transposed system, four rows in one pass over it; that of a row is assigned.
fn by_hand(l: &[f64], b: &[f64], l_bar: &mut [f64], b_bar: &mut [f64], y: &mut [f64]) -> f64 {
    const R: usize = 4;
    let (b, y): (&[f64; N], &mut [f64; N]) = (b.try_into().unwrap(), y.try_into().unwrap());
    let b_bar: &mut [f64; N] = b_bar.try_into().unwrap();
    let (l, _) = l.as_chunks::<N>();
    let (l_bar, _) = l_bar.as_chunks_mut::<N>();
    let mut total = 0.0;
    for (i, row) in l.iter().enumerate() {
        let mut s = b[i];
        for (l, y) in row[..i].iter().zip(&*y) {
            s -= l * y;
        }
        y[i] = s / row[i];
        total += y[i] * y[i];
    }
    for (b_bar, y) in b_bar.iter_mut().zip(&*y) {
        *b_bar = 2.0 * y;
    }
    let rows = l
        .as_chunks::<R>()
        .0
        .iter()
        .zip(l_bar.as_chunks_mut::<R>().0);
    for (at, (rows, rows_bar)) in rows.enumerate().rev() {
        let at = at * R;
        let mut t: [f64; R] = std::array::from_fn(|r| b_bar[at + r]);
        for r in (0..R).rev() {
            t[r] /= rows[r][at + r];
            for k in 0..r {
                t[k] -= rows[r][at + k] * t[r];
            }
        }
        b_bar[at..at + R].copy_from_slice(&t);
        let [l0, l1, l2, l3] = rows.each_ref().map(|row| &row[..at]);
        let above = &mut b_bar[..at];
        for j in 0..at {
            above[j] -= (t[0] * l0[j] + t[1] * l1[j]) + (t[2] * l2[j] + t[3] * l3[j]);
        }
        for (r, row_bar) in rows_bar.iter_mut().enumerate() {
            let (row_bar, right) = row_bar.split_at_mut(at + r + 1);
            for (row_bar, y) in row_bar.iter_mut().zip(&*y) {
                *row_bar = -t[r] * y;
            }
            right.fill(0.0);
        }
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

//! Lists that a loop reads and writes: elements that nothing overwrites later, and those that look like it.

use chainrule::prelude::*;

use crate::check::table;

const N: usize = 3;

/// A symmetric matrix with large diagonal entries.
const MATRIX: [f64; N * N] = [4.1, 0.6, -0.9, 0.7, 5.2, 0.4, -0.8, 0.3, 3.9];
const B: [f64; N] = [0.7, -1.2, 0.4];
const LIST: [f64; 12] = [
    0.4, -0.7, 1.1, 0.2, 0.9, -0.3, 0.6, 1.3, -0.5, 0.8, 0.1, -1.2,
];

#[differentiable]
fn cholesky_in_place(m: &[f64], n: usize) -> f64 {
    let mut a = m.to_vec();
    for j in 0..n {
        for k in 0..j {
            a[j * n + j] -= a[j * n + k] * a[j * n + k];
        }
        a[j * n + j] = a[j * n + j].sqrt();
        for i in j + 1..n {
            for k in 0..j {
                a[i * n + j] -= a[i * n + k] * a[j * n + k];
            }
            a[i * n + j] /= a[j * n + j];
        }
    }
    (0..n).map(|i| a[i * n + i].ln()).sum::<f64>() + a[n] * a[2 * n + 1]
}

#[differentiable]
fn elimination(m: &[f64], b: &[f64], n: usize) -> f64 {
    let mut a = m.to_vec();
    let mut x = b.to_vec();
    for k in 0..n {
        for i in k + 1..n {
            let f = a[i * n + k] / a[k * n + k];
            for j in k..n {
                a[i * n + j] -= f * a[k * n + j];
            }
            x[i] -= f * x[k];
        }
    }
    for i in (0..n).rev() {
        for j in i + 1..n {
            x[i] -= a[i * n + j] * x[j];
        }
        x[i] /= a[i * n + i];
    }
    x.iter().map(|x| x * x).sum()
}

/// Rows above the diagonal are overwritten in later trips, too.
#[differentiable]
fn jordan(m: &[f64], n: usize) -> f64 {
    let mut a = m.to_vec();
    for k in 0..n {
        for i in 0..n {
            if i != k {
                let f = a[i * n + k] / a[k * n + k];
                for j in 0..n {
                    a[i * n + j] -= f * a[k * n + j] * a[k * n + j];
                }
            }
        }
    }
    a.iter().map(|a| a.sin()).sum()
}

/// The quotient is still in its place where the reverse half needs it, and the dividend is put back into it.
#[differentiable]
fn overwritten_in_the_same_trip(x: &[f64], n: usize) -> f64 {
    let mut y = x.to_vec();
    for i in (0..n).rev() {
        y[i * n + i] = y[i * n + i] / (1.0 + y[i * n + 1] * y[i * n + 1]);
    }
    y.iter().map(|y| y * y).sum()
}

#[differentiable]
fn history(x: &[f64], steps: usize) -> f64 {
    let mut states = vec![[0.0; 2]; steps + 1];
    states[0] = [x[0], x[1]];
    for t in 0..steps {
        let [a, b] = states[t];
        states[t + 1][0] = a + 0.1 * (x[2] * a - a * b);
        states[t + 1][1] = b + 0.1 * (a * b - x[3] * b);
    }
    states[steps][0] * states[steps][1] + states[1][0]
}

/// A table in which each element is computed from its neighbours, and one where it is also overwritten.
#[differentiable]
fn table_of_sums(x: &[f64], n: usize) -> f64 {
    let mut d = vec![0.5; n * n];
    for i in 1..n {
        for j in 1..n {
            let above = d[(i - 1) * n + j] + x[j];
            let left = d[i * n + j - 1] + x[i];
            d[i * n + j] = -((-above).exp() + (-left).exp()).ln();
        }
    }
    d[n * n - 1]
}

#[differentiable]
fn sweeps(b: &[f64], n: usize, sweeps: usize) -> f64 {
    let mut u = vec![0.2; n];
    for _ in 0..sweeps {
        for i in 1..n - 1 {
            u[i] = 0.5 * (u[i - 1] * u[i + 1] + b[i] - 0.1 * u[i] * u[i]);
        }
    }
    u.iter().map(|u| u * u).sum()
}

/// A column may be longer than a row, so that rows overlap.
#[differentiable]
fn overlapping_rows(x: &[f64], n: usize, width: usize) -> f64 {
    let mut y = x.to_vec();
    for i in 1..n {
        for j in 0..width {
            y[i * n + j] = (y[(i - 1) * n + j] * y[j]).sin();
        }
    }
    y.iter().map(|y| y * y).sum()
}

#[differentiable]
fn strides(x: &[f64], at: &[usize]) -> f64 {
    let mut y = x.to_vec();
    for i in 0..x.len() / 2 {
        y[2 * i] = y[2 * i + 1].sin() * y[2 * i];
    }
    for i in 0..x.len() / 3 {
        y[2 * i] = y[3 * i].cos() * y[i];
    }
    for i in 0..at.len() {
        y[at[i]] = y[i].exp() * y[at[i]];
    }
    y.iter().map(|y| y * y).sum()
}

#[derive(Clone, Debug, Differentiable)]
struct Rows {
    n: usize,
    a: Vec<f64>,
    b: Vec<f64>,
}

/// Fields apart, rows by ranges, and in a method's receiver.
#[differentiable]
impl Rows {
    fn fill(&mut self) -> f64 {
        let n = self.n;
        for i in 1..self.a.len() / n {
            for j in 0..n {
                self.a[i * n + j] = self.a[(i - 1) * n + j] * self.b[j];
                self.b[j] *= 1.1 + self.a[i * n];
            }
        }
        let mut total = 0.0;
        for i in 1..self.a.len() / n {
            let (above, row) = self.a.split_at_mut(i * n);
            for j in 0..n {
                row[j] *= above[(i - 1) * n + j];
                total += row[j];
            }
        }
        total
    }
}

#[differentiable]
fn filled(rows: &Rows) -> f64 {
    let mut rows = rows.clone();
    rows.fill() + rows.a.iter().sum::<f64>() * rows.b[0]
}

table! {
    cholesky_in_place: (&MATRIX, const N);
    elimination: (&MATRIX, &B, const N);
    jordan: (&MATRIX, const N);
    overwritten_in_the_same_trip: (&LIST, const 3);
    history: (&LIST, const 4), (&LIST, const 1);
    table_of_sums: (&LIST, const 3);
    sweeps: (&LIST, const 6, const 3);
    overlapping_rows: (&LIST, const 2, const 5);
    strides: (&LIST, const &[3, 1, 3, 0]);
}

#[test]
fn rows_of_a_struct() {
    let rows = Rows {
        n: 3,
        a: LIST.to_vec(),
        b: B.to_vec(),
    };
    chainrule::testing::check_rules!(filled, &rows);
}

//! Loops whose trips add to elements that other trips add to as well: neighbours of the counter's element, in every form.

use chainrule::prelude::*;

use crate::check::{irregular, table};

fn x(n: usize) -> Vec<f64> {
    irregular(n, 0.7)
}

#[differentiable]
fn next(v: &[f64]) -> f64 {
    let mut total = 0.0;
    for i in 0..v.len() - 1 {
        let a = v[i + 1] - v[i] * v[i];
        total += a * a * v[i];
    }
    total
}

#[differentiable]
fn backwards(v: &[f64]) -> f64 {
    let mut total = 0.5;
    for i in (2..v.len() - 1).rev() {
        total = total * 0.9 + v[i + 1] * v[i - 2] + v[i].sin();
    }
    total
}

/// The middle is read in one trip of two, the neighbours in all.
#[differentiable]
fn on_condition(v: &[f64]) -> f64 {
    let mut total = 0.0;
    for i in 1..v.len() - 1 {
        total += v[i - 1] * v[i + 1] * v[i - 1];
        if i % 2 == 0 {
            total *= v[i];
        }
    }
    total
}

/// Two windows, too far from each other for one, and an element that each trip reads.
#[differentiable]
fn apart(v: &[f64]) -> f64 {
    let mut total = 0.0;
    for i in 0..v.len() - 12 {
        total += v[i] * v[i + 1] * v[i + 10] + v[i + 11].exp() * v[2] * v[i + 3];
    }
    total
}

#[differentiable]
fn windows(v: &[f64], h: f64) -> f64 {
    let mut total = 0.0;
    for w in v.windows(3) {
        let d = (w[0] - 2.0 * w[1] + w[2]) / (h * h);
        total += d * d + 0.25 * w[1].powi(4);
    }
    total
}

#[differentiable]
fn zipped(v: &[f64]) -> f64 {
    v.iter().zip(&v[1..]).map(|(a, b)| a * b.sin()).sum()
}

#[differentiable]
fn grid(v: &[f64], n: usize) -> f64 {
    let mut new = v.to_vec();
    for i in 1..n.max(1) - 1 {
        for j in 1..n - 1 {
            let at = i * n + j;
            new[at] = v[at] + 0.2 * (v[at - 1] + v[at + 1] + v[at - n] * v[at + n] - 4.0 * v[at]);
        }
    }
    let mut total = 0.0;
    for value in &new {
        total += value * value;
    }
    total
}

/// Parts of one list that may overlap, of which the second is read before it changes.
#[differentiable]
fn parts(v: &mut [f64], n: usize, k: usize) -> f64 {
    let mut w = v.to_vec();
    for j in 0..n {
        w[j] = v[j] * 0.5 + v[k + j] - v[2 * k + j] * 2.0;
    }
    for j in 0..n {
        v[j] += w[j] * w[j];
    }
    let mut total = 0.0;
    for j in 0..n {
        total += v[j] * v[j + 1] * v[k + j] * v[k + j + 1];
    }
    total
}

/// Rows of a nested list: indexed by what no loop counts, and of any length.
#[differentiable]
fn rows(m: &mut [Vec<f64>], at: &[usize]) -> f64 {
    let mut total = 0.0;
    for i in 0..m.len() {
        for k in at {
            total += m[i][*k] * m[i][0];
        }
        for j in 1..m[i].len() {
            m[i][j] *= m[i][j - 1];
        }
    }
    total
}

/// Elements that each trip reads and writes; without trips there needn't be any.
#[differentiable]
fn sums(v: &mut [f64], n: usize, k: usize) -> f64 {
    let mut d = vec![0.5; n];
    for i in 0..n {
        for j in 0..n {
            d[i] += v[j] * v[j] * d[i];
        }
    }
    for j in (0..n).rev() {
        v[2 * k + 1] = v[2 * k + 1] * 0.9 + d[j];
    }
    for j in 0..n {
        if j % 2 == 0 {
            v[k] *= d[j];
        }
        d[0] -= v[0].sin();
    }
    for j in 0..n {
        v[k] = d[j];
        v[k] *= 1.5;
    }
    let mut total = 0.0;
    for x in &d {
        total += x;
    }
    total
}

#[differentiable]
fn of_any_precision<T: Real>(v: &[T]) -> T {
    let mut total = T::from_f64(0.0);
    for i in 1..v.len() {
        total += v[i] * v[i - 1] * v[i - 1];
    }
    total
}

#[derive(Clone, Debug, Differentiable)]
struct Line {
    u: Vec<f64>,
    #[constant]
    h: f64,
    #[constant]
    weights: Vec<f64>,
}

#[differentiable]
impl Line {
    fn energy(&self) -> f64 {
        let mut total = 0.0;
        for i in 1..self.u.len() - 1 {
            let d = (self.u[i - 1] - 2.0 * self.u[i] + self.u[i + 1]) / (self.h * self.h);
            total += self.weights[i] * d * d + self.u[i].powi(3);
        }
        total
    }
}

#[differentiable]
fn of_a_struct(u: &[f64]) -> f64 {
    let line = Line {
        u: u.to_vec(),
        h: 0.8,
        weights: vec![1.5; u.len()],
    };
    line.energy()
}

/// The factors of Cholesky's method: what a loop adds to is read in the next one.
#[differentiable]
fn recurrence(v: &mut [f64]) -> f64 {
    let n = v.len();
    for i in 1..n {
        v[i] += 0.5 * v[i - 1];
    }
    let mut total = 0.0;
    for i in 1..n {
        total += v[i] * v[i - 1];
    }
    total
}

#[differentiable]
fn first_of_windows(v: &[f64]) -> f64 {
    let mut s = 0.0;
    for w in v.windows(3) {
        s += w[0] * w[0] * w[1];
    }
    for k in 0..v.len() / 2 {
        let w = &v[2 * k..2 * k + 2];
        if w[0] > 0.0 {
            s += w[1] * w[0];
        }
    }
    s
}

#[differentiable]
fn parts_then_written(v: &[f64]) -> f64 {
    let mut a = v.to_vec();
    let mut s = 0.0;
    for k in 0..a.len() - 1 {
        let w = &a[k..k + 2];
        let t = w[0] * w[1];
        a[k + 1] = t + 0.5;
        let w = &a[k..k + 2];
        s += w[1] * w[0];
    }
    s
}

#[differentiable]
fn back_and_forth(v: &[f64], #[constant] n: usize) -> f64 {
    let mut s = 0.0;
    for i in 1..n {
        for j in 0..n {
            let k = i * n + j;
            s += v[k - n] * v[k] * v[k - j];
        }
    }
    for i in 0..n {
        for j in 0..n {
            if i > 0 {
                let k = i * n + j;
                s += v[k - n] * v[j];
            }
        }
    }
    for i in (1..n).rev() {
        for j in 1..n - 1 {
            let k = j + n * i;
            s += v[k - n] * v[k - 1] * v[k + 1] + v[k + n - n];
        }
    }
    s
}

#[differentiable]
fn wide_windows(v: &[f64]) -> f64 {
    let mut s = 0.3;
    for i in 2..v.len() - 2 {
        let d = -v[i - 2] + 16.0 * v[i - 1] - 30.0 * v[i] + 16.0 * v[i + 1] - v[i + 2];
        s += d * d * v[i + 2] + d;
    }
    for i in (2..v.len() - 2).rev() {
        let d = v[i - 2] * v[i + 2] + v[i];
        s = 0.9 * s + d * d * v[i + 1];
    }
    s
}

/// Neighbours of a closed polygon: the last item is a reference that is made once.
#[differentiable]
fn closed(v: &[f64], w: f64) -> f64 {
    let mut s = 0.0;
    for (a, b) in v.iter().zip(v.iter().skip(1).chain(std::iter::once(&v[0]))) {
        s += (a - b * b).powi(3);
    }
    let t: f64 = v
        .iter()
        .zip(std::iter::repeat(&w))
        .map(|(a, b)| a * b)
        .sum();
    let first = std::iter::once(&w).chain(v);
    s + t * first
        .zip(v.iter().rev())
        .map(|(a, b)| a.sin() * b)
        .sum::<f64>()
}

table! {
    closed: for n in 1..5, (&x(n), 0.7);
    next: for n in 1..6, (&x(n));
    backwards: for n in 1..8, (&x(n));
    on_condition: for n in 1..7, (&x(n));
    apart: for n in [12, 13, 14, 17], (&x(n));
    windows: for n in 0..6, (&x(n), 0.7);
    zipped: for n in 1..5, (&x(n));
    grid: for n in 0..6, (&x(n * n), const n);
    parts: for p in [(0, 0), (3, 0), (3, 1), (3, 2), (2, 5)], (&mut x(p.0 + 2 * p.1 + 1), const p.0, const p.1);
    rows: for n in 0..4, (&mut vec![x(3); n], const &[0, 2, 2]);
    sums: for p in [(0, 9, 0), (1, 0, 2), (3, 1, 4), (4, 1, 5)], (&mut x(p.2), const p.0, const p.1);
    of_any_precision: for n in 1..5, (&x(n));
    of_a_struct: for n in [1, 2, 3, 6], (&x(n));
    recurrence: for n in [1, 2, 5], (&mut x(n));
    first_of_windows: for n in [2, 3, 4, 20, 21], (&x(n));
    parts_then_written: for n in [1, 2, 3, 20], (&x(n));
    back_and_forth: for n in [2, 3, 4, 20], (&x(n * n), const n);
    wide_windows: for n in [4, 5, 6, 7, 20, 37], (&x(n));
}

/// Lists in fields: used element by element, as a whole, changed in a loop, and in rows.
mod in_fields {
    use chainrule::prelude::*;

    use crate::check::{irregular, table};

    #[derive(Clone, Debug, Differentiable)]
    struct Params {
        mu: Vec<f64>,
        q: Vec<f64>,
        rows: Vec<Vec<f64>>,
        #[constant]
        data: Vec<f64>,
    }

    #[differentiable]
    impl Params {
        fn elements(&self) -> f64 {
            let mut total = 0.0;
            for i in 0..self.mu.len() {
                for j in 0..self.rows[i].len() {
                    let z = (self.data[j] - self.mu[i]) * self.q[j];
                    total += z * z * self.rows[i][j];
                }
            }
            total
        }

        fn wholes(&self) -> f64 {
            let mut total = 0.0;
            for i in 0..self.mu.len() {
                total += self.mu[i] * sum(&self.q) + self.elements();
            }
            total
        }

        fn change(&mut self) {
            for i in 1..self.mu.len() {
                self.mu[i] += 0.5 * self.mu[i - 1] * self.q[0];
                self.rows[i][0] *= self.mu[i];
                if i == 2 {
                    self.q.push(self.mu[i]);
                }
            }
        }

        fn swapped(&mut self) {
            for i in 0..self.mu.len() {
                let old = std::mem::replace(&mut self.mu[i], 1.5);
                self.q[0] += old * old;
                self.mu.swap(0, i);
            }
        }
    }

    #[differentiable]
    fn sum(v: &[f64]) -> f64 {
        let mut total = 0.0;
        for x in v {
            total += x * x;
        }
        total
    }

    #[differentiable]
    fn made(x: &[f64]) -> Params {
        Params {
            mu: x.to_vec(),
            q: x.iter().map(|v| v.sin()).collect(),
            rows: vec![x.to_vec(); x.len()],
            data: vec![0.5; x.len() + 1],
        }
    }

    #[differentiable]
    fn read(x: &[f64]) -> f64 {
        let params = made(x);
        params.elements() + params.wholes()
    }

    #[differentiable]
    fn written(x: &[f64]) -> f64 {
        let mut params = made(x);
        params.change();
        params.swapped();
        params.wholes()
    }

    #[differentiable]
    fn step(x: &[f64], params: &mut Params) -> f64 {
        let mut total = 0.0;
        for i in 0..x.len() {
            params.mu[i] *= x[i];
            for row in &params.rows {
                total += row[i] * params.mu[i];
            }
        }
        for i in 1..params.q.len() {
            total += params.q[i] * params.q[i - 1] * params.data[i];
        }
        total
    }

    #[differentiable]
    fn in_a_function(x: &[f64]) -> f64 {
        let mut params = made(x);
        step(x, &mut params) * sum(&params.mu)
    }

    fn x(n: usize) -> Vec<f64> {
        irregular(n, 0.7)
    }

    table! {
        read: for n in 0..4, (&x(n));
        written: for n in 1..5, (&x(n));
        in_a_function: for n in 0..4, (&x(n));
    }
}

//! The heat equation on a square, by explicit steps; the sum of squares at the end by the initial temperatures.

use crate::Kernel;
use chainrule::prelude::*;
use rows::gradient_of_structs;
use rows::harness::case::{Hand, With};
use rows::harness::input::normal;
use std::array::from_fn;
use std::ops::{Index, IndexMut};

const N: usize = 16;
const STEPS: usize = 20;
const R: f64 = 0.2;

pub(crate) fn kernel() -> Kernel {
    let u = normal(N * N);
    let zeros = vec![0.0; N * N];
    let rows: Vec<Vec<f64>> = u.chunks_exact(N).map(<[f64]>::to_vec).collect();
    let array: [[f64; N]; N] = from_fn(|i| from_fn(|j| u[i * N + j]));
    let grid = Grid {
        nx: N,
        ny: N,
        u: u.clone(),
    };
    let grid_bar = grid.zero_tangent();
    let hand = Hand::new(
        u.clone(),
        With {
            gradient: zeros.clone(),
            scratch: ([[0.0; N]; N], [[0.0; N]; N]),
        },
        |u, bar| {
            let (a, b) = &mut bar.scratch;
            by_hand(u, &mut bar.gradient, a, b)
        },
    );
    let forms = vec![
        hand.form(
            "flat",
            u.clone(),
            zeros.clone(),
            |u| flat(u, N, STEPS),
            |u, bar| flat::value_and_gradient_into(u, N, STEPS, bar),
        ),
        hand.form(
            "flat_copied",
            u.clone(),
            zeros.clone(),
            |u| flat_copied(u, N, STEPS),
            |u, bar| flat_copied::value_and_gradient_into(u, N, STEPS, bar),
        ),
        hand.form(
            "generic",
            u,
            zeros,
            |u| generic(u, N, STEPS),
            |u, bar| generic::value_and_gradient_into(u, N, STEPS, bar),
        ),
        hand.form(
            "vec_of_vec",
            rows,
            vec![vec![0.0; N]; N],
            |u| vec_of_vec(u, STEPS),
            |u, bar| vec_of_vec::value_and_gradient_into(u, STEPS, bar),
        ),
        hand.form(
            "arrays",
            array,
            [[0.0; N]; N],
            |u| arrays(u, STEPS),
            |u, bar| arrays::value_and_gradient_into(u, STEPS, bar),
        ),
        hand.form(
            "grid_index",
            grid.clone(),
            grid_bar.clone(),
            |grid| grid_index(grid, STEPS),
            |grid, bar| grid_index::value_and_gradient_into(grid, STEPS, bar),
        ),
        hand.form(
            "grid_at",
            grid,
            grid_bar,
            |grid| grid_at(grid, STEPS),
            |grid, bar| grid_at::value_and_gradient_into(grid, STEPS, bar),
        ),
    ];
    Kernel::new(forms)
}

/// The step, whose boundary stays as it is.
#[inline]
fn step(from: &[[f64; N]; N], to: &mut [[f64; N]; N]) {
    for (from, to) in from.windows(3).zip(&mut to[1..]) {
        step_row(&from[0], &from[1], &from[2], to);
    }
}

/// Apart, so that LLVM vectorises along the row: inlined, it packs elements of two rows.
#[inline(never)]
fn step_row(above: &[f64], row: &[f64], below: &[f64], to: &mut [f64]) {
    let n = row.len();
    let (above, below, to) = (&above[..n], &below[..n], &mut to[..n]);
    for j in 1..n - 1 {
        to[j] = row[j] + R * (above[j] + below[j] + row[j - 1] + row[j + 1] - 4.0 * row[j]);
    }
}

/// The inner part of the transposed step is the step without the boundary, which only collects what it gives to its
/// neighbours: with zeros at the boundary, the sum of the inner cotangents beside it over all steps.
fn by_hand(u: &[f64], u_bar: &mut [f64], a: &mut [[f64; N]; N], b: &mut [[f64; N]; N]) -> f64 {
    for (row, u) in a.iter_mut().zip(u.as_chunks::<N>().0) {
        *row = *u;
    }
    // The boundary is that of both buffers.
    b[0] = a[0];
    b[N - 1] = a[N - 1];
    for i in 1..N - 1 {
        b[i][0] = a[i][0];
        b[i][N - 1] = a[i][N - 1];
    }
    for _ in 0..STEPS / 2 {
        step(a, b);
        step(b, a);
    }
    let mut total = 0.0;
    for row in a.iter_mut() {
        for u in row {
            total += *u * *u;
            *u *= 2.0;
        }
    }
    // Cotangents of the boundary apart from those inside.
    let mut sides = [[0.0; N]; 4];
    let mut boundary = *a;
    for inner in &mut boundary[1..N - 1] {
        inner[1..N - 1].fill(0.0);
    }
    a[0] = [0.0; N];
    a[N - 1] = [0.0; N];
    b[0] = [0.0; N];
    b[N - 1] = [0.0; N];
    for i in 1..N - 1 {
        (a[i][0], a[i][N - 1], b[i][0], b[i][N - 1]) = (0.0, 0.0, 0.0, 0.0);
    }
    let mut collect = |m: &[[f64; N]; N]| {
        for j in 0..N {
            sides[0][j] += m[1][j];
            sides[1][j] += m[N - 2][j];
            sides[2][j] += m[j][1];
            sides[3][j] += m[j][N - 2];
        }
    };
    for _ in 0..STEPS / 2 {
        collect(a);
        step(a, b);
        collect(b);
        step(b, a);
    }
    let [top, bottom, left, right] = sides;
    for j in 1..N - 1 {
        boundary[0][j] += R * top[j];
        boundary[N - 1][j] += R * bottom[j];
        boundary[j][0] += R * left[j];
        boundary[j][N - 1] += R * right[j];
    }
    let (u_bar, _) = u_bar.as_chunks_mut::<N>();
    u_bar[0] = boundary[0];
    u_bar[N - 1] = boundary[N - 1];
    for i in 1..N - 1 {
        u_bar[i] = a[i];
        u_bar[i][0] = boundary[i][0];
        u_bar[i][N - 1] = boundary[i][N - 1];
    }
    total
}

#[differentiable]
fn flat(start: &[f64], n: usize, steps: usize) -> f64 {
    let mut u = start.to_vec();
    let mut next = start.to_vec();
    for _ in 0..steps {
        for i in 1..n - 1 {
            for j in 1..n - 1 {
                let k = i * n + j;
                let around = u[k - n] + u[k + n] + u[k - 1] + u[k + 1];
                next[k] = u[k] + R * (around - 4.0 * u[k]);
            }
        }
        std::mem::swap(&mut u, &mut next);
    }
    let mut total = 0.0;
    for k in 0..n * n {
        total += u[k] * u[k];
    }
    total
}

#[differentiable]
fn flat_copied(start: &[f64], n: usize, steps: usize) -> f64 {
    let mut u = start.to_vec();
    for _ in 0..steps {
        let old = u.clone();
        for i in 1..n - 1 {
            for j in 1..n - 1 {
                u[i * n + j] += R
                    * (old[(i - 1) * n + j]
                        + old[(i + 1) * n + j]
                        + old[i * n + j - 1]
                        + old[i * n + j + 1]
                        - 4.0 * old[i * n + j]);
            }
        }
    }
    u.iter().map(|u| u * u).sum()
}

#[differentiable]
fn generic<T: Real>(start: &[T], n: usize, steps: usize) -> T {
    let r = T::from_f64(R);
    let four = T::from_f64(4.0);
    let mut u = start.to_vec();
    let mut next = start.to_vec();
    for _ in 0..steps {
        for i in 1..n - 1 {
            for j in 1..n - 1 {
                let k = i * n + j;
                let around = u[k - n] + u[k + n] + u[k - 1] + u[k + 1];
                next[k] = u[k] + r * (around - four * u[k]);
            }
        }
        std::mem::swap(&mut u, &mut next);
    }
    let mut total = T::from_f64(0.0);
    for k in 0..n * n {
        total += u[k] * u[k];
    }
    total
}

#[differentiable]
fn vec_of_vec(start: &[Vec<f64>], steps: usize) -> f64 {
    let n = start.len();
    let mut u = start.to_vec();
    for _ in 0..steps {
        let mut next = u.clone();
        for i in 1..n - 1 {
            for j in 1..n - 1 {
                let around = u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1];
                next[i][j] = u[i][j] + R * (around - 4.0 * u[i][j]);
            }
        }
        u = next;
    }
    let mut total = 0.0;
    for row in &u {
        for v in row {
            total += v * v;
        }
    }
    total
}

#[differentiable]
fn arrays(start: &[[f64; N]; N], steps: usize) -> f64 {
    let mut u = *start;
    for _ in 0..steps {
        let mut next = u;
        for i in 1..N - 1 {
            for j in 1..N - 1 {
                let around = u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1];
                next[i][j] = u[i][j] + R * (around - 4.0 * u[i][j]);
            }
        }
        u = next;
    }
    let mut total = 0.0;
    for i in 0..N {
        for j in 0..N {
            total += u[i][j] * u[i][j];
        }
    }
    total
}

#[derive(Clone, Debug, Differentiable)]
struct Grid {
    nx: usize,
    ny: usize,
    u: Vec<f64>,
}

gradient_of_structs! { GridTangent { u } }

#[differentiable]
impl Index<(usize, usize)> for Grid {
    type Output = f64;
    fn index(&self, (i, j): (usize, usize)) -> &f64 {
        &self.u[i * self.ny + j]
    }
}

#[differentiable]
impl IndexMut<(usize, usize)> for Grid {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut f64 {
        &mut self.u[i * self.ny + j]
    }
}

#[differentiable]
impl Grid {
    fn at(&self, i: usize, j: usize) -> f64 {
        self.u[i * self.ny + j]
    }

    fn set(&mut self, i: usize, j: usize, value: f64) {
        self.u[i * self.ny + j] = value;
    }
}

#[differentiable]
fn grid_index(start: &Grid, steps: usize) -> f64 {
    let mut u = start.clone();
    let mut next = start.clone();
    for _ in 0..steps {
        for i in 1..u.nx - 1 {
            for j in 1..u.ny - 1 {
                let around = u[(i - 1, j)] + u[(i + 1, j)] + u[(i, j - 1)] + u[(i, j + 1)];
                next[(i, j)] = u[(i, j)] + R * (around - 4.0 * u[(i, j)]);
            }
        }
        std::mem::swap(&mut u, &mut next);
    }
    let mut total = 0.0;
    for i in 0..u.nx {
        for j in 0..u.ny {
            total += u[(i, j)] * u[(i, j)];
        }
    }
    total
}

#[differentiable]
fn grid_at(start: &Grid, steps: usize) -> f64 {
    let mut u = start.clone();
    for _ in 0..steps {
        let mut next = u.clone();
        for i in 1..u.nx - 1 {
            for j in 1..u.ny - 1 {
                let around = u.at(i - 1, j) + u.at(i + 1, j) + u.at(i, j - 1) + u.at(i, j + 1);
                next.set(i, j, u.at(i, j) + R * (around - 4.0 * u.at(i, j)));
            }
        }
        u = next;
    }
    let mut total = 0.0;
    for i in 0..u.nx {
        for j in 0..u.ny {
            total += u.at(i, j) * u.at(i, j);
        }
    }
    total
}

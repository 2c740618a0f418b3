//! Heat on a grid, whose method gives the positions as an iterator.

use std::ops::{Index, IndexMut};

use chainrule::prelude::*;

use crate::check::{flat, table};

#[derive(Clone, Debug, Differentiable)]
struct Grid {
    nx: usize,
    ny: usize,
    data: Vec<f64>,
}
flat!(Grid { data: Vec<f64> });

#[differentiable]
impl Grid {
    fn interior(&self) -> impl Iterator<Item = (usize, usize)> {
        let (nx, ny) = (self.nx, self.ny);
        (1..nx - 1).flat_map(move |i| (1..ny - 1).map(move |j| (i, j)))
    }

    fn laplacian(&self, i: usize, j: usize) -> f64 {
        self[(i + 1, j)] + self[(i - 1, j)] + self[(i, j + 1)] + self[(i, j - 1)]
            - 4.0 * self[(i, j)]
    }
}

#[differentiable]
impl Index<(usize, usize)> for Grid {
    type Output = f64;

    fn index(&self, (i, j): (usize, usize)) -> &f64 {
        &self.data[i * self.ny + j]
    }
}

#[differentiable]
impl IndexMut<(usize, usize)> for Grid {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut f64 {
        &mut self.data[i * self.ny + j]
    }
}

#[differentiable]
fn step(u: &Grid, kappa: f64) -> Grid {
    let mut next = u.clone();
    for (i, j) in u.interior() {
        next[(i, j)] += kappa * u.laplacian(i, j);
    }
    next
}

#[differentiable]
fn misfit(
    initial: &Grid,
    kappa: f64,
    #[constant] seen: &[((usize, usize), f64)],
    steps: usize,
) -> f64 {
    let mut u = initial.clone();
    for _ in 0..steps {
        u = step(&u, kappa);
    }
    let mut total = 0.0;
    for (at, value) in seen {
        total += (u[*at] - value).powi(2);
    }
    total
}

fn grid() -> Grid {
    let (nx, ny) = (3, 4);
    let data = (0..nx * ny).map(|i| (0.9 * i as f64).cos()).collect();
    Grid { nx, ny, data }
}

table! {
    misfit: for n in 0..4, (&grid(), 0.3, const &[((1, 1), 0.3), ((1, 2), -0.2)], const n);
}

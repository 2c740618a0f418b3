use core::ops::{Index, IndexMut};

use chainrule::prelude::*;

#[derive(Clone, Differentiable)]
struct Grid {
    n: usize,
    data: Vec<f64>,
}

impl Index<(usize, usize)> for Grid {
    type Output = f64;

    fn index(&self, (i, j): (usize, usize)) -> &f64 {
        &self.data[i * self.n + j]
    }
}

#[differentiable]
fn first(grid: &Grid) -> f64 {
    grid[(0, 0)]
}

#[derive(Clone, Differentiable)]
struct Counted {
    data: Vec<f64>,
    writes: usize,
}

#[differentiable]
impl Index<usize> for Counted {
    type Output = f64;

    fn index(&self, i: usize) -> &f64 {
        &self.data[i]
    }
}

impl IndexMut<usize> for Counted {
    fn index_mut(&mut self, i: usize) -> &mut f64 {
        self.writes += 1;
        &mut self.data[i]
    }
}

#[differentiable]
fn written(counted: &mut Counted, x: f64) {
    counted[0] = x;
}

fn main() {}

//! Operators, indexing and methods, which callers in other modules inline.

use std::ops::{Add, AddAssign, Index, IndexMut, Mul, Neg};

use chainrule::prelude::*;

const EPS: f64 = 1e-3;

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
pub(crate) struct V {
    pub x: f64,
    pub y: f64,
}

#[differentiable]
impl Add for V {
    type Output = V;
    fn add(self, o: V) -> V {
        V {
            x: self.x + o.x,
            y: self.y + o.y,
        }
    }
}

#[differentiable]
impl Mul<f64> for V {
    type Output = V;
    fn mul(self, o: f64) -> V {
        V {
            x: self.x * o,
            y: self.y * o,
        }
    }
}

#[differentiable]
impl Mul<V> for f64 {
    type Output = V;
    fn mul(self, o: V) -> V {
        o * self
    }
}

#[differentiable]
impl Neg for V {
    type Output = V;
    fn neg(self) -> V {
        V {
            x: -self.x,
            y: -self.y,
        }
    }
}

#[differentiable]
impl AddAssign for V {
    fn add_assign(&mut self, o: V) {
        self.x += o.x;
        self.y += o.y;
    }
}

#[differentiable]
impl V {
    pub(crate) fn dot(self, o: V) -> f64 {
        self.x * o.x + self.y * o.y
    }

    /// `EPS` has no name elsewhere.
    pub(crate) fn norm(self) -> f64 {
        (self.dot(self) + EPS).sqrt()
    }

    pub(crate) fn unit(self) -> V {
        self * (1.0 / self.norm())
    }

    pub(crate) fn perp(&self) -> V {
        V {
            x: -self.y,
            y: self.x,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
pub(crate) struct Mat {
    pub rows: usize,
    pub cols: usize,
    pub data: Vec<f64>,
}

#[differentiable]
impl Index<(usize, usize)> for Mat {
    type Output = f64;
    fn index(&self, (i, j): (usize, usize)) -> &f64 {
        &self.data[i * self.cols + j]
    }
}

#[differentiable]
impl IndexMut<(usize, usize)> for Mat {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut f64 {
        &mut self.data[i * self.cols + j]
    }
}

#[differentiable]
impl Mat {
    pub(crate) fn new(rows: usize, cols: usize, data: Vec<f64>) -> Mat {
        Mat { rows, cols, data }
    }

    pub(crate) fn at(&self, i: usize, j: usize) -> f64 {
        self.data[i * self.cols + j]
    }

    pub(crate) fn row(&self, i: usize) -> &[f64] {
        &self.data[i * self.cols..(i + 1) * self.cols]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &f64> + '_ {
        self.data.iter()
    }

    pub(crate) fn set(&mut self, i: usize, j: usize, v: f64) {
        let k = i * self.cols + j;
        self.data[k] = v;
    }
}

/// A row whose first cell is a ghost cell, which its methods leave out.
#[derive(Clone, Debug, PartialEq, Differentiable)]
pub(crate) struct Ghosted {
    pub cells: [f64; 4],
}

#[differentiable]
impl Ghosted {
    pub(crate) fn iter(&self) -> impl Iterator<Item = &f64> {
        self.cells[1..].iter()
    }

    pub(crate) fn get(&self, i: usize) -> Option<&f64> {
        self.cells.get(i + 1)
    }

    pub(crate) fn as_slice(&self) -> &[f64] {
        &self.cells[1..]
    }
}

/// Its fields are private, so that callers in other modules can't inline its methods.
#[derive(Clone, Debug, PartialEq, Differentiable)]
pub(crate) struct Hidden {
    rows: usize,
    data: Vec<f64>,
}

#[differentiable]
impl Hidden {
    pub(crate) fn new(data: Vec<f64>) -> Hidden {
        Hidden {
            rows: data.len(),
            data,
        }
    }

    pub(crate) fn at(&self, i: usize) -> f64 {
        self.data[i]
    }

    pub(crate) fn n(&self) -> usize {
        self.rows
    }
}

#[differentiable]
impl Index<usize> for Hidden {
    type Output = f64;
    fn index(&self, i: usize) -> &f64 {
        &self.data[i]
    }
}

//! Types with methods that are called like those of lists, where the macro can't see the type: the rules would take the list's method.
#![allow(clippy::into_iter_without_iter)]

use std::ops::{Deref, DerefMut};

use chainrule::prelude::*;

/// The configuration may change the module, so that only rustc knows the types in it.
#[cfg(all())]
mod rows {
    use std::ops::{Index, IndexMut};

    use chainrule::prelude::*;

    /// A row whose first cell is a ghost cell, which iteration leaves out.
    #[derive(Clone, Debug, PartialEq, Differentiable)]
    #[tangent(Self)]
    pub struct Row {
        pub cells: [f64; 4],
    }

    #[differentiable]
    impl Index<usize> for Row {
        type Output = f64;
        fn index(&self, i: usize) -> &f64 {
            &self.cells[i]
        }
    }

    #[differentiable]
    impl IndexMut<usize> for Row {
        fn index_mut(&mut self, i: usize) -> &mut f64 {
            &mut self.cells[i]
        }
    }

    #[differentiable]
    impl Row {
        pub fn of(x: f64) -> Row {
            Row {
                cells: [x, x * x, x, x],
            }
        }
        pub fn len(&self) -> usize {
            self.cells.len()
        }
        pub fn iter(&self) -> impl Iterator<Item = &f64> {
            self.cells[1..].iter()
        }
        pub fn first(&self) -> Option<&f64> {
            self.cells.get(1)
        }
        pub fn get(&self, i: usize) -> Option<&f64> {
            self.cells.get(i + 1)
        }
    }

    #[derive(Clone, Debug, PartialEq, Differentiable)]
    #[tangent(Self)]
    pub struct Cells {
        pub all: Vec<f64>,
    }

    impl std::ops::Deref for Cells {
        type Target = Vec<f64>;
        fn deref(&self) -> &Vec<f64> {
            &self.all
        }
    }

    impl std::ops::DerefMut for Cells {
        fn deref_mut(&mut self) -> &mut Vec<f64> {
            &mut self.all
        }
    }

    #[differentiable]
    impl Cells {
        pub fn of(x: &[f64]) -> Cells {
            Cells { all: x.to_vec() }
        }
        pub fn as_slice(&self) -> &[f64] {
            &self.all[1..]
        }
        pub fn drain(&mut self, _: std::ops::RangeFull) -> Vec<f64> {
            vec![self.all[0] * 2.0]
        }
        pub fn split_at(&self, n: usize) -> (Vec<f64>, Vec<f64>) {
            (self.all[n + 1..].to_vec(), self.all[..n].to_vec())
        }
    }

    impl Cells {
        pub fn sort_by(&mut self, _: impl FnMut(&f64, &f64) -> std::cmp::Ordering) {
            self.all[0] = 0.0;
        }
    }

    #[derive(Clone, Differentiable)]
    pub struct Path {
        pub points: Vec<f64>,
        pub length: f64,
    }

    #[differentiable]
    impl Path {
        pub fn push(&mut self, x: f64) {
            self.length += x;
            self.points.push(x);
        }
    }

    impl Extend<f64> for Path {
        fn extend<I: IntoIterator<Item = f64>>(&mut self, xs: I) {
            self.points.extend(xs);
        }
    }
}

use rows::{Cells, Path, Row};

#[differentiable]
fn own_iter(row: &Row) -> f64 {
    let mut total = 0.0;
    for v in row.iter() {
        total += v * v;
    }
    total
}

#[differentiable]
fn own_first(x: f64) -> f64 {
    let row = Row::of(x);
    row.first().unwrap() * 2.0
}

#[differentiable]
fn own_get(x: f64) -> f64 {
    let row = Row::of(x);
    if let Some(v) = row.get(0) { v * v } else { 0.0 }
}

#[differentiable]
fn own_as_slice(x: &[f64]) -> f64 {
    let row = Cells::of(x);
    row.as_slice()[0] * x[0]
}

#[differentiable]
fn own_split_at(x: &[f64]) -> f64 {
    let row = Cells::of(x);
    let (a, b) = row.split_at(1);
    a[0] * b[0]
}

#[differentiable]
fn own_drain(x: &[f64]) -> f64 {
    let mut row = Cells::of(x);
    let mut total = 0.0;
    for v in row.drain(..) {
        total += v * v;
    }
    total + row.all[0]
}

#[differentiable]
fn own_sort(x: &[f64]) -> f64 {
    let mut row = Cells::of(x);
    row.sort_by(|a, b| a.total_cmp(b));
    row.all[0]
}

#[differentiable]
fn own_extend(x: &[f64]) -> f64 {
    let mut path = Path {
        points: vec![],
        length: 0.0,
    };
    path.extend(x.iter().map(|v| v * 2.0));
    path.length + path.points[0]
}

/// Nothing about it is differentiated.
struct Track(Vec<f64>);

impl Deref for Track {
    type Target = [f64];
    fn deref(&self) -> &[f64] {
        &self.0
    }
}

impl DerefMut for Track {
    fn deref_mut(&mut self) -> &mut [f64] {
        &mut self.0
    }
}

impl Track {
    fn windows(&self, n: usize) -> impl Iterator<Item = &[f64]> {
        self.0[1..].windows(n)
    }
}

impl<'a> IntoIterator for &'a Track {
    type Item = &'a f64;
    type IntoIter = std::iter::Rev<std::slice::Iter<'a, f64>>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.iter().rev()
    }
}

#[differentiable]
fn windows_of_a_constant(#[constant] track: &Track, k: f64) -> f64 {
    track.windows(2).map(|w| w[0] * w[1] * k).sum()
}

#[differentiable]
fn loop_over_a_constant(#[constant] track: &Track, x: f64) -> f64 {
    let mut total = 0.0;
    for v in track {
        total = total * x + v;
    }
    total
}

fn main() {}

//! Methods that return iterators, closures or lists of references: their bodies replace their calls.

use chainrule::prelude::*;

use crate::check::{check, flat};

#[derive(Clone, Debug, Differentiable)]
struct Table {
    entries: Vec<f64>,
    width: usize,
}

flat!(Table { entries: Vec<f64> });
flat!(TableTangent { entries: Vec<f64> });

#[differentiable]
impl Table {
    fn rows(&self) -> impl Iterator<Item = &[f64]> + '_ {
        self.entries.chunks(self.width)
    }

    fn column(&self, j: usize) -> impl Iterator<Item = f64> + '_ {
        (0..self.entries.len() / self.width).map(move |i| self.entries[i * self.width + j])
    }

    fn scaling(&self, k: f64) -> impl Fn(f64) -> f64 + '_ {
        move |x| x * k * self.entries[0]
    }

    fn all_rows(&self) -> Vec<&[f64]> {
        self.entries.chunks(self.width).collect()
    }

    /// The name of a method of std: a call is one of this only if the receiver is declared as a table.
    fn first(&self) -> Option<&f64> {
        self.entries.get(0)
    }

    fn row(&self, k: usize) -> Option<&[f64]> {
        if k * self.width < self.entries.len() {
            Some(&self.entries[k * self.width..(k + 1) * self.width])
        } else {
            None
        }
    }

    fn rows_mut(&mut self) -> impl Iterator<Item = &mut [f64]> {
        self.entries.chunks_mut(self.width)
    }

    fn total(&self) -> f64 {
        let mut sum = 0.0;
        for row in self.rows() {
            sum += row[0] * row[1];
        }
        sum
    }

    fn column_square(&self, j: usize) -> f64 {
        self.column(j).map(|v| v * v).sum()
    }
}

#[differentiable]
fn reads(table: &Table, x: f64) -> f64 {
    let scaled = table.scaling(x);
    let mut sum = scaled(x);
    for (k, row) in table.rows().enumerate() {
        sum += row[k] * x;
    }
    let rows: Vec<&[f64]> = table.rows().collect();
    sum += rows[1][0] * table.column(1).sum::<f64>();
    if let Some(v) = table.first() {
        sum += v * v;
    }
    if let Some(row) = table.row(1) {
        sum += row[0] * x;
    }
    let list = [x, 2.0];
    if let Some(v) = list.first() {
        let rows = table.all_rows();
        sum += v * rows[1][1];
    }
    sum + table.total() + table.column_square(1)
}

#[differentiable]
fn writes(x: f64) -> f64 {
    let mut table = Table {
        entries: vec![x, 1.0, x * x, 2.0],
        width: 2,
    };
    for row in table.rows_mut() {
        row[0] *= x;
    }
    table.total() + table.rows().map(|row| row[0]).sum::<f64>()
}

#[test]
fn bodies_replace_calls() {
    let table = Table {
        entries: vec![1.1, 2.2, 3.3, 4.4],
        width: 2,
    };
    check!(reads(&table, 0.7));
    check!(writes(1.3));
}

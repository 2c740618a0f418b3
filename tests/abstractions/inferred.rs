//! Sums and lists whose type only rustc knows, and closures that take references to references.

use chainrule::prelude::*;

use crate::check::table;

type Row = Vec<f64>;
type Rows = Vec<Row>;

#[derive(Clone, Debug, Differentiable)]
struct Matrix {
    rows: usize,
    cols: i32,
    data: Vec<f64>,
}

#[derive(Clone, Debug, Differentiable)]
struct Point {
    x: f64,
    on: bool,
}

#[derive(Clone, Debug, Differentiable)]
struct Cloud {
    points: Vec<Point>,
}

#[derive(Clone, Copy, Debug, Differentiable)]
struct Pair([f64; 2]);

#[differentiable]
#[inline(never)]
fn square(x: f64) -> f64 {
    x * x
}

#[differentiable]
#[inline(never)]
fn total(list: Vec<f64>) -> f64 {
    list.iter().sum()
}

#[differentiable]
impl Matrix {
    fn get(&self, i: usize, j: usize) -> f64 {
        self.data[i * self.rows + j]
    }

    fn set(&mut self, i: usize, v: f64) {
        self.data[i] = v;
    }

    /// A sum that is an argument.
    fn gram(&self) -> Matrix {
        let mut gram = self.clone();
        for i in 0..self.rows {
            let sum = (0..self.rows)
                .map(|k| self.get(k, i) * self.get(k, 0))
                .sum();
            gram.set(i, sum);
        }
        gram
    }

    fn product(&self) -> f64 {
        let product = self.data.iter().map(|v| v * v).product();
        square(product)
    }

    /// A sum that is an element.
    fn element(&self) -> Pair {
        let mut list = [0.0; 2];
        for i in 0..2 {
            list[i] = self
                .data
                .iter()
                .skip(i)
                .zip(&self.data)
                .map(|(a, b)| a * b)
                .sum();
        }
        Pair(list)
    }

    /// A list that becomes a field.
    fn minus(&self, other: &Matrix) -> Matrix {
        let data = self
            .data
            .iter()
            .zip(other.data.iter())
            .map(|(a, b)| a - b)
            .collect();
        Matrix {
            rows: self.rows,
            cols: self.cols,
            data,
        }
    }

    fn positive(&self) -> Matrix {
        Matrix {
            data: self
                .data
                .iter()
                .filter(|v| **v > 0.0)
                .map(|v| v * v)
                .collect(),
            rows: self.rows,
            cols: self.cols,
        }
    }

    fn cloud(&self) -> Cloud {
        Cloud {
            points: self
                .data
                .iter()
                .map(|v| Point {
                    x: v * v,
                    on: *v > 0.0,
                })
                .collect(),
        }
    }

    /// Ranges whose type is that of a field.
    fn ranges(&self) -> f64 {
        let a: Vec<f64> = (0..self.cols)
            .map(|k| self.data[k as usize] * k as f64)
            .collect();
        let b: Vec<f64> = (0..self.rows).rev().map(|k| self.data[k]).collect();
        let c: Rows = (0..self.rows)
            .map(|i| {
                (0..self.rows)
                    .map(|j| self.data[i] * self.data[j])
                    .collect()
            })
            .collect();
        a[2] * b[0] + c[0][1] * c[1][1]
    }
}

#[differentiable]
impl Cloud {
    fn filtered(&self) -> f64 {
        let on = self.points.iter().filter(|p| (**p).on && p.x > 0.1);
        on.map(|p| p.x * p.x).sum()
    }
}

#[differentiable]
#[inline(never)]
fn squares(row: &Row) -> Row {
    row.iter().map(|v| v * v).collect()
}

#[differentiable]
#[inline(never)]
fn outer(x: &[f64]) -> Rows {
    x.iter()
        .map(|v| x.iter().map(|w| w * v).collect())
        .collect()
}

#[differentiable]
fn sums(x: &[f64]) -> f64 {
    let m = Matrix {
        rows: 2,
        cols: 3,
        data: x.to_vec(),
    };
    m.gram().data[1] * m.product() + m.element().0[1] * m.element().0[0]
}

#[differentiable]
fn fields(x: &[f64]) -> f64 {
    let m = Matrix {
        rows: 2,
        cols: 3,
        data: x.to_vec(),
    };
    let positive = m.positive();
    let squares: f64 = m.cloud().points.iter().map(|p| p.x).sum();
    positive.data[0] * m.ranges() * m.minus(&m.gram()).data[1] + squares * m.cloud().filtered()
}

#[differentiable]
fn arguments(x: &[f64]) -> f64 {
    total(x.iter().map(|v| v * x[0]).collect())
}

#[differentiable]
fn aliases(x: &[f64]) -> f64 {
    let row: Row = x.to_vec();
    let rows = outer(&squares(&row));
    rows[0][1] * rows[2][3]
}

#[differentiable]
fn references(x: &[f64]) -> f64 {
    let m = Matrix {
        rows: 2,
        cols: 3,
        data: x.to_vec(),
    };
    let one = m
        .data
        .iter()
        .filter(|&v| *v > 0.0)
        .map(|v| v * v)
        .sum::<f64>();
    let two = m
        .data
        .iter()
        .filter(|&&v| v > 0.0)
        .map(|v| v.sin())
        .sum::<f64>();
    let all = m
        .data
        .iter()
        .enumerate()
        .filter(|(k, v)| k % 2 == 0 && **v > 0.0);
    one * two + all.map(|(_, v)| v * v).sum::<f64>() * m.data.iter().find(|v| **v > 0.5).unwrap()
}

const X: [f64; 4] = [0.8, -0.3, 1.2, 0.4];

table! {
    sums: (&X);
    fields: (&X);
    arguments: (&X);
    aliases: (&X);
    references: (&X);
}

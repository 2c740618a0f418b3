//! Loops over rows: four of their trips are differentiated at once, where inner loops are long enough.

use chainrule::prelude::*;

use crate::check::table;

const LIST: [f64; 130] = {
    let mut list = [0.0; 130];
    let mut i = 0;
    while i < 130 {
        list[i] = 0.17 * ((i * 37 % 23) as f64) - 1.6;
        i += 1;
    }
    list
};

#[differentiable]
fn layers(x: &[f64], rows: usize, n: usize) -> f64 {
    let mut total = 0.0;
    for i in 0..rows {
        let mut z = x[i + 1];
        for j in 0..n {
            z += 0.1 * x[i * n + j] * x[j];
        }
        let y = z.tanh();
        total += y * y;
    }
    total
}

#[differentiable]
fn backwards(x: &[f64], rows: usize, n: usize) -> f64 {
    let mut total = 0.0;
    let mut before = 0.3;
    for i in (1..rows).rev() {
        let row = &x[i * n..(i + 1) * n];
        let mut z = 0.0;
        for j in 1..n {
            z += row[j] * x[j - 1];
        }
        before = 0.5 * before + z.sin();
        total += before * x[i];
    }
    total + before
}

/// The trips write to elements of their own, and read them again.
#[differentiable]
fn stored(x: &[f64], rows: usize, n: usize) -> f64 {
    let mut y = x.to_vec();
    let mut most = -9.0;
    for i in 2..rows {
        let mut s = y[i];
        for j in 0..n {
            s += y[i] * x[i * n + j] * 0.2;
        }
        y[i] = s.sin();
        if s > most {
            most = s;
        }
        for j in 0..n {
            y[i] += 0.01 * x[j] * x[i + j];
        }
    }
    y.iter().sum::<f64>() + most
}

/// A trip reads a row that the trip before has written.
#[differentiable]
fn from_the_row_before(x: &[f64], rows: usize, n: usize) -> f64 {
    let mut y = x.to_vec();
    for i in 1..rows {
        let mut s = 0.0;
        for j in 0..n {
            s += y[(i - 1) * n + j] * x[j];
        }
        y[i * n] = s.cos();
    }
    y[(rows.max(1) - 1) * n]
}

/// A trip's sum starts with that of the trip before.
#[differentiable]
fn one_chain(x: &[f64], rows: usize, n: usize) -> f64 {
    let mut total = 0.0;
    for i in 0..rows {
        for j in 0..n {
            total += (x[i * n + j] - total) * x[j] * 0.1;
        }
    }
    total
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Rows {
    #[constant]
    x: Vec<f64>,
    #[constant]
    goals: Vec<f64>,
    length: usize,
}

/// Rows of a constant field, as long as they are.
#[differentiable]
fn of_a_field(w: &[f64], #[constant] data: &Rows) -> f64 {
    let mut total = 0.0;
    for i in 0..data.goals.len() {
        let row = &data.x[i * data.length..(i + 1) * data.length];
        let mut z = 0.0;
        for j in 0..row.len() {
            z += w[j] * row[j];
        }
        total += (z - data.goals[i]).powi(3);
    }
    total
}

fn of_length(length: usize) -> Rows {
    Rows {
        x: LIST[..7 * length].to_vec(),
        goals: LIST[3..10].to_vec(),
        length,
    }
}

table! {
    layers: (&LIST, const 0, const 9), (&LIST, const 3, const 9), (&LIST, const 4, const 8), (&LIST, const 7, const 9), (&LIST, const 9, const 3), (&LIST, const 12, const 10);
    backwards: (&LIST, const 0, const 9), (&LIST, const 1, const 9), (&LIST, const 5, const 8), (&LIST, const 6, const 9), (&LIST, const 9, const 3), (&LIST, const 12, const 10);
    stored: (&LIST, const 0, const 9), (&LIST, const 6, const 8), (&LIST, const 7, const 9), (&LIST, const 9, const 3), (&LIST, const 12, const 10);
    from_the_row_before: (&LIST, const 0, const 9), (&LIST, const 6, const 9), (&LIST, const 9, const 8);
    one_chain: (&LIST, const 3, const 9), (&LIST, const 6, const 9), (&LIST, const 9, const 3);
    of_a_field: for n in [1, 3, 8, 11], (&LIST[..n].to_vec(), const &of_length(n));
}

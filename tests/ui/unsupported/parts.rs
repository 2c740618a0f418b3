use chainrule::prelude::*;

#[derive(Clone, Differentiable)]
struct Matrix {
    data: Vec<f64>,
}

impl Matrix {
    fn all(&self) -> &[f64] {
        &self.data
    }
}

#[differentiable]
impl Matrix {
    fn row(&self, i: usize) -> &[f64] {
        &self.data[2 * i..2 * i + 2]
    }
}

#[differentiable]
fn without_its_type(m: &Matrix, x: f64) -> f64 {
    let row = m.row(1);
    row[0] * x
}

#[differentiable]
fn without_rules(m: &Matrix, x: f64) -> f64 {
    let all: &[f64] = m.all();
    all[0] * x
}

fn main() {}

use chainrule::prelude::*;

#[derive(Clone, Differentiable)]
struct Matrix {
    #[constant]
    labels: Vec<f64>,
    data: Vec<f64>,
}

#[differentiable]
impl Matrix {
    fn labels(&self) -> &[f64] {
        &self.labels
    }
}

#[differentiable]
impl Matrix {
    fn found(&self, x: f64) -> &f64 {
        let k = self.data.iter().position(|v| *v > x).unwrap_or(0);
        &self.data[k]
    }
}

#[differentiable]
impl Matrix {
    fn other<'a>(&'a self, other: &'a Matrix) -> &'a f64 {
        &other.data[0]
    }
}

#[differentiable]
trait Rows {
    fn row(&self, i: usize) -> &[f64];
}

fn main() {}

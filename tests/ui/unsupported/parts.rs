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

#[derive(Differentiable)]
struct Point {
    x: f64,
}

#[derive(Differentiable)]
struct Path {
    points: Vec<Point>,
}

#[differentiable]
impl Path {
    fn point(&self, i: usize) -> &Point {
        &self.points[i]
    }
}

#[differentiable]
fn without_its_type(path: &Path, x: f64) -> f64 {
    let point = path.point(1);
    point.x * x
}

#[differentiable]
fn without_rules(m: &Matrix, x: f64) -> f64 {
    let all: &[f64] = m.all();
    all[0] * x
}

fn main() {}

use chainrule::prelude::*;

fn pick(a: &mut f64) -> &mut f64 {
    a
}

#[differentiable]
fn through_a_call(x: f64) -> f64 {
    let mut a = 1.0;
    let r = pick(&mut a);
    *r = x;
    a * x
}

#[differentiable]
fn through_a_method(x: f64) -> f64 {
    let mut o = Some(1.0);
    let r = o.get_or_insert_default();
    *r = x;
    o.unwrap() * x
}

fn all(v: &mut Vec<f64>) -> &mut Vec<f64> {
    v
}

#[differentiable]
fn through_a_method_of_a_result(x: f64) -> f64 {
    let mut v = vec![1.0];
    let r = all(&mut v);
    r.push(x);
    v[1] * x
}

#[differentiable]
fn through_a_result(x: f64) -> f64 {
    let mut v = vec![1.0];
    all(&mut v).push(x);
    v[1] * x
}

#[differentiable]
fn through_a_part_of_a_tuple(x: f64) -> f64 {
    let mut pair = (x, 2.0);
    let (ref mut a, _) = pair;
    *a *= x;
    pair.0
}

#[derive(Clone, Differentiable)]
struct Grid(Vec<f64>);

impl Grid {
    fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.0[2 * i..2 * i + 2]
    }
}

#[differentiable]
fn through_the_items_of_a_result(x: &[f64]) -> f64 {
    let mut grid = Grid(vec![1.0; 4]);
    for e in grid.row_mut(0).iter_mut() {
        *e = x[0];
    }
    grid.row_mut(0).iter_mut().for_each(|e| *e *= x[1]);
    for chunk in grid.row_mut(1).chunks_mut(2) {
        chunk[1] = x[0];
    }
    grid.0[0] * grid.0[3]
}

#[differentiable]
fn through_an_end_of_a_result(x: &[f64]) -> f64 {
    let mut grid = Grid(vec![1.0; 4]);
    if let Some(e) = grid.row_mut(0).last_mut() {
        *e = x[0];
    }
    *grid.row_mut(0).first_mut().unwrap() = x[1];
    let (a, b) = grid.row_mut(1).split_at_mut(1);
    a[0] = x[0];
    b[0] = x[1];
    grid.0[0] * grid.0[1] * grid.0[2]
}

fn main() {}

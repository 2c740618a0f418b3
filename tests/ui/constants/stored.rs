//! An active value that is assigned to what is constant.

use chainrule::prelude::*;

#[derive(Differentiable, Clone)]
struct Cache {
    last: f64,
    all: Vec<f64>,
}

#[differentiable]
fn element(x: f64, #[constant] w: &mut [f64]) -> f64 {
    w[0] = x;
    w[0]
}

#[differentiable]
fn number(x: f64, #[constant] w: &mut f64) -> f64 {
    *w += x;
    *w * x
}

#[differentiable]
fn field(x: f64, #[constant] w: &mut Cache) -> f64 {
    w.last = x;
    w.last
}

#[differentiable]
fn whole(x: f64, #[constant] w: &mut Cache) -> f64 {
    *w = Cache { last: x, all: vec![x] };
    w.last
}

#[differentiable]
fn component(x: f64, #[constant] w: &mut (f64, f64)) -> f64 {
    w.1 = x;
    w.1
}

#[differentiable]
fn payload(x: f64, #[constant] w: &mut Option<f64>) -> f64 {
    if let Some(v) = w {
        *v = x;
    }
    w.unwrap_or(0.0)
}

#[differentiable]
fn own(x: f64, #[constant] mut w: Vec<f64>) -> f64 {
    w[0] *= x;
    w[0]
}

#[differentiable]
fn reference(x: f64, #[constant] w: &mut [f64]) -> f64 {
    let first = &mut w[0];
    *first = x;
    w[0]
}

#[differentiable]
fn chosen(x: f64, #[constant] w: &mut [f64], #[constant] c: bool) -> f64 {
    let mut own = [0.0; 3];
    let to = if c { &mut *w } else { &mut own[..] };
    to[0] = x;
    to[0]
}

#[differentiable]
fn half(x: f64, #[constant] w: &mut [f64]) -> f64 {
    let (a, b) = w.split_at_mut(1);
    a[0] = x;
    b[0]
}

#[differentiable]
fn each(x: &[f64], #[constant] w: &mut [f64]) -> f64 {
    for (a, b) in w.iter_mut().zip(x) {
        *a = *b;
    }
    w[0]
}

#[differentiable]
fn closure(x: f64, #[constant] w: &mut [f64]) -> f64 {
    let mut put = |y: f64| w[0] = y;
    put(x);
    w[0]
}

#[differentiable]
fn swapped(x: f64, #[constant] w: &mut [f64]) -> f64 {
    let mut y = x;
    std::mem::swap(&mut w[0], &mut y);
    w[0] + y
}

#[differentiable]
fn replaced(x: f64, #[constant] w: &mut [f64]) -> f64 {
    std::mem::replace(&mut w[0], x)
}

#[differentiable]
fn filled(x: f64, #[constant] w: &mut [f64]) -> f64 {
    w.fill(x);
    w[0]
}

#[differentiable]
fn copied(x: &[f64], #[constant] w: &mut [f64]) -> f64 {
    w.copy_from_slice(x);
    w[0]
}

fn main() {}

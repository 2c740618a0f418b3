//! An active value that a constant list grows by.

use chainrule::prelude::*;
use std::collections::VecDeque;

#[differentiable]
fn pushed(x: f64, #[constant] w: &mut Vec<f64>) -> f64 {
    w.push(x);
    w[w.len() - 1]
}

#[differentiable]
fn own(x: f64, #[constant] mut w: Vec<f64>) -> f64 {
    w.push(x);
    w[w.len() - 1]
}

#[differentiable]
fn inserted(x: f64, #[constant] w: &mut Vec<f64>) -> f64 {
    w.insert(0, x * x);
    w[0]
}

#[differentiable]
fn resized(x: f64, #[constant] w: &mut Vec<f64>) -> f64 {
    w.resize(3, x);
    w[2]
}

#[differentiable]
fn extended(x: &[f64], #[constant] w: &mut Vec<f64>) -> f64 {
    w.extend_from_slice(x);
    w.extend(x);
    w.extend(x.iter().map(|v| v * 2.0));
    w[0]
}

#[differentiable]
fn appended(mut x: Vec<f64>, #[constant] w: &mut Vec<f64>) -> f64 {
    w.append(&mut x);
    w[0]
}

#[differentiable]
fn at_the_front(x: f64, #[constant] w: &mut VecDeque<f64>) -> f64 {
    w.push_front(x);
    w[0]
}

#[differentiable]
fn nested(x: f64, #[constant] w: &mut Vec<Vec<f64>>) -> f64 {
    w[0].push(x);
    w[0][0]
}

#[differentiable]
fn by_reference(x: f64, #[constant] w: &mut Vec<f64>) -> f64 {
    let list = &mut *w;
    list.push(x);
    list[0]
}

#[differentiable]
fn each(x: f64, #[constant] w: &mut [Vec<f64>]) -> f64 {
    for row in w.iter_mut() {
        row.push(x);
    }
    w[0][0]
}

#[differentiable]
fn option(x: f64, #[constant] w: &mut Option<f64>) -> f64 {
    w.insert(x);
    w.replace(x);
    w.unwrap_or(0.0)
}

fn main() {}

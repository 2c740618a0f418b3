//! A struct that `*` brings.

mod data {
    pub struct Data {
        pub x: Vec<f64>,
        pub y: Vec<f64>,
    }
}

use chainrule::prelude::*;
use data::*;

#[differentiable]
fn loss(w: &[f64], data: &Data) -> f64 {
    let mut sum = 0.0;
    for i in 0..data.x.len() {
        let r = w[0] + w[1] * data.x[i] - data.y[i];
        sum += r * r;
    }
    sum
}

fn main() {
    let data = Data {
        x: vec![1.0],
        y: vec![2.0],
    };
    println!("{:?}", loss::gradient(&[1.0, 2.0], &data));
}

use chainrule::prelude::*;
use std::cell::Cell;

macro_rules! set {
    ($name:ident, $value:expr) => {
        let $name = $value;
    };
}

macro_rules! constant {
    ($name:ident) => {
        const $name: f64 = 3.0;
    };
}

#[differentiable]
fn variables(x: f64) -> f64 {
    let y = x;
    set!(y, 6.0 * y);
    y * x
}

#[differentiable]
fn constants(x: f64) -> f64 {
    constant!(K);
    K * x
}

#[differentiable]
fn variables_of_threads(x: f64) -> f64 {
    thread_local! {
        static K: Cell<f64> = const { Cell::new(2.0) };
    }
    K.get() * x
}

fn main() {
    variables::derivative(1.0);
    constants::derivative(1.0);
    variables_of_threads::derivative(1.0);
}

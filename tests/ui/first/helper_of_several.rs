use chainrule::prelude::*;

fn axpy(y: &[f64; 2], k: &[f64; 2], h: f64) -> [f64; 2] {
    [y[0] + h * k[0], y[1] + h * k[1]]
}

#[differentiable]
fn step<F: Fn(&[f64; 2]) -> [f64; 2]>(f: F, y: [f64; 2], h: f64) -> [f64; 2] {
    let a = f(&y);
    let b = f(&axpy(&y, &a, h / 2.0));
    let c = f(&axpy(&y, &b, h / 2.0));
    axpy(&y, &c, h)
}

#[differentiable]
fn end(rate: f64) -> f64 {
    let mut y = [1.0, 0.0];
    for _ in 0..3 {
        y = step(|y: &[f64; 2]| [y[1], -rate * y[0]], y, 0.1);
    }
    y[0]
}

fn main() {
    end::derivative(1.0);
}

use chainrule::prelude::*;

#[differentiable]
fn f(x: &[f64], y: f64) -> f64 {
    let double = |v: f64| v * y;
    let total: f64 = x.iter().map(|v| v * v).sum();
    let n = y as usize;
    let z = total.gamma();
    double(z) + n as f64
}

fn main() {
    let (_value, _gradient) = f::value_and_gradient(&[1.0], 2.0);
    let _y = f::frule(Dual(&[1.0], &[1.0]), Dual(2.0, 1.0));
    let _h = f::hvp(&[1.0], 2.0, &[1.0], 1.0);
}

use chainrule::prelude::*;

#[differentiable]
fn f(x: &[f64]) -> f64 {
    let mut v = x.to_vec();
    let taken: f64 = v.splice(..1, [1.0]).sum();
    let low: Vec<f64> = v.extract_if(.., |a| *a < 0.0).collect();
    taken * low[0] * v.into_boxed_slice()[0]
}

#[differentiable]
fn g(x: &mut [f64]) -> f64 {
    x.select_nth_unstable_by(1, |a, b| a.total_cmp(b));
    x[0]
}

fn main() {
    f::gradient(&[1.0]);
    g::gradient(&mut [1.0]);
}

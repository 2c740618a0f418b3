use chainrule::prelude::*;

#[differentiable]
fn f(x: &[f64]) -> f64 {
    let mut v = x.to_vec();
    v.retain_mut(|a| *a > 0.0);
    v.dedup_by(|a, b| a == b);
    v.dedup();
    v.splice(..1, [1.0]);
    v.into_boxed_slice()[0]
}

#[differentiable]
fn g(x: &mut [f64]) -> f64 {
    x.select_nth_unstable_by(1, |a, b| a.total_cmp(b));
    x.fill_with(Default::default);
    x[0]
}

fn main() {
    f::gradient(&[1.0]);
    g::gradient(&mut [1.0]);
}

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
    let r = o.insert(2.0);
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

fn main() {}

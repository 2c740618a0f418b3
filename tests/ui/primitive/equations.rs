use chainrule::prelude::*;

fn plain(x: &[f64], p: f64) -> Vec<f64> {
    x.iter().map(|x| x * x - p).collect()
}

#[primitive(result = x, root = plain(&x, p))]
fn without_rules(p: f64) -> Vec<f64> {
    vec![p.sqrt()]
}

#[differentiable]
fn residual(x: f64, p: f64) -> f64 {
    x * x - p
}

#[primitive(result = x, root = residual)]
fn not_called(p: f64) -> f64 {
    p.sqrt()
}

#[primitive(result = x, root = residual(p, p))]
fn without_result(p: f64) -> f64 {
    p.sqrt()
}

#[primitive(root = x * x - p)]
fn no_name(p: f64) -> f64 {
    p.sqrt()
}

#[primitive(result = p, root = p * p - 2.0)]
fn taken_name(p: f64) -> f64 {
    p.sqrt()
}

#[primitive(result = x, root = x * x - p, partials(p = 0.5 / x))]
fn two_kinds(p: f64) -> f64 {
    p.sqrt()
}

#[primitive(result = x, root(x * x - p))]
fn another_form(p: f64) -> f64 {
    p.sqrt()
}

#[primitive(result = x, root = x * x - p[0])]
fn mutable(p: &mut [f64]) -> f64 {
    p[0].sqrt()
}

#[primitive(result = x, root = x * x - p)]
fn not_always(p: f64) -> Option<f64> {
    (p > 0.0).then(|| p.sqrt())
}

#[primitive(result = x, fixed_point = x + p)]
fn integer(#[constant] p: u32) -> u32 {
    p
}

#[primitive(result = x, argmin = x * p)]
fn nothing(p: f64) {
    let _ = p;
}

#[primitive(result = x, root = unsafe { x * x - p })]
fn unsupported(p: f64) -> f64 {
    p.sqrt()
}

#[primitive(partials(p = 0.5), solver = chainrule::implicit::gmres)]
fn solver_without_equation(p: f64) -> f64 {
    0.5 * p
}

#[primitive(result = x, root = x * x - p, solver = residual)]
fn another_solver(p: f64) -> f64 {
    p.sqrt()
}

fn main() {
    no_name::gradient(1.0);
    taken_name::gradient(1.0);
    two_kinds::gradient(1.0);
    unsupported::gradient(1.0);
    without_rules::jacobian(1.0);
    not_called::gradient(1.0);
    without_result::gradient(1.0);
}

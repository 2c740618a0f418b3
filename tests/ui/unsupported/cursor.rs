use chainrule::prelude::*;

#[derive(Clone, Differentiable)]
struct List {
    value: f64,
    next: Option<Box<List>>,
}

#[differentiable]
fn total(list: &List) -> f64 {
    let mut at = list;
    let mut total = at.value;
    while let Some(next) = &at.next {
        total += next.value;
        at = next;
    }
    total
}

#[differentiable]
#[inline(never)]
fn apply(f: impl Fn(f64) -> f64, x: &[f64]) -> f64 {
    f(x[0])
}

#[differentiable]
fn beside_a_closure(x: &[f64], y: &[f64], first: bool) -> f64 {
    let row = if first { x } else { y };
    apply(|t| t * x[0], row)
}

fn main() {
    total::gradient(&List {
        value: 1.0,
        next: None,
    });
    beside_a_closure::gradient(&[1.0], &[2.0], true);
}

use chainrule::prelude::*;

#[derive(Clone, Differentiable)]
struct Powers {
    now: f64,
    base: f64,
}

impl Iterator for Powers {
    type Item = f64;

    fn next(&mut self) -> Option<f64> {
        let now = self.now;
        self.now *= self.base;
        Some(now)
    }
}

#[differentiable]
fn own_iterator(x: &[f64]) -> f64 {
    let mut total = 0.0;
    for power in (Powers { now: 1.0, base: x[0] }).take(3) {
        total += power;
    }
    total
}

fn skip_one(values: &mut std::slice::Iter<'_, f64>) {
    values.next();
}

#[differentiable]
fn handed_on(x: &[f64]) -> f64 {
    let mut values = x.iter();
    skip_one(&mut values);
    values.next().copied().unwrap_or(0.0)
}

#[differentiable]
fn made_anew(x: &[f64]) -> f64 {
    let mut values = x.iter();
    let first = values.next().copied().unwrap_or(1.0);
    values = x.iter();
    first * values.next().copied().unwrap_or(1.0)
}

#[differentiable]
fn adapter_with_state(x: &[f64]) -> f64 {
    let mut sums = x.iter().scan(0.0, |sum, v| {
        *sum += v;
        Some(*sum)
    });
    let first = sums.next().unwrap();
    first * sums.next().unwrap()
}

#[differentiable]
fn closure_with_state(x: &[f64]) -> f64 {
    let mut calls = 0;
    let mut values = x.iter().map(|v| {
        calls += 1;
        v * calls as f64
    });
    values.next().unwrap() * values.next().unwrap()
}

#[differentiable]
fn peeked_filter(x: &[f64]) -> f64 {
    let mut total = 0.0;
    let mut values = x.iter().filter(|v| **v > 0.0).peekable();
    while let Some(v) = values.next() {
        total += v * values.peek().map_or(1.0, |w| **w);
    }
    total
}

#[differentiable]
fn zipped_by_reference(x: &[f64], y: &[f64]) -> f64 {
    let mut values = y.iter();
    let mut total = 0.0;
    for (a, b) in x.iter().filter(|v| **v > 0.0).zip(values.by_ref()) {
        total += a * b;
    }
    total + values.sum::<f64>()
}

#[differentiable]
fn item_as_a_value(x: &[f64]) -> f64 {
    let mut values = x.iter();
    let first = values.next();
    println!("{first:?}");
    first.copied().unwrap_or(0.0)
}

#[differentiable]
fn inside_a_function_argument(x: &[f64]) -> f64 {
    let mut values = x.iter();
    twice(|a| a * values.next().unwrap())
}

#[differentiable]
fn twice(mut f: impl FnMut(f64) -> f64) -> f64 {
    f(1.0) * f(2.0)
}

fn main() {}

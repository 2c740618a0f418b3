use chainrule::prelude::*;

struct Data {
    list: Vec<f64>,
}

impl Data {
    fn values(&self) -> impl Iterator<Item = f64> + '_ {
        self.list.iter().copied()
    }
}

#[differentiable]
fn mapped(x: f64, #[constant] data: &Data) -> f64 {
    data.values().map(|v| v * x).sum()
}

#[differentiable]
fn filtered(x: f64, #[constant] data: &Data) -> f64 {
    data.values().filter(|v| *v > x).map(|v| v * x).sum()
}

#[differentiable]
fn looped(x: f64, #[constant] data: &Data) -> f64 {
    let mut sum = 0.0;
    for v in data.list.iter() {
        sum += v * x;
    }
    sum
}

fn main() {
    let data = Data { list: vec![1.0] };
    looped::gradient(1.0, &data);
}

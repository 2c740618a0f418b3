use chainrule::prelude::*;
use std::collections::{BTreeMap, HashMap};

#[differentiable]
fn inserted(x: &[f64]) -> f64 {
    let mut map = HashMap::new();
    map.insert("a", x[0]);
    for v in map.values() {
        println!("{v}");
    }
    map["a"] * x[1]
}

#[differentiable]
fn counted(x: &[f64]) -> f64 {
    let mut map: BTreeMap<usize, f64> = BTreeMap::new();
    for i in 0..x.len() {
        *map.entry(i % 2).or_insert(0.0) += x[i];
    }
    map[&0]
}

#[differentiable]
fn collected(x: &[f64]) -> f64 {
    let map: HashMap<usize, f64> = x.iter().map(|v| v * v).enumerate().collect();
    map[&0]
}

#[differentiable]
fn made(x: &[f64]) -> f64 {
    let map = HashMap::from([("a", x[0])]);
    map["a"]
}

#[differentiable]
fn parameter(map: &BTreeMap<usize, f64>) -> f64 {
    map[&0]
}

#[derive(Differentiable)]
struct Field {
    map: HashMap<String, f64>,
    a: f64,
}

#[differentiable]
impl Field {
    fn total(&self) -> f64 {
        self.a
    }
}

#[derive(Differentiable)]
struct Index {
    #[constant]
    positions: HashMap<String, usize>,
    w: Vec<f64>,
}

#[differentiable]
impl Index {
    fn total(&self) -> f64 {
        let mut total = 0.0;
        for i in self.positions.values() {
            total += self.w[*i];
        }
        total
    }
}

#[differentiable]
fn taken_from_what_is_lent(x: &[f64], map: &HashMap<String, usize>) -> f64 {
    let mut found = map.get("a");
    let i = found.take().copied().unwrap_or(0);
    x[i]
}

#[differentiable(dyn)]
trait Curve {
    fn value(&self, x: f64) -> f64;
}

#[differentiable]
fn boxes(x: f64, #[constant] curves: &HashMap<String, Box<dyn Curve>>, names: &[String]) -> f64 {
    let mut total = curves["a"].value(x);
    for name in names {
        total += curves[name].value(x);
    }
    for curve in curves.values() {
        total += curve.value(x);
    }
    if let Some(curve) = curves.get("b") {
        total += curve.value(x);
    }
    total
}

#[differentiable]
fn named(x: f64) -> HashMap<String, f64> {
    HashMap::from([("x".to_owned(), x)])
}

fn main() {
    inserted::gradient(&[1.0]);
}

//! Maps and sets of constants, with differentiated values around them, and maps of positions.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use chainrule::prelude::*;

use crate::check::{flat, table};

const X: [f64; 3] = [1.3, 0.5, 0.8];

#[derive(Clone, Debug, Differentiable)]
struct Normal {
    mean: f64,
    deviation: f64,
}
flat!(Normal {
    mean: f64,
    deviation: f64
});

#[differentiable]
impl Normal {
    fn log_density(&self, x: f64) -> f64 {
        let z = (x - self.mean) / self.deviation;
        -0.5 * z * z - self.deviation.ln()
    }
}

fn normals() -> HashMap<String, Normal> {
    let one = |mean, deviation| Normal { mean, deviation };
    HashMap::from([
        ("a".to_string(), one(0.1, 2.0)),
        ("b".to_string(), one(0.4, 0.7)),
    ])
}

fn weights() -> BTreeMap<usize, f64> {
    BTreeMap::from([(0, 0.4), (2, 1.4)])
}

#[differentiable]
fn of_structs(x: &[f64], #[constant] normals: &HashMap<String, Normal>, n: usize) -> f64 {
    let mut total = 0.0;
    for i in 0..n {
        if let Some(normal) = normals.get("a") {
            total += normal.log_density(x[i].sin());
        }
        if let Some(normal) = normals.get("none") {
            total += normal.mean;
        }
        total += normals["b"].log_density(x[i]) * normals["a"].mean;
        total += normals.get("b").unwrap().log_density(x[i] * x[i]);
        let normal = &normals["b"];
        total += normal.mean * x[i];
    }
    total
}

struct Model {
    normals: HashMap<String, Normal>,
    names: Vec<String>,
}

#[differentiable]
fn of_a_constant_struct(x: &[f64], #[constant] model: &Model) -> f64 {
    let normals: &HashMap<String, Normal> = &model.normals;
    let mut total = 0.0;
    for (i, name) in model.names.iter().enumerate() {
        if let Some(normal) = normals.get(name) {
            total += normal.log_density(x[i].sin());
        }
        total *= normals[name].deviation + x[i];
    }
    total
}

#[differentiable]
fn of_numbers(x: &[f64], #[constant] weights: &BTreeMap<usize, f64>) -> f64 {
    let mut total = 0.0;
    for i in 0..x.len() {
        if let Some(w) = weights.get(&i) {
            total += w * x[i] * x[i];
        }
        if let Some(&w) = weights.get(&i) {
            total *= w + x[0];
        }
    }
    total + weights.get(&2).copied().unwrap_or(0.5) * x[0] + weights.len() as f64 * x[1]
}

#[differentiable]
fn entries(x: &[f64], #[constant] weights: &BTreeMap<usize, f64>) -> f64 {
    let mut total = 1.0;
    for (k, w) in weights {
        total += w * x[*k] * x[*k];
    }
    for (i, (k, w)) in weights.iter().enumerate() {
        total *= w + x[*k] * i as f64;
    }
    for (&k, &w) in weights.iter().rev() {
        total += w * x[k] * total.sin();
    }
    for w in weights.values() {
        total += w * x[0];
    }
    for k in weights.keys() {
        total *= x[*k];
    }
    total
}

#[differentiable]
fn chains(x: &[f64], #[constant] weights: &BTreeMap<usize, f64>) -> f64 {
    let sum: f64 = weights.iter().map(|(k, w)| w * x[*k] * x[*k]).sum();
    let values = weights.values().map(|w| w * x[0]).sum::<f64>();
    sum * weights.values().sum::<f64>() + values
}

#[differentiable]
fn sets(
    x: &[f64],
    #[constant] chosen: &BTreeSet<usize>,
    #[constant] names: &HashSet<String>,
) -> f64 {
    let mut total = 0.0;
    for i in 0..x.len() {
        if chosen.contains(&i) {
            total += x[i] * x[i];
        }
    }
    for i in chosen {
        total *= x[*i];
    }
    if names.contains("a") {
        total *= x[0];
    }
    total
}

/// What is kept in these maps are positions and constants.
#[differentiable]
fn locals(x: &[f64]) -> f64 {
    let mut positions = HashMap::new();
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    let factors: HashMap<&str, f64> = HashMap::from([("a", 2.0), ("b", 3.0)]);
    for i in 0..x.len() {
        positions.insert(i * 7, i);
        *counts.entry(i % 2).or_insert(0) += 1;
    }
    let mut total = factors["a"] * x[0] * x[1];
    for i in 0..x.len() {
        total += x[positions[&(i * 7)]] * x[0] * counts[&(i % 2)] as f64;
        if let Some(&k) = positions.get(&14) {
            total *= x[k];
        }
        let first = *positions.get(&0).unwrap();
        total += x[first];
    }
    for (k, n) in &counts {
        total += x[*k] * *n as f64;
    }
    total
}

#[differentiable]
fn counted(words: &[&str], x: &[f64]) -> f64 {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for word in words {
        counts.entry(word).and_modify(|n| *n += 1).or_insert(1);
    }
    let mut s = 0.0;
    for (word, v) in words.iter().zip(x) {
        s += v * v * counts[word] as f64;
    }
    s
}

#[differentiable]
fn counted_again(#[constant] counts: &mut BTreeMap<usize, usize>, x: &[f64]) -> f64 {
    for i in 0..x.len() {
        *counts.entry(i % 2).and_modify(|n| *n += i).or_insert(1) += 1;
    }
    let mut s = 0.0;
    for (i, n) in counts.iter() {
        s += x[*i] * x[*i] * *n as f64;
    }
    s
}

table! {
    counted: (const &["a", "b", "a"], &X), (const &[], &X);
    counted_again: (const &mut BTreeMap::new(), &X), (const &mut BTreeMap::from([(1, 5)]), &X);
    of_structs: for n in 0..4, (&X, const &normals(), const n);
    of_a_constant_struct: (&X, const &Model { normals: normals(), names: vec!["b".into(), "a".into()] });
    of_numbers: (&X, const &weights()), (&X, const &BTreeMap::new());
    entries: (&X, const &weights()), (&X, const &BTreeMap::new());
    chains: (&X, const &weights());
    sets: (&X, const &BTreeSet::from([0, 2]), const &HashSet::from(["a".to_string()]));
    locals: (&X);
}

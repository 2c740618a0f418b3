//! Static variables, and constants that are lists: they are read where they stand, and have the types that the file gives them.

use chainrule::prelude::*;

use crate::check::check;

/// Not `Copy`.
struct Reaction {
    from: usize,
    to: [usize; 1],
    rate: f64,
}

static NETWORK: [Reaction; 3] = [
    Reaction {
        from: 0,
        to: [1],
        rate: 0.5,
    },
    Reaction {
        from: 1,
        to: [2],
        rate: 0.25,
    },
    Reaction {
        from: 2,
        to: [0],
        rate: 0.125,
    },
];
static NAMES: [String; 2] = [String::new(), String::new()];
static WEIGHTS: [f64; 3] = [0.5, -1.5, 2.0];
static SCALE: f64 = 1.5;
static TEXT: &str = "four";

type Nodes = [f64; 3];
const NODES: Nodes = [-0.7, 0.1, 0.7];
const TABLE: [[f64; 2]; 2] = [[0.5, 1.5], [2.5, -0.5]];

#[differentiable]
fn by_reference(x: &[f64]) -> f64 {
    let mut sum = 0.0;
    for r in &NETWORK {
        sum += r.rate * x[r.from] * x[r.to[0]];
    }
    for r in NETWORK.iter() {
        sum += r.rate * x[r.from] * x[r.from];
    }
    sum
}

#[differentiable]
fn in_chains(x: &[f64]) -> f64 {
    let named = NETWORK
        .iter()
        .enumerate()
        .map(|(k, r)| r.rate * x[k])
        .sum::<f64>();
    let first = &NETWORK[0];
    named * first.rate * x[NETWORK[1].from] + NAMES.len() as f64 + TEXT.len() as f64 * x[2]
}

#[inline(never)]
fn rate(network: &[Reaction], k: usize) -> f64 {
    network[k].rate
}

#[differentiable]
fn handed_over(x: f64) -> f64 {
    x * rate(&NETWORK, 1) + SCALE * x * x * WEIGHTS.iter().sum::<f64>()
}

#[differentiable]
fn copied(x: f64) -> f64 {
    let mut own = WEIGHTS;
    own[1] = x;
    let scale = &SCALE;
    own.iter().map(|w| w * w * x).sum::<f64>() * *scale
}

#[differentiable]
fn mapped(x: f64) -> f64 {
    let scaled = NODES.map(|n| n * x * x);
    let exps = WEIGHTS.map(|w| (w * x).exp());
    scaled[0] * exps[1] + scaled[2] * TABLE.map(|[a, b]| a * x + b)[1]
}

#[test]
fn are_not_moved() {
    check!(by_reference(&[0.7, 1.3, 0.4]));
    check!(in_chains(&[0.7, 1.3, 0.4]));
    check!(handed_over(1.3));
}

#[test]
fn have_types() {
    check!(copied(1.3));
    check!(mapped(0.6));
}

//! Loops over iterators of which nothing is known but that nothing differentiated is in them.

use std::collections::{BTreeMap, BTreeSet};

use chainrule::prelude::*;

use crate::check::table;

const X: [f64; 3] = [1.3, 0.5, 0.8];

#[differentiable]
fn chars(x: &[f64], text: &str) -> f64 {
    let mut total = x[1];
    for c in text.chars() {
        total += match c {
            'a' => x[0].sin(),
            'b' => x[1] * total,
            _ => continue,
        };
    }
    total
}

#[differentiable]
fn words(x: &[f64], text: &str) -> f64 {
    let mut total = 1.0;
    for (i, word) in text.split(' ').enumerate() {
        if word == "stop" {
            break;
        }
        if word == "double" {
            total *= 2.0;
            continue;
        }
        total *= x[i % 2] + word.len() as f64;
    }
    total
}

#[differentiable]
fn beside_a_list(x: &[f64], text: &str) -> f64 {
    let mut total = 1.0;
    for (v, c) in x.iter().zip(text.chars()) {
        if c == 'a' {
            total *= v;
        } else {
            total += v * v;
        }
    }
    let rest = x.iter().zip(text.chars());
    total
        + rest
            .map(|(v, c)| if c == 'b' { v.sin() } else { v * total })
            .sum::<f64>()
}

#[differentiable]
fn calculator(x: &[f64], text: &str) -> f64 {
    let mut stack: Vec<f64> = vec![];
    for word in text.split_whitespace() {
        match word {
            "+" | "*" => {
                let b = stack.pop().unwrap();
                let a = stack.pop().unwrap();
                stack.push(if word == "+" { a + b } else { a * b });
            }
            position => {
                let i: usize = position.parse().unwrap();
                stack.push(x[i]);
            }
        }
    }
    stack[0]
}

struct Fibonacci(usize, usize);

impl Iterator for Fibonacci {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let now = self.0;
        (self.0, self.1) = (self.1, self.0 + self.1);
        Some(now)
    }
}

/// The iterator has no end.
#[differentiable]
fn own_iterator(x: &[f64], most: usize) -> f64 {
    let mut total = x[0];
    for n in Fibonacci(1, 1) {
        if n > most {
            break;
        }
        for m in Fibonacci(1, n).take(2) {
            total += x[0] * x[1].powi(m as i32) * total.sin();
        }
    }
    total
}

struct Graph {
    n: usize,
}

impl Graph {
    fn pairs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        (0..self.n).flat_map(|i| (0..i).map(move |j| (i, j)))
    }
}

#[differentiable]
fn pairs(x: &[f64], #[constant] graph: &Graph) -> f64 {
    let mut total = 0.0;
    for (i, j) in graph.pairs() {
        total += (x[i] - x[j]).powi(2) * x[0];
    }
    total
}

#[differentiable]
fn exits(x: &[f64], #[constant] graph: &Graph) -> f64 {
    let mut total = x[0];
    'outer: for (i, j) in graph.pairs() {
        for (k, l) in graph.pairs() {
            if k > i + 1 {
                return x[l] * total;
            }
            if l == j {
                continue 'outer;
            }
            total *= x[l] + x[k];
        }
        total += x[i];
    }
    total * x[1]
}

#[differentiable]
fn references(x: &[f64], a: &BTreeSet<usize>, b: &BTreeSet<usize>) -> f64 {
    let mut total = x[0];
    for i in a.intersection(b) {
        total += x[*i] * total.cos();
    }
    for &i in a.difference(b) {
        total *= x[i];
    }
    let mut rest = b.difference(a);
    while let Some(&i) = rest.next() {
        total += x[i] * x[0];
    }
    if let Some(&i) = a.range(1..).next() {
        total *= x[i];
    }
    total
}

#[differentiable]
fn entries_from(x: &[f64], map: &BTreeMap<usize, usize>) -> f64 {
    let mut total = 0.0;
    for (k, i) in map.range(1..) {
        total += x[*i] * *k as f64 * x[*k];
    }
    total
}

struct Index {
    positions: BTreeMap<&'static str, usize>,
}

#[differentiable]
fn of_a_field(x: &[f64], #[constant] index: &Index) -> f64 {
    let mut total = 0.0;
    for i in index.positions.values() {
        total += x[*i].sin();
    }
    for key in index.positions.keys() {
        total *= x[key.len()];
    }
    total
}

table! {
    chars: (&X, const &*""), (&X, const &*"a"), (&X, const &*"abcba");
    words: (&X, const &*""), (&X, const &*"a double of"), (&X, const &*"a stop b");
    beside_a_list: (&X, const &*""), (&X, const &*"a"), (&X, const &*"abab");
    calculator: (&X, const &*"0"), (&X, const &*"0 1 + 2 * 0 *");
    own_iterator: for most in 0..5, (&X, const most);
    pairs: for n in 0..4, (&X, const &Graph { n });
    exits: for n in 0..4, (&X, const &Graph { n });
    references: (&X, const &BTreeSet::from([0, 1]), const &BTreeSet::from([1, 2])),
        (&X, const &BTreeSet::new(), const &BTreeSet::new());
    entries_from: (&X, const &BTreeMap::from([(0, 1), (1, 2), (2, 0)]));
    of_a_field: (&X, const &Index { positions: BTreeMap::from([("a", 2), ("", 0)]) });
}

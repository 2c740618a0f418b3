//! Loops over constant iterators of which only rustc knows what they are: characters and words of a text, what an `impl Iterator` gives,
//! a generator of numbers without end. They are stepped as in the primal, as often as there.

use std::collections::HashMap;

use chainrule::prelude::*;

use crate::check::check;

const X: [f64; 3] = [0.8, 0.3, 1.2];
const TEXTS: [&str; 6] = ["", "a", "ba", "ab,ca", "c,abz,a,by,a", "1 0 2 + * 12 +"];

macro_rules! texts {
    ($($f:ident)*) => {
        mod over_texts {
            use super::{TEXTS, X, check};

            $(#[test]
            fn $f() {
                for text in TEXTS {
                    check!(super::$f(&X, const &*text));
                }
            })*
        }
    };
}
texts! {
    characters
    bytes_and_places
    mapped
    collected
    backwards
    parts
    words
    left_early
    counted_before
    nested
    beside_others
    tokens
    found_again
    in_a_fold
}

#[differentiable]
fn characters(x: &[f64], text: &str) -> f64 {
    let mut t = 0.5;
    for c in text.chars() {
        match c {
            'a' => t += x[0],
            'b' => t *= x[1],
            _ => t = t.sin() + x[2],
        }
    }
    t
}

#[differentiable]
fn bytes_and_places(x: &[f64], text: &str) -> f64 {
    let mut t = 1.0;
    for (i, b) in text.bytes().enumerate() {
        t = t * x[b as usize % 3] + x[i % 3];
    }
    t
}

#[differentiable]
fn mapped(x: &[f64], text: &str) -> f64 {
    let sum: f64 = text
        .chars()
        .map(|c| if c == 'a' { x[0] } else { x[1] * x[1] })
        .sum();
    let product: f64 = text.chars().filter(|c| *c != ',').map(|_| x[2]).product();
    sum * product + x[0]
}

#[differentiable]
fn collected(x: &[f64], text: &str) -> f64 {
    let each: Vec<f64> = text.chars().map(|c| x[c as usize % 3] * x[0]).collect();
    let paired: Vec<f64> = x
        .iter()
        .zip(text.bytes())
        .map(|(v, b)| v * f64::from(b))
        .collect();
    let mut t = x[0];
    for (a, b) in each.iter().zip(&paired) {
        t += a * b;
    }
    t * (1.0 + each.len() as f64)
}

#[differentiable]
fn backwards(x: &[f64], text: &str) -> f64 {
    let mut t = x[0];
    for c in text.chars().rev() {
        t = t * x[c as usize % 3] + 1.0;
    }
    for c in text.chars().skip(1).step_by(2).take(2) {
        t = t * t * x[c as usize % 2];
    }
    t
}

#[differentiable]
fn parts(x: &[f64], text: &str) -> f64 {
    let mut t = x[0];
    for part in text.split(',') {
        t += x[part.len() % 3] * part.len() as f64;
    }
    let lengths: f64 = text
        .split(',')
        .filter(|p| !p.is_empty())
        .map(|p| x[1] * p.len() as f64)
        .sum();
    t * lengths
}

#[differentiable]
fn words(x: &[f64], text: &str) -> f64 {
    let mut t = 0.0;
    for (v, word) in x.iter().zip(text.split_whitespace()) {
        for (k, c) in word.char_indices() {
            t += v * f64::from(c as u32) * x[k % 3];
        }
    }
    t + x[1]
}

#[differentiable]
fn left_early(x: &[f64], text: &str) -> f64 {
    let mut t = x[0];
    'parts: for part in text.split(',') {
        for (i, c) in part.chars().rev().enumerate() {
            match c {
                'a' => t += x[i % 3],
                'b' => {
                    t *= x[1];
                    continue 'parts;
                }
                'z' => break 'parts,
                'y' => return t * x[2],
                _ => {}
            }
        }
        t += 1.0;
    }
    t * x[1]
}

#[differentiable]
fn counted_before(x: &[f64], text: &str) -> f64 {
    let mut n = 0;
    for c in text.chars() {
        if c == ',' {
            break;
        }
        n += 1;
    }
    let commas = text.chars().filter(|c| *c == ',').count();
    x[n % 3] * x[0] + x[1] * commas as f64
}

#[differentiable]
fn nested(x: &[f64], text: &str) -> f64 {
    let mut t = x[2];
    for (i, a) in text.chars().enumerate() {
        for (j, b) in text.chars().enumerate() {
            if a == b && i != j {
                t += x[i % 3] * x[j % 3];
            }
        }
    }
    t * t
}

#[differentiable]
fn beside_others(x: &[f64], text: &str) -> f64 {
    let mut t = 0.0;
    for (c, v) in text.chars().zip(x) {
        t += v * f64::from(c as u32);
    }
    for ((v, c), w) in x.iter().zip(text.chars()).zip(x.iter().rev()) {
        t += v * w * f64::from(c as u32);
    }
    for (k, (v, (i, c))) in x.iter().zip(text.char_indices()).enumerate() {
        t += v * v * (f64::from(c as u32) + (i * k) as f64);
    }
    for both in text.chars().zip(text.bytes().rev()) {
        t += x[0] * f64::from(both.0 as u32) * f64::from(both.1);
    }
    for (w, c) in [1.0, x[0], x[1]].iter_mut().zip(text.chars()) {
        *w += f64::from(c as u32) * x[2];
        t += *w;
    }
    t * 1e-2
}

/// Reverse Polish notation.
#[differentiable]
fn tokens(x: &[f64], text: &str) -> f64 {
    let mut stack: Vec<f64> = vec![x[0]];
    let mut left = text.chars().peekable();
    while let Some(c) = left.next() {
        if let Some(digit) = c.to_digit(10) {
            let mut k = digit as usize;
            while let Some(more) = left.peek().and_then(|c| c.to_digit(10)) {
                k = 10 * k + more as usize;
                left.next();
            }
            stack.push(x[k % 3]);
        } else if c == '+' || c == '*' {
            let b = stack.pop().unwrap_or(1.0);
            let a = stack.pop().unwrap_or(1.0);
            stack.push(if c == '+' { a + b } else { a * b });
        }
    }
    stack.iter().sum()
}

#[differentiable]
fn found_again(x: &[f64], text: &str) -> f64 {
    let mut places: HashMap<&str, usize> = HashMap::new();
    for (i, part) in text.split(',').enumerate() {
        places.entry(part).or_insert(i % 3);
    }
    let mut t = 1.0;
    for part in text.split(',') {
        let k = places[part];
        t = t * x[k] + x[0];
    }
    t
}

#[differentiable]
fn in_a_fold(x: &[f64], text: &str) -> f64 {
    let folded = text.chars().fold(1.0, |t, c| t * x[c as usize % 3]);
    let scanned = text
        .split(',')
        .enumerate()
        .fold(x[0], |t, (i, part)| t + x[i % 3] * part.len() as f64);
    folded + scanned
}

/// What a program without derivatives has: edges of a graph, given by methods.
struct Graph {
    cells: Vec<[usize; 3]>,
    weights: Vec<f64>,
}

impl Graph {
    fn of(n: usize) -> Graph {
        Graph {
            cells: [[0, 1, 2], [2, 1, 0], [1, 1, 2]][..n].to_vec(),
            weights: [1.5, -0.5, 2.0][..n].to_vec(),
        }
    }

    fn cells(&self) -> impl Iterator<Item = &[usize; 3]> {
        self.cells.iter()
    }

    fn edges(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let pairs = |c: &[usize; 3]| [(c[0], c[1]), (c[1], c[2])];
        self.cells.iter().flat_map(pairs)
    }

    fn starts(&self) -> impl Iterator<Item = &usize> {
        self.cells.iter().map(|c| &c[0])
    }

    fn weights(&self) -> impl Iterator<Item = &f64> {
        self.weights.iter()
    }

    fn weight(&self) -> &f64 {
        self.weights.first().unwrap_or(&0.75)
    }

    fn all(&self) -> Vec<(usize, usize)> {
        self.edges().collect()
    }

    fn ids(&self) -> std::ops::Range<usize> {
        0..self.cells.len()
    }
}

#[differentiable]
fn graph_energy(x: &[f64], n: usize) -> f64 {
    let graph = stop_gradient(Graph::of(n));
    let mut t = x[0];
    for cell in graph.cells() {
        let [i, j, k] = *cell;
        t += x[i] * x[j] + x[k];
    }
    for &[i, j, k] in graph.cells() {
        t += x[i] * x[j] * x[k];
    }
    for (a, b) in graph.edges() {
        t += (x[a] - x[b]).powi(2);
    }
    for (n, (a, b)) in graph.edges().enumerate() {
        t += n as f64 * x[a] * x[b];
    }
    for (a, b) in graph.all() {
        t += (x[a] * x[b]).sin();
    }
    for i in graph.ids() {
        t *= x[i];
    }
    for (n, &k) in graph.starts().enumerate() {
        t += x[k] * n as f64;
    }
    for k in graph.starts() {
        t += x[*k] * *k as f64;
    }
    let best = graph.edges().map(|(a, b)| a + b).max().unwrap_or(0);
    t + best as f64 * x[1]
}

/// Items that are references to numbers, beside differentiated ones.
#[differentiable]
fn weighted(x: &[f64], n: usize) -> f64 {
    let graph = stop_gradient(Graph::of(n));
    let mut t = x[0];
    for (a, w) in x.iter().zip(graph.weights()) {
        t += a * w - w / a;
        t *= *w;
        t += -w * *a;
        if a > w {
            t += (a - w).powi(2) * (w + 1.0);
        }
    }
    for (w, a) in graph.weights().zip(x) {
        t += w * a + (w - a) * *a;
    }
    for &w in graph.weights() {
        t += w * x[1];
    }
    let sum: f64 = graph.weights().zip(x).map(|(w, a)| w * a).sum();
    t * sum + graph.weight() * x[2]
}

#[test]
fn what_methods_give() {
    for n in 0..=3 {
        check!(graph_energy(&X, const n));
        check!(weighted(&X, const n));
    }
}

struct Steps {
    at: usize,
    end: usize,
}

impl Iterator for Steps {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        self.at += 1;
        (self.at <= self.end).then_some(self.at)
    }
}

#[differentiable]
fn own_iterator(x: &[f64], end: usize) -> f64 {
    let mut t = x[0];
    for k in (Steps { at: 0, end }) {
        t = t * x[k % 3] + x[1];
    }
    let mut steps = Steps { at: 1, end };
    while let Some(k) = steps.next() {
        t += k as f64 * x[k % 3];
    }
    t
}

#[test]
fn iterators_of_the_user() {
    for end in 0..=3 {
        check!(own_iterator(&X, const end));
    }
}

/// Numbers without end; how many have been drawn shows.
#[derive(Clone)]
struct Rng(u64);

impl Rng {
    fn draw(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as f64 / (1_u64 << 31) as f64
    }

    fn draws(&mut self) -> impl Iterator<Item = f64> + '_ {
        std::iter::repeat_with(move || self.draw())
    }
}

#[differentiable]
fn drawn(x: &[f64], seed: u64) -> f64 {
    let mut rng = stop_gradient(Rng(seed));
    let mut t = 0.0;
    for (v, z) in x.iter().zip(rng.draws()) {
        t += v * z * v;
    }
    t += x[0] * rng.draw();
    for (z, v) in rng.draws().zip(x) {
        t += v.sin() * z;
    }
    t += x[1] * rng.draw();
    for (k, z) in rng.draws().enumerate() {
        if k > 2 {
            break;
        }
        if z > 0.5 {
            continue;
        }
        t += x[k] * z;
    }
    t += x[1] * rng.draw();
    for z in rng.draws().take(3) {
        t *= 1.0 + z * x[0];
    }
    t * rng.draw()
}

/// As many are drawn as in the loops that these stand for.
#[differentiable]
fn drawn_by_hand(x: &[f64], seed: u64) -> f64 {
    let mut rng = stop_gradient(Rng(seed));
    let mut t = 0.0;
    for i in 0..x.len() {
        t += x[i] * rng.draw() * x[i];
    }
    t += x[0] * rng.draw();
    for i in 0..x.len() {
        t += x[i].sin() * rng.draw();
    }
    // `zip` asks its first iterator once more.
    rng.draw();
    t += x[1] * rng.draw();
    for k in 0..3 {
        let z = rng.draw();
        if z <= 0.5 {
            t += x[k] * z;
        }
    }
    rng.draw();
    t += x[1] * rng.draw();
    for _ in 0..3 {
        t *= 1.0 + rng.draw() * x[0];
    }
    t * rng.draw()
}

/// What adapters take, and what they don't, shows in what is drawn next.
#[differentiable]
fn drawn_in_chains(x: &[f64], seed: u64) -> f64 {
    let mut rng = stop_gradient(Rng(seed));
    let mut t: f64 = rng.draws().take(2).map(|z| z * x[0]).sum();
    t += x[0] * rng.draw();
    t *= rng.draws().map(|z| z + x[0]).take(2).product::<f64>();
    t += x[1] * rng.draw();
    let high = rng.draws().filter(|z| *z > 0.3);
    t += high.take(2).map(|z| z * x[0]).sum::<f64>();
    t += x[2] * rng.draw();
    let halves = rng.draws().filter_map(|z| (z > 0.5).then(|| z * x[0]));
    t += halves.take(2).sum::<f64>();
    t += x[0] * rng.draw();
    let counted = rng.draws().enumerate().filter(|(_, z)| *z > 0.5);
    t += counted.take(1).map(|(i, z)| z * x[i % 2]).sum::<f64>();
    t += x[1] * rng.draw();
    let low = rng.draws().take_while(|z| *z < 0.8);
    t += low.map(|z| z * x[0]).sum::<f64>();
    t += x[2] * rng.draw();
    let later = rng.draws().map(|z| z * x[0]).skip(2);
    t *= 1.0 + later.take(1).sum::<f64>();
    t += x[0] * rng.draw();
    let products = rng.draws().scan(1.0, |s, z| {
        *s *= z * x[0];
        Some(*s)
    });
    t += products.take(3).sum::<f64>();
    t += x[1] * rng.draw();
    let second = rng.draws().step_by(2).filter(|z| *z > 0.1);
    t += second.take(3).map(|z| z * x[1]).sum::<f64>();
    t += x[2] * rng.draw();
    let paired = x.iter().zip(rng.draws()).skip(1);
    t += paired.map(|(a, z)| a * z * t).sum::<f64>();
    t += x[0] * rng.draw();
    for (z, a) in rng.draws().zip(x).step_by(2) {
        t += a * z * a;
    }
    t += x[1] * rng.draw();
    t *= rng.draws().find(|z| *z > 0.5).unwrap_or(0.0) + x[0];
    t += rng.draws().map(|z| z * x[0]).take(0).sum::<f64>();
    t * rng.draw()
}

#[test]
fn numbers_without_end() {
    for seed in 1..4 {
        check!(drawn(&X, const seed));
        check!(drawn_in_chains(&X, const seed));
        let by_hand = drawn_by_hand::value_and_gradient(&X, seed);
        assert_eq!(drawn::value_and_gradient(&X, seed), by_hand);
    }
}

#[derive(Clone, Differentiable)]
struct Point {
    a: f64,
    b: f64,
}

#[differentiable]
fn points(x: &[f64]) -> Vec<Point> {
    x.iter()
        .map(|a| Point {
            a: a * a,
            b: 1.0 + a,
        })
        .collect()
}

#[differentiable]
fn rows(x: &[f64]) -> Vec<Vec<f64>> {
    x.iter().map(|a| vec![a * a, a + 1.0]).collect()
}

#[differentiable]
fn squares(x: &[f64]) -> Vec<f64> {
    x.iter().map(|a| a * a).collect()
}

#[differentiable]
fn three(x: &[f64]) -> [f64; 3] {
    let s: f64 = x.iter().sum();
    [s, s * s, s.sin()]
}

/// Lists that calls give, whose types nothing says.
#[differentiable]
fn given_lists(x: &[f64]) -> f64 {
    let mut s = 1.0;
    for a in squares(x) {
        s += a * a;
    }
    for (p, v) in points(x).iter().zip(x) {
        s += p.a * v;
    }
    for (v, p) in x.iter().zip(points(x)) {
        s += p.b * v;
    }
    for p in points(x) {
        s *= p.b;
        if s > 20.0 {
            break;
        }
    }
    for row in rows(x) {
        for v in row {
            s += v * v;
        }
    }
    for (i, row) in rows(x).into_iter().enumerate() {
        for (j, v) in row.iter().enumerate() {
            s += v * (i + j) as f64;
        }
    }
    for a in three(x) {
        s *= a;
    }
    s + three(x)
        .iter()
        .zip(rows(x))
        .map(|(a, r)| a * r[0])
        .sum::<f64>()
}

#[test]
fn lists_that_calls_give() {
    for n in 0..=3 {
        let x = X[..n].to_vec();
        check!(given_lists(&x));
    }
}

/// A reference to a constant number, as an operand.
#[differentiable]
fn by_reference(x: &[f64], n: usize) -> f64 {
    let graph = stop_gradient(Graph::of(n));
    let w = graph.weight();
    let mut t = 0.0;
    for a in x {
        t += a * w + w / a - w;
    }
    let mut i = 0;
    while i < x.len() {
        t *= x[i] * w;
        i += 1;
    }
    t
}

#[test]
fn operands_that_are_references() {
    check!(by_reference(&X, const 0));
    check!(by_reference(&X, const 2));
}

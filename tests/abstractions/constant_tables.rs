//! Constants of the user's own types, whose getters say what a loop runs over: sparse matrices, graphs and meshes.

use std::collections::BTreeMap;

use chainrule::prelude::*;

use crate::check::{check, table};

const X: [f64; 3] = [0.8, 0.3, -0.5];

/// A sparse matrix, in compressed rows.
struct Csr {
    start: Vec<usize>,
    columns: Vec<usize>,
    values: Vec<f64>,
}

impl Csr {
    fn rows(&self) -> usize {
        self.start.len() - 1
    }

    fn columns(&self, i: usize) -> &[usize] {
        &self.columns[self.start[i]..self.start[i + 1]]
    }

    fn values(&self, i: usize) -> &[f64] {
        &self.values[self.start[i]..self.start[i + 1]]
    }

    fn row(&self, i: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let columns = self.columns(i).iter().copied();
        columns.zip(self.values(i).iter().copied())
    }
}

fn csr() -> Csr {
    Csr {
        start: vec![0, 2, 3, 5],
        columns: vec![0, 2, 1, 0, 1],
        values: vec![2.0, -1.0, 0.5, 0.3, 0.7],
    }
}

#[differentiable]
#[inline(never)]
fn by_zip(#[constant] a: &Csr, x: &[f64]) -> Vec<f64> {
    let mut y = vec![0.0; a.rows()];
    for i in 0..a.rows() {
        let (columns, values) = (a.columns(i), a.values(i));
        for (j, v) in columns.iter().zip(values) {
            y[i] += v * x[*j];
        }
    }
    y
}

#[differentiable]
#[inline(never)]
fn by_rows(#[constant] a: &Csr, x: &[f64]) -> Vec<f64> {
    let dot = |i: usize| a.row(i).map(|(j, v)| v * x[j]).sum();
    (0..a.rows()).map(dot).collect()
}

#[differentiable]
#[inline(never)]
fn by_position(#[constant] a: &Csr, x: &[f64]) -> Vec<f64> {
    let mut y = Vec::new();
    for i in 0..a.rows() {
        let values = a.values(i);
        let columns = a.columns(i).iter().enumerate();
        y.push(columns.map(|(k, &j)| values[k] * x[j]).sum::<f64>());
    }
    y
}

#[differentiable]
#[inline(never)]
fn twice_squared(x: &[f64], #[constant] a: &Csr) -> f64 {
    let y = by_zip(a, x);
    let z = by_rows(a, &y);
    let w = by_position(a, &z);
    y.iter().zip(&z).zip(&w).map(|((y, z), w)| y * z * w).sum()
}

#[differentiable]
fn sparse(x: &[f64]) -> f64 {
    let a = stop_gradient(csr());
    twice_squared(x, &a)
}

#[differentiable]
#[inline(never)]
fn getters(x: &[f64], #[constant] a: &Csr) -> f64 {
    let mut s = x[0];
    for i in 0..a.rows() {
        for j in a.columns(i) {
            let k = j;
            s += x[*k] * x[0];
        }
        for &j in a.columns(i) {
            s += s * x[j];
        }
        let values = a.values(i);
        for v in values {
            s += *v * x[1];
        }
        for &v in values {
            s *= 1.0 + v * x[1];
        }
        for (j, v) in a.columns(i).iter().zip(a.values(i)) {
            s += *v * x[*j];
        }
        for (j, v) in std::iter::zip(a.columns(i), values) {
            s *= 1.0 + v * x[*j];
        }
        if let Some(&last) = a.columns(i).last() {
            s *= x[last];
        }
        if let Some(j) = a.columns(i).iter().find(|j| **j > 0) {
            s += x[*j] * x[0];
        }
    }
    s
}

#[differentiable]
fn all_getters(x: &[f64]) -> f64 {
    let a = stop_gradient(csr());
    getters(x, &a)
}

/// A node of a tree by its number.
#[derive(Clone, Copy)]
struct Id(usize);

enum Node {
    Leaf { weight: f64, of: Id },
    Inner { children: Vec<Id> },
}

/// Getters without an annotation: ranges, references, and numbers in a type of the file.
struct Layout {
    start: Vec<usize>,
    nodes: Vec<Node>,
    named: Vec<(String, Id)>,
}

impl Layout {
    fn row(&self, i: usize) -> std::ops::Range<usize> {
        self.start[i]..self.start[i + 1]
    }

    fn both(&self, i: usize) -> (usize, std::ops::Range<usize>) {
        (i, self.row(i))
    }

    fn rest(&self, i: usize) -> std::ops::RangeFrom<usize> {
        self.start[i]..
    }

    fn node(&self, id: Id) -> &Node {
        &self.nodes[id.0]
    }

    fn root(&self) -> Id {
        Id(self.nodes.len() - 1)
    }

    fn named(&self, i: usize) -> &(String, Id) {
        &self.named[i]
    }

    fn ids(&self) -> Vec<Id> {
        self.named.iter().map(|(_, id)| *id).collect()
    }
}

fn layout() -> Layout {
    let inner = |children: &[usize]| Node::Inner {
        children: children.iter().map(|&k| Id(k)).collect(),
    };
    let leaf = |weight, of| Node::Leaf { weight, of: Id(of) };
    Layout {
        start: vec![0, 2, 3],
        nodes: vec![
            leaf(0.5, 2),
            leaf(1.5, 0),
            inner(&[0, 1]),
            inner(&[2, 1, 0]),
        ],
        named: vec![("ab".into(), Id(2)), ("c".into(), Id(0))],
    }
}

#[differentiable]
fn below(x: &[f64], #[constant] tree: &Layout, #[constant] id: Id) -> f64 {
    match tree.node(id) {
        Node::Leaf { weight, of } => weight * x[of.0] * x[of.0],
        Node::Inner { children } => {
            let mut product = 1.0;
            for &child in children {
                product *= x[0] + below(x, tree, child);
            }
            product
        }
    }
}

#[differentiable]
#[inline(never)]
fn ranges(x: &[f64], #[constant] a: &Layout) -> f64 {
    let mut s = 0.0;
    for i in 0..2 {
        let row = a.row(i);
        if row.is_empty() {
            continue;
        }
        let total: f64 = x[row.clone()].iter().sum();
        for k in row {
            s += x[k] / (2.0 + total);
        }
        s += x[a.row(i)].iter().product::<f64>() * x[a.rest(i)][0];
        let (j, row) = a.both(i);
        for k in row.rev() {
            s *= 1.0 + x[k] * x[j];
        }
        for (n, k) in a.row(i).enumerate() {
            s += x[k].powi(2) * n as f64;
        }
        s += a.row(i).map(|k| x[k] * x[k]).sum::<f64>();
    }
    let (name, id) = a.named(0);
    s *= x[id.0] + name.len() as f64;
    for &id in &a.ids() {
        s += x[id.0] * x[id.0];
    }
    s * below(x, a, a.root())
}

#[differentiable]
fn untyped_getters(x: &[f64]) -> f64 {
    let a = stop_gradient(layout());
    ranges(x, &a)
}

#[derive(Clone)]
struct Rate {
    k: f64,
    list: Vec<f64>,
}

#[derive(Clone)]
struct Table {
    rates: Vec<Rate>,
    of: Rate,
}

struct Tables(Vec<Table>);

impl Tables {
    fn table(&self, i: usize) -> &Table {
        &self.0[i]
    }

    fn rate(&self, i: usize) -> &Rate {
        &self.0[0].rates[i]
    }

    fn made(&self) -> Table {
        self.0[0].clone()
    }
}

/// References that are assigned again, in a branch of a loop.
#[differentiable]
#[inline(never)]
fn reassigned(x: &[f64], #[constant] t: &Tables) -> f64 {
    let mut typed: &Rate = t.rate(0);
    let mut best = t.rate(0);
    let mut s = typed.k * x[1];
    for i in 0..2 {
        if i == 1 {
            typed = t.rate(1);
        }
        for rate in &t.table(0).rates {
            if rate.k > best.k {
                best = rate;
            }
        }
        s += typed.k * x[0] * (s + 1.0) + typed.list[0] * x[1] + best.list[0] * x[2] * s;
        best = &t.0[0].of;
    }
    let (mut a, mut b): (f64, f64) = (0.0, 0.0);
    let mut first: &Rate = t.rate(0);
    let mut second: &Rate = t.rate(1);
    for i in 0..3 {
        if i > 0 {
            std::mem::swap(&mut first, &mut second);
        }
        if i == 2 {
            let old: &Rate = std::mem::replace(&mut first, t.rate(0));
            a += old.k * x[1];
        }
        a += first.k * x[0] * (s + 1.0);
        b += second.list[0] * x[1] * s;
    }
    s + a * b
}

#[differentiable]
fn reassigned_references(x: &[f64]) -> f64 {
    let t = stop_gradient(tables());
    reassigned(x, &t)
}

fn tables() -> Tables {
    let rate = |k: f64| Rate {
        k,
        list: vec![k + 0.25, 0.5],
    };
    Tables(vec![Table {
        rates: vec![rate(0.25), rate(0.5)],
        of: rate(0.125),
    }])
}

/// Lists in what a getter returns.
#[differentiable]
#[inline(never)]
fn parts(x: &[f64], #[constant] t: &Tables) -> f64 {
    let list = &t.rate(0).list;
    let nested = &t.table(0).of.list;
    let mut s = list[0] * x[0] * x[1] + nested[1] * x[2] + t.table(0).of.k * x[0];
    for v in &t.table(0).of.list {
        s += v * x[1] * s;
    }
    for (v, x) in t.made().of.list.iter().zip(x) {
        s += v * x * s;
    }
    for rate in &t.table(0).rates {
        s += rate.k * x[0] * s + rate.list[1] * x[1];
    }
    s + t.rate(1).list[0] * x[1]
}

#[differentiable]
fn parts_of_getters(x: &[f64]) -> f64 {
    let t = stop_gradient(tables());
    parts(x, &t)
}

/// Derived, with the pattern as a constant.
#[derive(Clone, Differentiable)]
struct Sparse<'a> {
    #[constant]
    pattern: &'a Layout,
    values: Vec<f64>,
}

#[differentiable]
fn norm_of_rows(a: &Sparse<'_>) -> f64 {
    let mut s = 0.0;
    for i in 0..2 {
        for k in a.pattern.row(i) {
            s += a.values[k].powi(2) * (1 + i) as f64;
        }
    }
    s.sqrt()
}

#[test]
fn a_range_of_a_constant_field() {
    let pattern = &layout();
    let a = Sparse {
        pattern,
        values: vec![1.5, 2.0, -0.5],
    };
    chainrule::testing::check_rules!(norm_of_rows, &a);
    let norm = 6.75_f64.sqrt();
    let gradient = norm_of_rows::gradient(&a).values;
    approx::assert_relative_eq!(
        &gradient[..],
        &[1.5 / norm, 2.0 / norm, -1.0 / norm][..],
        max_relative = 1e-14
    );
}

struct Graph {
    adjacent: Vec<Vec<usize>>,
    weights: BTreeMap<(usize, usize), f64>,
}

impl Graph {
    fn nodes(&self) -> usize {
        self.adjacent.len()
    }

    fn neighbours(&self, i: usize) -> &[usize] {
        &self.adjacent[i]
    }

    fn weight(&self, i: usize, j: usize) -> Option<&f64> {
        self.weights.get(&(i, j))
    }

    fn edges(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.weights.keys().copied()
    }
}

/// Two rounds of passing messages, and an energy.
#[differentiable]
#[inline(never)]
fn messages(x: &[f64], #[constant] g: &Graph) -> f64 {
    let mut h = x.to_vec();
    for _ in 0..2 {
        let old = h.clone();
        for i in 0..g.nodes() {
            let around = g.neighbours(i);
            let mut m = 0.0;
            for &j in around {
                m += old[j] * g.weight(i, j).copied().unwrap_or(1.0);
            }
            if !around.is_empty() {
                m /= around.len() as f64;
            }
            h[i] = (old[i] + m).tanh();
        }
    }
    let mut energy = 0.0;
    for (i, j) in g.edges() {
        energy += h[i] * h[j];
    }
    for i in 0..g.nodes() {
        let around = g.neighbours(i).iter();
        energy += around.map(|&j| (h[i] - h[j]).powi(2)).sum::<f64>();
        for j in g.neighbours(i).iter().copied().filter(|&j| j > i) {
            if let Some(w) = g.weight(i, j) {
                energy += w * h[i] * h[j];
            }
        }
    }
    energy
}

#[differentiable]
fn graph(x: &[f64]) -> f64 {
    let g = stop_gradient(Graph {
        adjacent: vec![vec![1, 2], vec![2], vec![]],
        weights: BTreeMap::from([((0, 1), 0.5), ((1, 2), 2.0)]),
    });
    messages(x, &g)
}

struct Mesh {
    faces: Vec<[usize; 3]>,
    weights: Vec<f64>,
}

impl Mesh {
    fn iter(&self) -> std::slice::Iter<'_, [usize; 3]> {
        self.faces.iter()
    }

    fn faces(&self) -> &Vec<[usize; 3]> {
        &self.faces
    }

    fn weights(&self) -> std::slice::Iter<'_, f64> {
        self.weights.iter()
    }
}

#[differentiable]
#[inline(never)]
fn surface(x: &[f64], #[constant] mesh: &Mesh) -> f64 {
    let mut s = 0.0;
    for [a, b, c] in mesh.faces() {
        s += x[*a] * x[*b] * x[*c];
    }
    for &[a, b, c] in mesh.faces() {
        s += x[a] * x[b] - x[c];
    }
    for face in mesh.iter() {
        s += x[face[0]] * x[face[2]] * s;
    }
    for face in mesh.iter().rev() {
        s += x[face[1]] * x[face[2]] * s;
    }
    for face in mesh.iter().copied() {
        s += x[face[1]] * s;
    }
    for (face, w) in mesh.iter().zip(mesh.weights()) {
        s += w * x[face[1]];
    }
    for (k, face) in mesh.faces().iter().enumerate() {
        for &j in face {
            s += x[j] * k as f64;
        }
    }
    s
}

#[differentiable]
fn mesh(x: &[f64]) -> f64 {
    let mesh = stop_gradient(Mesh {
        faces: vec![[0, 1, 2], [2, 1, 0], [1, 1, 0]],
        weights: vec![0.5, 1.5, 2.5],
    });
    surface(x, &mesh)
}

table! {
    sparse: (&X);
    all_getters: (&X);
    untyped_getters: (&X);
    reassigned_references: (&X);
    parts_of_getters: (&X);
    graph: (&X);
    mesh: (&X);
}

/// Observations by time step: pairs of an index and a value.
type Observations = BTreeMap<usize, Vec<(i32, f64)>>;

#[differentiable]
fn of_an_alias(x: f64, #[constant] observations: &Observations) -> f64 {
    let last = *observations.keys().next_back().unwrap_or(&0);
    let mut total = 0.0;
    for step in 0..=last {
        if let Some(seen) = observations.get(&step) {
            total += seen.iter().map(|&(i, y)| y * x.powi(i)).sum::<f64>();
        }
    }
    for (step, seen) in observations {
        total += *step as f64 * x * seen.len() as f64;
    }
    total
}

#[test]
fn a_map_by_another_name() {
    let observations = Observations::from([(1, vec![(2, 0.5), (1, 2.0)]), (4, vec![(3, 1.5)])]);
    check!(of_an_alias(1.25, const &observations));
    let slope = of_an_alias::gradient(1.25, &observations);
    approx::assert_relative_eq!(
        slope,
        1.25 + 2.0 + 4.5 * 1.25 * 1.25 + 2.0 + 4.0,
        max_relative = 1e-14
    );
}

/// A term of a rate: the species, its order, and an exponent of the temperature.
struct Reaction {
    terms: &'static [(usize, i32)],
    exponents: &'static [(usize, f64)],
}

const REACTIONS: [Reaction; 2] = [
    Reaction {
        terms: &[(0, 1), (1, 2)],
        exponents: &[(2, 0.5)],
    },
    Reaction {
        terms: &[(2, 3)],
        exponents: &[(0, 1.5), (1, -0.5)],
    },
];

/// The types of what the tables hold are known to rustc alone.
#[differentiable]
fn rates(c: &[f64]) -> Vec<f64> {
    let mut rates = Vec::new();
    for (i, reaction) in REACTIONS.iter().enumerate() {
        let mut rate = 1.0 + i as f64;
        for &(s, order) in reaction.terms {
            rate *= c[s].powi(order);
        }
        for &(s, exponent) in reaction.exponents {
            rate *= c[s].powf(exponent);
        }
        for (s, exponent) in reaction.exponents {
            rate -= c[*s].max(*exponent);
        }
        rates.push(rate);
    }
    rates
}

#[differentiable]
fn norm(c: &[f64]) -> f64 {
    rates(c).iter().map(|rate| rate * rate).sum()
}

#[test]
fn tables_of_constants() {
    let c = [1.25, 0.75, 2.5];
    check!(norm(&c));
    let rows = rates::jacobian(&c);
    let rate = 1.25 * 0.75_f64.powi(2) * 2.5_f64.sqrt();
    approx::assert_relative_eq!(rows[(0, 0)], rate / 1.25, max_relative = 1e-14);
    approx::assert_relative_eq!(rows[(0, 1)], 2.0 * rate / 0.75, max_relative = 1e-14);
    approx::assert_relative_eq!(rows[(0, 2)], 0.5 * rate / 2.5 - 1.0, max_relative = 1e-14);
}

/// Constants of another module, of whose types the rules know nothing.
mod elsewhere {
    pub(super) static TABLE: &[(usize, f64)] = &[(0, 1.5), (1, 2.5), (2, 0.5)];

    pub(super) const OWNED: [(usize, f64); 2] = [(2, 0.3), (1, 0.7)];

    pub(super) struct Config {
        pub(super) terms: Vec<(usize, f64)>,
        pub(super) weights: Vec<f64>,
        pub(super) best: Option<(usize, f64)>,
    }

    impl Config {
        pub(super) fn new() -> Self {
            Config {
                terms: vec![(1, 2.0), (0, 3.0)],
                weights: vec![2.0, 3.0],
                best: Some((1, 4.0)),
            }
        }

        pub(super) fn pick(&self) -> &f64 {
            &self.weights[0]
        }

        pub(super) fn get(&self, i: usize) -> Option<(usize, f64)> {
            self.terms.get(i).copied()
        }
    }

    pub(super) fn nodes() -> impl Iterator<Item = (f64, f64)> {
        [(0.1, 0.5), (0.7, 0.5)].into_iter()
    }
}
use elsewhere::Config;

#[differentiable]
fn over_a_static(x: &[f64]) -> f64 {
    let mut total = 0.0;
    for (i, w) in elsewhere::TABLE {
        total += w * x[*i] * x[*i];
    }
    for (x, (i, w)) in x.iter().zip(elsewhere::TABLE) {
        total += x * w * (*i as f64 + 1.0);
    }
    for (k, (i, w)) in elsewhere::TABLE.into_iter().enumerate() {
        total += x[*i] * -w * (k as f64 + w.powi(2));
    }
    let nodes = elsewhere::nodes().fold(0.0, |sum, (t, w)| sum + w * (x[1] * t).sin());
    nodes
        + total
        + elsewhere::TABLE
            .into_iter()
            .map(|(i, w)| w * x[*i].sin())
            .sum::<f64>()
}

#[differentiable]
fn collected(x: &[f64], #[constant] config: &Config) -> f64 {
    let terms: Vec<f64> = elsewhere::TABLE
        .into_iter()
        .map(|(i, w)| w * x[*i].sin())
        .collect();
    let more: Vec<f64> = elsewhere::OWNED
        .into_iter()
        .map(|(i, w)| w * x[i].sin())
        .collect();
    let shifted: Vec<(f64, f64)> = config.terms.iter().map(|(i, w)| (x[*i], *w)).collect();
    let dot: f64 = terms.iter().zip(&more).map(|(a, b)| a * b).sum();
    dot + shifted.iter().map(|(a, b)| a.powf(*b)).sum::<f64>() + terms[2]
}

#[differentiable]
fn by_reference(x: &[f64], #[constant] config: &Config) -> f64 {
    let (w, picked) = (config.weights.last().unwrap(), config.pick());
    let mut total = if *w > *picked { w * x[0] } else { x[0] - *w };
    if let Some(w) = config.weights.first() {
        total *= if *w > 1.0 { w * x[1] } else { x[0] - *w };
    }
    total += match config.terms.last() {
        Some((i, w)) if *i < 1 => -w * x[*i] + (w.sqrt() * x[1]).sin() + x[2].powf(*w) - w,
        Some((i, w)) => x[*i] - w,
        None => x[0],
    };
    if let Some(&(i, w)) = config.terms.get(1) {
        total += x[i] * w;
    }
    let least = config.weights.iter().min_by(|a, b| a.total_cmp(b));
    total += x[2] * least.unwrap();
    let Some((i, w)) = config.terms.iter().max_by(|a, b| a.1.total_cmp(&b.1)) else {
        return total;
    };
    total += x[*i].powf(*w);
    if let Some((i, w)) = config.terms.iter().find(|(_, w)| *w > 2.5) {
        total += x[*i] * w * w;
    }
    total
}

#[differentiable]
fn by_value(x: &[f64], #[constant] config: &Config) -> f64 {
    let last = config.terms.last().unwrap();
    let mut total = if last.1 > 0.0 {
        last.1 * x[last.0].cos()
    } else {
        x[0]
    };
    let (i, w) = config.terms[0];
    total += x[i] * w;
    if let Some((i, w)) = config.best
        && w > 0.0
    {
        total *= x[i] * w;
    }
    if let Some((i, w)) = &config.best
        && *w > 0.0
    {
        total *= x[*i] * w;
    }
    if let Some((i, w)) = config.get(1) {
        total += if w > 0.0 { x[i] * w } else { x[i] };
    }
    let (i, w) = config.terms.last().unwrap();
    let (j, v) = &config.terms[0];
    total + x[*i] * w + if *w > 0.0 { x[*j] } else { *v }
}

#[test]
fn constants_of_other_modules() {
    let (x, config) = ([1.25, 0.75, 2.5], Config::new());
    check!(over_a_static(&x));
    check!(collected(&x, const &config));
    check!(by_reference(&x, const &config));
    check!(by_value(&x, const &config));
}

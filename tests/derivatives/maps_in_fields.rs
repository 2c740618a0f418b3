//! Constant maps in fields of what is differentiated: only rustc knows that they are maps.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use chainrule::prelude::*;

use crate::check::table;

const X: [f64; 3] = [1.3, 0.5, 0.8];

#[derive(Clone, Debug, Differentiable)]
struct Model {
    #[constant]
    index: HashMap<usize, usize>,
    #[constant]
    scales: BTreeMap<String, f64>,
    w: Vec<f64>,
}

fn index() -> HashMap<usize, usize> {
    HashMap::from([(0, 1), (7, 0)])
}

#[differentiable]
impl Model {
    fn by_index(&self, k: usize) -> f64 {
        let i = self.index[&k];
        self.w[i] * self.w[self.index[&7]]
    }

    fn by_match(&self, k: usize) -> f64 {
        let first = match self.index.get(&k) {
            Some(i) => self.w[*i],
            None => 0.5,
        };
        let second = if let Some(&i) = self.index.get(&k) {
            self.w[i] * first
        } else {
            1.0
        };
        first * second
    }

    fn by_question(&self, k: usize) -> Option<f64> {
        let i = self.index.get(&k)?;
        let &j = self.index.get(&0)?;
        Some(self.w[*i] * self.w[j])
    }

    fn by_closure(&self, k: usize) -> f64 {
        let first = self.index.get(&k).map_or(0.5, |&i| self.w[i]);
        first * self.index.get(&k).map(|i| self.w[*i]).unwrap_or(2.0)
    }

    fn unwrapped(&self) -> f64 {
        let i = *self.index.get(&7).unwrap();
        let j: usize = *self.index.get(&0).expect("is there");
        self.w[i] * self.w[j] * self.scales["a"]
    }

    fn named(&self) -> f64 {
        let index: &HashMap<usize, usize> = &self.index;
        let mut total = 1.0;
        for i in index.values() {
            total *= self.w[*i] + 1.0;
        }
        total + self.w[index[&0]]
    }
}

#[differentiable]
fn all(x: &[f64], k: usize) -> f64 {
    let model = Model {
        index: index(),
        scales: BTreeMap::from([("a".to_string(), 2.0)]),
        w: vec![x[0] * x[2], x[1]],
    };
    let mut total = model.by_match(k) * x[0] + model.by_closure(k) * x[1];
    if let Some(v) = model.by_question(k) {
        total *= v + model.by_index(k);
    }
    total + model.unwrapped() * model.named()
}

struct Positions {
    index: HashMap<usize, usize>,
}

#[differentiable]
fn of_a_constant(x: &[f64], #[constant] at: &Positions) -> f64 {
    let i = at.index[&0];
    let j = *at.index.get(&0).unwrap();
    let mut total = match at.index.get(&0) {
        Some(&h) => x[h],
        None => 0.0,
    };
    total += x[i] * x[j] * x[at.index.get(&0).copied().unwrap_or(0)];
    total * at.index.get(&1).map_or(x[2], |i| x[*i])
}

/// What a map lends is a copy where it is kept.
#[differentiable]
fn kept_options(x: &[f64], index: &HashMap<&str, usize>) -> f64 {
    let a = index.get("a");
    let none: Option<&usize> = index.get("none");
    let mut chosen = none;
    if chosen.is_none() {
        chosen = a;
    }
    let mut total = x[*a.unwrap_or(&0)] * x[*none.unwrap_or(&0)] * x[*chosen.unwrap()];
    total += x[none.or(a).cloned().unwrap_or_default()] * x[a.map_or(0, |i| *i)];
    if let Some(i) = a
        && *i > 0
    {
        total *= x[*i];
    }
    total
}

/// The list is asked for its length only.
#[differentiable]
fn numbered(x: &[f64], words: &[&str]) -> f64 {
    let mut positions: HashMap<&str, usize> = HashMap::new();
    let mut values = vec![];
    for (i, word) in words.iter().enumerate() {
        let at = *positions.entry(*word).or_insert_with(|| values.len());
        if at == values.len() {
            values.push(x[i]);
        } else {
            values[at] *= x[i];
        }
    }
    values.iter().map(|v| v * v).sum()
}

/// The maps of types that the file declares need no annotation, whether the type has a tangent or not.
#[derive(Clone, Debug, Differentiable)]
struct Scaled {
    w: Vec<f64>,
    #[constant]
    caps: BTreeMap<u8, f64>,
}

#[differentiable]
impl Scaled {
    fn total(&self, x: f64) -> f64 {
        let mut total = 0.0;
        for (key, cap) in self.caps.iter() {
            total += x * cap * f64::from(*key) * self.w[0];
        }
        total * self.caps[&2]
    }

    fn grown(mut self, x: f64) -> f64 {
        let mut total = 1.0;
        for (key, cap) in &self.caps {
            total *= cap * f64::from(*key) + self.w[1];
            self.w[1] *= x;
        }
        total + self.w[1] * self.caps.get(&1).map_or(x, |cap| cap * x)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Side {
    North,
    South,
}

#[derive(Clone)]
struct Region {
    size: f64,
    cases: BTreeMap<usize, f64>,
    neighbours: BTreeSet<usize>,
}

struct World {
    regions: BTreeMap<Side, Region>,
    caps: BTreeMap<u8, f64>,
}

#[differentiable]
impl World {
    fn total(#[constant] &self, x: &[f64]) -> f64 {
        let mut total = 0.0;
        for (side, region) in &self.regions {
            for (&day, &cases) in &region.cases {
                total += x[0] * region.size * cases + day as f64 * x[1].sin();
            }
            for k in &region.neighbours {
                total *= x[*k];
            }
            if *side == Side::South {
                total += x[2] * total;
            }
            let cases: f64 = region.cases.values().map(|v| v * x[1]).sum();
            total += cases * cases;
        }
        total
    }
}

fn world() -> World {
    let region = |size| Region {
        size,
        cases: BTreeMap::from([(0, size), (3, 2.0)]),
        neighbours: BTreeSet::from([0, 1]),
    };
    World {
        regions: BTreeMap::from([(Side::North, region(0.4)), (Side::South, region(1.2))]),
        caps: BTreeMap::from([(1, 0.5), (2, 1.5)]),
    }
}

#[differentiable]
fn of_the_file(x: &[f64], #[constant] world: &World) -> f64 {
    let scaled = Scaled {
        w: vec![x[0], x[1] * x[2]],
        caps: world.caps.clone(),
    };
    world.total(x) + scaled.total(x[1]) * scaled.grown(x[2])
}

table! {
    of_the_file: (&X, const &world());
    all: for k in [0, 7], (&X, const k);
    of_a_constant: (&X, const &Positions { index: HashMap::from([(0, 1)]) });
    kept_options: (&X, const &HashMap::from([("a", 1)]));
    numbered: (&X, const &["a", "b", "a"]), (&X, const &[]);
}

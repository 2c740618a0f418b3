//! Constants that are collected to something else than a `Vec`, of which only an annotation or a use tells: the rules have to collect to
//! the same.

use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet};

use chainrule::prelude::*;

use crate::check::check;

const X: [f64; 3] = [0.8, 0.3, 1.5];
const LISTS: [&[usize]; 5] = [&[], &[1], &[1, 1], &[1, 2, 1], &[12, 1, 1, 3]];

macro_rules! tests {
    ($($f:ident)*) => {
        mod all {
            use super::{LISTS, X, check};

            $(#[test]
            fn $f() {
                for list in LISTS {
                    check!(super::$f(&X, const &*list));
                }
            })*
        }
    };
}
tests! {
    annotated
    initialised_late
    chosen
    in_a_tuple
    in_a_block
    assigned
    in_a_field
    as_an_argument
    in_others
    split
    extended
    by_values
    references
}

#[differentiable]
fn weighed(x: &[f64], n: usize) -> f64 {
    x[n % 3] * x[1] + x[0] * n as f64
}

#[differentiable]
fn annotated(x: &[f64], #[constant] list: &[usize]) -> f64 {
    let set: HashSet<usize> = list.iter().copied().filter(|k| *k < 10).collect();
    let all: BTreeSet<usize> = list.iter().map(|k| k / 2).collect();
    let counts: BTreeMap<usize, usize> =
        list.iter().filter(|k| **k < 10).map(|k| (*k, 1)).collect();
    let mut more: HashMap<usize, usize> = list
        .iter()
        .enumerate()
        .filter(|(_, k)| **k < 10)
        .map(|(k, j)| (*j, k))
        .collect();
    more.insert(7, 7);
    let text: String = list
        .iter()
        .map(|k| k.to_string())
        .filter(|s| s.len() < 2)
        .collect();
    weighed(
        x,
        set.len() + all.len() + 10 * counts.len() + 100 * more.len() + text.len(),
    )
}

#[differentiable]
fn initialised_late(x: &[f64], #[constant] list: &[usize]) -> f64 {
    let set: HashSet<usize>;
    set = list.iter().copied().filter(|k| *k < 10).collect();
    weighed(x, set.len())
}

#[differentiable]
fn chosen(x: &[f64], #[constant] list: &[usize]) -> f64 {
    let set: HashSet<usize> = if list.len() > 2 {
        list.iter().copied().filter(|k| *k < 10).collect()
    } else {
        HashSet::new()
    };
    let other: HashSet<usize> = match list.len() {
        0 => HashSet::new(),
        _ if x[0] > 0.1 => list.iter().copied().filter(|k| *k < 10).collect(),
        _ => HashSet::new(),
    };
    weighed(x, set.len() + other.len())
}

#[differentiable]
fn in_a_tuple(x: &[f64], #[constant] list: &[usize]) -> f64 {
    let (set, n): (HashSet<usize>, usize) = (list.iter().copied().filter(|k| *k < 10).collect(), 3);
    weighed(x, set.len() + n)
}

#[differentiable]
fn in_a_block(x: &[f64], #[constant] list: &[usize]) -> f64 {
    let set: HashSet<usize> = {
        let most = 10;
        list.iter().copied().filter(|k| *k < most).collect()
    };
    weighed(x, set.len())
}

#[differentiable]
fn assigned(x: &[f64], #[constant] list: &[usize]) -> f64 {
    let mut set: HashSet<usize> = HashSet::new();
    if x[0] > 0.5 {
        set = list.iter().copied().filter(|k| *k < 10).collect();
    }
    weighed(x, set.len())
}

struct Places {
    set: HashSet<usize>,
}

#[differentiable]
fn in_a_field(x: &[f64], #[constant] list: &[usize]) -> f64 {
    let places = Places {
        set: list.iter().copied().filter(|k| *k < 10).collect(),
    };
    weighed(x, places.set.len())
}

fn count(set: HashSet<usize>) -> usize {
    set.len()
}

#[differentiable]
fn as_an_argument(x: &[f64], #[constant] list: &[usize]) -> f64 {
    weighed(x, count(list.iter().copied().filter(|k| *k < 10).collect()))
}

#[differentiable]
fn in_others(x: &[f64], #[constant] list: &[usize]) -> f64 {
    let mut best: Option<HashSet<usize>> = None;
    if list.len() > 1 {
        best = Some(list.iter().copied().filter(|k| *k < 10).collect());
    }
    let sets: Vec<HashSet<usize>> = vec![
        list.iter().copied().filter(|k| *k < 10).collect(),
        HashSet::new(),
    ];
    let words: Vec<String> = list
        .iter()
        .map(|k| k.to_string().chars().filter(|c| *c != '2').collect())
        .collect();
    let nested: Vec<HashSet<usize>> = (0..2)
        .map(|i| list.iter().copied().filter(|k| *k > i).collect())
        .collect();
    let best = best.map_or(5, |set| set.len());
    let letters: usize = words.iter().map(|w| w.len()).sum();
    weighed(
        x,
        best + 10 * sets[0].len() + 100 * letters + 1000 * nested[1].len(),
    )
}

#[differentiable]
fn split(x: &[f64], #[constant] list: &[usize]) -> f64 {
    let (a, b): (HashSet<usize>, Vec<usize>) = list.iter().map(|k| (*k, k + 1)).unzip();
    let (c, d): (HashSet<usize>, HashSet<usize>) = list.iter().partition(|k| **k < 2);
    let (e, f): (Vec<usize>, Vec<usize>) = list.iter().partition(|k| **k < 2);
    weighed(
        x,
        a.len() + 10 * b.len() + 100 * c.len() + 1000 * d.len() + e.len() * f.len(),
    )
}

#[differentiable]
fn extended(x: &[f64], #[constant] list: &[usize]) -> f64 {
    let mut set = HashSet::new();
    set.extend(list.iter().filter(|k| **k < 10).copied());
    let heap = BinaryHeap::from_iter(list.iter().filter(|k| **k < 10).copied());
    weighed(x, set.len() + 10 * heap.len())
}

/// Which ones they are depends on what is differentiated.
#[differentiable]
fn by_values(x: &[f64], #[constant] list: &[usize]) -> f64 {
    let large: BTreeSet<usize> = x
        .iter()
        .enumerate()
        .filter(|(_, v)| **v > 0.2)
        .map(|(i, _)| i / 2)
        .collect();
    let mut t = list.len() as f64;
    for k in &large {
        t += x[*k] * x[*k];
    }
    t * large.len() as f64
}

/// Whose lengths the reverse half asks for: no pullback holds them.
#[differentiable]
fn references(x: &[f64], #[constant] list: &[usize]) -> f64 {
    let all: Vec<&usize> = list.iter().collect();
    let mut t = 0.5;
    let mut i = 0;
    while i < all.len() {
        let same: Vec<&usize> = (all[i..].iter())
            .take_while(|k| **k == all[i])
            .copied()
            .collect();
        i += same.len();
        let terms: Vec<f64> = same.iter().map(|k| x[**k % 3] * t).collect();
        let mut even = 1.0;
        for (k, term) in same.iter().zip(&terms) {
            if *k % 2 == 0 {
                even += term.exp();
            }
        }
        t = t * x[0] - even.ln() + terms[0];
    }
    t
}

/// Lists of references to constants, which no pullback holds.
mod of_references {
    use super::*;

    #[derive(Clone)]
    struct Seen<'a> {
        at: &'a [f64],
        value: f64,
    }

    #[differentiable]
    fn halves(w: &[f64], #[constant] data: &[Seen]) -> f64 {
        let (train, test): (Vec<&Seen>, Vec<&Seen>) = data.iter().partition(|o| o.value > 0.0);
        let mut total = 0.0;
        for o in &train {
            total += (w[0] * o.at[0] - o.value).powi(2);
        }
        for o in test {
            total += w[1] * w[0] * o.value * o.at[1];
        }
        total / train.len() as f64
    }

    #[differentiable]
    fn sorted(w: &[f64], #[constant] data: &[Seen]) -> f64 {
        let mut all: Vec<&Seen> = data.iter().collect();
        all.sort_by(|a, b| a.value.total_cmp(&b.value));
        let best = all[0];
        w[0] * best.value
            + all
                .iter()
                .take(2)
                .map(|o| w[1] * w[0] * o.value)
                .sum::<f64>()
    }

    #[test]
    fn derivatives() {
        let (a, b) = ([0.4, 1.2], [1.7, -0.3]);
        let seen = |at, value| Seen { at, value };
        let data = [seen(&a, 0.7), seen(&b, -1.1), seen(&b, 1.9)];
        check!(halves(&X, const &data[..]));
        check!(sorted(&X, const &data[..]));
    }
}

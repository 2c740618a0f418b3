//! The items of a type's own `iter` aren't those at the positions of its `len` and its index.

use std::iter::Chain;
use std::ops::Index;
use std::slice::Iter;

use chainrule::prelude::*;

struct Ring {
    values: Vec<f64>,
    start: usize,
}

impl Ring {
    fn len(&self) -> usize {
        self.values.len()
    }

    fn iter(&self) -> Chain<Iter<'_, f64>, Iter<'_, f64>> {
        let (last, first) = self.values.split_at(self.start);
        first.iter().chain(last)
    }
}

impl Index<usize> for Ring {
    type Output = f64;

    fn index(&self, i: usize) -> &f64 {
        &self.values[i]
    }
}

#[differentiable]
fn last(x: f64, #[constant] ring: &Ring) -> f64 {
    x * ring.iter().last().unwrap()
}

#[differentiable]
fn stepped(x: f64, #[constant] ring: &Ring) -> f64 {
    let mut items = ring.iter();
    let mut sum = 0.0;
    while let Some(item) = items.next() {
        sum = sum * x + item;
    }
    sum
}

fn main() {}

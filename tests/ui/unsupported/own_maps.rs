//! A type that has the name of a map of std, and iterators that return something else than a loop over a reference to it.

use chainrule::prelude::*;

mod bags {
    use std::collections::btree_map::{self, BTreeMap as Std};

    pub struct BTreeMap<K, V>(pub Std<K, V>);

    impl<'a, K, V> IntoIterator for &'a BTreeMap<K, V> {
        type Item = (&'a K, &'a V);
        type IntoIter = btree_map::Iter<'a, K, V>;

        fn into_iter(self) -> Self::IntoIter {
            self.0.iter()
        }
    }

    impl<K, V> BTreeMap<K, V> {
        /// All values twice.
        pub fn values(&self) -> impl Iterator<Item = &V> {
            self.0.values().chain(self.0.values())
        }
    }
}

use bags::BTreeMap;

#[differentiable]
fn f(#[constant] bag: &BTreeMap<usize, f64>, x: f64) -> f64 {
    let mut sum = 0.0;
    for value in bag.values() {
        sum += value * x;
    }
    sum
}

fn main() {}

//! Sets and maps by values and slots, which are numbered from zero: lists by number. Passes that look at every operation use them instead of
//! [`super::Set`] and [`super::Map`], which cost several times as much in a compiler that isn't optimised.

use std::marker::PhantomData;

use super::{Slot, Value};

/// A thing that is numbered from zero.
pub(crate) trait Numbered: Copy {
    fn number(self) -> usize;
    fn numbered(number: usize) -> Self;
}

impl Numbered for Value {
    fn number(self) -> usize {
        self.0 as usize
    }

    fn numbered(number: usize) -> Self {
        Value(super::hash::number(number))
    }
}

impl Numbered for Slot {
    fn number(self) -> usize {
        self.0 as usize
    }

    fn numbered(number: usize) -> Self {
        Slot(super::hash::number(number))
    }
}

pub(crate) struct DenseSet<K> {
    has: Vec<bool>,
    of: PhantomData<K>,
}

impl<K> Default for DenseSet<K> {
    fn default() -> Self {
        DenseSet {
            has: Vec::new(),
            of: PhantomData,
        }
    }
}

impl<K: Numbered> DenseSet<K> {
    pub(crate) fn contains(&self, key: K) -> bool {
        let number = key.number();
        number < self.has.len() && self.has[number]
    }

    pub(crate) fn insert(&mut self, key: K) {
        let number = key.number();
        if number >= self.has.len() {
            self.has.resize(number + 1, false);
        }
        self.has[number] = true;
    }

    pub(crate) fn extend(&mut self, keys: &[K]) {
        for key in keys {
            self.insert(*key);
        }
    }

    pub(crate) fn retain(&mut self, keep: impl Fn(K) -> bool) {
        for (number, has) in self.has.iter_mut().enumerate() {
            *has = *has && keep(K::numbered(number));
        }
    }
}

pub(crate) struct DenseMap<K, V> {
    values: Vec<Option<V>>,
    of: PhantomData<K>,
}

impl<K, V> Default for DenseMap<K, V> {
    fn default() -> Self {
        DenseMap {
            values: Vec::new(),
            of: PhantomData,
        }
    }
}

impl<K: Numbered, V: Copy> DenseMap<K, V> {
    pub(crate) fn get(&self, key: K) -> Option<V> {
        let number = key.number();
        if number < self.values.len() {
            self.values[number]
        } else {
            None
        }
    }

    pub(crate) fn insert(&mut self, key: K, value: V) {
        let number = key.number();
        if number >= self.values.len() {
            self.values.resize(number + 1, None);
        }
        self.values[number] = Some(value);
    }
}

//! Maps and sets by values, slots and other keys, for a compiler that isn't optimised.
//!
//! Macros are built without optimisation unless a user asks for it. There a lookup in std's tables costs hundreds of instructions, which was
//! a third of an expansion's time: each step of theirs is a call. These tables have one short loop for each lookup.
//!
//! - Entries are visited in the order in which they came, so that nothing that is emitted depends on hashes. [`Map::remove`] puts the last entry
//!   in the place of the one that it removes.
//! - The hash is one multiplication for each word: nobody chooses keys to collide.

use std::borrow::Borrow;
use std::hash::{Hash, Hasher};

/// Marks a free place in a table.
const FREE: u32 = u32::MAX;

/// A table of indices into a list of entries, with linear probing; at most half of its places are taken.
#[derive(Clone, Debug)]
pub(crate) struct Map<K, V> {
    entries: Vec<(K, V)>,
    /// Empty, or a power of two.
    table: Vec<u32>,
}

impl<K, V> Default for Map<K, V> {
    fn default() -> Self {
        Map {
            entries: Vec::new(),
            table: Vec::new(),
        }
    }
}

impl<K, V> Map<K, V> {
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(crate) fn clear(&mut self) {
        self.entries.clear();
        self.table.clear();
    }

    pub(crate) fn iter(&self) -> Iter<'_, K, V> {
        Iter(self.entries.iter())
    }

    pub(crate) fn keys(&self) -> Keys<'_, K, V> {
        Keys(self.entries.iter())
    }

    pub(crate) fn values(&self) -> Values<'_, K, V> {
        Values(self.entries.iter())
    }
}

impl<K: Hash + Eq, V> Map<K, V> {
    /// Where in the table a key is, or would be put. The table has a free place.
    fn place<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> usize
    where
        K: Borrow<Q>,
    {
        let last = self.table.len() - 1;
        let mut at = hash(key) & last;
        loop {
            let index = self.table[at];
            if index == FREE || self.entries[index as usize].0.borrow() == key {
                return at;
            }
            at = (at + 1) & last;
        }
    }

    /// The index of a key's entry.
    fn find<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> Option<usize>
    where
        K: Borrow<Q>,
    {
        if self.entries.is_empty() {
            return None;
        }
        match self.table[self.place(key)] {
            FREE => None,
            index => Some(index as usize),
        }
    }

    /// The index of a key's entry, which `value` makes if there is none.
    fn find_or_make(&mut self, key: K, value: impl FnOnce() -> V) -> usize {
        if self.table.len() < 2 * (self.entries.len() + 1) {
            self.grow();
        }
        let at = self.place(&key);
        if self.table[at] == FREE {
            self.table[at] = number(self.entries.len());
            self.entries.push((key, value()));
        }
        self.table[at] as usize
    }

    fn grow(&mut self) {
        let places = (4 * self.entries.len()).next_power_of_two().max(8);
        self.fill(places);
    }

    /// Makes the table from the entries, with so many places.
    fn fill(&mut self, places: usize) {
        self.table.clear();
        self.table.resize(places, FREE);
        let last = places - 1;
        for (index, (key, _)) in self.entries.iter().enumerate() {
            let mut at = hash(key) & last;
            while self.table[at] != FREE {
                at = (at + 1) & last;
            }
            self.table[at] = number(index);
        }
    }

    pub(crate) fn contains_key<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.find(key).is_some()
    }

    pub(crate) fn get<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        match self.find(key) {
            Some(index) => Some(&self.entries[index].1),
            None => None,
        }
    }

    pub(crate) fn get_mut<Q: Hash + Eq + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        match self.find(key) {
            Some(index) => Some(&mut self.entries[index].1),
            None => None,
        }
    }

    /// Returns the earlier value of the key.
    pub(crate) fn insert(&mut self, key: K, value: V) -> Option<V> {
        let mut value = Some(value);
        let index = self.find_or_make(key, || value.take().expect("it is taken once"));
        value.map(|value| std::mem::replace(&mut self.entries[index].1, value))
    }

    /// Removes a key; the last entry takes its place in the order.
    pub(crate) fn remove<Q: Hash + Eq + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let index = self.find(key)?;
        let last = self.table.len() - 1;
        let mut free = self.place(key);
        // Entries behind it that were put there because it was in their way move up.
        let mut at = free;
        loop {
            at = (at + 1) & last;
            let moved = self.table[at];
            if moved == FREE {
                break;
            }
            let wanted = hash(&self.entries[moved as usize].0) & last;
            if at.wrapping_sub(wanted) & last >= at.wrapping_sub(free) & last {
                self.table[free] = moved;
                free = at;
            }
        }
        self.table[free] = FREE;
        if index + 1 < self.entries.len() {
            let at = self.place::<K>(&self.entries[self.entries.len() - 1].0);
            self.table[at] = number(index);
        }
        Some(self.entries.swap_remove(index).1)
    }

    pub(crate) fn retain(&mut self, mut keep: impl FnMut(&K, &mut V) -> bool) {
        let before = self.entries.len();
        self.entries.retain_mut(|(key, value)| keep(key, value));
        if self.entries.len() < before {
            self.fill(self.table.len());
        }
    }

    pub(crate) fn entry(&mut self, key: K) -> Entry<'_, K, V> {
        Entry { map: self, key }
    }
}

#[allow(
    clippy::cast_possible_truncation,
    reason = "the lower half is as good as any"
)]
fn hash(key: &(impl Hash + ?Sized)) -> usize {
    let mut mixer = Mixer(0);
    key.hash(&mut mixer);
    // High bits come down: the lower ones of the product depend on the lower ones of the key alone.
    (mixer.0 ^ (mixer.0 >> 32)) as usize
}

pub(super) fn number(index: usize) -> u32 {
    u32::try_from(index).expect("functions have fewer values")
}

/// A key that may have a value already.
pub(crate) struct Entry<'a, K, V> {
    map: &'a mut Map<K, V>,
    key: K,
}

impl<'a, K: Hash + Eq, V> Entry<'a, K, V> {
    pub(crate) fn or_insert_with(self, value: impl FnOnce() -> V) -> &'a mut V {
        let index = self.map.find_or_make(self.key, value);
        &mut self.map.entries[index].1
    }

    pub(crate) fn or_insert(self, value: V) -> &'a mut V {
        self.or_insert_with(|| value)
    }

    pub(crate) fn or_default(self) -> &'a mut V
    where
        V: Default,
    {
        self.or_insert_with(V::default)
    }
}

impl<K: Hash + Eq + Borrow<Q>, Q: Hash + Eq + ?Sized, V> std::ops::Index<&Q> for Map<K, V> {
    type Output = V;

    fn index(&self, key: &Q) -> &V {
        self.get(key).expect("the map has the key")
    }
}

impl<K: Hash + Eq, V> Extend<(K, V)> for Map<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        for (key, value) in entries {
            self.insert(key, value);
        }
    }
}

impl<K: Hash + Eq, V> FromIterator<(K, V)> for Map<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut map = Map::default();
        map.extend(entries);
        map
    }
}

macro_rules! iterators {
    ($($name:ident: $item:ty, $entry:pat => $value:expr;)*) => {
        $(
            pub(crate) struct $name<'a, K, V>(std::slice::Iter<'a, (K, V)>);

            impl<'a, K, V> Iterator for $name<'a, K, V> {
                type Item = $item;

                fn next(&mut self) -> Option<Self::Item> {
                    match self.0.next() {
                        Some($entry) => Some($value),
                        None => None,
                    }
                }
            }
        )*
    };
}

iterators! {
    Iter: (&'a K, &'a V), (key, value) => (key, value);
    Keys: &'a K, (key, _) => key;
    Values: &'a V, (_, value) => value;
}

impl<'a, K, V> IntoIterator for &'a Map<K, V> {
    type Item = (&'a K, &'a V);
    type IntoIter = Iter<'a, K, V>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<K, V> IntoIterator for Map<K, V> {
    type Item = (K, V);
    type IntoIter = std::vec::IntoIter<(K, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}

/// A map without values.
#[derive(Clone, Debug)]
pub(crate) struct Set<K>(Map<K, ()>);

impl<K> Default for Set<K> {
    fn default() -> Self {
        Set(Map::default())
    }
}

impl<K> Set<K> {
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn iter(&self) -> Keys<'_, K, ()> {
        self.0.keys()
    }
}

impl<K: Hash + Eq> Set<K> {
    pub(crate) fn contains<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.0.contains_key(key)
    }

    /// True if the key is new.
    pub(crate) fn insert(&mut self, key: K) -> bool {
        self.0.insert(key, ()).is_none()
    }

    /// True if the key was there; the last one takes its place in the order.
    pub(crate) fn remove<Q: Hash + Eq + ?Sized>(&mut self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.0.remove(key).is_some()
    }

    pub(crate) fn retain(&mut self, mut keep: impl FnMut(&K) -> bool) {
        self.0.retain(|key, ()| keep(key));
    }

    pub(crate) fn intersection(&self, other: &Set<K>) -> impl Iterator<Item = &K> {
        self.iter().filter(|key| other.contains(*key))
    }

    pub(crate) fn difference(&self, other: &Set<K>) -> impl Iterator<Item = &K> {
        self.iter().filter(|key| !other.contains(*key))
    }

    pub(crate) fn is_subset(&self, other: &Set<K>) -> bool {
        self.iter().all(|key| other.contains(key))
    }
}

impl<K: Hash + Eq> Extend<K> for Set<K> {
    fn extend<I: IntoIterator<Item = K>>(&mut self, keys: I) {
        for key in keys {
            self.insert(key);
        }
    }
}

impl<'a, K: Hash + Eq + Copy + 'a> Extend<&'a K> for Set<K> {
    fn extend<I: IntoIterator<Item = &'a K>>(&mut self, keys: I) {
        for key in keys {
            self.insert(*key);
        }
    }
}

impl<K: Hash + Eq> FromIterator<K> for Set<K> {
    fn from_iter<I: IntoIterator<Item = K>>(keys: I) -> Self {
        let mut set = Set::default();
        set.extend(keys);
        set
    }
}

impl<'a, K> IntoIterator for &'a Set<K> {
    type Item = &'a K;
    type IntoIter = Keys<'a, K, ()>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<K> IntoIterator for Set<K> {
    type Item = K;
    type IntoIter = std::iter::Map<std::vec::IntoIter<(K, ())>, fn((K, ())) -> K>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.entries.into_iter().map(|(key, ())| key)
    }
}

impl<K: Hash + Eq> PartialEq for Set<K> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.is_subset(other)
    }
}

/// Mixes words by a multiplication with an odd number whose bits look random (the golden ratio's).
struct Mixer(u64);

impl Hasher for Mixer {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, word: u8) {
        self.write_u64(word.into());
    }

    fn write_u32(&mut self, word: u32) {
        self.write_u64(word.into());
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::{Map, Set};
    use std::collections::HashMap;

    /// The same operations on a map of std, with few enough keys that places are taken, freed and taken again.
    #[test]
    fn like_the_map_of_std() {
        let (mut ours, mut std) = (Map::default(), HashMap::new());
        let mut state = 1u64;
        for step in 0..20_000u64 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let key = (state >> 40) % 97;
            match (state >> 20) % 4 {
                0 => assert_eq!(ours.remove(&key), std.remove(&key)),
                1 => *ours.entry(key).or_insert(0) += step,
                _ => assert_eq!(ours.insert(key, step), std.insert(key, step)),
            }
            if (state >> 20) % 4 == 1 {
                *std.entry(key).or_insert(0) += step;
            }
            if step % 1000 == 999 {
                ours.retain(|key, _| key % 3 != 0);
                std.retain(|key, _| key % 3 != 0);
            }
            assert_eq!(ours.len(), std.len());
            assert!((0..97).all(|key| ours.get(&key) == std.get(&key)));
        }
    }

    #[test]
    fn entries_stay_in_order() {
        let keys: Vec<String> = (0..100).map(|k| format!("{}", k * 7919 % 100)).collect();
        let set: Set<String> = keys.iter().chain(&keys).cloned().collect();
        assert!(set.iter().eq(&keys));
        assert!(set.contains("17") && !set.contains("100"));
    }
}

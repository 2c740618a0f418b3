//! The content of a map or set as a list, in the order of its iterator.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
#[cfg(feature = "std")]
use std::collections::{HashMap, HashSet};

/// A map or set of std's: its own iterators return what a loop over a reference to it does.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has the name of a map of the standard library, but is another type",
    label = "its entries are taken for those of a map",
    note = "collect them first: `let entries: Vec<(usize, f64)> = ..;`, and loop over `&entries`"
)]
pub trait Map {}
impl<K, V> Map for BTreeMap<K, V> {}
impl<K> Map for BTreeSet<K> {}
#[cfg(feature = "std")]
impl<K, V, S> Map for HashMap<K, V, S> {}
#[cfg(feature = "std")]
impl<K, S> Map for HashSet<K, S> {}

/// An entry of a map, or an element of a set.
pub trait Entry {
    /// A copy of it.
    type Owned;

    /// Copies it.
    fn own(self) -> Self::Owned;
}
impl<K: Clone, V: Clone> Entry for (&K, &V) {
    type Owned = (K, V);

    #[inline(always)]
    fn own(self) -> (K, V) {
        (self.0.clone(), self.1.clone())
    }
}
impl<T: Clone> Entry for &T {
    type Owned = T;

    #[inline(always)]
    fn own(self) -> T {
        self.clone()
    }
}

type EntryOf<'a, M> = <&'a M as IntoIterator>::Item;

/// The entries of a map, or the elements of a set.
#[inline]
pub fn entries<'a, M: Map>(map: &'a M) -> Vec<<EntryOf<'a, M> as Entry>::Owned>
where
    &'a M: IntoIterator<Item: Entry>,
{
    map.into_iter().map(Entry::own).collect()
}

/// The keys of a map.
#[inline]
pub fn keys<'a, K: Clone + 'a, V: 'a, M: Map>(map: &'a M) -> Vec<K>
where
    &'a M: IntoIterator<Item = (&'a K, &'a V)>,
{
    map.into_iter().map(|(key, _)| key.clone()).collect()
}

/// The values of a map.
#[inline]
pub fn values<'a, K: 'a, V: Clone + 'a, M: Map>(map: &'a M) -> Vec<V>
where
    &'a M: IntoIterator<Item = (&'a K, &'a V)>,
{
    map.into_iter().map(|(_, value)| value.clone()).collect()
}

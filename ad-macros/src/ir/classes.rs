//! Classes of things that belong together: found by uniting two at a time.

use std::hash::Hash;

use super::Map;

/// Nodes, each in a class.
pub(crate) struct Classes<N> {
    nodes: Map<N, usize>,
    /// Towards the representative of its class, for each node.
    parents: Vec<usize>,
}

impl<N: Copy + Eq + Hash> Classes<N> {
    /// The index of a node, which is in a class of its own at first.
    pub(crate) fn index(&mut self, node: N) -> usize {
        let next = self.parents.len();
        let index = *self.nodes.entry(node).or_insert(next);
        if index == next {
            self.parents.push(next);
        }
        index
    }

    /// The representative of the class of a node, by its index.
    pub(crate) fn root(&self, mut index: usize) -> usize {
        while self.parents[index] != index {
            index = self.parents[index];
        }
        index
    }

    pub(crate) fn unite(&mut self, a: N, b: N) {
        let [a, b] = [a, b].map(|node| self.index(node));
        let (old, root) = (self.root(a), self.root(b));
        for index in [a, b, old] {
            self.parents[index] = root;
        }
    }

    /// The index of a node, if it is known.
    pub(crate) fn known(&self, node: N) -> Option<usize> {
        self.nodes.get(&node).copied()
    }

    /// All nodes, with their indices.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = (N, usize)> {
        self.nodes.iter().map(|(node, index)| (*node, *index))
    }

    /// How many nodes there are.
    pub(crate) fn len(&self) -> usize {
        self.parents.len()
    }
}

impl<N> Default for Classes<N> {
    fn default() -> Self {
        Classes {
            nodes: Map::default(),
            parents: Vec::new(),
        }
    }
}

//! Where in a file to look: by a position, and by a name. It is made once for a file, so that no expansion goes through all of the file.
//!
//! In: text and its [`Items`]. Out: [`Index`]. Names are found by words alone: what follows `fn`, `struct` and the like may be the name of an item,
//! and nothing else can be. Who asks parses what is found.

use std::collections::HashMap;

use super::bare;
use super::imports::may_be_known;
use super::scan::{Block, Items, words};

/// An item, by its position in the lists of [`Items`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    Block(usize),
    Statement(usize),
}

#[derive(Debug, Default)]
pub(super) struct Index {
    /// Where each line begins.
    lines: Vec<usize>,
    /// Where each block is opened, and which it is, in that order.
    opened: Vec<(usize, usize)>,
    /// By the block around it, and by a name that it may have.
    named: HashMap<Option<usize>, HashMap<String, Vec<Entry>>>,
    /// The statements of a block that may import what the compiler knows.
    imports: HashMap<Option<usize>, Vec<usize>>,
    /// The `impl`s in a block.
    impls: HashMap<Option<usize>, Vec<usize>>,
}

impl Index {
    pub(super) fn new(text: &str, items: &Items) -> Index {
        let mut index = Index {
            lines: vec![0],
            ..Index::default()
        };
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        index.lines.extend(ends.map(|(at, _)| at + 1));
        for (k, block) in items.blocks.iter().enumerate() {
            index.opened.push((block.open, k));
            index.add(block.inside, &block.header, Entry::Block(k));
            if words(&block.header).any(|word| word == Some("impl")) {
                index.impls.entry(block.inside).or_default().push(k);
            }
        }
        index.opened.sort_unstable();
        for (k, statement) in items.statements.iter().enumerate() {
            index.add(statement.inside, &statement.text, Entry::Statement(k));
            if may_be_known(&statement.text) {
                index.imports.entry(statement.inside).or_default().push(k);
            }
        }
        index
    }

    fn add(&mut self, inside: Option<usize>, text: &str, entry: Entry) {
        for name in names(text) {
            let named = self.named.entry(inside).or_default();
            let entries = named.entry(bare(name).to_owned()).or_default();
            if entries.last() != Some(&entry) {
                entries.push(entry);
            }
        }
    }

    /// Where a line begins, counted from one.
    pub(super) fn line(&self, number: usize) -> Option<usize> {
        self.lines.get(number.checked_sub(1)?).copied()
    }

    /// The blocks around a position, the innermost first.
    pub(super) fn around<'i>(
        &self,
        blocks: &'i [Block],
        offset: usize,
    ) -> impl Iterator<Item = &'i Block> {
        let before = self.opened.partition_point(|(open, _)| *open < offset);
        let last = before.checked_sub(1).map(|last| self.opened[last].1);
        // Blocks are closed in the order in which they are listed.
        let outer = |block: &&'i Block| block.inside.and_then(|open| self.opened_at(blocks, open));
        let all: Vec<&Block> =
            std::iter::successors(last.map(|last| &blocks[last]), outer).collect();
        all.into_iter().filter(move |block| offset < block.close)
    }

    fn opened_at<'i>(&self, blocks: &'i [Block], open: usize) -> Option<&'i Block> {
        let at = self.opened.binary_search_by_key(&open, |(open, _)| *open);
        Some(&blocks[self.opened[at.ok()?].1])
    }

    /// The entries of a block that may be an item of this name.
    pub(super) fn named(&self, inside: Option<usize>, name: &str) -> &[Entry] {
        let named = self.named.get(&inside);
        named
            .and_then(|named| named.get(name))
            .map_or(&[], |all| all)
    }

    /// The entries of a block that may be `impl`s.
    pub(super) fn impls(&self, inside: Option<usize>) -> &[usize] {
        self.impls.get(&inside).map_or(&[], |all| all)
    }

    /// The statements of a block that may import what the compiler knows.
    pub(super) fn imports(&self, inside: Option<usize>) -> &[usize] {
        self.imports.get(&inside).map_or(&[], |all| all)
    }
}

/// The words that may be the name of the item that a text begins.
fn names(text: &str) -> impl Iterator<Item = &str> {
    let mut after = false;
    words(text)
        .filter(move |word| {
            let Some(word) = word else {
                after = false;
                return false;
            };
            let declares = matches!(
                *word,
                "fn" | "const" | "static" | "type" | "struct" | "enum" | "trait" | "union" | "mod"
            );
            let is_modifier = declares || matches!(*word, "mut" | "unsafe" | "async" | "extern");
            if is_modifier {
                after |= declares;
                return false;
            }
            std::mem::take(&mut after)
        })
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::enclosing::scan;

    #[test]
    fn names_follow_keywords() {
        for (text, expected) in [
            (
                "#[a(fn = \"fn b\")] pub const unsafe fn f(x: fn(f64) -> f64) ",
                vec!["f"],
            ),
            ("static mut S: u8 = 0", vec!["S"]),
            ("impl<const N: usize> A<N> ", vec!["N"]),
            ("pub(crate) type r#fn = f64", vec!["r#fn"]),
            ("if x ", vec![]),
            ("pub extern \"C\" fn f() ", vec!["f"]),
        ] {
            assert_eq!(names(text).collect::<Vec<_>>(), expected, "{text}");
        }
    }

    #[test]
    fn blocks_around_a_position() {
        let text = "mod a { fn f() { if x { 1 } else { 2 } } } mod b { fn g() {} fn h() { 3 } } fn i() {} 4";
        let items = scan::items(text);
        let index = Index::new(text, &items);
        let around = |mark: &str| -> Vec<&str> {
            let around = index.around(&items.blocks, text.find(mark).unwrap());
            around.map(|block| block.header.trim()).collect()
        };
        assert_eq!(around("1"), ["if x", "fn f()", "mod a"]);
        assert_eq!(around("2"), ["else", "fn f()", "mod a"]);
        assert_eq!(around("3"), ["fn h()", "mod b"]);
        assert_eq!(around("fn i"), [""; 0]);
        assert_eq!(around("4"), [""; 0]);
    }
}

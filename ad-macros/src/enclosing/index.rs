//! Finds items by a position and by a name. It is made once for a file, so that no expansion goes through all of the file.
//!
//! In: text and its [`Item`]s. Out: [`Index`], by positions in the list of items. Nothing is parsed here.

use std::collections::HashMap;

use super::scan::{Item, words};
use super::tokens::bare;

#[derive(Debug, Default)]
pub(super) struct Index {
    /// Where each line begins.
    lines: Vec<usize>,
    /// Where each block is opened, and which it is, in that order.
    opened: Vec<(usize, usize)>,
    /// By the block around it.
    scopes: HashMap<Option<usize>, Scope>,
}

/// The items of one block, or of a file.
#[derive(Debug, Default)]
pub(super) struct Scope {
    /// By a name that they may have.
    named: HashMap<String, Vec<usize>>,
    pub(super) uses: Vec<usize>,
    pub(super) impls: Vec<usize>,
    pub(super) modules: Vec<usize>,
    /// Calls of macros with braces.
    pub(super) macros: Vec<usize>,
}

impl Scope {
    /// The items that may have this name.
    pub(super) fn named(&self, name: &str) -> &[usize] {
        self.named.get(name).map_or(&[], |all| all)
    }
}

impl Index {
    pub(super) fn new(text: &str, items: &[Item]) -> Index {
        let mut index = Index {
            lines: vec![0],
            ..Index::default()
        };
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        index.lines.extend(ends.map(|(at, _)| at + 1));
        for (k, item) in items.iter().enumerate() {
            let is_macro = item.keyword.is_empty() && item.header.contains('!');
            index.opened.extend(item.braces.map(|(open, _)| (open, k)));
            if item.keyword.is_empty() && !is_macro {
                continue;
            }
            let scope = index.scopes.entry(item.inside).or_default();
            match item.keyword {
                "use" => scope.uses.push(k),
                "impl" => scope.impls.push(k),
                "" if item.braces.is_some() => scope.macros.push(k),
                // What it declares may have any of its words as a name.
                "" => words(&item.header).flatten().for_each(|word| {
                    let named = scope.named.entry(bare(word).to_owned());
                    named.or_default().push(k);
                }),
                keyword => {
                    scope.modules.extend((keyword == "mod").then_some(k));
                    let named = scope.named.entry(item.name.clone());
                    named.or_default().push(k);
                }
            }
        }
        index.opened.sort_unstable();
        index
    }

    /// Where a line begins, counted from one.
    pub(super) fn line(&self, number: usize) -> Option<usize> {
        self.lines.get(number.checked_sub(1)?).copied()
    }

    /// The blocks around a position, the innermost first.
    pub(super) fn around<'i>(
        &self,
        items: &'i [Item],
        offset: usize,
    ) -> impl Iterator<Item = &'i Item> {
        let before = self.opened.partition_point(|(open, _)| *open < offset);
        let last = before.checked_sub(1).map(|last| self.opened[last].1);
        let outer = |block: &&'i Item| self.opened_at(items, block.inside?);
        let all: Vec<&Item> = std::iter::successors(last.map(|last| &items[last]), outer).collect();
        let is_around = move |block: &&Item| block.braces.is_some_and(|(_, end)| offset < end);
        all.into_iter().filter(is_around)
    }

    /// The block whose brace is opened there.
    pub(super) fn opened_at<'i>(&self, items: &'i [Item], open: usize) -> Option<&'i Item> {
        let at = self.opened.binary_search_by_key(&open, |(open, _)| *open);
        Some(&items[self.opened[at.ok()?].1])
    }

    /// The items of a block.
    pub(super) fn scope(&self, inside: Option<usize>) -> Option<&Scope> {
        self.scopes.get(&inside)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::enclosing::scan;

    #[test]
    fn blocks_around_a_position() {
        let text = "mod a { fn f() { if x { 1 } else { 2 } } } mod b { fn g() {} fn h() { 3 } } fn i() {} 4";
        let items = scan::items(text);
        let index = Index::new(text, &items);
        let around = |mark: &str| -> Vec<&str> {
            let around = index.around(&items, text.find(mark).unwrap());
            around.map(|block| block.header.trim()).collect()
        };
        assert_eq!(around("1"), ["if x", "fn f()", "mod a"]);
        assert_eq!(around("2"), ["else", "fn f()", "mod a"]);
        assert_eq!(around("3"), ["fn h()", "mod b"]);
        assert_eq!(around("fn i"), [""; 0]);
        assert_eq!(around("4"), [""; 0]);
    }
}

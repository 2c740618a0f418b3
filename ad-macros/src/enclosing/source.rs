//! Reads source files, each of them once for all attributes in it, unless it changes, and finds items by a position and by a name.
//!
//! In: the position of an attribute. Out: a [`Source`], whose items are listed but not parsed: a parsed item belongs to one expansion only.
//! No expansion goes through all of a file.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::SystemTime;

use super::attributes::leaves_module;
use super::calls::Calls;
use super::scan::{self, Item};
use super::{bare, imports, macros, module};

/// Where an attribute stands.
pub(crate) struct Site {
    pub(crate) file: PathBuf,
    /// Counted from one.
    pub(crate) line: usize,
    /// In characters, counted from one.
    pub(crate) column: usize,
}

impl Site {
    /// The attribute that is being expanded.
    pub(crate) fn current() -> Option<Site> {
        let span = proc_macro::Span::call_site();
        Some(Site {
            file: span.local_file()?,
            line: span.line(),
            column: span.column(),
        })
    }

    /// The file, and where in it the attribute is.
    pub(super) fn located(&self) -> Option<(Arc<Source>, usize)> {
        let source = source(&self.file)?;
        let offset = source.offset(self)?;
        Some((source, offset))
    }
}

/// A file, as it was when it was read.
pub(super) struct Source {
    pub(super) path: PathBuf,
    version: Version,
    pub(super) text: String,
    pub(super) items: Vec<Item>,
    /// Where each line begins.
    lines: Vec<usize>,
    /// Where each block is opened, and which item it is, in that order.
    opened: Vec<(usize, usize)>,
    /// By the block around it.
    scopes: HashMap<Option<usize>, Scope>,
    /// The names of macros that may not be those of std.
    pub(super) own_macros: HashSet<String>,
    /// Macros that declare names where they are called.
    pub(super) declaring: HashSet<String>,
    /// See [`imports::Imports::matrices`].
    pub(super) matrices: bool,
    /// The blocks of functions that aren't inlined.
    pub(super) not_inlined: Mutex<HashSet<usize>>,
    /// The types, by their modules, for which an expansion has emitted the items of a missing derive.
    pub(super) recovered: Mutex<HashSet<(Option<usize>, String)>>,
    pub(super) calls: OnceLock<HashMap<Option<usize>, Calls>>,
    /// See [`Source::brought`].
    brought: OnceLock<HashMap<Option<usize>, Vec<Brought>>>,
}

/// A name that a `use` brings, as [`Import`](super::module::Import) without tokens, which belong to one expansion only.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Brought {
    /// Empty if the configuration decides whether the name is brought.
    pub(super) path: Vec<String>,
    /// `None` for `*`.
    pub(super) name: Option<String>,
}

/// When a file was written, and how long it was.
type Version = (Option<SystemTime>, u64);

impl Source {
    fn new(path: &Path, version: Version, text: String) -> Source {
        let items = scan::items(&text);
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let blocks = items.iter().enumerate();
        let opened = blocks.filter_map(|(k, item)| Some((item.braces?.0, k)));
        let mut opened: Vec<(usize, usize)> = opened.collect();
        opened.sort_unstable();
        Source {
            path: path.to_owned(),
            version,
            lines: [0].into_iter().chain(ends.map(|(at, _)| at + 1)).collect(),
            opened,
            scopes: scopes(&items),
            own_macros: macros::own(&items),
            declaring: macros::declaring(&items, &text),
            matrices: imports::has_matrices(&items),
            not_inlined: Mutex::default(),
            recovered: Mutex::default(),
            calls: OnceLock::new(),
            brought: OnceLock::new(),
            items,
            text,
        }
    }

    #[cfg(test)]
    pub(super) fn of(text: &str) -> Arc<Source> {
        Arc::new(Source::new(Path::new(""), (None, 0), text.to_owned()))
    }

    /// The blocks around a position, the innermost first.
    pub(super) fn around(&self, offset: usize) -> impl Iterator<Item = &Item> {
        let before = self.opened.partition_point(|(open, _)| *open < offset);
        let last = before
            .checked_sub(1)
            .map(|last| &self.items[self.opened[last].1]);
        let all = std::iter::successors(last, |block| self.opened_at(block.inside?));
        all.filter(move |block| block.braces.is_some_and(|(_, close)| offset < close))
    }

    /// The block whose brace is opened there.
    pub(super) fn opened_at(&self, open: usize) -> Option<&Item> {
        let at = self.opened.binary_search_by_key(&open, |(open, _)| *open);
        Some(&self.items[self.opened[at.ok()?].1])
    }

    /// The items of a block, or of the file, that may have a name.
    pub(super) fn named(&self, inside: Option<usize>, name: &str) -> impl Iterator<Item = &Item> {
        let scope = self.scopes.get(&inside);
        self.at(scope.and_then(|scope| scope.named.get(name)))
    }

    /// The items of a block, or of the file, with a keyword.
    pub(super) fn kind(&self, inside: Option<usize>, keyword: &str) -> impl Iterator<Item = &Item> {
        let scope = self.scopes.get(&inside);
        self.at(scope.and_then(|scope| scope.kinds.get(keyword)))
    }

    fn at<'s>(&'s self, all: Option<&'s Vec<usize>>) -> impl Iterator<Item = &'s Item> {
        all.into_iter().flatten().map(|at| &self.items[*at])
    }

    /// The names that the imports of a block, or of the file, bring.
    pub(super) fn brought(&self, inside: Option<usize>) -> &[Brought] {
        let all = self.brought.get_or_init(|| {
            let mut all: HashMap<_, Vec<Brought>> = HashMap::new();
            for item in self.items.iter().filter(|item| item.keyword == "use") {
                let Some(parsed) = module::parsed_use(item) else {
                    continue;
                };
                let may_be_absent = !parsed.attrs.iter().all(leaves_module);
                let here = all.entry(item.inside).or_default();
                here.extend(module::imports_of(&parsed.tree).iter().map(|import| {
                    let mut brought = import.brought();
                    if may_be_absent {
                        brought.path.clear();
                    }
                    brought
                }));
            }
            all
        });
        all.get(&inside).map_or(&[], Vec::as_slice)
    }

    /// The functions with bodies.
    pub(super) fn functions(&self) -> impl Iterator<Item = &Item> {
        functions(&self.items)
    }

    /// Where a line and column are, in bytes.
    fn offset(&self, site: &Site) -> Option<usize> {
        let start = *self.lines.get(site.line.checked_sub(1)?)?;
        let line = self.text.get(start..)?.lines().next()?;
        // A mark of the byte order, which rustc doesn't count.
        let mark = line.len() - line.trim_start_matches('\u{feff}').len();
        let (before, _) = line[mark..]
            .char_indices()
            .nth(site.column.checked_sub(1)?)?;
        Some(start + mark + before)
    }
}

/// The items of one block, or of a file.
#[derive(Debug, Default)]
struct Scope {
    /// By a name that they may have.
    named: HashMap<String, Vec<usize>>,
    /// By their keywords; without one are calls of macros.
    kinds: HashMap<&'static str, Vec<usize>>,
}

fn scopes(items: &[Item]) -> HashMap<Option<usize>, Scope> {
    let mut scopes: HashMap<Option<usize>, Scope> = HashMap::new();
    for (k, item) in items.iter().enumerate() {
        if item.keyword.is_empty() && !item.header.contains('!') {
            continue;
        }
        let scope = scopes.entry(item.inside).or_default();
        scope.kinds.entry(item.keyword).or_default().push(k);
        let mut add = |name: &str| scope.named.entry(name.to_owned()).or_default().push(k);
        match item.keyword {
            // Its items may have any of its words as a name.
            "" if item.braces.is_none() => {
                scan::words(&item.header)
                    .flatten()
                    .for_each(|word| add(bare(word)));
            }
            _ if item.name.is_empty() => {}
            _ => add(&item.name),
        }
    }
    scopes
}

/// The functions with bodies.
pub(super) fn functions(items: &[Item]) -> impl Iterator<Item = &Item> {
    let blocks = items.iter().filter(|item| item.braces.is_some());
    blocks.filter(|block| block.keyword == "fn")
}

static SOURCES: Mutex<Vec<Arc<Source>>> = Mutex::new(Vec::new());

impl std::fmt::Debug for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.path.fmt(f)
    }
}

pub(super) fn source(path: &Path) -> Option<Arc<Source>> {
    let about = std::fs::metadata(path).ok()?;
    let version = (about.modified().ok(), about.len());
    let mut sources = SOURCES.lock().ok()?;
    if let Some(known) = sources.iter().position(|source| source.path == path) {
        if sources[known].version == version {
            return Some(Arc::clone(&sources[known]));
        }
        sources.swap_remove(known);
    }
    let text = std::fs::read_to_string(path).ok()?;
    let source = Arc::new(Source::new(path, version, text));
    sources.push(Arc::clone(&source));
    Some(source)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_characters() {
        let text = "\u{feff}// é\r\n  ä #[a]\n#[b]";
        let site = |line, column| Site {
            file: PathBuf::new(),
            line,
            column,
        };
        let source = Source::of(text);
        let at = |line, column| {
            let at = source.offset(&site(line, column))?;
            Some(&text[at..at + 2])
        };
        assert_eq!(at(1, 1), Some("//"));
        assert_eq!(at(2, 5), Some("#["));
        assert_eq!(at(3, 1), Some("#["));
        assert_eq!(at(4, 1), None);
        assert_eq!(at(0, 1), None);
    }

    #[test]
    fn blocks_around_a_position() {
        let text = "mod a { fn f() { if x { 1 } else { 2 } } } mod b { fn g() {} fn h() { 3 } } fn i() {} 4";
        let source = Source::of(text);
        let around = |mark: &str| -> Vec<&str> {
            let around = source.around(text.find(mark).unwrap());
            around.map(|block| block.header.trim()).collect()
        };
        assert_eq!(around("1"), ["if x", "fn f()", "mod a"]);
        assert_eq!(around("2"), ["else", "fn f()", "mod a"]);
        assert_eq!(around("3"), ["fn h()", "mod b"]);
        assert_eq!(around("fn i"), [""; 0]);
        assert_eq!(around("4"), [""; 0]);
    }

    #[test]
    fn blocks_behind_one_in_parentheses() {
        let text = "impl A { fn f() { g(|k| { h([{ 1 }]) }) } #[a] fn i() {} }";
        let source = Source::of(text);
        let around = source.around(text.find("#[a]").unwrap());
        let around: Vec<&str> = around.map(|block| block.header.trim()).collect();
        assert_eq!(around, ["impl A"]);
    }
}

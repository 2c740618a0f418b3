//! Reads source files, each of them once for all attributes in it, unless it changes.
//!
//! In: where an attribute stands. Out: a [`Source`], whose items are listed but not parsed: what is parsed belongs to one expansion only.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::SystemTime;

use super::calls::Calls;
use super::index::Index;
use super::{imports, scan};

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
    pub(super) items: Vec<scan::Item>,
    pub(super) index: Index,
    /// The names of macros that may not be those of std.
    pub(super) own_macros: HashSet<String>,
    /// See [`imports::Imports::matrices`].
    pub(super) matrices: bool,
    /// The blocks of functions whose bodies don't stand for their calls.
    pub(super) called: Mutex<HashSet<usize>>,
    /// The types, by their modules, for which an expansion has emitted what a missing derive would.
    pub(super) recovered: Mutex<HashSet<(Option<usize>, String)>>,
    pub(super) calls: OnceLock<HashMap<Option<usize>, Calls>>,
}

/// When a file was written, and how long it was.
type Version = (Option<SystemTime>, u64);

impl Source {
    fn new(path: &Path, version: Version, text: String) -> Source {
        let items = scan::items(&text);
        Source {
            path: path.to_owned(),
            version,
            index: Index::new(&text, &items),
            own_macros: imports::macros(&items),
            matrices: imports::has_matrices(&items),
            called: Mutex::default(),
            recovered: Mutex::default(),
            calls: OnceLock::new(),
            items,
            text,
        }
    }

    #[cfg(test)]
    pub(super) fn of(text: &str) -> Arc<Source> {
        Arc::new(Source::new(Path::new(""), (None, 0), text.to_owned()))
    }

    /// The blocks around a position, the innermost first.
    pub(super) fn around(&self, offset: usize) -> impl Iterator<Item = &scan::Item> {
        self.index.around(&self.items, offset)
    }

    /// The functions with bodies.
    pub(super) fn functions(&self) -> impl Iterator<Item = &scan::Item> {
        functions(&self.items)
    }

    /// Where a line and column are, in bytes.
    fn offset(&self, site: &Site) -> Option<usize> {
        let start = self.index.line(site.line)?;
        let line = self.text.get(start..)?.lines().next()?;
        // A mark of the byte order, which rustc doesn't count.
        let mark = line.len() - line.trim_start_matches('\u{feff}').len();
        let (before, _) = line[mark..]
            .char_indices()
            .nth(site.column.checked_sub(1)?)?;
        Some(start + mark + before)
    }
}

/// The functions with bodies.
pub(super) fn functions(items: &[scan::Item]) -> impl Iterator<Item = &scan::Item> {
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
}

//! What a function with an attribute stands in, which the attribute itself isn't told: whether it is a free function or one of an `impl`,
//! whose generics its rules need; and what stands beside it.
//!
//! In: where the attribute stands. Out: a [`Place`], from the source file. The file only decides between kinds of expansions that rustc checks:
//! where it can't be read, or isn't what is being compiled, the place is unknown, and what the function mentions has to do.

mod callees;
mod calls;
mod declared;
mod imports;
mod index;
mod methods;
mod names;
mod read;
mod scan;
mod siblings;
mod structs;

pub(crate) use calls::{Calls, calls};
mod whole;

pub(crate) use callees::{Callees, callees};
pub(crate) use declared::{FileTypes, file_types, missing_tangent};
pub(crate) use imports::{ForeignFloats, Imports, imports};
pub(crate) use methods::{Indexing, MethodBody, text_of_method};
pub(crate) use names::{Clash, capitals, clash};
pub(crate) use siblings::{
    Body, Handed, Siblings, beside_an_impl, fingerprint, has_no_rules, may_be_inlined, may_stand,
    siblings, words,
};
pub(crate) use structs::Own;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::SystemTime;

use proc_macro2::TokenTree;
use quote::ToTokens;

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
}

/// What a function stands in.
pub(crate) enum Place {
    /// A module or a function.
    Free,
    Impl(Box<syn::ItemImpl>),
    Trait,
    /// An `impl` that a macro writes, so that there is no telling what it is of.
    MadeImpl,
    Unknown,
}

/// What the function that the attribute at `site` stands on, `name`, stands in.
pub(crate) fn place(site: Option<&Site>, name: &syn::Ident) -> Place {
    let Some((source, offset)) = site.and_then(|site| located(site, name)) else {
        return Place::Unknown;
    };
    match source.around(offset).next() {
        None => Place::Free,
        Some(block) => read(&block.header),
    }
}

/// The file, and where in it the attribute is, if it stands on a function of that name.
fn located(site: &Site, name: &syn::Ident) -> Option<(Arc<Source>, usize)> {
    let source = source(&site.file)?;
    let offset = source.offset(site)?;
    let found = scan::function_after(&source.text, offset)?;
    (bare(found) == bare(&name.to_string())).then_some((source, offset))
}

/// An item, from its text.
fn parsed(text: &str) -> Option<syn::Item> {
    syn::parse_str(text).ok()
}

/// A name, whether it is a raw one or not.
fn bare(name: &str) -> &str {
    name.trim_start_matches("r#")
}

/// What a block is, by its header.
fn read(header: &str) -> Place {
    match syn::parse_str::<syn::Item>(&format!("{header}{{}}")) {
        Ok(syn::Item::Impl(block)) => Place::Impl(Box::new(block)),
        Ok(syn::Item::Trait(_)) => Place::Trait,
        Ok(syn::Item::Mod(_) | syn::Item::Fn(_)) => Place::Free,
        _ => match first_word(header).as_deref() {
            Some("impl") => Place::MadeImpl,
            Some("trait") => Place::Trait,
            _ => Place::Unknown,
        },
    }
}

/// The keyword of an item, behind its attributes.
fn first_word(header: &str) -> Option<String> {
    let tokens: proc_macro2::TokenStream = header.parse().ok()?;
    let mut words = tokens.into_iter().filter_map(|token| match token {
        TokenTree::Ident(word) => Some(word.to_string()),
        _ => None,
    });
    words.find(|word| !["pub", "unsafe", "default", "const"].contains(&word.as_str()))
}

/// Whether a function mentions `Self`, which free functions can't.
pub(crate) fn mentions_self(item: &impl ToTokens) -> bool {
    fn mentions(tokens: proc_macro2::TokenStream) -> bool {
        tokens.into_iter().any(|token| match token {
            TokenTree::Ident(word) => word == "Self",
            TokenTree::Group(group) => mentions(group.stream()),
            _ => false,
        })
    }
    mentions(item.to_token_stream())
}

/// A file, as it was when it was read.
struct Source {
    path: PathBuf,
    version: Version,
    text: String,
    items: scan::Items,
    index: index::Index,
    /// The names of macros that may not be those of std.
    own_macros: HashSet<String>,
    /// See [`Imports::matrices`].
    matrices: bool,
    /// The functions whose names begin with a capital.
    capitals: Vec<String>,
    /// The blocks of functions whose bodies don't stand for their calls.
    called: Mutex<HashSet<usize>>,
    /// The types, by their modules, for which an expansion has emitted what a missing derive would.
    recovered: Mutex<HashSet<(Option<usize>, String)>>,
    calls: OnceLock<HashMap<Option<usize>, Calls>>,
}

/// When a file was written, and how long it was.
type Version = (Option<SystemTime>, u64);

impl Source {
    fn new(path: &Path, version: Version, text: String) -> Source {
        let items = scan::items(&text);
        Source {
            path: path.to_owned(),
            version,
            index: index::Index::new(&text, &items),
            own_macros: imports::macros(&items),
            matrices: imports::has_matrices(&items),
            capitals: names::of_functions(&items),
            called: Mutex::default(),
            recovered: Mutex::default(),
            calls: OnceLock::new(),
            items,
            text,
        }
    }

    /// The blocks around a position, the innermost first.
    fn around(&self, offset: usize) -> impl Iterator<Item = &scan::Block> {
        self.index.around(&self.items.blocks, offset)
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

/// A file is read once for all attributes in it, unless it changes.
static SOURCES: Mutex<Vec<Arc<Source>>> = Mutex::new(Vec::new());

impl std::fmt::Debug for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.path.fmt(f)
    }
}

fn source(path: &Path) -> Option<Arc<Source>> {
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

    fn kind(header: &str) -> &'static str {
        match read(header) {
            Place::Free => "free",
            Place::Impl(_) => "impl",
            Place::Trait => "trait",
            Place::MadeImpl => "made",
            Place::Unknown => "unknown",
        }
    }

    #[test]
    fn blocks_by_their_headers() {
        for (header, expected) in [
            ("mod m ", "free"),
            ("#[cfg(test)] pub(crate) mod tests ", "free"),
            ("pub fn f() -> impl Fn(f64) -> f64 ", "free"),
            (
                "impl<T: Real, const N: usize> Model<T, N> where T: Copy ",
                "impl",
            ),
            ("unsafe impl Trait for [f64; 3] ", "impl"),
            ("impl $name ", "made"),
            ("#[cfg(x)] impl<$t> Model<$t> ", "made"),
            ("pub trait Trait: Copy ", "trait"),
            ("($name:ident) => ", "unknown"),
            ("if x ", "unknown"),
        ] {
            assert_eq!(kind(header), expected, "{header}");
        }
    }

    #[test]
    fn lines_and_columns_count_characters() {
        let text = "\u{feff}// é\r\n  ä #[a]\n#[b]";
        let site = |line, column| Site {
            file: PathBuf::new(),
            line,
            column,
        };
        let source = Source::new(Path::new(""), (None, 0), text.to_owned());
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

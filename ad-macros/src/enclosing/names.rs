//! Whether the name of a free function is free for the type that carries its rules.
//!
//! In: where the attribute stands. Out: a [`Clash`], if what the files say of the module and of the one around it shows one.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::index::Entry;
use super::scan::{Items, words};
use super::{Site, Source, bare, located, source};

/// What has the function's name.
pub(crate) enum Clash {
    /// The module that the function is in, which is where callers look for its rules: the module around imports the function, so that both
    /// stand there under one name. Where it does so by name, a type would be imported along with the function.
    Module { by_name: bool },
    /// Something beside the function.
    Item(&'static str),
}

/// What has the name of the function that the attribute at `site` stands on.
pub(crate) fn clash(site: Option<&Site>, name: &syn::Ident) -> Option<Clash> {
    let (source, offset) = located(site?, name)?;
    let text = name.to_string();
    let name = bare(&text);
    let inside = source.around(offset).next();
    if let Some(kind) = beside(&source, inside.map(|block| block.open), name) {
        return Some(Clash::Item(kind));
    }
    let (parent, around) = match inside {
        Some(block) if module(&block.header).as_deref() == Some(name) => {
            (Arc::clone(&source), block.inside)
        }
        None if module_of_file(&source.path) == Some(name) => (parent(&source.path, name)?, None),
        _ => return None,
    };
    let uses = parent.items.statements.iter();
    let imports: Vec<Import> = uses
        .filter(|statement| statement.inside == around)
        .filter_map(|statement| import(&statement.text, name))
        .collect();
    let by_name = imports.contains(&Import::Name);
    (!imports.is_empty()).then_some(Clash::Module { by_name })
}

/// The functions and methods of a file whose names begin with a capital, as those of types and variants do.
pub(crate) fn capitals(site: Option<&Site>) -> Vec<String> {
    let source = site.and_then(|site| source(&site.file));
    source.map_or_else(Vec::new, |source| source.capitals.clone())
}

/// Those of them in a file.
pub(super) fn of_functions(items: &Items) -> Vec<String> {
    let names = items
        .blocks
        .iter()
        .filter_map(|block| capital(&block.header));
    names.map(ToOwned::to_owned).collect()
}

/// The name of a function, if it begins with a capital, by the header of its block.
fn capital(header: &str) -> Option<&str> {
    let (before, name) = header.split_once("fn ")?;
    let name = name.trim_start();
    let end = name.find(|c: char| !c.is_alphanumeric() && c != '_')?;
    let is_word = before.is_empty() || before.ends_with(char::is_whitespace);
    (is_word && name.starts_with(char::is_uppercase)).then_some(&name[..end])
}

/// What bears a name among the types and modules of a block.
fn beside(source: &Source, inside: Option<usize>, name: &str) -> Option<&'static str> {
    let named = |item: syn::Item| match item {
        syn::Item::Mod(item) if bare(&item.ident.to_string()) == name => Some("module"),
        syn::Item::Struct(item) if bare(&item.ident.to_string()) == name => Some("type"),
        syn::Item::Enum(item) if bare(&item.ident.to_string()) == name => Some("type"),
        syn::Item::Trait(item) if bare(&item.ident.to_string()) == name => Some("trait"),
        _ => None,
    };
    let items = source.index.named(inside, name).iter();
    let texts = items.map(|item| match item {
        Entry::Block(at) => (&source.items.blocks[*at].header, "{}"),
        Entry::Statement(at) => (&source.items.statements[*at].text, ";"),
    });
    // Functions aren't types.
    let mut others = texts.filter(|(text, _)| {
        let mut words = words(text).flatten();
        words.any(|word| matches!(word, "mod" | "struct" | "enum" | "trait"))
    });
    others.find_map(|(text, end)| named(syn::parse_str(&format!("{text}{end}")).ok()?))
}

/// The name of a module, by its header.
fn module(header: &str) -> Option<String> {
    match syn::parse_str(&format!("{header}{{}}")).ok()? {
        syn::Item::Mod(item) => Some(bare(&item.ident.to_string()).to_owned()),
        _ => None,
    }
}

/// `beta.rs` and `beta/mod.rs`.
fn module_of_file(path: &Path) -> Option<&str> {
    match path.file_stem()?.to_str()? {
        "mod" => path.parent()?.file_name()?.to_str(),
        stem => Some(stem),
    }
}

/// The file that declares the module of another.
fn parent(path: &Path, name: &str) -> Option<Arc<Source>> {
    let mut folder = path.parent()?;
    if path.file_stem()? == "mod" {
        folder = folder.parent()?;
    }
    let mut files: Vec<PathBuf> = ["mod.rs", "lib.rs", "main.rs"]
        .map(|file| folder.join(file))
        .into();
    files.push(folder.with_extension("rs"));
    let declares = |source: &Arc<Source>| {
        let mut statements = source.items.statements.iter();
        statements.any(|statement| {
            let item = syn::parse_str(&format!("{};", statement.text));
            matches!(item, Ok(syn::Item::Mod(item)) if bare(&item.ident.to_string()) == name)
        })
    };
    files.iter().filter_map(|file| source(file)).find(declares)
}

/// How `use` brings a function out of the module of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Import {
    /// `pub use beta::beta`, `use self::beta::{self, beta}`
    Name,
    /// `use beta::*`
    Glob,
}

fn import(text: &str, name: &str) -> Option<Import> {
    match syn::parse_str(&format!("{text};")).ok()? {
        syn::Item::Use(item) => leads_to(&item.tree, name, false),
        _ => None,
    }
}

/// `within`: the path so far ends in the module.
fn leads_to(tree: &syn::UseTree, name: &str, within: bool) -> Option<Import> {
    match tree {
        syn::UseTree::Path(path) => {
            leads_to(&path.tree, name, bare(&path.ident.to_string()) == name)
        }
        syn::UseTree::Name(leaf) => {
            (within && bare(&leaf.ident.to_string()) == name).then_some(Import::Name)
        }
        syn::UseTree::Rename(_) => None,
        syn::UseTree::Glob(_) => within.then_some(Import::Glob),
        syn::UseTree::Group(group) => {
            let all = group
                .items
                .iter()
                .filter_map(|tree| leads_to(tree, name, within));
            all.min_by_key(|import| *import != Import::Name)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_import_brings() {
        for (text, expected) in [
            ("pub use beta::beta", Some(Import::Name)),
            ("use self::beta::{ln_beta, beta}", Some(Import::Name)),
            ("pub(crate) use beta::*", Some(Import::Glob)),
            (
                "use crate::special::{gamma::gamma, beta::{self, beta}}",
                Some(Import::Name),
            ),
            ("use beta::ln_beta", None),
            ("use beta::beta as b", None),
            ("use other::beta", None),
            ("use beta::other::beta", None),
        ] {
            assert_eq!(import(text, "beta"), expected, "{text}");
        }
        assert_eq!(import("mod beta", "beta"), None);
    }

    #[test]
    fn functions_with_capitals() {
        for (header, expected) in [
            ("pub fn N(x: f64) -> f64 ", Some("N")),
            (
                "#[inline]\n    pub(crate) const fn Jnu_Ynu<T>(x: T) ",
                Some("Jnu_Ynu"),
            ),
            ("fn n(x: N) ", None),
            ("impl Fn for N ", None),
            ("struct N ", None),
        ] {
            assert_eq!(capital(header), expected, "{header}");
        }
    }

    #[test]
    fn modules_of_files() {
        assert_eq!(
            module_of_file(Path::new("src/special/beta.rs")),
            Some("beta")
        );
        assert_eq!(
            module_of_file(Path::new("src/special/mod.rs")),
            Some("special")
        );
    }
}

//! Finds out if the name of a free function is free for the type that carries its rules.
//!
//! In: the position of the attribute. Out: a [`Clash`], if the files of the module and of the one around it show one.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use syn::visit::Visit;

use super::attributes::{are_without_rules, make_plain_rules};
use super::declared::declares_type;
use super::located;
use super::module::{Import, Module};
use super::source::{Site, Source, source};
use super::tokens::bare;
use crate::paths::last_name;

/// Another item with the function's name.
pub(crate) enum Clash {
    /// The module that the function is in, which is where callers look for its rules: the module around imports the function, so that both
    /// stand there under one name. Where it does so by name, a type would be imported along with the function.
    Module { by_name: bool },
    /// Something beside the function.
    Item(&'static str),
}

/// The item with the name of the function that the attribute at `site` stands on.
pub(crate) fn clash(site: Option<&Site>, function: &syn::ItemFn) -> Option<Clash> {
    let name = &function.sig.ident;
    if writes_type(function, name) {
        return Some(Clash::Item("type that the function uses"));
    }
    let (source, offset) = located(site, name)?;
    let text = name.to_string();
    let name = bare(&text);
    let block = source.around(offset).next();
    let inside = Module {
        inside: block.and_then(|block| Some(block.braces?.0)),
        ..Module::file(Arc::clone(&source))
    };
    let kinds = inside.named(name).filter_map(|item| match item.keyword {
        "mod" => Some("module"),
        "struct" | "enum" => Some("type"),
        "trait" => Some("trait"),
        _ => None,
    });
    if let Some(kind) = { kinds }.next() {
        return Some(Clash::Item(kind));
    }
    let parent = match block {
        Some(block) if block.keyword == "mod" && block.name == name => Module {
            inside: block.inside,
            ..inside
        },
        None if module_of_file(&source.path) == Some(name) => {
            Module::file(parent(&source.path, name)?)
        }
        _ => return None,
    };
    let words = [name];
    let imports = parent.imports(&words);
    let by_name = imports.filter_map(|import| leads_to(&import, name)).max()?;
    Some(Clash::Module { by_name })
}

/// Returns `true` if a function writes a type as a word, `f64` for one.
fn writes_type(function: &syn::ItemFn, word: &syn::Ident) -> bool {
    struct Finder<'a>(&'a syn::Ident, bool);

    impl<'ast> Visit<'ast> for Finder<'_> {
        fn visit_type_path(&mut self, ty: &'ast syn::TypePath) {
            self.1 |= ty.path.is_ident(self.0);
            syn::visit::visit_type_path(self, ty);
        }
    }

    let mut finder = Finder(word, false);
    finder.visit_item_fn(function);
    finder.1
}

/// Where the rules of an `impl` stand whose trait is declared beside it, without an attribute that makes rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum OfPlainTrait {
    /// The module declares the type, too: the methods have the rules of the type's own.
    Type,
    Nowhere,
}

/// Looks for the trait of an `impl`; `None` if it may have rules.
pub(crate) fn of_plain_trait(site: Option<&Site>, block: &syn::ItemImpl) -> Option<OfPlainTrait> {
    let module = Module::at(site)?;
    let (path, _) = block.trait_.as_ref()?;
    let name = last_name(path)?;
    if path.segments.len() != 1 || !is_unmarked_trait(&module, bare(&name)) {
        return None;
    }
    let declares = match &*block.self_ty {
        syn::Type::Path(own) if own.path.segments.len() == 1 => {
            let name = own.path.segments[0].ident.to_string();
            declares_type(&module, bare(&name))
        }
        _ => false,
    };
    Some(if declares {
        OfPlainTrait::Type
    } else {
        OfPlainTrait::Nowhere
    })
}

/// Returns `true` if a name is that of a trait of the module, without an attribute that makes rules.
pub(super) fn is_unmarked_trait(module: &Module, name: &str) -> bool {
    let found: Vec<_> = module.named(name).collect();
    let [item] = found[..] else {
        return false;
    };
    let parsed = module.parsed::<syn::ItemTrait>(item, false);
    parsed.is_some_and(|item| are_without_rules(&item.attrs))
}

/// Returns `true` if another `impl` beside this one gives its type rules for the same trait, with other arguments.
pub(crate) fn has_rival(site: Option<&Site>, block: &syn::ItemImpl) -> bool {
    let (Some(module), Some((path, _))) = (Module::at(site), &block.trait_) else {
        return false;
    };
    let is_rival = |other: syn::ItemImpl| {
        let same = |other: &syn::Path| {
            let (own, other) = (path.segments.last(), other.segments.last());
            own.map(|own| &own.ident) == other.map(|other| &other.ident) && own != other
        };
        other.self_ty == block.self_ty
            && make_plain_rules(&other.attrs)
            && other.trait_.is_some_and(|(path, _)| same(&path))
    };
    let mut blocks = module.all("impl");
    blocks.any(|item| module.parsed(item, false).is_some_and(is_rival))
}

/// The functions and methods of a file whose names begin with a capital, as those of types and variants do.
pub(crate) fn capitals(site: Option<&Site>) -> Vec<String> {
    let source = site.and_then(|site| source(&site.file));
    source.map_or_else(Vec::new, |source| capitals_of(&source))
}

fn capitals_of(source: &Source) -> Vec<String> {
    let names = source.functions().map(|function| &function.name);
    let capitals = names.filter(|name| name.starts_with(char::is_uppercase));
    capitals.cloned().collect()
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
        let mut items = source.items.iter();
        items.any(|item| item.braces.is_none() && item.keyword == "mod" && item.name == name)
    };
    files.iter().filter_map(|file| source(file)).find(declares)
}

/// How an import brings a function out of the module of its name: by its name, `pub use beta::beta`, or else by `beta::*`.
fn leads_to(import: &Import, name: &str) -> Option<bool> {
    let mut path = import.path.iter().rev().map(ToString::to_string);
    let by_name = !import.is_glob();
    let is_it = !by_name || path.next().is_some_and(|last| bare(&last) == name) && import.is(name);
    let is_of_module = path.next().is_some_and(|parent| bare(&parent) == name);
    (is_it && is_of_module).then_some(by_name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::enclosing::module::imports_of;

    #[test]
    fn what_an_import_brings() {
        for (text, expected) in [
            ("pub use beta::beta", Some(true)),
            ("use self::beta::{ln_beta, beta}", Some(true)),
            ("pub(crate) use beta::*", Some(false)),
            (
                "use crate::special::{gamma::gamma, beta::{self, beta}}",
                Some(true),
            ),
            ("use beta::ln_beta", None),
            ("use beta::beta as b", None),
            ("use other::beta", None),
            ("use beta::other::beta", None),
        ] {
            let item: syn::ItemUse = syn::parse_str(&format!("{text};")).unwrap();
            let imports = imports_of(&item.tree);
            let by_name = imports.iter().filter_map(|import| leads_to(import, "beta"));
            assert_eq!(by_name.max(), expected, "{text}");
        }
    }

    #[test]
    fn functions_with_capitals() {
        let source = Source::of(
            "pub fn N(x: f64) -> f64 { x } #[inline]\n    pub(crate) const fn Jnu_Ynu<T>(x: T) { }
             fn n(x: N) { } impl Fn for N { } struct N { }",
        );
        assert_eq!(capitals_of(&source), ["N", "Jnu_Ynu"]);
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

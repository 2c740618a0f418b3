//! Finds the module that an attribute is in, and reads its items by their names.
//!
//! In: where an attribute stands. Out: a [`Module`], of which only the items that are asked for are parsed, and the names that `use` brings.
//!
//! Several items may have one name, be it by `#[cfg]` or in namespaces of their own: who trusts an item asks that there is only one.

use std::collections::HashSet;
use std::sync::Arc;

use proc_macro2::{Ident, TokenStream};
use syn::visit::Visit;

use super::scan::Item;
use super::source::{Brought, Site, Source};
use super::tokens::{bare, words};

/// A module in a file.
#[derive(Clone, Debug)]
pub(super) struct Module {
    pub(super) source: Arc<Source>,
    /// Where its brace is opened, but for that of the file.
    pub(super) inside: Option<usize>,
    /// Its items are read for another module, in which the names that it imports may be others.
    pub(super) is_elsewhere: bool,
}

impl Module {
    /// The module of an attribute, unless it is in a function, whose items and imports aren't those of the module.
    pub(super) fn at(site: Option<&Site>) -> Option<Module> {
        let (source, offset) = site?.located()?;
        let around = source.around(offset).find(|block| !is_of_methods(block));
        let is_module = around.is_none_or(|block| block.keyword == "mod");
        let inside = around.and_then(|block| Some(block.braces?.0));
        is_module.then(|| Module {
            inside,
            ..Module::file(source)
        })
    }

    #[cfg(test)]
    pub(super) fn of(text: &str) -> Module {
        Module::file(Source::of(text))
    }

    /// The module in which an attribute stands, and the names that its item mentions, with those in the header of an `impl` or trait around it.
    pub(super) fn and_names(
        site: Option<&Site>,
        item: &TokenStream,
    ) -> Option<(Module, HashSet<String>)> {
        let module = Module::at(site)?;
        let mut names = HashSet::new();
        words(item.clone(), &mut names);
        let (source, offset) = site?.located()?;
        let around = source.around(offset);
        for block in around.take_while(|block| is_of_methods(block)) {
            words(block.header.parse().ok()?, &mut names);
        }
        Some((module, names))
    }

    pub(super) fn file(source: Arc<Source>) -> Module {
        Module {
            source,
            inside: None,
            is_elsewhere: false,
        }
    }

    /// The module around this one.
    pub(super) fn parent(&self) -> Option<Module> {
        let block = |open| self.source.opened_at(open);
        let inside = block(self.inside?)?.inside;
        let is_module = inside.is_none_or(|open| block(open).is_some_and(|b| b.keyword == "mod"));
        is_module.then(|| Module {
            inside,
            ..self.clone()
        })
    }

    /// The items in the braces of an item.
    pub(super) fn within(&self, item: &Item) -> Module {
        Module {
            inside: item.braces.map(|(open, _)| open),
            ..self.clone()
        }
    }

    pub(super) fn named(&self, name: &str) -> impl Iterator<Item = &Item> {
        let may_be = self.source.named(self.inside, name);
        may_be.filter(move |item| item.name == name)
    }

    /// True if there may be an item of this name, if only by a macro.
    pub(super) fn may_have(&self, name: &str) -> bool {
        self.source.named(self.inside, name).next().is_some()
    }

    pub(super) fn has_module(&self, name: &str) -> bool {
        self.named(name).any(|item| item.keyword == "mod")
    }

    /// The items with this keyword; without one, the calls of macros.
    pub(super) fn all(&self, keyword: &str) -> impl Iterator<Item = &Item> {
        self.source.kind(self.inside, keyword)
    }

    /// The imports that mention one of these words.
    pub(super) fn uses(&self, words: &[&str]) -> impl Iterator<Item = syn::ItemUse> {
        let uses = self.all("use").filter(|item| item.is_use_of(words));
        uses.filter_map(parsed_use)
    }

    /// The names that `use` brings from items that mention one of these words.
    pub(super) fn imports(&self, words: &[&str]) -> impl Iterator<Item = Import> {
        self.uses(words).flat_map(|item| imports_of(&item.tree))
    }

    /// The names that `use` brings, without tokens.
    pub(super) fn brought(&self) -> &[Brought] {
        self.source.brought(self.inside)
    }

    /// The variants of an enum of this module, by its path.
    fn variants(&self, path: &[Ident]) -> Option<Vec<String>> {
        let name = match path {
            [name] => name,
            [module, name] if module == "self" => name,
            _ => return None,
        };
        let name = name.to_string();
        let mut all = self.named(bare(&name)).filter(|item| item.is_type());
        let (Some(item), None) = (all.next(), all.next()) else {
            return None;
        };
        let item = self.parsed::<syn::ItemEnum>(item, true)?;
        let variants = item.variants.iter();
        Some(
            variants
                .map(|variant| bare(&variant.ident.to_string()).to_owned())
                .collect(),
        )
    }

    /// The text of an item's body, without its braces.
    pub(super) fn body(&self, item: &Item) -> &str {
        let text = |(open, close)| self.source.text.get(open + 1..close);
        item.braces.and_then(text).unwrap_or("")
    }

    pub(super) fn parsed<T: syn::parse::Parse>(&self, item: &Item, with_body: bool) -> Option<T> {
        let text = match item.braces {
            Some(_) if with_body => format!("{}{{{}}}", item.header, self.body(item)),
            _ => item.without_body(),
        };
        syn::parse_str(&text).ok()
    }
}

/// True for an `impl` or a trait.
fn is_of_methods(block: &Item) -> bool {
    ["impl", "trait"].contains(&block.keyword)
}

/// An import, from its statement.
pub(super) fn parsed_use(item: &Item) -> Option<syn::ItemUse> {
    syn::parse_str(&item.without_body()).ok()
}

/// A name that a `use` brings.
pub(super) struct Import {
    /// As it is written, with the name that it has there; without one for `*`.
    pub(super) path: Vec<Ident>,
    /// The name that it has here; `None` for `*`.
    pub(super) name: Option<Ident>,
}

impl Import {
    /// True if it imports this name; for `*` the names aren't known.
    pub(super) fn is(&self, name: &str) -> bool {
        let own = self.name.as_ref().map(ToString::to_string);
        own.is_some_and(|own| bare(&own) == name)
    }

    pub(super) fn brought(&self) -> Brought {
        let text = |name: &Ident| bare(&name.to_string()).to_owned();
        Brought {
            path: self.path.iter().map(text).collect(),
            name: self.name.as_ref().map(text),
        }
    }

    pub(super) fn is_glob(&self) -> bool {
        self.name.is_none()
    }

    /// Where the path begins, unless it is one name only.
    pub(super) fn root(&self) -> Option<String> {
        let has_more = self.path.len() > usize::from(!self.is_glob());
        Some(self.path.first().filter(|_| has_more)?.to_string())
    }

    /// True if its path begins with this module.
    pub(super) fn is_of(&self, root: &str) -> bool {
        self.root().is_some_and(|own| own == root)
    }

    /// True if it is of the crate's own modules, by the path.
    pub(super) fn is_own(&self) -> bool {
        ["self", "super", "crate"]
            .iter()
            .any(|root| self.is_of(root))
    }
}

/// The names that bodies import, unless only rustc can resolve an import.
pub(super) fn imported_in(bodies: &[&syn::Block], module: &Module) -> Option<HashSet<String>> {
    struct Imported<'a> {
        module: &'a Module,
        names: HashSet<String>,
        unknown: bool,
    }
    impl<'ast> Visit<'ast> for Imported<'_> {
        fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
            for import in imports_of(&item.tree) {
                match (&import.name, self.module.variants(&import.path)) {
                    (Some(name), _) => self.names.extend([bare(&name.to_string()).to_owned()]),
                    (None, Some(variants)) => self.names.extend(variants),
                    (None, None) => self.unknown = true,
                }
            }
        }

        fn visit_macro(&mut self, mac: &'ast syn::Macro) {
            let mut names = HashSet::new();
            words(mac.tokens.clone(), &mut names);
            self.unknown |= names.contains("use");
        }
    }
    let mut imported = Imported {
        module,
        names: HashSet::new(),
        unknown: false,
    };
    bodies.iter().for_each(|body| imported.visit_block(body));
    (!imported.unknown).then_some(imported.names)
}

/// The names that a `use` brings.
pub(super) fn imports_of(tree: &syn::UseTree) -> Vec<Import> {
    fn add(tree: &syn::UseTree, path: &mut Vec<Ident>, all: &mut Vec<Import>) {
        let mut take = |last: Option<&Ident>, name: Option<&Ident>| {
            all.push(Import {
                path: path.iter().chain(last).cloned().collect(),
                name: name.cloned(),
            });
        };
        match tree {
            syn::UseTree::Path(tree) => {
                path.push(tree.ident.clone());
                add(&tree.tree, path, all);
                path.pop();
            }
            // `use std::f64::consts::{self, PI};`
            syn::UseTree::Name(leaf) if leaf.ident == "self" => take(None, path.last()),
            syn::UseTree::Rename(leaf) if leaf.ident == "self" => take(None, Some(&leaf.rename)),
            syn::UseTree::Name(leaf) => take(Some(&leaf.ident), Some(&leaf.ident)),
            syn::UseTree::Rename(leaf) => take(Some(&leaf.ident), Some(&leaf.rename)),
            syn::UseTree::Glob(_) => take(None, None),
            syn::UseTree::Group(group) => {
                group.items.iter().for_each(|tree| add(tree, path, all));
            }
        }
    }
    let mut all = Vec::new();
    add(tree, &mut Vec::new(), &mut all);
    all
}

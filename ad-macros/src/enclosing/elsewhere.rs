//! Reads items of other modules of the crate that a module imports, as they would be written in that module.
//!
//! In: a name that is imported. Out: the item, with the types in it under the names that they have where it is imported. A field or a function with a
//! type that has no name there is left out, and so are those that the module can't use.

use std::cell::RefCell;
use std::collections::HashSet;
use std::rc::Rc;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens as _, quote};
use syn::visit_mut::{self, VisitMut};

use super::Imports;
use super::attributes::are_as_written;
use super::module::Module;
use super::portable::{Members, is_portable, unknown_name};
use super::source::Brought;
use super::tokens::{bare, lists};
use super::tree::{Found, Tree, is_package};
use super::whole::traits_with;
use crate::paths::{last_name, runtime_path};
use crate::syntax::{parameter_names, type_arguments};
use crate::types::Alias;
use crate::types::written::is_of_std;

/// Names of std that need no import.
const OF_STD: &str = "Box Option Result Some String Vec";

/// Values that need no import.
const VALUES: &str = "Err None Ok Some";

/// Traits that need no import.
const TRAITS: &str = "Clone Copy Default Fn FnMut FnOnce IntoIterator Iterator Send Sized Sync";

/// The crates of std.
const STD: &str = "alloc core std";

/// Where a path to a module of the crate may begin.
const OWN: [&str; 3] = ["crate", "self", "super"];

/// The imports of a module from other modules of the crate.
pub(super) struct Elsewhere {
    here: Module,
    tree: Rc<Tree>,
    /// Names that mean something else.
    hidden: HashSet<String>,
    /// Types that have no name here, by their paths.
    by_paths: RefCell<Vec<(String, Found)>>,
    /// Other modules, with the fields and methods that they declare.
    others: RefCell<Vec<Rc<Other>>>,
}

/// A module that declares methods.
struct Other {
    elsewhere: Elsewhere,
    members: Members,
}

impl Elsewhere {
    pub(super) fn of(here: &Module, hidden: HashSet<String>) -> Self {
        Elsewhere::with(Rc::default(), here, hidden)
    }

    fn with(tree: Rc<Tree>, here: &Module, hidden: HashSet<String>) -> Self {
        Elsewhere {
            here: here.clone(),
            tree,
            hidden,
            by_paths: RefCell::default(),
            others: RefCell::default(),
        }
    }

    /// The types that have been named by their paths.
    pub(super) fn named_by_paths(&self) -> Vec<(String, Found)> {
        self.by_paths.borrow().clone()
    }

    /// Has a type be named by this path.
    pub(super) fn write_as(&self, path: &TokenStream, found: Found) {
        let path = (path.to_string(), found);
        self.by_paths.borrow_mut().push(path);
    }

    /// The item of another module that has this name here.
    pub(super) fn find(&self, name: &str) -> Option<Found> {
        if self.hidden.contains(name) || self.here.may_have(name) {
            return None;
        }
        let mut named = self.imports(name);
        if let Some(import) = named.next() {
            let found = self.tree.item_at(&self.here, &import.path)?;
            return named.next().is_none().then_some(found);
        }
        self.tree.by_globs(&self.here, name)
    }

    fn imports(&self, name: &str) -> impl Iterator<Item = &Brought> {
        let all = self.here.brought().iter();
        all.filter(move |import| import.name.as_deref() == Some(name))
    }

    /// The item that a path of several names leads to.
    pub(super) fn find_path(&self, path: &[Ident]) -> Option<Found> {
        let path = texts(path.iter());
        if self.hidden.contains(path.first()?) {
            return None;
        }
        self.tree
            .item_at(&self.here, &behind_imports(&self.here, path))
    }

    /// The declaration of a type, a constant or a function, as it would be written here.
    pub(super) fn translated(&self, found: &Found, mut item: syn::Item) -> Option<syn::Item> {
        let from = &found.module;
        match &mut item {
            syn::Item::Struct(item) => {
                let params = params(&item.generics);
                for field in &mut item.fields {
                    let known = self.here.may_use(&field.vis, from)
                        && self.translate(from, &params, |to| to.visit_type_mut(&mut field.ty));
                    if !known {
                        field.attrs.clear();
                        field.ty = syn::parse_quote!(_);
                    }
                }
            }
            syn::Item::Enum(item) => {
                let params = params(&item.generics);
                let fields = item
                    .variants
                    .iter_mut()
                    .flat_map(|variant| &mut variant.fields);
                for field in fields {
                    if !self.translate(from, &params, |to| to.visit_type_mut(&mut field.ty)) {
                        field.ty = syn::parse_quote!(_);
                    }
                }
            }
            syn::Item::Const(item) => {
                let none = HashSet::new();
                if !self.translate(from, &none, |to| to.visit_type_mut(&mut item.ty)) {
                    return None;
                }
            }
            syn::Item::Fn(item) => self.signature(from, &HashSet::new(), &mut item.sig)?,
            syn::Item::Type(item) => {
                let params = params(&item.generics);
                if !self.translate(from, &params, |to| to.visit_type_mut(&mut item.ty)) {
                    return None;
                }
            }
            _ => return None,
        }
        Some(item)
    }

    /// A method of an `impl` of a type that `from` declares, if it can be called here. Its body is left as it is.
    pub(super) fn method(
        &self,
        from: &Module,
        block: &syn::ItemImpl,
        mut method: syn::ImplItemFn,
    ) -> Option<syn::ImplItemFn> {
        if from.is(&self.here) {
            return Some(method);
        }
        let known = self.here.may_use(&method.vis, from);
        known.then(|| self.signature(from, &params(&block.generics), &mut method.sig))??;
        Some(method)
    }

    /// Returns `true` if the types in the header and in the signatures of an `impl` have the same names here.
    pub(super) fn is_same_impl(&self, from: &Module, block: &syn::ItemImpl) -> bool {
        if from.is(&self.here) {
            return true;
        }
        let mut here = block.clone();
        let known = self.translate(from, &params(&block.generics), |to| {
            to.visit_type_mut(&mut here.self_ty);
            let of = here
                .trait_
                .as_mut()
                .and_then(|(of, _)| of.segments.last_mut());
            if let Some(of) = of {
                to.visit_path_arguments_mut(&mut of.arguments);
            }
            for item in &mut here.items {
                match item {
                    syn::ImplItem::Fn(method) => to.visit_signature_mut(&mut method.sig),
                    syn::ImplItem::Type(item) => to.visit_type_mut(&mut item.ty),
                    _ => to.is_known = false,
                }
            }
        });
        known && here == *block
    }

    /// Returns `true` if a name that isn't one of a variable refers to the same item here as in another module.
    pub(super) fn is_same(&self, from: &Module, name: &str) -> bool {
        from.is(&self.here) || self.is_same_as_in(&self.other(from).elsewhere, name)
    }

    fn is_same_as_in(&self, elsewhere: &Elsewhere, name: &str) -> bool {
        let from = &elsewhere.here;
        let there = if from.may_have(name) {
            Some(Found {
                module: from.clone(),
                name: name.to_owned(),
            })
        } else {
            elsewhere.find(name)
        };
        let Some(there) = there else {
            let is_free = |module: &Elsewhere| {
                !module.here.may_have(name) && module.imports(name).next().is_none()
            };
            let lists_it = [OF_STD, VALUES, STD].iter().any(|all| lists(all, name));
            let of_std = is_of_std(name) || lists_it;
            return of_std && is_free(self) && is_free(elsewhere);
        };
        if there.module.is(&self.here) {
            return there.name == name && !self.hidden.contains(name);
        }
        self.find(name).is_some_and(|here| here.is(&there))
    }

    /// Returns `true` if a function of `from`, or a method of its type `own`, means the same here, and may be written here.
    pub(super) fn is_portable(
        &self,
        from: &Module,
        own: &str,
        sig: &syn::Signature,
        block: &syn::Block,
    ) -> bool {
        if from.is(&self.here) {
            return true;
        }
        let mut here = sig.clone();
        let is_same = self.signature(from, &HashSet::new(), &mut here).is_some() && here == *sig;
        // Names that are imported from std are written in full where a body is inlined.
        let imports = Imports::of(from, &quote!(#sig #block));
        let block = imports.in_full(None, sig, block);
        is_same && is_portable(self, from, &self.other(from).members, own, sig, &block)
    }

    /// The first name in a function of `from` that refers to something else here, or to nothing.
    pub(super) fn unknown_name(&self, from: &Module, item: &syn::ItemFn) -> Option<String> {
        let imports = Imports::of(from, &item.to_token_stream());
        let block = imports.in_full(None, &item.sig, &item.block);
        unknown_name(self, from, &item.sig, &block)
    }

    fn other(&self, module: &Module) -> Rc<Other> {
        let mut all = self.others.borrow_mut();
        if let Some(known) = all.iter().find(|known| known.elsewhere.here.is(module)) {
            return Rc::clone(known);
        }
        let other = Rc::new(Other {
            elsewhere: Elsewhere::with(Rc::clone(&self.tree), module, HashSet::new()),
            members: Members::of(module, &self.here),
        });
        all.push(Rc::clone(&other));
        other
    }

    /// Returns `true` if a function of this name may be that of a trait, in this module or in another.
    pub(super) fn may_be_of_trait(&self, from: &Module, name: &str) -> bool {
        let in_scope = |module: &Module, of: &String| {
            let mut imports = module.brought().iter();
            module.may_have(of)
                || imports.any(|import| import.path.last() == Some(of) || import.path.is_empty())
                || self.tree.by_globs(module, of).is_some()
        };
        traits_with(name)
            .iter()
            .any(|of| self.hidden.contains(of) || in_scope(&self.here, of) || in_scope(from, of))
    }

    /// Returns `true` if a name may be that of an item of this crate in a module.
    fn may_be_own(&self, module: &Module, name: &str) -> bool {
        let mut imports = module.brought().iter();
        module.may_have(name)
            || imports.any(|import| {
                let root = import.path.first().map_or("", String::as_str);
                import.name.as_deref() == Some(name)
                    && (OWN.contains(&root)
                        || root.is_empty()
                        || module.has_module(root)
                        || is_package(root))
            })
            || self.tree.by_globs(module, name).is_some()
    }

    fn signature(
        &self,
        from: &Module,
        outer: &HashSet<String>,
        sig: &mut syn::Signature,
    ) -> Option<()> {
        let mut params = params(&sig.generics);
        params.extend(outer.iter().cloned());
        self.translate(from, &params, |to| to.visit_signature_mut(sig))
            .then_some(())
    }

    fn translate(
        &self,
        from: &Module,
        params: &HashSet<String>,
        visit: impl FnOnce(&mut Translate<'_>),
    ) -> bool {
        let mut to = Translate {
            view: self,
            from,
            params,
            is_known: true,
        };
        visit(&mut to);
        to.is_known
    }

    /// The type that a path of another module means here.
    fn renamed(&self, from: &Module, path: &syn::TypePath) -> Option<syn::Type> {
        let segments = &path.path.segments;
        let names = texts(segments.iter().map(|of| &of.ident));
        let (first, is_one) = (names[0].clone(), names.len() == 1);
        let declared = from.may_have(&first);
        if path.path.leading_colon.is_some() || lists(STD, &first) && !is_one && !declared {
            let mut absolute = path.clone();
            absolute.path.leading_colon = Some(syn::Token![::](segments[0].ident.span()));
            return Some(syn::Type::Path(absolute));
        }
        if !declared {
            let whole = behind_imports(from, names.clone());
            if whole != names || !is_one {
                let root = whole.first()?;
                let is_own = OWN.contains(&root.as_str()) || from.has_module(root);
                if !is_own && !is_package(root) {
                    return self.of_another_crate(&whole, path);
                }
                return self.named_here(&self.tree.item_at(from, &whole)?, path);
            }
            if is_of_std(&first) || lists(OF_STD, &first) {
                let is_same = !self.here.may_have(&first)
                    && self
                        .imports(&first)
                        .all(|import| import.path.first().is_some_and(|root| lists(STD, root)));
                return is_same.then(|| syn::Type::Path(path.clone()));
            }
            return self.named_here(&self.tree.by_globs(from, &first)?, path);
        }
        if !is_one {
            return self.named_here(&self.tree.item_at(from, &names)?, path);
        }
        let found = Found {
            module: from.clone(),
            name: first,
        };
        self.named_here(&found, path)
    }

    /// A type of another crate: by its path if that is std, else if the same name is imported here.
    fn of_another_crate(&self, whole: &[String], path: &syn::TypePath) -> Option<syn::Type> {
        let is_imported = path.path.segments.len() == 1
            && self
                .imports(whole.last()?)
                .any(|import| import.path == whole);
        if is_imported {
            return Some(syn::Type::Path(path.clone()));
        }
        if !lists(STD, &whole[0]) {
            return None;
        }
        let arguments = &path.path.segments.last()?.arguments;
        let absolute = syn::parse_str::<syn::Path>(&whole.join("::")).ok()?;
        Some(syn::parse_quote!(::#absolute #arguments))
    }

    /// The name of an item here.
    fn named_here(&self, found: &Found, path: &syn::TypePath) -> Option<syn::Type> {
        if let Some(mut alias) = alias(found) {
            let params = params(&alias.generics);
            let known = self.translate(&found.module, &params, |to| {
                to.visit_generics_mut(&mut alias.generics);
                to.visit_type_mut(&mut alias.ty);
            });
            let alias = Alias::new(&alias).filter(|_| known)?;
            return alias.of(&type_arguments(path.path.segments.last()?));
        }
        let is_same = if found.module.is(&self.here) {
            !self.hidden.contains(&found.name)
        } else {
            self.find(&found.name).is_some_and(|here| here.is(found))
        };
        let arguments = &path.path.segments.last()?.arguments;
        let name = if is_same {
            Ident::new(&found.name, Span::call_site()).to_token_stream()
        } else {
            self.path_of(found)?
        };
        Some(syn::parse_quote!(#name #arguments))
    }

    /// The path to a type that has no name here.
    fn path_of(&self, found: &Found) -> Option<TokenStream> {
        let known = self.named_by_paths();
        if let Some((path, _)) = known.iter().find(|(_, known)| known.is(found)) {
            return path.parse().ok();
        }
        let mut items = found.module.named(&found.name);
        let item = items.next().filter(|item| item.is_type())?;
        let visibility = match found.module.parsed::<syn::Item>(item, false)? {
            syn::Item::Struct(item) => item.vis,
            syn::Item::Enum(item) => item.vis,
            syn::Item::Trait(item) => item.vis,
            _ => return None,
        };
        if items.next().is_some() || !self.here.may_use(&visibility, &found.module) {
            return None;
        }
        let modules = found.module.path_for(&self.here)?;
        let name = Ident::new(&found.name, Span::call_site());
        let root = if self.here.is_of_the_crate_of(&found.module) {
            quote!(crate)
        } else {
            let package = std::env::var("CARGO_PKG_NAME").ok()?;
            Ident::new(&package.replace('-', "_"), Span::call_site()).to_token_stream()
        };
        let path = quote!(#root::#(#modules::)*#name);
        self.write_as(&path, found.clone());
        Some(path)
    }
}

/// The declaration of an alias.
fn alias(found: &Found) -> Option<syn::ItemType> {
    let mut items = found.module.named(&found.name);
    let item = items.next().filter(|item| item.keyword == "type")?;
    let alias = found.module.parsed::<syn::ItemType>(item, false)?;
    (items.next().is_none() && are_as_written(&alias.attrs)).then_some(alias)
}

fn texts<'a>(names: impl Iterator<Item = &'a Ident>) -> Vec<String> {
    names
        .map(|name| bare(&name.to_string()).to_owned())
        .collect()
}

/// A path with the path of an import in place of its first name.
fn behind_imports(module: &Module, path: Vec<String>) -> Vec<String> {
    let mut imports = module.brought().iter();
    match imports.find(|import| import.name.as_ref() == path.first()) {
        Some(import) => import.path.iter().chain(&path[1..]).cloned().collect(),
        None => path,
    }
}

fn params(generics: &syn::Generics) -> HashSet<String> {
    parameter_names(generics).map(ToString::to_string).collect()
}

/// Writes types of one module with the names of another.
struct Translate<'a> {
    view: &'a Elsewhere,
    from: &'a Module,
    /// Parameters, which keep their names.
    params: &'a HashSet<String>,
    /// All names have been found.
    is_known: bool,
}

impl VisitMut for Translate<'_> {
    fn visit_type_mut(&mut self, ty: &mut syn::Type) {
        visit_mut::visit_type_mut(self, ty);
        let syn::Type::Path(path) = &*ty else {
            self.is_known &= !matches!(ty, syn::Type::Macro(_));
            return;
        };
        let first = path
            .path
            .segments
            .first()
            .map(|first| first.ident.to_string());
        let is_own = |name: &String| name == "Self" || self.params.contains(name);
        if path.qself.is_some() {
            self.is_known = false;
        } else if !first.as_ref().is_some_and(is_own) {
            match self.view.renamed(self.from, path) {
                Some(renamed) => *ty = renamed,
                None => self.is_known = false,
            }
        }
    }

    fn visit_trait_bound_mut(&mut self, bound: &mut syn::TraitBound) {
        visit_mut::visit_trait_bound_mut(self, bound);
        let last = last_name(&bound.path);
        let Some(last) = last else {
            self.is_known = false;
            return;
        };
        if last == "Real" && !self.view.may_be_own(self.from, "Real") {
            let rt = runtime_path();
            bound.path = syn::parse_quote!(#rt::Real);
        } else if !lists(TRAITS, &last) || self.from.may_have(&last) {
            let of = syn::TypePath {
                attrs: Vec::new(),
                qself: None,
                path: bound.path.clone(),
            };
            match self.view.renamed(self.from, &of) {
                Some(syn::Type::Path(renamed)) => bound.path = renamed.path,
                _ => self.is_known = false,
            }
        }
    }

    /// The length of an array.
    fn visit_expr_mut(&mut self, expr: &mut syn::Expr) {
        self.is_known &= match expr {
            syn::Expr::Lit(_) => true,
            syn::Expr::Path(path) => path.path.get_ident().is_some_and(|name| {
                let name = name.to_string();
                let found = Found {
                    module: self.from.clone(),
                    name: name.clone(),
                };
                self.params.contains(&name)
                    || self.from.may_have(&name)
                        && self.view.find(&name).is_some_and(|here| here.is(&found))
            }),
            _ => false,
        };
    }
}

//! Finds functions of std, constants of its floats, and functions of this crate, that a module imports by name, `use std::mem::swap;`, and which a
//! body mentions by that name alone; and the macros of the file's own, which may have the names of std's.
//!
//! In: where the attribute stands, and the item. Out: [`Imports`], by which a body is rewritten to name them in full, so that they are known
//! wherever paths are; and [`Imports::checks`], by which rustc compares the two, as for [`super::Siblings`].
//!
//! `vec!`, `matches!` and other macros of std mean something to the compiler only if the file has no macro of that name
//! (`Parser::known_macro`). A `macro_rules! vec` that another file brings into scope isn't seen.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};

use super::callees::WITHOUT_RULES;
use super::module::{self, Module, imports_of};
use super::scan::Item;
use super::source::{Site, functions};
use super::tokens::{bare, lists, words_of};
use crate::hir::matrices::is_view_method;
use crate::types::{Bounds, bounded, is_known_module, libm, of_our_functions};

/// The functions that have a meaning of their own to the compiler, with generic arguments to name one instance by.
const KNOWN: [(&str, &str); 14] = [
    ("array::from_fn", "<f64, 1, fn(usize) -> f64>"),
    ("convert::identity", "<f64>"),
    ("hint::black_box", "<f64>"),
    ("iter::from_fn", "<f64, fn() -> Option<f64>>"),
    ("iter::once", "<f64>"),
    ("iter::repeat", "<f64>"),
    ("iter::repeat_n", "<f64>"),
    ("iter::repeat_with", "<f64, fn() -> f64>"),
    ("iter::successors", "<f64, fn(&f64) -> Option<f64>>"),
    ("iter::zip", "<[f64; 1], [f64; 1]>"),
    ("mem::drop", "<f64>"),
    ("mem::replace", "<f64>"),
    ("mem::swap", "<f64>"),
    ("mem::take", "<f64>"),
];

/// The modules of std that they are in.
const MODULES: [&str; 5] = ["array", "convert", "hint", "iter", "mem"];

/// The crates that these are in.
const ROOTS: [&str; 3] = ["std", "core", "alloc"];

/// Types of std that rules read in ways of their own: by position, or by what they own.
const TYPES: [&str; 3] = ["Vec", "VecDeque", "Box"];

/// Instead of arguments: it is a constant, not a function.
const CONSTANT: &str = "const";

/// Words of imports of these functions and constants, and of traits that represent floats.
const USES: &str = "Float FloatCore array consts convert distributions functions \
    hint interpolation iter libm mem num num_traits special traits";

/// The crate of traits of numbers, and the one that exports it.
const CRATES: [&str; 2] = ["num", "num_traits"];
const FLOATS: [&str; 2] = ["Float", "FloatCore"];

/// The meaning of names.
#[derive(Clone, Debug, Default)]
pub(crate) struct Imports {
    functions: HashMap<String, Known>,
    pub(crate) foreign_floats: ForeignFloats,
    /// The macros that the file defines, or imports from elsewhere than std.
    pub(crate) own_macros: HashSet<String>,
    /// Those that declare names where they are called.
    pub(crate) declaring: HashSet<String>,
    /// Functions that the module imports by name, if others may come by `*`: the path to one leads to its own rules, and its name may lead to
    /// the rules of another.
    beside_globs: HashMap<String, syn::Path>,
    /// The names of std's modules that mean other modules here, with the paths to these.
    own_modules: HashMap<String, syn::Path>,
    /// Names of [`TYPES`] that the file declares, or may import from elsewhere.
    types: Vec<Ident>,
    /// The file imports `nalgebra`, and declares no function with the name of one of its views.
    pub(crate) matrices: bool,
    /// The names are those of another module, in which rustc compares them when it expands that module's functions.
    is_elsewhere: bool,
}

/// The traits of `num_traits` that represent floats.
#[derive(Clone, Debug, Default)]
pub(crate) struct ForeignFloats {
    /// The names under which the module imports them.
    names: HashSet<String>,
    /// The names by which paths lead to the crate, or to `num`, which exports it.
    crates: Vec<&'static str>,
    /// The paths that were found to name one.
    used: Rc<RefCell<BTreeMap<String, syn::Path>>>,
}

impl ForeignFloats {
    /// The crates, unless the module has something else of that name.
    fn of(module: &Module) -> Self {
        let is_crate = |name: &&str| {
            let words = [*name];
            let mut imports = module.imports(&words);
            !module.may_have(name) && !imports.any(|import| import.is(name))
        };
        ForeignFloats {
            crates: CRATES.into_iter().filter(is_crate).collect(),
            ..ForeignFloats::default()
        }
    }

    /// True if a path names one.
    pub(crate) fn is(&self, path: &syn::Path) -> bool {
        let (Some(first), Some(last)) = (path.segments.first(), path.segments.last()) else {
            return false;
        };
        let of_crate = CRATES.iter().any(|of| first.ident == of);
        let known = self.crates.iter().any(|of| first.ident == of);
        let is = match path.get_ident() {
            Some(name) => self.names.contains(&name.to_string()),
            None => is_float(&last.ident) && (known || of_crate && path.leading_colon.is_some()),
        };
        if is {
            let text = path.to_token_stream().to_string();
            self.used
                .borrow_mut()
                .entry(text)
                .or_insert_with(|| path.clone());
        }
        is
    }

    /// Items that compile if the traits that were found are those of the crate: no other float has this function.
    fn checks(&self) -> TokenStream {
        let used = self.used.borrow();
        let checks = used.values().map(|path| {
            quote! {
                const _: fn(::core::primitive::f64) -> (::core::primitive::u64, ::core::primitive::i16, ::core::primitive::i8) =
                    <::core::primitive::f64 as #path>::integer_decode;
            }
        });
        checks.collect()
    }

    /// The first bound that is one.
    pub(crate) fn bound<'a>(&self, bounds: &'a Bounds) -> Option<&'a syn::Path> {
        bounds.iter().find_map(|bound| match bound {
            syn::TypeParamBound::Trait(bound) => Some(&bound.path).filter(|path| self.is(path)),
            _ => None,
        })
    }

    /// Adds `Real` to the bounds among which one is. Rules need it; the function that they belong to doesn't.
    pub(crate) fn add_real(&self, generics: &mut syn::Generics, rt: &TokenStream) {
        let real = |bounds: &mut Bounds| {
            if self.bound(bounds).is_some() {
                bounds.push(syn::parse_quote!(#rt::Real));
            }
        };
        generics
            .type_params_mut()
            .for_each(|param| real(&mut param.bounds));
        let clause = generics.where_clause.iter_mut();
        for predicate in clause.flat_map(|clause| &mut clause.predicates) {
            if let syn::WherePredicate::Type(predicate) = predicate {
                real(&mut predicate.bounds);
            }
        }
    }

    /// The same for parameters of the `impl` that a function stands in, as clauses of the function.
    pub(crate) fn repeat_real(
        &self,
        outer: &syn::Generics,
        inner: &mut syn::Generics,
        rt: &TokenStream,
    ) {
        for (of, bounds) in bounded(outer) {
            if self.bound(bounds).is_some() {
                let clause = inner.make_where_clause();
                clause.predicates.push(syn::parse_quote!(#of: #rt::Real));
            }
        }
    }

    fn take(&mut self, import: &module::Import) {
        let Some((first, rest)) = import.path.split_first() else {
            return;
        };
        if !self.crates.iter().any(|of| first == of) {
            return;
        }
        match &import.name {
            Some(name) if rest.last().is_some_and(is_float) => {
                self.names.insert(name.to_string());
            }
            Some(_) => {}
            None => self.names.extend(FLOATS.map(str::to_owned)),
        }
    }
}

fn is_float(name: &Ident) -> bool {
    FLOATS.iter().any(|float| name == float)
}

#[derive(Clone, Debug)]
struct Known {
    path: syn::Path,
    /// Of one instance, if it is generic; or [`CONSTANT`].
    arguments: &'static str,
}

impl Imports {
    /// The imports of a module, as far as an item mentions them.
    pub(super) fn of(module: &Module, item: &TokenStream) -> Imports {
        let mut all = Imports {
            foreign_floats: ForeignFloats::of(module),
            declaring: module.source.declaring.clone(),
            is_elsewhere: module.is_elsewhere,
            ..Imports::default()
        };
        let words: Vec<&str> = USES.split(' ').collect();
        let uses = module.uses(&words).filter(|item| item.attrs.is_empty());
        for import in uses.flat_map(|item| imports_of(&item.tree)) {
            all.functions.extend(known_in(&import, item));
            all.foreign_floats.take(&import);
        }
        all.beside_globs = beside_globs(module, item);
        all.take_modules(module, item);
        all.take_types(module, item);
        if !all.functions.is_empty() {
            let mentioned = words_of(item);
            all.functions
                .retain(|name, _| mentioned.contains(first_of(name)));
        }
        all
    }

    /// Takes the modules of the user's that have names of std's. A name that comes by `*` is assumed to be std's, which rustc checks.
    fn take_modules(&mut self, module: &Module, item: &TokenStream) {
        let mentioned = words_of(item);
        let modules = MODULES.into_iter().chain(ROOTS);
        for name in modules.filter(|name| mentioned.contains(*name)) {
            let words = [name];
            let mut imports = module.imports(&words).filter(|import| import.is(name));
            let imported = imports.next();
            let of_std = |import: &module::Import| import.path.first().is_some_and(is_std);
            let name = Ident::new(name, Span::call_site());
            if module.has_module(&name.to_string())
                || imported.as_ref().is_some_and(|import| !of_std(import))
            {
                self.own_modules
                    .insert(name.to_string(), syn::parse_quote!(self::#name));
            } else if imported.is_none()
                && !ROOTS.iter().any(|root| name == root)
                && !imports_by_itself(item.clone(), &name)
            {
                let all = vec![Ident::new("core", Span::call_site()), name.clone()];
                let by_glob = module::Import {
                    path: all,
                    name: Some(name),
                };
                self.functions.extend(known_in(&by_glob, item));
            }
        }
    }

    /// Takes the names of types that may be the user's.
    fn take_types(&mut self, module: &Module, item: &TokenStream) {
        let mentioned = words_of(item);
        let mut names = TYPES
            .into_iter()
            .filter(|name| mentioned.contains(*name))
            .peekable();
        if names.peek().is_none() {
            return;
        }
        let of_std = |import: &module::Import| import.path.first().is_some_and(is_std);
        let of_prelude =
            |import: &module::Import| import.path.iter().any(|part| part == "chainrule");
        let globs = module.imports(&["*"]).filter(module::Import::is_glob);
        let by_glob = { globs }.any(|import| !of_std(&import) && !of_prelude(&import));
        let may_be_own = |name: &&str| {
            let words = [*name];
            let mut imports = module.imports(&words).filter(|import| import.is(name));
            let imported = imports.next();
            imported.as_ref().map_or(by_glob, |import| !of_std(import))
                || module.named(name).any(|item| item.keyword == "struct")
        };
        let names = names.filter(may_be_own);
        self.types = names
            .map(|name| Ident::new(name, Span::call_site()))
            .collect();
    }

    /// Items that compile if the names of these types are std's.
    pub(crate) fn types_are_of_std(&self, rt: &TokenStream) -> TokenStream {
        let types = &self.types;
        quote!(#(const _: () = #rt::probe::check_of_std::<#types<()>>();)*)
    }

    /// The paths of functions that the body, or the module beside others by `*`, imports by name.
    pub(crate) fn by_name(&self, body: &syn::Block) -> HashMap<String, syn::Path> {
        let mut uses = Uses::default();
        uses.visit_block(body);
        let mut all = self.beside_globs.clone();
        all.extend(uses.0.iter().filter_map(function));
        all
    }

    /// Without the paths to functions whose rules the attribute names.
    pub(crate) fn without(mut self, with: &[(syn::Path, syn::Path)]) -> Imports {
        let named = |function: &String| with.iter().any(|(name, _)| name.is_ident(function));
        self.beside_globs.retain(|name, _| !named(name));
        self
    }

    /// Items that compile if all of it is so.
    pub(crate) fn checks(&self) -> TokenStream {
        if self.is_elsewhere {
            return TokenStream::new();
        }
        let floats = self.foreign_floats.checks();
        let mut names: Vec<&String> = self.functions.keys().collect();
        names.sort();
        let checks = names.into_iter().filter_map(|name| {
            let Known { path, arguments } = &self.functions[name];
            let name = syn::parse_str::<syn::Path>(name).ok()?;
            if *arguments == CONSTANT {
                return Some(quote!(const { ::core::assert!(#name == #path) }));
            }
            if arguments.is_empty() {
                return Some(quote!(same(#name, #path);));
            }
            let arguments: TokenStream = arguments.parse().ok()?;
            Some(quote!(same(#name::#arguments, #path::#arguments);))
        });
        let checks: TokenStream = checks.collect();
        if checks.is_empty() {
            return floats;
        }
        quote! {
            #floats
            const _: fn() = || {
                fn same<F>(_: F, _: F) {}
                #checks
            };
        }
    }

    /// A body with the names in full, except for those that are something else there. `around`: the parameters of the `impl` that it stands in.
    pub(crate) fn in_full<'b>(
        &self,
        around: Option<&syn::Generics>,
        sig: &syn::Signature,
        block: &'b syn::Block,
    ) -> Cow<'b, syn::Block> {
        let (mut all, mut own) = (self.functions.clone(), self.own_modules.clone());
        for stmt in &block.stmts {
            if let syn::Stmt::Item(syn::Item::Use(item)) = stmt {
                let imports = imports_of(&item.tree);
                all.extend(imports.iter().flat_map(|import| known_in(import, block)));
            }
        }
        let mut uses = Uses::default();
        uses.visit_block(block);
        for import in &uses.0 {
            let (Some(name), [root, ..]) = (&import.name, &import.path[..]) else {
                continue;
            };
            let name = name.to_string();
            if is_std(root) {
                own.remove(&name);
            } else if MODULES.contains(&&*name) || ROOTS.contains(&&*name) {
                let path = &import.path;
                own.insert(name, syn::parse_quote!(#(#path)::*));
            }
        }
        if all.is_empty() && own.is_empty() {
            return Cow::Borrowed(block);
        }
        let mut bound = Bound::default();
        around
            .into_iter()
            .for_each(|around| bound.visit_generics(around));
        bound.visit_signature(sig);
        bound.visit_block(block);
        all.retain(|name, _| !bound.globs && !bound.names.contains(first_of(name)));
        if all.is_empty() && own.is_empty() {
            return Cow::Borrowed(block);
        }
        let mut block = block.clone();
        InFull {
            all: &all,
            own: &own,
        }
        .visit_block_mut(&mut block);
        Cow::Owned(block)
    }
}

/// The imports of the module in which the attribute at `site` stands, as far as the item mentions them. Bodies have imports of their own.
pub(crate) fn imports(site: Option<&Site>, item: &TokenStream) -> Imports {
    let Some((source, _)) = site.and_then(Site::located) else {
        return Imports::default();
    };
    let module = Module::at(site);
    Imports {
        own_macros: source.own_macros.clone(),
        declaring: source.declaring.clone(),
        matrices: source.matrices,
        ..module.map_or_else(Imports::default, |module| Imports::of(&module, item))
    }
}

/// True if a file imports `nalgebra`, and declares no function with the name of one of its views.
pub(super) fn has_matrices(items: &[Item]) -> bool {
    let imports = items.iter().any(|item| item.is_use_of(&["nalgebra"]));
    imports && !functions(items).any(|function| is_view_method(&function.name))
}

fn is_std(root: &Ident) -> bool {
    root == "std" || root == "core"
}

/// True if an import names a known function or constant, or a module of them.
fn is_known_import(import: &module::Import) -> bool {
    let all = &import.path;
    known(import).is_some()
        || import.name.is_some() && is_known_module(&syn::parse_quote!(#(::#all)*))
}

/// The functions that a module imports by name, if it imports others by `*`.
fn beside_globs(module: &Module, item: &TokenStream) -> HashMap<String, syn::Path> {
    let imports: Vec<module::Import> = module.imports(&[""]).collect();
    let may_have_rules = |import: &&module::Import| {
        import.is_glob() && import.path.first().is_some_and(may_lead_to_rules)
    };
    if !imports.iter().any(|import| may_have_rules(&import)) {
        return HashMap::new();
    }
    let mentioned = words_of(item);
    let functions = imports.iter().filter_map(function);
    functions
        .filter(|(name, _)| mentioned.contains(name))
        .collect()
}

/// True if a path that begins so may be of a differentiable function.
fn may_lead_to_rules(root: &Ident) -> bool {
    let root = root.to_string();
    root != "chainrule" && !lists(WITHOUT_RULES, &root)
}

/// The path of a function that is imported by name. The rules of one with the name of its module are in the module, which has that name here.
fn function(import: &module::Import) -> Option<(String, syn::Path)> {
    let name = bare(&import.name.as_ref()?.to_string()).to_owned();
    let path = &import.path;
    let of_module = path.iter().rev().nth(1) == path.last();
    let is_function = name.starts_with(char::is_lowercase) && path.len() > 1 && !of_module;
    (is_function && may_lead_to_rules(path.first()?))
        .then(|| (name, syn::parse_quote!(#(#path)::*)))
}

/// The imports in a body.
#[derive(Default)]
struct Uses(Vec<module::Import>);

impl<'ast> Visit<'ast> for Uses {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        if let syn::Item::Use(item) = item {
            self.0.extend(imports_of(&item.tree));
        }
    }
}

/// The known function, or constant of floats, that an import names.
fn known(import: &module::Import) -> Option<(String, Known)> {
    let name = bare(&import.name.as_ref()?.to_string()).to_owned();
    known_by(&import.path).map(|known| (name, known))
}

/// The known functions and constants that code names by an import: by the name itself, or, if that is of a module, by paths from there.
fn known_in(import: &module::Import, code: &impl ToTokens) -> Vec<(String, Known)> {
    let Some(name) = &import.name else {
        return Vec::new();
    };
    let all = &import.path;
    if !is_known_module(&syn::parse_quote!(#(::#all)*)) {
        return known(import).into_iter().collect();
    }
    let mut paths = Vec::new();
    paths_from(name, code.to_token_stream(), &mut paths);
    let in_full = paths.into_iter().filter_map(|rest| {
        let full: Vec<Ident> = all.iter().chain(&rest).cloned().collect();
        let names = [name].into_iter().chain(&rest);
        let names: Vec<_> = names
            .map(|name| bare(&name.to_string()).to_owned())
            .collect();
        Some((names.join("::"), known_by(&full)?))
    });
    in_full.collect()
}

/// Where the paths lead that begin with a name.
fn paths_from(name: &Ident, code: TokenStream, paths: &mut Vec<Vec<Ident>>) {
    let is_colon = |tree: &TokenTree| matches!(tree, TokenTree::Punct(p) if p.as_char() == ':');
    let mut trees = code.into_iter().peekable();
    let mut colons = 0;
    while let Some(tree) = trees.next() {
        let is_first = colons < 2;
        colons = if is_colon(&tree) { colons + 1 } else { 0 };
        match tree {
            TokenTree::Group(group) => paths_from(name, group.stream(), paths),
            TokenTree::Ident(first) if is_first && first == *name => {
                let mut rest = Vec::new();
                while trees.next_if(is_colon).is_some() && trees.next_if(is_colon).is_some() {
                    match trees.next_if(|tree| matches!(tree, TokenTree::Ident(_))) {
                        Some(TokenTree::Ident(next)) => rest.push(next),
                        _ => break,
                    }
                }
                paths.push(rest);
            }
            _ => {}
        }
    }
}

/// True if there is a `use` in code that mentions a name.
fn imports_by_itself(code: TokenStream, name: &Ident) -> bool {
    let mut in_use = false;
    code.into_iter().any(|tree| match tree {
        TokenTree::Ident(word) if word == "use" => {
            in_use = true;
            false
        }
        TokenTree::Ident(word) => in_use && word == *name,
        TokenTree::Punct(mark) => {
            in_use &= mark.as_char() != ';';
            false
        }
        TokenTree::Group(group) => {
            let inside = group.stream();
            in_use && words_of(&inside).contains(&name.to_string())
                || imports_by_itself(inside, name)
        }
        TokenTree::Literal(_) => false,
    })
}

/// The first name of a path.
fn first_of(path: &str) -> &str {
    path.split("::").next().unwrap_or(path)
}

/// The known function or constant of a path.
fn known_by(path: &[Ident]) -> Option<Known> {
    let full: syn::Path = syn::parse_quote!(#(::#path)*);
    let arguments = match path {
        [root, _] if root == "libm" => libm::function(&syn::parse_quote!(#(#path)::*)).map(|_| ""),
        [root, ..] if root == "chainrule" => of_our_functions(&full).map(|_| ""),
        [root, float, module, _] if is_std(root) && module == "consts" => {
            (float == "f32" || float == "f64").then_some(CONSTANT)
        }
        [root, parent, function] if is_std(root) => {
            let tail = format!("{parent}::{function}");
            let mut all = KNOWN.iter();
            all.find_map(|(name, arguments)| (*name == tail).then_some(*arguments))
        }
        _ => None,
    };
    let path = full;
    arguments.map(|arguments| Known { path, arguments })
}

/// The names that a body binds.
#[derive(Default)]
pub(super) struct Bound {
    pub(super) names: HashSet<String>,
    /// It imports names that aren't written.
    globs: bool,
    depth: usize,
}

impl Bound {
    fn bind(&mut self, name: &Ident) {
        self.names.insert(bare(&name.to_string()).to_owned());
    }
}

impl<'ast> Visit<'ast> for Bound {
    fn visit_block(&mut self, block: &'ast syn::Block) {
        self.depth += 1;
        visit::visit_block(self, block);
        self.depth -= 1;
    }

    fn visit_pat_ident(&mut self, pat: &'ast syn::PatIdent) {
        self.bind(&pat.ident);
        visit::visit_pat_ident(self, pat);
    }

    fn visit_const_param(&mut self, param: &'ast syn::ConstParam) {
        self.bind(&param.ident);
    }

    fn visit_item(&mut self, item: &'ast syn::Item) {
        match item {
            syn::Item::Fn(item) => self.bind(&item.sig.ident),
            syn::Item::Const(item) => self.bind(&item.ident),
            syn::Item::Static(item) => self.bind(&item.ident),
            syn::Item::Mod(item) => self.bind(&item.ident),
            syn::Item::Struct(item) => self.bind(&item.ident),
            syn::Item::Enum(item) => self.bind(&item.ident),
            syn::Item::Union(item) => self.bind(&item.ident),
            syn::Item::Trait(item) => self.bind(&item.ident),
            syn::Item::Type(item) => self.bind(&item.ident),
            syn::Item::Use(item) => self.visit_item_use(item),
            _ => {}
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        for import in imports_of(&item.tree) {
            // A known function that is imported for the whole body keeps its meaning.
            if self.depth > 1 || !is_known_import(&import) {
                self.globs |= import.is_glob();
                import.name.iter().for_each(|name| self.bind(name));
            }
        }
    }
}

/// The names that an item declares, and `None` if it imports all names of a module.
pub(crate) fn declared_names(item: &syn::Item) -> Option<HashSet<String>> {
    let mut bound = Bound {
        depth: 2,
        ..Bound::default()
    };
    bound.visit_item(item);
    (!bound.globs).then_some(bound.names)
}

struct InFull<'a> {
    all: &'a HashMap<String, Known>,
    /// The user's modules.
    own: &'a HashMap<String, syn::Path>,
}

impl VisitMut for InFull<'_> {
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_expr_path_mut(&mut self, path: &mut syn::ExprPath) {
        visit_mut::visit_expr_path_mut(self, path);
        if path.qself.is_some() || path.path.leading_colon.is_some() {
            return;
        }
        let names = path.path.segments.iter();
        let names: Vec<_> = names
            .map(|segment| bare(&segment.ident.to_string()).to_owned())
            .collect();
        if let (true, Some(module)) = (names.len() > 1, self.own.get(&names[0])) {
            let rest = path.path.segments.iter().skip(1);
            let segments = module.segments.iter().chain(rest);
            path.path = syn::parse_quote!(#(#segments)::*);
            return;
        }
        let import = self.all.get(&names.join("::"));
        let (Some(import), Some(last)) = (import, path.path.segments.last()) else {
            return;
        };
        let mut full = import.path.clone();
        for segment in &mut full.segments {
            segment.ident.set_span(last.ident.span());
        }
        if let Some(named) = full.segments.last_mut() {
            named.arguments = last.arguments.clone();
        }
        path.path = full;
    }
}

#[cfg(test)]
mod tests {
    use quote::ToTokens as _;

    use super::*;

    fn in_full(imports: &str, body: &str) -> String {
        let mut functions = HashMap::new();
        let block: syn::Block = syn::parse_str(body).unwrap();
        let file: syn::File = syn::parse_str(imports).unwrap();
        for item in &file.items {
            if let syn::Item::Use(item) = item {
                let all = imports_of(&item.tree);
                functions.extend(all.iter().flat_map(|import| known_in(import, &block)));
            }
        }
        let sig: syn::Signature = syn::parse_quote!(fn f(x: f64));
        let imports = Imports {
            functions,
            ..Imports::default()
        };
        let block = imports.in_full(None, &sig, &block).into_owned();
        block.to_token_stream().to_string().replace(' ', "")
    }

    #[test]
    fn constants_and_functions_of_modules_are_named_in_full() {
        let full = in_full(
            "use std::f64::consts::{self, PI as P}; use chainrule::distributions::{self, normal}; use chainrule::special::erf;",
            "{ P + consts::TAU + normal::log_density(x, P, 1.0) + distributions::beta::log_density(x, 1.0, 1.0) + erf(x) + other::normal(x) }",
        );
        assert_eq!(
            full,
            "{::std::f64::consts::PI+::std::f64::consts::TAU\
             +::chainrule::distributions::normal::log_density(x,::std::f64::consts::PI,1.0)\
             +::chainrule::distributions::beta::log_density(x,1.0,1.0)+::chainrule::special::erf(x)+other::normal(x)}"
        );
        for (imports, body) in [
            ("use std::f64::consts::PI;", "{ let PI = 3.0; PI + x }"),
            (
                "use std::f64::consts::PI;",
                "{ const PI: f64 = 3.0; PI + x }",
            ),
            (
                "use std::f64::consts::PI;",
                "{ use own::{PI, mem::swap}; PI + x }",
            ),
            ("use std::f64::consts;", "{ mod consts {} consts::E + x }"),
            ("use std::f64::consts;", "{ other::consts::E + x }"),
        ] {
            let full = in_full(imports, body);
            assert!(!full.contains("::std"), "{full}");
        }
    }

    #[test]
    fn names_in_full() {
        for (imports, body, expected) in [
            (
                "use std::mem::swap;",
                "{ swap(a, b) }",
                "{::std::mem::swap(a,b)}",
            ),
            (
                "use std::{array::from_fn, mem::{self, take as taken}};",
                "{ from_fn::<_, 3, _>(|i| taken(x)) }",
                "{::std::array::from_fn::<_,3,_>(|i|::std::mem::take(x))}",
            ),
            ("use other::mem::swap;", "{ swap(a, b) }", "{swap(a,b)}"),
            (
                "use std::mem::swap;",
                "{ let swap = g; swap(a, b) }",
                "{letswap=g;swap(a,b)}",
            ),
            (
                "use std::mem::swap;",
                "{ a.swap(0, 1); mem::swap(a, b) }",
                "{a.swap(0,1);mem::swap(a,b)}",
            ),
            (
                "use std::mem::swap;",
                "{ fn swap() {} swap(a, b) }",
                "{fnswap(){}swap(a,b)}",
            ),
            (
                "use std::mem::swap;",
                "{ use own::*; swap(a, b) }",
                "{useown::*;swap(a,b)}",
            ),
            (
                "",
                "{ use core::mem::swap; swap(a, b) }",
                "{usecore::mem::swap;::core::mem::swap(a,b)}",
            ),
            (
                "use std::mem::swap;",
                "{ { use own::swap; swap(a, b) } swap(a, b) }",
                "{{useown::swap;swap(a,b)}swap(a,b)}",
            ),
        ] {
            assert_eq!(in_full(imports, body), expected, "{body}");
        }
    }
}

//! Reads the items of a module, and those of other modules that are used in it.
//!
//! In: a module, and the names that a function mentions. Out: [`Siblings`], with the items that these items mention in turn.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use proc_macro2::Ident;
use quote::{ToTokens, quote};

use super::super::attributes::{are_as_written, keeps_calls, make_plain_rules};
use super::super::callees::{imports, is_without_rules};
use super::super::elsewhere::Elsewhere;
use super::super::inlined::{Body, has_no_rules};
use super::super::methods::MethodBody;
use super::super::module::Module;
use super::super::operators::{Indexing, Overload, Total, own_name};
use super::super::scan::{self, Item};
use super::super::signatures::behind_reference;
use super::super::structs::{Own, Used};
use super::super::tokens::{bare, words, words_of};
use super::super::traits::Trait;
use super::super::tree::Found;
use super::{Borrowing, Parts, Siblings, path_of};
use crate::ir::OperatorKind;
use crate::paths::last_name;
use crate::syntax::methods;
use crate::types::Declared;
use crate::types::written::{constant_items, is_of_std};

/// A block: the address of its file's text, and where in it the block is opened.
type Block = (usize, usize);

/// The words in an item, and those in its body.
type Mentioned = (HashSet<String>, HashSet<String>);

fn block_of(module: &Module, item: &Item) -> Option<Block> {
    Some((Arc::as_ptr(&module.source).addr(), item.braces?.0))
}

/// How deep methods are inlined in each other.
const DEEPEST_METHOD: usize = 4;

/// Reads a module.
pub(super) struct Reader<'a> {
    module: &'a Module,
    elsewhere: &'a Elsewhere,
    all: Siblings,
    /// The blocks of methods and `impl`s that have been read.
    known: HashSet<Block>,
    /// The types that other modules declare.
    homes: HashMap<String, Found>,
}

impl<'a> Reader<'a> {
    pub(super) fn of(module: &'a Module, elsewhere: &'a Elsewhere) -> Reader<'a> {
        Reader {
            module,
            elsewhere,
            all: Siblings::default(),
            known: HashSet::new(),
            homes: HashMap::new(),
        }
    }

    /// The items that are mentioned, and those that they mention. Bodies replace calls in as many bodies in each other as `depth`;
    /// those that can't be called, in any.
    pub(super) fn read(mut self, mentioned: HashSet<String>, depth: usize) -> Siblings {
        let mut seen = HashSet::new();
        let mut level: Vec<String> = mentioned.into_iter().collect();
        for bodies in 0.. {
            let mut deeper = HashSet::new();
            let wanted = Wanted {
                replaced: bodies < depth,
                inlined: bodies < DEEPEST_METHOD,
            };
            while let Some(name) = level.pop() {
                if seen.contains(&name) {
                    continue;
                }
                if let Some((item, open)) = only(self.module, &name) {
                    level.extend(mentioned_by(&item));
                    self.all.take(self.module, &name, &item);
                    if let Some(body) = body_of(self.module, &name, &item, open, wanted) {
                        deeper.extend(body.words());
                        self.all.take_body(name.clone(), body);
                    }
                } else if let Some((words, in_body)) = self.take_from_elsewhere(&name, wanted) {
                    level.extend(words);
                    deeper.extend(in_body);
                }
                seen.insert(name);
            }
            self.add_borrowing(&seen, &mut deeper);
            self.add_methods(&seen, bodies < DEEPEST_METHOD);
            deeper.extend(self.take_named_by_paths());
            self.add_operators(bodies < DEEPEST_METHOD);
            let all = &self.all;
            let methods = all.types.values().flat_map(Own::bodies);
            let operators = all
                .overloads
                .iter()
                .filter_map(|overload| overload.body.as_ref());
            let parts = all
                .indexing
                .iter()
                .filter_map(|indexing| indexing.part.as_ref());
            let bodies = methods
                .chain(operators)
                .chain(parts.clone().map(|part| &part.body));
            deeper.extend(bodies.flat_map(|body| body.words.iter().cloned()));
            let steps = parts.flat_map(|part| part.steps.iter().flatten());
            deeper.extend(steps.filter_map(|member| match member {
                syn::Member::Named(name) => Some(bare(&name.to_string()).to_owned()),
                syn::Member::Unnamed(_) => None,
            }));
            level.extend(deeper.difference(&seen).cloned());
            if level.is_empty() {
                break;
            }
        }
        self.add_clones();
        loop {
            let types = &mut self.all.types;
            let known = types.iter().map(|(name, own)| (name.clone(), own.clones));
            let known = known.collect();
            if !types
                .values_mut()
                .any(|own| own.take_clones_of_members(&known))
            {
                break;
            }
        }
        let mut all = self.all.settled();
        let aliases = Declared::with_aliases(all.aliases());
        let arrays = imports(self.module, &HashSet::new());
        let mut own: HashSet<String> = all.types.keys().cloned().collect();
        own.retain(|name| !is_of_std(name));
        let aliased = all.aliases.keys().filter(|name| !is_of_std(name));
        let named = own.iter().chain(aliased).chain(arrays.imports.keys());
        let named = named.cloned().collect();
        let is_shadowed = |ty: &syn::Type| is_shadowed(self.module, ty, &named);
        for ty in all.types.values_mut() {
            ty.keep(&seen);
            let mut known = own.clone();
            known.extend(ty.params().map(ToString::to_string));
            let parts = Parts {
                own: &known,
                aliases: &aliases,
                arrays: &arrays,
            };
            ty.leave(&|ty| {
                let iterates = constant_items(ty, &Declared::default()).is_some();
                !iterates && !parts.make(ty) || is_shadowed(ty)
            });
        }
        let parts = Parts {
            own: &own,
            aliases: &aliases,
            arrays: &arrays,
        };
        for of in all.traits.values_mut() {
            let is_known = |ty: &syn::Type| parts.make(ty) && !is_shadowed(ty);
            Rc::make_mut(of).keep(&is_known);
        }
        all.indexing
            .retain(|indexing| !is_shadowed(&indexing.output));
        all.overloads.retain(|overload| {
            let types = overload.operands.iter().chain([&overload.output]);
            !types.map(behind_reference).any(is_shadowed)
        });
        all
    }

    /// Adds the methods of the types that are mentioned, those of traits left out.
    fn add_methods(&mut self, mentioned: &HashSet<String>, bodies: bool) {
        let Reader {
            module,
            elsewhere,
            all,
            known,
            homes,
        } = self;
        for (path, own) in &mut all.types {
            let (module, of) = match homes.get(path) {
                Some(home) => (&home.module, &home.name),
                None => (*module, path),
            };
            let Ok(path) = syn::parse_str(path) else {
                continue;
            };
            for block in module.all("impl").filter(|block| block.header.contains(of)) {
                let Some(item) = module.parsed::<syn::ItemImpl>(block, false) else {
                    continue;
                };
                if !own.is_of(of, &item) || !are_as_written(&item.attrs) {
                    continue;
                }
                let in_impl = make_plain_rules(&item.attrs);
                let inner = module.within(block);
                let methods = mentioned.iter().flat_map(|name| inner.named(name));
                for method in methods {
                    if !block_of(module, method).is_some_and(|block| known.insert(block)) {
                        continue;
                    }
                    let has_rules = bodies && (in_impl || method.header.contains("differentiable"));
                    if let Some(method) = inner.parsed::<syn::ImplItemFn>(method, has_rules) {
                        let has_rules = has_rules && (in_impl || make_plain_rules(&method.attrs));
                        let is_portable = has_rules
                            && elsewhere.is_portable(module, of, &method.sig, &method.block);
                        if let Some(method) = elsewhere.method(module, &item, method) {
                            own.add(&path, &item, &method, is_portable.then_some(module));
                        }
                    }
                }
            }
        }
    }

    /// Takes an item of another module that is imported.
    fn take_from_elsewhere(&mut self, name: &str, wanted: Wanted) -> Option<Mentioned> {
        let found = self.elsewhere.find(name)?;
        (found.name == name).then(|| self.take_found(name, found, wanted))?
    }

    /// Takes an item under a name, or a path; with its body, if that may be inlined here.
    fn take_found(&mut self, name: &str, mut found: Found, wanted: Wanted) -> Option<Mentioned> {
        found.module.is_elsewhere = true;
        let (item, open) = only(&found.module, &found.name)?;
        let body = match &item {
            syn::Item::Fn(function)
                if wanted.any()
                    && open.is_some()
                    && (self.elsewhere).is_portable(
                        &found.module,
                        "",
                        &function.sig,
                        &function.block,
                    ) =>
            {
                body_of(&found.module, name, &item, open, wanted)
            }
            syn::Item::Fn(function)
                if has_no_rules(&function.sig) && make_plain_rules(&function.attrs) =>
            {
                let unknown = self.elsewhere.unknown_name(&found.module, function);
                let of = unknown.map(|unknown| (name.to_owned(), unknown));
                self.all.unportable.extend(of);
                None
            }
            _ => None,
        };
        let item = self.elsewhere.translated(&found, item)?;
        self.all.take(&found.module, name, &item);
        if self.all.types.contains_key(name) {
            self.homes.insert(name.to_owned(), found);
        }
        let in_body = body.as_ref().map(FunctionBody::words);
        if let Some(body) = body {
            self.all.take_body(name.to_owned(), body);
        }
        Some((mentioned_by(&item), in_body.unwrap_or_default()))
    }

    /// Takes the types that have been named by their paths. The words in them.
    fn take_named_by_paths(&mut self) -> HashSet<String> {
        let mut words = HashSet::new();
        for (name, found) in self.elsewhere.named_by_paths() {
            if !self.homes.contains_key(&name) {
                let taken = self.take_found(&name, found, Wanted::default());
                words.extend(taken.map(|(words, _)| words).unwrap_or_default());
            }
        }
        words
    }

    /// Takes the functions of other modules that are called by their paths. The words in them are added to `mentioned`.
    pub(super) fn take_by_paths(
        &mut self,
        paths: &[Vec<Ident>],
        mentioned: &mut HashSet<String>,
        depth: usize,
    ) {
        for path in paths {
            let names: Vec<String> = path.iter().map(ToString::to_string).collect();
            let Some(found) = self.elsewhere.find_path(path) else {
                continue;
            };
            let wanted = Wanted {
                replaced: depth > 0,
                inlined: true,
            };
            let (is_type, is_function) =
                (found.is_one(Item::is_type), found.is_one(Item::is_function));
            if is_type {
                self.elsewhere.write_as(&quote!(#(#path)::*), found);
            } else if is_function {
                let taken = self.take_found(&names.join("::"), found, wanted);
                let (words, in_body) = taken.unwrap_or_default();
                mentioned.extend(words.into_iter().chain(in_body));
            }
        }
    }

    /// Adds the methods without rules, and the words of their bodies.
    fn add_borrowing(&mut self, mentioned: &HashSet<String>, deeper: &mut HashSet<String>) {
        let modules = self.modules();
        let here = self.module;
        let Reader { elsewhere, all, .. } = self;
        let methods = || {
            modules.iter().flat_map(|module| {
                let blocks = module.all("impl").chain(module.all("trait"));
                blocks.flat_map(move |block| {
                    let methods = module.source.kind(block.braces.map(|(open, _)| open), "fn");
                    methods.map(move |method| (module, block, method))
                })
            })
        };
        let may_borrow = |method: &Item| {
            let output = method.header.split_once("->").map(|(_, output)| output);
            let marks = ["impl", "&", "iter::", "slice::", "vec_deque::"];
            output.is_some_and(|output| marks.iter().any(|mark| output.contains(mark)))
        };
        for (module, block, method) in methods().filter(|(.., method)| may_borrow(method)) {
            let name = &method.name;
            if !mentioned.contains(name) {
                continue;
            }
            // The module's own methods come first.
            let mut others = methods().filter(|(other, ..)| other.is(module) || other.is(here));
            let is_only = others
                .by_ref()
                .filter(|(.., other)| other.name == *name)
                .count()
                == 1;
            let Some(item) = module.parsed::<syn::ItemImpl>(block, false) else {
                continue;
            };
            let syn::Type::Path(own) = &*item.self_ty else {
                continue;
            };
            let is_plain = item.trait_.is_none() && item.generics.params.is_empty();
            let own = own
                .path
                .get_ident()
                .filter(|_| is_plain && are_as_written(&item.attrs));
            if let Some(own) = own
                && let key = format!("{own}::{name}")
                && !all.bodies.contains_key(&key)
                && let Some(method) = module.parsed::<syn::ImplItemFn>(method, true)
                && are_as_written(&method.attrs)
                && (make_plain_rules(&item.attrs) || make_plain_rules(&method.attrs))
                && elsewhere.is_same(module, &own.to_string())
                && elsewhere.is_portable(module, &own.to_string(), &method.sig, &method.block)
                && let Some(body) = Body::of_method(module, own, &method)
            {
                words(body.closure.body.to_token_stream(), deeper);
                let own = own.clone();
                let known = all.borrowing.entry(name.clone()).or_default();
                known.push(Borrowing { own, is_only });
                all.bodies.insert(key, Rc::new(body));
            }
        }
    }

    /// This module, and those that declare the types that are known.
    fn modules(&self) -> Vec<Module> {
        let mut all = vec![self.module.clone()];
        for home in self.homes.values() {
            if !all.iter().any(|module| module.is(&home.module)) {
                all.push(home.module.clone());
            }
        }
        all[1..].sort_by(|a, b| {
            a.source
                .path
                .cmp(&b.source.path)
                .then(a.inside.cmp(&b.inside))
        });
        all
    }

    /// Adds the operators and the indexing that are implemented for the types that are known.
    fn add_operators(&mut self, bodies: bool) {
        for module in self.modules() {
            self.add_operators_of(&module, bodies);
        }
    }

    fn add_operators_of(&mut self, module: &Module, bodies: bool) {
        let Reader {
            elsewhere,
            all,
            known,
            ..
        } = self;
        let is_here = module.is(self.module);
        let mut indexing = Vec::new();
        for block in module.all("impl") {
            let header = &block.header;
            let is_operator = |word: &str| {
                let others = ["Index", "IndexMut", "Sum", "Product"];
                OperatorKind::of_trait(word).is_some() || others.contains(&word)
            };
            let may_be = header.contains(" for ")
                && all.types.keys().any(|of| header.contains(of.as_str()))
                && scan::words(header).flatten().any(is_operator);
            if may_be
                && block_of(module, block).is_some_and(|block| known.insert(block))
                && let Some(item) = module.parsed::<syn::ItemImpl>(block, true)
                && elsewhere.is_same_impl(module, &item)
            {
                let own = own_name(&item.self_ty).map(ToString::to_string);
                let own = own.unwrap_or_default();
                let has_rules = bodies
                    && make_plain_rules(&item.attrs)
                    && methods(&item)
                        .all(|of| elsewhere.is_portable(module, &own, &of.sig, &of.block));
                let of = has_rules.then_some(module);
                all.overloads.extend(Overload::new(&item, of).map(Rc::new));
                let total = Total::new(&item).filter(|_| make_plain_rules(&item.attrs) && is_here);
                all.totals.extend(total);
                indexing.push((item, of));
            }
        }
        let indexing = Indexing::all(&indexing).into_iter().map(Rc::new);
        all.indexing.extend(indexing);
    }

    /// Reads the implementations of `Clone` by hand.
    fn add_clones(&mut self) {
        for module in self.modules() {
            for block in module.all("impl") {
                let mut words = scan::words(&block.header).flatten();
                if words.any(|word| word == "Clone")
                    && let Some(item) = module.parsed::<syn::ItemImpl>(block, true)
                    && let Some((of, own)) = cloned(&item, &mut self.all.types)
                {
                    own.take_clone(of, &item);
                }
            }
        }
    }
}

/// The bodies of functions that are read, beside those of functions without rules.
#[derive(Clone, Copy, Default)]
struct Wanted {
    /// Those that replace calls.
    replaced: bool,
    /// Those whose operations are inlined.
    inlined: bool,
}

impl Wanted {
    fn any(self) -> bool {
        self.replaced || self.inlined
    }
}

/// The body of a function, in the form in which it is inlined.
enum FunctionBody {
    Replaces(Body),
    Inlined(MethodBody),
}

impl FunctionBody {
    fn words(&self) -> HashSet<String> {
        match self {
            FunctionBody::Replaces(body) => words_of(&body.closure.body),
            FunctionBody::Inlined(body) => body.words.clone(),
        }
    }
}

impl Siblings {
    fn take_body(&mut self, name: String, body: FunctionBody) {
        match body {
            FunctionBody::Replaces(body) => {
                self.bodies.insert(name, Rc::new(body));
            }
            FunctionBody::Inlined(body) => {
                let body = (Rc::new(body), Used::default());
                self.inlinable.insert(name, body);
            }
        }
    }
}

/// The body of a function of a module that may be inlined at calls by this path.
fn body_of(
    module: &Module,
    path: &str,
    item: &syn::Item,
    open: Option<usize>,
    wanted: Wanted,
) -> Option<FunctionBody> {
    let (syn::Item::Fn(item), Some(open)) = (item, open) else {
        return None;
    };
    let has_no_rules = has_no_rules(&item.sig);
    let attrs = &item.attrs;
    let may = are_as_written(attrs)
        && make_plain_rules(attrs)
        && (has_no_rules || !attrs.iter().any(keeps_calls))
        // The error of a call without rules belongs to the function that makes it.
        && (has_no_rules || !calls_without_rules(module, item));
    let path = path_of(path, &item.sig)?;
    let replacing = (may && (wanted.replaced || has_no_rules))
        .then(|| Body::new(module, &path, item).map(FunctionBody::Replaces));
    let inlined = || {
        let body = (may && wanted.inlined).then(|| MethodBody::of_function(item, module))?;
        body.map(FunctionBody::Inlined)
    };
    let body = replacing.flatten().or_else(inlined);
    if body.is_none()
        && wanted.replaced
        && wanted.inlined
        && let Ok(mut not_inlined) = module.source.not_inlined.lock()
    {
        not_inlined.insert(open);
    }
    body
}

/// True if a function's body mentions a function of the module that has no rules.
fn calls_without_rules(module: &Module, item: &syn::ItemFn) -> bool {
    let mentioned = words_of(&item.block);
    let mut items = mentioned.iter().flat_map(|name| module.named(name));
    items.any(|item| is_without_rules(module, item))
}

/// The item of a name, if there is one, and where its body is opened, if that may replace calls: other functions are read without.
fn only(module: &Module, name: &str) -> Option<(syn::Item, Option<usize>)> {
    let not_inlined = module.source.not_inlined.lock().ok()?;
    let mut found = None;
    for item in module.named(name) {
        let open = item.braces.map(|(open, _)| open);
        let may_be_inlined = item.keyword == "fn" && item.header.contains("differentiable");
        let body = open.filter(|open| may_be_inlined && !not_inlined.contains(open));
        let parsed = module.parsed(
            item,
            body.is_some() || ["struct", "enum", "trait"].contains(&item.keyword),
        );
        if !["mod", "union", "macro_rules"].contains(&item.keyword)
            && let Some(parsed) = parsed
            && found.replace((parsed, body)).is_some()
        {
            return None;
        }
    }
    found
}

/// The words in an item that the types beside a function depend on.
fn mentioned_by(item: &syn::Item) -> HashSet<String> {
    match item {
        syn::Item::Const(item) => words_of(&item.ty),
        syn::Item::Static(item) => words_of(&item.ty),
        syn::Item::Fn(item) => words_of(&item.sig),
        syn::Item::Trait(item) => Trait::words(item),
        item => words_of(item),
    }
}

/// True if a name in a type may be another one's here than std's, or than one of these, which are the file's own.
fn is_shadowed(module: &Module, ty: &syn::Type, own: &HashSet<String>) -> bool {
    let mut names = words_of(ty);
    names.retain(|name| !own.contains(name));
    let is_of_std = |item: &&Item| {
        let roots = ["std::", "core::", "alloc::"];
        roots.iter().any(|root| item.header.contains(root))
    };
    let imports = module.all("use").filter(|item| !is_of_std(item));
    let mut imported = imports.flat_map(|item| scan::words(&item.header).flatten());
    names.iter().any(|name| module.may_have(name))
        || imported.any(|name| names.contains(bare(name)))
}

/// The type that an `impl` of `Clone` is for.
fn cloned<'t>(
    item: &syn::ItemImpl,
    types: &'t mut HashMap<String, Own>,
) -> Option<(&'t str, &'t mut Own)> {
    let (of_trait, syn::Type::Path(of)) = (&item.trait_.as_ref()?.0, &*item.self_ty) else {
        return None;
    };
    let is_clone = of_trait.segments.last()?.ident == "Clone";
    let of = last_name(&of.path)?;
    let found = types.iter_mut().find(|(name, _)| is_clone && **name == of);
    found.map(|(name, own)| (name.as_str(), own))
}

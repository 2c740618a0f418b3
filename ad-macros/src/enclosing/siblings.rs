//! Reads the other items of a function's module: signatures of functions, types of constants, aliases, fields and methods of types.
//!
//! In: the position of the attribute, and the function. Out: [`Siblings`], from which types are inferred, and [`Siblings::checks`], by which
//! rustc compares them with the items that the names refer to: a file that isn't the one being compiled makes an error, never another
//! derivative. Of short functions that are differentiable, also the body, which may replace a call.
//!
//! Only items that need no more than the file are read: no generics but those of functions, no references in aliases, nothing under a `#[cfg]` or an attribute that
//! might make something else of it, no name that is declared twice, and nothing if the function imports names of its own.
//!
//! The arguments of a call decide the types of a generic function (`types/generic.rs`): unknowns stand in for its parameters. The check
//! calls the function from one with the same parameters.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};

use super::attributes::{are_as_written, keeps_calls, make_plain_rules, makes_rules, mentions};
use super::callees::{Callees, imports, is_without_rules};
use super::declared::has_implementation;
use super::elsewhere::Elsewhere;
use super::inlined::{Body, has_no_rules};
use super::located;
use super::module::{Module, imported_in};
use super::names::{OfPlainTrait, of_plain_trait};
use super::operators::{Indexing, Overload, Total, own_name};
use super::scan::{self, Item};
use super::signatures::{behind_reference, is_generic, is_plain};
use super::source::Site;
use super::structs::Own;
use super::tokens::{bare, lists, paths_in, words, words_of};
use super::traits::{self, Trait};
use super::tree::Found;
use super::whole::functions_without_rules;
use crate::attributes;
use crate::configured::first_cfg;
use crate::ir::{BinaryOp, OperatorKind};
use crate::paths::type_name;
use crate::types::keyed::keyed;
use crate::types::written::{constant_items, generic, is_made_of_std, is_of_std, may_have_tangent};
use crate::types::{Alias, Declared, Type, from_written};

/// The items of a module, as far as they are known.
#[derive(Clone, Debug, Default)]
pub(crate) struct Siblings {
    functions: HashMap<String, Rc<syn::Signature>>,
    /// Functions whose types a call decides.
    generic: HashMap<String, Rc<syn::Signature>>,
    /// Functions whose rules are made from their text here.
    differentiable: HashSet<String>,
    constants: HashMap<String, syn::Type>,
    /// Those of the constants that are static variables.
    statics: HashSet<String>,
    aliases: Rc<HashMap<String, Alias>>,
    bodies: HashMap<String, Rc<Body>>,
    /// The types of methods whose bodies are among these, as `Own::method`.
    borrowing: HashMap<String, Vec<Borrowing>>,
    types: HashMap<String, Own>,
    overloads: Vec<Rc<Overload>>,
    totals: Vec<Total>,
    indexing: Vec<Rc<Indexing>>,
    traits: HashMap<String, Rc<Trait>>,
    /// The functions without rules of the type that an `impl` of a trait is for.
    own_functions: BTreeSet<String>,
    of_plain_trait: bool,
}

impl Siblings {
    /// True beside an `impl` of a trait of the module that has no rules, for a type of the module.
    pub(crate) fn is_of_plain_trait(&self) -> bool {
        self.of_plain_trait
    }

    /// The signature of a method that one of these traits declares, with `__Own` for `Self`.
    pub(crate) fn method_of_traits(
        &self,
        bounds: &[String],
        name: &str,
    ) -> Option<&syn::Signature> {
        traits::method(&self.traits, bounds, name)
    }

    /// True if a trait that is declared here has rules, and its objects have none.
    pub(crate) fn lacks_objects(&self, name: &str) -> bool {
        self.traits.get(name).is_some_and(|of| of.lacks_objects())
    }

    /// The functions without rules of the type that an `impl` of a trait is for.
    pub(crate) fn own_functions(&self) -> impl Iterator<Item = &String> {
        self.own_functions.iter()
    }

    /// Without the functions and constants of these names, which a body declares anew.
    pub(crate) fn without(mut self, names: &HashSet<String>) -> Siblings {
        for name in names {
            self.functions.remove(name);
            self.generic.remove(name);
            self.differentiable.remove(name);
            self.constants.remove(name);
            self.bodies.remove(name);
        }
        self
    }

    /// The body of a function.
    pub(crate) fn body(&self, name: &str) -> Option<&Rc<Body>> {
        self.bodies.get(name)
    }

    /// True if there are methods without rules.
    pub(crate) fn have_borrowing(&self) -> bool {
        !self.borrowing.is_empty()
    }

    /// The methods of a name that have no rules.
    pub(crate) fn borrowing(&self, method: &str) -> impl Iterator<Item = &Borrowing> {
        self.borrowing.get(method).into_iter().flatten()
    }

    /// Without the bodies of functions that can be called, if there are any.
    pub(crate) fn without_bodies(&self) -> Option<Siblings> {
        let mut bodies = self.bodies.clone();
        bodies.retain(|_, body| body.has_no_rules);
        (bodies.len() < self.bodies.len()).then(|| Siblings {
            bodies,
            ..self.clone()
        })
    }

    /// The bodies as closures.
    pub(crate) fn closures(&self) -> impl Iterator<Item = &syn::ExprClosure> {
        self.bodies.values().map(|body| &body.closure)
    }

    /// The functions whose bodies depend on the configuration.
    pub(crate) fn with_cfg(&self) -> impl Iterator<Item = &str> {
        let has_cfg = |body: &Body| match &*body.closure.body {
            syn::Expr::Block(body) => first_cfg(&body.block).is_some(),
            _ => false,
        };
        let bodies = self.bodies.iter();
        bodies.filter_map(move |(name, body)| has_cfg(body).then_some(name.as_str()))
    }

    /// With bodies as one configuration has them.
    pub(crate) fn configured(&self, configure: impl Fn(&mut syn::ExprClosure)) -> Siblings {
        let mut siblings = self.clone();
        for body in siblings.bodies.values_mut() {
            configure(&mut Rc::make_mut(body).closure);
        }
        siblings
    }

    /// The signature of a function.
    pub(crate) fn function(&self, name: &str) -> Option<&syn::Signature> {
        self.functions.get(name).map(|signature| &**signature)
    }

    /// The signature of a function whose types a call decides.
    pub(crate) fn generic(&self, name: &str) -> Option<&syn::Signature> {
        self.generic.get(name).map(|signature| &**signature)
    }

    /// The functions whose rules are made from their signatures.
    pub(crate) fn differentiable(&self) -> impl Iterator<Item = (&str, &syn::Signature)> {
        let functions = self.functions.iter();
        functions
            .filter(|(name, _)| self.differentiable.contains(*name))
            .map(|(name, sig)| (name.as_str(), &**sig))
    }

    /// The type of a constant, or of a static variable, that is made of numbers.
    pub(crate) fn constant(&self, name: &str) -> Option<&syn::Type> {
        self.constants.get(name)
    }

    /// The fields and methods of a type.
    pub(crate) fn own(&self, name: &str) -> Option<&Own> {
        self.types.get(name)
    }

    /// The same of a type that is written by its name.
    pub(crate) fn own_type(&self, ty: &syn::Type) -> Option<&Own> {
        let syn::Type::Path(path) = ty else {
            return None;
        };
        self.own(&type_name(&path.path)?)
    }

    /// True if a type of the file has a method of this name, as far as the function mentions that.
    pub(crate) fn have_method(&self, name: &str) -> bool {
        self.types.values().any(|own| own.method(name).is_some())
    }

    /// True if there are methods whose bodies may be inlined.
    pub(crate) fn has_methods(&self) -> bool {
        let mut operators = self
            .overloads
            .iter()
            .filter_map(|overload| overload.body.as_ref());
        let mut parts = self
            .indexing
            .iter()
            .filter_map(|indexing| indexing.part.as_ref());
        let mut methods = self.types.values().flat_map(Own::bodies);
        operators.next().is_some() || parts.next().is_some() || methods.next().is_some()
    }

    /// How a type is indexed, if it is in one way.
    pub(crate) fn indexing(&self, own: &str) -> Option<&Rc<Indexing>> {
        let mut all = self.indexing.iter().filter(|indexing| indexing.is_of(own));
        let found = all.next().filter(|_| all.next().is_none())?;
        found.used.mark();
        Some(found)
    }

    /// The types that are declared here.
    pub(crate) fn types(&self) -> impl Iterator<Item = (&String, &Own)> {
        self.types.iter()
    }

    /// The operator that is implemented here for operands of these types, as written with `&`.
    pub(crate) fn overload(
        &self,
        kind: OperatorKind,
        operands: &[String],
    ) -> Option<&Rc<Overload>> {
        let mut overloads = self.overloads.iter();
        let found = overloads.find(|overload| overload.is(kind, operands))?;
        found.used.mark();
        Some(found)
    }

    /// The function that sums or multiplies values of a type, or references to them, if the type's `impl` of `Sum` or `Product` has rules.
    pub(crate) fn total(&self, op: BinaryOp, own: &str, by_ref: bool) -> Option<syn::Ident> {
        let mut totals = self.totals.iter();
        let found = totals.find(|total| total.is(op, own, by_ref))?;
        Some(found.function())
    }

    /// The types that names alias.
    pub(crate) fn aliases(&self) -> Rc<HashMap<String, Alias>> {
        Rc::clone(&self.aliases)
    }

    /// Items that compile if all of it is so.
    pub(crate) fn checks(&self, rt: &TokenStream) -> TokenStream {
        let ident = |name: &str| syn::parse_str::<syn::Ident>(name).ok();
        let path = |name: &str| syn::parse_str::<syn::Path>(name).ok();
        let functions = self.functions.iter().map(|(name, sig)| {
            let inputs = sig.inputs.iter().filter_map(|input| match input {
                syn::FnArg::Typed(input) => Some(&input.ty),
                syn::FnArg::Receiver(_) => None,
            });
            let output = &sig.output;
            let function = path_of(name, sig);
            let check = quote!(const _: fn(#(#inputs),*) #output = #function;);
            (name, check)
        });
        let generic = self.generic.iter();
        let generic = generic.map(|(name, sig)| (name, check_of_generic(name, sig)));
        let bodies = self.bodies.iter();
        let bodies = bodies.map(|(name, body)| (name, body.check()));
        let constants = self.constants.iter().map(|(name, ty)| {
            let constant = ident(name);
            (name, quote!(const _: #ty = #constant;))
        });
        let aliases = self.aliases.iter();
        let aliases = aliases.filter_map(|(name, alias)| Some((name, alias.check(&ident(name)?))));
        let types = self.types.iter();
        let types = types.filter_map(|(name, own)| Some((name, own.check(&path(name)?, rt))));
        let items = functions.chain(generic).chain(bodies).chain(constants);
        let mut checks: Vec<(&String, TokenStream)> = items.chain(aliases).chain(types).collect();
        checks.sort_by_key(|(name, _)| *name);
        let checks = checks.into_iter().map(|(_, check)| check);
        let overloads = self.overloads.iter().filter(|overload| overload.used.get());
        let overloads = overloads.map(|overload| overload.check(rt));
        let indexing = self.indexing.iter().filter(|indexing| indexing.used.get());
        let indexing = indexing.map(|indexing| indexing.check(rt));
        let mut traits: Vec<_> = self.traits.iter().collect();
        traits.sort_by_key(|(name, _)| *name);
        let traits = traits.into_iter().map(|(_, of)| of.check());
        quote!(#(#checks)* #(#overloads)* #(#indexing)* #(#traits)*)
    }

    /// Keeps the types that are known for certain.
    fn settled(mut self) -> Siblings {
        // An alias is known if those that it names are.
        let mut known = HashMap::new();
        loop {
            let declared = Declared::with_aliases(Rc::new(known.clone()));
            let next = (self.aliases.iter())
                .find(|(_, alias)| {
                    let ty = alias.of_numbers();
                    ty.is_some_and(|ty| is_plain_alias(&ty, &declared) || is_map(&ty, &declared))
                })
                .map(|(name, _)| name.clone());
            let Some(next) = next else { break };
            known.extend(Rc::make_mut(&mut self.aliases).remove_entry(&next));
        }
        self.aliases = Rc::new(known);
        let declared = Declared::with_aliases(self.aliases());
        let (types, statics) = (&self.types, &self.statics);
        self.constants.retain(|name, ty| {
            is_plain_type(ty, &declared)
                || !statics.contains(name) && is_list_of(types, ty, &declared)
        });
        self
    }
}

/// The path by which a function is called: a name may be a raw one.
fn path_of(name: &str, sig: &syn::Signature) -> Option<syn::Path> {
    if name.contains("::") {
        return syn::parse_str(name).ok();
    }
    Some(sig.ident.clone().into())
}

/// An item that compiles if a function takes these arguments, with as many parameters, and returns this.
fn check_of_generic(name: &str, sig: &syn::Signature) -> TokenStream {
    let types = sig.inputs.iter().filter_map(|input| match input {
        syn::FnArg::Typed(input) => Some(&input.ty),
        syn::FnArg::Receiver(_) => None,
    });
    let args: Vec<_> = (0..sig.inputs.len())
        .map(|k| format_ident!("arg_{k}"))
        .collect();
    let params = sig.generics.params.iter().filter_map(|param| match param {
        syn::GenericParam::Type(param) => Some(&param.ident),
        syn::GenericParam::Const(param) => Some(&param.ident),
        syn::GenericParam::Lifetime(_) => None,
    });
    let (generics, _, bounds) = sig.generics.split_for_impl();
    let output = &sig.output;
    let function = path_of(name, sig);
    quote! {
        const _: () = {
            fn of #generics(#(#args: #types),*) #output #bounds { #function::<#(#params),*>(#(#args),*) }
        };
    }
}

/// The types of which a module's known types consist, beside scalars, lists and maps.
struct Parts<'a> {
    own: &'a HashSet<String>,
    aliases: &'a Declared,
    arrays: &'a Callees,
}

impl Parts<'_> {
    /// True if a type is made of these.
    fn make(&self, ty: &syn::Type) -> bool {
        from_written(ty, self.aliases).is_some_and(|ty| self.make_known(&ty))
    }

    fn make_known(&self, ty: &Type) -> bool {
        match ty {
            ty if ty.is_container() => (ty.parts()).all(|part| self.make_known(part)),
            Type::Ref(false, target) => self.make_known(target),
            // Errors have no tangent.
            Type::Result(value, _) => self.make_known(value),
            Type::Inactive(ty) if is_made_of_std(ty) => true,
            Type::Named(written) | Type::Inactive(written) if keyed(ty).is_some() => {
                let args = generic(written).map_or_else(Vec::new, |(_, args)| args);
                args.into_iter().all(|arg| self.make(arg))
            }
            Type::Named(ty) if self.arrays.is_owned_array(ty) => {
                let element = self.arrays.array(ty).and_then(|(element, _)| element);
                element.is_none_or(|element| self.make(element))
            }
            Type::Named(ty) | Type::Inactive(ty) => match &**ty {
                syn::Type::Path(path) => {
                    type_name(&path.path).is_some_and(|name| self.own.contains(&name))
                }
                _ => false,
            },
            ty => ty.is_structural(),
        }
    }
}

/// True if a type is a number, or made of numbers.
fn is_plain_type(ty: &syn::Type, declared: &Declared) -> bool {
    from_written(ty, declared).is_some_and(|ty| ty.is_plain())
}

/// The same, or a `Result` with such a value: an error has no tangent, whatever its type is.
fn is_plain_alias(ty: &syn::Type, declared: &Declared) -> bool {
    from_written(ty, declared).is_some_and(|ty| match ty {
        Type::Result(value, _) => value.is_plain(),
        ty => ty.is_plain(),
    })
}

/// True for a list of structs or enums of the file.
fn is_list_of(types: &HashMap<String, Own>, ty: &syn::Type, declared: &Declared) -> bool {
    let element = from_written(ty, declared).map(|ty| ty.any_element());
    matches!(element, Some(Type::Named(of) | Type::Inactive(of)) if matches!(&*of, syn::Type::Path(of)
        if of.path.get_ident().is_some_and(|of| types.contains_key(&of.to_string()))))
}

/// True for a map or set of std, made of numbers and the like.
fn is_map(ty: &syn::Type, declared: &Declared) -> bool {
    let known = from_written(ty, declared);
    let std = Parts {
        own: &HashSet::new(),
        aliases: declared,
        arrays: &Callees::default(),
    };
    known.is_some_and(|ty| keyed(&ty).is_some()) && std.make(ty)
}

/// Reads the other items of the module of the function with the attribute at `site`, as far as the function mentions
/// them, with bodies for calls in as many bodies in each other as `depth`.
pub(crate) fn siblings(site: Option<&Site>, item: &syn::ItemFn, depth: usize) -> Siblings {
    if located(site, &item.sig.ident).is_none() {
        return Siblings::default();
    }
    let own = bare(&item.sig.ident.to_string()).to_owned();
    let mut all = read(site, item, words_of(item), Some(&own), depth);
    all.functions.remove(&own);
    all.generic.remove(&own);
    all.bodies.remove(&own);
    all
}

/// Reads the other items of the module of an `impl` with the attribute. Calls in methods stay calls.
pub(crate) fn beside_an_impl(site: Option<&Site>, block: &syn::ItemImpl) -> Siblings {
    let own = match (&block.trait_, &*block.self_ty) {
        (Some(_), syn::Type::Path(own)) => own.path.segments.last(),
        _ => None,
    };
    let file = site.and_then(Site::located);
    let own_functions = own
        .zip(file)
        .map(|(own, (file, _))| functions_without_rules(bare(&own.ident.to_string()), &file));
    Siblings {
        own_functions: own_functions.unwrap_or_default(),
        of_plain_trait: of_plain_trait(site, block) == Some(OfPlainTrait::Type),
        ..read(site, block, words_of(block), None, 0)
    }
}

/// The same for a method that has the attribute.
pub(crate) fn beside_a_method(
    site: Option<&Site>,
    block: &syn::ItemImpl,
    method: &syn::ItemFn,
) -> Siblings {
    let mut mentioned = words_of(method);
    mentioned.extend(words_of(&block.self_ty));
    mentioned.extend(words_of(&block.generics));
    read(site, method, mentioned, None, 0)
}

fn read(
    site: Option<&Site>,
    item: &impl Shadowing,
    mut mentioned: HashSet<String>,
    own: Option<&str>,
    depth: usize,
) -> Siblings {
    let Some(module) = Module::at(site) else {
        return Siblings::default();
    };
    let bodies: Vec<_> = (item.functions().into_iter())
        .map(|(_, body)| body)
        .collect();
    // A name that a body imports may be another than that of the module.
    let imported = imported_in(&bodies, &module);
    let Some(imported) = imported.filter(|names| !names.iter().any(|name| module.may_have(name)))
    else {
        return Siblings::default();
    };
    mentioned.retain(|name| own.is_none_or(|own| own != name));
    let elsewhere = Elsewhere::of(&module, imported.clone());
    let mut reader = Reader::of(&module, &elsewhere);
    reader.take_by_paths(&paths_in(item.to_token_stream()), &mut mentioned, depth > 0);
    let mut all = reader.read(mentioned, depth);
    all.drop_shadowed_bodies(item, imported);
    all
}

/// A block: the address of its file's text, and where in it the block is opened.
type Block = (usize, usize);

/// The words in an item, and those in its body.
type Mentioned = (HashSet<String>, HashSet<String>);

fn block_of(module: &Module, item: &Item) -> Option<Block> {
    Some((Arc::as_ptr(&module.source).addr(), item.braces?.0))
}

/// A method without rules.
#[derive(Clone, Debug)]
pub(crate) struct Borrowing {
    /// Its type.
    pub(crate) own: syn::Ident,
    /// No other method has its name.
    pub(crate) is_only: bool,
}

/// How deep methods are inlined in each other.
const DEEPEST_METHOD: usize = 4;

/// Reads a module.
struct Reader<'a> {
    module: &'a Module,
    elsewhere: &'a Elsewhere,
    all: Siblings,
    /// The blocks of methods and `impl`s that have been read.
    known: HashSet<Block>,
    /// The types that other modules declare.
    homes: HashMap<String, Found>,
}

impl<'a> Reader<'a> {
    fn of(module: &'a Module, elsewhere: &'a Elsewhere) -> Reader<'a> {
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
    fn read(mut self, mentioned: HashSet<String>, depth: usize) -> Siblings {
        let mut seen = HashSet::new();
        let mut level: Vec<String> = mentioned.into_iter().collect();
        for bodies in 0.. {
            let mut deeper = HashSet::new();
            while let Some(name) = level.pop() {
                if seen.contains(&name) {
                    continue;
                }
                if let Some((item, open)) = only(self.module, &name) {
                    level.extend(mentioned_by(&item));
                    self.all.take(self.module, &name, &item);
                    if let Some(body) = body_of(self.module, &name, &item, open, bodies < depth) {
                        words(body.closure.body.to_token_stream(), &mut deeper);
                        self.all.bodies.insert(name.clone(), Rc::new(body));
                    }
                } else if let Some((words, in_body)) =
                    self.take_from_elsewhere(&name, bodies < depth)
                {
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
            for block in impls_of(module, of) {
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
    fn take_from_elsewhere(&mut self, name: &str, with_body: bool) -> Option<Mentioned> {
        let found = self.elsewhere.find(name)?;
        (found.name == name).then(|| self.take_found(name, found, with_body))?
    }

    /// Takes an item under a name, or a path; with its body, if that may be inlined here.
    fn take_found(&mut self, name: &str, mut found: Found, with_body: bool) -> Option<Mentioned> {
        found.module.is_elsewhere = true;
        let (item, open) = only(&found.module, &found.name)?;
        let body = match &item {
            syn::Item::Fn(function)
                if with_body
                    && open.is_some()
                    && (self.elsewhere).is_portable(
                        &found.module,
                        "",
                        &function.sig,
                        &function.block,
                    ) =>
            {
                body_of(&found.module, name, &item, open, true)
            }
            _ => None,
        };
        let item = self.elsewhere.translated(&found, item)?;
        self.all.take(&found.module, name, &item);
        if self.all.types.contains_key(name) {
            self.homes.insert(name.to_owned(), found);
        }
        let in_body = body.as_ref().map(|body| words_of(&body.closure.body));
        self.all
            .bodies
            .extend(body.map(|body| (name.to_owned(), Rc::new(body))));
        Some((mentioned_by(&item), in_body.unwrap_or_default()))
    }

    /// Takes the types that have been named by their paths. The words in them.
    fn take_named_by_paths(&mut self) -> HashSet<String> {
        let mut words = HashSet::new();
        for (name, found) in self.elsewhere.named_by_paths() {
            if !self.homes.contains_key(&name) {
                let taken = self.take_found(&name, found, false);
                words.extend(taken.map(|(words, _)| words).unwrap_or_default());
            }
        }
        words
    }

    /// Takes the functions of other modules that are called by their paths. The words in them are added to `mentioned`.
    fn take_by_paths(
        &mut self,
        paths: &[Vec<Ident>],
        mentioned: &mut HashSet<String>,
        with_bodies: bool,
    ) {
        for path in paths {
            let names: Vec<String> = path.iter().map(ToString::to_string).collect();
            let Some(found) = self.elsewhere.find_path(path) else {
                continue;
            };
            let (is_type, is_function) =
                (found.is_one(Item::is_type), found.is_one(Item::is_function));
            if is_type {
                self.elsewhere.write_as(&quote!(#(#path)::*), found);
            } else if is_function {
                let taken = self.take_found(&names.join("::"), found, with_bodies);
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
                let mut methods = item.items.iter().filter_map(|item| match item {
                    syn::ImplItem::Fn(method) => Some(method),
                    _ => None,
                });
                let has_rules = bodies
                    && make_plain_rules(&item.attrs)
                    && methods.all(|of| elsewhere.is_portable(module, &own, &of.sig, &of.block));
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

/// The body of a function of a module that may replace its calls by this path; of those that can't be called only, unless `for_all`.
fn body_of(
    module: &Module,
    path: &str,
    item: &syn::Item,
    open: Option<usize>,
    for_all: bool,
) -> Option<Body> {
    let (syn::Item::Fn(item), Some(open)) = (item, open) else {
        return None;
    };
    let has_no_rules = has_no_rules(&item.sig);
    if !for_all && !has_no_rules {
        return None;
    }
    let attrs = &item.attrs;
    let may = are_as_written(attrs)
        && make_plain_rules(attrs)
        && (has_no_rules || !attrs.iter().any(keeps_calls));
    let path = path_of(path, &item.sig)?;
    let body = may.then(|| Body::new(module, &path, item)).flatten();
    // The error of a call without rules belongs to the function that makes it.
    let body = body.filter(|body| has_no_rules || !calls_without_rules(module, body));
    if body.is_none()
        && let Ok(mut not_inlined) = module.source.not_inlined.lock()
    {
        not_inlined.insert(open);
    }
    body
}

/// True if a body mentions a function of the module that has no rules.
fn calls_without_rules(module: &Module, body: &Body) -> bool {
    let mentioned = words_of(&body.closure.body);
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

/// The `impl` blocks that may be those of a type.
fn impls_of<'m>(module: &'m Module, of: &'m str) -> impl Iterator<Item = &'m Item> {
    let blocks = module.all("impl");
    blocks.filter(move |block| block.header.contains(of))
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

/// True if attributes leave a function's signature as it is, and a number that it returns has the tangent of a number.
fn has_its_signature(item: &syn::ItemFn) -> bool {
    let (primitives, others): (Vec<_>, Vec<_>) =
        (item.attrs.iter().cloned()).partition(attributes::is_primitive);
    let is_constant = |attr: &syn::Attribute| mentions(attr, "zero_derivative");
    let has_tangent = match &item.sig.output {
        syn::ReturnType::Type(_, ty) => may_have_tangent(ty, &Declared::default()),
        syn::ReturnType::Default => false,
    };
    are_as_written(&others) && !(has_tangent && primitives.iter().any(is_constant))
}

impl Siblings {
    fn take(&mut self, module: &Module, name: &str, item: &syn::Item) {
        let implemented = || has_implementation(module, name);
        match item {
            syn::Item::Fn(item) if has_its_signature(item) && is_plain(&item.sig) => {
                if item.attrs.iter().any(makes_rules) {
                    self.differentiable.insert(name.to_owned());
                }
                let sig = Rc::new(item.sig.clone());
                self.functions.insert(name.to_owned(), sig);
            }
            syn::Item::Fn(item) if are_as_written(&item.attrs) && is_generic(&item.sig) => {
                let sig = Rc::new(item.sig.clone());
                self.generic.insert(name.to_owned(), sig);
            }
            syn::Item::Struct(item) => {
                let own = self.types.entry(name.to_owned());
                own.or_default().declare(item, &implemented);
            }
            syn::Item::Enum(item) => {
                let own = self.types.entry(name.to_owned());
                own.or_default().declare_enum(item, &implemented);
            }
            syn::Item::Trait(item) => {
                let known = Trait::new(item).map(Rc::new);
                self.traits
                    .extend(known.map(|known| (name.to_owned(), known)));
            }
            syn::Item::Const(item) if are_as_written(&item.attrs) => {
                self.constants.insert(name.to_owned(), (*item.ty).clone());
            }
            syn::Item::Static(item) if are_as_written(&item.attrs) => {
                self.statics.insert(name.to_owned());
                self.constants.insert(name.to_owned(), (*item.ty).clone());
            }
            syn::Item::Type(item) if are_as_written(&item.attrs) => {
                let aliases = Rc::make_mut(&mut self.aliases);
                aliases.extend(Alias::new(item).map(|alias| (name.to_owned(), alias)));
            }
            _ => {}
        }
    }
}

impl Siblings {
    /// Drops the bodies that may mean something else where they replace a call: a name in them might be that of something in `item`.
    fn drop_shadowed_bodies(&mut self, item: &impl Shadowing, imported: HashSet<String>) {
        let (mut inside, mut names) = (HashSet::new(), imported);
        for (of, block) in item.functions() {
            words(of.params.to_token_stream(), &mut names);
            words(block.to_token_stream(), &mut inside);
        }
        let declaring = "const enum fn macro_rules static struct trait type union";
        if inside.iter().any(|word| lists(declaring, word)) {
            self.bodies.clear();
        }
        if names.is_empty() {
            return;
        }
        let is_same = |body: &Body| words_of(&body.closure).is_disjoint(&names);
        self.bodies.retain(|_, body| is_same(body));
    }
}

/// An item whose functions may change the meaning of names.
pub(crate) trait Shadowing: ToTokens {
    /// Generic parameters, and bodies.
    fn functions(&self) -> Vec<(&syn::Generics, &syn::Block)>;
}

impl Shadowing for syn::ItemFn {
    fn functions(&self) -> Vec<(&syn::Generics, &syn::Block)> {
        vec![(&self.sig.generics, &self.block)]
    }
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
    let of = of.path.segments.last()?.ident.to_string();
    let found = types.iter_mut().find(|(name, _)| is_clone && **name == of);
    found.map(|(name, own)| (name.as_str(), own))
}

impl Shadowing for syn::ItemImpl {
    fn functions(&self) -> Vec<(&syn::Generics, &syn::Block)> {
        let methods = self.items.iter().filter_map(|item| match item {
            syn::ImplItem::Fn(method) => Some(method),
            _ => None,
        });
        let both = methods.flat_map(|method| {
            [&self.generics, &method.sig.generics].map(|generics| (generics, &method.block))
        });
        both.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, mentioned: &[&str]) -> Siblings {
        let mentioned = mentioned.iter().map(|name| (*name).to_owned()).collect();
        let module = Module::of(text);
        let elsewhere = Elsewhere::of(&module, HashSet::new());
        Reader::of(&module, &elsewhere).read(mentioned, 0).settled()
    }

    #[test]
    fn what_is_mentioned_is_taken() {
        let text = "use a::B; type V = [f64; 3]; type M = [V; 3]; const N: usize = 3; const S: &str = \"\";
            #[differentiable] pub fn f(x: &M) -> f64 { 1.0 } fn g() -> V { V } mod m { fn h() -> f64 { 1.0 } }";
        let all = of(text, &["f", "N", "S", "h"]);
        assert_eq!(
            all.checks(&quote!(rt)).to_string(),
            quote!(
                const _: () = {
                    fn same(x: &M) -> &[V; 3] {
                        x
                    }
                };
                const _: usize = N;
                const _: () = {
                    fn same(x: &V) -> &[f64; 3] {
                        x
                    }
                };
                const _: fn(&M) -> f64 = f;
            )
            .to_string()
        );
        let differentiable: Vec<&str> = all.differentiable().map(|(name, _)| name).collect();
        assert_eq!(differentiable, ["f"]);
        assert!(all.function("g").is_none());
    }

    #[test]
    fn a_generic_function_is_called_with_its_parameters() {
        let text = "#[differentiable] fn f<T: R, const N: usize>(g: impl Fn(&T) -> T, #[constant] x: [T; N]) -> T { .. }
            fn h(g: &dyn Fn(f64) -> f64) {}  fn i<T>(x: T) -> impl Fn() { || () }  unsafe fn j<T>(x: T) -> T { x }";
        let all = of(text, &["f", "h", "i", "j"]);
        assert_eq!(
            all.checks(&quote!(rt)).to_string(),
            quote!(
                const _: () = {
                    fn of<T: R, const N: usize>(arg_0: impl Fn(&T) -> T, arg_1: [T; N]) -> T {
                        f::<T, N>(arg_0, arg_1)
                    }
                };
                const _: fn(&dyn Fn(f64) -> f64) = h;
            )
            .to_string()
        );
    }

    #[test]
    fn what_the_file_does_not_say_is_left() {
        let text = "#[cfg(a)] type V = f64; #[cfg(not(a))] type W = f32; #[cached] fn f() -> f64 { 1.0 }
            fn h() -> impl Fn() { || () } type I = Vec<Other>; type R = &'static [f64]; type O = Other;
            const N: usize = 1; #[cfg(b)] const N: usize = 2; type Own = f64; struct Own; ";
        let all = of(text, &["V", "W", "f", "g", "h", "I", "R", "O", "N", "Own"]);
        assert_eq!(all.checks(&quote!(rt)).to_string(), "");
    }
}

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

mod reader;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};

use reader::Reader;

use super::attributes::{are_as_written, makes_rules, mentions};
use super::callees::Callees;
use super::declared::has_implementation;
use super::elsewhere::Elsewhere;
use super::inlined::Body;
use super::located;
use super::methods::MethodBody;
use super::module::{Module, imported_in};
use super::names::{OfPlainTrait, of_plain_trait};
use super::operators::{Indexing, Overload, Total};
use super::signatures::{is_generic, is_plain};
use super::source::Site;
use super::structs::{Own, Used};
use super::tokens::{bare, lists, paths_in, words, words_of};
use super::traits::{self, Trait};
use super::whole::functions_without_rules;
use crate::attributes;
use crate::configured::first_cfg;
use crate::ir::{BinaryOp, OperatorKind};
use crate::paths::{last_name, type_name};
use crate::syntax::{methods, parameter_names, type_arguments, type_path, typed_params};
use crate::types::keyed::keyed;
use crate::types::written::{generic, is_made_of_std, may_have_tangent};
use crate::types::{Alias, Declared, Type, bounded, from_written};

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
    /// Functions of other modules that have no rules, each with a name in it that isn't known here.
    pub(crate) unportable: HashMap<String, String>,
    /// Functions whose operations may be inlined, and those that have been.
    inlinable: HashMap<String, (Rc<MethodBody>, Used)>,
    /// The types of methods whose bodies are among these, as `Own::method`.
    borrowing: HashMap<String, Vec<Borrowing>>,
    types: HashMap<String, Own>,
    overloads: Vec<Rc<Overload>>,
    totals: Vec<Total>,
    indexing: Vec<Rc<Indexing>>,
    traits: HashMap<String, Rc<Trait>>,
    /// The functions without rules of the type that an `impl` of a trait is for.
    own_functions: BTreeSet<String>,
    /// The `impl` is one of a trait of the module that has no rules, for a type of the module.
    pub(crate) of_plain_trait: bool,
}

impl Siblings {
    /// The signature of a method that one of these traits declares, with `__Own` for `Self`.
    pub(crate) fn method_of_traits(
        &self,
        bounds: &[String],
        name: &str,
    ) -> Option<&syn::Signature> {
        traits::method(&self.traits, bounds, name)
    }

    /// A method of an `impl` with `#[constant]` where its trait has it, and an error, if it has it elsewhere.
    pub(crate) fn agreed(
        &self,
        of: Option<&syn::Path>,
        sig: &syn::Signature,
    ) -> Option<(syn::Signature, syn::Error)> {
        let [segment] = &of?.segments.iter().collect::<Vec<_>>()[..] else {
            return None;
        };
        let declared = self.traits.get(bare(&segment.ident.to_string()))?;
        declared.agreed(&segment.ident, sig)
    }

    /// The type parameters that need a tangent in an `impl` of a trait with objects, but have none by their bounds.
    pub(crate) fn without_tangents(&self, block: &syn::ItemImpl) -> Vec<syn::Ident> {
        let has_objects = |of: &String| self.traits.get(of).is_some_and(|of| of.has_objects);
        let of = block.trait_.as_ref();
        let of = of.and_then(|(path, _)| path.get_ident().map(ToString::to_string));
        let (Some(own), syn::Type::Path(path)) = (self.own_type(&block.self_ty), &*block.self_ty)
        else {
            return Vec::new();
        };
        let last = path.path.segments.last();
        let (Some(last), true) = (last, of.is_some_and(|of| has_objects(&of))) else {
            return Vec::new();
        };
        // These bounds, at least, give no tangent.
        let says_none = |bound: &syn::TypeParamBound| {
            let of_std = |of: &String| lists("Clone Copy Debug Send Sync", of);
            match bound {
                syn::TypeParamBound::Trait(bound) => {
                    last_name(&bound.path).is_some_and(|of| of_std(&of))
                        || bound
                            .path
                            .get_ident()
                            .is_some_and(|of| has_objects(&of.to_string()))
                }
                _ => true,
            }
        };
        let lacks_it = |param: &syn::TypeParam| {
            let of = param.ident.to_token_stream().to_string();
            let mut bounds = bounded(&block.generics).filter(|(ty, _)| ty.to_string() == of);
            bounds.all(|(_, bounds)| bounds.iter().all(says_none))
        };
        let needed = own.active_parameters(&last.ident.to_string());
        let needed = type_arguments(last).into_iter().zip(needed);
        let needed: Vec<_> = needed
            .filter_map(|(ty, needed)| needed.then_some(ty))
            .collect();
        let params = block.generics.type_params().filter(|param| lacks_it(param));
        let params = params.map(|param| param.ident.clone());
        params
            .filter(|param| needed.contains(&&syn::parse_quote!(#param)))
            .collect()
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
            self.unportable.remove(name);
            self.inlinable.remove(name);
        }
        self
    }

    /// The body of a function.
    pub(crate) fn body(&self, name: &str) -> Option<&Rc<Body>> {
        self.bodies.get(name)
    }

    /// The body of a function whose operations may be inlined.
    pub(crate) fn inlinable(&self, name: &str) -> Option<&Rc<MethodBody>> {
        let (body, used) = self.inlinable.get(name)?;
        used.mark();
        Some(body)
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
        let fewer = bodies.len() < self.bodies.len() || !self.inlinable.is_empty();
        fewer.then(|| Siblings {
            bodies,
            inlinable: HashMap::new(),
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
        let path = type_path(ty)?;
        self.own(&type_name(&path.path)?)
    }

    /// True if a type of the file has a method of this name, as far as the function mentions that.
    pub(crate) fn have_method(&self, name: &str) -> bool {
        self.types.values().any(|own| own.method(name).is_some())
    }

    /// True if there are functions, methods or operators whose operations may be inlined.
    pub(crate) fn have_operations(&self) -> bool {
        let mut operators = self
            .overloads
            .iter()
            .filter_map(|overload| overload.body.as_ref());
        let mut parts = self
            .indexing
            .iter()
            .filter_map(|indexing| indexing.part.as_ref());
        let mut methods = self.types.values().flat_map(Own::bodies);
        !self.inlinable.is_empty()
            || operators.next().is_some()
            || parts.next().is_some()
            || methods.next().is_some()
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
            let inputs = typed_params(sig).map(|param| &param.ty);
            let output = &sig.output;
            let function = path_of(name, sig);
            let check = quote!(const _: fn(#(#inputs),*) #output = #function;);
            (name, check)
        });
        let generic = self.generic.iter();
        let generic = generic.map(|(name, sig)| (name, check_of_generic(name, sig)));
        let bodies = self.bodies.iter();
        let bodies = bodies.map(|(name, body)| (name, body.check()));
        let inlined = self.inlinable.iter().filter(|(_, (_, used))| used.get());
        let inlined = inlined.filter_map(|(name, (body, _))| {
            let (path, fingerprint) = (path_of(name, &body.sig)?, body.fingerprint);
            let imports = body.imports.checks();
            let check =
                quote!(const _: () = ::core::assert!(#path::__TEXT == #fingerprint); #imports);
            Some((name, check))
        });
        let constants = self.constants.iter().map(|(name, ty)| {
            let constant = ident(name);
            (name, quote!(const _: #ty = #constant;))
        });
        let aliases = self.aliases.iter();
        let aliases = aliases.filter_map(|(name, alias)| Some((name, alias.check(&ident(name)?))));
        let types = self.types.iter();
        let types = types.filter_map(|(name, own)| Some((name, own.check(&path(name)?, rt))));
        let items = functions
            .chain(generic)
            .chain(bodies)
            .chain(inlined)
            .chain(constants);
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
            from_written(ty, &declared).is_some_and(|ty| ty.is_plain())
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
    let types = typed_params(sig).map(|param| &param.ty);
    let args: Vec<_> = (0..sig.inputs.len())
        .map(|k| format_ident!("arg_{k}"))
        .collect();
    let params = parameter_names(&sig.generics);
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
            ty if ty.range_ends().is_some() => true,
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
    reader.take_by_paths(&paths_in(item.to_token_stream()), &mut mentioned, depth);
    let mut all = reader.read(mentioned, depth);
    all.drop_shadowed_bodies(item, imported);
    all
}

/// A method without rules.
#[derive(Clone, Debug)]
pub(crate) struct Borrowing {
    /// Its type.
    pub(crate) own: syn::Ident,
    /// No other method has its name.
    pub(crate) is_only: bool,
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

impl Shadowing for syn::ItemImpl {
    fn functions(&self) -> Vec<(&syn::Generics, &syn::Block)> {
        let both = methods(self).flat_map(|method| {
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

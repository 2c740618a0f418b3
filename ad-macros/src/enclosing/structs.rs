//! Reads the types that stand beside a function: the fields of structs, and their methods.
//!
//! In: declarations. Out: an [`Own`] for each type, and checks by which rustc compares the file's declarations with the types that the names
//! refer to.
//!
//! A field whose type has a tangent counts if its struct derives `Differentiable`, and if it isn't constant: then the derive says that the tangent
//! has a field of the same name, with the tangent of that type. It counts, too, if its struct has no tangent: then values of the struct are constants,
//! and an operation that would need a tangent is an error.
//!
//! Without this, `g.ny` and `g.at(i, j)` would be of a type that only rustc knows: each use would go through the rules of operators, and
//! loops would store their results in each trip.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::visit_mut::VisitMut;

use super::attributes::{
    are_without_rules, derive, implements_known, leaves_field, leaves_fields, leaves_type,
};
use super::clones::copies;
use super::methods::{Method, MethodBody};
use super::module::Module;
use super::tokens::{bare, lists, words_of};
use crate::attributes;
use crate::ir::Clones;
use crate::syntax::{ReplaceTypes, parameter_names};
use crate::types::keyed::keyed;
use crate::types::written::{may_have_tangent, primitive_named};
use crate::types::{Declared, from_written};

/// A declaration with this mark has been used, so that it has to be checked.
#[derive(Clone, Debug, Default)]
pub(super) struct Used(Rc<Cell<bool>>);

impl Used {
    pub(super) fn get(&self) -> bool {
        self.0.get()
    }

    pub(super) fn mark(&self) {
        self.0.set(true);
    }
}

/// A type: its fields and methods.
#[derive(Clone, Debug, Default)]
pub(crate) struct Own {
    /// Its parameters, which the types below name.
    generics: syn::Generics,
    /// Those of known types, but for those that are constant.
    pub(crate) fields: Vec<(syn::Member, syn::Type)>,
    /// All of them as they are written, which nothing checks.
    written: Vec<(syn::Member, syn::Type)>,
    /// Those of an enum's variants.
    payloads: Vec<(syn::Ident, syn::Member, syn::Type)>,
    /// Fields that are `#[constant]`, with their types if these are std's.
    constants: Vec<(syn::Member, Option<syn::Type>)>,
    /// A name that is declared twice has none.
    methods: HashMap<String, Option<Method>>,
    /// Functions that return the type with the parameters of their `impl`.
    pub(crate) makers: HashSet<String>,
    /// It derives `Differentiable`.
    pub(crate) derived: bool,
    /// It has no tangent, as far as the crate shows. Its values are constants, and so are the numbers in them.
    pub(crate) inert: bool,
    /// How its clones differ from the original, as far as the file shows.
    pub(crate) clones: Clones,
    /// The members that hold no numbers, with the variant or struct that they are of.
    inactive: HashSet<(String, syn::Member)>,
    /// The words in the types of its members.
    mentioned: HashSet<String>,
    /// How many fields it has, if they are to be taken apart: it is `Copy`, and none is constant.
    open: Option<usize>,
    is_enum: bool,
}

impl Own {
    /// Adds the fields of the type, unless its declaration may differ from the one that rustc sees. `implemented`: the crate may have a tangent
    /// for it without the derive.
    pub(super) fn declare(&mut self, item: &syn::ItemStruct, implemented: &dyn Fn() -> bool) {
        if !self.begin(&item.generics, &item.attrs, implemented) {
            return;
        }
        let is_generic = self.is_generic();
        let is_copy = self.clones == Clones::Same && derive(&item.attrs, "Copy");
        self.open = (self.derived && is_copy && !is_generic).then(|| item.fields.len());
        self.take_members(&item.ident, &item.fields);
        for (member, field) in item.fields.members().zip(&item.fields) {
            if is_constant(field) {
                self.open = None;
                if self.derived && is_as_written(field) && !is_generic {
                    let ty = from_written(&field.ty, &Declared::default());
                    let ty = ty.is_some().then(|| field.ty.clone());
                    self.constants.push((member.clone(), ty));
                }
            }
            self.written.push((member.clone(), field.ty.clone()));
            if self.is_known(field) {
                self.fields.push((member, field.ty.clone()));
            }
        }
    }

    /// The same of an enum's payloads.
    pub(super) fn declare_enum(&mut self, item: &syn::ItemEnum, implemented: &dyn Fn() -> bool) {
        if !self.begin(&item.generics, &item.attrs, implemented) {
            return;
        }
        self.is_enum = true;
        for variant in &item.variants {
            self.take_members(&variant.ident, &variant.fields);
            let fields = variant.fields.members().zip(&variant.fields);
            let known = fields.filter(|(_, field)| {
                self.is_known(field) && variant.attrs.iter().all(|attr| attr.path().is_ident("doc"))
            });
            let payloads =
                known.map(|(member, field)| (variant.ident.clone(), member, field.ty.clone()));
            self.payloads.extend(payloads.collect::<Vec<_>>());
        }
    }

    /// Takes the parameters of a declaration, unless it may differ from the one that rustc sees.
    fn begin(
        &mut self,
        generics: &syn::Generics,
        attrs: &[syn::Attribute],
        implemented: &dyn Fn() -> bool,
    ) -> bool {
        let is_seen = attrs.iter().all(leaves_fields);
        if is_seen {
            self.generics = generics.clone();
            self.derived = derive(attrs, "Differentiable");
            self.inert = attrs.iter().all(leaves_type) && !implemented();
            if derive(attrs, "Clone") {
                self.clones = Clones::Same;
            } else if self.derived && attrs.iter().all(implements_known) {
                self.clones = Clones::Elsewhere;
            }
        }
        is_seen
    }

    /// Takes the types of members, and which members hold no numbers.
    fn take_members(&mut self, of: &syn::Ident, fields: &syn::Fields) {
        let all = fields.members().zip(fields);
        let inactive = all.filter(|(_, field)| {
            is_constant(field) || !may_have_tangent(&field.ty, &Declared::default())
        });
        self.mentioned.extend(words_of(fields));
        let of = of.to_string();
        self.inactive
            .extend(inactive.map(|(member, _)| (of.clone(), member)));
    }

    /// Takes an `impl` of `Clone` that is written by hand. Of several, the worst counts.
    pub(super) fn take_clone(&mut self, own: &str, item: &syn::ItemImpl) {
        let is_inactive = |of: &str, member: &syn::Member| {
            self.inactive.contains(&(of.to_owned(), member.clone()))
        };
        let clones = if copies(own, item, &|_, _| false) {
            Clones::Same
        } else if copies(own, item, &is_inactive) {
            Clones::SameNumbers
        } else {
            Clones::Other
        };
        self.clones = match self.clones {
            Clones::Unseen | Clones::Elsewhere => clones,
            known => known.max(clones),
        };
    }

    /// Takes what is known of clones of its members; true if that is news.
    pub(super) fn take_clones_of_members(&mut self, all: &HashMap<String, Clones>) -> bool {
        let members = self.mentioned.iter().filter_map(|name| all.get(name));
        let worst = members.max().copied().unwrap_or_default();
        let news = worst > Clones::Unseen && worst > self.clones;
        if news {
            self.clones = worst;
        }
        news
    }

    /// True if a field has the type that is written, and a tangent if that type has one and the struct has one.
    fn is_known(&self, field: &syn::Field) -> bool {
        let as_its_type = self.inert || self.derived && !is_constant(field);
        let ty = from_written(&field.ty, &Declared::default());
        // A map has none, wherever it may stand.
        is_as_written(field)
            && ty.is_some_and(|ty| as_its_type || !ty.may_have_tangent() || keyed(&ty).is_some())
    }

    /// True if all of its values have the same fields, whose types are the same for all.
    pub(crate) fn is_plain_struct(&self) -> bool {
        !self.is_generic() && !self.is_enum
    }

    /// True for a type with a tangent, and without parameters, if the path can be that of its struct or variant.
    pub(crate) fn is_made_by(&self, path: &syn::Path) -> bool {
        self.is_enum == (path.segments.len() == 2) && self.derived && !self.is_generic()
    }

    /// True if it has parameters other than lifetimes.
    pub(crate) fn is_generic(&self) -> bool {
        self.params().next().is_some()
    }

    /// True if its name may have arguments.
    pub(crate) fn takes_arguments(&self) -> bool {
        !self.generics.params.is_empty()
    }

    /// The names of its parameters.
    pub(super) fn params(&self) -> impl Iterator<Item = &syn::Ident> {
        parameter_names(&self.generics)
    }

    /// The type itself, with its parameters.
    fn itself(&self, name: &syn::Path) -> syn::Type {
        let (_, params, _) = self.generics.split_for_impl();
        syn::parse_quote!(#name #params)
    }

    /// True for an `impl` of the type's own methods, whose parameters have the names of the type's.
    pub(super) fn is_of(&self, name: &str, item: &syn::ItemImpl) -> bool {
        let name = syn::Path::from(syn::Ident::new(name, Span::call_site()));
        let params = self.generics.params.len() == item.generics.params.len();
        params && item.trait_.is_none() && *item.self_ty == self.itself(&name)
    }

    /// Adds a method of an `impl` of the type, which has the name `own` or is at this path; its body, if a module is given.
    pub(super) fn add(
        &mut self,
        own: &syn::Path,
        item: &syn::ItemImpl,
        method: &syn::ImplItemFn,
        module: Option<&Module>,
    ) {
        let name = method.sig.ident.to_string();
        let itself = self.itself(own);
        let is_itself = |ty: &syn::Type| *ty == itself || *ty == syn::parse_quote!(Self);
        if self.is_generic()
            && matches!(&method.sig.output, syn::ReturnType::Type(_, ty) if is_itself(ty))
        {
            self.makers.insert(name.clone());
        }
        let all = self.methods.entry(name);
        let taken = matches!(all, std::collections::hash_map::Entry::Occupied(_));
        let may_lend = are_without_rules(&item.attrs) && are_without_rules(&method.attrs);
        let method = Method::new(own, &itself, &item.generics, method, module, may_lend);
        all.insert_entry(method.filter(|_| !taken));
    }

    pub(super) fn bodies(&self) -> impl Iterator<Item = &Rc<MethodBody>> {
        let methods = self.methods.values().flatten();
        methods.filter_map(|method| method.body.as_ref())
    }

    /// The body of a method, with the method's name as it is declared.
    pub(crate) fn body(&self, method: &str) -> Option<&Rc<MethodBody>> {
        let method = self.methods.get(method)?.as_ref()?;
        method.used.mark();
        method.body.as_ref()
    }

    /// The parts of an enum's variants whose types are known.
    pub(crate) fn payloads(&self) -> impl Iterator<Item = &(syn::Ident, syn::Member, syn::Type)> {
        self.payloads.iter()
    }

    /// The fields that are `#[constant]`, with their types if these are known.
    pub(crate) fn constants(&self) -> impl Iterator<Item = (&syn::Member, Option<&syn::Type>)> {
        let constants = self.constants.iter();
        constants.map(|(member, ty)| (member, ty.as_ref()))
    }

    /// All fields, as they are written.
    pub(crate) fn members(&self) -> impl Iterator<Item = &syn::Member> {
        self.written.iter().map(|(member, _)| member)
    }

    /// The type parameters of a struct that certainly need a tangent: one field at least is made of that type, and isn't constant.
    pub(super) fn active_parameters(&self, name: &str) -> Vec<bool> {
        let is_active = |param: &syn::TypeParam, member: &syn::Member, ty: &syn::Type| {
            let words = words_of(ty);
            let known = |word: &String| param.ident == word || lists("Box Option Vec", word);
            let inactive = (self.inactive).contains(&(name.to_owned(), member.clone()));
            !inactive && words.contains(&param.ident.to_string()) && words.iter().all(known)
        };
        let params = self.generics.type_params();
        let params = params.map(|param| {
            let mut fields = self.written.iter();
            self.derived && fields.any(|(member, ty)| is_active(param, member, ty))
        });
        params.collect()
    }

    /// The type of a field as it is written, as a sign of what it may be.
    pub(crate) fn written(&self, member: &syn::Member) -> Option<&syn::Type> {
        let mut fields = self.written.iter();
        let (_, ty) = fields.find(|(known, _)| known == member)?;
        Some(ty)
    }

    /// The signature of a method, without `Self`.
    pub(crate) fn method(&self, name: &str) -> Option<&syn::Signature> {
        let method = self.methods.get(name)?.as_ref()?;
        method.used.mark();
        Some(&method.sig)
    }

    /// True if it is `Copy`, and all of its fields are known, so that it can be taken apart.
    pub(crate) fn is_open(&self) -> bool {
        self.open == Some(self.fields.len())
    }

    /// Keeps the types that a function may name.
    pub(super) fn keep(&mut self, mentioned: &HashSet<String>) {
        let open = self.open.is_some();
        let is_named = |member: &syn::Member| match member {
            syn::Member::Named(name) => open || mentioned.contains(bare(&name.to_string())),
            syn::Member::Unnamed(_) => true,
        };
        self.fields.retain(|(member, _)| is_named(member));
        self.constants.retain(|(member, _)| is_named(member));
        (self.payloads).retain(|(variant, ..)| mentioned.contains(bare(&variant.to_string())));
        (self.methods).retain(|name, method| method.is_some() && mentioned.contains(bare(name)));
    }

    /// Removes members with types whose names may be those of others.
    pub(super) fn leave(&mut self, is_shadowed: &dyn Fn(&syn::Type) -> bool) {
        self.fields.retain(|(_, ty)| !is_shadowed(ty));
        self.payloads.retain(|(.., ty)| !is_shadowed(ty));
        for (_, ty) in &mut self.constants {
            *ty = ty.take().filter(|ty| !is_shadowed(ty));
        }
        self.methods.retain(
            |_, method| match method.as_ref().map(|method| &method.sig.output) {
                Some(syn::ReturnType::Type(_, ty)) => !is_shadowed(ty),
                _ => true,
            },
        );
    }

    /// Items that compile if the type has these fields, and the methods that have been used.
    pub(super) fn check(&self, name: &syn::Path, rt: &TokenStream) -> TokenStream {
        let constants = self.constants.iter();
        let typed = constants.filter_map(|(member, ty)| Some((member.clone(), ty.clone()?)));
        let fields = self.fields.iter().cloned().chain(typed);
        let (members, mut types): (Vec<_>, Vec<_>) = fields.unzip();
        types
            .iter_mut()
            .for_each(|ty| absolute().visit_type_mut(ty));
        let (generics, _, bounds) = self.generics.split_for_impl();
        let itself = self.itself(name);
        let fields = (!members.is_empty()).then(|| {
            quote! {
                const _: () = {
                    fn holds #generics(of: &#itself) #bounds { #(let _: &#types = &of.#members;)* }
                };
            }
        });
        let payloads = (!self.payloads.is_empty()).then(|| {
            let (variants, members): (Vec<_>, Vec<_>) = (self.payloads.iter())
                .map(|(variant, member, _)| (variant, member))
                .unzip();
            let mut types: Vec<_> = self.payloads.iter().map(|(.., ty)| ty.clone()).collect();
            types.iter_mut().for_each(|ty| absolute().visit_type_mut(ty));
            quote! {
                const _: () = {
                    #[allow(irrefutable_let_patterns)]
                    fn holds #generics(of: &#itself) #bounds {
                        #(if let #name::#variants { #members: part, .. } = of { let _: &#types = part; })*
                    }
                };
            }
        });
        let constants = (!self.constants.is_empty()).then(|| {
            let constants = self.constants().map(|(member, _)| member);
            quote! {
                const _: () = {
                    fn holds #generics(of: &<#itself as #rt::Differentiable>::Tangent) #bounds { #(let _: &#rt::NoTangent = &of.#constants;)* }
                };
            }
        });
        let methods = self.methods.values().flatten();
        let mut methods: Vec<&Method> = methods.filter(|method| method.used.get()).collect();
        methods.sort_by_key(|method| method.sig.ident.to_string());
        let methods = methods
            .into_iter()
            .map(|method| method.check(name, &itself));
        quote!(#fields #payloads #constants #(#methods)*)
    }
}

fn is_constant(field: &syn::Field) -> bool {
    field.attrs.iter().any(attributes::is_constant)
}

/// True if no attribute makes another field of it.
fn is_as_written(field: &syn::Field) -> bool {
    let mut attrs = field.attrs.iter();
    attrs.all(|attr| leaves_field(attr) || attributes::is_constant(attr))
}

/// A type of the file with its arguments.
pub(crate) struct Instance<'a> {
    pub(crate) own: &'a Own,
    /// The arguments of its parameters, as far as they are written.
    arguments: HashMap<String, syn::GenericArgument>,
}

impl<'a> Instance<'a> {
    pub(crate) fn new(own: &'a Own, written: &syn::PathArguments) -> Self {
        let written = match written {
            syn::PathArguments::AngleBracketed(written) => Some(&written.args),
            _ => None,
        };
        let names = own.params().map(ToString::to_string);
        let written = written.into_iter().flatten();
        let written = written.filter(|arg| !matches!(arg, syn::GenericArgument::Lifetime(_)));
        let arguments = names.zip(written.cloned()).collect();
        Instance { own, arguments }
    }

    pub(crate) fn field(&self, member: &syn::Member) -> Option<Cow<'a, syn::Type>> {
        let mut fields = self.own.fields.iter();
        let (_, ty) = fields.find(|(known, _)| known == member)?;
        self.with_arguments(ty)
    }

    /// The type of a part of a variant.
    pub(crate) fn payload(
        &self,
        variant: &syn::Ident,
        member: &syn::Member,
    ) -> Option<Cow<'a, syn::Type>> {
        let mut payloads = self.own.payloads.iter();
        let (.., ty) = payloads.find(|(of, part, _)| of == variant && part == member)?;
        self.with_arguments(ty)
    }

    /// The type of a field that is `#[constant]`.
    pub(crate) fn constant(&self, member: &syn::Member) -> Option<Cow<'a, syn::Type>> {
        let mut constants = self.own.constants.iter();
        let (_, ty) = constants.find(|(known, _)| known == member)?;
        self.with_arguments(ty.as_ref()?)
    }

    /// A type with the arguments in place of the parameters, if these are known.
    pub(crate) fn with_arguments<'t>(&self, ty: &'t syn::Type) -> Option<Cow<'t, syn::Type>> {
        if !self.own.takes_arguments() {
            return Some(Cow::Borrowed(ty));
        }
        let mut ty = ty.clone();
        let mut arguments = Arguments {
            of: self,
            missing: false,
        };
        arguments.visit_type_mut(&mut ty);
        (!arguments.missing).then_some(Cow::Owned(ty))
    }
}

/// Puts arguments in place of parameters.
struct Arguments<'i, 'a> {
    of: &'i Instance<'a>,
    /// A parameter has no argument that could stand there.
    missing: bool,
}

impl Arguments<'_, '_> {
    /// The argument that a path refers to.
    fn argument(&mut self, path: &syn::Path) -> Option<&syn::GenericArgument> {
        let name = &path.segments.first()?.ident;
        if !self.of.own.params().any(|param| param == name) {
            return None;
        }
        let argument = self.of.arguments.get(&name.to_string());
        self.missing |= argument.is_none() || path.get_ident().is_none();
        argument
    }
}

impl VisitMut for Arguments<'_, '_> {
    fn visit_type_mut(&mut self, ty: &mut syn::Type) {
        let syn::Type::Path(path) = &*ty else {
            return syn::visit_mut::visit_type_mut(self, ty);
        };
        match self.argument(&path.path).cloned() {
            Some(syn::GenericArgument::Type(argument)) => *ty = argument,
            // The argument of a constant, in the place of one in another type's arguments.
            Some(syn::GenericArgument::Const(value)) => *ty = syn::Type::Verbatim(quote!(#value)),
            Some(_) => self.missing = true,
            None => syn::visit_mut::visit_type_mut(self, ty),
        }
    }

    /// Those of the type have no name where it is used.
    fn visit_lifetime_mut(&mut self, lifetime: &mut syn::Lifetime) {
        if lifetime.ident != "static" {
            *lifetime = syn::Lifetime::new("'_", lifetime.span());
        }
    }

    fn visit_expr_mut(&mut self, expr: &mut syn::Expr) {
        let syn::Expr::Path(path) = &*expr else {
            return syn::visit_mut::visit_expr_mut(self, expr);
        };
        match self.argument(&path.path).cloned() {
            Some(syn::GenericArgument::Const(value)) => *expr = value,
            // A path is a type as far as syntax goes.
            Some(syn::GenericArgument::Type(syn::Type::Path(path))) => {
                *expr = syn::Expr::Path(syn::parse_quote!(#path));
            }
            Some(_) => self.missing = true,
            None => {}
        }
    }
}

/// Names primitive types by their paths, whatever an import makes of their names.
pub(super) fn absolute() -> impl VisitMut {
    ReplaceTypes(|path: &syn::Path| {
        primitive_named(&path.get_ident()?.to_string())?;
        Some(syn::parse_quote!(::core::primitive::#path))
    })
}

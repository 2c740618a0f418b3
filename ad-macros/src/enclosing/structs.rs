//! Types that stand beside a function: the fields of structs, and the signatures of methods.
//!
//! Input: declarations. Output: an [`Own`] for each type, and checks by which rustc compares what was taken from the file with what the names mean.
//!
//! A field whose type has a tangent counts only if its struct derives `Differentiable`, and if it isn't constant: then the derive says that the tangent
//! has a field of the same name, with the tangent of that type.

use std::collections::{HashMap, HashSet};

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::visit_mut::VisitMut;

use super::siblings::{is_as_written, words};
use crate::types::written::{constant_items, primitive_named};
use crate::types::{Declared, from_written};

/// A type without parameters: its fields and methods.
#[derive(Clone, Debug, Default)]
pub(crate) struct Own {
    fields: Vec<(syn::Member, syn::Type)>,
    /// Fields that are `#[constant]`.
    constants: Vec<syn::Member>,
    /// Without `Self`. A name that is declared twice has none.
    methods: HashMap<String, Option<syn::Signature>>,
    /// It derives `Differentiable`.
    derived: bool,
}

impl Own {
    /// Adds the fields of the type, unless its declaration may not be what rustc sees.
    pub(super) fn declare(&mut self, item: &syn::ItemStruct) {
        if !item.generics.params.is_empty() || !item.attrs.iter().all(leaves_fields) {
            return;
        }
        self.derived = item.attrs.iter().any(derives_tangent);
        for (member, field) in item.fields.members().zip(&item.fields) {
            let is = |attr: &syn::Attribute, name: &str| attr.path().is_ident(name);
            let constant = field.attrs.iter().any(|attr| is(attr, "constant"));
            let as_written =
                (field.attrs.iter()).all(|attr| is(attr, "doc") || is(attr, "constant"));
            let active = self.derived && !constant;
            if self.derived && constant && as_written {
                self.constants.push(member.clone());
            }
            let ty = from_written(&field.ty, &Declared::default());
            if as_written
                && ty.is_some_and(|ty| ty.is_structural() && (active || !ty.may_have_tangent()))
            {
                self.fields.push((member, field.ty.clone()));
            }
        }
    }

    /// Adds a method.
    pub(super) fn add(&mut self, own: &str, method: &syn::ImplItemFn) {
        let mut sig = method.sig.clone();
        let own = syn::Ident::new(own, sig.ident.span());
        Selfless(&own).visit_signature_mut(&mut sig);
        let known = is_as_written(&method.attrs)
            && match constant_items_of(&sig) {
                Some(_) => is_plain(&syn::Signature {
                    output: syn::ReturnType::Default,
                    ..sig.clone()
                }),
                None => is_plain(&sig),
            };
        let name = sig.ident.to_string();
        let all = self.methods.entry(name);
        let taken = matches!(all, std::collections::hash_map::Entry::Occupied(_));
        all.insert_entry(known.then_some(sig).filter(|_| !taken));
    }

    /// The type of a field.
    pub(crate) fn field(&self, member: &syn::Member) -> Option<&syn::Type> {
        let mut fields = self.fields.iter();
        fields.find(|(known, _)| known == member).map(|(_, ty)| ty)
    }

    /// True if a field is `#[constant]`.
    pub(crate) fn is_constant(&self, member: &syn::Member) -> bool {
        self.constants.contains(member)
    }

    /// The signature of a method, without `Self`.
    pub(crate) fn method(&self, name: &str) -> Option<&syn::Signature> {
        self.methods.get(name)?.as_ref()
    }

    pub(crate) const fn is_derived(&self) -> bool {
        self.derived
    }

    /// Keeps what a function may name.
    pub(super) fn keep(&mut self, mentioned: &HashSet<String>) {
        let is_named = |member: &syn::Member| match member {
            syn::Member::Named(name) => mentioned.contains(super::bare(&name.to_string())),
            syn::Member::Unnamed(_) => true,
        };
        self.fields.retain(|(member, _)| is_named(member));
        self.constants.retain(is_named);
        (self.methods).retain(|name, sig| sig.is_some() && mentioned.contains(super::bare(name)));
    }

    /// Leaves what has types with names that may be those of others.
    pub(super) fn leave(&mut self, hides: &dyn Fn(&syn::Type) -> bool) {
        self.fields.retain(|(_, ty)| !hides(ty));
        self.methods
            .retain(|_, sig| match sig.as_ref().map(|sig| &sig.output) {
                Some(syn::ReturnType::Type(_, ty)) => !hides(ty),
                _ => true,
            });
    }

    /// Items that compile if the type has these fields and methods.
    pub(super) fn check(&self, name: &syn::Ident, rt: &TokenStream) -> TokenStream {
        let (members, mut types): (Vec<_>, Vec<_>) = self.fields.iter().cloned().unzip();
        types.iter_mut().for_each(|ty| Absolute.visit_type_mut(ty));
        let fields = (!members.is_empty())
            .then(|| quote!(const _: fn(&#name) = |of| { #(let _: &#types = &of.#members;)* };));
        let constants = (!self.constants.is_empty()).then(|| {
            let constants = &self.constants;
            quote!(const _: fn(&<#name as #rt::Differentiable>::Tangent) = |of| { #(let _: &#rt::NoTangent = &of.#constants;)* };)
        });
        let mut methods: Vec<_> = self.methods.values().flatten().collect();
        methods.sort_by_key(|sig| sig.ident.to_string());
        let methods = methods.into_iter().cloned().map(|mut sig| {
            Absolute.visit_return_type_mut(&mut sig.output);
            let (method, output) = (&sig.ident, &sig.output);
            let inputs = sig.inputs.iter().map(|input| match input {
                syn::FnArg::Typed(input) => input.ty.to_token_stream(),
                syn::FnArg::Receiver(receiver) => match &receiver.kind {
                    syn::ReceiverKind::Reference(_, _, mutability) => quote!(&#mutability #name),
                    _ => quote!(#name),
                },
            });
            if let Some(item) = constant_items_of(&sig) {
                let args: Vec<_> = (0..sig.inputs.len())
                    .map(|k| quote::format_ident!("arg_{k}"))
                    .collect();
                return quote! {
                    const _: fn(#(#inputs),*) = |#(#args),*| {
                        fn holds<I: ::core::iter::Iterator<Item = #item>>(_: I) {}
                        holds(#name::#method(#(#args),*));
                    };
                };
            }
            quote!(const _: fn(#(#inputs),*) #output = #name::#method;)
        });
        quote!(#fields #constants #(#methods)*)
    }
}

/// The items of an iterator that a method returns, if they have no tangent.
fn constant_items_of(sig: &syn::Signature) -> Option<&syn::Type> {
    match &sig.output {
        syn::ReturnType::Type(_, ty) => constant_items(ty, &Declared::default()),
        syn::ReturnType::Default => None,
    }
}

/// Names a type in place of `Self`.
struct Selfless<'a>(&'a syn::Ident);

impl VisitMut for Selfless<'_> {
    fn visit_type_mut(&mut self, ty: &mut syn::Type) {
        match ty {
            syn::Type::Path(path) if path.path.is_ident("Self") => {
                let own = self.0;
                *ty = syn::parse_quote!(#own);
            }
            ty => syn::visit_mut::visit_type_mut(self, ty),
        }
    }
}

/// Names primitive types by their paths, whatever an import makes of their names.
struct Absolute;

impl VisitMut for Absolute {
    fn visit_type_mut(&mut self, ty: &mut syn::Type) {
        match ty {
            syn::Type::Path(path)
                if path
                    .path
                    .get_ident()
                    .is_some_and(|name| primitive_named(&name.to_string()).is_some()) =>
            {
                *ty = syn::parse_quote!(::core::primitive::#path);
            }
            ty => syn::visit_mut::visit_type_mut(self, ty),
        }
    }
}

/// True if a method is what its signature says, for any arguments of one type each.
fn is_plain(sig: &syn::Signature) -> bool {
    let written = |receiver: &syn::Receiver| {
        matches!(
            receiver.kind,
            syn::ReceiverKind::Value | syn::ReceiverKind::Reference(_, None, _)
        )
    };
    let mut text = HashSet::new();
    words(sig.to_token_stream(), &mut text);
    let special = ["unsafe", "async", "extern", "impl", "where", "Self", "dyn"];
    sig.generics.params.is_empty()
        && sig.receiver().is_some_and(written)
        && !special.iter().any(|word| text.contains(*word))
}

/// True if an attribute leaves a struct's fields as they are written, and where they can be borrowed.
fn leaves_fields(attr: &syn::Attribute) -> bool {
    let known = [
        "allow",
        "derive",
        "doc",
        "expect",
        "must_use",
        "non_exhaustive",
        "warn",
    ];
    let mut text = HashSet::new();
    words(attr.meta.to_token_stream(), &mut text);
    known.iter().any(|name| attr.path().is_ident(name))
        || attr.path().is_ident("repr") && !text.contains("packed")
}

/// True if it is `#[derive(.., Differentiable, ..)]`.
fn derives_tangent(attr: &syn::Attribute) -> bool {
    let mut text = HashSet::new();
    words(attr.meta.to_token_stream(), &mut text);
    attr.path().is_ident("derive") && text.contains("Differentiable")
}

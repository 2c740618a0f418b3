//! Reads the traits that stand beside a function: the signatures of their methods, for calls on type parameters and on trait objects.
//!
//! In: declarations. Out: a [`Trait`] for each, and checks by which rustc compares the methods that have been used with the file's.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::attributes::{are_as_written, leaves_field, makes_rules, mentions};
use super::methods::Method;
use super::tokens::{bare, words};
use crate::attributes::{has_constant, is_constant, of_parameters};
use crate::diagnostics::{Whole, error};
use crate::types::{Declared, written};

/// A trait. Of one with parameters only the attributes are known.
#[derive(Clone, Debug, Default)]
pub(super) struct Trait {
    methods: HashMap<String, Method>,
    /// The methods' parameters with `#[constant]`, if the trait has rules.
    constants: HashMap<String, Vec<bool>>,
    /// The traits that it requires.
    supertraits: Vec<String>,
    /// It has rules, and its objects have none.
    lacks_objects: bool,
    /// It has rules, and its objects have tangents.
    pub(super) has_objects: bool,
}

impl Trait {
    /// A declaration, unless rustc may see another one.
    pub(super) fn new(item: &syn::ItemTrait) -> Option<Self> {
        let is_as_written = |attr: &syn::Attribute| makes_rules(attr) || leaves_field(attr);
        if !item.attrs.iter().all(is_as_written) {
            return None;
        }
        let has_it = |input: &syn::FnArg| has_constant(attributes_of(input));
        let has_rules = item.attrs.iter().any(makes_rules);
        let ruled = ruled_methods(item).filter(|of| has_rules && are_as_written(&of.attrs));
        let constants = ruled.map(|method| {
            let inputs = method.sig.inputs.iter();
            (method.sig.ident.to_string(), inputs.map(has_it).collect())
        });
        let constants = constants.collect();
        if !item.generics.params.is_empty() {
            return Some(Trait {
                constants,
                ..Trait::default()
            });
        }
        let methods = item.items.iter().filter_map(|part| match part {
            syn::TraitItem::Fn(method) if are_as_written(&method.attrs) => {
                let name = bare(&method.sig.ident.to_string()).to_owned();
                Some((name, declared(&item.ident, &method.sig)?))
            }
            _ => None,
        });
        let bounds = item.supertraits.iter();
        let tangents = has_rules && needs_tangents(item);
        let dynamic = item.attrs.iter().any(|attr| mentions(attr, "dyn"));
        Some(Trait {
            methods: methods.collect(),
            constants,
            supertraits: bounds.filter_map(trait_named).collect(),
            lacks_objects: tangents && !dynamic,
            has_objects: tangents && dynamic,
        })
    }

    /// A method of an `impl` with `#[constant]` where the trait `name` has it, and an error, if the `impl` has it elsewhere.
    pub(super) fn agreed(
        &self,
        name: &syn::Ident,
        sig: &syn::Signature,
    ) -> Option<(syn::Signature, syn::Error)> {
        let constants = self.constants.get(&sig.ident.to_string())?;
        let mut inputs = sig.inputs.iter().zip(constants);
        let (input, of_trait) =
            inputs.find(|(input, of_trait)| has_constant(attributes_of(input)) != **of_trait)?;
        let method = &sig.ident;
        let (message, help) = if *of_trait {
            (
                format!(
                    "`{method}` has `#[constant]` on this parameter in the trait `{name}`, but not here"
                ),
                "write `#[constant]` here, too, or remove it from the trait",
            )
        } else {
            (
                format!(
                    "`{method}` has `#[constant]` on this parameter here, but not in the trait `{name}`"
                ),
                "write `#[constant]` in the trait, too, and in all its implementations, or remove it here",
            )
        };
        let mut agreed = sig.clone();
        for (attrs, of_trait) in of_parameters(&mut agreed).zip(constants) {
            attrs.retain(|attr| !is_constant(attr));
            attrs.extend(of_trait.then(|| syn::parse_quote!(#[constant])));
        }
        Some((agreed, error(Whole(input), message, help)))
    }

    /// True if it has rules, and its objects have none.
    pub(super) fn lacks_objects(&self) -> bool {
        self.lacks_objects
    }

    /// The words of its methods' signatures.
    pub(super) fn words(item: &syn::ItemTrait) -> HashSet<String> {
        let mut all = HashSet::new();
        for part in &item.items {
            if let syn::TraitItem::Fn(method) = part {
                let sig = &method.sig;
                words(quote!(#sig), &mut all);
            }
        }
        let bounds = &item.supertraits;
        words(quote!(#bounds), &mut all);
        all
    }

    /// Keeps the methods with these results.
    pub(super) fn keep(&mut self, is_known: &dyn Fn(&syn::Type) -> bool) {
        self.methods.retain(|_, method| match &method.sig.output {
            syn::ReturnType::Type(_, ty) => is_known(ty),
            syn::ReturnType::Default => true,
        });
    }

    /// Items that compile if the methods that have been used are as they were read.
    pub(super) fn check(&self) -> TokenStream {
        let mut used: Vec<&Method> = self.methods.values().collect();
        used.retain(|method| method.used.get());
        used.sort_by_key(|method| method.sig.ident.to_string());
        let (own, itself) = (itself(), syn::parse_quote!(__Own));
        used.into_iter()
            .map(|method| method.check(&own, &itself))
            .collect()
    }
}

/// The parameter that stands for `Self`.
fn itself() -> syn::Path {
    format_ident!("__Own").into()
}

/// The method of anything that implements the trait.
fn declared(of: &syn::Ident, sig: &syn::Signature) -> Option<Method> {
    let own = itself();
    let method = syn::parse2(quote!(#sig {})).ok()?;
    let generics = syn::parse_quote!(<#own: #of>);
    Method::new(
        &own,
        &syn::parse_quote!(#own),
        &generics,
        &method,
        None,
        false,
    )
}

/// The name of a bound's trait, if it is one without a path.
pub(crate) fn trait_named(bound: &syn::TypeParamBound) -> Option<String> {
    match bound {
        syn::TypeParamBound::Trait(bound) => {
            let name = bound.path.get_ident()?.to_string();
            Some(bare(&name).to_owned())
        }
        _ => None,
    }
}

/// The signature of a method that one of these traits, or one that they require, declares; of several nothing is known.
pub(super) fn method<'t>(
    traits: &'t HashMap<String, Rc<Trait>>,
    bounds: &[String],
    name: &str,
) -> Option<&'t syn::Signature> {
    let mut seen: Vec<&String> = bounds.iter().collect();
    let mut at = 0;
    while let Some(bound) = seen.get(at) {
        if let Some(declared) = traits.get(*bound) {
            let more = declared.supertraits.iter();
            let more: Vec<_> = more.filter(|name| !seen.contains(name)).collect();
            seen.extend(more);
        }
        at += 1;
    }
    let known = seen.iter().filter_map(|bound| traits.get(*bound));
    let mut found = known.filter_map(|declared| declared.methods.get(name));
    let method = found.next().filter(|_| found.next().is_none())?;
    method.used.mark();
    Some(&method.sig)
}

/// True if the rules of a trait's methods need the tangent type of what implements it: then objects have rules with the option `dyn` only.
pub(crate) fn needs_tangents(item: &syn::ItemTrait) -> bool {
    ruled_methods(item).any(|method| needs_tangent(&method.sig))
}

/// The methods of a trait that have rules.
pub(crate) fn ruled_methods(item: &syn::ItemTrait) -> impl Iterator<Item = &syn::TraitItemFn> {
    item.items.iter().filter_map(|member| match member {
        syn::TraitItem::Fn(method) if has_rules(&method.sig, &[]) => Some(method),
        _ => None,
    })
}

/// True if a method gets rules. One whose result has no tangent, and that writes to nothing, needs none. A result that is of one of
/// these associated types the trait may not know to be of that kind.
pub(crate) fn has_rules(sig: &syn::Signature, associated: &[&syn::Type]) -> bool {
    let none = Declared::default();
    let writes = sig.inputs.iter().any(|input| match input {
        syn::FnArg::Receiver(receiver) => {
            matches!(&receiver.kind, syn::ReceiverKind::Reference(_, _, Some(_)))
        }
        syn::FnArg::Typed(param) => {
            matches!(written::ungrouped(&param.ty), syn::Type::Reference(ty) if ty.mutability.is_some())
        }
    });
    let gives = match &sig.output {
        syn::ReturnType::Default => false,
        syn::ReturnType::Type(_, ty) => {
            written::may_have_tangent(ty, &none) || associated.contains(&&**ty)
        }
    };
    writes || gives
}

/// True if the rules of a method need the tangent type of `Self`.
fn needs_tangent(sig: &syn::Signature) -> bool {
    let output = match &sig.output {
        syn::ReturnType::Default => false,
        syn::ReturnType::Type(_, ty) => is_self(ty),
    };
    output
        || sig.inputs.iter().any(|input| match input {
            syn::FnArg::Receiver(receiver) => !has_constant(&receiver.attrs),
            syn::FnArg::Typed(param) => !has_constant(&param.attrs) && is_self(&param.ty),
        })
}

fn attributes_of(input: &syn::FnArg) -> &[syn::Attribute] {
    match input {
        syn::FnArg::Receiver(receiver) => &receiver.attrs,
        syn::FnArg::Typed(param) => &param.attrs,
    }
}

/// True if a type mentions `Self` itself.
fn is_self(ty: &syn::Type) -> bool {
    let mut types = written::types_in(ty).into_iter();
    types.any(|ty| matches!(ty, syn::Type::Path(path) if path.path.is_ident("Self")))
}

//! `#[differentiable]` on traits and on their implementations.
//!
//! A trait gains the rules of its methods as provided methods: for a method with a body they are derived from it, for one
//! without they are never reached, since an `impl` has to bring its own. That it has the attribute, a required function says,
//! whose name is the message. An `impl` provides the rules of the methods that it defines; modes and drivers are the trait's.

mod hidden;
mod objects;

pub(super) use hidden::check_beside;
use objects::Objects;
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use std::collections::HashSet;
use syn::visit::Visit;
use syn::visit_mut::VisitMut;

use super::rules::{OfMethods, rules};
use super::source::{Emitted, Source, methods_mut, strip_methods, unreachable_block};
use super::{anonymous, beside_error};
use crate::attributes::{has_constant, strip, strip_loops};
use crate::diagnostics::{Whole, error};
use crate::emit::{Threads, allowed, allows, parameters};
use crate::enclosing::{
    OfPlainTrait, Siblings, Site, Total, has_rival, has_rules, lists, needs_tangents,
    of_plain_trait, ruled_methods,
};
use crate::hir::Surroundings;
use crate::options::Options;
use crate::paths::{ends_in, last_name};
use crate::syntax::{ReplaceTypes, methods as methods_of};
use crate::types::bounded;

/// The required function whose name rustc reports as missing: from an `impl` without the attribute, or from a trait without it.
fn marker() -> Ident {
    Ident::new(
        "__differentiable_must_be_on_the_trait_and_on_each_impl",
        Span::mixed_site(),
    )
}

/// Expands a trait.
pub(crate) fn definition(options: &Options, mut item: syn::ItemTrait) -> TokenStream {
    let mut outer = parameters(&item.generics);
    let generics = anonymous::with_real(&item.generics, options);
    outer.push(syn::parse_quote!(Self));
    let mut all = OfMethods::default();
    let rt = options.runtime();
    let tangents = needs_tangents(&item);
    let mut objects = None;
    if options.dynamic.is_some() {
        match objects::check(&item) {
            Ok(()) => objects = Some(Objects::new(options, &item, &rt, tangents)),
            Err(error) => all.errors.extend(error.to_compile_error()),
        }
    }
    // With objects, only types of known size have a tangent type.
    let bound: syn::WherePredicate = if objects.is_some() && tangents {
        syn::parse_quote!(Self: ::core::marker::Sized
 + #rt::DifferentiableValue)
    } else {
        syn::parse_quote!(Self: ::core::marker::Sized)
    };
    for method in ruled_methods(&item) {
        let mut sig = anonymous::within(&generics, &method.sig, options);
        let stub = unreachable_block();
        let surroundings = Surroundings {
            generics: Some(&generics),
            ..Surroundings::default()
        };
        let sendable = objects.as_mut().is_some_and(|objects| {
            objects.method(&Source {
                vis: &item.vis,
                surroundings,
                method: true,
                threads: Threads::Always,
                in_trait: true,
                emitted: Emitted::Rules,
                ..Source::new(&sig, &stub)
            })
        });
        let threads = if sendable {
            Threads::Always
        } else {
            Threads::IfBoxed
        };
        let clause = sig.generics.make_where_clause();
        clause.predicates.push(bound.clone());
        let source = Source {
            surroundings,
            outer: &outer,
            method: true,
            threads,
            in_trait: true,
            ..Source::new(&sig, method.default.as_ref().unwrap_or(&stub))
        };
        all.add(&method.attrs, rules(options, &source));
    }
    let supertraits: Vec<syn::TypeParamBound> = match &objects {
        Some(objects) => {
            let supertrait = objects.supertrait();
            vec![syn::parse_quote!(#supertrait)]
        }
        None if tangents => vec![
            syn::parse_quote!(#rt::DifferentiableValue),
            without_objects(&rt),
        ],
        None => Vec::new(),
    };
    let beside = objects.map(|objects| objects.emit());
    let active_types = active_types(&item);
    for member in &mut item.items {
        if let syn::TraitItem::Fn(method) = member {
            strip(&mut method.sig);
            method.default.iter_mut().for_each(strip_loops);
        }
    }
    if !supertraits.is_empty() {
        item.supertraits.extend(supertraits);
        item.colon_token.get_or_insert_default();
    }
    for name in active_types {
        for member in &mut item.items {
            if let syn::TraitItem::Type(ty) = member
                && ty.ident == name
            {
                ty.bounds.push(syn::parse_quote!(#rt::DifferentiableValue));
                ty.colon_token.get_or_insert_default();
            }
        }
    }
    let (marker, errors) = (marker(), all.errors);
    let members = allowed(all.items);
    item.items.push(syn::TraitItem::Verbatim(quote! {
        #[doc(hidden)]
        fn #marker() where Self: ::core::marker::Sized;
        #members
    }));
    quote!(#item #beside #errors)
}

/// The associated types of parameters that are differentiated, and of results. As the trait itself, they need a tangent.
fn active_types(item: &syn::ItemTrait) -> HashSet<Ident> {
    struct Found(HashSet<Ident>);
    impl Visit<'_> for Found {
        fn visit_type_path(&mut self, ty: &syn::TypePath) {
            let names: Vec<&syn::PathSegment> = ty.path.segments.iter().collect();
            match (&ty.qself, &names[..]) {
                (None, [own, name]) if own.ident == "Self" => {
                    self.0.insert(name.ident.clone());
                }
                _ => syn::visit::visit_type_path(self, ty),
            }
        }
    }
    let mut found = Found(HashSet::new());
    for method in ruled_methods(item) {
        for input in &method.sig.inputs {
            match input {
                syn::FnArg::Typed(param) if !has_constant(&param.attrs) => {
                    found.visit_type(&param.ty);
                }
                _ => {}
            }
        }
        found.visit_return_type(&method.sig.output);
    }
    found.0
}

/// A supertrait that mentions `Self`: `dyn Trait` is one error then, which points at the attribute, and no type whose tangent's type
/// would have to be written.
fn without_objects(rt: &TokenStream) -> syn::TypeParamBound {
    let span = Span::call_site();
    syn::parse_quote_spanned!(span=> #rt::object::NeedsDyn<Self>)
}

/// Expands an `impl` of a trait that has rules.
pub(crate) fn implementation(
    options: &Options,
    mut block: syn::ItemImpl,
    beside: &Siblings,
) -> TokenStream {
    if let Some(error) = foreign(&block) {
        return beside_error(&block, &error);
    }
    let mut all = OfMethods::default();
    let lacking = beside.without_tangents(&block);
    let error = unbounded(options, &block).or_else(|| lacks_bounds(lacking.first()?, &block));
    if let Some(error) = error {
        // With the missing bound, and without the bodies, this is the only error.
        all.errors.extend(error.to_compile_error());
        block = anonymous::of_block(&block, options);
        let rt = options.runtime();
        for param in lacking {
            let clause = block.generics.make_where_clause();
            (clause.predicates).push(syn::parse_quote!(#param: #rt::DifferentiableValue + 'static));
        }
        block
            .attrs
            .push(syn::parse_quote!(#[allow(unused_variables)]));
        methods_mut(&mut block).for_each(|method| method.block = unreachable_block());
    }
    let of_trait = block.trait_.as_ref().map(|(path, _)| path);
    let rt = options.runtime();
    let implementor = options.types.implementor(&block, &rt).or_else(|| {
        // Its receiver may be constant here, and not in the trait: then this is the only error.
        let mut agreed = methods_of(&block).map(|method| beside.agreed(of_trait, &method.sig));
        let lacking = options.types.without_tangent(&block.self_ty, &[])?;
        agreed.find_map(|agreed| agreed)?;
        options.types.missing_tangent(lacking, "");
        options.types.recovered(&rt)
    });
    let (types, derived) = implementor.unzip();
    let options = &Options {
        types: types.unwrap_or_else(|| options.types.clone()),
        ..options.clone()
    };
    let outer = parameters(&block.generics);
    let types: Vec<&syn::Type> = block.items.iter().filter_map(associated_type).collect();
    for method in methods_of(&block) {
        if !has_rules(&method.sig, &types) {
            continue;
        }
        let (stub, agreed) = (unreachable_block(), beside.agreed(of_trait, &method.sig));
        let (sig, body) = match &agreed {
            Some((sig, _)) => (sig, &stub),
            None => (&method.sig, &method.block),
        };
        let sig = anonymous::for_rules(sig, options);
        let source = Source {
            surroundings: Surroundings {
                siblings: Some(beside),
                ..Surroundings::of_impl(&block)
            },
            outer: &outer,
            method: true,
            in_trait: true,
            emitted: Emitted::Rules,
            ..Source::new(&sig, body)
        };
        let (items, mut errors) = rules(options, &source);
        if let Some((_, error)) = agreed {
            let error = error.to_compile_error();
            errors.get_or_insert_default().extend(error);
        }
        all.add(&method.attrs, (items, errors));
    }
    let hidden = if all.errors.is_empty() {
        hidden::check(options, &block, beside, &types)
    } else {
        TokenStream::new()
    };
    strip_methods(&mut block);
    let (marker, members, errors, allow) = (marker(), allowed(all.items), all.errors, allows());
    block.items.push(syn::ImplItem::Verbatim(quote! {
        #[doc(hidden)]
        #allow
        fn #marker() {}
        #members
    }));
    quote!(#[allow(refining_impl_trait)] #block #hidden #derived #errors)
}

/// The error for a parameter that has a tangent by its rules alone: the trait wants one of the type itself.
fn unbounded(options: &Options, block: &syn::ItemImpl) -> Option<syn::Error> {
    let floats = &options.imports.foreign_floats;
    let float = bounded(&block.generics).find_map(|(_, bounds)| floats.bound(bounds))?;
    let name = &float.segments.last()?.ident;
    Some(error(
        name.span(),
        format!(
            "an `impl` of a differentiable trait for all types that are `{name}` is not supported"
        ),
        format!(
            "write `Real`, which `f32` and `f64` are, in place of `{name}`; with `use chainrule::Real;`"
        ),
    ))
}

/// The error for a type parameter without the tangent that objects of the trait have.
fn lacks_bounds(param: &Ident, block: &syn::ItemImpl) -> Option<syn::Error> {
    let (path, _) = block.trait_.as_ref()?;
    let of = &path.segments.last()?.ident;
    Some(error(
        param.span(),
        format!("`{param}` has no tangent type, which objects of `{of}` need"),
        format!(
            "add the bounds `DifferentiableValue + 'static` to `{param}`; with `use chainrule::DifferentiableValue;`"
        ),
    ))
}

fn associated_type(member: &syn::ImplItem) -> Option<&syn::Type> {
    match member {
        syn::ImplItem::Type(item) => Some(&item.ty),
        _ => None,
    }
}

/// True if the methods of an `impl` have rules beside it, since the trait is std's: they are called by the type's name, or by method syntax.
pub(crate) fn is_of_std_with_rules(block: &syn::ItemImpl) -> bool {
    let path = block.trait_.as_ref().map(|(path, _)| path);
    path.is_some_and(|path| {
        ["Default", "From", "Iterator"]
            .iter()
            .any(|name| ends_in(path, name))
    }) || Total::new(block).is_some()
}

/// The `impl` without its trait, with associated types in full.
pub(crate) fn inherent(block: &syn::ItemImpl) -> syn::ItemImpl {
    let in_full = |path: &syn::Path| match &path.segments.iter().collect::<Vec<_>>()[..] {
        [own, name] if own.ident == "Self" => {
            crate::syntax::associated_type(block, &name.ident.to_string()).cloned()
        }
        _ => None,
    };
    let mut inherent = block.clone();
    inherent.trait_ = None;
    inherent
        .items
        .retain(|item| matches!(item, syn::ImplItem::Fn(_)));
    for method in methods_mut(&mut inherent) {
        method.vis = syn::parse_quote!(pub);
        ReplaceTypes(in_full).visit_impl_item_fn_mut(method);
    }
    inherent
}

/// The error about an `impl` of a trait that has no rules for a type that can't have them, or of one whose rules another `impl` has.
pub(super) fn without_rules(block: &syn::ItemImpl, site: Option<&Site>) -> Option<syn::Error> {
    let (path, _) = block.trait_.as_ref()?;
    let plain = of_plain_trait(site, block);
    let of_std = is_of_std_with_rules(block) && Total::new(block).is_none();
    if (of_std || plain == Some(OfPlainTrait::Type)) && has_rival(site, block) {
        let help = if of_std {
            "write the other one as a function of the type, `fn from_parts(..) -> Self`, and call that"
        } else {
            "write `#[differentiable]` on the trait too, and on each of its implementations"
        };
        return Some(error(
            Whole(path),
            "a type can have the rules of one implementation of this trait only",
            help,
        ));
    }
    (plain == Some(OfPlainTrait::Nowhere)).then(|| {
        error(
            Whole(path),
            "the methods of this trait have no rules",
            "write `#[differentiable]` on the trait too, and on each of its implementations",
        )
    })
}

/// Traits of std that can't have rules.
fn foreign(block: &syn::ItemImpl) -> Option<syn::Error> {
    const STD: &str = "AsMut AsRef Borrow BorrowMut Clone Debug Default Deref DerefMut Display \
        DoubleEndedIterator Drop Eq ExactSizeIterator Extend Fn FnMut FnOnce FromIterator \
        FromStr Hash Into IntoIterator Iterator Ord PartialEq PartialOrd Product Shl \
        ShlAssign Shr ShrAssign Sum ToOwned ToString TryFrom TryInto";
    let (path, _) = block.trait_.as_ref()?;
    let name = last_name(path)?;
    if is_of_std_with_rules(block) {
        return None;
    }
    let std = lists(STD, &name);
    std.then(|| {
        error(
            Whole(path),
            format!("implementations of `{name}` can't be differentiated"),
            "write the code as a method in a plain `impl` block, and call it here; of std's traits those of operators and indexing, \
             `Default`, `From`, `Iterator`, and `Sum` and `Product` of a type's own values can be differentiated",
        )
    })
}

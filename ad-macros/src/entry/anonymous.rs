//! The signatures that rules start from. Parts that have no name and that rules have to say twice get one: `impl Trait` in a parameter's type
//! becomes a type parameter, a lifetime inside of one a lifetime parameter. Type parameters that are `Float` of `num-traits` are `Real`, too.
//!
//! A lifetime inside of a parameter's type (`&Table<'_>`) gets a name, and pullbacks capture it. The lifetime of the parameter's own
//! reference is left out, since the reference is passed to the pullback again. The tangent behind a reference inside of a type is owned,
//! and its type is left to rustc.

use proc_macro2::{Ident, Span};
use syn::visit_mut::VisitMut;

use crate::attributes::has_constant;
use crate::emit::MADE_TYPE;
use crate::options::Options;

/// The signature that the rules of a function start from: with names for all its parts, and `Real` beside the traits of other libraries that stand for
/// floats.
pub(crate) fn for_rules(sig: &syn::Signature, options: &Options) -> syn::Signature {
    all_named(sig, options, false)
}

/// The same of a function that no trait declares. If its body makes a value of constant references, the pullback may keep that value: then the
/// lifetimes of these references have names, too.
pub(crate) fn for_own_rules(
    sig: &syn::Signature,
    body: &syn::Block,
    options: &Options,
) -> syn::Signature {
    all_named(sig, options, options.callees.makes_borrowing(body))
}

fn all_named(sig: &syn::Signature, options: &Options, kept: bool) -> syn::Signature {
    let sig = (options.callees).with_references(sig, &options.runtime());
    let mut sig = named(&options.callees.with_lifetimes(&sig), kept);
    sig.generics = with_real(&sig.generics, options);
    sig
}

/// The `impl` that its rules start from, in the same way.
pub(crate) fn of_block(block: &syn::ItemImpl, options: &Options) -> syn::ItemImpl {
    syn::ItemImpl {
        generics: with_real(&block.generics, options),
        ..block.clone()
    }
}

/// Gives a name to the lifetimes without one in the header of an `impl`: those of `impl View<'_>`.
pub(crate) fn name_header(block: &mut syn::ItemImpl) {
    let mut names = Names {
        header: true,
        ..Names::default()
    };
    names.visit_type_mut(&mut block.self_ty);
    if let Some((path, _)) = &mut block.trait_ {
        names.visit_path_mut(path);
    }
    names.declare(&mut block.generics);
}

/// Parameters with `Real` beside such traits.
pub(crate) fn with_real(generics: &syn::Generics, options: &Options) -> syn::Generics {
    let mut generics = generics.clone();
    let floats = &options.imports.foreign_floats;
    floats.add_real(&mut generics, &options.runtime());
    generics
}

/// The same for a method whose rules are items of an `impl` or trait with these parameters.
pub(crate) fn within(
    outer: &syn::Generics,
    sig: &syn::Signature,
    options: &Options,
) -> syn::Signature {
    let sig = for_rules(sig, options);
    with_outer(outer, sig, options)
}

/// The same for a method that no trait declares.
pub(crate) fn within_own(
    outer: &syn::Generics,
    method: &syn::ItemFn,
    options: &Options,
) -> syn::Signature {
    let sig = for_own_rules(&method.sig, &method.block, options);
    with_outer(outer, sig, options)
}

fn with_outer(outer: &syn::Generics, mut sig: syn::Signature, options: &Options) -> syn::Signature {
    let floats = &options.imports.foreign_floats;
    floats.repeat_real(outer, &mut sig.generics, &options.runtime());
    sig
}

/// The signature with a type parameter for each `impl Trait`, and a lifetime parameter for each lifetime without a name that isn't
/// that of a parameter's own reference. The bodies of rules never mention these.
fn named(sig: &syn::Signature, kept: bool) -> syn::Signature {
    let mut sig = sig.clone();
    let mut names = Names {
        kept,
        ..Names::default()
    };
    names.output(&mut sig);
    for input in &mut sig.inputs {
        if let syn::FnArg::Typed(param) = input {
            names.constant = has_constant(&param.attrs);
            names.parameter(&mut param.ty);
        }
    }
    names.declare(&mut sig.generics);
    sig
}

#[derive(Default)]
struct Names {
    /// The parameter that is looked at is constant.
    constant: bool,
    /// The lifetimes of constant references have names, too.
    kept: bool,
    /// The name of these.
    all: Option<syn::Lifetime>,
    /// The names are those of an `impl`, in which functions have names of their own.
    header: bool,
    types: Vec<syn::GenericParam>,
    lifetimes: Vec<syn::GenericParam>,
}

impl Names {
    /// Adds them to the parameters, of which lifetimes come first.
    fn declare(self, generics: &mut syn::Generics) {
        let params = std::mem::take(&mut generics.params);
        generics.params = self.lifetimes.into_iter().chain(params).collect();
        generics.params.extend(self.types);
        if !generics.params.is_empty() {
            generics.lt_token.get_or_insert_default();
            generics.gt_token.get_or_insert_default();
        }
    }

    /// The lifetime without a name in a result's type, which is that of the only reference among the parameters.
    fn output(&mut self, sig: &mut syn::Signature) {
        if sig.receiver().is_some() || !Elided::of(&sig.output) {
            return;
        }
        let mut references = sig.inputs.iter_mut().filter_map(|input| match input {
            syn::FnArg::Typed(param) => match &mut *param.ty {
                syn::Type::Reference(reference) => Some(reference),
                _ => None,
            },
            syn::FnArg::Receiver(_) => None,
        });
        if let (Some(only), None) = (references.next(), references.next()) {
            let lifetime = match &only.lifetime {
                Some(lifetime) if lifetime.ident != "_" => lifetime.clone(),
                _ => self.lifetime(only.and_token.span),
            };
            only.lifetime = Some(lifetime.clone());
            Elided(Some(lifetime), false).visit_return_type_mut(&mut sig.output);
        }
    }

    /// The type of a parameter. Rules drop the lifetime of its own reference, which a trait object behind it would have.
    fn parameter(&mut self, ty: &mut syn::Type) {
        match ty {
            syn::Type::Group(group) => self.parameter(&mut group.elem),
            syn::Type::Paren(paren) => self.parameter(&mut paren.elem),
            syn::Type::Reference(reference) => {
                let unnamed = reference.lifetime.is_none() && reference.mutability.is_none();
                if self.kept && self.constant && unnamed {
                    let span = reference.and_token.span;
                    // One for all of them, since one value may be made of several.
                    let all = self.all.take().unwrap_or_else(|| self.lifetime(span));
                    self.all = Some(all.clone());
                    reference.lifetime = Some(all);
                }
                self.bound(&mut reference.elem);
                self.visit_type_mut(&mut reference.elem);
            }
            other => self.visit_type_mut(other),
        }
    }

    /// The lifetime of a trait object that says none.
    fn bound(&mut self, ty: &mut syn::Type) {
        match ty {
            syn::Type::Group(group) => self.bound(&mut group.elem),
            syn::Type::Paren(paren) => self.bound(&mut paren.elem),
            // The rules of a function that is differentiated are functions of their own.
            syn::Type::TraitObject(object)
                if !(object.bounds.iter())
                    .any(|bound| matches!(bound, syn::TypeParamBound::Lifetime(_)))
                    && (self.constant || !is_function(object)) =>
            {
                let lifetime = self.lifetime(
                    object
                        .bounds
                        .first()
                        .map_or_else(Span::mixed_site, syn::spanned::Spanned::span),
                );
                object.bounds.push(syn::TypeParamBound::Lifetime(lifetime));
                *ty = syn::parse_quote!((#object));
            }
            _ => {}
        }
    }

    fn lifetime(&mut self, span: Span) -> syn::Lifetime {
        let of = if self.header { "'__in" } else { "'__of" };
        let name = format!("{of}{}", self.lifetimes.len());
        let lifetime = syn::Lifetime::new(&name, span.resolved_at(Span::mixed_site()));
        self.lifetimes.push(syn::parse_quote!(#lifetime));
        lifetime
    }
}

/// References without a lifetime: whether there are any, and the lifetime that they get.
struct Elided(Option<syn::Lifetime>, bool);

impl Elided {
    fn of(output: &syn::ReturnType) -> bool {
        let mut elided = Elided(None, false);
        elided.visit_return_type_mut(&mut output.clone());
        elided.1
    }
}

impl VisitMut for Elided {
    fn visit_type_reference_mut(&mut self, ty: &mut syn::TypeReference) {
        if ty.lifetime.as_ref().is_none_or(|of| of.ident == "_") {
            self.1 = true;
            ty.lifetime = self.0.clone().or_else(|| ty.lifetime.take());
        }
        self.visit_type_mut(&mut ty.elem);
    }

    fn visit_type_fn_ptr_mut(&mut self, _: &mut syn::TypeFnPtr) {}
}

/// True for `dyn Fn(A) -> R` and its kind.
fn is_function(object: &syn::TypeTraitObject) -> bool {
    object.bounds.iter().any(|bound| match bound {
        syn::TypeParamBound::Trait(bound) => (bound.path.segments.last())
            .is_some_and(|s| matches!(s.arguments, syn::PathArguments::Parenthesized(_))),
        _ => false,
    })
}

impl VisitMut for Names {
    fn visit_type_mut(&mut self, ty: &mut syn::Type) {
        syn::visit_mut::visit_type_mut(self, ty);
        let syn::Type::ImplTrait(of) = ty else {
            return;
        };
        let name = Ident::new(
            &format!("{MADE_TYPE}{}", self.types.len()),
            Span::mixed_site(),
        );
        let bounds = &of.bounds;
        self.types.push(syn::parse_quote!(#name: #bounds));
        *ty = syn::parse_quote!(#name);
    }

    fn visit_type_reference_mut(&mut self, ty: &mut syn::TypeReference) {
        if ty
            .lifetime
            .as_ref()
            .is_none_or(|lifetime| lifetime.ident == "_")
        {
            ty.lifetime = Some(self.lifetime(ty.and_token.span));
        }
        self.visit_type_mut(&mut ty.elem);
    }

    fn visit_lifetime_mut(&mut self, lifetime: &mut syn::Lifetime) {
        if lifetime.ident == "_" {
            *lifetime = self.lifetime(lifetime.span());
        }
    }

    // Lifetimes in there are those of the function.
    fn visit_type_fn_ptr_mut(&mut self, _: &mut syn::TypeFnPtr) {}

    fn visit_parenthesized_generic_arguments_mut(
        &mut self,
        _: &mut syn::ParenthesizedGenericArguments,
    ) {
    }
}

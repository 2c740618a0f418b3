//! Parameters and generics of the function.

use proc_macro2::{Ident, Span};
use quote::{ToTokens, quote};
use syn::Token;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit::Visit;

use super::parse::Parser;
use super::{Param, Pat, function};
use crate::attributes::{self, has_constant};
use crate::diagnostics::{Errors, Whole, error};
use crate::enclosing::{is_iterator_of_std, lists, mentions_self, trait_named};
use crate::ir::{PassedBy, Sibling};
use crate::paths::{ends_in, last_name};
use crate::syntax::typed_params;
use crate::types::keyed::refused_type;
use crate::types::{Declared, gives_tangent, written};

/// Rejects properties that no function may have.
pub(super) fn reject(sig: &syn::Signature, errors: &mut Errors) {
    if let Some(token) = &sig.asyncness {
        let message = "`async` functions are not supported";
        errors.push(error(
            Whole(token),
            message,
            "differentiate a plain function",
        ));
    }
    if let syn::Safety::Unsafe(token) = &sig.safety {
        let message = "`unsafe` functions are not supported";
        errors.push(error(
            Whole(token),
            message,
            "differentiate a safe function that wraps it",
        ));
    }
    if let Some(abi) = &sig.abi {
        let message = "`extern` functions are not supported";
        errors.push(error(
            Whole(abi),
            message,
            "differentiate a Rust function, and call it from the `extern` one",
        ));
    }
    if let Some(variadic) = &sig.variadic {
        let message = "variadic functions are not supported";
        errors.push(error(Whole(variadic), message, "take a slice"));
    }
    if let syn::ReturnType::Type(_, ty) = &sig.output {
        match written::ungrouped(ty) {
            syn::Type::Reference(ty) => errors.push(error(
                Whole(ty),
                "returned references are not supported here yet",
                "return the value, or write it through a `&mut` parameter; a method of an `impl` without a trait can return a reference \
                 to a part of `self`, a free function one to a part of its arguments, unless it is recursive, takes apart a parameter, or \
                 has a constant one that holds floats",
            )),
            syn::Type::ImplTrait(ty) => errors.push(error(
                Whole(ty),
                "`impl Trait` results are not supported yet",
                "return a type with a name, and the items of an iterator as a `Vec`; a free function can return it, and so can a method of a type without \
                 parameters, unless it is recursive, takes apart a parameter, or has a constant one that holds floats",
            )),
            syn::Type::Path(path) if is_iterator_of_std(path) => errors.push(error(
                Whole(ty),
                "iterators as results are not supported here yet",
                "return the items as a `Vec`; a free function can return an iterator, and so can a method of a type without parameters, unless it is \
                 recursive, takes apart a parameter, or has a constant one that holds floats",
            )),
            _ => {}
        }
    }
    reject_generics(sig, errors);
}

/// Refuses objects of a trait of the file whose rules they can't have.
pub(super) fn refuse_objects(sig: &syn::Signature, block: &syn::Block, parser: &mut Parser) {
    #[derive(Default)]
    struct Objects<'a>(Vec<&'a syn::TypeTraitObject>);
    impl<'ast> Visit<'ast> for Objects<'ast> {
        fn visit_type_trait_object(&mut self, ty: &'ast syn::TypeTraitObject) {
            self.0.push(ty);
            syn::visit::visit_type_trait_object(self, ty);
        }

        // Functions inside have their own attributes.
        fn visit_item(&mut self, _: &'ast syn::Item) {}
    }
    let mut objects = Objects::default();
    objects.visit_signature(sig);
    objects.visit_block(block);
    for object in objects.0 {
        let mut bounds = object.bounds.iter();
        let found = bounds.find_map(|bound| {
            let name = trait_named(bound).filter(|name| parser.siblings.lacks_objects(name));
            Some((bound, name?))
        });
        if let Some((bound, name)) = found {
            parser.error(
                Whole(bound),
                format!("objects of `{name}` have no derivative rules"),
                format!("write `#[differentiable(dyn)]` on `trait {name}`"),
            );
        }
    }
}

fn reject_generics(sig: &syn::Signature, errors: &mut Errors) {
    let names: Vec<(&Ident, bool)> = sig
        .generics
        .type_params()
        .map(|param| {
            (
                &param.ident,
                function::of_parameter(&param.ident, sig).is_some(),
            )
        })
        .collect();
    for param in typed_params(sig) {
        if has_constant(&param.attrs) {
            continue;
        }
        if let Some(function) = function::parameter(without_reference(&param.ty).1, sig) {
            function::reject(&function, errors);
            continue;
        }
        if let syn::Type::Path(path) = without_reference(&param.ty).1
            && let Some(bound) = path
                .path
                .get_ident()
                .and_then(|ident| may_be_unsized(ident, sig))
        {
            errors.push(error(
                Whole(bound),
                "a differentiated parameter of a type that may be unsized is not supported yet",
                "leave `?Sized` out, or add the bound `Differentiable`; an object is taken by a function of its own, as `&dyn Trait`",
            ));
        }
        let mut finder = Finder {
            names: &names,
            found: None,
        };
        finder.visit_type(&param.ty);
        errors.push_all(finder.found);
    }
}

/// The `?Sized` of a type parameter whose bounds don't say that it is differentiable.
fn may_be_unsized<'s>(ident: &Ident, sig: &'s syn::Signature) -> Option<&'s syn::TypeParamBound> {
    let params = sig.generics.type_params();
    let declared = params
        .filter(|param| param.ident == *ident)
        .flat_map(|param| &param.bounds);
    let clause = sig
        .generics
        .where_clause
        .iter()
        .flat_map(|clause| &clause.predicates);
    let required = clause.filter_map(|predicate| match predicate {
        syn::WherePredicate::Type(of) => match &of.bounded_ty {
            syn::Type::Path(path) if path.path.is_ident(ident) => Some(&of.bounds),
            _ => None,
        },
        _ => None,
    });
    let bounds: Vec<&syn::TypeParamBound> = declared.chain(required.flatten()).collect();
    if bounds.iter().any(|bound| gives_tangent(bound)) {
        return None;
    }
    bounds
        .into_iter()
        .find(|bound| quote::quote!(#bound).to_string().starts_with('?'))
}

/// Looks for the first part of a type that is not supported.
struct Finder<'a> {
    /// Type parameters, and whether they are functions.
    names: &'a [(&'a Ident, bool)],
    found: Option<syn::Error>,
}

impl Finder<'_> {
    fn functions(&mut self, ty: &impl ToTokens) {
        self.found.get_or_insert_with(|| {
            error(
                Whole(ty),
                "functions inside of a parameter's type are not supported yet",
                "pass the function as a parameter of its own: `f: impl Fn(f64) -> f64`",
            )
        });
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_path(&mut self, path: &'ast syn::Path) {
        let parameter = |segment: &syn::PathSegment| {
            self.names
                .iter()
                .find(|(name, _)| **name == segment.ident)
                .copied()
        };
        if let Some((_, true)) = path.segments.first().and_then(parameter) {
            return self.functions(path);
        }
        syn::visit::visit_path(self, path);
    }

    fn visit_type_impl_trait(&mut self, ty: &'ast syn::TypeImplTrait) {
        if is_function(&ty.bounds) {
            return self.functions(ty);
        }
        syn::visit::visit_type_impl_trait(self, ty);
    }

    fn visit_type_fn_ptr(&mut self, ty: &'ast syn::TypeFnPtr) {
        self.functions(ty);
    }

    fn visit_type_trait_object(&mut self, ty: &'ast syn::TypeTraitObject) {
        if is_function(&ty.bounds) {
            return self.functions(ty);
        }
        syn::visit::visit_type_trait_object(self, ty);
    }
}

/// Returns `true` if bounds name `Fn`, `FnMut` or `FnOnce`.
fn is_function(bounds: &Punctuated<syn::TypeParamBound, syn::Token![+]>) -> bool {
    bounds.iter().any(|bound| match bound {
        syn::TypeParamBound::Trait(bound) => bound.path.segments.last().is_some_and(|segment| {
            ["Fn", "FnMut", "FnOnce"].contains(&segment.ident.to_string().as_str())
        }),
        _ => false,
    })
}

/// Constants whose types are known from here on, and names that hide primitives.
pub(super) fn generics(generics: &syn::Generics, parser: &mut Parser) {
    for param in generics.const_params() {
        parser
            .constants
            .push((param.ident.to_string(), param.ty.clone()));
    }
    parser.hidden_types.parameters(generics);
    let floats = parser.foreign_floats.clone();
    parser.hidden_types.note_fallible(generics, &floats);
}

pub(super) fn params(
    sig: &syn::Signature,
    self_ty: Option<&syn::Type>,
    parser: &mut Parser,
) -> Vec<Param> {
    let inputs = sig.inputs.iter().enumerate();
    inputs
        .filter_map(|(k, input)| match input {
            syn::FnArg::Receiver(receiver) => receiver_param(receiver, self_ty, parser),
            syn::FnArg::Typed(param) => Some(typed_param(k, param, sig, self_ty, parser)),
        })
        .collect()
}

fn receiver_param(
    receiver: &syn::Receiver,
    self_ty: Option<&syn::Type>,
    parser: &mut Parser,
) -> Option<Param> {
    let ident = Ident::new("self", receiver.self_token.span);
    let by = match &receiver.kind {
        syn::ReceiverKind::Value => PassedBy::Value,
        syn::ReceiverKind::Reference(_, _, None) => PassedBy::Ref,
        syn::ReceiverKind::Reference(_, _, Some(_)) => PassedBy::Mut,
        _ => {
            parser.error(
                Whole(receiver),
                "a receiver with a written type is not supported yet",
                "write `self`, `&self` or `&mut self`",
            );
            return None;
        }
    };
    let ty: syn::Type = self_ty.cloned().unwrap_or_else(|| syn::parse_quote!(Self));
    let constant = is_constant(&receiver.attrs, parser)
        || !written::may_have_tangent(&ty, &parser.hidden_types);
    if !constant && let Some(name) = parser.file_types.without_tangent(&ty, &parser.hidden_types) {
        let mut name = name.clone();
        // An `impl` that was read from the file has no place of its own.
        if name.span().source_text().is_none_or(|text| name != text) {
            name.set_span(ident.span());
        }
        let error = parser.file_types.missing_tangent(
            &name,
            ", or `#[constant]` in front of the receiver to differentiate by the other parameters alone",
        );
        parser.errors.push_all(error);
    }
    let var = parser.declare(&ident, receiver.mutability.is_some() || by == PassedBy::Mut);
    if let Some(own) = self_ty {
        let written = match by {
            PassedBy::Value => own.clone(),
            PassedBy::Ref => syn::parse_quote!(&#own),
            PassedBy::Mut => syn::parse_quote!(&mut #own),
        };
        parser.written.insert(var, written);
    }
    let pat = Pat::Bind { var, by_ref: None };
    let is_array = parser.callees.is_owned_array(&ty);
    Some(Param {
        ident,
        ty: if is_array {
            ty
        } else {
            syn::parse_quote!(Self)
        },
        by,
        lifetime: None,
        constant,
        captured: false,
        receiver: true,
        function: None,
        pat,
    })
}

/// Returns `true` if the type of a parameter is that of functions.
pub(crate) fn takes_functions(ty: &syn::Type, sig: &syn::Signature) -> bool {
    function::parameter(without_reference(ty).1, sig).is_some()
}

/// How a parameter is passed, and its type without the reference.
fn without_reference(ty: &syn::Type) -> (PassedBy, &syn::Type) {
    match written::ungrouped(ty) {
        syn::Type::Reference(reference) if reference.mutability.is_some() => {
            (PassedBy::Mut, &reference.elem)
        }
        syn::Type::Reference(reference) => (PassedBy::Ref, &reference.elem),
        other => (PassedBy::Value, other),
    }
}

fn typed_param(
    k: usize,
    param: &syn::PatType,
    sig: &syn::Signature,
    self_ty: Option<&syn::Type>,
    parser: &mut Parser,
) -> Param {
    let (by, ty) = without_reference(&param.ty);
    let function = function::parameter(ty, sig).filter(|_| !has_constant(&param.attrs));
    let constant = is_constant(&param.attrs, parser)
        || function.is_none() && !written::may_have_tangent(ty, &parser.hidden_types);
    // Of a slice, the drivers' arguments have another form than of a type by name.
    let target = parser.hidden_types.aliased(written::ungrouped(ty));
    let slice = target.filter(|of| matches!(written::ungrouped(of), syn::Type::Slice(_)));
    let ty = slice.unwrap_or_else(|| ty.clone());
    if function.is_none()
        && !constant
        && let Some(inner) = reference_to_float(&ty, &parser.hidden_types)
    {
        parser.error(
            Whole(inner),
            "references to floats inside of a parameter's type are not supported yet",
            "take the values: `Option<f64>`, `&[f64]`; or mark the parameter `#[constant]`",
        );
    }
    if !constant
        && parser.callees.array(&ty).is_some()
        && let Some((name, _)) = written::generic(&ty)
        && let Some(axes) = name.strip_prefix("ArrayViewMut")
    {
        parser.error(
            Whole(&ty),
            format!("a parameter of type `{name}` is not supported yet"),
            format!("take `&mut ArrayRef{axes}<f64>`, and hand over `&mut view`: arrays and views become that"),
        );
    }
    if !constant && let Some((name, help)) = refused_type(&ty) {
        parser.error(
            Whole(&ty),
            format!("a `{name}` has no tangent"),
            format!("mark the parameter `#[constant]`; of differentiated values, {help}"),
        );
    }
    if !constant && function.is_none() {
        refuse_bounds(&ty, sig, parser);
        if let Some(name) = parser.file_types.without_tangent(&ty, &parser.hidden_types) {
            let error = parser.file_types.missing_tangent(
                name,
                ", or `#[constant]` in front of the parameter if nothing is differentiated by it",
            );
            parser.errors.push_all(error);
        }
    }
    let ident = match &*param.pat {
        syn::Pat::Ident(pat) => pat.ident.clone(),
        other => Ident::new(
            &format!("arg{k}"),
            other.span().resolved_at(Span::mixed_site()),
        ),
    };
    let kept = constant && (parser.makes_borrowing || is_static(&param.ty));
    let pat = parser.pattern(&param.pat);
    if let Pat::Bind { var, .. } = pat {
        parser.written.insert(var, (*param.ty).clone());
    }
    if function.is_some() {
        pat.each_var(&mut |var| parser.functions.push(var));
    }
    Param {
        ident,
        ty,
        by,
        lifetime: said_lifetime(&param.ty, &sig.output, self_ty, kept),
        constant,
        captured: false,
        receiver: false,
        function: function::shared(function),
        pat,
    }
}

fn is_static(ty: &syn::Type) -> bool {
    let lifetimes = written::lifetimes_in(ty);
    lifetimes
        .first()
        .is_some_and(|lifetime| lifetime.ident == "static")
}

/// Refuses a result of a type without a tangent.
pub(super) fn result(sig: &syn::Signature, parser: &mut Parser) {
    let syn::ReturnType::Type(_, ty) = &sig.output else {
        return;
    };
    if let Some(name) = parser.file_types.without_tangent(ty, &parser.hidden_types) {
        let error = parser.file_types.missing_tangent(name, "");
        parser.errors.push_all(error);
    }
    if written::may_have_tangent(ty, &parser.hidden_types)
        && let Some((name, help)) = refused_type(written::ungrouped(ty))
    {
        parser.error(
            Whole(ty),
            format!("a `{name}` has no tangent"),
            format!("of differentiated values, {help}"),
        );
    }
}

/// Refuses parameters of which nothing is known but that they are iterators, or floats of a library that has no derivatives.
fn refuse_bounds(ty: &syn::Type, sig: &syn::Signature, parser: &mut Parser) {
    for bound in bounds(ty, sig) {
        let Some(last) = bound.path.segments.last() else {
            continue;
        };
        match last.ident.to_string().as_str() {
            "Iterator" | "IntoIterator" | "ExactSizeIterator" | "DoubleEndedIterator" => parser.error(
                last.ident.span(),
                "an iterator as a parameter is not supported yet",
                "take a slice, `x: &[f64]`, or a list, `x: Vec<f64>`, or mark the parameter `#[constant]`; a free function may take it that \
                 only consumes it, in chains and `for` loops, and is called in its own module",
            ),
            "Into" if is_of_float(last) && is_only_convertible(ty, sig) => parser.error(
                last.ident.span(),
                "a conversion to a float from any type has no derivative rules",
                "take the float, and write `.into()` where the function is called; or mark the parameter `#[constant]`",
            ),
            _ => {}
        }
    }
}

/// Returns `true` if all bounds of a type parameter of the function, or of an `impl Trait`, say nothing about tangents.
fn is_only_convertible(ty: &syn::Type, sig: &syn::Signature) -> bool {
    const OF_STD: &str = "Into Copy Clone Debug Display PartialEq PartialOrd Default";
    let mut mentioned = std::collections::HashSet::new();
    crate::enclosing::words(quote!(#ty), &mut mentioned);
    let mut own = sig.generics.type_params();
    let is_own =
        mentioned.contains("impl") || own.any(|own| mentioned.contains(&own.ident.to_string()));
    let known =
        |bound: &syn::TraitBound| last_name(&bound.path).is_some_and(|last| lists(OF_STD, &last));
    is_own && bounds(ty, sig).into_iter().all(known)
}

/// `Into<f64>`.
fn is_of_float(bound: &syn::PathSegment) -> bool {
    let arguments = &bound.arguments;
    let text = quote!(#arguments).to_string();
    ["< f64 >", "< f32 >"].contains(&text.as_str())
}

/// The bounds of a type that is a type parameter or an `impl Trait`, unless `Real` is one of them; of lists, those of their elements.
fn bounds<'a>(ty: &'a syn::Type, sig: &'a syn::Signature) -> Vec<&'a syn::TraitBound> {
    let traits = |bounds: &'a Punctuated<syn::TypeParamBound, Token![+]>| {
        bounds.iter().filter_map(|bound| match bound {
            syn::TypeParamBound::Trait(bound) => Some(bound),
            _ => None,
        })
    };
    let all: Vec<&syn::TraitBound> = match written::ungrouped(ty) {
        syn::Type::Slice(list) => return bounds(&list.elem, sig),
        syn::Type::Array(list) => return bounds(&list.elem, sig),
        syn::Type::ImplTrait(one) => traits(&one.bounds).collect(),
        syn::Type::Path(path) => {
            let Some(name) = path.path.get_ident() else {
                return Vec::new();
            };
            let declared = sig
                .generics
                .type_params()
                .filter(|param| param.ident == *name);
            let declared = declared.flat_map(|param| traits(&param.bounds));
            let clauses = sig
                .generics
                .where_clause
                .iter()
                .flat_map(|clause| &clause.predicates);
            let clauses = clauses.filter_map(|predicate| match predicate {
                syn::WherePredicate::Type(predicate) => Some(predicate),
                _ => None,
            });
            let clauses = clauses.filter(|predicate| matches!(&predicate.bounded_ty, syn::Type::Path(path) if path.path.is_ident(name)));
            declared
                .chain(clauses.flat_map(|predicate| traits(&predicate.bounds)))
                .collect()
        }
        _ => Vec::new(),
    };
    let real = |bound: &&syn::TraitBound| ends_in(&bound.path, "Real");
    if all.iter().any(real) {
        Vec::new()
    } else {
        all
    }
}

/// Facts about a function for its callers, from its signature.
pub(crate) fn sibling(sig: &syn::Signature, declared: &Declared) -> Sibling {
    let mut combined = match &sig.output {
        syn::ReturnType::Type(_, output) => {
            written::primitive(output, declared).is_some_and(|output| output.is_float())
        }
        syn::ReturnType::Default => false,
    };
    let mut constant_mut = |input: &syn::FnArg| {
        let syn::FnArg::Typed(param) = input else {
            combined = false;
            return false;
        };
        let (by, ty) = without_reference(&param.ty);
        let constant = has_constant(&param.attrs) || !written::may_have_tangent(ty, declared);
        let takes_function = function::parameter(ty, sig).is_some();
        combined &= !takes_function && (constant || by != PassedBy::Mut);
        constant && by == PassedBy::Mut
    };
    let constant_muts = sig.inputs.iter().map(&mut constant_mut).collect();
    Sibling {
        constant_muts,
        combined,
        unit: matches!(sig.output, syn::ReturnType::Default),
    }
}

/// The lifetime of a reference, if rules need it: the result's type mentions it, or the pullback may keep a constant with it (`kept`). A constant with
/// the lifetime `'static` may be kept in values that need it; drivers run functions on copies of differentiated values, which don't live as long.
fn said_lifetime(
    ty: &syn::Type,
    output: &syn::ReturnType,
    self_ty: Option<&syn::Type>,
    kept: bool,
) -> Option<syn::Lifetime> {
    let syn::Type::Reference(reference) = written::ungrouped(ty) else {
        return None;
    };
    let lifetime = reference.lifetime.as_ref()?;
    let is_returned = || {
        let syn::ReturnType::Type(_, output) = output else {
            return false;
        };
        let of_self = self_ty.filter(|_| mentions_self(output));
        (of_self.into_iter().chain([&**output]))
            .any(|ty| written::lifetimes_in(ty).contains(&lifetime))
    };
    let is_kept = kept && reference.mutability.is_none();
    (is_kept || is_returned()).then(|| lifetime.clone())
}

fn is_constant(attrs: &[syn::Attribute], parser: &mut Parser) -> bool {
    let mut constant = false;
    for attr in attrs {
        if attributes::is_constant(attr) {
            if constant {
                parser.error(Whole(attr), "`#[constant]` is given twice", "write it once");
            } else if !matches!(attr.meta, syn::Meta::Path(_)) {
                parser.error(
                    Whole(attr),
                    "`#[constant]` takes no arguments",
                    "write `#[constant]`",
                );
            }
            constant = true;
        } else if attr.path().is_ident("cfg") || attr.path().is_ident("cfg_attr") {
            parser.error(
                Whole(attr),
                "a parameter that may be configured away is not supported",
                "write one function for each configuration",
            );
        }
    }
    constant
}

/// The first reference to a float inside of a type. Its shadow is the float itself, which can't be dereferenced as it is.
fn reference_to_float<'a>(ty: &'a syn::Type, hidden: &Declared) -> Option<&'a syn::TypeReference> {
    let is_float = |ty| written::primitive(ty, hidden).is_some_and(|ty| ty.is_float());
    let types = written::types_in(ty).into_iter();
    let mut references = types.filter_map(|ty| match ty {
        syn::Type::Reference(ty) => Some(ty),
        _ => None,
    });
    references.find(|ty| is_float(&ty.elem))
}

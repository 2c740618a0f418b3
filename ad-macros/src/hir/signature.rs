//! Parameters and generics of the function.

use proc_macro2::{Ident, Span};
use syn::spanned::Spanned;
use syn::visit::Visit;

use super::parse::Parser;
use super::{Param, Pat};
use crate::diagnostics::{Errors, error};
use crate::ir::PassedBy;
use crate::types::written;

/// What no function may be.
pub(super) fn reject(sig: &syn::Signature, errors: &mut Errors) {
    let mut no = |span: Span, message: &str, help: &str| errors.push(error(span, message, help));
    if let Some(token) = &sig.asyncness {
        no(
            token.span(),
            "`async` functions are not supported",
            "differentiate a plain function",
        );
    }
    if let syn::Safety::Unsafe(token) = &sig.safety {
        no(
            token.span(),
            "`unsafe` functions are not supported",
            "differentiate a safe function that wraps it",
        );
    }
    if let Some(abi) = &sig.abi {
        no(
            abi.span(),
            "`extern` functions are not supported",
            "differentiate a Rust function, and call it from the `extern` one",
        );
    }
    if let Some(variadic) = &sig.variadic {
        no(
            variadic.span(),
            "variadic functions are not supported",
            "take a slice",
        );
    }
    if let syn::ReturnType::Type(_, ty) = &sig.output {
        match &**ty {
            syn::Type::Reference(ty) => no(
                ty.span(),
                "returned references are not supported yet",
                "return the value, or write it through a `&mut` parameter",
            ),
            syn::Type::ImplTrait(ty) => no(
                ty.span(),
                "`impl Trait` results are not supported yet",
                "return a type with a name",
            ),
            _ => {}
        }
    }
    reject_generics(sig, errors);
}

/// Type parameters in a parameter's type are numbers or functions that the formulas don't know yet.
fn reject_generics(sig: &syn::Signature, errors: &mut Errors) {
    let names: Vec<&Ident> = sig
        .generics
        .type_params()
        .map(|param| &param.ident)
        .collect();
    for input in &sig.inputs {
        let syn::FnArg::Typed(param) = input else {
            continue;
        };
        let mut finder = Finder {
            names: &names,
            found: None,
        };
        finder.visit_type(&param.ty);
        if let Some((span, what)) = finder.found {
            errors.push(error(
                span,
                format!("{what} in a parameter's type is not supported yet"),
                "write the function for `f64`",
            ));
        }
    }
}

struct Finder<'a> {
    names: &'a [&'a Ident],
    found: Option<(Span, String)>,
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_path(&mut self, path: &'ast syn::Path) {
        if let Some(first) = path.segments.first()
            && self.names.contains(&&first.ident)
        {
            self.found = Some((path.span(), format!("the type parameter `{}`", first.ident)));
        }
        syn::visit::visit_path(self, path);
    }

    fn visit_type_impl_trait(&mut self, ty: &'ast syn::TypeImplTrait) {
        self.found = Some((ty.span(), "`impl Trait`".into()));
    }

    fn visit_type_fn_ptr(&mut self, ty: &'ast syn::TypeFnPtr) {
        self.found = Some((ty.span(), "a function pointer".into()));
    }

    fn visit_type_trait_object(&mut self, ty: &'ast syn::TypeTraitObject) {
        self.found = Some((ty.span(), "`dyn Trait`".into()));
    }
}

/// Constants whose types are known from here on, and names that hide primitives.
pub(super) fn generics(sig: &syn::Signature, parser: &mut Parser) {
    for param in sig.generics.const_params() {
        parser
            .constants
            .push((param.ident.to_string(), param.ty.clone()));
    }
    for param in sig.generics.type_params() {
        parser.hidden_types.push(param.ident.to_string());
    }
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
            syn::FnArg::Typed(param) => Some(typed_param(k, param, parser)),
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
                receiver.span(),
                "a receiver with a written type is not supported yet",
                "write `self`, `&self` or `&mut self`",
            );
            return None;
        }
    };
    let ty: syn::Type = self_ty.cloned().unwrap_or_else(|| syn::parse_quote!(Self));
    let constant = is_constant(&receiver.attrs) || !written::may_have_tangent(&ty, &[]);
    let var = parser.declare(&ident, receiver.mutability.is_some() || by == PassedBy::Mut);
    let pat = Pat::Bind { var, by_ref: None };
    Some(Param {
        ident,
        ty: syn::parse_quote!(Self),
        by,
        constant,
        receiver: true,
        pat,
    })
}

fn typed_param(k: usize, param: &syn::PatType, parser: &mut Parser) -> Param {
    let (by, ty) = match written::ungrouped(&param.ty) {
        syn::Type::Reference(reference) => {
            let mutable = reference.mutability.is_some();
            (
                if mutable {
                    PassedBy::Mut
                } else {
                    PassedBy::Ref
                },
                (*reference.elem).clone(),
            )
        }
        other => (PassedBy::Value, other.clone()),
    };
    let constant =
        is_constant(&param.attrs) || !written::may_have_tangent(&ty, &parser.hidden_types);
    if let Some(span) = nested_reference(&ty).filter(|_| !constant) {
        parser.error(
            span,
            "a reference inside of a parameter's type is not supported yet",
            "pass each reference as a parameter of its own, or mark the parameter `#[constant]`",
        );
    }
    let ident = match &*param.pat {
        syn::Pat::Ident(pat) => pat.ident.clone(),
        other => Ident::new(
            &format!("arg{k}"),
            other.span().resolved_at(Span::mixed_site()),
        ),
    };
    let pat = parser.pattern(&param.pat);
    Param {
        ident,
        ty,
        by,
        constant,
        receiver: false,
        pat,
    }
}

/// Whether `#[constant]` stands on it.
fn is_constant(attrs: &[syn::Attribute]) -> bool {
    attrs.iter().any(|attr| attr.path().is_ident("constant"))
}

fn nested_reference(ty: &syn::Type) -> Option<Span> {
    struct Nested(Option<Span>);
    impl<'ast> Visit<'ast> for Nested {
        fn visit_type_reference(&mut self, ty: &'ast syn::TypeReference) {
            self.0 = Some(ty.span());
        }
    }
    let mut nested = Nested(None);
    nested.visit_type(ty);
    nested.0
}

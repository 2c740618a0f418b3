//! Finds the rules of the functions that are called.
//!
//! In: the path of a callee. Out: the path of its rule, or an error for a function that certainly has none.
//!
//! A name may mean two things: the function is a value, and its rules are a type. A function of the body, or one that is imported by name
//! beside an import of all names, hides the function with rules, but not the rules. So the rules of an imported function are found by the
//! path of its import (`enclosing/imports.rs`), and a function of the body has the rules that it declares, or none. A method of a type
//! hides a trait's: each `impl` of a trait with rules is checked, by the files and by rustc (`entry/traits/hidden.rs`).

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote};
use syn::spanned::Spanned;

use super::Emitter;
use super::by_path::path_name;
use super::call::unraw;
use super::expr::at;
use crate::diagnostics::{Whole, bug, error};
use crate::enclosing::{declared_names, make_rules, unmarked};
use crate::ir::{Callee, Op};
use crate::surface::{function_of_driver, without_rules};

impl Emitter<'_> {
    /// The path of a rule: `f::__rrule`, or `Type::__method_rrule`.
    pub(super) fn rule_path(
        &self,
        path: &syn::ExprPath,
        associated: bool,
        rule: &str,
    ) -> TokenStream {
        if let Some(module) = self.array_function(&path.path) {
            let name = format_ident!("__{}", rule, span = path.span());
            return quote!(#module::#name);
        }
        let mut path = path.clone();
        let Some(last) = path.path.segments.last_mut() else {
            bug!("an empty path")
        };
        let arguments = std::mem::replace(&mut last.arguments, syn::PathArguments::None);
        let mut associated = associated;
        if let Some(elsewhere) = self.elsewhere(&path.path) {
            path.path = elsewhere.clone();
            path.qself = None;
            associated = false;
        } else if let Some((span, error)) = self.without_rules(&path) {
            // In the same place for each rule and call, so that rustc shows it once.
            return at(span, &error.into_compile_error());
        }
        let Some(last) = path.path.segments.last_mut() else {
            bug!("an empty path")
        };
        let generics = match arguments {
            syn::PathArguments::AngleBracketed(args) => {
                let args = args.args;
                quote!(::<#args>)
            }
            _ => TokenStream::new(),
        };
        if associated {
            // Of `rrule` the receiver is the first argument in any case.
            let mut name = if rule == "rrule" {
                format_ident!("__{}_rrule", unraw(&last.ident))
            } else {
                path_name(&unraw(&last.ident), rule)
            };
            name.set_span(last.ident.span());
            if let Some(error) = without_rules(&path) {
                return error.into_compile_error();
            }
            if let Some(function) = function_of_driver(&path) {
                // One error for all rules, where there are none.
                let rt = self.rt;
                let check = quote!(<#function as #rt::nested::HasDriverRules>::CHECKED);
                let function = quote!(<#function as #rt::unseen::IsChecked<{ #check }>>::Type);
                return at(path.span(), &quote!(<#function>::#name #generics));
            }
            let Some(last) = path.path.segments.last_mut() else {
                bug!("an empty path")
            };
            last.ident = name;
            quote!(#path #generics)
        } else {
            let name = format_ident!("__{}", rule, span = last.ident.span());
            quote!(#path::#name #generics)
        }
    }

    /// Where the rules of a function are that the attribute names.
    pub(super) fn elsewhere(&self, function: &syn::Path) -> Option<&syn::Path> {
        let mut with = self.with.with.iter();
        let named = with.find(|(name, _)| same_path(name, function));
        named.map(|(_, elsewhere)| elsewhere)
    }

    /// A method is found by its name, anything else by the whole call; an error about a function by its own span.
    pub(super) fn call_span(&self, op: &Op, callee: &Callee) -> Span {
        match callee {
            Callee::Method { name, .. } => name.span(),
            Callee::Path { path, .. } => {
                let error = self.without_rules(path);
                error.map_or(op.span, |(span, _)| span)
            }
            _ => op.span,
        }
    }

    /// The runtime's module for a function of a library with arrays.
    pub(super) fn array_function(&self, path: &syn::Path) -> Option<TokenStream> {
        let rt = self.rt;
        self.with
            .callees
            .filter(|callees| callees.array_function(path))?;
        let name = path.segments.last()?.ident.to_string();
        let name = format_ident!("{}", name.trim_start_matches('_'));
        Some(quote!(#rt::libraries::ndarray::calls::#name))
    }

    /// The error for a function that certainly has no rules.
    pub(super) fn without_rules(&self, path: &syn::ExprPath) -> Option<(Span, syn::Error)> {
        let is_of_type = path.qself.as_ref().is_some_and(|of| of.position == 0);
        if is_of_type || self.elsewhere(&path.path).is_some() {
            return None;
        }
        // The file tells nothing of types that the body imports.
        let first = &path.path.segments.first()?.ident;
        let imports = |item: &syn::Item| {
            let names = matches!(item, syn::Item::Use(_)).then(|| declared_names(item));
            names
                .flatten()
                .is_some_and(|names| names.contains(&unraw(first)))
        };
        if self.func.items.iter().any(imports) {
            return None;
        }
        let callees = self.with.callees?;
        let (message, help) = match (self.declared(&path.path), &path.qself) {
            (Some(function), _) if make_rules(&function.attrs) => None,
            // Its name may lead to the rules of another function outside of the body.
            (Some(function), _) => {
                let name = unraw(&function.sig.ident);
                Some(unmarked(&name, &name))
            }
            (None, Some(_)) => callees.of_trait_without_rules(&path.path),
            (None, None) => callees.without_rules(&path.path, self.with.own),
        }?;
        let first = callees.first_call(&path.path);
        Some((first.span(), error(Whole(&first), message, help)))
    }

    /// The function of the body that a path leads to.
    fn declared(&self, path: &syn::Path) -> Option<&syn::ItemFn> {
        let name = path.get_ident()?;
        self.func.items.iter().find_map(|item| match item {
            syn::Item::Fn(item) if item.sig.ident == *name => Some(item),
            _ => None,
        })
    }
}

/// Returns `true` if two paths have the same segments; generic arguments aside.
fn same_path(a: &syn::Path, b: &syn::Path) -> bool {
    let segments = a.segments.iter().zip(&b.segments);
    a.segments.len() == b.segments.len() && segments.into_iter().all(|(a, b)| a.ident == b.ident)
}

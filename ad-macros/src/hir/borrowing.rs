//! Calls of methods without rules become calls by path, whose bodies are known.
//!
//! ```text
//! Input:  table.rows(n)
//! Output: Table::rows(&table, n)
//! ```
//!
//! Whose method it is, its name says: it is the only one of its module. If the receiver is of another type, rustc reports it. Names of std's methods
//! are left, unless the receiver is declared to be of the type.

use std::collections::HashMap;

use proc_macro2::Ident;
use syn::parse_quote;
use syn::visit_mut::{self, VisitMut};

use super::closure::stripped;
use crate::enclosing::Siblings;
use crate::std_model;
use crate::types::written::ungrouped;

#[derive(Clone)]
pub(super) struct Borrowing<'a> {
    siblings: &'a Siblings,
    /// The names of variables that are declared with a type, and `self`.
    declared: HashMap<String, Ident>,
}

impl<'a> Borrowing<'a> {
    pub(super) fn new(siblings: &'a Siblings, self_ty: Option<&syn::Type>) -> Self {
        let own = self_ty.and_then(name_of).cloned();
        let declared = own
            .map(|own| ("self".to_owned(), own))
            .into_iter()
            .collect();
        Borrowing { siblings, declared }
    }

    pub(super) fn of_function(&self, sig: &syn::Signature) -> Self {
        let mut inside = self.clone();
        for input in &sig.inputs {
            if let syn::FnArg::Typed(param) = input {
                inside.declare(param);
            }
        }
        inside
    }

    pub(super) fn of_closure(&self, closure: &syn::ExprClosure) -> Self {
        let mut inside = self.clone();
        for input in &closure.inputs {
            if let syn::Pat::Type(param) = input {
                inside.declare(param);
            }
        }
        inside
    }

    fn declare(&mut self, param: &syn::PatType) {
        if let (syn::Pat::Ident(name), Some(own)) = (&*param.pat, name_of(&param.ty)) {
            self.declared.insert(name.ident.to_string(), own.clone());
        }
    }

    /// The type of a method without rules, if the call is one of that.
    fn owner(&self, call: &syn::ExprMethodCall) -> Option<&Ident> {
        let name = call.method.to_string();
        let own = self.siblings.borrowing(&name)?;
        let declared = || match stripped(&call.receiver) {
            syn::Expr::Path(path) => self.declared.get(&path.path.get_ident()?.to_string()),
            _ => None,
        };
        let is_of_std = std_model::named(&name).next().is_some();
        let body = self.siblings.body(&format!("{own}::{name}"))?;
        let takes = body.closure.inputs.len() == call.args.len() + 1;
        (takes && (!is_of_std || declared() == Some(own))).then_some(own)
    }
}

/// The name of a type, or of what it refers to.
fn name_of(ty: &syn::Type) -> Option<&Ident> {
    match ungrouped(ty) {
        syn::Type::Reference(ty) => name_of(&ty.elem),
        syn::Type::Path(path) => path.path.get_ident(),
        _ => None,
    }
}

impl VisitMut for Borrowing<'_> {
    fn visit_expr_mut(&mut self, expr: &mut syn::Expr) {
        visit_mut::visit_expr_mut(self, expr);
        let syn::Expr::MethodCall(call) = expr else {
            return;
        };
        let Some(own) = self.owner(call) else {
            return;
        };
        let (receiver, name, args) = (&call.receiver, &call.method, &call.args);
        let body = self.siblings.body(&format!("{own}::{name}"));
        let this = body.and_then(|body| body.closure.inputs.first());
        let own = Ident::new(&own.to_string(), name.span());
        let reference = match this {
            Some(syn::Pat::Type(this)) => match &*this.ty {
                syn::Type::Reference(this) => Some((this.and_token, this.mutability)),
                _ => None,
            },
            _ => None,
        };
        let (and, mutability) = reference.unzip();
        let mutability = mutability.flatten();
        *expr = parse_quote!(#own::#name(#and #mutability #receiver, #args));
    }
}

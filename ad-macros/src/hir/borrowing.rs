//! Calls of methods without rules become calls by path, whose bodies are known.
//!
//! ```text
//! Input:  table.rows(n)
//! Output: Table::rows(&table, n)
//! ```
//!
//! Whose method it is, its name says: it is the only one of its module. If the receiver is of another type, rustc reports it. Names of std's methods
//! are left, unless the receiver's own declaration or initial value shows its type.

use std::collections::HashMap;

use proc_macro2::Ident;
use syn::parse_quote;
use syn::visit_mut::{self, VisitMut};

use super::closure::stripped;
use super::mentions::bound_names;
use super::of_type;
use crate::enclosing::{self, Siblings};
use crate::std_model;
use crate::syntax::typed_params;
use crate::types::written::ungrouped;

#[derive(Clone)]
pub(super) struct Borrowing<'a> {
    siblings: &'a Siblings,
    /// The types of variables that show them where they are declared, and of `self`.
    declared: HashMap<String, Ident>,
}

impl<'a> Borrowing<'a> {
    pub(super) fn new(siblings: &'a Siblings, self_ty: Option<&syn::Type>) -> Self {
        let own = self_ty.and_then(name_of).cloned();
        let names = ["self", "Self"].map(str::to_owned);
        let declared = names
            .into_iter()
            .filter_map(|name| Some((name, own.clone()?)));
        let declared = declared.collect();
        Borrowing { siblings, declared }
    }

    pub(super) fn of_function(&self, sig: &syn::Signature) -> Self {
        let mut inside = self.clone();
        typed_params(sig).for_each(|param| inside.declare(param));
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

    /// The type of a method without rules, if the call is one of that. The name decides where the type isn't known.
    fn owner(&self, call: &syn::ExprMethodCall) -> Option<&Ident> {
        let name = call.method.to_string();
        let mut all = self.siblings.borrowing(&name).peekable();
        all.peek()?;
        let of = self.type_of(&call.receiver);
        let is_of_std = std_model::named(&name).next().is_some();
        let is_it = |method: &&enclosing::Borrowing| match &of {
            Some(of) => method.own == *of,
            None => method.is_only && !is_of_std,
        };
        let own = &all.find(is_it)?.own;
        let body = self.siblings.body(&format!("{own}::{name}"))?;
        (body.closure.inputs.len() == call.args.len() + 1).then_some(own)
    }

    /// The type of the file that an expression shows to be its own, or that of what it refers to.
    fn type_of(&self, expr: &syn::Expr) -> Option<Ident> {
        match stripped(expr) {
            syn::Expr::Path(path) => {
                let name = path.path.get_ident()?;
                self.declared.get(&name.to_string()).cloned()
            }
            syn::Expr::Reference(of) => self.type_of(&of.expr),
            syn::Expr::Struct(made) => self.named(made.path.get_ident()?),
            syn::Expr::Field(field) => {
                let own = self.type_of(&field.base)?.to_string();
                let fields = &self.siblings.own(&own)?.fields;
                let (_, ty) = fields.iter().find(|(member, _)| *member == field.member)?;
                name_of(ty).cloned()
            }
            syn::Expr::Call(call) => match &*call.func {
                syn::Expr::Path(path) => self.result_of(path),
                _ => None,
            },
            syn::Expr::MethodCall(call) if call.method == "clone" => self.type_of(&call.receiver),
            syn::Expr::MethodCall(call) => {
                let own = self.type_of(&call.receiver)?.to_string();
                returned(self.siblings.own(&own)?.method(&call.method.to_string())?)
            }
            _ => None,
        }
    }

    /// A type by its name, or as `Self`.
    fn named(&self, name: &Ident) -> Option<Ident> {
        if name == "Self" {
            return self.declared.get("Self").cloned();
        }
        self.siblings.own(&name.to_string()).map(|_| name.clone())
    }

    /// The type that a function of the file returns, or one of a type of the file.
    fn result_of(&self, path: &syn::ExprPath) -> Option<Ident> {
        if let Some((own, name)) = of_type(path) {
            let own = self.named(name_of(&own)?)?.to_string();
            return returned(self.siblings.own(&own)?.method(&name.to_string())?);
        }
        returned(
            self.siblings
                .function(&path.path.get_ident()?.to_string())?,
        )
    }

    /// Runs `f` on code whose variables end with it.
    fn scope(&mut self, f: impl FnOnce(&mut Self)) {
        let outside = self.declared.clone();
        f(self);
        self.declared = outside;
    }

    /// Forgets the variables that a pattern hides.
    fn hide(&mut self, pat: &syn::Pat) {
        for name in bound_names(pat) {
            self.declared.remove(&name);
        }
    }
}

/// The name of the type that a function returns.
fn returned(sig: &syn::Signature) -> Option<Ident> {
    match &sig.output {
        syn::ReturnType::Type(_, ty) => name_of(ty).cloned(),
        syn::ReturnType::Default => None,
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
    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        self.scope(|inside| visit_mut::visit_block_mut(inside, block));
    }

    fn visit_expr_closure_mut(&mut self, closure: &mut syn::ExprClosure) {
        self.scope(|inside| visit_mut::visit_expr_closure_mut(inside, closure));
    }

    fn visit_arm_mut(&mut self, arm: &mut syn::Arm) {
        self.scope(|inside| visit_mut::visit_arm_mut(inside, arm));
    }

    fn visit_expr_for_loop_mut(&mut self, run: &mut syn::ExprForLoop) {
        self.scope(|inside| visit_mut::visit_expr_for_loop_mut(inside, run));
    }

    fn visit_expr_if_mut(&mut self, branch: &mut syn::ExprIf) {
        self.scope(|inside| visit_mut::visit_expr_if_mut(inside, branch));
    }

    fn visit_local_mut(&mut self, local: &mut syn::Local) {
        if let Some(init) = &mut local.init {
            self.visit_local_init_mut(init);
        }
        let (pat, written) = match &local.pat {
            syn::Pat::Type(typed) => (&*typed.pat, name_of(&typed.ty)),
            pat => (pat, None),
        };
        let made = || self.type_of(&local.init.as_ref()?.expr);
        let own = written.cloned().or_else(made);
        self.hide(pat);
        if let (syn::Pat::Ident(name), Some(own)) = (pat, own) {
            self.declared.insert(name.ident.to_string(), own);
        }
    }

    fn visit_pat_mut(&mut self, pat: &mut syn::Pat) {
        self.hide(pat);
    }

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

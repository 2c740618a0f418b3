//! An `Option` that gets a value if it has none.
//!
//! ```text
//! Input:  o.get_or_insert_with(|| v)
//! Output: { if o.is_none() { o = Some(v); } o.as_mut().unwrap() }
//!
//! Input:  *o.get_or_insert(v) += x;
//! Output: { let by = x; let value = v; if o.is_none() { o = Some(value); } *o.as_mut().unwrap() += by; }
//! ```

use crate::paths::ends_in;
use proc_macro2::{Ident, Span};
use quote::{quote, quote_spanned};

use super::mentions::exits;
use super::parse::Parser;
use super::{Expr, Stmt};

/// `o.get_or_insert(v)`: the statements that fill it, and where the value is then.
struct Filled {
    fill: Vec<syn::Stmt>,
    /// `o.as_mut().unwrap()`.
    value: syn::Expr,
}

impl Parser {
    /// `o.get_or_insert(v)` and the like, as a reference.
    pub(super) fn filled_call(
        &mut self,
        call: &syn::ExprMethodCall,
        source: &syn::Expr,
    ) -> Option<Expr> {
        let Filled { fill, value } = self.filled(call)?;
        let block = syn::parse_quote!({ #(#fill)* #value });
        Some(self.replaced(&block, source))
    }

    /// `*o.get_or_insert(v)`, as a value.
    pub(super) fn filled_value(&mut self, behind: &syn::Expr, source: &syn::Expr) -> Option<Expr> {
        let Filled { fill, value } = self.filled_behind(behind)?;
        Some(self.replaced(&syn::parse_quote!({ #(#fill)* *#value }), source))
    }

    /// `*o.get_or_insert(v) += x`.
    pub(super) fn filled_place(
        &mut self,
        place: &syn::Expr,
        by: &syn::Expr,
        source: &syn::Expr,
    ) -> Option<Expr> {
        let syn::Expr::Unary(syn::ExprUnary {
            op: syn::UnOp::Deref(_),
            expr: behind,
            ..
        }) = place
        else {
            return None;
        };
        let Filled { fill, value } = self.filled_behind(behind)?;
        let ident = Ident::new("__by", Span::mixed_site());
        let mut assigned = source.clone();
        let (left, right) = match &mut assigned {
            syn::Expr::Assign(assign) => (&mut assign.left, &mut assign.right),
            syn::Expr::Binary(binary) => (&mut binary.left, &mut binary.right),
            _ => return None,
        };
        **left = syn::parse_quote!(*#value);
        **right = syn::parse_quote!(#ident);
        let filled = syn::parse_quote!({ let #ident = #by; #(#fill)* #assigned; });
        Some(self.replaced(&filled, source))
    }

    /// ```text
    /// Input:  let r = o.get_or_insert(v);
    /// Output: if o.is_none() { o = Some(v); } let r = o.as_mut().unwrap();
    /// ```
    pub(super) fn filled_local(&mut self, local: &syn::Local, stmts: &mut Vec<Stmt>) -> bool {
        let init = local.init.as_ref().filter(|init| init.diverge.is_none());
        let Some(Filled { fill, value }) = init.and_then(|init| self.filled_behind(&init.expr))
        else {
            return false;
        };
        let mut local = local.clone();
        if let Some(init) = &mut local.init {
            *init.expr = value;
        }
        for stmt in &fill {
            match stmt {
                syn::Stmt::Local(local) => stmts.push(Stmt::Let(Box::new(self.local(local)))),
                syn::Stmt::Expr(expr, _) => stmts.push(Stmt::Expr(self.expr(expr))),
                _ => {}
            }
        }
        stmts.push(Stmt::Let(Box::new(self.local(&local))));
        true
    }

    fn filled_behind(&self, behind: &syn::Expr) -> Option<Filled> {
        match behind {
            syn::Expr::Paren(inner) => self.filled_behind(&inner.expr),
            syn::Expr::MethodCall(call) => self.filled(call),
            _ => None,
        }
    }

    fn filled(&self, call: &syn::ExprMethodCall) -> Option<Filled> {
        let option = &*call.receiver;
        if !is_place(option) {
            return None;
        }
        let span = call.method.span();
        let args: Vec<&syn::Expr> = call.args.iter().collect();
        let value = Ident::new("__value", Span::mixed_site());
        let some = quote!(::core::option::Option::Some);
        let fill = match (call.method.to_string().as_str(), &args[..]) {
            ("get_or_insert", [v]) => quote_spanned! {span=>
                let #value = #v;
                if #option.is_none() { #option = #some(#value); }
            },
            ("get_or_insert_with", [f]) => {
                let made = made_by(f)?;
                quote_spanned!(span=> if #option.is_none() { #option = #some(#made); })
            }
            ("insert", [v]) if self.is_option(option) => {
                quote_spanned!(span=> #option = #some(#v);)
            }
            _ => return None,
        };
        let fill: syn::Block = syn::parse_quote!({ #fill });
        Some(Filled {
            fill: fill.stmts,
            value: syn::parse_quote_spanned!(span=> #option.as_mut().unwrap()),
        })
    }

    /// Returns `true` if a name is known to be that of an `Option`, and not of a set.
    fn is_option(&self, place: &syn::Expr) -> bool {
        let var = self.variable_named(place);
        let written = var.and_then(|var| self.written.get(&var));
        written.is_some_and(|ty| is_generic(ty, "Option"))
    }
}

/// The result of a function without parameters.
fn made_by(f: &syn::Expr) -> Option<proc_macro2::TokenStream> {
    match f {
        syn::Expr::Closure(f) if f.inputs.is_empty() && exits(&f.body).is_empty() => {
            let body = &f.body;
            Some(quote!(#body))
        }
        syn::Expr::Path(path) => Some(quote!(#path())),
        _ => None,
    }
}

/// Returns `true` if an expression can be written out more than once.
pub(super) fn is_place(expr: &syn::Expr) -> bool {
    match expr {
        syn::Expr::Path(_) => true,
        syn::Expr::Field(field) => is_place(&field.base),
        syn::Expr::Paren(inner) => is_place(&inner.expr),
        syn::Expr::Index(index) => is_place(&index.expr) && is_position(&index.index),
        syn::Expr::Unary(unary) => matches!(unary.op, syn::UnOp::Deref(_)) && is_place(&unary.expr),
        _ => false,
    }
}

fn is_position(index: &syn::Expr) -> bool {
    match index {
        syn::Expr::Path(_) | syn::Expr::Lit(_) => true,
        syn::Expr::Paren(inner) => is_position(&inner.expr),
        syn::Expr::Binary(binary) => is_position(&binary.left) && is_position(&binary.right),
        _ => false,
    }
}

/// Returns `true` if a type is written by this name.
fn is_generic(ty: &syn::Type, name: &str) -> bool {
    matches!(ty, syn::Type::Path(path) if ends_in(&path.path, name))
}

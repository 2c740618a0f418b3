//! Assignments that take a value apart, and `let` of several names without a value.
//!
//! ```text
//! Input:  [a, S { x: v[0], .. }] = e;
//! Output: { let [t0, S { x: t1, .. }] = e; a = t0; v[0] = t1; }
//!
//! Input:  let (mut a, mut b);
//! Output: let mut a; let mut b;
//! ```
//!
//! As in rustc, the value comes first, and the places are evaluated from left to right when they are assigned to. Tuples of
//! places have a form of their own in lowering, where they may hold references.

use proc_macro2::Ident;
use quote::{format_ident, quote_spanned};
use syn::spanned::Spanned;
use syn::visit_mut::VisitMut;

use super::Expr;
use super::closure::bare;
use super::lets::pattern_and_type;
use super::parse::Parser;
use crate::types::written::ungrouped;

impl Parser {
    /// An assignment to anything but a place or a tuple of places.
    pub(super) fn destructured(
        &mut self,
        assign: &syn::ExprAssign,
        source: &syn::Expr,
    ) -> Option<Expr> {
        if is_simple(&assign.left) {
            return None;
        }
        let (mut pat, mut parts) = (assign.left.clone(), Vec::new());
        Places(&mut parts).visit_expr_mut(&mut pat);
        let (right, eq) = (&assign.right, &assign.eq_token);
        let taken_apart = quote_spanned!(eq.span=> let #pat = #right;);
        let taken_apart: syn::Stmt = syn::parse2(taken_apart).ok()?;
        let assigned = parts.iter().map(|(place, part)| -> syn::Stmt {
            syn::parse_quote_spanned!(place.span()=> #place = #part;)
        });
        Some(self.replaced(&syn::parse_quote!({ #taken_apart #(#assigned)* }), source))
    }
}

/// Puts names in the place of the places in a target, so that it is a pattern.
struct Places<'p>(&'p mut Vec<(syn::Expr, Ident)>);

impl VisitMut for Places<'_> {
    fn visit_expr_mut(&mut self, target: &mut syn::Expr) {
        match target {
            syn::Expr::Infer(_) => {}
            target if is_rest(target) => {}
            syn::Expr::Paren(syn::ExprParen { expr, .. })
            | syn::Expr::Group(syn::ExprGroup { expr, .. }) => {
                *target = (**expr).clone();
                self.visit_expr_mut(target);
            }
            syn::Expr::Tuple(tuple) => tuple.elems.iter_mut().for_each(|e| self.visit_expr_mut(e)),
            syn::Expr::Array(array) => array.elems.iter_mut().for_each(|e| self.visit_expr_mut(e)),
            syn::Expr::Call(call) => call.args.iter_mut().for_each(|e| self.visit_expr_mut(e)),
            syn::Expr::Struct(literal) => {
                for field in &mut literal.fields {
                    field.colon_token.get_or_insert_default();
                    self.visit_expr_mut(&mut field.expr);
                }
            }
            place => {
                let part = format_ident!("__part_{}", self.0.len(), span = place.span());
                let name = syn::parse_quote!(#part);
                self.0.push((std::mem::replace(place, name), part));
            }
        }
    }
}

/// A place, or tuples of places.
fn is_simple(target: &syn::Expr) -> bool {
    match bare(target) {
        syn::Expr::Tuple(tuple) => tuple.elems.iter().all(is_simple),
        syn::Expr::Array(_) | syn::Expr::Struct(_) | syn::Expr::Call(_) => false,
        other => !is_rest(other),
    }
}

/// `..`.
fn is_rest(target: &syn::Expr) -> bool {
    matches!(target, syn::Expr::Range(range) if range.start.is_none() && range.end.is_none())
}

/// `let` of several names without a value, as a `let` for each.
pub(super) fn declared(local: &syn::Local) -> Option<Vec<syn::Stmt>> {
    if local.init.is_some() {
        return None;
    }
    let (pat, ty) = pattern_and_type(local);
    if let syn::Pat::Ident(_) = pat {
        return None;
    }
    let mut names = Vec::new();
    names_in(pat, ty, &mut names)?;
    let declare = |(name, ty): (&syn::PatIdent, Option<&syn::Type>)| match ty {
        Some(ty) => syn::parse_quote!(let #name: #ty;),
        None => syn::parse_quote!(let #name;),
    };
    Some(names.into_iter().map(declare).collect())
}

/// The names in a pattern of tuples and arrays, with their types where these are written.
fn names_in<'a>(
    pat: &'a syn::Pat,
    ty: Option<&'a syn::Type>,
    names: &mut Vec<(&'a syn::PatIdent, Option<&'a syn::Type>)>,
) -> Option<()> {
    let ty = ty.map(ungrouped);
    match pat {
        syn::Pat::Ident(ident) if ident.subpat.is_none() && ident.by_ref.is_none() => {
            names.push((ident, ty.filter(|ty| !matches!(ty, syn::Type::Infer(_)))));
            Some(())
        }
        syn::Pat::Wild(_) => Some(()),
        syn::Pat::Paren(inner) => names_in(&inner.pat, ty, names),
        syn::Pat::Tuple(tuple) => {
            for (k, elem) in tuple.elems.iter().enumerate() {
                let ty = match ty {
                    Some(syn::Type::Tuple(types)) => types.elems.get(k),
                    _ => None,
                };
                names_in(elem, ty, names)?;
            }
            Some(())
        }
        syn::Pat::Slice(slice) => {
            let ty = match ty {
                Some(syn::Type::Array(array)) => Some(&*array.elem),
                _ => None,
            };
            let mut elems = slice.elems.iter();
            elems.try_for_each(|elem| names_in(elem, ty, names))
        }
        _ => None,
    }
}

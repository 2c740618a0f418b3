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

use syn::spanned::Spanned;

use super::closure::bare;
use super::lets::pattern_and_type;
use super::parse::Parser;
use super::{Expr, ExprKind, Pat, Stmt, Var};
use crate::diagnostics::Whole;
use crate::types::written::ungrouped;

/// The parts of a value, and the places that they are assigned to.
type Parts<'a> = Vec<(Var, &'a syn::Expr)>;

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
        let mut parts = Vec::new();
        let pat = self.taken_apart(&assign.left, &mut parts);
        let value = self.expr(&assign.right);
        let mut stmts = vec![Stmt::bind(pat, value, assign.eq_token.span)];
        for (part, place) in parts {
            let span = place.span();
            let place = self.boxed(place);
            let part = Box::new(self.read(part, span));
            let assigned = self.node(ExprKind::Assign(place, part), span);
            stmts.push(Stmt::Expr(assigned));
        }
        Some(self.finished(stmts, None, source))
    }

    /// The pattern that binds the values that are assigned to the places in `target`.
    fn taken_apart<'a>(&mut self, target: &'a syn::Expr, parts: &mut Parts<'a>) -> Pat {
        let target = bare(target);
        match target {
            syn::Expr::Infer(_) => Pat::Wild,
            syn::Expr::Tuple(tuple) => {
                let rest = tuple.elems.iter().position(is_rest);
                let elems = tuple.elems.iter().filter(|elem| !is_rest(elem));
                Pat::Tuple {
                    elems: elems.map(|elem| self.taken_apart(elem, parts)).collect(),
                    rest,
                }
            }
            syn::Expr::Array(array) => {
                let rest = array.elems.iter().position(is_rest);
                let elems = array.elems.iter().filter(|elem| !is_rest(elem));
                let mut front: Vec<Pat> = elems.map(|elem| self.taken_apart(elem, parts)).collect();
                let Some(rest) = rest else {
                    return Pat::Slice(front);
                };
                let back = front.split_off(rest);
                Pat::Ends {
                    front,
                    middle: Box::new(Pat::Wild),
                    back,
                }
            }
            syn::Expr::Struct(literal) => {
                let fields = literal.fields.iter();
                Pat::Struct {
                    fields: fields
                        .map(|f| (f.member.clone(), self.taken_apart(&f.expr, parts)))
                        .collect(),
                }
            }
            syn::Expr::Call(call) => {
                if let Some(rest) = call.args.iter().position(is_rest)
                    && rest + 1 < call.args.len()
                {
                    self.error(
                        Whole(target),
                        "`..` in front of other fields is not supported here",
                        "write `_` for each field that is left out",
                    );
                }
                let args = call.args.iter().filter(|arg| !is_rest(arg)).enumerate();
                Pat::Struct {
                    fields: args
                        .map(|(k, arg)| (syn::Member::from(k), self.taken_apart(arg, parts)))
                        .collect(),
                }
            }
            place => {
                let part = self.temporary("part", place.span());
                parts.push((part, place));
                Pat::name(part)
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

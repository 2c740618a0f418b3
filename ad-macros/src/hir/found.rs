//! Patterns that take apart what an iterator gives: `Some(..)` of an item that may not be there.
//!
//! ```text
//! Input:  if let Some((0, v)) = it.next() { a }
//! Output: if some && k == 0 { let v = &list[k]; a }
//! ```

use proc_macro2::Span;
use syn::spanned::Spanned;

use super::chain::Maybe;
use super::matches::{Subject, is_binding, names_option};
use super::parse::Parser;
use super::{Expr, ExprKind, Logic, Stmt, mentions};
use crate::ir::UnaryOp;

impl Parser {
    /// Whether there is an item that matches.
    pub(super) fn maybe_condition(&mut self, maybe: &Maybe, pat: &syn::Pat) -> Option<Expr> {
        let span = pat.span();
        let some = self.read(maybe.some, span);
        match pat {
            syn::Pat::Or(pat) => {
                let mut any = None;
                for case in &pat.cases {
                    let one = self.maybe_condition(maybe, case)?;
                    any = self.join(Logic::Or, any, Some(one));
                }
                any
            }
            syn::Pat::TupleStruct(pat) => {
                let mut stmts = Vec::new();
                let inner = pat.elems.first().filter(|pat| !always_fits(pat));
                let inner = inner.and_then(|pat| {
                    let item = self.item_subject(maybe, span, &mut stmts);
                    self.condition(&item, pat)
                });
                let inner = inner.map(|inner| self.after(stmts, inner));
                self.join(Logic::And, Some(some), inner)
            }
            _ => Some(self.node(ExprKind::Unary(UnaryOp::Not, Box::new(some)), span)),
        }
    }

    /// Binds an item that is there.
    pub(super) fn bind_item(&mut self, maybe: &Maybe, pat: &syn::Pat, stmts: &mut Vec<Stmt>) {
        let span = pat.span();
        if always_fits(pat) {
            let item = self.item_of(maybe, span, stmts);
            self.bind_argument(pat, None, item, stmts);
        } else if !mentions::bound(pat).is_empty() {
            let item = self.item_subject(maybe, span, stmts);
            self.bind(&item, pat, stmts);
        }
    }

    fn item_subject(&mut self, maybe: &Maybe, span: Span, stmts: &mut Vec<Stmt>) -> Subject {
        let item = self.item_of(maybe, span, stmts);
        self.held_subject(item, stmts)
    }

    fn held_subject(&mut self, item: Expr, stmts: &mut Vec<Stmt>) -> Subject {
        match item.kind {
            ExprKind::Tuple(parts) => {
                let parts = parts.into_iter().map(|part| self.held_subject(part, stmts));
                Subject::Tuple(parts.collect())
            }
            ExprKind::Var(var) => Subject::One(var),
            _ => Subject::One(self.held("item", item, stmts)),
        }
    }
}

/// Whether a pattern only tells `Some` from `None`, whatever is inside of the former.
pub(super) fn tells_some(pat: &syn::Pat) -> bool {
    match pat {
        syn::Pat::Guard(guarded) => tells_some(&guarded.pat),
        syn::Pat::Paren(pat) => tells_some(&pat.pat),
        syn::Pat::Or(pat) => pat.cases.iter().all(tells_some),
        syn::Pat::TupleStruct(pat) => names_option(&syn::Pat::TupleStruct(pat.clone())),
        syn::Pat::Path(path) => {
            let last = path.path.segments.last();
            last.is_some_and(|last| last.ident == "None")
        }
        syn::Pat::Ident(pat) => pat.ident == "None",
        syn::Pat::Wild(_) => true,
        _ => false,
    }
}

/// Whether a pattern fits anything of its type, for certain.
pub(super) fn always_fits(pat: &syn::Pat) -> bool {
    match pat {
        syn::Pat::Wild(_) => true,
        syn::Pat::Ident(pat) => is_binding(&pat.ident) && pat.subpat.is_none(),
        syn::Pat::Paren(pat) => always_fits(&pat.pat),
        syn::Pat::Reference(pat) => always_fits(&pat.pat),
        syn::Pat::Tuple(pat) => pat.elems.iter().all(always_fits),
        _ => false,
    }
}

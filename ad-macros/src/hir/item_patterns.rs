//! Patterns that take an iterator's item apart: `Some(..)` of an item that may be absent.
//!
//! ```text
//! Input:  if let Some((0, v)) = it.next() { a }
//! Output: if some && k == 0 { let v = &list[k]; a }
//! ```

use proc_macro2::{Ident, Span};
use syn::spanned::Spanned;

use super::chain::{Chain, NextItem};
use super::closure::stripped;
use super::matches::{Subject, is_binding, names_option};
use super::parse::Parser;
use super::{Expr, ExprKind, Logic, Stmt, mentions};
use crate::paths::ends_in;
use crate::std_model::{FINDS, KEEPS, PAIRS, UNWRAPS, does, syntax_does};
use crate::syntax::method_call;

impl Parser {
    /// A part of a pair that is given for good, in which references may be: `e.unwrap().0` is `{ let (part, _) = e.unwrap(); part }`.
    pub(super) fn part_of_pair(&self, field: &syn::ExprField) -> Option<syn::Expr> {
        let syn::Member::Unnamed(index) = &field.member else {
            return None;
        };
        let call = method_call(stripped(&field.base))?;
        let pairs = match call.method.to_string().as_str() {
            name if does(name, UNWRAPS) => match stripped(&call.receiver) {
                syn::Expr::MethodCall(given) => self.gives_pair(given),
                _ => false,
            },
            "split_at" => call.args.len() == 1,
            _ => false,
        };
        let part = Ident::new("part", Span::mixed_site());
        let pat: syn::Pat = match index.index {
            0 => syn::parse_quote!((#part, _)),
            1 => syn::parse_quote!((_, #part)),
            _ => return None,
        };
        let span = field.base.span();
        pairs.then(|| syn::parse_quote_spanned!(span=> { let #pat = #call; #part }))
    }

    /// Returns `true` if a call returns an item of an iterator of pairs, or an end of a list and the rest.
    fn gives_pair(&self, call: &syn::ExprMethodCall) -> bool {
        let splits = matches!(&*call.method.to_string(), "split_first" | "split_last");
        splits && call.args.is_empty()
            || syntax_does(call, FINDS) && self.is_of_pairs(&call.receiver)
    }

    fn is_of_pairs(&self, iterator: &syn::Expr) -> bool {
        match stripped(iterator) {
            syn::Expr::Path(path) => self.lazy(path).is_some_and(Chain::is_of_pairs),
            syn::Expr::MethodCall(call) => {
                syntax_does(call, PAIRS)
                    || syntax_does(call, KEEPS) && self.is_of_pairs(&call.receiver)
            }
            _ => false,
        }
    }
}

impl Parser {
    /// The condition that an item is present and matches.
    pub(super) fn maybe_condition(&mut self, maybe: &NextItem, pat: &syn::Pat) -> Option<Expr> {
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
            _ => Some(self.node(ExprKind::not(some), span)),
        }
    }

    pub(super) fn bind_item(&mut self, maybe: &NextItem, pat: &syn::Pat, stmts: &mut Vec<Stmt>) {
        let span = pat.span();
        if always_fits(pat) {
            let item = self.item_of(maybe, span, stmts);
            self.bind_argument(pat, None, item, stmts);
        } else if !mentions::bound(pat).is_empty() {
            let item = self.item_subject(maybe, span, stmts);
            self.bind(&item, pat, stmts);
        }
    }

    fn item_subject(&mut self, maybe: &NextItem, span: Span, stmts: &mut Vec<Stmt>) -> Subject {
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

/// Returns `true` if a pattern only tells `Some` from `None`, whatever the payload is.
pub(super) fn tells_some(pat: &syn::Pat) -> bool {
    match pat {
        syn::Pat::Guard(guarded) => tells_some(&guarded.pat),
        syn::Pat::Paren(pat) => tells_some(&pat.pat),
        syn::Pat::Or(pat) => pat.cases.iter().all(tells_some),
        syn::Pat::TupleStruct(pat) => names_option(&syn::Pat::TupleStruct(pat.clone())),
        syn::Pat::Path(path) => ends_in(&path.path, "None"),
        syn::Pat::Ident(pat) => pat.ident == "None",
        syn::Pat::Wild(_) => true,
        _ => false,
    }
}

/// Returns `true` if a pattern certainly matches any value of its type.
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

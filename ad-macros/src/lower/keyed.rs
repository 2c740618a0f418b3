//! Maps and sets: the content of a constant one is read, and looped over by position.
//!
//! ```text
//! Input:  for (k, v) in &map { .. }
//! Output: let entries = entries(&map); for i in 0..entries.len() { let (k, v) = &entries[i]; .. }
//! ```
//!
//! One of differentiated values is refused.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};

use super::builder::{Binding, Failed, Lowered, Lowerer};
use super::heads::{Items, Source};
use crate::hir::{Expr, ExprKind, Let, Pat};
use crate::ir::{OpKind, Place, Ty, Use};
use crate::std_model::{UNWRAPS, does};
use crate::types::Type;
use crate::types::keyed::{Part, found, holds_boxes, item, keyed, refused};

/// Code for a copy of the value that other code finds.
pub(super) type Copied = fn(TokenStream) -> TokenStream;

/// The expression that a place is in, or the receiver of the methods that lead to it.
pub(super) fn holder(place: &Expr) -> &Expr {
    match &place.kind {
        ExprKind::Deref(inner)
        | ExprKind::Index(inner, _)
        | ExprKind::Field(inner, _)
        | ExprKind::Method {
            receiver: inner, ..
        } => holder(inner),
        _ => place,
    }
}

impl Lowerer<'_> {
    /// The entries of a map, as a list.
    pub(super) fn entries(&mut self, map: &Expr, part: Part, span: Span) -> Lowered<Source> {
        if part != Part::Keys {
            self.reject_boxes(map, map)?;
        }
        let element = item(self.ty(map), part, &self.hir.hidden_types);
        let element = element.unwrap_or(Type::Deferred);
        let place = self.reference_or_place(map)?;
        let mut ident = self.private("map");
        ident.set_span(ident.span().located_at(span));
        let read = match part {
            Part::Entries => quote!(entries),
            Part::Keys => quote!(keys),
            Part::Values => quote!(values),
        };
        let at = Span::call_site().located_at(span);
        let tokens = quote_spanned!(at=> __rt::probe::#read(#ident));
        let uses = vec![Use::reference(ident, place)];
        let kind = OpKind::code(tokens, uses);
        let ty = Type::Vec(element.clone().into()).lower();
        let entries = self.emit(kind, ty, "entries", span);
        let place = self.spill(entries, span);
        let len = self.len(&place, span);
        let by_ref = true;
        let items = Items::Elements {
            place,
            element,
            by_ref,
        };
        Ok(Source { len, items })
    }

    /// The value that `m[k]` or `m.get(k)` finds in a map of constants: the type of a copy, and how it is made.
    pub(super) fn lookup(&self, expr: &Expr) -> Option<(Ty, Copied)> {
        let hidden = &self.hir.hidden_types;
        match &expr.kind {
            ExprKind::Index(map, _) => {
                let ty = found(self.ty(map), hidden)?;
                Some((
                    ty.lower(),
                    |found| quote!(::core::clone::Clone::clone(&#found)),
                ))
            }
            ExprKind::Method { receiver, name, .. } if name == "get" => {
                let ty = Type::Option(found(self.ty(receiver), hidden)?.into());
                Some((ty.lower(), |found| quote!(#found.cloned())))
            }
            // `m.get(k).unwrap()`.
            ExprKind::Method { receiver, name, .. } if does(&name.to_string(), UNWRAPS) => {
                let (Ty::Option(ty), _) = self.lookup(receiver)? else {
                    return None;
                };
                Some((*ty, |found| quote!(::core::clone::Clone::clone(#found))))
            }
            _ => None,
        }
    }

    /// A place for the value that `m[k]` finds.
    pub(super) fn looked_up(&mut self, expr: &Expr) -> Lowered<Option<Place>> {
        if self.lookup(expr).is_none() {
            return Ok(None);
        }
        if let (ExprKind::Index(map, _), false) = (&expr.kind, self.is_free(expr)) {
            self.reject_container(map, expr.span)?;
        }
        let value = self.opaque_value(expr)?;
        Ok(Some(self.spill(value, expr.span)))
    }

    /// Refuses lookups in a map of boxes, which can't be copied, by anything but a literal.
    pub(super) fn reject_boxes(&mut self, map: &Expr, by: &Expr) -> Lowered<()> {
        let literal = matches!(self.ty(by), Type::Inactive(_)) && by.root().is_none();
        if literal || !holds_boxes(self.ty(map), &self.hir.hidden_types) {
            return Ok(());
        }
        self.reject(
            by,
            "boxes in a map can only be looked up by literals yet",
            "keep the boxes in a `Vec`, and their positions in the map: `models[positions[&key]]`",
        )
    }

    /// Refuses a guard of a cell that something differentiated is written through: `let mut a = cell.borrow_mut();`.
    pub(super) fn reject_guard(&mut self, stmt: &Let) -> Lowered<()> {
        let (Pat::Bind { var, .. }, Some(init)) = (&stmt.pat, &stmt.init) else {
            return Ok(());
        };
        let guard = matches!(init.kind, ExprKind::Method { .. })
            && matches!(self.ty(init), Type::Deferred)
            && keyed(self.ty(holder(init))).is_none();
        if guard && self.activity.is_varied(*var) {
            self.reject_container(holder(init), init.span)?;
        }
        Ok(())
    }

    /// Refuses uses of a map or cell of differentiated values.
    pub(super) fn reject_container(&mut self, of: &Expr, span: Span) -> Lowered<()> {
        let Some((name, help)) = refused(self.ty(of)) else {
            return Ok(());
        };
        // One message for each map.
        if let Some(root) = of.root() {
            let failed = matches!(self.env[root.0 as usize], Some(Binding::Failed));
            if failed || self.rejected.contains(&root) {
                return Err(Failed);
            }
            self.rejected.push(root);
        }
        self.reject(
            span,
            format!("a `{name}` of differentiated values is not supported yet"),
            format!("{help}; one that holds constants can be a `#[constant]` parameter"),
        )
    }
}

//! The payload of an `Err` has no tangent.

use super::activity::is_stop_gradient;
use super::builder::{Failed, Lowered, Lowerer};
use super::method::is_closure;
use crate::hir::{Expr, ExprKind};

impl Lowerer<'_> {
    /// `Err(x)`, where `x` is differentiated: its derivative would be lost.
    pub(super) fn check_error(&mut self, made: &Expr) -> Lowered<()> {
        let ExprKind::Struct { path, fields, .. } = &made.kind else {
            return Ok(());
        };
        if path.segments.last().is_none_or(|last| last.ident != "Err") {
            return Ok(());
        }
        self.check_payload(fields.iter().map(|(_, field)| field))
    }

    /// Rejects differentiated numbers among the parts of an error.
    pub(super) fn check_payload<'e>(
        &mut self,
        mut parts: impl Iterator<Item = &'e Expr>,
    ) -> Lowered<()> {
        match parts.find_map(|part| self.active_number(part)) {
            None => Ok(()),
            Some(number) => self.reject(
                number,
                "a differentiated number is stored in an error, which has no derivative",
                "write `stop_gradient(..)` around it, and return differentiated values in `Ok`",
            ),
        }
    }

    /// A literal of a type that has no tangent, into which something differentiated goes.
    pub(super) fn check_tangent(&mut self, made: &Expr) -> Lowered<()> {
        let ExprKind::Struct { path, fields, .. } = &made.kind else {
            return Ok(());
        };
        // A type without floats takes no active value.
        if !self.ty(made).may_have_tangent() {
            return Ok(());
        }
        // A closure that is kept has a message of its own.
        let mut fields = fields.iter().map(|(_, field)| field);
        let active = fields
            .clone()
            .any(|field| self.activity.is_active(field, self.types))
            && !fields.any(is_closure);
        // Of a variant, `Shape::Disc { .. }`, the type is the first name.
        let Some(first) = path.segments.first().filter(|_| active) else {
            return Ok(());
        };
        let ty = syn::Type::Path(syn::parse_quote_spanned!(first.ident.span()=> #first));
        match self
            .hir
            .file_types
            .without_tangent(&ty, &self.hir.hidden_types)
        {
            Some(name) => {
                let error = self.hir.file_types.missing_tangent(name, "");
                error.into_iter().for_each(|error| self.errors.push(error));
                Err(Failed)
            }
            None => Ok(()),
        }
    }

    /// An active number in the value that is made here.
    fn active_number<'e>(&self, expr: &'e Expr) -> Option<&'e Expr> {
        let parts: Vec<&Expr> = match &expr.kind {
            ExprKind::Struct { fields, .. } => fields.iter().map(|(_, field)| field).collect(),
            ExprKind::Tuple(parts) | ExprKind::Array { elems: parts, .. } => parts.iter().collect(),
            ExprKind::Call { path, args } if !is_stop_gradient(path) => args.iter().collect(),
            ExprKind::Boxed(part) | ExprKind::Coerce(part) => vec![&**part],
            ExprKind::Method { receiver, name, .. } if name == "into" => vec![&**receiver],
            ExprKind::Block(block, None) => block.value.iter().map(|value| &**value).collect(),
            _ => {
                let number = self.ty(expr).is_float();
                return (number && self.activity.is_active(expr, self.types)).then_some(expr);
            }
        };
        parts.into_iter().find_map(|part| self.active_number(part))
    }
}

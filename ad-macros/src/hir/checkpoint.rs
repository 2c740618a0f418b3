//! `#[checkpoint(k)]` on a loop: reverse mode keeps `k` states of it.

use syn::Attribute;

use super::parse::Parser;
use super::{Adapter, Code, Expr, ExprKind, Iterable, Outcome, Stmt};
use crate::attributes::is_checkpoint;
use crate::diagnostics::{Whole, error};
use crate::paths::last_name;

const RANGE: &str = "write `for i in a..b` with indices of type `usize`, and compute everything else from the index";

impl Parser {
    /// The number of states that the attribute on a loop asks for.
    pub(super) fn checkpoint<'a>(
        &mut self,
        attrs: &'a [Attribute],
    ) -> Option<(&'a Attribute, Expr)> {
        let attr = attrs.iter().find(|attr| is_checkpoint(attr))?;
        if let Ok(states) = attr.parse_args::<syn::Expr>() {
            return Some((attr, self.expr(&states)));
        }
        self.errors.push(error(
            Whole(attr),
            "`#[checkpoint]` needs the number of states to keep",
            "write `#[checkpoint(100)]`",
        ));
        None
    }

    /// Only loops over ranges can start in the middle.
    pub(super) fn keep_states(&mut self, attr: &Attribute, states: Expr, stmts: &mut [Stmt]) {
        if let Some(Stmt::Expr(last)) = stmts.last_mut()
            && let ExprKind::For { head, body, .. } = &mut last.kind
            && let Iterable::Range { adapters, .. } = &mut **head
            && adapters.is_empty()
        {
            adapters.push(Adapter::Checkpoint(Box::new(states)));
            body.walk(&mut |expr| self.errors.push_all(printed(expr)));
            return;
        }
        self.errors.push(error(
            Whole(attr),
            "`#[checkpoint]` is only supported on a loop over a range without adapters",
            RANGE,
        ));
    }

    /// A loop that isn't a `for` has no trips that are known when it begins.
    pub(super) fn refuse_checkpoint(&mut self, attrs: &[Attribute]) {
        if let Some(attr) = attrs.iter().find(|attr| is_checkpoint(attr)) {
            self.errors.push(error(
                Whole(attr),
                "`#[checkpoint]` is only supported on `for`",
                RANGE,
            ));
        }
    }
}

/// An error if it is a macro that prints.
fn printed(expr: &Expr) -> Option<syn::Error> {
    let ExprKind::Verbatim(verbatim) = &expr.kind else {
        return None;
    };
    let Code::Macro(mac) = &verbatim.code else {
        return None;
    };
    let name = last_name(&mac.path).unwrap_or_default();
    let prints = matches!(verbatim.outcome, Outcome::Unit) && !name.contains("assert");
    prints.then(|| {
        error(
            Whole(mac),
            format!("`{name}!` would print again where a loop with `#[checkpoint]` runs again"),
            "print before or after the loop",
        )
    })
}

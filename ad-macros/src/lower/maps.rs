//! `receiver.map(f)`: what it is, once types are known. Runs first.
//!
//! ```text
//! Input:  array.map(f)
//! Output: collect of a loop over the elements, with the closure's body
//! ```
//!
//! Any other `map` is a method like others. What nothing mentions any more goes.

use std::collections::HashSet;

use crate::hir::{Elements, Expr, ExprKind, Func, Head, Var, drop_unused};
use crate::types::{Type, Types};

pub(super) fn resolve(func: &mut Func, types: &mut Types) {
    let droppable = std::mem::take(&mut func.droppable);
    func.body
        .each_expr_mut(&mut |expr| inside(expr, types, &droppable));
    drop_unused(&mut func.body, &droppable);
}

fn inside(expr: &mut Expr, types: &mut Types, droppable: &HashSet<Var>) {
    expr.each_child_mut(&mut |child| inside(child, types, droppable));
    if !matches!(expr.kind, ExprKind::Map { .. }) {
        return;
    }
    let ExprKind::Map { method, pat, body } = std::mem::replace(&mut expr.kind, ExprKind::Unit)
    else {
        crate::diagnostics::bug!("not a `map`")
    };
    let own = types.expr(method.receiver.id).peeled().clone();
    expr.kind = if matches!(own, Type::Array(..)) {
        // Behind a reference, `map` takes a copy.
        let (span, source) = (method.receiver.span, None);
        let kind = match types.expr(method.receiver.id) {
            Type::Ref(..) => ExprKind::Deref(Box::new(method.receiver)),
            _ => method.receiver.kind,
        };
        let id = types.new_expr(own);
        let of = Expr {
            id,
            kind,
            span,
            source,
        };
        let head = Head::Elements {
            of: Box::new(of),
            access: Elements::Own,
        };
        let head = Box::new(head);
        // The source calls closures that may be gone.
        if mentions_any(&method.f, droppable) {
            expr.source = None;
        }
        ExprKind::Collect { pat, head, body }
    } else {
        ExprKind::Method {
            receiver: Box::new(method.receiver),
            name: method.name,
            turbofish: None,
            args: vec![method.f],
        }
    };
}

fn mentions_any(expr: &Expr, vars: &HashSet<Var>) -> bool {
    let mut found = false;
    expr.walk(&mut |e| match &e.kind {
        ExprKind::Var(var) => found |= vars.contains(var),
        ExprKind::Verbatim(code) => found |= code.mentions.iter().any(|m| vars.contains(&m.var)),
        _ => {}
    });
    found
}

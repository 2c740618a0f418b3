//! Where control goes from an expression.

use crate::hir::{Block, Expr, ExprKind, Outcome, Scope, Stmt};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Exit {
    Return,
    Break(Scope),
    Continue(Scope),
}

/// The exits by which control may leave `expr`.
pub(super) fn leaving(expr: &Expr) -> Vec<Exit> {
    let mut found = Vec::new();
    collect(expr, &mut found);
    found
}

fn collect(expr: &Expr, found: &mut Vec<Exit>) {
    let mut add = |exit| {
        if !found.contains(&exit) {
            found.push(exit);
        }
    };
    match &expr.kind {
        ExprKind::Return(_) => add(Exit::Return),
        ExprKind::Break(scope, _) => add(Exit::Break(*scope)),
        ExprKind::Continue(scope) => add(Exit::Continue(*scope)),
        _ => {}
    }
    expr.each_child(&mut |child| collect(child, found));
    // Exits that a loop or block catches don't leave it; no scope is named from outside of it.
    let own = match &expr.kind {
        ExprKind::For { scope, .. }
        | ExprKind::Loop { scope, .. }
        | ExprKind::Block(_, Some(scope)) => *scope,
        _ => return,
    };
    found.retain(|exit| *exit != Exit::Break(own) && *exit != Exit::Continue(own));
}

/// Returns `true` if control never comes to the end of `expr`.
pub(super) fn always(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Return(_) | ExprKind::Break(..) | ExprKind::Continue(_) => true,
        ExprKind::If {
            then,
            other: Some(other),
            ..
        } => always_block(then) && always_block(other),
        ExprKind::Block(block, None) => always_block(block),
        ExprKind::Loop { scope, body, .. } => {
            !body.any(&mut |e| matches!(&e.kind, ExprKind::Break(target, _) if target == scope))
        }
        ExprKind::Verbatim(verbatim) => verbatim.outcome == Outcome::Never,
        _ => false,
    }
}

pub(super) fn always_block(block: &Block) -> bool {
    block.stmts.iter().any(|stmt| match stmt {
        Stmt::Expr(expr) => always(expr),
        Stmt::Let(stmt) => stmt.init.as_ref().is_some_and(always),
    }) || block.value.as_deref().is_some_and(always)
}

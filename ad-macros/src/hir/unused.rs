//! Removes definitions of inlined code, except those that verbatim code mentions.

use std::collections::HashSet;

use super::{Block, Expr, ExprKind, Part, Pat, Stmt, Var};

/// Removes the definitions that nothing mentions any more.
pub(crate) fn drop_unused(body: &mut Block, droppable: &HashSet<Var>) {
    loop {
        let mut used = HashSet::new();
        body.walk(&mut |expr| match &expr.kind {
            ExprKind::Var(var) => {
                used.insert(*var);
            }
            ExprKind::Verbatim(code) => used.extend(code.mentions.iter().map(|m| m.var)),
            ExprKind::Apply(var, _) => {
                used.insert(*var);
            }
            _ => {}
        });
        let dead = |var: &Var| droppable.contains(var) && !used.contains(var);
        if !remove(body, &dead) {
            return;
        }
    }
}

fn remove(block: &mut Block, dead: &dyn Fn(&Var) -> bool) -> bool {
    let before = block.stmts.len();
    block.stmts.retain(|stmt| match stmt {
        Stmt::Let(stmt) => !matches!(&stmt.pat, Pat::Bind { var, .. } if dead(var)),
        Stmt::Expr(_) => true,
    });
    let mut removed = block.stmts.len() != before;
    block.each_expr_mut(&mut |expr| removed |= remove_in(expr, dead));
    removed
}

fn remove_in(expr: &mut Expr, dead: &dyn Fn(&Var) -> bool) -> bool {
    let mut removed = false;
    expr.each_part_mut(&mut |part| {
        removed |= match part {
            Part::Expr(child) => remove_in(child, dead),
            Part::Block(block) => remove(block, dead),
        };
    });
    if removed {
        // As it was written it still has the definition, and names its captures.
        expr.source = None;
    }
    removed
}

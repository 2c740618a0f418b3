//! Uses of the items in a loop's body.

use std::collections::HashSet;

use super::{Block, ExprKind, Iterable, Pat, Stmt, Var};

/// Returns `true` if something that a pattern binds, or a part of it, is dereferenced.
pub(crate) fn is_dereferenced(pat: &Pat, body: &Block) -> bool {
    let mut items: HashSet<Var> = HashSet::new();
    pat.each_var(&mut |var| items.extend([var]));
    let mut found = false;
    body.each_block(&mut |block| {
        for stmt in &block.stmts {
            if let Stmt::Let(stmt) = stmt
                && let Some(ExprKind::Var(init)) = stmt.init.as_ref().map(|init| &init.kind)
                && items.contains(init)
            {
                stmt.pat.each_var(&mut |var| items.extend([var]));
            }
        }
        block.walk(&mut |expr| match &expr.kind {
            ExprKind::For { pat, head, .. } => {
                if let Iterable::Elements { of, .. } = &**head
                    && of.root().is_some_and(|root| items.contains(&root))
                {
                    pat.each_var(&mut |var| items.extend([var]));
                }
            }
            ExprKind::Deref(inner) => {
                found |= matches!(inner.kind, ExprKind::Var(var) if items.contains(&var));
            }
            _ => {}
        });
    });
    found
}

/// Returns `true` if the items are taken apart as references: `for &v in list`, or `let &v = item;`.
pub(crate) fn is_taken_as_reference(pat: &Pat, body: &Block) -> bool {
    let mut found = matches!(pat, Pat::Ref(_));
    let mut items: HashSet<Var> = HashSet::new();
    pat.each_var(&mut |var| items.extend([var]));
    body.each_block(&mut |block| {
        found |= block.stmts.iter().any(|stmt| match stmt {
            Stmt::Let(stmt) => {
                let init = stmt.init.as_ref().map(|init| &init.kind);
                matches!(stmt.pat, Pat::Ref(_))
                    && matches!(init, Some(ExprKind::Var(var)) if items.contains(var))
            }
            Stmt::Expr(_) => false,
        });
    });
    found
}

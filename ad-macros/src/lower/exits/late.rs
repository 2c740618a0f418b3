//! `let v; if c { v = a; } else { v = b; }` for variables that aren't scalars, which can't be undefined.
//!
//! ```text
//! Input:  let v; if c { s; v = a; } else { v = b; }
//! Output: let v = if c { s; a } else { b };
//! ```

use crate::hir::{Block, Expr, ExprKind, Func, Pat, Stmt, Var};
use crate::types::{Type, Types};

pub(super) fn rewrite(func: &mut Func, types: &mut Types) {
    block(&mut func.body, types);
}

fn block(b: &mut Block, types: &mut Types) {
    let mut k = 0;
    while k < b.stmts.len() {
        if let Some(var) = declared(&b.stmts[k])
            && !types.var(var).is_scalar()
            && let Some(at) = (k + 1..b.stmts.len()).find(|j| mentions(&b.stmts[*j], var))
            && let Stmt::Expr(expr) = &b.stmts[at]
            && let Some(init) = initial(expr, var, types)
        {
            let pat = Pat::name(var);
            let span = init.span;
            b.stmts[at] = Stmt::bind(pat, init, span);
            b.stmts.remove(k);
            continue;
        }
        k += 1;
    }
    b.each_expr_mut(&mut |expr| inside(expr, types));
}

fn inside(expr: &mut Expr, types: &mut Types) {
    match &mut expr.kind {
        ExprKind::If { cond, then, other } => {
            inside(cond, types);
            block(then, types);
            if let Some(other) = other {
                block(other, types);
            }
        }
        ExprKind::Block(inner, _) | ExprKind::Loop { body: inner, .. } => block(inner, types),
        ExprKind::For { head, body, .. } => {
            head.each_expr_mut(&mut |e| inside(e, types));
            block(body, types);
        }
        _ => expr.each_child_mut(&mut |child| inside(child, types)),
    }
}

fn declared(stmt: &Stmt) -> Option<Var> {
    match stmt {
        Stmt::Let(stmt) if stmt.init.is_none() => match stmt.pat {
            Pat::Bind { var, .. } => Some(var),
            _ => None,
        },
        _ => None,
    }
}

fn mentions(stmt: &Stmt, var: Var) -> bool {
    let mut found = false;
    let mut look = |expr: &Expr| {
        expr.walk(&mut |e| match &e.kind {
            ExprKind::Var(other) => found |= *other == var,
            ExprKind::Verbatim(code) => found |= code.mentions.iter().any(|m| m.var == var),
            _ => {}
        });
    };
    match stmt {
        Stmt::Expr(expr) => look(expr),
        Stmt::Let(stmt) => stmt.init.iter().for_each(look),
    }
    found
}

/// The value that a statement gives to `var`, which is the last thing that it does.
fn initial(expr: &Expr, var: Var, types: &mut Types) -> Option<Expr> {
    match &expr.kind {
        ExprKind::Assign(place, value) if matches!(place.kind, ExprKind::Var(v) if v == var) => {
            Some((**value).clone())
        }
        ExprKind::If {
            cond,
            then,
            other: Some(other),
        } => {
            let (then, other) = (valued(then, var, types)?, valued(other, var, types)?);
            let kind = ExprKind::If {
                cond: cond.clone(),
                then,
                other: Some(other),
            };
            let ty = types.var(var).clone();
            Some(Expr {
                id: types.new_expr(ty),
                kind,
                span: expr.span,
                source: None,
            })
        }
        ExprKind::Block(inner, None) => {
            let inner = valued(inner, var, types)?;
            let ty = types.var(var).clone();
            let kind = ExprKind::Block(inner, None);
            Some(Expr {
                id: types.new_expr(ty),
                kind,
                span: expr.span,
                source: None,
            })
        }
        _ => None,
    }
}

fn valued(b: &Block, var: Var, types: &mut Types) -> Option<Block> {
    let mut b = b.clone();
    let last = match b.value.take() {
        Some(value) => *value,
        None => match b.stmts.pop()? {
            Stmt::Expr(expr) => expr,
            Stmt::Let(_) => return None,
        },
    };
    if b.stmts.iter().any(|stmt| mentions(stmt, var)) {
        return None;
    }
    let value = match types.expr(last.id) {
        Type::Never => last,
        _ => initial(&last, var, types)?,
    };
    b.value = Some(Box::new(value));
    Some(b)
}

//! `let v; if c { v = a; } else { v = b; }` for variables that aren't scalars, which can't be undefined.
//!
//! ```text
//! Input:  let v; if c { s; v = a; t } else { v = b; }
//! Output: let v = if c { s; let w = a; t; w } else { b };
//! ```
//!
//! Where an assignment isn't found on every path, the declaration stays as it is, and lowering reports it.

use super::super::hir_builder::HirBuilder;
use crate::hir::{Block, Expr, ExprKind, Func, Part, Pat, Stmt, Var, VarData, index};
use crate::types::{Type, Types};

pub(super) fn rewrite(func: &mut Func, types: &mut Types) {
    let mut body = func.take_body();
    let make = HirBuilder { func, types };
    Late { make }.block(&mut body);
    func.body = body;
}

struct Late<'a> {
    make: HirBuilder<'a>,
}

impl Late<'_> {
    fn block(&mut self, block: &mut Block) {
        let mut k = 0;
        while k < block.stmts.len() {
            if let Some(var) = block.stmts[k].declared()
                && !self.make.types.var(var).is_scalar()
                && let Some(at) =
                    (k + 1..block.stmts.len()).find(|j| mentions(&block.stmts[*j], var))
                && let Stmt::Expr(expr) = &block.stmts[at]
                && let Some(init) = self.initial(expr, var)
            {
                let span = init.span;
                block.stmts[at] = Stmt::bind(Pat::name(var), init, span);
                block.stmts.remove(k);
                continue;
            }
            k += 1;
        }
        block.each_expr_mut(&mut |expr| self.rewrite_expr(expr));
    }

    fn rewrite_expr(&mut self, expr: &mut Expr) {
        expr.each_part_mut(&mut |part| match part {
            Part::Expr(child) => self.rewrite_expr(child),
            Part::Block(block) => self.block(block),
        });
    }

    /// The expression that computes the first value of `var`, and has all effects of `expr`.
    fn initial(&mut self, expr: &Expr, var: Var) -> Option<Expr> {
        let kind = match &expr.kind {
            ExprKind::Assign(place, value) if matches!(place.kind, ExprKind::Var(v) if v == var) => {
                return Some((**value).clone());
            }
            ExprKind::If {
                cond,
                then,
                other: Some(other),
            } => {
                let (then, other) = (self.valued(then, var)?, self.valued(other, var)?);
                ExprKind::If {
                    cond: cond.clone(),
                    then,
                    other: Some(other),
                }
            }
            ExprKind::Block(inner, None) => ExprKind::Block(self.valued(inner, var)?, None),
            _ => return None,
        };
        let ty = self.make.types.var(var).clone();
        Some(self.make.node(kind, ty, expr.span))
    }

    /// A block that ends with the value that it used to assign.
    fn valued(&mut self, block: &Block, var: Var) -> Option<Block> {
        let mut block = block.clone();
        let value = block.value.take();
        block.stmts.extend(value.map(|value| Stmt::Expr(*value)));
        let Some(at) = block.stmts.iter().position(|stmt| mentions(stmt, var)) else {
            // A block that never comes to its end needs no value.
            let Some(Stmt::Expr(last)) = block.stmts.pop() else {
                return None;
            };
            let never = matches!(self.make.types.expr(last.id), Type::Never);
            block.value = Some(Box::new(last));
            return never.then_some(block);
        };
        let Stmt::Expr(expr) = &block.stmts[at] else {
            return None;
        };
        let init = self.initial(expr, var)?;
        if at + 1 == block.stmts.len() {
            block.stmts.pop();
            block.value = Some(Box::new(init));
            return Some(block);
        }
        // The value waits in a variable of its own while the rest of the block runs.
        let rest = block.stmts.split_off(at + 1);
        block.stmts.pop();
        let data = VarData {
            synthetic: true,
            ..self.make.func.var(var).clone()
        };
        self.make.func.vars.push(data);
        let waiting = Var(index(self.make.func.vars.len() - 1));
        self.make.types.new_var(self.make.types.var(var).clone());
        let span = init.span;
        block.stmts.push(Stmt::bind(Pat::name(waiting), init, span));
        for mut stmt in rest {
            rename(&mut stmt, var, waiting)?;
            block.stmts.push(stmt);
        }
        block.value = Some(Box::new(self.make.read(waiting, span)));
        Some(block)
    }
}

fn mentions(stmt: &Stmt, var: Var) -> bool {
    let look = |expr: &Expr| {
        expr.any(&mut |e| match &e.kind {
            ExprKind::Var(other) => *other == var,
            ExprKind::Verbatim(code) => code.mentions.iter().any(|m| m.var == var),
            _ => false,
        })
    };
    match stmt {
        Stmt::Expr(expr) => look(expr),
        Stmt::Let(stmt) => stmt.init.iter().any(look),
    }
}

/// Replaces a variable; `None` if verbatim code mentions it, which has only the name.
fn rename(stmt: &mut Stmt, from: Var, to: Var) -> Option<()> {
    fn expr(e: &mut Expr, from: Var, to: Var, verbatim: &mut bool) {
        match &mut e.kind {
            ExprKind::Var(var) if *var == from => *var = to,
            ExprKind::Verbatim(code) => {
                *verbatim |= code.mentions.iter().any(|mention| mention.var == from);
            }
            _ => {}
        }
        e.each_child_mut(&mut |child| expr(child, from, to, verbatim));
    }
    let mut verbatim = false;
    match stmt {
        Stmt::Expr(e) => expr(e, from, to, &mut verbatim),
        Stmt::Let(stmt) => {
            if let Some(init) = &mut stmt.init {
                expr(init, from, to, &mut verbatim);
            }
        }
    }
    (!verbatim).then_some(())
}

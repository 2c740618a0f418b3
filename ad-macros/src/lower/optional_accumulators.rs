//! Items that the ends of chains keep (`max_by`, `reduce`, `last`, ...). One that is no scalar can't be undefined before the first item.
//!
//! ```text
//! Input:  let mut best; for item in chain { if !some || is_better(&best, &item) { best = item; } }
//! Output: let mut best = None; for item in chain { if !some { best = Some(item); } else {
//!             let Some(now) = &best; if is_better(now, &item) { best = Some(item); } } }
//! ```
//!
//! The first item comes first in the text, too: it tells rustc the type. Of an item that is a reference a copy is kept.

use std::collections::HashMap;

use proc_macro2::Span;

use super::hir_builder::{HirBuilder, variant};
use super::maps::some;
use crate::hir::{Block, Expr, ExprKind, Func, Logic, Part, Pat, Stmt, Var};
use crate::types::{Type, Types, is_comparison};

pub(super) fn rewrite(func: &mut Func, types: &mut Types) {
    let mut found = HashMap::new();
    func.body.each_block(&mut |block| {
        for stmt in &block.stmts {
            if let Some(var) = stmt.declared()
                && func.vars[var.0 as usize].synthetic
                && !matches!(types.var(var), Type::Ref(true, _))
                && !types.var(var).is_scalar()
            {
                let ty = types.var(var).peeled().clone();
                found.insert(var, matches!(types.var(var), Type::Ref(..)));
                types.set_var(var, ty);
            }
        }
    });
    if found.is_empty() {
        return;
    }
    let mut body = func.take_body();
    let maker = HirBuilder { func, types };
    let mut keeper = Keeper { maker, found };
    keeper.block(&mut body);
    for var in keeper.found.keys() {
        let ty = keeper.maker.types.var(*var).clone();
        keeper.maker.types.set_var(*var, Type::Option(ty.into()));
    }
    func.body = body;
}

struct Keeper<'a> {
    maker: HirBuilder<'a>,
    /// Variables that keep items, until the end under the types of these; whether the items are references to that.
    found: HashMap<Var, bool>,
}

impl Keeper<'_> {
    fn type_of(&self, var: Var) -> Type {
        self.maker.types.var(var).clone()
    }

    fn whole(&mut self, var: Var, span: Span) -> Expr {
        let ty = Type::Option(self.type_of(var).into());
        self.maker.node(ExprKind::Var(var), ty, span)
    }

    fn block(&mut self, block: &mut Block) {
        let mut k = 0;
        while k < block.stmts.len() {
            if let Some((var, copy)) = self.read_by(&block.stmts[k]) {
                let by_ref = self.found[&var];
                let lent = !by_ref && is_lent(copy, &block.stmts[k + 1..], block.value.as_deref());
                if lent {
                    let ty = Type::Ref(false, self.type_of(copy).into());
                    self.maker.types.set_var(copy, ty);
                }
                block.stmts[k] = self.bound(var, copy, lent || by_ref);
                if lent {
                    let mut rest = |expr: &mut Expr| self.lend(expr, copy);
                    block.stmts[k + 1..]
                        .iter_mut()
                        .for_each(|stmt| each_in(stmt, &mut rest));
                    block.value.iter_mut().for_each(|value| rest(value));
                }
            } else if let Some(var) = block.stmts[k]
                .declared()
                .filter(|var| self.found.contains_key(var))
                && let Stmt::Let(stmt) = &mut block.stmts[k]
            {
                let ty = Type::Option(self.type_of(var).into());
                let none = syn::parse_quote!(::core::option::Option::None);
                stmt.init = Some(self.maker.node(ExprKind::Path(none), ty, stmt.span));
            } else {
                each_in(&mut block.stmts[k], &mut |expr| self.rewrite_expr(expr));
            }
            k += 1;
        }
        if let Some(value) = &mut block.value {
            self.rewrite_expr(value);
        }
    }

    /// `let copy = var;`.
    fn read_by(&self, stmt: &Stmt) -> Option<(Var, Var)> {
        let Stmt::Let(stmt) = stmt else { return None };
        match (&stmt.pat, stmt.init.as_ref().map(|init| &init.kind)) {
            (
                Pat::Bind {
                    var: copy,
                    by_ref: None,
                },
                Some(ExprKind::Var(var)),
            ) if self.found.contains_key(var) => Some((*var, *copy)),
            _ => None,
        }
    }

    /// `let Some(copy) = var;`, or of a reference to it.
    fn bound(&mut self, var: Var, copy: Var, lent: bool) -> Stmt {
        let span = self.maker.func.vars[var.0 as usize].ident.span();
        let mut whole = self.whole(var, span);
        if lent {
            let ty = Type::Ref(false, self.maker.types.expr(whole.id).clone().into());
            whole = self
                .maker
                .node(ExprKind::Ref(false, Box::new(whole)), ty, span);
        }
        Stmt::bind(variant(some(), Pat::name(copy)), whole, span)
    }

    /// `&copy` is `copy`, which is a reference now, and `copy` is `*copy`.
    fn lend(&mut self, expr: &mut Expr, copy: Var) {
        let is = |e: &Expr| matches!(e.kind, ExprKind::Var(var) if var == copy);
        match &mut expr.kind {
            ExprKind::Ref(false, inner) if is(inner) => expr.kind = ExprKind::Var(copy),
            ExprKind::Var(var) if *var == copy => {
                let ty = self.type_of(copy);
                let inner = self.maker.node(ExprKind::Var(copy), ty, expr.span);
                expr.kind = ExprKind::Deref(Box::new(inner));
            }
            _ => expr.each_child_mut(&mut |child| self.lend(child, copy)),
        }
    }

    fn rewrite_expr(&mut self, expr: &mut Expr) {
        let span = expr.span;
        match &mut expr.kind {
            ExprKind::Var(var) if self.found.contains_key(var) => {
                // Input:  best
                // Output: { let Some(value) = best; value }
                let (var, by_ref) = (*var, self.found[var]);
                let mut ty = self.type_of(var);
                if by_ref {
                    ty = Type::Ref(false, ty.into());
                }
                let value = self.maker.variable("value", ty, false, span);
                let stmts = vec![self.bound(var, value, by_ref)];
                let read = self.maker.read(value, span);
                expr.kind = ExprKind::Block(Block::with_value(stmts, read, span), None);
            }
            ExprKind::Assign(place, value) => {
                self.rewrite_expr(value);
                let ExprKind::Var(var) = place.kind else {
                    return self.rewrite_expr(place);
                };
                if !self.found.contains_key(&var) {
                    return;
                }
                **place = self.whole(var, span);
                let unit = self.maker.unit(span);
                let mut item = std::mem::replace(&mut **value, unit);
                if self.found[&var] {
                    item = self.maker.owned(item);
                }
                let ty = Type::Option(self.type_of(var).into());
                let some = ExprKind::variant(some(), item);
                **value = self.maker.node(some, ty, span);
            }
            ExprKind::If { cond, then, other } => {
                self.first_item_first(cond, then, other);
                self.rewrite_expr(cond);
                self.block(then);
                other.iter_mut().for_each(|other| self.block(other));
            }
            _ => expr.each_part_mut(&mut |part| match part {
                Part::Expr(child) => self.rewrite_expr(child),
                Part::Block(block) => self.block(block),
            }),
        }
    }

    /// ```text
    /// Input:  if !some || better { best = item; }
    /// Output: if !some { best = item; } else { if better { best = item; } }
    /// ```
    ///
    /// ```text
    /// Input:  if some { acc = f(acc, item); } else { acc = item; }
    /// Output: if !some { acc = item; } else { acc = f(acc, item); }
    /// ```
    fn first_item_first(&mut self, cond: &mut Expr, then: &mut Block, other: &mut Option<Block>) {
        let span = cond.span;
        let reads = |block: &Block| {
            let mut found = false;
            block.each_expr(&mut |expr| found |= self.reads(expr));
            found
        };
        match (&mut cond.kind, &*other) {
            (ExprKind::Logic(Logic::Or, first, better), None) if self.reads(better) => {
                let kind = ExprKind::If {
                    cond: better.clone(),
                    then: then.clone(),
                    other: None,
                };
                let first = (**first).clone();
                *cond = first;
                let again = self.maker.node(kind, Type::Unit, span);
                *other = Some(Block::statements(vec![Stmt::Expr(again)], span));
            }
            (_, Some(first)) if reads(then) && !reads(first) => {
                let unit = self.maker.unit(span);
                let flag = std::mem::replace(cond, unit);
                *cond = self.maker.node(ExprKind::not(flag), Type::Bool, span);
                if let Some(other) = other {
                    std::mem::swap(then, other);
                }
            }
            _ => {}
        }
    }

    /// Returns `true` if an expression reads a kept item.
    fn reads(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Var(var) => self.found.contains_key(var),
            ExprKind::Assign(place, value) if matches!(place.kind, ExprKind::Var(_)) => {
                self.reads(value)
            }
            _ => expr.any_child(&mut |child| self.reads(child)),
        }
    }
}

/// Calls `f` on the expression of a statement.
fn each_in(stmt: &mut Stmt, f: &mut dyn FnMut(&mut Expr)) {
    match stmt {
        Stmt::Expr(expr) => f(expr),
        Stmt::Let(stmt) => stmt.init.iter_mut().for_each(f),
    }
}

/// Returns `true` if all uses of a copy are possible with a reference: it is borrowed or compared.
fn is_lent(copy: Var, rest: &[Stmt], value: Option<&Expr>) -> bool {
    let mut total = 0;
    let mut lent = 0;
    let mut count = |expr: &Expr| {
        expr.walk(&mut |e| {
            let is = |e: &Expr| usize::from(matches!(e.kind, ExprKind::Var(var) if var == copy));
            total += is(e);
            match &e.kind {
                ExprKind::Ref(false, inner) => lent += is(inner),
                ExprKind::Binary(op, a, b) if is_comparison(*op) => lent += is(a) + is(b),
                _ => {}
            }
        });
    };
    for stmt in rest {
        match stmt {
            Stmt::Expr(expr) => count(expr),
            Stmt::Let(stmt) => stmt.init.iter().for_each(&mut count),
        }
    }
    value.into_iter().for_each(count);
    total == lent
}

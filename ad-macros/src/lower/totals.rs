//! `sum()` and `product()` of values of the user's own types, whose `impl` of `Sum` or `Product` has rules.
//!
//! ```text
//! Input:  let mut sum = <neutral>; for item in chain { sum += item; } sum
//! Output: let mut sum = vec![]; for item in chain { sum.push(item); } V3::__sum(&sum)
//! ```

use std::collections::HashMap;

use super::hir_builder::HirBuilder;
use crate::hir::{Block, Expr, ExprKind, Func, Let, Part, Pat, Stmt, Var};
use crate::ir::BinaryOp;
use crate::types::{Type, Types};

pub(super) fn rewrite(func: &mut Func, types: &mut Types) {
    let totals = totals(func, types);
    if totals.is_empty() {
        return;
    }
    for (var, total) in &totals {
        types.set_var(*var, total.list());
    }
    let mut body = func.take_body();
    let maker = HirBuilder { func, types };
    Rewriter { maker, totals }.block(&mut body);
    func.body = body;
}

/// A variable that holds a total.
struct Total {
    of: Type,
    function: syn::ExprPath,
}

impl Total {
    fn list(&self) -> Type {
        Type::Vec(self.of.clone().into())
    }
}

fn totals(func: &Func, types: &Types) -> HashMap<Var, Total> {
    let mut started: HashMap<Var, BinaryOp> = HashMap::new();
    func.body.each_block(&mut |block| {
        for stmt in &block.stmts {
            if let Stmt::Let(declared) = stmt
                && let Some(var) = variable(declared)
                && let Some(init) = &declared.init
                && let ExprKind::Neutral(op) = init.kind
            {
                started.insert(var, op);
            }
        }
    });
    let mut totals = HashMap::new();
    func.body.walk(&mut |expr| {
        // The parser clones each item.
        if let ExprKind::AssignOp(_, place, item) = &expr.kind
            && let ExprKind::Var(var) = place.kind
            && let Some(op) = started.get(&var)
            && let of @ Type::Named(ty) = types.var(var)
            && let syn::Type::Path(path) = func.named(ty)
            && let Some(own) = path.path.get_ident()
            && let ExprKind::Method { receiver, .. } = &item.kind
        {
            let item = types.expr(receiver.id);
            let is_own = match item.peeled() {
                Type::Named(item) => func.named(item) == func.named(ty),
                item => matches!(item, Type::Deferred),
            };
            let by_ref = matches!(item, Type::Ref(..));
            let function = func.siblings.total(*op, &own.to_string(), by_ref);
            let function = function.filter(|_| is_own);
            if let Some(function) = function {
                let (of, function) = (of.clone(), syn::parse_quote!(#own::#function));
                totals.insert(var, Total { of, function });
            }
        }
    });
    totals
}

/// The variable that a statement declares, if it declares one only.
fn variable(declared: &Let) -> Option<Var> {
    match declared.pat {
        Pat::Bind { var, .. } => Some(var),
        _ => None,
    }
}

struct Rewriter<'a> {
    maker: HirBuilder<'a>,
    totals: HashMap<Var, Total>,
}

impl Rewriter<'_> {
    fn block(&mut self, block: &mut Block) {
        for stmt in &mut block.stmts {
            match stmt {
                Stmt::Let(declared) => self.declaration(declared),
                Stmt::Expr(expr) => self.expr(expr),
            }
        }
        block.value.iter_mut().for_each(|value| self.expr(value));
    }

    fn declaration(&mut self, declared: &mut Let) {
        match variable(declared).and_then(|var| self.totals.get(&var)) {
            Some(total) => {
                let empty = ExprKind::empty_list();
                let init = self.maker.node(empty, total.list(), declared.span);
                (declared.ty, declared.init) = (None, Some(init));
            }
            None => declared.init.iter_mut().for_each(|init| self.expr(init)),
        }
    }

    fn expr(&mut self, expr: &mut Expr) {
        match &mut expr.kind {
            ExprKind::AssignOp(_, place, item) if matches!(&place.kind, ExprKind::Var(var) if self.totals.contains_key(var)) =>
            {
                self.expr(item);
                let unit = self.maker.unit(expr.span);
                let mut item = std::mem::replace(&mut **item, unit);
                // Only a reference has to be cloned to be pushed.
                if let ExprKind::Method { receiver, .. } = &mut item.kind
                    && !matches!(self.maker.types.expr(receiver.id), Type::Ref(..))
                {
                    let unit = self.maker.unit(expr.span);
                    item = std::mem::replace(&mut **receiver, unit);
                }
                let unit = self.maker.unit(expr.span);
                let list = std::mem::replace(&mut **place, unit);
                if let ExprKind::Var(var) = list.kind {
                    let list = self.maker.read(var, expr.span);
                    *expr = (self.maker).method(list, "push", vec![item], Type::Unit, expr.span);
                }
            }
            ExprKind::Var(var) => {
                if let Some(Total { of, function }) = self.totals.get(var) {
                    let (of, path) = (of.clone(), function.clone());
                    let list = self.maker.read(*var, expr.span);
                    let ty = Type::Ref(false, self.maker.types.expr(list.id).clone().into());
                    let list = ExprKind::Ref(false, Box::new(list));
                    let args = vec![self.maker.node(list, ty, expr.span)];
                    *expr = (self.maker).node(ExprKind::Call { path, args }, of, expr.span);
                }
            }
            _ => expr.each_part_mut(&mut |part| match part {
                Part::Expr(expr) => self.expr(expr),
                Part::Block(block) => self.block(block),
            }),
        }
    }
}

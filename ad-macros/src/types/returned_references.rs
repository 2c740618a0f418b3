//! The result of a method is a `&mut` if it is written through: any other variable that is written to would be declared `mut`. It
//! is assumed to be a reference if it is dereferenced, which rustc checks.

use std::collections::{HashMap, HashSet};

use super::infer::Infer;
use super::ty::Type;
use crate::hir::{
    self, Elements, Expr, ExprId, ExprKind, Iterable, Pat, Stmt, Var, is_dereferenced,
    is_taken_as_reference,
};
use crate::std_model::{LENDS, does, only_writes};

impl Infer<'_> {
    /// Assigns a type to one of these calls, if it has none yet.
    pub(super) fn settle_lent(&mut self) -> bool {
        let lent = std::mem::take(&mut self.lent);
        let mut calls: Vec<(ExprId, bool)> = lent.into_iter().collect();
        calls.sort_by_key(|(call, _)| call.0);
        let mut any = false;
        for (call, mutable) in calls {
            let ty = self.exprs[call.0 as usize].clone();
            if matches!(self.table.shallow(&ty), Type::Unknown(_)) {
                let part = Type::Ref(mutable, self.table.fresh().into());
                self.table.unify(&ty, &part);
                any = true;
            }
        }
        any
    }
}

/// The calls of methods that return references, and whether something is written through these.
pub(super) fn lent(func: &hir::Func) -> HashMap<ExprId, bool> {
    let mut lent: HashMap<ExprId, bool> = written_through(func)
        .into_iter()
        .map(|call| (call, true))
        .collect();
    let mut dereferenced = HashSet::new();
    let mut is_reference = |of: &Expr| {
        if let Some(call) = method(of) {
            lent.entry(call).or_insert(false);
        }
        if let ExprKind::Var(var) = of.kind {
            dereferenced.insert(var);
        }
    };
    func.body.walk(&mut |expr| {
        if let ExprKind::Deref(of) = &expr.kind {
            is_reference(of);
        }
        if let ExprKind::For {
            pat, head, body, ..
        }
        | ExprKind::Collect { pat, head, body } = &expr.kind
        {
            each_source(head, pat, &mut |of, item| {
                if is_dereferenced(item, body) || is_taken_as_reference(item, body) {
                    is_reference(of);
                }
            });
        }
    });
    each_statement(func, &mut |stmt| {
        if let Some(call) = given_to(stmt, &dereferenced) {
            lent.entry(call).or_insert(false);
        }
    });
    lent
}

/// Visits the sources of a loop whose items are taken as they are, with the pattern of these.
fn each_source<'h>(head: &'h Iterable, pat: &'h Pat, f: &mut dyn FnMut(&'h Expr, &'h Pat)) {
    match (head, pat) {
        (
            Iterable::Elements {
                of,
                access: Elements::Own,
            }
            | Iterable::Unknown(of),
            pat,
        ) => f(of, pat),
        (Iterable::Zip(a, b), Pat::Tuple { elems, rest: None }) if elems.len() == 2 => {
            each_source(a, &elems[0], f);
            each_source(b, &elems[1], f);
        }
        (Iterable::Enumerate(inner), Pat::Tuple { elems, rest: None }) if elems.len() == 2 => {
            each_source(inner, &elems[1], f);
        }
        (
            Iterable::Rev(inner)
            | Iterable::Skip(inner, _)
            | Iterable::Take(inner, _)
            | Iterable::StepBy(inner, _),
            pat,
        ) => each_source(inner, pat, f),
        _ => {}
    }
}

/// The method whose result one of these variables is initialised or assigned with.
fn given_to(stmt: &Stmt, vars: &HashSet<Var>) -> Option<ExprId> {
    match stmt {
        Stmt::Let(stmt) => match (&stmt.pat, &stmt.init) {
            (Pat::Bind { var, by_ref: None }, Some(init)) if vars.contains(var) => method(init),
            _ => None,
        },
        Stmt::Expr(_) => None,
    }
}

/// The calls of methods through whose results something is written.
fn written_through(func: &hir::Func) -> HashSet<ExprId> {
    let (mut found, vars) = written_to(func);
    each_statement(func, &mut |stmt| found.extend(given_to(stmt, &vars)));
    found
}

/// The calls of methods, and the variables that aren't `mut`, to a part of which something is written.
pub(super) fn written_to(func: &hir::Func) -> (HashSet<ExprId>, HashSet<Var>) {
    let mut found = HashSet::new();
    let mut vars = HashSet::new();
    func.body.walk(&mut |expr| match &expr.kind {
        ExprKind::Assign(place, _) | ExprKind::AssignOp(_, place, _) => {
            written(place, func, &mut found, &mut vars);
        }
        ExprKind::For { head, .. } | ExprKind::Collect { head, .. } => {
            mutable_sources(head, &mut |of| {
                found.extend(method(of));
                vars.extend(of.root().filter(|var| !func.var(*var).mutable));
            });
        }
        _ => {}
    });
    each_statement(func, &mut |stmt| {
        if let Stmt::Expr(Expr {
            kind: ExprKind::Method { receiver, name, .. },
            ..
        }) = stmt
            && only_writes(&name.to_string())
        {
            found.extend(method(receiver));
            vars.extend(receiver.root().filter(|var| !func.var(*var).mutable));
        }
    });
    (found, vars)
}

fn each_statement<'f>(func: &'f hir::Func, f: &mut dyn FnMut(&'f Stmt)) {
    func.body
        .each_block(&mut |block| block.stmts.iter().for_each(&mut *f));
}

/// Collects the calls, and the variables that aren't `mut`, at the start of the path to an assigned place.
fn written(place: &Expr, func: &hir::Func, found: &mut HashSet<ExprId>, vars: &mut HashSet<Var>) {
    match &place.kind {
        ExprKind::Field(base, _) | ExprKind::Index(base, _) | ExprKind::Deref(base) => {
            match base.kind {
                ExprKind::Var(var) if !func.var(var).mutable => {
                    vars.insert(var);
                }
                _ => {
                    found.extend(method(base));
                    written(base, func, found, vars);
                }
            }
        }
        _ => {}
    }
}

fn mutable_sources<'h>(head: &'h Iterable, f: &mut dyn FnMut(&'h Expr)) {
    head.each_source(&mut |source| {
        if let Iterable::Elements {
            of,
            access: Elements::Mut,
        }
        | Iterable::Chunks {
            of, mutable: true, ..
        } = source
        {
            f(of);
        }
    });
}

fn method(expr: &Expr) -> Option<ExprId> {
    match &expr.kind {
        ExprKind::Method { name, .. } if !does(&name.to_string(), LENDS) => Some(expr.id),
        _ => None,
    }
}

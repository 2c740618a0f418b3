//! Loops over constant iterators of types that only rustc can resolve: they are stepped, as the primal does.
//!
//! ```text
//! Input:  for (v, c) in x.iter().zip(text.chars()) { .. }
//! Output: let mut items = text.chars().into_iter();
//!         for v in x { let next = items.next(); if matches!(next, Some(_)) {} else { break } let Some(c) = next; .. }
//! ```
//!
//! An iterator of unknown type is a list or constant, and only after inference is it known which. A constant one is stepped in the loop, as
//! often and in the order that `zip` and `enumerate` do, since it may have no end, or share a generator of random numbers with later code.
//! Its items may be references, which no pullback holds (`SlotData::may_borrow`): values that are read from them are residuals. The result
//! of a differentiated call is taken for a list (`call_results_as_lists.rs`), which rustc checks.

use std::collections::HashSet;

use proc_macro2::{Ident, Span};

use super::activity::{self, Activity};
use super::hir_builder::{HirBuilder, variant};
use super::maps::some;
use crate::hir::{Block, Expr, ExprId, ExprKind, Func, Iterable, Pat, Scope, Stmt, Var, is_limit};
use crate::types::keyed::{keyed, part_of};
use crate::types::{Type, Types};

pub(super) fn rewrite(func: &mut Func, types: &mut Types) {
    let stepped = stepped(func, types);
    if stepped.is_empty() {
        return;
    }
    let mut body = func.take_body();
    let mut stepper = Stepper {
        maker: HirBuilder { func, types },
        stepped,
    };
    body.each_expr_mut(&mut |expr| stepper.rewrite_expr(expr));
    func.body = body;
}

/// The iterators that are stepped. Code that has nothing to do with derivatives stays as it is written.
fn stepped(func: &Func, types: &Types) -> HashSet<ExprId> {
    let mut found = HashSet::new();
    if func.body.any(&mut |expr| !unknown(expr, types).is_empty()) {
        let activity = activity::analyze(func, types);
        func.body
            .each_expr(&mut |expr| find(expr, &activity, types, &mut found));
    }
    found
}

fn find(expr: &Expr, activity: &Activity, types: &Types, found: &mut HashSet<ExprId>) {
    if expr.source.is_some() && !activity.touches(expr, types) && !leaves(expr) {
        return;
    }
    let constant = |of: &&Expr| of.source.is_some() && !activity.touches(of, types);
    let unknown = unknown(expr, types).into_iter().filter(constant);
    found.extend(unknown.map(|of| of.id));
    expr.each_child(&mut |child| find(child, activity, types, found));
}

/// Returns `true` if an expression leaves a loop, block or function around it.
fn leaves(expr: &Expr) -> bool {
    let (mut own, mut left) = (HashSet::new(), HashSet::new());
    let mut returns = false;
    expr.walk(&mut |expr| match &expr.kind {
        ExprKind::For { scope, .. }
        | ExprKind::Loop { scope, .. }
        | ExprKind::Block(_, Some(scope)) => own.extend([*scope]),
        ExprKind::Break(scope, _) | ExprKind::Continue(scope) => left.extend([*scope]),
        ExprKind::Return(_) => returns = true,
        _ => {}
    });
    returns || !left.is_subset(&own)
}

/// The iterators of unknown type that a loop runs over, if they stand where they can be stepped.
fn unknown<'h>(expr: &'h Expr, types: &Types) -> Vec<&'h Expr> {
    let mut unknown = Vec::new();
    match &expr.kind {
        ExprKind::For { head, .. } if is_understood(head, types, &mut unknown) => unknown,
        _ => Vec::new(),
    }
}

/// Returns `true` if all iterators of unknown type in a head can be stepped where they are. Adds these to `unknown`.
fn is_understood<'h>(head: &'h Iterable, types: &Types, unknown: &mut Vec<&'h Expr>) -> bool {
    match head {
        Iterable::Unknown(of) => {
            let map = part_of(of).is_some_and(|(map, _)| keyed(types.expr(map.id)).is_some());
            let views = matches!(types.expr(of.id), Type::Foreign(_));
            if !map && !views {
                unknown.push(of);
            }
            true
        }
        Iterable::Zip(a, b) => is_understood(a, types, unknown) && is_understood(b, types, unknown),
        Iterable::Enumerate(inner) => is_understood(inner, types, unknown),
        Iterable::Rev(inner)
        | Iterable::Skip(inner, _)
        | Iterable::Take(inner, _)
        | Iterable::StepBy(inner, _) => {
            let before = unknown.len();
            is_understood(inner, types, unknown) && unknown.len() == before
        }
        Iterable::Range { .. }
        | Iterable::Elements { .. }
        | Iterable::Chunks { .. }
        | Iterable::Count(_) => true,
    }
}

struct Stepper<'a> {
    maker: HirBuilder<'a>,
    stepped: HashSet<ExprId>,
}

/// The code for the iterators in a head.
#[derive(Default)]
struct Steps {
    /// Before the loop.
    before: Vec<Stmt>,
    /// At the start of its body.
    inside: Vec<Stmt>,
    /// The last bindings of each trip.
    bound: Vec<Stmt>,
    /// The variables that their items are bound to.
    items: HashSet<Var>,
    /// After a loop that something else ended, which comes later in the head.
    after: Vec<Stmt>,
    /// At last: ends the borrows of these iterators.
    dropped: Vec<Stmt>,
}

impl Stepper<'_> {
    fn rewrite_expr(&mut self, expr: &mut Expr) {
        expr.each_child_mut(&mut |child| self.rewrite_expr(child));
        if !matches!(&expr.kind, ExprKind::For { head, .. } if self.has_stepped(head)) {
            return;
        }
        let kind = std::mem::replace(&mut expr.kind, ExprKind::Unit);
        if let ExprKind::For {
            scope,
            pat,
            head,
            body,
            ..
        } = kind
        {
            expr.kind = self.stepping(scope, pat, *head, body, expr.span);
        }
    }

    fn has_stepped(&self, head: &Iterable) -> bool {
        let mut found = false;
        head.each_source(&mut |source| {
            found |= matches!(source, Iterable::Unknown(of) if self.stepped.contains(&of.id));
        });
        found
    }

    fn stepping(
        &mut self,
        scope: Scope,
        pat: Pat,
        head: Iterable,
        mut body: Block,
        span: Span,
    ) -> ExprKind {
        let mut steps = Steps::default();
        let counted = self.take(head, pat, scope, &mut steps);
        let inner = if steps.after.is_empty() {
            scope
        } else {
            self.maker.func.new_scope()
        };
        if inner != scope {
            body.each_expr_mut(&mut |expr| goes_on(expr, scope, inner));
        }
        self.forget_references(&body, &steps.items);
        let func = &*self.maker.func;
        let limits = body.stmts.iter().take_while(|stmt| is_limit(stmt, func));
        let rest = body.stmts.split_off(limits.count());
        let limits = std::mem::take(&mut body.stmts);
        let rest = self.taken_apart(rest, &steps.items);
        let bound = steps.bound.into_iter().rev();
        let taken = steps.inside.into_iter().chain(bound);
        let stmts = limits.into_iter().chain(taken).chain(rest);
        let body = Block {
            stmts: stmts.collect(),
            ..body
        };
        let run = match counted {
            Some((head, pat)) => ExprKind::run(inner, pat, head, body),
            None => ExprKind::endless(inner, body),
        };
        let run = self.maker.node(run, Type::Unit, span);
        let mut run = vec![Stmt::Expr(run)];
        if inner != scope {
            run.extend(steps.after);
            let run_through = ExprKind::Block(Block::statements(run, span), Some(scope));
            run = vec![Stmt::Expr(self.maker.node(run_through, Type::Unit, span))];
        }
        let stmts = steps.before.into_iter().chain(run).chain(steps.dropped);
        ExprKind::Block(Block::statements(stmts.collect(), span), None)
    }

    /// Forgets that items are references, as their uses suggested. They are items of the iterator, and only rustc can resolve their type.
    fn forget_references(&mut self, body: &Block, items: &HashSet<Var>) {
        let types = &mut *self.maker.types;
        let may_be = |var: &&Var| may_be_reference(types.var(**var));
        let mut references: HashSet<Var> = items.iter().filter(may_be).copied().collect();
        body.each_block(&mut |block| {
            for stmt in &block.stmts {
                if let Stmt::Let(stmt) = stmt
                    && is_one_of(stmt.init.as_ref(), &references)
                    && let Pat::Bind { var, .. } = stmt.pat
                {
                    references.insert(var);
                }
            }
        });
        for var in &references {
            types.set_var(*var, Type::Deferred);
        }
        body.walk(&mut |expr| {
            if matches!(&expr.kind, ExprKind::Var(var) if references.contains(var)) {
                types.set_expr(expr.id, Type::Deferred);
            }
        });
    }

    /// A body in which the items are taken apart without patterns for references.
    fn taken_apart(&mut self, body: Vec<Stmt>, items: &HashSet<Var>) -> Vec<Stmt> {
        let mut out = Vec::new();
        for stmt in body {
            match stmt {
                Stmt::Let(mut stmt) if is_one_of(stmt.init.as_ref(), items) => {
                    let mut bound = Vec::new();
                    stmt.pat = self.dereferenced(stmt.pat, stmt.span, &mut bound);
                    out.push(Stmt::Let(stmt));
                    out.extend(bound);
                }
                stmt => out.push(stmt),
            }
        }
        out
    }

    /// The rest of a head, which a loop can count.
    fn take(
        &mut self,
        head: Iterable,
        pat: Pat,
        scope: Scope,
        steps: &mut Steps,
    ) -> Option<(Iterable, Pat)> {
        if !self.has_stepped(&head) {
            return Some((head, pat));
        }
        match head {
            Iterable::Unknown(of) => {
                self.step(*of, pat, scope, steps);
                None
            }
            Iterable::Zip(a, b) => {
                let (first, second) = self.split(pat, steps);
                let known = steps.after.len();
                let a = self.take(*a, first, scope, steps);
                let before = steps.after.len();
                let b = self.take(*b, second, scope, steps);
                match (a, b) {
                    (Some((a, p)), Some((b, q))) => {
                        let pat = Pat::Tuple {
                            elems: vec![p, q],
                            rest: None,
                        };
                        Some((Iterable::Zip(a.into(), b.into()), pat))
                    }
                    // The first iterator is stepped first.
                    (Some(a), None) => {
                        steps.after.truncate(before);
                        Some(a)
                    }
                    (None, Some(b)) => Some(b),
                    (None, None) => {
                        steps.after.truncate(known);
                        None
                    }
                }
            }
            Iterable::Enumerate(inner) => {
                let zero = self.maker.zero(Span::call_site());
                let zipped = Iterable::Zip(Box::new(Iterable::Count(zero.into())), inner);
                self.take(zipped, pat, scope, steps)
            }
            head => Some((head, pat)),
        }
    }

    fn step(&mut self, of: Expr, pat: Pat, scope: Scope, steps: &mut Steps) {
        let span = of.span;
        let pat = self.dereferenced(pat, span, &mut steps.bound);
        pat.each_var(&mut |var| steps.items.extend([var]));
        let items = self.own("items", span);
        let ident = self.maker.func.var(items).ident.clone();
        let source = of.source.clone();
        let begun = self
            .maker
            .method(of, "into_iter", Vec::new(), Type::Deferred, span);
        let begun = written(begun, syn::parse_quote!((#source).into_iter()));
        steps.before.push(Stmt::bind(Pat::name(items), begun, span));

        let next = self.next(items, &ident, self.shape(&pat), span);
        let ty = self.maker.types.expr(next.id).clone();
        let item = self.maker.variable("next", ty, false, span);
        steps.inside.push(Stmt::bind(Pat::name(item), next, span));
        let there = self.maker.is_variant(item, &some(), span);
        let leave = ExprKind::Break(scope, None);
        let leave = self.maker.node(leave, Type::Never, span);
        let branch = ExprKind::branch(
            there,
            Block::statements(Vec::new(), span),
            Some(Block::statements(vec![Stmt::Expr(leave)], span)),
        );
        let branch = self.maker.node(branch, Type::Unit, span);
        steps.inside.push(Stmt::Expr(branch));
        let read = self.maker.read(item, span);
        let some = variant(some(), pat);
        steps.inside.push(Stmt::bind(some, read, span));

        let next = self.next(items, &ident, Type::Deferred, span);
        steps.after.push(Stmt::bind(Pat::Wild, next, span));
        let drop = ExprKind::Call {
            path: syn::parse_quote!(::core::mem::drop),
            args: vec![self.maker.read(items, span)],
        };
        let drop = self.maker.node(drop, Type::Unit, span);
        let drop = written(drop, syn::parse_quote!(::core::mem::drop(#ident)));
        steps.dropped.push(Stmt::Expr(drop));
    }

    /// A pattern without references: `&k` becomes `r`, of which `k` is bound to `*r` later.
    fn dereferenced(&mut self, pat: Pat, span: Span, bound: &mut Vec<Stmt>) -> Pat {
        match pat {
            Pat::Ref(inner) => {
                let ty = self.shape(&inner);
                let reference = self.own("reference", span);
                let ident = self.maker.func.var(reference).ident.clone();
                let read = self.maker.read(reference, span);
                let copy = ExprKind::Deref(Box::new(read));
                let copy = self.maker.node(copy, ty, span);
                let copy = written(copy, syn::parse_quote!(*#ident));
                bound.push(Stmt::bind(*inner, copy, span));
                Pat::name(reference)
            }
            Pat::Tuple { elems, rest } => {
                let elems = elems.into_iter();
                let elems = elems.map(|elem| self.dereferenced(elem, span, bound));
                Pat::Tuple {
                    elems: elems.collect(),
                    rest,
                }
            }
            pat => pat,
        }
    }

    /// A variable that code of its own can name.
    fn own(&mut self, name: &str, span: Span) -> Var {
        let var = self.maker.variable(name, Type::Deferred, true, span);
        self.maker.func.vars[var.0 as usize].synthetic = false;
        var
    }

    /// The type of an item, as far as its pattern tells.
    fn shape(&self, pat: &Pat) -> Type {
        match pat {
            Pat::Bind { var, by_ref: None } => match self.maker.types.var(*var) {
                ty if may_be_reference(ty) => Type::Deferred,
                ty => ty.clone(),
            },
            Pat::Tuple { elems, rest: None } => {
                Type::Tuple(elems.iter().map(|elem| self.shape(elem)).collect())
            }
            _ => Type::Deferred,
        }
    }

    fn next(&mut self, items: Var, ident: &Ident, item: Type, span: Span) -> Expr {
        let read = self.maker.read(items, span);
        let ty = Type::Option(item.into());
        let next = self.maker.method(read, "next", Vec::new(), ty, span);
        written(next, syn::parse_quote!(#ident.next()))
    }

    /// The patterns of both parts of an item.
    fn split(&mut self, pat: Pat, steps: &mut Steps) -> (Pat, Pat) {
        match pat {
            Pat::Wild => (Pat::Wild, Pat::Wild),
            Pat::Tuple { elems, rest: None } if elems.len() == 2 => {
                let mut elems = elems.into_iter();
                let first = elems.next().unwrap_or(Pat::Wild);
                (first, elems.next().unwrap_or(Pat::Wild))
            }
            pat => {
                let span = Span::call_site();
                let types = match &pat {
                    Pat::Bind { var, .. } => self.maker.types.var(*var).clone(),
                    _ => Type::Deferred,
                };
                let types = match types {
                    Type::Tuple(types) if types.len() == 2 => types,
                    _ => vec![Type::Deferred, Type::Deferred],
                };
                let vars = types
                    .iter()
                    .map(|ty| self.maker.variable("part", ty.clone(), false, span));
                let vars: Vec<Var> = vars.collect();
                let parts = vars.iter().map(|var| self.maker.read(*var, span)).collect();
                let whole = ExprKind::Tuple(parts);
                let whole = self.maker.node(whole, Type::Tuple(types), span);
                steps.bound.push(Stmt::bind(pat, whole, span));
                (Pat::name(vars[0]), Pat::name(vars[1]))
            }
        }
    }
}

/// Returns `true` if an item that is used as a value of a type may be a reference, or a reference to a tuple that a pattern takes apart.
fn may_be_reference(ty: &Type) -> bool {
    match ty {
        Type::Ref(..) => true,
        Type::Tuple(parts) => parts.iter().all(|part| matches!(part, Type::Deferred)),
        _ => false,
    }
}

fn is_one_of(expr: Option<&Expr>, vars: &HashSet<Var>) -> bool {
    matches!(expr.map(|expr| &expr.kind), Some(ExprKind::Var(var)) if vars.contains(var))
}

pub(super) fn written(expr: Expr, source: syn::Expr) -> Expr {
    Expr {
        source: Some(source.into()),
        ..expr
    }
}

/// Going on with the next item is that of the inner loop.
fn goes_on(expr: &mut Expr, from: Scope, to: Scope) {
    match &mut expr.kind {
        ExprKind::Continue(of) if *of == from => *of = to,
        _ => expr.each_child_mut(&mut |child| goes_on(child, from, to)),
    }
}

//! Runs a chain and keeps one of its items.

use proc_macro2::Span;

use super::Chain;
use crate::hir::parse::Parser;
use crate::hir::{Elements, Expr, ExprKind, Iterable, Let, Logic, Pat, Stmt, Var};

/// One item or none.
pub(super) struct Selected {
    pub(super) some: Var,
    /// Evaluated only if there is one.
    pub(super) stmts: Vec<Stmt>,
    pub(super) value: Expr,
}

/// The part of an item that is kept while the chain runs.
#[derive(Clone)]
pub(super) enum Choice {
    /// The item in terms of counters, and the variables that keep those.
    Positions(Box<Expr>, Vec<(Var, Var)>),
    Value(Var),
    /// The target of the item, which is a reference.
    Copy(Var),
}

/// A condition that is true if an item is to be kept instead of the previous one; `None` where it always is.
pub(super) type Decide<'a> =
    dyn FnMut(&mut Parser, &Choice, &Expr, &mut Vec<Stmt>) -> Option<Expr> + 'a;

impl Parser {
    /// `let mut name;`.
    pub(super) fn later(&mut self, name: &str, span: Span, stmts: &mut Vec<Stmt>) -> Var {
        let var = self.temporary(name, span);
        self.vars[var.0 as usize].mutable = true;
        stmts.push(Stmt::Let(Box::new(Let {
            pat: Pat::name(var),
            ty: None,
            init: None,
            span,
        })));
        var
    }

    /// Runs a chain, and keeps an item whenever `decide` says so; it is asked only where one has been kept before,
    /// unless the first one `ends` the search.
    pub(super) fn choosing(
        &mut self,
        chain: Chain,
        ends: bool,
        span: Span,
        stmts: &mut Vec<Stmt>,
        decide: &mut Decide<'_>,
    ) -> Selected {
        let no = self.node(ExprKind::Bool(false), span);
        let some = self.state("some", None, no, stmts);
        let single = chain.is_one_loop();
        let by_ref = chain.is_by_reference();
        let chain = if single {
            self.by_position(chain, stmts)
        } else {
            chain
        };
        let mut choice: Option<Choice> = None;
        let (mut states, mut loops) = (Vec::new(), Vec::new());
        self.run_all(chain, span, &mut loops, &mut |p, run, item, out| {
            let item = p.kept(item, out);
            let kept = match &choice {
                Some(kept) => kept.clone(),
                None => p.choice(&item, single, by_ref, span, &mut states),
            };
            choice = Some(kept.clone());
            let mut test = Vec::new();
            let better = decide(p, &kept, &item, &mut test);
            let yes = p.node(ExprKind::Bool(true), span);
            let mut then = vec![p.set(some, yes)];
            p.choose_item(&kept, item, span, &mut then);
            if ends {
                then.push(p.leave(run.stop, span));
            }
            let Some(better) = better else {
                out.extend(then);
                return;
            };
            let better = if ends {
                out.extend(test);
                better
            } else {
                let flag = p.read(some, span);
                let first = p.node(ExprKind::not(flag), span);
                let better = p.after(test, better);
                let kind = ExprKind::Logic(Logic::Or, Box::new(first), Box::new(better));
                p.node(kind, span)
            };
            out.push(p.choose(better, then, Vec::new()));
        });
        stmts.extend(states);
        stmts.extend(loops);
        let mut after = Vec::new();
        let value = match &choice {
            Some(choice) => self.chosen(choice, span, &mut after),
            None => self.node(ExprKind::Unit, span),
        };
        Selected {
            some,
            stmts: after,
            value,
        }
    }

    /// The variables that keep an item.
    fn choice(
        &mut self,
        item: &Expr,
        single: bool,
        by_ref: bool,
        span: Span,
        states: &mut Vec<Stmt>,
    ) -> Choice {
        let mut counters = Vec::new();
        if single && self.is_position(item, &mut counters) {
            let keep = |counter| {
                let zero = self.integer("0", span);
                (counter, self.state("best", None, zero, states))
            };
            let kept = counters.into_iter().map(keep).collect();
            let item = self.again(item);
            return Choice::Positions(Box::new(item), kept);
        }
        let best = self.later("best", span, states);
        if by_ref {
            Choice::Copy(best)
        } else {
            Choice::Value(best)
        }
    }

    fn choose_item(&mut self, choice: &Choice, item: Expr, span: Span, out: &mut Vec<Stmt>) {
        match choice {
            Choice::Value(var) => out.push(self.set(*var, item)),
            Choice::Copy(var) => {
                let item = self.cloned(item);
                out.push(self.set(*var, item));
            }
            Choice::Positions(_, kept) => {
                for (counter, best) in kept {
                    let now = self.read(*counter, span);
                    out.push(self.set(*best, now));
                }
            }
        }
    }

    /// The item that has been kept.
    pub(super) fn chosen(&mut self, choice: &Choice, span: Span, out: &mut Vec<Stmt>) -> Expr {
        match choice {
            Choice::Value(var) => {
                let now = self.read(*var, span);
                let now = self.fixed("best", now, out);
                self.read(now, span)
            }
            Choice::Copy(var) => {
                let now = self.read(*var, span);
                let now = self.fixed("best", now, out);
                let now = self.read(now, span);
                self.borrow(now)
            }
            Choice::Positions(item, kept) => {
                let now = kept.iter().map(|(counter, best)| {
                    let best = self.read(*best, span);
                    (*counter, self.fixed("best", best, out))
                });
                let now: Vec<(Var, Var)> = now.collect();
                self.counters.extend(now.iter().map(|(_, best)| *best));
                let mut item = self.again(item);
                substitute(&mut item, &now);
                item
            }
        }
    }

    /// Returns `true` if an item is made of counters, and elements at counters. Adds these to `counters`.
    pub(super) fn is_position(&self, item: &Expr, counters: &mut Vec<Var>) -> bool {
        match &item.kind {
            ExprKind::Var(var) if self.counters.contains(var) => {
                if !counters.contains(var) {
                    counters.push(*var);
                }
                true
            }
            ExprKind::Tuple(parts) => parts.iter().all(|part| self.is_position(part, counters)),
            ExprKind::Ref(_, inner) => match &inner.kind {
                ExprKind::Index(_, k) => self.is_position(k, counters),
                _ => false,
            },
            _ => false,
        }
    }

    /// The elements of a list by position.
    fn listed(&mut self, list: Expr, mutable: bool, stmts: &mut Vec<Stmt>) -> Chain {
        let span = list.span;
        let list = self.fixed("list", list, stmts);
        let read = self.read(list, span);
        stmts.push(Stmt::Expr(self.list_check(read)));
        Chain::Listed(list, mutable)
    }

    /// The chain with its lists' elements by position.
    fn by_position(&mut self, chain: Chain, stmts: &mut Vec<Stmt>) -> Chain {
        let mut inside = |inner: Box<Chain>| Box::new(self.by_position(*inner, stmts));
        match chain {
            Chain::Source(Iterable::Elements {
                of,
                access: access @ (Elements::Shared | Elements::Mut),
            }) => {
                let (mutable, span) = (access == Elements::Mut, of.span);
                let list = self.node(ExprKind::Ref(mutable, of), span);
                self.listed(list, mutable, stmts)
            }
            // `&list`, as an argument of `zip`.
            Chain::Source(Iterable::Elements {
                of,
                access: Elements::Own,
            }) if matches!(of.kind, ExprKind::Ref(..)) => {
                let mutable = matches!(of.kind, ExprKind::Ref(true, _));
                self.listed(*of, mutable, stmts)
            }
            Chain::Enumerate(inner) => Chain::Enumerate(inside(inner)),
            Chain::Rev(inner) => Chain::Rev(inside(inner)),
            Chain::Skip(inner, n) => Chain::Skip(inside(inner), n),
            Chain::Take(inner, n) => Chain::Take(inside(inner), n),
            Chain::StepBy(inner, n) => Chain::StepBy(inside(inner), n),
            Chain::Filter(inner, f) => Chain::Filter(inside(inner), f),
            Chain::TakeWhile(inner, f) => Chain::TakeWhile(inside(inner), f),
            Chain::SkipWhile(inner, f) => Chain::SkipWhile(inside(inner), f),
            Chain::Zip(a, b) => Chain::Zip(inside(a), inside(b)),
            other => other,
        }
    }
}

fn substitute(expr: &mut Expr, kept: &[(Var, Var)]) {
    if let ExprKind::Var(var) = &mut expr.kind
        && let Some((_, best)) = kept.iter().find(|(counter, _)| counter == var)
    {
        *var = *best;
    }
    expr.each_child_mut(&mut |child| substitute(child, kept));
}

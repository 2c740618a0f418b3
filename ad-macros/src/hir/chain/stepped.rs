//! Iterators that a variable holds and that are stepped by hand: where they stand is a pair of integers.
//!
//! ```text
//! Input:  let mut it = x.iter(); let first = it.next().unwrap(); for v in it { .. }
//! Output: let list = &x; let (mut front, back) = (0, list.len());
//!         let k = front; let some = k < back; if some { front = k + 1; }
//!         if !some { panic } let first = &list[k]; for v in &list[front..back] { .. }
//! ```
//!
//! Taking items while the variable lives on (`next`, `by_ref`, `find`, ...) moves `front` and `back`; consuming the iterator
//! only reads them. Of a filter, the source is stepped until the predicate holds.

use proc_macro2::Span;

use super::lengths::Positions;
use super::positions::At;
use super::run::Sink;
use super::{Chain, Run, uses};
use crate::hir::build::typed;
use crate::hir::item_patterns::always_fits;
use crate::hir::parse::Parser;
use crate::hir::{Block, ExprKind, Pat, Stmt, Var, bare};
use crate::std_model::{self, STOPS};
use crate::syntax::path_of;

/// Where an iterator stands.
#[derive(Clone)]
pub(in crate::hir) struct Cursor {
    pub(super) at: At,
    /// The position of the next item.
    pub(super) front: Var,
    /// The position after the last one; `None` without end.
    pub(super) back: Option<Var>,
}

impl Chain {
    /// Returns `true` if it can be stepped by hand.
    fn can_step(&self, parser: &mut Parser) -> bool {
        match self {
            Chain::Filter(inner, _) | Chain::FilterMap(inner, _) => inner.can_step(parser),
            Chain::Map(inner, _) if !self.has_positions(parser) => {
                inner.can_step(parser) && !self.mutates(parser)
            }
            Chain::Cloned(inner) if !self.has_positions(parser) => inner.can_step(parser),
            Chain::Cursor(_) => true,
            _ => self.has_positions(parser),
        }
    }

    /// The source of an adapter that takes items one by one.
    fn stepped_inside(&mut self) -> Option<&mut Chain> {
        match self {
            Chain::Filter(inner, _)
            | Chain::FilterMap(inner, _)
            | Chain::Map(inner, _)
            | Chain::Cloned(inner) => Some(inner),
            _ => None,
        }
    }

    /// Returns `true` if stepping it moves something.
    pub(in crate::hir) fn is_stepped(&self) -> bool {
        match self {
            Chain::Cursor(_) => true,
            Chain::Filter(inner, _)
            | Chain::FilterMap(inner, _)
            | Chain::Map(inner, _)
            | Chain::Cloned(inner) => inner.is_stepped(),
            _ => false,
        }
    }
}

impl Parser {
    /// `let mut it = chain;`, if the following statements step `it`. Returns `true` if that is a chain.
    pub(super) fn stepped_local(
        &mut self,
        pat: &syn::PatIdent,
        ty: Option<syn::Type>,
        init: &syn::Expr,
        stmts: &mut Vec<Stmt>,
    ) -> bool {
        let mut made = Vec::new();
        let Some(mut chain) = self.kept_chain(init, &mut made) else {
            return false;
        };
        self.settle_chain(&mut chain, &mut made);
        if !chain.can_step(self) {
            let kept = self.verbatim(
                init,
                "stepping this iterator over active values by hand is not supported yet",
                "step the list or range that it begins with, and do the rest with its items; or collect to a `Vec` \
                 first, and step that",
            );
            let var = self.declare(&pat.ident, true);
            stmts.push(typed(Pat::name(var), ty, kept));
            return true;
        }
        let rest = self.leave_over(&chain, pat.ident.span(), &mut made);
        let chain = self.stepping(chain, pat.ident.span(), &mut made);
        stmts.extend(made);
        let var = self.declare(&pat.ident, true);
        self.remainders.extend(rest.map(|rest| (var, rest)));
        self.lazies.insert(var, chain);
        true
    }

    fn kept_chain(&mut self, init: &syn::Expr, stmts: &mut Vec<Stmt>) -> Option<Chain> {
        match init {
            syn::Expr::Range(range) if range.start.is_some() => Some(self.range(range)),
            _ => self.read_chain(init, stmts),
        }
    }

    /// The chain with sources that are stepped.
    fn stepping(&mut self, mut chain: Chain, span: Span, stmts: &mut Vec<Stmt>) -> Chain {
        if chain.has_positions(self) {
            let Positions { at, len } = self.positions(chain, span, stmts);
            let front = self.counting("front", span, stmts);
            let back = len.map(|len| {
                let len = self.read(len, span);
                self.state("back", None, len, stmts)
            });
            return Chain::Cursor(Box::new(Cursor { at, front, back }));
        }
        if let Some(inner) = chain.stepped_inside() {
            *inner = self.stepping(inner.clone(), span, stmts);
        }
        chain
    }

    /// The rest of a chain that is stepped. Running the rest doesn't move the chain.
    pub(super) fn left(&mut self, mut chain: Chain, span: Span, stmts: &mut Vec<Stmt>) -> Chain {
        if let Chain::Cursor(cursor) = chain {
            let (lo, hi) = self.standing(&cursor, span, stmts);
            return Chain::Positions(Box::new(cursor.at), lo, hi);
        }
        if let Some(inner) = chain.stepped_inside() {
            *inner = self.left(inner.clone(), span, stmts);
        }
        chain
    }

    /// Where a cursor stands now.
    fn standing(
        &mut self,
        cursor: &Cursor,
        span: Span,
        stmts: &mut Vec<Stmt>,
    ) -> (Var, Option<Var>) {
        let front = self.read(cursor.front, span);
        let front = self.counter("front", front, stmts);
        let back = cursor.back.map(|back| {
            let back = self.read(back, span);
            self.counter("back", back, stmts)
        });
        (front, back)
    }

    /// The chain of a variable that is stepped, from where it stands; `&mut` of it is the same.
    pub(super) fn stepped(&self, source: &syn::Expr) -> Option<&Chain> {
        match bare(source) {
            syn::Expr::Reference(inner) if inner.mutability.is_some() => self.stepped(&inner.expr),
            syn::Expr::MethodCall(call) if call.method == "by_ref" => self.stepped(&call.receiver),
            syn::Expr::Path(path) => self.lazy(path).filter(|chain| chain.is_stepped()),
            _ => None,
        }
    }

    /// Returns `true` if an expression is `it.by_ref()` or `&mut it`.
    pub(super) fn is_stepping(&self, source: &syn::Expr) -> bool {
        match source {
            syn::Expr::Reference(_) => self.stepped(source).is_some(),
            syn::Expr::MethodCall(call) => {
                call.method == "by_ref" && self.stepped(source).is_some()
            }
            _ => false,
        }
    }

    /// The chain that steps a variable.
    pub(super) fn taking(&mut self, source: &syn::Expr) -> Chain {
        self.named += 1;
        match self.stepped(source) {
            Some(chain) => chain.clone(),
            None => crate::diagnostics::bug!("an iterator that isn't stepped"),
        }
    }

    /// The chain that a method takes items of: where it only borrows the iterator, that is stepped.
    pub(super) fn receiver_chain(
        &mut self,
        call: &syn::ExprMethodCall,
        stmts: &mut Vec<Stmt>,
    ) -> Option<Chain> {
        if std_model::syntax_does(call, STOPS) && self.stepped(&call.receiver).is_some() {
            return Some(self.taking(&call.receiver));
        }
        self.ended_chain(call, stmts)
    }

    /// Takes the items of a cursor until something ends that.
    ///
    /// ```text
    /// Input:  for v in it.by_ref() { body }
    /// Output: for k in front..back { front = k + 1; let v = &list[k]; body }
    /// ```
    pub(super) fn run_cursor(
        &mut self,
        cursor: &Cursor,
        run: &mut Run,
        stmts: &mut Vec<Stmt>,
        sink: &mut Sink<'_>,
    ) {
        let span = run.span;
        let (lo, hi) = self.standing(cursor, span, stmts);
        let k = self.fixed_temporary("k", span);
        self.counters.insert(k);
        let scope = self.loop_scope(run);
        let outer = std::mem::replace(&mut run.next, scope);
        let mut body = Vec::new();
        self.check_limits(run, &mut body);
        let next = self.after_position(k, span);
        body.push(self.set(cursor.front, next));
        let item = self.item_at(&cursor.at, k, span, &mut body);
        sink(self, run, item, &mut body);
        run.next = outer;
        let (head, body) = (
            self.head_between(lo, hi, span),
            Block::statements(body, span),
        );
        let kind = ExprKind::run(scope, Pat::name(k), head, body);
        stmts.push(Stmt::Expr(self.node(kind, span)));
    }

    /// Returns `true` if a variable holds an iterator that is stepped.
    pub(in crate::hir) fn is_stepped(&self, var: Var) -> bool {
        self.lazies.get(&var).is_some_and(Chain::is_stepped)
    }

    /// `while let Some(v) = it.next() { body }`, where the body only looks at the iterator, as a loop that can be counted.
    pub(in crate::hir) fn stepping_loop(&self, expr: &syn::ExprWhile) -> Option<syn::ExprForLoop> {
        let syn::Expr::Let(cond) = &*expr.cond else {
            return None;
        };
        let (syn::Pat::TupleStruct(some), syn::Expr::MethodCall(call)) = (&*cond.pat, &*cond.expr)
        else {
            return None;
        };
        let path = path_of(&call.receiver)?;
        self.stepped(&call.receiver)?;
        let ident = path.path.get_ident()?;
        let mut pats = some.elems.iter();
        let pat = pats.next().filter(|pat| always_fits(pat))?;
        let is = some.path.segments.last()?.ident == "Some" && call.method == "next";
        if !is || !uses::stays(ident, &expr.body) {
            return None;
        }
        Some(syn::ExprForLoop {
            attrs: Vec::new(),
            label: expr.label.clone(),
            for_token: syn::Token![for](expr.while_token.span),
            pat: Box::new(pat.clone()),
            in_token: syn::Token![in](cond.let_token.span),
            expr: Box::new(syn::parse_quote!(#path.by_ref())),
            body: expr.body.clone(),
        })
    }

    /// Refuses uses of iterators and their items other than stepping.
    pub(in crate::hir) fn refuse_steps(&mut self, body: &Block) {
        let mut found = Vec::new();
        let mut mentioned = |var: Var, span: Span| {
            let is_item = self.maybes.contains_key(&var);
            if is_item || self.is_stepped(var) {
                found.push((is_item, span));
            }
        };
        body.walk(&mut |expr| {
            let mentions = match &expr.kind {
                ExprKind::Var(var) => return mentioned(*var, expr.span),
                ExprKind::Verbatim(code) => &code.mentions,
                ExprKind::Closure(closure) => &closure.captures,
                _ => return,
            };
            let vars = mentions.iter().map(|mention| mention.var);
            vars.for_each(|var| mentioned(var, expr.span));
        });
        for (is_item, span) in found {
            if is_item {
                self.error(
                    span,
                    "the result of `next()` can only be matched, unwrapped or copied here",
                    "take it apart by `if let Some(..)`, `match` or `unwrap()`, or write `.copied()` after the step",
                );
            } else {
                self.error(
                    span,
                    "this use of an iterator that is stepped by hand is not supported yet",
                    "take items by `next()`, `nth(n)` or `by_ref()`, or where nothing is filtered by `peek()` or \
                     `next_back()`; loop over the rest with `for`, or end it by a method like `sum`",
                );
            }
        }
    }
}

//! The loops of a chain, around the consumer of an item.

use proc_macro2::Span;

use super::lengths::Positions;
use super::{Chain, Limit, Run};
use crate::hir::closure::Callable;
use crate::hir::parse::Parser;
use crate::hir::{Block, Elements, Expr, ExprKind, Func, Iterable, Scope, Stmt};
use crate::ir::{BinaryOp, UnaryOp};

/// The code that consumes an item.
pub(super) type Sink<'a> = dyn FnMut(&mut Parser, &mut Run, Expr, &mut Vec<Stmt>) + 'a;

impl Parser {
    /// Runs a chain. Breaking out of the run's `stop` ends it.
    pub(super) fn run_all(
        &mut self,
        chain: Chain,
        span: Span,
        stmts: &mut Vec<Stmt>,
        sink: &mut Sink<'_>,
    ) {
        self.run_within(chain, Vec::new(), span, stmts, sink);
    }

    /// Runs a chain inside of another one's loops, whose limits hold here too.
    fn run_within(
        &mut self,
        chain: Chain,
        limits: Vec<Limit>,
        span: Span,
        stmts: &mut Vec<Stmt>,
        sink: &mut Sink<'_>,
    ) {
        let stop = self.new_scope();
        let mut run = Run {
            stop,
            next: stop,
            limits,
            span,
        };
        if chain.is_one_loop() {
            self.run(chain, &mut run, stmts, sink);
            return;
        }
        let mut inner = Vec::new();
        // The state of adapters is declared outside of the block, where nothing minds.
        run.next = Scope(u32::MAX);
        self.run(chain, &mut run, &mut inner, sink);
        let block = Block::statements(inner, span);
        let block = self.node(ExprKind::Block(block, Some(stop)), span);
        stmts.push(Stmt::Expr(block));
    }

    fn run(&mut self, chain: Chain, run: &mut Run, stmts: &mut Vec<Stmt>, sink: &mut Sink<'_>) {
        if chain.is_countable(self) {
            return self.run_counted(chain, run, stmts, sink);
        }
        let span = run.span;
        match chain {
            Chain::Map(inner, f) => self.run(*inner, run, stmts, &mut |p, run, item, out| {
                let item = p.apply_here(&f, vec![item], span, out);
                sink(p, run, item, out);
            }),
            Chain::Cloned(inner) => self.run(*inner, run, stmts, &mut |p, run, item, out| {
                let item = p.cloned(item);
                sink(p, run, item, out);
            }),
            Chain::Inspect(inner, f) => self.run(*inner, run, stmts, &mut |p, run, item, out| {
                let item = p.kept(item, out);
                let seen = p.borrowed_again(&item);
                let seen = p.apply_here(&f, vec![seen], span, out);
                out.push(Stmt::Expr(seen));
                sink(p, run, item, out);
            }),
            Chain::Filter(inner, f) => self.run(*inner, run, stmts, &mut |p, run, item, out| {
                let item = p.kept(item, out);
                let cond = p.holds(&f, &item, span, out);
                let mut then = Vec::new();
                sink(p, run, item, &mut then);
                out.push(p.choose(cond, then, Vec::new()));
            }),
            Chain::TakeWhile(inner, f) => self.run(*inner, run, stmts, &mut |p, run, item, out| {
                let item = p.kept(item, out);
                let cond = p.holds(&f, &item, span, out);
                p.unless(cond, run.stop, out);
                sink(p, run, item, out);
            }),
            Chain::SkipWhile(inner, f) => self.run_skip_while(*inner, &f, run, stmts, sink),
            Chain::FilterMap(inner, f) => self.run(*inner, run, stmts, &mut |p, run, item, out| {
                let found = p.apply_here(&f, vec![item], span, out);
                p.each_payload(found, out, None, &mut |p, item, out| {
                    sink(p, run, item, out);
                });
            }),
            Chain::MapWhile(inner, f) => self.run(*inner, run, stmts, &mut |p, run, item, out| {
                let found = p.apply_here(&f, vec![item], span, out);
                let stop = run.stop;
                p.each_payload(found, out, Some(stop), &mut |p, item, out| {
                    sink(p, run, item, out);
                });
            }),
            Chain::Scan(inner, init, f) => {
                let state = self.state("state", None, init, stmts);
                self.run(*inner, run, stmts, &mut |p, run, item, out| {
                    let place = p.read(state, span);
                    let place = p.node(ExprKind::Ref(true, Box::new(place)), span);
                    let found = p.apply_here(&f, vec![place, item], span, out);
                    let stop = run.stop;
                    p.each_payload(found, out, Some(stop), &mut |p, item, out| {
                        sink(p, run, item, out);
                    });
                });
            }
            Chain::Chained(a, b) => {
                // The end of the first one doesn't end the second.
                if !a.is_countable(self) && a.ends_early(self) {
                    self.run_inner(*a, run, stmts, sink);
                } else {
                    self.run(*a, run, stmts, sink);
                }
                self.run(*b, run, stmts, sink);
            }
            Chain::Flatten(inner) => self.run(*inner, run, stmts, &mut |p, run, item, out| {
                let chain = Chain::Source(Iterable::Elements {
                    of: Box::new(item),
                    access: Elements::Own,
                });
                p.run_inner(chain, run, out, sink);
            }),
            Chain::FlatMap(inner, f) => self.run(*inner, run, stmts, &mut |p, run, item, out| {
                if let Some(chain) = p.apply_chain(&f, item, span, out) {
                    p.run_inner(chain, run, out, sink);
                }
            }),
            Chain::Enumerate(inner) => {
                let count = self.counting("count", span, stmts);
                self.run(*inner, run, stmts, &mut |p, run, item, out| {
                    let k = p.read(count, span);
                    let k = p.fixed("k", k, out);
                    p.counters.insert(k);
                    out.push(p.step_by(count, BinaryOp::Add, span));
                    let k = p.read(k, span);
                    let item = p.node(ExprKind::Tuple(vec![k, item]), span);
                    sink(p, run, item, out);
                });
            }
            Chain::Take(inner, n) => {
                let count = self.counting("taken", span, stmts);
                let around = run.limits.len();
                run.limits.push(Limit {
                    count,
                    most: n,
                    stop: run.stop,
                });
                self.run(*inner, run, stmts, &mut |p, run, item, out| {
                    out.push(p.step_by(count, BinaryOp::Add, span));
                    // The consumer of an item takes nothing from the source.
                    let own = run.limits.split_off(around);
                    sink(p, run, item, out);
                    run.limits.extend(own);
                });
                run.limits.pop();
            }
            Chain::Skip(inner, n) => {
                let count = self.counting("skipped", span, stmts);
                self.run(*inner, run, stmts, &mut |p, run, item, out| {
                    let item = p.kept(item, out);
                    let short = p.of_vars(count, BinaryOp::Lt, n, span);
                    let more = p.step_by(count, BinaryOp::Add, span);
                    let mut then = Vec::new();
                    sink(p, run, item, &mut then);
                    out.push(p.choose(short, vec![more], then));
                });
            }
            Chain::StepBy(inner, n) => {
                let wait = self.counting("wait", span, stmts);
                self.run(*inner, run, stmts, &mut |p, run, item, out| {
                    let item = p.kept(item, out);
                    let (left, zero) = (p.read(wait, span), p.count("0", span));
                    let due = p.binary_of(BinaryOp::Eq, left, zero);
                    let (n, one) = (p.read(n, span), p.count("1", span));
                    let rest = p.binary_of(BinaryOp::Sub, n, one);
                    let mut then = vec![p.set(wait, rest)];
                    sink(p, run, item, &mut then);
                    let less = p.step_by(wait, BinaryOp::Sub, span);
                    out.push(p.choose(due, then, vec![less]));
                });
            }
            Chain::Rev(inner) => match self.reversed(*inner) {
                Some(chain) => self.run(chain, run, stmts, sink),
                None => self.error(
                    span,
                    "`rev` after this adapter is not supported yet",
                    "reverse first, or collect to a `Vec` before",
                ),
            },
            Chain::Zip(a, b) => self.run_zip(*a, *b, run, stmts, sink),
            Chain::Given(f) => self.run_given(&f, run, stmts, sink),
            Chain::Successors(first, f) => self.run_successors(first, &f, run, stmts, sink),
            Chain::Cursor(cursor) => self.run_cursor(&cursor, run, stmts, sink),
            Chain::Source(_) | Chain::Listed(..) | Chain::Repeat(..) | Chain::Positions(..) => {}
        }
    }

    /// Runs a chain that an item of another one is. Its end doesn't end the other.
    fn run_inner(
        &mut self,
        chain: Chain,
        outer: &mut Run,
        stmts: &mut Vec<Stmt>,
        sink: &mut Sink<'_>,
    ) {
        let (limits, span, around) = (outer.limits.clone(), outer.span, outer.next);
        self.run_within(chain, limits, span, stmts, &mut |p, run, item, out| {
            outer.next = run.next;
            sink(p, outer, item, out);
        });
        outer.next = around;
    }

    fn run_counted(
        &mut self,
        chain: Chain,
        run: &mut Run,
        stmts: &mut Vec<Stmt>,
        sink: &mut Sink<'_>,
    ) {
        let span = run.span;
        let opened = self.open(chain, span);
        let scope = self.loop_scope(run);
        let outer = std::mem::replace(&mut run.next, scope);
        let mut body = Vec::new();
        self.check_limits(run, &mut body);
        let item = self.item_value(&opened.item, span, &mut body);
        sink(self, run, item, &mut body);
        run.next = outer;
        let body = Block::statements(body, span);
        let kind = ExprKind::run(scope, opened.pat, opened.head, body);
        stmts.push(Stmt::Expr(self.node(kind, span)));
    }

    /// The scope of a loop, which is that of the whole chain if there is no other.
    pub(super) fn loop_scope(&mut self, run: &Run) -> Scope {
        if run.next == run.stop {
            run.stop
        } else {
            self.new_scope()
        }
    }

    /// Nothing is taken once a limit is reached.
    pub(super) fn check_limits(&mut self, run: &Run, body: &mut Vec<Stmt>) {
        let span = run.span;
        for limit in run.limits.clone() {
            let more = self.of_vars(limit.count, BinaryOp::Lt, limit.most, span);
            self.unless(more, limit.stop, body);
        }
    }

    /// Runs the side of a `zip` that only running tells the items of. The other one's are known by their positions.
    ///
    /// ```text
    /// Input:  x.iter().filter(f).zip(y)
    /// Output: let mut count = 0; for v in x { if f(&v) { let k = count; if !(k < y.len()) { break } count += 1; (v, &y[k]) } }
    ///
    /// Input:  y.iter().zip(x.iter().filter(f))
    /// Output: let mut count = 0; for v in x { if !(count < y.len()) { break } if f(&v) { let k = count; count += 1; (&y[k], v) } }
    /// ```
    fn run_zip(
        &mut self,
        mut a: Chain,
        b: Chain,
        run: &mut Run,
        stmts: &mut Vec<Stmt>,
        sink: &mut Sink<'_>,
    ) {
        let (first, span) = (!b.has_positions(self), run.span);
        if first && !a.has_positions(self) {
            if a.is_stepped() || b.is_stepped() {
                self.error(
                    span,
                    "`zip` with an iterator that goes on afterwards is not supported yet",
                    "step both in a `while let`, or collect what is taken to a `Vec` first",
                );
            } else {
                self.error(
                    span,
                    "`zip` of two iterators whose lengths aren't known before is not supported yet",
                    "collect one of them to a `Vec` first",
                );
            }
            return;
        }
        let (known, other) = if first {
            (a, b)
        } else {
            self.settle_chain(&mut a, stmts);
            (b, a)
        };
        let Positions { at, len } = self.positions(known, span, stmts);
        let count = self.counting("count", span, stmts);
        let around = run.limits.len();
        if let (true, Some(most)) = (first, len) {
            let stop = run.stop;
            run.limits.push(Limit { count, most, stop });
        }
        self.run(other, run, stmts, &mut |p, run, item, out| {
            let item = p.kept(item, out);
            let k = p.read(count, span);
            let k = p.counter("k", k, out);
            if let (false, Some(len)) = (first, len) {
                let some = p.of_vars(k, BinaryOp::Lt, len, span);
                p.unless(some, run.stop, out);
            }
            out.push(p.step_by(count, BinaryOp::Add, span));
            let known = p.item_at(&at, k, span, out);
            let pair = if first {
                vec![known, item]
            } else {
                vec![item, known]
            };
            let pair = p.node(ExprKind::Tuple(pair), span);
            // The consumer of an item takes nothing from the source.
            let own = run.limits.split_off(around);
            sink(p, run, pair, out);
            run.limits.extend(own);
        });
        run.limits.truncate(around);
    }

    fn run_skip_while(
        &mut self,
        inner: Chain,
        f: &Callable,
        run: &mut Run,
        stmts: &mut Vec<Stmt>,
        sink: &mut Sink<'_>,
    ) {
        let span = run.span;
        let skipping = self.node(ExprKind::Bool(true), span);
        let skipping = self.state("skipping", None, skipping, stmts);
        self.run(inner, run, stmts, &mut |p, run, item, out| {
            let item = p.kept(item, out);
            let mut test = Vec::new();
            let cond = p.holds(f, &item, span, &mut test);
            test.push(p.set(skipping, cond));
            let flag = p.read(skipping, span);
            out.push(p.choose(flag, test, Vec::new()));
            let flag = p.read(skipping, span);
            let flag = p.node(ExprKind::not(flag), span);
            let mut then = Vec::new();
            sink(p, run, item, &mut then);
            out.push(p.choose(flag, then, Vec::new()));
        });
    }

    /// `if !cond { break }`.
    pub(super) fn unless(&mut self, cond: Expr, stop: Scope, out: &mut Vec<Stmt>) {
        let span = cond.span;
        let cond = self.node(ExprKind::not(cond), span);
        let leave = self.leave(stop, span);
        out.push(self.choose(cond, vec![leave], Vec::new()));
    }

    /// A predicate of a reference to an item.
    pub(super) fn holds(
        &mut self,
        f: &Callable,
        item: &Expr,
        span: Span,
        out: &mut Vec<Stmt>,
    ) -> Expr {
        let seen = self.borrowed_again(item);
        self.apply_here(f, vec![seen], span, out)
    }

    fn borrowed_again(&mut self, item: &Expr) -> Expr {
        let item = self.again(item);
        self.borrow(item)
    }

    /// An item that is used more than once.
    pub(super) fn kept(&mut self, item: Expr, out: &mut Vec<Stmt>) -> Expr {
        if self.is_fixed(&item) {
            return item;
        }
        let span = item.span;
        match item.kind {
            ExprKind::Tuple(parts) => {
                let parts = parts.into_iter().map(|part| self.kept(part, out)).collect();
                self.node(ExprKind::Tuple(parts), span)
            }
            _ => {
                let var = self.fixed("item", item, out);
                self.read(var, span)
            }
        }
    }

    /// A chain backwards, past the adapters that don't mind.
    fn reversed(&mut self, chain: Chain) -> Option<Chain> {
        let mut inside = |inner: Box<Chain>| self.reversed(*inner).map(Box::new);
        Some(match chain {
            Chain::Map(inner, f) => Chain::Map(inside(inner)?, f),
            Chain::Inspect(inner, f) => Chain::Inspect(inside(inner)?, f),
            Chain::Filter(inner, f) => Chain::Filter(inside(inner)?, f),
            Chain::FilterMap(inner, f) => Chain::FilterMap(inside(inner)?, f),
            Chain::Cloned(inner) => Chain::Cloned(inside(inner)?),
            Chain::Rev(inner) => *inner,
            Chain::Chained(a, b) => Chain::Chained(inside(b)?, inside(a)?),
            chain if chain.is_countable(self) => Chain::Rev(Box::new(chain)),
            _ => return None,
        })
    }
}

impl Chain {
    /// Returns `true` if breaking out of the chain is breaking out of one loop.
    pub(super) fn is_one_loop(&self) -> bool {
        match self {
            Chain::Chained(..) | Chain::FlatMap(..) | Chain::Flatten(_) => false,
            _ => self.inner().iter().all(|inner| inner.is_one_loop()),
        }
    }

    /// Returns `true` if it may end before its sources do.
    fn ends_early(&self, parser: &mut Parser) -> bool {
        match self {
            Chain::Zip(..) if !self.is_countable(parser) => true,
            Chain::Given(_)
            | Chain::Successors(..)
            | Chain::Cursor(_)
            | Chain::Take(..)
            | Chain::TakeWhile(..)
            | Chain::MapWhile(..)
            | Chain::Scan(..) => true,
            _ => self.inner().iter().any(|inner| inner.ends_early(parser)),
        }
    }

    /// Returns `true` if the items are certainly references to elements.
    pub(super) fn is_by_reference(&self) -> bool {
        match self {
            Chain::Source(Iterable::Elements { of, access }) => {
                *access == Elements::Shared || matches!(of.kind, ExprKind::Ref(false, _))
            }
            Chain::Listed(_, mutable) => !mutable,
            Chain::Positions(at, ..) => at.is_element(),
            Chain::Cursor(cursor) => cursor.at.is_element(),
            Chain::Chained(inner, _) => inner.is_by_reference(),
            _ => self.kept().is_some_and(Chain::is_by_reference),
        }
    }
}

/// Returns `true` if a statement is one that [`Parser::check_limits`] makes: it comes before anything is taken.
pub(crate) fn is_limit(stmt: &Stmt, func: &Func) -> bool {
    let Stmt::Expr(Expr {
        kind: ExprKind::If { cond, then, other },
        ..
    }) = stmt
    else {
        return false;
    };
    let leaves =
        |stmt: &Stmt| matches!(stmt, Stmt::Expr(expr) if matches!(expr.kind, ExprKind::Break(..)));
    let counts = |more: &Expr| match &more.kind {
        ExprKind::Binary(BinaryOp::Lt, count, _) => {
            matches!(count.kind, ExprKind::Var(var) if func.var(var).synthetic)
        }
        _ => false,
    };
    let reached = matches!(&cond.kind, ExprKind::Unary(UnaryOp::Not, more) if counts(more));
    let nothing = |other: &Block| other.stmts.is_empty() && other.value.is_none();
    reached
        && matches!(&then.stmts[..], [stmt] if leaves(stmt))
        && other.as_ref().is_none_or(nothing)
}

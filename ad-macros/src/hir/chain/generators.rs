//! Iterators whose items a function returns: `from_fn` and `successors`.

use proc_macro2::Span;

use super::Run;
use super::run::Sink;
use crate::hir::closure::Callable;
use crate::hir::parse::Parser;
use crate::hir::{Block, ExprKind, Scope, Stmt, Var};

impl Parser {
    /// ```text
    /// Input:  from_fn(f)
    /// Output: loop { match f() { Some(item) => sink(item), None => break } }
    /// ```
    pub(super) fn run_given(
        &mut self,
        f: &Callable,
        run: &mut Run,
        stmts: &mut Vec<Stmt>,
        sink: &mut Sink<'_>,
    ) {
        let (scope, span) = (self.loop_scope(run), run.span);
        let outer = std::mem::replace(&mut run.next, scope);
        let mut body = Vec::new();
        self.check_limits(run, &mut body);
        let found = self.apply_here(f, Vec::new(), span, &mut body);
        let stop = run.stop;
        self.each_payload(found, &mut body, Some(stop), &mut |p, item, out| {
            sink(p, run, item, out);
        });
        run.next = outer;
        self.endless(scope, body, span, stmts);
    }

    /// The next item is there before the last one is used, as in std.
    ///
    /// ```text
    /// Input:  successors(first, f)
    /// Output: if let Some(item) = first { let (mut next, mut done) = (item, false); loop {
    ///             if done { break }
    ///             let item = next; done = true;
    ///             if let Some(item) = f(&item) { next = item; done = false; }
    ///             sink(item); } }
    /// ```
    pub(super) fn run_successors(
        &mut self,
        first: Var,
        f: &Callable,
        run: &mut Run,
        stmts: &mut Vec<Stmt>,
        sink: &mut Sink<'_>,
    ) {
        let span = run.span;
        let first = self.read(first, span);
        self.each_payload(first, stmts, None, &mut |p, item, out| {
            let next = p.state("next", None, item, out);
            let done = p.node(ExprKind::Bool(false), span);
            let done = p.state("done", None, done, out);
            let scope = p.loop_scope(run);
            let outer = std::mem::replace(&mut run.next, scope);
            let mut body = Vec::new();
            p.check_limits(run, &mut body);
            let ended = p.read(done, span);
            let leave = p.leave(scope, span);
            body.push(p.choose(ended, vec![leave], Vec::new()));
            let item = p.read(next, span);
            let item = p.cloned(item);
            let item = p.fixed("item", item, &mut body);
            let last = p.node(ExprKind::Bool(true), span);
            body.push(p.set(done, last));
            let seen = p.read(item, span);
            let seen = p.borrow(seen);
            let found = p.apply_here(f, vec![seen], span, &mut body);
            let unless = p.new_scope();
            let mut then = Vec::new();
            p.each_payload(found, &mut then, Some(unless), &mut |p, item, out| {
                out.push(p.set(next, item));
                let more = p.node(ExprKind::Bool(false), span);
                out.push(p.set(done, more));
            });
            let then = ExprKind::Block(Block::statements(then, span), Some(unless));
            body.push(Stmt::Expr(p.node(then, span)));
            let item = p.read(item, span);
            sink(p, run, item, &mut body);
            run.next = outer;
            p.endless(scope, body, span, out);
        });
    }

    fn endless(&mut self, scope: Scope, body: Vec<Stmt>, span: Span, stmts: &mut Vec<Stmt>) {
        let kind = ExprKind::endless(scope, Block::statements(body, span));
        stmts.push(Stmt::Expr(self.node(kind, span)));
    }
}

//! The ends of chains.

use proc_macro2::Span;
use syn::spanned::Spanned;

use super::{Chain, Run};
use crate::hir::closure::Callable;
use crate::hir::parse::{Label, Parser};
use crate::hir::{Block, Expr, ExprKind, Stmt, Var};
use crate::ir::BinaryOp;
use crate::std_model::{self, COPIES, LENDS, OF_SLICES, Of, READS, does};

/// The state that a fold carries: tuples are taken apart.
enum Carried {
    Var(Var),
    Tuple(Vec<Carried>),
}

impl Parser {
    /// A method that consumes a chain.
    pub(in crate::hir) fn chain_call(
        &mut self,
        call: &syn::ExprMethodCall,
        source: &syn::Expr,
    ) -> Option<Expr> {
        if let Some(value) = self.remainder(call) {
            return Some(value);
        }
        let span = call.method.span();
        let mut stmts = Vec::new();
        if let Some(value) = self.selection(source, &mut stmts) {
            return Some(self.finished(stmts, Some(value), source));
        }
        if let Some(value) = self.short(call, source) {
            return Some(value);
        }
        let name = call.method.to_string();
        let args: Vec<&syn::Expr> = call.args.iter().collect();
        let value = match (name.as_str(), &args[..]) {
            ("len", []) => return self.stepped_len(call),
            ("sum" | "product", []) => {
                let chain = self.ended_chain(call, &mut stmts)?;
                let op = if name == "sum" {
                    BinaryOp::Add
                } else {
                    BinaryOp::Mul
                };
                let ty = turbofish(call);
                Some(self.accumulate(op, ty, chain, span, &mut stmts))
            }
            ("count", []) => {
                let chain = self.read_chain(&call.receiver, &mut stmts)?;
                Some(self.count_items(chain, span, &mut stmts))
            }
            ("collect", []) => {
                let chain = self.vec_chain(call, &mut stmts)?;
                Some(self.collect(chain, turbofish(call), span, &mut stmts))
            }
            ("unzip", []) if call.turbofish.is_none() => {
                let chain = self.read_chain(&call.receiver, &mut stmts)?;
                Some(self.unzip(chain, span, &mut stmts))
            }
            ("partition", [f]) if call.turbofish.is_none() => {
                let (chain, f) = self.chain_and(call, f, &mut stmts)?;
                Some(self.partition(chain, &f, span, &mut stmts))
            }
            ("extend", [items]) if self.is_chain(items) || is_call(items) => {
                let list = self.expr(&call.receiver);
                let chain = self.iterable(items, &mut stmts);
                self.extend(&list, chain, span, &mut stmts);
                None
            }
            ("for_each", [f]) => {
                let (chain, f) = self.chain_and(call, f, &mut stmts)?;
                self.for_each(chain, &f, span, &mut stmts);
                None
            }
            ("any" | "all", [f]) => {
                let (chain, f) = self.chain_and(call, f, &mut stmts)?;
                Some(self.any_or_all(chain, &f, name == "any", span, &mut stmts))
            }
            ("fold", [init, f]) => {
                if !self.is_callable(f) {
                    return None;
                }
                let chain = self.ended_chain(call, &mut stmts)?;
                let init = self.expr(init);
                let f = self.callable(f, &mut stmts)?;
                Some(self.fold(chain, init, &f, span, &mut stmts))
            }
            ("rfold", [init, f]) => {
                let chain = &call.receiver;
                let folded = syn::parse_quote_spanned!(span=> #chain.rev().fold(#init, #f));
                return self.chain_call(&folded, source);
            }
            _ => return None,
        };
        let block = self.finished(stmts, value, source);
        if matches!(name.as_str(), "collect" | "unzip" | "partition") && call.turbofish.is_none() {
            self.collects.insert(block.id);
        }
        Some(block)
    }

    /// The receiver and the function of `chain.method(f)`.
    pub(super) fn chain_and(
        &mut self,
        call: &syn::ExprMethodCall,
        f: &syn::Expr,
        stmts: &mut Vec<Stmt>,
    ) -> Option<(Chain, Callable)> {
        if !self.is_callable(f) {
            return None;
        }
        let chain = self.receiver_chain(call, stmts)?;
        Some((chain, self.callable(f, stmts)?))
    }

    pub(in crate::hir) fn finished(
        &mut self,
        stmts: Vec<Stmt>,
        value: Option<Expr>,
        source: &syn::Expr,
    ) -> Expr {
        let block = Block {
            stmts,
            value: value.map(Box::new),
            span: source.span(),
        };
        self.sourced(ExprKind::Block(block, None), source)
    }

    /// ```text
    /// Input:  chain.sum::<T>()
    /// Output: let mut sum: T = zero; for item in chain { sum += item; } sum
    /// ```
    fn accumulate(
        &mut self,
        op: BinaryOp,
        ty: Option<syn::Type>,
        chain: Chain,
        span: Span,
        stmts: &mut Vec<Stmt>,
    ) -> Expr {
        let name = if op == BinaryOp::Add {
            "sum"
        } else {
            "product"
        };
        let neutral = self.node(ExprKind::Neutral(op), span);
        let total = self.state(name, ty, neutral, stmts);
        self.run_all(chain, span, stmts, &mut |p, _, item, out| {
            let item = p.cloned(item);
            out.push(p.update(total, op, item));
        });
        self.read(total, span)
    }

    fn count_items(&mut self, chain: Chain, span: Span, stmts: &mut Vec<Stmt>) -> Expr {
        let count = self.counting("count", span, stmts);
        self.run_all(chain, span, stmts, &mut |p, _, item, out| {
            if !p.is_fixed(&item) {
                out.push(Stmt::Expr(item));
            }
            out.push(p.step_by(count, BinaryOp::Add, span));
        });
        self.read(count, span)
    }

    fn for_each(&mut self, chain: Chain, f: &Callable, span: Span, stmts: &mut Vec<Stmt>) {
        self.run_all(chain, span, stmts, &mut |p, _, item, out| {
            let done = p.apply_here(f, vec![item], span, out);
            out.push(Stmt::Expr(done));
        });
    }

    /// ```text
    /// Input:  chain.any(f)
    /// Output: let mut any = false; for item in chain { if f(item) { any = true; break; } } any
    /// ```
    fn any_or_all(
        &mut self,
        chain: Chain,
        f: &Callable,
        any: bool,
        span: Span,
        stmts: &mut Vec<Stmt>,
    ) -> Expr {
        let start = self.node(ExprKind::Bool(!any), span);
        let result = self.state(if any { "any" } else { "all" }, None, start, stmts);
        self.run_all(chain, span, stmts, &mut |p, run, item, out| {
            let cond = p.apply_here(f, vec![item], span, out);
            let ends = p.node(ExprKind::Bool(any), span);
            let exit = vec![p.set(result, ends), p.leave(run.stop, span)];
            let (then, other) = if any {
                (exit, Vec::new())
            } else {
                (Vec::new(), exit)
            };
            out.push(p.choose(cond, then, other));
        });
        self.read(result, span)
    }

    /// ```text
    /// Input:  chain.fold(init, f)
    /// Output: let mut acc = init; for item in chain { acc = f(acc, item); } acc
    /// ```
    fn fold(
        &mut self,
        chain: Chain,
        init: Expr,
        f: &Callable,
        span: Span,
        stmts: &mut Vec<Stmt>,
    ) -> Expr {
        let carried = self.carried(init, stmts);
        self.run_all(chain, span, stmts, &mut |p, _, item, out| {
            let acc = p.carried_now(&carried, span, out);
            let value = p.apply_here(f, vec![acc, item], span, out);
            p.carry(&carried, value, out);
        });
        self.carried_value(&carried, span)
    }

    fn carried(&mut self, init: Expr, stmts: &mut Vec<Stmt>) -> Carried {
        match init.kind {
            ExprKind::Tuple(parts) => {
                let parts = parts.into_iter().map(|part| self.carried(part, stmts));
                Carried::Tuple(parts.collect())
            }
            _ => Carried::Var(self.state("acc", None, init, stmts)),
        }
    }

    /// The carried state, under names of its own, so that it can be assigned at the end.
    fn carried_now(&mut self, carried: &Carried, span: Span, out: &mut Vec<Stmt>) -> Expr {
        match carried {
            Carried::Var(var) => {
                let now = self.read(*var, span);
                let now = self.fixed("acc", now, out);
                self.read(now, span)
            }
            Carried::Tuple(parts) => {
                let parts = parts
                    .iter()
                    .map(|part| self.carried_now(part, span, out))
                    .collect();
                self.node(ExprKind::Tuple(parts), span)
            }
        }
    }

    fn carried_value(&mut self, carried: &Carried, span: Span) -> Expr {
        match carried {
            Carried::Var(var) => self.read(*var, span),
            Carried::Tuple(parts) => {
                let parts = parts.iter().map(|part| self.carried_value(part, span));
                let parts = parts.collect();
                self.node(ExprKind::Tuple(parts), span)
            }
        }
    }

    /// `carried = value;`, at the ends of blocks and branches, where a tuple is still taken apart.
    fn carry(&mut self, carried: &Carried, value: Expr, out: &mut Vec<Stmt>) {
        let span = value.span;
        match (carried, value.kind) {
            (Carried::Tuple(_), ExprKind::Block(block, None)) if block.value.is_some() => {
                out.extend(block.stmts);
                if let Some(value) = block.value {
                    self.carry(carried, *value, out);
                }
            }
            (
                Carried::Tuple(_),
                ExprKind::If {
                    cond,
                    then,
                    other: Some(other),
                },
            ) => {
                let [then, other] = [then, other].map(|block| {
                    let mut stmts = Vec::new();
                    let value = self.node(ExprKind::Block(block, None), span);
                    self.carry(carried, value, &mut stmts);
                    stmts
                });
                out.push(self.choose(*cond, then, other));
            }
            (_, kind) => {
                let place = self.carried_value(carried, span);
                let value = Expr {
                    id: self.node(ExprKind::Unit, span).id,
                    kind,
                    span,
                    source: value.source,
                };
                let kind = ExprKind::Assign(Box::new(place), Box::new(value));
                out.push(Stmt::Expr(self.node(kind, span)));
            }
        }
    }

    /// `for pat in chain { body }`.
    pub(in crate::hir) fn for_loop(&mut self, expr: &syn::ExprForLoop, source: &syn::Expr) -> Expr {
        let span = source.span();
        let states = self.checkpoint(&expr.attrs);
        let mut stmts = Vec::new();
        let chain = self.iterable(&expr.expr, &mut stmts);
        let name = expr.label.as_ref().map(|label| label.name.ident.clone());
        self.run_all(
            chain,
            span,
            &mut stmts,
            &mut |p, run: &mut Run, item, out| {
                p.labels.push(Label {
                    name: name.clone(),
                    scope: run.stop,
                    next: run.next,
                    is_loop: true,
                });
                p.scopes.push(Vec::new());
                p.bind_argument(&expr.pat, None, item, out);
                let body = p.block(&expr.body);
                out.extend(body.stmts);
                out.extend(body.value.map(|value| Stmt::Expr(*value)));
                p.scopes.pop();
                p.labels.pop();
            },
        );
        if let Some((attr, states)) = states {
            self.keep_states(attr, states, &mut stmts);
        }
        // A loop that is one statement is the one that was written.
        if let [Stmt::Expr(only)] = &mut stmts[..]
            && matches!(only.kind, ExprKind::For { .. })
        {
            let kind = std::mem::replace(&mut only.kind, ExprKind::Unit);
            return self.sourced(kind, source);
        }
        let block = crate::hir::Block::statements(stmts, span);
        self.sourced(ExprKind::Block(block, None), source)
    }
}

/// Returns `true` if an expression is the call of a function or of a method of the user's, whose items are pushed one by one.
fn is_call(items: &syn::Expr) -> bool {
    match items {
        syn::Expr::Call(call) => match &*call.func {
            syn::Expr::Path(path) => {
                let last = path.path.segments.last();
                last.is_some_and(|name| !name.ident.to_string().starts_with(char::is_uppercase))
            }
            _ => true,
        },
        syn::Expr::MethodCall(call) => {
            let name = call.method.to_string();
            let of_option = std_model::method(Of::Option, &name);
            let of_std = [COPIES, READS, LENDS, OF_SLICES]
                .iter()
                .any(|what| does(&name, *what))
                || of_option.is_some_and(|method| !method.takes_function());
            !of_std && name != "drain" && name != "split_off"
        }
        _ => false,
    }
}

/// The type in `sum::<T>()`.
pub(super) fn turbofish(call: &syn::ExprMethodCall) -> Option<syn::Type> {
    match call.turbofish.as_ref()?.args.first()? {
        syn::GenericArgument::Type(ty) => Some(ty.clone()),
        _ => None,
    }
}

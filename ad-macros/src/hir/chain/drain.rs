//! `list.drain(a..b)`: the elements that are taken out of a list are a list of their own.
//!
//! ```text
//! Input:  list.drain(a..b)
//! Output: let mut drained = list.split_off(a); let mut rest = drained.split_off(b - a); list.append(&mut rest);
//! ```

use proc_macro2::Span;

use crate::hir::parse::Parser;
use crate::hir::{Expr, ExprKind, Stmt, Var};
use crate::ir::BinaryOp;

impl Parser {
    /// Takes out the elements that `call` drains; `None` if it is another method.
    pub(super) fn drained(
        &mut self,
        call: &syn::ExprMethodCall,
        stmts: &mut Vec<Stmt>,
    ) -> Option<Var> {
        let range = drained_range(call)?;
        let (list, span) = (&call.receiver, call.method.span());
        let lo = match &range.start {
            Some(lo) => self.expr(lo),
            None => self.count("0", span),
        };
        let lo = self.position_of("lo", lo, stmts);
        let hi = range.end.as_ref().map(|hi| self.expr(hi)).map(|hi| {
            let closed = matches!(range.limits, syn::RangeLimits::Closed(_));
            let hi = if closed {
                let one = self.count("1", span);
                self.binary_of(BinaryOp::Add, hi, one)
            } else {
                hi
            };
            self.position_of("hi", hi, stmts)
        });
        let of = self.expr(list);
        let check = self.list_check(of.clone());
        stmts.push(Stmt::Expr(check));
        let from = self.read(lo, span);
        let drained = self.with_argument(of, "split_off", from);
        let drained = self.state("drained", None, drained, stmts);
        if let Some(hi) = hi {
            let len = self.of_vars(hi, BinaryOp::Sub, lo, span);
            let of = self.read(drained, span);
            let rest = self.with_argument(of, "split_off", len);
            let rest = self.state("rest", None, rest, stmts);
            let rest = self.read(rest, span);
            let rest = self.node(ExprKind::Ref(true, Box::new(rest)), span);
            let of = self.expr(list);
            let append = self.with_argument(of, "append", rest);
            stmts.push(Stmt::Expr(append));
        }
        Some(drained)
    }

    fn position_of(&mut self, name: &str, position: Expr, stmts: &mut Vec<Stmt>) -> Var {
        let ty = syn::parse_quote!(::core::primitive::usize);
        self.fixed_as(name, Some(ty), position, stmts)
    }

    /// `receiver.name(arg)`.
    pub(super) fn with_argument(&mut self, receiver: Expr, name: &str, arg: Expr) -> Expr {
        let mut call = self.method_of(receiver, name);
        if let ExprKind::Method { args, .. } = &mut call.kind {
            args.push(arg);
        }
        call
    }

    /// `list.drain(a..b);`
    pub(in crate::hir) fn dropped_drain(
        &mut self,
        call: &syn::ExprMethodCall,
        source: &syn::Expr,
    ) -> Option<Expr> {
        let mut stmts = Vec::new();
        self.drained(call, &mut stmts)?;
        let span = Span::call_site();
        let unit = self.node(ExprKind::Unit, span);
        Some(self.finished(stmts, Some(unit), source))
    }
}

/// The range of `list.drain(a..b)`, where it is written and the list is a place.
pub(super) fn drained_range(call: &syn::ExprMethodCall) -> Option<&syn::ExprRange> {
    let args: Vec<&syn::Expr> = call.args.iter().collect();
    match args[..] {
        [syn::Expr::Range(range)] if call.method == "drain" && is_place(&call.receiver) => {
            Some(range)
        }
        _ => None,
    }
}

/// A variable, or a field of one.
fn is_place(source: &syn::Expr) -> bool {
    match source {
        syn::Expr::Path(path) => path.path.get_ident().is_some(),
        syn::Expr::Field(field) => is_place(&field.base),
        _ => false,
    }
}

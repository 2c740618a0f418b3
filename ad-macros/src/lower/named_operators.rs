//! Operators of numbers that are called by the names of their methods.
//!
//! ```text
//! Input:  x.mul(k); Mul::mul(x, k); x.add_assign(k);
//! Output: x * k;    x * k;          x += k;
//! ```
//!
//! Where the receiver is a number, a trait of the user's may have a method of the same name. In front of the operator stands code that
//! never runs, and that compiles only where the name is std's: `let _ = |n: Number| n.mul(n);`.

use std::rc::Rc;

use proc_macro2::Span;
use quote::{ToTokens, quote};

use super::hir_builder::HirBuilder;
use crate::hir::{Block, Code, Expr, ExprKind, Outcome, Stmt, Verbatim};
use crate::ir::UnaryOp;
use crate::types::{Type, methods};

pub(super) fn rewrite(expr: &mut Expr, maker: &mut HirBuilder<'_>) {
    let is_float = |of: &Expr| maker.types.expr(of.id).peeled().is_float();
    let (named, first, second, check) = match &expr.kind {
        ExprKind::Method {
            receiver,
            name,
            args,
            ..
        } if is_float(receiver) => {
            let Some(named) = methods::operator(&name.to_string(), args.len()) else {
                return;
            };
            let second = args.first();
            let number = second.map(|_| quote!(n));
            (named, &**receiver, second, quote!(n.#name(#number)))
        }
        ExprKind::Call { path, args } => {
            let (Some((first, rest)), Some(name)) =
                (args.split_first(), methods::of_operator_trait(path))
            else {
                return;
            };
            let Some(named) = methods::operator(&name, rest.len()) else {
                return;
            };
            if named.assigns() || !is_float(first) {
                return;
            }
            let second = rest.first();
            let number = second.map(|_| quote!(, n));
            (named, first, second, quote!(#path(n #number)))
        }
        _ => return,
    };
    let (span, ty) = (expr.span, maker.types.expr(expr.id).clone());
    let first = Box::new(first.clone());
    let second = second.map(|second| Box::new(second.clone()));
    let kind = match (named, second) {
        (methods::Operator::Neg, _) => ExprKind::Unary(UnaryOp::Neg, first),
        (methods::Operator::Binary(op), Some(second)) => ExprKind::Binary(op, first, second),
        (methods::Operator::Assign(op), Some(second)) => ExprKind::AssignOp(op, first, second),
        _ => return,
    };
    let value = Some(Box::new(maker.node(kind, ty, span)));
    let check = maker.never_run(&quote!({ let _ = |mut n: __rt::Number| #check; }), span);
    let stmts = vec![Stmt::Expr(check)];
    expr.kind = ExprKind::Block(Block { stmts, value, span }, None);
}

impl HirBuilder<'_> {
    /// Code that mentions nothing and has no effect.
    fn never_run(&mut self, code: &dyn ToTokens, span: Span) -> Expr {
        let verbatim = Verbatim::inspecting(
            Vec::new(),
            Outcome::Unit,
            Code::Expr(Rc::new(syn::Expr::Verbatim(code.to_token_stream()))),
        );
        self.node(ExprKind::Verbatim(Box::new(verbatim)), Type::Unit, span)
    }
}

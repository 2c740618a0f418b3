//! `collect()` into a `Vec`.

use proc_macro2::Span;

use super::Chain;
use super::consume::turbofish;
use crate::hir::build::typed;
use crate::hir::parse::Parser;
use crate::hir::{Block, Expr, ExprKind, MapCall, Pat, Stmt};

impl Parser {
    /// The chain of `chain.collect()`, unless it collects to something else than a `Vec`.
    pub(super) fn vec_chain(
        &mut self,
        call: &syn::ExprMethodCall,
        stmts: &mut Vec<Stmt>,
    ) -> Option<Chain> {
        if let Some(ty) = turbofish(call)
            && !is_vec(&ty)
        {
            return None;
        }
        self.read_chain(&call.receiver, stmts)
    }

    pub(super) fn collect(
        &mut self,
        chain: Chain,
        ty: Option<syn::Type>,
        span: Span,
        stmts: &mut Vec<Stmt>,
    ) -> Expr {
        let list = if chain.is_countable(self) {
            self.collect_by_position(chain, span)
        } else {
            self.collect_by_pushing(chain, span, stmts)
        };
        if ty.is_none() {
            return list;
        }
        let var = self.temporary("list", span);
        stmts.push(typed(Pat::name(var), ty, list));
        self.read(var, span)
    }

    /// Whether a call may be `map` of an array.
    pub(in crate::hir) fn is_map(&self, call: &syn::ExprMethodCall) -> bool {
        call.method == "map" && call.args.len() == 1 && self.is_callable(&call.args[0])
    }

    /// `receiver.map(f)`.
    pub(in crate::hir) fn map_call(
        &mut self,
        call: &syn::ExprMethodCall,
        source: &syn::Expr,
    ) -> Expr {
        let span = call.method.span();
        let receiver = self.expr(&call.receiver);
        let f = self.expr(&call.args[0]);
        let mut stmts = Vec::new();
        let var = self.fixed_temporary("item", span);
        let item = self.read(var, span);
        let named = self.named;
        let value = match self.callable(&call.args[0], &mut stmts) {
            Some(f) => self.apply_here(&f, vec![item], span, &mut stmts),
            None => item,
        };
        // Verbatim, the call has the closure itself.
        self.named = named;
        let body = Block {
            stmts,
            value: Some(Box::new(value)),
            span,
        };
        let name = call.method.clone();
        let method = Box::new(MapCall { receiver, name, f });
        let pat = Pat::name(var);
        self.sourced(ExprKind::Map { method, pat, body }, source)
    }

    fn collect_by_position(&mut self, chain: Chain, span: Span) -> Expr {
        let opened = self.open(chain, span);
        let mut body = Vec::new();
        let item = self.item_value(&opened.item, span, &mut body);
        let body = Block {
            stmts: body,
            value: Some(Box::new(item)),
            span,
        };
        let kind = ExprKind::Collect {
            pat: opened.pat,
            head: Box::new(opened.head),
            body,
        };
        self.node(kind, span)
    }

    /// ```text
    /// Input:  chain.collect()
    /// Output: let mut list = Vec::new(); for item in chain { list.push(item); } list
    /// ```
    fn collect_by_pushing(&mut self, chain: Chain, span: Span, stmts: &mut Vec<Stmt>) -> Expr {
        let kind = ExprKind::Array {
            elems: Vec::new(),
            vec: true,
        };
        let empty = self.node(kind, span);
        let list = self.state("list", None, empty, stmts);
        let place = self.read(list, span);
        self.extend(&place, chain, span, stmts);
        self.read(list, span)
    }

    /// ```text
    /// Input:  list.extend(chain)
    /// Output: for item in chain { list.push(item); }
    /// ```
    pub(super) fn extend(&mut self, list: &Expr, chain: Chain, span: Span, stmts: &mut Vec<Stmt>) {
        let by_ref = chain.is_by_reference();
        let stop = self.new_scope();
        self.run_all(chain, stop, span, stmts, &mut |p, _, item, out| {
            let mut push = p.method_of(list.clone(), "push");
            if let ExprKind::Method { args, .. } = &mut push.kind {
                // `extend` takes references too, and copies what is behind them.
                args.push(if by_ref { p.cloned(item) } else { item });
            }
            out.push(Stmt::Expr(push));
        });
    }
}

/// `Vec<..>`.
fn is_vec(ty: &syn::Type) -> bool {
    matches!(ty, syn::Type::Path(path) if path.path.segments.last().is_some_and(|s| s.ident == "Vec"))
}

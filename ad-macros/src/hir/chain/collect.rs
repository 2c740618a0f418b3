//! `collect()` into a `Vec`.

use proc_macro2::Span;
use syn::spanned::Spanned;

use super::Chain;
use super::consume::turbofish;
use crate::hir::build::typed;
use crate::hir::closure::{Callable, stripped};
use crate::hir::parse::Parser;
use crate::hir::{Block, Expr, ExprKind, Head, MapCall, Pat, Stmt, Var};

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

    /// Whether a call may be `map` of an array or `Option`, or one of the methods of `Option` that take a closure.
    pub(in crate::hir) fn is_map(&self, call: &syn::ExprMethodCall) -> bool {
        let args = match call.method.to_string().as_str() {
            "map" | "and_then" | "unwrap_or_else" => 1,
            "map_or" => 2,
            _ => return false,
        };
        call.args.len() == args
            && call.args.last().is_some_and(|f| match (args, stripped(f)) {
                // The names alone don't tell that these are std's.
                (_, syn::Expr::Closure(_)) => self.is_callable(f),
                _ => call.method == "map" && self.is_callable(f),
            })
    }

    /// `receiver.map(f)`, or `receiver.map_or(default, f)`.
    pub(in crate::hir) fn map_call(
        &mut self,
        call: &syn::ExprMethodCall,
        source: &syn::Expr,
    ) -> Expr {
        let span = call.method.span();
        let receiver = self.expr(&call.receiver);
        let default = (call.args.len() == 2).then(|| self.expr(&call.args[0]));
        let source_of_f = &call.args[call.args.len() - 1];
        let f = self.expr(source_of_f);
        let mut stmts = Vec::new();
        let var = self.fixed_temporary("item", span);
        let item = self.read(var, span);
        let named = self.named;
        // `|| default`, of an `Option`.
        let thunk = matches!(stripped(source_of_f), syn::Expr::Closure(f) if f.inputs.is_empty());
        let value = match self.callable(source_of_f, &mut stmts) {
            Some(f) if thunk => self.apply_here(&f, Vec::new(), span, &mut stmts),
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
        let method = Box::new(MapCall {
            receiver,
            name,
            default,
            f,
        });
        let pat = Pat::name(var);
        self.sourced(ExprKind::Map { method, pat, body }, source)
    }

    /// ```text
    /// Input:  array::from_fn(|k| body)
    /// Output: (0..).map(|k| body).collect(), as far as the array goes
    /// ```
    pub(in crate::hir) fn array_from_fn(
        &mut self,
        path: &syn::ExprPath,
        call: &syn::ExprCall,
        source: &syn::Expr,
    ) -> Option<Expr> {
        let mut segments = path.path.segments.iter().rev();
        let is = segments.next().is_some_and(|last| last.ident == "from_fn")
            && segments
                .next()
                .is_some_and(|parent| parent.ident == "array");
        let args: Vec<&syn::Expr> = call.args.iter().collect();
        let [f] = args[..] else { return None };
        if !is || !self.is_callable(f) {
            return None;
        }
        let span = source.span();
        let mut stmts = Vec::new();
        let f = self.callable(f, &mut stmts)?;
        let zero = self.count("0", span);
        let positions = Chain::Source(Head::Count(Box::new(zero)));
        let mut array = self.collect_by_position(Chain::Map(Box::new(positions), f), span);
        if let Some(ty) = path.path.segments.last().and_then(written_array) {
            let var = self.temporary("list", span);
            stmts.push(typed(Pat::name(var), Some(ty), array));
            array = self.read(var, span);
        }
        if stmts.is_empty() {
            return Some(self.sourced(array.kind, source));
        }
        Some(self.finished(stmts, Some(array), source))
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
        let list = self.empty_list(span, stmts);
        let place = self.read(list, span);
        self.extend(&place, chain, span, stmts);
        self.read(list, span)
    }

    /// `let mut list = Vec::new();`.
    fn empty_list(&mut self, span: Span, stmts: &mut Vec<Stmt>) -> Var {
        let kind = ExprKind::Array {
            elems: Vec::new(),
            vec: true,
        };
        let empty = self.node(kind, span);
        self.state("list", None, empty, stmts)
    }

    /// `list.push(item);`.
    fn push(&mut self, list: Expr, item: Expr) -> Stmt {
        let mut push = self.method_of(list, "push");
        if let ExprKind::Method { args, .. } = &mut push.kind {
            args.push(item);
        }
        Stmt::Expr(push)
    }

    /// ```text
    /// Input:  chain.unzip()
    /// Output: let (mut a, mut b) = (Vec::new(), Vec::new()); for (p, q) in chain { a.push(p); b.push(q); } (a, b)
    /// ```
    pub(super) fn unzip(&mut self, chain: Chain, span: Span, stmts: &mut Vec<Stmt>) -> Expr {
        let lists = [span; 2].map(|span| self.empty_list(span, stmts));
        let stop = self.new_scope();
        self.run_all(chain, stop, span, stmts, &mut |p, _, item, out| {
            let parts = match item.kind {
                ExprKind::Tuple(parts) => parts,
                _ => {
                    let vars = [span; 2].map(|span| p.temporary("part", span));
                    let elems = vars.map(Pat::name).to_vec();
                    let pat = Pat::Tuple { elems, rest: None };
                    out.push(Stmt::bind(pat, item, span));
                    vars.map(|var| p.read(var, span)).to_vec()
                }
            };
            for (list, part) in lists.iter().zip(parts) {
                let list = p.read(*list, span);
                out.push(p.push(list, part));
            }
        });
        self.pair_of(lists, span)
    }

    /// ```text
    /// Input:  chain.partition(f)
    /// Output: let (mut a, mut b) = (Vec::new(), Vec::new()); for item in chain { if f(&item) { a.push(item); } else { b.push(item); } } (a, b)
    /// ```
    pub(super) fn partition(
        &mut self,
        chain: Chain,
        f: &Callable,
        span: Span,
        stmts: &mut Vec<Stmt>,
    ) -> Expr {
        let lists = [span; 2].map(|span| self.empty_list(span, stmts));
        let stop = self.new_scope();
        self.run_all(chain, stop, span, stmts, &mut |p, _, item, out| {
            let item = p.kept(item, out);
            let cond = p.holds(f, &item, span, out);
            let [then, other] = lists.map(|list| {
                let (list, item) = (p.read(list, span), p.again(&item));
                vec![p.push(list, item)]
            });
            out.push(p.choose(cond, then, other));
        });
        self.pair_of(lists, span)
    }

    fn pair_of(&mut self, lists: [Var; 2], span: Span) -> Expr {
        let lists = lists.map(|list| self.read(list, span)).to_vec();
        self.node(ExprKind::Tuple(lists), span)
    }

    /// ```text
    /// Input:  list.extend(chain)
    /// Output: for item in chain { list.push(item); }
    /// ```
    pub(super) fn extend(&mut self, list: &Expr, chain: Chain, span: Span, stmts: &mut Vec<Stmt>) {
        let by_ref = chain.is_by_reference();
        let stop = self.new_scope();
        self.run_all(chain, stop, span, stmts, &mut |p, _, item, out| {
            // `extend` takes references too, and copies what is behind them.
            let item = if by_ref { p.cloned(item) } else { item };
            out.push(p.push(list.clone(), item));
        });
    }
}

/// The type in `from_fn::<T, N, _>`.
fn written_array(name: &syn::PathSegment) -> Option<syn::Type> {
    let syn::PathArguments::AngleBracketed(args) = &name.arguments else {
        return None;
    };
    let mut args = args.args.iter();
    let (Some(syn::GenericArgument::Type(elem)), Some(len)) = (args.next(), args.next()) else {
        return None;
    };
    match len {
        syn::GenericArgument::Const(len) => Some(syn::parse_quote!([#elem; #len])),
        syn::GenericArgument::Type(syn::Type::Path(len)) => Some(syn::parse_quote!([#elem; #len])),
        _ => None,
    }
}

/// `Vec<..>`.
fn is_vec(ty: &syn::Type) -> bool {
    matches!(ty, syn::Type::Path(path) if path.path.segments.last().is_some_and(|s| s.ident == "Vec"))
}

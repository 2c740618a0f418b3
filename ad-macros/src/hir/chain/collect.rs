//! `collect()` into a `Vec`.
//!
//! The result has the type that the context wants, and is a `Vec` only where nothing says otherwise (`Func::collects`): verbatim code that
//! collects to a set must not be taken for one that collects to a list.

use proc_macro2::Span;
use syn::spanned::Spanned;

use super::Chain;
use super::consume::turbofish;
use crate::hir::build::typed;
use crate::hir::closure::Callable;
use crate::hir::parse::Parser;
use crate::hir::{Block, Expr, ExprKind, Iterable, Pat, Stmt, Var};
use crate::paths::{ends_in, of_std};
use crate::types::Declared;
use crate::types::written::{deque_element, generic, is_alias, is_collection, is_deque};

impl Parser {
    /// The chain of `chain.collect()`, unless it collects to something else than a `Vec` or a `VecDeque`.
    pub(super) fn vec_chain(
        &mut self,
        call: &syn::ExprMethodCall,
        stmts: &mut Vec<Stmt>,
    ) -> Option<Chain> {
        if let Some(ty) = turbofish(call)
            && !matches!(&ty, syn::Type::Path(path) if ends_in(&path.path, "Vec"))
            && !is_deque(&ty)
        {
            return None;
        }
        self.ended_chain(call, stmts)
    }

    pub(super) fn collect(
        &mut self,
        chain: Chain,
        ty: Option<syn::Type>,
        span: Span,
        stmts: &mut Vec<Stmt>,
    ) -> Expr {
        let list = if chain.is_countable(self) && !chain.steps_unknown() {
            self.collect_by_position(chain, span)
        } else {
            self.collect_by_pushing(chain, span, stmts)
        };
        let Some(ty) = ty else {
            return list;
        };
        let deque = is_deque(&ty);
        let ty = if deque { as_vec(&ty) } else { ty };
        let var = self.temporary("list", span);
        stmts.push(typed(Pat::name(var), Some(ty), list));
        let list = self.read(var, span);
        if deque {
            return self.method_of(list, "into_deque");
        }
        list
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
        let is = of_std(&path.path, "array").is_some_and(|name| name == "from_fn");
        let args: Vec<&syn::Expr> = call.args.iter().collect();
        let [f] = args[..] else { return None };
        if !is || !self.is_callable(f) {
            return None;
        }
        let span = source.span();
        let mut stmts = Vec::new();
        let f = self.callable(f, &mut stmts)?;
        let zero = self.count("0", span);
        let positions = Chain::Source(Iterable::Count(Box::new(zero)));
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
        let body = Block::with_value(body, item, span);
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
        let empty = self.node(ExprKind::empty_list(), span);
        self.state("list", None, empty, stmts)
    }

    /// `list.push(item);`.
    fn push(&mut self, list: Expr, item: Expr) -> Stmt {
        Stmt::Expr(self.with_argument(list, "push", item))
    }

    /// ```text
    /// Input:  chain.unzip()
    /// Output: let (mut a, mut b) = (Vec::new(), Vec::new()); for (p, q) in chain { a.push(p); b.push(q); } (a, b)
    /// ```
    pub(super) fn unzip(&mut self, chain: Chain, span: Span, stmts: &mut Vec<Stmt>) -> Expr {
        let lists = [span; 2].map(|span| self.empty_list(span, stmts));
        self.run_all(chain, span, stmts, &mut |p, _, item, out| {
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
        let by_ref = chain.is_by_reference();
        self.run_all(chain, span, stmts, &mut |p, _, item, out| {
            let item = p.kept(item, out);
            let cond = p.holds(f, &item, span, out);
            let [then, other] = lists.map(|list| {
                let (list, item) = (p.read(list, span), p.again(&item));
                // As with `extend`.
                let item = if by_ref { p.cloned(item) } else { item };
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
        stmts.push(Stmt::Expr(self.list_check(list.clone())));
        self.run_all(chain, span, stmts, &mut |p, _, item, out| {
            // `extend` takes references too, and copies their targets.
            let item = if by_ref { p.cloned(item) } else { item };
            out.push(p.push(list.clone(), item));
        });
    }

    /// A check that the receiver of a method of lists is one of std's, whose other methods may take the place of this one.
    pub(super) fn list_check(&mut self, list: Expr) -> Expr {
        let (span, path) = (list.span, syn::parse_quote!(::chainrule::__list));
        let args = vec![self.borrow(list)];
        self.node(ExprKind::Call { path, args }, span)
    }
}

/// True for a call that checks that its argument is a list of std's.
pub(crate) fn is_list_check(path: &syn::ExprPath) -> bool {
    let last = path.path.segments.last();
    path.path.leading_colon.is_some() && last.is_some_and(|last| last.ident == "__list")
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

impl Parser {
    /// `chain.collect()`, `sum()` or `product()` of which only the type that is wanted says that it is no `Vec` or number, with that type; and branches
    /// that end in such calls, if an `Option` or a `Result` is wanted.
    ///
    /// ```text
    /// Input:  match mode { 0 => x.iter().map(f).sum(), _ => Ok(0.0) }
    /// Output: match mode { 0 => x.iter().map(f).sum::<Result<f64, E>>(), _ => Ok(0.0) }
    /// ```
    pub(in crate::hir) fn collect_to(
        &self,
        value: &syn::Expr,
        ty: &syn::Type,
    ) -> Option<syn::Expr> {
        if let syn::Expr::MethodCall(call) = value
            && call.method == "collect"
        {
            return is_collection(ty).then(|| collected_to(call, ty))?;
        }
        let short = generic(ty).is_some_and(|(name, _)| name == "Option" || name == "Result");
        let mut value = value.clone();
        (short && self.in_value(&mut value, ty)).then_some(value)
    }

    /// The same of a value that the function or closure returns.
    pub(in crate::hir) fn returned(&self, value: &syn::Expr) -> Option<syn::Expr> {
        self.collect_to(value, self.returns.last()?)
    }

    /// The same of the body of a function.
    pub(in crate::hir) fn ending_in_collect(&self, body: &syn::Block) -> Option<syn::Block> {
        let Some((syn::Stmt::Expr(last, None), _)) = body.stmts.split_last() else {
            return None;
        };
        let last = self.returned(last)?;
        let mut body = body.clone();
        body.stmts.pop();
        body.stmts.push(syn::Stmt::Expr(last, None));
        Some(body)
    }

    /// Changes the ends of chains that a value may come from; true if there are any.
    fn in_value(&self, value: &mut syn::Expr, ty: &syn::Type) -> bool {
        match value {
            syn::Expr::Paren(inner) => self.in_value(&mut inner.expr, ty),
            syn::Expr::Group(inner) => self.in_value(&mut inner.expr, ty),
            syn::Expr::Block(inner) => self.in_block(&mut inner.block, ty),
            syn::Expr::If(choice) => {
                let then = self.in_block(&mut choice.then_branch, ty);
                let other = choice.else_branch.as_mut();
                other.is_some_and(|(_, other)| self.in_value(other, ty)) || then
            }
            syn::Expr::Match(choice) => {
                let arms = choice.arms.iter_mut();
                let found = arms.filter_map(|arm| self.in_value(&mut arm.body, ty).then_some(()));
                found.count() > 0
            }
            syn::Expr::MethodCall(call) => {
                let name = call.method.to_string();
                let ends = ["collect", "sum", "product"].contains(&name.as_str())
                    // A type of the file may have a method of the name.
                    && (self.is_chain(&call.receiver) || !self.siblings.have_method(&name));
                let to = collected_to(call, ty).filter(|_| ends);
                let found = to.is_some();
                if let Some(to) = to {
                    *value = to;
                }
                found
            }
            _ => false,
        }
    }

    fn in_block(&self, block: &mut syn::Block, ty: &syn::Type) -> bool {
        match block.stmts.last_mut() {
            Some(syn::Stmt::Expr(last, None)) => self.in_value(last, ty),
            _ => false,
        }
    }
}

/// `chain.collect::<ty>()`, if it is `chain.collect()`.
fn collected_to(call: &syn::ExprMethodCall, ty: &syn::Type) -> Option<syn::Expr> {
    if call.turbofish.is_some() {
        return None;
    }
    let mut call = call.clone();
    call.turbofish = Some(syn::parse_quote!(::<#ty>));
    Some(syn::Expr::MethodCall(call))
}

/// `chain.collect()` to a type that may be another name for a `Vec`: as verbatim code, it collects to that type.
pub(in crate::hir) fn collect_to_alias(init: &syn::Expr, ty: &syn::Type) -> Option<syn::Expr> {
    match init {
        syn::Expr::MethodCall(call) if call.method == "collect" && is_alias(ty) => {
            collected_to(call, ty)
        }
        _ => None,
    }
}

/// A `Vec` with the elements of a `VecDeque`.
fn as_vec(ty: &syn::Type) -> syn::Type {
    let elem = deque_element(ty, &Declared::default());
    let elem = elem.map_or_else(|| syn::parse_quote!(_), Clone::clone);
    syn::parse_quote!(Vec<#elem>)
}

//! Blocks and statements.

use std::collections::HashSet;
use std::rc::Rc;

use proc_macro2::Span;
use quote::{ToTokens as _, quote};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use super::chain::{collect_to_alias, mentions_name};
use super::parse::Parser;
use super::{
    Block, Code, Expr, ExprKind, Let, Mention, Outcome, Pat, Stmt, Var, Verbatim, cases,
    destructured,
};
use crate::diagnostics::{Errors, Whole, error};
use crate::enclosing::{declared_names, first_names};
use crate::syntax::path_of;

impl Parser {
    /// A block, in a scope of its own.
    pub(super) fn block(&mut self, block: &syn::Block) -> Block {
        self.scoped(|parser| parser.block_here(block))
    }

    /// A block whose bindings go to the innermost scope.
    pub(super) fn block_here(&mut self, block: &syn::Block) -> Block {
        // Items are visible in the whole block.
        for stmt in &block.stmts {
            if let syn::Stmt::Item(item) = stmt {
                self.item(item);
            }
        }
        let mut stmts = Vec::new();
        let mut value = None;
        let mut written = one_by_one(&block.stmts);
        let mut next = 0;
        while next < written.len() {
            let k = next;
            next += 1;
            if let Some((new, used)) = self.without_written_view(&written[k], &written[next..]) {
                written.splice(k..=k + used, new);
            }
            let stmt = &written[k];
            let last = k + 1 == written.len();
            match stmt {
                syn::Stmt::Item(_) => {}
                // A semicolon that stands alone.
                syn::Stmt::Expr(syn::Expr::Verbatim(tokens), Some(_)) if tokens.is_empty() => {}
                syn::Stmt::Local(local)
                    if self.known_local(local, &written[k + 1..], &mut stmts)
                        || self.lent_local(local, &mut stmts)
                        || self.filled_local(local, &mut stmts) => {}
                syn::Stmt::Local(local) => {
                    match local.init.as_ref().and_then(|init| init.diverge.as_ref()) {
                        Some((_, diverge)) => self.let_else(local, diverge, &mut stmts),
                        None => {
                            let bound = self.local(local);
                            let check = self.checked_alias(local, &bound);
                            self.named_tuple(local, &bound, &mut stmts);
                            stmts.push(Stmt::Let(Box::new(bound)));
                            stmts.extend(check);
                        }
                    }
                }
                syn::Stmt::Expr(expr, None) if last => value = Some(Box::new(self.expr(expr))),
                syn::Stmt::Expr(expr, _) => {
                    let expr = self.statement(expr);
                    stmts.push(Stmt::Expr(expr));
                }
                syn::Stmt::Macro(mac) => {
                    let source = syn::Expr::Macro(syn::ExprMacro {
                        attrs: Vec::new(),
                        mac: mac.mac.clone(),
                    });
                    let expr = self.macro_call(&mac.mac, &source, true);
                    if last && mac.semi_token.is_none() {
                        value = Some(Box::new(expr));
                    } else {
                        stmts.push(Stmt::Expr(expr));
                    }
                }
            }
        }
        Block {
            stmts,
            value,
            span: block.span(),
        }
    }

    /// An expression whose value is dropped.
    fn statement(&mut self, expr: &syn::Expr) -> Expr {
        match expr {
            syn::Expr::Macro(mac) => self.macro_call(&mac.mac, expr, true),
            syn::Expr::MethodCall(call) => match self
                .dropped_drain(call, expr)
                .or_else(|| self.dropped_step(call, expr))
                .or_else(|| self.by_prelude(call, true))
            {
                Some(dropped) => dropped,
                None => self.expr(expr),
            },
            other => self.expr(other),
        }
    }

    pub(super) fn local(&mut self, local: &syn::Local) -> Let {
        let ty = match &local.pat {
            syn::Pat::Type(pat) => Some((*pat.ty).clone()),
            _ => None,
        };
        // The initial value is outside of the scope that the pattern opens.
        let init = local.init.as_ref().map(|init| {
            let collect = ty.as_ref().and_then(|ty| {
                self.collect_to(&init.expr, ty)
                    .or_else(|| self.collected_array(&init.expr, ty))
            });
            let mut value = self.argument(collect.as_ref().unwrap_or(&init.expr));
            if let Some(ty) = &ty
                && value.source.is_some()
                && let Some(source) = collect_to_alias(&init.expr, ty)
            {
                value.source = Some(Rc::new(source));
            }
            value
        });
        let pat = self.pattern(&local.pat);
        if let (Pat::Bind { var, .. }, Some(ty)) = (&pat, ty.clone().or_else(|| made_by(local))) {
            self.written.insert(*var, ty);
        }
        if let (Pat::Bind { var, .. }, Some(init)) = (&pat, &local.init)
            && self.is_array(&init.expr)
        {
            self.arrays.insert(*var);
        }
        if let (Pat::Bind { var, by_ref: None }, Some(init)) = (&pat, &init)
            && init
                .root()
                .is_some_and(|function| self.functions.contains(&function))
        {
            self.functions.push(*var);
        }
        Let {
            pat,
            ty,
            init,
            span: local.span(),
        }
    }

    /// A name for the item that a chain keeps, where that is a tuple: it is a name for its parts. If something else is done with it, it is there.
    ///
    /// ```text
    /// Input:  let best = x.iter().enumerate().min_by(f).unwrap();  best.1
    /// Output: (the loop);  &x[k]
    /// ```
    fn named_tuple(&mut self, local: &syn::Local, bound: &Let, stmts: &mut Vec<Stmt>) {
        let (Pat::Bind { var, by_ref: None }, None, Some(init), Some(written)) =
            (&bound.pat, &bound.ty, &bound.init, &local.init)
        else {
            return;
        };
        let mut value = init;
        while let ExprKind::Block(block, None) = &value.kind
            && let Some(inner) = &block.value
        {
            value = inner;
        }
        let known = value.id != init.id && self.is_fixed_tuple(value);
        if !known || self.vars[var.0 as usize].mutable {
            return;
        }
        // The name isn't in reach yet.
        let name = self.scopes.last_mut().and_then(Vec::pop);
        let mut parts = self.argument(&written.expr);
        while let ExprKind::Block(block, None) = parts.kind {
            stmts.extend(block.stmts);
            let Some(inner) = block.value else { return };
            parts = *inner;
        }
        if let Some(scope) = self.scopes.last_mut() {
            scope.extend(name);
        }
        self.tuples.insert(*var, parts);
        self.droppable.insert(*var);
    }

    /// A collected list is assumed to be a `Vec`, where an annotation is only another name: rustc checks if it is one.
    ///
    /// ```text
    /// let row: Row = chain.collect();  { let _: &Row = &row; }
    /// ```
    fn checked_alias(&mut self, local: &syn::Local, bound: &Let) -> Option<Stmt> {
        let (Pat::Bind { var, .. }, Some(ty)) = (&bound.pat, &bound.ty) else {
            return None;
        };
        let init = local.init.as_ref()?;
        collect_to_alias(&init.expr, ty)?;
        Some(self.checked_type(*var, ty, ty.span(), bound.span))
    }

    /// `{ let _: &ty = &var; }`.
    pub(super) fn checked_type(&mut self, var: Var, ty: &syn::Type, span: Span, of: Span) -> Stmt {
        let mut ident = self.vars[var.0 as usize].ident.clone();
        ident.set_span(ident.span().located_at(span));
        let source = syn::parse_quote_spanned!(span=> { let _: &#ty = &#ident; });
        let mentions = vec![Mention::read(var)];
        let code = Code::Expr(Rc::new(source));
        let verbatim = Verbatim::inspecting(mentions, Outcome::Unit, code);
        Stmt::Expr(self.node(ExprKind::Verbatim(Box::new(verbatim)), of))
    }

    /// An item of the body: kept as it is.
    fn item(&mut self, item: &syn::Item) {
        let hidden = match item {
            syn::Item::Const(item) => {
                self.constants
                    .push((item.ident.to_string(), (*item.ty).clone()));
                None
            }
            syn::Item::Static(item) => {
                if let syn::StaticMutability::Mut(token) = &item.mutability {
                    self.error(
                        token.span,
                        "`static mut` is not supported",
                        "pass the state as a `&mut` parameter",
                    );
                }
                self.constants
                    .push((item.ident.to_string(), (*item.ty).clone()));
                None
            }
            syn::Item::Macro(item) => {
                self.error(
                    Whole(item),
                    "macros defined in the body are not supported",
                    "define the macro outside of the function",
                );
                None
            }
            syn::Item::Struct(item) => Some(&item.ident),
            syn::Item::Enum(item) => Some(&item.ident),
            syn::Item::Union(item) => Some(&item.ident),
            syn::Item::Type(item) => Some(&item.ident),
            _ => None,
        };
        self.hidden_types.extend(hidden);
        self.items.push(item.clone());
    }

    /// The body of a loop or an arm as a block.
    pub(super) fn as_block(expr: Expr) -> Block {
        match expr.kind {
            ExprKind::Block(block, None) => block,
            kind => Block::of(Expr { kind, ..expr }),
        }
    }
}

/// ```text
/// Input:  let (mut a, mut b) = (x.iter(), y.iter()); let (c, d);
/// Output: let mut a = x.iter(); let mut b = y.iter(); let c; let d;
/// ```
fn one_by_one(stmts: &[syn::Stmt]) -> Vec<syn::Stmt> {
    let split = |stmt: &syn::Stmt| match stmt {
        syn::Stmt::Local(local) => locals(local)
            .or_else(|| destructured::declared(local))
            .or_else(|| Some(vec![cases::local(local)?]))
            .unwrap_or_else(|| vec![stmt.clone()]),
        _ => vec![stmt.clone()],
    };
    stmts.iter().flat_map(split).collect()
}

/// The parts of a `let` of a tuple, some of which are calls that `mut` variables hold, if none of them reads another.
fn locals(local: &syn::Local) -> Option<Vec<syn::Stmt>> {
    let init = local.init.as_ref().filter(|init| init.diverge.is_none())?;
    let (syn::Pat::Tuple(pats), syn::Expr::Tuple(values)) = (&local.pat, &*init.expr) else {
        return None;
    };
    let steps = |(pat, value): (&syn::Pat, &syn::Expr)| {
        let mutable = matches!(pat, syn::Pat::Ident(pat) if pat.mutability.is_some());
        mutable && matches!(value, syn::Expr::MethodCall(_) | syn::Expr::Range(_))
    };
    let pairs = || pats.elems.iter().zip(&values.elems);
    if pats.elems.len() != values.elems.len() || !pairs().any(steps) {
        return None;
    }
    let mut bound = Vec::new();
    for (pat, value) in pairs() {
        let syn::Pat::Ident(ident) = pat else {
            return None;
        };
        if bound.iter().any(|ident| mentions_name(value, ident)) {
            return None;
        }
        bound.push(ident.ident.clone());
    }
    let parts = pairs().map(|(pat, value)| {
        let pat = pat.clone();
        syn::parse_quote!(let #pat = #value;)
    });
    Some(parts.collect())
}

/// The type that `let x = Type::function(..);` names, and `Some(..)` and `None` have.
fn made_by(local: &syn::Local) -> Option<syn::Type> {
    if matches!(&*local.init.as_ref()?.expr, syn::Expr::Path(path) if path.path.is_ident("None")) {
        return Some(syn::parse_quote!(Option));
    }
    let syn::Expr::Call(call) = &*local.init.as_ref()?.expr else {
        return None;
    };
    let path = path_of(&call.func)?;
    let segments = &path.path.segments;
    if path.path.is_ident("Some") {
        return Some(syn::parse_quote!(Option));
    }
    let ident = &segments.get(segments.len().checked_sub(2)?)?.ident;
    Some(syn::parse_quote!(#ident))
}

/// The items of a body, with their blocks if these are inner ones. Closures with items aren't differentiated.
#[derive(Default)]
pub(super) struct Items<'ast> {
    depth: usize,
    all: Vec<(&'ast syn::Item, Option<&'ast syn::Block>)>,
}

impl<'ast> Items<'ast> {
    pub(super) fn of(body: &'ast syn::Block) -> Self {
        let mut items = Items::default();
        items.visit_block(body);
        items
    }

    /// The names of functions, constants and imports: they mean these instead of what they mean beside the function.
    pub(super) fn names(&self) -> HashSet<String> {
        let all = self.all.iter();
        all.filter_map(|(item, _)| declared_names(item))
            .flatten()
            .collect()
    }

    /// Refuses items of inner blocks whose names mean something else outside of their block: rules have the items of all blocks at their top.
    pub(super) fn refuse_inner(
        &self,
        sig: &syn::Signature,
        body: &syn::Block,
        errors: &mut Errors,
    ) {
        let mut inner = self
            .all
            .iter()
            .filter_map(|(item, block)| Some((item, (*block)?)))
            .peekable();
        if inner.peek().is_none() {
            return;
        }
        let all = quote!(#sig #body);
        for (item, block) in inner {
            let Some(names) = declared_names(item) else {
                errors.push(error(
                    Whole(item),
                    "an import of all names in an inner block is not supported",
                    "move it to the top of the function's body",
                ));
                continue;
            };
            let block = block.to_token_stream();
            let elsewhere = names
                .iter()
                .find(|name| first_names(all.clone(), name) > first_names(block.clone(), name));
            if let Some(name) = elsewhere {
                errors.push(error(
                    Whole(item),
                    format!("`{name}` is declared in an inner block, and is a name outside of this block, too"),
                    "give it another name",
                ));
            }
        }
    }
}

impl<'ast> Visit<'ast> for Items<'ast> {
    fn visit_block(&mut self, block: &'ast syn::Block) {
        let items = block.stmts.iter().filter_map(|stmt| match stmt {
            syn::Stmt::Item(item) => Some(item),
            _ => None,
        });
        let inner = (self.depth > 0).then_some(block);
        self.all.extend(items.map(|item| (item, inner)));
        self.depth += 1;
        visit::visit_block(self, block);
        self.depth -= 1;
    }

    fn visit_item(&mut self, _: &'ast syn::Item) {}

    fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}
}

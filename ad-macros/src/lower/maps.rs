//! Rewrites `receiver.map(f)`, and other methods that take closures, once types are known. Runs first.
//!
//! ```text
//! Input:  array.map(f)
//! Output: collect of a loop over the elements, with the closure's body
//! ```
//!
//! ```text
//! Input:  option.map(f), result.map_err(f), option.map_or(x, f), option.unwrap_or_else(f), ...
//! Output: match option { Some(v) => Some(f(v)), None => None }, and so on, with the closure's body
//! ```
//!
//! ```text
//! Input:  condition.then(f)
//! Output: if condition { Some(f()) } else { None }
//! ```
//!
//! ```text
//! Input:  list.retain(f)
//! Output: { let all = list.split_off(0); for item in all { if f(&item) { list.push(item); } } }
//! ```
//!
//! Any other `map` is a method like others. Closures that aren't mentioned any more are removed.

use std::collections::HashSet;

use proc_macro2::Span;

use super::hir_builder::{HirBuilder, variant};
use crate::hir::{
    Arm, Block, Elements, Expr, ExprKind, Func, Iterable, MapCall, Pat, Stmt, Var, drop_unused,
};
use crate::types::{Type, Types, inactive};

pub(super) fn resolve(func: &mut Func, types: &mut Types) {
    let droppable = std::mem::take(&mut func.droppable);
    let mut body = func.take_body();
    let mut maker = HirBuilder { func, types };
    body.each_expr_mut(&mut |expr| rewrite_expr(expr, &mut maker, &droppable));
    drop_unused(&mut body, &droppable);
    func.body = body;
}

fn rewrite_expr(expr: &mut Expr, maker: &mut HirBuilder<'_>, droppable: &HashSet<Var>) {
    expr.each_child_mut(&mut |child| rewrite_expr(child, maker, droppable));
    if !matches!(expr.kind, ExprKind::Map(_)) {
        return;
    }
    let ExprKind::Map(method) = std::mem::replace(&mut expr.kind, ExprKind::Unit) else {
        crate::diagnostics::bug!("not a `map`")
    };
    let method = *method;
    // The source calls closures that may be gone.
    let gone = method.args.iter().any(|arg| mentions_any(arg, droppable));
    let own = maker.types.expr(method.receiver.id).peeled().clone();
    let known = match own {
        Type::Array(..) => method.name == "map" && method.view.is_none(),
        Type::Bool => method.name == "then" || method.name == "then_some",
        Type::Vec(_) | Type::Deque(_) | Type::Deferred => {
            method.name == "retain" && is_retained(&method)
        }
        Type::Foreign(_) => method.view.is_none() && is_of_arrays(&method),
        Type::Option(_) | Type::Result(..) => {
            !matches!(&*method.name.to_string(), "then" | "then_some" | "retain")
        }
        _ => false,
    };
    if !known {
        expr.kind = plain(method, maker);
        return;
    }
    if gone {
        expr.source = None;
    }
    let result = maker.types.expr(expr.id).clone();
    expr.kind = match own {
        Type::Array(..) => maker.mapped_array(method),
        Type::Bool => maker.conditional(method, &result),
        Type::Foreign(_) if method.name.to_string().ends_with("_inplace") => {
            maker.changed_array(method)
        }
        Type::Foreign(_) => maker.mapped_foreign(method, result),
        Type::Vec(_) | Type::Deque(_) | Type::Deferred => maker.retained(method),
        _ => maker.either(method, &own, result),
    };
}

/// True if a method is one of a library's arrays.
fn is_of_arrays(method: &MapCall) -> bool {
    let name = method.name.to_string();
    (name == "map" || crate::types::methods::of_arrays(&name))
        && method.some.as_ref().is_some_and(|arm| arm.var.is_some())
}

/// Returns `true` if the condition of a `retain` is known, and its list is a place.
fn is_retained(method: &MapCall) -> bool {
    let item = method.some.as_ref().and_then(|arm| arm.var);
    item.is_some() && method.view.is_none() && method.receiver.root().is_some()
}

/// A method like others.
fn plain(method: MapCall, maker: &mut HirBuilder<'_>) -> ExprKind {
    let receiver = match (method.view, method.receiver.kind) {
        (Some(view), ExprKind::Ref(_, of)) => {
            let kind = ExprKind::method(*of, view, Vec::new());
            maker.node(kind, Type::Deferred, method.receiver.span)
        }
        (_, kind) => Expr {
            kind,
            ..method.receiver
        },
    };
    ExprKind::method(receiver, method.name, method.args)
}

impl HirBuilder<'_> {
    /// The value behind a reference, of which the method takes a copy.
    fn copied(&mut self, receiver: Expr) -> Expr {
        match self.types.expr(receiver.id).clone() {
            Type::Ref(_, inner) => {
                let (ty, span) = ((*inner).clone(), receiver.span);
                let inner = self.node(ExprKind::Deref(Box::new(receiver)), ty, span);
                self.copied(inner)
            }
            _ => receiver,
        }
    }

    fn mapped_array(&mut self, method: MapCall) -> ExprKind {
        let of = Box::new(self.copied(method.receiver));
        let access = Elements::Own;
        let head = Box::new(Iterable::Elements { of, access });
        let (var, body) = of_element(method.some);
        let pat = Pat::name(var);
        ExprKind::Collect { pat, head, body }
    }

    /// ```text
    /// Input:  array.mapv(|v| body)
    /// Output: { let all = &array; like(all, collect of a loop over the elements) }
    /// ```
    fn mapped_foreign(&mut self, method: MapCall, result: Type) -> ExprKind {
        let span = method.name.span();
        let by_value = method.name != "map";
        let (var, body) = of_element(method.some);
        let array = method.receiver;
        let own = self.types.expr(array.id).clone();
        let (array, ty) = if matches!(own, Type::Ref(..)) {
            (array, own)
        } else {
            let ty = Type::Ref(false, own.into());
            let kind = ExprKind::Ref(false, Box::new(array));
            (self.node(kind, ty.clone(), span), ty)
        };
        let all = self.variable("all", ty, false, span);
        let bound = Stmt::bind(Pat::name(all), array, span);
        let of = Box::new(self.read(all, span));
        self.func.unordered.insert(of.id);
        let access = Elements::Shared;
        let head = Box::new(Iterable::Elements { of, access });
        let pat = if by_value {
            Pat::Ref(Box::new(Pat::name(var)))
        } else {
            Pat::name(var)
        };
        let elem = body
            .value
            .as_ref()
            .map(|value| self.types.expr(value.id).clone());
        let list = Type::Vec(elem.unwrap_or(Type::Deferred).into());
        let list = self.node(ExprKind::Collect { pat, head, body }, list, span);
        let args = vec![self.read(all, span), list];
        let path = syn::parse_quote!(::ndarray::__like);
        let made = self.node(ExprKind::Call { path, args }, result, span);
        let block = Block::with_value(vec![bound], made, span);
        ExprKind::Block(block, None)
    }

    /// ```text
    /// Input:  array.mapv_inplace(|v| body)
    /// Output: for e in array.iter_mut() { let v = *e; *e = body; }
    /// ```
    fn changed_array(&mut self, method: MapCall) -> ExprKind {
        let span = method.name.span();
        let by_value = method.name == "mapv_inplace";
        let (var, body) = of_element(method.some);
        self.func.unordered.insert(method.receiver.id);
        let head = Iterable::Elements {
            of: Box::new(method.receiver),
            access: Elements::Mut,
        };
        let scope = self.func.new_scope();
        let (pat, body) = if by_value {
            let ty = self.types.var(var).clone();
            let place = Type::Ref(true, ty.clone().into());
            let element = self.variable("element", place, false, span);
            let old = self.behind(element, ty.clone(), span);
            let target = self.behind(element, ty.clone(), span);
            let new = self.as_expr(body, ty);
            let assign = ExprKind::Assign(Box::new(target), Box::new(new));
            let assign = self.node(assign, Type::Unit, span);
            let stmts = vec![Stmt::bind(Pat::name(var), old, span), Stmt::Expr(assign)];
            (Pat::name(element), Block::statements(stmts, span))
        } else {
            (Pat::name(var), body)
        };
        ExprKind::run(scope, pat, head, body)
    }

    /// The type behind a variable's reference.
    fn behind(&mut self, var: Var, ty: Type, span: Span) -> Expr {
        let read = self.read(var, span);
        self.node(ExprKind::Deref(Box::new(read)), ty, span)
    }

    /// ```text
    /// Input:  list.retain(|v| body)
    /// Output: { let all = list.split_off(0); for item in all { if body { list.push(item); } } }
    /// ```
    fn retained(&mut self, method: MapCall) -> ExprKind {
        let (list, span) = (method.receiver, method.name.span());
        let Some(Arm {
            var: Some(item),
            body,
        }) = method.some
        else {
            crate::diagnostics::bug!("`retain` without a function of an element")
        };
        let own = self.types.expr(list.id).peeled().clone();
        let path = syn::parse_quote!(::chainrule::__list);
        let borrowed = ExprKind::Ref(false, Box::new(list.clone()));
        let args = vec![self.node(borrowed, Type::Ref(false, own.clone().into()), span)];
        let check = self.node(ExprKind::Call { path, args }, Type::Unit, span);
        let zero = self.zero(span);
        let taken = self.method(list.clone(), "split_off", vec![zero], own.clone(), span);
        let all = self.variable("all", own, false, span);
        let kept = self.read(item, span);
        let push = self.method(list, "push", vec![kept], Type::Unit, span);
        let cond = Box::new(self.as_expr(body, Type::Bool));
        let then = Block::statements(vec![Stmt::Expr(push)], span);
        let other = None;
        let keep = self.node(ExprKind::If { cond, then, other }, Type::Unit, span);
        let (of, access) = (Box::new(self.read(all, span)), Elements::Own);
        let head = Iterable::Elements { of, access };
        let run = self.run(Pat::name(item), head, vec![Stmt::Expr(keep)], span);
        let taken = Stmt::bind(Pat::name(all), taken, span);
        let stmts = vec![Stmt::Expr(check), taken, run];
        ExprKind::Block(Block::statements(stmts, span), None)
    }

    fn conditional(&mut self, mut method: MapCall, result: &Type) -> ExprKind {
        let span = method.name.span();
        let mut stmts = Vec::new();
        let mut cond = self.copied(method.receiver);
        let then = if let Some(arm) = method.some {
            self.wrapped(some(), arm.body, result, span)
        } else {
            // The value is there in any case.
            let holds = self.variable("holds", Type::Bool, false, span);
            stmts.push(Stmt::bind(Pat::name(holds), cond, span));
            cond = self.read(holds, span);
            let value = self.first(&mut method.args, "value", span, &mut stmts);
            self.wrapped_value(some(), value, result)
        };
        let branch = ExprKind::branch(cond, Block::of(then), Some(self.nothing(result, span)));
        if stmts.is_empty() {
            return branch;
        }
        let value = self.node(branch, result.clone(), span);
        ExprKind::Block(Block::with_value(stmts, value, span), None)
    }

    /// The first argument, which is a value.
    fn first(
        &mut self,
        args: &mut Vec<Expr>,
        name: &str,
        span: Span,
        stmts: &mut Vec<Stmt>,
    ) -> Expr {
        let value = args.remove(0);
        let ty = self.types.expr(value.id).clone();
        let var = self.variable(name, ty, false, span);
        stmts.push(Stmt::bind(Pat::name(var), value, span));
        self.read(var, span)
    }

    /// ```text
    /// Input:  option.map_or(x, |v| body)
    /// Output: { let subject = option; let default = x; if subject is Some { let Some(v) = subject; body } else { default } }
    /// ```
    fn either(&mut self, mut method: MapCall, own: &Type, result: Type) -> ExprKind {
        let span = method.name.span();
        let mut stmts = Vec::new();
        let has_value = method.has_value();
        let receiver = match method.view {
            Some(_) => method.receiver,
            None => self.copied(method.receiver),
        };
        let ty = self.types.expr(receiver.id).clone();
        let subject = self.variable("subject", ty, false, span);
        stmts.push(Stmt::bind(Pat::name(subject), receiver, span));
        let default = has_value.then(|| self.first(&mut method.args, "default", span, &mut stmts));
        let name = method.name.to_string();
        let is_result = matches!(own, Type::Result(..));
        let there = if is_result { ok() } else { some() };
        let then = self.present(&name, method.some, subject, &there, &result);
        let other = match default {
            Some(default) => Block::of(default),
            None => self.absent(&name, method.none, subject, is_result, &result),
        };
        let branch = ExprKind::branch(self.is_variant(subject, &there, span), then, Some(other));
        let value = self.node(branch, result, span);
        ExprKind::Block(Block::with_value(stmts, value, span), None)
    }

    /// The code for a value that is present: `{ let Some(item) = subject; body }`.
    fn present(
        &mut self,
        name: &str,
        arm: Option<Arm>,
        subject: Var,
        path: &syn::Path,
        result: &Type,
    ) -> Block {
        let span = self.func.var(subject).ident.span();
        let item = match arm.as_ref().and_then(|arm| arm.var) {
            Some(var) => var,
            None => {
                let ty = self.rewrite_expr(subject);
                self.variable("item", ty, false, span)
            }
        };
        let mut block = match (name, arm) {
            ("map", Some(arm)) => {
                let value = self.wrapped(path.clone(), arm.body, result, span);
                Block::of(value)
            }
            ("filter", Some(arm)) => {
                let cond = self.as_expr(arm.body, Type::Bool);
                let item = self.read(item, span);
                let then = self.wrapped_value(path.clone(), item, result);
                let branch =
                    ExprKind::branch(cond, Block::of(then), Some(self.nothing(result, span)));
                let branch = self.node(branch, result.clone(), span);
                Block::of(branch)
            }
            ("inspect", Some(arm)) => {
                let seen = self.as_expr(arm.body, Type::Unit);
                let item = self.read(item, span);
                let value = self.wrapped_value(path.clone(), item, result);
                let mut block = Block::of(value);
                block.stmts.push(Stmt::Expr(seen));
                block
            }
            (_, Some(arm)) => arm.body,
            ("unwrap_or_else", None) => {
                let item = self.read(item, span);
                Block::of(item)
            }
            (_, None) => {
                let path = if name == "ok_or_else" {
                    ok()
                } else {
                    path.clone()
                };
                let item = self.read(item, span);
                let value = self.wrapped_value(path, item, result);
                Block::of(value)
            }
        };
        self.unpack(path, item, subject, &mut block);
        block
    }

    /// The code for an absent value: `{ let Err(error) = subject; body }` of a `Result`.
    fn absent(
        &mut self,
        name: &str,
        arm: Option<Arm>,
        subject: Var,
        is_result: bool,
        result: &Type,
    ) -> Block {
        let span = self.func.var(subject).ident.span();
        let wraps = matches!(name, "map_err" | "ok_or_else");
        let error = match arm.as_ref().and_then(|arm| arm.var) {
            Some(var) => var,
            None => self.variable("error", inactive(), false, span),
        };
        let mut block = match arm {
            Some(arm) if wraps => {
                let error = self.as_expr(arm.body, inactive());
                let value = self.wrapped_value(err(), error, result);
                Block::of(value)
            }
            Some(arm) => arm.body,
            None if matches!(name, "is_some_and" | "is_ok_and" | "is_none_or") => {
                let holds = ExprKind::Bool(name == "is_none_or");
                let holds = self.node(holds, Type::Bool, span);
                return Block::of(holds);
            }
            None if !is_result => return self.nothing(result, span),
            None => {
                let mut error = self.read(error, span);
                if matches!(self.types.var(subject), Type::Ref(..)) {
                    // It can't be moved out of a value that is only inspected.
                    error = self.method(error, "clone", Vec::new(), inactive(), span);
                }
                let value = self.wrapped_value(err(), error, result);
                Block::of(value)
            }
        };
        if is_result {
            self.unpack(&err(), error, subject, &mut block);
        }
        block
    }

    /// `let Some(item) = subject;` before the rest of a block.
    fn unpack(&mut self, path: &syn::Path, item: Var, subject: Var, block: &mut Block) {
        let found = variant(path.clone(), Pat::name(item));
        let subject = self.read(subject, block.span);
        let bound = Stmt::bind(found, subject, block.span);
        block.stmts.insert(0, bound);
    }

    /// The type of the payload of an `Option` or a `Result`.
    fn rewrite_expr(&self, subject: Var) -> Type {
        let ty = self.types.var(subject);
        let (Type::Option(inner) | Type::Result(inner, _)) = ty.peeled() else {
            return Type::Deferred;
        };
        match ty {
            Type::Ref(mutable, _) => Type::Ref(*mutable, inner.clone()),
            _ => (**inner).clone(),
        }
    }

    /// `Some(body)`.
    fn wrapped(&mut self, path: syn::Path, body: Block, result: &Type, span: Span) -> Expr {
        let ty = match result {
            Type::Option(inner) | Type::Result(inner, _) => (**inner).clone(),
            _ => Type::Deferred,
        };
        let mut value = self.as_expr(body, ty);
        value.span = span;
        self.wrapped_value(path, value, result)
    }

    /// `Some(value)`.
    fn wrapped_value(&mut self, path: syn::Path, value: Expr, result: &Type) -> Expr {
        let span = value.span;
        self.node(ExprKind::variant(path, value), result.clone(), span)
    }

    /// `None`.
    fn nothing(&mut self, result: &Type, span: Span) -> Block {
        let none = syn::parse_quote!(::core::option::Option::None);
        let none = self.node(ExprKind::Path(none), result.clone(), span);
        Block::of(none)
    }

    fn as_expr(&mut self, body: Block, ty: Type) -> Expr {
        let span = body.span;
        self.node(ExprKind::Block(body, None), ty, span)
    }
}

/// The variable for an element, and the code that uses it.
fn of_element(arm: Option<Arm>) -> (Var, Block) {
    match arm {
        Some(Arm {
            var: Some(var),
            body,
        }) => (var, body),
        _ => crate::diagnostics::bug!("a map without a function of an element"),
    }
}

pub(super) fn some() -> syn::Path {
    syn::parse_quote!(::core::option::Option::Some)
}

fn ok() -> syn::Path {
    syn::parse_quote!(::core::result::Result::Ok)
}

fn err() -> syn::Path {
    syn::parse_quote!(::core::result::Result::Err)
}

fn mentions_any(expr: &Expr, vars: &HashSet<Var>) -> bool {
    expr.any(&mut |e| match &e.kind {
        ExprKind::Var(var) => vars.contains(var),
        ExprKind::Verbatim(code) => code.mentions.iter().any(|m| vars.contains(&m.var)),
        _ => false,
    })
}

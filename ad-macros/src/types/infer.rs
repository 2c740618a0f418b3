//! Walks the function, gives every expression a type, and collects what can't be decided yet.

use proc_macro2::Span;

use super::Types;
use super::known::scalar_function;
use super::solve::Constraint;
use super::ty::{Type, from_written};
use super::unify::Table;
use super::written::primitive_named;
use crate::hir::{self, Block, Expr, ExprKind, Outcome, Pat, Stmt};
use crate::ir::{BinaryOp, PassedBy};

pub(super) struct Infer<'a> {
    pub(super) func: &'a hir::Func,
    pub(super) table: Table,
    pub(super) constraints: Vec<Constraint>,
    exprs: Vec<Type>,
    pub(super) vars: Vec<Type>,
    /// Types of `break` values.
    scopes: Vec<Type>,
    output: Type,
}

impl<'a> Infer<'a> {
    pub(super) fn new(func: &'a hir::Func) -> Self {
        let mut table = Table::default();
        Infer {
            func,
            exprs: vec![Type::Unit; func.exprs as usize],
            vars: func.vars.iter().map(|_| table.fresh()).collect(),
            scopes: (0..func.scopes).map(|_| table.fresh()).collect(),
            table,
            constraints: Vec::new(),
            output: from_written(&func.output, &func.hidden_types).unwrap_or(Type::Deferred),
        }
    }

    pub(super) fn func(&mut self) {
        let func = self.func;
        for param in &func.params {
            let ty = from_written(&param.ty, &func.hidden_types).unwrap_or(Type::Deferred);
            let ty = match (param.by, ty) {
                (PassedBy::Value, ty) => ty,
                (by, ty) => Type::Ref(by == PassedBy::Mut, ty.into()),
            };
            self.pattern(&param.pat, &ty);
        }
        let result = self.block(&func.body);
        if !matches!(result, Type::Never) {
            let output = self.output.clone();
            self.table.unify(&result, &output);
        }
        self.solve();
    }

    pub(super) fn finish(self) -> Types {
        let resolve = |types: &[Type]| types.iter().map(|ty| self.table.resolved(ty)).collect();
        Types {
            exprs: resolve(&self.exprs),
            vars: resolve(&self.vars),
            output: self.table.resolved(&self.output),
        }
    }

    fn block(&mut self, block: &Block) -> Type {
        let mut diverges = false;
        for stmt in &block.stmts {
            match stmt {
                Stmt::Expr(expr) => {
                    let ty = self.expr(expr);
                    diverges |= matches!(ty, Type::Never);
                }
                Stmt::Let(stmt) => {
                    let ty = match &stmt.ty {
                        Some(ty) => from_written(ty, &self.func.hidden_types),
                        None => None,
                    };
                    let init = stmt.init.as_ref().map(|init| self.expr(init));
                    diverges |= matches!(init, Some(Type::Never));
                    let bound = match (ty, init) {
                        (Some(ty), Some(init)) => {
                            self.table.unify(&init, &ty);
                            ty
                        }
                        (Some(ty), None) | (None, Some(ty)) => ty,
                        (None, None) => self.table.fresh(),
                    };
                    if !matches!(bound, Type::Never) {
                        self.pattern(&stmt.pat, &bound);
                    }
                }
            }
        }
        match &block.value {
            Some(value) => self.expr(value),
            None if diverges => Type::Never,
            None => Type::Unit,
        }
    }

    pub(super) fn expr(&mut self, expr: &Expr) -> Type {
        let ty = self.kind(expr);
        self.exprs[expr.id.0 as usize] = ty.clone();
        ty
    }

    fn kind(&mut self, expr: &Expr) -> Type {
        match &expr.kind {
            ExprKind::Float(_, suffix) => match suffix.as_deref().and_then(primitive_named) {
                Some(ty) => ty,
                None => self.table.float(),
            },
            ExprKind::Int(_, suffix) => match suffix.as_deref().and_then(primitive_named) {
                Some(ty) => ty,
                None => self.table.int(),
            },
            ExprKind::Bool(_) => Type::Bool,
            ExprKind::Unit => Type::Unit,
            ExprKind::Var(var) => self.vars[var.0 as usize].clone(),
            ExprKind::Path(path) => match self.constant(path) {
                Some(ty) => ty,
                None => self.table.deferred(),
            },
            ExprKind::Unary(_, operand) => {
                let operand = self.expr(operand);
                let out = self.table.fresh();
                self.constraints
                    .push(Constraint::Unary(operand, out.clone()));
                out
            }
            ExprKind::Deref(inner) => {
                let inner = self.expr(inner);
                self.dereferenced(inner)
            }
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.expr(left), self.expr(right));
                let out = if is_comparison(*op) {
                    Type::Bool
                } else {
                    self.table.fresh()
                };
                self.constraints
                    .push(Constraint::Binary(*op, left, right, out.clone()));
                out
            }
            ExprKind::Logic(_, left, right) => {
                for operand in [left, right] {
                    let ty = self.expr(operand);
                    self.table.unify(&ty, &Type::Bool);
                }
                Type::Bool
            }
            ExprKind::Assign(place, value) => {
                let (place, value) = (self.expr(place), self.expr(value));
                if !matches!(value, Type::Never) {
                    self.table.unify(&place, &value);
                }
                Type::Unit
            }
            ExprKind::AssignOp(op, place, value) => {
                let (place, value) = (self.expr(place), self.expr(value));
                self.constraints
                    .push(Constraint::AssignOp(*op, place, value));
                Type::Unit
            }
            ExprKind::Hole | ExprKind::Undef => self.table.fresh(),
            ExprKind::Field(base, member) => {
                let base = self.expr(base);
                let out = self.table.fresh();
                self.constraints
                    .push(Constraint::Field(base, member.clone(), out.clone()));
                out
            }
            ExprKind::Index(base, index) => self.index(base, index),
            ExprKind::Range { lo, hi, .. } => {
                for end in lo.iter().chain(hi) {
                    self.expr(end);
                }
                self.table.deferred()
            }
            ExprKind::Ref(mutable, inner) => {
                let inner = self.expr(inner);
                Type::Ref(*mutable, inner.into())
            }
            ExprKind::Tuple(elems) => Type::Tuple(elems.iter().map(|e| self.expr(e)).collect()),
            ExprKind::Array { elems, vec } => self.array(elems, *vec),
            ExprKind::Repeat(elem, len) => {
                let elem = self.expr(elem);
                Type::Array(elem.into(), len.clone())
            }
            ExprKind::RepeatVec(elem, len) => {
                let (elem, len) = (self.expr(elem), self.expr(len));
                self.table.unify(&len, &Type::Int("usize"));
                Type::Vec(elem.into())
            }
            ExprKind::Struct { path, fields, base } => {
                for (_, value) in fields {
                    self.handed_over(value);
                }
                base.iter().for_each(|base| {
                    self.expr(base);
                });
                let path = syn::TypePath {
                    attrs: Vec::new(),
                    qself: None,
                    path: path.clone(),
                };
                Type::Named(syn::Type::Path(path).into())
            }
            ExprKind::Call { path, args } => self.call(path, args),
            ExprKind::Method {
                receiver,
                name,
                turbofish,
                args,
            } => self.method(receiver, &name.to_string(), turbofish.as_ref(), args),
            ExprKind::Cast(inner, ty) => {
                self.expr(inner);
                match from_written(ty, &self.func.hidden_types) {
                    Some(ty) => ty,
                    None => self.table.deferred(),
                }
            }
            _ => self.control(expr),
        }
    }

    fn control(&mut self, expr: &Expr) -> Type {
        match &expr.kind {
            ExprKind::If { cond, then, other } => {
                let cond = self.expr(cond);
                self.table.unify(&cond, &Type::Bool);
                let then = self.block(then);
                match other {
                    None => {
                        self.table.unify(&then, &Type::Unit);
                        Type::Unit
                    }
                    Some(other) => {
                        let other = self.block(other);
                        self.either(then, other)
                    }
                }
            }
            ExprKind::Block(block, label) => {
                let ty = self.block(block);
                match label {
                    None => ty,
                    Some(scope) => {
                        let result = self.scopes[scope.0 as usize].clone();
                        if !matches!(ty, Type::Never) {
                            self.table.unify(&result, &ty);
                        }
                        result
                    }
                }
            }
            ExprKind::For {
                pat, head, body, ..
            } => {
                let item = self.head(head);
                self.pattern(pat, &item);
                self.block(body);
                Type::Unit
            }
            ExprKind::Loop {
                scope,
                body,
                is_while,
                ..
            } => {
                self.block(body);
                if *is_while {
                    return Type::Unit;
                }
                let mut breaks = false;
                body.walk(&mut |e| {
                    breaks |= matches!(&e.kind, ExprKind::Break(target, _) if target == scope);
                });
                if breaks {
                    self.scopes[scope.0 as usize].clone()
                } else {
                    Type::Never
                }
            }
            ExprKind::Break(scope, value) => {
                let ty = value.as_ref().map_or(Type::Unit, |value| self.expr(value));
                let result = self.scopes[scope.0 as usize].clone();
                self.table.unify(&result, &ty);
                Type::Never
            }
            ExprKind::Return(value) => {
                let ty = value.as_ref().map_or(Type::Unit, |value| self.expr(value));
                let output = self.output.clone();
                self.table.unify(&ty, &output);
                Type::Never
            }
            ExprKind::Verbatim(verbatim) => match verbatim.outcome {
                Outcome::Unit => Type::Unit,
                Outcome::Never => Type::Never,
                Outcome::Bool => Type::Bool,
                Outcome::Inactive => inactive(),
                Outcome::Unknown => self.table.deferred(),
            },
            _ => Type::Never, // `continue`; everything else stands in `kind`
        }
    }

    /// The type of an expression that is one of two.
    fn either(&mut self, a: Type, b: Type) -> Type {
        match (a, b) {
            (Type::Never, other) | (other, Type::Never) => other,
            (a, b) => {
                let result = self.table.fresh();
                self.table.unify(&result, &a);
                self.table.unify(&result, &b);
                result
            }
        }
    }

    fn array(&mut self, elems: &[Expr], vec: bool) -> Type {
        let elem = self.table.fresh();
        for e in elems {
            let ty = self.expr(e);
            self.table.unify(&elem, &ty);
        }
        if vec {
            return Type::Vec(elem.into());
        }
        let len = proc_macro2::Literal::usize_unsuffixed(elems.len());
        let len: syn::Expr = syn::parse_quote!(#len);
        Type::Array(elem.into(), len.into())
    }

    fn index(&mut self, base: &Expr, index: &Expr) -> Type {
        let base = self.expr(base);
        let out = self.table.fresh();
        let range = if let ExprKind::Range { lo, hi, .. } = &index.kind {
            for end in lo.iter().chain(hi) {
                let end = self.expr(end);
                self.table.unify(&end, &Type::Int("usize"));
            }
            true
        } else {
            let index = self.expr(index);
            let index = self.table.peeled(&index);
            // A key of a map is text or a reference; whatever else isn't known yet is a position.
            self.constraints
                .push(Constraint::Position(base.clone(), index));
            false
        };
        self.constraints.push(Constraint::Index {
            base,
            range,
            out: out.clone(),
        });
        out
    }

    /// An expression of which rustc alone knows what is wanted: a literal stays open.
    fn handed_over(&mut self, expr: &Expr) -> Type {
        let ty = self.expr(expr);
        self.constraints.push(Constraint::Open(ty.clone()));
        ty
    }

    fn call(&mut self, path: &syn::ExprPath, args: &[Expr]) -> Type {
        let last = path
            .path
            .segments
            .last()
            .map(|s| s.ident.to_string())
            .unwrap_or_default();
        if let Some((own, name)) = scalar_function(path, &self.func.hidden_types) {
            if own.is_float()
                && let Some((receiver, rest)) = args.split_first()
                && super::methods::float(&name, rest.len()).is_some()
            {
                let ty = self.expr(receiver);
                self.table.unify(&ty, &own);
                return self.method_of(ty, &name, rest);
            }
            let types: Vec<Type> = args.iter().map(|arg| self.handed_over(arg)).collect();
            return match (name.as_str(), &types[..]) {
                ("from" | "default", _) => own,
                ("max" | "min", [a, b]) if own.is_int() => {
                    self.table.unify(a, &own);
                    self.table.unify(b, &own);
                    own
                }
                _ => self.table.deferred(),
            };
        }
        if last == "stop_gradient"
            && let [arg] = args
        {
            return self.expr(arg);
        }
        if let Some(ty) = self.memory_function(path, &last, args) {
            return ty;
        }
        for arg in args {
            self.handed_over(arg);
        }
        match self.result_of(path) {
            Some(ty) => ty,
            None => self.table.deferred(),
        }
    }

    /// `core::mem::{swap, replace, take}`.
    fn memory_function(&mut self, path: &syn::ExprPath, last: &str, args: &[Expr]) -> Option<Type> {
        let parent = path.path.segments.iter().rev().nth(1);
        if parent.is_some_and(|parent| parent.ident != "mem") {
            return None;
        }
        match (last, args) {
            ("swap", [a, b]) if parent.is_some() => {
                let (a, b) = (self.expr(a), self.expr(b));
                self.table.unify(&a, &b);
                Some(Type::Unit)
            }
            ("replace", [place, value]) if parent.is_some() => {
                let (place, value) = (self.expr(place), self.expr(value));
                let old = self.dereferenced(place);
                self.table.unify(&old, &value);
                Some(old)
            }
            ("take", [place]) if parent.is_some() => {
                let place = self.expr(place);
                Some(self.dereferenced(place))
            }
            _ => None,
        }
    }

    fn method(
        &mut self,
        receiver: &Expr,
        name: &str,
        turbofish: Option<&syn::AngleBracketedGenericArguments>,
        args: &[Expr],
    ) -> Type {
        // `x.first().unwrap()` is a place.
        if let ("unwrap" | "expect", Some((of, mutable))) = (name, hir::end_of(receiver)) {
            let of = self.expr(of);
            if let ExprKind::Method { args, .. } = &receiver.kind {
                for arg in args {
                    let ty = self.expr(arg);
                    self.table.unify(&ty, &Type::Int("usize"));
                }
            }
            args.iter().for_each(|arg| {
                self.expr(arg);
            });
            let elem = self.table.fresh();
            let base = of;
            self.constraints.push(Constraint::Index {
                base,
                range: false,
                out: elem.clone(),
            });
            return Type::Ref(mutable, elem.into());
        }
        let receiver = self.expr(receiver);
        // `.sum::<f64>()`.
        if let Some(written) = turbofish
            && let ("sum" | "product" | "parse" | "collect" | "into", Some(arg)) =
                (name, written.args.first())
            && let syn::GenericArgument::Type(ty) = arg
            && let Some(ty) = from_written(ty, &self.func.hidden_types)
            && name != "parse"
        {
            args.iter().for_each(|arg| {
                self.expr(arg);
            });
            return ty;
        }
        self.method_of(receiver, name, args)
    }

    fn method_of(&mut self, receiver: Type, name: &str, args: &[Expr]) -> Type {
        let args: Vec<Type> = args.iter().map(|arg| self.handed_over(arg)).collect();
        let out = self.table.fresh();
        self.constraints.push(Constraint::Method {
            receiver,
            name: name.to_string(),
            args,
            out: out.clone(),
        });
        out
    }

    /// What is behind a reference.
    pub(super) fn dereferenced(&mut self, ty: Type) -> Type {
        if let Type::Ref(_, inner) = self.table.shallow(&ty) {
            return (*inner).clone();
        }
        let out = self.table.fresh();
        self.constraints.push(Constraint::Deref(ty, out.clone()));
        out
    }

    fn pattern(&mut self, pat: &Pat, ty: &Type) {
        super::patterns::pattern(self, pat, ty);
    }

    fn head(&mut self, head: &hir::Head) -> Type {
        super::patterns::head(self, head)
    }
}

pub(crate) fn is_comparison(op: BinaryOp) -> bool {
    matches!(
        op,
        BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge | BinaryOp::Eq | BinaryOp::Ne
    )
}

/// A type that rustc infers, and that has no tangent.
pub(super) fn inactive() -> Type {
    let underscore_token = syn::Token![_](Span::call_site());
    let ty = syn::TypeInfer {
        attrs: Vec::new(),
        underscore_token,
    };
    Type::Inactive(syn::Type::Infer(ty).into())
}

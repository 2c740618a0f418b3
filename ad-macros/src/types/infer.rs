//! Walks the function, assigns a type to every expression, and collects constraints that can't be decided yet.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use proc_macro2::Span;

use super::Types;
use super::foreign::{known, viewed};
use super::returned_references::{lent, written_to};
use super::solve::Constraint;
use super::ty::{Type, as_element, from_written, of_parameter};
use super::unify::Table;
use super::written::{deque_element, primitive_named, ungrouped, vec_element};
use crate::hir::{self, Block, Expr, ExprId, ExprKind, Pat, Stmt, Var};
use crate::ir::{BinaryOp, PassedBy, is_std_variant};
use crate::paths::{ends_in, last_name};

pub(super) struct Infer<'a> {
    pub(super) func: &'a hir::Func,
    pub(super) table: Table,
    pub(super) constraints: Vec<Constraint>,
    /// The operands of `Zip`, which takes nothing else than arrays of a library.
    pub(super) arrays: Vec<Type>,
    pub(super) exprs: Vec<Type>,
    pub(super) vars: Vec<Type>,
    /// Types of `break` values.
    pub(super) scopes: Vec<Type>,
    pub(super) output: Type,
    /// Calls of methods that return references, by their use; and whether these are written through.
    pub(super) lent: HashMap<ExprId, bool>,
    /// Variables to a part of which something is written, and which aren't `mut`.
    pub(super) written: HashSet<Var>,
    /// The types of fields that have a name which is no type of std's, as far as the file shows.
    pub(super) named_elsewhere: Vec<Type>,
}

impl<'a> Infer<'a> {
    pub(super) fn new(func: &'a hir::Func) -> Self {
        let mut table = Table::default();
        Infer {
            func,
            // A value of which nothing is found out may have a tangent.
            exprs: vec![Type::Deferred; func.exprs as usize],
            vars: func.vars.iter().map(|_| table.fresh()).collect(),
            scopes: (0..func.scopes).map(|_| table.fresh()).collect(),
            table,
            constraints: Vec::new(),
            arrays: Vec::new(),
            output: from_written(&func.output, &func.hidden_types).unwrap_or(Type::Deferred),
            lent: lent(func),
            written: written_to(func).1,
            named_elsewhere: Vec::new(),
        }
    }

    pub(super) fn func(&mut self) {
        let func = self.func;
        for param in &func.params {
            let ty = match &param.function {
                Some(function) => Type::Function(Some(function.clone())),
                None if param.captured => self.table.deferred(),
                None => of_parameter(param, &func.hidden_types),
            };
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
        let known = |ty| known(ty, &self.func.callees, &self.func.hidden_types);
        let resolved = |ty: &Type| known(self.table.resolved(ty));
        let resolve = |types: &[Type]| types.iter().map(resolved).collect();
        Types {
            exprs: resolve(&self.exprs),
            vars: resolve(&self.vars),
            constants: self.constant_fields(),
            output: self.table.resolved(&self.output),
        }
    }

    pub(super) fn block(&mut self, block: &Block) -> Type {
        let mut diverges = false;
        for stmt in &block.stmts {
            match stmt {
                Stmt::Expr(expr) => {
                    let ty = self.expr(expr);
                    diverges |= matches!(ty, Type::Never);
                }
                Stmt::Let(stmt) => {
                    let ty = stmt.ty.as_ref().and_then(|ty| self.written(ty));
                    let init = stmt.init.as_ref().map(|init| self.expr(init));
                    diverges |= matches!(init, Some(Type::Never));
                    let bound = match (ty, init) {
                        (Some(ty), Some(init)) => {
                            self.table.unify(&init, &ty);
                            // A constructor has less type information than the source.
                            if let (Some(_), Some(of)) = (super::keyed::refused(&init), &stmt.init)
                            {
                                self.exprs[of.id.0 as usize] = ty.clone();
                            }
                            ty
                        }
                        (Some(ty), None) => ty,
                        (None, Some(ty)) => {
                            // The target of a variable that is assigned again is left to rustc.
                            let again = matches!(&stmt.pat, Pat::Bind { var, .. } if self.func.var(*var).mutable);
                            let of = stmt.init.as_ref().filter(|_| !again);
                            if let Some(lent) = of.and_then(|of| self.lent(of)) {
                                self.table.unify(&ty, &lent);
                            }
                            ty
                        }
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

    /// A written type. A `_` in a `Vec` or an array is inferred.
    fn written(&mut self, ty: &syn::Type) -> Option<Type> {
        let hidden = &self.func.hidden_types;
        if let Some(view) = viewed(ty, &self.func.callees, hidden) {
            return Some(view);
        }
        if let syn::Type::Array(array) = ungrouped(ty) {
            let elem = self.written(&array.elem);
            let elem = elem.map(|known| as_element(known, &array.elem));
            let elem = elem.unwrap_or_else(|| self.table.fresh());
            return Some(Type::Array(elem.into(), array.len.clone().into()));
        }
        let (list, elem) = match (vec_element(ty, hidden), deque_element(ty, hidden)) {
            (Some(elem), _) => (Type::Vec as fn(Rc<Type>) -> Type, elem),
            (_, Some(elem)) => (Type::Deque as fn(Rc<Type>) -> Type, elem),
            _ => return from_written(ty, hidden),
        };
        let elem = match self.written(elem) {
            Some(known) => as_element(known, elem),
            None => self.table.fresh(),
        };
        Some(list(elem.into()))
    }

    pub(super) fn expr(&mut self, expr: &Expr) -> Type {
        let ty = self.kind(expr);
        self.exprs[expr.id.0 as usize] = ty.clone();
        ty
    }

    /// The type that [`expr`](Self::expr) has found.
    pub(super) fn type_of(&self, expr: &Expr) -> &Type {
        &self.exprs[expr.id.0 as usize]
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
                None if is_std_variant(&path.path) && ends_in(&path.path, "None") => {
                    let inner = self.table.fresh();
                    Type::Option(inner.into())
                }
                None => self.table.deferred(),
            },
            ExprKind::Unary(op, operand) => {
                let operand = self.expr(operand);
                let out = self.table.fresh();
                self.constraints
                    .push(Constraint::Unary(*op, operand, out.clone()));
                out
            }
            ExprKind::Deref(inner) => {
                let inner = self.expr(inner);
                self.dereferenced(inner)
            }
            ExprKind::Binary(op, left, right) | ExprKind::Test(op, left, right) => {
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
            ExprKind::AssignOp(op, into, value) => {
                let (place, value) = (self.expr(into), self.expr(value));
                // The terms of a chain's sum are of one type.
                if let ExprKind::Var(var) = into.kind
                    && self.func.var(var).synthetic
                {
                    self.table.unify(&place, &value);
                }
                self.constraints
                    .push(Constraint::AssignOp(*op, place, value));
                Type::Unit
            }
            ExprKind::Hole | ExprKind::Undef | ExprKind::Neutral(_) => self.table.fresh(),
            ExprKind::Field(base, member) => {
                let of = self.expr(base);
                let shared = self.is_behind_shared(base);
                let out = self.table.fresh();
                self.constraints.push(Constraint::Field {
                    of,
                    member: member.clone(),
                    shared,
                    out: out.clone(),
                });
                out
            }
            ExprKind::Index(base, index) => self.index(base, index),
            ExprKind::Range { lo, hi, inclusive } => {
                let ends: Vec<Type> = lo.iter().chain(hi).map(|end| self.expr(end)).collect();
                let name = match (lo, hi) {
                    (Some(_), Some(_)) if !inclusive => "Range",
                    (Some(_), None) => "RangeFrom",
                    (None, Some(_)) if !inclusive => "RangeTo",
                    _ => return self.table.deferred(),
                };
                let out = self.table.fresh();
                self.constraints
                    .push(Constraint::Range(ends, name, out.clone()));
                out
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
            ExprKind::Boxed(inner) => {
                let inner = self.expr(inner);
                Type::Boxed(inner.into())
            }
            ExprKind::Struct {
                path,
                variant: true,
                fields,
                base,
            } => self.variant(path, fields, base.as_deref()),
            ExprKind::Struct {
                path, fields, base, ..
            } => {
                self.fields(path, fields);
                if let Some(base) = base {
                    self.expr(base);
                }
                let path = syn::TypePath {
                    attrs: Vec::new(),
                    qself: None,
                    path: path.clone(),
                };
                Type::Named(syn::Type::Path(path).into())
            }
            ExprKind::Call { path, args } => self.call(path, args),
            ExprKind::Apply(var, args) => self.apply(*var, args),
            ExprKind::Closure(closure) => self.closure(closure),
            ExprKind::Method {
                receiver,
                name,
                turbofish,
                args,
            } => self.method(receiver, &name.to_string(), turbofish.as_ref(), args),
            ExprKind::Position(inner) => {
                self.expr(inner);
                self.table.int()
            }
            ExprKind::Distance(lo, hi) => {
                self.expr(lo);
                self.expr(hi);
                Type::Int("usize")
            }
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

    fn variant(
        &mut self,
        path: &syn::Path,
        fields: &[(syn::Member, Expr)],
        base: Option<&Expr>,
    ) -> Type {
        let last = last_name(path);
        let name = last.filter(|_| is_std_variant(path)).unwrap_or_default();
        if let ("Some" | "Ok", [(_, value)]) = (name.as_str(), fields) {
            let value = self.expr(value);
            let value = Rc::new(self.without_name_alone(value));
            return if name == "Some" {
                Type::Option(value)
            } else {
                Type::Result(value, self.table.fresh().into())
            };
        }
        self.fields(path, fields);
        if let Some(base) = base {
            self.expr(base);
        }
        if name == "Err" {
            let (value, error) = (self.table.fresh(), self.table.fresh());
            return Type::Result(value.into(), error.into());
        }
        // Of `Kind::Square(n)` the type is the first name, of `Pair(x, y)` the only one.
        let of = path.segments.first().filter(|_| path.segments.len() <= 2);
        let Some(of) = of.map(|of| -> syn::Type { syn::parse_quote!(#of) }) else {
            return self.table.deferred();
        };
        let is_constant = (self.func.hidden_types).is_constant(&path.segments[0].ident.to_string());
        match self.func.own(&of) {
            _ if is_constant => Type::Inactive(of.into()),
            Some(own) if own.own.is_made_by(path) => Type::Named(of.into()),
            _ => self.table.deferred(),
        }
    }

    /// The values of fields. The declaration of a field decides to which type a chain is collected, and how long the array of an `array::from_fn` is. A literal
    /// of the `impl`'s own type without arguments has those of the `impl`.
    fn fields(&mut self, path: &syn::Path, fields: &[(syn::Member, Expr)]) {
        let own = self.func.self_ty.clone().filter(|own| {
            let name = match own {
                syn::Type::Path(own) => own.path.segments.last().map(|last| &last.ident),
                _ => None,
            };
            path.is_ident("Self") || name.is_some_and(|name| path.is_ident(name))
        });
        let of = own.unwrap_or_else(|| syn::parse_quote!(#path));
        for (member, value) in fields {
            let ty = self.handed_over(value);
            let is_list = matches!(value.kind, ExprKind::Collect { .. })
                || self.func.collects.contains(&value.id);
            if is_list && let Some(declared) = self.declared_field(&of, member, true) {
                self.table.unify(&ty, &declared);
            }
        }
    }

    /// A part's type. Rustc infers the arguments of a generic one, which it can't in the name alone.
    pub(super) fn without_name_alone(&mut self, part: Type) -> Type {
        match self.table.shallow(&part) {
            Type::Named(of) if self.func.lacks_arguments(&of) => self.table.deferred(),
            _ => part,
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
        let index = if let ExprKind::Range { lo, hi, .. } = &index.kind {
            for end in lo.iter().chain(hi) {
                let end = self.expr(end);
                self.table.unify(&end, &Type::Int("usize"));
            }
            None
        } else {
            let index = self.expr(index);
            let index = self.table.peeled(&index);
            // A key of a map is text or a reference; whatever else isn't known yet is a position.
            self.constraints
                .push(Constraint::Position(base.clone(), index.clone()));
            Some(index)
        };
        self.constraints.push(Constraint::Index {
            base,
            index,
            out: out.clone(),
        });
        out
    }

    /// An expression whose wanted type only rustc can resolve: a literal stays open.
    pub(super) fn handed_over(&mut self, expr: &Expr) -> Type {
        let ty = self.expr(expr);
        self.constraints.push(Constraint::Open(ty.clone()));
        ty
    }

    /// The type behind a reference.
    pub(super) fn dereferenced(&mut self, ty: Type) -> Type {
        if let Type::Ref(_, inner) | Type::Boxed(inner) = self.table.shallow(&ty) {
            return (*inner).clone();
        }
        let out = self.table.fresh();
        self.constraints.push(Constraint::Deref(ty, out.clone()));
        out
    }

    pub(super) fn pattern(&mut self, pat: &Pat, ty: &Type) {
        super::patterns::pattern(self, pat, ty);
    }

    pub(super) fn head(&mut self, head: &hir::Iterable) -> Type {
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
pub(crate) fn inactive() -> Type {
    let underscore_token = syn::Token![_](Span::call_site());
    let ty = syn::TypeInfer {
        attrs: Vec::new(),
        underscore_token,
    };
    Type::Inactive(syn::Type::Infer(ty).into())
}

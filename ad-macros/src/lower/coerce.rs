//! Where rustc makes a pointer to a trait object of a pointer to a value: an operation of its own, since the tangent changes with it.
//!
//! ```text
//! Input:  let spring: Box<dyn Potential> = Box::new(Spring { k });      System { springs: vec![Box::new(Spring { k })] }
//! Output: let spring: Box<dyn Potential> = Coerce(Box::new(..));        System { springs: vec![Coerce(Box::new(..))] }
//! ```
//!
//! The type of the object is known from the source, or, in a field or as an argument of a call, only to rustc.

use std::collections::HashMap;

use super::hir_builder::HirBuilder;
use crate::hir::{Block, Expr, ExprKind, Func, Pat, Scope, Stmt};
use crate::ir::is_std_variant;
use crate::paths::ends_in;
use crate::std_model::{self, Arg, Of, takes_element};
use crate::types::written::{is_function_object, is_object};
use crate::types::{Type, Types, from_written};

pub(super) fn rewrite(func: &mut Func, types: &mut Types) {
    let mut body = func.take_body();
    let output = types.output.clone();
    let mut coercer = Coercer {
        maker: HirBuilder { func, types },
        output,
        breaks: HashMap::new(),
    };
    let output = coercer.output.clone();
    coercer.block(&mut body, Some(&output));
    func.body = body;
}

struct Coercer<'a> {
    maker: HirBuilder<'a>,
    output: Type,
    /// The wanted types of loops and labelled blocks.
    breaks: HashMap<Scope, Type>,
}

impl Coercer<'_> {
    fn ty(&self, expr: &Expr) -> &Type {
        self.maker.types.expr(expr.id)
    }

    fn block(&mut self, block: &mut Block, wanted: Option<&Type>) {
        for stmt in &mut block.stmts {
            match stmt {
                Stmt::Expr(expr) => self.expr(expr, None),
                Stmt::Let(stmt) => {
                    let wanted = stmt.ty.as_ref().and_then(|ty| match &stmt.pat {
                        Pat::Bind { var, .. } => Some(self.maker.types.var(*var).clone()),
                        _ => from_written(ty, &self.maker.func.hidden_types),
                    });
                    if let Some(init) = &mut stmt.init {
                        self.expr(init, wanted.as_ref());
                    }
                }
            }
        }
        if let Some(value) = &mut block.value {
            self.expr(value, wanted);
        }
    }

    /// An expression, with the type that its context wants, if that is known.
    fn expr(&mut self, expr: &mut Expr, wanted: Option<&Type>) {
        let own = self.ty(expr).clone();
        match &mut expr.kind {
            ExprKind::If { cond, then, other } => {
                let wanted = Some(wanted.unwrap_or(&own));
                self.expr(cond, None);
                self.block(then, wanted);
                if let Some(other) = other {
                    self.block(other, wanted);
                }
                return self.becomes(expr, wanted);
            }
            ExprKind::Block(block, scope) => {
                if let (Some(scope), Some(wanted)) = (scope, wanted) {
                    self.breaks.insert(*scope, wanted.clone());
                }
                self.block(block, wanted);
                return self.becomes(expr, wanted);
            }
            ExprKind::Loop { scope, body, .. } => {
                if let Some(wanted) = wanted {
                    self.breaks.insert(*scope, wanted.clone());
                }
                self.block(body, None);
                return self.becomes(expr, wanted);
            }
            ExprKind::For { head, body, .. } | ExprKind::Collect { head, body, .. } => {
                head.each_expr_mut(&mut |expr| self.expr(expr, None));
                self.block(body, None);
            }
            ExprKind::Break(scope, Some(value)) => {
                let wanted = self.breaks.get(scope).cloned();
                self.expr(value, wanted.as_ref());
            }
            ExprKind::Return(Some(value)) => {
                let output = self.output.clone();
                self.expr(value, Some(&output));
            }
            ExprKind::Assign(place, value) => {
                let ty = self.ty(place).clone();
                self.expr(place, None);
                self.expr(value, Some(&ty));
                // Nothing is known of a field's type but the type of the value.
                if !matches!(place.kind, ExprKind::Var(_)) {
                    self.handed_over(value);
                }
            }
            ExprKind::Array { elems, .. } => {
                let wanted = wanted.filter(|wanted| wanted.element().is_some());
                let elem = wanted.unwrap_or(&own).element().cloned();
                for e in elems {
                    self.expr(e, elem.as_ref());
                }
                self.becomes_list(expr, elem);
            }
            ExprKind::Tuple(elems) => {
                let types = match wanted {
                    Some(Type::Tuple(types)) if types.len() == elems.len() => &types[..],
                    _ => &[],
                };
                for (k, elem) in elems.iter_mut().enumerate() {
                    self.expr(elem, types.get(k));
                }
                self.becomes(expr, wanted);
            }
            ExprKind::Boxed(inner) => {
                let inside = match wanted {
                    Some(Type::Boxed(wanted)) if !is_hidden(wanted) => Some(&**wanted),
                    _ => None,
                };
                self.expr(inner, inside);
                if inside.is_some() {
                    self.becomes(expr, wanted);
                }
            }
            ExprKind::Struct {
                path,
                variant,
                fields,
                base,
            } => {
                let known = *variant && is_std_variant(path);
                let holds = known && !is_error(path);
                let inner = match wanted.unwrap_or(&own) {
                    Type::Option(t) | Type::Result(t, _) if known => Some(t.clone()),
                    _ => None,
                };
                let inner = inner.filter(|_| holds);
                for (_, field) in fields {
                    self.expr(field, inner.as_deref());
                    if !known {
                        self.handed_over(field);
                    }
                }
                if let Some(base) = base {
                    self.expr(base, None);
                }
                if holds {
                    self.becomes(expr, wanted);
                }
            }
            ExprKind::Call { path, args } => {
                let replaces = (path.path.segments.last()).is_some_and(|s| s.ident == "replace");
                let place = args.first().map(|arg| self.ty(arg).clone());
                for (k, arg) in args.iter_mut().enumerate() {
                    match &place {
                        Some(Type::Ref(true, ty)) if replaces && k == 1 => self.expr(arg, Some(ty)),
                        _ => {
                            self.expr(arg, None);
                            self.handed_over(arg);
                        }
                    }
                }
            }
            ExprKind::Method {
                receiver,
                name,
                args,
                ..
            } => {
                self.expr(receiver, None);
                let name = name.to_string();
                let wanted = match self.ty(receiver).peeled() {
                    Type::Option(inner) => std_model::method(Of::Option, &name)
                        .filter(|method| method.args == [Arg::Item])
                        .map(|_| (**inner).clone()),
                    list => list.element().filter(|_| takes_element(&name)).cloned(),
                };
                for arg in args {
                    self.expr(arg, wanted.as_ref());
                    if wanted.is_none() {
                        self.handed_over(arg);
                    }
                }
                self.lent(expr);
            }
            ExprKind::Cast(inner, _) => {
                self.expr(inner, None);
                if self.differs(inner, &own)
                    && let ExprKind::Cast(inner, _) =
                        std::mem::replace(&mut expr.kind, ExprKind::Unit)
                {
                    expr.kind = ExprKind::Coerce(inner);
                }
            }
            _ => expr.each_child_mut(&mut |child| self.expr(child, None)),
        }
        if let Some(wanted) = wanted
            && self.differs(expr, wanted)
        {
            self.wrap(expr, wanted.clone());
        }
    }

    /// A value that is stored in a field or passed to a call: only rustc can resolve the types that pointers in it become there.
    fn handed_over(&mut self, expr: &mut Expr) -> bool {
        let mut found = false;
        if let Some(parts) = parts_mut(expr) {
            for part in parts {
                found |= self.handed_over(part);
            }
            if found {
                let ty = self.deferred(expr);
                self.maker.types.set_expr(expr.id, ty);
            }
            return found;
        }
        let pointer = !matches!(expr.kind, ExprKind::Coerce(_))
            && matches!(self.ty(expr), Type::Boxed(inner) if may_be_hidden(inner));
        if pointer {
            self.wrap(expr, Type::Deferred);
        }
        pointer
    }

    /// The type of a tuple, list or variant around parts whose type only rustc can resolve.
    fn deferred(&self, expr: &Expr) -> Type {
        match (&expr.kind, self.ty(expr)) {
            (ExprKind::Tuple(elems), _) => {
                Type::Tuple(elems.iter().map(|elem| self.ty(elem).clone()).collect())
            }
            (_, Type::Vec(_)) => Type::Vec(Type::Deferred.into()),
            (_, Type::Array(_, len)) => Type::Array(Type::Deferred.into(), len.clone()),
            (_, Type::Option(_)) => Type::Option(Type::Deferred.into()),
            (_, Type::Result(_, error)) => Type::Result(Type::Deferred.into(), error.clone()),
            _ => Type::Deferred,
        }
    }

    /// `pointer.as_ref()` is `&**pointer`.
    fn lent(&mut self, expr: &mut Expr) {
        let ExprKind::Method { receiver, name, .. } = &mut expr.kind else {
            return;
        };
        let mutable = *name == "as_mut";
        let of = self.maker.types.expr(receiver.id).clone();
        if !(mutable || *name == "as_ref") || !matches!(of.peeled(), Type::Boxed(_)) {
            return;
        }
        let mut inner = std::mem::replace(&mut **receiver, self.maker.unit(expr.span));
        let mut ty = of;
        while let Type::Ref(_, behind) | Type::Boxed(behind) = ty.clone() {
            let last = matches!(ty, Type::Boxed(_));
            ty = (*behind).clone();
            inner = self
                .maker
                .node(ExprKind::Deref(Box::new(inner)), ty.clone(), expr.span);
            if last {
                break;
            }
        }
        expr.kind = ExprKind::Ref(mutable, Box::new(inner));
    }

    /// Returns `true` if a pointer becomes one to an object where this type is wanted.
    fn differs(&self, expr: &Expr, wanted: &Type) -> bool {
        if let ExprKind::Verbatim(_) = expr.kind {
            return false;
        }
        match (wanted, self.ty(expr)) {
            (Type::Boxed(wanted), Type::Deferred) => is_hidden(wanted),
            (Type::Named(wanted), Type::Boxed(inner)) => {
                may_be_hidden(inner) && self.is_alias(wanted)
            }
            (Type::Boxed(wanted), Type::Boxed(found)) => is_hidden(wanted) && may_be_hidden(found),
            _ => false,
        }
    }

    /// Returns `true` if a type may be another name for that of a pointer.
    fn is_alias(&self, ty: &syn::Type) -> bool {
        match ty {
            syn::Type::Path(path) => {
                let declared = |name: &syn::Ident| {
                    *name == "Self" || self.maker.func.hidden_types.contains(&name.to_string())
                };
                path.qself.is_none() && !path.path.get_ident().is_some_and(declared)
            }
            _ => false,
        }
    }

    /// A list of expressions that have been visited already.
    fn becomes_list(&mut self, expr: &Expr, elem: Option<Type>) {
        let ty = match (self.ty(expr), elem) {
            (Type::Vec(_), Some(elem)) => Type::Vec(elem.into()),
            (Type::Array(_, len), Some(elem)) => Type::Array(elem.into(), len.clone()),
            _ => return,
        };
        self.becomes(expr, Some(&ty));
    }

    /// A branch, block or variant of expressions that have been visited already.
    fn becomes(&mut self, expr: &Expr, wanted: Option<&Type>) {
        if let Some(wanted) = wanted
            && hides(wanted, self.ty(expr))
        {
            self.maker.types.set_expr(expr.id, wanted.clone());
        }
    }

    fn wrap(&mut self, expr: &mut Expr, ty: Type) {
        let node = self.maker.node(ExprKind::Unit, ty, expr.span);
        let inner = std::mem::replace(expr, node);
        expr.source.clone_from(&inner.source);
        expr.kind = ExprKind::Coerce(Box::new(inner));
    }
}

/// The parts in which rustc looks for pointers: of a tuple, a list, `Some(x)`.
fn parts_mut(expr: &mut Expr) -> Option<Vec<&mut Expr>> {
    match &mut expr.kind {
        ExprKind::Tuple(elems) | ExprKind::Array { elems, .. } => Some(elems.iter_mut().collect()),
        ExprKind::Struct {
            path,
            variant: true,
            fields,
            base: None,
        } if is_std_variant(path) && !is_error(path) => {
            Some(fields.iter_mut().map(|(_, value)| value).collect())
        }
        _ => None,
    }
}

/// Returns `true` if a path names `Err`.
fn is_error(path: &syn::Path) -> bool {
    ends_in(path, "Err")
}

/// Returns `true` if a type is that of trait objects.
fn is_hidden(ty: &Type) -> bool {
    matches!(ty, Type::Named(ty) if is_object(ty) && !is_function_object(ty))
}

/// Returns `true` if a type may be behind a trait object.
fn may_be_hidden(ty: &Type) -> bool {
    match ty {
        Type::Named(ty) => !is_object(ty),
        Type::Function(_) => false,
        _ => true,
    }
}

/// Returns `true` if the one type has pointers to objects where the other has pointers to values.
fn hides(wanted: &Type, found: &Type) -> bool {
    match (wanted, found) {
        (Type::Boxed(wanted), Type::Boxed(found)) => {
            is_hidden(wanted) && may_be_hidden(found) || hides(wanted, found)
        }
        (Type::Option(wanted), Type::Option(found))
        | (Type::Result(wanted, _), Type::Result(found, _))
        | (Type::Vec(wanted), Type::Vec(found))
        | (Type::Array(wanted, _), Type::Array(found, _)) => hides(wanted, found),
        (Type::Tuple(wanted), Type::Tuple(found)) => {
            let mut pairs = wanted.iter().zip(found);
            pairs.any(|(wanted, found)| hides(wanted, found))
        }
        _ => false,
    }
}

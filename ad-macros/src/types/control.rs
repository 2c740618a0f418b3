//! Types of control flow.

use std::rc::Rc;

use super::infer::{Infer, inactive};
use super::solve::Constraint;
use super::ty::Type;
use crate::hir::{Code, Expr, ExprKind, Iterable, Outcome, Verbatim};

impl Infer<'_> {
    /// The type of a list that has been pushed to, or of two of them.
    fn collected(&mut self, list: &Type) -> Type {
        match self.table.shallow(list) {
            Type::Vec(elem) => {
                let out = self.table.fresh();
                let collect = Constraint::Collect((*elem).clone(), out.clone(), true);
                self.constraints.push(collect);
                out
            }
            Type::Tuple(lists) => {
                Type::Tuple(lists.iter().map(|list| self.collected(list)).collect())
            }
            list => list,
        }
    }

    pub(super) fn control(&mut self, expr: &Expr) -> Type {
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
            ExprKind::Block(block, None) if self.func.collects.contains(&expr.id) => {
                let list = self.block(block);
                self.collected(&list)
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
            ExprKind::Collect { pat, head, body } => {
                let item = self.head(head);
                self.pattern(pat, &item);
                let elem = self.block(body);
                let elem = self.without_name_alone(elem);
                let out = self.table.fresh();
                // Of `array::from_fn`, which returns no list.
                let endless = matches!(**head, Iterable::Count(_));
                self.constraints
                    .push(Constraint::Collect(elem, out.clone(), !endless));
                out
            }
            ExprKind::Map(method) => self.map(method),
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
                if body.any(&mut |e| matches!(&e.kind, ExprKind::Break(to, _) if to == scope)) {
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
                Outcome::Inactive => literal(verbatim).unwrap_or_else(inactive),
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
}

/// The type of text and of characters.
fn literal(verbatim: &Verbatim) -> Option<Type> {
    let Code::Expr(source) = &verbatim.code else {
        return None;
    };
    let syn::Expr::Lit(lit) = &**source else {
        return None;
    };
    match lit.lit {
        syn::Lit::Str(_) => Some(Type::Inactive(Rc::new(syn::parse_quote!(&str)))),
        syn::Lit::Char(_) => Some(Type::Inactive(Rc::new(syn::parse_quote!(char)))),
        _ => None,
    }
}

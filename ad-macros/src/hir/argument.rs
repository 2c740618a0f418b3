//! Binds the parameters of inlined closures.
//!
//! An argument that an adapter passes to a closure is made of *fixed* variables, which the parser declares and nothing
//! assigns: naming them costs nothing, and a name for a tuple of them is a name for its parts.

use super::build::typed;
use super::parse::Parser;
use super::{Expr, ExprKind, Pat, Stmt};

impl Parser {
    /// `let pat: ty = arg;`. Tuples and references that are written on both sides are taken apart here.
    pub(super) fn bind_argument(
        &mut self,
        pat: &syn::Pat,
        ty: Option<syn::Type>,
        mut arg: Expr,
        stmts: &mut Vec<Stmt>,
    ) {
        match pat {
            syn::Pat::Paren(pat) => return self.bind_argument(&pat.pat, ty, arg, stmts),
            syn::Pat::Type(pat) => {
                return self.bind_argument(&pat.pat, Some((*pat.ty).clone()), arg, stmts);
            }
            syn::Pat::Reference(pat) if ty.is_none() && matches!(arg.kind, ExprKind::Ref(..)) => {
                if let ExprKind::Ref(_, inner) = arg.kind {
                    self.bind_argument(&pat.pat, None, *inner, stmts);
                }
                return;
            }
            syn::Pat::Tuple(pat) if ty.is_none() && !pat.elems.iter().any(is_rest) => {
                match self.parts(arg, pat.elems.len()) {
                    Ok(parts) => {
                        for (pat, part) in pat.elems.iter().zip(parts) {
                            self.bind_argument(pat, None, part, stmts);
                        }
                        return;
                    }
                    Err(whole) => arg = *whole,
                }
            }
            syn::Pat::Ident(pat) if pat.subpat.is_none() && pat.by_ref.is_none() => {
                let known = self.is_fixed_tuple(&arg).then(|| self.again(&arg));
                if ty.is_none() && pat.mutability.is_none() && self.takes_name(&pat.ident, &arg) {
                    return;
                }
                let var = self.declare(&pat.ident, pat.mutability.is_some());
                if let Some(known) = known {
                    self.tuples.insert(var, known);
                    self.droppable.insert(var);
                }
                stmts.push(typed(Pat::name(var), ty, arg));
                return;
            }
            _ => {}
        }
        let pat = self.pattern(pat);
        stmts.push(typed(pat, ty, arg));
    }

    /// The parts of a tuple; references to them where it is behind a reference. The whole, if it isn't written as one.
    fn parts(&mut self, arg: Expr, len: usize) -> Result<Vec<Expr>, Box<Expr>> {
        match arg.kind {
            ExprKind::Tuple(parts) if parts.len() == len => Ok(parts),
            ExprKind::Ref(mutable, inner) => match self.parts(*inner, len) {
                Ok(parts) => {
                    let borrowed = |part: Expr| {
                        let span = part.span;
                        self.node(ExprKind::Ref(mutable, Box::new(part)), span)
                    };
                    Ok(parts.into_iter().map(borrowed).collect())
                }
                Err(inner) => Err(Box::new(Expr {
                    kind: ExprKind::Ref(mutable, inner),
                    ..arg
                })),
            },
            kind => Err(Box::new(Expr { kind, ..arg })),
        }
    }

    /// A fixed variable that has no name yet gets the user's; there is nothing to bind then.
    fn takes_name(&mut self, ident: &proc_macro2::Ident, arg: &Expr) -> bool {
        let ExprKind::Var(var) = arg.kind else {
            return false;
        };
        let data = &mut self.vars[var.0 as usize];
        if !self.fixed.contains(&var) || !data.synthetic {
            return false;
        }
        data.ident = ident.clone();
        data.synthetic = false;
        if let Some(scope) = self.scopes.last_mut() {
            scope.push((ident.to_string(), var));
        }
        true
    }

    /// A tuple of variables that never change, or a reference to one: a name for it is a name for its parts.
    pub(super) fn is_fixed_tuple(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Tuple(parts) => parts.iter().all(|part| self.is_fixed(part)),
            ExprKind::Ref(false, inner) => self.is_fixed_tuple(inner),
            _ => false,
        }
    }

    /// A variable of the parser's own that never changes, a tuple of them, or a reference to either.
    pub(super) fn is_fixed(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Tuple(parts) => parts.iter().all(|part| self.is_fixed(part)),
            ExprKind::Ref(mutable, inner) => match &inner.kind {
                ExprKind::Index(list, k) => self.is_fixed(list) && self.is_fixed(k),
                _ => !mutable && self.is_fixed(inner),
            },
            ExprKind::Var(var) => self.fixed.contains(var),
            _ => false,
        }
    }

    /// Reads an expression once more for which [`Self::is_fixed`] holds.
    pub(super) fn again(&mut self, expr: &Expr) -> Expr {
        let kind = match &expr.kind {
            ExprKind::Tuple(parts) => {
                ExprKind::Tuple(parts.iter().map(|part| self.again(part)).collect())
            }
            ExprKind::Ref(mutable, inner) => ExprKind::Ref(*mutable, Box::new(self.again(inner))),
            ExprKind::Index(list, k) => {
                ExprKind::Index(Box::new(self.again(list)), Box::new(self.again(k)))
            }
            kind => kind.clone(),
        };
        self.node(kind, expr.span)
    }

    /// `p.k`, where `p` names a tuple of fixed variables.
    pub(super) fn part(&mut self, base: &Expr, member: &syn::Member) -> Option<Expr> {
        match (&base.kind, member) {
            (ExprKind::Ref(false, inner) | ExprKind::Deref(inner), _) => self.part(inner, member),
            (ExprKind::Tuple(parts), syn::Member::Unnamed(k)) if self.is_fixed(base) => {
                let part = parts.get(k.index as usize)?;
                Some(self.again(part))
            }
            _ => None,
        }
    }
}

fn is_rest(pat: &syn::Pat) -> bool {
    matches!(pat, syn::Pat::Rest(_))
}

//! Guards of arms. They read the bindings of the pattern, and move nothing: another arm may match.
//!
//! ```text
//! Input:  E::B { u, v } if u > 0.0 && v.len() > 1
//! Output: s matches E::B && { let seen = &s; let E::B { u, v } = seen; let u = u.clone(); u > 0.0 && v.len() > 1 }
//! ```

use crate::syntax::path_of;
use proc_macro2::Ident;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};

use super::chain::mentions_name;
use super::matches::{Subject, is_binding};
use super::parse::Parser;
use super::{Block, Expr, ExprKind, Pat, Stmt, Var, mentions};

impl Parser {
    /// `{ let x = s; guard }`: the guard with those bindings of the pattern that it mentions. The rest isn't moved: another
    /// arm may match.
    pub(super) fn guard(&mut self, subject: &Subject, pat: &syn::Pat, guard: &syn::Expr) -> Expr {
        let mut pat = pat.clone();
        Mentioned(guard).visit_pat_mut(&mut pat);
        self.scoped(|parser| {
            let stmts = parser.guarded(subject, &pat, guard);
            let value = parser.expr(guard);
            if stmts.is_empty() {
                return value;
            }
            let span = guard.span();
            let block = Block::with_value(stmts, value, span);
            parser.node(ExprKind::Block(block, None), span)
        })
    }

    /// The bindings of a pattern for a guard.
    fn guarded(&mut self, subject: &Subject, pat: &syn::Pat, guard: &syn::Expr) -> Vec<Stmt> {
        match (subject, pat) {
            (Subject::Tuple(subjects), syn::Pat::Tuple(tuple))
                if subjects.len() == tuple.elems.len()
                    && !tuple
                        .elems
                        .iter()
                        .any(|pat| matches!(pat, syn::Pat::Rest(_))) =>
            {
                let parts = subjects.iter().zip(&tuple.elems);
                let parts = parts.map(|(subject, pat)| self.guarded(subject, pat, guard));
                parts.collect::<Vec<_>>().concat()
            }
            (Subject::One(var) | Subject::Place(var), pat) if is_looked_at(guard, pat) => {
                self.looked_at(*var, pat, guard)
            }
            (subject, pat) => self.bindings(subject, pat),
        }
    }

    /// The bindings of a pattern, by reference, and copies of those that are used as values: a guard must not move them.
    fn looked_at(&mut self, subject: Var, pat: &syn::Pat, guard: &syn::Expr) -> Vec<Stmt> {
        let span = pat.span();
        let whole = self.temporary("seen", span);
        let of = self.read(subject, span);
        let of = self.node(ExprKind::Ref(false, Box::new(of)), span);
        let mut stmts = vec![Stmt::bind(Pat::name(whole), of, span)];
        stmts.extend(self.bindings(&Subject::One(whole), pat));
        for (name, _) in mentions::bound(pat) {
            if !Uses::of(guard, pat).values.contains(&name) {
                continue;
            }
            let Some(seen) = self.lookup(&name.to_string()) else {
                continue;
            };
            let seen = self.read(seen, span);
            let copy = self.method_of(seen, "clone");
            let var = self.declare(&name, false);
            stmts.push(Stmt::bind(Pat::name(var), copy, span));
        }
        stmts
    }
}

/// Uses of a pattern's bindings in an expression.
struct Uses {
    names: Vec<Ident>,
    dereferenced: bool,
    /// Something is called on it, or a part of it is read.
    inside: bool,
    values: Vec<Ident>,
}

impl Uses {
    fn of(expr: &syn::Expr, pat: &syn::Pat) -> Self {
        let names = mentions::bound(pat).into_iter();
        let mut uses = Uses {
            names: names.map(|(name, _)| name).collect(),
            dereferenced: false,
            inside: false,
            values: Vec::new(),
        };
        uses.visit_expr(expr);
        uses
    }

    fn name(&self, expr: &syn::Expr) -> Option<&Ident> {
        let path = path_of(expr)?;
        self.names.iter().find(|name| path.path.is_ident(*name))
    }
}

impl<'ast> Visit<'ast> for Uses {
    fn visit_expr(&mut self, expr: &'ast syn::Expr) {
        let base = match expr {
            syn::Expr::Unary(unary) if matches!(unary.op, syn::UnOp::Deref(_)) => {
                self.dereferenced |= self.name(&unary.expr).is_some();
                None
            }
            syn::Expr::MethodCall(call) => Some(&*call.receiver),
            syn::Expr::Index(index) => Some(&*index.expr),
            syn::Expr::Field(field) => Some(&*field.base),
            _ => None,
        };
        if base.is_some_and(|base| self.name(base).is_some()) {
            self.inside = true;
            match expr {
                syn::Expr::MethodCall(call) => {
                    call.args.iter().for_each(|arg| self.visit_expr(arg));
                }
                syn::Expr::Index(index) => self.visit_expr(&index.index),
                _ => {}
            }
            return;
        }
        if let Some(name) = self.name(expr) {
            let name = name.clone();
            self.values.push(name);
        }
        visit::visit_expr(self, expr);
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        // The uses in a macro can't be seen.
        let mentioned = self
            .names
            .iter()
            .filter(|name| mentions_name(&mac.tokens, name));
        let mentioned: Vec<Ident> = mentioned.cloned().collect();
        self.inside |= !mentioned.is_empty();
        self.values.extend(mentioned);
    }
}

/// Returns `true` if a guard has to read a pattern's bindings without moving them. Those that it dereferences are
/// references already.
fn is_looked_at(guard: &syn::Expr, pat: &syn::Pat) -> bool {
    let uses = Uses::of(guard, pat);
    !uses.dereferenced && (uses.inside || is_nested(pat) && !uses.values.is_empty())
}

/// Returns `true` if a pattern binds something inside of a variant, or of a struct, that is itself inside of one.
fn is_nested(pat: &syn::Pat) -> bool {
    fn binds_inside(pat: &syn::Pat, depth: usize) -> bool {
        match pat {
            syn::Pat::TupleStruct(of) => of.elems.iter().any(|pat| binds_inside(pat, depth + 1)),
            syn::Pat::Struct(of) => of.fields.iter().any(|f| binds_inside(&f.pat, depth + 1)),
            syn::Pat::Tuple(of) => of.elems.iter().any(|pat| binds_inside(pat, depth + 1)),
            syn::Pat::Paren(inner) => binds_inside(&inner.pat, depth),
            syn::Pat::Ident(name) => depth > 1 && name.by_ref.is_none() && is_binding(&name.ident),
            _ => false,
        }
    }
    binds_inside(pat, 0)
}

/// Removes bindings from a pattern that an expression doesn't mention.
struct Mentioned<'a>(&'a syn::Expr);

impl VisitMut for Mentioned<'_> {
    fn visit_pat_mut(&mut self, pat: &mut syn::Pat) {
        match pat {
            syn::Pat::Ident(name)
                if is_binding(&name.ident)
                    && name.subpat.is_none()
                    && !mentions_name(self.0, &name.ident) =>
            {
                *pat = syn::parse_quote!(_);
            }
            pat => visit_mut::visit_pat_mut(self, pat),
        }
    }

    fn visit_field_pat_mut(&mut self, field: &mut syn::FieldPat) {
        // `{ x }` is `{ x: x }`.
        if field.colon_token.is_none() {
            let syn::Member::Named(name) = &field.member else {
                return;
            };
            if mentions_name(self.0, name) {
                return;
            }
            field.colon_token = Some(syn::token::Colon::default());
        }
        self.visit_pat_mut(&mut field.pat);
    }
}

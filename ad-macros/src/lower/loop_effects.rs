//! Facts about a list that a loop runs over, from the loop's body: whether the body writes the list, of which Rust takes a copy if
//! the loop is by value, and whether the items are references.

use proc_macro2::Span;

use super::builder::Lowerer;
use crate::hir::{Access, Block, Expr, ExprKind, Pat, Stmt, Var, is_dereferenced};
use crate::ir::{OpKind, Place};
use crate::std_model::{READS, does, of_floats};
use crate::types::Type;

impl Lowerer<'_> {
    /// Notes the variables that the body of the next loop may write, and whether it dereferences the items.
    pub(super) fn note_body(&mut self, pat: &Pat, body: &Block) {
        self.dereferenced = is_dereferenced(pat, body);
        self.written.clear();
        let mut found = Vec::new();
        body.each_block(&mut |block| self.lent_by_name(block, &mut found));
        body.walk(&mut |expr| self.written_by(expr, &mut found));
        self.written.extend(found);
    }

    /// `let S { a, .. } = s;`, where `s` is a `&mut`.
    fn lent_by_name(&self, block: &Block, found: &mut Vec<Var>) {
        for stmt in &block.stmts {
            if let Stmt::Let(stmt) = stmt
                && let Some(init) = &stmt.init
            {
                found.extend(self.handed_on(init));
            }
        }
    }

    /// A variable that may be a `&mut`, by its name alone.
    fn handed_on(&self, expr: &Expr) -> Option<Var> {
        match expr.kind {
            ExprKind::Var(var) if matches!(self.ty(expr), Type::Ref(true, _) | Type::Deferred) => {
                Some(var)
            }
            _ => None,
        }
    }

    fn written_by(&self, expr: &Expr, found: &mut Vec<Var>) {
        match &expr.kind {
            ExprKind::Assign(place, _)
            | ExprKind::AssignOp(_, place, _)
            | ExprKind::Ref(true, place) => {
                place.walk(&mut |part| found.extend(part.root()));
            }
            ExprKind::Call { args, .. } | ExprKind::Apply(_, args) => {
                found.extend(args.iter().filter_map(|arg| self.handed_on(arg)));
            }
            ExprKind::Method {
                receiver,
                name,
                args,
                ..
            } => {
                let name = name.to_string();
                if !does(&name, READS) && !of_floats(&name) {
                    found.extend(receiver.root());
                }
                found.extend(args.iter().filter_map(|arg| self.handed_on(arg)));
            }
            ExprKind::Verbatim(verbatim) => found.extend(writes(&verbatim.mentions)),
            ExprKind::Closure(closure) => found.extend(writes(&closure.captures)),
            _ => {}
        }
    }

    /// The list itself, or a copy of it if the loop writes it.
    pub(super) fn kept_for_loop(&mut self, list: Place, of: &Expr, span: Span) -> Place {
        if !of.root().is_some_and(|root| self.written.contains(&root)) {
            return list;
        }
        let ty = self.ty(of).lower();
        let copy = self.emit(OpKind::CloneOf(list), ty, "copy", span);
        self.spill(copy, span)
    }
}

fn writes(mentions: &[crate::hir::Mention]) -> impl Iterator<Item = Var> {
    let written = mentions.iter().filter(|m| m.access != Access::Read);
    written.map(|m| m.var)
}

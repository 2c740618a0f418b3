//! Types of functions that are values, and of calls of them.

use super::infer::Infer;
use super::ty::{Type, from_written};
use crate::hir::{Closure, Expr, Pat, Var};
use crate::ir::PassedBy;

impl Infer<'_> {
    /// A call of a parameter that is a function: its type is written.
    pub(super) fn apply(&mut self, var: Var, args: &[Expr]) -> Type {
        let args: Vec<Type> = args.iter().map(|arg| self.expr(arg)).collect();
        let var = self.vars[var.0 as usize].clone();
        let Type::Function(Some(function)) = self.table.peeled(&var) else {
            return self.table.deferred();
        };
        let hidden = &self.func.hidden_types;
        for (arg, input) in args.iter().zip(&function.inputs) {
            let Some(ty) = from_written(&input.ty, hidden) else {
                continue;
            };
            let ty = match input.by {
                PassedBy::Value => ty,
                by => Type::Ref(by == PassedBy::Mut, ty.into()),
            };
            self.table.unify(arg, &ty);
        }
        from_written(&function.output, hidden).unwrap_or_else(|| self.table.deferred())
    }

    /// The written types of a closure's parameters, and references for those that are written through; rustc infers the
    /// rest from the callee.
    pub(super) fn closure(&mut self, closure: &Closure) -> Type {
        self.closure_of(closure, &[], None)
    }

    /// The same of a closure whose parameters and result have types by the callee.
    pub(super) fn closure_of(
        &mut self,
        closure: &Closure,
        inputs: &[Option<Type>],
        output: Option<&Type>,
    ) -> Type {
        for (k, (pat, written)) in closure.params.iter().enumerate() {
            let written = written.as_ref();
            let ty = written.and_then(|ty| from_written(ty, &self.func.hidden_types));
            let given = inputs.get(k).cloned().flatten();
            if let (Some(ty), Some(given)) = (&ty, &given) {
                self.table.unify(ty, given);
            }
            let ty = match (ty.or(given), pat) {
                (Some(ty), _) => ty,
                (None, Pat::Bind { var, by_ref: None }) if self.written.contains(var) => {
                    Type::Ref(true, self.table.deferred().into())
                }
                (None, _) => self.table.deferred(),
            };
            self.pattern(pat, &ty);
        }
        match output {
            Some(output) => {
                let result = self.expr(&closure.body);
                self.table.unify(&result, output);
            }
            None => {
                self.handed_over(&closure.body);
            }
        }
        Type::Function(None)
    }
}

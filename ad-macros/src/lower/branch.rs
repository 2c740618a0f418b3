//! `if`: the values of variables that either side assigns come out as results.

use proc_macro2::Span;

use super::builder::{Binding, Flow, Lowered, Lowerer};
use crate::hir::{Block, Expr, ExprKind, Var};
use crate::ir::{Const, Op, OpKind, Region, Ty, Value};
use crate::types::Type;

/// What a region leaves: its value, and the values of the variables that are merged.
struct Arm {
    ops: Vec<Op>,
    flow: Flow,
    assigned: Vec<Value>,
}

impl Lowerer<'_> {
    pub(super) fn branch(
        &mut self,
        expr: &Expr,
        cond: &Expr,
        then: &Block,
        other: Option<&Block>,
    ) -> Lowered<Flow> {
        if matches!(self.ty(expr), Type::Ref(..)) {
            return self.reject(
                expr,
                "a reference chosen by control flow is not supported yet",
                "use each reference where it is chosen",
            );
        }
        let value = self.value(cond)?;
        let mut assigned = self.assigned_in_block(then);
        if let Some(other) = other {
            assigned.extend(self.assigned_in_block(other));
        }
        let assigned = self.merged(assigned);
        let ty = self.ty(expr).lower();
        self.choose(
            value,
            |lowerer| lowerer.block(then),
            |lowerer| other.map_or(Ok(Flow::Unit), |other| lowerer.block(other)),
            ty,
            &assigned,
            expr.span,
        )
    }

    /// Emits an `If`, whose arms are lowered by `then` and `other`. Both are lowered before an error is passed on.
    pub(super) fn choose(
        &mut self,
        cond: Value,
        then: impl FnOnce(&mut Self) -> Lowered<Flow>,
        other: impl FnOnce(&mut Self) -> Lowered<Flow>,
        ty: Ty,
        assigned: &[Var],
        span: Span,
    ) -> Lowered<Flow> {
        let then = self.arm(then, assigned);
        let other = self.arm(other, assigned);
        let (then, other) = (then?, other?);
        let valued = matches!(then.flow, Flow::Value(_)) || matches!(other.flow, Flow::Value(_));
        let diverges = then.flow == Flow::Never && other.flow == Flow::Never;
        let mut types = Vec::new();
        if valued {
            types.push((ty, "t".to_string()));
        }
        if !diverges {
            for var in assigned {
                types.push((self.types.var(*var).lower(), self.name(*var)));
            }
        }
        let then = self.finish_arm(then, valued, &types, span);
        let other = self.finish_arm(other, valued, &types, span);
        let results: Vec<Value> = types
            .into_iter()
            .map(|(ty, name)| self.out.new_value(ty, name, span))
            .collect();
        let kind = OpKind::If { cond, then, other };
        self.ops.push(Op {
            kind,
            results: results.clone(),
            span,
        });
        if diverges {
            self.effect(OpKind::Unreachable, span);
            return Ok(Flow::Never);
        }
        let (value, merged) = results.split_at(usize::from(valued));
        for (var, value) in assigned.iter().zip(merged) {
            self.bind_value(*var, *value);
        }
        Ok(value
            .first()
            .map_or(Flow::Unit, |value| Flow::Value(*value)))
    }

    fn arm(
        &mut self,
        f: impl FnOnce(&mut Self) -> Lowered<Flow>,
        assigned: &[Var],
    ) -> Lowered<Arm> {
        let (ops, arm) = self.region(|lowerer| {
            let flow = f(lowerer)?;
            let assigned = assigned
                .iter()
                .filter_map(|var| lowerer.current(*var))
                .collect();
            Ok((flow, assigned))
        });
        let (flow, assigned) = arm?;
        Ok(Arm {
            ops,
            flow,
            assigned,
        })
    }

    /// The region of an arm, with yields of the given types.
    fn finish_arm(&mut self, arm: Arm, valued: bool, types: &[(Ty, String)], span: Span) -> Region {
        let outer = std::mem::replace(&mut self.ops, arm.ops);
        let yields = match arm.flow {
            Flow::Never => self.unreached(types, span),
            Flow::Value(value) => std::iter::once(value).chain(arm.assigned).collect(),
            Flow::Unit if valued => {
                let unit = self.constant(Const::Unit, Ty::Unit, span);
                std::iter::once(unit).chain(arm.assigned).collect()
            }
            Flow::Unit => arm.assigned,
        };
        let ops = std::mem::replace(&mut self.ops, outer);
        Region {
            params: Vec::new(),
            ops,
            yields,
        }
    }

    /// Ends a region that never runs to its end: what it yields is undefined, as far as that can be said.
    pub(super) fn unreached(&mut self, types: &[(Ty, String)], span: Span) -> Vec<Value> {
        let last = self.ops.pop();
        let mut yields = Vec::new();
        // Undefined values go before whatever diverges, so that this stays last.
        for (ty, _) in types.iter().take_while(|(ty, _)| ty.is_scalar()) {
            yields.push(self.constant(Const::Undef, ty.clone(), span));
        }
        self.ops.extend(last);
        if !matches!(
            self.ops.last().map(|op| &op.kind),
            Some(OpKind::Unreachable)
        ) {
            self.effect(OpKind::Unreachable, span);
        }
        yields
    }

    /// The variables to merge, in the order of their declaration: those that are values outside of the branch.
    pub(super) fn merged(&self, mut vars: Vec<Var>) -> Vec<Var> {
        vars.sort_unstable();
        vars.dedup();
        vars.retain(|var| matches!(self.env[var.0 as usize], Some(Binding::Value(_))));
        vars
    }

    /// The variables outside of the expressions that they assign, if they are values.
    pub(super) fn assigned_in(&self, exprs: &[&Expr]) -> Vec<Var> {
        let mut vars = Vec::new();
        for expr in exprs {
            expr.walk(&mut |e| assigned(e, &mut vars));
        }
        self.merged(vars)
    }

    pub(super) fn assigned_in_block(&self, block: &Block) -> Vec<Var> {
        let mut vars = Vec::new();
        block.walk(&mut |e| assigned(e, &mut vars));
        self.merged(vars)
    }
}

fn assigned(expr: &Expr, vars: &mut Vec<Var>) {
    match &expr.kind {
        ExprKind::Assign(place, _) | ExprKind::AssignOp(_, place, _) => targets(place, vars),
        _ => {}
    }
}

fn targets(place: &Expr, vars: &mut Vec<Var>) {
    match &place.kind {
        ExprKind::Var(var) => vars.push(*var),
        ExprKind::Tuple(elems) => elems.iter().for_each(|elem| targets(elem, vars)),
        _ => {}
    }
}

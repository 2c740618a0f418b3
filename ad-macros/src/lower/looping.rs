//! Loops. What is carried round a loop is exactly what its body assigns and what lives outside of it.

use proc_macro2::Span;

use super::builder::{Flow, Lowered, Lowerer};
use crate::hir::{Block, Expr, Head, Pat, Var};
use crate::ir::{Op, OpKind, Range, Region, Ty, Value};
use crate::types::keyed::{keyed, part_of};
use crate::types::{Type, Types};

impl Lowerer<'_> {
    pub(super) fn for_loop(
        &mut self,
        expr: &Expr,
        pat: &Pat,
        head: &Head,
        body: &Block,
        stop: Option<Var>,
    ) -> Lowered<Flow> {
        let span = expr.span;
        if !is_countable(head, self.types) {
            if self.is_free(expr) {
                return self.opaque(expr);
            }
            if let Some(of) = self.uncountable(head) {
                return self.refuse_loop(of);
            }
        }
        self.note_body(pat, body);
        let counted = self.counted(head, span)?;
        let carried = self.assigned_in_block(body);
        let induction_ty = self.out.ty(counted.range.lo).clone();
        let name = counted.name(self, pat);
        let induction = self.out.new_value(induction_ty, name, span);
        let bind = |lowerer: &mut Self| {
            let bound = counted.bind(lowerer, pat, induction, span);
            if bound.is_err() {
                lowerer.fail(pat);
            }
            lowerer.block(body)
        };
        let (region, init) = self.body(bind, &carried, vec![induction], stop, span)?;
        let range = counted.range.clone();
        let kind = OpKind::For {
            range,
            init,
            stop: stop.is_some(),
            body: region,
        };
        self.finish_loop(kind, &carried, span);
        Ok(Flow::Unit)
    }

    pub(super) fn endless_loop(
        &mut self,
        expr: &Expr,
        body: &Block,
        stop: Option<Var>,
    ) -> Lowered<Flow> {
        let span = expr.span;
        let carried = self.assigned_in_block(body);
        let (mut region, init) = self.body(
            |lowerer| lowerer.block(body),
            &carried,
            Vec::new(),
            stop,
            span,
        )?;
        let ends = stop.is_some();
        if !ends && !region.diverges() {
            // Without an exit the loop runs until something panics.
            let outer = std::mem::replace(&mut self.ops, std::mem::take(&mut region.ops));
            let never = self.boolean(false, span);
            region.ops = std::mem::replace(&mut self.ops, outer);
            region.yields.insert(0, never);
        }
        self.finish_loop(OpKind::Loop { init, body: region }, &carried, span);
        if ends {
            return Ok(Flow::Unit);
        }
        self.effect(OpKind::Unreachable, span);
        Ok(Flow::Never)
    }

    /// The region of a loop, and what is carried in.
    pub(super) fn body(
        &mut self,
        f: impl FnOnce(&mut Self) -> Lowered<Flow>,
        carried: &[Var],
        mut params: Vec<Value>,
        stop: Option<Var>,
        span: Span,
    ) -> Lowered<(Region, Vec<Value>)> {
        let init: Vec<Value> = carried
            .iter()
            .filter_map(|var| self.current(*var))
            .collect();
        let types: Vec<(Ty, String)> = carried
            .iter()
            .map(|var| (self.types.var(*var).lower(), self.name(*var)))
            .collect();
        let inside: Vec<Value> = types
            .iter()
            .map(|(ty, name)| self.out.new_value(ty.clone(), name.clone(), span))
            .collect();
        params.extend(&inside);
        let (ops, yields) = self.region(|lowerer| {
            for (var, value) in carried.iter().zip(&inside) {
                lowerer.bind_value(*var, *value);
            }
            if f(lowerer)? == Flow::Never {
                let mut types = types.clone();
                if stop.is_some() {
                    types.insert(0, (Ty::Bool, String::new()));
                }
                return Ok(lowerer.unreached(&types, span));
            }
            let stop = stop.and_then(|stop| lowerer.current(stop));
            let carried = carried.iter().filter_map(|var| lowerer.current(*var));
            Ok(stop.into_iter().chain(carried).collect())
        });
        Ok((
            Region {
                params,
                ops,
                yields: yields?,
            },
            init,
        ))
    }

    pub(super) fn finish_loop(&mut self, kind: OpKind, carried: &[Var], span: Span) {
        let mut results = Vec::new();
        for var in carried {
            let (ty, name) = (self.types.var(*var).lower(), self.name(*var));
            let value = self.out.new_value(ty, name, span);
            results.push(value);
            self.bind_value(*var, value);
        }
        self.ops.push(Op {
            kind,
            results,
            span,
        });
    }

    /// What certainly has no positions: an unknown iterator, a map, or an `Option` beside something else. All else that isn't known is taken for a list.
    pub(super) fn uncountable<'h>(&self, head: &'h Head) -> Option<&'h Expr> {
        match head {
            Head::Range { .. } | Head::Count(_) => None,
            Head::Elements { of, .. } | Head::Chunks { of, .. } => {
                let ty = self.ty(of).peeled();
                let map = keyed(ty).is_some() && !self.is_free(of);
                (map || matches!(ty, Type::Option(_) | Type::Result(..))).then_some(of)
            }
            Head::Enumerate(inner)
            | Head::Rev(inner)
            | Head::Skip(inner, _)
            | Head::Take(inner, _)
            | Head::StepBy(inner, _) => self.uncountable(inner),
            Head::Zip(a, b) => self.uncountable(a).or_else(|| self.uncountable(b)),
            Head::Other(of) => match part_of(of) {
                Some((map, _)) if keyed(self.ty(map)).is_some() && self.is_free(map) => None,
                _ => Some(of),
            },
        }
    }

    pub(super) fn refuse_loop<T>(&mut self, of: &Expr) -> Lowered<T> {
        let map = part_of(of).map_or(of, |(map, _)| map);
        self.reject_container(map, of.span)?;
        self.reject(
            of,
            "a loop over this iterator is not supported yet",
            "loop over a range, a slice, `iter()`, `iter_mut()`, `chunks(n)` or `windows(n)`, with \
             `rev()`, `enumerate()` or `zip(...)`; collect anything else to a `Vec` first",
        )
    }

    /// A range for a counted loop.
    pub(super) fn plain_range(lo: Value, hi: Value) -> Range {
        Range {
            lo,
            hi,
            inclusive: false,
            adapters: Vec::new(),
        }
    }
}

/// Whether a head is made of ranges, slices, arrays and `Vec`s.
pub(super) fn is_countable(head: &Head, types: &Types) -> bool {
    match head {
        Head::Range { .. } | Head::Count(_) => true,
        Head::Elements { of, .. } | Head::Chunks { of, .. } => {
            types.expr(of.id).element().is_some()
        }
        Head::Enumerate(inner)
        | Head::Rev(inner)
        | Head::Skip(inner, _)
        | Head::Take(inner, _)
        | Head::StepBy(inner, _) => is_countable(inner, types),
        Head::Zip(a, b) => is_countable(a, types) && is_countable(b, types),
        Head::Other(_) => false,
    }
}

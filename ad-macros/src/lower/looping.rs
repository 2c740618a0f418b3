//! Loops. A loop carries exactly the variables that its body assigns and that live outside of it.

use proc_macro2::Span;

use super::builder::{Flow, Lowered, Lowerer};
use super::call_results_as_lists::gives_list;
use super::loop_references::LoopPlaces;
use crate::hir::{Block, Expr, Iterable, Pat, Var};
use crate::ir::{Op, OpKind, Range, Region, Ty, Value};
use crate::types::keyed::{Part, keyed, part_of};
use crate::types::{Type, Types};

/// The variables that a loop carries.
pub(super) struct Carried {
    values: Vec<Var>,
    names: Vec<Var>,
    /// The names of places that may be absent.
    flags: Vec<Var>,
    /// The possible targets of the names.
    states: LoopPlaces,
    pub(super) init: Vec<Value>,
}

impl Carried {
    fn types(&self, lowerer: &Lowerer<'_>) -> Vec<Ty> {
        let values = (self.values.iter()).map(|var| lowerer.types.var(*var).lower());
        let flags = self.flags.iter().map(|_| Ty::Bool);
        let names = self.states.types().into_iter().map(|(ty, _)| ty);
        values.chain(flags).chain(names).collect()
    }

    /// A value for everything that is carried.
    fn fresh(&self, lowerer: &mut Lowerer<'_>, span: Span) -> Vec<Value> {
        let names = self.states.types();
        let values = self.values.iter();
        let values = values.map(|var| (lowerer.types.var(*var).lower(), lowerer.name(*var)));
        let flags = (self.flags.iter()).map(|var| (Ty::Bool, lowerer.name(*var)));
        let all: Vec<(Ty, String)> = values.chain(flags).chain(names).collect();
        all.into_iter()
            .map(|(ty, name)| lowerer.out.new_value(ty, name, span))
            .collect()
    }

    /// Binds the variables to the carried values.
    fn bind(&self, lowerer: &mut Lowerer<'_>, carried: &[Value], span: Span) {
        let (values, carried) = carried.split_at(self.values.len());
        let (flags, positions) = carried.split_at(self.flags.len());
        for (var, value) in self.values.iter().zip(values) {
            lowerer.bind_value(*var, *value);
        }
        let targets = lowerer.decode(self.names.len(), &self.states, positions, span);
        let mut targets = targets.into_iter();
        for var in &self.names {
            let target = targets.next().filter(|target| !target.is_nowhere());
            let flag = self.flags.iter().position(|flag| flag == var);
            lowerer.rename(*var, target, flag.map(|k| flags[k]), span);
        }
    }

    /// The carried values before the positions.
    fn values_and_flags(&self, lowerer: &Lowerer<'_>) -> Vec<Option<Value>> {
        let values = self.values.iter().map(|var| lowerer.current(*var));
        let flags = self.flags.iter().map(|var| lowerer.flag_of(*var));
        values.chain(flags).collect()
    }
}

impl Lowerer<'_> {
    pub(super) fn for_loop(
        &mut self,
        expr: &Expr,
        pat: &Pat,
        head: &Iterable,
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
        let unordered = self.unordered.len();
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
        let (region, carried) = self.body(&bind, &carried, &[induction], stop, span)?;
        self.check_order(unordered, None, &region, !carried.init.is_empty(), span);
        let range = counted.range.clone();
        let kind = OpKind::For {
            range,
            init: carried.init.clone(),
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
        let run = |lowerer: &mut Self| lowerer.block(body);
        let (mut region, carried) = self.body(&run, &carried, &[], stop, span)?;
        let ends = stop.is_some();
        if !ends && !region.diverges() {
            // Without an exit the loop runs until something panics.
            let outer = std::mem::replace(&mut self.ops, std::mem::take(&mut region.ops));
            let never = self.boolean(false, span);
            region.ops = std::mem::replace(&mut self.ops, outer);
            region.yields.insert(0, never);
        }
        let init = carried.init.clone();
        self.finish_loop(OpKind::Loop { init, body: region }, &carried, span);
        if ends {
            return Ok(Flow::Unit);
        }
        self.effect(OpKind::Unreachable, span);
        Ok(Flow::Never)
    }

    /// The region of a loop, and the carried values.
    pub(super) fn body(
        &mut self,
        f: &dyn Fn(&mut Self) -> Lowered<Flow>,
        assigned: &[Var],
        params: &[Value],
        stop: Option<Var>,
        span: Span,
    ) -> Lowered<(Region, Carried)> {
        let (values, names) = self.values_and_names(assigned);
        let entry = self.targets_of(&names, span);
        let is_optional = |var: &Var| self.is_optional_name(*var);
        let mut carried = Carried {
            values,
            flags: names.iter().copied().filter(is_optional).collect(),
            names,
            states: LoopPlaces::default(),
            init: Vec::new(),
        };
        carried.states.add_all(&entry);
        loop {
            let before = self.before();
            let known = carried.states.clone();
            let region = self.body_once(f, &mut carried, params, stop, span)?;
            if carried.states == known {
                let states = carried.states.clone();
                let mut init = carried.values_and_flags(self);
                init.extend(self.encode(&entry, &states, span));
                carried.init = self.defined(&init, &carried.types(self), span);
                return Ok((region, carried));
            }
            self.go_back(before);
            if carried.states.are_too_many() {
                return self.reject(
                    span,
                    "a reference that each trip of a loop moves deeper, or between too many variables, is not supported yet",
                    "walk a list of boxes by recursion; keep what the reference may lead to in one list, and an index",
                );
            }
        }
    }

    /// Lowers the body with names for their known targets, and notes their further targets.
    fn body_once(
        &mut self,
        f: &dyn Fn(&mut Self) -> Lowered<Flow>,
        carried: &mut Carried,
        params: &[Value],
        stop: Option<Var>,
        span: Span,
    ) -> Lowered<Region> {
        let mark = self.mark();
        let types = carried.types(self);
        let inside = carried.fresh(self, span);
        let (ops, yields) = self.region(|lowerer| {
            carried.bind(lowerer, &inside, span);
            if f(lowerer)? == Flow::Never {
                let flag = stop.map(|_| Ty::Bool);
                let types: Vec<Ty> = flag.into_iter().chain(types).collect();
                return Ok(lowerer.unreached(&types, span));
            }
            let stop = stop.and_then(|stop| lowerer.current(stop));
            let targets = lowerer.targets_of(&carried.names, span);
            if targets
                .iter()
                .any(|target| target.declared_since(mark).is_some())
            {
                return lowerer.refuse_escape(span);
            }
            if carried.states.add_all(&targets) {
                return Ok(Vec::new());
            }
            let mut yields = carried.values_and_flags(lowerer);
            yields.extend(lowerer.encode(&targets, &carried.states, span));
            let yields = lowerer.defined(&yields, &types, span);
            Ok(stop.into_iter().chain(yields).collect())
        });
        Ok(Region {
            params: params.iter().chain(&inside).copied().collect(),
            ops,
            yields: yields?,
        })
    }

    pub(super) fn finish_loop(&mut self, kind: OpKind, carried: &Carried, span: Span) {
        let results = carried.fresh(self, span);
        self.ops.push(Op::new(kind, results.clone(), span));
        carried.bind(self, &results, span);
    }

    /// The part of a head that certainly has no positions: an unknown iterator, a map, or an `Option` beside something else. Any other value of unknown
    /// type is assumed to be a list.
    pub(super) fn uncountable<'h>(&self, head: &'h Iterable) -> Option<&'h Expr> {
        match head {
            Iterable::Range { .. } | Iterable::Count(_) => None,
            Iterable::Elements { of, .. } | Iterable::Chunks { of, .. } => {
                let ty = self.ty(of).peeled();
                let map = keyed(ty).is_some() && !self.is_free(of);
                (map || matches!(ty, Type::Option(_) | Type::Result(..))).then_some(of)
            }
            Iterable::Enumerate(inner)
            | Iterable::Rev(inner)
            | Iterable::Skip(inner, _)
            | Iterable::Take(inner, _)
            | Iterable::StepBy(inner, _) => self.uncountable(inner),
            Iterable::Zip(a, b) => self.uncountable(a).or_else(|| self.uncountable(b)),
            Iterable::Unknown(of) => match part_of(of) {
                Some((map, _)) if keyed(self.ty(map)).is_some() => {
                    (!self.is_free(map)).then_some(of)
                }
                _ => (!gives_list(of)).then_some(of),
            },
        }
    }

    pub(super) fn refuse_loop<T>(&mut self, of: &Expr) -> Lowered<T> {
        let part = part_of(of);
        let map = part.map_or(of, |(map, _)| map);
        self.reject_container(map, of.span)?;
        if let Some((_, Part::Keys | Part::Values)) = part {
            return self.reject(
                of,
                "a loop over a map of unknown type is not supported yet",
                "name it first, with its type: `let map: &HashMap<String, usize> = &self.map;`",
            );
        }
        self.reject(
            of,
            "a loop over this iterator is not supported yet",
            "loop over a range, a slice, `iter()`, `iter_mut()`, `chunks(n)` or `windows(n)`, with \
             `rev()`, `enumerate()` or `zip(...)`; collect anything else to a `Vec` first",
        )
    }

    /// A range for a counted loop.
    pub(super) fn plain_range(lo: Value, hi: Value) -> Range {
        Range::new(lo, hi)
    }
}

/// Returns `true` if a head is made of ranges, slices, arrays and `Vec`s.
pub(super) fn is_countable(head: &Iterable, types: &Types) -> bool {
    let is_foreign = |of: &Expr| matches!(types.expr(of.id).peeled(), Type::Foreign(_));
    let mut countable = true;
    head.each_source(&mut |source| {
        countable &= match source {
            Iterable::Elements { of, .. } | Iterable::Chunks { of, .. } => {
                types.expr(of.id).element().is_some() || is_foreign(of)
            }
            Iterable::Unknown(of) => is_foreign(of),
            _ => true,
        };
    });
    countable
}

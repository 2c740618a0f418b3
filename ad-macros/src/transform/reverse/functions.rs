//! The reverse of functions that are passed on.
//!
//! A closure is a region with a residual, as a loop's body is. Its forward half replaces the closure, and returns the
//! residual beside its result; its reverse half is part of the reverse half of the call, and adds to the shadows of the captures:
//!
//! ```text
//! y = total(|t| a * t.sin(), h)
//!
//! (y, pb) = total::rrule(|t| { s = t.sin(); (a * s, (s, t.cos())) }, h)
//! sum = 0.0; h_bar += pb(y_bar, |(s, c), r_bar| { sum += r_bar * s; r_bar * a * c }); a_bar += sum
//! ```
//!
//! An outer value has no shadow, so its cotangent is summed in a local. Where two closures of one call, or a closure and
//! an argument, share a shadow, all but the first get a zeroed one of their own, which is added afterwards.

use std::collections::BTreeSet;

use super::{Frame, FrameKind, Reverse};
use crate::analyze::written_slots;
use crate::ir::{
    Arg, Call, Callee, Closure, Function, Map, Op, OpKind, Pattern, Place, Region, Set, Slot,
    SlotData, SlotKind, Value,
};

/// The functions of a call, in halves.
#[derive(Default)]
pub(super) struct Passed {
    /// The arguments of the forward half.
    pub(super) args: Vec<Arg>,
    /// For each argument that is a function, its reverse half.
    pub(super) reverse: Vec<Option<Function>>,
    /// Outer values, and the locals that sum up their cotangents.
    pub(super) sums: Vec<(Value, Slot)>,
    /// Shadows that the reverse halves use.
    pub(super) shadows: Set<Slot>,
    /// Shadows, and their replacements, which are to be added.
    pub(super) temporaries: Vec<(Place, Slot)>,
}

/// The two halves of a closure.
struct Halves {
    forward: Closure,
    reverse: Closure,
    sums: Vec<(Value, Slot)>,
}

impl<'a> Reverse<'a> {
    /// Returns `true` if the functions of a call may write something active.
    pub(super) fn functions_write(&self, op: &Op, call: &Call) -> bool {
        let stateful = |slot: Slot| {
            let is = |p: &&crate::ir::Param| matches!(p.pattern, Pattern::Slot(s) if s == slot);
            let function = self.src.params.iter().find(is);
            function
                .and_then(|p| p.function.as_ref())
                .is_none_or(|f| !f.stateless)
        };
        let called = matches!(call.callee, Callee::Function(slot) if stateful(slot));
        let passed = call
            .args
            .iter()
            .any(|arg| matches!(arg, Arg::Function(Function::Param(slot)) if stateful(*slot)));
        called
            || passed
            || op
                .kind
                .closures()
                .iter()
                .any(|closure| self.closure_writes(closure))
    }

    fn closure_writes(&self, closure: &Closure) -> bool {
        let mut own: Set<Slot> = closure.declared().into_iter().collect();
        closure.body.walk(&mut |op| {
            if let OpKind::Init(s, _) | OpKind::Borrow(s, _) = &op.kind {
                own.insert(*s);
            }
        });
        closure.body.ops.iter().any(|op| {
            let written = written_slots(self.src, op, &|s| self.root(s));
            written
                .into_iter()
                .any(|s| !own.contains(&s) && (self.act.has_slot(s)))
        })
    }

    /// Splits the functions of a call, which is being reversed.
    pub(super) fn split_functions(&mut self, call: &'a Call) -> Passed {
        let mut passed = Passed::default();
        for arg in &call.args {
            let Arg::Function(function) = arg else {
                passed.args.push(arg.clone());
                passed.reverse.push(None);
                continue;
            };
            let (forward, reverse) = match function {
                Function::Item { .. } => (function.clone(), function.clone()),
                Function::Param(slot) => (
                    function.clone(),
                    Function::Param(self.reverse_function(*slot)),
                ),
                Function::Closure(closure) => self.split_closure(closure, &mut passed),
            };
            passed.args.push(Arg::Function(forward));
            passed.reverse.push(Some(reverse));
        }
        passed
    }

    /// The reverse half of a function parameter.
    pub(super) fn reverse_function(&self, slot: Slot) -> Slot {
        match self.shadows.get(&slot) {
            Some(reverse) => *reverse,
            None => crate::diagnostics::bug!("a function without a reverse half"),
        }
    }

    fn split_closure(&mut self, closure: &'a Closure, passed: &mut Passed) -> (Function, Function) {
        // The shadows that earlier closures of the call use are borrowed by them.
        let taken: Vec<(Slot, Slot)> = (self.shadows.iter())
            .filter(|(root, shadow)| {
                passed.shadows.contains(*shadow) && !self.src.slot(**root).ty.is_function()
            })
            .map(|(root, shadow)| (*root, *shadow))
            .collect();
        let mut stand_ins = Map::default();
        for (root, shadow) in &taken {
            let data = self.out.slot(*shadow).clone();
            let temporary = self.out.new_slot(SlotData {
                kind: SlotKind::Owned,
                name: "temporary".into(),
                ..data
            });
            self.slot_homes.insert(temporary, (self.depth(), None));
            self.shadows.insert(*root, temporary);
            stand_ins.insert(temporary, (*root, *shadow));
        }
        let halves = self.halves(closure);
        for (root, shadow) in taken {
            self.shadows.insert(root, shadow);
        }
        let mut used = BTreeSet::new();
        halves.reverse.body.walk(&mut |op| {
            used.extend(op.slots().into_iter().map(|(slot, _)| slot));
        });
        for slot in used {
            if let Some((root, shadow)) = stand_ins.get(&slot) {
                self.stand_in(slot, *root);
                passed.temporaries.push((Place::whole(*shadow), slot));
            }
            passed.shadows.insert(slot);
        }
        passed.sums.extend(halves.sums);
        (
            Function::Closure(Box::new(halves.forward)),
            Function::Closure(Box::new(halves.reverse)),
        )
    }

    /// A zeroed shadow, before the call of the pullback.
    fn stand_in(&mut self, temporary: Slot, root: Slot) {
        self.need_slot(root);
        let ty = self.out.slot(temporary).ty.clone();
        let place = Place::whole(root);
        let zero = self.seq().value(OpKind::ZeroOf(place), ty, "zero");
        self.seq().push(OpKind::Init(temporary, zero));
    }

    fn halves(&mut self, closure: &'a Closure) -> Halves {
        let before = std::mem::take(&mut self.bars);
        let span = self.span;
        self.enter(Frame::new(&closure.body, FrameKind::Closure));
        let depth = self.depth();
        let params: Vec<Pattern> = (closure.params.iter())
            .map(|param| self.reverse_param(param))
            .collect();
        let seed = self.closure_seed(closure);
        self.reverse_ops();
        self.span = span;
        let mut yields = Vec::new();
        let mut results = Vec::new();
        for param in &closure.params {
            let by_ref =
                matches!(param, Pattern::Slot(s) if self.src.slot(*s).kind != SlotKind::Owned);
            let bar = match param {
                Pattern::Value(v) => Some(self.bar_or_zero(*v)),
                _ if by_ref => None,
                pattern => self.owned_cotangent(pattern),
            };
            yields.extend(bar);
            results.push(bar.map_or(Pattern::Unit, Pattern::Value));
        }
        let sums = self.sum_outer(depth);
        let links = self.top().links.clone();
        let (forward, ops) = self.leave();
        self.bars = before;
        for (outer, sum) in &sums {
            let zero = self.zero_of(*outer);
            self.seq().push(OpKind::Init(*sum, zero));
        }
        let forward = Closure {
            seed: None,
            params: closure.params.clone(),
            links: Some(links.clone()),
            body: forward,
            results: closure.results.clone(),
        };
        let mut reverse = Closure {
            seed: Some(seed),
            params,
            links: Some(links),
            body: Region::new(ops, yields),
            results,
        };
        reverse.list_params();
        Halves {
            forward,
            reverse,
            sums,
        }
    }

    /// The position of a parameter in the reverse half: a reference comes again, with its shadow.
    fn reverse_param(&mut self, param: &Pattern) -> Pattern {
        let Pattern::Slot(slot) = param else {
            return Pattern::Unit;
        };
        let home = (self.depth(), None);
        self.slot_homes.insert(*slot, home);
        let data = self.src.slot(*slot);
        if data.kind == SlotKind::Owned {
            return Pattern::Unit;
        }
        self.closure_params.insert(*slot);
        let shadow = self.new_shadow(*slot, data.ty.any_tangent(), SlotKind::RefMut, home);
        Pattern::codual(param.clone(), Pattern::Slot(shadow))
    }

    /// The cotangent of a closure's result.
    fn closure_seed(&mut self, closure: &Closure) -> Pattern {
        let Some(y) = closure.body.yields.first().copied() else {
            return Pattern::Unit;
        };
        if !self.src.ty(y).may_have_tangent() {
            return Pattern::Unit;
        }
        let (ty, span) = (self.tangent_of(y), self.src.value(y).span);
        let y_bar = self.out.new_value(ty, "y_bar", span);
        let depth = self.depth();
        self.homes.insert(y_bar, (depth, None));
        self.frames[depth].cache.insert(y_bar, y_bar);
        self.add_bar(y, y_bar);
        Pattern::Value(y_bar)
    }

    /// Adds the cotangents of outer values to locals of the surrounding reverse half.
    fn sum_outer(&mut self, depth: usize) -> Vec<(Value, Slot)> {
        let mut outer: Vec<(Value, Value)> = (self.bars.iter())
            .filter(|(v, _)| self.homes.get(v).is_some_and(|home| home.0 < depth))
            .map(|(v, bar)| (*v, *bar))
            .collect();
        outer.sort_unstable();
        let mut sums = Vec::new();
        for (v, bar) in outer {
            let (ty, name) = (self.tangent_of(v), self.src.value(v).name.clone());
            let sum = self.out.new_slot(SlotData::new(
                ty,
                SlotKind::Owned,
                format!("{name}_sum"),
                self.span,
            ));
            self.slot_homes.insert(sum, (depth - 1, None));
            self.seq().push(OpKind::Accumulate(Place::whole(sum), bar));
            sums.push((v, sum));
        }
        sums
    }
}

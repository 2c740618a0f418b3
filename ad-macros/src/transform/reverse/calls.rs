//! The reverse of calls.
//!
//! A caller uses the combined rule of a function whose result's cotangent is known before the call (`OpKind::Combined`): nothing is kept of
//! the callee, nor boxed in a recursion. `__combined_call` is that rule with one position for each parameter, as modes describe them. Every
//! free function with a scalar result has it, primitives too, except where a parameter is a differentiated `&mut`: a combined rule restores
//! that memory, and the caller goes on with the values that the primal wrote. So an argument that is passed as `&mut` must be known to be
//! constant in the callee. The macro knows that of a function that calls itself, and of those beside it. Methods are called by their
//! pullbacks.
//!
//! An argument that is inactive in the caller gets a shadow that nobody reads, made once for a rule and added to by all of its calls.

use super::super::seq::Seq;
use super::Reverse;
use crate::ir::{
    ApplyPullback, Arg, Call, Callee, Map, Op, OpKind, Place, Proj, PullArg, Rule, Slot, SlotKind,
    Ty, Value,
};

impl<'a> Reverse<'a> {
    /// `y = f(a, &x)` becomes `(y, pb) = f::rrule(a, &x)` | `a_bar += pb(y_bar, &x, &mut x_bar)`
    pub(super) fn reverse_call(&mut self, op: &'a Op, i: usize, call: &'a Call) {
        if call.rule == Rule::Primal {
            return;
        }
        let y = op.results[0];
        let y_bar = self.take_bar(y);
        let functional = call.is_functional();
        let writes = call.args.iter().any(|arg| self.writes_active(arg))
            || functional && self.functions_write(op, call);
        let active = call.args.iter().any(|arg| self.is_active(arg));
        let wanted = y_bar.is_some() || writes;
        if !(functional || active && wanted) {
            let call = Call {
                rule: Rule::Primal,
                ..call.clone()
            };
            self.top().replaced.insert(
                i,
                Op {
                    kind: OpKind::Call(Box::new(call)),
                    ..op.clone()
                },
            );
            return;
        }
        let depth = self.depth();
        let pullback = self.out.new_value(Ty::Rule, "pullback", op.span);
        let modes = self.out.new_value(Ty::Rule, "modes", op.span);
        self.at_home(pullback, depth, Some(i));
        self.at_home(modes, depth, Some(i));
        let passed = self.split_functions(call);
        let rule = Call {
            rule: Rule::Rrule,
            args: passed.args,
            dropped: call.dropped && call.args[1..].iter().any(|arg| self.is_active(arg)),
            ..call.clone()
        };
        let replaced = Op::new(
            OpKind::Call(Box::new(rule)),
            vec![y, pullback, modes],
            op.span,
        );
        self.top().replaced.insert(i, replaced);
        if !wanted {
            return;
        }

        let seed = match y_bar {
            Some(bar) => bar,
            None => self.zero_of(y),
        };
        let is_operator = call.callee.is_operator();
        let mut shadows: Map<Slot, bool> = passed
            .shadows
            .into_iter()
            .map(|slot| (slot, false))
            .collect();
        let mut temporaries = passed.temporaries;
        let mut copies = Vec::new();
        let mut results: Vec<(Value, Value)> = Vec::new();
        let mut args = Vec::new();
        for (arg, reverse) in call.args.iter().zip(passed.reverse) {
            args.push(match arg {
                Arg::Function(function) => PullArg::Function(reverse.unwrap_or(function.clone())),
                Arg::Value(v) if self.act.has(*v) => {
                    let bar = self.out.new_value(self.tangent_of(*v), "bar", op.span);
                    results.push((*v, bar));
                    // Operators have no constant operands, so no zero is needed for a cotangent.
                    let zero = if is_operator {
                        Vec::new()
                    } else {
                        vec![self.zero_of(*v)]
                    };
                    let open = self.src.value(*v).maybe_reference;
                    PullArg::Value { zero, open }
                }
                Arg::Value(v) if self.src.value(*v).maybe_reference => PullArg::Open,
                Arg::Value(_) => PullArg::Nothing,
                Arg::Receiver(place) if self.leaves_placeholder(call, place) => {
                    self.placeholder(place, &mut shadows)
                }
                Arg::Ref(place) | Arg::Mut(place) | Arg::Receiver(place) => {
                    self.reference(arg, place, &mut shadows, &mut temporaries, &mut copies)
                }
            });
        }
        let pullback = self.need(pullback);
        // Operators have no modes; any value fills the place.
        let modes = if is_operator {
            pullback
        } else {
            self.need(modes)
        };
        let apply = ApplyPullback {
            callee: match call.callee {
                Callee::Function(slot) => Callee::Function(self.reverse_function(slot)),
                _ => call.callee.clone(),
            },
            pullback,
            modes,
            seed: vec![seed],
            args,
        };
        let kind = OpKind::ApplyPullback(Box::new(apply));
        let bars = results.iter().map(|(_, bar)| *bar).collect();
        self.top().rev.push(Op::new(kind, bars, op.span));
        for (v, bar) in results {
            self.add_bar(v, bar);
        }
        for (v, sum) in passed.sums {
            let ty = self.out.slot(sum).ty.clone();
            let bar = self.seq().load(Place::whole(sum), ty, "bar");
            self.add_bar(v, bar);
        }
        for (to, from) in temporaries {
            self.seq().push(OpKind::AccumulatePlace {
                to,
                from: Place::whole(from),
            });
        }
        for (to, from) in copies {
            self.put_back_copy(to, from);
        }
    }

    fn is_active(&self, arg: &Arg) -> bool {
        match arg {
            Arg::Value(v) => self.act.has(*v),
            Arg::Ref(p) | Arg::Mut(p) | Arg::Receiver(p) => self.act.has_slot(self.root(p.root)),
            Arg::Function(_) => true,
        }
    }

    /// Returns `true` if the call may write an active value to the argument.
    fn writes_active(&self, arg: &Arg) -> bool {
        match arg {
            Arg::Value(_) | Arg::Ref(_) | Arg::Function(_) => false,
            Arg::Mut(p) => self.act.has_slot(self.root(p.root)),
            Arg::Receiver(p) => {
                let root = self.root(p.root);
                self.src.receiver_may_write(root) && self.act.has_slot(root)
            }
        }
    }

    /// A copy of the content of a place after a call, for the pullback, where the place is gone, or later writes can't be undone.
    fn snapshot(&mut self, place: &Place, depth: usize, index: usize) -> Place {
        let ty = match &self.src.slot(place.root).ty {
            Ty::Slice(t) if place.path.is_empty() => Ty::Vec(t.clone()),
            ty if place.path.is_empty() => ty.clone(),
            _ => Ty::Deferred,
        };
        self.left(OpKind::CloneOf(place.clone()), ty, depth, index)
    }

    /// Moves the copy that a pullback has worked on to the memory of a parameter, which the caller reads again.
    fn put_back_copy(&mut self, to: Place, from: Place) {
        let is_slice = match to.path.last() {
            Some(last) => matches!(last, Proj::Range(..)),
            None => matches!(self.out.slot(to.root).ty, Ty::Slice(_)),
        };
        if is_slice {
            let swap = |body: &mut Seq, [to, from]: [Place; 2]| body.push(OpKind::Swap(to, from));
            self.seq().for_elements(&[to, from], &swap);
        } else {
            self.seq().push(OpKind::Swap(to, from));
        }
    }

    /// The content of a place after a call, in a place of the reverse half.
    fn left(&mut self, kept: OpKind, ty: Ty, depth: usize, index: usize) -> Place {
        let kept = self.seq_after(depth, Some(index)).value(kept, ty, "kept");
        self.at_home(kept, depth, Some(index));
        let kept = self.need(kept);
        Place::whole(self.seq().init(kept, "kept"))
    }

    /// Returns `true` if a list that is pushed to is moved later, and its elements aren't needed: a `Vec` that is filled and returned.
    fn leaves_placeholder(&self, call: &Call, place: &Place) -> bool {
        let root = self.root(place.root);
        let push = matches!(&call.callee, Callee::Method { name, .. } if name == "push");
        let plan = &self.plan;
        push && call.args.len() == 2
            && self.act.has_slot(root)
            && self.moved.contains(&root)
            && !plan.clone.contains(&root)
            && !plan.restore.contains(&root)
    }

    fn placeholder(&mut self, place: &Place, shadows: &mut Map<Slot, bool>) -> PullArg {
        let (depth, index) = (self.depth(), self.top().pos);
        let ty = match &self.src.slot(place.root).ty {
            ty @ Ty::Vec(_) if place.path.is_empty() => ty.clone(),
            _ => Ty::Deferred,
        };
        let placeholder = self.left(OpKind::PushPlaceholder(place.clone()), ty, depth, index);
        let shadow = self.shadow_place(place);
        shadows.insert(shadow.root, true);
        PullArg::Shadow {
            primal: vec![Arg::Receiver(placeholder)],
            shadow: vec![shadow],
        }
    }

    /// A reference is passed to the pullback again, with its shadow; one shadow can't be in two positions, so the second is
    /// a temporary that is added afterwards.
    fn reference(
        &mut self,
        arg: &Arg,
        place: &Place,
        shadows: &mut Map<Slot, bool>,
        temporaries: &mut Vec<(Place, Slot)>,
        copies: &mut Vec<(Place, Place)>,
    ) -> PullArg {
        let root = self.root(place.root);
        // A constant `&mut` isn't passed to pullbacks, neither to the caller's nor to the callee's.
        let constant =
            self.src.slot(root).kind == SlotKind::RefMut && super::is_constant(self.src, root);
        if constant && !matches!(arg, Arg::Receiver(_)) {
            return PullArg::Nothing;
        }
        if !constant {
            self.need_slot(root);
        }
        let (depth, index) = (self.depth(), self.top().pos);
        let changed = self.written_from(root, depth, index);
        if changed && self.can_restore(root) {
            self.plan.restore.insert(root);
        }
        let primal_place = if constant || changed && !self.can_restore(root) {
            let copy = self.snapshot(place, depth, index);
            if !matches!(arg, Arg::Ref(_)) && self.puts_back(root) && !self.src.is_inactive(place) {
                copies.push((self.resolved(place), copy.clone()));
            }
            copy
        } else if matches!(arg, Arg::Ref(_)) || self.src.slot(place.root).kind == SlotKind::Ref {
            self.primal_place(place)
        } else {
            self.resolved(place)
        };
        let primal = match arg {
            Arg::Ref(_) => Arg::Ref(primal_place.clone()),
            Arg::Mut(_) => Arg::Mut(primal_place.clone()),
            _ => Arg::Receiver(primal_place.clone()),
        };
        // A constant field has no shadow, though the struct has one.
        let active = self.act.has_slot(root) && self.act.has_slot(place.root);
        if !active || self.src.constant_field(place).is_some() {
            return PullArg::Inactive(primal);
        }
        let shadow = self.shadow_place(place);
        // A place that is written is disjoint from all others; rustc has checked that.
        let unique = arg.is_unique();
        let used = shadows.insert(shadow.root, unique);
        if unique || used.is_none_or(|unique| unique) {
            return PullArg::Shadow {
                primal: vec![primal],
                shadow: vec![shadow],
            };
        }
        let ty = self.src.slot(root).ty.clone();
        let ty = if place.path.is_empty() {
            ty
        } else {
            Ty::Deferred
        };
        let zero = self.seq().value(
            OpKind::ZeroOf(primal_place),
            Ty::Tangent(Box::new(ty)),
            "zero",
        );
        let temporary = self.seq().init(zero, "temporary");
        temporaries.push((shadow, temporary));
        PullArg::Shadow {
            primal: vec![primal],
            shadow: vec![Place::whole(temporary)],
        }
    }
}

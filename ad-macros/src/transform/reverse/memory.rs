//! Shadows, and the reverse of operations on memory.

use super::{FrameKind, Reverse};
use crate::ir::{Op, OpKind, Place, Proj, RepeatLen, Slot, SlotData, SlotKind, Ty, Value};

impl Reverse<'_> {
    /// The shadow of a slot. That of a local is declared when it is first asked for, in the region of the local.
    pub(super) fn shadow_of(&mut self, root: Slot) -> Slot {
        if let Some(shadow) = self.shadows.get(&root).copied() {
            if self.unshaped.remove(&root) {
                self.give_final_shape(root, shadow);
            }
            return shadow;
        }
        let depth = self.slot_homes.get(&root).map_or(0, |home| home.0);
        let ty = self.src.slot(root).ty.any_tangent();
        let zero = self.zero_of_slot(root);
        let shadow = self.new_shadow(root, ty, SlotKind::Owned, (depth, None));
        self.seq_at(depth).push(OpKind::Init(shadow, zero));
        shadow
    }

    /// A new slot at `home`, which becomes the shadow of `root`.
    pub(super) fn new_shadow(
        &mut self,
        root: Slot,
        ty: Ty,
        kind: SlotKind,
        home: (usize, Option<usize>),
    ) -> Slot {
        let data = self.src.slot(root);
        let (name, span) = (format!("{}_bar", data.name), data.span);
        let shadow = self.out.new_slot(SlotData::new(ty, kind, name, span));
        self.slot_homes.insert(shadow, home);
        self.shadows.insert(root, shadow);
        shadow
    }

    /// The caller of a combined rule hands over a zero of the initial shape.
    fn give_final_shape(&mut self, root: Slot, shadow: Slot) {
        let ty = self.out.slot(shadow).ty.clone();
        let Ty::Slice(elem) = &ty else {
            let mut seq = self.seq_at(0);
            let zero = seq.value(OpKind::ZeroOf(Place::whole(root)), ty, "zero");
            return seq.push(OpKind::Store(Place::whole(shadow), zero));
        };
        let places = [root, shadow].map(Place::whole);
        self.seq_at(0).for_elements(&places, &|body, [from, to]| {
            let zero = body.value(OpKind::ZeroOf(from), (**elem).clone(), "zero");
            body.push(OpKind::Store(to, zero));
        });
    }

    /// The shadow of a place.
    pub(super) fn shadow_place(&mut self, place: &Place) -> Place {
        let root = self.root(place.root);
        let shadow = self.shadow_of(root);
        let resolved = self.resolved(place);
        Place::new(shadow, resolved.path)
    }

    /// A zero cotangent for a local, in its region.
    pub(super) fn zero_of_slot(&mut self, root: Slot) -> Value {
        let ty = self.src.slot(root).ty.clone();
        let (depth, index) = self.slot_homes.get(&root).copied().unwrap_or((0, None));
        let tangent = ty.any_tangent();
        if let Some(zero) = self.seq_at(depth).zero_of_type(&tangent) {
            return zero;
        }
        if let Some(place) = self.shaped_like(root) {
            let kind = OpKind::ZeroOf(place);
            return self.seq_at(depth).value(kind, tangent, "zero");
        }
        // The zero is made at the end, when the slot has its final shape, and so the slot has to be kept until then.
        if self.is_reshaped(root) {
            self.need_slot(root);
        }
        if let Some(zero) = self.zero_of_made(root, depth, index, &tangent) {
            return zero;
        }
        if self.reachable(root) && !self.src.slot(root).in_option {
            return self
                .seq_at(depth)
                .value(OpKind::ZeroOf(Place::whole(root)), tangent, "zero");
        }
        let last = self
            .last_touch(root, depth)
            .filter(|_| self.written.contains_key(&root));
        match &ty {
            Ty::Vec(elem) if elem.is_float() && last.is_none() => {
                let len = self.seq_after(depth, index).value(
                    OpKind::Len(Place::whole(root)),
                    Ty::Int("usize"),
                    "len",
                );
                self.at_home(len, depth, index);
                let len = self.need(len);
                let elem = self.seq_at(depth).zero(elem);
                self.seq_at(depth).value(
                    OpKind::Repeat {
                        elem,
                        len: RepeatLen::Vec(len),
                    },
                    tangent,
                    "zero",
                )
            }
            _ => {
                // A write may change the shape: the shape after the last one counts. But that may move the value away.
                let place = Place::whole(root);
                let kind = OpKind::ZeroOf(place.clone());
                let (mut seq, index) = match last {
                    Some(last) => (self.seq_before_at(depth, last), Some(last)),
                    None => (self.seq_after(depth, index), index),
                };
                let mut zero = seq.value(kind, tangent.clone(), "zero");
                self.at_home(zero, depth, index);
                if last.is_some() && self.src.slot(root).in_option {
                    let kind = OpKind::ZeroLeft(place, zero);
                    zero = self.seq_after(depth, index).value(kind, tangent, "zero");
                    self.at_home(zero, depth, index);
                }
                self.need(zero)
            }
        }
    }

    /// A zero cotangent for a parameter, of the shape that the caller gave it.
    pub(super) fn zero_at_start(&mut self, root: Slot) -> Value {
        let tangent = self.src.slot(root).ty.any_tangent();
        let kind = OpKind::ZeroOf(Place::whole(root));
        let zero = self.seq_after(0, None).value(kind, tangent, "zero");
        self.at_home(zero, 0, None);
        self.need(zero)
    }

    /// A place that the reverse half can read, and that always has the shape of a slot.
    fn shaped_like(&self, root: Slot) -> Option<Place> {
        let source = *self.shapes.get(&root)?;
        let slice = matches!(self.src.slot(source).ty, Ty::Slice(_));
        let path = if slice {
            vec![Proj::Range(None, None)]
        } else {
            Vec::new()
        };
        self.reachable(source).then(|| Place::new(source, path))
    }

    /// The same of a list that `vec![x; n]` has made, and that keeps its length.
    fn zero_of_made(
        &mut self,
        root: Slot,
        depth: usize,
        index: Option<usize>,
        tangent: &Ty,
    ) -> Option<Value> {
        let ops = &self.frames.get(depth)?.region.ops;
        let OpKind::Init(slot, v) = ops.get(index?)?.kind else {
            return None;
        };
        let made = ops[..index?].iter().rfind(|op| op.results == [v])?;
        let OpKind::Repeat {
            len: RepeatLen::Vec(len),
            ..
        } = made.kind
        else {
            return None;
        };
        let elem = tangent.element().filter(|elem| elem.is_float())?.clone();
        if slot != root || self.is_reshaped(root) {
            return None;
        }
        let len = RepeatLen::Vec(self.need(len));
        let elem = self.seq_at(depth).zero(&elem);
        let kind = OpKind::Repeat { elem, len };
        Some(self.seq_at(depth).value(kind, tangent.clone(), "zero"))
    }

    /// The last operation of the region at `depth` that touches the slot.
    fn last_touch(&self, root: Slot, depth: usize) -> Option<usize> {
        let ops = &self.frames.get(depth)?.region.ops;
        ops.iter().rposition(|op| {
            op.any(&mut |op| op.slots().iter().any(|(slot, _)| self.root(*slot) == root))
        })
    }

    /// `let mut slot = v` | `v_bar += slot_bar`
    pub(super) fn reverse_init(&mut self, slot: Slot, v: Value) {
        if !self.act.has_slot(slot) {
            return;
        }
        if let Some(shadow) = self.shadows.remove(&slot) {
            let ty = self.out.slot(shadow).ty.clone();
            let g = self.seq().load(Place::whole(shadow), ty, "bar");
            self.add_bar(v, g);
        }
    }

    /// `v = place` | `place_bar += v_bar`
    pub(super) fn reverse_load(&mut self, place: &Place, v: Value) {
        let root = self.root(place.root);
        if let Some(g) = self.take_bar(v)
            && self.act.has_slot(root)
        {
            if place.path.is_empty() && self.is_final(root) {
                return self.own_shadow(root, g);
            }
            let shadow = self.shadow_place(place);
            self.seq().push(OpKind::Accumulate(shadow, g));
        }
    }

    /// Returns `true` if a local is moved at the end of its region, after its shape may have changed.
    fn is_final(&self, root: Slot) -> bool {
        let home = self.slot_homes.get(&root).map(|home| home.0);
        self.moved.contains(&root)
            && !self.plan.clone.contains(&root)
            && !self.shadows.contains_key(&root)
            && self.is_reshaped(root)
            && home == Some(self.depth())
    }

    /// The cotangent of a value that is moved out of a local becomes the local's shadow.
    fn own_shadow(&mut self, root: Slot, g: Value) {
        let (ty, depth) = (self.out.ty(g).clone(), self.depth());
        let shadow = self.new_shadow(root, ty, SlotKind::Owned, (depth, None));
        self.seq().push(OpKind::Init(shadow, g));
    }

    /// `place = v` | `v_bar += replace(place_bar, 0)`, and the old content is put back where something reads it again.
    pub(super) fn reverse_store(&mut self, op: &Op, i: usize, place: &Place, v: Value) {
        let root = self.root(place.root);
        let scalar = self.src.ty(v).is_scalar();
        let restore = self.plan.restore.contains(&root);
        let moved = if place.path.is_empty() && !scalar {
            self.moved_before(i, root)
        } else {
            None
        };
        if moved.is_some() && restore {
            self.plan.clone.insert(root);
        }
        let active = self.act.has_slot(root);
        let depth = self.depth();
        let mut old = None;
        if !scalar && self.moved.contains(&root) && self.may_be_gone(place, i) {
            // The old content is needed, if only for its shape.
            self.plan.clone.insert(root);
        }
        if restore {
            let ty = self.src.ty(v).clone();
            let value = if scalar {
                self.seq_before(i).load(place.clone(), ty, "old")
            } else {
                let value = self.out.new_value(ty, "old", op.span);
                let kind = OpKind::Replace(place.clone(), v);
                let replaced = Op::new(kind, vec![value], op.span);
                self.top().replaced.insert(i, replaced);
                value
            };
            old = Some(self.at_home(value, depth, Some(i)));
        }
        if scalar && active && self.src.ty(v).is_float() {
            let shadow = self.shadow_place(place);
            let ty = self.src.ty(v).clone();
            let g = if self.out.is_in_field(&shadow) {
                let zero = self.seq().zero(&ty);
                self.seq().value(OpKind::Replace(shadow, zero), ty, "bar")
            } else {
                let g = self.seq().load(shadow.clone(), ty.clone(), "bar");
                let zero = self.seq().zero(&ty);
                self.seq().push(OpKind::Store(shadow, zero));
                g
            };
            self.add_bar(v, g);
        }
        if let Some(old) = old {
            let old = self.need(old);
            let place = self.resolved(place);
            self.need_slot(root);
            self.seq().push(OpKind::Store(place, old));
        }
        if let Some(whole) = self.snapshots.get(&root).map(|snapshot| snapshot.whole) {
            let ty = self.src.ty(v).clone();
            self.save_alone(i, place, &ty, whole);
        }
        if !scalar && active && self.src.ty(v).may_have_tangent() {
            self.reverse_aggregate_store(moved.unwrap_or(i), place, v, restore);
        }
    }

    /// Returns `true` if the value in a place may have been moved out of it before operation `i`.
    fn may_be_gone(&self, place: &Place, i: usize) -> bool {
        let in_loop = self
            .frames
            .iter()
            .any(|frame| frame.kind == FrameKind::Loop);
        if place.path.is_empty() || in_loop {
            return true;
        }
        let moves = |op: &Op| {
            op.any(&mut |op| matches!(&op.kind, OpKind::Load(from) if from.root == place.root && !self.src.ty(op.results[0]).is_copy()))
        };
        let last = self.frames.len() - 1;
        (self.frames.iter().enumerate()).any(|(depth, frame)| {
            let end = if depth == last { i } else { frame.pos };
            frame.region.ops[..end].iter().any(moves)
        })
    }

    /// The operation before `i` that moved the slot's content out, so that the store fills it again: `v = f(v)`.
    fn moved_before(&mut self, i: usize, root: Slot) -> Option<usize> {
        let data = self.src.slot(root);
        if data.kind != SlotKind::Owned || data.ty.is_copy() {
            return None;
        }
        let ops = &self.top().region.ops;
        let is_whole = |place: &Place| place.root == root && place.path.is_empty();
        let touches = |op: &Op| match &op.kind {
            OpKind::Load(p) | OpKind::Store(p, _) => is_whole(p),
            OpKind::Init(slot, _) => *slot == root,
            _ => false,
        };
        let moves = |op: &Op| matches!(&op.kind, OpKind::Load(p) if is_whole(p));
        let last = (0..i).rev().find(|j| ops[*j].any(&mut |op| touches(op)))?;
        // A loop or branch that fills it again leaves content of a shape of its own.
        let (mut moved, mut filled) = (false, false);
        ops[last].walk(&mut |op| {
            moved |= moves(op);
            filled |= touches(op) && !moves(op);
        });
        (moved && !filled).then_some(last)
    }

    /// The shadow of a place that is overwritten as a whole takes the shape of the old content.
    fn reverse_aggregate_store(&mut self, i: usize, place: &Place, v: Value, restored: bool) {
        let depth = self.depth();
        let ty = self.src.ty(v).any_tangent();
        let like = match place.path.as_slice() {
            [] => self.shaped_like(self.root(place.root)),
            _ => None,
        };
        let zero = if let Some(zero) = self.seq().zero_of_type(&ty) {
            zero
        } else if restored || like.is_some() {
            let place = match like {
                Some(place) => place,
                None => self.resolved(place),
            };
            self.seq().value(OpKind::ZeroOf(place), ty.clone(), "zero")
        } else {
            let zero = self
                .seq_before(i)
                .value(OpKind::ZeroOf(place.clone()), ty.clone(), "zero");
            self.at_home(zero, depth, Some(i));
            self.need(zero)
        };
        let shadow = self.shadow_place(place);
        let g = self.seq().value(OpKind::Replace(shadow, zero), ty, "bar");
        self.add_bar(v, g);
    }

    /// `swap(a, b)` | `swap(a_bar, b_bar); swap(a, b)`
    pub(super) fn reverse_swap(&mut self, a: &Place, b: &Place) {
        let roots = [a, b].map(|place| self.root(place.root));
        if roots.iter().any(|root| self.plan.restore.contains(root)) {
            let places = [a, b].map(|place| self.resolved(place));
            roots.into_iter().for_each(|root| self.restore(root));
            let [a, b] = places;
            self.seq().push(OpKind::Swap(a, b));
        }
        if roots.iter().any(|root| self.act.has_slot(*root)) && !self.src.lacks_tangent(a) {
            let [a, b] = [a, b].map(|place| self.shadow_place(place));
            self.seq().push(OpKind::Swap(a, b));
        }
    }

    /// The reverse half writes the slot, to undo writes of the forward half.
    pub(super) fn restore(&mut self, root: Slot) {
        self.plan.restore.insert(root);
        self.need_slot(root);
    }

    /// `old = replace(place, v)` | `v_bar += replace(place_bar, old_bar)`
    pub(super) fn reverse_replace(&mut self, i: usize, place: &Place, v: Value, old: Value) {
        let root = self.root(place.root);
        if self.plan.restore.contains(&root) {
            let (depth, ty) = (self.depth(), self.src.ty(old).clone());
            let kept = OpKind::CloneOf(place.clone());
            let kept = self.seq_before(i).value(kept, ty, "old");
            self.at_home(kept, depth, Some(i));
            let kept = self.need(kept);
            let place = self.resolved(place);
            self.restore(root);
            self.seq().push(OpKind::Store(place, kept));
        }
        if !self.act.has_slot(root) {
            return;
        }
        let old_bar = self.bar_or_zero(old);
        let shadow = self.shadow_place(place);
        let ty = self.out.ty(old_bar).clone();
        // A constant field has no cotangent.
        if self.out.is_in_field(&shadow) {
            if self.act.has(v) {
                let zero = self.zero_of(v);
                let kind = OpKind::Replace(shadow.clone(), zero);
                let g = self.seq().value(kind, ty, "bar");
                self.add_bar(v, g);
            }
            return self.seq().push(OpKind::Store(shadow, old_bar));
        }
        let g = self
            .seq()
            .value(OpKind::Replace(shadow, old_bar), ty, "bar");
        self.add_bar(v, g);
    }
}

#[cfg(test)]
mod tests {
    use crate::pipeline::reverse_rule;
    use crate::testing::primal;
    use crate::transform::Shape;

    fn rule(body: &str) -> String {
        let source = format!(
            "fn f(start: &[Vec<f64>], steps: usize) -> f64 {{ let mut u = start.to_vec(); for k in 0..steps {{ let mut next = u.clone(); next[1][1] += u[0][1]; {body} u = next; }} u[0][0] }}"
        );
        reverse_rule(&primal(&source), Shape::Split).to_string()
    }

    #[test]
    fn shadows_of_lists_of_one_shape_are_made_in_the_reverse_half() {
        let rule = rule("");
        assert!(!rule.contains("tape"), "{rule}");
        assert_eq!(rule.matches("zero_of $0[..]").count(), 2, "{rule}");
    }

    #[test]
    fn a_list_whose_length_may_change_gives_its_shadow_the_shape_that_it_had() {
        let rule = rule("next.push(vec![1.0]);");
        assert_eq!(rule.matches("zero_of $1").count(), 2, "{rule}");
        assert!(rule.contains("push"), "{rule}");
    }
}

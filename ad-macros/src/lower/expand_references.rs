//! A use of a chosen reference becomes a branch on the decision, whose sides use the places themselves. Later stages only handle
//! variables: the shadow of a place is that of its variable, and all other references to it are seen.
//!
//! ```text
//! Input:  let r = if c { &a } else { &b }; r[k] * y
//! Output: (if c { a[k] } else { b[k] }) * y
//! ```
//!
//! Where places differ only in positions (`best = &rows[k]`, `rest = &rest[1..]`), there is one place, and the positions are integers that
//! come out of branches (`build_if.rs`) and go round loops (`loop_references.rs`). The places that a loop's names may lead to are found by lowering
//! its body again until it leads to no others. All names of a loop share one decision, so two that are exchanged never seem to be one. An
//! `Option<&T>` is a flag beside the decision (`checked_access.rs`), and `[&a, &b]` a choice by position (`references.rs`).

use std::collections::{HashMap, HashSet};

use super::points_to::{Choice, Decision};
use crate::diagnostics::{Errors, error};
use crate::ir::{Func, Lookup, Op, OpKind, Place, Proj, Region, Slot, Ty, Value};

/// Replaces the slots that alias one of two places.
pub(super) fn expand(func: &mut Func, choices: HashMap<Slot, Choice>, errors: &mut Errors) {
    if choices.is_empty() {
        return;
    }
    let mut body = std::mem::take(&mut func.body);
    let mut expansion = Expansion {
        func,
        choices,
        located: HashSet::new(),
        errors,
    };
    expansion.region(&mut body, &[]);
    func.body = body;
}

struct Expansion<'a> {
    func: &'a mut Func,
    choices: HashMap<Slot, Choice>,
    /// Where elements of chosen places are, which is asked for where they are used.
    located: HashSet<Value>,
    errors: &'a mut Errors,
}

/// Decisions that are known where an operation stands.
type Known<'a> = &'a [Decision];

impl Expansion<'_> {
    fn region(&mut self, region: &mut Region, known: Known<'_>) {
        let ops = std::mem::take(&mut region.ops);
        for op in ops {
            self.op(op, known, &mut region.ops);
        }
    }

    fn op(&mut self, mut op: Op, known: Known<'_>, out: &mut Vec<Op>) {
        if let OpKind::If { cond, then, other } = &mut op.kind {
            self.region(then, &with(known, (*cond, true)));
            self.region(other, &with(known, (*cond, false)));
        } else {
            for region in op.regions_mut() {
                self.region(region, known);
            }
        }
        let mut cond = None;
        let mut views = Vec::new();
        op.each_place_mut(&mut |place| {
            views.extend(self.resolve(place, known));
            cond = cond.or(self.choices.get(&place.root).map(|choice| choice.cond));
        });
        match (&op.kind, cond) {
            (OpKind::Borrow(alias, place), Some(_)) => self.borrow(*alias, place),
            (OpKind::Locate { .. }, Some(_)) => self.located.extend(&op.results),
            (_, Some(_)) if !op.regions().is_empty() => self.errors.push(error(
                op.span,
                "a chosen reference beside a closure is not supported yet in a call",
                "call it in each branch",
            )),
            (_, Some(cond)) => self.split(&op, cond, known, out),
            (_, None) => {
                self.locate(&mut op, out);
                self.name_views(&mut op, &views, out);
                out.push(op);
            }
        }
    }

    /// Resolves a place to the one that holds it, as far as decisions are known. Returns the chosen place and its name, if that is a view.
    fn resolve(&self, place: &mut Place, known: Known<'_>) -> Option<(Place, Slot)> {
        let mut view = None;
        while let Some(choice) = self.choices.get(&place.root) {
            let Some((_, holds)) = known.iter().find(|(cond, _)| *cond == choice.cond) else {
                break;
            };
            let taken = if *holds { &choice.then } else { &choice.other };
            if taken.ends_in_view() {
                view = Some((taken.clone(), place.root));
            }
            *place = taken.extended(&place.path);
        }
        view
    }

    /// Takes each view once, in front of the operation that uses it.
    fn name_views(&mut self, op: &mut Op, views: &[(Place, Slot)], out: &mut Vec<Op>) {
        if matches!(&op.kind, OpKind::Borrow(_, place) if place.ends_in_view()) {
            return;
        }
        for (view, chosen) in views {
            let data = self.func.slot(*chosen).clone();
            let alias = self.func.new_slot(data);
            out.push(Op::new(
                OpKind::Borrow(alias, view.clone()),
                Vec::new(),
                op.span,
            ));
            op.each_place_mut(&mut |place| {
                if let Some(rest) = place.path.strip_prefix(&view.path[..])
                    && place.root == view.root
                {
                    *place = Place::new(alias, rest.to_vec());
                }
            });
        }
    }

    /// A reference to a part of a chosen place is a choice of two parts.
    fn borrow(&mut self, alias: Slot, place: &Place) {
        if let Some(choice) = self.choices.get(&place.root) {
            let part = Choice {
                cond: choice.cond,
                then: choice.then.extended(&place.path),
                other: choice.other.extended(&place.path),
            };
            self.choices.insert(alias, part);
        }
    }

    /// Input:  load $chosen[k]
    /// Output: if cond { load $a[k] } else { load $b[k] }
    fn split(&mut self, op: &Op, cond: Value, known: Known<'_>, out: &mut Vec<Op>) {
        let results = op.results.clone();
        let span = op.span;
        let diverges = matches!(op.kind, OpKind::Opaque { diverges: true, .. });
        let [then, other] = [true, false].map(|holds| {
            let mut region = Region::default();
            let mut op = op.clone();
            for result in &mut op.results {
                let data = self.func.value(*result).clone();
                *result = self.func.new_value(data.ty, data.name, data.span);
            }
            if !diverges {
                region.yields.clone_from(&op.results);
            }
            self.op(op, &with(known, (cond, holds)), &mut region.ops);
            region
        });
        out.push(Op::new(OpKind::If { cond, then, other }, results, span));
        if diverges {
            out.push(Op::new(OpKind::Unreachable, Vec::new(), span));
        }
    }

    /// Asks where elements are which were chosen.
    fn locate(&mut self, op: &mut Op, out: &mut Vec<Op>) {
        let span = op.span;
        op.each_place_mut(&mut |place| {
            for k in 0..place.path.len() {
                let Proj::At(lookup @ (Lookup::Index(_) | Lookup::Method { .. }), at) =
                    place.path[k].clone()
                else {
                    continue;
                };
                if at.is_some_and(|at| !self.located.contains(&at)) {
                    continue;
                }
                let again = self.func.new_value(Ty::Rule, "at", span);
                let locate = OpKind::Locate {
                    place: Place::new(place.root, place.path[..k].to_vec()),
                    lookup: lookup.clone(),
                    mutable: false,
                };
                out.push(Op::new(locate, vec![again], span));
                place.path[k] = Proj::At(lookup, Some(again));
            }
        });
    }
}

fn with(known: Known<'_>, decision: Decision) -> Vec<Decision> {
    let mut all = known.to_vec();
    all.push(decision);
    all
}

//! Names that a loop rebinds to other places. The loop carries the positions in these places, and a decision between places that
//! differ in more than positions.
//!
//! ```text
//! Input:  let mut rest = x; loop { .. rest[0] ..; rest = &rest[1..]; }
//! Output: let lo = 0; loop { .. x[lo..][0] ..; lo = lo + 1; }
//! ```
//!
//! Which places these are is found by lowering the body until it leads to no others.

use std::collections::HashSet;

use proc_macro2::Span;

use super::builder::Lowerer;
use super::points_to::{Mark, PointsTo, UNBOUND, count, filled, joined};
use crate::diagnostics::{Errors, error};
use crate::hir::Var;
use crate::ir::{BinaryOp, Op, OpKind, Place, Region, Ty, Value};

/// How many combinations of places are tried before a loop is refused.
const LIMIT: usize = 8;

/// The possible targets of all names together: only the forms of the places matter.
#[derive(Clone, Default, PartialEq)]
pub(super) struct LoopPlaces(Vec<Vec<Place>>);

/// The state before a loop's body was lowered.
pub(super) struct Before {
    mark: Mark,
    errors: Errors,
    written: HashSet<Var>,
    dereferenced: bool,
}

impl LoopPlaces {
    /// The types of the carried values.
    pub(super) fn types(&self) -> Vec<(Ty, String)> {
        let positions = self.0.iter().flatten().map(count).sum();
        let which = match self.0.len() {
            0 | 1 => None,
            2 => Some((Ty::Bool, "first".to_string())),
            _ => Some((Ty::Int("usize"), "which".to_string())),
        };
        let positions = vec![(Ty::Int("usize"), "lo".to_string()); positions];
        which.into_iter().chain(positions).collect()
    }

    /// Adds places; `false` if these are known already.
    fn add(&mut self, places: Vec<Place>) -> bool {
        for known in &mut self.0 {
            let pairs = known.iter().zip(&places);
            let forms: Option<Vec<Place>> = pairs.map(|(a, b)| joined(a, b)).collect();
            if let Some(forms) = forms {
                let mut pairs = forms.iter().zip(&*known);
                let more = pairs.any(|(a, b)| a.root != b.root || count(a) != count(b));
                *known = forms;
                return more;
            }
        }
        self.0.push(places);
        true
    }

    /// Adds the targets of names, by each way to decide.
    pub(super) fn add_all(&mut self, targets: &[PointsTo]) -> bool {
        match undecided(targets) {
            Some(cond) => {
                let [then, other] = [true, false].map(|holds| assuming(targets, cond, holds));
                let more = self.add_all(&then);
                self.add_all(&other) || more
            }
            None => self.add(targets.iter().filter_map(PointsTo::one).cloned().collect()),
        }
    }

    pub(super) fn are_too_many(&self) -> bool {
        self.0.len() > LIMIT
    }

    /// The state that places are of.
    fn index(&self, places: &[Place]) -> usize {
        let fits = |state: &Vec<Place>| {
            let mut pairs = state.iter().zip(places);
            pairs.all(|(form, place)| joined(form, place).is_some())
        };
        self.0.iter().position(fits).unwrap_or_default()
    }
}

impl Lowerer<'_> {
    /// The carried values, if the names lead to these.
    pub(super) fn encode(
        &mut self,
        targets: &[PointsTo],
        states: &LoopPlaces,
        span: Span,
    ) -> Vec<Option<Value>> {
        if let Some(cond) = undecided(targets) {
            return self.encode_by(cond, targets, states, span);
        }
        let places: Vec<Place> = targets.iter().filter_map(PointsTo::one).cloned().collect();
        let index = states.index(&places);
        let mut carried = Vec::new();
        match states.0.len() {
            0 | 1 => {}
            2 => carried.push(Some(self.boolean(index == 0, span))),
            _ => carried.push(Some(self.index_constant(index, span))),
        }
        for (k, forms) in states.0.iter().enumerate() {
            for (form, place) in forms.iter().zip(&places) {
                if k == index && place.root != UNBOUND {
                    let positions = self.positions_in(place, form, span);
                    self.check_positions(&positions, span);
                    carried.extend(positions.into_iter().map(Some));
                } else {
                    carried.extend(vec![None; count(form)]);
                }
            }
        }
        carried
    }

    fn check_positions(&mut self, positions: &[Value], span: Span) {
        let is_position = |value: &Value| matches!(self.out.ty(*value), Ty::Int("usize"));
        if !positions.iter().all(is_position) {
            self.errors.push(error(
                span,
                "a reference that a loop carries to what is found by something else than a `usize` is not supported yet",
                "keep the key in a variable, and look it up where it is used; annotate an index: `let k: usize = ...;`",
            ));
        }
    }

    /// Positions are asked for only in places that are chosen.
    fn encode_by(
        &mut self,
        cond: Value,
        targets: &[PointsTo],
        states: &LoopPlaces,
        span: Span,
    ) -> Vec<Option<Value>> {
        let sides = [true, false].map(|holds| {
            let targets = assuming(targets, cond, holds);
            self.region(|lowerer| lowerer.encode(&targets, states, span))
        });
        let mut regions = sides.map(|(ops, values)| {
            (
                Region {
                    ops,
                    ..Region::default()
                },
                values,
            )
        });
        let (mut results, mut carried) = (Vec::new(), Vec::new());
        for (k, (ty, name)) in states.types().into_iter().enumerate() {
            if regions.iter().all(|(_, values)| values[k].is_none()) {
                carried.push(None);
                continue;
            }
            for (region, values) in &mut regions {
                let outer = std::mem::replace(&mut self.ops, std::mem::take(&mut region.ops));
                let value = self.defined(&[values[k]], std::slice::from_ref(&ty), span);
                region.ops = std::mem::replace(&mut self.ops, outer);
                region.yields.extend(value);
            }
            let result = self.out.new_value(ty, name, span);
            results.push(result);
            carried.push(Some(result));
        }
        let [then, other] = regions.map(|(region, _)| region);
        self.ops
            .push(Op::new(OpKind::If { cond, then, other }, results, span));
        carried
    }

    /// The targets of the names, from the carried values.
    pub(super) fn decode(
        &mut self,
        names: usize,
        states: &LoopPlaces,
        carried: &[Value],
        span: Span,
    ) -> Vec<PointsTo> {
        let mut carried = carried.iter().copied();
        let which = if states.0.len() > 1 {
            carried.next()
        } else {
            None
        };
        let places: Vec<Vec<Place>> = (states.0.iter())
            .map(|forms| {
                forms
                    .iter()
                    .map(|form| filled(form, carried.by_ref()))
                    .collect()
            })
            .collect();
        let Some((last, firsts)) = places.split_last() else {
            return Vec::new();
        };
        let conds: Vec<Value> = (0..firsts.len())
            .filter_map(|k| Some(self.is_state(which?, k, states, span)))
            .collect();
        let target = |name: usize| {
            let last = PointsTo::One(last[name].clone());
            firsts
                .iter()
                .zip(&conds)
                .rev()
                .fold(last, |other, (places, cond)| {
                    let then = PointsTo::One(places[name].clone());
                    match (then.is_nowhere(), other.is_nowhere()) {
                        (true, _) => other,
                        (_, true) => then,
                        _ => PointsTo::Two(*cond, Box::new(then), Box::new(other)),
                    }
                })
        };
        (0..names).map(target).collect()
    }

    fn is_state(&mut self, which: Value, k: usize, states: &LoopPlaces, span: Span) -> Value {
        if states.0.len() == 2 {
            return which;
        }
        let k = self.index_constant(k, span);
        self.emit(OpKind::Binary(BinaryOp::Eq, which, k), Ty::Bool, "is", span)
    }

    pub(super) fn targets_of(&mut self, names: &[Var], span: Span) -> Vec<PointsTo> {
        let targets = names.iter().map(|var| self.target_of(*var, span));
        let nowhere = || PointsTo::One(Place::whole(UNBOUND));
        targets
            .map(|target| target.unwrap_or_else(nowhere))
            .collect()
    }

    /// Saves the state, to go back to it.
    pub(super) fn before(&self) -> Before {
        Before {
            mark: self.mark(),
            errors: self.errors.clone(),
            written: self.written.clone(),
            dereferenced: self.dereferenced,
        }
    }

    /// Discards all operations that have been lowered since then.
    pub(super) fn go_back(&mut self, before: Before) {
        let Before {
            mark,
            errors,
            written,
            dereferenced,
        } = before;
        self.borrows.retain(|slot, _| !mark.declares(*slot));
        self.choices.retain(|slot, _| !mark.declares(*slot));
        self.nowhere.retain(|slot| !mark.declares(*slot));
        self.borrow_sources.retain(|slot, _| !mark.declares(*slot));
        mark.truncate(&mut self.out);
        self.errors = errors;
        self.written = written;
        self.dereferenced = dereferenced;
    }
}

/// A decision that is to be taken.
fn undecided(targets: &[PointsTo]) -> Option<Value> {
    targets.iter().find_map(|target| match target {
        PointsTo::One(_) => None,
        PointsTo::Two(cond, ..) => Some(*cond),
    })
}

fn assuming(targets: &[PointsTo], cond: Value, holds: bool) -> Vec<PointsTo> {
    let targets = targets.iter();
    targets.map(|target| target.assuming(cond, holds)).collect()
}

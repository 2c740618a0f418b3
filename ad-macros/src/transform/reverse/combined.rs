//! Calls whose result has a cotangent that is known before the call: the callee's combined rule returns the value and adds to the
//! shadows at once, where the primal calls it.
//!
//! ```text
//! d = f(&a, t); s += w * d      d, g = f::combined(&a, t; s_bar * w, &mut a_bar); s += w * d      t_bar += g
//! ```
//!
//! Nothing of the callee is kept, and in a recursion nothing is boxed. The condition of fusion holds: the active memory that the call reads isn't
//! written later. The callee must have such a rule, which is known of functions called by path whose result is a scalar and that take no function;
//! and it must leave memory as the primal does. A combined rule restores a differentiated `&mut`, so there must be none: an argument that is passed
//! as `&mut` is inactive here, and known to be constant there, since the callee is the function that is being differentiated, or one of the same
//! module whose signature says so.

use super::Reverse;
use crate::ir::{
    Arg, Call, Callee, CombinedArg, CombinedCall, Op, OpKind, Place, Rule, Set, Value,
};

impl<'a> Reverse<'a> {
    /// Returns `true` if the call can be one of a combined rule, if its result's cotangent is known.
    pub(super) fn has_combined(&self, call: &Call) -> bool {
        let by_path = matches!(
            call.callee,
            Callee::Path {
                associated: false,
                ..
            }
        );
        if call.rule != Rule::Active || call.split || !by_path || call.is_functional() {
            return false;
        }
        let mut shadows = Set::default();
        call.args.iter().enumerate().all(|(k, arg)| match arg {
            Arg::Value(v) => {
                !self.src.value(*v).maybe_reference
                    && (!self.act.has(*v) || self.src.ty(*v).is_float())
            }
            // One shadow can't be in two positions.
            Arg::Ref(place) => {
                let root = self.root(place.root);
                let plain = !self.src.slot(root).in_option && !self.src.slot(place.root).in_option;
                plain && (!self.act.has_slot(root) || shadows.insert(root))
            }
            Arg::Mut(place) => {
                !self.act.has_slot(self.root(place.root)) && self.src.lends_constant(call, k, true)
            }
            Arg::Receiver(_) | Arg::Function(_) => false,
        })
    }

    /// Calls the combined rule in place of the primal. The cotangents of values are added when the reverse half arrives there.
    pub(super) fn combine(&mut self, op: &'a Op, i: usize, call: &'a Call, seed: Value) {
        let mut results = op.results.clone();
        let mut later = Vec::new();
        let mut args = Vec::new();
        for arg in &call.args {
            args.push(match arg {
                Arg::Value(v) if self.act.has(*v) => {
                    let (bar, ty) = (self.fresh_bar(*v), self.tangent_of(*v));
                    results.push(bar);
                    later.push((*v, bar));
                    CombinedArg::Value {
                        given: vec![*v],
                        zero: vec![self.seq_before(i).zero(&ty)],
                    }
                }
                Arg::Value(v) => CombinedArg::Value {
                    given: vec![*v],
                    zero: Vec::new(),
                },
                Arg::Ref(place) if self.act.has_slot(self.root(place.root)) => {
                    let shadow: Place = self.shadow_place(place);
                    CombinedArg::Shadow {
                        primal: vec![arg.clone()],
                        shadow: vec![shadow],
                    }
                }
                Arg::Mut(_) => CombinedArg::Constant(arg.clone()),
                arg => CombinedArg::Inactive(arg.clone()),
            });
        }
        let call = CombinedCall {
            callee: call.callee.clone(),
            seed: vec![seed],
            args,
        };
        let new = Op::new(OpKind::Combined(Box::new(call)), results, op.span);
        self.top().replaced.insert(i, new);
        self.postponed.insert((self.frames.len() - 1, i), later);
    }
}

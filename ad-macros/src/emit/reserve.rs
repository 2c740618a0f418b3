//! Reserves memory for the runs of a nest of counted loops when the nest is entered.
//!
//! ```text
//! for i in 0..m { let run = tape.run(n); for j in 0..n { run[j] = .. } }
//! tape.reserve([m, n]); for i in 0..m { .. }
//! ```
//! Valid where each trip of the outer loops comes to the inner one, whose ends don't depend on them: that many entries are needed, and no more.

use proc_macro2::TokenStream;
use quote::quote;

use super::Emitter;
use crate::analyze::Affine;
use crate::ir::{Adapter, DenseSet, Func, OpKind, Range, Region, Slot, Ty, Value};

/// The ranges that a run's loop and those around it count through.
type Nest = Vec<(Value, Value)>;

impl Emitter<'_> {
    /// In front of the outermost loop of a nest.
    pub(super) fn reserve(&mut self, range: &Range, body: &Region, out: &mut TokenStream) {
        self.learn_constants(body);
        let inside = Affine::new(body, &|v| self.int(v)).inside;
        let mut found = Vec::new();
        runs(self.func, range, body, &inside, &Nest::new(), &mut found);
        if found.is_empty() {
            return;
        }
        // The ends get names.
        self.flush_all(out);
        let rt = self.rt;
        for (tape, nest) in found {
            let tape = self.slot(tape);
            let trips = nest.into_iter().map(|(lo, hi)| {
                let (lo, hi) = (self.peek(lo), self.peek(hi));
                quote!(#rt::trips(#lo, #hi))
            });
            let trips: Vec<TokenStream> = trips.collect();
            out.extend(quote!(#tape.reserve([#(#trips),*]);));
        }
    }
}

/// The tapes of runs that each trip of the loops around comes to.
fn runs(
    func: &Func,
    range: &Range,
    body: &Region,
    inside: &DenseSet<Value>,
    around: &Nest,
    found: &mut Vec<(Slot, Nest)>,
) {
    let is_fixed = |v: Value| !inside.contains(v);
    let by_one = range.adapters.iter().all(|a| matches!(a, Adapter::Rev));
    let counted = by_one && !range.inclusive && matches!(func.ty(body.params[0]), Ty::Int("usize"));
    if !counted || !is_fixed(range.lo) || !is_fixed(range.hi) {
        return;
    }
    let mut nest = around.clone();
    nest.push((range.lo, range.hi));
    for op in &body.ops {
        match &op.kind {
            OpKind::Run {
                tape,
                lo,
                hi,
                again: false,
                ..
            } if is_fixed(*lo) && is_fixed(*hi) => {
                let mut nest = nest.clone();
                nest.push((*lo, *hi));
                found.push((*tape, nest));
            }
            OpKind::For {
                range,
                body,
                stop: false,
                ..
            } => runs(func, range, body, inside, &nest, found),
            _ => {}
        }
    }
}

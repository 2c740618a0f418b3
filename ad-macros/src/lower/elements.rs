//! Which elements of values of unknown type are written: `IndexMut` says where these are, `Index` where the others are.

use std::collections::HashSet;

use crate::ir::{Arg, Func, OpKind, Place, Proj, SlotKind, Use, Value};

/// Marks the operations that locate an element that is written.
pub(super) fn mark_written(func: &mut Func) {
    let mut written: HashSet<Value> = HashSet::new();
    func.body.walk(&mut |op| {
        let mut mark = |place: &Place| {
            written.extend(place.path.iter().filter_map(|proj| match proj {
                Proj::At(_, at) => *at,
                _ => None,
            }));
        };
        match &op.kind {
            OpKind::Store(place, _) | OpKind::Replace(place, _) => mark(place),
            OpKind::Swap(a, b) => [a, b].into_iter().for_each(mark),
            OpKind::Borrow(alias, place) if func.slot(*alias).kind == SlotKind::RefMut => {
                mark(place);
            }
            OpKind::Call(call) => {
                for arg in &call.args {
                    if let Arg::Mut(place) = arg {
                        mark(place);
                    }
                }
            }
            OpKind::Opaque { uses, .. } => {
                for used in uses {
                    if let Use::Place {
                        place,
                        mutable: true,
                        ..
                    } = used
                    {
                        mark(place);
                    }
                }
            }
            _ => {}
        }
    });
    func.body.walk_mut(&mut |op| {
        if let OpKind::Locate { mutable, .. } = &mut op.kind {
            *mutable = op.results.iter().any(|at| written.contains(at));
        }
    });
}

//! Simplification, IR to IR: folds zeros and ones that transforms made, computes nothing twice, and removes what nothing
//! reads. It keeps every effect, and the order of effects.

mod dead;
mod fold;

use crate::ir::Func;

/// Simplifies to a fixpoint.
pub(crate) fn simplify(mut func: Func) -> Func {
    fold::fold(&mut func);
    while dead::remove(&mut func) {
        fold::fold(&mut func);
    }
    func
}

//! Temporaries that are constant are made before a branch, where a reference to them may lead out of it.
//!
//! ```text
//! Input:  let r: &[f64] = if c { &a } else { &[] };
//! Output: let held = []; let r: &[f64] = if c { &a } else { &held };
//! ```

use super::points_to::Mark;
use crate::ir::{Op, OpKind, Slot, UnaryOp};

/// Takes the operations that make the content of `slot` out of those of a region, if they only build it from constants and values
/// comes from outside of it.
pub(super) fn take_out(ops: &mut Vec<Op>, slot: Slot, mark: Mark) -> Option<Vec<Op>> {
    let declared = |op: &Op| matches!(op.kind, OpKind::Init(held, _) if held == slot);
    let mut wanted = vec![ops.iter().position(declared)?];
    let mut next = 0;
    while let Some(at) = wanted.get(next) {
        next += 1;
        for value in ops[*at].operands() {
            if !mark.is_inside(value) {
                continue;
            }
            let source = ops.iter().position(|op| op.results.contains(&value))?;
            if !is_constant(&ops[source].kind) {
                return None;
            }
            if !wanted.contains(&source) {
                wanted.push(source);
            }
        }
    }
    let mut k = 0;
    let taken = ops.extract_if(.., |_| {
        k += 1;
        wanted.contains(&(k - 1))
    });
    Some(taken.collect())
}

fn is_constant(kind: &OpKind) -> bool {
    matches!(
        kind,
        OpKind::Const(_)
            | OpKind::Array { .. }
            | OpKind::Repeat { .. }
            | OpKind::Tuple(_)
            | OpKind::Unary(UnaryOp::Neg, _)
    )
}

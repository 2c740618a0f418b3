//! Arguments that may be references: a reference is still usable after the call, and so must be the clone that replaces it.
//!
//! ```text
//! let row = m.row(1); dot(row, x) * row[0]      let row = m.row(1); dot(row.clone(), x) * row[0]
//! ```

use crate::analyze::each_with_later_reads;
use crate::ir::{Func, Op, OpKind, Region, SlotKind, Value};

/// Input: a primal. Output: the same, in which no argument that may be a reference is moved out of a variable that is read again.
pub(crate) fn clone_reference_arguments(mut func: Func) -> Func {
    let mut lent = Vec::new();
    each_with_later_reads(&func.body, &mut |_, op, later| {
        if let OpKind::Load(place) = &op.kind
            && func.value(op.results[0]).maybe_reference
            && func.slot(place.root).kind == SlotKind::Owned
            && later.contains(&place.root)
        {
            lent.extend(&op.results);
        }
    });
    let mut body = std::mem::take(&mut func.body);
    rewrite(&mut body, &lent);
    func.body = body;
    func
}

fn rewrite(region: &mut Region, lent: &[Value]) {
    for op in &mut region.ops {
        if let Op {
            kind: OpKind::Load(place),
            results,
            ..
        } = op
            && results.iter().any(|v| lent.contains(v))
        {
            op.kind = OpKind::CloneOf(place.clone());
        }
        for inner in op.regions_mut() {
            rewrite(inner, lent);
        }
    }
}

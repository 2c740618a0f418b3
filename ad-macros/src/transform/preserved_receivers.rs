//! Receivers that the reverse half needs after the last call that has them.
//!
//! ```text
//! let a_1 = a; a_1.total()      a.total(), which keeps `a`
//! ```
//! Rustc knows whether the method takes its receiver by value: only then is it cloned.

use crate::ir::{Arg, Func, Map, Op, OpKind, Place, Region, Set, Slot, Value};

/// Input: a primal, and slots that have to stay. Output: the same, in which no call moves them.
pub(super) fn keep_receivers(mut func: Func, kept: &Set<Slot>) -> Func {
    let mut values: Map<Value, Slot> = Map::default();
    let mut locals: Map<Slot, Slot> = Map::default();
    func.body.walk(&mut |op| match &op.kind {
        OpKind::Load(place) if place.path.is_empty() && kept.contains(&place.root) => {
            values.extend(op.results.iter().map(|v| (*v, place.root)));
        }
        OpKind::Init(local, v) if func.slot(*local).in_option => {
            locals.extend(values.get(v).map(|slot| (*local, *slot)));
        }
        _ => {}
    });
    let mut body = std::mem::take(&mut func.body);
    rewrite(&mut body, &values, &locals);
    func.body = body;
    func
}

fn rewrite(region: &mut Region, values: &Map<Value, Slot>, locals: &Map<Slot, Slot>) {
    let read = |op: &Op| matches!(&op.kind, OpKind::Init(local, _) if locals.contains_key(local));
    let moved: Set<Value> = (region.ops.iter().filter(|op| read(op)))
        .flat_map(Op::operands)
        .filter(|v| values.contains_key(v))
        .collect();
    region
        .ops
        .retain(|op| !read(op) && !op.results.iter().any(|v| moved.contains(v)));
    for op in &mut region.ops {
        for inner in op.regions_mut() {
            rewrite(inner, values, locals);
        }
        if let OpKind::Call(call) = &mut op.kind
            && let Some(Arg::Receiver(place)) = call.args.first_mut()
            && let Some(slot) = locals.get(&place.root)
        {
            *place = Place::new(*slot, std::mem::take(&mut place.path));
            call.clone_receiver = true;
        }
    }
}

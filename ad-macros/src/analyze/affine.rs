//! Which indices of a counted loop are the counter, moved by something that is the same in all trips.

use crate::ir::{BinaryOp, DenseSet, Map, OpKind, Region, Value};

/// `base + counter + by`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Offset {
    pub(crate) base: Option<Value>,
    pub(crate) by: i64,
}

/// The values that a loop's body defines, and the offsets of those that are affine in the counter, its first parameter.
pub(crate) struct Affine {
    pub(crate) inside: DenseSet<Value>,
    pub(crate) offsets: Map<Value, Offset>,
}

impl Affine {
    /// Of a body; `int` knows integer constants.
    pub(crate) fn new(body: &Region, int: &dyn Fn(Value) -> Option<i64>) -> Self {
        let mut inside = body.made();
        inside.retain(|v| int(v).is_none());
        let start = Offset { base: None, by: 0 };
        let mut offsets: Map<Value, Offset> = Map::default();
        offsets.insert(body.params[0], start);
        body.walk(&mut |op| {
            let (OpKind::Binary(kind, a, b), [result]) = (&op.kind, &op.results[..]) else {
                return;
            };
            let known = |v: &Value| offsets.get(v).copied();
            let moved = match (kind, known(a), known(b)) {
                (BinaryOp::Add, Some(from), None) => by(from, *b, &inside, int),
                (BinaryOp::Add, None, Some(from)) => by(from, *a, &inside, int),
                (BinaryOp::Sub, Some(from), None) => int(*b)
                    .and_then(|n| from.by.checked_sub(n))
                    .map(|by| Offset { by, ..from }),
                _ => None,
            };
            offsets.extend(moved.map(|offset| (*result, offset)));
        });
        Self { inside, offsets }
    }
}

fn by(
    from: Offset,
    v: Value,
    inside: &DenseSet<Value>,
    int: &dyn Fn(Value) -> Option<i64>,
) -> Option<Offset> {
    match int(v) {
        Some(n) => from.by.checked_add(n).map(|by| Offset { by, ..from }),
        None if from.base.is_none() && !inside.contains(v) => Some(Offset {
            base: Some(v),
            ..from
        }),
        None => None,
    }
}

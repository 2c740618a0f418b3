//! Arithmetic on integer literals, and sums with zero: lengths of arrays and bounds of loops that lowering computes.
//!
//! ```text
//! n = if 0 < 3 { 3 } else { 0 }; len = n - 0; for k in 0..len { i = 0 + k; .. }     |    for k in 0..3 { .. }
//! ```
//!
//! Arithmetic that would overflow or be negative stays as it is. The length of a list that is made with a length, and keeps it, is that length.

use crate::analyze::{Change, Indices, changes};
use crate::ir::{
    BinaryOp, Const, Func, Map, Op, OpKind, Place, Proj, Region, RepeatLen, Slot, SlotKind, Ty,
    Value,
};

/// Folds them, in a primal.
pub(crate) fn fold_integers(mut func: Func) -> Func {
    let indices = Indices::new(&func);
    let mut body = std::mem::take(&mut func.body);
    let mut parts = Vec::new();
    body.walk(&mut |op| {
        if !matches!(op.kind, OpKind::Len(_)) {
            op.each_place(&mut |place| {
                if let Some(Proj::Range(Some(lo), Some(hi))) = place.path.first() {
                    parts.push((place.root, *lo, *hi));
                }
            });
        }
    });
    let mut folder = Folder {
        parts,
        lists: lists(&func, &indices, &body),
        indices: Some(indices),
        ..Folder::default()
    };
    folder.region(&func, &mut body);
    func.body = body;
    func.result.each_value_mut(&mut |v| *v = folder.get(*v));
    func
}

#[derive(Default)]
struct Folder {
    ints: Map<Value, i32>,
    bools: Map<Value, bool>,
    same: Map<Value, Value>,
    indices: Option<Indices>,
    /// The parts of lists that are used, and not only measured.
    parts: Vec<(Slot, Value, Value)>,
    /// The lengths of lists.
    lists: Map<Slot, Value>,
    /// Those of slices that were measured in the regions around.
    measured: Vec<Slot>,
}

impl Folder {
    fn get(&self, v: Value) -> Value {
        self.same.get(&v).copied().unwrap_or(v)
    }

    fn region(&mut self, func: &Func, region: &mut Region) {
        let outside = self.measured.len();
        for op in &mut region.ops {
            op.each_operand_mut(&mut |v| *v = self.get(*v));
            for inner in op.regions_mut() {
                self.region(func, inner);
            }
            self.op(func, op);
        }
        for y in &mut region.yields {
            *y = self.get(*y);
        }
        for slice in self.measured.drain(outside..) {
            self.lists.remove(&slice);
        }
    }

    fn op(&mut self, func: &Func, op: &mut Op) {
        let [result] = op.results[..] else { return };
        let ty = func.ty(result);
        if !matches!(ty, Ty::Int(_) | Ty::Bool) {
            return;
        }
        let int = |v: &Value| self.ints.get(v).copied();
        let same = match &op.kind {
            OpKind::Const(Const::Int(digits)) => {
                if let Ok(n) = digits.parse() {
                    self.ints.insert(result, n);
                }
                return;
            }
            OpKind::Const(Const::Expr(tokens)) | OpKind::Opaque { tokens, .. } => {
                // The length of an array, as it is written.
                let text = tokens.to_string();
                let digits = text.strip_suffix("usize").unwrap_or(&text);
                if matches!(ty, Ty::Int("usize"))
                    && let Ok(n) = digits.parse::<u16>()
                {
                    self.ints.insert(result, n.into());
                    op.kind = OpKind::Const(Const::Int(n.to_string()));
                }
                return;
            }
            OpKind::Len(place) => {
                if let Some(n) = length(func, place) {
                    self.ints.insert(result, n.into());
                    op.kind = OpKind::Const(Const::Int(n.to_string()));
                    return;
                }
                if let [Proj::Range(Some(lo), Some(hi))] = place.path[..] {
                    // Else only the length would tell that the list has no such part.
                    let used = self.parts.iter().any(|(list, from, to)| {
                        *list == place.root && self.get(*from) == lo && self.get(*to) == hi
                    });
                    let indices = self.indices.as_ref().filter(|_| used);
                    if let Some(len) = indices.and_then(|all| all.difference(lo, hi)) {
                        self.same.insert(result, self.get(len));
                    }
                    return;
                }
                if !place.path.is_empty() {
                    return;
                }
                match self.lists.get(&place.root) {
                    Some(n) => self.get(*n),
                    None => {
                        // A slice has one length: it is measured once.
                        if matches!(func.slot(place.root).ty, Ty::Slice(_)) {
                            self.lists.insert(place.root, result);
                            self.measured.push(place.root);
                        }
                        return;
                    }
                }
            }
            OpKind::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) if int(b) == Some(0) => *a,
            OpKind::Binary(BinaryOp::Add, a, b) if int(a) == Some(0) => *b,
            OpKind::Binary(kind, a, b) => {
                let (Some(a), Some(b)) = (int(a), int(b)) else {
                    return;
                };
                if let Some(holds) = compared(*kind, a, b) {
                    self.bools.insert(result, holds);
                }
                if let Some(n) = computed(*kind, a, b) {
                    self.ints.insert(result, n);
                    op.kind = OpKind::Const(Const::Int(n.to_string()));
                }
                return;
            }
            OpKind::Select(_, a, b) if a == b => *a,
            OpKind::Select(cond, a, b) => match self.bools.get(cond) {
                Some(true) => *a,
                Some(false) => *b,
                None => return,
            },
            _ => return,
        };
        self.same.insert(result, same);
        if let Some(n) = int(&same) {
            self.ints.insert(result, n);
        }
    }
}

/// The lengths of the lists that are made with one, and keep it; of references to them too, and of parts `lo..lo + n` and `i * n..(i + 1) * n` of lists.
fn lists(func: &Func, indices: &Indices, body: &Region) -> Map<Slot, Value> {
    let mut lengths: Map<Value, Value> = Map::default();
    let mut parents: Map<Slot, Slot> = Map::default();
    let mut lists: Map<Slot, Value> = Map::default();
    body.walk(&mut |op| match (&op.kind, &op.results[..]) {
        (
            OpKind::Repeat {
                len: RepeatLen::Vec(n),
                ..
            },
            [v],
        ) => {
            lengths.insert(*v, *n);
        }
        (OpKind::Init(slot, v), _) if func.slot(*slot).kind == SlotKind::Owned => {
            if let Some(n) = lengths.get(v) {
                lists.insert(*slot, *n);
            }
        }
        (OpKind::Borrow(alias, place), _) => {
            parents.insert(*alias, place.root);
            let len = match &place.path[..] {
                [] => lists.get(&place.root).copied(),
                [Proj::Range(Some(lo), Some(hi))] => indices.difference(*lo, *hi),
                _ => None,
            };
            if let Some(n) = len {
                lists.insert(*alias, n);
            }
        }
        _ => {}
    });
    let root = |mut slot: Slot| {
        while let Some(parent) = parents.get(&slot) {
            slot = *parent;
        }
        slot
    };
    let owned = |slot: &Slot| func.slot(*slot).kind == SlotKind::Owned;
    let made: Vec<Slot> = lists.keys().copied().filter(owned).collect();
    for slot in made {
        let reshaped = |op: &Op| changes(func, op, &root, slot, Change::Shape);
        if body.ops.iter().any(reshaped) {
            lists.retain(|list, _| root(*list) != slot);
        }
    }
    lists
}

/// The length of an array, if it is a literal.
fn length(func: &Func, place: &Place) -> Option<u16> {
    let mut ty = &func.slot(place.root).ty;
    for proj in &place.path {
        let Proj::Index(_) = proj else { return None };
        ty = ty.element()?;
    }
    match ty {
        Ty::Array(_, len) => match &**len {
            syn::Expr::Lit(syn::ExprLit {
                lit: syn::Lit::Int(len),
                ..
            }) => len.base10_parse().ok(),
            _ => None,
        },
        _ => None,
    }
}

fn compared(op: BinaryOp, a: i32, b: i32) -> Option<bool> {
    Some(match op {
        BinaryOp::Lt => a < b,
        BinaryOp::Le => a <= b,
        BinaryOp::Gt => a > b,
        BinaryOp::Ge => a >= b,
        _ => return None,
    })
}

/// Positive, and so small that it fits any type of integers.
fn computed(op: BinaryOp, a: i32, b: i32) -> Option<i32> {
    let n = match op {
        BinaryOp::Add => a.checked_add(b)?,
        BinaryOp::Sub => a.checked_sub(b)?,
        BinaryOp::Mul => a.checked_mul(b)?,
        _ => return None,
    };
    (0..=127).contains(&n).then_some(n)
}

#[cfg(test)]
mod tests {
    use crate::testing::primal;

    #[test]
    fn a_part_that_is_only_measured_may_be_beyond_the_list() {
        let source = "fn f(x: &[f64], i: usize, n: usize) -> f64 { x[i * n..(i + 1) * n].len() as f64 * x[0] }";
        assert!(primal(source).to_string().contains("len $0["));
    }

    #[test]
    fn bounds_of_arrays_are_literals() {
        let func =
            primal("fn f(x: &[f64; 9]) -> [f64; 8] { std::array::from_fn(|i| x[i + 1] * 2.0) }");
        let text = func.to_string();
        let bound = text.lines().find(|line| line.ends_with("= const 8"));
        let name = bound
            .and_then(|line| line.trim().split(' ').next())
            .expect("a literal");
        assert!(text.contains(&format!("..{name} {{")), "{text}");
    }

    #[test]
    fn lengths_of_arrays_are_literals() {
        let sums = primal(
            "fn f(x: &[f64; 3], y: &[[f64; 2]; 3]) -> f64 { let a = x.map(|v| v * 2.0); y[1].iter().zip(a).map(|(u, v)| u * v).sum() }",
        );
        let text = sums.to_string();
        assert!(!text.contains("len ") && !text.contains("for "), "{text}");
    }

    #[test]
    fn what_would_be_negative_stays() {
        let text = primal("fn f(x: &[f64]) -> f64 { let n = 1 - 2 + x.len(); x[n] }").to_string();
        assert!(text.contains(" sub "), "{text}");
    }
}

//! Joins stores and additions to one place.
//!
//! ```text
//! p = 0; ..; p += v         |    ..; p = v        nothing, if `t = p` stands before it and v is t
//! p += u; ..; p += v        |    ..; p += u + v
//! let p = zero of x; ..; p += v; ..    |    ..; let p = v; ..        a list or struct v that nothing uses again
//! ```
//!
//! Valid where no operation between touches the variable. The order of additions is ours: only transforms add to a place.

use crate::analyze::each_use_in;
use crate::ir::{BinaryOp, Const, Func, Map, Op, OpKind, Place, Proj, Region, Set, Ty, Value};

/// Values that are known to be constant.
#[derive(Default)]
struct Constants {
    /// Zeros that a transform made.
    zeros: Set<Value>,
    /// Zeros of lists, structs, arrays and tuples.
    shaped: Set<Value>,
    ints: Map<Value, String>,
}

/// Joins stores in all regions; whether anything changed.
pub(super) fn join(func: &mut Func) -> bool {
    let mut constants = Constants::default();
    func.walk(&mut |op| match (&op.kind, op.results.as_slice()) {
        (OpKind::Const(Const::Zero), [v]) => {
            constants.zeros.insert(*v);
        }
        (OpKind::ZeroOf(_) | OpKind::ZeroLike(_), [v]) => {
            constants.shaped.insert(*v);
        }
        (OpKind::Repeat { elem, .. }, [v]) if constants.is_zero(*elem) => {
            constants.shaped.insert(*v);
        }
        (OpKind::Tuple(parts), [v]) if parts.iter().all(|part| constants.is_zero(*part)) => {
            constants.shaped.insert(*v);
        }
        (OpKind::Const(Const::Int(digits)), [v]) => {
            constants.ints.insert(*v, digits.clone());
        }
        _ => {}
    });
    let mut changed = false;
    func.each_half_mut(&mut |func, half| changed |= constants.join(func, half));
    changed
}

impl Constants {
    fn is_zero(&self, v: Value) -> bool {
        self.zeros.contains(&v) || self.shaped.contains(&v)
    }

    fn join(&self, func: &mut Func, region: &mut Region) -> bool {
        let mut changed = false;
        for op in &mut region.ops {
            for inner in op.regions_mut() {
                changed |= self.join(func, inner);
            }
        }
        let ops = &mut region.ops;
        let mut i = 0;
        while i < ops.len() {
            if self.joins(func, ops, i) || self.moves(func, ops, &region.yields, i) {
                changed = true;
            } else {
                i += 1;
            }
        }
        changed
    }

    /// Joins operation `i`, which is gone then, with the next operation that touches its place.
    fn joins(&self, func: &mut Func, ops: &mut Vec<Op>, i: usize) -> bool {
        let (place, first) = match &ops[i].kind {
            OpKind::Store(place, zero) if self.zeros.contains(zero) => (place, None),
            OpKind::Accumulate(place, u) if func.ty(*u).is_float() => (place, Some(*u)),
            _ => return false,
        };
        if !is_element(place) {
            return false;
        }
        let Some((j, to, v)) = added_next(ops, i, place) else {
            return false;
        };
        if !self.same(to, place) || !func.ty(v).is_float() {
            return false;
        }
        let place = place.clone();
        if let Some(u) = first {
            let (ty, name) = (func.ty(v).clone(), func.value(v).name.clone());
            let sum = func.new_value(ty, name, ops[j].span);
            let add = Op::new(OpKind::Binary(BinaryOp::Add, u, v), vec![sum], ops[j].span);
            ops[j].kind = OpKind::Accumulate(place, sum);
            ops.insert(j, add);
        } else {
            let before = (0..i).rev().find(|h| touches(&ops[*h], &place));
            let held = before.is_some_and(
                |h| matches!(&ops[h].kind, OpKind::Load(p) if self.same(p, &place) && ops[h].results == [v]),
            );
            if held {
                ops.remove(j);
            } else {
                ops[j].kind = OpKind::Store(place, v);
            }
        }
        ops.remove(i);
        true
    }

    /// Declares the variable of operation `i` by the first thing that is added to it, if it begins with zero.
    fn moves(&self, func: &Func, ops: &mut Vec<Op>, yields: &[Value], i: usize) -> bool {
        let OpKind::Init(slot, zero) = ops[i].kind else {
            return false;
        };
        if !self.shaped.contains(&zero) {
            return false;
        }
        let place = Place::whole(slot);
        let Some((j, to, v)) = added_next(ops, i, &place) else {
            return false;
        };
        let mut again = yields.contains(&v);
        for op in &ops[j + 1..] {
            each_use_in(op, &mut |used| again |= used == v);
        }
        let made_here = ops[..j].iter().any(|op| op.results.contains(&v));
        let (ty, of) = (func.ty(v), func.ty(zero));
        let lists = is_list(ty) && is_list(of) || ty.has_one_shape() && of.has_one_shape();
        let structs = is_struct(func, ty) && ty.to_string() == of.to_string();
        if *to != place || again || !made_here || !(lists || structs) {
            return false;
        }
        ops[j].kind = OpKind::Init(slot, v);
        ops.remove(i);
        true
    }

    fn same(&self, a: &Place, b: &Place) -> bool {
        let same = |a: &Value, b: &Value| {
            a == b
                || self
                    .ints
                    .get(a)
                    .is_some_and(|n| self.ints.get(b) == Some(n))
        };
        a.root == b.root
            && a.path.len() == b.path.len()
            && (a.path.iter().zip(&b.path)).all(|pair| match pair {
                (Proj::Index(i), Proj::Index(j)) => same(i, j),
                (a, b) => a == b,
            })
    }
}

/// True of a list of floats, or of such lists.
fn is_list(ty: &Ty) -> bool {
    matches!(ty, Ty::Vec(elem) if elem.is_float() || is_list(elem))
}

/// True of the tangent of a struct of the file, which has the same fields as every other one.
fn is_struct(func: &Func, ty: &Ty) -> bool {
    matches!(ty, Ty::Tangent(of) if func.struct_of(of).is_some())
}

fn is_element(place: &Place) -> bool {
    (place.path.iter()).all(|proj| matches!(proj, Proj::Index(_) | Proj::Range(..)))
}

/// The next operation after `i` that touches the place, if that adds to its variable: where, and the value.
fn added_next<'o>(ops: &'o [Op], i: usize, place: &Place) -> Option<(usize, &'o Place, Value)> {
    let j = (i + 1..ops.len()).find(|j| touches(&ops[*j], place))?;
    match &ops[j].kind {
        OpKind::Accumulate(to, v) => Some((j, to, *v)),
        _ => None,
    }
}

/// Returns `true` if the operation, or one nested in it, reads or writes the variable.
fn touches(op: &Op, place: &Place) -> bool {
    op.any(&mut |op| op.touches(place.root))
}

#[cfg(test)]
mod tests {
    use crate::ir::Clones;
    use crate::pipeline::reverse_rule;
    use crate::testing::primal;
    use crate::transform::Shape;

    #[test]
    fn the_cotangent_of_a_list_that_is_moved_is_moved() {
        let source = "fn f(x: &[f64]) -> f64 { let mut a = x.to_vec(); a[0] *= 2.0; let b = a; b[0] * b[1] }";
        let rule = reverse_rule(&primal(source), Shape::Combined).to_string();
        assert!(!rule.contains("accumulate_place"), "{rule}");
        assert_eq!(rule.matches("zero_of").count(), 1, "{rule}");
    }

    #[test]
    fn so_is_that_of_a_struct_of_the_file() {
        let mut func = primal(
            "fn f(start: &Grid, steps: usize) -> f64 { let mut u = start.clone(); for k in 0..steps { let mut next = u.clone(); let x: f64 = u.a; next.a = x * x; u = next; } let y: f64 = u.a; y }",
        );
        let rule = reverse_rule(&func, Shape::Combined).to_string();
        assert!(rule.contains("accumulate $6 += "), "{rule}");
        let grid = crate::ir::Struct {
            fields: Vec::new(),
            constants: Vec::new(),
            whole: false,
        };
        func.structs.insert("Grid".to_owned(), grid);
        func.clones.insert("Grid".to_owned(), Clones::Same);
        let rule = reverse_rule(&func, Shape::Combined).to_string();
        assert!(rule.contains("accumulate $4 += "), "{rule}");
        assert!(!rule.contains("accumulate $6 += "), "{rule}");
    }
}

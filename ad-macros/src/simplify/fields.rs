//! Moves reads of fields out of loops that don't write them (loop-invariant code motion of loads).
//!
//! ```text
//! for i in 0..n { %1 = load $0.cols; .. }     |     %1 = load $0.cols; for i in 0..n { .. }
//! ```
//!
//! A field that is read once, before a loop, is one residual, and the reverse half recomputes the indices that depend on it. Valid for scalars in fields,
//! and for references to constant fields, of a variable that is there before the loop: such a read can't fail, so that it doesn't matter how often the loop
//! runs.

use crate::analyze::{Alike, Written};
use crate::ir::{Func, Map, Op, OpKind, Proj, Region, Slot, Ty, Value};

/// Reads what copies of a variable have in common from that variable, and moves reads out of all loops, inner ones first.
///
/// ```text
/// let mut next = u.clone(); .. next.cols .. swap(&mut u, &mut next); .. u.cols ..      |     the field of what `u` was made of
/// ```
/// So the reverse half reads it again where it would have to undo the moves otherwise. Valid for fields that nothing writes to, and for lengths of
/// lists that nothing makes longer or shorter (`analyze/alike.rs`).
pub(crate) fn hoist_fields(mut func: Func) -> Func {
    let shared = shared_reads(&func);
    let mut body = std::mem::take(&mut func.body);
    body.walk_mut(&mut |op| {
        if let OpKind::Load(place) | OpKind::Len(place) = &mut op.kind
            && let Some(source) = shared.get(&op.results[0])
        {
            place.root = *source;
        }
    });
    region(&func, &mut body);
    func.body = body;
    func
}

/// Reads a part of a copy from its source, which has the same part.
fn shared_reads(func: &Func) -> Map<Value, Slot> {
    let alike = Alike::new(func);
    let mut all = Map::default();
    func.body.walk(&mut |op| {
        let source = match &op.kind {
            OpKind::Load(place) if matches!(func.ty(op.results[0]), Ty::Int(_) | Ty::Bool) => {
                alike.field_of(place)
            }
            OpKind::Len(place) => alike.length_of(place.root),
            _ => None,
        };
        all.extend(source.map(|source| (op.results[0], source)));
    });
    all
}

fn region(func: &Func, within: &mut Region) {
    let mut ops = Vec::with_capacity(within.ops.len());
    for mut op in std::mem::take(&mut within.ops) {
        op.each_region_mut(&mut |inner| region(func, inner));
        if let OpKind::For { body, .. } | OpKind::Loop { body, .. } = &mut op.kind {
            let written = Written::by(func, body);
            let (out, stay) = std::mem::take(&mut body.ops)
                .into_iter()
                .partition(|op| leaves(func, &written, op));
            ops.extend::<Vec<Op>>(out);
            body.ops = stay;
        }
        ops.push(op);
    }
    within.ops = ops;
}

/// True if an operation of a body that writes this reads the same in each trip, and may as well before.
fn leaves(func: &Func, written: &Written, op: &Op) -> bool {
    let place = match &op.kind {
        OpKind::Load(place) if func.ty(op.results[0]).is_scalar() => place,
        OpKind::Borrow(alias, place) if func.constants.contains(alias) => place,
        _ => return false,
    };
    let fields = |proj: &Proj| matches!(proj, Proj::Field(_));
    let slot = func.slot(place.root);
    !place.path.is_empty()
        && place.path.iter().all(fields)
        && !slot.in_option
        && !slot.in_field
        && written.spares(place)
}

#[cfg(test)]
mod tests {
    use super::hoist_fields;
    use crate::ir::Clones;
    use crate::testing::primal;

    fn in_loop(source: &str) -> bool {
        let text = primal(source).to_string();
        let (_, body) = text.split_once("for ").expect("a loop");
        body.contains("load $0.n")
    }

    #[test]
    fn a_field_that_is_only_read_is_read_once() {
        assert!(!in_loop(
            "fn f(g: &Grid, x: &[f64]) -> f64 { let mut s = 0.0; for i in 0..9 { let n: usize = g.n; s += x[i * n]; } s }"
        ));
    }

    /// A function of a struct of the file that derives `Clone`, or doesn't.
    fn stepped(body: &str, cloned: Clones) -> String {
        let source = format!(
            "fn f(start: &Grid, steps: usize) -> f64 {{ let mut u = start.clone(); let mut next = start.clone(); for k in 0..steps {{ let n: usize = u.n; next.u[n] = u.u[k]; {body} std::mem::swap(&mut u, &mut next); }} let n: usize = u.n; u.u[n] }}"
        );
        let hir = crate::testing::parsed(&source).expect("a supported function");
        let types = crate::types::resolve(&hir).expect("types");
        let mut func = crate::lower::lower(&hir, &types).expect("lowered");
        let grid = crate::ir::Struct {
            fields: Vec::new(),
            constants: Vec::new(),
            whole: false,
        };
        func.structs.insert("Grid".to_owned(), grid);
        func.clones.insert("Grid".to_owned(), cloned);
        hoist_fields(func).to_string()
    }

    #[test]
    fn copies_that_take_turns_have_their_fields_from_one() {
        assert_eq!(stepped("", Clones::Same).matches("load $0.n").count(), 2);
        assert_eq!(
            stepped("", Clones::SameNumbers)
                .matches("load $0.n")
                .count(),
            0
        );
        for body in [
            "u.n = k;",
            "next.n += 1;",
            "change(&mut next);",
            "next.step();",
            "u = other(k);",
        ] {
            let func = stepped(body, Clones::Same);
            assert!(!func.contains("load $0.n"), "{body}\n{func}");
        }
    }

    #[test]
    fn what_the_loop_may_write_stays() {
        for body in ["g.n = i;", "step(&mut g);", "g.step();", "g = other(i);"] {
            let source = format!(
                "fn f(mut g: Grid, x: &[f64]) -> f64 {{ let mut s = 0.0; for i in 0..9 {{ let n: usize = g.n; s += x[i * n]; {body} }} s }}"
            );
            assert!(in_loop(&source), "{source}");
        }
    }
}

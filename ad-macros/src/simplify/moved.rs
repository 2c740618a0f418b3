//! Moves values instead of cloning them, if they aren't used again.
//!
//! ```text
//! let whole = result.clone(); whole.unwrap()        let whole = result; whole.unwrap()
//! ```
//! A transform decides that a variable is kept before it knows the rest of its reverse half, and a kept variable has to be `Clone`.

use crate::analyze::{Change, changes, each_with_later_uses};
use crate::ir::{Clones, Func, Op, OpKind, Place, Region, Set, Slot, SlotKind, Value};

/// Input: a rule. Output: the same, in which the last use of a variable moves it. Only variables of the function itself, or of the iteration
/// that uses them, can be moved, but no captures of a loop or a closure.
pub(crate) fn move_last_uses(mut func: Func) -> Func {
    let mut clones: Set<Value> = Set::default();
    zeros_first(&mut func);
    let reversed = func
        .pullback
        .as_ref()
        .map_or_else(Set::default, |pullback| used(&pullback.body.ops));
    each_with_later_uses(&func.body, &mut |_, op, later| {
        if let OpKind::CloneOf(place) = &op.kind
            && place.path.is_empty()
            && !later.contains(&place.root)
            && !reversed.contains(&place.root)
        {
            let slot = func.slot(place.root);
            // A clone that the user has written may be another value.
            let same = func
                .clones_of(&slot.ty)
                .is_none_or(|clones| clones == Clones::Same);
            if same && slot.kind == SlotKind::Owned && !slot.may_borrow {
                clones.extend(&op.results);
            }
        }
    });
    if !clones.is_empty() {
        let mut body = std::mem::take(&mut func.body);
        rewrite(&mut body, &clones, &mut Set::default());
        func.body = body;
    }
    func
}

/// Makes the shadow of a variable before the variable is given away, where the reverse half wants no more of it than that.
///
/// ```text
/// result.clone().unwrap() .. pullback { zero_of result .. }        zero_of result; result.clone().unwrap() .. pullback { .. }
/// ```
fn zeros_first(func: &mut Func) {
    let Some(mut pullback) = func.pullback.take() else {
        return;
    };
    let mut last: Vec<Slot> = Vec::new();
    each_with_later_uses(&func.body, &mut |_, op, later| {
        if let OpKind::CloneOf(place) = &op.kind
            && place.path.is_empty()
            && !later.contains(&place.root)
        {
            last.push(place.root);
        }
    });
    for slot in last {
        let of_it = |place: &Place| place.path.is_empty() && place.root == slot;
        let makes_zero = |op: &Op| matches!(&op.kind, OpKind::ZeroOf(place) if of_it(place));
        let others = pullback.body.ops.iter().filter(|op| !makes_zero(op));
        if used(others).contains(&slot) {
            continue;
        }
        let gives_away =
            |op: &Op| op.any(&mut |op| matches!(&op.kind, OpKind::CloneOf(place) if of_it(place)));
        if let Some(at) = func.body.ops.iter().rposition(gives_away) {
            // A branch or loop that also writes it may change its shape first.
            let same = &|slot| slot;
            if changes(func, &func.body.ops[at], same, slot, Change::Shape)
                || is_borrowed_mutably(func, slot)
            {
                continue;
            }
            let zeros = pullback.body.ops.extract_if(.., |op| makes_zero(op));
            func.body.ops.splice(at..at, zeros);
        }
    }
    func.pullback = Some(pullback);
}

fn is_borrowed_mutably(func: &Func, slot: Slot) -> bool {
    func.body.any(&mut |op| {
        matches!(&op.kind, OpKind::Borrow(alias, place)
            if place.root == slot && func.slot(*alias).kind == SlotKind::RefMut)
    })
}

/// The variables that operations use, in regions too.
fn used<'a>(ops: impl IntoIterator<Item = &'a Op>) -> Set<Slot> {
    let mut all = Set::default();
    for op in ops {
        op.walk(&mut |op| all.extend(op.slots().into_iter().map(|(slot, _)| slot)));
    }
    all
}

/// `own`: the slots that are declared in this iteration or call.
fn rewrite(region: &mut Region, clones: &Set<Value>, own: &mut Set<Slot>) {
    for op in &mut region.ops {
        match &op.kind {
            OpKind::Init(slot, _) => {
                own.insert(*slot);
            }
            OpKind::CloneOf(place)
                if own.contains(&place.root) && clones.contains(&op.results[0]) =>
            {
                op.kind = OpKind::Load(place.clone());
            }
            _ => {}
        }
        let once = matches!(op.kind, OpKind::If { .. });
        for inner in Op::regions_mut(op) {
            if once {
                rewrite(inner, clones, own);
            } else {
                rewrite(inner, clones, &mut Set::default());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::pipeline::reverse_rule;
    use crate::testing::primal;
    use crate::transform::Shape;

    fn rule(source: &str) -> String {
        reverse_rule(&primal(source), Shape::Split).to_string()
    }

    #[test]
    fn what_is_returned_early_is_moved() {
        let rule = rule(
            "fn f(v: &[f64]) -> Result<f64, Error> { let mut s = 0.0; for x in v { if *x < 0.0 { return Err(Error::Negative(1)); } s += x * x; } Ok(s) }",
        );
        assert!(!rule.contains("clone_of"), "{rule}");
    }

    #[test]
    fn shadows_are_made_before_what_is_given_away() {
        let rule = rule(
            "fn f(x: f64, v: &[f64]) -> Result<f64, Error> { let mut s = 0.0; for t in v { s += t * x; if s < 0.0 { return Err(Error::Negative(1)); } if s > 9.0 { return Ok(s); } } Ok(s * x) }",
        );
        let result = |line: &str| line.ends_with("clone_of $1");
        assert!(!rule.lines().any(result), "{rule}");
    }

    #[test]
    fn what_is_used_again_is_cloned() {
        let rule = rule(
            "fn f(x: f64) -> (Vec<f64>, f64) { let v = vec![x, x]; let w = v.clone(); (w, v[0] * v[1]) }",
        );
        assert!(rule.contains("clone_of"), "{rule}");
    }
}

//! Clones of what isn't used again.
//!
//! ```text
//! let whole = result.clone(); whole.unwrap()        let whole = result; whole.unwrap()
//! ```
//! A transform decides that a variable is kept before it knows what will be left of its reverse half, and what it keeps has to be `Clone`.

use crate::analyze::each_with_later_uses;
use crate::ir::{Func, Op, OpKind, Region, Set, Slot, SlotKind, Value};

/// Input: a rule. Output: the same, in which the last use of a variable moves it. Only variables of the function itself, or of the iteration
/// that uses them, can be moved: not what a loop or a closure has from outside.
pub(crate) fn move_last_uses(mut func: Func) -> Func {
    let mut clones: Set<Value> = Set::default();
    let mut reversed: Set<Slot> = Set::default();
    if let Some(pullback) = &func.pullback {
        pullback
            .body
            .walk(&mut |op| reversed.extend(op.slots().into_iter().map(|(slot, _)| slot)));
    }
    each_with_later_uses(&func.body, &mut |_, op, later| {
        if let OpKind::CloneOf(place) = &op.kind
            && place.path.is_empty()
            && !later.contains(&place.root)
            && !reversed.contains(&place.root)
        {
            let slot = func.slot(place.root);
            if slot.kind == SlotKind::Owned && !slot.may_borrow {
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

/// `own`: what is declared in this iteration or call.
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
    fn what_is_used_again_is_cloned() {
        let rule = rule(
            "fn f(x: f64) -> (Vec<f64>, f64) { let v = vec![x, x]; let w = v.clone(); (w, v[0] * v[1]) }",
        );
        assert!(rule.contains("clone_of"), "{rule}");
    }
}

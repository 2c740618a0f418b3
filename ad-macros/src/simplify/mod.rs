//! Simplification, IR to IR: folds zeros and ones that transforms made, computes nothing twice, joins additions to one
//! place, and removes values that aren't read. It keeps every other effect, and the order of effects.

mod closed;
mod counted;
mod dead;
mod distribute;
mod elements;
mod fields;
mod filled;
mod firsts;
mod fold;
mod hoist;
mod ints;
mod jam;
mod joined;
mod lanes;
mod list_fields;
mod moved;
mod private;
mod promote;
mod registers;
mod scalars;
mod selections;
mod skipped;
mod sliding;
mod stores;
mod strips;
mod unroll;

pub(crate) use closed::close_carries;
pub(crate) use counted::count_loops;
pub(crate) use distribute::distribute;
pub(crate) use elements::whole_elements;
pub(crate) use fields::hoist_fields;
pub(crate) use filled::fill_lists;
pub(crate) use firsts::store_first_terms;
pub(crate) use hoist::hoist;
pub(crate) use ints::fold_integers;
pub(crate) use jam::jam;
pub(crate) use joined::join_moved;
pub(crate) use lanes::{has_loops, lanes};
pub(crate) use list_fields::name_list_fields;
pub(crate) use moved::move_last_uses;
pub(crate) use private::{lift_buffers, privatise};
pub(crate) use promote::promote;
pub(crate) use registers::keep_elements;
pub(crate) use scalars::scalars;
pub(crate) use selections::{has_ties, select_trips, untie};
pub(crate) use skipped::{may_skip, skip_zeros};
pub(crate) use sliding::sliding;
pub(crate) use strips::strips;
pub(crate) use unroll::{renamed, unroll};

use crate::ir::{Func, Map, Op, OpKind, Place, Proj, Region, Value};

/// Simplifies to a fixpoint.
pub(crate) fn simplify(mut func: Func) -> Func {
    fold::fold(&mut func);
    while dead::remove(&mut func) || stores::join(&mut func) {
        fold::fold(&mut func);
    }
    func
}

/// Computes nothing twice: value numbering.
pub(crate) fn number_values(mut func: Func) -> Func {
    fold::fold(&mut func);
    func
}

/// Rewrites each operation, those in its regions first; `rewrite` appends the replacement.
fn rewrite_each(func: &mut Func, rewrite: &dyn Fn(&mut Func, Op, &mut Vec<Op>)) {
    fn region(func: &mut Func, within: &mut Region, rewrite: &dyn Fn(&mut Func, Op, &mut Vec<Op>)) {
        let mut ops = Vec::with_capacity(within.ops.len());
        for mut op in std::mem::take(&mut within.ops) {
            for inner in op.regions_mut() {
                region(func, inner, rewrite);
            }
            rewrite(func, op, &mut ops);
        }
        within.ops = ops;
    }
    func.each_half_mut(&mut |func, half| region(func, half, rewrite));
}

/// Something that an operation can be rewritten by.
trait Rewrite: Sized {
    /// Finds it in the operation. The integers are those that are known.
    fn of(func: &Func, ints: &Map<Value, i64>, op: &Op) -> Option<Self>;

    /// Appends the replacement of the operation.
    fn apply(self, func: &mut Func, op: Op, ops: &mut Vec<Op>);
}

/// Rewrites all operations in which it is found, those in regions first.
fn rewrite_all<R: Rewrite>(mut func: Func) -> Func {
    let ints = func.integers();
    rewrite_each(&mut func, &|func, op, ops| match R::of(func, &ints, &op) {
        Some(found) => found.apply(func, op, ops),
        None => ops.push(op),
    });
    func
}

/// Returns `true` if the function locates elements.
pub(crate) fn has_locations(func: &Func) -> bool {
    func.any(&mut |op| matches!(op.kind, OpKind::Locate { .. }))
}

/// In code that isn't differentiated any more, only shadows need to be told where an element is.
pub(crate) fn forget_locations(mut func: Func) -> Func {
    func.each_half_mut(&mut |func, half| {
        half.walk_mut(&mut |op| op.each_place_mut(&mut |place| forget(func, place)));
    });
    func
}

fn forget(func: &Func, place: &mut Place) {
    let tangents = func.in_tangent(place);
    for (proj, tangent) in place.path.iter_mut().zip(tangents) {
        if let (Proj::At(_, at), false) = (proj, tangent) {
            *at = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::pipeline::rule;
    use crate::testing::primal;
    use crate::transform::{Shape, forward, reverse};

    #[test]
    fn zeros_and_ones_of_transforms_are_folded_and_the_users_stay() {
        let func = primal("fn f(x: f64) -> f64 { 0.0 * x + 1.0 * x }");
        expect![[r#"
            fn f(x: dual(%0, %6) f64) -> f64 {
              %1 c: f64 = const 0.0
              %2 t: f64 = mul %1, %0
              %7 t_dot: f64 = mul %1, %6
              %3 c: f64 = const 1.0
              %4 t: f64 = mul %3, %0
              %8 t_dot: f64 = mul %3, %6
              %5 t: f64 = add %2, %4
              %9 t_dot: f64 = add %7, %8
              yield %5, %9
            } -> dual(%5, %9)
        "#]]
        .assert_eq(&rule(forward(&func)).to_string());
    }

    #[test]
    fn what_nothing_reads_is_removed() {
        let func = primal(
            "fn f(x: f64) -> f64 { let unused = x.exp(); let mut s = x; for _ in 0..3 { s += x; } x }",
        );
        expect![[r#"
            fn f(x: %0 f64) -> f64 {
              yield %0
            } -> %0
            pullback (seed %14, ()) {
              yield %14
            } -> (%14)
        "#]]
        .assert_eq(&rule(reverse(&func, Shape::Split)).to_string());
    }
}

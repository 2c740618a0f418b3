//! Lists of zeros that are added to: the first term of an element is stored, and an element that nothing reads again isn't set to zero.
//!
//! ```text
//! bar = [0; n]; for i in 0..n { bar[i] += u }; for i in 0..n { t = bar[i]; bar[i] = 0; .. t .. }
//! bar = [0; n]; for i in 0..n { bar[i] = u };  for i in 0..n { t = bar[i]; .. t .. }
//! ```
//!
//! Input: a rule. Shadows of local lists have this form. `analyze/dependence.rs` tells which term of an element is the first one, and what reads an element
//! later. A list that is filled in each trip of a loop then needs no zeros in the next one, see `private.rs`. Valid for lists that only reads, stores and
//! additions of numbers use.

use super::private::Made;
use crate::analyze::{Dependences, Known};
use crate::ir::{Func, Op, OpKind, Proj, Region, Set, Slot};

/// Rewrites all such additions and stores.
pub(crate) fn store_first_terms(mut func: Func) -> Func {
    let known = Known::new(&func);
    let mut lists: Set<Slot> = Set::default();
    each_list_of_zeros(&func, &known, &mut |made, _, _| {
        lists.insert(made.slot);
    });
    if lists.is_empty() {
        return func;
    }
    let dependences = Dependences::new(&func);
    let mut lists = with_simple_uses(&func, &dependences, lists);
    let mut first: Set<*const Op> = Set::default();
    func.walk(&mut |op| {
        if let OpKind::Accumulate(place, _) = &op.kind
            && matches!(place.path.last(), Some(Proj::Index(_)))
            && lists.contains(&dependences.root(place.root))
            && dependences.is_first(op, place)
        {
            first.insert(op);
        }
    });
    drop(dependences);
    func.each_half_mut(&mut |_, half| {
        half.walk_mut(&mut |op| {
            if first.contains(&std::ptr::from_ref(op))
                && let OpKind::Accumulate(place, v) = &op.kind
            {
                op.kind = OpKind::Store(place.clone(), *v);
            }
        });
    });
    each_list_of_zeros(&func, &known, &mut |made, later, in_loop| {
        if in_loop && made.is_read_before_it_is_filled(&func, &known, later) {
            lists.remove(&made.slot);
        }
    });
    let dependences = Dependences::new(&func);
    let mut unread: Set<*const Op> = Set::default();
    func.walk(&mut |op| {
        if let OpKind::Store(place, zero) = &op.kind
            && known.is_zero(*zero)
            && lists.contains(&dependences.root(place.root))
            && dependences.is_read_no_more(op, place)
        {
            unread.insert(op);
        }
    });
    drop(dependences);
    func.each_half_mut(&mut |_, half| remove(half, &unread));
    func
}

/// Calls `f` on each local list that is full of zeros where it is declared, with the operations that follow, and `true` in a loop.
fn each_list_of_zeros(func: &Func, known: &Known, f: &mut dyn FnMut(Made, &[Op], bool)) {
    type Each<'e> = &'e mut dyn FnMut(Made, &[Op], bool);
    fn region(func: &Func, known: &Known, within: &Region, in_loop: bool, f: Each<'_>) {
        for (at, op) in within.ops.iter().enumerate() {
            if let Some(made) = Made::of(func, known, within, at).filter(|made| made.zero) {
                f(made, &within.ops[at + 1..], in_loop);
            }
            let in_loop = in_loop || op.repeats();
            op.each_region(&mut |inner| region(func, known, inner, in_loop, f));
        }
    }
    region(func, known, &func.body, false, f);
    if let Some(pullback) = &func.pullback {
        region(func, known, &pullback.body, false, f);
    }
}

/// The lists that nothing moves, refers to, or passes on.
fn with_simple_uses(func: &Func, all: &Dependences<'_>, mut lists: Set<Slot>) -> Set<Slot> {
    func.walk(&mut |op| {
        let simple = match &op.kind {
            OpKind::Load(_) => op.results.iter().all(|v| func.ty(*v).is_scalar()),
            OpKind::Store(_, v) | OpKind::Accumulate(_, v) => func.ty(*v).is_scalar(),
            OpKind::Init(..) | OpKind::Borrow(..) | OpKind::Len(_) | OpKind::Sum { .. } => true,
            _ => false,
        };
        if !simple {
            for (slot, _) in op.slots() {
                lists.remove(&all.root(slot));
            }
        }
    });
    lists
}

/// Removes operations from a region and those in it.
fn remove(region: &mut Region, unwanted: &Set<*const Op>) {
    let stays = |op: &Op| !unwanted.contains(&std::ptr::from_ref(op));
    let stays: Vec<bool> = region.ops.iter().map(stays).collect();
    for op in &mut region.ops {
        op.each_region_mut(&mut |inner| remove(inner, unwanted));
    }
    let mut stays = stays.into_iter();
    region.ops.retain(|_| stays.next() == Some(true));
}

#[cfg(test)]
mod tests {
    use crate::pipeline::{for_emission, reverse_rule};
    use crate::testing::primal;
    use crate::transform::Shape;

    /// How often the combined rule adds to an element of the shadow of `z`, and how often it stores one.
    fn uses(body: &str) -> [usize; 2] {
        let source = format!(
            "fn f(x: &[f64], n: usize, p: &[usize]) -> f64 {{ let mut s = 0.0; {body} s }}"
        );
        let rule = reverse_rule(&primal(&source), Shape::Combined);
        let rule = for_emission(&rule).to_string();
        let shadow = (rule.lines())
            .find_map(|line| {
                line.trim()
                    .strip_prefix("init ")?
                    .split_once(" z_bar:")
                    .map(|found| found.0)
            })
            .expect("a shadow of `z`");
        ["accumulate", "store"].map(|kind| rule.matches(&format!("{kind} {shadow}[")).count())
    }

    const MADE: &str = "let mut z = vec![0.0; n]; for i in 0..n { z[i] = x[i] * x[i]; }";

    #[test]
    fn the_first_term_of_an_element_is_stored_and_the_last_read_leaves_it() {
        for (reads, expected) in [
            ("for i in 0..n { s += z[i] * z[i]; }", [0, 1]),
            ("for i in (1..n).rev() { s += z[i] * z[i]; }", [0, 1]),
            ("s += z[0].sin() * z[1];", [0, 2]),
            // Two terms of an element, which are one where the loop goes on.
            ("for i in 1..n { s += z[i] * z[i - 1]; }", [0, 2]),
            // As many terms as there are equal indices.
            ("for i in 0..n { s += z[p[i]] * z[p[i]]; }", [1, 0]),
            (
                "for i in 0..n { s += z[i].sin(); } for i in 0..n { s += z[i].exp(); }",
                [1, 1],
            ),
        ] {
            assert_eq!(uses(&format!("{MADE} {reads}")), expected, "{reads}");
        }
    }

    #[test]
    fn an_element_that_may_be_read_again_is_set_to_zero() {
        let reads = "for i in 0..n { s += z[i].sin(); }";
        for (stores, expected) in [
            ("for k in 0..n { z[k] = x[k]; }", [0, 2]),
            ("for k in 0..n { z[p[k]] = x[k]; }", [0, 2]),
        ] {
            assert_eq!(
                uses(&format!("{MADE} {stores} {reads}")),
                expected,
                "{stores}"
            );
        }
    }
}

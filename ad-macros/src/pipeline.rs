//! The passes on the intermediate representation, in their order. Tests run the same lists as production.
//!
//! ```text
//! hir::Func, Types --lower--> PRIMAL --> ir::Func, the primal
//!                                        ir::Func --forward | reverse--> RULE --> ir::Func, a rule, which `forward` can differentiate again
//!                                                                        ir::Func --SETTLE, SKIP, LOOPS--> tokens
//! ```
//!
//! Rewrites of the syntax are listed in `lower`. The verifier runs after lowering, after each transform and at the end of each list;
//! in unit tests also after each pass. An error of the verifier is a bug, and is reported at the operation.

use std::borrow::Cow;

use crate::analyze::{reject_checkpoints, reject_lost, reject_unequal_clones};
use crate::diagnostics::bug_at;
use crate::ir::{self, Func};
use crate::lower::lower;
use crate::simplify::{
    close_carries, count_loops, distribute, fill_lists, fold_integers, forget_locations,
    has_locations, has_loops, has_ties, hoist, hoist_fields, jam, join_moved, keep_elements, lanes,
    lift_buffers, may_skip, move_last_uses, name_list_fields, number_values, privatise, promote,
    scalars, select_trips, simplify, skip_zeros, sliding, store_first_terms, strips, unroll, untie,
    whole_elements,
};
use crate::transform::{
    Shape, clone_at_exits, clone_reference_arguments, forward, has_unsettled_receivers,
    place_receivers, replace_moved_vecs, reverse, settle_receivers, share_borrowed,
};
use crate::{hir, types};

/// A step from IR to IR that preserves the function's results.
pub(crate) struct Pass {
    pub(crate) name: &'static str,
    pub(crate) run: fn(Func) -> Func,
    /// The invariant that holds from then on.
    #[cfg_attr(not(test), expect(dead_code, reason = "it is there to be read"))]
    pub(crate) then: &'static str,
}

/// A list of passes, each with the invariant that holds after it.
macro_rules! passes {
    ($($run:ident => $then:literal,)*) => {
        &[$(Pass { name: stringify!($run), run: $run, then: $then }),*]
    };
}

/// After lowering: known integers, and ownership at calls and moves.
pub(crate) const PRIMAL: &[Pass] = passes![
    join_moved => "a list that is built in one variable and moved to another has one variable",
    count_loops => "a `while` that counts to a bound is a counted loop, and ranges of indices don't contain their end",
    close_carries => "an index that each trip adds one to is the counter, moved",
    fill_lists => "a list that each trip of a loop pushes to has its length from the start",
    fold_integers => "lengths and bounds that are literals are known to be",
    unroll => "loops over a few components are written out",
    fold_integers => "so are indices in them",
    scalars => "structs, arrays and tuples of a few components that no reference leads to are values",
    hoist_fields => "fields that a loop doesn't write are read in front of it, those that no copy writes from one of the copies",
    keep_elements => "an element that each trip of a loop reads and writes is a value that it carries",
    number_values => "what is read or computed twice, with nothing between that may change it, is one value",
    fold_integers => "a part from `i * n` to `(i + 1) * n` has `n` elements",
    privatise => "a list that each trip of a loop fills before it reads it is declared in the loop",
    select_trips => "an extremum is differentiated in the trip that it is from",
    clone_at_exits => "what a loop moves isn't used in it again, as far as rustc can see",
    replace_moved_vecs => "a variable that is given a new value holds one until then",
    clone_reference_arguments => "an argument that may be a reference, and is used again, is a copy",
    share_borrowed => "what is borrowed in part, or twice, is handed over as a shared reference",
    place_receivers => "each receiver is a place, from which the callee may borrow or move",
];

/// After each transform.
pub(crate) const RULE: &[Pass] = passes![
    simplify => "no zeros and ones of transforms, nothing computed twice, nothing that isn't read",
    move_last_uses => "what is cloned is used again, or isn't the function's own",
];

/// Before emission, when nothing is differentiated any more, of functions that call methods or locate elements.
const SETTLE: &[Pass] = passes![
    settle_receivers => "what stands in an `Option` is taken out of it by a mode",
    forget_locations => "only shadows are told where an element is",
    simplify => "nothing is located that isn't read",
];

/// Then, of functions that call pullbacks.
const SKIP: &[Pass] = passes![
    skip_zeros => "a pullback whose cotangent is zero unless a condition holds runs under it",
    simplify => "the choices that only such pullbacks read are gone",
];

/// Then, of functions that compute values again, so that they have derivatives.
const TIES: &[Pass] = passes![
    untie => "a value with the derivative of another one is the value",
    simplify => "the other one is computed where a derivative needs it",
];

/// Last, of functions with loops.
const LOOPS: &[Pass] = passes![
    name_list_fields => "lists in fields that a loop uses element by element have names",
    whole_elements => "what is added to an element of a part is added to one of the whole",
    hoist => "the part of an index that is the same in all trips of a loop is computed in front of it",
    sliding => "what two trips that follow each other add to one element is added to it once",
    store_first_terms => "the first term of an element of a list of zeros is stored, and what nothing reads again isn't set to zero",
    lift_buffers => "a list of the same length in all trips of a loop is allocated once",
    promote => "what a loop adds to one place again and again is a value that it carries",
    lanes => "sums of cotangents that nothing else in a loop waits for are added in lanes",
    jam => "four trips of a loop run at once, where inner loops wait for sums or add to the same elements",
    distribute => "a loop of cheap terms adds to one part of a list, if it can",
    strips => "a loop that only waits for sums of the primal does all else in lanes",
    simplify => "loops that did nothing else are gone",
];

/// The primal of a function whose types are resolved. No operation of it stores an active value in a constant, and clones are equal to their originals.
pub(crate) fn primal(hir: &hir::Func, types: &types::Types) -> syn::Result<Func> {
    let func = run(PRIMAL, lower(hir, types)?);
    reject_lost(&func)?;
    reject_checkpoints(&func)?;
    reject_unequal_clones(&func, &|| reverse_rule(&func, Shape::Split))?;
    Ok(func)
}

/// The rule of forward mode: of a primal, or of a rule of reverse mode.
pub(crate) fn forward_rule(func: &Func) -> Func {
    rule(forward(func))
}

/// The rule of reverse mode of a primal.
pub(crate) fn reverse_rule(func: &Func, shape: Shape) -> Func {
    rule(reverse(func, shape))
}

/// A rule, from the output of a transform.
pub(crate) fn rule(func: Func) -> Func {
    run(RULE, verified(func, "the transform"))
}

/// A rule in the form in which it is emitted. It is simplified already.
pub(crate) fn for_emission(func: &Func) -> Cow<'_, Func> {
    type Applies = fn(&Func) -> bool;
    let lists: [(Applies, &[Pass]); 4] = [
        (
            |func| has_locations(func) || has_unsettled_receivers(func),
            SETTLE,
        ),
        (may_skip, SKIP),
        (has_ties, TIES),
        (has_loops, LOOPS),
    ];
    let mut func = Cow::Borrowed(func);
    for (applies, passes) in lists {
        if applies(&func) {
            func = Cow::Owned(run(passes, func.into_owned()));
        }
    }
    func
}

/// The function after these passes.
pub(crate) fn run(passes: &[Pass], mut func: Func) -> Func {
    for (k, pass) in passes.iter().enumerate() {
        func = (pass.run)(func);
        if cfg!(test) || k + 1 == passes.len() {
            func = verified(func, pass.name);
        }
    }
    func
}

/// The function, if it is well formed.
pub(crate) fn verified(func: Func, after: &str) -> Func {
    match ir::verify(&func) {
        Ok(()) => func,
        Err(broken) => bug_at(
            Some(broken.span),
            broken
                .message
                .replacen('\n', &format!("; after {after}\n"), 1),
        ),
    }
}

#[cfg(test)]
mod tests {
    use proc_macro2::Span;

    use super::*;
    use crate::diagnostics::caught;
    use crate::ir::{Op, OpKind, UnaryOp, Value};

    /// A pass that reads a value before it is there.
    const WRONG: &[Pass] = &[Pass {
        name: "break it",
        run: |mut func| {
            let late = func.new_value(ir::Ty::F64, "late", Span::call_site());
            let op = Op::new(
                OpKind::Unary(UnaryOp::Neg, late),
                vec![late],
                func.name.span(),
            );
            func.body.ops.insert(0, op);
            assert_ne!(late, Value(0));
            func
        },
        then: "nothing",
    }];

    #[test]
    fn what_the_verifier_finds_names_the_pass_and_the_operation() {
        let func = crate::testing::primal("fn f(x: f64) -> f64 { x * x }");
        let found = caught(Span::call_site(), || Ok(run(WRONG, func).to_string()));
        let message = found.expect_err("a bug").to_string();
        let start = "a bug in chainrule, which this leads to: %2 is used outside of its scope; in `neg %2`; after break it\nhelp: ";
        assert!(message.starts_with(start), "{message}");
    }

    /// Prints the table if it isn't the one in the text, to be copied there.
    #[test]
    fn the_architecture_lists_the_passes() {
        let lists = [
            ("PRIMAL", PRIMAL),
            ("RULE", RULE),
            ("SETTLE", SETTLE),
            ("SKIP", SKIP),
            ("TIES", TIES),
            ("LOOPS", LOOPS),
        ];
        let rows = lists.into_iter().flat_map(|(list, passes)| {
            passes.iter().enumerate().map(move |(k, pass)| {
                assert!(!pass.then.is_empty(), "{}", pass.name);
                let list = if k == 0 { list } else { "" };
                format!("| {list} | `{}` | {} |\n", pass.name, pass.then)
            })
        });
        let rows: String = rows.collect();
        let table = format!("| list | pass | afterwards |\n|---|---|---|\n{rows}");
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../ARCHITECTURE.md");
        let text = std::fs::read_to_string(path).expect("the architecture");
        assert!(
            text.contains(&table),
            "ARCHITECTURE.md should have\n{table}"
        );
    }
}

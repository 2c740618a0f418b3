//! From the parsed function to the intermediate representation.
//!
//! Input: [`hir::Func`] and its [`Types`]. Output: [`ir::Func`], which satisfies [`ir::verify`].
//!
//! 1. [`REWRITINGS`] rewrite the syntax according to types, and [`exits`] makes values of `break`, `continue` and `return`.
//! 2. [`activity`] finds the variables that may depend on a differentiated parameter; [`disguised`] refuses numbers made of their bits.
//! 3. [`storage`] decides which variables are values, which are memory, and which are names for places.
//! 4. The rest of the modules walk the function once and emit operations.

mod activity;
mod alias;
mod arrays;
mod assign;
mod branch;
mod build_if;
mod builder;
mod call;
mod coerce;
mod collect;
mod concat;
mod constant_iterators;
mod constants;
mod containers;
mod deques;
mod disguised;
mod elements;
mod errors;
mod exits;
mod expand_references;
mod expr;
mod for_over_option;
mod foreign;
mod function;
mod loop_effects;
mod loop_references;
mod map_lookup;

mod borrowed_temporaries;
mod branch_merge;
mod call_results_as_lists;
mod checked_access;
mod collect_by_push;
mod heads;
mod hir_builder;
mod inline;
mod items;
mod keyed;
mod looping;
mod maps;
mod math;
mod memory;
mod method;
mod named_operators;
mod opaque;
mod operator;
mod option_of_reference;
mod optional_accumulators;
mod order;
mod params;
mod parts;
mod place;
mod points_to;
mod real;
mod references;
mod sites;
mod stepping;
mod stmt;
mod storage;
#[cfg(test)]
mod tests;
mod totals;

use crate::diagnostics::{Errors, error};
use crate::types::Types;
use crate::{hir, ir};

/// A rewriting of the syntax that depends on types.
enum Rewriting {
    Whole(fn(&mut hir::Func, &mut Types)),
    /// Of each expression, innermost first.
    Each(fn(&mut hir::Expr, &mut hir_builder::HirBuilder<'_>)),
}
use Rewriting::{Each, Whole};

/// In their order, each with the invariant that holds after it: each makes code that later ones look for, and none that earlier ones do.
const REWRITINGS: &[Rewriting] = &[
    // Methods of arrays, `Option`s and `bool`s that take closures are loops and matches.
    Whole(maps::resolve),
    // Operators that are called by name are operators.
    Each(named_operators::rewrite),
    // Arrays of the elements of slices are copied element by element.
    Each(arrays::rewrite),
    // `concat()` is a loop that extends a list.
    Each(concat::rewrite),
    // Conversions between lists and deques are methods with rules.
    Each(deques::rewrite),
    // Loops over constants whose elements have no positions here are over iterators that only rustc can resolve.
    Whole(constant_iterators::rewrite),
    // `collect()` of items without an initial value is a loop that pushes.
    Each(collect_by_push::rewrite),
    // Totals of the user's own types are calls with a list.
    Whole(totals::rewrite),
    // No loop is over an `Option` or a `Result`: those that the loops before it are over as well.
    Each(for_over_option::rewrite),
    // Look-ups by a reference to a key are gets of a map.
    Each(map_lookup::rewrite),
    // The ends of chains keep a scalar or an `Option`.
    Whole(optional_accumulators::rewrite),
    // Conversions of pointers to pointers to trait objects are explicit.
    Whole(coerce::rewrite),
    // Constant iterators that only rustc knows are stepped: those found before, too.
    Whole(stepping::rewrite),
];

/// Lowers a function; the errors are those of constructs that active values may not go through.
pub(crate) fn lower(func: &hir::Func, types: &Types) -> syn::Result<ir::Func> {
    let (mut func, mut types) = (func.clone(), types.clone());
    let mut errors = Errors::default();
    for rewrite in REWRITINGS {
        match rewrite {
            Whole(rewrite) => rewrite(&mut func, &mut types),
            Each(rewrite) => hir_builder::each_inside_first(&mut func, &mut types, *rewrite),
        }
    }
    exits::rewrite(&mut func, &mut types, &mut errors);
    if !errors.is_empty() {
        return errors.finish(builder::empty(&func));
    }
    let activity = activity::analyze(&func, &types);
    disguised::reject(&func, &types, &activity, &mut errors);
    if !errors.is_empty() {
        return errors.finish(builder::empty(&func));
    }
    let storage = storage::classify(&func, &types, &activity);
    let mut lowered = builder::Lowerer::new(&func, &types, &activity, &storage).func()?;
    elements::mark_written(&mut lowered);
    // Nothing has checked the user's types: where they don't fit, rustc says so about the primal.
    ir::verify(&lowered).map_err(|broken| {
        let first = broken.message.lines().next().unwrap_or_default();
        error(
            broken.span,
            format!("this can't be differentiated: {first}"),
            "if it compiles without `#[differentiable]`, please report it",
        )
    })?;
    Ok(lowered)
}

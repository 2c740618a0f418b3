//! From the parsed function to the intermediate representation.
//!
//! Input: [`hir::Func`] and its [`Types`]. Output: [`ir::Func`], which satisfies [`ir::verify`].
//!
//! 1. [`exits`] rewrites `break`, `continue` and `return` into values.
//! 2. [`activity`] finds the variables that may depend on a differentiated parameter.
//! 3. [`storage`] decides which variables are values, which are memory, and which are names for places.
//! 4. The rest of the modules walk the function once and emit operations.

mod activity;
mod alias;
mod arrays;
mod assign;
mod bodies;
mod branch;
mod builder;
mod by_key;
mod call;
mod carried;
mod chosen;
mod coerce;
mod collect;
mod concat;
mod constants;
mod containers;
mod decide;
mod deques;
mod elements;
mod errors;
mod exits;
mod expr;
mod flattened;
mod function;

mod heads;
mod items;
mod kept;
mod keyed;
mod lender;
mod listed;
mod looping;
mod maker;
mod maps;
mod math;
mod memory;
mod method;
mod named_operators;
mod opaque;
mod operator;
mod optional;
mod order;
mod own_iterators;
mod params;
mod parts;
mod perhaps;
mod place;
mod pushed;
mod real;
mod references;
mod sides;
mod sites;
mod stepping;
mod stmt;
mod storage;
mod target;
#[cfg(test)]
mod tests;

use crate::diagnostics::{Errors, error};
use crate::types::Types;
use crate::{hir, ir};

/// Lowers a function; the errors are those of constructs that active values may not go through.
pub(crate) fn lower(func: &hir::Func, types: &Types) -> syn::Result<ir::Func> {
    let (mut func, mut types) = (func.clone(), types.clone());
    let mut errors = Errors::default();
    maps::resolve(&mut func, &mut types);
    named_operators::rewrite(&mut func, &mut types);
    arrays::rewrite(&mut func, &mut types);
    concat::rewrite(&mut func, &mut types);
    deques::rewrite(&mut func, &mut types);
    pushed::rewrite(&mut func, &mut types);
    flattened::rewrite(&mut func, &mut types);
    by_key::rewrite(&mut func, &mut types);
    kept::rewrite(&mut func, &mut types);
    coerce::rewrite(&mut func, &mut types);
    own_iterators::rewrite(&mut func, &mut types);
    stepping::rewrite(&mut func, &mut types);
    exits::rewrite(&mut func, &mut types, &mut errors);
    if !errors.is_empty() {
        return errors.finish(builder::empty(&func));
    }
    let activity = activity::analyze(&func, &types);
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

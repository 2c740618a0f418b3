//! Derivatives of lists and of iterators over them: each function here is compared with independent references, in every mode. The rest of the base
//! language is in `tests/derivatives`.

#![forbid(unsafe_code)]
#![allow(
    clippy::all,
    clippy::pedantic,
    reason = "the functions under test are written as users may write them"
)]

use chainrule as ad;

#[path = "../derivatives/check/mod.rs"]
#[warn(clippy::all)]
#[allow(
    dead_code,
    unused_imports,
    unused_macros,
    reason = "each of the test binaries uses a part"
)]
mod check;

mod chained_ends;
mod collected_constants;
mod constant_iterators;
mod deques;
mod ends;
mod folds;
mod foreign_iterators;
mod grown_lists;
mod held_iterators;
mod iterators;
mod loops_over_parts;
mod mapped;
mod mixed_lists;
mod neighbours;
mod overwritten_lists;
mod prelude;
mod private_lists;
mod searches;
mod selections;
mod short_chains;
mod split_off_ends;
mod stepped;
mod stepped_lists;
mod strips;

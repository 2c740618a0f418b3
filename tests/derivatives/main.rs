//! Derivatives of the base language: each function here is compared with independent references, in every mode.

#![forbid(unsafe_code)]
#![allow(
    clippy::all,
    clippy::pedantic,
    reason = "the functions under test are written as users may write them"
)]

use chainrule as ad;

#[warn(clippy::all)]
#[allow(
    dead_code,
    unused_imports,
    unused_macros,
    reason = "each of the test binaries uses a part"
)]
mod check;

mod alternatives;
mod arithmetic;
mod arrays_vecs;
mod branches;
mod carried_slices;
mod casts_consts;
mod chained_ends;
mod checkpoints;
mod chosen_references;
mod collected_constants;
mod configured;
mod constant_iterators;
mod containers;
mod dependences;
mod deques;
mod destructured;
mod effects;
mod ends;
mod evaluation_order;
mod exits;
mod file_types;
mod filled_options;
mod first_order;
mod folds;
mod foreign_iterators;
mod generic_functions;
mod grown_lists;
mod guards;
mod handed_over;
mod held_iterators;
mod in_place;
mod inlined_functions;
mod inlined_methods;
mod iterators;
mod lent_results;
mod lists_of_references;
mod literals;
mod loops;
mod loops_over_parts;
mod mapped;
mod maps;
mod maps_in_fields;
mod matched_places;
mod memory;
mod mixed_lists;
mod mixtures;
mod moved_at_exits;
mod moves;
mod named_operators;
mod neighbours;
mod optional_references;
mod overwritten_lists;
mod own_types;
mod paired_options;
mod patterns;
mod prelude;
mod private_lists;
mod put_back;
mod recursive_methods;
mod running_indices;
mod same_module;
mod searches;
mod selections;
mod short_chains;
mod split_off_ends;
mod statics;
mod stepped;
mod stepped_lists;
mod stopped;
mod strips;
mod supported;
mod text;
mod while_loops;
mod written_through;

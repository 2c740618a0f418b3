//! Derivatives of the base language: each function here is compared with independent references, in every mode. Lists and iterators are in
//! `tests/iterators`.

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
mod checkpoints;
mod chosen_references;
mod configured;
mod containers;
mod dependences;
mod destructured;
mod effects;
mod evaluation_order;
mod exits;
mod file_types;
mod filled_options;
mod first_order;
mod generic_functions;
mod guards;
mod handed_over;
mod in_place;
mod inlined_functions;
mod inlined_methods;
mod joint_trips;
mod lent_results;
mod lists_of_references;
mod literals;
mod loops;
mod maps;
mod maps_in_fields;
mod matched_places;
mod memory;
mod mixtures;
mod moved_at_exits;
mod moves;
mod named_operators;
mod optional_references;
mod own_types;
mod paired_options;
mod patterns;
mod put_back;
mod recursive_methods;
mod running_indices;
mod same_module;
mod scratch_lists;
mod statics;
mod stopped;
mod supported;
mod text;
mod while_loops;
mod written_through;

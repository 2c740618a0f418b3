//! Derivatives of the base language: each function here is compared with independent references, in every mode.

#![allow(
    clippy::all,
    clippy::pedantic,
    reason = "the functions under test are written as users may write them"
)]

use chainrule as ad;

#[warn(clippy::all)]
mod check;
mod checker;

mod alternatives;
mod arithmetic;
mod arrays_vecs;
mod boxes;
mod branches;
mod builders;
mod by_path;
mod calls;
mod carried_slices;
mod casts_consts;
mod chosen_references;
mod closures;
mod collected_constants;
mod configured;
mod constant_fields;
mod constant_iterators;
mod constant_tables;
mod containers;
mod deferred;
mod deques;
mod drivers;
mod effects;
mod ends;
mod enums;
mod evaluation_order;
mod exits;
mod filled_options;
mod folds;
mod foreign_iterators;
mod function_arguments;
mod function_contexts;
mod function_tables;
mod functions;
mod generic_methods;
mod generics;
mod inactive;
mod indexing;
mod inferred;
mod items;
mod iterators;
mod lent;
mod lent_copies;
mod library;
mod lifetimes;
mod lists_of_references;
mod literals;
mod loops;
mod macros;
mod mapped;
mod maps;
mod maps_in_fields;
mod matched_places;
mod memory;
mod mixed;
mod moved_at_exits;
mod moves;
mod objects;
mod objects_made;
mod operators;
mod optional_references;
mod options;
mod overwritten_lists;
mod paired_options;
mod parts;
mod patterns;
mod primitives;
mod programs;
mod results;
mod scalars;
mod second_order;
#[cfg(feature = "special")]
mod short_chains;
mod special;
mod split_off_ends;
mod stepped;
mod structs;
mod supported;
mod text;
mod traits;
mod traps;
mod traps_mutation;
mod unannotated;
mod written_through;

//! Derivatives through functions, types and traits, and of whole programs: each function here is compared with independent references, in every
//! mode. The constructs of the base language are in `tests/derivatives`.

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

mod bits;
mod borrowed_errors;
mod boxes;
mod builders;
mod by_path;
mod calls;
mod checker;
mod choices;
mod closures;
mod combined_calls;
mod constant_fields;
mod constant_tables;
mod constants;
mod deferred;
mod differentiated_closures;
mod drivers;
mod enums;
mod explained;
mod flat;
mod function_arguments;
mod function_contexts;
mod function_tables;
mod functions;
mod generic_methods;
mod generics;
mod imported;
mod inactive;
mod indexing;
mod inferred;
mod items;
mod iterator_parameters;
mod lent;
mod lent_copies;
mod library;
mod lifetimes;
mod macros;
mod matrices;
mod mixed;
mod named_modules;
mod nested;
mod objects;
mod objects_made;
mod operators;
mod options;
mod parts;
mod primitives;
mod programs;
mod published;
mod questions;
mod results;
mod scalars;
mod scratch_buffers;
mod second_order;
mod several_directions;
mod shared_arguments;
mod single_methods;
mod sparse;
#[cfg(feature = "special")]
mod special;
mod std_traits;
mod structs;
mod traits;
mod traps;
mod traps_mutation;
mod unannotated;
mod unneeded;
mod untyped_closures;

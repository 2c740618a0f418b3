//! Derivatives through functions, types and traits: each function here is compared with independent references, in every mode. The constructs of the
//! base language are in `tests/derivatives`, whole programs in `tests/programs`.

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
mod borrowing_methods;
mod borrowing_structs;
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
mod enums;
mod foreign_floats;
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
mod made_of_references;
mod named_modules;
mod objects;
mod objects_made;
mod operators;
mod options;
mod other_modules;
mod own_names;
mod parts;
mod questions;
mod results;
mod scratch_buffers;
mod shared_arguments;
mod single_methods;
mod std_traits;
mod structs;
mod totals;
mod traits;
mod typed_members;
mod unannotated;
mod unneeded;
mod untyped_closures;
mod update_syntax;

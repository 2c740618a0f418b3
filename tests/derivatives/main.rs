//! Derivatives of the base language: each function here is compared with independent references, in every mode.

// What a rule does is tested where a function is written as a user would write it, not as a linter would like it.
#![allow(
    clippy::assign_op_pattern,
    clippy::manual_memcpy,
    clippy::manual_swap,
    clippy::needless_range_loop,
    clippy::suboptimal_flops
)]

use chainrule as ad;

mod check;
mod checker;

mod arithmetic;
mod arrays_vecs;
mod branches;
mod calls;
mod casts_consts;
mod deferred;
mod drivers;
mod exits;
mod functions;
mod loops;
mod macros;
mod memory;
mod second_order;
mod structs;

//! Rosenbrock's function.

// Indices, as in the definitions of the rows.
#![allow(clippy::needless_range_loop)]

#[path = "harness/group.rs"]
mod group;
mod harness;
#[path = "cases/rosenbrock.rs"]
mod rosenbrock;

fn main() {
    group::run(rosenbrock::cases);
}

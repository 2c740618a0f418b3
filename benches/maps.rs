//! A function of each element, into a fresh buffer.

// Indices, as in the definitions of the rows.
#![allow(clippy::needless_range_loop)]

#[path = "harness/group.rs"]
mod group;
mod harness;
#[path = "cases/maps.rs"]
mod maps;

fn main() {
    group::run(maps::cases);
}

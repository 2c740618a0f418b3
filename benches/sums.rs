//! Sums of terms, one after another.

// Indices, as in the definitions of the rows.
#![allow(clippy::needless_range_loop)]

#[path = "harness/group.rs"]
mod group;
mod harness;
#[path = "cases/sums.rs"]
mod sums;

fn main() {
    group::run(sums::cases);
}

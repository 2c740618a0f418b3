//! A function of each element, into a fresh buffer.

use rows::{cases::maps, harness::group};

fn main() {
    group::run(maps::cases);
}

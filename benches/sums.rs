//! Sums of terms, one after another.

use rows::{cases::sums, harness::group};

fn main() {
    group::run(sums::cases);
}

//! Rosenbrock's function.

use rows::{cases::rosenbrock, harness::group};

fn main() {
    group::run(rosenbrock::cases);
}

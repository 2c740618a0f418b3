//! Prints the numbers of the target that this is built for.

fn main() {
    print!("{}", targets::report(&targets::entries()));
}

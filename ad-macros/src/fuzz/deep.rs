//! Functions that nest as deeply as is let in end within the stack of rustc.

use proc_macro2::TokenStream;

use crate::depth::tests::{FORMS, deepest};

/// The stack of rustc's threads.
const STACK: usize = 8 << 20;

fn expand(form: &'static str) {
    let run = move || {
        let item: TokenStream = deepest(form).parse().expect("tokens");
        let started = std::time::Instant::now();
        let output = crate::entry::differentiable(TokenStream::new(), &item, None);
        println!(
            "{form}: {} characters, {} of output, {:?}",
            item.to_string().len(),
            output.to_string().len(),
            started.elapsed()
        );
    };
    let worker = std::thread::Builder::new().stack_size(STACK);
    worker
        .spawn(run)
        .expect("a thread")
        .join()
        .expect("no panic");
}

#[test]
fn the_deepest_sum() {
    expand("sum");
}

/// Run by hand: `cargo test -p ad-macros --lib deepest -- --ignored --nocapture`.
#[test]
#[ignore = "it takes a minute, and ends the process if it fails"]
fn the_deepest_functions_of_all_forms() {
    for form in FORMS {
        expand(form);
    }
}

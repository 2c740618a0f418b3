//! What the compiler says about code that it can't differentiate: one message for one mistake, at the smallest span, with what
//! to write instead.

/// The messages of rustc in between change from version to version.
#[rustversion::attr(not(stable(1.95)), ignore = "the messages are those of Rust 1.95")]
#[test]
fn messages() {
    trybuild::TestCases::new().compile_fail("tests/ui/*/*.rs");
}

//! Messages about code that can't be differentiated: one message for one mistake, at the smallest span, with what
//! to write instead.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Messages in which rustc points at a declaration of the standard library. It quotes the declaration if the sources of the library are installed
/// (the component `rust-src`). The recorded messages are those without it.
const WITH_DECLARATIONS_OF_STD: [&str; 3] = [
    "primitive/equations.rs",
    "types/numbers_that_do_not_fit.rs",
    "types/wrong_arguments_of_a_method.rs",
];

/// The messages of rustc in between change from version to version.
#[rustversion::attr(not(stable(1.95)), ignore = "the messages are those of Rust 1.95")]
#[test]
fn messages() {
    let cases = trybuild::TestCases::new();
    if !has_sources_of_std() {
        cases.compile_fail("tests/ui/*/*.rs");
        return;
    }
    println!("not compared, since `rust-src` is installed: {WITH_DECLARATIONS_OF_STD:?}");
    let depends_on_std = |file: &PathBuf| {
        WITH_DECLARATIONS_OF_STD
            .iter()
            .any(|case| file.ends_with(case))
    };
    for file in programs().filter(|file| !depends_on_std(file)) {
        cases.compile_fail(file);
    }
}

fn has_sources_of_std() -> bool {
    let rustc = Command::new("rustc").args(["--print", "sysroot"]).output();
    let sysroot = rustc.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    sysroot.is_ok_and(|root| Path::new(root.trim()).join("lib/rustlib/src/rust").exists())
}

/// All programs, in the order of their names.
fn programs() -> impl Iterator<Item = PathBuf> {
    let entries = |folder: PathBuf| {
        let mut files: Vec<_> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        files.sort();
        files
    };
    let folders = entries("tests/ui".into()).into_iter();
    let files = folders.flat_map(entries);
    files.filter(|file| file.extension().is_some_and(|extension| extension == "rs"))
}

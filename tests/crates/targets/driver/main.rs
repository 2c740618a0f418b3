//! Builds the functions of this package for several targets, runs them there, and compares all numbers with those of this machine.
//!
//! ```text
//! cargo run -p targets                     # all targets that are installed
//! cargo run -p targets -- wasm32 s390x     # those whose names contain a word
//! cargo run -p targets -- --require        # a target that can't be tried is an error
//! ```
//!
//! It says what it skips, and why.

mod build;
mod compare;
mod list;
mod run;

use std::env;
use std::error::Error;
use std::process::ExitCode;

use compare::{Difference, compare};
use list::{Functions, How, Target};
use targets::Entry;

/// The program only prints its errors, so that a message is enough.
type Result<T> = std::result::Result<T, Box<dyn Error>>;

const USAGE: &str = "\
Compares derivatives that several targets compute with those of this machine.

usage: cargo run -p targets [-- [--require] [WORD..]]

  --require    a target that can't be tried is an error
  WORD         only targets whose names contain one of the words";

fn main() -> ExitCode {
    let (mut is_required, mut words) = (false, Vec::new());
    for argument in env::args().skip(1) {
        match argument.as_str() {
            "--require" => is_required = true,
            "--help" => {
                println!("{USAGE}");
                return ExitCode::SUCCESS;
            }
            option if option.starts_with('-') => {
                eprintln!("{USAGE}");
                return ExitCode::from(2);
            }
            _ => words.push(argument),
        }
    }
    match check(is_required, &words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn check(is_required: bool, words: &[String]) -> Result<()> {
    let host = build::host()?;
    let native = targets::entries();
    let mut failures = Vec::new();
    let mut skipped = 0;
    for functions in [Functions::Std, Functions::Libm] {
        let mut chosen = Vec::new();
        for target in list::all(&host, functions) {
            let is_named = words
                .iter()
                .any(|word| target.triple.contains(word.as_str()));
            // The numbers of this machine are what those of others are compared with.
            let is_needed = functions == Functions::Libm && target.triple == host;
            if !(words.is_empty() || is_named || is_needed) {
                continue;
            }
            match run::missing(&target) {
                None => chosen.push(target),
                Some(what) => {
                    skipped += 1;
                    println!("{:<27} skipped: {what}", target.triple);
                }
            }
        }
        build::all(&chosen, functions)?;
        let mut reference = native.clone();
        for target in &chosen {
            if let How::Built = target.how {
                println!("{:<27} {functions:<5} built", target.triple);
                continue;
            }
            let entries = run::run(target)?;
            let (close, with) = if functions == Functions::Std || target.triple == host {
                (Some(compare::ULPS), &native)
            } else {
                // The functions of the crate `libm` are Rust code, whose bits are the same everywhere.
                (None, &reference)
            };
            match compare(&entries, with, close) {
                Ok(differences) => print(target, functions, &entries, &differences),
                Err(message) => failures.push(format!("{} {functions}: {message}", target.triple)),
            }
            if target.triple == host {
                reference = entries;
            }
        }
    }
    if !failures.is_empty() {
        return Err(failures.join("\n").into());
    }
    if is_required && skipped > 0 {
        return Err(format!("{skipped} targets were skipped").into());
    }
    Ok(())
}

/// How many numbers agree, and by how much the others differ.
fn print(target: &Target, functions: Functions, entries: &[Entry], differences: &[Difference]) {
    let all: usize = entries.iter().map(|entry| entry.numbers.len()).sum();
    let other: usize = differences.iter().map(|d| d.count).sum();
    let mut largest: Vec<&Difference> = differences.iter().collect();
    largest.sort_by(|a, b| b.ulps.cmp(&a.ulps).then(a.name.cmp(&b.name)));
    let largest: Vec<String> = largest
        .iter()
        .map(|d| format!("{} {}", d.name, d.ulps))
        .collect();
    let how = match target.how {
        How::Native => "native",
        How::Node => "Node",
        How::Emulated { .. } => "QEMU",
        How::Built => "built",
    };
    print!("{:<27} {functions:<5} {how:<7}", target.triple);
    print!(" {} numbers with equal bits", all - other);
    if other > 0 {
        print!(
            ", {other} others, of which the ulps are: {}",
            largest.join(", ")
        );
    }
    println!();
}

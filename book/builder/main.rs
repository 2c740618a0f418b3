//! Builds the book, and checks it.
//!
//! ```text
//! cargo run -p chainrule-book               # writes target/book/index.html
//! cargo run -p chainrule-book -- --check    # the same, then follows its links, and opens it in headless Chromium
//! ```
//!
//! The chapters of `src/guide` are written for rustdoc. The builder rewrites their links, headings and code blocks for mdBook. Chapters that only the
//! book has are in `book/src`. `book/src/SUMMARY.md` is the order of all of them.

// The same code drives the browser for the page of `examples/web`.
#[path = "../../examples/web/builder/browser.rs"]
mod browser;
mod chapters;
mod check;
mod documentation;
mod html;
mod rewrite;

use std::env;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The builder only prints its errors, so that a message is enough.
type Result<T> = std::result::Result<T, Box<dyn Error>>;

const USAGE: &str = "\
Builds the book of chainrule.

usage: cargo run -p chainrule-book [-- --check]

  --check    follows all links inside of the book and to the crate's documentation, opens pages in headless Chromium, and takes screenshots";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let is_checked = match arguments.as_slice() {
        [] => false,
        [only] if only == "--check" => true,
        [only] if only == "--help" => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match run(is_checked) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(is_checked: bool) -> Result<()> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let target = target_folder()?;
    let documentation = documentation::Documentation::find(package, &target)?;
    let book = target.join("book");
    let chapters = chapters::build(package, &target, &book, &documentation)?;
    println!("book        {}", book.join("index.html").display());
    if is_checked {
        check::links(&book, &target.join("doc"))?;
        check::pages(&target, &book, &chapters)?;
    }
    Ok(())
}

/// The folder that cargo builds to: the builder is `debug/chainrule-book` or the like in it.
fn target_folder() -> Result<PathBuf> {
    let program = env::current_exe()?;
    let folder = program.ancestors().nth(2);
    Ok(folder.ok_or("the builder is in no target folder")?.into())
}

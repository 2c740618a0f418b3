//! Builds the page, and checks it in a browser.
//!
//! ```text
//! cargo run -p chainrule-web               # writes target/web/index.html
//! cargo run -p chainrule-web -- --check    # the same, then opens it in headless Chromium
//! ```

mod browser;
mod check;
mod compile;
mod emitted;
mod node;
mod page;

use std::env;
use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

/// The builder only prints its errors, so that a message is enough.
type Result<T> = std::result::Result<T, Box<dyn Error>>;

const USAGE: &str = "\
Builds a page in the browser: a curve that follows its gradient to the data.

usage: cargo run -p chainrule-web [-- --check]

  --check    opens the page in headless Chromium, compares its fits with native ones, and takes screenshots";

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
    let build = compile::library(package)?;
    let module = compile::bindings(&build.wasm)?;
    let rules = emitted::rules(package, &build)?;
    let folder = build.target_folder()?.join("web");
    fs::create_dir_all(&folder)?;
    let file = folder.join("index.html");
    let text = page::assemble(&package.join("page"), &module, &rules)?;
    fs::write(&file, &text)?;
    let (page, wasm) = (text.len() / 1024, module.wasm.len() / 1024);
    println!(
        "page        {} ({page} KiB, of it {wasm} KiB of WebAssembly before base64)",
        file.display()
    );
    if is_checked {
        node::check(&folder, &module)?;
        check::run(&folder, &file)?;
    }
    Ok(())
}

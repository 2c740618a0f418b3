//! What published crates make of `#[differentiable]`.
//!
//! ```text
//! cargo run -p foreign -- run                    # all crates of crates.txt; writes REPORT.md
//! cargo run -p foreign -- run roots puruspe      # some of them; prints what is refused, and why
//! ```

mod annotate;
mod judge;
mod kinds;
mod report;
mod rounds;
mod rustc;
mod sources;
mod subjects;
mod tester;

use std::fs;
use std::io;

use clap::Parser;

use sources::{Folders, Pinned};

/// Annotates published crates, and counts what compiles.
#[derive(Parser)]
enum Command {
    /// Annotates crates, compiles them, and checks the rules of what compiles.
    Run {
        /// Crates of crates.txt; all, if none is named.
        names: Vec<String>,
        /// Don't check rules.
        #[arg(long)]
        no_checks: bool,
        /// Count what earlier runs kept, of the crates that aren't named.
        #[arg(long)]
        report: bool,
    },
}

fn main() -> io::Result<()> {
    let Command::Run {
        names,
        no_checks,
        report,
    } = Command::parse();
    let folders = Folders::here();
    let pinned = Pinned::list(include_str!("../crates.txt"));
    if let Some(name) = names
        .iter()
        .find(|name| pinned.iter().all(|pinned| pinned.name != **name))
    {
        return Err(io::Error::other(format!("{name} isn't in crates.txt")));
    }
    let mut rows = Vec::new();
    for pinned in &pinned {
        let kept = folders.work.join("kept").join(&pinned.name);
        let wanted = names.is_empty() && !report || names.contains(&pinned.name);
        if wanted {
            eprintln!("{} {}", pinned.name, pinned.version);
            let row = match rounds::run(&folders, pinned) {
                Ok(mut done) => {
                    if !no_checks {
                        tester::check(&folders, &mut done)?;
                    }
                    let details = folders.work.join("details");
                    fs::create_dir_all(&details)?;
                    fs::write(
                        details.join(format!("{}.md", pinned.name)),
                        report::details(&done),
                    )?;
                    report::row(pinned, &done)
                }
                Err(error) => {
                    eprintln!("  {error}");
                    continue;
                }
            };
            eprintln!("  {}", row.line());
            fs::create_dir_all(kept.parent().expect("a file is in a folder"))?;
            fs::write(&kept, row.kept())?;
            rows.push(row);
        } else if let Some(row) = fs::read_to_string(&kept)
            .ok()
            .and_then(|text| report::Row::read(&text))
        {
            rows.push(row);
        }
    }
    let text = report::report(&rows);
    if names.is_empty() || report {
        fs::write(folders.root.join("foreign").join("REPORT.md"), &text)?;
    } else {
        rows.retain(|row| names.contains(&row.name));
        println!("{}", report::report(&rows));
    }
    Ok(())
}

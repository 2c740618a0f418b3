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
use std::time::{Duration, Instant};

use clap::Parser;

use sources::{Folders, Pinned};

/// Annotates published crates, and counts what compiles.
#[derive(Parser)]
enum Command {
    /// Annotates crates, compiles them, and checks the rules of what compiles.
    Run {
        /// Crates of crates.txt, in the order in which they are to run; all, if none is named.
        names: Vec<String>,
        /// Don't check rules.
        #[arg(long)]
        no_checks: bool,
        /// Count what earlier runs kept, of the crates that aren't named.
        #[arg(long)]
        report: bool,
        /// Give a crate up that has more rounds to go after this many minutes.
        #[arg(long)]
        minutes: Option<u64>,
    },
}

fn main() -> io::Result<()> {
    let Command::Run {
        names,
        no_checks,
        report,
        minutes,
    } = Command::parse();
    let folders = Folders::here();
    let pinned = Pinned::list(include_str!("../crates.txt"));
    let mut wanted = Vec::new();
    for name in &names {
        let Some(pinned) = pinned.iter().find(|pinned| pinned.name == *name) else {
            return Err(io::Error::other(format!("{name} isn't in crates.txt")));
        };
        wanted.push(pinned);
    }
    if names.is_empty() && !report {
        wanted = pinned.iter().collect();
    }
    let kept = folders.work.join("kept");
    let details = folders.work.join("details");
    fs::create_dir_all(&kept)?;
    fs::create_dir_all(&details)?;
    for pinned in &wanted {
        let kept = kept.join(&pinned.name);
        let _ = fs::remove_file(&kept);
        eprintln!("{} {}", pinned.name, pinned.version);
        let start = Instant::now();
        let end = minutes.map(|minutes| start + Duration::from_secs(60 * minutes));
        let mut done = match rounds::run(&folders, pinned, end) {
            Ok(done) => done,
            Err(error) => {
                eprintln!("  {error}");
                continue;
            }
        };
        if !no_checks {
            tester::check(&folders, &mut done)?;
        }
        fs::write(
            details.join(format!("{}.md", pinned.name)),
            report::details(&done),
        )?;
        let row = report::row(pinned, &done);
        eprintln!("  {} s; {}", start.elapsed().as_secs(), row.line());
        fs::write(&kept, row.kept())?;
    }
    let everything = names.is_empty() || report;
    let shown = pinned
        .iter()
        .filter(|pinned| everything || names.contains(&pinned.name));
    let rows: Vec<_> = shown
        .filter_map(|pinned| report::Row::read(&fs::read_to_string(kept.join(&pinned.name)).ok()?))
        .collect();
    let text = report::report(&rows);
    if everything {
        fs::write(folders.root.join("foreign").join("REPORT.md"), &text)?;
    } else {
        println!("{text}");
    }
    Ok(())
}

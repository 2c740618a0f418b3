//! Derivatives of the same functions by several tools, each in units of the function's own time:
//!
//! ```text
//! cargo bench --bench tools
//! cargo bench --bench tools -- rosenbrock hessian
//! cargo bench --bench tools -- --markdown tools.md
//! ```
//!
//! The functions are written for each tool as its documentation writes them. All derivatives of a row are compared with
//! each other before anything is measured.

// Loops by index, in each of the versions.
#[allow(clippy::needless_range_loop)]
mod kernels;
mod row;
#[path = "../../examples/support/timing.rs"]
mod timing;

use clap::Parser;
use row::{Row, TOOLS, Times};
use rows::harness::ratios::seconds;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

/// Measures derivatives by several tools in units of the function.
#[derive(Parser)]
struct Options {
    /// Only the rows whose names contain one of these
    names: Vec<String>,

    /// Write the table as Markdown to this file
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,

    /// Compare the derivatives and stop
    #[arg(long)]
    check: bool,

    /// Passed by cargo
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> ExitCode {
    let options = Options::parse();
    let mut rows = kernels::all();
    if !options.names.is_empty() {
        rows.retain(|row| options.names.iter().any(|name| row.name.contains(name)));
    }
    if rows.is_empty() {
        eprintln!("error: no row has such a name");
        return ExitCode::FAILURE;
    }
    for row in &rows {
        row.check();
    }
    if options.check {
        println!("all derivatives of {} rows agree", rows.len());
        return ExitCode::SUCCESS;
    }
    let mut table = format!(
        "| function | value |{}\n|---|---|{}\n",
        TOOLS.map(|tool| format!(" {tool} |")).concat(),
        "---|".repeat(TOOLS.len())
    );
    for row in &rows {
        writeln!(table, "{}", line(row, &row.measure())).expect("text");
        println!("{}", table.lines().last().expect("a line"));
    }
    println!("\n{table}");
    if let Some(file) = options.markdown
        && let Err(error) = std::fs::write(&file, table)
    {
        eprintln!("error: {}: {error}", file.display());
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

/// A line of the table: the time of the value, and those of the derivatives divided by it.
fn line(row: &Row, times: &Times) -> String {
    let cells = times.derivatives.map(|time| match time {
        Some(time) => format!(" {} |", ratio(time / times.value)),
        None => " |".to_owned(),
    });
    format!(
        "| {} | {} |{}",
        row.name,
        seconds(times.value),
        cells.concat()
    )
}

/// Two or three digits.
fn ratio(ratio: f64) -> String {
    let digits = usize::from(ratio < 100.0) + usize::from(ratio < 10.0);
    format!("{ratio:.*}", digits.min(1))
}

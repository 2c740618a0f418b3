//! The table of ratios for all rows, or for those whose names contain one of the arguments:
//!
//! ```text
//! cargo bench --bench ratios
//! cargo bench --bench ratios -- sum rosenbrock
//! ```
//!
//! `--list` prints the names of the rows. `--run ROW --which WHICH --calls N` runs one side of a row and measures
//! nothing; it is there for profilers and for `callgrind.sh`.

use clap::Parser;
use rows::cases;
use rows::harness::case::Which;
use rows::harness::ratios;
use std::process::ExitCode;

/// Measures value and gradient in units of the value.
#[derive(Parser)]
struct Options {
    /// Only the rows whose names contain one of these
    names: Vec<String>,

    /// Print the names of the rows and stop
    #[arg(long)]
    list: bool,

    /// Run this row without measuring anything
    #[arg(long, value_name = "ROW", conflicts_with = "list")]
    run: Option<String>,

    /// Which side of the row to run
    #[arg(long, requires = "run", default_value = "ours")]
    which: Which,

    /// How often to run it
    #[arg(long, requires = "run", default_value_t = 1)]
    calls: u32,

    /// Passed by cargo
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> ExitCode {
    let options = Options::parse();
    let mut cases = cases::all();
    if let Some(row) = &options.run {
        return match cases.iter_mut().find(|case| case.name() == row) {
            Some(case) => {
                case.run_counted(options.which, options.calls);
                ExitCode::SUCCESS
            }
            None => fail(&format!("there is no row {row}; --list names them")),
        };
    }
    if !options.names.is_empty() {
        cases.retain(|case| options.names.iter().any(|name| case.name().contains(name)));
    }
    if cases.is_empty() {
        return fail("no row has such a name; --list names them");
    }
    if options.list {
        for case in &cases {
            println!("{}", case.name());
        }
    } else {
        ratios::print(cases);
    }
    ExitCode::SUCCESS
}

fn fail(message: &str) -> ExitCode {
    eprintln!("error: {message}");
    ExitCode::FAILURE
}

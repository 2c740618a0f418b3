//! The parts that the examples share: reading tables, an optimiser, a check of the gradient, summaries of Markov
//! chains, timing, and plots.

pub mod chains;
pub mod differences;
pub mod fit;
pub mod plot;
pub mod table;
mod timing;

use std::error::Error;
use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// The examples only print their errors, so that a message is enough.
pub type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Prints what `run` reports; an error goes to stderr and makes the exit code 1.
pub fn report(run: impl FnOnce() -> Result<String>) -> ExitCode {
    match run().and_then(|report| print(&report)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Nobody is left to be told if stderr is closed as well.
            let _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Writes to stdout; a reader that has seen enough (`| head -1`) is not an error.
fn print(report: &str) -> Result<()> {
    match io::stdout().write_all(report.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(format!("cannot write to stdout: {error}").into())
        }
        _ => Ok(()),
    }
}

/// The times of a value, and of a value with its gradient.
pub struct Speed([f64; 2]);

impl Speed {
    /// Times `run`, which computes the gradient as well if it is passed `true`.
    pub fn measure(mut run: impl FnMut(bool) -> f64) -> Speed {
        Speed(timing::interleaved(
            Duration::from_millis(2),
            [false, true],
            &mut run,
        ))
    }

    /// Adds a line to the report.
    ///
    /// # Errors
    ///
    /// Never: a `String` takes everything.
    pub fn describe(&self, report: &mut String) -> fmt::Result {
        let Speed([value, both]) = self;
        fmt::Write::write_fmt(
            report,
            format_args!(
                "speed     value {:.2} us, value and gradient {:.2} us: {:.2} times the value\n",
                1e6 * value,
                1e6 * both,
                both / value
            ),
        )
    }
}

/// The data set `name` that comes with the examples.
pub fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("data")
        .join(name)
}

//! The table of ratios: what a value and a gradient cost in units of what the value costs.

use super::case::{Case, Which};
use super::timing::{interleaved, median};
use std::fmt;
use std::time::Duration;

/// How often each case is measured; odd, so that there is a middle.
pub const RUNS: usize = 7;
/// How long the calls of one action are timed at a stretch.
const SLICE: Duration = Duration::from_millis(1);

/// Checks and measures the cases and prints a line for each.
///
/// # Panics
///
/// When a gradient is wrong.
pub fn print(cases: Vec<Case>) {
    println!("\nmedians of {RUNS} interleaved runs (lowest to highest)\n");
    println!(
        "{:<24} {:>12} {:>20} {:>20} {:>20}",
        "case", "primal", "chainrule / primal", "hand / primal", "chainrule / hand"
    );
    for mut case in cases {
        case.check();
        let name = case.name();
        let runs: Vec<[f64; 3]> = (0..RUNS).map(|_| measure(&mut case)).collect();
        let column = |of: fn(&[f64; 3]) -> f64| Column::new(runs.iter().map(of).collect());
        println!(
            "{name:<24} {:>12} {:>20} {:>20} {:>20}",
            seconds(column(|run| run[0]).median),
            column(|run| run[1] / run[0]).to_string(),
            column(|run| run[2] / run[0]).to_string(),
            column(|run| run[1] / run[2]).to_string(),
        );
    }
}

/// Seconds for the primal, for chainrule and for the hand-written adjoint, without what the call costs.
pub fn measure(case: &mut Case) -> [f64; 3] {
    let all = [Which::Empty, Which::Primal, Which::Ours, Which::Hand];
    let [empty, times @ ..] = interleaved(SLICE, all, |which| case.run(which));
    times.map(|time| time - empty)
}

/// A median with its spread.
struct Column {
    median: f64,
    lowest: f64,
    highest: f64,
}

impl Column {
    fn new(mut values: Vec<f64>) -> Self {
        Column {
            median: median(&mut values),
            lowest: values[0],
            highest: values[values.len() - 1],
        }
    }
}

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Column {
            median,
            lowest,
            highest,
        } = self;
        write!(f, "{median:.2} ({lowest:.2}-{highest:.2})")
    }
}

/// A time with a unit in which it is between 1 and 1000.
pub fn seconds(time: f64) -> String {
    match time {
        ..1e-6 => format!("{:.1} ns", 1e9 * time),
        ..1e-3 => format!("{:.2} us", 1e6 * time),
        _ => format!("{:.2} ms", 1e3 * time),
    }
}

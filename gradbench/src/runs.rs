//! How often a function is run, and what its runs took.

use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

/// How long a function is to be run: until both are reached.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub struct Limits {
    /// The least number of runs.
    #[serde(default)]
    pub min_runs: u64,
    /// The least time of all runs together, in seconds.
    #[serde(default)]
    pub min_seconds: f64,
}

/// What one run took.
#[derive(Clone, Debug, Serialize)]
pub struct Timing {
    name: &'static str,
    nanoseconds: u128,
}

/// Runs `run` at least once and until the limits are reached. The clock is around `run` alone.
pub fn repeat(limits: Limits, mut run: impl FnMut()) -> Vec<Timing> {
    let mut timings = Vec::new();
    let mut total = Duration::ZERO;
    while timings.is_empty()
        || (timings.len() as u64) < limits.min_runs
        || total.as_secs_f64() < limits.min_seconds
    {
        let start = Instant::now();
        run();
        let time = start.elapsed();
        total += time;
        timings.push(Timing {
            name: "evaluate",
            nanoseconds: time.as_nanos(),
        });
    }
    timings
}

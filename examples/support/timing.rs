//! Timing that holds on a machine that does other things as well.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// How often the actions take turns; odd, so that there is a middle.
const TURNS: usize = 15;

/// Seconds for one `run` of each action: the medians over slices of about `slice` in which the actions take
/// turns, so that what slows the machine down for a while slows all of them.
pub(crate) fn interleaved<A: Copy, const N: usize>(
    slice: Duration,
    actions: [A; N],
    mut run: impl FnMut(A) -> f64,
) -> [f64; N] {
    let calls = actions.map(|action| calls_within(slice, || run(action)));
    let mut times = [const { Vec::new() }; N];
    for _ in 0..TURNS {
        for ((times, &action), &calls) in times.iter_mut().zip(&actions).zip(&calls) {
            times.push(seconds(calls, || run(action)) / f64::from(calls));
        }
    }
    times.map(|mut times| median(&mut times))
}

/// The middle one of an odd number of values, which are sorted.
pub(crate) fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// How many calls fit into `slice`, at least one. This warms the action up as well.
fn calls_within(slice: Duration, mut run: impl FnMut() -> f64) -> u32 {
    let mut calls = 1;
    while calls < 1 << 30 && seconds(calls, &mut run) < slice.as_secs_f64() {
        calls *= 2;
    }
    calls
}

/// Seconds for `calls` calls.
fn seconds(calls: u32, mut run: impl FnMut() -> f64) -> f64 {
    let start = Instant::now();
    for _ in 0..calls {
        black_box(run());
    }
    start.elapsed().as_secs_f64()
}

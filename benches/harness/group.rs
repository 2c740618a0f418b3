//! Runs rows under criterion, then prints their table of ratios.

use crate::harness::case::{Case, Which};
use crate::harness::ratios;
use criterion::Criterion;
use std::time::Duration;

/// The `main` of a benchmark file: each case under criterion, and a table at the end.
///
/// # Panics
///
/// When a gradient is wrong.
pub fn run(cases: fn() -> Vec<Case>) {
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .sample_size(30)
        .configure_from_args();
    for mut case in cases() {
        case.check();
        let mut group = criterion.benchmark_group(case.name());
        for (label, which) in [
            ("primal", Which::Primal),
            ("chainrule", Which::Ours),
            ("hand", Which::Hand),
        ] {
            group.bench_function(label, |bencher| bencher.iter(|| case.run(which)));
        }
        group.finish();
    }
    criterion.final_summary();
    ratios::print(cases());
}

//! The tables and the plot: what a form costs in units of the adjoint by hand of its kernel.

use crate::Kernel;
use rows::harness::ratios::{RUNS, measure, seconds};
use std::fmt::Write as _;

/// A form that takes longer than this, in units of the adjoint by hand, is counted as slow.
const SLOW: f64 = 1.3;

/// The measurements of a form.
struct Row {
    form: &'static str,
    /// Seconds for the value.
    primal: f64,
    /// Value and gradient, in units of the value.
    ours: f64,
    /// The same by hand.
    hand: f64,
    /// Value and gradient in units of those by hand.
    ratio: f64,
}

/// The measurements of a kernel.
pub(crate) struct Measured {
    kernel: &'static str,
    forms: Vec<Row>,
}

/// Measures all forms of the kernels that `kernels` makes, and prints a line for each.
///
/// Each side's time is that of its fastest run: in some runs one side alone takes several times as long, be it for where
/// its buffers stand. So they are made anew for each run, while those before are still there.
pub(crate) fn measured(kernels: impl Fn() -> Vec<Kernel>) -> Vec<Measured> {
    let mut before = kernels();
    let mut runs: Vec<Vec<Vec<[f64; 3]>>> = before
        .iter()
        .map(|kernel| vec![Vec::new(); kernel.forms.len()])
        .collect();
    for run in 1..=RUNS {
        eprintln!("run {run} of {RUNS}");
        let mut now = kernels();
        for (kernel, runs) in now.iter_mut().zip(&mut runs) {
            for (case, runs) in kernel.forms.iter_mut().zip(runs) {
                runs.push(measure(case));
            }
        }
        before = now;
    }
    heading();
    before
        .iter()
        .zip(&runs)
        .map(|(kernel, runs)| printed(kernel, runs))
        .collect()
}

fn heading() {
    println!(
        "\nthe fastest of {RUNS} runs in which the sides take turns; * marks forms above {SLOW}\n"
    );
    println!(
        "{:<15} {:<18} {:>10} {:>18} {:>14} {:>17}",
        "kernel", "form", "value", "chainrule / value", "hand / value", "chainrule / hand"
    );
}

/// Prints what was measured of a kernel.
fn printed(kernel: &Kernel, runs: &[Vec<[f64; 3]>]) -> Measured {
    let mut rows = Vec::new();
    for (case, runs) in kernel.forms.iter().zip(runs) {
        let fastest = |side: usize| {
            runs.iter()
                .map(|run| run[side])
                .fold(f64::INFINITY, f64::min)
        };
        let [primal, ours, hand] = [0, 1, 2].map(fastest);
        let row = Row {
            form: case.name(),
            primal,
            ours: ours / primal,
            hand: hand / primal,
            ratio: ours / hand,
        };
        println!(
            "{:<15} {:<18} {:>10} {:>18.2} {:>14.2} {:>17.2}{}",
            kernel.name,
            row.form,
            seconds(row.primal),
            row.ours,
            row.hand,
            row.ratio,
            if row.ratio > SLOW { " *" } else { "" },
        );
        rows.push(row);
    }
    Measured {
        kernel: kernel.name,
        forms: rows,
    }
}

/// The ratios of a kernel, or of all.
struct Summary {
    forms: usize,
    median: f64,
    best: f64,
    worst: f64,
    slow: usize,
}

impl Summary {
    fn new<'a>(kernels: impl IntoIterator<Item = &'a Measured>) -> Option<Summary> {
        let kernels = kernels.into_iter();
        let all: Vec<f64> = kernels
            .flat_map(|kernel| kernel.forms.iter().map(|row| row.ratio))
            .collect();
        Some(Summary {
            forms: all.len(),
            median: median(all.iter().copied()),
            best: all.iter().copied().reduce(f64::min)?,
            worst: all.iter().copied().reduce(f64::max)?,
            slow: all.iter().filter(|ratio| **ratio > SLOW).count(),
        })
    }
}

/// Prints a line for each kernel and one for all.
pub(crate) fn summary(kernels: &[Measured]) {
    println!(
        "\n{:<15} {:>6} {:>8} {:>8} {:>8} {:>8} {:>10}",
        "kernel", "forms", "median", "best", "worst", "spread", "above 1.3"
    );
    let line = |name, summary: Option<Summary>| {
        if let Some(s) = summary {
            println!(
                "{name:<15} {:>6} {:>8.2} {:>8.2} {:>8.2} {:>8.2} {:>10}",
                s.forms,
                s.median,
                s.best,
                s.worst,
                s.worst / s.best,
                s.slow,
            );
        }
    };
    for kernel in kernels {
        line(kernel.kernel, Summary::new([kernel]));
    }
    line("all", Summary::new(kernels));
}

/// The same as a table in Markdown.
pub(crate) fn markdown(kernels: &[Measured]) -> String {
    let mut text = "| kernel | chainrule / hand-written of each form (chainrule / value) | median | worst | spread | \
                    above 1.3 |\n|---|---|---|---|---|---|\n"
        .to_owned();
    for kernel in kernels {
        let Some(s) = Summary::new([kernel]) else {
            continue;
        };
        let forms: Vec<String> = kernel
            .forms
            .iter()
            .map(|row| format!("`{}` {:.2} ({:.1})", row.form, row.ratio, row.ours))
            .collect();
        _ = writeln!(
            text,
            "| {} | {} | {:.2} | {:.2} | {:.2} | {} |",
            kernel.kernel,
            forms.join(", "),
            s.median,
            s.worst,
            s.worst / s.best,
            s.slow,
        );
    }
    if let Some(s) = Summary::new(kernels) {
        _ = writeln!(
            text,
            "| all, {} forms | | {:.2} | {:.2} | {:.2} | {} |",
            s.forms,
            s.median,
            s.worst,
            s.worst / s.best,
            s.slow,
        );
    }
    text
}

/// The same as a plot: a row for each kernel, a dot for each form.
pub(crate) fn svg(kernels: &[Measured]) -> String {
    const LEFT: f64 = 110.0;
    const WIDTH: f64 = 660.0;
    const TOP: f64 = 45.0;
    const STEP: f64 = 26.0;
    let worst = Summary::new(kernels).map_or(1.0, |s| s.worst);
    let (lowest, highest): (f64, f64) = (0.8, (1.1 * worst).max(4.0));
    let place = |ratio: f64| LEFT + WIDTH * (ratio / lowest).ln() / (highest / lowest).ln();
    let bottom = TOP + STEP * kernels.len() as f64;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 800 {0}\" width=\"800\" height=\"{0}\" \
         font-family=\"sans-serif\" font-size=\"14\">\n<rect width=\"800\" height=\"{0}\" fill=\"#fff\"/>\n\
         <text x=\"400\" y=\"24\" font-size=\"18\" text-anchor=\"middle\">Time of value and gradient, each form of a \
         kernel</text>\n",
        bottom + 60.0,
    );
    for tick in [1.0, SLOW, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0] {
        if tick > highest {
            break;
        }
        let (x, slow) = (place(tick), tick == SLOW);
        let (colour, dashes) = if slow {
            ("#d95f02", " stroke-dasharray=\"5 4\"")
        } else {
            ("#ccc", "")
        };
        _ = writeln!(
            text,
            "<line x1=\"{x:.1}\" y1=\"{TOP}\" x2=\"{x:.1}\" y2=\"{bottom}\" stroke=\"{colour}\"{dashes}/>\n\
             <text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{tick}</text>",
            bottom + 18.0,
        );
    }
    for (i, kernel) in kernels.iter().enumerate() {
        let y = TOP + STEP * (i as f64 + 0.5);
        _ = writeln!(
            text,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
            LEFT - 12.0,
            y + 5.0,
            kernel.kernel,
        );
        for row in &kernel.forms {
            _ = writeln!(
                text,
                "<circle cx=\"{:.1}\" cy=\"{y}\" r=\"5\" fill=\"#1f5aa6\" fill-opacity=\"0.55\"><title>{} \
                 {:.2}</title></circle>",
                place(row.ratio.max(lowest)),
                row.form,
                row.ratio,
            );
        }
    }
    _ = writeln!(
        text,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">in units of an adjoint written by hand, logarithmic</text>\n\
         </svg>",
        LEFT + 0.5 * WIDTH,
        bottom + 44.0,
    );
    text
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

//! The predator-prey equations of Lotka and Volterra, fitted to the pelts of hares and lynxes that the Hudson's
//! Bay Company collected: the gradient goes through every step of a Runge-Kutta integrator.
//!
//! ```text
//! cargo run --release --example lotka_volterra
//! ```

// Loops over indices, as in the formulas.
#![allow(clippy::needless_range_loop)]

use chainrule::prelude::*;
use clap::Parser;
use std::f64::consts::TAU;
use std::fmt::Write;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use support::plot::{self, Labels, Mark, Series};
use support::{Result, Speed, differences, fit, table};

/// Steps of the integrator from one observation to the next.
const STEPS: u32 = 20;
/// The nodes of a Runge-Kutta step of order four, and its weights.
const NODES: [f64; 4] = [0.0, 0.5, 0.5, 1.0];
const WEIGHTS: [f64; 4] = [1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0];
/// The least number of observations that can determine six unknowns.
const LEAST_YEARS: usize = 4;

/// Advances the hares `state[0]` and the lynxes `state[1]` by a time of `h`.
///
/// Hares grow at the rate `rates[0]` and are eaten at `rates[1]` for each lynx; lynxes die at `rates[2]` and
/// grow at `rates[3]` for each hare.
#[differentiable]
fn advance(state: &mut [f64], rates: &[f64], #[constant] h: f64) {
    let start = [state[0], state[1]];
    let mut slope = [0.0, 0.0];
    for stage in 0..4 {
        let hares = start[0] + NODES[stage] * h * slope[0];
        let lynxes = start[1] + NODES[stage] * h * slope[1];
        slope[0] = hares * (rates[0] - rates[1] * lynxes);
        slope[1] = lynxes * (rates[3] * hares - rates[2]);
        for i in 0..2 {
            state[i] += WEIGHTS[stage] * h * slope[i];
        }
    }
}

/// The sum of the squared differences between the logarithms of model and data, over two.
///
/// `theta` holds the logarithms of the four rates and of the two populations at the time `t[0]`, so that all
/// of them stay positive; `pelts` holds hares and lynxes for each time in `t`.
#[differentiable]
fn loss(theta: &[f64], #[constant] t: &[f64], #[constant] pelts: &[f64]) -> f64 {
    let mut rates = [0.0; 4];
    for i in 0..4 {
        rates[i] = theta[i].exp();
    }
    let mut state = [theta[4].exp(), theta[5].exp()];
    let mut total = 0.0;
    for k in 0..t.len() {
        if k > 0 {
            let h = (t[k] - t[k - 1]) / f64::from(STEPS);
            for _ in 0..STEPS {
                advance(&mut state, &rates, h);
            }
        }
        for i in 0..2 {
            let error = (state[i] / pelts[2 * k + i]).ln();
            total += 0.5 * error * error;
        }
    }
    total
}

/// Fits the Lotka-Volterra equations to a table of hares and lynxes and checks the gradient.
#[derive(Parser)]
struct Options {
    /// The table: a first line with the names of the columns, then year, hares and lynxes
    /// [default: the data that comes with the example]
    #[arg(long, value_name = "FILE")]
    data: Option<PathBuf>,

    /// The file for the plot of data and fit, as SVG
    #[arg(long, value_name = "FILE", default_value = "lotka_volterra.svg")]
    plot: PathBuf,

    /// The number of years between two peaks at the start of the search
    #[arg(long, value_name = "YEARS", default_value_t = 10.0, value_parser = positive)]
    period: f64,

    /// The largest number of iterations of L-BFGS
    #[arg(long, value_name = "NUMBER", default_value_t = 200)]
    iterations: u64,
}

fn main() -> ExitCode {
    let options = Options::parse();
    support::report(|| run(&options))
}

fn run(options: &Options) -> Result<String> {
    let path = match &options.data {
        Some(path) => path.clone(),
        None => support::data("lynx_hare.csv"),
    };
    let (t, pelts) = read(&path)?;
    let start = guess(&pelts, options.period);
    let fit = fit::minimise(start.clone(), options.iterations, |theta, gradient| {
        loss::value_and_gradient_into(theta, &t, &pelts, gradient)
    })?;

    // A relative difference means nothing at the minimum, where the gradient vanishes.
    let mut gradient = vec![0.0; start.len()];
    loss::value_and_gradient_into(&start, &t, &pelts, &mut gradient);
    let check = differences::disagreement(&start, &gradient, |theta| loss(theta, &t, &pelts));

    let speed = Speed::measure(|with_gradient| {
        let theta = black_box(&start);
        if with_gradient {
            loss::value_and_gradient_into(theta, &t, &pelts, &mut gradient)
        } else {
            loss(theta, &t, &pelts)
        }
    });
    plot_fit(&options.plot, &fit.theta, &t, &pelts)?;

    let mut report = String::new();
    let (first, last) = (t[0], t[t.len() - 1]);
    writeln!(report, "data      {} years from {first} to {last}", t.len())?;
    fit.describe(&mut report)?;
    let fitted: Vec<f64> = fit.theta.iter().map(|theta| theta.exp()).collect();
    writeln!(
        report,
        "hares     grow by {:.3} a year, less {:.4} for each lynx; {:.1} in {first}",
        fitted[0], fitted[1], fitted[4]
    )?;
    writeln!(
        report,
        "lynxes    shrink by {:.3} a year, less {:.4} for each hare; {:.1} in {first}",
        fitted[2], fitted[3], fitted[5]
    )?;
    check.describe(&mut report)?;
    speed.describe(&mut report)?;
    writeln!(report, "plot      {}", options.plot.display())?;
    check.require(1e-8)?;
    Ok(report)
}

/// Reads a positive number from the command line.
fn positive(text: &str) -> std::result::Result<f64, &'static str> {
    match text.parse() {
        Ok(number) if number > 0.0 && number < f64::INFINITY => Ok(number),
        _ => Err("a positive number is needed"),
    }
}

/// Reads the years, and the hares and lynxes of each year.
fn read(path: &Path) -> Result<(Vec<f64>, Vec<f64>)> {
    let (header, rows) = table::read(path)?;
    if header.fields().len() != 3 {
        return Err(header.error("expected the names of three columns: year, hares, lynxes"));
    }
    if rows.len() < LEAST_YEARS {
        let found = rows.len();
        return Err(header.error(&format!(
            "at least {LEAST_YEARS} years are needed, {found} follow"
        )));
    }
    let (mut t, mut pelts) = (Vec::new(), Vec::new());
    for row in &rows {
        let numbers = row.numbers(3)?;
        if t.last().is_some_and(|&last| numbers[0] <= last) {
            return Err(row.error("the year must be later than that of the row above"));
        }
        if numbers[1..].iter().any(|&pelts| pelts <= 0.0) {
            return Err(row.error("the numbers of hares and lynxes must be positive"));
        }
        t.push(numbers[0]);
        pelts.extend_from_slice(&numbers[1..]);
    }
    Ok((t, pelts))
}

/// The start of the search: populations that cycle around their means once in `period` years.
///
/// The equations are at rest at `rates[2] / rates[3]` hares and `rates[0] / rates[1]` lynxes, and the period of
/// small cycles is `TAU / sqrt(rates[0] * rates[2])`.
fn guess(pelts: &[f64], period: f64) -> Vec<f64> {
    let mut hares = 0.0;
    let mut lynxes = 0.0;
    let mut years = 0.0;
    for row in pelts.chunks_exact(2) {
        hares += row[0];
        lynxes += row[1];
        years += 1.0;
    }
    let rate = TAU / period;
    let rates = [rate, rate * years / lynxes, rate, rate * years / hares];
    let mut theta: Vec<f64> = rates.iter().map(|rate| rate.ln()).collect();
    theta.extend(pelts[..2].iter().map(|pelts| pelts.ln()));
    theta
}

/// The data as dots, the fitted model as lines.
fn plot_fit(path: &Path, theta: &[f64], t: &[f64], pelts: &[f64]) -> Result<()> {
    let fitted: Vec<f64> = theta.iter().map(|theta| theta.exp()).collect();
    let (rates, mut state) = (&fitted[..4], [fitted[4], fitted[5]]);
    let mut lines = [vec![(t[0], state[0])], vec![(t[0], state[1])]];
    for years in t.windows(2) {
        let h = (years[1] - years[0]) / f64::from(STEPS);
        let mut at = years[0];
        for _ in 0..STEPS {
            advance(&mut state, rates, h);
            at += h;
            lines[0].push((at, state[0]));
            lines[1].push((at, state[1]));
        }
    }
    let most = lines
        .iter()
        .flatten()
        .map(|point| point.1)
        .chain(pelts.iter().copied())
        .fold(0.0, f64::max);
    let dots = |i: usize| {
        t.iter()
            .copied()
            .zip(pelts.iter().skip(i).step_by(2).copied())
            .collect()
    };
    let [hares, lynxes] = lines;
    let series = |name, colour, mark| Series { name, colour, mark };
    let all = [
        series("hares, data", plot::BLUE, Mark::Dots(dots(0))),
        series("hares, model", plot::BLUE, Mark::Line(hares)),
        series("lynxes, data", plot::ORANGE, Mark::Dots(dots(1))),
        series("lynxes, model", plot::ORANGE, Mark::Line(lynxes)),
    ];
    let labels = Labels {
        title: "Lotka-Volterra fitted to hares and lynxes",
        x: "year",
        y: "pelts (thousands)",
    };
    let x = t[0] - 0.5..t[t.len() - 1] + 0.5;
    plot::write(path, &labels, (x, 0.0..1.1 * most), &all)
}

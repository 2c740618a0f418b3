//! Logistic regression on the Breast Cancer Wisconsin data: the gradient of a log-likelihood written as plain
//! loops drives L-BFGS.
//!
//! ```text
//! cargo run --release --example logistic_regression
//! ```

// Loops over indices, as in the formula.
#![allow(clippy::needless_range_loop)]

use chainrule::prelude::*;
use clap::Parser;
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use std::fmt::Write;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use support::plot::{self, Labels, Mark, Series};
use support::table::{self, Row};
use support::{Result, Speed, differences, fit};

/// The weight of half the squared weights in the loss.
const PENALTY: f64 = 1.0;

/// Negative log-likelihood of logistic regression with an L2 penalty.
///
/// `x` holds a row of `w.len()` features for each label in `y`; the first feature is the constant 1, whose
/// weight is not penalised.
#[differentiable]
fn nll(w: &[f64], #[constant] x: &[f64], #[constant] y: &[f64]) -> f64 {
    let d = w.len();
    let mut total = 0.0;
    for i in 0..y.len() {
        let row = &x[i * d..(i + 1) * d];
        let mut z = 0.0;
        for j in 0..d {
            z += w[j] * row[j];
        }
        // ln(1 + e^z), without overflow for large z.
        let softplus = if z > 0.0 {
            z + (-z).exp().ln_1p()
        } else {
            z.exp().ln_1p()
        };
        total += softplus - y[i] * z;
    }
    let mut squares = 0.0;
    for j in 1..d {
        squares += w[j] * w[j];
    }
    total + 0.5 * PENALTY * squares
}

/// Fits a logistic regression to a table of features and checks its gradient.
#[derive(Parser)]
struct Options {
    /// The table: a first line `rows,features,name of class 0,name of class 1`, then the features and the class
    /// (0 or 1) of each row [default: the data that comes with the example]
    #[arg(long, value_name = "FILE")]
    data: Option<PathBuf>,

    /// The file for the loss curve, as SVG
    #[arg(long, value_name = "FILE", default_value = "logistic_regression.svg")]
    plot: PathBuf,

    /// Seed of the split into training and test rows
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,

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
        None => support::data("breast_cancer.csv"),
    };
    let data = Data::read(&path)?;
    let (train, test) = data.split(&path, options.seed)?;
    let (x, y) = (&train.x, &train.y);

    let start = vec![0.0; data.features + 1];
    let fit = fit::minimise(start, options.iterations, |w, gradient| {
        nll::value_and_gradient_into(w, x, y, gradient)
    })?;

    // A relative difference means nothing at the minimum, where the gradient vanishes.
    let halfway: Vec<f64> = fit.theta.iter().map(|w| 0.5 * w).collect();
    let mut gradient = vec![0.0; halfway.len()];
    nll::value_and_gradient_into(&halfway, x, y, &mut gradient);
    let check = differences::disagreement(&halfway, &gradient, |w| nll(w, x, y));

    let speed = Speed::measure(|with_gradient| {
        let w = black_box(&halfway);
        if with_gradient {
            nll::value_and_gradient_into(w, x, y, &mut gradient)
        } else {
            nll(w, x, y)
        }
    });
    plot_losses(&options.plot, &fit.values)?;

    let mut report = String::new();
    let [zeros, ones] = data.classes();
    writeln!(
        report,
        "data      {} rows of {} features: {zeros} {}, {ones} {}",
        data.y.len(),
        data.features,
        data.names[0],
        data.names[1],
    )?;
    writeln!(
        report,
        "split     {} rows to train on, {} to test on",
        train.y.len(),
        test.y.len()
    )?;
    fit.describe(&mut report)?;
    writeln!(
        report,
        "accuracy  {:.1} % of the test rows, {:.1} % of the training rows",
        100.0 * test.accuracy(&fit.theta),
        100.0 * train.accuracy(&fit.theta),
    )?;
    check.describe(&mut report)?;
    speed.describe(&mut report)?;
    writeln!(report, "plot      {}", options.plot.display())?;
    check.require(1e-8)?;
    Ok(report)
}

/// The loss after each iteration.
fn plot_losses(path: &Path, losses: &[f64]) -> Result<()> {
    let points: Vec<(f64, f64)> = (0_u32..)
        .map(f64::from)
        .zip(losses.iter().copied())
        .collect();
    let last = points.last().map_or(0.0, |&(x, _)| x);
    let least = losses.iter().copied().fold(f64::INFINITY, f64::min);
    let most = losses.iter().copied().fold(0.0, f64::max);
    let labels = Labels {
        title: "Logistic regression: loss while fitting",
        x: "iteration",
        y: "loss on the training rows",
    };
    let series = [
        Series {
            name: "penalised negative log-likelihood",
            colour: plot::BLUE,
            mark: Mark::Line(points.clone()),
        },
        Series {
            name: "iterations of L-BFGS",
            colour: plot::ORANGE,
            mark: Mark::Dots(points),
        },
    ];
    let y = plot::log(0.8 * least..1.25 * most);
    plot::write(path, &labels, (0.0..last.max(1.0), y), &series)
}

/// The table as read: features and classes.
struct Data {
    features: usize,
    names: [String; 2],
    rows: Vec<Vec<f64>>,
    y: Vec<f64>,
}

/// Rows that are ready for `nll`: standardised, with the constant 1 in front.
struct Set {
    x: Vec<f64>,
    y: Vec<f64>,
}

impl Data {
    /// Reads the table; an error if it differs from its first line.
    fn read(path: &Path) -> Result<Data> {
        let (header, rows) = table::read(path)?;
        let (count, features, names) = describe(&header)?;
        if rows.len() != count {
            let found = rows.len();
            return Err(header.error(&format!(
                "the first line announces {count} rows, {found} follow"
            )));
        }
        let mut data = Data {
            features,
            names,
            rows: Vec::with_capacity(count),
            y: Vec::with_capacity(count),
        };
        for row in &rows {
            let mut numbers = row.numbers(features.saturating_add(1))?;
            match numbers.pop() {
                Some(class) if class == 0.0 || class == 1.0 => data.y.push(class),
                _ => {
                    let label = row.fields().pop().unwrap_or_default();
                    return Err(row.error(&format!("the class must be 0 or 1, not {label}")));
                }
            }
            data.rows.push(numbers);
        }
        Ok(data)
    }

    /// The number of rows of each class.
    fn classes(&self) -> [usize; 2] {
        let ones = self.y.iter().filter(|&&y| y == 1.0).count();
        [self.y.len() - ones, ones]
    }

    /// A quarter of each class for testing, the rest for training; `seed` decides which.
    fn split(&self, path: &Path, seed: u64) -> Result<(Set, Set)> {
        let mut random = StdRng::seed_from_u64(seed);
        let (mut train, mut test) = (Vec::new(), Vec::new());
        for (class, name) in [0.0, 1.0].into_iter().zip(&self.names) {
            let mut members: Vec<usize> =
                (0..self.y.len()).filter(|&i| self.y[i] == class).collect();
            if members.len() < 2 {
                let (path, found) = (path.display(), members.len());
                return Err(format!(
                    "{path}: class {class} ({name}) needs at least two rows, to train and to test on, and has {found}"
                )
                .into());
            }
            members.shuffle(&mut random);
            let (tested, trained) = members.split_at((members.len() / 4).max(1));
            test.extend_from_slice(tested);
            train.extend_from_slice(trained);
        }
        let scaling: Vec<(f64, f64)> = (0..self.features)
            .map(|j| mean_and_deviation(train.iter().map(|&i| self.rows[i][j])))
            .collect();
        if let Some(j) = scaling
            .iter()
            .position(|(_, deviation)| !deviation.is_finite())
        {
            let (path, field) = (path.display(), j + 1);
            return Err(format!("{path}: the numbers in field {field} are too large").into());
        }
        Ok((self.select(&train, &scaling), self.select(&test, &scaling)))
    }

    /// The chosen rows, with features of mean 0 and deviation 1 by `scaling`.
    fn select(&self, chosen: &[usize], scaling: &[(f64, f64)]) -> Set {
        let mut x = Vec::with_capacity(chosen.len() * (self.features + 1));
        for &i in chosen {
            x.push(1.0);
            x.extend(
                self.rows[i]
                    .iter()
                    .zip(scaling)
                    .map(|(value, (mean, deviation))| (value - mean) / deviation),
            );
        }
        Set {
            x,
            y: chosen.iter().map(|&i| self.y[i]).collect(),
        }
    }
}

impl Set {
    /// The fraction of the rows whose class the weights `w` predict.
    fn accuracy(&self, w: &[f64]) -> f64 {
        let right = |(row, &class): (&[f64], &f64)| {
            let z: f64 = row.iter().zip(w).map(|(x, w)| x * w).sum();
            f64::from(u8::from((z > 0.0) == (class == 1.0)))
        };
        mean_and_deviation(self.x.chunks_exact(w.len()).zip(&self.y).map(right)).0
    }
}

/// Rows, features and the names of the two classes, from the first line.
fn describe(header: &Row) -> Result<(usize, usize, [String; 2])> {
    if let [rows, features, zero, one] = header.fields()[..]
        && let (Ok(rows), Ok(features)) = (rows.parse(), features.parse())
        && features > 0
    {
        return Ok((rows, features, [zero.to_string(), one.to_string()]));
    }
    Err(header.error("expected `rows,features,name of class 0,name of class 1`"))
}

/// The mean and the standard deviation; the latter is 1 for values that are all the same.
fn mean_and_deviation(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let mut count = 0.0;
    let mut sum = 0.0;
    for value in values.clone() {
        count += 1.0;
        sum += value;
    }
    let mean = sum / count;
    let variance = values.map(|value| (value - mean).powi(2)).sum::<f64>() / count;
    (mean, if variance > 0.0 { variance.sqrt() } else { 1.0 })
}

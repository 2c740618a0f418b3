//! Maximum likelihood on all cores: a mixture of two normal distributions is fitted to ten million observations by L-BFGS. The sum
//! over observations is a parallel iterator of `rayon`, in a function that is differentiated like any other.
//!
//! ```text
//! cargo run --release --example likelihood
//! ```

// A number of observations as a float.
#![allow(clippy::cast_precision_loss)]

use chainrule::prelude::*;
use clap::Parser;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use rayon::prelude::*;
use std::fmt::Write;
use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;
use support::{Result, differences, fit};

/// The distribution that the observations are drawn from: means, logarithms of standard deviations, and the log odds of the second
/// component.
const TRUTH: [f64; 5] = [-1.0, 2.0, -0.5, 0.25, 0.8];

/// The mean negative log-likelihood of a mixture of two normal distributions.
#[differentiable]
fn loss(theta: &[f64], #[constant] data: &[f64]) -> f64 {
    let [m0, m1, s0, s1, odds] = [theta[0], theta[1], theta[2], theta[3], theta[4]];
    let (w0, w1) = ((-s0).exp(), (-s1).exp());
    let logs: f64 = data
        .par_iter()
        .map(|y| {
            let (z0, z1) = ((y - m0) * w0, (y - m1) * w1);
            let (a, b) = (-0.5 * z0 * z0 - s0, odds - 0.5 * z1 * z1 - s1);
            let largest = a.max(b);
            largest + ((a - largest).exp() + (b - largest).exp()).ln()
        })
        .sum_in_order();
    odds.exp().ln_1p() + 0.5 * std::f64::consts::TAU.ln() - logs / data.len() as f64
}

/// Fits a mixture to many observations, on all cores.
#[derive(Parser)]
struct Options {
    /// How many observations are drawn
    #[arg(long, value_name = "NUMBER", default_value_t = 10_000_000)]
    observations: usize,

    /// The largest number of iterations of L-BFGS
    #[arg(long, value_name = "NUMBER", default_value_t = 60)]
    iterations: u64,

    /// Seed of the observations
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
}

fn main() -> ExitCode {
    let options = Options::parse();
    support::report(|| run(&options))
}

fn run(options: &Options) -> Result<String> {
    if options.observations == 0 {
        return Err("there are no observations: `--observations` must be at least 1".into());
    }
    let data = draw(options.observations, options.seed);
    let data = &data[..];

    let start = vec![-2.0, 1.0, 0.0, 0.0, 0.0];
    let fit = fit::minimise(start, options.iterations, |theta, gradient| {
        loss::value_and_gradient_into(theta, data, gradient)
    })?;

    let some = &data[..data.len().min(10_000)];
    let mut gradient = [0.0; TRUTH.len()];
    let halfway: Vec<f64> = fit.theta.iter().map(|t| 0.5 * t).collect();
    loss::value_and_gradient_into(&halfway, some, &mut gradient);
    let check = differences::disagreement(&halfway, &gradient, |theta| loss(theta, some));

    let mut report = String::new();
    writeln!(report, "data      {} observations", data.len())?;
    fit.describe(&mut report)?;
    for (name, (found, truth)) in ["mean 0", "mean 1", "log sd 0", "log sd 1", "log odds"]
        .iter()
        .zip(fit.theta.iter().zip(TRUTH))
    {
        writeln!(report, "{name:9} {found:8.4}, drawn with {truth}")?;
    }
    check.describe(&mut report)?;
    speed_up(&mut report, &fit.theta, data)?;
    check.require(1e-7)?;
    Ok(report)
}

/// Observations of the mixture.
fn draw(observations: usize, seed: u64) -> Vec<f64> {
    let [m0, m1, s0, s1, odds] = TRUTH;
    let second = 1.0 / (1.0 + (-odds).exp());
    let mut random = StdRng::seed_from_u64(seed);
    (0..observations)
        .map(|_| {
            // Box and Muller.
            let radius = (-2.0 * (1.0 - random.random::<f64>()).ln()).sqrt();
            let z = radius * (std::f64::consts::TAU * random.random::<f64>()).cos();
            if random.random::<f64>() < second {
                m1 + s1.exp() * z
            } else {
                m0 + s0.exp() * z
            }
        })
        .collect()
}

/// Times the loss and its gradient with one thread and with all, and compares the gradients bit by bit.
fn speed_up(report: &mut String, theta: &[f64], data: &[f64]) -> Result<()> {
    let all = std::thread::available_parallelism()?.get();
    let mut seconds = Vec::new();
    let mut gradients = Vec::new();
    for threads in [1, 2, 8, all] {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()?;
        let mut gradient = [0.0; TRUTH.len()];
        let value = pool.install(|| fastest(|| black_box(loss(black_box(theta), data))));
        let both = pool.install(|| {
            fastest(|| loss::value_and_gradient_into(black_box(theta), data, &mut gradient))
        });
        seconds.push((value, both));
        gradients.push(gradient.map(f64::to_bits));
    }
    let (value, gradient) = seconds[0];
    writeln!(report, "loss      {:.1} ms with one thread", 1e3 * value)?;
    writeln!(
        report,
        "gradient  {:.1} ms with one thread, {:.2} times the loss",
        1e3 * gradient,
        gradient / value,
    )?;
    let (value_all, gradient_all) = seconds[3];
    writeln!(
        report,
        "threads   {all}: the loss is {:.2} times as fast, the gradient {:.2} times",
        value / value_all,
        gradient / gradient_all,
    )?;
    if gradients.iter().any(|other| *other != gradients[0]) {
        return Err("the gradient depends on the number of threads".into());
    }
    writeln!(
        report,
        "bits      the same gradient with 1, 2, 8 and all threads"
    )?;
    Ok(())
}

/// The shortest of several runs, in seconds.
fn fastest(mut run: impl FnMut() -> f64) -> f64 {
    let timed = (0..5).map(|_| {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64()
    });
    timed.fold(f64::INFINITY, f64::min)
}

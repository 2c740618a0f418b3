//! A hierarchical model of the effects of coaching in eight schools, sampled by the No-U-Turn sampler, and compared with published means.
//!
//! ```text
//! cargo run --release -p chainrule-examples --features nuts-rs --example hierarchical_model
//! ```

use chainrule::distributions::{half_cauchy, normal};
use chainrule::nuts::LogDensity;
use chainrule::prelude::*;
use clap::Parser;
use nuts_rs::{
    DiagNutsSettings, HashMapConfig, HashMapResult, HashMapValue, Sampler, SamplerWaitResult,
};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use support::chains::Summary;
use support::plot::{self, Labels, Mark, Series};
use support::{Result, differences, table};

/// The number of chains, each of which has a color in the plot.
const CHAINS: usize = 4;
const COLOURS: [plotters::style::RGBColor; CHAINS] =
    [plot::BLUE, plot::ORANGE, plot::GREEN, plot::PURPLE];
/// The means of the posterior and their standard errors: the mean of the effects, their scale, and the effect of each school.
///
/// # Source
///
/// The reference posterior `eight_schools-eight_schools_noncentered` of posteriordb, <https://github.com/stan-dev/posteriordb>: 10 000 draws
/// of Stan.
const PUBLISHED: [(f64, f64); 10] = [
    (4.410_518_336_954_93, 0.033_037_470_595),
    (3.602_059_523_640_59, 0.031_861_513_564),
    (6.150_502_293_344_25, 0.055_737_528_230),
    (4.939_581_140_742_2, 0.046_229_378_862),
    (3.905_906_090_015_82, 0.054_231_370_563),
    (4.796_016_751_384_94, 0.047_493_581_676),
    (3.614_436_324_679_9, 0.046_145_061_024),
    (4.051_147_578_967_5, 0.048_519_539_253),
    (6.317_169_758_868_93, 0.049_876_679_408),
    (4.883_996_943_532_88, 0.054_251_160_656),
];
/// The number of draws in the plot: more of them would cover each other.
const DRAWN: u32 = 250;
/// The largest distance to the published means, in standard errors.
const TOLERANCE: f64 = 4.0;
/// The largest R-hat of chains that have mixed.
const MIXED: f64 = 1.01;

/// The log posterior of the effects, in the form without centers: `q` holds the mean of the effects, the logarithm of their scale, and for
/// each school its distance from the mean in units of the scale.
#[differentiable]
fn log_posterior(q: &[f64], #[constant] measured: &[f64], #[constant] errors: &[f64]) -> f64 {
    let (mean, ln_scale) = (q[0], q[1]);
    let scale = ln_scale.exp();
    // The priors. The derivative of the scale by its logarithm is the scale.
    let mut total: f64 = normal::log_density(mean, 0.0, 5.0);
    total += half_cauchy::log_density(scale, 5.0) + ln_scale;
    total += normal::log_likelihood(&q[2..], 0.0, 1.0);
    for i in 0..measured.len() {
        let term: f64 = normal::log_density(measured[i], mean + scale * q[2 + i], errors[i]);
        total += term;
    }
    total
}

/// Samples from a hierarchical model of measured effects.
#[derive(Parser)]
struct Options {
    /// The table: a first line with the names of the columns, then the name of a school, the measured effect and its standard error
    /// [default: the data that comes with the example]
    #[arg(long, value_name = "FILE")]
    data: Option<PathBuf>,

    /// The file for the plot of the chains, as SVG
    #[arg(long, value_name = "FILE", default_value = "hierarchical_model.svg")]
    plot: PathBuf,

    /// The number of draws of each chain, after as many with which the sampler adapts itself
    #[arg(long, value_name = "NUMBER", default_value_t = 2000, value_parser = clap::value_parser!(u64).range(100..1_000_000))]
    draws: u64,

    /// The seed of the random numbers
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
}

fn main() -> ExitCode {
    let options = Options::parse();
    support::report(|| run(&options))
}

fn run(options: &Options) -> Result<String> {
    let path = match &options.data {
        Some(path) => path.clone(),
        None => support::data("eight_schools.csv"),
    };
    let Data {
        schools,
        measured,
        errors,
    } = Data::read(&path)?;
    let dimension = 2 + schools.len();

    let start = vec![0.5; dimension];
    let mut gradient = vec![0.0; dimension];
    log_posterior::value_and_gradient_into(&start, &measured, &errors, &mut gradient);
    let check =
        differences::disagreement(&start, &gradient, |q| log_posterior(q, &measured, &errors));
    check.require(1e-8)?;

    let density = LogDensity::new(dimension, move |q, gradient| {
        log_posterior::value_and_gradient_into(q, &measured, &errors, gradient)
    });
    let settings = DiagNutsSettings {
        num_tune: options.draws,
        num_draws: options.draws,
        num_chains: CHAINS,
        seed: options.seed,
        ..Default::default()
    };
    let results = sample(density, &settings)?;
    let chains = Chains::new(&results, usize::try_from(options.draws)?, dimension)?;

    let mut report = String::new();
    writeln!(report, "data      {} schools", schools.len())?;
    check.describe(&mut report)?;
    writeln!(
        report,
        "chains    {CHAINS} of {} draws, after {} to adapt; {} of them diverge",
        settings.num_draws, settings.num_tune, chains.divergent
    )?;
    let mut names = vec!["mean".to_string(), "scale".to_string()];
    names.extend(schools.iter().map(|school| format!("effect {school}")));
    let summaries: Vec<Summary> = chains.draws.iter().map(|x| Summary::new(x)).collect();
    describe(&mut report, &names, &summaries)?;
    if options.data.is_none() {
        compare(&mut report, &names, &summaries)?;
    }
    draw(&options.plot, &chains.draws[1])?;
    writeln!(report, "plot      {}", options.plot.display())?;
    Ok(report)
}

/// All draws and statistics of each chain. The chains run on threads.
fn sample<F>(density: LogDensity<F>, settings: &DiagNutsSettings) -> Result<Vec<HashMapResult>>
where
    F: Fn(&[f64], &mut [f64]) -> f64 + Send + Sync + 'static,
{
    let trace = HashMapConfig::new();
    let mut sampler = Sampler::new(Arc::new(density), *settings, trace, CHAINS, None)?;
    loop {
        match sampler.wait_timeout(Duration::from_secs(1)) {
            SamplerWaitResult::Trace(chains) => return Ok(chains),
            SamplerWaitResult::Timeout(still) => sampler = still,
            SamplerWaitResult::Err(error, _) => return Err(error.into()),
        }
    }
}

/// The chains without the draws with which the sampler adapted itself.
struct Chains {
    /// Of the mean, of the scale, and of the effect of each school: the draws of each chain.
    draws: Vec<Vec<Vec<f64>>>,
    /// The number of draws whose trajectories diverged.
    divergent: usize,
}

impl Chains {
    fn new(results: &[HashMapResult], kept: usize, dimension: usize) -> Result<Chains> {
        let mut draws = vec![Vec::new(); dimension];
        let mut divergent = 0;
        for chain in results {
            let (Some(HashMapValue::F64(all)), Some(HashMapValue::Bool(diverging))) =
                (chain.draws.get("value"), chain.stats.get("diverging"))
            else {
                return Err("the sampler stored no draws".into());
            };
            let points = &all[all.len() - kept * dimension..];
            for (i, draws) in draws.iter_mut().enumerate() {
                let quantity = |q: &[f64]| match i {
                    0 => q[0],
                    1 => q[1].exp(),
                    _ => q[0] + q[1].exp() * q[i],
                };
                draws.push(points.chunks_exact(dimension).map(quantity).collect());
            }
            let kept = &diverging[diverging.len() - kept..];
            divergent += kept.iter().filter(|diverging| **diverging).count();
        }
        Ok(Chains { draws, divergent })
    }
}

/// A row for each quantity.
fn describe(report: &mut String, names: &[String], summaries: &[Summary]) -> Result<()> {
    let width = names.iter().map(|name| name.chars().count()).max();
    let width = width.unwrap_or(0).max(8);
    writeln!(
        report,
        "{:width$}     mean       sd   error   R-hat   effective draws",
        ""
    )?;
    for (name, of) in names.iter().zip(summaries) {
        writeln!(
            report,
            "{name:width$} {:8.3} {:8.3} {:7.3} {:7.4} {:17.0}",
            of.mean,
            of.deviation,
            of.standard_error(),
            of.r_hat,
            of.effective
        )?;
    }
    writeln!(
        report,
        "R-hat     of halves of the chains, from the draws, not from their ranks"
    )?;
    match summaries.iter().map(|of| of.r_hat).reduce(f64::max) {
        Some(worst) if worst <= MIXED => Ok(()),
        _ => Err(format!("the chains haven't mixed; try more --draws:\n{report}").into()),
    }
}

/// Compares the means with those that are published for the example's data.
fn compare(report: &mut String, names: &[String], summaries: &[Summary]) -> Result<()> {
    let mut worst = (0.0, "");
    for ((name, of), (mean, error)) in names.iter().zip(summaries).zip(PUBLISHED) {
        let distance = (of.mean - mean).abs() / of.standard_error().hypot(error);
        if distance >= worst.0 || distance.is_nan() {
            worst = (distance, name);
        }
    }
    let (distance, name) = worst;
    if distance.is_nan() || distance > TOLERANCE {
        return Err(format!(
            "{name} is {distance:.1} standard errors off the published mean; try another --seed:\n{report}"
        )
        .into());
    }
    writeln!(
        report,
        "published means within {distance:.1} standard errors of both; {name} is the farthest"
    )?;
    Ok(())
}

/// The measured effects.
struct Data {
    schools: Vec<String>,
    measured: Vec<f64>,
    errors: Vec<f64>,
}

impl Data {
    fn read(path: &Path) -> Result<Data> {
        let (header, rows) = table::read(path)?;
        if header.fields().len() != 3 {
            return Err(header.error(
                "expected the names of three columns: school, effect, standard error of the effect",
            ));
        }
        let mut data = Data {
            schools: Vec::new(),
            measured: Vec::new(),
            errors: Vec::new(),
        };
        for row in &rows {
            let (school, numbers) = row.named(2)?;
            if numbers[1] <= 0.0 {
                return Err(row.error("the standard error must be positive"));
            }
            data.schools.push(school);
            data.measured.push(numbers[0]);
            data.errors.push(numbers[1]);
        }
        Ok(data)
    }
}

/// The scale in the first draws of each chain.
fn draw(path: &Path, chains: &[Vec<f64>]) -> Result<()> {
    let names = ["chain 1", "chain 2", "chain 3", "chain 4"];
    let mut series = Vec::new();
    for ((chain, name), colour) in chains.iter().zip(names).zip(COLOURS) {
        let points = (1..=DRAWN).map(f64::from).zip(chain.iter().copied());
        series.push(Series {
            name,
            colour,
            mark: Mark::Curves(vec![points.collect()]),
        });
    }
    let drawn = chains
        .iter()
        .flat_map(|chain| chain.iter().take(DRAWN as usize));
    let most = drawn.copied().fold(0.0, f64::max);
    let labels = Labels {
        title: "The scale of the effects of coaching, in the first draws of four chains",
        x: "draw",
        y: "scale (points of the test)",
    };
    let x = 0.0..f64::from(DRAWN);
    plot::write(path, &labels, (x, 0.0..1.05 * most), &series)
}

//! The rates of a stiff reaction network, estimated from measurements in cells, and compared with published ones.
//!
//! `diffsol` integrates the equations and their adjoint by an implicit method. The products of Jacobians that it needs are drivers of
//! the right-hand side, and the adjoint equations start from the gradient of the likelihood.
//!
//! ```text
//! cargo run --release -p chainrule-examples --features diffsol --example stiff_kinetics
//! ```

use chainrule::prelude::*;
use clap::Parser;
use diffsol::{
    AdjointOdeSolverMethod, Matrix, MatrixCommon, NalgebraContext, NalgebraLU, NalgebraMat,
    NalgebraVec, OdeBuilder, OdeEquationsImplicitAdjoint, OdeSolverMethod, OdeSolverProblem,
    OdeSolverState, VectorCommon,
};
use std::cell::RefCell;
use std::f64::consts::TAU;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use support::plot::{self, Labels, Mark, Series};
use support::{Result, differences, fit, table};

/// The number of species: the proteins STAT5A and STAT5B, their three dimers, and the three dimers in the nucleus.
const SPECIES: usize = 8;
/// The number of rates.
const RATES: usize = 4;
/// The number of quantities that are measured at each time.
const MEASURED: usize = 3;
/// The least number of times that can determine the rates and the deviations.
const LEAST_TIMES: usize = 3;
/// The volumes of cytoplasm and nucleus, in picolitres.
const CYTOPLASM: f64 = 1.4;
const NUCLEUS: f64 = 0.45;
/// The erythropoietin at the start, in the units of the published rates.
const ERYTHROPOIETIN: f64 = 1.25e-7;
/// The concentrations at the start, in nanomoles per litre: 69.3 % of the protein is STAT5A.
const START: [f64; SPECIES] = [207.6 * 0.693, 207.6 * 0.307, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
/// The part of STAT5A in the protein that the antibody binds where there is as much STAT5A as STAT5B.
const SPECIFICITY: f64 = 0.107;

/// The names of the rates that are estimated, with their units. The unit of the phosphorylation depends on that of the erythropoietin.
const NAMES: [&str; RATES] = [
    "loss of erythropoietin (1/min)",
    "phosphorylation",
    "import of AB (1/min)",
    "export of AA and BB (1/min)",
];
/// The rates at which the search starts.
const GUESS: [f64; RATES] = [0.1, 1e4, 0.1, 0.01];
/// The published rates.
///
/// # Source
///
/// The problem `Boehm_JProteomeRes2014` of the benchmark collection
/// <https://github.com/Benchmarking-Initiative/Benchmark-Models-PEtab>.
const PUBLISHED: [f64; RATES] = [
    0.026_982_514_033_029,
    15_766.507_019_573_1,
    0.016_367_918_446_8,
    0.006_170_228_086_381,
];
/// The published standard deviations of the measured quantities, from the same source.
const PUBLISHED_DEVIATIONS: [f64; MEASURED] = [
    3.852_611_978_446_77,
    6.591_478_186_734_19,
    3.152_712_756_485_27,
];
/// Two published rates that aren't estimated: the import of AA and BB, and the export of AB, each in one minute. They stand near the bounds
/// of the published search, 1e5 and 1e-5: the measurements only say that the one is fast and the other one slow.
const IMPORT_SAME: f64 = 97_749.379_402_471_6;
const EXPORT_MIXED: f64 = 1.000_679_738_515_08e-5;
/// The largest relative difference to the published rates and deviations.
const TOLERANCE: f64 = 1e-3;

/// The relative and the absolute tolerance of the integrator.
const RELATIVE: f64 = 1e-8;
const ABSOLUTE: f64 = 1e-8;
/// The relative error of the gradient, which is that of the integrated adjoint equations.
const GRADIENT: f64 = 1e-5;
/// The norm of the gradient, relative to the first one, at which the search ends.
const CONVERGED: f64 = 1e-4;
/// How often the integrator may shorten its steps. The solution of the adjoint equations jumps at each measurement, and after a jump the steps
/// have to be as short as the import of AA and BB takes.
const SHORTENED: usize = 1000;
/// The number of points of each curve in the plot.
const DRAWN: u32 = 400;

/// The time derivatives of the concentrations at the time `t`, in minutes, given the logarithms of the rates.
///
/// Erythropoietin, which is lost, makes the cell phosphorylate STAT5A and STAT5B, which form the dimers AA, AB and BB. The nucleus
/// imports them. There they lose the phosphate, and are exported.
#[differentiable]
fn reactions(x: &[f64], ln_k: &[f64], #[constant] t: f64) -> Vec<f64> {
    let erythropoietin = ERYTHROPOIETIN * (-ln_k[0].exp() * t).exp();
    let phosphorylation = erythropoietin * ln_k[1].exp();
    let (import_mixed, export_same) = (ln_k[2].exp(), ln_k[3].exp());

    let (made_aa, made_ab, made_bb) = (
        phosphorylation * x[0] * x[0],
        phosphorylation * x[0] * x[1],
        phosphorylation * x[1] * x[1],
    );
    let (in_aa, in_ab, in_bb) = (IMPORT_SAME * x[2], import_mixed * x[3], IMPORT_SAME * x[4]);
    let (out_aa, out_ab, out_bb) = (export_same * x[5], EXPORT_MIXED * x[6], export_same * x[7]);
    let ratio = NUCLEUS / CYTOPLASM;
    vec![
        ratio * (2.0 * out_aa + out_ab) - 2.0 * made_aa - made_ab,
        ratio * (2.0 * out_bb + out_ab) - 2.0 * made_bb - made_ab,
        made_aa - in_aa,
        made_ab - in_ab,
        made_bb - in_bb,
        in_aa / ratio - out_aa,
        in_ab / ratio - out_ab,
        in_bb / ratio - out_bb,
    ]
}

/// The measured quantities: of the protein that the antibody binds, the phosphorylated parts of STAT5A and of STAT5B, and the part of
/// STAT5A, in per cent. The antibody binds dimers in the cytoplasm by either half.
#[differentiable]
fn observed(x: &[f64]) -> [f64; MEASURED] {
    let (a, b) = (SPECIFICITY * x[0], (1.0 - SPECIFICITY) * x[1]);
    let (aa, bb) = (2.0 * SPECIFICITY * x[2], 2.0 * (1.0 - SPECIFICITY) * x[4]);
    let ab = x[3];
    [
        100.0 * (aa + ab) / (a + aa + ab),
        100.0 * (bb + ab) / (b + bb + ab),
        100.0 * (a + aa + ab) / (a + b + aa + bb + 2.0 * ab),
    ]
}

/// The sums of squared differences between model and data for each quantity, given the concentrations at each time.
#[differentiable]
fn squares(states: &[f64], #[constant] data: &[f64]) -> [f64; MEASURED] {
    let mut sums = [0.0; MEASURED];
    for i in 0..states.len() / SPECIES {
        let model = observed(&states[SPECIES * i..SPECIES * (i + 1)]);
        for j in 0..MEASURED {
            let off = model[j] - data[MEASURED * i + j];
            sums[j] += off * off;
        }
    }
    sums
}

/// The negative log likelihood of normally distributed errors, whose variance is the mean square of each quantity, the likeliest one.
#[differentiable]
fn loss(states: &[f64], #[constant] data: &[f64], #[constant] times: f64) -> f64 {
    let mut total = 0.0;
    for sum in squares(states, data) {
        total += 0.5 * times * ((TAU * sum / times).ln() + 1.0);
    }
    total
}

/// The equations, in the form that the integrator takes.
fn equations(
    ln_k: &[f64],
) -> Result<
    OdeSolverProblem<
        impl OdeEquationsImplicitAdjoint<
            M = NalgebraMat<f64>,
            V = NalgebraVec<f64>,
            T = f64,
            C = NalgebraContext,
        >,
    >,
> {
    let builder = OdeBuilder::<NalgebraMat<f64>>::new()
        .p(ln_k.iter().copied())
        .rtol(RELATIVE)
        .atol([ABSOLUTE])
        .rhs_adjoint_implicit(
            |x, ln_k, t, out| out.copy_from_slice(&reactions(x, ln_k, t)),
            |x, ln_k, t, v, out| {
                out.copy_from_slice(&reactions::jvp(x, ln_k, t, v, &[0.0; RATES]).1);
            },
            |x, ln_k, t, v, out| {
                let (_, (x_bar, _)) = reactions::vjp(x, ln_k, t, v.to_vec());
                copy_negative(&x_bar, out);
            },
            |x, ln_k, t, v, out| {
                let (_, (_, ln_k_bar)) = reactions::vjp(x, ln_k, t, v.to_vec());
                copy_negative(&ln_k_bar, out);
            },
        )
        // The concentrations at the start don't depend on the rates.
        .init_adjoint(
            |_, _, x| x.copy_from_slice(&START),
            |_, _, _, out| out.fill(0.0),
            SPECIES,
        );
    let mut problem = builder.build()?;
    problem.ode_options.max_error_test_failures = SHORTENED;
    Ok(problem)
}

/// The integrator takes products of transposed Jacobians with the opposite sign.
fn copy_negative(product: &[f64], out: &mut [f64]) {
    for (out, entry) in out.iter_mut().zip(product) {
        *out = -entry;
    }
}

/// The concentrations at some times, one time after another, and the number of steps.
fn solve(ln_k: &[f64], times: &[f64]) -> Result<(Vec<f64>, usize)> {
    let problem = equations(ln_k)?;
    let mut forward = problem.bdf::<NalgebraLU<f64>>()?;
    let (states, _) = forward.solve_dense(times)?;
    let steps = forward.get_statistics().number_of_steps;
    Ok((states.inner().as_slice().to_vec(), steps))
}

/// The loss; overwrites `gradient`.
fn value_and_gradient(ln_k: &[f64], data: &Data, gradient: &mut [f64]) -> Result<f64> {
    let problem = equations(ln_k)?;
    let mut forward = problem.bdf::<NalgebraLU<f64>>()?;
    let (path, mut states, _) = forward.solve_dense_with_checkpointing(&data.times, None)?;
    // The adjoint equations go back in time, and take up the cotangents of the concentrations at the times of the data.
    let (value, states_bar) =
        loss::value_and_gradient(states.inner().as_slice(), &data.measured, data.count());
    states.inner_mut().copy_from_slice(&states_bar);
    let backward =
        problem.bdf_solver_adjoint::<NalgebraLU<f64>, _>(path, Some(forward), Some(1))?;
    let (end, _) = backward.solve_adjoint_backwards_pass(&data.times, &[&states])?;
    gradient.copy_from_slice(end.as_ref().sg.inner().as_slice());
    Ok(value)
}

/// Estimates the rates of a reaction network from a table of measurements.
#[derive(Parser)]
struct Options {
    /// The table: a first line with the names of the columns, then a time in minutes and the three measured quantities
    /// [default: the data that comes with the example]
    #[arg(long, value_name = "FILE")]
    data: Option<PathBuf>,

    /// The file for the plot of data and fit, as SVG
    #[arg(long, value_name = "FILE", default_value = "stiff_kinetics.svg")]
    plot: PathBuf,

    /// The largest number of iterations of L-BFGS
    #[arg(long, value_name = "NUMBER", default_value_t = 100)]
    iterations: u64,
}

fn main() -> ExitCode {
    let options = Options::parse();
    support::report(|| run(&options))
}

fn run(options: &Options) -> Result<String> {
    let path = match &options.data {
        Some(path) => path.clone(),
        None => support::data("stat5.csv"),
    };
    let data = Data::read(&path)?;
    let start = GUESS.map(f64::ln);
    let mut gradient = [0.0; RATES];
    value_and_gradient(&start, &data, &mut gradient)?;
    let check = differences::disagreement(&start, &gradient, |ln_k| {
        solve(ln_k, &data.times).map_or(f64::NAN, |(states, _)| {
            loss(&states, &data.measured, data.count())
        })
    });
    check.require(GRADIENT)?;

    let failure = RefCell::new(None);
    let fit = fit::minimise_to(
        CONVERGED,
        start.to_vec(),
        options.iterations,
        |ln_k, gradient| {
            value_and_gradient(ln_k, &data, gradient).unwrap_or_else(|error| {
                *failure.borrow_mut() = Some(error);
                f64::INFINITY
            })
        },
    )?;
    if let Some(error) = failure.take() {
        return Err(format!("the integrator fails at a point of the search: {error}").into());
    }
    let (states, steps) = solve(&fit.theta, &data.times)?;
    let deviations = squares(&states, &data.measured).map(|square| (square / data.count()).sqrt());
    draw(&options.plot, &data, &fit.theta)?;

    let mut report = String::new();
    let last = data.times[data.times.len() - 1];
    writeln!(
        report,
        "data      {} times in {last} minutes",
        data.times.len()
    )?;
    fit.describe(&mut report)?;
    check.describe(&mut report)?;
    writeln!(
        report,
        "stiffness {steps} steps in {last} minutes, though AA and BB are imported within {:.0e} minutes",
        1.0 / IMPORT_SAME
    )?;
    let rates: Vec<f64> = fit.theta.iter().map(|ln_k| ln_k.exp()).collect();
    for (name, rate) in NAMES.iter().zip(&rates) {
        writeln!(report, "rate      {name:30} {rate:.4e}")?;
    }
    for (name, deviation) in data.names[1..].iter().zip(&deviations) {
        writeln!(report, "deviation {name:30} {deviation:.3}")?;
    }
    if options.data.is_none() {
        let distance = from_published(&rates, &deviations);
        writeln!(
            report,
            "published within {distance:.1e} of the published rates and deviations"
        )?;
        if distance > TOLERANCE {
            return Err(format!(
                "the fit is {distance:.1e} away from the published one; try more --iterations:\n{report}"
            )
            .into());
        }
    }
    writeln!(report, "plot      {}", options.plot.display())?;
    Ok(report)
}

/// The largest relative difference to the published results; infinite if a number is NaN.
fn from_published(rates: &[f64], deviations: &[f64]) -> f64 {
    let published = PUBLISHED.iter().chain(&PUBLISHED_DEVIATIONS);
    rates
        .iter()
        .chain(deviations)
        .zip(published)
        .map(|(found, published)| (found / published - 1.0).abs())
        .fold(
            0.0,
            |a, b| if b.is_nan() { f64::INFINITY } else { a.max(b) },
        )
}

/// The measurements.
struct Data {
    names: Vec<String>,
    /// The times, in minutes.
    times: Vec<f64>,
    /// The three quantities at each time, one time after another.
    measured: Vec<f64>,
}

impl Data {
    fn read(path: &Path) -> Result<Data> {
        let (header, rows) = table::read(path)?;
        let mut data = Data {
            names: header
                .fields()
                .iter()
                .map(|&name| name.to_string())
                .collect(),
            times: Vec::new(),
            measured: Vec::new(),
        };
        if data.names.len() != 1 + MEASURED {
            return Err(header.error(
                "expected the names of four columns: the time, and three measured quantities",
            ));
        }
        if rows.len() < LEAST_TIMES {
            let found = rows.len();
            return Err(header.error(&format!(
                "at least {LEAST_TIMES} times are needed, {found} follow"
            )));
        }
        for row in &rows {
            let numbers = row.numbers(1 + MEASURED)?;
            if numbers[0] < 0.0 || data.times.last().is_some_and(|&last| numbers[0] <= last) {
                return Err(row
                    .error("the time must be later than that of the row above, and not negative"));
            }
            data.times.push(numbers[0]);
            data.measured.extend_from_slice(&numbers[1..]);
        }
        Ok(data)
    }

    /// The number of times, of which there are a few.
    #[allow(clippy::cast_precision_loss)]
    fn count(&self) -> f64 {
        self.times.len() as f64
    }
}

/// The measurements as dots, the fitted model as lines.
fn draw(path: &Path, data: &Data, ln_k: &[f64]) -> Result<()> {
    let last = data.times[data.times.len() - 1];
    let times: Vec<f64> = (0..=DRAWN)
        .map(|k| last * f64::from(k) / f64::from(DRAWN))
        .collect();
    let (states, _) = solve(ln_k, &times)?;
    let model: Vec<[f64; MEASURED]> = states.chunks_exact(SPECIES).map(observed).collect();
    let mut series = Vec::new();
    for (j, colour) in [plot::BLUE, plot::ORANGE, plot::GREEN]
        .into_iter()
        .enumerate()
    {
        let measured = data.measured.iter().skip(j).step_by(MEASURED);
        series.push(Series {
            name: &data.names[1 + j],
            colour,
            mark: Mark::Dots(data.times.iter().copied().zip(measured.copied()).collect()),
        });
        let model = model.iter().map(|quantities| quantities[j]);
        series.push(Series {
            name: "model",
            colour,
            mark: Mark::Line(times.iter().copied().zip(model).collect()),
        });
    }
    let labels = Labels {
        title: "STAT5A and STAT5B in cells that erythropoietin stimulates",
        x: &data.names[0],
        y: "per cent",
    };
    let side = 0.02 * last;
    plot::write(path, &labels, (-side..last + side, 0.0..105.0), &series)
}

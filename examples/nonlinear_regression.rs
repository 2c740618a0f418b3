//! A nonlinear regression by the Levenberg-Marquardt method: a quotient of cubic polynomials is fitted to the mobility of
//! electrons in a semiconductor, with exact Jacobians, and compared with the results that NIST certifies.
//!
//! ```text
//! cargo run --release --example nonlinear_regression
//! ```

// Loops over indices, as in the formulas.
#![allow(clippy::needless_range_loop)]

use chainrule::levenberg_marquardt::LeastSquares;
use chainrule::prelude::*;
use clap::Parser;
use levenberg_marquardt::{LevenbergMarquardt, MinimizationReport};
use nalgebra::{DMatrix, DVector};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use support::plot::{self, Labels, Mark, Series};
use support::{Result, differences, table};

/// The number of parameters of the curve.
const PARAMETERS: usize = 7;
/// The far one of the two starting points that NIST proposes.
const START: [f64; PARAMETERS] = [1000.0, 1000.0, 400.0, 40.0, 0.7, 0.3, 0.03];
/// The results that NIST certifies for the example's data: parameters, their standard errors, and the sum of squares.
const CERTIFIED: [f64; PARAMETERS] = [
    1.288_139_680_0e3,
    1.491_079_253_5e3,
    5.832_383_687_7e2,
    7.541_664_429_1e1,
    9.662_950_286_4e-1,
    3.979_728_579_7e-1,
    4.972_729_734_9e-2,
];
const CERTIFIED_ERRORS: [f64; PARAMETERS] = [
    4.664_796_334_4,
    3.957_115_608_6e1,
    2.869_869_610_2e1,
    5.567_537_027_0,
    3.133_334_068_7e-2,
    1.498_492_819_8e-2,
    6.584_234_462_3e-3,
];
const CERTIFIED_SQUARES: f64 = 5.642_708_239_7e3;
/// The largest relative difference to the certified results.
const TOLERANCE: f64 = 1e-6;
/// The number of points of the curve in the plot.
const DRAWN: u32 = 300;

/// The curve: `(b0 + b1 x + b2 x² + b3 x³) / (1 + b4 x + b5 x² + b6 x³)`.
#[differentiable]
fn mobility(b: &[f64], x: f64) -> f64 {
    (b[0] + x * (b[1] + x * (b[2] + x * b[3]))) / (1.0 + x * (b[4] + x * (b[5] + x * b[6])))
}

/// The differences between the curve and the measurements.
#[differentiable]
fn residuals(b: &[f64], #[constant] x: &[f64], #[constant] y: &[f64]) -> Vec<f64> {
    let mut all = Vec::with_capacity(x.len());
    for i in 0..x.len() {
        all.push(mobility(b, x[i]) - y[i]);
    }
    all
}

/// Fits a quotient of cubic polynomials to a table of numbers by least squares.
#[derive(Parser)]
struct Options {
    /// The table: a first line with the names of the two columns, then the two numbers of each row, in the order of the first
    /// [default: the data that comes with the example]
    #[arg(long, value_name = "FILE")]
    data: Option<PathBuf>,

    /// The file for the plot of data and curve, as SVG
    #[arg(long, value_name = "FILE", default_value = "nonlinear_regression.svg")]
    plot: PathBuf,

    /// The parameters at the start of the search
    #[arg(long, value_name = "NUMBER", num_args = PARAMETERS, allow_negative_numbers = true, default_values_t = START)]
    start: Vec<f64>,
}

fn main() -> ExitCode {
    let options = Options::parse();
    support::report(|| run(&options))
}

fn run(options: &Options) -> Result<String> {
    let path = match &options.data {
        Some(path) => path.clone(),
        None => support::data("thurber.csv"),
    };
    let data = Data::read(&path)?;
    if let Some(wrong) = options.start.iter().find(|b| !b.is_finite()) {
        return Err(format!("--start: the parameters must be finite, not {wrong}").into());
    }
    let start = LeastSquares::new(
        &options.start,
        |b| residuals(b, &data.x, &data.y),
        |b| residuals::jacobian(b, &data.x, &data.y),
    );
    let (fit, course) = LevenbergMarquardt::new().minimize(start);
    if !course.termination.was_successful() {
        let reason = course.termination;
        return Err(
            format!("the search ends without a fit, with {reason:?}: try another --start").into(),
        );
    }
    let b = fit.parameters();
    let errors = standard_errors(b, &data)?;

    // The gradient of half the sum of squares is the transposed Jacobian times the residuals.
    let half_squares = |b: &[f64]| {
        let all = residuals(b, &data.x, &data.y);
        0.5 * all.iter().map(|r| r * r).sum::<f64>()
    };
    let (r, jacobian) = residuals_and_jacobian(&options.start, &data);
    let gradient = jacobian.tr_mul(&r);
    let check = differences::disagreement(&options.start, gradient.as_slice(), half_squares);
    draw(&options.plot, &data, b)?;

    let mut report = String::new();
    describe(&mut report, &data, b, &course, &errors)?;
    check.describe(&mut report)?;
    check.require(1e-8)?;
    if options.data.is_none() {
        let distance = from_certified(b, &errors, 2.0 * course.objective_function);
        writeln!(
            report,
            "certified within {distance:.1e} of the parameters, errors and squares that NIST certifies"
        )?;
        if distance > TOLERANCE {
            return Err(format!(
                "the fit is {distance:.1e} away from what NIST certifies: try another --start"
            )
            .into());
        }
    }
    writeln!(report, "plot      {}", options.plot.display())?;
    Ok(report)
}

fn describe(
    report: &mut String,
    data: &Data,
    b: &[f64],
    course: &MinimizationReport<f64>,
    errors: &[f64],
) -> Result<()> {
    let Data { names, x, .. } = data;
    writeln!(
        report,
        "data      {} rows: {}, {}",
        x.len(),
        names[0],
        names[1]
    )?;
    writeln!(
        report,
        "Marquardt {} residuals: sum of squares {:.6}",
        course.number_of_evaluations,
        2.0 * course.objective_function
    )?;
    for (i, (b, error)) in b.iter().zip(errors).enumerate() {
        writeln!(report, "b[{i}]      {b:.8e}, standard error {error:.3e}")?;
    }
    Ok(())
}

/// The largest relative difference to the certified results; infinite if a number is NaN.
fn from_certified(b: &[f64], errors: &[f64], squares: f64) -> f64 {
    let found = b.iter().chain(errors).chain([&squares]);
    let certified = CERTIFIED
        .iter()
        .chain(&CERTIFIED_ERRORS)
        .chain([&CERTIFIED_SQUARES]);
    found
        .zip(certified)
        .map(|(found, certified)| (found / certified - 1.0).abs())
        .fold(
            0.0,
            |a, b| if b.is_nan() { f64::INFINITY } else { a.max(b) },
        )
}

/// The measurements.
struct Data {
    names: [String; 2],
    x: Vec<f64>,
    y: Vec<f64>,
}

impl Data {
    /// Reads the table; an error if it doesn't determine a curve.
    fn read(path: &Path) -> Result<Data> {
        let (header, rows) = table::read(path)?;
        let [first, second] = header.fields()[..] else {
            return Err(header.error("expected the names of two columns"));
        };
        let names = [first.to_string(), second.to_string()];
        if rows.len() <= PARAMETERS {
            let found = rows.len();
            return Err(header.error(&format!(
                "more than {PARAMETERS} rows are needed, as the curve has so many parameters, {found} follow"
            )));
        }
        let (mut x, mut y) = (Vec::new(), Vec::new());
        for row in &rows {
            let numbers = row.numbers(2)?;
            if x.last().is_some_and(|&last| numbers[0] < last) {
                return Err(
                    row.error("the first number must not be less than that of the row above")
                );
            }
            x.push(numbers[0]);
            y.push(numbers[1]);
        }
        Ok(Data { names, x, y })
    }
}

/// The residuals and their Jacobian, which is written row by row.
fn residuals_and_jacobian(b: &[f64], data: &Data) -> (DVector<f64>, DMatrix<f64>) {
    let mut rows = vec![0.0; data.x.len() * b.len()];
    let r = residuals::jacobian_into(b, &data.x, &data.y, &mut rows);
    (
        DVector::from_vec(r),
        DMatrix::from_row_slice(data.x.len(), b.len(), &rows),
    )
}

/// The standard errors of the parameters: the roots of the diagonal of `s² (JᵀJ)⁻¹`, where `s²` is the sum of squares over
/// the degrees of freedom. `JᵀJ` is `RᵀR` of the QR factorisation of `J`, whose columns are scaled to length 1 first.
fn standard_errors(b: &[f64], data: &Data) -> Result<Vec<f64>> {
    let (r, mut jacobian) = residuals_and_jacobian(b, data);
    let freedom: u32 = (r.len() - b.len()).try_into()?;
    let lengths: Vec<f64> = jacobian.column_iter().map(|column| column.norm()).collect();
    for (mut column, length) in jacobian.column_iter_mut().zip(&lengths) {
        column /= *length;
    }
    let deviation = (r.norm_squared() / f64::from(freedom)).sqrt();
    let inverse = jacobian
        .qr()
        .r()
        .solve_upper_triangular(&DMatrix::identity(b.len(), b.len()))
        .filter(|inverse| inverse.iter().all(|entry| entry.is_finite()))
        .ok_or("the data doesn't determine the parameters: the Jacobian has dependent columns")?;
    let rows = inverse.row_iter().zip(&lengths);
    Ok(rows
        .map(|(row, length)| deviation * row.norm() / length)
        .collect())
}

/// The data as dots, the fitted curve as a line.
fn draw(path: &Path, data: &Data, b: &[f64]) -> Result<()> {
    let dots: Vec<(f64, f64)> = data.x.iter().copied().zip(data.y.iter().copied()).collect();
    let (first, last) = (data.x[0], data.x[data.x.len() - 1]);
    let curve: Vec<(f64, f64)> = (0..=DRAWN)
        .map(|k| first + (last - first) * f64::from(k) / f64::from(DRAWN))
        .map(|x| (x, mobility(b, x)))
        .collect();
    let least = data.y.iter().copied().fold(0.0, f64::min);
    let most = data.y.iter().copied().fold(0.0, f64::max);
    let margin = 0.15 * (most - least).max(f64::MIN_POSITIVE);
    let labels = Labels {
        title: "A quotient of cubic polynomials, by Levenberg-Marquardt",
        x: &data.names[0],
        y: &data.names[1],
    };
    let series = [
        Series {
            name: "curve",
            colour: plot::BLUE,
            mark: Mark::Line(curve),
        },
        Series {
            name: "data",
            colour: plot::ORANGE,
            mark: Mark::Dots(dots),
        },
    ];
    let side = 0.05 * (last - first).max(f64::MIN_POSITIVE);
    plot::write(
        path,
        &labels,
        (first - side..last + side, least..most + margin),
        &series,
    )
}

//! Newton's method with exact sparse Hessians, in a trust region, on the chained Rosenbrock function, whose minimum is in a curved valley.
//!
//! ```text
//! cargo run --release --example newton
//! ```

use argmin::core::observers::{Observe, ObserverMode};
use argmin::core::{CostFunction, Error, Executor, Gradient, Hessian, IterState, KV, State};
use argmin::solver::trustregion::{Steihaug, TrustRegion};
use argmin_math::ArgminDot;
use chainrule::prelude::*;
use chainrule::sparse::{HessianPlan, Pattern, SparseMatrix};
use clap::Parser;
use std::cell::RefCell;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::rc::Rc;
use support::plot::{self, Labels, Mark, Series};
use support::{Result, differences};

/// The search ends at this value. The minimum is 0.
const TARGET: f64 = 1e-20;

/// The sum over neighbours of `100 (x[i + 1] - x[i]²)² + (1 - x[i])²`.
#[differentiable]
fn rosenbrock(x: &[f64]) -> f64 {
    let mut total = 0.0;
    for i in 1..x.len() {
        let (a, b) = (1.0 - x[i - 1], x[i] - x[i - 1] * x[i - 1]);
        total += a * a + 100.0 * b * b;
    }
    total
}

/// Minimises the chained Rosenbrock function by a trust region, and plots the path of its first two variables.
#[derive(Parser)]
struct Options {
    /// The number of variables
    #[arg(long, value_name = "NUMBER", default_value_t = 1000)]
    variables: usize,

    /// The file for the plot, as SVG
    #[arg(long, value_name = "FILE", default_value = "newton.svg")]
    plot: PathBuf,

    /// The largest number of iterations
    #[arg(long, value_name = "NUMBER", default_value_t = 20_000)]
    iterations: u64,
}

fn main() -> ExitCode {
    let options = Options::parse();
    support::report(|| run(&options))
}

fn run(options: &Options) -> Result<String> {
    if options.variables < 2 {
        let found = options.variables;
        return Err(format!("--variables: there must be at least 2, not {found}").into());
    }
    // Near (-1, 1, 1, ..) the function of four variables or more has another minimum.
    let start = vec![0.0; options.variables];
    let found = minimise(&start, options.iterations)?;
    // The plot shows the search with two variables.
    let drawn = minimise(&[-1.2, 1.0], options.iterations)?;
    draw(&options.plot, &drawn.way)?;

    let mut gradient = vec![0.0; start.len()];
    let first = rosenbrock::value_and_gradient_into(&start, &mut gradient);
    let check = differences::disagreement(&start, &gradient, rosenbrock);
    rosenbrock::value_and_gradient_into(&found.x, &mut gradient);
    let norm = gradient.iter().map(|g| g * g).sum::<f64>().sqrt();
    let furthest = found.x.iter().map(|x| (x - 1.0).abs()).fold(0.0, f64::max);

    let mut report = String::new();
    writeln!(
        report,
        "hessian   {} variables, {} entries, {} products",
        options.variables, found.entries, found.passes
    )?;
    writeln!(
        report,
        "Newton    {} iterations, {} of them of two variables: {}",
        found.way.len() - 1 + drawn.way.len() - 1,
        drawn.way.len() - 1,
        if found.value <= TARGET {
            "converged"
        } else {
            "stopped"
        }
    )?;
    writeln!(
        report,
        "value     {:.1e} (from {first:.6}), norm of the gradient {norm:.1e}",
        found.value
    )?;
    writeln!(report, "distance  {furthest:.1e} from all ones at most")?;
    check.describe(&mut report)?;
    writeln!(report, "plot      {}", options.plot.display())?;
    check.require(1e-8)?;
    Ok(report)
}

/// The result of the search.
struct Found {
    x: Vec<f64>,
    value: f64,
    /// The first two variables, at the start and after each iteration.
    way: Vec<(f64, f64)>,
    entries: usize,
    passes: usize,
}

fn minimise(start: &[f64], iterations: u64) -> Result<Found> {
    let pattern = Pattern::along(start.len(), |v| rosenbrock::hvp(start, v));
    let plan = HessianPlan::new(&pattern);
    let (entries, passes) = (pattern.count(), plan.passes());
    let way = Rc::new(RefCell::new(vec![(start[0], start[1])]));
    let inner = Steihaug::new().with_max_iters(200);
    let mut result = Executor::new(Chain { plan }, TrustRegion::new(inner))
        .configure(|state| {
            state
                .param(start.to_vec())
                .max_iters(iterations)
                .target_cost(TARGET)
        })
        .add_observer(Way(Rc::clone(&way)), ObserverMode::Always)
        .run()?;
    let value = result.state.get_best_cost();
    let x = result.state.take_best_param();
    Ok(Found {
        x: x.unwrap_or_else(|| start.to_vec()),
        value,
        way: way.take(),
        entries,
        passes,
    })
}

/// The function, as the solver requires it.
struct Chain {
    plan: HessianPlan,
}

impl CostFunction for Chain {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, x: &Vec<f64>) -> std::result::Result<f64, Error> {
        Ok(rosenbrock(x))
    }
}

impl Gradient for Chain {
    type Param = Vec<f64>;
    type Gradient = Vec<f64>;

    fn gradient(&self, x: &Vec<f64>) -> std::result::Result<Vec<f64>, Error> {
        Ok(rosenbrock::gradient(x))
    }
}

impl Hessian for Chain {
    type Param = Vec<f64>;
    type Hessian = Sparse;

    fn hessian(&self, x: &Vec<f64>) -> std::result::Result<Sparse, Error> {
        Ok(Sparse(self.plan.hessian(|v| rosenbrock::hvp(x, v))?))
    }
}

/// A sparse matrix with the product that the solver requires.
#[derive(Clone)]
struct Sparse(SparseMatrix);

impl ArgminDot<Vec<f64>, Vec<f64>> for Sparse {
    fn dot(&self, x: &Vec<f64>) -> Vec<f64> {
        self.0.times(x)
    }
}

/// Records the point of each iteration.
struct Way(Rc<RefCell<Vec<(f64, f64)>>>);

type SolverState = IterState<Vec<f64>, Vec<f64>, (), Sparse, (), f64>;

impl Observe<SolverState> for Way {
    fn observe_iter(&mut self, state: &SolverState, _: &KV) -> std::result::Result<(), Error> {
        if let Some(x) = state.get_param() {
            self.0.borrow_mut().push((x[0], x[1]));
        }
        Ok(())
    }
}

/// Plots the path over the contours.
fn draw(path: &Path, way: &[(f64, f64)]) -> Result<()> {
    let (x, y) = (-1.6..1.6, -0.6..1.8);
    let levels: Vec<f64> = (0..=6).map(|k| 10.0_f64.powf(0.5 * f64::from(k))).collect();
    let height = |x: f64, y: f64| rosenbrock(&[x, y]);
    let series = [
        Series {
            name: "contours of the value, from 1 to 1000",
            colour: plot::GREY,
            mark: Mark::Curves(plot::contours(height, (x.clone(), y.clone()), &levels)),
        },
        Series {
            name: "steps",
            colour: plot::BLUE,
            mark: Mark::Line(way.to_vec()),
        },
        Series {
            name: "iterations",
            colour: plot::ORANGE,
            mark: Mark::Dots(way.to_vec()),
        },
    ];
    let labels = Labels {
        title: "Newton's method in a trust region",
        x: "x[0]",
        y: "x[1]",
    };
    plot::write(path, &labels, (x, y), &series)
}

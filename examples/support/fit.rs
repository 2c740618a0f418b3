//! Minimising by L-BFGS, given one function that returns the value and the gradient.

use crate::Result;
use argmin::core::observers::{Observe, ObserverMode};
use argmin::core::{
    CostFunction, Error, Executor, Gradient, IterState, KV, State, TerminationReason,
    TerminationStatus,
};
use argmin::solver::linesearch::MoreThuenteLineSearch;
use argmin::solver::quasinewton::LBFGS;
use indicatif::{ProgressBar, ProgressStyle};
use std::cell::RefCell;
use std::fmt::{self, Write};
use std::rc::Rc;

/// The number of past steps that L-BFGS stores.
const MEMORY: usize = 10;
/// The norm of the gradient, relative to the first one, at which the search ends if the gradient is exact.
const TOLERANCE: f64 = 1e-9;

/// The result of the search.
pub struct Fit {
    /// The point with the least value.
    pub theta: Vec<f64>,
    /// The value at `theta`.
    pub value: f64,
    /// The norm of the gradient at `theta`.
    pub gradient_norm: f64,
    /// The value at the start and after each iteration.
    pub values: Vec<f64>,
    /// The number of evaluations of the value and the gradient.
    pub evaluations: usize,
    /// The reason for the end of the search.
    pub reason: String,
}

impl Fit {
    /// Adds the course and the result of the search to the report.
    ///
    /// # Errors
    ///
    /// Never: a `String` takes everything.
    pub fn describe(&self, report: &mut String) -> fmt::Result {
        let iterations = self.values.len() - 1;
        writeln!(
            report,
            "L-BFGS    {iterations} iterations, {} gradients: {}",
            self.evaluations, self.reason
        )?;
        writeln!(
            report,
            "loss      {:.6} (from {:.6}), norm of the gradient {:.1e}",
            self.value, self.values[0], self.gradient_norm
        )
    }
}

/// Minimises a function of `start.len()` variables. `value_and_gradient` returns the value and overwrites its
/// second argument with the gradient.
///
/// # Errors
///
/// When the value or the gradient at `start` is not finite.
pub fn minimise<F>(start: Vec<f64>, iterations: u64, value_and_gradient: F) -> Result<Fit>
where
    F: Fn(&[f64], &mut [f64]) -> f64,
{
    minimise_to(TOLERANCE, start, iterations, value_and_gradient)
}

/// The same with a gradient that isn't exact: `tolerance` is the norm of the gradient, relative to the first one, at which the search ends.
///
/// # Errors
///
/// When the value or the gradient at `start` is not finite.
pub fn minimise_to<F>(
    tolerance: f64,
    start: Vec<f64>,
    iterations: u64,
    value_and_gradient: F,
) -> Result<Fit>
where
    F: Fn(&[f64], &mut [f64]) -> f64,
{
    let mut gradient = vec![0.0; start.len()];
    let value = value_and_gradient(&start, &mut gradient);
    let first_norm = norm(&gradient);
    if !value.is_finite() || !first_norm.is_finite() {
        return Err(format!("the loss can't be minimised: at the start it is {value}").into());
    }
    // The first step of L-BFGS is the gradient itself, so its length has to make sense.
    let scale = 1.0 / first_norm.max(f64::MIN_POSITIVE);
    let values = Rc::new(RefCell::new(vec![value]));
    let last = Rc::new(RefCell::new(Evaluation::default()));
    let problem = Objective {
        value_and_gradient: &value_and_gradient,
        scale,
        last: Rc::clone(&last),
    };
    let solver = LBFGS::new(MoreThuenteLineSearch::new(), MEMORY).with_tolerance_grad(tolerance)?;
    let progress = Progress {
        bar: progress_bar(iterations)?,
        scale,
        values: Rc::clone(&values),
    };
    let mut result = Executor::new(problem, solver)
        .configure(|state| state.param(start.clone()).max_iters(iterations))
        .add_observer(progress, ObserverMode::Always)
        .run()?;
    let theta = result.state.take_best_param().unwrap_or(start);
    let value = value_and_gradient(&theta, &mut gradient);
    Ok(Fit {
        value,
        gradient_norm: norm(&gradient),
        theta,
        values: values.take(),
        evaluations: last.borrow().count,
        reason: match result.state.get_termination_status() {
            TerminationStatus::Terminated(TerminationReason::SolverConverged) => "converged".into(),
            TerminationStatus::Terminated(reason) => reason.text().to_lowercase(),
            TerminationStatus::NotTerminated => "interrupted".into(),
        },
    })
}

/// The Euclidean norm.
fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// The solver asks for value and gradient one at a time, mostly at the same point; they are computed together.
struct Objective<'f, F> {
    value_and_gradient: &'f F,
    scale: f64,
    last: Rc<RefCell<Evaluation>>,
}

#[derive(Default)]
struct Evaluation {
    at: Vec<f64>,
    value: f64,
    gradient: Vec<f64>,
    count: usize,
}

impl<F: Fn(&[f64], &mut [f64]) -> f64> Objective<'_, F> {
    /// Passes the value and the gradient at `theta` to `take`.
    fn at<T>(&self, theta: &[f64], take: impl FnOnce(f64, &[f64]) -> T) -> T {
        let mut last = self.last.borrow_mut();
        let last = &mut *last;
        if last.count == 0 || last.at != theta {
            last.at = theta.to_vec();
            last.gradient.resize(theta.len(), 0.0);
            last.value = (self.value_and_gradient)(theta, &mut last.gradient);
            last.count += 1;
        }
        take(last.value, &last.gradient)
    }
}

impl<F: Fn(&[f64], &mut [f64]) -> f64> CostFunction for Objective<'_, F> {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, theta: &Vec<f64>) -> std::result::Result<f64, Error> {
        Ok(self.at(theta, |value, _| self.scale * value))
    }
}

impl<F: Fn(&[f64], &mut [f64]) -> f64> Gradient for Objective<'_, F> {
    type Param = Vec<f64>;
    type Gradient = Vec<f64>;

    fn gradient(&self, theta: &Vec<f64>) -> std::result::Result<Vec<f64>, Error> {
        let scaled = |gradient: &[f64]| gradient.iter().map(|g| self.scale * g).collect();
        Ok(self.at(theta, |_, gradient| scaled(gradient)))
    }
}

/// Shows each iteration on the terminal and keeps its value.
struct Progress {
    bar: ProgressBar,
    scale: f64,
    values: Rc<RefCell<Vec<f64>>>,
}

type SolverState = IterState<Vec<f64>, Vec<f64>, (), (), (), f64>;

impl Observe<SolverState> for Progress {
    fn observe_iter(&mut self, state: &SolverState, _: &KV) -> std::result::Result<(), Error> {
        // After a line search that failed there is no new point.
        if state.get_param().is_some() {
            let value = state.get_cost() / self.scale;
            self.values.borrow_mut().push(value);
            self.bar.set_message(format!("loss {value:.6}"));
            self.bar.inc(1);
        }
        Ok(())
    }

    fn observe_final(&mut self, _: &SolverState) -> std::result::Result<(), Error> {
        self.bar.finish_and_clear();
        Ok(())
    }
}

/// A bar on stderr, hidden where that is not a terminal.
fn progress_bar(iterations: u64) -> Result<ProgressBar> {
    let style = ProgressStyle::with_template("L-BFGS {bar:30} {pos} of at most {len}  {msg}")?;
    Ok(ProgressBar::new(iterations).with_style(style))
}

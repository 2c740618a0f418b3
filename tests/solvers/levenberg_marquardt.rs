//! Fits of `levenberg-marquardt` are those that are known, and what can't be fitted ends the search with a reason.

use chainrule::levenberg_marquardt::LeastSquares;
use chainrule::prelude::*;
use levenberg_marquardt::{LeastSquaresProblem, LevenbergMarquardt, TerminationReason};

/// The difference between a saturating curve and measurements.
#[differentiable]
fn misra(b: &[f64], #[constant] x: &[f64], #[constant] y: &[f64]) -> Vec<f64> {
    let mut all = Vec::new();
    for i in 0..x.len() {
        all.push(b[0] * (1.0 - (-b[1] * x[i]).exp()) - y[i]);
    }
    all
}

/// The data set Misra1a of the Statistical Reference Datasets of NIST, <https://www.itl.nist.gov/div898/strd/nls/data/misra1a.shtml>.
const Y: [f64; 14] = [
    10.07, 14.73, 17.94, 23.93, 29.61, 35.18, 40.02, 44.82, 50.76, 55.05, 61.01, 66.40, 75.47,
    81.78,
];
const X: [f64; 14] = [
    77.6, 114.9, 141.1, 190.8, 239.9, 289.0, 332.8, 378.4, 434.8, 477.3, 536.8, 593.1, 689.1, 760.0,
];

#[test]
fn a_fit_is_the_certified_one() {
    for start in [[500.0, 0.0001], [250.0, 0.0005]] {
        let problem =
            LeastSquares::new(&start, |b| misra(b, &X, &Y), |b| misra::jacobian(b, &X, &Y));
        assert_eq!(problem.parameters(), start);
        let (fit, report) = LevenbergMarquardt::new().minimize(problem);
        assert!(report.termination.was_successful());
        let certified = [2.389_421_291_8e2, 5.501_564_318_1e-4];
        for (found, certified) in fit.parameters().iter().zip(certified) {
            assert!((found / certified - 1.0).abs() < 1e-9, "{found}");
        }
        let squares = 2.0 * report.objective_function;
        assert!(
            (squares / 1.245_513_889_4e-1 - 1.0).abs() < 1e-9,
            "{squares}"
        );
    }
}

#[test]
fn the_jacobian_has_a_row_for_each_residual() {
    let problem = LeastSquares::new(
        &[2.0, 0.5],
        |b| misra(b, &[1.0, 2.0, 4.0], &[0.0; 3]),
        |b| misra::jacobian(b, &[1.0, 2.0, 4.0], &[0.0; 3]),
    );
    let (values, jacobian) = (problem.residuals().unwrap(), problem.jacobian().unwrap());
    assert_eq!((values.len(), jacobian.shape()), (3, (3, 2)));
    for (i, x) in [1.0_f64, 2.0, 4.0].into_iter().enumerate() {
        let decay = (-0.5 * x).exp();
        assert_eq!(values[i], 2.0 * (1.0 - decay));
        assert!((jacobian[(i, 0)] - (1.0 - decay)).abs() < 1e-15);
        assert!((jacobian[(i, 1)] - 2.0 * x * decay).abs() < 1e-15);
    }
}

/// Without data there is nothing to pass but the function and its driver.
#[differentiable]
fn rosenbrock(x: &[f64]) -> Vec<f64> {
    vec![1.0 - x[0], 10.0 * (x[1] - x[0] * x[0])]
}

#[test]
fn functions_are_passed_by_name() {
    let start = LeastSquares::new(&[-1.2, 1.0], rosenbrock, rosenbrock::jacobian);
    let again = start.clone();
    let (fit, report) = LevenbergMarquardt::new().minimize(start);
    assert_eq!(report.termination, TerminationReason::ResidualsZero);
    assert_eq!(fit.parameters(), [1.0, 1.0]);
    assert_eq!(again.parameters(), [-1.2, 1.0]);
}

/// A problem that has no residuals where `x` isn't below `border`.
#[differentiable]
fn bordered(x: &[f64], #[constant] border: f64) -> Result<Vec<f64>, String> {
    if x[0] >= border {
        return Err(format!("{} is beyond the border", x[0]));
    }
    Ok(vec![x[0] - 3.0, 0.1 * x[0]])
}

#[test]
fn none_ends_the_search() {
    let end = |start, border| {
        let problem = LeastSquares::new(
            &[start],
            move |x| bordered(x, border).ok(),
            move |x| bordered::jacobian(x, border).ok(),
        );
        let (fit, report) = LevenbergMarquardt::new().minimize(problem);
        (fit.parameters()[0], report.termination)
    };
    let (x, reason) = end(0.0, 10.0);
    assert!(reason.was_successful());
    assert!((x - 3.0 / 1.01).abs() < 1e-12, "{x}");
    assert_eq!(end(0.0, 2.0).1, TerminationReason::User("residuals"));
    assert_eq!(end(4.0, 2.0).1, TerminationReason::User("residuals"));

    let no_jacobian = LeastSquares::new(&[0.0], |x| vec![x[0] - 1.0], |_| None);
    let (_, report) = LevenbergMarquardt::new().minimize(no_jacobian);
    assert_eq!(report.termination, TerminationReason::User("jacobian"));
}

/// Not a number where `x` is negative. The first step from 0.01 leads there, since the logarithm is steep.
#[differentiable]
fn logarithm(x: &[f64]) -> Vec<f64> {
    vec![x[0].ln() + 10.0, x[0] * x[0]]
}

#[test]
fn a_step_to_residuals_that_are_not_finite_is_shortened() {
    use std::cell::Cell;
    let not_finite = Cell::new(0);
    let residuals = |x: &[f64]| {
        let all = logarithm(x);
        not_finite.set(not_finite.get() + u32::from(!all[0].is_finite()));
        all
    };
    let problem = LeastSquares::new(&[0.01], residuals, logarithm::jacobian);
    let (fit, report) = LevenbergMarquardt::new().minimize(problem);
    assert!(report.termination.was_successful());
    assert!(not_finite.get() > 0);
    let x = fit.parameters()[0];
    // The derivative of the sum of squares: 2 (ln x + 10) / x + 4 x³.
    assert!((x.ln() + 10.0 + 2.0 * x.powi(4)).abs() < 1e-9, "{x}");
}

/// The derivative at 0 is infinite.
#[differentiable]
fn root(x: &[f64]) -> Vec<f64> {
    vec![x[0].sqrt() + 1.0]
}

#[test]
fn numbers_that_are_not_finite_where_they_are_needed_end_the_search() {
    let end = |start: f64| {
        let problem = LeastSquares::new(&[start], logarithm, logarithm::jacobian);
        LevenbergMarquardt::new().minimize(problem).1.termination
    };
    let at_the_start = TerminationReason::Numerical("residuals norm");
    assert_eq!(end(-1.0), at_the_start);
    assert_eq!(end(0.0), at_the_start);
    assert_eq!(end(f64::NAN), at_the_start);

    let problem = LeastSquares::new(&[0.0], root, root::jacobian);
    let (_, report) = LevenbergMarquardt::new().minimize(problem);
    assert_eq!(report.termination, TerminationReason::Numerical("jacobian"));
}

#[test]
fn wrong_shapes_end_the_search() {
    let x = [1.0, 2.0, 4.0];
    let wrong = |count: usize| {
        let problem = LeastSquares::new(
            &[2.0, 0.5],
            |b| misra(b, &x, &[1.0; 3]),
            move |b| misra::jacobian(b, &x[..count], &[1.0; 3]),
        );
        LevenbergMarquardt::new().minimize(problem).1.termination
    };
    assert!(wrong(3).was_successful());
    assert_eq!(wrong(2), TerminationReason::WrongDimensions("jacobian"));

    // A matrix with the right number of entries.
    let transposed = LeastSquares::new(
        &[2.0, 0.5],
        |b| misra(b, &x, &[1.0; 3]),
        |_| chainrule::Matrix::zeros(2, 3),
    );
    let (_, report) = LevenbergMarquardt::new().minimize(transposed);
    let wrong = TerminationReason::WrongDimensions("jacobian");
    assert_eq!(report.termination, wrong);

    // As many residuals as the search has taken points.
    let calls = std::cell::Cell::new(2);
    let residuals = |b: &[f64]| {
        calls.set(calls.get() + 1);
        misra(b, &vec![1.0; calls.get()], &vec![1.0; calls.get()])
    };
    let changing = LeastSquares::new(&[2.0, 0.5], residuals, |b| {
        misra::jacobian(b, &x, &[1.0; 3])
    });
    let (_, report) = LevenbergMarquardt::new().minimize(changing);
    let wrong = TerminationReason::WrongDimensions("residuals");
    assert_eq!(report.termination, wrong);

    let none = LeastSquares::new(&[], |_| vec![1.0], |_| chainrule::Matrix::zeros(1, 0));
    let (_, report) = LevenbergMarquardt::new().minimize(none);
    assert_eq!(report.termination, TerminationReason::NoParameters);
    let none = LeastSquares::new(&[1.0], |_| Vec::new(), |_| chainrule::Matrix::zeros(0, 1));
    let (_, report) = LevenbergMarquardt::new().minimize(none);
    assert_eq!(report.termination, TerminationReason::NoResiduals);
}

#[test]
#[should_panic(expected = "index out of bounds")]
fn a_start_with_too_few_parameters_panics_in_the_function() {
    let problem = LeastSquares::new(&[1.0], rosenbrock, rosenbrock::jacobian);
    LevenbergMarquardt::new().minimize(problem);
}

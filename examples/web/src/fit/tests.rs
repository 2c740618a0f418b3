//! The gradient against its closed form, and fits from several starts, of good and of degenerate data.

use super::{Fit, Method, Parameters};
use crate::data::{FRAME, POINTS, RANGES, STARTS};

const METHODS: [Method; 2] = [Method::Descent, Method::Marquardt];

/// The gradient of the sum of squares, by hand.
fn closed_form(parameters: &Parameters, points: &[(f64, f64)]) -> Parameters {
    let [a, b, w, c] = *parameters;
    let mut gradient = [0.0; 4];
    for &(t, y) in points {
        let (envelope, cos, sin) = ((-b * t).exp(), (w * t).cos(), (w * t).sin());
        let residual = c + a * envelope * cos - y;
        let partials = [
            envelope * cos,
            -t * a * envelope * cos,
            -t * a * envelope * sin,
            1.0,
        ];
        for (total, partial) in gradient.iter_mut().zip(partials) {
            *total += 2.0 * residual * partial;
        }
    }
    gradient
}

/// The fit after its last step.
fn fitted(start: Parameters, points: &[(f64, f64)], method: Method) -> Fit {
    let mut fit = Fit::new(start, points);
    while !fit.is_at_rest() && fit.iterations() < 5000 {
        let before = fit.value();
        fit.step(method);
        assert!(fit.is_at_rest() || fit.value() < before);
        assert_finite(&fit);
    }
    fit
}

fn assert_finite(fit: &Fit) {
    let heights = [0.0, 3.0, 10.0].map(|t| fit.curve(t));
    let numbers = (fit.parameters().iter().chain(fit.gradient())).chain(&heights);
    assert!(fit.value().is_finite());
    assert!(numbers.chain(&fit.differences()).all(|x| x.is_finite()));
}

#[test]
fn gradient_is_the_closed_form() {
    for parameters in STARTS {
        let fit = Fit::new(parameters, &POINTS);
        let expected = closed_form(&parameters, &POINTS);
        let largest = expected.iter().fold(0.0_f64, |a, b| a.max(b.abs()));
        let gradients = fit.gradient().iter().zip(fit.differences());
        for ((by_chainrule, by_differences), expected) in gradients.zip(expected) {
            assert!((by_chainrule - expected).abs() < 1e-13 * largest);
            assert!((by_differences - expected).abs() < 1e-8 * largest);
        }
    }
}

#[test]
fn converges_from_several_starts() {
    let best = fitted([1.8, 0.25, 1.7, 0.3], &POINTS, Method::Marquardt);
    assert!(best.value() < 0.1, "{best:?}");
    for method in METHODS {
        for start in &STARTS[..3] {
            let fit = fitted(*start, &POINTS, method);
            assert!(fit.is_at_rest(), "{method:?} from {start:?}: {fit:?}");
            for (found, expected) in fit.parameters().iter().zip(best.parameters()) {
                assert!((found - expected).abs() < 1e-5, "{method:?} {fit:?}");
            }
        }
    }
}

#[test]
fn frequency_zero_stays_zero() {
    for method in METHODS {
        let fit = fitted(STARTS[3], &POINTS, method);
        assert_eq!(fit.parameters()[2], 0.0);
        assert!(fit.value() > 3.0, "{fit:?}");
    }
}

#[test]
fn both_methods_find_the_same_where_one_point_moves() {
    let mut points = POINTS;
    points[4].1 = 1.5;
    let [descent, marquardt] = METHODS.map(|method| fitted(STARTS[0], &points, method));
    for (a, b) in descent.parameters().iter().zip(marquardt.parameters()) {
        assert!((a - b).abs() < 1e-5, "{descent:?} {marquardt:?}");
    }
}

#[test]
fn degenerate_data_stay_finite() {
    let data: [&[(f64, f64)]; 7] = [
        &[],
        &[(0.0, 1.0)],
        &[(3.0, -2.0)],
        &[(2.0, 1.0); 3],
        &[(2.0, 1.0), (2.0, -1.0), (2.0, 0.5)],
        &[(0.0, 0.0), (10.0, 0.0)],
        &[(f64::NAN, 0.0), (1.0, f64::INFINITY)],
    ];
    for points in data {
        for method in METHODS {
            for start in
                STARTS
                    .into_iter()
                    .chain([[0.0; 4], RANGES.map(|r| r.0), RANGES.map(|r| r.1)])
            {
                let fit = fitted(start, points, method);
                assert!(fit.value() >= 0.0);
            }
        }
    }
}

#[test]
fn no_points_are_at_rest_at_once() {
    let mut fit = Fit::new(STARTS[0], &[]);
    fit.step(Method::Descent);
    assert!(fit.is_at_rest());
    assert_eq!((fit.value(), fit.iterations()), (0.0, 0));
}

#[test]
fn parameters_that_are_not_numbers_are_zero() {
    let fit = Fit::new([f64::NAN, 1.0, f64::INFINITY, 2.0], &POINTS);
    assert_eq!(*fit.parameters(), [0.0, 1.0, 0.0, 2.0]);
}

#[test]
fn converges_from_a_grid_of_starts() {
    for method in METHODS {
        for amplitude in [1.0, 2.0] {
            for decay in [0.0, 0.2] {
                for k in 1..=20 {
                    let start = [amplitude, decay, 0.2 * f64::from(k), 0.5];
                    let fit = fitted(start, &POINTS, method);
                    assert!(fit.value() < 0.04, "{method:?} from {start:?}: {fit:?}");
                }
            }
        }
    }
}

/// Numbers that look random, in a range.
fn scattered(seed: &mut u32, (least, most): (f64, f64)) -> f64 {
    *seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    least + (most - least) * f64::from(*seed) / f64::from(u32::MAX)
}

#[test]
fn scattered_data_stay_finite() {
    let mut seed = 1;
    for count in 0..60 {
        let points: Vec<(f64, f64)> = (0..count % 20)
            .map(|_| FRAME.map(|range| scattered(&mut seed, range)).into())
            .collect();
        let start = RANGES.map(|range| scattered(&mut seed, range));
        for method in METHODS {
            let first = Fit::new(start, &points).value();
            assert!(fitted(start, &points, method).value() <= first);
        }
    }
}

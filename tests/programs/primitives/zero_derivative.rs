//! `#[primitive(zero_derivative)]`: functions that count as constant.

use std::cell::RefCell;

use chainrule::prelude::*;

use crate::check::assert_close;

thread_local! {
    static LOG: RefCell<Vec<f64>> = const { RefCell::new(Vec::new()) };
}

#[primitive(zero_derivative)]
fn bin(x: f64, edges: &[f64]) -> usize {
    edges.iter().filter(|edge| **edge <= x).count()
}

#[primitive(zero_derivative)]
fn normaliser(x: &[f64], offset: f64) -> f64 {
    x.iter().copied().fold(offset, f64::max)
}

#[primitive(zero_derivative)]
fn centred(x: &[f64]) -> Vec<f64> {
    let mean = x.iter().sum::<f64>() / x.len() as f64;
    x.iter().map(|v| v - mean).collect()
}

#[primitive(zero_derivative)]
fn record(x: f64) {
    LOG.with_borrow_mut(|log| log.push(x));
}

#[differentiable]
fn log_sum_exp(x: &[f64]) -> f64 {
    let shift = normaliser(x, x[0]);
    let mut total = 0.0;
    for v in x {
        total += (v - shift).exp();
    }
    total.ln() + shift
}

#[differentiable]
fn weighted(x: &[f64], #[constant] edges: &[f64]) -> f64 {
    let weights = centred(x);
    let mut total = 0.0;
    for i in 0..x.len() {
        record(x[i]);
        total += weights[i] * x[i] * x[i] * bin(x[i], edges) as f64;
    }
    total
}

#[test]
fn its_own_rules_are_zero() {
    let x = [1.5, 2.5];
    assert_eq!(
        normaliser::value_and_gradient(&x, 2.0),
        (2.5, (vec![0.0, 0.0], 0.0))
    );
    let Dual(y, y_dot) = normaliser::frule(Dual(&x, &[1.0, 1.0]), Dual(2.0, 1.0));
    assert_eq!((y, y_dot), (2.5, 0.0));
    let (_, pullback) = normaliser::rrule(&x, 2.0);
    let mut x_bar = [5.0, 6.0];
    assert_eq!(pullback(1.0, CoDual(&x, &mut x_bar)), 0.0);
    assert_eq!(x_bar, [5.0, 6.0]);
    assert_eq!(
        normaliser::hvp(&x, 2.0, &[1.0, 1.0], 1.0),
        (vec![0.0, 0.0], 0.0)
    );
    let jacobian = centred::jacobian(&x);
    assert_eq!(jacobian.as_slice(), [0.0; 4]);
}

/// The shift's value matters, its derivative doesn't: what is left is softmax without the term that the shift would cancel.
#[test]
fn callers_take_it_as_constant() {
    let x = [0.3, 1.1, -0.4];
    let total: f64 = x.iter().map(|v| f64::exp(*v)).sum();
    let softmax: Vec<f64> = x.iter().map(|v| v.exp() / total).collect();
    assert_close(&log_sum_exp::gradient(&x), &softmax);
    let hessian = log_sum_exp::hessian(&x);
    for i in 0..3 {
        for j in 0..3 {
            let want = softmax[i] * (f64::from(i == j) - softmax[j]);
            assert!((hessian[(i, j)] - want).abs() < 1e-14);
        }
    }
}

#[test]
fn results_of_any_type_and_side_effects() {
    let (x, edges) = ([0.5, 1.5, 4.0], [0.0, 1.0, 2.0]);
    let gradient = weighted::gradient(&x, &edges);
    // 2 x (x - mean) bin, with a mean of 2.
    assert_close(
        &gradient,
        &[
            2.0 * 0.5 * -1.5,
            2.0 * 1.5 * -0.5 * 2.0,
            2.0 * 4.0 * 2.0 * 3.0,
        ],
    );
    assert_eq!(LOG.take(), x);
    let hv = weighted::hvp(&x, &edges, &[1.0, 1.0, 1.0]);
    assert_close(&hv, &[2.0 * -1.5, 2.0 * -0.5 * 2.0, 2.0 * 2.0 * 3.0]);
    let Dual(_, y_dot) = weighted::frule(Dual(&x, &[0.0, 0.0, 1.0]), &edges);
    assert_close(&[y_dot], &gradient[2..]);
    assert_eq!(LOG.take().len(), 6);
}

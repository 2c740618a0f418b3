//! Results of calls of which one is chosen: the reverse halves of the others have nothing to do, but to put back what they wrote.

use chainrule::prelude::*;

use crate::check::table;

#[differentiable]
#[inline(never)]
fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

#[differentiable]
fn nearest(x: &[f64], all: &[f64]) -> f64 {
    all.chunks_exact(x.len())
        .map(|c| distance(x, c))
        .fold(f64::INFINITY, f64::min)
}

#[differentiable]
fn furthest(x: &[f64], all: &[f64]) -> f64 {
    let mut most = 0.0;
    for c in all.chunks_exact(x.len()) {
        most = f64::max(most, distance(x, c).sqrt());
    }
    most * x[0]
}

/// It changes its list, and has to put it back, whether its result is chosen or not.
#[differentiable]
#[inline(never)]
fn grown(list: &mut [f64], x: &[f64]) -> f64 {
    let mut sum = 0.0;
    for v in list.iter_mut() {
        *v = *v * x[0] + 0.5;
        sum += *v * *v;
    }
    sum
}

#[differentiable]
fn least_growth(list: &[f64], x: f64) -> f64 {
    let mut own = list.to_vec();
    let mut least = f64::INFINITY;
    for k in 0..4 {
        least = least.min(grown(&mut own, &[x * (k as f64 - 1.5)]));
    }
    least + own[0] * own[1]
}

/// One of a branch, which is no choice between values.
#[differentiable]
fn of_two(x: &[f64], y: &[f64]) -> f64 {
    let (a, b) = (distance(x, y), distance(y, &[0.25, 0.5]));
    let chosen = if a < b { a * a } else { b };
    chosen + f64::max(a, b).min(3.0)
}

/// An infinite derivative of what isn't chosen doesn't matter.
#[differentiable]
#[inline(never)]
fn root(x: &[f64]) -> f64 {
    x[0].sqrt()
}

#[differentiable]
fn larger_root(x: &[f64], y: &[f64]) -> f64 {
    f64::max(root(x), root(y))
}

table! {
    nearest: (&[0.7, 0.2], &[1.0, 2.0, 0.5, 0.1, -0.3, 0.9]), (&[0.7], &[0.2, 1.9]);
    furthest: (&[0.7, 0.2], &[1.0, 2.0, 0.5, 0.1, -0.3, 0.9]);
    least_growth: (&[0.7, -0.2, 0.4], 0.9), (&[1.7, 0.6], -1.3);
    of_two: (&[0.7, 0.2], &[1.0, 2.0]), (&[0.9, 1.8], &[1.0, 2.0]), (&[0.7, 4.2], &[1.0, 2.0]);
}

#[test]
fn an_infinite_derivative_of_a_loser_is_nothing() {
    let (x_bar, y_bar) = larger_root::gradient(&[4.0], &[0.0]);
    assert_eq!((x_bar, y_bar), (vec![0.25], vec![0.0]));
}

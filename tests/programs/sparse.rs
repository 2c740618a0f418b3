//! Sparse Jacobians and Hessians, against the dense ones and closed forms: patterns by runs, numbers of passes, patterns that change.

use chainrule::prelude::*;
use chainrule::sparse::{HessianPlan, JacobianPlan, Pattern, PatternChanged, SparseMatrix};

use crate::check::assert_close;

#[differentiable]
fn rosenbrock(x: &[f64]) -> f64 {
    let mut total = 0.0;
    for i in 1..x.len() {
        let (a, b) = (1.0 - x[i - 1], x[i] - x[i - 1] * x[i - 1]);
        total += a * a + 100.0 * b * b;
    }
    total
}

/// A step of the heat equation with a source: tridiagonal.
#[differentiable]
fn heat(x: &[f64]) -> Vec<f64> {
    let n = x.len();
    let mut y = vec![0.0; n];
    for i in 0..n {
        y[i] = x[i] * x[i] * x[i] - 2.0 * x[i];
        if i > 0 {
            y[i] += x[i - 1];
        }
        if i + 1 < n {
            y[i] += x[i + 1];
        }
    }
    y
}

fn banded(n: usize) -> Pattern {
    let entries = (0..n).flat_map(|i| (i.max(1) - 1..(i + 2).min(n)).map(move |j| (i, j)));
    Pattern::new(n, n, entries)
}

fn points(n: usize) -> Vec<f64> {
    (0..n).map(|i| (0.7 * i as f64).sin() + 0.1).collect()
}

#[test]
fn tridiagonal() {
    for n in 0..12 {
        let x = points(n);
        let pattern = Pattern::along(n, |v| heat::jvp(&x, v).1);
        assert_eq!(pattern, banded(n));
        let plan = JacobianPlan::new(&pattern);
        assert_eq!(plan.passes(), n.min(3));
        let jacobian = plan.jacobian(|v| heat::jvp(&x, v).1).expect("its pattern");
        assert_close(
            jacobian.to_dense().as_slice(),
            heat::jacobian(&x).as_slice(),
        );
        let plan = HessianPlan::new(&Pattern::along(n, |v| rosenbrock::hvp(&x, v)));
        assert_eq!(
            plan.pattern().count(),
            if n == 1 { 0 } else { banded(n).count() }
        );
        let hessian = plan
            .hessian(|v| rosenbrock::hvp(&x, v))
            .expect("its pattern");
        assert_close(
            hessian.to_dense().as_slice(),
            rosenbrock::hessian(&x).as_slice(),
        );
    }
}

/// Time and memory are linear in what isn't zero; a dense matrix of this size would take 80 GB.
#[test]
fn many_unknowns() {
    let n = 100_000;
    let x = points(n);
    let mut passes = 0;
    let pattern = Pattern::along(n, |v| {
        passes += 1;
        heat::jvp(&x, v).1
    });
    assert_eq!(pattern, banded(n));
    assert!(passes < 100, "{passes}");
    let plan = JacobianPlan::new(&pattern);
    let jacobian = plan.jacobian(|v| heat::jvp(&x, v).1).expect("its pattern");
    assert_eq!((plan.passes(), jacobian.values().len()), (3, 3 * n - 2));
    for (i, j, value) in jacobian.triplets() {
        let want = if i == j { 3.0 * x[i] * x[i] - 2.0 } else { 1.0 };
        assert!(
            (value - want).abs() < 1e-12,
            "({i}, {j}): {value}, not {want}"
        );
    }
    let plan = HessianPlan::new(&banded(n));
    let hessian = plan
        .hessian(|v| rosenbrock::hvp(&x, v))
        .expect("its pattern");
    assert_eq!(plan.passes(), 3);
    let (rows, values) = hessian.column(777);
    assert_eq!(rows, [776, 777, 778]);
    let diagonal = 202.0 + 1200.0 * x[777] * x[777] - 400.0 * x[778];
    assert_close(values, &[-400.0 * x[776], diagonal, -400.0 * x[777]]);
}

/// Each residual sees one of the cameras and one of the points.
#[differentiable]
fn seen(
    unknowns: &[f64],
    #[constant] cameras: usize,
    #[constant] pairs: &[(usize, usize)],
) -> Vec<f64> {
    let mut all = Vec::new();
    for k in 0..pairs.len() {
        let (c, p) = (3 * pairs[k].0, 3 * cameras + 2 * pairs[k].1);
        let turned = unknowns[c].sin() * unknowns[p] + unknowns[c + 1];
        all.push(turned * unknowns[c + 2]);
        all.push(unknowns[p + 1] * unknowns[c + 2]);
    }
    all
}

#[test]
fn blocks_of_cameras_and_points() {
    let (cameras, count) = (20, 300);
    let pairs: Vec<_> = (0..count)
        .flat_map(|p| [(p % cameras, p), ((7 * p + 3) % cameras, p)])
        .collect();
    let unknowns = points(3 * cameras + 2 * count);
    let along = |v: &[f64]| seen::jvp(&unknowns, cameras, &pairs, v).1;
    let plan = JacobianPlan::new(&Pattern::along(unknowns.len(), along));
    assert_eq!(plan.pattern().count(), pairs.len() * 6);
    assert!(plan.passes() <= 7, "{}", plan.passes());
    let jacobian = plan.jacobian(along).expect("its pattern");
    let dense = seen::jacobian(&unknowns, cameras, &pairs);
    assert_close(jacobian.to_dense().as_slice(), dense.as_slice());
    // By rows: the transposed pattern, and cotangents.
    let plan = JacobianPlan::new(&plan.pattern().transposed());
    let transposed = plan
        .jacobian(|w| seen::vjp(&unknowns, cameras, &pairs, w.to_vec()).1)
        .expect("its pattern");
    assert_close(transposed.transposed().values(), jacobian.values());
    assert_eq!(transposed.transposed().pattern(), jacobian.pattern());
}

/// One unknown in every term: an arrow, which takes two products.
#[differentiable]
fn arrow(x: &[f64]) -> f64 {
    let mut total = x[0] * x[0] * x[0];
    for i in 1..x.len() {
        total += (x[0] * x[i]).exp();
    }
    total
}

#[test]
fn arrows_take_two_products() {
    let x = points(40);
    let plan = HessianPlan::new(&Pattern::along(40, |v| arrow::hvp(&x, v)));
    assert_eq!((plan.passes(), plan.pattern().count()), (2, 3 * 40 - 2));
    let hessian = plan.hessian(|v| arrow::hvp(&x, v)).expect("its pattern");
    assert_close(hessian.to_dense().as_slice(), arrow::hessian(&x).as_slice());
}

/// An entry that is zero where the pattern was looked for, and not elsewhere.
#[test]
fn zeros_by_chance_count() {
    let zero = [0.0; 4];
    let pattern = Pattern::along(4, |v| heat::jvp(&zero, v).1);
    assert_eq!(pattern, banded(4));
}

#[differentiable]
fn sorted(x: &[f64]) -> Vec<f64> {
    if x[0] < x[1] {
        vec![x[0], x[1] * x[2]]
    } else {
        vec![x[1], x[0] * x[2]]
    }
}

#[test]
fn a_pattern_that_changes_is_noticed() {
    let (low, high) = ([0.0, 1.0, 2.0], [1.0, 0.5, 2.0]);
    let plan = JacobianPlan::new(&Pattern::along(3, |v| sorted::jvp(&low, v).1));
    assert!(plan.jacobian(|v| sorted::jvp(&low, v).1).is_ok());
    let changed = plan.jacobian(|v| sorted::jvp(&high, v).1);
    assert_eq!(changed, Err(PatternChanged::Entry { row: 0 }));
    assert_eq!(
        plan.jacobian(|v| v.to_vec()),
        Err(PatternChanged::Rows {
            expected: 2,
            found: 3
        })
    );
    let other = Pattern::along(3, |v| sorted::jvp(&high, v).1);
    let plan = JacobianPlan::new(&plan.pattern().union(&other));
    for x in [low, high] {
        let jacobian = plan.jacobian(|v| sorted::jvp(&x, v).1).expect("both");
        assert_close(
            jacobian.to_dense().as_slice(),
            sorted::jacobian(&x).as_slice(),
        );
    }
}

#[test]
fn forms_of_a_matrix() {
    let pattern = Pattern::new(2, 3, [(1, 2), (0, 0), (0, 2), (0, 0)]);
    let m = SparseMatrix::new(pattern, vec![1.0, 2.0, 3.0]);
    assert_eq!(m.pattern().column_starts(), [0, 1, 1, 3]);
    assert_eq!(m.pattern().row_indices(), [0, 0, 1]);
    assert_eq!(m.to_dense().as_slice(), [1.0, 0.0, 2.0, 0.0, 0.0, 3.0]);
    let rows = m.transposed();
    assert_eq!(rows.pattern().column_starts(), [0, 2, 3]);
    assert_eq!(
        (rows.pattern().row_indices(), rows.values()),
        (&[0, 2, 2][..], m.values())
    );
    assert_eq!(rows.times(&[1.0, 10.0]), [1.0, 0.0, 32.0]);
}

#[test]
#[should_panic(expected = "row 1 is not a number along the zero direction")]
fn infinite_points() {
    let _ = Pattern::along(2, |v| vec![v[0], v[1] * f64::INFINITY]);
}

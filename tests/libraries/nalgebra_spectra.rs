//! Functions of symmetric matrices of `nalgebra`, at eigenvalues that are equal, nearly equal and distinct.
//!
//! The references are formulas of products, inverses and integrals, which know of no eigenvalues.

use chainrule::nalgebra as linear;
use chainrule::prelude::*;
use nalgebra::DMatrix;

use crate::check::check;

/// A symmetric matrix with these eigenvalues, whose vectors are no unit vectors.
pub(crate) fn with_values(values: &[f64]) -> DMatrix<f64> {
    let n = values.len();
    let v = DMatrix::from_fn(n, 1, |i, _| 1.0 + i as f64);
    let q = DMatrix::identity(n, n) - &v * v.transpose() * (2.0 / v.norm_squared());
    let diagonal = DMatrix::from_fn(n, n, |i, j| if i == j { values[i] } else { 0.0 });
    &q * diagonal * q.transpose()
}

/// Spectra of order three: distinct, equal, and nearly so.
fn spectra() -> Vec<[f64; 3]> {
    let mut all = vec![
        [0.5, 1.0, 3.0],
        [1.0, 1.0, 1.0],
        [2.0, 1.0, 1.0],
        [1.0, 1.0, 2.0],
        [1e-3, 1e-3, 2.0],
    ];
    for exponent in -16..0 {
        let gap = 10.0_f64.powi(exponent);
        all.push([1.0, 1.0 + gap, 2.0]);
        all.push([1.0, 1.0 + gap, 1.0 + 3.0 * gap]);
        all.push([0.7, 1.0, 1.0 + gap]);
    }
    all
}

fn direction() -> DMatrix<f64> {
    DMatrix::from_row_slice(3, 3, &[0.3, 9.0, 9.0, 0.7, -0.2, 9.0, -0.4, 0.6, 0.5])
}

/// The symmetric matrix with the lower triangle of another.
fn of_lower(m: &DMatrix<f64>) -> DMatrix<f64> {
    DMatrix::from_fn(m.nrows(), m.ncols(), |i, j| m[(i.max(j), i.min(j))])
}

/// The gradient with respect to the lower triangle, by that with respect to a symmetric matrix.
fn fold(m: &DMatrix<f64>) -> DMatrix<f64> {
    DMatrix::from_fn(m.nrows(), m.ncols(), |i, j| match i.cmp(&j) {
        std::cmp::Ordering::Less => 0.0,
        std::cmp::Ordering::Equal => m[(i, j)],
        std::cmp::Ordering::Greater => m[(i, j)] + m[(j, i)],
    })
}

fn weight(i: usize, j: usize) -> f64 {
    1.0 + i as f64 - 0.7 * j as f64 + 0.1 * (i * j) as f64
}

/// A sum of all entries, each of its own weight.
#[differentiable]
fn weighed(a: &DMatrix<f64>) -> f64 {
    let mut s = 0.0;
    for i in 0..a.nrows() {
        for j in 0..a.ncols() {
            s += a[(i, j)] * weight(i, j);
        }
    }
    s
}

/// The symmetric part of the weights.
fn weights() -> DMatrix<f64> {
    DMatrix::from_fn(3, 3, |i, j| (weight(i, j) + weight(j, i)) / 2.0)
}

pub(crate) fn assert_near(name: &str, x: &DMatrix<f64>, expected: &DMatrix<f64>, tolerance: f64) {
    let error = (x - expected).amax() / expected.amax().max(0.1);
    assert!(error <= tolerance, "{name}: {error:e}\n{x}{expected}");
}

/// `∫ f(t) dt` over `0..1` by Gauss's rule with three nodes on 300 parts.
fn integral(f: impl Fn(f64) -> DMatrix<f64>) -> DMatrix<f64> {
    let (parts, node) = (300, 0.6_f64.sqrt() / 2.0);
    let mut sum = f(0.5) * 0.0;
    for k in 0..parts {
        for (x, weight) in [(0.5 - node, 5.0), (0.5, 8.0), (0.5 + node, 5.0)] {
            sum += f((f64::from(k) + x) / f64::from(parts)) * (weight / 18.0);
        }
    }
    sum / f64::from(parts)
}

/// `(1 + t (A - 1))⁻¹`
fn resolvent(a: &DMatrix<f64>, t: f64) -> DMatrix<f64> {
    let one = DMatrix::<f64>::identity(a.nrows(), a.nrows());
    (&one + (a - &one) * t).try_inverse().unwrap()
}

/// `X` with `Y X + X Y = C`, as one linear system.
fn sylvester(y: &DMatrix<f64>, c: &DMatrix<f64>) -> DMatrix<f64> {
    let n = y.nrows();
    let one = DMatrix::<f64>::identity(n, n);
    let system = one.kronecker(y) + y.transpose().kronecker(&one);
    let solution = system
        .lu()
        .solve(&DMatrix::from_column_slice(n * n, 1, c.as_slice()));
    DMatrix::from_column_slice(n, n, solution.unwrap().as_slice())
}

type Derivative1 = fn(&DMatrix<f64>, &DMatrix<f64>) -> DMatrix<f64>;
type Derivative2 = fn(&DMatrix<f64>, &DMatrix<f64>, &DMatrix<f64>) -> DMatrix<f64>;

const SQRT: (Derivative1, Derivative2) = (
    |a, e| sylvester(&linear::symmetric_sqrt(a).unwrap(), e),
    |a, e, s| {
        let y = linear::symmetric_sqrt(a).unwrap();
        let (e, s) = (sylvester(&y, e), sylvester(&y, s));
        -sylvester(&y, &(&e * &s + &s * &e))
    },
);
const LN: (Derivative1, Derivative2) = (
    |a, e| integral(|t| resolvent(a, t) * e * resolvent(a, t)),
    |a, e, s| {
        integral(|t| {
            let r = resolvent(a, t);
            (&r * e * &r * s * &r + &r * s * &r * e * &r) * -t
        })
    },
);
/// By the blocks of the exponential of a larger matrix.
const EXP: (Derivative1, Derivative2) = (
    |a, e| {
        let mut block = DMatrix::zeros(6, 6);
        for (at, part) in [((0, 0), a), ((3, 3), a), ((0, 3), e)] {
            block.view_mut(at, (3, 3)).copy_from(part);
        }
        block.exp().view((0, 3), (3, 3)).into_owned()
    },
    |a, e, s| {
        let half = |e, s| {
            let mut block = DMatrix::zeros(9, 9);
            for (at, part) in [
                ((0, 0), a),
                ((3, 3), a),
                ((6, 6), a),
                ((0, 3), e),
                ((3, 6), s),
            ] {
                block.view_mut(at, (3, 3)).copy_from(part);
            }
            block.exp().view((0, 6), (3, 3)).into_owned()
        };
        half(e, s) + half(s, e)
    },
);
/// Of `x⁴ - x³`.
const QUARTIC: (Derivative1, Derivative2) = (
    |a, e| {
        let cubic = a * a * e + a * e * a + e * a * a;
        a * &cubic + e * a * a * a - cubic
    },
    |a, e, s| {
        let half = |e: &DMatrix<f64>, s: &DMatrix<f64>| {
            let cubic = a * e * s + e * a * s + e * s * a;
            let quartic = a * &cubic + e * a * a * s + e * a * s * a + e * s * a * a;
            quartic - cubic
        };
        half(e, s) + half(s, e)
    },
);

fn quartic() -> impl linear::ScalarFunction {
    let value = |x: f64| x.powi(4) - x.powi(3);
    let derivative = |x: f64| 4.0 * x.powi(3) - 3.0 * x * x;
    (value, derivative, |x: f64| 12.0 * x * x - 6.0 * x)
}

#[differentiable]
fn sqrt(a: &DMatrix<f64>) -> f64 {
    weighed(&linear::symmetric_sqrt(a).unwrap())
}

#[differentiable]
fn ln(a: &DMatrix<f64>) -> f64 {
    weighed(&linear::symmetric_ln(a).unwrap())
}

#[differentiable]
fn exp(a: &DMatrix<f64>) -> f64 {
    weighed(&linear::symmetric_exp(a).unwrap())
}

#[differentiable]
fn polynomial(a: &DMatrix<f64>) -> f64 {
    weighed(&linear::spectral_map(a, &quartic()).unwrap())
}

/// Gradient, forward derivative and second derivative, by a formula for each.
macro_rules! compare {
    ($f:ident at $a:expr, $tolerance:expr, $first:expr, $second:expr) => {{
        let (a, e) = ($a, direction());
        let (first, second) = (fold(&$first), fold(&$second));
        let name = format!("{} at {a}", stringify!($f));
        assert_near(
            &format!("gradient of {name}"),
            &$f::gradient(&a),
            &first,
            $tolerance,
        );
        assert_near(
            &format!("hvp of {name}"),
            &$f::hvp(&a, &e),
            &second,
            $tolerance,
        );
        let forward = $f::jvp(&a, &e).1;
        let error = (forward - first.dot(&e)).abs() / first.amax().max(1e-3);
        assert!(error < 10.0 * $tolerance, "jvp of {name}: {error:e}");
    }};
}

#[test]
fn maps_of_any_spectrum() {
    for values in spectra() {
        let a = with_values(&values);
        let (e, w) = (of_lower(&direction()), weights());
        macro_rules! each {
            ($($f:ident $reference:ident $tolerance:expr;)*) => {$(
                compare!($f at a.clone(), $tolerance, $reference.0(&a, &w), $reference.1(&a, &e, &w));
            )*};
        }
        each! {
            sqrt SQRT 1e-12;
            exp EXP 1e-13;
            polynomial QUARTIC 1e-13;
        }
        // Whose integral needs more nodes near zero.
        if values[0] > 0.1 {
            each! { ln LN 1e-12; }
        }
    }
}

#[test]
fn maps_by_differences() {
    for values in [
        [1.0, 1.0, 1.0],
        [2.0, 1.0, 1.0],
        [1.0, 1.0 + 1e-9, 1.0 - 2e-5],
        [0.5, 1.0, 3.0],
    ] {
        let a = with_values(&values);
        check!(sqrt(&a.clone()));
        check!(ln(&a.clone()));
        check!(exp(&a.clone()));
        check!(polynomial(&a.clone()));
        check!(sum_of_squared_ln(&a.clone()));
        check!(ln_determinant(&a.clone()));
    }
    for n in [1, 2, 5] {
        check!(exp(&with_values(&vec![0.5; n])));
        check!(sum_of_squared_ln(&with_values(&vec![0.5; n])));
    }
}

// ---- Sums over eigenvalues. -----------------------------------------------------------------------------------------

#[differentiable]
fn sum_of_squared_ln(a: &DMatrix<f64>) -> f64 {
    let square = (
        |x: f64| x.ln().powi(2),
        |x: f64| 2.0 * x.ln() / x,
        |x: f64| 2.0 * (1.0 - x.ln()) / (x * x),
    );
    linear::spectral_sum(a, &square).unwrap()
}

#[differentiable]
fn ln_determinant(a: &DMatrix<f64>) -> f64 {
    let ln = (f64::ln, f64::recip, |x: f64| -1.0 / (x * x));
    linear::spectral_sum(a, &ln).unwrap()
}

#[differentiable]
fn quartic_sum(a: &DMatrix<f64>) -> f64 {
    linear::spectral_sum(a, &quartic()).unwrap()
}

/// The gradient of the sum of `ln² λ`, and its derivative.
fn squared_ln(a: &DMatrix<f64>, e: &DMatrix<f64>) -> (DMatrix<f64>, DMatrix<f64>) {
    let one = DMatrix::<f64>::identity(3, 3);
    let inverse = a.clone().try_inverse().unwrap();
    let ln = integral(|t| (a - &one) * resolvent(a, t));
    let change = LN.0(a, e) * &inverse - &ln * &inverse * e * &inverse;
    (ln * inverse * 2.0, &change + change.transpose())
}

fn ln_det(a: &DMatrix<f64>, e: &DMatrix<f64>) -> (DMatrix<f64>, DMatrix<f64>) {
    let inverse = a.clone().try_inverse().unwrap();
    let change = -(&inverse * e * &inverse);
    (inverse, change)
}

fn quartic_trace(a: &DMatrix<f64>, e: &DMatrix<f64>) -> (DMatrix<f64>, DMatrix<f64>) {
    let change = (a * a * e + a * e * a + e * a * a) * 4.0 - (a * e + e * a) * 3.0;
    (a * a * a * 4.0 - a * a * 3.0, change)
}

#[test]
fn sums_of_any_spectrum() {
    for values in spectra() {
        let a = with_values(&values);
        let e = of_lower(&direction());
        macro_rules! each {
            ($($f:ident $reference:ident $tolerance:expr;)*) => {$({
                let (first, second) = $reference(&a, &e);
                compare!($f at a.clone(), $tolerance, first, second);
            })*};
        }
        each! {
            ln_determinant ln_det 1e-12;
            quartic_sum quartic_trace 1e-13;
        }
        if values[0] > 0.1 {
            each! { sum_of_squared_ln squared_ln 1e-12; }
        }
    }
}

/// Eigenvalues in clusters, and in a range of eight orders of magnitude.
#[test]
fn large_matrices() {
    let n = 25;
    let clusters: Vec<f64> = (0..n)
        .map(|k| 0.3 * f64::from(k / 5) + 1e-9 * f64::from(k % 3))
        .collect();
    let spread: Vec<f64> = (0..n)
        .map(|k| 10.0_f64.powf(-8.0 + f64::from(k) / 3.0))
        .collect();
    let e = DMatrix::from_fn(n as usize, n as usize, |i, j| {
        ((3 * i + 5 * j) as f64).cos()
    });
    let w = DMatrix::from_fn(n as usize, n as usize, |i, j| {
        (weight(i, j) + weight(j, i)) / 2.0
    });
    for values in [clusters, spread] {
        let a = with_values(&values);
        let (gradient, hvp) = (
            fold(&QUARTIC.0(&a, &w)),
            fold(&QUARTIC.1(&a, &of_lower(&e), &w)),
        );
        assert_near("gradient", &polynomial::gradient(&a), &gradient, 1e-12);
        assert_near("hvp", &polynomial::hvp(&a, &e), &hvp, 1e-12);
        let (gradient, change) = quartic_trace(&a, &of_lower(&e));
        assert_near(
            "gradient",
            &quartic_sum::gradient(&a),
            &fold(&gradient),
            1e-12,
        );
        assert_near("hvp", &quartic_sum::hvp(&a, &e), &fold(&change), 1e-12);
    }
}

// ---- Divided differences. -------------------------------------------------------------------------------------------

#[differentiable]
fn entry(a: &DMatrix<f64>, #[constant] f: &dyn linear::ScalarFunction, i: usize, j: usize) -> f64 {
    linear::spectral_map(a, f).unwrap()[(i, j)]
}

/// `f[p, q]`, `f[p, p, q]` and `f[p, q, q]`, by derivatives at `diag(p, q)` along the other diagonal.
fn differences(f: &dyn linear::ScalarFunction, p: f64, q: f64) -> [f64; 3] {
    let a = DMatrix::from_row_slice(2, 2, &[p, 0.0, 0.0, q]);
    let e = DMatrix::from_row_slice(2, 2, &[0.0, 0.0, 1.0, 0.0]);
    let [first, second] = [0, 1].map(|k| entry::hvp(&a, f, k, k, &e)[(1, 0)] / 2.0);
    [entry::jvp(&a, f, 1, 0, &e).1, first, second]
}

/// Points of all distances.
fn pairs() -> Vec<(f64, f64)> {
    let mut all = vec![
        (1.0, 1.0),
        (1e-30, 1.0),
        (1e-9, 3e-9),
        (1e-12, 5.0),
        (0.3, 0.3),
    ];
    for k in 0..190 {
        let gap = 10.0_f64.powf(-16.5 + 0.1 * f64::from(k));
        all.push((1.3, 1.3 + gap));
        all.push((0.7 * gap, 1.7 * gap));
    }
    all
}

/// The largest relative errors at pairs for which the closed form is accurate.
fn worst(f: &dyn linear::ScalarFunction, exact: impl Fn(f64, f64) -> [f64; 3]) -> [f64; 3] {
    let mut worst = [0.0_f64; 3];
    for (p, q) in pairs() {
        let (found, exact) = (differences(f, p, q), exact(p, q));
        for k in 0..3 {
            let error = ((found[k] - exact[k]) / exact[k]).abs();
            assert!(
                error < 1.0,
                "[{k}] at {p:e}, {q:e}: {:e}, not {:e}",
                found[k],
                exact[k]
            );
            worst[k] = worst[k].max(error);
        }
    }
    worst
}

#[test]
fn divided_differences_are_accurate_at_all_distances() {
    let sqrt = (
        f64::sqrt,
        |x: f64| 0.5 / x.sqrt(),
        |x: f64| -0.25 / (x * x.sqrt()),
    );
    let roots = worst(&sqrt, |p, q| {
        let sum = p.sqrt() + q.sqrt();
        let second = |p: f64| -0.5 / (sum * sum * p.sqrt());
        [1.0 / sum, second(p), second(q)]
    });
    let inverse = (
        f64::recip,
        |x: f64| -1.0 / (x * x),
        |x: f64| 2.0 / (x * x * x),
    );
    let inverses = worst(&inverse, |p, q| {
        [-1.0 / (p * q), 1.0 / (p * p * q), 1.0 / (p * q * q)]
    });
    let cube = (|x: f64| x * x * x, |x: f64| 3.0 * x * x, |x: f64| 6.0 * x);
    let cubes = worst(&cube, |p, q| {
        [p * p + p * q + q * q, 2.0 * p + q, p + 2.0 * q]
    });
    // `tanh((q - p)/2)/((q - p)/2)` by its series, where it is needed.
    let exp = (f64::exp, f64::exp, f64::exp);
    let exps = worst(&exp, |p, q| {
        let h = q - p;
        let first = |h: f64| if h == 0.0 { 1.0 } else { h.exp_m1() / h };
        let series = |h: f64| {
            (0..20)
                .rev()
                .fold(0.0, |s, k| (1.0 + s * h) / f64::from(k + 2))
        };
        let second = |h: f64| {
            if h.abs() < 0.5 {
                series(h)
            } else {
                (first(h) - 1.0) / h
            }
        };
        [
            p.exp() * first(h),
            p.exp() * second(h),
            q.exp() * second(-h),
        ]
    });
    for (name, errors) in [
        ("sqrt", roots),
        ("1/x", inverses),
        ("x³", cubes),
        ("exp", exps),
    ] {
        assert!(
            errors.iter().all(|error| *error < 2e-13),
            "{name}: {errors:?}"
        );
    }
}

/// The quotient holds across a kink, where derivatives miss it.
#[test]
fn differences_across_a_kink() {
    let abs = (f64::abs, f64::signum, |_| 0.0);
    for (p, q) in [(-1.0, 2.0), (-1e-3, 2e-3), (-1e-9, 2e-9)] {
        let [first, second, third] = differences(&abs, p, q);
        assert!((first - 1.0 / 3.0).abs() < 1e-14, "{first}");
        // `(f'(q) - f[p, q])/(q - p)`, and `(f[p, q] - f'(p))/(q - p)`
        assert!((second * (q - p) - 4.0 / 3.0).abs() < 1e-14, "{second}");
        assert!((third * (q - p) - 2.0 / 3.0).abs() < 1e-14, "{third}");
    }
}

// ---- Eigenvalues and vectors themselves. ----------------------------------------------------------------------------

/// The sum of `(ln λ)²` by eigenvalues.
#[differentiable]
fn by_values(a: &DMatrix<f64>) -> f64 {
    let values = linear::symmetric_eigenvalues(a).unwrap();
    let mut s = 0.0;
    for k in 0..values.len() {
        s += values[k].ln() * values[k].ln();
    }
    s
}

#[differentiable]
fn product(a: &DMatrix<f64>) -> f64 {
    let values = linear::symmetric_eigenvalues(a).unwrap();
    let mut p = 1.0;
    for k in 0..values.len() {
        p *= values[k];
    }
    p
}

#[differentiable]
fn trace(a: &DMatrix<f64>) -> f64 {
    linear::symmetric_eigenvalues(a).unwrap().sum()
}

#[differentiable]
fn whole_trace(a: &DMatrix<f64>) -> f64 {
    let mut s = 0.0;
    for k in 0..a.nrows() {
        s += a[(k, k)];
    }
    s
}

#[differentiable]
fn determinant(a: &DMatrix<f64>) -> f64 {
    let mut whole = a.clone();
    for i in 0..a.nrows() {
        for j in 0..i {
            whole[(j, i)] = a[(i, j)];
        }
    }
    linear::determinant(&whole)
}

#[test]
fn symmetric_functions_of_eigenvalues() {
    for values in spectra() {
        let a = with_values(&values);
        for e in [
            direction(),
            a.clone(),
            DMatrix::identity(3, 3),
            DMatrix::zeros(3, 3),
        ] {
            macro_rules! each {
                ($($f:ident $reference:ident;)*) => {$(
                    let name = format!("{} at {a} along {e}", stringify!($f));
                    assert_near(&name, &$f::gradient(&a), &$reference::gradient(&a), 1e-12);
                    assert_near(&name, &$f::hvp(&a, &e), &$reference::hvp(&a, &e), 3e-7);
                )*};
            }
            each! {
                product determinant;
                by_values sum_of_squared_ln;
                trace whole_trace;
            }
        }
    }
    let a = with_values(&[2.0, 1.0, 1.0]);
    check!(by_values(&a.clone()));
    check!(product(&a.clone()));
}

/// Values that are close by the norm of the matrix only.
#[test]
fn small_eigenvalues_are_told_apart() {
    let a = DMatrix::from_diagonal(&nalgebra::DVector::from_vec(vec![1e-10, 2e-10, 1.0]));
    let e = direction();
    assert_near(
        "hvp",
        &by_values::hvp(&a, &e),
        &sum_of_squared_ln::hvp(&a, &e),
        1e-10,
    );
}

/// One that changes within the distance of eigenvalues that count as equal.
#[differentiable]
fn steep(a: &DMatrix<f64>) -> f64 {
    let values = linear::symmetric_eigenvalues(a).unwrap();
    let mut s = 0.0;
    for k in 0..values.len() {
        s += (values[k] - 1.0 + 1e-9).ln();
    }
    s
}

#[differentiable]
fn smallest(a: &DMatrix<f64>) -> f64 {
    linear::symmetric_eigenvalues(a).unwrap()[0]
}

/// The eigenvalues by their order, each with its own weight.
#[differentiable]
fn ordered(a: &DMatrix<f64>) -> f64 {
    let values = linear::symmetric_eigenvalues(a).unwrap();
    let mut s = 0.0;
    for k in 0..values.len() {
        s += values[k] * values[k] * (k as f64 - 0.5);
    }
    s
}

#[test]
fn second_derivatives_at_kinks_are_nan() {
    let e = direction();
    let is_nan = |m: DMatrix<f64>| m.iter().any(|entry| entry.is_nan());
    for gap in [0.0, 1e-16, 1e-14, 1e-12, 1e-10, 1e-9] {
        let a = with_values(&[1.0, 1.0 + gap, 2.0]);
        assert!(is_nan(smallest::hvp(&a, &e)), "{gap}");
        assert!(is_nan(ordered::hvp(&a, &e)), "{gap}");
        assert!(is_nan(ordered::hvp(&a, &DMatrix::identity(3, 3))), "{gap}");
    }
    assert!(is_nan(steep::hvp(
        &with_values(&[1.0, 1.0 + 1e-9, 2.0]),
        &e
    )));
    assert_eq!(
        smallest::hvp(&with_values(&[1.0, 1.0, 2.0]), &(e * 0.0)),
        DMatrix::zeros(3, 3)
    );
    // Elsewhere they are there, and are large.
    let (gap, e) = (1e-4, DMatrix::from_row_slice(2, 2, &[0.0, 0.0, 1.0, 0.0]));
    let a = DMatrix::from_row_slice(2, 2, &[1.0, 0.0, 0.0, 1.0 + gap]);
    assert!((smallest::hvp(&a, &e)[(1, 0)] * gap + 2.0).abs() < 1e-10);
    check!(ordered(&with_values(&[1.0, 1.5, 2.0])));
}

/// An entry of the square root, by the vectors.
#[differentiable]
fn root_by_vectors(a: &DMatrix<f64>) -> f64 {
    let (values, v) = linear::symmetric_eigen(a).unwrap();
    let mut s = 0.0;
    for k in 0..values.len() {
        s += v[(0, k)] * values[k].sqrt() * v[(1, k)];
    }
    s
}

/// The trace, by the values that come with the vectors.
#[differentiable]
fn trace_with_vectors(a: &DMatrix<f64>) -> f64 {
    let (values, _) = linear::symmetric_eigen(a).unwrap();
    values.sum()
}

#[test]
fn vectors_of_equal_eigenvalues_have_the_derivative_nan() {
    let shear = DMatrix::from_row_slice(2, 2, &[0.0, 0.0, 1.0, 0.0]);
    let unit = DMatrix::<f64>::identity(2, 2);
    let slope = root_by_vectors::jvp(&(&unit * 4.0), &shear).1;
    assert!(slope.is_nan(), "{slope}");
    let gradient = root_by_vectors::gradient(&(&unit * 4.0));
    assert!(gradient.iter().any(|g| g.is_nan()), "{gradient}");
    // The same by the function of the matrix.
    let root = (
        f64::sqrt,
        |x: f64| 0.5 / x.sqrt(),
        |x: f64| -0.25 / (x * x.sqrt()),
    );
    assert_eq!(entry::jvp(&(&unit * 4.0), &root, 0, 1, &shear).1, 0.25);
    // Values need no vectors in first order. In second order they do.
    assert_eq!(trace_with_vectors::gradient(&unit), unit);
    assert_eq!(trace_with_vectors::jvp(&unit, &shear).1, 0.0);
    assert!(
        trace_with_vectors::hvp(&unit, &shear)
            .iter()
            .any(|g| g.is_nan())
    );
}

#[test]
fn what_does_not_exist_is_none() {
    let a = with_values(&[-1.0, 1.0, 2.0]);
    assert!(linear::symmetric_sqrt(&a).is_none());
    assert!(linear::symmetric_ln(&a).is_none());
    assert!(linear::symmetric_exp(&(&a * 1000.0)).is_none());
    assert!(linear::symmetric_exp(&(&a * f64::NAN)).is_none());
    let (y, y_dot) = linear::symmetric_sqrt::jvp(&a, &a);
    assert!(y.is_none() && y_dot.is_none());
    let empty = DMatrix::<f64>::zeros(0, 0);
    assert_eq!(linear::symmetric_exp(&empty), Some(empty.clone()));
    assert_eq!(exp::gradient(&empty), empty);
    assert_eq!(exp::hvp(&empty, &empty), empty);
    assert_eq!(by_values::hvp(&empty, &empty), empty);
    // The root of zero has a derivative in no direction but along the other vectors.
    let half = DMatrix::from_row_slice(2, 2, &[0.0, 0.0, 0.0, 4.0]);
    let e = DMatrix::from_row_slice(2, 2, &[0.0, 0.0, 0.0, 1.0]);
    let root_dot = linear::symmetric_sqrt::jvp(&half, &e).1;
    assert_eq!(
        root_dot,
        Some(DMatrix::from_row_slice(2, 2, &[0.0, 0.0, 0.0, 0.25]))
    );
    let root_dot = linear::symmetric_sqrt::jvp(&half, &DMatrix::identity(2, 2)).1;
    assert!(!root_dot.unwrap()[(0, 0)].is_finite());
}

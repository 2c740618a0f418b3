//! `#[primitive(frule = .., rrule = ..)]`: rules as functions, in every mode, with arguments of each kind.

use chainrule::prelude::*;

use crate::check::{assert_close, check, check_map, flat};

/// The solution of a linear system, row by row, by elimination with pivoting.
#[primitive(frule = solve_frule, rrule = solve_rrule, rrule_frule = solve_rrule_frule)]
fn solve(a: &[f64], b: &[f64]) -> Vec<f64> {
    let n = b.len();
    let (mut a, mut x) = (a.to_vec(), b.to_vec());
    for k in 0..n {
        let pivot = (k..n)
            .max_by(|i, j| a[i * n + k].abs().total_cmp(&a[j * n + k].abs()))
            .unwrap();
        (0..n).for_each(|j| a.swap(k * n + j, pivot * n + j));
        x.swap(k, pivot);
        for i in k + 1..n {
            let factor = a[i * n + k] / a[k * n + k];
            (k..n).for_each(|j| a[i * n + j] -= factor * a[k * n + j]);
            x[i] -= factor * x[k];
        }
    }
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|j| a[k * n + j] * x[j]).sum();
        x[k] = (x[k] - known) / a[k * n + k];
    }
    x
}

fn transposed(a: &[f64], n: usize) -> Vec<f64> {
    (0..n * n).map(|k| a[k % n * n + k / n]).collect()
}

/// `b - A x`.
fn residual(a: &[f64], x: &[f64], b: &[f64]) -> Vec<f64> {
    let rows = a.chunks(x.len()).zip(b);
    rows.map(|(row, b)| b - row.iter().zip(x).map(|(a, x)| a * x).sum::<f64>())
        .collect()
}

/// `a -= u vᵀ`.
fn subtract_outer(a: &mut [f64], u: &[f64], v: &[f64]) {
    for (row, u) in a.chunks_mut(v.len()).zip(u) {
        row.iter_mut().zip(v).for_each(|(a, v)| *a -= u * v);
    }
}

fn add(to: &mut [f64], from: &[f64]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
}

fn solve_frule(
    Dual(a, a_dot): Dual<&[f64], &[f64]>,
    Dual(b, b_dot): Dual<&[f64], &[f64]>,
) -> Dual<Vec<f64>, Vec<f64>> {
    let x = solve(a, b);
    let x_dot = solve(a, &residual(a_dot, &x, b_dot));
    Dual(x, x_dot)
}

fn solve_rrule(
    a: &[f64],
    b: &[f64],
) -> (
    Vec<f64>,
    impl FnOnce(Vec<f64>, CoDual<&[f64], &mut [f64]>, CoDual<&[f64], &mut [f64]>) + use<>,
) {
    let x = solve(a, b);
    let residuals = x.clone();
    (x, move |x_bar, CoDual(a, a_bar), CoDual(_, b_bar)| {
        let x = residuals;
        let l = solve(&transposed(a, x.len()), &x_bar);
        add(b_bar, &l);
        subtract_outer(a_bar, &l, &x);
    })
}

type Shadow<'a> = CoDual<Dual<&'a [f64], &'a [f64]>, Dual<&'a mut [f64], &'a mut [f64]>>;

fn solve_rrule_frule(
    a: Dual<&[f64], &[f64]>,
    b: Dual<&[f64], &[f64]>,
) -> (
    Dual<Vec<f64>, Vec<f64>>,
    impl FnOnce(Dual<Vec<f64>, Vec<f64>>, Shadow<'_>, Shadow<'_>) + use<>,
) {
    let y = solve_frule(a, b);
    let Dual(x, x_dot) = y.clone();
    let pullback = move |Dual(x_bar, x_bar_dot): Dual<Vec<f64>, Vec<f64>>,
                         CoDual(Dual(a, a_dot), Dual(a_bar, a_bar_dot)): Shadow<'_>,
                         CoDual(_, Dual(b_bar, b_bar_dot)): Shadow<'_>| {
        let n = x.len();
        let (a, a_dot) = (transposed(a, n), transposed(a_dot, n));
        let l = solve(&a, &x_bar);
        let l_dot = solve(&a, &residual(&a_dot, &l, &x_bar_dot));
        add(b_bar, &l);
        add(b_bar_dot, &l_dot);
        subtract_outer(a_bar, &l, &x);
        subtract_outer(a_bar_dot, &l_dot, &x);
        subtract_outer(a_bar_dot, &l, &x_dot);
    };
    (y, pullback)
}

/// A caller for which the results' type is only known to rustc.
#[differentiable]
#[inline(never)]
fn quadratic_form(a: &[f64], b: &[f64]) -> f64 {
    let x = solve(a, b);
    let mut total = 0.0;
    for i in 0..b.len() {
        total += b[i] * x[i] * x[0];
    }
    total
}

/// The right-hand side is constant here, and the matrix is used twice.
#[differentiable]
#[inline(never)]
fn in_a_loop(a: &[f64], #[constant] b: &[f64], n: usize) -> f64 {
    let mut x: Vec<f64> = b.to_vec();
    for _ in 0..n {
        x = solve(a, &x);
    }
    x[0] * x[1] + a[0]
}

const A: [f64; 4] = [2.0, 0.5, -0.3, 1.5];
const B: [f64; 2] = [0.7, -1.1];

#[test]
fn a_linear_solver() {
    check_map!(solve(&A.to_vec(), &B.to_vec()));
    check_map!(solve(
        &vec![0.5, 2.0, 1.0, 3.0, -1.0, 0.4, 1.0, 1.0, 2.5],
        &vec![1.0, 0.2, -0.6]
    ));
}

#[test]
fn callers_of_a_linear_solver() {
    check!(quadratic_form(&A.to_vec(), &B.to_vec()));
    for n in 0..4 {
        check!(in_a_loop(&A.to_vec(), const &B, const n));
    }
}

/// What is written through `&mut` is a result, and put back by the pullback.
#[primitive(frule = scale_frule, rrule = scale_rrule, rrule_frule = scale_rrule_frule)]
fn scale(v: &mut [f64], k: f64) {
    v.iter_mut().for_each(|v| *v *= k);
}

fn scale_frule(
    Dual(v, v_dot): Dual<&mut [f64], &mut [f64]>,
    Dual(k, k_dot): Dual<f64, f64>,
) -> Dual<(), NoTangent> {
    for (v, v_dot) in v.iter_mut().zip(v_dot) {
        *v_dot = *v_dot * k + *v * k_dot;
        *v *= k;
    }
    Dual((), NoTangent)
}

fn scale_rrule(
    v: &mut [f64],
    k: f64,
) -> (
    (),
    impl FnOnce(NoTangent, CoDual<&mut [f64], &mut [f64]>) -> f64 + use<>,
) {
    let old = v.to_vec();
    scale(v, k);
    ((), move |_, CoDual(v, v_bar)| {
        v.copy_from_slice(&old);
        let mut k_bar = 0.0;
        for (v, v_bar) in v.iter().zip(v_bar) {
            k_bar += v * *v_bar;
            *v_bar *= k;
        }
        k_bar
    })
}

type ShadowMut<'a> = CoDual<Dual<&'a mut [f64], &'a mut [f64]>, Dual<&'a mut [f64], &'a mut [f64]>>;

fn scale_rrule_frule(
    Dual(v, v_dot): Dual<&mut [f64], &mut [f64]>,
    Dual(k, k_dot): Dual<f64, f64>,
) -> (
    Dual<(), NoTangent>,
    impl FnOnce(Dual<NoTangent, NoTangent>, ShadowMut<'_>) -> Dual<f64, f64> + use<>,
) {
    let (old, old_dot) = (v.to_vec(), v_dot.to_vec());
    let y = scale_frule(Dual(v, v_dot), Dual(k, k_dot));
    (
        y,
        move |_, CoDual(Dual(v, v_dot), Dual(v_bar, v_bar_dot))| {
            v.copy_from_slice(&old);
            v_dot.copy_from_slice(&old_dot);
            let mut k_bar = Dual(0.0, 0.0);
            for i in 0..v.len() {
                k_bar.0 += v[i] * v_bar[i];
                k_bar.1 += v_dot[i] * v_bar[i] + v[i] * v_bar_dot[i];
                v_bar_dot[i] = v_bar_dot[i] * k + v_bar[i] * k_dot;
                v_bar[i] *= k;
            }
            k_bar
        },
    )
}

#[differentiable]
#[inline(never)]
fn repeatedly(v: &mut [f64], k: f64, n: usize) -> f64 {
    for i in 0..n {
        scale(v, k * v[0]);
        scale(&mut v[1..], k + i as f64);
    }
    v[0] * v[1]
}

#[test]
fn memory_behind_mut() {
    check_map!(scale(&mut vec![0.7, -1.2, 0.4], 1.3));
    for n in 0..4 {
        check!(repeatedly(&mut vec![0.7, -1.2, 0.4], 1.3, const n));
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct Line {
    slope: f64,
    offset: f64,
}

flat!(Line {
    slope: f64,
    offset: f64
});

type LineBar<'a> = CoDual<&'a Line, &'a mut LineTangent>;

impl Line {
    #[primitive(frule = Self::at_forward, rrule = Self::at_reverse)]
    fn at(&self, x: f64, #[constant] weights: &[f64], times: usize) -> f64 {
        weights[0] * (self.slope * x + self.offset) * times as f64
    }

    fn at_forward(
        Dual(line, line_dot): Dual<&Self, &LineTangent>,
        Dual(x, x_dot): Dual<f64, f64>,
        weights: &[f64],
        times: usize,
    ) -> Dual<f64, f64> {
        let y_dot = line_dot.slope * x + line.slope * x_dot + line_dot.offset;
        let y = line.at(x, weights, times);
        Dual(y, weights[0] * y_dot * times as f64)
    }

    fn at_reverse(
        &self,
        x: f64,
        weights: &[f64],
        times: usize,
    ) -> (f64, impl FnOnce(f64, LineBar<'_>, &[f64]) -> f64 + use<>) {
        let y = self.at(x, weights, times);
        (y, move |y_bar, CoDual(line, line_bar), weights| {
            let factor = y_bar * weights[0] * times as f64;
            line_bar.slope += factor * x;
            line_bar.offset += factor;
            factor * line.slope
        })
    }
}

/// Of first order alone, and the caller too.
#[differentiable]
fn along(line: &Line, x: f64) -> f64 {
    line.at(line.at(x, &[0.5], 2), &[1.5], 1) * x
}

#[differentiable]
fn by_path(line: &Line, x: f64) -> f64 {
    Line::at(line, x, &[0.5], 2) * x
}

#[test]
fn a_method_by_path() {
    let (line, x) = (
        Line {
            slope: 0.8,
            offset: -0.3,
        },
        1.7,
    );
    // (a x + b) x
    let want = [x * x, x, 2.0 * 0.8 * x - 0.3];
    let (line_bar, x_bar) = by_path::gradient(&line, x);
    assert_close(&[line_bar.slope, line_bar.offset, x_bar], &want);
    let direction = LineTangent {
        slope: 1.0,
        offset: 10.0,
    };
    let (_, y_dot) = by_path::jvp(&line, x, &direction, 100.0);
    assert_close(&[y_dot], &[want[0] + 10.0 * want[1] + 100.0 * want[2]]);
}

#[test]
fn methods_and_first_order_alone() {
    let (line, x) = (
        Line {
            slope: 0.8,
            offset: -0.3,
        },
        1.7,
    );
    let (line_bar, x_bar) = line.at_gradient(x, &[2.0], 3);
    assert_close(
        &[line_bar.slope, line_bar.offset, x_bar],
        &[6.0 * x, 6.0, 6.0 * 0.8],
    );
    let (a, b) = (line.slope, line.offset);
    // y = 1.5 (a (a x + b) + b) x
    let want = [
        1.5 * (2.0 * a * x + b) * x,
        1.5 * (a + 1.0) * x,
        1.5 * (2.0 * a * a * x + a * b + b),
    ];
    let (line_bar, x_bar) = along::gradient(&line, x);
    assert_close(&[line_bar.slope, line_bar.offset, x_bar], &want);
    let direction = LineTangent {
        slope: 1.0,
        offset: 10.0,
    };
    let (_, y_dot) = along::jvp(&line, x, &direction, 100.0);
    assert_close(&[y_dot], &[want[0] + 10.0 * want[1] + 100.0 * want[2]]);
    let mut shadow = LineTangent {
        slope: 5.0,
        offset: 6.0,
    };
    let x_bar = along::rrule(&line, x).1(2.0, CoDual(&line, &mut shadow));
    assert_close(
        &[shadow.slope, shadow.offset, x_bar],
        &[5.0 + 2.0 * want[0], 6.0 + 2.0 * want[1], 2.0 * want[2]],
    );
}

/// Owned arguments that are no scalars.
#[primitive(frule = product_frule, rrule = product_rrule)]
fn product(a: Vec<f64>, b: (f64, f64), n: usize) -> f64 {
    a.iter().product::<f64>() * b.0 * b.1 * n as f64
}

fn product_frule(
    Dual(a, a_dot): Dual<Vec<f64>, Vec<f64>>,
    Dual(b, b_dot): Dual<(f64, f64), (f64, f64)>,
    n: usize,
) -> Dual<f64, f64> {
    let y = product(a.clone(), b, n);
    let relative: f64 = a_dot.iter().zip(&a).map(|(a_dot, a)| a_dot / a).sum();
    Dual(y, y * (relative + b_dot.0 / b.0 + b_dot.1 / b.1))
}

fn product_rrule(
    a: Vec<f64>,
    b: (f64, f64),
    n: usize,
) -> (f64, impl FnOnce(f64) -> (Vec<f64>, (f64, f64)) + use<>) {
    let y = product(a.clone(), b, n);
    (y, move |y_bar| {
        let y_bar = y * y_bar;
        (
            a.iter().map(|a| y_bar / a).collect(),
            (y_bar / b.0, y_bar / b.1),
        )
    })
}

#[differentiable]
fn of_owned(x: f64, y: f64) -> f64 {
    let v = vec![x, y, x * y];
    product(v, (x, y), 3)
}

#[test]
fn owned_arguments() {
    let (a_bar, b_bar) = product::gradient(vec![0.5, 2.0], (3.0, 0.25), 2);
    assert_eq!((a_bar, b_bar), (vec![3.0, 0.75], (0.5, 6.0)));
    let (x, y) = (0.7_f64, 1.9_f64);
    // 3 x³ y³
    let want = [9.0 * x.powi(2) * y.powi(3), 9.0 * x.powi(3) * y.powi(2)];
    let (x_bar, y_bar) = of_owned::gradient(x, y);
    assert_close(&[x_bar, y_bar], &want);
    let (_, y_dot) = of_owned::jvp(x, y, 1.0, 10.0);
    assert_close(&[y_dot], &[want[0] + 10.0 * want[1]]);
}

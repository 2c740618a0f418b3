//! Matrices of `faer`: elements, operators, methods, functions that make matrices.

use chainrule::prelude::*;
use faer::{Col, Mat, Row, Scale};

use crate::check::{Flat, check, map_table, table};

impl<A: Flat> Flat for Mat<A> {
    const ROUNDOFF: f64 = A::ROUNDOFF;

    fn map(&mut self, f: &mut dyn FnMut(f64) -> f64) {
        for column in self.col_iter_mut() {
            for v in column.iter_mut() {
                v.map(f);
            }
        }
    }
}

impl<A: Flat> Flat for Col<A> {
    const ROUNDOFF: f64 = A::ROUNDOFF;

    fn map(&mut self, f: &mut dyn FnMut(f64) -> f64) {
        for v in self.iter_mut() {
            v.map(f);
        }
    }
}

impl<A: Flat> Flat for Row<A> {
    const ROUNDOFF: f64 = A::ROUNDOFF;

    fn map(&mut self, f: &mut dyn FnMut(f64) -> f64) {
        for v in self.iter_mut() {
            v.map(f);
        }
    }
}

pub(crate) fn rectangular(rows: usize, columns: usize) -> Mat<f64> {
    Mat::from_fn(rows, columns, |i, j| {
        ((3 * i + 5 * j * j + 2 * i * j + 1) as f64).sin() + 0.3 * f64::from(u8::from(i == j))
    })
}

pub(crate) fn column(n: usize) -> Col<f64> {
    Col::from_fn(n, |i| (1.0 + i as f64).cos())
}

fn row(n: usize) -> Row<f64> {
    Row::from_fn(n, |i| (2.0 + 1.5 * i as f64).sin())
}

/// The largest difference of elements; infinite where one is NaN, of which the library's norms take no notice.
pub(crate) fn distance<T: Flat>(a: &T, b: &T) -> f64 {
    let (a, b) = (a.flat(), b.flat());
    assert_eq!(a.len(), b.len());
    let differences = a.iter().zip(&b).map(|(a, b)| (a - b).abs());
    differences.fold(
        0.0,
        |max, d| if d <= max { max } else { d.min(f64::INFINITY) },
    )
}

// ---- Elements and structs. --------------------------------------------------------------------------------------------

#[differentiable]
fn elements(a: &Mat<f64>, x: &Col<f64>, y: &Row<f64>) -> f64 {
    let mut s = 0.0;
    for i in 0..a.nrows() {
        for j in 0..a.ncols() {
            s += a[(i, j)] * x[j] * y[i];
        }
    }
    s
}

#[differentiable]
fn written(a: &mut Mat<f64>, x: &Col<f64>) -> f64 {
    for i in 0..a.nrows() {
        a[(i, 0)] *= x[0] * x[1];
        a[(i, 1)] = a[(i, 0)] * a[(i, 2)] + x[2];
    }
    a.squared_norm_l2()
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Layer {
    weights: Mat<f64>,
    bias: Col<f64>,
    rate: f64,
}

impl Flat for Layer {
    const ROUNDOFF: f64 = f64::EPSILON;

    fn map(&mut self, f: &mut dyn FnMut(f64) -> f64) {
        Flat::map(&mut self.weights, f);
        Flat::map(&mut self.bias, f);
        Flat::map(&mut self.rate, f);
    }
}

impl Flat for LayerTangent {
    const ROUNDOFF: f64 = f64::EPSILON;

    fn map(&mut self, f: &mut dyn FnMut(f64) -> f64) {
        Flat::map(&mut self.weights, f);
        Flat::map(&mut self.bias, f);
        Flat::map(&mut self.rate, f);
    }
}

#[differentiable]
impl Layer {
    fn output(&self, x: &Col<f64>) -> f64 {
        let y = &self.weights * x + &self.bias;
        (y.norm_l2() * self.rate).tanh() + self.weights[(1, 0)]
    }
}

#[differentiable]
fn layered(layer: &Layer, x: &Col<f64>) -> f64 {
    layer.output(x) * layer.bias[0]
}

#[differentiable]
fn filled(x: &Col<f64>, n: usize) -> f64 {
    let mut y = x.clone();
    for k in 0..n {
        y[0] = y[1] * y[2] + k as f64;
        y[2] += y[0] * x[0];
    }
    y.squared_norm_l2()
}

// ---- Operators. -------------------------------------------------------------------------------------------------------

#[differentiable]
fn quadratic(a: &Mat<f64>, x: &Col<f64>) -> f64 {
    let y = a * x;
    y.transpose() * &y + y.norm_l2() * x.sum()
}

#[differentiable]
fn sums(a: &Mat<f64>, b: &Mat<f64>, k: f64) -> Mat<f64> {
    let c = a * 2.0 - k * b;
    let mut d = &c + a / k;
    d += &c;
    d -= b * k;
    d *= k;
    d /= 3.0;
    -d
}

#[differentiable]
fn scaled(a: &Mat<f64>, x: &Col<f64>, k: f64) -> f64 {
    let b = a * Scale(k);
    let y = Scale(k * k) * x;
    let mut z = b * y / Scale(k + 2.0);
    z *= Scale(k);
    z.squared_norm_l2()
}

#[differentiable]
fn products(a: &Mat<f64>, b: &Mat<f64>) -> Mat<f64> {
    let c = a * b.transpose();
    let d = a.transpose() * &c;
    c * (d.transpose() * b.transpose())
}

#[differentiable]
fn turned(a: &Mat<f64>, x: &Col<f64>, y: &Row<f64>) -> f64 {
    let t = a.transpose();
    let z = &t * x;
    let w = y * a.transpose();
    let mut s = y * &z + w * x;
    for i in 0..t.nrows() {
        for j in 0..t.ncols() {
            s += t[(i, j)] * t[(i, j)] * x[j];
        }
    }
    s + (a.transpose() * 3.0 + t).sum()
}

#[differentiable]
fn outer(x: &Col<f64>, y: &Row<f64>) -> Mat<f64> {
    let a = x * y;
    let b = y.transpose() * x.transpose();
    &a - b.transpose().to_owned() * (y * y.transpose()) + &a * &b * &a
}

#[differentiable]
fn lines(x: &Col<f64>, y: Row<f64>) -> Row<f64> {
    let mut z = x.clone() + x * 2.0;
    z -= x / (x.transpose() * x);
    z += x;
    (2.0 * z.transpose() - y) / 1.5
}

#[differentiable]
fn single(a: &Mat<f32>, x: &Col<f32>) -> f32 {
    let y = a * x * Scale(2.0_f32);
    y.transpose() * &y
}

// ---- Methods, functions that make matrices. --------------------------------------------------------------------------

#[differentiable]
fn norms(a: &Mat<f64>, x: &Col<f64>, y: &Row<f64>) -> f64 {
    let b = a.cloned();
    a.norm_l2() * x.norm_l2() + y.norm_l2().sin() + b.squared_norm_l2() * y.squared_norm_l2()
        - a.sum() * x.sum() * y.sum()
        + a.transpose().norm_l2() * a.transpose().sum()
        + a.col(1).norm_l2()
}

#[differentiable]
fn made(x: &Col<f64>, k: f64) -> f64 {
    let n = x.nrows();
    let a = Mat::from_fn(n, n, |i, j| x[i] * x[j] + k * (i as f64 - j as f64));
    let b = Mat::<f64>::identity(n, n) * k + Mat::full(n, n, k * x[0]);
    let mut c = Mat::zeros(n, n);
    for i in 0..n {
        c[(i, (i + 1) % n)] = x[i];
    }
    let v = Col::from_fn(n, |i| x[i] * k) + Col::<f64>::ones(n);
    let w = Row::from_fn(n, |j| x[j].sin());
    w * (a * b + c) * v
}

#[differentiable]
fn length(x: &Col<f64>) -> f64 {
    x.norm_l2()
}

table! {
    elements: (&rectangular(2, 3), &column(3), &row(2));
    layered: (&Layer { weights: rectangular(2, 3), bias: column(2), rate: 0.4 }, &column(3));
    filled: for n in 0..4, (&column(3), const n);
    quadratic: (&rectangular(2, 3), &column(3));
    scaled: (&rectangular(2, 3), &column(3), 0.7);
    turned: (&rectangular(3, 2), &column(3), &row(2));
    single: (&Mat::from_fn(2, 3, |i, j| (i + 2 * j) as f32 * 0.25 - 0.5), &Col::from_fn(3, |i| i as f32 * 0.5 - 0.7));
    norms: (&rectangular(2, 3), &column(3), &row(2));
    made: (&column(4), 0.7);
}
map_table! {
    sums: (&rectangular(2, 3), &rectangular(2, 3), 0.7);
    products: (&rectangular(3, 2), &rectangular(3, 2));
    outer: (&column(3), &row(2));
    lines: (&column(3), row(3));
}

#[test]
fn elements_that_are_written() {
    check!(written(&mut rectangular(2, 3), &column(3)));
}

#[test]
fn products_of_all_sizes() {
    for n in [1, 2, 5] {
        check!(quadratic(&rectangular(n, n), &column(n)));
        check!(turned(&rectangular(n, n), &column(n), &row(n)));
    }
}

#[differentiable]
fn kernels(a: &Mat<f64>, b: &Mat<f64>, x: &Col<f64>) -> f64 {
    let c = a.transpose() * b;
    let y = a.transpose() * x;
    c.sum() + y.norm_l2() + a.transpose().norm_l2() + a.transpose().sum()
}

#[differentiable]
fn views_of_constants(
    a: &Mat<f64>,
    x: &Col<f64>,
    k: f64,
    #[constant] m: &Mat<f64>,
    #[constant] load: &Col<f64>,
) -> f64 {
    let work = load.transpose() * x + x.transpose() * load * 0.5;
    let turned = m.transpose() * x + m.col(0) * k;
    let both = a * m.transpose() - m.transpose() * a + m.transpose();
    work * turned.norm_l2() + both.sum() * k + (m.row(1) * a * x.sum()).norm_l2()
}

#[test]
fn constants_may_be_views() {
    let (a, m) = (rectangular(3, 3), rectangular(3, 3).transpose() * 0.5);
    let (x, load) = (column(3), &column(3) * 1.5);
    check!(views_of_constants(&a, &x, 0.7, const &m, const &load));
}

#[differentiable]
fn row_of_constant(x: &Col<f64>, #[constant] a: &Mat<f64>) -> f64 {
    a.row(1) * x
}

#[differentiable]
fn column_of_constant(x: &Row<f64>, #[constant] a: &Mat<f64>) -> f64 {
    x * a.col(2)
}

#[differentiable]
fn part_of_constant(x: &Col<f64>, #[constant] a: &Mat<f64>, n: usize) -> Col<f64> {
    a.submatrix(1, 1, 6, n) * x
}

#[differentiable]
fn reversed_constant(x: &Col<f64>, #[constant] a: &Mat<f64>) -> Col<f64> {
    a.reverse_rows() * x
}

/// The order of a view in memory decides about the last bits of a product.
#[test]
fn views_of_constants_have_the_library_s_bits() {
    let a = rectangular(16, 16);
    for n in 1..14 {
        let x = &column(n) * 0.7;
        let value = part_of_constant(&x, &a, n);
        let (same, tangent) = part_of_constant::jvp(&x, &a, n, &x);
        assert_eq!(same, value);
        assert!((tangent - value).norm_max() < 1e-12);
    }
    let x = column(16);
    let value = reversed_constant(&x, &a);
    let (same, tangent) = reversed_constant::jvp(&x, &a, &x);
    assert_eq!(same, value);
    assert!((tangent - value).norm_max() < 1e-12);
    for k in 0..20 {
        let (x, a) = (&x * (k as f64).sin(), &a * (k as f64).cos());
        let (value, x_bar) = row_of_constant::value_and_gradient(&x, &a);
        assert_eq!(value.to_bits(), row_of_constant(&x, &a).to_bits());
        assert_eq!(x_bar, a.row(1).transpose().cloned());
        let x = x.transpose().cloned();
        let (value, x_bar) = column_of_constant::value_and_gradient(&x, &a);
        assert_eq!(value.to_bits(), column_of_constant(&x, &a).to_bits());
        assert_eq!(x_bar, a.col(2).transpose().cloned());
    }
}

/// A copy in another order would be multiplied by other kernels of the library.
#[test]
fn views_of_large_matrices_have_the_library_s_bits() {
    for n in [3, 7, 16, 33, 90] {
        let (a, b, x) = (rectangular(n, n + 1), rectangular(n, n), column(n));
        let (y, (a_bar, b_bar, x_bar)) = kernels::value_and_gradient(&a, &b, &x);
        assert_eq!(y.to_bits(), kernels(&a, &b, &x).to_bits());
        let w = a.transpose() * &x;
        let w = &w / w.norm_l2();
        let ones = Mat::<f64>::ones(n + 1, n);
        let of_a = &b * ones.transpose()
            + &x * w.transpose()
            + &a / a.norm_l2()
            + Mat::<f64>::ones(n, n + 1);
        assert!(distance(&a_bar, &of_a) < 1e-12);
        assert!(distance(&b_bar, &(&a * &ones)) < 1e-12);
        assert!(distance(&x_bar, &(&a * &w)) < 1e-12);
    }
}

#[test]
fn the_norm_of_zeros_has_derivative_zero() {
    assert_eq!(length::gradient(&Col::zeros(3)), Col::<f64>::zeros(3));
    assert_eq!(
        length::hvp(&Col::zeros(3), &column(3)),
        Col::<f64>::zeros(3)
    );
}

#[test]
#[should_panic(expected = "the shadow of `a` is 3 by 2, the argument 2 by 3")]
fn shapes_are_checked() {
    quadratic::jvp(
        &rectangular(2, 3),
        &column(3),
        &Mat::zeros(3, 2),
        &column(3),
    );
}

#[test]
#[should_panic(expected = "sums: the cotangent of the result is 3 by 2, the result 2 by 3")]
fn shapes_of_cotangents_are_checked() {
    sums::vjp(
        &rectangular(2, 3),
        &rectangular(2, 3),
        2.0,
        Mat::zeros(3, 2),
    );
}

#[test]
fn floats_are_in_the_order_of_memory() {
    use chainrule::Flat as _;
    let a = Mat::from_fn(2, 2, |i, j| (i + 2 * j) as f64);
    assert_eq!(a.to_flat(), [0.0, 1.0, 2.0, 3.0]);
    let mut b = Mat::<f64>::zeros(2, 2);
    b.set_flat(&a.to_flat());
    assert_eq!(a, b);
}

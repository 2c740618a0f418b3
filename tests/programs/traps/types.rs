//! Types and interface.

use chainrule::prelude::*;

use crate::check::{assert_close, check, table};

/// 34. An integer made from a float has no derivative, and says so; the other way round it never had one.
#[differentiable]
fn trap_34_integers(a: f64, n: i32) -> f64 {
    let k = stop_gradient(a * 10.0) as i32;
    a * n as f64 + a * a * k as f64
}

/// 34. Derivatives pass through single precision, both ways.
#[differentiable]
fn trap_34_floats(a: f32) -> f64 {
    let wide = a as f64;
    let narrow = (wide * wide) as f32;
    f64::from(narrow) + 2.0 * wide
}

#[test]
fn trap_34_both_ways() {
    assert_close(&[f64::from(trap_34_floats::gradient(0.75))], &[1.5 + 2.0]);
    let Dual(_, y_dot) = trap_34_floats::frule(Dual(0.75, 1.0));
    assert_close(&[y_dot], &[3.5]);
}

/// 35. Integers have no tangent: nothing comes back for them (Mooncake#551).
#[differentiable]
fn trap_35(a: &[f64], positions: &[usize], signs: &[i8; 2]) -> f64 {
    let mut total = 0.0;
    for (k, &p) in positions.iter().enumerate() {
        total += a[p] * a[p] * signs[k % 2] as f64;
    }
    total
}

#[test]
fn trap_35_only_floats_come_back() {
    let a_bar: Vec<f64> = trap_35::gradient(&[0.7, 1.9], &[1, 0, 1], &[1, -1]);
    assert_close(&a_bar, &[-1.4, 7.6]);
}

struct Settings {
    factor: f64,
}

#[differentiable]
impl Settings {
    fn scaled(#[constant] &self, a: f64) -> f64 {
        a * a * self.factor
    }
}

/// 37. A method of something inactive, with active arguments (clad#1960).
#[differentiable]
#[inline(never)]
fn trap_37(a: f64, #[constant] settings: &Settings) -> f64 {
    let inner = Settings { factor: 3.0 };
    settings.scaled(a) + inner.scaled(a.sin())
}

/// 38. An argument that isn't used has a zero gradient.
#[differentiable]
fn trap_38_unused(a: f64, _b: &[f64], c: f64) -> f64 {
    let _ = c;
    a * a
}

/// 38. Nothing depends on anything.
#[differentiable]
fn trap_38_constant_result(_a: f64) -> f64 {
    2.5
}

/// 38. Only one argument is differentiated.
#[differentiable]
fn trap_38_constants(#[constant] a: f64, b: f64, n: u8) -> f64 {
    a * b * b + n as f64
}

#[differentiable]
fn trap_38_nothing() -> f64 {
    1.5
}

#[differentiable]
fn trap_38_only_constants(#[constant] a: f64, n: usize) -> f64 {
    a * n as f64
}

#[differentiable]
fn trap_38_empty(a: &[f64]) -> f64 {
    let mut total = 1.0;
    for v in a {
        total *= v;
    }
    total
}

#[test]
fn trap_38_hessian_of_nothing() {
    let hessian = trap_38_empty::hessian(&[]);
    assert_eq!((hessian.nrows(), hessian.ncols()), (0, 0));
    assert_eq!(trap_38_empty::gradient(&[]), Vec::<f64>::new());
    let Dual(y, y_dot) = trap_38_nothing::frule();
    assert_eq!((y, y_dot), (1.5, 0.0));
    let (y, pullback) = trap_38_only_constants::rrule(0.5, 3);
    let () = pullback(1.0);
    assert_eq!(y, 1.5);
}

#[test]
fn trap_37_inactive_receiver() {
    check!(trap_37(0.7, const &Settings { factor: 1.5 }));
}

table! {
    trap_34_integers: (0.77, const 3) => [3.0 + 2.0 * 0.77 * 7.0];
    trap_38_unused: (0.7, &vec![1.0, 2.0], 3.0) => [1.4, 0.0, 0.0, 0.0];
    trap_38_constant_result: (0.7) => [0.0];
    trap_38_constants: (const 0.7, 1.9, const 3) => [2.0 * 0.7 * 1.9];
    trap_38_empty: for n in 0..3, (&vec![0.7; n]);
}

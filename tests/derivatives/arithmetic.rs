//! Operators, bindings, blocks, tuples.

use chainrule::prelude::*;

use crate::check::{map_table, table};

#[differentiable]
fn identity(x: f64) -> f64 {
    x
}

#[differentiable]
fn polynomial(x: f64) -> f64 {
    3.0 * x * x * x - x / 2.0 + 1.0
}

#[differentiable]
fn quotient(x: f64, y: f64) -> f64 {
    (x - y) / (x * x + y)
}

#[differentiable]
fn minus(x: f64, y: f64) -> f64 {
    -(-x - y) * -y
}

#[differentiable]
fn remainder(x: f64, y: f64) -> f64 {
    x % y + (2.0 * x) % 1.5
}

#[differentiable]
fn compound_assignment(x: f64, y: f64) -> f64 {
    let mut z = x;
    z += y * x;
    z -= 0.5 * z * y;
    z *= z + y;
    z /= x;
    z %= 10.0;
    z
}

/// The cotangent of the new `x` is read and zeroed before that of the old one is added to.
#[differentiable]
fn square_in_place(mut x: f64) -> f64 {
    x = x * x;
    x = x * x;
    x
}

#[differentiable]
fn cancels_itself(x: f64) -> f64 {
    let mut a = x * 3.0;
    a = a - 2.0 * a;
    a
}

#[differentiable]
fn chained_assignment(x: f64, y: f64) -> f64 {
    let mut a = x;
    let b = y * a;
    a = b;
    let c = a * b;
    a = c + a;
    a * b
}

#[differentiable]
fn reassigned_parameter(mut x: f64, y: f64) -> f64 {
    let before = x * y;
    x = y * y;
    before * x + x
}

#[differentiable]
fn assigned_constant(x: f64) -> f64 {
    let mut a = x * x;
    let b = a;
    a = 2.0;
    a * b
}

#[differentiable]
fn shadowed(x: f64) -> f64 {
    let y = x * 2.0;
    let x = y * x;
    let y = {
        let y = x * y;
        let x = y + 1.0;
        x * x
    };
    x * y
}

#[differentiable]
fn late_initialisation(x: f64, c: bool) -> f64 {
    let y;
    let z: f64;
    if c {
        y = 1.0;
        z = x;
    } else {
        y = x;
        z = 2.0 * y;
    }
    y * z
}

#[differentiable]
fn blocks(x: f64, y: f64) -> f64 {
    let z = {
        let a = x * y;
        {
            let b = a * a;
            b + y
        }
    } * { x };
    z + { 2.0 }
}

/// Two products share a factor, which itself is a product.
#[differentiable]
fn shared_subexpression(x: f64, y: f64, z: f64) -> f64 {
    let s = x * y;
    (s * z) * (s + z) * s
}

#[differentiable]
fn unused_parameter(x: f64, _y: f64) -> f64 {
    x * 2.0
}

#[differentiable]
fn unnamed_parameter(x: f64, _: f64) -> f64 {
    x * 2.0
}

#[differentiable]
fn constant_result(_x: f64) -> f64 {
    1.5
}

#[differentiable]
fn constant_parameter(x: f64, #[constant] y: f64) -> f64 {
    let z = y * y;
    x * z * x + z
}

#[differentiable]
fn inactive_statements(x: f64, n: usize) -> f64 {
    let m = n + 2;
    let mut k = m * m;
    k -= m;
    let words: Vec<String> = (0..k).map(|i| format!("{i}")).collect();
    let letters = words.concat().len() as f64;
    letters * x * x
}

#[differentiable]
fn unused_value(x: f64) -> f64 {
    let _unused = (x - 1.0).abs().sqrt();
    let _ = x.ln();
    x * x
}

#[differentiable]
fn tuples(x: f64, y: f64) -> f64 {
    let (a, b) = (x * y, x + y);
    let pair = (a, (b, a * b));
    let (_, (c, d)) = pair;
    let (e, ..) = (c * d, x, y);
    pair.0 * pair.1.1 + e
}

#[differentiable]
fn tuple_assignment(x: f64, y: f64) -> f64 {
    let (mut a, mut b) = (x, y * x);
    (a, b) = (b, a);
    (a, _) = (a * b, 1.0);
    (b, a) = (a - b, b * 2.0);
    a * b * b
}

#[differentiable]
fn tuple_in_place(x: f64, y: f64) -> f64 {
    let mut pair = (x, y);
    pair.0 *= pair.1;
    pair.1 = pair.0 + x;
    pair.0 * pair.1
}

#[differentiable]
fn tuple_parameter((x, y): (f64, f64), z: f64) -> f64 {
    x * y * z + x
}

#[differentiable]
fn tuple_fields(p: (f64, (f64, f64))) -> f64 {
    p.0 * p.1.0 + p.1.1 * p.1.1 * p.0
}

#[differentiable]
fn tuple_by_reference(p: &(f64, f64), k: f64) -> f64 {
    p.0 * p.1 * k
}

#[differentiable]
fn tuple_with_inactive_parts(x: f64, n: usize) -> f64 {
    let t = (x, n, true);
    let (a, m, flag) = t;
    if flag && m == t.1 {
        a * (m as f64) * t.0
    } else {
        0.0
    }
}

#[differentiable]
fn tuple_result(x: f64, y: f64) -> (f64, f64) {
    (x * y, x / y)
}

#[differentiable]
fn nested_tuple_result(x: f64, y: f64) -> (f64, (f64, f64)) {
    let inner = (x * x, y);
    (x + y, inner)
}

#[differentiable]
fn parameter_twice_in_the_result(x: f64, y: f64) -> (f64, f64, f64) {
    (x, y * y, x)
}

#[differentiable]
fn single(x: f32, y: f32) -> f32 {
    let z = x * y - 0.5;
    (z + x) / (1.0 + y * y) * 3.0
}

#[differentiable]
fn literals(x: f64) -> f64 {
    let a = 2.0 * x;
    let b = 1e-1 + a;
    let c = 3_f64 * b;
    let d = 1_000.5 - c;
    d * d
}

table! {
    identity: (0.7) => [1.0];
    polynomial: (0.7) => [9.0 * 0.7 * 0.7 - 0.5], (0.0) => [-0.5], (-1.3);
    quotient: (0.7, 1.9), (-2.0, 0.3);
    minus: (0.7, 1.9);
    remainder: (5.3, 2.2) => [3.0, -2.0], (-5.3, 2.2) => [3.0, 2.0];
    compound_assignment: (0.7, 1.9);
    square_in_place: (1.3) => [4.0 * 1.3 * 1.3 * 1.3], (0.0);
    cancels_itself: (1.3) => [-3.0];
    chained_assignment: (0.7, 1.9);
    reassigned_parameter: (0.7, 1.9) => [1.9 * 1.9 * 1.9, 3.0 * 0.7 * 1.9 * 1.9 + 2.0 * 1.9];
    assigned_constant: (0.7) => [2.8];
    shadowed: (0.7);
    late_initialisation: (0.7, const true) => [1.0], (0.7, const false) => [2.8];
    blocks: (0.7, 1.9);
    shared_subexpression: (0.7, 1.9, -0.4);
    unused_parameter: (0.7, 1.9) => [2.0, 0.0];
    unnamed_parameter: (0.7, 1.9) => [2.0, 0.0];
    constant_result: (0.7) => [0.0];
    constant_parameter: (0.7, const 1.9) => [2.0 * 0.7 * 1.9 * 1.9];
    inactive_statements: (0.7, const 1) => [8.4];
    unused_value: (1.3) => [2.6];
    tuples: (0.7, 1.9);
    tuple_assignment: (0.7, 1.9);
    tuple_in_place: (0.7, 1.9);
    tuple_parameter: ((0.7, 1.9), -0.4) => [-0.76 + 1.0, -0.28, 0.7 * 1.9];
    tuple_fields: ((0.7, (1.9, -0.4)));
    tuple_by_reference: (&(0.7, 1.9), 0.3);
    tuple_with_inactive_parts: (0.7, const 3) => [4.2];
    single: (0.7, 1.9);
    literals: (0.7);
}

map_table! {
    tuple_result: (0.7, 1.9) => [1.9, 0.7];
    nested_tuple_result: (0.7, 1.9);
    parameter_twice_in_the_result: (0.7, 1.9) => [1.0, 0.0];
}

/// The partial of a value that nothing uses is infinite here, and does not show.
#[test]
fn unused_value_at_its_singularity() {
    assert_eq!(unused_value::gradient(1.0), 2.0);
    assert_eq!(unused_value::derivative(1.0), 2.0);
    assert_eq!(unused_value::hvp(1.0, 1.0), 2.0);
}

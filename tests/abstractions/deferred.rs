//! Values whose types only rustc knows: results of calls, fields of structs.

use callee::{
    Curve, Holder, holder, make, make_count, make_curve, make_pair, make_values, make_weight,
};
use chainrule::prelude::*;

use crate::check::{assert_close, map_table, table};

#[differentiable]
fn operators(x: f64, y: f64) -> f64 {
    let a = make(x, y);
    let b = make(y, x);
    let c = a + b - a * b / (b + 3.0);
    let d = -c * 2.0 + 1.5 * a - 4.0 / b;
    d % 100.0
}

#[differentiable]
fn known_and_deferred(x: f64, y: f64) -> f64 {
    let a = make(x, y);
    x * a + a * y - (x - a) / (y + a)
}

#[differentiable]
fn annotated_later(x: f64, y: f64) -> f64 {
    let a = make(x, y);
    let b: f64 = a;
    b.sin() * a
}

#[differentiable]
fn compound_assignment(x: f64, y: f64) -> f64 {
    let mut a = make(x, y);
    a += x;
    a *= a;
    a -= make(a, y);
    a /= 2.0 + y;
    a
}

#[differentiable]
fn methods(x: f64, y: f64) -> f64 {
    let a = make(x, y);
    let b = a.sin() * a.exp() + a.powi(2) + (a * a).sqrt();
    let c = a.max(b) + a.min(2.0) + a.abs() + b.mul_add(a, x) + a.atan2(b) + a.hypot(y);
    c + a.powf(1.5) + a.powf(y) + a.ln() + a.tanh() + a.recip() + a.clamp(0.0, 100.0)
}

#[differentiable]
fn methods_of_fields(h: &Holder) -> f64 {
    h.value.sin() * h.pair.a.exp()
        + h.values[1].powi(3)
        + h.curve.points[0].sqrt() * h.curve.scale.ln()
}

#[differentiable]
fn fields(h: &Holder, x: f64) -> f64 {
    h.value * x + h.pair.a * h.pair.b - h.curve.scale * h.value / x
}

#[differentiable]
fn elements(h: &Holder, i: usize) -> f64 {
    h.values[i] * h.values[0] + h.curve.points[i % 2] * h.value
}

#[differentiable]
fn integer_fields(h: &Holder, x: f64) -> f64 {
    let mut z = x;
    for i in 0..h.count {
        z = z * x + h.values[i];
    }
    z * h.curve.degree as f64
}

#[differentiable]
fn loop_over_a_field(h: &Holder) -> f64 {
    let mut z = 1.0;
    for v in &h.values {
        z = z * v + h.value;
    }
    for v in h.curve.points.iter() {
        z *= v * v;
    }
    z
}

#[differentiable]
fn length_of_a_field(h: &Holder, x: f64) -> f64 {
    let mut z = x;
    for i in 0..h.values.len() {
        z += h.values[i] * x;
    }
    z * h.values.len() as f64
}

#[differentiable]
fn fields_in_place(h: &mut Holder, x: f64) -> f64 {
    h.value *= x;
    h.values[1] += h.value;
    h.pair.a = h.pair.b * h.values[1];
    h.curve.points[0] = x * h.pair.a;
    h.curve.scale -= h.curve.points[0] * h.curve.scale;
    h.value * h.curve.scale + h.curve.points[0]
}

#[differentiable]
fn elements_of_a_result(x: f64, y: f64) -> f64 {
    let v = make_values(x, y);
    let mut z = v[0] * v[1];
    for i in 0..v.len() {
        z += v[i] * z;
    }
    for e in &v {
        z *= *e;
    }
    z
}

#[differentiable]
fn result_in_place(x: f64, y: f64) -> f64 {
    let mut v = make_values(x, y);
    v[0] *= v[1];
    v[2] = v[0] + x;
    let mut p = make_pair(x, y);
    p.a *= p.b * v[2];
    p.a + p.b
}

#[differentiable]
fn conditions(x: f64, y: f64) -> f64 {
    let a = make(x, y);
    let n = make_count(1);
    let mut z = a;
    if a > 1.0 && n == 2 {
        z = z * a;
    }
    if z < a * 3.0 {
        z = z + x;
    }
    match n {
        2 => z * a,
        _ => z,
    }
}

#[differentiable]
fn carried_round_a_loop(x: f64, y: f64, n: usize) -> f64 {
    let mut z = make(x, y);
    for _ in 0..n {
        z = make(z, y) * x;
    }
    z
}

#[differentiable]
fn weights(x: f64, y: f64) -> f64 {
    let w = make_weight(x, y);
    let n = make_count(2);
    w * w * n as f64 + w
}

#[differentiable]
#[inline(never)]
fn casts(x: f64, y: f64) -> f64 {
    let a = make(x, y);
    let n = make_count(3);
    let single = a as f32;
    let back = single as f64;
    back * a + n as f64 * a + a as f64
}

#[differentiable]
fn cloned_parts(h: &Holder, x: f64) -> f64 {
    let mut c = h.curve.clone();
    let mut v = h.values.to_vec();
    c.scale *= x;
    v[0] += c.scale;
    let p = h.pair;
    c.points[0] * v[0] * p.a + h.curve.scale
}

#[differentiable]
fn struct_of_deferred_parts(x: f64, y: f64) -> Curve {
    let points = make_values(x, y);
    let scale = make(x, y);
    Curve {
        points,
        scale,
        degree: make_count(0),
    }
}

#[differentiable]
fn returned(x: f64, y: f64) -> Vec<f64> {
    let v = make_values(x, y);
    v
}

#[differentiable]
fn branch_of_calls(x: f64, y: f64, which: bool) -> f64 {
    let z = if which { make(x, y) } else { make_weight(x, y) };
    z * x
}

#[differentiable]
fn moved_in_a_branch(x: f64, y: f64, which: bool) -> f64 {
    let c = make_curve(x, y);
    if which {
        callee::moved_curve(c)
    } else {
        c.value(x) * y
    }
}

#[differentiable]
fn several_receivers(x: f64, y: f64) -> f64 {
    let mut c = make_curve(x, y);
    let a = c.step(x);
    let b = c.value(a);
    let d = c.clone().consumed(b);
    let p = make_pair(a, d);
    p.product(x) + b
}

#[differentiable]
fn exits_with_deferred_values(x: f64, y: f64, n: usize) -> f64 {
    let mut z = make(x, y);
    for i in 0..4 {
        if i == n {
            return z * x;
        }
        z = make(z, x);
    }
    z
}

table! {
    operators: (0.7, 1.9);
    known_and_deferred: (0.7, 1.9);
    annotated_later: (0.7, 1.9);
    compound_assignment: (0.7, 1.9);
    methods: (0.7, 1.9);
    methods_of_fields: (&holder());
    fields: (&holder(), 0.7);
    elements: for i in 0..3, (&holder(), const i);
    integer_fields: (&holder(), 0.7);
    loop_over_a_field: (&holder());
    length_of_a_field: (&holder(), 0.7);
    fields_in_place: (&mut holder(), 0.7);
    elements_of_a_result: (0.7, 1.9);
    result_in_place: (0.7, 1.9);
    conditions: (0.7, 1.9), (0.2, 0.9);
    carried_round_a_loop: for n in 0..4, (0.7, 1.9, const n);
    weights: (0.7, 1.9);
    cloned_parts: (&holder(), 0.7);
    branch_of_calls: (0.7, 1.9, const true), (0.7, 1.9, const false);
    moved_in_a_branch: (0.7, 1.9, const true), (0.7, 1.9, const false);
    several_receivers: (0.7, 1.9);
    exits_with_deferred_values: for n in 0..5, (0.7, 1.9, const n);
}

map_table! {
    struct_of_deferred_parts: (0.7, 1.9);
    returned: (0.7, 1.9);
}

/// The differences are those of a function that rounds to single precision; so compare with what it rounds.
#[test]
fn casts_of_deferred_values() {
    let (x, y) = (0.7, 1.9);
    let single = f64::from(make(x, y) as f32);
    // The cotangent goes through single precision, too.
    let slope = single + single + 4.0 + 1.0;
    let (x_bar, y_bar) = casts::gradient(x, y);
    assert_close(&[x_bar, y_bar], &[slope * (y + 1.0), slope * x]);
    assert_eq!(casts(x, y), casts::value_and_gradient(x, y).0);
}

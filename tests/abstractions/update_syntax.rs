//! Update syntax, `S { field, ..base }`, with fields that have no tangent and fields of another shape than the base's.

use chainrule::prelude::*;
use chainrule::testing::check_rules;

#[derive(Clone, Copy, Debug, Differentiable)]
struct P {
    x: f64,
    y: f64,
    q: [f64; 2],
    #[constant]
    weight: f64,
    n: usize,
}

const K: f64 = 0.3;

#[differentiable]
fn made(x: f64) -> P {
    P {
        x,
        y: x * x,
        q: [x, 2.0 * x],
        weight: 2.0,
        n: 1,
    }
}

#[differentiable]
fn measured(p: P) -> f64 {
    p.x * p.y * p.y * p.weight + p.q[0] * p.q[1] * p.n as f64 + p.x
}

#[differentiable]
fn a_number(x: f64) -> f64 {
    let p = made(x);
    let q = P { x: 0.3, ..p };
    q.x * q.y * q.y + measured(q)
}

#[differentiable]
fn several(x: f64) -> f64 {
    let p = made(x);
    measured(P {
        q: [0.1, 0.2],
        y: K,
        n: 3,
        weight: 0.5,
        ..p
    })
}

#[differentiable]
fn assigned_back(x: f64, n: usize) -> f64 {
    let mut p = made(x);
    let mut s = 0.0;
    for k in 0..n {
        s += measured(p);
        p = P {
            x: k as f64,
            ..P { y: x, ..p }
        };
        if p.x > 1.0 {
            p = P {
                q: [x, stop_gradient(p.q[0]) + 1.0],
                ..p
            };
        }
    }
    s
}

#[differentiable]
fn of_a_parameter(p: &P) -> P {
    P { y: 0.0, ..*p }
}

#[derive(Clone, Debug, Differentiable)]
struct S {
    o: Option<f64>,
    v: Vec<f64>,
    p: P,
    k: f64,
}

#[differentiable]
fn shaped(x: f64) -> f64 {
    let s = S {
        o: Some(x),
        v: vec![x],
        p: made(x),
        k: x,
    };
    let t = S {
        v: vec![0.5; 2],
        ..s.clone()
    };
    let u = S {
        o: None,
        ..t.clone()
    };
    let w = S {
        p: P { y: 0.4, ..s.p },
        o: Some(0.25),
        ..u.clone()
    };
    s.v[0] * t.v[1] * t.k
        + u.o.unwrap_or(2.0) * u.k
        + w.o.unwrap_or(1.0) * w.v[0] * measured(w.p)
        + t.o.unwrap_or(1.0)
}

#[differentiable]
fn longer(x: &[f64]) -> f64 {
    let s = S {
        o: None,
        v: x.to_vec(),
        p: made(x[0]),
        k: x[0],
    };
    let s = S {
        v: vec![x[1] * x[1], 1.0, x[0]],
        o: Some(s.v[0]),
        ..s
    };
    s.v.iter().sum::<f64>() * s.k * s.o.unwrap_or(1.0)
}

#[test]
fn a_field_without_tangent_has_none_of_the_bases() {
    assert_eq!(a_number::derivative(0.7), a_number::gradient(0.7));
    check_rules!(a_number, 0.7);
    check_rules!(several, 0.7);
    check_rules!(shaped, 0.7);
    check_rules!(longer, &[0.7, -0.4]);
    check_rules!(longer, &[0.7, -0.4, 1.1, 0.2]);
    for n in 0..4 {
        check_rules!(assigned_back, 0.7, n; allow_inconclusive);
    }
    check_rules!(of_a_parameter, &made(0.6));
}

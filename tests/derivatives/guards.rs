//! Guards of arms, which look at what a pattern binds: what they look at stays where it is if another arm matches.

use chainrule::prelude::*;

use crate::check::table;

#[derive(Clone, Debug, Differentiable)]
enum Shape {
    Dot(f64),
    Line { u: f64, v: Vec<f64> },
    Nothing,
}

#[differentiable]
fn shape(x: &[f64], k: usize) -> Shape {
    match k {
        0 => Shape::Dot(x[0]),
        1 => Shape::Line {
            u: x[1],
            v: x.to_vec(),
        },
        _ => Shape::Nothing,
    }
}

#[differentiable]
fn by_value(x: &[f64], k: usize) -> f64 {
    let shape = shape(x, k);
    match shape {
        Shape::Line { v, .. } if v.len() > 7 => 1.0,
        Shape::Line { u, v } if u > 0.5 => {
            let mut s = u;
            for w in &v {
                s += w * w;
            }
            s
        }
        Shape::Line { u, v } if v[0] > 0.1 && u.abs() > 0.01 => u * v[1],
        Shape::Line { u, .. } => u,
        Shape::Dot(a) if a.is_finite() && a > 0.5 => a * x[1],
        Shape::Dot(a) => a,
        Shape::Nothing => 2.0 * x[0],
    }
}

#[differentiable]
fn by_reference(x: &[f64], k: usize) -> f64 {
    let mut shape = shape(x, k);
    let seen = match &shape {
        Shape::Line { v, .. } if v.len() > 7 => 1.0,
        Shape::Line { u, v } if *u > 0.5 && v[0] > 0.1 => u * v[1],
        Shape::Dot(a) if a.is_finite() => *a,
        _ => 2.0,
    };
    let changed = match &mut shape {
        Shape::Line { u, v } if v[0] > 0.1 && u.abs() > 0.01 => {
            *u += v[0];
            u.powi(2)
        }
        Shape::Dot(a) if a.is_finite() => {
            *a *= 2.0;
            *a
        }
        _ => x[1],
    };
    seen * changed
}

#[differentiable]
fn nested(x: &[f64], k: usize) -> f64 {
    let one = (k < 3).then(|| shape(x, k));
    let by_reference = match &one {
        Some(Shape::Dot(a)) if *a > 9.0 => 0.0,
        Some(Shape::Line { u, v }) if *u > 0.1 && v.len() > 1 => u * v[0],
        Some(Shape::Dot(a)) => a * x[1],
        Some(_) | None => x[0],
    };
    let by_value = match one {
        Some(Shape::Dot(a)) if a > 9.0 => 0.0,
        Some(Shape::Line { u, v }) if u > 0.5 && v.len() > 1 => u * v[0] + v.iter().sum::<f64>(),
        Some(Shape::Line { v, .. }) => v[1],
        Some(Shape::Dot(a)) => a * x[1],
        Some(_) | None => x[1],
    };
    by_reference * by_value
}

#[differentiable]
fn lists(x: &[f64]) -> f64 {
    let list = |from: usize| Some(x[from..].to_vec()).filter(|list| list.len() > 1);
    let mut s = match list(0) {
        Some(v) if v.len() > 5 => v[0],
        Some(v) if v[0] > 0.5 && !v.is_empty() => v[1] * v.iter().sum::<f64>(),
        Some(v) => v[2],
        None => 0.0,
    };
    s += match (x[0], x.to_vec()) {
        (a, v) if v.len() > 7 => a,
        (a, v) if a > v[1] => a * v[2],
        (a, _) => a,
    };
    s += match Some((x[0], vec![x[1]])) {
        Some((a, v)) if a > 0.9 => v[0],
        Some((a, v)) if v.len() == 1 => a * v[0],
        _ => s,
    };
    s *= match x {
        [a, rest @ ..] if rest.len() > 5 => *a,
        [a, rest @ ..] if *a > rest[0] => a * rest[1],
        _ => 2.0,
    };
    s + match x.first() {
        Some(&a) if a > 5.0 => 0.0,
        Some(a) if a.is_finite() => a * a,
        _ => 1.0,
    }
}

const HIGH: [f64; 3] = [0.8, 0.6, 0.3];
const LOW: [f64; 3] = [0.4, 0.2, 0.7];

table! {
    by_value: for k in 0..3, (&HIGH, const k), (&LOW, const k);
    by_reference: for k in 0..3, (&HIGH, const k), (&LOW, const k);
    nested: for k in 0..4, (&HIGH, const k), (&LOW, const k);
    lists: (&HIGH), (&LOW);
}

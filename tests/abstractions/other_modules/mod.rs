//! Types, functions, methods and operators of other modules, in files of their own: what is right in one file is right in several.

mod functions;
mod helpers;
mod inlined;
mod paths;
mod scopes;
mod types;
mod vectors;

use chainrule::prelude::*;
use chainrule::testing::check_rules;
use types::{Grid, Shape};
use vectors::{Ghosted, Hidden, Mat, V};

#[differentiable]
fn fields(g: &Grid) -> f64 {
    g.w.min(g.h) + g.inner.b.max(g.w) * g.names["a"] as f64
}

#[differentiable]
fn fields_of_a_result(x: &[f64]) -> f64 {
    let g = functions::grid(x);
    g.w.min(g.h) * g.area()
}

#[differentiable]
fn lists_of_a_result(x: &[f64]) -> f64 {
    functions::rows(x).concat().iter().map(|v| v * v).sum()
}

#[differentiable]
fn option_of_a_result(x: &[f64]) -> f64 {
    functions::scaled(x).map(f64::exp).unwrap_or(0.0)
}

#[differentiable]
fn result_of_a_result(x: f64) -> f64 {
    functions::checked(x).map(|v| v.exp()).unwrap_or(0.0)
}

#[differentiable]
fn methods(g: &Grid) -> f64 {
    let mut s = 0.0;
    for i in 0..g.len() {
        s += g.parts[i] * g.row(i % 2)[0] * g.w;
    }
    let dot: f64 = g.data.iter().zip(&g.parts).map(|(d, p)| d * p * p).sum();
    s + g.repeated(3) * g.bounded(g.w).unwrap_or(1.0) * dot
}

#[differentiable]
fn closure_of_a_reference(g: &Grid) -> f64 {
    functions::twice(|g| g.w * g.h.sin(), g)
}

#[differentiable]
fn list_of_integers_that_grows(x: &[f64]) -> f64 {
    let mut g = Grid::new(x[0], x[1]);
    let mut s = 0.0;
    for v in x {
        functions::grow(&mut g, *v);
        s += g.w * g.inner.ids.len() as f64 * g.parts[g.inner.ids[0]];
    }
    s
}

#[differentiable]
fn shapes(s: &Shape) -> f64 {
    match s {
        Shape::Circle { r } => r.max(0.1) * r,
        Shape::Rect(a, b) => a.max(*b) * b,
        Shape::Empty => 0.0,
    }
}

#[differentiable]
fn changed_copy(x: &[f64]) -> f64 {
    let g = functions::grid(x);
    let mut h = g.clone();
    h.w = x[1];
    h.w * g.w.ln() + h.inner.b
}

#[differentiable]
fn operators(a: V, b: &V) -> f64 {
    let mut c = a + *b * 2.0;
    c += -a * 0.5;
    (2.0 * c).dot(a.unit()) + c.perp().norm() + c.x.hypot(c.y)
}

#[differentiable]
fn operators_in_loops(vs: &[V]) -> f64 {
    let mut s = V { x: 0.0, y: 0.0 };
    for i in 0..vs.len() {
        for j in 0..i {
            s += (vs[i] + vs[j] * 0.5).unit();
        }
    }
    s.norm() + vs.iter().map(|v| v.x.powi(2) + v.norm()).sum::<f64>()
}

#[differentiable]
fn indexed(m: &Mat) -> f64 {
    let mut s = 0.0;
    for i in 0..m.rows {
        for j in 0..m.cols {
            s += m[(i, j)] * m.at(j, i);
        }
        s += m.row(i).iter().map(|v| v.exp()).sum::<f64>();
    }
    s + m.iter().map(|v| v * v).sum::<f64>()
}

#[differentiable]
fn indexed_in_place(m: &mut Mat, k: f64) -> f64 {
    for i in 1..m.rows {
        for j in 0..m.cols {
            m[(i, j)] = m[(i - 1, j)] * k + m[(i, j)];
        }
        m.set(i, 0, k * k);
    }
    m.data.iter().sum::<f64>() + m.at(1, 1)
}

/// The type's methods, not those of lists.
#[differentiable]
fn own_methods(row: &Ghosted) -> f64 {
    let mut total = 0.0;
    for v in row.iter() {
        total += v * v;
    }
    if let Some(v) = row.get(0) {
        total *= v;
    }
    total + row.as_slice()[0].exp()
}

#[differentiable]
fn private_fields(h: &Hidden) -> f64 {
    let mut s = 0.0;
    for i in 0..h.n() {
        s += h[i] * h.at(i);
    }
    s
}

#[test]
fn rules_of_types_and_functions() {
    let (x, g) = ([1.3, 0.5, 0.8], Grid::new(1.2, 0.7));
    check_rules!(fields, &g);
    check_rules!(fields_of_a_result, &x);
    check_rules!(lists_of_a_result, &x);
    check_rules!(option_of_a_result, &x);
    check_rules!(result_of_a_result, 0.6);
    check_rules!(methods, &g);
    check_rules!(closure_of_a_reference, &g);
    check_rules!(list_of_integers_that_grows, &x);
    check_rules!(shapes, &Shape::Circle { r: 0.4 });
    check_rules!(shapes, &Shape::Rect(0.4, 0.5));
    check_rules!(shapes, &Shape::Empty);
    check_rules!(changed_copy, &x);
}

#[test]
fn rules_of_operators() {
    let (v, w) = (V { x: 0.3, y: 0.8 }, V { x: -0.3, y: 0.5 });
    let m = Mat::new(2, 2, vec![0.3, 0.5, 0.7, -0.2]);
    check_rules!(operators, v, &w);
    check_rules!(operators_in_loops, &[v, w, V { x: 0.1, y: 0.2 }]);
    check_rules!(indexed, &m);
    check_rules!(indexed_in_place, &mut m.clone(), 0.7);
    check_rules!(private_fields, &Hidden::new(vec![0.4, 0.5]));
    let cells = [0.4, 0.5, -0.3, 0.8];
    check_rules!(own_methods, &Ghosted { cells });
}

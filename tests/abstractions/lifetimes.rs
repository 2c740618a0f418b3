//! Types with lifetimes: structs that borrow data, references inside of a parameter's type. Each function has a twin on owned data,
//! which is checked against differences; both have to agree in every mode.

use chainrule::prelude::*;

use crate::ad::CoDual;
use crate::check::{assert_close, check, flat};

/// A table of values, borrowed.
#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Table<'a> {
    values: &'a [f64],
    scale: f64,
}

/// The same, owned.
#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Owned {
    values: Vec<f64>,
    scale: f64,
}
flat!(Owned { values: Vec<f64>, scale: f64 });

#[differentiable]
trait Curve {
    fn at(&self, x: f64) -> f64;

    fn twice(&self, x: f64) -> f64 {
        self.at(self.at(x) * 0.1)
    }
}

#[differentiable]
impl<'a> Curve for Table<'a> {
    fn at(&self, x: f64) -> f64 {
        let mut power = 1.0;
        let mut sum = 0.0;
        for v in self.values {
            sum += v * power;
            power *= x;
        }
        sum * self.scale
    }
}

#[differentiable]
impl Curve for Owned {
    fn at(&self, x: f64) -> f64 {
        let mut power = 1.0;
        let mut sum = 0.0;
        for v in &self.values {
            sum += v * power;
            power *= x;
        }
        sum * self.scale
    }
}

#[differentiable]
impl<'a> Table<'a> {
    fn norm(&self) -> f64 {
        self.values.iter().map(|v| v * v).sum::<f64>().sqrt() * self.scale
    }

    fn stretched(self, by: f64) -> f64 {
        self.norm() * by
    }
}

#[differentiable]
impl Owned {
    fn norm(&self) -> f64 {
        self.values.iter().map(|v| v * v).sum::<f64>().sqrt() * self.scale
    }

    fn stretched(self, by: f64) -> f64 {
        self.norm() * by
    }
}

#[differentiable]
#[inline(never)]
fn direct(t: &Table<'_>, x: f64) -> f64 {
    t.values[0] * x.sin() * t.scale + t.values[1]
}

#[differentiable]
#[inline(never)]
fn direct_owned(t: &Owned, x: f64) -> f64 {
    t.values[0] * x.sin() * t.scale + t.values[1]
}

#[differentiable]
fn through_calls<'a>(t: &Table<'a>, #[constant] u: &'a Table<'a>, x: f64) -> f64 {
    let a: f64 = direct(t, x * x);
    let b: f64 = t.norm();
    let c: f64 = u.twice(x);
    let d: f64 = t.at(x);
    a * b + c * d
}

#[differentiable]
#[inline(never)]
fn through_calls_owned(t: &Owned, #[constant] u: &Owned, x: f64) -> f64 {
    let a: f64 = direct_owned(t, x * x);
    let b: f64 = t.norm();
    let c: f64 = u.twice(x);
    let d: f64 = t.at(x);
    a * b + c * d
}

#[differentiable]
fn by_value(t: Table<'_>, x: f64) -> f64 {
    let a: f64 = direct(&t, x);
    a * t.stretched(x)
}

#[differentiable]
#[inline(never)]
fn by_value_owned(t: Owned, x: f64) -> f64 {
    let a: f64 = direct_owned(&t, x);
    a * t.stretched(x)
}

/// Boxed pullbacks may hold on to what has the lifetime, too.
#[differentiable]
#[inline(never)]
fn recursive(t: &Table<'_>, x: f64, n: usize) -> f64 {
    if n == 0 {
        return t.scale;
    }
    x * recursive(t, x, n - 1) + t.values[n - 1] * t.values[n - 1]
}

#[differentiable]
#[inline(never)]
fn recursive_owned(t: &Owned, x: f64, n: usize) -> f64 {
    if n == 0 {
        return t.scale;
    }
    x * recursive_owned(t, x, n - 1) + t.values[n - 1] * t.values[n - 1]
}

/// Two lifetimes in one box.
#[differentiable]
#[inline(never)]
fn recursive_in_two(t: &Table<'_>, u: &Table<'_>, x: f64, n: usize) -> f64 {
    if n == 0 {
        return t.scale * u.scale;
    }
    recursive_in_two(u, t, x, n - 1) * x + t.values[0] * u.values[1]
}

#[differentiable]
#[inline(never)]
fn recursive_in_two_owned(t: &Owned, u: &Owned, x: f64, n: usize) -> f64 {
    if n == 0 {
        return t.scale * u.scale;
    }
    recursive_in_two_owned(u, t, x, n - 1) * x + t.values[0] * u.values[1]
}

const VALUES: [f64; 3] = [0.8, -0.4, 0.3];

fn table() -> (Table<'static>, Owned) {
    let scale = 1.3;
    let values = VALUES.to_vec();
    (
        Table {
            values: &VALUES,
            scale,
        },
        Owned { values, scale },
    )
}

fn direction() -> (TableTangent<'static>, OwnedTangent) {
    let values = vec![0.3, 0.7, -0.2];
    let scale = -0.6;
    (
        TableTangent {
            values: values.clone(),
            scale,
        },
        OwnedTangent { values, scale },
    )
}

/// The parts of a tangent.
trait Parts: Clone {
    fn parts(&self) -> (Vec<f64>, f64);
}

impl Parts for TableTangent<'_> {
    fn parts(&self) -> (Vec<f64>, f64) {
        (self.values.clone(), self.scale)
    }
}

impl Parts for OwnedTangent {
    fn parts(&self) -> (Vec<f64>, f64) {
        (self.values.clone(), self.scale)
    }
}

type Answer = (f64, (Vec<f64>, f64), f64);

/// Values to the bit. The fields of the twin have known types, so that its cotangents may be added in another order.
fn assert_agree(borrowed: Answer, owned: Answer) {
    assert_eq!(borrowed.0, owned.0);
    let all = |(_, (values, scale), x): Answer| [values, vec![scale, x]].concat();
    assert_close(&all(borrowed), &all(owned));
}

#[test]
fn structs_that_borrow() {
    let (t, u) = table();
    let (t_dot, u_dot) = direction();
    let (x, x_dot) = (0.7, -0.4);

    check!(direct_owned(&u.clone(), x));
    let (y, (t_bar, x_bar)) = direct::value_and_gradient(&t, x);
    let (z, (u_bar, z_bar)) = direct_owned::value_and_gradient(&u, x);
    assert_agree((y, t_bar.parts(), x_bar), (z, u_bar.parts(), z_bar));
    assert_eq!(
        direct::jvp(&t, x, &t_dot, x_dot),
        direct_owned::jvp(&u, x, &u_dot, x_dot)
    );

    check!(through_calls_owned(&u.clone(), const &u.clone(), x));
    let (y, (t_bar, x_bar)) = through_calls::value_and_gradient(&t, &t, x);
    let (z, (u_bar, z_bar)) = through_calls_owned::value_and_gradient(&u, &u, x);
    assert_agree((y, t_bar.parts(), x_bar), (z, u_bar.parts(), z_bar));
    let (t_hv, x_hv) = through_calls::hvp(&t, &t, x, &t_dot, x_dot);
    let (u_hv, z_hv) = through_calls_owned::hvp(&u, &u, x, &u_dot, x_dot);
    assert_agree((0.0, t_hv.parts(), x_hv), (0.0, u_hv.parts(), z_hv));

    check!(by_value_owned(u.clone(), x));
    let (y, (t_bar, x_bar)) = by_value::value_and_gradient(t.clone(), x);
    let (z, (u_bar, z_bar)) = by_value_owned::value_and_gradient(u.clone(), x);
    assert_agree((y, t_bar.parts(), x_bar), (z, u_bar.parts(), z_bar));
    let (t_hv, x_hv) = by_value::hvp(t.clone(), x, t_dot.clone(), x_dot);
    let (u_hv, z_hv) = by_value_owned::hvp(u.clone(), x, u_dot.clone(), x_dot);
    assert_agree((0.0, t_hv.parts(), x_hv), (0.0, u_hv.parts(), z_hv));
}

#[test]
fn pullbacks_that_hold_on_to_borrowed_data() {
    let values = vec![0.5, 0.25];
    let (t, x) = (
        Table {
            values: &values,
            scale: 2.0,
        },
        0.7,
    );
    let mut t_bar = t.zero_tangent();
    let (y, pullback) = direct::rrule(&t, x);
    let moved = t.clone();
    let x_bar = pullback(2.0, CoDual(&moved, &mut t_bar));
    assert_eq!(y, 0.5 * x.sin() * 2.0 + 0.25);
    assert_eq!(x_bar, 2.0 * x.cos());
    assert_eq!(t_bar.parts(), (vec![4.0 * x.sin(), 2.0], x.sin()));

    let owned = Owned {
        values: values.clone(),
        scale: 2.0,
    };
    let owned = Owned {
        values: [owned.values, vec![0.1]].concat(),
        ..owned
    };
    let values = owned.values.clone();
    let t = Table {
        values: &values,
        scale: 2.0,
    };
    for n in 0..4 {
        check!(recursive_owned(&owned.clone(), x, const n));
        let (y, (t_bar, x_bar)) = recursive::value_and_gradient(&t, x, n);
        let (z, (u_bar, z_bar)) = recursive_owned::value_and_gradient(&owned, x, n);
        assert_agree((y, t_bar.parts(), x_bar), (z, u_bar.parts(), z_bar));
    }
}

#[test]
fn recursion_with_two_lifetimes() {
    let ((t, u), x) = (table(), 0.7);
    for n in 0..4 {
        check!(recursive_in_two_owned(&u.clone(), &u.clone(), x, const n));
        let (y, (a, b, x_bar)) = recursive_in_two::value_and_gradient(&t, &t, x, n);
        let (z, (c, d, z_bar)) = recursive_in_two_owned::value_and_gradient(&u, &u, x, n);
        assert_eq!(
            (y, a.parts(), b.parts(), x_bar),
            (z, c.parts(), d.parts(), z_bar)
        );
    }
}

#[differentiable]
#[inline(never)]
fn rows(rows: &[&[f64]], w: &[f64]) -> f64 {
    let mut sum = 0.0;
    for row in rows {
        for j in 0..row.len() {
            sum += row[j] * row[j] * w[j];
        }
    }
    sum
}

#[differentiable]
#[inline(never)]
fn rows_owned(rows: &[Vec<f64>], w: &[f64]) -> f64 {
    let mut sum = 0.0;
    for row in rows {
        for j in 0..row.len() {
            sum += row[j] * row[j] * w[j];
        }
    }
    sum
}

#[differentiable]
fn pair(
    (xs, k): (&[f64], f64),
    #[constant] all: &[&[f64]],
    #[constant] last: Option<&[f64]>,
) -> f64 {
    let mut sum = k;
    for i in 0..xs.len() {
        sum += xs[i] * xs[i] * all[i][0] * k;
    }
    match last {
        Some(last) => sum * last[0],
        None => sum,
    }
}

#[differentiable]
#[inline(never)]
fn maybe(o: Option<&[f64]>, k: f64) -> f64 {
    match o {
        Some(xs) => xs[0] * xs[1] * k,
        None => k * k,
    }
}

#[differentiable]
fn all_of_them(r: &[&[f64]], w: &[f64], o: Option<&[f64]>, k: f64) -> f64 {
    rows(r, w) * maybe(o, k)
}

#[test]
fn references_inside_of_types() {
    let (a, b, w) = ([0.4, 0.3], [-0.2, 0.9], [1.5, 0.6]);
    let owned = vec![a.to_vec(), b.to_vec()];
    check!(rows_owned(&owned.clone(), &w.clone()));
    let twin = rows_owned::value_and_gradient(&owned, &w);
    assert_eq!(rows::value_and_gradient(&[&a, &b], &w), twin);
    let (d, w_dot) = ([vec![1.0, 0.5], vec![0.0, -1.0]], [0.3, -0.7]);
    let hv = rows_owned::hvp(&owned, &w, &d, &w_dot);
    assert_eq!(rows::hvp(&[&a, &b], &w, &d, &w_dot), hv);

    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-14, "{a} is not {b}");
    let (y, (xs_bar, k_bar)) = pair::value_and_gradient((&a, 2.0), &[&[1.5], &[0.5]], Some(&[3.0]));
    let sum = a[0] * a[0] * 1.5 + a[1] * a[1] * 0.5;
    close(y, (2.0 + sum * 2.0) * 3.0);
    close(xs_bar[0], 2.0 * a[0] * 1.5 * 2.0 * 3.0);
    close(xs_bar[1], 2.0 * a[1] * 0.5 * 2.0 * 3.0);
    close(k_bar, (1.0 + sum) * 3.0);

    assert_eq!(
        maybe::gradient(Some(&a), 2.0),
        (Some(vec![a[1] * 2.0, a[0] * 2.0]), a[0] * a[1])
    );
    assert_eq!(maybe::gradient(None, 2.0), (None, 4.0));
    assert_eq!(
        maybe::hvp(Some(&a), 2.0, Some(vec![1.0, 0.0]), 0.0),
        (Some(vec![0.0, 2.0]), a[1])
    );

    let (y, (_, w_bar, o_bar, k_bar)) =
        all_of_them::value_and_gradient(&[&a, &b], &w, Some(&a), 2.0);
    let (r, m) = (rows(&[&a, &b], &w), maybe(Some(&a), 2.0));
    close(y, r * m);
    close(k_bar, r * a[0] * a[1]);
    let o_bar = o_bar.expect("there is one");
    close(o_bar[0], r * a[1] * 2.0);
    close(o_bar[1], r * a[0] * 2.0);
    for j in 0..2 {
        close(w_bar[j], (a[j] * a[j] + b[j] * b[j]) * m);
    }
}

/// Lists in fields, borrowed.
#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Graph<'a> {
    edges: &'a [(usize, f64)],
    rows: &'a [Vec<f64>],
    w: &'a Vec<f64>,
    own: [f64; 2],
}

/// The same, owned.
#[derive(Clone, Debug, PartialEq, Differentiable)]
struct OwnedGraph {
    edges: Vec<(usize, f64)>,
    rows: Vec<Vec<f64>>,
    w: Vec<f64>,
    own: [f64; 2],
}
flat!(OwnedGraph { edges: Vec<(usize, f64)>, rows: Vec<Vec<f64>>, w: Vec<f64>, own: [f64; 2] });

#[differentiable]
#[inline(never)]
fn square(x: f64) -> f64 {
    x * x
}

#[differentiable]
fn along(g: &Graph<'_>, y: f64) -> f64 {
    let mut t = y;
    for (i, w) in g.edges {
        t += *w * (*i as f64) * y;
    }
    for &(i, w) in g.edges {
        t *= w + i as f64;
    }
    for row in g.rows {
        t *= row[0];
        for v in row {
            t += *v * y;
        }
    }
    for (a, w) in g.own.iter().zip(g.w) {
        t += a * w * *w;
    }
    for a in g.own {
        t += square(a) * a;
    }
    t
}

#[differentiable]
#[inline(never)]
fn along_owned(g: &OwnedGraph, y: f64) -> f64 {
    let mut t = y;
    for (i, w) in &g.edges {
        t += *w * (*i as f64) * y;
    }
    for &(i, w) in &g.edges {
        t *= w + i as f64;
    }
    for row in &g.rows {
        t *= row[0];
        for v in row {
            t += *v * y;
        }
    }
    for (a, w) in g.own.iter().zip(&g.w) {
        t += a * w * *w;
    }
    for a in g.own {
        t += square(a) * a;
    }
    t
}

#[test]
fn loops_over_borrowed_fields() {
    let owned = OwnedGraph {
        edges: vec![(1, 0.3), (2, -0.4)],
        rows: vec![vec![0.5, 0.6], vec![0.7, 0.8]],
        w: vec![0.9, 1.1],
        own: [0.2, 0.3],
    };
    let graph = Graph {
        edges: &owned.edges,
        rows: &owned.rows,
        w: &owned.w,
        own: owned.own,
    };
    check!(along_owned(&owned.clone(), 1.3));
    let (y, (g_bar, y_bar)) = along::value_and_gradient(&graph, 1.3);
    let (want, (owned_bar, y_want)) = along_owned::value_and_gradient(&owned, 1.3);
    assert_eq!((y, y_bar), (want, y_want));
    assert_eq!(g_bar.edges, owned_bar.edges);
    assert_eq!(g_bar.rows, owned_bar.rows);
    assert_eq!(g_bar.w, owned_bar.w);
    assert_eq!(g_bar.own, owned_bar.own);
    let hv = along::hvp(&graph, 1.3, &g_bar, 1.0);
    let want = along_owned::hvp(&owned, 1.3, &owned_bar, 1.0);
    assert_eq!((hv.0.edges, hv.0.w, hv.1), (want.0.edges, want.0.w, want.1));
}

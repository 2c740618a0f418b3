//! Patterns with `|` that bind names, each case in another place.

use chainrule::prelude::*;

use crate::check::table;

#[derive(Clone, Debug, Differentiable)]
enum Shape {
    Disc(f64),
    Box(f64, f64),
    Many { sizes: Vec<f64>, weight: f64 },
    Nothing,
}

#[differentiable]
fn shape(x: &[f64], #[constant] kind: usize) -> Shape {
    match kind {
        0 => Shape::Disc(x[0]),
        1 => Shape::Box(x[1], x[0]),
        2 => Shape::Many {
            sizes: x.to_vec(),
            weight: x[1],
        },
        _ => Shape::Nothing,
    }
}

#[differentiable]
fn in_if_let(s: &Shape) -> f64 {
    if let Shape::Disc(r) | Shape::Box(_, r) = s {
        r * r
    } else if let Shape::Many { weight: w, .. } = s {
        w.sin()
    } else {
        1.0
    }
}

// The guard is tried for each case: `Box(0.7, 0.2)` fits the second one.
#[differentiable]
fn in_match(s: &Shape) -> f64 {
    match s {
        Shape::Box(a, _) | Shape::Box(_, a) | Shape::Disc(a) if *a < 0.5 => a * 3.0,
        Shape::Disc(a) | Shape::Box(_, a) => a * a,
        Shape::Many { sizes, .. } => sizes.iter().sum(),
        Shape::Nothing => 0.1,
    }
}

#[differentiable]
fn nested(a: &Shape, b: &Shape, k: f64) -> f64 {
    match (a, b) {
        (Shape::Disc(r) | Shape::Box(r, _), Shape::Disc(s) | Shape::Box(_, s)) => r * s.exp() * k,
        (Shape::Many { weight: w, .. }, _) | (_, Shape::Many { weight: w, .. }) => w * k,
        _ => k,
    }
}

#[differentiable]
fn through_a_unique_reference(s: &mut Shape, k: f64) {
    if let Shape::Disc(r) | Shape::Box(_, r) | Shape::Many { weight: r, .. } = s {
        *r *= k;
        *r += 1.0;
    }
}

#[differentiable]
fn in_let_else(s: Shape) -> f64 {
    let (Shape::Disc(mut a) | Shape::Box(mut a, _)) = s else {
        return 0.3;
    };
    a *= 2.0;
    a.exp()
}

#[differentiable]
fn in_let(x: &[f64], #[constant] knots: &[f64]) -> f64 {
    let (Ok(i) | Err(i)) = knots.binary_search_by(|knot| knot.total_cmp(&0.5));
    x[i.min(x.len() - 1)] * knots[0]
}

#[differentiable]
fn in_a_chain_of_lets(all: &[Shape], k: f64) -> f64 {
    let mut t = k;
    if let Some(s) = all.first()
        && let Shape::Box(_, z) | Shape::Disc(z) = s
        && *z > 0.0
    {
        t *= z;
    }
    let mut i = 0;
    while i < all.len()
        && let Shape::Disc(v) | Shape::Box(v, _) | Shape::Many { weight: v, .. } = &all[i]
    {
        t += v * v * k;
        i += 1;
    }
    t
}

#[differentiable]
fn of_one(x: &[f64], #[constant] kind: usize) -> f64 {
    let mut s = shape(x, kind);
    let before = in_if_let(&s) + in_match(&s) * x[0];
    through_a_unique_reference(&mut s, x[1]);
    before * in_match(&s) + in_let_else(s)
}
#[differentiable]
fn of_two(x: &[f64], #[constant] kind: usize, #[constant] other: usize) -> f64 {
    nested(&shape(x, kind), &shape(x, other), x[0])
}
#[differentiable]
fn of_several(x: &[f64], #[constant] n: usize) -> f64 {
    let mut all = Vec::new();
    for kind in 0..n {
        all.push(shape(x, (kind + 1) % 4));
    }
    in_a_chain_of_lets(&all, x[1])
}

const X: [f64; 2] = [0.7, 0.2];

table! {
    of_one: for k in 0..4, (&X.to_vec(), const k);
    of_two: for k in 0..16, (&X.to_vec(), const k % 4, const k / 4);
    of_several: for n in 0..6, (&X.to_vec(), const n);
    in_let: for n in 1..4, (&vec![0.3, 1.1], const &[0.1, 0.4, 0.5][..n]);
}

//! Locals that hold nothing differentiated at first, and are changed only through what borrows them: bindings of patterns, elements
//! of loops, parameters of closures.

use chainrule::prelude::*;

use crate::check::check;

#[derive(Clone, Debug, Default, Differentiable)]
struct State {
    a: f64,
    v: Vec<f64>,
}

fn grid(n: usize) -> Vec<(f64, f64)> {
    vec![(1.5, 2.0); n]
}

fn states(n: usize) -> Vec<State> {
    vec![State::default(); n]
}

#[differentiable]
fn by_a_pattern(x: &[f64]) -> f64 {
    let mut s = State::default();
    let State { a, v } = &mut s;
    *a = x[0];
    v.push(x[1]);
    s.a * s.v[0]
}

#[differentiable]
fn by_patterns_in_a_loop(x: &[f64]) -> f64 {
    let mut all = states(2);
    for State { a, .. } in all.iter_mut() {
        *a += x[0] * x[1];
    }
    for State { a, .. } in &mut all {
        *a *= x[0];
    }
    all[0].a * all[1].a
}

#[differentiable]
fn by_elements(x: &[f64]) -> f64 {
    let mut pairs = grid(2);
    for ((_, y), v) in pairs.iter_mut().zip(x) {
        *y = v.sin();
    }
    pairs.iter_mut().for_each(|(a, b)| *a *= *b);
    for (k, (a, _)) in pairs.iter_mut().enumerate() {
        *a *= x[k];
    }
    pairs[0].0 * pairs[1].1 + pairs[1].0
}

#[differentiable]
fn by_a_loop(x: &[f64], n: usize) -> f64 {
    let mut s = State::default();
    for k in 0..n {
        let State { a, v } = &mut s;
        *a += x[k % 2];
        v.push(*a * x[1]);
    }
    s.a + s.v.iter().sum::<f64>()
}

/// What comes out of a call that gets a `&mut` is a value of its own, whatever is done with it.
fn draw(state: &mut u64) -> f64 {
    *state = state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1);
    (*state >> 40) as f64 / 16_777_216.0
}

#[differentiable]
fn with_noise(x: &[f64]) -> f64 {
    let mut state = 7;
    let noise = draw(&mut state);
    let mut scaled = draw(&mut state);
    scaled *= x[0];
    noise.max(x[1]) * scaled + noise * x[0]
}

#[derive(Clone, Debug, Differentiable)]
enum Shape {
    Circle(f64),
    Path(Vec<f64>),
}

#[derive(Clone, Debug, Differentiable)]
struct Part {
    p: f64,
}

#[derive(Clone, Debug, Differentiable)]
struct Whole {
    shape: Shape,
    limit: Option<f64>,
    part: Part,
    parts: Vec<Part>,
    pair: (f64, Vec<f64>),
}

fn whole() -> Whole {
    Whole {
        shape: Shape::Circle(1.5),
        limit: Some(1.5),
        part: Part { p: 1.5 },
        parts: vec![Part { p: 2.0 }; 2],
        pair: (1.5, vec![1.0]),
    }
}

#[differentiable]
fn by_ref_mut(x: &[f64]) -> f64 {
    let mut w = whole();
    match w.shape {
        Shape::Circle(ref mut r) => *r = x[0],
        Shape::Path(_) => {}
    }
    if let Some(ref mut limit) = w.limit {
        *limit *= x[0];
    }
    let Whole {
        part: Part { ref mut p },
        ..
    } = w;
    *p = x[1] * w.pair.0;
    let radius = match w.shape {
        Shape::Circle(r) => r,
        Shape::Path(_) => 0.0,
    };
    radius * x[1] + w.limit.unwrap() * w.pair.0 * w.part.p
}

#[differentiable]
fn by_ref_mut_in_lists(x: &[f64]) -> f64 {
    let mut shapes = vec![Shape::Circle(1.5), Shape::Path(vec![2.0])];
    for shape in shapes.iter_mut() {
        match *shape {
            Shape::Circle(ref mut r) => *r = x[0],
            Shape::Path(ref mut v) => v.push(x[1]),
        }
    }
    let mut v = grid(3);
    match v[..] {
        [ref mut a, .., ref mut b] => {
            a.0 = x[0];
            b.1 *= x[1];
        }
        _ => {}
    }
    let r = match shapes[0] {
        Shape::Circle(r) => r,
        Shape::Path(_) => 0.0,
    };
    match &shapes[1] {
        Shape::Path(path) => path[1] * r + v[0].0 * v[2].1,
        Shape::Circle(_) => 0.0,
    }
}

#[differentiable]
fn by_patterns_of_patterns(x: &[f64]) -> f64 {
    let mut w = whole();
    let Whole { part, parts, .. } = &mut w;
    let Part { p } = part;
    *p = x[0];
    for Part { p } in parts {
        *p *= x[1];
    }
    w.part.p * w.parts[0].p
}

#[test]
fn locals_that_held_nothing_differentiated() {
    let x = [0.7, 1.3];
    check!(by_a_pattern(&x));
    check!(by_patterns_in_a_loop(&x));
    check!(by_elements(&x));
    for n in 0..4 {
        check!(by_a_loop(&x, const n));
    }
    check!(with_noise(&x));
    check!(by_ref_mut(&x));
    check!(by_ref_mut_in_lists(&x));
    check!(by_patterns_of_patterns(&x));
}

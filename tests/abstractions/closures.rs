//! Closures that are called where they are known: derivatives flow through what they capture.

use chainrule::prelude::*;

use crate::check::table;

#[differentiable]
fn square(x: f64) -> f64 {
    x * x
}

#[differentiable]
fn by_reference(x: f64, a: f64) -> f64 {
    let scaled = |y: f64| a * y;
    scaled(x) * scaled(2.0) + scaled(a)
}

/// A captured variable is seen as it is when the closure is called.
#[differentiable]
fn current_value(x: f64, a: f64, n: usize) -> f64 {
    let scale = std::cell::Cell::new(0usize);
    let mut total = 0.0;
    for i in 0..n {
        let f = |y: f64| y * y + total;
        total = f(x * i as f64) * a;
        scale.set(i);
    }
    total + scale.get() as f64
}

/// What a `move` closure captured is a copy.
#[differentiable]
fn moved(x: f64, a: f64) -> f64 {
    let mut k = a * x;
    let f = move |y: f64| k * y;
    k = x * x * x;
    f(x) + k
}

/// The state of a `move` closure is its own, and lives as long as the closure.
#[differentiable]
fn own_state(x: f64, a: f64) -> f64 {
    let mut k = a;
    let mut next = move || {
        k *= x;
        k
    };
    let first = next();
    let second = next();
    first * second + k
}

#[differentiable]
fn mutated_capture(x: f64, a: f64) -> f64 {
    let mut total = a;
    let mut add = |v: f64| total += v * total;
    add(x);
    add(a);
    total
}

#[differentiable]
fn mutated_in_a_loop(x: &[f64], a: f64) -> f64 {
    let mut state = 1.0;
    let mut step = |v: f64| {
        state = state * v + a;
        state
    };
    let mut total = 0.0;
    for v in x {
        total += step(*v) * step(a);
    }
    total * state
}

#[differentiable]
fn mutated_array(x: f64, n: usize) -> f64 {
    let mut w = [x, 1.0, 0.5];
    let mut push = |k: usize, v: f64| w[k % 3] = w[k % 3] * v + w[(k + 1) % 3];
    for k in 0..n {
        push(k, x);
    }
    w[0] * w[1] + w[2]
}

#[differentiable]
fn writes_an_argument(x: &mut [f64], a: f64) -> f64 {
    let mut scale = |k: usize| x[k] *= a;
    scale(0);
    scale(1);
    scale(0);
    x[0] * x[1]
}

#[differentiable]
fn calls_another(x: f64, a: f64) -> f64 {
    let inner = |y: f64| a * y;
    let outer = |y: f64| inner(inner(y) + x);
    outer(x) * outer(a)
}

#[differentiable]
fn nested(x: f64, a: f64) -> f64 {
    let outer = |y: f64| {
        let inner = |z: f64| z * y + a;
        inner(y) * inner(x)
    };
    outer(x * a)
}

/// Names at the call don't capture those of the closure.
#[differentiable]
fn shadowed(x: f64, a: f64) -> f64 {
    let y = 2.0 * a;
    let f = |x: f64| x * y;
    let y = x * 100.0;
    let a = f(y);
    let f = |a: f64| f(a) + y;
    f(a)
}

#[differentiable]
fn parameter_shadows_capture(x: f64, y: f64) -> f64 {
    let f = |y: f64, z: f64| x * y - z;
    f(y * y, x) + y
}

#[differentiable]
fn returns_early(x: f64, limit: f64) -> f64 {
    let clip = |v: f64| {
        if v > limit {
            return limit * 2.0;
        }
        v * v
    };
    clip(x) + clip(x * 3.0)
}

#[differentiable]
fn returns_from_a_loop(x: &[f64], limit: f64) -> f64 {
    let first_above = |least: f64| -> f64 {
        for v in x {
            if *v > least {
                return v * v;
            }
        }
        least * 0.5
    };
    first_above(limit) + first_above(limit * 4.0)
}

#[differentiable]
fn loops_inside(x: f64, n: usize) -> f64 {
    let power = |base: f64, n: usize| {
        let mut p = 1.0;
        for _ in 0..n {
            p *= base;
        }
        p
    };
    power(x, n) + power(x * x, 2)
}

#[differentiable]
fn gives_a_tuple(x: f64, a: f64) -> f64 {
    let both = |t: f64| (t.sin() * a, t.cos());
    let (s, c) = both(x);
    let pair = both(a);
    s * c + pair.0 - pair.1
}

#[differentiable]
fn takes_patterns(x: f64, a: f64) -> f64 {
    let f = |(s, t): (f64, f64), [u, v]: [f64; 2]| s * u - t * v;
    f((x, a), [a * a, x]) + f((a, 1.0), [x, x])
}

#[derive(Clone, Copy, Debug, Differentiable)]
pub(crate) struct Pair {
    first: f64,
    second: f64,
}

#[differentiable]
fn gives_a_struct(x: f64, a: f64) -> f64 {
    let make = |t: f64| Pair {
        first: t * a,
        second: t + x,
    };
    let p = make(x);
    let dot = |p: Pair, q: &Pair| p.first * q.first + p.second * q.second;
    dot(p, &make(a))
}

#[differentiable]
fn takes_references(x: &[f64], a: f64) -> f64 {
    let sum = |s: &[f64]| {
        let mut total = 0.0;
        for v in s {
            total += v * a;
        }
        total
    };
    let scaled = |v: &f64| *v * a;
    let own = a * a;
    sum(x) + sum(&x[1..]) * scaled(&x[0]) + scaled(&own)
}

#[differentiable]
fn takes_mutable_references(x: f64, a: f64) -> f64 {
    let mut v = [x, a, 1.0];
    let bump = |s: &mut [f64], by: f64| {
        for e in s.iter_mut() {
            *e *= by;
        }
    };
    let twice = |y: &mut f64| *y = *y * *y;
    bump(&mut v, x);
    bump(&mut v[1..], a);
    let mut last = v[2];
    twice(&mut last);
    v[0] * v[1] + last
}

#[differentiable]
fn called_at_once(x: f64, a: f64) -> f64 {
    (|y: f64| y * a)(x) + (|| x * x)()
}

#[differentiable]
fn in_branches(x: f64, a: f64) -> f64 {
    let f = |y: f64| y * a;
    let g = |y: f64| y * y * a;
    if x > 0.0 { f(x) } else { g(x) }
}

#[differentiable]
fn under_another_name(x: f64, a: f64) -> f64 {
    let f = |y: f64| y * a;
    let g = f;
    let h = &g;
    g(x) * h(a)
}

#[differentiable]
fn functions_as_values(x: f64, a: f64) -> f64 {
    let f = f64::sin;
    let g = square;
    let h: fn(f64, f64) -> f64 = f64::hypot;
    f(x) * g(a) + h(x, a)
}

#[differentiable]
fn annotated(x: f64, a: f64) -> f64 {
    let f = |y: f64, n: i32| -> f64 { y.powi(n) * a };
    f(x, 2) + f(a, 3)
}

#[differentiable]
fn unannotated(x: f64, a: f64) -> f64 {
    let f = |y, z| y * z + a;
    f(x, a) * f(a, 2.0)
}

#[differentiable]
fn single(x: f32, a: f32) -> f32 {
    let f = |y| y * a;
    f(x) * f(1.5)
}

/// Verbatim code uses the closure itself.
#[differentiable]
fn inactive_uses(x: f64, n: usize) -> f64 {
    let key = |k: &usize| (*k * 7) % 5;
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by_key(key);
    order.sort_by_key(|k| key(k) + 1);
    let mut total = 0.0;
    let offset = |k: usize| k + n;
    for k in order {
        total = total * 0.5 + x * offset(key(&k)) as f64;
    }
    println!("{}", offset(1));
    total * x
}

#[differentiable]
fn captures_a_vector(x: &[f64]) -> f64 {
    let mut v = x.to_vec();
    let mut set = |k: usize, y: f64| v[k] = y * v[k];
    for k in 0..x.len() {
        set(k, x[0]);
    }
    let get = |k: usize| v[k];
    let mut total = 0.0;
    for k in 0..x.len() {
        total += get(k) * get(0);
    }
    total
}

table! {
    by_reference: (0.7, 1.9) => [2.0 * 1.9 * 1.9, 4.0 * 0.7 * 1.9 + 2.0 * 1.9];
    current_value: for n in 0..4, (0.7, 1.9, const n);
    moved: (0.7, 1.9) => [2.0 * 1.9 * 0.7 + 3.0 * 0.49, 0.49];
    own_state: (0.7, 1.9) => [3.0 * 1.9 * 1.9 * 0.49, 2.0 * 1.9 * 0.7f64.powi(3) + 1.0];
    mutated_capture: (0.7, 1.9);
    mutated_in_a_loop: for n in 0..4, (&[0.7, 1.9, -0.4][..n].to_vec(), 1.3);
    mutated_array: for n in 0..5, (0.7, const n);
    writes_an_argument: (&mut [0.7, 1.9], 1.3);
    calls_another: (0.7, 1.9);
    nested: (0.7, 1.9);
    shadowed: (0.7, 1.9);
    parameter_shadows_capture: (0.7, 1.9);
    returns_early: (0.7, 1.9), (0.7, 0.4), (0.7, 3.0);
    returns_from_a_loop: for n in 0..4, (&[0.7, 1.9, 4.0][..n].to_vec(), 0.9);
    loops_inside: for n in 0..4, (0.7, const n);
    gives_a_tuple: (0.7, 1.9);
    takes_patterns: (0.7, 1.9);
    gives_a_struct: (0.7, 1.9);
    takes_references: (&[0.7, 1.9, -0.4], 1.3);
    takes_mutable_references: (0.7, 1.9);
    called_at_once: (0.7, 1.9) => [1.9 + 1.4, 0.7];
    in_branches: (0.7, 1.9), (-0.7, 1.9);
    under_another_name: (0.7, 1.9);
    functions_as_values: (0.7, 1.9);
    annotated: (0.7, 1.9);
    unannotated: (0.7, 1.9);
    single: (0.7, 1.9);
    inactive_uses: for n in 0..4, (0.7, const n);
    captures_a_vector: for n in 1..4, (&[0.7, 1.9, -0.4][..n].to_vec());
}

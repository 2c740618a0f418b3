//! Programs in which rustc alone knows the types, since no `let` says them: nothing is rejected, and nothing comes out
//! otherwise, because of that. Every value goes through `id` or another call, whose result the macro doesn't see.

use callee::{Curve, Pair, make, make_count, make_curve, make_pair, make_values};
use chainrule::prelude::*;

use crate::check::{map_table, table};

/// What hides a type.
#[differentiable]
#[inline(never)]
fn id(x: f64) -> f64 {
    x
}

#[differentiable]
#[inline(never)]
fn copied(x: &[f64]) -> Vec<f64> {
    x.to_vec()
}

#[differentiable]
#[inline(never)]
fn pair_of(x: f64) -> (f64, f64) {
    (x.sin(), x * x)
}

#[differentiable]
#[inline(never)]
fn grid(x: f64) -> [[f64; 2]; 2] {
    [[x, x * x], [1.0 - x, 0.5]]
}

fn count(n: usize) -> usize {
    n
}

fn is_large(x: f64) -> bool {
    x > 1.0
}

fn x(n: usize) -> Vec<f64> {
    [0.7, 1.9, -0.4, 1.3][..n].to_vec()
}

// ---- Conditions and branches. ----------------------------------------------------------------------------------------

#[differentiable]
fn compared_with_literals(a: f64) -> f64 {
    let z = id(a);
    if z < 1.0 {
        z * z
    } else if 2.0 <= z {
        z.sqrt()
    } else {
        z
    }
}

/// The value is moved by its last use, after the comparison.
#[differentiable]
fn compared_and_used(a: f64) -> f64 {
    let z = id(a);
    if z == 0.0 || z > 3.0 {
        return a;
    }
    let r = z.sqrt();
    z * z.cos() * r
}

#[differentiable]
fn greatest(a: f64, b: f64, n: usize) -> f64 {
    let mut best = make(a, b);
    for i in 0..n {
        let candidate = make(a * i as f64, b);
        if candidate > best {
            best = candidate;
        }
    }
    best
}

#[differentiable]
fn inspected(a: f64) -> f64 {
    let z = id(a);
    if is_large(z) { z * 2.0 } else { -z }
}

#[differentiable]
fn chosen(a: f64, which: usize) -> f64 {
    let z = match which {
        0 => id(a),
        1 => make(a, a),
        2 => 1.0,
        _ => a,
    };
    z * id(a)
}

#[differentiable]
fn initialised_late(a: f64, which: bool) -> f64 {
    let z;
    if which {
        z = id(a);
    } else {
        z = id(a) * id(a);
    }
    z.exp()
}

// ---- Loops. ----------------------------------------------------------------------------------------------------------

#[differentiable]
fn bounded_by_a_call(a: f64, n: usize) -> f64 {
    let mut z = id(a);
    for i in 0..count(n) {
        z = z * id(a) + i as f64;
    }
    z
}

#[differentiable]
fn until_it_is_small(a: f64) -> f64 {
    let mut z = id(a);
    let mut steps = 0;
    while z.abs() > 0.1 {
        z = z * 0.5 + id(0.01) * z;
        steps += 1;
    }
    z * steps as f64
}

#[differentiable]
fn left_by_break(a: f64, n: usize) -> f64 {
    let mut z = id(a);
    let mut k = 0;
    loop {
        if k == n {
            break;
        }
        z = z * id(a);
        k += 1;
    }
    z * a + z
}

#[differentiable]
fn skipping(a: f64, n: usize) -> f64 {
    let mut z = id(a);
    for i in 0..n {
        let t = z * a;
        if i % 2 == 1 {
            continue;
        }
        if t > 4.0 {
            return t;
        }
        z = t + id(a);
    }
    z
}

#[differentiable]
fn rotated(a: f64, b: f64, n: usize) -> f64 {
    let (mut p, mut q, mut r) = (id(a), id(b), make(a, b));
    for _ in 0..n {
        (p, q, r) = (q, r, p * a);
    }
    p + q * r
}

#[differentiable]
fn elements(a: &[f64]) -> f64 {
    let v = copied(a);
    let mut z = id(1.0);
    for (i, e) in v.iter().enumerate() {
        z += e * v[i] * z;
    }
    for e in v {
        z *= e;
    }
    z
}

#[differentiable]
fn elements_in_place(a: &[f64]) -> f64 {
    let mut v = copied(a);
    for e in v.iter_mut() {
        *e *= *e;
    }
    for i in 1..v.len() {
        v[i] += v[i - 1] * id(a[0]);
    }
    let last = v.len() - 1;
    v[last]
}

#[differentiable]
fn filled(a: f64, n: usize) -> f64 {
    let mut v = vec![id(a); count(n)];
    for i in 1..v.len() {
        v[i] = v[i - 1] * a;
    }
    v[n - 1] + v[0]
}

// ---- Tuples, arrays, structs. ------------------------------------------------------------------------------------------

#[differentiable]
fn taken_apart(a: f64) -> f64 {
    let (s, q) = pair_of(a);
    let both = pair_of(q);
    s * q + both.0 * both.1
}

#[differentiable]
fn put_together(a: f64, b: f64) -> (f64, Pair) {
    let z = id(a);
    (z * b, Pair { a: z, b: id(b) })
}

#[differentiable]
fn in_two_dimensions(a: f64) -> f64 {
    let mut g = grid(a);
    g[0][1] += g[1][0] * id(a);
    let row = g[0];
    let mut z = 0.0;
    for i in 0..2 {
        for j in 0..2 {
            z += g[i][j] * row[j];
        }
    }
    z
}

#[differentiable]
fn array_of_calls(a: f64, b: f64) -> f64 {
    let mut w = [id(a), id(b), make(a, b)];
    w[1] = w[0] * w[2];
    (w[0], w[1]) = (w[1], w[0]);
    w[0] - w[1] / w[2]
}

#[differentiable]
fn updated(a: f64, b: f64) -> f64 {
    let p = make_pair(a, b);
    let q = Pair { a: p.b * p.a, ..p };
    q.a * q.b + p.a
}

#[differentiable]
fn swapped(a: f64, b: f64) -> f64 {
    let mut p = make_values(a, b);
    let mut q = make_values(b, a);
    std::mem::swap(&mut p, &mut q);
    let old = std::mem::replace(&mut p, make_values(a, a));
    p[0] * q[1] + old[2] * p[1]
}

// ---- Operators, methods, casts. ----------------------------------------------------------------------------------------

#[differentiable]
fn compound(a: f64, b: f64) -> f64 {
    let mut z = id(a);
    z *= z;
    z += b;
    z -= id(b) * z;
    let mut y = b;
    y *= id(a);
    y /= z;
    y % 5.0
}

/// What has been moved is assigned, and moved again.
#[differentiable]
fn replaced(a: f64) -> f64 {
    let mut z = id(a);
    z = make(z, a);
    z.sqrt()
}

#[differentiable]
fn moved_on(a: f64, b: f64) -> f64 {
    let mut c = make_curve(a, b);
    c = same_curve(c);
    c.consumed(a)
}

#[differentiable]
#[inline(never)]
fn same_curve(c: Curve) -> Curve {
    c
}

#[differentiable]
fn chained(a: f64) -> f64 {
    id(a).sin().exp().mul_add(2.0, id(a)).powi(2).max(0.1)
}

#[differentiable]
fn as_paths(a: f64, b: f64) -> f64 {
    f64::max(id(a), b) * f64::sin(id(b)) + f64::powi(id(a), 3)
}

#[differentiable]
fn negated(a: f64) -> f64 {
    let z = -id(a);
    let y = -(z * z);
    -y - z
}

#[differentiable]
fn counted(a: f64, n: usize) -> f64 {
    let k = make_count(n);
    let m = count(n) * 2 + k;
    let z = id(a) * k as f64 / (m as f64);
    if k > 2 { z * z } else { z.powi(k as i32) }
}

#[differentiable]
fn shadowed(a: f64) -> f64 {
    let z = id(a);
    let z = z * z;
    let z = {
        let z = z.sin();
        z * 2.0
    };
    let z = if z > 0.0 { z } else { -z };
    z * z
}

#[differentiable]
fn in_assertions(a: f64) -> f64 {
    let z = id(a);
    assert!(z > 0.0, "{z} of {}", z * 2.0);
    debug_assert_ne!(z, 5.0);
    z.ln()
}

#[differentiable]
fn borrowed(a: f64, b: f64) -> f64 {
    let z = id(a);
    let v = [z, id(b)];
    sum(&v) * sum(&[z, z * z])
}

#[differentiable]
#[inline(never)]
fn sum(v: &[f64]) -> f64 {
    let mut s = 0.0;
    for e in v {
        s += e;
    }
    s
}

#[differentiable]
#[inline(never)]
fn recursive(a: f64, n: usize) -> f64 {
    if n == 0 {
        return id(a);
    }
    let below = recursive(a, n - 1);
    below * id(a) + below
}

/// Whose type a later use decides, or none does.
#[differentiable]
fn stack_of_tuples(x: &[f64]) -> f64 {
    let mut stack = vec![(x[0], 0)];
    let mut sum = 0.0;
    while let Some((a, depth)) = stack.pop() {
        if depth < 2 {
            stack.push((a * x[1], depth + 1));
        }
        sum += a * a;
    }
    sum
}
fn is_small(depth: u32) -> bool {
    depth < 2
}
#[differentiable]
#[inline(never)]
fn power(x: f64, #[constant] k: u8) -> f64 {
    x.powi(i32::from(k) + 1)
}
#[differentiable]
fn stack_for_calls(x: &[f64]) -> f64 {
    let mut stack = vec![(x[0], 0)];
    let mut others = vec![(0, x[1])];
    let mut sum = 0.0;
    while let Some((a, depth)) = stack.pop() {
        if is_small(depth) {
            stack.push((a * x[1], depth + 1));
        }
        sum += a * a;
    }
    while let Some((k, a)) = others.pop() {
        if k < 3 {
            others.push((k + 1, a * x[0]));
        }
        sum += power(a, k);
    }
    sum
}
#[differentiable]
fn stack_of_nothing_yet(x: &[f64]) -> f64 {
    let mut stack = Vec::new();
    stack.push((x[0], 0, 1.0));
    stack.insert(0, (x[1], 1, 2.0));
    let mut sum = 0.0;
    while let Some(top) = stack.pop() {
        if top.1 < 3 {
            stack.push((top.0 * x[1], top.1 + 1, top.2 * 0.5));
        }
        sum += top.0 * top.2;
    }
    let mut positions = Vec::new();
    positions.push((x[0], 0));
    while let Some((a, k)) = positions.pop() {
        if k + 1 < x.len() {
            positions.push((a * sum, k + 1));
        }
        sum += a * x[k];
    }
    sum
}

table! {
    compared_with_literals: (0.7) => [1.4], (1.5) => [1.0], (2.25) => [1.0 / 3.0];
    compared_and_used: (0.7), (3.5) => [1.0];
    greatest: for n in 0..4, (0.7, 1.9, const n), (-0.7, 1.9, const n);
    inspected: (0.7) => [-1.0], (1.5) => [2.0];
    chosen: for n in 0..4, (0.7, const n);
    initialised_late: (0.7, const true), (0.7, const false);
    bounded_by_a_call: for n in 0..4, (0.7, const n);
    until_it_is_small: (0.05) => [0.0], (0.15), (0.7), (-2.0);
    left_by_break: for n in 0..4, (0.7, const n);
    skipping: for n in 0..4, (0.7, const n), (1.9, const n);
    rotated: for n in 0..4, (0.7, 1.9, const n);
    elements: for n in 0..4, (&x(n));
    elements_in_place: for n in 1..4, (&x(n));
    filled: for n in 1..4, (0.7, const n);
    taken_apart: (0.7);
    in_two_dimensions: (0.7);
    array_of_calls: (0.7, 1.9);
    updated: (0.7, 1.9);
    swapped: (0.7, 1.9);
    compound: (0.7, 1.9);
    replaced: (0.7);
    moved_on: (0.7, 1.9);
    chained: (0.7);
    as_paths: (0.7, 1.9), (1.9, 0.7);
    negated: (0.7);
    counted: for n in 0..4, (0.7, const n);
    shadowed: (0.7), (-0.7);
    in_assertions: (0.7) => [1.0 / 0.7];
    borrowed: (0.7, 1.9);
    recursive: for n in 0..4, (0.7, const n);
    stack_of_tuples: (&[0.7, 1.9]);
    stack_for_calls: (&[0.7, 1.9]);
    stack_of_nothing_yet: (&[0.7, 1.9]);
}

map_table! {
    put_together: (0.7, 1.9);
}

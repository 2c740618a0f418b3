//! Reversal and residuals.

use chainrule::prelude::*;

use crate::check::{assert_close, map_table, table};

const X: [f64; 4] = [0.7, 1.9, -0.4, 1.3];

fn x(n: usize) -> Vec<f64> {
    X[..n].to_vec()
}

/// 1. Carried values that change places: each must get the cotangent of the place it went to (Zygote#1198).
#[differentiable]
fn trap_1_swap(a: f64, b: f64, n: usize) -> f64 {
    let (mut p, mut q) = (a, b);
    for _ in 0..n {
        (p, q) = (q, p);
        p *= a;
    }
    p - 2.0 * q
}

/// 1. Three places in a ring.
#[differentiable]
fn trap_1_rotation(a: f64, b: f64, c: f64, n: usize) -> f64 {
    let (mut p, mut q, mut r) = (a, b, c);
    for _ in 0..n {
        let t = p;
        p = q * a;
        q = r;
        r = t;
    }
    p + 2.0 * q + 3.0 * r * p
}

/// 2. A divisor that changes: the reverse half must see it as it was (clad#1865).
#[differentiable]
fn trap_2(a: f64, n: usize) -> f64 {
    let mut d = a;
    let mut z = 1.0;
    for _ in 0..n {
        z = z / d + a;
        d = d * 1.5 + 0.1 * z;
    }
    z * d
}

/// 3. A loop after an early return that ran: its tape is empty (clad#1958).
#[differentiable]
fn trap_3_return(a: f64, n: usize) -> f64 {
    if a < 0.0 {
        return a.powi(3);
    }
    let mut z = a;
    for _ in 0..n {
        z = z.sin() * a;
    }
    z
}

/// 3. The same in recursion (clad#1928).
#[differentiable]
#[inline(never)]
fn trap_3_recursion(a: f64, n: usize) -> f64 {
    if n == 0 {
        return a;
    }
    let mut z = a;
    for _ in 1..n {
        z = z * a + 0.5;
    }
    trap_3_recursion(z, n - 1) * a
}

/// 4. `continue` and `break` skip the step; a `return` leaves both loops (clad#710, #833, #851, #1019).
#[differentiable]
fn trap_4(a: f64, n: usize) -> f64 {
    let mut z = a;
    let mut i = 0;
    'outer: while i < n {
        i += 1;
        for j in 0..n {
            match (i + j) % 4 {
                0 => continue 'outer,
                1 => continue,
                2 if z > 20.0 => return z * a,
                3 if z > 10.0 => break,
                _ => z = z * a + 1.0,
            }
        }
        z += a;
    }
    z
}

/// 5. Active values decide how often, and where it starts (clad#474, #746).
#[differentiable]
fn trap_5(a: f64) -> f64 {
    let mut z = a * a;
    let mut k = 0;
    while z < 3.0 * a {
        z += z * a;
        k += 1;
    }
    for _ in 0..stop_gradient(z) as usize {
        z *= 0.9 + 0.1 * a;
    }
    z + k as f64
}

/// 6. What is declared in the body starts each iteration with a zero cotangent (clad#1283).
#[differentiable]
fn trap_6_local(a: &[f64]) -> f64 {
    let mut total = 0.0;
    for i in 0..a.len() {
        let mut part = a[i];
        for j in 0..i {
            part *= a[j];
        }
        let w = [part, part * a[i]];
        total += w[0] * w[1];
    }
    total
}

/// 6. Names that hide others, and what is initialised on one of two ways.
#[differentiable]
fn trap_6_names(a: f64, n: usize) -> f64 {
    let z = a * a;
    let late;
    if n > 1 {
        let z = z * a;
        late = z.sin();
    } else {
        late = z;
    }
    let mut a = late;
    for i in 0..n {
        let a_i = a;
        let z = a_i * z + i as f64;
        a = z;
    }
    a * z
}

/// 7. The cotangent of the new value is read, then zeroed, then that of the old one is added to (clad#1512).
#[differentiable]
fn trap_7(a: f64, n: usize) -> f64 {
    let mut z = a;
    for _ in 0..n {
        z = z * z;
        z = z - 2.0 * z;
        z *= z + a;
    }
    z
}

/// 7. In memory (clad#650).
#[differentiable]
fn trap_7_memory(a: &mut [f64]) {
    for i in 1..a.len() {
        a[i] = a[i] * a[i];
        a[i - 1] = a[i];
        a[i] = a[i] - 2.0 * a[i] * a[i - 1];
    }
}

/// 8. A parameter that is assigned: what the caller's shadow held stays (clad#888).
#[differentiable]
fn trap_8(mut a: f64, b: &mut f64, n: usize) -> f64 {
    for _ in 0..n {
        a = a * *b;
        *b = a + 0.5;
    }
    a * *b
}

/// 9. Products that share what is below them (clad#1941).
#[differentiable]
fn trap_9(a: f64, b: f64) -> f64 {
    let p = a * b;
    let q = p * p;
    (q * p) * (q * a) * (p * (q + p * (a * p)))
}

/// 9. What has an effect is evaluated once (clad#126).
#[differentiable]
fn trap_9_effects(a: &[f64], n: usize) -> f64 {
    let mut k = 0;
    let mut z = 1.0;
    for _ in 0..n {
        z = z * {
            k += 1;
            a[k % a.len()]
        } + a[{
            k += 2;
            k % a.len()
        }] * z;
    }
    z * k as f64
}

/// 10. What the condition read is overwritten in the branch.
#[differentiable]
fn trap_10(a: &[f64], n: usize) -> f64 {
    let mut w = a.to_vec();
    let mut z = 1.0;
    for i in 0..n {
        if w[0] > 1.0 {
            w[0] -= 0.8 * a[1];
            z *= w[0];
        } else {
            w[0] += 0.7 * a[2] + i as f64;
            z += w[0] * w[0];
        }
    }
    z * w[0]
}

#[differentiable]
#[inline(never)]
fn accumulated(state: &mut f64, a: f64) -> f64 {
    *state = *state * a + 0.5;
    *state * *state
}

/// 11. Each call of the same function has residuals of its own.
#[differentiable]
fn trap_11_twice(a: f64, n: usize) -> f64 {
    let mut state = a;
    let mut z = 0.0;
    for _ in 0..n {
        z = accumulated(&mut state, a) + accumulated(&mut state, z);
    }
    z * state
}

#[differentiable(recursive)]
fn trap_11_even(a: f64, n: usize) -> f64 {
    if n == 0 { a } else { trap_11_odd(a, n - 1) * a }
}

/// 11. Functions that call each other.
#[differentiable(recursive)]
fn trap_11_odd(a: f64, n: usize) -> f64 {
    if n == 0 {
        1.0
    } else {
        trap_11_even(a * a, n - 1) + a.sin()
    }
}

/// 12. What was read is overwritten before the reverse half comes to it (Enzyme#272, #273).
#[differentiable]
fn trap_12(a: &mut [f64], n: usize) -> f64 {
    let mut z = 1.0;
    for i in 0..n {
        let before = a[i % a.len()];
        a[i % a.len()] = z * before;
        z = before.sin() * a[0];
        a[0] = 2.0;
    }
    z
}

/// 12. A vector goes into a call and comes back.
#[differentiable]
fn trap_12_moved(a: &[f64], n: usize) -> f64 {
    let mut v = a.to_vec();
    for i in 0..n {
        v = squared(v);
        v[i % a.len()] *= a[0];
        if i == 1 {
            v = squared(v);
        }
    }
    let mut total = 0.0;
    for e in v {
        total += e;
    }
    total
}

#[differentiable]
#[inline(never)]
fn squared(mut v: Vec<f64>) -> Vec<f64> {
    for e in v.iter_mut() {
        *e *= *e;
    }
    v
}

/// 13. Loops in both arms: analyses must come to an end (clad's UsefulNonTermination).
#[differentiable]
fn trap_13(a: f64, n: usize) -> f64 {
    let mut z = a;
    let mut y = 1.0;
    for i in 0..n {
        if i % 2 == 0 {
            for _ in 0..n {
                (z, y) = (y * a, z);
            }
        } else {
            while z < 5.0 {
                z += y * a + 1.0;
                y = z * 0.5;
            }
        }
    }
    z * y
}

/// 14. The same by index and by iterator (Enzyme#1902).
#[differentiable]
fn trap_14_index(a: &[f64], b: &[f64]) -> f64 {
    let mut total = 1.0;
    for i in 0..a.len() {
        total = total * a[i] + b[i] * (a.len() - i) as f64;
    }
    total
}

#[differentiable]
fn trap_14_iterators(a: &[f64], b: &[f64]) -> f64 {
    let mut total = 1.0;
    for (i, (a_i, b_i)) in a.iter().zip(b).enumerate() {
        total = total * a_i + b_i * (a.len() - i) as f64;
    }
    total
}

#[test]
fn trap_14_both_agree() {
    for n in 0..4 {
        let (a, b) = (x(n), X[4 - n..].to_vec());
        let (a_bar, b_bar) = trap_14_index::gradient(&a, &b);
        let (a_bar_2, b_bar_2) = trap_14_iterators::gradient(&a, &b);
        assert_close(&a_bar, &a_bar_2);
        assert_close(&b_bar, &b_bar_2);
    }
}

table! {
    trap_1_swap: for n in 0..4, (0.7, 1.9, const n);
    trap_1_rotation: for n in 0..4, (0.7, 1.9, -0.4, const n);
    trap_2: for n in 0..4, (0.7, const n);
    trap_3_return: for n in 0..4, (-0.7, const n) => [3.0 * 0.49], (0.7, const n);
    trap_3_recursion: for n in 0..4, (0.7, const n);
    trap_4: for n in 0..5, (0.7, const n), (2.3, const n), (5.0, const n);
    trap_5: (0.7), (2.4);
    trap_6_local: for n in 0..4, (&x(n));
    trap_6_names: for n in 0..4, (0.7, const n);
    trap_7: for n in 0..4, (0.7, const n);
    trap_8: for n in 0..4, (0.7, &mut 1.1, const n);
    trap_9: (0.7, 1.1);
    trap_9_effects: for n in 0..4, (&x(4), const n);
    trap_10: for n in 0..4, (&x(3), const n);
    trap_11_twice: for n in 0..4, (0.7, const n);
    trap_11_even: for n in 0..4, (0.7, const n);
    trap_11_odd: for n in 0..4, (0.7, const n);
    trap_12: for n in 0..4, (&mut x(2), const n);
    trap_12_moved: for n in 0..4, (&x(3), const n);
    trap_13: for n in 0..4, (0.7, const n);
    trap_14_iterators: for n in 0..4, (&x(n), &X[4 - n..].to_vec());
}

map_table! {
    trap_7_memory: for n in 1..4, (&mut x(n));
}

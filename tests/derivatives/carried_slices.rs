//! Slices that a loop carries round, of which each iteration leaves less.

use chainrule::prelude::*;

use crate::check::table;

fn x(n: usize) -> Vec<f64> {
    [0.8, 0.3, -1.1, 0.6, 1.7][..n].to_vec()
}

#[differentiable]
fn by_ranges(x: &[f64]) -> f64 {
    let mut rest = x;
    let mut s = 0.0;
    while !rest.is_empty() {
        s += rest[0] * rest[0] * rest.len() as f64 + s * rest[rest.len() - 1];
        rest = &rest[1..];
    }
    s
}

#[differentiable]
fn by_patterns(x: &[f64]) -> f64 {
    let mut rest = x;
    let mut s = 1.0;
    while let [head, tail @ ..] = rest {
        s = s * head + head;
        rest = tail;
    }
    s
}

#[differentiable]
fn by_split_first(x: &[f64]) -> f64 {
    let mut rest = x;
    let mut s = 1.0;
    while let Some((head, tail)) = rest.split_first() {
        s = s * head + head * tail.len() as f64;
        rest = tail;
    }
    s
}

#[differentiable]
fn by_split_last(x: &[f64]) -> f64 {
    let mut rest = &x[..x.len() / 2 + 1];
    let mut s = 1.0;
    while let Some((last, front)) = rest.split_last() {
        s = s * last + last * front.len() as f64;
        rest = front;
    }
    s
}

#[differentiable]
fn by_split_at(x: &[f64], k: usize) -> f64 {
    let mut rest = x;
    let mut s = 0.0;
    while rest.len() >= k {
        let (head, tail) = rest.split_at(k);
        let mut p = 1.0;
        for v in head {
            p *= v;
        }
        s += p;
        rest = tail;
    }
    for v in rest {
        s += v.sin();
    }
    s
}

#[differentiable]
fn from_both_ends(x: &[f64]) -> f64 {
    let mut rest = &x[..];
    let mut s = 0.0;
    while let [a, middle @ .., z] = rest {
        s += a * z;
        rest = middle;
    }
    if let [middle] = rest {
        s += middle.sin();
    }
    s
}

#[differentiable]
fn halves(x: &[f64], left: bool) -> f64 {
    let mut part = x;
    let mut s = 0.0;
    while part.len() > 1 {
        let middle = part.len() / 2;
        s += part[middle] * part[0] * s.cos();
        part = if left || part[0] < part[1] {
            &part[..middle]
        } else {
            &part[middle..]
        };
    }
    s * part[0]
}

/// A loop in a loop, `continue` and `break`.
#[differentiable]
fn runs(x: &[f64]) -> f64 {
    let mut rest = x;
    let mut s = 0.0;
    'all: loop {
        let mut k = 0;
        let mut run = rest;
        while let [a, more @ ..] = run {
            if *a > 1.5 {
                break 'all;
            }
            k += 1;
            run = more;
            if *a < 0.0 {
                continue;
            }
            s += a * run.len() as f64;
            if k == 2 {
                break;
            }
        }
        if k == 0 {
            break;
        }
        s = s * rest[0] + rest[k - 1];
        rest = &rest[k..];
    }
    s
}

/// What a slice leads to is written between its uses, and its place depends on the run.
#[differentiable]
fn of_what_is_written(x: &[f64]) -> f64 {
    let mut v = x.to_vec();
    let mut s = 0.0;
    for round in 0..2 {
        {
            let mut rest = &v[round..];
            while let [a, tail @ ..] = rest {
                s += a * a.sin();
                rest = if *a > 0.5 && tail.len() > 1 {
                    &tail[1..]
                } else {
                    tail
                };
            }
        }
        for w in v.iter_mut() {
            *w *= s;
        }
    }
    s + v.iter().sum::<f64>()
}

#[differentiable]
fn generic<T: Real>(x: &[T]) -> T {
    let mut rest = x;
    let mut s = T::ONE;
    while let Some((head, tail)) = rest.split_first() {
        s = s * s + *head;
        rest = tail;
    }
    s
}

#[differentiable]
fn of_a_parameter(mut x: &[f64], n: usize) -> f64 {
    let mut s = 1.0;
    for _ in 0..n {
        s = s * x[0] + x[1];
        x = &x[1..];
    }
    s * x[0]
}

#[differentiable]
fn of_one_of_two(x: &[f64], c: bool) -> f64 {
    let y = vec![x[0] * x[0], 2.0 * x[0]];
    let mut rest: &[f64] = if c { &y } else { x };
    let mut s = 1.0;
    while let [a, tail @ ..] = rest {
        s = s * a + s.sin();
        rest = tail;
    }
    s
}

table! {
    by_ranges: for n in 0..5, (&x(n));
    by_patterns: for n in 0..5, (&x(n));
    by_split_first: for n in 0..5, (&x(n));
    by_split_last: for n in 1..5, (&x(n));
    by_split_at: for p in [(0, 1), (1, 2), (3, 1), (4, 2), (5, 2)], (&x(p.0), const p.1);
    from_both_ends: for n in 0..6, (&x(n));
    halves: for p in [(1, true), (2, false), (4, true), (5, false)], (&x(p.0), const p.1);
    runs: for n in 0..6, (&x(n));
    of_what_is_written: for n in 2..6, (&x(n));
    generic: for n in 0..4, (&x(n));
    of_a_parameter: for n in 0..4, (&x(n + 2), const n);
    of_one_of_two: for p in [(1, true), (2, false), (3, false)], (&x(p.0), const p.1);
}

#[test]
#[should_panic(expected = "out of range for slice of length 2")]
fn a_part_goes_no_further_than_the_slice() {
    #[differentiable]
    fn beyond(x: &[f64], n: usize) -> f64 {
        let mut part = &x[1..3];
        for _ in 0..1 {
            part = &part[..n];
        }
        part[0]
    }
    beyond::gradient(&x(5), 3);
}

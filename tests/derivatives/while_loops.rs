//! `while` and `loop` that count to a bound, in either direction, and ones that only seem to.

use chainrule::prelude::*;

use std::collections::VecDeque;

use crate::check::{irregular, table};

fn x(n: usize) -> Vec<f64> {
    irregular(n, 0.7)
}

#[differentiable]
fn convolved(h: &[f64], v: &[f64]) -> f64 {
    let mut total = 0.0;
    let mut i = 0;
    while i + h.len() <= v.len() {
        let mut y = 0.0;
        let mut k = 0;
        while k < h.len() {
            y += h[k] * v[i + k];
            k += 1;
        }
        total += y * y;
        i += 1;
    }
    total * i as f64
}

/// The counter is used behind the loop, whether that ran or not.
#[differentiable]
fn bounded(v: &[f64], #[constant] lo: usize, #[constant] hi: usize) -> f64 {
    let mut i = lo;
    let mut total = 1.0;
    while hi > i {
        total *= 1.0 + v[i] * i as f64;
        i += 1;
    }
    let mut k = 1;
    while k <= hi {
        total += v[k - 1] * v[k - 1] * k as f64;
        k += 1;
    }
    total * (i + 10 * k) as f64
}

#[differentiable]
fn downwards(v: &[f64], #[constant] last: usize) -> f64 {
    let mut total = 0.0;
    let mut i = v.len();
    while i > last {
        i -= 1;
        total = 0.5 * total + v[i].sin() * total + v[i];
    }
    total * (1 + i) as f64
}

/// Exits and trips that end early.
#[differentiable]
fn left_early(v: &[f64]) -> f64 {
    let mut total = 0.0;
    let mut i = 0;
    loop {
        if i >= v.len() {
            break;
        }
        i += 1;
        if v[i - 1] < 0.0 {
            continue;
        }
        total += v[i - 1] * v[i - 1];
        if total > 3.0 {
            break;
        }
    }
    let mut k = v.len();
    while k > 0 {
        k -= 1;
        if v[k] > 0.9 {
            break;
        }
        total += v[k] * k as f64;
    }
    total * (1 + i + 100 * k) as f64
}

/// The bound moves with what the loop does.
#[differentiable]
fn moving_bounds(a: f64, #[constant] n: usize) -> f64 {
    let mut list = vec![a, 2.0 * a];
    let mut i = 0;
    while i < list.len() {
        if list.len() < n {
            let next = (list[i] * 1.5).sin();
            list.push(next);
        }
        i += 1;
    }
    let mut rest = list.clone();
    let mut k = 0;
    while k < rest.len() {
        let alias = &mut rest;
        let last = alias.pop().unwrap_or(0.0);
        if k < alias.len() {
            alias[k] *= last;
        }
        k += 1;
        if rest.len() < 2 {
            break;
        }
    }
    let mut top = n;
    let mut j = 0;
    let mut total = 0.0;
    while j < top {
        total += a * a * j as f64;
        top -= 1;
        j += 1;
    }
    for r in &rest {
        total += r * r;
    }
    total * (i + 10 * k) as f64
}

/// Steps that aren't one in each trip.
#[differentiable]
fn uneven(v: &[f64]) -> f64 {
    let mut total = 0.0;
    let mut i = 0;
    while i < v.len() {
        total += v[i] * v[i];
        if v[i] > 0.0 {
            i += 1;
        }
        i += 1;
    }
    let mut k = 0;
    while k + 1 < v.len() {
        total += v[k] * v[k + 1];
        k += 2;
    }
    total * (i + k) as f64
}

/// The trips write the list whose length is the bound.
#[differentiable]
fn in_place(v: &[f64]) -> f64 {
    let mut list = v.to_vec();
    let mut i = 1;
    while i < list.len() {
        list[i] = list[i] * list[i - 1] + 1.0;
        i += 1;
    }
    list[list.len() - 1]
}

#[differentiable]
#[inline(never)]
fn solved(a: f64, #[constant] n: usize) -> Result<f64, String> {
    let mut i = 0;
    let mut t = a;
    while i < n {
        let r = t * t - a;
        if r.abs() < 1e-14 {
            return Ok(t * (1.0 + i as f64));
        }
        if !(0.0..100.0).contains(&t) {
            return Err(format!("{i}"));
        }
        t -= r / (2.0 * t);
        i += 1;
    }
    Err("no".to_string())
}

#[differentiable]
fn shadowed(v: &[f64], #[constant] n: usize) -> f64 {
    let mut i = 0;
    let mut s = 0.0;
    while i < n {
        let n = n - 1;
        let v = &v[n - n..];
        {
            let i = i / 2;
            s += v[i] * v[i] * n as f64;
        }
        i += 1;
        let i = i + 1;
        s *= 1.0 + 0.01 * i as f64;
    }
    s * i as f64
}

#[differentiable]
fn shrinking(v: &[f64]) -> f64 {
    let mut rest = v;
    let mut i = 0;
    let mut s = 0.0;
    while i < rest.len() {
        s += rest[i] * rest[0];
        rest = &rest[1..];
        i += 1;
    }
    s * i as f64
}

#[differentiable]
fn deque(a: f64, #[constant] n: usize) -> f64 {
    let mut q: VecDeque<f64> = VecDeque::new();
    q.push_back(a);
    let mut i = 0;
    let mut s = 0.0;
    while i < q.len() {
        if q.len() < n {
            let t = q[i] * 1.3;
            q.push_back(t.sin());
        }
        s += q[i] * q[i];
        i += 1;
    }
    s * i as f64
}

#[differentiable]
fn rows(v: &[f64]) -> f64 {
    let mut rows: Vec<Vec<f64>> = vec![v.to_vec(), vec![1.0; 2], v.to_vec()];
    let mut i = 0;
    let mut s = 0.0;
    while i < rows.len() {
        let mut k = 0;
        while k < rows[i].len() {
            if i == 1 && k == 0 {
                rows[1] = v.to_vec();
            }
            if i == 2 && rows[2].len() > 1 {
                rows[2].pop();
            }
            if k < rows[i].len() {
                s += rows[i][k] * rows[0][k % rows[0].len()];
            }
            k += 1;
        }
        i += 1;
    }
    s
}

#[differentiable]
fn after(v: &[f64], #[constant] lo: usize) -> f64 {
    let mut i = v.len();
    let mut s = 1.0;
    while i > lo {
        s = s * 0.7 + v[i - 1] * i as f64;
        i -= 1;
    }
    let mut j = v.len();
    while 0 < j {
        s += v[j - 1] * v[j - 1];
        j -= 1;
        s *= 1.0 + 0.1 * j as f64;
    }
    s * (i + 3 * j + 1) as f64
}

#[differentiable]
fn with_result(a: f64, #[constant] n: usize) -> f64 {
    solved(a, n).unwrap_or(3.0 * a)
}
#[differentiable]
fn swapped(v: &[f64]) -> f64 {
    let mut a = v.to_vec();
    let mut b = vec![0.5; 3];
    let mut i = 0;
    let mut s = 0.0;
    while i < a.len() {
        if i == 1 {
            std::mem::swap(&mut a, &mut b);
        }
        if i < a.len() {
            s += a[i] * a[i];
        }
        i += 1;
    }
    s + b.len() as f64 * i as f64 * v[0]
}

#[differentiable]
fn configured(v: &[f64]) -> f64 {
    let mut i = 0;
    let mut s = 0.0;
    while i < v.len() {
        #[cfg(any())]
        let i = i + 1;
        let t = v[i] * 2.0;
        #[cfg(any())]
        let t = 1.0;
        s += t * t * v[i];
        #[cfg(any())]
        let mut i = 5;
        i += 1;
    }
    s
}

#[differentiable]
fn labelled(v: &[f64], #[constant] n: usize) -> f64 {
    let (mut i, mut s, mut seen) = (0, 0.0, 0);
    'outer: while i < n {
        let mut j = i;
        while j < n {
            j += 1;
            if v[j - 1] > 1.2 {
                seen += j;
                break 'outer;
            }
            if v[j - 1] < -0.5 {
                i += 2;
                continue 'outer;
            }
            s += v[i] * v[j - 1] * j as f64;
        }
        seen += j;
        i += 1;
    }
    s * (i + 10 * seen) as f64
}

#[differentiable]
fn aliased_counter(v: &[f64]) -> f64 {
    let mut i = 0;
    let mut s = 0.0;
    while i < v.len() {
        s += v[i] * v[i];
        let r = &mut i;
        *r += 1;
        if s > 2.0 {
            *r += 1;
        }
    }
    s * i as f64
}

#[differentiable]
fn closure_counter(v: &[f64]) -> f64 {
    let mut i = 0;
    let mut s = 0.0;
    let mut count = 0;
    let mut next = |k: usize| {
        count += 1;
        k + count
    };
    while i < v.len() {
        s += v[i] * v[i] * next(i) as f64;
        i += 1;
    }
    s * count as f64
}

table! {
    convolved: for n in [0, 2, 3, 4, 9], (&x(3), &x(n));
    bounded: for n in 0..5, (&x(5), const n, const 4), (&x(5), const 4, const n);
    downwards: for n in 0..5, (&x(n), const 0), (&x(n), const 2), (&x(n), const 7);
    left_early: for n in 0..9, (&x(n));
    moving_bounds: for n in 0..9, (0.7, const n);
    uneven: for n in 0..9, (&x(n));
    in_place: for n in 1..9, (&x(n));
    shadowed: for n in 0..6, (&x(9), const n);
    shrinking: for n in 0..8, (&x(n));
    deque: for n in 0..7, (0.7, const n);
    rows: for n in 1..5, (&x(n));
    after: for n in 0..5, (&x(n), const 0), (&x(n), const 2);
    with_result: for n in [0, 1, 3, 20], (2.0, const n), (0.3, const n), (-2.0, const n);
    swapped: for n in 1..6, (&x(n));
    configured: for n in 0..4, (&x(n));
    labelled: for n in 0..8, (&x(8), const n);
    aliased_counter: for n in 0..7, (&x(n));
    closure_counter: for n in 0..5, (&x(n));
}

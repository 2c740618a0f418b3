//! Calls whose result goes linearly into what is returned, so that the cotangent of the result is known before the call: the caller's combined
//! rule calls the callee's. And those that look like it, where it must not.

use chainrule::prelude::*;

use crate::check::table;

#[differentiable]
#[inline(never)]
fn waves(a: &[f64], t: f64) -> f64 {
    let mut sum = 0.0;
    for x in a {
        sum += (x * t).sin();
    }
    sum * t
}

#[differentiable]
#[inline(never)]
fn constants(a: &[f64], #[constant] w: &[f64], n: usize) -> f64 {
    let mut sum = 0.0;
    for i in 0..n.min(a.len()) {
        sum += a[i] * a[i] * w[i % w.len()];
    }
    sum
}

#[differentiable]
fn generic<T: Real>(x: T, y: &T) -> T {
    x * y.sin()
}

#[differentiable]
#[inline(never)]
fn scale_first(v: &mut [f64], t: f64) -> f64 {
    v[0] *= t;
    v[0] * t
}

/// Reads the list, and takes the next place in it.
#[differentiable]
#[inline(never)]
fn at_next(x: &[f64], #[constant] next: &mut usize) -> f64 {
    *next += 1;
    x[*next % x.len()].exp()
}

#[primitive(partials(x = y * x.cos(), y = x.sin()))]
fn scaled_sine(x: f64, y: f64) -> f64 {
    y * x.sin()
}

type Number = f64;

#[differentiable]
#[inline(never)]
fn aliased(x: Number) -> Number {
    x * x
}

#[differentiable]
fn returned(a: &[f64], t: f64) -> f64 {
    waves(a, t)
}

#[differentiable]
fn weighted(a: &[f64], t: f64, #[constant] w: &[f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..w.len() {
        sum += w[i] * waves(a, t * w[i]) - waves(w, t);
    }
    sum / 3.0
}

#[differentiable]
fn coefficient_comes_later(a: &[f64], t: f64, n: usize) -> f64 {
    let mut sum = 0.0;
    for i in 0..n {
        let wave = waves(a, t);
        let k = i % a.len();
        sum += 2.0 * a[k] * wave;
    }
    sum
}

#[differentiable]
fn coefficient_is_written_between(a: &[f64], t: f64, n: usize) -> f64 {
    let mut w = vec![0.0; 2];
    let mut sum = 0.0;
    for i in 0..n {
        w[0] = i as f64;
        let wave = waves(a, t);
        w[0] += 1.0;
        sum += w[0] * wave;
    }
    sum
}

#[differentiable]
fn coefficient_depends_on_the_result(a: &[f64], t: f64) -> f64 {
    let wave = waves(a, t);
    wave * (wave + 1.0)
}

#[differentiable]
fn squared(a: &[f64], t: f64, n: usize) -> f64 {
    let mut sum = 0.0;
    for _ in 0..n {
        let wave = waves(a, t);
        sum += wave * wave;
    }
    sum
}

#[differentiable]
fn same_value_twice(t: f64) -> f64 {
    3.0 * generic(t, &t) + scaled_sine(t, t)
}

#[differentiable]
#[inline(never)]
fn two(a: &[f64], b: &[f64]) -> f64 {
    let mut sum = 0.0;
    for (x, y) in a.iter().zip(b) {
        sum += x * y.sin();
    }
    sum
}

#[differentiable]
fn same_list_twice(a: &[f64]) -> f64 {
    two(a, a) - 2.0 * two(&a[1..], &a[..1])
}

#[differentiable]
fn parts(a: &[f64], t: f64) -> f64 {
    let mut sum = 0.0;
    for part in a.chunks(2) {
        sum += waves(part, t);
    }
    for i in 0..a.len() {
        sum -= t * waves(&a[i..], 0.5);
    }
    sum
}

#[differentiable]
fn inactive_lists(a: &[f64], t: f64, #[constant] w: &[f64]) -> f64 {
    let mut sum = 0.0;
    for _ in 0..3 {
        sum += two(a, w) + two(w, a) + constants(a, w, 5) + two(w, w);
    }
    sum * t
}

#[differentiable]
fn kinds_of_callees(x: &[f64], t: f64) -> f64 {
    let mut next = 0;
    let list = x.to_vec();
    let mut sum = aliased(t);
    for i in 0..x.len() {
        sum += generic(x[i], &t) - scaled_sine(t, x[i]) * 2.0;
        sum += callee::by_ref(&list) + callee::owned(x[i]) - callee::constant_ref(t, &[0.5, 2.0]);
        sum += at_next(x, &mut next) * next as f64;
    }
    sum
}

#[differentiable]
fn read_then_overwritten(a: &[f64], t: f64) -> f64 {
    let mut v = a.to_vec();
    let mut sum = waves(&v, t);
    v[0] = t;
    sum += 2.0 * waves(&v, t);
    v[0] = 1.0;
    sum
}

#[differentiable]
fn overwritten_in_the_loop(a: &[f64], t: f64, n: usize) -> f64 {
    let mut v = a.to_vec();
    let mut sum = 0.0;
    for i in 0..n {
        sum += waves(&v, t);
        v[0] = t * i as f64;
    }
    sum
}

#[differentiable]
fn moved_afterwards(a: &[f64], t: f64) -> f64 {
    let v = a.to_vec();
    let wave = waves(&v, t);
    let moved = v;
    wave + moved[0]
}

#[differentiable]
fn changed_by_the_callee(a: &[f64], t: f64) -> f64 {
    let mut v = a.to_vec();
    let first = scale_first(&mut v, t);
    first + 2.0 * scale_first(&mut v, t) + v[0]
}

#[differentiable]
fn sometimes(a: &[f64], t: f64, n: usize) -> f64 {
    let mut sum = 0.0;
    for i in 0..n {
        if i == 2 {
            continue;
        }
        if i == 4 {
            return sum * t;
        }
        sum += if i % 2 == 0 { waves(a, t) } else { two(a, a) };
    }
    sum
}

/// A list of positions that each iteration writes, and that the reverse half of the same iteration reads.
#[differentiable]
fn positions_are_overwritten(a: &[f64], n: usize) -> f64 {
    let mut at = vec![0; 2];
    let mut count = 0;
    let mut sum = 0.0;
    for i in 0..n {
        at[0] = i % a.len();
        at[1] = (i + 1) % a.len();
        let product = a[at[0]] * a[at[1]];
        at[0] = 0;
        count += at[1];
        sum += product.sin() * count as f64;
        at[1] = 0;
    }
    sum
}

#[differentiable]
#[inline(never)]
fn from_positions(a: &[f64], #[constant] at: &[usize]) -> f64 {
    let mut sum = 0.0;
    for k in at {
        sum += a[*k] * a[*k];
    }
    sum
}

struct Sums;

#[differentiable]
impl Sums {
    fn of(a: &[f64], #[constant] at: &[usize]) -> f64 {
        from_positions(a, at)
    }
}

#[differentiable]
fn lists_are_overwritten(a: &[f64], n: usize) -> f64 {
    let mut at = vec![0; 2];
    let mut sum = 0.0;
    for i in 0..n {
        at[0] = i % a.len();
        sum += from_positions(a, &at);
        at[1] = (i + 1) % a.len();
        sum += Sums::of(a, &at) * 2.0;
        at[0] = 0;
    }
    sum
}

/// Rows and columns that are left are linked lists.
#[differentiable]
#[inline(never)]
fn minor(a: &[f64], n: usize, m: usize, rows: &mut [usize], cols: &mut [usize]) -> f64 {
    let row = rows[n];
    if m == 1 {
        return a[row * n + cols[n]];
    }
    let mut det = 0.0;
    let mut sign = 1.0;
    rows[n] = rows[row];
    let mut previous = n;
    let mut col = cols[n];
    for _ in 0..m {
        cols[previous] = cols[col];
        let d = minor(a, n, m - 1, rows, cols);
        cols[previous] = col;
        det += sign * a[row * n + col] * d;
        previous = col;
        col = cols[col];
        sign = -sign;
    }
    rows[n] = row;
    det
}

#[differentiable]
fn determinant(a: &[f64], n: usize) -> f64 {
    let list: Vec<usize> = (1..=n).chain([0]).collect();
    let (mut rows, mut cols) = (list.clone(), list);
    minor(a, n, n, &mut rows, &mut cols)
}

#[differentiable]
#[inline(never)]
fn tree(a: &[f64], t: f64, depth: usize) -> f64 {
    if depth == 0 || a.is_empty() {
        return t * t;
    }
    let (left, right) = a.split_at(a.len() / 2);
    a[0] * tree(left, t * a[0], depth - 1) + tree(right, t.sin(), depth - 1) - tree(&a[1..], t, 0)
}

/// In an `impl` the bare name is that of another function.
#[differentiable]
#[inline(never)]
fn counted(a: &[f64], left: &mut [usize]) -> f64 {
    left[0] += 1;
    a[left[0] % a.len()] * a[0]
}

struct Counter;

#[differentiable]
impl Counter {
    fn counted(a: &[f64], left: &mut [usize]) -> f64 {
        let first = counted(a, left);
        first * 2.0 + counted(a, left)
    }
}

#[differentiable]
fn counted_twice(a: &[f64]) -> f64 {
    let mut left = [0];
    Counter::counted(a, &mut left) + left[0] as f64
}

fn list(n: usize) -> Vec<f64> {
    (0..n).map(|i| (i as f64 * 1.7 + 0.3).sin() + 0.2).collect()
}

table! {
    returned: for n in 0..4, (&list(n), 0.7);
    weighted: for n in 0..4, (&list(3), 0.7, const &list(n));
    coefficient_comes_later: for n in 0..4, (&list(3), 0.7, const n);
    coefficient_is_written_between: for n in 0..4, (&list(3), 0.7, const n);
    coefficient_depends_on_the_result: (&list(3), 0.7);
    squared: for n in 0..4, (&list(3), 0.7, const n);
    same_value_twice: (0.7);
    same_list_twice: (&list(3));
    parts: for n in 0..5, (&list(n), 0.7);
    inactive_lists: (&list(3), 0.7, const &list(2));
    kinds_of_callees: for n in 1..4, (&list(n), 0.7);
    read_then_overwritten: (&list(3), 0.7);
    overwritten_in_the_loop: for n in 0..4, (&list(3), 0.7, const n);
    moved_afterwards: (&list(3), 0.7);
    changed_by_the_callee: (&list(3), 0.7);
    sometimes: for n in 0..7, (&list(3), 0.7, const n);
    positions_are_overwritten: for n in 0..5, (&list(3), const n);
    lists_are_overwritten: for n in 0..5, (&list(3), const n);
    determinant: for n in 1..5, (&list(n * n), const n);
    tree: for depth in 0..4, (&list(7), 0.7, const depth);
    counted_twice: (&list(3));
}

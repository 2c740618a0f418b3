//! Iterators that are kept in a variable and stepped by hand: `next`, `next_back`, `nth`, `peek`, `by_ref`, `find`, and what is
//! done with the rest. Every function is checked where there is nothing to step over, one item, two, and more.

use chainrule::prelude::*;

use crate::check::{check, check_map};

macro_rules! tests {
    ($($f:ident from $least:literal;)*) => {
        mod all {
            use super::check;

            $(#[test]
            fn $f() {
                let x = [0.8, 1.3, -0.4, 0.7, 1.1, 0.2];
                for n in $least..=x.len() {
                    let x = x[..n].to_vec();
                    check!(super::$f(&x));
                }
            })*
        }
    };
}
tests! {
    counted from 0;
    by_pairs from 0;
    first_and_rest from 0;
    two_and_rest from 2;
    options from 0;
    matched from 0;
    defaults from 0;
    past_the_end from 0;
    from_both_ends from 0;
    positions from 0;
    backwards from 0;
    pairs_of_neighbours from 0;
    chunks_and_what_is_left from 0;
    windows_until_large from 0;
    nested from 0;
    copies from 0;
    in_one_branch from 0;
    some_of_it from 0;
    in_pieces from 0;
    taken_while_large from 0;
    looped_over_in_two from 0;
    searched from 0;
    searched_by_test from 0;
    filtered from 0;
    mapped from 0;
    every_other from 0;
    peeked from 0;
    merged from 0;
    runs from 0;
    names_for_items from 0;
    carried from 0;
    merged_by_items from 0;
    in_a_closure from 0;
    inside_another_chain from 0;
    made_when_it_was_made from 1;
    skipped from 0;
    written_through from 0;
    two_at_once from 2;
    chunks_written_through from 0;
    moved_out from 0;
    moved_out_lists from 0;
    of_structs from 0;
    rows from 2;
    of_numbers from 1;
    ranges from 1;
    endless from 0;
    field from 2;
    found_by_pattern from 0;
    chained from 0;
    chained_from_both_ends from 0;
    zipped_by_reference from 0;
    zipped_with_what_is_taken from 0;
}

#[differentiable]
fn chained(x: &[f64]) -> f64 {
    let mut total = 1.0;
    let mut values = x.iter().chain(&[0.3, 1.7]).peekable();
    while let Some(v) = values.next() {
        total = match values.peek() {
            Some(next) => total * v + *next * *next,
            None => total * v.sin(),
        };
    }
    total
}

#[differentiable]
fn chained_from_both_ends(x: &[f64]) -> f64 {
    let mut values = std::iter::once(0.4).chain(x.iter().map(|v| v * v));
    let mut total = 0.5;
    while let (Some(a), Some(b)) = (values.next(), values.next_back()) {
        total = total * a + b;
    }
    total
}

/// The pairs end with the list, and leave the iterator where it stands then.
#[differentiable]
fn zipped_by_reference(x: &[f64]) -> f64 {
    let mut values = x.iter();
    let mut total = 0.0;
    for (a, b) in [0.3, 0.7].iter().zip(values.by_ref()) {
        total += a * b * b;
    }
    total * values.map(|v| v * v).sum::<f64>()
}

/// The iterator loses one more item where the list ends first.
#[differentiable]
fn zipped_with_what_is_taken(x: &[f64]) -> f64 {
    let mut values = x.iter();
    let mut total = 0.5;
    for (a, b) in values.by_ref().zip([0.3, 0.7]) {
        total += a * a * b;
    }
    total * values.map(|v| v * v).sum::<f64>()
}

#[differentiable]
fn counted(x: &[f64]) -> f64 {
    let mut total = 0.5;
    let mut values = x.iter();
    while let Some(v) = values.next() {
        total = total * v + 1.0;
    }
    total
}

#[differentiable]
fn by_pairs(x: &[f64]) -> f64 {
    let mut total = 0.0;
    let mut values = x.iter();
    while let Some(a) = values.next() {
        match values.next() {
            Some(b) => total += a * b,
            None => total *= a,
        }
    }
    total
}

#[differentiable]
fn first_and_rest(x: &[f64]) -> f64 {
    let mut values = x.iter();
    let Some(first) = values.next() else {
        return 1.5;
    };
    values.fold(*first, |a, b| a * b.sin() + first)
}

#[differentiable]
fn two_and_rest(x: &[f64]) -> f64 {
    let mut values = x.iter();
    let a = values.next().unwrap();
    let b = values.next().expect("two");
    let mut total = a * b;
    for v in values {
        total = total * v + a;
    }
    total
}

#[differentiable]
fn product_of_two(x: &[f64]) -> Option<f64> {
    let mut values = x.iter();
    let a = values.next()?;
    let b = values.next().copied()?;
    Some(a * b * values.map(|v| v * v).sum::<f64>())
}

#[differentiable]
fn product_or_error(x: &[f64]) -> Result<f64, String> {
    let mut values = x.iter();
    let a = values.next().ok_or("none")?;
    let b = values.next().ok_or_else(|| String::from("one"))?;
    let c = values.next().copied().ok_or("two")?;
    Ok(a * b * c)
}

#[differentiable]
fn options(x: &[f64]) -> f64 {
    let found = product_of_two(x).unwrap_or(2.0);
    match product_or_error(x) {
        Ok(v) => found * v,
        Err(_) => found * found,
    }
}

#[test]
fn values_that_may_not_be_there() {
    let x = [0.8, 1.3, -0.4, 0.7];
    for n in 0..=x.len() {
        let x = x[..n].to_vec();
        check_map!(product_of_two(&x));
    }
}

#[differentiable]
fn matched(x: &[f64]) -> f64 {
    let mut total = 0.5;
    let mut values = x.iter();
    loop {
        match values.next() {
            Some(v) if *v > 1.0 => total *= v,
            Some(&v) => total += v * v,
            None => break total,
        }
    }
}

#[differentiable]
fn defaults(x: &[f64]) -> f64 {
    let mut values = x.iter();
    let a = values.next().copied().unwrap_or(0.5);
    let b = *values.next().unwrap_or(&1.5);
    let c = values.next().map_or(2.0, |v| v * v);
    let d = values.next().map(|v| v * a).unwrap_or_else(|| a * a);
    a * b * c * d
}

#[differentiable]
fn past_the_end(x: &[f64]) -> f64 {
    let mut total = 1.0;
    let mut values = x.iter();
    for _ in 0..4 {
        match values.next() {
            Some(v) => total += v * v,
            None => total *= 1.1,
        }
    }
    if values.next_back().is_some() {
        total *= total;
    }
    if values.next().is_none() {
        total += 0.3;
    }
    total * (1 + values.len()) as f64 * (1 + values.count()) as f64
}

#[differentiable]
fn from_both_ends(x: &[f64]) -> f64 {
    let mut total = 0.5;
    let mut values = x.iter();
    while let (Some(a), Some(b)) = (values.next(), values.next_back()) {
        total = total * a + b * b;
    }
    total
}

#[differentiable]
fn positions(x: &[f64]) -> f64 {
    let mut total = 0.5;
    let mut values = x.iter().enumerate();
    while let Some((k, v)) = values.next() {
        total += v * (k + 1) as f64;
        if let Some((2.., w)) = values.next() {
            total *= w;
        }
    }
    total
}

#[differentiable]
fn backwards(x: &[f64]) -> f64 {
    let mut values = x.iter().copied().rev().enumerate();
    let Some((_, mut total)) = values.next() else {
        return 0.0;
    };
    if let Some((k, v)) = values.next_back() {
        total *= v * k as f64;
    }
    for (k, v) in values {
        total = total * v + k as f64;
    }
    total
}

#[differentiable]
fn pairs_of_neighbours(x: &[f64]) -> f64 {
    let mut total = 1.0;
    let mut pairs = x.iter().zip(x.iter().skip(1));
    while let Some((a, b)) = pairs.next() {
        total = total * a + b;
        pairs.next();
    }
    total
}

#[differentiable]
fn chunks_and_what_is_left(x: &[f64]) -> f64 {
    let mut total = 1.0;
    let mut pairs = x.chunks_exact(2);
    while let Some(pair) = pairs.next() {
        total = total * pair[0] + pair[1];
    }
    let mut chunks = x.chunks(4);
    if let Some(chunk) = chunks.next() {
        total *= chunk.iter().sum::<f64>();
    }
    for chunk in chunks {
        total += chunk.iter().product::<f64>();
    }
    total
}

#[differentiable]
fn windows_until_large(x: &[f64]) -> f64 {
    let mut total = 1.0;
    let mut windows = x.windows(2);
    while let Some([a, b]) = windows.next() {
        total = total * a + b;
        if total > 2.0 {
            break;
        }
    }
    if let Some(window) = windows.next() {
        total += window[0] * window[1];
    }
    total * (1 + windows.len()) as f64
}

#[differentiable]
fn nested(x: &[f64]) -> f64 {
    let mut total = 0.0;
    let mut rows = x.chunks_exact(2);
    while let Some(row) = rows.next() {
        let mut columns = row.iter();
        let first = columns.next().unwrap();
        while let Some(v) = columns.next() {
            total += first * v;
        }
        if total > 1.2 {
            break;
        }
    }
    for row in rows {
        total *= row[0];
    }
    total
}

#[differentiable]
fn copies(x: &[f64]) -> f64 {
    let mut total = 0.0;
    let mut values = x.iter();
    while let Some(a) = values.next() {
        let mut rest = values.clone();
        while let Some(b) = rest.next() {
            total += a * b * b;
        }
        total *= 1.0 + values.clone().count() as f64;
    }
    total
}

#[differentiable]
fn in_one_branch(x: &[f64]) -> f64 {
    let mut total = 1.0;
    let mut values = x.iter();
    for v in x {
        if *v > 0.5 {
            if let Some(w) = values.next() {
                total = total * w + v;
            }
        }
    }
    total + values.map(|v| v * v).sum::<f64>()
}

#[differentiable]
fn some_of_it(x: &[f64]) -> f64 {
    let mut values = x.iter();
    let mut total: f64 = values.by_ref().take(2).sum();
    for v in values {
        total = total * v + 1.0;
    }
    total
}

#[differentiable]
fn in_pieces(x: &[f64]) -> f64 {
    let mut total = 0.0;
    let mut values = x.iter();
    loop {
        let piece: Vec<f64> = values.by_ref().take(2).copied().collect();
        if piece.is_empty() {
            break;
        }
        total = total * 0.3 + piece.iter().product::<f64>();
    }
    total
}

#[differentiable]
fn taken_while_large(x: &[f64]) -> f64 {
    let mut values = x.iter();
    // The first one that is not large is gone.
    let large: f64 = values
        .by_ref()
        .take_while(|v| **v > 0.5)
        .map(|v| v * v)
        .sum();
    large * values.map(|v| v * 3.0).sum::<f64>() + large
}

#[differentiable]
fn looped_over_in_two(x: &[f64]) -> f64 {
    let mut total = 1.0;
    let mut values = x.iter();
    for v in &mut values {
        total *= v;
        if total < 0.9 {
            break;
        }
    }
    for v in values {
        total += v * v;
    }
    total
}

#[differentiable]
fn searched(x: &[f64]) -> f64 {
    let mut values = x.iter();
    let a = values.find(|v| **v > 1.0).copied().unwrap_or(2.0);
    let mut total = a;
    if let Some(b) = values.find(|v| **v > 1.0) {
        total *= b;
    }
    total + values.sum::<f64>()
}

#[differentiable]
fn searched_by_test(x: &[f64]) -> f64 {
    let mut values = x.iter();
    let some = values.any(|v| *v < 0.0);
    let all = values.all(|v| *v > 0.9);
    let rest: f64 = values.clone().map(|v| v * v).sum();
    let place = values.position(|v| *v > 0.0).unwrap_or(7);
    let factor = if some { 2.0 } else { 3.0 } + if all { 0.5 } else { 0.25 };
    factor * rest + place as f64 * x.iter().sum::<f64>()
}

#[differentiable]
fn filtered(x: &[f64]) -> f64 {
    let mut large = x.iter().filter(|v| **v > 0.5);
    let mut total = 1.0;
    while let Some(v) = large.next() {
        total = total * v + 0.5;
        if let Some(w) = large.next() {
            total *= w;
        }
    }
    total
}

#[differentiable]
fn mapped(x: &[f64]) -> f64 {
    let a = x.len() as f64 + 0.5;
    let mut squares = x.iter().map(|v| v * v * a);
    let Some(first) = squares.next() else {
        return a;
    };
    let mut total = first;
    while let Some(v) = squares.next() {
        total = total * v + first;
        if let Some(w) = squares.next() {
            total *= w;
        }
    }
    total
}

#[differentiable]
fn every_other(x: &[f64]) -> f64 {
    let mut values = x.iter().enumerate().skip(1).step_by(2);
    let mut total = 1.0;
    for (k, v) in values.by_ref().take(1) {
        total *= v * k as f64;
    }
    'all: while let Some((k, v)) = values.next() {
        total += v * v * k as f64;
        if total > 2.0 {
            continue 'all;
        }
        total += 1.0;
    }
    total
}

#[differentiable]
fn peeked(x: &[f64]) -> f64 {
    let mut total = 0.5;
    let mut values = x.iter().peekable();
    while let Some(a) = values.next() {
        if let Some(&&b) = values.peek() {
            total += (a + b) * (b - a);
        }
        if values.peek().is_none() {
            total *= a;
        }
    }
    total
}

#[differentiable]
fn merged(x: &[f64]) -> f64 {
    let (left, right) = x.split_at(x.len() / 2);
    let mut left = left.iter().peekable();
    let mut right = right.iter().peekable();
    let mut total = 0.1;
    loop {
        let from_left = match (left.peek(), right.peek()) {
            (Some(a), Some(b)) => a <= b,
            (Some(_), None) => true,
            (None, Some(_)) => false,
            (None, None) => break,
        };
        let v = if from_left {
            *left.next().unwrap()
        } else {
            *right.next().unwrap()
        };
        total = total * 0.5 + v * v;
    }
    total
}

#[differentiable]
fn runs(x: &[f64]) -> f64 {
    let mut total = 0.5;
    let mut values = x.iter().peekable();
    while let Some(first) = values.next() {
        let mut run = *first;
        while let Some(v) = values.next_if(|v| **v > 0.5) {
            run *= v;
        }
        total = total * 0.5 + run;
    }
    total
}

#[differentiable]
fn names_for_items(x: &[f64]) -> f64 {
    let mut values = x.iter().enumerate();
    let first = values.next();
    let second = values.next();
    let mut total = 1.0;
    if let Some((_, v)) = first {
        total *= v;
    }
    for (k, v) in values {
        total += v * k as f64;
        if let (Some((_, a)), Some((_, b))) = (first, second) {
            total += a * b;
        }
    }
    total
}

#[differentiable]
fn carried(x: &[f64]) -> f64 {
    let mut total = 1.0;
    let mut values = x.iter();
    let mut now = values.next();
    while let Some(v) = now {
        total = total * v + 0.5;
        now = values.next();
        if let Some(w) = now {
            total += v * w;
        }
    }
    total
}

#[differentiable]
fn merged_by_items(x: &[f64]) -> f64 {
    let (left, right) = x.split_at(x.len() / 2);
    let (mut total, mut left, mut right) = (0.1, left.iter(), right.iter());
    let mut a = left.next();
    let mut b = right.next();
    while a.is_some() || b.is_some() {
        let v = match (a, b) {
            (Some(u), Some(v)) if u < v => {
                a = left.next();
                *u
            }
            (_, Some(v)) => {
                b = right.next();
                *v
            }
            (Some(u), None) => {
                a = left.next();
                *u
            }
            _ => 0.0,
        };
        total = total * 0.5 + v * v;
    }
    total
}

#[differentiable]
fn in_a_closure(x: &[f64]) -> f64 {
    let mut values = x.iter();
    let mut product = |or: f64| {
        let a = values.next().copied().unwrap_or(or);
        let b = values.next().copied().unwrap_or(or * or);
        a * b
    };
    let a = product(2.0);
    let b = product(a);
    a + b * b
}

#[differentiable]
fn inside_another_chain(x: &[f64]) -> f64 {
    let (weights, values) = x.split_at(x.len() / 3);
    let mut left = weights.iter();
    let weighted: Vec<f64> = values
        .iter()
        .map(|v| v * left.next().copied().unwrap_or(1.5))
        .collect();
    weighted.iter().map(|v| v * v).sum::<f64>() + left.sum::<f64>()
}

#[differentiable]
fn made_when_it_was_made(x: &[f64]) -> f64 {
    let mut n = 1;
    let mut values = x[n..].iter();
    n = 0;
    let mut k = 2;
    let mut down = (0..k).rev();
    k = 7;
    let mut total = x[n];
    while let (Some(v), Some(j)) = (values.next(), down.next()) {
        total = total * v + (j * k) as f64;
    }
    total
}

#[differentiable]
fn skipped(x: &[f64]) -> f64 {
    let mut values = x.iter();
    values.next();
    let a = values.nth(1).copied().unwrap_or(0.5);
    let n = values.len() as f64 + 1.0;
    let b = values.nth(1).copied().unwrap_or(a);
    a * b * n + values.next().map_or(0.3, |v| v * v)
}

#[differentiable]
fn written_through(x: &[f64]) -> f64 {
    let mut y = x.to_vec();
    let mut places = y.iter_mut();
    if let Some(first) = places.next() {
        *first *= 2.0;
    }
    while let Some(a) = places.next() {
        *a = *a * *a;
        if let Some(b) = places.next_back() {
            *b += *a;
        }
    }
    y.iter().product::<f64>() + y.iter().sum::<f64>()
}

#[differentiable]
fn two_at_once(x: &[f64]) -> f64 {
    let mut y = x.to_vec();
    let mut places = y.iter_mut();
    let a = places.next().unwrap();
    let b = places.next().unwrap();
    std::mem::swap(a, b);
    *a += *b;
    for v in places {
        *v *= 2.0;
    }
    y[0] * y[0] + y[1] + y.iter().product::<f64>()
}

#[differentiable]
fn chunks_written_through(x: &[f64]) -> f64 {
    let mut y = x.to_vec();
    let mut pairs = y.chunks_exact_mut(2);
    while let Some(a) = pairs.next() {
        a[0] *= a[1];
        if let Some(b) = pairs.next() {
            b[0] += a[0] * a[0];
            b.swap(0, 1);
        }
    }
    y.iter()
        .enumerate()
        .map(|(k, v)| v * (k as f64 + 0.5))
        .sum()
}

#[differentiable]
fn moved_out(x: &[f64]) -> f64 {
    let y: Vec<f64> = x.iter().map(|v| v * v).collect();
    let mut values = y.into_iter();
    let first = values.next().unwrap_or(0.5);
    let mut total = first;
    while let Some(v) = values.next() {
        total = total * v + first;
    }
    total
}

#[differentiable]
fn moved_out_lists(x: &[f64]) -> f64 {
    let lists: Vec<Vec<f64>> = x.iter().map(|v| vec![*v, v * v]).collect();
    let mut lists = lists.into_iter();
    let Some(first) = lists.next() else {
        return 0.5;
    };
    let mut total = first[0];
    while let Some(list) = lists.next() {
        total += list.iter().zip(&first).map(|(a, b)| a * b).sum::<f64>();
    }
    total
}

#[derive(Clone, Debug, Differentiable)]
struct Point {
    t: f64,
    y: f64,
}

#[differentiable]
fn area(points: &[Point]) -> f64 {
    let mut total = 0.0;
    let mut points = points.iter().peekable();
    while let Some(p) = points.next() {
        if let Some(q) = points.peek() {
            total += (q.t - p.t) * (q.y + p.y) * 0.5;
        }
    }
    total
}

#[differentiable]
fn slope(points: &[Point]) -> f64 {
    let mut points = points.iter();
    let (Some(first), Some(last)) = (points.next(), points.next_back()) else {
        return 0.5;
    };
    (last.y - first.y) / (last.t - first.t) + points.map(|p| p.y).sum::<f64>()
}

#[differentiable]
fn of_structs(x: &[f64]) -> f64 {
    let points: Vec<Point> = x
        .iter()
        .map(|v| Point {
            t: v * v,
            y: 2.0 * v,
        })
        .collect();
    area(&points) + slope(&points) * area(&points)
}

#[differentiable]
fn rows(x: &[f64]) -> f64 {
    let matrix = [[x[0], x[1]], [x[1], 2.0], [0.5, x[0]]];
    let mut rows = matrix.iter();
    let mut total = 1.0;
    while let Some([a, b]) = rows.next() {
        total = total * a + b;
        if let Some(row) = rows.next() {
            total += row[0] * row[1];
        }
    }
    total
}

#[differentiable]
fn horner<T: Real>(x: &[T]) -> T {
    let mut values = x.iter();
    let mut total = match values.next() {
        Some(v) => *v,
        None => T::zero(),
    };
    while let Some(v) = values.next() {
        total = total * *v + *v;
    }
    total
}

#[differentiable]
fn of_numbers(x: &[f64]) -> f64 {
    horner(x) * horner(&x[1..])
}

#[differentiable]
fn ranges(x: &[f64]) -> f64 {
    let mut total = 0.5;
    let mut indices = 0..x.len();
    while let Some(i) = indices.next() {
        total = total * x[i] + 1.0;
        if let Some(j) = indices.next_back() {
            total += x[i] * x[j];
        }
    }
    let mut signed = -3i32..=2;
    signed.next();
    for k in signed {
        total += x[0] * f64::from(k);
    }
    let mut scaled = (0..10u8).step_by(3).map(|k| f64::from(k) * x[0]);
    scaled.next();
    total * scaled.sum::<f64>()
}

#[differentiable]
fn endless(x: &[f64]) -> f64 {
    let mut odd = (1..).step_by(2);
    let mut total = 0.0;
    for v in x {
        let k: i32 = odd.next().unwrap();
        total = total * 0.5 + v.powi(k);
    }
    total
}

#[derive(Clone, Debug, Differentiable)]
struct Layer {
    weights: Vec<f64>,
    bias: f64,
}

#[differentiable]
impl Layer {
    fn new(x: &[f64]) -> Layer {
        Layer {
            weights: x.to_vec(),
            bias: x[0] * x[1],
        }
    }

    fn apply(&self, x: &[f64]) -> f64 {
        let mut weights = self.weights.iter();
        let mut total = self.bias;
        for v in x {
            if let Some(w) = weights.next() {
                total += w * v;
            }
        }
        total * weights.next().copied().unwrap_or(1.5)
    }
}

#[differentiable]
fn field(x: &[f64]) -> f64 {
    let layer = Layer::new(x);
    layer.apply(&x[1..])
}

// An element that is searched for needs no `Option` either.
#[differentiable]
fn found_by_pattern(x: &[f64]) -> f64 {
    let mut total = 0.1;
    if let Some(v) = x.iter().find(|v| **v > 1.0) {
        total += v * v;
    }
    match x.iter().max_by(|a, b| a.total_cmp(b)) {
        Some(v) => total * v,
        None => total,
    }
}

// Nothing of what follows has a derivative, so that it stays as it is.
#[differentiable]
fn constants(x: &[f64], #[constant] names: &Vec<String>, #[constant] operators: &String) -> f64 {
    let mut total = 0.5;
    let mut words = names.iter();
    let mut signs = operators.chars();
    let table = std::collections::BTreeMap::from([(0, 2.0), (1, 3.0)]);
    let mut entries = table.iter();
    for v in x {
        match signs.next() {
            Some('+') => total += v,
            Some(_) => total *= v,
            None => total *= total,
        }
        if let Some(name) = words.next() {
            total += v * name.len() as f64;
        }
        if let Some((_, factor)) = entries.next() {
            total *= *factor;
        }
    }
    assert!(entries.next().is_none() || x.len() < 2);
    total
}

#[test]
fn of_constants() {
    let names = vec!["one".to_string(), "three".to_string()];
    let operators = "+*".to_string();
    let x = [0.8, 1.3, -0.4, 0.7];
    for n in 0..=x.len() {
        let x = x[..n].to_vec();
        check!(constants(&x, const &names, const &operators));
    }
}

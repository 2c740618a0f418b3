//! Methods of std that the compiler has as Rust code in terms of others.

use std::iter::repeat_with;

use chainrule::prelude::*;

use crate::check::table;

#[differentiable]
fn weighed(list: &[f64]) -> f64 {
    let mut sum = 0.0;
    for (k, v) in list.iter().enumerate() {
        sum += v * v * (k as f64 + 0.5);
    }
    sum
}

#[differentiable]
fn kept(x: f64, y: f64) -> f64 {
    let mut list = vec![x, y, x * y, x - y];
    list.retain_mut(|v| {
        *v *= y;
        *v > 0.2
    });
    weighed(&list)
}

#[differentiable]
fn without_repeats(x: f64, y: f64) -> f64 {
    let mut list = vec![x, x, y, x * y, y];
    list.dedup();
    let mut near = list.clone();
    near.dedup_by(|a, b| (*a - *b).abs() < 0.3);
    let mut same = list.clone();
    same.dedup_by_key(|v| (stop_gradient(*v) * 2.0) as i64);
    weighed(&list) + weighed(&near) * weighed(&same)
}

struct Held {
    lists: [Vec<f64>; 2],
}

#[derive(Clone, Debug, Differentiable)]
struct Series {
    list: Vec<f64>,
    scale: f64,
}

/// Lists in fields, whose types the macro doesn't know.
#[differentiable]
impl Series {
    fn change(&mut self) {
        let last = self.list.len() - 1;
        self.list
            .splice(last - 1..self.list.len() - 1, [self.list[0] * self.scale]);
        self.list.extend_from_within(1..);
        self.list.resize_with(7, || self.scale);
        self.list.retain_mut(|v| {
            *v *= *v;
            *v > 0.2
        });
        self.list.dedup();
    }
}

#[differentiable]
fn changed_series(x: f64, y: f64) -> f64 {
    let mut series = Series {
        list: vec![x, y, x * y, x - y],
        scale: y,
    };
    series.change();
    weighed(&series.list) * series.scale
}

#[differentiable]
fn spliced(x: f64, y: f64) -> f64 {
    let mut list = vec![x, y, x * y, x - y];
    list.splice(1..=2, [y * y, x, y]);
    list.splice(..1, (0..2).map(|k| x * k as f64));
    list.extend_from_within(3..);
    weighed(&list)
}

#[differentiable]
fn filled(x: f64, y: f64) -> f64 {
    let mut list = vec![x; 3];
    let mut factor = 1.0;
    list.fill_with(|| {
        factor *= y;
        factor * x
    });
    list.resize_with(5, || x * y);
    let mut short = list.clone();
    short.resize_with(2, Default::default);
    weighed(&list) * weighed(&short)
}

#[differentiable]
fn taken(x: f64, y: f64) -> f64 {
    let mut list = vec![x, y, -x];
    let negative = list.pop_if(|v| *v < 0.0).unwrap_or(1.0);
    let none = list.pop_if(|v| *v < 0.0).unwrap_or(y);
    let mut held = Some(x * y);
    let own = held.take_if(|v| {
        *v *= 2.0;
        *v > 0.1
    });
    negative * none + own.unwrap_or(x) + held.unwrap_or(y)
}

#[differentiable]
fn made(x: f64, y: f64) -> f64 {
    let mut state = x;
    let all: Vec<f64> = repeat_with(|| {
        state *= y;
        state
    })
    .take(3)
    .collect();
    let folded = all.iter().rfold(0.0, |sum, v| sum * x + v);
    let list = Vec::from([x, folded]);
    let more = Vec::from_iter(list.iter().map(|v| v * v));
    if more.is_sorted() {
        return weighed(&more);
    }
    weighed(&more) * y
}

/// `?` in the head of a chain, and among what a list is made of.
#[differentiable]
fn in_heads(x: f64, y: f64) -> Option<f64> {
    let root = |v: f64| if v > 0.0 { Some(v.sqrt()) } else { None };
    let all: Option<Vec<f64>> = [x, y].iter().map(|v| root(*v)).collect();
    let made: f64 = vec![root(x)?, y].iter().product();
    Some(all?.iter().map(|v| v * made).sum())
}

#[differentiable]
fn maybe(x: f64, y: f64) -> f64 {
    in_heads(x, y).unwrap_or(x * x)
}

/// What has a method of such a name is left alone where nothing is differentiated.
#[differentiable]
fn constants(x: f64, #[constant] names: &[u32]) -> f64 {
    let mut own = names.to_vec();
    own.dedup();
    own.retain_mut(|name| {
        *name += 1;
        *name > 2
    });
    let mut held = Held {
        lists: [vec![1.0, 1.0], vec![2.0]],
    };
    held.lists[0].dedup();
    x * own.len() as f64 * held.lists[0].len() as f64
}

/// Lists of constant numbers, whose elements the closures see by reference.
#[differentiable]
fn constant_numbers(x: f64, #[constant] numbers: &[f64]) -> f64 {
    let mut near = numbers.to_vec();
    let distance = 0.25;
    near.dedup_by(|a, b| (*a - *b).abs() < distance);
    let mut seen = 0;
    let mut late = numbers.to_vec();
    late.retain_mut(|v| {
        seen += 1;
        *v += 1.0;
        seen > 2
    });
    let is_close = |a: &mut f64, b: &mut f64| (*a - *b).abs() < 2.0 * distance;
    late.dedup_by(is_close);
    let last = match late.last_mut() {
        Some(last) => *last - 1.0,
        None => 0.0,
    };
    x * near.iter().sum::<f64>() + x * x * late.iter().sum::<f64>() * last * seen as f64
}

/// Arguments that read the list that the method changes.
#[differentiable]
fn arguments_that_read(x: f64, y: f64) -> f64 {
    let mut list = vec![x, y, x * y, x - y];
    list.splice(list.len() - 2..list.len() - 1, [list[3] * x, y]);
    list.splice(..1, [list[2]]);
    list.extend_from_within(list.len() - 2..);
    list.resize_with(list.len() + 1, || x * y);
    list.resize_with(list.len() - 2, Default::default);
    weighed(&list)
}

#[differentiable]
fn counting(x: f64) -> impl FnMut() -> f64 {
    let mut n = 0.0;
    move || {
        n += 1.0;
        n * x
    }
}

/// Closures are made once, and keep their state from call to call.
#[differentiable]
fn made_once(x: f64, y: f64) -> f64 {
    let mut list = vec![0.0; 3];
    list.fill_with(counting(x * y));
    list.resize_with(5, counting(y));
    let mut factor = 1.0;
    let mut more = vec![0.0; 3];
    more.fill_with(move || {
        factor *= y;
        factor * x
    });
    weighed(&list) * weighed(&more) * (factor + x)
}

/// The names that the method's code uses are not the caller's.
#[differentiable]
fn names_of_the_caller(x: f64, y: f64) -> f64 {
    let (start, end, new, list) = (1, 2, x * y, y);
    let mut all = vec![x, y, x - y];
    all.splice(start..end, [new, end as f64 * list]);
    weighed(&all)
}

/// The place is evaluated before the arguments.
#[differentiable]
fn place_first(x: f64, y: f64) -> f64 {
    let mut lists = vec![vec![x, y], vec![x * y]];
    let mut k = 0;
    lists[k].splice(
        {
            k += 1;
            0
        }..k,
        [x * x],
    );
    weighed(&lists[0]) * weighed(&lists[k])
}

#[test]
#[should_panic]
fn a_range_that_ends_before_it_starts() {
    #[differentiable]
    fn backwards(x: f64, k: usize) -> f64 {
        let mut list = vec![x, x * x, x];
        list.splice(3..k, [x]);
        list[0] * list[1]
    }
    backwards::gradient(1.0, 1);
}

table! {
    arguments_that_read: (0.7, 0.9);
    changed_series: (0.7, 0.9), (0.9, 0.4);
    made_once: (0.7, 0.9);
    names_of_the_caller: (0.7, 0.9);
    place_first: (0.7, 0.9);
    kept: (0.7, 0.9), (0.9, 0.6);
    without_repeats: (0.7, 1.9), (1.2, 0.4);
    spliced: (0.7, 0.9);
    filled: (0.7, 0.9);
    taken: (0.7, 0.9), (0.2, 0.1);
    made: (0.7, 0.9), (1.2, 1.3);
    maybe: (0.7, 0.9), (-0.7, 0.9), (0.7, -0.9);
    constant_numbers: (0.7, const &[1.0, 1.1, 2.0, 2.4, 5.0]);
    constants: (0.7, const &[1, 1, 2, 3, 3]);
}

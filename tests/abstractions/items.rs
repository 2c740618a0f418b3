//! Chains whose items are of users' types, options, or of types that only rustc knows: collected, kept by the ends of chains, flattened,
//! sorted; arrays of them.

#![allow(
    for_loops_over_fallibles,
    reason = "such loops are among what is tested"
)]

use chainrule::prelude::*;

use crate::check::{flat, map_table, table};

const X: [f64; 5] = [0.7, 1.9, -0.4, 1.3, 2.2];

fn x(n: usize) -> Vec<f64> {
    X[..n].to_vec()
}

#[derive(Clone, Copy, Debug, Default, Differentiable)]
struct Point {
    a: f64,
    b: f64,
}

flat!(Point { a: f64, b: f64 });

#[differentiable]
impl Point {
    fn new(a: f64, b: f64) -> Point {
        Point { a, b }
    }

    fn area(&self) -> f64 {
        self.a * self.b
    }

    fn widen(&mut self, k: f64) {
        self.a += k * self.b;
    }
}

/// Not `Copy`.
#[derive(Clone, Debug, Differentiable)]
struct Named {
    a: f64,
    parts: Vec<f64>,
}

#[differentiable]
impl Named {
    fn new(a: f64) -> Named {
        Named {
            a,
            parts: vec![a, a * a],
        }
    }
}

#[derive(Clone, Debug, Differentiable)]
struct Lists {
    points: Vec<Point>,
    rows: Vec<Vec<f64>>,
    numbers: Vec<f64>,
}

#[differentiable]
impl Lists {
    fn new(x: &[f64]) -> Lists {
        let points: Vec<Point> = x.iter().map(|a| Point::new(*a, a * x[0])).collect();
        Lists {
            points,
            rows: x.iter().map(|a| vec![a * a, a * x[0]]).collect::<Vec<_>>(),
            numbers: x.to_vec(),
        }
    }
}

#[differentiable]
#[inline(never)]
fn square(x: f64) -> f64 {
    x * x
}

#[differentiable]
#[inline(never)]
fn with_square(a: f64) -> (f64, Point) {
    (a * a, Point { a, b: a * 2.0 })
}

// ---- `collect`. ------------------------------------------------------------------------------------------------------

#[differentiable]
fn made_by_functions(x: &[f64], k: f64) -> f64 {
    let v: Vec<Point> = x.iter().map(|a| Point::new(*a, a * k)).collect();
    v.iter().map(|p| p.a * p.b).sum::<f64>() * k
}

#[differentiable]
fn made_by_literals(x: &[f64], k: f64) -> f64 {
    let v: Vec<Point> = x.iter().map(|a| Point { a: *a, b: a * k }).collect();
    let again: Vec<Point> = v.iter().copied().collect();
    let mut total = k;
    for p in &again {
        total += p.area() * total;
    }
    total
}

#[differentiable]
fn tuples_of_unknown_type(x: &[f64]) -> f64 {
    let v: Vec<_> = x.iter().map(|a| with_square(*a)).collect();
    let mut total = 1.0;
    for (s, p) in &v {
        total += s * p.area() * total;
    }
    total
}

#[differentiable]
fn tuples_with_positions(x: &[f64]) -> f64 {
    let v: Vec<(usize, Point)> = x
        .iter()
        .enumerate()
        .map(|(k, a)| (k, Point::new(*a, 1.5)))
        .collect();
    let mut total = 0.3;
    for (k, p) in &v {
        total += p.area() * x[*k] * total;
    }
    total
}

#[differentiable]
fn fields_and_rows(x: &[f64], k: f64) -> f64 {
    let lists = Lists::new(x);
    let doubled: Vec<_> = lists.numbers.iter().map(|a| a * 2.0).collect();
    let products: Vec<f64> = lists
        .rows
        .iter()
        .map(|row| row.iter().map(|a| a * k).product())
        .collect();
    let widths: Vec<_> = lists.points.iter().map(|p| p.a).collect();
    let mut total = k;
    for i in 0..x.len() {
        total += doubled[i] * products[i] * widths[i];
    }
    total
}

#[differentiable]
fn collected_lists(x: &[f64]) -> f64 {
    let pairs: Vec<Vec<Point>> = x
        .iter()
        .map(|a| x.iter().map(|b| Point::new(*a, *b)).collect())
        .collect();
    let mut total = 0.0;
    for row in &pairs {
        for p in row {
            total += p.area() * p.a;
        }
    }
    total
}

#[differentiable]
fn collected_options(x: &[f64], k: f64) -> f64 {
    let v: Vec<Option<f64>> = x
        .iter()
        .map(|a| if *a > 1.0 { Some(a * k) } else { None })
        .collect();
    v.iter().map(|a| a.unwrap_or(k)).product::<f64>()
}

#[differentiable]
fn collected_in_a_loop(x: &[f64], k: f64) -> f64 {
    let mut t = k;
    for _ in 0..3 {
        let v: Vec<Named> = x.iter().map(|a| Named::new(a * t)).collect();
        let mut s = 0.3;
        for p in &v {
            s += p.a * 0.1 * p.parts[1];
        }
        t = s;
    }
    t
}

#[differentiable]
fn collected_again(x: &[f64], k: f64) -> f64 {
    let mut v: Vec<Point> = x.iter().map(|a| Point::new(*a, k)).collect();
    for _ in 0..2 {
        v = v.iter().map(|p| Point::new(p.b * p.a, p.a + 1.0)).collect();
    }
    for p in &mut v {
        p.widen(k);
        p.b *= 2.0;
    }
    v.iter().map(|p| p.a * p.b).sum::<f64>()
}

#[differentiable]
fn body_with_exits(x: &[f64]) -> f64 {
    let v: Vec<Point> = x
        .iter()
        .map(|a| {
            if *a > 1.0 {
                return Point::new(*a, 2.0);
            }
            Point::new(a * a, 1.0 + a)
        })
        .collect();
    v.iter().map(|p| p.a * p.b).sum::<f64>()
}

#[differentiable]
fn generic<T: Real>(x: &[T], k: T) -> T {
    let v: Vec<T> = x.iter().map(|a| *a * *a).collect();
    v.iter().fold(k, |s, a| s * *a + k)
}

#[differentiable]
fn generic_at_f64(x: &[f64], k: f64) -> f64 {
    generic(x, k)
}

#[differentiable]
#[inline(never)]
fn points(x: &[f64], k: f64) -> Vec<Point> {
    x.iter().map(|a| Point::new(*a, a * k)).collect()
}

#[differentiable]
fn two_lists(x: &[f64], k: f64) -> f64 {
    let lists = Lists::new(x);
    let (a, b): (Vec<f64>, Vec<f64>) = x.iter().map(|v| (v * v, v * k)).unzip();
    let (p, q): (Vec<_>, Vec<_>) = lists.points.iter().map(|p| (p.a, *p)).unzip();
    let mut total = k;
    for i in 0..x.len() {
        total += a[i] * b[i] * p[i] * q[i].b;
    }
    total
}

#[differentiable]
fn parted(x: &[f64], k: f64) -> f64 {
    let lists = Lists::new(x);
    let (wide, narrow): (Vec<Point>, Vec<Point>) =
        lists.points.into_iter().partition(|p| p.a > 1.0);
    let mut total = k;
    for p in &wide {
        total *= 0.5 + p.area();
    }
    for p in &narrow {
        total += p.area() * k;
    }
    total
}

#[differentiable]
fn references(x: &[f64]) -> f64 {
    let lists = Lists::new(x);
    let rows: Vec<&Vec<f64>> = lists.rows.iter().collect();
    let mut wide: Vec<&Point> = lists.points.iter().filter(|p| p.a > 0.5).collect();
    wide.sort_by(|p, q| q.a.total_cmp(&p.a));
    let numbers: Vec<&f64> = x.iter().collect();
    let mut total = 0.3;
    for (k, p) in wide.iter().enumerate() {
        total += p.area() * rows[k][0] * *numbers[k] * total;
    }
    total
}

// ---- Ends that keep an item. -----------------------------------------------------------------------------------------

#[differentiable]
fn extremes_of_fields(x: &[f64], k: f64) -> f64 {
    let lists = Lists::new(x);
    let least = lists
        .points
        .iter()
        .map(|p| p.a)
        .min_by(|a, b| a.total_cmp(b));
    let most = lists
        .points
        .iter()
        .map(|p| p.area())
        .max_by(f64::total_cmp)
        .unwrap_or(k);
    least.map_or(k, |a| a * a) * most
}

#[differentiable]
fn extremes_of_calls(x: &[f64], k: f64) -> f64 {
    let mut t = k;
    for i in 0..3 {
        t = x
            .iter()
            .map(|a| square(a * t))
            .min_by(|a, b| a.total_cmp(b))
            .unwrap_or(k)
            + X[i];
    }
    t
}

#[differentiable]
fn extreme_structs(x: &[f64]) -> f64 {
    let p = x
        .iter()
        .map(|a| Point::new(*a, a * a))
        .max_by(|p, q| p.a.total_cmp(&q.a))
        .unwrap();
    let n = x
        .iter()
        .map(|a| Named::new(*a))
        .min_by(|p, q| p.parts[1].total_cmp(&q.parts[1]))
        .unwrap();
    p.area() * n.a * n.parts[1]
}

#[differentiable]
fn extreme_tuples(x: &[f64]) -> f64 {
    let (k, b) = x
        .iter()
        .enumerate()
        .map(|(i, a)| (i, a * a))
        .max_by(|p, q| p.1.total_cmp(&q.1))
        .unwrap();
    let (i, c) = x
        .iter()
        .enumerate()
        .map(|(i, a)| (i, square(*a)))
        .min_by(|p, q| p.1.total_cmp(&q.1))
        .unwrap();
    b * x[k] + c * x[i]
}

#[differentiable]
fn extreme_references(x: &[f64]) -> f64 {
    let lists = Lists::new(x);
    let least = lists
        .rows
        .iter()
        .flat_map(|row| row.iter())
        .min_by(|a, b| a.total_cmp(b))
        .unwrap();
    let most = lists
        .points
        .iter()
        .map(|p| &p.a)
        .max_by(|a, b| a.total_cmp(b))
        .unwrap();
    least * most
}

#[differentiable]
fn longest(x: &[f64]) -> f64 {
    let rows = Lists::new(x).rows;
    let n = rows.iter().map(|row| row.len()).max().unwrap();
    rows[0][n - 1] * rows[0][0]
}

#[differentiable]
fn reduced_fields(x: &[f64]) -> f64 {
    let lists = Lists::new(x);
    let most = lists.points.iter().map(|p| p.a).reduce(f64::max).unwrap();
    most * lists
        .points
        .iter()
        .map(|p| p.b)
        .reduce(|p, q| p.min(q))
        .unwrap()
}

#[differentiable]
fn reduced_structs(x: &[f64]) -> f64 {
    let p = x
        .iter()
        .map(|a| Point::new(*a, 1.0))
        .reduce(|p, q| Point::new(p.a * q.a, p.b + q.a))
        .unwrap();
    let n = x
        .iter()
        .map(|a| Named::new(*a))
        .reduce(|p, q| Named {
            a: p.a * q.a,
            parts: p.parts,
        })
        .unwrap();
    p.area() * n.a * n.parts[1]
}

#[differentiable]
fn found_structs(x: &[f64]) -> f64 {
    let last = x.iter().map(|a| Named::new(*a)).last().unwrap();
    let found = x.iter().map(|a| Point::new(*a, a * a)).find(|p| p.b < 0.5);
    let mapped = x
        .iter()
        .find_map(|a| if *a > 1.0 { Some(Named::new(*a)) } else { None });
    let mut total = last.parts[1];
    if let Some(p) = found {
        total *= p.area();
    }
    if let Some(n) = mapped {
        total += n.parts[1] * last.a;
    }
    total
}

// ---- Options as iterators. -------------------------------------------------------------------------------------------

#[differentiable]
#[inline(never)]
fn large(x: &[f64], k: f64) -> Vec<Option<f64>> {
    x.iter()
        .map(|a| if *a > 1.0 { Some(a * k) } else { None })
        .collect()
}

#[differentiable]
fn flattened(x: &[f64], k: f64) -> f64 {
    let v: Vec<Option<f64>> = large(x, k);
    let mut total = v.iter().flatten().sum::<f64>();
    for (i, a) in v.iter().flatten().enumerate() {
        total += a * a * x[i];
    }
    let squares: Vec<f64> = v.into_iter().flatten().map(|a| a * a).collect();
    total * squares.iter().copied().reduce(f64::max).unwrap_or(k)
}

#[differentiable]
fn flattened_structs(x: &[f64]) -> f64 {
    let v: Vec<Option<Named>> = x
        .iter()
        .map(|a| if *a > 1.0 { Some(Named::new(*a)) } else { None })
        .collect();
    let mut total = 0.2;
    for n in v.iter().flatten() {
        if n.a > 2.0 {
            break;
        }
        total += n.parts[1] * total;
    }
    total
}

#[differentiable]
fn loops_over_an_option(a: f64, k: f64) -> f64 {
    let mut o = if a > 1.0 { Some(a * k) } else { None };
    let mut total = k;
    for v in o.iter_mut() {
        *v *= k;
    }
    for v in &o {
        if *v > 5.0 {
            continue;
        }
        total *= v;
    }
    let list: Vec<f64> = o.iter().map(|v| v * v).collect();
    for v in o {
        total += v * list[0];
    }
    total
}

#[differentiable]
fn results(x: &[f64]) -> f64 {
    let v: Vec<Result<f64, String>> = x
        .iter()
        .map(|a| {
            if *a > 1.0 {
                Ok(a * a)
            } else {
                Err(String::new())
            }
        })
        .collect();
    v.iter().flatten().map(|a| a * a).sum::<f64>()
}

// ---- Arrays. ---------------------------------------------------------------------------------------------------------

#[differentiable]
fn arrays_by_function(x: &[f64; 4]) -> f64 {
    let a: [f64; 3] = std::array::from_fn(|i| x[i] * x[i + 1]);
    let g = |i: usize| Point::new(x[i], x[i] * x[1]);
    let b: [Point; 2] = core::array::from_fn(g);
    let c: [[f64; 2]; 2] = core::array::from_fn(|i| core::array::from_fn(|j| x[i] * x[j + 1]));
    let d: [_; 2] = core::array::from_fn(|i| square(x[i]));
    let e = core::array::from_fn::<usize, 2, _>(|i| i + 1);
    a[0] * a[2] * b[0].area() + b[1].a * c[0][1] * c[1][0] + d[e[0]] * x[e[1]]
}

#[differentiable]
fn generic_array<const N: usize>(x: &[f64; N], k: f64) -> [f64; N] {
    core::array::from_fn(|i| x[i] * x[0] * k)
}

#[differentiable]
fn generic_array_of_structs<const N: usize>(x: [f64; N], k: f64) -> [Point; N] {
    x.map(|a| Point::new(a, a * k))
}

#[differentiable]
fn in_generic_arrays(x: &[f64; 2], k: f64) -> f64 {
    let [a, b] = generic_array(x, k);
    let points = generic_array_of_structs([a, b, k], k);
    points[0].area() * points[1].a * points[2].area()
}

#[differentiable]
fn mapped_to_structs(x: &[f64; 2], k: f64) -> f64 {
    let mut t = k;
    for _ in 0..3 {
        let mut z = [x[0], t].map(|a| Named {
            a,
            parts: vec![a; 2],
        });
        z[0].parts[1] *= t;
        t = z[0].parts[1] * z[1].a + 0.2 * z[1].parts[0];
    }
    let areas = [x[0], t].map(|a| Point::new(a, a * k)).map(|p| p.area());
    areas[0] * areas[1]
}

// ---- Sorts. ----------------------------------------------------------------------------------------------------------

#[differentiable]
fn sorted_fields(x: &[f64], k: f64) -> f64 {
    let mut lists = Lists::new(x);
    lists
        .numbers
        .sort_by(|a, b| (a - k).abs().total_cmp(&(b - k).abs()));
    lists.points.sort_unstable_by(|p, q| q.a.total_cmp(&p.a));
    for row in &mut lists.rows {
        row.sort_by(|a, b| a.total_cmp(b));
    }
    let mut total = 0.3;
    for i in 0..x.len() {
        total += lists.numbers[i] * lists.points[i].area() * lists.rows[i][0] * total;
    }
    total
}

#[differentiable]
fn sorted_results(x: &[f64], k: f64) -> f64 {
    let mut v = points(x, k);
    v.sort_by(|p, q| p.a.total_cmp(&q.a));
    v.iter()
        .enumerate()
        .map(|(i, p)| p.a * i as f64)
        .sum::<f64>()
}

/// Parts of the pairs that are found.
#[differentiable]
fn parts_of_pairs(x: &[f64]) -> f64 {
    let highest = x.iter().enumerate();
    let highest = highest.max_by(|a, b| a.1.total_cmp(b.1)).unwrap().0;
    let pairs = x.iter().zip(&x[1..]);
    let lowest = pairs.min_by(|a, b| a.1.total_cmp(b.1)).expect("a pair").1;
    let negative = x
        .iter()
        .enumerate()
        .rev()
        .find(|(_, v)| **v < 1.0)
        .unwrap()
        .0;
    let first = x.split_first().unwrap().0;
    let rest = x.split_last().unwrap().1.len();
    let points = [Point { a: x[0], b: x[1] }, Point { a: x[1], b: 2.0 }];
    let second = points.iter().enumerate().last().unwrap().1;
    x[highest] * lowest
        + x[rest] * first * rest as f64
        + x.split_at(1).1[0] * x[negative]
        + second.a
}

table! {
    made_by_functions: for n in 0..4, (&x(n), 1.3);
    made_by_literals: for n in 0..4, (&x(n), 1.3);
    tuples_of_unknown_type: for n in 0..4, (&x(n));
    tuples_with_positions: for n in 0..4, (&x(n));
    fields_and_rows: for n in 1..4, (&x(n), 1.3);
    collected_lists: for n in 0..4, (&x(n));
    collected_options: for n in 0..5, (&x(n), 1.3);
    collected_in_a_loop: for n in 0..4, (&x(n), 1.3);
    collected_again: for n in 0..4, (&x(n), 1.3);
    body_with_exits: for n in 0..4, (&x(n));
    generic_at_f64: for n in 0..4, (&x(n), 1.3);
    two_lists: for n in 1..4, (&x(n), 1.3);
    references: for n in 0..5, (&x(n));
    parted: for n in 1..5, (&x(n), 1.3);
    extremes_of_fields: for n in 1..5, (&x(n), 1.3);
    extremes_of_calls: for n in 0..4, (&x(n), 1.3);
    extreme_structs: for n in 1..5, (&x(n));
    extreme_tuples: for n in 1..5, (&x(n));
    extreme_references: for n in 2..5, (&x(n));
    longest: for n in 1..3, (&x(n));
    reduced_fields: for n in 1..5, (&x(n));
    reduced_structs: for n in 1..5, (&x(n));
    found_structs: for n in 1..5, (&x(n));
    flattened: for n in 0..5, (&x(n), 1.3);
    flattened_structs: for n in 0..6, (&x(n));
    loops_over_an_option: (1.9, 1.3), (0.7, 1.3), (3.9, 1.3);
    results: for n in 0..5, (&x(n));
    arrays_by_function: (&[0.7, 1.9, -0.4, 1.3]);
    in_generic_arrays: (&[0.7, 1.9], 1.3);
    mapped_to_structs: (&[0.7, 1.9], 1.3);
    parts_of_pairs: for n in 2..5, (&x(n));
    sorted_fields: for n in 1..5, (&x(n), 1.25);
    sorted_results: for n in 0..5, (&x(n), 1.3);
}

map_table! {
    generic_array: (&[0.7, 1.9], 1.3);
    points: for n in 0..4, (&x(n), 1.3);
    large: for n in 0..5, (&x(n), 1.3);
    generic_array_of_structs: ([0.7, 1.9, -0.4], 1.3);
}

//! References that methods return, where nothing says that they are references: read, looped over, and handed to functions that take
//! references. So are those that getters of constants return.

use chainrule::prelude::*;

use crate::check::table;

const X: [f64; 2] = [0.8, 0.3];

#[derive(Clone, Debug, Differentiable)]
struct Point {
    a: f64,
    b: f64,
}

#[differentiable]
impl Point {
    fn norm(&self) -> f64 {
        self.a * self.a + self.b
    }

    fn distance(&self, other: &Point) -> f64 {
        (self.a - other.a) * (self.b + other.b)
    }

    fn plus(self, other: Point) -> Point {
        Point {
            a: self.a + other.a,
            b: self.b * other.b,
        }
    }
}

#[derive(Clone, Debug, Differentiable)]
struct Cloud {
    data: Vec<f64>,
    n: usize,
    points: Vec<Point>,
}

#[differentiable]
impl Cloud {
    fn of(x: &[f64]) -> Cloud {
        Cloud {
            data: vec![x[0], x[1], x[0] * x[1], x[1].sin()],
            n: 2,
            points: vec![
                Point { a: x[0], b: x[1] },
                Point {
                    a: x[1] * x[1],
                    b: 2.0 * x[0],
                },
            ],
        }
    }

    fn row(&self, i: usize) -> &[f64] {
        &self.data[i * self.n..(i + 1) * self.n]
    }

    fn at(&self, i: usize, j: usize) -> &f64 {
        &self.data[i * self.n + j]
    }

    fn point(&self, i: usize) -> &Point {
        &self.points[i]
    }

    fn all(&self) -> &Vec<f64> {
        &self.data
    }

    fn copy(&self, i: usize) -> Vec<f64> {
        self.row(i).to_vec()
    }

    fn total(&self) -> f64 {
        self.data.iter().sum()
    }
}

#[differentiable]
#[inline(never)]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..b.len() {
        sum += a[i] * b[i];
    }
    sum
}

#[differentiable]
#[inline(never)]
fn squares(list: Vec<f64>, k: f64) -> f64 {
    list.iter().map(|a| a * a * k).sum()
}

#[differentiable]
#[inline(never)]
fn energy(p: &Point, k: f64) -> f64 {
    p.a * k + p.b * p.b
}

#[differentiable]
fn indexed(x: &[f64]) -> f64 {
    let cloud = Cloud::of(x);
    let row = cloud.row(1);
    row[0] * row[1] * cloud.total() + cloud.row(1)[0] * cloud.row(0)[1] * row.len() as f64
}

#[differentiable]
fn looped(x: &[f64]) -> f64 {
    let cloud = Cloud::of(x);
    let mut s = 0.0;
    for v in cloud.row(1) {
        s += v * v;
    }
    for i in 0..2 {
        for v in cloud.row(i) {
            s *= 1.0 + v;
        }
        let row = cloud.row(i);
        s += row[0] / row[1];
    }
    for (i, v) in cloud.row(0).iter().enumerate() {
        s += v * x[i];
    }
    for (v, w) in x.iter().zip(cloud.row(1)) {
        s += v * w;
    }
    s
}

#[differentiable]
fn chained(x: &[f64]) -> f64 {
    let cloud = Cloud::of(x);
    let row = cloud.row(1);
    let sum: f64 = cloud.row(0).iter().map(|v| v * v).sum();
    sum * row.iter().sum::<f64>() + row.iter().zip(x).map(|(a, b)| a * b).sum::<f64>()
}

#[differentiable]
fn fields(x: &[f64]) -> f64 {
    let cloud = Cloud::of(x);
    let p = cloud.point(0);
    let q = p.a * p.b + cloud.point(1).a + p.norm() + cloud.point(1).norm();
    q * cloud.at(0, 1)
        + cloud.at(0, 0) * 2.0
        + cloud.at(1, 1).sin()
        + cloud.all()[0] * cloud.all().len() as f64
}

#[differentiable]
fn in_a_loop(x: &[f64]) -> f64 {
    let cloud = Box::new(Cloud::of(x));
    let (mut t, mut i) = (0.0, 0);
    while i < 2 {
        let p = cloud.point(i);
        if p.a > 0.5 {
            t += p.b;
            i += 1;
            continue;
        }
        let row = cloud.row(i);
        t += row[0].max(row[1]) * p.norm();
        i += 1;
    }
    t
}

#[differentiable]
fn handed_over(x: &[f64]) -> f64 {
    let cloud = Cloud::of(x);
    let row = cloud.row(1);
    dot(row, x) * row[0] + dot(cloud.row(0), cloud.row(1)) + dot(row, row) + dot(cloud.row(1), x)
}

#[differentiable]
fn handed_over_by_value(x: &[f64]) -> f64 {
    let cloud = Cloud::of(x);
    squares(cloud.copy(1), cloud.total()) + dot(cloud.all(), &cloud.copy(0))
}

#[differentiable]
fn handed_over_in_loops(x: &[f64]) -> f64 {
    let cloud = Cloud::of(x);
    let mut s = 0.0;
    for i in 0..2 {
        for j in 0..2 {
            s += dot(cloud.row(i), cloud.row(j)) * energy(cloud.point(i), cloud.total());
        }
    }
    s
}

#[differentiable]
fn handed_to_methods(x: &[f64]) -> f64 {
    let cloud = Cloud::of(x);
    cloud.point(0).distance(cloud.point(1))
        + energy(cloud.point(1), *cloud.at(0, 1))
        + cloud.point(0).clone().plus(cloud.point(1).clone()).norm()
}

#[differentiable]
fn in_branches(x: &[f64]) -> f64 {
    let cloud = Cloud::of(x);
    if dot(cloud.row(0), x) > 0.2 {
        dot(cloud.row(1), cloud.row(1))
    } else {
        cloud.total()
    }
}

/// What a program without derivatives has.
struct Settings {
    data: Vec<f64>,
    k: usize,
}

impl Settings {
    fn row(&self) -> &[f64] {
        &self.data
    }

    fn all(&self) -> &Vec<f64> {
        &self.data
    }

    fn name(&self) -> &str {
        "abc"
    }

    fn k(&self) -> usize {
        self.k
    }

    fn weight(&self) -> f64 {
        1.5
    }

    fn place(&self) -> &usize {
        &self.k
    }

    fn first(&self) -> &f64 {
        &self.data[0]
    }

    fn owned(&self) -> Vec<f64> {
        self.data.clone()
    }
}

#[differentiable]
#[inline(never)]
fn model(#[constant] data: &[f64], x: &[f64]) -> f64 {
    data[0] * x[0] + data[1] * x[1] * x[0]
}

#[differentiable]
#[inline(never)]
fn named(name: &str, x: &[f64]) -> f64 {
    name.len() as f64 * x[1]
}

#[differentiable]
#[inline(never)]
fn picked(x: &[f64], k: usize, weight: f64) -> f64 {
    x[k] * weight
}

#[differentiable]
#[inline(never)]
fn eaten(list: Vec<f64>, x: &[f64]) -> f64 {
    list[0] * x[0]
}

#[differentiable]
#[inline(never)]
fn with_settings(x: &[f64], #[constant] settings: &Settings) -> f64 {
    let row = settings.row();
    let mut t = model(settings.row(), x) + model(row, x) * x[0] + model(settings.all(), x);
    t += named(settings.name(), x) + picked(x, settings.k(), settings.weight());
    t += dot(settings.row(), x) + dot(row, x) * dot(x, settings.all());
    for i in 0..3 {
        t += model(row, x) * x[i % 2];
        t += dot(settings.row(), x);
    }
    t + eaten(settings.owned(), x)
}

/// The same with names, annotations, and parts.
#[differentiable]
#[inline(never)]
fn parts_of_settings(x: &[f64], #[constant] settings: &Settings) -> f64 {
    let mut t = 0.0;
    for i in 0..3 {
        let row: &[f64] = settings.row();
        t += dot(row, x) * t.cos() * i as f64;
        let rest = &row[1..];
        t += dot(rest, x) + dot(&row[1..], x) * row[0] + model(&row[i % 2..], x);
        for v in row {
            t += v * x[0];
        }
        let all = settings.all();
        for v in all {
            t += v * x[1];
        }
        t += all[0] * x[1] * x[0];
    }
    let (first, second) = settings.row().split_at(1);
    t + dot(second, x) * first[0]
}

#[differentiable]
fn parts_of_constants(x: &[f64]) -> f64 {
    let settings = stop_gradient(Settings {
        data: vec![1.0, 2.0, -0.5, 3.0],
        k: 1,
    });
    parts_of_settings(x, &settings)
}

/// References to single numbers.
#[differentiable]
fn dereferenced(x: &[f64]) -> f64 {
    let settings = stop_gradient(Settings {
        data: vec![2.0, 1.0],
        k: 1,
    });
    let cloud = Cloud::of(x);
    let (a, b) = (cloud.at(1, 0), cloud.at(0, 1));
    let c = cloud.at(1, 1);
    let (k, w) = (settings.place(), settings.first());
    let known: &usize = settings.place();
    let weight: &f64 = settings.first();
    let place = settings.place();
    a * b * *c + x[*place] * *settings.first() + x[*k] * w + x[*known] * *weight + c * w
}

#[differentiable]
fn getters_of_constants(x: &[f64]) -> f64 {
    let settings = stop_gradient(Settings {
        data: vec![1.0, 2.0],
        k: 1,
    });
    with_settings(x, &settings)
}

#[differentiable]
fn items_dereferenced(x: &[f64]) -> f64 {
    let cloud = Cloud::of(x);
    let mut total = 0.0;
    for v in cloud.row(1) {
        total += *v * *v;
    }
    for &v in cloud.row(0) {
        total *= v;
    }
    let row = cloud.row(1);
    for v in row {
        total += v.sin() * *v;
    }
    for &v in row {
        total += v * total;
    }
    for (i, v) in row.iter().enumerate() {
        total += *v * i as f64;
    }
    let sum: f64 = row.iter().map(|v| *v * *v).sum();
    let next = |sum: f64, v: &f64| sum * x[0] + *v;
    total + sum + cloud.row(0).iter().fold(1.0, next)
}

table! {
    indexed: (&X);
    looped: (&X);
    chained: (&X);
    fields: (&X);
    in_a_loop: (&X);
    handed_over: (&X);
    handed_over_by_value: (&X);
    handed_over_in_loops: (&X);
    handed_to_methods: (&X);
    in_branches: (&X), (&[0.1, 0.3]);
    getters_of_constants: (&X);
    parts_of_constants: (&X);
    dereferenced: (&X);
    items_dereferenced: (&X);
}

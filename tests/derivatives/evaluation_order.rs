//! What is evaluated first shows where both sides draw from one generator of random numbers.

use chainrule::prelude::*;

use crate::check::table;

struct Rng(u64);

impl Rng {
    fn draw(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as f64 / (1_u64 << 31) as f64
    }

    fn index(&mut self, n: usize) -> usize {
        (self.draw() * n as f64) as usize
    }

    fn coin(&mut self) -> bool {
        self.draw() > 0.5
    }

    fn low(&mut self) -> Option<f64> {
        Some(self.draw()).filter(|v| *v < 0.8)
    }
}

#[derive(Clone, Debug, Differentiable)]
struct Pair {
    a: f64,
    b: f64,
}

#[differentiable]
impl Pair {
    fn new(a: f64, b: f64) -> Pair {
        Pair { a, b }
    }

    fn dot(&self, k: f64, l: f64) -> f64 {
        self.a * k + self.b * l
    }

    fn twist(&mut self, k: f64, l: f64) {
        self.a += k * l;
        self.b -= k;
    }
}

#[differentiable]
impl std::ops::Add for Pair {
    type Output = Pair;

    fn add(self, other: Pair) -> Pair {
        Pair {
            a: self.a + 2.0 * other.a,
            b: self.b - other.b,
        }
    }
}

#[differentiable]
impl std::ops::AddAssign<f64> for Pair {
    fn add_assign(&mut self, k: f64) {
        self.a += k;
        self.b *= k;
    }
}

#[differentiable]
fn sum(a: f64, b: f64, c: &[f64]) -> f64 {
    a * b + c[0] * a + c[1]
}

#[differentiable]
fn updates(x: &[f64], seed: u64) -> f64 {
    let mut r = stop_gradient(Rng(seed));
    let mut v = x.to_vec();
    for _ in 0..3 {
        v[r.index(3)] += r.draw() * x[0];
    }
    for _ in 0..3 {
        v[r.index(3)] = r.draw() * x[0] + v[r.index(3)];
    }
    let w = [x[1], x[2], 1.0];
    for _ in 0..4 {
        v[r.index(3)] += &w[r.index(3)];
        v[r.index(3)] -= w[r.index(3)];
    }
    let mut m = vec![vec![x[0]; 3]; 3];
    m[r.index(3)][r.index(3)] *= r.draw() * x[1];
    let weigh = |(i, a): (usize, &f64)| a * i as f64;
    v[0] * v[1] - v[2] + m.iter().flatten().enumerate().map(weigh).sum::<f64>()
}

#[differentiable]
fn updates_of_structs(x: &[f64], seed: u64) -> f64 {
    let mut r = stop_gradient(Rng(seed));
    let mut p = Pair { a: x[0], b: x[1] };
    p.twist(r.draw() * x[0], r.draw());
    p += r.draw() * x[2];
    let mut ps = vec![p, Pair::new(x[2], 1.0)];
    ps[r.index(2)] += r.draw() * x[2];
    ps[r.index(2)].twist(r.draw(), r.draw() * x[1]);
    ps[0].a * ps[1].b + ps[1].a * ps[0].b
}

#[differentiable]
fn arguments(x: &[f64], seed: u64) -> f64 {
    let mut r = stop_gradient(Rng(seed));
    let p = Pair {
        b: r.draw() * x[0],
        a: r.draw() * x[1],
    };
    let q = Pair::new(r.draw() * x[0], r.draw() + x[1]);
    let mut s = p.a * p.b - q.a / q.b;
    s += sum(
        r.draw() * x[0],
        r.draw() * x[1],
        &[r.draw() * x[2], r.draw()],
    );
    s += Pair::new(r.draw() + x[0], x[1]).dot(r.draw(), r.draw() * x[0]);
    s += (r.draw() * x[0]).mul_add(r.draw() * x[1], r.draw());
    s += f64::max(r.draw() * x[0], r.draw() * x[1]);
    s += (x[0] * r.draw()).powf(r.draw()) - x[1] * r.draw() / (r.draw() + 1.0);
    s += -r.draw() * x[0] - (r.draw() - x[1]) % (r.draw() + 1.0);
    let q = Pair::new(r.draw() * x[0], x[1]) + Pair::new(r.draw(), x[2] * r.draw());
    let a = [r.draw() * x[0], r.draw() * x[1], r.draw()];
    let t = (r.draw() * x[0], r.draw() * x[1], r.index(3));
    s + q.a * q.b + a[0] * a[1] - a[2] * x[0] + t.0 * t.1 * x[t.2]
}

#[differentiable]
fn control_flow(x: &[f64], seed: u64) -> f64 {
    let mut r = stop_gradient(Rng(seed));
    let mut s = 0.0;
    if r.draw() * x[0] < 0.5 && r.coin() || r.draw() > 0.3 {
        s += r.draw() * x[0];
    } else {
        s -= r.draw() * x[1];
    }
    while let Some(v) = r.low() {
        s += v * x[r.index(3)];
    }
    while r.draw() * x[0] < 0.6 {
        s += r.draw() * x[1];
    }
    for i in r.index(2)..2 + r.index(3) {
        s += x[i % 3] * r.draw();
    }
    match (r.index(3), r.coin()) {
        (0, true) => s += x[0] * r.draw(),
        (i, false) if r.coin() => s += x[i] * r.draw(),
        (i, _) => s -= x[i] + r.draw(),
    }
    let c = x[0] * r.draw();
    s += loop {
        if r.coin() {
            break r.draw() * c;
        }
        s += r.draw() * x[1];
    };
    let (mut a, mut b) = (x[0], x[1]);
    (a, b) = (b * r.draw(), a * r.draw());
    let y = {
        let t = r.draw() * x[0];
        t * r.draw() + r.draw()
    } * r.draw();
    s + a / b + y
}

#[differentiable]
fn closures_and_chains(x: &[f64], seed: u64) -> f64 {
    let mut r = stop_gradient(Rng(seed));
    let scaled = |a: f64, r: &mut Rng| a * r.draw();
    let mut s = scaled(x[0], &mut r) * scaled(x[1], &mut r) + scaled(scaled(x[2], &mut r), &mut r);
    let v: Vec<f64> = (0..3).map(|i| x[i] * r.draw()).collect();
    s += v[r.index(3)] * v[r.index(3)];
    let v: Vec<f64> = x.iter().filter(|_| r.coin()).map(|a| a * a).collect();
    s += v.iter().sum::<f64>() * r.draw();
    let v: Vec<f64> = x
        .iter()
        .map(|a| a * r.draw())
        .filter(|a| *a > 0.2)
        .collect();
    s += v.iter().sum::<f64>() * r.draw();
    s += x
        .iter()
        .map(|a| a * r.draw())
        .fold(0.0, |a, b| a * 0.5 + b * b);
    s *= r.draw();
    s += x.iter().map(|a| a * r.draw()).fold(f64::MIN, f64::max) * r.draw();
    s += x[x.iter().position(|a| a * r.draw() > 0.2).unwrap_or(0)] * r.draw();
    s += if x.iter().any(|a| a * r.draw() > 0.4) {
        x[0]
    } else {
        x[1]
    } * r.draw();
    let o = if r.coin() {
        Some(r.draw() * x[0])
    } else {
        None
    };
    s += o.map_or(r.draw() * x[1], |v| v * r.draw());
    s += o.unwrap_or_else(|| r.draw() * x[2]);
    s += Some(x[1] * r.draw())
        .filter(|_| r.coin())
        .unwrap_or(r.draw() * x[2]);
    s * r.draw()
}

#[differentiable]
fn lists(x: &[f64], seed: u64) -> f64 {
    let mut r = stop_gradient(Rng(seed));
    let mut v = x.to_vec();
    v.swap(r.index(3), r.index(3));
    v.push(r.draw() * x[0]);
    v.insert(r.index(3), r.draw() * x[1]);
    v[r.index(2)..2 + r.index(2)]
        .iter_mut()
        .for_each(|e| *e *= r.draw());
    let mut s = v
        .iter()
        .enumerate()
        .map(|(i, a)| a * (i as f64 + 1.0))
        .sum::<f64>();
    v.truncate(3 + r.index(2));
    v.retain(|_| r.coin());
    s += v.iter().sum::<f64>() * r.draw();
    s
}

const X: [f64; 3] = [0.81, 0.33, 0.24];

table! {
    updates: for seed in 1..9, (&X, const seed);
    updates_of_structs: for seed in 1..9, (&X, const seed);
    arguments: for seed in 1..9, (&X, const seed);
    control_flow: for seed in 1..9, (&X, const seed);
    closures_and_chains: for seed in 1..9, (&X, const seed);
    lists: for seed in 1..9, (&X, const seed);
}

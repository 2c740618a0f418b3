//! Methods whose bodies are inlined: every kind of receiver and argument, names that mean something else where the body lands, and what stays a call.

use std::ops::{Add, AddAssign, Index, IndexMut, Mul, MulAssign, Neg, Sub};

use chainrule::prelude::*;

use crate::check::table;

const SCALE: f64 = 1.25;

#[differentiable]
fn half(x: f64) -> f64 {
    0.5 * x
}

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct V3 {
    x: f64,
    y: f64,
    z: f64,
}

#[differentiable]
impl V3 {
    const ORIGIN: V3 = V3 {
        x: 0.0,
        y: 0.5,
        z: 0.0,
    };

    fn new(x: f64, y: f64, z: f64) -> Self {
        Self { x, y, z }
    }

    fn dot(self, o: V3) -> f64 {
        self.x * o.x + self.y * o.y + self.z * o.z
    }

    fn cross(&self, o: &Self) -> Self {
        Self::new(
            self.y * o.z - self.z * o.y,
            self.z * o.x - self.x * o.z,
            self.x * o.y - self.y * o.x,
        )
    }

    fn norm(&self) -> f64 {
        self.dot(*self).sqrt()
    }

    fn scale(&mut self, k: f64) {
        self.x *= k;
        self.y *= k;
        self.z *= k;
    }

    fn shifted(mut self, by: f64) -> V3 {
        self.x += by + Self::ORIGIN.y;
        self
    }

    fn largest(&self) -> f64 {
        if self.x > self.y {
            return self.x * SCALE;
        }
        let scale = self.y.max(self.z);
        scale * SCALE
    }

    /// `half` is a function here, whatever the caller calls so.
    fn halved(&self) -> f64 {
        super::inlined_methods::half(self.x) + half(self.z)
    }
}

#[differentiable]
impl Add for V3 {
    type Output = V3;
    fn add(self, o: V3) -> V3 {
        V3::new(self.x + o.x, self.y + o.y, self.z + o.z)
    }
}

#[differentiable]
impl Sub for &V3 {
    type Output = V3;
    fn sub(self, o: &V3) -> V3 {
        V3 {
            x: self.x - o.x,
            y: self.y - o.y,
            z: self.z - o.z,
        }
    }
}

#[differentiable]
impl Mul<f64> for V3 {
    type Output = Self;
    fn mul(self, k: f64) -> Self {
        Self::new(self.x * k, self.y * k, self.z * k)
    }
}

#[differentiable]
impl Mul<V3> for f64 {
    type Output = V3;
    fn mul(self, v: V3) -> V3 {
        v * self
    }
}

#[differentiable]
impl Mul for V3 {
    type Output = f64;
    fn mul(self, o: V3) -> Self::Output {
        self.dot(o)
    }
}

#[differentiable]
impl Neg for V3 {
    type Output = V3;
    fn neg(self) -> V3 {
        self * -1.0
    }
}

#[differentiable]
impl AddAssign for V3 {
    fn add_assign(&mut self, o: V3) {
        self.x += o.x;
        self.y += o.y;
        self.z += o.z;
    }
}

#[differentiable]
impl MulAssign<f64> for V3 {
    fn mul_assign(&mut self, k: f64) {
        *self = *self * k;
    }
}

#[derive(Clone, Debug, Differentiable)]
struct Table {
    rows: usize,
    cols: usize,
    #[constant]
    weight: f64,
    data: Vec<f64>,
}

#[differentiable]
impl Table {
    fn index(&self, i: usize, j: usize) -> usize {
        debug_assert!(i < self.rows);
        i * self.cols + j
    }

    fn at(&self, i: usize, j: usize) -> f64 {
        self.data[self.index(i, j)]
    }

    fn set(&mut self, i: usize, j: usize, x: f64) {
        let k = self.index(i, j);
        self.data[k] = x;
    }

    fn add_to(&mut self, i: usize, j: usize, x: f64) -> f64 {
        let k = self.index(i, j);
        let old = self.data[k];
        self.data[k] += x * self.weight;
        old
    }

    fn row_sum(&self, i: usize) -> f64 {
        let mut s = 0.0;
        for j in 0..self.cols {
            if j == 7 {
                break;
            }
            s += self.at(i, j) * self.weight;
        }
        s
    }

    fn times(&self, v: &[f64], out: &mut [f64]) {
        for i in 0..self.rows {
            out[i] = 0.0;
            for j in 0..self.cols {
                out[i] += self.at(i, j) * v[j];
            }
        }
    }

    fn product(&self, v: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.rows];
        self.times(v, &mut out);
        out
    }

    fn kind(&self, k: usize) -> f64 {
        match k {
            0 => self.data[0].sin(),
            1 | 2 => self.data[k] * self.data[k],
            _ => self.data.iter().map(|x| x * x).sum::<f64>(),
        }
    }

    fn first_above(&self, limit: f64) -> Option<f64> {
        for x in &self.data {
            if *x > limit {
                return Some(*x * *x);
            }
        }
        None
    }
}

#[differentiable]
fn table_of(x: &[f64]) -> Table {
    Table {
        rows: 2,
        cols: 3,
        weight: 1.5,
        data: x[..6].to_vec(),
    }
}

#[differentiable]
fn norms(x: &[f64]) -> f64 {
    let a = V3::new(x[0], x[1], x[2]);
    let b = V3::new(x[3], x[4], x[5]);
    a.cross(&b).norm() + a.dot(b) * b.norm()
}

#[differentiable]
fn by_path(x: &[f64]) -> f64 {
    let a = V3::new(x[0], 2.0, x[2]);
    V3::dot(a, V3::cross(&a, &V3::new(x[3], x[1], 1.0))) + V3::norm(&a)
}

#[differentiable]
fn written(x: &[f64]) -> f64 {
    let mut a = V3::new(x[0], x[1], x[2]);
    for k in 0..3 {
        a.scale(x[3 + k]);
        a = a.shifted(a.y);
    }
    a.largest() + a.norm()
}

/// Names of the caller's that are others in the bodies.
#[differentiable]
fn other_names(x: &[f64]) -> f64 {
    let half = x[1] * 3.0;
    let a = V3::new(x[0], half, x[2]);
    let o = x[4];
    let s = a.halved() * o;
    s * half
}

#[differentiable]
fn copied(x: &[f64]) -> f64 {
    let mut a = V3::new(x[0], x[1], x[2]);
    let b = a.shifted(x[3]);
    a.x = a.dot(b);
    let c = a.dot(a.shifted(a.x));
    c + b.dot(a)
}

#[differentiable]
fn elements(x: &[f64]) -> f64 {
    let t = table_of(x);
    let mut s = 0.0;
    for i in 0..t.rows {
        for j in 0..t.cols {
            s += t.at(i, j) * x[j] * t.at(t.rows - 1 - i, j).sin();
        }
        s *= t.row_sum(i);
    }
    s
}

#[differentiable]
fn in_place(x: &[f64]) -> f64 {
    let mut t = table_of(x);
    let mut s = 0.0;
    for i in 0..2 {
        for j in 0..3 {
            let old = t.add_to(i, j, x[j]);
            t.set(i, j, old * t.at(1 - i, j));
            s += t.at(i, j);
        }
    }
    s * t.kind(0) + t.kind(1) * t.kind(5)
}

#[differentiable]
fn products(x: &[f64]) -> f64 {
    let t = table_of(x);
    let mut out = [0.0; 2];
    t.times(&[x[0], x[1], x[2]], &mut out);
    let y = t.product(&x[1..4]);
    t.times(&x[2..5].to_vec(), &mut out[..]);
    out[0] * y[1] + out[1] * y[0]
}

#[differentiable]
fn options(x: &[f64]) -> f64 {
    let t = table_of(x);
    t.first_above(x[5]).unwrap_or(x[0]) + t.first_above(100.0).map_or(x[1], |v| v * x[2])
}

#[derive(Clone, Debug, Differentiable)]
struct Pair {
    a: Table,
    v: V3,
}

#[differentiable]
impl Pair {
    fn energy(&self, k: f64) -> f64 {
        let w = self.v.cross(&V3::new(k, 1.0, self.a.at(0, 1)));
        self.a.row_sum(1) * w.norm()
    }

    fn advance(&mut self, k: f64) {
        self.v.scale(k);
        self.a.set(0, 0, self.v.x * k);
    }
}

#[differentiable]
impl Pair {
    fn turn(&mut self) -> V3 {
        self.v.x += 1.0;
        self.v * 2.0
    }

    /// A part of the receiver is read by value before an argument writes to it.
    fn turned(&mut self) -> f64 {
        self.v.dot(self.turn()) + self.v.x
    }
}

#[differentiable]
fn fields(x: &[f64]) -> f64 {
    let mut p = Pair {
        a: table_of(x),
        v: V3::new(x[3], x[4], x[5]),
    };
    let before = p.energy(x[0]);
    p.advance(x[1]);
    before * p.energy(x[2]) + p.turned()
}

/// A parameter that is written, one that is a reference to a part, and a result that is dropped.
#[differentiable]
fn parts(x: &[f64]) -> f64 {
    let mut all = vec![table_of(x), table_of(&x[1..])];
    let mut s = 0.0;
    for t in &mut all {
        t.add_to(0, 1, x[6]);
        s += t.at(0, 1) * t.at(1, 1);
    }
    s + all[1].row_sum(0) * all[0].at(1, 2)
}

#[differentiable]
fn operators(x: &[f64]) -> f64 {
    let a = V3::new(x[0], x[1], x[2]);
    let b = V3::new(x[3], x[4], x[5]);
    let c = 2.0 * a + b * x[6] - a * b * (&a - &b);
    (c + -a) * (c * 0.5)
}

#[differentiable]
impl Sub for V3 {
    type Output = V3;
    fn sub(self, o: V3) -> V3 {
        &self - &o
    }
}

#[differentiable]
fn updates(x: &[f64]) -> f64 {
    let mut sum = V3::new(0.0, 0.0, 0.0);
    let steps = [V3::new(x[0], x[1], x[2]), V3::new(x[2], x[3], x[4])];
    for k in 0..5 {
        let step = steps[k % 2];
        sum += step * x[k];
        sum *= 0.9 + x[5] * 0.1;
        if sum.x > 2.0 {
            sum = -sum;
        }
    }
    sum.norm() + sum * steps[0]
}

/// Operands that calls compute, in their order.
#[differentiable]
fn counted(x: &[f64]) -> f64 {
    let mut n = 0;
    let mut next = || {
        n += 1;
        x[n]
    };
    let a = V3::new(next(), next(), 1.0) + V3::new(next(), 2.0, next());
    let mut all = vec![a, a * x[0]];
    let first = all[0] * x[1];
    all[1] += first;
    all[0] *= x[2];
    let [p, q] = [all[0], all[1]];
    p * q
}

#[derive(Clone, Copy, Debug, Differentiable)]
struct Body {
    at: V3,
    v: V3,
    #[constant]
    mass: f64,
}

#[differentiable]
impl Body {
    fn kinetic(&self) -> f64 {
        0.5 * self.mass * self.v.dot(self.v)
    }

    fn step(&mut self, pull: V3, dt: f64) {
        self.v += pull * (dt / self.mass);
        self.at += self.v * dt;
    }
}

#[differentiable]
fn bodies(x: &[f64]) -> f64 {
    let mut all: Vec<Body> = Vec::new();
    for k in 0..3 {
        all.push(Body {
            at: V3::new(x[k], x[k + 1], 0.3),
            v: V3::new(0.1, x[k + 2], x[k]),
            mass: 1.0 + k as f64,
        });
    }
    for _ in 0..2 {
        for i in 0..all.len() {
            let mut pull = V3::new(0.0, 0.0, 0.0);
            for j in 0..all.len() {
                if i != j {
                    let d = &all[j].at - &all[i].at;
                    pull += d * (1.0 / (0.1 + d * d));
                }
            }
            all[i].step(pull, 0.1);
        }
    }
    all.iter().map(|b| b.kinetic() + b.at * b.at).sum()
}

#[derive(Clone, Debug, Differentiable)]
struct Grid {
    nx: usize,
    u: Vec<f64>,
}

#[differentiable]
impl Index<(usize, usize)> for Grid {
    type Output = f64;
    fn index(&self, (i, j): (usize, usize)) -> &f64 {
        &self.u[i * self.nx + j]
    }
}

#[differentiable]
impl IndexMut<(usize, usize)> for Grid {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut f64 {
        &mut self.u[i * self.nx + j]
    }
}

/// Reads and writes elsewhere: its methods differ.
#[derive(Clone, Debug, Differentiable)]
struct Swapped {
    u: [[f64; 2]; 2],
}

#[differentiable]
impl Index<usize> for Swapped {
    type Output = f64;
    fn index(&self, i: usize) -> &f64 {
        let k = i % 2;
        &self.u[0][k]
    }
}

#[differentiable]
impl IndexMut<usize> for Swapped {
    fn index_mut(&mut self, i: usize) -> &mut f64 {
        let k = i % 2;
        &mut self.u[1][k]
    }
}

#[derive(Clone, Debug, Differentiable)]
struct Rows {
    rows: Vec<Vec<f64>>,
}

#[differentiable]
impl Index<[usize; 2]> for Rows {
    type Output = f64;
    fn index(&self, at: [usize; 2]) -> &f64 {
        &self.rows[at[0]][at[1]]
    }
}

#[differentiable]
fn grids(x: &[f64]) -> f64 {
    let mut g = Grid {
        nx: 3,
        u: vec![0.0; 9],
    };
    for k in 0..3 {
        g[(k, k)] = x[k];
        g[(0, k)] += x[k + 3] * x[1];
    }
    for i in 1..3 {
        for j in 0..2 {
            let up = g[(i - 1, j)];
            g[(i, j)] += 0.5 * up * g[(i, j + 1)] + g[(0, 1)];
        }
    }
    let last = g.nx - 1;
    g[(last, 0)] * g[(2, 1)] + g.u.iter().sum::<f64>()
}

#[differentiable]
fn swapped(x: &[f64]) -> f64 {
    let mut s = Swapped {
        u: [[x[0], x[1]], [x[2], x[3]]],
    };
    s[0] = s[1] * x[4];
    s[3] *= 2.0;
    s[2] += s[1] * x[1];
    s[0] * s.u[1][0] + s[1] * s.u[1][1]
}

#[differentiable]
fn in_rows(x: &[f64]) -> f64 {
    let r = Rows {
        rows: vec![x[..3].to_vec(), x[3..6].to_vec()],
    };
    let mut s = 0.0;
    for i in 0..2 {
        for j in 0..3 {
            s += r[[i, j]] * r[[1 - i, j]] * x[j];
        }
    }
    s
}

#[differentiable]
impl V3 {
    /// Writes, and gives what was there.
    fn bump(&mut self, by: f64) -> V3 {
        let old = *self;
        self.x += by;
        self.y *= self.x;
        old
    }
}

/// A receiver by value is read before an argument writes to it.
#[differentiable]
fn read_before(x: &[f64]) -> f64 {
    let mut v = V3::new(x[0], x[1], x[2]);
    let a = v.dot(v.bump(x[3]));
    let b = v.shifted(v.bump(x[4]).x).norm();
    let c = v + v.bump(x[5]);
    v.scale(v.x);
    a + b * c.norm() + v.norm()
}

#[derive(Clone, Copy, Debug, Differentiable)]
struct State {
    pos: V3,
    vel: V3,
    t: f64,
}

#[differentiable]
impl State {
    fn stepped(self, pull: V3, dt: f64) -> State {
        let vel = self.vel + pull * dt;
        State {
            pos: self.pos + vel * dt,
            vel,
            t: self.t + dt,
        }
    }

    fn swapped(self) -> Self {
        Self {
            pos: self.vel,
            vel: self.pos,
            ..self
        }
    }
}

/// Left early, with an error, out of a loop that carries structs in structs.
#[differentiable]
fn flight(x: &[f64], most: usize) -> Result<f64, usize> {
    let mut s = State {
        pos: V3::new(x[0], x[1], x[2]),
        vel: V3::new(x[3], x[4], x[5]),
        t: x[6],
    };
    for k in 0..most {
        if k % 3 == 1 {
            s = s.swapped();
            continue;
        }
        let before = s;
        s = s.stepped(-s.pos, 0.1 * x[6]);
        s.vel.y = before.pos.x * s.t;
        if s.pos.x < -0.1 {
            return Err(k);
        }
        if s.t > 1.6 {
            return Ok(s.pos * s.vel + before.t);
        }
        s.pos = before.vel;
    }
    Ok(s.pos.norm() * s.t)
}

#[differentiable]
fn flights(x: &[f64]) -> f64 {
    let mut total = 0.0;
    for most in 0..9 {
        total += match flight(x, most) {
            Ok(y) => y * x[0],
            Err(k) => k as f64 * x[1],
        };
    }
    total
}

/// Arrays that closures, swaps and loops with names of their own write.
#[differentiable]
fn small_arrays(x: &[f64]) -> f64 {
    let mut a = [x[0], x[1]];
    let mut m = [[x[2], 1.0], [x[3], x[4]]];
    let mut add = |k: f64| a[0] += k * a[1];
    add(x[5]);
    add(x[6]);
    let mut s = 0.0;
    for i in 0..5 {
        let a = [s, a[1] * m[0][1]];
        if i == 3 {
            m.swap(0, 1);
            continue;
        }
        let [p, q] = a;
        m[1] = [q, p + m[0][0]];
        s += m[1][0] * m[1][1] + a[0];
        if s > 40.0 {
            break;
        }
    }
    s * a[0] + std::mem::replace(&mut a, [0.0; 2])[1] + a[0] * x[0]
}

#[derive(Clone, Debug, Differentiable)]
struct Sized {
    n: usize,
    k: f64,
    u: Vec<f64>,
}

#[differentiable]
impl Sized {
    fn grow(&mut self) {
        self.n += 1;
        self.k *= 1.1;
    }
}

/// Fields that loops read, and that something in the loop writes in another way each time.
#[differentiable]
fn fields_that_change(x: &[f64]) -> f64 {
    let mut g = Sized {
        n: 1,
        k: x[0],
        u: x.to_vec(),
    };
    let mut h = Sized {
        n: 3,
        k: x[1],
        u: x[2..].to_vec(),
    };
    let mut s = 0.0;
    while g.n < 4 {
        s += g.u[g.n] * g.k;
        g.grow();
    }
    for i in 0..3 {
        s += g.u[g.n - 1] * h.k * g.k;
        std::mem::swap(&mut g, &mut h);
        if i == 1 {
            g.n = 2;
        }
    }
    let mut all = vec![g, h];
    for t in &mut all {
        for _ in 0..t.n {
            s += t.u[t.n - 1] * t.k;
            t.k += s * 0.01;
        }
        t.grow();
    }
    let first = &mut all[0];
    for _ in 0..2 {
        s *= first.k;
        first.k = s * 0.5;
    }
    s + all[0].k * all[1].n as f64
}

/// Equal values at a kink, in components.
#[differentiable]
fn kinks(x: &[f64]) -> f64 {
    let v = V3::new(x[0], x[0], x[1]);
    let m = [v.x.max(v.y), v.y.min(v.z), (v.x - v.y).abs()];
    m[0] * m[1] + m[2] * 3.0 + v.largest()
}

const X: [f64; 7] = [0.7, 1.3, -0.4, 0.9, 1.6, 0.3, 1.1];

#[test]
fn kinks_as_without_structs() {
    let plain = |x: &[f64]| {
        let (a, b) = (x[0], x[1]);
        // The first of two equal values is taken, and the slope of |0| is 0.
        let largest_is_z = b > a;
        let value = a * a.min(b) + SCALE * a.max(b);
        let slope_a = if largest_is_z { 2.0 * a } else { b + SCALE };
        let slope_b = if largest_is_z { SCALE } else { a };
        (value, vec![slope_a, slope_b])
    };
    for x in [[0.7, 1.3], [1.3, 0.7]] {
        let (value, gradient) = kinks::value_and_gradient(&x);
        let (expected, slopes) = plain(&x);
        assert!((value - expected).abs() < 1e-15);
        assert!(
            (gradient[0] - slopes[0]).abs() < 1e-15,
            "{gradient:?} {slopes:?}"
        );
        assert!(
            (gradient[1] - slopes[1]).abs() < 1e-15,
            "{gradient:?} {slopes:?}"
        );
    }
}

table! {
    norms: (&X);
    by_path: (&X);
    written: (&X);
    other_names: (&X);
    copied: (&X);
    elements: (&X);
    in_place: (&X);
    products: (&X);
    options: (&X);
    fields: (&X);
    parts: (&X);
    operators: (&X);
    updates: (&X);
    counted: (&X);
    bodies: (&X);
    grids: (&X);
    swapped: (&X);
    in_rows: (&X);
    read_before: (&X);
    flights: (&X);
    small_arrays: (&X);
    fields_that_change: (&X);
}

/// A trait's method of the same name that Rust finds before the type's own, in a module of its own: there the type's own is named by its path.
mod shadowed {
    use chainrule::prelude::*;

    use crate::check::table;

    #[derive(Clone, Copy, Debug, Differentiable)]
    pub(super) struct W {
        a: f64,
    }

    #[differentiable]
    impl W {
        fn twice(&self) -> f64 {
            2.0 * self.a
        }
    }

    #[differentiable]
    fn by_name(x: f64) -> f64 {
        let w = W { a: x };
        w.twice() * x
    }

    table! {
        by_name: (0.7);
    }
}

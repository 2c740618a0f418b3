//! Methods that overwrite elements with others, on lists whose type only rustc knows: fields, rows, results of calls.

use chainrule::prelude::*;

use crate::check::table;

const X: [f64; 3] = [1.3, 0.5, 0.8];

#[derive(Clone, Copy, Debug, Differentiable)]
struct Point {
    x: f64,
    y: f64,
}

#[derive(Clone, Debug, Differentiable)]
struct State {
    now: Vec<f64>,
    before: Vec<f64>,
    rows: Vec<Vec<f64>>,
    grid: [[f64; 2]; 2],
    points: Vec<Point>,
    best: Option<f64>,
    pair: (f64, f64),
}

fn state(n: usize) -> State {
    State {
        now: vec![1.0; n],
        before: vec![0.5; n],
        rows: vec![vec![0.0; 2]; 2],
        grid: [[0.0; 2]; 2],
        points: vec![Point { x: 1.0, y: 1.0 }; 2],
        best: None,
        pair: (1.0, 2.0),
    }
}

fn ones(n: usize) -> Vec<f64> {
    vec![1.0; n]
}

#[differentiable]
impl State {
    fn load(&mut self, x: &[f64]) {
        self.now.copy_from_slice(x);
        self.now[0] *= x[1];
        self.now[1..].copy_from_slice(&x[..2]);
    }

    fn reset(&mut self, k: f64) {
        self.before.fill(k * k);
        self.before[1..].fill(k);
    }

    fn step(&mut self, w: &[f64], n: usize) {
        for _ in 0..n {
            let mut next = self.now.clone();
            for i in 0..next.len() {
                next[i] = (w[i] * self.now[i]).tanh();
            }
            self.before.clone_from_slice(&self.now);
            self.now.copy_from_slice(&next);
        }
    }

    fn set_row(&mut self, i: usize, x: &[f64]) {
        self.rows[i].copy_from_slice(x);
        self.grid[i].copy_from_slice(x);
        self.grid[1 - i].fill(x[0]);
    }
}

#[differentiable]
fn loaded(x: &[f64]) -> f64 {
    let mut s = state(3);
    s.load(x);
    let a = s.now[0] * s.now[1];
    s.load(&[a, x[2], x[1]]);
    let b = s.now[0] * s.now[2];
    s.reset(x[1]);
    a + b * s.before[0] * s.before[2]
}

#[differentiable]
fn stepped(x: &[f64], n: usize) -> f64 {
    let mut s = state(3);
    s.load(x);
    s.step(x, n);
    s.now[0] * s.before[1] + s.now[2]
}

#[differentiable]
fn rows(x: &[f64]) -> f64 {
    let mut s = state(2);
    for i in 0..2 {
        s.set_row(i, &x[i..i + 2]);
    }
    s.rows[0][1] * s.rows[1][1] + s.grid[0][0] * s.grid[1][1] * s.grid[1][0]
}

#[differentiable]
fn points(x: &[f64]) -> f64 {
    let mut s = state(2);
    s.points.fill(Point { x: x[0], y: x[1] });
    s.points[0].x *= x[2];
    let copy = s.points.clone();
    s.points[1..].copy_from_slice(&copy[..1]);
    s.points[1].x * s.points[0].y
}

#[differentiable]
fn cloned(x: &[f64]) -> f64 {
    let mut s = state(3);
    s.now.clone_from(&x.to_vec());
    s.before.clone_from(&s.now);
    s.now[0] *= s.before[1];
    s.pair.clone_from(&(x[0], x[1]));
    s.best.clone_from(&Some(x[2]));
    s.rows.clone_from(&vec![x.to_vec(); 3]);
    let mut t = state(1);
    t.clone_from(&s);
    s.now.clear();
    t.now[0] * t.before[1] * t.pair.0 * t.best.unwrap() + t.pair.1 * t.rows[2][1]
}

#[differentiable]
fn results_of_calls(x: &[f64]) -> f64 {
    let mut v = ones(5);
    v[1..4].copy_from_slice(x);
    let mut w = ones(3);
    w.copy_from_slice(&v[..3]);
    let a = v[1] * w[2];
    w.fill(x[0]);
    a * w[1] + v[0]
}

table! {
    loaded: (&X);
    stepped: for n in 0..4, (&X, const n);
    rows: (&X);
    points: (&X);
    cloned: (&X);
    results_of_calls: (&X);
}

//! What is taken out of lists: `drain`, `retain`, `partition`.

use std::collections::VecDeque;

use chainrule::prelude::*;

use crate::check::table;

const X: [f64; 4] = [1.3, 0.5, 0.8, 0.3];

#[differentiable]
fn drained(x: &[f64], n: usize) -> f64 {
    let mut list = x.to_vec();
    list.push(x[0] * x[1]);
    let mut total = 0.0;
    for v in list.drain(..n) {
        total += v * v;
        if total > 2.0 {
            break;
        }
    }
    list.push(total);
    let tail: Vec<f64> = list.drain(1..).collect();
    let sum: f64 = list.drain(..).map(|v| v * total).sum();
    tail[0] * sum + list.len() as f64
}

#[differentiable]
fn dropped(x: &[f64]) -> f64 {
    let mut list = x.to_vec();
    list.drain(..1);
    list.drain(1..=1);
    let mut queue: VecDeque<f64> = x.iter().map(|v| v * v).collect();
    queue.drain(1..3);
    list[0] * list[1] * queue[1]
}

#[derive(Clone, Debug, Differentiable)]
struct Particle {
    weight: f64,
    x: f64,
}

#[derive(Clone, Debug, Differentiable)]
struct Swarm {
    particles: Vec<Particle>,
    pending: Vec<f64>,
    cut: f64,
}

#[differentiable]
impl Swarm {
    fn step(&mut self) -> f64 {
        let mut total = 0.0;
        for v in self.pending.drain(1..) {
            total += v * v;
        }
        let cut = self.cut;
        self.particles.retain(|p| p.weight > cut);
        for p in &self.particles {
            total += p.weight * p.x;
        }
        total * self.pending[0] + self.pending.drain(..).map(|v| v.sin()).sum::<f64>()
    }
}

#[differentiable]
fn of_fields(x: &[f64]) -> f64 {
    let mut swarm = Swarm {
        particles: x
            .iter()
            .map(|v| Particle {
                weight: v * v,
                x: *v,
            })
            .collect(),
        pending: x.to_vec(),
        cut: 0.2,
    };
    let total = swarm.step();
    total * (1 + swarm.particles.len() + swarm.pending.len()) as f64
}

#[differentiable]
fn retained(x: &[f64], n: usize) -> f64 {
    let mut list: Vec<f64> = x.iter().map(|v| v * v).collect();
    let mut queue: VecDeque<f64> = x.iter().copied().collect();
    let mut positions: Vec<usize> = (0..x.len()).collect();
    for _ in 0..n {
        list.retain(|v| *v > 0.2);
        list.push(list[0] * x[3]);
        queue.retain(|&v| v > x[3]);
        positions.retain(|i| x[*i] > 0.4);
    }
    list.retain(|v| *v < -1.0 || *v > 0.1);
    let chosen: f64 = positions.iter().map(|i| x[*i]).product();
    list[0] * list.len() as f64 + queue[1] * queue.len() as f64 + chosen
}

#[differentiable]
fn partitioned(x: &[f64]) -> f64 {
    let (large, small): (Vec<f64>, Vec<f64>) = x.iter().partition(|v| **v > 0.6);
    let (a, b): (Vec<f64>, Vec<f64>) = large.iter().map(|v| v * v).partition(|v| *v > 1.0);
    a[0] * b[0] + small.iter().product::<f64>() * large.len() as f64
}

table! {
    drained: for n in 0..4, (&X, const n);
    dropped: (&X);
    of_fields: (&X);
    retained: for n in 0..4, (&X, const n);
    partitioned: (&X);
}

//! `VecDeque`: windows that slide, queues, what is at both ends; as locals, parameters and fields.

use std::collections::VecDeque;

use chainrule::prelude::*;

use crate::check::{flat, map_table, table};

const X: [f64; 5] = [1.3, 0.5, 0.8, -0.4, 0.9];

#[differentiable]
fn window(x: &[f64], n: usize) -> f64 {
    let mut last: VecDeque<f64> = VecDeque::with_capacity(n);
    let mut total = 0.0;
    for &v in x {
        if last.len() == n {
            last.pop_front();
        }
        last.push_back(v * v);
        let mut sum = 0.0;
        for u in &last {
            sum += u;
        }
        total += sum * v / last.len() as f64;
    }
    total
}

#[differentiable]
fn unannotated_window(x: &[f64], n: usize) -> f64 {
    let mut last = VecDeque::new();
    let mut total = 0.0;
    for &v in x {
        last.push_back(v.sin());
        if last.len() > n {
            last.pop_front();
        }
        total += v * last.iter().sum::<f64>();
    }
    total
}

#[differentiable]
fn from_both_ends(x: &[f64]) -> f64 {
    let mut queue: VecDeque<f64> = x.iter().copied().collect();
    let mut total = 0.0;
    while let Some(v) = queue.pop_front() {
        total += v * v;
        if let Some(u) = queue.pop_back() {
            total += u * v.sin();
            if u > 0.85 {
                queue.push_front(u * 0.5);
            }
        } else {
            total += queue.pop_back().unwrap_or(total);
        }
    }
    total
}

#[differentiable]
fn made_of_lists(x: &[f64]) -> f64 {
    let mut a = VecDeque::from(x.to_vec());
    let mut b = VecDeque::from([x[0], x[1] * x[0]]);
    let c: VecDeque<f64> = vec![x[1]; 2].into();
    a.push_front(x[0] * x[1]);
    b.push_front(x[1] * x[1]);
    b[1] *= c[1];
    let filtered = x.iter().map(|v| v * v).filter(|v| *v > 0.2);
    let filtered = filtered.collect::<VecDeque<_>>();
    let back: Vec<f64> = b.into();
    let again = Vec::from(VecDeque::from(back));
    a[0] * again[0] + again[1] * filtered[0] + again[2] * a.len() as f64
}

#[differentiable]
fn at_the_ends(x: &[f64], n: usize) -> f64 {
    let mut queue: VecDeque<f64> = VecDeque::new();
    for v in &x[..n] {
        queue.push_back(v * v);
    }
    let mut total = queue.back().copied().unwrap_or(x[0]);
    if let Some(v) = queue.front() {
        total += v.sin();
    }
    if let Some(&v) = queue.back() {
        total *= v;
    }
    if let Some(v) = queue.get(1) {
        total += v;
    }
    if let Some(v) = queue.back_mut() {
        *v += x[1];
    }
    if queue.is_empty() {
        return total;
    }
    *queue.front_mut().unwrap() *= x[1];
    total * queue.front().unwrap() + queue.back().unwrap()
}

#[differentiable]
fn extended(x: &[f64]) -> f64 {
    let mut queue: VecDeque<f64> = VecDeque::new();
    queue.extend(x.iter().map(|v| v * v));
    queue.extend(x);
    queue.extend([x[0] * x[1]]);
    let total: f64 = queue.iter().map(|v| v * v).sum();
    queue.clear();
    queue.push_back(total);
    queue[0] * x[0]
}

#[differentiable]
fn rearranged(x: &[f64]) -> f64 {
    let mut a: VecDeque<f64> = x.iter().cloned().collect();
    let mut b = VecDeque::from(vec![x[0] * x[1]]);
    a.append(&mut b);
    a.resize(9, x[1]);
    a.insert(1, x[0].sin());
    let mut total = a.remove(2).unwrap() + a.remove(40).unwrap_or(x[1]);
    let tail = a.split_off(4);
    a.rotate_left(1);
    a.swap(0, 2);
    a.truncate(3);
    for (i, v) in a.iter().enumerate() {
        total += v * (i as f64 + 1.0);
    }
    for (i, v) in tail.iter().enumerate().rev() {
        total *= v.cos() + i as f64;
    }
    total + b.len() as f64
}

#[differentiable]
fn iterated(x: &[f64]) -> f64 {
    let mut queue: VecDeque<f64> = VecDeque::new();
    for v in x {
        queue.push_front(v * v);
    }
    let mean = queue.iter().sum::<f64>() / queue.len() as f64;
    let covariance: f64 = queue.iter().zip(x).map(|(a, b)| (a - mean) * b).sum();
    for v in queue.iter_mut() {
        *v *= covariance;
    }
    for v in &mut queue {
        *v += 1.0;
    }
    let copy = queue.clone();
    let list: Vec<f64> = copy.iter().map(|a| a * mean).collect();
    let mut product = list[0] + list[1];
    for v in queue {
        product *= v;
    }
    product * copy.iter().rev().fold(1.0, |a, b| a * b + 0.5)
}

#[derive(Clone, Debug, Differentiable)]
struct Mean {
    last: VecDeque<f64>,
    #[constant]
    n: usize,
    sum: f64,
}
flat!(Mean { last: VecDeque<f64>, sum: f64 });

#[differentiable]
impl Mean {
    fn new(n: usize) -> Self {
        let last = VecDeque::with_capacity(n);
        Mean { last, n, sum: 0.0 }
    }

    fn push(&mut self, v: f64) -> f64 {
        self.last.push_back(v);
        self.sum += v;
        if self.last.len() > self.n {
            self.sum -= self.last.pop_front().unwrap();
        }
        self.sum / self.last.len() as f64
    }

    fn variance(&self) -> f64 {
        let mean = self.sum / self.last.len() as f64;
        let mut total = 0.0;
        for v in &self.last {
            total += (v - mean) * (v - mean);
        }
        total + self.last.iter().map(|v| (v - mean).powi(2)).sum::<f64>()
    }

    fn ends(&self) -> f64 {
        let mut total = match self.last.front() {
            Some(&v) => v.sin(),
            None => self.sum,
        };
        if let Some(v) = self.last.back() {
            total *= v;
        }
        total + self.last.back().copied().unwrap_or(1.0) * self.last.front().unwrap()
    }

    fn refill(&mut self, x: &[f64]) -> f64 {
        self.last.clear();
        self.last.extend(x);
        self.last.extend(x.iter().map(|v| v * v));
        self.last.rotate_right(1);
        self.last.swap(0, 1);
        let last = self.last.pop_back().unwrap_or(1.0);
        self.last.truncate(3);
        last * self.last[1]
    }
}

#[differentiable]
fn of_fields(x: &[f64]) -> f64 {
    let mut mean = Mean::new(2);
    let mut total = 0.0;
    for v in x {
        total += mean.push(*v) * v;
        total *= 1.0 + mean.variance();
    }
    total + mean.ends() * mean.refill(x) + mean.ends()
}

#[differentiable]
fn pushed_to(mean: &mut Mean, x: f64) -> f64 {
    mean.push(x) * mean.push(x * x)
}

#[differentiable]
fn total(queue: &VecDeque<f64>) -> f64 {
    queue.iter().sum::<f64>() * queue[0]
}

#[differentiable]
fn stepped(queue: &mut VecDeque<f64>, v: f64) -> f64 {
    let first = queue.pop_front().unwrap();
    queue.push_back(v * first);
    first
}

#[differentiable]
fn consumed(mut queue: VecDeque<f64>) -> f64 {
    queue.pop_front().unwrap() * queue[0]
}

#[differentiable]
fn made(x: &[f64]) -> VecDeque<f64> {
    x.iter().map(|v| v * v).collect()
}

#[differentiable]
fn through_calls(x: &[f64], n: usize) -> f64 {
    let mut queue = made(x);
    let mut sum = 0.0;
    for _ in 0..n {
        sum += stepped(&mut queue, x[0]) * queue.back().unwrap();
        queue[1] *= 1.1;
    }
    sum * total(&queue) + consumed(queue)
}

#[derive(Clone, Debug, Differentiable)]
struct Node {
    a: f64,
    b: f64,
}

#[differentiable]
fn of_structs(x: &[f64]) -> f64 {
    let mut queue = VecDeque::new();
    for v in x {
        queue.push_back(Node { a: *v, b: v * v });
    }
    let mut total = 0.0;
    for node in &queue {
        total += node.a * node.b;
    }
    while let Some(node) = queue.pop_front() {
        total += node.a * node.b;
        if node.a > 0.6 {
            queue.push_back(Node {
                a: node.a * 0.5,
                b: node.b,
            });
        }
    }
    total
}

#[differentiable]
fn breadth_first(x: &[f64]) -> f64 {
    let mut queue = VecDeque::new();
    queue.push_back((0_usize, x[0]));
    let mut total = 0.0;
    while let Some((depth, v)) = queue.pop_front() {
        total += v * v;
        if depth < 2 {
            queue.push_back((depth + 1, v * 0.5));
            queue.push_back((depth + 1, v * x[1]));
        }
    }
    total
}

#[differentiable]
fn of_lists(x: &[f64]) -> f64 {
    let mut rows: VecDeque<Vec<f64>> = VecDeque::new();
    for v in x {
        rows.push_back(vec![*v, v * v]);
        if rows.len() > 2 {
            rows.pop_front();
        }
    }
    let mut total = 0.0;
    for row in &rows {
        for v in row {
            total += v * f64::cos(total);
        }
    }
    rows[0][1] = total;
    rows[0][0] * rows[0][1] + rows[1][1]
}

#[differentiable]
fn real<T: Real>(x: &[T]) -> T {
    let mut last: VecDeque<T> = VecDeque::new();
    let mut total = T::zero();
    for v in x {
        last.push_back(*v);
        if last.len() > 2 {
            last.pop_front();
        }
        for u in &last {
            total += *u * *v;
        }
    }
    total
}

#[differentiable]
fn generic(x: &[f64]) -> f64 {
    real(x)
}

/// A queue of positions is no value; a constant queue is read.
#[differentiable]
fn without_tangents(x: &[f64], #[constant] weights: &VecDeque<f64>) -> f64 {
    let mut queue: VecDeque<(usize, usize)> = VecDeque::new();
    let mut order: VecDeque<usize> = (0..x.len()).collect();
    queue.extend([(0, 1), (1, 0)]);
    order.rotate_left(1);
    let mut total = 1.0;
    while let Some((i, j)) = queue.pop_front() {
        total *= x[i] + x[j] * x[j];
    }
    for i in &order {
        total = total * x[*i] + 1.0;
    }
    for w in weights {
        total *= w + x[0];
    }
    total * weights.front().unwrap() + weights[1] * x[1]
}

/// A queue of positions, made of a list, in a search for the cheapest way.
#[differentiable]
fn of_positions(x: &[f64]) -> f64 {
    let mut best = [f64::INFINITY; 4];
    best[0] = 0.0;
    let mut queue = VecDeque::from([0_usize]);
    while let Some(at) = queue.pop_front() {
        for step in 1..3 {
            let next = at + step;
            if next < 4 {
                let cost = best[at] + x[at % 2] * step as f64 + x[1];
                if cost < best[next] {
                    best[next] = cost;
                    queue.push_back(next);
                }
            }
        }
    }
    let order = Vec::from(VecDeque::from(vec![3_usize, 1]));
    best[order[0]] * best[order[1]]
}

table! {
    of_positions: (&[0.3, 0.9]), (&[0.7, 0.1]);
    window: for n in 1..4, (&X, const n), (&X[..1].to_vec(), const n), (&X[..0].to_vec(), const n);
    unannotated_window: for n in 0..4, (&X, const n), (&X[..0].to_vec(), const n);
    from_both_ends: (&X), (&X[..1].to_vec()), (&X[..0].to_vec());
    made_of_lists: (&X);
    at_the_ends: for n in 0..4, (&X, const n);
    extended: (&X);
    rearranged: (&X);
    iterated: (&X);
    of_fields: (&X);
    pushed_to: (&mut Mean { last: VecDeque::from([0.3, 0.9]), n: 2, sum: 1.2 }, 0.7);
    total: (&VecDeque::from([0.3, 0.9, 1.4]));
    stepped: (&mut VecDeque::from([0.3, 0.9, 1.4]), 0.6);
    consumed: (VecDeque::from([0.3, 0.9, 1.4]));
    through_calls: for n in 0..4, (&X, const n);
    of_structs: (&X), (&X[..0].to_vec());
    breadth_first: (&X);
    of_lists: (&X);
    generic: (&X);
    without_tangents: (&X, const &VecDeque::from([0.3, 0.4]));
}

map_table! {
    made: (&X.to_vec()), (&vec![]);
}

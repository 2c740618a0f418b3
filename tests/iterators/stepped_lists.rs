//! Lists of which each trip of a loop makes the next one. Where all of them certainly have one shape, cotangents take it from the first; where lengths
//! may change, from the list that was there.

use chainrule::prelude::*;

use crate::check::{irregular, map_table, table};

/// Rows of these lengths.
fn rows(lengths: &[usize]) -> Vec<Vec<f64>> {
    let rows = lengths.iter().enumerate();
    rows.map(|(i, n)| irregular(*n, 0.3 + 0.1 * i as f64))
        .collect()
}

fn square(n: usize) -> Vec<Vec<f64>> {
    rows(&vec![n; n])
}

#[differentiable]
fn replaced(start: &[Vec<f64>], steps: usize) -> f64 {
    let n = start.len();
    let mut u = start.to_vec();
    for _ in 0..steps {
        let mut next = u.clone();
        for i in 1..n - 1 {
            for j in 1..n - 1 {
                let around = u[i - 1][j] + u[i + 1][j] + u[i][j - 1] * u[i][j + 1];
                next[i][j] = u[i][j] + 0.2 * (around - 4.0 * u[i][j]);
            }
        }
        u = next;
    }
    u.iter().flatten().map(|v| v * v * v).sum()
}

/// The rows have lengths of their own.
#[differentiable]
fn ragged(start: &[Vec<f64>], steps: usize) -> f64 {
    let mut u = start.to_vec();
    for k in 0..steps {
        let mut next = u.clone();
        for i in 1..u.len() {
            for j in 0..u[i].len() {
                next[i][j] = u[i][j] * u[i - 1][j % u[i - 1].len()] + 0.1 * k as f64;
            }
        }
        u = next;
    }
    let mut total = 1.0;
    for row in &u {
        for v in row {
            total += total * v;
        }
    }
    total
}

#[differentiable]
fn swapped(start: &[Vec<f64>], steps: usize) -> f64 {
    let mut u = start.to_vec();
    let mut v = u.clone();
    for k in 0..steps {
        for i in 0..u.len() {
            for j in 1..u[i].len() {
                v[i][j] = u[i][j - 1] * u[i][j] + v[i][j];
            }
        }
        if k % 3 != 1 {
            std::mem::swap(&mut u, &mut v);
        }
    }
    let mut total = 0.0;
    for (u, v) in u.iter().zip(&v) {
        for (u, v) in u.iter().zip(v) {
            total += u * u * v;
        }
    }
    total
}

/// The loop ends early, and a step may be refused.
#[differentiable]
fn left_early(start: &[Vec<f64>], steps: usize, limit: f64) -> f64 {
    let mut u = start.to_vec();
    for k in 0..steps {
        let mut next = u.clone();
        for i in 0..u.len() {
            for j in 0..u[i].len() {
                next[i][j] = u[i][j] * u[i][j] + 0.3;
            }
        }
        if next[0][0] > limit {
            break;
        }
        if k == 1 {
            continue;
        }
        if next[0][1] > 1e6 {
            return next[0][1] * limit;
        }
        u = next;
    }
    u[0][0] * u[1][1] * limit
}

/// Lengths change: of the list, of a row, and by a list from elsewhere.
#[differentiable]
fn growing(start: &[Vec<f64>], steps: usize) -> f64 {
    let mut u = start.to_vec();
    for k in 0..steps {
        let mut next = u.clone();
        for i in 0..u.len() {
            let s = u[i][0] * u[i][u[i].len() - 1];
            next[i].push(s);
        }
        if k == 1 {
            next.push(vec![u[0][0]; 2]);
        }
        if k == 2 {
            next = vec![vec![u[1][1] * u[0][0]; 3]; 2];
        }
        u = next;
    }
    let mut total = 0.0;
    for row in &u {
        for v in row {
            total += v.sin() * v;
        }
    }
    total
}

/// Two lists of other lengths take turns.
#[differentiable]
fn of_two_lengths(a: &[f64], b: &[f64], steps: usize) -> f64 {
    let mut u = a.to_vec();
    let mut v = b.to_vec();
    for _ in 0..steps {
        let mut next = v.clone();
        for i in 0..next.len() {
            next[i] *= u[i % u.len()];
        }
        v = u;
        u = next;
    }
    u.iter().sum::<f64>() * v.iter().map(|v| v * v).sum::<f64>()
}

/// The list that gives the shape is made anew in each trip of an outer loop.
#[differentiable]
fn in_a_loop(x: &[f64], steps: usize) -> f64 {
    let mut total = 0.0;
    for n in 0..x.len() {
        let mut u = vec![x[n]; n];
        for k in 0..steps {
            let mut next = u.clone();
            for i in 1..n {
                next[i] = u[i - 1] * x[i] + u[i] * k as f64;
            }
            u = next;
        }
        for v in &u {
            total += v * v * x[0];
        }
    }
    total
}

#[differentiable]
fn chosen(start: &[Vec<f64>], steps: usize) -> f64 {
    let mut u = start.to_vec();
    for k in 0..steps {
        let mut next = u.clone();
        next[0][0] = u[1][0] * u[0][1];
        let other = start.to_vec();
        u = if u[0][0] > 0.5 && k < 2 { next } else { other };
        u[1][1] *= u[0][0];
    }
    u[0][0] * u[1][1]
}

/// The argument is the function's own.
#[differentiable]
fn owned(mut u: Vec<Vec<f64>>, steps: usize) -> Vec<Vec<f64>> {
    for _ in 0..steps {
        let mut next = u.clone();
        for i in 0..u.len() {
            for j in 0..u[i].len() {
                next[i][j] = u[i][j] * u[0][0];
            }
        }
        u = next;
    }
    u
}

/// The memory of the caller is replaced.
#[differentiable]
fn of_the_caller(u: &mut Vec<f64>, w: &[f64], steps: usize) -> f64 {
    for _ in 0..steps {
        let mut next = u.clone();
        for i in 1..next.len() {
            next[i] = u[i - 1] * w[i] * u[i];
        }
        *u = next;
    }
    u[0] * w[0]
}

/// A pullback is kept for each call.
#[differentiable]
fn called(start: &[Vec<f64>], n: usize) -> f64 {
    let mut total = 1.0;
    for k in 0..n {
        total *= ragged(start, k) + total;
        let y = owned(start.to_vec(), k);
        total += y[0][0];
    }
    total
}

#[derive(Clone, Debug, Differentiable)]
struct Grid {
    n: usize,
    wraps: bool,
    u: Vec<f64>,
}

#[differentiable]
fn step(from: &Grid, to: &mut Grid) {
    for i in 1..from.n {
        to.u[i] = from.u[i - 1] * from.u[i] + to.u[0];
    }
}

/// The fields of both grids are those of one.
#[differentiable]
fn grids_in_turns(x: &[f64], steps: usize) -> f64 {
    let start = Grid {
        n: x.len(),
        wraps: x.len() > 2,
        u: x.to_vec(),
    };
    let mut u = start.clone();
    let mut next = start.clone();
    for _ in 0..steps {
        for i in 1..u.n {
            next.u[i] = u.u[i] * u.u[(i + 1) % next.n] + u.u[i - 1];
        }
        if u.wraps {
            next.u[0] = u.u[u.n - 1];
        }
        std::mem::swap(&mut u, &mut next);
    }
    let mut total = 0.0;
    for i in 0..u.n {
        total += u.u[i] * next.u[i];
    }
    total * start.u[0]
}

/// A field, the list, or all of it is another one in some trip.
#[differentiable]
fn grids_that_change(x: &[f64], steps: usize) -> f64 {
    let start = Grid {
        n: x.len(),
        wraps: false,
        u: x.to_vec(),
    };
    let mut u = start.clone();
    for k in 0..steps {
        let mut next = u.clone();
        for i in 1..u.n {
            next.u[i] = u.u[i] * u.u[i - 1];
        }
        if k == 0 {
            next.n -= 1;
        }
        if k == 1 {
            next.u.push(u.u[0] * u.u[1]);
            next.wraps = true;
        }
        if u.wraps {
            next.u[0] = u.u[u.n];
        }
        u = next;
    }
    u.u[u.n - 1] * u.u[0] + u.u[u.u.len() - 1]
}

/// A clone whose fields are others.
#[derive(Debug, Differentiable)]
struct Shrinking {
    n: usize,
    u: Vec<f64>,
}

impl Clone for Shrinking {
    fn clone(&self) -> Shrinking {
        Shrinking {
            n: self.n - 1,
            u: self.u.clone(),
        }
    }
}

#[differentiable]
fn clones_of_ones_own(x: &[f64], steps: usize) -> f64 {
    let start = Shrinking {
        n: x.len(),
        u: x.to_vec(),
    };
    let mut u = start.clone();
    let mut next = start.clone();
    for _ in 0..steps {
        for i in 0..u.n {
            next.u[i] = u.u[i] * u.u[i];
        }
        u = next.clone();
    }
    u.u[0] * u.u[2] + u.n as f64 * u.u[1]
}

/// The same for an enum.
#[derive(Debug, Differentiable)]
enum Stage {
    Fresh(f64),
    Copied(f64, usize),
}

impl Clone for Stage {
    fn clone(&self) -> Stage {
        match self {
            Stage::Fresh(x) => Stage::Fresh(*x),
            Stage::Copied(x, times) => Stage::Copied(*x, times + 1),
        }
    }
}

#[differentiable]
fn variants_of_ones_own(x: f64) -> f64 {
    let stage = if x > 1.0 {
        Stage::Fresh(x)
    } else {
        Stage::Copied(x, 1)
    };
    match stage.clone() {
        Stage::Fresh(x) => x * x,
        Stage::Copied(x, times) => x * x * times as f64,
    }
}

/// The same with a parameter.
#[derive(Debug, Differentiable)]
struct Counted<T> {
    count: usize,
    entry: T,
}

impl<T: Clone> Clone for Counted<T> {
    fn clone(&self) -> Self {
        Counted {
            count: self.count + 1,
            entry: self.entry.clone(),
        }
    }
}

#[differentiable]
fn counted_clones(x: f64) -> f64 {
    let first = Counted {
        count: 1,
        entry: x * x,
    };
    let second = first.clone();
    let third = second.clone();
    third.count as f64 * third.entry
}

/// Clones that are written field by field.
#[derive(Debug, Differentiable)]
enum Piece {
    Line(f64),
    Curve { by: f64, knots: Box<Vec<f64>> },
    Nothing,
}

impl Clone for Piece {
    fn clone(&self) -> Self {
        match self {
            Piece::Line(slope) => Piece::Line(*slope),
            Self::Curve { by, knots: all } => {
                let knots = Box::new(all.iter().copied().collect());
                Self::Curve { by: *by, knots }
            }
            Piece::Nothing => Piece::Nothing,
        }
    }
}

#[derive(Debug, Differentiable)]
struct Scaled<T>(T, f64);

impl<T: Clone> Clone for Scaled<T> {
    fn clone(&self) -> Self {
        Scaled(self.0.clone(), self.1)
    }
}

#[differentiable]
fn clones_by_fields(x: f64, kind: usize) -> f64 {
    let piece = match kind {
        0 => Piece::Line(x * x),
        1 => Piece::Curve {
            by: x,
            knots: Box::new(vec![x, x * x]),
        },
        _ => Piece::Nothing,
    };
    let first = Scaled(piece, x);
    let Scaled(second, by) = first.clone();
    let of_second = match &second {
        Piece::Line(slope) => *slope,
        Piece::Curve { by, knots } => by * knots[0] * knots[1],
        Piece::Nothing => 1.0,
    };
    let of_first = match first.0.clone() {
        Piece::Line(slope) => slope * x,
        Piece::Curve { by, knots } => by - knots[1],
        Piece::Nothing => x,
    };
    by * of_second * of_first
}

#[differentiable]
fn grids_lent(x: &[f64], steps: usize) -> f64 {
    let mut u = Grid {
        n: x.len(),
        wraps: false,
        u: x.to_vec(),
    };
    let mut next = u.clone();
    for _ in 0..steps {
        step(&u, &mut next);
        std::mem::swap(&mut u, &mut next);
    }
    u.u[u.n - 1] * next.u[1]
}

/// Lengths of lists that take turns.
#[differentiable]
fn lengths_in_turns(a: &[f64], steps: usize) -> f64 {
    let mut u = a.to_vec();
    let mut v = a.to_vec();
    for _ in 0..steps {
        for i in 1..u.len() {
            v[i] = u[i] * u[i - 1] / v.len() as f64;
        }
        std::mem::swap(&mut u, &mut v);
    }
    u.iter().zip(&v).map(|(u, v)| u * v).sum::<f64>() * u.len() as f64
}

table! {
    grids_in_turns: for steps in 0..4, (&irregular(3, 0.4), const steps), (&irregular(2, 0.4), const 2);
    grids_that_change: for steps in 0..4, (&irregular(4, 0.4), const steps);
    clones_of_ones_own: for steps in 0..3, (&irregular(5, 0.4), const steps);
    variants_of_ones_own: (0.7), (1.7);
    counted_clones: (0.7);
    clones_by_fields: for kind in 0..3, (0.7, const kind);
    grids_lent: for steps in 0..4, (&irregular(3, 0.4), const steps);
    lengths_in_turns: for steps in 0..4, (&irregular(3, 0.4), const steps), (&irregular(0, 0.4), const 2);
    replaced: for steps in 0..4, (&square(4), const steps);
    ragged: for steps in 0..4, (&rows(&[2, 1, 3]), const steps);
    swapped: for steps in 0..4, (&rows(&[2, 0, 3]), const steps);
    left_early: for steps in 0..4, (&square(2), const steps, 50.0), (&square(2), const 3, 0.6);
    growing: for steps in 0..4, (&square(2), const steps);
    of_two_lengths: for steps in 0..4, (&irregular(3, 0.3), &irregular(2, 0.4), const steps);
    in_a_loop: for steps in 0..3, (&irregular(4, 0.3), const steps);
    chosen: for steps in 0..4, (&square(2), const steps);
    of_the_caller: for steps in 0..3, (&mut irregular(3, 0.4), &irregular(3, 0.6), const steps);
    called: (&rows(&[2, 1]), const 3);
}

map_table! {
    owned: for steps in 0..3, (rows(&[2, 1]), const steps);
}

#[test]
fn no_rows() {
    let none: [Vec<f64>; 0] = [];
    assert_eq!(ragged::value_and_gradient(&none, 3), (1.0, vec![]));
    let empty = [vec![], vec![]];
    let (value, gradient) = swapped::value_and_gradient(&empty, 3);
    assert_eq!((value, gradient), (0.0, empty.to_vec()));
}

//! Where something is in a list: `partition_point`, `position`, `binary_search_by`; ranges that contain a number.

use chainrule::prelude::*;

use crate::check::{flat, table};

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Grid {
    t: Vec<f64>,
    y: Vec<f64>,
    bounds: Bounds,
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Bounds {
    lo: f64,
    hi: f64,
}

flat!(Bounds { lo: f64, hi: f64 });
flat!(Grid { t: Vec<f64>, y: Vec<f64>, bounds: Bounds });

fn grid() -> Grid {
    Grid {
        t: vec![0.0, 1.0, 2.5, 4.0],
        y: vec![0.3, 1.1, 0.2, -0.7],
        bounds: Bounds { lo: 0.5, hi: 2.0 },
    }
}

#[differentiable]
fn interpolated(t: &[f64], y: &[f64], x: f64) -> f64 {
    let i = t.partition_point(|&a| a < x).clamp(1, t.len() - 1);
    let w = (x - t[i - 1]) / (t[i] - t[i - 1]);
    y[i - 1] * (1.0 - w) + y[i] * w
}

#[differentiable]
fn interpolated_in_fields(grid: &Grid, x: f64) -> f64 {
    let i = grid.t.partition_point(|&a| a < x);
    let i = i.clamp(1, grid.t.len() - 1);
    let w = (x - grid.t[i - 1]) / (grid.t[i] - grid.t[i - 1]);
    grid.y[i - 1] * (1.0 - w) + grid.y[i] * w
}

#[differentiable]
fn inserted_in_order(x: &[f64], a: f64) -> f64 {
    let mut v: Vec<f64> = Vec::new();
    for &b in x {
        let at = v.partition_point(|&t| t <= b);
        v.insert(at, b * a);
    }
    let mut s = 0.0;
    for (i, b) in v.iter().enumerate() {
        s += b * b * i as f64;
    }
    s
}

#[differentiable]
fn first_window(grid: &Grid, x: f64) -> f64 {
    let i = grid
        .t
        .windows(2)
        .position(|w| w[0] <= x && x < w[1])
        .unwrap_or(0);
    grid.y[i] * x + grid.t[i] * grid.t[i + 1]
}

#[differentiable]
fn window_or_return(grid: &mut Grid, x: f64) -> f64 {
    grid.t.push(9.0 * x);
    let i = match grid.t.windows(2).position(|w| w[0] <= x && x < w[1]) {
        Some(i) => i,
        None => return x * grid.y[0],
    };
    grid.y[i] * x + grid.t[i] * grid.t[i + 1]
}

#[differentiable]
fn window_of_a_slice(t: &[f64], x: f64) -> Option<f64> {
    let i = t.windows(2).position(|w| w[0] <= x && x < w[1])?;
    if let Some(k) = t.iter().position(|&a| a > 3.0 * x) {
        return Some(t[k] * t[i] * x);
    }
    Some(t[i] * x)
}

#[differentiable]
fn searched(t: &[f64], y: &[f64], x: f64) -> f64 {
    match t.binary_search_by(|a| a.partial_cmp(&x).unwrap()) {
        Ok(i) => y[i] * x,
        Err(i) => y[i.min(y.len() - 1)] * x * x,
    }
}

#[differentiable]
fn penalized(x: &[f64], lo: f64, hi: f64) -> f64 {
    let mut s = 0.0;
    for &v in x {
        if (lo..=hi).contains(&v) {
            s += v * v;
        } else if !(..hi).contains(&v.exp()) {
            s -= v * lo;
        }
    }
    s
}

#[differentiable]
fn in_fields(grid: &Grid, x: f64) -> f64 {
    if (grid.bounds.lo..=grid.bounds.hi).contains(&x) {
        x * x * grid.bounds.lo
    } else if (0.0..grid.bounds.lo).contains(&grid.y[0]) {
        x * grid.y[0]
    } else {
        grid.bounds.hi * x
    }
}

#[differentiable]
fn checked(x: &[f64], lo: f64) -> Option<f64> {
    assert!((0.0..=10.0).contains(&lo));
    if !x.iter().all(|v| (lo..).contains(v)) {
        return None;
    }
    let inside = (1.0..2.0).contains(&x[0]);
    Some(if inside { x[0] * lo } else { x[0] * x[0] })
}

#[differentiable]
fn generic<T: Real>(x: T, lo: T, hi: T) -> T {
    if (lo..hi).contains(&x) { x * x } else { x * lo }
}

#[differentiable]
fn of_a_generic(x: f64) -> f64 {
    generic(x, 0.5, 1.0) * x
}

#[differentiable]
fn window_or_none(t: &[f64], x: f64) -> f64 {
    window_of_a_slice(t, x).unwrap_or(x * x)
}

#[differentiable]
fn checked_or(x: &[f64], lo: f64) -> f64 {
    checked(x, lo).unwrap_or(lo * lo)
}

fn knots() -> Vec<f64> {
    grid().t
}

table! {
    interpolated: for x in [-0.5, 0.4, 1.7, 3.9, 4.5], (&knots(), &grid().y, x);
    interpolated_in_fields: for x in [-0.5, 0.4, 1.7, 3.9, 4.5], (&grid(), x);
    inserted_in_order: (&vec![], 0.7), (&vec![0.9, 0.3, 0.5, 1.4], 0.7);
    first_window: for x in [-0.5, 0.4, 1.7, 4.5], (&grid(), x);
    window_or_return: for x in [-0.5, 0.4, 1.7, 4.5], (&mut grid(), x);
    window_or_none: for x in [-0.5, 0.4, 1.7, 4.5], (&knots(), x);
    searched: for x in [-0.5, 0.4, 1.7, 4.5], (&knots(), &grid().y, x);
    penalized: (&vec![0.7, 1.3, 0.1, 2.2], 0.5, 1.5), (&vec![], 0.5, 1.5);
    in_fields: for x in [0.2, 0.9, 2.4], (&grid(), x);
    checked_or: (&vec![0.7, 1.3], 0.5), (&vec![1.7, 1.3], 0.5), (&vec![0.7, 1.3], 0.9);
    of_a_generic: for x in [0.2, 0.7, 2.4], (x);
}

//! Iterator chains: each adapter and each end at no, one, two and three elements.

use chainrule::prelude::*;

use crate::check::{flat, map_table, table};

const X: [f64; 5] = [0.7, 1.9, -0.4, 1.3, 2.2];
const Y: [f64; 5] = [1.1, -0.6, 0.8, 0.3, -1.7];

fn x(n: usize) -> Vec<f64> {
    X[..n].to_vec()
}

fn y(n: usize) -> Vec<f64> {
    Y[..n].to_vec()
}

#[differentiable]
fn square(x: f64) -> f64 {
    x * x
}

// ---- Sums and products. ----------------------------------------------------------------------------------------------

#[differentiable]
fn sum(x: &[f64]) -> f64 {
    x.iter().sum()
}

#[differentiable]
fn sum_annotated(x: &[f64], a: f64) -> f64 {
    let total: f64 = x.iter().copied().sum();
    total * a
}

#[differentiable]
fn product(x: &[f64]) -> f64 {
    x.iter().product::<f64>()
}

#[differentiable]
fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(a, b)| a * b).sum::<f64>()
}

#[differentiable]
fn dot_by_zip(x: &[f64], y: &[f64]) -> f64 {
    std::iter::zip(x, y).map(|(a, b)| a * b).sum()
}

#[differentiable]
fn dot_by_values(x: &[f64], y: &[f64]) -> f64 {
    x.iter()
        .copied()
        .zip(y.iter().copied())
        .map(|(a, b)| a * b)
        .sum()
}

#[differentiable]
fn sum_of_squares(x: &[f64]) -> f64 {
    x.iter().map(|&x| x * x).sum()
}

#[differentiable]
fn by_index(x: &[f64], n: usize) -> f64 {
    (0..n).map(|i| x[i] * x[n - 1 - i]).sum()
}

#[differentiable]
fn single(x: &[f32], a: f32) -> f32 {
    x.iter().map(|x| x * a).sum::<f32>() + x.iter().product::<f32>()
}

#[differentiable]
fn in_an_expression(x: &[f64], y: &[f64]) -> f64 {
    let mean = x.iter().sum::<f64>() / (x.len() as f64 + 1.0);
    let spread = x.iter().map(|v| (v - mean).powi(2)).sum::<f64>().sqrt();
    mean * y.iter().map(|v| v * spread).sum::<f64>() + (spread + 1.0).ln()
}

#[differentiable]
fn functions_by_name(x: &[f64]) -> f64 {
    let twice = |v: f64| v + v;
    x.iter().copied().map(square).map(f64::sin).map(twice).sum()
}

// ---- Adapters. -------------------------------------------------------------------------------------------------------

#[differentiable]
fn filtered(x: &[f64], a: f64) -> f64 {
    x.iter().filter(|v| **v > 0.5).map(|v| v * a).sum()
}

#[differentiable]
fn filtered_by_pattern(x: &[f64], a: f64) -> f64 {
    x.iter().filter(|&&v| v > 0.5).sum::<f64>()
        * x.iter().copied().filter(|&v| v < a).product::<f64>()
}

#[differentiable]
fn filtered_after_map(x: &[f64], a: f64) -> f64 {
    x.iter()
        .map(|v| v * a)
        .filter(|t| *t > 0.5)
        .map(f64::ln)
        .sum()
}

#[differentiable]
fn filter_mapped(x: &[f64], a: f64) -> f64 {
    x.iter()
        .filter_map(|v| if *v > 0.5 { Some(v.ln() * a) } else { None })
        .sum()
}

/// The `Option` comes from elsewhere.
#[differentiable]
fn filter_mapped_options(x: &[Option<f64>], a: f64) -> f64 {
    x.iter()
        .copied()
        .filter_map(|v| v)
        .map(|v| v * a)
        .sum::<f64>()
}

#[differentiable]
fn optional_ends(x: &[f64], a: f64) -> f64 {
    let largest = match x.iter().copied().max_by(f64::total_cmp) {
        Some(v) => v * a,
        None => a,
    };
    if let Some(v) = x.iter().map(|v| v * a).reduce(|p, q| p * q) {
        largest * v
    } else {
        largest
    }
}

#[differentiable]
fn enumerated(x: &[f64], a: f64) -> f64 {
    x.iter()
        .enumerate()
        .map(|(i, v)| v * a.powi(i as i32))
        .sum()
}

#[differentiable]
fn enumerated_as_one(x: &[f64], a: f64) -> f64 {
    x.iter()
        .enumerate()
        .filter(|p| p.0 != 1)
        .map(|p| p.1 * a * p.0 as f64)
        .sum()
}

#[differentiable]
fn filtered_then_enumerated(x: &[f64]) -> f64 {
    x.iter()
        .filter(|v| **v > 0.0)
        .enumerate()
        .map(|(i, v)| v * v * (i as f64 + 1.0))
        .sum()
}

#[differentiable]
fn skipped(x: &[f64]) -> f64 {
    x.iter().skip(1).map(|v| v * v).sum::<f64>() + x.iter().skip(7).sum::<f64>()
}

#[differentiable]
fn taken(x: &[f64], n: usize) -> f64 {
    x.iter().take(n).product::<f64>() + x.iter().skip(1).take(n).map(|v| v * v).sum::<f64>()
}

#[differentiable]
fn differences(x: &[f64]) -> f64 {
    x.iter()
        .zip(x.iter().skip(1))
        .map(|(a, b)| (b - a) * (b - a))
        .sum()
}

#[differentiable]
fn reversed(x: &[f64], a: f64) -> f64 {
    x.iter().rev().fold(0.0, |acc, c| acc * a + c)
}

#[differentiable]
fn reversed_with_index(x: &[f64], a: f64) -> f64 {
    x.iter()
        .enumerate()
        .rev()
        .fold(a, |acc, (i, c)| acc * c + i as f64)
}

#[differentiable]
fn index_of_reversed(x: &[f64], a: f64) -> f64 {
    x.iter()
        .rev()
        .enumerate()
        .map(|(i, c)| c * a.powi(i as i32))
        .sum()
}

#[differentiable]
fn reversed_then_skipped(x: &[f64], a: f64) -> f64 {
    x.iter().rev().skip(1).take(2).fold(a, |acc, c| acc * c + a)
}

#[differentiable]
fn reversed_range(x: &[f64]) -> f64 {
    (0..x.len()).rev().fold(1.0, |acc, i| acc * x[i] + i as f64)
}

#[differentiable]
fn stepped(x: &[f64], n: usize) -> f64 {
    x.iter().step_by(n).product::<f64>()
        + (1..x.len())
            .step_by(n)
            .map(|i| x[i] * x[i - 1])
            .sum::<f64>()
}

#[differentiable]
fn stepped_with_index(x: &[f64]) -> f64 {
    x.iter()
        .step_by(2)
        .zip(x.iter().skip(1).step_by(2))
        .enumerate()
        .map(|(i, (a, b))| a * b * (i + 1) as f64)
        .sum()
}

#[differentiable]
fn chained(x: &[f64], y: &[f64]) -> f64 {
    x.iter().chain(y).fold(1.0, |acc, v| acc * 0.5 + v * v)
}

#[differentiable]
fn chained_then_taken(x: &[f64], y: &[f64], n: usize) -> f64 {
    x.iter()
        .chain(y.iter())
        .take(n)
        .fold(1.0, |acc, v| acc * v + 0.5)
}

#[differentiable]
fn chained_then_skipped(x: &[f64], y: &[f64], n: usize) -> f64 {
    x.iter().chain(y).skip(n).step_by(2).map(|v| v * v).sum()
}

#[differentiable]
fn chained_backwards(x: &[f64], y: &[f64]) -> f64 {
    x.iter().chain(y).rev().fold(1.0, |acc, v| acc * v + 0.5)
}

#[differentiable]
fn with_an_endless_range(x: &[f64], a: f64) -> f64 {
    x.iter().zip(1..).map(|(v, k)| v * a.powi(k)).sum::<f64>()
        + (0..).zip(x).map(|(k, v)| v * k as f64).sum::<f64>()
}

#[differentiable]
fn repeated(x: &[f64], a: f64, n: usize) -> f64 {
    x.iter()
        .zip(std::iter::repeat(a))
        .map(|(v, a)| v * a)
        .sum::<f64>()
        + std::iter::repeat_n(a, n).product::<f64>()
        + x.iter().copied().chain(std::iter::once(a)).product::<f64>()
}

#[differentiable]
fn inspected(x: &[f64]) -> f64 {
    let mut seen = 0;
    let total: f64 = x.iter().inspect(|_| seen += 1).map(|v| v * v).sum();
    total * seen as f64
}

#[differentiable]
fn taken_while(x: &[f64], a: f64) -> f64 {
    x.iter()
        .take_while(|v| **v > 0.0)
        .map(|v| v * a)
        .sum::<f64>()
        + x.iter()
            .map(|v| v * a)
            .take_while(|v| *v < 1.5)
            .product::<f64>()
}

#[differentiable]
fn skipped_while(x: &[f64], a: f64) -> f64 {
    x.iter()
        .skip_while(|v| **v > 0.0)
        .map(|v| v * a)
        .sum::<f64>()
}

#[differentiable]
fn mapped_while(x: &[f64], a: f64) -> f64 {
    x.iter()
        .map_while(|v| if *v > 0.0 { Some(v.sqrt() * a) } else { None })
        .sum()
}

#[differentiable]
fn scanned(x: &[f64], a: f64) -> f64 {
    x.iter()
        .scan(a, |state, v| {
            *state = *state * v + a;
            Some(*state * *state)
        })
        .sum()
}

#[differentiable]
fn scanned_until(x: &[f64], a: f64) -> f64 {
    x.iter()
        .scan(1.0, |p, v| {
            *p *= v * a;
            if *p > 0.0 { Some(*p) } else { None }
        })
        .map(f64::sqrt)
        .sum()
}

#[differentiable]
fn flat_mapped(x: &[f64], y: &[f64]) -> f64 {
    (0..x.len())
        .flat_map(|i| (0..y.len()).map(move |j| x[i] * y[j] * (i + 2 * j) as f64))
        .sum()
}

#[differentiable]
fn flat_mapped_and_taken(x: &[f64], n: usize) -> f64 {
    x.iter()
        .flat_map(|v| {
            let twice = v * 2.0;
            x.iter().map(move |w| w * twice)
        })
        .take(n)
        .fold(1.0, |acc, v| acc * 0.5 + v)
}

/// What ends an inner iterator doesn't end the outer one.
#[differentiable]
fn flat_mapped_with_ends(x: &[f64], n: usize) -> f64 {
    let taken: f64 = (0..x.len())
        .flat_map(|i| {
            x.iter()
                .filter(|v| **v > 0.0)
                .take(2)
                .map(move |v| v * x[i])
        })
        .take(n)
        .sum();
    let ended: f64 = x
        .iter()
        .flat_map(|v| x.iter().take_while(|w| **w > 0.0).map(move |w| w * v))
        .sum();
    let mut total = taken * ended;
    for v in x.iter().flat_map(|v| [v * v, v + 1.0]) {
        if v > 3.0 {
            continue;
        }
        if v < 0.2 {
            break;
        }
        total = total * 0.5 + v;
    }
    total
}

#[differentiable]
fn endless(x: f64, limit: f64) -> f64 {
    let mut z = x;
    for k in 1.. {
        z = z * z + x / k as f64;
        if z > limit {
            break;
        }
    }
    let powers = (1..)
        .map(|k| x.powi(k))
        .take_while(|v| *v > 0.05)
        .fold(1.0, |p, v| p * (1.0 + v));
    z + powers + (0..).take(3).map(|k| x * k as f64).product::<f64>()
}

#[differentiable]
fn nested(x: &[f64], n: usize) -> f64 {
    (0..n)
        .map(|i| (0..=i).map(|j| x[i] * x[j]).sum::<f64>().sin())
        .sum()
}

#[differentiable]
fn chunked(x: &[f64]) -> f64 {
    x.chunks(2).map(|c| c.iter().product::<f64>()).sum::<f64>()
        + x.chunks_exact(2).map(|c| c[0] * c[0] * c[1]).sum::<f64>()
        + x.windows(2).map(|w| w[1] * w[0] - w[0]).sum::<f64>()
}

#[differentiable]
fn rows(x: &[Vec<f64>]) -> f64 {
    x.iter()
        .map(|row| row.iter().map(|v| v * v).sum::<f64>())
        .product::<f64>()
        + x.iter().flatten().sum::<f64>()
        + x.iter().flat_map(|row| row.iter()).product::<f64>()
}

#[differentiable]
fn array(x: [f64; 3], a: f64) -> f64 {
    x.iter().map(|v| v * a).sum::<f64>() * x.into_iter().product::<f64>()
}

#[differentiable]
fn mapped_array(x: [f64; 3], a: f64) -> f64 {
    let mut k = 0.0;
    let scaled = x.map(|v| {
        k += 1.0;
        v * a * k
    });
    let twice = |v: f64| v + v;
    let squares = scaled.map(square).map(twice);
    let ones = [1, 2, 3].map(|k| k * 2);
    scaled[0] * squares[1] + squares[2] * ones[1] as f64
}

#[differentiable]
fn map_of_an_array(x: &[f64; 2]) -> [f64; 2] {
    x.map(f64::sin).map(|v| v * x[0])
}

// ---- Ends. -----------------------------------------------------------------------------------------------------------

#[differentiable]
fn folded(x: &[f64], a: f64) -> f64 {
    x.iter().fold(a, |acc, v| (acc * v).sin() + a)
}

#[differentiable]
fn folded_pair(x: &[f64]) -> f64 {
    let (sum, squares) = x.iter().fold((0.0, 1.0), |(s, q), v| (s + v, q * v + s));
    sum * squares
}

#[differentiable]
fn folded_pair_by_name(x: &[f64], a: f64) -> f64 {
    let p = x.iter().fold((a, 1.0), |acc, v| {
        if *v > 0.0 {
            (acc.0 * v, acc.1 + acc.0)
        } else {
            (acc.1, acc.0)
        }
    });
    p.0 * p.1
}

#[differentiable]
fn largest(x: &[f64]) -> f64 {
    x.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

#[differentiable]
fn smallest(x: &[f64], a: f64) -> f64 {
    x.iter().fold(f64::INFINITY, |m, v| m.min(v * a))
}

#[differentiable]
fn for_each(x: &[f64], a: f64) -> f64 {
    let mut total = a;
    x.iter().for_each(|v| total = total * v + a);
    total
}

#[differentiable]
fn for_each_mut(x: &mut [f64], a: f64) -> f64 {
    x.iter_mut().for_each(|v| *v *= a);
    x.iter_mut()
        .enumerate()
        .for_each(|(i, v)| *v += a * i as f64);
    x.iter().product()
}

#[differentiable]
fn for_each_zipped(x: &mut [f64], y: &[f64]) -> f64 {
    x.iter_mut().zip(y).for_each(|(v, w)| *v = *v * w + *w);
    x.iter_mut()
        .filter(|v| **v > 0.0)
        .for_each(|v| *v = *v * *v);
    x.iter().sum()
}

#[differentiable]
fn tests_and_counts(x: &[f64], a: f64) -> f64 {
    let mut scale = a;
    if x.iter().any(|v| *v < 0.0) {
        scale *= a;
    }
    if x.iter().all(|v| v * a > 0.5) {
        scale += 1.0;
    }
    let above = x.iter().filter(|v| **v > 1.0).count();
    let first = x.iter().position(|v| *v > 1.5).unwrap_or(7);
    scale * (above as f64 + first as f64) * x.iter().sum::<f64>()
}

/// A captured variable counts how far `any` and `all` got.
#[differentiable]
fn stops_early(x: &[f64], a: f64) -> f64 {
    let mut product = a;
    let found = x.iter().any(|v| {
        product *= v;
        *v < 0.0
    });
    let all = x.iter().all(|v| {
        product += v;
        *v > 0.0
    });
    if found && !all {
        product
    } else {
        product * product
    }
}

#[differentiable]
fn best(x: &[f64], a: f64) -> f64 {
    let largest = x.iter().max_by(|a, b| a.total_cmp(b)).unwrap();
    let smallest = x
        .iter()
        .copied()
        .min_by(|a, b| a.partial_cmp(b).unwrap())
        .unwrap();
    let far = x
        .iter()
        .map(|v| (v - a).abs())
        .max_by(f64::total_cmp)
        .unwrap();
    largest * smallest * a + far * far
}

#[differentiable]
fn best_of_none(x: &[f64], a: f64) -> f64 {
    let largest = x.iter().copied().max_by(f64::total_cmp).unwrap_or(a);
    largest * largest + x.iter().map(|v| v * a).reduce(f64::min).unwrap_or(0.5)
}

#[differentiable]
fn place_of_the_best(x: &[f64], a: f64) -> f64 {
    let (k, v) = x
        .iter()
        .enumerate()
        .max_by(|a, b| a.1.total_cmp(b.1))
        .unwrap();
    v * a * (k as f64 + 1.0)
}

#[differentiable]
fn found(x: &[f64], a: f64) -> f64 {
    let first = x.iter().find(|v| **v > 1.0).copied().unwrap_or(a);
    let last = x.iter().rev().find(|v| **v > 1.0).copied().unwrap_or(0.5);
    let end = x.iter().last().copied().unwrap_or(a * a);
    let second = *x.iter().chain(&[1.5, 2.5]).nth(1).unwrap();
    first * last + end * second
}

#[differentiable]
fn reduced(x: &[f64], a: f64) -> f64 {
    x.iter()
        .copied()
        .reduce(|acc, v| acc * v + a)
        .unwrap_or(a * a)
}

#[differentiable]
fn collected_and_used(x: &[f64], a: f64) -> f64 {
    let scaled: Vec<f64> = x.iter().map(|v| v * a).collect();
    let squares = scaled.iter().map(|v| v * v).collect::<Vec<_>>();
    scaled.iter().zip(&squares).map(|(a, b)| a * b).sum()
}

#[differentiable]
fn normalised(x: &[f64]) -> Vec<f64> {
    let total: f64 = x.iter().map(|v| v.exp()).sum();
    x.iter().map(|v| v.exp() / total).collect()
}

#[differentiable]
fn cumulative(x: &[f64]) -> Vec<f64> {
    let mut total = 1.0;
    x.iter()
        .map(|v| {
            total *= v;
            total
        })
        .collect()
}

#[differentiable]
fn collected_by_index(x: &[f64], n: usize) -> Vec<f64> {
    (0..n).map(|i| x[i] * x[n - 1 - i]).rev().collect()
}

/// How many there are is known only at the end.
#[differentiable]
fn collected_by_pushing(x: &[f64], a: f64) -> f64 {
    let mut kept: Vec<f64> = x.iter().filter(|v| **v > 0.0).map(|v| v * a).collect();
    kept.extend(x.iter().map(|v| v * v));
    let twice: Vec<f64> = x.iter().chain(&kept).map(|v| v + v).collect();
    twice.iter().zip(&kept).map(|(v, w)| v * w).sum()
}

#[differentiable]
fn outer_product(x: &[f64], y: &[f64]) -> f64 {
    let m: Vec<Vec<f64>> = x
        .iter()
        .map(|a| y.iter().map(|b| a * b).collect())
        .collect();
    let pairs: Vec<(f64, f64)> = x.iter().map(|a| (a.sin(), a * a)).collect();
    let powers: Vec<[f64; 2]> = x.iter().map(|a| [*a, a * a]).collect();
    m.iter().map(|row| row.iter().product::<f64>()).sum::<f64>()
        + pairs.iter().map(|(s, q)| s * q).sum::<f64>()
        + powers.iter().map(|[p, q]| p * q).product::<f64>()
}

// ---- Loops over chains, and chains in variables. ---------------------------------------------------------------------

#[differentiable]
fn loop_over_a_chain(x: &[f64], a: f64) -> f64 {
    let mut total = 0.0;
    for v in x.iter().filter(|v| **v > 0.0).map(|v| v * a) {
        if v > 3.0 {
            continue;
        }
        total = total * 0.5 + v;
    }
    for (i, v) in x.iter().enumerate().skip(1).step_by(2) {
        total += v * i as f64;
    }
    for (v, w) in x.iter().zip(x.iter().rev()) {
        total += v * w;
    }
    total
}

#[differentiable]
fn loop_over_two(x: &[f64], y: &[f64], limit: f64) -> f64 {
    let mut total = 1.0;
    'outer: for v in x.iter().chain(y) {
        if *v < 0.0 {
            continue;
        }
        for w in x.iter().take(2) {
            if v * w > limit {
                break 'outer;
            }
            if *w > 1.0 {
                continue 'outer;
            }
            total = total * 0.5 + v * w;
        }
        total += v;
    }
    total
}

#[differentiable]
fn returns_from_a_chain(x: &[f64], a: f64) -> f64 {
    for (i, v) in x.iter().map(|v| v * a).enumerate() {
        if v < 0.0 {
            return v * i as f64;
        }
    }
    a * a
}

#[differentiable]
fn in_a_variable(x: &[f64], a: f64) -> f64 {
    let scaled = x.iter().map(|v| v * a);
    let pairs = scaled.zip(x).filter(|(v, _)| *v > 0.0);
    pairs.map(|(v, w)| v * w).sum()
}

#[differentiable]
fn used_twice(x: &[f64], a: f64) -> f64 {
    let scaled = x.iter().map(|v| v * a);
    scaled.clone().sum::<f64>() * scaled.product::<f64>()
}

#[derive(Clone, Copy, Debug, Differentiable)]
pub(crate) struct Body {
    mass: f64,
    speed: f64,
}

#[differentiable]
fn bodies(bodies: &[Body]) -> f64 {
    let mass: f64 = bodies.iter().map(|b| b.mass).sum();
    let energy: f64 = bodies
        .iter()
        .map(|b| 0.5 * b.mass * b.speed * b.speed)
        .sum();
    let heavy = bodies
        .iter()
        .max_by(|a, b| a.mass.total_cmp(&b.mass))
        .map_or(0.5, |b| b.speed);
    mass * energy * heavy
}

#[derive(Clone, Debug, Differentiable)]
pub(crate) struct Model {
    weights: Vec<f64>,
    bias: f64,
}

#[differentiable]
fn deferred(model: &Model, x: &[f64]) -> f64 {
    let z = model.weights.iter().zip(x).map(|(w, x)| w * x).sum::<f64>() + model.bias;
    z * z + model.weights.iter().map(|w| w.abs()).sum::<f64>()
}

/// Nothing active goes through these.
#[differentiable]
fn inactive(x: f64, n: usize) -> f64 {
    let mut names: std::collections::HashMap<usize, String> =
        (0..n).map(|k| (k, k.to_string())).collect();
    names.retain(|k, _| k % 2 == 0);
    let letters: usize = names.values().map(|name| name.len()).sum();
    let weights: Vec<f64> = (0..n).map(|k| 1.0 / (k as f64 + 1.0)).collect();
    let total: f64 = weights.iter().filter(|w| **w < 0.9).sum();
    let even = (0..n).filter(|k| k % 2 == 0).max().unwrap_or(0);
    x * x * (letters as f64 + total + even as f64)
}

flat!(Body {
    mass: f64,
    speed: f64
});
flat!(Model { weights: Vec<f64>, bias: f64 });

fn body(n: usize) -> Vec<Body> {
    (0..n)
        .map(|k| Body {
            mass: X[k].abs(),
            speed: Y[k],
        })
        .collect()
}

fn model(n: usize) -> Model {
    Model {
        weights: y(n),
        bias: 0.3,
    }
}

#[differentiable]
fn kept_by_unique_reference(x: &[f64]) -> f64 {
    let mut v = x.to_vec();
    *v.iter_mut().next().unwrap() *= x[1];
    let second = v.iter_mut().nth(1).unwrap();
    *second += x[0];
    let last = v.iter_mut().rev().next().unwrap();
    *last *= *last;
    let least = v.iter_mut().min_by(|a, b| a.total_cmp(b)).unwrap();
    *least = x[0] * x[1];
    v[0] * v[1] + v[2] * v[1]
}

#[differentiable]
fn from_fn(x: &[f64], n: usize) -> f64 {
    let mut k = 0;
    let multiples = std::iter::from_fn(|| {
        k += 1;
        if k <= n { Some(x[0] * k as f64) } else { None }
    });
    multiples.map(|v| v * v).sum()
}

/// What the closure owns is carried on, and read by nothing but the closure.
#[differentiable]
fn from_fn_with_state(x: &[f64]) -> f64 {
    let mut t = x[1];
    let mut sum = 0.0;
    for v in std::iter::from_fn(|| {
        t = t * t;
        (t > 0.01).then_some(t)
    }) {
        if v > 0.5 {
            continue;
        }
        sum += v * x[0];
    }
    sum
}

#[differentiable]
fn successors(x: &[f64], n: usize) -> f64 {
    let geometric: f64 = std::iter::successors(Some(x[0]), |v| Some(v * x[1]))
        .take(n)
        .sum();
    let powers: Vec<f64> = std::iter::successors(Some(1.0), |v| Some(v * x[0]))
        .skip(1)
        .take(3)
        .collect();
    geometric * powers[2]
}

#[differentiable]
fn newton(x: f64) -> f64 {
    let steps = std::iter::successors(Some(1.0), |v| Some(v - (v * v - x) / (2.0 * v)));
    steps.take(6).last().unwrap()
}

#[differentiable]
fn successors_that_end(x: &[f64]) -> f64 {
    let squares = std::iter::successors(
        Some(x[0]),
        |&v| if v > 0.05 { Some(v * x[1]) } else { None },
    );
    let squares: f64 = squares.map(|v| v * v).sum();
    let mut sum = 0.0;
    for v in std::iter::successors(Some(x[1]), |v| (*v > 0.01).then(|| v * x[1])) {
        if v > 0.7 {
            continue;
        }
        if v < 0.2 {
            break;
        }
        sum += v;
    }
    let pairs = std::iter::successors(Some((x[0], 1.0)), |&(a, b)| Some((a + b * x[1], b * 0.5)));
    let none: f64 = std::iter::successors(None, |v: &f64| Some(v * x[1]))
        .take(3)
        .sum();
    squares * sum + pairs.take(4).last().unwrap().0 + none
}

/// A chain is what it was where it was made.
#[differentiable]
fn changed_afterwards(x: &[f64]) -> f64 {
    let mut n = 3;
    let ranged = (0..n).map(|k| x[k]);
    n = 2;
    let chunked = x.chunks(n).map(|c| c[0]);
    n = 1;
    let repeated = std::iter::repeat_n(x[0], n + 1);
    n = 0;
    let mut s = x[0];
    let scanned = x.iter().scan(s, |total, v| {
        *total += v;
        Some(*total)
    });
    s = 5.0;
    let mut list = [x[0], x[1]];
    let taken = list.into_iter().map(|v| v * v);
    list[0] = 1.0;
    let mut sum: f64 = ranged.sum::<f64>() * chunked.sum::<f64>() + repeated.sum::<f64>();
    sum += scanned.sum::<f64>() * s + taken.sum::<f64>() * list[0] * list[1];
    sum * x[n]
}

#[differentiable]
fn cyclic(x: &[f64], n: usize) -> f64 {
    let mut sum = 0.0;
    for v in x.iter().cycle().take(n) {
        sum = sum * v + v.sin();
    }
    for (k, v) in x.iter().map(|v| v * v).cycle().enumerate() {
        if k >= n {
            break;
        }
        sum = sum * 0.5 + v;
    }
    let mut it = x.iter().rev().cycle().skip(1);
    for _ in 0..n {
        if let Some(v) = it.next() {
            sum = sum * v + v;
        }
    }
    let weighed: f64 = x.iter().zip((1..=2).cycle()).map(|(v, k)| v.powi(k)).sum();
    let all: Vec<f64> = x.iter().copied().cycle().take(n).collect();
    sum * weighed
        + all
            .iter()
            .enumerate()
            .map(|(k, v)| k as f64 * v)
            .sum::<f64>()
}

#[differentiable]
fn cyclic_against_a_list(x: &[f64], y: &[f64]) -> f64 {
    y.iter()
        .zip(x.iter().cycle())
        .map(|(a, b)| a * b.exp())
        .sum()
}

table! {
    cyclic: for n in [0, 2, 3, 7], (&[0.7, 1.9, -0.4], const n), (&[], const n), (&[0.3], const n);
    cyclic_against_a_list: (&[0.7, -0.4], &[0.2, 0.5, 1.1]), (&[], &[0.2]), (&[0.7], &[]);
    kept_by_unique_reference: (&[1.3, 0.7, -0.4]), (&[-1.3, 0.7, 0.4]);
    from_fn: for n in 0..4, (&[0.8, 0.3], const n);
    from_fn_with_state: (&[0.5, 0.8]);
    successors: for n in 0..4, (&[0.8, 0.3], const n);
    newton: (1.7);
    successors_that_end: (&[0.5, 0.8]);
    changed_afterwards: (&x(5));
    sum: for n in 0..4, (&x(n)) => vec![1.0; n];
    sum_annotated: for n in 0..4, (&x(n), 1.3);
    product: for n in 0..4, (&x(n));
    dot: for n in 0..4, (&x(n), &y(n)), (&x(n), &y(3));
    dot_by_zip: for n in 0..4, (&x(n), &y(n)), (&x(3), &y(n));
    dot_by_values: for n in 0..4, (&x(n), &y(n)), (&x(3), &y(n));
    sum_of_squares: for n in 0..4, (&x(n)) => X[..n].iter().map(|x| 2.0 * x).collect::<Vec<_>>();
    by_index: for n in 0..4, (&x(3), const n);
    single: for n in 0..4, (&X[..n].iter().map(|x| *x as f32).collect::<Vec<_>>(), 0.7);
    in_an_expression: for n in 2..5, (&x(n), &y(n));
    functions_by_name: for n in 0..4, (&x(n));
    filtered: for n in 0..5, (&x(n), 1.3);
    filtered_by_pattern: for n in 0..5, (&x(n), 1.25);
    filtered_after_map: for n in 0..5, (&x(n), 1.3);
    filter_mapped: for n in 0..5, (&x(n), 1.3);
    filter_mapped_options: for n in 0..4, (&(0..n).map(|k| (k != 1).then_some(X[k])).collect::<Vec<_>>(), 1.3);
    optional_ends: for n in 0..5, (&x(n), 1.3);
    enumerated: for n in 0..4, (&x(n), 1.3);
    enumerated_as_one: for n in 0..4, (&x(n), 1.3);
    filtered_then_enumerated: for n in 0..5, (&x(n));
    skipped: for n in 0..5, (&x(n));
    taken: for n in 0..5, (&x(n), const 2), (&x(3), const n);
    differences: for n in 0..5, (&x(n));
    reversed: for n in 0..4, (&x(n), 1.3);
    reversed_with_index: for n in 0..4, (&x(n), 1.3);
    index_of_reversed: for n in 0..4, (&x(n), 1.3);
    reversed_then_skipped: for n in 0..5, (&x(n), 1.3);
    reversed_range: for n in 0..4, (&x(n));
    stepped: for n in 0..6, (&x(n), const 2), (&x(n), const 3);
    stepped_with_index: for n in 0..6, (&x(n));
    chained: for n in 0..4, (&x(n), &y(2)), (&x(2), &y(n));
    chained_then_taken: for n in 0..6, (&x(2), &y(2), const n);
    chained_then_skipped: for n in 0..6, (&x(2), &y(3), const n);
    chained_backwards: for n in 0..4, (&x(n), &y(2)), (&x(2), &y(n));
    with_an_endless_range: for n in 0..4, (&x(n), 1.3);
    repeated: for n in 0..4, (&x(n), 1.3, const n);
    inspected: for n in 0..4, (&x(n));
    taken_while: for n in 0..5, (&x(n), 1.3);
    skipped_while: for n in 0..5, (&x(n), 1.3);
    mapped_while: for n in 0..5, (&x(n), 1.3);
    scanned: for n in 0..4, (&x(n), 1.3);
    scanned_until: for n in 0..4, (&x(n), 1.3);
    flat_mapped: for n in 0..4, (&x(n), &y(2)), (&x(2), &y(n));
    flat_mapped_and_taken: for n in 0..6, (&x(2), const n);
    flat_mapped_with_ends: for n in 0..6, (&x(3), const n), (&x(4), const n);
    endless: (0.72, 0.8), (0.85, 2.0);
    nested: for n in 0..4, (&x(3), const n);
    chunked: for n in 0..6, (&x(n));
    rows: for n in 0..4, (&vec![x(n), y(2)]), (&vec![x(2); n]);
    array: ([0.7, 1.9, -0.4], 1.3);
    mapped_array: ([0.7, 1.9, -0.4], 1.3);
    folded: for n in 0..4, (&x(n), 1.3);
    folded_pair: for n in 0..4, (&x(n));
    folded_pair_by_name: for n in 0..4, (&x(n), 1.3);
    largest: for n in 1..5, (&x(n));
    smallest: for n in 1..5, (&x(n), 1.3);
    for_each: for n in 0..4, (&x(n), 1.3);
    for_each_mut: for n in 0..4, (&mut x(n), 1.3);
    for_each_zipped: for n in 0..4, (&mut x(n), &y(3));
    tests_and_counts: for n in 0..5, (&x(n), 1.3);
    stops_early: for n in 0..5, (&x(n), 1.3);
    best: for n in 1..5, (&x(n), 1.25);
    best_of_none: for n in 0..5, (&x(n), 1.3);
    place_of_the_best: for n in 1..5, (&x(n), 1.3);
    found: for n in 0..6, (&x(n), 1.25);
    reduced: for n in 0..4, (&x(n), 1.3);
    collected_and_used: for n in 0..4, (&x(n), 1.3);
    collected_by_pushing: for n in 0..4, (&x(n), 1.3);
    outer_product: for n in 0..4, (&x(n), &y(2)), (&x(2), &y(n));
    loop_over_a_chain: for n in 0..5, (&x(n), 1.3);
    loop_over_two: for n in 0..5, (&x(n), &y(3), 5.0), (&x(n), &y(3), 1.0);
    returns_from_a_chain: for n in 0..5, (&x(n), 1.3);
    in_a_variable: for n in 0..4, (&x(n), 1.3);
    used_twice: for n in 0..4, (&x(n), 1.3);
    bodies: for n in 0..4, (&body(n));
    deferred: for n in 0..4, (&model(n), &x(3));
    inactive: for n in 0..4, (0.7, const n);
}

map_table! {
    normalised: for n in 1..4, (&x(n));
    cumulative: for n in 1..4, (&x(n));
    collected_by_index: for n in 1..4, (&x(3), const n);
    map_of_an_array: (&[0.7, 1.9]);
}

//! Squared distances of points to their nearest centroid.

use crate::Kernel;
use chainrule::prelude::*;
use rows::harness::case::Hand;
use rows::harness::input::Random;

const POINTS: usize = 200;
const K: usize = 8;
const D: usize = 4;

pub(crate) fn kernel() -> Kernel {
    let points = Random::new(6).uniforms(POINTS * D);
    let centroids = points[(POINTS - K) * D..].to_vec();
    let rows = |x: &[f64]| -> Vec<Vec<f64>> { x.chunks_exact(D).map(<[f64]>::to_vec).collect() };
    let input = (centroids, points);
    let zeros = vec![0.0; K * D];
    let hand = Hand::new(input.clone(), zeros.clone(), |(c, p), bar| {
        by_hand(c, p, bar)
    });
    macro_rules! forms {
        ($($form:ident)*) => {
            vec![$(hand.form(
                stringify!($form),
                input.clone(),
                zeros.clone(),
                |(c, p)| $form(c, p, D),
                |(c, p), bar| $form::value_and_gradient_into(c, p, D, bar),
            )),*]
        };
    }
    let mut forms = forms! { min_by argmin running chunks fold_min list_of_distances };
    forms.push(hand.form(
        "vec_of_vec",
        (rows(&input.0), rows(&input.1)),
        vec![vec![0.0; D]; K],
        |(c, p)| vec_of_vec(c, p),
        |(c, p), bar| vec_of_vec::value_and_gradient_into(c, p, bar),
    ));
    Kernel::new(forms)
}

/// The differences of the nearest centroid make its cotangent.
fn by_hand(centroids: &[f64], points: &[f64], bar: &mut [f64]) -> f64 {
    let (centroids, _) = centroids.as_chunks::<D>();
    let (points, _) = points.as_chunks::<D>();
    let (bar, _) = bar.as_chunks_mut::<D>();
    let mut total = 0.0;
    for bar in &mut *bar {
        *bar = [0.0; D];
    }
    for p in points {
        let (mut at, mut least) = (0, f64::INFINITY);
        for (j, c) in centroids.iter().enumerate() {
            let d: [f64; D] = std::array::from_fn(|i| c[i] - p[i]);
            let v = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + d[3] * d[3];
            if v < least {
                (at, least) = (j, v);
            }
        }
        total += least;
        let (c, bar) = (&centroids[at], &mut bar[at]);
        for i in 0..D {
            bar[i] += 2.0 * (c[i] - p[i]);
        }
    }
    total
}

#[differentiable]
fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

#[differentiable]
fn min_by(centroids: &[f64], #[constant] points: &[f64], d: usize) -> f64 {
    points
        .chunks(d)
        .map(|p| {
            centroids
                .chunks(d)
                .map(|c| distance(c, p))
                .min_by(|a, b| a.total_cmp(b))
                .unwrap()
        })
        .sum()
}

#[differentiable]
fn argmin(centroids: &[f64], #[constant] points: &[f64], d: usize) -> f64 {
    let k = centroids.len() / d;
    let mut total = 0.0;
    for i in 0..points.len() / d {
        let p = &points[i * d..(i + 1) * d];
        let mut best = 0;
        let mut least = f64::INFINITY;
        for j in 0..k {
            let dist = distance(&centroids[j * d..(j + 1) * d], p);
            if dist < least {
                least = dist;
                best = j;
            }
        }
        total += distance(&centroids[best * d..(best + 1) * d], p);
    }
    total
}

#[differentiable]
fn running(centroids: &[f64], #[constant] points: &[f64], d: usize) -> f64 {
    let k = centroids.len() / d;
    let mut total = 0.0;
    for i in 0..points.len() / d {
        let mut best = f64::INFINITY;
        for j in 0..k {
            let mut s = 0.0;
            for l in 0..d {
                let e = centroids[j * d + l] - points[i * d + l];
                s += e * e;
            }
            if s < best {
                best = s;
            }
        }
        total += best;
    }
    total
}

#[differentiable]
fn chunks(centroids: &[f64], #[constant] points: &[f64], d: usize) -> f64 {
    let mut total = 0.0;
    for p in points.chunks_exact(d) {
        let mut best = f64::MAX;
        for c in centroids.chunks_exact(d) {
            let mut s = 0.0;
            for (c, p) in c.iter().zip(p) {
                s += (c - p).powi(2);
            }
            best = best.min(s);
        }
        total += best;
    }
    total
}

#[differentiable]
fn fold_min(centroids: &[f64], #[constant] points: &[f64], d: usize) -> f64 {
    let mut total = 0.0;
    for p in points.chunks_exact(d) {
        total += centroids
            .chunks_exact(d)
            .map(|c| distance(c, p))
            .fold(f64::INFINITY, f64::min);
    }
    total
}

#[differentiable]
fn list_of_distances(centroids: &[f64], #[constant] points: &[f64], d: usize) -> f64 {
    let mut total = 0.0;
    for p in points.chunks_exact(d) {
        let distances: Vec<f64> = centroids.chunks_exact(d).map(|c| distance(c, p)).collect();
        let mut best = distances[0];
        for &v in &distances[1..] {
            if v < best {
                best = v;
            }
        }
        total += best;
    }
    total
}

#[differentiable]
fn vec_of_vec(centroids: &[Vec<f64>], #[constant] points: &[Vec<f64>]) -> f64 {
    let mut total = 0.0;
    for p in points {
        let mut best = f64::INFINITY;
        for c in centroids {
            let mut s = 0.0;
            for l in 0..p.len() {
                s += (c[l] - p[l]) * (c[l] - p[l]);
            }
            if s < best {
                best = s;
            }
        }
        total += best;
    }
    total
}

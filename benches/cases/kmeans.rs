//! Squared distances of points to their nearest centroid (`GradBench`: kmeans).

use crate::harness::case::Case;
use crate::harness::input::Random;
use gradbench::evals::kmeans::{cost, squared_distance};

/// The rows of this group.
pub fn cases() -> Vec<Case> {
    const N: usize = 1000;
    const K: usize = 10;
    const D: usize = 16;
    let points = Random::new(31337).uniforms(N * D);
    let centroids = points[(N - K) * D..].to_vec();
    vec![Case::new(
        "kmeans_gradient",
        (points, centroids),
        vec![0.0; K * D],
        |(points, centroids)| cost(points, centroids, D),
        |(points, centroids), bar| cost::value_and_gradient_into(points, centroids, D, bar),
        |(points, centroids), bar| by_hand(points, centroids, D, bar),
    )]
}

/// Position and value of the winner of the fold.
#[inline]
fn nearest(p: &[f64], centroids: &[f64], d: usize) -> (usize, f64) {
    let (mut at, mut least) = (usize::MAX, f64::INFINITY);
    for (j, c) in centroids.chunks_exact(d).enumerate() {
        let v = squared_distance(p, c);
        if v < least {
            (at, least) = (j, v);
        }
    }
    (at, least)
}

fn by_hand(points: &[f64], centroids: &[f64], d: usize, bar: &mut [f64]) -> f64 {
    let mut total = 0.0;
    bar.fill(0.0);
    for p in points.chunks_exact(d) {
        let (at, least) = nearest(p, centroids, d);
        total += least;
        if at != usize::MAX {
            let c = &centroids[at * d..(at + 1) * d];
            for ((bar, c), p) in bar[at * d..(at + 1) * d].iter_mut().zip(c).zip(p) {
                *bar -= 2.0 * (p - c);
            }
        }
    }
    total
}

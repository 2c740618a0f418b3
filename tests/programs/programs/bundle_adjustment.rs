//! Reprojection errors of points seen by cameras with radial distortion, rotated by Rodrigues' formula.

use chainrule::prelude::*;

use crate::check::{flat, map_table, table};

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Camera {
    rotation: [f64; 3],
    translation: [f64; 3],
    focal: f64,
    distortion: (f64, f64),
}

flat!(Camera {
    rotation: [f64; 3],
    translation: [f64; 3],
    focal: f64,
    distortion: (f64, f64)
});

struct Observation {
    camera: usize,
    point: usize,
    seen: [f64; 2],
}

#[differentiable]
#[inline(never)]
fn dot(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    let mut sum = 0.0;
    for (a, b) in a.iter().zip(b) {
        sum += a * b;
    }
    sum
}

#[differentiable]
#[inline(never)]
fn cross(a: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

/// Rotates `p` about the axis `r` by its length.
#[differentiable]
#[inline(never)]
fn rotate(r: &[f64; 3], p: &[f64; 3]) -> [f64; 3] {
    let square = dot(r, r);
    let turned = cross(r, p);
    let mut out = *p;
    if square < 1e-12 {
        // To first order.
        for i in 0..3 {
            out[i] += turned[i];
        }
        return out;
    }
    let angle = square.sqrt();
    let (sin, cos) = angle.sin_cos();
    let axis = [r[0] / angle, r[1] / angle, r[2] / angle];
    let along = dot(&axis, p);
    for i in 0..3 {
        out[i] = p[i] * cos + turned[i] / angle * sin + axis[i] * along * (1.0 - cos);
    }
    out
}

#[differentiable]
impl Camera {
    fn project(&self, point: &[f64; 3]) -> [f64; 2] {
        let mut p = rotate(&self.rotation, point);
        for k in 0..3 {
            p[k] += self.translation[k];
        }
        let (x, y) = (-p[0] / p[2], -p[1] / p[2]);
        let r = x * x + y * y;
        let (k1, k2) = self.distortion;
        let scale = self.focal * (1.0 + r * (k1 + r * k2));
        [scale * x, scale * y]
    }
}

#[differentiable]
fn reprojection(
    cameras: &[Camera],
    points: &[[f64; 3]],
    #[constant] observations: &[Observation],
) -> f64 {
    let mut total = 0.0;
    for o in observations {
        let projected = cameras[o.camera].project(&points[o.point]);
        let dx = projected[0] - o.seen[0];
        let dy = projected[1] - o.seen[1];
        total += (dx * dx + dy * dy).ln_1p();
    }
    total
}

fn camera(seed: f64) -> Camera {
    Camera {
        rotation: [0.3 * seed, -0.2, 0.5],
        translation: [0.1, 0.4 * seed, -3.0],
        focal: 1.2,
        distortion: (0.1, -0.02 * seed),
    }
}

fn observations(n: usize) -> Vec<Observation> {
    (0..n)
        .map(|k| Observation {
            camera: k % 2,
            point: k / 2,
            seen: [0.1 * k as f64, -0.2],
        })
        .collect()
}

table! {
    reprojection: for n in 0..4, (&[camera(1.0), camera(-0.7)], &[[0.3, -0.4, 0.8], [-0.5, 0.2, 0.1]], const &observations(n));
}

map_table! {
    rotate: (&[0.3, -0.2, 0.5], &[0.7, 1.9, -0.4]), (&[0.0, 0.0, std::f64::consts::PI], &[0.7, 1.9, -0.4]);
}

/// At no rotation the formula for small angles runs: the derivative with respect to the axis is the cross product's.
#[test]
fn at_no_rotation() {
    let p = [0.7, 1.9, -0.4];
    let (_, pullback) = rotate::rrule(&[0.0; 3], &p);
    let (mut r_bar, mut p_bar) = ([0.0; 3], [0.0; 3]);
    pullback(
        [1.0, 0.0, 0.0],
        CoDual(&[0.0; 3], &mut r_bar),
        CoDual(&p, &mut p_bar),
    );
    assert_eq!(r_bar, [0.0, p[2], -p[1]]);
    assert_eq!(p_bar, [1.0, 0.0, 0.0]);
}

/// A rotation keeps lengths: the gradient of the length with respect to the axis is zero.
#[test]
fn lengths_are_kept() {
    let length = |r: &[f64; 3]| squared_length::gradient(r, &[0.7, 1.9, -0.4]);
    for g in length(&[0.3, -0.2, 0.5]) {
        assert!(g.abs() < 1e-14, "{g}");
    }
}

#[differentiable]
fn squared_length(r: &[f64; 3], #[constant] p: &[f64; 3]) -> f64 {
    let turned = rotate(r, p);
    dot(&turned, &turned)
}

//! Reprojection error of points, each seen by a camera of its own: rotation by Rodrigues' formula, translation, radial distortion, projection.

use crate::Kernel;
use chainrule::prelude::*;
use rows::harness::case::Hand;
use rows::harness::input::Random;
use std::ops::{Add, Mul, Neg, Sub};

const POINTS: usize = 100;

/// Rotation, translation, focal length, two coefficients of distortion.
type Camera = [f64; 9];

pub(crate) fn kernel() -> Kernel {
    let mut random = Random::new(5);
    let normals = random.normals(5 * POINTS);
    let cameras: Vec<Camera> = random
        .normals(9 * POINTS)
        .chunks_exact(9)
        .map(|z| {
            let camera: Camera = [0.3, -0.2, 0.4, 0.1, 0.2, 6.0, 2.0, 0.05, 0.01];
            std::array::from_fn(|i| camera[i] * (1.0 + 0.1 * z[i]))
        })
        .collect();
    let points: Vec<[f64; 3]> = normals[..3 * POINTS]
        .chunks_exact(3)
        .map(|p| [p[0], p[1], p[2]])
        .collect();
    let seen: Vec<[f64; 2]> = normals[3 * POINTS..]
        .chunks_exact(2)
        .map(|p| [p[0], p[1]])
        .collect();
    let input = (cameras, points, seen);
    let zeros = (vec![[0.0; 9]; POINTS], vec![[0.0; 3]; POINTS]);
    let hand = Hand::new(
        input.clone(),
        zeros.clone(),
        |(cameras, points, seen), (cameras_bar, points_bar)| {
            by_hand(cameras, points, seen, cameras_bar, points_bar)
        },
    );
    macro_rules! forms {
        ($($form:ident)*) => {
            vec![$(hand.form(
                stringify!($form),
                input.clone(),
                zeros.clone(),
                |(cameras, points, seen)| $form(cameras, points, seen),
                |(cameras, points, seen), (cameras_bar, points_bar)| {
                    $form::value_and_gradient_into(cameras, points, seen, cameras_bar, points_bar)
                },
            )),*]
        };
    }
    Kernel::new(forms! { operators arrays tuples out_parameters matrix loops })
}

/// The rotation as a matrix that isn't formed: its cotangent is the product of that of the rotated point and the point.
fn by_hand(
    cameras: &[Camera],
    points: &[[f64; 3]],
    seen: &[[f64; 2]],
    cameras_bar: &mut [Camera],
    points_bar: &mut [[f64; 3]],
) -> f64 {
    let mut total = 0.0;
    let bars = cameras_bar.iter_mut().zip(points_bar);
    for (((camera, p), seen), (camera_bar, p_bar)) in cameras.iter().zip(points).zip(seen).zip(bars)
    {
        let [r0, r1, r2, t0, t1, t2, f, k1, k2] = *camera;
        let theta = (r0 * r0 + r1 * r1 + r2 * r2).sqrt();
        let (s, c) = theta.sin_cos();
        let inv = 1.0 / theta;
        let a = [r0 * inv, r1 * inv, r2 * inv];
        let along = a[0] * p[0] + a[1] * p[1] + a[2] * p[2];
        let d = along * (1.0 - c);
        let cross = cross_by_hand(&a, p);
        let x = p[0] * c + cross[0] * s + a[0] * d + t0;
        let y = p[1] * c + cross[1] * s + a[1] * d + t1;
        let z = p[2] * c + cross[2] * s + a[2] * d + t2;
        let over = 1.0 / z;
        let (u, v) = (x * over, y * over);
        let q = u * u + v * v;
        let k = k1 + k2 * q;
        let factor = 1.0 + q * k;
        let scaled = f * factor;
        let (e, g) = (scaled * u - seen[0], scaled * v - seen[1]);
        total += e * e + g * g;
        let (e2, g2) = (2.0 * e, 2.0 * g);
        let h = e2 * u + g2 * v;
        let factor_bar = h * f;
        let q_bar = 2.0 * factor_bar * (k + k2 * q);
        let u_bar = (e2 * scaled + q_bar * u) * over;
        let v_bar = (g2 * scaled + q_bar * v) * over;
        let bar = [u_bar, v_bar, -(u_bar * u + v_bar * v)];
        let sum = |b: &[f64; 3]| bar[0] * b[0] + bar[1] * b[1] + bar[2] * b[2];
        let d_bar = sum(&a);
        let along_bar = d_bar * (1.0 - c);
        let theta_bar = c * sum(&cross) - s * (sum(p) - d_bar * along);
        // Of `s * cross(a, p)` by both factors.
        let of_p = cross_by_hand(&bar, &a);
        let of_a = cross_by_hand(p, &bar);
        let mut a_bar = [0.0; 3];
        for i in 0..3 {
            p_bar[i] = c * bar[i] + s * of_p[i] + along_bar * a[i];
            a_bar[i] = s * of_a[i] + d * bar[i] + along_bar * p[i];
        }
        let radial = a_bar[0] * a[0] + a_bar[1] * a[1] + a_bar[2] * a[2];
        let rest = theta_bar - radial * inv;
        *camera_bar = [
            a_bar[0] * inv + rest * a[0],
            a_bar[1] * inv + rest * a[1],
            a_bar[2] * inv + rest * a[2],
            bar[0],
            bar[1],
            bar[2],
            h * factor,
            factor_bar * q,
            factor_bar * q * q,
        ];
    }
    total
}

#[inline]
fn cross_by_hand(a: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
#[tangent(Self)]
struct V3 {
    x: f64,
    y: f64,
    z: f64,
}

#[differentiable]
impl Add for V3 {
    type Output = V3;
    fn add(self, other: V3) -> V3 {
        V3 {
            x: self.x + other.x,
            y: self.y + other.y,
            z: self.z + other.z,
        }
    }
}

#[differentiable]
impl Sub for V3 {
    type Output = V3;
    fn sub(self, other: V3) -> V3 {
        V3 {
            x: self.x - other.x,
            y: self.y - other.y,
            z: self.z - other.z,
        }
    }
}

#[differentiable]
impl Mul<f64> for V3 {
    type Output = V3;
    fn mul(self, k: f64) -> V3 {
        V3 {
            x: self.x * k,
            y: self.y * k,
            z: self.z * k,
        }
    }
}

#[differentiable]
impl Neg for V3 {
    type Output = V3;
    fn neg(self) -> V3 {
        V3 {
            x: -self.x,
            y: -self.y,
            z: -self.z,
        }
    }
}

#[differentiable]
impl V3 {
    fn dot(self, other: V3) -> f64 {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    fn cross(self, other: V3) -> V3 {
        V3 {
            x: self.y * other.z - self.z * other.y,
            y: self.z * other.x - self.x * other.z,
            z: self.x * other.y - self.y * other.x,
        }
    }
}

#[differentiable]
fn operators(cameras: &[Camera], points: &[[f64; 3]], #[constant] seen: &[[f64; 2]]) -> f64 {
    let mut total = 0.0;
    for i in 0..points.len() {
        let camera = &cameras[i];
        let r = V3 {
            x: camera[0],
            y: camera[1],
            z: camera[2],
        };
        let t = V3 {
            x: camera[3],
            y: camera[4],
            z: camera[5],
        };
        let p = V3 {
            x: points[i][0],
            y: points[i][1],
            z: points[i][2],
        };
        let theta = r.dot(r).sqrt();
        let axis = r * (1.0 / theta);
        let rotated = p * theta.cos() - p.cross(axis) * theta.sin()
            + axis * (axis.dot(p) * (1.0 - theta.cos()));
        let q = rotated - (-t);
        let u = q.x / q.z;
        let v = q.y / q.z;
        let r2 = u * u + v * v;
        let d = 1.0 + camera[7] * r2 + camera[8] * r2 * r2;
        let ex = camera[6] * d * u - seen[i][0];
        let ey = camera[6] * d * v - seen[i][1];
        total += ex * ex + ey * ey;
    }
    total
}

#[differentiable]
fn dot3(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[differentiable]
fn cross3(a: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

#[differentiable]
fn rotate3(r: &[f64; 3], p: &[f64; 3]) -> [f64; 3] {
    let theta = dot3(r, r).sqrt();
    let (sin, cos) = theta.sin_cos();
    let axis = [r[0] / theta, r[1] / theta, r[2] / theta];
    let c = cross3(&axis, p);
    let d = dot3(&axis, p) * (1.0 - cos);
    [
        p[0] * cos + c[0] * sin + axis[0] * d,
        p[1] * cos + c[1] * sin + axis[1] * d,
        p[2] * cos + c[2] * sin + axis[2] * d,
    ]
}

#[differentiable]
fn project3(camera: &Camera, p: &[f64; 3]) -> [f64; 2] {
    let q = rotate3(&[camera[0], camera[1], camera[2]], p);
    let z = q[2] + camera[5];
    let u = (q[0] + camera[3]) / z;
    let v = (q[1] + camera[4]) / z;
    let r2 = u * u + v * v;
    let d = 1.0 + camera[7] * r2 + camera[8] * r2 * r2;
    [camera[6] * d * u, camera[6] * d * v]
}

#[differentiable]
fn arrays(cameras: &[Camera], points: &[[f64; 3]], #[constant] seen: &[[f64; 2]]) -> f64 {
    let mut total = 0.0;
    for ((camera, p), seen) in cameras.iter().zip(points).zip(seen) {
        let [x, y] = project3(camera, p);
        total += (x - seen[0]).powi(2) + (y - seen[1]).powi(2);
    }
    total
}

#[differentiable]
fn rotate(r: (f64, f64, f64), p: (f64, f64, f64)) -> (f64, f64, f64) {
    let theta = (r.0 * r.0 + r.1 * r.1 + r.2 * r.2).sqrt();
    let (sin, cos) = theta.sin_cos();
    let (ax, ay, az) = (r.0 / theta, r.1 / theta, r.2 / theta);
    let (x, y, z) = p;
    let d = (ax * x + ay * y + az * z) * (1.0 - cos);
    (
        x * cos + (ay * z - az * y) * sin + ax * d,
        y * cos + (az * x - ax * z) * sin + ay * d,
        z * cos + (ax * y - ay * x) * sin + az * d,
    )
}

#[differentiable]
fn distort(u: f64, v: f64, k: (f64, f64)) -> (f64, f64) {
    let r2 = u * u + v * v;
    let d = 1.0 + k.0 * r2 + k.1 * r2 * r2;
    (u * d, v * d)
}

#[differentiable]
fn tuples(cameras: &[Camera], points: &[[f64; 3]], #[constant] seen: &[[f64; 2]]) -> f64 {
    let mut total = 0.0;
    for i in 0..points.len() {
        let camera = cameras[i];
        let p = (points[i][0], points[i][1], points[i][2]);
        let (x, y, z) = rotate((camera[0], camera[1], camera[2]), p);
        let (x, y, z) = (x + camera[3], y + camera[4], z + camera[5]);
        let (u, v) = distort(x / z, y / z, (camera[7], camera[8]));
        let ex = camera[6] * u - seen[i][0];
        let ey = camera[6] * v - seen[i][1];
        total += ex * ex + ey * ey;
    }
    total
}

#[differentiable]
fn cross_into(a: &[f64], b: &[f64], out: &mut [f64]) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

#[differentiable]
fn rotate_into(r: &[f64], p: &[f64], out: &mut [f64]) {
    let theta = (r[0] * r[0] + r[1] * r[1] + r[2] * r[2]).sqrt();
    let (sin, cos) = theta.sin_cos();
    let mut axis = [0.0; 3];
    for k in 0..3 {
        axis[k] = r[k] / theta;
    }
    cross_into(&axis, p, out);
    let d = (axis[0] * p[0] + axis[1] * p[1] + axis[2] * p[2]) * (1.0 - cos);
    for k in 0..3 {
        out[k] = p[k] * cos + out[k] * sin + axis[k] * d;
    }
}

#[differentiable]
fn out_parameters(cameras: &[Camera], points: &[[f64; 3]], #[constant] seen: &[[f64; 2]]) -> f64 {
    let mut total = 0.0;
    let mut q = [0.0; 3];
    for i in 0..points.len() {
        let camera = &cameras[i];
        rotate_into(&camera[..3], &points[i], &mut q);
        for k in 0..3 {
            q[k] += camera[3 + k];
        }
        let u = q[0] / q[2];
        let v = q[1] / q[2];
        let r2 = u * u + v * v;
        let d = 1.0 + camera[7] * r2 + camera[8] * r2 * r2;
        let ex = camera[6] * d * u - seen[i][0];
        let ey = camera[6] * d * v - seen[i][1];
        total += ex * ex + ey * ey;
    }
    total
}

#[differentiable]
fn rotation(r: &[f64]) -> [[f64; 3]; 3] {
    let theta = (r[0] * r[0] + r[1] * r[1] + r[2] * r[2]).sqrt();
    let (s, c) = theta.sin_cos();
    let (x, y, z) = (r[0] / theta, r[1] / theta, r[2] / theta);
    let o = 1.0 - c;
    [
        [c + o * x * x, o * x * y - s * z, o * x * z + s * y],
        [o * x * y + s * z, c + o * y * y, o * y * z - s * x],
        [o * x * z - s * y, o * y * z + s * x, c + o * z * z],
    ]
}

#[differentiable]
fn matrix(cameras: &[Camera], points: &[[f64; 3]], #[constant] seen: &[[f64; 2]]) -> f64 {
    let mut total = 0.0;
    for ((camera, p), seen) in cameras.iter().zip(points).zip(seen) {
        let m = rotation(&camera[0..3]);
        let mut q = [camera[3], camera[4], camera[5]];
        for i in 0..3 {
            for j in 0..3 {
                q[i] += m[i][j] * p[j];
            }
        }
        let (u, v) = (q[0] / q[2], q[1] / q[2]);
        let r2 = u * u + v * v;
        let d = 1.0 + camera[7] * r2 + camera[8] * r2 * r2;
        let ex = camera[6] * d * u - seen[0];
        let ey = camera[6] * d * v - seen[1];
        total += ex * ex + ey * ey;
    }
    total
}

#[differentiable]
fn loops(cameras: &[Camera], points: &[[f64; 3]], #[constant] seen: &[[f64; 2]]) -> f64 {
    let mut total = 0.0;
    for i in 0..points.len() {
        let camera = &cameras[i];
        let r = &camera[0..3];
        let t = &camera[3..6];
        let p = points[i];
        let mut theta2 = 0.0;
        for k in 0..3 {
            theta2 += r[k] * r[k];
        }
        let theta = theta2.sqrt();
        let axis = [r[0] / theta, r[1] / theta, r[2] / theta];
        let mut d = 0.0;
        for k in 0..3 {
            d += axis[k] * p[k];
        }
        let mut q = [0.0; 3];
        for k in 0..3 {
            let (k1, k2) = ((k + 1) % 3, (k + 2) % 3);
            let c = axis[k1] * p[k2] - axis[k2] * p[k1];
            q[k] = p[k] * theta.cos() + c * theta.sin() + axis[k] * d * (1.0 - theta.cos()) + t[k];
        }
        let u = q[0] / q[2];
        let v = q[1] / q[2];
        let r2 = u * u + v * v;
        let d = 1.0 + camera[7] * r2 + camera[8] * r2 * r2;
        total += (camera[6] * d * u - seen[i][0]).powi(2);
        total += (camera[6] * d * v - seen[i][1]).powi(2);
    }
    total
}

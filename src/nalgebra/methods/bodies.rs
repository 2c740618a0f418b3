//! Functions of a few numbers in plain Rust, whose derivatives the library's own macro makes: [`plain`](super::plain) makes rules of them.
//!
//! Each takes all of its numbers in one slice, and computes the same as the library's function. The value that programs see is the library's.

#![allow(
    clippy::cast_lossless,
    reason = "literals, in a function that is read by the macro"
)]

use crate::{Real, differentiable};

macro_rules! copies {
    ($($name:ident [$($k:literal)*] $n:literal;)*) => {$(
        #[differentiable]
        pub(super) fn $name<A: Real>(x: &[A]) -> [A; $n] {
            [$(x[$k]),*]
        }
    )*};
}
copies! {
    copy2 [0 1] 2;
    copy3 [0 1 2] 3;
    copy4 [0 1 2 3] 4;
    copy7 [0 1 2 3 4 5 6] 7;
    copy9 [0 1 2 3 4 5 6 7 8] 9;
    // From `w, i, j, k` to the order in memory.
    imaginary_first [1 2 3 0] 4;
    transposed2 [0 2 1 3] 4;
    transposed3 [0 3 6 1 4 7 2 5 8] 9;
}

/// `sin(√t) / √t`, which is smooth at zero.
#[differentiable]
fn sinc_of_root<A: Real>(t: A) -> A {
    if t < A::from_f64(0.01) {
        let mut sum = A::ONE;
        let mut term = A::ONE;
        for k in 1..7 {
            term = -term * t / A::from_f64((2 * k * (2 * k + 1)) as f64);
            sum += term;
        }
        sum
    } else {
        let root = t.sqrt();
        root.sin() / root
    }
}

/// `(1 - cos(√t)) / t`, which is smooth at zero.
#[differentiable]
fn versine_of_root<A: Real>(t: A) -> A {
    let half = sinc_of_root(t * A::from_f64(0.25));
    A::from_f64(0.5) * half * half
}

/// A rotation of the plane.
#[differentiable]
pub(super) fn rotation2<A: Real>(x: &[A]) -> [A; 4] {
    let (s, c) = (x[0].sin(), x[0].cos());
    [c, s, -s, c]
}

/// A complex number on the unit circle.
#[differentiable]
pub(super) fn on_circle<A: Real>(x: &[A]) -> [A; 2] {
    [x[0].cos(), x[0].sin()]
}

/// `I + a K + b K²` for the matrix `K` of the cross product with `w`: Rodrigues' formula.
#[differentiable]
fn rodrigues<A: Real>(w: [A; 3], a: A, b: A) -> [A; 9] {
    let [x, y, z] = w;
    [
        A::ONE - b * (y * y + z * z),
        b * x * y + a * z,
        b * x * z - a * y,
        b * x * y - a * z,
        A::ONE - b * (x * x + z * z),
        b * y * z + a * x,
        b * x * z + a * y,
        b * y * z - a * x,
        A::ONE - b * (x * x + y * y),
    ]
}

/// A rotation about an axis, by the axis's length.
#[differentiable]
pub(super) fn rotation3_of_vector<A: Real>(x: &[A]) -> [A; 9] {
    let t = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
    rodrigues([x[0], x[1], x[2]], sinc_of_root(t), versine_of_root(t))
}

/// A rotation about an axis of length one, by an angle. As the library's, it isn't that of the axis's direction where its length isn't one.
#[differentiable]
pub(super) fn rotation3_of_axis<A: Real>(x: &[A]) -> [A; 9] {
    let (s, c) = (x[3].sin(), x[3].cos());
    let (ux, uy, uz) = (x[0], x[1], x[2]);
    let rest = A::ONE - c;
    [
        ux * ux + (A::ONE - ux * ux) * c,
        ux * uy * rest + uz * s,
        ux * uz * rest - uy * s,
        ux * uy * rest - uz * s,
        uy * uy + (A::ONE - uy * uy) * c,
        uy * uz * rest + ux * s,
        ux * uz * rest + uy * s,
        uy * uz * rest - ux * s,
        uz * uz + (A::ONE - uz * uz) * c,
    ]
}

/// A rotation by roll, pitch and yaw.
#[differentiable]
pub(super) fn rotation3_of_euler<A: Real>(x: &[A]) -> [A; 9] {
    let (sr, cr) = (x[0].sin(), x[0].cos());
    let (sp, cp) = (x[1].sin(), x[1].cos());
    let (sy, cy) = (x[2].sin(), x[2].cos());
    [
        cy * cp,
        sy * cp,
        -sp,
        cy * sp * sr - sy * cr,
        sy * sp * sr + cy * cr,
        cp * sr,
        cy * sp * cr + sy * sr,
        sy * sp * cr - cy * sr,
        cp * cr,
    ]
}

/// The quaternion of a rotation about an axis, by the axis's length.
#[differentiable]
pub(super) fn quaternion_of_vector<A: Real>(x: &[A]) -> [A; 4] {
    let quarter = A::from_f64(0.25);
    let t = (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) * quarter;
    let a = A::from_f64(0.5) * sinc_of_root(t);
    let w = A::ONE - t * versine_of_root(t);
    [a * x[0], a * x[1], a * x[2], w]
}

/// The quaternion of a rotation about an axis of length one, by an angle.
#[differentiable]
pub(super) fn quaternion_of_axis<A: Real>(x: &[A]) -> [A; 4] {
    let half = x[3] * A::from_f64(0.5);
    let (s, c) = (half.sin(), half.cos());
    [x[0] * s, x[1] * s, x[2] * s, c]
}

/// The quaternion of a rotation by roll, pitch and yaw.
#[differentiable]
pub(super) fn quaternion_of_euler<A: Real>(x: &[A]) -> [A; 4] {
    let half = A::from_f64(0.5);
    let (roll, pitch, yaw) = (x[0] * half, x[1] * half, x[2] * half);
    let (sr, cr) = (roll.sin(), roll.cos());
    let (sp, cp) = (pitch.sin(), pitch.cos());
    let (sy, cy) = (yaw.sin(), yaw.cos());
    [
        sr * cp * cy - cr * sp * sy,
        cr * sp * cy + sr * cp * sy,
        cr * cp * sy - sr * sp * cy,
        cr * cp * cy + sr * sp * sy,
    ]
}

/// Four numbers, divided by their norm.
#[differentiable]
pub(super) fn unit4<A: Real>(x: &[A]) -> [A; 4] {
    let norm = (x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3]).sqrt();
    [x[0] / norm, x[1] / norm, x[2] / norm, x[3] / norm]
}

/// The conjugate of a quaternion.
#[differentiable]
pub(super) fn conjugate<A: Real>(x: &[A]) -> [A; 4] {
    [-x[0], -x[1], -x[2], x[3]]
}

/// The conjugate of a complex number.
#[differentiable]
pub(super) fn conjugate2<A: Real>(x: &[A]) -> [A; 2] {
    [x[0], -x[1]]
}

/// A vector, turned by a quaternion of length one.
#[differentiable]
fn turned<A: Real>(q: [A; 4], v: [A; 3]) -> [A; 3] {
    let [i, j, k, w] = q;
    let [x, y, z] = v;
    let two = A::from_f64(2.0);
    let (tx, ty, tz) = (
        two * (j * z - k * y),
        two * (k * x - i * z),
        two * (i * y - j * x),
    );
    [
        x + w * tx + (j * tz - k * ty),
        y + w * ty + (k * tx - i * tz),
        z + w * tz + (i * ty - j * tx),
    ]
}

/// A quaternion and a vector, which it turns.
#[differentiable]
pub(super) fn turned_by_quaternion<A: Real>(x: &[A]) -> [A; 3] {
    turned([x[0], x[1], x[2], x[3]], [x[4], x[5], x[6]])
}

/// The same, backwards.
#[differentiable]
pub(super) fn turned_back_by_quaternion<A: Real>(x: &[A]) -> [A; 3] {
    turned([-x[0], -x[1], -x[2], x[3]], [x[4], x[5], x[6]])
}

/// A matrix and a vector.
#[differentiable]
pub(super) fn turned_by_matrix<A: Real>(x: &[A]) -> [A; 3] {
    [
        x[0] * x[9] + x[3] * x[10] + x[6] * x[11],
        x[1] * x[9] + x[4] * x[10] + x[7] * x[11],
        x[2] * x[9] + x[5] * x[10] + x[8] * x[11],
    ]
}

/// The transpose of a matrix, and a vector.
#[differentiable]
pub(super) fn turned_back_by_matrix<A: Real>(x: &[A]) -> [A; 3] {
    [
        x[0] * x[9] + x[1] * x[10] + x[2] * x[11],
        x[3] * x[9] + x[4] * x[10] + x[5] * x[11],
        x[6] * x[9] + x[7] * x[10] + x[8] * x[11],
    ]
}

/// The matrix of a quaternion of length one.
#[differentiable]
pub(super) fn matrix_of_quaternion<A: Real>(x: &[A]) -> [A; 9] {
    let (i, j, k, w) = (x[0], x[1], x[2], x[3]);
    let (ww, ii, jj, kk) = (w * w, i * i, j * j, k * k);
    let two = A::from_f64(2.0);
    let (ij, wk, wj, ik, jk, wi) = (
        i * j * two,
        w * k * two,
        w * j * two,
        i * k * two,
        j * k * two,
        w * i * two,
    );
    [
        ww + ii - jj - kk,
        wk + ij,
        ik - wj,
        ij - wk,
        ww - ii + jj - kk,
        wi + jk,
        wj + ik,
        jk - wi,
        ww - ii - jj + kk,
    ]
}

/// The angle of a rotation by a quaternion.
#[differentiable]
pub(super) fn angle_of_quaternion<A: Real>(x: &[A]) -> [A; 1] {
    let norm = (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]).sqrt();
    [A::from_f64(2.0) * norm.atan2(x[3].abs())]
}

/// The angle of a rotation of the plane.
#[differentiable]
pub(super) fn angle_of_matrix2<A: Real>(x: &[A]) -> [A; 1] {
    [x[1].atan2(x[0])]
}

/// A translation and a rotation by a vector.
#[differentiable]
pub(super) fn isometry3<A: Real>(x: &[A]) -> [A; 7] {
    let quarter = A::from_f64(0.25);
    let t = (x[3] * x[3] + x[4] * x[4] + x[5] * x[5]) * quarter;
    let a = A::from_f64(0.5) * sinc_of_root(t);
    let w = A::ONE - t * versine_of_root(t);
    [x[0], x[1], x[2], a * x[3], a * x[4], a * x[5], w]
}

/// A translation and a rotation by an angle.
#[differentiable]
pub(super) fn isometry2<A: Real>(x: &[A]) -> [A; 4] {
    [x[0], x[1], x[2].cos(), x[2].sin()]
}

/// The inverse of an isometry.
#[differentiable]
pub(super) fn inverse_isometry3<A: Real>(x: &[A]) -> [A; 7] {
    let t = turned([-x[3], -x[4], -x[5], x[6]], [-x[0], -x[1], -x[2]]);
    [t[0], t[1], t[2], -x[3], -x[4], -x[5], x[6]]
}

/// An isometry and a point.
#[differentiable]
pub(super) fn moved_by_isometry<A: Real>(x: &[A]) -> [A; 3] {
    let y = turned([x[3], x[4], x[5], x[6]], [x[7], x[8], x[9]]);
    [y[0] + x[0], y[1] + x[1], y[2] + x[2]]
}

/// An isometry and a vector, which isn't moved.
#[differentiable]
pub(super) fn turned_by_isometry<A: Real>(x: &[A]) -> [A; 3] {
    turned([x[3], x[4], x[5], x[6]], [x[7], x[8], x[9]])
}

/// The matrix of the cross product.
#[differentiable]
pub(super) fn cross_matrix<A: Real>(x: &[A]) -> [A; 9] {
    let zero = A::ZERO;
    [zero, x[2], -x[1], -x[2], zero, x[0], x[1], -x[0], zero]
}

//! Points, rotations, quaternions, isometries: makers, operators, methods.

use crate::check::{Flat, check, map_table, table};
use chainrule::prelude::*;
use nalgebra::*;

#[differentiable]
fn point_new(x: f64, y: f64, z: f64) -> f64 {
    let p = Point3::new(x, y, z);
    let q = Point3::new(1.0, 2.0, 3.0);
    let d = p - q;
    d.norm() + p.coords.x
}

#[differentiable]
fn point_distance(p: &Point3<f64>, q: &Point3<f64>) -> f64 {
    nalgebra::distance(p, q) + (q - p).norm_squared() + p.x * q.y
}

#[differentiable]
fn rotation3_axis_angle(angle: f64, p: &Vector3<f64>) -> f64 {
    let r = Rotation3::from_axis_angle(&Vector3::z_axis(), angle);
    let q = r * p;
    q.x + q.y * q.y
}

#[differentiable]
fn rotation3_rotvec(w: &Vector3<f64>, p: &Vector3<f64>) -> f64 {
    let r = Rotation3::new(*w);
    let q = r * p;
    q.x + q.y * q.z
}

#[differentiable]
fn rotation2(angle: f64, p: &Vector2<f64>) -> f64 {
    let r = Rotation2::new(angle);
    let q = r * p;
    q.x * q.y
}

#[differentiable]
fn unit_quaternion_axis_angle(axis: &Vector3<f64>, angle: f64, p: &Vector3<f64>) -> f64 {
    let axis = Unit::new_normalize(*axis);
    let q = UnitQuaternion::from_axis_angle(&axis, angle);
    let r = q * p;
    r.x + r.y * r.z
}

#[differentiable]
fn quaternion_euler(r: f64, p: f64, y: f64, v: &Vector3<f64>) -> f64 {
    let q = UnitQuaternion::from_euler_angles(r, p, y);
    let w = q * v;
    w.x * w.y + w.z
}

#[differentiable]
fn isometry(t: &Vector3<f64>, w: &Vector3<f64>, p: &Point3<f64>) -> f64 {
    let iso = Isometry3::new(*t, *w);
    let q = iso * p;
    q.x * q.y + q.z
}

#[differentiable]
fn skew(w: &Vector3<f64>, v: &Vector3<f64>) -> f64 {
    let k = w.cross_matrix();
    (k * v).norm_squared() + (k * k)[(0, 1)]
}

/// The numbers of a type of geometry.
macro_rules! flat {
    ($($t:ty, |$x:ident| $($numbers:expr),+;)*) => {$(
        impl Flat for $t {
            const ROUNDOFF: f64 = f64::ROUNDOFF;

            fn map(&mut self, f: &mut dyn FnMut(f64) -> f64) {
                let $x = self;
                $(
                    for number in $numbers.iter_mut() {
                        *number = f(*number);
                    }
                )+
            }
        }
    )*};
}
flat! {
    Point2<f64>, |x| x.coords;
    Point3<f64>, |x| x.coords;
    Rotation2<f64>, |x| x.matrix_mut_unchecked();
    Rotation3<f64>, |x| x.matrix_mut_unchecked();
    Quaternion<f64>, |x| x.coords;
    UnitQuaternion<f64>, |x| x.as_mut_unchecked().coords;
    Unit<Vector3<f64>>, |x| x.as_mut_unchecked();
    Translation3<f64>, |x| x.vector;
    Isometry3<f64>, |x| x.translation.vector, x.rotation.as_mut_unchecked().coords;
}

fn turn() -> UnitQuaternion<f64> {
    UnitQuaternion::from_euler_angles(0.1, 0.2, 0.3)
}

fn vector() -> Vector3<f64> {
    Vector3::new(0.3, -0.7, 1.1)
}

fn other() -> Vector3<f64> {
    Vector3::new(1.0, 0.2, 0.4)
}

// ---- Makers: the result in all of its numbers. -----------------------------------------------------------------------

#[differentiable]
fn rotation3_of_vector(w: Vector3<f64>) -> Matrix3<f64> {
    Rotation3::new(w).into_inner()
}

#[differentiable]
fn rotation3_of_axis(axis: &Unit<Vector3<f64>>, angle: f64) -> Matrix3<f64> {
    Rotation3::from_axis_angle(axis, angle).into_inner()
}

#[differentiable]
fn rotation3_of_angles(roll: f64, pitch: f64, yaw: f64) -> Rotation3<f64> {
    Rotation3::from_euler_angles(roll, pitch, yaw)
}

#[differentiable]
fn quaternion_of_vector(w: Vector3<f64>) -> UnitQuaternion<f64> {
    UnitQuaternion::from_scaled_axis(w)
}

#[differentiable]
fn quaternion_of_axis(axis: &Unit<Vector3<f64>>, angle: f64) -> UnitQuaternion<f64> {
    UnitQuaternion::from_axis_angle(axis, angle)
}

#[differentiable]
fn quaternion_of_numbers(w: f64, i: f64, j: f64, k: f64) -> UnitQuaternion<f64> {
    UnitQuaternion::new_normalize(Quaternion::new(w, i, j, k))
}

#[differentiable]
fn unit(x: Vector3<f64>) -> Unit<Vector3<f64>> {
    Unit::new_normalize(x * 2.0)
}

#[differentiable]
fn matrix_of_quaternion(q: &UnitQuaternion<f64>) -> Rotation3<f64> {
    q.to_rotation_matrix()
}

#[differentiable]
fn isometry_of_vectors(t: Vector3<f64>, w: Vector3<f64>) -> Isometry3<f64> {
    Isometry3::new(t, w)
}

#[differentiable]
fn isometry_of_parts(t: Vector3<f64>, q: UnitQuaternion<f64>) -> Isometry3<f64> {
    Isometry3::from_parts(Translation3::from(t), q).inverse()
}

// ---- Operators and methods. ------------------------------------------------------------------------------------------

#[differentiable]
fn products(a: &Rotation3<f64>, b: Rotation3<f64>, v: &Vector3<f64>, p: Point3<f64>) -> f64 {
    let c = a * b;
    let q = c * p;
    let w = c.inverse() * v;
    (q - p).norm() * w.x + (c.transpose() * a * q).coords.dot(&w) + c[(0, 1)] + (a * v).cross(v).y
}

#[differentiable]
fn quaternion_products(
    a: &UnitQuaternion<f64>,
    b: UnitQuaternion<f64>,
    v: &Vector3<f64>,
    p: &Point3<f64>,
) -> f64 {
    let c = a * b.inverse();
    let q = c * p;
    let w = b * v + c.transform_vector(v) + c.inverse_transform_vector(&q.coords);
    q.coords.dot(&w) + a.inverse_transform_point(p).x * b.transform_point(p).y
}

#[differentiable]
fn isometry_products(
    a: &Isometry3<f64>,
    b: Isometry3<f64>,
    v: &Vector3<f64>,
    p: &Point3<f64>,
) -> f64 {
    let c = a * b;
    let q = c * p;
    let w = c * v + a.transform_vector(v);
    q.coords.dot(&w) + a.transform_point(&q).z + c.translation.vector.norm()
}

#[differentiable]
fn point_arithmetic(p: Point3<f64>, q: &Point3<f64>, v: &Vector3<f64>, k: f64) -> f64 {
    let mut r = p + v * k;
    r -= v;
    r.y = k * p.x;
    let s = (r - q) * k;
    let t = Point3::from(s) * k / 3.0;
    t.x * t[1] + s.norm() + nalgebra::distance(&r, q) + nalgebra::distance_squared(&r, q)
}

#[differentiable]
fn angles(w: &Vector3<f64>, k: f64) -> f64 {
    UnitQuaternion::from_scaled_axis(*w).angle() * Rotation2::new(k).angle()
        + UnitQuaternion::new(*w).conjugate().angle()
}

#[differentiable]
fn plane(k: f64, v: &Vector2<f64>, p: &Point2<f64>) -> f64 {
    let r = Rotation2::new(k);
    let q = UnitComplex::new(k);
    let m = Isometry2::new(*v, k);
    let w = q * v + r.inverse() * v;
    (m * p).coords.dot(&w) + (r * p).x * (q * q * p).y
}

#[differentiable]
fn moved(t: &Translation3<f64>, p: &Point3<f64>) -> f64 {
    (t * p).coords.norm_squared() + (t * t * p).x
}

table! {
    point_new: (0.3, -0.7, 1.1);
    point_distance: (&Point3::new(0.3, -0.7, 1.1), &Point3::new(1.0, 0.2, 0.4));
    rotation3_axis_angle: (0.4, &Vector3::new(0.3, -0.7, 1.1));
    rotation3_rotvec: (&Vector3::new(0.3, -0.7, 1.1), &Vector3::new(1.0, 0.2, 0.4));
    rotation2: (0.4, &Vector2::new(0.3, -0.7));
    unit_quaternion_axis_angle: (&Vector3::new(0.3, -0.7, 1.1), 0.4, &Vector3::new(1.0, 0.2, 0.4));
    quaternion_euler: (0.1, 0.2, 0.3, &Vector3::new(1.0, 0.2, 0.4));
    isometry: (&Vector3::new(1.0, 0.2, 0.4), &Vector3::new(0.1, 0.2, 0.3), &Point3::new(0.3, -0.7, 1.1));
    skew: (&Vector3::new(0.3, -0.7, 1.1), &Vector3::new(1.0, 0.2, 0.4));
    products: (&turn().to_rotation_matrix(), Rotation3::new(other()), &vector(), Point3::from(other()));
    quaternion_products: (&turn(), UnitQuaternion::new(other()), &vector(), &Point3::from(other()));
    isometry_products: (&Isometry3::new(vector(), other()), Isometry3::new(other(), vector()), &vector(), &Point3::from(other()));
    point_arithmetic: (Point3::from(vector()), &Point3::from(other()), &vector(), 0.7);
    angles: (&vector(), 0.4);
    plane: (0.4, &Vector2::new(0.3, -0.7), &Point2::new(1.1, 0.2));
    moved: (&Translation3::from(vector()), &Point3::from(other()));
}

map_table! {
    rotation3_of_vector: (vector());
    rotation3_of_axis: (&Unit::new_normalize(vector()), 0.4);
    rotation3_of_angles: (0.1, 0.2, 0.3);
    quaternion_of_vector: (vector());
    quaternion_of_axis: (&Unit::new_normalize(vector()), 0.4);
    quaternion_of_numbers: (0.9, 0.1, 0.2, 0.3);
    unit: (vector());
    matrix_of_quaternion: (&turn());
    isometry_of_vectors: (vector(), other());
    isometry_of_parts: (vector(), turn());
}

/// A rotation by nothing has the derivative of Rodrigues' formula there, though the library returns the identity without computing anything.
#[test]
fn no_rotation() {
    let zero = Vector3::<f64>::zeros();
    let w = Vector3::new(0.3, -0.7, 1.1);
    let (value, tangent) = rotation3_of_vector::jvp(zero, w);
    assert_eq!((value, tangent), (Matrix3::identity(), w.cross_matrix()));
    let (_, tangent) = quaternion_of_vector::jvp(zero, w);
    assert_eq!(tangent.coords, Vector4::new(0.15, -0.35, 0.55, 0.0));
    // Near it, the second derivative is smooth as well.
    for size in [1e-9, 1e-3, 0.099, 0.101] {
        let w = w * size / w.norm();
        check!(rotation3_rotvec(&(w * 1.0), &other()));
    }
}

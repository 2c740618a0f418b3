//! Models as programs write them: cameras, filters, regressions, rigid bodies.

use crate::check::{check, flat, table};
use chainrule::prelude::*;
use nalgebra::*;

#[derive(Clone, Differentiable)]
struct Camera {
    rotation: Vector3<f64>,
    translation: Vector3<f64>,
    focal: f64,
    k1: f64,
    k2: f64,
}
#[differentiable]
fn rotate(w: &Vector3<f64>, x: &Vector3<f64>) -> Vector3<f64> {
    let theta = w.norm();
    let axis = w / theta;
    let (s, c) = theta.sin_cos();
    x * c + axis.cross(x) * s + axis * (axis.dot(x) * (1.0 - c))
}
#[differentiable]
fn project(cam: &Camera, x: &Vector3<f64>) -> Vector2<f64> {
    let p = rotate(&cam.rotation, x) + cam.translation;
    let q = Vector2::new(-p.x / p.z, -p.y / p.z);
    let r2 = q.norm_squared();
    q * (cam.focal * (1.0 + cam.k1 * r2 + cam.k2 * r2 * r2))
}
#[differentiable]
fn camera_projection(cam: &Camera, x: &Vector3<f64>, #[constant] seen: &Vector2<f64>) -> f64 {
    (project(cam, x) - seen).norm_squared()
}

#[differentiable]
fn pnp_pinhole(
    k: &Matrix3<f64>,
    w: &Vector3<f64>,
    t: &Vector3<f64>,
    #[constant] points: &[Point3<f64>],
    #[constant] seen: &[Point2<f64>],
) -> f64 {
    let r = Rotation3::from_scaled_axis(*w);
    let mut s = 0.0;
    for (p, q) in points.iter().zip(seen) {
        let c = k * (r * p.coords + t);
        let u = Vector2::new(c.x / c.z, c.y / c.z);
        s += (u - q.coords).norm_squared();
    }
    s
}

#[differentiable]
fn pendulum(state: Vector2<f64>, g: f64, l: f64, dt: f64) -> f64 {
    let mut s = state;
    for _ in 0..5 {
        let d = Vector2::new(s.y, -g / l * s.x.sin());
        s += d * dt;
    }
    let a = Matrix2::new(0.0, 1.0, -g / l * s.x.cos(), 0.0);
    (a * s).norm_squared()
}

#[derive(Clone, Differentiable)]
struct Kalman {
    x: DVector<f64>,
    p: DMatrix<f64>,
}
#[differentiable]
fn step(
    k: &Kalman,
    f: &DMatrix<f64>,
    h: &DMatrix<f64>,
    q: &DMatrix<f64>,
    r: &DMatrix<f64>,
    z: &DVector<f64>,
) -> Kalman {
    let x = f * &k.x;
    let p = f * &k.p * f.transpose() + q;
    let y = z - h * &x;
    let s = h * &p * h.transpose() + r;
    let gain = &p * h.transpose() * s.try_inverse().unwrap();
    let n = x.len();
    Kalman {
        x: x + &gain * y,
        p: (DMatrix::identity(n, n) - &gain * h) * p,
    }
}
#[differentiable]
fn kalman_dynamic(
    k: &Kalman,
    a: &DMatrix<f64>,
    h: &DMatrix<f64>,
    q: &DMatrix<f64>,
    r: &DMatrix<f64>,
    z: &DVector<f64>,
) -> f64 {
    let n = step(k, a, h, q, r, z);
    n.x.norm_squared() + n.p.trace()
}

#[differentiable]
fn kalman_fixed(x: &Vector2<f64>, p: &Matrix2<f64>, dt: f64, q: f64, r: f64, z: f64) -> f64 {
    let f = Matrix2::new(1.0, dt, 0.0, 1.0);
    let h = RowVector2::new(1.0, 0.0);
    let x = f * x;
    let p = f * p * f.transpose() + Matrix2::identity() * q;
    let s = (h * p * h.transpose())[(0, 0)] + r;
    let k = p * h.transpose() / s;
    let y = z - (h * x)[0];
    let x2 = x + k * y;
    let p2 = (Matrix2::identity() - k * h) * p;
    0.5 * (y * y / s + s.ln()) + x2.norm() + p2.trace()
}

#[differentiable]
fn gaussian_logpdf(x: &DVector<f64>, mu: &DVector<f64>, sigma: &DMatrix<f64>) -> f64 {
    let n = x.len() as f64;
    let chol = sigma.clone().cholesky().unwrap();
    let d = x - mu;
    let q = d.dot(&chol.solve(&d));
    let log_det = 2.0 * chol.l().diagonal().iter().map(|v| v.ln()).sum::<f64>();
    -0.5 * (n * (2.0 * std::f64::consts::PI).ln() + log_det + q)
}

#[differentiable]
fn gp_marginal(
    ell: f64,
    sf: f64,
    sn: f64,
    #[constant] x: &DMatrix<f64>,
    #[constant] y: &DVector<f64>,
) -> f64 {
    let n = x.nrows();
    let mut k = DMatrix::zeros(n, n);
    for i in 0..n {
        for j in 0..n {
            let d = (x.row(i) - x.row(j)).norm_squared();
            k[(i, j)] = sf * sf * (-0.5 * d / (ell * ell)).exp();
        }
        k[(i, i)] += sn * sn;
    }
    let chol = k.cholesky().unwrap();
    let alpha = chol.solve(y);
    -0.5 * y.dot(&alpha) - chol.l().diagonal().map(|v| v.ln()).sum()
}

#[differentiable]
fn rigid_body(q: &Vector4<f64>, t: &Vector3<f64>, p: &Vector3<f64>) -> f64 {
    let q = q.normalize();
    let (w, v) = (q[3], Vector3::new(q[0], q[1], q[2]));
    let u = 2.0 * v.cross(p);
    let r = p + w * u + v.cross(&u) + t;
    r.x * r.y + r.z
}

#[differentiable]
fn quaternion_attitude(w: &Vector3<f64>, dt: f64, #[constant] v: &Vector3<f64>) -> f64 {
    let mut q = UnitQuaternion::identity();
    for _ in 0..3 {
        q = q * UnitQuaternion::from_scaled_axis(w * dt);
    }
    let r = q.transform_vector(v);
    r.x * r.y + r.z
}

#[differentiable]
fn linear_regression(
    w: &DVector<f64>,
    b: f64,
    #[constant] x: &DMatrix<f64>,
    #[constant] y: &DVector<f64>,
) -> f64 {
    let r = (x * w).add_scalar(b) - y;
    r.norm_squared() / (2.0 * y.len() as f64) + 0.1 * w.dot(w)
}

#[differentiable]
fn lqr_cost(
    k: &SMatrix<f64, 1, 2>,
    #[constant] a: &Matrix2<f64>,
    #[constant] b: &Vector2<f64>,
    #[constant] q: &Matrix2<f64>,
    #[constant] r: f64,
) -> f64 {
    let mut x = Vector2::new(1.0, 0.5);
    let mut cost = 0.0;
    for _ in 0..6 {
        let u = -(k * x)[0];
        cost += (x.transpose() * q * x)[(0, 0)] + r * u * u;
        x = a * x + b * u;
    }
    cost
}

#[derive(Clone, Differentiable)]
struct Mlp {
    w1: DMatrix<f64>,
    b1: DVector<f64>,
    w2: DMatrix<f64>,
    b2: DVector<f64>,
}
impl Mlp {
    #[differentiable]
    fn forward(&self, x: &DVector<f64>) -> DVector<f64> {
        let h = (&self.w1 * x + &self.b1).map(f64::tanh);
        &self.w2 * h + &self.b2
    }
}
#[differentiable]
fn mlp(m: &Mlp, #[constant] x: &DVector<f64>, #[constant] y: &DVector<f64>) -> f64 {
    let e = m.forward(x) - y;
    e.dot(&e)
}

const A: Matrix2<f64> = Matrix2::new(1.0, 2.0, 3.0, 4.0);
#[differentiable]
fn const_matrix(x: &Vector2<f64>) -> f64 {
    let y = A * x;
    y.dot(x) + y.sum()
}

#[differentiable]
fn vec_of_vectors(ps: &[Vector3<f64>]) -> f64 {
    let mut c = Vector3::zeros();
    for p in ps {
        c += p;
    }
    c /= ps.len() as f64;
    let mut s = Matrix3::zeros();
    for p in ps.iter() {
        let d = p - c;
        s += d * d.transpose();
    }
    s.trace() + s[(0, 1)]
}

#[derive(Clone, Differentiable)]
struct Body {
    p: Vector3<f64>,
    v: Vector3<f64>,
    m: f64,
}
#[differentiable]
fn nbody(bodies: &[Body]) -> f64 {
    let mut e = 0.0;
    for i in 0..bodies.len() {
        e += 0.5 * bodies[i].m * bodies[i].v.norm_squared();
        for j in 0..i {
            let d = bodies[i].p - bodies[j].p;
            e -= bodies[i].m * bodies[j].m / d.norm();
        }
    }
    e
}

#[differentiable]
fn deriv(a: &Matrix2<f64>, x: &Vector2<f64>) -> Vector2<f64> {
    a * x
}
#[differentiable]
fn rk4_matrix(a: &Matrix2<f64>, x0: &Vector2<f64>, h: f64) -> f64 {
    let mut x = *x0;
    for _ in 0..3 {
        let k1 = deriv(a, &x);
        let k2 = deriv(a, &(x + k1 * (h / 2.0)));
        let k3 = deriv(a, &(x + k2 * (h / 2.0)));
        let k4 = deriv(a, &(x + k3 * h));
        x += (k1 + 2.0 * k2 + 2.0 * k3 + k4) * (h / 6.0);
    }
    x.norm()
}

#[differentiable]
fn sum_of_terms(ws: &[DVector<f64>], x: &DVector<f64>) -> f64 {
    ws.iter().map(|w| w.dot(x).tanh()).sum::<f64>()
}

flat!(Camera { rotation: Vector3<f64>, translation: Vector3<f64>, focal: f64, k1: f64, k2: f64 });
flat!(Kalman { x: DVector<f64>, p: DMatrix<f64> });
flat!(Mlp { w1: DMatrix<f64>, b1: DVector<f64>, w2: DMatrix<f64>, b2: DVector<f64> });
flat!(Body { p: Vector3<f64>, v: Vector3<f64>, m: f64 });

table! {
    camera_projection: (&Camera { rotation: Vector3::new(0.1, 0.2, -0.3), translation: Vector3::new(0.1, 0.0, 4.0), focal: 1.5, k1: 0.1, k2: 0.02 }, &Vector3::new(0.3, -0.7, 1.1), const &Vector2::new(0.1, 0.2));
    pnp_pinhole: (&Matrix3::new(1.5, 0.0, 0.75, 0.0, 2.25, -0.5, 0.0, 0.0, 1.0), &Vector3::new(0.1, 0.2, -0.3), &Vector3::new(0.1, 0.0, 4.0), const &[Point3::new(0.3, -0.7, 1.1), Point3::new(0.1, 0.2, 0.5)], const &[Point2::new(0.3, -0.7), Point2::new(0.1, 0.2)]);
    pendulum: (Vector2::new(0.3, 0.1), 9.81, 1.3, 0.01);
    kalman_dynamic: (&Kalman { x: DVector::from_vec(vec![0.3, 0.4]), p: DMatrix::from_row_slice(2, 2, &[1.5, 0.25, 0.25, 1.7]) }, &DMatrix::from_row_slice(2, 2, &[1.0, 0.1, 0.0, 1.0]), &DMatrix::from_row_slice(1, 2, &[1.0, 0.3]), &DMatrix::from_row_slice(2, 2, &[0.1, 0.0, 0.0, 0.1]), &DMatrix::from_row_slice(1, 1, &[0.3]), &DVector::from_vec(vec![0.6]));
    kalman_fixed: (&Vector2::new(0.3, 0.1), &Matrix2::new(1.5, 0.25, 0.25, 1.7), 0.1, 0.2, 0.3, 0.6);
    gaussian_logpdf: (&DVector::from_vec(vec![0.3, 0.4]), &DVector::from_vec(vec![0.1, 0.7]), &DMatrix::from_row_slice(2, 2, &[1.5, 0.25, 0.25, 1.7]));
    gp_marginal: (0.8, 1.1, 0.3, const &DMatrix::from_row_slice(3, 2, &[0.5, -1.25, 0.75, 1.5, 0.25, -0.5]), const &DVector::from_vec(vec![0.3, 0.4, -0.2]));
    rigid_body: (&Vector4::new(0.1, 0.2, 0.3, 0.9), &Vector3::new(0.3, -0.7, 1.1), &Vector3::new(1.0, 0.2, 0.4));
    quaternion_attitude: (&Vector3::new(0.3, -0.7, 1.1), 0.1, const &Vector3::new(1.0, 0.2, 0.4));
    linear_regression: (&DVector::from_vec(vec![0.3, 0.4]), 0.3, const &DMatrix::from_row_slice(3, 2, &[0.5, -1.25, 0.75, 1.5, 0.25, -0.5]), const &DVector::from_vec(vec![0.3, 0.4, -0.2]));
    lqr_cost: (&SMatrix::<f64, 1, 2>::new(0.4, 0.6), const &Matrix2::new(1.0, 0.1, 0.0, 1.0), const &Vector2::new(0.0, 0.1), const &Matrix2::new(1.0, 0.0, 0.0, 0.2), const 0.1);
    mlp: (&Mlp { w1: DMatrix::from_row_slice(2, 2, &[0.5, -1.25, 0.75, 1.5]), b1: DVector::from_vec(vec![0.1, 0.2]), w2: DMatrix::from_row_slice(1, 2, &[0.5, -0.3]), b2: DVector::from_vec(vec![0.1]) }, const &DVector::from_vec(vec![0.3, 0.4]), const &DVector::from_vec(vec![0.6]));
    const_matrix: (&Vector2::new(0.3, 0.1));
    vec_of_vectors: (&[Vector3::new(0.3, -0.7, 1.1), Vector3::new(1.0, 0.2, 0.4)]);
    nbody: (&[Body { p: Vector3::new(0.3, -0.7, 1.1), v: Vector3::new(1.0, 0.2, 0.4), m: 1.2 }, Body { p: Vector3::new(1.3, -0.2, 0.1), v: Vector3::new(0.0, 0.2, 0.1), m: 0.7 }]);
    rk4_matrix: (&Matrix2::new(0.5, -1.25, 0.75, 0.5), &Vector2::new(0.3, 0.1), 0.2);
    sum_of_terms: (&[DVector::from_vec(vec![0.3, 0.4]), DVector::from_vec(vec![0.1, -0.4])], &DVector::from_vec(vec![0.5, 0.7]));
}

/// Nothing but the method that takes it says that a result of `map` is no `Option`.
#[differentiable]
fn gated_by_itself(h: &DVector<f64>) -> f64 {
    let gate = h.component_mul(h).map(|v| v.tanh());
    h.component_mul(&gate).sum()
}

#[test]
fn results_of_maps_as_arguments() {
    check!(gated_by_itself(&DVector::from_vec(vec![0.3, -0.7, 1.1])));
}

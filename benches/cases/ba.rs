//! Bundle adjustment: residuals of 3-vectors, and two rows of a Jacobian for each (`GradBench`: ba).

#![expect(
    clippy::inline_always,
    reason = "an adjoint by hand is as fast as its author can make it"
)]

use std::array::from_fn;

use crate::harness::case::Case;
use crate::harness::input::Random;
use gradbench::evals::ba::{cross, dot, residual};

/// Derivatives of one row: of the camera, the point, the weight.
const ROW: usize = 15;

/// What is observed.
struct Problem {
    cams: Vec<[f64; 11]>,
    points: Vec<[f64; 3]>,
    weights: Vec<f64>,
    feats: Vec<[f64; 2]>,
}

/// An observation: a camera, a point, a weight, and where the point was seen.
type Observation<'a> = (&'a [f64; 11], &'a [f64; 3], f64, &'a [f64; 2]);

impl Problem {
    fn observations(&self) -> impl Iterator<Item = Observation<'_>> {
        let seen = self.cams.iter().cycle().zip(self.points.iter().cycle());
        let seen = seen.zip(&self.weights).zip(&self.feats);
        seen.map(|(((cam, point), weight), feat)| (cam, point, *weight, feat))
    }
}

/// The rows of this group.
pub fn cases() -> Vec<Case> {
    let (n, m, o) = (49, 776, 3000);
    let mut random = Random::new(4);
    let problem = Problem {
        cams: (0..n).map(|_| array(&random.uniforms(11))).collect(),
        points: (0..m)
            .map(|_| array::<3>(&random.uniforms(3)).map(|x| 1.0 + x))
            .collect(),
        weights: random.uniforms(o),
        feats: (0..o).map(|_| array(&random.uniforms(2))).collect(),
    };
    vec![
        Case::new(
            "ba",
            problem,
            vec![0.0; 2 * ROW * o],
            |problem| {
                let errors = problem
                    .observations()
                    .map(|(c, x, w, f)| residual(c, x, w, f));
                errors.map(|[a, b]| a + b).sum()
            },
            |problem, rows| {
                let mut sum = 0.0;
                let rows = rows.chunks_exact_mut(2 * ROW);
                for ((c, x, w, f), rows) in problem.observations().zip(rows) {
                    let seeds = [[1.0, 0.0], [0.0, 1.0]];
                    for (seed, row) in seeds.into_iter().zip(rows.chunks_exact_mut(ROW)) {
                        let ([a, b], (cam, point, weight)) = residual::vjp(c, x, w, f, seed);
                        sum += a * seed[0] + b * seed[1];
                        row[..11].copy_from_slice(&cam);
                        row[11..14].copy_from_slice(&point);
                        row[14] = weight;
                    }
                }
                sum
            },
            |problem, rows| by_hand(problem, rows),
        )
        .cancelling(1e4),
    ]
}

fn array<const N: usize>(values: &[f64]) -> [f64; N] {
    from_fn(|i| values[i])
}

/// Both rows in one reverse half; residuals in structs on the stack.
fn by_hand(problem: &Problem, rows: &mut [f64]) -> f64 {
    let mut sum = 0.0;
    let all = rows.chunks_exact_mut(2 * ROW);
    for ((c, x, w, f), rows) in problem.observations().zip(all) {
        let seeds = [[1.0, 0.0], [0.0, 1.0]];
        let ([a, b], cam, point, weight) = residual_combined::<2>(c, x, w, f, &seeds);
        sum += a + b;
        for (n, row) in rows.chunks_exact_mut(ROW).enumerate() {
            let bars = cam.iter().chain(&point).chain([&weight]);
            for (to, bar) in row.iter_mut().zip(bars) {
                *to = bar[n];
            }
        }
    }
    sum
}

/// One cotangent for each direction.
type Lanes<const N: usize> = [f64; N];

#[inline(always)]
fn times<const N: usize>(s: f64, a: &Lanes<N>) -> Lanes<N> {
    from_fn(|n| s * a[n])
}

#[inline(always)]
fn add<const N: usize>(to: &mut Lanes<N>, s: f64, a: &Lanes<N>) {
    for n in 0..N {
        to[n] += s * a[n];
    }
}

/// Reverse of `c = cross(a, b)`.
#[inline(always)]
fn cross_reverse<const N: usize>(
    a: &[f64; 3],
    a_bar: &mut [Lanes<N>; 3],
    b: &[f64; 3],
    b_bar: &mut [Lanes<N>; 3],
    c_bar: &[Lanes<N>; 3],
) {
    for (i, j, k) in [(0, 1, 2), (1, 2, 0), (2, 0, 1)] {
        add(&mut a_bar[j], b[k], &c_bar[i]);
        add(&mut b_bar[k], a[j], &c_bar[i]);
        add(&mut a_bar[k], -b[j], &c_bar[i]);
        add(&mut b_bar[j], -a[k], &c_bar[i]);
    }
}

#[inline(always)]
fn dot_reverse<const N: usize>(
    a: &[f64; 3],
    a_bar: &mut [Lanes<N>; 3],
    b: &[f64; 3],
    b_bar: &mut [Lanes<N>; 3],
    bar: &Lanes<N>,
) {
    for i in 0..3 {
        add(&mut a_bar[i], b[i], bar);
        add(&mut b_bar[i], a[i], bar);
    }
}

/// What `rotate` keeps: a struct, no box; the branch that was taken is in the variant.
enum RotateResiduals {
    Turn {
        theta: f64,
        sin: f64,
        cos: f64,
        a: [f64; 3],
        av: [f64; 3],
        d: f64,
        tmp: f64,
    },
    Small,
}

#[inline(always)]
fn rotate_forward(r: &[f64; 3], v: &[f64; 3]) -> ([f64; 3], RotateResiduals) {
    let t2 = dot(r, r);
    if t2 == 0.0 {
        let rv = cross(r, v);
        (from_fn(|i| v[i] + rv[i]), RotateResiduals::Small)
    } else {
        let theta = t2.sqrt();
        let (sin, cos) = theta.sin_cos();
        let a = r.map(|r| r / theta);
        let av = cross(&a, v);
        let d = dot(&a, v);
        let tmp = d * (1.0 - cos);
        (
            from_fn(|i| v[i] * cos + av[i] * sin + a[i] * tmp),
            RotateResiduals::Turn {
                theta,
                sin,
                cos,
                a,
                av,
                d,
                tmp,
            },
        )
    }
}

#[inline(always)]
fn rotate_reverse<const N: usize>(
    residuals: &RotateResiduals,
    r: &[f64; 3],
    r_bar: &mut [Lanes<N>; 3],
    v: &[f64; 3],
    v_bar: &mut [Lanes<N>; 3],
    p_bar: &[Lanes<N>; 3],
) {
    match residuals {
        RotateResiduals::Turn {
            theta,
            sin,
            cos,
            a,
            av,
            d,
            tmp,
        } => {
            let (mut sin_bar, mut cos_bar, mut tmp_bar) = ([0.0; N], [0.0; N], [0.0; N]);
            let (mut a_bar, mut av_bar) = ([[0.0; N]; 3], [[0.0; N]; 3]);
            for i in 0..3 {
                add(&mut v_bar[i], *cos, &p_bar[i]);
                add(&mut cos_bar, v[i], &p_bar[i]);
                av_bar[i] = times(*sin, &p_bar[i]);
                add(&mut sin_bar, av[i], &p_bar[i]);
                a_bar[i] = times(*tmp, &p_bar[i]);
                add(&mut tmp_bar, a[i], &p_bar[i]);
            }
            let d_bar = times(1.0 - cos, &tmp_bar);
            add(&mut cos_bar, -d, &tmp_bar);
            dot_reverse(a, &mut a_bar, v, v_bar, &d_bar);
            cross_reverse(a, &mut a_bar, v, v_bar, &av_bar);
            let mut theta_bar = times(*cos, &sin_bar);
            add(&mut theta_bar, -sin, &cos_bar);
            let inverse = 1.0 / theta;
            for i in 0..3 {
                add(&mut r_bar[i], inverse, &a_bar[i]);
                add(&mut theta_bar, -a[i] * inverse, &a_bar[i]);
            }
            let t2_bar = times(0.5 * inverse, &theta_bar);
            for i in 0..3 {
                add(&mut r_bar[i], 2.0 * r[i], &t2_bar);
            }
        }
        RotateResiduals::Small => {
            for i in 0..3 {
                add(&mut v_bar[i], 1.0, &p_bar[i]);
            }
            cross_reverse(r, r_bar, v, v_bar, p_bar);
        }
    }
}

/// Values and N rows of cotangents times the Jacobian, for `e_bar[i]` the N cotangents of residual `i`.
#[inline(always)]
fn residual_combined<const N: usize>(
    cam: &[f64; 11],
    x: &[f64; 3],
    w: f64,
    feat: &[f64; 2],
    e_bar: &[Lanes<N>; 2],
) -> ([f64; 2], [Lanes<N>; 11], [Lanes<N>; 3], Lanes<N>) {
    let r = [cam[0], cam[1], cam[2]];
    let v = [x[0] - cam[3], x[1] - cam[4], x[2] - cam[5]];
    let (p, rotation) = rotate_forward(&r, &v);
    let q = [p[0] / p[2], p[1] / p[2]];
    let s = q[0] * q[0] + q[1] * q[1];
    let distortion = 1.0 + cam[9] * s + cam[10] * s * s;
    let g: [f64; 2] = from_fn(|i| q[i] * distortion * cam[6] + cam[7 + i] - feat[i]);
    let e = g.map(|g| w * g);

    let mut cam_bar = [[0.0; N]; 11];
    let (mut w_bar, mut distortion_bar, mut q_bar) = ([0.0; N], [0.0; N], [[0.0; N]; 2]);
    for i in 0..2 {
        add(&mut w_bar, g[i], &e_bar[i]);
        cam_bar[7 + i] = times(w, &e_bar[i]);
        let g_bar = cam_bar[7 + i];
        add(&mut cam_bar[6], q[i] * distortion, &g_bar);
        add(&mut distortion_bar, q[i] * cam[6], &g_bar);
        q_bar[i] = times(distortion * cam[6], &g_bar);
    }
    cam_bar[9] = times(s, &distortion_bar);
    cam_bar[10] = times(s * s, &distortion_bar);
    let s_bar = times(cam[9] + 2.0 * cam[10] * s, &distortion_bar);
    let inverse = 1.0 / p[2];
    let mut p_bar = [[0.0; N]; 3];
    for i in 0..2 {
        add(&mut q_bar[i], 2.0 * q[i], &s_bar);
        p_bar[i] = times(inverse, &q_bar[i]);
        add(&mut p_bar[2], -q[i] * inverse, &q_bar[i]);
    }
    let (mut r_bar, mut v_bar) = ([[0.0; N]; 3], [[0.0; N]; 3]);
    rotate_reverse(&rotation, &r, &mut r_bar, &v, &mut v_bar, &p_bar);
    for i in 0..3 {
        cam_bar[i] = r_bar[i];
        cam_bar[3 + i] = v_bar[i].map(|v| -v);
    }
    (e, cam_bar, v_bar, w_bar)
}

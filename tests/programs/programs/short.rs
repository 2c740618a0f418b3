//! Programs of a few lines.

use chainrule::prelude::*;

use crate::check::{map_table, table};

/// A symmetric positive definite matrix, row by row.
const A: [f64; 9] = [2.3, 0.4, -0.3, 0.4, 1.9, 0.2, -0.3, 0.2, 1.4];
const X: [f64; 6] = [0.7, 1.9, -0.4, 1.3, 0.2, -1.1];

fn x(n: usize) -> Vec<f64> {
    X[..n].to_vec()
}

/// Cholesky's factor in place; the logarithm of the determinant.
#[differentiable]
#[inline(never)]
fn cholesky(a: &mut [f64], n: usize) -> f64 {
    let mut log_determinant = 0.0;
    for j in 0..n {
        for k in 0..j {
            a[j * n + j] -= a[j * n + k] * a[j * n + k];
        }
        a[j * n + j] = a[j * n + j].sqrt();
        log_determinant += 2.0 * a[j * n + j].ln();
        for i in j + 1..n {
            for k in 0..j {
                a[i * n + j] -= a[i * n + k] * a[j * n + k];
            }
            a[i * n + j] /= a[j * n + j];
        }
    }
    log_determinant
}

#[differentiable]
#[inline(never)]
fn forward_substitution(l: &[f64], b: &mut [f64]) {
    let n = b.len();
    for i in 0..n {
        for k in 0..i {
            b[i] -= l[i * n + k] * b[k];
        }
        b[i] /= l[i * n + i];
    }
}

/// The negative log-likelihood of a normal distribution.
#[differentiable]
fn gaussian(covariance: &[f64], x: &[f64]) -> f64 {
    let mut factor = covariance.to_vec();
    let log_determinant: f64 = cholesky(&mut factor, x.len());
    let mut z = x.to_vec();
    forward_substitution(&factor, &mut z);
    let mut square = 0.0;
    for v in &z {
        square += v * v;
    }
    0.5 * (square + log_determinant)
}

/// Gaussian elimination with pivots.
#[differentiable]
fn solve(a: &[f64], b: &[f64]) -> Vec<f64> {
    let n = b.len();
    let mut a = a.to_vec();
    let mut b = b.to_vec();
    for k in 0..n {
        let mut pivot = k;
        for i in k + 1..n {
            if a[i * n + k].abs() > a[pivot * n + k].abs() {
                pivot = i;
            }
        }
        if pivot != k {
            for j in 0..n {
                a.swap(k * n + j, pivot * n + j);
            }
            b.swap(k, pivot);
        }
        for i in k + 1..n {
            let factor = a[i * n + k] / a[k * n + k];
            for j in k..n {
                a[i * n + j] -= factor * a[k * n + j];
            }
            b[i] -= factor * b[k];
        }
    }
    for i in (0..n).rev() {
        for j in i + 1..n {
            b[i] -= a[i * n + j] * b[j];
        }
        b[i] /= a[i * n + i];
    }
    b
}

/// A tridiagonal system.
#[differentiable]
fn thomas(lower: &[f64], diagonal: &[f64], upper: &[f64], b: &mut [f64]) {
    let n = b.len();
    let mut c = vec![0.0; n];
    c[0] = upper[0] / diagonal[0];
    b[0] /= diagonal[0];
    for i in 1..n {
        let m = diagonal[i] - lower[i] * c[i - 1];
        c[i] = upper[i] / m;
        b[i] = (b[i] - lower[i] * b[i - 1]) / m;
    }
    for i in (0..n - 1).rev() {
        b[i] -= c[i] * b[i + 1];
    }
}

#[differentiable]
#[inline(never)]
fn product(a: &[[f64; 2]; 2], b: &[[f64; 2]; 2]) -> [[f64; 2]; 2] {
    let mut c = [[0.0; 2]; 2];
    for i in 0..2 {
        for j in 0..2 {
            for k in 0..2 {
                c[i][j] += a[i][k] * b[k][j];
            }
        }
    }
    c
}

/// A matrix to an integer power, by squaring.
#[differentiable]
fn matrix_power(a: &[[f64; 2]; 2], mut n: u32) -> f64 {
    let mut square = *a;
    let mut power = [[1.0, 0.0], [0.0, 1.0]];
    while n > 0 {
        if n % 2 == 1 {
            power = product(&power, &square);
        }
        square = product(&square, &square);
        n /= 2;
    }
    power[0][0] + power[0][1] * power[1][1]
}

/// The right side of the predator-prey model.
#[differentiable]
#[inline(never)]
fn rates(u: [f64; 2], p: &[f64; 4]) -> [f64; 2] {
    [
        p[0] * u[0] - p[1] * u[0] * u[1],
        p[2] * u[0] * u[1] - p[3] * u[1],
    ]
}

#[differentiable]
#[inline(never)]
fn moved(u: [f64; 2], k: [f64; 2], h: f64) -> [f64; 2] {
    [u[0] + h * k[0], u[1] + h * k[1]]
}

/// Runge and Kutta's method.
#[differentiable]
fn runge_kutta(start: [f64; 2], p: &[f64; 4], h: f64, steps: usize) -> f64 {
    let mut u = start;
    let mut loss = 0.0;
    for step in 0..steps {
        let k_1 = rates(u, p);
        let k_2 = rates(moved(u, k_1, 0.5 * h), p);
        let k_3 = rates(moved(u, k_2, 0.5 * h), p);
        let k_4 = rates(moved(u, k_3, h), p);
        for i in 0..2 {
            u[i] += h / 6.0 * (k_1[i] + 2.0 * k_2[i] + 2.0 * k_3[i] + k_4[i]);
        }
        loss += (u[0] - step as f64).powi(2) + u[1];
    }
    loss
}

/// Heat conduction with two buffers that change places.
#[differentiable]
fn heat(start: &[f64], k: f64, steps: usize) -> f64 {
    let n = start.len();
    let mut now = start.to_vec();
    let mut next = vec![0.0; n];
    for _ in 0..steps {
        for i in 0..n {
            let (left, right) = (now[(i + n - 1) % n], now[(i + 1) % n]);
            next[i] = now[i] + k * (left - 2.0 * now[i] + right) * now[i];
        }
        std::mem::swap(&mut now, &mut next);
    }
    let mut total = 0.0;
    for v in &now {
        total += v * v;
    }
    total
}

/// A vector that is replaced as a whole.
#[differentiable]
#[inline(never)]
fn smoothed(v: &[f64], k: f64) -> Vec<f64> {
    let mut out = v.to_vec();
    for i in 1..v.len() {
        out[i] = k * v[i] + (1.0 - k) * v[i - 1];
    }
    out
}

#[differentiable]
fn smoothed_often(x: &[f64], k: f64, n: usize) -> f64 {
    let mut v = x.to_vec();
    for _ in 0..n {
        v = smoothed(&v, k);
        v[0] *= k;
    }
    let mut total = 0.0;
    for e in &v {
        total += e.powi(3);
    }
    total
}

/// The potential energy of bodies, softened.
#[differentiable]
fn n_body(positions: &[[f64; 3]], masses: &[f64]) -> f64 {
    let mut energy = 0.0;
    for i in 0..positions.len() {
        for j in 0..i {
            let mut square = 0.01;
            for k in 0..3 {
                let d = positions[i][k] - positions[j][k];
                square += d * d;
            }
            energy -= masses[i] * masses[j] / square.sqrt();
        }
    }
    energy
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Body {
    position: [f64; 2],
    velocity: [f64; 2],
    mass: f64,
}
crate::check::flat!(Body {
    position: [f64; 2],
    velocity: [f64; 2],
    mass: f64
});

fn bodies() -> Vec<Body> {
    vec![
        Body {
            position: [0.7, 1.9],
            velocity: [0.1, 0.2],
            mass: 1.3,
        },
        Body {
            position: [-0.4, 0.3],
            velocity: [-0.3, 0.1],
            mass: 0.8,
        },
    ]
}

/// Leapfrog, in place.
#[differentiable]
fn leapfrog(bodies: &mut [Body], h: f64, steps: usize) -> f64 {
    let n = bodies.len();
    for _ in 0..steps {
        for i in 0..n {
            let mut force = [0.0, 0.0];
            for j in 0..n {
                if i == j {
                    continue;
                }
                let dx: f64 = bodies[j].position[0] - bodies[i].position[0];
                let dy: f64 = bodies[j].position[1] - bodies[i].position[1];
                let square = dx * dx + dy * dy + 0.05;
                let strength = bodies[j].mass / (square * square.sqrt());
                force[0] += strength * dx;
                force[1] += strength * dy;
            }
            bodies[i].velocity[0] += h * force[0];
            bodies[i].velocity[1] += h * force[1];
        }
        for body in bodies.iter_mut() {
            for k in 0..2 {
                body.position[k] += h * body.velocity[k];
            }
        }
    }
    let mut energy = 0.0;
    for body in bodies.iter() {
        energy +=
            body.mass * (body.velocity[0] * body.velocity[0] + body.velocity[1] * body.velocity[1]);
    }
    energy
}

#[differentiable]
#[inline(never)]
fn log_sum_exp(x: &[f64]) -> f64 {
    let mut top = x[0];
    for v in x {
        top = top.max(*v);
    }
    let mut total = 0.0;
    for v in x {
        total += (v - top).exp();
    }
    top + total.ln()
}

#[differentiable]
fn softmax(x: &[f64]) -> Vec<f64> {
    let scale: f64 = log_sum_exp(x);
    let mut out = vec![0.0; x.len()];
    for (o, v) in out.iter_mut().zip(x) {
        *o = (v - scale).exp();
    }
    out
}

/// Two layers, with their weights in one vector.
#[differentiable]
fn network(weights: &[f64], #[constant] inputs: &[f64], #[constant] label: f64) -> f64 {
    let (first, second) = weights.split_at(2 * inputs.len());
    let mut hidden = [0.0; 2];
    for (j, row) in first.chunks_exact(inputs.len()).enumerate() {
        for (w, v) in row.iter().zip(inputs) {
            hidden[j] += w * v;
        }
        hidden[j] = hidden[j].tanh();
    }
    let mut out = 0.0;
    for (w, h) in second.iter().zip(&hidden) {
        out += w * h;
    }
    (out - label).powi(2)
}

#[differentiable]
fn recurrent(w: &[f64], u: f64, x: &[f64], state: &mut [f64]) -> f64 {
    let n = state.len();
    let mut loss = 0.0;
    for t in 0..x.len() {
        let mut next = vec![0.0; n];
        for i in 0..n {
            let mut s = u * x[t];
            for j in 0..n {
                s += w[i * n + j] * state[j];
            }
            next[i] = s.tanh();
        }
        state.copy_from_slice(&next);
        loss += (state[0] - 0.1 * t as f64).powi(2);
    }
    loss
}

/// Bisection and then Newton's method: the number of steps depends on the values.
#[differentiable]
fn cube_root(a: f64) -> f64 {
    let (mut lo, mut hi) = (0.0, 4.0);
    while hi - lo > 0.5 {
        let middle = 0.5 * (lo + hi);
        if middle * middle * middle > a {
            hi = middle;
        } else {
            lo = middle;
        }
    }
    let mut z = 0.5 * (lo + hi);
    loop {
        let step = (z * z * z - a) / (3.0 * z * z);
        z -= step;
        if step.abs() < 1e-13 {
            break z;
        }
    }
}

/// Alignment of two sequences, with a soft minimum.
#[differentiable]
fn time_warping(x: &[f64], y: &[f64], gamma: f64) -> f64 {
    let (n, m) = (x.len(), y.len());
    let mut d = vec![vec![1e3_f64; m + 1]; n + 1];
    d[0][0] = 0.0;
    for i in 1..=n {
        for j in 1..=m {
            let cost = (x[i - 1] - y[j - 1]).powi(2);
            let least = d[i - 1][j].min(d[i][j - 1]).min(d[i - 1][j - 1]);
            let total = ((least - d[i - 1][j]) / gamma).exp()
                + ((least - d[i][j - 1]) / gamma).exp()
                + ((least - d[i - 1][j - 1]) / gamma).exp();
            d[i][j] = cost + least - gamma * total.ln();
        }
    }
    d[n][m]
}

/// The price of a European call by a binomial tree, in place.
#[differentiable]
fn binomial(spot: f64, volatility: f64, rate: f64, steps: usize) -> f64 {
    let h = 1.0 / steps as f64;
    let up = (volatility * h.sqrt()).exp();
    let p = ((rate * h).exp() - 1.0 / up) / (up - 1.0 / up);
    let discount = (-rate * h).exp();
    let mut values = vec![0.0; steps + 1];
    for i in 0..=steps {
        let price = spot * up.powi(2 * i as i32 - steps as i32);
        values[i] = (price - 1.0).max(0.0);
    }
    for level in (0..steps).rev() {
        for i in 0..=level {
            values[i] = discount * (p * values[i + 1] + (1.0 - p) * values[i]);
        }
    }
    values[0]
}

/// A real transform of Fourier's, recursive, on strided views.
#[differentiable]
#[inline(never)]
fn transform(re: &mut [f64], im: &mut [f64]) {
    let n = re.len();
    if n == 1 {
        return;
    }
    let half = n / 2;
    let mut even_re = vec![0.0; half];
    let mut even_im = vec![0.0; half];
    let mut odd_re = vec![0.0; half];
    let mut odd_im = vec![0.0; half];
    for k in 0..half {
        even_re[k] = re[2 * k];
        even_im[k] = im[2 * k];
        odd_re[k] = re[2 * k + 1];
        odd_im[k] = im[2 * k + 1];
    }
    transform(&mut even_re, &mut even_im);
    transform(&mut odd_re, &mut odd_im);
    for k in 0..half {
        let angle = -2.0 * std::f64::consts::PI * k as f64 / n as f64;
        let (s, c) = angle.sin_cos();
        let (a, b) = (c * odd_re[k] - s * odd_im[k], c * odd_im[k] + s * odd_re[k]);
        re[k] = even_re[k] + a;
        im[k] = even_im[k] + b;
        re[k + half] = even_re[k] - a;
        im[k + half] = even_im[k] - b;
    }
}

/// The power of a signal above a frequency.
#[differentiable]
fn power(signal: &[f64], from: usize) -> f64 {
    let mut re = signal.to_vec();
    let mut im = vec![0.0; signal.len()];
    transform(&mut re, &mut im);
    let mut total = 0.0;
    for k in from..re.len() {
        total += re[k] * re[k] + im[k] * im[k];
    }
    total
}

#[differentiable]
fn simpson(a: f64, b: f64, n: usize) -> f64 {
    let h = (b - a) / (2 * n) as f64;
    let mut total = (a * a).sin() + (b * b).sin();
    for i in (1..2 * n).step_by(2) {
        let x = a + h * i as f64;
        total += 4.0 * (x * x).sin();
    }
    for i in (2..2 * n).step_by(2) {
        let x = a + h * i as f64;
        total += 2.0 * (x * x).sin();
    }
    total * h / 3.0
}

table! {
    cholesky: for n in 0..4, (&mut A[..n * n].iter().enumerate().map(|(i, _)| A[i / n * 3 + i % n]).collect::<Vec<_>>(), const n);
    gaussian: (&A.to_vec(), &x(3));
    matrix_power: for n in 0..6, (&[[0.7, 0.3], [-0.4, 0.9]], const n);
    runge_kutta: for n in 0..4, ([1.1, 0.6], &[0.7, 0.3, 0.4, 0.9], 0.1, const n);
    heat: for n in 0..4, (&x(4), 0.1, const n);
    smoothed_often: for n in 0..4, (&x(4), 0.3, const n);
    n_body: (&vec![[0.7, 1.9, -0.4], [1.3, 0.2, -1.1], [0.1, 0.3, 0.5]], &x(3));
    leapfrog: for n in 0..3, (&mut bodies(), 0.1, const n);
    log_sum_exp: for n in 1..4, (&x(n));
    network: (&x(6), const &[0.3, -0.8], const 0.4);
    recurrent: for n in 0..4, (&A[..4].to_vec(), 0.3, &x(n), &mut [0.2, -0.5]);
    cube_root: (1.9) => [1.0 / (3.0 * 1.9_f64.cbrt().powi(2))];
    time_warping: for n in 1..4, (&x(n), &[0.3, -0.8], 0.7);
    binomial: for n in 1..5, (1.03, 0.3, 0.05, const n);
    power: (&x(4), const 1), (&x(2), const 0), (&x(1), const 0);
    simpson: for n in 1..4, (0.3, 1.4, const n);
}

map_table! {
    forward_substitution: (&A.to_vec(), &mut x(3));
    solve: (&[0.2, 1.9, 0.4, 1.3, -0.7, 0.3, -0.4, 0.9, 1.1], &x(3)), (&A.to_vec(), &x(3)), (&A[..1].to_vec(), &x(1));
    thomas: for n in 1..5, (&[0.0, 0.3, -0.2, 0.4][..n].to_vec(), &[2.0, 1.7, 2.2, 1.9][..n].to_vec(), &[0.5, -0.4, 0.3, 0.0][..n].to_vec(), &mut x(n));
    softmax: for n in 1..4, (&x(n));
}

//! Residuals that the reverse half needs: as many numbers as elements are written, however often they are.

#![allow(
    clippy::needless_range_loop,
    clippy::suboptimal_flops,
    reason = "loops are of the kinds that are to be differentiated"
)]

use std::hint::black_box;

use allocation_counter::measure;
use chainrule::prelude::*;

#[differentiable]
fn product(c: &mut [f64], a: &[f64], b: &[f64], n: usize) {
    for i in 0..n {
        let row = &mut c[i * n..(i + 1) * n];
        row.fill(0.0);
        for l in 0..n {
            let s = a[i * n + l];
            let other = &b[l * n..(l + 1) * n];
            for j in 0..n {
                row[j] += s * other[j];
            }
        }
    }
}

#[differentiable]
fn cholesky(k: &mut [f64], n: usize) {
    for j in 0..n {
        for i in j..n {
            let mut s = k[i * n + j];
            for l in 0..j {
                s -= k[i * n + l] * k[j * n + l];
            }
            if i == j {
                k[j * n + j] = s.sqrt();
            } else {
                k[i * n + j] = s / k[j * n + j];
            }
        }
    }
}

#[differentiable]
fn forward_substitution(l: &[f64], z: &mut [f64]) {
    let n = z.len();
    for i in 0..n {
        let mut s = z[i];
        for j in 0..i {
            s -= l[i * n + j] * z[j];
        }
        z[i] = s / l[i * n + i];
    }
}

/// Two rows of a matrix: what they have is stored, not the matrix.
#[differentiable]
fn rotate(a: &mut [f64], n: usize, i: usize, j: usize, angle: f64) {
    let (sin, cos) = angle.sin_cos();
    for k in 0..n {
        let (p, q) = (a[i * n + k], a[j * n + k]);
        a[i * n + k] = cos * p - sin * q;
        a[j * n + k] = sin * p + cos * q;
    }
}

fn spd(n: usize) -> Vec<f64> {
    let entry = |i: usize, j: usize| {
        if i == j {
            3.0
        } else {
            0.4 / f64::from(u32::try_from(i + j).unwrap())
        }
    };
    (0..n * n).map(|k| entry(k / n, k % n)).collect()
}

/// A recurrence on a grid, whose inner loop reads what it has written.
#[differentiable]
fn smoothed(u: &mut [f64], a: f64, steps: usize) {
    let n = u.len();
    for _ in 0..steps {
        for i in 1..n {
            u[i] = (a * u[i - 1] * u[i]).sin();
        }
    }
}

/// Bytes that a rule and its pullback ask for, over those of `numbers` floats.
fn share(numbers: usize, run: impl FnOnce()) -> u64 {
    let bytes = measure(run).bytes_total;
    bytes / u64::try_from(numbers * size_of::<f64>()).unwrap()
}

const N: usize = 64;

#[test]
fn a_product_stores_what_it_writes_once() {
    let (mut c, a, b) = (vec![0.5; N * N], spd(N), spd(N));
    let (mut c_bar, mut a_bar, mut b_bar) = (vec![1.0; N * N], vec![0.0; N * N], vec![0.0; N * N]);
    let share = share(N * N, || {
        let ((), pullback) = product::rrule(&mut c, black_box(&a), &b, N);
        pullback(
            NoTangent,
            CoDual(&mut c, &mut c_bar),
            CoDual(&a, &mut a_bar),
            CoDual(&b, &mut b_bar),
        );
    });
    assert!(share <= 1, "{share} matrices");
}

#[test]
fn a_factorisation_in_place_stores_matrices_of_its_size() {
    let (mut k, mut k_bar) = (spd(N), vec![1.0; N * N]);
    let share = share(N * N, || {
        let ((), pullback) = cholesky::rrule(black_box(&mut k), N);
        pullback(NoTangent, CoDual(&mut k, &mut k_bar));
    });
    assert!(share <= 16, "{share} matrices");
}

#[test]
fn a_substitution_stores_vectors() {
    let (l, mut z) = (spd(N), vec![0.3; N]);
    let (mut l_bar, mut z_bar) = (vec![0.0; N * N], vec![1.0; N]);
    let share = share(N, || {
        let ((), pullback) = forward_substitution::rrule(black_box(&l), &mut z);
        pullback(
            NoTangent,
            CoDual(&l, &mut l_bar),
            CoDual(&mut z, &mut z_bar),
        );
    });
    assert!(share <= 16, "{share} vectors");
}

#[test]
fn a_nest_of_loops_makes_room_once() {
    let (mut u, mut u_bar) = (vec![0.3; N], vec![1.0; N]);
    let steps = 40;
    let measured = measure(|| {
        let ((), pullback) = smoothed::rrule(black_box(&mut u), 0.7, steps);
        pullback(NoTangent, CoDual(&mut u, &mut u_bar));
    });
    let numbers = u64::try_from(size_of::<f64>() * N * steps).unwrap();
    assert!(measured.count_total <= 3, "{measured:?}");
    assert!(measured.bytes_total <= 2 * numbers, "{measured:?}");
}

#[test]
fn few_stores_to_a_long_slice_dont_copy_it() {
    let (mut a, mut a_bar) = (vec![0.3; N * N], vec![1.0; N * N]);
    let share = share(N, || {
        let ((), pullback) = rotate::rrule(black_box(&mut a), N, 3, 5, 0.4);
        pullback(NoTangent, CoDual(&mut a, &mut a_bar));
    });
    assert!(share <= 16, "{share} rows");
}

/// A linear step on an array, which is assigned as a whole.
#[differentiable]
fn diffused(start: &[[f64; 8]; 8], steps: usize) -> f64 {
    let mut u = *start;
    for _ in 0..steps {
        let mut next = u;
        for i in 1..7 {
            for j in 1..7 {
                next[i][j] = u[i][j] + 0.2 * (u[i - 1][j] + u[i + 1][j] - 2.0 * u[i][j]);
            }
        }
        u = next;
    }
    u.iter().flatten().map(|u| u * u).sum()
}

#[test]
fn a_linear_step_on_an_array_stores_nothing() {
    let mut start = [[0.0; 8]; 8];
    start[3][4] = 1.0;
    let mut gradient = [[0.0; 8]; 8];
    let measured = measure(|| {
        diffused::value_and_gradient_into(black_box(&start), 100, &mut gradient);
    });
    assert_eq!(measured.count_total, 0, "{measured:?}");
    let h = 1e-3;
    let along = |h: f64| {
        let mut start = start;
        start[2][4] += h;
        diffused(&start, 100)
    };
    approx::assert_relative_eq!(
        gradient[2][4],
        (along(h) - along(-h)) / (2.0 * h),
        max_relative = 1e-9
    );
}

/// Its own tangent, and with attributes that leave its fields as they are.
#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
#[cfg_attr(test, derive(Default))]
#[tangent(Self)]
struct V2 {
    x: f64,
    #[allow(clippy::min_ident_chars, reason = "an attribute that changes nothing")]
    y: f64,
}

#[differentiable]
impl std::ops::Add for V2 {
    type Output = V2;
    fn add(self, other: V2) -> V2 {
        V2 {
            x: self.x + other.x,
            y: self.y + other.y,
        }
    }
}

#[differentiable]
impl V2 {
    fn dot(self, other: V2) -> f64 {
        self.x * other.x + self.y * other.y
    }
}

#[differentiable]
fn energy(points: &[V2], by: V2) -> f64 {
    let mut total = 0.0;
    for p in points {
        let moved = *p + by;
        total += moved.dot(moved) * moved.x;
    }
    total
}

#[test]
fn vectors_that_are_their_own_tangents_store_nothing() {
    let points: Vec<V2> = (0..N)
        .map(|i| V2 {
            x: f64::from(u8::try_from(i).unwrap()),
            y: 1.0,
        })
        .collect();
    let by = V2 { x: 0.5, y: 0.25 };
    let mut gradient = vec![V2::default(); N];
    let mut by_bar = V2::default();
    let measured = measure(|| {
        energy::value_and_gradient_into(black_box(&points), by, &mut gradient, &mut by_bar);
    });
    assert_eq!(measured.count_total, 0, "{measured:?}");
    // x (x^2 + y^2)
    let (x, y) = (7.5, 1.25);
    let expected = V2 {
        x: 3.0 * x * x + y * y,
        y: 2.0 * x * y,
    };
    assert_eq!(gradient[7], expected);
}

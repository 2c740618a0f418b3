//! Jacobians and Hessians: blocks of several arguments, buffers of the caller, shapes, both ways to compute them; second derivatives beside
//! values and gradients.

use chainrule::Matrix;
use chainrule::prelude::*;

use crate::check::assert_close;

#[differentiable]
#[inline(never)]
fn rosenbrock(x: &[f64]) -> f64 {
    let mut total = 0.0;
    for i in 1..x.len() {
        let (a, b) = (1.0 - x[i - 1], x[i] - x[i - 1] * x[i - 1]);
        total += a * a + 100.0 * b * b;
    }
    total
}

/// Tridiagonal.
fn hessian_of_rosenbrock(x: &[f64]) -> Matrix {
    let mut h = Matrix::zeros(x.len(), x.len());
    for i in 1..x.len() {
        h[(i - 1, i - 1)] += 2.0 + 1200.0 * x[i - 1] * x[i - 1] - 400.0 * x[i];
        h[(i, i)] += 200.0;
        h[(i - 1, i)] -= 400.0 * x[i - 1];
        h[(i, i - 1)] -= 400.0 * x[i - 1];
    }
    h
}

#[test]
fn hessians_with_values_and_gradients() {
    for n in 0..5 {
        let x: Vec<f64> = (0..n).map(|i| 0.5 - 0.3 * f64::from(i)).collect();
        let (value, gradient, hessian) = rosenbrock::value_gradient_and_hessian(&x);
        assert_eq!(value, rosenbrock(&x));
        assert_eq!(gradient, rosenbrock::gradient(&x));
        assert_eq!((hessian.nrows(), hessian.ncols()), (x.len(), x.len()));
        assert_close(hessian.as_slice(), hessian_of_rosenbrock(&x).as_slice());
        assert_eq!(hessian, rosenbrock::hessian(&x));
        for i in 0..x.len() {
            for j in 0..i {
                assert!((hessian[(i, j)] - hessian[(j, i)]).abs() <= 1e-12);
            }
        }
    }
}

#[test]
fn hessians_against_differences_of_gradients() {
    let x = [0.7, -0.4, 1.1];
    let (hessian, h) = (rosenbrock::hessian(&x), 1e-5);
    for j in 0..3 {
        let moved = |by: f64| {
            let mut x = x;
            x[j] += by;
            rosenbrock::gradient(&x)
        };
        for (i, (up, down)) in moved(h).iter().zip(moved(-h)).enumerate() {
            assert!((hessian[(i, j)] - (up - down) / (2.0 * h)).abs() < 1e-5);
        }
    }
}

#[test]
fn products_with_values_and_gradients() {
    let (x, v) = ([0.7, -0.4, 1.1], [0.3, 2.0, -1.0]);
    let (value, gradient, product) = rosenbrock::value_gradient_and_hvp(&x, &v);
    assert_eq!(value, rosenbrock(&x));
    assert_close(&gradient, &rosenbrock::gradient(&x));
    assert_eq!(product, rosenbrock::hvp(&x, &v));
    let hessian = rosenbrock::hessian(&x);
    let rows = (0..3).map(|i| hessian.row(i).iter().zip(&v).map(|(h, v)| h * v).sum());
    assert_close(&product, &rows.collect::<Vec<f64>>());
}

#[differentiable]
#[inline(never)]
fn wave(t: f64, #[constant] k: f64) -> f64 {
    (k * t).sin() * t
}

type Loss = f64;

#[differentiable]
fn behind_an_alias(t: f64) -> Loss {
    let loss: Loss = wave(t, 2.0);
    loss
}

#[differentiable]
fn single(t: f32) -> f32 {
    t * t * t
}

#[test]
fn second_derivatives_of_functions_of_a_number() {
    let (t, k) = (0.7, 3.0);
    let want = 2.0 * k * f64::cos(k * t) - k * k * t * f64::sin(k * t);
    assert_close(&[wave::second_derivative(t, k)], &[want]);
    let want = 4.0 * f64::cos(2.0 * t) - 4.0 * t * f64::sin(2.0 * t);
    assert_close(&[behind_an_alias::second_derivative(t)], &[want]);
    assert_close(behind_an_alias::hessian(t).as_slice(), &[want]);
    assert_eq!(single::second_derivative(2.0), 12.0);
    assert_eq!(single::hessian(2.0).into_vec(), [12.0]);
}

/// A module's own function with the name of a driver.
mod spline {
    use chainrule::prelude::*;

    #[differentiable]
    #[inline(never)]
    pub(super) fn second_derivative(t: f64) -> f64 {
        t * t * t
    }
}

#[differentiable]
#[inline(never)]
fn bent(t: f64) -> f64 {
    2.0 * spline::second_derivative(t)
}

#[test]
fn names_of_drivers_are_free_in_modules() {
    assert_eq!((bent(2.0), bent::gradient(2.0)), (16.0, 24.0));
}

#[derive(Differentiable, Clone, Debug, PartialEq)]
struct Spring {
    stiffness: f64,
    ends: [f64; 2],
    #[constant]
    number: usize,
}

#[differentiable]
#[inline(never)]
fn energy(spring: &Spring, shift: Vec<f64>, #[constant] scale: &str, load: f64) -> f64 {
    let length = spring.ends[1] - spring.ends[0] + shift[0];
    0.5 * spring.stiffness * length * length - load * shift[1] * scale.len() as f64
}

#[differentiable]
impl Spring {
    fn energy(&self, by: f64) -> f64 {
        let length = self.ends[1] - self.ends[0] + by;
        0.5 * self.stiffness * length * length
    }

    fn forces(&self, by: f64) -> [f64; 2] {
        let force: f64 = self.stiffness * (self.ends[1] - self.ends[0] + by);
        [force, -force]
    }

    /// By value, and of a type that only rustc knows.
    fn moved(self, by: f64) -> Spring {
        Spring {
            stiffness: self.stiffness,
            ends: [self.ends[0] + by, self.ends[1] * by],
            number: self.number,
        }
    }
}

const SPRING: Spring = Spring {
    stiffness: 3.0,
    ends: [0.5, 2.0],
    number: 7,
};

/// Rows and columns run through the entries of structs, in the order of their fields.
#[test]
fn blocks_of_hessians() {
    let shift = vec![0.25, 4.0];
    let ((ss, sv, sl), (vs, vv, vl), (ls, lv, ll)) =
        energy::hessian(&SPRING, shift.clone(), "ab", 1.5);
    let (k, l) = (3.0, 1.75);
    assert_close(ss.as_slice(), &[0.0, -l, l, -l, k, -k, l, -k, k]);
    assert_close(sv.as_slice(), &[l, 0.0, -k, 0.0, k, 0.0]);
    assert_close(vs.as_slice(), &[l, -k, k, 0.0, 0.0, 0.0]);
    assert_eq!(
        (sl.nrows(), sl.ncols(), sl.into_vec()),
        (3, 1, vec![0.0; 3])
    );
    assert_eq!((ls.nrows(), ls.ncols()), (1, 3));
    assert_close(vv.as_slice(), &[k, 0.0, 0.0, 0.0]);
    assert_close(vl.as_slice(), &[0.0, -2.0]);
    assert_eq!((lv.as_slice(), ll.as_slice()), (vl.as_slice(), &[0.0][..]));
    let (value, gradient, _) =
        energy::value_gradient_and_hessian(&SPRING, shift.clone(), "ab", 1.5);
    assert_eq!(
        (value, gradient),
        energy::value_and_gradient(&SPRING, shift, "ab", 1.5)
    );
}

#[test]
fn matrices_of_methods() {
    let ((_, across), (back, of_by)) = SPRING.energy_hessian(0.25);
    assert_close(across.as_slice(), &[1.75, -3.0, 3.0]);
    assert_eq!(
        (back.as_slice(), of_by.as_slice()),
        (across.as_slice(), &[3.0][..])
    );
    let (value, (of_spring, of_by)) = SPRING.forces_value_and_jacobian(0.25);
    assert_eq!(value, SPRING.forces(0.25));
    assert_close(of_spring.as_slice(), &[1.75, -3.0, 3.0, -1.75, 3.0, -3.0]);
    assert_close(of_by.as_slice(), &[3.0, -3.0]);
    let (of_spring, of_by) = SPRING.moved_jacobian(0.5);
    assert_close(
        of_spring.as_slice(),
        &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.5],
    );
    assert_close(of_by.as_slice(), &[0.0, 1.0, 2.0]);
}

/// With `m` results: tall or wide, by what `m` is.
#[differentiable]
#[inline(never)]
fn waves(x: &[f64], speed: f64, m: usize) -> Vec<(f64, [f64; 2])> {
    let mut all = Vec::new();
    for k in 0..m {
        let mut total = 0.0;
        for i in 0..x.len() {
            total += (speed * x[i] + k as f64).sin();
        }
        all.push((total, [total * speed, speed * speed]));
    }
    all
}

/// By rows and by columns; with no rows, one, and more than there are columns; with no columns of `x`.
#[test]
fn jacobians_of_all_shapes() {
    let all = [0.3, -0.7, 1.9, 0.2, 0.4];
    for n in 0..=5 {
        for m in 0..4 {
            let (x, speed) = (&all[..n], 1.3);
            let (value, (of_x, of_speed)) = waves::value_and_jacobian(x, speed, m);
            assert_eq!(value, waves(x, speed, m));
            assert_eq!((of_x.nrows(), of_x.ncols()), (3 * m, n));
            assert_eq!((of_speed.nrows(), of_speed.ncols()), (3 * m, 1));
            for k in 0..m {
                let phase = |x: &f64| speed * x + k as f64;
                let total: f64 = x.iter().map(|x| phase(x).sin()).sum();
                let by_speed: f64 = x.iter().map(|x| x * phase(x).cos()).sum();
                let slopes: Vec<f64> = x.iter().map(|x| speed * phase(x).cos()).collect();
                let scaled: Vec<f64> = slopes.iter().map(|s| s * speed).collect();
                assert_close(of_x.row(3 * k), &slopes);
                assert_close(of_x.row(3 * k + 1), &scaled);
                assert_close(of_x.row(3 * k + 2), &vec![0.0; n]);
                let column = [by_speed, total + speed * by_speed, 2.0 * speed];
                for (i, want) in column.into_iter().enumerate() {
                    assert_close(of_speed.row(3 * k + i), &[want]);
                }
            }
            let (mut x_rows, mut speed_rows) = (vec![f64::NAN; 3 * m * n], vec![f64::NAN; 3 * m]);
            let value = waves::jacobian_into(x, speed, m, &mut x_rows, &mut speed_rows);
            assert_eq!(value, waves(x, speed, m));
            assert_eq!((x_rows, speed_rows), (of_x.into_vec(), of_speed.into_vec()));
        }
    }
}

#[differentiable]
fn scaled<T: Real>(x: &[T; 2], k: T) -> [T; 3] {
    [k * x[0], x[0] * x[1], k]
}

#[differentiable]
fn with_a_choice(x: Option<f64>, y: f64) -> Option<f64> {
    x.map(|x| x * y)
}

#[test]
fn jacobians_of_other_types() {
    let (of_x, of_k) = scaled::jacobian::<f32>(&[2.0, 3.0], 0.5);
    assert_eq!(of_x.as_slice(), [0.5, 0.0, 3.0, 2.0, 0.0, 0.0]);
    assert_eq!(of_k.as_slice(), [2.0, 0.0, 1.0]);
    let (of_x, of_y) = with_a_choice::jacobian(Some(2.0), 3.0).expect("a value");
    assert_eq!((of_x.as_slice(), of_y.as_slice()), (&[3.0][..], &[2.0][..]));
    assert_eq!(with_a_choice::jacobian(None, 3.0), None);
}

/// Buffers are checked before anything is written.
#[test]
fn buffers_of_another_length() {
    let (mut x_rows, mut speed_rows) = ([9.0; 12], [9.0; 5]);
    let wrong = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        waves::jacobian_into(&[0.1, 0.2], 1.0, 2, &mut x_rows, &mut speed_rows)
    }));
    let message = *wrong
        .expect_err("a panic")
        .downcast::<String>()
        .expect("text");
    assert_eq!(
        message,
        "waves: the buffer `speed_jacobian` has length 5, the Jacobian 6 rows of 1"
    );
    assert_eq!((x_rows, speed_rows), ([9.0; 12], [9.0; 5]));
}

//! Operators of the user's own types: by value and by reference, with assignment, on mixed types, generic.

use core::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Rem, Sub, SubAssign};

use chainrule::prelude::*;

use crate::check::{check, check_map, flat};

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct V3 {
    x: f64,
    y: f64,
    z: f64,
}
flat!(V3 {
    x: f64,
    y: f64,
    z: f64
});

#[differentiable]
impl V3 {
    fn dot(self, o: V3) -> f64 {
        self.x * o.x + self.y * o.y + self.z * o.z
    }

    fn length(&self) -> f64 {
        self.dot(*self).sqrt()
    }

    fn cross(self, o: V3) -> V3 {
        V3 {
            x: self.y * o.z - self.z * o.y,
            y: self.z * o.x - self.x * o.z,
            z: self.x * o.y - self.y * o.x,
        }
    }
}

#[differentiable]
impl Add for V3 {
    type Output = V3;

    fn add(self, o: V3) -> V3 {
        V3 {
            x: self.x + o.x,
            y: self.y + o.y,
            z: self.z + o.z,
        }
    }
}

#[differentiable]
impl Sub for V3 {
    type Output = Self;

    fn sub(self, o: Self) -> Self::Output {
        self + -o
    }
}

#[differentiable]
impl Mul<f64> for V3 {
    type Output = V3;

    fn mul(mut self, k: f64) -> V3 {
        self.x *= k;
        self.y *= k;
        self.z *= k;
        self
    }
}

#[differentiable]
impl Mul<V3> for f64 {
    type Output = V3;

    fn mul(self, v: V3) -> V3 {
        v * self
    }
}

/// The cross product.
#[differentiable]
impl Mul for V3 {
    type Output = V3;

    fn mul(self, o: V3) -> V3 {
        V3 {
            x: self.y * o.z - self.z * o.y,
            y: self.z * o.x - self.x * o.z,
            z: self.x * o.y - self.y * o.x,
        }
    }
}

#[differentiable]
impl Div<f64> for V3 {
    type Output = V3;

    fn div(self, k: f64) -> V3 {
        assert!(k != 0.0, "{} divided by zero", self.x);
        let reciprocal = 1.0 / k;
        self * reciprocal
    }
}

/// Every second component, an integer operand.
#[differentiable]
impl Rem<usize> for V3 {
    type Output = f64;

    fn rem(self, k: usize) -> f64 {
        if k == 0 {
            self.x * self.x
        } else {
            self.y * self.z * k as f64
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
impl AddAssign for V3 {
    fn add_assign(&mut self, o: V3) {
        self.x += o.x;
        self.y += o.y;
        self.z += o.z;
    }
}

/// Not what `-` does: that it is this one that runs, shows.
#[differentiable]
impl SubAssign<f64> for V3 {
    fn sub_assign(&mut self, k: f64) {
        self.x = self.x * self.y - k;
        self.z *= k;
    }
}

#[differentiable]
#[inline(never)]
fn arithmetic(a: V3, b: V3, k: f64) -> V3 {
    a + b * 2.0 - 0.5 * a / k + k * (a * b)
}

#[differentiable]
#[inline(never)]
fn scalar(a: V3, b: V3, k: f64) -> f64 {
    let c = -a + b * k;
    (c * b).length() * c.dot(a) + (a - c) % 1 + a % 0
}

#[test]
fn operators_by_value() {
    let (a, b) = (
        V3 {
            x: 0.3,
            y: -0.7,
            z: 1.1,
        },
        V3 {
            x: 0.9,
            y: 0.2,
            z: -0.4,
        },
    );
    check_map!(arithmetic(a, b, 0.8));
    check!(scalar(a, b, 0.8));
}

#[differentiable]
#[inline(never)]
fn inactive_operands(a: V3, #[constant] b: V3, #[constant] k: f64) -> V3 {
    let c = b * k + b;
    a * c + c * 3.0 - b * (a * k)
}

#[test]
fn operators_on_constants() {
    let (a, b) = (
        V3 {
            x: 0.3,
            y: -0.7,
            z: 1.1,
        },
        V3 {
            x: 0.9,
            y: 0.2,
            z: -0.4,
        },
    );
    check_map!(inactive_operands(a, const b, const 0.8));
}

#[differentiable]
#[inline(never)]
fn assigned(a: V3, b: V3, k: f64, n: usize) -> V3 {
    let mut c = a;
    for i in 0..n {
        c += b * k;
        if i % 2 == 0 {
            c -= k;
        }
        c = c + a;
    }
    c
}

#[differentiable]
#[inline(never)]
fn assigned_in_memory(points: &mut [V3], k: f64) -> f64 {
    let mut sum = 0.0;
    for i in 1..points.len() {
        let before = points[i - 1];
        points[i] += before * k;
        points[i] -= k;
        sum += points[i].length();
    }
    sum
}

#[test]
fn operators_that_assign() {
    let (a, b) = (
        V3 {
            x: 0.3,
            y: -0.7,
            z: 1.1,
        },
        V3 {
            x: 0.9,
            y: 0.2,
            z: -0.4,
        },
    );
    check_map!(assigned(a, b, 0.8, const 3));
    check_map!(assigned(a, b, 0.8, const 0));
    check!(assigned_in_memory(&mut vec![a, b, a], 0.8));
}

/// Numbers that aren't `Copy`, with operators on references.
#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Signal {
    samples: Vec<f64>,
    #[constant]
    rate: f64,
}
flat!(Signal { samples: Vec<f64> });

#[differentiable]
impl<'a> Add<&'a Signal> for &Signal {
    type Output = Signal;

    fn add(self, o: &'a Signal) -> Signal {
        let mut sum = self.clone();
        for i in 0..o.samples.len() {
            sum.samples[i] += o.samples[i] * o.rate;
        }
        sum
    }
}

#[differentiable]
impl Add<&Signal> for Signal {
    type Output = Signal;

    fn add(mut self, o: &Signal) -> Signal {
        for i in 0..o.samples.len() {
            self.samples[i] *= o.samples[i];
        }
        self
    }
}

#[differentiable]
impl Mul<f64> for &Signal {
    type Output = Signal;

    fn mul(self, k: f64) -> Signal {
        let mut product = self.clone();
        for i in 0..self.samples.len() {
            product.samples[i] = k * self.samples[i];
        }
        product
    }
}

#[differentiable]
impl Mul<&Signal> for f64 {
    type Output = f64;

    fn mul(self, signal: &Signal) -> f64 {
        let mut total = 0.0;
        for s in signal.samples.iter() {
            total += self * s * s;
        }
        total
    }
}

#[differentiable]
impl Neg for &Signal {
    type Output = Signal;

    fn neg(self) -> Signal {
        self * -1.0
    }
}

#[differentiable]
impl MulAssign<&Signal> for Signal {
    fn mul_assign(&mut self, o: &Signal) {
        for i in 0..o.samples.len() {
            self.samples[i] *= o.samples[i] + 1.0;
        }
    }
}

#[differentiable]
impl DivAssign<f64> for Signal {
    fn div_assign(&mut self, k: f64) {
        for s in self.samples.iter_mut() {
            *s /= k;
        }
    }
}

#[differentiable]
#[inline(never)]
fn mixed(a: &Signal, b: Signal, k: f64) -> f64 {
    let mut c = a + &b;
    let d = -&c;
    c *= a;
    c /= k;
    let e = &(d + &b) * k;
    k * &e + 2.0 * a + 1.5 * &c
}

#[test]
fn operators_on_references() {
    let signal = |samples: &[f64]| Signal {
        samples: samples.to_vec(),
        rate: 0.5,
    };
    check!(mixed(&signal(&[0.3, -0.7]), signal(&[1.2, 0.4]), 0.8));
}

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct Complex<T> {
    re: T,
    im: T,
}
flat!(Complex<f64> { re: f64, im: f64 });
flat!(Complex<f32> { re: f32, im: f32 });

#[differentiable]
impl<T: Real> Mul for Complex<T> {
    type Output = Complex<T>;

    fn mul(self, o: Complex<T>) -> Complex<T> {
        Complex {
            re: self.re * o.re - self.im * o.im,
            im: self.re * o.im + self.im * o.re,
        }
    }
}

#[differentiable]
impl<T> Add<T> for Complex<T>
where
    T: Real,
{
    type Output = Self;

    fn add(self, k: T) -> Self {
        Self {
            re: self.re + k,
            ..self
        }
    }
}

#[differentiable]
impl<T: Real> AddAssign for Complex<T> {
    fn add_assign(&mut self, o: Self) {
        self.re += o.re;
        self.im += o.im;
    }
}

#[differentiable]
fn mandelbrot<T: Real>(c: Complex<T>, n: usize) -> T {
    let mut z = c;
    for _ in 0..n {
        z = z * z + T::from_f64(0.1);
        z += c;
    }
    let (re, im): (T, T) = (z.re, z.im);
    re.hypot(im)
}

#[test]
fn operators_of_generic_types() {
    check!(mandelbrot(Complex { re: 0.2, im: 0.4 }, const 4));
    check!(mandelbrot(Complex { re: 0.2f32, im: 0.4 }, const 2));
}

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct Matrix<const N: usize>([[f64; N]; N]);
flat!(Matrix<2> { 0: [[f64; 2]; 2] });

#[differentiable]
impl<const N: usize> Mul<[f64; N]> for Matrix<N> {
    type Output = [f64; N];

    fn mul(self, x: [f64; N]) -> [f64; N] {
        let Matrix(rows) = self;
        let rows: [[f64; N]; N] = rows;
        let mut y = [0.0; N];
        for i in 0..N {
            for j in 0..N {
                y[i] += rows[i][j] * x[j];
            }
        }
        y
    }
}

#[differentiable]
fn quadratic_form<const N: usize>(a: Matrix<N>, x: [f64; N]) -> f64 {
    let y: [f64; N] = a * x;
    let mut sum = 0.0;
    for i in 0..N {
        sum += x[i] * y[i];
    }
    sum
}

#[test]
fn operators_of_types_with_a_size() {
    check!(quadratic_form(
        Matrix([[0.3, 0.7], [-0.2, 1.1]]),
        [0.9, 1.4]
    ));
}

/// Fields of numbers are operands too, in every form.
#[differentiable]
#[inline(never)]
fn fields(v: &mut V3, w: &V3, k: f64) -> f64 {
    v.x += 2.0 * k;
    v.y *= &w.y;
    v.z -= w.x / &w.z;
    let (x, y) = (&v.x, &w.y);
    -x + y * x - &(x % &2.0)
}

#[test]
fn operators_of_numbers_in_fields() {
    let (v, w) = (
        V3 {
            x: 0.3,
            y: -0.7,
            z: 1.1,
        },
        V3 {
            x: 0.9,
            y: 0.2,
            z: -0.4,
        },
    );
    check!(fields(&mut v.clone(), &w, 0.8));
}

/// With operands that the operators call constant.
#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct Pair(f64, f64);

#[differentiable]
impl Mul<f64> for Pair {
    type Output = Pair;

    fn mul(self, #[constant] k: f64) -> Pair {
        Pair(self.0 * k, self.1 * k * k)
    }
}

#[differentiable]
impl AddAssign for Pair {
    fn add_assign(&mut self, #[constant] shift: Pair) {
        self.0 += shift.1;
        self.1 *= shift.0;
    }
}

#[differentiable]
impl Mul<Pair> for &Pair {
    type Output = f64;

    fn mul(#[constant] self, o: Pair) -> f64 {
        self.0 * o.0 + self.1 * o.1 * o.1
    }
}

#[differentiable]
#[inline(never)]
fn constant_operands(a: f64, #[constant] k: f64, signal: &Signal) -> f64 {
    let mut p = Pair(a, a * signal.samples[0]) * k * 2.0 * signal.rate;
    p += Pair(3.0, k);
    p = p * (signal.rate * 0.5 + k);
    &Pair(k, 2.0) * p
}

#[test]
fn operands_that_are_constant() {
    let signal = Signal {
        samples: vec![0.4],
        rate: 1.5,
    };
    check!(constant_operands(0.7, const 1.3, &signal));
}

#[differentiable]
fn turned(w: V3, p: V3) -> V3 {
    if w.x > 0.0 { p * 2.0 } else { w.cross(p) }
}

#[differentiable]
fn in_one_branch(w: V3, p: V3) -> f64 {
    let q = turned(w, p);
    q.x * q.y + q.z
}

#[differentiable]
fn in_a_loop_and_behind_it(w: V3, p: V3, n: usize) -> f64 {
    let mut s = 0.0;
    for _ in 0..n {
        s += turned(p, w).length();
    }
    s * turned(w, p).y + p.cross(w).z
}

#[test]
fn an_operand_is_taken_apart_where_it_is_used() {
    let v = |x, y, z| V3 { x, y, z };
    for w in [v(0.8, -0.3, 0.4), v(-0.5, 0.7, 1.2)] {
        check!(in_one_branch(w, v(0.3, 1.1, -0.6)));
        check!(in_a_loop_and_behind_it(w, v(0.3, 1.1, -0.6), const 2));
    }
}

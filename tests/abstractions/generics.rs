//! Generic functions and methods: numbers (`T: Real`), constants, lifetimes, other type parameters, `impl Trait`.

use core::fmt::Display;

use chainrule::prelude::*;

use crate::check::{check, check_map, flat, irregular};

/// `irregular` as `f32`.
#[expect(
    clippy::cast_possible_truncation,
    reason = "single precision is wanted"
)]
fn single(n: usize, scale: f64) -> Vec<f32> {
    irregular(n, scale).iter().map(|x| *x as f32).collect()
}

#[differentiable]
fn norm<T: Real>(x: &[T]) -> T {
    let mut sum = T::zero();
    for i in 0..x.len() {
        sum += x[i] * x[i];
    }
    (sum + T::one()).sqrt()
}

#[test]
fn a_norm_in_both_precisions() {
    let x = irregular(4, 1.0);
    let got = check!(norm(&x.clone()));
    let y = norm(&x);
    got.assert_gradient(&x.iter().map(|x| x / y).collect::<Vec<_>>());
    check!(norm(&single(4, 1.0)));
    check!(norm(&Vec::<f64>::new()));
}

#[test]
fn drivers_have_the_generic_parameters_of_the_primal() {
    assert_eq!(norm::gradient::<f64>(&[0.0]), [0.0]);
    assert_eq!(norm::gradient::<f32>(&[0.0]), [0.0]);
}

/// Everything that a partial can need a number for.
#[differentiable]
fn functions<T>(x: T, y: T) -> T
where
    T: Real,
{
    let a = x.sin() * y.cos() + x.tan() - x.asin() + y.acos() * x.atan();
    let b = x.sinh() - y.cosh() * x.tanh() + (x + T::from_f64(2.0)).acosh() + x.asinh() + x.atanh();
    let c = x.exp() + y.exp2() - x.exp_m1() + y.ln() + x.ln_1p() * y.log2() - x.log10() + x.log(y);
    let d = x.sqrt() + y.cbrt() + x.recip() + x.powi(3) + x.powi(-2) + x.powf(y) + x.hypot(y);
    let e = x.atan2(y) + x.mul_add(y, x) + x.abs() + x.copysign(-y) + x.max(y) - x.min(y);
    let f = x.clamp(T::zero(), y)
        + x.rem_euclid(y)
        + x % y
        + x.fract()
        + x.to_degrees()
        + y.to_radians();
    let (sin, cos) = (x * y).sin_cos();
    let g = x.floor() + x.round() + y.signum() + sin - cos / x;
    a + b * c - d * e + f * g
}

#[test]
fn all_functions_in_both_precisions() {
    check!(functions(0.3, 0.7));
    check!(functions(0.81, 0.45));
    let (got, want) = (
        functions::gradient(0.3f32, 0.7),
        functions::gradient(0.3f64, 0.7),
    );
    assert!((f64::from(got.0) - want.0).abs() < 1e-3 * want.0.abs());
    assert!((f64::from(got.1) - want.1).abs() < 1e-3 * want.1.abs());
}

/// Branches, loops with exits, casts from integers, constants of the type.
#[differentiable]
fn control<T: Real>(x: T, w: T, n: usize) -> T {
    let two = T::from_f64(2.0);
    let mut y = (x * w).sin() * two;
    if y > T::one() {
        y = y.powi(2) / T::from_usize(n + 1);
    } else {
        y = -y.max(T::PI() * x);
    }
    for k in 0..n {
        y *= (x + T::from_f64(k as f64)).exp2() - T::from_f64(-0.25);
        if y.abs() > T::from_i32(1_000) {
            break;
        }
        y /= T::SQRT_2();
    }
    if y.is_nan() || y >= T::max_value() {
        T::ZERO
    } else {
        y + T::epsilon() * x
    }
}

#[test]
fn control_flow_and_constants() {
    for (x, w, n) in [(0.3, 1.1, 3), (1.1, 0.9, 2), (2.0, 0.4, 9), (0.3, 1.1, 0)] {
        check!(control(x, w, const n));
    }
}

/// `+=` of what isn't primitive borrows the element before it reads what is added.
#[differentiable]
fn split<T: Real>(mut p: [T; 3], k: T) -> T {
    let (left, right) = p.split_at_mut(1);
    right[5 % right.len()] += left[left.len() - 1].atan() * k;
    left[0] += right[1] * k;
    p[0] * p[2] + p.iter().copied().sum::<T>()
}

#[test]
fn elements_of_one_list_are_added_to_others() {
    check!(split([0.3, 0.7, -0.4], 1.3));
}

#[differentiable]
fn to_double<T: Real>(x: T, k: f64) -> f64 {
    x.to_f64() * k + T::from_f64(k).sin().to_f64()
}

#[test]
fn casts_to_and_from_generic_numbers() {
    check!(to_double(0.4, 1.7)).assert_gradient(&[1.7, 0.4 + 1.7f64.cos()]);
    check!(to_double(0.4f32, 1.7));
}

#[differentiable]
fn in_memory<T: Real, const N: usize>(x: &[T; N], y: &mut [T]) -> T {
    let mut scratch = [T::zero(); N];
    let mut all = vec![T::one(); N];
    for i in 0..N {
        scratch[i] = x[i].exp() * y[i];
        y[i] = scratch[i] * x[(i + 1) % N];
        all[i] *= y[i];
    }
    norm(&scratch) + norm::<T>(&all) * T::from_usize(N)
}

#[test]
fn arrays_and_slices_of_generic_numbers() {
    check!(in_memory(&[0.3, -0.4, 0.9], &mut [0.5, 0.8, 1.3]));
    check!(in_memory(&[0.3f32, -0.4], &mut [0.5, 0.8]));
    let gradient = in_memory::gradient::<f64, 1>(&[0.3], &mut [0.5]);
    assert_eq!(gradient.0.len(), 1);
}

#[differentiable]
fn columns<T: Real, const N: usize, const M: usize>(x: &[[T; M]; N]) -> [T; M] {
    let mut sums = [T::zero(); M];
    for row in x {
        for j in 0..M {
            sums[j] += row[j] * row[(j + 1) % M];
        }
    }
    sums
}

#[test]
fn matrices_of_generic_size() {
    check_map!(columns(&[[0.3, 0.5], [-0.2, 1.4], [0.8, 0.1]]));
}

#[test]
fn jacobians_and_hessians_of_generic_functions() {
    #[differentiable]
    fn squares<T: Real>(x: &[T]) -> Vec<T> {
        let mut y = vec![T::zero(); x.len()];
        for i in 0..x.len() {
            y[i] = x[i] * x[i];
        }
        y
    }
    let jacobian = squares::jacobian(&[1.5f32, 2.0]);
    assert_eq!(jacobian.as_slice(), [3.0, 0.0, 0.0, 4.0]);
    let hessian = norm::hessian(&[0.0f64, 0.0]);
    assert_eq!(hessian.as_slice(), [1.0, 0.0, 0.0, 1.0]);
    assert_eq!(
        control::gradient(0.3f32, 1.1, 0),
        control::gradient::<f32>(0.3, 1.1, 0)
    );
}

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct Vec2<T> {
    x: T,
    y: T,
}
flat!(Vec2<f64> { x: f64, y: f64 });
flat!(Vec2<f32> { x: f32, y: f32 });

#[differentiable]
impl<T: Real> Vec2<T> {
    const DIMENSIONS: usize = 2;

    fn new(x: T, y: T) -> Self {
        Vec2 { x, y }
    }

    fn dot(&self, other: &Vec2<T>) -> T {
        self.x * other.x + self.y * other.y
    }

    fn norm(self) -> T {
        self.dot(&self).sqrt()
    }

    fn scaled(self, k: T) -> Vec2<T> {
        Vec2 {
            x: self.x * k,
            y: self.y * k,
        }
    }

    fn turn(&mut self, angle: T) {
        let (sin, cos): (T, T) = angle.sin_cos();
        let (x, y): (T, T) = (self.x, self.y);
        self.x = cos * x - sin * y;
        self.y = sin * x + cos * y;
    }

    fn power<const K: usize>(&self) -> T {
        let mut p = self.x;
        for _ in 1..K {
            p *= self.x;
        }
        p * T::from_usize(Self::DIMENSIONS)
    }
}

#[differentiable]
fn geometry<T: Real>(a: T, b: T, k: T) -> T {
    let v = Vec2 { x: a, y: b };
    let mut w = v.scaled(k);
    w.turn(a);
    w.norm() + v.dot(&w) + v.power::<3>()
}

#[test]
fn methods_of_generic_structs() {
    check!(geometry(0.3, 1.2, 0.7));
    check!(geometry(0.3f32, 1.2, 0.7));
    let v = Vec2::new(3.0f32, 4.0);
    assert_eq!(v.norm_gradient(), Vec2Tangent { x: 0.6, y: 0.8 });
    assert_eq!(
        Vec2::new_jvp(1.0, 2.0, 0.5, 0.25).1,
        Vec2Tangent { x: 0.5, y: 0.25 }
    );
}

/// What isn't differentiated may be of any type.
#[differentiable]
fn labelled<'a, L: Display + ?Sized>(
    x: f64,
    #[constant] label: &'a L,
    #[constant] more: impl Display,
) -> f64 {
    assert!(!format!("{label}{more}").is_empty());
    x * x
}

#[test]
fn constants_of_any_type() {
    check!(labelled(1.5, const &"label", const 3)).assert_gradient(&[3.0]);
}

/// A type parameter of which nothing is known but that it has a tangent.
#[differentiable]
fn carried<P: Differentiable + Clone>(p: P, x: f64) -> (P, f64) {
    let copy = p.clone();
    (copy, x * x)
}

#[differentiable]
#[inline(never)]
fn uses_carried(x: f64, y: f64) -> f64 {
    let (p, square) = carried(Vec2 { x, y }, x);
    p.dot(&p) * square
}

#[differentiable]
fn borrowed<P: Differentiable + ?Sized>(_p: &P, x: f64) -> f64 {
    x.sin()
}

#[test]
fn values_of_any_type() {
    check_map!(carried(Vec2 { x: 0.4, y: 0.9 }, 1.5));
    check!(uses_carried(0.4, 0.9));
    check!(borrowed(&vec![0.4, 0.9], 1.5)).assert_gradient(&[0.0, 0.0, 1.5f64.cos()]);
}

mod user {
    //! Another trait's methods don't get in the way of the formulas.
    use chainrule::Real;

    pub(crate) trait Loud {
        fn cos(self) -> Self;
    }
    impl Loud for f64 {
        fn cos(self) -> f64 {
            f64::NAN
        }
    }

    #[chainrule::differentiable]
    pub(crate) fn sine<T: Real + Loud>(x: T) -> T {
        x.sin() * T::cbrt(x) + <T as Real>::exp(x)
    }
}

#[test]
fn formulas_are_those_of_the_trait() {
    assert!(user::Loud::cos(0.7).is_nan());
    check!(user::sine(0.7));
}

mod builder {
    use std::marker::PhantomData;

    use super::*;

    #[derive(Clone, Debug, Differentiable)]
    pub(super) struct Builder<A, B> {
        pub(super) forward: f64,
        pub(super) strike: f64,
        state: PhantomData<(A, B)>,
    }

    #[derive(Clone, Debug)]
    pub(super) struct Set;

    pub(super) fn empty() -> Builder<(), ()> {
        Builder {
            forward: 0.0,
            strike: 0.0,
            state: PhantomData,
        }
    }

    /// Nothing says that the parameters are `'static`.
    impl<A, B> Builder<A, B> {
        #[differentiable]
        pub(super) fn forward(self, forward: f64) -> Builder<Set, B> {
            Builder {
                forward: forward * forward,
                strike: self.strike,
                state: PhantomData,
            }
        }

        #[differentiable]
        pub(super) fn strike(self, strike: f64) -> Builder<A, Set> {
            Builder {
                forward: self.forward,
                strike,
                state: PhantomData,
            }
        }
    }
}

#[test]
fn states_of_builders() {
    let (built, tangent) =
        builder::Builder::forward_jvp(builder::empty(), 3.0, builder::empty().zero_tangent(), 1.0);
    assert_eq!((built.forward, tangent.forward), (9.0, 6.0));
    let built = built.strike(2.0);
    assert_eq!((built.forward, built.strike), (9.0, 2.0));
}

/// Elements of a type that is `Copy`, whose tangents need not be.
#[differentiable]
fn largest<T: PartialOrd + Copy>(xs: &[T]) -> T {
    let mut most = xs[0];
    for &x in xs {
        if x > most {
            most = x;
        }
    }
    most
}

#[differentiable]
fn pick<T: Copy>(xs: &[T; 3], i: usize) -> T {
    let (a, last) = (xs[i], xs[2]);
    let b = a;
    if i > 0 { b } else { last }
}

#[derive(Clone, Copy, Debug, Differentiable)]
struct Weighted {
    value: f64,
    weight: f64,
}

#[differentiable]
fn of_copies(x: f64, y: f64) -> f64 {
    let known = Weighted {
        value: x,
        weight: y,
    };
    let other = Weighted {
        value: x * y,
        weight: x,
    };
    let chosen = pick(&[known, other, known], 1);
    chosen.value * chosen.weight * largest(&[x, y, x * y]) + pick(&[x, y, y * y], 0)
}

#[test]
fn elements_that_are_copied() {
    for (x, y) in [(0.5, 3.0), (2.0, 1.5), (0.25, 0.75)] {
        check!(of_copies(x, y));
    }
    let (value, (x_bar, y_bar)) = of_copies::value_and_gradient(2.0, 1.5);
    // x y x (x y) + y^2
    assert_eq!(value, 20.25);
    assert_eq!((x_bar, y_bar), (3.0 * 4.0 * 2.25, 2.0 * 8.0 * 1.5 + 3.0));
}

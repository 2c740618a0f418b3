//! Points, unit vectors, quaternions, rotations, translations and isometries.
//!
//! The tangent of such a value is a value of the same type whose numbers are the tangents of the value's numbers: it is no rotation, and has no length of
//! one. A function of a rotation is differentiated as the function of its numbers that the library's formulas are.

use core::ops::{Add, Mul, Sub};

use ::nalgebra::{
    Complex, Const, Isometry, OPoint, Point, Point3, Quaternion, Rotation, SMatrix, Translation,
    Unit, UnitComplex, UnitQuaternion, Vector3,
};

use super::Element;
use crate::libraries::forms::Form;
use crate::libraries::pairing::{D, Pairing, operands, pairs};
use crate::ops::{AddOp, BinaryRules, DivOp, MulOp, SubOp};
use crate::{Components, Differentiable, Dual, Scalar, ShapeMismatch, Tangent};

/// Types that consist of a fixed number of floats.
pub trait Numbers: Clone {
    /// `f32` or `f64`.
    type Elem: Element;
    /// How many.
    const COUNT: usize;

    /// One of them.
    fn number(&self, k: usize) -> Self::Elem;
    /// One of them, to be written.
    fn number_mut(&mut self, k: usize) -> &mut Self::Elem;

    /// Writes them to the front of a slice.
    #[inline]
    fn put(&self, to: &mut [Self::Elem]) {
        for (k, to) in to[..Self::COUNT].iter_mut().enumerate() {
            *to = self.number(k);
        }
    }

    /// The same type with other numbers.
    #[must_use]
    #[inline]
    fn with(&self, from: &[Self::Elem]) -> Self {
        let mut new = self.clone();
        for (k, from) in from[..Self::COUNT].iter().enumerate() {
            *new.number_mut(k) = *from;
        }
        new
    }

    /// Adds to them.
    #[inline]
    fn add_numbers(&mut self, from: &[Self::Elem]) {
        for (k, from) in from[..Self::COUNT].iter().enumerate() {
            *self.number_mut(k) += *from;
        }
    }
}

macro_rules! numbers {
    ($([$($generics:tt)*] $t:ty, $count:expr; |$x:ident, $k:ident| $number:expr, $number_mut:expr;)*) => {$(
        impl<A: Element, $($generics)*> Numbers for $t {
            type Elem = A;
            const COUNT: usize = $count;

            #[inline(always)]
            fn number(&self, $k: usize) -> A {
                let $x = self;
                $number
            }

            #[inline(always)]
            fn number_mut(&mut self, $k: usize) -> &mut A {
                let $x = self;
                $number_mut
            }
        }
    )*};
}
numbers! {
    [const R: usize, const C: usize] SMatrix<A, R, C>, R * C;
    |x, k| x.as_slice()[k], &mut x.as_mut_slice()[k];
}

/// Types of geometry, which are their own tangents.
macro_rules! geometry {
    ($([$($generics:tt)*] $t:ty, $count:expr; |$x:ident, $k:ident| $number:expr, $number_mut:expr;)*) => {$(
        numbers! { [$($generics)*] $t, $count; |$x, $k| $number, $number_mut; }

        impl<A: Element, $($generics)*> Differentiable for $t {
            type Tangent = $t;
            type OwnedTangent = $t;

            #[inline]
            fn zero_tangent(&self) -> $t {
                let mut zero = self.clone();
                zero.set_zero();
                zero
            }

            fn matches_shape(&self, _: &$t) -> Result<(), ShapeMismatch> {
                Ok(())
            }

            fn add_scaled_tangent(&mut self, factor: f64, tangent: &$t) {
                for k in 0..Self::COUNT {
                    *self.number_mut(k) += <A as Scalar>::from_f64(factor) * tangent.number(k);
                }
            }

            fn visit_components(&self, components: &mut Components<'_>) {
                let mut list = alloc::vec![A::ZERO; Self::COUNT];
                self.put(&mut list);
                components.elements(list.iter());
            }

            fn visit_floats(&self, visit: &mut dyn FnMut(f64)) {
                for k in 0..Self::COUNT {
                    visit(self.number(k).to_f64());
                }
            }

            fn map_floats(&mut self, map: &mut dyn FnMut(f64) -> f64) {
                for k in 0..Self::COUNT {
                    let number = self.number_mut(k);
                    *number = <A as Scalar>::from_f64(map(number.to_f64()));
                }
            }
        }

        impl<A: Element, $($generics)*> Tangent for $t {
            #[inline]
            fn set_zero(&mut self) {
                for k in 0..Self::COUNT {
                    *self.number_mut(k) = A::ZERO;
                }
            }

            #[inline]
            fn accumulate(&mut self, other: &Self) {
                for k in 0..Self::COUNT {
                    *self.number_mut(k) += other.number(k);
                }
            }

            #[inline]
            fn scale(&mut self, factor: f64) {
                for k in 0..Self::COUNT {
                    *self.number_mut(k) *= <A as Scalar>::from_f64(factor);
                }
            }

            #[inline]
            fn inner(&self, other: &Self) -> f64 {
                (0..Self::COUNT).map(|k| self.number(k).to_f64() * other.number(k).to_f64()).sum()
            }

            #[inline]
            fn to_owned_tangent(&self) -> Self {
                self.clone()
            }
        }
    )*};
}
geometry! {
    [const N: usize] OPoint<A, Const<N>>, N;
    |x, k| x.coords[k], &mut x.coords[k];

    [const N: usize] Translation<A, N>, N;
    |x, k| x.vector[k], &mut x.vector[k];

    [const N: usize] Rotation<A, N>, N * N;
    |x, k| x.matrix()[k], &mut x.matrix_mut_unchecked()[k];

    [] Quaternion<A>, 4;
    |x, k| x.coords[k], &mut x.coords[k];

    [] Unit<Quaternion<A>>, 4;
    |x, k| x.as_ref().coords[k], &mut x.as_mut_unchecked().coords[k];

    [] Unit<Complex<A>>, 2;
    |x, k| if k == 0 { x.as_ref().re } else { x.as_ref().im },
    { let x = x.as_mut_unchecked(); if k == 0 { &mut x.re } else { &mut x.im } };

    [const R: usize, const C: usize] Unit<SMatrix<A, R, C>>, R * C;
    |x, k| x.as_ref()[k], &mut x.as_mut_unchecked()[k];

    [] Isometry<A, UnitQuaternion<A>, 3>, 7;
    |x, k| if k < 3 { x.translation.vector[k] } else { x.rotation.as_ref().coords[k - 3] },
    if k < 3 { &mut x.translation.vector[k] } else { &mut x.rotation.as_mut_unchecked().coords[k - 3] };

    [] Isometry<A, UnitComplex<A>, 2>, 4;
    |x, k| if k < 2 { x.translation.vector[k] } else { x.rotation.number(k - 2) },
    if k < 2 { &mut x.translation.vector[k] } else { x.rotation.number_mut(k - 2) };

    [] Isometry<A, Rotation<A, 3>, 3>, 12;
    |x, k| if k < 3 { x.translation.vector[k] } else { x.rotation.number(k - 3) },
    if k < 3 { &mut x.translation.vector[k] } else { x.rotation.number_mut(k - 3) };
}

/// Operators that are linear in both operands together: sums and differences.
macro_rules! linear {
    ($(
        $op:ident [$($generics:tt)*] $left:ty, $right:ty => $out:ty;
        |$a:ident, $b:ident| $value:expr;
        |$y_bar:ident| $left_bar:expr, $right_bar:expr;
    )*) => {$(
        impl<A: Element, $($generics)*> Pairing<$left, $right> for $op {
            type Output = $out;

            #[inline]
            fn primal($a: &$left, $b: &$right) -> $out {
                $value
            }

            #[inline]
            fn tangent(a: D<&$left>, b: D<&$right>) -> $out {
                Self::primal(a.1, b.1)
            }

            #[inline]
            fn pull($y_bar: &$out, _: &$left, _: &$right) -> ($left, $right) {
                ($left_bar, $right_bar)
            }

            #[inline]
            fn pull_tangent(y_bar: D<&$out>, a: D<&$left>, b: D<&$right>) -> ($left, $right) {
                Self::pull(y_bar.1, a.0, b.0)
            }
        }
    )*};
}
linear! {
    SubOp [const N: usize] OPoint<A, Const<N>>, OPoint<A, Const<N>> => SMatrix<A, N, 1>;
    |a, b| a - b;
    |y_bar| Point::from(*y_bar), Point::from(-y_bar);

    AddOp [const N: usize] OPoint<A, Const<N>>, SMatrix<A, N, 1> => OPoint<A, Const<N>>;
    |a, b| a + b;
    |y_bar| *y_bar, y_bar.coords;

    SubOp [const N: usize] OPoint<A, Const<N>>, SMatrix<A, N, 1> => OPoint<A, Const<N>>;
    |a, b| a - b;
    |y_bar| *y_bar, -y_bar.coords;

    MulOp [const N: usize] Translation<A, N>, OPoint<A, Const<N>> => OPoint<A, Const<N>>;
    |a, b| a * b;
    |y_bar| Translation::from(y_bar.coords), *y_bar;

    MulOp [const N: usize] Translation<A, N>, Translation<A, N> => Translation<A, N>;
    |a, b| a * b;
    |y_bar| *y_bar, *y_bar;
}

/// Operators that are linear in each operand: products.
macro_rules! bilinear {
    ($(
        [$($generics:tt)*] $left:ty, $right:ty => $out:ty;
        |$a:ident, $b:ident| $value:expr;
        |$y_bar:ident| $left_bar:expr, $right_bar:expr;
    )*) => {$(
        impl<$($generics)*> Pairing<$left, $right> for MulOp {
            type Output = $out;

            #[inline]
            fn primal($a: &$left, $b: &$right) -> $out {
                $value
            }

            #[inline]
            fn tangent(a: D<&$left>, b: D<&$right>) -> $out {
                sum(Self::primal(a.1, b.0), &Self::primal(a.0, b.1))
            }

            #[inline]
            fn pull($y_bar: &$out, $a: &$left, $b: &$right) -> ($left, $right) {
                ($left_bar, $right_bar)
            }

            #[inline]
            fn pull_tangent(y_bar: D<&$out>, a: D<&$left>, b: D<&$right>) -> ($left, $right) {
                let along: ($left, $right) = Self::pull(y_bar.1, a.0, b.0);
                let across: ($left, $right) = Self::pull(y_bar.0, a.1, b.1);
                (sum(along.0, &across.0), sum(along.1, &across.1))
            }
        }
    )*};
}
bilinear! {
    [A: Element, const N: usize, const C: usize] Rotation<A, N>, SMatrix<A, N, C> => SMatrix<A, N, C>;
    |a, b| a * b;
    |y_bar| rotation(y_bar * b.transpose()), a.matrix().tr_mul(y_bar);

    [A: Element, const N: usize, const R: usize] SMatrix<A, R, N>, Rotation<A, N> => SMatrix<A, R, N>;
    |a, b| a * b;
    |y_bar| y_bar * b.matrix().transpose(), rotation(a.tr_mul(y_bar));

    [A: Element, const N: usize] Rotation<A, N>, OPoint<A, Const<N>> => OPoint<A, Const<N>>;
    |a, b| a * b;
    |y_bar| rotation(y_bar.coords * b.coords.transpose()), Point::from(a.matrix().tr_mul(&y_bar.coords));

    [A: Element, const N: usize] Rotation<A, N>, Rotation<A, N> => Rotation<A, N>;
    |a, b| a * b;
    |y_bar| rotation(y_bar.matrix() * b.matrix().transpose()), rotation(a.matrix().tr_mul(y_bar.matrix()));

    [A: Element, const N: usize] SMatrix<A, N, N>, OPoint<A, Const<N>> => OPoint<A, Const<N>>;
    |a, b| a * b;
    |y_bar| y_bar.coords * b.coords.transpose(), Point::from(a.tr_mul(&y_bar.coords));

    [A: Element] UnitQuaternion<A>, UnitQuaternion<A> => UnitQuaternion<A>;
    |a, b| a * b;
    |y_bar| y_bar * b.conjugate(), a.conjugate() * y_bar;

    [A: Element] Quaternion<A>, Quaternion<A> => Quaternion<A>;
    |a, b| a * b;
    |y_bar| y_bar * b.conjugate(), a.conjugate() * y_bar;

    [A: Element] UnitComplex<A>, UnitComplex<A> => UnitComplex<A>;
    |a, b| a * b;
    |y_bar| y_bar * b.conjugate(), a.conjugate() * y_bar;

    [A: Element] UnitComplex<A>, SMatrix<A, 2, 1> => SMatrix<A, 2, 1>;
    |a, b| a * b;
    |y_bar| {
        let (x, y) = (b[0], b[1]);
        a.with(&[y_bar[0] * x + y_bar[1] * y, y_bar[1] * x - y_bar[0] * y])
    }, a.conjugate() * y_bar;

    [A: Element] UnitComplex<A>, OPoint<A, Const<2>> => OPoint<A, Const<2>>;
    |a, b| a * b;
    |y_bar| <MulOp as Pairing<UnitComplex<A>, SMatrix<A, 2, 1>>>::pull(&y_bar.coords, a, &b.coords).0, a.conjugate() * y_bar;
}

fn rotation<A: Element, const N: usize>(matrix: SMatrix<A, N, N>) -> Rotation<A, N> {
    Rotation::from_matrix_unchecked(matrix)
}

fn sum<T: Tangent>(mut a: T, b: &T) -> T {
    a.accumulate(b);
    a
}

/// Numbers with `+`, `-` and `*`: floats, and floats with tangents.
trait Arithmetic: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {}
impl<S: Copy + Add<Output = S> + Sub<Output = S> + Mul<Output = S>> Arithmetic for S {}

/// A number and its tangent.
#[derive(Clone, Copy)]
struct Jet<A>(A, A);

impl<A: Element> Add for Jet<A> {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Jet(self.0 + other.0, self.1 + other.1)
    }
}

impl<A: Element> Sub for Jet<A> {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Jet(self.0 - other.0, self.1 - other.1)
    }
}

impl<A: Element> Mul for Jet<A> {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Jet(self.0 * other.0, self.0 * other.1 + self.1 * other.0)
    }
}

fn cross<S: Arithmetic>(a: [S; 3], b: [S; 3]) -> [S; 3] {
    core::array::from_fn(|k| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        a[i] * b[j] - a[j] * b[i]
    })
}

fn twice_cross<S: Arithmetic>(a: [S; 3], b: [S; 3]) -> [S; 3] {
    cross(a, b).map(|c| c + c)
}

/// `v + w t + u × t` with `t = 2 u × v`, for the quaternion of the vector `u` and the number `w`.
fn turned<S: Arithmetic>(q: [S; 4], v: [S; 3]) -> [S; 3] {
    let (u, w) = ([q[0], q[1], q[2]], q[3]);
    let t = twice_cross(u, v);
    let turn = cross(u, t);
    core::array::from_fn(|n| v[n] + w * t[n] + turn[n])
}

/// The cotangents of `q` and `v`.
fn pull_turned<S: Arithmetic>(y: [S; 3], q: [S; 4], v: [S; 3]) -> ([S; 4], [S; 3]) {
    let (u, w) = ([q[0], q[1], q[2]], q[3]);
    let t = twice_cross(u, v);
    let turn = cross(y, u);
    let t_bar: [S; 3] = core::array::from_fn(|n| w * y[n] + turn[n]);
    let (of_turn, of_t) = (cross(t, y), twice_cross(v, t_bar));
    let of_v = twice_cross(t_bar, u);
    let w_bar = t[0] * y[0] + t[1] * y[1] + t[2] * y[2];
    let u_bar: [S; 3] = core::array::from_fn(|n| of_turn[n] + of_t[n]);
    (
        [u_bar[0], u_bar[1], u_bar[2], w_bar],
        core::array::from_fn(|n| y[n] + of_v[n]),
    )
}

fn jets<A: Element, X: Numbers<Elem = A>, const N: usize>(x: D<&X>) -> [Jet<A>; N] {
    core::array::from_fn(|k| Jet(x.0.number(k), x.1.number(k)))
}

fn plain<X: Numbers, const N: usize>(x: &X) -> [X::Elem; N] {
    core::array::from_fn(|k| x.number(k))
}

/// A quaternion of length one, by which a vector or a point is turned.
macro_rules! turns {
    ($($t:ty;)*) => {$(
        impl<A: Element> Pairing<UnitQuaternion<A>, $t> for MulOp {
            type Output = $t;

            #[inline]
            fn primal(a: &UnitQuaternion<A>, b: &$t) -> $t {
                a * b
            }

            #[inline]
            fn tangent(a: D<&UnitQuaternion<A>>, b: D<&$t>) -> $t {
                b.0.with(&turned(jets(a), jets(b)).map(|y| y.1))
            }

            #[inline]
            fn pull(y_bar: &$t, a: &UnitQuaternion<A>, b: &$t) -> (UnitQuaternion<A>, $t) {
                let (a_bar, b_bar) = pull_turned(plain(y_bar), plain(a), plain(b));
                (a.with(&a_bar), b.with(&b_bar))
            }

            #[inline]
            fn pull_tangent(y_bar: D<&$t>, a: D<&UnitQuaternion<A>>, b: D<&$t>) -> (UnitQuaternion<A>, $t) {
                let (a_bar, b_bar) = pull_turned(jets(y_bar), jets(a), jets(b));
                (a.0.with(&a_bar.map(|x| x.1)), b.0.with(&b_bar.map(|x| x.1)))
            }
        }
    )*};
}
turns! {
    Vector3<A>;
    Point3<A>;
}

/// An isometry: a turn, and then a translation.
macro_rules! isometries {
    ($($rotation:ty, $n:literal;)*) => {$(
        // A point is turned and moved.
        impl<A: Element> Pairing<Isometry<A, $rotation, $n>, Point<A, $n>> for MulOp {
            type Output = Point<A, $n>;

            #[inline]
            fn primal(a: &Isometry<A, $rotation, $n>, b: &Point<A, $n>) -> Point<A, $n> {
                a * b
            }

            #[inline]
            fn tangent(a: D<&Isometry<A, $rotation, $n>>, b: D<&Point<A, $n>>) -> Point<A, $n> {
                let turn = <MulOp as Pairing<$rotation, Point<A, $n>>>::tangent(Dual(&a.0.rotation, &a.1.rotation), b);
                turn + a.1.translation.vector
            }

            #[inline]
            fn pull(y_bar: &Point<A, $n>, a: &Isometry<A, $rotation, $n>, b: &Point<A, $n>) -> (Isometry<A, $rotation, $n>, Point<A, $n>) {
                let (turn, b_bar) = <MulOp as Pairing<$rotation, Point<A, $n>>>::pull(y_bar, &a.rotation, b);
                (Isometry::from_parts(y_bar.coords.into(), turn), b_bar)
            }

            #[inline]
            fn pull_tangent(y_bar: D<&Point<A, $n>>, a: D<&Isometry<A, $rotation, $n>>, b: D<&Point<A, $n>>) -> (Isometry<A, $rotation, $n>, Point<A, $n>) {
                let (turn, b_bar) = <MulOp as Pairing<$rotation, Point<A, $n>>>::pull_tangent(y_bar, Dual(&a.0.rotation, &a.1.rotation), b);
                (Isometry::from_parts(y_bar.1.coords.into(), turn), b_bar)
            }
        }

        // A vector is turned.
        impl<A: Element> Pairing<Isometry<A, $rotation, $n>, SMatrix<A, $n, 1>> for MulOp {
            type Output = SMatrix<A, $n, 1>;

            #[inline]
            fn primal(a: &Isometry<A, $rotation, $n>, b: &SMatrix<A, $n, 1>) -> SMatrix<A, $n, 1> {
                a * b
            }

            #[inline]
            fn tangent(a: D<&Isometry<A, $rotation, $n>>, b: D<&SMatrix<A, $n, 1>>) -> SMatrix<A, $n, 1> {
                <MulOp as Pairing<$rotation, SMatrix<A, $n, 1>>>::tangent(Dual(&a.0.rotation, &a.1.rotation), b)
            }

            #[inline]
            fn pull(y_bar: &SMatrix<A, $n, 1>, a: &Isometry<A, $rotation, $n>, b: &SMatrix<A, $n, 1>) -> (Isometry<A, $rotation, $n>, SMatrix<A, $n, 1>) {
                let (turn, b_bar) = <MulOp as Pairing<$rotation, SMatrix<A, $n, 1>>>::pull(y_bar, &a.rotation, b);
                (Isometry::from_parts(SMatrix::<A, $n, 1>::zeros().into(), turn), b_bar)
            }

            #[inline]
            fn pull_tangent(y_bar: D<&SMatrix<A, $n, 1>>, a: D<&Isometry<A, $rotation, $n>>, b: D<&SMatrix<A, $n, 1>>) -> (Isometry<A, $rotation, $n>, SMatrix<A, $n, 1>) {
                let (turn, b_bar) = <MulOp as Pairing<$rotation, SMatrix<A, $n, 1>>>::pull_tangent(y_bar, Dual(&a.0.rotation, &a.1.rotation), b);
                (Isometry::from_parts(SMatrix::<A, $n, 1>::zeros().into(), turn), b_bar)
            }
        }

        // The second one's translation is turned and moved, its rotation turned.
        impl<A: Element> Pairing<Isometry<A, $rotation, $n>, Isometry<A, $rotation, $n>> for MulOp {
            type Output = Isometry<A, $rotation, $n>;

            #[inline]
            fn primal(a: &Isometry<A, $rotation, $n>, b: &Isometry<A, $rotation, $n>) -> Isometry<A, $rotation, $n> {
                a * b
            }

            #[inline]
            fn tangent(a: D<&Isometry<A, $rotation, $n>>, b: D<&Isometry<A, $rotation, $n>>) -> Isometry<A, $rotation, $n> {
                let turn = Dual(&a.0.rotation, &a.1.rotation);
                let of = Dual(&b.0.translation.vector, &b.1.translation.vector);
                let moved = <MulOp as Pairing<$rotation, SMatrix<A, $n, 1>>>::tangent(turn, of);
                let turned = <MulOp as Pairing<$rotation, $rotation>>::tangent(turn, Dual(&b.0.rotation, &b.1.rotation));
                Isometry::from_parts((moved + a.1.translation.vector).into(), turned)
            }

            #[inline]
            fn pull(y_bar: &Isometry<A, $rotation, $n>, a: &Isometry<A, $rotation, $n>, b: &Isometry<A, $rotation, $n>) -> (Isometry<A, $rotation, $n>, Isometry<A, $rotation, $n>) {
                let moved = &y_bar.translation.vector;
                let (mut a_turn, b_move) = <MulOp as Pairing<$rotation, SMatrix<A, $n, 1>>>::pull(moved, &a.rotation, &b.translation.vector);
                let (turn, b_turn) = <MulOp as Pairing<$rotation, $rotation>>::pull(&y_bar.rotation, &a.rotation, &b.rotation);
                a_turn.accumulate(&turn);
                (Isometry::from_parts(y_bar.translation, a_turn), Isometry::from_parts(b_move.into(), b_turn))
            }

            #[inline]
            fn pull_tangent(y_bar: D<&Isometry<A, $rotation, $n>>, a: D<&Isometry<A, $rotation, $n>>, b: D<&Isometry<A, $rotation, $n>>) -> (Isometry<A, $rotation, $n>, Isometry<A, $rotation, $n>) {
                let turn = Dual(&a.0.rotation, &a.1.rotation);
                let of = Dual(&b.0.translation.vector, &b.1.translation.vector);
                let moved = Dual(&y_bar.0.translation.vector, &y_bar.1.translation.vector);
                let (mut a_turn, b_move) = <MulOp as Pairing<$rotation, SMatrix<A, $n, 1>>>::pull_tangent(moved, turn, of);
                let turned = Dual(&y_bar.0.rotation, &y_bar.1.rotation);
                let (more, b_turn) = <MulOp as Pairing<$rotation, $rotation>>::pull_tangent(turned, turn, Dual(&b.0.rotation, &b.1.rotation));
                a_turn.accumulate(&more);
                (Isometry::from_parts(y_bar.1.translation, a_turn), Isometry::from_parts(b_move.into(), b_turn))
            }
        }
    )*};
}
isometries! {
    UnitQuaternion<A>, 3;
    UnitComplex<A>, 2;
    Rotation<A, 3>, 3;
}

pairs! {
    [A: Element, const N: usize,] [A N] OPoint<A, Const<N>>, OPoint<A, Const<N>>;
    [A: Element, const N: usize, const R: usize, const C: usize,] [A N R C] OPoint<A, Const<N>>, SMatrix<A, R, C>;
    [A: Element, const N: usize, const R: usize, const C: usize,] [A N R C] SMatrix<A, R, C>, OPoint<A, Const<N>>;
    [A: Element, const N: usize, const R: usize, const C: usize,] [A N R C] Rotation<A, N>, SMatrix<A, R, C>;
    [A: Element, const N: usize, const R: usize, const C: usize,] [A N R C] SMatrix<A, R, C>, Rotation<A, N>;
    [A: Element, const N: usize, const M: usize,] [A N M] Rotation<A, N>, OPoint<A, Const<M>>;
    [A: Element, const N: usize, const M: usize,] [A N M] Rotation<A, N>, Rotation<A, M>;
    [A: Element, const N: usize, const M: usize,] [A N M] Translation<A, N>, OPoint<A, Const<M>>;
    [A: Element, const N: usize, const M: usize,] [A N M] Translation<A, N>, Translation<A, M>;
    [A: Element,] [A] Quaternion<A>, Quaternion<A>;
    [A: Element,] [A] UnitQuaternion<A>, UnitQuaternion<A>;
    [A: Element, const R: usize, const C: usize,] [A R C] UnitQuaternion<A>, SMatrix<A, R, C>;
    [A: Element, const N: usize,] [A N] UnitQuaternion<A>, OPoint<A, Const<N>>;
    [A: Element,] [A] UnitComplex<A>, UnitComplex<A>;
    [A: Element, const R: usize, const C: usize,] [A R C] UnitComplex<A>, SMatrix<A, R, C>;
    [A: Element, const N: usize,] [A N] UnitComplex<A>, OPoint<A, Const<N>>;
    [A: Element,] [A] Isometry<A, UnitQuaternion<A>, 3>, Isometry<A, UnitQuaternion<A>, 3>;
    [A: Element, const R: usize, const C: usize,] [A R C] Isometry<A, UnitQuaternion<A>, 3>, SMatrix<A, R, C>;
    [A: Element, const M: usize,] [A M] Isometry<A, UnitQuaternion<A>, 3>, OPoint<A, Const<M>>;
    [A: Element,] [A] Isometry<A, UnitComplex<A>, 2>, Isometry<A, UnitComplex<A>, 2>;
    [A: Element, const R: usize, const C: usize,] [A R C] Isometry<A, UnitComplex<A>, 2>, SMatrix<A, R, C>;
    [A: Element, const M: usize,] [A M] Isometry<A, UnitComplex<A>, 2>, OPoint<A, Const<M>>;
    [A: Element,] [A] Isometry<A, Rotation<A, 3>, 3>, Isometry<A, Rotation<A, 3>, 3>;
    [A: Element, const R: usize, const C: usize,] [A R C] Isometry<A, Rotation<A, 3>, 3>, SMatrix<A, R, C>;
    [A: Element, const M: usize,] [A M] Isometry<A, Rotation<A, 3>, 3>, OPoint<A, Const<M>>;
}

/// Points times numbers, and over numbers.
macro_rules! scaled {
    ($($t:ident)*) => {$( const _: () = {
        type A = $t;
        bilinear! {
            [const N: usize] OPoint<A, Const<N>>, A => OPoint<A, Const<N>>;
            |a, b| a * *b;
            |y_bar| y_bar * *b, y_bar.coords.dot(&a.coords);
        }

        impl<const N: usize> Pairing<OPoint<A, Const<N>>, A> for DivOp {
            type Output = OPoint<A, Const<N>>;

            #[inline]
            fn primal(a: &OPoint<A, Const<N>>, b: &A) -> OPoint<A, Const<N>> {
                a / *b
            }

            #[inline]
            fn tangent(a: D<&OPoint<A, Const<N>>>, b: D<&A>) -> OPoint<A, Const<N>> {
                <DivOp as Pairing<SMatrix<A, N, 1>, A>>::tangent(Dual(&a.0.coords, &a.1.coords), b).into()
            }

            #[inline]
            fn pull(y_bar: &OPoint<A, Const<N>>, a: &OPoint<A, Const<N>>, b: &A) -> (OPoint<A, Const<N>>, A) {
                let (a_bar, b_bar) = <DivOp as Pairing<SMatrix<A, N, 1>, A>>::pull(&y_bar.coords, &a.coords, b);
                (a_bar.into(), b_bar)
            }

            #[inline]
            fn pull_tangent(y_bar: D<&OPoint<A, Const<N>>>, a: D<&OPoint<A, Const<N>>>, b: D<&A>) -> (OPoint<A, Const<N>>, A) {
                let y_bar = Dual(&y_bar.0.coords, &y_bar.1.coords);
                let a = Dual(&a.0.coords, &a.1.coords);
                let (a_bar, b_bar) = <DivOp as Pairing<SMatrix<A, N, 1>, A>>::pull_tangent(y_bar, a, b);
                (a_bar.into(), b_bar)
            }
        }

        operands! {
            [] [const N: usize,] [N] OPoint<A, Const<N>> as OPoint<A, Const<N>>, |a| a; A as A, |b| b;
            ['a] [const N: usize,] [N] OPoint<A, Const<N>> as &'a OPoint<A, Const<N>>, |a| *a; A as A, |b| b;
        }
    }; )*};
}
scaled! { f32 f64 }

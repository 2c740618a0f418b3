//! Tangents in several directions at once.
//!
//! A rule whose tangents are made of floats of known type has them in a type of its own, [`Lanes`]: an `f64`, which is one direction, or a
//! [`Wide`], which is several. The primal is computed once for all of them, and operations on tangents are done for all at once.

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;
use core::array;
use core::borrow::BorrowMut;
use core::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use crate::scalar::{strong_div, strong_mul};
use crate::workspace::{self, Residual};
use crate::{Components, Differentiable, ShapeMismatch, Tangent, TangentValue};

/// The tangent of an `f64`, in one direction or in several. All that rules do with it is linear.
pub trait Lanes:
    Differentiable<Tangent = Self, OwnedTangent = Self>
    + TangentValue
    + Residual
    + Add<Output = Self>
    + Sub<Output = Self>
    + Neg<Output = Self>
    + Mul<f64, Output = Self>
    + Div<f64, Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign<f64>
    + DivAssign<f64>
{
    /// How many directions there are.
    const COUNT: usize;
    /// Zero in all directions.
    const ZERO: Self;

    /// [`strong_mul`], in each direction.
    #[must_use]
    fn strong_mul(self, partial: f64) -> Self;

    /// [`strong_mul`] of a number with the tangent of a partial.
    #[must_use]
    fn strong_factor(self, a: f64) -> Self;

    /// [`strong_div`], in each direction.
    #[must_use]
    fn strong_div(self, divisor: f64) -> Self;
}

impl Lanes for f64 {
    const COUNT: usize = 1;
    const ZERO: f64 = 0.0;

    #[inline(always)]
    fn strong_mul(self, partial: f64) -> f64 {
        strong_mul(self, partial)
    }

    #[inline(always)]
    fn strong_factor(self, a: f64) -> f64 {
        strong_mul(a, self)
    }

    #[inline(always)]
    fn strong_div(self, divisor: f64) -> f64 {
        strong_div(self, divisor)
    }
}

/// A tangent in `N` directions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wide<const N: usize>([f64; N]);

impl<const N: usize> Wide<N> {
    #[inline(always)]
    fn map(self, f: impl Fn(f64) -> f64) -> Self {
        Wide(self.0.map(f))
    }

    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        Wide(array::from_fn(|k| f(self.0[k], other.0[k])))
    }
}

impl<const N: usize> Default for Wide<N> {
    #[inline(always)]
    fn default() -> Self {
        Wide([0.0; N])
    }
}

impl<const N: usize> Lanes for Wide<N> {
    const COUNT: usize = N;
    const ZERO: Self = Wide([0.0; N]);

    #[inline(always)]
    fn strong_mul(self, partial: f64) -> Self {
        self.map(|t| strong_mul(t, partial))
    }

    #[inline(always)]
    fn strong_factor(self, a: f64) -> Self {
        if a == 0.0 { Self::ZERO } else { self * a }
    }

    #[inline(always)]
    fn strong_div(self, divisor: f64) -> Self {
        self.map(|t| strong_div(t, divisor))
    }
}

impl<const N: usize> Residual for Wide<N> {
    const UNWRITTEN: Self = Wide([f64::NAN; N]);

    fn run(len: usize) -> Box<[Self]> {
        vec![Self::ZERO; len].into_boxed_slice()
    }

    fn longer_run(run: Box<[Self]>, used: usize, len: usize) -> Box<[Self]> {
        let mut longer = Self::run(len.max(run.len()));
        longer[..used].copy_from_slice(&run[..used]);
        longer
    }

    fn keep_run(_: Box<[Self]>) {}
}

impl<const N: usize> Add for Wide<N> {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }
}

impl<const N: usize> Sub for Wide<N> {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.zip(other, |a, b| a - b)
    }
}

impl<const N: usize> Neg for Wide<N> {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        self.map(|t| -t)
    }
}

impl<const N: usize> Mul<f64> for Wide<N> {
    type Output = Self;

    #[inline(always)]
    fn mul(self, factor: f64) -> Self {
        self.map(|t| t * factor)
    }
}

impl<const N: usize> Div<f64> for Wide<N> {
    type Output = Self;

    #[inline(always)]
    fn div(self, divisor: f64) -> Self {
        self.map(|t| t / divisor)
    }
}

impl<const N: usize> AddAssign for Wide<N> {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl<const N: usize> SubAssign for Wide<N> {
    #[inline(always)]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl<const N: usize> MulAssign<f64> for Wide<N> {
    #[inline(always)]
    fn mul_assign(&mut self, factor: f64) {
        *self = *self * factor;
    }
}

impl<const N: usize> DivAssign<f64> for Wide<N> {
    #[inline(always)]
    fn div_assign(&mut self, divisor: f64) {
        *self = *self / divisor;
    }
}

impl<const N: usize> Differentiable for Wide<N> {
    type Tangent = Self;
    type OwnedTangent = Self;

    #[inline(always)]
    fn zero_tangent(&self) -> Self {
        Self::ZERO
    }

    #[inline(always)]
    fn matches_shape(&self, _: &Self) -> Result<(), ShapeMismatch> {
        Ok(())
    }

    #[inline(always)]
    fn add_scaled_tangent(&mut self, factor: f64, tangent: &Self) {
        *self += *tangent * factor;
    }

    fn visit_components(&self, components: &mut Components<'_>) {
        components.elements(self.0.iter());
    }

    #[inline(always)]
    fn visit_floats(&self, visit: &mut dyn FnMut(f64)) {
        self.0.iter().for_each(|t| visit(*t));
    }

    #[inline(always)]
    fn map_floats(&mut self, map: &mut dyn FnMut(f64) -> f64) {
        self.0.iter_mut().for_each(|t| *t = map(*t));
    }
}

impl<const N: usize> Tangent for Wide<N> {
    #[inline(always)]
    fn set_zero(&mut self) {
        *self = Self::ZERO;
    }

    #[inline(always)]
    fn accumulate(&mut self, other: &Self) {
        *self += *other;
    }

    #[inline(always)]
    fn scale(&mut self, factor: f64) {
        *self *= factor;
    }

    #[inline(always)]
    fn inner(&self, other: &Self) -> f64 {
        self.0.inner(&other.0)
    }

    #[inline(always)]
    fn to_owned_tangent(&self) -> Self {
        *self
    }

    #[inline(always)]
    fn set_entry(&mut self, k: usize, value: f64) {
        if let Some(t) = self.0.get_mut(k) {
            *t = value;
        }
    }

    #[inline(always)]
    fn __copy_entries(&self, to: &mut [f64]) {
        for (place, t) in to.iter_mut().zip(self.0) {
            *place = t;
        }
    }

    #[inline(always)]
    fn __fixed_entries() -> Option<usize> {
        Some(N)
    }
}

/// How many directions drivers take at once: as many as there is room for in registers.
pub const WIDTH: usize = 8;

/// A tangent in as many directions.
pub type Widest = Wide<WIDTH>;

/// A type whose tangents may be in several directions at once: they are made of `S` where one is made of `f64`.
pub trait Widened<S: Lanes> {
    /// The tangent, as it is borrowed.
    type Borrowed: ?Sized;
    /// The tangent in owned form.
    type Owned: TangentValue + BorrowMut<Self::Borrowed>;

    /// Zero in all directions.
    fn zero_wide(&self) -> Self::Owned;
}

/// The zero tangent in all directions.
#[inline(always)]
pub fn zero<S: Lanes, T: Widened<S> + ?Sized>(x: &T) -> T::Owned {
    x.zero_wide()
}

/// The same for each element of a slice, with memory of the workspace.
#[inline]
pub fn zeros_of<S: Lanes, T: Widened<S>>(values: &[T]) -> Vec<T::Owned> {
    let mut zeros = workspace::list(values.len());
    zeros.extend(values.iter().map(T::zero_wide));
    zeros
}

/// [`zeros_of`] each row.
pub fn zeros_of_rows<S: Lanes, T: Widened<S>>(values: &[Vec<T>]) -> Vec<Vec<T::Owned>> {
    let mut zeros = workspace::list(values.len());
    zeros.extend(values.iter().map(|row| zeros_of(row)));
    zeros
}

impl<S: Lanes> Widened<S> for f64 {
    type Borrowed = S;
    type Owned = S;

    #[inline(always)]
    fn zero_wide(&self) -> S {
        S::ZERO
    }
}

impl<S: Lanes, T: Widened<S>> Widened<S> for [T] {
    type Borrowed = [T::Owned];
    type Owned = Vec<T::Owned>;

    #[inline]
    fn zero_wide(&self) -> Vec<T::Owned> {
        self.iter().map(T::zero_wide).collect()
    }
}

impl<S: Lanes, T: Widened<S>, const N: usize> Widened<S> for [T; N] {
    type Borrowed = [T::Owned; N];
    type Owned = [T::Owned; N];

    #[inline(always)]
    fn zero_wide(&self) -> [T::Owned; N] {
        self.each_ref().map(T::zero_wide)
    }
}

macro_rules! widened {
    ($($list:ident)*) => {$(
        impl<S: Lanes, T: Widened<S>> Widened<S> for $list<T> {
            type Borrowed = $list<T::Owned>;
            type Owned = $list<T::Owned>;

            #[inline]
            fn zero_wide(&self) -> $list<T::Owned> {
                self.iter().map(T::zero_wide).collect()
            }
        }
    )*};
}
widened!(Vec VecDeque);

impl<S: Lanes, T: Widened<S>> Widened<S> for Option<T> {
    type Borrowed = Option<T::Owned>;
    type Owned = Option<T::Owned>;

    #[inline(always)]
    fn zero_wide(&self) -> Option<T::Owned> {
        self.as_ref().map(T::zero_wide)
    }
}

impl<S: Lanes, T: Widened<S>> Widened<S> for Box<T> {
    type Borrowed = Box<T::Owned>;
    type Owned = Box<T::Owned>;

    #[inline(always)]
    fn zero_wide(&self) -> Box<T::Owned> {
        Box::new((**self).zero_wide())
    }
}

macro_rules! tuples {
    ($($(($t:ident $k:tt))+;)+) => {$(
        impl<S: Lanes, $($t: Widened<S>),+> Widened<S> for ($($t,)+) {
            type Borrowed = ($($t::Owned,)+);
            type Owned = ($($t::Owned,)+);

            #[inline(always)]
            fn zero_wide(&self) -> Self::Owned {
                ($(self.$k.zero_wide(),)+)
            }
        }
    )+};
}
tuples! {
    (A 0);
    (A 0)(B 1);
    (A 0)(B 1)(C 2);
    (A 0)(B 1)(C 2)(D 3);
    (A 0)(B 1)(C 2)(D 3)(E 4);
    (A 0)(B 1)(C 2)(D 3)(E 4)(F 5);
    (A 0)(B 1)(C 2)(D 3)(E 4)(F 5)(G 6);
    (A 0)(B 1)(C 2)(D 3)(E 4)(F 5)(G 6)(H 7);
}

//! Functions that make complex numbers: `Complex::new(re, im)`, `Complex::from(re)`, `Complex::from_polar(r, theta)`. They are called by path.

use ::num_complex::Complex;

use super::Element;
use crate::{Dual, mode};

type D<T> = Dual<T, T>;

/// The types of complex numbers, which have functions that make them.
pub trait Made {
    /// `f32` or `f64`.
    type Part: Element;
}

impl<A: Element> Made for Complex<A> {
    type Part = A;
}

type Number<X> = Complex<<X as Made>::Part>;

/// `exp(i theta)`, by the library's own functions of one number.
fn unit<A: Element>(theta: A) -> Complex<A> {
    Complex::cis(theta)
}

fn along<A: Element>(a: Complex<A>, b: Complex<A>) -> A {
    a.re * b.re + a.im * b.im
}

/// `i z`.
fn turned<A: Element>(z: Complex<A>) -> Complex<A> {
    Complex::new(-z.im, z.re)
}

/// The rules of functions that make complex numbers.
#[allow(clippy::type_complexity)]
pub trait ComplexMakerRules: Made {
    /// `Complex::new(re, im)`.
    #[inline(always)]
    fn __new_path_modes() -> (mode::Owned<Self::Part>, mode::Owned<Self::Part>) {
        (mode::owned(), mode::owned())
    }

    /// The number, and its tangent.
    #[inline]
    fn __new_path_frule(re: D<Self::Part>, im: D<Self::Part>) -> D<Number<Self>> {
        Dual(Complex::new(re.0, im.0), Complex::new(re.1, im.1))
    }

    /// The number, and its pullback.
    #[inline]
    fn __new_rrule(
        re: Self::Part,
        im: Self::Part,
    ) -> (
        Number<Self>,
        impl FnOnce(Number<Self>, (), ()) -> (Self::Part, Self::Part),
    ) {
        let pullback = |z_bar: Number<Self>, (), ()| (z_bar.re, z_bar.im);
        (Complex::new(re, im), pullback)
    }

    /// The forward transform of the same.
    #[inline]
    fn __new_path_rrule_frule(
        re: D<Self::Part>,
        im: D<Self::Part>,
    ) -> (
        D<Number<Self>>,
        impl FnOnce(D<Number<Self>>, (), ()) -> (D<Self::Part>, D<Self::Part>),
    ) {
        let pullback = |z_bar: D<Number<Self>>, (), ()| {
            (Dual(z_bar.0.re, z_bar.1.re), Dual(z_bar.0.im, z_bar.1.im))
        };
        (Self::__new_path_frule(re, im), pullback)
    }

    /// `Complex::from(re)`.
    #[inline(always)]
    fn __from_path_modes() -> (mode::Owned<Self::Part>,) {
        (mode::owned(),)
    }

    /// The number, and its tangent.
    #[inline]
    fn __from_path_frule(re: D<Self::Part>) -> D<Number<Self>> {
        Dual(Complex::from(re.0), Complex::from(re.1))
    }

    /// The number, and its pullback.
    #[inline]
    fn __from_rrule(
        re: Self::Part,
    ) -> (Number<Self>, impl FnOnce(Number<Self>, ()) -> (Self::Part,)) {
        (Complex::from(re), |z_bar: Number<Self>, ()| (z_bar.re,))
    }

    /// The forward transform of the same.
    #[inline]
    fn __from_path_rrule_frule(
        re: D<Self::Part>,
    ) -> (
        D<Number<Self>>,
        impl FnOnce(D<Number<Self>>, ()) -> (D<Self::Part>,),
    ) {
        let pullback = |z_bar: D<Number<Self>>, ()| (Dual(z_bar.0.re, z_bar.1.re),);
        (Self::__from_path_frule(re), pullback)
    }

    /// `Complex::cis(theta)`.
    #[inline(always)]
    fn __cis_path_modes() -> (mode::Owned<Self::Part>,) {
        (mode::owned(),)
    }

    /// The number, and its tangent.
    #[inline]
    fn __cis_path_frule(theta: D<Self::Part>) -> D<Number<Self>> {
        let z = unit(theta.0);
        Dual(z, turned(z) * theta.1)
    }

    /// The number, and its pullback.
    #[inline]
    fn __cis_rrule(
        theta: Self::Part,
    ) -> (Number<Self>, impl FnOnce(Number<Self>, ()) -> (Self::Part,)) {
        let z = unit(theta);
        (z, move |z_bar: Number<Self>, ()| (along(z_bar, turned(z)),))
    }

    /// The forward transform of the same.
    #[inline]
    fn __cis_path_rrule_frule(
        theta: D<Self::Part>,
    ) -> (
        D<Number<Self>>,
        impl FnOnce(D<Number<Self>>, ()) -> (D<Self::Part>,),
    ) {
        let both = Self::__cis_path_frule(theta);
        let (z, z_dot) = (both.0, both.1);
        let pullback = move |z_bar: D<Number<Self>>, ()| {
            let bar = along(z_bar.0, turned(z));
            let bar_dot = along(z_bar.1, turned(z)) + along(z_bar.0, turned(z_dot));
            (Dual(bar, bar_dot),)
        };
        (both, pullback)
    }

    /// `Complex::from_polar(r, theta)`.
    #[inline(always)]
    fn __from_polar_path_modes() -> (mode::Owned<Self::Part>, mode::Owned<Self::Part>) {
        (mode::owned(), mode::owned())
    }

    /// The number, and its tangent.
    #[inline]
    fn __from_polar_path_frule(r: D<Self::Part>, theta: D<Self::Part>) -> D<Number<Self>> {
        let z = Complex::from_polar(r.0, theta.0);
        Dual(z, unit(theta.0) * r.1 + turned(z) * theta.1)
    }

    /// The number, and its pullback.
    #[inline]
    fn __from_polar_rrule(
        r: Self::Part,
        theta: Self::Part,
    ) -> (
        Number<Self>,
        impl FnOnce(Number<Self>, (), ()) -> (Self::Part, Self::Part),
    ) {
        let z = Complex::from_polar(r, theta);
        let pullback =
            move |z_bar: Number<Self>, (), ()| (along(z_bar, unit(theta)), along(z_bar, turned(z)));
        (z, pullback)
    }

    /// The forward transform of the same.
    #[inline]
    fn __from_polar_path_rrule_frule(
        r: D<Self::Part>,
        theta: D<Self::Part>,
    ) -> (
        D<Number<Self>>,
        impl FnOnce(D<Number<Self>>, (), ()) -> (D<Self::Part>, D<Self::Part>),
    ) {
        let both = Self::__from_polar_path_frule(r, theta);
        let (z, z_dot) = (both.0, both.1);
        let (u, u_dot) = (unit(theta.0), turned(unit(theta.0)) * theta.1);
        let pullback = move |z_bar: D<Number<Self>>, (), ()| {
            let r_bar = Dual(along(z_bar.0, u), along(z_bar.1, u) + along(z_bar.0, u_dot));
            let theta_bar = along(z_bar.0, turned(z));
            let theta_bar_dot = along(z_bar.1, turned(z)) + along(z_bar.0, turned(z_dot));
            (r_bar, Dual(theta_bar, theta_bar_dot))
        };
        (both, pullback)
    }
}
impl<X: Made> ComplexMakerRules for X {}

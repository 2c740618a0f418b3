//! Methods of complex numbers: holomorphic functions, the conjugate, and the functions with a real value.

use ::num_complex::Complex;

use super::Element;
use crate::{CoDual, Differentiable, Dual, Tangent, mode};

/// A value and its tangent, or a cotangent and its.
type D<T> = Dual<T, T>;
/// The argument of a pullback for a number behind a reference.
type At<'a, X> = CoDual<&'a X, &'a mut X>;
/// The same in second order.
type At2<'a, X> = CoDual<Dual<&'a X, &'a X>, Dual<&'a mut X, &'a mut X>>;

/// A complex number of floats.
pub trait AnyComplex: Tangent + Differentiable<Tangent = Self, OwnedTangent = Self> + Copy {
    /// `f32` or `f64`.
    type Part: Element;

    /// As the type that it is.
    fn number(self) -> Complex<Self::Part>;
    /// From the type that it is.
    fn of(number: Complex<Self::Part>) -> Self;
}

impl<A: Element> AnyComplex for Complex<A> {
    type Part = A;

    #[inline(always)]
    fn number(self) -> Complex<A> {
        self
    }

    #[inline(always)]
    fn of(number: Complex<A>) -> Self {
        number
    }
}

/// `z + z`
fn twice<A: Element>(z: Complex<A>) -> Complex<A> {
    z + z
}

/// `1 + z`
fn one_and<A: Element>(z: Complex<A>) -> Complex<A> {
    Complex::new(A::ONE + z.re, z.im)
}

/// A cotangent or tangent times a derivative: zero if the first is zero.
fn strong<A: Element>(bar: Complex<A>, derivative: Complex<A>) -> Complex<A> {
    if bar.re == A::ZERO && bar.im == A::ZERO {
        bar
    } else {
        bar * derivative
    }
}

/// `bar / size`, and zero where that is zero.
fn over<A: Element>(bar: A, size: A) -> A {
    if size == A::ZERO { A::ZERO } else { bar / size }
}

/// A method `self -> complex`, by value, tangent and cotangent; the second derivatives by how the cotangent changes.
macro_rules! complex_values {
    ($(
        $(#[$doc:meta])*
        [$modes:ident $frule:ident $rrule:ident $rrule_frule:ident] ($($n:ident: $N:ty)?)
        |$z:ident| $value:expr;
        |$z_dot:ident, $y:ident| $tangent:expr;
        |$y_bar:ident| $pull:expr;
        |$y_bar_dot:ident| $pull_dot:expr;
    )*) => {$(
        $(#[$doc])*
        #[inline(always)]
        fn $modes(&self) -> (mode::Ref<Self>, $(mode::Const<$N>,)?) {
            (mode::by_ref(), $(mode::constant::<$N>(),)?)
        }

        /// The value and its tangent.
        #[inline]
        #[allow(unused_variables)]
        fn $frule(&self, z_dot: &Self $(, $n: $N)?) -> D<Self> {
            let ($z, $z_dot) = (self.number(), z_dot.number());
            let $y = $value;
            Dual(Self::of($y), Self::of($tangent))
        }

        /// The value and its pullback.
        #[inline]
        #[allow(unused_variables)]
        fn $rrule(&self $(, $n: $N)?) -> (Self, impl FnOnce(Self, At<'_, Self> $(, complex_values!(@unit $N))?) -> ((), $(complex_values!(@unit $N),)?) + use<Self>) {
            let $z = self.number();
            let $y = $value;
            let pullback = move |y_bar: Self, at: At<'_, Self> $(, _: complex_values!(@unit $N))?| {
                let $y_bar = y_bar.number();
                at.1.accumulate(&Self::of($pull));
                ((), $(complex_values!(@unit $N),)?)
            };
            (Self::of($y), pullback)
        }

        /// The forward transform of the same.
        #[inline]
        #[allow(unused_variables, clippy::type_complexity)]
        fn $rrule_frule(
            &self,
            z_dot: &Self
            $(, $n: $N)?
        ) -> (D<Self>, impl FnOnce(D<Self>, At2<'_, Self> $(, complex_values!(@unit $N))?) -> ((), $(complex_values!(@unit $N),)?) + use<Self>) {
            let value = self.$frule(z_dot $(, $n)?);
            let ($z, $z_dot, $y) = (self.number(), z_dot.number(), value.0.number());
            let pullback = move |Dual(y_bar, y_bar_dot): D<Self>, at: At2<'_, Self> $(, _: complex_values!(@unit $N))?| {
                let ($y_bar, $y_bar_dot) = (y_bar.number(), y_bar_dot.number());
                at.1.0.accumulate(&Self::of($pull));
                at.1.1.accumulate(&Self::of($pull_dot));
                ((), $(complex_values!(@unit $N),)?)
            };
            (value, pullback)
        }
    )*};
    (@unit $N:ty) => { () };
}

/// Holomorphic functions, by the first and second derivative. The value is `y`.
macro_rules! holomorphic {
    ($(
        $(#[$doc:meta])*
        [$modes:ident $frule:ident $rrule:ident $rrule_frule:ident]
        |$z:ident| $value:expr;
        |$y:ident| $first:expr, $second:expr;
    )*) => { complex_values! {$(
        $(#[$doc])*
        [$modes $frule $rrule $rrule_frule] ()
        |$z| $value;
        |z_dot, $y| strong(z_dot, $first);
        |y_bar| strong(y_bar, $first.conj());
        |y_bar_dot| strong(y_bar_dot, $first.conj()) + strong(y_bar, strong(z_dot, $second).conj());
    )*} };
}

/// Functions `self -> real`.
macro_rules! real_values {
    ($(
        $(#[$doc:meta])*
        [$modes:ident $frule:ident $rrule:ident $rrule_frule:ident]
        |$z:ident| $value:expr;
        |$z_dot:ident, $y:ident| $tangent:expr;
        |$y_bar:ident| $pull:expr;
        |$y_bar_dot:ident, $y_dot:ident| $pull_dot:expr;
    )*) => {$(
        $(#[$doc])*
        #[inline(always)]
        fn $modes(&self) -> (mode::Ref<Self>,) {
            (mode::by_ref(),)
        }

        /// The value and its tangent.
        #[inline]
        fn $frule(&self, z_dot: &Self) -> D<Self::Part> {
            let ($z, $z_dot) = (self.number(), z_dot.number());
            let $y = $value;
            Dual($y, $tangent)
        }

        /// The value and its pullback.
        #[inline]
        #[allow(unused_variables)]
        fn $rrule(&self) -> (Self::Part, impl FnOnce(Self::Part, At<'_, Self>) -> ((),) + use<Self>) {
            let $z = self.number();
            let $y = $value;
            let pullback = move |$y_bar: Self::Part, at: At<'_, Self>| {
                at.1.accumulate(&Self::of($pull));
                ((),)
            };
            ($y, pullback)
        }

        /// The forward transform of the same.
        #[inline]
        #[allow(unused_variables, clippy::type_complexity)]
        fn $rrule_frule(&self, z_dot: &Self) -> (D<Self::Part>, impl FnOnce(D<Self::Part>, At2<'_, Self>) -> ((),) + use<Self>) {
            let value = self.$frule(z_dot);
            let ($z, $z_dot, $y, $y_dot) = (self.number(), z_dot.number(), value.0, value.1);
            let pullback = move |Dual($y_bar, $y_bar_dot): D<Self::Part>, at: At2<'_, Self>| {
                at.1.0.accumulate(&Self::of($pull));
                at.1.1.accumulate(&Self::of($pull_dot));
                ((),)
            };
            (value, pullback)
        }
    )*};
}

/// The rules of methods of complex numbers.
pub trait ComplexRules: AnyComplex {
    holomorphic! {
        /// `z.exp()`.
        [__exp_modes __exp_frule __exp_rrule __exp_rrule_frule]
        |z| z.exp();
        |y| y, y;

        /// `z.ln()`.
        [__ln_modes __ln_frule __ln_rrule __ln_rrule_frule]
        |z| z.ln();
        |y| z.inv(), -(z * z).inv();

        /// `z.sqrt()`.
        [__sqrt_modes __sqrt_frule __sqrt_rrule __sqrt_rrule_frule]
        |z| z.sqrt();
        |y| (y + y).inv(), -twice(twice(y * y * y)).inv();

        /// `z.inv()`.
        [__inv_modes __inv_frule __inv_rrule __inv_rrule_frule]
        |z| z.inv();
        |y| -(y * y), twice(y * y * y);

        /// `z.sin()`.
        [__sin_modes __sin_frule __sin_rrule __sin_rrule_frule]
        |z| z.sin();
        |y| z.cos(), -y;

        /// `z.cos()`.
        [__cos_modes __cos_frule __cos_rrule __cos_rrule_frule]
        |z| z.cos();
        |y| -z.sin(), -y;

        /// `z.tan()`.
        [__tan_modes __tan_frule __tan_rrule __tan_rrule_frule]
        |z| z.tan();
        |y| one_and(y * y), twice(y * one_and(y * y));

        /// `z.sinh()`.
        [__sinh_modes __sinh_frule __sinh_rrule __sinh_rrule_frule]
        |z| z.sinh();
        |y| z.cosh(), y;

        /// `z.cosh()`.
        [__cosh_modes __cosh_frule __cosh_rrule __cosh_rrule_frule]
        |z| z.cosh();
        |y| z.sinh(), y;

        /// `z.tanh()`.
        [__tanh_modes __tanh_frule __tanh_rrule __tanh_rrule_frule]
        |z| z.tanh();
        |y| one_and(-(y * y)), -twice(y * one_and(-(y * y)));
    }

    complex_values! {
        /// `z.conj()`.
        [__conj_modes __conj_frule __conj_rrule __conj_rrule_frule] ()
        |z| z.conj();
        |z_dot, y| z_dot.conj();
        |y_bar| y_bar.conj();
        |y_bar_dot| y_bar_dot.conj();

        /// `z.powi(n)`.
        [__powi_modes __powi_frule __powi_rrule __powi_rrule_frule] (n: i32)
        |z| z.powi(n);
        |z_dot, y| strong(z_dot, power(z, n, 1));
        |y_bar| strong(y_bar, power(z, n, 1).conj());
        |y_bar_dot| strong(y_bar_dot, power(z, n, 1).conj()) + strong(y_bar, strong(z_dot, power(z, n, 2)).conj());
    }

    real_values! {
        /// `z.norm_sqr()`.
        [__norm_sqr_modes __norm_sqr_frule __norm_sqr_rrule __norm_sqr_rrule_frule]
        |z| z.norm_sqr();
        |z_dot, y| along(z, z_dot) + along(z, z_dot);
        |y_bar| z * (y_bar + y_bar);
        |y_bar_dot, y_dot| z * (y_bar_dot + y_bar_dot) + z_dot * (y_bar + y_bar);

        /// `z.norm()`, whose derivative at zero counts as zero.
        [__norm_modes __norm_frule __norm_rrule __norm_rrule_frule]
        |z| z.norm();
        |z_dot, y| over(along(z, z_dot), y);
        |y_bar| z * over(y_bar, y);
        |y_bar_dot, y_dot| z * over(y_bar_dot - over(y_bar, y) * y_dot, y) + z_dot * over(y_bar, y);

        /// `z.arg()`, whose derivative at zero counts as zero.
        [__arg_modes __arg_frule __arg_rrule __arg_rrule_frule]
        |z| z.arg();
        |z_dot, y| over(across(z, z_dot), z.norm_sqr());
        |y_bar| turned(z) * over(y_bar, z.norm_sqr());
        |y_bar_dot, y_dot| {
            let size = z.norm_sqr();
            let k = over(y_bar, size);
            let k_dot = over(y_bar_dot - k * (along(z, z_dot) + along(z, z_dot)), size);
            turned(z) * k_dot + turned(z_dot) * k
        };
    }
}
impl<X: AnyComplex> ComplexRules for X {}

/// The inner product in the plane.
fn along<A: Element>(a: Complex<A>, b: Complex<A>) -> A {
    a.re * b.re + a.im * b.im
}

/// The area that two numbers span.
fn across<A: Element>(a: Complex<A>, b: Complex<A>) -> A {
    a.re * b.im - a.im * b.re
}

/// `i z`.
fn turned<A: Element>(z: Complex<A>) -> Complex<A> {
    Complex::new(-z.im, z.re)
}

/// The derivative of `z^n` of some order, 1 or 2.
fn power<A: Element>(z: Complex<A>, n: i32, order: i32) -> Complex<A> {
    let factor = (0..order)
        .map(|k| f64::from(n) - f64::from(k))
        .product::<f64>();
    if factor == 0.0 {
        return Complex::new(A::ZERO, A::ZERO);
    }
    z.powi(n.saturating_sub(order)) * A::from_f64(factor)
}

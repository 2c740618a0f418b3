//! Sums, products and quotients of complex numbers, and of complex and real ones.

use ::num_complex::Complex;

use super::Element;
use crate::Dual;
use crate::libraries::forms::Form;
use crate::libraries::pairing::{D, Pairing, negated, operands, pairs};
use crate::ops::{AddOp, BinaryRules, DivOp, LeftByRef, MulOp, NegOp, SubOp, UnaryRules};

/// A real or complex operand.
trait Operand<A>: Copy {
    fn complex(self) -> Complex<A>;
    /// Its cotangent, by that of the complex number that it is.
    fn projected(bar: Complex<A>) -> Self;
}

impl<A: Element> Operand<A> for Complex<A> {
    #[inline(always)]
    fn complex(self) -> Complex<A> {
        self
    }

    #[inline(always)]
    fn projected(bar: Complex<A>) -> Self {
        bar
    }
}

/// The quotient of a cotangent or tangent: zero if that is zero, whatever the divisor.
fn strong_quotient<A: Element>(bar: Complex<A>, divisor: Complex<A>) -> Complex<A> {
    if bar.re == A::ZERO && bar.im == A::ZERO {
        bar
    } else {
        bar / divisor
    }
}

/// The product of a cotangent or tangent with a factor that may be infinite: zero if the first is zero.
fn strong_product<A: Element>(bar: Complex<A>, factor: Complex<A>) -> Complex<A> {
    if bar.re == A::ZERO && bar.im == A::ZERO {
        bar
    } else {
        bar * factor
    }
}

/// The four operators on two types of which one is complex.
macro_rules! four {
    ($([$($generics:tt)*] $A:ident: $L:ty, $R:ty;)*) => {$(
        four! { @linear AddOp, [$($generics)*] $A: $L, $R; |a, b| a + b; |y_bar| y_bar }
        four! { @linear SubOp, [$($generics)*] $A: $L, $R; |a, b| a - b; |y_bar| -y_bar }

        // y = a b; a_bar = y_bar b*, b_bar = y_bar a*.
        impl<$($generics)*> Pairing<$L, $R> for MulOp {
            type Output = Complex<$A>;

            #[inline]
            fn primal(a: &$L, b: &$R) -> Complex<$A> {
                *a * *b
            }

            #[inline]
            fn tangent(a: D<&$L>, b: D<&$R>) -> Complex<$A> {
                *a.1 * *b.0 + *a.0 * *b.1
            }

            #[inline]
            fn pull(y_bar: &Complex<$A>, a: &$L, b: &$R) -> ($L, $R) {
                let (a, b) = (a.complex(), b.complex());
                (Operand::projected(*y_bar * b.conj()), Operand::projected(*y_bar * a.conj()))
            }

            #[inline]
            fn pull_tangent(y_bar: D<&Complex<$A>>, a: D<&$L>, b: D<&$R>) -> ($L, $R) {
                let along = Self::pull(y_bar.1, a.0, b.0);
                let across: ($L, $R) = Self::pull(y_bar.0, a.1, b.1);
                (along.0 + across.0, along.1 + across.1)
            }
        }

        // y = a / b; a_bar = y_bar / b*, b_bar = -a_bar y*. Zero cotangents stay zero, whatever the divisor.
        impl<$($generics)*> Pairing<$L, $R> for DivOp {
            type Output = Complex<$A>;

            #[inline]
            fn primal(a: &$L, b: &$R) -> Complex<$A> {
                *a / *b
            }

            #[inline]
            fn tangent(a: D<&$L>, b: D<&$R>) -> Complex<$A> {
                let y = *a.0 / *b.0;
                let top = a.1.complex() - strong_product(b.1.complex(), y);
                strong_quotient(top, b.0.complex())
            }

            #[inline]
            fn pull(y_bar: &Complex<$A>, a: &$L, b: &$R) -> ($L, $R) {
                let y = *a / *b;
                let a_bar = strong_quotient(*y_bar, b.complex().conj());
                let b_bar = -strong_product(a_bar, y.conj());
                (Operand::projected(a_bar), Operand::projected(b_bar))
            }

            #[inline]
            fn pull_tangent(y_bar: D<&Complex<$A>>, a: D<&$L>, b: D<&$R>) -> ($L, $R) {
                let (y, y_dot) = (*a.0 / *b.0, <Self as Pairing<$L, $R>>::tangent(a, b));
                let (b, b_dot) = (b.0.complex().conj(), b.1.complex().conj());
                let a_bar = strong_quotient(*y_bar.0, b);
                let a_bar_dot = strong_quotient(*y_bar.1 - strong_product(a_bar, b_dot), b);
                let b_bar_dot = -(strong_product(a_bar_dot, y.conj()) + strong_product(a_bar, y_dot.conj()));
                (Operand::projected(a_bar_dot), Operand::projected(b_bar_dot))
            }
        }
    )*};
    (@linear $op:ident, [$($generics:tt)*] $A:ident: $L:ty, $R:ty; |$a:ident, $b:ident| $value:expr; |$y_bar:ident| $right:expr) => {
        impl<$($generics)*> Pairing<$L, $R> for $op {
            type Output = Complex<$A>;

            #[inline]
            fn primal($a: &$L, $b: &$R) -> Complex<$A> {
                let ($a, $b) = (*$a, *$b);
                $value
            }

            #[inline]
            fn tangent(a: D<&$L>, b: D<&$R>) -> Complex<$A> {
                let ($a, $b) = (a.1.complex(), b.1.complex());
                $value
            }

            #[inline]
            fn pull(y_bar: &Complex<$A>, _: &$L, _: &$R) -> ($L, $R) {
                let $y_bar = *y_bar;
                (Operand::projected($y_bar), Operand::projected($right))
            }

            #[inline]
            fn pull_tangent(y_bar: D<&Complex<$A>>, a: D<&$L>, b: D<&$R>) -> ($L, $R) {
                <Self as Pairing<$L, $R>>::pull(y_bar.1, a.0, b.0)
            }
        }
    };
}
four! {
    [A: Element] A: Complex<A>, Complex<A>;
}
pairs! {
    [A: Element,] [A] Complex<A>, Complex<A>;
}

macro_rules! with_reals {
    ($($A:ident)*) => {$(
        impl Operand<$A> for $A {
            #[inline(always)]
            fn complex(self) -> Complex<$A> {
                Complex::new(self, 0.0)
            }

            #[inline(always)]
            fn projected(bar: Complex<$A>) -> Self {
                bar.re
            }
        }

        four! {
            [] $A: Complex<$A>, $A;
            [] $A: $A, Complex<$A>;
        }
        pairs! {
            [] [] Complex<$A>, $A;
            [] [] $A, Complex<$A>;
        }
    )*};
}
with_reals! { f32 f64 }

negated! {
    [A: Element] [A] Complex<A>;
}

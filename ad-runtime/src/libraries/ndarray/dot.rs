//! `a.dot(&b)` of vectors and matrices.
//!
//! A product is bilinear: its tangent is `a_dot.dot(b) + a.dot(b_dot)`, and each cotangent is a product with the other factor, which is
//! added to the shadow by the library's kernel (`general_mat_mul` and its like).

use ::ndarray::linalg::{general_mat_mul, general_mat_vec_mul};
use ::ndarray::{Array1, Array2, ArrayRef, ArrayRef1, ArrayRef2, Axis, Dimension, Ix1, Ix2};

use super::{AnyArray, At, At2, Behind, D, Dim, Elem, Element};
use crate::{Differentiable, Dual, Tangent, mode};

/// Shapes that can be multiplied.
pub trait Product<E: Dimension>: Dimension {
    /// A number, a vector or a matrix.
    type Gives<A: Element>: Tangent
        + Differentiable<Tangent = Self::Gives<A>, OwnedTangent = Self::Gives<A>>;

    /// The product.
    fn product<A: Element>(a: &ArrayRef<A, Self>, b: &ArrayRef<A, E>) -> Self::Gives<A>;

    /// Adds to the cotangent of the left factor.
    fn pull_left<A: Element>(
        y_bar: &Self::Gives<A>,
        b: &ArrayRef<A, E>,
        a_bar: &mut ArrayRef<A, Self>,
    );

    /// Adds to the cotangent of the right factor.
    fn pull_right<A: Element>(
        y_bar: &Self::Gives<A>,
        a: &ArrayRef<A, Self>,
        b_bar: &mut ArrayRef<A, E>,
    );
}

/// `m += u vᵀ`.
fn add_outer<A: Element>(u: &ArrayRef1<A>, v: &ArrayRef1<A>, m: &mut ArrayRef2<A>) {
    let (u, v) = (u.view().insert_axis(Axis(1)), v.view().insert_axis(Axis(0)));
    general_mat_mul(A::ONE, &u, &v, A::ONE, m);
}

// y = a · b; a_bar += y_bar b, b_bar += y_bar a.
impl Product<Ix1> for Ix1 {
    type Gives<A: Element> = A;

    fn product<A: Element>(a: &ArrayRef1<A>, b: &ArrayRef1<A>) -> A {
        a.dot(b)
    }

    fn pull_left<A: Element>(y_bar: &A, b: &ArrayRef1<A>, a_bar: &mut ArrayRef1<A>) {
        a_bar.scaled_add(*y_bar, b);
    }

    fn pull_right<A: Element>(y_bar: &A, a: &ArrayRef1<A>, b_bar: &mut ArrayRef1<A>) {
        b_bar.scaled_add(*y_bar, a);
    }
}

// y = A b; A_bar += y_bar bᵀ, b_bar += Aᵀ y_bar.
impl Product<Ix1> for Ix2 {
    type Gives<A: Element> = Array1<A>;

    fn product<A: Element>(a: &ArrayRef2<A>, b: &ArrayRef1<A>) -> Array1<A> {
        a.dot(b)
    }

    fn pull_left<A: Element>(y_bar: &Array1<A>, b: &ArrayRef1<A>, a_bar: &mut ArrayRef2<A>) {
        add_outer(y_bar, b, a_bar);
    }

    fn pull_right<A: Element>(y_bar: &Array1<A>, a: &ArrayRef2<A>, b_bar: &mut ArrayRef1<A>) {
        general_mat_vec_mul(A::ONE, &a.t(), y_bar, A::ONE, b_bar);
    }
}

// yᵀ = aᵀ B; a_bar += B y_bar, B_bar += a y_barᵀ.
impl Product<Ix2> for Ix1 {
    type Gives<A: Element> = Array1<A>;

    fn product<A: Element>(a: &ArrayRef1<A>, b: &ArrayRef2<A>) -> Array1<A> {
        a.dot(b)
    }

    fn pull_left<A: Element>(y_bar: &Array1<A>, b: &ArrayRef2<A>, a_bar: &mut ArrayRef1<A>) {
        general_mat_vec_mul(A::ONE, b, y_bar, A::ONE, a_bar);
    }

    fn pull_right<A: Element>(y_bar: &Array1<A>, a: &ArrayRef1<A>, b_bar: &mut ArrayRef2<A>) {
        add_outer(a, y_bar, b_bar);
    }
}

// Y = A B; A_bar += Y_bar Bᵀ, B_bar += Aᵀ Y_bar.
impl Product<Ix2> for Ix2 {
    type Gives<A: Element> = Array2<A>;

    fn product<A: Element>(a: &ArrayRef2<A>, b: &ArrayRef2<A>) -> Array2<A> {
        a.dot(b)
    }

    fn pull_left<A: Element>(y_bar: &Array2<A>, b: &ArrayRef2<A>, a_bar: &mut ArrayRef2<A>) {
        general_mat_mul(A::ONE, y_bar, &b.t(), A::ONE, a_bar);
    }

    fn pull_right<A: Element>(y_bar: &Array2<A>, a: &ArrayRef2<A>, b_bar: &mut ArrayRef2<A>) {
        general_mat_mul(A::ONE, &a.t(), y_bar, A::ONE, b_bar);
    }
}

/// The result of a product.
type Out<X, E> = <Dim<X> as Product<E>>::Gives<Elem<X>>;
/// The pullback's argument for the other factor.
type AtArg<'a, X, E> = At<'a, ArrayRef<Elem<X>, E>>;
/// The same in second order.
type AtArg2<'a, X, E> = At2<'a, ArrayRef<Elem<X>, E>>;

/// The rules of `dot`.
pub trait ArrayDotRules: AnyArray {
    /// By reference, both.
    #[inline(always)]
    #[allow(clippy::type_complexity)]
    fn __dot_modes<E: Dimension>(
        &self,
    ) -> (mode::Ref<Behind<Self>>, mode::Ref<ArrayRef<Elem<Self>, E>>) {
        (mode::by_ref(), mode::by_ref())
    }

    /// The product and its tangent.
    #[inline]
    #[track_caller]
    #[allow(clippy::type_complexity)]
    fn __dot_frule<E: Dimension>(
        &self,
        self_dot: &Behind<Self>,
        Dual(b, b_dot): Dual<&ArrayRef<Elem<Self>, E>, &ArrayRef<Elem<Self>, E>>,
    ) -> D<Out<Self, E>>
    where
        Self::Dim: Product<E>,
    {
        let (a, b) = (self.array(), b);
        let mut y_dot = Self::Dim::product(self_dot, b);
        y_dot.accumulate(&Self::Dim::product(a, b_dot));
        Dual(Self::Dim::product(a, b), y_dot)
    }

    /// The product and its pullback.
    #[inline]
    #[track_caller]
    #[allow(clippy::type_complexity)]
    fn __dot_rrule<E: Dimension>(
        &self,
        b: &ArrayRef<Elem<Self>, E>,
    ) -> (
        Out<Self, E>,
        impl FnOnce(Out<Self, E>, At<'_, Self>, AtArg<'_, Self, E>) -> ((), ()) + use<Self, E>,
    )
    where
        Self::Dim: Product<E>,
    {
        let pullback = |y_bar: Out<Self, E>, a: At<'_, Self>, b: AtArg<'_, Self, E>| {
            Self::Dim::pull_left(&y_bar, b.0, a.1);
            Self::Dim::pull_right(&y_bar, a.0.array(), b.1);
            ((), ())
        };
        (Self::Dim::product(self.array(), b), pullback)
    }

    /// The forward transform of the same.
    #[inline]
    #[track_caller]
    #[allow(clippy::type_complexity)]
    fn __dot_rrule_frule<E: Dimension>(
        &self,
        self_dot: &Behind<Self>,
        b: Dual<&ArrayRef<Elem<Self>, E>, &ArrayRef<Elem<Self>, E>>,
    ) -> (
        D<Out<Self, E>>,
        impl FnOnce(D<Out<Self, E>>, At2<'_, Self>, AtArg2<'_, Self, E>) -> ((), ()) + use<Self, E>,
    )
    where
        Self::Dim: Product<E>,
    {
        let pullback = |y_bar: D<Out<Self, E>>, a: At2<'_, Self>, b: AtArg2<'_, Self, E>| {
            let (Dual(y_bar, y_bar_dot), Dual(x, x_dot), Dual(z, z_dot)) = (y_bar, a.0, b.0);
            let (x, z) = (x.array(), z);
            Self::Dim::pull_left(&y_bar, z, a.1.0);
            Self::Dim::pull_left(&y_bar_dot, z, a.1.1);
            Self::Dim::pull_left(&y_bar, z_dot, a.1.1);
            Self::Dim::pull_right(&y_bar, x, b.1.0);
            Self::Dim::pull_right(&y_bar_dot, x, b.1.1);
            Self::Dim::pull_right(&y_bar, x_dot, b.1.1);
            ((), ())
        };
        (self.__dot_frule::<E>(self_dot, b), pullback)
    }
}
impl<X: AnyArray + ?Sized> ArrayDotRules for X {}

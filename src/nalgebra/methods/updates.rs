//! Methods that write to a matrix: `axpy`, `gemm`, `copy_from`, `fill`, `set_column`, and so on.
//!
//! Each has the rules of a function that returns the new matrix. The pullback restores the old one.

use core::mem::replace;

use ad_runtime::libraries::nalgebra::Product;

use super::products::ProductRules;
use super::statistics::{Computed, StatisticsRules};
use super::views::part;
use super::{AnyMatrix, At, At2, D, Elem};
use crate::{__private::mode, CoDual, Dual, NoTangent, Scalar};

/// The pullback's argument for a matrix that was written.
type Written<'a, X> = CoDual<&'a mut X, &'a mut X>;
/// The same in second order.
type Written2<'a, X> = CoDual<Dual<&'a mut X, &'a mut X>, Dual<&'a mut X, &'a mut X>>;
/// The result of a method that returns nothing.
type Unit = Dual<(), NoTangent>;

fn inner<X: AnyMatrix>(x: &X, z: &X) -> Elem<X> {
    let pairs = x.elements().iter().zip(z.elements());
    pairs.fold(Elem::<X>::ZERO, |sum, (x, z)| sum + *x * *z)
}

/// `x += k z`, and nothing for a `k` of zero: `z` may be uninitialized then, as the library allows.
fn add_scaled<X: AnyMatrix>(x: &mut X, k: Elem<X>, z: &X) {
    if k == Elem::<X>::ZERO {
        return;
    }
    for (x, z) in x.elements_mut().iter_mut().zip(z.elements()) {
        *x += k * *z;
    }
}

/// The kinds of arguments: a number, a matrix behind a reference, a constant.
macro_rules! kind {
    (@mode number) => { mode::Owned<Elem<Self>> };
    (@mode by $T:ty) => { mode::Ref<$T> };
    (@mode constant $T:ty) => { mode::Const<$T> };
    (@new number) => { mode::owned() };
    (@new by $T:ty) => { mode::by_ref() };
    (@new constant $T:ty) => { mode::constant() };
    (@value number) => { Elem<Self> };
    (@value by $T:ty) => { &$T };
    (@value constant $T:ty) => { $T };
    (@dual number) => { D<Elem<Self>> };
    (@dual by $T:ty) => { Dual<&$T, &$T> };
    (@dual constant $T:ty) => { $T };
    (@at number) => { () };
    (@at by $T:ty) => { At<'_, $T> };
    (@at constant $T:ty) => { () };
    (@at2 number) => { () };
    (@at2 by $T:ty) => { At2<'_, $T> };
    (@at2 constant $T:ty) => { () };
    (@bar number) => { Elem<Self> };
    (@bar by $T:ty) => { () };
    (@bar constant $T:ty) => { () };
    (@bar2 number) => { D<Elem<Self>> };
    (@bar2 by $T:ty) => { () };
    (@bar2 constant $T:ty) => { () };
}

/// The rules of a method that writes, by those of a function.
macro_rules! updates {
    ($(
        $(#[$doc:meta])*
        [$modes:ident $frule:ident $rrule:ident $rrule_frule:ident] $(<$Z:ident: $bound:path>)? ($($x:ident: $kind:ident $($T:ty)?),*)
        by $of_frule:ident $of_rrule:ident $of_rrule_frule:ident;
    )*) => {$(
        $(#[$doc])*
        #[inline(always)]
        fn $modes(&self) -> (mode::Mut<Self>, $(kind!(@mode $kind $($T)?),)*) {
            (mode::by_mut(), $(kind!(@new $kind $($T)?),)*)
        }

        /// Writes the matrix and its tangent.
        #[inline]
        #[track_caller]
        fn $frule(&mut self, self_dot: &mut Self, $($x: kind!(@dual $kind $($T)?)),*) -> Unit {
            let Dual(y, y_dot) = self.$of_frule(self_dot, $($x),*);
            *self = y;
            *self_dot = y_dot;
            Dual((), NoTangent)
        }

        /// Writes the matrix; the pullback puts the old one back.
        #[inline]
        #[track_caller]
        #[allow(clippy::type_complexity)]
        fn $rrule(&mut self, $($x: kind!(@value $kind $($T)?)),*) -> (
            (),
            impl FnOnce(NoTangent, Written<'_, Self>, $(kind!(@at $kind $($T)?)),*) -> ((), $(kind!(@bar $kind $($T)?),)*) + use<Self $(, $Z)?>,
        ) {
            let (y, pullback) = self.$of_rrule($($x),*);
            let old = replace(self, y);
            ((), move |_, CoDual(y, y_bar): Written<'_, Self>, $($x: kind!(@at $kind $($T)?)),*| {
                *y = old;
                let zero = y_bar.zero_tangent();
                let bar = replace(y_bar, zero);
                pullback(bar, CoDual(&*y, y_bar), $($x),*)
            })
        }

        /// The forward transform of the same.
        #[inline]
        #[track_caller]
        #[allow(clippy::type_complexity)]
        fn $rrule_frule(&mut self, self_dot: &mut Self, $($x: kind!(@dual $kind $($T)?)),*) -> (
            Unit,
            impl FnOnce(Dual<NoTangent, NoTangent>, Written2<'_, Self>, $(kind!(@at2 $kind $($T)?)),*) -> ((), $(kind!(@bar2 $kind $($T)?),)*) + use<Self $(, $Z)?>,
        ) {
            let (Dual(y, y_dot), pullback) = self.$of_rrule_frule(self_dot, $($x),*);
            let (old, old_dot) = (replace(self, y), replace(self_dot, y_dot));
            (Dual((), NoTangent), move |_, CoDual(y, y_bar): Written2<'_, Self>, $($x: kind!(@at2 $kind $($T)?)),*| {
                *y.0 = old;
                *y.1 = old_dot;
                let zero = y_bar.0.zero_tangent();
                let bar = Dual(replace(y_bar.0, zero.clone()), replace(y_bar.1, zero));
                pullback(bar, CoDual(Dual(&*y.0, &*y.1), y_bar), $($x),*)
            })
        }
    )*};
}

/// Functions that are linear in a matrix, and in a matrix or a number that is written to a part of it.
trait Replaced: Computed {
    /// The other matrix.
    fn copied_frule(&self, _: &Self, z: Dual<&Self, &Self>) -> D<Self> {
        Dual(z.0.clone(), z.1.clone())
    }

    /// The other matrix.
    #[track_caller]
    #[allow(clippy::type_complexity)]
    fn copied_rrule(
        &self,
        z: &Self,
    ) -> (
        Self,
        impl FnOnce(Self, At<'_, Self>, At<'_, Self>) -> ((), ()) + use<Self>,
    ) {
        assert_eq!(
            self.size(),
            z.size(),
            "Unable to copy from a matrix with a different shape."
        );
        let pullback = |y_bar: Self, _: At<'_, Self>, z: At<'_, Self>| {
            z.1.accumulate(&y_bar);
            ((), ())
        };
        (z.clone(), pullback)
    }

    /// The other matrix.
    #[allow(clippy::type_complexity)]
    fn copied_rrule_frule(
        &self,
        _: &Self,
        z: Dual<&Self, &Self>,
    ) -> (
        D<Self>,
        impl FnOnce(D<Self>, At2<'_, Self>, At2<'_, Self>) -> ((), ()) + use<Self>,
    ) {
        let pullback = |y_bar: D<Self>, _: At2<'_, Self>, z: At2<'_, Self>| {
            z.1.0.accumulate(&y_bar.0);
            z.1.1.accumulate(&y_bar.1);
            ((), ())
        };
        (Dual(z.0.clone(), z.1.clone()), pullback)
    }

    /// The same number everywhere.
    fn filled(&self, k: Elem<Self>) -> Self {
        let mut y = self.clone();
        y.elements_mut().fill(k);
        y
    }

    /// The same number everywhere.
    fn filled_frule(&self, _: &Self, k: D<Elem<Self>>) -> D<Self> {
        Dual(self.filled(k.0), self.filled(k.1))
    }

    /// The same number everywhere.
    #[allow(clippy::type_complexity)]
    fn filled_rrule(
        &self,
        k: Elem<Self>,
    ) -> (
        Self,
        impl FnOnce(Self, At<'_, Self>, ()) -> ((), Elem<Self>) + use<Self>,
    ) {
        (self.filled(k), |y_bar: Self, _: At<'_, Self>, ()| {
            ((), y_bar.total())
        })
    }

    /// The same number everywhere.
    #[allow(clippy::type_complexity)]
    fn filled_rrule_frule(
        &self,
        dot: &Self,
        k: D<Elem<Self>>,
    ) -> (
        D<Self>,
        impl FnOnce(D<Self>, At2<'_, Self>, ()) -> ((), D<Elem<Self>>) + use<Self>,
    ) {
        let pullback =
            |y_bar: D<Self>, _: At2<'_, Self>, ()| ((), Dual(y_bar.0.total(), y_bar.1.total()));
        (self.filled_frule(dot, k), pullback)
    }
}
impl<X: Computed> Replaced for X {}

/// Writes a part that begins at `first`.
#[track_caller]
fn write_part<X: AnyMatrix>(x: &mut X, first: (usize, usize), z: &impl AnyMatrix<Elem = Elem<X>>) {
    let ((rows, columns), n) = (x.size(), z.size());
    assert!(
        first.0 + n.0 <= rows && first.1 + n.1 <= columns,
        "Matrix slicing out of bounds."
    );
    for j in 0..n.1 {
        for i in 0..n.0 {
            let at = x.position(first.0 + i, first.1 + j);
            x.elements_mut()[at] = z.elements()[z.position(i, j)];
        }
    }
}

/// Clears a part that begins at `first`, and returns its old content.
fn take_part<X: AnyMatrix, Z: super::makers::Made + AnyMatrix<Elem = Elem<X>>>(
    x: &mut X,
    first: (usize, usize),
    n: (usize, usize),
) -> Z {
    let taken: Z = part(x, first, n);
    write_part(x, first, &taken.zero_tangent());
    taken
}

/// Matrices of which a part is written, a `Z`.
trait PartWrittenRules<Z: super::makers::Made + AnyMatrix<Elem = Elem<Self>>>: AnyMatrix {
    /// Where the part begins, and how it is written: `x.set_column(j, &z)`.
    #[doc(hidden)]
    fn part_frule(&mut self, dot: &mut Self, first: (usize, usize), z: Dual<&Z, &Z>) -> Unit {
        write_part(self, first, z.0);
        write_part(dot, first, z.1);
        Dual((), NoTangent)
    }

    #[doc(hidden)]
    #[track_caller]
    #[allow(clippy::type_complexity)]
    fn part_rrule(
        &mut self,
        first: (usize, usize),
        z: &Z,
    ) -> impl FnOnce(Written<'_, Self>, At<'_, Z>) + use<Self, Z> {
        let old: Z = part(self, first, z.size());
        write_part(self, first, z);
        move |x: Written<'_, Self>, z: At<'_, Z>| {
            z.1.accumulate(&take_part(x.1, first, old.size()));
            write_part(x.0, first, &old);
        }
    }

    #[doc(hidden)]
    #[track_caller]
    #[allow(clippy::type_complexity)]
    fn part_rrule_frule(
        &mut self,
        dot: &mut Self,
        first: (usize, usize),
        z: Dual<&Z, &Z>,
    ) -> impl FnOnce(Written2<'_, Self>, At2<'_, Z>) + use<Self, Z> {
        let (old, old_dot): (Z, Z) = (part(self, first, z.0.size()), part(dot, first, z.0.size()));
        self.part_frule(dot, first, z);
        move |x: Written2<'_, Self>, z: At2<'_, Z>| {
            z.1.0.accumulate(&take_part(x.1.0, first, old.size()));
            z.1.1.accumulate(&take_part(x.1.1, first, old.size()));
            write_part(x.0.0, first, &old);
            write_part(x.0.1, first, &old_dot);
        }
    }
}
impl<Z: super::makers::Made + AnyMatrix<Elem = Elem<X>>, X: AnyMatrix> PartWrittenRules<Z> for X {}

/// Methods that write a part: where it begins.
macro_rules! parts {
    ($(
        $(#[$doc:meta])*
        [$modes:ident $frule:ident $rrule:ident $rrule_frule:ident] ($($c:ident: $C:ty),*) <$Z:ty> $first:expr;
    )*) => {$(
        $(#[$doc])*
        #[inline(always)]
        fn $modes(&self) -> (mode::Mut<Self>, $(mode::Const<$C>,)* mode::Ref<$Z>) {
            (mode::by_mut(), $(parts!(@constant $c),)* mode::by_ref())
        }

        /// Writes the part and its tangent.
        #[inline]
        #[track_caller]
        fn $frule(&mut self, self_dot: &mut Self, $($c: $C,)* z: Dual<&$Z, &$Z>) -> Unit {
            self.part_frule(self_dot, $first, z)
        }

        /// Writes the part; the pullback puts the old one back.
        #[inline]
        #[track_caller]
        #[allow(clippy::type_complexity)]
        fn $rrule(&mut self, $($c: $C,)* z: &$Z) -> (
            (),
            impl FnOnce(NoTangent, Written<'_, Self>, $(parts!(@nothing $C),)* At<'_, $Z>) -> ((), $(parts!(@nothing $C),)* ()) + use<Self>,
        ) {
            let pullback = self.part_rrule($first, z);
            ((), move |_, x: Written<'_, Self>, $($c: parts!(@nothing $C),)* z: At<'_, $Z>| {
                pullback(x, z);
                ((), $($c,)* ())
            })
        }

        /// The forward transform of the same.
        #[inline]
        #[track_caller]
        #[allow(clippy::type_complexity)]
        fn $rrule_frule(&mut self, self_dot: &mut Self, $($c: $C,)* z: Dual<&$Z, &$Z>) -> (
            Unit,
            impl FnOnce(Dual<NoTangent, NoTangent>, Written2<'_, Self>, $(parts!(@nothing $C),)* At2<'_, $Z>) -> ((), $(parts!(@nothing $C),)* ()) + use<Self>,
        ) {
            let pullback = self.part_rrule_frule(self_dot, $first, z);
            (Dual((), NoTangent), move |_, x: Written2<'_, Self>, $($c: parts!(@nothing $C),)* z: At2<'_, $Z>| {
                pullback(x, z);
                ((), $($c,)* ())
            })
        }
    )*};
    (@constant $c:ident) => { mode::constant() };
    (@nothing $C:ty) => { () };
}

/// Generated code calls this to write back a part of a matrix.
#[allow(clippy::type_complexity)]
pub trait PutRules<Z: super::makers::Made + AnyMatrix<Elem = Elem<Self>>>: AnyMatrix {
    /// Writes a part that begins at `first`.
    #[inline]
    #[track_caller]
    fn put_part(&mut self, first: (usize, usize), z: &Z) {
        write_part(self, first, z);
    }

    /// The part by reference.
    #[inline(always)]
    fn __put_part_modes(&self) -> (mode::Mut<Self>, mode::Const<(usize, usize)>, mode::Ref<Z>) {
        (mode::by_mut(), mode::constant(), mode::by_ref())
    }

    /// Writes the part and its tangent.
    #[inline]
    #[track_caller]
    fn __put_part_frule(
        &mut self,
        self_dot: &mut Self,
        first: (usize, usize),
        z: Dual<&Z, &Z>,
    ) -> Unit {
        self.part_frule(self_dot, first, z)
    }

    /// Writes the part; the pullback puts the old one back.
    #[inline]
    #[track_caller]
    fn __put_part_rrule(
        &mut self,
        first: (usize, usize),
        z: &Z,
    ) -> (
        (),
        impl FnOnce(NoTangent, Written<'_, Self>, (), At<'_, Z>) -> ((), (), ()) + use<Self, Z>,
    ) {
        let pullback = self.part_rrule(first, z);
        ((), move |_, x: Written<'_, Self>, (), z: At<'_, Z>| {
            pullback(x, z);
            ((), (), ())
        })
    }

    /// The forward transform of the same.
    #[inline]
    #[track_caller]
    fn __put_part_rrule_frule(
        &mut self,
        self_dot: &mut Self,
        first: (usize, usize),
        z: Dual<&Z, &Z>,
    ) -> (
        Unit,
        impl FnOnce(Dual<NoTangent, NoTangent>, Written2<'_, Self>, (), At2<'_, Z>) -> ((), (), ())
        + use<Self, Z>,
    ) {
        let pullback = self.part_rrule_frule(self_dot, first, z);
        (
            Dual((), NoTangent),
            move |_, x: Written2<'_, Self>, (), z: At2<'_, Z>| {
                pullback(x, z);
                ((), (), ())
            },
        )
    }
}
impl<Z: super::makers::Made + AnyMatrix<Elem = Elem<X>>, X: AnyMatrix> PutRules<Z> for X {}

/// The rules of methods that write a row or a column.
pub trait LineWrittenRules:
    AnyMatrix<Row: super::makers::Made, Column: super::makers::Made>
{
    parts! {
        /// `x.set_column(j, &z)`.
        [__set_column_modes __set_column_frule __set_column_rrule __set_column_rrule_frule] (j: usize) <Self::Column> (0, j);

        /// `x.set_row(i, &z)`.
        [__set_row_modes __set_row_frule __set_row_rrule __set_row_rrule_frule] (i: usize) <Self::Row> (i, 0);
    }
}
impl<X: AnyMatrix<Row: super::makers::Made, Column: super::makers::Made>> LineWrittenRules for X {}

/// `a x + b y`.
trait Combined: Computed {
    /// The library's `axpy`.
    fn combined(&self, a: Elem<Self>, x: &Self, b: Elem<Self>) -> Self {
        let mut y = self.clone();
        for (y, x) in y.elements_mut().iter_mut().zip(x.elements()) {
            *y = if b == Elem::<Self>::ZERO {
                a * *x
            } else {
                a * *x + b * *y
            };
        }
        y
    }

    #[track_caller]
    fn combined_frule(
        &self,
        dot: &Self,
        a: D<Elem<Self>>,
        x: Dual<&Self, &Self>,
        b: D<Elem<Self>>,
    ) -> D<Self> {
        assert_eq!(self.size(), x.0.size(), "Axpy: mismatched vector shapes.");
        let mut y_dot = dot.combined(a.0, x.1, b.0);
        add_scaled(&mut y_dot, a.1, x.0);
        add_scaled(&mut y_dot, b.1, self);
        Dual(self.combined(a.0, x.0, b.0), y_dot)
    }

    #[track_caller]
    #[allow(clippy::type_complexity)]
    fn combined_rrule(
        &self,
        a: Elem<Self>,
        x: &Self,
        b: Elem<Self>,
    ) -> (
        Self,
        impl FnOnce(Self, At<'_, Self>, (), At<'_, Self>, ()) -> ((), Elem<Self>, (), Elem<Self>)
        + use<Self>,
    ) {
        assert_eq!(self.size(), x.size(), "Axpy: mismatched vector shapes.");
        let pullback = move |y_bar: Self, y: At<'_, Self>, (), x: At<'_, Self>, ()| {
            add_scaled(x.1, a, &y_bar);
            add_scaled(y.1, b, &y_bar);
            ((), inner(&y_bar, x.0), (), inner(&y_bar, y.0))
        };
        (self.combined(a, x, b), pullback)
    }

    #[track_caller]
    #[allow(clippy::type_complexity)]
    fn combined_rrule_frule(
        &self,
        dot: &Self,
        a: D<Elem<Self>>,
        x: Dual<&Self, &Self>,
        b: D<Elem<Self>>,
    ) -> (
        D<Self>,
        impl FnOnce(
            D<Self>,
            At2<'_, Self>,
            (),
            At2<'_, Self>,
            (),
        ) -> ((), D<Elem<Self>>, (), D<Elem<Self>>)
        + use<Self>,
    ) {
        let pullback = move |bar: D<Self>, y: At2<'_, Self>, (), x: At2<'_, Self>, ()| {
            for (at, k) in [(x.1, a), (y.1, b)] {
                add_scaled(at.0, k.0, &bar.0);
                add_scaled(at.1, k.0, &bar.1);
                add_scaled(at.1, k.1, &bar.0);
            }
            let number = |at: Dual<&Self, &Self>| {
                Dual(
                    inner(&bar.0, at.0),
                    inner(&bar.1, at.0) + inner(&bar.0, at.1),
                )
            };
            ((), number(x.0), (), number(y.0))
        };
        (self.combined_frule(dot, a, x, b), pullback)
    }
}
impl<X: Computed> Combined for X {}

/// The rules of methods that write all elements.
pub trait UpdateRules: Computed {
    updates! {
        /// `y.copy_from(&x)`.
        [__copy_from_modes __copy_from_frule __copy_from_rrule __copy_from_rrule_frule] (x: by Self)
        by copied_frule copied_rrule copied_rrule_frule;

        /// `y.fill(k)`.
        [__fill_modes __fill_frule __fill_rrule __fill_rrule_frule] (k: number)
        by filled_frule filled_rrule filled_rrule_frule;

        /// `y.axpy(a, &x, b)`.
        [__axpy_modes __axpy_frule __axpy_rrule __axpy_rrule_frule] (a: number, x: by Self, b: number)
        by combined_frule combined_rrule combined_rrule_frule;

        /// `y.scale_mut(k)`.
        [__scale_mut_modes __scale_mut_frule __scale_mut_rrule __scale_mut_rrule_frule] (k: number)
        by __scale_frule __scale_rrule __scale_rrule_frule;

        /// `y.unscale_mut(k)`.
        [__unscale_mut_modes __unscale_mut_frule __unscale_mut_rrule __unscale_mut_rrule_frule] (k: number)
        by __unscale_frule __unscale_rrule __unscale_rrule_frule;

        /// `y.add_scalar_mut(k)`.
        [__add_scalar_mut_modes __add_scalar_mut_frule __add_scalar_mut_rrule __add_scalar_mut_rrule_frule] (k: number)
        by __add_scalar_frule __add_scalar_rrule __add_scalar_rrule_frule;

        /// `y.component_mul_assign(&x)`.
        [__component_mul_assign_modes __component_mul_assign_frule __component_mul_assign_rrule __component_mul_assign_rrule_frule] (x: by Self)
        by __component_mul_frule __component_mul_rrule __component_mul_rrule_frule;

        /// `y.component_div_assign(&x)`.
        [__component_div_assign_modes __component_div_assign_frule __component_div_assign_rrule __component_div_assign_rrule_frule] (x: by Self)
        by __component_div_frule __component_div_rrule __component_div_rrule_frule;
    }
}
impl<X: Computed> UpdateRules for X {}

/// `alpha a b + beta y`.
#[allow(clippy::too_many_arguments)]
trait Multiplied<L: AnyMatrix<Elem = Elem<Self>>, R: AnyMatrix<Elem = Elem<Self>>>:
    AnyMatrix + Product<Elem<Self>, L, R>
{
    #[track_caller]
    fn multiplied_frule(
        &self,
        dot: &Self,
        alpha: D<Elem<Self>>,
        a: Dual<&L, &L>,
        b: Dual<&R, &R>,
        beta: D<Elem<Self>>,
    ) -> D<Self> {
        let mut y_dot = Self::multiplied(dot, alpha.0, a.1, b.0, beta.0);
        y_dot = Self::multiplied(&y_dot, alpha.0, a.0, b.1, Elem::<Self>::ONE);
        y_dot = Self::multiplied(&y_dot, alpha.1, a.0, b.0, Elem::<Self>::ONE);
        add_scaled(&mut y_dot, beta.1, self);
        Dual(Self::multiplied(self, alpha.0, a.0, b.0, beta.0), y_dot)
    }

    #[track_caller]
    #[allow(clippy::type_complexity)]
    fn multiplied_rrule(
        &self,
        alpha: Elem<Self>,
        a: &L,
        b: &R,
        beta: Elem<Self>,
    ) -> (
        Self,
        impl FnOnce(
            Self,
            At<'_, Self>,
            (),
            At<'_, L>,
            At<'_, R>,
            (),
        ) -> ((), Elem<Self>, (), (), Elem<Self>)
        + use<Self, L, R>,
    ) {
        let y = Self::multiplied(self, alpha, a, b, beta);
        let pullback = move |bar: Self, y: At<'_, Self>, (), a: At<'_, L>, b: At<'_, R>, ()| {
            let (a_bar, b_bar) = Self::pull_product(&bar, a.0, b.0);
            let alpha_bar = inner(&a_bar, a.0);
            add_scaled(a.1, alpha, &a_bar);
            add_scaled(b.1, alpha, &b_bar);
            add_scaled(y.1, beta, &bar);
            ((), alpha_bar, (), (), inner(&bar, y.0))
        };
        (y, pullback)
    }

    #[track_caller]
    #[allow(clippy::type_complexity)]
    fn multiplied_rrule_frule(
        &self,
        dot: &Self,
        alpha: D<Elem<Self>>,
        a: Dual<&L, &L>,
        b: Dual<&R, &R>,
        beta: D<Elem<Self>>,
    ) -> (
        D<Self>,
        impl FnOnce(
            D<Self>,
            At2<'_, Self>,
            (),
            At2<'_, L>,
            At2<'_, R>,
            (),
        ) -> ((), D<Elem<Self>>, (), (), D<Elem<Self>>)
        + use<Self, L, R>,
    ) {
        let y = self.multiplied_frule(dot, alpha, a, b, beta);
        let pullback =
            move |bar: D<Self>, y: At2<'_, Self>, (), a: At2<'_, L>, b: At2<'_, R>, ()| {
                let (a_bar, b_bar) = Self::pull_product(&bar.0, a.0.0, b.0.0);
                let (mut a_dot, mut b_dot) = Self::pull_product(&bar.1, a.0.0, b.0.0);
                let (a_more, b_more) = Self::pull_product(&bar.0, a.0.1, b.0.1);
                a_dot.accumulate(&a_more);
                b_dot.accumulate(&b_more);
                let alpha_bar = Dual(
                    inner(&a_bar, a.0.0),
                    inner(&a_dot, a.0.0) + inner(&a_bar, a.0.1),
                );
                add_scaled(a.1.0, alpha.0, &a_bar);
                add_scaled(a.1.1, alpha.0, &a_dot);
                add_scaled(a.1.1, alpha.1, &a_bar);
                add_scaled(b.1.0, alpha.0, &b_bar);
                add_scaled(b.1.1, alpha.0, &b_dot);
                add_scaled(b.1.1, alpha.1, &b_bar);
                let beta_bar = Dual(
                    inner(&bar.0, y.0.0),
                    inner(&bar.1, y.0.0) + inner(&bar.0, y.0.1),
                );
                add_scaled(y.1.0, beta.0, &bar.0);
                add_scaled(y.1.1, beta.0, &bar.1);
                add_scaled(y.1.1, beta.1, &bar.0);
                ((), alpha_bar, (), (), beta_bar)
            };
        (y, pullback)
    }
}
impl<
    L: AnyMatrix<Elem = Elem<X>>,
    R: AnyMatrix<Elem = Elem<X>>,
    X: AnyMatrix + Product<Elem<X>, L, R>,
> Multiplied<L, R> for X
{
}

/// Methods that add a product.
macro_rules! products {
    ($($(#[$doc:meta])* $rules:ident [$modes:ident $frule:ident $rrule:ident $rrule_frule:ident];)*) => {$(
        $(#[$doc])*
        pub trait $rules<L: AnyMatrix<Elem = Elem<Self>>, R: AnyMatrix<Elem = Elem<Self>>>: AnyMatrix + Product<Elem<Self>, L, R> {
            /// By reference, and by value.
            #[inline(always)]
            #[allow(clippy::type_complexity)]
            fn $modes(&self) -> (mode::Mut<Self>, mode::Owned<Elem<Self>>, mode::Ref<L>, mode::Ref<R>, mode::Owned<Elem<Self>>) {
                (mode::by_mut(), mode::owned(), mode::by_ref(), mode::by_ref(), mode::owned())
            }

            /// Writes the matrix and its tangent.
            #[track_caller]
            fn $frule(&mut self, self_dot: &mut Self, alpha: D<Elem<Self>>, a: Dual<&L, &L>, b: Dual<&R, &R>, beta: D<Elem<Self>>) -> Unit {
                let Dual(y, y_dot) = self.multiplied_frule(self_dot, alpha, a, b, beta);
                *self = y;
                *self_dot = y_dot;
                Dual((), NoTangent)
            }

            /// Writes the matrix; the pullback puts the old one back.
            #[track_caller]
            #[allow(clippy::type_complexity)]
            fn $rrule(&mut self, alpha: Elem<Self>, a: &L, b: &R, beta: Elem<Self>) -> (
                (),
                impl FnOnce(NoTangent, Written<'_, Self>, (), At<'_, L>, At<'_, R>, ()) -> ((), Elem<Self>, (), (), Elem<Self>) + use<Self, L, R>,
            ) {
                let (y, pullback) = self.multiplied_rrule(alpha, a, b, beta);
                let old = replace(self, y);
                ((), move |_, CoDual(y, y_bar): Written<'_, Self>, (), a: At<'_, L>, b: At<'_, R>, ()| {
                    *y = old;
                    let zero = y_bar.zero_tangent();
                    let bar = replace(y_bar, zero);
                    pullback(bar, CoDual(&*y, y_bar), (), a, b, ())
                })
            }

            /// The forward transform of the same.
            #[track_caller]
            #[allow(clippy::type_complexity)]
            fn $rrule_frule(&mut self, self_dot: &mut Self, alpha: D<Elem<Self>>, a: Dual<&L, &L>, b: Dual<&R, &R>, beta: D<Elem<Self>>) -> (
                Unit,
                impl FnOnce(Dual<NoTangent, NoTangent>, Written2<'_, Self>, (), At2<'_, L>, At2<'_, R>, ()) -> ((), D<Elem<Self>>, (), (), D<Elem<Self>>) + use<Self, L, R>,
            ) {
                let (Dual(y, y_dot), pullback) = self.multiplied_rrule_frule(self_dot, alpha, a, b, beta);
                let (old, old_dot) = (replace(self, y), replace(self_dot, y_dot));
                (Dual((), NoTangent), move |_, CoDual(y, y_bar): Written2<'_, Self>, (), a: At2<'_, L>, b: At2<'_, R>, ()| {
                    *y.0 = old;
                    *y.1 = old_dot;
                    let zero = y_bar.0.zero_tangent();
                    let bar = Dual(replace(y_bar.0, zero.clone()), replace(y_bar.1, zero));
                    pullback(bar, CoDual(Dual(&*y.0, &*y.1), y_bar), (), a, b, ())
                })
            }
        }
        impl<L: AnyMatrix<Elem = Elem<X>>, R: AnyMatrix<Elem = Elem<X>>, X: AnyMatrix + Product<Elem<X>, L, R>> $rules<L, R> for X {}
    )*};
}
products! {
    /// The rules of `y.gemm(alpha, &a, &b, beta)`.
    GemmRules [__gemm_modes __gemm_frule __gemm_rrule __gemm_rrule_frule];

    /// The rules of `y.gemv(alpha, &a, &x, beta)`.
    GemvRules [__gemv_modes __gemv_frule __gemv_rrule __gemv_rrule_frule];
}

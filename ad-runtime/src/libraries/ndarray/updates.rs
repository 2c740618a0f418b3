//! Methods that write to an array in place: `fill`, `assign`, `scaled_add`, and `+=` and the like of an array or a view.
//!
//! Each is a function of an element, of the element of another array, and of a number. A pullback puts the array back as it was.

use ::ndarray::{Array, Array0, ArrayRef, Dimension, Zip, arr0};

use super::methods::add;
use super::operators::{shrink, stretch};
use super::{AnyArray, At, At2, AtMut, AtMut2, Behind, D, Elem, Element};
use crate::partials::{Function, Product};
use crate::{CoDual, Dual, NoTangent, Real, mode};

/// Functions of the old element, the other array's element, and the number.
macro_rules! updates {
    ($($(#[$doc:meta])* $name:ident [$x_by:ident $b_by:ident $k_by:ident] $curved:literal
        |$x:ident, $b:ident, $k:ident| $value:expr, $p:expr; |$y:ident| $q:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        struct $name;
        impl Function<3> for $name {
            const PRODUCT: [Product; 3] = [Product::$x_by, Product::$b_by, Product::$k_by];
            const CURVED: bool = $curved;

            #[inline(always)]
            #[allow(unused_variables)]
            fn first<T: Real>(self, [$x, $b, $k]: [T; 3]) -> (T, [T; 3]) {
                ($value, $p)
            }

            #[inline(always)]
            #[allow(unused_variables)]
            fn second<T: Real>(self, [$x, $b, $k]: [T; 3], $y: T, _: [T; 3]) -> [[T; 3]; 3] {
                $q
            }
        }
    )*};
}

/// An update without second derivatives.
fn flat<T: Real>() -> [[T; 3]; 3] {
    [[T::ZERO; 3]; 3]
}

updates! {
    /// `k`
    Fill [Zero Zero Plain] false |x, b, k| k, [T::ZERO, T::ZERO, T::ONE]; |y| flat();
    /// `b`
    Assign [Zero Plain Zero] false |x, b, k| b, [T::ZERO, T::ONE, T::ZERO]; |y| flat();
    /// `x + k b`
    ScaledAdd [Plain Plain Plain] true |x, b, k| x + k * b, [T::ONE, k, b];
    |y| [[T::ZERO; 3], [T::ZERO, T::ZERO, T::ONE], [T::ZERO, T::ONE, T::ZERO]];
    /// `x + b`
    AddArray [Plain Plain Zero] false |x, b, k| x + b, [T::ONE, T::ONE, T::ZERO]; |y| flat();
    /// `x - b`
    SubArray [Plain Plain Zero] false |x, b, k| x - b, [T::ONE, -T::ONE, T::ZERO]; |y| flat();
    /// `x b`
    MulArray [Plain Plain Zero] true |x, b, k| x * b, [b, x, T::ZERO];
    |y| [[T::ZERO, T::ONE, T::ZERO], [T::ONE, T::ZERO, T::ZERO], [T::ZERO; 3]];
    /// `x / b`
    DivArray [Strong Strong Zero] true |x, b, k| x / b, [T::ONE / b, -(x / b) / b, T::ZERO];
    |y| { let q = -T::ONE / (b * b); [[T::ZERO, q, T::ZERO], [q, (y / b + y / b) / b, T::ZERO], [T::ZERO; 3]] };
    /// `x + k`
    AddNumber [Plain Zero Plain] false |x, b, k| x + k, [T::ONE, T::ZERO, T::ONE]; |y| flat();
    /// `x - k`
    SubNumber [Plain Zero Plain] false |x, b, k| x - k, [T::ONE, T::ZERO, -T::ONE]; |y| flat();
    /// `x k`
    MulNumber [Plain Zero Plain] true |x, b, k| x * k, [k, T::ZERO, x];
    |y| [[T::ZERO, T::ZERO, T::ONE], [T::ZERO; 3], [T::ONE, T::ZERO, T::ZERO]];
    /// `x / k`
    DivNumber [Strong Zero Strong] true |x, b, k| x / k, [T::ONE / k, T::ZERO, -(x / k) / k];
    |y| { let q = -T::ONE / (k * k); [[T::ZERO, T::ZERO, q], [T::ZERO; 3], [q, T::ZERO, (y / k + y / k) / k]] };
}

/// The old content.
type Old<A, D> = Array<A, D>;

#[track_caller]
fn primal<F: Function<3>, A: Element, X: Dimension, E: Dimension>(
    f: F,
    x: &mut ArrayRef<A, X>,
    b: &ArrayRef<A, E>,
    k: A,
) {
    let shape = x.raw_dim();
    Zip::from(x)
        .and(stretch(b, &shape))
        .for_each(|x, b| *x = f.first([*x, *b, k]).0);
}

#[track_caller]
fn forward<F: Function<3>, A: Element, X: Dimension, E: Dimension>(
    f: F,
    Dual(x, x_dot): Dual<&mut ArrayRef<A, X>, &mut ArrayRef<A, X>>,
    Dual(b, b_dot): Dual<&ArrayRef<A, E>, &ArrayRef<A, E>>,
    Dual(k, k_dot): D<A>,
) {
    let shape = x.raw_dim();
    Zip::from(x)
        .and(x_dot)
        .and(stretch(b, &shape))
        .and(stretch(b_dot, &shape))
        .for_each(|x, x_dot, b, b_dot| {
            Dual(*x, *x_dot) = f.frule([*x, *b, k], [*x_dot, *b_dot, k_dot]);
        });
}

/// Adds to the cotangents of the other array and of the number, and leaves that of the old elements.
fn pull<F: Function<3>, A: Element, X: Dimension, E: Dimension>(
    f: F,
    CoDual(x, x_bar): CoDual<&mut ArrayRef<A, X>, &mut ArrayRef<A, X>>,
    CoDual(b, b_bar): CoDual<&ArrayRef<A, E>, Option<&mut ArrayRef<A, E>>>,
    k: A,
    old: &Old<A, X>,
) -> A {
    let mut k_bar = A::ZERO;
    let shape = x.raw_dim();
    let mut wide = Array::zeros(shape.clone());
    x.assign(old);
    Zip::from(x_bar)
        .and(&mut wide)
        .and(old)
        .and(stretch(b, &shape))
        .for_each(|x_bar, wide, x, b| {
            let (_, p) = f.first([*x, *b, k]);
            let [of_x, of_b, of_k] = f.pull(*x_bar, p);
            (*x_bar, *wide) = (of_x, of_b);
            k_bar += of_k;
        });
    if let Some(b_bar) = b_bar {
        add(b_bar, &shrink(wide, &b.raw_dim()));
    }
    k_bar
}

/// The second-order pullback's argument for the other array.
type Other2<'a, A, E> = CoDual<
    Dual<&'a ArrayRef<A, E>, &'a ArrayRef<A, E>>,
    Option<Dual<&'a mut ArrayRef<A, E>, &'a mut ArrayRef<A, E>>>,
>;

/// The same in second order.
fn pull_dual<F: Function<3>, A: Element, X: Dimension, E: Dimension>(
    f: F,
    CoDual(Dual(x, x_dot), Dual(x_bar, x_bar_dot)): AtMut2<'_, ArrayRef<A, X>>,
    CoDual(Dual(b, b_dot), b_bars): Other2<'_, A, E>,
    Dual(k, k_dot): D<A>,
    Dual(old, old_dot): &D<Old<A, X>>,
) -> D<A> {
    let mut k_bar = Dual(A::ZERO, A::ZERO);
    let shape = x.raw_dim();
    x.assign(old);
    x_dot.assign(old_dot);
    let other: Array<_, X> = Zip::from(stretch(b, &shape))
        .and(stretch(b_dot, &shape))
        .map_collect(|b, b_dot| Dual(*b, *b_dot));
    let (mut wide, mut wide_dot) = (Array::zeros(shape.clone()), Array::zeros(shape));
    let bars = Zip::from(x_bar)
        .and(x_bar_dot)
        .and(&mut wide)
        .and(&mut wide_dot);
    let both = Zip::from(old)
        .and(old_dot)
        .and(&other)
        .map_collect(|x, x_dot, b| (Dual(*x, *x_dot), *b));
    bars.and(&both)
        .for_each(|x_bar, x_bar_dot, wide, wide_dot, (x, b)| {
            let (_, p) = f.first_dual([x.0, b.0, k], [x.1, b.1, k_dot]);
            let [of_x, of_b, of_k] = f.pull_dual(Dual(*x_bar, *x_bar_dot), p);
            (*x_bar, *x_bar_dot, *wide, *wide_dot) = (of_x.0, of_x.1, of_b.0, of_b.1);
            k_bar.0 += of_k.0;
            k_bar.1 += of_k.1;
        });
    if let Some(Dual(b_bar, b_bar_dot)) = b_bars {
        add(b_bar, &shrink(wide, &b.raw_dim()));
        add(b_bar_dot, &shrink(wide_dot, &b.raw_dim()));
    }
    k_bar
}

/// The number of an update that has none.
fn zero<A: Element>() -> A {
    A::ZERO
}

/// Without another array.
fn nothing<A: Element>() -> Array0<A> {
    arr0(A::ZERO)
}

macro_rules! update_methods {
    ($($by_array:ident $of_array:ident $by_number:ident $of_number:ident;)*) => {$(
        /// The operator, by another array.
        #[inline]
        #[track_caller]
        fn $by_array<E: Dimension>(&mut self, b: &ArrayRef<Elem<Self>, E>) {
            primal($of_array, self.array_mut(), b, zero::<Elem<Self>>());
        }

        /// The operator, by a number.
        #[inline]
        fn $by_number(&mut self, k: Elem<Self>) {
            primal($of_number, self.array_mut(), &nothing(), k);
        }
    )*};
}

/// The methods of which Rust has operators.
pub trait ArrayUpdates: AnyArray {
    update_methods! {
        add_array AddArray add_number AddNumber;
        sub_array SubArray sub_number SubNumber;
        mul_array MulArray mul_number MulNumber;
        div_array DivArray div_number DivNumber;
    }

    /// Itself, to be written.
    fn array_mut(&mut self) -> &mut Behind<Self>;
}

/// By a number.
macro_rules! by_number {
    ($($f:ident: $modes:ident $frule:ident $rrule:ident $rrule_frule:ident;)*) => {$(
        /// By `&mut`, and a number.
        #[inline(always)]
        fn $modes(&self) -> (mode::Mut<Behind<Self>>, mode::Owned<Elem<Self>>) {
            (mode::by_mut(), mode::owned())
        }

        /// Updates the tangent, too.
        #[inline]
        fn $frule(&mut self, self_dot: &mut Behind<Self>, k: D<Elem<Self>>) -> Dual<(), NoTangent> {
            let other = nothing();
            forward($f, Dual(self.array_mut(), self_dot), Dual(&other, &other), k);
            Dual((), NoTangent)
        }

        /// The update, and its pullback.
        #[inline]
        #[allow(clippy::type_complexity)]
        fn $rrule(
            &mut self,
            k: Elem<Self>,
        ) -> ((), impl FnOnce(NoTangent, AtMut<'_, Self>, ()) -> ((), Elem<Self>) + use<Self>) {
            let x = self.array_mut();
            let old = x.to_owned();
            primal($f, x, &nothing(), k);
            ((), move |_: NoTangent, x: AtMut<'_, Self>, ()| {
                ((), pull($f, x, CoDual(&nothing(), None), k, &old))
            })
        }

        /// The forward transform of the same.
        #[inline]
        #[allow(clippy::type_complexity)]
        fn $rrule_frule(
            &mut self,
            self_dot: &mut Behind<Self>,
            k: D<Elem<Self>>,
        ) -> (
            Dual<(), NoTangent>,
            impl FnOnce(Dual<NoTangent, NoTangent>, AtMut2<'_, Self>, ()) -> ((), D<Elem<Self>>) + use<Self>,
        ) {
            let x = self.array_mut();
            let old = Dual(x.to_owned(), self_dot.to_owned());
            let other = nothing();
            forward($f, Dual(x, self_dot), Dual(&other, &other), k);
            (Dual((), NoTangent), move |_: Dual<NoTangent, NoTangent>, x: AtMut2<'_, Self>, ()| {
                let other = nothing();
                ((), pull_dual($f, x, CoDual(Dual(&other, &other), None), k, &old))
            })
        }
    )*};
}

/// By another array.
macro_rules! by_array {
    ($($f:ident: $modes:ident $frule:ident $rrule:ident $rrule_frule:ident;)*) => {$(
        /// By `&mut`, and another array.
        #[inline(always)]
        fn $modes<E: Dimension>(&self) -> (mode::Mut<Behind<Self>>, mode::Ref<ArrayRef<Elem<Self>, E>>) {
            (mode::by_mut(), mode::by_ref())
        }

        /// Updates the tangent, too.
        #[inline]
        #[track_caller]
        #[allow(clippy::type_complexity)]
        fn $frule<E: Dimension>(
            &mut self,
            self_dot: &mut Behind<Self>,
            b: Dual<&ArrayRef<Elem<Self>, E>, &ArrayRef<Elem<Self>, E>>,
        ) -> Dual<(), NoTangent> {
            forward($f, Dual(self.array_mut(), self_dot), b, Dual(zero::<Elem<Self>>(), zero::<Elem<Self>>()));
            Dual((), NoTangent)
        }

        /// The update, and its pullback.
        #[inline]
        #[track_caller]
        #[allow(clippy::type_complexity)]
        fn $rrule<E: Dimension>(
            &mut self,
            b: &ArrayRef<Elem<Self>, E>,
        ) -> (
            (),
            impl FnOnce(NoTangent, AtMut<'_, Self>, At<'_, ArrayRef<Elem<Self>, E>>) -> ((), ()) + use<Self, E>,
        ) {
            let x = self.array_mut();
            let old = x.to_owned();
            primal($f, x, b, zero::<Elem<Self>>());
            ((), move |_: NoTangent, x: AtMut<'_, Self>, b: At<'_, ArrayRef<Elem<Self>, E>>| {
                pull($f, x, CoDual(b.0, Some(b.1)), zero::<Elem<Self>>(), &old);
                ((), ())
            })
        }

        /// The forward transform of the same.
        #[inline]
        #[track_caller]
        #[allow(clippy::type_complexity)]
        fn $rrule_frule<E: Dimension>(
            &mut self,
            self_dot: &mut Behind<Self>,
            b: Dual<&ArrayRef<Elem<Self>, E>, &ArrayRef<Elem<Self>, E>>,
        ) -> (
            Dual<(), NoTangent>,
            impl FnOnce(Dual<NoTangent, NoTangent>, AtMut2<'_, Self>, At2<'_, ArrayRef<Elem<Self>, E>>) -> ((), ()) + use<Self, E>,
        ) {
            let x = self.array_mut();
            let old = Dual(x.to_owned(), self_dot.to_owned());
            let none = Dual(zero::<Elem<Self>>(), zero::<Elem<Self>>());
            forward($f, Dual(x, self_dot), b, none);
            (
                Dual((), NoTangent),
                move |_: Dual<NoTangent, NoTangent>, x: AtMut2<'_, Self>, b: At2<'_, ArrayRef<Elem<Self>, E>>| {
                    pull_dual($f, x, CoDual(b.0, Some(b.1)), none, &old);
                    ((), ())
                },
            )
        }
    )*};
}

/// The rules of methods that write to an array in place.
pub trait ArrayUpdateRules: ArrayUpdates {
    by_number! {
        Fill: __fill_modes __fill_frule __fill_rrule __fill_rrule_frule;
        AddNumber: __add_number_modes __add_number_frule __add_number_rrule __add_number_rrule_frule;
        SubNumber: __sub_number_modes __sub_number_frule __sub_number_rrule __sub_number_rrule_frule;
        MulNumber: __mul_number_modes __mul_number_frule __mul_number_rrule __mul_number_rrule_frule;
        DivNumber: __div_number_modes __div_number_frule __div_number_rrule __div_number_rrule_frule;
    }
    by_array! {
        Assign: __assign_modes __assign_frule __assign_rrule __assign_rrule_frule;
        AddArray: __add_array_modes __add_array_frule __add_array_rrule __add_array_rrule_frule;
        SubArray: __sub_array_modes __sub_array_frule __sub_array_rrule __sub_array_rrule_frule;
        MulArray: __mul_array_modes __mul_array_frule __mul_array_rrule __mul_array_rrule_frule;
        DivArray: __div_array_modes __div_array_frule __div_array_rrule __div_array_rrule_frule;
    }

    /// By `&mut`, a number, and another array.
    #[inline(always)]
    #[allow(clippy::type_complexity)]
    fn __scaled_add_modes<E: Dimension>(
        &self,
    ) -> (
        mode::Mut<Behind<Self>>,
        mode::Owned<Elem<Self>>,
        mode::Ref<ArrayRef<Elem<Self>, E>>,
    ) {
        (mode::by_mut(), mode::owned(), mode::by_ref())
    }

    /// Updates the tangent, too.
    #[inline]
    #[track_caller]
    #[allow(clippy::type_complexity)]
    fn __scaled_add_frule<E: Dimension>(
        &mut self,
        self_dot: &mut Behind<Self>,
        k: D<Elem<Self>>,
        b: Dual<&ArrayRef<Elem<Self>, E>, &ArrayRef<Elem<Self>, E>>,
    ) -> Dual<(), NoTangent> {
        forward(ScaledAdd, Dual(self.array_mut(), self_dot), b, k);
        Dual((), NoTangent)
    }

    /// The update, and its pullback.
    #[inline]
    #[track_caller]
    #[allow(clippy::type_complexity)]
    fn __scaled_add_rrule<E: Dimension>(
        &mut self,
        k: Elem<Self>,
        b: &ArrayRef<Elem<Self>, E>,
    ) -> (
        (),
        impl FnOnce(
            NoTangent,
            AtMut<'_, Self>,
            (),
            At<'_, ArrayRef<Elem<Self>, E>>,
        ) -> ((), Elem<Self>, ())
        + use<Self, E>,
    ) {
        let x = self.array_mut();
        let old = x.to_owned();
        primal(ScaledAdd, x, b, k);
        (
            (),
            move |_: NoTangent, x: AtMut<'_, Self>, (), b: At<'_, ArrayRef<Elem<Self>, E>>| {
                let k_bar = pull(ScaledAdd, x, CoDual(b.0, Some(b.1)), k, &old);
                ((), k_bar, ())
            },
        )
    }

    /// The forward transform of the same.
    #[inline]
    #[track_caller]
    #[allow(clippy::type_complexity)]
    fn __scaled_add_rrule_frule<E: Dimension>(
        &mut self,
        self_dot: &mut Behind<Self>,
        k: D<Elem<Self>>,
        b: Dual<&ArrayRef<Elem<Self>, E>, &ArrayRef<Elem<Self>, E>>,
    ) -> (
        Dual<(), NoTangent>,
        impl FnOnce(
            Dual<NoTangent, NoTangent>,
            AtMut2<'_, Self>,
            (),
            At2<'_, ArrayRef<Elem<Self>, E>>,
        ) -> ((), D<Elem<Self>>, ())
        + use<Self, E>,
    ) {
        let x = self.array_mut();
        let old = Dual(x.to_owned(), self_dot.to_owned());
        forward(ScaledAdd, Dual(x, self_dot), b, k);
        (
            Dual((), NoTangent),
            move |_: Dual<NoTangent, NoTangent>,
                  x: AtMut2<'_, Self>,
                  (),
                  b: At2<'_, ArrayRef<Elem<Self>, E>>| {
                let k_bar = pull_dual(ScaledAdd, x, CoDual(b.0, Some(b.1)), k, &old);
                ((), k_bar, ())
            },
        )
    }
}
impl<X: ArrayUpdates + ?Sized> ArrayUpdateRules for X {}

impl<A: Element, S: ::ndarray::DataMut<Elem = A>, X: Dimension> ArrayUpdates
    for ::ndarray::ArrayBase<S, X>
{
    #[inline(always)]
    fn array_mut(&mut self) -> &mut ArrayRef<A, X> {
        self
    }
}

impl<A: Element, X: Dimension> ArrayUpdates for ArrayRef<A, X> {
    #[inline(always)]
    fn array_mut(&mut self) -> &mut ArrayRef<A, X> {
        self
    }
}

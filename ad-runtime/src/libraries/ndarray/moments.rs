//! Variances and standard deviations, of all elements and along an axis, and products.
//!
//! With m the mean of n elements and d the degrees of freedom that are taken off, `var` has the slope 2 (x - m) / (n - d), and `std`, which is s,
//! (x - m) / ((n - d) s).

use ::ndarray::{Array, ArrayRef, Axis, Dimension, RemoveAxis, Zip};

use super::{AnyArray, At, At2, Behind, D, Dim, Elem, Element};
use crate::scalar::strong_mul;
use crate::{Dual, Scalar, mode};

/// Elements in groups: lanes, or all of an array.
trait Sample<A> {
    fn each(&self) -> impl Iterator<Item = A> + Clone;
}
impl<A: Element, D: Dimension> Sample<A> for ArrayRef<A, D> {
    fn each(&self) -> impl Iterator<Item = A> + Clone {
        self.iter().copied()
    }
}

#[allow(clippy::cast_precision_loss, reason = "means divide by it")]
fn count<A: Scalar>(n: usize) -> A {
    A::from_f64(n as f64)
}

fn mean<A: Element>(x: impl Iterator<Item = A>, n: usize) -> A {
    let mut sum = A::ZERO;
    x.for_each(|x| sum += x);
    sum / count(n)
}

/// The factor of (x - m), and its derivative by `y`.
fn slope<A: Element>(root: bool, y: A, n: usize, ddof: A) -> (A, A) {
    let free = count::<A>(n) - ddof;
    if root {
        let slope = A::ONE / (free * y);
        (slope, -slope / y)
    } else {
        (A::from_f64(2.0) / free, A::ZERO)
    }
}

/// The tangent of `y`.
fn tangent<A: Element, D: Dimension>(
    root: bool,
    y: A,
    x: &ArrayRef<A, D>,
    x_dot: &ArrayRef<A, D>,
    ddof: A,
) -> A {
    let m = mean(x.each(), x.len());
    let mut sum = A::ZERO;
    for (x, x_dot) in x.each().zip(x_dot.each()) {
        sum += (x - m) * x_dot;
    }
    strong_mul(sum, slope(root, y, x.len(), ddof).0)
}

/// Adds to the cotangents.
fn pull<A: Element, D: Dimension>(
    root: bool,
    (y, y_bar): (A, A),
    x: &ArrayRef<A, D>,
    x_bar: &mut ArrayRef<A, D>,
    ddof: A,
) {
    let m = mean(x.each(), x.len());
    let k = strong_mul(y_bar, slope(root, y, x.len(), ddof).0);
    for (x, x_bar) in x.iter().zip(x_bar) {
        *x_bar += k * (*x - m);
    }
}

/// Adds to the tangents of the cotangents.
fn pull_tangent<A: Element, D: Dimension>(
    root: bool,
    (y, y_dot): (A, A),
    (y_bar, y_bar_dot): (A, A),
    (x, x_dot): (&ArrayRef<A, D>, &ArrayRef<A, D>),
    x_bar_dot: &mut ArrayRef<A, D>,
    ddof: A,
) {
    let n = x.len();
    let (m, m_dot) = (mean(x.each(), n), mean(x_dot.each(), n));
    let (slope, bend) = slope(root, y, n, ddof);
    let k = strong_mul(y_bar, slope);
    let k_dot = strong_mul(y_bar_dot, slope) + strong_mul(strong_mul(y_bar, bend), y_dot);
    for ((x, x_dot), bar_dot) in x.iter().zip(x_dot).zip(x_bar_dot) {
        *bar_dot += k_dot * (*x - m) + k * (*x_dot - m_dot);
    }
}

/// The result of a method along an axis.
type Along<X> = Array<Elem<X>, <Dim<X> as Dimension>::Smaller>;

macro_rules! of_all {
    ($($root:literal $value:ident: $modes:ident $frule:ident $rrule:ident $rrule_frule:ident;)*) => {$(
        /// By reference.
        #[inline(always)]
        fn $modes(&self) -> (mode::Ref<Behind<Self>>, mode::Const<Elem<Self>>) {
            (mode::by_ref(), mode::constant())
        }

        /// The value and its tangent.
        fn $frule(&self, self_dot: &Behind<Self>, ddof: Elem<Self>) -> D<Elem<Self>> {
            let y = Elem::<Self>::$value(self.array(), ddof);
            Dual(y, tangent($root, y, self.array(), self_dot, ddof))
        }

        /// The value and its pullback.
        #[allow(clippy::type_complexity)]
        fn $rrule(
            &self,
            ddof: Elem<Self>,
        ) -> (Elem<Self>, impl FnOnce(Elem<Self>, At<'_, Self>, ()) -> ((), ()) + use<Self>) {
            let y = Elem::<Self>::$value(self.array(), ddof);
            (y, move |y_bar: Elem<Self>, x: At<'_, Self>, ()| {
                pull($root, (y, y_bar), x.0, x.1, ddof);
                ((), ())
            })
        }

        /// The forward transform of the same.
        #[allow(clippy::type_complexity)]
        fn $rrule_frule(
            &self,
            self_dot: &Behind<Self>,
            ddof: Elem<Self>,
        ) -> (D<Elem<Self>>, impl FnOnce(D<Elem<Self>>, At2<'_, Self>, ()) -> ((), ()) + use<Self>) {
            let y = self.$frule(self_dot, ddof);
            (y, move |y_bar: D<Elem<Self>>, x: At2<'_, Self>, ()| {
                pull($root, (y.0, y_bar.0), x.0.0, x.1.0, ddof);
                pull_tangent($root, (y.0, y.1), (y_bar.0, y_bar.1), (x.0.0, x.0.1), x.1.1, ddof);
                ((), ())
            })
        }
    )*};
}

macro_rules! along {
    ($($root:literal $value:ident: $modes:ident $frule:ident $rrule:ident $rrule_frule:ident;)*) => {$(
        /// By reference.
        #[inline(always)]
        #[allow(clippy::type_complexity)]
        fn $modes(&self) -> (mode::Ref<Behind<Self>>, mode::Const<Axis>, mode::Const<Elem<Self>>)
        where
            Dim<Self>: RemoveAxis,
        {
            (mode::by_ref(), mode::constant(), mode::constant())
        }

        /// The values and their tangents.
        fn $frule(&self, self_dot: &Behind<Self>, axis: Axis, ddof: Elem<Self>) -> D<Along<Self>>
        where
            Dim<Self>: RemoveAxis,
        {
            let y = Elem::<Self>::$value(self.array(), axis, ddof);
            let y_dot = Zip::from(self.array().lanes(axis))
                .and(self_dot.lanes(axis))
                .and(&y)
                .map_collect(|x, x_dot, y| tangent($root, *y, &x, &x_dot, ddof));
            Dual(y, y_dot)
        }

        /// The values and their pullback.
        #[allow(clippy::type_complexity)]
        fn $rrule(
            &self,
            axis: Axis,
            ddof: Elem<Self>,
        ) -> (
            Along<Self>,
            impl FnOnce(Along<Self>, At<'_, Self>, (), ()) -> ((), (), ()) + use<Self>,
        )
        where
            Dim<Self>: RemoveAxis,
        {
            let y = Elem::<Self>::$value(self.array(), axis, ddof);
            let kept = y.clone();
            (y, move |y_bar: Along<Self>, x: At<'_, Self>, (), ()| {
                Zip::from(x.0.lanes(axis))
                    .and(x.1.lanes_mut(axis))
                    .and(&kept)
                    .and(&y_bar)
                    .for_each(|x, mut x_bar, y, y_bar| pull($root, (*y, *y_bar), &x, &mut x_bar, ddof));
                ((), (), ())
            })
        }

        /// The forward transform of the same.
        #[allow(clippy::type_complexity)]
        fn $rrule_frule(
            &self,
            self_dot: &Behind<Self>,
            axis: Axis,
            ddof: Elem<Self>,
        ) -> (
            D<Along<Self>>,
            impl FnOnce(D<Along<Self>>, At2<'_, Self>, (), ()) -> ((), (), ()) + use<Self>,
        )
        where
            Dim<Self>: RemoveAxis,
        {
            let y = self.$frule(self_dot, axis, ddof);
            let kept = Zip::from(&y.0).and(&y.1).map_collect(|y, y_dot| (*y, *y_dot));
            (y, move |y_bar: D<Along<Self>>, x: At2<'_, Self>, (), ()| {
                Zip::from(x.0.0.lanes(axis))
                    .and(x.1.0.lanes_mut(axis))
                    .and(&kept)
                    .and(&y_bar.0)
                    .for_each(|x, mut x_bar, y, y_bar| pull($root, (y.0, *y_bar), &x, &mut x_bar, ddof));
                let bars = Zip::from(&y_bar.0).and(&y_bar.1).map_collect(|bar, dot| (*bar, *dot));
                Zip::from(x.0.0.lanes(axis))
                    .and(x.0.1.lanes(axis))
                    .and(x.1.1.lanes_mut(axis))
                    .and(&kept)
                    .and(&bars)
                    .for_each(|x, x_dot, mut x_bar_dot, y, y_bar| {
                        pull_tangent($root, *y, *y_bar, (&x, &x_dot), &mut x_bar_dot, ddof);
                    });
                ((), (), ())
            })
        }
    )*};
}

/// The rules of variances, standard deviations and products.
pub trait MomentRules: AnyArray {
    of_all! {
        false var_of: __var_modes __var_frule __var_rrule __var_rrule_frule;
        true std_of: __std_modes __std_frule __std_rrule __std_rrule_frule;
    }
    along! {
        false var_along: __var_axis_modes __var_axis_frule __var_axis_rrule __var_axis_rrule_frule;
        true std_along: __std_axis_modes __std_axis_frule __std_axis_rrule __std_axis_rrule_frule;
    }

    /// By reference.
    #[inline(always)]
    fn __product_modes(&self) -> (mode::Ref<Behind<Self>>,) {
        (mode::by_ref(),)
    }

    /// The value and its tangent.
    fn __product_frule(&self, self_dot: &Behind<Self>) -> D<Elem<Self>> {
        let mut y_dot = <Elem<Self>>::from_f64(0.0);
        for (others, x_dot) in others(self.array()).into_iter().zip(self_dot) {
            y_dot += others * *x_dot;
        }
        Dual(self.array().product(), y_dot)
    }

    /// The value and its pullback.
    #[allow(clippy::type_complexity)]
    fn __product_rrule(
        &self,
    ) -> (
        Elem<Self>,
        impl FnOnce(Elem<Self>, At<'_, Self>) -> ((),) + use<Self>,
    ) {
        (
            self.array().product(),
            |y_bar: Elem<Self>, x: At<'_, Self>| {
                for (others, x_bar) in others(x.0).into_iter().zip(x.1) {
                    *x_bar += y_bar * others;
                }
                ((),)
            },
        )
    }

    /// The forward transform of the same.
    #[allow(clippy::type_complexity)]
    fn __product_rrule_frule(
        &self,
        self_dot: &Behind<Self>,
    ) -> (
        D<Elem<Self>>,
        impl FnOnce(D<Elem<Self>>, At2<'_, Self>) -> ((),) + use<Self>,
    ) {
        let pullback = |Dual(y_bar, y_bar_dot): D<Elem<Self>>, x: At2<'_, Self>| {
            let (Dual(x, x_dot), Dual(x_bar, x_bar_dot)) = (x.0, x.1);
            let all = others_dual(x, x_dot);
            for (((others, others_dot), x_bar), x_bar_dot) in
                all.into_iter().zip(x_bar).zip(x_bar_dot)
            {
                *x_bar += y_bar * others;
                *x_bar_dot += y_bar_dot * others + y_bar * others_dot;
            }
            ((),)
        };
        (self.__product_frule(self_dot), pullback)
    }
}
impl<X: AnyArray + ?Sized> MomentRules for X {}

/// For each element, the product of all others.
fn others<A: Element, D: Dimension>(x: &ArrayRef<A, D>) -> alloc::vec::Vec<A> {
    let mut all = alloc::vec![A::ONE; x.len()];
    let mut before = A::ONE;
    for (others, x) in all.iter_mut().zip(x) {
        *others = before;
        before *= *x;
    }
    let elements: alloc::vec::Vec<A> = x.iter().copied().collect();
    let mut after = A::ONE;
    for (others, x) in all.iter_mut().zip(elements).rev() {
        *others *= after;
        after *= x;
    }
    all
}

/// The same with tangents.
fn others_dual<A: Element, D: Dimension>(
    x: &ArrayRef<A, D>,
    x_dot: &ArrayRef<A, D>,
) -> alloc::vec::Vec<(A, A)> {
    let times = |a: (A, A), b: (A, A)| (a.0 * b.0, a.0 * b.1 + a.1 * b.0);
    let both: alloc::vec::Vec<(A, A)> = x.iter().copied().zip(x_dot.iter().copied()).collect();
    let mut all = alloc::vec![(A::ONE, A::ZERO); x.len()];
    let mut before = (A::ONE, A::ZERO);
    for (others, x) in all.iter_mut().zip(&both) {
        *others = before;
        before = times(before, *x);
    }
    let mut after = (A::ONE, A::ZERO);
    for (others, x) in all.iter_mut().zip(both).rev() {
        *others = times(*others, after);
        after = times(after, x);
    }
    all
}

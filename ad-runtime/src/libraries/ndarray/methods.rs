//! Methods that are linear: sums, means, transposes, views of parts, copies.
//!
//! The tangent of the result is the method's value for the tangent of the array. A pullback adds to the array's shadow what the adjoint gives.

use ::ndarray::{Array, Array1, ArrayRef, Axis, Dimension, Ix1, RemoveAxis, Slice, SliceArg};

use super::{AnyArray, At, At2, D, Dim, Elem, Element, Tangents};
use crate::{Dual, Scalar, mode};

/// Writes out the four rules of a method from its value and its adjoint.
macro_rules! linear {
    ($(
        $(#[$doc:meta])*
        [$modes:ident $frule:ident $rrule:ident $rrule_frule:ident]
        $(<$I:ident: $($bounds:path),*>)? ($($c:ident: $C:ty),*) -> $Y:ty $(where [$($bound:tt)*])?;
        |$x:ident| $value:expr;
        |$y_bar:ident, $x_bar:ident| $adjoint:expr;
    )*) => {$(
        $(#[$doc])*
        #[inline(always)]
        #[allow(unused_variables)]
        fn $modes $(<$I: $($bounds +)*>)? (&self) -> (mode::Ref<Self>, $(mode::Const<$C>),*) $(where $($bound)*)? {
            (mode::by_ref(), $(linear!(@constant $c)),*)
        }

        /// The value and its tangent.
        #[inline]
        #[track_caller]
        #[allow(clippy::needless_pass_by_value)]
        fn $frule $(<$I: $($bounds +)*>)? (&self, self_dot: &Tangents<Self> $(, $c: $C)*) -> D<$Y> $(where $($bound)*)? {
            let value = |$x: &ArrayRef<Elem<Self>, Dim<Self>>| -> $Y { $value };
            Dual(value(self.array()), value(self_dot))
        }

        /// The value and its pullback.
        #[inline]
        #[track_caller]
        #[allow(clippy::type_complexity)]
        fn $rrule $(<$I: $($bounds +)*>)? (
            &self
            $(, $c: $C)*
        ) -> ($Y, impl FnOnce($Y, At<'_, Self> $(, linear!(@nothing $C))*) -> ((), $(linear!(@nothing $C)),*) + use<Self $(, $I)?>)
        $(where $($bound)*)? {
            let value = |$x: &ArrayRef<Elem<Self>, Dim<Self>>| -> $Y { $value };
            let y = value(self.array());
            let pullback = move |$y_bar: $Y, x: At<'_, Self> $(, _: linear!(@nothing $C))*| {
                let $x_bar = x.1;
                $adjoint;
                ((), $(linear!(@unit $c)),*)
            };
            (y, pullback)
        }

        /// The forward transform of the same.
        #[inline]
        #[track_caller]
        #[allow(clippy::type_complexity)]
        fn $rrule_frule $(<$I: $($bounds +)*>)? (
            &self,
            self_dot: &Tangents<Self>
            $(, $c: $C)*
        ) -> (D<$Y>, impl FnOnce(D<$Y>, At2<'_, Self> $(, linear!(@nothing $C))*) -> ((), $(linear!(@nothing $C)),*) + use<Self $(, $I)?>)
        $(where $($bound)*)? {
            let y = self.$frule(self_dot $(, $c)*);
            let pullback = move |Dual(y_bar, y_bar_dot): D<$Y>, x: At2<'_, Self> $(, _: linear!(@nothing $C))*| {
                let adjoint = |$y_bar: $Y, $x_bar: &mut Tangents<Self>| { $adjoint; };
                adjoint(y_bar, x.1.0);
                adjoint(y_bar_dot, x.1.1);
                ((), $(linear!(@unit $c)),*)
            };
            (y, pullback)
        }
    )*};
    (@constant $c:ident) => { mode::constant() };
    (@nothing $C:ty) => { () };
    (@unit $c:ident) => { () };
}

/// The number of elements as a float.
#[allow(clippy::cast_precision_loss, reason = "means divide by it")]
fn count<A: Scalar>(n: usize) -> A {
    A::from_f64(n as f64)
}

/// `x_bar += y_bar`, by element.
fn add<A: Element, D: Dimension>(x_bar: &mut Array<A, D>, y_bar: &ArrayRef<A, D>) {
    x_bar.zip_mut_with(y_bar, |x_bar, y_bar| *x_bar += *y_bar);
}

/// The rules of linear methods.
pub trait ArrayRules: AnyArray {
    linear! {
        /// `x.sum()`.
        [__sum_modes __sum_frule __sum_rrule __sum_rrule_frule]
        () -> Elem<Self>;
        |x| x.sum();
        |y_bar, x_bar| *x_bar += y_bar;

        /// `x.mean()`.
        [__mean_modes __mean_frule __mean_rrule __mean_rrule_frule]
        () -> Option<Elem<Self>>;
        |x| (!x.is_empty()).then(|| x.sum() / count(x.len()));
        |y_bar, x_bar| if let Some(y_bar) = y_bar {
            let n = count(x_bar.len());
            *x_bar += y_bar / n;
        };

        /// `x.sum_axis(axis)`.
        [__sum_axis_modes __sum_axis_frule __sum_axis_rrule __sum_axis_rrule_frule]
        (axis: Axis) -> Array<Elem<Self>, <Dim<Self> as Dimension>::Smaller> where [Dim<Self>: RemoveAxis];
        |x| x.sum_axis(axis);
        |y_bar, x_bar| *x_bar += &y_bar.insert_axis(axis);

        /// `x.mean_axis(axis)`.
        [__mean_axis_modes __mean_axis_frule __mean_axis_rrule __mean_axis_rrule_frule]
        (axis: Axis) -> Option<Array<Elem<Self>, <Dim<Self> as Dimension>::Smaller>> where [Dim<Self>: RemoveAxis];
        |x| match x.len_of(axis) {
            0 => None,
            n => Some(x.sum_axis(axis) / count::<Elem<Self>>(n)),
        };
        |y_bar, x_bar| if let Some(y_bar) = y_bar {
            let n: Elem<Self> = count(x_bar.len_of(axis));
            *x_bar += &(y_bar / n).insert_axis(axis);
        };

        /// `x.t()`, as an array.
        [__t_modes __t_frule __t_rrule __t_rrule_frule]
        () -> Tangents<Self>;
        |x| x.t().to_owned();
        |y_bar, x_bar| add(x_bar, &y_bar.t());

        /// `x.view()`, as an array.
        [__view_modes __view_frule __view_rrule __view_rrule_frule]
        () -> Tangents<Self>;
        |x| x.to_owned();
        |y_bar, x_bar| add(x_bar, &y_bar);

        /// `x.diag()`, as an array.
        [__diag_modes __diag_frule __diag_rrule __diag_rrule_frule]
        () -> Array1<Elem<Self>>;
        |x| x.diag().to_owned();
        |y_bar, x_bar| { let mut diag = x_bar.diag_mut(); diag += &y_bar; };

        /// `x.index_axis(axis, i)`, as an array.
        [__index_axis_modes __index_axis_frule __index_axis_rrule __index_axis_rrule_frule]
        (axis: Axis, i: usize) -> Array<Elem<Self>, <Dim<Self> as Dimension>::Smaller> where [Dim<Self>: RemoveAxis];
        |x| x.index_axis(axis, i).to_owned();
        |y_bar, x_bar| { let mut part = x_bar.index_axis_mut(axis, i); part += &y_bar; };

        /// `x.slice(s![..])`, as an array.
        [__slice_modes __slice_frule __slice_rrule __slice_rrule_frule]
        <I: SliceArg<Dim<Self>>, Copy> (part: I) -> Array<Elem<Self>, I::OutDim>;
        |x| x.slice(part).to_owned();
        |y_bar, x_bar| { let mut part = x_bar.slice_mut(part); part += &y_bar; };

        /// `x.slice_axis(axis, range)`, as an array.
        [__slice_axis_modes __slice_axis_frule __slice_axis_rrule __slice_axis_rrule_frule]
        (axis: Axis, range: Slice) -> Tangents<Self>;
        |x| x.slice_axis(axis, range).to_owned();
        |y_bar, x_bar| { let mut part = x_bar.slice_axis_mut(axis, range); part += &y_bar; };
    }
}
impl<X: AnyArray> ArrayRules for X {}

/// The rules of linear methods of matrices.
pub trait MatrixRules: AnyArray<Dim = ::ndarray::Ix2> {
    linear! {
        /// `x.row(i)`, as an array.
        [__row_modes __row_frule __row_rrule __row_rrule_frule]
        (i: usize) -> Array<Elem<Self>, Ix1>;
        |x| x.row(i).to_owned();
        |y_bar, x_bar| { let mut part = x_bar.row_mut(i); part += &y_bar; };

        /// `x.column(j)`, as an array.
        [__column_modes __column_frule __column_rrule __column_rrule_frule]
        (j: usize) -> Array<Elem<Self>, Ix1>;
        |x| x.column(j).to_owned();
        |y_bar, x_bar| { let mut part = x_bar.column_mut(j); part += &y_bar; };
    }
}
impl<X: AnyArray<Dim = ::ndarray::Ix2>> MatrixRules for X {}

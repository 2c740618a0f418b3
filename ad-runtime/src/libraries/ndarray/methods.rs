//! Methods that are linear: sums, means, transposes, views of parts, copies.
//!
//! The tangent of the result is the method's value for the tangent of the array. A pullback adds the result of the adjoint to the array's shadow.

use alloc::vec::Vec;

use ::ndarray::{
    Array, Array1, ArrayBase, ArrayRef, Axis, Dimension, IntoDimension, Ix1, Order, RemoveAxis,
    ShapeArg, ShapeError, Slice, SliceArg, aview1,
};

use super::consumed::{Consumed, consumed};
use super::operators::shrink;
use super::{AnyArray, At, At2, Behind, D, Dim, Elem, Element, Tangents};
use crate::{Dual, NoTangent, Scalar, mode};

/// Writes out the four rules of a method from its value and its adjoint.
macro_rules! linear {
    ($(
        $(#[$doc:meta])*
        [$modes:ident $frule:ident $rrule:ident $rrule_frule:ident] $(@$by:ident)?
        $(<$I:ident: $($bounds:path),*>)? ($($c:ident: $C:ty),*) -> $Y:ty $(where [$($bound:tt)*])?;
        |$x:ident| $value:expr;
        |$y_bar:ident, $x_bar:ident| $adjoint:expr;
    )*) => {$(
        $(#[$doc])*
        #[inline(always)]
        #[allow(unused_variables)]
        fn $modes $(<$I: $($bounds +)*>)? (&self) -> (linear!(@Mode $($by)?), $(mode::Const<$C>),*) $(where $($bound)*)? {
            (linear!(@mode $($by)?), $(linear!(@constant $c)),*)
        }

        /// The value and its tangent.
        #[inline]
        #[track_caller]
        #[allow(clippy::needless_pass_by_value)]
        fn $frule $(<$I: $($bounds +)*>)? (&self, self_dot: &Behind<Self> $(, $c: $C)*) -> D<$Y> $(where $($bound)*)? {
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
            self_dot: &Behind<Self>
            $(, $c: $C)*
        ) -> (D<$Y>, impl FnOnce(D<$Y>, At2<'_, Self> $(, linear!(@nothing $C))*) -> ((), $(linear!(@nothing $C)),*) + use<Self $(, $I)?>)
        $(where $($bound)*)? {
            let y = self.$frule(self_dot $(, $c)*);
            let pullback = move |Dual(y_bar, y_bar_dot): D<$Y>, x: At2<'_, Self> $(, _: linear!(@nothing $C))*| {
                let adjoint = |$y_bar: $Y, $x_bar: &mut Behind<Self>| { $adjoint; };
                adjoint(y_bar, x.1.0);
                adjoint(y_bar_dot, x.1.1);
                ((), $(linear!(@unit $c)),*)
            };
            (y, pullback)
        }
    )*};
    (@Mode) => { mode::Ref<Behind<Self>> };
    (@Mode consumed) => { Consumed<Elem<Self>, Dim<Self>> };
    (@mode) => { mode::by_ref() };
    (@mode consumed) => { consumed() };
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
pub(super) fn add<A: Element, D: Dimension>(x_bar: &mut ArrayRef<A, D>, y_bar: &ArrayRef<A, D>) {
    x_bar.zip_mut_with(y_bar, |x_bar, y_bar| *x_bar += *y_bar);
}

/// `x_bar += y_bar`, where `y_bar` is broadcast along the axis.
fn add_along<A: Element, D: RemoveAxis>(
    x_bar: &mut ArrayRef<A, D>,
    axis: Axis,
    y_bar: &ArrayRef<A, D::Smaller>,
) {
    for mut part in x_bar.axis_iter_mut(axis) {
        add(&mut part, y_bar);
    }
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
        |y_bar, x_bar| add_along(x_bar, axis, &y_bar);

        /// `x.mean_axis(axis)`.
        [__mean_axis_modes __mean_axis_frule __mean_axis_rrule __mean_axis_rrule_frule]
        (axis: Axis) -> Option<Array<Elem<Self>, <Dim<Self> as Dimension>::Smaller>> where [Dim<Self>: RemoveAxis];
        |x| match x.len_of(axis) {
            0 => None,
            n => Some(x.sum_axis(axis) / count::<Elem<Self>>(n)),
        };
        |y_bar, x_bar| if let Some(y_bar) = y_bar {
            let n: Elem<Self> = count(x_bar.len_of(axis));
            add_along(x_bar, axis, &(y_bar / n));
        };

        /// `x.broadcast(shape)`, as an array.
        [__broadcast_modes __broadcast_frule __broadcast_rrule __broadcast_rrule_frule]
        <I: IntoDimension, Clone> (shape: I) -> Option<Array<Elem<Self>, I::Dim>>;
        |x| x.broadcast(shape.clone()).map(|x| x.to_owned());
        |y_bar, x_bar| if let Some(y_bar) = y_bar {
            let shape = x_bar.raw_dim();
            add(x_bar, &shrink(y_bar, &shape));
        };

        /// `x.insert_axis(axis)`, as an array.
        [__insert_axis_modes __insert_axis_frule __insert_axis_rrule __insert_axis_rrule_frule] @consumed
        (axis: Axis) -> Array<Elem<Self>, <Dim<Self> as Dimension>::Larger>;
        |x| x.view().insert_axis(axis).to_owned();
        |y_bar, x_bar| {
            let mut x_bar = x_bar.view_mut().insert_axis(axis);
            x_bar += &y_bar;
        };

        /// `x.remove_axis(axis)`, as an array.
        [__remove_axis_modes __remove_axis_frule __remove_axis_rrule __remove_axis_rrule_frule] @consumed
        (axis: Axis) -> Array<Elem<Self>, <Dim<Self> as Dimension>::Smaller> where [Dim<Self>: RemoveAxis];
        |x| x.view().remove_axis(axis).to_owned();
        |y_bar, x_bar| { let mut part = x_bar.index_axis_mut(axis, 0); part += &y_bar; };

        /// `x.reversed_axes()`, as an array.
        [__reversed_axes_modes __reversed_axes_frule __reversed_axes_rrule __reversed_axes_rrule_frule] @consumed
        () -> Tangents<Self>;
        |x| x.t().to_owned();
        |y_bar, x_bar| add(x_bar, &y_bar.t());

        /// `x.into_owned()`.
        [__into_owned_modes __into_owned_frule __into_owned_rrule __into_owned_rrule_frule] @consumed
        () -> Tangents<Self>;
        |x| x.to_owned();
        |y_bar, x_bar| add(x_bar, &y_bar);

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
impl<X: AnyArray + ?Sized> ArrayRules for X {}

/// The rules of linear methods of vectors.
pub trait VectorRules: AnyArray<Dim = Ix1> {
    linear! {
        /// `x.to_vec()`.
        [__to_vec_modes __to_vec_frule __to_vec_rrule __to_vec_rrule_frule]
        () -> Vec<Elem<Self>>;
        |x| x.to_vec();
        |y_bar, x_bar| add(x_bar, &aview1(&y_bar));
    }
}
impl<X: AnyArray<Dim = Ix1> + ?Sized> VectorRules for X {}

/// Writes out the rules of a method that returns the elements in another shape.
macro_rules! reshaped {
    ($(
        $(#[$doc:meta])*
        [$modes:ident $frule:ident $rrule:ident $rrule_frule:ident] $mode:ty = $made:expr, |$x:ident, $shape:ident| $value:expr;
    )*) => {$(
        $(#[$doc])*
        #[inline(always)]
        fn $modes<I: ShapeArg + Clone>(&self) -> ($mode, mode::Const<I>) {
            ($made, mode::constant())
        }

        /// The array and its tangent.
        #[inline]
        #[allow(clippy::type_complexity)]
        fn $frule<I: ShapeArg + Clone>(
            &self,
            self_dot: &Behind<Self>,
            shape: I,
        ) -> Dual<Reshaped<Self, I, ShapeError>, Reshaped<Self, I, NoTangent>> {
            let ($x, $shape) = (self.array(), shape.clone());
            let y_dot = self_dot.to_shape(shape);
            Dual($value, y_dot.map(ArrayBase::into_owned).map_err(|_| NoTangent))
        }

        /// The array and its pullback.
        #[inline]
        #[allow(clippy::type_complexity)]
        fn $rrule<I: ShapeArg + Clone>(
            &self,
            shape: I,
        ) -> (
            Reshaped<Self, I, ShapeError>,
            impl FnOnce(Reshaped<Self, I, NoTangent>, At<'_, Self>, ()) -> ((), ()) + use<Self, I>,
        ) {
            let ($x, $shape) = (self.array(), shape.clone());
            let order = order(shape);
            ($value, move |y_bar: Reshaped<Self, I, NoTangent>, x: At<'_, Self>, ()| {
                add_reshaped(x.1, y_bar, order);
                ((), ())
            })
        }

        /// The forward transform of the same.
        #[inline]
        #[allow(clippy::type_complexity)]
        fn $rrule_frule<I: ShapeArg + Clone>(
            &self,
            self_dot: &Behind<Self>,
            shape: I,
        ) -> (
            Dual<Reshaped<Self, I, ShapeError>, Reshaped<Self, I, NoTangent>>,
            impl FnOnce(D<Reshaped<Self, I, NoTangent>>, At2<'_, Self>, ()) -> ((), ()) + use<Self, I>,
        ) {
            let order = order(shape.clone());
            let y = self.$frule(self_dot, shape);
            (y, move |y_bar: D<Reshaped<Self, I, NoTangent>>, x: At2<'_, Self>, ()| {
                add_reshaped(x.1.0, y_bar.0, order);
                add_reshaped(x.1.1, y_bar.1, order);
                ((), ())
            })
        }
    )*};
}

/// The result of a method that changes the shape.
type Reshaped<X, I, E> = Result<Array<Elem<X>, <I as ShapeArg>::Dim>, E>;

/// The order in which a shape takes elements.
fn order<I: ShapeArg>(shape: I) -> Order {
    shape.into_shape_and_order().1.unwrap_or(Order::RowMajor)
}

/// `x_bar += y_bar`, where `y_bar` has the elements in another shape.
fn add_reshaped<A: Element, D: Dimension, E: Dimension>(
    x_bar: &mut ArrayRef<A, D>,
    y_bar: Result<Array<A, E>, NoTangent>,
    order: Order,
) {
    if let Ok(y_bar) = y_bar
        && let Ok(y_bar) = y_bar.to_shape((x_bar.raw_dim(), order))
    {
        add(x_bar, &y_bar);
    }
}

/// The rules of methods that return the elements in another shape.
pub trait ShapeRules: AnyArray {
    reshaped! {
        /// `x.to_shape(shape)`, as an array.
        [__to_shape_modes __to_shape_frule __to_shape_rrule __to_shape_rrule_frule]
        mode::Ref<Behind<Self>> = mode::by_ref(),
        |x, shape| x.to_shape(shape).map(ArrayBase::into_owned);

        /// `x.into_shape_with_order(shape)`, as an array.
        [__into_shape_with_order_modes __into_shape_with_order_frule __into_shape_with_order_rrule __into_shape_with_order_rrule_frule]
        Consumed<Elem<Self>, Dim<Self>> = consumed(),
        |x, shape| x.view().into_shape_with_order(shape).map(|y| y.to_owned());
    }
}
impl<X: AnyArray + ?Sized> ShapeRules for X {}

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
impl<X: AnyArray<Dim = ::ndarray::Ix2> + ?Sized> MatrixRules for X {}

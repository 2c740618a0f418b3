//! Arrays and views have tangents, arrays are tangents. Shapes are compared by axis; entries come in logical order.

use alloc::vec::Vec;
use core::borrow::Borrow;

use ::ndarray::{
    Array, ArrayBase, ArrayRef, ArrayView, ArrayViewMut, CowArray, CowRepr, Data, DataMut,
    Dimension, Ix1, OwnedRepr, RawData, ShapeBuilder, ViewRepr, Zip,
};

use crate::mode::{Changes, Shares};
use crate::probe::{List, WithoutTangent};
use crate::shape::length_panic;
use crate::{Components, Differentiable, Flat as _, ShapeMismatch, Tan, Tangent, TangentValue};

/// Checks that two shapes are the same.
fn shapes_match(value: &[usize], tangent: &[usize]) -> Result<(), ShapeMismatch> {
    match (value, tangent) {
        (value, tangent) if value == tangent => Ok(()),
        (&[n, m], &[t_n, t_m]) => Err(ShapeMismatch::extent((n, m), (t_n, t_m))),
        (value, tangent) => {
            // The first axis that differs, or the numbers of axes.
            let differing = value.iter().zip(tangent).find(|(n, t_n)| n != t_n);
            let (n, t_n) = differing.map_or((value.len(), tangent.len()), |(n, t_n)| (*n, *t_n));
            Err(ShapeMismatch::length(n, t_n))
        }
    }
}

#[track_caller]
fn check_shapes(value: &[usize], tangent: &[usize]) {
    if value != tangent {
        length_panic(value.iter().product(), tangent.iter().product());
    }
}

/// The zeros have the array's order in memory, so that both are walked together.
fn zeros<T: Differentiable, D: Dimension>(x: &ArrayRef<T, D>) -> Array<Tan<T>, D> {
    let zeros = |slice: &[T]| T::__zero_tangents(slice);
    let made = if let Some(slice) = x.as_slice() {
        Array::from_shape_vec(x.raw_dim(), zeros(slice))
    } else if let Some(slice) = x.t().to_slice() {
        Array::from_shape_vec(x.raw_dim().f(), zeros(slice))
    } else {
        Array::from_shape_vec(
            x.raw_dim(),
            x.iter().map(T::zero_tangent).collect::<Vec<_>>(),
        )
    };
    match made {
        Ok(zeros) => zeros,
        Err(_) => unreachable!("as many zeros as elements"),
    }
}

/// Where the elements of an array are that can be differentiated: in the array, or where a view refers to.
pub trait Storage: Data {}
impl<T> Storage for OwnedRepr<T> {}
impl<T> Storage for ViewRepr<&T> {}
impl<T> Storage for ViewRepr<&mut T> {}
impl<T: Clone> Storage for CowRepr<'_, T> {}

/// `x += factor * t`, by element.
#[track_caller]
fn move_by<T: Differentiable, D: Dimension>(
    x: &mut ArrayRef<T, D>,
    factor: f64,
    tangent: &ArrayRef<Tan<T>, D>,
) {
    check_shapes(x.shape(), tangent.shape());
    Zip::from(x)
        .and(tangent)
        .for_each(|x, t| x.add_scaled_tangent(factor, t.borrow()));
}

macro_rules! arrays {
    ($([$($lifetime:lifetime)?] [$($bounds:tt)*] $array:ty, $tangent:ty, |$x:ident, $factor:ident, $t:ident| $moved:expr, |$map:ident| $written:expr;)*) => {$(
        impl<$($lifetime,)? T: Differentiable $($bounds)*, D: Dimension> Differentiable for $array {
            type Tangent = $tangent;
            type OwnedTangent = Array<Tan<T>, D>;

            #[inline]
            fn zero_tangent(&self) -> Array<Tan<T>, D> {
                zeros(self)
            }

            fn matches_shape(&self, tangent: &$tangent) -> Result<(), ShapeMismatch> {
                shapes_match(self.shape(), tangent.shape())?;
                for (i, (x, tangent)) in self.iter().zip(tangent).enumerate() {
                    x.matches_shape(tangent.borrow())
                        .map_err(|mismatch| mismatch.in_element(i))?;
                }
                Ok(())
            }

            #[track_caller]
            fn add_scaled_tangent(&mut self, $factor: f64, $t: &$tangent) {
                let $x = self;
                $moved;
            }

            fn visit_components(&self, components: &mut Components<'_>) {
                for n in self.shape() {
                    components.fixed(n);
                }
                components.elements(self.iter());
            }

            fn visit_floats(&self, visit: &mut dyn FnMut(f64)) {
                for x in self {
                    x.visit_floats(visit);
                }
            }

            fn map_floats(&mut self, $map: &mut dyn FnMut(f64) -> f64) {
                let $x = self;
                $written;
            }
        }
    )*};
}
arrays! {
    [] [] Array<T, D>, Array<Tan<T>, D>, |x, factor, t| move_by(x, factor, t), |map| x.iter_mut().for_each(|x| x.map_floats(map));
    [] [] ArrayRef<T, D>, ArrayRef<Tan<T>, D>, |x, factor, t| move_by(x, factor, t), |map| x.iter_mut().for_each(|x| x.map_floats(map));
    ['a] [+ 'a] ArrayViewMut<'a, T, D>, ArrayRef<Tan<T>, D>, |x, factor, t| move_by(x, factor, t), |map| x.iter_mut().for_each(|x| x.map_floats(map));
    ['a] [+ Clone + 'a] CowArray<'a, T, D>, Array<Tan<T>, D>, |x, factor, t| move_by(x, factor, t), |map| x.iter_mut().for_each(|x| x.map_floats(map));
    ['a] [+ 'a] ArrayView<'a, T, D>, ArrayRef<Tan<T>, D>, |x, _factor, t| {
        check_shapes(x.shape(), t.shape());
        assert!(size_of::<Tan<T>>() == 0, "a value behind a shared reference can't be moved by a tangent");
    }, |_map| assert!(x.flat_len() == 0, "a value behind a shared reference can't be written");
}

/// Arrays, and the type of arrays and views behind a reference.
macro_rules! tangents {
    ($($t:ty, $T:ident;)*) => {$(
        impl<$T: TangentValue, D: Dimension> Tangent for $t {
            #[inline]
            fn set_zero(&mut self) {
                self.map_inplace($T::set_zero);
            }

            #[inline]
            #[track_caller]
            fn accumulate(&mut self, other: &Self) {
                check_shapes(self.shape(), other.shape());
                Zip::from(self).and(other).for_each($T::accumulate);
            }

            #[inline]
            fn scale(&mut self, factor: f64) {
                self.map_inplace(|t| t.scale(factor));
            }

            #[inline]
            #[track_caller]
            fn inner(&self, other: &Self) -> f64 {
                check_shapes(self.shape(), other.shape());
                Zip::from(self)
                    .and(other)
                    .fold(0.0, |sum, t, other| sum + t.inner(other))
            }

            #[inline]
            fn to_owned_tangent(&self) -> Array<$T, D> {
                self.to_owned()
            }
        }
    )*};
}
tangents! {
    Array<T, D>, T;
    ArrayRef<T, D>, T;
}

#[diagnostic::do_not_recommend]
impl<T: WithoutTangent, D: Dimension> WithoutTangent for Array<T, D> {}

#[diagnostic::do_not_recommend]
impl<T: WithoutTangent, D: Dimension> WithoutTangent for ArrayRef<T, D> {}

// The elements of others are in no row of positions.
impl<S: RawData> List for ArrayBase<S, Ix1> {}
impl<T> List for ArrayRef<T, Ix1> {}

// Rules of methods borrow this of an array that a call may move.
impl<S: Data, D: Dimension> Shares<ArrayRef<S::Elem, D>> for ArrayBase<S, D> {
    #[inline(always)]
    fn shared(&self) -> &ArrayRef<S::Elem, D> {
        self
    }
}

impl<S: DataMut, D: Dimension> Changes<ArrayRef<S::Elem, D>> for ArrayBase<S, D> {
    #[inline(always)]
    fn unique(&mut self) -> &mut ArrayRef<S::Elem, D> {
        self
    }
}

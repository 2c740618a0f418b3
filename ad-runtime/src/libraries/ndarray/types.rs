//! Arrays and views have tangents, arrays are tangents. Shapes are compared by axis; entries come in logical order.

use alloc::vec::Vec;
use core::borrow::Borrow;

use ::ndarray::{
    Array, ArrayBase, ArrayRef, ArrayViewMut, Data, Dimension, OwnedRepr, ShapeBuilder, ViewRepr,
    Zip,
};

use crate::probe::NoneFor;
use crate::shape::length_panic;
use crate::{Components, Differentiable, ShapeMismatch, Tan, Tangent, TangentValue};

/// Whether two shapes are the same.
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

/// Where the elements of an array are that can be differentiated. A mutable view can't: what is written through it belongs to somebody
/// else, and would have to be put back.
pub trait Storage: Data {
    /// The elements, if they aren't shared.
    fn unique<D: Dimension>(
        array: &mut ArrayBase<Self, D>,
    ) -> Option<ArrayViewMut<'_, Self::Elem, D>>;
}

impl<T> Storage for OwnedRepr<T> {
    fn unique<D: Dimension>(array: &mut ArrayBase<Self, D>) -> Option<ArrayViewMut<'_, T, D>> {
        Some(array.view_mut())
    }
}

impl<T> Storage for ViewRepr<&T> {
    fn unique<D: Dimension>(_: &mut ArrayBase<Self, D>) -> Option<ArrayViewMut<'_, T, D>> {
        None
    }
}

impl<T: Differentiable, S: Storage<Elem = T>, D: Dimension> Differentiable for ArrayBase<S, D> {
    type Tangent = Array<Tan<T>, D>;
    type OwnedTangent = Array<Tan<T>, D>;

    #[inline]
    fn zero_tangent(&self) -> Array<Tan<T>, D> {
        zeros(self)
    }

    fn matches_shape(&self, tangent: &Array<Tan<T>, D>) -> Result<(), ShapeMismatch> {
        shapes_match(self.shape(), tangent.shape())?;
        for (i, (x, tangent)) in self.iter().zip(tangent).enumerate() {
            x.matches_shape(tangent.borrow())
                .map_err(|mismatch| mismatch.in_element(i))?;
        }
        Ok(())
    }

    #[track_caller]
    fn add_scaled_tangent(&mut self, factor: f64, tangent: &Array<Tan<T>, D>) {
        check_shapes(self.shape(), tangent.shape());
        match S::unique(self) {
            Some(x) => Zip::from(x)
                .and(tangent)
                .for_each(|x, t| x.add_scaled_tangent(factor, t.borrow())),
            None if size_of::<Tan<T>>() == 0 => {}
            None => panic!("a value behind a shared reference can't be moved by a tangent"),
        }
    }

    fn visit_components(&self, components: &mut Components<'_>) {
        for n in self.shape() {
            components.fixed(n);
        }
        components.elements(self.iter());
    }
}

impl<T: TangentValue, D: Dimension> Tangent for Array<T, D> {
    #[inline]
    fn set_zero(&mut self) {
        self.map_inplace(T::set_zero);
    }

    #[inline]
    #[track_caller]
    fn accumulate(&mut self, other: &Self) {
        check_shapes(self.shape(), other.shape());
        Zip::from(self).and(other).for_each(T::accumulate);
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
    fn to_owned_tangent(&self) -> Self {
        self.clone()
    }

    fn entries(&self, visit: &mut dyn FnMut(f64)) {
        for t in self {
            t.entries(visit);
        }
    }

    fn map_entries(&mut self, map: &mut dyn FnMut(f64) -> f64) {
        for t in self {
            t.map_entries(map);
        }
    }
}

impl<Name, T: NoneFor<Name>, D: Dimension> NoneFor<Name> for Array<T, D> {}

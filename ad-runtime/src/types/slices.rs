//! Slices, arrays, `Vec` and `VecDeque`: the tangent has the same length, element by element.

use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::borrow::Borrow;

use crate::shape::{elements_match, length_panic};
use crate::{Components, Differentiable, ShapeMismatch, Tan, Tangent, TangentValue};

impl<T: Differentiable> Differentiable for [T] {
    type Tangent = [Tan<T>];
    type OwnedTangent = Vec<Tan<T>>;

    #[inline]
    fn zero_tangent(&self) -> Vec<Tan<T>> {
        T::__zero_tangents(self)
    }

    #[inline]
    fn matches_shape(&self, tangent: &[Tan<T>]) -> Result<(), ShapeMismatch> {
        elements_match(self, tangent)
    }

    #[inline]
    #[track_caller]
    fn add_scaled_tangent(&mut self, factor: f64, tangent: &[Tan<T>]) {
        if self.len() != tangent.len() {
            length_panic(self.len(), tangent.len());
        }
        for (x, tangent) in self.iter_mut().zip(tangent) {
            x.add_scaled_tangent(factor, tangent.borrow());
        }
    }

    fn visit_components(&self, components: &mut Components<'_>) {
        components.elements(self.iter());
    }

    #[inline]
    fn visit_floats(&self, visit: &mut dyn FnMut(f64)) {
        for x in self {
            x.visit_floats(visit);
        }
    }

    #[inline]
    fn map_floats(&mut self, map: &mut dyn FnMut(f64) -> f64) {
        for x in self {
            x.map_floats(map);
        }
    }
}

impl<T: TangentValue> Tangent for [T] {
    #[inline]
    fn set_zero(&mut self) {
        for t in self {
            t.set_zero();
        }
    }

    #[inline]
    #[track_caller]
    fn accumulate(&mut self, other: &[T]) {
        // The tangents of a list of integers don't follow its length.
        if self.len() != other.len() && size_of::<T>() > 0 {
            length_panic(self.len(), other.len());
        }
        for (t, other) in self.iter_mut().zip(other) {
            t.accumulate(other);
        }
    }

    #[inline]
    fn scale(&mut self, factor: f64) {
        for t in self {
            t.scale(factor);
        }
    }

    #[inline]
    #[track_caller]
    fn inner(&self, other: &[T]) -> f64 {
        if self.len() != other.len() {
            length_panic(self.len(), other.len());
        }
        self.iter()
            .zip(other)
            .map(|(t, other)| t.inner(other))
            .sum()
    }

    #[inline]
    fn to_owned_tangent(&self) -> Vec<T> {
        self.to_vec()
    }

    fn count_entries(&self) -> usize {
        match T::__fixed_entries() {
            Some(each) => each * self.len(),
            None => self.iter().map(T::count_entries).sum(),
        }
    }

    #[inline]
    fn __copy_entries(&self, mut to: &mut [f64]) {
        if T::__fixed_entries() == Some(1) {
            // Without counting, so that it is vectorised.
            for (t, place) in self.iter().zip(to) {
                t.__copy_entries(core::slice::from_mut(place));
            }
            return;
        }
        if let Some(each @ 1..) = T::__fixed_entries() {
            for (t, places) in self.iter().zip(to.chunks_exact_mut(each)) {
                t.__copy_entries(places);
            }
            return;
        }
        for t in self {
            let each = t.count_entries().min(to.len());
            let (first, rest) = core::mem::take(&mut to).split_at_mut(each);
            t.__copy_entries(first);
            to = rest;
        }
    }

    fn set_entry(&mut self, mut k: usize, value: f64) {
        match T::__fixed_entries() {
            Some(0) => {}
            Some(each) => {
                if let Some(t) = self.get_mut(k / each) {
                    t.set_entry(k % each, value);
                }
            }
            None => {
                for t in self {
                    let each = t.count_entries();
                    if k < each {
                        return t.set_entry(k, value);
                    }
                    k -= each;
                }
            }
        }
    }
}

/// Containers that are slices inside: everything goes to the slice.
macro_rules! sequence {
    ([$($n:tt)*] $container:ty, $tangent:ty, $own:ty, |$this:ident| $zero:expr, $fixed:expr) => {
        impl<T: Differentiable, $($n)*> Differentiable for $container {
            type Tangent = $tangent;
            type OwnedTangent = $tangent;

            #[inline]
            fn zero_tangent(&self) -> $tangent {
                let $this = self;
                $zero
            }

            #[inline]
            fn matches_shape(&self, tangent: &$tangent) -> Result<(), ShapeMismatch> {
                elements_match(&self[..], &tangent[..])
            }

            #[inline]
            #[track_caller]
            fn add_scaled_tangent(&mut self, factor: f64, tangent: &$tangent) {
                self[..].add_scaled_tangent(factor, &tangent[..]);
            }

            fn visit_components(&self, components: &mut Components<'_>) {
                self[..].visit_components(components);
            }

            #[inline]
            fn visit_floats(&self, visit: &mut dyn FnMut(f64)) {
                self[..].visit_floats(visit);
            }

            #[inline]
            fn map_floats(&mut self, map: &mut dyn FnMut(f64) -> f64) {
                self[..].map_floats(map);
            }
        }

        impl<T: TangentValue, $($n)*> Tangent for $own {
            #[inline]
            fn set_zero(&mut self) {
                self[..].set_zero();
            }

            #[inline]
            #[track_caller]
            fn accumulate(&mut self, other: &Self) {
                self[..].accumulate(&other[..]);
            }

            #[inline]
            fn scale(&mut self, factor: f64) {
                self[..].scale(factor);
            }

            #[inline]
            #[track_caller]
            fn inner(&self, other: &Self) -> f64 {
                self[..].inner(&other[..])
            }

            #[inline]
            fn to_owned_tangent(&self) -> Self {
                self.clone()
            }

            #[inline]
            fn count_entries(&self) -> usize {
                self[..].count_entries()
            }

            #[inline]
            fn __copy_entries(&self, to: &mut [f64]) {
                self[..].__copy_entries(to);
            }

            #[inline]
            fn set_entry(&mut self, k: usize, value: f64) {
                self[..].set_entry(k, value);
            }

            #[inline(always)]
            fn __fixed_entries() -> Option<usize> {
                $fixed
            }
        }
    };
}
sequence!([] Vec<T>, Vec<Tan<T>>, Vec<T>, |this| T::__zero_tangents(this), None);
sequence!(
    [const N: usize] [T; N], [Tan<T>; N], [T; N], |this| this.each_ref().map(T::zero_tangent),
    T::__fixed_entries().map(|each| each * N)
);

impl<T: Differentiable> Differentiable for VecDeque<T> {
    type Tangent = VecDeque<Tan<T>>;
    type OwnedTangent = VecDeque<Tan<T>>;

    #[inline]
    fn zero_tangent(&self) -> VecDeque<Tan<T>> {
        self.iter().map(T::zero_tangent).collect()
    }

    fn matches_shape(&self, tangent: &VecDeque<Tan<T>>) -> Result<(), ShapeMismatch> {
        if self.len() != tangent.len() {
            return Err(ShapeMismatch::length(self.len(), tangent.len()));
        }
        for (i, (x, tangent)) in self.iter().zip(tangent).enumerate() {
            x.matches_shape(tangent.borrow())
                .map_err(|mismatch| mismatch.in_element(i))?;
        }
        Ok(())
    }

    #[track_caller]
    fn add_scaled_tangent(&mut self, factor: f64, tangent: &VecDeque<Tan<T>>) {
        if self.len() != tangent.len() {
            length_panic(self.len(), tangent.len());
        }
        for (x, tangent) in self.iter_mut().zip(tangent) {
            x.add_scaled_tangent(factor, tangent.borrow());
        }
    }

    fn visit_components(&self, components: &mut Components<'_>) {
        components.elements(self.iter());
    }

    #[inline]
    fn visit_floats(&self, visit: &mut dyn FnMut(f64)) {
        for x in self {
            x.visit_floats(visit);
        }
    }

    #[inline]
    fn map_floats(&mut self, map: &mut dyn FnMut(f64) -> f64) {
        for x in self {
            x.map_floats(map);
        }
    }
}

impl<T: TangentValue> Tangent for VecDeque<T> {
    #[inline]
    fn set_zero(&mut self) {
        for t in self {
            t.set_zero();
        }
    }

    #[inline]
    #[track_caller]
    fn accumulate(&mut self, other: &Self) {
        if self.len() != other.len() && size_of::<T>() > 0 {
            length_panic(self.len(), other.len());
        }
        for (t, other) in self.iter_mut().zip(other) {
            t.accumulate(other);
        }
    }

    #[inline]
    fn scale(&mut self, factor: f64) {
        for t in self {
            t.scale(factor);
        }
    }

    #[inline]
    #[track_caller]
    fn inner(&self, other: &Self) -> f64 {
        if self.len() != other.len() {
            length_panic(self.len(), other.len());
        }
        self.iter()
            .zip(other)
            .map(|(t, other)| t.inner(other))
            .sum()
    }

    #[inline]
    fn to_owned_tangent(&self) -> Self {
        self.clone()
    }
}

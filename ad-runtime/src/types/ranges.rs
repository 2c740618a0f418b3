//! `Range`: the tangents of both ends. `RangeInclusive` has private fields and is inactive for integers only.

use core::ops::{Range, RangeInclusive};

use crate::shape::{field_add_scaled, field_matches};
use crate::{Components, Differentiable, NoTangent, ShapeMismatch, Tan, Tangent, TangentValue};

impl<T: Differentiable> Differentiable for Range<T> {
    type Tangent = Range<Tan<T>>;
    type OwnedTangent = Range<Tan<T>>;

    #[inline]
    fn zero_tangent(&self) -> Range<Tan<T>> {
        self.start.zero_tangent()..self.end.zero_tangent()
    }

    #[inline]
    fn matches_shape(&self, tangent: &Range<Tan<T>>) -> Result<(), ShapeMismatch> {
        field_matches(&self.start, &tangent.start, "start")?;
        field_matches(&self.end, &tangent.end, "end")
    }

    #[inline]
    fn add_scaled_tangent(&mut self, factor: f64, tangent: &Range<Tan<T>>) {
        field_add_scaled(&mut self.start, factor, &tangent.start);
        field_add_scaled(&mut self.end, factor, &tangent.end);
    }

    fn visit_components(&self, components: &mut Components<'_>) {
        components.field("start", &self.start);
        components.field("end", &self.end);
    }

    #[inline]
    fn visit_floats(&self, visit: &mut dyn FnMut(f64)) {
        self.start.visit_floats(visit);
        self.end.visit_floats(visit);
    }

    #[inline]
    fn map_floats(&mut self, map: &mut dyn FnMut(f64) -> f64) {
        self.start.map_floats(map);
        self.end.map_floats(map);
    }
}

impl<T: TangentValue> Tangent for Range<T> {
    #[inline]
    fn set_zero(&mut self) {
        self.start.set_zero();
        self.end.set_zero();
    }

    #[inline]
    fn accumulate(&mut self, other: &Self) {
        self.start.accumulate(&other.start);
        self.end.accumulate(&other.end);
    }

    #[inline]
    fn scale(&mut self, factor: f64) {
        self.start.scale(factor);
        self.end.scale(factor);
    }

    #[inline]
    fn inner(&self, other: &Self) -> f64 {
        self.start.inner(&other.start) + self.end.inner(&other.end)
    }

    #[inline]
    fn to_owned_tangent(&self) -> Self {
        self.clone()
    }
}

impl<T: Differentiable<OwnedTangent = NoTangent>> Differentiable for RangeInclusive<T> {
    type Tangent = NoTangent;
    type OwnedTangent = NoTangent;

    #[inline(always)]
    fn zero_tangent(&self) -> NoTangent {
        NoTangent
    }

    #[inline(always)]
    fn matches_shape(&self, _: &NoTangent) -> Result<(), ShapeMismatch> {
        Ok(())
    }

    #[inline(always)]
    fn add_scaled_tangent(&mut self, _: f64, _: &NoTangent) {}

    fn visit_components(&self, components: &mut Components<'_>) {
        components.field("start", self.start());
        components.field("end", self.end());
    }
}

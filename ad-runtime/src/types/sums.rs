//! `Option` and `Result`: the tangent has the same variant. An `Err` has none.

use core::borrow::Borrow;

use crate::shape::variant_panic;
use crate::{Components, Differentiable, NoTangent, ShapeMismatch, Tan, Tangent, TangentValue};

/// The names of the variants of both.
trait Named {
    fn name(&self) -> &'static str;
}

impl<T> Named for Option<T> {
    fn name(&self) -> &'static str {
        if self.is_some() { "Some" } else { "None" }
    }
}

impl<T, E> Named for Result<T, E> {
    fn name(&self) -> &'static str {
        if self.is_ok() { "Ok" } else { "Err" }
    }
}

impl<T: Differentiable> Differentiable for Option<T> {
    type Tangent = Option<Tan<T>>;
    type OwnedTangent = Option<Tan<T>>;

    #[inline]
    fn zero_tangent(&self) -> Option<Tan<T>> {
        self.as_ref().map(T::zero_tangent)
    }

    #[inline]
    fn matches_shape(&self, tangent: &Option<Tan<T>>) -> Result<(), ShapeMismatch> {
        match (self, tangent) {
            (Some(x), Some(tangent)) => x.matches_shape(tangent.borrow()),
            (None, None) => Ok(()),
            _ => Err(ShapeMismatch::variant(self.name(), tangent.name())),
        }
    }

    #[inline]
    #[track_caller]
    fn add_scaled_tangent(&mut self, factor: f64, tangent: &Option<Tan<T>>) {
        match (self, tangent) {
            (Some(x), Some(tangent)) => x.add_scaled_tangent(factor, tangent.borrow()),
            (None, None) => {}
            (this, _) => variant_panic(this.name(), tangent.name()),
        }
    }

    fn visit_components(&self, components: &mut Components<'_>) {
        components.variant(self.name());
        if let Some(x) = self {
            components.field("0", x);
        }
    }

    #[inline]
    fn visit_floats(&self, visit: &mut dyn FnMut(f64)) {
        if let Some(x) = self {
            x.visit_floats(visit);
        }
    }

    #[inline]
    fn map_floats(&mut self, map: &mut dyn FnMut(f64) -> f64) {
        if let Some(x) = self {
            x.map_floats(map);
        }
    }
}

impl<T: TangentValue> Tangent for Option<T> {
    const __MAY_BE_ABSENT: bool = true;

    #[inline]
    fn set_zero(&mut self) {
        if let Some(t) = self {
            t.set_zero();
        }
    }

    #[inline]
    #[track_caller]
    fn accumulate(&mut self, other: &Self) {
        match (self, other) {
            (Some(t), Some(other)) => t.accumulate(other),
            (None, None) => {}
            // The tangent of an optional integer doesn't follow it.
            _ if size_of::<T>() == 0 => {}
            (this, _) => variant_panic(this.name(), other.name()),
        }
    }

    #[inline]
    fn scale(&mut self, factor: f64) {
        if let Some(t) = self {
            t.scale(factor);
        }
    }

    #[inline]
    #[track_caller]
    fn inner(&self, other: &Self) -> f64 {
        match (self, other) {
            (Some(t), Some(other)) => t.inner(other),
            (None, None) => 0.0,
            _ => variant_panic(self.name(), other.name()),
        }
    }

    #[inline]
    fn to_owned_tangent(&self) -> Self {
        self.clone()
    }
}

impl<T: Differentiable, E> Differentiable for Result<T, E> {
    type Tangent = Result<Tan<T>, NoTangent>;
    type OwnedTangent = Result<Tan<T>, NoTangent>;

    #[inline]
    fn zero_tangent(&self) -> Self::OwnedTangent {
        match self {
            Ok(x) => Ok(x.zero_tangent()),
            Err(_) => Err(NoTangent),
        }
    }

    #[inline]
    fn matches_shape(&self, tangent: &Self::Tangent) -> Result<(), ShapeMismatch> {
        match (self, tangent) {
            (Ok(x), Ok(tangent)) => x.matches_shape(tangent.borrow()),
            (Err(_), Err(NoTangent)) => Ok(()),
            _ => Err(ShapeMismatch::variant(self.name(), tangent.name())),
        }
    }

    #[inline]
    #[track_caller]
    fn add_scaled_tangent(&mut self, factor: f64, tangent: &Self::Tangent) {
        match (self, tangent) {
            (Ok(x), Ok(tangent)) => x.add_scaled_tangent(factor, tangent.borrow()),
            (Err(_), Err(NoTangent)) => {}
            (this, _) => variant_panic(this.name(), tangent.name()),
        }
    }

    fn visit_components(&self, components: &mut Components<'_>) {
        components.variant(self.name());
        if let Ok(x) = self {
            components.field("0", x);
        }
    }

    #[inline]
    fn visit_floats(&self, visit: &mut dyn FnMut(f64)) {
        if let Ok(x) = self {
            x.visit_floats(visit);
        }
    }

    #[inline]
    fn map_floats(&mut self, map: &mut dyn FnMut(f64) -> f64) {
        if let Ok(x) = self {
            x.map_floats(map);
        }
    }
}

impl<T: TangentValue> Tangent for Result<T, NoTangent> {
    const __MAY_BE_ABSENT: bool = true;

    #[inline]
    fn set_zero(&mut self) {
        if let Ok(t) = self {
            t.set_zero();
        }
    }

    #[inline]
    #[track_caller]
    fn accumulate(&mut self, other: &Self) {
        match (self, other) {
            (Ok(t), Ok(other)) => t.accumulate(other),
            (Err(NoTangent), Err(NoTangent)) => {}
            (this, _) => variant_panic(this.name(), other.name()),
        }
    }

    #[inline]
    fn scale(&mut self, factor: f64) {
        if let Ok(t) = self {
            t.scale(factor);
        }
    }

    #[inline]
    #[track_caller]
    fn inner(&self, other: &Self) -> f64 {
        match (self, other) {
            (Ok(t), Ok(other)) => t.inner(other),
            (Err(NoTangent), Err(NoTangent)) => 0.0,
            _ => variant_panic(self.name(), other.name()),
        }
    }

    #[inline]
    fn to_owned_tangent(&self) -> Self {
        self.clone()
    }
}

//! `f32` and `f64` are their own tangents.

use alloc::{vec, vec::Vec};

use crate::{Components, Differentiable, Scalar, ShapeMismatch, Tangent};

macro_rules! float {
    ($($t:ident)*) => {$(
        impl Differentiable for $t {
            type Tangent = $t;
            type OwnedTangent = $t;

            #[inline(always)]
            fn zero_tangent(&self) -> $t {
                0.0
            }

            #[inline(always)]
            fn matches_shape(&self, _: &$t) -> Result<(), ShapeMismatch> {
                Ok(())
            }

            #[inline(always)]
            fn add_scaled_tangent(&mut self, factor: f64, tangent: &$t) {
                *self += $t::from_f64(factor * tangent.to_f64());
            }

            fn visit_components(&self, components: &mut Components<'_>) {
                components.float(*self);
            }

            #[inline(always)]
            fn visit_floats(&self, visit: &mut dyn FnMut(f64)) {
                visit(self.to_f64());
            }

            #[inline(always)]
            fn map_floats(&mut self, map: &mut dyn FnMut(f64) -> f64) {
                *self = $t::from_f64(map(self.to_f64()));
            }

            #[inline]
            fn __zero_tangents(values: &[$t]) -> Vec<$t> {
                vec![0.0; values.len()]
            }
        }

        impl Tangent for $t {
            #[inline(always)]
            fn set_zero(&mut self) {
                *self = 0.0;
            }

            #[inline(always)]
            fn accumulate(&mut self, other: &$t) {
                *self += other;
            }

            #[inline(always)]
            fn scale(&mut self, factor: f64) {
                *self = $t::from_f64(self.to_f64() * factor);
            }

            #[inline(always)]
            fn inner(&self, other: &$t) -> f64 {
                self.to_f64() * other.to_f64()
            }

            #[inline(always)]
            fn to_owned_tangent(&self) -> $t {
                *self
            }

            #[inline(always)]
            fn set_entry(&mut self, k: usize, value: f64) {
                if k == 0 {
                    *self = $t::from_f64(value);
                }
            }

            #[inline(always)]
            fn __copy_entries(&self, to: &mut [f64]) {
                if let [place, ..] = to {
                    *place = self.to_f64();
                }
            }

            #[inline(always)]
            fn __fixed_entries() -> Option<usize> {
                Some(1)
            }
        }
    )*};
}
float!(f32 f64);

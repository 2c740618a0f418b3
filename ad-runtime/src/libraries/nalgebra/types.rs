//! Matrices have tangents, and are tangents. Entries are in column-major order, as in memory.

use super::{Element, each_type};
use crate::probe::TotalByFold;
use crate::{Components, Differentiable, Scalar, ShapeMismatch, Tangent};

#[track_caller]
fn check_shapes(value: (usize, usize), tangent: (usize, usize)) {
    assert!(
        value == tangent,
        "expected a tangent of {} by {}, found one of {} by {}",
        value.0,
        value.1,
        tangent.0,
        tangent.1
    );
}

macro_rules! matrix {
    ($([$($generics:tt)*] $t:ty;)*) => {$(
        impl<A: Element, $($generics)*> Differentiable for $t {
            type Tangent = $t;
            type OwnedTangent = $t;

            #[inline]
            fn zero_tangent(&self) -> $t {
                self.map(|_| A::ZERO)
            }

            fn matches_shape(&self, tangent: &$t) -> Result<(), ShapeMismatch> {
                if self.shape() == tangent.shape() {
                    Ok(())
                } else if self.ncols() == 1 && tangent.ncols() == 1 {
                    Err(ShapeMismatch::length(self.nrows(), tangent.nrows()))
                } else {
                    Err(ShapeMismatch::extent(self.shape(), tangent.shape()))
                }
            }

            #[track_caller]
            fn add_scaled_tangent(&mut self, factor: f64, tangent: &$t) {
                check_shapes(self.shape(), tangent.shape());
                self.zip_apply(tangent, |x, t| *x += <A as Scalar>::from_f64(factor) * t);
            }

            fn visit_components(&self, components: &mut Components<'_>) {
                components.fixed(&self.nrows());
                components.elements(self.as_slice().iter());
            }

            fn visit_floats(&self, visit: &mut dyn FnMut(f64)) {
                for x in self {
                    visit(x.to_f64());
                }
            }

            fn map_floats(&mut self, map: &mut dyn FnMut(f64) -> f64) {
                for x in self {
                    *x = <A as Scalar>::from_f64(map(x.to_f64()));
                }
            }
        }

        impl<A: Element, $($generics)*> Tangent for $t {
            #[inline]
            fn set_zero(&mut self) {
                self.fill(A::ZERO);
            }

            #[inline]
            #[track_caller]
            fn accumulate(&mut self, other: &Self) {
                check_shapes(self.shape(), other.shape());
                *self += other;
            }

            #[inline]
            fn scale(&mut self, factor: f64) {
                self.scale_mut(<A as Scalar>::from_f64(factor));
            }

            #[inline]
            #[track_caller]
            fn inner(&self, other: &Self) -> f64 {
                check_shapes(self.shape(), other.shape());
                self.iter().zip(other).map(|(t, other)| t.to_f64() * other.to_f64()).sum()
            }

            #[inline]
            fn to_owned_tangent(&self) -> Self {
                self.clone()
            }
        }
    )*};
}
each_type!(matrix);

impl<A: Element, const R: usize, const C: usize> TotalByFold for ::nalgebra::SMatrix<A, R, C> {}

//! Matrices have tangents, and are tangents. Entries are in column-major order, as in memory.

use ::faer::linalg::cholesky::llt::factor::LltError;
use ::faer::linalg::evd::EvdError;
use ::faer::linalg::svd::SvdError;
use ::faer::{Col, Mat, Row, Scale, Side};

use super::{AnyMatrix, Element, Turned, inner};
use crate::{Components, Differentiable, NoTangent, ShapeMismatch, Tangent};

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
    ($($t:ident, |$x:ident, $tangent:ident| $mismatch:expr;)*) => {$(
        impl<A: Element> Differentiable for $t<A> {
            type Tangent = $t<A>;
            type OwnedTangent = $t<A>;

            #[inline]
            fn zero_tangent(&self) -> $t<A> {
                self.mapped(|_| A::ZERO)
            }

            fn matches_shape(&self, $tangent: &$t<A>) -> Result<(), ShapeMismatch> {
                let $x = self;
                if $x.mat().shape() == $tangent.mat().shape() {
                    Ok(())
                } else {
                    Err($mismatch)
                }
            }

            #[track_caller]
            fn add_scaled_tangent(&mut self, factor: f64, tangent: &$t<A>) {
                check_shapes(self.mat().shape(), tangent.mat().shape());
                self.add_times(A::from_f64(factor), tangent.mat());
            }

            fn visit_components(&self, components: &mut Components<'_>) {
                let all = self.mat();
                components.fixed(&all.nrows());
                let list: alloc::vec::Vec<A> =
                    (0..all.ncols()).flat_map(|j| all.col(j).iter().copied()).collect();
                components.elements(list.iter());
            }

            fn visit_floats(&self, visit: &mut dyn FnMut(f64)) {
                for column in self.mat().col_iter() {
                    for x in column.iter() {
                        visit(x.to_f64());
                    }
                }
            }

            fn map_floats(&mut self, map: &mut dyn FnMut(f64) -> f64) {
                for column in self.mat_mut().col_iter_mut() {
                    for x in column.iter_mut() {
                        *x = A::from_f64(map(x.to_f64()));
                    }
                }
            }
        }

        impl<A: Element> Tangent for $t<A> {
            #[inline]
            fn set_zero(&mut self) {
                self.mat_mut().fill(A::ZERO);
            }

            #[inline]
            #[track_caller]
            fn accumulate(&mut self, other: &Self) {
                check_shapes(self.mat().shape(), other.mat().shape());
                self.add_mat(other.mat());
            }

            #[inline]
            fn scale(&mut self, factor: f64) {
                let factor = A::from_f64(factor);
                ::faer::zip!(self.mat_mut()).for_each(|::faer::unzip!(x)| *x *= factor);
            }

            #[inline]
            #[track_caller]
            fn inner(&self, other: &Self) -> f64 {
                check_shapes(self.mat().shape(), other.mat().shape());
                inner(self.mat(), other.mat()).to_f64()
            }

            #[inline]
            fn to_owned_tangent(&self) -> Self {
                self.clone()
            }
        }
    )*};
}
matrix! {
    Mat, |x, tangent| ShapeMismatch::extent(x.shape(), tangent.shape());
    Turned, |x, tangent| ShapeMismatch::extent(x.shape(), tangent.shape());
    Col, |x, tangent| ShapeMismatch::length(x.nrows(), tangent.nrows());
    Row, |x, tangent| ShapeMismatch::length(x.ncols(), tangent.ncols());
}

/// The tangent of `Scale`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScaleTangent<A>(
    /// The tangent of the number.
    pub A,
);

#[allow(
    non_snake_case,
    reason = "generated code makes the names of the type's"
)]
impl<A> ScaleTangent<A> {
    #[doc(hidden)]
    #[inline(always)]
    pub fn __Scale_0(&self) -> &A {
        &self.0
    }

    #[doc(hidden)]
    #[inline(always)]
    pub fn __Scale_0_mut(&mut self) -> &mut A {
        &mut self.0
    }
}

impl<A: Element> Differentiable for Scale<A> {
    type Tangent = ScaleTangent<A>;
    type OwnedTangent = ScaleTangent<A>;

    #[inline]
    fn zero_tangent(&self) -> ScaleTangent<A> {
        ScaleTangent(A::ZERO)
    }

    fn matches_shape(&self, _: &ScaleTangent<A>) -> Result<(), ShapeMismatch> {
        Ok(())
    }

    fn add_scaled_tangent(&mut self, factor: f64, tangent: &ScaleTangent<A>) {
        self.0.add_scaled_tangent(factor, &tangent.0);
    }

    fn visit_components(&self, components: &mut Components<'_>) {
        self.0.visit_components(components);
    }

    fn visit_floats(&self, visit: &mut dyn FnMut(f64)) {
        self.0.visit_floats(visit);
    }

    fn map_floats(&mut self, map: &mut dyn FnMut(f64) -> f64) {
        self.0.map_floats(map);
    }
}

impl<A: Element> Differentiable for ScaleTangent<A> {
    type Tangent = Self;
    type OwnedTangent = Self;

    #[inline]
    fn zero_tangent(&self) -> Self {
        ScaleTangent(A::ZERO)
    }

    fn matches_shape(&self, _: &Self) -> Result<(), ShapeMismatch> {
        Ok(())
    }

    fn add_scaled_tangent(&mut self, factor: f64, tangent: &Self) {
        self.0.add_scaled_tangent(factor, &tangent.0);
    }

    fn visit_components(&self, components: &mut Components<'_>) {
        self.0.visit_components(components);
    }

    fn visit_floats(&self, visit: &mut dyn FnMut(f64)) {
        self.0.visit_floats(visit);
    }

    fn map_floats(&mut self, map: &mut dyn FnMut(f64) -> f64) {
        self.0.map_floats(map);
    }
}

impl<A: Element> Tangent for ScaleTangent<A> {
    #[inline]
    fn set_zero(&mut self) {
        self.0 = A::ZERO;
    }

    #[inline]
    fn accumulate(&mut self, other: &Self) {
        self.0 += other.0;
    }

    #[inline]
    fn scale(&mut self, factor: f64) {
        self.0 *= A::from_f64(factor);
    }

    #[inline]
    fn inner(&self, other: &Self) -> f64 {
        self.0.to_f64() * other.0.to_f64()
    }

    #[inline]
    fn to_owned_tangent(&self) -> Self {
        *self
    }
}

macro_rules! inactive {
    ($($t:ty)*) => {$(
        impl Differentiable for $t {
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

            fn visit_components(&self, _: &mut Components<'_>) {}
        }
    )*};
}
inactive! { Side LltError EvdError SvdError }

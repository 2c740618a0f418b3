//! Complex numbers have tangents, and are tangents.

use ::num_complex::Complex;

use super::Element;
use crate::probe::TotalByFold;
use crate::{Components, Differentiable, ShapeMismatch, Tangent};

impl<A: Element> Differentiable for Complex<A> {
    type Tangent = Complex<A>;
    type OwnedTangent = Complex<A>;

    #[inline]
    fn zero_tangent(&self) -> Complex<A> {
        Complex::new(A::ZERO, A::ZERO)
    }

    fn matches_shape(&self, _: &Complex<A>) -> Result<(), ShapeMismatch> {
        Ok(())
    }

    fn add_scaled_tangent(&mut self, factor: f64, tangent: &Complex<A>) {
        let factor = A::from_f64(factor);
        self.re += factor * tangent.re;
        self.im += factor * tangent.im;
    }

    fn visit_components(&self, components: &mut Components<'_>) {
        components.field("re", &self.re);
        components.field("im", &self.im);
    }

    fn visit_floats(&self, visit: &mut dyn FnMut(f64)) {
        visit(self.re.to_f64());
        visit(self.im.to_f64());
    }

    fn map_floats(&mut self, map: &mut dyn FnMut(f64) -> f64) {
        self.re = A::from_f64(map(self.re.to_f64()));
        self.im = A::from_f64(map(self.im.to_f64()));
    }
}

impl<A: Element> Tangent for Complex<A> {
    #[inline]
    fn set_zero(&mut self) {
        *self = Complex::new(A::ZERO, A::ZERO);
    }

    #[inline]
    fn accumulate(&mut self, other: &Self) {
        self.re += other.re;
        self.im += other.im;
    }

    #[inline]
    fn scale(&mut self, factor: f64) {
        let factor = A::from_f64(factor);
        self.re *= factor;
        self.im *= factor;
    }

    #[inline]
    fn inner(&self, other: &Self) -> f64 {
        self.re.to_f64() * other.re.to_f64() + self.im.to_f64() * other.im.to_f64()
    }

    #[inline]
    fn to_owned_tangent(&self) -> Self {
        *self
    }
}

impl<A: Element> TotalByFold for Complex<A> {}

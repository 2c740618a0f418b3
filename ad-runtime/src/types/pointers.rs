//! Pointers. A tangent is never shared, so that it can be written: `&T` has the owned tangent of `T`, `Rc` and `Arc` a box.

use alloc::boxed::Box;
use alloc::rc::Rc;
use alloc::sync::Arc;
use core::borrow::Borrow;

use crate::{Components, Differentiable, Flat as _, ShapeMismatch, Tan, Tangent, TangentValue};

impl<T: Differentiable + ?Sized> Differentiable for &T {
    type Tangent = Tan<T>;
    type OwnedTangent = Tan<T>;

    #[inline]
    fn zero_tangent(&self) -> Tan<T> {
        (**self).zero_tangent()
    }

    #[inline]
    fn matches_shape(&self, tangent: &Tan<T>) -> Result<(), ShapeMismatch> {
        (**self).matches_shape(tangent.borrow())
    }

    #[track_caller]
    fn add_scaled_tangent(&mut self, _: f64, _: &Tan<T>) {
        // A `&str` has nothing to move.
        assert!(
            size_of::<Tan<T>>() == 0,
            "a value behind a shared reference can't be moved by a tangent"
        );
    }

    fn visit_components(&self, components: &mut Components<'_>) {
        components.shared(&**self);
    }

    #[inline]
    fn visit_floats(&self, visit: &mut dyn FnMut(f64)) {
        (**self).visit_floats(visit);
    }

    #[track_caller]
    fn map_floats(&mut self, _: &mut dyn FnMut(f64) -> f64) {
        assert!(
            (**self).flat_len() == 0,
            "a value behind a shared reference can't be written"
        );
    }
}

macro_rules! pointer {
    ($($pointer:ident |$this:ident| $unique:expr, $visit:expr;)*) => {$(
        impl<T: Differentiable + ?Sized> Differentiable for $pointer<T> {
            type Tangent = Box<Tan<T>>;
            type OwnedTangent = Box<Tan<T>>;

            #[inline]
            fn zero_tangent(&self) -> Box<Tan<T>> {
                Box::new((**self).zero_tangent())
            }

            #[inline]
            fn matches_shape(&self, tangent: &Box<Tan<T>>) -> Result<(), ShapeMismatch> {
                (**self).matches_shape((**tangent).borrow())
            }

            #[track_caller]
            fn add_scaled_tangent(&mut self, factor: f64, tangent: &Box<Tan<T>>) {
                let $this = self;
                match $unique {
                    Some(x) => x.add_scaled_tangent(factor, (**tangent).borrow()),
                    None if size_of::<Tan<T>>() == 0 => {}
                    None => panic!("a value that is shared can't be moved by a tangent"),
                }
            }

            fn visit_components(&self, components: &mut Components<'_>) {
                $visit(components, &**self);
            }

            #[inline]
            fn visit_floats(&self, visit: &mut dyn FnMut(f64)) {
                (**self).visit_floats(visit);
            }

            #[track_caller]
            fn map_floats(&mut self, map: &mut dyn FnMut(f64) -> f64) {
                let $this = self;
                match $unique {
                    Some(x) => x.map_floats(map),
                    None => assert!((**$this).flat_len() == 0, "a value that is shared can't be written"),
                }
            }
        }
    )*};
}
pointer! {
    Box |this| Some(&mut **this), |components: &mut Components<'_>, x: &T| x.visit_components(components);
    Rc |this| Rc::get_mut(this), Components::shared;
    Arc |this| Arc::get_mut(this), Components::shared;
}

impl<T: TangentValue> Tangent for Box<T> {
    #[inline]
    fn set_zero(&mut self) {
        (**self).set_zero();
    }

    #[inline]
    fn accumulate(&mut self, other: &Self) {
        (**self).accumulate(other);
    }

    #[inline]
    fn scale(&mut self, factor: f64) {
        (**self).scale(factor);
    }

    #[inline]
    fn inner(&self, other: &Self) -> f64 {
        (**self).inner(other)
    }

    #[inline]
    fn to_owned_tangent(&self) -> Self {
        self.clone()
    }
}

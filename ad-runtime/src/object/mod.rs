//! Trait objects: tangents behind `dyn Trait`, and how rules are called through it.
//!
//! `#[differentiable(dyn)]` on a trait makes a second trait of object-safe rules, implemented for all of its types of known size, and
//! a supertrait of it. There a receiver is a [`Receiver`] and its tangent an [`ErasedTangent`]; the implementations get the types back
//! by [`Concrete`]. Which rules an object has, generated code finds through [`Object`].
//!
//! A pullback downcasts the object that it gets back. So types behind objects are `'static`, and the supertrait takes
//! `#[differentiable(dyn)]` even where all receivers are constant: it would forbid implementations that borrow otherwise. The tangent of
//! `dyn Trait` is `dyn ErasedTangent`, in owned form `AnyTangent`: as `[f64]` is to `Vec<f64>`, so `&mut SpringTangent` can be passed for
//! it as `&Spring` for `&dyn Trait`. Modes of objects have no type, since residuals must not mention what an object borrows.

mod site;
mod tangent;

use alloc::boxed::Box;
use alloc::rc::Rc;
use alloc::sync::Arc;
use core::any::Any;

pub use site::{Hides, Site, never, site, unique};
pub use tangent::{AnyTangent, ErasedTangent};

use crate::differentiable::DifferentiableValue;
use crate::{CoDual, Components, Differentiable, Dual, ShapeMismatch, Tan};

/// A supertrait of a trait without `#[differentiable(dyn)]` whose receivers are differentiated. It has no objects, since it mentions itself.
pub trait NeedsDyn<T: ?Sized> {}
impl<T: ?Sized> NeedsDyn<T> for T {}

/// A value of a type that is known at run time.
pub trait Typed {
    /// The value, for a downcast.
    fn __any(&self) -> &(dyn Any + 'static);

    /// The value, for a downcast.
    fn __any_mut(&mut self) -> &mut (dyn Any + 'static);
}

impl<T: Any> Typed for T {
    fn __any(&self) -> &(dyn Any + 'static) {
        self
    }

    fn __any_mut(&mut self) -> &mut (dyn Any + 'static) {
        self
    }
}

/// [`Differentiable`] without its types: makes a trait object's tangent.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be a trait object that is differentiated",
    note = "a type behind `dyn Trait` has to be `'static`, with a tangent"
)]
pub trait Receiver: Typed {
    /// [`Differentiable::zero_tangent`].
    fn __zero_tangent(&self) -> AnyTangent;

    /// [`Differentiable::matches_shape`].
    ///
    /// # Errors
    /// If the shapes, or the types, differ.
    fn __matches_shape(&self, tangent: &dyn ErasedTangent) -> Result<(), ShapeMismatch>;

    /// [`Differentiable::add_scaled_tangent`].
    fn __add_scaled_tangent(&mut self, factor: f64, tangent: &dyn ErasedTangent);

    /// [`Differentiable::visit_components`].
    fn __visit_components(&self, components: &mut Components<'_>);

    /// [`Differentiable::visit_floats`].
    fn __visit_floats(&self, visit: &mut dyn FnMut(f64));

    /// [`Differentiable::map_floats`].
    fn __map_floats(&mut self, map: &mut dyn FnMut(f64) -> f64);
}

impl<T> Receiver for T
where
    T: DifferentiableValue<OwnedTangent: 'static> + Any,
{
    fn __zero_tangent(&self) -> AnyTangent {
        AnyTangent::new(self.zero_tangent())
    }

    fn __matches_shape(&self, tangent: &dyn ErasedTangent) -> Result<(), ShapeMismatch> {
        match tangent.downcast_ref::<Tan<T>>() {
            Some(tangent) => self.matches_shape(tangent),
            None => Err(ShapeMismatch::variant(
                core::any::type_name::<Tan<T>>(),
                tangent.type_name(),
            )),
        }
    }

    #[track_caller]
    fn __add_scaled_tangent(&mut self, factor: f64, tangent: &dyn ErasedTangent) {
        self.add_scaled_tangent(factor, tangent.concrete());
    }

    fn __visit_components(&self, components: &mut Components<'_>) {
        self.visit_components(components);
    }

    fn __visit_floats(&self, visit: &mut dyn FnMut(f64)) {
        self.visit_floats(visit);
    }

    fn __map_floats(&mut self, map: &mut dyn FnMut(f64) -> f64) {
        self.map_floats(map);
    }
}

impl Differentiable for dyn Receiver + '_ {
    type Tangent = dyn ErasedTangent;
    type OwnedTangent = AnyTangent;

    fn zero_tangent(&self) -> AnyTangent {
        self.__zero_tangent()
    }

    fn matches_shape(&self, tangent: &dyn ErasedTangent) -> Result<(), ShapeMismatch> {
        self.__matches_shape(tangent)
    }

    #[track_caller]
    fn add_scaled_tangent(&mut self, factor: f64, tangent: &dyn ErasedTangent) {
        self.__add_scaled_tangent(factor, tangent);
    }

    fn visit_components(&self, components: &mut Components<'_>) {
        self.__visit_components(components);
    }

    fn visit_floats(&self, visit: &mut dyn FnMut(f64)) {
        self.__visit_floats(visit);
    }

    fn map_floats(&mut self, map: &mut dyn FnMut(f64) -> f64) {
        self.__map_floats(map);
    }
}

/// A trait object with rules, or a pointer to one.
pub trait Object {
    /// Has `__m_modes` of each method.
    type Modes: 'static;

    /// Has the rules of methods that take `&self`.
    type Shared<'a>
    where
        Self: 'a;

    /// The receiver of pullbacks: `dyn Receiver`, or `dyn Typed` where no receiver has a tangent.
    type Base<'a>: ?Sized
    where
        Self: 'a;

    /// The modes.
    const MODES: &'static Self::Modes;

    /// The object, for its rules.
    fn shared(&self) -> Self::Shared<'_>;

    /// The object, for a pullback.
    fn base(&self) -> &Self::Base<'_>;
}

/// The same, of an object that can be written to.
pub trait ObjectMut: Object {
    /// Has the rules of methods that take `&mut self`.
    type Unique<'a>
    where
        Self: 'a;

    /// The object, for its rules.
    fn unique(&mut self) -> Self::Unique<'_>;

    /// The object, for a pullback.
    fn base_mut(&mut self) -> &mut Self::Base<'_>;
}

macro_rules! pointers {
    ($($pointer:ty;)*) => {$(
        impl<T: Object + ?Sized> Object for $pointer {
            type Modes = T::Modes;
            type Shared<'a>
                = T::Shared<'a>
            where
                Self: 'a;
            type Base<'a>
                = T::Base<'a>
            where
                Self: 'a;

            const MODES: &'static T::Modes = T::MODES;

            #[inline]
            fn shared(&self) -> T::Shared<'_> {
                (**self).shared()
            }

            #[inline]
            fn base(&self) -> &T::Base<'_> {
                (**self).base()
            }
        }
    )*};
}
pointers! {
    &T;
    &mut T;
    Box<T>;
    Rc<T>;
    Arc<T>;
}

macro_rules! unique_pointers {
    ($($pointer:ty;)*) => {$(
        impl<T: ObjectMut + ?Sized> ObjectMut for $pointer {
            type Unique<'a>
                = T::Unique<'a>
            where
                Self: 'a;

            #[inline]
            fn unique(&mut self) -> T::Unique<'_> {
                (**self).unique()
            }

            #[inline]
            fn base_mut(&mut self) -> &mut T::Base<'_> {
                (**self).base_mut()
            }
        }
    )*};
}
unique_pointers! {
    &mut T;
    Box<T>;
}

/// Gets the types back that a trait object hides.
pub trait Concrete<T> {
    /// The same, of its own type.
    ///
    /// # Panics
    /// If it has another type.
    fn concrete(self) -> T;
}

impl Concrete<()> for () {
    #[inline]
    fn concrete(self) {}
}

impl<A: Concrete<X>, B: Concrete<Y>, X, Y> Concrete<Dual<X, Y>> for Dual<A, B> {
    #[inline]
    #[track_caller]
    fn concrete(self) -> Dual<X, Y> {
        Dual(self.0.concrete(), self.1.concrete())
    }
}

impl<A: Concrete<X>, B: Concrete<Y>, X, Y> Concrete<CoDual<X, Y>> for CoDual<A, B> {
    #[inline]
    #[track_caller]
    fn concrete(self) -> CoDual<X, Y> {
        CoDual(self.0.concrete(), self.1.concrete())
    }
}

macro_rules! concrete {
    ($($base:ident)*) => {$(
        impl<'a, T: Any> Concrete<&'a T> for &'a (dyn $base + '_) {
            #[inline]
            #[track_caller]
            fn concrete(self) -> &'a T {
                self.__any().downcast_ref().unwrap_or_else(|| other_object())
            }
        }

        impl<'a, T: Any> Concrete<&'a mut T> for &'a mut (dyn $base + '_) {
            #[inline]
            #[track_caller]
            fn concrete(self) -> &'a mut T {
                self.__any_mut().downcast_mut().unwrap_or_else(|| other_object())
            }
        }
    )*};
}
concrete!(Typed Receiver);

#[cold]
#[track_caller]
fn other_object() -> ! {
    panic!("a pullback got a trait object of another type than its rule")
}

impl<'a, S: Any> Concrete<&'a S> for &'a dyn ErasedTangent {
    #[inline]
    #[track_caller]
    fn concrete(self) -> &'a S {
        match self.downcast_ref() {
            Some(tangent) => tangent,
            None => other_tangent::<S>(self.type_name()),
        }
    }
}

impl<'a, S: Any> Concrete<&'a mut S> for &'a mut dyn ErasedTangent {
    #[inline]
    #[track_caller]
    fn concrete(self) -> &'a mut S {
        let name = self.type_name();
        match self.downcast_mut() {
            Some(tangent) => tangent,
            None => other_tangent::<S>(name),
        }
    }
}

#[cold]
#[track_caller]
fn other_tangent<S>(found: &str) -> ! {
    let expected = core::any::type_name::<S>();
    panic!("the tangent of a trait object is a `{found}`, its value needs a `{expected}`")
}

//! [`AnyTangent`]: the tangent of a trait object.

use alloc::boxed::Box;
use core::any::{Any, TypeId, type_name};
use core::borrow::{Borrow, BorrowMut};
use core::fmt;
use core::ops::{Deref, DerefMut};

use super::Concrete as _;
use crate::shape::variant_panic;
use crate::{Components, Differentiable, ShapeMismatch, Tangent, TangentValue};

/// The tangent of a trait object: that of the value behind it, in a box.
///
/// It is what `gradient` returns for a `&dyn Trait` or a `Box<dyn Trait>` whose trait has `#[differentiable(dyn)]`. Where a tangent is
/// passed by reference, as a direction or a shadow, a reference to the tangent of the value's own type will do.
///
/// ```
/// use ad_runtime::{AnyTangent, Tangent};
///
/// let mut tangent = AnyTangent::new(vec![1.0, 2.0]);
/// tangent.scale(10.0);
/// assert_eq!(tangent.downcast_ref(), Some(&vec![10.0, 20.0]));
/// assert!(!tangent.is::<f64>());
/// ```
pub struct AnyTangent(Box<dyn ErasedTangent>);

/// A tangent of any type: the content of an [`AnyTangent`]. Implemented for all tangents that own their data.
///
/// Operations on two of these panic if their types differ.
pub trait ErasedTangent: Any + Send + Sync {
    #[doc(hidden)]
    fn __innermost(&self) -> &dyn ErasedTangent;
    #[doc(hidden)]
    fn __innermost_mut(&mut self) -> &mut dyn ErasedTangent;
    #[doc(hidden)]
    fn __type_name(&self) -> &'static str;
    #[doc(hidden)]
    fn __clone(&self) -> AnyTangent;
    #[doc(hidden)]
    fn __debug(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
    #[doc(hidden)]
    fn __equals(&self, other: &dyn ErasedTangent) -> bool;
    #[doc(hidden)]
    fn __zero_tangent(&self) -> AnyTangent;
    #[doc(hidden)]
    fn __matches_shape(&self, tangent: &dyn ErasedTangent) -> Result<(), ShapeMismatch>;
    #[doc(hidden)]
    fn __visit_components(&self, components: &mut Components<'_>);
    #[doc(hidden)]
    fn __set(&mut self, to: AnyTangent);
    #[doc(hidden)]
    fn __set_zero(&mut self);
    #[doc(hidden)]
    fn __accumulate(&mut self, other: &dyn ErasedTangent);
    #[doc(hidden)]
    fn __add_scaled(&mut self, factor: f64, other: &dyn ErasedTangent);
    #[doc(hidden)]
    fn __scale(&mut self, factor: f64);
    #[doc(hidden)]
    fn __inner(&self, other: &dyn ErasedTangent) -> f64;
    #[doc(hidden)]
    fn __entries(&self, visit: &mut dyn FnMut(f64));
    #[doc(hidden)]
    fn __map_entries(&mut self, map: &mut dyn FnMut(f64) -> f64);
}

/// The other tangent, which has to be of the same type.
#[track_caller]
fn same<T: ErasedTangent>(other: &dyn ErasedTangent) -> &T {
    match other.downcast_ref() {
        Some(other) => other,
        None => variant_panic(type_name::<T>(), other.type_name()),
    }
}

impl<T: TangentValue + Any> ErasedTangent for T {
    // A reference to an `AnyTangent` can become one of an `ErasedTangent` by hiding its type, not only by dereference.
    fn __innermost(&self) -> &dyn ErasedTangent {
        let any: &dyn Any = self;
        if let Some(tangent) = any.downcast_ref::<AnyTangent>() {
            return (*tangent.0).__innermost();
        }
        match any.downcast_ref::<Box<AnyTangent>>() {
            Some(tangent) => (*tangent.0).__innermost(),
            None => self,
        }
    }

    fn __innermost_mut(&mut self) -> &mut dyn ErasedTangent {
        let any: &dyn Any = self;
        let (bare, boxed) = (any.is::<AnyTangent>(), any.is::<Box<AnyTangent>>());
        if !(bare || boxed) {
            return self;
        }
        let any: &mut dyn Any = self;
        let tangent = if bare {
            any.downcast_mut()
        } else {
            any.downcast_mut::<Box<AnyTangent>>()
                .map(|boxed| &mut **boxed)
        };
        let AnyTangent(tangent) = tangent.expect("the type has been looked at");
        (**tangent).__innermost_mut()
    }

    fn __type_name(&self) -> &'static str {
        type_name::<T>()
    }

    fn __clone(&self) -> AnyTangent {
        AnyTangent::new(self.clone())
    }

    fn __debug(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }

    fn __equals(&self, other: &dyn ErasedTangent) -> bool {
        other.downcast_ref() == Some(self)
    }

    fn __zero_tangent(&self) -> AnyTangent {
        AnyTangent::new(self.zero_tangent())
    }

    fn __matches_shape(&self, tangent: &dyn ErasedTangent) -> Result<(), ShapeMismatch> {
        match tangent.downcast_ref() {
            Some(tangent) => self.matches_shape(tangent),
            None => Err(ShapeMismatch::variant(
                type_name::<T>(),
                tangent.type_name(),
            )),
        }
    }

    fn __visit_components(&self, components: &mut Components<'_>) {
        self.visit_components(components);
    }

    #[track_caller]
    fn __set(&mut self, to: AnyTangent) {
        let to: Box<dyn Any> = to.0;
        let to = to.downcast().ok();
        *self = *to.expect("a trait object keeps its type");
    }

    fn __set_zero(&mut self) {
        self.set_zero();
    }

    #[track_caller]
    fn __accumulate(&mut self, other: &dyn ErasedTangent) {
        self.accumulate(same(other));
    }

    #[track_caller]
    fn __add_scaled(&mut self, factor: f64, other: &dyn ErasedTangent) {
        self.add_scaled(factor, same(other));
    }

    fn __scale(&mut self, factor: f64) {
        self.scale(factor);
    }

    #[track_caller]
    fn __inner(&self, other: &dyn ErasedTangent) -> f64 {
        self.inner(same(other))
    }

    fn __entries(&self, visit: &mut dyn FnMut(f64)) {
        self.entries(visit);
    }

    fn __map_entries(&mut self, map: &mut dyn FnMut(f64) -> f64) {
        self.map_entries(map);
    }
}

impl dyn ErasedTangent {
    /// Returns `true` if the tangent is a `T`.
    pub fn is<T: Any>(&self) -> bool {
        self.downcast_ref::<T>().is_some()
    }

    /// The tangent, if it is a `T`.
    pub fn downcast_ref<T: Any>(&self) -> Option<&T> {
        let any: &dyn Any = self.__innermost();
        any.downcast_ref()
    }

    /// The tangent, if it is a `T`, to be written to.
    pub fn downcast_mut<T: Any>(&mut self) -> Option<&mut T> {
        let any: &mut dyn Any = self.__innermost_mut();
        any.downcast_mut()
    }

    /// Replaces the tangent by one of the same type.
    #[track_caller]
    pub(crate) fn set(&mut self, to: AnyTangent) {
        self.__innermost_mut().__set(to);
    }

    /// The name of the tangent's type, for messages.
    pub fn type_name(&self) -> &'static str {
        self.__innermost().__type_name()
    }
}

impl fmt::Debug for dyn ErasedTangent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.__innermost().__debug(f)
    }
}

impl Differentiable for dyn ErasedTangent {
    type Tangent = dyn ErasedTangent;
    type OwnedTangent = AnyTangent;

    fn zero_tangent(&self) -> AnyTangent {
        self.__innermost().__zero_tangent()
    }

    fn matches_shape(&self, tangent: &dyn ErasedTangent) -> Result<(), ShapeMismatch> {
        self.__innermost().__matches_shape(tangent)
    }

    #[track_caller]
    fn add_scaled_tangent(&mut self, factor: f64, tangent: &dyn ErasedTangent) {
        self.__innermost_mut().__add_scaled(factor, tangent);
    }

    fn visit_components(&self, components: &mut Components<'_>) {
        self.__innermost().__visit_components(components);
    }

    fn visit_floats(&self, visit: &mut dyn FnMut(f64)) {
        self.__innermost().__entries(visit);
    }

    fn map_floats(&mut self, map: &mut dyn FnMut(f64) -> f64) {
        self.__innermost_mut().__map_entries(map);
    }
}

impl Tangent for dyn ErasedTangent {
    fn set_zero(&mut self) {
        self.__innermost_mut().__set_zero();
    }

    #[track_caller]
    fn accumulate(&mut self, other: &dyn ErasedTangent) {
        self.__innermost_mut().__accumulate(other);
    }

    fn scale(&mut self, factor: f64) {
        self.__innermost_mut().__scale(factor);
    }

    #[track_caller]
    fn inner(&self, other: &dyn ErasedTangent) -> f64 {
        self.__innermost().__inner(other)
    }

    fn to_owned_tangent(&self) -> AnyTangent {
        self.__innermost().__clone()
    }
}

impl AnyTangent {
    /// The tangent with its type hidden.
    pub fn new<T: TangentValue + Any>(tangent: T) -> Self {
        AnyTangent(Box::new(tangent))
    }

    /// The same of a tangent that is in a box already.
    pub(super) fn of_box<T: TangentValue + Any>(tangent: Box<T>) -> Self {
        AnyTangent(tangent)
    }

    /// The tangent, of its own type.
    #[track_caller]
    pub(super) fn into_concrete<T: TangentValue + Any>(self) -> T {
        if !(*self.0).type_id().eq(&TypeId::of::<T>()) {
            // It may be in more boxes.
            let tangent: &T = (*self.0).concrete();
            return tangent.clone();
        }
        let tangent: Box<dyn Any> = self.0;
        *tangent.downcast().expect("the type has been looked at")
    }
}

impl Deref for AnyTangent {
    type Target = dyn ErasedTangent;

    fn deref(&self) -> &dyn ErasedTangent {
        &*self.0
    }
}

impl DerefMut for AnyTangent {
    fn deref_mut(&mut self) -> &mut dyn ErasedTangent {
        &mut *self.0
    }
}

impl Borrow<dyn ErasedTangent> for AnyTangent {
    fn borrow(&self) -> &dyn ErasedTangent {
        &*self.0
    }
}

impl BorrowMut<dyn ErasedTangent> for AnyTangent {
    fn borrow_mut(&mut self) -> &mut dyn ErasedTangent {
        &mut *self.0
    }
}

impl Clone for AnyTangent {
    fn clone(&self) -> Self {
        (*self.0).to_owned_tangent()
    }
}

impl PartialEq for AnyTangent {
    fn eq(&self, other: &Self) -> bool {
        (*self.0).__innermost().__equals(&*other.0)
    }
}

impl fmt::Debug for AnyTangent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.0, f)
    }
}

impl Differentiable for AnyTangent {
    type Tangent = AnyTangent;
    type OwnedTangent = AnyTangent;

    fn zero_tangent(&self) -> AnyTangent {
        (*self.0).zero_tangent()
    }

    fn matches_shape(&self, tangent: &AnyTangent) -> Result<(), ShapeMismatch> {
        (*self.0).matches_shape(&*tangent.0)
    }

    #[track_caller]
    fn add_scaled_tangent(&mut self, factor: f64, tangent: &AnyTangent) {
        (*self.0).add_scaled_tangent(factor, &*tangent.0);
    }

    fn visit_components(&self, components: &mut Components<'_>) {
        (*self.0).visit_components(components);
    }

    fn visit_floats(&self, visit: &mut dyn FnMut(f64)) {
        (*self.0).visit_floats(visit);
    }

    fn map_floats(&mut self, map: &mut dyn FnMut(f64) -> f64) {
        (*self.0).map_floats(map);
    }
}

impl Tangent for AnyTangent {
    fn set_zero(&mut self) {
        (*self.0).set_zero();
    }

    #[track_caller]
    fn accumulate(&mut self, other: &AnyTangent) {
        (*self.0).accumulate(&*other.0);
    }

    fn scale(&mut self, factor: f64) {
        (*self.0).scale(factor);
    }

    #[track_caller]
    fn inner(&self, other: &AnyTangent) -> f64 {
        (*self.0).inner(&*other.0)
    }

    fn to_owned_tangent(&self) -> AnyTangent {
        self.clone()
    }
}

//! Tangents of fields. A struct's `#[constant]` field has the tangent `NoTangent`, whatever its type: a load gives a zero
//! tangent then, and a cotangent is dropped. The macro sees no fields, so method resolution decides.

use alloc::boxed::Box;
use core::ops::{Index, IndexMut};

use crate::{Differentiable, NoTangent, Tan, Tangent};

/// The tangent of a field that has been loaded. In use as `FieldTangent(x_dot.a).of(&a)`, with [`AnyField`] in scope.
#[derive(Debug)]
pub struct FieldTangent<S>(
    /// What the field of the tangent holds.
    pub S,
);

impl FieldTangent<NoTangent> {
    /// The field is constant, or has no tangent: zero.
    #[inline(always)]
    pub fn of<T: Differentiable + ?Sized>(self, x: &T) -> Tan<T> {
        x.zero_tangent()
    }
}

/// The shadow of a field. In use as `FieldShadow(&mut x_bar.a).add(g)`, with [`AnyField`] in scope.
#[derive(Debug)]
pub struct FieldShadow<'a, S: ?Sized>(
    /// The field of the shadow.
    pub &'a mut S,
);

impl FieldShadow<'_, NoTangent> {
    /// The field is constant, or has no tangent: nothing is added.
    #[inline(always)]
    pub fn add<S>(self, _: S) {}
}

/// The tangent of a field, of which a part is wanted. In use as `Inside(&mut x_bar.a).or(fields).b`, with [`AnyInside`] in
/// scope.
#[derive(Debug)]
pub struct Inside<S>(
    /// A reference to the field of the tangent.
    pub S,
);

impl Inside<&NoTangent> {
    /// The field is constant: a stand-in, whose parts have no tangent.
    #[inline(always)]
    pub fn or<C>(self, stand_in: C) -> &'static C {
        Box::leak(Box::new(stand_in)) // without size, so that nothing is allocated
    }
}

impl Inside<&mut NoTangent> {
    /// The field is constant: a stand-in, whose parts have no tangent.
    #[inline(always)]
    pub fn or<C>(self, stand_in: C) -> &'static mut C {
        Box::leak(Box::new(stand_in)) // without size, so that nothing is allocated
    }
}

/// The method for all other fields; found after those above.
pub trait AnyInside: Sized {
    /// What is referred to.
    type Field;

    /// The field itself.
    fn or<C>(self, _: C) -> Self::Field;
}

impl<S> AnyInside for Inside<S> {
    type Field = S;

    #[inline(always)]
    fn or<C>(self, _: C) -> S {
        self.0
    }
}

// What is in a constant field that is indexed is constant too.

impl<I> Index<I> for NoTangent {
    type Output = NoTangent;

    #[inline(always)]
    fn index(&self, _: I) -> &NoTangent {
        self
    }
}

impl<I> IndexMut<I> for NoTangent {
    #[inline(always)]
    fn index_mut(&mut self, _: I) -> &mut NoTangent {
        self
    }
}

/// The methods for all other fields; found after those above.
pub trait AnyField<S>: Sized {
    /// The tangent itself.
    #[inline(always)]
    fn of<T: Differentiable<OwnedTangent = S> + ?Sized>(self, _: &T) -> S
    where
        Self: IntoTangent<S>,
    {
        self.into_tangent()
    }

    /// Adds a cotangent.
    #[inline(always)]
    fn add(self, g: S)
    where
        Self: IntoShadow<S>,
    {
        self.add_to_shadow(g);
    }
}

/// A tangent that is there.
pub trait IntoTangent<S> {
    /// The tangent.
    fn into_tangent(self) -> S;
}

/// A shadow that is there.
pub trait IntoShadow<S> {
    /// Adds a cotangent.
    fn add_to_shadow(self, g: S);
}

impl<S> AnyField<S> for FieldTangent<S> {}
impl<S> IntoTangent<S> for FieldTangent<S> {
    #[inline(always)]
    fn into_tangent(self) -> S {
        self.0
    }
}
impl<S> AnyField<S> for FieldShadow<'_, S> {}
impl<S: Tangent> IntoShadow<S> for FieldShadow<'_, S> {
    #[inline(always)]
    fn add_to_shadow(self, g: S) {
        self.0.accumulate(&g);
    }
}

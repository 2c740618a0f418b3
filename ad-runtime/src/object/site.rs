//! Where a pointer becomes one to a trait object.

use alloc::boxed::Box;
use core::any::Any;
use core::marker::PhantomData;

use super::AnyTangent;
use crate::{Differentiable, Tan, TangentValue};

/// A place in generated code where rustc may make a `Box<dyn Trait>` of a `Box<Spring>`: an `S` becomes a `T`, which may be the same.
///
/// It has no size. The types are inferred from the values that are passed through it.
pub struct Site<S, T>(Types<S, T>);

/// `fn() -> _` makes it `Send`, `Sync` and `Copy` whatever the types are.
type Types<S, T> = PhantomData<fn() -> (PhantomData<S>, PhantomData<T>)>;

impl<S, T> Clone for Site<S, T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<S, T> Copy for Site<S, T> {}

/// A [`Site`].
#[inline(always)]
pub const fn site<S, T>() -> Site<S, T> {
    Site(PhantomData)
}

impl<S, T> Site<S, T> {
    /// The operand of the coercion.
    #[inline(always)]
    pub fn source(self, value: S) -> S {
        value
    }

    /// The result of the coercion, which rustc does here.
    #[inline(always)]
    pub fn target(self, value: T) -> T {
        value
    }

    /// The result, in code that never runs.
    ///
    /// # Panics
    /// Always.
    #[cold]
    pub fn never(self) -> T {
        never()
    }
}

/// The beginning of code that never runs, and is there for its types. Since it doesn't return, the following code may move anything.
///
/// # Panics
/// Always.
#[cold]
pub fn never() -> ! {
    unreachable!("this code is there for its types")
}

/// `&mut` to the content of a shared place, in code that never runs.
///
/// # Panics
/// Always.
#[cold]
pub fn unique<T: ?Sized>(_place: &T) -> &mut T {
    never()
}

/// Nothing is hidden.
impl<Same: Differentiable> Site<Same, Same> {
    /// Coerces the tangent of the operand to that of the result.
    #[inline(always)]
    pub fn tangent(self, tangent: Tan<Same>) -> Tan<Same> {
        tangent
    }

    /// Converts the cotangent of the result to that of the operand.
    #[inline(always)]
    pub fn cotangent(self, cotangent: Tan<Same>) -> Tan<Same> {
        cotangent
    }
}

/// The type of a tangent is hidden along with that of its value.
pub trait Hides {
    /// The tangent of the operand.
    type Concrete;
    /// The tangent of the result.
    type Hidden;

    /// Coerces the tangent of the operand to that of the result.
    fn tangent(self, tangent: Self::Concrete) -> Self::Hidden;

    /// Converts the cotangent of the result to that of the operand.
    fn cotangent(self, cotangent: Self::Hidden) -> Self::Concrete;
}

impl<S, T> Hides for Site<Box<S>, Box<T>>
where
    S: Differentiable<OwnedTangent: 'static> + ?Sized,
    T: Differentiable<OwnedTangent = AnyTangent> + ?Sized,
{
    type Concrete = Box<Tan<S>>;
    type Hidden = Box<AnyTangent>;

    #[inline]
    fn tangent(self, tangent: Box<Tan<S>>) -> Box<AnyTangent> {
        Box::new(hidden(tangent))
    }

    #[inline]
    #[track_caller]
    fn cotangent(self, cotangent: Box<AnyTangent>) -> Box<Tan<S>> {
        Box::new(revealed(*cotangent))
    }
}

/// A tangent whose type is hidden, unless it is already.
fn hidden<T: TangentValue + Any>(tangent: Box<T>) -> AnyTangent {
    let any: Box<dyn Any> = tangent;
    match any.downcast::<AnyTangent>() {
        Ok(hidden) => *hidden,
        Err(any) => AnyTangent::of_box(any.downcast::<T>().expect(OWN_TYPE)),
    }
}

/// A tangent whose type is known.
#[track_caller]
fn revealed<T: TangentValue + Any>(tangent: AnyTangent) -> T {
    let any: &dyn Any = &tangent;
    match any.downcast_ref::<T>() {
        // It is hidden in the value, too.
        Some(hidden) => hidden.clone(),
        None => tangent.into_concrete(),
    }
}

const OWN_TYPE: &str = "a type is itself";

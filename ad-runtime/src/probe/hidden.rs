//! Compares the method that a call finds with the one whose rules it finds.
//!
//! A method of a type hides one of the same name of a trait: `x.area()` is the type's own. If only the trait's has rules, `x.__area_frule(..)`
//! would find these. So each `impl` of a trait with rules compares what both paths of a method lead to:
//! ```text
//! compare(
//!     both(<Square>::area, <Square as Shape>::area).found(),
//!     both(<Square>::__area_frule, <Square as Shape>::__area_frule).found(),
//! );
//! ```
//! Functions have types of their own, so that [`Both::found`] applies to equal ones only, and [`Hidden::found`] to the others.

use core::marker::PhantomData;

/// The function that a type's path leads to, and the trait's.
pub struct Both<F, G>(PhantomData<(F, G)>);

/// Both functions.
pub const fn both<F: Copy, G: Copy>(_: F, _: G) -> Both<F, G> {
    Both(PhantomData)
}

/// Found: the trait's.
pub struct OfTrait;

/// Found: one of the type's own.
pub struct OfType;

impl<Same> Both<Same, Same> {
    /// It is the trait's.
    #[must_use]
    pub const fn found(&self) -> OfTrait {
        OfTrait
    }
}

/// For functions that differ.
pub trait Hidden {
    /// It is the type's own.
    fn found(&self) -> OfType;
}

impl<F, G> Hidden for Both<F, G> {
    fn found(&self) -> OfType {
        OfType
    }
}

/// No trait in scope has a rule of a name.
pub struct NoRules;

/// Holds where the owner of the rules that were found is that of the method that was found.
#[diagnostic::on_unimplemented(
    message = "a method of the type itself hides that of the trait, and has no derivative rules",
    label = "`x.method()` calls the one of the type itself",
    note = "write `#[differentiable]` on the method of the type itself, or give it another name"
)]
pub trait RulesOf<Method> {}

impl RulesOf<OfTrait> for OfTrait {}
impl RulesOf<OfType> for OfType {}

/// Compiles if the rules that are found are those of the method that is found.
pub const fn compare<Method, Rules: RulesOf<Method>>(_: &Method, _: &Rules) {}

/// Holds for two functions that are the same.
#[diagnostic::on_unimplemented(
    message = "this method is one of the type itself, and is taken for that of `Clone` or `ToOwned`",
    label = "it hides the method of the standard library",
    note = "give the method another name"
)]
pub trait SameMethod {}
// With the first implementation alone, rustc would infer that the functions are equal, and its error would be about their types.
impl<F> SameMethod for (F, F) {}
impl<F> SameMethod for (F, Both<F, F>) {}

/// Compiles if the `clone` that the type's path leads to is std's. The value tells the arguments of the type.
#[inline(always)]
pub fn check_clone<T: ?Sized, A, B, F: Fn(&T) -> A, G: Fn(&T) -> B>(_: &T, _: F, _: G)
where
    (F, G): SameMethod,
{
}

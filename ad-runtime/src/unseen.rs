//! Types that a macro can't look at, where they need a tangent.
//!
//! ```text
//! fn __frule(p: &<Params as IsChecked<{ <Params as ParameterType>::CHECKED }>>::Type, ..)
//! ```
//!
//! That is `Params`, if it has a tangent. If it has none, the constant is one error, and the type in the signature is no type at all. rustc
//! doesn't complain about uses of such a type, so that one mistake is one message.

use crate::Differentiable;
use crate::field::FieldShadow;

/// A type that has been asked for its tangent.
pub trait IsChecked<const CHECKED: usize> {
    /// The type itself.
    type Type: ?Sized;
}

impl<T: ?Sized> IsChecked<0> for T {
    type Type = T;
}

/// A reference to a `T`.
pub trait RefTo<T: ?Sized> {
    /// The reference itself.
    type Type;

    /// It.
    fn itself(self) -> Self::Type;
}

impl<'a, T: ?Sized> RefTo<T> for &'a T {
    type Type = &'a T;

    #[inline(always)]
    fn itself(self) -> &'a T {
        self
    }
}

impl<'a, T: ?Sized> RefTo<T> for &'a mut T {
    type Type = &'a mut T;

    #[inline(always)]
    fn itself(self) -> &'a mut T {
        self
    }
}

/// A reference to something whose type has been asked for its tangent.
#[inline(always)]
pub fn checked<T: ?Sized, R: RefTo<T>>(x: R) -> R::Type {
    x.itself()
}

/// A value of a type that has been asked for its tangent.
pub trait Checked: Sized {
    /// The value itself.
    #[inline(always)]
    #[must_use]
    fn itself(self) -> Self {
        self
    }
}

impl<T> Checked for T {}

/// A field that a [`FieldShadow`] can be made of.
pub trait Shadowed<'a> {
    /// The shadow.
    type Shadow;

    /// The shadow.
    fn shadow(&'a mut self) -> Self::Shadow;
}

impl<'a, S: 'a> Shadowed<'a> for S {
    type Shadow = FieldShadow<'a, S>;

    #[inline(always)]
    fn shadow(&'a mut self) -> FieldShadow<'a, S> {
        FieldShadow(self)
    }
}

/// The shadow of a field of a struct whose type has been asked for its tangent.
#[inline(always)]
pub fn shadow<'a, S: Shadowed<'a>>(field: &'a mut S) -> S::Shadow {
    field.shadow()
}

macro_rules! types_with_tangents {
    ($($(#[$docs:meta])* $name:ident: $label:literal, $constant:literal;)*) => {$(
        $(#[$docs])*
        #[diagnostic::on_unimplemented(
            message = "`{Self}` has no tangent type",
            label = $label,
            note = $constant,
            note = "write `#[derive(Differentiable)]` on `{Self}` if it is a type of your crate; in place of a type of another crate take its floats, \
                    or a struct of your own that holds them"
        )]
        pub trait $name {
            /// It has a tangent.
            const CHECKED: usize = 0;
        }

        #[diagnostic::do_not_recommend]
        impl<T: Differentiable + ?Sized> $name for T {}
    )*};
}

types_with_tangents! {
    /// A parameter that is differentiated.
    ParameterType: "this parameter is differentiated", "write `#[constant]` in front of the parameter if nothing is differentiated by it";
    /// A field that is differentiated.
    FieldType: "this field is differentiated", "write `#[constant]` on the field if nothing is differentiated by it";
    /// The result of a function that is differentiated.
    ResultType: "this result is differentiated", "a function without derivatives needs no `#[differentiable]`";
}

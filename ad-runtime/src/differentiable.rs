//! [`Differentiable`]: which type the tangents of a type have.

use alloc::vec::Vec;
use core::borrow::BorrowMut;

use crate::{Components, ShapeMismatch, Tangent, TangentValue};

/// A type that has tangents: small changes of its values, and, in the same form, gradients.
///
/// | type | tangent |
/// |---|---|
/// | `f32`, `f64` | itself |
/// | integers, `bool`, `char`, `str`, `String`, `()`, `PhantomData`, function pointers | [`NoTangent`](crate::NoTangent) |
/// | `[T]`, `[T; N]`, `Vec<T>`, `VecDeque<T>`, tuples, `Option<T>`, `Box<T>`, `Range<T>` | the same of `T`'s tangents |
/// | `Result<T, E>` | `Result<T::OwnedTangent, NoTangent>` |
/// | `Rc<T>`, `Arc<T>` | `Box<T::OwnedTangent>` |
/// | `&T` | the owned tangent of `T` |
/// | structs with `#[derive(Differentiable)]` | a struct with the same fields, called `ParamsTangent` for `Params` |
///
/// The tangent of a `[f64]` is a `[f64]`, which can't be returned; so there is also its *owned* form, a `Vec<f64>`. For a
/// type of known size the two are the same. Generic code over `T: Differentiable` that keeps tangents by value uses
/// `T::OwnedTangent`, and `&T::Tangent` where it borrows them.
///
/// ```
/// use ad_runtime::Differentiable;
/// assert_eq!([1.0, 2.0][..].zero_tangent(), vec![0.0, 0.0]);
/// assert_eq!((3.0, [1.0_f32; 2]).zero_tangent(), (0.0, [0.0_f32; 2]));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no tangent type",
    label = "not differentiable",
    note = "write `#[derive(Differentiable)]` on the type, or `#[constant]` on the parameter or field",
    note = "a type of a library has one with the feature of that name, in the version of the library that `chainrule` uses"
)]
pub trait Differentiable {
    /// The type of tangents and of gradients. It is its own tangent.
    type Tangent: ?Sized + Tangent<OwnedTangent = Self::OwnedTangent>;

    /// The tangent in owned form: `Vec<f64>` where `Tangent` is `[f64]`, and `Tangent` itself where that is `Sized`.
    type OwnedTangent: TangentValue + BorrowMut<Self::Tangent>;

    /// The zero tangent with the shape of `self`: the same lengths, the same variants.
    fn zero_tangent(&self) -> Self::OwnedTangent;

    /// Checks that `tangent` has the shape of `self`.
    ///
    /// # Errors
    /// The first place where a length or a variant differs, with both.
    ///
    /// ```
    /// use ad_runtime::Differentiable;
    /// let mismatch = [1.0, 2.0][..].matches_shape(&[0.0; 3]).unwrap_err();
    /// assert_eq!(mismatch.to_string(), "the tangent has length 3, the value 2");
    /// ```
    fn matches_shape(&self, tangent: &Self::Tangent) -> Result<(), ShapeMismatch>;

    /// Moves `self` by a multiple of `tangent`: `x += factor * t`. Parts without a tangent stay.
    ///
    /// With a negative rate and a gradient it is a step of gradient descent. Types with `#[derive(Differentiable)]` have it
    /// under the name `add_scaled` as well, and a type that is its own tangent, such as a `Vec<f64>`, has
    /// [`Tangent::add_scaled`].
    ///
    /// ```
    /// use ad_runtime::Differentiable;
    /// let mut x = (1.0, vec![2.0], "text");
    /// let mut gradient = x.zero_tangent();
    /// gradient.1[0] = 10.0;
    /// x.add_scaled_tangent(-0.5, &gradient);
    /// assert_eq!(x, (1.0, vec![-3.0], "text"));
    /// ```
    ///
    /// # Panics
    /// If the shapes differ, and if something that has a tangent is shared: behind a `&`, or in an `Rc` or `Arc` with
    /// other owners.
    fn add_scaled_tangent(&mut self, factor: f64, tangent: &Self::Tangent);

    /// Moves `self` by `tangent`: `x += t`.
    ///
    /// # Panics
    /// Like [`add_scaled_tangent`](Differentiable::add_scaled_tangent).
    #[inline]
    #[track_caller]
    fn add_tangent(&mut self, tangent: &Self::Tangent) {
        self.add_scaled_tangent(1.0, tangent);
    }

    /// Hands each component to `components`, in the order of [`Tangent::entries`] of the tangent. Tests of rules read values
    /// by it; a type that leaves it out is opaque to them.
    fn visit_components(&self, components: &mut Components<'_>) {
        components.opaque::<Self>();
    }

    /// Hands each float that has a tangent to `visit`, in the order of [`Tangent::entries`] of the tangent; an `f32` exactly.
    /// [`Flat`](crate::Flat) reads values by it.
    ///
    /// # Panics
    /// If a type that isn't derived leaves it out, and has tangents.
    #[track_caller]
    fn visit_floats(&self, visit: &mut dyn FnMut(f64)) {
        let _ = visit;
        unsaid::<Self>();
    }

    /// Replaces each float that has a tangent by the result of `map` for it, in the order of
    /// [`visit_floats`](Differentiable::visit_floats). [`Flat`](crate::Flat) writes values by it.
    ///
    /// # Panics
    /// If a float is shared: behind a `&`, or in an `Rc` or `Arc` with other owners; and if a type that isn't derived leaves it
    /// out, and has tangents.
    #[track_caller]
    fn map_floats(&mut self, map: &mut dyn FnMut(f64) -> f64) {
        let _ = map;
        unsaid::<Self>();
    }

    /// The zero tangents of several values. It exists because zeros of floats can be had from the allocator.
    #[doc(hidden)]
    #[inline]
    fn __zero_tangents(values: &[Self]) -> Vec<Self::OwnedTangent>
    where
        Self: Sized,
    {
        values.iter().map(Self::zero_tangent).collect()
    }
}

/// A type that doesn't say which floats it has must not have any.
#[track_caller]
fn unsaid<T: Differentiable + ?Sized>() {
    assert!(
        size_of::<T::OwnedTangent>() == 0,
        "`{}` doesn't say which floats it has: its `Differentiable` lacks `visit_floats` and `map_floats`",
        core::any::type_name::<T>()
    );
}

/// A type whose tangents have one form only: the owned form is the same as the other. All types of known size that are
/// [`Differentiable`] are.
///
/// `#[differentiable]` makes it a supertrait of a trait whose receivers are differentiated, so that a bound by the trait is enough. With
/// `#[differentiable(dyn)]` it can't be, since its objects have no known size. The rules of a generic function ask for it themselves if a parameter is of that
/// type, `fn f<P: Potential>(p: &P)`; else the function asks for both: `fn f<P: Potential + DifferentiableValue>(all: &Sum<P>)`.
pub trait DifferentiableValue:
    Differentiable<Tangent = <Self as Differentiable>::OwnedTangent>
{
}
impl<T: Differentiable<Tangent = <T as Differentiable>::OwnedTangent>> DifferentiableValue for T {}

/// The tangent of a type of known size: `T::OwnedTangent`, which is then the same as `T::Tangent`.
pub type Tan<T> = <T as Differentiable>::OwnedTangent;

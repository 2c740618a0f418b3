//! [`Tangent`]: the vector space that tangents are, and [`NoTangent`], the one without dimensions.

use core::fmt::Debug;

use crate::{Components, Differentiable, ShapeMismatch};

/// Tangents can be added, scaled and multiplied with each other; a tangent is its own tangent type.
///
/// The laws: zero is neutral for `accumulate`, which is commutative and associative up to rounding; `scale` distributes
/// over it; `inner` is symmetric, bilinear, and not negative for two equal tangents.
///
/// Tangents of values with lengths or variants have these, too. Operations on two tangents panic where they differ.
///
/// ```
/// use ad_runtime::Tangent;
/// let mut t = vec![1.0, 2.0];
/// t.accumulate(&vec![10.0, 20.0]);
/// t.scale(2.0);
/// assert_eq!(t, [22.0, 44.0]);
/// assert_eq!(t.inner(&vec![1.0, 0.5]), 44.0);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no tangent type",
    label = "not its own tangent",
    note = "a type with `#[tangent(Self)]` has fields that are their own tangents, such as `f64` and `Vec<f64>`; without it, it gets \
            a tangent type of its own"
)]
pub trait Tangent: Differentiable<Tangent = Self> {
    /// Returns `true` for the tangent of a value that may be absent, `Option` or `Result`.
    #[doc(hidden)]
    const __MAY_BE_ABSENT: bool = false;

    /// Makes it zero; its shape stays.
    fn set_zero(&mut self);

    /// Adds `other`.
    ///
    /// # Panics
    /// If the shapes differ.
    fn accumulate(&mut self, other: &Self);

    /// Adds a multiple of `other`: `t += factor * other`.
    ///
    /// ```
    /// use ad_runtime::Tangent;
    /// let (mut theta, gradient) = (vec![1.0, 2.0], vec![10.0, -10.0]);
    /// theta.add_scaled(-0.1, &gradient);
    /// assert_eq!(theta, [0.0, 3.0]);
    /// ```
    ///
    /// # Panics
    /// If the shapes differ.
    #[inline]
    #[track_caller]
    fn add_scaled(&mut self, factor: f64, other: &Self) {
        self.add_scaled_tangent(factor, other);
    }

    /// Multiplies by `factor`.
    fn scale(&mut self, factor: f64);

    /// The inner product: the sum of the products of all pairs of entries, computed in `f64`.
    ///
    /// # Panics
    /// If the shapes differ.
    fn inner(&self, other: &Self) -> f64;

    /// A copy in owned form: a `Vec` of a slice, a clone of everything else.
    fn to_owned_tangent(&self) -> Self::OwnedTangent;

    /// Calls `visit` with each entry, in the order of memory and of fields.
    #[inline]
    fn entries(&self, visit: &mut dyn FnMut(f64)) {
        self.visit_floats(visit);
    }

    /// Replaces each entry by the result of `map` for it, in the order of [`entries`](Tangent::entries).
    #[inline]
    fn map_entries(&mut self, map: &mut dyn FnMut(f64) -> f64) {
        self.map_floats(map);
    }

    /// The number of entries.
    ///
    /// ```
    /// use ad_runtime::Tangent;
    /// assert_eq!((1.5, vec![[0.0; 2]; 3]).count_entries(), 7);
    /// ```
    fn count_entries(&self) -> usize {
        let mut count = 0;
        self.entries(&mut |_| count += 1);
        count
    }

    /// Replaces entry `k`, in the order of [`entries`](Tangent::entries); if there is none, nothing changes. On a zero tangent it makes
    /// a unit vector.
    ///
    /// ```
    /// use ad_runtime::Tangent;
    /// let mut t = (0.0, vec![[0.0; 2]; 2]);
    /// t.set_entry(3, 1.0);
    /// assert_eq!(t, (0.0, vec![[0.0, 0.0], [1.0, 0.0]]));
    /// ```
    fn set_entry(&mut self, k: usize, value: f64) {
        let mut at = 0;
        self.map_entries(&mut |entry| {
            at += 1;
            if at == k + 1 { value } else { entry }
        });
    }

    /// The number of entries, where all values of the type have as many: an element of a list is found by it without a walk.
    #[doc(hidden)]
    #[inline(always)]
    fn __fixed_entries() -> Option<usize>
    where
        Self: Sized,
    {
        None
    }

    /// Writes the entries to a slice that has a place for each.
    #[doc(hidden)]
    fn __copy_entries(&self, to: &mut [f64]) {
        let mut places = to.iter_mut();
        self.entries(&mut |entry| {
            if let Some(place) = places.next() {
                *place = entry;
            }
        });
    }

    /// Fills it with the results of `next`. With random numbers that is a random tangent of this shape.
    ///
    /// ```
    /// use ad_runtime::{Differentiable, Tangent};
    /// let mut t = ([0.5; 2], Some(1.0)).zero_tangent();
    /// let mut n = 0.0;
    /// t.fill_with(&mut || { n += 1.0; n });
    /// assert_eq!(t, ([1.0, 2.0], Some(3.0)));
    /// ```
    fn fill_with(&mut self, next: &mut dyn FnMut() -> f64) {
        self.map_entries(&mut |_| next());
    }
}

/// Tangents that can be kept by value, copied, compared, printed, and sent to other threads. Implemented for all that can.
pub trait TangentValue:
    Tangent<OwnedTangent = Self> + Clone + Debug + PartialEq + Send + Sync
{
}
impl<T: Tangent<OwnedTangent = T> + Clone + Debug + PartialEq + Send + Sync> TangentValue for T {}

/// The tangent of values that can't change by a little: integers, text, `#[constant]` fields. It has no size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NoTangent;

impl Differentiable for NoTangent {
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

    #[inline(always)]
    fn visit_floats(&self, _: &mut dyn FnMut(f64)) {}

    #[inline(always)]
    fn map_floats(&mut self, _: &mut dyn FnMut(f64) -> f64) {}
}

impl Tangent for NoTangent {
    #[inline(always)]
    fn set_zero(&mut self) {}

    #[inline(always)]
    fn accumulate(&mut self, _: &Self) {}

    #[inline(always)]
    fn scale(&mut self, _: f64) {}

    #[inline(always)]
    fn inner(&self, _: &Self) -> f64 {
        0.0
    }

    #[inline(always)]
    fn to_owned_tangent(&self) -> NoTangent {
        NoTangent
    }

    #[inline(always)]
    fn __fixed_entries() -> Option<usize> {
        Some(0)
    }
}

/// Every type, in the role of a constant field's.
#[doc(hidden)]
pub trait AsConstant {
    /// [`NoTangent`], which is the same for all types.
    type Tangent;
}
impl<T: ?Sized> AsConstant for T {
    type Tangent = NoTangent;
}

/// [`NoTangent`], spelt such that it mentions `T`: the tangent of a constant field whose type mentions parameters that
/// the tangent type would not mention otherwise.
#[doc(hidden)]
pub type ConstantTangent<T> = <T as AsConstant>::Tangent;

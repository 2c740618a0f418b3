//! [`Dual`] and [`CoDual`]: the parameters of forward rules and pullbacks that replace an argument.

/// A value and its tangent, side by side: `Dual(x, x_dot)`.
///
/// Forward rules take one for each differentiated parameter and return one. For a parameter `x: &T` it is
/// `Dual<&T, &T::Tangent>`, for `x: &mut T` it is `Dual<&mut T, &mut T::Tangent>`.
///
/// ```
/// use ad_runtime::Dual;
/// let Dual(y, y_dot) = Dual(2.0_f64, 1.0_f64);
/// assert_eq!((y, y_dot), (2.0, 1.0));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Hash)]
pub struct Dual<P, T>(
    /// The primal value.
    pub P,
    /// Its tangent.
    pub T,
);

/// A reference argument and its shadow: `CoDual(&x, &mut x_bar)`.
///
/// Pullbacks take one for each differentiated parameter that is a reference, and *accumulate* into the shadow.
#[derive(Debug)]
pub struct CoDual<P, S>(
    /// The primal, as it was when the forward half returned.
    pub P,
    /// Its shadow, where the cotangent is added.
    pub S,
);

//! Shapes: whether a tangent has the lengths and variants of its value, and the messages if not.

use alloc::{format, string::String};
use core::borrow::Borrow;
use core::fmt;
use core::panic::Location;

use crate::{Differentiable, Tan, Tangent};

/// Where a tangent's shape is not that of its value.
///
/// ```
/// use ad_runtime::Differentiable;
/// let mismatch = (1.0, vec![[2.0; 2]]).matches_shape(&(0.0, vec![])).unwrap_err();
/// assert_eq!(mismatch.to_string(), "the tangent's `.1` has length 0, the value's 1");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShapeMismatch {
    /// The way to the place, such as `.layers[2]`; empty for the whole.
    path: String,
    difference: Difference,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Difference {
    Length {
        value: usize,
        tangent: usize,
    },
    Extent {
        value: (usize, usize),
        tangent: (usize, usize),
    },
    Variant {
        value: &'static str,
        tangent: &'static str,
    },
}

impl ShapeMismatch {
    /// The lengths differ.
    pub fn length(value: usize, tangent: usize) -> Self {
        ShapeMismatch {
            path: String::new(),
            difference: Difference::Length { value, tangent },
        }
    }

    /// The numbers of rows and columns differ.
    pub fn extent(value: (usize, usize), tangent: (usize, usize)) -> Self {
        ShapeMismatch {
            path: String::new(),
            difference: Difference::Extent { value, tangent },
        }
    }

    /// The variants differ.
    pub fn variant(value: &'static str, tangent: &'static str) -> Self {
        ShapeMismatch {
            path: String::new(),
            difference: Difference::Variant { value, tangent },
        }
    }

    /// The same mismatch, seen from the struct or tuple with this field.
    #[must_use]
    pub fn in_field(mut self, name: &str) -> Self {
        self.path = format!(".{name}{}", self.path);
        self
    }

    /// The same mismatch, seen from the slice with this element.
    #[must_use]
    pub fn in_element(mut self, index: usize) -> Self {
        self.path = format!("[{index}]{}", self.path);
        self
    }

    /// Describes the difference, with names for both sides: "has length 3, the argument 4".
    fn describe(&self, other: &str) -> String {
        match self.difference {
            Difference::Length { value, tangent } => {
                format!("has length {tangent}, {other} {value}")
            }
            Difference::Extent {
                value: (n, m),
                tangent: (t_n, t_m),
            } => {
                format!("is {t_n} by {t_m}, {other} {n} by {m}")
            }
            Difference::Variant { value, tangent } => format!("is `{tangent}`, {other} `{value}`"),
        }
    }
}

impl fmt::Display for ShapeMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            write!(f, "the tangent {}", self.describe("the value"))
        } else {
            write!(
                f,
                "the tangent's `{}` {}",
                self.path,
                self.describe("the value's")
            )
        }
    }
}

impl core::error::Error for ShapeMismatch {}

/// Checks at the entry of a public rule that the shadow, direction or buffer of an argument has its shape.
///
/// # Panics
/// If not: "nll: the shadow of \`x\` has length 3, the argument 4".
#[inline]
#[track_caller]
pub fn check_shape<T: Differentiable + ?Sized>(
    x: &T,
    shadow: &T::Tangent,
    function: &str,
    parameter: &str,
) {
    if let Err(mismatch) = x.matches_shape(shadow) {
        shadow_panic(&mismatch, function, parameter, None);
    }
}

/// The same in a pullback. It is a closure, which isn't told by whom it is called: the message says where its rule was called.
///
/// # Panics
/// If the shapes differ.
#[inline]
pub fn check_shape_in_pullback<T: Differentiable + ?Sized>(
    x: &T,
    shadow: &T::Tangent,
    function: &str,
    parameter: &str,
    rule: &Location<'_>,
) {
    if let Err(mismatch) = x.matches_shape(shadow) {
        shadow_panic(&mismatch, function, parameter, Some(rule));
    }
}

/// Checks that the cotangent of a result has the result's shape.
///
/// # Panics
/// If not: "step: the cotangent of the result has length 4, the result 3".
#[inline]
#[track_caller]
pub fn check_result<T: Differentiable>(y: &T, seed: &Tan<T>, function: &str) {
    if let Err(mismatch) = y.matches_shape(seed.borrow()) {
        result_panic(&mismatch, function, None);
    }
}

/// The same in a pullback; `shape` is a tangent of the result.
///
/// # Panics
/// If the shapes differ.
#[inline]
pub fn check_result_in_pullback<T: Tangent>(
    shape: &T,
    seed: &T,
    function: &str,
    rule: &Location<'_>,
) {
    if let Err(mismatch) = shape.matches_shape(seed) {
        result_panic(&mismatch, function, Some(rule));
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn shadow_panic(
    mismatch: &ShapeMismatch,
    function: &str,
    parameter: &str,
    rule: Option<&Location<'_>>,
) -> ! {
    let (path, difference) = (&mismatch.path, mismatch.describe("the argument"));
    panic!(
        "{function}: the shadow of `{parameter}{path}` {difference}{}",
        OfPullback(rule)
    )
}

#[cold]
#[inline(never)]
#[track_caller]
fn result_panic(mismatch: &ShapeMismatch, function: &str, rule: Option<&Location<'_>>) -> ! {
    let difference = mismatch.describe("the result");
    let place = if mismatch.path.is_empty() {
        String::new()
    } else {
        format!(" at `{}`", mismatch.path)
    };
    panic!(
        "{function}: the cotangent of the result{place} {difference}{}",
        OfPullback(rule)
    )
}

/// Says in a message of a pullback where its rule was called.
struct OfPullback<'a>(Option<&'a Location<'a>>);

impl fmt::Display for OfPullback<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(rule) => write!(f, ", in the pullback of {rule}"),
            None => Ok(()),
        }
    }
}

/// Reports that the lengths of two tangents differ.
///
/// # Panics
/// Always.
#[cold]
#[inline(never)]
#[track_caller]
pub fn length_panic(expected: usize, found: usize) -> ! {
    panic!("expected a tangent of length {expected}, found one of length {found}")
}

/// Reports that a tangent has another variant.
///
/// # Panics
/// Always.
#[cold]
#[inline(never)]
#[track_caller]
pub fn variant_panic(expected: &str, found: &str) -> ! {
    panic!("expected a tangent that is `{expected}`, found `{found}`")
}

/// `matches_shape` of a field, whose tangent is kept in owned form.
///
/// # Errors
/// As `matches_shape`, with the field's name put before the place.
#[inline]
pub fn field_matches<T: Differentiable>(
    x: &T,
    tangent: &Tan<T>,
    name: &str,
) -> Result<(), ShapeMismatch> {
    x.matches_shape(tangent.borrow())
        .map_err(|mismatch| mismatch.in_field(name))
}

/// `add_scaled_tangent` of a field, whose tangent is kept in owned form.
#[inline]
pub fn field_add_scaled<T: Differentiable>(x: &mut T, factor: f64, tangent: &Tan<T>) {
    x.add_scaled_tangent(factor, tangent.borrow());
}

/// `matches_shape` of all elements of two slices.
#[inline]
pub(crate) fn elements_match<T: Differentiable>(
    x: &[T],
    tangent: &[Tan<T>],
) -> Result<(), ShapeMismatch> {
    if x.len() != tangent.len() {
        return Err(ShapeMismatch::length(x.len(), tangent.len()));
    }
    for (i, (x, tangent)) in x.iter().zip(tangent).enumerate() {
        x.matches_shape(tangent.borrow())
            .map_err(|mismatch| mismatch.in_element(i))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::{string::ToString, vec};

    #[test]
    fn places_are_named_from_the_outside() {
        let mismatch = ShapeMismatch::length(2, 3)
            .in_field("w")
            .in_element(4)
            .in_field("layers");
        assert_eq!(
            mismatch.to_string(),
            "the tangent's `.layers[4].w` has length 3, the value's 2"
        );
        assert_eq!(mismatch.path, ".layers[4].w");
    }

    #[test]
    #[should_panic(expected = "nll: the shadow of `x` has length 3, the argument 4")]
    fn entry_check_names_function_and_parameter() {
        check_shape(&[0.0; 4][..], &[0.0; 3], "nll", "x");
    }

    #[test]
    #[should_panic(expected = "nll: the shadow of `x.1[0]` is `None`, the argument `Some`")]
    fn entry_check_names_nested_places() {
        check_shape(&(1.0, vec![Some(2.0)]), &(0.0, vec![None]), "nll", "x");
    }
}

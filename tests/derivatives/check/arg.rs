//! [`Arg`]: an argument with its tangent and its shadow.

use super::Flat;
use crate::ad::{Differentiable, Tangent};

/// An argument that is differentiated, with room for its tangent and for its cotangent.
pub(crate) struct Arg<T: Differentiable> {
    pub(crate) x: T,
    pub(crate) dot: T::OwnedTangent,
    pub(crate) bar: T::OwnedTangent,
}

impl<T: Flat + Differentiable> Arg<T> {
    pub(crate) fn new(x: T) -> Self {
        let (dot, bar) = (x.zero_tangent(), x.zero_tangent());
        Arg { x, dot, bar }
    }

    /// The number of floats.
    pub(crate) fn len(&self) -> usize {
        let n = self.x.flat().len();
        assert_eq!(
            entries(&self.dot).len(),
            n,
            "the tangent has another number of floats than its value"
        );
        n
    }

    /// A copy, with zeros for tangent and shadow.
    pub(crate) fn again(&self) -> Self {
        Arg::new(self.x.clone())
    }

    /// A copy, moved by what is taken from `by`. A zero leaves the sign of a zero.
    pub(crate) fn shifted(&self, by: &mut Feed<'_>) -> Self {
        let mut x = self.x.clone();
        x.map(&mut |v| match by.next() {
            0.0 => v,
            step => v + step,
        });
        Arg::new(x)
    }

    /// A copy with this tangent.
    pub(crate) fn with_dot(&self, dot: &mut Feed<'_>) -> Self {
        let mut copy = self.again();
        fill(&mut copy.dot, dot);
        copy
    }

    /// A copy with this shadow.
    pub(crate) fn with_bar(&self, bar: &mut Feed<'_>) -> Self {
        let mut copy = self.again();
        fill(&mut copy.bar, bar);
        copy
    }
}

/// Numbers that are taken one after the other.
pub(crate) struct Feed<'a>(std::slice::Iter<'a, f64>);

impl<'a> Feed<'a> {
    pub(crate) fn new(numbers: &'a [f64]) -> Self {
        Feed(numbers.iter())
    }

    fn next(&mut self) -> f64 {
        *self.0.next().expect("as many numbers as floats")
    }
}

/// One after the other.
pub(crate) fn concat(parts: &[Vec<f64>]) -> Vec<f64> {
    parts.concat()
}

/// Overwrites a tangent.
pub(crate) fn fill<T: Tangent + ?Sized>(tangent: &mut T, feed: &mut Feed<'_>) {
    tangent.map_entries(&mut |_| feed.next());
}

/// The floats of a tangent.
pub(crate) fn entries<T: Tangent + ?Sized>(tangent: &T) -> Vec<f64> {
    let mut all = Vec::new();
    tangent.entries(&mut |v| all.push(v));
    all
}

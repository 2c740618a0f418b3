//! The sizes that a function takes to make an `S`: constants, which determine the type of the result where nothing else of the call does.
//! `DMatrix::zeros(n, m)` leaves open the type of the matrix's elements, and so would the function's modes; a [`Size<S>`] is the parameter of
//! its rule.

use core::marker::PhantomData;

use super::SizeOf;
use crate::Dual;

/// A size of an `S`.
pub struct Size<S>(
    /// The number.
    pub usize,
    PhantomData<fn() -> S>,
);

impl<S> SizeOf<S> {
    /// The argument.
    #[inline(always)]
    pub fn pass(&self, x: usize) -> Size<S> {
        Size(x, PhantomData)
    }

    /// The argument of a forward rule.
    #[inline(always)]
    pub fn dual<D>(&self, x: usize, _x_dot: D) -> Size<S> {
        self.pass(x)
    }

    /// The argument of a forward rule.
    #[inline(always)]
    pub fn inactive(&self, x: usize) -> Size<S> {
        self.pass(x)
    }

    /// The argument's cotangent: the caller's zero.
    #[inline(always)]
    pub fn cotangent<Z>(&self, _returned: (), zero: Z) -> Z {
        zero
    }

    /// The argument's cotangent, and its tangent: the caller's zeros.
    #[inline(always)]
    pub fn cotangent_dual<Z>(&self, _returned: (), z: Z, z_dot: Z) -> Dual<Z, Z> {
        Dual(z, z_dot)
    }

    /// The pullback takes nothing in this position.
    #[inline(always)]
    pub fn arg(&self) {}
}

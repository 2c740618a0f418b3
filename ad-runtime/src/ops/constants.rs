//! Operands that the user's operator calls `#[constant]`: they take nothing active. The forward rule of a caller asks; those of the other
//! modes apply the same operators to the same operands.

use super::InactiveTangent;
use crate::{Differentiable, NoTangent, Tan};

/// Marks an operand that is differentiated.
#[derive(Clone, Copy, Debug)]
pub struct Varies;
/// Marks an operand that is constant.
#[derive(Clone, Copy, Debug)]
pub struct Fixed;

/// Implemented if a pair of operands takes values with these tangents.
pub trait Takes<L, R> {}
impl<L, R> Takes<L, R> for (Varies, Varies) {}
impl<L: InactiveTangent, R> Takes<L, R> for (Fixed, Varies) {}
impl<L, R: InactiveTangent> Takes<L, R> for (Varies, Fixed) {}
impl<L: InactiveTangent, R: InactiveTangent> Takes<L, R> for (Fixed, Fixed) {}

/// The origin of an operand of type `T`, as a caller knows it.
pub trait Comes<T> {
    /// A type that has entries if the operand is active.
    type Tangent;
}

/// It may be active: its own tangent says.
#[derive(Clone, Copy, Debug)]
pub struct Dependent;
/// It is inactive.
#[derive(Clone, Copy, Debug)]
pub struct Nowhere;
/// It comes from fields alone, whose kinds say whether they are constant.
#[derive(Clone, Copy, Debug)]
pub struct FromFields<K>(
    /// Their kinds.
    pub K,
);

impl<T: Differentiable> Comes<T> for Dependent {
    type Tangent = Tan<T>;
}
impl<T> Comes<T> for Nowhere {
    type Tangent = NoTangent;
}
impl<T, K> Comes<T> for FromFields<K> {
    type Tangent = K;
}

//! Operators on operands whose types only rustc can resolve.
//!
//! `a * b` becomes `<_ as BinaryRules<MulOp, _>>::rrule(a, b)`. There is one implementation for exactly each pair of types
//! that has the operator, so that inference goes as it does in the primal. `#[differentiable]` on `impl Mul<f64> for V3`
//! adds one more.
//!
//! All operands are taken by value; a reference is an operand like any other, with the owned tangent of its
//! target. The pullback of a binary operator returns a pair, that of a unary operator and of a cast a bare cotangent.

mod cast;
mod constants;
mod float;
mod integer;
mod marked;
mod number;

pub use cast::{CastRules, InactiveTangent, inactive_value};
pub use constants::{Comes, Dependent, Fixed, FromFields, Nowhere, Takes, Varies};
pub use float::rem_quotient;
pub use number::Number;

use crate::{Differentiable, Dual, Tan};

/// Marks `+`.
#[derive(Clone, Copy, Debug)]
pub struct AddOp;
/// Marks the binary `-`.
#[derive(Clone, Copy, Debug)]
pub struct SubOp;
/// Marks `*`.
#[derive(Clone, Copy, Debug)]
pub struct MulOp;
/// Marks `/`.
#[derive(Clone, Copy, Debug)]
pub struct DivOp;
/// Marks `%`.
#[derive(Clone, Copy, Debug)]
pub struct RemOp;
/// Marks `&`.
#[derive(Clone, Copy, Debug)]
pub struct BitAndOp;
/// Marks `|`.
#[derive(Clone, Copy, Debug)]
pub struct BitOrOp;
/// Marks `^`.
#[derive(Clone, Copy, Debug)]
pub struct BitXorOp;
/// Marks `<<`, also of references and with assignment: it has rules for integers alone.
#[derive(Clone, Copy, Debug)]
pub struct ShlOp;
/// Marks `>>`, also of references and with assignment: it has rules for integers alone.
#[derive(Clone, Copy, Debug)]
pub struct ShrOp;
/// Marks the unary `-`.
#[derive(Clone, Copy, Debug)]
pub struct NegOp;
/// Marks `!`.
#[derive(Clone, Copy, Debug)]
pub struct NotOp;

/// Marks an operator whose left operand, or whose only one, is a reference. Its rules take a copy by value.
#[derive(Clone, Copy, Debug)]
pub struct LeftByRef<Op>(core::marker::PhantomData<Op>);
/// Marks an operator whose right operand is a reference. Its rules take a copy by value.
#[derive(Clone, Copy, Debug)]
pub struct RightByRef<Op>(core::marker::PhantomData<Op>);
/// Marks `+=` and so on. Their rules take the old value and return the new one.
#[derive(Clone, Copy, Debug)]
pub struct Assigning<Op>(core::marker::PhantomData<Op>);

/// The two cotangents, or two tangents, of operands.
type Pair<A, B> = (Tan<A>, Tan<B>);
/// A cotangent and its tangent.
type Bar<T> = Dual<Tan<T>, Tan<T>>;

/// The rules of the binary operator `Op` for `Self` on the left and `R` on the right.
#[diagnostic::on_unimplemented(
    message = "this operator on `{Self}` has no derivative rule",
    label = "no rule for these operands",
    note = "write `#[differentiable]` on the `impl` of the operator"
)]
pub trait BinaryRules<Op, R: Differentiable>: Differentiable + Sized {
    /// By which callers that inline the operator compare its body.
    const TEXT: u64 = 0;

    /// The type of the operator's result.
    type Output: Differentiable;

    /// Of each operand whether it is differentiated, a pair of [`Varies`] and [`Fixed`].
    type Operands;

    /// The operator itself.
    fn primal(a: Self, b: R) -> Self::Output;

    /// The result and its tangent.
    fn frule(a: Dual<Self, Tan<Self>>, b: Dual<R, Tan<R>>)
    -> Dual<Self::Output, Tan<Self::Output>>;

    /// The same. The caller says where the operands come from, so that an active one is refused where the operator takes a constant.
    #[inline(always)]
    #[track_caller]
    fn frule_from<X: Comes<Self>, Y: Comes<R>>(
        a: Dual<Self, Tan<Self>>,
        b: Dual<R, Tan<R>>,
        _from: (X, Y),
    ) -> Dual<Self::Output, Tan<Self::Output>>
    where
        Self::Operands: Takes<X::Tangent, Y::Tangent>,
    {
        Self::frule(a, b)
    }

    /// The result and its pullback: from the result's cotangent to those of both operands.
    #[allow(clippy::type_complexity)]
    fn rrule(
        a: Self,
        b: R,
    ) -> (
        Self::Output,
        impl FnOnce(Tan<Self::Output>) -> Pair<Self, R> + use<Self, Op, R>,
    );

    /// The forward transform of [`rrule`](Self::rrule).
    #[allow(clippy::type_complexity)]
    fn rrule_frule(
        a: Dual<Self, Tan<Self>>,
        b: Dual<R, Tan<R>>,
    ) -> (
        Dual<Self::Output, Tan<Self::Output>>,
        impl FnOnce(Bar<Self::Output>) -> (Bar<Self>, Bar<R>) + use<Self, Op, R>,
    );
}

/// The rules of the unary operator `Op`.
#[diagnostic::on_unimplemented(
    message = "this operator on `{Self}` has no derivative rule",
    label = "no rule for this operand",
    note = "write `#[differentiable]` on the `impl` of the operator"
)]
pub trait UnaryRules<Op>: Differentiable + Sized {
    /// By which callers that inline the operator compare its body.
    const TEXT: u64 = 0;

    /// The type of the operator's result.
    type Output: Differentiable;

    /// The operator itself.
    fn primal(a: Self) -> Self::Output;

    /// The result and its tangent.
    fn frule(a: Dual<Self, Tan<Self>>) -> Dual<Self::Output, Tan<Self::Output>>;

    /// The result and its pullback: from the result's cotangent to the operand's.
    fn rrule(
        a: Self,
    ) -> (
        Self::Output,
        impl FnOnce(Tan<Self::Output>) -> Tan<Self> + use<Self, Op>,
    );

    /// The forward transform of [`rrule`](Self::rrule).
    #[allow(clippy::type_complexity)]
    fn rrule_frule(
        a: Dual<Self, Tan<Self>>,
    ) -> (
        Dual<Self::Output, Tan<Self::Output>>,
        impl FnOnce(Bar<Self::Output>) -> Bar<Self> + use<Self, Op>,
    );
}

/// An operand that is inactive in the caller, with the zero tangent of the type that rustc infers for it.
#[inline(always)]
pub fn inactive<T: Differentiable>(x: T) -> Dual<T, Tan<T>> {
    let zero = x.zero_tangent();
    Dual(x, zero)
}

/// The implementations for one type's references, which are those for its values.
macro_rules! by_reference {
    ($t:ty, $tangent:ty: $($op:ident)*) => {$(
        $crate::ops::by_reference!(@pair $op $t, $tangent, ['a,] &'a $t, $t, |a, b| (*a, b));
        $crate::ops::by_reference!(@pair $op $t, $tangent, ['b,] $t, &'b $t, |a, b| (a, *b));
        $crate::ops::by_reference!(@pair $op $t, $tangent, ['a, 'b,] &'a $t, &'b $t, |a, b| (*a, *b));
    )*};
    (@pair $op:ident $t:ty, $d:ty, [$($lifetime:lifetime,)*] $left:ty, $right:ty, |$a:ident, $b:ident| $values:expr) => {
        // A pullback holds on to no operand, so callers may use theirs between the two halves.
        #[allow(refining_impl_trait)]
        #[diagnostic::do_not_recommend]
        impl<$($lifetime,)*> BinaryRules<$op, $right> for $left {
            type Output = $t;
            type Operands = ($crate::ops::Varies, $crate::ops::Varies);

            #[inline(always)]
            fn primal($a: $left, $b: $right) -> $t {
                let (a, b) = $values;
                <$t as BinaryRules<$op, $t>>::primal(a, b)
            }

            #[inline(always)]
            fn frule(Dual($a, a_dot): Dual<$left, $d>, Dual($b, b_dot): Dual<$right, $d>) -> Dual<$t, $d> {
                let (a, b) = $values;
                <$t as BinaryRules<$op, $t>>::frule(Dual(a, a_dot), Dual(b, b_dot))
            }

            #[inline(always)]
            fn rrule($a: $left, $b: $right) -> ($t, impl FnOnce($d) -> ($d, $d) + use<>) {
                let (a, b) = $values;
                <$t as BinaryRules<$op, $t>>::rrule(a, b)
            }

            #[inline(always)]
            fn rrule_frule(
                Dual($a, a_dot): Dual<$left, $d>,
                Dual($b, b_dot): Dual<$right, $d>,
            ) -> (Dual<$t, $d>, impl FnOnce(Dual<$d, $d>) -> (Dual<$d, $d>, Dual<$d, $d>) + use<>) {
                let (a, b) = $values;
                <$t as BinaryRules<$op, $t>>::rrule_frule(Dual(a, a_dot), Dual(b, b_dot))
            }
        }
    };
    (@unary $op:ident $t:ty, $d:ty) => {
        #[allow(refining_impl_trait)]
        #[diagnostic::do_not_recommend]
        impl<'a> UnaryRules<$op> for &'a $t {
            type Output = $t;

            #[inline(always)]
            fn primal(a: &'a $t) -> $t {
                <$t as UnaryRules<$op>>::primal(*a)
            }

            #[inline(always)]
            fn frule(Dual(a, a_dot): Dual<&'a $t, $d>) -> Dual<$t, $d> {
                <$t as UnaryRules<$op>>::frule(Dual(*a, a_dot))
            }

            #[inline(always)]
            fn rrule(a: &'a $t) -> ($t, impl FnOnce($d) -> $d + use<>) {
                <$t as UnaryRules<$op>>::rrule(*a)
            }

            #[inline(always)]
            fn rrule_frule(
                Dual(a, a_dot): Dual<&'a $t, $d>,
            ) -> (Dual<$t, $d>, impl FnOnce(Dual<$d, $d>) -> Dual<$d, $d> + use<>) {
                <$t as UnaryRules<$op>>::rrule_frule(Dual(*a, a_dot))
            }
        }
    };
}
pub(crate) use by_reference;

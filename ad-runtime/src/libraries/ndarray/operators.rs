//! Operators among arrays, and between arrays and numbers, with broadcasting.
//!
//! Each pair of elements has the rules of floats. Where an array was broadcast, its cotangent is the sum along the axes that it hadn't.
//! A pullback keeps copies of the operands of `*` and `/`, and nothing of those of `+` and `-`.

use ::ndarray::{
    Array, ArrayBase, ArrayRef, ArrayView, Axis, DimMax, Dimension, Ix0, Zip, arr0, aview0,
};

use super::{D, Element, Storage};
use crate::ops::{
    AddOp, Assigning, BinaryRules, DivOp, LeftByRef, MulOp, NegOp, RightByRef, SubOp, UnaryRules,
};
use crate::{Differentiable, Dual};

/// An operator, in any of its forms, that arrays have: all forms have the same result.
pub trait ArrayOp {
    /// The operator on two values.
    type Plain;
    /// True if the cotangents depend on the operands.
    const KEEPS: bool;
}
macro_rules! array_op {
    ($($op:ident $keeps:literal;)*) => {$(
        array_op! { @forms $op $keeps
            [$op] [LeftByRef<$op>] [RightByRef<$op>] [LeftByRef<RightByRef<$op>>] [Assigning<$op>] [RightByRef<Assigning<$op>>]
        }
    )*};
    (@forms $op:ident $keeps:literal $([$form:ty])*) => {$(
        impl ArrayOp for $form {
            type Plain = $op;
            const KEEPS: bool = $keeps;
        }
    )*};
}
array_op! {
    AddOp false;
    SubOp false;
    MulOp true;
    DivOp true;
}

/// The shape that two arrays are broadcast to.
type Wide<D, E> = <D as DimMax<E>>::Output;

/// The operands that an operator has kept: both, or nothing.
type Kept<A, D, E> = Option<(Array<A, D>, Array<A, E>)>;

/// The shape that both are broadcast to: axes are aligned at the last one, and those of length 1 are stretched.
#[track_caller]
fn wide<D: Dimension + DimMax<E>, E: Dimension>(a: &D, b: &E) -> Wide<D, E> {
    let n = a.ndim().max(b.ndim());
    let mut wide = Wide::<D, E>::zeros(n);
    for k in 1..=n {
        let axis = |dim: &[usize]| dim.len().checked_sub(k).map_or(1, |i| dim[i]);
        let (in_a, in_b) = (axis(a.slice()), axis(b.slice()));
        assert!(
            in_a == in_b || in_a == 1 || in_b == 1,
            "could not broadcast arrays from shapes {:?} and {:?}",
            a.slice(),
            b.slice()
        );
        wide[n - k] = if in_a == 1 { in_b } else { in_a };
    }
    wide
}

/// The array, repeated along the axes that it doesn't have.
#[track_caller]
pub(super) fn stretch<'a, A, D: Dimension, W: Dimension>(
    x: &'a ArrayRef<A, D>,
    wide: &W,
) -> ArrayView<'a, A, W> {
    match x.broadcast(wide.clone()) {
        Some(view) => view,
        None => panic!(
            "could not broadcast array from shape {:?} to {:?}",
            x.shape(),
            wide.slice()
        ),
    }
}

/// The cotangent of an operand that was broadcast: the sum along the axes that it doesn't have.
pub(super) fn shrink<A: Element, D: Dimension, W: Dimension>(
    bar: Array<A, W>,
    shape: &D,
) -> Array<A, D> {
    let mut bar = bar.into_dyn();
    while bar.ndim() > shape.ndim() {
        bar = bar.sum_axis(Axis(0));
    }
    for (axis, n) in shape.slice().iter().enumerate() {
        if bar.len_of(Axis(axis)) != *n {
            bar = bar.sum_axis(Axis(axis)).insert_axis(Axis(axis));
        }
    }
    match bar.into_dimensionality() {
        Ok(bar) => bar,
        Err(_) => unreachable!("the numbers of axes agree"),
    }
}

/// `a op b` of each pair.
#[track_caller]
fn primal<Op: ArrayOp, A, D: Dimension + DimMax<E>, E: Dimension>(
    a: &ArrayRef<A, D>,
    b: &ArrayRef<A, E>,
) -> Array<A, Wide<D, E>>
where
    A: Element + BinaryRules<Op::Plain, A, Output = A>,
{
    let wide = wide(&a.raw_dim(), &b.raw_dim());
    Zip::from(stretch(a, &wide))
        .and(stretch(b, &wide))
        .map_collect(|a, b| <A as BinaryRules<Op::Plain, A>>::primal(*a, *b))
}

/// The same with its tangents.
#[track_caller]
fn forward<Op: ArrayOp, A, D: Dimension + DimMax<E>, E: Dimension>(
    a: &ArrayRef<A, D>,
    a_dot: &ArrayRef<A, D>,
    b: &ArrayRef<A, E>,
    b_dot: &ArrayRef<A, E>,
) -> D2<A, Wide<D, E>>
where
    A: Element + BinaryRules<Op::Plain, A, Output = A>,
{
    let y = primal::<Op, A, D, E>(a, b);
    let wide = y.raw_dim();
    let y_dot = Zip::from(stretch(a, &wide))
        .and(stretch(a_dot, &wide))
        .and(stretch(b, &wide))
        .and(stretch(b_dot, &wide))
        .map_collect(|a, a_dot, b, b_dot| {
            <A as BinaryRules<Op::Plain, A>>::frule(Dual(*a, *a_dot), Dual(*b, *b_dot)).1
        });
    Dual(y, y_dot)
}

/// An array and its tangent.
type D2<A, E> = D<Array<A, E>>;

/// The cotangents. Where the operator keeps nothing of its operands, they don't depend on them.
fn pull<Op: ArrayOp, A, D: Dimension + DimMax<E>, E: Dimension>(
    y_bar: Array<A, Wide<D, E>>,
    kept: &Kept<A, D, E>,
    shapes: &(D, E),
) -> (Array<A, D>, Array<A, E>)
where
    A: Element + BinaryRules<Op::Plain, A, Output = A>,
{
    let of = |y_bar: A, a: A, b: A| <A as BinaryRules<Op::Plain, A>>::rrule(a, b).1(y_bar);
    let mut b_bar = y_bar.clone();
    let mut a_bar = y_bar;
    let wide = b_bar.raw_dim();
    let bars = Zip::from(&mut a_bar).and(&mut b_bar);
    match kept {
        Some((a, b)) => bars
            .and(stretch(a, &wide))
            .and(stretch(b, &wide))
            .for_each(|a_bar, b_bar, a, b| (*a_bar, *b_bar) = of(*a_bar, *a, *b)),
        None => bars.for_each(|a_bar, b_bar| (*a_bar, *b_bar) = of(*a_bar, A::ONE, A::ONE)),
    }
    (shrink(a_bar, &shapes.0), shrink(b_bar, &shapes.1))
}

/// The cotangents and their tangents.
#[allow(clippy::type_complexity)]
fn pull_dual<Op: ArrayOp, A, D: Dimension + DimMax<E>, E: Dimension>(
    Dual(y_bar, y_bar_dot): D2<A, Wide<D, E>>,
    kept: &Dual<(Array<A, D>, Array<A, E>), (Array<A, D>, Array<A, E>)>,
) -> (D2<A, D>, D2<A, E>)
where
    A: Element + BinaryRules<Op::Plain, A, Output = A>,
{
    let Dual((a, b), (a_dot, b_dot)) = kept;
    let wide = y_bar.raw_dim();
    let [mut a_bar, mut b_bar, mut b_bar_dot] = [y_bar.clone(), y_bar, y_bar_dot.clone()];
    let mut a_bar_dot = y_bar_dot;
    // `Zip` takes six arrays.
    let operands = Zip::from(stretch(a, &wide))
        .and(stretch(a_dot, &wide))
        .and(stretch(b, &wide))
        .and(stretch(b_dot, &wide))
        .map_collect(|a, a_dot, b, b_dot| (Dual(*a, *a_dot), Dual(*b, *b_dot)));
    Zip::from(&mut a_bar)
        .and(&mut a_bar_dot)
        .and(&mut b_bar)
        .and(&mut b_bar_dot)
        .and(&operands)
        .for_each(|a_bar, a_bar_dot, b_bar, b_bar_dot, (a, b)| {
            let (_, pullback) = <A as BinaryRules<Op::Plain, A>>::rrule_frule(*a, *b);
            let (a, b) = pullback(Dual(*a_bar, *a_bar_dot));
            (*a_bar, *a_bar_dot, *b_bar, *b_bar_dot) = (a.0, a.1, b.0, b.1);
        });
    let (of_a, of_b) = (a.raw_dim(), b.raw_dim());
    (
        Dual(shrink(a_bar, &of_a), shrink(a_bar_dot, &of_a)),
        Dual(shrink(b_bar, &of_b), shrink(b_bar_dot, &of_b)),
    )
}

/// A kind of array whose tangents are arrays.
pub trait OwnTangent<A, D>: Differentiable<OwnedTangent = Array<A, D>> {}
impl<A, D, X: Differentiable<OwnedTangent = Array<A, D>>> OwnTangent<A, D> for X {}

/// An operand, as an array: a number is one without axes.
trait Operand {
    /// `f32` or `f64`.
    type Elem: Element;
    /// The kind of shape.
    type Dim: Dimension;
    /// The tangent of the operand.
    type Tangent;

    /// Calls `f` with the array.
    fn with<R>(&self, f: impl FnOnce(&ArrayRef<Self::Elem, Self::Dim>) -> R) -> R;

    /// The array, without a copy where that is possible.
    fn keep(self) -> Array<Self::Elem, Self::Dim>;

    /// A tangent, as an array.
    fn from_tangent(tangent: Self::Tangent) -> Array<Self::Elem, Self::Dim>;

    /// An array, as a tangent.
    fn into_tangent(array: Array<Self::Elem, Self::Dim>) -> Self::Tangent;
}

macro_rules! array_operand {
    ($([$($lifetime:lifetime)?] $t:ty, |$x:ident| $keep:expr;)*) => {$(
        impl<$($lifetime,)? A: Element, S: Storage<Elem = A>, DX: Dimension> Operand for $t {
            type Elem = A;
            type Dim = DX;
            type Tangent = Array<A, DX>;

            #[inline(always)]
            fn with<R>(&self, f: impl FnOnce(&ArrayRef<A, DX>) -> R) -> R {
                f(self)
            }

            #[inline(always)]
            fn keep(self) -> Array<A, DX> {
                let $x = self;
                $keep
            }

            #[inline(always)]
            fn from_tangent(tangent: Array<A, DX>) -> Array<A, DX> {
                tangent
            }

            #[inline(always)]
            fn into_tangent(array: Array<A, DX>) -> Array<A, DX> {
                array
            }
        }
    )*};
}
array_operand! {
    [] ArrayBase<S, DX>, |x| x.into_owned();
    ['x] &'x ArrayBase<S, DX>, |x| x.to_owned();
}

macro_rules! number_operand {
    ($($t:ty)*) => {$(
        impl Operand for $t {
            type Elem = $t;
            type Dim = Ix0;
            type Tangent = $t;

            #[inline(always)]
            fn with<R>(&self, f: impl FnOnce(&ArrayRef<$t, Ix0>) -> R) -> R {
                f(&aview0(self))
            }

            #[inline(always)]
            fn keep(self) -> Array<$t, Ix0> {
                arr0(self)
            }

            #[inline(always)]
            fn from_tangent(tangent: $t) -> Array<$t, Ix0> {
                arr0(tangent)
            }

            #[inline(always)]
            fn into_tangent(array: Array<$t, Ix0>) -> $t {
                array.into_scalar()
            }
        }
    )*};
}
number_operand! { f32 f64 }

/// The rules for two kinds of operands, with the types of their tangents.
macro_rules! operands {
    ($(
        [$($lifetime:lifetime)*] [$($captured:ident)*] [$($bounds:tt)*]
        $A:ty; $left:ty, $D:ty, $a_tan:ty; $right:ty, $E:ty, $b_tan:ty;
    )*) => {$(
        // A pullback holds on to no operand, so callers may use theirs between the two halves.
        #[allow(refining_impl_trait, clippy::type_complexity)]
        #[diagnostic::do_not_recommend]
        impl<$($lifetime,)* $($captured,)* Op: ArrayOp> BinaryRules<Op, $right> for $left
        where
            $A: Element + BinaryRules<Op::Plain, $A, Output = $A>,
            $D: Dimension + DimMax<$E>,
            $E: Dimension,
            $($bounds)*
        {
            type Output = Array<$A, Wide<$D, $E>>;
            type Operands = (crate::ops::Varies, crate::ops::Varies);

            #[inline]
            #[track_caller]
            fn primal(a: $left, b: $right) -> Self::Output {
                Operand::with(&a, |a| Operand::with(&b, |b| primal::<Op, $A, $D, $E>(a, b)))
            }

            #[inline]
            #[track_caller]
            fn frule(
                Dual(a, a_dot): Dual<$left, $a_tan>,
                Dual(b, b_dot): Dual<$right, $b_tan>,
            ) -> D<Self::Output> {
                let (a_dot, b_dot) = (<$left>::from_tangent(a_dot), <$right>::from_tangent(b_dot));
                Operand::with(&a, |a| Operand::with(&b, |b| forward::<Op, $A, $D, $E>(a, &a_dot, b, &b_dot)))
            }

            #[inline]
            #[track_caller]
            fn rrule(
                a: $left,
                b: $right,
            ) -> (
                Array<$A, Wide<$D, $E>>,
                impl FnOnce(Array<$A, Wide<$D, $E>>) -> ($a_tan, $b_tan) + use<$($captured,)* Op>,
            ) {
                let (y, shapes) = Operand::with(&a, |a| {
                    Operand::with(&b, |b| {
                        let shapes = (a.raw_dim(), b.raw_dim());
                        (primal::<Op, $A, $D, $E>(a, b), shapes)
                    })
                });
                let kept = Op::KEEPS.then(|| (a.keep(), b.keep()));
                let pullback = move |y_bar| {
                    let (a_bar, b_bar) = pull::<Op, $A, $D, $E>(y_bar, &kept, &shapes);
                    (<$left>::into_tangent(a_bar), <$right>::into_tangent(b_bar))
                };
                (y, pullback)
            }

            #[inline]
            #[track_caller]
            fn rrule_frule(
                Dual(a, a_dot): Dual<$left, $a_tan>,
                Dual(b, b_dot): Dual<$right, $b_tan>,
            ) -> (
                D<Array<$A, Wide<$D, $E>>>,
                impl FnOnce(D<Array<$A, Wide<$D, $E>>>) -> (D<$a_tan>, D<$b_tan>) + use<$($captured,)* Op>,
            ) {
                let kept = Dual(
                    (a.keep(), b.keep()),
                    (<$left>::from_tangent(a_dot), <$right>::from_tangent(b_dot)),
                );
                let y = {
                    let Dual((a, b), (a_dot, b_dot)) = &kept;
                    forward::<Op, $A, $D, $E>(a, a_dot, b, b_dot)
                };
                let pullback = move |y_bar: D<Array<$A, Wide<$D, $E>>>| {
                    let (Dual(a, a_dot), Dual(b, b_dot)) = pull_dual::<Op, $A, $D, $E>(y_bar, &kept);
                    let a_bar = Dual(<$left>::into_tangent(a), <$left>::into_tangent(a_dot));
                    let b_bar = Dual(<$right>::into_tangent(b), <$right>::into_tangent(b_dot));
                    (a_bar, b_bar)
                };
                (y, pullback)
            }
        }
    )*};
}
operands! {
    [] [A S DA T DB] [S: Storage<Elem = A>, T: Storage<Elem = A>, ArrayBase<S, DA>: OwnTangent<A, DA>, ArrayBase<T, DB>: OwnTangent<A, DB>]
    A; ArrayBase<S, DA>, DA, Array<A, DA>; ArrayBase<T, DB>, DB, Array<A, DB>;

    ['a] [A S DA T DB] [S: Storage<Elem = A>, T: Storage<Elem = A>, ArrayBase<S, DA>: OwnTangent<A, DA>, ArrayBase<T, DB>: OwnTangent<A, DB>]
    A; &'a ArrayBase<S, DA>, DA, Array<A, DA>; ArrayBase<T, DB>, DB, Array<A, DB>;

    ['b] [A S DA T DB] [S: Storage<Elem = A>, T: Storage<Elem = A>, ArrayBase<S, DA>: OwnTangent<A, DA>, ArrayBase<T, DB>: OwnTangent<A, DB>]
    A; ArrayBase<S, DA>, DA, Array<A, DA>; &'b ArrayBase<T, DB>, DB, Array<A, DB>;

    ['a 'b] [A S DA T DB] [S: Storage<Elem = A>, T: Storage<Elem = A>, ArrayBase<S, DA>: OwnTangent<A, DA>, ArrayBase<T, DB>: OwnTangent<A, DB>]
    A; &'a ArrayBase<S, DA>, DA, Array<A, DA>; &'b ArrayBase<T, DB>, DB, Array<A, DB>;
}
macro_rules! with_numbers {
    ($($t:ty)*) => {$( operands! {
        [] [S DA] [S: Storage<Elem = $t>, ArrayBase<S, DA>: OwnTangent<$t, DA>] $t; ArrayBase<S, DA>, DA, Array<$t, DA>; $t, Ix0, $t;
        ['a] [S DA] [S: Storage<Elem = $t>, ArrayBase<S, DA>: OwnTangent<$t, DA>] $t; &'a ArrayBase<S, DA>, DA, Array<$t, DA>; $t, Ix0, $t;
        [] [T DB] [T: Storage<Elem = $t>, ArrayBase<T, DB>: OwnTangent<$t, DB>] $t; $t, Ix0, $t; ArrayBase<T, DB>, DB, Array<$t, DB>;
        ['b] [T DB] [T: Storage<Elem = $t>, ArrayBase<T, DB>: OwnTangent<$t, DB>] $t; $t, Ix0, $t; &'b ArrayBase<T, DB>, DB, Array<$t, DB>;
    } )*};
}
with_numbers! { f32 f64 }

// y = -x; x_bar = -y_bar.
macro_rules! negated {
    ($([$($lifetime:lifetime)?] $marker:ty, $t:ty, |$x:ident| $value:expr;)*) => {$(
        #[allow(refining_impl_trait)]
        #[diagnostic::do_not_recommend]
        impl<$($lifetime,)? A: Element, S: Storage<Elem = A>, DX: Dimension> UnaryRules<$marker> for $t
        where
            ArrayBase<S, DX>: OwnTangent<A, DX>,
        {
            type Output = Array<A, DX>;

            #[inline]
            fn primal($x: $t) -> Array<A, DX> {
                $value
            }

            #[inline]
            fn frule(Dual($x, x_dot): Dual<$t, Array<A, DX>>) -> D<Array<A, DX>> {
                Dual($value, -x_dot)
            }

            #[inline]
            fn rrule($x: $t) -> (Array<A, DX>, impl FnOnce(Array<A, DX>) -> Array<A, DX> + use<A, S, DX>) {
                ($value, |y_bar: Array<A, DX>| -y_bar)
            }

            #[inline]
            fn rrule_frule(
                Dual($x, x_dot): Dual<$t, Array<A, DX>>,
            ) -> (D<Array<A, DX>>, impl FnOnce(D<Array<A, DX>>) -> D<Array<A, DX>> + use<A, S, DX>) {
                (Dual($value, -x_dot), |Dual(y_bar, y_bar_dot): D<Array<A, DX>>| Dual(-y_bar, -y_bar_dot))
            }
        }
    )*};
}
negated! {
    [] NegOp, ArrayBase<S, DX>, |x| -x.into_owned();
    [] LeftByRef<NegOp>, ArrayBase<S, DX>, |x| -x.into_owned();
    ['x] NegOp, &'x ArrayBase<S, DX>, |x| -x.to_owned();
}

//! Indexing of values whose type only rustc can resolve.
//!
//! An element of the user's `m[i]` stands somewhere in `m`, and its tangent at the same place of `m`'s tangent. Where that is,
//! only `m` itself can tell (`data[i * n + j]` needs `n`, which has no tangent). So the macro asks once, in the forward half,
//!
//! ```text
//! let at = Locate(&m, i).at();
//! ```
//!
//! and looks the shadows up with `Whole(&mut m_bar).part(i, at)`. The result tells the kinds of types apart:
//!
//! - a container of std: [`Plain`], which is nothing at all. The shadow is indexed as the value is.
//! - a type with [`IndexRules`], from `#[differentiable]` on the `impl` of `Index`: a pair of closures over the position.
//! - anything else: [`Unlocated`], which is an error unless the shadow is [`NoTangent`].

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::rc::Rc;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::marker::PhantomData;
use core::slice::SliceIndex;

use crate::{Differentiable, Matrix, NoTangent, Tan};

/// Where an element of a value is, as far as its tangents `S` are concerned.
#[diagnostic::on_unimplemented(
    message = "this method returns a reference, and has no derivative rule",
    label = "called on a differentiated value",
    note = "write `#[differentiable]` on the method, or on the `impl` that it stands in; read constants by `stop_gradient(..)`"
)]
pub trait Located<S: ?Sized, I>: Copy {
    /// The tangent of the element.
    type Part: ?Sized;

    /// The tangent of the element in a tangent of the value.
    fn part(self, of: &S, index: I) -> &Self::Part;

    /// As [`part`](Located::part), to be written.
    fn part_mut(self, of: &mut S, index: I) -> &mut Self::Part;
}

/// Where the elements of a type are. `#[differentiable]` on `impl Index<I>` implements it.
#[diagnostic::on_unimplemented(
    message = "no derivative rule for `{Self}` with an index of type `{I}`",
    label = "`{Self}` is indexed in differentiable code",
    note = "write `#[differentiable]` on `impl Index<{I}> for {Self}`"
)]
pub trait IndexRules<I>: Differentiable + Sized {
    /// By which callers that inline the method compare its body.
    const TEXT: u64 = 0;

    /// The tangent of an element.
    type Part: ?Sized;

    /// Where the element is that `index` returns.
    fn locate(&self, index: I) -> impl Located<Tan<Self>, I, Part = Self::Part> + use<Self, I>;
}

/// Where the elements of a type are that are written. `#[differentiable]` on `impl IndexMut<I>` implements it.
#[diagnostic::on_unimplemented(
    message = "no derivative rule for `{Self}` with an index of type `{I}`, where an element is written",
    label = "an element of `{Self}` is written in differentiable code",
    note = "write `#[differentiable]` on `impl IndexMut<{I}> for {Self}`"
)]
pub trait IndexMutRules<I>: Differentiable + Sized {
    /// By which callers that inline the method compare its body.
    const TEXT: u64 = 0;

    /// The tangent of an element.
    type Part: ?Sized;

    /// Where the element is that `index_mut` returns.
    fn locate_mut(&self, index: I) -> impl Located<Tan<Self>, I, Part = Self::Part> + use<Self, I>;
}

/// Containers of std: a tangent has its elements where the value has them.
pub trait PlainIndex<I> {}

/// The elements of a tangent of such a container.
pub trait PlainPart<I> {
    /// An element.
    type Part: ?Sized;
    /// One of them.
    fn plain(&self, index: I) -> &Self::Part;
    /// One of them, to be written.
    fn plain_mut(&mut self, index: I) -> &mut Self::Part;
}

/// Asks a value where an element is. In use as `Locate(&m, i).at()`, or `at_mut()` where the element is written, with
/// [`AtByRules`], [`AtMutByRules`] and [`AtNowhere`] in scope.
pub struct Locate<'a, M: ?Sized, I>(
    /// The value.
    pub &'a M,
    /// The index.
    pub I,
);

impl<M: PlainIndex<I> + ?Sized, I> Locate<'_, M, I> {
    /// Where the value has it.
    #[inline(always)]
    pub fn at(self) -> Plain {
        Plain
    }

    /// Where the value has it.
    #[inline(always)]
    pub fn at_mut(self) -> Plain {
        Plain
    }
}

/// The method for types with rules; found after that of containers.
pub trait AtByRules<M: IndexRules<I>, I> {
    /// Where `index` finds it.
    fn at(self) -> impl Located<Tan<M>, I, Part = M::Part> + use<Self, M, I>;
}

impl<M: IndexRules<I>, I> AtByRules<M, I> for Locate<'_, M, I> {
    #[inline(always)]
    #[allow(refining_impl_trait)]
    fn at(self) -> impl Located<Tan<M>, I, Part = M::Part> + use<M, I> {
        self.0.locate(self.1)
    }
}

// The position is the same behind a reference, and isn't bound to that.
impl<M: IndexRules<I>, I> AtByRules<M, I> for Locate<'_, &M, I> {
    #[inline(always)]
    #[allow(refining_impl_trait)]
    fn at(self) -> impl Located<Tan<M>, I, Part = M::Part> + use<M, I> {
        (*self.0).locate(self.1)
    }
}

/// The method for types with rules; found after that of containers.
pub trait AtMutByRules<M: IndexMutRules<I>, I> {
    /// Where `index_mut` finds it.
    fn at_mut(self) -> impl Located<Tan<M>, I, Part = M::Part> + use<Self, M, I>;
}

impl<M: IndexMutRules<I>, I> AtMutByRules<M, I> for Locate<'_, M, I> {
    #[inline(always)]
    #[allow(refining_impl_trait)]
    fn at_mut(self) -> impl Located<Tan<M>, I, Part = M::Part> + use<M, I> {
        self.0.locate_mut(self.1)
    }
}

/// The methods for everything else, found last.
pub trait AtNowhere<M: ?Sized, I> {
    /// There is nothing to be found in a value without a tangent.
    fn at(&self) -> Unlocated<M, I>;
    /// There is nothing to be found in a value without a tangent.
    fn at_mut(&self) -> UnlocatedMut<M, I>;
}

impl<M: ?Sized, I> AtNowhere<M, I> for Locate<'_, M, I> {
    #[inline(always)]
    fn at(&self) -> Unlocated<M, I> {
        Unlocated(PhantomData)
    }

    #[inline(always)]
    fn at_mut(&self) -> UnlocatedMut<M, I> {
        UnlocatedMut(PhantomData)
    }
}

/// The tangent of a value, or its shadow, of which a part is wanted. In use as `Whole(&mut m_bar).part(i, at)`, with
/// [`AnyWhole`] and [`AnyWholeMut`] in scope.
pub struct Whole<S>(
    /// A reference to it.
    pub S,
);

impl<'a> Whole<&'a NoTangent> {
    /// A part of nothing is nothing.
    #[inline(always)]
    pub fn part<I, L>(self, _: I, _: L) -> &'a NoTangent {
        self.0
    }
}

impl<'a> Whole<&'a mut NoTangent> {
    /// A part of nothing is nothing.
    #[inline(always)]
    pub fn part<I, L>(self, _: I, _: L) -> &'a mut NoTangent {
        self.0
    }
}

// Tangents are never references, so that these are references to tangents.
macro_rules! referred_to {
    ($([$($outer:tt)*] [$($inner:tt)*] $part:ident;)*) => {$(
        #[allow(clippy::mut_mut)] // shadows of parameters that are references
        impl<'a, 'b, S: ?Sized> Whole<$($outer)* $($inner)* S> {
            /// A part of the reference's target.
            #[inline(always)]
            #[track_caller]
            pub fn part<I, L: Located<S, I>>(self, index: I, at: L) -> $($outer)* L::Part {
                at.$part(self.0, index)
            }
        }
    )*};
}
referred_to! {
    [&'a] [&'b] part;
    [&'a] [&'b mut] part;
    [&'a mut] [&'b mut] part_mut;
}

/// The method for all other tangents; found after that above.
pub trait AnyWhole<'a, S: ?Sized> {
    /// The part at a position.
    fn part<I, L: Located<S, I>>(self, index: I, at: L) -> &'a L::Part;
}

impl<'a, S: ?Sized> AnyWhole<'a, S> for Whole<&'a S> {
    #[inline(always)]
    fn part<I, L: Located<S, I>>(self, index: I, at: L) -> &'a L::Part {
        at.part(self.0, index)
    }
}

/// The method for all other shadows; found after that above.
pub trait AnyWholeMut<'a, S: ?Sized> {
    /// The part at a position.
    fn part<I, L: Located<S, I>>(self, index: I, at: L) -> &'a mut L::Part;
}

impl<'a, S: ?Sized> AnyWholeMut<'a, S> for Whole<&'a mut S> {
    #[inline(always)]
    fn part<I, L: Located<S, I>>(self, index: I, at: L) -> &'a mut L::Part {
        at.part_mut(self.0, index)
    }
}

/// The tangent of a value, or its shadow, of whose parts a method returns one. In use as `Lender(&mut m_bar).part(at)`, with
/// [`AnyLender`] and [`AnyLenderMut`] in scope. Methods are found behind pointers.
pub struct Lender<S>(
    /// A reference to it.
    pub S,
);

impl<'a> Lender<&'a NoTangent> {
    /// A part of nothing is nothing.
    #[inline(always)]
    pub fn part<L>(self, _: L) -> &'a NoTangent {
        self.0
    }
}

impl<'a> Lender<&'a mut NoTangent> {
    /// A part of nothing is nothing.
    #[inline(always)]
    pub fn part<L>(self, _: L) -> &'a mut NoTangent {
        self.0
    }
}

macro_rules! lent_behind {
    ($([$($outer:tt)*] $inner:ty, $part:ident;)*) => {$(
        #[allow(clippy::mut_mut)] // shadows of parameters that are references
        impl<'a, S: ?Sized> Lender<$($outer)* $inner> {
            /// A part of the pointer's target.
            #[inline(always)]
            pub fn part<L: Located<S, ()>>(self, at: L) -> $($outer)* L::Part {
                at.$part(self.0, ())
            }
        }
    )*};
}
lent_behind! {
    [&'a] &S, part;
    [&'a] &mut S, part;
    [&'a] Box<S>, part;
    [&'a mut] &mut S, part_mut;
    [&'a mut] Box<S>, part_mut;
}

/// The method for all other tangents; found after those above.
pub trait AnyLender<'a, S: ?Sized> {
    /// The part at a position.
    fn part<L: Located<S, ()>>(self, at: L) -> &'a L::Part;
}

impl<'a, S: ?Sized> AnyLender<'a, S> for Lender<&'a S> {
    #[inline(always)]
    fn part<L: Located<S, ()>>(self, at: L) -> &'a L::Part {
        at.part(self.0, ())
    }
}

/// The method for all other shadows; found after those above.
pub trait AnyLenderMut<'a, S: ?Sized> {
    /// The part at a position.
    fn part<L: Located<S, ()>>(self, at: L) -> &'a mut L::Part;
}

impl<'a, S: ?Sized> AnyLenderMut<'a, S> for Lender<&'a mut S> {
    #[inline(always)]
    fn part<L: Located<S, ()>>(self, at: L) -> &'a mut L::Part {
        at.part_mut(self.0, ())
    }
}

// ---- Positions. --------------------------------------------------------------------------------------------------

/// Where the index says.
#[derive(Clone, Copy, Debug)]
pub struct Plain;

impl<S: PlainPart<I> + ?Sized, I> Located<S, I> for Plain {
    type Part = S::Part;

    #[inline(always)]
    #[track_caller]
    fn part(self, of: &S, index: I) -> &S::Part {
        of.plain(index)
    }

    #[inline(always)]
    #[track_caller]
    fn part_mut(self, of: &mut S, index: I) -> &mut S::Part {
        of.plain_mut(index)
    }
}

/// Two closures find it, which hold the needed parts of the index and of the value.
pub struct Projection<P: ?Sized, F, G>(F, G, PhantomData<fn() -> PhantomData<P>>);

impl<P: ?Sized, F: Clone, G: Clone> Clone for Projection<P, F, G> {
    #[inline(always)]
    fn clone(&self) -> Self {
        Projection(self.0.clone(), self.1.clone(), PhantomData)
    }
}

impl<P: ?Sized, F: Copy, G: Copy> Copy for Projection<P, F, G> {}

/// A projection of the tangents `S`.
#[inline(always)]
pub fn projection<S, P, F, G>(shared: F, unique: G) -> Projection<P, F, G>
where
    P: ?Sized,
    F: Fn(&S) -> &P + Copy,
    G: Fn(&mut S) -> &mut P + Copy,
{
    Projection(shared, unique, PhantomData)
}

impl<S, P, F, G, I> Located<S, I> for Projection<P, F, G>
where
    P: ?Sized,
    F: Fn(&S) -> &P + Copy,
    G: Fn(&mut S) -> &mut P + Copy,
{
    type Part = P;

    #[inline(always)]
    #[track_caller]
    fn part(self, of: &S, _: I) -> &P {
        (self.0)(of)
    }

    #[inline(always)]
    #[track_caller]
    fn part_mut(self, of: &mut S, _: I) -> &mut P {
        (self.1)(of)
    }
}

/// Where one of the sides of a branch finds it.
#[derive(Clone, Copy, Debug)]
pub enum Choice<A, B> {
    /// The first side ran.
    First(A),
    /// Another side ran.
    Rest(B),
}

impl<S: ?Sized, I, A, B> Located<S, I> for Choice<A, B>
where
    A: Located<S, I>,
    B: Located<S, I, Part = A::Part>,
{
    type Part = A::Part;

    #[inline(always)]
    #[track_caller]
    fn part(self, of: &S, index: I) -> &A::Part {
        match self {
            Choice::First(at) => at.part(of, index),
            Choice::Rest(at) => at.part(of, index),
        }
    }

    #[inline(always)]
    #[track_caller]
    fn part_mut(self, of: &mut S, index: I) -> &mut A::Part {
        match self {
            Choice::First(at) => at.part_mut(of, index),
            Choice::Rest(at) => at.part_mut(of, index),
        }
    }
}

/// Behind a pointer.
#[derive(Clone, Copy, Debug)]
pub struct Behind<L>(L);

impl<S, I, L: Located<S, I>> Located<Box<S>, I> for Behind<L> {
    type Part = L::Part;

    #[inline(always)]
    #[track_caller]
    fn part(self, of: &Box<S>, index: I) -> &L::Part {
        self.0.part(of, index)
    }

    #[inline(always)]
    #[track_caller]
    fn part_mut(self, of: &mut Box<S>, index: I) -> &mut L::Part {
        self.0.part_mut(of, index)
    }
}

macro_rules! unlocated {
    ($($name:ident $rules:ident;)*) => {$(
        /// Nobody knows where. That is an error, unless there are no tangents.
        pub struct $name<M: ?Sized, I>(PhantomData<fn() -> (PhantomData<M>, I)>);

        impl<M: ?Sized, I> Clone for $name<M, I> {
            #[inline(always)]
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<M: ?Sized, I> Copy for $name<M, I> {}

        // With rules this type would never have come up: the bound is there for its message.
        impl<S: ?Sized, M: $rules<I>, I> Located<S, I> for $name<M, I> {
            type Part = M::Part;

            fn part(self, _: &S, _: I) -> &M::Part {
                unreachable!()
            }

            fn part_mut(self, _: &mut S, _: I) -> &mut M::Part {
                unreachable!()
            }
        }
    )*};
}
unlocated! {
    Unlocated IndexRules;
    UnlocatedMut IndexMutRules;
}

/// A method has no rule that says where the part is that it returns a reference to. That is an error, unless there are no tangents.
pub struct NoPart<M: ?Sized>(PhantomData<fn() -> PhantomData<M>>);

impl<M: ?Sized> NoPart<M> {
    /// The result of the macro's fallback for a method of `M`.
    #[allow(clippy::new_without_default)]
    #[inline(always)]
    pub fn new() -> Self {
        NoPart(PhantomData)
    }
}

impl<M: ?Sized> Clone for NoPart<M> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<M: ?Sized> Copy for NoPart<M> {}

/// A tangent that has a part of type `P`: itself, or as a slice. A constant has none.
#[diagnostic::on_unimplemented(
    message = "this method returns a reference to what is constant",
    label = "a part of the tangent has type `{P}`, and what is constant has none",
    note = "move the method to an `impl` without `#[differentiable]`, and read it by `stop_gradient(..)`"
)]
pub trait Holds<P: ?Sized> {
    /// The part.
    fn held(&self) -> &P;
    /// The part, to be written.
    fn held_mut(&mut self) -> &mut P;
}

/// The part of type `P`.
#[inline(always)]
pub fn held<S: Holds<P> + ?Sized, P: ?Sized>(whole: &S) -> &P {
    whole.held()
}

/// The part of type `P`, to be written.
#[inline(always)]
pub fn held_mut<S: Holds<P> + ?Sized, P: ?Sized>(whole: &mut S) -> &mut P {
    whole.held_mut()
}

impl<P: ?Sized> Holds<P> for P {
    #[inline(always)]
    fn held(&self) -> &P {
        self
    }

    #[inline(always)]
    fn held_mut(&mut self) -> &mut P {
        self
    }
}

macro_rules! holds {
    ($([$($generics:tt)*] $whole:ty => $part:ty;)*) => {$(
        impl<$($generics)*> Holds<$part> for $whole {
            #[inline(always)]
            fn held(&self) -> &$part {
                self
            }

            #[inline(always)]
            fn held_mut(&mut self) -> &mut $part {
                self
            }
        }
    )*};
}
holds! {
    [T] Vec<T> => [T];
    [T, const N: usize] [T; N] => [T];
    [T: ?Sized] Box<T> => T;
}

// ---- Containers and pointers of std. -------------------------------------------------------------------------------

macro_rules! plain {
    ($([$($generics:tt)*] $container:ty, $index:ty => $part:ty;)*) => {$(
        impl<$($generics)*> PlainIndex<$index> for $container {}

        impl<$($generics)*> PlainPart<$index> for $container {
            type Part = $part;

            #[inline(always)]
            #[track_caller]
            fn plain(&self, index: $index) -> &$part {
                &self[index]
            }

            #[inline(always)]
            #[track_caller]
            fn plain_mut(&mut self, index: $index) -> &mut $part {
                &mut self[index]
            }
        }
    )*};
}
plain! {
    [T, I: SliceIndex<[T]>] [T], I => I::Output;
    [T, I: SliceIndex<[T]>] Vec<T>, I => I::Output;
    [T, I: SliceIndex<[T]>, const N: usize] [T; N], I => I::Output;
    [T] VecDeque<T>, usize => T;
    [] Matrix, (usize, usize) => f64;
}

impl<S: PlainPart<I> + ?Sized, I> PlainPart<I> for Box<S> {
    type Part = S::Part;

    #[inline(always)]
    #[track_caller]
    fn plain(&self, index: I) -> &S::Part {
        (**self).plain(index)
    }

    #[inline(always)]
    #[track_caller]
    fn plain_mut(&mut self, index: I) -> &mut S::Part {
        (**self).plain_mut(index)
    }
}

macro_rules! pointer {
    ($($pointer:ident)*) => {$(
        impl<M: PlainIndex<I> + ?Sized, I> PlainIndex<I> for $pointer<M> {}

        impl<M: IndexRules<I>, I> IndexRules<I> for $pointer<M> {
            type Part = M::Part;

            #[inline(always)]
            fn locate(&self, index: I) -> impl Located<Box<Tan<M>>, I, Part = M::Part> + use<M, I> {
                Behind((**self).locate(index))
            }
        }
    )*};
}
pointer! { Box Rc Arc }

impl<M: IndexMutRules<I>, I> IndexMutRules<I> for Box<M> {
    type Part = M::Part;

    #[inline(always)]
    fn locate_mut(&self, index: I) -> impl Located<Box<Tan<M>>, I, Part = M::Part> + use<M, I> {
        Behind((**self).locate_mut(index))
    }
}

impl<M: PlainIndex<I> + ?Sized, I> PlainIndex<I> for &M {}

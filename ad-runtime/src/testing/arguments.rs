//! Arguments of a function under test. Each is held with a tangent, a shadow and the shadow's tangent, and has the forms in
//! which rules take it; the modes of the function select the form of each argument.

use alloc::borrow::ToOwned;
use alloc::vec::Vec;
use core::borrow::{Borrow, BorrowMut};

use super::call::{NoShadow, Shadow};
use crate::mode::{Const, ConstMut, ConstRef, Mut, Owned, Ref};
use crate::{CoDual, Component, Components, Differentiable, Dual, Place, Tan, Tangent};

/// Numbers that are taken one after the other.
#[derive(Debug)]
pub struct Feed<'a>(pub(super) core::slice::Iter<'a, f64>);

impl<'a> Feed<'a> {
    pub(super) fn new(numbers: &'a [f64]) -> Self {
        Feed(numbers.iter())
    }

    fn next(&mut self) -> f64 {
        *self.0.next().expect("as many numbers as entries")
    }

    pub(super) fn fill<T: Tangent + ?Sized>(&mut self, tangent: &mut T) {
        tangent.map_entries(&mut |_| self.next());
    }
}

/// Appends the entries of a tangent.
pub(super) fn read<T: Tangent + ?Sized>(tangent: &T, out: &mut Vec<f64>) {
    tangent.entries(&mut |entry| out.push(entry));
}

/// How an argument is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passed {
    /// By value: its cotangent is returned.
    Owned,
    /// As `&T`: its shadow is added to.
    Shared,
    /// As `&mut T`: its final content is a result, too.
    Unique,
    /// Not differentiated.
    Constant,
}

/// Which tangent of an argument is meant.
#[derive(Clone, Copy, Debug)]
pub enum Part {
    /// The tangent.
    Dot,
    /// The shadow.
    Bar,
    /// The shadow's tangent.
    BarDot,
}

/// The common interface of all arguments.
pub trait Argument {
    /// How it is passed.
    const PASSED: Passed;

    /// The same argument as at first, with zeros for tangents.
    #[must_use]
    fn fresh(&self) -> Self;

    /// Visits its components.
    fn visit(&self, visit: &mut dyn FnMut(&Place<'_>, Component));

    /// Moves it by the numbers of `by` for each entry.
    fn shift(&mut self, by: &mut Feed<'_>);

    /// Overwrites one of its tangents.
    fn fill(&mut self, part: Part, feed: &mut Feed<'_>);

    /// Appends the entries of one of its tangents.
    fn read(&self, part: Part, out: &mut Vec<f64>);

    /// Makes shadows of the shape that it has now.
    fn reshape(&mut self);
}

/// A value with all of its tangents.
struct Store<T: Differentiable + ToOwned + ?Sized> {
    initial: T::Owned,
    x: T::Owned,
    dot: Tan<T>,
    bar: Tan<T>,
    bar_dot: Tan<T>,
}

impl<T: Differentiable + ToOwned + ?Sized> Store<T>
where
    T::Owned: BorrowMut<T>,
{
    fn new(x: &T) -> Self {
        Store {
            initial: x.to_owned(),
            x: x.to_owned(),
            dot: x.zero_tangent(),
            bar: x.zero_tangent(),
            bar_dot: x.zero_tangent(),
        }
    }
}

/// Implements [`Argument`] for types that are a [`Store`] inside.
macro_rules! stored {
    ($($(#[$doc:meta])* $name:ident [$($sized:tt)*] $mode:ident $passed:ident;)*) => {$(
        $(#[$doc])*
        pub struct $name<T: Differentiable + ToOwned $($sized)*>(Store<T>);

        impl<T: Differentiable + ToOwned $($sized)*> Argument for $name<T>
        where
            T::Owned: BorrowMut<T>,
        {
            const PASSED: Passed = Passed::$passed;

            fn fresh(&self) -> Self {
                $name(Store::new(self.0.initial.borrow()))
            }

            fn visit(&self, visit: &mut dyn FnMut(&Place<'_>, Component)) {
                let x: &T = self.0.x.borrow();
                x.visit_components(&mut Components::new(visit));
            }

            fn shift(&mut self, by: &mut Feed<'_>) {
                let mut step = self.0.dot.zero_tangent();
                by.fill(&mut step);
                let mut still = true;
                step.entries(&mut |entry| still &= entry == 0.0);
                // An argument that isn't moved may be shared.
                if !still {
                    let x: &mut T = self.0.x.borrow_mut();
                    x.add_tangent(step.borrow());
                }
            }

            fn fill(&mut self, part: Part, feed: &mut Feed<'_>) {
                feed.fill(match part {
                    Part::Dot => &mut self.0.dot,
                    Part::Bar => &mut self.0.bar,
                    Part::BarDot => &mut self.0.bar_dot,
                });
            }

            fn read(&self, part: Part, out: &mut Vec<f64>) {
                read(
                    match part {
                        Part::Dot => &self.0.dot,
                        Part::Bar => &self.0.bar,
                        Part::BarDot => &self.0.bar_dot,
                    },
                    out,
                );
            }

            fn reshape(&mut self) {
                let x: &T = self.0.x.borrow();
                self.0.bar = x.zero_tangent();
                self.0.bar_dot = x.zero_tangent();
            }
        }
    )*};
}
stored! {
    /// Passed by value.
    OwnedArgument [] Owned Owned;
    /// Passed as `&T`.
    SharedArgument [+ ?Sized] Ref Shared;
    /// Passed as `&mut T`.
    UniqueArgument [+ ?Sized] Mut Unique;
}

impl<T: Differentiable + Clone> Owned<T> {
    /// Holds an argument of this mode.
    pub fn hold(&self, x: T) -> OwnedArgument<T> {
        OwnedArgument(Store::new(&x))
    }
}

impl<T: Differentiable + ToOwned + ?Sized> Ref<T>
where
    T::Owned: BorrowMut<T>,
{
    /// Holds an argument of this mode.
    pub fn hold(&self, x: &T) -> SharedArgument<T> {
        SharedArgument(Store::new(x))
    }
}

impl<T: Differentiable + ToOwned + ?Sized> Mut<T>
where
    T::Owned: BorrowMut<T>,
{
    /// Holds an argument of this mode.
    pub fn hold(&self, x: &mut T) -> UniqueArgument<T> {
        UniqueArgument(Store::new(x))
    }
}

#[allow(
    clippy::unused_self,
    reason = "arguments of all kinds have the same methods"
)]
impl<T: Differentiable + Clone> OwnedArgument<T> {
    /// The argument of the function.
    pub fn primal(&mut self) -> T {
        self.0.x.clone()
    }

    /// The argument of a forward rule.
    pub fn dual(&mut self) -> Dual<T, Tan<T>> {
        Dual(self.0.x.clone(), self.0.dot.clone())
    }

    /// The argument of a pullback.
    pub fn pull(&mut self) {}

    /// Keeps the cotangent that a pullback returned.
    pub fn take(&mut self, x_bar: Tan<T>) {
        self.0.bar = x_bar;
    }

    /// The argument of a pullback of second order.
    pub fn pull_dual(&mut self) {}

    /// Keeps the cotangent that a pullback of second order returned.
    pub fn take_dual(&mut self, Dual(x_bar, x_bar_dot): Dual<Tan<T>, Tan<T>>) {
        (self.0.bar, self.0.bar_dot) = (x_bar, x_bar_dot);
    }

    /// The arguments of the combined rule: the value, and its shadow.
    pub fn both(&mut self) -> (T, Shadow<&mut T::Tangent>) {
        (self.0.x.clone(), Shadow(self.0.bar.borrow_mut()))
    }

    /// The same in second order.
    #[allow(clippy::type_complexity, reason = "the shapes of rules")]
    pub fn both_dual(
        &mut self,
    ) -> (
        Dual<T, Tan<T>>,
        Shadow<Dual<&mut T::Tangent, &mut T::Tangent>>,
    ) {
        (
            Dual(self.0.x.clone(), self.0.dot.clone()),
            Shadow(Dual(self.0.bar.borrow_mut(), self.0.bar_dot.borrow_mut())),
        )
    }
}

/// The forms of an argument that is a reference: `&x` or `&mut x`.
macro_rules! reference {
    ($name:ident, [$($mutability:tt)?], $borrow:ident) => {
        impl<T: Differentiable + ToOwned + ?Sized> $name<T>
        where
            T::Owned: BorrowMut<T>,
        {
            /// The argument of the function.
            pub fn primal(&mut self) -> &$($mutability)? T {
                self.0.x.$borrow()
            }

            /// The argument of a forward rule.
            pub fn dual(&mut self) -> Dual<&$($mutability)? T, &$($mutability)? T::Tangent> {
                Dual(self.0.x.$borrow(), self.0.dot.$borrow())
            }

            /// The argument of a pullback.
            pub fn pull(&mut self) -> CoDual<&$($mutability)? T, &mut T::Tangent> {
                CoDual(self.0.x.$borrow(), self.0.bar.borrow_mut())
            }

            /// A pullback returns nothing.
            pub fn take(&mut self, (): ()) {}

            /// The argument of a pullback of second order.
            #[allow(clippy::type_complexity, reason = "the shapes of rules")]
            pub fn pull_dual(
                &mut self,
            ) -> CoDual<
                Dual<&$($mutability)? T, &$($mutability)? T::Tangent>,
                Dual<&mut T::Tangent, &mut T::Tangent>,
            > {
                CoDual(
                    Dual(self.0.x.$borrow(), self.0.dot.$borrow()),
                    Dual(self.0.bar.borrow_mut(), self.0.bar_dot.borrow_mut()),
                )
            }

            /// A pullback of second order returns nothing.
            pub fn take_dual(&mut self, (): ()) {}

            /// The arguments of the combined rule: the value, and its shadow.
            pub fn both(&mut self) -> (&$($mutability)? T, Shadow<&mut T::Tangent>) {
                (self.0.x.$borrow(), Shadow(self.0.bar.borrow_mut()))
            }

            /// The same in second order.
            #[allow(clippy::type_complexity, reason = "the shapes of rules")]
            pub fn both_dual(
                &mut self,
            ) -> (
                Dual<&$($mutability)? T, &$($mutability)? T::Tangent>,
                Shadow<Dual<&mut T::Tangent, &mut T::Tangent>>,
            ) {
                (
                    Dual(self.0.x.$borrow(), self.0.dot.$borrow()),
                    Shadow(Dual(self.0.bar.borrow_mut(), self.0.bar_dot.borrow_mut())),
                )
            }
        }
    };
}
reference!(SharedArgument, [], borrow);
reference!(UniqueArgument, [mut], borrow_mut);

/// Constant, passed by value.
pub struct ConstantArgument<T>(T);
/// Constant, passed as `&T`.
pub struct ConstantShared<'a, T: ?Sized>(&'a T);
/// Constant, passed as `&mut T`: each use starts from the same state.
pub struct ConstantUnique<T: ToOwned + ?Sized>(T::Owned, T::Owned);

impl<T: Clone> Const<T> {
    /// Holds an argument of this mode.
    pub fn hold(&self, x: T) -> ConstantArgument<T> {
        ConstantArgument(x)
    }
}

impl<T: ?Sized> ConstRef<T> {
    /// Holds an argument of this mode.
    pub fn hold<'a>(&self, x: &'a T) -> ConstantShared<'a, T> {
        ConstantShared(x)
    }
}

impl<T: ToOwned + ?Sized> ConstMut<T> {
    /// Holds an argument of this mode.
    pub fn hold(&self, x: &mut T) -> ConstantUnique<T> {
        ConstantUnique((*x).to_owned(), (*x).to_owned())
    }
}

/// Constants have no entries, and one form.
macro_rules! constant {
    ([$($generics:tt)*] $name:ty $(where [$($bound:tt)*])?, $primal:ty, $pull:ty, |$this:ident| $fresh:expr, $expr:expr, $given:expr) => {
        impl<$($generics)*> Argument for $name $(where $($bound)*)? {
            const PASSED: Passed = Passed::Constant;

            fn fresh(&self) -> Self {
                let $this = self;
                $fresh
            }

            fn visit(&self, _: &mut dyn FnMut(&Place<'_>, Component)) {}

            fn shift(&mut self, _: &mut Feed<'_>) {}

            fn fill(&mut self, _: Part, _: &mut Feed<'_>) {}

            fn read(&self, _: Part, _: &mut Vec<f64>) {}

            fn reshape(&mut self) {}
        }

        #[allow(clippy::unused_unit, clippy::semicolon_if_nothing_returned, reason = "some give nothing")]
        impl<$($generics)*> $name $(where $($bound)*)? {
            /// The argument of the function.
            pub fn primal(&mut self) -> $primal {
                let $this = self;
                $expr
            }

            /// The argument of a forward rule.
            pub fn dual(&mut self) -> $primal {
                let $this = self;
                $expr
            }

            /// The argument of a pullback.
            pub fn pull(&mut self) -> $pull {
                let $this = self;
                $given
            }

            /// A pullback returns nothing.
            pub fn take(&mut self, (): ()) {}

            /// The argument of a pullback of second order.
            pub fn pull_dual(&mut self) -> $pull {
                let $this = self;
                $given
            }

            /// A pullback of second order returns nothing.
            pub fn take_dual(&mut self, (): ()) {}

            /// The arguments of the combined rule: the value alone.
            pub fn both(&mut self) -> ($primal, NoShadow) {
                let $this = self;
                ($expr, NoShadow)
            }

            /// The same in second order.
            pub fn both_dual(&mut self) -> ($primal, NoShadow) {
                let $this = self;
                ($expr, NoShadow)
            }
        }
    };
}
constant!([T: Clone] ConstantArgument<T>, T, (), |this| ConstantArgument(this.0.clone()), this.0.clone(), { let _ = this; });
constant!(['a, T: ?Sized] ConstantShared<'a, T>, &'a T, &'a T, |this| ConstantShared(this.0), this.0, this.0);
constant!(
    [T: ToOwned + ?Sized] ConstantUnique<T> where [T::Owned: BorrowMut<T>], &mut T, (),
    |this| ConstantUnique(this.0.borrow().to_owned(), this.0.borrow().to_owned()), this.1.borrow_mut(), { let _ = this; }
);

/// All arguments of a call: `(a, (b, ()))`.
pub trait Arguments {
    /// The same arguments as at first.
    #[must_use]
    fn fresh(&self) -> Self;

    /// Hands over each argument, first to last.
    fn each(&self, visit: &mut dyn FnMut(usize, Passed, &dyn ArgumentView));

    /// Hands over each argument, first to last.
    fn each_mut(&mut self, visit: &mut dyn FnMut(usize, Passed, &mut dyn ArgumentView));
}

/// [`Argument`], without the parts that a trait object can't have.
pub trait ArgumentView {
    /// As [`Argument::visit`].
    fn visit(&self, visit: &mut dyn FnMut(&Place<'_>, Component));
    /// As [`Argument::shift`].
    fn shift(&mut self, by: &mut Feed<'_>);
    /// As [`Argument::fill`].
    fn fill(&mut self, part: Part, feed: &mut Feed<'_>);
    /// As [`Argument::read`].
    fn read(&self, part: Part, out: &mut Vec<f64>);
    /// As [`Argument::reshape`].
    fn reshape(&mut self);
}

impl<A: Argument> ArgumentView for A {
    fn visit(&self, visit: &mut dyn FnMut(&Place<'_>, Component)) {
        Argument::visit(self, visit);
    }

    fn shift(&mut self, by: &mut Feed<'_>) {
        Argument::shift(self, by);
    }

    fn fill(&mut self, part: Part, feed: &mut Feed<'_>) {
        Argument::fill(self, part, feed);
    }

    fn read(&self, part: Part, out: &mut Vec<f64>) {
        Argument::read(self, part, out);
    }

    fn reshape(&mut self) {
        Argument::reshape(self);
    }
}

impl Arguments for () {
    fn fresh(&self) {}

    fn each(&self, _: &mut dyn FnMut(usize, Passed, &dyn ArgumentView)) {}

    fn each_mut(&mut self, _: &mut dyn FnMut(usize, Passed, &mut dyn ArgumentView)) {}
}

impl<A: Argument, Rest: Arguments> Arguments for (A, Rest) {
    fn fresh(&self) -> Self {
        (self.0.fresh(), self.1.fresh())
    }

    fn each(&self, visit: &mut dyn FnMut(usize, Passed, &dyn ArgumentView)) {
        visit(0, A::PASSED, &self.0);
        self.1
            .each(&mut |i, passed, argument| visit(i + 1, passed, argument));
    }

    fn each_mut(&mut self, visit: &mut dyn FnMut(usize, Passed, &mut dyn ArgumentView)) {
        visit(0, A::PASSED, &mut self.0);
        self.1
            .each_mut(&mut |i, passed, argument| visit(i + 1, passed, argument));
    }
}

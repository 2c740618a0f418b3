//! Tangents of fields. A struct's `#[constant]` field has the tangent `NoTangent`, whatever its type: a load returns a
//! zero tangent then, and a cotangent is dropped. The macro sees no fields, so method resolution decides.

use alloc::boxed::Box;
use core::borrow::{Borrow, BorrowMut};
use core::cell::OnceCell;
use core::marker::PhantomData;
use core::ops::{Deref, DerefMut, Index, IndexMut};

use crate::ops::InactiveTangent;
use crate::{Differentiable, NoTangent, Tan, Tangent};

/// The tangent of a field that has been loaded. In use as `FieldTangent(x_dot.a, &a).tangent()`, with [`AnyFieldTangent`] in scope.
#[derive(Debug)]
pub struct FieldTangent<'x, S, T: ?Sized>(
    /// The field of the tangent.
    pub S,
    /// The field.
    pub &'x T,
);

impl<T: Differentiable + ?Sized> FieldTangent<'_, NoTangent, T> {
    /// The field is constant, or has no tangent: zero.
    #[inline(always)]
    pub fn tangent(self) -> Tan<T> {
        self.1.zero_tangent()
    }
}

/// The method for all other fields, and for constant ones whose type has no tangent; found after the one above.
pub trait AnyFieldTangent<S>: Sized {
    /// The tangent itself.
    fn tangent(self) -> S;
}

impl<S, T: ?Sized> AnyFieldTangent<S> for FieldTangent<'_, S, T> {
    #[inline(always)]
    fn tangent(self) -> S {
        self.0
    }
}

/// The tangent or shadow of a field, which is written. In use as `FieldShadow(&mut x_bar.a).add(g)`, with [`AnyField`] in
/// scope.
#[derive(Debug)]
pub struct FieldShadow<'a, S: ?Sized>(
    /// The field of the shadow.
    pub &'a mut S,
);

impl FieldShadow<'_, NoTangent> {
    /// The field is constant, or has no tangent: nothing is added.
    #[inline(always)]
    pub fn add<S>(self, _: S) {}

    /// The field is constant, or has no tangent: nothing is kept.
    #[inline(always)]
    pub fn set<S>(self, _: S) {}

    /// The field is constant, or has no tangent: it takes only inactive values.
    #[inline(always)]
    pub fn keep<S: InactiveTangent>(self, _: S) {}

    /// The field is constant, or has no tangent: the old value is a zero.
    #[inline(always)]
    pub fn replace<S>(self, zero: S) -> S {
        zero
    }
}

/// A field and its tangent or shadow, which a rule borrows. In use as `Lent(&x.a, &x_dot.a).tangent()`, with [`AnyLent`] in
/// scope: a pointer that can be passed to the rule.
#[derive(Debug)]
pub struct Lent<'a, T: ?Sized, S>(
    /// The field.
    pub &'a T,
    /// A reference to the field of the tangent.
    pub S,
);

impl<'a, T: Differentiable + ?Sized> Lent<'a, T, &NoTangent> {
    /// The field is constant: a zero, if one is asked for.
    #[inline(always)]
    #[must_use]
    pub fn tangent(self) -> ZeroTangent<'a, T> {
        ZeroTangent::of(self.0)
    }
}

impl<'a, T: Differentiable + ?Sized> Lent<'a, T, &mut NoTangent> {
    /// The field is constant: a zero, if one is asked for. Writes to it are dropped.
    #[inline(always)]
    #[must_use]
    pub fn tangent(self) -> ZeroTangent<'a, T> {
        ZeroTangent::of(self.0)
    }

    /// The same where the field itself is borrowed uniquely at the same time: a zero in any case.
    #[inline(always)]
    #[must_use]
    pub fn tangent_mut(self) -> OwnZero<T> {
        OwnZero(self.0.zero_tangent())
    }
}

/// Replaces the tangent of a constant field: a zero, made when it is asked for.
pub struct ZeroTangent<'a, T: Differentiable + ?Sized> {
    of: &'a T,
    zero: OnceCell<Tan<T>>,
}

impl<'a, T: Differentiable + ?Sized> ZeroTangent<'a, T> {
    #[inline(always)]
    fn of(of: &'a T) -> Self {
        ZeroTangent {
            of,
            zero: OnceCell::new(),
        }
    }
}

impl<T: Differentiable + ?Sized> Deref for ZeroTangent<'_, T> {
    type Target = T::Tangent;

    #[inline(always)]
    fn deref(&self) -> &T::Tangent {
        self.zero.get_or_init(|| self.of.zero_tangent()).borrow()
    }
}

impl<T: Differentiable + ?Sized> DerefMut for ZeroTangent<'_, T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T::Tangent {
        if self.zero.get().is_none() {
            self.zero = OnceCell::from(self.of.zero_tangent());
        }
        match self.zero.get_mut() {
            Some(zero) => zero.borrow_mut(),
            None => unreachable!("it has just been made"),
        }
    }
}

/// Replaces the tangent of a constant field that is borrowed uniquely.
pub struct OwnZero<T: Differentiable + ?Sized>(Tan<T>);

impl<T: Differentiable + ?Sized> Deref for OwnZero<T> {
    type Target = T::Tangent;

    #[inline(always)]
    fn deref(&self) -> &T::Tangent {
        self.0.borrow()
    }
}

impl<T: Differentiable + ?Sized> DerefMut for OwnZero<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T::Tangent {
        self.0.borrow_mut()
    }
}

/// The methods for all other fields, and for those whose type has no tangent; found after those above.
pub trait AnyLent<S>: Sized {
    /// The tangent itself.
    fn tangent(self) -> S;

    /// The tangent itself.
    #[inline(always)]
    fn tangent_mut(self) -> S {
        self.tangent()
    }
}

impl<T: ?Sized, S> AnyLent<S> for Lent<'_, T, S> {
    #[inline(always)]
    fn tangent(self) -> S {
        self.1
    }
}

/// The tangent of a field, of which a part is wanted. In use as `Inside(&mut x_bar.a).or(fields).b`, with [`AnyInside`] in
/// scope.
#[derive(Debug)]
pub struct Inside<S>(
    /// A reference to the field of the tangent.
    pub S,
);

impl Inside<&NoTangent> {
    /// The field is constant: a stand-in, whose parts have no tangent.
    #[inline(always)]
    pub fn or<C>(self, stand_in: C) -> &'static C {
        Box::leak(Box::new(stand_in)) // without size, so that nothing is allocated
    }
}

impl Inside<&mut NoTangent> {
    /// The field is constant: a stand-in, whose parts have no tangent.
    #[inline(always)]
    pub fn or<C>(self, stand_in: C) -> &'static mut C {
        Box::leak(Box::new(stand_in)) // without size, so that nothing is allocated
    }
}

/// The payloads of std's types.
macro_rules! parts {
    ($($name:ident: [$($params:ident),*] $field:ty => $part:ty, |$of:ident| $get:expr;)*) => {$(
        impl Inside<&NoTangent> {
            /// The field is constant, and so is its payload.
            #[inline(always)]
            pub fn $name(self) -> &'static NoTangent {
                &NoTangent
            }
        }

        impl Inside<&mut NoTangent> {
            /// The field is constant, and so is its payload.
            #[inline(always)]
            pub fn $name(self) -> &'static mut NoTangent {
                Box::leak(Box::new(NoTangent)) // without size, so that nothing is allocated
            }
        }

        impl<'a, $($params),*> Inside<&'a $field> {
            /// The tangent of the payload.
            #[inline(always)]
            pub fn $name(self) -> &'a $part {
                let $of = self.0;
                $get
            }
        }

        impl<'a, $($params),*> Inside<&'a mut $field> {
            /// The tangent of the payload.
            #[inline(always)]
            pub fn $name(self) -> &'a mut $part {
                let $of = self.0;
                $get
            }
        }
    )*};
}
parts! {
    some: [T] Option<T> => T, |of| match of { Some(part) => part, None => unreachable!() };
    ok: [T, E] Result<T, E> => T, |of| match of { Ok(part) => part, Err(_) => unreachable!() };
    err: [T, E] Result<T, E> => E, |of| match of { Err(part) => part, Ok(_) => unreachable!() };
    boxed: [T] Box<T> => T, |of| of;
}

/// The method for all other fields; found after those above.
pub trait AnyInside: Sized {
    /// The field, or a reference to it.
    type Field;

    /// The field itself.
    fn or<C>(self, _: C) -> Self::Field;
}

impl<S> AnyInside for Inside<S> {
    type Field = S;

    #[inline(always)]
    fn or<C>(self, _: C) -> S {
        self.0
    }
}

// A part of a constant field that is indexed is constant too.

impl<I> Index<I> for NoTangent {
    type Output = NoTangent;

    #[inline(always)]
    fn index(&self, _: I) -> &NoTangent {
        self
    }
}

impl<I> IndexMut<I> for NoTangent {
    #[inline(always)]
    fn index_mut(&mut self, _: I) -> &mut NoTangent {
        self
    }
}

/// The methods for all other fields; found after those above.
pub trait AnyField<S>: Sized {
    /// Adds a cotangent.
    #[inline(always)]
    #[track_caller]
    fn add(self, g: S)
    where
        Self: AddToShadow<S>,
    {
        self.add_to_shadow(g);
    }

    /// Overwrites it.
    #[inline(always)]
    fn set(self, g: S)
    where
        Self: IntoShadow<S>,
    {
        drop(self.replace(g));
    }

    /// Overwrites it with a value that may be active.
    #[inline(always)]
    fn keep(self, g: S)
    where
        Self: IntoShadow<S>,
    {
        self.set(g);
    }

    /// Overwrites it. Returns the old value.
    #[inline(always)]
    fn replace(self, g: S) -> S
    where
        Self: IntoShadow<S>,
    {
        core::mem::replace(self.into_place(), g)
    }
}

/// A shadow that is there, and takes cotangents of this type.
pub trait AddToShadow<S> {
    /// Adds a cotangent.
    fn add_to_shadow(self, g: S);
}

/// A shadow that is there, and can be overwritten.
pub trait IntoShadow<S> {
    /// Where it is.
    fn into_place<'a>(self) -> &'a mut S
    where
        Self: 'a;
}

impl<S> AnyField<S> for FieldShadow<'_, S> {}
impl<S: Tangent> AddToShadow<S> for FieldShadow<'_, S> {
    #[inline(always)]
    #[track_caller]
    fn add_to_shadow(self, g: S) {
        self.0.accumulate(&g);
    }
}

// A part of a list takes owned lists, too.
impl<T, G: Borrow<[T]>> AnyField<G> for FieldShadow<'_, [T]> {}
impl<T, G: Borrow<[T]>> AddToShadow<G> for FieldShadow<'_, [T]>
where
    [T]: Tangent,
{
    #[inline(always)]
    #[track_caller]
    fn add_to_shadow(self, g: G) {
        self.0.accumulate(g.borrow());
    }
}

impl<S: Tangent> IntoShadow<S> for FieldShadow<'_, S> {
    #[inline(always)]
    fn into_place<'b>(self) -> &'b mut S
    where
        Self: 'b,
    {
        self.0
    }
}

/// A variable that begins with the zero of its type, if that has a tangent. In use as `Zero(&x).tangent()`, with [`AnyZero`]
/// in scope.
#[derive(Debug)]
pub struct Zero<'a, T: ?Sized>(
    /// The variable whose tangent the zero is.
    pub &'a T,
);

impl<T: Differentiable + ?Sized> Zero<'_, T> {
    /// Its zero.
    #[inline(always)]
    #[must_use]
    pub fn tangent(self) -> Tan<T> {
        self.0.zero_tangent()
    }
}

/// Replaces the zero of a type without a tangent, which is passed by reference to functions that declare it constant.
pub trait AnyZero: Sized {
    /// There is none.
    #[inline(always)]
    fn tangent(self) -> NoTangent {
        NoTangent
    }
}

impl<T: ?Sized> AnyZero for Zero<'_, T> {}

/// The type of a field's tangent, as a value: `NoTangent` if the field is constant. A value that is computed from constant fields
/// alone has a tangent by its type, but is inactive, which the kinds of these fields show.
pub struct Kind<S: ?Sized>(PhantomData<fn() -> PhantomData<S>>);

impl<S: ?Sized> Kind<S> {
    /// That of a field of a tangent.
    #[inline(always)]
    pub fn of(_tangent: &S) -> Self {
        Kind(PhantomData)
    }
}

impl Kind<NoTangent> {
    /// The field is constant, and takes only inactive values. The closure that would make their tangents isn't called.
    #[inline(always)]
    pub fn takes<S: InactiveTangent>(self, _tangents: impl FnOnce() -> S) {}

    /// The field is constant: the kind of the tangents that would be lost if they were stored there.
    #[inline(always)]
    #[must_use]
    pub fn lost<S>(self, _tangents: impl FnOnce() -> S) -> Kind<S> {
        Kind(PhantomData)
    }
}

/// The methods for all other fields; found after those above.
pub trait AnyKind: Sized {
    /// It takes active values.
    #[inline(always)]
    fn takes<S>(self, _tangents: impl FnOnce() -> S) {}

    /// Nothing is lost.
    #[inline(always)]
    #[must_use]
    fn lost<S>(self, _tangents: impl FnOnce() -> S) -> Kind<NoTangent> {
        Kind(PhantomData)
    }
}

impl<S: ?Sized> AnyKind for Kind<S> {}

impl<S: ?Sized> Clone for Kind<S> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: ?Sized> Copy for Kind<S> {}

impl<S: ?Sized> core::fmt::Debug for Kind<S> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Kind")
    }
}

#[diagnostic::do_not_recommend]
impl<S: InactiveTangent + ?Sized> InactiveTangent for Kind<S> {}

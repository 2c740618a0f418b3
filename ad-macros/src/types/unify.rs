//! Unification. It never fails: where two types disagree, rustc will say so better.

use super::foreign::Foreign;
use super::ty::{Type, Unknown};
use crate::diagnostics::types_disagree;

/// A restriction of an unknown type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Restriction {
    None,
    /// A float literal.
    Float,
    /// An integer literal.
    Int,
}

#[derive(Clone, Debug)]
struct Entry {
    bound: Option<Type>,
    restriction: Restriction,
    /// True if it met a type that only rustc can resolve, so that rustc may choose another type than the default.
    open: bool,
}

#[derive(Default)]
pub(super) struct Table {
    entries: Vec<Entry>,
    /// True if anything has been learnt since it was last reset.
    pub(super) progress: bool,
}

impl Table {
    pub(super) fn fresh(&mut self) -> Type {
        self.restricted(Restriction::None)
    }

    /// A type that rustc alone knows, unless it turns out to be that of something known.
    pub(super) fn deferred(&mut self) -> Type {
        let ty = self.fresh();
        self.open(&ty);
        ty
    }

    pub(super) fn float(&mut self) -> Type {
        self.restricted(Restriction::Float)
    }

    pub(super) fn int(&mut self) -> Type {
        self.restricted(Restriction::Int)
    }

    fn restricted(&mut self, restriction: Restriction) -> Type {
        self.entries.push(Entry {
            bound: None,
            restriction,
            open: false,
        });
        Type::Unknown(Unknown(crate::hir::index(self.entries.len() - 1)))
    }

    fn entry(&mut self, unknown: Unknown) -> &mut Entry {
        &mut self.entries[unknown.0 as usize]
    }

    /// The type with its outermost unknown resolved as far as possible.
    pub(super) fn shallow(&self, ty: &Type) -> Type {
        match ty {
            Type::Unknown(unknown) => match &self.entries[unknown.0 as usize].bound {
                Some(bound) => self.shallow(bound),
                None => ty.clone(),
            },
            other => other.clone(),
        }
    }

    /// The type of a part as a pattern or a loop takes it out of a whole: behind a reference it is one, too.
    pub(super) fn part_of(&self, whole: &Type, part: Type) -> Type {
        match self.shallow(whole) {
            Type::Ref(mutable, _) => Type::Ref(mutable, part.into()),
            _ => part,
        }
    }

    /// [`Self::shallow`], and the type behind references.
    pub(super) fn peeled(&self, ty: &Type) -> Type {
        match self.shallow(ty) {
            Type::Ref(_, inner) => self.peeled(&inner),
            other => other,
        }
    }

    pub(super) fn is_float_literal(&self, ty: &Type) -> bool {
        self.is_restricted(ty, Restriction::Float)
    }

    pub(super) fn is_int_literal(&self, ty: &Type) -> bool {
        self.is_restricted(ty, Restriction::Int)
    }

    fn is_restricted(&self, ty: &Type, restriction: Restriction) -> bool {
        match self.shallow(ty) {
            Type::Unknown(unknown) => self.entries[unknown.0 as usize].restriction == restriction,
            _ => false,
        }
    }

    pub(super) fn unify(&mut self, a: &Type, b: &Type) {
        let (a, b) = (self.shallow(a), self.shallow(b));
        match (&a, &b) {
            (Type::Unknown(x), Type::Unknown(y)) if x == y => {}
            (Type::Unknown(x), Type::Unknown(y)) => {
                // The restricted one stays.
                let (keep, bind) = if self.entry(*x).restriction == Restriction::None {
                    (*y, *x)
                } else {
                    (*x, *y)
                };
                let open = self.entry(bind).open;
                self.entry(keep).open |= open;
                self.entry(bind).bound = Some(Type::Unknown(keep));
                self.progress = true;
            }
            (Type::Unknown(x), known) | (known, Type::Unknown(x)) => {
                let fits = match self.entry(*x).restriction {
                    Restriction::None => !matches!(known, Type::Never),
                    Restriction::Float => known.is_float(),
                    Restriction::Int => known.is_int(),
                };
                if fits && !self.occurs(*x, known) {
                    self.entry(*x).bound = Some(known.clone());
                    self.progress = true;
                }
            }
            // A pointer to a value becomes one to an object: that says nothing of the value.
            (Type::Boxed(a), Type::Boxed(b)) if self.hides(a, b) || self.hides(b, a) => {}
            // Nor does a reference to a list that becomes one to a slice: no variable holds a slice.
            (Type::Ref(_, a), Type::Ref(_, b))
                if self.is_coerced(a, b) || self.is_coerced(b, a) => {}
            (Type::Ref(_, a), Type::Ref(_, b))
            | (Type::Option(a), Type::Option(b))
            | (Type::Boxed(a), Type::Boxed(b)) => self.unify(a, b),
            (Type::Result(a, e), Type::Result(b, f)) => {
                self.unify(a, b);
                self.unify(e, f);
            }
            (Type::Tuple(a), Type::Tuple(b)) => {
                for (a, b) in a.iter().zip(b) {
                    self.unify(a, b);
                }
            }
            (Type::Foreign(a), Type::Foreign(b)) => self.unify(&a.elem, &b.elem),
            // Arrays and vectors coerce to slices; their elements agree all the same.
            _ => {
                if let (Some(a), Some(b)) = (element(&a), element(&b)) {
                    self.unify(&a, &b);
                }
                let apart = |a: &Type, b: &Type| {
                    a.is_scalar() && matches!(b, Type::Named(_) | Type::Tuple(_) | Type::Option(_))
                };
                if apart(&a, &b) || apart(&b, &a) {
                    types_disagree();
                }
            }
        }
    }

    /// Returns `true` if the one is a trait object, and the other isn't known.
    fn hides(&self, object: &Type, other: &Type) -> bool {
        matches!(self.shallow(object), Type::Named(ty) if super::written::is_object(&ty))
            && matches!(self.shallow(other), Type::Unknown(_))
    }

    /// Returns `true` if the one is a slice, and the other isn't known: it may be a `Vec` or an array.
    fn is_coerced(&self, slice: &Type, other: &Type) -> bool {
        matches!(self.shallow(slice), Type::Slice(_))
            && matches!(self.shallow(other), Type::Unknown(_))
    }

    fn occurs(&self, unknown: Unknown, ty: &Type) -> bool {
        match self.shallow(ty) {
            Type::Unknown(other) => other == unknown,
            Type::Foreign(array) => self.occurs(unknown, &array.elem),
            ty => ty.parts().any(|t| self.occurs(unknown, t)),
        }
    }

    /// The literal's type may be chosen by rustc.
    pub(super) fn open(&mut self, ty: &Type) {
        if let Type::Unknown(unknown) = self.shallow(ty) {
            self.entry(unknown).open = true;
        }
    }

    /// The type with everything resolved; the rest falls back as in Rust, unless it is open.
    pub(super) fn resolved(&self, ty: &Type) -> Type {
        match self.shallow(ty) {
            Type::Unknown(unknown) => {
                let entry = &self.entries[unknown.0 as usize];
                match (entry.restriction, entry.open) {
                    (Restriction::Float, false) => Type::F64,
                    (Restriction::Int, false) => Type::Int("i32"),
                    _ => Type::Deferred,
                }
            }
            Type::Result(t, e) => {
                // Errors have no tangent, whatever they are.
                let e = match self.resolved(&e) {
                    e @ Type::Inactive(_) => e,
                    _ => super::infer::inactive(),
                };
                Type::Result(self.resolved(&t).into(), e.into())
            }
            Type::Foreign(array) => {
                let elem = self.resolved(&array.elem);
                let array = Foreign {
                    elem,
                    ..(*array).clone()
                };
                Type::Foreign(array.into())
            }
            other => other.with_parts(&|t| self.resolved(t)),
        }
    }
}

fn element(ty: &Type) -> Option<Type> {
    match ty {
        Type::Slice(t) | Type::Array(t, _) | Type::Vec(t) | Type::Deque(t) => Some((**t).clone()),
        _ => None,
    }
}

//! Types, as far as the macro knows them.

use std::fmt;

use proc_macro2::Ident;
use quote::ToTokens;

/// Known facts of a type. `Deferred` is a type that only rustc can resolve.
#[derive(Clone, Debug)]
pub(crate) enum Ty {
    F32,
    F64,
    /// The tangent of an `f64` in several directions at once.
    Lanes,
    /// A type parameter that is bounded by `Real`: `f32` or `f64`, whichever it is.
    Real(Ident),
    /// An integer type by name: `usize`, `i32`, ...
    Int(&'static str),
    Bool,
    Unit,
    Slice(Box<Ty>),
    /// With the length as written.
    Array(Box<Ty>, Box<syn::Expr>),
    Vec(Box<Ty>),
    /// `VecDeque`.
    Deque(Box<Ty>),
    Tuple(Vec<Ty>),
    Option(Box<Ty>),
    /// With the type of errors, which have no tangent.
    Result(Box<Ty>, Box<Ty>),
    Boxed(Box<Ty>),
    /// A type written by the user whose fields the macro can't see; it may have a tangent.
    Named(Box<syn::Type>),
    /// A written type that has no tangent: `String`, `&str`, `char`, ...
    Inactive(Box<syn::Type>),
    /// Only rustc knows; it may have a tangent.
    Deferred,
    /// The (owned) tangent of a type that isn't structurally known.
    Tangent(Box<Ty>),
    /// A pullback, a callee's modes, or where an element is.
    Rule,
    /// A stack of residuals.
    Tape,
    /// A function that is a parameter. It has no tangent, but its captures may have one.
    Function,
}

impl Ty {
    pub(crate) fn is_float(&self) -> bool {
        matches!(self, Ty::F32 | Ty::F64 | Ty::Lanes | Ty::Real(_))
    }

    pub(crate) fn is_tape(&self) -> bool {
        matches!(self, Ty::Tape)
    }

    /// Returns `true` if only rustc can resolve the type, or that of a part.
    pub(crate) fn has_deferred(&self) -> bool {
        matches!(self, Ty::Deferred)
            || !matches!(self, Ty::Slice(_)) && self.parts().any(Ty::has_deferred)
    }

    pub(crate) fn is_function(&self) -> bool {
        matches!(self, Ty::Function)
    }

    /// Integers, booleans and floats: the types that SSA variables may have.
    pub(crate) fn is_scalar(&self) -> bool {
        self.is_float() || matches!(self, Ty::Int(_) | Ty::Bool)
    }

    /// Returns `true` if all values of the type consist of the same numbers: of a number, an array, a tuple, or such in each other.
    pub(crate) fn has_one_shape(&self) -> bool {
        match self {
            Ty::Array(t, _) => t.has_one_shape(),
            Ty::Tuple(ts) => !ts.is_empty() && ts.iter().all(Ty::has_one_shape),
            ty => ty.is_float(),
        }
    }

    /// Returns `true` if values of this type are known to be `Copy`.
    pub(crate) fn is_copy(&self) -> bool {
        match self {
            Ty::Array(t, _) | Ty::Option(t) => t.is_copy(),
            Ty::Tuple(ts) => ts.iter().all(Ty::is_copy),
            ty => ty.is_scalar(),
        }
    }

    /// True if dropping a value of this type is known to do nothing but free memory.
    pub(crate) fn drops_silently(&self) -> bool {
        match self {
            Ty::Named(_) | Ty::Inactive(_) | Ty::Deferred => false,
            ty => ty.parts().all(Ty::drops_silently),
        }
    }

    /// Returns `true` if a value of this type may have a tangent.
    pub(crate) fn may_have_tangent(&self) -> bool {
        match self {
            Ty::F32
            | Ty::F64
            | Ty::Lanes
            | Ty::Real(_)
            | Ty::Named(_)
            | Ty::Deferred
            | Ty::Tangent(_)
            | Ty::Function => true,
            Ty::Result(t, _) => t.may_have_tangent(),
            ty => ty.parts().any(Ty::may_have_tangent),
        }
    }

    /// The type of the tangent, if it may have one.
    pub(crate) fn tangent(&self) -> Option<Ty> {
        if !self.may_have_tangent() {
            return None;
        }
        Some(match self {
            Ty::F32 | Ty::F64 | Ty::Lanes | Ty::Real(_) | Ty::Tangent(_) => self.clone(),
            other => (other.with_parts(&Ty::tangent))
                .unwrap_or_else(|| Ty::Tangent(Box::new(other.clone()))),
        })
    }

    /// The type of the tangent, or of its replacement where there is none: rustc decides.
    pub(crate) fn any_tangent(&self) -> Ty {
        self.tangent()
            .unwrap_or_else(|| Ty::Tangent(Box::new(self.clone())))
    }

    /// The type with lanes in place of `f64`, if nothing else in it has a tangent.
    pub(crate) fn widened(&self) -> Option<Ty> {
        match self {
            Ty::F64 => Some(Ty::Lanes),
            // Of a slice it is owned.
            Ty::Tangent(of) => match &**of {
                Ty::Slice(t) => Some(Ty::Vec(Box::new(t.widened()?))),
                of => of.widened(),
            },
            ty => ty.with_parts(&Ty::widened),
        }
    }

    /// Returns `true` if the type contains lanes.
    pub(crate) fn has_lanes(&self) -> bool {
        match self {
            Ty::Lanes => true,
            ty => ty.parts().any(Ty::has_lanes),
        }
    }

    /// True if a value of this type may be a reference, or have one in it.
    pub(crate) fn may_be_reference(&self) -> bool {
        match self {
            Ty::Deferred | Ty::Tangent(_) => true,
            Ty::Inactive(ty) => !matches!(&**ty, syn::Type::Path(_)),
            ty => ty.parts().any(Ty::may_be_reference),
        }
    }

    /// The types that it is made of: elements, components, payloads.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &Ty> {
        let (list, two): (&[Ty], _) = match self {
            Ty::Slice(t)
            | Ty::Array(t, _)
            | Ty::Vec(t)
            | Ty::Deque(t)
            | Ty::Option(t)
            | Ty::Boxed(t) => (&[], [Some(&**t), None]),
            Ty::Result(t, e) => (&[], [Some(&**t), Some(&**e)]),
            Ty::Tuple(types) => (types, [None, None]),
            _ => (&[], [None, None]),
        };
        list.iter().chain(two.into_iter().flatten())
    }

    /// The same of other parts, for a type whose tangent has the same form.
    fn with_parts(&self, of: &dyn Fn(&Ty) -> Option<Ty>) -> Option<Ty> {
        let boxed = |t: &Ty| of(t).map(Box::new);
        Some(match self {
            Ty::Slice(t) => Ty::Slice(boxed(t)?),
            Ty::Array(t, n) => Ty::Array(boxed(t)?, n.clone()),
            Ty::Vec(t) => Ty::Vec(boxed(t)?),
            Ty::Deque(t) => Ty::Deque(boxed(t)?),
            Ty::Option(t) => Ty::Option(boxed(t)?),
            Ty::Boxed(t) => Ty::Boxed(boxed(t)?),
            Ty::Tuple(types) => Ty::Tuple(types.iter().map(of).collect::<Option<_>>()?),
            _ => return None,
        })
    }

    /// The type behind boxes.
    pub(crate) fn unboxed(&self) -> &Ty {
        match self {
            Ty::Boxed(t) => t.unboxed(),
            ty => ty,
        }
    }

    /// The element of a slice, array, `Vec` or `VecDeque`.
    pub(crate) fn element(&self) -> Option<&Ty> {
        match self {
            Ty::Slice(t) | Ty::Array(t, _) | Ty::Vec(t) | Ty::Deque(t) => Some(t),
            _ => None,
        }
    }
}

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ty::F32 => f.write_str("f32"),
            Ty::F64 => f.write_str("f64"),
            Ty::Lanes => f.write_str("lanes"),
            Ty::Real(name) => write!(f, "{name}"),
            Ty::Int(name) => f.write_str(name),
            Ty::Bool => f.write_str("bool"),
            Ty::Unit => f.write_str("()"),
            Ty::Slice(t) => write!(f, "[{t}]"),
            Ty::Array(t, n) => write!(f, "[{t}; {}]", n.to_token_stream()),
            Ty::Vec(t) => write!(f, "Vec<{t}>"),
            Ty::Deque(t) => write!(f, "VecDeque<{t}>"),
            Ty::Option(t) => write!(f, "Option<{t}>"),
            Ty::Result(t, e) => write!(f, "Result<{t}, {e}>"),
            Ty::Boxed(t) => write!(f, "Box<{t}>"),
            Ty::Tuple(ts) => {
                f.write_str("(")?;
                for t in ts {
                    write!(f, "{t}, ")?;
                }
                f.write_str(")")
            }
            Ty::Named(t) | Ty::Inactive(t) => write!(f, "{}", t.to_token_stream()),
            Ty::Deferred => f.write_str("?"),
            Ty::Tangent(t) => write!(f, "tangent {t}"),
            Ty::Rule => f.write_str("rule"),
            Ty::Tape => f.write_str("tape"),
            Ty::Function => f.write_str("function"),
        }
    }
}

//! Types during inference, and the known types of expressions afterwards.

use std::cell::Cell;
use std::rc::Rc;

use proc_macro2::Ident;
use quote::ToTokens;

use super::declared::Declared;
use super::foreign::Foreign;
use super::written;
use crate::ir::{FunctionType, Ty};
use crate::paths::last_name;
use crate::syntax::type_path;

/// A variable of the unification; an index into the solver's table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Unknown(pub(crate) u32);

/// A type with references, as Rust has them. The types of places and values have none on the outside.
#[derive(Clone, Debug)]
pub(crate) enum Type {
    F32,
    F64,
    /// A type parameter that is bounded by `Real`.
    Real(Ident),
    Int(&'static str),
    Bool,
    Unit,
    /// Of expressions that never end.
    Never,
    Slice(Rc<Type>),
    Array(Rc<Type>, Rc<syn::Expr>),
    Vec(Rc<Type>),
    /// `VecDeque`.
    Deque(Rc<Type>),
    Tuple(Vec<Type>),
    Option(Rc<Type>),
    /// With the type of errors, which have no tangent.
    Result(Rc<Type>, Rc<Type>),
    Boxed(Rc<Type>),
    Ref(bool, Rc<Type>),
    /// A type as the user wrote it, whose insides the macro can't see; it may have a tangent.
    Named(Rc<syn::Type>),
    /// An array of a library.
    Foreign(Rc<Foreign>),
    /// A type without a tangent.
    Inactive(Rc<syn::Type>),
    /// A closure, or a parameter that is a function, with its type. Captures may have a tangent.
    Function(Option<Rc<FunctionType>>),
    /// During inference: not known yet.
    Unknown(Unknown),
    /// After inference: a type that only rustc can resolve.
    Deferred,
}

impl Type {
    pub(crate) fn is_float(&self) -> bool {
        matches!(self, Type::F32 | Type::F64 | Type::Real(_))
    }

    /// Returns `true` for a range of integers, and whether it has a start and an end. One that includes its end has no fields.
    pub(crate) fn range_ends(&self) -> Option<(bool, bool)> {
        let (Type::Inactive(written) | Type::Named(written)) = self.peeled() else {
            return None;
        };
        let path = type_path(written)?;
        let of = path.path.segments.last()?.arguments.to_token_stream();
        if !matches!(of.to_string().as_str(), "< usize >" | "< _ >") {
            return None;
        }
        match last_name(&path.path)?.as_str() {
            "Range" => Some((true, true)),
            "RangeFrom" => Some((true, false)),
            "RangeTo" => Some((false, true)),
            _ => None,
        }
    }

    pub(crate) fn is_int(&self) -> bool {
        matches!(self, Type::Int(_))
    }

    pub(crate) fn is_scalar(&self) -> bool {
        self.is_float() || matches!(self, Type::Int(_) | Type::Bool)
    }

    /// The type behind the references.
    pub(crate) fn peeled(&self) -> &Type {
        match self {
            Type::Ref(_, inner) => inner.peeled(),
            other => other,
        }
    }

    /// The type of the elements, as far as it is known.
    pub(crate) fn any_element(&self) -> Type {
        self.element().cloned().unwrap_or(Type::Deferred)
    }

    /// The element of a slice, array, `Vec` or `VecDeque`, also behind references.
    pub(crate) fn element(&self) -> Option<&Type> {
        match self.peeled() {
            Type::Slice(t) | Type::Array(t, _) | Type::Vec(t) | Type::Deque(t) => Some(t),
            _ => None,
        }
    }

    /// Returns `true` if a value of this type may have a tangent.
    pub(crate) fn may_have_tangent(&self) -> bool {
        match self {
            Type::F32
            | Type::F64
            | Type::Real(_)
            | Type::Named(_)
            | Type::Foreign(_)
            | Type::Function(_)
            | Type::Deferred
            | Type::Unknown(_) => true,
            Type::Result(t, _) => t.may_have_tangent(),
            ty => ty.parts().any(Type::may_have_tangent),
        }
    }

    /// Returns `true` if it holds references to values that are copied where they are read: `Vec<&f64>`.
    pub(crate) fn lends_copies(&self) -> bool {
        self.parts().any(|part| match part {
            Type::Ref(_, to) => to.lower().is_copy() || part.lends_copies(),
            part => part.lends_copies(),
        })
    }

    /// The type of what it contains, if that is of one type; of a `Result`, that of its value.
    pub(super) fn inner(&self) -> Option<&Type> {
        match self {
            Type::Slice(t)
            | Type::Array(t, _)
            | Type::Vec(t)
            | Type::Deque(t)
            | Type::Ref(_, t)
            | Type::Option(t)
            | Type::Result(t, _)
            | Type::Boxed(t) => Some(t),
            _ => None,
        }
    }

    /// The types that it is made of: elements, components, payloads, targets.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &Type> {
        let (list, two): (&[Type], _) = match self {
            Type::Tuple(types) => (types, [None, None]),
            Type::Result(t, e) => (&[], [Some(&**t), Some(&**e)]),
            ty => (&[], [ty.inner(), None]),
        };
        list.iter().chain(two.into_iter().flatten())
    }

    /// The same of other parts.
    pub(super) fn with_parts(&self, of: &dyn Fn(&Type) -> Type) -> Type {
        let inner = |t: &Type| Rc::new(of(t));
        match self {
            Type::Slice(t) => Type::Slice(inner(t)),
            Type::Array(t, n) => Type::Array(inner(t), n.clone()),
            Type::Vec(t) => Type::Vec(inner(t)),
            Type::Deque(t) => Type::Deque(inner(t)),
            Type::Ref(mutable, t) => Type::Ref(*mutable, inner(t)),
            Type::Tuple(types) => Type::Tuple(types.iter().map(of).collect()),
            Type::Option(t) => Type::Option(inner(t)),
            Type::Boxed(t) => Type::Boxed(inner(t)),
            Type::Result(t, e) => Type::Result(inner(t), inner(e)),
            other => other.clone(),
        }
    }

    /// The same of other parts, if there is one for each.
    pub(super) fn try_with_parts(&self, of: &dyn Fn(&Type) -> Option<Type>) -> Option<Type> {
        let all = Cell::new(true);
        let ty = self.with_parts(&|part| {
            let part = of(part);
            all.set(all.get() && part.is_some());
            part.unwrap_or(Type::Deferred)
        });
        all.get().then_some(ty)
    }

    /// Returns `true` if it is made of nothing but numbers, lists and tuples.
    pub(crate) fn is_plain(&self) -> bool {
        match self {
            Type::Slice(_) | Type::Array(..) | Type::Vec(_) | Type::Tuple(_) => {
                self.parts().all(Type::is_plain)
            }
            ty => ty.is_scalar() || matches!(ty, Type::Unit),
        }
    }

    /// True for lists, tuples, `Option`s and boxes of anything.
    pub(crate) fn is_container(&self) -> bool {
        matches!(
            self,
            Type::Slice(_)
                | Type::Array(..)
                | Type::Vec(_)
                | Type::Deque(_)
                | Type::Option(_)
                | Type::Boxed(_)
                | Type::Tuple(_)
        )
    }

    /// True if it is made of nothing but numbers, lists, tuples and `Option`s.
    pub(crate) fn is_structural(&self) -> bool {
        match self {
            Type::Boxed(_) => self.is_plain(),
            ty if ty.is_container() => ty.parts().all(Type::is_structural),
            ty => ty.is_plain(),
        }
    }

    /// The type of a place or value in the intermediate representation, where references are places.
    pub(crate) fn lower(&self) -> Ty {
        match self {
            Type::F32 => Ty::F32,
            Type::F64 => Ty::F64,
            Type::Real(name) => Ty::Real(name.clone()),
            Type::Int(name) => Ty::Int(name),
            Type::Bool => Ty::Bool,
            Type::Unit | Type::Never => Ty::Unit,
            Type::Slice(t) => Ty::Slice(Box::new(t.lower())),
            Type::Array(t, n) => Ty::Array(Box::new(t.lower()), Box::new((**n).clone())),
            Type::Vec(t) => Ty::Vec(Box::new(t.lower())),
            Type::Deque(t) => Ty::Deque(Box::new(t.lower())),
            Type::Tuple(ts) => Ty::Tuple(ts.iter().map(Type::lower).collect()),
            Type::Option(t) => Ty::Option(Box::new(t.lower())),
            Type::Result(t, e) => Ty::Result(Box::new(t.lower()), Box::new(e.lower())),
            Type::Boxed(t) => Ty::Boxed(Box::new(t.lower())),
            Type::Ref(_, t) => t.lower(),
            Type::Named(t) => Ty::Named(Box::new((**t).clone())),
            Type::Inactive(t) => Ty::Inactive(Box::new((**t).clone())),
            Type::Function(_) => Ty::Function,
            Type::Foreign(array) => match &array.written {
                Some(t) => Ty::Named(Box::new((**t).clone())),
                None => Ty::Deferred,
            },
            Type::Unknown(_) | Type::Deferred => Ty::Deferred,
        }
    }
}

impl Type {
    /// The type of the result of verbatim code: a reference stays one, and only rustc can resolve its target.
    pub(crate) fn lower_given(&self) -> Ty {
        let inside = |t: &Type| Box::new(t.lower_given());
        match self {
            Type::Ref(..) | Type::Function(_) => Ty::Deferred,
            Type::Slice(t) => Ty::Slice(inside(t)),
            Type::Vec(t) => Ty::Vec(inside(t)),
            Type::Array(t, n) => Ty::Array(inside(t), Box::new((**n).clone())),
            Type::Tuple(ts) => Ty::Tuple(ts.iter().map(Type::lower_given).collect()),
            Type::Option(t) => Ty::Option(inside(t)),
            Type::Result(t, e) => Ty::Result(inside(t), inside(e)),
            ty => ty.lower(),
        }
    }
}

/// The type that a written type represents; `_` is `None`.
pub(crate) fn from_written(ty: &syn::Type, hidden: &Declared) -> Option<Type> {
    if let Some(target) = hidden.aliased(written::ungrouped(ty)) {
        return from_written(&target, hidden);
    }
    Some(match written::ungrouped(ty) {
        syn::Type::Infer(_) => return None,
        syn::Type::Never(_) => Type::Never,
        syn::Type::Tuple(tuple) if tuple.elems.is_empty() => Type::Unit,
        syn::Type::Tuple(tuple) => {
            let elems = tuple.elems.iter();
            Type::Tuple(
                elems
                    .map(|t| from_written(t, hidden))
                    .collect::<Option<_>>()?,
            )
        }
        syn::Type::Reference(reference) => {
            if !written::may_have_tangent(&reference.elem, hidden) && is_text(&reference.elem) {
                return Some(Type::Inactive(Rc::new(ty.clone())));
            }
            let mutable = reference.mutability.is_some();
            Type::Ref(mutable, Rc::new(from_written(&reference.elem, hidden)?))
        }
        syn::Type::Slice(slice) => Type::Slice(Rc::new(element(&slice.elem, hidden)?)),
        syn::Type::Array(array) => {
            let elem = element(&array.elem, hidden)?;
            Type::Array(Rc::new(elem), Rc::new(array.len.clone()))
        }
        other => match written::primitive(other, hidden) {
            Some(primitive) => primitive,
            None => match written::vec_element(other, hidden) {
                Some(elem) => Type::Vec(Rc::new(element(elem, hidden)?)),
                None if wrapper(other, hidden).is_some() => return wrapper(other, hidden),
                None if written::may_have_tangent(other, hidden) => {
                    Type::Named(Rc::new(other.clone()))
                }
                None => Type::Inactive(Rc::new(other.clone())),
            },
        },
    })
}

/// The type of a list's elements.
fn element(ty: &syn::Type, hidden: &Declared) -> Option<Type> {
    from_written(ty, hidden).map(|known| as_element(known, ty))
}

/// A known type as that of a list's elements: there a reference to a value without a tangent is a value like any other.
pub(super) fn as_element(known: Type, written: &syn::Type) -> Type {
    match (known, written::ungrouped(written)) {
        (Type::Tuple(types), syn::Type::Tuple(tuple)) => {
            let elems = types.into_iter().zip(&tuple.elems);
            Type::Tuple(elems.map(|(ty, elem)| as_element(ty, elem)).collect())
        }
        (Type::Ref(false, of), written) if matches!(*of, Type::Inactive(_)) => {
            Type::Inactive(Rc::new(written.clone()))
        }
        (known, _) => known,
    }
}

/// The type of a parameter, without its own reference. The tangent behind another one is owned: it has another form, which
/// rustc knows.
pub(crate) fn of_parameter(param: &crate::hir::Param, hidden: &Declared) -> Type {
    let known = from_written(&param.ty, hidden).unwrap_or(Type::Deferred);
    if param.constant {
        known
    } else {
        without_references(&known)
    }
}

fn without_references(ty: &Type) -> Type {
    match ty {
        Type::Ref(_, to) if to.may_have_tangent() => Type::Deferred,
        Type::Named(of) if written::has_reference(of) => Type::Deferred,
        ty => ty.with_parts(&without_references),
    }
}

/// `Option`, `Result`, `Box` and `VecDeque`.
fn wrapper(ty: &syn::Type, hidden: &Declared) -> Option<Type> {
    let (name, args) = written::generic(ty)?;
    if hidden.contains(&name) {
        return None;
    }
    let inner = |ty| from_written(ty, hidden).map(Rc::new);
    match (name.as_str(), &args[..]) {
        ("Option", [t]) => Some(Type::Option(inner(t)?)),
        ("Box", [t]) => Some(Type::Boxed(inner(t)?)),
        ("VecDeque", [t]) => Some(Type::Deque(Rc::new(element(t, hidden)?))),
        ("Result", [t, e]) => Some(Type::Result(
            inner(t)?,
            Rc::new(Type::Inactive(Rc::new((*e).clone()))),
        )),
        // `io::Result<f64>`, and aliases like it.
        ("Result", [t]) => Some(Type::Result(inner(t)?, Rc::new(super::infer::inactive()))),
        _ => None,
    }
}

/// `str`: a reference to it is a value like any other.
fn is_text(ty: &syn::Type) -> bool {
    matches!(written::ungrouped(ty), syn::Type::Path(path) if path.path.is_ident("str"))
}

//! Follows places by the declarations that stand beside a function: which are in a constant field, and which parts have no tangent.
//!
//! In: a place. Out: its type, as far as the declarations show it. Nothing is known of a place in a field whose type isn't declared beside the
//! function.

use super::{Func, Place, Proj, Ty, projected};

/// A struct, as far as its declaration says.
#[derive(Clone, Debug)]
pub(crate) struct Struct {
    /// Its fields of known types that aren't constant.
    pub(crate) fields: Vec<(syn::Member, Ty)>,
    /// Its constant fields, with their types as far as these are known.
    pub(crate) constants: Vec<(syn::Member, Option<Ty>)>,
    /// It is `Copy`, and these are all of its fields.
    pub(crate) whole: bool,
}

impl Struct {
    /// A constant field, with its type as far as it is known.
    pub(crate) fn constant(&self, member: &syn::Member) -> Option<&(syn::Member, Option<Ty>)> {
        self.constants.iter().find(|(known, _)| known == member)
    }
}

/// A place, as the declarations show it.
enum Followed<'a> {
    Known(&'a Ty),
    /// It is, or is in, the constant field at this projection.
    Constant {
        field: &'a syn::Member,
        ty: Option<&'a Ty>,
        depth: usize,
    },
    Unknown,
}

impl Func {
    /// The declaration of a struct beside the function.
    pub(crate) fn struct_of(&self, ty: &Ty) -> Option<&Struct> {
        let named = matches!(ty, Ty::Named(_));
        named.then(|| self.structs.get(&ty.to_string()))?
    }

    /// The type of a part of a variant of an enum beside the function.
    fn payload_of(&self, ty: &Ty, variant: &syn::Path, member: &syn::Member) -> Option<&Ty> {
        let mut payloads = self.enums.get(&ty.to_string())?.iter();
        let variant = &variant.segments.last()?.ident;
        let found = payloads.find(|(of, part, _)| of == variant && part == member);
        found.map(|(.., ty)| ty)
    }

    fn follow(&self, place: &Place) -> Followed<'_> {
        let mut ty = &self.slot(place.root).ty;
        for (depth, proj) in place.path.iter().enumerate() {
            let next = match (proj, self.struct_of(ty)) {
                (Proj::Field(member), Some(of)) => {
                    if let Some((field, ty)) = of.constant(member) {
                        let ty = ty.as_ref();
                        return Followed::Constant { field, ty, depth };
                    }
                    let known = of.fields.iter().find(|(known, _)| known == member);
                    known.map(|(_, ty)| ty)
                }
                (Proj::Variant(path, member), None) if matches!(ty, Ty::Named(_)) => {
                    self.payload_of(ty, path, member)
                }
                _ => projected(ty, proj),
            };
            let Some(next) = next else {
                return Followed::Unknown;
            };
            ty = next;
        }
        Followed::Known(ty)
    }

    /// The constant field that a place is in, as far as declarations beside the function say.
    pub(crate) fn constant_field(&self, place: &Place) -> Option<&syn::Member> {
        self.declared(place).ok()?
    }

    /// The constant field that a place is in, if there is one. An error if the place is in a field of a type that isn't declared beside the
    /// function.
    pub(crate) fn declared(&self, place: &Place) -> Result<Option<&syn::Member>, ()> {
        match self.follow(place) {
            Followed::Known(_) => Ok(None),
            Followed::Constant { field, .. } => Ok(Some(field)),
            Followed::Unknown => Err(()),
        }
    }

    /// Returns `true` if the type of a place has no tangent. In a constant field the type may have one.
    pub(crate) fn lacks_tangent(&self, place: &Place) -> bool {
        matches!(self.follow(place), Followed::Known(ty) if !ty.may_have_tangent())
    }

    /// Returns `true` if a place certainly holds nothing that has a tangent.
    pub(crate) fn is_inactive(&self, place: &Place) -> bool {
        self.lacks_tangent(place) || self.constant_field(place).is_some()
    }

    /// The parts of a place that have no tangent, or the constant field that it is in. A list or an `Option` with such parts is one as a whole.
    pub(crate) fn inactive_parts(&self, place: &Place) -> InactiveParts {
        let mut parts = InactiveParts::default();
        match self.follow(place) {
            Followed::Unknown => parts.more = true,
            Followed::Constant { ty, depth, .. } => {
                let field = Place::new(place.root, place.path[..=depth].to_vec());
                parts.take_constant(field, ty);
            }
            Followed::Known(ty) => self.take_inactive(place.clone(), ty, &mut parts),
        }
        parts
    }

    fn take_inactive(&self, place: Place, ty: &Ty, parts: &mut InactiveParts) {
        let field = |member: &syn::Member| place.extended(&[Proj::Field(member.clone())]);
        if let Some(of) = self.struct_of(ty) {
            for (member, ty) in &of.fields {
                self.take_inactive(field(member), ty, parts);
            }
            for (member, ty) in &of.constants {
                parts.take_constant(field(member), ty.as_ref());
            }
            parts.more |= !of.whole;
        } else if let Ty::Tuple(types) = ty {
            for (k, ty) in types.iter().enumerate() {
                self.take_inactive(field(&syn::Member::from(k)), ty, parts);
            }
        } else if holds_inactive(ty) {
            parts.take(place, ty);
        } else {
            parts.more |= may_hide(ty);
        }
    }
}

/// The parts of a place that have no tangent.
#[derive(Default)]
pub(crate) struct InactiveParts {
    /// Those that can be cloned.
    pub(crate) known: Vec<(Place, Ty)>,
    /// There may be more.
    pub(crate) more: bool,
}

impl InactiveParts {
    fn take(&mut self, place: Place, ty: &Ty) {
        if ty.drops_silently() {
            self.known.push((place, ty.clone()));
        } else {
            self.more = true;
        }
    }

    fn take_constant(&mut self, field: Place, ty: Option<&Ty>) {
        match ty {
            Some(ty) => self.take(field, ty),
            None => self.more = true,
        }
    }
}

fn holds_inactive(ty: &Ty) -> bool {
    !ty.may_have_tangent() || ty.parts().any(holds_inactive)
}

/// Returns `true` if only rustc knows which parts a type has.
fn may_hide(ty: &Ty) -> bool {
    matches!(ty, Ty::Named(_) | Ty::Deferred | Ty::Function) || ty.parts().any(may_hide)
}

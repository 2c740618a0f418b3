//! Tangents and shadows of fields, which rules borrow: a constant field has none.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::Emitter;
use crate::ir::{Func, OpKind, Place, Proj};

impl Emitter<'_> {
    /// A reference to the tangent of a place, for a rule that borrows the place itself in the same way.
    pub(super) fn lent(
        &mut self,
        primal: &Place,
        tangent: &Place,
        mutable: bool,
        out: &mut TokenStream,
    ) -> TokenStream {
        self.lent_by(primal, tangent, mutable, mutable, out)
    }

    /// A reference to the shadow of a place, for a pullback that borrows the place itself uniquely or not.
    pub(super) fn lent_shadow(
        &mut self,
        primal: &Place,
        shadow: &Place,
        unique: bool,
        out: &mut TokenStream,
    ) -> TokenStream {
        self.lent_by(primal, shadow, true, unique, out)
    }

    fn lent_by(
        &mut self,
        primal: &Place,
        tangent: &Place,
        mutable: bool,
        unique: bool,
        out: &mut TokenStream,
    ) -> TokenStream {
        let rt = self.rt;
        let reference = self.reference(tangent, mutable);
        if !self.func.is_in_field(tangent) {
            return reference;
        }
        self.fields = true;
        let ident = self.lent_name(primal, tangent);
        let primal = self.reference(primal, false);
        let method = format_ident!("{}", if unique { "tangent_mut" } else { "tangent" });
        out.extend(quote!(let mut #ident = #rt::Lent(#primal, #reference).#method();));
        if mutable {
            quote!(&mut *#ident)
        } else {
            quote!(&*#ident)
        }
    }

    /// Returns `true` if a store to the place can tell a constant field from others. It borrows the place, which must not
    /// have been moved out of.
    pub(super) fn is_stored_by_reference(&self, place: &Place) -> bool {
        self.func.is_in_field(place)
            && !self
                .moved
                .iter()
                .any(|moved| moved.may_overlap(place, true))
    }

    /// The name of a field's tangent is the field's name, with the suffix that its owner's tangent has.
    fn lent_name(&mut self, primal: &Place, tangent: &Place) -> Ident {
        let field = tangent.path.iter().rev().find_map(|proj| match proj {
            Proj::Field(syn::Member::Named(name)) => Some(name.to_string()),
            _ => None,
        });
        let [owner, root] = [primal, tangent].map(|place| &self.func.slot(place.root).name);
        let name = match (field, root.strip_prefix(owner.as_str())) {
            (Some(field), Some(suffix)) => format!("{}{suffix}", field.trim_start_matches("r#")),
            _ => root.clone(),
        };
        self.names.fresh(&name)
    }
}

/// The fields that tangents are moved out of. Parts further inside are read through a reference.
pub(super) fn moved_tangents(func: &Func) -> Vec<Place> {
    let mut moved = Vec::new();
    func.walk(&mut |op| {
        if let OpKind::Load(place)
        | OpKind::FieldTangent {
            tangent: place,
            clone: false,
            ..
        } = &op.kind
            && func.is_in_field(place)
            && matches!(place.path[..], [Proj::Field(_)])
            && !op.results.iter().all(|r| func.ty(*r).is_copy())
        {
            moved.push(place.clone());
        }
    });
    moved
}

//! Numbers whose type is a parameter bounded by `Real`: literals, casts and methods of `f64` are here functions of
//! the runtime's trait here.

use proc_macro2::TokenStream;
use quote::quote;

use super::Emitter;
use super::expr::{float, primitive};
use crate::ir::{Const, Ty};

impl Emitter<'_> {
    /// A constant of type `T: Real`. The user's own code for one stays as it is.
    pub(super) fn real_constant(&self, value: &Const, ty: &Ty) -> Option<TokenStream> {
        let (rt, Ty::Real(name)) = (self.rt, ty) else {
            return None;
        };
        Some(match value {
            Const::Float(digits) => {
                let literal = float(digits, &Ty::Deferred);
                quote!(<#name as #rt::Scalar>::from_f64(#literal))
            }
            Const::Zero | Const::Undef => quote!(<#name as #rt::Scalar>::ZERO),
            Const::One => quote!(<#name as #rt::Scalar>::ONE),
            _ => return None,
        })
    }
}

/// Returns `true` if a cast can't be written with `as`.
pub(super) fn involves_real(from: &Ty, to: &Ty) -> bool {
    matches!(from, Ty::Real(_)) || matches!(to, Ty::Real(_))
}

/// A cast from or to `T: Real`, by way of `f64`, which holds every `f32`.
pub(super) fn cast(value: &TokenStream, from: &Ty, to: &Ty, rt: &TokenStream) -> TokenStream {
    let double = primitive(&Ty::F64);
    if let (Ty::Int(_), Ty::Real(name)) = (from, to) {
        // By way of `f64` it would be rounded twice.
        return quote!(<#name as #rt::Scalar>::from_integer(#value));
    }
    let value = match from {
        Ty::Real(_) => quote!(#rt::Scalar::to_f64(#value)),
        Ty::F64 => value.clone(),
        _ => quote!((#value) as #double),
    };
    match to {
        Ty::Real(name) => quote!(<#name as #rt::Scalar>::from_f64(#value)),
        Ty::F64 => value,
        other => {
            let to = primitive(other);
            quote!((#value as #to))
        }
    }
}

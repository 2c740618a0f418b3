//! The method of an operator as a function whose operands are all ordinary parameters.

use proc_macro2::Ident;
use syn::visit_mut::VisitMut;

use crate::syntax::{ReplaceTypes, associated_type, renamed};
use crate::types::written::lifetimes_in;

/// The name that replaces `self`. No variable of the user's has it.
const THIS: &str = "__self";

/// The signature with `self` as a typed parameter, and `Self` and `Self::Output` written out.
pub(super) fn without_receiver(sig: &syn::Signature, block: &syn::ItemImpl) -> syn::Signature {
    let mut sig = sig.clone();
    for input in &mut sig.inputs {
        let syn::FnArg::Receiver(receiver) = input else {
            continue;
        };
        let this = Ident::new(THIS, receiver.self_token.span);
        let (attrs, own) = (&receiver.attrs, &block.self_ty);
        let by_mut = matches!(&receiver.kind, syn::ReceiverKind::Reference(_, _, Some(_)));
        let mutable = receiver.mutability;
        *input = if by_mut {
            syn::parse_quote!(#(#attrs)* #this: &mut #own)
        } else {
            syn::parse_quote!(#(#attrs)* #mutable #this: #own)
        };
    }
    let output = associated_type(block, "Output").map(|output| {
        let mut output = output.clone();
        crate::syntax::without_self(&block.self_ty).visit_type_mut(&mut output);
        output
    });
    let own = |path: &syn::Path| match &path.segments.iter().collect::<Vec<_>>()[..] {
        [own] if own.ident == "Self" => Some((*block.self_ty).clone()),
        [own, name] if own.ident == "Self" && name.ident == "Output" => output.clone(),
        _ => None,
    };
    ReplaceTypes(own).visit_signature_mut(&mut sig);
    sig
}

/// The body with `self` under its other name.
pub(super) fn without_self(block: &syn::Block) -> syn::Block {
    let mut block = block.clone();
    Renamed.visit_block_mut(&mut block);
    block
}

struct Renamed;

impl VisitMut for Renamed {
    fn visit_ident_mut(&mut self, ident: &mut Ident) {
        if ident == "self" {
            *ident = Ident::new(THIS, ident.span());
        }
    }

    // `self::function` is a module.
    fn visit_path_mut(&mut self, path: &mut syn::Path) {
        if path.segments.len() > 1 {
            path.segments
                .iter_mut()
                .for_each(|s| self.visit_path_arguments_mut(&mut s.arguments));
        } else {
            syn::visit_mut::visit_path_mut(self, path);
        }
    }

    // Items have a `self` of their own.
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_macro_mut(&mut self, call: &mut syn::Macro) {
        call.tokens = renamed(std::mem::take(&mut call.tokens), "self", THIS);
    }
}

/// The lifetimes that types mention.
pub(super) fn lifetimes<'a>(types: impl Iterator<Item = &'a syn::Type>) -> Vec<syn::Lifetime> {
    types.flat_map(lifetimes_in).cloned().collect()
}

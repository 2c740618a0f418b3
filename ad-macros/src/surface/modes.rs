//! The description of the parameters in types, by which generated code calls this function without seeing it.

use proc_macro2::TokenStream;
use quote::quote;

use super::Surface;
use crate::emit::{is_made, own};
use crate::ir::PassedBy;

impl Surface<'_> {
    /// The mode of each parameter: its type, and how it is made.
    pub(crate) fn mode_types(&self) -> (Vec<TokenStream>, Vec<TokenStream>) {
        let rt = self.rt;
        let mut types = Vec::new();
        let mut values = Vec::new();
        for a in &self.args {
            if a.function {
                types.push(quote!(#rt::mode::Function));
                values.push(quote!(#rt::mode::Function));
                continue;
            }
            let written = &a.written;
            let (ty, make) = match (a.by, a.constant) {
                (PassedBy::Value, false) => (quote!(Owned), quote!(owned)),
                (PassedBy::Ref, false) => (quote!(Ref), quote!(by_ref)),
                (PassedBy::Mut, false) => (quote!(Mut), quote!(by_mut)),
                (PassedBy::Value, true) => (quote!(Const), quote!(constant)),
                (PassedBy::Ref, true) => (quote!(ConstRef), quote!(constant_ref)),
                (PassedBy::Mut, true) => (quote!(ConstMut), quote!(constant_mut)),
            };
            types.push(quote!(#rt::mode::#ty<#written>));
            values.push(quote!(#rt::mode::#make()));
        }
        (types, values)
    }

    pub(crate) fn modes(&self) -> TokenStream {
        let (vis, name) = (self.vis, self.hidden_name("modes"));
        let (types, values) = self.mode_types();
        let receiver = self.receiver.map(|_| quote!(&self));
        // A primal that is only used through its rules is not dead code.
        let used = self.mention();
        let (generics, clause) = (self.impl_generics(), self.where_clause(&[]));
        let by_path = self.method.as_ref().map(|_| {
            let name = self.path_name("modes");
            quote! {
                #[doc(hidden)]
                #[inline(always)]
                #vis fn #name #generics () -> (#(#types,)*) #clause {
                    (#(#values,)*)
                }
            }
        });
        quote! {
            #[doc(hidden)]
            #[inline(always)]
            #vis fn #name #generics (#receiver) -> (#(#types,)*) #clause {
                #used
                (#(#values,)*)
            }
            #by_path
        }
    }

    /// A mention of the primal, which costs nothing.
    fn mention(&self) -> TokenStream {
        let primal = &self.primal;
        // Functions among the parameters have types that can't be named.
        if !self.mentions || self.args.iter().any(|a| a.function) {
            return TokenStream::new();
        }
        // A type may have several functions of this name, by traits: the types of the arguments tell which one is meant.
        let of_a_type = self.method.is_some() && self.receiver.is_none();
        if !of_a_type && !self.generics.type_params().any(|p| is_made(&p.ident)) {
            let turbofish = self.turbofish();
            return quote!(let _ = #primal #turbofish;);
        }
        let (args, types): (Vec<_>, Vec<_>) = self
            .args
            .iter()
            .enumerate()
            .map(|(k, a)| {
                // A lifetime that the result has, too, can't be that of the closure.
                let ty = match a.lifetime {
                    Some(_) => quote!(_),
                    None => a.declared(),
                };
                (own(&format!("a{k}")), ty)
            })
            .unzip();
        quote!(let _ = |#(#args: #types),*| { let _ = #primal(#(#args),*); };)
    }
}

//! The description of the parameters in types, by which generated code calls this function without seeing it.

use proc_macro2::TokenStream;
use quote::quote;

use super::Surface;
use crate::ir::PassedBy;

impl Surface<'_> {
    pub(super) fn modes(&self) -> TokenStream {
        let (rt, vis, name) = (self.rt, self.vis, self.hidden_name("modes"));
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
        let receiver = self.receiver.map(|_| quote!(&self));
        // A primal that is only used through its rules is not dead code.
        let primal = &self.primal;
        let nameable = self.generics.params.is_empty() && self.args.iter().all(|a| !a.function);
        let used = nameable.then(|| quote!(let _ = #primal;));
        let (generics, clause) = (self.impl_generics(), self.where_clause(&TokenStream::new()));
        quote! {
            #[doc(hidden)]
            #[inline(always)]
            #vis fn #name #generics (#receiver) -> (#(#types,)*) #clause {
                #used
                (#(#values,)*)
            }
        }
    }
}

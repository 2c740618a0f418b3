//! Refuses methods of a type that hide methods of a trait with rules: `x.area()` is the type's own, and `x.__area_frule(..)` would be the trait's.
//!
//! In: an `impl` of the trait, and the type's own functions without rules, as far as files show them. Out: an error for each method of the `impl`
//! that is hidden, and items by which rustc looks for what files don't show:
//! - a method of the `impl` and its rule are both the trait's, or both the type's own (`ad-runtime/src/probe/hidden.rs`);
//! - the trait has no rules for the other functions of the type. If it has, they are found before those of a local trait.

use std::collections::BTreeSet;

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens as _, format_ident, quote};
use syn::spanned::Spanned as _;

use crate::attributes::cfgs;
use crate::diagnostics::error;
use crate::emit::{allows, respanned, unraw};
use crate::enclosing::{Siblings, has_rules, has_word};
use crate::options::Options;
use crate::paths::last_name;
use crate::syntax::methods as methods_of;

/// Checks the methods of a trait that has rules, and is implemented by `block`; `associated` are the types that it declares.
pub(super) fn check(
    options: &Options,
    block: &syn::ItemImpl,
    beside: &Siblings,
    associated: &[&syn::Type],
) -> TokenStream {
    let (Some((path, _)), syn::Type::Path(own)) = (&block.trait_, &*block.self_ty) else {
        return TokenStream::new();
    };
    let may_have_methods = own.qself.is_none() && options.callees.may_be_of_this_crate(&own.path);
    let is_parameter = |param: &syn::TypeParam| own.path.is_ident(&param.ident);
    if !may_have_methods || block.generics.type_params().any(is_parameter) {
        return TokenStream::new();
    }
    let rt = options.runtime();
    let mut of = path.clone();
    for segment in &mut of.segments {
        segment.arguments = syn::PathArguments::None;
    }
    let mut others: BTreeSet<&String> = beside.own_functions().collect();
    let (mut errors, mut checks) = (TokenStream::new(), TokenStream::new());
    for method in methods_of(block).filter(|method| cfgs(&method.attrs).is_empty()) {
        let ident = &method.sig.ident;
        let name = unraw(ident);
        let is_hidden = others.remove(&name);
        if !has_rules(&method.sig, associated) {
            continue;
        }
        if is_hidden {
            let (message, help) = message(&name, own);
            errors.extend(error(ident.span(), message, help).to_compile_error());
        } else if of == *path && is_of_one_type(&method.sig) {
            let both = |name: &Ident| quote!(#rt::probe::both(<#own>::#name, <#own as #path>::#name).found());
            let (primal, rule) = (both(ident), both(&format_ident!("__{name}_frule")));
            let check = quote!(#rt::probe::compare(&#primal, &#rule););
            checks.extend(respanned(ident.span(), &check));
        }
    }
    let mut traits = TokenStream::new();
    for name in others {
        let (modes, missing) = (
            format_ident!("__{name}_modes"),
            format_ident!("__{name}_is_missing"),
        );
        let (message, help) = message(name, own);
        traits.extend(quote! {
            trait #modes: ::core::marker::Sized {
                fn #modes(self) -> #rt::probe::NoRules { #rt::probe::NoRules }
            }
            // The methods of a trait take `&self`, and are found first.
            impl<T> #modes for &mut T {}
            #[diagnostic::on_unimplemented(message = #message, label = "this trait has a method of the same name", note = #help)]
            trait #missing {}
            impl #missing for #rt::probe::NoRules {}
        });
        let found = quote!({ fn check(_: impl #missing) {} check((*own).#modes()) };);
        checks.extend(respanned(path.span(), &found));
    }
    if checks.is_empty() {
        return errors;
    }
    let (generics, _, clause) = block.generics.split_for_impl();
    let allow = allows();
    quote! {
        #errors
        #allow
        const _: () = {
            use #rt::probe::Hidden as _;
            use #of as _;
            #traits
            fn check #generics (own: &mut #own) #clause {
                #checks
            }
        };
    }
}

/// Checks the methods of a trait without rules, where the rules are the type's own: the path to each leads to that trait's.
pub(in crate::entry) fn check_beside(options: &Options, block: &syn::ItemImpl) -> TokenStream {
    let Some(last) = (block.trait_.as_ref()).and_then(|(path, _)| path.segments.last()) else {
        return TokenStream::new();
    };
    let of = match last.ident.to_string().as_str() {
        "Default" => quote!(::core::default::Default),
        "From" => quote!(::core::convert::From),
        "Iterator" => quote!(::core::iter::Iterator),
        _ => {
            let name = &last.ident;
            quote!(#name)
        }
    };
    let (rt, own, arguments) = (options.runtime(), &block.self_ty, &last.arguments);
    let methods = methods_of(block).filter(|method| cfgs(&method.attrs).is_empty());
    let checks = methods
        .filter(|method| is_of_one_type(&method.sig))
        .map(|method| {
            let name = &method.sig.ident;
            let both =
                quote!(#rt::probe::both(<#own>::#name, <#own as #of #arguments>::#name).found());
            respanned(
                name.span(),
                &quote!(#rt::probe::compare(&#both, &#rt::probe::OfTrait);),
            )
        });
    let checks: TokenStream = checks.collect();
    let (generics, _, clause) = block.generics.split_for_impl();
    let (allow, cfgs) = (allows(), cfgs(&block.attrs));
    quote! {
        #allow
        #(#cfgs)*
        const _: () = {
            use #rt::probe::Hidden as _;
            fn check #generics () #clause {
                #checks
            }
        };
    }
}

fn message(name: &str, own: &syn::TypePath) -> (String, String) {
    let own = last_name(&own.path);
    let own = own.unwrap_or_default();
    (
        format!(
            "the method `{name}` of `{own}` itself hides that of the trait, and has no derivative rules"
        ),
        format!(
            "write `#[differentiable]` on the `{name}` in `impl {own}`, or give it another name"
        ),
    )
}

/// True if a method has no parameters of types.
fn is_of_one_type(sig: &syn::Signature) -> bool {
    sig.generics.type_params().next().is_none()
        && sig.generics.const_params().next().is_none()
        && !has_word(sig.inputs.to_token_stream(), &|word| word == "impl")
}

//! Reads methods of the file's types: their signatures, and bodies that may be inlined.
//!
//! In: a method in an `impl` of a type. Out: a [`Method`], and checks by which rustc compares it with the method that the name refers to.

use std::collections::HashSet;
use std::rc::Rc;

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::visit::Visit;
use syn::visit_mut::VisitMut;

use super::Imports;
use super::attributes::are_as_written;
use super::imports::Bound;
use super::inlined::may_be_inlined;
use super::module::Module;
use super::signatures::{borrows_from_arguments, is_monomorphic, is_plain_receiver};
use super::structs::{Used, absolute};
use super::tokens::{bare, fingerprint, free_words, words_of};
use crate::syntax::{renamed, without_self};
use crate::types::Declared;
use crate::types::written::{constant_items, has_reference, lifetimes_in};

/// A method or associated function.
#[derive(Clone, Debug)]
pub(crate) struct Method {
    /// Without `Self`.
    pub(super) sig: syn::Signature,
    /// The parameters of the `impl`.
    generics: Rc<syn::Generics>,
    /// The body, if it may be inlined.
    pub(super) body: Option<Rc<MethodBody>>,
    pub(super) used: Used,
}

/// A function, or a method as a function of its receiver, whose body may be inlined.
#[derive(Clone, Debug)]
pub(crate) struct MethodBody {
    pub(crate) sig: syn::Signature,
    pub(crate) block: syn::Block,
    /// Its words that are neither members nor variables of its own: they refer to items.
    pub(crate) free: HashSet<String>,
    pub(super) words: HashSet<String>,
    pub(super) fingerprint: u64,
    pub(super) imports: Imports,
}

impl MethodBody {
    /// The body of a method of `of`, which is `own`, or a reference to that.
    pub(super) fn new(
        own: &syn::Ident,
        of: &syn::Type,
        sig: &syn::Signature,
        block: &syn::Block,
        module: &Module,
    ) -> Option<Self> {
        if !may_be_inlined(sig, block) {
            return None;
        }
        let function = function_of(own, of, sig, block)?;
        Some(MethodBody::read(function, fingerprint(sig, block), module))
    }

    /// The body of a function.
    pub(super) fn of_function(item: &syn::ItemFn, module: &Module) -> Option<Self> {
        let fingerprint = fingerprint(&item.sig, &item.block);
        may_be_inlined(&item.sig, &item.block)
            .then(|| MethodBody::read(item.clone(), fingerprint, module))
    }

    fn read(function: syn::ItemFn, fingerprint: u64, module: &Module) -> Self {
        let imports = Imports::of(module, &function.to_token_stream());
        let mut free = HashSet::new();
        free_words(function.block.to_token_stream(), &mut free);
        let mut bound = Bound::default();
        bound.visit_signature(&function.sig);
        bound.visit_block(&function.block);
        free.retain(|name| !bound.names.contains(name));
        MethodBody {
            block: imports
                .in_full(None, &function.sig, &function.block)
                .into_owned(),
            sig: function.sig,
            free,
            words: words_of(&function.block),
            fingerprint,
            imports,
        }
    }
}

/// A method of the type `own` as a function of its receiver, `__this`.
pub(super) fn as_function_of(
    own: &syn::Ident,
    sig: &syn::Signature,
    block: &syn::Block,
) -> Option<syn::ItemFn> {
    function_of(own, &syn::parse_quote!(#own), sig, block)
}

/// A method of `of`, which is `own`, or a reference to that, as a function.
fn function_of(
    own: &syn::Ident,
    of: &syn::Type,
    sig: &syn::Signature,
    block: &syn::Block,
) -> Option<syn::ItemFn> {
    let mut sig = sig.clone();
    if let Some(syn::FnArg::Receiver(receiver)) = sig.inputs.first() {
        let (this, mutable) = (format_ident!("__this"), &receiver.mutability);
        let first = match &receiver.kind {
            syn::ReceiverKind::Reference(_, _, unique) => {
                syn::parse_quote!(#this: &#unique #of)
            }
            _ => syn::parse_quote!(#mutable #this: #of),
        };
        sig.inputs[0] = first;
    }
    syn::parse2(as_function(own, quote!(#sig #block))).ok()
}

/// The name of the constant by which rustc compares the text of a method's body.
pub(crate) fn text_of_method(method: &syn::Ident) -> syn::Ident {
    let name = method.to_string();
    format_ident!("__{}_TEXT", bare(&name))
}

/// ```text
/// Input:  self.a + Self::B
/// Output: __this.a + Own::B
/// ```
fn as_function(own: &syn::Ident, tokens: TokenStream) -> TokenStream {
    let tokens = renamed(tokens, "Self", &own.to_string());
    renamed(tokens, "self", "__this")
}

impl Method {
    /// A method in an `impl` of a type, `own`, which is `itself` with the parameters of the `impl`, unless the method is generic, or its
    /// attributes may make something else of it. `may_lend`: it has no rules, so that a reference that it returns is a constant.
    pub(super) fn new(
        own: &syn::Path,
        itself: &syn::Type,
        generics: &syn::Generics,
        method: &syn::ImplItemFn,
        module: Option<&Module>,
        may_lend: bool,
    ) -> Option<Self> {
        let mut sig = method.sig.clone();
        without_self(itself).visit_signature_mut(&mut sig);
        let is_known = match constant_items_of(&sig) {
            Some(_) => is_plain(&syn::Signature {
                output: syn::ReturnType::Default,
                ..sig.clone()
            }),
            None => is_plain(&sig) || may_lend && is_getter(&sig),
        };
        if !are_as_written(&method.attrs) || !is_known {
            return None;
        }
        let module = module.filter(|_| generics.params.is_empty());
        let body =
            |module| MethodBody::new(own.get_ident()?, itself, &method.sig, &method.block, module);
        Some(Method {
            body: module.and_then(body).map(Rc::new),
            sig,
            generics: Rc::new(generics.clone()),
            used: Used::default(),
        })
    }

    /// Items that compile if the method of this type has this signature and body, and is the one that calls on the type mean.
    pub(super) fn check(&self, own: &syn::Path, itself: &syn::Type) -> TokenStream {
        let mut sig = self.sig.clone();
        absolute().visit_return_type_mut(&mut sig.output);
        let (method, output) = (&sig.ident, &sig.output);
        let inputs = sig.inputs.iter().map(|input| match input {
            syn::FnArg::Typed(input) => input.ty.to_token_stream(),
            syn::FnArg::Receiver(receiver) => match &receiver.kind {
                syn::ReceiverKind::Reference(_, _, mutability) => quote!(&#mutability #itself),
                _ => quote!(#itself),
            },
        });
        let (generics, _, bounds) = self.generics.split_for_impl();
        if let Some(item) = constant_items_of(&sig) {
            let args: Vec<_> = (0..sig.inputs.len())
                .map(|k| format_ident!("arg_{k}"))
                .collect();
            return quote! {
                const _: () = {
                    fn of #generics(#(#args: #inputs),*) #bounds {
                        let mut items = <#itself>::#method(#(#args),*);
                        let _: ::core::option::Option<#item> = ::core::iter::Iterator::next(&mut items);
                    }
                };
            };
        }
        let signature = quote! {
            const _: () = {
                fn holds #generics() #bounds { let _: fn(#(#inputs),*) #output = <#itself>::#method; }
            };
        };
        let Some(body) = &self.body else {
            return signature;
        };
        let text = text_of_method(method);
        let fingerprint = body.fingerprint;
        let imports = body.imports.checks();
        let only = sig.receiver().map(|receiver| {
            let is_kind = |wanted: &str| match &receiver.kind {
                syn::ReceiverKind::Reference(_, _, Some(_)) => wanted == "unique",
                syn::ReceiverKind::Reference(..) => wanted == "shared",
                _ => wanted == "value",
            };
            let forms = [
                ("value", quote!(#own)),
                ("shared", quote!(&#own)),
                ("unique", quote!(&mut #own)),
            ];
            let args: Vec<_> = sig.inputs.iter().skip(1).map(|_| quote!(())).collect();
            let params = (0..args.len()).map(|k| format_ident!("a{k}"));
            // A trait's method that is found before the type's own would be as good as this one.
            let calls = forms.into_iter().filter(|(kind, _)| !is_kind(kind));
            let calls = calls.map(|(_, form)| {
                quote!(const _: fn(#form) = |of| { let _: Theirs = of.#method(#(#args),*); };)
            });
            quote! {
                const _: () = {
                    struct Theirs;
                    trait NoOtherTraitHasThis: ::core::marker::Sized {
                        fn #method(self, #(#params: ()),*) -> Theirs { Theirs }
                    }
                    impl NoOtherTraitHasThis for #own {}
                    impl NoOtherTraitHasThis for &#own {}
                    impl NoOtherTraitHasThis for &mut #own {}
                    #(#calls)*
                };
            }
        });
        quote! {
            #signature
            const _: () = ::core::assert!(#own::#text == #fingerprint);
            #imports
            #only
        }
    }
}

/// True if a method is determined by its signature, for any arguments of one type each.
fn is_plain(sig: &syn::Signature) -> bool {
    is_monomorphic(sig, &["Self", "dyn"])
        && sig.receiver().is_none_or(is_plain_receiver)
        && !borrows_from_arguments(sig)
}

/// True if a method is a getter, `fn node(&self, id: Id) -> &Node`: its result borrows from the receiver.
fn is_getter(sig: &syn::Signature) -> bool {
    let syn::ReturnType::Type(_, ty) = &sig.output else {
        return false;
    };
    let syn::Type::Reference(lent) = &**ty else {
        return false;
    };
    let borrows = |receiver: &syn::Receiver| {
        matches!(receiver.kind, syn::ReceiverKind::Reference(_, None, None))
    };
    let mut others = sig.inputs.iter().filter_map(|input| match input {
        syn::FnArg::Typed(input) => Some(&input.ty),
        syn::FnArg::Receiver(_) => None,
    });
    let target = &lent.elem;
    sig.receiver().is_some_and(borrows)
        && lent.lifetime.is_none()
        && lent.mutability.is_none()
        && !others.any(|ty| has_reference(ty) || !lifetimes_in(ty).is_empty())
        && is_plain(&syn::Signature {
            output: syn::parse_quote!(-> #target),
            ..sig.clone()
        })
}

/// The items of an iterator that a method returns, if they have no tangent.
fn constant_items_of(sig: &syn::Signature) -> Option<&syn::Type> {
    match &sig.output {
        syn::ReturnType::Type(_, ty) => constant_items(ty, &Declared::default()),
        syn::ReturnType::Default => None,
    }
}

//! Types that stand beside a function: the fields of structs, and the signatures of methods.
//!
//! Input: declarations. Output: an [`Own`] for each type, and checks by which rustc compares what was taken from the file with what the names mean.
//!
//! A field whose type has a tangent counts only if its struct derives `Differentiable`, and if it isn't constant: then the derive says that the tangent
//! has a field of the same name, with the tangent of that type.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use proc_macro2::{Group, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use syn::visit::Visit;
use syn::visit_mut::VisitMut;

use super::siblings::{fingerprint, is_as_written, lends, may_be_inlined, words};
use super::imports::Bound;
use super::{Imports, Site};
use crate::types::written::primitive_named;
use crate::types::{Declared, from_written};

/// A type without parameters: its fields and methods.
#[derive(Clone, Debug, Default)]
pub(crate) struct Own {
    fields: Vec<(syn::Member, syn::Type)>,
    /// A name that is declared twice has none.
    methods: HashMap<String, Option<Method>>,
    /// It derives `Differentiable`.
    derived: bool,
}

/// A method or associated function.
#[derive(Clone, Debug)]
pub(crate) struct Method {
    /// Without `Self`.
    sig: syn::Signature,
    body: Option<Rc<MethodBody>>,
}

/// A method as a function of its receiver, whose body may be inlined.
#[derive(Clone, Debug)]
pub(crate) struct MethodBody {
    pub(crate) sig: syn::Signature,
    pub(crate) block: syn::Block,
    /// Its words that are neither members nor variables of its own: they stand for items.
    pub(crate) free: HashSet<String>,
    /// All of its words.
    pub(super) words: HashSet<String>,
    fingerprint: u64,
    imports: Imports,
}

impl MethodBody {
    fn new(own: &syn::Ident, method: &syn::ImplItemFn, site: &Site) -> Option<Self> {
        if !may_be_inlined(&method.sig, &method.block) {
            return None;
        }
        let mut sig = method.sig.clone();
        if let (Some(receiver), Some(first)) = (method.sig.receiver(), sig.inputs.first_mut()) {
            let this = format_ident!("__this");
            *first = match &receiver.kind {
                syn::ReceiverKind::Reference(_, _, mutability) => {
                    syn::parse_quote!(#this: &#mutability #own)
                }
                _ if receiver.mutability.is_some() => syn::parse_quote!(mut #this: #own),
                _ => syn::parse_quote!(#this: #own),
            };
        }
        let block = &method.block;
        let function: syn::ItemFn = syn::parse2(as_function(own, quote!(#sig #block))).ok()?;
        let imports = super::imports(Some(site), &function.to_token_stream());
        let mut free = HashSet::new();
        free_words(function.block.to_token_stream(), &mut free);
        let mut all = HashSet::new();
        words(function.block.to_token_stream(), &mut all);
        let mut bound = Bound::default();
        bound.visit_signature(&function.sig);
        bound.visit_block(&function.block);
        free.retain(|name| !bound.names.contains(name));
        Some(MethodBody {
            block: imports.in_full(&function.sig, &function.block).into_owned(),
            sig: function.sig,
            free,
            words: all,
            fingerprint: fingerprint(&method.sig, &method.block),
            imports,
        })
    }
}

/// The name of the constant by which rustc compares the text of a method's body.
pub(crate) fn text_of_method(method: &syn::Ident) -> syn::Ident {
    let name = method.to_string();
    format_ident!("__{}_TEXT", super::bare(&name))
}

/// ```text
/// Input:  self.a + Self::B
/// Output: __this.a + Own::B
/// ```
fn as_function(own: &syn::Ident, tokens: TokenStream) -> TokenStream {
    let named = |tree: TokenTree| match tree {
        TokenTree::Ident(name) if name == "Self" => {
            TokenTree::Ident(syn::Ident::new(&own.to_string(), name.span()))
        }
        TokenTree::Ident(name) if name == "self" => {
            TokenTree::Ident(syn::Ident::new("__this", name.span()))
        }
        TokenTree::Group(group) => {
            let mut inner = Group::new(group.delimiter(), as_function(own, group.stream()));
            inner.set_span(group.span());
            TokenTree::Group(inner)
        }
        tree => tree,
    };
    tokens.into_iter().map(named).collect()
}

/// The words that aren't members: `b` and `f` of `a.b.f(f(b))`, without `a`'s own.
fn free_words(tokens: TokenStream, all: &mut HashSet<String>) {
    let mut before = ' ';
    let mut earlier = ' ';
    for tree in tokens {
        let mark = match &tree {
            TokenTree::Punct(mark) => mark.as_char(),
            _ => ' ',
        };
        match tree {
            TokenTree::Ident(name) if before != '.' || earlier == '.' => {
                all.insert(super::bare(&name.to_string()).to_owned());
            }
            TokenTree::Group(group) => free_words(group.stream(), all),
            _ => {}
        }
        (earlier, before) = (before, mark);
    }
}

impl Own {
    /// Adds the fields of the type, unless its declaration may not be what rustc sees.
    pub(super) fn declare(&mut self, item: &syn::ItemStruct) {
        if !item.generics.params.is_empty() || !item.attrs.iter().all(leaves_fields) {
            return;
        }
        self.derived = item.attrs.iter().any(derives_tangent);
        for (member, field) in item.fields.members().zip(&item.fields) {
            let is = |attr: &syn::Attribute, name: &str| attr.path().is_ident(name);
            let constant = field.attrs.iter().any(|attr| is(attr, "constant"));
            let as_written =
                (field.attrs.iter()).all(|attr| is(attr, "doc") || is(attr, "constant"));
            let active = self.derived && !constant;
            let ty = from_written(&field.ty, &Declared::default());
            if as_written
                && ty.is_some_and(|ty| ty.is_plain() && (active || !ty.may_have_tangent()))
            {
                self.fields.push((member, field.ty.clone()));
            }
        }
    }

    /// Adds a method; its body, if there is a site to look at.
    pub(super) fn add(&mut self, own: &str, method: &syn::ImplItemFn, site: Option<&Site>) {
        let mut sig = method.sig.clone();
        let own = syn::Ident::new(own, sig.ident.span());
        Selfless(&own).visit_signature_mut(&mut sig);
        let known = is_as_written(&method.attrs) && is_plain(&sig);
        let name = sig.ident.to_string();
        let all = self.methods.entry(name);
        let taken = matches!(all, std::collections::hash_map::Entry::Occupied(_));
        let method = (known && !taken).then(|| Method {
            body: site
                .and_then(|site| MethodBody::new(&own, method, site))
                .map(Rc::new),
            sig,
        });
        all.insert_entry(method);
    }

    /// The bodies of its methods.
    pub(super) fn bodies(&self) -> impl Iterator<Item = &Rc<MethodBody>> {
        let methods = self.methods.values().flatten();
        methods.filter_map(|method| method.body.as_ref())
    }

    /// The body of a method, with the method's name as it is declared.
    pub(crate) fn body(&self, method: &str) -> Option<&Rc<MethodBody>> {
        self.methods.get(method)?.as_ref()?.body.as_ref()
    }

    /// The type of a field.
    pub(crate) fn field(&self, member: &syn::Member) -> Option<&syn::Type> {
        let mut fields = self.fields.iter();
        fields.find(|(known, _)| known == member).map(|(_, ty)| ty)
    }

    /// The signature of a method, without `Self`.
    pub(crate) fn method(&self, name: &str) -> Option<&syn::Signature> {
        Some(&self.methods.get(name)?.as_ref()?.sig)
    }

    pub(crate) const fn is_derived(&self) -> bool {
        self.derived
    }

    /// Keeps what a function may name.
    pub(super) fn keep(&mut self, mentioned: &HashSet<String>) {
        self.fields.retain(|(member, _)| match member {
            syn::Member::Named(name) => mentioned.contains(super::bare(&name.to_string())),
            syn::Member::Unnamed(_) => true,
        });
        (self.methods)
            .retain(|name, method| method.is_some() && mentioned.contains(super::bare(name)));
    }

    /// Leaves what has types with names that may be those of others.
    pub(super) fn leave(&mut self, hides: &dyn Fn(&syn::Type) -> bool) {
        self.fields.retain(|(_, ty)| !hides(ty));
        self.methods
            .retain(|_, method| match method.as_ref().map(|method| &method.sig.output) {
                Some(syn::ReturnType::Type(_, ty)) => !hides(ty),
                _ => true,
            });
    }

    /// Items that compile if the type has these fields and methods.
    pub(super) fn check(&self, name: &syn::Ident) -> TokenStream {
        let (members, mut types): (Vec<_>, Vec<_>) = self.fields.iter().cloned().unzip();
        types.iter_mut().for_each(|ty| Absolute.visit_type_mut(ty));
        let fields = (!members.is_empty())
            .then(|| quote!(const _: fn(&#name) = |of| { #(let _: &#types = &of.#members;)* };));
        let mut methods: Vec<&Method> = self.methods.values().flatten().collect();
        methods.sort_by_key(|method| method.sig.ident.to_string());
        let methods = methods.into_iter().map(|method| method.check(name));
        quote!(#fields #(#methods)*)
    }
}

impl Method {
    /// Items that compile if the method of this type has this signature and body, and is the one that calls on the type mean.
    fn check(&self, own: &syn::Ident) -> TokenStream {
        let mut sig = self.sig.clone();
        Absolute.visit_return_type_mut(&mut sig.output);
        let (method, output) = (&sig.ident, &sig.output);
        let inputs = sig.inputs.iter().map(|input| match input {
            syn::FnArg::Typed(input) => input.ty.to_token_stream(),
            syn::FnArg::Receiver(receiver) => match &receiver.kind {
                syn::ReceiverKind::Reference(_, _, mutability) => quote!(&#mutability #own),
                _ => quote!(#own),
            },
        });
        let signature = quote!(const _: fn(#(#inputs),*) #output = #own::#method;);
        let Some(body) = &self.body else {
            return signature;
        };
        let (text, fingerprint, imports) = (
            text_of_method(method),
            body.fingerprint,
            body.imports.checks(),
        );
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

/// Names a type in place of `Self`.
struct Selfless<'a>(&'a syn::Ident);

impl VisitMut for Selfless<'_> {
    fn visit_type_mut(&mut self, ty: &mut syn::Type) {
        match ty {
            syn::Type::Path(path) if path.path.is_ident("Self") => {
                let own = self.0;
                *ty = syn::parse_quote!(#own);
            }
            ty => syn::visit_mut::visit_type_mut(self, ty),
        }
    }
}

/// Names primitive types by their paths, whatever an import makes of their names.
struct Absolute;

impl VisitMut for Absolute {
    fn visit_type_mut(&mut self, ty: &mut syn::Type) {
        match ty {
            syn::Type::Path(path)
                if path
                    .path
                    .get_ident()
                    .is_some_and(|name| primitive_named(&name.to_string()).is_some()) =>
            {
                *ty = syn::parse_quote!(::core::primitive::#path);
            }
            ty => syn::visit_mut::visit_type_mut(self, ty),
        }
    }
}

/// True if a method is what its signature says, for any arguments of one type each.
fn is_plain(sig: &syn::Signature) -> bool {
    let written = |receiver: &syn::Receiver| {
        matches!(
            receiver.kind,
            syn::ReceiverKind::Value | syn::ReceiverKind::Reference(_, None, _)
        )
    };
    let mut text = HashSet::new();
    words(sig.to_token_stream(), &mut text);
    let special = ["unsafe", "async", "extern", "impl", "where", "Self", "dyn"];
    sig.generics.params.is_empty()
        && sig.receiver().is_none_or(written)
        && !lends(sig)
        && !special.iter().any(|word| text.contains(*word))
}

/// True if an attribute leaves a struct's fields as they are written, and where they can be borrowed.
fn leaves_fields(attr: &syn::Attribute) -> bool {
    let known = [
        "allow",
        "derive",
        "doc",
        "expect",
        "must_use",
        "non_exhaustive",
        "warn",
    ];
    let mut text = HashSet::new();
    words(attr.meta.to_token_stream(), &mut text);
    known.iter().any(|name| attr.path().is_ident(name))
        || attr.path().is_ident("repr") && !text.contains("packed")
}

/// True if it is `#[derive(.., Differentiable, ..)]`.
fn derives_tangent(attr: &syn::Attribute) -> bool {
    let mut text = HashSet::new();
    words(attr.meta.to_token_stream(), &mut text);
    attr.path().is_ident("derive") && text.contains("Differentiable")
}

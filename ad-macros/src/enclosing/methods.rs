//! Methods and operators of the file's types: their signatures, bodies that may be inlined, and checks by which rustc compares both with what the names
//! mean.

use std::cell::Cell;
use std::collections::HashSet;
use std::rc::Rc;

use proc_macro2::{Group, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use syn::visit::Visit;
use syn::visit_mut::VisitMut;

use super::imports::Bound;
use super::siblings::{fingerprint, is_as_written, lends, may_be_inlined, words};
use super::structs::{Absolute, Selfless};
use super::{Imports, Site};
use crate::emit::{operator_marker, unary_marker};
use crate::ir::{BinaryOp, Operator, OperatorKind};
use crate::types::Declared;
use crate::types::written::{constant_items, ungrouped};

/// A method or associated function.
#[derive(Clone, Debug)]
pub(crate) struct Method {
    /// Without `Self`.
    sig: syn::Signature,
    body: Option<Rc<MethodBody>>,
    /// Something has been learnt from it.
    used: Rc<Cell<bool>>,
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
    /// The body of a method of `of`, which is `own`, or a reference to that.
    fn new(
        own: &syn::Ident,
        of: &syn::Type,
        sig: &syn::Signature,
        block: &syn::Block,
        site: &Site,
    ) -> Option<Self> {
        if !may_be_inlined(sig, block) {
            return None;
        }
        let fingerprint = fingerprint(sig, block);
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
        let function: syn::ItemFn = syn::parse2(as_function(own, quote!(#sig #block))).ok()?;
        let imports = super::imports(Some(site), &function.to_token_stream());
        let (mut all, mut free) = (HashSet::new(), HashSet::new());
        words(function.block.to_token_stream(), &mut all);
        free_words(function.block.to_token_stream(), &mut free);
        let mut bound = Bound::default();
        bound.visit_signature(&function.sig);
        bound.visit_block(&function.block);
        free.retain(|name| !bound.names.contains(name));
        Some(MethodBody {
            block: imports.in_full(&function.sig, &function.block).into_owned(),
            sig: function.sig,
            free,
            words: all,
            fingerprint,
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

impl Method {
    /// A method of the type `own`, unless it is generic, or its attributes may make something else of it.
    pub(super) fn new(own: &str, method: &syn::ImplItemFn, site: Option<&Site>) -> Option<Self> {
        let mut sig = method.sig.clone();
        let own = syn::Ident::new(own, sig.ident.span());
        Selfless(&own).visit_signature_mut(&mut sig);
        let is_known = match constant_items_of(&sig) {
            Some(_) => is_plain(&syn::Signature {
                output: syn::ReturnType::Default,
                ..sig.clone()
            }),
            None => is_plain(&sig),
        };
        if !is_as_written(&method.attrs) || !is_known {
            return None;
        }
        let of = syn::parse_quote!(#own);
        let body = |site| MethodBody::new(&own, &of, &method.sig, &method.block, site);
        Some(Method {
            body: site.and_then(body).map(Rc::new),
            sig,
            used: Rc::default(),
        })
    }

    /// Without `Self`.
    pub(crate) fn sig(&self) -> &syn::Signature {
        &self.sig
    }

    /// True if something has been learnt from it, which has to be checked.
    pub(super) fn is_used(&self) -> bool {
        self.used.get()
    }

    pub(super) fn mark_used(&self) {
        self.used.set(true);
    }

    /// The body, if it may be inlined.
    pub(crate) fn body(&self) -> Option<&Rc<MethodBody>> {
        self.body.as_ref()
    }

    /// Items that compile if the method of this type has this signature and body, and is the one that calls on the type mean.
    pub(super) fn check(&self, own: &syn::Ident) -> TokenStream {
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
        if let Some(item) = constant_items_of(&sig) {
            let args: Vec<_> = (0..sig.inputs.len())
                .map(|k| format_ident!("arg_{k}"))
                .collect();
            return quote! {
                const _: fn(#(#inputs),*) = |#(#args),*| {
                    fn holds<I: ::core::iter::Iterator<Item = #item>>(_: I) {}
                    holds(#own::#method(#(#args),*));
                };
            };
        }
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

/// The items of an iterator that a method returns, if they have no tangent.
fn constant_items_of(sig: &syn::Signature) -> Option<&syn::Type> {
    match &sig.output {
        syn::ReturnType::Type(_, ty) => constant_items(ty, &Declared::default()),
        syn::ReturnType::Default => None,
    }
}

/// An `impl` of an operator.
#[derive(Clone, Debug)]
pub(crate) struct Overload {
    kind: OperatorKind,
    /// As the `impl` takes them, with `&`.
    operands: Vec<syn::Type>,
    output: syn::Type,
    body: Option<Rc<MethodBody>>,
    /// Something has been learnt from it.
    used: Cell<bool>,
}

impl Overload {
    /// The operator that a block implements, if all that it says stands there; with its body, if there is a site to look at.
    pub(super) fn new(block: &syn::ItemImpl, site: Option<&Site>) -> Option<Self> {
        let (of, name) = (&block.self_ty, block.trait_.as_ref()?.0.segments.last()?);
        let kind = OperatorKind::of_trait(&name.ident.to_string())?;
        let mut methods = block.items.iter().filter_map(|item| match item {
            syn::ImplItem::Fn(method) => Some(method),
            _ => None,
        });
        let output = block.items.iter().find_map(|item| match item {
            syn::ImplItem::Type(item) if item.ident == "Output" => Some(item.ty.clone()),
            _ => None,
        });
        let (method, None) = (methods.next()?, methods.next()) else {
            return None;
        };
        let own = own_name(of)?;
        let mut sig = method.sig.clone();
        if let Some(output) = &output {
            sig.output = syn::parse_quote!(-> #output);
        }
        let mut said = HashSet::new();
        words(sig.to_token_stream(), &mut said);
        words(method.block.to_token_stream(), &mut said);
        // `Self` is a reference then.
        let by_reference = matches!(ungrouped(of), syn::Type::Reference(_));
        if !block.generics.params.is_empty()
            || !is_as_written(&block.attrs)
            || !is_as_written(&method.attrs)
            || said.contains("Output")
            || by_reference && said.contains("Self")
            || lends(&sig)
        {
            return None;
        }
        let body = |site| MethodBody::new(own, of, &sig, &method.block, site);
        let body = site.and_then(body).map(|body| MethodBody {
            fingerprint: fingerprint(&method.sig, &method.block),
            ..body
        });
        Selfless(own).visit_signature_mut(&mut sig);
        let mut operands = vec![(**of).clone()];
        for input in sig.inputs.iter().skip(1) {
            let syn::FnArg::Typed(input) = input else {
                return None;
            };
            operands.push((*input.ty).clone());
        }
        let mut output = output.unwrap_or_else(|| syn::parse_quote!(()));
        Selfless(own).visit_type_mut(&mut output);
        (operands.len() == kind.operands()).then(|| Overload {
            kind,
            operands,
            output,
            body: body.map(Rc::new),
            used: Cell::new(false),
        })
    }

    /// True if something has been learnt from it, which has to be checked.
    pub(super) fn is_used(&self) -> bool {
        self.used.get()
    }

    pub(super) fn mark_used(&self) {
        self.used.set(true);
    }

    /// True if it is this operator on operands of these types.
    pub(crate) fn is(&self, kind: OperatorKind, operands: &[String]) -> bool {
        let own = self
            .operands
            .iter()
            .map(|ty| ty.to_token_stream().to_string());
        self.kind == kind && own.eq(operands.iter().cloned())
    }

    pub(crate) fn operands(&self) -> &[syn::Type] {
        &self.operands
    }

    pub(crate) fn output(&self) -> &syn::Type {
        &self.output
    }

    pub(crate) fn body(&self) -> Option<&Rc<MethodBody>> {
        self.body.as_ref()
    }

    /// Items that compile if the operator has this result and body.
    pub(super) fn check(&self, rt: &TokenStream) -> TokenStream {
        let (mut operands, mut output) = (self.operands.clone(), self.output.clone());
        operands
            .iter_mut()
            .for_each(|ty| Absolute.visit_type_mut(ty));
        Absolute.visit_type_mut(&mut output);
        let refs = |k: usize| matches!(operands.get(k), Some(syn::Type::Reference(_)));
        let bare = |k: usize| match &operands[k] {
            syn::Type::Reference(ty) => &ty.elem,
            _ => &operands[k],
        };
        let rules = |of: BinaryOp, assign: bool| {
            let operator = Operator {
                op: of,
                refs: [refs(0), refs(1)],
                assign,
            };
            let (marker, right) = (operator_marker(operator, rt), bare(1));
            quote!(#rt::BinaryRules<#marker, #right>)
        };
        let rules = match self.kind {
            OperatorKind::Binary(op) => rules(op, false),
            OperatorKind::Assign(op) => rules(op, true),
            OperatorKind::Unary(op) => {
                let marker = unary_marker(op, refs(0), rt);
                quote!(#rt::UnaryRules<#marker>)
            }
        };
        let path = self.kind.method();
        let call = match self.kind {
            OperatorKind::Unary(_) => quote!(|a| #path(a)),
            _ => quote!(|a, b| #path(a, b)),
        };
        let mut taken = operands.clone();
        if let (OperatorKind::Assign(_), Some(first)) = (self.kind, taken.first_mut()) {
            *first = syn::parse_quote!(&mut #first);
        }
        let signature = quote!(const _: fn(#(#taken),*) -> #output = #call;);
        let text = self.body.as_ref().map(|body| {
            let (left, fingerprint, imports) = (bare(0), body.fingerprint, body.imports.checks());
            quote! {
                const _: () = ::core::assert!(<#left as #rules>::TEXT == #fingerprint);
                #imports
            }
        });
        quote!(#signature #text)
    }
}

/// The name of a type, or of that behind a reference.
fn own_name(ty: &syn::Type) -> Option<&syn::Ident> {
    match ungrouped(ty) {
        syn::Type::Reference(ty) if ty.mutability.is_none() && ty.lifetime.is_none() => {
            own_name(&ty.elem)
        }
        syn::Type::Path(path) if path.qself.is_none() => path.path.get_ident(),
        _ => None,
    }
}

/// An `impl` of `Index` for a type of the file, with that of `IndexMut` if there is one.
#[derive(Clone, Debug)]
pub(crate) struct Indexing {
    own: syn::Ident,
    key: syn::Type,
    output: syn::Type,
    /// Where an element is, if both methods say that it is in the same place.
    part: Option<Part>,
    /// The fingerprints of both methods.
    texts: [Option<u64>; 2],
    /// The methods may return different places.
    differs: bool,
    used: Cell<bool>,
}

/// Where an element is: `self.rows[E][F]`.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// The method as a function that returns the positions: `E`, or `(E, F)`.
    pub(crate) body: Rc<MethodBody>,
    /// Fields, and `None` for the next position.
    pub(crate) steps: Vec<Option<syn::Member>>,
}

/// The type of an index, if a block implements indexing, and whether it is `IndexMut`.
fn indexing_of(block: &syn::ItemImpl) -> Option<(&syn::Type, bool)> {
    let last = block.trait_.as_ref()?.0.segments.last()?;
    let mutable = match last.ident.to_string().as_str() {
        "Index" => false,
        "IndexMut" => true,
        _ => return None,
    };
    let syn::PathArguments::AngleBracketed(args) = &last.arguments else {
        return None;
    };
    match args.args.first()? {
        syn::GenericArgument::Type(key) if args.args.len() == 1 => Some((key, mutable)),
        _ => None,
    }
}

/// The text of a body, with the names that the method for shared references would have.
fn without_mut(block: &syn::Block) -> String {
    let text = block.to_token_stream().to_string();
    text.replace("_mut", "").replace("mut ", "")
}

fn method_of(block: &syn::ItemImpl) -> Option<&syn::ImplItemFn> {
    block.items.iter().find_map(|item| match item {
        syn::ImplItem::Fn(method) => Some(method),
        _ => None,
    })
}

impl Indexing {
    /// The indexing that these blocks implement, each of them with a site to look at if it has rules.
    pub(super) fn all(blocks: &[(syn::ItemImpl, Option<&Site>)]) -> Vec<Self> {
        let plain =
            |block: &syn::ItemImpl| block.generics.params.is_empty() && is_as_written(&block.attrs);
        let mut all = Vec::new();
        for (block, site) in blocks {
            let Some((key, false)) = indexing_of(block) else {
                continue;
            };
            let same = |other: &syn::ItemImpl, mutable: bool| {
                indexing_of(other) == Some((key, mutable)) && other.self_ty == block.self_ty
            };
            let count = |mutable| {
                blocks
                    .iter()
                    .filter(|(other, _)| same(other, mutable))
                    .count()
            };
            let unique = blocks.iter().find(|(other, _)| same(other, true));
            let output = block.items.iter().find_map(|item| match item {
                syn::ImplItem::Type(item) if item.ident == "Output" => Some(item.ty.clone()),
                _ => None,
            });
            let (Some(own), Some(output), Some(method)) =
                (own_name(&block.self_ty), output, method_of(block))
            else {
                continue;
            };
            if !plain(block) || count(false) > 1 || count(true) > 1 || !is_as_written(&method.attrs)
            {
                continue;
            }
            let mut output = output;
            Selfless(own).visit_type_mut(&mut output);
            let other = unique.and_then(|(other, _)| method_of(other));
            let differs =
                other.is_some_and(|other| without_mut(&other.block) != without_mut(&method.block));
            let shared = site.and_then(|site| Part::new(own, method, site));
            let mut texts = [Some(fingerprint(&method.sig, &method.block)), None];
            let part = match unique {
                None => shared,
                Some((other, site)) => {
                    let method = method_of(other).filter(|method| is_as_written(&method.attrs));
                    texts[1] = method.map(|method| fingerprint(&method.sig, &method.block));
                    let other = method
                        .filter(|_| plain(other))
                        .zip(*site)
                        .and_then(|(method, site)| Part::new(own, method, site));
                    shared.filter(|part| other.is_some_and(|other| part.is_same(&other)))
                }
            };
            all.push(Indexing {
                own: own.clone(),
                key: key.clone(),
                output,
                part,
                texts,
                differs,
                used: Cell::new(false),
            });
        }
        all
    }

    /// True if it is indexing of this type.
    pub(super) fn is_of(&self, own: &str) -> bool {
        self.own == own
    }

    pub(super) fn is_used(&self) -> bool {
        self.used.get()
    }

    pub(super) fn mark_used(&self) {
        self.used.set(true);
    }

    /// True if an element that is updated may be another one than is read.
    pub(crate) fn differs(&self) -> bool {
        self.differs
    }

    pub(crate) fn key(&self) -> &syn::Type {
        &self.key
    }

    pub(crate) fn output(&self) -> &syn::Type {
        &self.output
    }

    pub(crate) fn part(&self) -> Option<&Part> {
        self.part.as_ref()
    }

    /// Items that compile if indexing gives this type, and elements are where the methods say.
    pub(super) fn check(&self, rt: &TokenStream) -> TokenStream {
        let (own, mut key, mut output) = (&self.own, self.key.clone(), self.output.clone());
        Absolute.visit_type_mut(&mut key);
        Absolute.visit_type_mut(&mut output);
        let texts = self.part.as_ref().map(|part| {
            let rules = [quote!(IndexRules), quote!(IndexMutRules)];
            let texts = self.texts.iter().zip(rules);
            let texts = texts.filter_map(|(text, rules)| {
                let text = (*text)?;
                Some(quote!(
                    const _: () =
                        ::core::assert!(<#own as #rt::index::#rules<#key>>::TEXT == #text);
                ))
            });
            let imports = part.body.imports.checks();
            quote!(#(#texts)* #imports)
        });
        quote! {
            const _: fn(&#own, #key) -> &#output = |of, at| ::core::ops::Index::index(of, at);
            // There is no other type of an index that a literal could have.
            const _: fn(&#own) = |of| { let _ = &of[::core::default::Default::default()]; };
            #texts
        }
    }
}

impl Part {
    /// Where an element is, if the method ends in a place in `self` after statements.
    fn new(own: &syn::Ident, method: &syn::ImplItemFn, site: &Site) -> Option<Self> {
        let (syn::Stmt::Expr(tail, None), stmts) = method.block.stmts.split_last()? else {
            return None;
        };
        let syn::Expr::Reference(tail) = tail else {
            return None;
        };
        let (mut steps, mut positions) = (Vec::new(), Vec::new());
        place_in_self(&tail.expr, &mut steps, &mut positions)?;
        let mut sig = method.sig.clone();
        let syn::FnArg::Typed(param) = sig.inputs.get(1)?.clone() else {
            return None;
        };
        let (pat, ty, at) = (&param.pat, &param.ty, format_ident!("__at"));
        sig.inputs = syn::parse_quote!(&self, #at: #ty);
        let (result, count) = match &positions[..] {
            [one] => (one.to_token_stream(), quote!(::core::primitive::usize)),
            [] => return None,
            _ => {
                let types = positions.iter().map(|_| quote!(::core::primitive::usize));
                (quote!((#(#positions),*)), quote!((#(#types),*)))
            }
        };
        sig.output = syn::parse_quote!(-> #count);
        let block = syn::parse_quote!({ let #pat = #at; #(#stmts)* #result });
        let of = syn::parse_quote!(#own);
        let body = MethodBody::new(own, &of, &sig, &block, site)?;
        Some(Part {
            body: Rc::new(body),
            steps,
        })
    }

    fn is_same(&self, other: &Part) -> bool {
        self.steps == other.steps
            && self.body.block == other.body.block
            && self.body.sig.inputs == other.body.sig.inputs
    }
}

/// The steps of `self.rows[E][F]`, and the positions.
fn place_in_self(
    expr: &syn::Expr,
    steps: &mut Vec<Option<syn::Member>>,
    positions: &mut Vec<syn::Expr>,
) -> Option<()> {
    match expr {
        syn::Expr::Path(path) if path.path.is_ident("self") => {}
        syn::Expr::Paren(inner) => place_in_self(&inner.expr, steps, positions)?,
        syn::Expr::Field(field) => {
            place_in_self(&field.base, steps, positions)?;
            steps.push(Some(field.member.clone()));
        }
        syn::Expr::Index(index) if !matches!(*index.index, syn::Expr::Range(_)) => {
            place_in_self(&index.expr, steps, positions)?;
            steps.push(None);
            positions.push((*index.index).clone());
        }
        _ => return None,
    }
    Some(())
}

//! A rule as a function item: its signature from patterns and the user's types, its body from regions.
//!
//! Hidden pullbacks return the cotangents of owned arguments in a tuple with one position for each parameter, instead of adding them
//! through `&mut`. Cotangents of scalars stay values, so the transform stays in SSA form, and an inactive argument needs no shadow. Where
//! the callee declares the parameter constant, the mode puts the caller's zero in its place.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit_mut::VisitMut;

use super::expr::{annotation, lanes};
use super::region::Tail;
use super::{Emitter, function};
use crate::enclosing::Callees;
use crate::ir::{Func, Param, PassedBy, Pattern, SlotKind, Ty};
use crate::types::written::lifetimes_in;
use crate::types::{Declared, from_written};

/// When the signature promises that a pullback can go to other threads.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Threads {
    /// Whatever implements the method.
    Always,
    IfBoxed,
    Never,
}

/// The function that is being emitted.
#[derive(Clone)]
pub(crate) struct Entry<'a> {
    /// The path of the runtime's hidden module.
    pub(crate) rt: &'a TokenStream,
    pub(crate) vis: &'a syn::Visibility,
    pub(crate) name: Ident,
    pub(crate) generics: &'a syn::Generics,
    /// The parameters of the surrounding `impl` or trait, which the returned closure may capture.
    pub(crate) outer: &'a [syn::GenericArgument],
    /// The receiver as declared, for methods.
    pub(crate) receiver: Option<&'a syn::Receiver>,
    /// The pullback is boxed: its type would contain itself.
    pub(crate) boxed: bool,
    pub(crate) threads: Threads,
    /// Leaves are duals: a forward rule, or a reverse rule of second order.
    pub(crate) dual: bool,
    /// Where the rules of callees are.
    pub(crate) with: Found<'a>,
}

impl<'a> Entry<'a> {
    /// A private function that is in no `impl`, of a rule that isn't on duals.
    pub(crate) fn new(rt: &'a TokenStream, name: Ident, generics: &'a syn::Generics) -> Self {
        Entry {
            rt,
            vis: &syn::Visibility::Inherited,
            name,
            generics,
            outer: &[],
            receiver: None,
            boxed: false,
            threads: Threads::IfBoxed,
            dual: false,
            with: Found::default(),
        }
    }
}

/// Where the rules of callees are.
#[derive(Clone, Copy, Default)]
pub(crate) struct Found<'a> {
    /// Functions whose rules stand under another name.
    pub(crate) with: &'a [(syn::Path, syn::Path)],
    /// Functions that have none.
    pub(crate) callees: Option<&'a Callees>,
    /// The type of the `impl`, where it is known.
    pub(crate) own: Option<&'a syn::Type>,
}

/// A rule in parts.
pub(crate) struct Parts {
    /// True if it returns a pullback.
    pub(crate) split: bool,
    /// `pattern: type`, the receiver as declared.
    pub(crate) params: Vec<TokenStream>,
    pub(crate) output: TokenStream,
    pub(crate) body: TokenStream,
}

/// Emits one hidden rule.
pub(crate) fn emit_entry(func: &Func, entry: &Entry<'_>) -> TokenStream {
    let generics = function::rule_generics(func, entry);
    let entry = &Entry {
        generics: &generics,
        ..entry.clone()
    };
    emit_item(&emit_parts(func, entry), entry)
}

/// Emits one hidden rule in several directions.
pub(crate) fn emit_wide(func: &Func, entry: &Entry<'_>) -> TokenStream {
    let (rt, lanes) = (entry.rt, lanes());
    let mut generics = entry.generics.clone();
    generics.params.push(syn::parse_quote!(#lanes: #rt::Lanes));
    emit_entry(
        func,
        &Entry {
            generics: &generics,
            ..entry.clone()
        },
    )
}

/// A rule from its parts.
pub(crate) fn emit_item(parts: &Parts, entry: &Entry<'_>) -> TokenStream {
    let Parts {
        split,
        params,
        output,
        body,
    } = parts;
    let allow = split.then(|| quote!(#[allow(clippy::type_complexity)]));
    let Entry {
        vis,
        name,
        generics,
        ..
    } = entry;
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    quote! {
        #[doc(hidden)]
        #[inline]
        #allow
        #vis fn #name #impl_generics (#(#params),*) -> #output #where_clause {
            #body
        }
    }
}

/// Emits the parts of one rule.
pub(crate) fn emit_parts(func: &Func, entry: &Entry<'_>) -> Parts {
    let rt = entry.rt;
    let func = &*crate::pipeline::for_emission(func);
    let mut emitter = Emitter::new(func, rt, entry.with);
    let mut params = Vec::new();
    for (k, param) in func.params.iter().enumerate() {
        if param.captured {
            emitter.captured(param);
        } else if param.function.is_some() {
            let pattern = emitter.pattern(&param.pattern);
            let ty = function::param_type(func, k, entry);
            params.push(quote!(#pattern: #ty));
        } else if param.receiver {
            params.extend(emitter.receiver(param, entry));
        } else {
            let pattern = emitter.pattern(&param.pattern);
            let ty = parameter_type(func, param, rt);
            params.push(quote!(#pattern: #ty));
        }
    }
    let mut shadows = func.params.iter().enumerate().filter(|(_, p)| !p.constant);
    for (k, extra) in func.extra.iter().enumerate() {
        let pattern = emitter.pattern(extra);
        let ty = if k == 0 {
            if is_wide(func) {
                let tangent = output_tangent(func, rt);
                build_type(extra, rt, &mut |leaf| leaf_type(func, leaf, &tangent, rt))
            } else {
                seed_type(func, rt, depth(extra, entry.dual))
            }
        } else {
            match shadows.next() {
                Some((k, param)) if param.function.is_some() => {
                    function::reverse_type(func, k, entry)
                }
                Some((_, param)) => pattern_type(func, extra, param, &param.ty, rt, false),
                None => crate::diagnostics::bug!("a shadow without a parameter"),
            }
        };
        params.push(quote!(#pattern: #ty));
    }
    let output = if is_wide(func) && !(entry.dual && matches!(func.result, Pattern::Unit)) {
        let written = &func.output;
        let output = quote!(#written);
        build_type(&func.result, rt, &mut |leaf| {
            leaf_type(func, leaf, &output, rt)
        })
    } else {
        result_type(func, rt, depth(&func.result, entry.dual))
    };
    let items = &func.items;
    let statements = emitter.statements(&func.body);
    let result = match &func.result {
        // The body never gets here; the result's type is the signature's.
        _ if func.body.diverges() => quote!(::core::unreachable!()),
        Pattern::Unit if entry.dual => quote!(#rt::Dual((), #rt::NoTangent)),
        pattern => emitter.result(pattern),
    };
    let (output, result) = match &func.pullback {
        None => (output, result),
        Some(_) => emitter.pullback(entry, &output, &result),
    };
    let probes = emitter.probe_items();
    let is_frule = entry.dual && func.extra.is_empty() && func.pullback.is_none() && !is_wide(func);
    let bindings = is_frule.then(|| bindings(&func.tested_names));
    let body = quote! {
        #(#items)*
        #bindings
        #probes
        #statements
        #result
    };
    Parts {
        split: func.pullback.is_some(),
        params,
        output,
        body,
    }
}

/// Code that doesn't compile if one of the names in a pattern is that of a constant or a variant, which only rustc can tell.
fn bindings(names: &[Ident]) -> TokenStream {
    if names.is_empty() {
        return TokenStream::new();
    }
    quote!(const _: fn() = || { #(let #names = ();)* };)
}

impl Emitter<'_> {
    pub(super) fn statements(&mut self, region: &crate::ir::Region) -> TokenStream {
        let mut open = region.clone();
        open.yields.clear();
        let outer = std::mem::take(&mut self.unread);
        let mut out = self.region(
            &open,
            &Tail::Assign {
                targets: Vec::new(),
                stop: false,
            },
        );
        self.flush_all(&mut out);
        let unread = std::mem::replace(&mut self.unread, outer);
        quote!(#(let mut #unread = ::core::option::Option::None;)* #out)
    }

    /// A captured variable keeps its name, under which the rule finds it.
    fn captured(&mut self, param: &Param) {
        match &param.pattern {
            Pattern::Slot(s) => {
                self.slots.insert(*s, param.ident.clone());
            }
            Pattern::Value(v) => {
                self.values.insert(*v, param.ident.clone());
            }
            _ => crate::diagnostics::bug!("a captured variable with a tangent"),
        }
    }

    /// The receiver keeps its form; its tangent is a parameter of its own.
    fn receiver(&mut self, param: &Param, entry: &Entry<'_>) -> Vec<TokenStream> {
        let rt = self.rt;
        let Some(receiver) = entry.receiver else {
            crate::diagnostics::bug!("a receiver that isn't declared")
        };
        let mut leaves = Vec::new();
        param
            .pattern
            .each_leaf(&mut |leaf| leaves.push(leaf.clone()));
        let this = Ident::new("self", receiver.self_token.span);
        let mut form = receiver.clone();
        form.attrs.clear();
        if matches!(form.kind, syn::ReceiverKind::Value) {
            form.mutability = Some(syn::token::Mut::default());
        }
        let mut params = vec![quote!(#form)];
        let mut leaves = leaves.into_iter();
        match leaves.next() {
            Some(Pattern::Slot(s)) => {
                self.slots.insert(s, this);
            }
            Some(Pattern::Value(v)) => {
                self.values.insert(v, this);
            }
            _ => {}
        }
        for leaf in leaves {
            let pattern = self.pattern(&leaf);
            let ty = leaf_type(
                self.func,
                &leaf,
                &tangent_type(&param.ty, &Ty::Deferred, param.by, rt),
                rt,
            );
            params.push(quote!(#pattern: #ty));
        }
        // A constant receiver has a position for a tangent all the same.
        if param.constant && entry.dual {
            params.push(quote!(_: ()));
        }
        params
    }

    pub(super) fn pattern(&mut self, pattern: &Pattern) -> TokenStream {
        let rt = self.rt;
        match pattern {
            Pattern::Value(v) => {
                let ident = self.name(*v);
                quote!(#ident)
            }
            Pattern::Slot(s) => {
                let ident = self.slot(*s);
                if self.func.slot(*s).kind == SlotKind::Owned {
                    quote!(mut #ident)
                } else {
                    quote!(#ident)
                }
            }
            Pattern::Dual(a, b) => {
                let (a, b) = (self.pattern(a), self.pattern(b));
                quote!(#rt::Dual(#a, #b))
            }
            Pattern::CoDual(a, b) => {
                let (a, b) = (self.pattern(a), self.pattern(b));
                quote!(#rt::CoDual(#a, #b))
            }
            Pattern::Unit => quote!(_),
        }
    }

    pub(super) fn result(&mut self, pattern: &Pattern) -> TokenStream {
        let rt = self.rt;
        match pattern {
            Pattern::Dual(a, b) if matches!((&**a, &**b), (Pattern::Unit, Pattern::Unit)) => {
                quote!(#rt::Dual((), #rt::NoTangent))
            }
            Pattern::Value(v) => self.tokens(*v),
            Pattern::Dual(a, b) => {
                let (a, b) = (self.result(a), self.result(b));
                quote!(#rt::Dual(#a, #b))
            }
            _ => quote!(()),
        }
    }

    /// The pullback as a closure, and the type of the rule's result with it.
    fn pullback(
        &mut self,
        entry: &Entry<'_>,
        output: &TokenStream,
        result: &TokenStream,
    ) -> (TokenStream, TokenStream) {
        let rt = self.rt;
        let func = self.func;
        let Some(pullback) = &func.pullback else {
            crate::diagnostics::bug!("no pullback")
        };
        let mut patterns = vec![self.pattern(&pullback.seed)];
        let mut types = vec![seed_type(func, rt, depth(&pullback.seed, entry.dual))];
        for (k, (pattern, param)) in pullback.params.iter().zip(&func.params).enumerate() {
            // Inside, references are bound anew, and rustc can't tell that the lengths are those of before.
            pattern.each_leaf(&mut |leaf| {
                if let Pattern::Slot(s) = leaf {
                    let ident = self.names.fresh(&func.slot(*s).name);
                    self.slots.insert(*s, ident);
                    self.lens.retain(|_, place| place.root != *s);
                }
            });
            patterns.push(self.pattern(pattern));
            if param.function.is_some() {
                types.push(function::reverse_type(func, k, entry));
                continue;
            }
            types.push(pattern_type(func, pattern, param, &param.ty, rt, true));
        }
        let returned: Vec<TokenStream> = pullback
            .results
            .iter()
            .zip(&func.params)
            .map(|(pattern, param)| match pattern {
                Pattern::Unit => quote!(()),
                _ => pattern_type(func, pattern, param, &param.ty, rt, false),
            })
            .collect();
        self.capture_buffers();
        let statements = self.statements(&pullback.body);
        let values: Vec<TokenStream> = pullback.results.iter().map(|p| self.result(p)).collect();
        let annotated: Vec<TokenStream> = patterns
            .iter()
            .zip(&types)
            .map(|(p, t)| quote!(#p: #t))
            .collect();
        let closure = quote! {
            move |#(#annotated),*| -> (#(#returned,)*) { #statements (#(#values,)*) }
        };
        let bound = quote!(::core::ops::FnOnce(#(#types),*) -> (#(#returned,)*));
        let params = (func.params.iter()).map(|param| (&param.ty, param.lifetime.as_ref()));
        let captured = captured(entry.outer, entry.generics, params, &func.output);
        let threads = quote!(+ ::core::marker::Send + ::core::marker::Sync);
        if entry.boxed {
            let threads = (entry.threads != Threads::Never).then_some(threads);
            let lifetimes: Vec<_> = captured.iter().filter(|arg| is_lifetime(arg)).collect();
            // A trait object has one lifetime.
            let lifetime = match lifetimes[..] {
                [] => None,
                [one] => Some(quote!(+ #one)),
                _ => {
                    let shortest = shortest();
                    Some(quote!(+ #shortest))
                }
            };
            return (
                quote!((#output, #rt::Box<dyn #bound #threads #lifetime>)),
                quote!((#result, #rt::Box::new(#closure))),
            );
        }
        let sendable = (entry.threads == Threads::Always).then_some(threads);
        (
            quote!((#output, impl #bound #sendable + use<#(#captured),*>)),
            quote!((#result, #closure)),
        )
    }
}

/// Generic arguments that a returned closure may capture: all type and const parameters in scope, and the lifetimes inside of the
/// parameters' types and the result's. The caller passes the parameters' own references once more, so that their lifetimes are left out, except for
/// those of constants that the closure may keep.
pub(crate) fn captured<'a>(
    outer: &[syn::GenericArgument],
    generics: &syn::Generics,
    params: impl Iterator<Item = (&'a syn::Type, Option<&'a syn::Lifetime>)>,
    output: &syn::Type,
) -> Vec<syn::GenericArgument> {
    let (seen, returned) = (tracked(output), lifetimes_in(output));
    let mut mentioned = lifetimes_in(&seen);
    for (ty, own) in params {
        mentioned.extend(lifetimes_in(ty));
        mentioned.extend(own.filter(|own| !returned.contains(own)));
    }
    let own = parameters(generics).into_iter().filter(|arg| match arg {
        syn::GenericArgument::Lifetime(lifetime) => mentioned.contains(&lifetime),
        _ => true,
    });
    // Lifetimes come first in `use<..>`.
    let (lifetimes, others): (Vec<_>, Vec<_>) =
        outer.iter().cloned().chain(own).partition(is_lifetime);
    lifetimes.into_iter().chain(others).collect()
}

/// The lifetime of a box that several lifetimes go into.
fn shortest() -> syn::Lifetime {
    syn::Lifetime::new("'__shortest", Span::mixed_site())
}

/// Adds that lifetime to the generics of a rule, if its captures have several.
pub(crate) fn bound_by_shortest(
    generics: &mut syn::Generics,
    captured: &mut Vec<syn::GenericArgument>,
) {
    let lifetimes = captured.iter().filter(|arg| is_lifetime(arg)).cloned();
    let lifetimes: Vec<syn::GenericArgument> = lifetimes.collect();
    if lifetimes.len() > 1 {
        let shortest = shortest();
        generics.params.insert(0, syn::parse_quote!(#shortest));
        let clause = generics.make_where_clause();
        for lifetime in lifetimes {
            let predicate = syn::parse_quote!(#lifetime: #shortest);
            clause.predicates.push(predicate);
        }
        captured.insert(0, syn::parse_quote!(#shortest));
    }
}

fn is_lifetime(arg: &syn::GenericArgument) -> bool {
    matches!(arg, syn::GenericArgument::Lifetime(_))
}

/// All parameters, as arguments.
pub(crate) fn parameters(generics: &syn::Generics) -> Vec<syn::GenericArgument> {
    let arguments = generics.params.iter().map(|param| match param {
        syn::GenericParam::Lifetime(param) => {
            let lifetime = &param.lifetime;
            syn::parse_quote!(#lifetime)
        }
        syn::GenericParam::Type(param) => {
            let ident = &param.ident;
            syn::parse_quote!(#ident)
        }
        syn::GenericParam::Const(param) => {
            let ident = &param.ident;
            syn::parse_quote!(#ident)
        }
    });
    arguments.collect()
}

/// The type of a parameter of a rule itself, whose result may have the lifetime of the parameter's own reference.
fn parameter_type(func: &Func, param: &Param, rt: &TokenStream) -> TokenStream {
    let mut first = true;
    let tangent = tangent_type(&param.ty, &param_ty(func, param), param.by, rt);
    build_type(&param.pattern, rt, &mut |leaf| {
        if !std::mem::take(&mut first) {
            return leaf_type(func, leaf, &tangent, rt);
        }
        let written = &param.ty;
        match &param.lifetime {
            Some(_) => by_type(param.by, param.lifetime.as_ref(), written),
            None => leaf_type(func, leaf, &quote!(#written), rt),
        }
    })
}

/// The type of a rule's parameter. The first leaf is the primal's if `primal_first`; all others are tangents.
pub(crate) fn pattern_type(
    func: &Func,
    pattern: &Pattern,
    param: &Param,
    written: &syn::Type,
    rt: &TokenStream,
    primal_first: bool,
) -> TokenStream {
    let mut first = primal_first;
    let known = param_ty(func, param);
    let tangent = tangent_type(written, &known, param.by, rt);
    build_type(pattern, rt, &mut |leaf| {
        let ty = if std::mem::take(&mut first) {
            quote!(#written)
        } else {
            tangent.clone()
        };
        leaf_type(func, leaf, &ty, rt)
    })
}

fn build_type(
    pattern: &Pattern,
    rt: &TokenStream,
    leaf: &mut dyn FnMut(&Pattern) -> TokenStream,
) -> TokenStream {
    match pattern {
        Pattern::Dual(a, b) => {
            let (a, b) = (build_type(a, rt, leaf), build_type(b, rt, leaf));
            quote!(#rt::Dual<#a, #b>)
        }
        Pattern::CoDual(a, b) => {
            let (a, b) = (build_type(a, rt, leaf), build_type(b, rt, leaf));
            quote!(#rt::CoDual<#a, #b>)
        }
        Pattern::Unit => quote!(()),
        other => leaf(other),
    }
}

/// A type whose every part is known.
fn known_type(ty: &Ty, rt: &TokenStream) -> TokenStream {
    match ty {
        Ty::Slice(t) => {
            let t = known_type(t, rt);
            quote!([#t])
        }
        ty => annotation(ty, rt).unwrap_or_else(|| quote!(_)),
    }
}

/// Returns `true` if it is a rule in several directions.
pub(super) fn is_wide(func: &Func) -> bool {
    let mut wide = false;
    let patterns = func.params.iter().map(|p| &p.pattern);
    for pattern in patterns.chain([&func.result]) {
        pattern.each_leaf(&mut |leaf| {
            wide |= leaf_ty(func, leaf).is_some_and(Ty::has_lanes);
        });
    }
    wide
}

fn leaf_ty<'f>(func: &'f Func, leaf: &Pattern) -> Option<&'f Ty> {
    match leaf {
        Pattern::Value(v) => Some(func.ty(*v)),
        Pattern::Slot(s) => Some(&func.slot(*s).ty),
        _ => None,
    }
}

fn leaf_type(func: &Func, leaf: &Pattern, ty: &TokenStream, rt: &TokenStream) -> TokenStream {
    let lanes = leaf_ty(func, leaf).filter(|ty| ty.has_lanes());
    let ty = &lanes.map_or_else(|| ty.clone(), |ty| known_type(ty, rt));
    match leaf {
        Pattern::Slot(s) => match func.slot(*s).kind {
            SlotKind::Owned => ty.clone(),
            SlotKind::Ref => quote!(&#ty),
            SlotKind::RefMut => quote!(&mut #ty),
        },
        _ => ty.clone(),
    }
}

/// The type of a leaf that is made of floats.
pub(super) fn floats_of(func: &Func, leaf: &Pattern, rt: &TokenStream) -> Option<TokenStream> {
    let ty = leaf_ty(func, leaf).filter(|ty| is_own_tangent(ty))?;
    Some(leaf_type(func, leaf, &known_type(ty, rt), rt))
}

/// The type of a parameter, as far as it is known.
pub(crate) fn param_ty(func: &Func, param: &Param) -> Ty {
    let mut ty = None;
    param.pattern.each_leaf(&mut |leaf| {
        ty.get_or_insert_with(|| match leaf {
            Pattern::Value(v) => func.ty(*v).clone(),
            Pattern::Slot(s) => func.slot(*s).ty.clone(),
            _ => Ty::Deferred,
        });
    });
    ty.unwrap_or(Ty::Deferred)
}

/// Returns `true` if a type is its own tangent: floats, and slices, arrays and vectors of them.
pub(crate) fn is_own_tangent(ty: &Ty) -> bool {
    match ty {
        Ty::F32 | Ty::F64 | Ty::Real(_) => true,
        Ty::Slice(t) | Ty::Array(t, _) | Ty::Vec(t) | Ty::Deque(t) => is_own_tangent(t),
        Ty::Tuple(ts) => ts.iter().all(is_own_tangent),
        _ => false,
    }
}

/// The type of a tangent: an argument by value has it in its owned form, which for a type parameter may be another.
pub(crate) fn tangent_type(
    written: &syn::Type,
    known: &Ty,
    by: PassedBy,
    rt: &TokenStream,
) -> TokenStream {
    // A type without a tangent is reported where it stands.
    let span = written.span().resolved_at(Span::mixed_site());
    match by {
        _ if is_own_tangent(known) => quote!(#written),
        PassedBy::Value => {
            quote_spanned!(span=> <#written as #rt::Differentiable>::OwnedTangent)
        }
        _ => quote_spanned!(span=> <#written as #rt::Differentiable>::Tangent),
    }
}

/// How often a leaf is a dual.
fn depth(pattern: &Pattern, dual: bool) -> usize {
    match pattern {
        Pattern::Dual(first, _) => 1 + depth(first, false),
        _ => usize::from(dual),
    }
}

/// The type of a seed: the result's tangent, or duals of it.
fn seed_type(func: &Func, rt: &TokenStream, depth: usize) -> TokenStream {
    let tangent = output_tangent(func, rt);
    (0..depth).fold(tangent, |inner, _| quote!(#rt::Dual<#inner, #inner>))
}

pub(crate) fn output_ty(func: &Func) -> Ty {
    let mut ty = None;
    func.result.each_leaf(&mut |leaf| {
        if let Pattern::Value(v) = leaf {
            ty.get_or_insert_with(|| func.ty(*v).clone());
        }
    });
    // A body that never ends has no result: the signature says which it would be.
    ty.or_else(|| from_written(&func.output, &Declared::default()).map(|ty| ty.lower()))
        .unwrap_or(Ty::Deferred)
}

pub(crate) fn output_tangent(func: &Func, rt: &TokenStream) -> TokenStream {
    tangent_type(
        &tracked(&func.output),
        &output_ty(func),
        PassedBy::Value,
        rt,
    )
}

/// A result's type, with the lifetimes alone that its tangent's type may have.
pub(crate) fn tracked(output: &syn::Type) -> syn::Type {
    let mut output = output.clone();
    Untracked { inside: false }.visit_type_mut(&mut output);
    output
}

/// Erases the lifetimes that no tangent depends on, so that pullbacks don't capture them: those of text, and of errors.
///
/// ```text
/// Input:  Result<&'a [f64], Parse<'a>>
/// Output: Result<&'a [f64], Parse<'static>>
/// ```
struct Untracked {
    inside: bool,
}

impl VisitMut for Untracked {
    fn visit_lifetime_mut(&mut self, lifetime: &mut syn::Lifetime) {
        if self.inside {
            *lifetime = syn::Lifetime::new("'static", lifetime.span());
        }
    }

    fn visit_type_reference_mut(&mut self, ty: &mut syn::TypeReference) {
        let is_text = matches!(&*ty.elem, syn::Type::Path(path) if path.path.is_ident("str"));
        let outside = self.inside;
        self.inside |= is_text;
        if self.inside && ty.lifetime.is_none() {
            ty.lifetime = Some(syn::Lifetime::new("'static", ty.and_token.span));
        }
        syn::visit_mut::visit_type_reference_mut(self, ty);
        self.inside = outside;
    }

    fn visit_path_segment_mut(&mut self, segment: &mut syn::PathSegment) {
        let is_result = segment.ident == "Result";
        let syn::PathArguments::AngleBracketed(args) = &mut segment.arguments else {
            return;
        };
        let errors_from = if is_result { 1 } else { args.args.len() };
        for (k, arg) in args.args.iter_mut().enumerate() {
            let outside = self.inside;
            self.inside |= k >= errors_from;
            self.visit_generic_argument_mut(arg);
            self.inside = outside;
        }
    }
}

fn result_type(func: &Func, rt: &TokenStream, depth: usize) -> TokenStream {
    let output = &func.output;
    let tangent = output_tangent(func, rt);
    let (result, _) = (0..depth).fold((quote!(#output), tangent), |(first, other), _| {
        (
            quote!(#rt::Dual<#first, #other>),
            quote!(#rt::Dual<#other, #other>),
        )
    });
    result
}

/// An identifier of the compiler's own.
pub(crate) fn own(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}

/// How a parameter is passed, in a type.
pub(crate) fn by_type(
    by: PassedBy,
    lifetime: Option<&syn::Lifetime>,
    ty: &impl quote::ToTokens,
) -> TokenStream {
    match by {
        PassedBy::Value => quote!(#ty),
        PassedBy::Ref => quote!(& #lifetime #ty),
        PassedBy::Mut => quote!(& #lifetime mut #ty),
    }
}

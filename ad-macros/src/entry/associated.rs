//! From a function's IR to all of its associated items: hidden rules, modes and drivers.
//!
//! Input: the IR, with the primal's signature. Output: tokens. The passes in between are listed in `pipeline`.

use proc_macro2::TokenStream;
use quote::quote;

use super::bounds;
use super::explain;
use super::source::{Emitted, Source};
use crate::emit::{
    Entry, Parts, Threads, by_path, emit_entry, emit_item, emit_parts, emit_wide, output_ty,
    rule_generics, without_functions,
};
use crate::enclosing::Calls;
use crate::ir::{self, Func};
use crate::options::Options;
use crate::paths::last_name;
use crate::pipeline;
use crate::surface::hidden::{Hidden, Order};
use crate::surface::{Of, Surface, nested};
use crate::transform::{Shape, Wide, forward, reverse, wide, with_unit_seed};
use crate::types::{Declared, from_written};

/// A hidden rule, before it is differentiated once more.
#[derive(Clone, Copy)]
pub(crate) enum Mode {
    Forward,
    Reverse(Shape),
}

/// From IR to tokens.
pub(crate) fn emit(options: &Options, source: &Source<'_>, func: &Func) -> TokenStream {
    let open = open_types(func, source);
    let certain = !open.is_empty();
    // Other implementations of a trait's method can't promise what a box takes.
    let boxed = options.recursive
        || !(certain && source.in_trait) && calls_itself(func, source, &options.calls, certain);
    let rule = |mode| match mode {
        Mode::Forward => forward(func),
        Mode::Reverse(shape) => reverse(func, shape),
    };
    if !(boxed && certain) {
        return emit_rules(options, source, func, boxed, &rule);
    }
    // The box holds what follows from these types, and has no lifetime.
    let mut sig = source.sig.clone();
    let clause = sig.generics.make_where_clause();
    (clause.predicates).extend(
        open.iter()
            .map(|ty| -> syn::WherePredicate { syn::parse_quote!(#ty: 'static) }),
    );
    let source = &Source {
        sig: &sig,
        threads: Threads::Never,
        ..*source
    };
    emit_rules(options, source, func, boxed, &rule)
}

/// The hidden rules that `rule` makes, those of second order, and the surface. `func` has the primal's signature.
pub(crate) fn emit_rules(
    options: &Options,
    source: &Source<'_>,
    func: &Func,
    boxed: bool,
    rule: &dyn Fn(Mode) -> Func,
) -> TokenStream {
    on_surface(options, source, func, &|surface| {
        let context = Context {
            options,
            source,
            surface,
            boxed,
        };
        let rrule = pipeline::rule(rule(Mode::Reverse(Shape::Split)));
        let frule = pipeline::rule(rule(Mode::Forward));
        let mut items = context.rule("frule", true, &frule);
        items.extend(context.frule_wide(&frule));
        items.extend(context.rule("rrule", false, &rrule));
        items.extend(match surface.missing_second() {
            Some(message) => {
                let missing = Hidden { surface }.missing(Order::Second, &message);
                context.item("rrule_frule", true, &missing)
            }
            None => context.rule("rrule_frule", true, &pipeline::forward_rule(&rrule)),
        });
        let functional = func.params.iter().any(|p| p.function.is_some());
        let scalar = surface.may_be_scalar() && !functional;
        // An `impl` may know that a result isn't a parameter's where the trait doesn't: the trait declares the rules that some `impl` may have.
        let declares = source.in_trait && source.emitted == Emitted::All;
        if scalar || declares && !functional && surface.may_be_scalar_elsewhere() {
            items.extend(context.combined(rule(Mode::Reverse(Shape::Combined))));
        }
        if source.emitted == Emitted::All {
            let gradient = || {
                if scalar {
                    pipeline::rule(rule(Mode::Reverse(Shape::Combined)))
                } else {
                    rrule.clone()
                }
            };
            explain::print_if_asked(source.surroundings.self_ty, func, &gradient);
            if options.explain.is_some() {
                let name = surface.public("explain");
                items.extend(explain::item(&name, source.vis, func, &gradient()));
            }
        }
        items
    })
}

/// Everything that the emission of a hidden rule needs beside the rule.
pub(crate) struct Context<'a> {
    pub(crate) options: &'a Options,
    pub(crate) source: &'a Source<'a>,
    pub(crate) surface: &'a Surface<'a>,
    /// The pullback is boxed.
    pub(crate) boxed: bool,
}

impl Context<'_> {
    fn entry(&self, name: &str, dual: bool) -> Entry<'_> {
        Entry {
            rt: self.surface.rt,
            vis: self.source.vis,
            name: self.surface.hidden_name(name),
            generics: self.surface.declared,
            outer: self.source.outer,
            receiver: self.source.sig.receiver(),
            boxed: self.boxed,
            threads: self.source.threads,
            dual,
            with: self.options.found(self.source.surroundings.self_ty),
        }
    }

    fn rule(&self, name: &str, dual: bool, func: &Func) -> TokenStream {
        let entry = self.entry(name, dual);
        let generics = rule_generics(func, &entry);
        let entry = Entry {
            generics: &generics,
            ..entry
        };
        self.item_of(name, &entry, &emit_parts(func, &entry))
    }

    /// A rule from its parts; one on duals also in the form in which the receiver is an argument.
    pub(crate) fn item(&self, name: &str, dual: bool, parts: &Parts) -> TokenStream {
        self.item_of(name, &self.entry(name, dual), parts)
    }

    /// A rule of a driver: without a receiver it is only called by path.
    fn rule_of_driver(&self, name: &str, dual: bool, parts: &Parts) -> TokenStream {
        let entry = self.entry(name, dual);
        if dual && entry.receiver.is_none() {
            let name = self.surface.path_name(name);
            return emit_item(parts, &Entry { name, ..entry });
        }
        self.item_of(name, &entry, parts)
    }

    fn item_of(&self, name: &str, entry: &Entry<'_>, parts: &Parts) -> TokenStream {
        let mut items = emit_item(parts, entry);
        if entry.dual && self.source.method && self.source.emitted != Emitted::Rules {
            items.extend(by_path(parts, entry, &self.surface.path_name(name)));
        }
        items
    }

    /// A rule in several directions, of a function that isn't generic.
    fn wide(&self, rule: &Func) -> Option<Wide> {
        self.may_be_wide().then(|| wide(rule)).flatten()
    }

    fn may_be_wide(&self) -> bool {
        let (source, generics) = (self.source, self.surface.declared);
        let plain = generics
            .params
            .iter()
            .all(|p| matches!(p, syn::GenericParam::Lifetime(_)));
        plain && !source.method && source.sig.receiver().is_none() && source.emitted == Emitted::All
    }

    /// The rule that computes Hessians in several directions.
    fn hessian_wide(&self, second: &Func) -> Option<TokenStream> {
        if !self.surface.has_hessian() || !output_ty(second).is_float() {
            return None;
        }
        let wide = self.wide(&pipeline::rule(with_unit_seed(second)?))?;
        self.surface.second_wide.set(true);
        Some(emit_wide(&wide.func, &self.entry("hessian_wide", false)))
    }

    /// The forward rule in several directions. Callers that know the function by name ask whether there is one: else it is never called.
    fn frule_wide(&self, frule: &Func) -> TokenStream {
        let source = self.source;
        if source.method || matches!(source.emitted, Emitted::Hidden | Emitted::Rules) {
            return TokenStream::new();
        }
        // A function that calls itself through another one would ask for ever.
        let wide = self.wide(frule);
        let wide = wide.filter(|wide| !self.boxed || wide.callees.is_empty());
        let vis = source.vis;
        let (callees, rule) = if let Some(Wide { func, callees }) = wide {
            self.surface.forward_wide.set(true);
            let rule = emit_wide(&func, &self.entry("frule_wide", true));
            (Some(callees), rule)
        } else {
            let params = source.sig.inputs.iter();
            let params = params.map(|_| quote!(_: impl ::core::marker::Sized));
            let (generics, output) = match source.sig.output {
                syn::ReturnType::Default => {
                    let rt = self.surface.rt;
                    (None, quote!(#rt::Dual<(), #rt::NoTangent>))
                }
                syn::ReturnType::Type(..) => (Some(quote!(<R>)), quote!(R)),
            };
            let rule = quote! {
                #[doc(hidden)]
                #vis fn __frule_wide #generics (#(#params),*) -> #output {
                    ::core::unreachable!()
                }
            };
            (None, rule)
        };
        let is_wide = match callees {
            Some(callees) => quote!(true #(&& #callees::__has_frule_wide())*),
            None => quote!(false),
        };
        quote! {
            #[doc(hidden)]
            #[inline(always)]
            #vis fn __has_frule_wide() -> ::core::primitive::bool {
                #is_wide
            }
            #rule
        }
    }

    /// The combined rule, and that of second order.
    pub(crate) fn combined(&self, func: Func) -> TokenStream {
        let combined = pipeline::rule(func);
        let mut items = emit_entry(&combined, &self.entry("combined", false));
        if self.surface.highest == Order::First {
            return items;
        }
        let second = pipeline::forward_rule(&combined);
        items.extend(emit_entry(&second, &self.entry("combined_frule", true)));
        items.extend(self.hessian_wide(&second));
        if self.options.order.is_some_and(|order| order > 2) {
            let third = pipeline::forward_rule(&second);
            items.extend(emit_entry(
                &third,
                &self.entry("combined_frule_frule", true),
            ));
        }
        items
    }
}

/// The items that `hidden` makes of the function's surface, and the surface itself.
pub(crate) fn on_surface(
    options: &Options,
    source: &Source<'_>,
    func: &Func,
    hidden: &dyn Fn(&Surface<'_>) -> TokenStream,
) -> TokenStream {
    let rt = options.runtime();
    let mut generics = source.sig.generics.clone();
    generics.params.iter_mut().for_each(|p| {
        if let syn::GenericParam::Type(t) = p {
            t.default = None;
        }
    });
    bounds::require_tangents_of_arguments(&mut generics, func, &rt);
    let outside = without_functions(func, &generics, true);
    let mut surface = Surface::new(
        func,
        &rt,
        source.vis,
        &outside,
        source.outer,
        source.sig.receiver(),
        source.method,
    );
    surface.declared = &generics;
    if source.in_trait {
        surface.of = Of::Trait;
    }
    surface.mentions = source.emitted != Emitted::Stubs;
    // A stub can't name the types of functions among the parameters.
    if options.first_order.is_some() && !surface.args.iter().any(|a| a.function) {
        surface.highest = Order::First;
    }
    surface.check_if(options.are_checked() && source.emitted == Emitted::All);
    let mut items = hidden(&surface);
    match source.emitted {
        Emitted::All | Emitted::Stubs => {
            items.extend(surface.emit(source.emitted == Emitted::All));
            if options.nested.is_some() {
                let rule = |surface: &Surface<'_>, name: &str, dual: bool, parts: &Parts| {
                    let source = &Source {
                        method: true,
                        ..*source
                    };
                    let context = Context {
                        options,
                        source,
                        surface,
                        boxed: false,
                    };
                    context.rule_of_driver(name, dual, parts)
                };
                items.extend(nested::rules(&surface, options.order, &rule));
            }
        }
        Emitted::Hidden => items.extend(surface.modes()),
        Emitted::Rules => {}
    }
    items
}

/// The type parameters around a function that are neither numbers nor functions: its pullback may hold anything that follows from them.
fn open_types(func: &Func, source: &Source<'_>) -> Vec<syn::Ident> {
    let own = without_functions(func, &source.sig.generics, true);
    let all = [Some(&own), source.surroundings.generics];
    let open = all.into_iter().flatten().flat_map(|generics| {
        let declared = Declared::of(generics);
        let params = generics.type_params().map(|param| param.ident.clone());
        params.filter(move |param| declared.scalar(param).is_none())
    });
    open.collect()
}

/// True if the function calls itself, by name, as `Self::f`, or as a method; itself, or by other functions of the file. A method of that name may be
/// another type's, as in wrappers: with `certain`, only calls on `self` count, and on values that are of the function's own type.
fn calls_itself(func: &Func, source: &Source<'_>, calls: &Calls, certain: bool) -> bool {
    let name = source.sig.ident.to_string();
    func.body.any(&mut |op| {
        let ir::OpKind::Call(call) = &op.kind else {
            return false;
        };
        let (called, near) = match &call.callee {
            ir::Callee::Path { path, .. } => {
                let segments = &path.path.segments;
                let near = segments.len() == 1 || segments[0].ident == "Self";
                (segments.last().map(|last| last.ident.to_string()), near)
            }
            ir::Callee::Method { name, .. } if source.method => (Some(name.to_string()), true),
            _ => (None, false),
        };
        let own = !certain || near && has_own_receiver(func, source, call);
        own && called.is_some_and(|called| called == name || near && calls.reach(&called, &name))
    })
}

/// True unless the receiver of a call may be of another type than the function's own.
fn has_own_receiver(func: &Func, source: &Source<'_>, call: &ir::Call) -> bool {
    let Some(ir::Arg::Receiver(place)) = call.args.first() else {
        return true;
    };
    let receiver = source.sig.receiver().and(func.params.first());
    let is_self = |param: &ir::Param| match param.pattern {
        ir::Pattern::Slot(slot) => place.path.is_empty() && place.root == slot,
        _ => false,
    };
    let of_own_type = |ty: &ir::Ty| {
        let own = source.surroundings.self_ty;
        matches!(ty, ir::Ty::Named(ty) if own.is_some_and(|own| *own == **ty) || matches!(&**ty, syn::Type::Path(ty) if ty.path.is_ident("Self")))
    };
    receiver.is_some_and(is_self)
        || (func.place_ty(place)).is_some_and(|ty| of_own_type(unboxed(ty)))
        || is_part_of_own_type(func, source, place)
}

/// A method is called on what a box holds.
fn unboxed(ty: &ir::Ty) -> &ir::Ty {
    match ty {
        ir::Ty::Boxed(inner) => unboxed(inner),
        ty => ty,
    }
}

/// True if a place in a field of the function's own type is of that type as well, as the file declares the field, whatever its arguments are.
fn is_part_of_own_type(func: &Func, source: &Source<'_>, place: &ir::Place) -> bool {
    let (Some(syn::Type::Path(own)), Some(siblings)) =
        (source.surroundings.self_ty, source.surroundings.siblings)
    else {
        return false;
    };
    let is_own = |ty: &syn::Type| match ty {
        syn::Type::Path(ty) => match (ty.path.segments.last(), own.path.segments.last()) {
            (Some(ty), Some(own)) => ty.ident == "Self" || ty.ident == own.ident,
            _ => false,
        },
        _ => false,
    };
    let part = || {
        let (ir::Proj::Field(member), rest) = place.path.split_first()? else {
            return None;
        };
        let name = last_name(&own.path)?;
        let mut fields = siblings.own(&name)?.fields.iter();
        let (_, ty) = fields.find(|(field, _)| field == member)?;
        let ty = from_written(ty, &Declared::default())?.lower();
        ir::part_of(&ty, rest).cloned()
    };
    let named = |ty: &ir::Ty| matches!(ty, ir::Ty::Named(ty) if is_own(ty));
    named(&func.slot(place.root).ty) && part().is_some_and(|ty| named(unboxed(&ty)))
}

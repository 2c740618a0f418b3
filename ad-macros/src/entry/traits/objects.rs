//! `#[differentiable(dyn)]`: rules that are called through `dyn Trait`.
//!
//! For `trait Layer { fn apply(&self, x: f64) -> f64; }` there are, beside the rules for types of known size:
//! ```text
//! trait __LayerObject: rt::object::Receiver {                  // a supertrait of `Layer`, object-safe
//!     fn __apply_object_rrule(&self, x: f64) -> (f64, Box<dyn FnOnce(f64, CoDual<&dyn Receiver, &mut dyn ErasedTangent>, ()) -> ..>);
//! }
//! impl<Behind: Layer + ..> __LayerObject for Behind { .. }     // calls `Behind::__apply_rrule`
//! struct __LayerShared<'a>(&'a dyn __LayerObject);             // has them under the names by which callers look for rules
//! struct __LayerModes;                                         // has `__apply_modes`
//! impl rt::object::Object for dyn Layer { .. }                 // leads there
//! impl rt::Differentiable for dyn Layer { .. }
//! ```

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::Source;
use crate::configured::any_variant;
use crate::diagnostics::{Errors, Whole, error};
use crate::emit::{Entry, Parts, Threads, allows, argument_type, emit_parts, own};
use crate::entry::source::compile;
use crate::ir::Func;
use crate::options::Options;
use crate::surface::Surface;
use crate::transform::{Shape, forward, reverse};

/// A trait whose objects have rules.
pub(super) struct Objects<'a> {
    options: &'a Options,
    item: &'a syn::ItemTrait,
    rt: &'a TokenStream,
    /// Objects have tangents: some receiver isn't constant.
    active: bool,
    methods: Vec<Method>,
}

/// A method that objects can call.
struct Method {
    /// `<'l>`, for lifetimes inside of parameters' types.
    generics: TokenStream,
    unique: bool,
    /// The name of the modes, their types and their values.
    modes: (Ident, Vec<TokenStream>, Vec<TokenStream>),
    rules: Vec<Rule>,
}

struct Rule {
    /// The name that callers look for, and that implementations have.
    name: Ident,
    /// Its name behind the object.
    object: Ident,
    /// The parameters after the receiver.
    types: Vec<TokenStream>,
    output: TokenStream,
    /// The number of the pullback's parameters after the seed and the receiver.
    rest: Option<usize>,
}

/// Refuses items that a trait with objects can't have.
pub(super) fn check(item: &syn::ItemTrait) -> syn::Result<()> {
    let mut errors = Errors::default();
    if let Some(param) = item.generics.params.first() {
        errors.push(error(
            Whole(param),
            "`dyn` is not supported on a trait with parameters yet",
            "leave the option out, or write one trait for each type",
        ));
    }
    for member in &item.items {
        match member {
            syn::TraitItem::Const(member) => errors.push(error(
                Whole(&member.ident),
                "a trait with constants has no objects",
                "make it a method: `fn weight(&self) -> f64`",
            )),
            syn::TraitItem::Type(member) => errors.push(error(
                Whole(&member.ident),
                "`dyn` is not supported on a trait with associated types yet",
                "leave the option out, or write the type itself",
            )),
            _ => {}
        }
    }
    errors.finish(())
}

impl<'a> Objects<'a> {
    pub(super) fn new(
        options: &'a Options,
        item: &'a syn::ItemTrait,
        rt: &'a TokenStream,
        active: bool,
    ) -> Self {
        Objects {
            options,
            item,
            rt,
            active,
            methods: Vec::new(),
        }
    }

    /// Adds the rules of a method, and says whether objects can call it. `source` is a stub with the method's signature.
    pub(super) fn method(&mut self, source: &Source<'_>) -> bool {
        let unique = match source.sig.receiver().map(|receiver| &receiver.kind) {
            Some(syn::ReceiverKind::Reference(_, _, mutable)) => mutable.is_some(),
            _ => return false,
        };
        let generics = &source.sig.generics;
        let generic = |param: &syn::GenericParam| !matches!(param, syn::GenericParam::Lifetime(_));
        // The box of a pullback has one lifetime.
        let lifetimes = generics.lifetimes().count();
        if generics.where_clause.is_some() || lifetimes > 1 || generics.params.iter().any(generic) {
            return false;
        }
        // Its errors have been reported already.
        let compiled =
            |block: &syn::Block| compile(self.options, &Source { block, ..*source }).ok();
        let Some(mut func) = any_variant(source.block, compiled) else {
            return false;
        };
        if func.params.iter().any(|param| param.function.is_some()) {
            return false;
        }
        func.params[0].ty = self.base();
        let surface = Surface::new(
            &func,
            self.rt,
            &self.item.vis,
            &source.sig.generics,
            &[],
            source.sig.receiver(),
            true,
        );
        let rrule = reverse(&func, Shape::Split);
        let rules = [
            ("frule", true, forward(&func)),
            ("rrule_frule", true, forward(&rrule)),
            ("rrule", false, rrule),
        ];
        let rules = rules.into_iter().map(|(name, dual, rule)| {
            let parts = self.parts(&rule, source, dual);
            Rule::new(name, &surface, &parts, func.params.len() - 1)
        });
        let rules = rules.collect();
        let (mut types, mut values) = surface.mode_types();
        let mode = match (unique, func.params[0].constant) {
            (false, false) => quote!(Shared),
            (false, true) => quote!(ConstShared),
            (true, false) => quote!(Unique),
            (true, true) => quote!(ConstUnique),
        };
        let rt = self.rt;
        types[0] = quote!(#rt::mode::object::#mode);
        values[0] = types[0].clone();
        let generics = &source.sig.generics;
        self.methods.push(Method {
            generics: quote!(#generics),
            unique,
            modes: (surface.hidden_name("modes"), types, values),
            rules,
        });
        true
    }

    /// The type of a receiver behind an object.
    fn base(&self) -> syn::Type {
        let rt = self.rt;
        if self.active {
            syn::parse_quote!(dyn #rt::object::Receiver)
        } else {
            syn::parse_quote!(dyn #rt::object::Typed)
        }
    }

    fn parts(&self, rule: &Func, source: &Source<'_>, dual: bool) -> Parts {
        let entry = Entry {
            vis: &self.item.vis,
            receiver: source.sig.receiver(),
            boxed: true,
            threads: Threads::Always,
            dual,
            ..Entry::new(self.rt, own("rule"), &source.sig.generics)
        };
        emit_parts(rule, &entry)
    }

    fn named(&self, what: &str) -> Ident {
        let name = self.item.ident.to_string();
        format_ident!("__{}{what}", name.trim_start_matches("r#"))
    }

    /// The trait that becomes a supertrait.
    pub(super) fn supertrait(&self) -> Ident {
        self.named("Object")
    }

    /// All that stands beside the trait.
    pub(super) fn emit(&self) -> TokenStream {
        let (rules, views, modes) = (self.rules(), self.views(), self.modes());
        let vis = &self.item.vis;
        let bounds: [&[TokenStream]; 4] = [
            &[],
            &[quote!(Send)],
            &[quote!(Sync)],
            &[quote!(Send), quote!(Sync)],
        ];
        let objects = bounds.map(|bounds| self.object(bounds));
        let allow = allows();
        let (shared, unique) = (self.named("Shared"), self.named("Unique"));
        let (object, modes_name) = (self.supertrait(), self.named("Modes"));
        quote! {
            #rules
            #[doc(hidden)]
            #vis struct #shared<'a>(&'a (dyn #object + 'a));
            #[doc(hidden)]
            #vis struct #unique<'a>(&'a mut (dyn #object + 'a));
            #[doc(hidden)]
            #vis struct #modes_name;
            #allow
            const _: () = {
                #views
                #modes
                #(#objects)*
            };
        }
    }

    /// The object-safe trait, and its implementation by that of the user's.
    fn rules(&self) -> TokenStream {
        let (rt, vis, object, user) =
            (self.rt, &self.item.vis, self.supertrait(), &self.item.ident);
        let behind = own("Behind");
        let (base, bound) = if self.active {
            let bound = quote!(#rt::DifferentiableValue<OwnedTangent: 'static>);
            (quote!(Receiver), quote!(+ #bound))
        } else {
            (quote!(Typed), TokenStream::new())
        };
        let (mut declared, mut defined) = (TokenStream::new(), TokenStream::new());
        for (method, rule) in self.each() {
            let signature = rule.signature(method, &rule.object, &method.receiver());
            declared.extend(quote!(#[doc(hidden)] #signature;));
            let args = rule.arguments();
            let name = &rule.name;
            // Of a rule on duals the first argument is the receiver's tangent.
            let given = args.iter().enumerate().map(|(k, arg)| match k {
                0 if rule.name.to_string().ends_with("frule") => {
                    quote!(#rt::object::Concrete::concrete(#arg))
                }
                _ => quote!(#arg),
            });
            let call = quote!(<#behind as #user>::#name(self, #(#given),*));
            let body = match rule.rest {
                None => call,
                Some(rest) => {
                    let rest: Vec<Ident> = (0..rest).map(|k| own(&format!("b{k}"))).collect();
                    quote! {
                        let (y, pullback) = #call;
                        (y, #rt::Box::new(move |seed, this, #(#rest),*| {
                            pullback(seed, #rt::object::Concrete::concrete(this), #(#rest),*)
                        }))
                    }
                }
            };
            defined.extend(quote!(#[inline] #signature { #body }));
        }
        let allow = allows();
        quote! {
            #[doc(hidden)]
            #allow
            #vis trait #object: #rt::object::#base {
                #declared
            }
            #allow
            impl<#behind: #user #bound + 'static> #object for #behind {
                #defined
            }
        }
    }

    /// The rules under the names that callers know.
    fn views(&self) -> TokenStream {
        let (shared, unique, vis) = (self.named("Shared"), self.named("Unique"), &self.item.vis);
        let (mut of_shared, mut of_unique) = (TokenStream::new(), TokenStream::new());
        for (method, rule) in self.each() {
            let signature = rule.signature(method, &rule.name, &quote!(self));
            let (object, args) = (&rule.object, rule.arguments());
            let item = quote! {
                #[inline]
                #vis #signature { self.0.#object(#(#args),*) }
            };
            if method.unique {
                &mut of_unique
            } else {
                &mut of_shared
            }
            .extend(item);
        }
        quote! {
            impl #shared<'_> { #of_shared }
            impl #unique<'_> { #of_unique }
        }
    }

    fn modes(&self) -> TokenStream {
        let (name, vis) = (self.named("Modes"), &self.item.vis);
        let methods = self.methods.iter().map(|method| {
            let (name, types, values) = &method.modes;
            let generics = &method.generics;
            quote! {
                #[inline(always)]
                #vis fn #name #generics (&self) -> (#(#types,)*) { (#(#values,)*) }
            }
        });
        quote!(impl #name { #(#methods)* })
    }

    /// The implementations for a trait object with these further bounds.
    fn object(&self, bounds: &[TokenStream]) -> TokenStream {
        let (rt, user) = (self.rt, &self.item.ident);
        let shared = self.named("Shared");
        let unique = self.named("Unique");
        let modes = self.named("Modes");
        let object = quote!(dyn #user #(+ ::core::marker::#bounds)*);
        let base = self.base();
        let receiver = quote!(#rt::object::Receiver);
        let (tangent, owned) = if self.active {
            (
                quote!(dyn #rt::object::ErasedTangent),
                quote!(#rt::object::AnyTangent),
            )
        } else {
            (quote!(#rt::NoTangent), quote!(#rt::NoTangent))
        };
        let (zero, matches, add, visit, visit_floats, map_floats) = if self.active {
            (
                quote!(#receiver::__zero_tangent(self)),
                quote!(#receiver::__matches_shape(self, tangent)),
                quote!(#receiver::__add_scaled_tangent(self, factor, tangent)),
                quote!(#receiver::__visit_components(self, components)),
                quote!(#receiver::__visit_floats(self, visit)),
                quote!(#receiver::__map_floats(self, map)),
            )
        } else {
            (
                quote!(#rt::NoTangent),
                quote!(::core::result::Result::Ok(())),
                TokenStream::new(),
                quote!(components.opaque::<Self>()),
                TokenStream::new(),
                TokenStream::new(),
            )
        };
        quote! {
            impl<'o> #rt::object::Object for #object + 'o {
                type Modes = #modes;
                type Shared<'a> = #shared<'a> where Self: 'a;
                type Base<'a> = #base + 'a where Self: 'a;
                const MODES: &'static #modes = &#modes;
                #[inline]
                fn shared(&self) -> #shared<'_> { #shared(self) }
                #[inline]
                fn base(&self) -> &Self::Base<'_> { self }
            }
            impl<'o> #rt::object::ObjectMut for #object + 'o {
                type Unique<'a> = #unique<'a> where Self: 'a;
                #[inline]
                fn unique(&mut self) -> #unique<'_> { #unique(self) }
                #[inline]
                fn base_mut(&mut self) -> &mut Self::Base<'_> { self }
            }
            impl<'o> #rt::Differentiable for #object + 'o {
                type Tangent = #tangent;
                type OwnedTangent = #owned;
                fn zero_tangent(&self) -> #owned { #zero }
                fn matches_shape(&self, tangent: &Self::Tangent) -> ::core::result::Result<(), #rt::ShapeMismatch> {
                    #matches
                }
                #[track_caller]
                fn add_scaled_tangent(&mut self, factor: ::core::primitive::f64, tangent: &Self::Tangent) {
                    #add
                }
                fn visit_components(&self, components: &mut #rt::Components<'_>) {
                    #visit
                }
                fn visit_floats(&self, visit: &mut dyn ::core::ops::FnMut(::core::primitive::f64)) {
                    #visit_floats
                }
                fn map_floats(
                    &mut self,
                    map: &mut dyn ::core::ops::FnMut(::core::primitive::f64) -> ::core::primitive::f64,
                ) {
                    #map_floats
                }
            }
        }
    }

    fn each(&self) -> impl Iterator<Item = (&Method, &Rule)> {
        let rules = |method: &'_ Method| method.rules.len();
        self.methods
            .iter()
            .flat_map(move |method| (0..rules(method)).map(move |k| (method, &method.rules[k])))
    }
}

impl Method {
    fn receiver(&self) -> TokenStream {
        if self.unique {
            quote!(&mut self)
        } else {
            quote!(&self)
        }
    }
}

impl Rule {
    fn new(name: &str, surface: &Surface<'_>, parts: &Parts, rest: usize) -> Self {
        Rule {
            name: surface.hidden_name(name),
            object: surface.hidden_name(&format!("object_{name}")),
            types: parts
                .params
                .iter()
                .filter_map(argument_type)
                .map(|ty| quote!(#ty))
                .collect(),
            output: parts.output.clone(),
            rest: parts.split.then_some(rest),
        }
    }

    fn arguments(&self) -> Vec<Ident> {
        (0..self.types.len())
            .map(|k| own(&format!("a{k}")))
            .collect()
    }

    fn signature(&self, method: &Method, name: &Ident, receiver: &TokenStream) -> TokenStream {
        let args = self.arguments();
        let types = &self.types;
        let output = &self.output;
        let generics = &method.generics;
        quote!(fn #name #generics (#receiver, #(#args: #types),*) -> #output)
    }
}

//! Rules that the user has written out as functions, in the form of the public rules.
//!
//! Input: their paths. Output: hidden rules, which hand over what they get, and the surface.
//!
//! ```text
//! // Input:
//! #[primitive(frule = solve_frule, rrule = solve_rrule)]
//! fn solve(a: &[f64], b: f64) -> f64 { .. }
//!
//! // Output:
//! fn __frule(a: Dual<&[f64], &[f64]>, b: Dual<f64, f64>) -> Dual<f64, f64> {
//!     let rule: fn(..) -> .. = solve_frule;
//!     rule(a, b)
//! }
//! fn __rrule(a: &[f64], b: f64) -> (f64, impl FnOnce(f64, CoDual<&[f64], &mut [f64]>, ()) -> ((), f64) + use<>) {
//!     let rule: fn(..) -> (f64, _) = solve_rrule;
//!     let (y, pullback) = rule(a, b);
//!     (y, move |y_bar, a, _| { let b_bar = pullback(y_bar, a); ((), b_bar) })
//! }
//! ```
//!
//! The combined rules come from the transforms, as those of a function that calls this one. A rule of second order that isn't
//! there is an error where it is used, see [`missing`].

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use syn::spanned::Spanned;

use super::options::ByHand;
use super::primal;
use crate::emit::{Parts, by_type, own};
use crate::expand::{self, Context, Source};
use crate::ir::{PassedBy, Rule};
use crate::options::Options;
use crate::surface::{Argument, Surface};
use crate::transform::{Shape, reverse};

/// All items of a function whose rules are written by hand.
pub(super) fn rules(
    options: &Options,
    source: &Source<'_>,
    by_hand: &ByHand,
) -> syn::Result<TokenStream> {
    let func = primal::caller(options, source, Rule::Active)?;
    let options = &primal::with_own_rules(options, source);
    Ok(expand::on_surface(options, source, &func, &|surface| {
        let rules = Handed { surface };
        let context = Context {
            options,
            source,
            surface,
            boxed: false,
        };
        let second = match &by_hand.rrule_frule {
            Some(path) => rules.reverse(Order::Second, path),
            None => rules.missing(),
        };
        let mut items = context.item("frule", true, &rules.frule(&by_hand.frule));
        let rrule = rules.reverse(Order::First, &by_hand.rrule);
        items.extend(context.item("rrule", false, &rrule));
        items.extend(context.item("rrule_frule", true, &second));
        if surface.may_be_scalar() {
            items.extend(context.combined(reverse(&func, Shape::Combined)));
        }
        items
    }))
}

/// A function whose rules are handed over.
struct Handed<'a> {
    surface: &'a Surface<'a>,
}

/// The parameters of a hidden rule, and what it hands over.
struct Given {
    params: Vec<TokenStream>,
    args: Vec<TokenStream>,
    /// The types of the arguments that are handed over.
    types: Vec<TokenStream>,
}

/// One hidden pullback.
struct Pulled {
    /// Its parameters after the seed.
    names: Vec<TokenStream>,
    types: Vec<TokenStream>,
    /// What the user's pullback gets of them.
    handed: Vec<TokenStream>,
    /// The pattern and type of what the user's pullback returns.
    bars: Vec<TokenStream>,
    bar_types: Vec<TokenStream>,
    /// The hidden pullback's result, with one position for each parameter, and its type.
    result: Vec<TokenStream>,
    result_types: Vec<TokenStream>,
}

/// Which reverse rule.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    /// `rrule`.
    First,
    /// `rrule_frule`: each leaf is a dual.
    Second,
}

impl Handed<'_> {
    fn frule(&self, path: &syn::ExprPath) -> Parts {
        let Given {
            params,
            args,
            types,
        } = self.duals();
        let (output, rule) = (self.output(Order::Second), own("rule"));
        let body = quote! {
            let #rule: fn(#(#types),*) -> #output = #path;
            #rule(#(#args),*)
        };
        Parts {
            split: false,
            params,
            output,
            body,
        }
    }

    /// A reverse rule.
    fn reverse(&self, order: Order, path: &syn::ExprPath) -> Parts {
        let Given {
            params,
            args,
            types: arg_types,
        } = self.given(order);
        let Pulled {
            names,
            types,
            handed,
            bars,
            bar_types,
            result,
            result_types,
        } = self.pulled(order);
        let (bar, bar_type) = (Surface::bare(&bars), Surface::bare(&bar_types));
        // Where the user's pullback has other parameters than these, rustc points to its rule.
        let pullback = Ident::new("pullback", path.span().resolved_at(Span::mixed_site()));
        let (rule, y, y_bar) = (own("rule"), own("value"), own("seed"));
        let (output, seed) = (self.output(order), self.seed(order));
        let body = quote! {
            let #rule: fn(#(#arg_types),*) -> (#output, _) = #path;
            let (#y, #pullback) = #rule(#(#args),*);
            (#y, move |#y_bar: #seed, #(#names: #types),*| -> (#(#result_types,)*) {
                let #bar: #bar_type = #pullback(#y_bar, #(#handed),*);
                (#(#result,)*)
            })
        };
        Parts {
            split: true,
            params,
            output: self.with_pullback(order, &types, &result_types),
            body,
        }
    }

    /// A rule of second order that isn't there. Callers' own rules of second order call it, whether or not anybody uses
    /// them, so it has the right type; that it is used is found when code is generated for it, and then an error of the
    /// compiler.
    fn missing(&self) -> Parts {
        let order = Order::Second;
        let pulled = self.pulled(order);
        let (names, types, result_types) = (&pulled.names, &pulled.types, &pulled.result_types);
        let (y_type, seed) = (self.output(order), self.seed(order));
        let (missing, y) = (own("missing"), own("value"));
        let message = format!(
            "the primitive `{}` has no rule of second order; add `rrule_frule = path` to its `#[primitive]`",
            self.surface.title
        );
        // Only what is generic is evaluated no sooner than code is generated for it.
        let body = quote! {
            #[inline]
            fn #missing<T>() -> T {
                const { ::core::panic!(#message) }
            }
            let #y: #y_type = #missing();
            (#y, move |_: #seed, #(#names: #types),*| -> (#(#result_types,)*) {
                ::core::unreachable!()
            })
        };
        Parts {
            split: true,
            params: self.given(order).params,
            output: self.with_pullback(order, types, result_types),
            body,
        }
    }

    /// The type of a value and its pullback.
    fn with_pullback(
        &self,
        order: Order,
        types: &[TokenStream],
        result_types: &[TokenStream],
    ) -> TokenStream {
        let (output, seed) = (self.output(order), self.seed(order));
        let captured = self.surface.captured();
        quote! {
            (#output, impl ::core::ops::FnOnce(#seed, #(#types),*) -> (#(#result_types,)*) + use<#(#captured),*>)
        }
    }

    /// What a reverse rule is given: the arguments; at second order what a forward rule is given.
    fn given(&self, order: Order) -> Given {
        let args = self.surface.args.iter();
        match order {
            Order::First => Given {
                params: self.surface.primal_params(),
                args: args.clone().map(|a| self.surface.expr(a)).collect(),
                types: args.map(|a| by_type(a.by, None, &written(a))).collect(),
            },
            Order::Second => self.duals(),
        }
    }

    /// Each argument with its tangent.
    fn duals(&self) -> Given {
        let mut given = Given {
            params: Vec::new(),
            args: Vec::new(),
            types: Vec::new(),
        };
        let receiver = self.surface.primal_params();
        for (a, declared) in self.surface.args.iter().zip(receiver) {
            let (x, ty) = (&a.name, self.surface.dual_param(a));
            given.types.push(ty.clone());
            if !a.receiver {
                given.params.push(quote!(#x: #ty));
                given.args.push(quote!(#x));
                continue;
            }
            // The receiver stays one; its tangent follows.
            let (rt, this) = (self.surface.rt, self.surface.expr(a));
            let dot = own("self_dot");
            given.params.push(declared);
            if a.constant {
                given.params.push(quote!(_: ()));
                given.args.push(this);
            } else {
                let tangent = by_type(a.by, None, &self.surface.tangent(a));
                given.params.push(quote!(#dot: #tangent));
                given.args.push(quote!(#rt::Dual(#this, #dot)));
            }
        }
        given
    }

    fn pulled(&self, order: Order) -> Pulled {
        let rt = self.surface.rt;
        let mut pulled = Pulled {
            names: Vec::new(),
            types: Vec::new(),
            handed: Vec::new(),
            bars: Vec::new(),
            bar_types: Vec::new(),
            result: Vec::new(),
            result_types: Vec::new(),
        };
        for a in &self.surface.args {
            let (mut result, mut result_type) = (quote!(()), quote!(()));
            let (name, ty) = match (a.by, a.constant) {
                (PassedBy::Value, false) => {
                    let bar = format_ident!("{}_bar", a.name, span = own("x").span());
                    let ty = self.cotangent(order, &self.surface.tangent(a));
                    pulled.bars.push(quote!(#bar));
                    pulled.bar_types.push(ty.clone());
                    (result, result_type) = (quote!(#bar), ty);
                    (quote!(_), quote!(()))
                }
                (PassedBy::Value | PassedBy::Mut, true) => (quote!(_), quote!(())),
                (by, constant) => {
                    let x = &a.name;
                    pulled.handed.push(quote!(#x));
                    let primal = by_type(by, None, &written(a));
                    let ty = if constant {
                        primal
                    } else {
                        let tangent = self.surface.tangent(a);
                        let shadow = self.cotangent(order, &quote!(&mut #tangent));
                        let primal = match order {
                            Order::First => primal,
                            Order::Second => self.surface.dual_param(a),
                        };
                        quote!(#rt::CoDual<#primal, #shadow>)
                    };
                    (quote!(#x), ty)
                }
            };
            pulled.names.push(name);
            pulled.types.push(ty);
            pulled.result.push(result);
            pulled.result_types.push(result_type);
        }
        pulled
    }

    /// The type of a cotangent or shadow, from that of first order.
    fn cotangent(&self, order: Order, ty: &TokenStream) -> TokenStream {
        let rt = self.surface.rt;
        match order {
            Order::First => ty.clone(),
            Order::Second => quote!(#rt::Dual<#ty, #ty>),
        }
    }

    fn seed(&self, order: Order) -> TokenStream {
        self.cotangent(order, &self.surface.output_tangent)
    }

    fn output(&self, order: Order) -> TokenStream {
        let (rt, output) = (self.surface.rt, &self.surface.output);
        let tangent = &self.surface.output_tangent;
        match order {
            Order::First => quote!(#output),
            Order::Second => quote!(#rt::Dual<#output, #tangent>),
        }
    }
}

fn written(a: &Argument) -> TokenStream {
    let written = &a.written;
    quote!(#written)
}

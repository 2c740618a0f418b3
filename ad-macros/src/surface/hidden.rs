//! The form of a function's hidden rules, as its surface tells it: for rules whose bodies are not made from IR.
//!
//! Input: a surface, and the body of a rule, or a message where there is none. Output: the rule in parts.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::{Argument, Surface};
use crate::emit::{Parts, by_type, own};
use crate::ir::PassedBy;

/// The hidden rules of a function.
pub(crate) struct Hidden<'a> {
    pub(crate) surface: &'a Surface<'a>,
}

/// The parameters of a hidden rule, and the arguments that it passes on.
#[derive(Default)]
pub(crate) struct Given {
    pub(crate) params: Vec<TokenStream>,
    pub(crate) args: Vec<TokenStream>,
    /// The types of the arguments that are handed over.
    pub(crate) types: Vec<TokenStream>,
}

/// One hidden pullback.
#[derive(Default)]
pub(crate) struct Pulled {
    /// Its parameters after the seed.
    pub(crate) names: Vec<TokenStream>,
    pub(crate) types: Vec<TokenStream>,
    /// The arguments of the user's pullback.
    pub(crate) handed: Vec<TokenStream>,
    /// The patterns and types of the results of the user's pullback.
    pub(crate) bars: Vec<TokenStream>,
    pub(crate) bar_types: Vec<TokenStream>,
    /// The hidden pullback's result, with one position for each parameter, and its type.
    pub(crate) result: Vec<TokenStream>,
    pub(crate) result_types: Vec<TokenStream>,
}

/// Which reverse rule.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// `rrule`.
    First,
    /// `rrule_frule`: each leaf is a dual.
    Second,
}

impl Hidden<'_> {
    /// The forward rule with this body.
    pub(crate) fn frule_with(&self, body: &TokenStream) -> Parts {
        Parts {
            split: false,
            params: self.duals().params,
            output: self.output(Order::Second),
            body: body.clone(),
        }
    }

    /// A reverse rule with this body.
    pub(crate) fn reverse_with(&self, order: Order, body: TokenStream) -> Parts {
        let pulled = self.pulled(order);
        Parts {
            split: true,
            params: self.given(order).params,
            output: self.with_pullback(order, &pulled.types, &pulled.result_types),
            body,
        }
    }

    /// A reverse rule from its two halves and the result of the first; the second has the cotangent in `seed`.
    pub(crate) fn halves(
        &self,
        order: Order,
        forward: &TokenStream,
        value: &TokenStream,
        seed: &Ident,
        reverse: &TokenStream,
    ) -> Parts {
        let pulled = self.pulled(order);
        let (names, types, result_types) = (&pulled.names, &pulled.types, &pulled.result_types);
        let (result, seed_type) = (own("result"), self.seed(order));
        let body = quote! {
            #forward
            let #result = #value;
            (#result, move |#seed: #seed_type, #(#names: #types),*| -> (#(#result_types,)*) {
                #reverse
            })
        };
        self.reverse_with(order, body)
    }

    /// A reverse rule that isn't there. Callers' own rules of higher order call it, whether or not anybody uses them, so it has the
    /// right type; that it is used is found when code is generated for it, and then an error of the compiler.
    pub(crate) fn missing(&self, order: Order, message: &str) -> Parts {
        let pulled = self.pulled(order);
        let (names, types, result_types) = (&pulled.names, &pulled.types, &pulled.result_types);
        let (y_type, seed) = (self.output(order), self.seed(order));
        let (missing, y) = (missing_value(message), own("value"));
        let body = quote! {
            let #y: #y_type = #missing;
            (#y, move |_: #seed, #(#names: #types),*| -> (#(#result_types,)*) {
                ::core::unreachable!()
            })
        };
        self.reverse_with(order, body)
    }

    /// The type of a value and its pullback.
    pub(crate) fn with_pullback(
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

    /// The parameters of a reverse rule: those of the function; at second order those of a forward rule.
    pub(crate) fn given(&self, order: Order) -> Given {
        let args = self.surface.args.iter();
        match order {
            Order::First => Given {
                params: self.surface.rule_params(),
                args: args.clone().map(|a| self.surface.expr(a)).collect(),
                types: args.map(|a| by_type(a.by, None, &written(a))).collect(),
            },
            Order::Second => self.duals(),
        }
    }

    /// Each argument with its tangent.
    pub(crate) fn duals(&self) -> Given {
        let mut given = Given::default();
        let receiver = self.surface.rule_params();
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

    pub(crate) fn pulled(&self, order: Order) -> Pulled {
        let rt = self.surface.rt;
        let mut pulled = Pulled::default();
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
    pub(crate) fn cotangent(&self, order: Order, ty: &TokenStream) -> TokenStream {
        let rt = self.surface.rt;
        match order {
            Order::First => ty.clone(),
            Order::Second => quote!(#rt::Dual<#ty, #ty>),
        }
    }

    pub(crate) fn seed(&self, order: Order) -> TokenStream {
        self.cotangent(order, &self.surface.output_tangent)
    }

    pub(crate) fn output(&self, order: Order) -> TokenStream {
        let (rt, output) = (self.surface.rt, &self.surface.output);
        let tangent = &self.surface.output_tangent;
        match order {
            Order::First => quote!(#output),
            Order::Second => quote!(#rt::Dual<#output, #tangent>),
        }
    }
}

/// Only generic code is evaluated no sooner than code is generated for it, and only if it stays a function: what is inlined in the MIR of a
/// library, as in optimised builds, is evaluated for all callers.
pub(super) fn missing_value(message: &str) -> TokenStream {
    let missing = own("missing");
    quote!({
        #[inline(never)]
        fn #missing<T>() -> T {
            const { ::core::panic!(#message) }
        }
        #missing()
    })
}

fn written(a: &Argument) -> TokenStream {
    let written = &a.written;
    quote!(#written)
}

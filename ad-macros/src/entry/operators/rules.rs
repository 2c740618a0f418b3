//! The methods of `BinaryRules` and `UnaryRules`: the operator's rules, with operands by value.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::{Kind, Operand, Overload};
use crate::emit::{Entry, emit_parts, operation, own, unary};
use crate::ir::{Func, PassedBy};
use crate::options::Options;
use crate::pipeline::{forward_rule, reverse_rule};
use crate::transform::Shape;

/// One value, or the values of all operands as a tuple.
fn gathered(parts: &[TokenStream]) -> TokenStream {
    match parts {
        [one] => one.clone(),
        _ => quote!((#(#parts),*)),
    }
}

impl Operand {
    fn with(&self, suffix: &str) -> Ident {
        format_ident!("{}_{suffix}", self.name, span = self.name.span())
    }

    /// The type of its tangent, or of a value and it.
    fn types(&self, rt: &TokenStream) -> (TokenStream, TokenStream) {
        let ty = &self.ty;
        let tangent = quote!(#rt::Tan<#ty>);
        let dual = quote!(#rt::Dual<#ty, #tangent>);
        (tangent, dual)
    }

    /// `x`, `&x` or `&mut x`, as the rule takes it.
    fn lent(&self, x: &TokenStream) -> TokenStream {
        match self.by {
            PassedBy::Value => x.clone(),
            PassedBy::Ref => quote!(&#x),
            PassedBy::Mut => quote!(&mut #x),
        }
    }

    /// The argument that a rule on duals takes.
    fn dual(&self, rt: &TokenStream) -> TokenStream {
        let (x, dot) = (&self.name, self.with("dot"));
        let value = self.lent(&quote!(#x));
        if self.constant {
            return value;
        }
        let dot = self.lent(&quote!(#dot));
        quote!(#rt::Dual(#value, #dot))
    }
}

impl Overload<'_> {
    pub(super) fn primal(&self) -> TokenStream {
        let (params, _) = self.signature(&quote!(), false);
        let names: Vec<&Ident> = self.operands.iter().map(|o| &o.name).collect();
        let body = match self.kind {
            Kind::Unary(op) => {
                let a = names[0];
                unary(op, self.by_ref(0), &quote!(#a))
            }
            Kind::Binary(op) | Kind::Assign(op) => operation(self.operator(op), names[0], names[1]),
        };
        let output = &self.output;
        quote! {
            #[inline]
            fn primal(#(#params),*) -> #output { #body }
        }
    }

    /// The parameters of a rule, and the type of its pullback's result.
    fn signature(&self, rt: &TokenStream, dual: bool) -> (Vec<TokenStream>, TokenStream) {
        let mut params = Vec::new();
        let mut bars = Vec::new();
        for operand in &self.operands {
            let (x, dot, ty) = (&operand.name, operand.with("dot"), &operand.ty);
            let (tangent, both) = operand.types(rt);
            let mutable = (operand.by == PassedBy::Mut).then(|| quote!(mut));
            params.push(if dual {
                quote!(#rt::Dual(#mutable #x, #mutable #dot): #both)
            } else {
                quote!(#mutable #x: #ty)
            });
            bars.push(if dual {
                quote!(#rt::Dual<#tangent, #tangent>)
            } else {
                tangent
            });
        }
        (params, gathered(&bars))
    }

    /// The rule itself, as a block on the operands of the trait's method.
    fn block(&self, options: &Options, func: &Func, rt: &TokenStream, dual: bool) -> TokenStream {
        let generics = syn::Generics::default();
        let entry = Entry {
            dual,
            with: options.found(None),
            ..Entry::new(rt, own("operator"), &generics)
        };
        let parts = emit_parts(func, &entry);
        let (params, body) = (parts.params, parts.body);
        let args = self.operands.iter().map(|o| {
            let x = &o.name;
            if dual {
                o.dual(rt)
            } else {
                o.lent(&quote!(#x))
            }
        });
        quote!({ #(let #params = #args;)* #body })
    }

    pub(super) fn frule(&self, options: &Options, func: &Func, rt: &TokenStream) -> TokenStream {
        let (params, _) = self.signature(rt, true);
        let block = self.block(options, &forward_rule(func), rt, true);
        let output = &self.output;
        let body = match self.kind {
            Kind::Assign(_) => {
                let (a, dot) = (&self.operands[0].name, self.operands[0].with("dot"));
                quote!(let #rt::Dual((), _) = #block; #rt::Dual(#a, #dot))
            }
            _ => block,
        };
        quote! {
            #[inline]
            fn frule(#(#params),*) -> #rt::Dual<#output, #rt::Tan<#output>> { #body }
        }
    }

    /// `rrule`, and with `dual` its forward transform.
    pub(super) fn rrule(
        &self,
        options: &Options,
        func: &Func,
        rt: &TokenStream,
        dual: bool,
    ) -> TokenStream {
        let reversed = reverse_rule(func, Shape::Split);
        let block = if dual {
            self.block(options, &forward_rule(&reversed), rt, true)
        } else {
            self.block(options, &reversed, rt, false)
        };
        let (params, bars) = self.signature(rt, dual);
        let (output, captured) = (&self.output, self.captured());
        let mut seed = quote!(#rt::Tan<#output>);
        let mut result = quote!(#output);
        if dual {
            seed = quote!(#rt::Dual<#seed, #seed>);
            result = quote!(#rt::Dual<#output, #rt::Tan<#output>>);
        }
        let (y, y_bar, pullback) = (own("value"), own("seed"), own("pullback"));
        let reverse_half = self.reverse_half(rt, dual, &y_bar, &pullback);
        let before: TokenStream = self.operands.iter().map(|o| o.zeros(rt)).collect();
        let value = match self.kind {
            Kind::Assign(_) => {
                let (a, dot) = (&self.operands[0].name, self.operands[0].with("dot"));
                let a = quote!(#rt::ToOwned::to_owned(&#a));
                let dot = quote!(#rt::ToOwned::to_owned(&#dot));
                if dual { quote!(#rt::Dual(#a, #dot)) } else { a }
            }
            _ => quote!(#y),
        };
        let name = if dual {
            quote!(rrule_frule)
        } else {
            quote!(rrule)
        };
        quote! {
            #[inline]
            #[allow(clippy::type_complexity)]
            fn #name(#(#params),*) -> (#result, impl ::core::ops::FnOnce(#seed) -> #bars + use<#(#captured),*>) {
                #before
                let (#y, #pullback) = #block;
                let #y = #value;
                (#y, move |#y_bar: #seed| { #reverse_half })
            }
        }
    }

    /// Calls the pullback with its argument for each operand, and gathers the cotangents.
    fn reverse_half(
        &self,
        rt: &TokenStream,
        dual: bool,
        y_bar: &Ident,
        pullback: &Ident,
    ) -> TokenStream {
        let mut setup = TokenStream::new();
        let mut seed = quote!(#y_bar);
        let (mut args, mut returned, mut results) = (Vec::new(), Vec::new(), Vec::new());
        for o in &self.operands {
            let (x, dot, bar, bar_dot) = (&o.name, o.with("dot"), o.with("bar"), o.with("bar_dot"));
            let both = if dual {
                quote!(#rt::Dual(#bar, #bar_dot))
            } else {
                quote!(#bar)
            };
            results.push(both.clone());
            match (o.by, o.constant) {
                (PassedBy::Value, false) => {
                    args.push(quote!(()));
                    returned.push(both);
                    continue;
                }
                (PassedBy::Value, true) => args.push(quote!(())),
                (PassedBy::Ref, true) => args.push(quote!(&#x)),
                (by, _) => {
                    if by == PassedBy::Mut {
                        // The cotangent from after the assignment flows into the old value.
                        seed = if dual {
                            setup.extend(quote!(let mut #x = #x; let mut #dot = #dot; let #rt::Dual(mut #bar, mut #bar_dot) = #y_bar;));
                            quote!(#rt::Dual(#rt::NoTangent, #rt::NoTangent))
                        } else {
                            setup.extend(quote!(let mut #x = #x; let mut #bar = #y_bar;));
                            quote!(#rt::NoTangent)
                        };
                    } else {
                        setup.extend(quote!(let mut #bar = #bar;));
                        setup.extend(dual.then(|| quote!(let mut #bar_dot = #bar_dot;)));
                    }
                    let (value, tangent) = (o.lent(&quote!(#x)), o.lent(&quote!(#dot)));
                    args.push(if dual {
                        quote!(#rt::CoDual(#rt::Dual(#value, #tangent), #rt::Dual(&mut #bar, &mut #bar_dot)))
                    } else {
                        quote!(#rt::CoDual(#value, &mut #bar))
                    });
                }
            }
            returned.push(quote!(_));
        }
        let results = gathered(&results);
        quote! {
            #setup
            let (#(#returned,)*) = #rt::probe::Pull::pull(#pullback, #seed, (#(#args,)*));
            #results
        }
    }

    /// The parameters that a returned closure may capture.
    fn captured(&self) -> Vec<TokenStream> {
        crate::surface::arguments(&self.block.generics)
    }
}

impl Operand {
    /// Zero cotangents, made before the operand may be moved: those that the pullback doesn't return.
    fn zeros(&self, rt: &TokenStream) -> TokenStream {
        if self.by == PassedBy::Mut || self.by == PassedBy::Value && !self.constant {
            return TokenStream::new();
        }
        let (x, bar, bar_dot) = (&self.name, self.with("bar"), self.with("bar_dot"));
        quote! {
            let #bar = #rt::Differentiable::zero_tangent(&#x);
            let #bar_dot = #rt::Differentiable::zero_tangent(&#x);
        }
    }
}

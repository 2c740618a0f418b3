//! The combined rule in the form in which generated code calls it: one position for each parameter, as the modes describe it.
//!
//! | parameter | takes | returns |
//! |---|---|---|
//! | `x: T` | `T` | the cotangent |
//! | `x: &T` | `CoDual<&T, &mut T::Tangent>` | `()` |
//! | constant | the parameter | `()` |
//!
//! At second order each leaf is a `Dual`. A function with a differentiated `&mut` has no such rule: the rule restores the memory, but a
//! caller would go on with the values that the function wrote.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::hidden::missing_value;
use super::{Argument, Surface};
use crate::emit::{by_type, own};
use crate::ir::PassedBy;

/// The code for one parameter.
struct Position {
    ty: TokenStream,
    /// The parameter of the combined rule, and its shadow.
    primal: TokenStream,
    shadow: Option<TokenStream>,
    /// The type and value of its cotangent, and where that is made.
    returned: (TokenStream, TokenStream),
    zeros: TokenStream,
}

impl Surface<'_> {
    /// The rules by which callers call the combined ones, of first and of second order.
    pub(super) fn combined_calls(&self) -> TokenStream {
        let writes = |a: &Argument| a.by == PassedBy::Mut && !a.constant;
        if self.method.is_some() || !self.may_be_scalar() || self.args.iter().any(writes) {
            return TokenStream::new();
        }
        let (first, second) = (self.combined_call(false), self.combined_call(true));
        quote!(#first #second)
    }

    fn combined_call(&self, second: bool) -> TokenStream {
        let (rt, vis, seed) = (self.rt, self.vis, own("seed"));
        let (output, tangent) = (&self.output, &self.output_tangent);
        let (name, hidden, output, tangent) = if second {
            (
                self.hidden_name("combined_call_frule"),
                self.hidden("combined_frule"),
                quote!(#rt::Dual<#output, #tangent>),
                quote!(#rt::Dual<#tangent, #tangent>),
            )
        } else {
            (
                self.hidden_name("combined_call"),
                self.hidden("combined"),
                quote!(#output),
                quote!(#tangent),
            )
        };
        let args = self.args.iter();
        let positions: Vec<Position> = args.map(|a| self.position(a, second)).collect();
        let names: Vec<_> = self.args.iter().map(|a| &a.name).collect();
        let types = positions.iter().map(|p| &p.ty);
        let primals = positions.iter().map(|p| &p.primal);
        let shadows = positions.iter().filter_map(|p| p.shadow.as_ref());
        let zeros = positions.iter().map(|p| &p.zeros);
        let (returned, bars): (Vec<_>, Vec<_>) =
            positions.iter().map(|p| &p.returned).cloned().unzip();
        let y = own("value");
        let (generics, clause) = (self.impl_generics(), self.where_clause(&[]));
        let body = match self.missing_second().filter(|_| second) {
            Some(message) => missing_value(&message),
            None => quote! {
                #(#zeros)*
                let #y = #hidden(#(#primals,)* #seed, #(#shadows),*);
                (#y, (#(#bars,)*))
            },
        };
        quote! {
            #[doc(hidden)]
            #[inline]
            #[allow(clippy::type_complexity)]
            #vis fn #name #generics (#(#names: #types,)* #seed: #tangent) -> (#output, (#(#returned,)*)) #clause {
                #body
            }
        }
    }

    fn position(&self, a: &Argument, second: bool) -> Position {
        let (rt, x, written) = (self.rt, &a.name, &a.written);
        let given = by_type(a.by, a.lifetime.as_ref(), &quote!(#written));
        if a.constant {
            return Position {
                ty: given,
                primal: quote!(#x),
                shadow: None,
                returned: (quote!(()), quote!(())),
                zeros: TokenStream::new(),
            };
        }
        let tangent = self.tangent(a);
        let dual = |first: TokenStream, dot: TokenStream| quote!(#rt::Dual<#first, #dot>);
        if a.by == PassedBy::Ref {
            let shadow = quote!(&mut #tangent);
            let (primal, shadow) = if second {
                (dual(given, quote!(&#tangent)), dual(shadow.clone(), shadow))
            } else {
                (given, shadow)
            };
            return Position {
                ty: quote!(#rt::CoDual<#primal, #shadow>),
                primal: quote!(#x.0),
                shadow: Some(quote!(#x.1)),
                returned: (quote!(()), quote!(())),
                zeros: TokenStream::new(),
            };
        }
        let bar = format_ident!("{}_bar", crate::emit::unraw(x), span = own("x").span());
        let zero = |bar: &syn::Ident, primal: TokenStream| quote!(let mut #bar: #tangent = #rt::Differentiable::zero_tangent(&#primal););
        if !second {
            return Position {
                ty: given,
                primal: quote!(#x),
                shadow: Some(quote!(&mut #bar)),
                returned: (tangent.clone(), quote!(#bar)),
                zeros: zero(&bar, quote!(#x)),
            };
        }
        let dot = format_ident!("{bar}_dot", span = own("x").span());
        let (first, next) = (zero(&bar, quote!(#x.0)), zero(&dot, quote!(#x.0)));
        Position {
            ty: dual(given, tangent.clone()),
            primal: quote!(#x),
            shadow: Some(quote!(#rt::Dual(&mut #bar, &mut #dot))),
            returned: (
                dual(tangent.clone(), tangent),
                quote!(#rt::Dual(#bar, #dot)),
            ),
            zeros: quote!(#first #next),
        }
    }
}

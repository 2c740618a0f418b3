//! Matrices by several columns at once, for functions that have rules in several directions.
//!
//! Input: a surface. Output: the loops of `jacobian` and `hessian` over unit vectors, of which each pass takes as many as there are lanes.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::{Argument, Surface};
use crate::emit::own;
use crate::ir::PassedBy;

impl Surface<'_> {
    /// The directions of an argument, and the tangents of its cotangent in them.
    fn lanes_of(a: &Argument, what: &str) -> Ident {
        Self::of(a, &format!("{what}_lanes"))
    }

    fn behind(&self, a: &Argument) -> TokenStream {
        let x = self.expr(a);
        if a.by == PassedBy::Value {
            quote!(&#x)
        } else {
            quote!(&*#x)
        }
    }

    /// Zero directions of all arguments.
    fn zero_lanes(&self, what: &str) -> TokenStream {
        let rt = self.rt;
        self.differentiated()
            .map(|a| {
                let (lanes, x) = (Self::lanes_of(a, what), self.behind(a));
                quote!(let mut #lanes = #rt::wide::zero::<#rt::wide::Widest, _>(#x);)
            })
            .collect()
    }

    /// The arguments of a rule in several directions.
    fn wide_args(&self) -> Vec<TokenStream> {
        let rt = self.rt;
        let again = self.again();
        (self.args.iter().zip(again))
            .map(|(a, x)| {
                let (lanes, written) = (Self::lanes_of(a, "dot"), &a.written);
                let x = a.behind_view(&x).unwrap_or(x);
                match a.by {
                    _ if a.constant => x,
                    PassedBy::Value => quote!(#rt::Dual(#x, ::core::clone::Clone::clone(&#lanes))),
                    _ => quote!(#rt::Dual(
                        #x,
                        ::core::borrow::Borrow::<<#written as #rt::wide::Widened<#rt::wide::Widest>>::Borrowed>::borrow(&#lanes)
                    )),
                }
            })
            .collect()
    }

    fn all_lanes(&self, what: &str) -> Vec<Ident> {
        let lanes = self.differentiated().map(|a| Self::lanes_of(a, what));
        lanes.collect()
    }

    /// The columns of a Jacobian, whose blocks are in a variable.
    pub(super) fn wide_columns(&self, blocks: &Ident, counts: &Ident) -> TokenStream {
        let (rt, rule) = (self.rt, self.path(&self.hidden_name("frule_wide")));
        let (y_dot, units) = (own("tangent"), own("units"));
        let (zeros, args) = (self.zero_lanes("dot"), self.wide_args());
        let run = quote! {
            let #rt::Dual(_, #y_dot) = #rule::<#rt::wide::Widest>(#(#args),*);
            #blocks.set_columns(#units, &#y_dot);
        };
        let columns = self.for_lanes(counts, &run);
        quote! {
            #zeros
            #columns
        }
    }

    fn for_lanes(&self, counts: &Ident, run: &TokenStream) -> TokenStream {
        let rt = self.rt;
        self.for_units(
            &self.all_lanes("dot"),
            counts,
            &quote!(#rt::wide::WIDTH),
            run,
        )
    }

    /// A Hessian, in a variable.
    pub(super) fn wide_products(&self, hessian: &Ident, counts: &Ident) -> TokenStream {
        let (rt, rule) = (self.rt, self.path(&self.hidden_name("hessian_wide")));
        let zeros = self.zero_lanes("dot");
        let products = self.zero_lanes("bar");
        let args = self.wide_args();
        let bars: Vec<Ident> = self.differentiated().map(Self::bar).collect();
        let gradient = self.differentiated().map(|a| self.zero(a, &Self::bar(a)));
        let shadows: Vec<TokenStream> = self
            .differentiated()
            .map(|a| {
                let (lent, lanes, written) = (self.lent(a, &Self::bar(a)), Self::lanes_of(a, "bar"), &a.written);
                let lanes = if a.by == PassedBy::Value {
                    quote!(&mut #lanes)
                } else {
                    quote!(::core::borrow::BorrowMut::<<#written as #rt::wide::Widened<#rt::wide::Widest>>::Borrowed>::borrow_mut(&mut #lanes))
                };
                quote!(#rt::Dual(#lent, #lanes))
            })
            .collect();
        let (all, units) = (self.all_lanes("bar"), own("units"));
        let run = quote! {
            #(#rt::Tangent::set_zero(&mut #bars);)*
            #(#rt::Tangent::set_zero(&mut #all);)*
            #rule::<#rt::wide::Widest>(#(#args,)* (), #(#shadows),*);
            #hessian.set_columns(#units, [#(&#all),*]);
        };
        let columns = self.for_lanes(counts, &run);
        quote! {
            #zeros
            #products
            #(#gradient)*
            let #counts = [#(#rt::Tangent::count_entries(&#bars)),*];
            let mut #hessian = #rt::jacobian::Hessian::new(#counts);
            #columns
        }
    }
}

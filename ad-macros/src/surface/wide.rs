//! Matrices by several columns at once, for functions that have rules in several directions.
//!
//! Input: a surface. Output: the loops of `jacobian` and `hessian` over unit vectors, of which each pass takes as many as there are lanes.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::drivers::plain;
use super::{Argument, Surface};
use crate::emit::own;
use crate::ir::PassedBy;

impl Surface<'_> {
    /// The directions of an argument, and the tangents of its cotangent in them.
    fn lanes_of(a: &Argument, what: &str) -> Ident {
        format_ident!("{}_{what}_lanes", plain(&a.name), span = own("x").span())
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

    /// For each block of unit vectors of an argument what `run` does, which finds the first one's number in `j`.
    fn for_lanes(&self, a: &Argument, j: &Ident, count: &Ident, run: &TokenStream) -> TokenStream {
        let (rt, lanes) = (self.rt, Self::lanes_of(a, "dot"));
        quote! {
            for #j in ::core::iter::Iterator::step_by(0..#count, #rt::wide::WIDTH) {
                #rt::wide::set_units(&mut #lanes, #j, #count, 1.0);
                #run
                #rt::wide::set_units(&mut #lanes, #j, #count, 0.0);
            }
        }
    }

    /// The columns of a Jacobian.
    pub(super) fn wide_columns(&self, targets: &[Ident], counts: &[Ident]) -> TokenStream {
        let (rt, rule) = (self.rt, self.path(&self.hidden_name("frule_wide")));
        let (j, y_dot, scratch) = (own("j"), own("tangent"), own("scratch"));
        let (zeros, args) = (self.zero_lanes("dot"), self.wide_args());
        let columns: TokenStream = (self.differentiated().zip(targets).zip(counts))
            .map(|((a, target), count)| {
                let run = quote! {
                    let #rt::Dual(_, #y_dot) = #rule::<#rt::wide::Widest>(#(#args),*);
                    #rt::jacobian::set_columns(#target, #count, #j, &mut #scratch, &#y_dot);
                };
                self.for_lanes(a, &j, count, &run)
            })
            .collect();
        quote! {
            #zeros
            let mut #scratch = #rt::Vec::new();
            #columns
        }
    }

    /// The columns of a Hessian.
    pub(super) fn wide_products(&self, blocks: &[Vec<Ident>], counts: &[Ident]) -> TokenStream {
        let (rt, rule) = (self.rt, self.path(&self.hidden_name("hessian_wide")));
        let (j, scratch) = (own("j"), own("scratch"));
        let zeros = self.zero_lanes("dot");
        let products = self.zero_lanes("bar");
        let args = self.wide_args();
        let bars = self.differentiated().map(|a| self.zero(a, &Self::bar(a)));
        let cleared = self.differentiated().map(|a| {
            let (bar, lanes) = (Self::bar(a), Self::lanes_of(a, "bar"));
            quote!(#rt::Tangent::set_zero(&mut #bar); #rt::Tangent::set_zero(&mut #lanes);)
        });
        let cleared: TokenStream = cleared.collect();
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
        let all: Vec<Ident> = self
            .differentiated()
            .map(|a| Self::lanes_of(a, "bar"))
            .collect();
        let columns: TokenStream = (self.differentiated().zip(counts).enumerate())
            .map(|(k, (a, count))| {
                let column = blocks.iter().map(|row| &row[k]);
                let run = quote! {
                    #cleared
                    #rule::<#rt::wide::Widest>(#(#args,)* (), #(#shadows),*);
                    #(#rt::jacobian::set_columns(#column.as_mut_slice(), #count, #j, &mut #scratch, &#all);)*
                };
                self.for_lanes(a, &j, count, &run)
            })
            .collect();
        quote! {
            #zeros
            #products
            #(#bars)*
            let mut #scratch = #rt::Vec::new();
            #columns
        }
    }
}

//! `jacobian` and `hessian` of one vector or array parameter: one pass for each column or row, whichever are fewer.

use proc_macro2::TokenStream;
use quote::quote;

use super::{Argument, Surface, unit};
use crate::emit::own;
use crate::ir::{PassedBy, Ty};

impl Surface<'_> {
    pub(super) fn matrices(&self) -> TokenStream {
        let mut items = TokenStream::new();
        if let Some(x) = self.jacobian_of() {
            items.extend(self.jacobian(x));
        }
        if let Some(x) = self.hessian_of() {
            items.extend(self.hessian(x));
        }
        items
    }

    /// The parameter that `jacobian` is with respect to, if there is one.
    pub(super) fn jacobian_of(&self) -> Option<&Argument> {
        is_vector(&self.output_known).then(|| self.one_vector())?
    }

    /// The parameter that `hessian` is with respect to, if there is one.
    pub(super) fn hessian_of(&self) -> Option<&Argument> {
        self.output_known.is_float().then(|| self.one_vector())?
    }

    /// The only differentiated parameter, if it is a vector, and the function can run several times.
    fn one_vector(&self) -> Option<&Argument> {
        let mut differentiated = self.differentiated();
        let (Some(x), None) = (differentiated.next(), differentiated.next()) else {
            return None;
        };
        let repeatable = self.args.iter().all(|a| match (a.by, a.constant) {
            (PassedBy::Mut, _) => false,
            (PassedBy::Value, true) => a.known.is_scalar(),
            _ => true,
        });
        (!x.receiver && repeatable && is_vector(&x.known)).then_some(x)
    }

    /// The argument, for one of several passes.
    fn again(&self, a: &Argument) -> TokenStream {
        let (rt, x) = (self.rt, self.expr(a));
        if a.by == PassedBy::Value && !a.known.is_scalar() {
            quote!(#rt::ToOwned::to_owned(&#x))
        } else {
            x
        }
    }

    /// A tangent of `x` in a variable called `direction`, as the rule takes it.
    fn direction(a: &Argument) -> TokenStream {
        let direction = own("direction");
        match a.by {
            PassedBy::Value => quote!(::core::clone::Clone::clone(&#direction)),
            _ => quote!(&#direction),
        }
    }

    fn dual_again(&self, x: &Argument) -> Vec<TokenStream> {
        let rt = self.rt;
        self.args
            .iter()
            .map(|a| {
                let again = self.again(a);
                let dot = Self::direction(x);
                match (a.receiver, a.constant) {
                    (true, true) => quote!(#again, ()),
                    (false, true) => again,
                    _ => quote!(#rt::Dual(#again, #dot)),
                }
            })
            .collect()
    }

    fn jacobian(&self, x: &Argument) -> TokenStream {
        let (rt, vis, title) = (self.rt, self.vis, &self.title);
        let name = self.public("jacobian");
        let (frule, rrule) = (self.hidden("frule"), self.hidden("rrule"));
        let params = self.primal_params();
        let owned = self.owned_tangent(x);
        let place = self.expr(x);
        let place = if x.by == PassedBy::Value {
            quote!(&#place)
        } else {
            place
        };
        let dual_args = self.dual_again(x);
        let args: Vec<TokenStream> = self.args.iter().map(|a| self.again(a)).collect();
        let primal = &self.primal;
        let (n, m, i, j, jacobian, direction, shadow) = (
            own("n"),
            own("m"),
            own("i"),
            own("j"),
            own("jacobian"),
            own("direction"),
            own("shadow"),
        );
        let (y, y_dot, y_bar, pullback, returned) = (
            own("value"),
            own("tangent"),
            own("seed"),
            own("pullback"),
            own("returned"),
        );
        let mut passed = Vec::new();
        let mut patterns = Vec::new();
        let mut row = quote!(#shadow);
        for a in &self.args {
            let expr = self.expr(a);
            patterns.push(if !a.constant && a.by == PassedBy::Value {
                row = quote!(#returned);
                quote!(#returned)
            } else {
                quote!(_)
            });
            passed.push(match (a.by, a.constant) {
                (PassedBy::Ref, true) => expr,
                (PassedBy::Ref, false) => quote!(#rt::CoDual(#expr, &mut #shadow)),
                _ => quote!(()),
            });
        }
        let zero = quote!(let mut #shadow: #owned = #rt::Differentiable::zero_tangent(#place););
        let zero = if x.by == PassedBy::Value {
            TokenStream::new()
        } else {
            zero
        };
        let (generics, clause) = (self.impl_generics(), self.where_clause(&TokenStream::new()));
        let doc = format!(
            " The Jacobian of `{title}`: rows are outputs, columns are inputs. It takes one pass for each row or column, \
             whichever are fewer."
        );
        let element = quote!(#rt::Scalar::to_f64);
        let (one, zero_of) = unit(x.known.element(), rt);
        let one_out = unit(self.output_known.element(), rt).0;
        quote! {
            #[doc = #doc]
            #[inline]
            #vis fn #name #generics (#(#params),*) -> #rt::Matrix #clause {
                let #y = #primal(#(#args),*);
                let (#m, #n) = (#y.len(), (#place).len());
                let mut #jacobian = #rt::Matrix::zeros(#m, #n);
                if #n <= #m {
                    let mut #direction: #owned = #rt::Differentiable::zero_tangent(#place);
                    for #j in 0..#n {
                        #direction[#j] = #one;
                        let #rt::Dual(_, #y_dot) = #frule(#(#dual_args),*);
                        for #i in 0..#m {
                            #jacobian[(#i, #j)] = #element(#y_dot[#i]);
                        }
                        #direction[#j] = #zero_of;
                    }
                } else {
                    for #i in 0..#m {
                        let (#y, #pullback) = #rrule(#(#args),*);
                        let mut #y_bar = #rt::Differentiable::zero_tangent(&#y);
                        #y_bar[#i] = #one_out;
                        #zero
                        let (#(#patterns,)*) = #pullback(#y_bar, #(#passed),*);
                        for #j in 0..#n {
                            #jacobian[(#i, #j)] = #element(#row[#j]);
                        }
                    }
                }
                #jacobian
            }
        }
    }

    fn hessian(&self, x: &Argument) -> TokenStream {
        let (rt, vis, title) = (self.rt, self.vis, &self.title);
        let (name, hidden) = (self.public("hessian"), self.hidden("combined_frule"));
        let params = self.primal_params();
        let owned = self.owned_tangent(x);
        let place = self.expr(x);
        let place = if x.by == PassedBy::Value {
            quote!(&#place)
        } else {
            place
        };
        let args = self.dual_again(x);
        let (n, i, j, hessian, direction, bar, column) = (
            own("n"),
            own("i"),
            own("j"),
            own("hessian"),
            own("direction"),
            own("bar"),
            own("column"),
        );
        let (generics, clause) = (self.impl_generics(), self.where_clause(&TokenStream::new()));
        let doc = format!(" The Hessian of `{title}`, by one product with each unit vector.");
        let element = quote!(#rt::Scalar::to_f64);
        let (one, zero_of) = unit(x.known.element(), rt);
        let (one_out, zero_out) = unit(Some(&self.output_known), rt);
        quote! {
            #[doc = #doc]
            #[inline]
            #vis fn #name #generics (#(#params),*) -> #rt::Matrix #clause {
                let #n = (#place).len();
                let mut #hessian = #rt::Matrix::zeros(#n, #n);
                let mut #direction: #owned = #rt::Differentiable::zero_tangent(#place);
                for #j in 0..#n {
                    #direction[#j] = #one;
                    let mut #bar: #owned = #rt::Differentiable::zero_tangent(#place);
                    let mut #column: #owned = #rt::Differentiable::zero_tangent(#place);
                    #hidden(#(#args,)* #rt::Dual(#one_out, #zero_out), #rt::Dual(&mut #bar, &mut #column));
                    for #i in 0..#n {
                        #hessian[(#i, #j)] = #element(#column[#i]);
                    }
                    #direction[#j] = #zero_of;
                }
                #hessian
            }
        }
    }
}

/// Floats in a row.
fn is_vector(ty: &Ty) -> bool {
    matches!(ty, Ty::Slice(t) | Ty::Vec(t) | Ty::Array(t, _) if t.is_float())
}

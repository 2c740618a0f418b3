//! The public `frule` and `rrule`: they check shapes, and call the hidden ones.

use proc_macro2::TokenStream;
use quote::quote;

use super::{Argument, Surface};
use crate::emit::{by_type, own};
use crate::ir::{PassedBy, Ty};

impl Surface<'_> {
    /// `Dual<&T, &T::Tangent>` and so on; constants as they are.
    pub(crate) fn dual_param(&self, a: &Argument) -> TokenStream {
        let (rt, written) = (self.rt, &a.written);
        let primal = by_type(a.by, a.lifetime.as_ref(), &quote!(#written));
        if a.constant {
            return primal;
        }
        let tangent = by_type(a.by, None, &self.tangent(a));
        quote!(#rt::Dual<#primal, #tangent>)
    }

    /// A statement that panics if a shadow's shape isn't the argument's, unless the type has one shape alone.
    pub(super) fn check(
        &self,
        a: &Argument,
        primal: &TokenStream,
        shadow: &TokenStream,
    ) -> TokenStream {
        if has_one_shape(&a.known) {
            return TokenStream::new();
        }
        let (rt, compared) = (self.rt, self.compared(a, primal, shadow));
        quote!(#rt::check_shape(#compared);)
    }

    /// An argument, its shadow, and the names of both in messages.
    fn compared(&self, a: &Argument, primal: &TokenStream, shadow: &TokenStream) -> TokenStream {
        let (title, name) = (&self.title, a.name.to_string());
        let name = if a.receiver { "self".to_owned() } else { name };
        match a.by {
            PassedBy::Value => {
                quote!(&#primal, ::core::borrow::Borrow::borrow(&#shadow), #title, #name)
            }
            _ => quote!(&*#primal, &*#shadow, #title, #name),
        }
    }

    /// A statement that panics if the cotangent of a result doesn't have its shape.
    pub(super) fn check_result(&self, value: &TokenStream, seed: &TokenStream) -> TokenStream {
        if has_one_shape(&self.output_known) {
            return TokenStream::new();
        }
        let (rt, title) = (self.rt, &self.title);
        quote!(#rt::check_result(&#value, &#seed, #title);)
    }

    pub(super) fn public_frule(&self) -> TokenStream {
        let rt = self.rt;
        let vis = self.vis;
        let name = self.public("frule");
        let hidden = self.hidden("frule");
        let (output, tangent, title) = (&self.output, &self.output_tangent, &self.title);
        let mut params = Vec::new();
        let mut given = Vec::new();
        let mut shapes = TokenStream::new();
        for a in &self.args {
            let (x, ty) = (&a.name, self.dual_param(a));
            params.push(quote!(#x: #ty));
            if !a.constant {
                shapes.extend(self.check(a, &quote!(#x.0), &quote!(#x.1)));
            }
            // Borrowed arguments are looked at afterwards.
            let lent = self.checked && a.by == PassedBy::Mut;
            given.push(match (a.receiver, a.constant) {
                (true, true) if lent => quote!(&mut *#x, ()),
                (true, true) => quote!(#x, ()),
                (true, false) if lent => quote!(&mut *#x.0, &mut *#x.1),
                (true, false) => quote!(#x.0, #x.1),
                (false, true) if lent => quote!(&mut *#x),
                (false, false) if lent => quote!(#rt::Dual(&mut *#x.0, &mut *#x.1)),
                (false, _) => quote!(#x),
            });
        }
        let run = quote!(#hidden(#(#given),*));
        let body = if self.checked {
            let (checks, y, dot) = (self.checks("frule"), own("value"), own("tangent"));
            let value = |a: &Argument| {
                let x = &a.name;
                if a.constant { quote!(#x) } else { quote!(#x.0) }
            };
            let begin = checks.begin_with(&value);
            let given = checks.given_as(&|a| {
                let x = &a.name;
                quote!(#x.1)
            });
            let end = checks.left(&quote!(#y), &value);
            let tangent = checks.tangent(&quote!(#y), &quote!(#dot));
            quote! {
                #begin
                #given
                let #rt::Dual(#y, #dot) = #run;
                #end
                #tangent
                #rt::Dual(#y, #dot)
            }
        } else {
            run
        };
        let (generics, clause) = (self.impl_generics(), self.where_clause(&[]));
        let doc = format!(
            " The forward rule of `{title}`: its value and the derivative in the direction of the arguments' tangents.\n\n \
             # Panics\n If a tangent's shape is not that of its argument."
        );
        quote! {
            #[doc = #doc]
            #[inline]
            #[track_caller]
            #vis fn #name #generics (#(#params),*) -> #rt::Dual<#output, #tangent> #clause {
                #shapes
                #body
            }
        }
    }

    pub(super) fn public_rrule(&self) -> TokenStream {
        let rt = self.rt;
        let vis = self.vis;
        let name = self.public("rrule");
        let hidden = self.hidden("rrule");
        let (output, tangent, title) = (&self.output, &self.output_tangent, &self.title);
        let params = self.primal_params();
        let given = self.args_of_a_rule();
        let mut types = Vec::new();
        let mut names = Vec::new();
        let mut passed = Vec::new();
        let mut returned_types = Vec::new();
        let mut patterns = Vec::new();
        let mut returned = Vec::new();
        let mut checks = TokenStream::new();
        for a in &self.args {
            let (x, written) = (&a.name, &a.written);
            match (a.by, a.constant) {
                (PassedBy::Value, false) => {
                    let bar = quote::format_ident!("{}_bar", x, span = own("x").span());
                    returned_types.push(self.tangent(a));
                    patterns.push(quote!(#bar));
                    returned.push(quote!(#bar));
                    passed.push(quote!(()));
                    continue;
                }
                (PassedBy::Value | PassedBy::Mut, true) => passed.push(quote!(())),
                (PassedBy::Ref, true) => {
                    types.push(quote!(&#written));
                    names.push(quote!(#x));
                    passed.push(quote!(#x));
                }
                _ => {
                    let tangent = self.tangent(a);
                    let primal = by_type(a.by, None, &quote!(#written));
                    types.push(quote!(#rt::CoDual<#primal, &mut #tangent>));
                    names.push(quote!(#x));
                    if !has_one_shape(&a.known) {
                        let compared = self.compared(a, &quote!(#x.0), &quote!(#x.1));
                        let rule = own("rule");
                        checks.extend(quote!(#rt::check_shape_in_pullback(#compared, #rule);));
                    }
                    passed.push(quote!(#x));
                }
            }
            patterns.push(quote!(_));
        }
        let (result_ty, result) = (Self::bare(&returned_types), Self::bare(&returned));
        let (y, y_bar, pullback) = (own("value"), own("seed"), own("pullback"));
        // The hidden pullback may be in a box, whose type has one lifetime.
        let (mut generics, mut captured) = (self.generics.clone(), self.captured());
        crate::emit::bound_by_shortest(&mut generics, &mut captured);
        let (generics, _, clause) = generics.split_for_impl();
        let doc = format!(
            " The reverse rule of `{title}`: its value and the pullback, which takes the cotangent of the result and the \
             references again, with their shadows, adds to the shadows, and returns the cotangents of owned arguments.\n\n \
             # Panics\n The pullback panics if the cotangent's shape is not that of the result, or a shadow's not that of its argument."
        );
        // The result is the caller's by then: a tangent keeps its shape.
        let (rule, shape) = (own("rule"), own("shape"));
        let kept = (!has_one_shape(&self.output_known)).then(|| {
            checks.extend(quote!(#rt::check_result_in_pullback(&#shape, &#y_bar, #title, #rule);));
            quote!(let #shape: #tangent = #rt::Differentiable::zero_tangent(&#y);)
        });
        let of_rule = self.checks("rrule");
        let begin = of_rule.begin();
        let end = of_rule.left(&quote!(#y), &|a| self.expr(a));
        let called =
            (!checks.is_empty()).then(|| quote!(let #rule = ::core::panic::Location::caller();));
        quote! {
            #[doc = #doc]
            #[inline]
            #[track_caller]
            #vis fn #name #generics (#(#params),*)
                -> (#output, impl ::core::ops::FnOnce(#tangent, #(#types),*) -> #result_ty + use<#(#captured),*>)
            #clause {
                #called
                #begin
                let (#y, #pullback) = #hidden(#(#given),*);
                #end
                #kept
                (#y, move |#y_bar: #tangent, #(#names: #types),*| -> #result_ty {
                    #checks
                    let (#(#patterns,)*) = #pullback(#y_bar, #(#passed),*);
                    #result
                })
            }
        }
    }

    /// Generic arguments that a returned closure may capture.
    pub(crate) fn captured(&self) -> Vec<syn::GenericArgument> {
        let params = self.args.iter().map(|a| (&a.written, a.lifetime.as_ref()));
        crate::emit::captured(self.outer, self.generics, params, &self.output)
    }
}

/// Returns `true` if all values of a type have the same shape.
fn has_one_shape(ty: &Ty) -> bool {
    match ty {
        Ty::Array(element, _) => has_one_shape(element),
        Ty::Tuple(all) => all.iter().all(has_one_shape),
        ty => ty.is_scalar() || matches!(ty, Ty::Unit | Ty::Inactive(_)),
    }
}

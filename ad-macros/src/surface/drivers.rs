//! Drivers: `derivative`, `gradient`, `value_and_gradient`, `value_and_gradient_into`, `jvp`, `vjp`.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens as _, format_ident, quote};

use super::{Argument, Surface};
use crate::emit::{by_type, is_own_tangent, own, unraw};
use crate::ir::{PassedBy, Ty};

impl Surface<'_> {
    pub(super) fn drivers(&self) -> TokenStream {
        let mut items = TokenStream::new();
        if self.differentiated().next().is_some() {
            items.extend(self.jvp());
            items.extend(if self.in_fields {
                self.vjp_at_once()
            } else {
                self.vjp()
            });
            if self.may_be_scalar() {
                items.extend(self.gradient());
                items.extend(self.gradient_into());
            } else if self.perhaps().is_some() {
                items.extend(self.gradient());
            }
            items.extend(self.derivative());
        }
        items
    }

    /// A zero shadow for an argument, in a variable.
    pub(super) fn zero(&self, a: &Argument, variable: &Ident) -> TokenStream {
        let zero = self.zero_tangent(a, &self.place(a));
        quote!(let mut #variable = #zero;)
    }

    /// The zero tangent of an argument that is behind this reference.
    pub(super) fn zero_tangent(&self, a: &Argument, place: &TokenStream) -> TokenStream {
        let rt = self.rt;
        match a.known {
            Ty::F32 => quote!(0.0f32),
            Ty::F64 => quote!(0.0f64),
            _ => quote!(#rt::Differentiable::zero_tangent(#place)),
        }
    }

    /// A reference to an argument.
    pub(super) fn place(&self, a: &Argument) -> TokenStream {
        let x = self.expr(a);
        match a.by {
            PassedBy::Value => quote!(&#x),
            PassedBy::Ref | PassedBy::Mut => quote!(&*#x),
        }
    }

    /// A variable that belongs to a parameter.
    pub(super) fn of(a: &Argument, what: &str) -> Ident {
        format_ident!("{}_{what}", unraw(&a.name), span = own("x").span())
    }

    pub(super) fn bar(a: &Argument) -> Ident {
        Self::of(a, "bar")
    }

    pub(super) fn product(a: &Argument) -> Ident {
        Self::of(a, "product")
    }

    pub(super) fn dot(a: &Argument) -> Ident {
        Self::of(a, "dot")
    }

    /// A variable of each differentiated parameter; several are a tuple.
    pub(super) fn all(&self, variable: &dyn Fn(&Argument) -> Ident) -> TokenStream {
        let all = self.differentiated();
        let all: Vec<_> = all.map(|a| variable(a).into_token_stream()).collect();
        Self::bare(&all)
    }

    pub(super) fn gradient_type(&self) -> TokenStream {
        let all = self.differentiated();
        let all: Vec<_> = all.map(|a| self.owned_tangent(a)).collect();
        Self::bare(&all)
    }

    /// `value_and_gradient` and `gradient`: by the combined rule, or by the split one where the result may hold no number.
    fn gradient(&self) -> TokenStream {
        let (vis, title, tangent) = (self.vis, &self.title, &self.output_tangent);
        let (both, gradient) = (self.public("value_and_gradient"), self.public("gradient"));
        let params = self.primal_params();
        let (y, y_bar, pullback) = (own("value"), own("seed"), own("pullback"));
        let checks = self.checks("value_and_gradient");
        let begin = checks.begin();
        let given = self.args.iter().map(|a| self.expr(a));
        let (form, run) = if let Some(value) = self.perhaps() {
            let (hidden, [seed, _]) = (self.hidden("rrule"), self.seeds(value, &y));
            let Pulled {
                zeros,
                passed,
                patterns,
            } = self.pulled();
            let args = self.args.iter().map(|a| self.reborrowed(a));
            let checked = checks.seed(&quote!(#y_bar));
            let run = quote! {
                #begin
                let (#y, #pullback) = #hidden(#(#args),*);
                let #y_bar: #tangent = #seed;
                #checked
                // It restores the memory that the function wrote, in any case.
                #zeros
                let (#(#patterns,)*) = #pullback(#y_bar, #(#passed),*);
            };
            (Some(quote!(#[allow(clippy::type_complexity)])), run)
        } else {
            let (one, seed) = (self.unit_seed().0, checks.seed(&quote!(1.0)));
            let run = self.combined_run(&one);
            (None, quote!(#begin #seed #run))
        };
        let (bars, ty, number) = (
            self.all(&Self::bar),
            self.gradient_type(),
            self.value_type(),
        );
        let both_ty = self.output_with(&quote!((#number, #ty)));
        let ty = self.output_with(&ty);
        let call_both = self.public_path("value_and_gradient");
        let (returned, last) = (self.returned(&y, &bars), self.part(1));
        let (generics, clause) = (
            self.impl_generics(),
            self.where_clause(&self.scalar_bound()),
        );
        let (tracked, end, agrees) = (self.tracked(), checks.value(&quote!(#y)), checks.gradient());
        let (colon, absent) = match self.absent() {
            "" => (":", String::new()),
            absent => (",", format!("; {absent}")),
        };
        let entries = format!("one entry for each differentiated parameter, in order{absent}.");
        let doc = format!(" The gradient of `{title}`{colon} {entries}");
        let doc_both = format!(" The value of `{title}` and its gradient{colon} {entries}");
        quote! {
            #[doc = #doc_both]
            #[inline]
            #tracked
            #form
            #vis fn #both #generics (#(#params),*) -> #both_ty #clause {
                #run
                #end
                #agrees
                #returned
            }
            #[doc = #doc]
            #[inline]
            #tracked
            #vis fn #gradient #generics (#(#params),*) -> #ty #clause {
                #call_both(#(#given),*)#last
            }
        }
    }

    /// The value by the combined rule, with the cotangents in variables.
    fn combined_run(&self, seed: &TokenStream) -> TokenStream {
        let (y, hidden, args) = (own("value"), self.hidden("combined"), self.args_of_a_rule());
        let zeros = self.zeros(true, &["bar"]);
        let shadows = self.differentiated().map(|a| self.lent(a, &Self::bar(a)));
        quote! {
            #zeros
            let #y = #hidden(#(#args,)* #seed, #(#shadows),*);
        }
    }

    /// Zeros for the shadows of arguments behind references, or of all.
    pub(super) fn zeros(&self, all: bool, variables: &[&str]) -> TokenStream {
        self.differentiated()
            .filter(|a| all || a.by != PassedBy::Value)
            .flat_map(|a| variables.iter().map(move |v| self.zero(a, &Self::of(a, v))))
            .collect()
    }

    /// The arguments, as a rule takes them; borrowed ones are compared afterwards where the driver is checked.
    pub(super) fn args_of_a_rule(&self) -> Vec<TokenStream> {
        let all = self.args.iter();
        all.map(|a| self.reborrowed_for_checks(a)).collect()
    }

    fn reborrowed_for_checks(&self, a: &Argument) -> TokenStream {
        if self.checked || a.by == PassedBy::Ref {
            self.reborrowed(a)
        } else {
            self.expr(a)
        }
    }

    /// `&mut shadow`; of a type parameter only its bounds say that the owned form can be borrowed as the other.
    pub(super) fn lent(&self, a: &Argument, shadow: &Ident) -> TokenStream {
        if a.by == PassedBy::Value || is_own_tangent(&a.known) {
            quote!(&mut #shadow)
        } else {
            let tangent = self.tangent(a);
            quote!(::core::borrow::BorrowMut::<#tangent>::borrow_mut(&mut #shadow))
        }
    }

    fn gradient_into(&self) -> TokenStream {
        let (rt, vis, output, title) = (self.rt, self.vis, &self.output, &self.title);
        let name = self.public("value_and_gradient_into");
        let hidden = self.hidden("combined");
        let params = self.primal_params();
        let args = self.args_of_a_rule();
        let mut buffers = Vec::new();
        let mut shapes = TokenStream::new();
        let mut clears = TokenStream::new();
        let mut passed = Vec::new();
        for a in self.differentiated() {
            let (bar, tangent) = (Self::bar(a), self.tangent(a));
            buffers.push(quote!(#bar: &mut #tangent));
            shapes.extend(self.check(
                a,
                &self.expr(a),
                &if a.by == PassedBy::Value {
                    quote!(*#bar)
                } else {
                    quote!(#bar)
                },
            ));
            clears.extend(quote!(#rt::Tangent::set_zero(#bar);));
            passed.push(if self.checked {
                quote!(&mut *#bar)
            } else {
                quote!(#bar)
            });
        }
        let (one, _, clause) = self.unit_seed();
        let generics = self.impl_generics();
        let doc = format!(
            " The value of `{title}`; its gradient overwrites the buffers, one for each differentiated parameter, in \
             order. Nothing is allocated for the result.\n\n # Panics\n If a buffer's shape is not that of its argument; nothing \
             has been written by then."
        );
        let (checks, y) = (self.checks("value_and_gradient_into"), own("value"));
        let (begin, seed) = (checks.begin(), checks.seed(&quote!(1.0)));
        let run = quote!(#hidden(#(#args,)* #one, #(#passed),*));
        let body = if self.checked {
            let (end, agrees) = (checks.value(&quote!(#y)), checks.gradient_in_buffers());
            quote!(let #y = #run; #end #agrees #y)
        } else {
            run
        };
        quote! {
            #[doc = #doc]
            #[inline]
            #[track_caller]
            #vis fn #name #generics (#(#params,)* #(#buffers),*) -> #output #clause {
                #shapes
                #begin
                #seed
                #clears
                #body
            }
        }
    }

    /// The parameters of a driver that takes a direction for each differentiated parameter.
    pub(super) fn directions(&self) -> (Vec<TokenStream>, TokenStream) {
        let mut params = Vec::new();
        let mut checks = TokenStream::new();
        for a in self.differentiated() {
            let dot = Self::dot(a);
            let ty = by_type(a.by, None, &self.tangent(a));
            params.push(quote!(#dot: #ty));
            checks.extend(self.check(a, &self.expr(a), &quote!(#dot)));
        }
        (params, checks)
    }

    /// The arguments of a hidden dual rule.
    pub(super) fn dual_args(&self, dot: &dyn Fn(&Argument) -> TokenStream) -> Vec<TokenStream> {
        self.duals_of(&|a| self.reborrowed(a), dot)
    }

    /// The arguments of a hidden dual rule: these values, and their tangents.
    pub(super) fn duals_of(
        &self,
        value: &dyn Fn(&Argument) -> TokenStream,
        dot: &dyn Fn(&Argument) -> TokenStream,
    ) -> Vec<TokenStream> {
        let rt = self.rt;
        let args = self.args.iter();
        args.map(|a| {
            let x = value(a);
            match (a.receiver, a.constant) {
                (true, true) => quote!(#x, ()),
                (false, true) => x,
                (true, false) => {
                    let dot = dot(a);
                    quote!(#x, #dot)
                }
                (false, false) => {
                    let dot = dot(a);
                    quote!(#rt::Dual(#x, #dot))
                }
            }
        })
        .collect()
    }

    fn jvp(&self) -> TokenStream {
        let rt = self.rt;
        let vis = self.vis;
        let output = &self.output;
        let tangent = &self.output_tangent;
        let title = &self.title;
        let (name, hidden) = (self.public("jvp"), self.hidden("frule"));
        let params = self.primal_params();
        let (directions, shapes) = self.directions();
        let args = self.dual_args(&|a| {
            let dot = Self::dot(a);
            if a.by == PassedBy::Mut {
                quote!(&mut *#dot)
            } else {
                quote!(#dot)
            }
        });
        let mut saves = TokenStream::new();
        let mut restores = TokenStream::new();
        let mut bounds = Vec::new();
        for a in self
            .args
            .iter()
            .filter(|a| a.by == PassedBy::Mut && !a.constant)
        {
            let (x, saved) = (self.expr(a), Self::of(a, "initial"));
            saves.extend(quote!(let #saved = #rt::ToOwned::to_owned(&*#x);));
            restores.extend(match a.known {
                Ty::Slice(_) => quote!(#x.clone_from_slice(&#saved);),
                Ty::Named(ref ty) if is_array_behind_reference(ty) => quote!(#x.assign(&#saved);),
                _ => quote!(*#x = #saved;),
            });
            // Only who asks for it needs a clone.
            if !is_clone(&a.known) {
                let cloned = match &a.written {
                    syn::Type::Slice(slice) => &*slice.elem,
                    written => written,
                };
                bounds.push(quote!(for<'value> #cloned: ::core::clone::Clone));
            }
        }
        let (y, y_dot) = (own("value"), own("tangent"));
        let (generics, clause) = (self.impl_generics(), self.where_clause(&bounds));
        let checks = self.checks("jvp");
        let (begin, given) = (checks.begin(), checks.given());
        let end = checks.value(&quote!(#y));
        let of_tangent = checks.tangent(&quote!(#y), &quote!(#y_dot));
        let doc = format!(
            " The value of `{title}` and its derivative in the given directions, one for each differentiated parameter \
             (Jacobian-vector product).\n\n # Panics\n If a direction's shape is not that of its argument."
        );
        quote! {
            #[doc = #doc]
            #[inline]
            #[track_caller]
            #vis fn #name #generics (#(#params,)* #(#directions),*) -> (#output, #tangent) #clause {
                #shapes
                #begin
                #given
                #saves
                let #rt::Dual(#y, #y_dot) = #hidden(#(#args),*);
                #restores
                #end
                #of_tangent
                (#y, #y_dot)
            }
        }
    }

    fn vjp(&self) -> TokenStream {
        let (vis, output, tangent, title) =
            (self.vis, &self.output, &self.output_tangent, &self.title);
        let (name, hidden) = (self.public("vjp"), self.hidden("rrule"));
        let params = self.primal_params();
        let args: Vec<TokenStream> = self.args.iter().map(|a| self.reborrowed(a)).collect();
        let Pulled {
            zeros,
            passed,
            patterns,
        } = self.pulled();
        let (ty, value) = (self.gradient_type(), self.all(&Self::bar));
        let (y, y_bar, pullback) = (own("value"), own("seed"), own("pullback"));
        let checks = self.checks("vjp");
        let (begin, given) = (checks.begin(), checks.seed(&quote!(#y_bar)));
        let (end, agrees) = (checks.value(&quote!(#y)), checks.gradient());
        let check = self.check_result(&quote!(#y), &quote!(#y_bar));
        let (generics, clause) = (self.impl_generics(), self.where_clause(&[]));
        let doc = format!(
            " The value of `{title}` and the cotangents of its differentiated parameters, given that of its result \
             (vector-Jacobian product).\n\n # Panics\n If the cotangent's shape is not that of the result."
        );
        quote! {
            #[doc = #doc]
            #[inline]
            #[track_caller]
            #vis fn #name #generics (#(#params,)* #y_bar: #tangent) -> (#output, #ty) #clause {
                #begin
                #given
                let (#y, #pullback) = #hidden(#(#args),*);
                #check
                // Shadows have the final shape when a pullback is entered.
                #zeros
                let (#(#patterns,)*) = #pullback(#y_bar, #(#passed),*);
                #end
                #agrees
                (#y, #value)
            }
        }
    }

    /// The expression for each parameter where a pullback is called.
    fn pulled(&self) -> Pulled {
        let (patterns, passed) = self.handed(
            &|a| self.reborrowed_for_checks(a),
            &|a| Self::bar(a).into_token_stream(),
            &|a| {
                let (x, shadow) = (self.reborrowed_for_checks(a), self.lent(a, &Self::bar(a)));
                quote!(#x, #shadow)
            },
        );
        Pulled {
            zeros: self.zeros(false, &["bar"]),
            passed,
            patterns,
        }
    }

    /// The patterns of a pullback's results, and its arguments after the seed: constant ones are `value`, and those behind
    /// references pairs with their shadows. Cotangents of owned ones are `bar`.
    pub(super) fn handed(
        &self,
        value: &dyn Fn(&Argument) -> TokenStream,
        bar: &dyn Fn(&Argument) -> TokenStream,
        pair: &dyn Fn(&Argument) -> TokenStream,
    ) -> (Vec<TokenStream>, Vec<TokenStream>) {
        let rt = self.rt;
        let args = self.args.iter();
        args.map(|a| match (a.by, a.constant) {
            (PassedBy::Value, false) => (bar(a), quote!(())),
            (PassedBy::Value | PassedBy::Mut, true) => (quote!(_), quote!(())),
            (PassedBy::Ref, true) => (quote!(_), value(a)),
            (_, false) => {
                let pair = pair(a);
                (quote!(_), quote!(#rt::CoDual(#pair)))
            }
        })
        .unzip()
    }

    /// `vjp` by the combined rule, whose pullback isn't a closure in a closure. That rule takes the cotangent before there is a result, so
    /// the closure runs once more to have the shape, where it can.
    fn vjp_at_once(&self) -> TokenStream {
        let (vis, title) = (self.vis, &self.title);
        let (output, tangent) = (&self.output, &self.output_tangent);
        let name = self.public("vjp");
        let (unchecked, call) = (self.hidden_name("vjp"), self.path(&self.hidden_name("vjp")));
        let params = self.primal_params();
        let args: Vec<TokenStream> = self.args.iter().map(|a| self.expr(a)).collect();
        let (ty, value) = (self.gradient_type(), self.all(&Self::bar));
        let (y, y_bar) = (own("value"), own("seed"));
        let (generics, clause) = (self.impl_generics(), self.where_clause(&[]));
        let doc = format!(
            " The value of `{title}` and the cotangents of its differentiated parameters, given that of its result.\n\n \
             # Panics\n If the cotangent's shape is not that of the result."
        );
        let (checks, tracked) = (self.checks("vjp"), self.tracked());
        let (begin, given) = (checks.begin(), checks.seed(&quote!(#y_bar)));
        let (end, agrees) = (checks.value(&quote!(#y)), checks.gradient());
        let run = self.combined_run(&quote!(#y_bar));
        let check = self.check_result(&quote!(#y), &quote!(#y_bar));
        let checked = if check.is_empty() {
            quote!(#call(#(#args,)* #y_bar))
        } else if self.is_repeatable() && self.clones().is_empty() {
            let (primal, again) = (&self.primal, self.again());
            quote! {
                let #y = #primal(#(#again),*);
                #check
                #call(#(#args,)* #y_bar)
            }
        } else {
            let (kept, result) = (own("seed_kept"), own("result"));
            let check = self.check_result(&quote!(#result.0), &quote!(#kept));
            quote! {
                let #kept = ::core::clone::Clone::clone(&#y_bar);
                let #result = #call(#(#args,)* #y_bar);
                #check
                #result
            }
        };
        quote! {
            #[doc = #doc]
            #[inline]
            #[track_caller]
            #vis fn #name #generics (#(#params,)* #y_bar: #tangent) -> (#output, #ty) #clause {
                #checked
            }
            #[doc(hidden)]
            #[inline]
            #tracked
            fn #unchecked #generics (#(#params,)* #y_bar: #tangent) -> (#output, #ty) #clause {
                #begin
                #given
                #run
                #end
                #agrees
                (#y, #value)
            }
        }
    }

    /// The parameter, if a single scalar is differentiated.
    pub(super) fn one_scalar(&self) -> Option<&Argument> {
        let mut differentiated = self.differentiated();
        let (Some(a), None) = (differentiated.next(), differentiated.next()) else {
            return None;
        };
        (a.by == PassedBy::Value && a.known.is_float() && !a.receiver).then_some(a)
    }

    /// Only for functions of a single scalar.
    fn derivative(&self) -> TokenStream {
        let Some(a) = self.one_scalar() else {
            return TokenStream::new();
        };
        let (rt, vis, tangent, title) = (self.rt, self.vis, &self.output_tangent, &self.title);
        let (name, hidden) = (self.public("derivative"), self.hidden("frule"));
        let params = self.primal_params();
        let one = super::unit(Some(&a.known), rt).0;
        let args = self.dual_args(&|_| one.clone());
        let (generics, clause) = (self.impl_generics(), self.where_clause(&[]));
        let doc = format!(" The derivative of `{title}`.");
        let (checks, tracked) = (self.checks("derivative"), self.tracked());
        let (begin, y, y_dot) = (checks.begin(), own("value"), own("tangent"));
        let body = if self.checked {
            let end = checks.value(&quote!(#y));
            let dot = checks.tangent(&quote!(#y), &quote!(#y_dot));
            quote!(let #rt::Dual(#y, #y_dot) = #hidden(#(#args),*); #end #dot #y_dot)
        } else {
            quote!(#hidden(#(#args),*).1)
        };
        quote! {
            #[doc = #doc]
            #[inline]
            #tracked
            #vis fn #name #generics (#(#params),*) -> #tangent #clause {
                #begin
                #body
            }
        }
    }
}

/// The arguments of a pullback.
struct Pulled {
    /// The shadows of borrowed arguments.
    zeros: TokenStream,
    /// The arguments after the seed.
    passed: Vec<TokenStream>,
    /// The pattern of the returned cotangents.
    patterns: Vec<TokenStream>,
}

/// Returns `true` if a type is certainly one that can be cloned.
pub(super) fn is_clone(ty: &Ty) -> bool {
    match ty {
        Ty::Named(ty) => is_array_behind_reference(ty),
        // A type without a tangent may be the user's.
        Ty::Inactive(ty) => matches!(**ty, syn::Type::Reference(_)),
        Ty::Deferred => false,
        Ty::Tuple(types) => types.iter().all(is_clone),
        Ty::Option(t) | Ty::Result(t, _) | Ty::Boxed(t) => is_clone(t),
        ty => ty.element().is_none_or(is_clone),
    }
}

/// True if a type is that of arrays behind a reference, which has no size.
fn is_array_behind_reference(ty: &syn::Type) -> bool {
    let generic = crate::types::written::generic(ty);
    generic.is_some_and(|(name, _)| name.starts_with("ArrayRef"))
}

//! The drivers that return matrices: `jacobian`, `value_and_jacobian`, `jacobian_into`, `hessian` and `value_gradient_and_hessian`.
//!
//! Input: a surface. Output: drivers on top of `jvp`, `vjp` and `hvp`, which they call once for each column or row, or of rules in several
//! directions at once (`wide.rs`). There is one block for
//! each differentiated parameter, in order; its columns are the entries of the parameter, its rows those of the result.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::drivers::is_clone;
use super::hidden::Order;
use super::{Argument, Surface};
use crate::emit::{is_own_tangent, own, unraw};
use crate::ir::{PassedBy, Ty};

impl Surface<'_> {
    pub(super) fn matrices(&self) -> TokenStream {
        let mut items = TokenStream::new();
        if self.has_jacobian() {
            items.extend(self.jacobian());
        }
        let twice = self.has_hessian() || self.perhaps().is_some() && self.is_repeatable();
        if twice && self.highest == Order::Second {
            items.extend(self.hessian());
        }
        items
    }

    /// Returns `true` if there is `jacobian`: the result has several entries. That of a number is its gradient.
    pub(super) fn has_jacobian(&self) -> bool {
        let several = self.output_known.may_have_tangent() && !self.output_known.is_float();
        several && self.is_repeatable()
    }

    pub(crate) fn has_hessian(&self) -> bool {
        self.may_be_scalar() && self.is_repeatable()
    }

    /// Returns `true` if the function can run several times with the same arguments.
    pub(crate) fn is_repeatable(&self) -> bool {
        let differentiated = self.differentiated().next().is_some();
        differentiated && self.args.iter().all(|a| a.by != PassedBy::Mut)
    }

    /// The bounds for arguments by value, which are cloned for each run but the last.
    pub(super) fn clones(&self) -> Vec<TokenStream> {
        let values = self.args.iter().filter(|a| a.by == PassedBy::Value);
        values
            .filter(|a| !is_clone(&a.known))
            .map(|a| {
                let ty = &a.written;
                quote!(for<'value> #ty: ::core::clone::Clone)
            })
            .collect()
    }

    /// The arguments, for one of several runs.
    pub(super) fn again(&self) -> Vec<TokenStream> {
        let args = self.args.iter();
        args.map(|a| {
            let x = self.expr(a);
            if a.by == PassedBy::Value && !a.known.is_scalar() {
                quote!(::core::clone::Clone::clone(&#x))
            } else {
                x
            }
        })
        .collect()
    }

    /// The tangent in a variable, as a driver takes it for a direction.
    pub(super) fn lent_direction(&self, a: &Argument, variable: &Ident) -> TokenStream {
        match a.by {
            PassedBy::Value if a.known.is_float() => quote!(#variable),
            PassedBy::Value => quote!(::core::clone::Clone::clone(&#variable)),
            _ if is_own_tangent(&a.known) && a.by == PassedBy::Ref => quote!(&#variable),
            _ if is_own_tangent(&a.known) => quote!(&mut #variable),
            PassedBy::Ref => {
                let tangent = self.tangent(a);
                quote!(::core::borrow::Borrow::<#tangent>::borrow(&#variable))
            }
            PassedBy::Mut => {
                let tangent = self.tangent(a);
                quote!(::core::borrow::BorrowMut::<#tangent>::borrow_mut(&mut #variable))
            }
        }
    }

    /// A variable of each differentiated parameter.
    fn all_of(&self, what: &str) -> Vec<Ident> {
        self.differentiated().map(|a| Self::of(a, what)).collect()
    }

    /// A direction for each differentiated parameter, zero at first.
    fn zero_directions(&self) -> TokenStream {
        self.zeros(true, &["dot"])
    }

    /// The number of entries of each differentiated parameter: of directions in `dots`, which have so many lanes.
    fn counts(&self, dots: &[Ident]) -> TokenStream {
        let rt = self.rt;
        quote!([#(#rt::Tangent::count_entries(&#dots)),*])
    }

    /// Runs `run` with each unit vector in place of the directions, or with as many as there are lanes.
    pub(super) fn for_units(
        &self,
        dots: &[Ident],
        counts: &Ident,
        lanes: &TokenStream,
        run: &TokenStream,
    ) -> TokenStream {
        let (rt, units) = (self.rt, own("units"));
        quote! {
            for #units in #rt::jacobian::units(#counts, #lanes) {
                #units.set(&mut [#(&mut #dots),*], 1.0);
                #run
                #units.set(&mut [#(&mut #dots),*], 0.0);
            }
        }
    }

    fn jacobian(&self) -> TokenStream {
        let (rt, vis, title, output) = (self.rt, self.vis, &self.title, &self.output);
        let tangent = &self.output_tangent;
        let name = self.public("jacobian");
        let both = self.public("value_and_jacobian");
        let into = self.public("jacobian_into");
        let hidden = self.hidden_name("jacobian_to");
        let call = self.path(&self.hidden_name("jacobian_to"));
        // The `vjp` of a closure runs it once more for the shape, which is known here.
        let vjp = if self.in_fields {
            self.path(&self.hidden_name("vjp"))
        } else {
            self.public_path("vjp")
        };
        let (jvp, primal) = (self.public_path("jvp"), self.primal_path());
        let params = self.primal_params();
        let args: Vec<_> = self.args.iter().map(|a| self.expr(a)).collect();
        let again = self.again();
        let targets = self.all_of("jacobian");
        let (blocks, counts, units) = (own("jacobian"), own("entries"), own("units"));
        let bars = self.all_of("bar");
        let dots: Vec<Ident> = self.differentiated().map(Self::dot).collect();
        let directions: Vec<_> = self
            .differentiated()
            .map(|a| self.lent_direction(a, &Self::dot(a)))
            .collect();
        let y = own("value");
        let y_dot = own("tangent");
        let y_bar = own("seed");
        let (m, n, i) = (own("m"), own("n"), own("i"));
        let (zeros, entries) = (self.zero_directions(), self.counts(&dots));
        let columns = quote! {
            let (_, #y_dot) = #jvp(#(#again,)* #(#directions),*);
            #blocks.set_columns(#units, &#y_dot);
        };
        let columns = self.for_units(&dots, &counts, &quote!(1), &columns);
        let pattern = self.all(&Self::bar);
        let len = targets.len();
        let names = targets.iter().map(|t| format!("{title}: the buffer `{t}`"));
        let matrices = Self::bare(&vec![quote!(#rt::Matrix); targets.len()]);
        let result = self.all(&|a| Self::of(a, "jacobian"));
        let (generics, clause) = (self.impl_generics(), self.where_clause(&self.clones()));
        let value_type = self.value_type();
        let of_both = self.output_with(&quote!((#value_type, #matrices)));
        let of_jacobian = self.output_with(&matrices);
        // Of such a type only rustc knows what it is.
        let named = matches!(self.output_known, Ty::Named(_) | Ty::Deferred);
        let always = named.then(|| self.always_there(&y_bar));
        let both_returned = self.returned(&y, &result);
        let (run, returned, early) = if self.is_fallible() {
            (
                quote!(let #y =),
                quote!(#y.map(|_| #result)),
                quote!(if #rt::Fallible::is_absent(&#y) { return #y; }),
            )
        } else {
            // The value may be one that must be used.
            (quote!(let _ =), result.clone(), TokenStream::new())
        };
        let (absent, left) = match self.absent() {
            "" => (String::new(), ""),
            absent => (
                format!("; {absent}"),
                "; where there is no value, the buffers stay as they are",
            ),
        };
        let shape = if targets.len() == 1 {
            "rows are the entries of the result, columns those of the parameter"
        } else {
            "one block for each differentiated parameter, in order; rows are the entries of the result, columns those of the parameter"
        };
        let passes = "It takes one pass for each column or each row, whichever are fewer; where it can, a pass takes several columns.";
        let doc = format!(" The Jacobian of `{title}`: {shape}{absent}. {passes}");
        let doc_both =
            format!(" The value of `{title}` and its Jacobian: {shape}{absent}. {passes}");
        let doc_into = format!(
            " The value of `{title}`; its Jacobian overwrites the buffers, row by row: {shape}{left}. {passes}\n\n # Panics\n If a buffer's \
             length is not the number of entries; nothing has been written by then."
        );
        let tracked = self.tracked();
        // A pass in several directions costs less than so many passes by rows.
        let wide = (self.forward_wide.get() && !self.checked).then(|| {
            let has = self.path(&self.hidden_name("has_frule_wide"));
            let columns = self.wide_columns(&blocks, &counts);
            quote! {
                if #has() && #rt::jacobian::by_lanes(#m, #n) {
                    #columns
                    return #y;
                }
            }
        });
        quote! {
            #[doc = #doc]
            #[inline]
            #tracked
            #vis fn #name #generics (#(#params),*) -> #of_jacobian #clause {
                #(let mut #targets = #rt::Matrix::zeros(0, 0);)*
                #run #call(#(#args,)* [#(#rt::jacobian::Target::Made(&mut #targets)),*]);
                #returned
            }
            #[doc = #doc_both]
            #[inline]
            #tracked
            #[allow(clippy::type_complexity)]
            #vis fn #both #generics (#(#params),*) -> #of_both #clause {
                #(let mut #targets = #rt::Matrix::zeros(0, 0);)*
                let #y = #call(#(#args,)* [#(#rt::jacobian::Target::Made(&mut #targets)),*]);
                #both_returned
            }
            #[doc = #doc_into]
            #[inline]
            #[track_caller]
            #vis fn #into #generics (#(#params,)* #(#targets: &mut [::core::primitive::f64]),*) -> #output #clause {
                #call(#(#args,)* [#(#rt::jacobian::Target::Given(#targets, #names)),*])
            }
            #[doc(hidden)]
            #[track_caller]
            fn #hidden #generics (#(#params,)* #blocks: [#rt::jacobian::Target<'_>; #len]) -> #output #clause {
                let #y: #output = #primal(#(#again),*);
                #early
                let mut #y_bar: #tangent = #rt::Differentiable::zero_tangent(&#y);
                #always
                let #m = #rt::Tangent::count_entries(&#y_bar);
                #zeros
                let #counts = #entries;
                let #n = ::core::iter::Iterator::sum::<::core::primitive::usize>(#counts.iter());
                let mut #blocks = #rt::jacobian::Blocks::new(#blocks, #m, #counts);
                #wide
                if #n <= #m {
                    #columns
                } else {
                    for #i in 0..#m {
                        #rt::Tangent::set_entry(&mut #y_bar, #i, 1.0);
                        let (_, #pattern) = #vjp(#(#again,)* ::core::clone::Clone::clone(&#y_bar));
                        #blocks.set_row(#i, [#(&#bars),*]);
                        #rt::Tangent::set_entry(&mut #y_bar, #i, 0.0);
                    }
                }
                #y
            }
        }
    }

    /// Refuses the Jacobian of a function whose result may be absent under a name that the macro doesn't know: it would be empty there.
    fn always_there(&self, tangent: &Ident) -> TokenStream {
        let (rt, check) = (self.rt, own("always_there"));
        let message = format!(
            "`{}` returns an `Option` or a `Result` by another name\nhelp: write `Option<..>` or `Result<..>` in its signature; then its Jacobian is \
             one, too",
            self.title
        );
        // Only generic code is evaluated no sooner than code is generated for it.
        quote! {
            #[inline]
            fn #check<T: #rt::Tangent + ?::core::marker::Sized>(_: &T) {
                const { ::core::assert!(!T::__MAY_BE_ABSENT, #message) }
            }
            #check(&#tangent);
        }
    }

    fn hessian(&self) -> TokenStream {
        let (rt, vis, title) = (self.rt, self.vis, &self.title);
        let name = self.public("hessian");
        let all = self.public("value_gradient_and_hessian");
        let hvp = self.public_path("hvp");
        let both = self.public_path("value_and_gradient");
        let call = self.public_path("value_gradient_and_hessian");
        let params = self.primal_params();
        let args: Vec<_> = self.args.iter().map(|a| self.expr(a)).collect();
        let again = self.again();
        let differentiated: Vec<&Argument> = self.differentiated().collect();
        let (counts, products) = (own("entries"), self.all_of("product"));
        let dots: Vec<Ident> = self.differentiated().map(Self::dot).collect();
        let directions: Vec<_> = self
            .differentiated()
            .map(|a| self.lent_direction(a, &Self::dot(a)))
            .collect();
        // By rows, then columns.
        let block = |row: &Argument, column: &Argument| {
            Self::of(row, &format!("by_{}", unraw(&column.name)))
        };
        let blocks: Vec<Vec<Ident>> = (differentiated.iter())
            .map(|row| differentiated.iter().map(|a| block(row, a)).collect())
            .collect();
        let (y, gradient, hessian) = (own("value"), own("gradient"), own("hessian"));
        let (perhaps, there) = (self.perhaps().map(|_| quote!(?)), self.there());
        let of_gradient = self.gradient_type();
        let row = Self::bare(&vec![quote!(#rt::Matrix); dots.len()]);
        let ty = Self::bare(&vec![row; dots.len()]);
        let rows: Vec<_> = (differentiated.iter())
            .map(|row| self.all(&|a| block(row, a)))
            .collect();
        let value = Self::bare(&rows);
        let mut bounds = self.clones();
        bounds.extend(self.scalar_bound());
        let (generics, clause) = (self.impl_generics(), self.where_clause(&bounds));
        let shape = if dots.len() == 1 {
            "by one product with each unit vector"
        } else {
            "a tuple of rows of blocks, with one row and one column for each differentiated parameter; by one product with each unit vector"
        };
        let doc = format!(" The Hessian of `{title}`, {shape}.");
        let doc_all = format!(" The value of `{title}`, its gradient and its Hessian, {shape}.");
        let tracked = self.tracked();
        // One direction is enough for a number.
        let is_number = matches!(differentiated[..], [a] if a.known.is_float());
        let several = self.second_wide.get() && !self.checked && self.perhaps().is_none();
        let columns = if several && !is_number {
            self.wide_products(&hessian, &counts)
        } else {
            let (zeros, entries, units) =
                (self.zero_directions(), self.counts(&dots), own("units"));
            let pattern = self.all(&Self::product);
            let run = quote! {
                let #pattern = #hvp(#(#again,)* #(#directions),*) #perhaps;
                #hessian.set_columns(#units, [#(&#products),*]);
            };
            let columns = self.for_units(&dots, &counts, &quote!(1), &run);
            quote! {
                #zeros
                let #counts = #entries;
                let mut #hessian = #rt::jacobian::Hessian::new(#counts);
                #columns
            }
        };
        let (number, last) = (self.value_type(), self.part(2));
        let all_ty = self.output_with(&quote!((#number, #of_gradient, #ty)));
        let of_hessian = self.output_with(&ty);
        quote! {
            #[doc = #doc_all]
            #[inline]
            #tracked
            #[allow(clippy::type_complexity)]
            #vis fn #all #generics (#(#params),*) -> #all_ty #clause {
                let (#y, #gradient) = #both(#(#again),*) #perhaps;
                #columns
                let [#([#(#blocks),*]),*] = #hessian.blocks;
                #there((#y, #gradient, #value))
            }
            #[doc = #doc]
            #[inline]
            #tracked
            #vis fn #name #generics (#(#params),*) -> #of_hessian #clause {
                #call(#(#args),*)#last
            }
        }
    }
}

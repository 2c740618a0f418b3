//! Rules that the user has written out as functions, in the form of the public rules.
//!
//! Input: their paths. Output: hidden rules, which pass their arguments on, and the surface.
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
//! there is an error where it is used.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::spanned::Spanned;

use super::options::ByHand;
use super::primal;
use crate::diagnostics::error;
use crate::emit::{Parts, own};
use crate::entry::associated::{Context, on_surface};
use crate::entry::source::Source;
use crate::ir::Rule;
use crate::options::Options;
use crate::surface::Surface;
use crate::surface::hidden::{Given, Hidden, Order, Pulled};
use crate::transform::{Shape, reverse};

/// All items of a function whose rules are written by hand.
pub(super) fn rules(
    options: &Options,
    source: &Source<'_>,
    by_hand: &ByHand,
) -> syn::Result<TokenStream> {
    check_names(source, by_hand)?;
    let func = primal::caller(options, source, Rule::Active)?;
    let options = &primal::with_own_rules(options, source);
    Ok(on_surface(options, source, &func, &|surface| {
        let rules = Handed {
            hidden: Hidden { surface },
        };
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

/// The rules of a method stand beside it, so that their names aren't free.
fn check_names(source: &Source<'_>, by_hand: &ByHand) -> syn::Result<()> {
    let method = &source.sig.ident;
    let paths = [
        Some(&by_hand.frule),
        Some(&by_hand.rrule),
        by_hand.rrule_frule.as_ref(),
    ];
    for path in paths.into_iter().flatten().filter(|_| source.method) {
        let segments = &path.path.segments;
        if let (Some(last), 2, "Self") = (
            segments.last(),
            segments.len(),
            segments[0].ident.to_string().as_str(),
        ) && ["frule", "rrule"]
            .iter()
            .any(|rule| last.ident == format!("{method}_{rule}"))
        {
            return Err(error(
                last.span(),
                format!(
                    "`{}` is the name of the rule that is made for `{method}`",
                    last.ident
                ),
                "call the function that computes it something else",
            ));
        }
    }
    Ok(())
}

/// A function whose rules are handed over.
struct Handed<'a> {
    hidden: Hidden<'a>,
}

impl Handed<'_> {
    fn frule(&self, path: &syn::ExprPath) -> Parts {
        let Given {
            params,
            args,
            types,
        } = self.hidden.duals();
        let (output, rule) = (self.hidden.output(Order::Second), own("rule"));
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
        } = self.hidden.given(order);
        let Pulled {
            names,
            types,
            handed,
            bars,
            bar_types,
            result,
            result_types,
        } = self.hidden.pulled(order);
        let (bar, bar_type) = (Surface::bare(&bars), Surface::bare(&bar_types));
        // Where the user's pullback has other parameters than these, rustc points to its rule.
        let pullback = Ident::new("pullback", path.span().resolved_at(Span::mixed_site()));
        let (rule, y, y_bar) = (own("rule"), own("value"), own("seed"));
        let (output, seed) = (self.hidden.output(order), self.hidden.seed(order));
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
            output: self.hidden.with_pullback(order, &types, &result_types),
            body,
        }
    }

    /// A rule of second order that isn't there.
    fn missing(&self) -> Parts {
        let message = format!(
            "the primitive `{}` has no rule of second order; add `rrule_frule = path` to its `#[primitive]`",
            self.hidden.surface.title
        );
        self.hidden.missing(Order::Second, &message)
    }
}

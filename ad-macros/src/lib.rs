//! The compiler behind `chainrule`: the attribute and derive macros. Programs use them through `chainrule`.

#![forbid(unsafe_code)]

use proc_macro::TokenStream;

mod analyze;
mod attributes;
mod configured;
mod depth;
mod derive;
mod diagnostics;
mod emit;
mod enclosing;
mod entry;
#[cfg(test)]
mod fuzz;
mod hir;
mod hygiene;
mod ir;
mod lower;
mod options;
mod paths;
mod pipeline;
#[cfg(test)]
mod registry;
mod simplify;
mod std_model;
mod surface;
mod syntax;
#[cfg(test)]
mod testing;
mod transform;
mod types;
mod unseen;
#[cfg(test)]
mod work;

/// Emits the forward and reverse rules of a function, a method, or all methods of an `impl` block, beside it.
#[proc_macro_attribute]
pub fn differentiable(attr: TokenStream, item: TokenStream) -> TokenStream {
    let site = enclosing::Site::current();
    let item = hygiene::parenthesize(item.into());
    diagnostics::or_item(&item, || {
        entry::differentiable(attr.into(), &item, site.as_ref())
    })
    .into()
}

/// Adds derivative rules to a function or a method: those that are written by hand, or those of a result that an equation defines.
#[proc_macro_attribute]
pub fn primitive(attr: TokenStream, item: TokenStream) -> TokenStream {
    let site = enclosing::Site::current();
    let item = hygiene::parenthesize(item.into());
    diagnostics::or_item(&item, || {
        entry::primitive(attr.into(), &item, site.as_ref())
    })
    .into()
}

/// Derives a tangent type for a type.
#[proc_macro_derive(Differentiable, attributes(constant, tangent))]
pub fn derive_differentiable(item: TokenStream) -> TokenStream {
    let site = enclosing::Site::current();
    let nothing = proc_macro2::TokenStream::new();
    diagnostics::or_item(&nothing, || derive::derive(item.into(), site.as_ref())).into()
}

/// Checks the rules of a function at one point, and panics with a report unless all are right.
///
/// `check_rules!(f, &x, 2.0)` takes the function and its arguments, as the function takes them; `check_rules!(Model::logp,
/// &model, &x)` is for methods. Options follow after a semicolon:
///
/// | option | |
/// |---|---|
/// | `order = 1` | the function has no rules of second order |
/// | `allow_inconclusive` | inconclusive comparisons pass |
/// | `seed = 7` | another seed for random directions and cotangents; 0 by default |
/// | `rules = path` | where the rules are, if not under the function's name |
/// | `crate = path` | where `chainrule` is |
///
/// # Panics
/// If a rule is wrong, or if its check is inconclusive, with a report that names the component of the argument, both
/// values, their relative error and the step of the differences.
#[proc_macro]
pub fn check_rules(input: TokenStream) -> TokenStream {
    let nothing = proc_macro2::TokenStream::new();
    diagnostics::or_item(&nothing, || {
        entry::check_rules::check(hygiene::parenthesize(input.into()))
    })
    .into()
}

/// Checks the rules of a function at one point, and returns the `Report`. It takes the arguments of [`check_rules!`].
#[proc_macro]
pub fn examine_rules(input: TokenStream) -> TokenStream {
    let nothing = proc_macro2::TokenStream::new();
    diagnostics::or_item(&nothing, || {
        entry::check_rules::examine(hygiene::parenthesize(input.into()))
    })
    .into()
}

/// A closure with its derivatives, where it stands: a value with the drivers as methods.
///
/// Parameters have types; the result is an `f64` unless it is written. Captures are constants, which the closure borrows; a `move` closure owns them.
///
/// ```text
/// let weights = [0.5, 2.0];
/// let loss = chainrule::closure!(|x: &[f64]| {
///     let mut total = 0.0;
///     for i in 0..x.len() {
///         total += weights[i] * x[i] * x[i];
///     }
///     total
/// });
/// assert_eq!(loss.call(&[1.0, 3.0]), 18.5);
/// assert_eq!(loss.value_and_gradient(&[1.0, 3.0]), (18.5, vec![1.0, 12.0]));
/// assert_eq!(loss.hessian(&[1.0, 3.0]).into_vec(), [1.0, 0.0, 0.0, 4.0]);
/// ```
///
/// It has all drivers that a function with this signature has: `gradient`, `jvp`, `vjp`, `jacobian`, `hvp`, and so on, but not `frule` and `rrule`.
/// Types that are generic parameters of the function around it can't be named in it, and it can't be passed to differentiable functions.
#[proc_macro]
pub fn closure(input: TokenStream) -> TokenStream {
    let nothing = proc_macro2::TokenStream::new();
    diagnostics::or_item(&nothing, || {
        entry::closure::closure(hygiene::parenthesize(input.into()))
    })
    .into()
}

/// The derivative of a closure of one number, in one line.
///
/// ```text
/// let k = 3.0;
/// assert_eq!(chainrule::derivative!(|t: f64| k * t * t; 2.0), 12.0);
/// ```
#[proc_macro]
pub fn derivative(input: TokenStream) -> TokenStream {
    let nothing = proc_macro2::TokenStream::new();
    diagnostics::or_item(&nothing, || {
        entry::closure::derivative(hygiene::parenthesize(input.into()))
    })
    .into()
}

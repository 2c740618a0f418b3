//! The rules of one function, by the same steps for all entry points.
//!
//! Input: a [`Source`]. Output: associated items and errors. Each configuration of the body has rules of its own. Where a function is
//! refused, stubs replace its rules.

use proc_macro2::TokenStream;
use quote::quote;

use super::associated::emit;
use super::source::{Emitted, Source, compile, unreachable_block};
use super::{indexing, lending_methods, parallel, stubs};
use crate::attributes::cfgs;
use crate::configured;
use crate::diagnostics::{caught, error};
use crate::emit::{output_ty, with_attribute};
use crate::hir::Surroundings;
use crate::ir::{self, Func};
use crate::options::Options;
use crate::transform::{Shape, reverse};

/// The associated items of a function's rules, and errors.
pub(crate) type Rules = (TokenStream, Option<TokenStream>);

/// The rules of all methods of an item, and the errors.
#[derive(Default)]
pub(super) struct OfMethods {
    pub(super) items: TokenStream,
    pub(super) errors: TokenStream,
}

impl OfMethods {
    /// Adds the rules of a method with these attributes.
    pub(super) fn add(&mut self, attrs: &[syn::Attribute], rules: Rules) {
        let (items, errors) = under(attrs, rules);
        self.items.extend(items);
        self.errors.extend(errors);
    }
}

/// The rules of a method, and errors, under the `#[cfg]`s of the method.
pub(super) fn under(attrs: &[syn::Attribute], (mut items, mut errors): Rules) -> Rules {
    for attribute in cfgs(attrs) {
        items = with_attribute(&quote!(#attribute), items);
        errors = errors.map(|errors| errors_with_attribute(attribute, errors));
    }
    (items, errors)
}

/// Calls of macros, each with an attribute.
fn errors_with_attribute(attribute: &syn::Attribute, errors: TokenStream) -> TokenStream {
    match syn::parse2::<syn::File>(errors) {
        Ok(file) => (file.items.iter())
            .map(|item| quote!(#attribute #item))
            .collect(),
        Err(error) => error.to_compile_error(),
    }
}

/// All rules and drivers of one function; on errors, these and stubs.
pub(super) fn rules(options: &Options, source: &Source<'_>) -> Rules {
    let variants = configured::variants(source.block, source.surroundings.siblings);
    if variants.is_empty() {
        return rules_as_configured(options, source);
    }
    let (mut all, mut all_errors) = (TokenStream::new(), TokenStream::new());
    for variant in &variants {
        let source = Source {
            block: &variant.block,
            surroundings: Surroundings {
                siblings: variant.siblings.as_ref(),
                ..source.surroundings
            },
            ..*source
        };
        let (items, errors) = rules_as_configured(options, &source);
        let attribute = &variant.attribute;
        all.extend(with_attribute(&quote!(#attribute), items));
        let errors = errors.unwrap_or_default();
        all_errors.extend(errors_with_attribute(attribute, errors));
    }
    (all, Some(all_errors))
}

/// The rules of a function that has one configuration.
pub(super) fn rules_as_configured(options: &Options, source: &Source<'_>) -> Rules {
    let outlined = match parallel::outlined(options, source) {
        Ok(None) => return rules_of_body(options, source),
        Ok(Some(outlined)) => outlined,
        Err(error) => {
            // What isn't differentiated needs no rules.
            let rules = rules_of_body(options, source);
            return match rules {
                (_, None) => rules,
                (stubs, Some(_)) => (stubs, Some(error.to_compile_error())),
            };
        }
    };
    let (mut items, mut errors) = outlined.rules;
    let source = Source {
        block: &outlined.block,
        ..*source
    };
    // A call of itself may stand in what was taken out.
    let name = source.sig.ident.to_string();
    let options = &Options {
        recursive: options.recursive || options.calls.reach(&name, &name),
        ..options.clone()
    };
    let (own, failed) = rules_of_body(options, &source);
    items.extend(own);
    if let Some(failed) = failed {
        errors.get_or_insert_default().extend(failed);
    }
    (items, errors)
}

fn rules_of_body(options: &Options, source: &Source<'_>) -> Rules {
    if let Some(part) = indexing::part_of_self(source) {
        return match indexing::part_method(&options.runtime(), source, part) {
            Ok(items) => {
                let copies = lending_methods::rules(options, source, part);
                (quote!(#items #copies), None)
            }
            Err(error) => (TokenStream::new(), Some(error.to_compile_error())),
        };
    }
    let made = made(options, source, |options, func| {
        third_order(options, source, func)?;
        Ok(emit(options, source, func))
    });
    let (options, errors) = match made {
        Ok(made) => return made,
        Err(failed) => failed,
    };
    let mut signatures = stubs::signatures(source.sig, &options).enumerate();
    let stubs = signatures.find_map(|(k, sig)| {
        let changed = k > 0 && source.emitted == Emitted::All;
        let emitted = if changed {
            Emitted::Stubs
        } else {
            source.emitted
        };
        let sig = &sig;
        let source = Source {
            sig,
            emitted,
            ..*source
        };
        stub(&options, &source)
    });
    (stubs.unwrap_or_default(), Some(errors))
}

/// Rules of the right types that are never reached, if the signature can have any.
pub(super) fn stub(options: &Options, source: &Source<'_>) -> Option<TokenStream> {
    let block = &unreachable_block();
    let source = Source { block, ..*source };
    let made = caught(source.sig.ident.span(), || {
        Ok(emit(options, &source, &compile(options, &source)?))
    });
    made.ok()
}

/// A function's items and errors, or options for stubs and errors.
pub(super) type Made<T> = Result<(T, Option<TokenStream>), (Box<Options>, TokenStream)>;

/// Compiles a function and calls `make` on its IR. A type without a derive is an error; then the function is compiled again as if the type
/// had it.
pub(super) fn made<T>(
    options: &Options,
    source: &Source<'_>,
    make: impl Fn(&Options, &Func) -> syn::Result<T>,
) -> Made<T> {
    let make = |options: &Options| {
        caught(source.sig.ident.span(), || {
            make(options, &compile(options, source)?)
        })
    };
    let mut error = match make(options) {
        Ok(made) => return Ok((made, None)),
        Err(error) => error,
    };
    let (mut options, mut errors) = (Box::new(options.clone()), TokenStream::new());
    while let Some((types, derived)) = options.types.recovered(&options.runtime()) {
        options.types = types;
        errors.extend(derived);
        match make(&options) {
            Ok(made) => {
                errors.extend(error.to_compile_error());
                return Ok((made, Some(errors)));
            }
            Err(another) => error.combine(another),
        }
    }
    errors.extend(error.to_compile_error());
    Err((options, errors))
}

/// An error if rules of third order are asked for and there can't be any: they go through no calls.
fn third_order(options: &Options, source: &Source<'_>, func: &Func) -> syn::Result<()> {
    if options.order.is_none_or(|order| order < 3) {
        return Ok(());
    }
    let name = &source.sig.ident;
    let of_values = |param: &ir::Param| param.by != ir::PassedBy::Mut && param.function.is_none();
    let is_number = source.sig.receiver().is_none()
        && output_ty(func).is_float()
        && func.params.iter().all(of_values);
    if !is_number {
        return Err(error(
            name.span(),
            "only a function that returns a number has derivatives of third order",
            "write a function, not a method, that returns `f64`, and takes its arguments by value or by shared reference",
        ));
    }
    let mut called = None;
    reverse(func, Shape::Combined).body.walk(&mut |op| {
        let is_call = match &op.kind {
            ir::OpKind::Call(call) => call.rule != ir::Rule::Primal,
            ir::OpKind::Combined(_) | ir::OpKind::ApplyPullback(_) => true,
            _ => false,
        };
        if is_call {
            called.get_or_insert(op.span);
        }
    });
    match called {
        None => Ok(()),
        Some(span) => Err(error(
            span,
            "derivatives of third order don't go through calls yet",
            "write the body of the function in place of the call, with types that are known here; the macro inlines `#[differentiable]` functions of this \
             module if they are short, and without generics, patterns and `?`",
        )),
    }
}

//! Bugs of the compiler: a broken invariant is an error at the construct that was being looked at, never a bare panic, and
//! leaves the rest of the program alone.
//!
//! [`bug!`](bug) unwinds, since no code after it makes sense; [`caught`] turns that into an error where there is a function to blame.
//! An unforeseen panic, such as an index out of bounds, is caught there as well.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::visit_mut::VisitMut;

use crate::attributes::{is_constant, is_primitive};

thread_local! {
    /// The construct that is being compiled.
    static CONSTRUCT: Cell<Option<Span>> = const { Cell::new(None) };
    /// Two types in the function disagree, so that rustc reports an error about it.
    static ILL_TYPED: Cell<bool> = const { Cell::new(false) };
}

/// A broken invariant, on its way to [`caught`].
struct Bug(String);

/// Ends the compiler because one of its own invariants is broken. User input never leads here.
macro_rules! bug {
    ($($arg:tt)*) => {
        $crate::diagnostics::bug_at(None, format!($($arg)*))
    };
}
pub(crate) use bug;

/// The same, at a place that is known.
pub(crate) fn bug_at(at: Option<Span>, message: String) -> ! {
    if let Some(at) = at {
        looking_at(at);
    }
    // Without the hook, which would print a second message.
    resume_unwind(Box::new(Bug(message)))
}

/// From now on bugs are reported at this construct.
pub(crate) fn looking_at(span: Span) {
    CONSTRUCT.set(Some(span));
}

/// From now on a broken invariant is taken for a consequence of types that don't fit together.
pub(crate) fn types_disagree() {
    ILL_TYPED.set(true);
}

/// The result of `run`. A bug in it is an error at the construct that it was about, or at `function`.
pub(crate) fn caught<T>(function: Span, run: impl FnOnce() -> syn::Result<T>) -> syn::Result<T> {
    CONSTRUCT.set(Some(function));
    ILL_TYPED.set(false);
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|payload| {
        let at = CONSTRUCT.get().unwrap_or(function);
        Err(report(&*payload, at))
    })
}

/// The result of `run`. After a bug in it, the item as it was written, without the attributes of this macro, and an error.
pub(crate) fn or_item(item: &TokenStream, run: impl FnOnce() -> TokenStream) -> TokenStream {
    caught(Span::call_site(), || Ok(run())).unwrap_or_else(|error| {
        let (item, error) = (unmarked(item), error.to_compile_error());
        quote!(#item #error)
    })
}

fn report(payload: &(dyn Any + Send), at: Span) -> syn::Error {
    let message = match payload.downcast_ref::<Bug>() {
        Some(Bug(message)) => message,
        None => panic_message(payload),
    };
    // The lines after the first are the function's representation, of no use to its author.
    let message = message.lines().next().unwrap_or_default();
    if ILL_TYPED.get() {
        return super::error(
            at,
            format!("types in this function don't fit together: {message}"),
            "see the errors of rustc; if there are none, please report this function",
        );
    }
    super::error(
        at,
        format!("a bug in chainrule, which this leads to: {message}"),
        "please report it, with the function; until it is mended, write this in another way, or give the function rules by hand with \
         `#[primitive(frule = .., rrule = ..)]`",
    )
}

fn panic_message(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    let owned = || payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(owned).unwrap_or("a panic")
}

/// The item without the attributes that only this macro knows.
fn unmarked(item: &TokenStream) -> TokenStream {
    struct Unmarked;
    impl VisitMut for Unmarked {
        fn visit_attributes_mut(&mut self, attrs: &mut Vec<syn::Attribute>) {
            let own = |attr: &syn::Attribute| is_constant(attr) || is_primitive(attr);
            attrs.retain(|attr| !own(attr));
        }
    }
    match syn::parse2::<syn::Item>(item.clone()) {
        Ok(mut parsed) => {
            Unmarked.visit_item_mut(&mut parsed);
            quote!(#parsed)
        }
        Err(_) => item.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(error: &syn::Error) -> String {
        error.to_string()
    }

    #[test]
    fn a_bug_is_an_error_that_asks_to_report_it() {
        let found: syn::Result<()> =
            caught(Span::call_site(), || bug!("%{} has no name\nin fn f", 3));
        let message = message(&found.expect_err("a bug"));
        assert!(message.starts_with(
            "a bug in chainrule, which this leads to: %3 has no name\nhelp: please report it"
        ));
    }

    #[test]
    fn so_is_a_panic() {
        let list: Vec<u8> = Vec::new();
        let found = caught(Span::call_site(), || Ok(list[list.len()]));
        assert!(message(&found.expect_err("a panic")).contains("index out of bounds"));
    }

    #[test]
    fn the_item_stays_without_what_rustc_does_not_know() {
        let item = quote!(
            impl P {
                fn f(#[constant] &self, #[constant] k: f64) -> f64 {
                    k
                }
            }
        );
        let tokens = or_item(&item, || bug!("no such thing")).to_string();
        assert!(!tokens.contains("constant"), "{tokens}");
        assert!(
            tokens.contains("compile_error") && tokens.contains("k : f64"),
            "{tokens}"
        );
    }
}

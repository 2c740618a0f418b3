//! `zero_derivative`: the result is a constant, whatever the arguments are.
//!
//! The function is differentiated like any other, except that its body is a call that no derivative goes through.

use proc_macro2::TokenStream;

use super::primal;
use crate::diagnostics::{Errors, Whole, error};
use crate::entry::associated::emit;
use crate::entry::source::Source;
use crate::ir::{Func, PassedBy, Rule};
use crate::options::Options;

/// All items of a function whose derivative is zero.
pub(super) fn rules(options: &Options, source: &Source<'_>) -> syn::Result<TokenStream> {
    let func = primal::caller(options, source, Rule::Primal)?;
    written_nowhere(&func, source)?;
    Ok(emit(options, source, &func))
}

/// An error for memory that is written to: it is a result too.
fn written_nowhere(func: &Func, source: &Source<'_>) -> syn::Result<()> {
    let mut errors = Errors::default();
    for (param, input) in func.params.iter().zip(&source.sig.inputs) {
        if param.by == PassedBy::Mut && !param.constant {
            errors.push(error(
                Whole(input),
                "`zero_derivative` doesn't cover writes through a `&mut` parameter",
                "mark the parameter as not differentiated, `#[constant]`, or write `frule = path` and \
                 `rrule = path`",
            ));
        }
    }
    errors.finish(())
}

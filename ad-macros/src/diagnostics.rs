//! Errors as users see them: lower case, no full stop, the construct's name, then a replacement.
//!
//! Each stage collects its errors in an [`Errors`] and reports all of them at once. A broken invariant of the compiler itself ends in
//! an error, too: see [`bug`].

mod bug;

use std::fmt::Display;

use proc_macro2::{Ident, Span};
use quote::ToTokens;

pub(crate) use bug::{bug, bug_at, caught, looking_at, or_item, types_disagree};

/// Something in the user's code that an error may point to.
pub(crate) trait Mark {
    /// The spans of its first and last token. (Outside of nightly a single span can't cover several tokens.)
    fn ends(&self) -> (Span, Span);
}

impl Mark for Span {
    fn ends(&self) -> (Span, Span) {
        (*self, *self)
    }
}

/// All of a piece of syntax.
pub(crate) struct Whole<'a, T>(pub(crate) &'a T);

impl<T: ToTokens> Mark for Whole<'_, T> {
    fn ends(&self) -> (Span, Span) {
        let mut tokens = self.0.to_token_stream().into_iter();
        let first = tokens
            .next()
            .map_or_else(Span::call_site, |token| token.span());
        (first, tokens.last().map_or(first, |token| token.span()))
    }
}

/// An error at `mark`, with a hint about a replacement.
#[expect(
    clippy::needless_pass_by_value,
    reason = "marks are made where they are passed"
)]
pub(crate) fn error(mark: impl Mark, message: impl Display, help: impl Display) -> syn::Error {
    let ends = <[Span; 2]>::from(mark.ends()).map(|span| Ident::new("_", span));
    syn::Error::new_spanned(quote::quote!(#(#ends)*), format!("{message}\nhelp: {help}"))
}

/// The errors of one stage.
#[derive(Clone, Default)]
pub(crate) struct Errors {
    combined: Option<syn::Error>,
}

impl Errors {
    pub(crate) fn push(&mut self, error: syn::Error) {
        match &mut self.combined {
            Some(combined) => combined.combine(error),
            None => self.combined = Some(error),
        }
    }

    pub(crate) fn push_all(&mut self, errors: impl IntoIterator<Item = syn::Error>) {
        errors.into_iter().for_each(|error| self.push(error));
    }

    /// The value of `result`; an error is kept for [`Errors::finish`].
    pub(crate) fn take<T>(&mut self, result: syn::Result<T>) -> Option<T> {
        result.map_err(|error| self.push(error)).ok()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.combined.is_none()
    }

    /// `value`, unless there was an error.
    pub(crate) fn finish<T>(self, value: T) -> syn::Result<T> {
        match self.combined {
            Some(error) => Err(error),
            None => Ok(value),
        }
    }
}

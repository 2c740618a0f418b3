//! Errors as users see them: lower case, no full stop, the construct's name, then what to write instead.
//!
//! Each stage collects its errors in an [`Errors`] and reports all of them at once.

use std::fmt::Display;

use proc_macro2::Span;

/// An error at `span` with a hint about what to write instead.
pub(crate) fn error(span: Span, message: impl Display, help: impl Display) -> syn::Error {
    syn::Error::new(span, format!("{message}\nhelp: {help}"))
}

/// The errors of one stage.
#[derive(Default)]
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

/// Ends the compiler because one of its own invariants is broken. User input never leads here.
macro_rules! bug {
    ($($arg:tt)*) => {
        panic!("internal error in chainrule: {}, please report", format_args!($($arg)*))
    };
}
pub(crate) use bug;

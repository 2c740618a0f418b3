//! Names of generated variables: readable, unique within a function, and hygienic.

use crate::ir::Map;

use proc_macro2::{Ident, Span};

/// The prefix of type parameters that replace an `impl Trait`. No type parameter of the user's has it.
pub(crate) const MADE_TYPE: &str = "__Impl";

/// Returns `true` if a type parameter replaces an `impl Trait`, and can't be passed to the primal.
pub(crate) fn is_made(param: &Ident) -> bool {
    param.to_string().starts_with(MADE_TYPE)
}

#[derive(Default)]
pub(super) struct Names {
    taken: Map<String, u32>,
}

impl Names {
    pub(super) fn reserve(&mut self, name: &str) {
        self.taken.entry(name.to_owned()).or_insert(0);
    }

    /// `name`, or `name_1`, `name_2`, ... if it is taken.
    pub(super) fn fresh(&mut self, name: &str) -> Ident {
        let mut base: String = name.trim_start_matches("r#").to_owned();
        if !base.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') || base == "_" {
            base = format!("t{base}");
        }
        // A tuple struct's name can't be that of a variable.
        if base.starts_with(|c: char| c.is_ascii_uppercase()) {
            base = base.to_lowercase();
        }
        if base == "self" || base == "Self" {
            "this".clone_into(&mut base);
        }
        // No keyword has an underscore or a digit in it.
        let is_made = base.bytes().all(|b| b == b'_' || b.is_ascii_alphanumeric())
            && base.bytes().any(|b| b == b'_' || b.is_ascii_digit());
        if !is_made && !self.taken.contains_key(&base) && syn::parse_str::<Ident>(&base).is_err() {
            base.push('_');
        }
        match self.taken.get_mut(&base) {
            None => {
                self.taken.insert(base.clone(), 0);
                Ident::new(&base, Span::mixed_site())
            }
            Some(count) => {
                *count += 1;
                let numbered = format!("{base}_{count}");
                if self.taken.contains_key(&numbered) {
                    return self.fresh(&base);
                }
                self.taken.insert(numbered.clone(), 0);
                Ident::new(&numbered, Span::mixed_site())
            }
        }
    }
}

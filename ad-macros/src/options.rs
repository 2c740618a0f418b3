//! The arguments of `#[differentiable(...)]`.
//!
//! Input: the attribute's tokens. Output: [`Options`]. What is misspelt is an error that lists what there is.

use darling::FromMeta;
use darling::ast::NestedMeta;
use proc_macro2::{Ident, TokenStream};

use crate::diagnostics::{Errors, error};

/// What the user asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    /// `crate = path`: where the facade is.
    pub(crate) krate: Option<syn::Path>,
    /// `rules = name`: the type that carries the rules, where the function's own name is taken.
    pub(crate) rules: Option<Ident>,
    /// `with(f = path)`: where the rules of a callee are.
    pub(crate) with: Vec<(Ident, syn::Path)>,
    /// `recursive`: the function is part of a cycle of calls, so its pullback is boxed.
    pub(crate) recursive: bool,
    /// `order = n`: up to which order of derivatives rules are emitted.
    pub(crate) order: Option<usize>,
    /// `dyn`: methods that trait objects can call.
    pub(crate) dynamic: bool,
}

/// Parses the attribute's arguments.
pub(crate) fn parse(tokens: TokenStream) -> syn::Result<Options> {
    let mut options = Options::default();
    let mut errors = Errors::default();
    for item in NestedMeta::parse_meta_list(tokens)? {
        let result = option(&item, &mut options);
        errors.take(result.map_err(syn::Error::from));
    }
    errors.finish(options)
}

fn option(item: &NestedMeta, options: &mut Options) -> darling::Result<()> {
    let NestedMeta::Meta(meta) = item else {
        return Err(unknown(item));
    };
    let Some(name) = meta.path().get_ident().map(ToString::to_string) else {
        return Err(unknown(item));
    };
    match name.as_str() {
        "crate" => options.krate = Some(path(meta)?),
        "rules" => options.rules = Some(Ident::from_meta(meta)?),
        "recursive" => options.recursive = bool::from_meta(meta)?,
        "dyn" => options.dynamic = bool::from_meta(meta)?,
        "order" => options.order = Some(usize::from_meta(meta)?),
        "with" => {
            let syn::Meta::List(list) = meta else {
                return Err(unknown(item));
            };
            for item in NestedMeta::parse_meta_list(list.tokens.clone())? {
                let NestedMeta::Meta(callee) = &item else {
                    return Err(unknown(&item));
                };
                let name = callee
                    .path()
                    .get_ident()
                    .cloned()
                    .ok_or_else(|| unknown(&item))?;
                options.with.push((name, path(callee)?));
            }
        }
        _ => return Err(unknown(item)),
    }
    Ok(())
}

/// `name = some::path`, with or without quotes.
fn path(meta: &syn::Meta) -> darling::Result<syn::Path> {
    match meta {
        syn::Meta::NameValue(syn::MetaNameValue {
            value: syn::Expr::Path(path),
            ..
        }) if path.qself.is_none() => Ok(path.path.clone()),
        other => syn::Path::from_meta(other),
    }
}

fn unknown(item: &NestedMeta) -> darling::Error {
    error(
        syn::spanned::Spanned::span(item),
        "unknown option of `#[differentiable]`",
        "the options are `crate = path`, `rules = name`, `with(function = path)`, `recursive`, \
         `order = n` and `dyn`",
    )
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;

    fn message(tokens: TokenStream) -> String {
        parse(tokens).map_or_else(|error| error.to_string(), |options| format!("{options:?}"))
    }

    #[test]
    fn all_options() {
        let tokens = quote!(
            crate = ::my::chainrule,
            rules = erf_rules,
            with(f = rules::of_f),
            recursive,
            order = 3,
            dyn
        );
        let options = parse(tokens).expect("these are the options");
        assert_eq!(options.rules.expect("a name").to_string(), "erf_rules");
        assert_eq!(options.with[0].1.segments.len(), 2);
        assert_eq!(options.krate.expect("a path").segments.len(), 2);
        assert_eq!(
            (options.recursive, options.order, options.dynamic),
            (true, Some(3), true)
        );
    }

    #[test]
    fn keywords_as_paths() {
        let options = parse(quote!(crate = crate)).expect("a path");
        assert!(options.krate.expect("a path").is_ident("crate"));
    }

    #[test]
    fn a_misspelt_option_lists_the_options() {
        let text = message(quote!(recursiv));
        assert!(
            text.starts_with("unknown option of `#[differentiable]`\nhelp: the options are"),
            "{text}"
        );
    }

    #[test]
    fn a_wrong_value_is_an_error() {
        assert!(parse(quote!(order = "many")).is_err());
        assert!(parse(quote!("rules")).is_err());
    }
}

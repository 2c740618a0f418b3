//! The arguments of `#[differentiable(...)]`.
//!
//! Input: the attribute's tokens. Output: [`Options`], and an error that lists all options if one is misspelt.

use darling::FromMeta;
use darling::ast::NestedMeta;
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::spanned::Spanned;

use crate::diagnostics::{Errors, Whole, error};
use crate::emit::Found;
use crate::enclosing::{Callees, Calls, FileTypes, Imports};
use crate::paths;

/// The options of an attribute.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    /// `crate = path`: where the facade is.
    pub(crate) krate: Option<syn::Path>,
    /// `rules = name`: the type that carries the rules, where the function's own name is taken.
    pub(crate) rules: Option<Ident>,
    /// `with(f = path)`: where the rules of a callee are.
    pub(crate) with: Vec<(syn::Path, syn::Path)>,
    /// `recursive`: the function is part of a cycle of calls, so its pullback is boxed.
    pub(crate) recursive: bool,
    /// `nested`, and where it stands: the drivers have rules, so that differentiable functions can call them.
    pub(crate) nested: Option<Span>,
    /// `explain`, with its position: there is a text that describes the work of the gradient.
    pub(crate) explain: Option<Span>,
    /// `dyn`, and where it stands: the objects of the trait have rules, too.
    pub(crate) dynamic: Option<Span>,
    /// `checked`, or `checked = false`: the drivers check their results; else if the feature is on.
    pub(crate) checked: Option<bool>,
    /// `order = n`: up to which order of derivatives rules are emitted.
    pub(crate) order: Option<usize>,
    /// `order = 1`, and where it stands: there are no rules of second order.
    pub(crate) first_order: Option<Span>,
    /// Functions of the file whose names begin with a capital. This is no argument, but found by the attribute: calls of them
    /// construct nothing.
    pub(crate) capitals: Vec<String>,
    /// Functions of std that the module imports.
    pub(crate) imports: Imports,
    /// The calls of the file's functions.
    pub(crate) calls: Calls,
    /// The mentioned types, as the file declares them.
    pub(crate) types: FileTypes,
    /// The called functions, as the file declares them.
    pub(crate) callees: Callees,
}

impl Options {
    /// The path of the runtime's hidden module.
    pub(crate) fn runtime(&self) -> TokenStream {
        let krate = self.krate.as_ref();
        krate
            .map_or_else(paths::runtime_path, paths::private_module)
            .to_token_stream()
    }

    /// Takes over the facts that another attribute has read from the file.
    pub(crate) fn read_as(&mut self, other: &Options) {
        let Options {
            capitals,
            imports,
            calls,
            types,
            callees,
            ..
        } = other.clone();
        (self.capitals, self.imports, self.calls) = (capitals, imports, calls);
        (self.types, self.callees) = (types, callees);
    }

    /// Returns `true` if the attribute has no options.
    pub(crate) fn are_left_out(&self) -> bool {
        let names = self.krate.is_none() && self.rules.is_none() && self.with.is_empty();
        let spans = [self.nested, self.explain, self.dynamic];
        let flags = self.recursive || self.checked.is_some();
        names && !flags && self.order.is_none() && spans.iter().all(Option::is_none)
    }

    /// `true` if drivers check themselves.
    pub(crate) fn are_checked(&self) -> bool {
        self.checked.unwrap_or(cfg!(feature = "checked"))
    }

    /// Where the rules of callees are; `own` is the type of the `impl`.
    pub(crate) fn found<'a>(&'a self, own: Option<&'a syn::Type>) -> Found<'a> {
        Found {
            with: &self.with,
            callees: Some(&self.callees),
            own,
        }
    }

    /// Items that compile if the facts from the file hold.
    pub(crate) fn checks(&self) -> TokenStream {
        let types = self.types.checks();
        let imports = self.imports.checks();
        let names = self.imports.types_are_of_std(&self.runtime());
        quote::quote!(#types #imports #names)
    }

    /// The names of the functions in `with`.
    pub(crate) fn ruled_elsewhere(&self) -> Vec<String> {
        let last = |(path, _): &(syn::Path, syn::Path)| {
            path.segments.last().map(|last| last.ident.to_string())
        };
        self.with.iter().filter_map(last).collect()
    }
}

/// Parses the attribute's arguments. Beside a mistake the other options hold, so that there are rules and no further messages.
pub(crate) fn parse(tokens: TokenStream) -> (Options, Option<syn::Error>) {
    let mut options = Options::default();
    let mut errors = Errors::default();
    let mut seen: Vec<String> = Vec::new();
    let items = errors.take(NestedMeta::parse_meta_list(tokens));
    for item in items.into_iter().flatten() {
        let Some(name) = name(&item) else {
            errors.push(unknown(&item));
            continue;
        };
        if seen.contains(&name) {
            errors.push(error(
                Whole(&item),
                format!("the option `{name}` is given twice"),
                "give it once",
            ));
            continue;
        }
        errors.take(option(&name, &item, &mut options));
        seen.push(name);
    }
    if options.nested.is_some()
        && let Some(span) = options.first_order.take()
    {
        errors.push(error(
            span,
            "`nested` needs rules of second order: drivers that functions call are differentiated again",
            "leave `order = 1` out",
        ));
    }
    (options, errors.finish(()).err())
}

/// The option that an argument names.
pub(crate) fn name(item: &NestedMeta) -> Option<String> {
    match item {
        NestedMeta::Meta(meta) => meta.path().get_ident().map(ToString::to_string),
        NestedMeta::NameValueInvalidExpr(meta) => meta.path.get_ident().map(ToString::to_string),
        NestedMeta::Lit(_) => None,
    }
}

/// Sets one option.
pub(crate) fn option(name: &str, item: &NestedMeta, options: &mut Options) -> syn::Result<()> {
    match name {
        "crate" => options.krate = Some(path(item, name, "`crate = ::some::path`")?),
        "rules" => options.rules = Some(value(item, name, "a name: `rules = some_name`")?),
        "recursive" => options.recursive = value(item, name, "no value: `recursive`")?,
        "checked" => {
            let form = "no value, or `false`: `checked`, `checked = false`";
            options.checked = Some(value(item, name, form)?);
        }
        "nested" => {
            let wanted: bool = value(item, name, "no value: `nested`")?;
            options.nested = wanted.then(|| item.span());
        }
        "explain" => {
            let wanted: bool = value(item, name, "no value: `explain`")?;
            options.explain = wanted.then(|| item.span());
        }
        "dyn" => {
            let wanted: bool = value(item, name, "no value: `dyn`")?;
            options.dynamic = wanted.then(|| item.span());
        }
        "order" => {
            let order = value(item, name, "a number: `order = 2`")?;
            options.order = Some(order);
            match order {
                1 => options.first_order = Some(item.span()),
                2 => {}
                // Rules of third order are derivatives of drivers.
                3 => {
                    options.nested.get_or_insert(item.span());
                }
                0 => {
                    return Err(error(
                        Whole(item),
                        "a function with rules has at least derivatives of order 1",
                        "write `order = 1` for these alone; a function without derivatives needs no attribute",
                    ));
                }
                _ => {
                    return Err(error(
                        Whole(item),
                        format!("derivatives of order {order} are not supported yet"),
                        "orders 1 and 2 are there without the option; `order = 3` adds the third, `order = 1` leaves out the second",
                    ));
                }
            }
        }
        "with" => {
            let form = "rules of callees: `with(function = path::of::rules)`";
            let NestedMeta::Meta(syn::Meta::List(list)) = item else {
                return Err(wrong(item, name, form));
            };
            for item in NestedMeta::parse_meta_list(list.tokens.clone())? {
                let NestedMeta::Meta(callee) = &item else {
                    return Err(wrong(&item, name, form));
                };
                let function = callee.path().clone();
                options.with.push((function, path(&item, name, form)?));
            }
        }
        _ => return Err(unknown(item)),
    }
    Ok(())
}

impl Options {
    /// An error if an option is for traits alone.
    pub(crate) fn check_no_trait(&self) -> syn::Result<()> {
        match self.dynamic {
            None => Ok(()),
            Some(span) => Err(error(
                span,
                "`dyn` is an option for traits",
                "write it on the trait: `#[differentiable(dyn)] trait Model`",
            )),
        }
    }

    /// An error if an option is for functions alone.
    pub(crate) fn check_no_function(&self) -> syn::Result<()> {
        let misplaced = [
            ("nested", self.nested),
            ("explain", self.explain),
            ("order = 1", self.first_order),
        ];
        let found = misplaced
            .iter()
            .find_map(|(name, span)| Some((name, (*span)?)));
        match found {
            None => Ok(()),
            Some((name, span)) => Err(error(
                span,
                format!("`{name}` is not supported on traits yet"),
                "write it on a function, a method, or an `impl` block without a trait",
            )),
        }
    }

    /// Checks that `code` mentions each function that `with` has rules for: one that is misspelt would be ignored.
    pub(crate) fn check_with(&self, code: &impl ToTokens) -> syn::Result<()> {
        let code = code.to_token_stream();
        let mut errors = Errors::default();
        for (function, _) in &self.with {
            let last = function.segments.last();
            if !last.is_some_and(|last| mentions(code.clone(), &last.ident)) {
                errors.push(error(
                    Whole(function),
                    format!("`{}` is not called here", plain(function)),
                    "`with` names a function as the code calls it",
                ));
            }
        }
        errors.finish(())
    }
}

/// Returns `true` if a name is among the tokens.
pub(crate) fn mentions(code: TokenStream, ident: &Ident) -> bool {
    code.into_iter().any(|tree| match tree {
        TokenTree::Ident(found) => found == *ident,
        TokenTree::Group(group) => mentions(group.stream(), ident),
        _ => false,
    })
}

pub(crate) fn plain(path: &syn::Path) -> String {
    let segments = path.segments.iter();
    let names: Vec<String> = segments.map(|segment| segment.ident.to_string()).collect();
    names.join("::")
}

/// The argument, as darling parses it; darling's own messages don't name the option.
pub(crate) fn value<T: FromMeta>(item: &NestedMeta, name: &str, form: &str) -> syn::Result<T> {
    let NestedMeta::Meta(meta) = item else {
        return Err(wrong(item, name, form));
    };
    T::from_meta(meta).map_err(|_| wrong(item, name, form))
}

/// `name = some::path`, with or without quotes.
fn path(item: &NestedMeta, name: &str, form: &str) -> syn::Result<syn::Path> {
    match item {
        NestedMeta::Meta(syn::Meta::NameValue(syn::MetaNameValue {
            value: syn::Expr::Path(path),
            ..
        })) if path.qself.is_none() => Ok(path.path.clone()),
        other => value(other, name, form),
    }
}

/// An option whose value has the wrong form.
pub(crate) fn wrong(item: &NestedMeta, name: &str, form: &str) -> syn::Error {
    error(
        Whole(item),
        format!("the option `{name}` has the wrong form"),
        format!("it takes {form}"),
    )
}

fn unknown(item: &NestedMeta) -> syn::Error {
    error(
        Whole(item),
        "unknown option of `#[differentiable]`",
        "the options are `crate = path`, `rules = name`, `with(function = path)`, `recursive`, \
         `nested`, `explain`, `checked`, `order = n` and `dyn`",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;

    fn message(tokens: TokenStream) -> String {
        let (options, error) = parse(tokens);
        error.map_or_else(|| format!("{options:?}"), |error| error.to_string())
    }

    fn parsed(tokens: TokenStream) -> Options {
        let (options, error) = parse(tokens);
        assert!(error.is_none(), "{error:?}");
        options
    }

    #[test]
    fn all_options() {
        let tokens = quote!(
            crate = ::my::chainrule,
            rules = erf_rules,
            with(f = rules::of_f),
            recursive,
            nested,
            explain,
            dyn,
            checked,
            order = 2
        );
        let options = parsed(tokens);
        assert_eq!(options.rules.expect("a name").to_string(), "erf_rules");
        assert_eq!(options.with[0].1.segments.len(), 2);
        assert_eq!(options.krate.expect("a path").segments.len(), 2);
        assert!(
            options.recursive
                && options.nested.is_some()
                && options.explain.is_some()
                && options.dynamic.is_some()
        );
        assert_eq!((options.order, options.checked), (Some(2), Some(true)));
        assert!(options.first_order.is_none());
        assert_eq!(parsed(quote!(checked = false)).checked, Some(false));
        assert!(parsed(quote!(order = 1)).first_order.is_some());
    }

    #[test]
    fn what_is_not_there_yet_is_refused() {
        assert!(
            message(quote!(order = 4))
                .starts_with("derivatives of order 4 are not supported yet\nhelp:")
        );
    }

    #[test]
    fn third_derivatives_are_those_of_drivers() {
        let options = parsed(quote!(order = 3));
        assert!(options.nested.is_some() && options.order == Some(3));
    }

    #[test]
    fn keywords_as_paths() {
        let options = parsed(quote!(crate = crate));
        assert!(options.krate.expect("a path").is_ident("crate"));
    }

    #[test]
    fn a_misspelt_option_lists_the_options() {
        let text = message(quote!(recursiv));
        assert!(text.starts_with("unknown option of `#[differentiable]`\nhelp: the options are"));
    }

    #[test]
    fn beside_a_mistake_the_other_options_hold() {
        let (options, error) = parse(quote!(crate = some::path, order = "many", recursive));
        assert!(options.krate.is_some() && options.recursive && error.is_some());
    }

    #[test]
    fn a_wrong_value_names_the_option() {
        for (tokens, name) in [
            (quote!(order = "many"), "order"),
            (quote!(recursive = 3), "recursive"),
            (quote!(crate), "crate"),
            (quote!(with), "with"),
            (quote!(with(f)), "with"),
            (quote!(rules = 1), "rules"),
        ] {
            let text = message(tokens);
            let start = format!("the option `{name}` has the wrong form\nhelp: it takes ");
            assert!(text.starts_with(&start), "{text}");
        }
    }

    #[test]
    fn an_option_counts_once() {
        let text = message(quote!(rules = a, rules = b));
        assert_eq!(
            text,
            "the option `rules` is given twice\nhelp: give it once"
        );
        assert!(message(quote!("rules")).starts_with("unknown option"));
    }
}

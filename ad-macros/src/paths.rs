//! Where generated code finds the runtime, whatever the user's crate calls it.

use proc_macro_crate::{FoundCrate, crate_name};
use proc_macro2::Span;
use quote::ToTokens as _;
use syn::{Ident, Path, parse_quote};

/// The path of the runtime's private module: `::chainrule::__private`, or `::ad_runtime::__private` in a crate that
/// depends on the runtime alone, or the same under the dependency's name in `Cargo.toml`.
///
/// In a package of that name it is the same path: its tests and examples see it as a dependency, and its library has
/// `extern crate self as chainrule`. Where neither is found, rustc's message about `::chainrule` names the missing crate.
pub(crate) fn runtime_path() -> Path {
    let krate = ["chainrule", "ad-runtime"]
        .into_iter()
        .find_map(|package| match crate_name(package).ok()? {
            FoundCrate::Itself => Some(package.replace('-', "_")),
            FoundCrate::Name(name) => Some(name),
        })
        .unwrap_or_else(|| "chainrule".to_owned());
    let krate = Ident::new(&krate, Span::call_site());
    parse_quote!(::#krate::__private)
}

/// The path of the runtime's private module in the crate that the user names by `crate = path`.
pub(crate) fn private_module(krate: &Path) -> Path {
    parse_quote!(#krate::__private)
}

/// True if a path ends in the name.
pub(crate) fn ends_in(path: &Path, name: &str) -> bool {
    path.segments.last().is_some_and(|last| last.ident == name)
}

/// The function of a module of std that a path names: `mem::swap`, `core::mem::swap`. A module of the user's that has this name is written as
/// `self::mem` by then.
pub(crate) fn of_std<'p>(path: &'p Path, module: &str) -> Option<&'p Ident> {
    let mut names = path.segments.iter().rev().map(|segment| &segment.ident);
    let (function, parent, root) = (names.next()?, names.next()?, names.next());
    let is_root = |root: &Ident| root == "std" || root == "core" || root == "alloc";
    let of_std = root.is_none_or(is_root) && names.next().is_none();
    (parent == module && of_std).then_some(function)
}

/// The name, or the path, by which a function is called: `f`, `module::f`. Arguments of its parameters may follow.
pub(crate) fn function_name(path: &syn::ExprPath) -> Option<String> {
    let segments = &path.path.segments;
    let mut modules = segments.iter().rev().skip(1);
    let is_plain = path.qself.is_none()
        && path.path.leading_colon.is_none()
        && modules.all(|module| module.arguments.is_none());
    let names = segments.iter().map(|segment| segment.ident.to_string());
    is_plain.then(|| names.collect::<Vec<_>>().join("::"))
}

/// The name of a type, or the path to it, without the arguments of its parameters.
pub(crate) fn type_name(path: &Path) -> Option<String> {
    let mut path = path.clone();
    let last = path.segments.last_mut()?;
    last.arguments = syn::PathArguments::None;
    let is_plain = path
        .segments
        .iter()
        .all(|segment| segment.arguments.is_none());
    is_plain.then(|| path.to_token_stream().to_string())
}

/// The name that a path ends in.
pub(crate) fn last_name(path: &Path) -> Option<String> {
    path.segments.last().map(|last| last.ident.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;

    #[test]
    fn without_a_dependency_it_is_the_facade() {
        let path = runtime_path();
        assert_eq!(quote!(#path).to_string(), ":: chainrule :: __private");
    }

    #[test]
    fn a_named_crate_gets_its_private_module() {
        let path = private_module(&parse_quote!(crate::reexports::chainrule));
        assert_eq!(
            quote!(#path).to_string(),
            "crate :: reexports :: chainrule :: __private"
        );
    }
}

//! Rules as functions of a module that has the function's name, where a type of that name would be in the way.
//!
//! ```text
//! mod beta {
//!     pub fn beta(a: f64) -> f64 { .. }
//!     pub fn __frule(..) { .. }               // hidden rules
//!     pub mod __beta_drivers { .. }           // public ones, which give way to names like `gradient` of the module
//!     pub use self::__beta_drivers::*;
//! }
//! pub use beta::beta;                         // from here on `beta::gradient(2.0)` is the module's
//! ```
//!
//! A type `beta` would be imported along with the function, and clash with the module. The files tell whether there is such a module
//! (`enclosing/names.rs`).

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{format_ident, quote};

use crate::attributes::cfgs;
use crate::emit::{Items, allows};
use crate::syntax::renamed;

/// The items of the module, made from the associated functions of the type that there would be.
///
/// The module around finds the function `by_name`, or by `*`.
pub(crate) fn functions(item: &syn::ItemFn, items: TokenStream, by_name: bool) -> TokenStream {
    let Ok(Items(items)) = syn::parse2::<Items>(items.clone()) else {
        return items;
    };
    let (allow, vis, cfgs) = (allows(), &item.vis, cfgs(&item.attrs));
    let name = &item.sig.ident;
    let bare = name.to_string();
    let bare = bare.trim_start_matches("r#");
    let drivers = format_ident!("__{bare}_drivers", span = Span::call_site());
    let alias = format_ident!("__{bare}_module", span = Span::call_site());
    // Here, too, the module is found under the name; where it is imported by name, a second one would be a clash.
    let (own, seen) = if by_name {
        (quote!(pub(super)), TokenStream::new())
    } else {
        (quote!(pub(in super::super)), quote!(pub(super)))
    };
    let (mut hidden, mut public) = (TokenStream::new(), TokenStream::new());
    for function in items {
        let syn::ImplItem::Fn(mut function) = function else {
            continue;
        };
        if function.sig.ident.to_string().starts_with("__") {
            hidden.extend(renamed(quote!(#allow #(#cfgs)* #function), "Self", "self"));
        } else {
            function.vis = syn::parse_quote!(pub);
            public.extend(one_deeper(quote!(#function)));
        }
    }
    quote! {
        #hidden
        #allow
        #[allow(unused_imports)]
        #[doc(hidden)]
        #(#cfgs)*
        pub mod #drivers {
            use super::*;
            #public
        }
        #[allow(unused_imports)]
        #[doc(inline)]
        #(#cfgs)*
        #vis use self::#drivers::*;
        #[doc(hidden)]
        #(#cfgs)*
        mod #alias {
            #[allow(unused_imports)]
            #own use super::super::#name;
        }
        #[allow(unused_imports)]
        #(#cfgs)*
        #seen use self::#alias::*;
    }
}

/// ```text
/// Input:  Self::__frule, super::Table, self::Row
/// Output: super::__frule, super::super::Table, super::Row
/// ```
fn one_deeper(tokens: TokenStream) -> TokenStream {
    let mut tokens = tokens.into_iter().peekable();
    let mut out = TokenStream::new();
    // The first `super` of a path is one of a module deeper, the others follow from it.
    let (mut colons, mut within) = (0, false);
    while let Some(token) = tokens.next() {
        let is_path =
            matches!(tokens.peek(), Some(TokenTree::Punct(next)) if next.as_char() == ':');
        colons = match &token {
            TokenTree::Punct(last) if last.as_char() == ':' => colons + 1,
            _ => 0,
        };
        match token {
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), one_deeper(group.stream()));
                inner.set_span(group.span());
                out.extend([TokenTree::Group(inner)]);
            }
            TokenTree::Ident(word) if is_path && (word == "Self" || word == "self") => {
                out.extend([TokenTree::Ident(Ident::new("super", word.span()))]);
            }
            TokenTree::Ident(word) if !within && word == "super" => {
                out.extend(quote!(super::super));
            }
            other => out.extend([other]),
        }
        within = colons == 2;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_from_one_module_deeper() {
        let tokens = quote!(x: &super::Table, y: self::Row<Self::T>, z: super::super::Z);
        let expected =
            quote!(x: &super::super::Table, y: super::Row<super::T>, z: super::super::super::Z);
        assert_eq!(one_deeper(tokens).to_string(), expected.to_string());
    }
}

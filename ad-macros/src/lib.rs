//! The compiler behind `chainrule`: the attribute and derive macros. Programs use them through `chainrule`.

use proc_macro::TokenStream;

mod analyze;
mod derive;
mod diagnostics;
mod emit;
mod expand;
mod hir;
mod impl_trait;
mod ir;
mod lower;
mod operators;
mod options;
mod paths;
mod primitive;
mod simplify;
mod stubs;
mod surface;
#[cfg(test)]
mod testing;
mod traits;
mod transform;
mod types;

/// Emits the forward and reverse rules of a function, a method, or all methods of an `impl` block, beside it.
#[proc_macro_attribute]
pub fn differentiable(attr: TokenStream, item: TokenStream) -> TokenStream {
    expand::differentiable(attr.into(), &item.into()).into()
}

/// Gives a function or a method derivative rules that are written by hand.
#[proc_macro_attribute]
pub fn primitive(attr: TokenStream, item: TokenStream) -> TokenStream {
    primitive::primitive(attr.into(), &item.into()).into()
}

/// Gives a type a tangent type.
#[proc_macro_derive(Differentiable, attributes(constant, tangent))]
pub fn derive_differentiable(item: TokenStream) -> TokenStream {
    derive::expand(syn::parse_macro_input!(item as syn::DeriveInput)).into()
}

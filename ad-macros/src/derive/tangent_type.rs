//! Emits the tangent type itself, with `Clone`, `Copy` where its fields are, `PartialEq` and `Debug`.
//!
//! ```text
//! // Input:
//! pub struct Params<T> { pub w: Vec<T>, bias: f64, #[constant] name: String }
//! // Output:
//! pub struct ParamsTangent<T> where T: Differentiable { pub w: Tan<Vec<T>>, bias: Tan<f64>, name: NoTangent }
//! ```
//! The standard derives would bound `T` rather than `Tan<T>`, so the impls are written out.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;

use super::model::{Field, Model, Style, Variant, local};

pub(super) fn emit(model: &Model) -> TokenStream {
    let definition = definition(model);
    let Model {
        tangent, generics, ..
    } = model;
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
    let clone = clone(model);
    let eq = eq(model);
    let debug = debug(model);
    let copy = copy(model);
    quote! {
        #definition

        #[automatically_derived]
        impl #impl_generics ::core::clone::Clone for #tangent #ty_generics #where_clause {
            #[inline]
            fn clone(&self) -> Self {
                #clone
            }
        }

        #copy

        #[automatically_derived]
        impl #impl_generics ::core::cmp::PartialEq for #tangent #ty_generics #where_clause {
            #[inline]
            fn eq(&self, other: &Self) -> ::core::primitive::bool {
                #eq
            }
        }

        #[automatically_derived]
        impl #impl_generics ::core::fmt::Debug for #tangent #ty_generics #where_clause {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                #debug
            }
        }
    }
}

fn definition(model: &Model) -> TokenStream {
    let Model {
        vis,
        ident,
        tangent,
        generics,
        ..
    } = model;
    let where_clause = &generics.where_clause;
    let doc = format!(
        "The tangent of `{ident}`: a gradient, or a direction.\n\nIt has the same {}, each with the tangent of what it holds there, \
         and `NoTangent` where that is constant. Made by `#[derive(Differentiable)]`.",
        if model.is_enum {
            "variants and fields"
        } else {
            "fields"
        },
    );
    // The lints are those of the user's own type, which has been checked for them already.
    let head = quote! {
        #[doc = #doc]
        #[allow(dead_code, unreachable_pub, private_bounds, clippy::all, clippy::pedantic)]
    };
    if model.is_enum {
        let variants = model.variants.iter().map(|variant| {
            let name = &variant.ident;
            let doc = format!(
                "The tangent of `{}`.",
                name.as_ref().expect("a variant has a name")
            );
            let body = body(variant, false);
            quote!(#[doc = #doc] #name #body)
        });
        quote!(#head #vis enum #tangent #generics #where_clause { #(#variants,)* })
    } else {
        let variant = &model.variants[0];
        let body = body(variant, true);
        match variant.style {
            Style::Named => quote!(#head #vis struct #tangent #generics #where_clause #body),
            Style::Tuple | Style::Unit => {
                quote!(#head #vis struct #tangent #generics #body #where_clause;)
            }
        }
    }
}

/// The fields in their delimiters.
fn body(variant: &Variant, with_visibility: bool) -> TokenStream {
    let fields = variant.fields.iter().map(|field| {
        let Field {
            vis,
            member,
            tangent,
            ..
        } = field;
        let vis = with_visibility.then_some(vis);
        let doc = format!("The tangent of `{}`.", field.name());
        let name = (variant.style == Style::Named).then(|| quote!(#member:));
        quote!(#[doc = #doc] #vis #name #tangent)
    });
    match variant.style {
        Style::Named => quote!({ #(#fields,)* }),
        Style::Tuple => quote!((#(#fields,)*)),
        Style::Unit => quote!(),
    }
}

/// `Tangent::Variant { w: a_0, 0: a_1 }`, as a pattern or an expression, with locals for all fields.
pub(super) fn with_locals(head: &TokenStream, variant: &Variant, prefix: &str) -> TokenStream {
    let members = variant.fields.iter().map(|field| &field.member);
    let locals = (0..variant.fields.len()).map(|i| local(prefix, i));
    let name = variant.ident.as_ref().map(|name| quote!(::#name));
    quote!(#head #name { #(#members: #locals,)* })
}

fn clone(model: &Model) -> TokenStream {
    let tangent = &model.tangent;
    let arms = model.variants.iter().map(|variant| {
        let pattern = with_locals(&quote!(#tangent), variant, "field");
        let members = variant.fields.iter().map(|field| &field.member);
        let locals = (0..variant.fields.len()).map(|i| local("field", i));
        let name = variant.ident.as_ref().map(|name| quote!(::#name));
        quote!(#pattern => #tangent #name { #(#members: ::core::clone::Clone::clone(#locals),)* })
    });
    model.match_on(&quote!(self), &quote!(#(#arms,)*))
}

/// `Copy` under the condition that all fields are. The unused lifetime keeps rustc from checking it where it is false.
fn copy(model: &Model) -> TokenStream {
    let Model {
        tangent, generics, ..
    } = model;
    let mut generics = generics.clone();
    let fields = model.variants.iter().flat_map(|variant| &variant.fields);
    let predicates = fields.map(|field| {
        let Field { ty, tangent, .. } = field;
        let predicate = quote_spanned!(ty.span()=> for<'chainrule> #tangent: ::core::marker::Copy);
        syn::parse2::<syn::WherePredicate>(predicate).expect("a predicate")
    });
    generics.make_where_clause().predicates.extend(predicates);
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
    quote! {
        #[automatically_derived]
        impl #impl_generics ::core::marker::Copy for #tangent #ty_generics #where_clause {}
    }
}

fn eq(model: &Model) -> TokenStream {
    let tangent = &model.tangent;
    let arms = model.variants.iter().map(|variant| {
        let left = with_locals(&quote!(#tangent), variant, "left");
        let right = with_locals(&quote!(#tangent), variant, "right");
        let equal = (0..variant.fields.len()).map(|i| {
            let (left, right) = (local("left", i), local("right", i));
            quote!(&& ::core::cmp::PartialEq::eq(#left, #right))
        });
        quote!((#left, #right) => true #(#equal)*)
    });
    let other = (model.variants.len() > 1).then(|| quote!(_ => false,));
    model.match_on(&quote!((self, other)), &quote!(#(#arms,)* #other))
}

fn debug(model: &Model) -> TokenStream {
    let tangent = &model.tangent;
    let arms = model.variants.iter().map(|variant| {
        let pattern = with_locals(&quote!(#tangent), variant, "field");
        let name = variant
            .ident
            .as_ref()
            .map_or_else(|| tangent.to_string(), ToString::to_string);
        let locals = (0..variant.fields.len()).map(|i| local("field", i));
        let printed = match variant.style {
            Style::Unit => quote!(f.write_str(#name)),
            Style::Tuple => quote!(f.debug_tuple(#name) #(.field(#locals))* .finish()),
            Style::Named => {
                let names = variant.fields.iter().map(Field::name);
                quote!(f.debug_struct(#name) #(.field(#names, #locals))* .finish())
            }
        };
        quote!(#pattern => #printed)
    });
    model.match_on(&quote!(self), &quote!(#(#arms,)*))
}

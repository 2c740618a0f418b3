//! Emits `Differentiable` for the type and for its tangent, `Tangent`, and `add_scaled`: field by field, variant by variant.
//!
//! ```text
//! // Input:
//! struct Params { w: Vec<f64>, #[constant] name: String }
//! // Output, for example:
//! fn accumulate(&mut self, other: &Self) {
//!     match (self, other) {
//!         (ParamsTangent { w: this_0, name: _ }, ParamsTangent { w: that_0, name: _ }) => {
//!             Tangent::accumulate(this_0, that_0);
//!         }
//!     }
//! }
//! ```

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::Ident;
use syn::spanned::Spanned;

use super::model::{Field, Model, Variant, local};

pub(super) fn emit(model: &Model) -> TokenStream {
    let Model {
        runtime,
        ident,
        tangent,
        generics,
        ..
    } = model;
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
    let of_value = differentiable(model, ident);
    let of_tangent = (!model.own).then(|| differentiable(model, tangent));
    let add_scaled = model.add_scaled.then(|| add_scaled(model));
    let set_zero = one(
        model,
        tangent,
        |this| quote!(#runtime::Tangent::set_zero(#this)),
    );
    let scale = one(
        model,
        tangent,
        |this| quote!(#runtime::Tangent::scale(#this, factor)),
    );
    let accumulate = two(
        model,
        (tangent, tangent),
        &quote!(other),
        |terms| quote!({ #(#terms;)* }),
        |_, this, that| quote!(#runtime::Tangent::accumulate(#this, #that)),
        |expected, found| quote!(#runtime::variant_panic(#expected, #found)),
    );
    let inner = two(
        model,
        (tangent, tangent),
        &quote!(other),
        |terms| quote!(0.0 #(+ #terms)*),
        |_, this, that| quote!(#runtime::Tangent::inner(#this, #that)),
        |expected, found| quote!(#runtime::variant_panic(#expected, #found)),
    );
    quote! {
        #of_value
        #of_tangent
        #add_scaled

        #[automatically_derived]
        #[allow(unused_variables)]
        impl #impl_generics #runtime::Tangent for #tangent #ty_generics #where_clause {
            #[inline]
            fn set_zero(&mut self) {
                #set_zero
            }

            #[inline]
            fn accumulate(&mut self, other: &Self) {
                #accumulate
            }

            #[inline]
            fn scale(&mut self, factor: ::core::primitive::f64) {
                #scale
            }

            #[inline]
            fn inner(&self, other: &Self) -> ::core::primitive::f64 {
                #inner
            }

            #[inline]
            fn to_owned_tangent(&self) -> Self {
                ::core::clone::Clone::clone(self)
            }
        }
    }
}

/// `Differentiable` for the type itself, or for its tangent, whose fields are tangents and have no constants to skip.
fn differentiable(model: &Model, ident: &Ident) -> TokenStream {
    let Model {
        runtime,
        tangent,
        generics,
        ..
    } = model;
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
    let zero = zero(model, ident);
    let matches = two(
        model,
        (ident, tangent),
        &quote!(tangent),
        |terms| quote!({ #(#terms?;)* ::core::result::Result::Ok(()) }),
        |field, this, that| {
            let name = field.name();
            quote!(#runtime::field_matches(#this, #that, #name))
        },
        |this, that| quote!(::core::result::Result::Err(#runtime::ShapeMismatch::variant(#this, #that))),
    );
    let add = two(
        model,
        (ident, tangent),
        &quote!(tangent),
        |terms| quote!({ #(#terms;)* }),
        |_, this, that| quote!(#runtime::field_add_scaled(#this, factor, #that)),
        |this, that| quote!(#runtime::variant_panic(#this, #that)),
    );
    let visit = visit(model, ident);
    let visit_floats = one(
        model,
        ident,
        |this| quote!(#runtime::Differentiable::visit_floats(#this, visit)),
    );
    let map_floats = one(
        model,
        ident,
        |this| quote!(#runtime::Differentiable::map_floats(#this, map)),
    );
    quote! {
        #[automatically_derived]
        #[allow(unused_variables)]
        impl #impl_generics #runtime::Differentiable for #ident #ty_generics #where_clause {
            type Tangent = #tangent #ty_generics;
            type OwnedTangent = #tangent #ty_generics;

            #[inline]
            fn zero_tangent(&self) -> #tangent #ty_generics {
                #zero
            }

            #[inline]
            fn matches_shape(
                &self,
                tangent: &#tangent #ty_generics,
            ) -> ::core::result::Result<(), #runtime::ShapeMismatch> {
                #matches
            }

            #[inline]
            fn add_scaled_tangent(
                &mut self,
                factor: ::core::primitive::f64,
                tangent: &#tangent #ty_generics,
            ) {
                #add
            }

            fn visit_components(&self, components: &mut #runtime::Components<'_>) {
                #visit
            }

            #[inline]
            fn visit_floats(&self, visit: &mut dyn ::core::ops::FnMut(::core::primitive::f64)) {
                #visit_floats
            }

            #[inline]
            fn map_floats(
                &mut self,
                map: &mut dyn ::core::ops::FnMut(::core::primitive::f64) -> ::core::primitive::f64,
            ) {
                #map_floats
            }
        }
    }
}

/// A step along a tangent, as a method that needs no trait in scope.
fn add_scaled(model: &Model) -> TokenStream {
    let Model {
        runtime,
        vis,
        ident,
        tangent,
        generics,
        ..
    } = model;
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
    let method = |name: &Ident, doc: &str| {
        quote! {
            #[allow(dead_code, unreachable_pub, clippy::all, clippy::pedantic)]
            impl #impl_generics #name #ty_generics #where_clause {
                #[doc = #doc]
                #[inline]
                #[track_caller]
                #vis fn add_scaled(
                    &mut self,
                    factor: ::core::primitive::f64,
                    tangent: &#tangent #ty_generics,
                ) {
                    #runtime::Differentiable::add_scaled_tangent(self, factor, tangent)
                }
            }
        }
    };
    let of_value = method(
        ident,
        " Moves it by a multiple of a tangent: `x += factor * tangent`. With a negative rate and a gradient that is a step of \
         gradient descent. What has no tangent stays.\n\n # Panics\n If lengths or variants differ, or if something that has a \
         tangent is shared.",
    );
    let of_tangent = (!model.own).then(|| {
        method(
            tangent,
            " Adds a multiple of another tangent.\n\n # Panics\n If lengths or variants differ.",
        )
    });
    quote!(#of_value #of_tangent)
}

/// A `match` that hands over all parts.
fn visit(model: &Model, ident: &Ident) -> TokenStream {
    let runtime = &model.runtime;
    let arms = model.variants.iter().map(|variant| {
        let pattern = pattern(ident, variant, "this");
        let name = variant.ident.as_ref().map(|name| {
            let name = name.to_string();
            quote!(#runtime::Components::variant(components, #name);)
        });
        let fields = active(variant).map(|(i, field)| {
            let (name, this) = (field.name(), local("this", i));
            quote!(#runtime::Components::field(components, #name, #this);)
        });
        let checked = checked(model, ident, variant);
        quote!(#pattern => { #checked #name #(#fields)* })
    });
    model.match_on(&quote!(self), &quote!(#(#arms)*))
}

/// The zero tangent, of a value or of a tangent.
fn zero(model: &Model, ident: &Ident) -> TokenStream {
    let Model {
        runtime, tangent, ..
    } = model;
    let arms = model.variants.iter().map(|variant| {
        let name = variant.ident.as_ref().map(|name| quote!(::#name));
        let pattern = pattern(ident, variant, "this");
        let zeros = variant.fields.iter().enumerate().map(|(i, field)| {
            let (member, absent, ty) = (&field.member, &field.absent, &field.ty);
            if field.constant {
                return quote!(#member: #absent);
            }
            let this = local("this", i);
            // A type that is not its own tangent is reported at the field.
            quote_spanned!(ty.span()=> #member: #runtime::Differentiable::zero_tangent(#this))
        });
        let zeros = quote!(#tangent #name { #(#zeros,)* });
        let checked = checked(model, ident, variant);
        if checked.is_empty() {
            quote!(#pattern => #zeros)
        } else {
            quote!(#pattern => { #checked #zeros })
        }
    });
    model.match_on(&quote!(self), &quote!(#(#arms,)*))
}

/// A `match` on one value or tangent, with a statement for each field.
fn one(model: &Model, ident: &Ident, of_field: impl Fn(&Ident) -> TokenStream) -> TokenStream {
    let arms = model.variants.iter().map(|variant| {
        let pattern = pattern(ident, variant, "this");
        let statements = active(variant).map(|(i, _)| of_field(&local("this", i)));
        let checked = checked(model, ident, variant);
        quote!(#pattern => { #checked #(#statements;)* })
    });
    model.match_on(&quote!(self), &quote!(#(#arms)*))
}

/// A `match` on a value or tangent, `self`, and a tangent, `other`, of the types `(ident, tangent)`. `mismatch` is given the
/// names of their variants.
fn two(
    model: &Model,
    (ident, tangent): (&Ident, &Ident),
    other: &TokenStream,
    join: impl Fn(Vec<TokenStream>) -> TokenStream,
    of_field: impl Fn(&Field, &Ident, &Ident) -> TokenStream,
    mismatch: impl Fn(TokenStream, TokenStream) -> TokenStream,
) -> TokenStream {
    let arms = model.variants.iter().map(|variant| {
        let this = pattern(ident, variant, "this");
        let that = pattern(tangent, variant, "that");
        let terms = active(variant)
            .map(|(i, field)| of_field(field, &local("this", i), &local("that", i)))
            .collect();
        let body = join(terms);
        let checked = checked(model, ident, variant);
        if checked.is_empty() {
            quote!((#this, #that) => #body)
        } else {
            quote!((#this, #that) => { #checked #body })
        }
    });
    let otherwise = (model.variants.len() > 1).then(|| {
        let (this, that) = (local("this", 0), local("that", 0));
        let mismatch = mismatch(
            variant_name(model, ident, &quote!(#this)),
            variant_name(model, tangent, &quote!(#that)),
        );
        quote!((#this, #that) => #mismatch,)
    });
    model.match_on(&quote!((self, #other)), &quote!(#(#arms,)* #otherwise))
}

/// Locals of a value whose types are checked ones.
fn checked(model: &Model, ident: &Ident, variant: &Variant) -> TokenStream {
    let runtime = &model.runtime;
    let fields = active(variant).filter(|(_, field)| field.unseen && *ident == model.ident);
    let lets = fields.map(|(i, field)| {
        let (this, ty) = (local("this", i), &field.ty);
        quote!(let #this = #runtime::unseen::checked::<#ty, _>(#this);)
    });
    lets.collect()
}

fn active(variant: &Variant) -> impl Iterator<Item = (usize, &Field)> {
    variant
        .fields
        .iter()
        .enumerate()
        .filter(|(_, field)| !field.constant)
}

/// `Params { w: this_0, name: _ }`: locals for fields with a tangent.
fn pattern(ident: &Ident, variant: &Variant, prefix: &str) -> TokenStream {
    let name = variant.ident.as_ref().map(|name| quote!(::#name));
    let fields = variant.fields.iter().enumerate().map(|(i, field)| {
        let member = &field.member;
        if field.constant {
            return quote!(#member: _);
        }
        let local = local(prefix, i);
        quote!(#member: #local)
    });
    quote!(#ident #name { #(#fields,)* })
}

/// The name of the variant that `value` has.
fn variant_name(model: &Model, ident: &Ident, value: &TokenStream) -> TokenStream {
    let arms = model.variants.iter().filter_map(|variant| {
        let name = variant.ident.as_ref()?;
        let text = name.to_string();
        Some(quote!(#ident::#name { .. } => #text))
    });
    quote!(match #value { #(#arms,)* })
}

//! Emits the hidden rules of a tuple struct's constructor, so that `V3(a, b)` can be called like a differentiable
//! function.
//!
//! ```text
//! // Input:
//! struct V2(f64, f64);
//! // Output:
//! impl V2 {
//!     fn __modes() -> (Owned<f64>, Owned<f64>);
//!     fn __frule(x_0: Dual<f64, Tan<f64>>, x_1: Dual<f64, Tan<f64>>) -> Dual<V2, V2Tangent>;
//!     fn __rrule(x_0: f64, x_1: f64) -> (V2, impl FnOnce(V2Tangent, (), ()) -> (Tan<f64>, Tan<f64>) + use<>);
//!     fn __rrule_frule(..) -> (Dual<V2, V2Tangent>, impl FnOnce(Dual<V2Tangent, V2Tangent>, (), ()) -> (..) + use<>);
//! }
//! ```
//! A `#[constant]` field has the mode `Const`: it is taken as it is, and its cotangent is `()`.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::{GenericParam, Visibility};

use super::model::{Field, Model, Style, local};

pub(super) fn emit(model: &Model) -> Option<TokenStream> {
    let fields = match model.as_struct() {
        Some(variant) if variant.style == Style::Tuple => &variant.fields[..],
        _ => return None,
    };
    let Model {
        ident,
        tangent,
        generics,
        ..
    } = model;
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
    let position = |(i, field)| Position {
        model,
        field,
        x: local("x", i),
        x_dot: local("x_dot", i),
    };
    let constructor = Constructor {
        model,
        vis: visibility(model, fields),
        positions: fields.iter().enumerate().map(position).collect(),
        this: quote!(#ident #ty_generics),
        dot: quote!(#tangent #ty_generics),
        captured: captured(model),
    };
    let rules = [
        constructor.modes(),
        constructor.frule(),
        constructor.rrule(),
        constructor.rrule_frule(),
    ];
    Some(quote! {
        #[automatically_derived]
        #[allow(dead_code, unused_variables, clippy::all, clippy::pedantic)]
        impl #impl_generics #ident #ty_generics #where_clause {
            #(
                #[doc(hidden)]
                #[inline(always)]
                #rules
            )*
        }
    })
}

struct Constructor<'a> {
    model: &'a Model,
    vis: &'a Visibility,
    positions: Vec<Position<'a>>,
    /// `V2`, and `V2Tangent`, with their parameters.
    this: TokenStream,
    dot: TokenStream,
    /// What `use<..>` lists.
    captured: TokenStream,
}

impl Constructor<'_> {
    fn modes(&self) -> TokenStream {
        let vis = self.vis;
        let types = self.positions.iter().map(Position::mode_type);
        let modes = self.positions.iter().map(Position::mode);
        quote! {
            #vis const fn __modes() -> (#(#types,)*) {
                (#(#modes,)*)
            }
        }
    }

    fn frule(&self) -> TokenStream {
        let Constructor {
            model: Model { runtime, .. },
            vis,
            this,
            dot,
            ..
        } = self;
        let duals = self.positions.iter().map(Position::dual);
        let y = self.dual_value();
        quote! {
            #vis fn __frule(#(#duals,)*) -> #runtime::Dual<#this, #dot> {
                #y
            }
        }
    }

    fn rrule(&self) -> TokenStream {
        let Constructor {
            vis,
            this,
            dot,
            captured,
            ..
        } = self;
        let y_bar = local("y_bar", 0);
        let parameters = self.positions.iter().map(|Position { field, x, .. }| {
            let ty = &field.ty;
            quote!(#x: #ty)
        });
        let units = self.units();
        let types = self.positions.iter().map(Position::cotangent_type);
        let cotangents = self
            .positions
            .iter()
            .map(|position| position.cotangent(&y_bar));
        let y = self.value();
        quote! {
            #vis fn __rrule(
                #(#parameters,)*
            ) -> (#this, impl ::core::ops::FnOnce(#dot, #(#units,)*) -> (#(#types,)*) + use<#captured>) {
                (#y, |#y_bar: #dot, #(#units: #units,)*| (#(#cotangents,)*))
            }
        }
    }

    fn rrule_frule(&self) -> TokenStream {
        let Constructor {
            model: Model { runtime, .. },
            vis,
            this,
            dot,
            captured,
            ..
        } = self;
        let (y_bar, y_bar_dot) = (local("y_bar", 0), local("y_bar_dot", 0));
        let duals = self.positions.iter().map(Position::dual);
        let units = self.units();
        let types = self.positions.iter().map(Position::dual_cotangent_type);
        let cotangents = self
            .positions
            .iter()
            .map(|position| position.dual_cotangent(&y_bar, &y_bar_dot));
        let y = self.dual_value();
        quote! {
            #vis fn __rrule_frule(
                #(#duals,)*
            ) -> (
                #runtime::Dual<#this, #dot>,
                impl ::core::ops::FnOnce(#runtime::Dual<#dot, #dot>, #(#units,)*) -> (#(#types,)*) + use<#captured>,
            ) {
                (
                    #y,
                    |#runtime::Dual(#y_bar, #y_bar_dot): #runtime::Dual<#dot, #dot>, #(#units: #units,)*| {
                        (#(#cotangents,)*)
                    },
                )
            }
        }
    }

    /// The struct itself.
    fn value(&self) -> TokenStream {
        let ident = &self.model.ident;
        let fields = self.positions.iter().map(|Position { field, x, .. }| {
            let member = &field.member;
            quote!(#member: #x)
        });
        quote!(#ident { #(#fields,)* })
    }

    /// The struct and its tangent.
    fn dual_value(&self) -> TokenStream {
        let Model {
            runtime, tangent, ..
        } = self.model;
        let value = self.value();
        let fields = self.positions.iter().map(|Position { field, x_dot, .. }| {
            let (member, absent) = (&field.member, &field.absent);
            if field.constant {
                quote!(#member: #absent)
            } else {
                quote!(#member: #x_dot)
            }
        });
        quote!(#runtime::Dual(#value, #tangent { #(#fields,)* }))
    }

    /// What the pullback takes for its positions.
    fn units(&self) -> Vec<TokenStream> {
        self.positions.iter().map(|_| quote!(())).collect()
    }
}

/// One field as a parameter: owned, or constant.
struct Position<'a> {
    model: &'a Model,
    field: &'a Field,
    x: Ident,
    x_dot: Ident,
}

impl Position<'_> {
    fn mode_type(&self) -> TokenStream {
        let Position {
            model: Model { runtime, .. },
            field: Field { ty, constant, .. },
            ..
        } = self;
        if *constant {
            quote!(#runtime::mode::Const<#ty>)
        } else {
            quote!(#runtime::mode::Owned<#ty>)
        }
    }

    fn mode(&self) -> TokenStream {
        let runtime = &self.model.runtime;
        if self.field.constant {
            quote!(#runtime::mode::constant())
        } else {
            quote!(#runtime::mode::owned())
        }
    }

    /// The parameter of a forward rule.
    fn dual(&self) -> TokenStream {
        let Position {
            model: Model { runtime, .. },
            field:
                Field {
                    ty,
                    tangent,
                    constant,
                    ..
                },
            x,
            x_dot,
        } = self;
        if *constant {
            quote!(#x: #ty)
        } else {
            quote!(#runtime::Dual(#x, #x_dot): #runtime::Dual<#ty, #tangent>)
        }
    }

    fn cotangent_type(&self) -> TokenStream {
        if self.field.constant {
            quote!(())
        } else {
            self.field.tangent.clone()
        }
    }

    fn cotangent(&self, y_bar: &Ident) -> TokenStream {
        let member = &self.field.member;
        if self.field.constant {
            quote!(())
        } else {
            quote!(#y_bar.#member)
        }
    }

    fn dual_cotangent_type(&self) -> TokenStream {
        let Position {
            model: Model { runtime, .. },
            field: Field {
                tangent, constant, ..
            },
            ..
        } = self;
        if *constant {
            quote!(())
        } else {
            quote!(#runtime::Dual<#tangent, #tangent>)
        }
    }

    fn dual_cotangent(&self, y_bar: &Ident, y_bar_dot: &Ident) -> TokenStream {
        let Position {
            model: Model { runtime, .. },
            field: Field {
                member, constant, ..
            },
            ..
        } = self;
        if *constant {
            quote!(())
        } else {
            quote!(#runtime::Dual(#y_bar.#member, #y_bar_dot.#member))
        }
    }
}

/// All parameters, for `use<..>`: the pullback's type mentions them.
fn captured(model: &Model) -> TokenStream {
    let params = model.generics.params.iter().map(|param| match param {
        GenericParam::Lifetime(param) => {
            let lifetime = &param.lifetime;
            quote!(#lifetime)
        }
        GenericParam::Type(param) => {
            let ident = &param.ident;
            quote!(#ident)
        }
        GenericParam::Const(param) => {
            let ident = &param.ident;
            quote!(#ident)
        }
    });
    quote!(#(#params),*)
}

/// Who can call the constructor: the narrowest of the visibilities of the type and its fields.
fn visibility<'a>(model: &'a Model, fields: &'a [Field]) -> &'a Visibility {
    let width = |vis: &Visibility| match vis {
        Visibility::Public(_) => 3,
        Visibility::Restricted(restricted) if restricted.path.is_ident("crate") => 2,
        Visibility::Restricted(_) => 1,
        Visibility::Inherited => 0,
    };
    fields
        .iter()
        .map(|field| &field.vis)
        .chain([&model.vis])
        .min_by_key(|vis| width(vis))
        .unwrap_or(&model.vis)
}

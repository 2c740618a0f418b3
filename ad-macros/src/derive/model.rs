//! Reads the input of the derive: attributes, fields, and the bounds that the tangent type needs.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::visit_mut::{self, VisitMut};
use syn::{
    Attribute, Data, DeriveInput, Fields, Generics, Ident, Member, Meta, Path, Type, Visibility,
    parse_quote, parse_quote_spanned, spanned::Spanned,
};

use crate::diagnostics::{Errors, error};
use crate::paths;

use super::bounds::{add_bounds, mentions_generics};

/// A struct or an enum; a struct has one variant without a name.
pub(super) struct Model {
    /// The runtime's private module.
    pub(super) runtime: Path,
    pub(super) vis: Visibility,
    pub(super) ident: Ident,
    /// The tangent type's name.
    pub(super) tangent: Ident,
    /// The user's generics, with the bounds that the tangent type needs.
    pub(super) generics: Generics,
    pub(super) variants: Vec<Variant>,
    pub(super) is_enum: bool,
}

pub(super) struct Variant {
    /// `None` in a struct.
    pub(super) ident: Option<Ident>,
    pub(super) style: Style,
    pub(super) fields: Vec<Field>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Named,
    Tuple,
    Unit,
}

pub(super) struct Field {
    pub(super) vis: Visibility,
    pub(super) member: Member,
    /// The field's type, where `Self` has been spelt out.
    pub(super) ty: Type,
    /// Marked `#[constant]`.
    pub(super) constant: bool,
    /// The type of the tangent's field.
    pub(super) tangent: TokenStream,
}

impl Field {
    /// The field's name as users write it: `w`, `0`, without the `r#` of a raw identifier.
    pub(super) fn name(&self) -> String {
        match &self.member {
            Member::Named(ident) => ident.to_string().trim_start_matches("r#").to_owned(),
            Member::Unnamed(index) => index.index.to_string(),
        }
    }
}

impl Model {
    /// The only variant of a struct.
    pub(super) fn as_struct(&self) -> Option<&Variant> {
        (!self.is_enum).then(|| &self.variants[0])
    }

    /// All fields that have a tangent.
    pub(super) fn active_fields(&self) -> impl Iterator<Item = &Field> {
        self.variants
            .iter()
            .flat_map(|variant| &variant.fields)
            .filter(|field| !field.constant)
    }
}

/// The model, unless the input is no struct or enum, and all errors.
pub(super) fn build(input: DeriveInput) -> (Option<Model>, Option<syn::Error>) {
    let mut errors = Errors::default();
    let options = read_options(&input.attrs, &mut errors);
    let runtime = options
        .krate
        .as_ref()
        .map_or_else(paths::runtime_path, paths::private_module);
    let DeriveInput {
        vis,
        ident,
        generics,
        data,
        ..
    } = input;

    let (_, ty_generics, _) = generics.split_for_impl();
    let mut spell_out = SpellOutSelf(parse_quote!(#ident #ty_generics));
    let mut read = |fields| read_fields(fields, &generics, &runtime, &mut spell_out, &mut errors);
    let (variants, is_enum) = match data {
        Data::Struct(data) => {
            let (style, fields) = read(data.fields);
            (
                vec![Variant {
                    ident: None,
                    style,
                    fields,
                }],
                false,
            )
        }
        Data::Enum(data) => {
            let variants = data.variants.into_iter().map(|variant| {
                let (style, fields) = read(variant.fields);
                (
                    variant.attrs,
                    Variant {
                        ident: Some(variant.ident),
                        style,
                        fields,
                    },
                )
            });
            let (attrs, variants): (Vec<_>, Vec<_>) = variants.unzip();
            for attr in attrs
                .iter()
                .flatten()
                .filter(|attr| attr.path().is_ident("constant"))
            {
                errors.push(misplaced_constant(attr, "a variant"));
            }
            (variants, true)
        }
        Data::Union(data) => {
            errors.push(error(
                data.union_token.span(),
                "a union has no tangent",
                "use an enum, or keep the union in a field that is marked `#[constant]`",
            ));
            return (None, errors.finish(()).err());
        }
    };

    let mut model = Model {
        runtime,
        vis,
        tangent: options
            .name
            .unwrap_or_else(|| format_ident!("{}Tangent", ident)),
        ident,
        generics,
        variants,
        is_enum,
    };
    // The user's own `where` clause may say `Self`, which means another type in the impls for the tangent.
    spell_out.visit_generics_mut(&mut model.generics);
    add_bounds(&mut model);
    (Some(model), errors.finish(()).err())
}

/// What `#[tangent(...)]` on the type says.
#[derive(Default)]
struct Options {
    /// `crate = path`: where the facade is.
    krate: Option<Path>,
    /// `name = Ident`: what the tangent type is called.
    name: Option<Ident>,
}

fn read_options(attrs: &[Attribute], errors: &mut Errors) -> Options {
    let mut options = Options::default();
    for attr in attrs {
        if attr.path().is_ident("constant") {
            errors.push(misplaced_constant(attr, "a type"));
        }
        if !attr.path().is_ident("tangent") {
            continue;
        }
        let parsed = attr.parse_nested_meta(|meta| {
            if meta.path.is_ident("crate") && options.krate.is_none() {
                options.krate = Some(meta.value()?.parse()?);
            } else if meta.path.is_ident("name") && options.name.is_none() {
                options.name = Some(meta.value()?.parse()?);
            } else {
                let option = meta.path.to_token_stream().to_string();
                let problem = if option == "crate" || option == "name" {
                    "repeated"
                } else {
                    "unknown"
                };
                let message = format!("{problem} option `{option}` of `#[tangent(...)]`");
                return Err(error(
                    meta.path.span(),
                    message,
                    "write `name = MyTangent` or `crate = path`, each once",
                ));
            }
            Ok(())
        });
        errors.take(parsed);
    }
    options
}

fn misplaced_constant(attr: &Attribute, place: &str) -> syn::Error {
    error(
        attr.span(),
        format!("`#[constant]` on {place}"),
        "write it on each field that has no tangent",
    )
}

fn read_fields(
    fields: Fields,
    generics: &Generics,
    runtime: &Path,
    spell_out: &mut SpellOutSelf,
    errors: &mut Errors,
) -> (Style, Vec<Field>) {
    let style = match &fields {
        Fields::Named(_) => Style::Named,
        Fields::Unnamed(_) => Style::Tuple,
        Fields::Unit => Style::Unit,
    };
    let read = |(i, field): (usize, syn::Field)| {
        let constant = read_constant(&field.attrs, errors);
        let mut ty = field.ty;
        spell_out.visit_type_mut(&mut ty);
        // The span of the type, so that a type without tangents is reported there.
        let span = ty.span();
        let tangent = if !constant {
            let tan: Path = parse_quote_spanned!(span=> #runtime::Tan);
            quote!(#tan<#ty>)
        } else if mentions_generics(&ty, generics) {
            // A parameter that stands nowhere would be an error.
            quote!(#runtime::ConstantTangent<#ty>)
        } else {
            quote!(#runtime::NoTangent)
        };
        let member = field.ident.map_or_else(|| Member::from(i), Member::Named);
        Field {
            vis: field.vis,
            member,
            ty,
            constant,
            tangent,
        }
    };
    (style, fields.into_iter().enumerate().map(read).collect())
}

/// Whether a field is `#[constant]`. If the attribute is malformed it counts, too: that is what was meant.
fn read_constant(attrs: &[Attribute], errors: &mut Errors) -> bool {
    let mut constant = false;
    for attr in attrs {
        if attr.path().is_ident("tangent") {
            errors.push(error(
                attr.span(),
                "`#[tangent(...)]` on a field",
                "write it on the type",
            ));
        }
        if !attr.path().is_ident("constant") {
            continue;
        }
        if !matches!(attr.meta, Meta::Path(_)) {
            errors.push(error(
                attr.meta.span(),
                "`#[constant]` takes no arguments",
                "write `#[constant]`",
            ));
        } else if constant {
            errors.push(error(
                attr.span(),
                "`#[constant]` twice on one field",
                "write it once",
            ));
        }
        constant = true;
    }
    constant
}

/// Replaces `Self` by the type itself.
struct SpellOutSelf(Type);

impl VisitMut for SpellOutSelf {
    fn visit_type_mut(&mut self, ty: &mut Type) {
        match ty {
            Type::Path(path) if path.qself.is_none() && path.path.is_ident("Self") => {
                *ty = self.0.clone();
            }
            _ => visit_mut::visit_type_mut(self, ty),
        }
    }
}

/// A local of the emitted code, which no identifier of the user can be confused with.
pub(super) fn local(prefix: &str, i: usize) -> Ident {
    Ident::new(&format!("{prefix}_{i}"), Span::mixed_site())
}

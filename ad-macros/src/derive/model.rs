//! Reads the input of the derive: attributes, fields, and the bounds that the tangent type needs.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::visit_mut::{self, VisitMut};
use syn::{
    Attribute, Data, DeriveInput, Fields, Generics, Ident, Member, Meta, Path, Type, Visibility,
    parse_quote, spanned::Spanned,
};

use crate::diagnostics::{Errors, error};
use crate::enclosing::{FileTypes, Site, callees, file_types, missing_tangent};
use crate::paths;
use crate::types::keyed::refused_type;
use crate::unseen::Unseen;

use super::bounds::{add_bounds, mentions_generics};

/// A struct or an enum; a struct has one variant without a name.
pub(super) struct Model {
    /// The fields' types, as the file declares them.
    pub(super) types: FileTypes,
    /// The runtime's private module.
    pub(super) runtime: Path,
    pub(super) vis: Visibility,
    pub(super) ident: Ident,
    /// The tangent type's name.
    pub(super) tangent: Ident,
    /// The type is its own tangent.
    pub(super) own: bool,
    /// True if both types get a method `add_scaled`.
    pub(super) add_scaled: bool,
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
    /// Only rustc knows if the type has a tangent.
    pub(super) unseen: bool,
    /// Marked `#[constant]`, of a type of the file that holds no floats, or a `PhantomData` of a type that is its own tangent.
    pub(super) constant: bool,
    /// The type of the tangent's field.
    pub(super) tangent: TokenStream,
    /// The field's value in the tangent, if the field is constant.
    pub(super) absent: TokenStream,
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
    /// All fields that have a tangent.
    pub(super) fn active_fields(&self) -> impl Iterator<Item = &Field> {
        self.variants
            .iter()
            .flat_map(|variant| &variant.fields)
            .filter(|field| !field.constant)
    }

    /// A `match` on `matched`, which begins with `self`, with an arm for each variant.
    pub(super) fn match_on(&self, matched: &TokenStream, arms: &TokenStream) -> TokenStream {
        if self.variants.is_empty() {
            return quote!(match *self {});
        }
        quote!(match #matched { #arms })
    }
}

/// The model, unless the input is no struct or enum, and all errors.
pub(super) fn build(
    input: DeriveInput,
    site: Option<&Site>,
) -> (Option<Model>, Option<syn::Error>) {
    let tokens = input.to_token_stream();
    let mut errors = Errors::default();
    let options = read_options(&input.attrs, &mut errors);
    let runtime = options
        .krate
        .as_ref()
        .map_or_else(paths::runtime_path, paths::private_module);
    let types = file_types(site, &tokens, &runtime.to_token_stream());
    let DeriveInput {
        vis,
        ident,
        generics,
        data,
        ..
    } = input;

    let (_, ty_generics, _) = generics.split_for_impl();
    let mut spell_out = SpellOutSelf(parse_quote!(#ident #ty_generics));
    let unseen = Unseen::new(
        callees(site, &tokens),
        [&generics],
        runtime.to_token_stream(),
    );
    let own = options.own.is_some();
    let mut read = |fields| {
        read_fields(
            fields,
            own,
            &generics,
            (&types, &unseen),
            &runtime,
            &mut spell_out,
            &mut errors,
        )
    };
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
        types,
        runtime,
        vis,
        tangent: match (own, options.name) {
            (true, _) => ident.clone(),
            (false, Some(name)) => name,
            (false, None) => format_ident!("{}Tangent", ident),
        },
        own,
        add_scaled: options.no_add_scaled.is_none(),
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

/// The options of `#[tangent(...)]` on the type.
#[derive(Default)]
struct Options {
    /// `crate = path`: where the facade is.
    krate: Option<Path>,
    /// `name = Ident`: the name of the tangent type.
    name: Option<Ident>,
    /// `Self`: the type is its own tangent.
    own: Option<Span>,
    /// `no_add_scaled`: the user's type has a method of that name.
    no_add_scaled: Option<Span>,
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
            } else if meta.path.is_ident("Self") && options.own.is_none() {
                options.own = Some(meta.path.span());
            } else if meta.path.is_ident("no_add_scaled") && options.no_add_scaled.is_none() {
                options.no_add_scaled = Some(meta.path.span());
            } else {
                let option = meta.path.to_token_stream().to_string();
                let known = ["crate", "name", "Self", "no_add_scaled"].contains(&&*option);
                let problem = if known { "repeated" } else { "unknown" };
                let message = format!("{problem} option `{option}` of `#[tangent(...)]`");
                return Err(error(
                    meta.path.span(),
                    message,
                    "write `Self`, `name = MyTangent`, `no_add_scaled` or `crate = path`, each once",
                ));
            }
            Ok(())
        });
        errors.take(parsed);
    }
    if let (Some(span), Some(_)) = (options.own, &options.name) {
        errors.push(error(
            span,
            "a type that is its own tangent has no tangent type to name",
            "write `#[tangent(Self)]` or `#[tangent(name = MyTangent)]`",
        ));
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
    own: bool,
    generics: &Generics,
    (types, unseen): (&FileTypes, &Unseen),
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
        let marked = read_constant(&field.attrs, errors);
        if let (true, Some(attr)) = (own, marked) {
            errors.push(error(
                attr.span(),
                "`#[constant]` in a type that is its own tangent",
                "remove `#[tangent(Self)]`, so that the type gets a tangent type of its own",
            ));
        }
        let refused = refused_type(&field.ty).filter(|_| marked.is_none());
        if let Some((name, help)) = &refused {
            errors.push(error(
                field.ty.span(),
                format!("a `{name}` has no tangent"),
                format!("mark the field `#[constant]`; of differentiated values, {help}"),
            ));
        }
        let parameters: Vec<String> = generics
            .type_params()
            .map(|param| param.ident.to_string())
            .collect();
        let lacks = types.without_tangent(&field.ty, &parameters);
        let mut constant = marked.is_some() || refused.is_some() || own && is_phantom(&field.ty);
        if let (Some(name), false) = (lacks, constant) {
            constant = true;
            if own || !types.is_constant(&field.ty) {
                errors.push(missing_tangent(name, ", or `#[constant]` on the field"));
            }
        }
        let mut ty = field.ty;
        spell_out.visit_type_mut(&mut ty);
        let unseen = !constant && !own && unseen.check(&mut ty, "FieldType");
        // The span of the type, so that a type without tangents is reported there.
        let span = ty.span();
        let tangent = if own {
            quote!(#ty)
        } else if !constant {
            let tan = at(quote!(#runtime::Tan), span);
            quote_spanned!(span=> #tan<#ty>)
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
            unseen,
            constant,
            tangent,
            absent: if own {
                quote!(::core::marker::PhantomData)
            } else {
                quote!(#runtime::NoTangent)
            },
        }
    };
    (style, fields.into_iter().enumerate().map(read).collect())
}

/// Returns the `#[constant]` attribute of a field. A malformed one counts, too: the intent is clear.
fn read_constant<'a>(attrs: &'a [Attribute], errors: &mut Errors) -> Option<&'a Attribute> {
    let mut constant = None;
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
        } else if constant.is_some() {
            errors.push(error(
                attr.span(),
                "`#[constant]` twice on one field",
                "write it once",
            ));
        }
        constant = Some(attr);
    }
    constant
}

/// Returns `true` if a type is written as `PhantomData<..>`.
pub(super) fn is_phantom(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "PhantomData"))
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

/// The same tokens, at another place for messages.
pub(super) fn at(tokens: TokenStream, span: Span) -> TokenStream {
    let moved = tokens.into_iter().map(|mut token| {
        token.set_span(span);
        token
    });
    moved.collect()
}

/// A local of the emitted code, which no identifier of the user can be confused with.
pub(super) fn local(prefix: &str, i: usize) -> Ident {
    Ident::new(&format!("{prefix}_{i}"), Span::mixed_site())
}

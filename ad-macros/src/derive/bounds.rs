//! The bounds that a tangent type needs, from the types of the fields.

use crate::paths::ends_in;
use syn::visit::{self, Visit};
use syn::{
    GenericParam, Generics, Ident, Lifetime, Type, TypePath, TypeReference, WherePredicate,
    parse_quote,
};

use super::model::Model;

/// Adds `T: Differentiable` for each type parameter of which a tangent is needed, and the bounds that follow from references.
pub(super) fn add_bounds(model: &mut Model) {
    let runtime = &model.runtime;
    let mut found = Found {
        generics: &model.generics,
        bounded: Vec::new(),
        outlives: Vec::new(),
        lifetimes: Vec::new(),
    };
    for field in model.active_fields() {
        found.visit_type(&field.ty);
    }
    let Found {
        bounded, outlives, ..
    } = found;
    let mut predicates: Vec<WherePredicate> = Vec::new();
    for ty in bounded {
        predicates.push(if model.own {
            parse_quote!(#ty: #runtime::TangentValue)
        } else {
            parse_quote!(#ty: #runtime::Differentiable)
        });
    }
    if model.own && model.generics.type_params().next().is_some() {
        // The supertraits of tangents have to be required of the type itself: a parameter, such as that of a
        // `PhantomData`, may have no tangent.
        let (ident, (_, ty_generics, _)) = (&model.ident, model.generics.split_for_impl());
        predicates.push(parse_quote! {
            #ident #ty_generics: ::core::clone::Clone + ::core::fmt::Debug + ::core::cmp::PartialEq
                + ::core::marker::Send + ::core::marker::Sync
        });
    }
    for (param, lifetime) in outlives {
        predicates.push(parse_quote!(#param: #lifetime));
    }
    if !predicates.is_empty() {
        model
            .generics
            .make_where_clause()
            .predicates
            .extend(predicates);
    }
}

/// Bounds that the types of fields require.
struct Found<'a> {
    generics: &'a Generics,
    /// Type parameters, and associated types of them, whose tangents are needed.
    bounded: Vec<Type>,
    /// `T: 'a` for each `&'a T`. rustc infers that for the struct itself, but not through an associated type.
    outlives: Vec<(Ident, Lifetime)>,
    /// The references that the visitor is inside of.
    lifetimes: Vec<Lifetime>,
}

impl Found<'_> {
    fn is_parameter(&self, ident: &Ident) -> bool {
        self.generics
            .type_params()
            .any(|param| param.ident == *ident)
    }

    fn outlive(&mut self, ident: &Ident) {
        for lifetime in &self.lifetimes {
            let pair = (ident.clone(), lifetime.clone());
            if !self.outlives.contains(&pair) {
                self.outlives.push(pair);
            }
        }
    }

    fn bound(&mut self, ty: Type) {
        if !self.bounded.contains(&ty) {
            self.bounded.push(ty);
        }
    }
}

impl<'ast> Visit<'ast> for Found<'_> {
    fn visit_type_path(&mut self, path: &'ast TypePath) {
        let Some(first) = path.path.segments.first() else {
            return;
        };
        let is_phantom = ends_in(&path.path, "PhantomData");
        if is_phantom {
            return;
        }
        let of_parameter = path.path.leading_colon.is_none() && self.is_parameter(&first.ident);
        if path.qself.is_none() && of_parameter {
            self.outlive(&first.ident);
            self.bound(Type::Path(path.clone()));
        } else if path.qself.is_some()
            && mentions_generics(&Type::Path(path.clone()), self.generics)
        {
            self.bound(Type::Path(path.clone()));
        } else {
            visit::visit_type_path(self, path);
        }
    }

    fn visit_type_reference(&mut self, reference: &'ast TypeReference) {
        let depth = self.lifetimes.len();
        self.lifetimes.extend(reference.lifetime.clone());
        visit::visit_type_reference(self, reference);
        self.lifetimes.truncate(depth);
    }

    // Function pointers have no tangents, whatever they take.
    fn visit_type_fn_ptr(&mut self, _: &'ast syn::TypeFnPtr) {}
}

/// Returns `true` if a type mentions a parameter: a type, a lifetime or a constant.
pub(super) fn mentions_generics(ty: &Type, generics: &Generics) -> bool {
    struct Mentions<'a>(&'a Generics, bool);
    impl<'ast> Visit<'ast> for Mentions<'_> {
        fn visit_ident(&mut self, ident: &'ast Ident) {
            self.1 |= self.0.params.iter().any(|param| match param {
                GenericParam::Type(param) => param.ident == *ident,
                GenericParam::Const(param) => param.ident == *ident,
                GenericParam::Lifetime(param) => param.lifetime.ident == *ident,
            });
        }
    }
    let mut mentions = Mentions(generics, false);
    mentions.visit_type(ty);
    mentions.1
}

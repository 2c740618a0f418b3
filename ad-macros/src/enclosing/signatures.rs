//! Reads signatures: which have one type for each parameter, which results borrow, and which arguments are functions or iterators.
//!
//! In: a function's signature. Out: facts, and the signature without the parameters that can't be written in a `let`.

use syn::visit::Visit;
use syn::visit_mut::VisitMut;

use super::tokens::{has_any, lists, words_of};
use crate::paths::last_name;

/// An argument that is passed on as syntax.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SyntaxArgument {
    /// A function, which the body only calls.
    Function,
    /// An iterator, which the body consumes.
    Iterator,
}

/// True if a function is determined by its signature, for any arguments of one type each: there are no parameters of types, nor any of these words.
pub(super) fn is_monomorphic(sig: &syn::Signature, without: &[&str]) -> bool {
    let text = words_of(sig);
    sig.generics.params.is_empty()
        && sig.variadic.is_none()
        && !has_any(&text, &["unsafe", "async", "extern", "impl", "where"])
        && !has_any(&text, without)
}

/// True if a free function is determined by its signature.
pub(super) fn is_plain(sig: &syn::Signature) -> bool {
    is_monomorphic(sig, &["self"])
}

/// True if a free function is determined by its signature and what a call hands over: it has parameters of types, lengths or functions, or lifetimes.
pub(super) fn is_generic(sig: &syn::Signature) -> bool {
    let text = words_of(sig);
    sig.variadic.is_none()
        && !has_any(&text, &["unsafe", "async", "extern", "self"])
        && !words_of(&sig.output).contains("impl")
        && !is_plain(sig)
}

/// True if a receiver is `self`, `&self` or `&mut self`.
pub(super) fn is_plain_receiver(receiver: &syn::Receiver) -> bool {
    use syn::ReceiverKind::{Reference, Value};
    matches!(receiver.kind, Value | Reference(_, None, _))
}

/// True if a function's result borrows from its arguments, or has a type without a name.
pub(crate) fn borrows_from_arguments(sig: &syn::Signature) -> bool {
    #[derive(Default)]
    struct Borrows(bool);
    impl<'ast> Visit<'ast> for Borrows {
        fn visit_type_reference(&mut self, ty: &'ast syn::TypeReference) {
            let lifetime = ty.lifetime.as_ref();
            let is_text = matches!(&*ty.elem, syn::Type::Path(path) if path.path.is_ident("str"));
            self.0 |= !is_text && lifetime.is_none_or(|lifetime| lifetime.ident != "static");
        }

        // Errors have no tangents, and may borrow.
        fn visit_path_segment(&mut self, segment: &'ast syn::PathSegment) {
            match &segment.arguments {
                syn::PathArguments::AngleBracketed(args) if segment.ident == "Result" => {
                    let value = args.args.iter().take(1);
                    value.for_each(|value| self.visit_generic_argument(value));
                }
                _ => syn::visit::visit_path_segment(self, segment),
            }
        }

        fn visit_type_path(&mut self, ty: &'ast syn::TypePath) {
            self.0 |= is_iterator_of_std(ty);
            syn::visit::visit_type_path(self, ty);
        }

        fn visit_type_impl_trait(&mut self, _: &'ast syn::TypeImplTrait) {
            self.0 = true;
        }

        fn visit_parenthesized_generic_arguments(
            &mut self,
            _: &'ast syn::ParenthesizedGenericArguments,
        ) {
            self.0 = true;
        }
    }
    let mut borrows = Borrows::default();
    borrows.visit_return_type(&sig.output);
    borrows.0
}

/// The parameters of a function that are functions, `impl Fn(..)`, `&dyn Fn(..)`, or of a type that is one; and iterators by value.
pub(super) struct SyntaxParams {
    /// The name of each parameter that is one.
    pub(super) params: Vec<Option<(syn::Ident, SyntaxArgument)>>,
    /// Type parameters that are functions or iterators.
    types: Vec<syn::Ident>,
}

impl SyntaxParams {
    pub(super) fn of(sig: &syn::Signature) -> Self {
        let of_where = |predicate| match predicate {
            &syn::WherePredicate::Type(syn::PredicateType {
                bounded_ty: syn::Type::Path(ref of),
                ref bounds,
                ..
            }) => Some((of.path.get_ident()?, bounds)),
            _ => None,
        };
        let clause = sig.generics.where_clause.iter();
        let predicates = clause.flat_map(|clause| &clause.predicates);
        let params = sig.generics.type_params();
        let params = params.map(|param| (&param.ident, &param.bounds));
        let bounded = params.chain(predicates.filter_map(of_where));
        let types = bounded.filter_map(|(name, bounds)| {
            let kind = bounds.iter().find_map(kind_of)?;
            Some((name.clone(), kind))
        });
        let types: Vec<(syn::Ident, SyntaxArgument)> = types.collect();
        let of_type = |ty: &syn::Type| match ty {
            syn::Type::ImplTrait(ty) => ty.bounds.iter().find_map(kind_of),
            syn::Type::TraitObject(ty) => ty.bounds.iter().find_map(kind_of),
            syn::Type::Path(path) => types
                .iter()
                .find_map(|(name, kind)| path.path.is_ident(name).then_some(*kind)),
            _ => None,
        };
        let params = sig.inputs.iter().map(|param| {
            let syn::FnArg::Typed(param) = param else {
                return None;
            };
            let kind = of_type(behind_reference(&param.ty))?;
            let borrowed = kind == SyntaxArgument::Iterator && of_type(&param.ty).is_none();
            match &*param.pat {
                syn::Pat::Ident(pat) if !borrowed => Some((pat.ident.clone(), kind)),
                _ => None,
            }
        });
        let params = params.collect();
        let types = types.into_iter().map(|(name, _)| name).collect();
        SyntaxParams { params, types }
    }

    pub(super) fn any_is(&self, kind: SyntaxArgument) -> bool {
        let mut params = self.params.iter().flatten();
        params.any(|(_, param)| *param == kind)
    }

    /// The signature without them.
    pub(super) fn left_out(&self, sig: &syn::Signature) -> syn::Signature {
        let mut sig = sig.clone();
        let others = std::mem::take(&mut sig.inputs)
            .into_iter()
            .zip(&self.params);
        sig.inputs = others
            .filter(|(_, function)| function.is_none())
            .map(|(param, _)| param)
            .collect();
        let other = |param: &syn::GenericParam| !matches!(param, syn::GenericParam::Type(param) if self.types.contains(&param.ident));
        let params = std::mem::take(&mut sig.generics.params);
        sig.generics.params = params.into_iter().filter(other).collect();
        if sig.generics.params.is_empty() {
            sig.generics.where_clause = None;
        }
        sig
    }
}

/// The kind of a parameter whose type has a bound such as `Fn(..)` or `Iterator<Item = f64>`.
fn kind_of(bound: &syn::TypeParamBound) -> Option<SyntaxArgument> {
    let syn::TypeParamBound::Trait(bound) = bound else {
        return None;
    };
    match last_name(&bound.path)?.as_str() {
        "Fn" => Some(SyntaxArgument::Function),
        "Iterator" | "IntoIterator" | "ExactSizeIterator" | "DoubleEndedIterator" => {
            Some(SyntaxArgument::Iterator)
        }
        _ => None,
    }
}

/// The type behind shared references.
pub(super) fn behind_reference(ty: &syn::Type) -> &syn::Type {
    match ty {
        syn::Type::Reference(ty) if ty.mutability.is_none() => behind_reference(&ty.elem),
        syn::Type::Paren(ty) => behind_reference(&ty.elem),
        ty => ty,
    }
}

/// A signature without lifetimes and type parameters, and without a result that has no name.
pub(super) fn without_lifetimes(sig: &syn::Signature) -> syn::Signature {
    let mut sig = sig.clone();
    let mut anonymous = Anonymous::default();
    let types = sig.generics.type_params();
    anonymous
        .params
        .extend(types.map(|param| param.ident.clone()));
    sig.generics.where_clause = None;
    let params = std::mem::take(&mut sig.generics.params);
    let others = params.into_iter();
    let others = others.filter(|param| matches!(param, syn::GenericParam::Const(_)));
    sig.generics.params = others.collect();
    anonymous.visit_return_type_mut(&mut sig.output);
    if anonymous.unnamed {
        sig.output = syn::ReturnType::Default;
    }
    let inputs = sig.inputs.iter_mut();
    inputs.for_each(|input| anonymous.visit_fn_arg_mut(input));
    sig
}

/// True for an iterator of std by its path: `std::slice::Iter<'_, f64>`.
pub(crate) fn is_iterator_of_std(ty: &syn::TypePath) -> bool {
    let mut names = ty.path.segments.iter().rev().map(|segment| &segment.ident);
    let (last, module) = (names.next(), names.next());
    last.is_some_and(|last| !lists(NO_ITERATORS, &last.to_string()))
        && module.is_some_and(|module| lists(OF_ITERATORS, &module.to_string()))
}

/// Modules of std whose types are iterators, and the others in these.
const OF_ITERATORS: &str = "iter slice vec_deque";
const NO_ITERATORS: &str = "VecDeque";

/// Leaves lifetimes and parameters of types to rustc.
#[derive(Default)]
struct Anonymous {
    params: Vec<syn::Ident>,
    /// There was a type that `let` can't say.
    unnamed: bool,
}

impl VisitMut for Anonymous {
    fn visit_type_mut(&mut self, ty: &mut syn::Type) {
        match ty {
            syn::Type::Path(path) if self.params.iter().any(|param| path.path.is_ident(param)) => {
                *ty = syn::parse_quote!(_);
            }
            syn::Type::Path(path) if is_iterator_of_std(path) => self.unnamed = true,
            ty => syn::visit_mut::visit_type_mut(self, ty),
        }
    }

    fn visit_type_impl_trait_mut(&mut self, _: &mut syn::TypeImplTrait) {
        self.unnamed = true;
    }

    fn visit_parenthesized_generic_arguments_mut(
        &mut self,
        _: &mut syn::ParenthesizedGenericArguments,
    ) {
        self.unnamed = true;
    }

    fn visit_lifetime_mut(&mut self, lifetime: &mut syn::Lifetime) {
        if lifetime.ident != "static" {
            lifetime.ident = syn::Ident::new("_", lifetime.ident.span());
        }
    }

    fn visit_fn_arg_mut(&mut self, arg: &mut syn::FnArg) {
        if let syn::FnArg::Typed(arg) = arg {
            arg.attrs.clear();
        }
        syn::visit_mut::visit_fn_arg_mut(self, arg);
    }
}

//! Types of other crates in signatures. Only rustc knows if they have a tangent, and would say in many places that they have none.
//!
//! In: a function whose signature has such types. Out: the same, with each of them behind a check, see the runtime's module of this name: one
//! error for one type, and none about its uses.

use std::cell::RefCell;

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::spanned::Spanned as _;

use crate::enclosing::Callees;
use crate::ir::{Func, OpKind};
use crate::options::Options;
use crate::syntax::parameter_names;
use crate::types::written;

/// Types of std that hold a value of their first parameter's type.
const CONTAINERS: [&str; 7] = ["Arc", "Box", "Option", "Rc", "Result", "Vec", "VecDeque"];

/// Types of std that the compiler knows by name.
const KNOWN: &str =
    "Ordering PhantomData Range RangeFrom RangeInclusive RangeTo Reverse Saturating Wrapping";

/// Checks the types of the parameters and of the result of a function with these generics, in an `impl` with the parameters `outer`.
pub(crate) fn checked(
    mut func: Func,
    options: &Options,
    generics: [Option<&syn::Generics>; 2],
    outer: &[syn::GenericArgument],
) -> Func {
    let generics = generics.into_iter().flatten();
    let mut unseen = Unseen::new(options.callees.clone(), generics, options.runtime());
    let outer = outer.iter();
    let outer = outer.map(|argument| quote!(#argument).to_string());
    unseen.parameters.extend(outer);
    for param in &mut func.params {
        if !param.constant && !param.receiver && !param.captured && param.function.is_none() {
            unseen.check(&mut param.ty, "ParameterType");
        }
    }
    unseen.check(&mut func.output, "ResultType");
    let found = unseen.found.take();
    if !found.is_empty() {
        func.body.walk_mut(&mut |op| {
            if let OpKind::Struct { path, checked, .. } = &mut op.kind {
                let mut found = found.iter();
                *checked = (found.find(|(of, _)| of == path)).map(|(_, ty)| Box::new(ty.clone()));
            }
        });
    }
    func
}

/// Tells which types are of another crate.
pub(crate) struct Unseen {
    callees: Callees,
    /// Names of type parameters.
    parameters: Vec<String>,
    rt: TokenStream,
    /// The types that were found, and their replacements.
    found: RefCell<Vec<(syn::Path, syn::Type)>>,
}

impl Unseen {
    pub(crate) fn new<'g>(
        callees: Callees,
        generics: impl IntoIterator<Item = &'g syn::Generics>,
        rt: TokenStream,
    ) -> Unseen {
        let parameters = generics.into_iter().flat_map(parameter_names);
        let parameters = parameters.map(ToString::to_string).collect();
        Unseen {
            callees,
            parameters,
            rt,
            found: RefCell::default(),
        }
    }

    /// Checks the types that are differentiated where a value of this type is. True if there are some. `kind` is the trait of the runtime
    /// for the use of such a type.
    pub(crate) fn check(&self, ty: &mut syn::Type, kind: &str) -> bool {
        match ty {
            syn::Type::Group(inner) => self.check(&mut inner.elem, kind),
            syn::Type::Paren(inner) => self.check(&mut inner.elem, kind),
            syn::Type::Reference(inner) => self.check(&mut inner.elem, kind),
            syn::Type::Slice(inner) => self.check(&mut inner.elem, kind),
            syn::Type::Array(inner) => self.check(&mut inner.elem, kind),
            syn::Type::Tuple(inner) => {
                let mut any = false;
                for ty in &mut inner.elems {
                    any |= self.check(ty, kind);
                }
                any
            }
            syn::Type::Path(path) if path.qself.is_none() => {
                if self.is_unseen(&path.path) && self.is_plain(&quote!(#path)) {
                    let (rt, span) = (&self.rt, path.span());
                    let kind = Ident::new(kind, span);
                    let checked: syn::Type = syn::parse_quote_spanned! {span=>
                        <#path as #rt::unseen::IsChecked<{ <#path as #rt::unseen::#kind>::CHECKED }>>::Type
                    };
                    let mut found = self.found.borrow_mut();
                    found.push((path.path.clone(), checked.clone()));
                    *ty = checked;
                    return true;
                }
                let Some(last) = path.path.segments.last_mut() else {
                    return false;
                };
                let is_container = CONTAINERS.iter().any(|name| last.ident == name);
                match &mut last.arguments {
                    syn::PathArguments::AngleBracketed(args) if is_container => {
                        match args.args.first_mut() {
                            Some(syn::GenericArgument::Type(ty)) => self.check(ty, kind),
                            _ => false,
                        }
                    }
                    _ => false,
                }
            }
            _ => false,
        }
    }

    fn is_unseen(&self, path: &syn::Path) -> bool {
        let last = path.segments.last().map(|last| last.ident.to_string());
        let is_known = last.is_some_and(|name| {
            written::is_of_std(&name) || KNOWN.split(' ').any(|known| known == name)
        });
        !is_known && self.callees.is_of_unknown_crate(path)
    }

    /// True if a constant may name the type: it mentions no parameters and no lifetimes.
    fn is_plain(&self, ty: &TokenStream) -> bool {
        let mut words = std::collections::HashSet::new();
        crate::enclosing::words(ty.clone(), &mut words);
        !ty.to_string().contains('\'')
            && !words.contains("_")
            && !words.contains("impl")
            && !words.contains("Self")
            && !self.parameters.iter().any(|name| words.contains(name))
    }
}

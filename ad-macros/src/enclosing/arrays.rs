//! Finds the names of a module that refer to types, functions and macros of a library with arrays, from the file's imports.
//!
//! In: the [`Callees`] of a module, and a path or type. Out: elements and axes, as far as the type says that.

use crate::syntax::{type_arguments, type_path};
use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::spanned::Spanned;

use super::Callees;
use super::tokens::lists;
use crate::paths::last_name;

/// The elements of a type, and how many axes it has, if they are known.
type Elements<'t> = (Option<&'t syn::Type>, Option<usize>);

/// The functions of `ndarray` that the runtime has rules for.
const FUNCTIONS: &str =
    "__like arr1 arr2 arr3 concatenate general_mat_mul general_mat_vec_mul stack";

/// True if a type is called as one of arrays is; how many axes it has, if the name tells.
fn is_array(name: &str) -> Option<Option<usize>> {
    let rest = match name {
        "CowArray" | "ArcArray" => "",
        name => name.strip_prefix("Array")?,
    };
    let rest = ["ViewMut", "View", "Ref", "Base"]
        .iter()
        .find_map(|form| rest.strip_prefix(form))
        .unwrap_or(rest);
    match rest {
        "" | "D" => Some(None),
        digits => digits.parse().ok().map(Some),
    }
}

/// The modules of the runtime that name arrays behind parameters which are views, or references to views.
const VIEWS: [&str; 2] = ["by_value", "by_reference"];

/// The view whose parameter [`Callees::with_references`] changes to a reference to this type, and whether the parameter is a view by value:
/// `ArrayView1<'_, f64>` for `by_value::ArrayRef1<f64>`.
pub(crate) fn view_behind(behind: &syn::Type) -> Option<(syn::Type, bool)> {
    let path = type_path(behind)?;
    let mut view = path.clone();
    let mut segments = view.path.segments.iter_mut().rev();
    let (last, module) = (segments.next()?, segments.next()?);
    let k = VIEWS.iter().position(|name| module.ident == name)?;
    let name = last.ident.to_string().replace("Ref", "View");
    last.ident = syn::Ident::new(&name, last.ident.span());
    if let syn::PathArguments::AngleBracketed(args) = &mut last.arguments {
        args.args.insert(0, syn::parse_quote!('_));
    }
    Some((syn::Type::Path(view), k == 0))
}

/// The statements by which the body of a function gets its views.
///
/// ```text
/// Input:  x: &by_value::ArrayRef1<f64>, y: &by_reference::ArrayRef1<f64>
/// Output: let x = x.view();  let y = &y.view();
/// ```
pub(crate) fn views(sig: &syn::Signature) -> Vec<syn::Stmt> {
    let views = sig.inputs.iter().filter_map(|input| {
        let syn::FnArg::Typed(param) = input else {
            return None;
        };
        let (syn::Type::Reference(ty), syn::Pat::Ident(pat)) = (&*param.ty, &*param.pat) else {
            return None;
        };
        let (_, by_value) = view_behind(&ty.elem)?;
        let (name, reference) = (&pat.ident, (!by_value).then(|| quote!(&)));
        Some(syn::parse_quote_spanned!(name.span()=> let #pat = #reference #name.view();))
    });
    views.collect()
}

impl Callees {
    /// The parameters with references to arrays in place of shared views, which are passed to pullbacks again.
    ///
    /// ```text
    /// Input:  x: ArrayView1<f64>, y: &ArrayView1<f64>
    /// Output: x: &by_value::ArrayRef1<f64>, y: &by_reference::ArrayRef1<f64>
    /// ```
    pub(crate) fn with_references(
        &self,
        sig: &syn::Signature,
        runtime: &TokenStream,
    ) -> syn::Signature {
        let mut sig = sig.clone();
        for input in &mut sig.inputs {
            let syn::FnArg::Typed(param) = input else {
                continue;
            };
            let (ty, module) = match crate::types::written::ungrouped(&param.ty) {
                syn::Type::Reference(reference) if reference.mutability.is_none() => {
                    (&*reference.elem, VIEWS[1])
                }
                ty => (ty, VIEWS[0]),
            };
            let Some(behind) = self.behind_view(ty) else {
                continue;
            };
            let (module, span) = (syn::Ident::new(module, Span::call_site()), param.ty.span());
            *param.ty =
                syn::parse_quote_spanned!(span=> &#runtime::libraries::ndarray::#module::#behind);
        }
        sig
    }

    /// `ArrayRef1<f64>` of `ArrayView1<'_, f64>`.
    fn behind_view(&self, ty: &syn::Type) -> Option<syn::PathSegment> {
        self.array(ty)?;
        let path = type_path(crate::types::written::ungrouped(ty))?;
        let mut last = path.path.segments.last()?.clone();
        let axes = last.ident.to_string();
        let axes = axes.strip_prefix("ArrayView")?;
        if axes.starts_with("Mut") {
            return None;
        }
        last.ident = syn::Ident::new(&format!("ArrayRef{axes}"), last.ident.span());
        let types = type_arguments(&last);
        let types: syn::PathArguments =
            syn::PathArguments::AngleBracketed(syn::parse_quote!(<#(#types),*>));
        last.arguments = types;
        Some(last)
    }

    /// The parameters with `'_` where a type that borrows is written without its lifetimes.
    pub(crate) fn with_lifetimes(&self, sig: &syn::Signature) -> syn::Signature {
        struct Insert<'a>(&'a Callees);
        impl syn::visit_mut::VisitMut for Insert<'_> {
            fn visit_type_path_mut(&mut self, ty: &mut syn::TypePath) {
                syn::visit_mut::visit_type_path_mut(self, ty);
                let (Some(count), Some(last)) =
                    (self.0.lifetimes(&ty.path), ty.path.segments.last_mut())
                else {
                    return;
                };
                let mut lifetime = syn::Lifetime::new("'_", last.ident.span());
                lifetime.apostrophe = last.ident.span();
                let mut args: Vec<_> = vec![syn::GenericArgument::Lifetime(lifetime); count];
                match &last.arguments {
                    syn::PathArguments::None => {}
                    syn::PathArguments::AngleBracketed(written) => {
                        args.extend(written.args.iter().cloned());
                    }
                    syn::PathArguments::Parenthesized(_) => return,
                }
                let is_lifetime =
                    |arg: &syn::GenericArgument| matches!(arg, syn::GenericArgument::Lifetime(_));
                if !args[count..].iter().any(is_lifetime) {
                    last.arguments =
                        syn::PathArguments::AngleBracketed(syn::parse_quote!(<#(#args),*>));
                }
            }
        }
        let mut sig = sig.clone();
        for input in &mut sig.inputs {
            if let syn::FnArg::Typed(param) = input {
                syn::visit_mut::VisitMut::visit_type_mut(&mut Insert(self), &mut param.ty);
            }
        }
        sig
    }

    /// How many lifetimes a type has.
    fn lifetimes(&self, path: &syn::Path) -> Option<usize> {
        let last = last_name(path)?;
        if path.segments.len() == 1
            && let Some(count) = self.borrowing.get(&last)
        {
            return Some(*count);
        }
        (self.is_of_arrays(path) && last.starts_with("ArrayView")).then_some(1)
    }

    /// True if a path leads into the library with arrays, by the file's imports; `by_glob`: by its first name, if that may come by `*`.
    fn leads_to_arrays(&self, path: &syn::Path, by_glob: impl Fn(&str) -> bool) -> bool {
        let Some(first) = path.segments.first() else {
            return false;
        };
        // The runtime's own path.
        let is_library = |segment: &syn::PathSegment| segment.ident == "ndarray";
        if path.segments.iter().rev().skip(1).take(2).any(is_library) {
            return true;
        }
        let first = first.ident.to_string();
        match self.imports.get(&first) {
            Some(root) => root == "ndarray",
            None => self.arrays && by_glob(&first),
        }
    }

    /// True if a path names a type of the library with arrays, or a function of one.
    fn is_of_arrays(&self, path: &syn::Path) -> bool {
        self.leads_to_arrays(path, |first| is_array(first).is_some())
    }

    /// The elements of a type of arrays, and how many axes it has, as far as the type says that.
    pub(crate) fn array<'t>(&self, ty: &'t syn::Type) -> Option<Elements<'t>> {
        match crate::types::written::ungrouped(ty) {
            syn::Type::Path(path) if path.qself.is_none() => self.array_by_path(&path.path),
            _ => None,
        }
    }

    /// True for a type of arrays that own their elements.
    pub(crate) fn is_owned_array(&self, ty: &syn::Type) -> bool {
        let is_view = |(name, _): (String, _)| name.contains("View") || name == "CowArray";
        self.array(ty).is_some() && !crate::types::written::generic(ty).is_some_and(is_view)
    }

    fn array_by_path<'t>(&self, path: &'t syn::Path) -> Option<Elements<'t>> {
        let last = path.segments.last()?;
        let rank = is_array(&last.ident.to_string())?;
        if !self.is_of_arrays(path) {
            return None;
        }
        let types = type_arguments(last);
        let by_type = types.get(1).and_then(|dim| match dim {
            syn::Type::Path(path) => {
                let name = last_name(&path.path)?;
                name.strip_prefix("Ix")?.parse().ok()
            }
            _ => None,
        });
        Some((types.first().copied(), rank.or(by_type)))
    }

    /// The function that a path names, if it makes arrays; their elements and axes, as far as the path says that.
    pub(crate) fn made_array<'p>(
        &self,
        path: &'p syn::ExprPath,
    ) -> Option<(String, Option<&'p syn::Type>, Option<usize>)> {
        let mut segments = path.path.segments.iter().rev();
        let (last, before) = (segments.next()?, segments.next());
        let name = last.ident.to_string();
        if let Some(syn::Type::Path(of)) = path.qself.as_ref().map(|qself| &*qself.ty) {
            let (elem, rank) = self.array_by_path(&of.path)?;
            return Some((name, elem, rank));
        }
        if let Some(before) = before
            && let Some(rank) = is_array(&before.ident.to_string())
        {
            let elem = type_arguments(before).first().copied();
            return (self.is_of_arrays(&path.path)).then_some((name, elem, rank));
        }
        let rank = match name.as_str() {
            "arr1" | "arr2" | "arr3" => name.strip_prefix("arr")?.parse().ok(),
            "__like" | "stack" | "concatenate" => None,
            _ => return None,
        };
        (self.array_function(&path.path)).then_some((name, None, rank))
    }

    /// True if the module uses a library with arrays.
    pub(crate) fn uses_arrays(&self) -> bool {
        self.arrays || self.imports.values().any(|root| root == "ndarray")
    }

    /// True if the module imports a macro of the library with arrays by its name.
    pub(crate) fn imports_array_macro(&self, name: &syn::Ident) -> bool {
        let root = self.imports.get(&name.to_string());
        root.is_some_and(|root| root == "ndarray")
    }

    /// True if a path names a macro of the library with arrays.
    pub(crate) fn array_macro(&self, path: &syn::Path) -> bool {
        self.leads_to_arrays(path, |_| path.segments.len() == 1)
    }

    /// True if a path names a function of the library with arrays that the runtime has rules for.
    pub(crate) fn array_function(&self, path: &syn::Path) -> bool {
        let last = last_name(path);
        last.is_some_and(|last| lists(FUNCTIONS, &last))
            && self.leads_to_arrays(path, |_| path.segments.len() == 1)
    }
}

//! Finds the names of a module that refer to types, functions and macros of a library with arrays, from the file's imports.
//!
//! In: the [`Callees`] of a module, and a path or type. Out: elements and axes, as far as the type says that.

use super::Callees;
use super::signatures::type_arguments;
use super::tokens::lists;

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

impl Callees {
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
        let last = path.segments.last()?.ident.to_string();
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
        let first = first.ident.to_string();
        match self.imports.get(&first) {
            Some(root) => root == "ndarray",
            None if path.segments.len() > 1 && first == "ndarray" => true,
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

    fn array_by_path<'t>(&self, path: &'t syn::Path) -> Option<Elements<'t>> {
        let last = path.segments.last()?;
        let rank = is_array(&last.ident.to_string())?;
        if !self.is_of_arrays(path) {
            return None;
        }
        let types = type_arguments(last);
        let by_type = types.get(1).and_then(|dim| match dim {
            syn::Type::Path(path) => {
                let name = path.path.segments.last()?.ident.to_string();
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
        let last = path.segments.last().map(|last| last.ident.to_string());
        last.is_some_and(|last| lists(FUNCTIONS, &last))
            && self.leads_to_arrays(path, |_| path.segments.len() == 1)
    }
}

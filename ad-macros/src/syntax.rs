//! Parts of syntax trees that several stages look for.

use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use syn::visit::Visit;
use syn::visit_mut::VisitMut;
use syn::{Expr, Type};

/// A method call, if an expression is one.
pub(crate) fn method_call(expr: &Expr) -> Option<&syn::ExprMethodCall> {
    match expr {
        Expr::MethodCall(call) => Some(call),
        _ => None,
    }
}

/// A path, if an expression is one.
pub(crate) fn path_of(expr: &Expr) -> Option<&syn::ExprPath> {
    match expr {
        Expr::Path(path) => Some(path),
        _ => None,
    }
}

/// A closure, if an expression is one.
pub(crate) fn closure_of(expr: &Expr) -> Option<&syn::ExprClosure> {
    match expr {
        Expr::Closure(closure) => Some(closure),
        _ => None,
    }
}

/// A path, if a type is one.
pub(crate) fn type_path(ty: &Type) -> Option<&syn::TypePath> {
    match ty {
        Type::Path(path) => Some(path),
        _ => None,
    }
}

/// The types among the arguments of a path's segment.
pub(crate) fn type_arguments(segment: &syn::PathSegment) -> Vec<&Type> {
    let syn::PathArguments::AngleBracketed(args) = &segment.arguments else {
        return Vec::new();
    };
    let types = args.args.iter().filter_map(|arg| match arg {
        syn::GenericArgument::Type(ty) => Some(ty),
        _ => None,
    });
    types.collect()
}

/// The parameters of a function that have types: all but the receiver.
pub(crate) fn typed_params(sig: &syn::Signature) -> impl Iterator<Item = &syn::PatType> {
    sig.inputs.iter().filter_map(|input| match input {
        syn::FnArg::Typed(param) => Some(param),
        syn::FnArg::Receiver(_) => None,
    })
}

/// The names of parameters that are types or constants.
pub(crate) fn parameter_names(generics: &syn::Generics) -> impl Iterator<Item = &syn::Ident> {
    generics.params.iter().filter_map(|param| match param {
        syn::GenericParam::Type(param) => Some(&param.ident),
        syn::GenericParam::Const(param) => Some(&param.ident),
        syn::GenericParam::Lifetime(_) => None,
    })
}

/// The methods of an `impl`.
pub(crate) fn methods(block: &syn::ItemImpl) -> impl Iterator<Item = &syn::ImplItemFn> {
    block.items.iter().filter_map(|item| match item {
        syn::ImplItem::Fn(method) => Some(method),
        _ => None,
    })
}

/// An associated type of an `impl`.
pub(crate) fn associated_type<'b>(block: &'b syn::ItemImpl, name: &str) -> Option<&'b syn::Type> {
    block.items.iter().find_map(|item| match item {
        syn::ImplItem::Type(item) if item.ident == name => Some(&item.ty),
        _ => None,
    })
}

/// Calls a function on every expression, from the outside in; those of items are left out.
pub(crate) struct EachExpr<F>(pub(crate) F);

impl<'ast, F: FnMut(&'ast Expr)> Visit<'ast> for EachExpr<F> {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        (self.0)(expr);
        syn::visit::visit_expr(self, expr);
    }

    fn visit_item(&mut self, _: &'ast syn::Item) {}
}

/// Puts other types in place of those that are paths, where there is one.
pub(crate) struct ReplaceTypes<F>(pub(crate) F);

impl<F: FnMut(&syn::Path) -> Option<Type>> VisitMut for ReplaceTypes<F> {
    fn visit_type_mut(&mut self, ty: &mut Type) {
        let path = type_path(ty).filter(|ty| ty.qself.is_none());
        match path.and_then(|ty| (self.0)(&ty.path)) {
            Some(new) => *ty = new,
            None => syn::visit_mut::visit_type_mut(self, ty),
        }
    }
}

/// Names a type in place of `Self`.
pub(crate) fn without_self(own: &Type) -> impl VisitMut {
    ReplaceTypes(|path: &syn::Path| path.is_ident("Self").then(|| own.clone()))
}

/// Tokens with other tokens in place of some of them, inside of groups as well.
pub(crate) fn map_tokens(tokens: TokenStream, f: &dyn Fn(TokenTree) -> TokenTree) -> TokenStream {
    let map = |tree| match tree {
        TokenTree::Group(group) => {
            let mut inner = Group::new(group.delimiter(), map_tokens(group.stream(), f));
            inner.set_span(group.span());
            f(TokenTree::Group(inner))
        }
        tree => f(tree),
    };
    tokens.into_iter().map(map).collect()
}

/// Tokens with another name in place of one.
pub(crate) fn renamed(tokens: TokenStream, from: &str, to: &str) -> TokenStream {
    map_tokens(tokens, &|tree| match tree {
        TokenTree::Ident(name) if name == from => Ident::new(to, name.span()).into(),
        tree => tree,
    })
}

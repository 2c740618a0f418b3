//! The types of what parallel chains use.
//!
//! Input: a function. Output: the function with sequential chains, with a variable for each list, each captured variable and each result, and its types.

use std::cell::RefCell;

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{format_ident, quote};
use syn::{Block, Expr};

use super::syntax::{Chain, Kind, names_bound_in, range_names, replace};
use crate::diagnostics::{Whole, error};
use crate::enclosing::any_token;
use crate::entry::source::Source;
use crate::hir::{self, Func};
use crate::options::Options;
use crate::types::{self, Type, Types};

/// The function with sequential chains, and its types.
pub(super) struct Probed {
    func: Func,
    types: Types,
    /// The names that the function binds.
    pub(super) bound: Vec<String>,
}

impl Probed {
    /// The type of the variable that stands for something in a chain.
    pub(super) fn ty(&self, name: &Ident) -> Type {
        let found = self.func.vars.iter().position(|var| var.ident == *name);
        found.map_or(Type::Deferred, |k| {
            self.types.var(hir::Var(hir::index(k))).clone()
        })
    }

    /// The parameter that this variable stands for, or for a part of.
    pub(super) fn param(&self, name: &Ident) -> Option<&hir::Param> {
        let mut root = None;
        self.func.body.each_block(&mut |block| {
            for stmt in &block.stmts {
                if let hir::Stmt::Let(binding) = stmt
                    && let hir::Pat::Bind { var, .. } = binding.pat
                    && self.func.var(var).ident == *name
                {
                    root = binding.init.as_ref().and_then(hir::Expr::root);
                }
            }
        });
        let mut params = self.func.params.iter();
        params.find(|param| match param.pat {
            hir::Pat::Bind { var, .. } => Some(var) == root,
            _ => false,
        })
    }
}

/// The variable that has the type of something in a chain.
pub(super) fn probe_name(chain: usize, what: &str) -> Ident {
    format_ident!("__probe_{chain}_{what}")
}

/// How many parallel chains there are around a function's body.
pub(super) fn level(source: &Source<'_>) -> usize {
    source.sig.ident.to_string().matches("__block_").count()
}

/// Finds the types of what the chains of a function use.
pub(super) fn probed(options: &Options, source: &Source<'_>) -> syn::Result<Probed> {
    let bound = bound_in(source);
    let mut block = source.block.clone();
    let mut k = 0;
    replace(&mut block, level(source), &mut |chain| {
        k += 1;
        sequential(chain, &bound, Some(k - 1))
    })?;
    options.types.begin();
    let func = hir::parse(source.sig, &block, &source.surroundings, options)?;
    let types = types::resolve(&func)?;
    Ok(Probed { func, types, bound })
}

/// A chain of sequential iterators over whole lists; with a number, there are variables that have the types of what the chain uses.
fn sequential(mut chain: Chain, bound: &[String], number: Option<usize>) -> syn::Result<Expr> {
    let mut lets = Vec::new();
    let probe = |what: &str| match number {
        Some(number) => probe_name(number, what),
        None => format_ident!("__inner_{what}"),
    };
    for list in &chain.sources {
        let (name, expr) = (&list.name, &list.list);
        let probe = probe(&name.to_string());
        lets.push(match (&list.kind, expr) {
            (Kind::Range, Expr::Range(range)) => {
                let (start, end) = ends(range)?;
                let [from, to] = range_names(name);
                quote!(let #probe = #start; let #from = #probe; let #to = #end;)
            }
            _ => quote!(let #probe = #expr; let #name = &#expr[..];),
        });
    }
    for (name, size) in &chain.sizes {
        lets.push(quote!(let #name: usize = #size;));
    }
    if chain.counted {
        let first = chain.first();
        lets.push(quote!(let #first: usize = 0;));
    }
    if number.is_some() {
        for name in captures(&chain, bound) {
            let probe = probe(&name.to_string());
            lets.push(quote!(let #probe = #name;));
        }
    }
    let result = probe("result");
    let inner = chain.item.take().unwrap_or(chain.sequential);
    let mut block: Block = syn::parse_quote!({ #(#lets)* let #result = #inner; #result });
    // Chains in closures.
    replace(&mut block, chain.level + 1, &mut |chain| {
        sequential(chain, bound, None)
    })?;
    Ok(syn::parse_quote!(#block))
}

/// The two ends of a range.
pub(super) fn ends(range: &syn::ExprRange) -> syn::Result<(&Expr, &Expr)> {
    match (&range.start, &range.limits, &range.end) {
        (Some(start), syn::RangeLimits::HalfOpen(_), Some(end)) => Ok((start, end)),
        _ => Err(error(
            Whole(range),
            "parallel iterators over other ranges than `a..b` are not supported in differentiable functions",
            "write `a..b`",
        )),
    }
}

/// The names that a function binds.
fn bound_in(source: &Source<'_>) -> Vec<String> {
    let mut bound = names_bound_in(source.block);
    for param in &source.sig.inputs {
        match param {
            syn::FnArg::Typed(param) => bound.extend(hir::bound_names(&param.pat)),
            syn::FnArg::Receiver(_) => bound.push("self".to_owned()),
        }
    }
    bound
}

/// The variables of the function that a chain uses.
pub(super) fn captures(chain: &Chain, bound: &[String]) -> Vec<Ident> {
    let chain = &chain.sequential;
    let names = hir::free_names(chain, bound);
    names
        .map(|name| first_named(quote!(#chain), name))
        .collect()
}

/// A name, where it stands first. In a format string it has no token of its own.
fn first_named(tokens: TokenStream, name: &str) -> Ident {
    let found = RefCell::new(None);
    any_token(tokens, &|token| match token {
        TokenTree::Ident(ident) if ident == name => {
            found.replace(Some(ident.clone()));
            true
        }
        _ => false,
    });
    let found = found.into_inner();
    found.unwrap_or_else(|| Ident::new(name, Span::call_site()))
}

/// A type as one writes it, if all of it is known.
pub(super) fn written(ty: &Type) -> Option<TokenStream> {
    Some(match ty {
        Type::F32 => quote!(f32),
        Type::F64 => quote!(f64),
        Type::Real(name) => quote!(#name),
        Type::Int(name) => {
            let name = format_ident!("{name}");
            quote!(#name)
        }
        Type::Bool => quote!(bool),
        Type::Unit => quote!(()),
        Type::Slice(item) => {
            let item = written(item)?;
            quote!([#item])
        }
        Type::Array(item, length) => {
            let item = written(item)?;
            quote!([#item; #length])
        }
        Type::Vec(item) => {
            let item = written(item)?;
            quote!(::std::vec::Vec<#item>)
        }
        Type::Deque(item) => {
            let item = written(item)?;
            quote!(::std::collections::VecDeque<#item>)
        }
        Type::Tuple(items) => {
            let items = items.iter().map(written).collect::<Option<Vec<_>>>()?;
            quote!((#(#items,)*))
        }
        Type::Option(item) => {
            let item = written(item)?;
            quote!(::core::option::Option<#item>)
        }
        Type::Boxed(item) => {
            let item = written(item)?;
            quote!(::std::boxed::Box<#item>)
        }
        Type::Named(ty) | Type::Inactive(ty) => quote!(#ty),
        Type::Foreign(array) => {
            let ty = array.written.as_ref()?;
            quote!(#ty)
        }
        Type::Never
        | Type::Result(..)
        | Type::Ref(..)
        | Type::Function(_)
        | Type::Unknown(_)
        | Type::Deferred => return None,
    })
}

//! Places in `self`, and the same places in its tangent.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::{HELP, Kind, Reader, is_self, is_size};
use crate::diagnostics::{Whole, error};
use crate::emit::{lookup, unraw};
use crate::enclosing::lists;
use crate::std_model::{LENDS, UNWRAPS, does};
use crate::syntax::method_call;

/// A place in `self`.
#[derive(Clone)]
pub(super) struct Located {
    /// Binds its indices to variables.
    pub(super) setup: TokenStream,
    /// The place itself.
    pub(super) primal: TokenStream,
    path: Vec<Step>,
}

#[derive(Clone)]
enum Step {
    Field(syn::Member),
    /// The variables that hold the index, and where it leads to.
    Index(Ident, Ident),
    /// A part that a method returns a reference to: the variable says where it is.
    Part(Ident),
    /// `lo..hi` on variables.
    Range(TokenStream),
    Deref,
}

impl Located {
    /// The same place in the tangent to which `t` is a reference.
    pub(super) fn tangent(&self, rt: &TokenStream, t: &Ident, mutable: bool) -> TokenStream {
        let reference = if mutable { quote!(&mut) } else { quote!(&) };
        let mut tokens = quote!((*#t));
        for step in &self.path {
            tokens = match step {
                Step::Field(member) => quote!(#tokens.#member),
                Step::Index(i, at) => {
                    quote!((*#rt::index::Whole(#reference #tokens).part(#i, #at)))
                }
                Step::Part(at) => {
                    quote!((*#rt::index::Lender(#reference #tokens).part(#at)))
                }
                Step::Range(range) => quote!(#tokens[#range]),
                Step::Deref => quote!((*#tokens)),
            };
        }
        tokens
    }

    /// The place, once its indices have been bound.
    pub(super) fn bound(mut self) -> Self {
        self.setup = TokenStream::new();
        self
    }

    fn then(mut self, step: Step, primal: TokenStream) -> Self {
        self.path.push(step);
        self.primal = primal;
        self
    }
}

impl Reader<'_> {
    /// True if an expression is a place in `self`, by its root.
    pub(super) fn is_in_self(&self, expr: &syn::Expr) -> bool {
        match expr {
            syn::Expr::Path(path) => {
                is_self(expr)
                    || self
                        .aliases
                        .iter()
                        .any(|(name, _)| path.path.is_ident(name))
            }
            syn::Expr::Field(field) => self.is_in_self(&field.base),
            syn::Expr::Index(index) => self.is_in_self(&index.expr),
            syn::Expr::Paren(inner) => self.is_in_self(&inner.expr),
            syn::Expr::Unary(inner) => {
                matches!(inner.op, syn::UnOp::Deref(_)) && self.is_in_self(&inner.expr)
            }
            syn::Expr::MethodCall(call) => {
                !is_size(&call.method)
                    && !is_of_std(&call.method)
                    && self.is_in_self(&call.receiver)
            }
            _ => false,
        }
    }

    /// A place that the method refers to.
    pub(super) fn place(&mut self, expr: &syn::Expr) -> syn::Result<Located> {
        self.places.push(expr.clone());
        let located = self.located(expr)?;
        if let Some(Step::Field(member)) = located.path.first() {
            self.holders.insert(member.clone());
        }
        Ok(located)
    }

    /// The place that an expression other than `&place` refers to: `self.data.index(k)`, `self.data.get(k).unwrap()`.
    pub(super) fn reference(&mut self, expr: &syn::Expr) -> syn::Result<Option<Located>> {
        let syn::Expr::MethodCall(call) = expr else {
            return Ok(None);
        };
        let place = match indexed(call) {
            None if !self.is_in_self(expr) => return Ok(None),
            Some((list, _)) if !self.is_in_self(&list) => return Ok(None),
            Some((list, index)) => syn::Expr::Index(syn::ExprIndex {
                attrs: Vec::new(),
                expr: Box::new(list),
                bracket_token: syn::token::Bracket::default(),
                index: Box::new(index),
            }),
            None => expr.clone(),
        };
        self.places.push(expr.clone());
        self.place(&place).map(Some)
    }

    /// `self.row(i)`, which refers to a part by a method of its own.
    fn part(&mut self, call: &syn::ExprMethodCall) -> syn::Result<Located> {
        let mut base = self.located(&call.receiver)?;
        let (rt, at, method) = (self.rt, self.name("at"), &call.method);
        let (fallback, part) = lookup(rt, &unraw(method), call.args.len());
        let mut args = Vec::new();
        for arg in &call.args {
            let name = self.name("a");
            base.setup.extend(quote!(let #name = #arg;));
            args.push(name);
        }
        let primal = base.primal.clone();
        base.setup.extend(quote! {
            let #at = {
                #fallback
                use #rt::probe::NoPeel as _;
                #rt::probe::Peel(&#primal).peel().peel().0.#part(#(#args),*)
            };
        });
        let primal = quote!((*#primal.#method(#(#args),*)));
        Ok(base.then(Step::Part(at), primal))
    }

    fn name(&mut self, hint: &str) -> Ident {
        self.count += 1;
        let span = proc_macro2::Span::mixed_site();
        format_ident!("{hint}_{}", self.count, span = span)
    }

    fn located(&mut self, expr: &syn::Expr) -> syn::Result<Located> {
        match expr {
            expr if is_self(expr) => Ok(Located {
                setup: TokenStream::new(),
                primal: quote!((*#expr)),
                path: Vec::new(),
            }),
            syn::Expr::Path(path) => {
                let alias = self
                    .aliases
                    .iter()
                    .rev()
                    .find(|(name, _)| path.path.is_ident(name));
                alias
                    .map(|(_, located)| located.clone())
                    .ok_or_else(|| not_in_self(expr))
            }
            syn::Expr::Paren(inner) => self.located(&inner.expr),
            syn::Expr::Group(inner) => self.located(&inner.expr),
            syn::Expr::Field(field) => {
                let base = self.located(&field.base)?;
                let (member, primal) = (&field.member, &base.primal);
                let primal = quote!(#primal.#member);
                Ok(base.then(Step::Field(member.clone()), primal))
            }
            syn::Expr::Unary(inner) if matches!(inner.op, syn::UnOp::Deref(_)) => {
                let base = self.located(&inner.expr)?;
                // A reference is a name for its target.
                if matches!(&*inner.expr, syn::Expr::Path(_)) {
                    return Ok(base);
                }
                let primal = &base.primal;
                let primal = quote!((*#primal));
                Ok(base.then(Step::Deref, primal))
            }
            syn::Expr::Index(index) => {
                let base = self.located(&index.expr)?;
                Ok(self.element(base, &index.index))
            }
            syn::Expr::MethodCall(call) if self.is_in_self(expr) => match &call.method {
                all if ["as_slice", "as_mut_slice"].iter().any(|name| all == name) => {
                    let base = self.located(&call.receiver)?;
                    let primal = base.primal.clone();
                    Ok(base.then(Step::Range(quote!(..)), quote!(#primal[..])))
                }
                _ => self.part(call),
            },
            _ => Err(not_in_self(expr)),
        }
    }

    fn element(&mut self, mut base: Located, index: &syn::Expr) -> Located {
        let (rt, primal) = (self.rt, base.primal.clone());
        if let syn::Expr::Range(range) = index {
            let [lo, hi] = [(&range.start, "lo"), (&range.end, "hi")].map(|(end, hint)| {
                end.as_ref().map(|end| {
                    let name = self.name(hint);
                    base.setup.extend(quote!(let #name = #end;));
                    name
                })
            });
            let limits = &range.limits;
            let range = quote!(#lo #limits #hi);
            let primal = quote!(#primal[#range]);
            return base.then(Step::Range(range), primal);
        }
        let (i, at) = (self.name("k"), self.name("at"));
        let find = match self.kind {
            Kind::Index => super::own("at"),
            Kind::IndexMut => super::own("at_mut"),
        };
        base.setup.extend(quote! {
            let #i = #index;
            let #at = #rt::index::Locate(&#primal, #i).#find();
        });
        let primal = quote!(#primal[#i]);
        base.then(Step::Index(i, at), primal)
    }
}

/// Methods of std that return no reference to a part of their receiver, or may return one to something else.
fn is_of_std(method: &Ident) -> bool {
    let others = "get get_mut first last iter iter_mut into_iter nth find chars as_str";
    let name = method.to_string();
    does(&name, LENDS) || lists(others, &name)
}

/// `list[index]`, as methods of std write it.
fn indexed(call: &syn::ExprMethodCall) -> Option<(syn::Expr, syn::Expr)> {
    let is = |call: &syn::ExprMethodCall, names: &[&str]| names.iter().any(|n| call.method == n);
    if is(call, &["index", "index_mut"]) && call.args.len() == 1 {
        return Some(((*call.receiver).clone(), call.args[0].clone()));
    }
    let inner = method_call(&call.receiver)?;
    if !does(&call.method.to_string(), UNWRAPS) {
        return None;
    }
    let list = (*inner.receiver).clone();
    match inner.args.first() {
        Some(index) if is(inner, &["get", "get_mut"]) => Some((list, index.clone())),
        None if is(inner, &["first", "first_mut"]) => Some((list, syn::parse_quote!(0))),
        None if is(inner, &["last", "last_mut"]) => {
            let last = syn::parse_quote!(#list.len() - 1);
            Some((list, last))
        }
        _ => None,
    }
}

fn not_in_self(expr: &syn::Expr) -> syn::Error {
    error(Whole(expr), "this is not a part of `self`", HELP)
}

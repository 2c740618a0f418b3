//! Functions and methods of a library's arrays that take closures: the chains and loops that do the same.
//!
//! ```text
//! Input:  Zip::from(&mut y).and(a).and(b).for_each(|y, &a, &b| *y = a * b)
//! Output: y.iter_mut().zip(a).zip(b).for_each(|((y, &a), &b)| *y = a * b)
//! ```
//!
//! Only where the module uses such a library, and only as the code that is differentiated: the primal stays as it is.

use proc_macro2::Span;
use quote::{format_ident, quote_spanned};
use syn::spanned::Spanned;

use super::Expr;
use super::closure::{bare, stripped};
use super::get_or_insert::is_place;
use super::parse::Parser;
use crate::syntax::{closure_of, method_call, path_of};
use crate::types::written::without_references;

impl Parser {
    /// A method of a library's matrices or arrays that is short for other code.
    pub(super) fn library_method(
        &mut self,
        call: &syn::ExprMethodCall,
        source: &syn::Expr,
    ) -> Option<Expr> {
        let same = self
            .matrix_method(call)
            .or_else(|| self.array_closure(call))?;
        Some(self.replaced(&same, source))
    }

    /// A method that takes a closure, if it is one of arrays, or of `Zip`.
    fn array_closure(&self, call: &syn::ExprMethodCall) -> Option<syn::Expr> {
        if !self.callees.uses_arrays() {
            return None;
        }
        let name = call.method.to_string();
        let args: Vec<&syn::Expr> = call.args.iter().collect();
        let receiver = &call.receiver;
        let span = call.method.span();
        if let Some(zipped) = zipped(receiver) {
            let chain = chain(&zipped, span);
            return match (name.as_str(), &args[..]) {
                ("for_each" | "apply", [f]) => {
                    let f = nested(f, 0, zipped.len())?;
                    Some(syn::parse_quote_spanned!(span=> (#chain).for_each(#f)))
                }
                ("fold", [init, f]) => {
                    let f = nested(f, 1, zipped.len())?;
                    Some(syn::parse_quote_spanned!(span=> (#chain).fold(#init, #f)))
                }
                ("map_collect", [f]) => {
                    let f = nested(f, 0, zipped.len())?;
                    let first = &zipped[0];
                    Some(syn::parse_quote_spanned! {span=>
                        ::ndarray::__like(&(#first), (#chain).map(#f).collect::<Vec<_>>())
                    })
                }
                _ => None,
            };
        }
        match (name.as_str(), &args[..]) {
            ("fold", [init, f]) if is_named(receiver) && !self.is_chain(receiver) => {
                let two = matches!(stripped(f), syn::Expr::Closure(f) if f.inputs.len() == 2);
                let two = two || matches!(stripped(f), syn::Expr::Path(_));
                two.then(|| {
                    syn::parse_quote_spanned! {span=>
                        (#receiver).in_memory_order((#receiver).__memory_order()).iter().fold(#init, #f)
                    }
                })
            }
            ("map_axis", [axis, f]) => {
                let (bound, array) = if is_named(receiver) {
                    (None, (**receiver).clone())
                } else {
                    let array = syn::parse_quote_spanned!(span=> __array);
                    (Some(quote_spanned!(span=> let __array = #receiver;)), array)
                };
                Some(syn::parse_quote_spanned! {span=> {
                    #bound
                    let __axis = #axis;
                    ::ndarray::__like(
                        &#array.index_axis(__axis, 0),
                        #array.lanes(__axis).into_iter::<__InAnyOrder>().map(#f).collect::<Vec<_>>(),
                    )
                }})
            }
            ("zip_mut_with", [other, f]) => {
                let f = nested(f, 0, 2)?;
                // A view is taken once.
                let is_view = matches!(stripped(receiver), syn::Expr::MethodCall(_));
                let bound = is_view.then(|| quote_spanned!(span=> let mut __view = #receiver;));
                let view: syn::Expr = syn::parse_quote_spanned!(span=> __view);
                let receiver = if is_view { &view } else { &**receiver };
                Some(syn::parse_quote_spanned! {span=> {
                    #bound
                    ::core::assert!(
                        (#receiver).len() == (#other).len(),
                        "`zip_mut_with` of arrays of different shapes is not supported with derivatives"
                    );
                    (#receiver).iter_mut::<__InAnyOrder>().zip((#other).iter::<__InAnyOrder>()).for_each(#f)
                }})
            }
            _ => None,
        }
    }

    /// True if a value is known to be an array, or a part of one: by the type that is written where it is declared, or by what makes it.
    pub(super) fn is_array(&self, source: &syn::Expr) -> bool {
        if !self.callees.uses_arrays() {
            return false;
        }
        let by_type = self.declared_type(source);
        if let Some(ty) = by_type {
            return self.callees.array(ty).is_some();
        }
        match stripped(source) {
            syn::Expr::Path(_) => {
                let var = self.variable_named(stripped(source));
                var.is_some_and(|var| self.arrays.contains(&var))
            }
            syn::Expr::MethodCall(call) => self.is_array(&call.receiver),
            syn::Expr::Binary(binary) => {
                self.is_array(&binary.left) || self.is_array(&binary.right)
            }
            syn::Expr::Unary(unary) => self.is_array(&unary.expr),
            syn::Expr::Macro(mac) => self.callees.array_macro(&mac.mac.path),
            syn::Expr::Call(call) => match &*call.func {
                syn::Expr::Path(path) => self.callees.made_array(path).is_some(),
                _ => false,
            },
            _ => false,
        }
    }

    /// The type of a variable or field, where it is declared.
    pub(super) fn declared_type(&self, source: &syn::Expr) -> Option<&syn::Type> {
        let ty = match stripped(source) {
            syn::Expr::Field(field) => {
                let own = self.siblings.own_type(self.declared_type(&field.base)?)?;
                own.written(&field.member)?
            }
            source => self.written.get(&self.variable_named(source)?)?,
        };
        Some(without_references(ty))
    }

    /// `x.indexed_iter()`: the elements in logical order, each with its index.
    pub(super) fn indexed_array(&self, call: &syn::ExprMethodCall) -> Option<syn::Expr> {
        let array = &call.receiver;
        if !self.callees.uses_arrays() || !is_place(array) {
            return None;
        }
        let iter = if call.method == "indexed_iter" {
            "iter"
        } else {
            "iter_mut"
        };
        let iter = format_ident!("{iter}");
        Some(syn::parse_quote_spanned! {call.method.span()=>
            (0..#array.len()).map(|__k| #array.__index_at(__k)).zip(#array.#iter())
        })
    }

    /// `Array2::from_shape_fn((n, m), |(i, j)| ..)`, `Array1::from_iter(chain)`.
    pub(super) fn array_made(
        &mut self,
        path: &syn::ExprPath,
        call: &syn::ExprCall,
        source: &syn::Expr,
    ) -> Option<Expr> {
        let (name, elem, rank) = self.callees.made_array(path)?;
        let elem: syn::Type = elem.map_or_else(|| syn::parse_quote!(_), Clone::clone);
        let args: Vec<&syn::Expr> = call.args.iter().collect();
        let span = path.span();
        let same: syn::Expr = match (name.as_str(), &args[..]) {
            ("from_iter", [items]) if self.is_chain(items) => {
                syn::parse_quote_spanned!(span=> ::ndarray::Array1::<#elem>::from_vec((#items).collect::<Vec<_>>()))
            }
            ("from_shape_fn", [n, f]) if rank == Some(1) && !matches!(n, syn::Expr::Tuple(_)) => {
                syn::parse_quote_spanned!(span=> ::ndarray::Array1::<#elem>::from_vec((0..#n).map(#f).collect::<Vec<_>>()))
            }
            ("from_shape_fn", [shape, f]) if rank == Some(2) => {
                let f = closure_of(stripped(f))?;
                let (Some(pat), 1) = (f.inputs.first(), f.inputs.len()) else {
                    return None;
                };
                let (pat, body) = (untyped(pat), &f.body);
                syn::parse_quote_spanned! {span=> {
                    let (__rows, __columns) = #shape;
                    ::ndarray::Array2::<#elem>::from_shape_vec(
                        (__rows, __columns),
                        (0..__rows * __columns)
                            .map(|__k| {
                                let #pat = (__k / __columns, __k % __columns);
                                #body
                            })
                            .collect::<Vec<_>>(),
                    )
                    .unwrap()
                }}
            }
            // The result of `stack` and the like is owned: lists hold no views.
            ("stack" | "concatenate", [axis, syn::Expr::Reference(list)]) => {
                let syn::Expr::Array(list) = &*list.expr else {
                    return None;
                };
                let arrays = list.elems.iter();
                let owned = arrays.map(|array| -> syn::Expr {
                    syn::parse_quote_spanned!(array.span()=> (#array).to_owned())
                });
                let args = [
                    self.expr(axis),
                    self.expr(&syn::parse_quote_spanned!(span=> &[#(#owned),*])),
                ];
                let kind = super::ExprKind::Call {
                    path: path.clone(),
                    args: args.into(),
                };
                return Some(self.sourced(kind, source));
            }
            _ => return None,
        };
        Some(self.replaced(&same, source))
    }

    /// `chain.collect()` to a vector of a library's.
    pub(super) fn collected_array(&self, init: &syn::Expr, ty: &syn::Type) -> Option<syn::Expr> {
        let call = method_call(init)?;
        let (elem, rank) = self.callees.array(ty)?;
        if call.method != "collect" || !self.is_chain(&call.receiver) || rank != Some(1) {
            return None;
        }
        let elem: syn::Type = elem.map_or_else(|| syn::parse_quote!(_), Clone::clone);
        let (span, items) = (call.method.span(), &call.receiver);
        Some(
            syn::parse_quote_spanned!(span=> ::ndarray::Array1::<#elem>::from_vec((#items).collect::<Vec<_>>())),
        )
    }

    /// `azip!((a in x, &b in y) body)`
    pub(super) fn array_zip(mac: &syn::Macro) -> Option<syn::Expr> {
        use syn::parse::Parser as _;
        let parse = |input: syn::parse::ParseStream| {
            let inside;
            syn::parenthesized!(inside in input);
            let (mut pats, mut arrays) = (Vec::new(), Vec::<syn::Expr>::new());
            while !inside.is_empty() {
                let pat = syn::Pat::parse_single(&inside)?;
                inside.parse::<syn::Token![in]>()?;
                let array: syn::Expr = inside.parse()?;
                pats.push(pat);
                arrays.push(array);
                inside.parse::<Option<syn::Token![,]>>()?;
            }
            let body: syn::Expr = input.parse()?;
            Ok((pats, arrays, body))
        };
        let (pats, arrays, body) = parse.parse2(mac.tokens.clone()).ok()?;
        let (first, rest) = arrays.split_first()?;
        let span = mac.path.span();
        Some(syn::parse_quote_spanned! {span=>
            ::ndarray::Zip::from(#first)#(.and(#rest))*.for_each(|#(#pats),*| #body)
        })
    }
}

/// The operands of `Zip::from(a).and(b)`.
fn zipped(source: &syn::Expr) -> Option<Vec<syn::Expr>> {
    match stripped(source) {
        syn::Expr::Call(call) => {
            let path = path_of(&call.func)?;
            let mut names = path.path.segments.iter().rev().map(|name| &name.ident);
            let is_zip = names.next()? == "from" && names.next()? == "Zip";
            let arg = call
                .args
                .first()
                .filter(|_| is_zip && call.args.len() == 1)?;
            Some(vec![arg.clone()])
        }
        syn::Expr::MethodCall(call) if call.method == "and" && call.args.len() == 1 => {
            let mut all = zipped(&call.receiver)?;
            all.push(call.args[0].clone());
            Some(all)
        }
        _ => None,
    }
}

fn chain(zipped: &[syn::Expr], span: Span) -> syn::Expr {
    let mut arrays = zipped.iter().map(iterated);
    let Some(mut chain) = arrays.next() else {
        return syn::parse_quote_spanned!(span=> ::core::iter::empty());
    };
    for array in arrays {
        chain = syn::parse_quote_spanned!(span=> (#chain).zip(#array));
    }
    chain
}

/// An array as the source of a chain.
fn iterated(array: &syn::Expr) -> syn::Expr {
    let array = bare(array);
    let span = array.span();
    match array {
        syn::Expr::Reference(reference) => {
            let of = &reference.expr;
            if reference.mutability.is_some() {
                syn::parse_quote_spanned!(span=> (#of).iter_mut::<__InAnyOrder>())
            } else {
                syn::parse_quote_spanned!(span=> (#of).iter::<__InAnyOrder>())
            }
        }
        array => syn::parse_quote_spanned!(span=> (#array).into_iter::<__InAnyOrder>()),
    }
}

/// True for `iter::<__InAnyOrder>()`, of an array whose elements the library visits in an order of its own.
pub(super) fn is_in_any_order(call: &syn::ExprMethodCall) -> bool {
    let mut args = call.turbofish.iter().flat_map(|turbofish| &turbofish.args);
    args.any(|arg| matches!(arg, syn::GenericArgument::Type(syn::Type::Path(path)) if path.path.is_ident("__InAnyOrder")))
}

/// A closure of several arguments as one of nested pairs; the first ones may stand apart.
fn nested(f: &syn::Expr, apart: usize, count: usize) -> Option<syn::Expr> {
    let f = closure_of(stripped(f))?;
    if f.inputs.len() != apart + count {
        return None;
    }
    let inputs: Vec<syn::Pat> = f.inputs.iter().map(untyped).collect();
    let (own, zipped) = inputs.split_at(apart);
    let (first, rest) = zipped.split_first()?;
    let mut pat = first.clone();
    for next in rest {
        pat = syn::Pat::Tuple(syn::PatTuple {
            attrs: Vec::new(),
            paren_token: syn::token::Paren(next.span()),
            elems: [pat, next.clone()].into_iter().collect(),
        });
    }
    let mut f = f.clone();
    f.inputs = own.iter().cloned().chain([pat]).collect();
    Some(syn::Expr::Closure(f))
}

/// A pattern without its type.
fn untyped(pat: &syn::Pat) -> syn::Pat {
    match pat {
        syn::Pat::Type(typed) => (*typed.pat).clone(),
        pat => pat.clone(),
    }
}

/// True if an expression is a variable, a field, or a view.
fn is_named(source: &syn::Expr) -> bool {
    match stripped(source) {
        syn::Expr::Path(path) => path.path.get_ident().is_some(),
        syn::Expr::Field(field) => is_named(&field.base),
        syn::Expr::MethodCall(call) => {
            crate::types::foreign::view_of(&call.method.to_string()).is_some()
                && is_named(&call.receiver)
        }
        _ => false,
    }
}

//! Methods of std that are written here in Rust, by means of others: a call becomes the text, with the receiver and the arguments in it.
//!
//! ```text
//! Input:  x.dedup();
//! Output: { let __all = x.split_off(0); for __item in __all { .. } }
//! ```
//!
//! A method of that name that a user's type has is another: the text doesn't fit it, and rustc says so. Where nothing is differentiated the call
//! stays as it is.

use std::collections::HashMap;

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use syn::visit_mut::VisitMut;

use super::filled::is_place;
use super::parse::Parser;
use super::{Expr, mentions};

/// A method: its name, its parameters after `list`, what it does, and on what.
struct Method {
    name: &'static str,
    params: &'static [&'static str],
    body: &'static str,
    of: Of,
}

impl Method {
    const fn new(
        of: Of,
        name: &'static str,
        params: &'static [&'static str],
        body: &'static str,
    ) -> Self {
        Method {
            name,
            params,
            body,
            of,
        }
    }
}

/// What a method is called on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    /// A place, whose name may stand more than once, in a statement.
    PlaceInStatement,
    /// A place.
    Place,
    /// An iterator, which stands once.
    Chain,
}

const METHODS: &[Method] = &[
    Method::new(
        Of::PlaceInStatement,
        "retain_mut",
        &["keep"],
        "{
            let __all = list.split_off(0);
            for mut __item in __all {
                if (keep)(&mut __item) {
                    list.push(__item);
                }
            }
        }",
    ),
    Method::new(
        Of::PlaceInStatement,
        "dedup",
        &[],
        "{
            let __all = list.split_off(0);
            for __item in __all {
                let __again = match list.last() {
                    Some(__last) => *__last == __item,
                    None => false,
                };
                if !__again {
                    list.push(__item);
                }
            }
        }",
    ),
    Method::new(
        Of::PlaceInStatement,
        "dedup_by_key",
        &["key"],
        "{
            let __all = list.split_off(0);
            for mut __item in __all {
                let __again = match list.last_mut() {
                    Some(__last) => (key)(&mut __item) == (key)(__last),
                    None => false,
                };
                if !__again {
                    list.push(__item);
                }
            }
        }",
    ),
    Method::new(
        Of::PlaceInStatement,
        "dedup_by",
        &["same"],
        "{
            let __all = list.split_off(0);
            for mut __item in __all {
                let __again = match list.last_mut() {
                    Some(__last) => (same)(&mut __item, __last),
                    None => false,
                };
                if !__again {
                    list.push(__item);
                }
            }
        }",
    ),
    // What is taken out is dropped.
    Method::new(
        Of::PlaceInStatement,
        "splice",
        &["start", "end", "new"],
        "{
            let __rest = list.split_off(end);
            list.truncate(start);
            list.extend(new);
            list.extend(__rest);
        }",
    ),
    Method::new(
        Of::PlaceInStatement,
        "extend_from_within",
        &["start", "end"],
        "{
            let __more = list[start..end].to_vec();
            list.extend(__more);
        }",
    ),
    Method::new(
        Of::PlaceInStatement,
        "fill_with",
        &["make"],
        "{
            for __k in 0..list.len() {
                list[__k] = (make)();
            }
        }",
    ),
    Method::new(
        Of::PlaceInStatement,
        "resize_with",
        &["len", "make"],
        "{
            let __len: usize = len;
            list.truncate(__len);
            while list.len() < __len {
                list.push((make)());
            }
        }",
    ),
    Method::new(
        Of::Place,
        "take_if",
        &["test"],
        "{
            let __is_taken = match &mut list {
                Some(__item) => (test)(__item),
                None => false,
            };
            if __is_taken { list.take() } else { None }
        }",
    ),
    Method::new(
        Of::Place,
        "pop_if",
        &["test"],
        "{
            let __is_popped = match list.last_mut() {
                Some(__item) => (test)(__item),
                None => false,
            };
            if __is_popped { list.pop() } else { None }
        }",
    ),
    Method::new(
        Of::Chain,
        "rfold",
        &["init", "f"],
        "list.rev().fold(init, f)",
    ),
];

impl Parser {
    /// A call of one of these methods; `dropped` where its value isn't used.
    pub(super) fn by_prelude(&mut self, call: &syn::ExprMethodCall, dropped: bool) -> Option<Expr> {
        let name = call.method.to_string();
        let mut methods = METHODS.iter();
        let method = methods.find(|method| method.name == name)?;
        let list = &call.receiver;
        let is_there = match method.of {
            Of::PlaceInStatement => dropped && is_place(list),
            Of::Place => is_place(list),
            Of::Chain => self.is_chain(list),
        };
        let takes_range = method.params.starts_with(&["start", "end"]);
        let args: Vec<syn::Expr> = match call.args.first() {
            Some(syn::Expr::Range(range)) if takes_range => {
                let rest = call.args.iter().skip(1).cloned();
                ends(range, list).into_iter().chain(rest).collect()
            }
            _ => call.args.iter().cloned().collect(),
        };
        let source = syn::Expr::MethodCall(call.clone());
        let fits = args.len() == method.params.len();
        if !is_there || !fits || !mentions::exits(&source).is_empty() {
            return None;
        }
        let of_params = method.params.iter().copied().zip(args);
        let of_list = [("list", (**list).clone())];
        let values: HashMap<&str, syn::Expr> = of_list.into_iter().chain(of_params).collect();
        let tokens: TokenStream = method.body.parse().ok()?;
        let mut body: syn::Expr = syn::parse2(located(tokens, call.method.span())).ok()?;
        Filled(&values).visit_expr_mut(&mut body);
        let mut expr = self.expr(&body);
        self.keep_source(&mut expr, &source);
        Some(expr)
    }
}

/// Where a range of a list begins and ends.
fn ends(range: &syn::ExprRange, list: &syn::Expr) -> [syn::Expr; 2] {
    let start = range.start.as_deref();
    let start = start.map_or_else(|| syn::parse_quote!(0), Clone::clone);
    let end = match (&range.end, range.limits) {
        (Some(end), syn::RangeLimits::HalfOpen(_)) => (**end).clone(),
        (Some(end), syn::RangeLimits::Closed(_)) => syn::parse_quote!(#end + 1),
        (None, _) => syn::parse_quote!(#list.len()),
    };
    [start, end]
}

/// Tokens at the place of the call.
fn located(tokens: TokenStream, span: Span) -> TokenStream {
    let span = span.resolved_at(Span::call_site());
    let token = |token| match token {
        TokenTree::Group(group) => {
            let mut new = proc_macro2::Group::new(group.delimiter(), located(group.stream(), span));
            new.set_span(span);
            TokenTree::Group(new)
        }
        mut token => {
            token.set_span(span);
            token
        }
    };
    tokens.into_iter().map(token).collect()
}

/// Puts arguments where parameters stand.
struct Filled<'v>(&'v HashMap<&'static str, syn::Expr>);

impl VisitMut for Filled<'_> {
    fn visit_expr_mut(&mut self, expr: &mut syn::Expr) {
        let value = match expr {
            syn::Expr::Path(path) => path.path.get_ident().map(Ident::to_string),
            _ => None,
        };
        match value.and_then(|name| self.0.get(&*name)) {
            Some(value) => *expr = value.clone(),
            None => syn::visit_mut::visit_expr_mut(self, expr),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_rust_and_name_their_parameters() {
        for method in METHODS {
            let body: syn::Expr = syn::parse_str(method.body).expect(method.name);
            let text = quote::quote!(#body).to_string();
            for param in method.params.iter().chain(&["list"]) {
                let names = |word: &str| word == *param;
                let is_apart = |c: char| !(c.is_alphanumeric() || c == '_');
                assert!(
                    text.split(is_apart).any(names),
                    "`{}`: {param}",
                    method.name
                );
            }
        }
    }
}

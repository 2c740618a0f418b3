//! Methods of std that are written here in Rust, by means of others: the macro inlines them.
//!
//! ```text
//! Input:  x.splice(a()..b(), new);
//! Output: { let __start = a(); let __end = b(); let __new = new; let __rest = x.split_off(__end); .. }
//! ```
//!
//! As in a call, every argument is evaluated once, in Rust's order, before the body. So are the positions in the receiver's place.
//!
//! A method of that name that a user's type has is another: the text doesn't fit it, and rustc says so. Where nothing is differentiated the call
//! stays as it is.

use proc_macro2::{Span, TokenStream};
use quote::format_ident;
use syn::visit_mut::VisitMut;

use super::get_or_insert::is_place;
use super::parse::Parser;
use super::{Expr, mentions};
use crate::syntax::map_tokens;

/// A method: its kind of receiver, its name, and a closure over its arguments. `list` is the receiver; all other names begin with `__`, so that
/// they are none of the caller's.
struct Method {
    of: Of,
    name: &'static str,
    body: &'static str,
}

/// The receiver of a method.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    /// A place, whose name may stand more than once, in a statement.
    PlaceInStatement,
    Place,
}

macro_rules! methods {
    ($($of:ident $name:ident($($params:tt)*) $body:block)*) => {
        &[$(Method {
            of: Of::$of,
            name: stringify!($name),
            body: stringify!(|$($params)*| $body),
        }),*]
    };
}

const METHODS: &[Method] = methods! {
    PlaceInStatement retain_mut(__keep) {
        let __all = list.split_off(0);
        for mut __item in __all {
            if (__keep)(&mut __item) {
                list.push(__item);
            }
        }
    }
    PlaceInStatement dedup() {
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
    }
    PlaceInStatement dedup_by_key(__key) {
        let __all = list.split_off(0);
        for mut __item in __all {
            let __again = match list.last_mut() {
                Some(__last) => (__key)(&mut __item) == (__key)(__last),
                None => false,
            };
            if !__again {
                list.push(__item);
            }
        }
    }
    PlaceInStatement dedup_by(__same) {
        let __all = list.split_off(0);
        for mut __item in __all {
            let __again = match list.last_mut() {
                Some(__last) => (__same)(&mut __item, __last),
                None => false,
            };
            if !__again {
                list.push(__item);
            }
        }
    }
    // The elements that are taken out are dropped.
    PlaceInStatement splice(__start: usize, __end: usize, __new) {
        assert!(__start <= __end);
        let __rest = list.split_off(__end);
        list.truncate(__start);
        for __item in __new {
            list.push(__item);
        }
        for __item in __rest {
            list.push(__item);
        }
    }
    PlaceInStatement extend_from_within(__start: usize, __end: usize) {
        let __more = list[__start..__end].to_vec();
        for __item in __more {
            list.push(__item);
        }
    }
    PlaceInStatement fill_with(__make) {
        for __k in 0..list.len() {
            list[__k] = (__make)();
        }
    }
    PlaceInStatement resize_with(__len: usize, __make) {
        list.truncate(__len);
        while list.len() < __len {
            list.push((__make)());
        }
    }
    Place take_if(__test) {
        let __is_taken = match &mut list {
            Some(__item) => (__test)(__item),
            None => false,
        };
        if __is_taken { list.take() } else { None }
    }
    Place pop_if(__test) {
        let __is_popped = match list.last_mut() {
            Some(__item) => (__test)(__item),
            None => false,
        };
        if __is_popped { list.pop() } else { None }
    }
};

impl Parser {
    /// A call of one of these methods; `dropped` where its value isn't used.
    pub(super) fn by_prelude(&mut self, call: &syn::ExprMethodCall, dropped: bool) -> Option<Expr> {
        let name = call.method.to_string();
        let mut methods = METHODS.iter();
        let method = methods.find(|method| method.name == name)?;
        let is_of_lists = method.name != "take_if";
        let is_there = is_place(&call.receiver) && (dropped || method.of == Of::Place);
        let span = call.method.span();
        let tokens: TokenStream = method.body.parse().ok()?;
        let method: syn::ExprClosure = syn::parse2(located(tokens, span)).ok()?;
        let mut bound = Vec::new();
        let list = fixed(&call.receiver, &mut bound);
        let args = arguments(call, &list, method.inputs.len());
        let source = syn::Expr::MethodCall(call.clone());
        if !is_there || args.len() != method.inputs.len() || !mentions::exits(&source).is_empty() {
            return None;
        }
        for (param, arg) in method.inputs.iter().zip(&args) {
            // A closure's own state changes where it is called.
            let is_closure = self.gives_closure(arg);
            let is_mut = is_closure.then(|| syn::Token![mut](span));
            bound.push(syn::parse_quote_spanned!(span=> let #is_mut #param = #arg;));
        }
        if is_of_lists {
            bound.push(syn::parse_quote_spanned!(span=> ::chainrule::__list(&#list);));
        }
        let mut body = method.body;
        Receiver(&list).visit_expr_mut(&mut body);
        Some(self.replaced(
            &syn::parse_quote_spanned!(span=> { #(#bound)* #body }),
            &source,
        ))
    }
}

/// The arguments of a call, a range as its two ends where the method has a parameter for each.
fn arguments(call: &syn::ExprMethodCall, list: &syn::Expr, params: usize) -> Vec<syn::Expr> {
    match call.args.first() {
        Some(syn::Expr::Range(range)) if call.args.len() < params => {
            let rest = call.args.iter().skip(1).cloned();
            ends(range, list).into_iter().chain(rest).collect()
        }
        _ => call.args.iter().cloned().collect(),
    }
}

/// A place whose positions are bound to names, so that it stays the same where it is written again.
fn fixed(place: &syn::Expr, bound: &mut Vec<syn::Stmt>) -> syn::Expr {
    struct Positions<'b>(&'b mut Vec<syn::Stmt>);
    impl VisitMut for Positions<'_> {
        fn visit_expr_index_mut(&mut self, index: &mut syn::ExprIndex) {
            self.visit_expr_mut(&mut index.expr);
            let position = &index.index;
            if !matches!(**position, syn::Expr::Lit(_)) {
                let name = format_ident!("__position_{}", self.0.len());
                self.0.push(syn::parse_quote!(let #name = #position;));
                *index.index = syn::parse_quote!(#name);
            }
        }
    }
    let mut place = place.clone();
    Positions(bound).visit_expr_mut(&mut place);
    place
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
    map_tokens(tokens, &|mut token| {
        token.set_span(span);
        token
    })
}

/// Puts the receiver where `list` stands.
struct Receiver<'r>(&'r syn::Expr);

impl VisitMut for Receiver<'_> {
    fn visit_expr_mut(&mut self, expr: &mut syn::Expr) {
        match expr {
            syn::Expr::Path(path) if path.path.is_ident("list") => *expr = self.0.clone(),
            expr => syn::visit_mut::visit_expr_mut(self, expr),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_closures_whose_names_are_reserved() {
        struct Names<'m>(&'m Method);
        impl<'ast> syn::visit::Visit<'ast> for Names<'_> {
            fn visit_pat_ident(&mut self, pat: &'ast syn::PatIdent) {
                let name = pat.ident.to_string();
                let is_reserved = name.starts_with("__") || name == "None";
                assert!(is_reserved, "`{}`: {name}", self.0.name);
            }
        }
        for method in METHODS {
            let body: syn::ExprClosure = syn::parse_str(method.body).expect(method.name);
            syn::visit::visit_expr_closure(&mut Names(method), &body);
        }
    }
}

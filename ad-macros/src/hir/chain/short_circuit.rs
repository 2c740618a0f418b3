//! Chains of `Option`s and `Result`s that end at the first item without a value.
//!
//! ```text
//! Input:  chain.collect::<Result<Vec<_>, E>>()
//! Output: { let mut error = None;
//!           let all = chain.map_while(|item| match item { Ok(v) => Some(v), Err(e) => { error = Some(e); None } }).collect::<Vec<_>>();
//!           match error { Some(e) => Err(e), None => Ok(all) } }
//!
//! Input:  chain.try_fold(a, f)
//! Output: { let mut error = None; let mut state = a;
//!           for item in chain { match f(state, item) { Ok(v) => state = v, Err(e) => { error = Some(e); break } } }
//!           match error { Some(e) => Err(e), None => Ok(state) } }
//! ```

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::visit::Visit;

use super::consume::turbofish;
use crate::hir::Expr;
use crate::hir::closure::stripped;
use crate::hir::parse::Parser;
use crate::paths::last_name;
use crate::syntax::{EachExpr, closure_of, path_of};
use crate::types::written::generic;

/// Which of the two.
#[derive(Clone, Copy)]
enum Short {
    Option,
    Result,
}

impl Short {
    fn of_type(ty: &syn::Type) -> Option<(Short, syn::Type)> {
        let (name, args) = generic(ty)?;
        let inner = (*args.first()?).clone();
        match name.as_str() {
            "Option" => Some((Short::Option, inner)),
            "Result" => Some((Short::Result, inner)),
            _ => None,
        }
    }

    /// The result type of a closure, from the variants that it names.
    fn of_closure(f: &syn::Expr) -> Option<Short> {
        let mut variant = None;
        let mut each = EachExpr(|expr: &syn::Expr| {
            let last = path_of(expr).and_then(|path| last_name(&path.path));
            match last.as_deref() {
                Some("Some" | "None") => variant = Some(Short::Option),
                Some("Ok" | "Err") => variant = Some(Short::Result),
                _ => {}
            }
        });
        each.visit_expr(&closure_of(stripped(f))?.body);
        variant
    }

    /// `let mut error = None;`, or a flag.
    fn start(self) -> TokenStream {
        match self {
            Short::Option => quote!(let mut short = false;),
            Short::Result => quote!(let mut error = ::core::option::Option::None;),
        }
    }

    /// The arms for an item with a value, which is bound to `bound`, and for one without.
    fn arms(self, bound: &TokenStream, some: &TokenStream, then: &TokenStream) -> TokenStream {
        match self {
            Short::Option => quote! {
                ::core::option::Option::Some(#bound) => #some,
                ::core::option::Option::None => { short = true; #then }
            },
            Short::Result => quote! {
                ::core::result::Result::Ok(#bound) => #some,
                ::core::result::Result::Err(found) => { error = ::core::option::Option::Some(found); #then }
            },
        }
    }

    /// The final result.
    fn end(self, value: &TokenStream) -> TokenStream {
        match self {
            Short::Option => quote! {
                if short { ::core::option::Option::None } else { ::core::option::Option::Some(#value) }
            },
            Short::Result => quote! {
                match ::core::mem::replace(&mut error, ::core::option::Option::None) {
                    ::core::option::Option::Some(found) => ::core::result::Result::Err(found),
                    ::core::option::Option::None => ::core::result::Result::Ok(#value),
                }
            },
        }
    }
}

impl Parser {
    /// A method that ends a chain so.
    pub(super) fn short(&mut self, call: &syn::ExprMethodCall, source: &syn::Expr) -> Option<Expr> {
        let name = call.method.to_string();
        let args: Vec<&syn::Expr> = call.args.iter().collect();
        let span = call.method.span();
        let block = match (name.as_str(), &args[..]) {
            ("collect" | "sum" | "product", []) => {
                let (short, inner) = Short::of_type(&turbofish(call)?)?;
                collected(call, short, &inner, span)
            }
            ("try_fold", [init, f]) if self.is_callable(f) => {
                let short = self.short_of(f)?;
                folded(call, short, Some(init), f, span)
            }
            ("try_for_each", [f]) if self.is_callable(f) => {
                let short = self.short_of(f)?;
                folded(call, short, None, f, span)
            }
            _ => return None,
        };
        if !self.is_ended_chain(call) {
            return None;
        }
        let block: syn::Expr = syn::parse2(block).ok()?;
        let mut expr = self.expr(&block);
        expr.source = Some(std::rc::Rc::new(source.clone()));
        Some(expr)
    }

    /// The result type of the closure, or else of the function around, whose result this often is.
    fn short_of(&self, f: &syn::Expr) -> Option<Short> {
        Short::of_closure(f).or_else(|| {
            let output = self.returns.last()?;
            Short::of_type(output).map(|(short, _)| short)
        })
    }
}

fn collected(
    call: &syn::ExprMethodCall,
    short: Short,
    inner: &syn::Type,
    span: Span,
) -> TokenStream {
    let (chain, end) = (&call.receiver, &call.method);
    let inner = match inner {
        syn::Type::Infer(_) if end == "collect" => quote!(Vec<_>),
        inner => inner.to_token_stream(),
    };
    let (start, result) = (short.start(), short.end(&quote!(all)));
    let arms = short.arms(
        &quote!(value),
        &quote!(::core::option::Option::Some(value)),
        &quote!(::core::option::Option::None),
    );
    quote_spanned! {span=>
        {
            let items = #chain;
            #start
            let all = items.map_while(|item| match item { #arms }).#end::<#inner>();
            #result
        }
    }
}

fn folded(
    call: &syn::ExprMethodCall,
    short: Short,
    init: Option<&syn::Expr>,
    f: &syn::Expr,
    span: Span,
) -> TokenStream {
    let chain = &call.receiver;
    let start = short.start();
    let (state, args, arms) = match init {
        Some(init) => (
            quote!(let mut state = #init;),
            quote!(state, item),
            short.arms(&quote!(value), &quote!(state = value), &quote!(break;)),
        ),
        None => (
            TokenStream::new(),
            quote!(item),
            short.arms(&quote!(_), &quote!({}), &quote!(break;)),
        ),
    };
    let result = short.end(&match init {
        Some(_) => quote!(state),
        None => quote!(()),
    });
    quote_spanned! {span=>
        {
            let items = #chain;
            let step = #f;
            #state
            #start
            for item in items {
                match step(#args) { #arms }
            }
            #result
        }
    }
}

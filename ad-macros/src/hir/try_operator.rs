//! `?`, and other code for an absent element.
//!
//! ```text
//! Input:  e?
//! Output: match e { Some(v) => v, None => return None }
//!
//! Input:  Err(error)?
//! Output: return Err(error)
//!
//! Input:  x.get(i).ok_or(error)?
//! Output: match (x.get(i), error) { (Some(v), _) => v, (_, error) => return Err(error) }
//!
//! Input:  x.get(i).unwrap_or(&0.0)
//! Output: &match x.get(i) { Some(v) => *v, None => 0.0 }
//! ```

use proc_macro2::Span;
use quote::ToTokens;
use syn::parse::Parser as _;

use super::closure::{bare, stripped};
use super::mentions::exits;
use super::parse::Parser;
use super::{Expr, written_output};
use crate::diagnostics::Whole;
use crate::paths::ends_in;
use crate::std_model::{ENDS, Gives, Of, called, syntax_does};
use crate::syntax::method_call;

impl Parser {
    /// `e?`, by the result type of the function (or closure) around it.
    pub(super) fn question(&mut self, expr: &syn::ExprTry) -> Expr {
        let span = expr.question_token.span;
        let returns = self.returns.last();
        let returns = returns.map(|output| self.hidden_types.unaliased(output));
        let returns = returns.as_ref().and_then(written_output);
        let missing = self.missing_element(&expr.expr);
        if let (Some(missing), Some("Result")) = (missing, returns) {
            return self.expr(&missing.or_return(span));
        }
        if let Some(leaving) = certain_return(&expr.expr, returns, span) {
            return self.expr(&leaving);
        }
        let inner = &subject(&expr.expr);
        let desugared: syn::Expr = match returns {
            Some("Option") => syn::parse_quote_spanned! {span=>
                match #inner {
                    ::core::option::Option::Some(value) => value,
                    _ => return ::core::option::Option::None,
                }
            },
            Some("Result") => syn::parse_quote_spanned! {span=>
                match #inner {
                    ::core::result::Result::Ok(value) => value,
                    ::core::result::Result::Err(error) => {
                        return ::core::result::Result::Err(::core::convert::From::from(error))
                    }
                }
            },
            _ => {
                return self.rejected(
                    Whole(&expr.expr),
                    "`?` is supported where the function is written to return an `Option` or a `Result`",
                    "write the return type as `Option<..>` or `Result<..>`, of a closure as `|x| -> Option<f64> { .. }`, or \
                     `match` on the value",
                );
            }
        };
        self.expr(&desugared)
    }

    /// `x.get(i).unwrap_or(&0.0)`, which of numbers is a reference to a copy.
    pub(super) fn with_default(&mut self, call: &syn::ExprMethodCall) -> Option<Expr> {
        let name = matches!(&*call.receiver, syn::Expr::Path(_)).then_some(&*call.receiver);
        let element = self
            .element(call)
            .or(name)
            .filter(|_| call.method == "unwrap_or")?;
        let syn::Expr::Reference(default) = call.args.first()? else {
            return None;
        };
        let default = &*default.expr;
        if !is_number(default) {
            return None;
        }
        let (span, element) = (call.method.span(), subject(element));
        Some(self.expr(&syn::parse_quote_spanned! {span=>
            &match #element {
                ::core::option::Option::Some(value) => *value,
                ::core::option::Option::None => #default,
            }
        }))
    }

    /// The receiver of a method, if it is an element that may be absent.
    fn element<'a>(&self, call: &'a syn::ExprMethodCall) -> Option<&'a syn::Expr> {
        match &*call.receiver {
            syn::Expr::MethodCall(end)
                if syntax_does(end, ENDS)
                    || called(Of::List, &end.method.to_string(), end.args.len())
                        .is_some_and(|method| method.gives == Gives::Split)
                    || self.is_step(&call.receiver) =>
            {
                Some(&call.receiver)
            }
            _ => None,
        }
    }

    fn missing_element<'a>(&self, source: &'a syn::Expr) -> Option<Missing<'a>> {
        let call = method_call(source)?;
        let element = self.element(call)?;
        match (call.method.to_string().as_str(), call.args.first()?) {
            ("ok_or", error) => Some(Missing {
                element,
                error,
                lazy: false,
            }),
            ("ok_or_else", syn::Expr::Closure(f))
                if f.inputs.is_empty() && exits(&f.body).is_empty() =>
            {
                Some(Missing {
                    element,
                    error: &f.body,
                    lazy: true,
                })
            }
            _ => None,
        }
    }
}

/// The result type of a closure: as written, or that of its last expression. It is assumed to be an `Option` or a `Result`
/// where one is made there, which rustc checks.
pub(super) fn returned_by(closure: &syn::ExprClosure) -> syn::Type {
    match &closure.output {
        syn::ReturnType::Type(_, ty) => (**ty).clone(),
        syn::ReturnType::Default => match made_at_the_end(&closure.body) {
            Some("Option") => syn::parse_quote!(Option<_>),
            Some(_) => syn::parse_quote!(Result<_, _>),
            None => syn::parse_quote!(_),
        },
    }
}

fn made_at_the_end(body: &syn::Expr) -> Option<&'static str> {
    let last = |block: &syn::Block| match block.stmts.last()? {
        syn::Stmt::Expr(last, None) => made_at_the_end(last),
        _ => None,
    };
    match bare(body) {
        syn::Expr::Block(block) => last(&block.block),
        syn::Expr::Unsafe(block) => last(&block.block),
        syn::Expr::If(branch) => {
            last(&branch.then_branch).or_else(|| made_at_the_end(&branch.else_branch.as_ref()?.1))
        }
        syn::Expr::Match(expr) => expr.arms.iter().find_map(|arm| made_at_the_end(&arm.body)),
        syn::Expr::Call(call) => {
            let made = ["Some", "Ok", "Err"];
            let made = made.into_iter().find(|name| is_named(&call.func, name))?;
            Some(if made == "Some" { "Option" } else { "Result" })
        }
        syn::Expr::Path(_) if is_named(stripped(body), "None") => Some("Option"),
        _ => None,
    }
}

/// The meaning of `Err(error)?` and `None?`: they always return, so that the type of their value is unknown.
fn certain_return(source: &syn::Expr, returns: Option<&str>, span: Span) -> Option<syn::Expr> {
    match (source, returns?) {
        (syn::Expr::Paren(inner), _) => certain_return(&inner.expr, returns, span),
        (syn::Expr::Call(call), "Result") if is_named(&call.func, "Err") => {
            let error = call.args.first()?;
            Some(syn::parse_quote_spanned! {span=>
                return ::core::result::Result::Err(::core::convert::From::from(#error))
            })
        }
        (none, "Option") if is_named(none, "None") => {
            Some(syn::parse_quote_spanned!(span=> return ::core::option::Option::None))
        }
        _ => None,
    }
}

/// Returns `true` if an expression is a path that ends in this name.
fn is_named(source: &syn::Expr, name: &str) -> bool {
    matches!(source, syn::Expr::Path(path) if ends_in(&path.path, name))
}

/// `x.get(i).ok_or(error)`, of an element that may be absent.
struct Missing<'a> {
    element: &'a syn::Expr,
    error: &'a syn::Expr,
    /// The error is only made if it is wanted.
    lazy: bool,
}

impl Missing<'_> {
    /// `x.get(i).ok_or(error)?`, without a `Result` of a reference.
    fn or_return(&self, span: Span) -> syn::Expr {
        let Missing { element, error, .. } = self;
        if self.lazy {
            let element = subject(element);
            return syn::parse_quote_spanned! {span=>
                match #element {
                    ::core::option::Option::Some(value) => value,
                    _ => return ::core::result::Result::Err(::core::convert::From::from(#error)),
                }
            };
        }
        syn::parse_quote_spanned! {span=>
            match (#element, #error) {
                (::core::option::Option::Some(value), _) => value,
                (_, error) => return ::core::result::Result::Err(::core::convert::From::from(error)),
            }
        }
    }
}

/// The expression as the subject of a `match`, in parentheses where a struct literal would end in front of the arms.
pub(super) fn subject(expr: &syn::Expr) -> syn::Expr {
    match syn::Expr::parse_without_eager_brace.parse2(expr.to_token_stream()) {
        Ok(_) => expr.clone(),
        Err(_) => syn::parse_quote!((#expr)),
    }
}

pub(super) fn is_number(expr: &syn::Expr) -> bool {
    match expr {
        syn::Expr::Lit(lit) => matches!(lit.lit, syn::Lit::Float(_) | syn::Lit::Int(_)),
        syn::Expr::Unary(unary) => matches!(unary.op, syn::UnOp::Neg(_)) && is_number(&unary.expr),
        syn::Expr::Path(path) => {
            let segments = &path.path.segments;
            segments.len() == 2 && (segments[0].ident == "f64" || segments[0].ident == "f32")
        }
        _ => false,
    }
}

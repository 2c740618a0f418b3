//! `closure!(|x: &[f64]| ..)` and `derivative!(|t: f64| ..; 1.0)`: a closure that is differentiated where it stands.
//!
//! Input: a closure whose parameters have types. Output: a value whose type is made for it, with the drivers as methods.
//!
//! ```text
//! { struct __ClosureRules { primal, frule, combined, combined_frule } impl __ClosureRules { fn gradient(&self, x: &[f64]) -> Vec<f64> .. }
//!   __ClosureRules::new(|x: &[f64]| .., |x: Dual<..>| .., ..) }
//! ```
//!
//! The rules are closures themselves, so that the captures of the user's closure have the types that rustc knows. To the compiler a captured variable is
//! a constant parameter of unknown type, which is in no signature. There is no split rule: its pullback would be a closure in a closure, and own the
//! captures. The rules of a `move` closure own clones.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;

use super::source::{Source, compile};
use crate::attributes::{strip, strip_loops};
use crate::depth;
use crate::diagnostics::{caught, error};
use crate::emit::{Entry, allows, emit_parts};
use crate::hir::{Surroundings, bare};
use crate::ir::Func;
use crate::options::Options;
use crate::pipeline::{forward_rule, reverse_rule, rule};
use crate::surface::Surface;
use crate::transform::{Shape, forward};

/// A closure, and where its derivative is wanted.
struct At {
    closure: syn::Expr,
    args: Punctuated<syn::Expr, syn::Token![,]>,
}

impl Parse for At {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let closure = input.parse()?;
        input.parse::<syn::Token![;]>()?;
        let args = Punctuated::parse_terminated(input)?;
        Ok(At { closure, args })
    }
}

pub(crate) fn closure(input: TokenStream) -> TokenStream {
    let closure = depth::check(&input).and_then(|()| syn::parse2::<syn::Expr>(input));
    let rules = closure.and_then(|closure| rules(&closure));
    rules.unwrap_or_else(|error| error.to_compile_error())
}

pub(crate) fn derivative(input: TokenStream) -> TokenStream {
    let whole = input.span();
    let at = depth::check(&input).and_then(|()| {
        syn::parse2::<At>(input).map_err(|_| {
            error(
                whole,
                "`derivative!` takes a closure and where its derivative is wanted",
                "write `derivative!(|t: f64| t * t; 1.0)`",
            )
        })
    });
    let made = at.and_then(|at| {
        let (rules, args) = (rules(&at.closure)?, &at.args);
        Ok(quote!(#rules.derivative(#args)))
    });
    made.unwrap_or_else(|error| error.to_compile_error())
}

fn rules(expr: &syn::Expr) -> syn::Result<TokenStream> {
    let closure = match bare(expr) {
        syn::Expr::Closure(closure) => closure,
        other => {
            return Err(error(
                other.span(),
                "only a closure can be differentiated here",
                "write it out: `closure!(|x: &[f64]| x[0] * x[1])`; a function gets its derivatives by `#[differentiable]`",
            ));
        }
    };
    let signature = signature(closure)?;
    caught(expr.span(), || {
        let body = &closure.body;
        let block: syn::Block = match &**body {
            syn::Expr::Block(block) if block.label.is_none() => block.block.clone(),
            body => syn::parse_quote!({ #body }),
        };
        let source = Source {
            surroundings: Surroundings {
                captures: true,
                ..Surroundings::default()
            },
            ..Source::new(&signature, &block)
        };
        let options = Options::default();
        let func = compile(&options, &source)?;
        if let Some(param) = func.params.iter().find(|param| param.function.is_some()) {
            return Err(error(
                param.ident.span(),
                "a differentiated closure can't take functions",
                "capture the function, or write `#[differentiable]` on a function that takes it",
            ));
        }
        let rules = emit(
            &func,
            &signature,
            &block,
            &options.runtime(),
            closure.capture.as_ref(),
        );
        Ok(rules)
    })
}

/// The closure as a function: its parameters have types, and its result is a number unless it says otherwise.
fn signature(closure: &syn::ExprClosure) -> syn::Result<syn::Signature> {
    let mut params: Vec<syn::FnArg> = Vec::new();
    for input in &closure.inputs {
        let syn::Pat::Type(typed) = input else {
            return Err(error(
                input.span(),
                "a parameter of a differentiated closure needs its type",
                format!("write `{}: f64`, or `{0}: &[f64]`", input.to_token_stream()),
            ));
        };
        params.push(syn::parse_quote!(#typed));
    }
    let output: syn::ReturnType = match &closure.output {
        syn::ReturnType::Default => syn::parse_quote!(-> f64),
        written @ syn::ReturnType::Type(..) => written.clone(),
    };
    Ok(syn::parse_quote!(fn closure(#(#params),*) #output))
}

/// One of the rules: its type parameter, its field, its bound, and the closure.
struct Rule {
    parameter: syn::Ident,
    field: syn::Ident,
    bound: TokenStream,
    closure: TokenStream,
}

impl Rule {
    fn new(field: &str, params: &[TokenStream], output: &TokenStream, body: &TokenStream) -> Self {
        let types = params
            .iter()
            .map(|param| match syn::parse2::<syn::FnArg>(param.clone()) {
                Ok(syn::FnArg::Typed(typed)) => typed.ty.to_token_stream(),
                _ => crate::diagnostics::bug!("a parameter without a type"),
            });
        Rule {
            parameter: quote::format_ident!("Rule_{field}"),
            field: quote::format_ident!("{field}"),
            bound: quote!(::core::ops::Fn(#(#types),*) -> #output),
            closure: quote!(|#(#params),*| -> #output { #body }),
        }
    }

    fn emitted(field: &str, func: &Func, rt: &TokenStream) -> Self {
        let generics = syn::Generics::default();
        let entry = Entry {
            dual: field.ends_with("frule"),
            ..Entry::new(rt, quote::format_ident!("{field}"), &generics)
        };
        let parts = emit_parts(func, &entry);
        Rule::new(field, &parts.params, &parts.output, &parts.body)
    }
}

fn emit(
    func: &Func,
    signature: &syn::Signature,
    block: &syn::Block,
    rt: &TokenStream,
    owning: Option<&syn::Token![move]>,
) -> TokenStream {
    let (vis, generics) = (syn::parse_quote!(pub), syn::Generics::default());
    let mut surface = Surface::new(func, rt, &vis, &generics, &[], None, false);
    surface.in_fields = true;
    surface.primal = quote!((self.primal));
    surface.check_if(Options::default().are_checked());
    let mut plain = signature.clone();
    strip(&mut plain);
    let inputs: Vec<_> = plain.inputs.iter().map(ToTokens::to_token_stream).collect();
    let mut block = block.clone();
    strip_loops(&mut block);
    let (output, statements) = (&func.output, &block.stmts);
    let combined = reverse_rule(func, Shape::Combined);
    let mut rules = vec![
        Rule::new(
            "primal",
            &inputs,
            &quote!(#output),
            &quote!(#(#statements)*),
        ),
        Rule::emitted("frule", &rule(forward(func)), rt),
        Rule::emitted("combined", &combined, rt),
    ];
    if surface.may_be_scalar() {
        rules.push(Rule::emitted(
            "combined_frule",
            &forward_rule(&combined),
            rt,
        ));
    }
    let drivers = surface.of_closure();
    let params = surface.rule_params();
    let args = surface.args.iter().map(|a| &a.name);
    let parameters: Vec<_> = rules.iter().map(|rule| &rule.parameter).collect();
    let fields: Vec<_> = rules.iter().map(|rule| &rule.field).collect();
    let bounds = rules.iter().map(|rule| &rule.bound);
    let captured: Vec<_> = func.params.iter().filter(|p| p.captured).collect();
    let captured: Vec<_> = captured.into_iter().map(|p| &p.ident).collect();
    // The primal's comes last: it moves the originals.
    let primal = &rules[0].closure;
    let others = rules[1..].iter().map(|rule| {
        let closure = &rule.closure;
        match owning {
            Some(_) => quote!({ #(let #captured = ::core::clone::Clone::clone(&#captured);)* move #closure }),
            None => closure.clone(),
        }
    });
    let made: Vec<_> = fields[1..].to_vec();
    let allow = allows();
    quote!({
        #[allow(non_camel_case_types, dead_code)]
        struct __ClosureRules<#(#parameters),*> {
            #(#fields: #parameters),*
        }
        #allow
        #[allow(non_camel_case_types)]
        impl<#(#parameters: #bounds),*> __ClosureRules<#(#parameters),*> {
            fn new(#(#fields: #parameters),*) -> Self {
                __ClosureRules { #(#fields),* }
            }

            /// The closure's value.
            #[inline]
            pub fn call(#(#params),*) -> #output {
                (self.primal)(#(#args),*)
            }

            #drivers
        }
        #allow
        let (#(#made,)*) = (#(#others,)*);
        // The user's own code has the user's lints.
        let primal = #owning #primal;
        let rules = __ClosureRules::new(primal, #(#made),*);
        rules
    })
}

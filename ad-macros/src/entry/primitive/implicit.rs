//! Functions whose result is defined by an equation: a root, a fixed point, a minimum.
//!
//! Input: a function that finds the result, and an expression of its parameters and its result. Output: the expression as a function of its own,
//! with hidden rules, and the rules of the function itself, which call those.
//!
//! ```text
//! // Input:
//! #[primitive(result = x, root = residual(&x, p))]
//! fn solve(p: &[f64]) -> Vec<f64> { .. }
//!
//! // Output:
//! fn __equation_of_solve(p: &[f64], x: Vec<f64>) -> Vec<f64> { residual(&x, p) }
//! // and its hidden rules, as those of a differentiable function
//! fn __frule(p: Dual<&[f64], &[f64]>) -> Dual<Vec<f64>, Vec<f64>> { .. }
//! ```

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::options::Implicit;
use super::primal;
use crate::diagnostics::{Errors, Whole, error};
use crate::emit::{Parts, output_ty, with_attribute};
use crate::entry::associated::{Context, emit, on_surface};
use crate::entry::parallel::written_out;
use crate::entry::source::{Emitted, Source, compile};
use crate::ir::{Func, PassedBy, Rule, Ty};
use crate::options::{Options, mentions, plain};
use crate::surface::{Surface, implicit};
use crate::transform::{Shape, reverse};

/// All items of a function whose result an equation defines.
pub(super) fn rules(
    options: &Options,
    source: &Source<'_>,
    implicit: &Implicit,
) -> syn::Result<TokenStream> {
    let func = primal::caller(options, source, Rule::Active)?;
    check(&func, source, implicit)?;
    let (sig, block) = equation(source, &func, implicit);
    let equation = Source {
        vis: &syn::Visibility::Inherited,
        sig: &sig,
        block: &block,
        method: true,
        emitted: Emitted::Hidden,
        ..*source
    };
    let equation_func = compile(options, &equation)?;
    let mut items = emit(options, &equation, &equation_func);
    items.extend(written_out(&sig, &block));
    let rt = options.runtime();
    let of = Surface::new(
        &equation_func,
        &rt,
        equation.vis,
        &sig.generics,
        source.outer,
        sig.receiver(),
        true,
    );
    let own = &primal::with_own_rules(options, source);
    items.extend(on_surface(own, source, &func, &|surface| {
        let rules = implicit::Implicit {
            surface,
            of: &of,
            equation: implicit.kind,
            solver: implicit.solver.as_ref(),
        };
        let context = Context {
            options: own,
            source,
            surface,
            boxed: false,
        };
        let item = |name: &str, dual: bool, parts: &Parts| {
            with_attribute(&quote!(#[track_caller]), context.item(name, dual, parts))
        };
        let mut items = item("frule", true, &rules.frule());
        items.extend(item("rrule", false, &rules.rrule()));
        items.extend(item("rrule_frule", true, &rules.second()));
        if surface.may_be_scalar() {
            items.extend(context.combined(reverse(&func, Shape::Combined)));
        }
        items
    }));
    Ok(items)
}

/// The equation's signature and body.
fn equation(source: &Source<'_>, func: &Func, implicit: &Implicit) -> (syn::Signature, syn::Block) {
    let (output, result, expr) = (&func.output, &implicit.result, &implicit.expr);
    let mut sig = source.sig.clone();
    sig.constness = None;
    sig.ident = format_ident!("__equation_of_{}", crate::emit::unraw(&sig.ident));
    sig.inputs.push(syn::parse_quote!(#result: #output));
    if implicit.kind == implicit::Equation::Minimum {
        sig.output = syn::parse_quote!(-> ::core::primitive::f64);
    }
    (sig, syn::parse_quote!({ #expr }))
}

/// The parameters are passed by value or by shared reference, and the result is owned.
fn check(func: &Func, source: &Source<'_>, implicit: &Implicit) -> syn::Result<()> {
    let mut errors = Errors::default();
    for (param, input) in func.params.iter().zip(&source.sig.inputs) {
        if param.by == PassedBy::Mut {
            errors.push(error(
                Whole(input),
                "a parameter of a function whose result an equation defines can't be `&mut`",
                "pass it by value or by shared reference: the equation is evaluated with the same arguments again",
            ));
        }
        if param.ident == implicit.result {
            let result = &implicit.result;
            errors.push(error(
                result.span(),
                format!("the result is called `{result}`, like a parameter"),
                "give it another name",
            ));
        }
    }
    let (expr, result) = (&implicit.expr, &implicit.result);
    if let syn::Expr::Path(path) = expr {
        let path = plain(&path.path);
        errors.push(error(
            Whole(expr),
            "an equation is an expression of the result and the parameters",
            format!("call the function: `{path}(&{result}, ..)`"),
        ));
    } else if !mentions(quote!(#expr), result) {
        errors.push(error(
            Whole(expr),
            format!("the equation doesn't use the result, `{result}`"),
            "write an expression of the result and the parameters",
        ));
    }
    let unfit = match (&func.output, output_ty(func)) {
        (syn::Type::Reference(_), _) => Some((
            "an equation can't define a reference",
            "return an owned value",
        )),
        (_, Ty::Option(_) | Ty::Result(..)) => Some((
            "an equation can't define an `Option` or a `Result`",
            "find the solution in another function, and pass it to this one, which returns it, as a `#[constant]` parameter",
        )),
        (_, Ty::Unit | Ty::Inactive(_) | Ty::Int(_) | Ty::Bool) => Some((
            "an equation can't define a value without a derivative",
            "return the numbers that solve the equation",
        )),
        _ => None,
    };
    if let Some((message, help)) = unfit {
        errors.push(match &source.sig.output {
            syn::ReturnType::Type(_, ty) => error(Whole(ty), message, help),
            syn::ReturnType::Default => error(source.sig.ident.span(), message, help),
        });
    }
    errors.finish(())
}

//! Partials as expressions: their checks, and how they become IR.
//!
//! Input: a scalar function and an expression for each partial. The expressions are lowered together, as one function
//! of the parameters and the result, so that they may be all that the compiler accepts in a function's body. Output: hidden
//! rules and the surface.
//!
//! The rules are IR, so second order is `forward` once more. A rule by hand without a second order is an error when code is generated for
//! it, since every caller emits its own second-order rule, used or not.

use proc_macro2::{Ident, Span, TokenStream};
use syn::visit::Visit;

use super::linear::Linearized;
use super::options::Partials;
use super::primal;
use crate::diagnostics::{Errors, Whole, bug, error};
use crate::emit::param_ty;
use crate::entry::associated::{Mode, emit_rules};
use crate::entry::source::{Source, compile_signature};
use crate::hir::{self, ExprKind};
use crate::ir::{Func, Op, OpKind, Param, PassedBy, Pattern, Rule, Value};
use crate::options::Options;
use crate::pipeline;
use crate::types::{self, Declared, Type, Types};

/// All items of a function whose rules follow from its partials.
pub(super) fn rules(
    options: &Options,
    source: &Source<'_>,
    partials: &Partials,
) -> syn::Result<TokenStream> {
    let primal = compile_signature(options, source)?;
    check(&primal, source, partials)?;
    let parts = Parts::new(&primal, source, partials);
    let linearized = linearized(options, source, &parts)?;
    let options = primal::with_own_rules(options, source);
    let rules = emit_rules(&options, source, &primal, false, &|mode| match mode {
        Mode::Forward => linearized.forward(),
        Mode::Reverse(shape) => linearized.reverse(shape),
    });
    Ok(rules)
}

/// Scalars only, one partial for each differentiated parameter, and no other.
fn check(primal: &Func, source: &Source<'_>, partials: &Partials) -> syn::Result<()> {
    let mut errors = Errors::default();
    let elsewhere = "for anything else write `frule = path` and `rrule = path`";
    for (param, input) in primal.params.iter().zip(&source.sig.inputs) {
        let scalar = param.by == PassedBy::Value && param_ty(primal, param).is_float();
        if param.constant || scalar {
            continue;
        }
        let message = "`partials` are for functions of `f32` and `f64`";
        errors.push(match input {
            syn::FnArg::Receiver(receiver) => error(
                Whole(receiver),
                message,
                format!(
                    "mark the receiver as not differentiated, `#[constant] &self`; {elsewhere}"
                ),
            ),
            syn::FnArg::Typed(typed) => error(
                Whole(&typed.ty),
                message,
                format!("mark the parameter as not differentiated, `#[constant]`; {elsewhere}"),
            ),
        });
    }
    let float = crate::types::from_written(&primal.output, &Declared::of(&source.sig.generics))
        .is_some_and(|ty| ty.is_float());
    if !float {
        let message = "`partials` are for functions that return an `f32` or `f64`";
        errors.push(match &source.sig.output {
            syn::ReturnType::Type(_, ty) => error(Whole(ty), message, elsewhere),
            syn::ReturnType::Default => error(source.sig.ident.span(), message, elsewhere),
        });
    }
    names(primal, source, partials, &mut errors);
    for (_, expr) in &partials.each {
        let mut exits = Exits(&mut errors);
        exits.visit_expr(expr);
    }
    errors.finish(())
}

/// Checks that the partials' names are those of the differentiated parameters.
fn names(primal: &Func, source: &Source<'_>, partials: &Partials, errors: &mut Errors) {
    let differentiated: Vec<&Param> = primal.params.iter().filter(|p| !p.constant).collect();
    let mut seen: Vec<&Ident> = Vec::new();
    for (name, _) in &partials.each {
        if seen.contains(&name) {
            let message = format!("the partial for `{name}` is given twice");
            errors.push(error(name.span(), message, "give it once"));
        } else if differentiated.iter().any(|p| p.ident == *name) {
            seen.push(name);
        } else if primal.params.iter().any(|p| p.ident == *name) {
            let message = format!("`{name}` is not differentiated");
            errors.push(error(name.span(), message, "leave its partial out"));
        } else {
            let all: Vec<String> = differentiated
                .iter()
                .map(|p| format!("`{}`", p.ident))
                .collect();
            let help = match &all[..] {
                [] => "none of its parameters is differentiated".to_owned(),
                all => format!("the partials are those with respect to {}", all.join(", ")),
            };
            let message = format!("`{}` has no parameter `{name}`", source.sig.ident);
            errors.push(error(name.span(), message, help));
        }
    }
    for param in differentiated.into_iter().filter(|p| !p.receiver) {
        if !partials.each.iter().any(|(name, _)| *name == param.ident) {
            let name = &param.ident;
            errors.push(error(
                name.span(),
                format!("there is no partial for `{name}`"),
                format!(
                    "add `{name} = ..` to `partials`, or mark the parameter as not differentiated, `#[constant] {name}`"
                ),
            ));
        }
    }
    if let Some(result) = &partials.result
        && primal.params.iter().any(|p| p.ident == *result)
    {
        errors.push(error(
            result.span(),
            format!("the result is called `{result}`, like a parameter"),
            "give it another name",
        ));
    }
}

/// A partial has a value: nothing leaves it.
struct Exits<'a>(&'a mut Errors);

impl<'ast> Visit<'ast> for Exits<'_> {
    fn visit_expr_return(&mut self, expr: &'ast syn::ExprReturn) {
        self.0.push(error(
            expr.return_token.span,
            "`return` out of a partial",
            "write `if .. { .. } else { .. }`",
        ));
    }

    fn visit_expr_try(&mut self, expr: &'ast syn::ExprTry) {
        self.0.push(error(
            Whole(&expr.question_token),
            "`?` out of a partial",
            "write `match`, with a value for each case",
        ));
    }

    fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}

    fn visit_item(&mut self, _: &'ast syn::Item) {}
}

/// The function of the parameters and the result whose value is the tuple of the partials.
struct Parts {
    sig: syn::Signature,
    block: syn::Block,
    /// The type of the result of the function itself.
    output: syn::Type,
    exprs: Vec<syn::Expr>,
    /// The positions of the differentiated parameters.
    positions: Vec<usize>,
}

impl Parts {
    fn new(primal: &Func, source: &Source<'_>, partials: &Partials) -> Self {
        let positions: Vec<usize> = (0..primal.params.len())
            .filter(|k| !primal.params[*k].constant)
            .collect();
        let exprs = positions.iter().filter_map(|k| {
            let mut each = partials.each.iter();
            let (_, expr) = each.find(|(name, _)| *name == primal.params[*k].ident)?;
            Some(expr.clone())
        });
        let exprs: Vec<syn::Expr> = exprs.collect();
        let result = partials
            .result
            .clone()
            .unwrap_or_else(|| Ident::new("__result", Span::mixed_site()));
        let output = &primal.output;
        let types = positions.iter().map(|_| output);
        let mut sig = source.sig.clone();
        sig.constness = None;
        // A partial that calls the function itself means the function, not this one, which has another result.
        sig.ident = Ident::new("__partials", Span::mixed_site());
        sig.inputs.push(syn::parse_quote!(#result: #output));
        sig.output = syn::parse_quote!(-> (#(#types,)*));
        let block = syn::parse_quote!({ (#(#exprs,)*) });
        Parts {
            sig,
            block,
            output: output.clone(),
            exprs,
            positions,
        }
    }

    /// The partials, in the parsed function.
    fn partials_of<'f>(&self, func: &'f hir::Func) -> impl Iterator<Item = &'f hir::Expr> {
        match func.body.value.as_ref().map(|value| &value.kind) {
            Some(ExprKind::Tuple(partials)) if partials.len() == self.exprs.len() => {
                partials.iter()
            }
            _ => bug!("the partials are the components of a tuple"),
        }
    }
}

/// Lowers the partials, and puts the call of the primal before them.
fn linearized(options: &Options, source: &Source<'_>, parts: &Parts) -> syn::Result<Linearized> {
    let hir = hir::parse(&parts.sig, &parts.block, &source.surroundings, options)?;
    let types = types::resolve(&hir)?;
    types_fit(&hir, &types, options, source, parts)?;
    let mut func = pipeline::primal(&hir, &types)?;
    let Some(result) = func.params.pop() else {
        bug!("the partials' function takes the result")
    };
    let (y, mut ops) = value(&mut func, source, &result);
    ops.append(&mut func.body.ops);
    let partials = components(&func, &mut ops);
    func.body.ops = ops;
    func.body.yields = Vec::new();
    func.output = parts.output.clone();
    func.name = source.sig.ident.clone();
    let positions = parts.positions.iter().copied();
    Ok(Linearized {
        func,
        y,
        partials: positions.zip(partials).collect(),
    })
}

/// Checks that each partial has the type of the result, both by itself and where that type is expected.
fn types_fit(
    expected: &hir::Func,
    types: &Types,
    options: &Options,
    source: &Source<'_>,
    parts: &Parts,
) -> syn::Result<()> {
    let mut sig = parts.sig.clone();
    sig.output = syn::parse_quote!(-> _);
    let alone = hir::parse(&sig, &parts.block, &source.surroundings, options)?;
    let alone_types = types::resolve(&alone)?;
    let output = types::from_written(&parts.output, &Declared::of(&source.sig.generics))
        .map_or(Type::Deferred, |ty| ty);
    let mut errors = Errors::default();
    let pairs = parts.partials_of(&alone).zip(parts.partials_of(expected));
    for ((alone, partial), expr) in pairs.zip(&parts.exprs) {
        let got = [alone_types.expr(alone.id), types.expr(partial.id)];
        if let Some(got) = got.into_iter().find(|got| misfit(got, &output)) {
            errors.push(error(
                Whole(expr),
                match got {
                    Type::Never => "a partial without a value".to_owned(),
                    got => format!("a partial of type `{}`", got.lower()),
                },
                format!(
                    "write an expression of the result's type, `{}`",
                    output.lower()
                ),
            ));
        }
    }
    errors.finish(())
}

/// True if a type is known not to be the float `wanted`.
fn misfit(got: &Type, wanted: &Type) -> bool {
    !matches!(
        (got, wanted),
        (Type::Deferred, _) | (Type::F32, Type::F32) | (Type::F64, Type::F64)
    )
}

/// The call of the primal, whose value the partials see as `result`.
fn value(func: &mut Func, source: &Source<'_>, result: &Param) -> (Value, Vec<Op>) {
    let span = source.sig.ident.span();
    let Pattern::Slot(slot) = result.pattern else {
        let Pattern::Value(y) = result.pattern else {
            bug!("a parameter of a primal with a tangent")
        };
        return (y, primal::call(func, source, Rule::Active, y));
    };
    let ty = func.slot(slot).ty.clone();
    let y = func.new_value(ty, "y", span);
    let mut ops = primal::call(func, source, Rule::Active, y);
    ops.push(Op::new(OpKind::Init(slot, y), Vec::new(), span));
    (y, ops)
}

/// The components of the tuple that the partials' function yields.
fn components(func: &Func, ops: &mut Vec<Op>) -> Vec<Value> {
    let tuple = func.body.yields.as_slice();
    let made = ops.iter().rposition(|op| op.results == tuple);
    match made.map(|made| ops.remove(made).kind) {
        Some(OpKind::Tuple(values)) => values,
        _ => bug!("the partials' function gives a tuple"),
    }
}

#[cfg(test)]
mod tests;

//! Functions as values: parameters that are functions, calls of them, and closures where they are passed on.

use std::rc::Rc;

use proc_macro2::{Ident, Span};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit_mut::VisitMut;

use super::closure::{Returns, bare};
use super::parse::Parser;
use super::{Block, Closure, Expr, ExprKind, mentions, try_operator};
use crate::diagnostics::{Errors, Whole, error};
use crate::ir::{FunctionType, Input, PassedBy};
use crate::std_model::{self, Arg, Of, takes_function};
use crate::types::written::ungrouped;
use crate::types::{Type, scalar_item};

/// Returns `true` if a method of this name is one of std's that take functions.
pub(super) fn is_std(method: &Ident) -> bool {
    let name = method.to_string();
    takes_function(&name) || name == "entry" || name == "zip"
}

/// The type of a parameter, if it is a function: `impl Fn(A) -> R`, `&dyn Fn(A) -> R`, `fn(A) -> R`, or a type parameter
/// with such a bound. `ty` is without the outer reference.
pub(crate) fn parameter(ty: &syn::Type, sig: &syn::Signature) -> Option<FunctionType> {
    match ungrouped(ty) {
        syn::Type::ImplTrait(ty) => of_bounds(&ty.bounds),
        syn::Type::TraitObject(ty) => of_bounds(&ty.bounds),
        syn::Type::FnPtr(ty) => Some(function_type(
            ty.inputs.iter().map(|input| &input.ty),
            &ty.output,
            true,
        )),
        syn::Type::Path(ty) => of_parameter(ty.path.get_ident()?, sig),
        _ => None,
    }
}

/// The type of the functions that a type parameter represents.
pub(crate) fn of_parameter(name: &Ident, sig: &syn::Signature) -> Option<FunctionType> {
    let param = sig.generics.type_params().find(|p| p.ident == *name)?;
    let predicates = sig.generics.where_clause.iter().flat_map(|c| &c.predicates);
    let clauses = predicates.filter_map(|predicate| match predicate {
        syn::WherePredicate::Type(p) => match ungrouped(&p.bounded_ty) {
            syn::Type::Path(ty) if ty.path.is_ident(name) => Some(&p.bounds),
            _ => None,
        },
        _ => None,
    });
    std::iter::once(&param.bounds)
        .chain(clauses)
        .find_map(of_bounds)
}

fn of_bounds(bounds: &Punctuated<syn::TypeParamBound, syn::Token![+]>) -> Option<FunctionType> {
    bounds.iter().find_map(|bound| {
        let syn::TypeParamBound::Trait(bound) = bound else {
            return None;
        };
        let last = bound.path.segments.last()?;
        let name = last.ident.to_string();
        let syn::PathArguments::Parenthesized(args) = &last.arguments else {
            return None;
        };
        matches!(name.as_str(), "Fn" | "FnMut" | "FnOnce").then(|| {
            function_type(
                args.inputs.iter().map(|input| &input.ty),
                &args.output,
                name == "Fn",
            )
        })
    })
}

fn function_type<'a>(
    inputs: impl Iterator<Item = &'a syn::Type>,
    output: &syn::ReturnType,
    stateless: bool,
) -> FunctionType {
    let inputs = inputs
        .map(|ty| match ungrouped(ty) {
            syn::Type::Reference(reference) => Input {
                by: match reference.mutability {
                    Some(_) => PassedBy::Mut,
                    None => PassedBy::Ref,
                },
                ty: anonymous(&reference.elem),
            },
            ty => Input {
                by: PassedBy::Value,
                ty: anonymous(ty),
            },
        })
        .collect();
    let output = match output {
        syn::ReturnType::Default => syn::parse_quote!(()),
        syn::ReturnType::Type(_, ty) => anonymous(ty),
    };
    FunctionType {
        inputs,
        output,
        stateless,
    }
}

/// A type with its lifetimes elided: those of a function's parameters have no names elsewhere.
fn anonymous(ty: &syn::Type) -> syn::Type {
    struct Elide;
    impl VisitMut for Elide {
        fn visit_lifetime_mut(&mut self, lifetime: &mut syn::Lifetime) {
            if lifetime.ident != "static" {
                lifetime.ident = Ident::new("_", lifetime.ident.span());
            }
        }
    }
    let mut ty = ty.clone();
    Elide.visit_type_mut(&mut ty);
    ty
}

/// Rejects types of functions that aren't supported.
pub(super) fn reject(function: &FunctionType, errors: &mut Errors) {
    if let syn::Type::Reference(output) = ungrouped(&function.output) {
        errors.push(error(
            Whole(output),
            "a function parameter that returns a reference is not supported yet",
            "let it return a value, or write through a `&mut` argument",
        ));
    }
    let nested = function.inputs.iter().find(|input| {
        matches!(
            ungrouped(&input.ty),
            syn::Type::FnPtr(_) | syn::Type::ImplTrait(_) | syn::Type::TraitObject(_)
        )
    });
    if let Some(input) = nested {
        errors.push(error(
            Whole(&input.ty),
            "a function that takes a function is not supported yet as a parameter",
            "pass the inner function as a parameter of its own",
        ));
    }
}

impl Parser {
    /// An argument of a call, or the initial value of a variable: a closure is read there.
    pub(super) fn argument(&mut self, source: &syn::Expr) -> Expr {
        let source = bare(source);
        match source {
            syn::Expr::Closure(closure) => self.closure_region(closure, source),
            syn::Expr::Path(path) => match self
                .float_function(path)
                .or_else(|| self.chosen_closure(path))
            {
                Some(closure) => self.closure_region(&closure, source),
                None => self.expr(source),
            },
            syn::Expr::Reference(reference) => match self.function_behind(&reference.expr) {
                Some(inner) => {
                    let inner = self.argument(inner);
                    let kind = ExprKind::Ref(reference.mutability.is_some(), Box::new(inner));
                    self.sourced(kind, source)
                }
                None => self.expr(source),
            },
            source => self.expr(source),
        }
    }

    /// The function that a reference is to: a closure, `*g` of a boxed closure, or one that is chosen.
    fn function_behind<'e>(&self, target: &'e syn::Expr) -> Option<&'e syn::Expr> {
        match bare(target) {
            closure @ syn::Expr::Closure(_) => Some(closure),
            syn::Expr::Unary(boxed) if matches!(boxed.op, syn::UnOp::Deref(_)) => {
                let boxed = bare(&boxed.expr);
                let var = self.variable_named(boxed)?;
                self.callables.contains_key(&var).then_some(boxed)
            }
            named @ syn::Expr::Path(path) => self.chosen_closure(path).map(|_| named),
            _ => None,
        }
    }

    pub(super) fn apply_variable(
        &mut self,
        var: super::Var,
        call: &syn::ExprCall,
        source: &syn::Expr,
    ) -> Expr {
        let args = call.args.iter().map(|arg| self.argument(arg)).collect();
        self.sourced(ExprKind::Apply(var, args), source)
    }

    /// `f64::sin` is `|x: f64| x.sin()`.
    fn float_function(&self, path: &syn::ExprPath) -> Option<syn::ExprClosure> {
        let (own, name) = scalar_item(path, &self.hidden_types)?;
        if !own.is_float() {
            return None;
        }
        let method = std_model::method(Of::Float, &name)?;
        let name = Ident::new(&name, path.span());
        let own = match own {
            Type::F32 => quote::quote!(::core::primitive::f32),
            _ => quote::quote!(::core::primitive::f64),
        };
        let mut idents = ["x", "y", "z"]
            .map(|name| Ident::new(name, Span::mixed_site()))
            .into_iter();
        let first = idents.next()?;
        let rest: Vec<Ident> = idents.take(method.args.len()).collect();
        let types = method.args.iter().map(|kind| match kind {
            Arg::I32 => quote::quote!(i32),
            _ => quote::quote!(#own),
        });
        Some(syn::parse_quote!(|#first: #own #(, #rest: #types)*| #first.#name(#(#rest),*)))
    }

    /// A closure whose body is in the language; any other is verbatim.
    fn closure_region(&mut self, closure: &syn::ExprClosure, source: &syn::Expr) -> Expr {
        let outside = std::mem::take(&mut self.errors);
        let items = self.items.len();
        let labels = std::mem::take(&mut self.labels);
        let read = self.scoped(|parser| parser.closure_parts(closure));
        self.labels = labels;
        let errors = std::mem::replace(&mut self.errors, outside);
        let plain = closure.asyncness.is_none() && closure.constness.is_none();
        if !errors.is_empty() || !plain || self.items.len() > items {
            self.items.truncate(items);
            return self.unsupported(source);
        }
        let captures = mentions::of_expr(source, self);
        let closure = Closure {
            captures,
            is_move: closure.capture.is_some(),
            ..read
        };
        self.sourced(ExprKind::Closure(Box::new(closure)), source)
    }

    fn closure_parts(&mut self, closure: &syn::ExprClosure) -> Closure {
        let params = closure
            .inputs
            .iter()
            .map(|input| {
                let ty = match input {
                    syn::Pat::Type(input) => Some((*input.ty).clone()),
                    _ => None,
                };
                (self.pattern(input), ty)
            })
            .collect();
        self.returns.push(try_operator::returned_by(closure));
        let collected = self.returned(&closure.body);
        let body = collected.as_ref().unwrap_or(&closure.body);
        let body = if returns(body) {
            self.returning_body(body)
        } else {
            self.expr(body)
        };
        self.returns.pop();
        Closure {
            params,
            body,
            is_move: false,
            captures: Vec::new(),
        }
    }

    /// `|..| { .. return x; .. }` is `|..| 'closure: { .. break 'closure x; .. }`.
    fn returning_body(&mut self, body: &syn::Expr) -> Expr {
        let span = body.span();
        let block = self.labelled(None, false, |parser, scope| {
            let outer = parser.leaves.replace(Returns::to(scope));
            let value = Some(parser.boxed(body));
            parser.leaves = outer;
            let stmts = Vec::new();
            ExprKind::Block(Block { stmts, value, span }, Some(scope))
        });
        self.node(block, span)
    }
}

/// Returns `true` if the body of a closure contains a `return` of its own.
fn returns(body: &syn::Expr) -> bool {
    let mut exits = mentions::exits(body).into_iter();
    exits.any(|(_, exit)| exit == "`return`" || exit == "`?`")
}

/// The type of a parameter, shared.
pub(super) fn shared(function: Option<FunctionType>) -> Option<Rc<FunctionType>> {
    function.map(Rc::new)
}

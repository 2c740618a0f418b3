//! Functions as values: closures and their halves, function items, parameters that are functions.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::expr::annotation;
use super::signature::{Entry, bound_by_shortest, by_type, captured, floats_of, own, tangent_type};
use super::{Emitter, Pending};
use crate::diagnostics::bug;
use crate::ir::{
    Closure, Func, Function, FunctionType, Input, Op, Param, PassedBy, Pattern, Slot, Ty,
};
use crate::types::{Declared, from_written};

/// Which rule of a function is passed on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    Forward,
    /// The forward half of a reverse rule.
    Split,
    /// The same, of second order.
    SplitDual,
    /// The reverse half.
    Reverse,
    ReverseDual,
}

impl Emitter<'_> {
    /// The type of a parameter that is a function.
    pub(super) fn function_type(&self, slot: Slot) -> &FunctionType {
        let is = |p: &&Param| matches!(p.pattern, Pattern::Slot(s) if s == slot);
        let param = self.func.params.iter().find(is);
        match param.and_then(|p| p.function.as_ref()) {
            Some(function) => function,
            None => bug!("a call of what isn't a function"),
        }
    }

    /// The modes of a function's parameters.
    pub(super) fn function_modes(&self, slot: Slot) -> TokenStream {
        let rt = self.rt;
        let modes = self.function_type(slot).inputs.iter().map(|input| {
            let ty = &input.ty;
            match input.by {
                PassedBy::Value => quote!(#rt::mode::owned::<#ty>()),
                PassedBy::Ref => quote!(#rt::mode::by_ref::<#ty>()),
                PassedBy::Mut => quote!(#rt::mode::by_mut::<#ty>()),
            }
        });
        quote!((#(#modes,)*))
    }

    /// A function as an argument of a rule or pullback.
    pub(super) fn function(&mut self, function: &Function, form: Form) -> Pending {
        let tokens = match function {
            Function::Closure(closure) => self.closure(closure),
            Function::Param(slot) => self.passed_on(*slot, form),
            Function::Item { path, associated } => self.item(path, *associated, form),
        };
        Pending::atom(tokens)
    }

    /// Several functions of one call may use the same parameter, but only one may borrow it.
    pub(super) fn share_functions(&mut self, op: &Op, out: &mut TokenStream) -> Vec<Slot> {
        let mut users: BTreeMap<Slot, usize> = BTreeMap::new();
        for function in op.functions() {
            for slot in self.functions_in(function) {
                *users.entry(slot).or_default() += 1;
            }
        }
        let shared: Vec<Slot> = (users.into_iter())
            .filter(|(slot, users)| *users > 1 && !self.cells.contains_key(slot))
            .map(|(slot, _)| slot)
            .collect();
        for slot in &shared {
            let (cell, function) = (self.names.fresh("shared"), self.slot(*slot));
            out.extend(quote!(let #cell = ::core::cell::RefCell::new(&mut *#function);));
            self.cells.insert(*slot, cell);
        }
        shared
    }

    fn functions_in(&self, function: &Function) -> BTreeSet<Slot> {
        let mut all = BTreeSet::new();
        match function {
            Function::Item { .. } => {}
            Function::Param(slot) => {
                all.insert(*slot);
            }
            Function::Closure(closure) => closure.body.walk(&mut |op| {
                let slots = op.slots().into_iter().map(|(slot, _)| slot);
                all.extend(slots.filter(|slot| self.func.slot(*slot).ty.is_function()));
            }),
        }
        all
    }

    /// A function parameter, as the callee of a call.
    pub(super) fn called(&mut self, slot: Slot) -> TokenStream {
        match self.cells.get(&slot) {
            Some(cell) => quote!((*#cell.borrow_mut())),
            None => {
                let function = self.slot(slot);
                quote!(#function)
            }
        }
    }

    fn passed_on(&mut self, slot: Slot, form: Form) -> TokenStream {
        if !self.cells.contains_key(&slot) {
            let function = self.slot(slot);
            return quote!(&mut *#function);
        }
        let (function, args) = (self.called(slot), own("args"));
        match form {
            Form::Reverse | Form::ReverseDual => {
                let (residual, seed) = (own("residual"), own("seed"));
                quote!(&mut |#residual, #seed, #args| #function(#residual, #seed, #args))
            }
            _ => quote!(&mut |#args| #function(#args)),
        }
    }

    fn closure(&mut self, closure: &Closure) -> TokenStream {
        let seed = closure.seed.as_ref().map(|seed| self.pattern(seed));
        let types: Vec<_> = closure.params.iter().map(|p| self.type_of(p)).collect();
        let mut params: Vec<TokenStream> = closure.params.iter().map(|p| self.pattern(p)).collect();
        let links: Vec<Ident> = (closure.links.iter().flatten())
            .map(|link| self.slot(*link))
            .collect();
        let statements = self.statements(&closure.body);
        let mut results = Vec::new();
        for (k, pattern) in closure.yielded().iter().enumerate() {
            let mut result = self.result(pattern);
            // Only rustc can tell whether an argument of unknown type is a reference, whose shadow is passed with it.
            if seed.is_some() && self.is_open(pattern) {
                let (rt, position) = (self.rt, self.names.fresh("position"));
                params[k] = quote!(#position);
                result = quote!(#rt::item::give_back(#position, #result));
            }
            results.push(result);
        }
        let types = types.iter().any(Option::is_some).then(|| {
            let types = types
                .iter()
                .map(|ty| ty.clone().unwrap_or_else(|| quote!(_)));
            quote!(: (#(#types,)*))
        });
        match (&closure.links, seed) {
            (None, _) => quote!(&mut |(#(#params,)*) #types| { #statements #(#results)* }),
            (Some(_), None) => {
                quote!(&mut |(#(#params,)*) #types| { #statements (#(#results)*, (#(#links,)*)) })
            }
            (Some(_), Some(seed)) => quote! {
                &mut |(#(#links,)*), #seed, (#(#params,)*) #types| { #statements (#(#results,)*) }
            },
        }
    }

    /// The type of a closure's parameter, as far as it is made of floats: a generic callee may not decide it.
    fn type_of(&self, pattern: &Pattern) -> Option<TokenStream> {
        let rt = self.rt;
        let both = |a: &Pattern, b: &Pattern| {
            let types = [self.type_of(a), self.type_of(b)];
            let known = types.iter().any(Option::is_some);
            known.then(|| types.map(|ty| ty.unwrap_or_else(|| quote!(_))))
        };
        match pattern {
            Pattern::Value(v) => {
                let ty = self.func.ty(*v);
                ty.is_scalar().then(|| annotation(ty, rt))?
            }
            Pattern::Slot(_) => floats_of(self.func, pattern, rt),
            Pattern::Dual(a, b) => both(a, b).map(|types| quote!(#rt::Dual<#(#types),*>)),
            Pattern::CoDual(a, b) => both(a, b).map(|types| quote!(#rt::CoDual<#(#types),*>)),
            Pattern::Unit => None,
        }
    }

    /// Returns `true` if only rustc can resolve the type of a cotangent.
    fn is_open(&self, pattern: &Pattern) -> bool {
        let mut open = false;
        pattern.each_leaf(&mut |leaf| {
            if let Pattern::Value(v) = leaf {
                open |= matches!(self.func.ty(*v), Ty::Tangent(of) if matches!(**of, Ty::Deferred));
            }
        });
        open
    }

    /// The parameters of a function item's rules depend on which of its parameters are constant; its modes tell.
    fn item(&self, path: &syn::ExprPath, associated: bool, form: Form) -> TokenStream {
        let rt = self.rt;
        let modes = self.rule_path(path, associated, "modes");
        let (args, pullback, seed) = (own("args"), own("pullback"), own("seed"));
        match form {
            Form::Forward | Form::SplitDual => {
                let name = if form == Form::Forward {
                    "frule"
                } else {
                    "rrule_frule"
                };
                let rule = self.rule_path(path, associated, name);
                quote!(&mut |#args| #rt::item::call(#rule, #rt::item::forward(#modes(), #args)))
            }
            Form::Split => {
                let rule = self.rule_path(path, associated, "rrule");
                quote!(&mut |#args| #rt::item::call(#rule, #args))
            }
            Form::Reverse | Form::ReverseDual => quote! {
                &mut |#pullback, #seed, #args| #rt::item::reverse(#modes(), #pullback, #seed, #args)
            },
        }
    }
}

/// Modes are not generic over functions, whose types a turbofish leaves to be inferred.
pub(super) fn without_inferred(path: &mut syn::ExprPath) {
    if let Some(last) = path.path.segments.last_mut()
        && let syn::PathArguments::AngleBracketed(args) = &mut last.arguments
    {
        let all = std::mem::take(&mut args.args);
        let inferred = |arg: &syn::GenericArgument| {
            matches!(arg, syn::GenericArgument::Type(syn::Type::Infer(_)))
        };
        args.args = all.into_iter().filter(|arg| !inferred(arg)).collect();
        if args.args.is_empty() {
            last.arguments = syn::PathArguments::None;
        }
    }
}

/// The name of the type parameter for a function parameter's rule (a forward rule), or for its residual (a reverse
/// rule): the user's own, where the parameter has one.
fn type_parameters(func: &Func, generics: &syn::Generics) -> Vec<Option<Ident>> {
    let mut taken: Vec<&Ident> = Vec::new();
    let mut names = Vec::new();
    for (k, param) in func.params.iter().enumerate() {
        if param.function.is_none() {
            names.push(None);
            continue;
        }
        let written = match &param.ty {
            syn::Type::Path(ty) => ty.path.get_ident(),
            _ => None,
        };
        let user = written.filter(|ident| {
            let is_param = generics.type_params().any(|p| p.ident == **ident);
            is_param && !taken.contains(ident)
        });
        names.push(Some(match user {
            Some(ident) => {
                taken.push(ident);
                ident.clone()
            }
            None => format_ident!("Function{k}", span = own("x").span()),
        }));
    }
    names
}

/// The generics of a rule of a function with function parameters: bounds on functions are bounds on their rules.
pub(crate) fn rule_generics(func: &Func, entry: &Entry<'_>) -> syn::Generics {
    let mut generics = without_functions(func, entry.generics, false);
    let forward = !is_reverse(func);
    for (name, param) in type_parameters(func, entry.generics)
        .iter()
        .zip(&func.params)
    {
        let (Some(name), Some(function)) = (name, &param.function) else {
            continue;
        };
        let known = generics.type_params_mut().find(|p| p.ident == *name);
        let mut bounds: Vec<syn::TypeParamBound> = Vec::new();
        if forward {
            let rule = rule_bound(function, entry.rt);
            bounds.push(syn::parse_quote!(#rule));
        } else if entry.boxed {
            bounds.push(syn::parse_quote!(::core::marker::Send));
            bounds.push(syn::parse_quote!(::core::marker::Sync));
            bounds.push(syn::parse_quote!('static));
        }
        match known {
            Some(known) => known.bounds.extend(bounds),
            None => generics.params.push(syn::parse_quote!(#name: #(#bounds)+*)),
        }
    }
    if entry.boxed && func.pullback.is_some() {
        let params = (func.params.iter()).map(|param| (&param.ty, param.lifetime.as_ref()));
        let mut captured = captured(entry.outer, entry.generics, params, &func.output);
        bound_by_shortest(&mut generics, &mut captured);
    }
    generics
}

/// Generics without the bounds of functions; with `all`, without their type parameters.
pub(crate) fn without_functions(func: &Func, generics: &syn::Generics, all: bool) -> syn::Generics {
    let is_function = |ident: &Ident| {
        func.params.iter().any(|p| {
            p.function.is_some() && matches!(&p.ty, syn::Type::Path(ty) if ty.path.is_ident(ident))
        })
    };
    let mut generics = generics.clone();
    if all {
        let params = std::mem::take(&mut generics.params);
        let kept = params.into_iter().filter(|param| match param {
            syn::GenericParam::Type(param) => !is_function(&param.ident),
            _ => true,
        });
        generics.params = kept.collect();
    }
    for param in generics.type_params_mut() {
        if is_function(&param.ident) {
            param.bounds.clear();
            param.colon_token = None;
        }
    }
    if let Some(clause) = &mut generics.where_clause {
        let predicates = std::mem::take(&mut clause.predicates);
        let kept = predicates.into_iter().filter(|predicate| match predicate {
            syn::WherePredicate::Type(p) => match &p.bounded_ty {
                syn::Type::Path(ty) => !ty.path.get_ident().is_some_and(is_function),
                _ => true,
            },
            _ => true,
        });
        clause.predicates = kept.collect();
        if clause.predicates.is_empty() {
            generics.where_clause = None;
        }
    }
    generics
}

fn is_reverse(func: &Func) -> bool {
    func.pullback.is_some() || !func.extra.is_empty()
}

/// The type of a rule's parameter that is a function.
pub(super) fn param_type(func: &Func, param: usize, entry: &Entry<'_>) -> TokenStream {
    let names = type_parameters(func, entry.generics);
    let (Some(name), Some(function)) = (&names[param], &func.params[param].function) else {
        bug!("not a function")
    };
    if !is_reverse(func) {
        return quote!(&mut #name);
    }
    let rt = entry.rt;
    let inputs = function.inputs.iter().map(|input| {
        if entry.dual {
            dual_input(input, rt)
        } else {
            by_type(input.by, None, &input.ty)
        }
    });
    let output = if entry.dual {
        dual_output(function, rt)
    } else {
        let output = &function.output;
        quote!(#output)
    };
    quote!(&mut dyn ::core::ops::FnMut((#(#inputs,)*)) -> (#output, #name))
}

/// The type of a function's reverse half.
pub(super) fn reverse_type(func: &Func, param: usize, entry: &Entry<'_>) -> TokenStream {
    let names = type_parameters(func, entry.generics);
    let (Some(name), Some(function)) = (&names[param], &func.params[param].function) else {
        bug!("not a function")
    };
    let rt = entry.rt;
    let output = tangent(&function.output, PassedBy::Value, rt);
    let seed = if entry.dual {
        quote!(#rt::Dual<#output, #output>)
    } else {
        output
    };
    let mut positions = Vec::new();
    let mut results = Vec::new();
    for input in &function.inputs {
        let bar = tangent(&input.ty, input.by, rt);
        if input.by == PassedBy::Value {
            positions.push(quote!(()));
            results.push(if entry.dual {
                quote!(#rt::Dual<#bar, #bar>)
            } else {
                bar
            });
            continue;
        }
        results.push(quote!(()));
        positions.push(if entry.dual {
            let primal = dual_input(input, rt);
            quote!(#rt::CoDual<#primal, #rt::Dual<&mut #bar, &mut #bar>>)
        } else {
            let primal = by_type(input.by, None, &input.ty);
            quote!(#rt::CoDual<#primal, &mut #bar>)
        });
    }
    quote!(&mut dyn ::core::ops::FnMut(#name, #seed, (#(#positions,)*)) -> (#(#results,)*))
}

/// `FnMut((Dual<A, A::Tangent>,)) -> Dual<R, R::Tangent>`.
fn rule_bound(function: &FunctionType, rt: &TokenStream) -> TokenStream {
    let inputs = function.inputs.iter().map(|input| dual_input(input, rt));
    let output = dual_output(function, rt);
    quote!(::core::ops::FnMut((#(#inputs,)*)) -> #output)
}

fn dual_input(input: &Input, rt: &TokenStream) -> TokenStream {
    let primal = by_type(input.by, None, &input.ty);
    let tangent = by_type(input.by, None, &tangent(&input.ty, input.by, rt));
    quote!(#rt::Dual<#primal, #tangent>)
}

fn dual_output(function: &FunctionType, rt: &TokenStream) -> TokenStream {
    let output = &function.output;
    let tangent = tangent(&function.output, PassedBy::Value, rt);
    quote!(#rt::Dual<#output, #tangent>)
}

fn tangent(ty: &syn::Type, by: PassedBy, rt: &TokenStream) -> TokenStream {
    let known = from_written(ty, &Declared::default()).map_or(Ty::Deferred, |ty| ty.lower());
    tangent_type(ty, &known, by, rt)
}

//! Functions as values: closures where they are passed on become regions.
//!
//! A call has `Arg::Function`, a region with residuals: its forward half stands in the forward half of the caller, its reverse half in the
//! caller's pullback. Both stand in other functions than the variables that the closure captures, so the forward half passes these to the
//! reverse half as a tuple of links.

use std::rc::Rc;

use super::builder::{Binding, Failed, Flow, Lowered, Lowerer};
use super::storage::Storage;
use crate::hir::{self, Access, Expr, ExprKind, Pat, Var};
use crate::ir::{
    Arg, Call, Callee, Closure, Function, OpKind, Pattern, Place, Region, Rule, SlotKind, Ty,
};
use crate::paths::last_name;
use crate::types::Type;

/// A closure that is bound to a variable, with the bindings of names where it was made.
#[derive(Clone, Debug)]
pub(super) struct Known {
    closure: Rc<hir::Closure>,
    source: Expr,
    env: Rc<Vec<Option<Binding>>>,
}

impl Lowerer<'_> {
    /// `let f = |t| ..;`. Its body is lowered where it is passed on.
    pub(super) fn bind_closure(&mut self, var: Var, init: &Expr) -> Lowered<()> {
        let ExprKind::Closure(closure) = &init.kind else {
            crate::diagnostics::bug!("not a closure")
        };
        // Captured variables that it owns may change, there or outside, so it can't be made where it is used.
        let owns = |m: &hir::Mention| self.hir.var(m.var).mutable;
        if closure.is_move && closure.captures.iter().any(owns) && !self.touches(init) {
            let value = self.opaque_value(init)?;
            self.call_it(value, var, 0);
            self.own(var, value);
            return Ok(());
        }
        let known = self.known(closure, init);
        self.bind(var, Binding::Closure(Box::new(known)));
        Ok(())
    }

    fn known(&mut self, closure: &hir::Closure, source: &Expr) -> Known {
        let outer = self.env.clone();
        if closure.is_move {
            for mention in &closure.captures {
                self.capture(mention.var, source);
            }
        }
        let env = std::mem::replace(&mut self.env, outer);
        Known {
            closure: Rc::new(closure.clone()),
            source: source.clone(),
            env: Rc::new(env),
        }
    }

    /// A `move` closure owns its captures. Where the variable can't change, both are one.
    fn capture(&mut self, var: Var, source: &Expr) {
        let Some(Binding::Place {
            place,
            by_ref: false,
        }) = self.env[var.0 as usize].clone()
        else {
            return;
        };
        if !self.hir.var(var).mutable || matches!(self.types.var(var), Type::Function(_)) {
            return;
        }
        let ty = self.types.var(var).lower();
        let value = self.emit(OpKind::Load(place), ty, &self.name(var), source.span);
        let place = self.spill(value, source.span);
        self.bind(var, Binding::memory(place));
    }

    /// The function parameter that `f` and `&mut f` refer to, if they do: a further name for it.
    pub(super) fn function_parameter(&mut self, init: &Expr) -> Lowered<Option<Binding>> {
        let inner = match &init.kind {
            ExprKind::Ref(_, inner) => inner,
            _ => init,
        };
        let ExprKind::Var(var) = inner.kind else {
            return Ok(None);
        };
        if !matches!(self.types.var(var).peeled(), Type::Function(_)) {
            return Ok(None);
        }
        let binding = self.binding(var, init.span)?;
        Ok(match &binding {
            Binding::Place { place, .. } if self.out.slot(place.root).ty.is_function() => {
                Some(binding)
            }
            _ => None,
        })
    }

    /// An argument that is a function, if it is one.
    pub(super) fn function_arg(&mut self, arg: &Expr) -> Lowered<Option<Arg>> {
        let inner = match &arg.kind {
            ExprKind::Ref(_, inner) => inner,
            _ => arg,
        };
        let function = match &inner.kind {
            ExprKind::Closure(closure) => {
                let known = self.known(closure, inner);
                self.region_of(&known)?
            }
            ExprKind::Var(var) if matches!(self.types.var(*var).peeled(), Type::Function(_)) => {
                match self.binding(*var, arg.span)? {
                    Binding::Closure(known) => self.region_of(&known)?,
                    Binding::Place { place, .. } if self.out.slot(place.root).ty.is_function() => {
                        Function::Param(place.root)
                    }
                    Binding::Place { .. } => {
                        return self.reject(
                            arg,
                            "this closure keeps what it owns to itself, and can't be passed to a differentiated call",
                            "leave out `move`, or write the closure in the call",
                        );
                    }
                    _ => return Ok(None),
                }
            }
            // A function of a closure's surroundings is named by more than one segment, as `self::f`.
            ExprKind::Path(path) if self.hir.captures && path.path.get_ident().is_some() => {
                return Ok(None);
            }
            ExprKind::Path(path) => match item(path) {
                Some(function) => function,
                None => return Ok(None),
            },
            _ => return Ok(None),
        };
        Ok(Some(Arg::Function(function)))
    }

    /// The region of a closure. Names are bound as they were where the closure was made.
    fn region_of(&mut self, known: &Known) -> Lowered<Function> {
        let closure = known.closure.clone();
        let (ops, lowered) = self.region(|lowerer| {
            for mention in &closure.captures {
                let at = mention.var.0 as usize;
                lowerer.env[at].clone_from(&known.env[at]);
            }
            let mut params = Vec::new();
            for (pat, written) in &closure.params {
                params.push(lowerer.closure_param(pat, written.as_ref(), &known.source)?);
            }
            let flow = lowerer.flow(&closure.body)?;
            Ok((params, flow))
        });
        let (params, flow) = lowered?;
        let value = match flow {
            Flow::Value(v) if !matches!(self.out.ty(v), Ty::Unit) => Some(v),
            Flow::Value(_) | Flow::Unit => None,
            Flow::Never => {
                return self.reject(
                    &known.source,
                    "a closure that never returns is not supported as an argument",
                    "give it a result",
                );
            }
        };
        let mut region = Closure {
            seed: None,
            params,
            links: None,
            body: Region::new(ops, value.into_iter().collect()),
            results: vec![value.map_or(Pattern::Unit, Pattern::Value)],
        };
        region.list_params();
        Ok(Function::Closure(Box::new(region)))
    }

    fn closure_param(
        &mut self,
        pat: &Pat,
        written: Option<&syn::Type>,
        source: &Expr,
    ) -> Lowered<Pattern> {
        let hidden = &self.hir.hidden_types;
        let span = source.span;
        let ty = match pat {
            Pat::Bind { var, .. } | Pat::At(var, _) => self.types.var(*var).clone(),
            _ => written
                .and_then(|ty| crate::types::from_written(ty, hidden))
                .unwrap_or(Type::Deferred),
        };
        let name = match pat {
            Pat::Bind { var, .. } | Pat::At(var, _) => self.name(*var),
            _ => "t".to_owned(),
        };
        if let Type::Ref(mutable, inner) = &ty {
            let kind = SlotKind::reference(*mutable);
            let slot = match pat {
                Pat::Bind { var, .. } => self.variable_slot(*var, inner.lower(), kind),
                _ => self.slot(inner.lower(), kind, &name, None, span),
            };
            self.bind_place(pat, &Place::whole(slot), inner, span)?;
            return Ok(Pattern::Slot(slot));
        }
        match pat {
            Pat::Bind { var, by_ref: None } if self.storage[var.0 as usize] == Storage::Memory => {
                let slot = self.variable_slot(*var, ty.lower(), SlotKind::Owned);
                self.bind(*var, Binding::memory(Place::whole(slot)));
                Ok(Pattern::Slot(slot))
            }
            Pat::Ref(_) => self.reject(
                source,
                "a reference pattern of unknown type is not supported here yet",
                "annotate the closure's parameter: `|&x: &f64|`",
            ),
            pat => {
                let value = self.out.new_value(ty.lower(), name, span);
                self.bind_pattern(pat, value, &ty, span)?;
                Ok(Pattern::Value(value))
            }
        }
    }

    /// `f(a, &x)`, where `f` is a parameter.
    pub(super) fn apply(&mut self, expr: &Expr, var: Var, args: &[Expr]) -> Lowered<Flow> {
        let Binding::Place { place, .. } = self.binding(var, expr.span)? else {
            return Err(Failed);
        };
        let mut all = Vec::new();
        for arg in args {
            all.push(self.arg(arg)?);
        }
        if all.iter().any(|arg| matches!(arg, Arg::Function(_))) {
            return self.reject(
                expr,
                "a function as the argument of a function parameter is not supported yet",
                "call it first, and pass the result",
            );
        }
        let call = Call::new(Callee::Function(place.root), Rule::Active, all);
        let (ty, name) = (self.ty(expr).lower(), super::builder::hint(&self.name(var)));
        let kind = OpKind::Call(Box::new(call));
        Ok(Flow::Value(self.emit(kind, ty, &name, expr.span)))
    }

    /// A closure where any value may stand.
    pub(super) fn closure_value(&mut self, expr: &Expr) -> Lowered<Flow> {
        if self.is_free(expr) {
            return self.opaque(expr);
        }
        self.reject(
            expr,
            "a closure that captures active values can only be passed to a call",
            "bind it with `let`, and pass it as an argument",
        )
    }

    /// Verbatim code that mentions a closure's name needs a variable of that name.
    pub(super) fn materialised(&mut self, var: Var, known: &Known) -> Lowered<Place> {
        if self.touches(&known.source) {
            return self.reject(
                &known.source,
                "a closure that captures active values is used in code that is not differentiated",
                "pass it to a `#[differentiable]` function, or write its body where it is called",
            );
        }
        let env = std::mem::replace(&mut self.env, (*known.env).clone());
        let flow = self.opaque(&known.source);
        self.env = env;
        let Flow::Value(value) = flow? else {
            return Err(Failed);
        };
        self.call_it(value, var, 0);
        let slot = self.variable_slot(var, Ty::Deferred, SlotKind::Owned);
        self.effect(OpKind::Init(slot, value), known.source.span);
        let place = Place::whole(slot);
        self.bind(var, Binding::memory(place.clone()));
        Ok(place)
    }

    /// A function parameter is only available as its rule in emitted code.
    pub(super) fn refuse_mention(
        &mut self,
        mention: hir::Mention,
        mark: proc_macro2::Span,
    ) -> Lowered<()> {
        if matches!(
            self.types.var(mention.var).peeled(),
            Type::Function(Some(_))
        ) {
            let name = self.name(mention.var);
            return self.reject(
                mark,
                format!("the function `{name}` is used in code that is not differentiated"),
                "bind the result of the call with `let`, and use that",
            );
        }
        debug_assert!(mention.access <= Access::Write);
        Ok(())
    }
}

/// A function item, which begins with a small letter; all else is a constant.
fn item(path: &syn::ExprPath) -> Option<Function> {
    let name = last_name(&path.path)?;
    let name = name.trim_start_matches("r#");
    let small = name != "self" && name.starts_with(|c: char| c.is_lowercase() || c == '_');
    (small && name.chars().any(char::is_lowercase)).then(|| Function::Item {
        path: path.clone(),
        associated: super::call::is_associated(path),
    })
}

//! Calls by path.

use quote::{ToTokens, quote};

use super::activity::is_stop_gradient;
use super::builder::{Binding, Failed, Flow, Lowered, Lowerer, hint};
use crate::diagnostics::Whole;
use crate::hir::{Expr, ExprKind, is_list_check, of_type};
use crate::ir::{Arg, Call, Callee, Const, OpKind, Place, Proj, Rule, Ty, Use};
use crate::paths::{function_name, last_name, of_std};
use crate::std_model::of_floats;
use crate::surface::{function_of_driver, without_rules};
use crate::types::{Type, libm, scalar_item};

impl Lowerer<'_> {
    pub(super) fn call(
        &mut self,
        expr: &Expr,
        path: &syn::ExprPath,
        args: &[Expr],
    ) -> Lowered<Flow> {
        if let Some(flow) = self.scalar_call(expr, path, args)? {
            return Ok(flow);
        }
        if is_stop_gradient(path)
            && let [arg] = args
        {
            return self.stop_gradient(expr, arg).map(Flow::Value);
        }
        if let Some(flow) = self.memory_function(expr, path, args)? {
            return Ok(flow);
        }
        if let ([list], true) = (args, is_list_check(path)) {
            let (place, ty) = (self.reference_or_place(list)?, self.ty(list).clone());
            self.check_list(&place, &ty, expr.span);
            return Ok(Flow::Unit);
        }
        let touches = self.touches(expr);
        let stays = !self.may_inline(expr) && self.can_be_verbatim(expr);
        if stays && (!touches && !self.is_simple(args) || touches && self.only_inspects(expr)) {
            return self.opaque(expr);
        }
        if let ([dropped], true) = (args, touches && is_drop(path)) {
            if dropped.root().is_none() {
                self.value(dropped)?;
            }
            return Ok(Flow::Unit);
        }
        if touches {
            self.reject_driver(path)?;
            self.reject_unportable(path)?;
            self.reject_container(expr, expr.span)?;
            self.reject_wrapper(expr, path)?;
            self.check_count(expr, path, args)?;
        }
        let path = self.with_arguments(path, expr);
        let callee = Callee::Path {
            associated: is_associated(&path),
            path: path.clone(),
        };
        let all = self.arguments(expr, &callee, Vec::new(), args)?;
        if let Some(value) = self.inlined(expr, &all) {
            return Ok(Flow::Value(value));
        }
        let call = Call {
            views: self.views_among(args, 0),
            at: args.iter().map(|arg| arg.span).collect(),
            dropped: !touches && self.statement == Some(expr.id),
            ..Call::new(callee, rule_of(touches, &all), all)
        };
        let name = last_name(&path.path).unwrap_or_default();
        let ty = match self.ty(expr) {
            ty if touches => ty.lower(),
            ty => ty.lower_given(),
        };
        let kind = OpKind::Call(Box::new(call));
        Ok(Flow::Value(self.emit(kind, ty, &hint(&name), expr.span)))
    }

    /// `Image::zeros(n)` as `Image::<T>::zeros(n)`, if the result is known to be an `Image<T>`. Rules can't be found while `T` is to be inferred.
    fn with_arguments(&self, path: &syn::ExprPath, call: &Expr) -> syn::ExprPath {
        let mut path = path.clone();
        if let Some((own, name)) = of_type(&path)
            && let Some(own) = self.hir.own(&own)
            && own.own.makers.contains(&name.to_string())
            && let Type::Named(ty) = self.ty(call)
            && let syn::Type::Path(result) = self.hir.named(ty)
            && let Some(of) = result.path.segments.last()
            && let syn::PathArguments::AngleBracketed(arguments) = &of.arguments
            && let Some(first) = path.path.segments.first_mut()
            && first.ident == of.ident
        {
            let mut arguments = arguments.clone();
            arguments.colon2_token = Some(<syn::Token![::]>::default());
            first.arguments = syn::PathArguments::AngleBracketed(arguments);
        }
        path
    }

    /// `f64::max(a, b)`, `f64::from(x)`, `libm::sin(x)`.
    fn scalar_call(
        &mut self,
        expr: &Expr,
        path: &syn::ExprPath,
        args: &[Expr],
    ) -> Lowered<Option<Flow>> {
        if let Some(function) = libm::function(path)
            && args.len() == function.args
        {
            let mut values = Vec::new();
            for arg in args {
                values.push(self.operand(arg)?);
            }
            let kind = OpKind::Math(function.path, values);
            let value = self.emit(kind, function.float().lower(), "t", expr.span);
            return Ok(Some(Flow::Value(value)));
        }
        let Some((own, name)) = scalar_item(path, &self.hir.hidden_types) else {
            return Ok(None);
        };
        if let Some(value) = self.conversion(expr)? {
            return Ok(Some(Flow::Value(self.some(value, "made", expr.span))));
        }
        if self.hir.hidden_types.is_fallible(&own) && self.is_free(expr) && !args.is_empty() {
            return Ok(None);
        }
        if let ([arg], "from") = (args, name.as_str()) {
            let from = self.ty(arg);
            if from.is_scalar() || own.is_float() {
                return self.cast(expr, arg).map(|v| Some(Flow::Value(v)));
            }
            return Ok(None);
        }
        if let (Type::Real(_), Some(value)) = (&own, self.real_number(expr, &name, args)?) {
            return Ok(Some(Flow::Value(value)));
        }
        match args.split_first() {
            Some((receiver, rest))
                if own.is_float() && (of_floats(&name) || self.touches(expr)) =>
            {
                self.math(expr, &name, receiver, rest)
                    .map(|v| Some(Flow::Value(v)))
            }
            _ => Ok(None),
        }
    }

    /// `stop_gradient(x)`: the value, through code that is verbatim.
    /// Code with calls that only reads active values needs no rules.
    fn stop_gradient(&mut self, expr: &Expr, arg: &Expr) -> Lowered<crate::ir::Value> {
        if has_call(arg) && self.only_reads(arg) && self.can_be_verbatim(arg) {
            return match self.opaque(arg)? {
                Flow::Value(value) => Ok(value),
                Flow::Unit | Flow::Never => Ok(self.constant(Const::Unit, Ty::Unit, expr.span)),
            };
        }
        if matches!(self.ty(arg), Type::Ref(..)) {
            return self.reject(
                arg,
                "`stop_gradient` of a reference is not supported here yet",
                "give it a name first: `let fixed = stop_gradient(x);`",
            );
        }
        let value = self.value(arg)?;
        let ident = self.private("stopped");
        let tokens = ident.to_token_stream();
        let uses = vec![Use::Value(ident, value)];
        let ty = self.ty(expr).lower();
        let kind = OpKind::code(tokens, uses);
        Ok(self.emit(kind, ty, "stopped", expr.span))
    }

    /// `stop_gradient(&x)`: a reference to a copy, which is constant.
    pub(super) fn stopped_reference(&mut self, expr: &Expr, arg: &Expr) -> Lowered<Place> {
        let inner = match self.ty(arg) {
            Type::Ref(false, inner) => inner.clone(),
            Type::Ref(true, _) => {
                return self.reject(
                    arg,
                    "`stop_gradient` of a `&mut` is not supported",
                    "pass a shared reference, `&x`, or a value",
                );
            }
            _ => {
                let value = self.stop_gradient(expr, arg)?;
                return Ok(self.spill(value, expr.span));
            }
        };
        let ty = match &*inner {
            Type::Slice(elem) => Type::Vec(elem.clone()).lower(),
            other => other.lower(),
        };
        let place = self.reference_or_place(arg)?;
        let ident = self.private("stopped");
        let kind = OpKind::code(
            quote!(__rt::ToOwned::to_owned(#ident)),
            vec![Use::reference(ident, place)],
        );
        let value = self.emit(kind, ty, "stopped", expr.span);
        Ok(self.spill(value, expr.span))
    }

    /// Returns `true` if the arguments are values and places that a call without rules can take as they are.
    pub(super) fn is_simple(&self, args: &[Expr]) -> bool {
        args.iter().all(|arg| match &arg.kind {
            ExprKind::Float(..) | ExprKind::Int(..) | ExprKind::Bool(_) => true,
            ExprKind::Ref(_, inner) => inner.root().is_some(),
            _ => self.ty(arg).is_scalar(),
        })
    }

    /// A function without rules whose body can't stand here.
    fn reject_unportable(&mut self, path: &syn::ExprPath) -> Lowered<()> {
        let of = function_name(path);
        let Some(name) = of.and_then(|of| self.hir.siblings.unportable.get(&of)) else {
            return Ok(());
        };
        let (message, help) = (
            format!(
                "this call is replaced by the body of the function, which uses `{name}` of its module"
            ),
            format!("import `{name}` here; if it is private, write `pub(crate)` in front of it"),
        );
        self.reject(Whole(path), message, help)
    }

    /// Drivers without rules. Of a function that the file doesn't show, rustc finds none.
    fn reject_driver(&mut self, path: &syn::ExprPath) -> Lowered<()> {
        if let Some(error) = without_rules(path) {
            self.errors.push(error);
            return Err(Failed);
        }
        let mut function = path.path.clone();
        let driver = function.segments.pop();
        function.segments.pop_punct();
        let Some(driver) = driver.filter(|_| self.hir.callees.is_without_drivers(&function)) else {
            return Ok(());
        };
        let name = function.to_token_stream().to_string();
        if driver.ident == "second_derivative" {
            return self.reject(
                Whole(path),
                format!("`{name}::second_derivative` has no derivative rules"),
                format!(
                    "write a differentiable function that returns `{name}::derivative(..)`, with `#[differentiable(nested)]` on it and on \
                     `{name}`, and call the `derivative` of that function"
                ),
            );
        }
        match function_of_driver(path) {
            Some(_) => self.reject(
                Whole(path),
                format!("the derivatives of `{name}` have no derivative rules of their own"),
                format!(
                    "write `#[differentiable(nested{})]` on `{name}`",
                    if driver.ident == "hvp" {
                        ", order = 3"
                    } else {
                        ""
                    }
                ),
            ),
            None => Ok(()),
        }
    }

    /// A call of a function of the file with too many or too few arguments. The rules would only repeat rustc's error about it.
    fn check_count(&mut self, expr: &Expr, path: &syn::ExprPath, args: &[Expr]) -> Lowered<()> {
        let function = || self.hir.siblings.function(&function_name(path)?);
        let signature = match of_type(path) {
            Some((own, name)) if function().is_none() => {
                (self.hir.own(&own)).and_then(|own| own.own.method(&name.to_string()))
            }
            _ => function(),
        };
        match signature.map(|signature| signature.inputs.len()) {
            Some(count) if count != args.len() => self.reject(
                expr,
                format!(
                    "the numbers of arguments and of parameters differ: {} and {count}",
                    args.len()
                ),
                "see the declaration of the function",
            ),
            _ => Ok(()),
        }
    }

    /// Wrappers of std whose rules are missing.
    fn reject_wrapper(&mut self, expr: &Expr, path: &syn::ExprPath) -> Lowered<()> {
        let mut segments = path.path.segments.iter().rev().map(|s| s.ident.to_string());
        let last = segments.next().unwrap_or_default();
        let parent = segments.next().unwrap_or_default();
        match (parent.as_str(), last.as_str()) {
            ("" | "Option" | "Result", "Some" | "Ok" | "Err") => self.reject(
                expr,
                format!("`{last}` around an active value is not supported yet"),
                "return the value itself, or a tuple with a `bool`",
            ),
            ("Box" | "Rc" | "Arc" | "Cell" | "RefCell", "new") => self.reject(
                expr,
                format!("`{parent}` around an active value is not supported yet"),
                "keep the value itself",
            ),
            _ if is_std_function(path) => self.reject(
                expr,
                format!("`{parent}::{last}` of std is not supported yet on active values"),
                "write the same computation with operators, methods and loops",
            ),
            _ => Ok(()),
        }
    }

    /// Returns `true` if an argument may be a reference that isn't written as one: the result of a method or of verbatim code. A
    /// function's rules return values.
    fn may_be_lent(&self, arg: &Expr) -> bool {
        matches!(self.ty(arg), Type::Deferred)
            && (!matches!(arg.kind, ExprKind::Call { .. }) || self.is_free(arg))
    }

    /// Returns `true` if it is, or is in, the target of a reference that a getter of constants returned. That can't be borrowed
    /// again in the reverse half.
    fn is_in_constant_reference(&self, arg: &Expr) -> bool {
        let Some(Binding::Place { place, .. }) = arg
            .root()
            .and_then(|root| self.env[root.0 as usize].as_ref())
        else {
            return false;
        };
        let mut root = place.root;
        while let Some(of) = self.borrows.get(&root) {
            root = of.root;
        }
        let slot = self.out.slot(root);
        slot.may_borrow && self.is_free(arg)
    }

    /// An argument, as the caller has it.
    pub(super) fn arg(&mut self, arg: &Expr) -> Lowered<Arg> {
        if let ExprKind::Verbatim(verbatim) = &arg.kind
            && super::method::is_closure(arg)
        {
            return self.reject(arg, &verbatim.why.0, &verbatim.why.1);
        }
        if let Some(function) = self.function_arg(arg)? {
            return Ok(function);
        }
        match self.ty(arg) {
            Type::Ref(false, _) if self.is_in_constant_reference(arg) => {
                let value = self.opaque_value(arg)?;
                self.out.value_mut(value).maybe_reference = true;
                Ok(Arg::Value(value))
            }
            Type::Ref(mutable, _) => {
                let place = self.reference(arg)?;
                Ok(if *mutable {
                    Arg::Mut(place)
                } else {
                    Arg::Ref(place)
                })
            }
            // Text is a value whose type is a reference.
            Type::Inactive(ty) if is_reference(ty) || is_text(arg) => {
                let value = self.value(arg)?;
                let text = self.spill(value, arg.span);
                Ok(Arg::Ref(text.extended(&[Proj::Deref])))
            }
            _ => {
                let value = self.value(arg)?;
                self.out.value_mut(value).maybe_reference |= self.may_be_lent(arg);
                Ok(Arg::Value(value))
            }
        }
    }
}

/// The rule of a call in the primal: functions that are passed may capture active values.
pub(super) fn rule_of(touches: bool, args: &[Arg]) -> Rule {
    let functional = args.iter().any(|arg| matches!(arg, Arg::Function(_)));
    if touches || functional {
        Rule::Active
    } else {
        Rule::Primal
    }
}

fn is_reference(ty: &syn::Type) -> bool {
    matches!(
        crate::types::written::ungrouped(ty),
        syn::Type::Reference(_)
    )
}

/// A string literal.
fn is_text(expr: &Expr) -> bool {
    match expr.source.as_deref() {
        Some(syn::Expr::Lit(lit)) => matches!(lit.lit, syn::Lit::Str(_)),
        _ => false,
    }
}

/// Returns `true` if a path names a function of std that is no method: `std::slice::from_ref`.
fn is_std_function(path: &syn::ExprPath) -> bool {
    let root = path.path.segments.first();
    root.is_some_and(|root| root.ident == "std" || root.ident == "core" || root.ident == "alloc")
        && path.path.segments.len() > 1
        && !is_associated(path)
}

/// Returns `true` if a path names an associated function: `Model::new`, `Self::logp`, and `nll::gradient`, since the rules of a function are a type.
pub(super) fn is_associated(path: &syn::ExprPath) -> bool {
    let parent = path.path.segments.iter().rev().nth(1);
    path.qself.is_some()
        || parent.is_some_and(|s| s.ident.to_string().starts_with(char::is_uppercase))
        || function_of_driver(path).is_some()
}

fn has_call(expr: &Expr) -> bool {
    expr.any(&mut |e| matches!(e.kind, ExprKind::Method { .. } | ExprKind::Call { .. }))
}

/// Returns `true` if a path names the function that drops a value. Values that are differentiated are dropped where
/// their variable ends.
fn is_drop(path: &syn::ExprPath) -> bool {
    path.path.is_ident("drop") || of_std(&path.path, "mem").is_some_and(|name| name == "drop")
}

//! Method calls.

use std::rc::Rc;

use proc_macro2::{Ident, Span};
use quote::{quote, quote_spanned};

use super::builder::{Binding, Flow, Lowered, Lowerer, hint};
use super::call::rule_of;
use super::option_of_reference::is_or;
use crate::diagnostics::Whole;
use crate::hir::{Code, Expr, ExprKind, end_of};
use crate::ir::{Arg, Call, Callee, Clones, OpKind, Place, Ty, Use, Value};
use crate::std_model::{
    self, ADAPTS, ENDS, Gives, ITERATES, Of, RUNS, SORTS, UNWRAPS, does, searches,
};
use crate::syntax::method_call;
use crate::types::Type;

impl Lowerer<'_> {
    /// A check by rustc that the type of a place has no `clone` of its own, which would be the one that is called. A type that is written without
    /// its arguments is told by the value.
    fn check_clone(&mut self, place: &Place, of: &syn::Type, name: &str, span: Span) {
        let at = Span::call_site().located_at(span);
        let name = Ident::new(name, at);
        let of_std = if name == "clone" {
            quote_spanned!(at=> ::core::clone::Clone)
        } else {
            quote_spanned!(at=> __rt::ToOwned)
        };
        let own = match of {
            syn::Type::Path(path) if path.qself.is_none() && !has_arguments(path) => quote!(#path),
            of => quote!(<#of>),
        };
        let mut ident = self.private("cloned");
        ident.set_span(ident.span().located_at(span));
        let code =
            quote_spanned!(at=> __rt::probe::check_clone(#ident, #own::#name, #of_std::#name););
        let uses = vec![Use::reference(ident, place.clone())];
        self.effect(OpKind::code(code, uses), span);
    }

    /// `n.into()` of an integer, to a type that rustc knows.
    fn made_into(&mut self, expr: &Expr, number: &Expr) -> Lowered<Value> {
        let value = self.operand(number)?;
        let ident = self.private("number");
        let tokens = quote!(::core::convert::Into::into(#ident));
        let kind = OpKind::code(tokens, vec![Use::Value(ident, value)]);
        let ty = self.ty(expr).lower();
        Ok(self.emit(kind, ty, "number", expr.span))
    }

    pub(super) fn method(&mut self, expr: &Expr) -> Lowered<Flow> {
        let Some((receiver, name, args)) = expr.as_method() else {
            crate::diagnostics::bug!("not a method call")
        };
        let name = name.to_string();
        if let ExprKind::Path(path) = &receiver.kind
            && self.hir.callees.is_thread_local(&path.path)
            && self.touches(expr)
        {
            return self.reject(
                Whole(path),
                "a variable of `thread_local!` has no derivative",
                "hand it over as a parameter, or store `stop_gradient(..)` of it",
            );
        }
        if name == "ok_or" && matches!(self.ty(receiver), Type::Option(_)) {
            self.check_payload(args.iter())?;
        }
        if name == "into"
            && args.is_empty()
            && self.touches(expr)
            && let Some(of) = self.conversion_of(expr, receiver)
        {
            let mut from = of.clone();
            from.path
                .segments
                .push(Ident::new("from", called(expr)).into());
            if self.hir.callees.converts(&of.path) {
                return self.call(expr, &from, std::slice::from_ref(receiver));
            }
            let own = self.hir.self_ty.as_ref();
            if let Some((message, help)) = self.hir.callees.without_rules(&from.path, own) {
                return self.reject(called(expr), message, help);
            }
        }
        let own = self.ty(receiver).peeled().clone();
        if own.is_scalar() && name == "into" && args.is_empty() {
            if self.ty(expr).is_scalar() {
                return self.cast(expr, receiver).map(Flow::Value);
            }
            if !own.is_float() {
                return self.made_into(expr, receiver).map(Flow::Value);
            }
        }
        if own.is_float() && name != "clone" {
            return self.math(expr, &name, receiver, args).map(Flow::Value);
        }
        if does(&name, UNWRAPS)
            && let Some(value) = self.conversion(receiver)?
        {
            return Ok(Flow::Value(value));
        }
        // `x.first().unwrap()` by value.
        if self.is_view(expr) && (does(&name, UNWRAPS) || is_or(&name)) {
            return self.operand(expr).map(Flow::Value);
        }
        if name == "clone" && args.is_empty() && own.is_scalar() {
            return self.operand(receiver).map(Flow::Value);
        }
        if matches!(name.as_str(), "copied" | "cloned")
            && self.touches(expr)
            && let Some(optional) = self.optional_of(receiver)?
        {
            return self.copied(expr, &optional);
        }
        if matches!(name.as_str(), "is_some" | "is_none")
            && let Some(optional) = self.bound_optional(receiver)
        {
            return Ok(Flow::Value(self.is_there(&optional, &name, expr.span)));
        }
        if matches!(name.as_str(), "into_deque" | "into_list") {
            return self.method_call(expr, self.touches(expr));
        }
        if own.element().is_some() {
            if let Some(flow) = self.slice_method(expr, receiver, &name, args)? {
                return Ok(flow);
            }
            return self.other_slice_method(expr, receiver, &name, args);
        }
        if matches!(name.as_str(), "clone" | "to_owned")
            && args.is_empty()
            && let Some(place) = self.receiver_place(receiver)?
        {
            let ty = self.ty(expr).lower();
            if let Ty::Named(of) = &ty
                && self.foreign(receiver).is_none()
            {
                self.check_clone(&place, of, &name, called(expr));
            }
            return Ok(Flow::Value(self.emit(
                OpKind::CloneOf(place),
                ty,
                "copy",
                expr.span,
            )));
        }
        if name == "clone_from"
            && let Type::Named(of) = &own
            && let Some(known) = self.hir.siblings.own_type(of)
            && known.clones > Clones::Unseen
        {
            return self.reject(
                called(expr),
                "`clone_from` of this type may do something else than `clone`, since its `Clone` isn't derived",
                "write an assignment of a clone: `a = b.clone();`",
            );
        }
        let touches = self.touches(expr);
        if self.may_inline(expr) {
            return self.method_call(expr, touches);
        }
        let active = |e: &Expr| self.activity.is_active(e, self.types);
        let found = touches || active(expr);
        if found && !args.iter().any(is_closure) && (active(receiver) || args.iter().any(active)) {
            self.reject_container(receiver, called(expr))?;
        }
        if !touches && self.can_be_verbatim(expr) {
            return self.opaque(expr);
        }
        if self.only_inspects(expr) && self.can_be_verbatim(expr) {
            return match of_slices(expr).filter(|_| matches!(own, Type::Deferred)) {
                Some(search) => self.opaque(&search),
                None => self.opaque(expr),
            };
        }
        if own.is_int() || matches!(own, Type::Bool) {
            // Integers that are results of active calls.
            let mut values = vec![self.operand(receiver)?];
            for arg in args {
                values.push(self.operand(arg)?);
            }
            let ty = self.ty(expr).lower();
            let by_ref = args.iter().any(|arg| matches!(self.ty(arg), Type::Ref(..)));
            return Ok(Flow::Value(
                self.on_values(&name, &values, by_ref, ty, expr.span),
            ));
        }
        if is_unknown_list(&own, &name) {
            return self.other_slice_method(expr, receiver, &name, args);
        }
        // A receiver of unknown type is assumed to be a list.
        if let (Type::Deferred, [compare]) = (&own, args)
            && does(&name, SORTS)
        {
            return self.sort(expr, receiver, &name, compare);
        }
        self.reject_chain(expr)?;
        if matches!(own, Type::Deferred) {
            if name == "extend"
                && let Some(flow) = self.container_method(expr, receiver, &name, args)?
            {
                return Ok(flow);
            }
            self.reject_unknown(expr)?;
            self.reject_lent(expr)?;
        }
        self.method_call(expr, touches)
    }

    /// The written type of the result of `into()`, whose `from` it calls. `None` if the receiver may have an `into` of its own.
    fn conversion_of(&self, into: &Expr, receiver: &Expr) -> Option<syn::ExprPath> {
        let is_of_std = match self.ty(receiver).peeled() {
            Type::Named(of) => {
                (self.hir.own(of)).is_some_and(|own| own.own.method("into").is_none())
            }
            ty => ty.is_scalar() || ty.element().is_some() || matches!(ty, Type::Tuple(_)),
        };
        let Type::Named(of) = self.ty(into) else {
            return None;
        };
        let (syn::Type::Path(of), true) = (&**of, is_of_std) else {
            return None;
        };
        let mut path = of.path.clone();
        for segment in &mut path.segments {
            if let syn::PathArguments::AngleBracketed(args) = &mut segment.arguments {
                args.colon2_token = Some(syn::Token![::](called(into)));
            }
        }
        Some(syn::ExprPath {
            attrs: Vec::new(),
            qself: of.qself.clone(),
            path,
        })
    }

    /// `iter.map(|q| ..).sum()`, which would end in an error about the closure, or about the iterator's type.
    fn reject_unknown(&mut self, call: &Expr) -> Lowered<()> {
        let mut at = call;
        if let ExprKind::Method { receiver, name, .. } = &call.kind
            && does(&name.to_string(), RUNS)
        {
            at = receiver;
        }
        let run = !std::ptr::eq(at, call);
        let ExprKind::Method { name, args, .. } = &at.kind else {
            return Ok(());
        };
        if self.hir.matrices && name == "map" {
            return Ok(());
        }
        // Their results hold the payload, or what the closure makes of it.
        let of_option = std_model::method(Of::Option, &name.to_string());
        let takes_closures =
            of_option.is_some_and(|method| method.takes_function() && method.gives != Gives::Bool);
        let unread = |f: &Expr| {
            is_closure(f) || self.names_closure(f) || run && matches!(f.kind, ExprKind::Closure(_))
        };
        if takes_closures && args.last().is_some_and(unread) {
            return self.reject(
                called(at),
                format!("`{name}` of a closure is not supported yet where the receiver's type is not known"),
                "of an iterator, write a loop; of an `Option`, an array or a matrix, give it a name and its type: `let o: Option<f64> = ..;`",
            );
        }
        Ok(())
    }

    fn names_closure(&self, expr: &Expr) -> bool {
        matches!(expr.kind, ExprKind::Var(var) if matches!(self.env[var.0 as usize], Some(Binding::Closure(_))))
    }

    /// A method that a trait adds to floats. `f64::name(x)` may be a function without a receiver.
    pub(super) fn trait_method(&mut self, expr: &Expr, receiver: &Expr) -> Lowered<Value> {
        if !matches!(expr.kind, ExprKind::Method { .. }) {
            return self.reject(
                called(expr),
                "a trait's method by the path of a float is not supported yet",
                "call it as a method: `x.name()`",
            );
        }
        let value = self.operand(receiver)?;
        self.call_on(expr, Arg::Value(value), receiver.span, true)
    }

    fn method_call(&mut self, expr: &Expr, touches: bool) -> Lowered<Flow> {
        let Some((receiver, name, args)) = expr.as_method() else {
            crate::diagnostics::bug!("not a method call")
        };
        if touches {
            self.reject_mutation_without_rules(receiver, name)?;
        }
        let of = self.receiver_arg(receiver, name, args)?;
        let receiver_at = receiver.span;
        self.call_on(expr, of, receiver_at, touches)
            .map(Flow::Value)
    }

    /// A method of the file that changes its receiver and has no attribute.
    fn reject_mutation_without_rules(&mut self, receiver: &Expr, name: &Ident) -> Lowered<()> {
        let Type::Named(of) = self.ty(receiver).peeled() else {
            return Ok(());
        };
        let method = self
            .hir
            .own(of)
            .and_then(|own| own.own.method(&name.to_string()));
        let takes_unique = method
            .and_then(syn::Signature::receiver)
            .is_some_and(|this| matches!(this.kind, syn::ReceiverKind::Reference(_, _, Some(_))));
        let path = syn::parse2::<syn::Path>(quote!(#of::#name)).ok();
        let callees = &self.hir.callees;
        let error = path.and_then(|path| callees.without_rules(&path, self.hir.self_ty.as_ref()));
        match error.filter(|_| takes_unique) {
            Some((message, _)) => self.reject(
                name.span(),
                message,
                format!("write `#[differentiable]` on `{name}`, or on the `impl` around it"),
            ),
            None => Ok(()),
        }
    }

    /// The receiver of a method call, evaluated.
    pub(super) fn receiver_arg(
        &mut self,
        receiver: &Expr,
        name: &Ident,
        args: &[Expr],
    ) -> Lowered<Arg> {
        self.reject_disorder(receiver, name, args)?;
        let early = self.is_read_early(receiver, name, args);
        Ok(match self.receiver_place(receiver)? {
            Some(place) if early => {
                let ty = self.ty(receiver).peeled().lower();
                let copy = self.emit(OpKind::CloneOf(place), ty, "receiver", receiver.span);
                let held = self.spill(copy, receiver.span);
                self.out.slots[held.root.0 as usize].frozen = true;
                Arg::Receiver(held)
            }
            Some(place) => Arg::Receiver(place),
            None => Arg::Value(self.value(receiver)?),
        })
    }

    /// The call of a method on operands that have been evaluated.
    fn call_on(
        &mut self,
        expr: &Expr,
        receiver: Arg,
        receiver_at: Span,
        touches: bool,
    ) -> Lowered<Value> {
        let ExprKind::Method {
            receiver: of,
            name,
            turbofish,
            args,
            ..
        } = &expr.kind
        else {
            crate::diagnostics::bug!("not a method call")
        };
        let callee = Callee::Method {
            name: name.clone(),
            turbofish: turbofish.as_ref().map(quote::ToTokens::to_token_stream),
        };
        let all = self.arguments(expr, &callee, vec![receiver], args)?;
        if let Some(value) = self.inlined(expr, &all) {
            return Ok(value);
        }
        let call = Call {
            // Methods of arrays take references to any arrays.
            views: match self.foreign(of) {
                Some(_) => Vec::new(),
                None => self.views_among(args, 1),
            },
            at: std::iter::once(receiver_at)
                .chain(args.iter().map(|arg| arg.span))
                .collect(),
            dropped: self.dropped == Some(expr.id),
            ..Call::new(callee, rule_of(touches, &all), all)
        };
        let ty = self.ty(expr).lower();
        Ok(self.emit(
            OpKind::Call(Box::new(call)),
            ty,
            &hint(&name.to_string()),
            expr.span,
        ))
    }

    /// The place of a receiver, if it has one.
    fn receiver_place(&mut self, receiver: &Expr) -> Lowered<Option<Place>> {
        if matches!(self.ty(receiver), Type::Ref(..)) {
            return self.reference(receiver).map(Some);
        }
        self.place(receiver)
    }

    /// A method of a slice, array or `Vec` that isn't an operation.
    fn other_slice_method(
        &mut self,
        expr: &Expr,
        receiver: &Expr,
        name: &str,
        args: &[Expr],
    ) -> Lowered<Flow> {
        if self.is_free(expr) {
            return self.opaque(expr);
        }
        if let Some(flow) = self.container_method(expr, receiver, name, args)? {
            return Ok(flow);
        }
        if self.only_inspects(expr) && self.can_be_verbatim(expr) {
            return self.opaque(expr);
        }
        // The runtime fills lists of anything.
        if name == "fill" {
            return self.method_call(expr, true);
        }
        if does(name, ITERATES) {
            return self.reject(
                called(expr),
                "an iterator over active values is not supported yet as a value",
                KEPT_ITERATOR,
            );
        }
        let help = match name {
            "map" => "write a `for` loop over the elements",
            "extend" => "extend it by a slice or a `Vec`, or `push` in a loop",
            "into_boxed_slice" | "leak" => "keep the `Vec`",
            "make_contiguous" | "as_slices" => {
                "do that with a `Vec`, and make the `VecDeque` of it: `VecDeque::from(list)`"
            }
            "split_first" | "split_first_mut" => "write `x[0]` and `x[1..]`",
            "split_last" | "split_last_mut" => "write `x[n - 1]` and `x[..n - 1]`",
            "drain" | "splice" | "retain" | "retain_mut" => {
                "write a loop that pushes the elements to keep to another `Vec`"
            }
            name if does(name, ENDS) => {
                "take it apart with `if let Some(..)` or `match`, or write `.copied()` after it"
            }
            "split_at" | "split_at_mut" => "write `let (a, b) = x.split_at(k);`",
            "try_into" => {
                "give the array a name and its type: `let a: [f64; 3] = x[..3].try_into().unwrap();`"
            }
            "into" => "write `x.to_vec()`",
            "concat" => "write `x.iter().flatten().copied().collect::<Vec<_>>()`",
            "clone_from" => "write `*a = b.clone()`",
            _ => "write a loop with indices",
        };
        let of = match self.ty(receiver).peeled() {
            Type::Deferred => String::new(),
            ty => format!(" of `{}`", ty.lower()),
        };
        self.reject(
            called(expr),
            format!("the method `{name}`{of} is not supported yet on active values"),
            help,
        )
    }

    /// `x.iter().map(..).sum()` and the like, which would end in an error about the first adapter's rule.
    fn reject_chain(&mut self, expr: &Expr) -> Lowered<()> {
        let mut at = expr;
        let mut unknown = None;
        while let ExprKind::Method { receiver, name, .. } = &at.kind
            && !self.is_view(at)
        {
            let list = self.ty(receiver).element().is_some();
            let name = name.to_string();
            if list && does(&name, ITERATES) {
                return self.reject_adapter(expr, unknown);
            }
            if list && end_of(at).is_some() {
                return self.reject(
                    called(at),
                    format!("the result of `{name}` as an `Option` is not supported yet"),
                    "take it apart with `if let Some(..)` or `match`, or write `.copied()` after it",
                );
            }
            // A copy is a value.
            if matches!(name.as_str(), "copied" | "cloned") && self.is_optional(receiver) {
                return Ok(());
            }
            if ![ADAPTS, RUNS, UNWRAPS]
                .iter()
                .any(|what| does(&name, *what))
            {
                unknown = Some(at);
            }
            at = receiver;
        }
        Ok(())
    }

    fn reject_adapter(&mut self, chain: &Expr, unknown: Option<&Expr>) -> Lowered<()> {
        let collects = matches!(&chain.kind, ExprKind::Method { name, .. } if name == "collect");
        if collects && matches!(self.ty(chain), Type::Named(_)) {
            return self.refuse_collected(chain);
        }
        let Some(unknown) = unknown else {
            return self.reject(
                chain,
                "an iterator over active values is not supported yet as a value, or with a function that is not known \
                 here",
                format!("{KEPT_ITERATOR}; write its closures in it, or bind them with `let`"),
            );
        };
        let ExprKind::Method { name, .. } = &unknown.kind else {
            crate::diagnostics::bug!("not a method call")
        };
        let help = match name.to_string().as_str() {
            "next" | "peek" | "by_ref" => "bind the iterator with `let mut`, and step that",
            "cycle" => "index with a remainder: `x[k % x.len()]`",
            _ => "write a `for` loop over the elements",
        };
        self.reject(
            called(unknown),
            format!("`{name}` of an iterator over active values is not supported yet"),
            help,
        )
    }
}

/// The supported uses of an iterator.
const KEPT_ITERATOR: &str = "end the chain where it is written, loop over it with `for`, or bind it with `let mut` and step it in this \
     function by `next()`, `nth(n)`, `peek()` or `by_ref()`";

/// Returns `true` if a method is one that lists have, but no rules for.
fn is_unknown_list(own: &Type, name: &str) -> bool {
    matches!(own, Type::Deferred)
        && std_model::method(Of::List, name).is_some_and(|method| method.gives == Gives::Split)
}

/// A search in a value of a type that only rustc can resolve. It is a list, or rustc refuses it.
///
/// ```text
/// Input:  grid.knots.partition_point(f)
/// Output: <[_]>::partition_point(&grid.knots, f)
/// ```
fn of_slices(call: &Expr) -> Option<Expr> {
    let source = method_call(call.source.as_deref()?)?;
    let (list, name, args) = (&source.receiver, &source.method, &source.args);
    if !searches(&name.to_string()) {
        return None;
    }
    let mut by_path = call.clone();
    by_path.source = Some(Rc::new(syn::parse_quote!(<[_]>::#name(&#list, #args))));
    Some(by_path)
}

/// Returns `true` if an expression is a closure.
pub(super) fn is_closure(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Verbatim(verbatim) => match &verbatim.code {
            Code::Expr(source) => matches!(**source, syn::Expr::Closure(_)),
            _ => false,
        },
        _ => false,
    }
}

/// The name of the method or function that is called.
pub(super) fn called(call: &Expr) -> Span {
    match &call.kind {
        ExprKind::Method { name, .. } => name.span(),
        ExprKind::Call { path, .. } => path
            .path
            .segments
            .last()
            .map_or(call.span, |segment| segment.ident.span()),
        _ => call.span,
    }
}

/// Returns `true` if a type is written with arguments.
fn has_arguments(ty: &syn::TypePath) -> bool {
    ty.path
        .segments
        .iter()
        .any(|segment| !segment.arguments.is_none())
}

//! Methods of `Vec` and slices that move elements: calls whose rules are in the runtime, as those of a user's method with
//! `&mut self` would be. Reverse mode knows of such calls that they write, and that lengths change.

use proc_macro2::{Ident, Span};
use quote::quote;

use super::builder::{Flow, Lowered, Lowerer};
use crate::hir::{Expr, ExprKind, Func};
use crate::ir::{Arg, Call, Callee, OpKind, Place, Proj, Rule, Ty, Use, Value};
use crate::std_model::{self, Gives, Of, RESHAPES, RULES, SORTS, WRITES, only_writes};
use crate::types::Type;

impl Lowerer<'_> {
    /// A method whose rule the runtime has; `None` if it has none.
    pub(super) fn container_method(
        &mut self,
        expr: &Expr,
        receiver: &Expr,
        name: &str,
        args: &[Expr],
    ) -> Lowered<Option<Flow>> {
        let vec = matches!(self.ty(receiver).peeled(), Type::Vec(_));
        let deque = matches!(self.ty(receiver).peeled(), Type::Deque(_));
        let deferred = matches!(self.ty(receiver).peeled(), Type::Deferred);
        if let ("clone_from", [other], true) = (name, args, vec || deque) {
            let other = self.reference_or_place(other)?;
            let ty = self.ty(receiver).peeled().lower();
            let copy = self.emit(OpKind::CloneOf(other), ty, "copy", expr.span);
            let target = self.target(receiver)?;
            self.effect(OpKind::Store(target, copy), expr.span);
            return Ok(Some(Flow::Unit));
        }
        let of_deque = std_model::called(Of::Deque, name, args.len()).filter(|_| deque);
        let method = of_deque.or_else(|| std_model::called(Of::List, name, args.len()));
        let is_method = match (name, method) {
            // By a list: nothing else could be extended by all of its elements.
            ("extend", Some(_)) => {
                vec || deque || deferred && self.ty(&args[0]).element().is_some()
            }
            ("take_array", _) => vec && is_made(receiver, self.hir),
            (_, Some(method)) if method.does(SORTS) => {
                return self.sort(expr, receiver, name, &args[0]).map(Some);
            }
            // The capacity is all that it changes.
            (_, Some(method)) if method.gives == Gives::Unit && !method.does(WRITES) => {
                if (vec || deque) && args.iter().all(|arg| self.is_free(arg)) {
                    return self.without_effect(receiver, args).map(Some);
                }
                false
            }
            (_, method) => method.is_some_and(|method| {
                method.does(RULES) && (vec || deque || !method.does(RESHAPES))
            }),
        };
        if !is_method {
            return Ok(None);
        }
        let mut place = self.reference_or_place(receiver)?;
        if deferred {
            self.check_list(&place, &Type::Deferred, receiver.span);
        }
        if only_writes(name) && !deque {
            place = self.whole_slice(receiver, place);
        }
        let (name, args) = match (name, args) {
            ("extend" | "extend_from_slice", [other]) => match self.list(other)? {
                Some(other) => ("extend_from_slice", vec![Arg::Ref(other)]),
                None => return Ok(None),
            },
            ("append", [other]) => (name, vec![Arg::Mut(self.reference(other)?)]),
            ("copy_within", [from, to]) => {
                let from = self.range_of_positions(&place, from)?;
                (
                    "copy_range",
                    vec![Arg::Value(from), Arg::Value(self.operand(to)?)],
                )
            }
            _ => {
                let args = args.iter().map(|arg| self.value(arg).map(Arg::Value));
                (name, args.collect::<Lowered<Vec<Arg>>>()?)
            }
        };
        let ty = self.ty(expr).lower();
        Ok(Some(self.std_method(name, place, args, ty, expr)))
    }

    /// A call of one of std's methods.
    fn std_method(
        &mut self,
        name: &str,
        place: Place,
        args: Vec<Arg>,
        ty: Ty,
        expr: &Expr,
    ) -> Flow {
        let (name_span, turbofish) = match &expr.kind {
            ExprKind::Method {
                name, turbofish, ..
            } => (name.span(), turbofish.as_ref()),
            _ => (expr.span, None),
        };
        let mut all = vec![Arg::Receiver(place)];
        all.extend(args);
        let call = Call::new(
            Callee::Method {
                name: Ident::new(name, name_span),
                turbofish: turbofish.map(quote::ToTokens::to_token_stream),
            },
            Rule::Active,
            all,
        );
        Flow::Value(self.emit(OpKind::Call(Box::new(call)), ty, name, expr.span))
    }

    /// A slice of all elements, so that arrays and `Vec`s need no rules of their own.
    pub(super) fn whole_slice(&self, receiver: &Expr, place: Place) -> Place {
        match self.ty(receiver).peeled() {
            Type::Slice(_) => place,
            _ => place.extended(&[Proj::Range(None, None)]),
        }
    }

    /// The argument of `extend`, as a slice; `None` for other iterators. A value behind a reference whose type only rustc can resolve is
    /// assumed to be a list.
    fn list(&mut self, other: &Expr) -> Lowered<Option<Place>> {
        let unknown = match self.ty(other) {
            Type::Ref(_, of) => matches!(**of, Type::Deferred),
            _ => false,
        };
        if self.ty(other).element().is_none() && !unknown {
            return Ok(None);
        }
        let place = self.reference_or_place(other)?;
        Ok(Some(self.whole_slice(other, place)))
    }

    /// `v.reserve(n)`: its effect is no part of the value.
    fn without_effect(&mut self, receiver: &Expr, args: &[Expr]) -> Lowered<Flow> {
        self.reference_or_place(receiver)?;
        for arg in args {
            self.value(arg)?;
        }
        Ok(Flow::Unit)
    }

    /// A range as a value, with both ends.
    fn range_of_positions(&mut self, place: &Place, range: &Expr) -> Lowered<Value> {
        let ExprKind::Range { lo, hi, inclusive } = &range.kind else {
            return self.value(range);
        };
        let span = range.span;
        let lo = match lo {
            Some(lo) => self.value(lo)?,
            None => self.index_constant(0, span),
        };
        let hi = match hi {
            Some(hi) if *inclusive => {
                let last = self.value(hi)?;
                self.plus_one(last, span)
            }
            Some(hi) => self.value(hi)?,
            None => self.len(place, span),
        };
        let [from, to] = ["from", "to"].map(|name| Ident::new(name, Span::mixed_site()));
        let tokens = quote!(#from..#to);
        let uses = vec![Use::Value(from, lo), Use::Value(to, hi)];
        let kind = OpKind::code(tokens, uses);
        Ok(self.emit(kind, crate::types::inactive().lower(), "range", span))
    }

    /// The order is found first, by the user's own comparison, and has no derivative; then the elements are put in it.
    pub(super) fn sort(
        &mut self,
        expr: &Expr,
        receiver: &Expr,
        name: &str,
        compare: &Expr,
    ) -> Lowered<Flow> {
        let span = expr.span;
        let Some(source) = &compare.source else {
            return self.reject(
                compare,
                "this comparison is not supported",
                "write a closure: `|a, b| a.total_cmp(b)`",
            );
        };
        let place = self.reference_or_place(receiver)?;
        let ty = self.ty(receiver).clone();
        self.check_list(&place, &ty, receiver.span);
        let place = self.whole_slice(receiver, place);
        let mentions = self.mentions(compare);
        let mut uses = self.uses(&mentions, span)?;
        let sorted = self.private("sorted");
        let order = match name {
            "sort_by" | "sort_unstable_by" => quote!(order_by),
            _ => quote!(order_by_key),
        };
        let tokens = quote!(__rt::#order(#sorted, #source));
        uses.push(Use::reference(sorted, place.clone()));
        let kind = OpKind::code(tokens, uses);
        let order = self.emit(kind, crate::types::inactive().lower(), "order", span);
        Ok(self.std_method("permute_by", place, vec![Arg::Value(order)], Ty::Unit, expr))
    }
}

/// Returns `true` if the compiler has made a list.
fn is_made(list: &Expr, func: &Func) -> bool {
    matches!(list.kind, ExprKind::Var(var) if func.var(var).synthetic)
}

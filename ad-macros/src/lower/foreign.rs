//! Views of a library's arrays are places: `x.row(i)` is a part of `x` like an element.

use proc_macro2::{Delimiter, Ident, Span, TokenStream, TokenTree};
use quote::quote;

use super::builder::{Lowered, Lowerer};
use super::heads::{Items, Source};
use crate::analyze::{all_declared, own_written_slots};
use crate::enclosing::view_behind;
use crate::hir::{Expr, ExprKind};
use crate::ir::{
    Arg, BinaryOp, Call, Callee, Lookup, Op, OpKind, Place, Proj, Region, Rule, Set, Slot,
    SlotKind, Ty, Use, Value,
};
use crate::std_model::{UNWRAPS, does};
use crate::types::Type;
use crate::types::foreign::{Foreign, Form, foreign, view_of, views_of};

/// A call of a method that returns a view.
struct View<'e> {
    of: &'e Expr,
    base: &'e str,
    args: &'e [Expr],
    mutable: bool,
}

impl Lowerer<'_> {
    /// The array that an expression is known to be.
    pub(super) fn foreign(&self, expr: &Expr) -> Option<Foreign> {
        foreign(self.ty(expr), &self.hir.callees, &self.hir.hidden_types)
    }

    /// Returns `true` if an expression is a view of an array, or a slice of all of its elements.
    pub(super) fn gives_view(&self, expr: &Expr) -> bool {
        self.viewed(expr, &mut |_| ()).is_some()
    }

    fn viewed<'e, R>(&self, expr: &'e Expr, f: &mut dyn FnMut(View<'_>) -> R) -> Option<R> {
        let Type::Ref(mutable, _) = self.ty(expr) else {
            return None;
        };
        let ExprKind::Method {
            receiver,
            name,
            turbofish: None,
            args,
        } = &expr.kind
        else {
            return None;
        };
        // `x.as_slice().unwrap()`
        if does(&name.to_string(), UNWRAPS) {
            let (of, name, args) = receiver.as_method()?;
            let name = name.to_string();
            let (base, _) = view_of(&name)?;
            return (base == "as_slice" && self.foreign(of).is_some()).then(|| {
                f(View {
                    of,
                    base,
                    args,
                    mutable: *mutable,
                })
            });
        }
        let name = name.to_string();
        let (base, _) = view_of(&name)?;
        let array = self.foreign(receiver)?;
        let is_view = base != "as_slice" && !matches!(array.form, Form::Views(_));
        is_view.then(|| {
            f(View {
                of: receiver,
                base,
                args,
                mutable: *mutable,
            })
        })
    }

    /// The place that a view is.
    ///
    /// ```text
    /// Input:  x.row(i)
    /// Output: row = borrow x.row_view(i);  row
    /// ```
    pub(super) fn view_given(&mut self, expr: &Expr) -> Lowered<Place> {
        let found = self.viewed(expr, &mut |view| {
            (
                view.of.clone(),
                view.base.to_owned(),
                view.args.to_vec(),
                view.mutable,
            )
        });
        let Some((of, base, args, mutable)) = found else {
            crate::diagnostics::bug!("not a view")
        };
        let array = self.reference_or_place(&of)?;
        let behind = self.foreign(&of).and_then(|array| array.written);
        if base == "view" && behind.is_some_and(|behind| view_behind(&behind).is_some()) {
            // The reference that rules take for a view.
            return Ok(array);
        }
        let args = self.view_operands(&args)?;
        let view = Proj::At(
            Lookup::View {
                name: format!("{base}_view"),
                args,
                by_value: false,
            },
            None,
        );
        let place = array.extended(&[view]);
        let ty = self.ty(expr).peeled().lower();
        let kind = SlotKind::reference(mutable);
        Ok(self.named_view(place, ty, kind, &base, expr.span))
    }

    /// A name for a view: it is taken once.
    pub(super) fn named_view(
        &mut self,
        view: Place,
        ty: Ty,
        kind: SlotKind,
        name: &str,
        span: Span,
    ) -> Place {
        let alias = self.slot(ty, kind, name, None, span);
        self.effect(OpKind::Borrow(alias, view), span);
        Place::whole(alias)
    }

    /// The item at a position of a list of views, or of the elements of an array.
    pub(super) fn view_item(&mut self, items: &Items, k: Value, span: Span) -> Place {
        let Items::Views {
            place,
            name,
            args,
            item,
            views,
        } = items
        else {
            crate::diagnostics::bug!("not views")
        };
        let args = args.iter().copied().chain([k]).collect();
        let lookup = Lookup::View {
            name: format!("{name}_item"),
            args,
            by_value: false,
        };
        let place = place.extended(&[Proj::At(lookup, None)]);
        match views {
            Some(mutable) => {
                let kind = SlotKind::reference(*mutable);
                self.named_view(place, item.lower(), kind, name, span)
            }
            None => place,
        }
    }

    /// The positions of arguments that are views, which are references here, and whether they are references to views; the first argument has
    /// this position.
    pub(super) fn views_among(&self, args: &[Expr], first: usize) -> Vec<(usize, bool)> {
        let views = (args.iter().zip(first..)).filter_map(|(arg, k)| match self.ty(arg) {
            ty if is_viewed(ty) => Some((k, matches!(arg.kind, ExprKind::Ref(..)))),
            Type::Ref(false, ty) if is_viewed(ty) => Some((k, true)),
            _ => None,
        });
        views.collect()
    }

    /// `row += x`, where the left side is an array or a view: the library's own update, in place.
    pub(super) fn update_in_place(
        &mut self,
        op: BinaryOp,
        place: &Expr,
        value: &Expr,
        span: Span,
    ) -> Lowered<bool> {
        let name = match op {
            BinaryOp::Add => "add",
            BinaryOp::Sub => "sub",
            BinaryOp::Mul => "mul",
            BinaryOp::Div => "div",
            _ => return Ok(false),
        };
        let viewed = matches!(self.ty(place), Type::Ref(true, inner) if matches!(&**inner, Type::Foreign(array) if array.form == Form::Viewed));
        if !viewed {
            return Ok(false);
        }
        let touches = self.activity.is_active(place, self.types)
            || self.activity.is_active(value, self.types);
        let by = if self.foreign(value).is_some() {
            "array"
        } else {
            "number"
        };
        let target = self.target(place)?;
        let value_at = value.span;
        let value = match by {
            "array" => Arg::Ref(self.reference_or_place(value)?),
            _ => Arg::Value(self.operand(value)?),
        };
        let call = Call {
            at: vec![place.span, value_at],
            dropped: true,
            ..Call::new(
                Callee::Method {
                    name: Ident::new(&format!("{name}_{by}"), Span::mixed_site().located_at(span)),
                    turbofish: None,
                },
                if touches { Rule::Active } else { Rule::Primal },
                vec![Arg::Receiver(target), value],
            )
        };
        self.emit(OpKind::Call(Box::new(call)), Ty::Unit, "updated", span);
        Ok(true)
    }

    /// Which part a view shows is a choice, without a derivative.
    fn view_operands(&mut self, args: &[Expr]) -> Lowered<Vec<Value>> {
        args.iter().map(|arg| self.value(arg)).collect()
    }

    /// The positions and items of a loop over an array of several axes, or over views of an array.
    pub(super) fn foreign_source(&mut self, of: &Expr) -> Lowered<Option<Source>> {
        let Some(array) = self.foreign(of) else {
            return Ok(None);
        };
        let span = of.span;
        if let Some((array, name, [order])) = of.as_method()
            && name == "in_memory_order"
        {
            return self.in_order(array, order, span).map(Some);
        }
        let Form::Views(mutable) = array.form else {
            let place = self.reference_or_place(of)?;
            if self.hir.unordered.contains(&of.id) {
                self.unordered.push(place.clone());
            }
            let len = self.len(&place, span);
            if array.rank == Some(1) {
                let items = Items::Elements {
                    place,
                    element: array.item(),
                    by_ref: true,
                };
                return Ok(Some(Source { len, items }));
            }
            let items = Items::Views {
                place,
                name: "elements".to_owned(),
                args: Vec::new(),
                item: array.item(),
                views: None,
            };
            return Ok(Some(Source { len, items }));
        };
        let Some((receiver, name, args)) = of.as_method() else {
            return self.reject(
                of,
                "views in a variable are only supported in the loop that runs over them",
                "write `x.rows()` and the like where the loop stands",
            );
        };
        let name = name.to_string();
        if name == "into_iter" {
            return self.foreign_source(receiver);
        }
        let Some((base, _)) = views_of(&name) else {
            return Ok(None);
        };
        let item = (array.item(), mutable);
        if self.hir.unordered.contains(&of.id) {
            let place = self.reference_or_place(receiver)?;
            self.unordered.push(place);
        }
        self.views(receiver, base, args, item, span).map(Some)
    }

    /// The windows of an array.
    pub(super) fn windows(&mut self, of: &Expr, size: &Expr) -> Lowered<Option<Source>> {
        let Some(array) = self.foreign(of) else {
            return Ok(None);
        };
        let form = Form::Views(false);
        let item = Foreign { form, ..array }.item();
        let size = std::slice::from_ref(size);
        self.views(of, "windows", size, (item, false), of.span)
            .map(Some)
    }

    /// The elements of an array in the order that a value says.
    fn in_order(&mut self, array: &Expr, order: &Expr, span: Span) -> Lowered<Source> {
        let place = self.reference_or_place(array)?;
        let len = self.len(&place, span);
        let args = vec![self.value(order)?];
        let item = self
            .foreign(array)
            .map_or(Type::Deferred, |array| array.item());
        let items = Items::Views {
            place,
            name: "in_memory_order".to_owned(),
            args,
            item,
            views: None,
        };
        Ok(Source { len, items })
    }

    /// A loop over arrays that the library visits in an order of its own runs in logical order here. If the trips depend on each other, the
    /// orders have to be the same: that is checked where the loop runs. Each trip writes an element of `own`.
    pub(super) fn check_order(
        &mut self,
        first: usize,
        own: Option<&Place>,
        body: &Region,
        carried: bool,
        span: Span,
    ) {
        let sources = self.unordered.split_off(first);
        let elements: Vec<&Place> = sources.iter().chain(own).collect();
        let declared: Set<Slot> = body.ops.iter().flat_map(all_declared).collect();
        // The list to which the results are pushed is the compiler's.
        let is_outside = |slot: Slot| {
            !declared.contains(&slot)
                && self.out.slot(slot).ident.is_some()
                && elements.iter().all(|array| array.root != slot)
        };
        let writes_other = |op: &Op| {
            let written = own_written_slots(&self.out, op, &|slot| slot);
            let mut other = written.iter().any(|slot| is_outside(*slot))
                || self.may_keep_state(op, &is_outside);
            op.each_place(&mut |place| {
                let mut of_root = elements.iter().filter(|array| array.root == place.root);
                other |= written.contains(&place.root)
                    && of_root.clone().next().is_some()
                    && !of_root.any(|array| place.path.starts_with(&array.path));
            });
            other
        };
        if sources.is_empty()
            || !carried && !body.ops.iter().any(|op| op.any(&mut |op| writes_other(op)))
        {
            return;
        }
        for source in sources {
            let ident = self.private("array");
            let uses = vec![Use::reference(ident.clone(), source)];
            self.effect(
                OpKind::code(quote!({ #ident.__check_order(); }), uses),
                span,
            );
        }
    }

    /// True for verbatim code that calls something with a value of outside which may be written to behind a shared reference, as a `Cell` is.
    fn may_keep_state(&self, op: &Op, is_outside: &dyn Fn(Slot) -> bool) -> bool {
        let OpKind::Opaque { tokens, uses, .. } = &op.kind else {
            return false;
        };
        let is_array = |ty: &Ty| matches!(ty, Ty::Named(ty) if self.hir.callees.is_owned_array(ty));
        let may_be_written = |ty: &Ty| !ty.drops_silently() && !is_array(ty);
        let keeps = uses.iter().any(|used| match used {
            Use::Value(_, value) => may_be_written(self.out.ty(*value)),
            Use::Place { place, .. } => {
                is_outside(place.root) && may_be_written(&self.out.slot(place.root).ty)
            }
        });
        keeps && has_call(tokens)
    }

    fn views(
        &mut self,
        of: &Expr,
        base: &str,
        args: &[Expr],
        (item, mutable): (Type, bool),
        span: Span,
    ) -> Lowered<Source> {
        let place = self.reference_or_place(of)?;
        let args = self.view_operands(args)?;
        let counted = place.extended(&[Proj::At(
            Lookup::View {
                name: format!("{base}_count"),
                args: args.clone(),
                by_value: true,
            },
            None,
        )]);
        let len = self.emit(OpKind::Len(counted), Ty::Int("usize"), "len", span);
        let items = Items::Views {
            place,
            name: base.to_owned(),
            args,
            item: item.peeled().clone(),
            views: Some(mutable),
        };
        Ok(Source { len, items })
    }
}

/// True if something is called in verbatim code.
fn has_call(tokens: &TokenStream) -> bool {
    tokens.clone().into_iter().any(|token| match token {
        TokenTree::Group(group) => {
            group.delimiter() == Delimiter::Parenthesis || has_call(&group.stream())
        }
        _ => false,
    })
}

/// Returns `true` if a type is that of shared views of arrays.
pub(super) fn is_viewed(ty: &Type) -> bool {
    matches!(ty, Type::Ref(false, inner) if matches!(&**inner, Type::Foreign(array) if array.form == Form::Viewed))
}

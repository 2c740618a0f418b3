//! Places: the memory that an expression names.

use proc_macro2::{Ident, Span};
use quote::quote;

use super::activity::is_stop_gradient;
use super::alias::hint;
use super::build_if::Part;
use super::builder::{Binding, Failed, Lowered, Lowerer};
use super::option_of_reference::is_or;
use crate::hir::{Expr, ExprKind, Var, end_of, payload_of};
use crate::ir::{BinaryOp, Const, Lookup, OpKind, Place, Proj, SlotKind, Ty, Use, Value};
use crate::std_model::{UNWRAPS, does};
use crate::types::Type;

impl Lowerer<'_> {
    /// Where a variable is, if it is in memory.
    pub(super) fn place_of(&mut self, var: Var, span: Span) -> Lowered<Option<Place>> {
        match self.binding(var, span)? {
            Binding::Place { place, .. } => Ok(Some(place)),
            Binding::Late { .. } if self.rejected.contains(&var) => Err(Failed),
            // The variable of a chain's end has been assigned to by then, if that has not been refused.
            Binding::Late { .. } if self.hir.var(var).synthetic && !self.errors.is_empty() => {
                Err(Failed)
            }
            Binding::Late { .. } => self.reject(
                span,
                format!("`{}` is used before it has a value", self.name(var)),
                "initialise it where it is declared",
            ),
            Binding::Value(_) | Binding::Failed => Ok(None),
            Binding::References(_) => self.reject(
                span,
                "a list of references is only supported in loops and with an index yet",
                "loop over it, or index it; pass what they refer to one by one",
            ),
            Binding::Optional(_) => self.reject(
                span,
                "an element that may not be there is only supported in patterns yet",
                "take it apart with `if let Some(..)` or `match`, or write `.copied()`",
            ),
            Binding::Closure(known) => self.materialised(var, &known).map(Some),
        }
    }

    /// The place that an expression names, if it names one. References are looked through, as Rust does.
    pub(super) fn place(&mut self, expr: &Expr) -> Lowered<Option<Place>> {
        match &expr.kind {
            ExprKind::Var(var) => self.place_of(*var, expr.span),
            ExprKind::Field(base, member) => {
                let Some(base) = self.base(base)? else {
                    return Ok(None);
                };
                let field = base.extended(&[Proj::Field(member.clone())]);
                if !self.types.is_constant_field(expr.id) {
                    return Ok(Some(field));
                }
                // A name of its own, which has no shadow.
                let ty = self.ty(expr).peeled().lower();
                let name = hint(member);
                let alias = self.slot(ty, SlotKind::Ref, &name, None, expr.span);
                self.out.constants.insert(alias);
                self.effect(OpKind::Borrow(alias, field), expr.span);
                Ok(Some(Place::whole(alias)))
            }
            ExprKind::Index(base, index) => {
                let ty = self.ty(base).peeled().clone();
                if let Some(found) = self.looked_up(expr)? {
                    return Ok(Some(found));
                }
                self.reject_boxes(base, index)?;
                if let Some(places) = self.references(base)? {
                    let k = self.operand(index)?;
                    let reference = self.ty(expr).clone();
                    return Ok(Some(self.at_index(&places, &reference, k, index.span)));
                }
                let Some(base) = self.base(base)? else {
                    return Ok(None);
                };
                if let Some(part) = self.part_at(&base, &ty, index)? {
                    return Ok(Some(part));
                }
                self.element(&base, &ty, index).map(Some)
            }
            ExprKind::Deref(inner) => {
                let base = self.base(inner)?;
                // A reference is a name for the place itself.
                let names = matches!(self.ty(inner), Type::Ref(..)) || self.is_name(inner);
                Ok(match base {
                    Some(base) if !names => Some(base.extended(&[Proj::Deref])),
                    base => base,
                })
            }
            ExprKind::Method { .. } if self.gives_view(expr) => self.view_given(expr).map(Some),
            ExprKind::Method { .. } if self.gives_part(expr) => self.part_given(expr).map(Some),
            ExprKind::Path(path) if self.hir.callees.is_static(&path.path) => {
                Ok(Some(self.static_item(path, expr)))
            }
            _ => Ok(None),
        }
    }

    /// A static variable, behind a reference to it: it can't be moved.
    fn static_item(&mut self, path: &syn::ExprPath, expr: &Expr) -> Place {
        let target = self.ty(expr).lower();
        let pointer = Ty::Boxed(Box::new(target));
        let reference = self.constant(Const::Expr(quote!(&#path)), pointer, expr.span);
        self.spill(reference, expr.span).extended(&[Proj::Deref])
    }

    /// Returns `true` if an expression is a variable that is a name for a place.
    pub(super) fn is_name(&mut self, expr: &Expr) -> bool {
        match expr.kind {
            ExprKind::Var(var) => matches!(
                self.binding(var, expr.span),
                Ok(Binding::Place { by_ref: true, .. })
            ),
            _ => false,
        }
    }

    /// The number behind a reference that isn't memory: that of a variable that never changes.
    pub(super) fn scalar_behind(&self, expr: &Expr) -> Option<Value> {
        match &expr.kind {
            ExprKind::Var(var) if matches!(self.ty(expr), Type::Ref(..)) => self.current(*var),
            ExprKind::Ref(false, inner) => match &inner.kind {
                ExprKind::Var(var)
                    if self.types.var(*var).peeled().is_scalar() && !self.hir.var(*var).mutable =>
                {
                    self.current(*var)
                }
                ExprKind::Ref(..) => self.scalar_behind(inner),
                _ => None,
            },
            ExprKind::Deref(inner) => self.scalar_behind(inner),
            _ => None,
        }
    }

    /// The place that a projection applies to.
    fn base(&mut self, base: &Expr) -> Lowered<Option<Place>> {
        match &base.kind {
            ExprKind::Ref(_, inner) => self.base(inner),
            ExprKind::Method { .. } if self.is_view(base) => self.reference(base).map(Some),
            ExprKind::Block(_, None) if matches!(self.ty(base), Type::Ref(..)) => {
                self.reference(base).map(Some)
            }
            _ => self.place(base),
        }
    }

    /// `base[index]`, where `ty` is the type of `base`.
    pub(super) fn element(&mut self, base: &Place, ty: &Type, index: &Expr) -> Lowered<Place> {
        let proj = self.projection(base, ty, index)?;
        Ok(base.extended(&[proj]))
    }

    pub(super) fn projection(&mut self, base: &Place, ty: &Type, index: &Expr) -> Lowered<Proj> {
        if ty.element().is_some()
            && let Some(range) = self.range_in(index)?
        {
            return Ok(range);
        }
        let ExprKind::Range { lo, hi, inclusive } = &index.kind else {
            let mut i = self.operand(index)?;
            if ty.element().is_some() && matches!(self.out.ty(i), Ty::Int(name) if *name != "usize")
            {
                // Rustc says that it is no index, about the primal; one message is enough.
                i = self.emit(OpKind::Cast(i), Ty::Int("usize"), "at", index.span);
            }
            return Ok(self.position(base, ty, i, index.span));
        };
        let lo = lo.as_ref().map(|lo| self.value(lo)).transpose()?;
        let mut hi = hi.as_ref().map(|hi| self.value(hi)).transpose()?;
        if *inclusive && let Some(last) = hi {
            hi = Some(self.plus_one(last, index.span));
        }
        Ok(Proj::Range(lo, hi))
    }

    /// The part of a list that the value of a range is for.
    ///
    /// ```text
    /// Input:  x[r]
    /// Output: x[r.start..r.end]
    /// ```
    fn range_in(&mut self, index: &Expr) -> Lowered<Option<Proj>> {
        let Some((from, to)) = self.ty(index).range_ends() else {
            return Ok(None);
        };
        if matches!(index.kind, ExprKind::Range { .. }) {
            return Ok(None);
        }
        let range = match self.place(index)? {
            Some(range) => range,
            None => self.spilled(index)?,
        };
        let mut end = |name: &str| {
            let name = Ident::new(name, Span::call_site());
            let place = range.extended(&[Proj::Field(name.into())]);
            self.emit(OpKind::Load(place), Ty::Int("usize"), "end", index.span)
        };
        let lo = from.then(|| end("start"));
        let hi = to.then(|| end("end"));
        Ok(Some(Proj::Range(lo, hi)))
    }

    /// The element at an index that isn't a range.
    pub(super) fn position(&mut self, base: &Place, ty: &Type, index: Value, span: Span) -> Proj {
        if ty.element().is_some() || !ty.may_have_tangent() {
            return Proj::Index(index);
        }
        // A type of the user's, it may be, whose elements are where its `Index` says.
        let locate = OpKind::Locate {
            place: base.clone(),
            lookup: Lookup::Index(index),
            mutable: false,
        };
        let at = self.emit(locate, Ty::Rule, "at", span);
        Proj::At(Lookup::Index(index), Some(at))
    }

    pub(super) fn plus_one(&mut self, value: Value, span: Span) -> Value {
        let ty = self.out.ty(value).clone();
        let one = self.constant(Const::Int("1".into()), ty.clone(), span);
        self.emit(OpKind::Binary(BinaryOp::Add, value, one), ty, "end", span)
    }

    /// Returns `true` if a method's result is a view of its receiver, which has a place.
    pub(super) fn is_view(&self, expr: &Expr) -> bool {
        if self.gives_view(expr) {
            return false;
        }
        let Some((receiver, name, args)) = expr.as_method() else {
            return false;
        };
        let name = name.to_string();
        if does(&name, UNWRAPS) {
            return self.is_checked_access(receiver)
                || self.bound_optional(receiver).is_some()
                || payload_of(receiver, &name).is_some();
        }
        if is_or(&name) && matches!(self.ty(expr), Type::Ref(..)) {
            return self.is_optional(receiver) || self.bound_optional(receiver).is_some();
        }
        let ty = self.ty(receiver);
        let list = ty.element().is_some();
        match name.as_str() {
            "as_ref" | "as_mut" => list && args.is_empty(),
            name => is_slice_of_all(name) && (list || matches!(ty.peeled(), Type::Deferred)),
        }
    }

    /// Returns `true` if an expression is `x.first()`, `x.last()` or `x.get(i)`, where `x` is a list, or may be one.
    pub(super) fn is_checked_access(&self, expr: &Expr) -> bool {
        let (ExprKind::Method { args, .. }, Some((of, _))) = (&expr.kind, end_of(expr)) else {
            return false;
        };
        let ty = self.ty(of).peeled();
        let by_number = args.iter().all(|arg| self.ty(arg).is_int());
        ty.element().is_some() || matches!(ty, Type::Deferred) && by_number
    }

    /// The target of an expression of reference type.
    pub(super) fn reference(&mut self, expr: &Expr) -> Lowered<Place> {
        match &expr.kind {
            ExprKind::Ref(_, inner) => self.reference_or_place(inner),
            ExprKind::Method { receiver, name, .. } if self.is_view(expr) => {
                let name = name.to_string();
                if is_or(&name)
                    && let Some(place) = self.present_or(expr)?
                {
                    return Ok(place);
                }
                if let Some(optional) = self.bound_optional(receiver) {
                    return Ok(self.unwrapped(&optional, expr.span));
                }
                if let Some((of, _)) = end_of(receiver) {
                    return self.end(of, receiver);
                }
                if let Some((of, _)) = payload_of(receiver, &name) {
                    return self.payload(of, expr);
                }
                let place = self.reference_or_place(receiver)?;
                if is_slice_of_all(&name) {
                    let ty = self.ty(receiver).clone();
                    self.check_list(&place, &ty, receiver.span);
                    return Ok(self.whole_slice(receiver, place));
                }
                Ok(place)
            }
            ExprKind::Block(block, None) => match &block.value {
                Some(value) => {
                    self.statements(&block.stmts)?;
                    self.reference(value)
                }
                None => self.spilled(expr),
            },
            ExprKind::If { other: Some(_), .. } => self.chosen_reference(expr),
            ExprKind::Call { path, args } if is_stop_gradient(path) && args.len() == 1 => {
                self.stopped_reference(expr, &args[0])
            }
            ExprKind::Call { .. } => match self.taken_reference(expr)? {
                Some(place) => Ok(place),
                None => self.spilled(expr),
            },
            ExprKind::If { .. } | ExprKind::Block(..) | ExprKind::Loop { .. } => self.reject(
                expr,
                "a reference that comes out of this is not supported yet",
                "declare a variable for it, and assign it there",
            ),
            _ => match self.place(expr)? {
                Some(place) => Ok(place),
                None => self.spilled(expr),
            },
        }
    }

    /// `if c { &a } else { &b }`
    fn chosen_reference(&mut self, expr: &Expr) -> Lowered<Place> {
        if matches!(self.ty(expr).peeled(), Type::Function(_)) {
            return self.reject(
                expr,
                "a function chosen by control flow is not supported yet",
                "call each function where it is chosen",
            );
        }
        let types = [self.ty(expr).clone()];
        let parts = self.chosen(expr, &types, &|lowerer, value| {
            let place = lowerer.reference(value)?;
            Ok(Some(vec![Part::Place(place)]))
        })?;
        match parts.unwrap_or_default().pop() {
            Some(Part::Place(place)) => Ok(place),
            // No run comes to here.
            _ => {
                let never = self.unreachable_value(expr);
                Ok(self.spill(never, expr.span))
            }
        }
    }

    /// A place for an expression: its own, or that of a temporary.
    pub(super) fn reference_or_place(&mut self, expr: &Expr) -> Lowered<Place> {
        if matches!(self.ty(expr), Type::Ref(..)) {
            return self.reference(expr);
        }
        match self.place(expr)? {
            Some(place) => Ok(place),
            None => self.spilled(expr),
        }
    }

    /// The place of a value without one. A part of what a call returns is a copy: the call may return a reference.
    fn spilled(&mut self, expr: &Expr) -> Lowered<Place> {
        let value = match &expr.kind {
            ExprKind::Field(..) if !self.touches(expr) => {
                let part = self.part_of_temporary(expr)?;
                let ty = self.ty(expr).lower();
                self.emit(OpKind::CloneOf(part), ty, "part", expr.span)
            }
            _ => self.value(expr)?,
        };
        let place = self.spill(value, expr.span);
        self.note_lender(expr, &place);
        Ok(place)
    }

    fn part_of_temporary(&mut self, expr: &Expr) -> Lowered<Place> {
        if let ExprKind::Field(base, member) = &expr.kind {
            let base = match self.place(base)? {
                Some(base) => base,
                None => self.part_of_temporary(base)?,
            };
            return Ok(base.extended(&[Proj::Field(member.clone())]));
        }
        let value = self.value(expr)?;
        Ok(self.spill(value, expr.span))
    }

    /// `o.as_ref().unwrap()`, which panics as it is written.
    fn payload(&mut self, of: &Expr, unwrapped: &Expr) -> Lowered<Place> {
        let ExprKind::Method { name, args, .. } = &unwrapped.kind else {
            return self.reference_or_place(of);
        };
        let place = self.reference_or_place(of)?;
        let ident = self.private("whole");
        let message = args.iter().map(|arg| &arg.source);
        let message: Vec<_> = message.flatten().collect();
        let mut uses = Vec::new();
        for arg in args {
            let mentions = self.mentions(arg);
            uses.extend(self.uses(&mentions, arg.span)?);
        }
        uses.push(Use::reference(ident.clone(), place.clone()));
        let check = OpKind::code(quote!({ #ident.as_ref().#name(#(#message),*); }), uses);
        self.effect(check, unwrapped.span);
        let variant = match self.ty(of).peeled() {
            Type::Result(..) => syn::parse_quote!(::core::result::Result::Ok),
            _ => syn::parse_quote!(::core::option::Option::Some),
        };
        Ok(place.extended(&[Proj::Variant(variant, syn::Member::from(0))]))
    }

    /// `x.first().unwrap()`, `x.last().unwrap()`, `x.get(i).unwrap()`: they panic as the index does.
    fn end(&mut self, of: &Expr, method: &Expr) -> Lowered<Place> {
        let ExprKind::Method { name, args, .. } = &method.kind else {
            return self.reference_or_place(of);
        };
        let (place, span) = (self.reference_or_place(of)?, method.span);
        let ty = self.ty(of).peeled().clone();
        self.check_list(&place, &ty, name.span());
        let index = match (name.to_string().as_str(), &args[..]) {
            ("last" | "last_mut" | "back" | "back_mut", _) => self.last_of(&place, span),
            (_, [index]) => return self.element(&place, &ty, index),
            _ => self.index_constant(0, span),
        };
        let proj = self.position(&place, &ty, index, span);
        Ok(place.extended(&[proj]))
    }
}

/// Returns `true` if a method returns a slice of all elements.
fn is_slice_of_all(name: &str) -> bool {
    matches!(name, "as_slice" | "as_mut_slice")
}

//! Binding patterns: to values, to the parts of a place, and to references, which are names for places.

use proc_macro2::Span;
use quote::quote;

use super::build_if::{Part, Parts as Components};
use super::builder::{Binding, Lowered, Lowerer};
use super::storage::Storage;
use crate::hir::{Expr, ExprKind, Pat, Var, split_of};
use crate::ir::{BinaryOp, OpKind, Place, Proj, SlotKind, Ty, Use, Value, is_std_variant};
use crate::paths::ends_in;
use crate::std_model::{UNWRAPS, does};
use crate::types::Type;

/// How a pattern takes the parts of a place by value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Parts {
    /// They are `Copy`, since the whole can't be moved.
    Copied,
    /// They may be moved. Elements are cloned: the reverse half needs a list as it was, and nothing can be moved out of an index.
    Moved,
}

impl Lowerer<'_> {
    /// `let pat = expr;`.
    pub(super) fn bind_expr(&mut self, pat: &Pat, init: &Expr) -> Lowered<()> {
        let (ty, span) = (self.ty(init).clone(), init.span);
        if let (Pat::Bind { var, by_ref: None }, ExprKind::Closure(_)) = (pat, &init.kind) {
            return self.bind_closure(*var, init);
        }
        if let Pat::Bind { var, by_ref: None } = pat
            && let Some(parameter) = self.function_parameter(init)?
        {
            self.bind(*var, parameter);
            return Ok(());
        }
        // A look at an element that may be absent.
        if let Type::Ref(_, inner) = &ty {
            if let (Pat::Bind { var, by_ref: None }, ExprKind::Ref(false, of)) = (pat, &init.kind)
                && let Some(optional) = self.bound_optional(of)
            {
                self.bind(*var, Binding::Optional(optional));
                return Ok(());
            }
            if let (Pat::Variant { fields, .. }, Some(optional)) = (pat, self.bound_optional(init))
            {
                return self.bind_present(fields, &optional, inner, span);
            }
        }
        if let Type::Ref(_, inner) = &ty {
            if let (Pat::Bind { var, by_ref: None }, Some(value)) = (pat, self.scalar_behind(init))
            {
                self.bind_value(*var, value);
                return Ok(());
            }
            if !matches!(pat, Pat::Wild) {
                let place = self.reference(init)?;
                if let Pat::Bind { var, by_ref: None } = pat
                    && !matches!(init.kind, ExprKind::Ref(..))
                    && place.path.is_empty()
                    && self.out.slot(place.root).ident.is_none()
                {
                    self.bind_held(*var, place);
                    return Ok(());
                }
                return self.bind_place_from(pat, place, inner, init, span);
            }
            self.flow_or_place(init)?;
            return Ok(());
        }
        if let ExprKind::Var(var) = init.kind
            && self.lent.contains(&var)
            && let Some(place) = self.place_of(var, span)?
        {
            return self.bind_lent(pat, &place, &ty, span);
        }
        if let Pat::Bind { var, by_ref: None } = pat
            && !self.hir.var(*var).mutable
            && let Some(places) = self.references(init)?
        {
            self.bind(*var, Binding::References(places));
            return Ok(());
        }
        if let (Pat::Variant { fields, .. }, Some(optional)) = (pat, self.bound_optional(init)) {
            return self.bind_present(fields, &optional, &ty, span);
        }
        match pat {
            Pat::Bind { var, by_ref: None }
                if self.is_optional(init)
                    && (split_of(init).is_some()
                        || matches!(self.ty(init), Type::Option(of) if matches!(**of, Type::Ref(true, _)))
                        || !self.is_free(init)
                        || self.activity.is_varied(*var))
                    || self.bound_optional(init).is_some() =>
            {
                let optional = match self.bound_optional(init) {
                    Some(optional) => optional,
                    None => self.optional(init)?,
                };
                self.bind(*var, Binding::Optional(optional));
                Ok(())
            }
            Pat::Wild => self.flow_or_place(init),
            // `ref x`, and patterns that take a place apart, don't move the rest of it.
            Pat::Bind {
                by_ref: Some(_), ..
            }
            | Pat::Struct { .. }
            | Pat::Variant { .. }
            | Pat::Slice(_)
            | Pat::Ends { .. } => {
                if let Some(place) = self.place(init)? {
                    let fixed = self.is_fixed(init);
                    self.note_owner(pat, fixed);
                    let parts = if fixed { Parts::Copied } else { Parts::Moved };
                    return self.bind_parts(pat, &place, &ty, parts, span);
                }
                let value = self.value(init)?;
                self.bind_pattern(pat, value, &ty, span)
            }
            Pat::Tuple { elems, rest: None } => {
                if matches!(self.ty(init), Type::Tuple(types) if types.iter().any(is_ref)) {
                    return self.bind_references(elems, init);
                }
                let values = self.components(init, elems.len())?;
                let types = component_types(&ty, elems.len());
                for ((elem, value), ty) in elems.iter().zip(values).zip(types) {
                    self.bind_pattern(elem, value, &ty, span)?;
                }
                Ok(())
            }
            pat => {
                let fresh = self.out.values.len();
                let value = self.value(init)?;
                if let Pat::Bind { var, .. } | Pat::At(var, _) = pat {
                    self.call_it(value, *var, fresh);
                }
                self.bind_pattern(pat, value, &ty, span)
            }
        }
    }

    /// Returns `true` if nothing can be moved out of a place: it is behind a reference, or in a list, which only a pattern for the
    /// list takes apart.
    fn is_fixed(&mut self, place: &Expr) -> bool {
        match &place.kind {
            ExprKind::Index(..) => true,
            ExprKind::Var(var) => !self.owners.contains(var) && self.is_name(place),
            ExprKind::Field(base, _) => is_ref(self.ty(base)) || self.is_fixed(base),
            ExprKind::Deref(inner) => match inner.kind {
                ExprKind::Var(var) if self.owners.contains(&var) => false,
                _ => is_ref(self.ty(inner)) || self.is_fixed(inner),
            },
            _ => false,
        }
    }

    /// Records a name that the compiler made for a matched value: parts can be moved from behind it as from the place itself.
    fn note_owner(&mut self, pat: &Pat, fixed: bool) {
        if let Pat::Bind { var, .. } = pat
            && self.hir.var(*var).synthetic
            && !fixed
        {
            self.owners.insert(*var);
        }
    }

    /// `let (a, b) = (x, y);` without the tuple. Everything is evaluated before anything is bound, which shadowing has
    /// made sure of: no initial value sees the new names.
    pub(super) fn bind_each(&mut self, pats: &[Pat], inits: &[Expr]) -> Lowered<()> {
        for (pat, init) in pats.iter().zip(inits) {
            self.bind_expr(pat, init)?;
        }
        Ok(())
    }

    /// `let _ = expr;`: a place stays where it is.
    fn flow_or_place(&mut self, init: &Expr) -> Lowered<()> {
        if matches!(init.kind, ExprKind::Var(_) | ExprKind::Ref(..)) {
            return Ok(());
        }
        self.flow(init).map(|_| ())
    }

    /// A pattern matched with a value.
    pub(super) fn bind_pattern(
        &mut self,
        pat: &Pat,
        value: Value,
        ty: &Type,
        span: Span,
    ) -> Lowered<()> {
        match pat {
            Pat::Wild => Ok(()),
            Pat::Bind { var, by_ref: None } if self.activity.writes_through(*var) => self.reject(
                span,
                format!(
                    "`{}` may be a reference into something else, and a differentiated value is written through it",
                    self.name(*var)
                ),
                "write to the variable itself, by a field or an index; if it is a value of its own, declare it `mut`",
            ),
            Pat::Bind { var, by_ref: None } => {
                self.bind_variable(*var, value);
                Ok(())
            }
            Pat::Bind {
                by_ref: Some(true), ..
            } => self.reject(
                span,
                "`ref mut` is not supported yet in this pattern",
                "bind the part with `&mut`: `let a = &mut pair.0;`",
            ),
            Pat::Bind {
                var,
                by_ref: Some(_),
            } => {
                let place = self.spill(value, span);
                self.bind_reference(*var, place);
                Ok(())
            }
            Pat::At(var, sub) => {
                self.own(*var, value);
                match self.place_of(*var, span)? {
                    Some(place) => self.bind_parts(sub, &place, ty, Parts::Copied, span),
                    None => Ok(()),
                }
            }
            Pat::Tuple { elems, rest } => {
                let types = self.tuple_types(ty, elems.len(), *rest, span)?;
                let values = self.untuple(value, &types, span);
                for (elem, k) in elems.iter().zip(positions(elems.len(), *rest, types.len())) {
                    self.bind_pattern(elem, values[k], &types[k].clone(), span)?;
                }
                Ok(())
            }
            Pat::Struct { fields } => {
                for (member, sub) in fields {
                    if matches!(sub, Pat::Wild) {
                        continue;
                    }
                    let ty = pattern_type(self, sub);
                    let kind = OpKind::Field(value, member.clone());
                    let field = self.emit(kind, ty.lower(), &hint(member), span);
                    self.bind_pattern(sub, field, &ty, span)?;
                }
                Ok(())
            }
            Pat::Variant { path, fields } => self.unpack(path, fields, ty, value, span),
            Pat::Slice(_) | Pat::Ends { .. } => {
                let place = self.spill(value, span);
                self.bind_parts(pat, &place, ty, Parts::Moved, span)
            }
            Pat::Ref(sub) => {
                let value = self.behind(value, ty, sub, span);
                self.bind_pattern(sub, value, ty, span)
            }
        }
    }

    /// A variable that owns its value.
    fn bind_variable(&mut self, var: Var, value: Value) {
        match self.storage[var.0 as usize] {
            Storage::Value => self.bind_value(var, value),
            Storage::Memory => self.own(var, value),
            Storage::Alias => {
                // A reference that is a value: its target stays behind it.
                let place = self.spill(value, self.hir.var(var).ident.span());
                self.bind_held(var, place);
            }
        }
    }

    /// A reference whose target is all of `held`. If only rustc can resolve its type, `held` has the reference itself, which the user's own
    /// code reads.
    fn bind_held(&mut self, var: Var, held: Place) {
        let by_ref = !self.out.slot(held.root).may_borrow;
        let place = held;
        self.bind(var, Binding::Place { place, by_ref });
    }

    /// A pattern matched with a place in memory, by value: parts are loaded, the rest stays.
    pub(super) fn bind_parts(
        &mut self,
        pat: &Pat,
        place: &Place,
        ty: &Type,
        parts: Parts,
        span: Span,
    ) -> Lowered<()> {
        match pat {
            Pat::Wild => Ok(()),
            Pat::Bind {
                var,
                by_ref: Some(_),
            } => {
                self.bind_reference(*var, place.clone());
                Ok(())
            }
            Pat::Struct { .. } | Pat::Tuple { .. } | Pat::Slice(_) | Pat::Ends { .. } => {
                self.bind_inside(pat, place, ty, Some(parts), span)
            }
            Pat::Variant { path, fields } => {
                // Parts that are `Copy` are read where they are; others are moved out, all at once.
                let copies = parts == Parts::Copied
                    || fields.iter().all(|(_, sub)| match sub {
                        Pat::Wild
                        | Pat::Bind {
                            by_ref: Some(_), ..
                        } => true,
                        sub => pattern_type(self, sub).is_scalar(),
                    });
                if !copies {
                    let value = self.taken(place, ty, parts, "whole", span);
                    return self.unpack(path, fields, ty, value, span);
                }
                for (member, sub) in fields {
                    let lent = self.out.slot(place.root).may_borrow;
                    let (sub, ty) = self.bound_inside(ty, lent, sub);
                    let part = Proj::Variant(path.clone(), member.clone());
                    self.bind_parts(sub, &place.extended(&[part]), &ty, parts, span)?;
                }
                Ok(())
            }
            pat => {
                // The pattern may determine the type if the list doesn't, unless the list holds references.
                let known = pattern_type(self, pat);
                let told = known.is_scalar() && !matches!(pat, Pat::Ref(_));
                let ty = if matches!(ty, Type::Deferred) && told {
                    &known
                } else {
                    ty
                };
                let value = self.taken(place, ty, parts, "part", span);
                if let Pat::Bind { var, .. } = pat {
                    self.call_it(value, *var, 0);
                }
                self.bind_pattern(pat, value, ty, span)
            }
        }
    }

    /// The pattern inside of a variant, and its type. A value looked up in a map is a copy already; one that is `lent` is a reference.
    fn bound_inside<'p>(&self, of: &Type, lent: bool, sub: &'p Pat) -> (&'p Pat, Type) {
        match (of, sub) {
            (of, Pat::Ref(parts))
                if lent && matches!(**parts, Pat::Tuple { .. }) && of.lower().has_deferred() =>
            {
                (sub, Type::Deferred)
            }
            (Type::Option(inner), Pat::Ref(copy)) if matches!(**inner, Type::Ref(..)) => {
                (copy, pattern_type(self, copy))
            }
            (of, Pat::Ref(_)) if holds_unknown(of) => (sub, Type::Deferred),
            _ => (sub, pattern_type(self, sub)),
        }
    }

    /// Binds `&name` or `&(a, b)` to a value that only rustc can tell is a reference.
    fn behind(&mut self, value: Value, ty: &Type, sub: &Pat, span: Span) -> Value {
        if !matches!(ty, Type::Deferred)
            || !matches!(sub, Pat::Bind { by_ref: None, .. } | Pat::Tuple { .. })
        {
            return value;
        }
        let mut varied = false;
        sub.each_var(&mut |var| varied |= self.activity.is_varied(var));
        let ident = self.private("reference");
        let tokens = if varied {
            quote!(__rt::probe::constant(*#ident))
        } else {
            quote!(*#ident)
        };
        let kind = OpKind::code(tokens, vec![Use::Value(ident, value)]);
        let name = match sub {
            Pat::Bind { var, .. } => self.name(*var),
            _ => "parts".to_owned(),
        };
        self.emit(kind, pattern_type(self, sub).lower(), &name, span)
    }

    /// Takes a part out of a place by value, as a pattern does.
    fn taken(&mut self, place: &Place, ty: &Type, parts: Parts, hint: &str, span: Span) -> Value {
        let ty = ty.lower();
        let element = place.path.iter().any(is_element);
        // A `Vec` is replaced by an empty one, see `transform/moves.rs`.
        let movable = ty.is_copy() || matches!(ty, Ty::Vec(_));
        let kind = if parts == Parts::Moved && element && !movable {
            OpKind::CloneOf(place.clone())
        } else {
            OpKind::Load(place.clone())
        };
        self.emit(kind, ty, hint, span)
    }

    /// A pattern matched with a reference to `place`; `inner` is the type behind it.
    pub(super) fn bind_place(
        &mut self,
        pat: &Pat,
        place: &Place,
        inner: &Type,
        span: Span,
    ) -> Lowered<()> {
        match pat {
            Pat::Wild => Ok(()),
            Pat::Bind { var, .. } => {
                self.bind_reference(*var, place.clone());
                Ok(())
            }
            Pat::Ref(sub) => self.bind_parts(sub, place, inner, Parts::Copied, span),
            Pat::Variant { path, fields } => {
                for (member, sub) in fields {
                    let ty = pattern_type(self, sub);
                    let part = Proj::Variant(path.clone(), member.clone());
                    let part = place.extended(&[part]);
                    match sub {
                        // A field of the user's may be constant, which the place tells.
                        Pat::Bind { var, by_ref: None }
                            if matches!(ty, Type::Ref(false, _)) && is_std_variant(path) =>
                        {
                            self.borrow(*var, part, ty.peeled(), span);
                        }
                        sub => self.bind_place(sub, &part, ty.peeled(), span)?,
                    }
                }
                Ok(())
            }
            Pat::At(var, sub) => {
                self.bind_reference(*var, place.clone());
                self.bind_place(sub, place, inner, span)
            }
            Pat::Struct { .. } | Pat::Tuple { .. } | Pat::Slice(_) | Pat::Ends { .. } => {
                self.bind_inside(pat, place, inner, None, span)
            }
        }
    }

    fn reject_pattern<T>(&mut self, span: Span) -> Lowered<T> {
        self.reject(
            span,
            "this pattern is not supported here yet",
            "bind a name, and match on it",
        )
    }

    /// A part of the place that a pattern is matched with: by value, or of the place behind a reference.
    fn bind_part(
        &mut self,
        pat: &Pat,
        place: &Place,
        part: Proj,
        ty: &Type,
        parts: Option<Parts>,
        span: Span,
    ) -> Lowered<()> {
        let place = place.extended(&[part]);
        match parts {
            Some(parts) => self.bind_parts(pat, &place, ty, parts, span),
            None => self.bind_place(pat, &place, ty.peeled(), span),
        }
    }

    /// The parts of a struct, a tuple or a list.
    fn bind_inside(
        &mut self,
        pat: &Pat,
        place: &Place,
        ty: &Type,
        parts: Option<Parts>,
        span: Span,
    ) -> Lowered<()> {
        match pat {
            Pat::Struct { fields } => {
                for (member, sub) in fields {
                    let ty = pattern_type(self, sub);
                    self.bind_part(sub, place, Proj::Field(member.clone()), &ty, parts, span)?;
                }
                Ok(())
            }
            Pat::Tuple { elems, rest } => {
                let types = self.tuple_types(ty, elems.len(), *rest, span)?;
                for (elem, k) in elems.iter().zip(positions(elems.len(), *rest, types.len())) {
                    let field = Proj::Field(syn::Member::from(k));
                    self.bind_part(elem, place, field, &types[k].clone(), parts, span)?;
                }
                Ok(())
            }
            Pat::Slice(elems) => self.bind_ends([elems, &[]], &Pat::Wild, place, ty, parts, span),
            Pat::Ends {
                front,
                middle,
                back,
            } => self.bind_ends([front, back], middle, place, ty, parts, span),
            _ => self.reject_pattern(span),
        }
    }

    /// `[a, b, rest @ .., z]`, of a list that is long enough: by value, or of a list behind a reference.
    fn bind_ends(
        &mut self,
        [front, back]: [&[Pat]; 2],
        middle: &Pat,
        place: &Place,
        list: &Type,
        parts: Option<Parts>,
        span: Span,
    ) -> Lowered<()> {
        let ty = list.any_element();
        let bind = |lowerer: &mut Self, pat: &Pat, index: Value| {
            lowerer.bind_part(pat, place, Proj::Index(index), &ty, parts, span)
        };
        for (k, elem) in front.iter().enumerate() {
            let index = self.index_constant(k, span);
            bind(self, elem, index)?;
        }
        let wants = |pat: &Pat| !matches!(pat, Pat::Wild);
        let from_end = |lowerer: &mut Self, n: usize| {
            let len = lowerer.len(place, span);
            let n = lowerer.index_constant(n, span);
            let index = OpKind::Binary(BinaryOp::Sub, len, n);
            lowerer.emit(index, Ty::Int("usize"), "k", span)
        };
        // The middle ends where this element is. Emission compares the two values.
        let after = (back.first()).is_some_and(|elem| wants(elem) || wants(middle));
        let after = after.then(|| from_end(self, back.len()));
        for (k, elem) in back.iter().enumerate().filter(|(_, elem)| wants(elem)) {
            let index = match after {
                Some(after) if k == 0 => after,
                _ => from_end(self, back.len() - k),
            };
            bind(self, elem, index)?;
        }
        if let Pat::Bind { var, by_ref } = middle {
            let lo = self.index_constant(front.len(), span);
            let range = place.extended(&[Proj::Range(Some(lo), after)]);
            let slice = Type::Slice(ty.clone().into());
            if parts.is_some() && by_ref.is_none() {
                let copy = Type::Vec(ty.clone().into()).lower();
                let copy = self.emit(OpKind::CloneOf(range), copy, "rest", span);
                let place = self.spill(copy, span);
                self.bind_reference(*var, place);
            } else if matches!(self.types.var(*var), Type::Ref(false, _)) {
                self.borrow(*var, range, &slice, span);
            } else {
                self.bind_reference(*var, range);
            }
        }
        Ok(())
    }

    /// `let name = &x[a..b];` becomes a real reference, so that the range is checked once. A mutable borrow, or one
    /// without a range, is only a name.
    fn bind_place_from(
        &mut self,
        pat: &Pat,
        place: Place,
        inner: &Type,
        init: &Expr,
        span: Span,
    ) -> Lowered<()> {
        match pat {
            Pat::Bind { var, by_ref: None } => self.bind_name(*var, place, self.ty(init), span),
            pat => return self.bind_place(pat, &place, inner, span),
        }
        Ok(())
    }

    /// Makes a variable a name for a place, to which `reference` is the type.
    pub(super) fn bind_name(&mut self, var: Var, place: Place, reference: &Type, span: Span) {
        match reference {
            Type::Ref(false, inner) if matches!(place.path.last(), Some(Proj::Range(..))) => {
                self.borrow(var, place, inner, span);
            }
            _ => self.bind_reference(var, place),
        }
    }

    /// `let var = &place;`
    fn borrow(&mut self, var: Var, place: Place, inner: &Type, span: Span) {
        let slot = self.variable_slot(var, inner.lower(), SlotKind::Ref);
        self.effect(OpKind::Borrow(slot, place), span);
        self.bind_reference(var, Place::whole(slot));
    }

    /// A variant taken apart by value.
    fn unpack(
        &mut self,
        path: &syn::Path,
        fields: &[(syn::Member, Pat)],
        of: &Type,
        value: Value,
        span: Span,
    ) -> Lowered<()> {
        // The payload of an error has no tangent, however deep.
        let is_error = ends_in(path, "Err");
        let is_inactive = is_error || matches!(of, Type::Inactive(_));
        let bound: Vec<_> = fields
            .iter()
            .filter(|(_, sub)| !matches!(sub, Pat::Wild))
            .map(|(member, sub)| {
                let lent = self.lent_values.contains(&value);
                let (sub, ty) = self.bound_inside(of, lent, sub);
                let unknown = is_inactive
                    && matches!(ty, Type::Deferred)
                    && matches!(sub, Pat::Variant { .. } | Pat::Struct { .. });
                let ty = if unknown {
                    crate::types::inactive()
                } else {
                    ty
                };
                (member, (sub, ty))
            })
            .collect();
        let results =
            (bound.iter()).map(|(member, (_, ty))| self.part_value(value, ty, hint(member), span));
        let results: Vec<Value> = results.collect();
        let kind = OpKind::Unpack {
            value,
            path: path.clone(),
            members: bound.iter().map(|(member, _)| (*member).clone()).collect(),
        };
        self.ops
            .push(crate::ir::Op::new(kind, results.clone(), span));
        for ((_, (sub, ty)), value) in bound.into_iter().zip(results) {
            if let Pat::Bind { var, .. } = sub {
                self.call_it(value, *var, 0);
            }
            self.bind_pattern(sub, value, &ty, span)?;
        }
        Ok(())
    }

    /// `let (a, b) = x.split_at(k);` and the like: a tuple with references.
    fn bind_references(&mut self, elems: &[Pat], init: &Expr) -> Lowered<()> {
        if let ExprKind::Tuple(inits) = &init.kind {
            return self.bind_each(elems, inits);
        }
        if let ExprKind::Block(block, None) = &init.kind
            && let Some(value) = &block.value
        {
            self.statements(&block.stmts)?;
            return self.bind_references(elems, value);
        }
        if let ExprKind::Method { receiver, name, .. } = &init.kind
            && does(&name.to_string(), UNWRAPS)
            && split_of(receiver).is_some()
        {
            return self.unwrap_split(elems, receiver);
        }
        let types = component_types(self.ty(init), elems.len());
        let parts = self.parts(init, elems.len())?.unwrap_or_default();
        for ((pat, part), ty) in elems.iter().zip(parts).zip(&types) {
            match (pat, part) {
                (pat, Part::Value(value)) => self.bind_pattern(pat, value, ty, init.span)?,
                (Pat::Bind { var, by_ref: None }, Part::Place(place)) => {
                    self.bind_name(*var, place, ty, init.span);
                }
                (pat, Part::Place(place)) => {
                    self.bind_place(pat, &place, ty.peeled(), init.span)?;
                }
            }
        }
        Ok(())
    }

    /// The components of a tuple with references; `None` if control doesn't come to its end.
    pub(super) fn parts(&mut self, tuple: &Expr, len: usize) -> Lowered<Components> {
        match &tuple.kind {
            ExprKind::Tuple(elems) => {
                let parts = elems.iter().map(|elem| match self.ty(elem) {
                    Type::Ref(..) => self.reference(elem).map(Part::Place),
                    _ => self.value(elem).map(Part::Value),
                });
                parts.collect::<Lowered<_>>().map(Some)
            }
            ExprKind::Block(block, None) if block.value.is_some() => {
                self.statements(&block.stmts)?;
                match &block.value {
                    Some(value) => self.parts(value, len),
                    None => Ok(None),
                }
            }
            ExprKind::If { other: Some(_), .. } => {
                let types = component_types(self.ty(tuple), len);
                self.chosen(tuple, &types, &|lowerer, value| lowerer.parts(value, len))
            }
            ExprKind::Method {
                receiver,
                name,
                args,
                ..
            } if args.len() == 1 && (name == "split_at" || name == "split_at_mut") => {
                let place = self.reference_or_place(receiver)?;
                let ty = self.ty(receiver).clone();
                self.check_list(&place, &ty, receiver.span);
                let at = self.value(&args[0])?;
                let halves = [Proj::Range(None, Some(at)), Proj::Range(Some(at), None)];
                let halves = halves.map(|half| Part::Place(place.extended(&[half])));
                Ok(Some(halves.into()))
            }
            _ => self.reject(
                tuple,
                "references in a tuple are not supported yet",
                "bind each reference with a `let` of its own",
            ),
        }
    }

    /// A part of a list, which is a real reference unless something is written through it.
    pub(super) fn bind_slice(
        &mut self,
        pat: &Pat,
        part: Place,
        element: Type,
        mutable: bool,
        span: Span,
    ) -> Lowered<()> {
        let slice = Type::Slice(element.into());
        match pat {
            Pat::Bind { var, by_ref: None } if !mutable => {
                self.borrow(*var, part, &slice, span);
                Ok(())
            }
            pat => self.bind_place(pat, &part, &slice, span),
        }
    }

    /// The components' types of a tuple, as many as the pattern needs.
    fn tuple_types(
        &mut self,
        ty: &Type,
        elems: usize,
        rest: Option<usize>,
        span: Span,
    ) -> Lowered<Vec<Type>> {
        match ty.peeled() {
            Type::Tuple(types) if types.len() >= elems => Ok(types.clone()),
            _ if rest.is_none() => Ok(vec![Type::Deferred; elems]),
            _ => self.reject(
                span,
                "`..` in a pattern for a tuple of unknown length is not supported",
                "annotate the tuple's type, or write `_` for each component",
            ),
        }
    }

    pub(super) fn untuple(&mut self, value: Value, types: &[Type], span: Span) -> Vec<Value> {
        let results = types
            .iter()
            .map(|ty| self.part_value(value, ty, "part", span));
        let results: Vec<Value> = results.collect();
        let kind = OpKind::Untuple(value);
        self.ops
            .push(crate::ir::Op::new(kind, results.clone(), span));
        results
    }

    /// A part of a value. References to numbers stay references, which are read where the numbers are used.
    fn part_value(&mut self, of: Value, ty: &Type, name: impl Into<String>, span: Span) -> Value {
        let to_copied = matches!(ty, Type::Ref(false, to) if to.lower().is_copy() || matches!(**to, Type::Deferred));
        let of_lent = self.lent_values.contains(&of) && ty.lower_given().has_deferred();
        if !to_copied && !of_lent && !ty.lends_copies() {
            return self.out.new_value(ty.lower(), name, span);
        }
        let value = self.out.new_value(ty.lower_given(), name, span);
        self.lent_values.insert(value);
        value
    }

    /// Marks everything that a pattern binds as rejected.
    pub(super) fn fail(&mut self, pat: &Pat) {
        pat.each_var(&mut |var| self.bind(var, Binding::Failed));
    }
}

/// The components of a tuple that the patterns beside `..` match.
fn positions(elems: usize, rest: Option<usize>, len: usize) -> impl Iterator<Item = usize> {
    let skipped = len.saturating_sub(elems);
    (0..elems).map(move |k| {
        if rest.is_some_and(|rest| k >= rest) {
            k + skipped
        } else {
            k
        }
    })
}

fn component_types(ty: &Type, len: usize) -> Vec<Type> {
    match ty {
        Type::Tuple(types) if types.len() == len => types.clone(),
        _ => vec![Type::Deferred; len],
    }
}

/// Returns `true` if the payload of an `Option` or `Result` is of unknown type.
fn holds_unknown(ty: &Type) -> bool {
    match ty {
        Type::Option(inner) | Type::Result(inner, _) => matches!(**inner, Type::Deferred),
        ty => matches!(ty, Type::Deferred),
    }
}

/// The type of a field, as far as the variable that it is bound to tells.
fn pattern_type(lowerer: &Lowerer<'_>, pat: &Pat) -> Type {
    match pat {
        Pat::Bind { var, by_ref: None } => lowerer.types.var(*var).clone(),
        Pat::Bind {
            var,
            by_ref: Some(_),
        } => lowerer.types.var(*var).peeled().clone(),
        Pat::At(var, _) => lowerer.types.var(*var).clone(),
        Pat::Ref(sub) => pattern_type(lowerer, sub),
        Pat::Tuple { elems, rest: None } => {
            Type::Tuple(elems.iter().map(|sub| pattern_type(lowerer, sub)).collect())
        }
        Pat::Variant { path, fields } if is_std_variant(path) => match &fields[..] {
            [(_, sub)] if ends_in(path, "Some") => Type::Option(pattern_type(lowerer, sub).into()),
            _ => Type::Deferred,
        },
        _ => Type::Deferred,
    }
}

/// Returns `true` if a projection leads into a list.
fn is_element(proj: &Proj) -> bool {
    matches!(proj, Proj::Index(_) | Proj::At(..))
}

fn is_ref(ty: &Type) -> bool {
    matches!(ty, Type::Ref(..))
}

pub(super) fn hint(member: &syn::Member) -> String {
    match member {
        syn::Member::Named(ident) => ident.to_string(),
        syn::Member::Unnamed(_) => "part".into(),
    }
}

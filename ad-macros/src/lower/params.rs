//! Parameters: which are values, which are memory.

use super::alias::Parts;
use super::builder::{Binding, Lowerer};
use super::storage::Storage;
use crate::hir::{self, Pat};
use crate::ir::{OpKind, Param, PassedBy, Pattern, Place, SlotKind, Ty};
use crate::types::of_parameter;

impl Lowerer<'_> {
    pub(super) fn params(&mut self) {
        let hir = self.hir;
        for param in &hir.params {
            let pattern = self.param(param);
            self.out.params.push(Param {
                ident: param.ident.clone(),
                ty: param.ty.clone(),
                by: param.by,
                lifetime: param.lifetime.clone(),
                constant: param.constant,
                captured: param.captured,
                receiver: param.receiver,
                function: param.function.as_deref().cloned(),
                pattern,
            });
        }
    }

    fn param(&mut self, param: &hir::Param) -> Pattern {
        if param.function.is_some() {
            return self.function_param(param);
        }
        let hidden = &self.hir.hidden_types;
        let ty = match &param.pat {
            Pat::Bind { var, .. } if param.captured => self.types.var(*var).clone(),
            _ => of_parameter(param, hidden),
        };
        let lent = param.constant && ty.lends_copies();
        let lowered = if lent { ty.lower_given() } else { ty.lower() };
        let (kind, span) = (kind(param.by), param.ident.span());
        match &param.pat {
            // `name: f64`.
            Pat::Bind { var, by_ref: None }
                if kind == SlotKind::Owned && self.storage[var.0 as usize] == Storage::Value =>
            {
                let value = self.out.new_value(ty.lower(), self.name(*var), span);
                self.bind_value(*var, value);
                Pattern::Value(value)
            }
            Pat::Bind { var, by_ref: None } => {
                let slot = self.variable_slot(*var, lowered, kind);
                let by_ref = kind != SlotKind::Owned;
                self.bind(
                    *var,
                    Binding::Place {
                        place: Place::whole(slot),
                        by_ref,
                    },
                );
                Pattern::Slot(slot)
            }
            Pat::Wild if kind == SlotKind::Owned && ty.is_scalar() => {
                let value = self
                    .out
                    .new_value(ty.lower(), param.ident.to_string(), span);
                Pattern::Value(value)
            }
            pat => {
                let slot = self.slot(lowered, kind, &param.ident.to_string(), None, span);
                self.out.slots[slot.0 as usize].may_borrow |= lent;
                let place = Place::whole(slot);
                let bound = if kind == SlotKind::Owned {
                    let loads = matches!(pat, Pat::Tuple { .. }) && !lent;
                    if loads {
                        let load = OpKind::Load(place.clone());
                        let value = self.emit(load, ty.lower(), &param.ident.to_string(), span);
                        self.bind_pattern(pat, value, &ty, span)
                    } else {
                        self.bind_parts(pat, &place, &ty, Parts::Moved, span)
                    }
                } else {
                    self.bind_place(pat, &place, &ty, span)
                };
                if bound.is_err() {
                    pat.each_var(&mut |var| self.bind(var, Binding::Failed));
                }
                Pattern::Slot(slot)
            }
        }
    }
}

impl Lowerer<'_> {
    /// A function is memory that its calls may write: its captures.
    fn function_param(&mut self, param: &hir::Param) -> Pattern {
        let (name, span) = (param.ident.to_string(), param.ident.span());
        let slot = match &param.pat {
            Pat::Bind { var, .. } => self.variable_slot(*var, Ty::Function, SlotKind::RefMut),
            _ => self.slot(Ty::Function, SlotKind::RefMut, &name, None, span),
        };
        let place = Place::whole(slot);
        (param.pat).each_var(&mut |var| self.bind_reference(var, place.clone()));
        Pattern::Slot(slot)
    }
}

fn kind(by: PassedBy) -> SlotKind {
    match by {
        PassedBy::Value => SlotKind::Owned,
        PassedBy::Ref => SlotKind::Ref,
        PassedBy::Mut => SlotKind::RefMut,
    }
}

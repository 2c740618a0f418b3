//! Types of the bindings of patterns, and of the items of loops.

use super::infer::Infer;
use super::keyed;
use super::solve::Constraint;
use super::ty::Type;
use crate::hir::{Adapter, Elements, Iterable, Pat};

/// Assigns types to the variables of `pat`, where a value of type `ty` is matched.
pub(super) fn pattern(infer: &mut Infer<'_>, pat: &Pat, ty: &Type) {
    match pat {
        Pat::Wild => {}
        Pat::Bind { var, by_ref } => {
            let bound = match by_ref {
                None => ty.clone(),
                Some(mutable) => Type::Ref(*mutable, ty.clone().into()),
            };
            let var = infer.vars[var.0 as usize].clone();
            infer.table.unify(&var, &bound);
        }
        Pat::At(var, sub) => {
            let var = infer.vars[var.0 as usize].clone();
            infer.table.unify(&var, ty);
            pattern(infer, sub, ty);
        }
        Pat::Tuple { elems, rest } => {
            let types: Vec<Type> = elems.iter().map(|_| infer.table.fresh()).collect();
            infer.constraints.push(Constraint::Components {
                tuple: ty.clone(),
                elems: types.clone(),
                rest: *rest,
            });
            for (elem, ty) in elems.iter().zip(&types) {
                pattern(infer, elem, ty);
            }
        }
        Pat::Slice(elems) => {
            let elem = infer.table.fresh();
            infer
                .constraints
                .push(Constraint::Iterate(ty.clone(), elem.clone()));
            for sub in elems {
                pattern(infer, sub, &elem);
            }
        }
        Pat::Ends {
            front,
            middle,
            back,
        } => {
            let elem = infer.table.fresh();
            infer
                .constraints
                .push(Constraint::Iterate(ty.clone(), elem.clone()));
            for sub in front.iter().chain(back) {
                pattern(infer, sub, &elem);
            }
            if let Pat::Bind { var, by_ref: None } = &**middle
                && matches!(infer.table.shallow(ty), Type::Unknown(_))
            {
                let var = infer.vars[var.0 as usize].clone();
                infer.constraints.push(Constraint::Middle(ty.clone(), var));
            } else if let Pat::Bind { var, by_ref } = &**middle {
                let rest = infer.table.fresh();
                infer.constraints.push(Constraint::Index {
                    base: ty.clone(),
                    index: None,
                    out: rest.clone(),
                });
                let mutable = match (*by_ref, infer.table.shallow(ty)) {
                    (Some(mutable), _) | (None, Type::Ref(mutable, _)) => mutable,
                    _ => false,
                };
                let var = infer.vars[var.0 as usize].clone();
                infer.table.unify(&var, &Type::Ref(mutable, rest.into()));
            }
        }
        Pat::Ref(sub) => {
            let inner = infer.dereferenced(ty.clone());
            pattern(infer, sub, &inner);
        }
        Pat::Struct { fields } => {
            for (member, sub) in fields {
                let field = infer.table.fresh();
                let constraint =
                    Constraint::FieldPattern(ty.clone(), member.clone(), field.clone());
                infer.constraints.push(constraint);
                pattern(infer, sub, &field);
            }
        }
        Pat::Variant { path, fields } => {
            for (member, sub) in fields {
                let field = infer.table.fresh();
                infer.constraints.push(Constraint::Payload {
                    of: ty.clone(),
                    path: path.clone(),
                    member: member.clone(),
                    out: field.clone(),
                });
                pattern(infer, sub, &field);
            }
        }
    }
}

/// The type of a loop's items.
pub(super) fn head(infer: &mut Infer<'_>, of: &Iterable) -> Type {
    match of {
        Iterable::Range {
            lo, hi, adapters, ..
        } => {
            let (lo, hi) = (infer.expr(lo), infer.expr(hi));
            infer.table.unify(&lo, &hi);
            for adapter in adapters {
                if let Adapter::StepBy(step) | Adapter::Checkpoint(step) = adapter {
                    let step = infer.expr(step);
                    infer.table.unify(&step, &Type::Int("usize"));
                }
            }
            lo
        }
        Iterable::Elements { of, access } => {
            let is_array = infer.func.unordered.contains(&of.id);
            let of = infer.expr(of);
            if is_array {
                infer.arrays.push(of.clone());
            }
            let item = infer.table.fresh();
            match access {
                Elements::Own => {
                    infer
                        .constraints
                        .push(Constraint::Iterate(of, item.clone()));
                    item
                }
                Elements::Shared | Elements::Mut => {
                    let mutable = *access == Elements::Mut;
                    let items = Type::Ref(mutable, item.into());
                    let of = Type::Ref(mutable, of.into());
                    infer
                        .constraints
                        .push(Constraint::Iterate(of, items.clone()));
                    items
                }
            }
        }
        Iterable::Chunks {
            of, size, mutable, ..
        } => {
            let (of, size) = (infer.expr(of), infer.expr(size));
            if let Some(array) = infer.foreign(&of) {
                // `x.windows(n)`
                let views = infer.foreign_result(&array, "windows", &[size]);
                let item = infer.table.fresh();
                let of = views.unwrap_or(Type::Deferred);
                infer
                    .constraints
                    .push(Constraint::Iterate(of, item.clone()));
                return item;
            }
            infer.table.unify(&size, &Type::Int("usize"));
            let elem = infer.table.fresh();
            let constraint = Constraint::Index {
                base: of,
                index: Some(Type::Int("usize")),
                out: elem.clone(),
            };
            infer.constraints.push(constraint);
            Type::Ref(*mutable, Type::Slice(elem.into()).into())
        }
        Iterable::Count(lo) => infer.expr(lo),
        Iterable::Skip(inner, n) | Iterable::Take(inner, n) | Iterable::StepBy(inner, n) => {
            let item = head(infer, inner);
            let n = infer.expr(n);
            infer.table.unify(&n, &Type::Int("usize"));
            item
        }
        Iterable::Enumerate(inner) => Type::Tuple(vec![Type::Int("usize"), head(infer, inner)]),
        Iterable::Zip(a, b) => Type::Tuple(vec![head(infer, a), head(infer, b)]),
        Iterable::Rev(inner) => head(infer, inner),
        Iterable::Unknown(of) => {
            let ty = infer.expr(of);
            if let Some((map, part)) = keyed::part_of(of)
                && let Some(item) =
                    keyed::item(&infer.type_of(map).clone(), part, &infer.func.hidden_types)
            {
                return Type::Ref(false, item.into());
            }
            let of = ty;
            let item = infer.table.deferred();
            // An `Option` may be one, or a list of views.
            let iterated = matches!(
                infer.table.shallow(&of),
                Type::Option(_) | Type::Foreign(_) | Type::Unknown(_)
            );
            if iterated {
                infer
                    .constraints
                    .push(Constraint::Iterate(of, item.clone()));
            }
            item
        }
    }
}

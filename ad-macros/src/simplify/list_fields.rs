//! Names lists in fields of structs, in front of loops that use their elements: `u_bar = &mut self_bar.u; for .. { u_bar[i] += .. }`.
//!
//! Passes on loops then see a list, as if it were a parameter of its own. Valid where the loop uses the struct through its fields alone, and the
//! list through its elements: it stays where it is, and a borrow of a field can't fail, however often the loop runs. Done for fields whose types
//! the structs beside the function declare.

use crate::ir::{Access, Func, Op, OpKind, Place, Proj, Region, Set, Slot, SlotData, SlotKind, Ty};

/// Names them in front of all loops, outer ones first.
pub(crate) fn name_list_fields(mut func: Func) -> Func {
    func.each_half_mut(&mut region);
    func
}

fn region(func: &mut Func, within: &mut Region) {
    let mut ops = Vec::with_capacity(within.ops.len());
    for mut op in std::mem::take(&mut within.ops) {
        if matches!(op.kind, OpKind::For { .. } | OpKind::Loop { .. }) {
            for list in ListField::all(func, &op) {
                ops.push(list.name(func, &mut op));
            }
            op.each_region_mut(&mut |inner| read_and_store(func, inner));
        }
        op.each_region_mut(&mut |inner| region(func, inner));
        ops.push(op);
    }
    within.ops = ops;
}

/// A number of known type that is replaced is read, and the other one stored.
fn read_and_store(func: &Func, region: &mut Region) {
    let mut ops = Vec::with_capacity(region.ops.len());
    for mut op in std::mem::take(&mut region.ops) {
        op.each_region_mut(&mut |inner| read_and_store(func, inner));
        match &op.kind {
            OpKind::Replace(place, v) if func.place_ty(place).is_some_and(Ty::is_scalar) => {
                let store = OpKind::Store(place.clone(), *v);
                let read = OpKind::Load(place.clone());
                ops.push(Op::new(read, op.results, op.span));
                ops.push(Op::new(store, Vec::new(), op.span));
            }
            _ => ops.push(op),
        }
    }
    region.ops = ops;
}

/// A list in a field, of which a loop uses elements.
struct ListField {
    root: Slot,
    field: Proj,
    ty: Ty,
    written: bool,
}

impl ListField {
    /// Those of a loop that are used in no other way, in the order in which the loop uses them.
    fn all(func: &Func, op: &Op) -> Vec<Self> {
        let mut found: Vec<Self> = Vec::new();
        // Structs, and lists in them, that are used as a whole.
        let mut whole: Set<Slot> = Set::default();
        let mut others: Vec<Place> = Vec::new();
        op.walk(&mut |op| {
            let mut named: Set<Slot> = Set::default();
            let written = |root: Slot| match &op.kind {
                OpKind::Borrow(alias, _) => func.slot(*alias).kind == SlotKind::RefMut,
                _ => (op.slots().iter()).any(|(slot, how)| *slot == root && *how != Access::Read),
            };
            op.each_place(&mut |place| {
                named.insert(place.root);
                let (Some((field @ Proj::Field(_), [Proj::Index(_) | Proj::Range(..), ..])), true) =
                    (place.path.split_first(), is_known(func, op))
                else {
                    others.push(place.clone());
                    return;
                };
                let known = (found.iter_mut()).find(|l| l.root == place.root && l.field == *field);
                match known {
                    Some(list) => list.written |= written(place.root),
                    None => found.extend(list_in(func, place.root, field).map(|ty| Self {
                        root: place.root,
                        field: field.clone(),
                        ty,
                        written: written(place.root),
                    })),
                }
            });
            let verbatim = matches!(op.kind, OpKind::Opaque { .. });
            let slots = op.slots().into_iter().map(|(slot, _)| slot);
            whole.extend(slots.filter(|slot| verbatim || !named.contains(slot)));
        });
        found.retain(|list| {
            let place = Place::new(list.root, vec![list.field.clone()]);
            let apart = others.iter().all(|other| !other.may_overlap(&place, false));
            apart && !whole.contains(&list.root)
        });
        found
    }

    /// The borrow in front of the loop, which uses the name from then on.
    fn name(self, func: &mut Func, op: &mut Op) -> Op {
        let owner = func.slot(self.root);
        let field = match &self.field {
            Proj::Field(syn::Member::Named(field)) => field.to_string(),
            _ => "field".to_owned(),
        };
        let bar = owner.name.rsplit_once('_').map(|(_, suffix)| suffix);
        let name = match bar.filter(|suffix| matches!(*suffix, "bar" | "dot")) {
            Some(suffix) => format!("{field}_{suffix}"),
            None => field,
        };
        let kind = SlotKind::reference(self.written && owner.kind != SlotKind::Ref);
        let alias = func.new_slot(SlotData::new(self.ty, kind, name, op.span));
        let mut rename = |op: &mut Op| {
            // The tangent is there: the field isn't constant.
            if let OpKind::FieldTangent { tangent, .. } = &op.kind
                && tangent.root == self.root
                && tangent.path.first() == Some(&self.field)
            {
                op.kind = OpKind::Load(tangent.clone());
            }
            op.each_place_mut(&mut |place| {
                if place.root == self.root && place.path.first() == Some(&self.field) {
                    place.root = alias;
                    place.path.remove(0);
                }
            });
        };
        op.each_region_mut(&mut |inner| inner.walk_mut(&mut rename));
        let place = Place::new(self.root, vec![self.field]);
        Op::new(OpKind::Borrow(alias, place), Vec::new(), op.span)
    }
}

/// True for an operation that does the same with an element of a list as with one of a field.
fn is_known(func: &Func, op: &Op) -> bool {
    match op.kind {
        OpKind::KindOf(_) => false,
        OpKind::FieldTangent { .. } => op.results.iter().all(|v| func.ty(*v).is_float()),
        _ => true,
    }
}

/// The type of a list of numbers in a field, in a struct or its tangent.
fn list_in(func: &Func, root: Slot, field: &Proj) -> Option<Ty> {
    let slot = func.slot(root);
    let (of, in_tangent) = match &slot.ty {
        Ty::Tangent(of) => (&**of, true),
        of => (of, false),
    };
    let Proj::Field(member) = field else {
        return None;
    };
    let plain = !(slot.in_option || slot.in_field || slot.may_borrow);
    let declared = func.struct_of(of)?;
    let mut fields = declared.fields.iter();
    let ty = match fields.find(|(known, _)| known == member) {
        Some((_, ty)) => ty,
        None if in_tangent => return None,
        None => declared.constant(member)?.1.as_ref()?,
    };
    let is_number = |ty: &Ty| ty.is_float() || !in_tangent && ty.is_scalar();
    let list = matches!(ty, Ty::Vec(item) if is_number(item) || matches!(&**item, Ty::Vec(item) if is_number(item)));
    (plain && list).then(|| ty.clone())
}

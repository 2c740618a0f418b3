//! Solves constraints until nothing more can be learnt.

use std::rc::Rc;

use proc_macro2::{Ident, Span};

use super::foreign::Foreign;
use super::foreign::Form;
use super::generic::Instance;
use super::infer::{Infer, inactive, is_comparison};
use super::keyed;
use super::mapped::Mapped;
use super::methods::{self, Operator};
use super::ty::Type;
use super::written;
use crate::ir::{BinaryOp, OperatorKind, UnaryOp, is_std_variant};
use crate::paths::last_name;
use crate::std_model::{self, Arg, ENDS, Gives, Method, OF_SLICES, Of, call_does, does};

/// A relation that inference couldn't decide immediately.
#[derive(Clone, Debug)]
pub(super) enum Constraint {
    /// Operand, result.
    Unary(UnaryOp, Type, Type),
    Binary(BinaryOp, Type, Type, Type),
    AssignOp(BinaryOp, Type, Type),
    /// Reference, target.
    Deref(Type, Type),
    /// A field, reached through any references.
    /// A field; `shared` says that a shared reference leads to it.
    Field {
        of: Type,
        member: syn::Member,
        shared: bool,
        out: Type,
    },
    /// A field as a pattern binds it: behind a reference it is one too.
    FieldPattern(Type, syn::Member, Type),
    /// The payload of a variant as a pattern binds it: behind a reference it is one too.
    Payload {
        of: Type,
        path: syn::Path,
        member: syn::Member,
        out: Type,
    },
    /// An element, or a range of them. `None` is a range that is written there.
    Index {
        base: Type,
        index: Option<Type>,
        out: Type,
    },
    /// A list that a pattern takes apart, and the reference to its middle.
    Middle(Type, Type),
    /// The ends of a range, its name, and its type, which is known if these are integers.
    Range(Vec<Type>, &'static str, Type),
    /// Base, and an index that is a position if the base is known.
    Position(Type, Type),
    /// `for item in x`.
    Iterate(Type, Type),
    /// A tuple that a pattern takes apart.
    Components {
        tuple: Type,
        elems: Vec<Type>,
        rest: Option<usize>,
    },
    Method {
        receiver: Type,
        name: String,
        args: Vec<Type>,
        out: Type,
    },
    /// A method that takes closures, of std or not.
    Map(Mapped),
    /// The items and the collection; whether the items end by themselves.
    Collect(Type, Type, bool),
    /// The result of a generic function: its written type, what stands for the parameters, and the result.
    Given {
        given: Type,
        instance: Rc<Instance>,
        out: Type,
    },
    /// Something whose type rustc may choose.
    Open(Type),
}

impl Infer<'_> {
    pub(super) fn solve(&mut self) {
        loop {
            self.table.progress = false;
            let pending = std::mem::take(&mut self.constraints);
            for constraint in pending {
                if !self.step(&constraint) {
                    self.constraints.push(constraint);
                }
            }
            if !self.table.progress && !self.assume() && !self.settle_lent() && !self.guess() {
                break;
            }
        }
        for constraint in std::mem::take(&mut self.constraints) {
            self.give_up(&constraint);
        }
    }

    /// Where nothing more is known: a value that is taken apart is a tuple, and an index that is made of integers is one.
    fn assume(&mut self) -> bool {
        for k in 0..self.constraints.len() {
            match self.constraints[k].clone() {
                Constraint::Components {
                    tuple,
                    elems,
                    rest: None,
                } if matches!(self.table.shallow(&tuple), Type::Unknown(_)) => {
                    for elem in &elems {
                        self.constraints.push(Constraint::Open(elem.clone()));
                    }
                    return self.learn(&tuple, &Type::Tuple(elems));
                }
                // So is the value behind a reference.
                Constraint::Components {
                    tuple,
                    elems,
                    rest: None,
                } if self.is_reference_to_unknown(&tuple) => {
                    let parts: Vec<Type> = elems.iter().map(|_| self.table.deferred()).collect();
                    let inner = self.table.peeled(&tuple);
                    return self.learn(&inner, &Type::Tuple(parts));
                }
                // The items of a reference are references.
                Constraint::Iterate(of, item)
                    if self.is_reference_to_unknown(&of)
                        && matches!(self.table.shallow(&item), Type::Unknown(_)) =>
                {
                    let mutable = matches!(self.table.shallow(&of), Type::Ref(true, _));
                    let elem = self.table.deferred();
                    self.table.unify(&item, &Type::Ref(mutable, elem.into()));
                    self.constraints.remove(k);
                    return true;
                }
                // Only an `Option` has a `Some`.
                Constraint::Payload { of, path, .. } if is_std_variant(&path) => {
                    let inner = self.table.peeled(&of);
                    if !matches!(inner, Type::Unknown(_)) {
                        continue;
                    }
                    let value = self.table.fresh().into();
                    let last = last_name(&path);
                    let known = if last.is_some_and(|last| last == "Some") {
                        Type::Option(value)
                    } else {
                        Type::Result(value, super::infer::inactive().into())
                    };
                    return self.learn(&inner, &known);
                }
                Constraint::Position(_, index) => {
                    if let Some(int) = self.sum_with_an_integer(&index) {
                        return self.learn(&index, &int);
                    }
                }
                Constraint::Map(call) if self.assume_owner(&call) => return true,
                // The result is an array, whatever the other operand is.
                Constraint::Binary(op, left, right, out) if !is_comparison(op) => {
                    if let Some(array) = self.foreign_operator(&left, &right, true) {
                        self.constraints.remove(k);
                        return self.learn(&out, &array);
                    }
                }
                // Only an `Option` has this.
                Constraint::Method { receiver, name, .. } if name == "ok_or" => {
                    let own = self.table.peeled(&receiver);
                    if matches!(own, Type::Unknown(_)) {
                        let inner = self.table.deferred();
                        return self.learn(&own, &Type::Option(inner.into()));
                    }
                }
                Constraint::Method {
                    receiver,
                    name,
                    args,
                    out,
                } if does(&name, OF_SLICES) || self.gives_end(&name, &args, &out) => {
                    let own = self.table.peeled(&receiver);
                    if matches!(own, Type::Unknown(_)) {
                        self.constraints.remove(k);
                        let elem = self.table.deferred();
                        return self.slice_result(&own, &elem, &name, &args, &out);
                    }
                }
                // A copy of a value that is known to be a number is a number.
                Constraint::Method {
                    receiver,
                    name,
                    out,
                    ..
                } if name == "clone" && self.table.shallow(&out).is_float() => {
                    let own = self.table.peeled(&receiver);
                    if matches!(own, Type::Unknown(_)) {
                        return self.learn(&own, &out);
                    }
                }
                _ => {}
            }
        }
        false
    }

    /// The most likely type, where nothing tells for certain. A wrong guess is refused by rustc.
    fn guess(&mut self) -> bool {
        let arrays = self.arrays.iter().map(|array| self.table.peeled(array));
        if let Some(unknown) = arrays
            .into_iter()
            .find(|array| matches!(array, Type::Unknown(_)))
        {
            let array = Foreign::unknown(self.table.deferred());
            self.table.unify(&unknown, &array);
            return true;
        }
        (0..self.constraints.len()).any(|k| match self.constraints[k].clone() {
            Constraint::Map(call) => self.guess_owner(&call),
            Constraint::Collect(elem, out, true)
                if matches!(self.table.shallow(&out), Type::Unknown(_))
                    && self.table.resolved(&elem).may_have_tangent() =>
            {
                self.table.unify(&out, &Type::Vec(elem.into()));
                true
            }
            // A range would have been written.
            Constraint::Method {
                receiver,
                name,
                args,
                ..
            } if name == "get" || name == "get_mut" => {
                let list = self.table.peeled(&receiver).element().is_some();
                let index = args.first().filter(|_| list);
                let index = index.map(|index| self.table.peeled(index));
                if let Some(index @ Type::Unknown(_)) = index {
                    return self.learn(&index, &Type::Int("usize"));
                }
                false
            }
            _ => false,
        })
    }

    /// Returns `true` if a method returns an element of a list that may be absent: a pattern takes it apart, or it is copied.
    fn gives_end(&self, name: &str, args: &[Type], out: &Type) -> bool {
        let by_number =
            |arg: &Type| self.table.shallow(arg).is_int() || self.table.is_int_literal(arg);
        call_does(name, args.len(), ENDS)
            && (matches!(self.table.shallow(out), Type::Option(_)) || self.is_copied(out))
            && args.iter().all(by_number)
    }

    fn is_reference_to_unknown(&self, ty: &Type) -> bool {
        matches!(self.table.shallow(ty), Type::Ref(..))
            && matches!(self.table.peeled(ty), Type::Unknown(_))
    }

    /// Returns `true` if `copied` or `cloned` is called on a value of this type.
    fn is_copied(&self, ty: &Type) -> bool {
        let Type::Unknown(of) = self.table.shallow(ty) else {
            return false;
        };
        self.constraints.iter().any(|constraint| match constraint {
            Constraint::Method { receiver, name, .. } => {
                matches!(name.as_str(), "copied" | "cloned")
                    && matches!(self.table.shallow(receiver), Type::Unknown(id) if id == of)
            }
            _ => false,
        })
    }

    /// The type of an integer that `index` is the sum or product of, with something unknown.
    fn sum_with_an_integer(&self, index: &Type) -> Option<Type> {
        let (mut open, mut seen) = (vec![self.table.shallow(index)], Vec::new());
        while let Some(Type::Unknown(sum)) = open.pop() {
            // A counter that a loop carries is a sum of itself.
            if seen.contains(&sum) {
                continue;
            }
            seen.push(sum);
            for constraint in &self.constraints {
                let Constraint::Binary(_, left, right, out) = constraint else {
                    continue;
                };
                if !matches!(self.table.shallow(out), Type::Unknown(out) if out == sum) {
                    continue;
                }
                let operands = [self.table.peeled(left), self.table.peeled(right)];
                if let Some(known) = operands.iter().find(|ty| ty.is_int()) {
                    return Some(known.clone());
                }
                let unknown = operands
                    .into_iter()
                    .filter(|ty| matches!(ty, Type::Unknown(_)));
                open.extend(unknown);
            }
        }
        None
    }

    /// Learns that two types are one, which is all that a constraint says.
    fn learn(&mut self, a: &Type, b: &Type) -> bool {
        self.table.unify(a, b);
        true
    }

    /// Tries one constraint; `true` if it is done with.
    fn step(&mut self, constraint: &Constraint) -> bool {
        match constraint {
            Constraint::Unary(op, of, out) => {
                let operand = self.table.peeled(of);
                let number = self.is_number(&operand);
                if number || matches!(operand, Type::Bool) {
                    return self.learn(out, &operand);
                }
                if let Some(array) = self.foreign_operator(&operand, &operand, true) {
                    return self.learn(out, &array);
                }
                self.overload(OperatorKind::Unary(*op), &[of], Some(out))
            }
            Constraint::Binary(op, left, right, out) => {
                self.binary(*op, left, right, Some(out))
                    || self.overload(OperatorKind::Binary(*op), &[left, right], Some(out))
            }
            Constraint::AssignOp(op, place, value) => {
                self.binary(*op, place, value, None)
                    || self.overload(OperatorKind::Assign(*op), &[place, value], None)
            }
            Constraint::Deref(reference, out) => match self.table.shallow(reference) {
                Type::Ref(_, inner) | Type::Boxed(inner) => self.learn(&inner, out),
                _ => false,
            },
            Constraint::Payload {
                of,
                path,
                member,
                out,
            } => self.payload(of, path, member, out),
            Constraint::Field {
                of,
                member,
                shared,
                out,
            } => self.field(of, member, *shared, out, false),
            Constraint::FieldPattern(of, member, out) => self.field(of, member, false, out, true),
            Constraint::Index { base, index, out } => {
                let base = self.table.peeled(base);
                let is_range = |index: &Type| self.table.peeled(index).range_ends().is_some();
                let range = index.as_ref().is_none_or(is_range);
                if let Some(value) = keyed::found(&base, &self.func.hidden_types) {
                    return self.learn(out, &value);
                }
                if let (Some((_, output)), false) = (self.declared_indexing(&base), range) {
                    return self.learn(out, &output);
                }
                if let (Some(array), false) = (self.foreign(&base), range) {
                    return self.learn(out, &array.elem);
                }
                let Some(element) = base.element() else {
                    return false;
                };
                if range {
                    self.table.unify(out, &Type::Slice(element.clone().into()));
                } else {
                    self.table.unify(out, element);
                }
                true
            }
            Constraint::Middle(list, middle) => {
                let mutable = matches!(self.table.shallow(list), Type::Ref(true, _));
                let Some(element) = self.table.peeled(list).element().cloned() else {
                    return false;
                };
                let slice = Type::Slice(element.into());
                self.learn(middle, &Type::Ref(mutable, slice.into()))
            }
            Constraint::Range(ends, name, out) => {
                let is_int =
                    |end: &Type| self.table.is_int_literal(end) || self.table.peeled(end).is_int();
                let known = ends.iter().all(is_int);
                let name = Ident::new(name, Span::call_site());
                let range = Type::Inactive(Rc::new(syn::parse_quote!(::core::ops::#name<_>)));
                known && self.learn(out, &range)
            }
            Constraint::Position(base, index) => {
                let base = self.table.peeled(base);
                let is_range = self.table.peeled(index).range_ends().is_some();
                if is_range || keyed::keyed(&base).is_some() {
                    return true;
                }
                if let Some((key, _)) = self.declared_indexing(&base) {
                    return self.learn(index, &key);
                }
                let vector = self.foreign(&base).and_then(|array| array.rank) == Some(1);
                let known = base.element().is_some() || vector;
                if known || self.table.is_int_literal(index) {
                    return self.learn(index, &Type::Int("usize"));
                }
                false
            }
            Constraint::Iterate(of, item) => self.iterate(of, item),
            Constraint::Components { tuple, elems, rest } => self.components(tuple, elems, *rest),
            Constraint::Method {
                receiver,
                name,
                args,
                out,
            } => self.method_result(receiver, name, args, out),
            Constraint::Map(mapped) => self.mapped(mapped),
            Constraint::Collect(elem, out, _) => match self.table.shallow(out) {
                Type::Unknown(_) => false,
                Type::Vec(t) | Type::Deque(t) | Type::Array(t, _) => self.learn(&t, elem),
                _ => true,
            },
            Constraint::Given {
                given,
                instance,
                out,
            } => (self.given(given, instance)).is_some_and(|ty| self.learn(out, &ty)),
            Constraint::Open(_) => false,
        }
    }

    /// Leaves types that depend on one that stays unknown to rustc.
    fn give_up(&mut self, constraint: &Constraint) {
        let open: Vec<&Type> = match constraint {
            Constraint::Iterate(of, item) => {
                // Containers behind a reference have references as items.
                if let (Type::Ref(mutable, _), Type::Unknown(_)) =
                    (self.table.shallow(of), self.table.shallow(item))
                {
                    let inner = self.table.deferred();
                    self.table.unify(item, &Type::Ref(mutable, inner.into()));
                }
                vec![of, item]
            }
            Constraint::Unary(_, a, out) | Constraint::Deref(a, out) => vec![a, out],
            Constraint::Binary(_, a, b, out) => vec![a, b, out],
            Constraint::AssignOp(_, a, b) => vec![a, b],
            Constraint::Field { out, .. } | Constraint::Index { out, .. } => vec![out],
            Constraint::FieldPattern(of, _, out) | Constraint::Payload { of, out, .. } => {
                // A value behind a reference stays behind one.
                if let Type::Ref(mutable, _) = self.table.shallow(of) {
                    let inner = self.table.deferred();
                    self.table.unify(out, &Type::Ref(mutable, inner.into()));
                }
                vec![out]
            }
            Constraint::Middle(_, middle) => {
                let slice = self.table.deferred();
                self.table.unify(middle, &Type::Ref(false, slice.into()));
                vec![middle]
            }
            Constraint::Position(_, index) | Constraint::Range(.., index) => vec![index],
            Constraint::Components { elems, .. } => elems.iter().collect(),
            Constraint::Method {
                receiver,
                args,
                out,
                ..
            } => args.iter().chain([receiver, out]).collect(),
            Constraint::Collect(elem, out, _) => vec![elem, out],
            Constraint::Map(mapped) => mapped.types(),
            Constraint::Open(ty) | Constraint::Given { out: ty, .. } => vec![ty],
        };
        for ty in open {
            self.open_inside(ty);
        }
    }

    fn open_inside(&mut self, ty: &Type) {
        match self.table.shallow(ty) {
            Type::Tuple(ts) => ts.iter().for_each(|t| self.open_inside(t)),
            other => match other.inner() {
                Some(inner) => self.open_inside(inner),
                None => self.table.open(&other),
            },
        }
    }

    fn is_number(&self, ty: &Type) -> bool {
        ty.is_float()
            || ty.is_int()
            || self.table.is_float_literal(ty)
            || self.table.is_int_literal(ty)
    }

    fn binary(&mut self, op: BinaryOp, left: &Type, right: &Type, out: Option<&Type>) -> bool {
        let (a, b) = (self.table.peeled(left), self.table.peeled(right));
        let scalar = |infer: &Self, ty: &Type| infer.is_number(ty) || matches!(ty, Type::Bool);
        if !is_comparison(op)
            && let Some(array) = self.foreign_operator(&a, &b, false)
        {
            if let Some(out) = out {
                self.table.unify(out, &array);
            }
            return true;
        }
        if matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
            if !self.is_number(&a) {
                return false;
            }
            if let Some(out) = out {
                self.table.unify(out, &a);
            }
            return true;
        }
        // Only between two primitives does one operand determine the type of the other: users may implement operators
        // for `f64` and a type of theirs.
        if !scalar(self, &a) || !scalar(self, &b) {
            return false;
        }
        self.table.unify(&a, &b);
        if let Some(out) = out
            && !is_comparison(op)
        {
            self.table.unify(out, &a);
        }
        true
    }

    /// Tries an operator that the file implements; a literal is of the one type of float that there is an operator for.
    fn overload(&mut self, kind: OperatorKind, operands: &[&Type], out: Option<&Type>) -> bool {
        let mut known: Vec<Type> = operands.iter().map(|ty| self.table.resolved(ty)).collect();
        if let OperatorKind::Assign(_) = kind {
            known[0] = known[0].peeled().clone();
        }
        if operands
            .iter()
            .any(|ty| self.table.is_int_literal(&self.table.shallow(ty)))
        {
            return false;
        }
        let is_literal = |ty: &&Type| self.table.is_float_literal(&self.table.shallow(ty));
        let literal = operands.iter().position(is_literal);
        if let Some(at) = literal {
            let [small, large] = [Type::F32, Type::F64].map(|ty| {
                known[at] = ty;
                self.overloaded(kind, &known)
            });
            known[at] = match (small, large) {
                (None, Some(_)) => Type::F64,
                (Some(_), None) => Type::F32,
                _ => return false,
            };
            self.table.unify(operands[at], &known[at]);
        }
        let Some(result) = self.overloaded(kind, &known) else {
            return false;
        };
        if let Some(out) = out {
            self.table.unify(out, &result);
        }
        true
    }

    fn field(
        &mut self,
        base: &Type,
        member: &syn::Member,
        shared: bool,
        out: &Type,
        pattern: bool,
    ) -> bool {
        let part = |infer: &Self, ty: Type| {
            if pattern {
                infer.table.part_of(base, ty)
            } else {
                ty
            }
        };
        match (self.table.peeled(base), member) {
            (Type::Tuple(types), syn::Member::Unnamed(index)) => {
                types.get(index.index as usize).is_none_or(|ty| {
                    let ty = part(self, ty.clone());
                    self.learn(out, &ty)
                })
            }
            (Type::Named(of), _) => {
                let field = self.declared_field(&of, member, shared);
                let field = field.unwrap_or_else(|| self.unknown_field(&of, member));
                let field = part(self, field);
                self.learn(out, &field)
            }
            _ => false,
        }
    }

    fn payload(&mut self, of: &Type, path: &syn::Path, member: &syn::Member, out: &Type) -> bool {
        let last = last_name(path);
        let name = last.unwrap_or_default();
        let payload = match (self.table.peeled(of), name.as_str(), member) {
            (Type::Unknown(_), ..) => return false,
            (Type::Option(t), "Some", _) | (Type::Result(t, _), "Ok" | "Some", _)
                if matches!(*t, Type::Inactive(_)) =>
            {
                return self.learn(out, &t);
            }
            (Type::Option(t), "Some", _) | (Type::Result(t, _), "Ok" | "Some", _) => (*t).clone(),
            (Type::Result(_, e), "Err", _) => {
                let error = match self.table.shallow(&e) {
                    Type::Inactive(written) => {
                        match written::primitive(&written, &self.func.hidden_types) {
                            Some(number @ (Type::Int(_) | Type::Bool)) => number,
                            _ => Type::Inactive(written),
                        }
                    }
                    _ => super::infer::inactive(),
                };
                return self.learn(out, &error);
            }
            (Type::Named(own), ..) => match self.declared_payload(&own, path, member) {
                Some(payload) => payload,
                None => self.table.deferred(),
            },
            _ => self.table.deferred(),
        };
        let payload = self.table.part_of(of, payload);
        self.learn(out, &payload)
    }

    fn iterate(&mut self, of: &Type, item: &Type) -> bool {
        if let Some(array) = self.foreign(of) {
            let element = match array.form {
                Form::Views(_) => array.item(),
                _ => self.table.part_of(of, array.item()),
            };
            return self.learn(item, &element);
        }
        let element = match self.table.peeled(of) {
            Type::Option(inner) | Type::Result(inner, _) => (*inner).clone(),
            list => match list.element() {
                Some(element) => element.clone(),
                None => match keyed::item(&list, keyed::Part::Entries, &self.func.hidden_types) {
                    Some(entry) => entry,
                    None => return false,
                },
            },
        };
        let element = self.table.part_of(of, element);
        self.learn(item, &element)
    }

    fn components(&mut self, tuple: &Type, elems: &[Type], rest: Option<usize>) -> bool {
        let Type::Tuple(types) = self.table.peeled(tuple) else {
            return false;
        };
        let skipped = types.len().saturating_sub(elems.len());
        for (k, elem) in elems.iter().enumerate() {
            let from = if rest.is_some_and(|rest| k >= rest) {
                k + skipped
            } else {
                k
            };
            let Some(ty) = types.get(from) else { continue };
            let ty = self.table.part_of(tuple, ty.clone());
            self.table.unify(elem, &ty);
        }
        true
    }

    fn method_result(&mut self, receiver: &Type, name: &str, args: &[Type], out: &Type) -> bool {
        let own = self.table.peeled(receiver);
        let array = self.foreign(&own);
        if let Some(array) = &array
            && (name != "clone" || array.form == Form::Viewed)
            && let Some(result) = self.foreign_result(array, name, args)
        {
            return self.learn(out, &result);
        }
        if matches!(name, "clone" | "to_owned") && args.is_empty() {
            match &own {
                Type::Slice(elem) => self.table.unify(out, &Type::Vec(elem.clone())),
                Type::Unknown(_) => return false,
                // Text.
                Type::Inactive(of)
                    if name == "to_owned" && matches!(**of, syn::Type::Reference(_)) =>
                {
                    self.table.unify(out, &inactive());
                }
                other => self.table.unify(out, other),
            }
            return true;
        }
        if own.is_float() || self.table.is_float_literal(&own) {
            return self.float_result(&own, name, args, out);
        }
        if own.is_int() || self.table.is_int_literal(&own) {
            let method = std_model::method(Of::Int, name);
            return method.is_some_and(|method| self.result(method, &own, &own, args, out));
        }
        if let (Type::Boxed(inner), "as_ref" | "as_mut", []) = (&own, name, args) {
            let lent = Type::Ref(name == "as_mut", inner.clone());
            return self.learn(out, &lent);
        }
        if let Type::Option(inner) | Type::Result(inner, _) = &own {
            return self.option_result(&own, inner, name, args, out);
        }
        if let Type::Inactive(_) = own
            && let Some(ty) = methods::of_ordering(name)
        {
            return self.learn(out, &ty);
        }
        if name == "get"
            && let Some(value) = keyed::found(&own, &self.func.hidden_types)
        {
            let found = Type::Ref(false, value.into());
            return self.learn(out, &Type::Option(found.into()));
        }
        let object = match &own {
            Type::Boxed(inner) => self.table.shallow(inner),
            own => own.clone(),
        };
        if let Type::Named(of) | Type::Inactive(of) = &object
            && let Some(known) = self.declared_method(of, name)
        {
            for (k, arg) in args.iter().enumerate() {
                if let Some(wanted) = self.declared_parameter(of, name, k + 1)
                    && (wanted.is_scalar() || matches!(wanted, Type::Array(..)))
                {
                    self.table.unify(arg, &wanted);
                }
            }
            return self.learn(out, &known);
        }
        let Some(elem) = own.element().cloned() else {
            return false;
        };
        self.slice_result(&own, &elem, name, args, out)
    }

    /// Methods of `Option` and `Result`.
    fn option_result(
        &mut self,
        own: &Type,
        inner: &Rc<Type>,
        name: &str,
        args: &[Type],
        out: &Type,
    ) -> bool {
        if let Some(method) = std_model::method(Of::Option, name)
            && method.gives != Gives::Other
            && !method.takes_function()
        {
            return self.result(method, own, inner, args, out);
        }
        let result = match name {
            "ok_or" => Type::Result(inner.clone(), super::infer::inactive().into()),
            "copied" | "cloned" => Type::Option(inner.peeled().clone().into()),
            "zip" => match args {
                [other] => match self.table.shallow(other) {
                    Type::Option(other) => {
                        let pair = vec![(**inner).clone(), (*other).clone()];
                        Type::Option(Type::Tuple(pair).into())
                    }
                    _ => return false,
                },
                _ => return false,
            },
            "flatten" => match self.table.shallow(inner) {
                Type::Option(inner) => Type::Option(inner),
                _ => return false,
            },
            _ => return false,
        };
        self.learn(out, &result)
    }

    fn float_result(&mut self, own: &Type, name: &str, args: &[Type], out: &Type) -> bool {
        let Some(method) = std_model::called(Of::Float, name, args.len()) else {
            return match (methods::operator(name, args.len()), args) {
                (Some(Operator::Neg), _) => self.learn(out, own),
                (Some(Operator::Binary(op)), [arg]) => self.binary(op, own, arg, Some(out)),
                (Some(Operator::Assign(op)), [arg]) => {
                    self.table.unify(out, &Type::Unit);
                    self.binary(op, own, arg, None)
                }
                _ => false,
            };
        };
        let bits = match own {
            Type::F64 => Some("u64"),
            Type::F32 => Some("u32"),
            _ => None,
        };
        if name == "to_f64" && self.func.hidden_types.is_fallible(own) {
            return self.learn(out, &Type::Option(Type::F64.into()));
        }
        if name == "to_bits" {
            return bits.is_some_and(|bits| self.learn(out, &Type::Int(bits)));
        }
        let args: Vec<Type> = args.iter().map(|arg| self.table.peeled(arg)).collect();
        self.result(method, own, own, &args, out)
    }

    /// Methods of lists.
    fn slice_result(
        &mut self,
        own: &Type,
        elem: &Type,
        name: &str,
        args: &[Type],
        out: &Type,
    ) -> bool {
        let of_deque = std_model::called(Of::Deque, name, args.len());
        let method = of_deque.filter(|_| matches!(own, Type::Deque(_)));
        if let Some(method) = method.or_else(|| std_model::method(Of::List, name)) {
            return self.result(method, own, elem, args, out);
        }
        let result = match name {
            "into_deque" => Type::Deque(elem.clone().into()),
            "concat" => match self.table.peeled(elem).element() {
                Some(inner) => Type::Vec(inner.clone().into()),
                None => return false,
            },
            _ => return false,
        };
        self.learn(out, &result)
    }

    /// The result of a method of the table, whose receiver is of the type `own` and has elements or a payload of the type `inner`.
    fn result(
        &mut self,
        method: &Method,
        own: &Type,
        inner: &Type,
        args: &[Type],
        out: &Type,
    ) -> bool {
        let mutable = method.is_mut();
        let slice = || Type::Ref(mutable, Type::Slice(inner.clone().into()).into());
        let one = || Type::Ref(mutable, inner.clone().into());
        let position = Type::Int("usize");
        let result = match method.gives {
            Gives::Other => return false,
            Gives::Unit => Type::Unit,
            Gives::Bool => Type::Bool,
            Gives::Usize => position.clone(),
            Gives::Bits => Type::Int("u32"),
            Gives::F64 => Type::F64,
            Gives::Inactive => super::infer::inactive(),
            Gives::Own => own.clone(),
            Gives::Pair => Type::Tuple(vec![own.clone(), own.clone()]),
            Gives::Inner => inner.clone(),
            Gives::Maybe => Type::Option(inner.clone().into()),
            Gives::MaybeRef => Type::Option(one().into()),
            Gives::Split => Type::Option(Type::Tuple(vec![one(), slice()]).into()),
            Gives::Halves => Type::Tuple(vec![slice(), slice()]),
            Gives::Slice => slice(),
            Gives::MaybeSlice => Type::Option(slice().into()),
            Gives::List => Type::Vec(inner.clone().into()),
            Gives::Found => Type::Result(position.clone().into(), position.clone().into()),
        };
        for (arg, wanted) in args.iter().zip(method.args) {
            match wanted {
                Arg::At => self.table.unify(arg, &position),
                Arg::Index if self.table.peeled(arg).is_int() || self.table.is_int_literal(arg) => {
                    self.table.unify(arg, &position);
                }
                Arg::Index => return false,
                Arg::I32 => self.table.unify(arg, &Type::Int("i32")),
                Arg::U32 => self.table.unify(arg, &Type::Int("u32")),
                Arg::Item => self.table.unify(arg, inner),
                Arg::Items => {
                    let other = self.table.peeled(arg);
                    if let Some(other) = other.element().cloned() {
                        self.table.unify(&other, inner);
                    } else if matches!(other, Type::Unknown(_)) {
                        return false;
                    }
                }
                _ => {}
            }
        }
        self.learn(out, &result)
    }
}

//! Types of methods that take closures: `map` and the like, of `Option`, `Result`, `bool` and arrays.

use super::foreign::Foreign;
use super::infer::{Infer, inactive, is_comparison};
use super::methods;
use super::solve::Constraint;
use super::ty::{Type, Unknown};
use crate::hir::{Arm, MapCall};
use crate::std_model::{self, Of};

/// A call of such a method.
#[derive(Clone, Debug)]
pub(super) struct Mapped {
    receiver: Type,
    /// It is a reference for `as_ref`, and the payload is borrowed.
    view: bool,
    name: String,
    /// The types of the closures.
    some: Option<Closure>,
    none: Option<Closure>,
    /// The argument that is no function.
    value: Option<Type>,
    out: Type,
    /// All functions are written as closures.
    written: bool,
}

#[derive(Clone, Debug)]
struct Closure {
    param: Option<Type>,
    result: Type,
}

/// A type of std's with such methods.
enum Owner {
    Option,
    Result,
    Bool,
}

impl Mapped {
    pub(super) fn types(&self) -> Vec<&Type> {
        let closures = [&self.some, &self.none].into_iter().flatten();
        closures
            .flat_map(|closure| closure.param.iter().chain([&closure.result]))
            .chain(&self.value)
            .chain([&self.out])
            .collect()
    }

    /// The type that the method belongs to, by how it is called.
    fn owner(&self) -> Option<Owner> {
        let takes_error = self.none.as_ref().is_some_and(|f| f.param.is_some());
        match self.name.as_str() {
            "then" | "then_some" => Some(Owner::Bool),
            "map_err" | "is_ok_and" => Some(Owner::Result),
            _ if takes_error => Some(Owner::Result),
            "is_some_and" | "is_none_or" | "ok_or_else" => Some(Owner::Option),
            _ if self.none.is_some() => Some(Owner::Option),
            _ => None,
        }
    }
}

impl Infer<'_> {
    pub(super) fn map(&mut self, method: &MapCall) -> Type {
        let receiver = self.expr(&method.receiver);
        let mut args = method.args.iter();
        let value = method.has_value().then(|| args.next()).flatten();
        let value = value.map(|value| self.expr(value));
        args.for_each(|arg| {
            self.handed_over(arg);
        });
        let some = method.some.as_ref().map(|arm| self.arm(arm));
        let none = method.none.as_ref().map(|arm| self.arm(arm));
        let out = self.table.fresh();
        self.constraints.push(Constraint::Map(Mapped {
            receiver,
            view: method.view.is_some(),
            name: method.name.to_string(),
            some,
            none,
            value,
            out: out.clone(),
            written: method.written,
        }));
        out
    }

    fn arm(&mut self, arm: &Arm) -> Closure {
        let param = arm.var.map(|var| self.vars[var.0 as usize].clone());
        let result = self.block(&arm.body);
        Closure { param, result }
    }

    /// Tries one call; `true` if it is done with.
    pub(super) fn mapped(&mut self, call: &Mapped) -> bool {
        let of_option = matches!(self.table.peeled(&call.receiver), Type::Option(_));
        if let Some(f) = &call.some
            && (call.name == "retain" || call.name == "filter" && of_option)
        {
            self.table.unify(&f.result.clone(), &Type::Bool);
        }
        if let Some(array) = self.foreign(&call.receiver)
            && !call.view
            && let Some(f) = &call.some
        {
            return self.of_array(call, &array, f);
        }
        match (call.name.as_str(), self.table.peeled(&call.receiver)) {
            ("map", Type::Array(elem, len)) if !call.view => {
                let Some(f) = &call.some else { return true };
                self.bind(f, &elem);
                let result = f.result.clone().into();
                self.table.unify(&call.out, &Type::Array(result, len));
            }
            ("retain", Type::Vec(elem) | Type::Deque(elem)) => {
                let Some(f) = &call.some else { return true };
                self.bind(f, &elem);
                self.table.unify(&call.out, &Type::Unit);
            }
            ("then", Type::Bool) => {
                let Some(f) = &call.some else { return true };
                let out = Type::Option(f.result.clone().into());
                self.table.unify(&call.out, &out);
            }
            ("then_some", Type::Bool) => {
                let Some(value) = &call.value else {
                    return true;
                };
                let out = Type::Option(value.clone().into());
                self.table.unify(&call.out, &out);
            }
            (_, Type::Option(inner)) => {
                let wrap = |t: Type| Type::Option(t.into());
                self.of_either(call, &inner, &wrap);
            }
            (_, Type::Result(inner, _)) => {
                let wrap = |t: Type| Type::Result(t.into(), inactive().into());
                self.of_either(call, &inner, &wrap);
            }
            (_, unknown @ Type::Unknown(_)) => {
                self.by_result(call, &unknown);
                return false;
            }
            _ => return false,
        }
        true
    }

    fn bind(&mut self, f: &Closure, param: &Type) {
        if let Some(var) = &f.param {
            self.table.unify(var, param);
        }
    }

    /// A method of an `Option` or a `Result`; `wrap` makes the type of one.
    fn of_either(&mut self, call: &Mapped, inner: &Type, wrap: &dyn Fn(Type) -> Type) {
        let item = match self.table.shallow(&call.receiver) {
            Type::Ref(mutable, _) if call.view => Type::Ref(mutable, inner.clone().into()),
            _ => inner.clone(),
        };
        if let Some(f) = &call.some {
            self.bind(f, &item);
        }
        if let Some(f) = &call.none {
            self.bind(f, &inactive());
        }
        let given = call.some.as_ref().map(|f| f.result.clone());
        let given = given.unwrap_or(Type::Unit);
        let other = call.none.as_ref().map(|f| f.result.clone());
        let (out, other) = match call.name.as_str() {
            "map" => (wrap(given), None),
            "and_then" => {
                let some = self.table.fresh();
                (given, Some(wrap(some)))
            }
            "map_or" => (given, call.value.clone()),
            "map_or_else" => (given, other),
            "unwrap_or_else" => (item, other),
            "or_else" => (wrap(item), other),
            "filter" | "inspect" | "map_err" => (wrap(item), None),
            "ok_or_else" => (Type::Result(item.into(), inactive().into()), None),
            _ => (Type::Bool, None),
        };
        if let Some(other) = other {
            if matches!(out, Type::Never) {
                self.table.unify(&call.out, &other);
                return;
            }
            self.table.unify(&out, &other);
        }
        self.table.unify(&call.out, &out);
    }

    /// Infers the receiver from the result of the call.
    fn by_result(&mut self, call: &Mapped, receiver: &Type) {
        let inner = self.table.fresh();
        let own = match (call.name.as_str(), self.table.shallow(&call.out)) {
            ("map", Type::Array(_, len)) => Type::Array(inner.into(), len),
            ("map" | "and_then" | "filter" | "inspect" | "or_else", Type::Option(_)) => {
                Type::Option(inner.into())
            }
            ("map" | "and_then" | "map_err" | "inspect" | "or_else", Type::Result(..)) => {
                Type::Result(inner.into(), inactive().into())
            }
            _ => return,
        };
        self.table.unify(receiver, &own);
    }

    /// Where nothing more is known: the receiver is of the type that has such a method.
    pub(super) fn assume_owner(&mut self, call: &Mapped) -> bool {
        let owner = call.owner().filter(|_| call.written);
        self.own(call, owner)
    }

    /// Where nothing tells whose method this is, it is one of an `Option`, unless the result is used as something else. A
    /// function by its name is no sign of one, as `map` of users' types takes such too.
    pub(super) fn guess_owner(&mut self, call: &Mapped) -> bool {
        if call.name == "retain" {
            return false;
        }
        if methods::of_arrays(&call.name) {
            let receiver = self.table.peeled(&call.receiver);
            let guessed = self.func.callees.uses_arrays();
            if let (true, Type::Unknown(_)) = (guessed, &receiver) {
                let elem = self.table.deferred();
                let array = Foreign::unknown(elem);
                self.table.unify(&receiver, &array);
                return true;
            }
            return false;
        }
        let wraps = matches!(
            call.name.as_str(),
            "map" | "and_then" | "filter" | "inspect"
        );
        let mut seen = Vec::new();
        if call.name == "map" && self.is_made_as_number(&call.receiver, &mut seen) {
            return false;
        }
        seen.clear();
        let used = wraps.then(|| self.is_used_as_option(&call.out, &mut seen));
        let likely = used.flatten().unwrap_or(call.written || call.name != "map");
        self.own(call, likely.then_some(Owner::Option))
    }

    /// A function of each element of a library's array.
    fn of_array(&mut self, call: &Mapped, array: &Foreign, f: &Closure) -> bool {
        let by_ref = |mutable| Type::Ref(mutable, array.elem.clone().into());
        let (item, result) = match call.name.as_str() {
            "map" => (by_ref(false), array.mapped(f.result.clone())),
            "mapv" | "mapv_into" => (array.elem.clone(), array.mapped(f.result.clone())),
            "map_inplace" => (by_ref(true), Type::Unit),
            "mapv_inplace" => {
                self.table.unify(&f.result, &array.elem);
                (array.elem.clone(), Type::Unit)
            }
            _ => return false,
        };
        self.bind(f, &item);
        self.table.unify(&call.out, &result);
        true
    }

    fn own(&mut self, call: &Mapped, owner: Option<Owner>) -> bool {
        let receiver = self.table.peeled(&call.receiver);
        let (Some(owner), Type::Unknown(_)) = (owner, &receiver) else {
            return false;
        };
        let same = |ty: &Type| matches!((self.table.peeled(ty), &receiver), (Type::Unknown(a), Type::Unknown(b)) if a == *b);
        if self.named_elsewhere.iter().any(same) {
            return false;
        }
        let inner = self.table.deferred();
        let own = match owner {
            Owner::Option => Type::Option(inner.into()),
            Owner::Result => Type::Result(inner.into(), inactive().into()),
            Owner::Bool => Type::Bool,
        };
        self.table.unify(&receiver, &own);
        true
    }

    /// Returns `true` if an operator makes values of this type, or `map` makes them from such values: an `Option` has no operators, while
    /// `map` of vectors and matrices makes those of numbers. A variable that is mapped to itself is followed once; `seen` are the types that are being followed.
    fn is_made_as_number(&self, ty: &Type, seen: &mut Vec<Unknown>) -> bool {
        let Type::Unknown(of) = self.table.peeled(ty) else {
            return false;
        };
        if seen.contains(&of) {
            return false;
        }
        seen.push(of);
        let same = |ty: &Type| matches!(self.table.shallow(ty), Type::Unknown(id) if id == of);
        self.constraints.iter().any(|constraint| match constraint {
            Constraint::Unary(_, _, out) => same(out),
            Constraint::Binary(op, _, _, out) => !is_comparison(*op) && same(out),
            Constraint::Map(call) if call.name == "map" && same(&call.out) => {
                match self.table.peeled(&call.receiver) {
                    Type::Named(_) | Type::Foreign(_) => true,
                    _ => self.is_made_as_number(&call.receiver, seen),
                }
            }
            _ => false,
        })
    }

    /// Tells from the uses of a call's result if it is an `Option`. `None` if they don't tell. A result may be mapped to itself in a loop or a
    /// variable; `seen` are the types that are being followed.
    fn is_used_as_option(&self, ty: &Type, seen: &mut Vec<Unknown>) -> Option<bool> {
        let of = match self.table.shallow(ty) {
            Type::Unknown(of) => of,
            Type::Named(_) | Type::Foreign(_) => return Some(false),
            _ => return None,
        };
        if seen.contains(&of) {
            return None;
        }
        seen.push(of);
        let same = |ty: &Type| matches!(self.table.peeled(ty), Type::Unknown(id) if id == of);
        self.constraints
            .iter()
            .find_map(|constraint| match constraint {
                Constraint::Method {
                    receiver,
                    name,
                    args,
                    ..
                } if same(receiver) => {
                    let method = std_model::called(Of::Option, name, args.len());
                    Some(method.is_some_and(|method| !method.takes_function()))
                }
                Constraint::Map(call) if same(&call.receiver) => {
                    self.is_used_as_option(&call.out, seen)
                }
                Constraint::Iterate(of, _)
                | Constraint::Index { base: of, .. }
                | Constraint::Field { of, .. }
                | Constraint::Unary(_, of, _)
                | Constraint::AssignOp(_, _, of)
                    if same(of) =>
                {
                    Some(false)
                }
                Constraint::Binary(op, a, b, _) if !is_comparison(*op) && (same(a) || same(b)) => {
                    Some(false)
                }
                // Methods of vectors and matrices take such.
                Constraint::Method { receiver, args, .. }
                    if self.func.matrices
                        && args.iter().any(same)
                        && matches!(self.table.peeled(receiver), Type::Named(_)) =>
                {
                    Some(false)
                }
                _ => None,
            })
    }
}

//! Checks that a function's intermediate representation is well formed. The pipeline runs it after each pass. An error is a bug in
//! the compiler.
//!
//! The invariants:
//!
//! - Each value is defined exactly once, before its uses, in the region of the use or one around it. A pullback sees the
//!   values and owned slots of the function's outermost region, and the bindings of its own parameters.
//! - Each slot other than parameters is declared by one `Init`, `Borrow`, `NewTape`, `PopSlot` or `Run` before its uses, in
//!   the region of the use or one around it.
//! - The operands of `Binary` have one type (shifts excepted); logic has `bool` or integers; comparisons return a
//!   `bool`;
//!   all others return the operands' type. So with `Math`, on floats, whose `powi` takes an `i32` second.
//! - Regions yield as many values, of the same types, as their operation wants; a region that never runs to its end may
//!   yield fewer.
//! - The regions of an `If` have no parameters. A `For`'s body has one for the induction variable and one for each
//!   carried value; a `Loop`'s has one for each carried value, and yields the `bool` that ends it first.
//! - Tapes are only pushed to, popped from and divided into runs, and nothing else is.
//! - `Undef` is a known scalar.
//! - A closure binds its own parameters and the stacks that go through the callee, and yields one value for each leaf of
//!   its results.
//! - An operation has as many results as its kind says.

mod shape;

use proc_macro2::Span;

use super::print::brief;
use super::{
    Access, Closure, Func, Op, OpKind, Pattern, Place, Proj, Region, Slot, SlotKind, Ty, Value,
};

/// An invariant that doesn't hold, and the operation that breaks it.
pub(crate) struct Broken {
    /// The first line is the broken invariant, and the rest is the function.
    pub(crate) message: String,
    pub(crate) span: Span,
}

/// Checks `func`; the error is about the first invariant that doesn't hold.
pub(crate) fn verify(func: &Func) -> Result<(), Broken> {
    let mut verifier = Verifier {
        func,
        span: func.name.span(),
        defined: vec![false; func.values.len()],
        values: Scope::of(func.values.len()),
        slots: Scope::of(func.slots.len()),
    };
    verifier.func().map_err(|message| Broken {
        message: format!("{message}\nin\n{func}"),
        span: verifier.span,
    })
}

type Outcome = Result<(), String>;

fn ensure(condition: bool, message: impl FnOnce() -> String) -> Outcome {
    if condition { Ok(()) } else { Err(message()) }
}

struct Verifier<'a> {
    func: &'a Func,
    /// Of the operation that is being checked.
    span: Span,
    /// Values that have been defined anywhere.
    defined: Vec<bool>,
    values: Scope,
    slots: Scope,
}

/// The values or slots in scope: in the order in which they came, and by number.
struct Scope {
    stack: Vec<u32>,
    visible: Vec<bool>,
}

impl Scope {
    fn of(len: usize) -> Self {
        Scope {
            stack: Vec::new(),
            visible: vec![false; len],
        }
    }

    fn has(&self, id: u32) -> bool {
        self.visible.get(id as usize) == Some(&true)
    }

    fn enter(&mut self, id: u32) {
        self.visible[id as usize] = true;
        self.stack.push(id);
    }

    /// Back to the first `len`.
    fn truncate(&mut self, len: usize) {
        for id in self.stack.drain(len..) {
            self.visible[id as usize] = false;
        }
    }

    fn retain(&mut self, stays: impl Fn(u32) -> bool) {
        let visible = &mut self.visible;
        self.stack.retain(|id| {
            visible[*id as usize] = stays(*id);
            visible[*id as usize]
        });
    }
}

impl Verifier<'_> {
    fn func(&mut self) -> Outcome {
        for param in &self.func.params {
            self.bind(&param.pattern)?;
        }
        for extra in &self.func.extra {
            self.bind(extra)?;
        }
        self.region(&self.func.body)?;
        if !self.func.body.diverges() {
            self.result(&self.func.result)?;
        }
        if let Some(pullback) = &self.func.pullback {
            // Slots behind references are not captured.
            let func = self.func;
            self.slots
                .retain(|s| func.slot(Slot(s)).kind == SlotKind::Owned);
            self.bind(&pullback.seed)?;
            for param in &pullback.params {
                self.bind(param)?;
            }
            self.region(&pullback.body)?;
            for result in &pullback.results {
                self.result(result)?;
            }
        }
        Ok(())
    }

    fn bind(&mut self, pattern: &Pattern) -> Outcome {
        let mut outcome = Ok(());
        pattern.each_leaf(&mut |leaf| {
            let bound = match leaf {
                Pattern::Value(v) => self.define(*v),
                Pattern::Slot(s) => self.declare(*s),
                _ => Ok(()),
            };
            if outcome.is_ok() {
                outcome = bound;
            }
        });
        outcome
    }

    fn result(&self, pattern: &Pattern) -> Outcome {
        let mut outcome = Ok(());
        pattern.each_leaf(&mut |leaf| {
            let used = match leaf {
                Pattern::Value(v) => self.read(*v),
                Pattern::Slot(s) => self.slot(*s),
                _ => Ok(()),
            };
            if outcome.is_ok() {
                outcome = used;
            }
        });
        outcome
    }

    fn define(&mut self, value: Value) -> Outcome {
        let seen = self.defined.get_mut(value.0 as usize);
        let seen = seen.ok_or_else(|| format!("{value} isn't in the function's table"))?;
        ensure(!*seen, || format!("{value} is defined twice"))?;
        *seen = true;
        self.values.enter(value.0);
        Ok(())
    }

    fn declare(&mut self, slot: Slot) -> Outcome {
        ensure((slot.0 as usize) < self.func.slots.len(), || {
            format!("{slot} isn't in the function's table")
        })?;
        ensure(!self.slots.has(slot.0), || {
            format!("{slot} is declared twice")
        })?;
        self.slots.enter(slot.0);
        Ok(())
    }

    fn read(&self, value: Value) -> Outcome {
        ensure(self.values.has(value.0), || {
            format!("{value} is used outside of its scope")
        })
    }

    fn slot(&self, slot: Slot) -> Outcome {
        ensure(self.slots.has(slot.0), || {
            format!("{slot} is used outside of its scope")
        })
    }

    fn ty(&self, value: Value) -> &Ty {
        self.func.ty(value)
    }

    /// The operations of a region, whose parameters are in scope. The body's scope outlives it; see [`Self::nested`].
    fn region(&mut self, region: &Region) -> Outcome {
        for op in &region.ops {
            self.op(op)
                .map_err(|message| format!("{message}; in `{}`", brief(&op.kind)))?;
        }
        region.yields.iter().try_for_each(|v| self.read(*v))
    }

    fn nested(&mut self, region: &Region) -> Outcome {
        let (values, slots) = (self.values.stack.len(), self.slots.stack.len());
        region.params.iter().try_for_each(|v| self.define(*v))?;
        self.region(region)?;
        self.values.truncate(values);
        self.slots.truncate(slots);
        Ok(())
    }

    fn closure(&mut self, closure: &Closure) -> Outcome {
        let slots = self.slots.stack.len();
        for slot in closure.declared() {
            self.declare(slot)?;
        }
        let mut results = 0;
        for pattern in &closure.results {
            pattern.each_leaf(&mut |_| results += 1);
        }
        let (diverges, yields) = (closure.body.diverges(), closure.body.yields.len());
        ensure(diverges || results == yields, || {
            format!("a closure yields {yields} values instead of {results}")
        })?;
        self.nested(&closure.body)?;
        self.slots.truncate(slots);
        Ok(())
    }

    fn op(&mut self, op: &Op) -> Outcome {
        self.span = op.span;
        let mut unread = None;
        op.each_operand(&mut |operand| {
            if !self.values.has(operand.0) {
                unread.get_or_insert(operand);
            }
        });
        unread.map_or(Ok(()), |operand| self.read(operand))?;
        let slots = op.slots();
        for (slot, access) in slots.iter().copied() {
            if access == Access::Declare {
                continue;
            }
            self.slot(slot)?;
            let tape_op = matches!(
                op.kind,
                OpKind::Push(..)
                    | OpKind::Pop(_)
                    | OpKind::PushSlot(..)
                    | OpKind::PopSlot(..)
                    | OpKind::Run { .. }
            );
            let tape = matches!(self.func.slot(slot).ty, Ty::Tape);
            ensure(tape_op || !tape, || {
                format!("the tape {slot} is used as a variable")
            })?;
        }
        self.places(op)?;
        let closures = op.kind.closures();
        for closure in &closures {
            self.closure(closure)?;
        }
        if closures.is_empty() {
            for region in op.regions() {
                self.nested(region)?;
            }
        }
        self.span = op.span;
        self.shape(op)?;
        for (slot, access) in slots {
            if access == Access::Declare {
                self.declare(slot)?;
            }
        }
        op.results.iter().try_for_each(|v| self.define(*v))
    }

    /// Indices are integers.
    fn places(&self, op: &Op) -> Outcome {
        let mut outcome = Ok(());
        op.each_place(&mut |place| {
            if outcome.is_ok() {
                outcome = self.place(place);
            }
        });
        outcome
    }

    fn place(&self, place: &Place) -> Outcome {
        for proj in &place.path {
            let ends = match proj {
                Proj::Field(_) | Proj::Variant(..) | Proj::Deref => [None, None],
                Proj::Index(i) => [Some(*i), None],
                Proj::At(_, at) => {
                    let located = at.is_none_or(|at| matches!(self.ty(at), Ty::Rule));
                    ensure(located, || format!("{place} has an element in no place"))?;
                    [None, None]
                }
                Proj::Range(lo, hi) => [*lo, *hi],
            };
            for end in ends.into_iter().flatten() {
                ensure(integer(self.ty(end)), || {
                    format!("{place} has an index of type {}", self.ty(end))
                })?;
            }
        }
        Ok(())
    }
}

fn integer(ty: &Ty) -> bool {
    matches!(ty, Ty::Int(_) | Ty::Deferred)
}

/// Returns `true` if two types may be the same: exact for scalars, and lenient for types that only rustc can resolve.
fn same(a: &Ty, b: &Ty) -> bool {
    match (a, b) {
        (Ty::F32, Ty::F32)
        | (Ty::F64, Ty::F64)
        | (Ty::Lanes, Ty::Lanes)
        | (Ty::Bool, Ty::Bool)
        | (Ty::Unit, Ty::Unit)
        | (Ty::Rule, Ty::Rule)
        | (Ty::Tape, Ty::Tape) => true,
        (Ty::Int(a), Ty::Int(b)) => a == b,
        (Ty::Real(a), Ty::Real(b)) => a == b,
        (Ty::Slice(a), Ty::Slice(b))
        | (Ty::Vec(a), Ty::Vec(b))
        | (Ty::Deque(a), Ty::Deque(b))
        | (Ty::Array(a, _), Ty::Array(b, _)) => same(a, b),
        (Ty::Tuple(a), Ty::Tuple(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Ty::Option(a), Ty::Option(b))
        | (Ty::Boxed(a), Ty::Boxed(b))
        | (Ty::Result(a, _), Ty::Result(b, _)) => same(a, b),
        (Ty::Rule | Ty::Tape, _) | (_, Ty::Rule | Ty::Tape) => false,
        (a, b) => is_open(a) || is_open(b),
    }
}

/// Returns `true` if only rustc can resolve the type.
fn is_open(ty: &Ty) -> bool {
    matches!(
        ty,
        Ty::Deferred | Ty::Named(_) | Ty::Inactive(_) | Ty::Tangent(_)
    )
}

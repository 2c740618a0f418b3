//! Checks that a function's intermediate representation is well formed. Runs after each producer of it in debug builds
//! and tests; what it finds is a bug in the compiler.
//!
//! The invariants:
//!
//! - Each value is defined exactly once, before its uses, in the region of the use or one around it. A pullback sees the
//!   values and owned slots of the function's outermost region, and what its own parameters bind.
//! - Each slot other than parameters is declared by one `Init`, `Borrow`, `NewTape` or `PopSlot` before its uses, in the
//!   region of the use or one around it.
//! - The operands of `Binary` have one type (shifts excepted); logic has `bool` or integers; comparisons give a `bool`;
//!   all others give the operands' type. So with `Math`, on floats, whose `powi` takes an `i32` second.
//! - Regions yield as many values, of the same types, as their operation wants; a region that never runs to its end may
//!   yield fewer.
//! - The regions of an `If` have no parameters. A `For`'s body has one for the induction variable and one for each
//!   carried value; a `Loop`'s has one for each carried value, and yields the `bool` that ends it first.
//! - Tapes are only pushed to and popped from, and nothing else is.
//! - `Undef` is a known scalar.
//! - An operation has as many results as its kind says.

use super::print::brief;
use super::{
    Access, Adapter, Arg, BinaryOp, Call, Const, Func, Op, OpKind, Pattern, Place, Proj, PullArg,
    Range, Region, RepeatLen, Rule, Slot, SlotKind, Ty, UnaryOp, Use, Value,
};

/// Checks `func`; the error names the first invariant that doesn't hold, and the operation.
pub(crate) fn verify(func: &Func) -> Result<(), String> {
    let mut verifier = Verifier {
        func,
        defined: vec![false; func.values.len()],
        values: Vec::new(),
        slots: Vec::new(),
    };
    verifier
        .func()
        .map_err(|message| format!("{message}\nin\n{func}"))
}

type Outcome = Result<(), String>;

fn ensure(condition: bool, message: impl FnOnce() -> String) -> Outcome {
    if condition { Ok(()) } else { Err(message()) }
}

struct Verifier<'a> {
    func: &'a Func,
    /// Values that have been defined anywhere.
    defined: Vec<bool>,
    /// Values in scope.
    values: Vec<Value>,
    /// Slots in scope.
    slots: Vec<Slot>,
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
            // What is behind a reference is not captured.
            let func = self.func;
            self.slots.retain(|s| func.slot(*s).kind == SlotKind::Owned);
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
        self.values.push(value);
        Ok(())
    }

    fn declare(&mut self, slot: Slot) -> Outcome {
        ensure((slot.0 as usize) < self.func.slots.len(), || {
            format!("{slot} isn't in the function's table")
        })?;
        ensure(!self.slots.contains(&slot), || {
            format!("{slot} is declared twice")
        })?;
        self.slots.push(slot);
        Ok(())
    }

    fn read(&self, value: Value) -> Outcome {
        ensure(self.values.contains(&value), || {
            format!("{value} is used outside of its scope")
        })
    }

    fn slot(&self, slot: Slot) -> Outcome {
        ensure(self.slots.contains(&slot), || {
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
        let (values, slots) = (self.values.len(), self.slots.len());
        region.params.iter().try_for_each(|v| self.define(*v))?;
        self.region(region)?;
        self.values.truncate(values);
        self.slots.truncate(slots);
        Ok(())
    }

    fn op(&mut self, op: &Op) -> Outcome {
        for operand in op.operands() {
            self.read(operand)?;
        }
        for (slot, access) in op.slots() {
            if access == Access::Declare {
                continue;
            }
            self.slot(slot)?;
            let tape_op = matches!(
                op.kind,
                OpKind::Push(..) | OpKind::Pop(_) | OpKind::PushSlot(..) | OpKind::PopSlot(..)
            );
            let tape = matches!(self.func.slot(slot).ty, Ty::Tape);
            ensure(tape_op || !tape, || {
                format!("the tape {slot} is used as a variable")
            })?;
        }
        self.places(op)?;
        for region in op.regions() {
            self.nested(region)?;
        }
        self.shape(op)?;
        for (slot, access) in op.slots() {
            if access == Access::Declare {
                self.declare(slot)?;
            }
        }
        op.results.iter().try_for_each(|v| self.define(*v))
    }

    /// Indices are integers.
    fn places(&self, op: &Op) -> Outcome {
        let mut places: Vec<Place> = Vec::new();
        op.clone().each_place_mut(&mut |p| places.push(p.clone()));
        for place in places {
            for proj in &place.path {
                let ends = match proj {
                    Proj::Field(_) => [None, None],
                    Proj::Index(i) => [Some(*i), None],
                    Proj::Range(lo, hi) => [*lo, *hi],
                };
                for end in ends.into_iter().flatten() {
                    ensure(integer(self.ty(end)), || {
                        format!("{place} has an index of type {}", self.ty(end))
                    })?;
                }
            }
        }
        Ok(())
    }

    /// Types of operands and results, and how many results there are.
    fn shape(&self, op: &Op) -> Outcome {
        let count = |n: usize| {
            ensure(op.results.len() == n, || {
                format!("{} results instead of {n}", op.results.len())
            })
        };
        match &op.kind {
            OpKind::Const(c) => {
                count(1)?;
                self.constant(c, self.ty(op.results[0]))
            }
            OpKind::Unary(unary, a) => {
                count(1)?;
                let (from, to) = (self.ty(*a), self.ty(op.results[0]));
                let fits = match unary {
                    UnaryOp::Neg => from.is_float() || matches!(from, Ty::Int(_)),
                    UnaryOp::Not => matches!(from, Ty::Bool | Ty::Int(_)),
                };
                ensure(fits && same(from, to), || {
                    format!("unary operator from {from} to {to}")
                })
            }
            OpKind::Binary(binary, a, b) => {
                count(1)?;
                self.binary(*binary, self.ty(*a), self.ty(*b), self.ty(op.results[0]))
            }
            OpKind::Math(name, args) => {
                count(1)?;
                self.math(name, args, self.ty(op.results[0]))
            }
            OpKind::Select(c, a, b) => {
                count(1)?;
                self.boolean(*c)?;
                self.equal(*a, *b)?;
                self.equal(*a, op.results[0])
            }
            OpKind::StrongMul(a, b) | OpKind::TangentSum(a, b) => {
                count(1)?;
                self.equal(*a, *b)?;
                self.equal(*a, op.results[0])
            }
            OpKind::Tuple(values) => {
                count(1)?;
                self.components(self.ty(op.results[0]), values)
            }
            OpKind::Untuple(a) => self.components(self.ty(*a), &op.results),
            OpKind::Repeat { len, .. } => {
                count(1)?;
                match len {
                    RepeatLen::Vec(n) => ensure(integer(self.ty(*n)), || "length of a vec".into()),
                    RepeatLen::Array(_) => Ok(()),
                }
            }
            OpKind::Cast(_)
            | OpKind::Array { .. }
            | OpKind::Struct { .. }
            | OpKind::StructTangent { .. }
            | OpKind::Field(..)
            | OpKind::ZeroLike(_)
            | OpKind::Load(_)
            | OpKind::Replace(..)
            | OpKind::Len(_)
            | OpKind::ZeroOf(_)
            | OpKind::CloneOf(_) => count(1),
            // As many as were pushed together.
            OpKind::Pop(_) => Ok(()),
            OpKind::Init(..)
            | OpKind::Borrow(..)
            | OpKind::Store(..)
            | OpKind::Accumulate(..)
            | OpKind::AccumulatePlace { .. }
            | OpKind::SetZero(_)
            | OpKind::NewTape(..)
            | OpKind::Push(..)
            | OpKind::PushSlot(..)
            | OpKind::PopSlot(..)
            | OpKind::Unreachable => count(0),
            OpKind::If { cond, then, other } => {
                self.boolean(*cond)?;
                for region in [then, other] {
                    ensure(region.params.is_empty(), || {
                        "an `if` with parameters".into()
                    })?;
                    self.yields(region, &op.results, false)?;
                }
                Ok(())
            }
            OpKind::For {
                range,
                init,
                stop,
                body,
            } => {
                self.range(range, body)?;
                self.carried(body.params.get(1..).unwrap_or_default(), init, &op.results)?;
                self.yields(body, &op.results, *stop)
            }
            OpKind::Loop { init, body } => {
                self.carried(&body.params, init, &op.results)?;
                self.yields(body, &op.results, true)
            }
            OpKind::Call(call) => self.call(call, op.results.len()),
            OpKind::ApplyPullback(apply) => {
                let values = apply.args.iter().map(|arg| match arg {
                    PullArg::Value { zero } => zero.len().max(apply.seed.len()),
                    _ => 0,
                });
                count(values.sum())
            }
            OpKind::Opaque { uses, .. } => {
                ensure(op.results.len() <= 1, || {
                    "opaque code with several results".into()
                })?;
                uses.iter().try_for_each(|used| match used {
                    Use::Value(ident, v) => {
                        ensure(self.ty(*v).is_scalar() || *ident != "self", || {
                            "`self` as a value".into()
                        })
                    }
                    Use::Place { .. } => Ok(()),
                })
            }
        }
    }

    fn constant(&self, constant: &Const, ty: &Ty) -> Outcome {
        let fits = match constant {
            Const::Float(_) => ty.is_float() || matches!(ty, Ty::Deferred),
            Const::Int(_) => integer(ty),
            Const::Bool(_) => matches!(ty, Ty::Bool),
            Const::Undef => ty.is_scalar(),
            Const::Unit => matches!(ty, Ty::Unit),
            Const::Zero | Const::One => ty.is_float(),
            Const::Expr(_) => true,
        };
        ensure(fits, || format!("constant {constant} of type {ty}"))
    }

    fn binary(&self, op: BinaryOp, a: &Ty, b: &Ty, result: &Ty) -> Outcome {
        let int = |t: &Ty| matches!(t, Ty::Int(_));
        let fits = match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => {
                (int(a) || a.is_float()) && same(a, b) && same(a, result)
            }
            BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => {
                (int(a) || matches!(a, Ty::Bool)) && same(a, b) && same(a, result)
            }
            BinaryOp::Shl | BinaryOp::Shr => int(a) && int(b) && same(a, result),
            BinaryOp::Lt
            | BinaryOp::Le
            | BinaryOp::Gt
            | BinaryOp::Ge
            | BinaryOp::Eq
            | BinaryOp::Ne => a.is_scalar() && same(a, b) && matches!(result, Ty::Bool),
        };
        ensure(fits, || format!("{op} of {a} and {b} gives {result}"))
    }

    fn math(&self, name: &str, args: &[Value], result: &Ty) -> Outcome {
        let fits = result.is_float()
            && args.iter().enumerate().all(|(k, arg)| match self.ty(*arg) {
                Ty::Int("i32") => name == "powi" && k == 1,
                ty => same(ty, result) && (name != "powi" || k == 0),
            });
        let types = || {
            args.iter()
                .map(|v| self.ty(*v).to_string())
                .collect::<Vec<_>>()
        };
        ensure(fits && !args.is_empty(), || {
            format!("{name} of {:?} gives {result}", types())
        })
    }

    fn components(&self, tuple: &Ty, values: &[Value]) -> Outcome {
        let fits = match tuple {
            Ty::Tuple(types) => {
                types.len() == values.len()
                    && types.iter().zip(values).all(|(t, v)| same(t, self.ty(*v)))
            }
            Ty::Deferred | Ty::Tangent(_) | Ty::Named(_) => true,
            _ => false,
        };
        ensure(fits, || {
            format!("{} components for the tuple {tuple}", values.len())
        })
    }

    fn boolean(&self, value: Value) -> Outcome {
        let ty = self.ty(value);
        ensure(matches!(ty, Ty::Bool), || {
            format!("condition {value} of type {ty}")
        })
    }

    fn equal(&self, a: Value, b: Value) -> Outcome {
        let (a_ty, b_ty) = (self.ty(a), self.ty(b));
        ensure(same(a_ty, b_ty), || {
            format!("{a} is a {a_ty}, but {b} a {b_ty}")
        })
    }

    fn range(&self, range: &Range, body: &Region) -> Outcome {
        let induction = body
            .params
            .first()
            .ok_or("a `for` without an induction variable")?;
        for end in [range.lo, range.hi] {
            self.equal(end, *induction)?;
        }
        ensure(integer(self.ty(*induction)), || {
            format!("induction variable of type {}", self.ty(*induction))
        })?;
        range.adapters.iter().try_for_each(|adapter| match adapter {
            Adapter::Rev => Ok(()),
            Adapter::StepBy(k) => ensure(integer(self.ty(*k)), || format!("step {k}")),
        })
    }

    fn carried(&self, params: &[Value], init: &[Value], results: &[Value]) -> Outcome {
        ensure(
            params.len() == init.len() && init.len() == results.len(),
            || {
                format!(
                    "{} carried, {} in, {} out",
                    params.len(),
                    init.len(),
                    results.len()
                )
            },
        )?;
        for ((param, init), result) in params.iter().zip(init).zip(results) {
            self.equal(*param, *init)?;
            self.equal(*param, *result)?;
        }
        Ok(())
    }

    /// Whether `region` yields what `results` want, after a `bool` where there is a `stop`.
    fn yields(&self, region: &Region, results: &[Value], stop: bool) -> Outcome {
        let wanted = results.len() + usize::from(stop);
        if region.diverges() && region.yields.len() != wanted {
            return ensure(region.yields.len() < wanted, || "too many yields".into());
        }
        ensure(region.yields.len() == wanted, || {
            format!("{} yields instead of {wanted}", region.yields.len())
        })?;
        let (flag, carried) = region.yields.split_at(usize::from(stop));
        flag.iter().try_for_each(|v| self.boolean(*v))?;
        carried
            .iter()
            .zip(results)
            .try_for_each(|(a, b)| self.equal(*a, *b))
    }

    fn call(&self, call: &Call, results: usize) -> Outcome {
        let wanted = match call.rule {
            Rule::Primal | Rule::Active => 1,
            Rule::Frule => 2,
            Rule::Rrule => 3,
            Rule::RruleFrule => 4,
        };
        ensure(results == wanted, || {
            format!("{results} results of a call instead of {wanted}")
        })?;
        let dual = matches!(call.rule, Rule::Frule | Rule::RruleFrule);
        ensure(
            call.tangents.len() == if dual { call.args.len() } else { 0 },
            || {
                format!(
                    "{} tangents for {} arguments",
                    call.tangents.len(),
                    call.args.len()
                )
            },
        )?;
        for arg in &call.args {
            if let Arg::Mut(place) = arg {
                let kind = self.func.slot(place.root).kind;
                ensure(kind != SlotKind::Ref, || {
                    format!("&mut {place}, which is shared")
                })?;
            }
        }
        Ok(())
    }
}

fn integer(ty: &Ty) -> bool {
    matches!(ty, Ty::Int(_) | Ty::Deferred)
}

/// Whether two types may be one: exact for scalars, and lenient where only rustc knows.
fn same(a: &Ty, b: &Ty) -> bool {
    match (a, b) {
        (Ty::F32, Ty::F32)
        | (Ty::F64, Ty::F64)
        | (Ty::Bool, Ty::Bool)
        | (Ty::Unit, Ty::Unit)
        | (Ty::Rule, Ty::Rule)
        | (Ty::Tape, Ty::Tape) => true,
        (Ty::Int(a), Ty::Int(b)) => a == b,
        (Ty::Slice(a), Ty::Slice(b))
        | (Ty::Vec(a), Ty::Vec(b))
        | (Ty::Array(a, _), Ty::Array(b, _)) => same(a, b),
        (Ty::Tuple(a), Ty::Tuple(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Ty::Rule | Ty::Tape, _) | (_, Ty::Rule | Ty::Tape) => false,
        (a, b) => is_open(a) || is_open(b),
    }
}

/// Whether only rustc knows the type.
fn is_open(ty: &Ty) -> bool {
    matches!(
        ty,
        Ty::Deferred | Ty::Named(_) | Ty::Inactive(_) | Ty::Tangent(_)
    )
}

//! Types of operands and results, and how many results there are.

use super::{Outcome, Verifier, ensure, integer, same};
use crate::ir::{
    Adapter, Arg, BinaryOp, Call, CombinedArg, Const, Op, OpKind, PullArg, Range, Region,
    RepeatLen, Rule, SlotKind, Ty, UnaryOp, Use, Value,
};

impl Verifier<'_> {
    /// Types of operands and results, and how many results there are.
    pub(super) fn shape(&self, op: &Op) -> Outcome {
        let count = |n: usize| {
            ensure(op.results.len() == n, || {
                format!("{} results instead of {n}", op.results.len())
            })
        };
        match &op.kind {
            OpKind::Const(c) => {
                count(1)?;
                Self::constant(c, self.ty(op.results[0]))
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
            OpKind::Binary(BinaryOp::Mul | BinaryOp::Div, a, b)
            | OpKind::StrongMul(a, b)
            | OpKind::StrongDiv(a, b)
                if self.in_lanes(op, *a, *b) =>
            {
                count(1)
            }
            OpKind::Binary(binary, a, b) => {
                count(1)?;
                Self::binary(*binary, self.ty(*a), self.ty(*b), self.ty(op.results[0]))
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
            OpKind::StrongMul(a, b) | OpKind::StrongDiv(a, b) | OpKind::TangentSum(a, b) => {
                count(1)?;
                self.equal(*a, *b)?;
                self.equal(*a, op.results[0])
            }
            OpKind::Tuple(values) => {
                count(1)?;
                self.components(self.ty(op.results[0]), values)
            }
            OpKind::Untuple(a) => self.components(self.ty(*a), &op.results),
            OpKind::Unpack { members, .. } => count(members.len()),
            OpKind::CoercionSites(region) => count(region.params.len()),
            OpKind::Coerce { site, .. } => {
                count(1)?;
                ensure(matches!(self.ty(*site), Ty::Rule), || {
                    "a pointer becomes an object nowhere".into()
                })
            }
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
            | OpKind::Boxed(_)
            | OpKind::Unboxed(_)
            | OpKind::Unique(_)
            | OpKind::FieldTangent { .. }
            | OpKind::KindOf(_)
            | OpKind::Field(..)
            | OpKind::ZeroLike(_)
            | OpKind::Load(_)
            | OpKind::Replace(..)
            | OpKind::Len(_)
            | OpKind::Locate { .. }
            | OpKind::ZeroOf(_)
            | OpKind::ZeroLeft(..)
            | OpKind::PushPlaceholder(_)
            | OpKind::CloneOf(_) => count(1),
            // As many as were pushed together.
            OpKind::Pop(_) => Ok(()),
            OpKind::Init(..)
            | OpKind::Borrow(..)
            | OpKind::Store(..)
            | OpKind::Accumulate(..)
            | OpKind::AccumulatePlace { .. }
            | OpKind::Swap(..)
            | OpKind::SetZero(_)
            | OpKind::NewTape(..)
            | OpKind::Run { .. }
            | OpKind::Push(..)
            | OpKind::PushSlot(..)
            | OpKind::PopSlot(..)
            | OpKind::Ask { .. }
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
            OpKind::Sum { parts, body } => {
                count(1)?;
                ensure(parts.len() == body.params.len(), || {
                    "a sum of other parts".into()
                })?;
                self.yields(body, &op.results, false)
            }
            OpKind::Loop { init, body } => {
                self.carried(&body.params, init, &op.results)?;
                self.yields(body, &op.results, true)
            }
            OpKind::Call(call) => self.call(call, op.results.len()),
            OpKind::ApplyPullback(apply) => {
                let values = apply.args.iter().map(|arg| match arg {
                    PullArg::Value { zero, .. } => zero.len().max(apply.seed.len()),
                    _ => 0,
                });
                count(values.sum())
            }
            OpKind::Combined(call) => {
                let values = call.args.iter().map(|arg| match arg {
                    CombinedArg::Value { zero, .. } => zero.len(),
                    _ => 0,
                });
                count(call.seed.len() + values.sum::<usize>())
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

    fn constant(constant: &Const, ty: &Ty) -> Outcome {
        let fits = match constant {
            Const::Float(_) => ty.is_float() || matches!(ty, Ty::Deferred),
            Const::Int(_) => integer(ty),
            Const::Bool(_) => matches!(ty, Ty::Bool),
            Const::Undef => ty.is_scalar(),
            Const::Unit => matches!(ty, Ty::Unit),
            Const::None => !ty.is_scalar(),
            Const::Zero | Const::One => ty.is_float(),
            Const::Expr(_) => true,
        };
        ensure(fits, || format!("constant {constant} of type {ty}"))
    }

    fn binary(op: BinaryOp, a: &Ty, b: &Ty, result: &Ty) -> Outcome {
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

    /// Returns `true` if one operand is a tangent in several directions, and so is the result. In a quotient, only the
    /// dividend may be one.
    fn in_lanes(&self, op: &Op, a: Value, b: Value) -> bool {
        let lanes = |v: Value| matches!(self.ty(v), Ty::Lanes);
        let product = matches!(
            op.kind,
            OpKind::Binary(BinaryOp::Mul, ..) | OpKind::StrongMul(..)
        );
        let [of, by] = if product && lanes(b) { [b, a] } else { [a, b] };
        lanes(of) && matches!(self.ty(by), Ty::F64) && op.results.iter().all(|v| lanes(*v))
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
            Adapter::Checkpoint(k) => ensure(integer(self.ty(*k)), || format!("{k} states")),
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

    /// Checks that `region` yields the values of `results`, after a `bool` where there is a `stop`.
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

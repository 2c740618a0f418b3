//! The reverse of one operation.

use super::super::partials::{is_cheap, is_piecewise_constant, partial, quotient, times};
use super::super::seq::Seq;
use super::Reverse;
use crate::diagnostics::looking_at;
use crate::ir::{
    BinaryOp, Coerced, Const, Map, MathFn, Op, OpKind, Place, Proj, RepeatLen, Ty, UnaryOp, Value,
};

impl<'a> Reverse<'a> {
    /// Appends the reverse of operation `i` of the innermost region.
    pub(super) fn reverse_op(&mut self, i: usize) {
        let op: &'a Op = &self.top().region.ops[i];
        self.span = op.span;
        looking_at(op.span);
        self.put_back_inactive(op, i);
        match &op.kind {
            OpKind::If { .. } => self.reverse_if(op, i),
            OpKind::For { .. } | OpKind::Loop { .. } => self.reverse_loop(op, i),
            OpKind::Call(call) => self.reverse_call(op, i, call),
            OpKind::Init(slot, v) => self.reverse_init(*slot, *v),
            OpKind::Load(place) => {
                let whole = place.path.is_empty();
                let part = !self.src.ty(op.results[0]).is_copy()
                    && place.path.iter().all(|proj| matches!(proj, Proj::Field(_)));
                if (whole || part) && self.plan.clone.contains(&place.root) {
                    let cloned = Op {
                        kind: OpKind::CloneOf(place.clone()),
                        ..op.clone()
                    };
                    self.top().replaced.insert(i, cloned);
                }
                self.reverse_load(place, op.results[0]);
            }
            OpKind::CloneOf(place) => self.reverse_load(place, op.results[0]),
            OpKind::Store(place, v) => self.reverse_store(op, i, place, *v),
            OpKind::Replace(place, v) => self.reverse_replace(i, place, *v, op.results[0]),
            OpKind::Swap(a, b) => self.reverse_swap(a, b),
            OpKind::Untuple(v) => self.reverse_untuple(op, *v),
            OpKind::Unpack {
                value,
                path,
                members,
            } => self.reverse_unpack(op, *value, path, members),
            _ => {
                if let [y] = op.results.as_slice()
                    && let Some(g) = self.take_bar(*y)
                {
                    self.reverse_pure(op, i, *y, g);
                }
            }
        }
    }

    /// `v_bar +=` the result of an operation, which has the type of v's tangent.
    fn add_bar_of(&mut self, v: Value, kind: OpKind) {
        let ty = self.tangent_of(v);
        let bar = self.seq().value(kind, ty, "bar");
        self.add_bar(v, bar);
    }

    fn reverse_pure(&mut self, op: &Op, i: usize, y: Value, g: Value) {
        match &op.kind {
            OpKind::Unary(UnaryOp::Neg, a) => {
                let g = self.seq().neg(g);
                self.add_bar(*a, g);
            }
            OpKind::Cast(a) => {
                let ty = self.src.ty(*a).clone();
                if ty.is_float() {
                    let g = self.seq().cast(g, &ty);
                    self.add_bar(*a, g);
                }
            }
            OpKind::Binary(operator, a, b) => self.reverse_binary(*operator, *a, *b, y, g),
            OpKind::Math(f, args) => self.reverse_math(f, args, i, y, g),
            OpKind::Select(cond, a, b) => {
                let cond = self.need(*cond);
                let ty = self.src.ty(y).clone();
                let zero = self.seq().zero(&ty);
                if self.act.has(*a) {
                    let a_bar = self.seq().select(cond, g, zero);
                    self.add_bar(*a, a_bar);
                }
                if self.act.has(*b) {
                    let b_bar = self.seq().select(cond, zero, g);
                    self.add_bar(*b, b_bar);
                }
            }
            OpKind::Tuple(vs) => {
                let results: Vec<Value> = vs
                    .iter()
                    .map(|v| self.out.new_value(self.tangent_of(*v), "bar", op.span))
                    .collect();
                self.top()
                    .rev
                    .push(Op::new(OpKind::Untuple(g), results.clone(), op.span));
                for (v, bar) in vs.iter().zip(results) {
                    self.add_bar(*v, bar);
                }
            }
            OpKind::Array { elems, .. } => {
                let slot = self.seq().init(g, "bar");
                for (k, elem) in elems.iter().enumerate() {
                    if self.act.has(*elem) {
                        let k = self.seq().int(&k.to_string(), "usize");
                        let place = Place::new(slot, vec![Proj::Index(k)]);
                        self.add_bar_of(*elem, OpKind::copy_of(place, &self.tangent_of(*elem)));
                    }
                }
            }
            OpKind::Repeat { elem, len } => self.reverse_repeat(*elem, len, g),
            // y = v as Box<dyn Trait> | v_bar += y_bar as the tangent of v's target
            OpKind::Coerce { site, value, .. } => {
                let kind = OpKind::Coerce {
                    site: self.need(*site),
                    value: g,
                    form: Coerced::Cotangent,
                };
                self.add_bar_of(*value, kind);
            }
            OpKind::Boxed(v) => self.add_bar_of(*v, OpKind::Unboxed(g)),
            OpKind::Struct {
                path,
                variant: true,
                fields,
                ..
            } => self.reverse_variant(path, fields, g),
            OpKind::Struct { fields, base, .. } => {
                let slot = self.seq().init(g, "bar");
                // The base's field may be of another shape.
                let is_shaped = |v: Value| {
                    let ty = self.src.ty(v);
                    ty.may_have_tangent() && !ty.has_one_shape()
                };
                let shaped = fields.iter().any(|(_, v)| is_shaped(*v));
                let zero = base.filter(|_| shaped).map(|base| {
                    let zero = self.zero_of(base);
                    self.seq().init(zero, "zero")
                });
                for (member, v) in fields {
                    let at = |slot| Place::new(slot, vec![Proj::Field(member.clone())]);
                    let place = at(slot);
                    match zero.filter(|_| is_shaped(*v)) {
                        Some(zero) => {
                            self.seq().push(OpKind::Swap(place, at(zero)));
                            if self.act.has(*v) {
                                self.add_bar_of(*v, OpKind::Load(at(zero)));
                            }
                        }
                        None if base.is_some() => {
                            if self.act.has(*v) {
                                self.add_bar_of(*v, OpKind::CloneOf(place.clone()));
                            }
                            self.seq().push(OpKind::SetZero(place));
                        }
                        None if self.act.has(*v) => self.add_bar_of(*v, OpKind::Load(place)),
                        None => {}
                    }
                }
                if let Some(base) = base {
                    self.add_bar_of(*base, OpKind::Load(Place::whole(slot)));
                }
            }
            OpKind::Field(v, member) => {
                let zero = self.zero_of(*v);
                let slot = self.seq().init(zero, "bar");
                let place = Place::new(slot, vec![Proj::Field(member.clone())]);
                self.seq().push(OpKind::Store(place, g));
                self.add_bar_of(*v, OpKind::Load(Place::whole(slot)));
            }
            _ => {}
        }
    }

    /// `y = Path(a, b)` | `a_bar += y_bar.0; b_bar += y_bar.1`
    fn reverse_variant(&mut self, path: &syn::Path, fields: &[(syn::Member, Value)], g: Value) {
        let slot = self.seq().init(g, "bar");
        for (member, v) in fields {
            if !self.act.has(*v) {
                continue;
            }
            let place = Place::new(slot, vec![Proj::Variant(path.clone(), member.clone())]);
            self.add_bar_of(*v, OpKind::copy_of(place, &self.tangent_of(*v)));
        }
    }

    /// `let Path(a, b) = v` | `v_bar += zero with a_bar and b_bar in it`
    fn reverse_unpack(&mut self, op: &Op, v: Value, path: &syn::Path, members: &[syn::Member]) {
        let bars = self.take_bars(op);
        if bars.iter().all(Option::is_none) || !self.act.has(v) {
            return;
        }
        let zero = self.zero_of(v);
        let slot = self.seq().init(zero, "bar");
        for (member, bar) in members.iter().zip(bars) {
            if let Some(bar) = bar {
                let place = Place::new(slot, vec![Proj::Variant(path.clone(), member.clone())]);
                self.seq().push(OpKind::Accumulate(place, bar));
            }
        }
        self.add_bar_of(v, OpKind::Load(Place::whole(slot)));
    }

    pub(super) fn tangent_of(&self, v: Value) -> Ty {
        self.src.ty(v).any_tangent()
    }

    fn reverse_binary(&mut self, operator: BinaryOp, a: Value, b: Value, y: Value, g: Value) {
        if !self.src.ty(y).is_float() {
            return;
        }
        match operator {
            // y = a + b | a_bar += y_bar; b_bar += y_bar
            BinaryOp::Add => {
                self.add_bar(a, g);
                self.add_bar(b, g);
            }
            // y = a - b | a_bar += y_bar; b_bar -= y_bar
            BinaryOp::Sub => {
                self.add_bar(a, g);
                if self.act.has(b) {
                    let g = self.seq().neg(g);
                    self.add_bar(b, g);
                }
            }
            // y = a * b | a_bar += y_bar * b; b_bar += a * y_bar
            BinaryOp::Mul => {
                if self.act.has(a) {
                    let b = self.need(b);
                    let a_bar = self.seq().mul(g, b);
                    self.add_bar(a, a_bar);
                }
                if self.act.has(b) {
                    let a = self.need(a);
                    let b_bar = self.seq().mul(a, g);
                    self.add_bar(b, b_bar);
                }
            }
            // y = a / b | t = y_bar / b; a_bar += t; b_bar -= t * y, each zero where y_bar is: b may be zero
            BinaryOp::Div => {
                let divisor = self.need(b);
                let t = self.seq().strong_div(g, divisor);
                if self.act.has(b) {
                    let y = self.need(y);
                    let p = self.seq().strong_mul(t, y);
                    let p = self.seq().neg(p);
                    self.add_bar(b, p);
                }
                self.add_bar(a, t);
            }
            // y = a - b q with a whole q | a_bar += y_bar; b_bar -= q y_bar
            BinaryOp::Rem => {
                self.add_bar(a, g);
                if self.act.has(b) {
                    let (a, divisor, y) = (self.need(a), self.need(b), self.need(y));
                    let mut seq = self.seq();
                    let q = quotient(&mut seq, a, divisor, y);
                    let p = seq.strong_mul(g, q);
                    let p = seq.neg(p);
                    self.add_bar(b, p);
                }
            }
            _ => {}
        }
    }

    /// The partials of dear functions are computed in the forward half and stored; those of cheap ones, in the reverse half.
    fn reverse_math(&mut self, f: MathFn, args: &[Value], i: usize, y: Value, g: Value) {
        if is_piecewise_constant(f) {
            return;
        }
        let depth = self.depth();
        let args_at_hand = args.iter().all(|a| self.cost(*a).is_some());
        let cheap = is_cheap(f, args, |v| self.src.int_const(v));
        let mut made: Vec<Op> = Vec::new();
        for (k, arg) in args.iter().enumerate() {
            if !self.act.has(*arg) {
                continue;
            }
            let p = if cheap && args_at_hand {
                let args: Vec<Value> = args.iter().map(|a| self.need(*a)).collect();
                partial(&mut self.seq(), f, &args, y, k)
            } else {
                let mut ops = Vec::new();
                let mut seq = Seq::new(&mut self.out, &mut ops, self.span);
                let p = partial(&mut seq, f, args, y, k);
                let p = p.with(|v| share(&mut ops, &made, v));
                made.extend(ops.iter().cloned());
                for op in &ops {
                    op.results.iter().for_each(|r| {
                        self.homes.insert(*r, (depth, Some(i)));
                    });
                }
                self.frames[depth].after.entry(i).or_default().extend(ops);
                p.with(|v| self.need(v))
            };
            if let Some(term) = times(&mut self.seq(), g, p) {
                self.add_bar(*arg, term);
            }
        }
    }

    /// `y = [a; n]` | `a_bar += sum of y_bar`
    fn reverse_repeat(&mut self, elem: Value, len: &RepeatLen, g: Value) {
        if !self.act.has(elem) {
            return;
        }
        let slot = self.seq().init(g, "bar");
        let ty = self.tangent_of(elem);
        let start = self.zero_of(elem);
        let hi = match len {
            RepeatLen::Vec(n) => self.need(*n),
            RepeatLen::Array(n) => self.seq().value(
                OpKind::Const(Const::Expr(n.clone())),
                Ty::Int("usize"),
                "len",
            ),
        };
        let lo = self.seq().int("0", "usize");
        let span = self.span;
        let k = self.out.new_value(Ty::Int("usize"), "k", span);
        let sum = self.out.new_value(ty.clone(), "sum", span);
        let mut ops = Vec::new();
        let mut seq = Seq::new(&mut self.out, &mut ops, span);
        let place = Place::new(slot, vec![Proj::Index(k)]);
        let item = seq.value(OpKind::copy_of(place, &ty), ty.clone(), "item");
        let next = seq.tangent_sum(sum, item);
        let body = crate::ir::Region {
            params: vec![k, sum],
            ops,
            yields: vec![next],
        };
        let range = crate::ir::Range::new(lo, hi);
        let kind = OpKind::counted(range, vec![start], body);
        let total = self.seq().value(kind, ty, "sum");
        self.add_bar(elem, total);
    }

    /// `(a, b) = v` | `v_bar += (a_bar, b_bar)`
    fn reverse_untuple(&mut self, op: &Op, v: Value) {
        let bars = self.take_bars(op);
        if bars.iter().all(Option::is_none) || !self.act.has(v) {
            return;
        }
        let bars: Vec<Value> = (op.results.iter().zip(bars))
            .map(|(r, bar)| bar.unwrap_or_else(|| self.zero_of(*r)))
            .collect();
        self.add_bar_of(v, OpKind::Tuple(bars));
    }
}

/// Drops the comparisons among `ops` that an earlier partial has made. Returns the replacement of `wanted`.
fn share(ops: &mut Vec<Op>, made: &[Op], wanted: Value) -> Value {
    let mut same: Map<Value, Value> = Map::default();
    ops.retain_mut(|op| {
        op.each_operand_mut(&mut |v| *v = *same.get(v).unwrap_or(v));
        let OpKind::Binary(kind, a, b) = op.kind else {
            return true;
        };
        let earlier = made
            .iter()
            .find(|made| matches!(made.kind, OpKind::Binary(k, c, d) if (k, c, d) == (kind, a, b)));
        if let Some(earlier) = earlier {
            same.insert(op.results[0], earlier.results[0]);
        }
        earlier.is_none()
    });
    *same.get(&wanted).unwrap_or(&wanted)
}

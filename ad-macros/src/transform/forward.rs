//! The forward transform, IR to IR: every varied value and slot gets a tangent beside it.
//!
//! Input: a function in which calls are `Active` (a primal), or `Rrule` with applied pullbacks (the output of the reverse
//! transform). Output: the same function with each differentiated leaf of its parameters and results a `Dual`. Primal
//! values and slots keep their names; a value that isn't varied has no tangent, which counts as zero without being computed.
//!
//! ```text
//! y = a * b              y = a * b; y_dot = a_dot * b + a * b_dot
//! v[i] = y               v[i] = y; v_dot[i] = y_dot
//! x_bar[i] += t          x_bar[i] += t; x_bar_dot[i] += t_dot
//! (y, pb) = f::rrule(x)  (y, y_dot, pb) = f::rrule_frule(x, x_dot)
//! ```

mod copied;

use proc_macro2::Span;

use super::partials::{partial, quotient, times};
use super::seq::Seq;
use crate::analyze::{Activity, constant_slots, varied};
use crate::diagnostics::{bug, looking_at};
use crate::ir::{
    ApplyPullback, Arg, BinaryOp, Call, Callee, Closure, CombinedArg, CombinedCall, Func, Function,
    Lent, Map, Op, OpKind, Pattern, Place, Proj, PullArg, Region, Rule, Set, Slot, SlotData,
    SlotKind, Ty, Value,
};

/// Differentiates `func` in forward mode.
pub(crate) fn forward(func: &Func) -> Func {
    let mut seeds = Activity::default();
    for param in func.params.iter().filter(|p| !p.constant) {
        param.pattern.each_leaf(&mut |leaf| seeds.add_leaf(leaf));
    }
    func.extra
        .iter()
        .for_each(|p| p.each_leaf(&mut |leaf| seeds.add_leaf(leaf)));
    if let Some(pullback) = &func.pullback {
        pullback.seed.each_leaf(&mut |leaf| seeds.add_leaf(leaf));
        for (pattern, param) in pullback.params.iter().zip(&func.params) {
            if !param.constant {
                pattern.each_leaf(&mut |leaf| seeds.add_leaf(leaf));
            }
        }
    }
    let varied = varied(func, &seeds);
    let forward = Forward {
        out: func.clone(),
        varied,
        dots: Map::default(),
        slot_dots: Map::default(),
        params: Map::default(),
        first_order: func.pullback.is_none() && func.extra.is_empty(),
        constants: constant_slots(func),
        copied: copied::again(func),
        updated: copied::updated(func),
        kinds: Map::default(),
        kinds_in: Map::default(),
    };
    forward.run(func)
}

/// Values that are computed from more fields than that count as active: tuples have traits up to that length.
const MOST_KINDS: usize = 8;

struct Forward {
    out: Func,
    varied: Activity,
    dots: Map<Value, Value>,
    slot_dots: Map<Slot, Slot>,
    /// The patterns of parameters in memory.
    params: Map<Slot, Pattern>,
    /// A primal is differentiated.
    first_order: bool,
    /// Parameters that are constant, and references into them.
    constants: Set<Slot>,
    /// See [`copied::again`].
    copied: Set<Value>,
    /// See [`copied::updated`].
    updated: Set<Value>,
    /// Of each value that is computed from fields alone: the kinds of their tangents.
    kinds: Map<Value, Vec<Value>>,
    /// The same of the initial values of variables that aren't `mut`.
    kinds_in: Map<Slot, Vec<Value>>,
}

impl Forward {
    fn run(mut self, func: &Func) -> Func {
        for (k, param) in func.params.iter().enumerate().filter(|(_, p)| !p.constant) {
            self.out.params[k].pattern = self.dual_param(&param.pattern);
        }
        self.out.extra = func.extra.iter().map(|p| self.dual_param(p)).collect();
        let starts = self.equal_lengths(func, func.params.iter().map(|p| &p.pattern));
        let (mut body, result) = self.body(&func.body, &func.result);
        body.ops.splice(0..0, starts);
        self.out.body = body;
        self.out.result = result;
        if let Some(own) = &func.pullback {
            let mut pullback = own.clone();
            pullback.seed = self.dual_param(&pullback.seed);
            for (pattern, param) in pullback.params.iter_mut().zip(&func.params) {
                if !param.constant {
                    *pattern = self.dual_param(pattern);
                }
            }
            let mut ops = self.equal_lengths(func, own.params.iter());
            ops.append(&mut self.region_ops(&pullback.body));
            let mut yields = Vec::new();
            pullback.results = pullback
                .results
                .iter()
                .map(|p| self.dual_result(p, &mut ops, &mut yields))
                .collect();
            pullback.body = Region::new(ops, yields);
            self.out.pullback = Some(pullback);
        }
        self.out
    }

    fn body(&mut self, body: &Region, result: &Pattern) -> (Region, Pattern) {
        let mut ops = self.region_ops(body);
        let mut yields = Vec::new();
        let result = self.dual_result(result, &mut ops, &mut yields);
        (Region::new(ops, yields), result)
    }

    /// Tangents of slices are borrowed anew with the length of their primals.
    fn equal_lengths<'p>(
        &mut self,
        func: &Func,
        patterns: impl Iterator<Item = &'p Pattern>,
    ) -> Vec<Op> {
        let mut ops = Vec::new();
        let params = func.params.iter().zip(patterns);
        for (param, pattern) in params.filter(|(param, _)| !param.constant) {
            pattern.each_leaf(&mut |leaf| {
                if let Pattern::Slot(s) = leaf
                    && matches!(self.out.slot(*s).ty, Ty::Slice(_))
                    && let Some(Pattern::Dual(_, dot)) = self.params.get(s)
                    && let Pattern::Slot(dot) = **dot
                {
                    let mut seq = Seq::new(&mut self.out, &mut ops, param.ident.span());
                    let alias = seq.as_long_as(dot, *s);
                    self.slot_dots.insert(*s, alias);
                }
            });
        }
        ops
    }

    /// A parameter's pattern with each differentiated leaf a dual.
    fn dual_param(&mut self, pattern: &Pattern) -> Pattern {
        match pattern {
            Pattern::Value(v) => {
                let dot = self.dot_value(*v);
                Pattern::dual(pattern.clone(), Pattern::Value(dot))
            }
            // A function's rule has its tangents inside.
            Pattern::Slot(s) if self.out.slot(*s).ty.is_function() => pattern.clone(),
            Pattern::Slot(s) => {
                let dot = match self.params.get(s) {
                    Some(Pattern::Dual(_, dot)) => (**dot).clone(),
                    _ => Pattern::Slot(self.dot_slot(*s)),
                };
                let dual = Pattern::dual(pattern.clone(), dot);
                self.params.insert(*s, dual.clone());
                dual
            }
            Pattern::Dual(a, b) => Pattern::dual(self.dual_param(a), self.dual_param(b)),
            Pattern::CoDual(a, b) => Pattern::codual(self.dual_param(a), self.dual_param(b)),
            Pattern::Unit => Pattern::Unit,
        }
    }

    /// A result's pattern with each leaf a dual; appends the leaves to the yields.
    fn dual_result(
        &mut self,
        pattern: &Pattern,
        ops: &mut Vec<Op>,
        yields: &mut Vec<Value>,
    ) -> Pattern {
        match pattern {
            Pattern::Value(v) => {
                let span = self.out.value(*v).span;
                let dot = match self.dots.get(v) {
                    Some(dot) => *dot,
                    None => zero_like(&mut Seq::new(&mut self.out, ops, span), *v),
                };
                yields.extend([*v, dot]);
                Pattern::dual(Pattern::Value(*v), Pattern::Value(dot))
            }
            Pattern::Dual(a, b) => Pattern::dual(
                self.dual_result(a, ops, yields),
                self.dual_result(b, ops, yields),
            ),
            Pattern::CoDual(..) | Pattern::Slot(_) => bug!("a result made of memory"),
            Pattern::Unit => Pattern::Unit,
        }
    }

    /// The tangent of a varied value, made when first asked for.
    fn dot_value(&mut self, v: Value) -> Value {
        if let Some(dot) = self.dots.get(&v) {
            return *dot;
        }
        let data = self.out.value(v).clone();
        let ty = data.ty.any_tangent();
        let dot = self.out.new_value(ty, dotted(&data.name), data.span);
        self.out.value_mut(dot).unordered = data.unordered;
        self.dots.insert(v, dot);
        dot
    }

    fn dot_slot(&mut self, s: Slot) -> Slot {
        if let Some(dot) = self.slot_dots.get(&s) {
            return *dot;
        }
        let data = self.out.slot(s).clone();
        let ty = if data.ty.is_tape() {
            Ty::Tape
        } else {
            data.ty.any_tangent()
        };
        let dot = self.out.new_slot(SlotData {
            ty,
            name: dotted(&data.name),
            ident: None,
            ..data
        });
        self.slot_dots.insert(s, dot);
        dot
    }

    fn dot(&self, v: Value) -> Option<Value> {
        if self.varied.has(v) {
            self.dots.get(&v).copied()
        } else {
            None
        }
    }

    /// The tangent of a value, be it a zero.
    fn dot_or_zero(&mut self, v: Value, span: Span, ops: &mut Vec<Op>) -> Value {
        match self.dot(v) {
            Some(dot) => dot,
            None => zero_like(&mut Seq::new(&mut self.out, ops, span), v),
        }
    }

    fn dots_or_zeros(&mut self, values: &[Value], span: Span, ops: &mut Vec<Op>) -> Vec<Value> {
        let dots = values.iter().map(|v| self.dot_or_zero(*v, span, ops));
        dots.collect()
    }

    fn dot_place(&mut self, place: &Place) -> Option<Place> {
        self.varied.has_slot(place.root).then(|| Place {
            root: self.dot_slot(place.root),
            path: place.path.clone(),
        })
    }

    fn region_ops(&mut self, region: &Region) -> Vec<Op> {
        let mut ops = Vec::new();
        for op in &region.ops {
            self.op(op, &mut ops);
        }
        ops
    }

    /// Records `dot` as the tangent of the operation's only result.
    fn set(&mut self, op: &Op, dot: Option<Value>) {
        if let (Some(dot), [result]) = (dot, op.results.as_slice()) {
            let name = dotted(&self.out.value(*result).name);
            self.out.values[dot.0 as usize].name = name;
            self.dots.insert(*result, dot);
        }
    }

    fn op(&mut self, op: &Op, ops: &mut Vec<Op>) {
        let span = op.span;
        looking_at(span);
        // The tangents of an operation's operands are made before it, since it may move the primal.
        macro_rules! seq {
            () => {
                Seq::new(&mut self.out, &mut *ops, span)
            };
        }
        let varied = op.results.iter().any(|r| self.varied.has(*r));
        match &op.kind {
            OpKind::If { cond, then, other } => self.branch(op, *cond, then, other, ops),
            OpKind::For { .. } | OpKind::Loop { .. } => self.repeat(op, ops),
            OpKind::Call(call) if call.rule != Rule::Primal => self.call(op, call, ops),
            OpKind::ApplyPullback(apply) => self.apply(op, apply, ops),
            OpKind::Combined(call) => self.combined_call(op, call, ops),
            OpKind::Init(s, v) => {
                if self.varied.has_slot(*s) {
                    let dot = self.dot_or_zero(*v, span, ops);
                    let s_dot = self.dot_slot(*s);
                    let slot = self.out.slot(*s);
                    if slot.frozen
                        && slot.kind == SlotKind::Owned
                        && let Some(kinds) = self.kinds.get(v)
                    {
                        self.kinds_in.insert(*s, kinds.clone());
                    }
                    seq!().push(OpKind::Init(s_dot, dot));
                }
                ops.push(op.clone());
            }
            OpKind::Borrow(alias, place) => {
                ops.push(op.clone());
                if let Some(place_dot) = self.dot_place(place) {
                    let alias_dot = self.dot_slot(*alias);
                    self.out.slots[alias_dot.0 as usize].in_field =
                        self.out.is_in_field(&place_dot);
                    seq!().push(OpKind::Borrow(alias_dot, place_dot));
                }
            }
            OpKind::Load(place) | OpKind::CloneOf(place) | OpKind::PushPlaceholder(place) => {
                ops.push(op.clone());
                if varied && let Some(place_dot) = self.dot_place(place) {
                    if let Some(kinds) = self.kinds_in.get(&place.root) {
                        self.kinds.insert(op.results[0], kinds.clone());
                    } else if self.out.is_in_field(&place_dot) {
                        let kind = self.kind_of(&place_dot, span, ops);
                        self.kinds.insert(op.results[0], vec![kind]);
                    }
                    let dot = self.dot_value(op.results[0]);
                    let kind = match op.kind {
                        _ if place_dot.through_field()
                            || self.out.slot(place_dot.root).in_field =>
                        {
                            OpKind::FieldTangent {
                                primal: op.results[0],
                                tangent: place_dot,
                                clone: !matches!(op.kind, OpKind::Load(_))
                                    || self.updated.contains(&op.results[0]),
                            }
                        }
                        OpKind::Load(_) if self.copied.contains(&op.results[0]) => {
                            OpKind::CloneOf(place_dot)
                        }
                        OpKind::Load(_) => OpKind::Load(place_dot),
                        OpKind::PushPlaceholder(_) => OpKind::PushPlaceholder(place_dot),
                        _ => OpKind::CloneOf(place_dot),
                    };
                    ops.push(Op::new(kind, vec![dot], span));
                }
            }
            OpKind::Store(place, v) => {
                // A list of integers may be longer than its tangent: its elements have none.
                let active = !self.out.lacks_tangent(place);
                let place_dot = active.then(|| self.dot_place(place)).flatten();
                let dot = place_dot.map(|place| (place, self.dot_or_zero(*v, span, ops)));
                // The operation may determine the type of the place, and the check needs the type of its tangent.
                ops.push(op.clone());
                if let Some((place_dot, dot)) = dot {
                    self.ask(&place_dot, *v, span, ops);
                    seq!().push(OpKind::Store(place_dot, dot));
                }
            }
            OpKind::Replace(place, v) => {
                if let Some(place_dot) = self.dot_place(place) {
                    self.ask(&place_dot, *v, span, ops);
                    let dot = self.dot_or_zero(*v, span, ops);
                    ops.push(op.clone());
                    let old_dot = self.dot_value(op.results[0]);
                    // A value that was in a constant field has a zero tangent.
                    let in_field = self.out.is_in_field(&place_dot) && !self.out.is_in_field(place);
                    let kind = if in_field {
                        OpKind::FieldTangent {
                            primal: op.results[0],
                            tangent: place_dot.clone(),
                            clone: true,
                        }
                    } else {
                        OpKind::Replace(place_dot.clone(), dot)
                    };
                    ops.push(Op::new(kind, vec![old_dot], span));
                    if in_field {
                        seq!().push(OpKind::Store(place_dot, dot));
                    }
                } else {
                    ops.push(op.clone());
                }
            }
            OpKind::Swap(a, b) => {
                ops.push(op.clone());
                if !self.out.lacks_tangent(a)
                    && let (Some(a), Some(b)) = (self.dot_place(a), self.dot_place(b))
                {
                    self.ask_both(&a, &b, span, ops);
                    seq!().push(OpKind::Swap(a, b));
                }
            }
            OpKind::Accumulate(place, v) => {
                let dot = self.dot(*v);
                if let (Some(dot), Some(place_dot)) = (dot, self.dot_place(place)) {
                    self.ask(&place_dot, *v, span, ops);
                    seq!().push(OpKind::Accumulate(place_dot, dot));
                }
                ops.push(op.clone());
            }
            OpKind::AccumulatePlace { to, from } => {
                ops.push(op.clone());
                if let (Some(to), Some(from)) = (self.dot_place(to), self.dot_place(from)) {
                    seq!().push(OpKind::AccumulatePlace { to, from });
                }
            }
            OpKind::SetZero(place) => {
                ops.push(op.clone());
                if let Some(place_dot) = self.dot_place(place) {
                    seq!().push(OpKind::SetZero(place_dot));
                }
            }
            OpKind::NewTape(tape, capacity) => {
                ops.push(op.clone());
                if self.varied.has_slot(*tape) {
                    let tape_dot = self.dot_slot(*tape);
                    seq!().push(OpKind::NewTape(tape_dot, *capacity));
                }
            }
            // An entry of the tape gets the tangents of its varied values too.
            OpKind::Push(tape, values) => {
                let mut all = values.clone();
                // Varied values whose tangent is zero keep their position: the pop can't know.
                for k in self.varied_among(values) {
                    all.push(self.dot_or_zero(values[k], span, ops));
                }
                seq!().push(OpKind::Push(*tape, all));
            }
            OpKind::Pop(tape) => {
                let mut results = op.results.clone();
                for r in &op.results {
                    if self.varied.has(*r) {
                        results.push(self.dot_value(*r));
                    }
                }
                ops.push(Op::new(OpKind::Pop(*tape), results, span));
            }
            OpKind::Run { run, tape, .. } => {
                ops.push(op.clone());
                if self.varied.has_slot(*tape) {
                    let (run_dot, tape_dot) = (self.dot_slot(*run), self.dot_slot(*tape));
                    let mut dot = op.clone();
                    if let OpKind::Run { run, tape, .. } = &mut dot.kind {
                        (*run, *tape) = (run_dot, tape_dot);
                    }
                    ops.push(dot);
                }
            }
            OpKind::PushSlot(tape, s) | OpKind::PopSlot(tape, s) => {
                ops.push(op.clone());
                if self.varied.has_slot(*s) {
                    let (tape_dot, s_dot) = (self.dot_slot(*tape), self.dot_slot(*s));
                    seq!().push(match op.kind {
                        OpKind::PushSlot(..) => OpKind::PushSlot(tape_dot, s_dot),
                        _ => OpKind::PopSlot(tape_dot, s_dot),
                    });
                }
            }
            OpKind::Untuple(v) => {
                ops.push(op.clone());
                if let Some(v_dot) = self.dot(*v) {
                    let results = op.results.iter().map(|r| self.dot_value(*r)).collect();
                    ops.push(Op::new(OpKind::Untuple(v_dot), results, span));
                }
            }
            // An aggregate consumes its parts, so the tangents of those that have none come first.
            OpKind::Tuple(vs) if varied => {
                let dots = self.dots_or_zeros(vs, span, ops);
                self.aggregate(op, OpKind::Tuple(dots), ops);
            }
            OpKind::Array { elems, vec } if varied => {
                let elems = self.dots_or_zeros(elems, span, ops);
                self.aggregate(op, OpKind::Array { elems, vec: *vec }, ops);
            }
            OpKind::Repeat { elem, len } if varied => {
                let elem = self.dot_or_zero(*elem, span, ops);
                let len = len.clone();
                self.aggregate(op, OpKind::Repeat { elem, len }, ops);
            }
            OpKind::Unpack {
                value,
                path,
                members,
            } => {
                ops.push(op.clone());
                if let Some(dot) = self.dot(*value) {
                    self.unpacked(op, dot, path, members, ops);
                }
            }
            OpKind::Boxed(v) | OpKind::Unboxed(v) if varied => {
                if let Some(dot) = self.dot(*v) {
                    let mut of_tangent = op.clone();
                    of_tangent.each_operand_mut(&mut |v| *v = dot);
                    self.aggregate(op, of_tangent.kind, ops);
                }
            }
            OpKind::Coerce { site, value, form } if varied => {
                if let Some(dot) = self.dot(*value) {
                    let kind = OpKind::Coerce {
                        site: *site,
                        value: dot,
                        form: form.of_tangent(),
                    };
                    self.aggregate(op, kind, ops);
                }
            }
            OpKind::Struct {
                path,
                variant,
                fields,
                base,
                ..
            } if varied => {
                let active = fields.iter().filter(|(_, v)| self.dot(*v).is_some());
                let kinds = if self.first_order {
                    let kinds = |(_, v): &(_, Value)| self.kinds.get(v).cloned();
                    active
                        .map(|field| kinds(field).unwrap_or_default())
                        .collect()
                } else {
                    Vec::new()
                };
                let kind = OpKind::StructTangent {
                    primal: op.results[0],
                    variant: variant.then(|| path.clone()),
                    fields: self.dot_fields(fields),
                    kinds,
                    base: base.and_then(|b| self.dot(b)),
                    zeros: self.zero_fields(fields, *base),
                };
                self.aggregate(op, kind, ops);
            }
            OpKind::FieldTangent {
                primal,
                tangent,
                clone,
            } if self.varied.has_slot(tangent.root) => {
                ops.push(op.clone());
                if let Some(tangent) = self.dot_place(tangent) {
                    let dot = self.dot_value(op.results[0]);
                    let kind = OpKind::FieldTangent {
                        primal: *primal,
                        tangent,
                        clone: *clone,
                    };
                    ops.push(Op::new(kind, vec![dot], span));
                }
            }
            OpKind::StructTangent {
                variant,
                fields,
                base,
                zeros,
                ..
            } if varied => {
                let more = self.zero_fields(fields, *base);
                let base = base.and_then(|b| self.dot(b));
                let kept = zeros.iter().filter(|_| base.is_some()).cloned();
                let zeros = kept.chain(more).collect();
                let kind = OpKind::StructTangent {
                    primal: op.results[0],
                    variant: variant.clone(),
                    fields: self.dot_fields(fields),
                    kinds: Vec::new(),
                    base,
                    zeros,
                };
                self.aggregate(op, kind, ops);
            }
            _ => {
                ops.push(op.clone());
                if varied {
                    self.join_kinds(op);
                    let dot = self.scalar(op, ops);
                    self.set(op, dot);
                }
            }
        }
    }

    /// The tangents of the fields that have one.
    fn dot_fields(&self, fields: &[(syn::Member, Value)]) -> Vec<(syn::Member, Value)> {
        let dot = |(m, v): &(syn::Member, Value)| Some((m.clone(), self.dot(*v)?));
        fields.iter().filter_map(dot).collect()
    }

    /// The fields that have no tangent, where others have that of the base.
    fn zero_fields(
        &self,
        fields: &[(syn::Member, Value)],
        base: Option<Value>,
    ) -> Vec<syn::Member> {
        let has_base = base.is_some_and(|base| self.dot(base).is_some());
        let fields = fields.iter().filter(|(_, v)| {
            has_base && self.dot(*v).is_none() && self.out.ty(*v).may_have_tangent()
        });
        fields.map(|(member, _)| member.clone()).collect()
    }

    fn aggregate(&mut self, op: &Op, dot: OpKind, ops: &mut Vec<Op>) {
        ops.push(op.clone());
        let result = self.dot_value(op.results[0]);
        ops.push(Op::new(dot, vec![result], op.span));
    }

    /// The tangents of a variant's payload.
    fn unpacked(
        &mut self,
        op: &Op,
        dot: Value,
        path: &syn::Path,
        members: &[syn::Member],
        ops: &mut Vec<Op>,
    ) {
        let mut seq = Seq::new(&mut self.out, ops, op.span);
        let slot = seq.init(dot, "tangent");
        for (result, member) in op.results.iter().zip(members) {
            if !self.varied.has(*result) {
                continue;
            }
            let place = Place::new(slot, vec![Proj::Variant(path.clone(), member.clone())]);
            let kind = if place.through_field() {
                OpKind::FieldTangent {
                    primal: *result,
                    tangent: place,
                    clone: !self.out.ty(*result).is_float(),
                }
            } else {
                OpKind::copy_of(place, self.out.ty(*result))
            };
            let results = vec![self.dot_value(*result)];
            ops.push(Op::new(kind, results, op.span));
        }
    }

    /// The tangent of a pure operation's result.
    fn scalar(&mut self, op: &Op, ops: &mut Vec<Op>) -> Option<Value> {
        let y = op.results[0];
        let dots: Map<Value, Value> = op
            .operands()
            .iter()
            .filter_map(|v| Some((*v, self.dot(*v)?)))
            .collect();
        let dot = |v: &Value| dots.get(v).copied();
        let mut s = Seq::new(&mut self.out, ops, op.span);
        match &op.kind {
            OpKind::Unary(_, a) => dot(a).map(|a| s.neg(a)),
            OpKind::Cast(a) => {
                let ty = s.func.ty(y).clone();
                dot(a).map(|a| s.cast(a, &ty))
            }
            OpKind::Binary(BinaryOp::Add, a, b) => sum(&mut s, dot(a), dot(b)),
            OpKind::Binary(BinaryOp::Sub, a, b) => difference(&mut s, dot(a), dot(b)),
            OpKind::Binary(BinaryOp::Mul, a, b) => {
                let left = dot(a).map(|a_dot| s.mul(a_dot, *b));
                let right = dot(b).map(|b_dot| s.mul(*a, b_dot));
                sum(&mut s, left, right)
            }
            // (a_dot - y b_dot) / b, strong in both tangents: y is infinite or NaN where b is zero.
            OpKind::Binary(BinaryOp::Div, a, b) => {
                let right = dot(b).map(|b_dot| s.strong_mul(b_dot, y));
                let numerator = difference(&mut s, dot(a), right)?;
                Some(s.strong_div(numerator, *b))
            }
            // a - b q with a whole q
            OpKind::Binary(BinaryOp::Rem, a, b) => {
                let right = dot(b).map(|b_dot| {
                    let q = quotient(&mut s, *a, *b, y);
                    s.strong_mul(b_dot, q)
                });
                difference(&mut s, dot(a), right)
            }
            OpKind::Math(f, args) => {
                let mut total = None;
                for (k, arg) in args.iter().enumerate() {
                    if let Some(arg_dot) = dot(arg) {
                        let p = partial(&mut s, f, args, y, k);
                        let term = times(&mut s, arg_dot, p);
                        total = sum(&mut s, total, term);
                    }
                }
                total
            }
            OpKind::Select(cond, a, b) => {
                let (a_dot, b_dot) = (dot(a), dot(b));
                let a_dot = a_dot.unwrap_or_else(|| zero_like(&mut s, *a));
                let b_dot = b_dot.unwrap_or_else(|| zero_like(&mut s, *b));
                Some(s.select(*cond, a_dot, b_dot))
            }
            // Strong in both terms: where the cotangent vanishes for any reason, so does its factor.
            OpKind::StrongMul(a, p) => {
                let left = dot(a).map(|a_dot| s.strong_mul(a_dot, *p));
                let right = dot(p).map(|p_dot| s.strong_mul(*a, p_dot));
                sum(&mut s, left, right)
            }
            // As above, where the cotangent `y` vanishes if `a` does.
            OpKind::StrongDiv(a, b) => {
                let right = dot(b).map(|b_dot| s.strong_mul(y, b_dot));
                let numerator = difference(&mut s, dot(a), right)?;
                Some(s.strong_div(numerator, *b))
            }
            OpKind::TangentSum(a, b) => match (dot(a), dot(b)) {
                (Some(a), Some(b)) => Some(s.tangent_sum(a, b)),
                (a, b) => a.or(b),
            },
            OpKind::Field(a, member) => {
                let a = dot(a)?;
                let ty = s.func.ty(y).tangent()?;
                Some(s.value(OpKind::Field(a, member.clone()), ty, "t"))
            }
            _ => None,
        }
    }

    fn branch(&mut self, op: &Op, cond: Value, then: &Region, other: &Region, ops: &mut Vec<Op>) {
        let varied = self.varied_among(&op.results);
        let [then, other] = [then, other].map(|region| {
            let mut ops = self.region_ops(region);
            let mut yields = region.yields.clone();
            if !region.diverges() {
                for k in &varied {
                    yields.push(self.dot_or_zero(region.yields[*k], op.span, &mut ops));
                }
            }
            Region::new(ops, yields)
        });
        let mut results = op.results.clone();
        results.extend(varied.iter().map(|k| self.dot_value(op.results[*k])));
        ops.push(Op::new(OpKind::If { cond, then, other }, results, op.span));
    }

    /// The positions of the varied values.
    fn varied_among(&self, values: &[Value]) -> Vec<usize> {
        let positions = 0..values.len();
        positions.filter(|k| self.varied.has(values[*k])).collect()
    }

    fn repeat(&mut self, op: &Op, ops: &mut Vec<Op>) {
        let mut new = op.clone();
        let (init, body, leading) = match &mut new.kind {
            OpKind::For {
                range, init, body, ..
            } => {
                range.forget_checkpoints();
                (init, body, 1)
            }
            OpKind::Loop { init, body } => (init, body, 0),
            _ => bug!("not a loop"),
        };
        let params: Vec<Value> = body.params[leading..].to_vec();
        let skipped = body.yields.len() - params.len();
        let varied = self.varied_among(&params);
        for k in &varied {
            let dot = self.dot_or_zero(init[*k], op.span, ops);
            init.push(dot);
            let param_dot = self.dot_value(params[*k]);
            body.params.push(param_dot);
        }
        let mut inner = self.region_ops(body);
        for k in &varied {
            let y = body.yields[skipped + *k];
            body.yields.push(self.dot_or_zero(y, op.span, &mut inner));
            new.results.push(self.dot_value(op.results[*k]));
        }
        body.ops = inner;
        ops.push(new);
    }

    fn dot_arg(&mut self, arg: &Arg) -> Option<Arg> {
        Some(match arg {
            Arg::Value(v) => Arg::Value(self.dot(*v)?),
            Arg::Ref(p) => Arg::Ref(self.dot_place(p)?),
            Arg::Mut(p) => Arg::Mut(self.dot_place(p)?),
            Arg::Receiver(p) => Arg::Receiver(self.dot_place(p)?),
            Arg::Function(_) => return None,
        })
    }

    fn call(&mut self, op: &Op, call: &Call, ops: &mut Vec<Op>) {
        let tangents: Vec<_> = call.args.iter().map(|a| self.dot_arg(a)).collect();
        let lent = self.lends(call, &tangents, op.span, ops);
        let kinds = (call.args.iter())
            .map(|arg| self.kinds_of(arg, !lent.is_empty(), op.span, ops))
            .collect();
        let args = (call.args.iter()).map(|arg| self.rule_arg(arg)).collect();
        let mut results = op.results.clone();
        if call.callee.is_operator() {
            self.join_kinds(op);
        }
        let rule = match call.rule {
            Rule::Active if !call.is_functional() && tangents.iter().all(Option::is_none) => {
                Rule::Primal
            }
            // To an integer: emission has rustc check that nothing is lost.
            Rule::Active
                if matches!(call.callee, Callee::Cast)
                    && !self.out.ty(op.results[0]).may_have_tangent() =>
            {
                Rule::Primal
            }
            Rule::Active => {
                results.push(self.dot_value(op.results[0]));
                Rule::Frule
            }
            Rule::Rrule => {
                results.insert(1, self.dot_value(op.results[0]));
                Rule::RruleFrule
            }
            _ => bug!("forward mode over a rule of second order"),
        };
        let tangents = if rule == Rule::Primal {
            Vec::new()
        } else {
            tangents
        };
        let call = Call {
            callee: call.callee.clone(),
            rule,
            args,
            kinds,
            lent,
            views: call.views.clone(),
            at: call.at.clone(),
            dropped: call.dropped && tangents.iter().skip(1).any(Option::is_some),
            tangents,
            clone_receiver: call.clone_receiver,
            split: call.split,
        };
        ops.push(Op::new(OpKind::Call(Box::new(call)), results, op.span));
    }

    /// A value that is computed from values of fields alone counts as one of these fields, too.
    fn join_kinds(&mut self, op: &Op) {
        let mut all = Vec::new();
        for v in op.operands().iter().filter(|v| self.varied.has(**v)) {
            match self.kinds.get(v) {
                Some(kinds) => all.extend(kinds),
                None => return,
            }
        }
        all.sort_unstable();
        all.dedup();
        if all.len() > MOST_KINDS {
            return;
        }
        for result in &op.results {
            self.kinds.insert(*result, all.clone());
        }
    }

    /// Before an active value gets into a field: rustc knows whether that is constant.
    fn ask(&mut self, field: &Place, v: Value, span: Span, ops: &mut Vec<Op>) {
        if !self.first_order || !self.out.is_in_field(field) {
            return;
        }
        let Some(dot) = self.dot(v) else { return };
        let of = self.kinds.get(&v).cloned().unwrap_or_else(|| vec![dot]);
        let kind = self.kind_of(field, span, ops);
        ops.push(Op::new(OpKind::Ask { kind, of }, Vec::new(), span));
    }

    /// Before two tangents are exchanged.
    fn ask_both(&mut self, a: &Place, b: &Place, span: Span, ops: &mut Vec<Op>) {
        if !self.first_order || !self.out.is_in_field(a) && !self.out.is_in_field(b) {
            return;
        }
        let (a, b) = (self.kind_of(a, span, ops), self.kind_of(b, span, ops));
        for (kind, of) in [(a, b), (b, a)] {
            let kind = OpKind::Ask { kind, of: vec![of] };
            let func = &mut self.out;
            Seq::new(func, ops, span).push(kind);
        }
    }

    fn kind_of(&mut self, field: &Place, span: Span, ops: &mut Vec<Op>) -> Value {
        let func = &mut self.out;
        Seq::new(func, ops, span).value(OpKind::KindOf(field.clone()), Ty::Rule, "kind")
    }

    /// Classifies an argument that the callee may write to: active, constant, or in a field.
    fn lent(&mut self, arg: &Arg, tangent: Option<&Arg>, span: Span, ops: &mut Vec<Op>) -> Lent {
        match (arg, tangent) {
            (Arg::Mut(_), Some(Arg::Mut(dot))) | (Arg::Receiver(_), Some(Arg::Receiver(dot)))
                if self.out.is_in_field(dot) =>
            {
                Lent::Field(self.kind_of(dot, span, ops))
            }
            (Arg::Mut(place) | Arg::Receiver(place), None)
                if self.constants.contains(&place.root)
                    || matches!(arg, Arg::Mut(_))
                        && self.out.slot(place.root).ty.may_have_tangent() =>
            {
                Lent::Constant
            }
            _ => Lent::Active,
        }
    }

    /// The kinds of the fields that an argument comes from, if it comes from nothing else. Of a closure, if it is wanted, those of its captures.
    fn kinds_of(&mut self, arg: &Arg, captures: bool, span: Span, ops: &mut Vec<Op>) -> Vec<Value> {
        match arg {
            Arg::Value(v) => self.kinds.get(v).cloned().unwrap_or_default(),
            Arg::Function(Function::Closure(closure)) if captures => {
                self.captured(closure, span, ops)
            }
            _ => Vec::new(),
        }
    }

    /// The tangents and kinds of active values around a closure that it uses.
    fn captured(&mut self, closure: &Closure, span: Span, ops: &mut Vec<Op>) -> Vec<Value> {
        let (mut values, mut slots) = (Set::default(), Set::default());
        closure.body.walk(&mut |op| {
            values.extend(op.operands());
            slots.extend(op.slots().iter().map(|(slot, _)| *slot));
        });
        values.extend(&closure.body.yields);
        let mut all = Vec::new();
        for v in values {
            if let Some(dot) = self.dot(v) {
                all.extend(self.kinds.get(&v).cloned().unwrap_or_else(|| vec![dot]));
            }
        }
        for slot in slots {
            if let (true, Some(dot)) = (self.varied.has_slot(slot), self.slot_dots.get(&slot)) {
                all.push(self.kind_of(&Place::whole(*dot), span, ops));
            }
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The same for each argument. Empty if the callee writes to no constant one.
    fn lends(
        &mut self,
        call: &Call,
        tangents: &[Option<Arg>],
        span: Span,
        ops: &mut Vec<Op>,
    ) -> Vec<Lent> {
        if call.rule != Rule::Active || !self.first_order {
            return Vec::new();
        }
        let lent: Vec<Lent> = (call.args.iter().zip(tangents))
            .map(|(arg, tangent)| self.lent(arg, tangent.as_ref(), span, ops))
            .collect();
        if lent.iter().all(|lent| *lent == Lent::Active) {
            return Vec::new();
        }
        lent
    }

    /// An argument of a rule: of a function, its rule.
    fn rule_arg(&mut self, arg: &Arg) -> Arg {
        match arg {
            Arg::Function(function) => Arg::Function(self.function(function)),
            arg => arg.clone(),
        }
    }

    fn function(&mut self, function: &Function) -> Function {
        match function {
            Function::Closure(closure) => Function::Closure(Box::new(self.closure(closure))),
            other => other.clone(),
        }
    }

    /// `|t| r` becomes `|Dual(t, t_dot)| Dual(r, r_dot)`.
    fn closure(&mut self, closure: &Closure) -> Closure {
        let seed = closure.seed.as_ref().map(|seed| self.dual_param(seed));
        let params = (closure.params.iter())
            .map(|param| self.dual_param(param))
            .collect();
        let mut ops = self.region_ops(&closure.body);
        let mut yields = Vec::new();
        let results = (closure.yielded().iter())
            .map(|result| match result {
                // A reverse half returns nothing for a reference, in any order.
                Pattern::Unit if closure.seed.is_none() => {
                    Pattern::dual(Pattern::Unit, Pattern::Unit)
                }
                result => self.dual_result(result, &mut ops, &mut yields),
            })
            .collect();
        let links = closure.links.as_ref().map(|links| {
            let mut all = links.clone();
            for link in links {
                if self.varied.has_slot(*link) {
                    all.push(self.dot_slot(*link));
                }
            }
            all
        });
        let mut dual = Closure {
            seed,
            params,
            links,
            body: Region::new(ops, yields),
            results,
        };
        dual.list_params();
        dual
    }

    fn apply(&mut self, op: &Op, apply: &ApplyPullback, ops: &mut Vec<Op>) {
        let mut apply = apply.clone();
        let seed_dot = self.dot_or_zero(apply.seed[0], op.span, ops);
        apply.seed.push(seed_dot);
        let mut results = Vec::new();
        let mut old = op.results.iter();
        for arg in &mut apply.args {
            match arg {
                PullArg::Nothing | PullArg::Open | PullArg::Inactive(_) => {}
                PullArg::Function(function) => *function = self.function(function),
                PullArg::Value { zero, .. } => {
                    if let Some(first) = zero.first().copied() {
                        let mut s = Seq::new(&mut self.out, ops, op.span);
                        zero.push(zero_like(&mut s, first));
                    }
                    if let Some(r) = old.next() {
                        results.extend([*r, self.dot_value(*r)]);
                    }
                }
                PullArg::Shadow { primal, shadow } => {
                    self.dual_shadow(primal, shadow, op, ops);
                }
            }
        }
        let kind = OpKind::ApplyPullback(Box::new(apply));
        ops.push(Op::new(kind, results, op.span));
    }

    /// `y, x_bar = f::combined(x, y_bar)` becomes `y, y_dot, x_bar, x_bar_dot = f::combined(x, x_dot, y_bar, y_bar_dot)`
    fn combined_call(&mut self, op: &Op, call: &CombinedCall, ops: &mut Vec<Op>) {
        let mut call = call.clone();
        if call.seed.len() > 1 {
            bug!("forward mode over a rule of second order")
        }
        let seed_dot = self.dot_or_zero(call.seed[0], op.span, ops);
        call.seed.push(seed_dot);
        for arg in &mut call.args {
            match arg {
                CombinedArg::Inactive(_) | CombinedArg::Constant(_) => {}
                CombinedArg::Value { given, zero: bar } => {
                    given.extend(self.dot(given[0]));
                    if let Some(first) = bar.first().copied() {
                        let mut s = Seq::new(&mut self.out, ops, op.span);
                        bar.push(zero_like(&mut s, first));
                    }
                }
                CombinedArg::Shadow { primal, shadow } => {
                    self.dual_shadow(primal, shadow, op, ops);
                }
            }
        }
        let results = op.results.iter();
        let results = results.flat_map(|r| [*r, self.dot_value(*r)]).collect();
        ops.push(Op::new(OpKind::Combined(Box::new(call)), results, op.span));
    }

    /// Adds the tangents of a reference and of its shadow.
    fn dual_shadow(
        &mut self,
        primal: &mut Vec<Arg>,
        shadow: &mut Vec<Place>,
        op: &Op,
        ops: &mut Vec<Op>,
    ) {
        // A reference that is inactive at this order still has a shadow: its tangent is a zero of its own.
        match self.dot_arg(&primal[0]) {
            Some(dot) => primal.push(dot),
            None => self.zero_arg(primal, ops, op),
        }
        shadow.extend(self.dot_place(&shadow[0]));
    }

    /// Adds a zero tangent for a reference that has none.
    fn zero_arg(&mut self, primal: &mut Vec<Arg>, ops: &mut Vec<Op>, op: &Op) {
        let Some(place) = primal[0].place().cloned() else {
            return;
        };
        let ty = self.out.slot(place.root).ty.clone();
        let mut s = Seq::new(&mut self.out, ops, op.span);
        let zero = s.value(OpKind::ZeroOf(place), Ty::Tangent(Box::new(ty)), "zero");
        let slot = s.init(zero, "zero");
        let place = Place::whole(slot);
        primal.push(match primal[0] {
            Arg::Ref(_) => Arg::Ref(place),
            Arg::Mut(_) => Arg::Mut(place),
            _ => Arg::Receiver(place),
        });
    }
}

/// A zero tangent for a value.
pub(crate) fn zero_like(s: &mut Seq<'_>, v: Value) -> Value {
    let ty = s.func.ty(v).clone();
    if ty.is_float() {
        return s.zero(&ty);
    }
    let ty = ty.any_tangent();
    s.value(OpKind::ZeroLike(v), ty, "zero")
}

fn sum(s: &mut Seq<'_>, a: Option<Value>, b: Option<Value>) -> Option<Value> {
    match (a, b) {
        (Some(a), Some(b)) => Some(s.add(a, b)),
        (a, b) => a.or(b),
    }
}

/// The difference of two tangents, each of which may be structurally zero.
fn difference(s: &mut Seq<'_>, a: Option<Value>, b: Option<Value>) -> Option<Value> {
    match (a, b) {
        (Some(a), Some(b)) => Some(s.sub(a, b)),
        (None, Some(b)) => Some(s.neg(b)),
        (a, None) => a,
    }
}

fn dotted(name: &str) -> String {
    format!("{name}_dot")
}

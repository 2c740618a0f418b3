//! Reads and writes of an operation, without the regions that it owns, and walks over nested regions.

use super::{
    Adapter, Arg, Callee, Capacity, Closure, CombinedArg, DenseSet, Function, Lent, Op, OpKind,
    Pattern, Place, Proj, PullArg, Range, Region, RepeatLen, Slot, Use, Value,
};

/// How an operation touches a slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Access {
    Read,
    Write,
    /// Passed by `&mut`, or a receiver: both.
    Both,
    /// Declares the slot.
    Declare,
}

/// The values that a loop carries, position by position.
pub(crate) struct Carried<'o> {
    pub(crate) init: &'o [Value],
    pub(crate) body: &'o Region,
    pub(crate) params: &'o [Value],
    pub(crate) yields: &'o [Value],
    results: &'o [Value],
}

impl Carried<'_> {
    /// For each position: the initial value, the parameter of a trip, the value that is passed to the next trip, and the result.
    pub(crate) fn positions(&self) -> impl Iterator<Item = [Value; 4]> {
        let inside = self.params.iter().zip(self.yields);
        let outside = self.init.iter().zip(self.results);
        (outside.zip(inside)).map(|((init, result), (param, next))| [*init, *param, *next, *result])
    }
}

/// Something that an operation itself reads or touches.
enum Part<V, P> {
    Value(V),
    Place(P, Access),
    Slot(Slot, Access),
}

/// The visitors of an operation's operands, places and regions, by reference and by unique reference.
macro_rules! visitors {
    ($each_part:ident, $each_operand:ident, $each_place:ident, $each_region:ident, $each_value:ident, $each_closure:ident, $closures:ident, $closure:ident, $operands:ident, $iter:ident $(, $unique:tt)?) => {
impl Op {
    /// Calls `f` on the values, places and slots that the operation itself reads or touches, in their order.
    fn $each_part(&$($unique)? self, f: &mut dyn FnMut(Part<&$($unique)? Value, &$($unique)? Place>)) {
        use Part::{Place as P, Slot as S, Value as V};
        use Access::{Both, Declare, Read, Write};
        match &$($unique)? self.kind {
            OpKind::Const(_) | OpKind::Unreachable | OpKind::CoercionSites(_) => {}
            OpKind::Pop(slot) => f(S(*slot, Both)),
            OpKind::Push(slot, values) => {
                f(S(*slot, Both));
                values.$iter().for_each(|v| f(V(v)));
            }
            OpKind::PushSlot(tape, slot) => {
                f(S(*tape, Both));
                f(S(*slot, Read));
            }
            OpKind::PopSlot(tape, slot) => {
                f(S(*tape, Both));
                f(S(*slot, Declare));
            }
            OpKind::Run { run, tape, lo, hi, .. } => {
                f(S(*tape, Both));
                f(S(*run, Declare));
                f(V(lo));
                f(V(hi));
            }
            OpKind::NewTape(slot, capacity) => {
                f(S(*slot, Declare));
                if let Capacity::Known(n) = capacity {
                    f(V(n));
                }
            }
            OpKind::Init(slot, a) => {
                f(S(*slot, Declare));
                f(V(a));
            }
            OpKind::Ask { kind, of } => {
                f(V(kind));
                of.$iter().for_each(|v| f(V(v)));
            }
            OpKind::Unary(_, a)
            | OpKind::Cast(a)
            | OpKind::Untuple(a)
            | OpKind::Field(a, _)
            | OpKind::ZeroLike(a)
            | OpKind::Unpack { value: a, .. }
            | OpKind::Boxed(a)
            | OpKind::Unboxed(a)
            | OpKind::If { cond: a, .. } => f(V(a)),
            OpKind::Binary(_, a, b)
            | OpKind::StrongMul(a, b)
            | OpKind::StrongDiv(a, b)
            | OpKind::TangentSum(a, b)
            | OpKind::Coerce { site: a, value: b, .. } => {
                f(V(a));
                f(V(b));
            }
            OpKind::Select(a, b, c) => {
                f(V(a));
                f(V(b));
                f(V(c));
            }
            OpKind::Math(_, values)
            | OpKind::Tuple(values)
            | OpKind::Array { elems: values, .. }
            | OpKind::Loop { init: values, .. } => values.$iter().for_each(|v| f(V(v))),
            OpKind::Repeat { elem, len } => {
                f(V(elem));
                if let RepeatLen::Vec(n) = len {
                    f(V(n));
                }
            }
            OpKind::Struct { fields, base, .. } => {
                fields.$iter().for_each(|(_, v)| f(V(v)));
                base.$iter().for_each(|v| f(V(v)));
            }
            OpKind::StructTangent {
                primal,
                fields,
                kinds,
                base,
                ..
            } => {
                f(V(primal));
                fields.$iter().for_each(|(_, v)| f(V(v)));
                kinds.$iter().flatten().for_each(|v| f(V(v)));
                base.$iter().for_each(|v| f(V(v)));
            }
            OpKind::FieldTangent { primal, tangent, .. } => {
                f(V(primal));
                f(P(tangent, Read));
            }
            OpKind::Borrow(slot, p) => {
                f(S(*slot, Declare));
                f(P(p, Read));
            }
            OpKind::Load(p)
            | OpKind::Len(p)
            | OpKind::ZeroOf(p)
            | OpKind::Unique(p)
            | OpKind::PushPlaceholder(p)
            | OpKind::KindOf(p)
            | OpKind::CloneOf(p) => f(P(p, Read)),
            OpKind::SetZero(p) => f(P(p, Write)),
            OpKind::Store(p, v) => {
                f(P(p, Write));
                f(V(v));
            }
            OpKind::Replace(p, v) | OpKind::Accumulate(p, v) => {
                f(P(p, Both));
                f(V(v));
            }
            OpKind::ZeroLeft(p, v) => {
                f(P(p, Read));
                f(V(v));
            }
            OpKind::Locate { place, lookup, .. } => {
                f(P(place, Read));
                lookup.$operands().$iter().for_each(|v| f(V(v)));
            }
            OpKind::AccumulatePlace { to, from } => {
                f(P(to, Both));
                f(P(from, Read));
            }
            OpKind::Swap(a, b) => {
                f(P(a, Both));
                f(P(b, Both));
            }
            OpKind::Sum { parts, .. } => parts.$iter().for_each(|p| f(P(p, Read))),
            OpKind::For { range, init, .. } => {
                f(V(&$($unique)? range.lo));
                f(V(&$($unique)? range.hi));
                for adapter in &$($unique)? range.adapters {
                    if let Adapter::StepBy(k) | Adapter::Checkpoint(k) = adapter {
                        f(V(k));
                    }
                }
                init.$iter().for_each(|v| f(V(v)));
            }
            OpKind::Call(call) => {
                if let Callee::Function(slot) = call.callee {
                    f(S(slot, Both));
                }
                call.kinds.$iter().flatten().for_each(|v| f(V(v)));
                for lent in call.lent.$iter() {
                    if let Lent::Field(kind) = lent {
                        f(V(kind));
                    }
                }
                let args = call.args.$iter().chain(call.tangents.$iter().flatten());
                args.for_each(|a| a.$each_part(f));
            }
            OpKind::ApplyPullback(apply) => {
                if let Callee::Function(slot) = apply.callee {
                    f(S(slot, Both));
                }
                f(V(&$($unique)? apply.pullback));
                f(V(&$($unique)? apply.modes));
                apply.seed.$iter().for_each(|v| f(V(v)));
                for arg in &$($unique)? apply.args {
                    match arg {
                        PullArg::Function(Function::Param(slot)) => f(S(*slot, Both)),
                        PullArg::Nothing | PullArg::Open | PullArg::Function(_) => {}
                        PullArg::Value { zero, .. } => zero.$iter().for_each(|v| f(V(v))),
                        PullArg::Inactive(Arg::Ref(p)) => f(P(p, Both)),
                        PullArg::Inactive(a) => a.$each_part(f),
                        PullArg::Shadow { primal, shadow } => {
                            primal.$iter().for_each(|a| a.$each_part(f));
                            shadow.$iter().for_each(|p| f(P(p, Both)));
                        }
                    }
                }
            }
            OpKind::Combined(call) => {
                call.seed.$iter().for_each(|v| f(V(v)));
                for arg in &$($unique)? call.args {
                    match arg {
                        CombinedArg::Value { given, zero } => {
                            given.$iter().chain(zero).for_each(|v| f(V(v)));
                        }
                        CombinedArg::Inactive(a) | CombinedArg::Constant(a) => a.$each_part(f),
                        CombinedArg::Shadow { primal, shadow } => {
                            primal.$iter().for_each(|a| a.$each_part(f));
                            shadow.$iter().for_each(|p| f(P(p, Both)));
                        }
                    }
                }
            }
            OpKind::Opaque { uses, .. } => {
                for used in uses {
                    match used {
                        Use::Value(_, v) => f(V(v)),
                        Use::Place { place, mutable: true, .. } => f(P(place, Both)),
                        Use::Place { place, .. } => f(P(place, Read)),
                    }
                }
            }
        }
    }

    /// Calls `f` on each value that the operation itself reads.
    pub(crate) fn $each_operand(&$($unique)? self, f: &mut dyn FnMut(&$($unique)? Value)) {
        self.$each_part(&mut |part| match part {
            Part::Value(v) => f(v),
            Part::Place(p, _) => p.$each_value(f),
            Part::Slot(..) => {}
        });
    }

    /// Calls `f` on each place that the operation itself touches.
    pub(crate) fn $each_place(&$($unique)? self, f: &mut dyn FnMut(&$($unique)? Place)) {
        self.$each_part(&mut |part| {
            if let Part::Place(p, _) = part {
                f(p);
            }
        });
    }

    /// Calls `f` on each region of the operation.
    pub(crate) fn $each_region<'a>(&'a $($unique)? self, f: &mut dyn FnMut(&'a $($unique)? Region)) {
        match &$($unique)? self.kind {
            OpKind::If { then, other, .. } => {
                f(then);
                f(other);
            }
            OpKind::For { body, .. }
            | OpKind::Loop { body, .. }
            | OpKind::Sum { body, .. }
            | OpKind::CoercionSites(body) => f(body),
            kind => kind.$each_closure(&mut |closure| f(&$($unique)? closure.body)),
        }
    }
}

impl OpKind {
    /// Calls `f` on each closure that the operation passes on.
    fn $each_closure<'a>(&'a $($unique)? self, f: &mut dyn FnMut(&'a $($unique)? Closure)) {
        match self {
            OpKind::Call(call) => call.args.$iter().filter_map(|arg| arg.$closure()).for_each(f),
            OpKind::ApplyPullback(apply) => {
                apply.args.$iter().filter_map(|arg| arg.$closure()).for_each(f);
            }
            _ => {}
        }
    }

    /// The closures that the operation passes on.
    pub(crate) fn $closures(&$($unique)? self) -> Vec<&$($unique)? Closure> {
        let mut all = Vec::new();
        self.$each_closure(&mut |closure| all.push(closure));
        all
    }
}

impl Place {
    /// Calls `f` on each value in the path.
    pub(crate) fn $each_value(&$($unique)? self, f: &mut dyn FnMut(&$($unique)? Value)) {
        for proj in &$($unique)? self.path {
            match proj {
                Proj::Field(_) | Proj::Variant(..) | Proj::Deref => {}
                Proj::Index(i) => f(i),
                Proj::At(lookup, at) => {
                    lookup.$operands().$iter().for_each(&mut *f);
                    at.$iter().for_each(&mut *f);
                }
                Proj::Range(lo, hi) => {
                    lo.$iter().for_each(&mut *f);
                    hi.$iter().for_each(&mut *f);
                }
            }
        }
    }
}

impl Arg {
    /// Calls `f` on the value, the place or the function, with the access that the callee may make.
    fn $each_part(&$($unique)? self, f: &mut dyn FnMut(Part<&$($unique)? Value, &$($unique)? Place>)) {
        match self {
            Arg::Value(v) => f(Part::Value(v)),
            Arg::Ref(p) => f(Part::Place(p, Access::Read)),
            Arg::Mut(p) | Arg::Receiver(p) => f(Part::Place(p, Access::Both)),
            Arg::Function(Function::Param(slot)) => f(Part::Slot(*slot, Access::Both)),
            Arg::Function(_) => {}
        }
    }

    fn $closure(&$($unique)? self) -> Option<&$($unique)? Closure> {
        match self {
            Arg::Function(Function::Closure(closure)) => Some(closure),
            _ => None,
        }
    }
}

impl PullArg {
    fn $closure(&$($unique)? self) -> Option<&$($unique)? Closure> {
        match self {
            PullArg::Function(Function::Closure(closure)) => Some(closure),
            _ => None,
        }
    }
}
    };
}

visitors!(
    each_part,
    operands_by_ref,
    each_place,
    each_region,
    each_value,
    each_closure,
    closures,
    closure,
    operands,
    iter
);
visitors!(
    each_part_mut,
    each_operand_mut,
    each_place_mut,
    each_region_mut,
    each_value_mut,
    each_closure_mut,
    closures_mut,
    closure_mut,
    operands_mut,
    iter_mut,
    mut
);

impl Op {
    /// Calls `f` on each value that the operation itself reads.
    pub(crate) fn each_operand(&self, f: &mut dyn FnMut(Value)) {
        self.operands_by_ref(&mut |v| f(*v));
    }

    pub(crate) fn operands(&self) -> Vec<Value> {
        let mut all = Vec::new();
        self.each_operand(&mut |v| all.push(v));
        all
    }

    /// The slots that the operation itself touches, and how.
    pub(crate) fn slots(&self) -> Vec<(Slot, Access)> {
        let mut all = Vec::new();
        self.each_part(&mut |part| match part {
            Part::Value(_) => {}
            Part::Place(place, access) => all.push((place.root, access)),
            Part::Slot(slot, access) => all.push((slot, access)),
        });
        all
    }

    pub(crate) fn regions(&self) -> Vec<&Region> {
        let mut all = Vec::new();
        self.each_region(&mut |region| all.push(region));
        all
    }

    pub(crate) fn regions_mut(&mut self) -> Vec<&mut Region> {
        let mut all = Vec::new();
        self.each_region_mut(&mut |region| all.push(region));
        all
    }

    pub(crate) fn has_regions(&self) -> bool {
        let mut has = false;
        self.each_region(&mut |_| has = true);
        has
    }

    /// The functions that the operation passes on.
    pub(crate) fn functions(&self) -> Vec<&Function> {
        match &self.kind {
            OpKind::Call(call) => (call.args.iter())
                .filter_map(|arg| match arg {
                    Arg::Function(function) => Some(function),
                    _ => None,
                })
                .collect(),
            OpKind::ApplyPullback(apply) => (apply.args.iter())
                .filter_map(|arg| match arg {
                    PullArg::Function(function) => Some(function),
                    _ => None,
                })
                .collect(),
            _ => Vec::new(),
        }
    }

    /// True if it computes one value of a known type from others and does nothing else: it may run again, elsewhere, or not at all. Reads of
    /// memory and operations that build aggregates are left out: each pass knows for itself when these may move.
    pub(crate) fn is_arithmetic(&self) -> bool {
        matches!(
            self.kind,
            OpKind::Const(_)
                | OpKind::Unary(..)
                | OpKind::Binary(..)
                | OpKind::Cast(_)
                | OpKind::Math(..)
                | OpKind::Select(..)
                | OpKind::StrongMul(..)
                | OpKind::StrongDiv(..)
        )
    }

    /// The range, the initial values and the body of a counted loop that nothing stops earlier.
    pub(crate) fn as_counted_loop(&self) -> Option<(&Range, &[Value], &Region)> {
        match &self.kind {
            OpKind::For {
                range,
                init,
                stop: false,
                body,
            } => Some((range, init, body)),
            _ => None,
        }
    }

    /// The same, to be changed.
    pub(crate) fn as_counted_loop_mut(
        &mut self,
    ) -> Option<(&Range, &mut Vec<Value>, &mut Region, &mut Vec<Value>)> {
        match &mut self.kind {
            OpKind::For {
                range,
                init,
                stop: false,
                body,
            } => Some((range, init, body, &mut self.results)),
            _ => None,
        }
    }

    /// The number of parameters, and of yields, of a loop's body before the carried values.
    pub(crate) fn before_carried(&self) -> Option<(usize, usize)> {
        match self.kind {
            OpKind::For { stop, .. } => Some((1, usize::from(stop))),
            OpKind::Loop { .. } => Some((0, 1)),
            _ => None,
        }
    }

    /// The values that a loop carries.
    pub(crate) fn carried(&self) -> Option<Carried<'_>> {
        let (params, yields) = self.before_carried()?;
        let (OpKind::For { init, body, .. } | OpKind::Loop { init, body }) = &self.kind else {
            return None;
        };
        Some(Carried {
            init,
            body,
            params: body.params.get(params..).unwrap_or_default(),
            yields: body.yields.get(yields..).unwrap_or_default(),
            results: &self.results,
        })
    }

    /// Returns `true` for control flow, which only runs its regions.
    pub(crate) fn is_control(&self) -> bool {
        matches!(
            self.kind,
            OpKind::If { .. } | OpKind::For { .. } | OpKind::Loop { .. }
        )
    }

    /// Returns `true` if its regions may run more than once.
    pub(crate) fn repeats(&self) -> bool {
        match self.kind {
            OpKind::For { .. } | OpKind::Loop { .. } | OpKind::Sum { .. } => true,
            _ => !self.kind.closures().is_empty(),
        }
    }

    /// Calls `f` on the operation and on every operation nested in it.
    pub(crate) fn walk<'a>(&'a self, f: &mut dyn FnMut(&'a Op)) {
        f(self);
        self.each_region(&mut |region| region.walk(f));
    }

    /// True if `f` holds of the operation or of one nested in it.
    pub(crate) fn any(&self, f: &mut dyn FnMut(&Op) -> bool) -> bool {
        let mut found = false;
        self.walk(&mut |op| found = found || f(op));
        found
    }

    /// True if the operation itself reads, writes or declares the slot.
    pub(crate) fn touches(&self, slot: Slot) -> bool {
        self.slots().iter().any(|(touched, _)| *touched == slot)
    }
}

impl super::Func {
    /// Calls `f` on every operation of both halves.
    pub(crate) fn walk<'a>(&'a self, f: &mut dyn FnMut(&'a Op)) {
        self.body.walk(f);
        if let Some(pullback) = &self.pullback {
            pullback.body.walk(f);
        }
    }

    /// Calls `f` on each half, taken out of the function while it is changed.
    pub(crate) fn each_half_mut(&mut self, f: &mut dyn FnMut(&mut Self, &mut Region)) {
        let mut body = std::mem::take(&mut self.body);
        f(self, &mut body);
        self.body = body;
        if let Some(mut pullback) = self.pullback.take() {
            f(self, &mut pullback.body);
            self.pullback = Some(pullback);
        }
    }

    /// True if `f` holds of an operation of one of the halves.
    pub(crate) fn any(&self, f: &mut dyn FnMut(&Op) -> bool) -> bool {
        self.body.any(f) || self.pullback.iter().any(|half| half.body.any(f))
    }
}

impl Region {
    /// Calls `f` on every operation, those of nested regions included.
    pub(crate) fn walk<'a>(&'a self, f: &mut dyn FnMut(&'a Op)) {
        for op in &self.ops {
            op.walk(f);
        }
    }

    /// True if `f` holds of an operation, those of nested regions included.
    pub(crate) fn any(&self, f: &mut dyn FnMut(&Op) -> bool) -> bool {
        self.ops.iter().any(|op| op.any(f))
    }

    /// Calls `f` on every operation, after those of the regions nested in it.
    pub(crate) fn walk_mut(&mut self, f: &mut dyn FnMut(&mut Op)) {
        for op in &mut self.ops {
            op.each_region_mut(&mut |region| region.walk_mut(f));
            f(op);
        }
    }

    /// The values that the region and all regions in it define.
    pub(crate) fn made(&self) -> DenseSet<Value> {
        let mut made = DenseSet::default();
        self.walk_regions(&mut |region| {
            made.extend(&region.params);
            for op in &region.ops {
                made.extend(&op.results);
            }
        });
        made
    }

    /// Calls `f` on the region and all regions in it.
    pub(crate) fn walk_regions<'a>(&'a self, f: &mut dyn FnMut(&'a Region)) {
        f(self);
        for op in &self.ops {
            op.each_region(&mut |region| region.walk_regions(f));
        }
    }

    /// Returns `true` if the region never runs to its end.
    pub(crate) fn diverges(&self) -> bool {
        matches!(
            self.ops.last().map(|op| &op.kind),
            Some(OpKind::Unreachable | OpKind::Opaque { diverges: true, .. })
        )
    }
}

impl Place {
    /// Returns `true` if it is in a field of a struct or variant, which may be constant there.
    pub(crate) fn through_field(&self) -> bool {
        self.path.iter().any(|proj| match proj {
            Proj::Field(_) => true,
            Proj::Variant(path, _) => !is_std_variant(path),
            _ => false,
        })
    }

    /// This place with a longer path.
    pub(crate) fn extended(&self, path: &[Proj]) -> Place {
        let mut place = self.clone();
        place.path.extend_from_slice(path);
        place
    }
}

/// Returns `true` if a path names a variant of `Option` or `Result`: their tangents have the same variants.
pub(crate) fn is_std_variant(path: &syn::Path) -> bool {
    let mut segments = path.segments.iter().rev();
    let last = segments.next().is_some_and(|last| {
        ["Some", "None", "Ok", "Err"]
            .iter()
            .any(|name| last.ident == name)
    });
    let parent = segments.next();
    last && parent.is_none_or(|parent| parent.ident == "Option" || parent.ident == "Result")
}

impl Arg {
    /// The place that it refers to.
    pub(crate) fn place(&self) -> Option<&Place> {
        match self {
            Arg::Value(_) | Arg::Function(_) => None,
            Arg::Ref(p) | Arg::Mut(p) | Arg::Receiver(p) => Some(p),
        }
    }

    /// Returns `true` if it is passed by `&mut`.
    pub(crate) fn is_unique(&self) -> bool {
        matches!(self, Arg::Mut(_))
    }
}

impl Pattern {
    /// Calls `f` on each leaf.
    pub(crate) fn each_leaf(&self, f: &mut dyn FnMut(&Pattern)) {
        match self {
            Pattern::Dual(a, b) | Pattern::CoDual(a, b) => {
                a.each_leaf(f);
                b.each_leaf(f);
            }
            Pattern::Unit => {}
            leaf => f(leaf),
        }
    }

    pub(crate) fn each_value_mut(&mut self, f: &mut dyn FnMut(&mut Value)) {
        match self {
            Pattern::Value(v) => f(v),
            Pattern::Dual(a, b) | Pattern::CoDual(a, b) => {
                a.each_value_mut(f);
                b.each_value_mut(f);
            }
            Pattern::Slot(_) | Pattern::Unit => {}
        }
    }

    pub(crate) fn dual(a: Pattern, b: Pattern) -> Pattern {
        Pattern::Dual(Box::new(a), Box::new(b))
    }

    pub(crate) fn codual(a: Pattern, b: Pattern) -> Pattern {
        Pattern::CoDual(Box::new(a), Box::new(b))
    }
}

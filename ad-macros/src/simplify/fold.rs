//! Zeros, ones and common subexpressions. Only constants that a transform made are folded: the user's own `0.0 * x` stays,
//! since it is NaN for infinite `x`.

use crate::ir::{
    BinaryOp, Const, DenseMap, Func, Map, MathFn, Op, OpKind, Pattern, Place, Proj, Region, Set,
    Slot, SlotKind, Ty, UnaryOp, Value, ValueData,
};

/// Known property of a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    Zero,
    One,
    /// A literal that isn't zero.
    NonZero,
    /// `None`.
    None,
}

/// A pure operation: two with one key have one value.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Key {
    Unary(UnaryOp, Value),
    Binary(BinaryOp, [Value; 2]),
    StrongMul([Value; 2]),
    StrongDiv([Value; 2]),
    Select([Value; 3]),
    Math(MathFn, Vec<Value>),
    /// A literal, and the kind of integer that it is.
    Int(&'static str, String),
}

impl Key {
    fn of(kind: &OpKind, ty: &Ty) -> Option<Key> {
        Some(match kind {
            OpKind::Const(Const::Int(digits)) => match ty {
                Ty::Int(kind) => Key::Int(kind, digits.clone()),
                _ => return None,
            },
            OpKind::Unary(op, a) => Key::Unary(*op, *a),
            OpKind::Binary(op @ (BinaryOp::Add | BinaryOp::Mul), a, b) => {
                Key::Binary(*op, [*a.min(b), *a.max(b)])
            }
            OpKind::Binary(op, a, b) => Key::Binary(*op, [*a, *b]),
            OpKind::StrongMul(a, b) => Key::StrongMul([*a, *b]),
            OpKind::StrongDiv(a, b) => Key::StrongDiv([*a, *b]),
            OpKind::Select(c, a, b) => Key::Select([*c, *a, *b]),
            OpKind::Math(f, args) => Key::Math(f, args.clone()),
            _ => return None,
        })
    }
}

struct Folder<'f> {
    values: &'f [ValueData],
    /// The replacement of each value.
    same: DenseMap<Value, Value>,
    known: DenseMap<Value, Known>,
    negated: DenseMap<Value, Value>,
    /// Expressions that are in scope.
    seen: Map<Key, Value>,
    /// Those of nested regions, in the order in which they were seen.
    nested: Vec<Key>,
    depth: usize,
    /// Loads since the last possible write.
    loads: Map<Slot, Vec<(Vec<Proj>, Value)>>,
    owned: Set<Slot>,
    /// Numbers that `f64` holds as they are written.
    numbers: Map<Value, String>,
}

/// The most elements of a variable that are remembered to have been read.
const LOADS: usize = 32;

pub(super) fn fold(func: &mut Func) {
    let mut folder = Folder {
        values: &func.values,
        same: DenseMap::default(),
        known: DenseMap::default(),
        negated: DenseMap::default(),
        seen: Map::default(),
        nested: Vec::new(),
        depth: 0,
        loads: Map::default(),
        owned: owned(func),
        numbers: Map::default(),
    };
    folder.region(&mut func.body);
    folder.pattern(&mut func.result);
    if let Some(pullback) = &mut func.pullback {
        folder.region(&mut pullback.body);
        pullback.results.iter_mut().for_each(|p| folder.pattern(p));
    }
}

impl Folder<'_> {
    fn get(&self, v: Value) -> Value {
        match self.same.get(v) {
            Some(to) => self.get(to),
            None => v,
        }
    }

    fn pattern(&self, pattern: &mut Pattern) {
        match pattern {
            Pattern::Value(v) => *v = self.get(*v),
            Pattern::Dual(a, b) | Pattern::CoDual(a, b) => {
                self.pattern(a);
                self.pattern(b);
            }
            Pattern::Slot(_) | Pattern::Unit => {}
        }
    }

    fn region(&mut self, region: &mut Region) {
        self.loads.clear();
        for op in &mut region.ops {
            op.each_operand_mut(&mut |v| *v = self.get(*v));
            self.invariant(op);
            op.each_region_mut(&mut |inner| {
                let outside = self.nested.len();
                self.depth += 1;
                self.region(inner);
                self.depth -= 1;
                for key in self.nested.drain(outside..) {
                    self.seen.remove(&key);
                }
            });
            self.op(op);
            self.invariant(op);
            let reads = matches!(op.kind, OpKind::Load(_) | OpKind::Len(_));
            if let OpKind::Store(place, v) = &op.kind
                && self.is_local(place)
            {
                self.stored(place, *v);
            } else if !reads
                && (!op.slots().is_empty()
                    || op.has_regions()
                    || matches!(op.kind, OpKind::Opaque { .. }))
            {
                self.loads.clear();
            }
        }
        self.loads.clear();
        region.yields.iter_mut().for_each(|v| *v = self.get(*v));
    }

    /// Replaces values that a loop carries unchanged, and values that both sides of a branch yield.
    fn invariant(&mut self, op: &Op) {
        match &op.kind {
            OpKind::If { then, other, .. } if then.yields.len() == other.yields.len() => {
                for ((a, b), r) in then.yields.iter().zip(&other.yields).zip(&op.results) {
                    if a == b {
                        self.same.insert(*r, *a);
                    }
                }
            }
            OpKind::For {
                init, body, stop, ..
            } => self.carried(
                init,
                &body.params[1..],
                &body.yields[usize::from(*stop)..],
                op,
            ),
            OpKind::Loop { init, body } => self.carried(init, &body.params, &body.yields[1..], op),
            _ => {}
        }
    }

    fn carried(&mut self, init: &[Value], params: &[Value], yields: &[Value], op: &Op) {
        for (((start, param), y), r) in init.iter().zip(params).zip(yields).zip(&op.results) {
            if param == y {
                self.same.insert(*param, *start);
                self.same.insert(*r, *start);
            }
        }
    }

    fn knows(&self, v: Value, what: Known) -> bool {
        self.known.get(v) == Some(what)
    }

    /// Returns `true` if the value is a constant other than zero.
    fn is_nonzero(&self, v: Value) -> bool {
        self.knows(v, Known::One) || self.knows(v, Known::NonZero)
    }

    fn op(&mut self, op: &mut Op) {
        let [result] = op.results.as_slice() else {
            return;
        };
        let result = *result;
        let same = match &op.kind {
            OpKind::Const(value) => {
                let known = match value {
                    Const::Zero => Some(Known::Zero),
                    Const::One => Some(Known::One),
                    Const::Float(digits) if digits.contains(|c: char| ('1'..='9').contains(&c)) => {
                        Some(Known::NonZero)
                    }
                    Const::None => Some(Known::None),
                    _ => None,
                };
                if let Some(known) = known {
                    self.known.insert(result, known);
                }
                if let Some(number) = number(value, &self.values[result.0 as usize].ty) {
                    self.numbers.insert(result, number);
                }
                self.common(op, result);
                return;
            }
            // A cast to `f32` rounds.
            OpKind::Cast(a)
                if matches!(self.values[result.0 as usize].ty, Ty::F64 | Ty::Real(_))
                    && self.numbers.contains_key(a) =>
            {
                op.kind = OpKind::Const(Const::Float(self.numbers[a].clone()));
                self.op(op);
                return;
            }
            OpKind::ZeroLike(a) if self.knows(*a, Known::None) => {
                op.kind = OpKind::Const(Const::None);
                self.known.insert(result, Known::None);
                return;
            }
            OpKind::Unary(UnaryOp::Neg, a) if self.knows(*a, Known::Zero) => Some(*a),
            OpKind::Unary(UnaryOp::Neg, a) => {
                let inner = self.negated.get(*a);
                self.negated.insert(result, *a);
                if self.is_nonzero(*a) {
                    self.known.insert(result, Known::NonZero);
                }
                inner
            }
            OpKind::Binary(BinaryOp::Add, a, b) if self.knows(*a, Known::Zero) => Some(*b),
            OpKind::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) if self.knows(*b, Known::Zero) => {
                Some(*a)
            }
            OpKind::Binary(BinaryOp::Mul, a, b) if self.knows(*a, Known::One) => Some(*b),
            OpKind::Binary(BinaryOp::Mul | BinaryOp::Div, a, b) if self.knows(*b, Known::One) => {
                Some(*a)
            }
            // A zero that a transform made is structural: nothing flows here.
            OpKind::Binary(BinaryOp::Mul, a, b)
                if self.knows(*b, Known::Zero) && !self.knows(*a, Known::Zero) =>
            {
                Some(*b)
            }
            OpKind::Binary(BinaryOp::Mul | BinaryOp::Div, a, _) if self.knows(*a, Known::Zero) => {
                Some(*a)
            }
            OpKind::StrongMul(a, b) if self.knows(*a, Known::One) => Some(*b),
            OpKind::StrongDiv(a, b) if self.knows(*b, Known::One) => Some(*a),
            OpKind::StrongMul(a, _) | OpKind::StrongDiv(a, _) if self.knows(*a, Known::Zero) => {
                Some(*a)
            }
            // Neither a factor that isn't zero nor one that is finite can make NaN of a zero.
            OpKind::StrongMul(a, b) if self.is_nonzero(*a) || self.is_nonzero(*b) => {
                op.kind = OpKind::Binary(BinaryOp::Mul, *a, *b);
                None
            }
            OpKind::StrongDiv(a, b) if self.is_nonzero(*a) || self.is_nonzero(*b) => {
                op.kind = OpKind::Binary(BinaryOp::Div, *a, *b);
                None
            }
            OpKind::Select(_, a, b) if a == b => Some(*a),
            OpKind::Math("tied", args) if args[0] == args[1] => Some(args[0]),
            _ => None,
        };
        if let Some(same) = same {
            self.same.insert(result, same);
            return;
        }
        // `a + (-b)` and `a - (-b)`.
        if let OpKind::Binary(sign @ (BinaryOp::Add | BinaryOp::Sub), a, b) = &op.kind
            && let Some(inner) = self.negated.get(*b)
        {
            let sign = if *sign == BinaryOp::Add {
                BinaryOp::Sub
            } else {
                BinaryOp::Add
            };
            op.kind = OpKind::Binary(sign, *a, inner);
        }
        self.common(op, result);
    }

    /// Returns `true` if the place is in a variable that no reference aliases.
    fn is_local(&self, place: &Place) -> bool {
        self.owned.contains(&place.root) && place.path.iter().all(is_found)
    }

    /// An element of a list that no reference refers to has this value from now on.
    fn stored(&mut self, place: &Place, v: Value) {
        let known = self.loads.entry(place.root).or_default();
        known.clear();
        if self.values[v.0 as usize].ty.is_scalar() {
            known.push((place.path.clone(), v));
        }
    }

    /// A number that was read before, from where nothing may have been written since.
    fn common_load(&mut self, place: &Place, result: Value, ty: &Ty) {
        if !ty.is_scalar() || !place.path.iter().all(is_found) {
            return;
        }
        let known = self.loads.entry(place.root).or_default();
        if let Some((_, earlier)) = known.iter().find(|(path, _)| *path == place.path) {
            self.same.insert(result, *earlier);
            return;
        }
        if known.len() == LOADS {
            known.remove(0);
        }
        known.push((place.path.clone(), result));
    }

    fn common(&mut self, op: &Op, result: Value) {
        let ty = &self.values[result.0 as usize].ty;
        if let OpKind::Load(place) = &op.kind {
            self.common_load(place, result, ty);
            return;
        }
        let Some(key) = Key::of(&op.kind, ty) else {
            return;
        };
        if let Some(earlier) = self.seen.get(&key) {
            self.same.insert(result, *earlier);
            return;
        }
        if self.depth > 0 {
            self.nested.push(key.clone());
        }
        self.seen.insert(key, result);
    }
}

/// A constant as a literal of type `f64`, if that is the same number.
fn number(value: &Const, ty: &Ty) -> Option<String> {
    match (value, ty) {
        (Const::Float(digits), Ty::F64) => Some(digits.clone()),
        (Const::Int(digits), Ty::Int(_)) => {
            let exact = digits.parse::<u64>().is_ok_and(|n| n < 1 << 53);
            exact.then(|| format!("{digits}.0"))
        }
        _ => None,
    }
}

/// Returns `true` if the projection is found without a call.
fn is_found(proj: &Proj) -> bool {
    matches!(
        proj,
        Proj::Field(_) | Proj::Index(_) | Proj::Range(..) | Proj::Deref
    )
}

/// The lists that the function owns, and that no reference refers to.
fn owned(func: &Func) -> Set<Slot> {
    let mut owned: Set<Slot> = Set::default();
    let mut referred: Set<Slot> = Set::default();
    func.walk(&mut |op| match &op.kind {
        OpKind::Init(slot, _) => {
            let data = func.slot(*slot);
            let list = data.ty.element().is_some_and(Ty::is_scalar);
            if list && data.kind == SlotKind::Owned && !data.in_option && !data.in_field {
                owned.insert(*slot);
            }
        }
        OpKind::Borrow(_, place) => {
            referred.insert(place.root);
        }
        _ => {}
    });
    owned.retain(|slot| !referred.contains(slot));
    owned
}

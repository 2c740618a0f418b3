//! Zeros, ones and common subexpressions. Only constants that a transform made are folded: the user's own `0.0 * x` stays,
//! since it is NaN for infinite `x`.

use crate::ir::{BinaryOp, Const, Func, Map, MathFn, Op, OpKind, Pattern, Region, UnaryOp, Value};

/// What is known of a value.
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
#[derive(PartialEq, Eq, Hash)]
enum Key {
    Unary(UnaryOp, Value),
    Binary(BinaryOp, [Value; 2]),
    StrongMul([Value; 2]),
    StrongDiv([Value; 2]),
    Select([Value; 3]),
    Math(MathFn, Vec<Value>),
}

impl Key {
    fn of(kind: &OpKind) -> Option<Key> {
        Some(match kind {
            OpKind::Unary(op, a) => Key::Unary(*op, *a),
            OpKind::Binary(op, a, b) => Key::Binary(*op, [*a, *b]),
            OpKind::StrongMul(a, b) => Key::StrongMul([*a, *b]),
            OpKind::StrongDiv(a, b) => Key::StrongDiv([*a, *b]),
            OpKind::Select(c, a, b) => Key::Select([*c, *a, *b]),
            OpKind::Math(f, args) => Key::Math(f, args.clone()),
            _ => return None,
        })
    }
}

#[derive(Default)]
struct Folder {
    /// What stands for a value.
    same: Map<Value, Value>,
    known: Map<Value, Known>,
    negated: Map<Value, Value>,
    /// Expressions that are in scope.
    seen: Vec<Map<Key, Value>>,
}

pub(super) fn fold(func: &mut Func) {
    let mut folder = Folder {
        seen: vec![Map::default()],
        ..Folder::default()
    };
    let mut body = std::mem::take(&mut func.body);
    folder.region(&mut body);
    func.body = body;
    folder.pattern(&mut func.result);
    if let Some(mut pullback) = func.pullback.take() {
        folder.region(&mut pullback.body);
        pullback.results.iter_mut().for_each(|p| folder.pattern(p));
        func.pullback = Some(pullback);
    }
}

impl Folder {
    fn get(&self, v: Value) -> Value {
        self.same.get(&v).map_or(v, |to| self.get(*to))
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
        for op in &mut region.ops {
            op.each_operand_mut(&mut |v| *v = self.get(*v));
            for inner in op.regions_mut() {
                self.seen.push(Map::default());
                self.region(inner);
                self.seen.pop();
            }
            self.op(op);
            self.invariant(op);
        }
        region.yields.iter_mut().for_each(|v| *v = self.get(*v));
    }

    /// What a loop carries round unchanged, and what a branch yields on both sides.
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
        self.known.get(&v) == Some(&what)
    }

    /// Whether it is a constant other than zero.
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
                self.known.extend(known.map(|k| (result, k)));
                return;
            }
            OpKind::ZeroLike(a) if self.knows(*a, Known::None) => {
                op.kind = OpKind::Const(Const::None);
                self.known.insert(result, Known::None);
                return;
            }
            OpKind::Unary(UnaryOp::Neg, a) if self.knows(*a, Known::Zero) => Some(*a),
            OpKind::Unary(UnaryOp::Neg, a) => {
                let inner = self.negated.get(a).copied();
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
            _ => None,
        };
        if let Some(same) = same {
            self.same.insert(result, same);
            return;
        }
        // `a + (-b)` and `a - (-b)`.
        if let OpKind::Binary(sign @ (BinaryOp::Add | BinaryOp::Sub), a, b) = &op.kind
            && let Some(inner) = self.negated.get(b)
        {
            let sign = if *sign == BinaryOp::Add {
                BinaryOp::Sub
            } else {
                BinaryOp::Add
            };
            op.kind = OpKind::Binary(sign, *a, *inner);
        }
        self.common(op, result);
    }

    fn common(&mut self, op: &Op, result: Value) {
        let Some(key) = Key::of(&op.kind) else {
            return;
        };
        if let Some(earlier) = self.seen.iter().rev().find_map(|scope| scope.get(&key)) {
            self.same.insert(result, *earlier);
        } else if let Some(scope) = self.seen.last_mut() {
            scope.insert(key, result);
        }
    }
}

//! Coverage: which lists a region writes in full before it reads any of their elements, and which it leaves full of zeros.
//!
//! Input: a list that nothing moves or makes longer or shorter, its length, and the aliases of the whole list. A loop covers a list if its
//! counter goes through all indices and each trip first stores the element at the counter. Conservative: [`Touch::Reads`] means that the region
//! may read an element that it hasn't written.

use super::{Change, changes};
use crate::ir::{
    Access, Adapter, Const, Func, Map, Op, OpKind, Place, Proj, Range, Region, RepeatLen, Set,
    Slot, Value,
};

/// How a region uses the elements that a list has when the region begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Touch {
    /// It doesn't read them.
    None,
    /// It doesn't read them, and overwrites all.
    Full,
    /// It may read them.
    Reads,
}

/// The length of a list, so that two can be compared.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Length {
    Number(i64),
    Constant(String),
    Value(Value),
}

/// A list, and all that refers to the whole of it.
pub(crate) struct List<'a> {
    func: &'a Func,
    /// The list and its aliases.
    slots: Set<Slot>,
    /// References to parts of it.
    parts: Set<Slot>,
    length: Length,
    known: &'a Known,
}

/// The constants of a function, and the lengths that it reads.
pub(crate) struct Known {
    constants: Map<Value, Const>,
    lengths: Map<Value, Slot>,
}

impl Known {
    pub(crate) fn new(func: &Func) -> Self {
        let (mut constants, mut lengths) = (Map::default(), Map::default());
        func.walk(&mut |op| match (&op.kind, &op.results[..]) {
            (OpKind::Const(constant), [v]) => {
                constants.insert(*v, constant.clone());
            }
            (OpKind::Len(place), [v]) if place.path.is_empty() => {
                lengths.insert(*v, place.root);
            }
            _ => {}
        });
        Known { constants, lengths }
    }

    pub(crate) fn constant(&self, v: Value) -> Option<&Const> {
        self.constants.get(&v)
    }

    /// Returns `true` for a float zero that isn't negative.
    pub(crate) fn is_zero(&self, v: Value) -> bool {
        match self.constants.get(&v) {
            Some(Const::Zero) => true,
            Some(Const::Float(digits)) => digits.trim_end_matches(['0', '.', '_']).is_empty(),
            _ => false,
        }
    }

    fn length(&self, v: Value) -> Length {
        let number = |digits: &String| digits.replace('_', "").parse().ok().map(Length::Number);
        let known = self.constants.get(&v).and_then(|constant| match constant {
            Const::Int(digits) => number(digits),
            Const::Expr(tokens) => Some(Length::Constant(tokens.to_string())),
            _ => None,
        });
        known.unwrap_or(Length::Value(v))
    }
}

impl<'a> List<'a> {
    /// The list that `[x; n]` or `vec![x; n]` initialises; `None` if one of the following operations may move it, change its length, or refer to it
    /// in a way that isn't followed.
    pub(crate) fn new(
        func: &'a Func,
        known: &'a Known,
        slot: Slot,
        len: &RepeatLen,
        later: &[Op],
    ) -> Option<Self> {
        let length = match len {
            RepeatLen::Vec(n) => known.length(*n),
            RepeatLen::Array(tokens) => {
                let digits = tokens.to_string().replace("usize", "");
                let number = digits.trim().parse().map(Length::Number);
                number.unwrap_or_else(|_| Length::Constant(tokens.to_string()))
            }
        };
        let mut list = List {
            func,
            slots: Set::default(),
            parts: Set::default(),
            length,
            known,
        };
        list.slots.insert(slot);
        let mut fine = true;
        for op in later {
            op.walk(&mut |op| fine &= !list.is_named_by(op) || list.follow(slot, op));
        }
        fine.then_some(list)
    }

    /// Records the new names for the list in an operation that mentions it; `false` if it may move the list, or change its length.
    fn follow(&mut self, slot: Slot, op: &Op) -> bool {
        let scalar = |v: &Value| self.func.ty(*v).is_scalar();
        match &op.kind {
            OpKind::Borrow(alias, place) => match place.path[..] {
                [] if self.slots.contains(&place.root) => self.slots.insert(*alias),
                [] | [Proj::Range(..)] => self.parts.insert(*alias),
                _ => false,
            },
            OpKind::Load(_) => op.results.iter().all(scalar),
            OpKind::Store(_, v) | OpKind::Accumulate(_, v) => scalar(v),
            OpKind::Len(_) | OpKind::SetZero(_) | OpKind::Sum { .. } => true,
            OpKind::Call(_) | OpKind::Combined(_) | OpKind::ApplyPullback(_) => {
                let read = |(s, how): &(Slot, Access)| !self.has(*s) || *how == Access::Read;
                !changes(self.func, op, &|s| s, slot, Change::Shape) && op.slots().iter().all(read)
            }
            _ => op.is_control(),
        }
    }

    fn has(&self, slot: Slot) -> bool {
        self.slots.contains(&slot) || self.parts.contains(&slot)
    }

    fn is_named_by(&self, op: &Op) -> bool {
        op.slots().iter().any(|(s, _)| self.has(*s))
    }

    /// Returns `true` if the operation, or one in its regions, mentions the list.
    pub(crate) fn is_in(&self, op: &Op) -> bool {
        let mut found = false;
        op.walk(&mut |op| found |= self.is_named_by(op));
        found
    }

    /// How the operations use the elements that the list has when they begin.
    pub(crate) fn touched_by(&self, ops: &[Op]) -> Touch {
        let touches = ops.iter().map(|op| self.touch(op));
        let first = touches.into_iter().find(|touch| *touch != Touch::None);
        first.unwrap_or(Touch::None)
    }

    fn touch(&self, op: &Op) -> Touch {
        if !self.is_in(op) {
            return Touch::None;
        }
        match &op.kind {
            OpKind::Len(_) | OpKind::Borrow(..) | OpKind::Store(..) => Touch::None,
            OpKind::SetZero(place) if self.is_whole(place) => Touch::Full,
            OpKind::SetZero(_) => Touch::None,
            OpKind::For { .. } if self.is_covered_by(op) => Touch::Full,
            OpKind::For { body, .. } => match self.touched_by(&body.ops) {
                Touch::Full => Touch::None,
                touch => touch,
            },
            OpKind::Loop { body, .. } => self.touched_by(&body.ops),
            OpKind::If { then, other, .. } => {
                match (self.touched_by(&then.ops), self.touched_by(&other.ops)) {
                    (a, b) if a == b => a,
                    (Touch::Reads, _) | (_, Touch::Reads) => Touch::Reads,
                    _ => Touch::None,
                }
            }
            _ => Touch::Reads,
        }
    }

    /// Returns `true` if the loop stores each element in the trip of its index, before it reads that element.
    fn is_covered_by(&self, op: &Op) -> bool {
        let OpKind::For {
            range,
            stop: false,
            body,
            ..
        } = &op.kind
        else {
            return false;
        };
        let mut uses = body.ops.iter().filter(|op| self.is_in(op));
        let first = uses.find(|op| !matches!(op.kind, OpKind::Len(_) | OpKind::Borrow(..)));
        self.is_all(range)
            && first.is_some_and(|op| matches!(&op.kind, OpKind::Store(..)))
            && self.is_at(body, body.params[0])
    }

    /// Returns `true` if the list is full of zeros after the operations, if it was before them.
    pub(crate) fn is_cleared_by(&self, ops: &[Op]) -> bool {
        let mut uses = ops.iter().rev().filter(|op| self.is_in(op));
        let last = uses.find(|op| !matches!(op.kind, OpKind::Len(_) | OpKind::Borrow(..)));
        last.is_none_or(|op| match &op.kind {
            OpKind::SetZero(place) => self.is_whole(place),
            OpKind::For {
                range,
                stop: false,
                body,
                ..
            } => {
                let mut uses = body.ops.iter().rev().filter(|op| self.is_in(op));
                let last = uses.find(|op| !matches!(op.kind, OpKind::Len(_)));
                let clears = last.is_some_and(
                    |op| matches!(&op.kind, OpKind::Store(_, v) if self.known.is_zero(*v)),
                );
                clears && self.is_all(range) && self.is_at(body, body.params[0])
            }
            _ => false,
        })
    }

    /// Returns `true` if the range has all indices of the list.
    fn is_all(&self, range: &Range) -> bool {
        let measured = self.known.lengths.get(&range.hi);
        let ends = measured.is_some_and(|slot| self.slots.contains(slot))
            || self.known.length(range.hi) == self.length;
        let rev = |adapter: &Adapter| *adapter == Adapter::Rev;
        ends && !range.inclusive
            && range.adapters.iter().all(rev)
            && self.known.length(range.lo) == Length::Number(0)
    }

    fn is_whole(&self, place: &Place) -> bool {
        self.slots.contains(&place.root) && place.path.is_empty()
    }

    /// Returns `true` if the region uses only the element at the index.
    fn is_at(&self, region: &Region, index: Value) -> bool {
        let mut only = true;
        region.walk(&mut |op| {
            let own = |p: &Place| self.has(p.root);
            let at = |p: &Place| {
                let element = self.slots.contains(&p.root) && p.path == [Proj::Index(index)];
                element || !own(p)
            };
            only &= match &op.kind {
                OpKind::Load(p) | OpKind::Store(p, _) | OpKind::Accumulate(p, _) => at(p),
                OpKind::Len(_) => true,
                OpKind::Borrow(_, p) => !own(p) || p.path.is_empty(),
                _ => op.is_control() || !self.is_in(op),
            };
        });
        only && self.func.ty(index).is_scalar()
    }
}

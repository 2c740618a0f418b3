//! Building sequences of operations, for all transforms.

use proc_macro2::Span;
use quote::ToTokens;

use crate::ir::{
    BinaryOp, Const, Func, MathFn, Op, OpKind, Place, Proj, Range, Region, RepeatLen, Slot,
    SlotData, SlotKind, Ty, UnaryOp, Value,
};

/// A place to append operations to, and the function that owns their values.
pub(crate) struct Seq<'a> {
    pub(crate) func: &'a mut Func,
    pub(crate) ops: &'a mut Vec<Op>,
    pub(crate) span: Span,
}

impl<'a> Seq<'a> {
    pub(crate) fn new(func: &'a mut Func, ops: &'a mut Vec<Op>, span: Span) -> Self {
        Seq { func, ops, span }
    }

    /// Appends an operation without result.
    pub(crate) fn push(&mut self, kind: OpKind) {
        self.ops.push(Op::new(kind, Vec::new(), self.span));
    }

    /// Appends an operation with one result.
    pub(crate) fn value(&mut self, kind: OpKind, ty: Ty, name: &str) -> Value {
        let result = self.func.new_value(ty, name, self.span);
        self.ops.push(Op::new(kind, vec![result], self.span));
        result
    }

    pub(crate) fn zero(&mut self, ty: &Ty) -> Value {
        self.value(OpKind::Const(Const::Zero), ty.clone(), "zero")
    }

    /// A zero of a type of numbers whose shape is that of the type: a number, an array, a tuple, or such in each other.
    pub(crate) fn zero_of_type(&mut self, ty: &Ty) -> Option<Value> {
        match ty {
            ty if ty.is_float() => Some(self.zero(ty)),
            Ty::Array(elem, n) if elem.has_one_shape() => {
                let elem = self.zero_of_type(elem)?;
                let len = RepeatLen::Array(n.to_token_stream());
                Some(self.value(OpKind::Repeat { elem, len }, ty.clone(), "zero"))
            }
            Ty::Tuple(types) if ty.has_one_shape() => {
                let zeros = types.iter().map(|ty| self.zero_of_type(ty));
                let zeros = zeros.collect::<Option<_>>()?;
                Some(self.value(OpKind::Tuple(zeros), ty.clone(), "zero"))
            }
            _ => None,
        }
    }

    pub(crate) fn one(&mut self, ty: &Ty) -> Value {
        self.value(OpKind::Const(Const::One), ty.clone(), "one")
    }

    pub(crate) fn number(&mut self, digits: &str, ty: &Ty) -> Value {
        self.value(
            OpKind::Const(Const::Float(digits.to_owned())),
            ty.clone(),
            "c",
        )
    }

    pub(crate) fn int(&mut self, digits: &str, ty: &'static str) -> Value {
        self.value(
            OpKind::Const(Const::Int(digits.to_owned())),
            Ty::Int(ty),
            "n",
        )
    }

    pub(crate) fn binary(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        let ty = match op {
            BinaryOp::Lt
            | BinaryOp::Le
            | BinaryOp::Gt
            | BinaryOp::Ge
            | BinaryOp::Eq
            | BinaryOp::Ne => Ty::Bool,
            _ => self.func.ty(a).clone(),
        };
        self.value(OpKind::Binary(op, a, b), ty, "t")
    }

    pub(crate) fn add(&mut self, a: Value, b: Value) -> Value {
        self.binary(BinaryOp::Add, a, b)
    }

    pub(crate) fn sub(&mut self, a: Value, b: Value) -> Value {
        self.binary(BinaryOp::Sub, a, b)
    }

    pub(crate) fn mul(&mut self, a: Value, b: Value) -> Value {
        self.binary(BinaryOp::Mul, a, b)
    }

    pub(crate) fn div(&mut self, a: Value, b: Value) -> Value {
        self.binary(BinaryOp::Div, a, b)
    }

    pub(crate) fn strong_mul(&mut self, a: Value, b: Value) -> Value {
        let ty = self.func.ty(a).clone();
        self.value(OpKind::StrongMul(a, b), ty, "t")
    }

    pub(crate) fn strong_div(&mut self, a: Value, b: Value) -> Value {
        let ty = self.func.ty(a).clone();
        self.value(OpKind::StrongDiv(a, b), ty, "t")
    }

    pub(crate) fn neg(&mut self, a: Value) -> Value {
        let ty = self.func.ty(a).clone();
        self.value(OpKind::Unary(UnaryOp::Neg, a), ty, "t")
    }

    pub(crate) fn math(&mut self, f: MathFn, args: &[Value]) -> Value {
        let ty = self.func.ty(args[0]).clone();
        self.value(OpKind::Math(f, args.to_vec()), ty, f)
    }

    pub(crate) fn select(&mut self, cond: Value, a: Value, b: Value) -> Value {
        let ty = self.func.ty(a).clone();
        self.value(OpKind::Select(cond, a, b), ty, "t")
    }

    /// `as`, where the types differ.
    pub(crate) fn cast(&mut self, a: Value, ty: &Ty) -> Value {
        self.value(OpKind::Cast(a), ty.clone(), "t")
    }

    pub(crate) fn load(&mut self, place: Place, ty: Ty, name: &str) -> Value {
        self.value(OpKind::Load(place), ty, name)
    }

    /// The sum of two tangents of one type.
    pub(crate) fn tangent_sum(&mut self, a: Value, b: Value) -> Value {
        let ty = self.func.ty(a).clone();
        if ty.is_float() {
            return self.add(a, b);
        }
        self.value(OpKind::TangentSum(a, b), ty, "sum")
    }

    /// A new owned local of the compiler's.
    pub(crate) fn local(&mut self, ty: Ty, name: &str) -> Slot {
        self.func.new_slot(SlotData::new(
            ty,
            SlotKind::Owned,
            name.to_owned(),
            self.span,
        ))
    }

    /// Borrows `shadow` with the length of `primal`, which its shape was checked to have: from then on rustc knows that
    /// both are equally long, and leaves out bounds checks. Slices only.
    pub(crate) fn as_long_as(&mut self, shadow: Slot, primal: Slot) -> Slot {
        let len = self.value(OpKind::Len(Place::whole(primal)), Ty::Int("usize"), "len");
        let data = self.func.slot(shadow).clone();
        let alias = self.func.new_slot(SlotData {
            ident: None,
            ..data
        });
        let place = Place::new(shadow, vec![Proj::Range(None, Some(len))]);
        self.push(OpKind::Borrow(alias, place));
        alias
    }

    /// A new owned local that holds `value`.
    pub(crate) fn init(&mut self, value: Value, name: &str) -> Slot {
        let ty = self.func.ty(value).clone();
        let slot = self.local(ty, name);
        self.push(OpKind::Init(slot, value));
        slot
    }

    /// A loop over the elements of lists, which are as long as the first.
    pub(crate) fn for_elements<const N: usize>(
        &mut self,
        lists: &[Place; N],
        each: &dyn Fn(&mut Seq, [Place; N]),
    ) {
        let usize = Ty::Int("usize");
        let k = self.func.new_value(usize.clone(), "k", self.span);
        let elements = lists
            .each_ref()
            .map(|list| list.extended(&[Proj::Index(k)]));
        let mut ops = Vec::new();
        each(&mut Seq::new(self.func, &mut ops, self.span), elements);
        let lo = self.int("0", "usize");
        let hi = self.value(OpKind::Len(lists[0].clone()), usize, "len");
        let body = Region {
            params: vec![k],
            ops,
            yields: Vec::new(),
        };
        self.push(OpKind::counted(Range::new(lo, hi), Vec::new(), body));
    }
}

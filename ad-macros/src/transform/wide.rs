//! A rule in several directions at once: the same operations, with tangents whose floats are lanes.
//!
//! Input: a rule that `forward` made, simplified. Output: the rule with [`Ty::Lanes`] in place of `f64` in the types of its tangents; none
//! where a tangent has a type that isn't made of `f64`, or goes where only one direction can go.
//!
//! ```text
//! fn f(x: dual(%0, %1) f64)      fn f(x: dual(%0, %1) f64)
//!   %2 c: f64 = const 2.0          %2 c: f64 = const 2.0
//!   %3 t: f64 = mul %2, %1         %3 t: lanes = mul %2, %1
//! ```
//! Which values and variables are tangents is found from the types of parameters and results: values that are stored in each other, joined,
//! or added has one type. All else that a rule does with tangents is to multiply and to divide them by primal values.

use super::forward::zero_like;
use super::seq::Seq;
use crate::diagnostics::bug;
use crate::ir::{
    Arg, BinaryOp, Call, Callee, Classes, Const, Func, Map, Op, OpKind, Pattern, Place, Proj,
    Region, Rule, Set, Slot, Ty, UnaryOp, Use, Value, is_std_variant,
};
use crate::paths::function_name;

/// A rule in several directions, and the functions that must have one, too.
pub(crate) struct Wide {
    pub(crate) func: Func,
    pub(crate) callees: Vec<syn::ExprPath>,
}

/// The rule in several directions.
pub(crate) fn wide(func: &Func) -> Option<Wide> {
    if func.pullback.is_some() || func.params.iter().any(|p| p.captured || p.receiver) {
        return None;
    }
    let mut func = func.clone();
    separate_constants(&mut func);
    separate_pushes(&mut func);
    let mut search = Search::new(&func);
    for pattern in func.params.iter().map(|p| &p.pattern).chain(&func.extra) {
        search.pattern(pattern);
    }
    search.pattern(&func.result);
    search.region(&func.body);
    let lanes = search.solve()?;
    let callees = lanes.callees;
    for v in lanes.values {
        let ty = &mut func.value_mut(v).ty;
        *ty = ty.widened()?;
    }
    for s in lanes.slots {
        let ty = &mut func.slots[s.0 as usize].ty;
        *ty = ty.widened()?;
    }
    Some(Wide { func, callees })
}

/// The rule of second order of a gradient that isn't scaled: its seed is one, whose tangent is zero, and nobody wants the value.
pub(crate) fn with_unit_seed(func: &Func) -> Option<Func> {
    let mut func = func.clone();
    let seed = std::mem::replace(func.extra.first_mut()?, Pattern::Unit);
    let Pattern::Dual(y_bar, y_bar_dot) = seed else {
        return None;
    };
    for (pattern, constant) in [(*y_bar, Const::One), (*y_bar_dot, Const::Zero)] {
        let Pattern::Value(v) = pattern else {
            return None;
        };
        let op = Op::new(OpKind::Const(constant), vec![v], func.value(v).span);
        func.body.ops.insert(0, op);
    }
    func.result = Pattern::Unit;
    func.body.yields.clear();
    Some(func)
}

/// Splits constants so that each has one use: the zero of a tangent may be that of a primal value as well.
fn separate_constants(func: &mut Func) {
    let mut constants = Map::default();
    func.body.walk(&mut |op| {
        if let (OpKind::Const(value), [v]) = (&op.kind, &op.results[..])
            && matches!(
                value,
                Const::Zero | Const::One | Const::Float(_) | Const::Undef | Const::None
            )
        {
            constants.insert(*v, value.clone());
        }
    });
    let mut body = std::mem::take(&mut func.body);
    let mut result = func.result.clone();
    separate_in(&mut body, &constants, func);
    // The result is built from the body's yields.
    let mut yields = Vec::new();
    result.each_value_mut(&mut |v| {
        if constants.contains_key(v) {
            body.ops.push(again(func, &constants, v));
        }
        yields.push(*v);
    });
    body.yields = yields;
    (func.body, func.result) = (body, result);
}

/// A call that appends to a list appends to its tangent as well.
///
/// ```text
/// call frule .push(self $1, %7) along (self $4, %15)
/// call primal .push(self $1, %7); call primal .push(self $4, %15)
/// ```
fn separate_pushes(func: &mut Func) {
    let mut read: Set<Value> = Set::default();
    func.body.walk(&mut |op| {
        read.extend(op.operands());
        op.regions()
            .iter()
            .for_each(|region| read.extend(&region.yields));
    });
    let mut body = std::mem::take(&mut func.body);
    separate_pushes_in(&mut body, func, &read);
    func.body = body;
}

fn separate_pushes_in(region: &mut Region, func: &mut Func, read: &Set<Value>) {
    for mut op in std::mem::take(&mut region.ops) {
        op.each_region_mut(&mut |inner| separate_pushes_in(inner, func, read));
        let OpKind::Call(call) = &op.kind else {
            region.ops.push(op);
            continue;
        };
        let (
            true,
            [y, y_dot],
            [Arg::Receiver(list), Arg::Value(v)],
            [Some(Arg::Receiver(dots)), dot],
        ) = (
            call.rule == Rule::Frule && is_push(call, func),
            &op.results[..],
            &call.args[..],
            &call.tangents[..],
        )
        else {
            region.ops.push(op);
            continue;
        };
        if read.contains(y_dot) {
            region.ops.push(op);
            continue;
        }
        let dot = match dot {
            Some(Arg::Value(dot)) => *dot,
            _ => {
                let mut seq = Seq::new(func, &mut region.ops, op.span);
                zero_like(&mut seq, *v)
            }
        };
        for (result, list, v) in [(*y, list, *v), (*y_dot, dots, dot)] {
            func.value_mut(result).ty = Ty::Unit;
            let call = Call {
                rule: Rule::Primal,
                args: vec![Arg::Receiver(list.clone()), Arg::Value(v)],
                tangents: Vec::new(),
                kinds: Vec::new(),
                lent: Vec::new(),
                ..(**call).clone()
            };
            region
                .ops
                .push(Op::new(OpKind::Call(Box::new(call)), vec![result], op.span));
        }
    }
}

/// Returns `true` if a call appends to a list of std.
fn is_push(call: &Call, func: &Func) -> bool {
    let Callee::Method { name, .. } = &call.callee else {
        return false;
    };
    let [Arg::Receiver(list), _] = &call.args[..] else {
        return false;
    };
    let mut ty = Some(&func.slot(list.root).ty);
    for proj in &list.path {
        ty = match proj {
            Proj::Index(_) => ty.and_then(Ty::element),
            _ => None,
        };
    }
    match ty {
        Some(Ty::Vec(_)) => name == "push",
        Some(Ty::Deque(_)) => name == "push_back" || name == "push_front",
        _ => false,
    }
}

/// The constant once more, in place of `v`.
fn again(func: &mut Func, constants: &Map<Value, Const>, v: &mut Value) -> Op {
    let (data, constant) = (func.value(*v).clone(), constants[v].clone());
    *v = func.new_value(data.ty, data.name, data.span);
    Op::new(OpKind::Const(constant), vec![*v], data.span)
}

fn separate_in(region: &mut Region, constants: &Map<Value, Const>, func: &mut Func) {
    for mut op in std::mem::take(&mut region.ops) {
        op.each_operand_mut(&mut |v| {
            if constants.contains_key(v) {
                region.ops.push(again(func, constants, v));
            }
        });
        op.each_region_mut(&mut |inner| separate_in(inner, constants, func));
        region.ops.push(op);
    }
    for v in &mut region.yields {
        if constants.contains_key(v) {
            region.ops.push(again(func, constants, v));
        }
    }
}

/// An item that has a type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Node {
    Value(Value),
    Slot(Slot),
    /// A position of a tape's entries.
    Entry(Slot, usize),
}

/// Values and variables that are tangents, and functions that are called with them.
struct Lanes {
    values: Vec<Value>,
    slots: Vec<Slot>,
    callees: Vec<syn::ExprPath>,
}

struct Search<'f> {
    func: &'f Func,
    /// By type.
    classes: Classes<Node>,
    /// Items that are certainly tangents, and those that certainly aren't.
    tangents: Vec<usize>,
    primals: Vec<usize>,
    /// Products: the result and the factors, of which one may be a tangent.
    products: Vec<[usize; 3]>,
    /// Zeros, and the items that they are zeros of: a zero is a tangent if its item is.
    zeros: Vec<[usize; 2]>,
    /// Of runs, their tape.
    tapes: Map<Slot, Slot>,
    callees: Vec<syn::ExprPath>,
    /// There is something that can't be done in several directions.
    failed: bool,
}

impl<'f> Search<'f> {
    fn new(func: &'f Func) -> Self {
        Search {
            func,
            classes: Classes::default(),
            tangents: Vec::new(),
            primals: Vec::new(),
            products: Vec::new(),
            zeros: Vec::new(),
            tapes: Map::default(),
            callees: Vec::new(),
            failed: false,
        }
    }

    /// A value of one type with a part that may have a tangent.
    fn part(&mut self, v: Value, of: Node) {
        if self.func.ty(v).may_have_tangent() {
            self.classes.unite(Node::Value(v), of);
        }
    }

    fn parts<'v>(&mut self, values: impl IntoIterator<Item = &'v Value>, of: Node) {
        for v in values {
            self.part(*v, of);
        }
    }

    fn tangent(&mut self, node: Node) {
        let index = self.classes.index(node);
        self.tangents.push(index);
    }

    fn primal(&mut self, node: Node) {
        let index = self.classes.index(node);
        self.primals.push(index);
    }

    fn known(&mut self, node: Node, tangent: bool) {
        if tangent {
            self.tangent(node);
        } else {
            self.primal(node);
        }
    }

    fn product(&mut self, result: Value, a: Value, b: Value) {
        let product = [result, a, b].map(|v| self.classes.index(Node::Value(v)));
        self.products.push(product);
    }

    fn pattern(&mut self, pattern: &Pattern) {
        match pattern {
            Pattern::Dual(a, b) => {
                self.leaf(a, false);
                self.leaf(b, true);
            }
            other => self.leaf(other, false),
        }
    }

    fn leaf(&mut self, pattern: &Pattern, tangent: bool) {
        let node = match pattern {
            Pattern::Value(v) => Node::Value(*v),
            Pattern::Slot(s) => Node::Slot(*s),
            Pattern::Unit => return,
            Pattern::Dual(..) | Pattern::CoDual(..) => {
                self.failed = true;
                return;
            }
        };
        self.known(node, tangent);
    }

    fn region(&mut self, region: &Region) {
        for op in &region.ops {
            self.op(op);
        }
    }

    fn entry(&self, tape: Slot, k: usize) -> Node {
        Node::Entry(self.tapes.get(&tape).copied().unwrap_or(tape), k)
    }

    fn op(&mut self, op: &Op) {
        let place = |place: &Place| Node::Slot(place.root);
        match &op.kind {
            OpKind::Const(Const::Zero | Const::Undef | Const::None)
            | OpKind::Len(_)
            | OpKind::SetZero(_) => {}
            OpKind::Unary(UnaryOp::Neg, a)
            | OpKind::Boxed(a)
            | OpKind::Unboxed(a)
            | OpKind::Field(a, _) => self.parts(&op.results, Node::Value(*a)),
            OpKind::Binary(BinaryOp::Add | BinaryOp::Sub, a, b)
            | OpKind::TangentSum(a, b)
            | OpKind::Select(_, a, b) => {
                self.classes.unite(Node::Value(*a), Node::Value(*b));
                self.parts(&op.results, Node::Value(*a));
            }
            OpKind::Binary(BinaryOp::Mul, a, b) | OpKind::StrongMul(a, b) => {
                self.product(op.results[0], *a, *b);
            }
            OpKind::Binary(BinaryOp::Div, a, b) | OpKind::StrongDiv(a, b) => {
                self.parts(&op.results, Node::Value(*a));
                self.primal(Node::Value(*b));
            }
            OpKind::Tuple(parts) | OpKind::Array { elems: parts, .. } => {
                self.parts(parts, Node::Value(op.results[0]));
            }
            OpKind::Repeat { elem, .. } => self.part(*elem, Node::Value(op.results[0])),
            OpKind::Untuple(a) | OpKind::Unpack { value: a, .. } => {
                self.parts(&op.results, Node::Value(*a));
            }
            OpKind::StructTangent {
                primal,
                variant: Some(path),
                fields,
                base: None,
                ..
            } if is_std_variant(path) && !fields.is_empty() => {
                self.primal(Node::Value(*primal));
                for (r, (_, v)) in op.results.iter().zip(fields) {
                    self.part(*v, Node::Value(*r));
                }
            }
            // The zero of a tangent is one; that of a primal value may be either.
            OpKind::ZeroLike(a) => self.follows(op.results[0], Node::Value(*a)),
            OpKind::ZeroOf(p) => self.follows(op.results[0], place(p)),
            OpKind::Init(s, v) => self.part(*v, Node::Slot(*s)),
            OpKind::Borrow(alias, of) => self.classes.unite(Node::Slot(*alias), place(of)),
            OpKind::Load(p) | OpKind::CloneOf(p) => self.parts(&op.results, place(p)),
            OpKind::Store(p, v) | OpKind::Accumulate(p, v) => self.part(*v, place(p)),
            OpKind::Replace(p, v) => {
                self.part(*v, place(p));
                self.parts(&op.results, place(p));
            }
            OpKind::Swap(a, b) | OpKind::AccumulatePlace { to: a, from: b } => {
                self.classes.unite(place(a), place(b));
            }
            OpKind::If { then, other, .. } => {
                for side in [then, other] {
                    self.region(side);
                    for (r, y) in op.results.iter().zip(&side.yields) {
                        self.part(*y, Node::Value(*r));
                    }
                }
            }
            OpKind::For { .. } | OpKind::Loop { .. } => self.carried(op),
            OpKind::Call(call) if call.rule == Rule::Frule => self.call(op, call),
            OpKind::Call(call) if call.rule == Rule::Primal && is_push(call, self.func) => {
                if let [Arg::Receiver(list), Arg::Value(v)] = &call.args[..] {
                    self.part(*v, place(list));
                }
            }
            OpKind::NewTape(..) => {}
            OpKind::Push(tape, values) => {
                for (k, v) in values.iter().enumerate() {
                    let entry = self.entry(*tape, k);
                    self.part(*v, entry);
                }
            }
            OpKind::Pop(tape) => {
                for (k, v) in op.results.iter().enumerate() {
                    let entry = self.entry(*tape, k);
                    self.part(*v, entry);
                }
            }
            OpKind::PushSlot(tape, s) | OpKind::PopSlot(tape, s) => {
                let entry = self.entry(*tape, 0);
                self.classes.unite(Node::Slot(*s), entry);
            }
            OpKind::Run { run, tape, .. } => {
                let tape = self.tapes.get(tape).copied().unwrap_or(*tape);
                self.tapes.insert(*run, tape);
            }
            OpKind::Combined(_) | OpKind::ApplyPullback(_) => self.failed = true,
            // Whatever else it does, it does with primal values.
            _ => self.only_primal(op),
        }
    }

    fn only_primal(&mut self, op: &Op) {
        op.each_operand(&mut |v| self.primal(Node::Value(v)));
        op.results.iter().for_each(|v| self.primal(Node::Value(*v)));
        for (slot, _) in op.slots() {
            self.primal(Node::Slot(slot));
        }
        if let OpKind::Opaque { uses, .. } = &op.kind {
            for used in uses {
                match used {
                    Use::Value(_, v) => self.primal(Node::Value(*v)),
                    Use::Place { place, .. } => self.primal(Node::Slot(place.root)),
                }
            }
        }
        self.failed |= op.has_regions() || !op.kind.closures().is_empty();
    }

    /// A value that is a tangent if `of` is one.
    fn follows(&mut self, v: Value, of: Node) {
        let [v, of] = [Node::Value(v), of].map(|node| self.classes.index(node));
        self.zeros.push([v, of]);
    }

    fn carried(&mut self, op: &Op) {
        let Some(carried) = op.carried() else {
            bug!("not a loop")
        };
        self.region(carried.body);
        for [init, param, next, result] in carried.positions() {
            self.parts(&[init, next, result], Node::Value(param));
        }
    }

    /// A function of the same module, which has a rule in several directions or says that it has none.
    fn call(&mut self, op: &Op, call: &Call) {
        let Callee::Path {
            path,
            associated: false,
        } = &call.callee
        else {
            self.failed = true;
            return;
        };
        let name = function_name(path);
        let own =
            name.as_ref().is_some_and(|name| self.func.name == name) && self.func.items.is_empty();
        let sibling = name.and_then(|name| self.func.siblings.get(&name));
        self.failed |= !own && sibling.is_none() || call.is_functional();
        for (arg, tangent) in call.args.iter().zip(&call.tangents) {
            self.arg(arg, false);
            match tangent {
                Some(tangent) => self.arg(tangent, true),
                // The callee may want a zero for it.
                None => self.failed |= !self.has_zero(arg),
            }
        }
        let unit = sibling.is_some_and(|sibling| sibling.unit)
            || own && matches!(&self.func.output, syn::Type::Tuple(ty) if ty.elems.is_empty());
        if let [y, y_dot] = op.results[..]
            && !unit
        {
            self.primal(Node::Value(y));
            self.tangent(Node::Value(y_dot));
        }
        if !own && !self.callees.contains(path) {
            self.callees.push(path.clone());
        }
    }

    /// True if an argument has no tangent, or a zero in several directions.
    fn has_zero(&self, arg: &Arg) -> bool {
        let ty = match arg {
            Arg::Value(v) => Some(self.func.ty(*v)),
            Arg::Ref(p) | Arg::Mut(p) | Arg::Receiver(p) => self.func.place_ty(p),
            Arg::Function(_) => None,
        };
        ty.is_some_and(|ty| !ty.may_have_tangent() || ty.widened().is_some())
    }

    fn arg(&mut self, arg: &Arg, tangent: bool) {
        let node = match arg {
            Arg::Value(v) => {
                self.failed |= self.func.value(*v).maybe_reference;
                Node::Value(*v)
            }
            Arg::Ref(p) | Arg::Mut(p) | Arg::Receiver(p) => Node::Slot(p.root),
            Arg::Function(_) => {
                self.failed = true;
                return;
            }
        };
        self.known(node, tangent);
    }

    fn solve(mut self) -> Option<Lanes> {
        if self.failed {
            return None;
        }
        let mut lanes = vec![false; self.classes.len()];
        for tangent in std::mem::take(&mut self.tangents) {
            lanes[self.classes.root(tangent)] = true;
        }
        let is = |lanes: &[bool], node: usize| lanes[self.classes.root(node)];
        loop {
            let mut changed = false;
            let products = self
                .products
                .iter()
                .map(|[result, a, b]| (*result, [*a, *b]));
            let zeros = self.zeros.iter().map(|[zero, of]| (*zero, [*of, *of]));
            for (result, of) in products.chain(zeros) {
                if !is(&lanes, result) && of.iter().any(|of| is(&lanes, *of)) {
                    lanes[self.classes.root(result)] = true;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        let fits = |[result, a, b]: &[usize; 3]| {
            let (a_is, b_is) = (is(&lanes, *a), is(&lanes, *b));
            !(a_is && b_is) && (a_is || b_is) == is(&lanes, *result)
        };
        if !self.products.iter().all(fits) || self.primals.iter().any(|p| is(&lanes, *p)) {
            return None;
        }
        let mut found = Lanes {
            values: Vec::new(),
            slots: Vec::new(),
            callees: self.callees.clone(),
        };
        for (node, index) in self.classes.nodes() {
            match node {
                Node::Value(v) if is(&lanes, index) => found.values.push(v),
                Node::Slot(s) if is(&lanes, index) => found.slots.push(s),
                _ => {}
            }
        }
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::pipeline::{self, forward_rule, reverse_rule};
    use crate::testing::{emitted_wide, primal};
    use crate::transform::Shape;

    #[test]
    fn tangents_are_lanes_and_primal_values_stay() {
        let func = primal(
            "fn f(x: &[f64], a: f64) -> Vec<f64> {
                let mut y = Vec::new();
                for i in 0..x.len() {
                    y.push(2.0 * (a * x[i]).sin());
                }
                y
            }",
        );
        let rule = wide(&forward_rule(&func)).expect("a rule in several directions");
        expect![[r#"
            #[doc(hidden)]
            #[inline]
            fn frule<__Lanes: rt::Lanes>(
                rt::Dual(x, x_dot): rt::Dual<&[f64], &[__Lanes]>,
                rt::Dual(a, a_dot): rt::Dual<f64, __Lanes>,
            ) -> rt::Dual<Vec<f64>, rt::Vec<__Lanes>> {
                let x_dot_1 = &x_dot[..x.len()];
                let len = x.len();
                let list = rt::vec![0.0f64; len];
                let zero = rt::wide::zero::<__Lanes, _>(&list);
                let mut y_dot = zero;
                let mut y = list;
                let y_1 = &mut y[..len];
                let y_dot_1 = &mut y_dot[..len];
                for i in 0usize..len {
                    let x_1 = x[i];
                    let t = a * x_1;
                    let t_dot = rt::Lanes::strong_mul(a_dot * x_1 + x_dot_1[i] * a, t.cos());
                    y_1[i] = 2.0 * t.sin();
                    y_dot_1[i] = t_dot * 2.0;
                }
                let y_2 = y;
                let y_dot_2 = y_dot;
                rt::Dual(y_2, y_dot_2)
            }
        "#]]
        .assert_eq(&emitted_wide(&rule.func, "frule"));
    }

    #[test]
    fn a_hessian_has_a_seed_of_one() {
        let func = primal("fn f(x: &[f64]) -> f64 { x[0] * x[1].exp() }");
        let second = forward_rule(&reverse_rule(&func, Shape::Combined));
        let second = pipeline::rule(with_unit_seed(&second).expect("a seed"));
        let rule = wide(&second).expect("a rule in several directions");
        expect![[r#"
            #[doc(hidden)]
            #[inline]
            fn hessian<__Lanes: rt::Lanes>(
                rt::Dual(x, x_dot): rt::Dual<&[f64], &[__Lanes]>,
                _: (),
                rt::Dual(x_bar, x_bar_dot): rt::Dual<&mut [f64], &mut [__Lanes]>,
            ) -> () {
                let x_dot_1 = &x_dot[..x.len()];
                let len = x.len();
                let x_bar_1 = &mut x_bar[..len];
                let x_bar_dot_1 = &mut x_bar_dot[..len];
                let x_1 = x[0];
                let t = x[1].exp();
                let t_dot = rt::Lanes::strong_mul(x_dot_1[1], t);
                x_bar_dot_1[1]
                    += rt::Lanes::strong_mul(x_dot_1[0], t) + rt::Lanes::strong_factor(t_dot, x_1);
                x_bar_1[1] += rt::strong_mul(x_1, t);
                x_bar_dot_1[0] += t_dot;
                x_bar_1[0] += t;
                ()
            }
        "#]]
        .assert_eq(&emitted_wide(&rule.func, "hessian"));
    }

    #[test]
    fn what_is_not_made_of_doubles_goes_one_direction_at_a_time() {
        for source in [
            "fn f(x: f32) -> f32 { x * x }",
            "fn f(p: &Params) -> f64 { p.a * p.b }",
            "fn f(x: f64) -> f64 { elsewhere(x) }",
            "fn f(x: &[f64]) -> f64 { let y: f64 = x.iter().map(|x| x.method()).sum(); y }",
        ] {
            assert!(wide(&forward_rule(&primal(source))).is_none(), "{source}");
        }
    }
}

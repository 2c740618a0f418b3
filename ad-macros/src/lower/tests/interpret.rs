//! A small interpreter of the intermediate representation, so that the lowering of a function can be compared with the
//! function compiled by rustc.

use std::collections::HashMap;

use crate::ir::{
    Adapter, BinaryOp, Const, Func, Lookup, Op, OpKind, PassedBy, Pattern, Place, Proj, Range,
    Region, RepeatLen, Slot, SlotKind, Ty, UnaryOp, Use, Value,
};

#[derive(Clone, PartialEq, Debug)]
pub(super) enum Data {
    Unit,
    Undef,
    Float(f64),
    Int(i128),
    Bool(bool),
    List(Vec<Data>),
}

/// Runs `func`. Returns its result and the final content of the arguments behind references.
pub(super) fn run(func: &Func, args: Vec<Data>) -> (Data, Vec<Data>) {
    let mut machine = Machine {
        func,
        values: HashMap::new(),
        slots: HashMap::new(),
        fuel: 100_000,
    };
    for (param, arg) in func.params.iter().zip(args) {
        match &param.pattern {
            Pattern::Value(v) => {
                machine.values.insert(*v, arg);
            }
            Pattern::Slot(s) => {
                machine.slots.insert(*s, Memory::Own(arg));
            }
            other => panic!("parameter {other}"),
        }
    }
    machine.region(&func.body);
    let result = match &func.result {
        Pattern::Value(v) => machine.value(*v),
        _ => Data::Unit,
    };
    let mutated = func.params.iter().filter(|param| param.by == PassedBy::Mut);
    let after = mutated
        .map(|param| match &param.pattern {
            Pattern::Slot(s) => machine.load(&Place::whole(*s)),
            other => panic!("parameter {other}"),
        })
        .collect();
    (result, after)
}

enum Memory {
    Own(Data),
    /// Another slot, and steps from there.
    Alias(Slot, Vec<Step>),
}

#[derive(Clone, Copy, Debug)]
enum Step {
    At(usize),
    Range(usize, Option<usize>),
}

struct Machine<'a> {
    func: &'a Func,
    values: HashMap<Value, Data>,
    slots: HashMap<Slot, Memory>,
    fuel: usize,
}

impl Machine<'_> {
    fn value(&self, v: Value) -> Data {
        self.values
            .get(&v)
            .cloned()
            .unwrap_or_else(|| panic!("{v} has no value"))
    }

    fn float(&self, v: Value) -> f64 {
        match self.value(v) {
            Data::Float(x) => x,
            other => panic!("{v} is {other:?}"),
        }
    }

    fn int(&self, v: Value) -> i128 {
        match self.value(v) {
            Data::Int(n) => n,
            other => panic!("{v} is {other:?}"),
        }
    }

    fn index(&self, v: Value) -> usize {
        usize::try_from(self.int(v)).expect("an index")
    }

    fn bool(&self, v: Value) -> bool {
        match self.value(v) {
            Data::Bool(b) => b,
            other => panic!("{v} is {other:?}"),
        }
    }

    /// Runs the operations of a region, and returns its yields.
    fn region(&mut self, region: &Region) -> Vec<Data> {
        for op in &region.ops {
            self.fuel = self.fuel.checked_sub(1).expect("the program ends");
            let results = self.op(op);
            assert_eq!(results.len(), op.results.len(), "results of {:?}", op.kind);
            self.values.extend(op.results.iter().copied().zip(results));
        }
        region.yields.iter().map(|v| self.value(*v)).collect()
    }

    fn op(&mut self, op: &Op) -> Vec<Data> {
        let one = |data| vec![data];
        match &op.kind {
            OpKind::Const(c) => one(constant(c, self.func.ty(op.results[0]))),
            OpKind::Unary(UnaryOp::Neg, a) => one(match self.value(*a) {
                Data::Int(n) => Data::Int(-n),
                _ => Data::Float(-self.float(*a)),
            }),
            OpKind::Unary(UnaryOp::Not, a) => one(Data::Bool(!self.bool(*a))),
            OpKind::Binary(op, a, b) => one(binary(*op, &self.value(*a), &self.value(*b))),
            OpKind::Cast(a) => {
                let to_float = self.func.ty(op.results[0]).is_float();
                one(match self.value(*a) {
                    #[allow(clippy::cast_precision_loss)] // small numbers
                    Data::Int(n) if to_float => Data::Float(n as f64),
                    Data::Bool(b) => Data::Int(i128::from(b)),
                    other => other,
                })
            }
            OpKind::Math(name, args) => {
                let args: Vec<f64> = args
                    .iter()
                    .map(|v| match self.value(*v) {
                        #[allow(clippy::cast_precision_loss)] // small numbers
                        Data::Int(n) => n as f64,
                        _ => self.float(*v),
                    })
                    .collect();
                one(Data::Float(math(name, &args)))
            }
            OpKind::Select(c, a, b) => one(self.value(if self.bool(*c) { *a } else { *b })),
            OpKind::Tuple(values) => {
                one(Data::List(values.iter().map(|v| self.value(*v)).collect()))
            }
            OpKind::Untuple(a) => match self.value(*a) {
                Data::List(parts) => parts,
                other => panic!("{other:?} is no tuple"),
            },
            OpKind::Array { elems, .. } => {
                one(Data::List(elems.iter().map(|v| self.value(*v)).collect()))
            }
            OpKind::Repeat { elem, len } => {
                let n = match len {
                    RepeatLen::Vec(n) => self.index(*n),
                    RepeatLen::Array(n) => n.to_string().parse().expect("a literal"),
                };
                one(Data::List(vec![self.value(*elem); n]))
            }
            OpKind::Init(slot, v) => {
                let data = self.value(*v);
                self.slots.insert(*slot, Memory::Own(data));
                Vec::new()
            }
            OpKind::Borrow(slot, place) => {
                assert_eq!(self.func.slot(*slot).kind, SlotKind::Ref);
                let steps = self.steps(place);
                self.load(place); // checks the range
                self.slots.insert(*slot, Memory::Alias(place.root, steps));
                Vec::new()
            }
            OpKind::Load(place) | OpKind::CloneOf(place) => one(self.load(place)),
            OpKind::Store(place, v) => {
                let data = self.value(*v);
                *self.target(place) = data;
                Vec::new()
            }
            OpKind::Replace(place, v) => {
                let data = self.value(*v);
                one(std::mem::replace(self.target(place), data))
            }
            OpKind::Swap(a, b) => {
                let held = std::mem::replace(self.target(a), Data::Unit);
                let held = std::mem::replace(self.target(b), held);
                *self.target(a) = held;
                Vec::new()
            }
            OpKind::Locate { .. } => one(Data::Unit),
            OpKind::Len(place) => match self.load(place) {
                Data::List(list) => one(Data::Int(list.len() as i128)),
                other => panic!("{other:?} has no length"),
            },
            OpKind::If { cond, then, other } => {
                self.region(if self.bool(*cond) { then } else { other })
            }
            OpKind::For {
                range,
                init,
                stop,
                body,
            } => self.counted(range, init, *stop, body),
            OpKind::Loop { init, body } => {
                let mut carried: Vec<Data> = init.iter().map(|v| self.value(*v)).collect();
                loop {
                    self.values.extend(body.params.iter().copied().zip(carried));
                    let mut yields = self.region(body);
                    let stop = yields.remove(0);
                    carried = yields;
                    if stop == Data::Bool(true) {
                        return carried;
                    }
                }
            }
            OpKind::Opaque { tokens, uses, .. } => self.opaque(&tokens.to_string(), uses),
            other => panic!("no interpretation of {other:?}"),
        }
    }

    fn counted(&mut self, range: &Range, init: &[Value], stop: bool, body: &Region) -> Vec<Data> {
        let hi = self.int(range.hi) + i128::from(range.inclusive);
        let mut positions: Vec<i128> = (self.int(range.lo)..hi).collect();
        for adapter in &range.adapters {
            match adapter {
                Adapter::Checkpoint(_) => {}
                Adapter::Rev => positions.reverse(),
                Adapter::StepBy(k) => {
                    positions = positions.into_iter().step_by(self.index(*k)).collect();
                }
            }
        }
        let mut carried: Vec<Data> = init.iter().map(|v| self.value(*v)).collect();
        for k in positions {
            let params = std::iter::once(Data::Int(k)).chain(carried);
            self.values.extend(body.params.iter().copied().zip(params));
            let mut yields = self.region(body);
            let ends = stop && yields.remove(0) == Data::Bool(true);
            carried = yields;
            if ends {
                break;
            }
        }
        carried
    }

    /// Only the code that the tests need: assertions, names for values, and lengths of ranges.
    fn opaque(&mut self, code: &str, uses: &[Use]) -> Vec<Data> {
        if code.starts_with("println") || code.contains("assert") {
            return Vec::new();
        }
        match uses {
            [Use::Value(name, v)] if *name == code => vec![self.value(*v)],
            [Use::Value(_, lo), Use::Value(_, hi)] if code.contains("abs_diff") => {
                vec![Data::Int(self.int(*hi) - self.int(*lo))]
            }
            _ => panic!("no interpretation of `{code}`"),
        }
    }

    fn steps(&self, place: &Place) -> Vec<Step> {
        place
            .path
            .iter()
            .map(|proj| match proj {
                Proj::Field(syn::Member::Unnamed(k)) => Step::At(k.index as usize),
                Proj::Field(syn::Member::Named(name)) => panic!("field {name}"),
                Proj::Index(i) | Proj::At(Lookup::Index(i), _) => Step::At(self.index(*i)),
                Proj::Range(lo, hi) => {
                    Step::Range(lo.map_or(0, |v| self.index(v)), hi.map(|v| self.index(v)))
                }
                Proj::At(..) | Proj::Variant(..) | Proj::Deref => {
                    panic!("no interpretation of {proj}")
                }
            })
            .collect()
    }

    /// Where a place is: a slot that owns, and steps without ranges or with one at the end.
    fn resolve(&self, place: &Place) -> (Slot, Vec<Step>) {
        let mut steps = self.steps(place);
        let mut slot = place.root;
        while let Some(Memory::Alias(to, before)) = self.slots.get(&slot) {
            steps = before.iter().copied().chain(steps).collect();
            slot = *to;
        }
        let mut joined: Vec<Step> = Vec::new();
        for step in steps {
            match (joined.last().copied(), step) {
                (Some(Step::Range(lo, hi)), Step::At(k)) => {
                    assert!(
                        hi.is_none_or(|hi| lo + k < hi),
                        "index {k} out of the range"
                    );
                    joined.pop();
                    joined.push(Step::At(lo + k));
                }
                (Some(Step::Range(lo, hi)), Step::Range(a, b)) => {
                    joined.pop();
                    joined.push(Step::Range(lo + a, b.map(|b| lo + b).or(hi)));
                }
                (_, step) => joined.push(step),
            }
        }
        (slot, joined)
    }

    fn load(&self, place: &Place) -> Data {
        let (slot, steps) = self.resolve(place);
        let mut data = match self.slots.get(&slot) {
            Some(Memory::Own(data)) => data.clone(),
            _ => panic!("{slot} is not initialised"),
        };
        for step in steps {
            data = match (data, step) {
                (Data::List(list), Step::At(k)) => list[k].clone(),
                (Data::List(list), Step::Range(lo, hi)) => {
                    Data::List(list[lo..hi.unwrap_or(list.len())].to_vec())
                }
                (other, step) => panic!("{step:?} of {other:?}"),
            };
        }
        data
    }

    fn target(&mut self, place: &Place) -> &mut Data {
        let (slot, steps) = self.resolve(place);
        let Some(Memory::Own(owned)) = self.slots.get_mut(&slot) else {
            panic!("{slot} is not initialised")
        };
        let mut data = owned;
        for step in steps {
            data = match (data, step) {
                (Data::List(list), Step::At(k)) => &mut list[k],
                (other, step) => panic!("{step:?} of {other:?}"),
            };
        }
        data
    }
}

fn constant(constant: &Const, ty: &Ty) -> Data {
    match constant {
        Const::Float(digits) => Data::Float(digits.replace('_', "").parse().expect("a float")),
        Const::Int(digits) if ty.is_float() => Data::Float(digits.parse().expect("a float")),
        Const::Int(digits) => Data::Int(digits.replace('_', "").parse().expect("an integer")),
        Const::Bool(b) => Data::Bool(*b),
        Const::Unit => Data::Unit,
        Const::Undef => Data::Undef,
        other => panic!("no interpretation of {other}"),
    }
}

fn binary(op: BinaryOp, a: &Data, b: &Data) -> Data {
    use BinaryOp as B;
    match (a, b) {
        (Data::Float(a), Data::Float(b)) => match op {
            B::Add => Data::Float(a + b),
            B::Sub => Data::Float(a - b),
            B::Mul => Data::Float(a * b),
            B::Div => Data::Float(a / b),
            B::Rem => Data::Float(a % b),
            op => Data::Bool(compare(op, a.partial_cmp(b))),
        },
        (Data::Int(a), Data::Int(b)) => match op {
            B::Add => Data::Int(a + b),
            B::Sub => Data::Int(a - b),
            B::Mul => Data::Int(a * b),
            B::Div => Data::Int(a / b),
            B::Rem => Data::Int(a % b),
            B::BitAnd => Data::Int(a & b),
            B::BitOr => Data::Int(a | b),
            B::BitXor => Data::Int(a ^ b),
            B::Shl => Data::Int(a << b),
            B::Shr => Data::Int(a >> b),
            op => Data::Bool(compare(op, a.partial_cmp(b))),
        },
        (Data::Bool(a), Data::Bool(b)) => Data::Bool(match op {
            B::BitAnd => a & b,
            B::BitOr => a | b,
            B::BitXor => a ^ b,
            op => compare(op, a.partial_cmp(b)),
        }),
        other => panic!("{op} of {other:?}"),
    }
}

fn compare(op: BinaryOp, ordering: Option<std::cmp::Ordering>) -> bool {
    let Some(ordering) = ordering else {
        return op == BinaryOp::Ne;
    };
    match op {
        BinaryOp::Lt => ordering.is_lt(),
        BinaryOp::Le => ordering.is_le(),
        BinaryOp::Gt => ordering.is_gt(),
        BinaryOp::Ge => ordering.is_ge(),
        BinaryOp::Eq => ordering.is_eq(),
        BinaryOp::Ne => ordering.is_ne(),
        other => panic!("{other} is no comparison"),
    }
}

fn math(name: &str, args: &[f64]) -> f64 {
    match (name, args) {
        ("sin", [x]) => x.sin(),
        ("cos", [x]) => x.cos(),
        ("exp", [x]) => x.exp(),
        ("sqrt", [x]) => x.sqrt(),
        ("abs", [x]) => x.abs(),
        ("floor", [x]) => x.floor(),
        ("max", [x, y]) => x.max(*y),
        ("powf" | "powi", [x, y]) => x.powf(*y),
        _ => panic!("no interpretation of {name}"),
    }
}

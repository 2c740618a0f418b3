//! Takes small structs, arrays and tuples apart into scalars (scalar replacement of aggregates).
//!
//! ```text
//! init $0 a: V3 = V3 { x: %1, y: %2 }; %3 = load $0.x; store $0.y = %3     |     the content of `$0.x` is %1, and that of `$0.y` is %1, too
//! ```
//!
//! Input: a primal. Output: the same function, in which variables of few components, which are only read and written, are values: branches yield
//! them, and loops carry them. Valid where no reference leads to the variable, and every index is a literal.
//!
//! The pass runs after unrolling. The aggregates are arrays, tuples, and structs that derive `Copy` and whose fields all have tangents. A
//! struct with a `#[constant]` field stays whole, since a differentiated value that is stored in the field must be refused.

use proc_macro2::Span;

use crate::ir::{
    Const, Func, Map, Op, OpKind, Place, Proj, Region, Set, Slot, SlotData, SlotKind, Ty, Value,
};

/// The most components of a variable that is taken apart.
const COMPONENTS: usize = 16;

/// A step from a variable to a component.
#[derive(Clone, PartialEq, Debug)]
enum Step {
    Field(syn::Member),
    Element(i64),
}

/// A component, and how to get there.
#[derive(Clone, Debug)]
struct Leaf {
    path: Vec<Step>,
    ty: Ty,
}

/// Takes all variables apart that can be.
pub(crate) fn scalars(mut func: Func) -> Func {
    let found = Candidates::find(&func);
    let mut taken_apart = !found.leaves.is_empty();
    func.body
        .walk(&mut |op| taken_apart |= matches!(op.kind, OpKind::Untuple(_)));
    if !taken_apart {
        return func;
    }
    let mut body = std::mem::take(&mut func.body);
    let mut apart = Apart {
        needed: needed(&body, &func, &found),
        func: &mut func,
        found: &found,
        current: Map::default(),
        parts: Map::default(),
        opened: Vec::new(),
        same: Map::default(),
    };
    apart.region(&mut body);
    let same = apart.same;
    func.body = body;
    (func.result).each_value_mut(&mut |v| *v = same.get(v).copied().unwrap_or(*v));
    func
}

/// The components of a type, if they are few and all are scalars.
fn leaves_of(func: &Func, ty: &Ty) -> Option<Vec<Leaf>> {
    fn add(func: &Func, ty: &Ty, path: &mut Vec<Step>, all: &mut Vec<Leaf>) -> Option<()> {
        if ty.is_scalar() {
            all.push(Leaf {
                path: path.clone(),
                ty: ty.clone(),
            });
            return (all.len() <= COMPONENTS).then_some(());
        }
        for (step, ty) in components(func, ty)? {
            path.push(step);
            add(func, &ty, path, all)?;
            path.pop();
        }
        Some(())
    }
    let mut all = Vec::new();
    add(func, ty, &mut Vec::new(), &mut all)?;
    (!ty.is_scalar()).then_some(all)
}

/// The members of an aggregate, with their types.
fn components(func: &Func, ty: &Ty) -> Option<Vec<(Step, Ty)>> {
    Some(match ty {
        Ty::Named(_) => {
            let known = func.struct_of(ty)?;
            let fields = known.whole.then_some(&known.fields)?;
            fields
                .iter()
                .map(|(member, ty)| (Step::Field(member.clone()), ty.clone()))
                .collect()
        }
        Ty::Array(element, len) => {
            let syn::Expr::Lit(len) = &**len else {
                return None;
            };
            let syn::Lit::Int(len) = &len.lit else {
                return None;
            };
            let len: i64 = len.base10_parse().ok()?;
            if len > i64::try_from(COMPONENTS).unwrap_or(0) {
                return None;
            }
            (0..len)
                .map(|k| (Step::Element(k), (**element).clone()))
                .collect()
        }
        Ty::Tuple(types) => {
            let field = |k: usize| Step::Field(syn::Member::from(k));
            let types = types.iter().enumerate();
            types.map(|(k, ty)| (field(k), ty.clone())).collect()
        }
        _ => return None,
    })
}

/// The variables that are taken apart.
struct Candidates {
    leaves: Map<Slot, Vec<Leaf>>,
    ints: Map<Value, i64>,
}

impl Candidates {
    fn find(func: &Func) -> Self {
        let mut found = Candidates {
            leaves: Map::default(),
            ints: func.integers(),
        };
        func.body.walk(&mut |op| {
            if let OpKind::Init(slot, _) = op.kind {
                let data = func.slot(slot);
                let plain = data.kind == SlotKind::Owned && !data.in_option && !data.may_borrow;
                if let Some(leaves) = leaves_of(func, &data.ty).filter(|_| plain) {
                    found.leaves.insert(slot, leaves);
                }
            }
        });
        let mut kept: Set<Slot> = Set::default();
        func.body.walk(&mut |op| {
            match &op.kind {
                OpKind::Load(place) | OpKind::CloneOf(place) | OpKind::Store(place, _) => {
                    if found.range(place).is_none() {
                        kept.insert(place.root);
                    }
                }
                OpKind::Init(..) => {}
                _ => kept.extend(op.slots().into_iter().map(|(slot, _)| slot)),
            }
            // Their regions run in other functions.
            if !op.is_control() {
                op.each_region(&mut |region| {
                    region.walk(&mut |op| kept.extend(op.slots().into_iter().map(|(s, _)| s)));
                });
            }
        });
        found.leaves.retain(|slot, _| !kept.contains(slot));
        found
    }

    /// The components that a place has, as a range of those of its variable.
    fn range(&self, place: &Place) -> Option<std::ops::Range<usize>> {
        let leaves = self.leaves.get(&place.root)?;
        let mut path = Vec::new();
        for proj in &place.path {
            path.push(match proj {
                Proj::Field(member) => Step::Field(member.clone()),
                Proj::Index(v) => Step::Element(*self.ints.get(v)?),
                _ => return None,
            });
        }
        let is_in = |leaf: &Leaf| leaf.path.starts_with(&path);
        let first = leaves.iter().position(is_in)?;
        let count = leaves[first..]
            .iter()
            .take_while(|leaf| is_in(leaf))
            .count();
        Some(first..first + count)
    }
}

/// The aggregates that something else than a variable that is taken apart wants as a whole.
fn needed(body: &Region, func: &Func, found: &Candidates) -> Set<Value> {
    let mut all = Set::default();
    body.walk_regions(&mut |region| all.extend(region.yields.iter().copied()));
    body.walk(&mut |op| match &op.kind {
        OpKind::Init(slot, _) if found.leaves.contains_key(slot) => {}
        // It is kept if the tuple isn't written here.
        OpKind::Untuple(v)
            if leaves_of(func, func.ty(*v))
                .is_some_and(|leaves| leaves.len() == op.results.len()) => {}
        OpKind::Store(place, v) if found.leaves.contains_key(&place.root) => {
            // It is no aggregate then, or is taken apart.
            op.each_operand(&mut |operand| {
                if operand != *v {
                    all.insert(operand);
                }
            });
        }
        // Those that are part of a larger one.
        _ if values(func, op).is_some() => {
            op.each_operand(&mut |v| {
                if leaves_of(func, func.ty(v)).is_none() {
                    all.insert(v);
                }
            });
        }
        _ => op.each_operand(&mut |v| {
            all.insert(v);
        }),
    });
    // An aggregate that stays needs its parts.
    let mut more = true;
    while std::mem::take(&mut more) {
        body.walk(&mut |op| {
            if op.results.iter().any(|v| all.contains(v)) {
                op.each_operand(&mut |v| more |= all.insert(v));
            }
        });
    }
    all
}

/// The values of an aggregate that is written here and can be taken apart, in the order of its type: they are of the types that it says.
fn values(func: &Func, op: &Op) -> Option<Vec<Value>> {
    let (
        OpKind::Struct { base: None, .. } | OpKind::Tuple(_) | OpKind::Array { vec: false, .. },
        [result],
    ) = (&op.kind, &op.results[..])
    else {
        return None;
    };
    let ty = func.ty(*result);
    leaves_of(func, ty)?;
    let members = components(func, ty)?;
    let value = |(k, (step, ty)): (usize, &(Step, Ty))| {
        let v = match &op.kind {
            OpKind::Struct { fields, .. } => {
                let mut fields = fields.iter();
                fields
                    .find(|(member, _)| Step::Field(member.clone()) == *step)?
                    .1
            }
            OpKind::Tuple(values) | OpKind::Array { elems: values, .. } => *values.get(k)?,
            _ => return None,
        };
        let own = func.ty(v);
        let is_same = own.is_scalar() && ty.is_scalar()
            || leaves_of(func, own)?.len() == leaves_of(func, ty)?.len();
        is_same.then_some(v)
    };
    members.iter().enumerate().map(value).collect()
}

struct Apart<'a> {
    func: &'a mut Func,
    found: &'a Candidates,
    needed: Set<Value>,
    /// The current values of variables' components.
    current: Held,
    /// The components of aggregates.
    parts: Map<Value, Vec<Value>>,
    /// Those that were read from an aggregate that isn't written here, in the region and those around it.
    opened: Vec<Value>,
    /// The values that replace results of loads.
    same: Map<Value, Value>,
}

impl Apart<'_> {
    fn get(&self, v: Value) -> Value {
        self.same.get(&v).copied().unwrap_or(v)
    }

    /// Aggregates of outside that are taken apart in there are so in there alone.
    fn region(&mut self, region: &mut Region) {
        let before = self.opened.len();
        let mut ops = Vec::with_capacity(region.ops.len());
        for mut op in std::mem::take(&mut region.ops) {
            op.each_operand_mut(&mut |v| *v = self.get(*v));
            self.op(op, &mut ops);
        }
        region.ops = ops;
        for v in &mut region.yields {
            *v = self.get(*v);
        }
        for v in self.opened.drain(before..) {
            self.parts.remove(&v);
        }
    }

    fn op(&mut self, mut op: Op, ops: &mut Vec<Op>) {
        match &mut op.kind {
            OpKind::Init(slot, v) if self.found.leaves.contains_key(slot) => {
                let components = self.components_of(*v, op.span, ops);
                self.current.insert(*slot, components);
            }
            OpKind::Store(place, v) if self.found.leaves.contains_key(&place.root) => {
                let range = self.range(place);
                let components = if self.func.ty(*v).is_scalar() {
                    vec![*v]
                } else {
                    self.components_of(*v, op.span, ops)
                };
                if let Some(current) = self.current.get_mut(&place.root) {
                    current.splice(range, components);
                }
            }
            OpKind::Load(place) | OpKind::CloneOf(place)
                if self.found.leaves.contains_key(&place.root) =>
            {
                let range = self.range(place);
                let held = self.current.get(&place.root);
                let held = held.map_or_else(Vec::new, |held| held[range].to_vec());
                let result = op.results[0];
                if self.func.ty(result).is_scalar() {
                    self.same.insert(result, held[0]);
                } else {
                    if self.needed.contains(&result) {
                        self.whole(result, &held, op.span, ops);
                    }
                    self.parts.insert(result, held);
                }
            }
            OpKind::Untuple(v) => match self.parts.get(v) {
                Some(parts) if parts.len() == op.results.len() => {
                    let parts = parts.iter().copied();
                    self.same.extend(op.results.iter().copied().zip(parts));
                }
                _ => ops.push(op),
            },
            OpKind::If { .. } => self.branch(op, ops),
            OpKind::For { .. } | OpKind::Loop { .. } => self.repeat(op, ops),
            _ => match values(self.func, &op) {
                Some(values) => {
                    let result = op.results[0];
                    let parts = self.written(&values, op.span, ops);
                    self.parts.insert(result, parts);
                    if self.needed.contains(&result) {
                        ops.push(op);
                    }
                }
                None => {
                    for function in op.regions_mut() {
                        self.region(function);
                    }
                    ops.push(op);
                }
            },
        }
    }

    fn range(&self, place: &Place) -> std::ops::Range<usize> {
        self.found
            .range(place)
            .unwrap_or_else(|| crate::diagnostics::bug!("a place that isn't taken apart"))
    }

    /// The components of a written aggregate's values.
    fn written(&mut self, values: &[Value], span: Span, ops: &mut Vec<Op>) -> Vec<Value> {
        let mut parts = Vec::new();
        for &v in values {
            if self.func.ty(v).is_scalar() {
                parts.push(v);
            } else {
                parts.extend(self.components_of(v, span, ops));
            }
        }
        parts
    }

    /// The components of any aggregate.
    fn components_of(&mut self, v: Value, span: Span, ops: &mut Vec<Op>) -> Vec<Value> {
        if let Some(parts) = self.parts.get(&v) {
            return parts.clone();
        }
        let ty = self.func.ty(v).clone();
        let leaves = leaves_of(self.func, &ty).unwrap_or_default();
        let name = self.func.value(v).name.clone();
        let held = self
            .func
            .new_slot(SlotData::new(ty, SlotKind::Owned, name, span));
        let effect = |kind, results| Op {
            kind,
            results,
            span,
        };
        ops.push(effect(OpKind::Init(held, v), Vec::new()));
        let mut all = Vec::new();
        for leaf in leaves {
            let mut place = Place::whole(held);
            for step in leaf.path {
                place.path.push(match step {
                    Step::Field(member) => Proj::Field(member),
                    Step::Element(k) => {
                        let at = self.func.new_value(Ty::Int("usize"), "c", span);
                        let index = OpKind::Const(Const::Int(k.to_string()));
                        ops.push(effect(index, vec![at]));
                        Proj::Index(at)
                    }
                });
            }
            let name = self.func.slot(held).name.clone();
            let component = self.func.new_value(leaf.ty, name, span);
            ops.push(effect(OpKind::Load(place), vec![component]));
            all.push(component);
        }
        self.parts.insert(v, all.clone());
        self.opened.push(v);
        all
    }

    /// Puts an aggregate together: `result`, of these components.
    fn whole(&mut self, result: Value, parts: &[Value], span: Span, ops: &mut Vec<Op>) {
        let ty = self.func.ty(result).clone();
        let mut rest = parts;
        let mut members = Vec::new();
        for (step, ty) in components(self.func, &ty).unwrap_or_default() {
            let count = leaves_of(self.func, &ty).map_or(1, |leaves| leaves.len());
            let (own, others) = rest.split_at(count);
            rest = others;
            let v = if ty.is_scalar() {
                own[0]
            } else {
                let name = self.func.value(result).name.clone();
                let v = self.func.new_value(ty, name, span);
                self.whole(v, own, span, ops);
                v
            };
            members.push((step, v));
        }
        let values = members.iter().map(|(_, v)| *v).collect();
        let kind = match &ty {
            Ty::Tuple(_) => OpKind::Tuple(values),
            Ty::Array(..) => OpKind::Array {
                elems: values,
                vec: false,
            },
            ty => OpKind::Struct {
                path: syn::parse_str(&ty.to_string())
                    .unwrap_or_else(|_| crate::diagnostics::bug!("a struct without a path")),
                variant: false,
                checked: None,
                fields: members
                    .into_iter()
                    .filter_map(|(step, v)| match step {
                        Step::Field(member) => Some((member, v)),
                        Step::Element(_) => None,
                    })
                    .collect(),
                base: None,
            },
        };
        ops.push(Op::new(kind, vec![result], span));
    }

    /// A value for a component after a branch, or in a loop.
    fn fresh(&mut self, slot: Slot, k: usize, span: Span) -> Value {
        let leaf = &self.found.leaves[&slot][k];
        let last = leaf.path.last().map(|step| match step {
            Step::Field(syn::Member::Named(name)) => name.to_string(),
            Step::Field(syn::Member::Unnamed(at)) => at.index.to_string(),
            Step::Element(k) => k.to_string(),
        });
        let name = format!("{}_{}", self.func.slot(slot).name, last.unwrap_or_default());
        self.func.new_value(leaf.ty.clone(), name, span)
    }

    fn branch(&mut self, mut op: Op, ops: &mut Vec<Op>) {
        let OpKind::If { then, other, .. } = &mut op.kind else {
            crate::diagnostics::bug!("not a branch")
        };
        let before = self.current.clone();
        self.region(then);
        let after_then = std::mem::replace(&mut self.current, before.clone());
        self.region(other);
        let after_other = std::mem::replace(&mut self.current, before);
        for (slot, k) in changed(&self.current, &[&after_then, &after_other]) {
            then.yields.push(after_then[&slot][k]);
            other.yields.push(after_other[&slot][k]);
            let result = self.fresh(slot, k, op.span);
            op.results.push(result);
            if let Some(held) = self.current.get_mut(&slot) {
                held[k] = result;
            }
        }
        ops.push(op);
    }

    fn repeat(&mut self, mut op: Op, ops: &mut Vec<Op>) {
        let (OpKind::For { init, body, .. } | OpKind::Loop { init, body }) = &mut op.kind else {
            crate::diagnostics::bug!("not a loop")
        };
        let mut carried: Vec<(Slot, usize)> = Vec::new();
        body.walk(&mut |op| {
            if let OpKind::Store(place, _) = &op.kind
                && self.current.contains_key(&place.root)
            {
                carried.extend(self.range(place).map(|k| (place.root, k)));
            }
        });
        carried.sort_unstable();
        carried.dedup();
        let before = self.current.clone();
        for (slot, k) in &carried {
            init.push(before[slot][*k]);
            let param = self.fresh(*slot, *k, op.span);
            body.params.push(param);
            if let Some(held) = self.current.get_mut(slot) {
                held[*k] = param;
            }
        }
        self.region(body);
        for (slot, k) in &carried {
            body.yields.push(self.current[slot][*k]);
        }
        self.current = before;
        for (slot, k) in &carried {
            let result = self.fresh(*slot, *k, op.span);
            op.results.push(result);
            if let Some(held) = self.current.get_mut(slot) {
                held[*k] = result;
            }
        }
        ops.push(op);
    }
}

/// The current values of variables' components.
type Held = Map<Slot, Vec<Value>>;

/// The components that differ between the content before and after, in an order of their own.
fn changed(before: &Held, after: &[&Held]) -> Vec<(Slot, usize)> {
    let mut all = Vec::new();
    for (slot, held) in before {
        for (k, v) in held.iter().enumerate() {
            let differs = |after: &&Held| after.get(slot).is_some_and(|after| after[k] != *v);
            if after.iter().any(differs) {
                all.push((*slot, k));
            }
        }
    }
    all.sort_unstable();
    all
}

#[cfg(test)]
mod tests {
    use crate::testing::primal;

    fn memory(source: &str) -> usize {
        let text = primal(source).to_string();
        ["init $", "store $"]
            .iter()
            .map(|word| text.matches(word).count())
            .sum()
    }

    #[test]
    fn a_small_array_is_values() {
        for source in [
            "fn f(x: f64) -> f64 { let a = [x, x * x]; a[0] * a[1] }",
            "fn f(x: f64) -> f64 { let mut a = [x, x * x]; if x > 1.0 { a[0] = a[1]; } a[0] * a[1] }",
            "fn f(x: f64, n: usize) -> f64 { let mut a = [x, 1.0]; for i in 0..n { let b = [a[1], a[0] * x]; a = b; } a[0] }",
            "fn f(x: f64) -> f64 { let mut a = [[x, 1.0], [2.0, x]]; let mut k = 0; while k < 9 { a[0][1] *= a[1][1]; a[1] = a[0]; k += 1; } a[0][1] }",
            "fn f(x: f64) -> f64 { let [a, b] = [x, x * x]; g(|t| a * t + b) }",
        ] {
            assert_eq!(memory(source), 0, "{source}\n{}", primal(source));
        }
    }

    #[test]
    fn what_is_borrowed_or_indexed_stays() {
        for source in [
            "fn f(x: f64, i: usize) -> f64 { let a = [x, x * x]; a[i] }",
            "fn f(x: f64) -> f64 { let a = [x, x * x]; g(&a) }",
        ] {
            assert_eq!(memory(source), 1, "{source}\n{}", primal(source));
        }
    }
}

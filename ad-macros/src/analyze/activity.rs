//! Activity: which values and slots are *varied* (depend on a differentiated input), *useful* (an output depends on
//! them) and *active* (both). Over slots as a whole, and without regard to order; over values exactly, to a fixpoint
//! around loops. The sets only grow, so the iteration ends.

use super::constants::constant_slots;
use crate::ir::{
    Access, Arg, Callee, Carried, Const, Func, Function, Op, OpKind, Pattern, Place, PullArg,
    Region, Rule, Set, Slot, SlotKind, Ty, Value,
};

/// Sets of values and slots.
#[derive(Clone, Default, PartialEq, Debug)]
pub(crate) struct Activity {
    pub(crate) values: Set<Value>,
    pub(crate) slots: Set<Slot>,
    /// Positions in the entries of tapes.
    entries: Set<(Slot, usize)>,
    /// Parameters that the user marks as constant, and references into them. They stay constant, whatever a callee writes there.
    constants: Set<Slot>,
    /// Leaves out values that may turn out to have no tangent, once rustc knows their types.
    certain: bool,
}

impl Activity {
    pub(crate) fn has(&self, v: Value) -> bool {
        self.values.contains(&v)
    }

    pub(crate) fn has_slot(&self, s: Slot) -> bool {
        self.slots.contains(&s)
    }

    fn size(&self) -> usize {
        self.values.len() + self.slots.len() + self.entries.len()
    }
}

/// Values and slots that depend on the differentiated inputs.
pub(crate) fn varied_inputs(func: &Func) -> Activity {
    varied(func, &differentiated(func))
}

/// Values that depend on the differentiated inputs, whatever the types are that aren't declared beside the function.
pub(crate) fn certainly_varied(func: &Func) -> Activity {
    let seeds = Activity {
        certain: true,
        ..differentiated(func)
    };
    varied(func, &seeds)
}

/// Values and slots that are both varied and useful.
pub(crate) fn activity(func: &Func) -> Activity {
    let varied = varied_inputs(func);
    let useful = useful(func);
    Activity {
        values: varied
            .values
            .intersection(&useful.values)
            .copied()
            .collect(),
        slots: varied.slots.intersection(&useful.slots).copied().collect(),
        ..Activity::default()
    }
}

/// The leaves of the parameters that are differentiated.
fn differentiated(func: &Func) -> Activity {
    let mut seeds = Activity::default();
    for param in func.params.iter().filter(|p| !p.constant) {
        param.pattern.each_leaf(&mut |leaf| seeds.add_leaf(leaf));
    }
    seeds
}

impl Activity {
    pub(crate) fn add_leaf(&mut self, leaf: &Pattern) {
        match leaf {
            Pattern::Value(v) => {
                self.values.insert(*v);
            }
            Pattern::Slot(s) => {
                self.slots.insert(*s);
            }
            _ => {}
        }
    }
}

/// Values and slots that depend on the seeds.
pub(crate) fn varied(func: &Func, seeds: &Activity) -> Activity {
    let mut act = seeds.clone();
    act.constants = constant_slots(func);
    act.values.retain(|v| func.ty(*v).may_have_tangent());
    act.slots.retain(|s| func.slot(*s).ty.may_have_tangent());
    loop {
        let before = act.size();
        spread(func, &func.body, &mut act);
        if let Some(pullback) = &func.pullback {
            spread(func, &pullback.body, &mut act);
        }
        if act.size() == before {
            return act;
        }
    }
}

fn spread(func: &Func, region: &Region, act: &mut Activity) {
    for op in &region.ops {
        spread_op(func, op, act);
    }
}

fn mark(func: &Func, act: &mut Activity, v: Value) {
    if func.ty(v).may_have_tangent() && !func.value(v).constant {
        act.values.insert(v);
    }
}

fn mark_slot(func: &Func, act: &mut Activity, s: Slot) {
    let ty = &func.slot(s).ty;
    if (ty.may_have_tangent() || ty.is_tape()) && !act.constants.contains(&s) {
        act.slots.insert(s);
    }
}

/// Returns `true` unless rustc decides if results of the operation have a tangent.
fn is_certain(func: &Func, op: &Op) -> bool {
    match &op.kind {
        OpKind::Call(_) | OpKind::Opaque { .. } => false,
        OpKind::Load(place) | OpKind::CloneOf(place) | OpKind::Borrow(_, place) => {
            func.declared(place).is_ok()
        }
        _ => true,
    }
}

fn mark_results(func: &Func, act: &mut Activity, op: &Op) {
    op.results.iter().for_each(|r| mark(func, act, *r));
}

fn spread_op(func: &Func, op: &Op, act: &mut Activity) {
    if let Some(carried) = op.carried() {
        spread(func, carried.body, act);
        for [init, param, next, result] in carried.positions() {
            if act.has(init) || act.has(next) {
                mark(func, act, param);
                mark(func, act, result);
            }
        }
        return;
    }
    if act.certain && !is_certain(func, op) {
        return;
    }
    match &op.kind {
        OpKind::Const(_)
        | OpKind::Len(_)
        | OpKind::Locate { .. }
        | OpKind::ZeroLike(_)
        | OpKind::ZeroOf(_)
        | OpKind::ZeroLeft(..)
        | OpKind::KindOf(_)
        | OpKind::Ask { .. }
        | OpKind::Opaque { .. }
        | OpKind::SetZero(_)
        | OpKind::NewTape(..)
        | OpKind::Unreachable => {}
        OpKind::Init(slot, v)
        | OpKind::Store(Place { root: slot, .. }, v)
        | OpKind::Accumulate(Place { root: slot, .. }, v) => {
            if act.has(*v) {
                mark_slot(func, act, *slot);
            }
        }
        // Each tape has one push, and each pop of it returns the values that were pushed, position by position.
        OpKind::Push(s, values) => {
            let varied: Vec<usize> = (0..values.len()).filter(|k| act.has(values[*k])).collect();
            act.entries.extend(varied.into_iter().map(|k| (*s, k)));
        }
        OpKind::Replace(p, v) => {
            if act.has(*v) {
                mark_slot(func, act, p.root);
            }
            if act.has_slot(p.root) {
                mark_results(func, act, op);
            }
        }
        OpKind::Swap(a, b) => {
            if act.has_slot(a.root) || act.has_slot(b.root) {
                mark_slot(func, act, a.root);
                mark_slot(func, act, b.root);
            }
        }
        OpKind::AccumulatePlace { to, from } => {
            if act.has_slot(from.root) {
                mark_slot(func, act, to.root);
            }
        }
        OpKind::Borrow(alias, place) => {
            if act.has_slot(place.root) {
                mark_slot(func, act, *alias);
            }
            if func.slot(*alias).kind == SlotKind::RefMut && act.has_slot(*alias) {
                mark_slot(func, act, place.root);
            }
        }
        OpKind::Load(p)
        | OpKind::CloneOf(p)
        | OpKind::PushPlaceholder(p)
        | OpKind::FieldTangent { tangent: p, .. } => {
            if act.has_slot(p.root) && func.constant_field(p).is_none() {
                mark_results(func, act, op);
            }
        }
        OpKind::Pop(s) => {
            for (k, r) in op.results.iter().enumerate() {
                if act.entries.contains(&(*s, k)) {
                    mark(func, act, *r);
                }
            }
        }
        OpKind::Run {
            run, tape, again, ..
        } => {
            let (from, to) = if *again { (tape, run) } else { (run, tape) };
            if act.has_slot(*from) {
                mark_slot(func, act, *to);
            }
        }
        OpKind::PushSlot(to, from) | OpKind::PopSlot(from, to) => {
            if act.has_slot(*from) {
                mark_slot(func, act, *to);
            }
        }
        OpKind::If { then, other, .. } => {
            spread(func, then, act);
            spread(func, other, act);
            for region in [then, other] {
                for (y, r) in region.yields.iter().zip(&op.results) {
                    if act.has(*y) {
                        mark(func, act, *r);
                    }
                }
            }
        }
        OpKind::Call(call) => {
            if call.rule == Rule::Primal {
                return;
            }
            spread_closures(func, op, act);
            let called = matches!(call.callee, Callee::Function(s) if act.has_slot(s));
            if called || call.args.iter().any(|a| arg_is_in(a, act)) {
                mark_results(func, act, op);
                for (k, arg) in call.args.iter().enumerate() {
                    match arg {
                        // Nothing active is stored there; otherwise the check of the forward rule fails. An
                        // inactive argument is copied, but a type that only rustc can resolve may not be `Copy`.
                        Arg::Mut(p)
                            if is_known(&func.slot(p.root).ty)
                                && func.lends_constant(call, k, false) => {}
                        Arg::Mut(p) => mark_slot(func, act, p.root),
                        Arg::Receiver(p) if func.receiver_may_write(p.root) => {
                            mark_slot(func, act, p.root);
                        }
                        _ => {}
                    }
                }
            }
        }
        OpKind::ApplyPullback(apply) => {
            // A pullback depends on the arguments of its rule, so its results are varied whenever anything is.
            mark_results(func, act, op);
            spread_closures(func, op, act);
            for arg in &apply.args {
                if let PullArg::Shadow { shadow, .. } = arg {
                    shadow.iter().for_each(|p| mark_slot(func, act, p.root));
                }
            }
        }
        OpKind::Combined(call) => {
            mark_results(func, act, op);
            for arg in &call.args {
                let shadows = arg.shadows().iter();
                shadows.for_each(|p| mark_slot(func, act, p.root));
            }
        }
        _ => {
            if op.operands().iter().any(|v| act.has(*v)) {
                mark_results(func, act, op);
            }
        }
    }
}

/// Returns `true` if a type consists of numbers and lists of them.
fn is_known(ty: &Ty) -> bool {
    match ty {
        Ty::Tuple(parts) => parts.iter().all(is_known),
        ty => ty.is_scalar() || ty.element().is_some_and(is_known),
    }
}

/// Marks all arguments of closures as varied: the callee may pass active values.
fn spread_closures(func: &Func, op: &Op, act: &mut Activity) {
    for closure in op.kind.closures() {
        closure.each_bound(&mut |leaf| match leaf {
            Pattern::Value(v) => mark(func, act, *v),
            Pattern::Slot(s) => mark_slot(func, act, *s),
            _ => {}
        });
        spread(func, &closure.body, act);
    }
}

pub(crate) fn arg_is_in(arg: &Arg, act: &Activity) -> bool {
    match arg {
        Arg::Value(v) => act.has(*v),
        Arg::Ref(p) | Arg::Mut(p) | Arg::Receiver(p) => act.has_slot(p.root),
        Arg::Function(Function::Param(s)) => act.has_slot(*s),
        Arg::Function(Function::Closure(_)) => true,
        Arg::Function(Function::Item { .. }) => false,
    }
}

/// Values and slots that an output (the result, or memory behind `&mut`) depends on.
fn useful(func: &Func) -> Activity {
    let mut act = Activity::default();
    act.values.extend(&func.body.yields);
    for (index, slot) in func.slots.iter().enumerate() {
        if slot.kind == SlotKind::RefMut {
            act.slots
                .insert(Slot(u32::try_from(index).unwrap_or(u32::MAX)));
        }
    }
    loop {
        let before = act.size();
        pull_back(func, &func.body, &mut act);
        if act.size() == before {
            return act;
        }
    }
}

fn pull_back(func: &Func, region: &Region, act: &mut Activity) {
    for op in region.ops.iter().rev() {
        pull_back_op(func, op, act);
    }
}

fn pull_back_op(func: &Func, op: &Op, act: &mut Activity) {
    if let Some(carried) = op.carried() {
        pull_back_carried(act, &carried);
        pull_back(func, carried.body, act);
        pull_back_carried(act, &carried);
        return;
    }
    let result = op.results.iter().any(|r| act.has(*r));
    match &op.kind {
        OpKind::If { then, other, .. } => {
            for region in [then, other] {
                for (y, r) in region.yields.iter().zip(&op.results) {
                    if act.has(*r) {
                        act.values.insert(*y);
                    }
                }
                pull_back(func, region, act);
            }
        }
        OpKind::Init(slot, v)
        | OpKind::Store(Place { root: slot, .. }, v)
        | OpKind::Accumulate(Place { root: slot, .. }, v) => {
            if act.has_slot(*slot) {
                act.values.insert(*v);
            }
        }
        OpKind::Swap(a, b) => {
            if act.has_slot(a.root) || act.has_slot(b.root) {
                act.slots.extend([a.root, b.root]);
            }
        }
        OpKind::Replace(p, v) => {
            if result {
                act.slots.insert(p.root);
            }
            if act.has_slot(p.root) {
                act.values.insert(*v);
            }
        }
        OpKind::Borrow(alias, place) => {
            if act.has_slot(*alias) {
                act.slots.insert(place.root);
            }
            if func.slot(*alias).kind == SlotKind::RefMut && act.has_slot(place.root) {
                act.slots.insert(*alias);
            }
        }
        OpKind::Load(p) | OpKind::CloneOf(p) | OpKind::PushPlaceholder(p) => {
            if result {
                act.slots.insert(p.root);
            }
        }
        OpKind::Call(call) => {
            let writes = |(s, a): &(Slot, Access)| {
                matches!(a, Access::Both | Access::Write) && act.has_slot(*s)
            };
            let written = op.any(&mut |op| op.slots().iter().any(writes));
            if call.rule != Rule::Primal && (result || written) {
                for arg in &call.args {
                    match arg {
                        Arg::Value(v) => {
                            act.values.insert(*v);
                        }
                        Arg::Ref(p) | Arg::Mut(p) | Arg::Receiver(p) => {
                            act.slots.insert(p.root);
                        }
                        Arg::Function(Function::Closure(closure)) => {
                            act.values.extend(&closure.body.yields);
                        }
                        Arg::Function(Function::Item { .. } | Function::Param(_)) => {}
                    }
                }
            }
            for closure in op.kind.closures() {
                pull_back(func, &closure.body, act);
            }
        }
        OpKind::Const(Const::Undef) | OpKind::Opaque { .. } => {}
        _ => {
            if result {
                act.values.extend(op.operands());
            }
        }
    }
}

fn pull_back_carried(act: &mut Activity, carried: &Carried<'_>) {
    for [init, param, next, result] in carried.positions() {
        if act.has(result) || act.has(param) {
            act.values.extend([init, param, next]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::activity;
    use crate::testing::primal;

    /// The names of active values, in order.
    fn active(source: &str) -> Vec<String> {
        let func = primal(source);
        let act = activity(&func);
        let mut values: Vec<_> = act.values.iter().collect();
        values.sort();
        let mut names: Vec<String> = values
            .into_iter()
            .map(|v| func.value(*v).name.clone())
            .collect();
        names.dedup();
        names
    }

    #[test]
    fn what_no_output_depends_on_is_not_active() {
        let names = active("fn f(x: f64) -> f64 { let unused = x.exp(); let y = x * x; y }");
        assert!(
            names.contains(&"y".to_owned()) && !names.contains(&"unused".to_owned()),
            "{names:?}"
        );
    }

    #[test]
    fn what_no_input_leads_to_is_not_active() {
        let names = active("fn f(x: f64, #[constant] c: f64) -> f64 { let d = c.exp(); x * d }");
        assert!(!names.contains(&"d".to_owned()), "{names:?}");
    }

    #[test]
    fn a_carried_value_is_active_if_it_becomes_so_later() {
        let names =
            active("fn f(x: f64) -> f64 { let mut s = 1.0; for _ in 0..3 { s = s * x; } s }");
        assert!(names.contains(&"s".to_owned()), "{names:?}");
    }
}

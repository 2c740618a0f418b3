//! Removes everything that is never read: values, locals, tapes, results of branches and loops.

use crate::ir::{
    Access, DenseSet, Func, Op, OpKind, Pattern, PullArg, Region, Slot, SlotKind, Value,
};

/// Values and slots that are read.
#[derive(Default)]
struct Live {
    values: DenseSet<Value>,
    /// Slots that are read.
    slots: DenseSet<Slot>,
    /// Slots that are read or written.
    touched: DenseSet<Slot>,
}

/// One round; whether anything went.
pub(super) fn remove(func: &mut Func) -> bool {
    let live = find(func);
    let mut changed = false;
    func.each_half_mut(&mut |func, half| changed |= sweep(func, &live, half));
    changed
}

fn find(func: &Func) -> Live {
    let mut live = Live::default();
    let mut roots: Vec<&Pattern> = vec![&func.result];
    let mut regions: Vec<&Region> = vec![&func.body];
    if let Some(pullback) = &func.pullback {
        roots.extend(&pullback.results);
        regions.push(&pullback.body);
    }
    for pattern in roots {
        pattern.each_leaf(&mut |leaf| {
            if let Pattern::Value(v) = leaf {
                live.values.insert(*v);
            }
        });
    }
    for region in &regions {
        live.values.extend(&region.yields);
        region.walk(&mut |op| visit(op, &mut live));
    }
    // The entries that a run stores are read if a run that takes them back is.
    for wanted in [true, false] {
        for region in &regions {
            region.walk(&mut |op| {
                if let OpKind::Run {
                    run, tape, again, ..
                } = op.kind
                {
                    let (from, to) = if again { (run, tape) } else { (tape, run) };
                    if again == wanted && live.slots.contains(from) {
                        live.slots.insert(to);
                    }
                }
            });
        }
    }
    live
}

fn visit(op: &Op, live: &mut Live) {
    // A carried value that only feeds itself is dead: it is looked at in `sweep`.
    op.each_operand(&mut |v| {
        live.values.insert(v);
    });
    op.each_region(&mut |region| live.values.extend(&region.yields));
    let only_written = matches!(
        op.kind,
        OpKind::Store(..)
            | OpKind::Accumulate(..)
            | OpKind::AccumulatePlace { .. }
            | OpKind::SetZero(_)
            | OpKind::Push(..)
            | OpKind::PushSlot(..)
            | OpKind::Run { .. }
    );
    for (slot, access) in op.slots() {
        if access != Access::Declare {
            live.touched.insert(slot);
        }
        let written = only_written && matches!(access, Access::Write | Access::Both);
        if access != Access::Declare && !written {
            live.slots.insert(slot);
        }
    }
    if let OpKind::Opaque { .. } | OpKind::ApplyPullback(_) | OpKind::Combined(_) = &op.kind {
        for (slot, _) in op.slots() {
            live.slots.insert(slot);
        }
    }
    if let OpKind::ApplyPullback(apply) = &op.kind {
        for arg in &apply.args {
            if let PullArg::Shadow { shadow, .. } = arg {
                shadow.iter().for_each(|p| live.slots.insert(p.root));
            }
        }
    }
}

/// Returns `true` if the slot is a local that is never read.
fn is_dead(func: &Func, live: &Live, slot: Slot) -> bool {
    func.slot(slot).kind == SlotKind::Owned && !live.slots.contains(slot)
}

fn sweep(func: &Func, live: &Live, region: &mut Region) -> bool {
    let before = region.ops.len();
    let mut changed = false;
    for op in &mut region.ops {
        op.each_region_mut(&mut |inner| changed |= sweep(func, live, inner));
        changed |= shrink(live, op);
        changed |= unlink(func, live, op);
    }
    let mut ops = std::mem::take(&mut region.ops);
    ops.retain(|op| !is_useless(func, live, op));
    region.ops = ops;
    changed || region.ops.len() != before
}

fn is_useless(func: &Func, live: &Live, op: &Op) -> bool {
    let unread = op.results.iter().all(|r| !live.values.contains(*r));
    match &op.kind {
        OpKind::Store(p, _) => is_dead(func, live, p.root) && is_own(func, p.root),
        OpKind::Accumulate(p, _) | OpKind::SetZero(p) => is_dead(func, live, p.root),
        OpKind::AccumulatePlace { to, .. } => is_dead(func, live, to.root),
        OpKind::Init(s, _) | OpKind::NewTape(s, _) | OpKind::Push(s, _) => {
            is_dead(func, live, *s) && is_own(func, *s)
        }
        OpKind::Run { run, .. } => is_dead(func, live, *run),
        OpKind::Borrow(s, _) => !live.touched.contains(*s) && func.slot(*s).ident.is_none(),
        OpKind::PushSlot(tape, _) => is_dead(func, live, *tape),
        OpKind::If { then, other, .. } => unread && is_empty(then) && is_empty(other),
        OpKind::For { body, .. } => unread && is_empty(body),
        OpKind::Loop { .. }
        | OpKind::Call(_)
        | OpKind::ApplyPullback(_)
        | OpKind::Combined(_)
        | OpKind::Opaque { .. }
        | OpKind::Replace(..)
        | OpKind::Swap(..)
        | OpKind::Ask { .. }
        | OpKind::Pop(_)
        | OpKind::PopSlot(..)
        | OpKind::Unreachable => false,
        _ => unread,
    }
}

/// Variables of the user stay if dropping their content may be an effect: an assignment drops the old value.
fn is_own(func: &Func, slot: Slot) -> bool {
    let slot = func.slot(slot);
    slot.ident.is_none() || slot.ty.drops_silently()
}

fn is_empty(region: &Region) -> bool {
    region.ops.is_empty()
}

/// Drops results that nothing reads from branches and loops.
fn shrink(live: &Live, op: &mut Op) -> bool {
    let count = op.results.len();
    let (leading, skipped) = op.before_carried().unwrap_or_default();
    match &mut op.kind {
        OpKind::If { then, other, .. } => {
            let keep: Vec<bool> = op
                .results
                .iter()
                .map(|r| live.values.contains(*r))
                .collect();
            for region in [then, other] {
                if region.yields.len() == count {
                    retain(&mut region.yields, &keep, 0);
                } else {
                    // Control doesn't reach its end.
                    region.yields.clear();
                }
            }
            retain(&mut op.results, &keep, 0);
        }
        OpKind::For { init, body, .. } | OpKind::Loop { init, body } => {
            let keep = carried(live, &op.results, body, leading, skipped);
            retain(init, &keep, 0);
            retain(&mut body.params, &keep, leading);
            retain(&mut body.yields, &keep, skipped);
            retain(&mut op.results, &keep, 0);
        }
        _ => {}
    }
    op.results.len() != count
}

/// Drops parts of closures' residuals that no reverse half pops: their pushes go, too.
fn unlink(func: &Func, live: &Live, op: &mut Op) -> bool {
    let mut changed = false;
    for closure in op.kind.closures_mut() {
        if let Some(links) = &mut closure.links {
            let before = links.len();
            links.retain(|link| !is_dead(func, live, *link));
            changed |= links.len() != before;
        }
    }
    changed
}

/// Which carried values are read, after the loop or by anything in it but their own next values.
fn carried(
    live: &Live,
    results: &[Value],
    body: &Region,
    leading: usize,
    skipped: usize,
) -> Vec<bool> {
    let params = &body.params[leading..];
    let yields = &body.yields[skipped..];
    let mut keep: Vec<bool> = results.iter().map(|r| live.values.contains(*r)).collect();
    loop {
        let mut needed: DenseSet<Value> = DenseSet::default();
        needed.extend(&body.yields[..skipped]);
        for (y, keep) in yields.iter().zip(&keep) {
            if *keep {
                needed.insert(*y);
            }
        }
        // Backwards, so that the operands of a needed value are needed too.
        for op in body.ops.iter().rev() {
            let reads = matches!(op.kind, OpKind::Load(_) | OpKind::Locate { .. });
            let effect = !reads && !op.is_arithmetic();
            if let OpKind::If { cond, then, other } = &op.kind {
                needed.insert(*cond);
                for side in [then, other] {
                    for inner in &side.ops {
                        crate::analyze::each_use_in(inner, &mut |v| needed.insert(v));
                    }
                    for (result, next) in op.results.iter().zip(&side.yields) {
                        if needed.contains(*result) {
                            needed.insert(*next);
                        }
                    }
                }
            } else if effect || op.results.iter().any(|r| needed.contains(*r)) {
                crate::analyze::each_use_in(op, &mut |v| needed.insert(v));
            }
        }
        let next: Vec<bool> = params
            .iter()
            .zip(&keep)
            .map(|(p, keep)| *keep || needed.contains(*p))
            .collect();
        if next == keep {
            return keep;
        }
        keep = next;
    }
}

fn retain(list: &mut Vec<Value>, keep: &[bool], skipped: usize) {
    let mut index = 0;
    list.retain(|_| {
        let kept = index < skipped || keep.get(index - skipped).copied().unwrap_or(true);
        index += 1;
        kept
    });
}

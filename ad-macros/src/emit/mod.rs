//! Emission: IR to tokens. It knows nothing of differentiation: every operation has one form, whatever made it.
//!
//! Values that are read once, right where they are, become parts of expressions; all others are `let`s. Names are the
//! user's own inside (`x`, `x_dot`, `x_bar`), made unique; generated identifiers are hygienic (`Span::mixed_site()`).

mod call;
mod expr;
mod names;
mod region;
mod signature;

pub(crate) use signature::{
    Entry, by_type, emit_entry, erase, is_own_tangent, output_tangent, output_ty, own, param_ty,
    tangent_type,
};

use std::collections::{BTreeSet, HashMap, HashSet};

use names::Names;
use proc_macro2::{Ident, TokenStream};

use crate::ir::{Const, Func, Op, Region, Slot, Value};

/// An expression that hasn't been emitted yet.
#[derive(Clone)]
struct Pending {
    tokens: TokenStream,
    /// How tightly its outermost operator binds; see `expr::prec`.
    prec: u8,
    /// Whether it reads memory, and so may not move past a write.
    reads: bool,
    /// How many operations it has, so that no line becomes unreadable.
    size: u32,
    /// `a op rest`, where `a` is a variable: `a = a op rest` is emitted as `a op= rest`.
    compound: Option<(String, TokenStream, TokenStream)>,
}

/// Emits the body of one function or closure.
struct Emitter<'a> {
    func: &'a Func,
    rt: &'a TokenStream,
    names: Names,
    values: HashMap<Value, Ident>,
    pending: HashMap<Value, Pending>,
    /// The order in which pending expressions arose.
    order: Vec<Value>,
    /// Values that are read exactly once, by an operation of the region that defines them.
    once: HashSet<Value>,
    slots: HashMap<Slot, Ident>,
    consts: HashMap<Value, Const>,
    /// Methods on receivers whose type only rustc knows, with the number of their arguments.
    probes: BTreeSet<(String, usize)>,
}

impl<'a> Emitter<'a> {
    fn new(func: &'a Func, rt: &'a TokenStream) -> Self {
        let mut emitter = Emitter {
            func,
            rt,
            names: Names::default(),
            values: HashMap::new(),
            pending: HashMap::new(),
            order: Vec::new(),
            once: HashSet::new(),
            slots: HashMap::new(),
            consts: HashMap::new(),
            probes: BTreeSet::new(),
        };
        let mut reads: HashMap<Value, u32> = HashMap::new();
        let mut local = HashSet::new();
        count(&func.body, &mut reads, &mut local);
        if let Some(pullback) = &func.pullback {
            let mut inner = HashSet::new();
            count(&pullback.body, &mut reads, &mut inner);
            local.extend(inner);
        }
        emitter.once = local
            .into_iter()
            .filter(|v| reads.get(v) == Some(&1))
            .collect();
        emitter.bind_user_names();
        emitter
    }

    /// A user's variable keeps its identifier where no other has the same, so that verbatim code finds it.
    fn bind_user_names(&mut self) {
        let mut seen: HashMap<String, u32> = HashMap::new();
        for slot in &self.func.slots {
            if let Some(ident) = &slot.ident {
                *seen.entry(ident.to_string()).or_default() += 1;
            }
        }
        for (index, slot) in self.func.slots.iter().enumerate() {
            if let Some(ident) = &slot.ident
                && seen.get(&ident.to_string()) == Some(&1)
            {
                self.names.reserve(&ident.to_string());
                self.slots.insert(
                    Slot(u32::try_from(index).unwrap_or(u32::MAX)),
                    ident.clone(),
                );
            }
        }
    }
}

/// Counts reads of values, and finds the values that an operation (or the yield) of their own region reads.
fn count(region: &Region, reads: &mut HashMap<Value, u32>, local: &mut HashSet<Value>) {
    let mut defined: HashSet<Value> = HashSet::new();
    let mut read = |v: Value, defined: &HashSet<Value>, local: &mut HashSet<Value>| {
        *reads.entry(v).or_default() += 1;
        if defined.contains(&v) {
            local.insert(v);
        }
    };
    for op in &region.ops {
        op.each_operand(&mut |v| read(v, &defined, local));
        defined.extend(&op.results);
    }
    for y in &region.yields {
        read(*y, &defined, local);
    }
    for op in &region.ops {
        for inner in op.regions() {
            count(inner, reads, local);
        }
    }
}

/// Whether an operation writes memory, or runs code that may.
fn has_effect(op: &Op) -> bool {
    use crate::ir::{Access, OpKind};
    match op.kind {
        OpKind::If { .. }
        | OpKind::For { .. }
        | OpKind::Loop { .. }
        | OpKind::Call(_)
        | OpKind::ApplyPullback(_)
        | OpKind::Opaque { .. }
        | OpKind::Unreachable => true,
        _ => op.slots().iter().any(|(_, access)| *access != Access::Read),
    }
}
